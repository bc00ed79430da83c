"""A plan whose signs are escaped as text: ``\\#`` and ``1\\.`` in Markdown, ``-&gt;`` in HTML."""

from __future__ import annotations

import re

from planspec_lark.planspec.models import STEP_TYPES

__all__ = ["undo_escapes"]

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
