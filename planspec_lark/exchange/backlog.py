"""Backlog.md's task files: a title in front matter, and acceptance criteria as boxes with numbers such as `#1`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve

from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.dialect import Dialect
from planspec_lark.exchange.formats import FRONT_MATTER, Guess
from planspec_lark.exchange.markdown import markdown_format, read_markdown
from planspec_lark.exchange.models import TaskReading
from planspec_lark.exchange.numbers import number_by_place
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_TITLE = re.compile(r"^title:[ \t]*+(?P<quote>['\"]?)(?P<title>[^\n]*?)(?P=quote)[ \t]*\r?$", re.MULTILINE)
_ID = re.compile(r"^id:[ \t]*\S", re.MULTILINE)
_STATUS = re.compile(r"^status:[ \t]*\S", re.MULTILINE)
_NUMBER = re.compile(r"#([0-9]{1,9})\s+")


def _guess(source: Source) -> Guess:
    head = FRONT_MATTER.match(source.text)
    is_one = head is not None and all(one.search(head["fields"]) for one in (_ID, _TITLE, _STATUS))
    return Guess(91, "its front matter has an id, a title and a status") if is_one else Guess(0, "it has none of these")


def _read(source: Source, choice: int, elsewhere: Sequence[str]) -> TaskReading:
    reading = read_markdown(source, _DIALECT, choice, elsewhere)
    head = FRONT_MATTER.match(source.text)
    if head is not None and not reading.tasks.title and (title := _TITLE.search(head["fields"])):
        reading.tasks.title = plain_text(title["title"])
    return reading


_DIALECT = Dialect(lead=_NUMBER, write_id="#{}".format, level=2)
FORMAT = evolve(markdown_format("backlog", _DIALECT, _guess, number_by_place), read=_read)
