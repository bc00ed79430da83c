"""spec-kit's `tasks.md`: `- [ ] T001 [P] [US1] …` in phases, and a section that says what depends on what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from planspec_lark.exchange.dialect import Dialect, find_parallel
from planspec_lark.exchange.formats import share_of
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.exchange.numbers import number_nameless
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_ID = re.compile(r"T[0-9]{1,9}[a-z]?")
_LEAD = re.compile(rf"({_ID.pattern})(?=\s|$)\s*")
# `T004`, or from `T004` to `T009`.
_RANGE = re.compile(r"(T[0-9]{1,9}[a-z]?)(?:[ \t]*(?:-|–|—|\.\.|to|through)[ \t]*(T[0-9]{1,9}[a-z]?))?")
# More than this is a mistake.
_MOST_OF_A_RANGE = 100
_MOST_PAIRS = 1000
_LONGEST = 1000
_IDS = r"T[0-9]{1,9}[a-z]?(?:[ \t]*+(?:(?:,|&|/|-|–|—|and|or|to|through)[ \t]*+)++T[0-9]{1,9}[a-z]?)*"
_NEEDS = re.compile(rf"\b(?:depends? on|requires?|blocked by|needs)[ \t:]+({_IDS})", re.IGNORECASE)

# Lines of the section.
_SECTION = re.compile(r"(#{1,6})[ \t]++.*\bDependenc(?:y|ies)\b", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})[ \t]")
# An arrow says nothing: some mean that the first comes first, others that the first needs the second.
_CLAUSE = re.compile(r"[;.][ \t]")
_SAID = r"(?:[ \t]*\([^()]{0,80}\))?[ \t]+(?:only[ \t]+)?"
_AFTER = re.compile(rf"({_IDS}){_SAID}(?:depends? on|requires?|blocked by|needs?|after)[ \t:]+({_IDS})", re.IGNORECASE)
_BEFORE = re.compile(rf"({_IDS}){_SAID}(?:before|blocks?)[ \t:]+({_IDS})", re.IGNORECASE)
_TASK = re.compile(r"^[ \t]*[-*] \[[ xX]\] (?:\*\*)?T[0-9]{2,}\b", re.MULTILINE)


# ---------------------------------------------------------------- dependencies


def _expand(text: str) -> list[str]:
    """The ids in a text, ranges written out."""
    found: dict[str, None] = {}
    for first, last in dict.fromkeys(_RANGE.findall(text)):
        found[first] = None
        if first[1:].isdigit() and last[1:].isdigit():
            start = int(first[1:])
            numbers = range(start + 1, min(int(last[1:]), start + _MOST_OF_A_RANGE) + 1)
            found |= dict.fromkeys(f"T{number:0{len(first) - 1}}" for number in numbers)
    return [*found]


def _find_needs(tasks: TaskList) -> dict[Task, Sequence[str | Task]]:
    """What each task needs, by its own text and by the section of dependencies; else by place, if it is parallel."""
    known = {task.id: task for task in tasks if task.id}
    needs: dict[Task, dict[str, None]] = {}
    for task in tasks:
        said = [one for match in _NEEDS.finditer(task.text) for one in _expand(match[1])]
        if said and _ID.fullmatch(task.id):
            needs[task] = dict.fromkeys(said)
    for line in _section(tasks.notes):
        for task_id, needed in _read_line(line):
            if task_id in known and task_id != needed:
                needs.setdefault(known[task_id], {})[needed] = None
    return {task: [last] for task, last in find_parallel(tasks)} | {key: [*several] for key, several in needs.items()}


def _add_needs(task: Task, needs: Sequence[str]) -> None:
    if tasks := [one for one in needs if _ID.fullmatch(one)]:
        task.text = f"{task.text} (depends on {', '.join(tasks)})".lstrip()


def _section(notes: Iterable[str]) -> Iterator[str]:
    """The lines of the section of dependencies."""
    level = 0
    for line in notes:
        if match := _HEADING.match(line):
            if level and len(match[1]) <= level:
                level = 0
            if not level and _SECTION.match(line):
                level = len(match[1])
        elif level:
            yield line


def _read_line(line: str) -> Iterator[tuple[str, str]]:
    """Which task needs which, as a line says it by ids."""
    if len(line) > _LONGEST:
        return
    for clause in _CLAUSE.split(line):
        if match := _AFTER.search(clause):
            yield from _pair(_expand(match[1]), _expand(match[2]))
        elif match := _BEFORE.search(clause):
            yield from _pair(_expand(match[2]), _expand(match[1]))


def _pair(tasks: Sequence[str], needed: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(tasks) * len(needed) <= _MOST_PAIRS:
        yield from ((task, one) for task in tasks for one in needed)


# ---------------------------------------------------------------- the format


def _number(tasks: TaskList) -> None:
    """Give the next number to each task that has none, and nothing below it."""
    for task in tasks:
        if not _ID.fullmatch(task.id):
            task.id = ""
    number_nameless([task for task in tasks if task.id or not task.children], "T", 3)


_DIALECT = Dialect(lead=_LEAD, find_needs=_find_needs, add_needs=_add_needs, level=2)


def _guess(source: Source) -> int:
    share = share_of(_TASK, source)
    if share >= 2 / 3:
        return 85
    return 60 if share else 0


FORMAT = markdown_format("spec-kit", _DIALECT, _guess, _number)
