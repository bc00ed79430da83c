"""A walk through any text that takes what it can get: what it repairs it lists, and what it leaves out it names."""

from __future__ import annotations

from re import Match
from typing import Any

from attrs import define

from planspec_lark.planspec.corrections import find_comment, find_inputs, find_outputs
from planspec_lark.planspec.escapes import read_description, read_detail
from planspec_lark.planspec.faults import Fault, Section, comment_fault, diagnose, line_pattern
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanStep
from planspec_lark.planspec.positions import Unit
from planspec_lark.planspec.tokens import add_body, split_body, split_variables
from planspec_lark.planspec.walking import Walk
from planspec_lark.planspec.windows import BLANK_LINES, LOOK_BACK
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity

__all__ = ["TolerantWalk"]


@define
class TolerantWalk(Walk):
    """The tolerant walk; see :class:`planspec_lark.planspec.walking.Walk` for what it decides for itself."""

    # Whether the steps began inside a code block, which then ends the plan.
    steps_in_fence: bool = False
    # Whether prose, set off by a blank line, has followed the steps: what comes then is most likely not the plan's.
    in_prose: bool = False
    # Whether text may have comments behind it: a header that stands alone has had one, which nothing else could be.
    has_comments: bool = False
    # Whether something in front of the steps was read that would end with a comment then.
    has_doubt: bool = False
    # Whether all has to be read again, with comments.
    is_misled: bool = False

    def rank(self) -> tuple[bool, int]:
        """How good a candidate for the plan this is, the best first: one with steps, one with few errors."""
        return not self.steps, self.findings.counts[Severity.ERROR]

    def leave_out(self, start: int, end: int) -> list[Diagnostic]:
        """Name all that this walk has passed as left out."""
        stretch = self.text[start:end]
        stripped = stretch.strip(BLANK_LINES)
        if not stripped:
            return []
        start += len(stretch) - len(stretch.lstrip(BLANK_LINES))
        code, what = ("PS105", "another plan") if self.steps else ("PS101", "not a part of the plan")
        span = self.source.span(start, start + len(stripped))
        return [Diagnostic(code, f"left out: {what}", Severity.INFO, span, source=self.source)]

    # ---------------------------------------------------------------- decisions

    def starts_another(self, kind: str) -> bool:
        """A second title, or a part that is there already, is another plan's."""
        if not self.steps:
            return False
        parts = {"goal": Section.GOAL, "constraints": Section.CONSTRAINTS}
        return kind == "title" or parts.get(kind) in self.seen

    def leave_prose(self, at: int) -> None:
        """Behind the steps, prose that a blank line sets off ends the plan as far as `>` lines go."""
        if self.steps and self._is_set_off(at):
            self.owner = None
            self.in_prose = True

    def _is_set_off(self, at: int) -> bool:
        """Whether a blank line stands in front of the line at an offset."""
        far = LOOK_BACK
        while True:
            before = self.slice(max(self.base, at - far), at)
            gap = before[len(before.rstrip(BLANK_LINES)) :]
            if len(gap) < far or far > at - self.base:
                return gap.count("\n") > 1
            far *= 2

    def pass_fence(self) -> None:
        """The end of the code block that the steps stand in is the end of the plan."""
        if self.in_fence and self.steps and self.steps_in_fence:
            self.finished = True
        super().pass_fence()

    # ---------------------------------------------------------------- comments

    @property
    def is_in_doubt(self) -> bool:
        """Whether it may turn out that there are comments, and that something was read with one as its text."""
        return self.has_doubt and not self.steps and not self.has_comments

    def match(self, at: int, end: int | None = None) -> Match[str] | None:
        """Where there are comments, a line at a time, and none that ends with one."""
        if self.has_comments:
            line, _, end = self.line_at(at)
            return None if self._find_comment(line) else super().match(at, end)
        match = super().match(at, end)
        if match and not self.steps and match.lastgroup != "step":
            self._doubt(match[0])
        return match

    def diagnose(self, line: str) -> Fault:
        """The same for lines that end with a comment."""
        if self.has_comments and (fault := self._find_comment(line)):
            return fault
        fault = super().diagnose(line)
        if fault.flaw.code == "PS124":
            self.is_misled = self.finished = self.is_in_doubt
            self.has_comments = True
        elif fault.mended and not self.steps:
            self._doubt(line)
        return fault

    def _doubt(self, text: str) -> None:
        self.has_doubt = self.has_doubt or find_comment(text) is not None

    def _find_comment(self, line: str) -> Fault | None:
        """The comment at the end of a line that is one of a plan without it."""
        start = find_comment(line)
        bare = "" if start is None else line[:start].rstrip(BLANKS)
        if start is None or bare == ">":
            return None
        match = line_pattern().fullmatch(f"{bare}\n")
        mended = bare if match and not self.is_listed_step(match) else diagnose(bare, self.section).mended
        return comment_fault(line, start, mended) if mended else None

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
            raw = self.slice(*bounds)
            almost = find_outputs(raw)
            if almost and almost.is_foreign:
                step.description = read_description(raw[: almost.start].strip(BLANKS), has_outputs=True)
                step.outputs = almost.names
                place = bounds[0] + almost.start, bounds[0] + len(raw)
                self._take_names(step.step_id, "outputs", *place, almost.written)
        if (body := unit.find("step__body")) and any(map(find_inputs, step.detail)):
            step.inputs, step.detail = [], []
            self._add_body(step, *body)
        return step

    def read_body(self, step: PlanStep, lines: str, unit: Unit) -> None:
        """As those directly behind the summary line, foreign arrows and all."""
        if bounds := unit.find("body_line"):
            self._add_body(step, *bounds)
        else:
            add_body(step, lines)

    def _add_body(self, step: PlanStep, start: int, end: int) -> None:
        for line in split_body(self.slice(start, end)):
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
        """Note a finding with the severity that it has been given."""
        self.note(code, message, start, end, **more)

    def report_orphan(self, message: str, unit: Unit) -> None:
        """In prose, such a line is prose."""
        if self.in_prose:
            self._leave_line_out("PS107", unit.start, self.end_of(unit))
        else:
            super().report_orphan(message, unit)

    def report_dropped(self, unit: Unit) -> None:
        """Name what goes with a line that was left out."""
        end = self.end_of(unit)
        start = end - len(self.slice(unit.start, end).lstrip(BLANK_LINES))
        self.report("PS107", "left out, as what it belongs to", start, end, severity=Severity.ERROR)
        if self.unfinished == "step":
            self.keep_growing()

    def report_fault(self, fault: Fault, at: int, end: int) -> None:
        """What nobody would take for a line of a plan is just not a part of it."""
        is_early = self.section is not Section.STEPS and fault.mended is None
        if fault.flaw.code in ("PS101", "PS103") or is_early:
            self._leave_line_out(fault.flaw.code, at, end)
        else:
            super().report_fault(fault, at, end)

    def _leave_line_out(self, code: str, at: int, end: int) -> None:
        """Name a line that is no part of the plan, together with the one before it if that is none either."""
        message = "left out: a code fence" if code == "PS103" else "left out: not a part of the plan"
        if self.behind is not None and self.behind.code == code and self.behind.severity is Severity.INFO:
            self.extend(self.behind, end)
            return
        self.note(code, message, at, end, severity=Severity.INFO)
        self.keep_growing()
