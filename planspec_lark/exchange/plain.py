"""Plain Markdown, as of a model that was told no format: headings, lists, tables and lines in bold, as they come."""

from __future__ import annotations

from planspec_lark.exchange.dialect import Dialect
from planspec_lark.exchange.formats import Guess
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]


def _guess(source: Source) -> Guess:
    del source
    return Guess(0, "it has to be asked for")


FORMAT = markdown_format("markdown", Dialect(is_free=True), _guess)
