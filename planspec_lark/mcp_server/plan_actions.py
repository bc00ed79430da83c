"""What the actions of apply_commands do to a plan."""

from __future__ import annotations

from collections.abc import Sequence

from planspec_lark.document.document import PlanDocument
from planspec_lark.mcp_server.tool_models import Action
from planspec_lark.planspec.models import WORDS, PlanStatus
from planspec_lark.syntax.safe_text import one_line

__all__ = ["perform_actions"]

_STATUSES = {
    "start": PlanStatus.ACTIVE,
    "done": PlanStatus.DONE,
    "block": PlanStatus.BLOCKED,
    "skip": PlanStatus.SKIPPED,
}


def perform_actions(document: PlanDocument, actions: Sequence[Action]) -> list[str]:
    """Let actions change a document. What each of them has done.

    Raises:
        CommandError: one is refused; then the document is of no more use.
    """
    return [_perform(document, action) for action in actions]


def _perform(document: PlanDocument, action: Action) -> str:
    if action.do == "add":
        return _add(document, action)
    step_id = document.find(action.step)
    if action.do == "reopen":
        return document.reopen(step_id)
    if action.do == "remove":
        return document.remove(step_id, renumber=action.renumber)
    if action.do == "move":
        return document.move(step_id, action.to)
    if action.do == "rename":
        return document.rename(step_id, action.name)
    said = document.set_status(step_id, _STATUSES[action.do], one_line(action.text) or None)
    if action.do == "done" and not document.result_of(step_id):
        said += ", without a result: a text would say what came of it"
    return said


def _add(document: PlanDocument, action: Action) -> str:
    return document.add(
        action.to or document.free_id(action.below),
        action.type,
        one_line(action.text),
        name=action.name,
        inputs=action.inputs,
        outputs=action.outputs,
        detail=action.detail,
        **{name: getattr(action, name) for name in WORDS},
    )
