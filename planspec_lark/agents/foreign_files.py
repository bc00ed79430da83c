"""Edits of files that others wrote: what is put in is one piece, and all around it stays byte by byte.

JSON is never written as a whole. The reader of JSON texts says where everything is, and a member or an item is inserted
there. Comments and commas too many, which some programs allow in their settings, are left alone.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import getitem
from typing import Any

from planspec_lark.json_text import JsonText, read_json
from planspec_lark.json_text.models import Path
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.limits import Limits

__all__ = [
    "SetupError",
    "block_of",
    "cut_out",
    "decode_file",
    "drop_block",
    "drop_entry",
    "find_block",
    "insert_block",
    "insert_entry",
    "read_settings",
    "read_toml",
]

# Comments, and a comma after which nothing follows.
_ALLOWED = frozenset({"PJ117", "PJ112"})
_LIMITS = Limits(max_bytes=5_000_000, max_depth=64, max_findings=None)
_BEGIN, _END = "planspec:begin", "planspec:end"
# A comma, and white space and comments before it.
_COMMA = re.compile(r"(?:[ \t\r\n]|//[^\n]*+|(?>/\*(?s:.*?)\*/))*+,")
# How a line is marked as a comment in a kind of file: before it, after it.
_COMMENTS = {"md": ("<!-- ", " -->"), "toml": ("# ", "")}


class SetupError(PlanSpecError):
    """A file that cannot be edited; the text is a sentence that is safe to show.

    Attributes:
        is_named: whether it names the file.
    """

    def __init__(self, message: str, *, is_named: bool = False) -> None:
        super().__init__(message)
        self.is_named = is_named


def decode_file(data: bytes) -> str:
    """The text of a file.

    Raises:
        SetupError: it is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise SetupError("this is not UTF-8") from None


def cut_out(text: str, piece: str) -> str | None:
    """The text without a piece of it; None where it is not there."""
    before, found, behind = text.partition(piece)
    return before + behind if found else None


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# ---------------------------------------------------------------- marked blocks


def block_of(body: str, kind: str, line_break: str = "\n") -> str:
    """Lines between two marks, which are comments in a file of this kind: "md" or "toml"."""
    before, behind = _COMMENTS[kind]
    rows = [f"{before}{_BEGIN}{behind}", *body.splitlines(), f"{before}{_END}{behind}", ""]
    return line_break.join(rows)


def find_block(text: str, kind: str) -> str:
    """The block in a text, with its marks and line breaks as they are; empty where there is none.

    Raises:
        SetupError: there is one mark without the other, or more than one block.
    """
    before, behind = map(re.escape, _COMMENTS[kind])
    # It may be the first line, after a byte-order mark.
    found = [
        [match.span(1) for match in re.finditer(rf"^\ufeff?({before}{mark}{behind}[ \t]*(?:\r?\n|\Z))", text, re.M)]
        for mark in (_BEGIN, _END)
    ]
    if found == [[], []]:
        return ""
    begins, ends = found
    if len(begins) != 1 or len(ends) != 1 or begins > ends:
        raise SetupError(f"the marks {_BEGIN} and {_END} do not stand around one block")
    return text[begins[0][0] : ends[0][1]]


def insert_block(text: str, body: str, kind: str) -> tuple[str, str]:
    """A text with a block at its end, and what was put in for that."""
    line_break = _line_break(text)
    bare = text.removeprefix("\ufeff")
    # A blank line is before it.
    lead = "" if not bare else line_break if bare.endswith("\n") else 2 * line_break
    piece = lead + block_of(body, kind, line_break)
    return text + piece, piece


def drop_block(text: str, kind: str) -> str:
    """A text without its block, and without the blank line before it."""
    block = find_block(text, kind)
    if not block:
        return text
    before, _, behind = text.partition(block)
    return re.sub(r"(\A|(?<=\n))\r?\n\Z", "", before) + behind


