"""What readers and writers of task lists in JSON share: fields as lines of detail, layouts, and what has changed."""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import evolve

from planspec_lark.exchange.models import Fate, ReportEntry
from planspec_lark.json_text.findings import Path
from planspec_lark.syntax.safe_text import safe_json
from planspec_lark.syntax.source import Source

__all__ = [
    "NOTHING",
    "VALUE_LINE",
    "compare_fields",
    "dump_like",
    "is_lines",
    "load",
    "read_value",
    "spell",
    "value_at",
    "value_line",
]

NOTHING = object()
VALUE_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|\"(?:[^\"\\]|\\.)*\") = (.*)")


def spell(value: Any) -> str:
    """A value as JSON in one line that a plan can hold, and that is safe to show."""
    return safe_json(value).replace("\x7f", "\\u007f")


def value_line(key: str, value: Any) -> str:
    """A field as a line of detail."""
    return f"{key if key.isidentifier() and key.isascii() else spell(key)} = {spell(value)}"


def read_value(line: str) -> tuple[str, Any] | None:
    """The field that a line of detail says; None where it says none."""
    match = VALUE_LINE.fullmatch(line)
    try:
        return match and ((json.loads(match[1]) if match[1].startswith('"') else match[1]), json.loads(match[2]))
    except (ValueError, RecursionError):
        return None


def value_at(value: Any, path: Path) -> Any:
    """What is at a path; ``NOTHING`` where nothing is."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return NOTHING
    return value


def dump_like(value: Any, like: str) -> str:
    """JSON laid out like another one."""
    indent = re.search(r"\n([ \t]+)\S", like)
    is_ascii = like.isascii() and "\\u" in like
    tight = None if indent or '": ' in like else (",", ":")
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent[1] if indent else None, separators=tight)
    return text + like[len(like.rstrip()) :]


def compare_fields(entries: list[tuple[Fate, ReportEntry]], source: Source, exported: str) -> bool:
    """Note down what an export writes in place of each field; returns whether it is not the same anywhere."""
    ours, theirs = load(source.text), load(exported)
    differs = False
    for at, (fate, entry) in enumerate(entries):
        if entry.keys is None or fate is Fate.LEFT_OUT:
            differs = True
            continue
        here, there = value_at(ours, entry.keys), value_at(theirs, entry.keys)
        if entry.keys[-1:] != ("subtasks",) and here != there:
            entries[at] = fate, evolve(entry, written="" if there is NOTHING else spell(there))
            differs = True
    return differs or ours != theirs


def load(text: str) -> Any:
    """JSON, or a list of the values of JSON Lines."""
    text = text.removeprefix("\ufeff")
    if is_lines(text):
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return json.loads(text)


_LINES = re.compile(r"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")


def is_lines(text: str) -> bool:
    """Whether a text looks like JSON Lines."""
    return _LINES.match(text) is not None
