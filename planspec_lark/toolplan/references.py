"""References such as ``${step.outputs.name}`` in texts, and the texts in a value.

The syntax is that of ``grammar/reference.lark``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from attrs import frozen

from planspec_lark.json_text.findings import Path, text_of
from planspec_lark.syntax import grammars

__all__ = ["ReferencePiece", "may_refer", "read_pieces", "texts_in"]

# Of a path that is deeper, only so many levels at either end are kept: paths of all depths would take the square of
# the depth.
_DEEPEST, _KEPT = 100, 26


@frozen
class ReferencePiece:
    """A part of a text.

    Attributes:
        kind: the terminal of the grammar: TEXT, ESCAPED, REFERENCE or MALFORMED.
        text: what it says; a reference, or what looks like one, as it is written.
        start, end: its bounds in the text, the end excluded.
        step, output: of a reference, the step and the output that are meant.
    """

    kind: str
    text: str
    start: int
    end: int
    step: str = ""
    output: str = ""


def read_pieces(text: str) -> list[ReferencePiece]:
    """The pieces of a text in their order, which put together are all of it. Never raises."""
    tokens, paths = _patterns()
    pieces = []
    for match in tokens.finditer(text):
        name = match.lastgroup
        assert name is not None, "each terminal is a group"
        if name != "REFERENCE":
            pieces.append(ReferencePiece(name, match[name], *match.span()))
            continue
        path = paths.fullmatch(match[name])
        assert path is not None, "the grammar has the same path in a reference"
        pieces.append(ReferencePiece(name, match[0], *match.span(), path["STEP"], path["NAME"]))
    return pieces


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Any token, and the inside of a reference."""
    patterns = grammars.regular("reference")
    return patterns.tokens("token"), patterns.pattern("path", groups=("STEP", "NAME"))


def may_refer(value: object) -> bool:
    """Whether a value may have references: it is a text with a dollar sign, or holds other values."""
    return "$" in value if isinstance(value, str) else isinstance(value, dict | list)


def texts_in(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """All texts in a value that have a dollar sign, each with its path; ``path`` is that of the value.

    No recursion on depth, and what is in the value more than once is looked at once. Of a path of more than 100 levels,
    the middle is left out.
    """
    if not may_refer(value):
        return
    if isinstance(value, str):
        yield path, value
        return
    seen = {id(value)}
    steps: list[str | int] = []
    stack = [_items(value)]
    while stack:
        for step, item in stack[-1]:
            if not may_refer(item):
                continue
            if isinstance(item, str):
                yield (*path, *_cut(steps), step), item
            elif id(item) not in seen:
                seen.add(id(item))
                steps.append(step)
                stack.append(_items(item))
                break
        else:
            stack.pop()
            if steps:
                steps.pop()


def _items(value: dict[Any, Any] | list[Any]) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, list):
        return iter(enumerate(value))
    return ((text_of(key), item) for key, item in value.items())


def _cut(steps: list[str | int]) -> list[str | int]:
    return steps if len(steps) <= _DEEPEST else [*steps[:_KEPT], *steps[-_KEPT:]]
