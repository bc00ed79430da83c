"""A text that is still being written → the plan in it, line by line, and in the end what a scan of all of it gives.

Every line is judged once, by the same walk that reads a whole text, as soon as it is complete. What is not certain then
(how far a finding reaches, which of several plans counts) is told when it is, and never before.
"""

from __future__ import annotations

from collections import deque

from attrs import define, evolve, field, frozen

from planspec_lark.planspec.drafts import Draft, Ids, News
from planspec_lark.planspec.events import PlanEvent, PlanEventKind, Provisional
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.scanning import ScanResult, scan_plan
from planspec_lark.planspec.walking import Walk
from planspec_lark.planspec.windows import LOOK_BACK
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits, count_bytes, too_many_bytes
from planspec_lark.syntax.reasoning import Block, ReasoningFilter, diagnose
from planspec_lark.syntax.source import GrowingSource, end_last_line

__all__ = ["PlanStream", "StreamEnd"]

# What a limit refuses.
_REFUSED = ("PS121", "PS122", "PS123")
# Characters of a line that is not complete, up to which it is tried as a step: that is done again and again.
_TRIED = 10_000


@frozen
class StreamEnd:
    """What a text has come to.

    Attributes:
        result: what :func:`planspec_lark.scan_plan` gives for the whole text; with one error more where the events told
            of a plan that turned out to be reasoning (PS125).
        events: the last ones.
        draft: which of the text's plans was taken; None where a limit refused it.
    """

    result: ScanResult
    events: list[PlanEvent]
    draft: int | None


