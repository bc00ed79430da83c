"""Texts of strangers in HTML and SVG: nothing in them is ever markup, and nothing hides or turns the direction."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.safe_text import cut_columns, one_line, visible

__all__ = ["GLYPHS", "MISSING", "UNUSED", "cut_id", "cut_text", "escape_attribute", "escape_text", "read_template"]

# Beside the colour, a sign of each status.
GLYPHS = {
    PlanStatus.PENDING: "○",
    PlanStatus.ACTIVE: "▶",
    PlanStatus.DONE: "✓",
    PlanStatus.BLOCKED: "!",
    PlanStatus.SKIPPED: "–",
}
# What is said of inputs without a producer, and of outputs without a consumer.
MISSING = "no step produces it"
UNUSED = "no step takes it"


def escape_text(text: str) -> str:
    """A text as it may be between tags and inside a quoted attribute."""
    return escape(visible(text), quote=True)


def escape_attribute(text: str) -> str:
    """The same for an attribute of one line."""
    return escape(one_line(text), quote=True)


def cut_text(text: str, width: int) -> str:
    """A text in one line, cut to ``width`` columns, not yet escaped."""
    return cut_columns(one_line(text[: 4 * width]), width)


def cut_id(step_id: str) -> str:
    """An id as it may be shown: of a very long one, its beginning and its end."""
    return step_id if len(step_id) <= 20 else f"{step_id[:7]}…{step_id[-9:]}"


@cache
def read_template(name: str) -> str:
    """One of the files beside this module."""
    return files("planspec_lark.html").joinpath("templates", name).read_text(encoding="utf-8")
