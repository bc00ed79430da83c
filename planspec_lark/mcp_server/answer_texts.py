"""Answers of tools as text, which says all that the structured answer says.

Some clients show a model the one, some the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from planspec_lark.mcp_server.tool_models import (
    Applied,
    CommandReport,
    Created,
    Finding,
    Listed,
    PlanSummary,
    Progress,
    Standing,
    View,
)
from planspec_lark.syntax.diagnostics import Diagnostic, count_of, excerpt, render_all
from planspec_lark.syntax.safe_text import visible

__all__ = [
    "MAX_FINDINGS",
    "say_progress",
    "show_applied",
    "show_created",
    "show_findings",
    "show_list",
    "show_view",
    "to_findings",
    "to_report",
]

# The most findings of an answer.
MAX_FINDINGS = 20


def say_progress(progress: Progress) -> str:
    """How far a plan is: `12 steps: 2 done, 1 active, 9 pending`."""
    counts = progress.model_dump()
    total = counts.pop("total")
    listed = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return f"{count_of(total, 'step')}: {listed}" if total else "no steps"


def show_list(listed: Listed) -> str:
    """A list of plans, a paragraph each."""
    if not listed.total:
        return "There are no plans in this folder. create_plan makes one.\n"
    rows = [_show_summary(one) for one in listed.plans]
    if listed.next_cursor:
        rows.append(f"There are {listed.total} plans in all; for the next ones, cursor: {listed.next_cursor}\n")
    return "\n".join(rows)


def _show_summary(plan: PlanSummary) -> str:
    rows = [f"{plan.name}: {plan.title}" if plan.title else plan.name]
    if plan.goal:
        rows.append(f"  goal: {plan.goal}")
    if plan.progress is not None:
        rows.append(f"  {_show_progress(plan.progress, plan.is_finished)}")
    if plan.fault:
        rows.append(f"  fault: {plan.fault}")
    return visible("\n".join([*rows, ""]))


def _show_progress(progress: Progress, is_finished: bool) -> str:
    end = "; nothing is left to do" if is_finished and progress.total else ""
    return f"progress: {say_progress(progress)}{end}"


def _show_standing(plan: Standing) -> list[str]:
    """Where a plan stands, in lines."""
    rows = [f"digest: {plan.digest}", _show_progress(plan.progress, plan.is_finished)]
    return [*rows, f"next step: {visible(plan.next_step)}"] if plan.next_step else rows


def show_view(view: View) -> str:
    """A view with what belongs to it."""
    rows = [f"plan: {view.name}", *_show_standing(view)]
    if not view.is_complete:
        rows.append("Parts are left out to save room, each where it says so with `…`.")
    return "\n".join([*rows, "", view.text])


def show_applied(applied: Applied) -> str:
    """What became of commands, and where the plan stands."""
    rows = [f"{'ok' if one.done else one.code}: {one.message}" for one in applied.reports]
    if applied.not_listed:
        rows.append(f"and {applied.not_listed} more")
    if not applied.applied:
        rows.append("Nothing was changed: one of them was refused, and it is all of them or none.")
    elif not applied.changed and not applied.archived:
        rows.append("The plan's text is the same as before.")
    return visible("\n".join([*rows, *_show_standing(applied), ""]))


def show_created(created: Created) -> str:
    """That there is a new plan."""
    return visible("\n".join([f"Created the plan {created.name}: {created.uri}", *_show_standing(created), ""]))


def show_findings(found: Sequence[Diagnostic]) -> str:
    """The first findings, each with its place and what to write instead, and how many more there are."""
    more = len(found) - MAX_FINDINGS
    return render_all(found[:MAX_FINDINGS]) + (f"\n\nand {more} more" if more > 0 else "")


def to_report(command: str, message: str, code: str = "") -> CommandReport:
    """What became of a command or an action; with a code, it was refused."""
    return CommandReport(command=excerpt(command), done=not code, code=code, message=excerpt(message))


def to_findings(found: Sequence[Diagnostic]) -> list[Finding]:
    """The same as the structured answer has them."""
    return [
        Finding(
            severity=one.severity.value,
            code=one.code,
            message=excerpt(one.message),
            line=one.line,
            column=one.column,
            step_id=excerpt(one.step_id),
            help=excerpt(one.help),
            write=None if one.fix is None or one.fix.title else excerpt(one.fix.text),
        )
        for one in found[:MAX_FINDINGS]
    ]
