"""A text that is still being written → the plan in it, and in the end what :func:`extract_plan` says of all of it.

The first block of the text is found and read line by line, by the rules 0 to 2 of the reading of answers. A part of its
plan is told when the lines after it have shown that nothing of it can change any more. What takes the whole text (rules
3 to 5, other blocks, escapes, JSON) is said at its end.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import partial
from itertools import chain
from re import Match

from attrs import define, field, frozen

from planspec_lark.answers.block import Lines, Stretch, bare_line
from planspec_lark.answers.extract import Extraction, extract_plan
from planspec_lark.answers.verdict import find_holds
from planspec_lark.planspec.dialect import DIALECT
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep
from planspec_lark.planspec.positions import cut_indentation
from planspec_lark.planspec.recovery import Reader, Section, indent_of
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.envelopes import set_aside, undo_escapes
from planspec_lark.syntax.fences import read_fence, unquote
from planspec_lark.syntax.limits import DEFAULT_LIMITS, OVER_LIMIT, Limits, count_bytes, too_many_bytes, too_many_steps
from planspec_lark.syntax.reasoning import ReasoningFilter
from planspec_lark.syntax.recovery import LineReport
from planspec_lark.syntax.source import WHITE, GrowingSource, end_last_line
from planspec_lark.syntax.tree import grow

__all__ = ["PlanEvent", "PlanEventKind", "PlanStream", "StreamEnd"]

_PIECE = re.compile(r"[^\n]*\n|[^\n]+")


class PlanEventKind(str, Enum):
    """What was read, or what is known from now on."""

    TITLE = "title"
    GOAL = "goal"
    GOAL_DETAIL = "goal_detail"
    CONSTRAINT = "constraint"
    STEP = "step"
    FINDING = "finding"
    SETTLED = "settled"
    HOPELESS = "hopeless"


@frozen
class PlanEvent:
    """Something that is certain: no line of the plan that is still to come takes it back.

    Attributes:
        kind: what it is.
        text: a title, a goal, a constraint, or a detail line of the goal.
        step: a step with what stands below its line, without children.
        diagnostic: a finding, or the fault that makes the text hopeless.
    """

    kind: PlanEventKind
    text: str = ""
    step: PlanStep | None = None
    diagnostic: Diagnostic | None = None


@frozen
class StreamEnd:
    """The result of reading a text.

    Attributes:
        result: what :func:`planspec_lark.extract_plan` says of the whole text.
        events: the last ones.
        superseded: whether its plan is not the one that was told: what is further on in the text has shown so.
    """

    result: Extraction
    events: list[PlanEvent]
    superseded: bool = False


@define(eq=False)
class _Block:
    """Finds the first block of a text, and reads its plan.

    Attributes:
        make_reader: makes the reader of the lines of the block; what that says that it has read is held as long as it
            may change.
        max_risk: the highest risk that is allowed.
        max_steps: how many steps there may be.
        events: takes what is told.
        form: reads the same lines as the form does.
        is_begun: whether there is a block.
        is_ended: whether nothing can be added to it.
        is_settled: whether that was told.
        hold: the first finding that keeps the plan from being accepted.
        excess: that it has more steps than it may.
    """

    make_reader: Callable[..., Reader]
    max_risk: Risk
    max_steps: int | None
    events: list[PlanEvent]
    reader: Reader = field(init=False)
    form: Reader = field(init=False)
    is_begun: bool = False
    is_ended: bool = False
    is_settled: bool = False
    hold: Diagnostic | None = None
    excess: Diagnostic | None = None
    # The line that opens the code block, and the lines outside of one that may be a block.
    _fence: Match[str] | None = None
    _stretch: Stretch = field(init=False)
    _lines: Lines = field(factory=Lines)
    # The lines that are part of the block if it turns out to be one.
    _rows: list[tuple[str, int, int]] = field(factory=list)
    _held: tuple[str, PlanStep | None, int] | None = None
    # Where the line is that is being read, and how many findings were told.
    _at: int = 0
    _told: int = 0
    # Of what was found about refused lines: how much was judged, and the first that holds the plan.
    _judged: int = 0
    _late: Diagnostic | None = None

    def __attrs_post_init__(self) -> None:
        self.reader = self.make_reader(tell=self.hear)
        self.form = Reader(self.reader.source)
        self._stretch = Stretch(self.reader.default_type)

    # ---------------------------------------------------------------- where it is

    def read(self, line: str, start: int, written: str) -> None:
        """Read the next line of the text; ``written`` is all of it, with what was set aside."""
        if self.is_ended:
            return
        fence, stretch = self._fence, self._stretch
        row, at = cut_indentation(unquote(line) if fence and ">" in fence["lead"] else line, start)
        content = bare_line(row)
        indent = indent_of(written, at - start + row.find(content)) if content else 0
        place = row, at, indent_of(written, at - start)
        sign = read_fence(line, fence)
        if sign and not fence and stretch.has_line(sign["lead"]):
            sign = None
        if sign and (fence or stretch.is_left_by(len(sign["lead"]))):
            self._leave(start)
            self._fence = None if fence else sign
        elif fence:
            self._add(place, indent, is_known=self._lines.is_plan_line(content))
        elif stretch.take(start, start + len(line), content, indent):
            if start in (stretch.start, stretch.heading):
                self._rows.clear()
            self._add(place, indent, is_known=stretch.has_plan_line)
        else:
            self._leave(start)
            self.read(line, start, written)

    def _add(self, place: tuple[str, int, int], indent: int, *, is_known: bool) -> None:
        """Take a line of what may be a block, or is known to be one."""
        if not (self.is_begun or self._rows):
            if not place[0].strip(WHITE):
                return
            self.reader.base = indent
        self._rows.append(place)
        self.is_begun = self.is_begun or is_known
        for row, at, depth in self._rows if self.is_begun else ():
            self._at = at
            self.reader.read(row, at, depth)
            self.form.read(row, at)
        if self.is_begun:
            self._rows.clear()
            if self.reader.section is Section.STEPS and not self.reader.steps:
                # Nothing goes on with what stands above the header of the steps.
                self._flush()

    def _leave(self, at: int) -> None:
        """End what may be a block before an offset."""
        self.end(at)
        self._stretch, self._lines = Stretch(self.reader.default_type), Lines()
        self._rows.clear()

    def end(self, at: int) -> None:
        """End the block, if there is one: all of it is certain."""
        if not self.is_begun or self.is_ended:
            return
        self._flush()
        self._tell_findings(at)
        self.is_ended = True
        if self._fence and self.reader.steps and not self.hold:
            self.is_settled = True
            self.events.append(PlanEvent(PlanEventKind.SETTLED))

    # ---------------------------------------------------------------- what it says

    @property
    def fault(self) -> Diagnostic | None:
        """What nothing behind it can cure.

        Without a step, a code block further on may count in its place; and what the form takes as it is may be read so.
        """
        # What was found about a refused line stays, whatever belongs to that.
        if self.reader.owner is False and not (self.hold or self._late):
            found = self.reader.found
            self._late = next(iter(self._find_holds(found[max(self._told, self._judged) :])), None)
            self._judged = len(found)
        hold = self.hold or (self._late if self.reader.owner is False else None)
        return self.excess or (hold if self.form.found and (self._fence or self.reader.steps) else None)

    def copy_plan(self) -> PlanSpec:
        """The plan so far, as a copy."""
        plan = self.reader.plan
        steps = grow([copy.deepcopy(step) for step in self.reader.steps.values()])
        return PlanSpec(plan.title, plan.goal, [*plan.goal_detail], [*plan.constraints], steps)

    def hear(self, kind: str, *, text: str = "", step: PlanStep | None = None, **_more: object) -> None:
        """Hold what has begun, and tell what was held. What stands below a step belongs to that."""
        self._flush()
        if kind != "goal":
            # What was found about a goal may stand above the line with its text.
            self._tell_findings(self._at)
        if kind in ("title", "goal_detail"):
            self.events.append(PlanEvent(PlanEventKind(kind), text))
        elif text or kind == "step":
            count = len(self.reader.steps)
            if step and self.max_steps is not None and count > self.max_steps:
                span = self.reader.source.span(*self.reader.positions.id_of(step.step_id))
                self.excess = too_many_steps(step.step_id, count, self.max_steps, span, self.reader.source)
            self._held = kind, step, len(self.reader.plan.constraints) - 1

    def _flush(self) -> None:
        held, self._held = self._held, None
        if held is None:
            return
        kind, step, at = held
        plan = self.reader.plan
        text = "" if step else plan.goal if kind == "goal" else plan.constraints[at]
        self.events.append(PlanEvent(PlanEventKind(kind), text, copy.deepcopy(step)))

    def _tell_findings(self, end: int) -> None:
        """Tell what was found before an offset."""
        for one in self.reader.found[self._told :]:
            listed = self._diagnose(one)
            if any(found.span and found.span.start >= end for found in listed):
                return
            self._told += 1
            self.events += [PlanEvent(PlanEventKind.FINDING, diagnostic=found) for found in listed]
            self.hold = self.hold or next(iter(self._find_holds([one])), None)

    def _find_holds(self, found: Iterable[LineReport | Diagnostic]) -> list[Diagnostic]:
        return find_holds(chain.from_iterable(map(self._diagnose, found)), self.max_risk)

    def _diagnose(self, found: LineReport | Diagnostic) -> list[Diagnostic]:
        """What is told of something that was found."""
        return found.diagnose(self.reader.source, Severity.WARNING) if isinstance(found, LineReport) else [found]


class PlanStream:
    """Reads the plan in a text, such as a language model's answer, while the text is being written.

    No text makes it raise. The time it takes is in proportion to the text, whatever the size of its pieces.

    Args:
        name: what findings call the text.
        default_type, signs, max_risk, limits: as for :func:`planspec_lark.extract_plan`.
    """

    def __init__(
        self,
        *,
        name: str = "<stream>",
        default_type: str = "",
        signs: Mapping[str, PlanStatus | str] | None = None,
        max_risk: Risk | str = Risk.MEDIUM,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        statuses = {sign: PlanStatus(status) for sign, status in (signs or {}).items()}
        self._extract = partial(
            extract_plan, default_type=default_type, signs=statuses, max_risk=max_risk, name=name, limits=limits
        )
        self._source = GrowingSource(name)
        # What has become certain since the last piece.
        self._events: list[PlanEvent] = []
        reader = partial(Reader, self._source, is_strict=False, default_type=default_type, signs=statuses)
        self._begin = partial(_Block, reader, Risk(max_risk), limits.max_steps, self._events)
        self._block = self._begin()
        self._most = limits.max_bytes
        self._reasoning = ReasoningFilter()
        self._hopeless: Diagnostic | None = None
        # Whether the plan is complete; whether no more is read; whether what lines say without the escapes in them is
        # said at the end.
        self._is_settled = self._is_over = self._is_escaped = False
        # Whether a plan of which something was told turned out to be reasoning.
        self._is_void = False
        # Pieces of the line that is not complete, and how many bytes there are up to its end.
        self._tail: list[str] = []
        self._bytes = 0
        self._end: StreamEnd | None = None

    # ---------------------------------------------------------------- what is known

    @property
    def is_settled(self) -> bool:
        """Whether the plan is complete: its code block has ended, or the text has."""
        return self._is_settled

    @property
    def is_hopeless(self) -> bool:
        """Whether there is a fault that only a new plan can cure."""
        return self._hopeless is not None

    @property
    def hopeless(self) -> Diagnostic | None:
        """The first fault that no text after it can cure."""
        return self._hopeless

    def copy_plan(self) -> PlanSpec:
        """A copy of the plan so far. What was not yet told may change."""
        return self._block.copy_plan()

    # ---------------------------------------------------------------- reading

    def feed(self, chunk: str) -> list[PlanEvent]:
        """Read the next piece; returns what has become certain, in the order of the text.

        Raises:
            TypeError: it is no string.
            ValueError: the text has ended.
        """
        if not isinstance(chunk, str):
            raise TypeError(f"chunk: expected a string, not {type(chunk).__name__}")
        if self._end is not None:
            raise ValueError("the text has been ended")
        for piece in _PIECE.findall(chunk):
            if self._is_over:
                break
            self._tail.append(piece)
            self._bytes += count_bytes(piece)
            if self._most is not None and self._bytes > self._most:
                self._is_over = True
                self._give_up(too_many_bytes(self._most, self._source))
            elif piece.endswith("\n"):
                self._read_tail()
        return self._take_events()

    def _read_tail(self) -> None:
        """Read the line that is complete now; only the last one of the text may have no line break."""
        line, start = "".join(self._tail), self._source.length
        self._tail = []
        self._source.add(line)
        self._is_escaped = self._is_escaped or undo_escapes(line, DIALECT.language) is not None
        left = self._reasoning.read(line, start)
        self._pass_reasoning()
        # A line of which nothing is left was all reasoning: it is no blank line either.
        if (left == line or left.strip(" ")) and not self._is_escaped:
            self._block.read(end_last_line(set_aside(left)), start, line)
        self._look()

    def _pass_reasoning(self) -> None:
        if not all(block.is_opened for block in self._reasoning.take()):
            # All in front was reasoning: what was told of a plan in it cannot be taken back, only be told anew.
            self._is_void = self._is_void or self._block.is_begun
            self._block = self._begin()

    def _look(self) -> None:
        """See whether there is hope. A plan that is complete cannot be spoilt."""
        self._is_settled = self._is_settled or self._block.is_settled
        if not self._is_settled and (fault := self._block.fault):
            self._give_up(fault)

    def _give_up(self, fault: Diagnostic) -> None:
        if self._hopeless is None:
            self._hopeless = fault
            self._events.append(PlanEvent(PlanEventKind.HOPELESS, diagnostic=fault))

    def _take_events(self) -> list[PlanEvent]:
        events = [*self._events]
        self._events.clear()
        return events

    # ---------------------------------------------------------------- the end

    def finish(self, *, finish_reason: str = "") -> StreamEnd:
        """End the text: its last line is complete.

        Args:
            finish_reason: why the model stopped, as its interface says.
        """
        if self._end is None:
            if not self._is_over:
                self._read_tail()
                self._close()
            self._source.add("".join(self._tail))
            result = self._extract(self._source.text, finish_reason=finish_reason)
            if result.holds and result.holds[0].code in OVER_LIMIT:
                self._give_up(result.holds[0])
            is_other = self._is_void or (self._block.is_begun and self.copy_plan() != result.plan)
            self._end = StreamEnd(result, self._take_events(), is_other)
        return self._end

    def _close(self) -> None:
        self._reasoning.finish()
        self._pass_reasoning()
        self._block.end(self._source.length)
        self._look()
        if not self._is_settled:
            self._is_settled = True
            self._events.append(PlanEvent(PlanEventKind.SETTLED))
