"""A walk through any text, stretch by stretch: what is a plan's line is read, all else is reported.

A stretch is as much as the grammar's rule ``line`` takes at once: a header with the lines below it, or a step with its
body. A line that the grammar refuses is a stretch of its own; what :mod:`planspec_lark.planspec.faults` makes of it is
read in its place, so that one fault does not bring forth others.

This is the strict walk, to which every deviation is an error. Where it lets others decide (``match``,
``diagnose``, ``starts_another``, ``read_step``, ``read_body``, ``leave_prose``, ``pass_fence``, ``report_fault``), a
tolerant one does.

A walk may have the whole text at once, or see it line by line as it comes (:meth:`Walk.go_on`). Then a stretch comes in
pieces: a line that goes on with the stretch before it is taken as if it had been part of it from the start.
"""

from __future__ import annotations

from re import Match
from typing import Any

from attrs import define, field

from planspec_lark.planspec.corrections import looks_like_step, mend_step
from planspec_lark.planspec.faults import Fault, Section, diagnose, expected_lines, line_pattern
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.positions import Places, Unit
from planspec_lark.planspec.tokens import SUMMARY, add_body, build_step, read_constraints, read_goal_detail
from planspec_lark.planspec.windows import BLANK_LINES, Window
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Fix, Severity

__all__ = ["Walk"]

_PARTS = {
    "title": Section.TITLE,
    "goal": Section.GOAL,
    "constraints": Section.CONSTRAINTS,
    "steps_header": Section.STEPS,
}
_NAMES = {
    Section.TITLE: "title",
    Section.GOAL: "goal",
    Section.CONSTRAINTS: "list of constraints",
    Section.STEPS: "list of steps",
}
_STEP_GROUPS = tuple(f"step_{token}" for token in SUMMARY)
# What a stretch that starts with one kind of line goes on with.
_BELOW = {"goal": "body_line", "constraints": "constraint", "step": "body_line"}


