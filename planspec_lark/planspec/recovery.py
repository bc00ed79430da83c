"""Any text → the plan in it, and diagnostics of all that is not as it should be.

One reader is fed with lines, and takes what it can. A line that the grammar refuses is explained (see
:mod:`planspec_lark.planspec.line_faults`); what was most likely meant is read in its place, so that one fault does not
bring forth others. To a strict reader every deviation is an error. A tolerant one takes more for what it looks like,
and what is no part of the plan it only names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from re import Match
from typing import Any, ClassVar

from attrs import define, evolve, field, frozen

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.builder import SUMMARY, build_step, read_constraints, read_goal_detail, split_variables
from planspec_lark.planspec.escapes import read_description, read_detail
from planspec_lark.planspec.line_faults import (
    LineFault,
    Section,
    comment_fault,
    diagnose_line,
    expected_lines,
    is_step,
    line_pattern,
)
from planspec_lark.planspec.models import BLANKS, PlanSpec, PlanStep, make_plan
from planspec_lark.planspec.near_misses import AlmostList, find_comment, find_inputs, find_outputs, repeats_arrow
from planspec_lark.planspec.positions import LineBounds, Positions, iter_rows
from planspec_lark.planspec.step_repair import is_item, looks_like_step
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity, in_order
from planspec_lark.syntax.limits import (
    DEFAULT_LIMITS,
    Findings,
    Limits,
    find_excess,
    find_too_large,
)
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, Span, end_last_line
from planspec_lark.syntax.tree import grow

__all__ = [
    "BLANK_LINES",
    "PARTS",
    "STEP_GROUPS",
    "WHITE",
    "Recovery",
    "ScanResult",
    "read_nothing",
    "refuse_excess",
    "say_left_out",
    "scan_lines",
    "scan_strictly",
    "start_of",
]

PARTS = {
    "title": (Section.TITLE, "title"),
    "goal": (Section.GOAL, "goal"),
    "constraints": (Section.CONSTRAINTS, "list of constraints"),
    "steps_header": (Section.STEPS, "list of steps"),
}
STEP_GROUPS = tuple(f"step_{token}" for token in SUMMARY)
# By the kind of a line, the kind of the lines that continue it.
_BELOW = {"goal": "body_line", "constraints": "constraint", "step": "body_line"}
_LEFT_OUT = {"PS103": "a code fence", "PS105": "another plan"}
BLANK_LINES = ("\n", "\r\n")
WHITE = BLANKS + "\r\n"
# What may be between two lines.
_WHITE = re.compile(rf"(?:[{BLANKS}]|\r?\n)*+")


def _ignore(_kind: str, **_what: Any) -> None:
    """What listens where nothing is to be told."""


@define(eq=False)
class Recovery:
    """Reads a plan line by line, whatever the lines are, and keeps what it has found so far.

    Every deviation is an error.

    Attributes:
        source: what the offsets of the lines belong to.
        has_comments: whether text may have comments after it: a header without text has had one, which nothing
            else could be.
        tell: is told of all that is added to the plan, with the name of a kind of event and what the event holds.
        owner: whose ``>`` lines come now: the plan's (for its goal), a step's, those of something refused (False), or
            no step's (None).
        is_finished: whether the plan has ended: no more lines are taken.
        is_closed: whether what has ended it is the end of its code block.
        growing: the last finding, as long as it may be extended to the next line.
        is_misled: whether all has to be read again, with comments.
    """

    is_strict: ClassVar[bool] = True

    source: Source
    has_comments: bool = False
    tell: Callable[..., None] = _ignore
    positions: Positions = field(init=False)
    plan: PlanSpec = field(factory=make_plan)
    steps: dict[str, PlanStep] = field(factory=dict)
    section: Section = Section.NOTHING
    seen: set[Section] = field(factory=set)
    owner: PlanSpec | PlanStep | bool | None = None
    is_finished: bool = False
    is_closed: bool = False
    growing: Diagnostic | None = None
    is_misled: bool = False
    # The kind of the last line that began something, as long as lines may follow that continue it.
    unfinished: str = ""
    # What `growing` was one line before.
    _behind: Diagnostic | None = None
    _findings: list[Diagnostic] = field(factory=list)
    # Where the text ends of the line that is read, and whether a blank line is before it.
    _end: int = 0
    _is_set_off: bool = False
    _in_fence: bool = False
    # Whether the steps began inside a code block, which then ends the plan.
    _steps_in_fence: bool = False
    # Whether prose, set off by a blank line, has followed the steps: what comes then is most likely not the plan's.
    _in_prose: bool = False
    # Whether something before the steps was read that would end with a comment, if there were any.
    _has_doubt: bool = False
    # What the line that was repaired last says, and how many signs before the line go with its repair.
    _repaired: str = ""
    _lead: int = 0

    def __attrs_post_init__(self) -> None:
        self.positions = Positions(self.source)

    @property
    def is_in_doubt(self) -> bool:
        """Whether it may turn out that there are comments, and that something was read with one as its text."""
        return self._has_doubt and not self.steps and not self.has_comments

    def run(self, text: str, at: int, findings: Findings) -> int:
        """Read the lines of a text, the last of them ended, from an offset on; returns where the plan has ended."""
        self.positions.text = text
        before, rows = at, iter_rows(text, at)
        while item := next(rows, None):
            row, start = item
            indent, before = start - before, start + len(row)
            if not self.read(row, start, indent):
                at = start
                break
            if self._findings:
                findings.extend(self.take_findings())
            at = start + len(row)
            if self.is_finished:
                break
            if self._may_take_rows():
                at = before = self._take_rows(text, at)
                rows = iter_rows(text, at)
        self.growing = None
        findings.extend(self.take_findings())
        return at

    def _may_take_rows(self) -> bool:
        """Whether a line that looks like one of a step is just that, whatever is around it."""
        is_told = self.tell is not _ignore
        return self.is_strict and isinstance(self.owner, PlanStep) and self.growing is None and not is_told

    def _take_rows(self, text: str, at: int) -> int:
        """Take the lines of steps from an offset on, up to one that the grammar refuses; returns where they end.

        In a text with a fault or two these are nearly all lines. What is in them need not be looked at one by one.
        """
        white = _WHITE.match(text, at)
        assert white is not None, "it may be empty"
        start = end = white.end()
        match_row, above = fast_reader.row_pattern().match, self.owner
        while match := match_row(text, end):
            row = match.groups("")
            if not self._take_row(row):
                break
            end = match.end()
        if start == end:
            return at
        assert isinstance(above, PlanStep), "there is a step that the first lines may belong to"
        self.positions.add_rows(above.step_id, start, end)
        self.unfinished = "step"
        return end

    def _take_row(self, row: tuple[str, ...]) -> bool:
        """Take a line of a step, given by its tokens; False where its id is taken."""
        inputs, detail = row[len(SUMMARY) :]
        if row[0]:
            if row[0] in self.steps:
                return False
            self.owner = self.steps[row[0]] = build_step(*row[: len(SUMMARY)])
            self.positions.expect_step(row[0])
        elif isinstance(self.owner, PlanStep) and inputs:
            self.owner.inputs.extend(split_variables(inputs))
        elif isinstance(self.owner, PlanStep):
            self.owner.detail.append(read_detail(detail))
        return True

    def read(self, row: str, start: int, indent: int = 0) -> bool:
        """Read the next line: all of it after its indentation, its line break included.

        Args:
            row: the line.
            start: its offset.
            indent: how far it is indented, which says nothing in a plan.

        Returns:
            False if the plan has ended before it.
        """
        if row in BLANK_LINES:
            self._is_set_off = True
            return True
        self._behind, self.growing = self.growing, None
        body = row[:-2] if row.endswith("\r\n") else row[:-1]
        is_read = self._read_line(LineBounds(start, start + len(body)), body.rstrip(BLANKS), row, indent)
        self._is_set_off = False
        return is_read

    def _read_line(self, line: LineBounds, content: str, row: str, _indent: int) -> bool:
        self._end = line.start + len(content)
        match = self._match(row, content)
        return self._take(match, line) if match else self._refuse(content, line)

    def take_findings(self) -> list[Diagnostic]:
        """All findings that are new and certain, but none after the start of one that is growing."""
        found, growing = self._findings, self.growing
        count = len(found)
        if growing is not None:
            count = next(at for at, one in enumerate(found) if start_of(one) >= start_of(growing))
        self._findings = found[count:]
        return found[:count]

    # ---------------------------------------------------------------- lines that the grammar accepts

    def _match(self, row: str, content: str) -> Match[str] | None:
        """What a line says; None where it is refused."""
        if self.has_comments and self._find_comment(content):
            return None
        match = line_pattern().match(row)
        # Most lines are a step's.
        if match is None or (self.steps and match.lastgroup in ("step", "body_line")):
            return match
        if self._is_listed_step(match, content):
            return None
        if match.lastgroup != "step":
            self._doubt(content)
        return match

    def _is_listed_step(self, match: Match[str], content: str) -> bool:
        """Whether a `-` line is most likely a step in a list: ``- 1. [act] text``."""
        is_item = self.section is Section.CONSTRAINTS or self.unfinished == "constraints"
        return match.lastgroup == "constraint" and not is_item and looks_like_step(content) and is_step(content)

    def _take(self, match: Match[str], line: LineBounds) -> bool:
        """Take what a line says; False where it shows that the plan has ended before it."""
        kind = str(match.lastgroup)
        if kind in PARTS and self._starts_another(kind):
            self.is_finished = True
            return False
        goes_on = not line.is_repaired and kind == _BELOW.get(self.unfinished)
        if not goes_on:
            self.unfinished = "" if line.is_repaired else kind
        elif self._behind and self._extend() and self.owner is False:
            # The finding is about all lines that continue the first.
            return True
        if kind == "step":
            self._take_step(match, line)
        elif kind == "body_line":
            self._take_body(match, line)
        elif kind == "constraint":
            self._take_constraint(match["constraint_TEXT"], line, goes_on=goes_on)
        elif self._enter(kind, line):
            self._take_part(kind, match, line)
        return True

    def _starts_another(self, kind: str) -> bool:
        """Whether a second title, or a part that is there already, is another plan's."""
        if self.is_strict or not self.steps:
            return False
        return kind == "title" or (kind in _BELOW and kind != "step" and PARTS[kind][0] in self.seen)

    def _enter(self, kind: str, line: LineBounds) -> bool:
        """Go on to a part of the document; False where its content must not count."""
        part, name = PARTS[kind]
        is_repeated, is_late = part in self.seen, part < self.section
        if is_repeated:
            # Keeps the lines below it from being reported one by one.
            self._give_lines_to(False)
            is_list = part is Section.STEPS
            help = (
                "the list of steps is already open: remove the line" if is_list else "a plan has each part at most once"
            )
            severity = Severity.WARNING if is_list else Severity.ERROR
            self._report("PS105", f"a second {name}", line, severity, help=help)
        elif is_late:
            help = "the order is: title, goal, constraints, steps"
            self._report("PS106", f"the {name} is out of order", line, Severity.WARNING, help=help)
        if (is_repeated or is_late) and kind in _BELOW and not line.is_repaired:
            self._keep_growing()
        self.seen.add(part)
        self.section = max(part, self.section)
        return not is_repeated

    def _take_part(self, kind: str, match: Match[str], line: LineBounds) -> None:
        self.positions.add(kind, line)
        if kind == "title":
            self.plan.title = match["title_TEXT"]
            self.tell("title", text=self.plan.title)
        elif kind == "goal":
            self.plan.goal = match["goal_TEXT"] or ""
            self.tell("goal", text=self.plan.goal)
        # A header that had to be repaired may have the first one in its own line.
        for text in read_constraints(match["constraints_constraint"] or ""):
            self._add_constraint(text)
        self._give_lines_to(self.plan if kind == "goal" else None)

    def _take_constraint(self, text: str, line: LineBounds, *, goes_on: bool) -> None:
        is_inside = self.section is Section.CONSTRAINTS
        if goes_on or (is_inside and self.owner is None):
            self.positions.add("constraints", line)
            self._add_constraint(text)
        elif is_inside:
            self._report_dropped(line)
        else:
            self._report_orphan("this `-` line is not below `Constraints:`", line)

    def _add_constraint(self, text: str) -> None:
        self.plan.constraints.append(text)
        self.tell("constraint", text=text)

    def _take_body(self, match: Match[str], line: LineBounds) -> None:
        if isinstance(self.owner, PlanStep):
            self._take_body_of(self.owner, match, line)
        elif isinstance(self.owner, PlanSpec):
            [text] = read_goal_detail(match["body_line"])
            self.plan.goal_detail.append(text)
            self.positions.add("goal_detail", line)
            self.tell("goal_detail", text=text)
        elif self.owner is None:
            self._report_orphan("this `>` line has no step or goal above it", line)
        else:
            self._report_dropped(line)

    def _take_body_of(self, step: PlanStep, match: Match[str], line: LineBounds) -> None:
        self.positions.add_step(step.step_id, line)
        written, text = match["body_line_INPUTS"], match["body_line_DETAIL"]
        almost = None if written else self._find_foreign(find_inputs, text, line)
        if almost:
            end = line.start + match.end("body_line_DETAIL")
            self._read_as_names(step.step_id, "inputs", line.start, end, f"> {almost.written}")
        if written or almost:
            names = almost.names if almost else split_variables(written)
            step.inputs.extend(names)
            self.tell("inputs", step_id=step.step_id, names=tuple(names))
        else:
            detail = read_detail(text)
            step.detail.append(detail)
            self.tell("detail", step_id=step.step_id, text=detail)

    def _take_step(self, match: Match[str], line: LineBounds) -> None:
        if not self.steps:
            # The first step opens the section where no header has.
            self.section = Section.STEPS
            self.seen.add(Section.STEPS)
            self._steps_in_fence = self._in_fence
        self._in_prose = False
        step = build_step(*match.group(*STEP_GROUPS))
        if step.step_id in self.steps:
            self._refuse_repeated(step.step_id, line)
            return
        if not step.outputs and (raw := match["step_DESCRIPTION"]):
            self._take_foreign_outputs(step, raw, line.start + match.start("step_DESCRIPTION"), line)
        self.steps[step.step_id] = step
        self.positions.add_step(step.step_id, line)
        self._give_lines_to(step)
        self.tell("step", step=step)

    def _refuse_repeated(self, step_id: str, line: LineBounds) -> None:
        number, _ = self.source.position(self.positions.start_of(step_id))
        message = f"duplicate id {step_id}, first seen in line {number}"
        self._note("PS117", message, *line.bounds_of_id(step_id), Severity.ERROR, step_id=step_id)
        self._give_lines_to(False)

    def _give_lines_to(self, owner: PlanSpec | PlanStep | bool | None) -> None:
        """Say whose the ``>`` lines are that come now."""
        if isinstance(self.owner, PlanStep):
            self.tell("step_ended", step=self.owner)
        self.owner = owner

    def _is_listed_prose(self, _content: str) -> bool:
        """Whether a line is an item of a list in the prose after a plan, which a plan does not have."""
        return False

    # ---------------------------------------------------------------- foreign arrows

    def _find_foreign(self, find: Callable[[str], AlmostList | None], text: str, line: LineBounds) -> AlmostList | None:
        """The list after an arrow such as ``->``: the grammar has to take it for text, a tolerant reading does not."""
        return None if self.is_strict or line.is_repaired else find(text)

    def _take_foreign_outputs(self, step: PlanStep, raw: str, at: int, line: LineBounds) -> None:
        if almost := self._find_foreign(find_outputs, raw, line):
            step.description = read_description(raw[: almost.start].strip(BLANKS), has_outputs=True)
            step.outputs = almost.names
            self._read_as_names(step.step_id, "outputs", at + almost.start, at + len(raw), almost.written)
            if repeats_arrow(raw, almost):
                message, help = "this may be text, as the arrow before it is", "write `→` before outputs"
                self._note("PS305", message, at + almost.start, at + len(raw), Severity.ERROR, help=help)

    def _read_as_names(self, step_id: str, name: str, start: int, end: int, written: str) -> None:
        self.positions.add_names(step_id, name, start, end)
        fix = Fix(self.source.span(start, end), written)
        self._note("PS305", "read as a list of variables", start, end, Severity.WARNING, fix=fix)

    # ---------------------------------------------------------------- lines that it refuses

    def _refuse(self, content: str, line: LineBounds, meant: LineFault | None = None) -> bool:
        """Report a line, and take what was meant if that is clear; False where the plan has ended before it."""
        self.unfinished = ""
        fault = meant or self._diagnose(content)
        code = fault.miss.code
        match = line_pattern().match(fault.repaired + "\n") if fault.repaired else None
        if self.is_misled or (match and self._starts_another(str(match.lastgroup))):
            self.is_finished = True
            return False
        self._report_fault(fault, line)
        if match:
            # A repair leaves out what only looks like white space.
            self._end = line.start + self._lead + len(content.rstrip(WHITE))
            self._take_repaired(match, str(fault.repaired), line._replace(is_repaired=True))
        elif code == "PS103":
            # The end of the code block that the steps are in is the end of the plan.
            self.is_closed = not self.is_strict and self._in_fence and self._steps_in_fence and bool(self.steps)
            self.is_finished = self.is_closed
            self._in_fence = not self._in_fence
        else:
            self._part_from(code, content)
        return True

    def _take_repaired(self, match: Match[str], repaired: str, line: LineBounds) -> None:
        """Take what was meant by a line, and by the further ones that it was taken for."""
        self._take(match, line)
        rows = repaired.split("\n")
        for row in rows[1:] if match.lastgroup == "step" else ():
            below = line_pattern().match(f"{row}\n")
            assert below is not None, "a repair is put to the grammar"
            self._take(below, line)
        self._repaired = rows[-1]

    def _part_from(self, code: str, content: str) -> None:
        """Say whose the lines are that follow one which could not be read."""
        if not self.is_strict and self.section is Section.CONSTRAINTS and content.startswith("#"):
            # What follows a heading that is none of a plan's is not a constraint.
            self._give_lines_to(False)
        elif "PS110" <= code <= "PS116" and not self._is_listed_prose(content):
            self._give_lines_to(False)
        elif not self.is_strict and self.steps and self._is_set_off:
            # After the steps, prose that a blank line sets off ends the plan as far as `>` lines go.
            self._give_lines_to(None)
            self._in_prose = True

    def _diagnose(self, content: str) -> LineFault:
        """What is wrong with a line."""
        if self.has_comments and (comment := self._find_comment(content)):
            return comment
        fault = diagnose_line(content, self.section)
        if fault.miss.code == "PS124" and not self.is_strict:
            self.is_misled = self.is_in_doubt
            self.has_comments = True
        elif fault.repaired:
            self._doubt(content)
        return fault

    def _doubt(self, content: str) -> None:
        if not (self.is_strict or self.steps or self._has_doubt):
            self._has_doubt = find_comment(content) is not None

    def _find_comment(self, content: str) -> LineFault | None:
        """The comment at the end of a line that is one of a plan without it."""
        start = find_comment(content)
        bare = "" if start is None else content[:start].rstrip(BLANKS)
        if start is None or bare == ">":
            return None
        match = line_pattern().fullmatch(f"{bare}\n")
        is_right = match and not self._is_listed_step(match, bare)
        repaired = bare if is_right else diagnose_line(bare, self.section).repaired
        return comment_fault(content, start, repaired) if repaired else None

    # ---------------------------------------------------------------- reports

    def _note(self, code: str, message: str, start: int, end: int, severity: Severity, **more: Any) -> None:
        """Add a finding; to a strict reader each is an error. ``more`` are further fields of its diagnostic."""
        # No other can grow after it.
        self._behind = None
        severity = Severity.ERROR if self.is_strict else severity
        self._findings.append(
            Diagnostic(code, message, severity, self.source.span(start, end), source=self.source, **more)
        )

    def _report(
        self, code: str, message: str, line: LineBounds, severity: Severity = Severity.ERROR, **more: Any
    ) -> None:
        """Add a finding that is about all of a line."""
        self._note(code, message, line.start, self._end, severity, **more)

    def _keep_growing(self) -> None:
        """Let the next line say whether the last finding names it as well."""
        self.growing = self._findings[-1]

    def _extend(self) -> bool:
        """Let the finding that ends with the line before name this one as well; False where there is none."""
        if self._behind is None:
            return False
        self.growing = evolve(self._behind, span=self.source.span(start_of(self._behind), self._end))
        self._findings[-1] = self.growing
        return True

    def _report_orphan(self, message: str, line: LineBounds) -> None:
        """Note a line without an owner; in prose, such a line is prose."""
        if self._in_prose:
            self._leave_line_out("PS107", line)
            return
        severity = Severity.ERROR if self.section is Section.STEPS else Severity.INFO
        self._report("PS107", message, line, severity, expected=expected_lines(self.section))

    def _report_dropped(self, line: LineBounds) -> None:
        """Name what goes with a line that was left out. To a strict reader, that has been said."""
        if not self.is_strict:
            self._report("PS107", "left out, like the line that it belongs to", line)
            if self.unfinished == "step":
                self._keep_growing()

    def _report_fault(self, fault: LineFault, line: LineBounds) -> None:
        """Note what is wrong with a line. A line unlike any line of a plan is just not a part of it."""
        miss, at = fault.miss, line.start + self._lead
        content = self.source.text[at : self._end]
        # What only begins with a number is most likely a sentence.
        is_step = "PS110" <= miss.code <= "PS112"
        is_sentence = is_step and fault.repaired is None and not (is_item(content) or content.startswith("|"))
        is_prose = not self.is_strict and (is_sentence or self._is_listed_prose(content))
        is_early = self.section is not Section.STEPS and fault.repaired is None and miss.code < "PS126"
        if not self.is_strict and (miss.code in ("PS101", "PS103") or is_early or is_prose):
            self._leave_line_out("PS101" if is_sentence else miss.code, line)
            return
        # White space at its end is part of a detail line; what was repaired is read without.
        end = line.end if (fault.repaired or "").rpartition("\n")[2].startswith(">") else self._end
        fix = None if fault.repaired is None else Fix(self.source.span(line.start, end), fault.repaired)
        severity = Severity.ERROR if fix is None else Severity.WARNING
        more: dict[str, Any] = {"expected": fault.expected, "help": fault.help, "fix": fix}
        self._note(miss.code, miss.message, at + miss.start, at + miss.end, severity, **more)

    def _leave_line_out(self, code: str, line: LineBounds) -> None:
        """Name a line that is no part of the plan, together with the one before it if that is none either."""
        behind = self._behind
        if behind is None or behind.code != code or behind.severity is not Severity.INFO:
            self._report(code, say_left_out(code), line, Severity.INFO)
            self._keep_growing()
        else:
            self._extend()


