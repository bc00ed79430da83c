"""The formats: what each of them can do, and which one a text is in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from attrs import frozen

from planspec_lark.exchange.models import Addition, TaskChange, TaskList, TaskReading
from planspec_lark.syntax.fields import require_one_of
from planspec_lark.syntax.source import Source

__all__ = [
    "FORMATS",
    "MARKDOWN",
    "Format",
    "find_format",
    "guess_format",
    "leave_ids",
    "share_of",
]


def leave_ids(_tasks: TaskList) -> None:
    """No task needs an id."""


@frozen
class Format:
    """A format.

    Attributes:
        name: what it is called.
        guess: how well a text fits: from 0 (not at all) to 100 (it says so itself).
        read: reads one, given which of several lists is meant, from 1 (with 0 all of them).
        write: writes tasks.
        change: makes changes in a source, and in nothing else of it; returns the new text, and what could not be
            changed.
        is_text: whether what a task needs is said by its text as well.
        number: gives ids to tasks that have none, where it needs them.
    """

    name: str
    guess: Callable[[Source], int]
    read: Callable[[Source, int], TaskReading]
    write: Callable[[TaskList], str]
    change: Callable[[Source, Sequence[TaskChange | Addition]], tuple[str, list[str]]]
    is_text: bool = True
    number: Callable[[TaskList], None] = leave_ids


MARKDOWN = ("checklist", "kiro", "spec-kit", "openspec", "markdown")
FORMATS = (*MARKDOWN, "task-master", "cursor", "backlog", "todowrite", "codex", "acp", "beads")
"""The names of the formats."""


def find_format(name: str) -> Format:
    """The format of this name.

    Raises:
        ValueError: there is none.
    """
    require_one_of("format", name, FORMATS)
    if name in MARKDOWN or name == "backlog":
        found = import_module(f"planspec_lark.exchange.{name.replace('-', '_')}").FORMAT
    else:
        found = import_module("planspec_lark.exchange.json_lists").FORMATS[name]
    assert isinstance(found, Format)
    return found


_BOX = re.compile(r"^[ \t]*[-*+] \[[^\]\n]?\]", re.MULTILINE)


def share_of(pattern: re.Pattern[str], source: Source) -> float:
    """How many of the tasks with boxes look so, from 0 to 1."""
    found = sum(1 for _ in pattern.finditer(source.text))
    return found / max(found, sum(1 for _ in _BOX.finditer(source.text)), 1)


# Where a tool has its lists, and what that says. What a text says of itself weighs more than a folder called `specs`.
_PLACES = (
    (re.compile(r"(?:.*/)?\.kiro/specs/(?:.*/)?tasks\.md"), "kiro", 90),
    (re.compile(r"(?:.*/)?openspec/changes/(?:.*/)?tasks\.md"), "openspec", 88),
    (re.compile(r"(?:.*/)?specs/[0-9]{3}-[^/]+/tasks\.md"), "spec-kit", 65),
)


def _guess_by_place(path: str) -> tuple[str, int]:
    """The format of the tool whose lists are at such a place, and how sure that is; empty where there is none."""
    path = path.replace("\\", "/")
    return next(((name, score) for pattern, name, score in _PLACES if pattern.fullmatch(path)), ("", 0))


def guess_format(source: Source) -> Mapping[str, int]:
    """The formats that a text may be in, by what it says and by where it is, the best first."""
    scores = {name: find_format(name).guess(source) for name in FORMATS}
    name, score = _guess_by_place(source.name)
    if name and scores["checklist"]:
        scores[name] = max(score, scores[name])
    return dict(sorted(((n, one) for n, one in scores.items() if one), key=lambda item: -item[1]))
