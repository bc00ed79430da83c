"""What each tool does, from its arguments to its answer. Nothing here knows the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from planspec_lark.document.document import PlanDocument
from planspec_lark.folder.names import check_name, name_from
from planspec_lark.mcp_server.answer_texts import (
    Page,
    show_applied,
    show_created,
    show_findings,
    show_list,
    show_refused,
    show_view,
)
from planspec_lark.mcp_server.errors import RefusedError
from planspec_lark.mcp_server.plan_actions import perform_actions
from planspec_lark.mcp_server.plans import Plans, Stored
from planspec_lark.mcp_server.tool_models import (
    Action,
    ApplyArguments,
    CheckArguments,
    CreateArguments,
    ListArguments,
    ReadArguments,
)
from planspec_lark.planspec.agenda import step_states
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.render import show_plan
from planspec_lark.planspec.token_budget import fit
from planspec_lark.planspec.views import focus_view, next_step_view
from planspec_lark.syntax.diagnostics import CommandError, Diagnostic, Severity, count_of, excerpt, has_errors
from planspec_lark.syntax.safe_text import visible
from planspec_lark.syntax.token_estimate import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from planspec_lark.plan_cmd.models import PlanCommand
    from planspec_lark.plan_cmd.recovery import CommandScan

__all__ = [
    "apply_commands",
    "bounded",
    "check_plan",
    "create_plan",
    "list_page",
    "list_plans",
    "read_plan",
    "tree_writer",
]

# The most plans of a page.
_PAGE = 50


# ---------------------------------------------------------------- list and read


def list_plans(plans: Plans, arguments: ListArguments) -> str:
    """The plans of the folder, a page of them."""
    return show_list(list_page(plans, arguments.cursor))


def list_page(plans: Plans, after: str) -> Page:
    """The plans with names behind this one, as many as are listed at once.

    Raises:
        RefusedError: no plan has this name.
    """
    names = plans.folder.names()
    if after and after not in names:
        raise RefusedError("There is no such page (any more): begin again without a cursor.")
    left = [name for name in names if name > after]
    page = left[:_PAGE]
    return Page(plans.folder.list(page), len(names), page[-1] if len(left) > _PAGE else "")


def read_plan(plans: Plans, arguments: ReadArguments) -> str:
    """A view of a plan that is no larger than it may be."""
    stored = plans.load(arguments.name)
    text, is_complete = bounded(_writer(stored.plan, arguments), arguments.max_tokens)
    return show_view(stored, text, is_complete=is_complete)


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
    complete = ""

    def count(text: str) -> int:
        nonlocal complete
        # What is complete is counted first.
        complete = complete or text
        # As it is sent.
        return estimate_tokens(visible(text))

    try:
        text = write(max_tokens=max_tokens, count_tokens=count)
    except ValueError as error:
        raise RefusedError(f"{error}. Read it with a larger max_tokens, or another view.") from None
    return text, text == complete


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


def check_plan(plans: Plans, arguments: CheckArguments) -> str:
    """What is wrong with a text."""
    if bool(arguments.text) == bool(arguments.name):
        raise RefusedError("Give either the text of a plan or the name of one in the folder.")
    found = _check(plans, arguments.text or plans.text(arguments.name), arguments.name or "plan")
    head = "The plan has errors" if has_errors(found) else "The plan is valid"
    return f"{head}:\n\n{show_findings(found)}\n" if found else f"{head}.\n"


def _check(plans: Plans, text: str, name: str) -> list[Diagnostic]:
    """Errors and warnings, errors first, as the project settles them."""
    found = plans.settings().check_text(text, name=name, limits=plans.folder.limits, least=Severity.WARNING)
    return sorted(found, key=lambda one: one.severity is not Severity.ERROR)


def create_plan(plans: Plans, arguments: CreateArguments) -> str:
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
    return show_created(plans.create(arguments.name, arguments.text), found)


# ---------------------------------------------------------------- apply


def apply_commands(plans: Plans, arguments: ApplyArguments) -> str:
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
        return _change(plans, arguments, partial(_perform_actions, actions=actions))
    scan = _read_commands(plans, arguments.commands)
    return _change(plans, arguments, partial(_perform_commands, commands=scan.commands), scan.diagnostics)


def _perform_actions(document: PlanDocument, before: Stored, actions: Sequence[Action]) -> list[str]:
    try:
        return perform_actions(document, actions)
    except CommandError as error:
        raise RefusedError(show_refused([(error.code, str(error))], before)) from None


def _perform_commands(document: PlanDocument, before: Stored, commands: Sequence[PlanCommand]) -> list[str]:
    outcomes = document.apply(commands, atomic=True)
    if refused := [(one.code, one.message) for one in outcomes if one.code]:
        raise RefusedError(show_refused(refused, before))
    return [one.message for one in outcomes]


def _change(
    plans: Plans,
    arguments: ApplyArguments,
    perform: Callable[[PlanDocument, Stored], list[str]],
    found: Sequence[Diagnostic] = (),
) -> str:
    name, is_strict = arguments.name, plans.folder.settings.require_result
    answers: list[str] = []

    def change(text: str) -> str:
        document = PlanDocument.from_text(text, name=name, limits=plans.limits, requires_result=is_strict)
        before = Stored(name, text, document.plan)
        before.check_digest(arguments.expected_digest)
        said = [*perform(document, before), *map(str, document.stale_mentions())]
        after = Stored(name, document.text, document.plan)
        note = "" if after.text != text else "The plan's text is the same as before."
        answers[:] = [show_applied(said, after, found, note)]
        return after.text

    plans.file(name).change(change)
    return answers[0]


def _archive(plans: Plans, arguments: ApplyArguments) -> str:
    if len(arguments.actions) > 1:
        raise RefusedError("Nothing was changed: archive must be alone in its list, once all else is done.")
    moved: list[Stored] = []

    def check(text: str) -> None:
        moved.append(plans.parse(arguments.name, text).check_digest(arguments.expected_digest))

    archived = plans.archive(arguments.name, check)
    return show_applied([f"the plan is in {archived} now"], moved[0])


def _reopen(plans: Plans, arguments: ApplyArguments) -> str:
    """Reopen steps of a plan that has been run: the ledger of its runs is told as well."""
    if any(action.do != "reopen" for action in arguments.actions):
        raise RefusedError(
            "Nothing was changed: this plan has been run, and what is reopened is noted in the ledger of its runs. So "
            "reopen must be alone in its list; send the other actions in another call."
        )
    from planspec_lark.engine.think import reopen_steps  # noqa: PLC0415  (as above)
    from planspec_lark.runs.ledger import LedgerError  # noqa: PLC0415

    def find(text: str) -> list[str]:
        plans.parse(arguments.name, text).check_digest(arguments.expected_digest)
        document = PlanDocument.from_text(text, name=arguments.name)
        return [document.find(action.step) for action in arguments.actions]

    try:
        said = reopen_steps(plans.file(arguments.name), find)
    except LedgerError:
        # Which says where on this machine it is.
        raise RefusedError(
            "The ledger of the plan's runs cannot be used. The command `planspec log` says why."
        ) from None
    return show_applied(said, plans.load(arguments.name))


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
