"""Changes of a plan and, with it, of its text. As with commands, what is refused changes nothing.

Commands find the steps of a plan through an editor, too. A command that finds a step may change it, so its lines are
looked at again; a command that adds, renumbers or removes steps says so anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from planspec_lark.document.blocks import Blocks, StepPlace
from planspec_lark.document.mentions import StaleMention, find_mentions
from planspec_lark.plan_cmd.apply import (
    find_known,
    find_room,
    leaf_with_children,
    put_in,
    unknown_type,
)
from planspec_lark.plan_cmd.finder import Finder, Move
from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    OPEN,
    STEP_FIELDS,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
)
from planspec_lark.syntax.diagnostics import CommandError, count_of
from planspec_lark.syntax.fields import reset

__all__ = ["Editor"]


def _check(what: str, step_id: str, **values: Any) -> PlanStep:
    """A step with these values, which only stands for whether they can be."""
    try:
        return PlanStep(step_id, **values)
    except (TypeError, ValueError) as error:
        raise CommandError("PC118", f"{what}: {error}") from None


class Editor(Finder):
    """Finds and changes steps of a plan, and keeps the lines of its text in step with them."""

    def __init__(self, plan: PlanSpec, blocks: Blocks, *, requires_result: bool = False) -> None:
        index = {step.step_id: step for step in iter_steps(plan)}
        super().__init__(plan, index, requires_result=requires_result)
        self._blocks = blocks
        self._names = Counter(step.step_name for step in iter_steps(plan))
        # Steps that have got other ids with those that they had at first, and steps that are new.
        self._moved: dict[int, tuple[PlanStep, str]] = {}
        self._new: dict[int, PlanStep] = {}

    @property
    def count(self) -> int:
        """How many ids of steps there are."""
        return len(self._index or ())

    # ---------------------------------------------------------------- what commands say

    def touch(self, step: PlanStep) -> None:
        """Note that the lines of a step may change."""
        self._blocks.touch(step)

    def add(self, step: PlanStep) -> None:
        """Put in the lines of a step that is new in the plan."""
        super().add(step)
        self._note_new(step)
        self._blocks.insert(step, self._place_of(step, step.children))

    def add_at(self, step: PlanStep, siblings: list[PlanStep], at: int) -> None:
        """Put in the lines of a new step that is at an index of its siblings."""
        super().add_at(step, siblings, at)
        self._note_new(step)
        before = next(iter(siblings[at + 1 : at + 2]), None)
        self._blocks.insert(step, StepPlace(siblings[at - 1] if at else None, before, self.parent_of(step)))

    def _note_new(self, step: PlanStep) -> None:
        self._names[step.step_name] += 1
        self._new[id(step)] = step

    def renumber(self, moves: Sequence[Move], new: Collection[int] = ()) -> None:
        """Give steps, and all below them, ids that begin otherwise, in their lines as well."""
        super().renumber(moves, new)
        for step, old, lead in moves:
            for below in iter_steps(step) if old != lead else ():
                self._blocks.touch(below, is_placed=True)
                if id(below) not in self._new:
                    self._moved.setdefault(id(below), (below, old + below.step_id[len(lead) :]))

    def stale_mentions(self) -> Iterator[StaleMention]:
        """The places in the text that speak of a step by an id that it, or the step that it meant, has no more."""
        there = [(step, was) for step, was in self._moved.values() if self.look_up(step.step_id) is step]
        moved = {was: step.step_id for step, was in there if was != step.step_id}
        line = 1
        for block in self._blocks if moved else ():
            lines = self._blocks.show(block)
            if id(block.step) not in self._new:
                yield from find_mentions(lines, line, moved)
            line += lines.count("\n")

    def remove_below(self, step: PlanStep) -> None:
        """Take out the lines of all steps below a step."""
        self._remove_lines(islice(iter_steps(step), 1, None))
        super().remove_below(step)

    def _remove_lines(self, steps: Iterable[PlanStep]) -> None:
        gone = [*steps]
        self._blocks.remove(gone)
        self._names.subtract(step.step_name for step in gone)

    def _place_of(self, step: PlanStep, adopted: list[PlanStep]) -> StepPlace:
        """The place of the lines of a step in the plan; those that it has adopted have theirs already."""
        siblings, head = self.siblings_of(step)
        at = self.index_of(siblings, head, step)
        behind = [*siblings[at + 1 : at + 2], *adopted[:1]]
        before = min(behind, key=self._blocks.rank, default=None)
        return StepPlace(siblings[at - 1] if at else None, before, self.parent_of(step))

    # ---------------------------------------------------------------- what no command has a verb for

    def set_status(self, step_id: str, status: PlanStatus | str, result: str | None) -> str:
        """Give a step a status, and a result unless that is None."""
        what = f"SET {step_id}"
        checked = _check(what, step_id, status=status, result="" if result is None else result)
        step = find_known(step_id, self, what)
        said = step.result if result is None else checked.result
        self.check_result(checked.status, said, what)
        was, step.status, step.result = step.status, checked.status, said
        return f"step {step_id}: {was.value} → {step.status.value}"

    def reopen_step(self, step_id: str) -> str:
        """Set a step and all below it back to pending, without results; what is around it is not done any more."""
        step = find_known(step_id, self, f"REOPEN {step_id}")
        below = list(iter_steps(step))
        for one in below:
            self._blocks.touch(one)
            reset(one, "status", "result", "done_count")
        above = self.parent_of(step)
        while above is not None:
            if above.status not in OPEN:
                self._blocks.touch(above)
                above.status, above.result = PlanStatus.ACTIVE, ""
            above = self.parent_of(above)
        words = f"step {step_id} is open again"
        return f"{words}, with {count_of(len(below) - 1, 'step')} below it" if len(below) > 1 else words

    def revise_step(self, step_id: str, values: Mapping[str, Any]) -> str:
        """Give fields of a step other values: those that are neither its id nor its name nor its children."""
        what = f"REVISE {step_id}"
        checked = _check(what, step_id, **values)
        step = find_known(step_id, self, what)
        kind = checked.step_type
        if "step_type" in values and kind not in STEP_TYPES:
            raise unknown_type(kind, what)
        if "step_type" in values and step.children and kind not in CONTAINER_TYPES:
            raise leaf_with_children(kind, what)
        for name in values:
            if name not in STEP_FIELDS or name in ("step_id", "step_name"):
                raise CommandError("PC118", f"{what}: the field `{name}` cannot be changed")
            setattr(step, name, getattr(checked, name))
        return f"step {step_id} revised"

    def rename_step(self, step_id: str, name: str) -> str:
        """Give a step another name, or none where it is empty."""
        what = f"RENAME {step_id}"
        checked = _check(what, step_id, step_name=name)
        step = find_known(step_id, self, what)
        if checked.step_name != step.step_name:
            self._check_name(checked.step_name, what)
            self._names.subtract([step.step_name])
            self._names[checked.step_name] += 1
            step.step_name = checked.step_name
        return f"step {step_id} is called {name}" if name else f"step {step_id} has no name"

    def _check_name(self, name: str, what: str) -> None:
        """Refuse a name by which a step could not be found."""
        if name.isdecimal():
            raise CommandError("PC118", f"{what}: a name cannot be a number alone, as ids are: `{name}`")
        if name and self._names[name]:
            raise CommandError("PC120", f"{what}: another step already has the name `{name}`")

    def add_step(self, step_id: str, values: dict[str, Any]) -> str:
        """Put in a step with these values, as ADD does."""
        what = f"ADD {step_id}"
        step = _check(what, step_id, **values)
        if step.step_type not in STEP_TYPES:
            raise unknown_type(step.step_type, what)
        self._check_name(step.step_name, what)
        return f"step {step_id} added{put_in(step, self, what)}"

    def remove_step(self, step_id: str, *, renumber: bool) -> str:
        """Take out a step and all below it; with ``renumber``, the run of numbers after it moves down by one."""
        step = find_known(step_id, self, f"REMOVE {step_id}")
        siblings, head = self.siblings_of(step)
        del siblings[self.index_of(siblings, head, step)]
        self.remove(step)
        gone = list(iter_steps(step))
        self._remove_lines(gone)
        words = f"step {step_id} removed"
        if len(gone) > 1:
            words += f" with {count_of(len(gone) - 1, 'step')} below it"
        moved = self.run_behind(siblings, step_id) if renumber else {}
        if moved:
            self.move_up(moved, step_id.rpartition(".")[0], by=-1)
            words += f", {count_of(sum(map(len, moved.values())), 'step')} after it moved down by one"
        return words

    def move_step(self, step_id: str, to: str) -> str:
        """Give a step with all below it another place: exactly this id, where all make room as they do for ADD."""
        what = f"MOVE {step_id} to {to}"
        _check(what, to)
        step = find_known(step_id, self, what)
        if to == step_id:
            return f"step {step_id} stays where it is"
        if to.startswith(f"{step_id}."):
            raise CommandError("PC119", f"{what}: a step cannot move below itself")
        siblings, head = self.siblings_of(step)
        at = self.index_of(siblings, head, step)
        del siblings[at]
        try:
            room = find_room(step, to, self, what)
        except CommandError:
            siblings.insert(at, step)
            raise
        self.remove(step)
        own = list(iter_steps(step))
        moved = room.take(step, self)
        # Between the same neighbours, lines may stay where they are.
        if room.siblings is not siblings or room.at != at:
            self._blocks.move(own, self._place_of(step, [] if len(own) > 1 else step.children))
        return f"step {step_id} moved to {to}{moved}"
