"""A plan that is in a quote, as mails and Markdown write it: with ``>`` before each of its lines."""

from __future__ import annotations

import re

from planspec_lark.planspec.scan import scan_plan
from planspec_lark.syntax.limits import Limits, find_excess

__all__ = ["find_in_quote"]

# Lines that follow each other, each with the sign of a quote.
_QUOTE = re.compile(r"^(?:[ \t]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_SIGN = re.compile(r"^[ \t]{0,3}> ?", re.MULTILINE)
# Quotes that are looked at.
_TRIED = 5


def find_in_quote(text: str, limits: Limits, *, default_type: str = "") -> tuple[str, int, int] | None:
    """The text without the signs of the one quote in it that holds a plan with steps, and the bounds of the quote.

    The bounds are those in the text as it was; lines keep their numbers. None where there is no such quote, or several.
    """
    if find_excess(text, "", limits):
        return None
    found = []
    for match in [*_QUOTE.finditer(text)][:_TRIED]:
        said = _SIGN.sub("", match[0])
        whole = f"{text[: match.start()]}{said}{text[match.end() :]}"
        if all(scan_plan(one, default_type=default_type, limits=limits).plan.steps for one in (said, whole)):
            found.append((whole, *match.span()))
    return found[0] if len(found) == 1 else None
