"""Commands → canonical text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from planspec_lark.plan_cmd.models import EDIT_OPS, VIEW_OPS, PlanCommand

__all__ = ["serialize_commands"]


def serialize_commands(commands: Iterable[PlanCommand]) -> str:
    """Print commands.

    Returns:
        A ``PLAN_CMD:`` line for each, with its ``>`` lines; they read back as the same commands.

    Raises:
        ValueError: no line can express a command, such as one without a step id, or with a field that its verb does
            not have.
    """
    return "".join(f"{row}\n" for command in commands for row in _rows(command))


def _rows(command: PlanCommand) -> list[str]:
    attrs.validate(command)
    for name, why in _find_misfits(command):
        raise ValueError(f"{name}: {command.op} {command.step_id}: {why}".replace(" :", ":"))
    row = f"PLAN_CMD: {command.op} {command.step_id}"
    if command.op in EDIT_OPS:
        row += f" [{command.step_type}] {command.description}".rstrip(" ")
    elif command.result:
        row += f" | {command.result}"
    return [row, *(f"> {line}" if line else ">" for line in command.detail)]


def _find_misfits(command: PlanCommand) -> Iterator[tuple[str, str]]:
    """The fields that the verb of a command needs or does not have, and why each is wrong."""
    if not command.step_id:
        yield "step_id", "is missing"
    if command.step_id == "ALL" and command.op != "REPLAN":
        yield "step_id", "ALL is for REPLAN only"
    if command.op not in EDIT_OPS:
        for name in ("step_type", "description", "detail"):
            if getattr(command, name):
                yield name, "is for ADD and REVISE only"
    elif not command.step_type:
        yield "step_type", "is missing"
    if command.result and command.op in (*EDIT_OPS, *VIEW_OPS):
        yield "result", "is not for this verb"
