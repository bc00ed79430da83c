"""OpenSpec's `tasks.md`: numbered headings, and below them check boxes with numbers such as `1.1`."""

from __future__ import annotations

import re

from planspec_lark.exchange.formats import Format, Guess, share_of
from planspec_lark.exchange.markdown import Dialect, change_markdown, compare_lines, read_markdown, write_markdown
from planspec_lark.exchange.models import Task
from planspec_lark.exchange.numbers import number_by_place
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)+[a-z]?|[0-9]+[a-z]?(?=\.))\.?(?=\s|$)\s*")
_HEADING = re.compile(r"([0-9]+(?:\.[0-9]+)*)(?:\.(?=\s|$)|(?<=\.[0-9])(?=\s))\s*")

_TASK = re.compile(r"^[ \t]*- \[[ xX]\] [0-9]+(?:\.[0-9]+)+ ", re.MULTILINE)
_GROUP = re.compile(r"^#{2,3} [0-9]+\. ", re.MULTILINE)


def _split(text: str, is_heading: bool) -> tuple[str, str]:
    match = (_HEADING if is_heading else _NUMBER).match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def _join(task: Task, _is_heading: bool, _depth: int) -> str:
    if not task.id:
        return task.text
    return f"{task.id}{'' if '.' in task.id else '.'} {task.text}"


_DIALECT = Dialect(split=_split, join=_join, level=2)


def _guess(source: Source) -> Guess:
    if source.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return Guess(0, "it is JSON")
    share = share_of(_TASK, source)
    if share >= 1 / 3 and _GROUP.search(source.text):
        return Guess(75 if share >= 2 / 3 else 60, "it has numbered groups of numbered tasks")
    if share < 2 / 3:
        return Guess(15, "some of its tasks are numbered") if share else Guess(0, "it has no numbered tasks")
    return Guess(35, "it has numbered tasks")


FORMAT = Format(
    "openspec",
    _guess,
    lambda source: read_markdown(source, _DIALECT),
    number_by_place,
    lambda tasks: write_markdown(tasks, _DIALECT),
    compare_lines,
    lambda source, changes: change_markdown(source, changes, _DIALECT),
)