def say_left_out(code: str) -> str:
    """What a finding with this code says of text that is left out."""
    return f"left out: {_LEFT_OUT.get(code, 'not part of the plan')}"


def start_of(found: Diagnostic) -> int:
    """Where what a finding is about begins."""
    return found.span.start if found.span else 0


# ---------------------------------------------------------------- whole texts


@frozen
class ScanResult:
    """What a reading found.

    ``diagnostics`` are in the order of the text. From a tolerant reading they are: an error where something that seems
    to belong to the plan had to be left out, a warning where it was read after a repair (its ``fix`` says which), an
    info for text that is no part of the plan.
    """

    plan: PlanSpec
    diagnostics: list[Diagnostic]
    positions: Positions
    source: Source = field(repr=False)


def scan_strictly(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> ScanResult:
    """Read a text as :func:`planspec_lark.parse_plan` does: every deviation is an error; the plan is what is left."""
    if excess := find_excess(text, name, limits):
        return read_nothing([excess])
    plan = fast_reader.read(text)
    if plan is None:
        return scan_lines(text, name=name, limits=limits)
    source = Source(text, name)
    return refuse_excess(ScanResult(plan, [], Positions.of_plan(source), source), limits)


def scan_lines(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> ScanResult:
    """The same for a text that most likely has faults, line by line. A plan without any may be too large."""
    if excess := find_excess(text, name, limits):
        return read_nothing([excess])
    source = Source(text, name)
    remainder, found = leave_out_reasoning(source.text), Findings(limits.max_findings)
    reader = Recovery(source)
    reader.run(end_last_line(remainder.text), 0, found)
    found.extend(remainder.diagnose(source, is_strict=True))
    reader.plan.steps = grow(list(reader.steps.values()))
    return ScanResult(reader.plan, found.close(), reader.positions, source)


# ---------------------------------------------------------------- plans that are too large


def refuse_excess(result: ScanResult, limits: Limits) -> ScanResult:
    """The result, or one without a plan where that has more steps or levels than it may."""
    excess = find_too_large(result.plan.steps, limits, partial(_place, result))
    if excess is None:
        return result
    # All in the order of the text, but the one that counts the rest, which stays the last.
    note = [found for found in result.diagnostics[-1:] if found.code == "PS120"]
    found = [*result.diagnostics[: len(result.diagnostics) - len(note)], excess]
    return read_nothing([*in_order(found), *note])


def read_nothing(diagnostics: list[Diagnostic]) -> ScanResult:
    """The result for a text of which nothing is read."""
    source = diagnostics[0].source
    assert source is not None
    return ScanResult(PlanSpec(), diagnostics, Positions(source), source)


def _place(result: ScanResult, step: PlanStep) -> tuple[Span, Source]:
    return result.source.span(*result.positions.id_of(step.step_id)), result.source
