"""Marks: what the end of a plan's description says of a HopSpec step that a plan has no place for.

``Clean the data (hop: think, v1 = 原始数据)`` belongs to a step that is worked out while it runs, and one of whose
variables has a name that no plan can hold. A description of HopSpec that ends just like that is followed by an empty
mark, ``(hop:)``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from attrs import field, frozen

from planspec_lark.planspec.fields import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import escape_json

__all__ = ["Mark", "drop_empty_mark", "is_variable", "split_mark"]

_EMPTY = "(hop:)"
_NAMING = re.compile(r'([A-Za-z_][A-Za-z0-9_]*) = (\w+|"(?:[^"\\]|\\.)*")(?:, |\))')


@frozen
class Mark:
    """What a mark says.

    Attributes:
        is_think: whether the step has the expand mode ``think``.
        originals: HopSpec's name of each variable, by the plan's name for it.
    """

    is_think: bool = False
    originals: Mapping[str, str] = field(factory=dict)

    def put_behind(self, text: str) -> str:
        """A description with this mark; one that says nothing says that the text's own end is no mark."""
        items = ["think"] if self.is_think else []
        items += [f"{name} = {_quote(original)}" for name, original in self.originals.items()]
        return " ".join([text] * bool(text) + [f"(hop: {', '.join(items)})" if items else _EMPTY])


def is_variable(name: str) -> bool:
    """Whether a plan can hold a variable of this name."""
    return grammars.pattern("planspec", "VARIABLE").fullmatch(name) is not None


def split_mark(description: str) -> tuple[str, Mark] | None:
    """A description and the mark at its end; None where there is none, or only an empty one."""
    # No mark has this inside it: a bracket in a name is written as an escape.
    at = description.rfind("(hop: ")
    if at < 0:
        return None
    mark = _read(description, at)
    text = description[:at].removesuffix(" ")
    # What is not written just as the converter writes it was not written by it.
    is_mark = mark is not None and text == text.rstrip(BLANKS) and mark.put_behind(text) == description
    return (text, mark) if mark is not None and is_mark else None


def drop_empty_mark(description: str) -> tuple[str, str] | None:
    """A description without the empty mark at its end, and without all of them; None where there is none."""
    end = len(description)
    while description.endswith(f" {_EMPTY}", 0, end):
        end -= len(_EMPTY) + 1
    return None if end == len(description) else (description[: -len(_EMPTY) - 1], description[:end])


def _read(text: str, at: int) -> Mark | None:
    """The mark that starts there and ends the text."""
    at += len("(hop: ")
    # A variable may have that name.
    is_think = text.startswith(("think, ", "think)"), at)
    if is_think:
        at += len("think, ")
    originals: dict[str, str] = {}
    while at < len(text):
        item = _NAMING.match(text, at)
        original = None if item is None else _unquote(item[2])
        if item is None or original is None or is_variable(original):
            return None
        originals[item[1]] = original
        at = item.end()
    return Mark(is_think, originals)


def _quote(original: str) -> str:
    if re.fullmatch(r"\w+", original):
        return original
    return escape_json(json.dumps(original, ensure_ascii=False)).replace("(", "\\u0028")


def _unquote(written: str) -> str | None:
    if not written.startswith('"'):
        return written
    try:
        value = json.loads(written)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
