"""PlanSpec text → plan and diagnostics, stretch by stretch, whatever the text is.

One walk serves two ways to read. Strictly, everything that is not a plan's line is an error (this is where the
messages of :func:`planspec_lark.parse_plan` come from). Tolerantly, a line that can be mended counts as mended, what
stands around the plan is left out, and every such thing is named.
"""

from __future__ import annotations

from functools import cache
from re import Match, Pattern

from attrs import define, evolve, field, frozen

from planspec_lark import grammars
from planspec_lark.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.planspec.building import (
    behind_sign,
    build_step,
    read_body,
    read_constraints,
    read_goal_detail,
    split_body,
)
from planspec_lark.planspec.escapes import read_description
from planspec_lark.planspec.faults import Fault, Section, diagnose, expected_lines
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.places import Places, Unit
from planspec_lark.planspec.repairs import find_inputs, find_outputs, looks_like_step, mend_step
from planspec_lark.planspec.tree import grow
from planspec_lark.source import Source

__all__ = ["ScanResult", "scan_plan", "scan_strictly"]

_PARTS = {
    "title": Section.TITLE,
    "goal": Section.GOAL,
    "constraints": Section.CONSTRAINTS,
    "steps": Section.STEPS,
}
_NAMES = {
    Section.TITLE: "title",
    Section.GOAL: "goal",
    Section.CONSTRAINTS: "list of constraints",
    Section.STEPS: "`## Steps`",
}


@frozen
class ScanResult:
    """What a tolerant reading found.

    ``diagnostics`` are in the order of the text: an error where something that seems to belong to the plan had to be
    left out, a warning where it was read after a repair (its ``fix`` says which), an info for text that is no part of
    the plan.
    """

    plan: PlanSpec
    diagnostics: list[Diagnostic]
    places: Places
    source: Source = field(repr=False)


def scan_plan(text: str, *, name: str = "<text>") -> ScanResult:
    """Read the plan in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    A text that :func:`planspec_lark.parse_plan` accepts gives the same plan and no diagnostics, with one exception: the
    grammar has to take ``-> names`` and ``<- names`` for text, and here they are read as the lists that they look like.

    Args:
        text: any text.
        name: what diagnostics call it.
    """
    source = Source(text, name)
    whole = source.text if source.text.endswith("\n") or not source.text else source.text + "\n"
    parts: list[tuple[_Scan, int, int]] = []
    at = 0
    while at < len(whole) or not parts:
        scan = _Scan(source, whole, tolerant=True)
        end = scan.read(at)
        parts.append((scan, at, end))
        at = end
    best = min((part for part, _, _ in parts), key=_Scan.rank)
    found: list[Diagnostic] = []
    for scan, start, end in parts:
        found += scan.diagnostics if scan is best else _leave_out_part(scan, start, end)
    return best.finish(found)


def _leave_out_part(scan: _Scan, start: int, end: int) -> list[Diagnostic]:
    text = scan.source.text[start:end]
    if not text.strip(" \t\r\n"):
        return []
    code, message = ("PS105", "left out: another plan") if scan.steps else ("PS101", "left out: not a part of the plan")
    start += len(text) - len(text.lstrip(" \t\r\n"))
    span = scan.source.span(start, start + len(text.strip(" \t\r\n")))
    return [Diagnostic(code, message, Severity.INFO, span, source=scan.source)]


def scan_strictly(text: str, *, name: str = "<text>") -> ScanResult:
    """Read a text as :func:`planspec_lark.parse_plan` does: every deviation is an error; the plan is what is left."""
    source = Source(text, name)
    scan = _Scan(source, text if text.endswith("\n") or not text else text + "\n", tolerant=False)
    scan.read(0)
    return scan.finish(scan.diagnostics)


@cache
def _line() -> Pattern[str]:
    return grammars.regular("planspec").pattern("line", without="step")


