"""A text that is still being written → the plan in it, line by line, and in the end what a scan of all of it gives.

Every line is judged once, by the same reader that recovers a whole text, as soon as it is complete. What is not certain
then (how far a finding reaches, which of several plans counts) is told when it is, and never before.
"""

from __future__ import annotations

import copy
from collections import deque
from enum import Enum
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.planspec.answer_reader import AnswerReader
from planspec_lark.planspec.line_faults import is_step
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.positions import cut_indentation
from planspec_lark.planspec.recovery import BLANK_LINES, Recovery, ScanResult, start_of
from planspec_lark.planspec.scan import scan_parts
from planspec_lark.planspec.step_repair import looks_like_step
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.limits import (
    DEFAULT_LIMITS,
    OVER_LIMIT,
    Limits,
    count_bytes,
    too_deep,
    too_many_bytes,
    too_many_steps,
)
from planspec_lark.syntax.reasoning import ReasoningBlock, ReasoningFilter, diagnose_block
from planspec_lark.syntax.source import GrowingSource, Source, end_last_line
from planspec_lark.syntax.tree import grow

__all__ = ["PlanEvent", "PlanEventKind", "PlanStream", "ProvisionalLine", "StreamEnd"]

# Characters of a line that is not complete, up to which it is tried as a step: that is done again and again.
_TRIED = 10_000


class PlanEventKind(str, Enum):
    """What was read, or what is known from now on.

    ``REVISED`` says that a line was wrapped: the goal, the constraint or the step told last, as it is together with the
    line that continues it.
    """

    TITLE = "title"
    GOAL = "goal"
    GOAL_DETAIL = "goal_detail"
    CONSTRAINT = "constraint"
    STEP = "step"
    INPUTS = "inputs"
    OUTPUTS = "outputs"
    DETAIL = "detail"
    REVISED = "revised"
    STEP_ENDED = "step_ended"
    FINDING = "finding"
    DRAFT_ENDED = "draft_ended"
    SETTLED = "settled"
    HOPELESS = "hopeless"


@frozen
class PlanEvent:
    """Something that is certain: no text that is still to come takes it back.

    Attributes:
        kind: what it is.
        draft: which plan of the text it belongs to, from 0.
        text: a title, a goal, a constraint, or a detail line of the goal or of a step.
        step_id: of inputs, outputs or a detail line, its step.
        names: the variables of a line that declares inputs, or outputs in words.
        step: a step of its own, without children: what its summary line says, or (at its end) its body as well.
        diagnostic: a finding, or the fault that makes the text hopeless.
    """

    kind: PlanEventKind
    draft: int
    text: str = ""
    step_id: str = ""
    names: tuple[str, ...] = ()
    step: PlanStep | None = None
    diagnostic: Diagnostic | None = None


@frozen
class ProvisionalLine:
    """The line that is being written. All of it may change with the next character.

    Attributes:
        text: what there is of it.
        step: the step that it would be if it ended here; None where it would be none, or is too long to try.
    """

    text: str = ""
    step: PlanStep | None = None


