"""A plan as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.html.render import render_page as render_page
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"render": "render_page"})
