"""What the documentation says of each code: an explanation, and texts that cause it and that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["explanation"]

_PACKAGE = Path(__file__).parents[1]
_HEADING = re.compile(r"#{1,3} ")
_OF_CODE = re.compile(r"### (?P<code>[A-Z]{2}\d{3}) ")


def explanation(code: str) -> str:
    """The section about a code, in Markdown, without its heading; it begins with severity and summary.

    Raises:
        KeyError: there is no such code.
    """
    return _sections()[code]


@cache
def _sections() -> dict[str, str]:
    """Inside an installed package, or at a checkout's top level."""
    inside = _PACKAGE / "explanations"
    folder = inside if inside.is_dir() else _PACKAGE.parent / "docs" / "reference" / "codes"
    return {code: text for page in folder.glob("*.md") for code, text in _sections_of(page.read_text(encoding="utf-8"))}


def _sections_of(page: str) -> Iterator[tuple[str, str]]:
    code = fence = ""
    rows: list[str] = []
    for row in [*page.split("\n"), "# "]:
        # What looks like a heading in a block of code is a line of a plan.
        if ticks := re.match("`{3,}", row):
            fence = "" if row == fence else fence or ticks[0]
        if not fence and _HEADING.match(row):
            if code:
                yield code, "\n".join(rows).strip("\n") + "\n"
            heading = _OF_CODE.match(row)
            code = heading["code"] if heading else ""
            rows = []
        else:
            rows.append(row)
