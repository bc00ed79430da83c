"""Answers of tools, as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from planspec_lark.folder.models import PlanEntry
from planspec_lark.mcp_server.errors import MAX_FINDINGS
from planspec_lark.mcp_server.plans import Stored
from planspec_lark.mcp_server.uris import uri_of
from planspec_lark.planspec.agenda import next_step
from planspec_lark.syntax.diagnostics import Diagnostic, brief, count_of, excerpt, render_all
from planspec_lark.syntax.safe_text import visible

__all__ = [
    "Page",
    "say_progress",
    "show_applied",
    "show_created",
    "show_findings",
    "show_list",
    "show_refused",
    "show_view",
]

# The most reports of an answer.
_REPORTS = 50


@frozen
class Page:
    """A part of the list of plans: how many there are in all, and where the next one begins, if there is one."""

    plans: Sequence[PlanEntry]
    total: int
    next_cursor: str


def say_progress(progress: Mapping[str, int]) -> str:
    """How far a plan is: `12 steps: 2 done, 1 active, 9 pending`."""
    listed = ", ".join(f"{count} {status}" for status, count in progress.items() if count and status != "total")
    return f"{count_of(progress['total'], 'step')}: {listed}" if listed else "no steps"


def show_list(page: Page) -> str:
    """A list of plans, a paragraph each."""
    if not page.total:
        return "There are no plans in this folder. create_plan makes one.\n"
    rows = [*map(_show_entry, page.plans)]
    if page.next_cursor:
        rows.append(f"There are {page.total} plans in all; for the next ones, cursor: {page.next_cursor}\n")
    return "\n".join(rows)


def _show_entry(plan: PlanEntry) -> str:
    rows = [f"{plan.name}: {brief(plan.title)}" if plan.title else plan.name]
    if plan.goal:
        rows.append(f"  goal: {brief(plan.goal)}")
    if plan.progress is not None:
        rows.append(f"  {_show_progress(plan.progress, plan.is_converged)}")
    if plan.fault:
        rows.append(f"  fault: {plan.fault}")
    return visible("\n".join([*rows, ""]))


def _show_progress(progress: Mapping[str, int], is_finished: bool) -> str:
    end = "; nothing is left to do" if is_finished and progress["total"] else ""
    return f"progress: {say_progress(progress)}{end}"


def _show_standing(stored: Stored) -> list[str]:
    """Where a plan stands, in lines."""
    rows = [f"digest: {stored.digest}", _show_progress(stored.plan.progress, stored.plan.is_converged)]
    following = next_step(stored.plan)
    return [*rows, f"next step: {visible(following.step_id)}"] if following else rows


def show_view(stored: Stored, text: str, *, is_complete: bool) -> str:
    """A view with what belongs to it."""
    rows = [f"plan: {stored.name}", *_show_standing(stored)]
    if not is_complete:
        rows.append("Parts are left out to save room, each where it says so with `…`.")
    return "\n".join([*rows, "", visible(text)])


def show_applied(said: Sequence[str], after: Stored, found: Sequence[Diagnostic] = (), note: str = "") -> str:
    """What changes have done, and where the plan stands."""
    text = _show_reports([f"ok: {excerpt(one)}" for one in said], after, note)
    return _with_findings(text, found)


def show_refused(refusals: Sequence[tuple[str, str]], before: Stored) -> str:
    """Why nothing was changed, by the codes of what was refused."""
    note = "Nothing was changed: one of them was refused, and it is all of them or none."
    return _show_reports([f"{code}: {excerpt(message)}" for code, message in refusals], before, note)


def _show_reports(rows: Sequence[str], stored: Stored, note: str) -> str:
    more = [f"and {len(rows) - _REPORTS} more"] if len(rows) > _REPORTS else []
    notes = [note] if note else []
    return visible("\n".join([*rows[:_REPORTS], *more, *notes, *_show_standing(stored), ""]))


def show_created(created: Stored, found: Sequence[Diagnostic]) -> str:
    """That there is a new plan."""
    rows = [f"Created the plan {created.name}: {uri_of(created.name)}", *_show_standing(created), ""]
    return _with_findings(visible("\n".join(rows)), found)


def _with_findings(text: str, found: Sequence[Diagnostic]) -> str:
    return f"{text}\n{show_findings(found)}\n" if found else text


def show_findings(found: Sequence[Diagnostic]) -> str:
    """The first findings, each with its place and what to write instead, and how many more there are."""
    more = len(found) - MAX_FINDINGS
    return render_all(found[:MAX_FINDINGS]) + (f"\n\nand {more} more" if more > 0 else "")
