"""Whole reports of diagnostics, as `planspec check` puts them together."""

from __future__ import annotations

from collections.abc import Sequence

from planspec_lark import Diagnostic
from planspec_lark.syntax import machine_reports

__all__ = ["to_github", "to_json"]


def to_json(found: Sequence[Diagnostic], files: list[str]) -> str:
    """See :func:`planspec_lark.syntax.machine_reports.to_json`."""
    return machine_reports.to_json(
        map(machine_reports.json_item, found), files, machine_reports.count_severities(found)
    )


def to_github(found: Sequence[Diagnostic]) -> str:
    """See :func:`planspec_lark.syntax.machine_reports.github_item`."""
    return "\n".join(map(machine_reports.github_item, found))
