"""What readers and writers of task lists in JSON share: fields as lines of detail, layouts, and what has changed."""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import evolve

from planspec_lark.exchange.models import Fate, ReportEntry
from planspec_lark.json_text import read_json
from planspec_lark.json_text.findings import Path
from planspec_lark.syntax.diagnostics import Edit, apply_edits
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.safe_text import safe_json
from planspec_lark.syntax.source import Source

__all__ = [
    "LIMITS",
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
    "write_changes",
]

LIMITS = Limits(max_depth=64)
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


def write_changes(text: str, value: Any) -> tuple[str, list[str]]:
    """A text in JSON as it says another value, and what is lost by that.

    Where it is not laid out as a program does it, what has changed is written in its place, as far as it has one.
    """
    mark = "\ufeff" * text.startswith("\ufeff")
    bare = text.removeprefix(mark)
    was = json.loads(bare)
    is_even = dump_like(was, bare) == bare
    paths = None if is_even else _find_changed(was, value)
    if paths is None:
        return mark + dump_like(value, bare), [] if is_even else ["the file gets a new layout"]
    read = read_json(bare, limits=LIMITS, allow_list=True)
    is_ascii = bare.isascii() and "\\u" in bare
    edits = [Edit(read.span(path), json.dumps(value_at(value, path), ensure_ascii=is_ascii)) for path in paths]
    return mark + apply_edits(bare, edits), []


def _find_changed(was: Any, now: Any) -> list[Path] | None:
    """Where one value has another text or number than the other; None where they differ in more than that."""
    found: list[Path] = []
    waiting: list[tuple[Path, Any, Any]] = [((), was, now)]
    while waiting:
        path, one, other = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict) and [*one] == [*other]:
            waiting += (((*path, key), below, other[key]) for key, below in one.items())
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            waiting += (((*path, at), below, other[at]) for at, below in enumerate(one))
        elif isinstance(one, dict | list) or isinstance(other, dict | list):
            return None
        elif one != other:
            found.append(path)
    return found


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
