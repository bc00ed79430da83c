"""Any text → the plan in it, and diagnostics of all that is not as it should be."""

from __future__ import annotations

from functools import partial
from itertools import islice
from re import Match
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.collector import paused
from planspec_lark.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.limits import DEFAULT_LIMITS, NO_LIMITS, Findings, Limits, find_excess
from planspec_lark.planspec.building import add_body, split_body, split_variables
from planspec_lark.planspec.escapes import read_description, read_detail
from planspec_lark.planspec.faults import Fault, Section
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.places import Places, Unit
from planspec_lark.planspec.repairs import find_inputs, find_outputs
from planspec_lark.planspec.tree import grow
from planspec_lark.planspec.valid import read_valid
from planspec_lark.planspec.walking import BLANK_LINES, Walk
from planspec_lark.source import Source, end_last_line

__all__ = ["ScanResult", "find_excess_of_plan", "scan_faults", "scan_plan", "scan_strictly"]


@frozen
class ScanResult:
    """What a reading found.

    ``diagnostics`` are in the order of the text. From a tolerant reading they are: an error where something that seems
    to belong to the plan had to be left out, a warning where it was read after a repair (its ``fix`` says which), an
    info for text that is no part of the plan.
    """

    plan: PlanSpec
    diagnostics: list[Diagnostic]
    places: Places
    source: Source = field(repr=False)


