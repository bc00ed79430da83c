"""The tools that a planner may call: what ``executors.yaml`` says about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.json_text.findings import ValueFinding, to_diagnostics, unknown_field, wrong_type
from planspec_lark.json_text.models import JsonText
from planspec_lark.json_text.yaml_text import YAML_LIMITS, read_yaml
from planspec_lark.plan_next.conversion import build
from planspec_lark.plan_next.models import Executor
from planspec_lark.syntax.diagnostics import PlanSyntaxError, quote
from planspec_lark.syntax.limits import read_file

__all__ = [
    "EXECUTORS_FILE",
    "EXECUTORS_LIMITS",
    "Executors",
    "ExecutorsError",
    "load_executors",
    "read_executors",
]

# Where the file lies inside a state folder.
EXECUTORS_FILE = Path("executors") / "executors.yaml"
EXECUTORS_LIMITS = YAML_LIMITS
# A command starts with an id, which ends at white space, at a colon, or with the command.
_ID = re.compile(r"[^\s:]+")
_LISTS = ("guarantees", "limits", "side_effects")


class ExecutorsError(PlanSyntaxError):
    """A text that lists no executors. ``diagnostics`` says what is wrong with it."""


def _to_tuple(items: Iterable[Executor]) -> tuple[Executor, ...]:
    return tuple(items)


@frozen
class Executors:
    """Tools, in the order of their file."""

    items: tuple[Executor, ...] = field(default=(), converter=_to_tuple)

    def find(self, command: str) -> Executor | None:
        """The tool that a command names: by its id alone, or with white space or a colon and anything after it."""
        match = _ID.match(command.strip())
        name = match[0] if match else None
        return next((one for one in self.items if one.id == name), None)


def load_executors(path: Path | str) -> Executors:
    """The executors in a file; see :func:`read_executors`.

    Raises:
        ExecutorsError: the file holds something else, or too much.
        OSError: it cannot be read.
    """
    try:
        text = read_file(path, EXECUTORS_LIMITS)
    except PlanSyntaxError as error:
        raise ExecutorsError(error.diagnostics, error.source) from None
    return read_executors(text, name=str(path))


def read_executors(text: str, *, name: str = "<text>") -> Executors:
    """The executors that a YAML text lists. That is a list, or a mapping with the list as ``executors``.

    Each has an ``id``, and may have ``description``, ``guarantees``, ``limits`` and ``side_effects`` (a text or a list
    of texts each), and whatever else helps a planner, which is kept. An empty text lists none.

    Raises:
        ExecutorsError: it is no such text, with all that is wrong.
        MissingYamlError: the extra ``yaml`` is not installed.
    """
    read = read_yaml(text, name=name)
    if read.diagnostics:
        raise ExecutorsError(read.diagnostics, read.source)
    items, findings = _read_items(read)
    if findings:
        raise ExecutorsError(to_diagnostics(findings, read), read.source)
    return Executors(items)


def _read_items(read: JsonText) -> tuple[list[Executor], list[ValueFinding]]:
    value: Any = read.value
    path: tuple[str | int, ...] = ()
    findings = []
    if isinstance(value, dict):
        help = "write the list as `executors`"
        findings = [
            ValueFinding("PN102", unknown_field(key), (key,), help=help, at_key=True)
            for key in value
            if key != "executors"
        ]
        path = ("executors",)
        value = value.get("executors")
    if value is None:
        return [], findings
    if not isinstance(value, list):
        return [], [*findings, ValueFinding("PN103", wrong_type("a list of executors", value), path)]
    items = []
    for index, one in enumerate(value):
        item, found = build(_with_lists(one), Executor)
        findings += [evolve(finding, path=(*path, index, *finding.path)) for finding in found]
        if item is not None:
            items.append((index, item))
    findings += _check_ids(items, path)
    return [item for _, item in items], findings


def _with_lists(value: object) -> object:
    """An executor whose lists may be written as one text, or as nothing."""
    if not isinstance(value, dict):
        return value
    written = ((key, value[key]) for key in _LISTS if key in value)
    lists = {key: [said] if isinstance(said, str) else [] if said is None else said for key, said in written}
    return {**value, **lists}


def _check_ids(items: list[tuple[int, Executor]], path: tuple[str | int, ...]) -> Iterator[ValueFinding]:
    known: set[str] = set()
    for index, item in items:
        place = (*path, index, "id")
        if not _ID.fullmatch(item.id):
            help = "write an id without white space and colons"
            yield ValueFinding("PN402", f"no command could name the executor {quote(item.id)}", place, help=help)
        if item.id in known:
            yield ValueFinding("PN401", f"duplicate executor {quote(item.id)}", place)
        known.add(item.id)
