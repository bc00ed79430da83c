"""What tool plans become in a PlanSpec document: names of variables, and detail lines for what it has no fields for.

A line is a label, a name where the label has one, and a value: a plain word, or JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import frozen

from planspec_lark.syntax.safe_text import safe_json

__all__ = ["Note", "output_of", "read_note", "variable_of", "write_note"]

_WORD = r"[\w./-]+"
_STRING = r'"(?:[^"\\]|\\.)*+"'
_LINE = re.compile(
    rf"(?P<label>Atom|Depends on|Input|Output|Step|Target)(?: (?P<name>{_WORD}|{_STRING}))?: (?P<value>.*)"
)
# What people and programs alike would take for something else than a text.
_NO_WORDS = frozenset({"true", "false", "null", "NaN", "Infinity"})
_NO_VARIABLE = re.compile(r"[^A-Za-z0-9_]+")
_IS_WORD = re.compile(r"(?=[^\W\d])" + _WORD)


@frozen
class Note:
    """A line of this kind."""

    label: str
    name: str | None
    value: Any


def write_note(label: str, value: Any, name: str | None = None) -> str | None:
    """A line that says this, safe to show; None where JSON cannot say it."""
    head = label if name is None else f"{label} {name if re.fullmatch(_WORD, name) else safe_json(name)}"
    try:
        return f"{head}: {value if _is_word(value) else safe_json(value)}"
    except (TypeError, ValueError, RecursionError):
        return None


def read_note(line: str) -> Note | None:
    """What a line says, if it is one of these."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    try:
        name, said = match["name"], match["value"]
        value = said if _is_word(said) else json.loads(said)
        return Note(match["label"], json.loads(name) if name is not None and name.startswith('"') else name, value)
    except (ValueError, RecursionError):
        return None


def variable_of(step: str, output: str) -> str:
    """The variable for an output of a step: both names, with `_` for what no variable may have."""
    return f"{_prefix(step)}{_NO_VARIABLE.sub('_', output)}"


def output_of(step: str, variable: str) -> str:
    """The output of a step that a variable is for, as far as it can be seen from their names."""
    return variable.removeprefix(_prefix(step)) or variable


def _prefix(step: str) -> str:
    words = _NO_VARIABLE.sub("_", step)
    return f"{words}_" if words[:1].isalpha() else f"step_{words}_"


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value not in _NO_WORDS and _IS_WORD.fullmatch(value) is not None
