"""What each tool does, from its arguments to its answer. Nothing here knows the protocol."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from attrs import frozen
from pydantic import BaseModel

from planspec_lark.document.document import PlanDocument
from planspec_lark.folder.models import PlanEntry
from planspec_lark.mcp_server.actions import perform_actions
from planspec_lark.mcp_server.links import uri_of
from planspec_lark.mcp_server.models import (
    Action,
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
from planspec_lark.planspec.render import show_plan
from planspec_lark.planspec.tree import find_next
from planspec_lark.planspec.views import focus_view, next_step_view
from planspec_lark.syntax.diagnostics import (
    Diagnostic,
    PlanSpecError,
    Severity,
    count_of,
    has_errors,
    render_all,
    shorten,
)
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
    elif arguments.view == "tree":
        write = _bind(_write_tree, plan)
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


def _write_tree(
    plan: PlanSpec, *, max_tokens: int | None = None, count_tokens: Callable[[str], int] = estimate_tokens
) -> str:
    """The tree of a plan; with ``max_tokens``, as many of its first lines as there is room for."""
    rows = ["".join(piece.text for piece in line) for line in show_plan(plan)]

    def cut(count: int) -> str:
        left = len(rows) - count
        return "\n".join([*rows[:count], *([f"… and {count_of(left, 'more line')}"] if left else []), ""])

    if max_tokens is None:
        return cut(len(rows))
    # Each line takes more tokens, so the last one that fits is found by halves.
    return cut(max(0, bisect_right(range(len(rows)), max_tokens, key=lambda count: count_tokens(cut(count))) - 1))


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
    """A plan's text before and after a change, the plan, and what became of each part of the change."""

    before: str
    after: str
    plan: PlanSpec
    reports: Sequence[Report]


def apply_commands(plans: Plans, arguments: ApplyArguments) -> Answer:
    """Actions or commands change a plan: all of them, or none where one is refused."""
    if bool(arguments.actions) == bool(arguments.commands):
        raise RefusedError("Give either actions or commands, and at least one.")
    if any(action.do == "archive" for action in arguments.actions):
        return _archive(plans, arguments)
    scan = _read_commands(arguments.commands) if arguments.commands else None
    if scan is None:
        _check_reopened(plans, arguments)
    tried: list[_Tried] = []

    def change(stored: Stored) -> str:
        _check_digest(stored, arguments.expected_digest)
        is_strict = plans.settings.require_result
        document = PlanDocument.from_text(stored.text, name=stored.name, requires_result=is_strict)
        if scan is None:
            reports = perform_actions(document, arguments.actions)
        else:
            reports = document.apply(scan.commands, atomic=True)
        is_done = all(report.done for report in reports)
        after, plan = (document.text, document.plan) if is_done else (stored.text, stored.plan)
        tried[:] = [_Tried(stored.text, after, plan, reports)]
        return after

    plans.change(arguments.name, change)
    names = [*map(_name_action, arguments.actions)] if scan is None else [*map(_name_command, scan.commands)]
    return _answer(tried[0], names, () if scan is None else scan.diagnostics)


def _name_command(command: PlanCommand) -> str:
    return f"{command.op} {command.step_id}"


def _name_action(action: Action) -> str:
    return f"{action.do} {action.step or action.to or action.below}".rstrip()


def _answer(tried: _Tried, names: Sequence[str], found: Sequence[Diagnostic] = (), archived: str = "") -> Answer:
    """What became of a plan, whose changes have these names."""
    done = all(report.done for report in tried.reports)
    # Of a list that is refused, not all may have been tried.
    told = [(name, report) for name, report in zip(names, tried.reports, strict=False) if done or not report.done]
    applied = Applied(
        applied=done,
        changed=tried.after != tried.before,
        archived=archived,
        reports=[_tell(name, report) for name, report in told[:_REPORTS]],
        not_listed=max(0, len(told) - _REPORTS),
        digest=digest_of(tried.after),
        progress=_progress(tried.plan),
        is_finished=tried.plan.is_converged,
        next_step=_next_step(tried.plan),
        findings=to_findings(found[:MAX_FINDINGS]),
    )
    text = show_applied(applied)
    return Answer(f"{text}\n{_show(found)}\n" if found else text, applied, is_error=not done)


def _archive(plans: Plans, arguments: ApplyArguments) -> Answer:
    if len(arguments.actions) > 1:
        raise RefusedError("Nothing was changed: archive stands alone in its list, once all else is done.")
    stored = plans.load(arguments.name)
    _check_digest(stored, arguments.expected_digest)
    archived = plans.archive(stored.name)
    report = Report(True, f"the plan is in {archived} now")
    return _answer(_Tried(stored.text, stored.text, stored.plan, [report]), ["archive"], archived=archived)


def _check_reopened(plans: Plans, arguments: ApplyArguments) -> None:
    """Refuse to reopen steps of a plan that has been run: its ledger would set them to what they were."""
    if any(action.do == "reopen" for action in arguments.actions) and plans.has_ledger(arguments.name):
        name = visible(arguments.name)
        raise RefusedError(
            "Nothing was changed: the plan has been run, and the ledger of its runs has to be told of steps that are "
            f"reopened. The command `planspec reopen {name} STEP` does both."
        )


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
            "Read it again, and look whether the change is still right."
        )


def _tell(name: str, report: Report) -> CommandReport:
    return CommandReport(
        command=shorten(visible(name)),
        done=report.done,
        code=report.code,
        message=shorten(visible(report.message)),
    )