def read_toml(text: str) -> dict[str, Any]:
    """What a TOML text says.

    Raises:
        SetupError: it is not TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise SetupError(f"this is not TOML: {error}") from None


# ---------------------------------------------------------------- JSON


def read_settings(text: str) -> JsonText:
    """A JSON text with an object, which may have comments and commas too many.

    Raises:
        SetupError: it is not JSON.
    """
    read = read_json(text, limits=_LIMITS)
    fault = next((one for one in read.diagnostics if one.code not in _ALLOWED), None)
    if fault is not None:
        raise SetupError(f"this is not JSON: line {fault.line}: {fault.message}")
    return read


def insert_entry(text: str, path: Path, value: Any) -> tuple[str, str]:
    """A JSON text with one more member or item, and what was put in for that.

    Args:
        text: JSON with an object.
        path: where to. Its last step is the key of the member, which is not there yet, or "" for an item at the end of
            a list. Objects on the way that are not there are made, and for an item the list.
        value: what is put there.

    Raises:
        SetupError: the text is not JSON, or has something else on the way.
    """
    read = read_settings(text)
    known = _known(read.value, path)
    for step in reversed(path[len(known) + 1 :]):
        value = [value] if step == "" else {step: value}
    return _insert(text, read, known, path[len(known)], value)


def _known(value: Any, path: Path) -> Path:
    """As much of the way as is there, but for the last step."""
    for depth, step in enumerate(path):
        wanted, name = (list, "a list") if step == "" else (dict, "an object")
        is_fitting = isinstance(value, wanted)
        if not is_fitting:
            raise SetupError(f"`{'.'.join(map(str, path[:depth]))}` is not {name}")
        if depth == len(path) - 1 or step not in value:
            return path[:depth]
        value = value[step]
    raise AssertionError("a path has a step")


def _insert(text: str, read: JsonText, path: Path, key: str | int, value: Any) -> tuple[str, str]:
    steps = _steps_of(reduce(getitem, path, read.value))
    bounds = read.span(path)
    line_break, unit = _line_break(text), _indent_unit(text)
    outer = _indent_at(text, bounds.start)
    written = json.dumps(value, indent=unit, ensure_ascii=False)
    if key != "":
        written = f"{json.dumps(key, ensure_ascii=False)}: {written}"
    start = line_break + outer + unit
    entry = start + written.replace("\n", start)
    close = bounds.end - 1
    if not steps:
        # After the bracket, and what may be inside follows.
        has_lines = "\n" in text[bounds.start : close]
        at, piece = bounds.start + 1, entry + ("" if has_lines else line_break + outer)
    elif text[(end := read.span([*path, steps[-1]]).end) : close].strip(" \t\r\n"):
        # A comment may belong to the last one, and there may be a comma after it.
        at, piece = bounds.start + 1, entry + ","
    elif key == "" and "\n" not in text[bounds.start : close]:
        # A list in one line stays in one line.
        at, piece = end, f", {json.dumps(value, ensure_ascii=False)}"
    else:
        at, piece = end, "," + entry
    return text[:at] + piece + text[at:], piece


def _steps_of(container: Any) -> Sequence[str | int]:
    return list(container) if isinstance(container, dict) else range(len(container))


def _indent_unit(text: str) -> str:
    match = re.search(r"^([ \t]+)[^\s]", text, re.MULTILINE)
    return match[1] if match else "  "


def _indent_at(text: str, at: int) -> str:
    """The white space before the line in which a character is."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def drop_entry(text: str, path: Path) -> str:
    """A JSON text without a member or an item that is there, and without what holds nothing else."""
    read = read_settings(text)
    values = [*accumulate(path, getitem, initial=read.value)]
    while len(path) > 1 and len(values[-2]) == 1:
        path, values = path[:-1], values[:-1]
    steps = _steps_of(values[-2])
    index = steps.index(path[-1])
    start, end = read.key_span(path).start, read.span(path).end
    kept = text[:start].rstrip(" \t\r\n")
    if "//" in kept.rpartition("\n")[2]:
        # Without a line break, what follows would become part of that comment.
        kept += _line_break(text)
    comma = _COMMA.match(text, end)
    if comma is not None:
        return kept + text[end : comma.end() - 1] + text[comma.end() :]
    if index:
        # The one before it is one too many then.
        comma = _COMMA.match(text, read.span([*path[:-1], steps[index - 1]]).end)
        assert comma is not None
        return kept[: comma.end() - 1] + kept[comma.end() :] + text[end:]
    return kept + text[end:]