@define(eq=False)
class _Draft:
    """One plan of a text.

    A text may hold several, and which one counts may be known at its end only. What is said about a draft stays true
    whichever is taken.

    Attributes:
        number: which of the text's plans it is, from 0.
        events: takes what is told.
        error: the first finding that is an error.
        excess: that it has more steps or levels than it may.
        is_ended: whether nothing can be added to it any more.
    """

    number: int
    source: Source
    limits: Limits
    events: list[PlanEvent]
    reader: AnswerReader = field(init=False)
    error: Diagnostic | None = None
    excess: Diagnostic | None = None
    is_ended: bool = False
    # How many findings were listed.
    _listed: int = 0
    # How many events were told, and those that may turn out to be wrong and wait.
    _told: int = 0
    _waiting: list[PlanEvent] = field(factory=list)
    # The lines before the steps, as long as they may have to be read again.
    _rows: list[tuple[str, int, int]] = field(factory=list)
    _levels: dict[str, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.reader = AnswerReader(self.source, tell=self._hear)

    @property
    def growing(self) -> Diagnostic | None:
        """The finding that may be extended to the next line."""
        return None if self.is_ended else self.reader.growing

    def read(self, row: str, start: int, indent: int) -> bool:
        """Read a line as the reader does, and tell what it adds."""
        if self.reader.steps or self.reader.has_comments:
            self._rows.clear()
        else:
            self._rows.append((row, start, indent))
        is_read = self._read(row, start, indent)
        if self.reader.is_misled:
            # What was told stays true.
            self.reader = AnswerReader(self.source, has_comments=True, tell=self._hear)
            self.error, self._listed, self._waiting = None, 0, []
            for again in self._rows:
                is_read = self._read(*again)
            del self._waiting[: self._told]
        if not self.reader.is_in_doubt:
            self._tell()
        return is_read

    def _read(self, row: str, start: int, indent: int) -> bool:
        first = len(self._waiting)
        is_read = self.reader.read(row, start, indent)
        found = self._take_findings()
        # Those about lines before this one come first.
        before = [one for one in found if one.diagnostic and start_of(one.diagnostic) < start]
        self._waiting[first:first] = before
        self._waiting += found[len(before) :]
        return is_read

    def _hear(self, kind: str, **what: Any) -> None:
        if step := what.get("step"):
            what["step"] = copy.deepcopy(step)
            if kind == "step" and self.excess is None:
                self.excess = self._find_excess(step.step_id)
        self._waiting.append(PlanEvent(PlanEventKind(kind), self.number, **what))

    def _tell(self) -> None:
        self._told += len(self._waiting)
        self.events += self._waiting
        self._waiting = []

    def end(self) -> None:
        """Tell what is certain now that the draft is over."""
        self.is_ended = True
        self._tell()
        self.reader.growing = None
        self.events += self._take_findings()
        if isinstance(self.reader.owner, PlanStep):
            self._hear("step_ended", step=self.reader.owner)
        self._hear("draft_ended")
        self._tell()

    def _take_findings(self) -> list[PlanEvent]:
        """Those that are new and certain, as many as may be listed, in the order of the text."""
        certain = self.reader.take_findings()
        self.error = self.error or next((found for found in certain if found.severity is Severity.ERROR), None)
        most = self.limits.max_findings
        shown = certain if most is None else certain[: most - self._listed]
        self._listed += len(shown)
        return [PlanEvent(PlanEventKind.FINDING, self.number, diagnostic=found) for found in in_order(shown)]

    def copy_plan(self) -> PlanSpec:
        """The plan so far, as a copy."""
        plan = self.reader.plan
        steps = grow([copy.deepcopy(step) for step in self.reader.steps.values()])
        return PlanSpec(plan.title, plan.goal, [*plan.goal_detail], [*plan.constraints], steps)

    def try_step(self, line: str) -> PlanStep | None:
        """The step that a line which has not ended would be if it ended here.

        Half a step is what this sees most often, so it asks for guesses first: to say what is wrong takes far longer.
        """
        if not looks_like_step(line) or not is_step(line):
            return None
        reader = AnswerReader(Source(line), has_comments=self.reader.has_comments)
        reader.section, reader.unfinished = self.reader.section, self.reader.unfinished
        reader.read(end_last_line(line), 0)
        step = next(iter(reader.steps.values()), None)
        is_taken = step is not None and not self.is_ended and step.step_id in self.reader.steps
        return None if is_taken else step

    def _find_excess(self, step_id: str) -> Diagnostic | None:
        """What is wrong with a draft that has more levels or steps than it may.

        A step whose parent comes later, or never, counts as one at the top: it cannot move up.
        """
        place = self.source.span(*self.reader.positions.id_of(step_id)), self.source
        if self.limits.max_depth is not None:
            level = self._levels[step_id] = self._levels.get(step_id.rpartition(".")[0], 0) + 1
            if level > self.limits.max_depth:
                return too_deep(step_id, level, self.limits.max_depth, *place)
        count = len(self.reader.steps)
        if self.limits.max_steps is not None and count > self.limits.max_steps:
            return too_many_steps(step_id, count, self.limits.max_steps, *place)
        return None


@frozen
class StreamEnd:
    """The result of reading a text.

    Attributes:
        result: what :func:`planspec_lark.scan_plan` gives for the whole text, up to the end mark; with one error more
            where the events told of a plan that turned out to be reasoning (PS125).
        events: the last ones.
        draft: which of the text's plans was taken; None where a limit refused it.
        superseded: whether that is another plan than the one that was settled, or says something else than was told of
            it: what is further on in the text has shown so.
    """

    result: ScanResult
    events: list[PlanEvent]
    draft: int | None
    superseded: bool = False


class PlanStream:
    """Reads the plan in a text, such as a language model's answer, while the text is being written.

    No text makes it raise. All of it together takes time in proportion to the text, whatever the size of its pieces.

    Args:
        name: what diagnostics call the text.
        strict: whether the text is hopeless as soon as :func:`planspec_lark.parse_plan` would refuse it, rather than
            once something of the plan is lost.
        end_mark: what ends the plan, as the model was told: a line of exactly this text. Neither that line nor what is
            after it is read; empty: there is no such line.
        limits: how much to read, as in :func:`planspec_lark.scan_plan`.

    Raises:
        ValueError: the end mark is more than one line, or white space.
    """

    def __init__(
        self,
        *,
        name: str = "<stream>",
        strict: bool = False,
        end_mark: str = "",
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if end_mark and (end_mark != end_mark.strip() or "\n" in end_mark or "\r" in end_mark):
            raise ValueError(f"end_mark: {end_mark!r} is not a line without white space around it")
        self._name, self._limits = name, limits
        self._end_mark, self._is_marked = end_mark, False
        self._source = GrowingSource(name)
        # What has become certain since the last piece.
        self._events: list[PlanEvent] = []
        self._draft = _Draft(0, self._source, limits, self._events)
        # All drafts that are over, the number of the one that is settled, and that of the first which is no reasoning.
        self._drafts: dict[int, _Draft] = {}
        self._settled: int | None = None
        self._first_number = 0
        # What the strict reader makes of it, until that has found a fault.
        self._strictly = Recovery(self._source) if strict else None
        self._hopeless: Diagnostic | None = None
        # What takes the reasoning out, the blocks that are still to be told, the first for the strict reader, and how
        # many were told.
        self._reasoning = ReasoningFilter()
        self._blocks: deque[ReasoningBlock] = deque()
        self._first_block: ReasoningBlock | None = None
        self._told_blocks = 0
        # The closing tag after which it was known that a plan of which events have told was reasoning.
        self._too_late: Diagnostic | None = None
        # Pieces of the line that is not complete.
        self._tail: list[str] = []
        self._bytes = 0
        self._is_full = False
        self._end: StreamEnd | None = None

    # ---------------------------------------------------------------- what is known

    @property
    def text(self) -> str:
        """What there is of the text; where the end mark has come, all before it."""
        return self._source.text + "".join(self._tail)

    @property
    def is_settled(self) -> bool:
        """Whether the plan is complete: its code block has ended, or its end mark has come, or the text has ended."""
        return self._settled is not None

    @property
    def is_hopeless(self) -> bool:
        """Whether there is a fault that nothing can cure but a new plan (see ``hopeless``)."""
        return self._hopeless is not None

    @property
    def hopeless(self) -> Diagnostic | None:
        """The first fault that no text after it can cure."""
        return self._hopeless

    @property
    def provisional(self) -> ProvisionalLine:
        """The line that is being written."""
        if self._end is not None or self._is_full:
            return ProvisionalLine()
        text = "".join(self._tail)
        self._tail = [text]
        line, _ = cut_indentation(text, self._source.length)
        is_tried = line and len(line) <= _TRIED and not self._reasoning.is_open
        return ProvisionalLine(text, self._draft.try_step(line) if is_tried else None)

    def copy_plan(self) -> PlanSpec:
        """A copy of the plan so far: that of the draft that is being written, or of the one that is settled."""
        draft = self._draft if self._settled is None else self._drafts.get(self._settled, self._draft)
        return draft.copy_plan()

    # ---------------------------------------------------------------- reading

    def feed(self, chunk: str) -> list[PlanEvent]:
        """Read the next piece of the text; returns what has become certain, in the order of the text.

        Raises:
            TypeError: it is no string.
            ValueError: the text has been ended.
        """
        if not isinstance(chunk, str):
            raise TypeError(f"chunk: expected a string, not {type(chunk).__name__}")
        if self._end is not None:
            raise ValueError("the text has been ended")
        if not (self._is_full or self._is_marked):
            fitting = self._measure(chunk)
            self._tail.append(chunk[:fitting])
            if "\n" in chunk[:fitting]:
                *lines, tail = "".join(self._tail).split("\n")
                self._tail = [tail]
                for line in lines:
                    if self._ends(line):
                        # The text ends before this line.
                        self._is_marked, self._tail = True, []
                        self._close()
                        break
                    self._read(f"{line}\n")
            if fitting < len(chunk) and not self._is_marked:
                self._is_full = True
                self._tail.append(chunk[fitting:])
                assert self._limits.max_bytes is not None
                self._give_up(too_many_bytes(self._limits.max_bytes, self._source))
        return self._take_events()

    def _ends(self, line: str) -> bool:
        """Whether a line is the end mark; in a reasoning block it is only thought of."""
        return bool(self._end_mark) and line.strip() == self._end_mark and not self._reasoning.is_open

    def _take_events(self) -> list[PlanEvent]:
        events = [*self._events]
        self._events.clear()
        return events

    def finish(self) -> StreamEnd:
        """End the text: its last line is complete. What was found is what a scan of the whole text finds.

        There is one error more (PS125) where a closing tag has shown, too late, that what was told is reasoning.
        """
        if self._end is not None:
            return self._end
        tail = "".join(self._tail)
        self._tail = []
        if self._is_full:
            self._source.add_all(tail)
        elif not self._is_marked:
            if tail and not self._ends(tail):
                self._read(tail)
            self._close()
        result, number = self._scan()
        refusal = next((found for found in result.diagnostics if found.code in OVER_LIMIT), None)
        if refusal is not None:
            self._give_up(refusal)
        draft = self._first_number + number if refusal is None else None
        told = self._drafts.get(draft) if draft is not None else None
        is_other = self.is_settled and self._settled != draft
        is_superseded = told is not None and (is_other or told.copy_plan() != result.plan)
        self._end = StreamEnd(result, self._take_events(), draft, is_superseded)
        return self._end

    def _scan(self) -> tuple[ScanResult, int]:
        result, number = scan_parts(self._source.text, name=self._name, limits=self._limits)
        late = self._too_late
        if late is None:
            return result, number
        others = [found for found in result.diagnostics if (found.code, found.span) != (late.code, late.span)]
        return evolve(result, diagnostics=[late, *others]), number

    def _measure(self, chunk: str) -> int:
        """How many characters of a piece the limit on bytes still allows."""
        most = self._limits.max_bytes
        if most is None:
            return len(chunk)
        # Every character has one byte at least.
        room = most - self._bytes
        if len(chunk) <= room and (count := count_bytes(chunk)) <= room:
            self._bytes += count
            return len(chunk)
        at = 0
        while at < len(chunk) and (count := count_bytes(chunk[at])) <= room:
            at, room = at + 1, room - count
        return at

    def _read(self, line: str) -> None:
        """Read the next line; only the last one of the text may have no line break."""
        start = self._source.length
        self._source.add(line)
        line = self._reasoning.read(line, start)
        self._pass_blocks()
        # Nothing is left of a line that was all reasoning: it is no blank line either.
        row, at = cut_indentation(line, start)
        if row in BLANK_LINES:
            self._draft.reader.read(row, at)
        elif row:
            self._take(end_last_line(row), at, at - start)

    def _take(self, row: str, at: int, indent: int) -> None:
        if self._strictly is not None:
            self._strictly.read(row, at)
            self._look_strictly()
        is_read = False
        while not is_read:
            if self._draft.is_ended:
                self._draft = _Draft(self._draft.number + 1, self._source, self._limits, self._events)
            is_read = self._draft.read(row, at, indent)
            self._look()
            if self._draft.reader.is_finished:
                self._end_draft()
        self._tell_blocks()

    def _close(self) -> None:
        self._reasoning.finish()
        self._pass_blocks()
        if self._strictly is not None:
            self._strictly.growing = None
            self._look_strictly()
        if not self._draft.is_ended:
            self._end_draft()
        self._tell_blocks()
        if not self.is_settled:
            self._settle(self._first_number + scan_parts(self._source.text, limits=self._limits)[1])

    def _end_draft(self) -> None:
        draft = self._draft
        draft.end()
        self._drafts[draft.number] = draft
        self._look()
        # Without an end mark, the end of a code block alone says that the plan in it is complete.
        if not self.is_settled and draft.reader.is_closed and draft.reader.steps and draft.error is None:
            self._settle(draft.number)

    def _settle(self, number: int) -> None:
        """No draft can be better than this one."""
        self._settled = number
        self._events.append(PlanEvent(PlanEventKind.SETTLED, number))

    # ---------------------------------------------------------------- reasoning

    def _pass_blocks(self) -> None:
        for block in self._reasoning.take():
            self._first_block = self._first_block or block
            if not block.is_opened:
                self._begin_anew(block)
            self._blocks.append(block)
            self._tell_blocks()

    def _begin_anew(self, block: ReasoningBlock) -> None:
        """All in front was reasoning. If something of a plan was told, that cannot be taken back, only be said."""
        self._blocks.clear()
        number = self._draft.number
        reader = self._draft.reader
        if reader.seen or reader.steps or self._draft.is_ended:
            number += 1
            if not self._draft.is_ended:
                self._draft.end()
        self._draft = _Draft(number, self._source, self._limits, self._events)
        self._first_number = number
        if number:
            self._too_late = evolve(diagnose_block(block, self._source), severity=Severity.ERROR)

    def _tell_blocks(self) -> None:
        """Tell of the blocks that no growing finding is before."""
        first, strictly = self._first_block, self._strictly
        if first is not None and strictly is not None and not _is_behind(first, strictly.growing):
            self._strictly = None
            self._give_up(diagnose_block(first, self._source, is_strict=True))
        while self._blocks and not _is_behind(self._blocks[0], self._draft.growing):
            block = self._blocks.popleft()
            self._tell_block(diagnose_block(block, self._source))

    def _tell_block(self, found: Diagnostic) -> None:
        late = self._too_late
        late = late if late and found.span == late.span else None
        most = self._limits.max_findings
        if most is None or self._told_blocks < most:
            self._told_blocks += 1
            self._events.append(PlanEvent(PlanEventKind.FINDING, self._draft.number, diagnostic=late or found))
        if late:
            self._give_up(late)

    # ---------------------------------------------------------------- hope

    def _look(self) -> None:
        """Give up where the draft has lost something. Once a plan is settled, others cannot spoil it."""
        fault = self._draft.excess or self._draft.error
        if fault is not None and not self.is_settled:
            self._give_up(fault)

    def _look_strictly(self) -> None:
        assert self._strictly is not None
        if faults := self._strictly.take_findings():
            self._strictly = None
            self._give_up(in_order(faults)[0])

    def _give_up(self, fault: Diagnostic) -> None:
        if self._hopeless is None:
            self._hopeless = fault
            self._events.append(PlanEvent(PlanEventKind.HOPELESS, self._draft.number, diagnostic=fault))


def _is_behind(block: ReasoningBlock, growing: Diagnostic | None) -> bool:
    return growing is not None and start_of(growing) < block.start
