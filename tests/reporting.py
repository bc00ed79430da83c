"""Findings as tests show them: whole reports, as `planspec check` puts them together, and a line for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planspec_lark import Diagnostic
from planspec_lark.syntax import machine_reports

__all__ = ["to_github", "to_json", "told"]


def told(found: Iterable[Diagnostic]) -> str:
    """Where each finding stands, what it says, and what it offers; how it is drawn is tested once for all."""
    return "".join(f"{_row(one)}\n" for one in found)


def _row(one: Diagnostic) -> str:
    place = f"{one.span.line}:{one.span.column}-{one.span.end_line}:{one.span.end_column}" if one.span else "-"
    says = f"{place} {one.severity.value} {one.code} {one.message}"
    if one.help:
        says += f" | help: {one.help}"
    return says + (f" | {one.fix.title or 'write'}: {one.fix.text!r}" if one.fix else "")


def to_json(found: Sequence[Diagnostic], files: list[str]) -> str:
    """See :func:`planspec_lark.syntax.machine_reports.to_json`."""
    return machine_reports.to_json(
        map(machine_reports.json_item, found), files, machine_reports.count_severities(found)
    )


def to_github(found: Sequence[Diagnostic]) -> str:
    """See :func:`planspec_lark.syntax.machine_reports.github_item`."""
    return "\n".join(map(machine_reports.github_item, found))
