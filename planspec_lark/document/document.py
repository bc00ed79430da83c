"""A plan together with its text. What changes the plan changes only those lines of the text that it must."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, TypeVar

from attrs import evolve

from planspec_lark.document.blocks import Blocks
from planspec_lark.document.edits import Editor
from planspec_lark.document.mentions import StaleMention
from planspec_lark.document.round_trip import check_change
from planspec_lark.plan_cmd.apply import CommandOutcome, perform_all
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.recovery import ScanResult, scan_strictly
from planspec_lark.syntax.diagnostics import CommandError, PlanSyntaxError, quote, shorten
from planspec_lark.syntax.limits import DEFAULT_LIMITS, NO_LIMITS, Limits

__all__ = ["PlanDocument"]

_T = TypeVar("_T")
_Change = Callable[[Editor], _T]


# The text, and whether each of its steps is shown unfolded.
_State = tuple[str, list[bool | None]]


class PlanDocument:
    """A plan and its text, made by :meth:`from_text`.

    The text always reads as the plan. All that a change need not touch stays as it is, byte for byte. Methods that
    change the plan say in words what they did, and raise a :class:`planspec_lark.CommandError` where they cannot; then
    nothing has changed. Nor has it after any other error: before a change is kept, it is looked at whether the text
    still reads as the plan. If it does not, that is a fault of this library, and a :class:`RuntimeError` says so.
    """

    def __init__(self, scan: ScanResult, *, requires_result: bool = False) -> None:
        self.name, self._requires_result = scan.source.name, requires_result
        self._begin(scan)

    def _begin(self, scan: ScanResult) -> None:
        self._load(scan)
        # What the document was at first, and all that has been done to it since: so any change can be taken back.
        self._origin = self._state()
        self._kept: list[_Change[object]] = []

    def _state(self) -> _State:
        return self.text, [step.expanded for step in iter_steps(self._plan)]

    def _scan(self, text: str, flags: list[bool | None]) -> ScanResult:
        """How a text is read that was once accepted."""
        scan = scan_strictly(text, name=self.name, limits=NO_LIMITS)
        for step, expanded in zip(iter_steps(scan.plan), flags, strict=True):
            step.expanded = expanded
        return scan

    def _load(self, scan: ScanResult) -> None:
        self._plan, self._blocks = scan.plan, Blocks(scan.source.text, scan.plan)
        self._editor = Editor(self._plan, self._blocks, requires_result=self._requires_result)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        name: str = "<text>",
        limits: Limits = DEFAULT_LIMITS,
        requires_result: bool = False,
    ) -> PlanDocument:
        """The document that a text is.

        Args:
            text: a PlanSpec document.
            name: what diagnostics call it, such as the file's name.
            limits: how much to take.
            requires_result: refuse to set a step to done that has no result (PC122).

        Raises:
            PlanSyntaxError: as :func:`planspec_lark.parse_plan` does.
        """
        scan = scan_strictly(text, name=name, limits=limits)
        if scan.diagnostics:
            raise PlanSyntaxError(scan.diagnostics, scan.source)
        return cls(scan, requires_result=requires_result)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self._blocks.text

    @property
    def plan(self) -> PlanSpec:
        """The plan as it is now: a copy, whose changes change nothing here."""
        return deepcopy(self._plan)

    def find(self, id_or_name: str) -> str:
        """The id of the step that has this id, or else this name.

        Raises:
            CommandError: no step has it, or several have this name.
        """
        if self._editor.look_up(id_or_name) is not None:
            return id_or_name
        found = [step.step_id for step in iter_steps(self._plan) if step.step_name and step.step_name == id_or_name]
        if len(found) == 1:
            return found[0]
        said = quote(id_or_name)
        if found:
            raise CommandError("PC111", f"several steps have the name {said}: {shorten(', '.join(found))}")
        raise CommandError("PC111", f"no step has the id or name {said}")

    def result_of(self, step_id: str) -> str:
        """What came of a step; empty where it does not say, or there is no such step."""
        step = self._editor.look_up(step_id)
        return step.result if step is not None else ""

    def stale_mentions(self) -> list[StaleMention]:
        """The places in the text that say "step 2" of what had this id at first and has another one now.

        Steps that were added since do not count: they were written with the new ids in mind.
        """
        return [*self._editor.stale_mentions()]

    def free_id(self, above: str = "") -> str:
        """The id of a new step after all others at the top level, or below the step with this id or name.

        Raises:
            CommandError: no step has it, or several have this name.
        """
        above = self.find(above) if above else ""
        step = self._editor.look_up(above)
        siblings = self._plan.steps if step is None else step.children
        last = max((int(one.step_id.rpartition(".")[2]) for one in siblings), default=0)
        return f"{above}.{last + 1}".lstrip(".")

    def apply(self, commands: Iterable[PlanCommand], *, atomic: bool = False) -> list[CommandOutcome]:
        """Let commands change the plan, one after the other.

        Args:
            commands: what to do.
            atomic: change nothing at all unless every command succeeds.

        Returns:
            What became of each command: whether it is ``done``, a ``message`` that says what it did or why it was
            refused, and the ``code`` of the refusal.
        """
        commands = [*commands]
        reports, has_changed = self._try(partial(perform_all, commands=commands, atomic=atomic))
        if has_changed:
            done = [command for command, report in zip(commands, reports, strict=True) if report.done]
            # Copies, as the caller may change these.
            copies = [evolve(one, detail=[*one.detail]) for one in done]
            self._kept.append(partial(perform_all, commands=copies, atomic=False))
        return reports

    def set_status(self, step_id: str, status: PlanStatus | str, result: str | None = None) -> str:
        """Give a step a status, and a result unless that is None; an empty one takes the old one away."""
        return self._change(lambda editor: editor.set_status(step_id, status, result))

    def reopen(self, step_id: str) -> str:
        """Set a step, with all below it, back to pending, and take their results away.

        The steps around it that had ended are active again.
        """
        return self._change(lambda editor: editor.reopen_step(step_id))

    def revise(self, step_id: str, **values: Any) -> str:
        """Give fields of a step other values, such as ``description=`` or ``inputs=``; all others stay as they are.

        Unlike REVISE, it leaves the step's state alone, and all texts are taken as they are.
        """
        return self._change(lambda editor: editor.revise_step(step_id, values))

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
        """Put in a step as ADD does: with exactly this id; if it is taken, that step and those after it make room.

        Unlike ADD, all texts are taken as they are: what would mean something in a line is escaped there. ``words`` are
        fields of a step that are one word.
        """
        values: dict[str, object] = {"step_type": step_type, "description": description, "step_name": name}
        values |= {"inputs": [*inputs], "outputs": [*outputs], "detail": [*detail], **words}
        return self._change(lambda editor: editor.add_step(step_id, values))

    def remove(self, step_id: str, *, renumber: bool = False) -> str:
        """Take out a step and all below it.

        The others keep their ids, unless ``renumber`` closes the gap: then the unbroken run of numbers after the step
        moves down by one.
        """
        return self._change(lambda editor: editor.remove_step(step_id, renumber=renumber))

    def move(self, step_id: str, to: str) -> str:
        """Give a step, with all below it, the id ``to`` and the place that goes with it.

        It is taken out first, and its old number stays free; then it is put in as ADD does: if the id is taken, that
        step and those after it make room.
        """
        return self._change(lambda editor: editor.move_step(step_id, to))

    def rename(self, step_id: str, name: str) -> str:
        """Give a step another name, or none where ``name`` is empty."""
        return self._change(lambda editor: editor.rename_step(step_id, name))

    def _change(self, change: _Change[str]) -> str:
        said = self._try(change)
        self._kept.append(change)
        return said

    def _try(self, change: _Change[_T]) -> _T:
        """Make a change; where anything goes wrong, the document is as it was.

        Raises:
            CommandError: the change is refused.
            RoundTripError: the text would not read as the plan.
        """
        try:
            made = change(self._editor)
            check_change(self._editor, self._blocks)
        except CommandError:
            # What is refused has changed nothing.
            raise
        except BaseException:
            self._go_back()
            raise
        return made

    def _go_back(self) -> None:
        """Be again what all changes that have been kept have made of the document."""
        self._load(self._scan(*self._origin))
        for change in self._kept:
            change(self._editor)
        check_change(self._editor, self._blocks)

    def __getstate__(self) -> tuple[str, bool, _State]:
        # Copies, too, are made this way.
        return self.name, self._requires_result, self._state()

    def __setstate__(self, state: tuple[str, bool, _State]) -> None:
        self.name, self._requires_result, origin = state
        self._begin(self._scan(*origin))

    def __repr__(self) -> str:
        return f"<PlanDocument {self.name!r}>"