def scan_plan(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> ScanResult:
    """Read the plan in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    A text that :func:`planspec_lark.parse_plan` accepts gives the same plan and no diagnostics, with one exception: the
    grammar has to take ``-> names`` and ``<- names`` for text, and here they are read as the lists that they look like.
    Where a text holds several plans, the one with the fewest errors counts, and the first of these.

    Args:
        text: any text.
        name: what diagnostics call it.
        limits: how much to read; of what is more, nothing is, and a diagnostic says so.
    """
    if excess := find_excess(text, name, limits):
        return _read_nothing([excess])
    plan = read_valid(text)
    if plan is not None and not _has_foreign_arrows(plan):
        result = _scan_later(plan, Source(text, name))
    else:
        result = _scan(Source(text, name), end_last_line(text), limits)
    excess = find_excess_of_plan(result, limits)
    return _read_nothing(_insert(excess, result.diagnostics)) if excess else result


def _insert(excess: Diagnostic, found: list[Diagnostic]) -> list[Diagnostic]:
    """All in the order of the text, but that what counts the rest stays behind everything."""
    note = found[-1:] if found and found[-1].code == "PS120" else []
    listed = [*found[: len(found) - len(note)], excess]
    return [*sorted(listed, key=lambda one: one.span.start if one.span else 0), *note]


def scan_strictly(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> ScanResult:
    """Read a text as :func:`planspec_lark.parse_plan` does: every deviation is an error; the plan is what is left."""
    if excess := find_excess(text, name, limits):
        return _read_nothing([excess])
    plan = read_valid(text)
    if plan is None:
        return scan_faults(text, name=name, limits=limits)
    result = _scan_later(plan, Source(text, name))
    excess = find_excess_of_plan(result, limits)
    return _read_nothing([excess]) if excess else result


def scan_faults(text: str, *, name: str = "<text>", limits: Limits = NO_LIMITS) -> ScanResult:
    """Read a text as :func:`scan_strictly` does, one that is known to have faults, or whose places are asked for."""
    walk = Walk(Source(text, name), end_last_line(text), findings=Findings(limits.max_findings))
    with paused(len(text)):
        walk.run()
    return _finish(walk, walk.findings)


def find_excess_of_plan(result: ScanResult, limits: Limits) -> Diagnostic | None:
    """What is wrong with a plan that has more steps or levels than it may."""
    if limits.max_steps is None and limits.max_depth is None:
        return None
    siblings, depth, count = result.plan.steps, 0, 0
    while siblings:
        depth += 1
        count += len(siblings)
        if limits.max_depth is not None and depth > limits.max_depth:
            message = f"a step on level {depth:,}, and no more than {limits.max_depth:,} may be"
            return _excess("PS123", siblings[0], message, result)
        siblings = [child for step in siblings for child in step.children]
    if limits.max_steps is None or count <= limits.max_steps:
        return None
    step = next(islice(iter_steps(result.plan), limits.max_steps, None))
    message = f"the plan has {count:,} steps, and may have no more than {limits.max_steps:,}"
    return _excess("PS122", step, message, result)


def _excess(code: str, step: PlanStep, message: str, result: ScanResult) -> Diagnostic:
    places = result.places
    if places.are_to_be_found:
        # Of a plan that is refused, this is the only place that anybody will ask for.
        walk = Walk(result.source, end_last_line(result.source.text), until=step.step_id)
        walk.run()
        places = walk.places
    span = places.step(step.step_id).fields["step_id"][0]
    help = "nothing of the plan was read"
    return Diagnostic(code, message, Severity.ERROR, span, help=help, step_id=step.step_id, source=result.source)


def _read_nothing(diagnostics: list[Diagnostic]) -> ScanResult:
    source = diagnostics[0].source
    assert source is not None
    return ScanResult(PlanSpec(), diagnostics, Places(source), source)


def _has_foreign_arrows(plan: PlanSpec) -> bool:
    """Whether a plan has text that a tolerant reading takes for a list of variables."""
    for step in iter_steps(plan):
        found = [find_outputs(step.description)] if step.description and not step.outputs else []
        if any(almost and almost.is_foreign for almost in (*found, *map(find_inputs, step.detail))):
            return True
    return False


def _scan_later(plan: PlanSpec, source: Source) -> ScanResult:
    """The result for a text without faults. Its places, which not everybody asks for, take longer than the plan."""
    return ScanResult(plan, [], Places(source, find_later=partial(_find_places, source)), source)


def _find_places(source: Source) -> Places:
    return scan_faults(source.text).places


def _scan(source: Source, ended: str, limits: Limits) -> ScanResult:
    parts: list[tuple[_TolerantWalk, int, int]] = []
    at = 0
    with paused(len(ended)):
        while at < len(ended) or not parts:
            walk = _TolerantWalk(source, ended, findings=Findings(limits.max_findings))
            end = walk.run(at)
            parts.append((walk, at, end))
            at = end
    best = min((walk for walk, _, _ in parts), key=_TolerantWalk.rank)
    found = Findings(limits.max_findings)
    for walk, start, end in parts:
        found.extend(walk.findings if walk is best else walk.leave_out(start, end))
    return _finish(best, found)


def _finish(walk: Walk, findings: Findings) -> ScanResult:
    walk.plan.steps = grow(list(walk.steps.values()))
    return ScanResult(walk.plan, findings.close(), walk.places, walk.source)


@define
class _TolerantWalk(Walk):
    # Whether the steps began inside a code block, which then ends the plan.
    steps_in_fence: bool = False
    # Whether prose, set off by a blank line, has followed the steps: what comes then is most likely not the plan's.
    in_prose: bool = False

    def rank(self) -> tuple[bool, int]:
        """How good a candidate for the plan this is, the best first: one with steps, one with few errors."""
        return not self.steps, self.findings.counts[Severity.ERROR]

    def leave_out(self, start: int, end: int) -> list[Diagnostic]:
        """Name all that this walk has passed as left out."""
        stretch = self.source.text[start:end]
        stripped = stretch.strip(BLANK_LINES)
        if not stripped:
            return []
        start += len(stretch) - len(stretch.lstrip(BLANK_LINES))
        code, what = ("PS105", "another plan") if self.steps else ("PS101", "not a part of the plan")
        span = self.source.span(start, start + len(stripped))
        return [Diagnostic(code, f"left out: {what}", Severity.INFO, span, source=self.source)]

    # ---------------------------------------------------------------- decisions

    def starts_another(self, kind: str) -> bool:
        if not self.steps:
            return False
        parts = {"goal": Section.GOAL, "constraints": Section.CONSTRAINTS}
        return kind == "title" or parts.get(kind) in self.seen

    def leave_prose(self, at: int) -> None:
        before = self.text[max(0, at - 256) : at]
        is_set_off = before[len(before.rstrip(BLANK_LINES)) :].count("\n") > 1
        if self.steps and is_set_off:
            self.owner = None
            self.in_prose = True

    def pass_fence(self) -> None:
        if self.in_fence and self.steps and self.steps_in_fence:
            self.finished = True
        super().pass_fence()

    # ---------------------------------------------------------------- foreign arrows

    def read_step(self, match: Match[str], unit: Unit) -> PlanStep:
        """The step, with ``-> names`` as outputs and ``<- names`` as inputs: the grammar has to take both for text."""
        if not self.steps:
            self.steps_in_fence = self.in_fence
        self.in_prose = False
        step = super().read_step(match, unit)
        if step.step_id in self.steps:
            # It will be refused, so nothing of it is worth a repair.
            return step
        bounds = unit.find("step_DESCRIPTION")
        if bounds and not step.outputs:
            raw = self.text[slice(*bounds)]
            almost = find_outputs(raw)
            if almost and almost.is_foreign:
                step.description = read_description(raw[: almost.start].strip(BLANKS), has_outputs=True)
                step.outputs = almost.names
                place = bounds[0] + almost.start, bounds[0] + len(raw)
                self._take_names(step.step_id, "outputs", *place, almost.written)
        if unit.match and any(map(find_inputs, step.detail)):
            step.inputs, step.detail = [], []
            self._add_body(step, *unit.match.span("step__body"))
        return step

    def read_body(self, step: PlanStep, lines: str, unit: Unit) -> None:
        if unit.match is None:
            add_body(step, lines)
        else:
            self._add_body(step, *unit.match.span("body_line"))

    def _add_body(self, step: PlanStep, start: int, end: int) -> None:
        for line in split_body(self.text[start:end]):
            text = line["DETAIL"]
            almost = find_inputs(text) if text else None
            if almost and almost.is_foreign:
                step.inputs.extend(almost.names)
                self._take_names(
                    step.step_id, "inputs", start + line.start(), start + line.end("DETAIL"), f"> {almost.written}"
                )
            elif text is None:
                step.inputs.extend(split_variables(line["INPUTS"]))
            else:
                step.detail.append(read_detail(text))

    def _take_names(self, step_id: str, name: str, start: int, end: int, written: str) -> None:
        self.places.add_names(step_id, name, start, end)
        fix = Fix(self.source.span(start, end), written)
        self.report("PS305", "read as a list of variables", start, end, severity=Severity.WARNING, fix=fix)

    # ---------------------------------------------------------------- reports

    def report(self, code: str, message: str, start: int, end: int, **more: Any) -> None:
        self.note(code, message, start, end, **more)

    def report_orphan(self, message: str, unit: Unit) -> None:
        if self.in_prose:
            self._leave_line_out("PS107", unit.start, self.end_of(unit))
        else:
            super().report_orphan(message, unit)

    def report_dropped(self, unit: Unit) -> None:
        end = self.end_of(unit)
        start = unit.start + len(self.text[unit.start : end]) - len(self.text[unit.start : end].lstrip(BLANK_LINES))
        self.report("PS107", "left out, as what it belongs to", start, end, severity=Severity.ERROR)

    def report_fault(self, fault: Fault, at: int, end: int) -> None:
        is_early = self.section is not Section.STEPS and fault.mended is None
        if fault.flaw.code in ("PS101", "PS103") or is_early:
            self._leave_line_out(fault.flaw.code, at, end)
        else:
            super().report_fault(fault, at, end)

    def _leave_line_out(self, code: str, at: int, end: int) -> None:
        """Name a line that is no part of the plan, together with the one before it if that is none either."""
        message = "left out: a code fence" if code == "PS103" else "left out: not a part of the plan"
        last = self.findings.last
        if last is not None and last.code == code and last.severity is Severity.INFO and last.span is not None:
            gap = self.source.text[last.span.end : at]
            if not gap.strip(BLANK_LINES):
                self.findings.replace_last(evolve(last, span=self.source.span(last.span.start, end)))
                return
        self.note(code, message, at, end, severity=Severity.INFO)
