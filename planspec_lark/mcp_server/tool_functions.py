"""What each tool does, from its arguments to its answer. Nothing here knows the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import frozen
from pydantic import BaseModel

from planspec_lark.document.document import PlanDocument
from planspec_lark.folder.models import PlanEntry
from planspec_lark.folder.names import check_name, name_from
from planspec_lark.mcp_server.answer_texts import (
    MAX_FINDINGS,
    show_applied,
    show_created,
    show_findings,
    show_list,
    show_view,
    to_findings,
    to_report,
)
from planspec_lark.mcp_server.errors import RefusedError
from planspec_lark.mcp_server.plan_actions import perform_actions
from planspec_lark.mcp_server.plans import Plans, Stored
from planspec_lark.mcp_server.tool_models import (
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
from planspec_lark.mcp_server.uris import uri_of
from planspec_lark.planspec.agenda import next_step, step_states
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.render import show_plan
from planspec_lark.planspec.token_budget import fit
from planspec_lark.planspec.views import focus_view, next_step_view
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, brief, count_of, excerpt, has_errors
from planspec_lark.syntax.safe_text import visible
from planspec_lark.syntax.token_estimate import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from planspec_lark.plan_cmd.models import PlanCommand
    from planspec_lark.plan_cmd.recovery import CommandScan

__all__ = [
    "ToolAnswer",
    "apply_commands",
    "bounded",
    "check_plan",
    "create_plan",
    "list_page",
    "list_plans",
    "read_plan",
    "tree_writer",
]

# The most plans of a page, and the most reports of an answer.
_PAGE = 50
_REPORTS = 50


@frozen
class ToolAnswer:
    """The answer of a tool: as text, as data, and whether it is one of failure."""

    text: str
    data: BaseModel
    is_error: bool = False


def _stand(stored: Stored) -> dict[str, Any]:
    """Where a plan stands: the fields that answers have in common."""
    plan = stored.plan
    found = next_step(plan)
    return {
        "digest": stored.digest,
        "progress": plan.progress,
        "is_finished": plan.is_converged,
        "next_step": "" if found is None else found.step_id,
    }


# ---------------------------------------------------------------- list and read


def list_plans(plans: Plans, arguments: ListArguments) -> ToolAnswer:
    """The plans of the folder, a page of them."""
    listed = list_page(plans, arguments.cursor)
    return ToolAnswer(show_list(listed), listed)


def list_page(plans: Plans, after: str) -> Listed:
    """The plans with names behind this one, as many as are listed at once.

    Raises:
        RefusedError: no plan has this name.
    """
    names = plans.folder.names()
    if after and after not in names:
        raise RefusedError("There is no such page (any more): begin again without a cursor.")
    left = [name for name in names if name > after]
    page = left[:_PAGE]
    return Listed(
        plans=[*map(_summarize, plans.folder.list(page))],
        total=len(names),
        next_cursor=page[-1] if len(left) > _PAGE else "",
    )


def _summarize(entry: PlanEntry) -> PlanSummary:
    return PlanSummary(
        name=entry.name,
        uri=uri_of(entry.name),
        title=brief(entry.title),
        goal=brief(entry.goal),
        progress=None if entry.progress is None else Progress(**entry.progress),
        is_finished=entry.is_converged,
        fault=entry.fault,
    )


def read_plan(plans: Plans, arguments: ReadArguments) -> ToolAnswer:
    """A view of a plan that is no larger than it may be."""
    stored = plans.load(arguments.name)
    text, is_complete = bounded(_writer(stored.plan, arguments), arguments.max_tokens)
    view = View(
        name=stored.name,
        uri=uri_of(stored.name),
        view=arguments.view,
        text=visible(text),
        is_complete=is_complete,
        **_stand(stored),
    )
    return ToolAnswer(show_view(view), view)


def _writer(plan: PlanSpec, arguments: ReadArguments) -> Callable[..., str]:
    """What writes the view, with at most ``max_tokens`` where that is given."""
    if arguments.view == "plan":
        return partial(serialize_plan, plan)
    if arguments.view == "tree":
        return tree_writer(plan)
    if arguments.view == "next":
        following = next_step_view(plan)
        if following is None:
            left = "".join(f"\nStep {one.step.step_id}: {one.why}" for one in step_states(plan)[:_PAGE])
            said = f"No step can be done now.{left}\n" if left else "No step is open: nothing is left to do. "
            raise RefusedError(f"{said}Read the view `plan` to see what came of it.")
        return following.to_text
    if not arguments.step_id:
        raise RefusedError("The view `step` needs a step_id, such as `2.1`; the view `plan` shows all steps.")
    try:
        return focus_view(plan, arguments.step_id).to_text
    except ValueError:
        raise RefusedError(
            f"Step {excerpt(arguments.step_id)} does not exist; the view `plan` shows all steps."
        ) from None


def bounded(write: Callable[..., str], max_tokens: int) -> tuple[str, bool]:
    """What ``write`` writes with at most ``max_tokens`` tokens, and whether it is complete.

    Raises:
        RefusedError: what is never left out takes more.
    """
    try:
        text = write(max_tokens=max_tokens, count_tokens=_count)
    except ValueError as error:
        raise RefusedError(f"{error}. Read it with a larger max_tokens, or another view.") from None
    return text, text == write()


def _count(text: str) -> int:
    # As it is sent.
    return estimate_tokens(visible(text))


def tree_writer(plan: PlanSpec) -> Callable[..., str]:
    """What writes the tree of a plan; with ``max_tokens``, as many of its first lines as there is room for."""
    rows = ["".join(piece.text for piece in line) for line in show_plan(plan)]

    def leave_out(count: int) -> str:
        more = [f"… and {count_of(count, 'more line')}"] if count else []
        return "\n".join([*rows[: len(rows) - count], *more, ""])

    def write(max_tokens: int | None = None, count_tokens: TokenCounter | None = None) -> str:
        return leave_out(0) if max_tokens is None else fit(len(rows), leave_out, max_tokens, count_tokens)

    return write


# ---------------------------------------------------------------- check and create


def check_plan(plans: Plans, arguments: CheckArguments) -> ToolAnswer:
    """What is wrong with a text."""
    if bool(arguments.text) == bool(arguments.name):
        raise RefusedError("Give either the text of a plan or the name of one in the folder.")
    found = _check(plans, arguments.text or plans.text(arguments.name), arguments.name or "plan")
    checked = Checked(
        is_valid=not has_errors(found),
        findings=to_findings(found),
        not_listed=max(0, len(found) - MAX_FINDINGS),
    )
    head = "The plan is valid" if checked.is_valid else "The plan has errors"
    return ToolAnswer(f"{head}:\n\n{show_findings(found)}\n" if found else f"{head}.\n", checked)


def _check(plans: Plans, text: str, name: str) -> list[Diagnostic]:
    """Errors and warnings, errors first, as the project settles them."""
    found = plans.settings().check_text(text, name=name, limits=plans.folder.limits, least=Severity.WARNING)
    return sorted(found, key=lambda one: one.severity is not Severity.ERROR)


def create_plan(plans: Plans, arguments: CreateArguments) -> ToolAnswer:
    """A new plan in the folder."""
    name = name_from(check_name(arguments.name))
    if name != arguments.name:
        raise RefusedError(f"Nothing was created: names are in snake_case; write `{name}`.")
    found = _check(plans, arguments.text, name)
    if not has_errors(found):
        from planspec_lark.answers.extract import extract_plan  # noqa: PLC0415  (slow to load, and a server starts often)

        # A model that leaves a text for later has not written the plan.
        read = extract_plan(arguments.text, name=arguments.name, limits=plans.folder.limits)
        found = [*(one for one in read.holds if one.code == "PS127"), *found]
    if has_errors(found):
        raise RefusedError(f"Nothing was created, as the text has errors:\n\n{show_findings(found)}")
    stored = plans.create(arguments.name, arguments.text)
    created = Created(name=stored.name, uri=uri_of(stored.name), findings=to_findings(found), **_stand(stored))
    return ToolAnswer(_with_findings(show_created(created), found), created)


def _with_findings(text: str, found: Sequence[Diagnostic]) -> str:
    return f"{text}\n{show_findings(found)}\n" if found else text


# ---------------------------------------------------------------- apply


def apply_commands(plans: Plans, arguments: ApplyArguments) -> ToolAnswer:
    """Actions or commands change a plan: all of them, or none where one is refused."""
    actions = arguments.actions
    if bool(actions) == bool(arguments.commands):
        raise RefusedError("Give either actions or commands, and at least one.")
    kinds = {action.do for action in actions}
    if "archive" in kinds:
        return _archive(plans, arguments)
    if "reopen" in kinds and plans.has_ledger(arguments.name):
        return _reopen(plans, arguments)
    if actions:
        return _change(plans, arguments, partial(perform_actions, actions=actions))
    scan = _read_commands(plans, arguments.commands)
    return _change(plans, arguments, partial(_perform_commands, commands=scan.commands), scan.diagnostics)


def _perform_commands(document: PlanDocument, commands: Sequence[PlanCommand]) -> list[CommandReport]:
    reports = document.apply(commands, atomic=True)
    return [
        to_report(f"{command.op} {command.step_id}", report.message, report.code)
        for command, report in zip(commands, reports, strict=True)
    ]


def _change(
    plans: Plans,
    arguments: ApplyArguments,
    perform: Callable[[PlanDocument], list[CommandReport]],
    found: Sequence[Diagnostic] = (),
) -> ToolAnswer:
    name, is_strict = arguments.name, plans.folder.settings.require_result
    answers: list[ToolAnswer] = []

    def change(text: str) -> str:
        document = PlanDocument.from_text(text, name=name, limits=plans.limits, requires_result=is_strict)
        before = Stored(name, text, document.plan)
        before.check_digest(arguments.expected_digest)
        reports = perform(document)
        is_done = all(report.done for report in reports)
        after = Stored(name, document.text, document.plan) if is_done else before
        reports += [to_report("renumbered", str(one)) for one in document.stale_mentions() if is_done]
        answers[:] = [_answer(before, after, reports, found)]
        return after.text

    plans.file(name).change(change)
    return answers[0]


def _archive(plans: Plans, arguments: ApplyArguments) -> ToolAnswer:
    if len(arguments.actions) > 1:
        raise RefusedError("Nothing was changed: archive must be alone in its list, once all else is done.")
    moved: list[Stored] = []

    def check(text: str) -> None:
        moved.append(plans.parse(arguments.name, text).check_digest(arguments.expected_digest))

    archived = plans.archive(arguments.name, check)
    [stored] = moved
    return _answer(stored, stored, [to_report("archive", f"the plan is in {archived} now")], archived=archived)


def _reopen(plans: Plans, arguments: ApplyArguments) -> ToolAnswer:
    """Reopen steps of a plan that has been run: the ledger of its runs is told as well."""
    if any(action.do != "reopen" for action in arguments.actions):
        raise RefusedError(
            "Nothing was changed: this plan has been run, and what is reopened is noted in the ledger of its runs. So "
            "reopen must be alone in its list; send the other actions in another call."
        )
    from planspec_lark.engine.think import reopen_steps  # noqa: PLC0415  (as above)
    from planspec_lark.runs.ledger import LedgerError  # noqa: PLC0415

    found: list[Stored] = []
    steps: list[str] = []

    def find(text: str) -> list[str]:
        found.append(plans.parse(arguments.name, text).check_digest(arguments.expected_digest))
        document = PlanDocument.from_text(text, name=arguments.name)
        steps.extend(document.find(action.step) for action in arguments.actions)
        return steps

    try:
        said = reopen_steps(plans.file(arguments.name), find)
    except LedgerError:
        # Which says where on this machine it is.
        raise RefusedError(
            "The ledger of the plan's runs cannot be used. The command `planspec log` says why."
        ) from None
    [before] = found
    reports = [to_report(f"reopen {step}", one) for step, one in zip(steps, said, strict=True)]
    return _answer(before, plans.load(before.name), reports)


def _answer(
    before: Stored,
    after: Stored,
    reports: Sequence[CommandReport],
    found: Sequence[Diagnostic] = (),
    *,
    archived: str = "",
) -> ToolAnswer:
    """What became of a plan."""
    is_done = all(report.done for report in reports)
    told = [report for report in reports if is_done or not report.done]
    applied = Applied(
        applied=is_done,
        changed=after.text != before.text,
        archived=archived,
        reports=told[:_REPORTS],
        not_listed=max(0, len(told) - _REPORTS),
        findings=to_findings(found),
        **_stand(after),
    )
    return ToolAnswer(_with_findings(show_applied(applied), found), applied, is_error=not is_done)


def _read_commands(plans: Plans, text: str) -> CommandScan:
    from planspec_lark.plan_cmd.recovery import scan_plan_commands  # noqa: PLC0415  (as above)

    scan = scan_plan_commands(text, name="commands", limits=plans.limits)
    if scan.is_usable:
        return scan
    if scan.errors:
        said = f"as the commands are not accepted ({scan.verdict.value}):\n\n{show_findings(scan.errors)}"
        raise RefusedError(f"Nothing was changed, {said}")
    said = "Nothing was changed: there is no line that starts with `PLAN_CMD:`."
    raise RefusedError(f"{said}\n\n{show_findings(scan.diagnostics)}" if scan.diagnostics else said)
