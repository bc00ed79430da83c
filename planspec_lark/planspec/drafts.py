"""One plan of a text that comes line by line: each line → what it adds to the plan, as events.

A text may hold several plans, and which one counts may be known at its end only. So each is a draft by itself: what is
said about a draft stays true whichever is taken.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from attrs import define, field

from planspec_lark.planspec.corrections import looks_like_step, mend_step
from planspec_lark.planspec.events import PlanEvent, PlanEventKind
from planspec_lark.planspec.faults import Section
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.positions import Places, Unit
from planspec_lark.planspec.tolerance import TolerantWalk
from planspec_lark.planspec.tree import grow
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.limits import Findings, Limits, too_deep, too_many_steps
from planspec_lark.syntax.source import Source, end_last_line

__all__ = ["Draft", "Ids", "News"]


@define
class News(Findings):
    """Findings, and those among them that nobody has taken yet."""

    fresh: list[Diagnostic] = field(factory=list)

    def add(self, diagnostic: Diagnostic) -> None:
        """Take one more."""
        super().add(diagnostic)
        self.fresh.append(diagnostic)

    def replace_last(self, diagnostic: Diagnostic) -> None:
        """Put another in place of the last one."""
        super().replace_last(diagnostic)
        self.fresh[-1] = diagnostic

    def take(self, growing: Diagnostic | None) -> list[Diagnostic]:
        """All that are new and certain, but none behind the start of one that is growing: they keep their order."""
        count = len(self.fresh)
        if growing is not None:
            count = next(at for at, found in enumerate(self.fresh) if _start(found) >= _start(growing))
        certain, self.fresh = self.fresh[:count], self.fresh[count:]
        return certain


def _start(found: Diagnostic) -> int:
    return found.span.start if found.span else 0


@define(eq=False, slots=False)
class Ids(Places):
    """Where the ids of steps stand. Nobody asks a stream for other places, and those take far more memory."""

    bounds: dict[str, tuple[int, int]] = field(factory=dict)

    def add(self, kind: str, unit: Unit) -> None:
        """Note nothing."""

    def add_names(self, step_id: str, name: str, start: int, end: int) -> None:
        """Note nothing."""

    def add_step(self, step_id: str, unit: Unit) -> None:
        """Note where the step's id stands."""
        self.bounds.setdefault(step_id, unit.find("step_STEP_ID") or (unit.start, unit.end))

    def start_of(self, step_id: str) -> int:
        """The offset at which a step starts."""
        return self.bounds[step_id][0]


