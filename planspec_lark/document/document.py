"""A plan together with its text. What changes the plan changes only those lines of the text that it must."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy

from planspec_lark.collector import paused
from planspec_lark.document import changes
from planspec_lark.document.pieces import cut_accepted
from planspec_lark.document.stretches import Chain, Stretch
from planspec_lark.document.styles import find_style
from planspec_lark.document.watching import Watcher
from planspec_lark.limits import DEFAULT_LIMITS, NO_LIMITS, Limits
from planspec_lark.plan_cmd.applying import Report, perform_all
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.reading import parse_plan

__all__ = ["PlanDocument"]


class PlanDocument:
    """A plan and its text, made by :meth:`from_text`.

    The text always reads as the plan. All that a change need not touch stays as it is, byte for byte. Methods that
    change the plan say in words what they did, and raise a :class:`planspec_lark.CommandError` where they cannot; then
    nothing has changed.
    """

    def __init__(self, plan: PlanSpec, text: str, name: str) -> None:
        self.name = name
        self._plan = plan
        with paused(len(text)):
            self._chain = _cut(plan, text)
        self._finder = Watcher(plan, self._chain)

    @classmethod
    def from_text(cls, text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> PlanDocument:
        """The document that a text is.

        Args:
            text: a PlanSpec document.
            name: what diagnostics call it, such as the file's name.
            limits: how much to take.

        Raises:
            PlanSyntaxError: as :func:`planspec_lark.parse_plan` does.
        """
        return cls(parse_plan(text, name=name, limits=limits), text, name)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self._chain.text

    @property
    def plan(self) -> PlanSpec:
        """The plan as it is now: a copy, whose changes change nothing here."""
        return deepcopy(self._plan)

    def apply(self, commands: Iterable[PlanCommand], *, atomic: bool = False) -> list[Report]:
        """Let commands change the plan, one after the other.

        Args:
            commands: what to do.
            atomic: change nothing at all unless every command succeeds.

        Returns:
            What became of each command: whether it is ``done``, a ``message`` that says what it did or why it was
            refused, and the ``code`` of the refusal.
        """
        reports, _ = perform_all(self._plan, commands, atomic=atomic, finder=self._finder)
        return reports

    def set_status(self, step_id: str, status: PlanStatus | str, result: str | None = None) -> str:
        """Give a step a status, and a result unless that is None; an empty one takes the old one away."""
        return changes.set_status(self._finder, step_id, status, result)

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
    ) -> str:
        """Put in a step as ADD does: with exactly this id; if it is taken, that step and those behind it make room.

        Unlike ADD, all texts are taken as they are: what would mean something in a line is escaped there.
        """
        fields = {"inputs": [*inputs], "outputs": [*outputs], "detail": [*detail]}
        return changes.add_step(
            self._plan,
            self._finder,
            step_id,
            step_type=step_type,
            description=description,
            step_name=name,
            **fields,
        )

    def remove(self, step_id: str, *, renumber: bool = False) -> str:
        """Take out a step and all below it.

        The others keep their ids, unless ``renumber`` closes the gap: then the unbroken run of numbers behind the step
        moves down by one, so that a step that was added and is removed leaves no trace.
        """
        return changes.remove_step(self._plan, self._finder, step_id, renumber=renumber)

    def move(self, step_id: str, to: str) -> str:
        """Give a step, with all below it, the id ``to`` and the place that goes with it.

        It is taken out first, and its old number stays free; then it is put in as ADD does: if the id is taken, that
        step and those behind it make room.
        """
        return changes.move_step(self._plan, self._finder, step_id, to)

    def rename(self, step_id: str, name: str) -> str:
        """Give a step another name, or none where ``name`` is empty."""
        return changes.rename_step(self._finder, step_id, name)

    def __reduce__(self) -> tuple[object, ...]:
        # Copies, too, are made this way: the chain of lines is long, and would be followed by recursion.
        return _restore, (self.text, self.name, [step.expanded for step in iter_steps(self._plan)])

    def __repr__(self) -> str:
        return f"<PlanDocument {self.name!r}>"


def _restore(text: str, name: str, flags: list[bool | None]) -> PlanDocument:
    plan = parse_plan(text, limits=NO_LIMITS)
    for step, expanded in zip(iter_steps(plan), flags, strict=True):
        step.expanded = expanded
    return PlanDocument(plan, text, name)


def _cut(plan: PlanSpec, text: str) -> Chain:
    head, *pieces = cut_accepted(text)
    steps = {step.step_id: step for step in iter_steps(plan)}
    stretch = Stretch.of(head, None)
    chain = Chain(stretch, find_style(plan, pieces))
    for piece in pieces:
        stretch = Stretch.of(piece, steps[piece.step_id or ""], stretch.usual_end)
        chain.append(stretch)
    return chain
