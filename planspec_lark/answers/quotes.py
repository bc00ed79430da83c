"""A plan that is quoted, as mails and Markdown do it, or escaped as text.

In a quote, ``>`` comes before each line. Escaped are signs: ``\\#`` and ``1\\.`` in Markdown, ``-&gt;`` in HTML.
"""

from __future__ import annotations

import re

from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.planspec.scan import scan_plan
from planspec_lark.syntax.limits import Limits, find_excess

__all__ = ["find_in_quote", "undo_escapes"]

# Lines that follow each other, each with the sign of a quote.
_QUOTE = re.compile(r"^(?:[ \t]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_SIGN = re.compile(r"^[ \t]{0,3}> ?", re.MULTILINE)
# Quotes that are looked at.
_TRIED = 5

# Lines that no plan has, and that mean a plan's without their escapes.
_MARKDOWN = re.compile(
    r"^[ \t]*(?:\\[#>]|[0-9]+(?:\.[0-9]+)*(?:\\\.|\.?[ \t]+(?:\\?\[[ x]\\?\][ \t]+)?"
    rf"\\\[(?:{'|'.join(STEP_TYPES)})\\?\]))",
    re.MULTILINE,
)
_HTML = re.compile(r"^[ \t]*&gt;|[-=]&gt;[ \t]*[A-Za-z_]\w*+(?:,[ \t]*[A-Za-z_]\w*+)*[ \t\r]*$", re.MULTILINE)
# A bar is escaped in plans as well.
_ESCAPED = re.compile(r"\\(?=[#>*_\[\]().+`~-])")
_ENTITY = re.compile(r"&(?:gt|lt|amp|quot|#39|nbsp);")
_MEANT = {"&gt;": ">", "&lt;": "<", "&amp;": "&", "&quot;": '"', "&#39;": "'", "&nbsp;": "\xa0"}


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


def undo_escapes(text: str) -> tuple[str, int, int] | None:
    """The text without escapes, and the bounds of the first one in it; None where signs are not escaped, or twice.

    Lines keep their numbers.
    """
    if "&gt;" in text and _HTML.search(text):
        match = _ENTITY.search(text)
        plain = _ENTITY.sub(lambda entity: _MEANT[entity[0]], text)
    elif "\\" in text and _MARKDOWN.search(text):
        match = _ESCAPED.search(text)
        plain = _ESCAPED.sub("", text)
    else:
        return None
    is_left = _HTML.search(plain) is not None or _MARKDOWN.search(plain) is not None
    return None if match is None or is_left else (plain, *match.span())
