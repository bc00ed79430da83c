"""Any text → the plan in it, and a finding for all that is not as it should be.

One reader is fed with lines, and takes what it can. A line that the form refuses is put to the dialect
(:mod:`planspec_lark.planspec.dialect`); its canonical text is read in its place, so that one fault does not bring forth
others. To a strict reader every deviation is an error with a fix. A tolerant one calls it a repair with a risk, and
reads lines of the form as the dialect where they may say more. What neither takes is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cache, cached_property, partial
from re import Match
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.builder import SUMMARY, build_step, read_constraints, read_goal_detail, split_variables
from planspec_lark.planspec.dialect import (
    DIALECT,
    NO_SIGNS,
    WIDE,
    LineReading,
    Numbering,
    StepLine,
    add_label,
    cut_comment,
    is_elision,
    is_suspect,
    names_type,
    read_columns,
    read_header,
    read_line,
    read_row,
    read_tail,
    unwrap,
)
from planspec_lark.planspec.escapes import read_detail
from planspec_lark.planspec.models import BLANKS, STEP_TYPES, PlanSpec, PlanStatus, PlanStep, make_plan
from planspec_lark.planspec.positions import LineBounds, Positions, iter_rows, line_pattern
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, Fix, Severity, in_order
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess, find_too_large
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.recovery import Deviation, LineReport
from planspec_lark.syntax.source import Source, Span, end_last_line
from planspec_lark.syntax.tree import grow

__all__ = [
    "LEFT_OUT",
    "WHITE",
    "Reader",
    "ScanResult",
    "Section",
    "indent_of",
    "read_nothing",
    "refuse_excess",
    "scan_lines",
    "scan_strictly",
]


class Section(IntEnum):
    """How far a document has come."""

    NOTHING = 0
    TITLE = 1
    GOAL = 2
    CONSTRAINTS = 3
    STEPS = 4


_PARTS = {
    "title": (Section.TITLE, "title"),
    "goal": (Section.GOAL, "goal"),
    "constraints": (Section.CONSTRAINTS, "list of constraints"),
    "steps_header": (Section.STEPS, "list of steps"),
}
# The kinds of the dialect that head a part, with those of the form.
# Those that say more of the step above.
_LABELS = ("inputs", "outputs", "status", "progress")
_HEADERS = {"title": "title", "goal": "goal", "constraints": "constraints", "steps": "steps_header"}
_STEP_GROUPS = tuple(f"step_{token}" for token in SUMMARY)
WHITE = BLANKS + "\r\n"
# How lines begin that have no sign for a comment in the form.
_LISTED = ("-", ">")
# Characters up to which a line goes on in the next.
_LONGEST = 2000
# What is said of a line that goes with a refused one.
LEFT_OUT = "left out, like the line that it belongs to"
_ENDS = ".!?:;。！？：；"

_LINES = {
    Section.TITLE: "a title `# Plan: Text`",
    Section.GOAL: "`Goal: Text`",
    Section.CONSTRAINTS: "`Constraints:`",
    Section.STEPS: "`## Steps`",
}
_STEP = "a step such as `1. [act] Text → output`"
_INSIDE = {
    Section.GOAL: "a `> detail` line",
    Section.CONSTRAINTS: "a constraint `- Text`",
    Section.STEPS: f"{_STEP}, or a `> detail` line below one",
}


@cache
def expected_lines(section: Section) -> tuple[str, ...]:
    """What a line may be, that far into a document."""
    inside = (_INSIDE[section],) if section in _INSIDE else ()
    step = () if section is Section.STEPS else (_STEP,)
    return (*inside, *(words for part, words in _LINES.items() if part > section), *step)


def indent_of(text: str, at: int) -> int:
    """How far what stands at an offset is indented, if only white space and signs of quotes are in front of it.

    What was set aside in front of it, such as reasoning, is no indentation.
    """
    lead = text[text.rfind("\n", 0, at) + 1 : at]
    return len(lead) if not lead or not lead.strip(f"{BLANKS}{WIDE}>") else 0


def _ignore(_kind: str, **_what: Any) -> None:
    """What listens where nothing is to be told."""


@frozen
class _Last:
    """The line that was taken last, as long as the next one may go on with it.

    Attributes:
        line: where it is; it ends with the last line that was joined to it.
        content: what it says, as it is written.
        indent: how far it is indented.
        kind: the part that it belongs to: ``goal``, ``constraint``, ``step``, or ``heading`` for a goal without text.
        step: what it says of a step, and that one's id.
    """

    line: LineBounds
    content: str
    indent: int
    kind: str
    step: StepLine | None = None
    step_id: str = ""


@define(eq=False)
class Reader:
    """Reads a plan line by line, whatever the lines are, and keeps what it has found so far.

    Attributes:
        source: what the offsets of the lines belong to.
        is_strict: whether every deviation is an error.
        default_type: the type of steps that have none.
        signs: what signs mean that are in no table.
        numbering: what gives steps their ids.
        base: how far the plan as a whole is indented.
        tell: is told of all that is added to the plan, with the name of a kind of event and what the event holds.
        owner: whose ``>`` lines come now: the plan's (for its goal), a step's, those of something refused (False), or
            no step's (None).
        found: what was found, in the order of the text: lines that are told of, and other findings.
        elisions: where lines and fields stand that stand for others.
    """

    source: Source
    is_strict: bool = True
    default_type: str = ""
    signs: Mapping[str, PlanStatus] = NO_SIGNS
    numbering: Numbering = field(factory=Numbering)
    base: int = 0
    tell: Callable[..., None] = _ignore
    positions: Positions = field(init=False)
    plan: PlanSpec = field(factory=make_plan)
    steps: dict[str, PlanStep] = field(factory=dict)
    section: Section = Section.NOTHING
    seen: set[Section] = field(factory=set)
    owner: PlanSpec | PlanStep | bool | None = None
    found: list[LineReport | Diagnostic] = field(factory=list)
    _last: _Last | None = None
    _is_set_off: bool = False
    _columns: list[str] = field(factory=list)
    # How many signs in front of the line only look like white space, and the comment behind it.
    _lead: int = 0
    _comment: Deviation | None = None
    # How far the last step is indented.
    _depth: int = 0
    # Where lines that go with a refused one start, as long as the finding about them may grow.
    _dropped: int | None = None
    # Where the text of the line ends that is read.
    _end: int = 0

    def __attrs_post_init__(self) -> None:
        self.positions = Positions(self.source)

    def run(self, text: str, start: int = 0, end: int | None = None) -> None:
        """Read the lines of a text between two offsets; the last line is ended."""
        self.positions.text = text
        for line, at in iter_rows(text, start):
            if end is not None and at >= end:
                break
            self.read(line, at, indent_of(self.source.text, at))

    def read(self, row: str, start: int, indent: int = 0) -> None:
        """Read the next line: all of it after its indentation, its line break included.

        Args:
            row: the line.
            start: its offset.
            indent: how far it is indented, which says nothing in the form.
        """
        if row in ("\n", "\r\n", ""):
            self._is_set_off = True
            return
        body = row[:-2] if row.endswith("\r\n") else row[:-1]
        content = body.rstrip(BLANKS)
        line = LineBounds(start, start + len(body))
        self._end = start + len(content)
        last, self._last = self._last, None
        match = self._match(row, content, indent)
        if match is not None:
            self._take(match, line, content, indent)
        elif bare := content.lstrip(f"{BLANKS}{WIDE}"):
            self._lead = len(content) - len(content.lstrip(f"{BLANKS}{WIDE}"))
            self._read_bare(bare, line, indent, last)
            self._lead, self._comment = 0, None
        else:
            message = "this line has signs that only look like white space"
            self._report(line, (Deviation("PS113", message, 0, len(content)),), ())
            self._last = last
        self._is_set_off = False

    def _read_bare(self, content: str, line: LineBounds, indent: int, last: _Last | None) -> None:
        """Read a line that the form refuses, or that may say more in the dialect."""
        # A wide space is as wide as two.
        indent += 2 * self._lead
        cut = 0 if self.is_strict or content[:1] not in _LISTED else cut_comment(content)
        if cut:
            self._comment = Deviation("PS124", "a comment is not allowed in a plan", cut, len(content), Risk.MEDIUM)
            content = content[:cut].rstrip(BLANKS)
        match = self._match(f"{content}\n", content, indent) if cut or self._lead else None
        if match is not None:
            self._report(line, (), (content,))
            self._take(match, LineBounds(line.start, line.end, is_repaired=True), content, indent)
            self._last = None
        else:
            self._read_dialect(content, line, indent, None if self._is_set_off else last, last)

    # ---------------------------------------------------------------- lines of the form

    def _match(self, row: str, content: str, indent: int) -> Match[str] | None:
        """What a line of the form says; None where the form refuses it, or the dialect has more to say."""
        match = line_pattern().match(row)
        if match is None:
            return None
        if match.lastgroup == "constraint":
            is_listed = self._is_in_list() and (self.is_strict or not self._says_more(match, content, indent))
            # Below a step, it is most likely told of that.
            is_orphan = self.is_strict and not self._is_typed(content) and not isinstance(self.owner, PlanStep)
            return match if is_listed or is_orphan else None
        if self.is_strict and match.lastgroup == "title" and Section.TITLE in self.seen:
            # A heading behind the title that is another part's.
            header = read_header(content)
            return match if header is None or header.kind == "title" else None
        return match if self.is_strict or not self._says_more(match, content, indent) else None

    def _says_more(self, match: Match[str], content: str, indent: int) -> bool:
        """Whether the dialect has more to say of a line than the form does."""
        kind = match.lastgroup
        # Behind the first step, a heading is one of something else.
        is_heading = kind == "title" and bool(self.steps) and "Plan:" not in content
        if is_heading or (kind in _PARTS and self._is_told_of(indent)):
            return True
        if kind == "constraint":
            text = match["constraint_TEXT"]
            return unwrap(text) != text or bool(cut_comment(content)) or self._is_typed(content)
        if kind == "step":
            is_foreign = match["step_TYPE"] not in STEP_TYPES or is_suspect(f"\n{content}")
            known = read_line(content) if is_foreign else None
            moves = "." not in match["step_STEP_ID"] and indent > self.base
            return moves or (known is not None and bool(known.deviations))
        if kind in ("title", "goal"):
            header = read_header(content)
            return header is not None and bool(header.deviations)
        if kind != "body_line":
            return False
        is_told = isinstance(self.owner, PlanStep) and not match["body_line_INPUTS"]
        label = read_line(content) if is_told else None
        if is_told and names_type(content):
            # A step in a quote is not detail for certain.
            inner = read_line(content.lstrip(f"> {BLANKS}"))
            label = inner if inner is not None and inner.step is not None and inner.step.number else label
        return bool(cut_comment(content)) or (label is not None and label.kind in (*_LABELS, "step", "untyped"))

    def _is_in_list(self) -> bool:
        return self.section is Section.CONSTRAINTS and self.owner is None

    def _is_typed(self, content: str) -> bool:
        """Whether a `-` line is a step in a list: ``- 1. [act] text``."""
        if "[" not in content:
            return False
        reading = read_line(content)
        is_step = reading is not None and reading.kind == "step" and reading.step is not None
        # In the list of constraints, only a number tells a step.
        return is_step and (not self._is_in_list() or bool(reading and reading.step and reading.step.number))

    def _take(self, match: Match[str], line: LineBounds, content: str, indent: int) -> None:
        """Take what a line of the form says."""
        kind = str(match.lastgroup)
        if kind == "step":
            self._take_step(match, line)
            self._depth = indent
            self._note_id(match["step_STEP_ID"], indent)
            if not self.is_strict and isinstance(self.owner, PlanStep):
                self._last = self._may_go_on(content, line, indent, match["step_STEP_ID"])
        elif kind == "body_line":
            self._take_body(match, line)
        elif kind == "constraint":
            self._take_constraint(match["constraint_TEXT"], line)
            self._last = _Last(line, content, indent, "constraint")
        elif self._enter(kind, line):
            self._take_part(kind, match, line)
            if kind == "goal":
                name = "goal" if match["goal_TEXT"] else "heading"
                self._last = _Last(line, content, indent, name)

    def _may_go_on(self, content: str, line: LineBounds, indent: int, step_id: str) -> _Last | None:
        reading = read_line(content)
        if reading is None or reading.step is None:
            return None
        return _Last(line, content, indent, "step", reading.step, step_id)

    def _note_id(self, step_id: str, indent: int) -> None:
        """Tell the numbering of a step that has its id."""
        self.numbering.note(step_id, indent)

    def _enter(self, kind: str, line: LineBounds) -> bool:
        """Go on to a part of the document; False where its content must not count."""
        part, name = _PARTS[kind]
        if kind == "constraints" and self._is_in_list() and not (self.is_strict or self.plan.constraints):
            # One list with two headers.
            message = "a second header of the same list"
            self._report(line, (Deviation("PS105", message, 0, self._end - line.start),), ())
            return True
        is_repeated, is_late = part in self.seen, part < self.section
        if is_repeated:
            self._give_lines_to(False)
            is_list = part is Section.STEPS
            help = (
                "the list of steps is already open: remove the line" if is_list else "a plan has each part at most once"
            )
            self._note("PS105", f"a second {name}", line, Severity.ERROR, help=help)
        elif is_late:
            help = "the order is: title, goal, constraints, steps"
            self._note("PS106", f"the {name} is out of order", line, self._severity, help=help, risk=Risk.MEDIUM)
        self.seen.add(part)
        # A list of constraints is open wherever it stands.
        self.section = part if part is Section.CONSTRAINTS else max(part, self.section)
        return not is_repeated

    def _take_part(self, kind: str, match: Match[str], line: LineBounds) -> None:
        self.positions.add(kind, line)
        if kind == "title":
            self.plan.title = match["title_TEXT"]
            self.tell("title", text=self.plan.title)
        elif kind == "goal":
            self.plan.goal = match["goal_TEXT"] or ""
            self.tell("goal", text=self.plan.goal)
        self._give_lines_to(self.plan if kind == "goal" else None)
        for text in read_constraints(match["constraints_constraint"] or ""):
            self._take_constraint(text, line)

    def _take_constraint(self, text: str, line: LineBounds) -> None:
        if self._is_in_list():
            self.positions.add("constraints", line)
            self.plan.constraints.append(text)
            self.tell("constraint", text=text)
        elif self.owner is False:
            self._drop(line)
        else:
            self._note_orphan("this `-` line is not below `Constraints:`", line)

    def _take_body(self, match: Match[str], line: LineBounds) -> None:
        if isinstance(self.owner, PlanStep):
            part = "inputs" if match["body_line_INPUTS"] else "detail"
            self.positions.add_step(self.owner.step_id, line._replace(part=part) if line.is_repaired else line)
            if match["body_line_INPUTS"]:
                names = split_variables(match["body_line_INPUTS"])
                self.owner.inputs.extend(names)
                self.tell("inputs", step_id=self.owner.step_id, names=tuple(names))
            else:
                detail = read_detail(match["body_line_DETAIL"])
                self.owner.detail.append(detail)
                self.tell("detail", step_id=self.owner.step_id, text=detail)
        elif isinstance(self.owner, PlanSpec):
            [text] = read_goal_detail(match["body_line"])
            self.plan.goal_detail.append(text)
            self.positions.add("goal_detail", line)
            self.tell("goal_detail", text=text)
        elif self.owner is None:
            self._note_orphan("this `>` line has no step or goal above it", line)
        else:
            self._drop(line)

    def _take_step(self, match: Match[str], line: LineBounds) -> None:
        self.section = Section.STEPS
        self.seen.add(Section.STEPS)
        step = build_step(*match.group(*_STEP_GROUPS))
        if step.step_id in self.steps:
            number, _ = self.source.position(self.positions.start_of(step.step_id))
            message = f"duplicate id {step.step_id}, first seen in line {number}"
            bounds = LineBounds(*line.bounds_of_id(step.step_id))
            self._note("PS117", message, bounds, Severity.ERROR, step_id=step.step_id)
            self._give_lines_to(False)
            return
        self.steps[step.step_id] = step
        self.positions.add_step(step.step_id, line)
        self._give_lines_to(step)
        self.tell("step", step=step)

    def _give_lines_to(self, owner: PlanSpec | PlanStep | bool | None) -> None:
        """Say whose the ``>`` lines are that come now."""
        if isinstance(self.owner, PlanStep):
            self.tell("step_ended", step=self.owner)
        self.owner = owner
        self._dropped = None
        self._columns = []

    # ---------------------------------------------------------------- lines of the dialect

    def _read_dialect(
        self, content: str, line: LineBounds, indent: int, above: _Last | None, last: _Last | None
    ) -> None:
        """Read a line that the form refuses; ``above`` is the line directly above it that it may go on with."""
        if found := grammars.pattern("planspec", "FORBIDDEN").search(content):
            self._refuse_control(content, line, indent, found)
            return
        reading = read_line(content, default_type=self.default_type, signs=self.signs)
        kind = reading.kind if reading else ""
        if last is not None and last.kind == "heading" and kind in ("", "bullet", "untyped"):
            # A goal has its text in the line below its header.
            self._fill_goal(reading.text if reading and kind == "bullet" else content, line, last)
        elif reading is None or kind in ("bullet", "untyped") or self._is_told_of_step(reading):
            self._take_text(reading, content, line, indent, above)
        elif kind in _HEADERS and self._is_told_of(indent):
            # Indented below a step, it heads no part of the plan.
            self._take_text(None, content, line, indent, above)
        elif kind == "table":
            self._take_table(content, line)
        elif kind in _HEADERS:
            self._take_header(reading, line)
        elif kind == "detail":
            self._take_wide_detail(reading, line)
        elif kind == "step":
            self._take_step_line(reading, content, line, indent)
        elif kind in _LABELS:
            self._take_label(reading, content, line, indent, above)
        elif kind == "layout":
            self._report(line, reading.deviations, ())
            self._last = last
        elif kind == "fence" and self._is_told_of(indent):
            self._take_detail(content, line, indent)
        else:
            self._report(line, reading.deviations, None)

    def _take_header(self, reading: LineReading, line: LineBounds) -> None:
        self._report(line, reading.deviations, reading.rows or None)
        kind = _HEADERS[reading.kind]
        repaired = LineBounds(line.start, line.end, is_repaired=True)
        if not self._enter(kind, repaired):
            return
        if not reading.rows:
            self.owner = self.plan if kind == "goal" else None
            if kind == "goal":
                self._last = _Last(line, "", 0, "heading")
            return
        match = line_pattern().match("\n".join((*reading.rows, "")))
        assert match is not None, "the canonical text of a header is one"
        self._take_part(kind, match, repaired)
        name = {"goal": "goal", "constraints": "constraint"}.get(kind, "")
        if name and (kind == "goal" or len(reading.rows) > 1):
            self._last = _Last(line, reading.rows[-1], 0, name)

    def _fill_goal(self, content: str, line: LineBounds, last: _Last) -> None:
        rows = (f"Goal: {content}",)
        deviation = Deviation("PS104", "the goal is in the line below its header", 0, len(content))
        # The finding about the header itself has no fix, and is this one.
        self._take_back(last.line.start)
        self._report(LineBounds(last.line.start, line.end), (deviation,), rows)
        self.plan.goal = content.strip(WHITE)
        self.positions.add("goal", LineBounds(last.line.start, line.end, is_repaired=True))
        self.tell("goal", text=self.plan.goal)
        self.owner = self.plan
        self._last = _Last(LineBounds(last.line.start, line.end), rows[0], 0, "goal")

    def _take_step_line(self, reading: LineReading, content: str, line: LineBounds, indent: int) -> None:
        assert reading.step is not None, "its kind says so"
        step_id = self._place(reading.step, indent)
        written = reading.step.write(step_id)
        match = line_pattern().fullmatch(f"{written}\n")
        if step_id == reading.step.number and not reading.deviations:
            # The place says the same as the number.
            match = line_pattern().fullmatch(f"{content}\n") or match
            written = content
        if match is None or match.lastgroup != "step":
            self._report(line, (Deviation("PS110", "this step cannot be written", 0, len(content), None),), None)
            self._give_lines_to(False)
            return
        is_same = written == content
        moved = not reading.deviations and not is_same
        deviations = reading.deviations
        if moved:
            message = f"read as step {step_id}, by its place"
            deviations = (Deviation("PS110", message, 0, len(reading.step.number) + 1, Risk.LOW),)
        self._report(line, deviations, (written,), step_id=step_id)
        self._take_step(match, LineBounds(line.start, line.end, bool(deviations or self._lead)))
        self._depth = indent
        if isinstance(self.owner, PlanStep):
            self._last = _Last(line, content, indent, "step", reading.step, step_id)

    def _place(self, step: StepLine, indent: int) -> str:
        if self.is_strict and step.number:
            # Indentation says nothing in the form.
            self._note_id(step.number, indent)
            return step.number
        return self.numbering.place(step.number, step.kind, indent)

    def _is_told_of(self, indent: int) -> bool:
        """Whether an indented line can only be told of the step above."""
        return not self.is_strict and isinstance(self.owner, PlanStep) and indent > self.base

    def _is_told_of_step(self, reading: LineReading) -> bool:
        """Whether a bullet without a type tells of the step above, whatever the default type: that has a number."""
        is_bullet = bool(reading.text) and reading.step is not None and not reading.step.number
        return is_bullet and (self._is_in_list() or self.numbering.has_numbers)

    def _take_wide_detail(self, reading: LineReading, line: LineBounds) -> None:
        match = line_pattern().fullmatch(f"{reading.rows[0]}\n")
        self._report(line, reading.deviations, reading.rows if match else None)
        if match is not None:
            self._take_body(match, LineBounds(line.start, line.end, is_repaired=True))

    # ---------------------------------------------------------------- labels, tables, text

    def _take_label(
        self, reading: LineReading, content: str, line: LineBounds, indent: int, above: _Last | None
    ) -> None:
        """Take a label below a step, or an arrow with variables."""
        step = self.owner
        if not isinstance(step, PlanStep):
            self._take_text(None, content, line, indent, above)
            return
        if self._is_unclear(indent):
            self._take_detail(content, line, indent)
            return
        if reading.kind == "inputs":
            self._report(line, reading.deviations, reading.rows, step_id=step.step_id)
            step.inputs.extend(reading.names)
            self.positions.add_step(step.step_id, line._replace(is_repaired=True, part="inputs"))
            self.tell("inputs", step_id=step.step_id, names=reading.names)
            return
        summary = self._summary_of(step)
        changed = summary and add_label(summary, reading)
        bullet = DIALECT.rule("bullet").match(content)
        text = content[bullet.end() :] if bullet else content
        if changed is not None and changed == summary:
            # The step says so already.
            self._report(line, reading.deviations, (), step_id=step.step_id)
        elif changed is None or not self._rewrite(step, changed, line, reading):
            self._take_detail(text, line, indent, is_doubtful=True)

    def _summary_of(self, step: PlanStep) -> StepLine | None:
        """What the summary line of a step says, in the terms of the dialect."""
        reading = read_line(canonical_summary(step))
        return reading.step if reading else None

    def _rewrite(self, step: PlanStep, changed: StepLine, line: LineBounds, label: LineReading) -> bool:
        """Put what a line below a step says into its summary line; False where that can not be written."""
        kind = {"progress": "done_count"}.get(label.kind, label.kind)
        match = line_pattern().fullmatch(changed.write(step.step_id) + "\n")
        if match is None or match.lastgroup != "step":
            return False
        built = build_step(*match.group(*_STEP_GROUPS))
        step.status, step.outputs, step.result = built.status, built.outputs, built.result
        step.done_count, step.total_count = built.done_count, built.total_count
        step.description = built.description
        start, end = self.positions.bounds_of(step.step_id)[0]
        self.positions.extend_step(step.step_id, LineBounds(start, end, is_repaired=True))
        self.positions.add_step(step.step_id, line._replace(is_repaired=True, part=kind))
        rows = (changed.write(step.step_id),)
        cut = Edit(self.source.span(line.start, self._end), "")
        fix = Fix(self.source.span(start, end), rows[0], (cut,), is_safe=True)
        told = self._share_fix(start, step.step_id, rows, fix)
        self.found.append(LineReport(line.start, self._end, label.deviations, rows, step.step_id, told))
        return True

    def _share_fix(self, start: int, step_id: str, rows: tuple[str, ...], fix: Fix) -> Fix | None:
        """Let what was told of a step's own line have a fix that writes more; None where it can have none."""
        for at in reversed(range(len(self.found))):
            one = self.found[at]
            if _start_of(one) < start:
                break
            if isinstance(one, LineReport) and one.step_id == step_id and (one.start == start or one.fix is not None):
                if one.risk is None:
                    return None
                edits = () if one.fix is None else one.fix.more
                fix = evolve(fix, more=(*edits, *(edit for edit in fix.more if edit not in edits)))
                self.found[at] = evolve(one, rows=rows, fix=fix)
        return fix

    def _take_table(self, content: str, line: LineBounds) -> None:
        """Take a row of a table: the first one, which names the columns, or a step."""
        if self._columns:
            self._take_row_of_table(content, line)
            return
        columns = read_columns(content)
        if columns is None or self.owner is False:
            self._refuse_text(content, line)
            return
        self._give_lines_to(None)
        self._columns = columns
        message = "a table of steps: write a line for each step"
        self._report(line, (Deviation("PS101", message, 0, len(content)),), ())
        self.section = Section.STEPS
        self.seen.add(Section.STEPS)

    def _take_row_of_table(self, content: str, line: LineBounds) -> None:
        columns = self._columns
        found = read_row(content, columns, self.signs)
        if found is None:
            is_ruler = set(content) <= set("|:- \t")
            message = "a row of a table" if is_ruler else "this row of the table has no type or no description"
            told = (Deviation("PS101", message, 0, len(content)),)
            self._report(line, told, () if is_ruler else None)
            return
        reading, inputs = found
        assert reading.step is not None, "a row is a step"
        step_id = self._place(reading.step, 0)
        rows = (reading.step.write(step_id), *([f"  > ← {', '.join(inputs)}"] if inputs else []))
        match = line_pattern().fullmatch(rows[0] + "\n")
        self._report(line, reading.deviations, rows if match else None, step_id=step_id)
        if match is not None and match.lastgroup == "step":
            self._take_step(match, LineBounds(line.start, line.end, is_repaired=True))
            if isinstance(self.owner, PlanStep):
                self.owner.inputs.extend(inputs)
        self._columns = columns

    def _take_text(
        self, reading: LineReading | None, content: str, line: LineBounds, indent: int, above: _Last | None
    ) -> None:
        """Take a line that is no line of a plan by itself: a constraint, the end of the line above, or detail."""
        kind = reading.kind if reading else ""
        if is_elision(content.lstrip("-*+• >").strip()) and not self._is_in_list():
            message = "this line stands for others that were left out"
            self._report(line, (Deviation("PS127", message, 0, len(content), None, "write them all"),), None)
        elif self._is_in_list() and kind in ("bullet", "untyped", "step") and not content.startswith("#"):
            self._take_listed(reading, content, line, indent)
        elif above is not None and not kind and self._goes_on(content, indent, above):
            self._join(content, line, indent, above)
        elif isinstance(self.owner, PlanStep) and (
            kind in ("bullet", "step") or (indent > self.base and self._is_below(kind, indent))
        ):
            bullet = DIALECT.rule("bullet").match(content)
            text = reading.text if reading and kind == "bullet" else content[bullet.end() if bullet else 0 :]
            self._take_detail(text, line, indent)
        elif kind == "untyped" and reading is not None:
            self._report(line, reading.deviations, None)
            self._give_lines_to(False)
        elif kind == "bullet" and self.owner is False:
            self._drop(line)
        elif kind == "bullet":
            self._note_orphan("this `-` line is not below `Constraints:`", line)
        else:
            self._refuse_text(content, line)

    def _is_below(self, kind: str, indent: int) -> bool:
        """Whether an indented line is told of the step above. Indentation says nothing to a strict reader."""
        return not self.is_strict and (kind != "untyped" or indent > 0)

    def _take_listed(self, reading: LineReading | None, content: str, line: LineBounds, indent: int) -> None:
        """Take a constraint with another bullet."""
        assert reading is not None, "its kind says so"
        text = reading.text if self.is_strict else unwrap(reading.text)
        if not text:
            message = "the constraint has no text"
            help = "write some text, or remove the line"
            self._report(line, (Deviation("PS109", message, 0, len(content), None, help),), None)
            return
        end = max(len(content) - len(text), 1)
        bullet = len(content[:end].rstrip(BLANKS))
        deviation = Deviation("PS118", "a constraint must start with `- `", 0, max(bullet, 1))
        deviations = () if content == f"- {text}" else (deviation,)
        self._report(line, deviations, (f"- {text}",))
        self._take_constraint(text, LineBounds(line.start, line.end, is_repaired=True))
        self._last = _Last(line, f"- {text}", indent, "constraint")

    def _goes_on(self, content: str, indent: int, above: _Last) -> bool:
        """Whether an indented line without a sign is the end of the line above."""
        if self.is_strict or indent <= above.indent or indent <= self.base or len(above.content) > _LONGEST:
            return False
        is_open = above.content[-1:] not in _ENDS and (content[:1].islower() or _ends_in_outputs(content))
        if above.step is None:
            return is_open and above.kind in ("goal", "constraint")
        if not above.step.has_only_description:
            return False
        return content.startswith("| ") or (not above.step.is_container and is_open)

    def _join(self, content: str, line: LineBounds, indent: int, above: _Last) -> None:
        """Take a line as the end of the line above."""
        # Chinese has no white space between words.
        space = "" if above.content[-1:] >= "\u3000" and content[:1] >= "\u3000" else " "
        joined = f"{above.content}{space}{content}"
        bounds = LineBounds(above.line.start, line.end, is_repaired=True)
        deviation = Deviation(
            "PS126",
            "the line goes on with the line above",
            line.start - above.line.start,
            line.start - above.line.start + len(content),
            Risk.LOW,
        )
        if above.step is None:
            text = joined.partition(" ")[2].strip(BLANKS)
            if above.kind == "goal":
                self.plan.goal = text
                rows = (f"Goal: {text}",)
            else:
                self.plan.constraints[-1] = text
                rows = (f"- {text}",)
            self._replace_findings(above, bounds, (deviation,), rows)
            self.positions.extend_last(bounds)
            self._last = _Last(bounds, rows[0] if above.kind == "goal" else f"- {text}", above.indent, above.kind)
            return
        reading = read_line(joined, default_type=self.default_type, signs=self.signs)
        step = self.owner
        if reading is None or reading.step is None or not isinstance(step, PlanStep):
            self._take_detail(content, line, indent)
            return
        rows = (reading.step.write(above.step_id),)
        match = line_pattern().fullmatch(f"{rows[0]}\n")
        if match is None or match.lastgroup != "step":
            self._take_detail(content, line, indent)
            return
        built = build_step(*match.group(*_STEP_GROUPS))
        for name in ("status", "description", "outputs", "result", "done_count", "total_count"):
            setattr(step, name, getattr(built, name))
        self._replace_findings(above, bounds, (*reading.deviations, deviation), rows, step.step_id)
        self.positions.extend_step(step.step_id, bounds)
        self._last = _Last(bounds, joined, above.indent, "step", reading.step, above.step_id)

    def _replace_findings(
        self, above: _Last, bounds: LineBounds, deviations: Sequence[Deviation], rows: Sequence[str], step_id: str = ""
    ) -> None:
        self._take_back(above.line.start)
        self._report(bounds, deviations, rows, step_id=step_id)

    def _is_unclear(self, indent: int) -> bool:
        """Whether a line below a step is indented less than that: it may be told of the one above."""
        # At the margin it is so only below a step that is itself not at the margin.
        return not self.is_strict and indent < self._depth

    def _take_detail(self, text: str, line: LineBounds, indent: int, *, is_doubtful: bool = False) -> None:
        """Take a line below a step as detail."""
        step = self.owner
        assert isinstance(step, PlanStep), "somebody owns the line"
        if names_type(text):
            message = "this line has a type in brackets, and is no step"
            self._report(line, (Deviation("PS112", message, 0, line.end - line.start, None),), None)
            return
        row = f"> {text}"
        match = line_pattern().fullmatch(f"{row}\n")
        is_doubtful = is_doubtful or _ends_in_outputs(text) or self._is_unclear(indent)
        message = "read as detail of the step above" if match else "this line is not part of a plan"
        if self.is_strict and match:
            message = "detail of the step above begins with `> `"
        risk = None if is_doubtful or match is None else Risk.MEDIUM
        help = "write `> ` before it, or say it in the line of the step"
        self._report(
            line, (Deviation("PS107", message, 0, line.end - line.start, risk, help),), (row,), step_id=step.step_id
        )
        if match is not None and match.lastgroup == "body_line" and not match["body_line_INPUTS"]:
            step.detail.append(text)
            self.positions.add_step(step.step_id, line._replace(is_repaired=True, part="detail"))
            self.tell("detail", step_id=step.step_id, text=text)

    def _refuse_text(self, content: str, line: LineBounds) -> None:
        """Name a line that is no line of a plan."""
        help = "remove the line, or make it a `> detail` line of a step"
        expected = expected_lines(self.section)
        if content in ("#", "-"):
            what = "title" if content == "#" else "constraint"
            message, help = f"the {what} has no text", "write some text, or remove the line"
            self._report(line, (Deviation("PS109", message, 0, len(content), None, help),), None)
            return
        code, message = "PS101", "this line is not part of a plan"
        if content.startswith(">") and self.owner is False:
            self._drop(line)
            return
        self._report(line, (Deviation(code, message, 0, len(content), None, help, expected),), None)
        if content.startswith("#"):
            # What stands below another heading is no part of what is above it.
            self._give_lines_to(False)

    def _refuse_control(self, content: str, line: LineBounds, indent: int, found: Match[str]) -> None:
        """Name a control character, and read the line without it."""
        sign = f"U+{ord(found[0]):04X}"
        message = f"the control character {sign} is not allowed in a plan"
        if found[0] == "\r" and content[found.end() :].strip(BLANKS + "\r"):
            help = "end each line with a line feed, or with a carriage return and a line feed"
            self._report(line, (Deviation("PS102", message, *found.span(), None, help),), None)
            self._give_lines_to(False)
            return
        clean = found.re.sub("", content).strip(BLANKS)
        deviation = Deviation("PS102", message, *found.span(), Risk.MEDIUM, "remove it")
        match = line_pattern().fullmatch(f"{clean}\n") if clean else None
        reading = None if match or not clean else read_line(clean, default_type=self.default_type, signs=self.signs)
        if match is not None:
            self._report(line, (deviation,), (clean,))
            self._take(match, LineBounds(line.start, line.end, is_repaired=True), clean, indent)
            self._last = None
        elif not clean:
            self._report(line, (deviation,), ())
        elif reading is not None and reading.kind == "step":
            self._take_step_line(evolve(reading, deviations=(deviation, *reading.deviations)), clean, line, indent)
        else:
            self._report(line, (evolve(deviation, risk=None),), None)
            if reading is not None and reading.kind == "untyped":
                self._give_lines_to(False)

    def move_below(self, parent: str) -> None:
        """Put all steps below one that a larger plan has, unless their ids say so already."""
        if all(step_id == parent or step_id.startswith(f"{parent}.") for step_id in self.steps):
            return
        renamed = {step_id: f"{parent}.{step_id}" for step_id in self.steps}
        for step_id, step in self.steps.items():
            step.step_id = renamed[step_id]
        self.steps = {renamed[step_id]: step for step_id, step in self.steps.items()}
        self.positions.rename(renamed)
        self.found = [evolve(one, step_id=renamed.get(one.step_id, one.step_id)) for one in self.found]

    # ---------------------------------------------------------------- findings

    @property
    def _severity(self) -> Severity:
        return Severity.ERROR if self.is_strict else Severity.WARNING

    def _report(
        self, line: LineBounds, deviations: Sequence[Deviation], rows: Sequence[str] | None, step_id: str = ""
    ) -> None:
        # White space at the end of a detail line is part of it; elsewhere a fix leaves it.
        end = line.end if rows and rows[-1].startswith(">") else self._end
        if self._comment is not None:
            deviations = (*deviations, self._comment)
        if self._lead:
            message = "the white space at the start of the line is not spaces or tabs"
            moved = (evolve(one, start=one.start + self._lead, end=one.end + self._lead) for one in deviations)
            deviations = (Deviation("PS113", message, 0, self._lead), *moved)
        if deviations:
            self.found.append(
                LineReport(line.start, end, tuple(deviations), None if rows is None else tuple(rows), step_id)
            )
        self._dropped = None

    def _take_back(self, start: int) -> None:
        """Drop what was told from an offset on."""
        while self.found and _start_of(self.found[-1]) >= start:
            self.found.pop()

    def _note(self, code: str, message: str, line: LineBounds, severity: Severity, **more: Any) -> None:
        """Add a finding about all of a line, or about a part of it that is given."""
        span = self.source.span(line.start, min(line.end, self._end))
        self.found.append(Diagnostic(code, message, severity, span, source=self.source, **more))
        self._dropped = None

    def _note_orphan(self, message: str, line: LineBounds) -> None:
        self._note("PS107", message, line, Severity.ERROR, expected=expected_lines(self.section))

    def _drop(self, line: LineBounds) -> None:
        """Name a line that goes with a refused one, together with those of its kind before it."""
        start = line.start
        if self._dropped is not None:
            start = self._dropped
            self.found.pop()
        self._note("PS107", LEFT_OUT, LineBounds(start, self._end), Severity.ERROR)
        self._dropped = start

    @property
    def findings(self) -> list[Diagnostic]:
        """All that was found, as diagnostics."""
        listed: list[Diagnostic] = []
        for one in self.found:
            listed += one.diagnose(self.source, self._severity) if isinstance(one, LineReport) else [one]
        return listed

    def is_clear(self, max_risk: Risk) -> bool:
        """Whether all was read by canonical text, with no more than a risk."""
        for one in self.found:
            risk = one.risk
            is_error = risk is None if isinstance(one, LineReport) else one.severity is Severity.ERROR
            if is_error or (risk is not None and risk.rank > max_risk.rank):
                return False
        return True


def _start_of(found: LineReport | Diagnostic) -> int:
    return found.start if isinstance(found, LineReport) else found.span.start if found.span else 0


def _ends_in_outputs(text: str) -> bool:
    """Whether a line ends in an arrow with a variable list."""
    return ("→" in text or ">" in text or "⇒" in text) and bool(read_tail(text, 0, text).outputs)


# ---------------------------------------------------------------- whole texts


@frozen(slots=False)
class ScanResult:
    """What a reading found: the plan, what is to be told of the text, and where in it everything stands."""

    plan: PlanSpec
    _diagnostics: list[Diagnostic] | Callable[[], list[Diagnostic]]
    positions: Positions
    source: Source = field(repr=False)

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """What is to be told, in the order of the text, worked out when it is first asked for.

        What has a ``fix`` and a ``risk`` was read by its canonical text: to a strict reader it is an error all the
        same, to a tolerant one a warning.
        """
        return self._diagnostics() if callable(self._diagnostics) else self._diagnostics


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
    reader = Reader(source)
    reader.run(end_last_line(remainder.text))
    found.extend(reader.findings)
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
