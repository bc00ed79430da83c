"""A plan together with its text. What changes the plan changes only those lines of the text that it must.

What is refused changes nothing, as with commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from planspec_lark.document.mentions import StaleMention, find_mentions
from planspec_lark.document.rewrite import PlanLines, StepPlace
from planspec_lark.plan_cmd.apply import (
    CommandOutcome,
    find_known,
    find_room,
    leaf_with_children,
    perform_all,
    put_in,
    unknown_type,
)
from planspec_lark.plan_cmd.finder import Finder
from planspec_lark.plan_cmd.models import PlanCommand
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
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.planspec.scan_result import ScanResult
from planspec_lark.syntax.diagnostics import CommandError, PlanSyntaxError, count_of, quote, shorten
from planspec_lark.syntax.fields import reset
from planspec_lark.syntax.limits import DEFAULT_LIMITS, NO_LIMITS, Limits

__all__ = ["PlanDocument"]


def _check(what: str, step_id: str, **values: Any) -> PlanStep:
    """A step with these values, which only stands for whether they can be."""
    try:
        return PlanStep(step_id, **values)
    except (TypeError, ValueError) as error:
        raise CommandError("PC118", f"{what}: {error}") from None


class _Editor(Finder):
    """Finds and changes steps of a plan, and puts in the lines of those that come."""

    def __init__(self, plan: PlanSpec, lines: PlanLines, *, requires_result: bool) -> None:
        super().__init__(plan, requires_result=requires_result)
        self._lines = lines

    def add(self, step: PlanStep) -> None:
        """Put in the lines of a step that is new in the plan."""
        super().add(step)
        self._lines.put(step, self.place_of(step, step.children))

    def add_at(self, step: PlanStep, siblings: list[PlanStep], at: int) -> None:
        """Put in the lines of a new step that is at an index of its siblings."""
        super().add_at(step, siblings, at)
        self._lines.put(step, self._place(step, siblings, at))

    def place_of(self, step: PlanStep, adopted: Sequence[PlanStep]) -> StepPlace:
        """The place of the lines of a step in the plan; those that it has adopted have theirs already."""
        siblings, head = self.siblings_of(step)
        return self._place(step, siblings, self.index_of(siblings, head, step), adopted)

    def _place(self, step: PlanStep, siblings: list[PlanStep], at: int, adopted: Sequence[PlanStep] = ()) -> StepPlace:
        before = [*siblings[at + 1 : at + 2], *adopted[:1]]
        return StepPlace(siblings[at - 1] if at else None, before, self.parent_of(step))


class PlanDocument:
    """A plan and its text, made by :meth:`from_text`.

    The text always reads as the plan, and what a change need not touch stays as it is, byte for byte. Methods that
    change the plan say what they did, or raise a :class:`planspec_lark.CommandError` and change nothing. After any
    other error in a change, such as an interrupt, the document cannot be used any more.
    """

    def __init__(self, scan: ScanResult, *, requires_result: bool = False) -> None:
        self.name, self._requires_result, self._plan = scan.source.name, requires_result, scan.plan
        # None: to be written.
        self._text: str | None = scan.source.text
        self._lines = PlanLines(self._text, self._plan)
        self._editor = _Editor(self._plan, self._lines, requires_result=requires_result)
        # Steps by the names that they have or had.
        self._named: dict[str, dict[int, PlanStep]] = {}
        for step in iter_steps(self._plan):
            self._note_name(step)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        name: str = "<text>",
        limits: Limits = DEFAULT_LIMITS,
        requires_result: bool = False,
    ) -> PlanDocument:
        """The document of a text.

        Args:
            text, name, limits: as for :func:`planspec_lark.parse_plan`.
            requires_result: refuse to mark a step as done without a result (PC122).

        Raises:
            PlanSyntaxError: as for :func:`planspec_lark.parse_plan`.
        """
        scan = scan_strictly(text, name=name, limits=limits)
        if scan.diagnostics:
            raise PlanSyntaxError(scan.diagnostics, scan.source)
        return cls(scan, requires_result=requires_result)

    # ---------------------------------------------------------------- looking

    @property
    def text(self) -> str:
        """The text as it is now.

        Raises:
            RoundTripError: it would not read as the plan, which is a fault of this library.
        """
        if self._text is None:
            self._text = self._lines.write(self._plan).text
        return self._text

    @property
    def plan(self) -> PlanSpec:
        """A copy of the plan as it is now."""
        return deepcopy(self._plan)

    def find(self, id_or_name: str) -> str:
        """The id of the step with this id, or else this name.

        Raises:
            CommandError: no step has it, or several do.
        """
        if self._editor.look_up(id_or_name) is not None:
            return id_or_name
        found = [step.step_id for step in self._find_named(id_or_name)]
        if len(found) == 1:
            return found[0]
        said = quote(id_or_name)
        if found:
            raise CommandError("PC111", f"several steps have the name {said}: {shorten(', '.join(found))}")
        raise CommandError("PC111", f"no step has the id or name {said}")

    def _find_named(self, name: str) -> list[PlanStep]:
        """All steps with a name."""
        found = self._named.get(name, {}).values() if name else ()
        # Those that had it may have gone or got another one.
        return [step for step in found if step.step_name == name and self._editor.look_up(step.step_id) is step]

    def result_of(self, step_id: str) -> str:
        """The result of a step; empty if there is none."""
        step = self._editor.look_up(step_id)
        return step.result if step is not None else ""

    def stale_mentions(self) -> list[StaleMention]:
        """The places in the text that say "step 2" of a step that had this id at first and has another one now.

        Steps added since do not count: they were written with the new ids in mind.
        """
        first = self._lines.id_read
        moved = {was: step.step_id for step in iter_steps(self._plan) if (was := first(step)) not in {"", step.step_id}}
        found: list[StaleMention] = []
        if moved:
            written = self._lines.write(self._plan)
            line = 1
            for step, lines in [(None, written.above), *((one.step, one.lines + one.gap) for one in written.steps)]:
                if step is None or first(step):
                    found += find_mentions(lines, line, moved)
                line += lines.count("\n")
        return found

    def free_id(self, above: str = "") -> str:
        """The id for a new last step, at the top level or below the step with this id or name.

        Raises:
            CommandError: no step has it, or several do.
        """
        above = self.find(above) if above else ""
        step = self._editor.look_up(above)
        siblings = self._plan.steps if step is None else step.children
        last = max((int(one.step_id.rpartition(".")[2]) for one in siblings), default=0)
        return f"{above}.{last + 1}".lstrip(".")

    # ---------------------------------------------------------------- changing

    def apply(self, commands: Iterable[PlanCommand], *, atomic: bool = False) -> list[CommandOutcome]:
        """Let commands change the plan, one after the other.

        Args:
            atomic: change nothing unless every command succeeds.

        Returns:
            For each command, whether it is ``done``, a ``message`` that says what it did or why it was refused, and the
            ``code`` of the refusal.
        """
        self._text = None
        return perform_all(self._editor, commands, atomic=atomic)[0]

    def set_status(self, step_id: str, status: PlanStatus | str, result: str | None = None) -> str:
        """Give a step a status and, unless it is None, a result; an empty one removes the old one."""
        what = f"SET {step_id}"
        checked = _check(what, step_id, status=status, result="" if result is None else result)
        step = self._find(step_id, what)
        said = step.result if result is None else checked.result
        self._editor.check_result(checked.status, said, what)
        was, step.status, step.result = step.status, checked.status, said
        return f"step {step_id}: {was.value} → {step.status.value}"

    def reopen(self, step_id: str) -> str:
        """Set a step and all below it back to pending, and remove their results.

        Ended steps around it are active again.
        """
        step = self._find(step_id, f"REOPEN {step_id}")
        below = list(iter_steps(step))
        for one in below:
            reset(one, "status", "result", "done_count")
        above = self._editor.parent_of(step)
        while above is not None:
            if above.status not in OPEN:
                above.status, above.result = PlanStatus.ACTIVE, ""
            above = self._editor.parent_of(above)
        words = f"step {step_id} is open again"
        return f"{words}, with {count_of(len(below) - 1, 'step')} below it" if len(below) > 1 else words

    def revise(self, step_id: str, **values: Any) -> str:
        """Give fields of a step other values, such as ``description=`` or ``inputs=``; all others stay.

        Unlike REVISE, it keeps the step's state, and takes texts as they are.
        """
        what = f"REVISE {step_id}"
        checked = _check(what, step_id, **values)
        step = self._find(step_id, what)
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

    def add(  # noqa: PLR0913  (the fields of a step)
        self,
        step_id: str,
        step_type: str,
        description: str = "",
        *,
        name: str = "",
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        detail: Sequence[str] = (),
        **words: str,
    ) -> str:
        """Add a step with exactly this id, as ADD does: if it is taken, that step and those after it move up.

        Unlike ADD, it takes texts as they are, and escapes what would mean something in a line. ``words`` are fields of
        one word.
        """
        what = f"ADD {step_id}"
        values: dict[str, Any] = {"inputs": [*inputs], "outputs": [*outputs], "detail": [*detail], **words}
        step = _check(what, step_id, step_name=name, step_type=step_type, description=description, **values)
        if step_type not in STEP_TYPES:
            raise unknown_type(step_type, what)
        self._check_name(name, what)
        self._text = None
        said = f"step {step_id} added{put_in(step, self._editor, what)}"
        self._note_name(step)
        return said

    def remove(self, step_id: str, *, renumber: bool = False) -> str:
        """Remove a step and all below it.

        The others keep their ids, unless ``renumber`` closes the gap: the unbroken run of numbers after the step moves
        down by one.
        """
        step, editor = self._find(step_id, f"REMOVE {step_id}"), self._editor
        siblings, head = editor.siblings_of(step)
        del siblings[editor.index_of(siblings, head, step)]
        editor.remove(step)
        words = f"step {step_id} removed"
        if below := sum(1 for _ in iter_steps(step)) - 1:
            words += f" with {count_of(below, 'step')} below it"
        moved = editor.run_behind(siblings, step_id) if renumber else {}
        if moved:
            editor.move_up(moved, step_id.rpartition(".")[0], by=-1)
            words += f", {count_of(sum(map(len, moved.values())), 'step')} after it moved down by one"
        return words

    def move(self, step_id: str, to: str) -> str:
        """Give a step, with all below it, the id ``to`` and its place.

        Its old number stays free. If the new id is taken, that step and those after it move up.
        """
        what = f"MOVE {step_id} to {to}"
        _check(what, to)
        step, editor = self._find(step_id, what), self._editor
        if to == step_id:
            return f"step {step_id} stays where it is"
        if to.startswith(f"{step_id}."):
            raise CommandError("PC119", f"{what}: a step cannot move below itself")
        siblings, head = editor.siblings_of(step)
        at = editor.index_of(siblings, head, step)
        del siblings[at]
        try:
            room = find_room(step, to, editor, what)
        except CommandError:
            siblings.insert(at, step)
            raise
        editor.remove(step)
        own = list(iter_steps(step))
        moved = room.take(step, editor)
        # Between the same neighbours, lines may stay where they are.
        if room.siblings is not siblings or room.at != at:
            self._lines.move(own, editor.place_of(step, [] if len(own) > 1 else step.children))
        return f"step {step_id} moved to {to}{moved}"

    def rename(self, step_id: str, name: str) -> str:
        """Give a step another name; an empty one removes it."""
        what = f"RENAME {step_id}"
        _check(what, step_id, step_name=name)
        step = self._find(step_id, what)
        if name != step.step_name:
            self._check_name(name, what)
            step.step_name = name
            self._note_name(step)
        return f"step {step_id} is called {name}" if name else f"step {step_id} has no name"

    def _find(self, step_id: str, what: str) -> PlanStep:
        """A step that is to change, or to go."""
        self._text = None
        return find_known(step_id, self._editor, what)

    def _check_name(self, name: str, what: str) -> None:
        """Refuse a name by which a step could not be found."""
        if name.isdecimal():
            raise CommandError("PC118", f"{what}: a name cannot be a number alone, as ids are: `{name}`")
        if self._find_named(name):
            raise CommandError("PC120", f"{what}: another step already has the name `{name}`")

    def _note_name(self, step: PlanStep) -> None:
        self._named.setdefault(step.step_name, {})[id(step)] = step

    # ---------------------------------------------------------------- copies

    def __getstate__(self) -> tuple[str, bool, str, list[bool | None]]:
        # Copies, too, are made this way.
        return self.name, self._requires_result, self.text, [step.expanded for step in iter_steps(self._plan)]

    def __setstate__(self, state: tuple[str, bool, str, list[bool | None]]) -> None:
        name, requires_result, text, flags = state
        # It was accepted once.
        scan = scan_strictly(text, name=name, limits=NO_LIMITS)
        for step, expanded in zip(iter_steps(scan.plan), flags, strict=True):
            step.expanded = expanded
        PlanDocument.__init__(self, scan, requires_result=requires_result)

    def __repr__(self) -> str:
        return f"<PlanDocument {self.name!r}>"