@define(eq=False)
class Draft:
    """A plan that is being written.

    Attributes:
        number: which of the text's plans it is, from 0.
        start: the offset of its first line.
        has_comments: whether text may have comments behind it, as a draft before it has shown.
        error: the first finding that is an error.
        excess: that it has more steps or levels than it may.
        is_ended: whether nothing can be added to it any more.
    """

    number: int
    source: Source
    limits: Limits
    start: int = 0
    has_comments: bool = False
    error: Diagnostic | None = field(default=None, init=False)
    excess: Diagnostic | None = field(default=None, init=False)
    is_ended: bool = field(default=False, init=False)
    _walk: TolerantWalk = field(init=False)
    _news: News = field(init=False)
    _ids: Ids = field(init=False)
    # How many events were told, and those that may turn out to be wrong and wait.
    told: int = field(default=0, init=False)
    _waiting: list[PlanEvent] = field(factory=list, init=False)
    # What is known of them.
    _parts: set[Section] = field(factory=set, init=False)
    _counts: tuple[int, int] = field(default=(0, 0), init=False)
    _step: PlanStep | None = field(default=None, init=False)
    _body: tuple[int, int] = field(default=(0, 0), init=False)
    _listed: int = field(default=0, init=False)
    _levels: dict[str, int] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._news = News(self.limits.max_findings)
        self._walk = TolerantWalk(self.source, "", findings=self._news, has_comments=self.has_comments)
        self._walk.places = self._ids = Ids(self.source)

    @property
    def is_closed(self) -> bool:
        """Whether the text has shown that the draft is over."""
        return self._walk.finished

    @property
    def is_misled(self) -> bool:
        """Whether all its lines have to be read again, with comments. What was told stays true."""
        return self._walk.is_misled

    @property
    def rank(self) -> tuple[bool, int]:
        """How good a candidate for the plan it is, the best first."""
        return self._walk.rank()

    @property
    def is_told(self) -> bool:
        """Whether something of a plan was found."""
        return bool(self._walk.seen or self._walk.steps)

    @property
    def growing(self) -> Diagnostic | None:
        """The finding that may come to name the next line as well."""
        return None if self.is_ended else self._walk.growing

    def read(self, window: str, base: int, at: int, events: list[PlanEvent]) -> int:
        """Read the line at ``at`` as :meth:`planspec_lark.planspec.walking.Walk.go_on` does, and tell what it adds."""
        end = self._walk.go_on(window, base, at)
        found = self._tell_findings(self._walk.growing)
        before = sum(_start(diagnostic) < at for diagnostic in found)
        self._waiting.extend(map(self._find, found[:before]))
        self._waiting.extend(self._tell_parts())
        self._waiting.extend(self._tell_step())
        self._waiting.extend(map(self._find, found[before:]))
        if not self._walk.is_in_doubt and not self.is_misled:
            self._tell(events)
        return end

    def _tell(self, events: list[PlanEvent]) -> None:
        self.told += len(self._waiting)
        events.extend(self._waiting)
        self._waiting = []

    def end(self, events: list[PlanEvent]) -> None:
        """Tell what is certain now that the draft is over."""
        self.is_ended = True
        self._tell(events)
        events.extend(map(self._find, self._tell_findings(None)))
        events.extend(self._end_step())
        events.append(self._event(PlanEventKind.DRAFT_ENDED))

    def copy_plan(self) -> PlanSpec:
        """The plan so far, as a copy."""
        plan = self._walk.plan
        steps = grow([copy.deepcopy(step) for step in self._walk.steps.values()])
        return PlanSpec(plan.title, plan.goal, [*plan.goal_detail], [*plan.constraints], steps)

    def try_step(self, line: str) -> PlanStep | None:
        """The step that a line which has not ended would be if it ended here.

        Half a step is what this sees most often, so it asks for guesses first: to say what is wrong takes far longer.
        """
        if not looks_like_step(line) or mend_step(line)[1] is None:
            return None
        walk = TolerantWalk(Source(line), "", has_comments=self._walk.has_comments)
        walk.section, walk.unfinished = self._walk.section, self._walk.unfinished
        walk.go_on(end_last_line(line), 0, 0)
        step = next(iter(walk.steps.values()), None)
        is_taken = step is not None and not self.is_ended and step.step_id in self._walk.steps
        return None if is_taken else step

    # ---------------------------------------------------------------- what a line has added

    def _event(self, kind: PlanEventKind, **more: Any) -> PlanEvent:
        return PlanEvent(kind, self.number, **more)

    def _tell_parts(self) -> Iterator[PlanEvent]:
        plan, seen = self._walk.plan, self._walk.seen
        if len(seen) != len(self._parts):
            if Section.TITLE in seen - self._parts:
                yield self._event(PlanEventKind.TITLE, text=plan.title)
            if Section.GOAL in seen - self._parts:
                yield self._event(PlanEventKind.GOAL, text=plan.goal)
            self._parts = {*seen}
        detail, constraints = self._counts
        self._counts = len(plan.goal_detail), len(plan.constraints)
        for text in plan.goal_detail[detail:]:
            yield self._event(PlanEventKind.GOAL_DETAIL, text=text)
        for text in plan.constraints[constraints:]:
            yield self._event(PlanEventKind.CONSTRAINT, text=text)

    def _tell_step(self) -> Iterator[PlanEvent]:
        owner = self._walk.owner
        step = owner if isinstance(owner, PlanStep) else None
        if step is not self._step:
            yield from self._end_step()
            if step is not None:
                yield self._start_step(step)
        if step is not None:
            inputs, detail = self._body
            self._body = len(step.inputs), len(step.detail)
            if names := step.inputs[inputs:]:
                yield self._event(PlanEventKind.INPUTS, step_id=step.step_id, names=tuple(names))
            for text in step.detail[detail:]:
                yield self._event(PlanEventKind.DETAIL, step_id=step.step_id, text=text)

    def _start_step(self, step: PlanStep) -> PlanEvent:
        self._step, self._body = step, (len(step.inputs), len(step.detail))
        if self.excess is None:
            self.excess = self._find_excess(step.step_id)
        return self._event(PlanEventKind.STEP, step=copy.deepcopy(step))

    def _end_step(self) -> Iterator[PlanEvent]:
        step, self._step = self._step, None
        if step is not None:
            yield self._event(PlanEventKind.STEP_ENDED, step=copy.deepcopy(step))

    def _find(self, diagnostic: Diagnostic) -> PlanEvent:
        return self._event(PlanEventKind.FINDING, diagnostic=diagnostic)

    def _tell_findings(self, growing: Diagnostic | None) -> list[Diagnostic]:
        """Those that are new and certain, as many as may be listed, in the order of the text."""
        certain = self._news.take(growing)
        if self.error is None:
            self.error = next((found for found in certain if found.severity is Severity.ERROR), None)
        room = None if self.limits.max_findings is None else self.limits.max_findings - self._listed
        shown = certain[:room]
        self._listed += len(shown)
        return in_order(shown)

    def _find_excess(self, step_id: str) -> Diagnostic | None:
        """What is wrong with a draft that has more levels or steps than it may.

        A step whose parent comes later, or never, counts as one at the top: it cannot come to stand higher.
        """
        place = self.source.span(*self._ids.bounds[step_id]), self.source
        if self.limits.max_depth is not None:
            level = self._levels[step_id] = self._levels.get(step_id.rpartition(".")[0], 0) + 1
            if level > self.limits.max_depth:
                return too_deep(step_id, level, self.limits.max_depth, *place)
        count = len(self._walk.steps)
        if self.limits.max_steps is not None and count > self.limits.max_steps:
            return too_many_steps(step_id, count, self.limits.max_steps, *place)
        return None
