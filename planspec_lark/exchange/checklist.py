"""Markdown check lists and numbered lists: GitHub's task lists, with headings as containers."""

from __future__ import annotations

import re

from planspec_lark.exchange.formats import Format, Guess
from planspec_lark.exchange.markdown import Dialect, change_markdown, compare_lines, read_markdown, write_markdown
from planspec_lark.exchange.models import TaskList
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_DIALECT = Dialect()
_TASK = re.compile(r"^[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\](?:[ \t]|\r?$)", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\S", re.MULTILINE)


def _guess(source: Source) -> Guess:
    if source.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return Guess(0, "it is JSON")
    if _TASK.search(source.text):
        return Guess(30, "it has items with check boxes")
    return Guess(10, "it has a list") if _ITEM.search(source.text) else Guess(0, "it has no list")


def _number(_tasks: TaskList) -> None:
    """No task needs an id."""


FORMAT = Format(
    "checklist",
    _guess,
    lambda source: read_markdown(source, _DIALECT),
    _number,
    lambda tasks: write_markdown(tasks, _DIALECT),
    compare_lines,
    lambda source, changes: change_markdown(source, changes, _DIALECT),
)
