"""What each tool does, from its arguments to its answer. Nothing here knows the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen
from pydantic import BaseModel

from planspec_lark.document.document import PlanDocument
from planspec_lark.folder.models import PlanEntry
from planspec_lark.mcp_server.links import uri_of
from planspec_lark.mcp_server.models import (
    Applied,
    ApplyArguments,
    CheckArguments,
    Checked,
    CommandReport,
    CreateArguments,
    Created,
    ListArguments,
    Listed,
    PlanSummary,
    Progress,
    ReadArguments,
    View,
)
from planspec_lark.mcp_server.plans import MAX_FINDINGS, Plans, Stored, digest_of
from planspec_lark.mcp_server.showing import show_applied, show_created, show_list, show_view, to_findings
from planspec_lark.plan_cmd.answer_reader import CommandScan, scan_plan_commands
from planspec_lark.plan_cmd.apply import Report
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.check import check_text
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.tree import find_next
from planspec_lark.planspec.views import focus_view, next_step_view
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError, Severity, has_errors, render_all, shorten
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.source import one_line, visible
from planspec_lark.syntax.token_estimate import estimate_tokens

__all__ = [
    "Answer",
    "RefusedError",
    "apply_commands",
    "bounded",
    "check_plan",
    "create_plan",
    "list_page",
    "list_plans",
    "read_plan",
]

# A text that is longer than a plan may be is not read.
_MOST_BYTES = 10_000_000
_TEXT_LIMITS = Limits(max_bytes=_MOST_BYTES, max_findings=MAX_FINDINGS)
_CHECK_LIMITS = Limits(max_bytes=_MOST_BYTES)
_REPORTS = 50


class RefusedError(PlanSpecError):
    """Something that a tool does not do; the text says why, and what to do instead."""


@frozen
class Answer:
    """The answer of a tool: as text, as data, and whether it is one of failure."""

    text: str
    data: BaseModel
    is_error: bool = False


# ---------------------------------------------------------------- list and read


def list_plans(plans: Plans, arguments: ListArguments) -> Answer:
    """The plans of the folder, a page of them."""
    listed = list_page(plans, arguments.cursor)
    return Answer(show_list(listed), listed)


def list_page(plans: Plans, after: str) -> Listed:
    """The plans with names behind this one."""
    page = plans.page(after)
    return Listed(plans=[*map(_summarize, page.entries)], total=page.total, next_cursor=page.after)


def _summarize(entry: PlanEntry) -> PlanSummary:
    return PlanSummary(
        name=entry.name,
        uri=uri_of(entry.name),
        title=shorten(one_line(entry.title)),
        goal=shorten(one_line(entry.goal)),
        progress=None if entry.progress is None else Progress(**entry.progress),
        is_finished=entry.is_converged,
        fault=entry.fault,
    )


def read_plan(plans: Plans, arguments: ReadArguments) -> Answer:
    """A view of a plan that is no larger than it may be."""
    stored = plans.load(arguments.name)
    text, is_complete = _write_view(stored.plan, arguments)
    view = View(
        name=stored.name,
        uri=uri_of(stored.name),
        digest=stored.digest,
        view=arguments.view,
        text=visible(text),
        is_complete=is_complete,
        progress=_progress(stored.plan),
        is_finished=stored.plan.is_converged,
        next_step=_next_step(stored.plan),
    )
    return Answer(show_view(view), view)


def _write_view(plan: PlanSpec, arguments: ReadArguments) -> tuple[str, bool]:
    """The text of the view, and whether nothing was left out of it."""
    write: Callable[..., str]
    if arguments.view == "plan":
        write = _bind(serialize_plan, plan)
    elif arguments.view == "next":
        following = next_step_view(plan)
        if following is None:
            raise RefusedError("No step is open: nothing is left to do. Read the view `plan` to see what came of it.")
        write = following.to_text
    elif not arguments.step_id:
        raise RefusedError("The view `step` needs a step_id, such as `2.1`; the view `plan` shows which there are.")
    else:
        try:
            write = focus_view(plan, arguments.step_id).to_text
        except ValueError:
            wanted = shorten(visible(arguments.step_id))
            raise RefusedError(f"There is no step {wanted}; the view `plan` shows which there are.") from None
    return bounded(write, arguments.max_tokens)


def bounded(write: Callable[..., str], max_tokens: int) -> tuple[str, bool]:
    """What ``write`` writes with at most so many tokens, and whether nothing was left out of it.

    Raises:
        RefusedError: what is never left out takes more.
    """
    text = write()
    if _count(text) <= max_tokens:
        return text, True
    try:
        return write(max_tokens=max_tokens, count_tokens=_count), False
    except ValueError as error:
        raise RefusedError(f"{error}. Read it with a larger max_tokens, or another view.") from None


def _bind(function: Callable[..., str], plan: PlanSpec) -> Callable[..., str]:
    return lambda **options: function(plan, **options)


def _count(text: str) -> int:
    # As it is sent.
    return estimate_tokens(visible(text))


def _progress(plan: PlanSpec) -> Progress:
    return Progress(**plan.progress)


def _next_step(plan: PlanSpec) -> str:
    found = find_next(plan)
    return "" if found is None else found[1].step_id


# ---------------------------------------------------------------- check and create


def check_plan(plans: Plans, arguments: CheckArguments) -> Answer:
    """What is wrong with a text."""
    if bool(arguments.text) == bool(arguments.name):
        raise RefusedError("Give either the text of a plan or the name of one in the folder.")
    text = arguments.text or plans.text(arguments.name)
    found = _check(text, arguments.name or "plan")
    is_valid = not has_errors(found)
    checked = Checked(is_valid=is_valid, findings=to_findings(found[:MAX_FINDINGS]), not_listed=_more(found))
    head = "The plan is valid" if is_valid else "The plan has errors"
    return Answer(f"{head}:\n\n{_show(found)}\n" if found else f"{head}.\n", checked)


def _check(text: str, name: str) -> list[Diagnostic]:
    """Errors and warnings, errors first."""
    found = check_text(text, name=name, limits=_CHECK_LIMITS, least=Severity.WARNING)
    return sorted(found, key=lambda one: one.severity is not Severity.ERROR)


def _more(found: Sequence[Diagnostic]) -> int:
    return max(0, len(found) - MAX_FINDINGS)


def _show(found: Sequence[Diagnostic]) -> str:
    shown = render_all(found[:MAX_FINDINGS])
    return f"{shown}\n\nand {_more(found)} more" if _more(found) else shown


def create_plan(plans: Plans, arguments: CreateArguments) -> Answer:
    """A new plan in the folder."""
    found = _check(arguments.text, arguments.name)
    if has_errors(found):
        raise RefusedError(f"Nothing was created, as the text has errors:\n\n{_show(found)}")
    stored = plans.create(arguments.name, arguments.text)
    created = Created(
        name=stored.name,
        uri=uri_of(stored.name),
        digest=stored.digest,
        progress=_progress(stored.plan),
        next_step=_next_step(stored.plan),
        findings=to_findings(found[:MAX_FINDINGS]),
    )
    text = show_created(created)
    return Answer(f"{text}\n{_show(found)}\n" if found else text, created)


# ---------------------------------------------------------------- apply


@frozen
class _Tried:
    """A document, its text before the commands, and what became of each of them."""

    before: str
    document: PlanDocument
    reports: Sequence[Report]


def apply_commands(plans: Plans, arguments: ApplyArguments) -> Answer:
    """Commands change a plan: all of them, or none where one is refused."""
    scan = _read_commands(arguments.commands)
    commands, found = scan.commands, scan.diagnostics
    tried: list[_Tried] = []

    def change(stored: Stored) -> str:
        _check_digest(stored, arguments.expected_digest)
        is_strict = plans.settings.require_result
        document = PlanDocument.from_text(stored.text, name=stored.name, requires_result=is_strict)
        tried[:] = [_Tried(stored.text, document, document.apply(commands, atomic=True))]
        return document.text

    plans.change(arguments.name, change)
    before, reports, plan, after = tried[0].before, tried[0].reports, tried[0].document.plan, tried[0].document.text
    done = all(report.done for report in reports)
    told = [(command, report) for command, report in zip(commands, reports, strict=True) if done or not report.done]
    applied = Applied(
        applied=done,
        changed=after != before,
        reports=[_tell(command, report) for command, report in told[:_REPORTS]],
        not_listed=max(0, len(told) - _REPORTS),
        digest=digest_of(after),
        progress=_progress(plan),
        is_finished=plan.is_converged,
        next_step=_next_step(plan),
        findings=to_findings(found[:MAX_FINDINGS]),
    )
    text = show_applied(applied)
    return Answer(f"{text}\n{_show(found)}\n" if found else text, applied, is_error=not done)


def _read_commands(text: str) -> CommandScan:
    scan = scan_plan_commands(text, name="commands", limits=_TEXT_LIMITS)
    if scan.is_usable:
        return scan
    if scan.faults:
        word = scan.verdict.value
        raise RefusedError(f"Nothing was changed, as the commands are not accepted ({word}):\n\n{_show(scan.faults)}")
    nothing = "Nothing was changed: there is no line that starts with `PLAN_CMD:`."
    raise RefusedError(f"{nothing}\n\n{_show(scan.diagnostics)}" if scan.diagnostics else nothing)


def _check_digest(stored: Stored, expected: str) -> None:
    if expected and expected != stored.digest:
        raise RefusedError(
            f"Nothing was changed: the plan is another one than you have read, its digest is {stored.digest}. "
            "Read it again, and look whether the commands are still right."
        )


def _tell(command: PlanCommand, report: Report) -> CommandReport:
    return CommandReport(
        command=shorten(visible(f"{command.op} {command.step_id}")),
        done=report.done,
        code=report.code,
        message=shorten(visible(report.message)),
    )
