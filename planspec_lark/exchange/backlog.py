"""Backlog.md's task files: a title in front matter, and acceptance criteria as boxes with numbers such as `#1`."""

from __future__ import annotations

import re

from attrs import evolve

from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.dialect import Dialect
from planspec_lark.exchange.formats import Guess
from planspec_lark.exchange.markdown import markdown_format, read_markdown
from planspec_lark.exchange.models import Task, TaskReading
from planspec_lark.exchange.numbers import number_by_place, split_id
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n(?P<fields>(?:(?!---)[^\n]*\n){1,200}?)---[ \t]*(?:\r?\n|$)")
_TITLE = re.compile(r"^title:[ \t]*+(?P<quote>['\"]?)(?P<title>[^\n]*?)(?P=quote)[ \t]*\r?$", re.MULTILINE)
_ID = re.compile(r"^id:[ \t]*\S", re.MULTILINE)
_STATUS = re.compile(r"^status:[ \t]*\S", re.MULTILINE)
_NUMBER = re.compile(r"#([0-9]{1,9})\s+")


def _split(text: str, is_heading: bool) -> tuple[str, str]:
    return ("", text) if is_heading else split_id(_NUMBER, text)


def _join(task: Task, is_heading: bool) -> str:
    return task.text if is_heading or not task.id else f"#{task.id} {task.text}"


def _is_told(_heading: str) -> bool:
    # Notes and plans in words are sections of their own.
    return True


def _guess(source: Source) -> Guess:
    head = _HEAD.match(source.text)
    is_one = head is not None and all(one.search(head["fields"]) for one in (_ID, _TITLE, _STATUS))
    return Guess(91, "its front matter has an id, a title and a status") if is_one else Guess(0, "it has none of these")


def _read(source: Source, choice: int) -> TaskReading:
    reading = read_markdown(source, _DIALECT, choice)
    head = _HEAD.match(source.text)
    if head is not None and not reading.tasks.title and (title := _TITLE.search(head["fields"])):
        reading.tasks.title = plain_text(title["title"])
    return reading


_DIALECT = Dialect(split=_split, join=_join, is_told=_is_told, level=2)
FORMAT = evolve(markdown_format("backlog", _DIALECT, _guess, number_by_place), read=_read)