@define(eq=False, kw_only=True)
class PlanStream:
    """Reads the plan in a text, such as a language model's answer, while the text is being written.

    No text makes it raise. All of it together takes time in proportion to the text, whatever the size of its pieces.

    Args:
        name: what diagnostics call the text.
        strict: whether the text is hopeless as soon as :func:`planspec_lark.parse_plan` would refuse it, rather than
            once something of the plan is lost.
        limits: how much to read, as in :func:`planspec_lark.scan_plan`.
    """

    _name: str = "<stream>"
    _strict: bool = False
    _limits: Limits = DEFAULT_LIMITS
    _source: GrowingSource = field(init=False)
    _draft: Draft = field(init=False)
    # The best draft that is over, and whether none can be better.
    _best: Draft | None = field(default=None, init=False)
    _is_settled: bool = field(default=False, init=False)
    # What the strict reader makes of it, until that has found a fault.
    _strictly: Walk | None = field(default=None, init=False)
    _faults: News = field(factory=lambda: News(1), init=False)
    _hopeless: Diagnostic | None = field(default=None, init=False)
    # What takes the reasoning out, the blocks that are still to be told, the first for the strict reader, and how many
    # were told.
    _reasoning: ReasoningFilter = field(factory=ReasoningFilter, init=False)
    _blocks: deque[Block] = field(factory=deque, init=False)
    _first_block: Block | None = field(default=None, init=False)
    _told_blocks: int = field(default=0, init=False)
    # The closing tag behind which it was known that a plan of which events have told was reasoning.
    _too_late: Diagnostic | None = field(default=None, init=False)
    # Pieces of the line that is not complete, and the characters in front of it.
    _tail: list[str] = field(factory=list, init=False)
    _before: str = field(default="", init=False)
    _bytes: int = field(default=0, init=False)
    _is_full: bool = field(default=False, init=False)
    _end: StreamEnd | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._source = GrowingSource(self._name)
        self._draft = Draft(0, self._source, self._limits)
        if self._strict:
            self._strictly = Walk(self._source, "", findings=self._faults)
            self._strictly.places = Ids(self._source)

    # ---------------------------------------------------------------- what is known

    @property
    def is_settled(self) -> bool:
        """Whether the plan is complete: no text behind it is taken for the plan, or added to it."""
        return self._is_settled

    @property
    def is_hopeless(self) -> bool:
        """Whether there is a fault that nothing can cure but a new plan (see ``hopeless``)."""
        return self._hopeless is not None

    @property
    def hopeless(self) -> Diagnostic | None:
        """The first fault that no text behind it can cure."""
        return self._hopeless

    @property
    def provisional(self) -> Provisional:
        """The line that is being written."""
        if self._end is not None or self._is_full:
            return Provisional()
        text = "".join(self._tail)
        self._tail = [text] if text else []
        line = text if self._source.length else text.removeprefix("\ufeff")
        line = line.lstrip(BLANKS)
        is_tried = line and len(line) <= _TRIED and not self._reasoning.is_open
        return Provisional(text, self._draft.try_step(line) if is_tried else None)

    def copy_plan(self) -> PlanSpec:
        """A copy of the plan so far: that of the draft that is being written, or of the one that is settled."""
        draft = self._best if self._is_settled and self._best is not None else self._draft
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
        events: list[PlanEvent] = []
        if self._is_full:
            return events
        fitting = self._measure(chunk)
        if fitting:
            self._add(chunk[:fitting], events)
        if fitting < len(chunk):
            self._is_full = True
            self._tail.append(chunk[fitting:])
            assert self._limits.max_bytes is not None
            self._give_up(too_many_bytes(self._limits.max_bytes, self._source), events)
        return events

    def _add(self, piece: str, events: list[PlanEvent]) -> None:
        """Take a piece, and read the lines that it completes."""
        self._tail.append(piece)
        if "\n" in piece:
            *lines, tail = "".join(self._tail).split("\n")
            self._tail = [tail] if tail else []
            for line in lines:
                self._read(f"{line}\n", events)

    def finish(self) -> StreamEnd:
        """End the text: its last line is complete. What was found is what a scan of the whole text finds.

        There is one error more (PS125) where a closing tag has shown, too late, that what was told is reasoning.
        """
        if self._end is not None:
            return self._end
        events: list[PlanEvent] = []
        tail = "".join(self._tail)
        if self._is_full:
            self._source.add_all(tail)
        else:
            if tail:
                self._read(tail, events)
            self._close(events)
        result = self._scan()
        refusal = next((found for found in result.diagnostics if found.code in _REFUSED), None)
        if refusal is not None:
            self._give_up(refusal, events)
        draft = self._best.number if self._best is not None and refusal is None else None
        self._end = StreamEnd(result, events, draft)
        return self._end

    def _scan(self) -> ScanResult:
        result = scan_plan(self._source.text, name=self._name, limits=self._limits)
        late = self._too_late
        if late is None:
            return result
        others = [found for found in result.diagnostics if (found.code, found.span) != (late.code, late.span)]
        return evolve(result, diagnostics=[late, *others])

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

    def _read(self, line: str, events: list[PlanEvent]) -> None:
        """Read the next line; only the last one of the text may have no line break."""
        start = self._source.length
        self._source.add(line)
        line = self._reasoning.read(line, start)
        self._pass_blocks(events)
        ended = end_last_line(line)
        at = _find_content(ended, start)
        if at is not None:
            self._take(self._before + ended, start - len(self._before), at, events)
            self._tell_blocks(events)
        else:
            # What was reasoning does not push out of sight what stands in front of it.
            line = "\n" * line.count("\n")
        self._before = (self._before + line)[-LOOK_BACK:]

    def _take(self, window: str, base: int, at: int, events: list[PlanEvent]) -> None:
        if self._strictly is not None:
            self._strictly.go_on(window, base, at)
            self._look_strictly(events)
        end = base + len(window)
        while at < end:
            if self._draft.is_ended:
                self._draft = Draft(self._draft.number + 1, self._source, self._limits, at)
            at = self._draft.read(window, base, at, events)
            if self._draft.is_misled:
                at = self._read_again(events)
            self._look(events)
            if self._draft.is_closed:
                self._end_draft(events)

    def _read_again(self, events: list[PlanEvent]) -> int:
        """Read all lines of the draft, which are in front of its steps, with comments; tell what was not told yet."""
        start, told = self._draft.start, self._draft.told
        self._draft = Draft(self._draft.number, self._source, self._limits, start, has_comments=True)
        again: list[PlanEvent] = []
        reached, reasoning = start, ReasoningFilter()
        for base, line in self._source.lines_from(start):
            ended = end_last_line(reasoning.read(line, base))
            at = _find_content(ended, base)
            if at is not None:
                reached = self._draft.read(ended, base, at, again)
        events.extend(again[told:])
        return reached

    def _close(self, events: list[PlanEvent]) -> None:
        self._reasoning.finish()
        self._pass_blocks(events)
        if self._strictly is not None:
            self._strictly.start_stretch()
            self._look_strictly(events)
        if not self._draft.is_ended:
            self._end_draft(events)
        self._tell_blocks(events)
        if not self._is_settled:
            self._settle(events)

    def _end_draft(self, events: list[PlanEvent]) -> None:
        draft = self._draft
        draft.end(events)
        self._look(events)
        if self._best is None or draft.rank < self._best.rank:
            self._best = draft
        # With steps and without errors: of several such plans the first is taken.
        if not self._is_settled and self._best.rank == (False, 0):
            self._settle(events)

    def _settle(self, events: list[PlanEvent]) -> None:
        assert self._best is not None
        self._is_settled = True
        events.append(PlanEvent(PlanEventKind.SETTLED, self._best.number))

    # ---------------------------------------------------------------- reasoning

    def _pass_blocks(self, events: list[PlanEvent]) -> None:
        for block in self._reasoning.take():
            self._first_block = self._first_block or block
            if not block.is_opened:
                self._begin_anew(block, events)
            self._blocks.append(block)
            self._tell_blocks(events)

    def _begin_anew(self, block: Block, events: list[PlanEvent]) -> None:
        """All in front was reasoning. If something of a plan was told, that cannot be taken back, only be said."""
        self._blocks.clear()
        self._before = ""
        number = self._draft.number
        if self._draft.is_told or self._draft.is_ended:
            number += 1
            if not self._draft.is_ended:
                self._draft.end(events)
        self._draft, self._best = Draft(number, self._source, self._limits, block.end), None
        if number:
            self._too_late = evolve(diagnose(block, self._source), severity=Severity.ERROR)

    def _tell_blocks(self, events: list[PlanEvent]) -> None:
        """Tell of the blocks that no growing finding stands in front of."""
        first, strictly = self._first_block, self._strictly
        if first is not None and strictly is not None and not _is_behind(first, strictly.growing):
            self._strictly = None
            self._give_up(diagnose(first, self._source, is_strict=True), events)
        while self._blocks and not _is_behind(self._blocks[0], self._draft.growing):
            block = self._blocks.popleft()
            self._tell_block(diagnose(block, self._source), events)

    def _tell_block(self, found: Diagnostic, events: list[PlanEvent]) -> None:
        late = self._too_late
        is_too_late = late is not None and found.span == late.span
        found = late if late is not None and is_too_late else found
        most = self._limits.max_findings
        if most is None or self._told_blocks < most:
            self._told_blocks += 1
            events.append(PlanEvent(PlanEventKind.FINDING, self._draft.number, diagnostic=found))
        if is_too_late:
            self._give_up(found, events)

    # ---------------------------------------------------------------- hope

    def _look(self, events: list[PlanEvent]) -> None:
        """Give up where the draft has lost something. Once a plan is settled, others cannot spoil it."""
        if self._is_settled:
            return
        fault = self._draft.excess or self._draft.error
        if fault is not None:
            self._give_up(fault, events)

    def _look_strictly(self, events: list[PlanEvent]) -> None:
        assert self._strictly is not None
        if faults := self._faults.take(self._strictly.growing):
            self._strictly = None
            self._give_up(in_order(faults)[0], events)

    def _give_up(self, fault: Diagnostic, events: list[PlanEvent]) -> None:
        if self._hopeless is None:
            self._hopeless = fault
            events.append(PlanEvent(PlanEventKind.HOPELESS, self._draft.number, diagnostic=fault))


def _find_content(line: str, start: int) -> int | None:
    """Where the content of a line starts that has an end; None where it is blank. ``start`` is the line's offset."""
    bare = (line if start else line.removeprefix("\ufeff")).lstrip(BLANKS)
    return None if bare in ("\n", "\r\n") else start + len(line) - len(bare)


def _is_behind(block: Block, growing: Diagnostic | None) -> bool:
    return growing is not None and growing.span is not None and growing.span.start < block.start
