"""OpenSpec's `tasks.md`: numbered headings, and below them check boxes with numbers such as `1.1`."""

from __future__ import annotations

import re

from planspec_lark.exchange.dialect import Dialect
from planspec_lark.exchange.formats import share_of
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.exchange.numbers import NUMBER, number_by_place, write_number
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_HEADING = re.compile(r"([0-9]+(?:\.[0-9]+)*)(?:\.(?=\s|$)|(?<=\.[0-9])(?=\s))\s*")

_TASK = re.compile(r"^[ \t]*- \[[ xX]\] [0-9]+(?:\.[0-9]+)+ ", re.MULTILINE)
_GROUP = re.compile(r"^#{2,3} [0-9]+\. ", re.MULTILINE)


_DIALECT = Dialect(lead=NUMBER, heading_lead=_HEADING, write_id=write_number, level=2)


def _guess(source: Source) -> int:
    share = share_of(_TASK, source)
    if share >= 1 / 3 and _GROUP.search(source.text):
        return 75 if share >= 2 / 3 else 60
    if share < 2 / 3:
        return 15 if share else 0
    return 35


FORMAT = markdown_format("openspec", _DIALECT, _guess, number_by_place)
