"""spec-kit's `tasks.md`: `- [ ] T001 [P] [US1] …` in phases, and a section that says what depends on what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from planspec_lark.exchange import marks
from planspec_lark.exchange.formats import Format, Guess
from planspec_lark.exchange.markdown import Dialect, compare_lines, read_markdown, write_markdown
from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_ID = re.compile(r"T[0-9]{1,9}[a-z]?")
_LEAD = re.compile(rf"({_ID.pattern})(?=\s|$)\s*")
# `Phase 3`, or `Phase 3+` for that one and all behind it.
_PHASE = re.compile(r"Phase ([0-9]{1,9})\b(\+?)", re.IGNORECASE)
# `T004`, or from `T004` to `T009`.
_RANGE = re.compile(r"(T[0-9]{1,9}[a-z]?)(?:[ \t]*(?:-|–|—|\.\.|to|through)[ \t]*(T[0-9]{1,9}[a-z]?))?")
_MOST_OF_A_RANGE = 1000
_IDS = r"T[0-9]{1,9}[a-z]?(?:(?:[ \t]*(?:,|&|/|-|–|—|and|or|to|through)[ \t]*)+T[0-9]{1,9}[a-z]?)*"
_NEEDS = re.compile(rf"\b(?:depends? on|requires?|blocked by|needs)[ \t:]+({_IDS})", re.IGNORECASE)

# Lines of the section.
_SECTION = re.compile(r"(#{1,6})[ \t]+.*\bDependenc(?:y|ies)\b.*", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})[ \t]")
_AFTER = re.compile(rf"({_IDS})[^T]*?\b(?:depends? on|requires?|blocked by|needs|after)[ \t:]+({_IDS})", re.IGNORECASE)
_BEFORE = re.compile(rf"({_IDS})[^T]*?(?:\bbefore|\bblocks?|→|->|=>)[ \t:]+({_IDS})", re.IGNORECASE)
_PHASE_LINE = re.compile(
    r"[ \t]*[-*+][ \t]+\*\*(.*?)\*\*:?[ \t]*(?:All )?(?:depends?|requires?)(?: on)?[ \t]+(.*)", re.IGNORECASE
)

_TASK = re.compile(r"^[ \t]*[-*] \[[ xX]\] (?:\*\*)?T[0-9]{2,}\b", re.MULTILINE)


def _split(text: str, is_heading: bool) -> tuple[str, str]:
    if is_heading:
        # The number stays in the text as well, since a phase is called so.
        phase = _PHASE.match(text)
        return (f"phase-{phase[1]}" if phase else ""), text
    match = _LEAD.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def _join(task: Task, is_heading: bool, _depth: int) -> str:
    if is_heading or not task.id:
        return task.text
    # What the text says already, in any words, is not said again.
    missing = [one for one in task.needs if _ID.fullmatch(one) and one not in _expand(task.text)]
    said = f" (depends on {', '.join(missing)})" if missing else ""
    return f"{task.id} {task.text}{said}"


# ---------------------------------------------------------------- dependencies


def _expand(text: str) -> list[str]:
    """The ids in a text, ranges written out."""
    found: list[str] = []
    for first, last in _RANGE.findall(text):
        found.append(first)
        if last and first[1:].isdigit() and last[1:].isdigit():
            numbers = range(int(first[1:]) + 1, min(int(last[1:]), int(first[1:]) + _MOST_OF_A_RANGE) + 1)
            found += (f"T{number:0{len(first) - 1}}" for number in numbers)
    return found


def _link(tasks: TaskList) -> None:
    known = {task.id: task for task in tasks if task.id}
    for task in tasks:
        if _ID.fullmatch(task.id):
            task.needs = [one for match in _NEEDS.finditer(task.text) for one in _expand(match[1])]
    said: dict[str, dict[str, None]] = {}
    for line in _section(tasks.notes):
        for task_id, needed in _read_line(line, known):
            said.setdefault(task_id, {})[needed] = None
    for task_id, needs in said.items():
        if task_id in known:
            known[task_id].needs = [*dict.fromkeys([*known[task_id].needs, *needs])]


def _section(notes: Iterable[str]) -> Iterator[str]:
    """The lines of the section of dependencies."""
    level = 0
    for line in notes:
        if match := _HEADING.match(line):
            if level and len(match[1]) <= level:
                level = 0
            if not level and _SECTION.fullmatch(line):
                level = len(match[1])
        elif level:
            yield line


def _read_line(line: str, known: Mapping[str, Task]) -> Iterator[tuple[str, str]]:
    """Which task needs which, as a line says it."""
    if len(line) > 1000:
        return
    if match := _AFTER.search(line):
        yield from ((task, needed) for task in _expand(match[1]) for needed in _expand(match[2]))
    elif match := _BEFORE.search(line):
        pieces = [_expand(piece) for piece in re.split(r"→|->|=>|\bbefore\b|\bblocks?\b", line)]
        pieces = [piece for piece in pieces if piece]
        for firsts, lasts in pairwise(pieces):
            yield from ((task, needed) for task in lasts for needed in firsts)
    elif match := _PHASE_LINE.match(line):
        phases = [task for task in known.values() if task.id.startswith("phase-")]
        needed = [*_name_phases(match[2], phases)]
        for phase in _name_phases(match[1], phases):
            yield from ((phase.id, one.id) for one in needed if one is not phase)


def _name_phases(text: str, phases: Iterable[Task]) -> Iterator[Task]:
    """The phases that a text names: by number, or by the first word of their title."""
    named = [(int(number), bool(more)) for number, more in _PHASE.findall(text)]
    for phase in phases:
        number = int(phase.id.removeprefix("phase-"))
        title = phase.text.partition(":")[2].split()
        word = title[0].casefold() if title else ""
        if any(number == one or (more and number > one) for one, more in named) or (
            word not in ("", "user") and word in text.casefold().split()
        ):
            yield phase


# ---------------------------------------------------------------- the format


def _number(tasks: TaskList) -> None:
    """Give the next numbers to tasks that have none: where one beside it has one, or where none has any at all."""
    for task in tasks:
        if not _ID.fullmatch(task.id) and not task.id.startswith("phase-"):
            task.id = ""
    last = max((int(match[0][1:]) for task in tasks if (match := re.match(r"T[0-9]+", task.id))), default=0)
    is_new = not last and marks.NO_ID not in tasks.notes
    for parent in [tasks, *tasks]:
        below = parent.tasks if isinstance(parent, TaskList) else parent.children
        if is_new or any(_ID.fullmatch(task.id) for task in below):
            for task in below:
                if not task.id and not task.children and marks.NO_ID not in task.notes:
                    last += 1
                    task.id = f"T{last:03}"


_DIALECT = Dialect(split=_split, join=_join, link=_link, level=2)


def _guess(source: Source) -> Guess:
    if _TASK.search(source.text):
        return Guess(85, "it has tasks such as T001")
    return Guess(0, "it has no tasks such as T001")


FORMAT = Format(
    "spec-kit",
    _guess,
    lambda source: read_markdown(source, _DIALECT),
    _number,
    lambda tasks: write_markdown(tasks, _DIALECT),
    compare_lines,
)
