"""Changes of a plan that no command has a verb for. As with commands, what is refused changes nothing."""

from __future__ import annotations

from typing import Any

from planspec_lark.document.watching import Watcher
from planspec_lark.plan_cmd.apply import count_steps, find_known, find_room
from planspec_lark.planspec.models import STEP_TYPES, PlanStatus, PlanStep, iter_steps
from planspec_lark.syntax.diagnostics import CommandError

__all__ = ["add_step", "move_step", "remove_step", "rename_step", "set_status"]


def _check(what: str, step_id: str, **values: Any) -> PlanStep:
    """A step with these values, which only stands for whether they can be."""
    try:
        return PlanStep(step_id, **values)
    except (TypeError, ValueError) as error:
        raise CommandError("PC118", f"{what}: {error}") from None


def set_status(finder: Watcher, step_id: str, status: PlanStatus | str, result: str | None) -> str:
    """Give a step a status, and a result unless that is None."""
    what = f"SET {step_id}"
    checked = _check(what, step_id, status=status, result="" if result is None else result)
    step = find_known(step_id, finder, what)
    was, step.status = step.status, checked.status
    if result is not None:
        step.result = checked.result
    return f"step {step_id}: {was.value} → {step.status.value}"


def rename_step(finder: Watcher, step_id: str, name: str) -> str:
    """Give a step another name, or none where it is empty."""
    what = f"RENAME {step_id}"
    checked = _check(what, step_id, step_name=name)
    step = find_known(step_id, finder, what)
    _refuse_taken(finder, checked.step_name, step.step_name, what)
    finder.call(step, checked.step_name)
    return f"step {step_id} is called {name}" if name else f"step {step_id} has no name"


def _refuse_taken(finder: Watcher, name: str, was: str, what: str) -> None:
    if name not in ("", was) and finder.is_called(name):
        raise CommandError("PC120", f"{what}: another step is called {name}")


def add_step(finder: Watcher, step_id: str, values: dict[str, Any]) -> str:
    """Put in a step with these values, as ADD does."""
    what = f"ADD {step_id}"
    step = _check(what, step_id, **values)
    if step.step_type not in STEP_TYPES:
        raise CommandError("PC114", f"{what}: '{step.step_type}' is none of {', '.join(STEP_TYPES)}")
    _refuse_taken(finder, step.step_name, "", what)
    moved = find_room(step, step.step_id, finder, what).take(step, finder)
    finder.add(step)
    return f"step {step.step_id} added{moved}"


def remove_step(finder: Watcher, step_id: str, *, renumber: bool) -> str:
    """Take out a step and all below it; with ``renumber``, the run of numbers behind it moves down by one."""
    step = find_known(step_id, finder, f"REMOVE {step_id}")
    siblings, head = finder.siblings_of(step)
    del siblings[finder.index_of(siblings, head, step)]
    finder.remove(step)
    gone = list(iter_steps(step))
    finder.remove_lines(gone)
    words = f"step {step_id} removed"
    if len(gone) > 1:
        words += f" with {count_steps(len(gone) - 1)} below it"
    moved = finder.run_behind(siblings, step_id) if renumber else {}
    if moved:
        finder.move_up(moved, step_id.rpartition(".")[0], by=-1)
        words += f", {count_steps(sum(map(len, moved.values())))} behind it moved down by one"
    return words


def move_step(finder: Watcher, step_id: str, to: str) -> str:
    """Give a step with all below it another place: exactly this id, where all make room as they do for ADD."""
    what = f"MOVE {step_id} to {to}"
    _check(what, to)
    step = find_known(step_id, finder, what)
    if to == step_id:
        return f"step {step_id} stays where it is"
    if to.startswith(f"{step_id}."):
        raise CommandError("PC119", f"{what}: a step can not stand below itself")
    siblings, head = finder.siblings_of(step)
    at = finder.index_of(siblings, head, step)
    del siblings[at]
    try:
        room = find_room(step, to, finder, what)
    except CommandError:
        siblings.insert(at, step)
        raise
    finder.remove(step)
    # Orphans that the step takes in there are none of these: their lines stay, and its own go in front of them.
    block = list(iter_steps(step))
    moved = room.take(step, finder)
    # Between the same neighbours, lines may stay where they are.
    if room.siblings is not siblings or room.gap.at != at:
        finder.move_lines(block)
    return f"step {step_id} moved to {to}{moved}"