@define
class Walk(Window):
    """One walk, and what it has found so far.

    ``owner`` is whose ``>`` lines come now: the plan's (for its goal), a step's, those of something refused (False), or
    nobody's (None).
    """

    plan: PlanSpec = field(factory=PlanSpec)
    steps: dict[str, PlanStep] = field(factory=dict)
    places: Places = field(init=False)
    section: Section = Section.NOTHING
    seen: set[Section] = field(factory=set)
    owner: PlanSpec | PlanStep | bool | None = None
    in_fence: bool = False
    finished: bool = False
    # The step to stop behind.
    until: str | None = None
    # The kind of the last stretch, as long as lines may follow that go on with it.
    unfinished: str = ""

    def __attrs_post_init__(self) -> None:
        self.places = Places(self.source, self.text)

    def run(self, at: int = 0) -> int:
        """Read from an offset on, to the text's end or to where the plan has ended; returns where that is."""
        lead = grammars.pattern("planspec", "LEAD").match(self.text) if at == 0 else None
        return self._run(lead.end() if lead else at)

    def go_on(self, window: str, base: int, at: int) -> int:
        """Read a line that has come: ``window``, from offset ``at`` on.

        Args:
            window: the line, and in front of it LOOK_BACK characters or as many as there are.
            base: the offset of the window's start.
            at: the offset of the line's first character that is neither white space nor a byte-order mark.

        Returns:
            The offset up to which all was read: ``at`` itself, where the plan has ended in front of it.
        """
        self.text, self.base = window, base
        return self._run(at)

    def _run(self, at: int) -> int:
        end = self.base + len(self.text)
        while at < end and not self.finished:
            self.start_stretch()
            match = self.match(at)
            at = self._take(match) if match else self._refuse(at)
        return at

    def line_at(self, at: int) -> tuple[str, int, int]:
        """The line at an offset, where it ends, and where the next one starts that is not blank."""
        newline = self.text.index("\n", at - self.base) + self.base
        end = newline - (newline > at and self.slice(newline - 1, newline) == "\r")
        after = grammars.pattern("planspec", "NL").match(self.text, end - self.base)
        return self.slice(at, end).rstrip(BLANKS), end, after.end() + self.base if after else newline + 1

    # ---------------------------------------------------------------- what a tolerant walk decides for itself

    def match(self, at: int, end: int | None = None) -> Match[str] | None:
        """The stretch at an offset, up to another if there is one; None where its first line is refused."""
        match = line_pattern().match(self.text, at - self.base, len(self.text) if end is None else end - self.base)
        return match if match and not self.is_listed_step(match) else None

    def diagnose(self, line: str) -> Fault:
        """What is wrong with a line that is refused."""
        return diagnose(line, self.section)

    def starts_another(self, kind: str) -> bool:  # noqa: ARG002  (for a tolerant walk)
        """Whether a header shows that the plan has ended in front of it."""
        return False

    def read_step(self, match: Match[str], unit: Unit) -> PlanStep:  # noqa: ARG002  (for a tolerant walk)
        """The step that a stretch spells."""
        step = build_step(*match.group(*_STEP_GROUPS))
        if body := match["step__body"]:
            add_body(step, body)
        return step

    def read_body(self, step: PlanStep, lines: str, unit: Unit) -> None:  # noqa: ARG002  (for a tolerant walk)
        """Give a step the inputs and detail of lines that do not follow its summary line directly."""
        add_body(step, lines)

    def leave_prose(self, at: int) -> None:
        """Pass a line at ``at`` that is none of a plan's."""

    def pass_fence(self) -> None:
        """Pass a line that opens or closes a code block."""
        self.in_fence = not self.in_fence

    def report(self, code: str, message: str, start: int, end: int, **more: Any) -> None:
        """Note a finding; ``more`` are further fields of its diagnostic."""
        more["severity"] = Severity.ERROR
        self.note(code, message, start, end, **more)

    def report_fault(self, fault: Fault, at: int, end: int) -> None:
        """Note what is wrong with the line from ``at`` to ``end``."""
        flaw = fault.flaw
        fix = None if fault.mended is None else Fix(self.source.span(at, end), fault.mended)
        severity = Severity.ERROR if fix is None else Severity.WARNING
        more: dict[str, Any] = {"expected": fault.expected, "help": fault.help, "fix": fix}
        self.report(flaw.code, flaw.message, at + flaw.start, at + flaw.end, severity=severity, **more)

    def report_dropped(self, unit: Unit) -> None:
        """Note lines that belong to something refused. To a strict walk, that has been said."""

    # ---------------------------------------------------------------- stretches that the grammar accepts

    def _take(self, match: Match[str], mended: tuple[int, int] | None = None) -> int:
        """Read one stretch; ``mended`` is the place in the source of a line that was repaired to ``match``."""
        kind = str(match.lastgroup)
        unit = Unit(*mended, None) if mended else Unit(match.start() + self.base, match.end() + self.base, match)
        if self.starts_another(kind):
            self.finished = True
            return unit.start
        if not mended and kind == _BELOW.get(self.unfinished):
            self._take_more(kind, match, unit)
            return unit.end
        self.unfinished = "" if mended else kind
        if kind == "step":
            self._take_step(match, unit)
        elif kind == "body_line":
            self._take_body(match["body_line"], unit)
        elif kind == "constraint":
            self._take_constraint(match["constraint_TEXT"], unit)
        elif self._enter(_PARTS[kind], unit):
            self._take_part(kind, match, unit)
        return unit.end

    def _take_more(self, kind: str, match: Match[str], unit: Unit) -> None:
        """Read a line of the last stretch. Only a text that comes line by line has it by itself."""
        if self.behind is not None:
            # The finding names all of the stretch.
            self.extend(self.behind, self.end_of(unit))
            if self.owner is False:
                return
        if kind == "constraint":
            self.plan.constraints.append(match["constraint_TEXT"])
            self.places.add("constraints", unit)
        else:
            self._take_body(match["body_line"], unit)

    def is_listed_step(self, match: Match[str]) -> bool:
        """Whether a `-` line is most likely a step in a list: ``- 1. [act] text``."""
        if match.lastgroup != "constraint" or self.section is Section.CONSTRAINTS or self.unfinished == "constraints":
            return False
        line = match["constraint"].rstrip(BLANK_LINES)
        return looks_like_step(line) and mend_step(line)[1] is not None

    def _enter(self, part: Section, unit: Unit) -> bool:
        """Go on to a part of the document; False where its content must not count."""
        self.owner = None
        if part in self.seen:
            # Keeps the lines below it from being reported one by one.
            self.owner = False
            is_header = part is Section.STEPS
            severity = Severity.WARNING if is_header else Severity.ERROR
            message = f"the {_NAMES[part]} comes a second time"
            help = "the steps have begun: leave the line out" if is_header else "a plan has each part at most once"
            self._report_part(part, "PS105", message, unit, severity=severity, help=help)
            return False
        if part < self.section:
            message, help = f"the {_NAMES[part]} comes too late", "the order is: title, goal, constraints, steps"
            self._report_part(part, "PS106", message, unit, severity=Severity.WARNING, help=help)
        self.seen.add(part)
        self.section = max(part, self.section)
        return True

    def _report_part(self, part: Section, code: str, message: str, unit: Unit, **more: Any) -> None:
        self.report(code, message, unit.start, self.end_of(unit), **more)
        if part in (Section.GOAL, Section.CONSTRAINTS) and unit.match:
            self.keep_growing()

    def _take_part(self, kind: str, match: Match[str], unit: Unit) -> None:
        if kind == "title":
            self.plan.title = match["title_TEXT"]
        elif kind == "goal":
            self.plan.goal = match["goal_TEXT"] or ""
            self.plan.goal_detail = read_goal_detail(match["goal__goal_detail"] or "")
            self.owner = self.plan
        elif kind == "constraints":
            self.plan.constraints = read_constraints(match["constraints_constraint"] or "")
        self.places.add(kind, unit)

    def _take_constraint(self, text: str, unit: Unit) -> None:
        if self.section is Section.CONSTRAINTS and self.owner is None:
            self.plan.constraints.append(text)
            self.places.add("constraints", unit)
        elif self.section is Section.CONSTRAINTS:
            self.report_dropped(unit)
        else:
            self.report_orphan("this `-` line belongs to nothing", unit)

    def _take_body(self, lines: str, unit: Unit) -> None:
        if isinstance(self.owner, PlanSpec):
            self.plan.goal_detail.extend(read_goal_detail(lines))
            self.places.add("goal_detail", unit)
        elif isinstance(self.owner, PlanStep):
            self.read_body(self.owner, lines, unit)
            self.places.add_step(self.owner.step_id, unit)
        elif self.owner is None:
            self.report_orphan("this `>` line belongs to nothing", unit)
        else:
            self.report_dropped(unit)

    def report_orphan(self, message: str, unit: Unit) -> None:
        """Note a line that belongs to nothing."""
        severity = Severity.ERROR if self.section is Section.STEPS else Severity.INFO
        expected = expected_lines(self.section)
        self.report("PS107", message, unit.start, self.end_of(unit), severity=severity, expected=expected)

    def _take_step(self, match: Match[str], unit: Unit) -> None:
        # The first step opens the section where no header has.
        self.section = Section.STEPS
        self.seen.add(Section.STEPS)
        step = self.read_step(match, unit)
        if step.step_id in self.steps:
            self._refuse_repeated(step.step_id, unit)
            return
        self.steps[step.step_id] = step
        self.finished = self.finished or step.step_id == self.until
        self.places.add_step(step.step_id, unit)
        self.owner = step

    def _refuse_repeated(self, step_id: str, unit: Unit) -> None:
        line, _ = self.source.position(self.places.start_of(step_id))
        message = f"the id {step_id} is taken: line {line} has it already"
        end = unit.start + len(step_id) if unit.match else self.end_of_line(unit)
        self.report("PS117", message, unit.start, end, severity=Severity.ERROR, step_id=step_id)
        if "\n" in self.slice(unit.start, self.end_of(unit)):
            self.report_dropped(Unit(self.end_of_line(unit) + 1, unit.end, None))
        self.owner = False

    # ---------------------------------------------------------------- lines that it refuses

    def _refuse(self, at: int) -> int:
        """Report the line at ``at``, go on with what was meant if that is clear, and return where the next starts."""
        self.unfinished = ""
        line, end, behind = self.line_at(at)
        fault = self.diagnose(line)
        match = line_pattern().match(fault.mended + "\n") if fault.mended else None
        if match and self.starts_another(str(match.lastgroup)):
            self.finished = True
            return at
        self.report_fault(fault, at, at + len(line))
        if match:
            self._take(match, (at, end))
        elif fault.flaw.code == "PS103":
            self.pass_fence()
        elif "PS110" <= fault.flaw.code <= "PS116":
            self.owner = False
        else:
            self.leave_prose(at)
        return behind
