"""What the actions of apply_commands do to a plan: all of them, or nothing where one is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planspec_lark.document.document import PlanDocument
from planspec_lark.mcp_server.models import Action
from planspec_lark.plan_cmd.apply import Report
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import CommandError
from planspec_lark.syntax.source import one_line

__all__ = ["perform_actions"]

_Verb = Callable[[PlanDocument, str, Action], str]


def perform_actions(document: PlanDocument, actions: Sequence[Action]) -> list[Report]:
    """Let actions change a document, up to the first that is refused; then the document is of no more use.

    Returns:
        What became of each of them that was tried.
    """
    reports: list[Report] = []
    for action in actions:
        try:
            reports.append(Report(True, _perform(document, action)))
        except CommandError as error:
            return [*reports, Report(False, str(error), error.code)]
    return reports


def _perform(document: PlanDocument, action: Action) -> str:
    return _VERBS[action.do](document, document.find(action.step) if action.step else "", action)


def _set_status(status: PlanStatus) -> _Verb:
    def perform(document: PlanDocument, step_id: str, action: Action) -> str:
        said = document.set_status(step_id, status, one_line(action.text) or None)
        if status is PlanStatus.DONE and not document.result_of(step_id):
            return f"{said}, without a result: a text would say what came of it"
        return said

    return perform


def _add(document: PlanDocument, _: str, action: Action) -> str:
    return document.add(
        action.to or document.free_id(document.find(action.below) if action.below else ""),
        action.type,
        one_line(action.text),
        name=action.name,
        inputs=action.inputs,
        outputs=action.outputs,
        detail=action.detail,
    )


# What each action but archive does, to the step with this id.
_VERBS: Mapping[str, _Verb] = {
    "start": _set_status(PlanStatus.ACTIVE),
    "done": _set_status(PlanStatus.DONE),
    "block": _set_status(PlanStatus.BLOCKED),
    "skip": _set_status(PlanStatus.SKIPPED),
    "reopen": lambda document, step_id, _: document.reopen(step_id),
    "remove": lambda document, step_id, action: document.remove(step_id, renumber=action.renumber),
    "move": lambda document, step_id, action: document.move(step_id, action.to),
    "rename": lambda document, step_id, action: document.rename(step_id, action.name),
    "add": _add,
}
