"""Commands → canonical text."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from planspec_lark.plan_cmd.models import EDIT_OPS, VIEW_OPS, PlanCommand

__all__ = ["serialize_commands"]


def serialize_commands(commands: Iterable[PlanCommand]) -> str:
    """Print commands.

    Returns:
        One ``PLAN_CMD:`` line each, with its ``>`` lines; it reads back as the same commands.

    Raises:
        ValueError: a command that no line could spell, such as one without a step id, or with a field that its verb
            does not have.
    """
    return "".join(f"{row}\n" for command in commands for row in _rows(command))


def _rows(command: PlanCommand) -> list[str]:
    attrs.validate(command)
    is_edit, is_view = command.op in EDIT_OPS, command.op in VIEW_OPS
    _refuse(not command.step_id, command, "step_id", "is missing")
    _refuse(command.step_id == "ALL" and command.op != "REPLAN", command, "step_id", "ALL is for REPLAN only")
    _refuse(is_edit and not command.step_type, command, "step_type", "is missing")
    for name in ("step_type", "description", "detail"):
        _refuse(not is_edit and bool(getattr(command, name)), command, name, "is for ADD and REVISE only")
    _refuse((is_edit or is_view) and bool(command.result), command, "result", "is not for this verb")
    row = f"PLAN_CMD: {command.op} {command.step_id}"
    if is_edit:
        row += f" [{command.step_type}] {command.description}".rstrip(" ")
    elif command.result:
        row += f" | {command.result}"
    return [row, *(f"> {line}" if line else ">" for line in command.detail)]


def _refuse(wrong: bool, command: PlanCommand, name: str, why: str) -> None:
    if wrong:
        raise ValueError(f"{name}: {command.op} {command.step_id}: {why}".replace(" :", ":"))
