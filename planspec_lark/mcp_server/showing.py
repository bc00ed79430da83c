"""Answers of tools as text, which says all that the structured answer says.

Some clients show a model the one, some the other.
"""

from __future__ import annotations

from collections.abc import Iterable

from planspec_lark.mcp_server.models import (
    Applied,
    Created,
    Finding,
    Listed,
    PlanSummary,
    Progress,
    View,
)
from planspec_lark.syntax.diagnostics import Diagnostic, shorten
from planspec_lark.syntax.source import visible

__all__ = [
    "say_progress",
    "show_applied",
    "show_created",
    "show_list",
    "show_view",
    "to_findings",
]


def say_progress(progress: Progress) -> str:
    """How far a plan is: `12 steps: 2 done, 1 active, 9 pending`."""
    counts = progress.model_dump()
    total = counts.pop("total")
    listed = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return f"{total} step{'' if total == 1 else 's'}: {listed}" if total else "no steps"


def show_list(listed: Listed) -> str:
    """A list of plans, a paragraph each."""
    if not listed.total:
        return "There are no plans in this folder. create_plan makes one.\n"
    rows = [_show_summary(one) for one in listed.plans]
    if listed.next_cursor:
        rows.append(f"There are {listed.total} plans in all; for those behind these, cursor: {listed.next_cursor}\n")
    return "\n".join(rows)


def _show_summary(plan: PlanSummary) -> str:
    rows = [f"{plan.name}: {plan.title}" if plan.title else plan.name]
    if plan.goal:
        rows.append(f"  goal: {plan.goal}")
    if plan.progress is not None:
        rows.append(f"  progress: {say_progress(plan.progress)}{_finished(plan.progress, plan.is_finished)}")
    if plan.fault:
        rows.append(f"  fault: {plan.fault}")
    return visible("\n".join([*rows, ""]))


def _finished(progress: Progress, is_finished: bool) -> str:
    return "; nothing is left to do" if is_finished and progress.total else ""


def show_view(view: View) -> str:
    """A view with what belongs to it."""
    rows = [
        f"plan: {view.name}",
        f"digest: {view.digest}",
        *_standing(view.progress, view.is_finished, view.next_step),
        *([] if view.is_complete else ["Parts are left out for want of room, each where it says so with `…`."]),
        "",
        view.text,
    ]
    return "\n".join(rows)


def _standing(progress: Progress, is_finished: bool, next_step: str) -> list[str]:
    """Where a plan stands, in lines."""
    rows = [f"progress: {say_progress(progress)}{_finished(progress, is_finished)}"]
    return [*rows, f"next step: {visible(next_step)}"] if next_step else rows


def show_applied(applied: Applied) -> str:
    """What became of commands, and where the plan stands."""
    rows = [f"{'ok' if one.done else one.code}: {one.message}" for one in applied.reports]
    if applied.not_listed:
        rows.append(f"and {applied.not_listed} more")
    if not applied.applied:
        rows.append("Nothing was changed: one of them was refused, and it is all of them or none.")
    elif not applied.changed and not applied.archived:
        rows.append("The plan's text is the same as before.")
    rows += [f"digest: {applied.digest}", *_standing(applied.progress, applied.is_finished, applied.next_step)]
    return visible("\n".join([*rows, ""]))


def show_created(created: Created) -> str:
    """That there is a new plan."""
    rows = [f"Created the plan {created.name}: {created.uri}", f"digest: {created.digest}"]
    return visible("\n".join([*rows, *_standing(created.progress, False, created.next_step), ""]))


def to_findings(found: Iterable[Diagnostic]) -> list[Finding]:
    """Findings as the structured answer has them."""
    return [
        Finding(
            severity=one.severity.value,
            code=one.code,
            message=shorten(visible(one.said)),
            line=one.line,
            column=one.column,
            step_id=shorten(visible(one.step_id)),
            help=shorten(visible(one.help)),
            write=None if one.fix is None or one.fix.title else shorten(visible(one.fix.text)),
        )
        for one in found
    ]
