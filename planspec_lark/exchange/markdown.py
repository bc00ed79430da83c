"""A format that is written in Markdown, made from its dialect."""

from __future__ import annotations

from collections.abc import Callable

from planspec_lark.exchange.dialect import Dialect
from planspec_lark.exchange.formats import Format, Guess
from planspec_lark.exchange.markdown_reader import read_markdown
from planspec_lark.exchange.markdown_writer import change_markdown, compare_lines, write_markdown
from planspec_lark.exchange.models import TaskList
from planspec_lark.syntax.source import Source

__all__ = ["markdown_format"]


def _leave_ids(_tasks: TaskList) -> None:
    """No task needs an id."""


def markdown_format(
    name: str,
    dialect: Dialect,
    guess: Callable[[Source], Guess],
    number: Callable[[TaskList], None] = _leave_ids,
) -> Format:
    """The format of a dialect; its other functions are those of all dialects."""

    def guess_markdown(source: Source) -> Guess:
        is_json = source.text.lstrip("\ufeff \t\r\n").startswith("{")
        return Guess(0, "it is JSON") if is_json else guess(source)

    return Format(
        name,
        guess_markdown,
        lambda source: read_markdown(source, dialect),
        number,
        lambda tasks: write_markdown(tasks, dialect),
        compare_lines,
        lambda source, changes: change_markdown(source, changes, dialect),
    )