@define
class _Scan:
    source: Source
    # The source's text with its last line ended.
    text: str
    tolerant: bool
    plan: PlanSpec = field(factory=PlanSpec)
    diagnostics: list[Diagnostic] = field(factory=list)
    places: Places = field(init=False)
    section: Section = Section.NOTHING
    seen: set[Section] = field(factory=set)
    steps: dict[str, PlanStep] = field(factory=dict)
    # Whose `>` lines come now: the goal, a step, nobody (None), or a step that was refused (False).
    owner: PlanSpec | PlanStep | bool | None = None
    in_fence: bool = False
    # Whether the steps began inside a code block, which then ends the plan.
    steps_in_fence: bool = False
    # Whether prose, set off by a blank line, has followed the steps: what comes then is most likely not the plan's.
    in_prose: bool = False
    # Set where a tolerant reading has the whole plan.
    finished: bool = False

    def __attrs_post_init__(self) -> None:
        self.places = Places(self.source)

    def read(self, at: int) -> int:
        """Read the text from an offset on, to its end or to where another plan starts; returns where that is."""
        text = self.text
        lead = grammars.pattern("planspec", "LEAD").match(text, at) if at == 0 else None
        at = lead.end() if lead else at
        while at < len(text) and not self.finished:
            match = _line().match(text, at)
            at = self._take(match) if match and not self._is_listed_step(match) else self._refuse(at)
        return at

    def rank(self) -> tuple[bool, int]:
        """How good a candidate for the plan this is, the best first: one with steps, one with few errors."""
        errors = sum(found.severity is Severity.ERROR for found in self.diagnostics)
        return not self.steps, errors

    def finish(self, diagnostics: list[Diagnostic]) -> ScanResult:
        """The result, once all is read."""
        self.plan.steps = grow(list(self.steps.values()))
        return ScanResult(self.plan, diagnostics, self.places, self.source)

    # ---------------------------------------------------------------- reporting

    def _report(self, code: str, message: str, start: int, end: int, **more: object) -> None:
        severity = more.pop("severity", Severity.WARNING) if self.tolerant else Severity.ERROR
        more.pop("severity", None)
        span = self.source.span(start, end)
        self.diagnostics.append(Diagnostic(code, message, severity, span, source=self.source, **more))  # type: ignore[arg-type]

    # ---------------------------------------------------------------- lines that the grammar accepts

    def _take(self, match: Match[str], mended: tuple[int, int] | None = None) -> int:
        """Read one stretch; ``mended`` is the place in the source of a line that was repaired to ``match``."""
        kind = str(match.lastgroup)
        if self.tolerant and self.steps and self._starts_another(kind):
            self.finished = True
            return mended[0] if mended else match.start()
        if mended:
            unit = Unit(*mended, {}, mended=True)
        else:
            groups = match.re.groupindex
            regs = match.regs
            unit = Unit(*match.span(), {name: regs[n] for name, n in groups.items() if regs[n][0] >= 0})
        if kind == "step":
            self._take_step(match, unit)
        elif kind == "body_line":
            self._take_body(match["body_line"], unit)
        elif kind == "constraint":
            self._take_constraint(match["constraint_TEXT"], unit)
        elif self._enter(_PARTS[kind], unit):
            self._take_part(kind, match, unit)
        return match.end()

    def _is_listed_step(self, match: Match[str]) -> bool:
        """Whether a `-` line is most likely a step in a list: ``- 1. [act] text``."""
        if match.lastgroup != "constraint" or self.section is Section.CONSTRAINTS:
            return False
        line = match["constraint"].rstrip(" \t\r\n")
        return looks_like_step(line) and mend_step(line)[1] is not None

    def _starts_another(self, kind: str) -> bool:
        """Whether a line behind the steps belongs to another plan, or to no plan at all."""
        return kind == "title" or (kind in ("goal", "constraints") and _PARTS[kind] in self.seen)

    def _end(self, unit: Unit) -> int:
        """Where a stretch ends, without the white space and blank lines behind it."""
        return unit.start + len(self.text[unit.start : unit.end].rstrip(" \t\r\n"))

    def _enter(self, part: Section, unit: Unit) -> bool:
        """Go on to a part of the document; False where its content must not count."""
        end = self._end(unit)
        self.owner = None
        if part in self.seen:
            # A refused part keeps the lines below it from being reported one by one.
            self.owner = False
            self._report(
                "PS105",
                f"the {_NAMES[part]} comes a second time",
                unit.start,
                end,
                severity=Severity.WARNING if part is Section.STEPS else Severity.ERROR,
                help="a plan has each part at most once" if part is not Section.STEPS else "",
            )
            return False
        if part < self.section:
            self._report(
                "PS106",
                f"the {_NAMES[part]} comes too late",
                unit.start,
                end,
                help="the order is: title, goal, constraints, steps",
            )
        self.seen.add(part)
        self.section = max(part, self.section)
        return True

    def _take_part(self, kind: str, match: Match[str], unit: Unit) -> None:
        if kind == "title":
            self.plan.title = match["title_TEXT"].strip(BLANKS)
        elif kind == "goal":
            self.plan.goal = (match["goal_TEXT"] or "").strip(BLANKS)
            self.plan.goal_detail = read_goal_detail(match["goal__goal_detail"] or "")
            self.owner = self.plan
        elif kind == "constraints":
            self.plan.constraints = read_constraints(match["constraints_constraint"] or "")
        self.places.add(kind, unit)

    def _take_constraint(self, text: str, unit: Unit) -> None:
        if self.section is Section.CONSTRAINTS and self.owner is None:
            self.plan.constraints.append(text.strip(BLANKS))
            self.places.add("constraints", unit)
            return
        self._report_orphan("this `-` line belongs to nothing", unit)

    def _take_body(self, lines: str, unit: Unit) -> None:
        if isinstance(self.owner, PlanSpec):
            self.plan.goal_detail += read_goal_detail(lines)
            self.places.add("goal_detail", unit)
        elif isinstance(self.owner, PlanStep):
            inputs, detail = read_body(lines)
            self.owner.inputs += inputs
            self.owner.detail += detail
            if self.tolerant and not unit.mended:
                self._mend_inputs(self.owner, unit.bounds["body_line"])
            self.places.add_step(self.owner.step_id, unit)
        elif self.owner is None:
            self._report_orphan("this `>` line belongs to nothing", unit)
        elif self.tolerant:
            self._report_orphan("left out, as what it belongs to", unit)

    def _report_orphan(self, message: str, unit: Unit) -> None:
        outside = self.section is not Section.STEPS or self.in_prose
        self._report(
            "PS107",
            message,
            unit.start,
            self._end(unit),
            expected=expected_lines(self.section),
            severity=Severity.INFO if outside else Severity.ERROR,
        )

    def _take_step(self, match: Match[str], unit: Unit) -> None:
        start, end = unit.start, unit.end
        first = self.source.text.find("\n", start, end)
        line_end = end if first < 0 else first
        if self.section is not Section.STEPS:
            self._report(
                "PS108", "a step comes before `## Steps`", start, line_end, help="write `## Steps` in the line above"
            )
            self.section = Section.STEPS
            self.seen.add(Section.STEPS)
        if not self.steps:
            self.steps_in_fence = self.in_fence
        self.in_prose = False
        step = build_step(*(match[group] or None for group in _STEP_GROUPS))  # type: ignore[arg-type]
        if step.step_id in self.steps:
            line, _ = self.source.position(self.places.start_of(step.step_id))
            # Read tolerantly, all of the step is left out; otherwise the id is the place to look at.
            id_end = self._end(unit) if self.tolerant or unit.mended else start + len(step.step_id)
            self._report(
                "PS117",
                f"the id {step.step_id} is taken: line {line} has it already",
                start,
                id_end,
                severity=Severity.ERROR,
                step_id=step.step_id,
            )
            self.owner = False
            return
        if self.tolerant and not unit.mended:
            self._mend_arrows(step, unit)
        self.steps[step.step_id] = step
        self.places.add_step(step.step_id, unit)
        self.owner = step

    def _mend_arrows(self, step: PlanStep, unit: Unit) -> None:
        """Take ``-> names`` for outputs and ``<- names`` for inputs: the grammar has to let them through as text."""
        if not step.outputs and "step_DESCRIPTION" in unit.bounds:
            start, end = unit.bounds["step_DESCRIPTION"]
            raw = self.text[start:end].rstrip(BLANKS)
            almost = find_outputs(raw)
            if almost and almost.is_foreign:
                step.description = read_description(raw[: almost.start].strip(BLANKS), has_outputs=True)
                step.outputs = almost.names
                self._report_arrow(start + almost.start, start + len(raw), almost.written)
        if "step__body" in unit.bounds:
            self._mend_inputs(step, unit.bounds["step__body"])

    def _mend_inputs(self, step: PlanStep, bounds: tuple[int, int]) -> None:
        if not any(map(find_inputs, step.detail)):
            return
        start, end = bounds
        for line in split_body(self.text[start:end]):
            text = behind_sign(line["DETAIL"]) if line["DETAIL"] else ""
            almost = find_inputs(text)
            if almost and almost.is_foreign:
                step.detail.remove(text)
                step.inputs += almost.names
                self._report_arrow(start + line.start("DETAIL"), start + line.end("DETAIL"), f"> {almost.written}")

    def _report_arrow(self, start: int, end: int, written: str) -> None:
        fix = Fix(self.source.span(start, end), written)
        self._report("PS305", "read as a list of variables", start, end, fix=fix)

    # ---------------------------------------------------------------- lines that it refuses

    def _refuse(self, at: int) -> int:
        """Report the line at ``at``, go on with what was meant if that is clear, and return where the next starts."""
        text = self.text
        newline = text.index("\n", at)
        end = newline - (text[newline - 1] == "\r" and newline > at)
        fault = diagnose(text[at:end].rstrip(BLANKS), self.section)
        after = grammars.pattern("planspec", "NL").match(text, end)
        match = _line().match(fault.mended + "\n") if fault.mended else None
        if match and self.tolerant and self.steps and self._starts_another(str(match.lastgroup)):
            self.finished = True
            return at
        self._report_fault(fault, at, len(text[at:end].rstrip(BLANKS)) + at)
        if fault.flaw.code == "PS103":
            self._pass_fence()
        elif match:
            self._take(match, (at, end))
        elif "PS110" <= fault.flaw.code <= "PS116":
            self.owner = False
        elif self.tolerant and self.steps and self._stands_alone(at):
            self.owner = None
            self.in_prose = True
        return after.end() if after else newline + 1

    def _stands_alone(self, at: int) -> bool:
        """Whether there is a blank line in front of the line at ``at``."""
        before = self.text[max(0, at - 256) : at]
        return before[len(before.rstrip(" \t\r\n")) :].count("\n") > 1

    def _report_fault(self, fault: Fault, at: int, end: int) -> None:
        flaw = fault.flaw
        left_out = flaw.code in ("PS101", "PS103") or (self.section is not Section.STEPS and fault.mended is None)
        if self.tolerant and left_out:
            self._leave_out(flaw.code, at, end)
            return
        severity = Severity.WARNING if fault.mended is not None else Severity.ERROR
        fix = None if fault.mended is None else Fix(self.source.span(at, end), fault.mended)
        self._report(
            flaw.code,
            flaw.message,
            at + flaw.start,
            at + flaw.end,
            severity=severity,
            expected=fault.expected,
            help=fault.help,
            fix=fix,
        )

    def _leave_out(self, code: str, at: int, end: int) -> None:
        """Name a line that is no part of the plan, together with the one before it if that is none either."""
        message = "left out: a code fence" if code == "PS103" else "left out: not a part of the plan"
        last = self.diagnostics[-1] if self.diagnostics else None
        if last is not None and last.code == code and last.severity is Severity.INFO and last.span is not None:
            gap = self.source.text[last.span.end : at]
            if not gap.strip(" \t\r\n"):
                self.diagnostics[-1] = evolve(last, span=self.source.span(last.span.start, end))
                return
        self._report(code, message, at, end, severity=Severity.INFO)

    def _pass_fence(self) -> None:
        if self.tolerant and self.in_fence and self.steps and self.steps_in_fence:
            self.finished = True
        self.in_fence = not self.in_fence


_STEP_GROUPS = (
    "step_STEP_ID",
    "step_MARK",
    "step_NAME",
    "step_TYPE",
    "step_DESCRIPTION",
    "step_OUTPUTS",
    "step__segments",
    "step__body",
)
