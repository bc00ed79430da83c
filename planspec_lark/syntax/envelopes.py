"""What answers are wrapped in, whatever they hold: JSON values, escapes, the tokens of chat formats.

The patterns are terminals of the dialects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from html import unescape
from typing import Any

from planspec_lark.syntax import grammars
from planspec_lark.syntax.fences import find_fences
from planspec_lark.syntax.source import Remark, Source, find_remarks

__all__ = ["find_beside", "find_json", "iter_strings", "set_aside", "undo_escapes"]

# The dialect with the signs that all languages share.
_SHARED = "planspec_dialect"
# How a JSON value begins that may hold an answer.
_JSON = ("{", "[", '"')


def set_aside(text: str) -> str:
    """A text with white space in place of the tokens of chat formats; as long as before."""
    if "<" not in text and "INST]" not in text:
        return text
    return grammars.pattern(_SHARED, "CHAT_TOKEN").sub(lambda token: " " * len(token[0]), text)


@cache
def _lines_of(language: str, terminal: str) -> re.Pattern[str]:
    return re.compile(grammars.expression(language, terminal), re.MULTILINE)


def undo_escapes(text: str, language: str) -> tuple[str, int, int] | None:
    """A text without escapes of Markdown or HTML, and the bounds of the first; None where no line needs that.

    Lines keep their numbers. ``language`` is the dialect that says which lines are some only without escapes.
    """
    if "&gt;" in text and _lines_of(language, "ENTITY_LINE").search(text):
        entity = grammars.pattern(_SHARED, "ENTITY")
        match, plain = entity.search(text), entity.sub(lambda one: unescape(one[0]), text)
    elif "\\" in text and _lines_of(language, "ESCAPED_LINE").search(text):
        sign = grammars.pattern(_SHARED, "ESCAPED_SIGN")
        match, plain = sign.search(text), sign.sub("", text)
    else:
        return None
    return None if match is None else (plain, *match.span())


def find_json(text: str) -> tuple[Any, int, int]:
    """The JSON value that a text is, or that is its only code block; with the bounds of what holds it.

    Raises:
        ValueError: the text is no JSON value, and its only code block is none.
    """
    start, end, body = 0, len(text), text.strip()
    if not body.startswith(_JSON):
        fences = list(find_fences(text))
        if len(fences) != 1:
            raise ValueError("no JSON")
        start, end = fences[0].start, fences[0].end
        body = text[fences[0].body_start : fences[0].body_end].strip()
    if not body.startswith(_JSON):
        raise ValueError("no JSON")
    try:
        return json.loads(body), start, end
    except RecursionError:
        raise ValueError("too deep") from None


def iter_strings(value: Any) -> Iterator[str]:
    """All strings in a JSON value, in their order; those in the JSON values that are strings of it as well."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str) and one.startswith(_JSON[:2]):
            # The arguments of a call.
            try:
                waiting.append(json.loads(one))
            except (ValueError, RecursionError):
                yield one
        elif isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += reversed(one.values())
        elif isinstance(one, list):
            waiting += reversed(one)


def find_beside(
    source: Source, start: int, end: int, strings: Iterable[str], said: Collection[str]
) -> tuple[Remark, ...]:
    """All text around a JSON value with these bounds, and its strings, but those that were read."""
    rest = (Remark(one, source.span(start, end)) for one in strings if one.strip() and one not in said)
    return (*find_remarks(source, source.text, [(0, start), (end, source.length)]), *rest)
