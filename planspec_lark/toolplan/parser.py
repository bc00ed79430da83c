"""Plans and tools in JSON or YAML texts, and in files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from planspec_lark.json_text.findings import FirstFindings, ValueFinding
from planspec_lark.json_text.models import JsonText
from planspec_lark.json_text.parser import read_json
from planspec_lark.json_text.yaml_text import YAML_LIMITS, read_yaml
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError
from planspec_lark.syntax.limits import Limits, read_file
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.toolplan.definitions import read_atoms, refuse_duplicate
from planspec_lark.toolplan.interchange import AtomsError, ToolPlanError
from planspec_lark.toolplan.models import Atom, Registry

__all__ = ["Syntax", "load_atoms", "load_plan_doc", "read_doc", "read_doc_file"]

Syntax = Literal["json", "yaml"]

DOC_JSON_LIMITS = Limits(max_bytes=20_000_000, max_depth=64)
# The parser of YAML takes some 3 seconds a megabyte for what people write, and seven times that at worst.
DOC_YAML_LIMITS = Limits(max_bytes=512_000, max_depth=YAML_LIMITS.max_depth)

_SYNTAXES: dict[str, Syntax] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def read_doc(text: str, *, name: str = "<text>", syntax: Syntax | None = None) -> JsonText:
    """The value of a JSON or YAML text, with the place of everything in it. Never raises on any text.

    Args:
        text: any text. Of JSON 20 MB are read, of YAML 512 kB.
        name: what diagnostics call it.
        syntax: what it is; without it, a text that begins with a bracket or a brace is JSON, any other YAML.

    Raises:
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    if syntax is None:
        start = leave_out_reasoning(text).text.lstrip("\ufeff \t\r\n")
        syntax = "json" if start[:1] in ("{", "[") else "yaml"
    if syntax == "json":
        return read_json(text, name=name, limits=DOC_JSON_LIMITS, allow_list=True)
    return read_yaml(text, name=name, limits=DOC_YAML_LIMITS)


def read_doc_file(path: Path | str) -> JsonText:
    """The same for a file, whose name says what it is, or else its text.

    Raises:
        PlanSyntaxError: it is not UTF-8, or too large.
        OSError: it cannot be read.
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    syntax = _SYNTAXES.get(Path(path).suffix.lower())
    text = read_file(path, DOC_YAML_LIMITS if syntax == "yaml" else DOC_JSON_LIMITS)
    return read_doc(text, name=str(path), syntax=syntax)


def load_plan_doc(source: os.PathLike[str] | str) -> Any:
    """The plain value of a plan, for :func:`planspec_lark.toolplan.validate_plan_doc`.

    Args:
        source: a text in JSON or YAML; or the path to a file with one, which has to be a path object, since a text may
            come from a stranger.

    Raises:
        ToolPlanError: it is neither JSON nor YAML, or too large. What it says is not looked at.
        OSError: the file cannot be read.
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    try:
        read = read_doc(source) if isinstance(source, str) else read_doc_file(Path(source))
    except PlanSyntaxError as error:
        raise ToolPlanError(error.diagnostics, error.source) from None
    if read.has_errors:
        raise ToolPlanError(read.diagnostics, read.source)
    return read.value


# ---------------------------------------------------------------- tools


def load_atoms(*paths: Path | str) -> Registry:
    """The tools that files define, of JSON or YAML, in the order of the files.

    Each file holds a list of definitions, an object with that list as ``atoms``, definitions by id, or one definition
    with its id; or a list of tools of another form, as ``docs/reference/tool-plans.md`` has them.

    Args:
        paths: files, and folders, of which all files are read that end in ``.json``, ``.yaml`` or ``.yml``, in the
            order of their names.

    Returns:
        The tools; the registry's diagnostics are what the files say of them and no check looks at.

    Raises:
        AtomsError: something is wrong in one of the files, or an id comes twice; all of it, but for what comes after
            the first thousand errors of a file.
        OSError: a file or folder cannot be read.
        MissingYamlError: a file is YAML, and the extra ``yaml`` is not installed.
    """
    errors: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    known: dict[str, tuple[Atom, str]] = {}
    first = None
    for path in (file for one in paths for file in _files_of(Path(one))):
        try:
            read = read_doc_file(path)
        except PlanSyntaxError as error:
            errors += error.diagnostics
            first = first or error.source
            continue
        first = first or read.source
        if read.has_errors:
            errors += read.diagnostics
        else:
            faults, others = _add(read, known)
            errors += faults
            warnings += others
    if errors:
        assert first is not None
        raise AtomsError(errors, first)
    return Registry((atom for atom, _ in known.values()), tuple(warnings))


def _files_of(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    yield from sorted(
        (one for one in path.iterdir() if one.suffix.lower() in _SYNTAXES and one.is_file()), key=lambda one: one.name
    )


def _add(read: JsonText, known: dict[str, tuple[Atom, str]]) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Take the tools of one file. Its errors, and its warnings."""
    errors, warnings = (FirstFindings(read, DOC_JSON_LIMITS.max_findings) for _ in range(2))
    for one in read_atoms(read.value):
        if isinstance(one, ValueFinding):
            (errors if one.is_error else warnings).add(one)
            continue
        atom, place = one.atom, read.span(one.path)
        where = f"at {visible_name(read.source.name)}:{place.line}:{place.column}"
        if known.setdefault(atom.id, (atom, where))[0] is not atom:
            errors.add(refuse_duplicate(atom.id, one.id_path, known[atom.id][1]))
    return errors.close(), warnings.close()
