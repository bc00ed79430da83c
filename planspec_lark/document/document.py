"""A plan together with its text. What changes the plan changes only those lines of the text that it must."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple, TypeVar

from attrs import evolve

from planspec_lark.answers.extract import extract_plan
from planspec_lark.answers.risk import Risk
from planspec_lark.document.blocks import Blocks
from planspec_lark.document.edits import Editor
from planspec_lark.document.round_trip import check_change
from planspec_lark.plan_cmd.apply import Report, perform_all
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.recovery import ScanResult, scan_strictly
from planspec_lark.planspec.scan import scan_plan
from planspec_lark.syntax.diagnostics import CommandError, Diagnostic, PlanSyntaxError, Severity, quote, shorten
from planspec_lark.syntax.limits import DEFAULT_LIMITS, NO_LIMITS, Limits
from planspec_lark.syntax.source import Source

__all__ = ["PlanDocument"]

_T = TypeVar("_T")
_Change = Callable[[Editor], _T]


class _Reading(NamedTuple):
    """How the text of a document is read that has other things around its plan."""

    max_risk: Risk
    default_type: str


# The text, and whether each of its steps is shown unfolded.
_State = tuple[str, list[bool | None]]


class PlanDocument:
    """A plan and its text, made by :meth:`from_text` or :meth:`from_answer`.

    The text always reads as the plan. All that a change need not touch stays as it is, byte for byte. Methods that
    change the plan say in words what they did, and raise a :class:`planspec_lark.CommandError` where they cannot; then
    nothing has changed. Nor has it after any other error: before a change is kept, it is looked at whether the text
    still reads as the plan. If it does not, that is a fault of this library, and a :class:`RuntimeError` says so.
    """

    def __init__(self, scan: ScanResult, *, reading: _Reading | None = None, requires_result: bool = False) -> None:
        self.name, self._reading, self._requires_result = scan.source.name, reading, requires_result
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
        if self._reading is None:
            scan = scan_strictly(text, name=self.name, limits=NO_LIMITS)
        else:
            scan = scan_plan(text, default_type=self._reading.default_type, name=self.name, limits=NO_LIMITS)
        for step, expanded in zip(iter_steps(scan.plan), flags, strict=True):
            step.expanded = expanded
        return scan

    def _load(self, scan: ScanResult) -> None:
        self._plan, self._blocks = scan.plan, Blocks(scan, is_strict=self._is_strict)
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

    @classmethod
    def from_answer(
        cls,
        text: str,
        *,
        max_risk: Risk | str = Risk.MEDIUM,
        default_type: str = "",
        name: str = "<text>",
        limits: Limits = DEFAULT_LIMITS,
    ) -> PlanDocument:
        """The document in a text, as :func:`planspec_lark.extract_plan` finds it; what is around it stays.

        Lines that were read after a repair are written again once their step changes, and not before. After each change
        the text is read again, to see that it still reads as the plan. So many changes should be one list of commands.

        Args:
            text: a text with a plan in it, such as a language model's answer.
            max_risk: the highest risk that is allowed.
            default_type: the type of steps that have none.
            name: what diagnostics call it.
            limits: how much to take.

        Raises:
            PlanSyntaxError: the verdict is not ``accepted``; the diagnostics are those that decide it. Or the plan
                is in a string of a JSON value, where its lines cannot be changed.
            ValueError: there is no such risk or type.
        """
        found = extract_plan(text, max_risk=max_risk, default_type=default_type, name=name, limits=limits)
        if faults := found.faults:
            raise PlanSyntaxError(faults, found.source)
        if found.source.text != text:
            raise PlanSyntaxError([_name_string(Source(text, name))], Source(text, name))
        return cls(found.scan, reading=_Reading(found.max_risk, default_type))

    @property
    def _is_strict(self) -> bool:
        return self._reading is None

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

    def free_id(self, above: str = "") -> str:
        """The id of a new step after all others at the top level, or below the step with this id or name.

        Raises:
            CommandError: no step has it, or several have this name.
        """
        above = self.find(above) if above else ""
        step = self._editor.look_up(above) if above else None
        siblings = self._plan.steps if step is None else step.children
        last = max((int(one.step_id.rpartition(".")[2]) for one in siblings), default=0)
        return f"{above}.{last + 1}" if above else str(last + 1)

    def apply(self, commands: Iterable[PlanCommand], *, atomic: bool = False) -> list[Report]:
        """Let commands change the plan, one after the other.

        Args:
            commands: what to do.
            atomic: change nothing at all unless every command succeeds.

        Returns:
            What became of each command: whether it is ``done``, a ``message`` that says what it did or why it was
            refused, and the ``code`` of the refusal.

        Raises:
            CommandError: PC121, for a document :meth:`from_answer` only.
        """
        commands = [*commands]
        reports, has_changed = self._try(partial(_perform, commands=commands, atomic=atomic))
        if has_changed:
            done = [command for command, report in zip(commands, reports, strict=True) if report.done]
            # Copies, as the caller may change these.
            copies = [evolve(one, detail=[*one.detail]) for one in done]
            self._kept.append(partial(_perform, commands=copies, atomic=False))
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
    ) -> str:
        """Put in a step as ADD does: with exactly this id; if it is taken, that step and those after it make room.

        Unlike ADD, all texts are taken as they are: what would mean something in a line is escaped there.
        """
        values: dict[str, object] = {"step_type": step_type, "description": description, "step_name": name}
        values |= {"inputs": [*inputs], "outputs": [*outputs], "detail": [*detail]}
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
            CommandError: the change is refused. PC121 is for what is around a plan.
            RoundTripError: the text would not read as the plan.
        """
        try:
            made = change(self._editor)
        except CommandError:
            # What is refused has changed nothing.
            raise
        except BaseException:
            self._go_back()
            raise
        try:
            check_change(self._editor, self._blocks, is_strict=self._is_strict)
            if not self._is_strict and not self._reads():
                message = "the text around the plan would be read as part of it, or in place of it"
                raise CommandError("PC121", message)
        except BaseException:
            self._go_back()
            raise
        return made

    def _go_back(self) -> None:
        """Be again what all changes that have been kept have made of the document."""
        self._load(self._scan(*self._origin))
        for change in self._kept:
            change(self._editor)
        check_change(self._editor, self._blocks, is_strict=self._is_strict)

    def _reads(self) -> bool:
        """Whether the text, read as it was at first, is the plan: only steps it may have none of any more."""
        assert self._reading is not None
        max_risk, default_type = self._reading
        found = extract_plan(self.text, max_risk=max_risk, default_type=default_type, limits=NO_LIMITS)
        is_safe = found.is_usable or not (self._plan.steps or found.deciding)
        return is_safe and found.plan == self._plan

    def __getstate__(self) -> tuple[str, _Reading | None, bool, _State]:
        # Copies, too, are made this way: the list of lines is long, and would be followed by recursion.
        return self.name, self._reading, self._requires_result, self._state()

    def __setstate__(self, state: tuple[str, _Reading | None, bool, _State]) -> None:
        self.name, self._reading, self._requires_result, origin = state
        self._begin(self._scan(*origin))

    def __repr__(self) -> str:
        return f"<PlanDocument {self.name!r}>"


def _perform(editor: Editor, commands: list[PlanCommand], *, atomic: bool) -> tuple[list[Report], bool]:
    return perform_all(editor.plan, commands, atomic=atomic, finder=editor)


def _name_string(source: Source) -> Diagnostic:
    message = "the plan is in a string of a JSON value, where its lines cannot be changed"
    span = source.span(0, source.length)
    help = "extract it first: `planspec extract`"
    return Diagnostic("PS101", message, Severity.ERROR, span, help=help, source=source)
