"""Texts of strangers as they may be shown: nothing in them steers a terminal, hides text, or takes too much room."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

__all__ = ["columns", "cut_columns", "escape_json", "one_line", "safe_json", "visible", "visible_name"]

# C0 and C1 controls, DEL; soft hyphen and other characters without width; marks of writing direction; line and
# paragraph separators; lone surrogates; tags. Joiners and variation selectors stay: emoji are made of them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(match: re.Match[str]) -> str:
    if match[0] in "\r\n\t":
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def visible(text: str) -> str:
    """``text`` with every character that could steer a terminal or hide text written as an escape.

    That is: C0 (tab and line feed stay) and C1 controls, DEL, line and paragraph separators, marks that turn the
    writing direction, characters without width (but for joiners and variation selectors), lone surrogates.
    """
    # Most of what is shown is printable, which is seen sooner than found. Of what is not safe, only the joiner of
    # graphemes is printable.
    return text if text.isprintable() and "\u034f" not in text else _UNSAFE.sub(_escape, text)


# What breaks lines or fills them.
_SPACE = re.compile(r"[\x09-\x0d\x1c-\x20\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """Any text as one line, for fields that hold a line: ``step.result = one_line(answer)``.

    Line breaks and the white space around them become one space, white space at both ends goes, and whatever could
    steer a terminal or hide text is written as an escape (``\\x1b``), as :func:`visible` does.
    """
    return visible(_SPACE.sub(" ", text)).strip(" ")


def visible_name(name: str) -> str:
    """The name of a file as :func:`visible` shows it, and in one line."""
    return visible(name).replace("\n", "\\n").replace("\t", "\\t")


def escape_json(encoded: str) -> str:
    """JSON text with the same characters written as escapes of JSON, so that it means the same and is safe to show."""
    return _UNSAFE.sub(_escape_in_json, encoded)


def safe_json(value: object, **how: Any) -> str:
    """A value as JSON in any script that is safe to show; ``how`` is for :func:`json.dumps`."""
    return escape_json(json.dumps(value, ensure_ascii=False, **how))


def columns(text: str) -> int:
    """How many columns a text takes on a terminal; a tab counts as one."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut_columns(text: str, most: int) -> str:
    """A text, or its beginning and an ellipsis, in at most ``most`` columns."""
    if columns(text) <= most:
        return text
    used = 1
    kept = next(at for at, char in enumerate(text) if (used := used + _width(char)) > most)
    return f"{text[:kept].rstrip(' ')}…"


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
