"""Markdown check lists and numbered lists: GitHub's task lists, with headings as containers."""

from __future__ import annotations

import re

from planspec_lark.exchange.dialect import Dialect
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_DIALECT = Dialect(
    boxes={
        PlanStatus.PENDING: " ",
        PlanStatus.DONE: "x",
        PlanStatus.ACTIVE: "/",
        PlanStatus.SKIPPED: "-",
        PlanStatus.BLOCKED: "!",
    }
)
_TASK = re.compile(r"^[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[[ \t]{0,9}[xX]?[ \t]{0,9}\](?:[ \t]|\r?$)", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\S", re.MULTILINE)


def _guess(source: Source) -> int:
    if _TASK.search(source.text):
        return 30
    return 10 if _ITEM.search(source.text) else 0


FORMAT = markdown_format("checklist", _DIALECT, _guess)
