"""Marks: what the end of a plan's description says of a HopSpec step that a plan has no place for.

``Clean the data (hop: think, v1 = 原始数据)`` belongs to a step that is worked out while it runs, and one of whose
variables has a name that no plan can hold. A description of HopSpec that ends just like that is followed by an empty
mark, ``(hop:)``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set

from attrs import field, frozen

from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.safe_text import safe_json

__all__ = ["Mark", "is_variable", "read_mark", "write_mark"]

_START, _EMPTY = "(hop: ", "(hop:)"
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


def read_mark(description: str, step_type: str, variables: Set[str]) -> tuple[str, Mark]:
    """What the description of a step says without the mark at its end, and that mark; one that says nothing if none.

    Args:
        description: of a step of a plan.
        step_type: its type.
        variables: those of the plan; no mark names others.
    """
    bare = _drop_empty(description)
    found = _find(bare, step_type, variables)
    if found is not None and bare != description:
        # An empty mark says that what comes before it is not a mark; elsewhere it is text itself.
        return description.removesuffix(f" {_EMPTY}"), Mark()
    return found or (description, Mark())


def write_mark(text: str, mark: Mark, step_type: str, variables: Set[str]) -> str:
    """The description of a step that is read back as this text and this mark."""
    looks_marked = _find(_drop_empty(text), step_type, variables) is not None
    return mark.put_behind(text) if mark != Mark() or looks_marked else text


def _drop_empty(description: str) -> str:
    """A description without the empty marks at its end."""
    end = len(description)
    while description.endswith(f" {_EMPTY}", 0, end):
        end -= len(_EMPTY) + 1
    return description[:end]


def _find(description: str, step_type: str, variables: Set[str]) -> tuple[str, Mark] | None:
    """A description and the mark at its end, if there is one."""
    # No mark has this inside it: a bracket in a name is written as an escape.
    start = description.rfind(_START)
    if start < 0:
        return None
    text = description[:start].removesuffix(" ")
    at = start + len(_START)
    # A variable may have that name.
    is_think = description.startswith(("think, ", "think)"), at)
    if is_think:
        at += len("think, ")
    originals: dict[str, str] = {}
    while item := _NAMING.match(description, at):
        originals[item[1]] = _unquote(item[2])
        at = item.end()
    mark = Mark(is_think, originals)
    # What is not written just as the converter writes it was not written by it.
    is_own = text == text.rstrip(BLANKS) and mark.put_behind(text) == description
    is_possible = variables >= originals.keys() and not any(map(is_variable, originals.values()))
    return (text, mark) if is_own and is_possible and (step_type == "subtask" or not is_think) else None


def _quote(original: str) -> str:
    return original if re.fullmatch(r"\w+", original) else safe_json(original).replace("(", "\\u0028")


def _unquote(written: str) -> str:
    try:
        return str(json.loads(written)) if written.startswith('"') else written
    except ValueError:
        return written
