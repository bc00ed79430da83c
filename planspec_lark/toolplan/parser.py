"""Plans and tools in JSON or YAML texts, and in files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from attrs import evolve

from planspec_lark.json_text.findings import first_findings
from planspec_lark.json_text.models import JsonText
from planspec_lark.json_text.parser import read_json, scan_json
from planspec_lark.json_text.yaml_text import YAML_LIMITS, read_yaml
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, Severity, in_order
from planspec_lark.syntax.fences import Fence, find_fences
from planspec_lark.syntax.limits import Limits, read_file
from planspec_lark.syntax.reasoning import blank, leave_out_reasoning
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.syntax.source import Source
from planspec_lark.toolplan.definitions import add_atoms
from planspec_lark.toolplan.interchange import AtomsError, ToolPlanError
from planspec_lark.toolplan.models import Atom, Registry

__all__ = ["Syntax", "load_atoms", "load_plan_doc", "read_doc", "read_doc_file", "scan_doc"]

Syntax = Literal["json", "yaml"]

DOC_JSON_LIMITS = Limits(max_bytes=20_000_000, max_depth=64)
# The parser of YAML takes some 3 seconds a megabyte for what people write, and seven times that at worst.
DOC_YAML_LIMITS = Limits(max_bytes=512_000, max_depth=YAML_LIMITS.max_depth)

# What the line of a fence has besides its language.
_SIGNS = " \t\r\n>`~"
_SYNTAXES: dict[str, Syntax] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def read_doc(text: str, *, name: str = "<text>", syntax: Syntax | None = None) -> JsonText:
    """The value of a JSON or YAML text, with the place of everything in it. Never raises on any text.

    Args:
        text: any text. Of JSON 20 MB are read, of YAML 512 kB.
        name: what diagnostics call it.
        syntax: what it is; without it, a text that begins with a bracket or a brace is JSON, any other YAML. So is one
            with such a code block.

    Raises:
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    if (syntax or _syntax_of(text)) == "json":
        return read_json(text, name=name, limits=DOC_JSON_LIMITS, allow_list=True)
    return read_yaml(text, name=name, limits=DOC_YAML_LIMITS)


def scan_doc(text: str, *, name: str = "<text>", syntax: Syntax | None = None) -> JsonText:
    """The plan in a language model's answer: the whole text, or what its code block or its prose holds.

    JSON is repaired where its meaning is plain, as :func:`planspec_lark.json_text.scan_json` does it; of two different
    plans none counts. YAML is taken as it is out of the one block that is called so. The arguments, and what is
    raised, are those of :func:`read_doc`.
    """
    read = read_doc(text, name=name, syntax=syntax)
    if not read.has_errors:
        return read
    bare = blank(text, leave_out_reasoning(text).blocks)
    blocks = [
        one for one in find_fences(bare) if f".{bare[one.start : one.body_start].strip(_SIGNS).lower()}" in _SYNTAXES
    ]
    if len(blocks) == 1 and not _is_json(bare[blocks[0].body_start :]):
        return _read_block(read.source, blocks[0])
    scan = scan_json(text, name=name, limits=DOC_JSON_LIMITS, prefer=_is_plan)
    return scan if _is_plan(scan.value) or _syntax_of(text) == "json" else read


def _syntax_of(text: str) -> Syntax:
    rest = leave_out_reasoning(text).text
    block = next(find_fences(rest), None)
    is_json = _is_json(rest) or (block is not None and _is_json(rest[block.body_start :]))
    return "json" if is_json else "yaml"


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}


def _is_plan(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("plan"), dict)


def _read_block(source: Source, block: Fence) -> JsonText:
    """The YAML in a code block, with infos for what is around it."""
    text = source.text
    within = block.body_start, block.body_end
    read = read_yaml(text, name=source.name, limits=DOC_YAML_LIMITS, within=within)
    around = [("PJ103", "a code fence is not allowed in YAML", block.start, block.body_start)]
    around += [
        ("PJ102", f"other text {side} the plan", start, end)
        for side, start, end in (("before", 0, block.start), ("after", block.end, len(text)))
        if text[start:end].strip()
    ]
    infos = [
        Diagnostic(code, message, Severity.INFO, source.span(start, end), help="remove it", source=source)
        for code, message, start, end in around
    ]
    return evolve(read, diagnostics=in_order([*infos, *read.diagnostics]))


def read_doc_file(path: Path | str, *, tolerant: bool = False) -> JsonText:
    """The same as :func:`read_doc`, or else as :func:`scan_doc`, for a file, whose name says what it is, or its text.

    Raises:
        PlanSyntaxError: it is not UTF-8, or too large.
        OSError: it cannot be read.
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    syntax = _SYNTAXES.get(Path(path).suffix.lower())
    text = read_file(path, DOC_YAML_LIMITS if syntax == "yaml" else DOC_JSON_LIMITS)
    return (scan_doc if tolerant else read_doc)(text, name=str(path), syntax=syntax)


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
    """The tools that JSON or YAML files define. They are in the order of the files.

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

    def say_place(path: tuple[str | int, ...]) -> str:
        place = read.span(path)
        return f"{visible_name(read.source.name)}:{place.line}:{place.column}"

    found = add_atoms(read.value, known, say_place)
    most = DOC_JSON_LIMITS.max_findings
    errors, warnings = ([one for one in found if one.is_error is is_error] for is_error in (True, False))
    return first_findings(errors, read, most), first_findings(warnings, read, most)
