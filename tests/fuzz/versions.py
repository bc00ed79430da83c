"""Versions of one text, as far as they are plans: compared and merged."""

from __future__ import annotations

from planspec_lark import PlanSpec, scan_plan, serialize_plan
from tests.diff import promises

__all__ = ["try_versions"]


def try_versions(text: str) -> None:
    """Three versions, each without some lines of the text."""
    versions = [_without(text, which) for which in range(3)]
    base, ours, theirs = versions
    try:
        for version in versions:
            serialize_plan(version)
    except ValueError:
        return
    promises.are_told_apart(ours, theirs)
    promises.take_what_one_side_changed(base, ours)
    promises.come_together(base, ours, theirs)
    promises.work_from_either_side(base, ours, theirs)


def _without(text: str, which: int) -> PlanSpec:
    rows = text.split("\n")
    return scan_plan("\n".join(row for at, row in enumerate(rows) if at % 5 != which)).plan
