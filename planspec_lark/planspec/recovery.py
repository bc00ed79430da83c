"""Any text → the plan in it, and a finding for all that is not as it should be.

One reader is fed with lines, and takes what it can. A line that the form refuses is put to the dialect
(:mod:`planspec_lark.planspec.dialect`); its canonical text is read in its place, so that one fault does not bring forth
others. To a strict reader every deviation is an error with a fix. A tolerant one calls it a repair with a risk, and
reads lines of the form as the dialect where they may say more. What neither takes is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache
from operator import attrgetter
from re import Match
from typing import Any

from attrs import define, evolve, field

from planspec_lark.planspec.builder import SUMMARY, build_step, read_constraints, read_goal_detail, split_variables
from planspec_lark.planspec.dialect import (
    DIALECT,
    NO_SIGNS,
    WIDE,
    LineReading,
    Number,
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
from planspec_lark.planspec.models import (
    BLANKS,
    CONTAINER_TYPES,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    has_progress,
    make_plan,
)
from planspec_lark.planspec.positions import LineBounds, Positions, iter_rows, line_pattern
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.planspec.scan_result import ScanResult, read_nothing
from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.recovery import Deviation, LineReport, risk_of
from planspec_lark.syntax.source import WHITE, Source, end_last_line
from planspec_lark.syntax.tree import grow

__all__ = [
    "LEFT_OUT",
    "Reader",
    "Section",
    "indent_of",
    "scan_lines",
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
# Lines that say more of the step above.
_LABELS = ("inputs", "outputs", "status", "progress")
# The kinds of the dialect that head a part, with those of the form.
_HEADERS = {"title": "title", "goal": "goal", "constraints": "constraints", "steps": "steps_header"}
_STEP_GROUPS = tuple(f"step_{token}" for token in SUMMARY)
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


@define
class _Last:
    """The line that was taken last, as long as the next one may go on with it.

    Attributes:
        line: where it is; it ends with the last line that was joined to it.
        content: what it says, as it is written.
        indent: how far it is indented.
        kind: the part that it belongs to: ``goal``, ``constraint``, ``step``, or ``heading`` for a goal without text.
    """

    line: LineBounds
    content: str
    indent: int
    kind: str


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
        tell: is told of all that is added to the plan but the bodies of steps, with the name of a kind of event and
            what the event holds.
        owner: whose ``>`` lines come now: the plan's (for its goal), a step's, those of something refused (False), or
            no step's (None).
        found: what was found, in the order of the text: lines that are told of, and other findings.
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
    # How many signs in front of the line only look like white space, and what else of it differs that is no part of it.
    _lead: int = 0
    _beside: list[Deviation] = field(factory=list)
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
        else:
            self._read_bare(content, line, indent, last)
            self._lead = 0
            self._beside.clear()
        self._is_set_off = False

    def _read_bare(self, content: str, line: LineBounds, indent: int, last: _Last | None) -> None:
        """Read a line that the form refuses, or that may say more in the dialect, without what is no part of it."""
        bare = content.lstrip(f"{BLANKS}{WIDE}")
        # A wide space is as wide as two.
        self._lead = len(content) - len(bare)
        indent += 2 * self._lead
        if self._lead:
            message = "the white space at the start of the line is not spaces or tabs"
            self._beside.append(Deviation("PS113", message, -self._lead, 0))
        # Most lines have nothing but what is printed, which is quickly seen.
        if not bare.isprintable() and (found := grammars.pattern("planspec", "FORBIDDEN").search(bare)):
            if found[0] == "\r" and bare[found.end() :].strip(f"{BLANKS}\r"):
                help = "end each line with a line feed, or with a carriage return and a line feed"
                self._report(line, (_miss_of_control(found, None, help),), None)
                self._give_lines_to(False)
                return
            self._beside.append(_miss_of_control(found, Risk.MEDIUM, "remove it"))
            bare = found.re.sub("", bare).strip(BLANKS)
        if not self.is_strict and (cut := cut_comment(bare)) and (bare[0] == ">" or DIALECT.rule("bullet").match(bare)):
            message = "a comment is not allowed in a plan"
            self._beside.append(Deviation("PS124", message, cut, len(bare), Risk.MEDIUM))
            bare = bare[:cut].rstrip(BLANKS)
        match = self._match(f"{bare}\n", bare, indent) if self._beside else None
        if match is not None:
            self._report(line, (), (bare,))
            self._take(match, line.repaired(), bare, indent)
            self._last = None
        elif bare:
            self._read_dialect(bare, line, indent, None if self._is_set_off else last, last)
        else:
            self._report(line, (), ())
            self._last = last

    # ---------------------------------------------------------------- lines of the form

    def _match(self, row: str, content: str, indent: int) -> Match[str] | None:
        """What a line of the form says; None where the form refuses it, or the dialect has more to say."""
        match = line_pattern().match(row)
        if match is None:
            return None
        is_more = self._is_another(match, content) if self.is_strict else self._says_more(match, content, indent)
        return None if is_more else match

    def _is_another(self, match: Match[str], content: str) -> bool:
        """Whether a line of the form is most likely meant as another line, to a strict reader."""
        if match.lastgroup == "constraint":
            # Below a step, it is most likely told of that.
            return not self._is_in_list() and (self._is_typed(content) or isinstance(self.owner, PlanStep))
        # A heading behind the title may be that of another part.
        header = read_header(content) if match.lastgroup == "title" and Section.TITLE in self.seen else None
        return header is not None and header.kind != "title"

    def _says_more(self, match: Match[str], content: str, indent: int) -> bool:
        """Whether the dialect has more to say of a line than the form does."""
        kind = match.lastgroup
        if kind == "constraint":
            text = match["constraint_TEXT"]
            is_listed = self._is_in_list() and unwrap(text) == text and not cut_comment(content)
            return not is_listed or self._is_typed(content)
        # Behind the first step, a heading is one of something else.
        is_heading = kind == "title" and bool(self.steps) and "Plan:" not in content
        if is_heading or (kind in _PARTS and self._is_told_of(indent)):
            return True
        if kind in ("title", "goal"):
            header = read_header(content)
            return header is not None and bool(header.deviations)
        if kind == "step":
            is_typed = match["step_TYPE"] in STEP_TYPES
            known = read_line(content) if not is_typed or is_suspect(f"\n{content}") else None
            moves = "." not in match["step_STEP_ID"] and indent > self.base
            # Where the dialect is not sure of it, a line with a type says what it says to the form.
            is_sure = known is not None and (not is_typed or risk_of(known.deviations) is not None)
            return moves or (known is not None and is_sure and bool(known.deviations))
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
        reading = read_line(content) if "[" in content else None
        if reading is None or reading.kind != "step" or reading.step is None:
            return False
        # In the list of constraints, only a number tells a step, in front of a type that there is.
        return not self._is_in_list() or (bool(reading.step.number) and reading.step.type in STEP_TYPES)

    def _take(self, match: Match[str], line: LineBounds, content: str, indent: int) -> None:
        """Take what a line of the form says."""
        kind = str(match.lastgroup)
        if kind == "step":
            self._take_step(match, line, content, indent)
            self.numbering.note(match["step_STEP_ID"], indent)
        elif kind == "body_line":
            self._take_body(match, line)
        elif kind == "constraint":
            self._take_constraint(match["constraint_TEXT"], line)
            self._last = _Last(line, content, indent, "constraint")
        elif self._enter(kind, line):
            self._take_part(kind, match, line)
            if kind == "goal":
                self._last = _Last(line, content, indent, "goal" if match["goal_TEXT"] else "heading")

    def _enter(self, kind: str, line: LineBounds) -> bool:
        """Go on to a part of the document; False where its content must not count."""
        part, name = _PARTS[kind]
        if kind == "constraints" and self._is_in_list() and not (self.is_strict or self.plan.constraints):
            # One list with two headers.
            message = "a second header of the same list"
            self._report(line, (Deviation("PS105", message, 0, self._end - line.start),), ())
            return True
        is_repeated = part in self.seen
        if is_repeated:
            self._give_lines_to(False)
            is_list = part is Section.STEPS
            help = (
                "the list of steps is already open: remove the line" if is_list else "a plan has each part at most once"
            )
            self._note("PS105", f"a second {name}", line, Severity.ERROR, help=help)
        elif part < self.section:
            severity = Severity.ERROR if self.is_strict else Severity.WARNING
            help = "the order is: title, goal, constraints, steps"
            self._note("PS106", f"the {name} is out of order", line, severity, help=help, risk=Risk.MEDIUM)
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
            self.positions.add_step(self.owner.step_id, line.repaired(part) if line.is_repaired else line)
            if match["body_line_INPUTS"]:
                self.owner.inputs.extend(split_variables(match["body_line_INPUTS"]))
            else:
                self.owner.detail.append(read_detail(match["body_line_DETAIL"]))
        elif isinstance(self.owner, PlanSpec):
            [text] = read_goal_detail(match["body_line"])
            self.plan.goal_detail.append(text)
            self.positions.add("goal_detail", line)
            self.tell("goal_detail", text=text)
        elif self.owner is None:
            self._note_orphan("this `>` line has no step or goal above it", line)
        else:
            self._drop(line)

    def _take_step(self, match: Match[str], line: LineBounds, content: str, indent: int) -> None:
        self._open_steps()
        self._depth = indent
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
        self._last = _Last(line, content, indent, "step")

    def _open_steps(self) -> None:
        self.section = Section.STEPS
        self.seen.add(Section.STEPS)

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
            match = line_pattern().fullmatch(f"{reading.rows[0]}\n")
            self._report(line, reading.deviations, reading.rows if match else None)
            if match is not None:
                self._take_body(match, line.repaired())
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
        repaired = line.repaired()
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
        whole, row = LineBounds(last.line.start, line.end, is_repaired=True), f"Goal: {content}"
        deviation = Deviation("PS104", "the goal is in the line below its header", 0, len(content))
        # The finding about the header itself has no fix, and is this one.
        self._report_anew(whole, (deviation,), row)
        self.plan.goal = content.strip(WHITE)
        self.positions.add("goal", whole)
        self.tell("goal", text=self.plan.goal)
        self.owner = self.plan
        self._last = _Last(whole, row, 0, "goal")

    def _take_step_line(self, reading: LineReading, content: str, line: LineBounds, indent: int) -> None:
        assert reading.step is not None, "its kind says so"
        step_id = self._place(reading.step, indent)
        # Where the place says the same as the number, the line may be one as it is.
        is_same = step_id == reading.step.number and not reading.deviations
        written = content if is_same and _match_step(content) else reading.step.write(step_id)
        match = _match_step(written)
        if match is None:
            self._refuse(line, len(content), "PS110", "this step cannot be written")
            self._give_lines_to(False)
            return
        deviations = reading.deviations
        if not deviations and written != content:
            message = f"read as step {step_id}, by its place"
            deviations = (Deviation("PS110", message, 0, len(reading.step.number) + 1, Risk.LOW),)
        self._report(line, deviations, (written,), step_id=step_id)
        self._take_step(match, line.repaired() if deviations or self._beside else line, content, indent)

    def _place(self, step: StepLine, indent: int) -> str:
        # Indentation says nothing in the form.
        kind = Number.DOTTED if self.is_strict and step.number else step.kind
        return self.numbering.place(step.number, kind, indent)

    def _is_told_of(self, indent: int) -> bool:
        """Whether an indented line can only be told of the step above."""
        return not self.is_strict and isinstance(self.owner, PlanStep) and indent > self.base

    def _is_told_of_step(self, reading: LineReading) -> bool:
        """Whether a bullet without a type tells of the step above, whatever the default type: that has a number."""
        is_bullet = bool(reading.text) and reading.step is not None and not reading.step.number
        return is_bullet and (self._is_in_list() or self.numbering.has_numbers)

    # ---------------------------------------------------------------- labels, tables, text

    def _take_label(
        self, reading: LineReading, content: str, line: LineBounds, indent: int, above: _Last | None
    ) -> None:
        """Take a label below a step, or an arrow with variables."""
        step = self.owner
        if not isinstance(step, PlanStep):
            self._take_text(None, content, line, indent, above)
        elif self._is_unclear(indent):
            self._take_detail(content, line, indent)
        elif reading.kind == "inputs":
            self._report(line, reading.deviations, reading.rows, step_id=step.step_id)
            step.inputs.extend(reading.names)
            self.positions.add_step(step.step_id, line.repaired("inputs"))
        else:
            said = read_line(canonical_summary(step))
            summary = said.step if said else None
            changed = summary and add_label(summary, reading)
            if changed is not None and changed == summary:
                # The step says so already.
                self._report(line, reading.deviations, (), step_id=step.step_id)
            elif changed is None or not _rewrite(step, changed.write(step.step_id)):
                # The step says something else already.
                match = line_pattern().fullmatch(f"{content}\n")
                if match is not None and match.lastgroup == "body_line":
                    self._take_body(match, line)
                else:
                    self._take_detail(_cut_bullet(content), line, indent, is_doubtful=True)
            else:
                self._move_up(step, changed.write(step.step_id), line, reading)

    def _move_up(self, step: PlanStep, row: str, line: LineBounds, label: LineReading) -> None:
        """Tell of a label in the line of its step, of which it has become a part."""
        start, end = self.positions.bounds_of(step.step_id)[0]
        self.positions.extend_step(step.step_id, LineBounds(start, end, is_repaired=True))
        part = "done_count" if label.kind == "progress" else label.kind
        self.positions.add_step(step.step_id, line.repaired(part))
        told = (at for at in reversed(range(len(self.found))) if _start_of(self.found[at]) <= start)
        at = next(told, -1)
        report = self.found[at] if at >= 0 else None
        if not isinstance(report, LineReport) or report.start != start:
            at += 1
            report = LineReport(start, end, (), (row,), step.step_id)
            self.found.insert(at, report)
        cut = Edit(self.source.span(line.start, self._end), "")
        moved = self._shift(label.deviations, line.start - start)
        rows = None if report.rows is None else (row,)
        self.found[at] = evolve(report, deviations=(*report.deviations, *moved), rows=rows, cuts=(*report.cuts, cut))

    def _take_table(self, content: str, line: LineBounds) -> None:
        """Take a row of a table: the first one, which names the columns, or a step."""
        if self._columns:
            self._take_row(content, line)
            return
        columns = read_columns(content)
        if columns is None or self.owner is False:
            self._refuse_text(content, line)
            return
        self._give_lines_to(None)
        self._columns = columns
        message = "a table of steps: write a line for each step"
        self._report(line, (Deviation("PS101", message, 0, len(content)),), ())
        self._open_steps()

    def _take_row(self, content: str, line: LineBounds) -> None:
        columns = self._columns
        if DIALECT.terminal("TABLE_RULER").fullmatch(content):
            self._report(line, (Deviation("PS101", "a row of a table", 0, len(content)),), ())
            return
        found = read_row(content, columns, self.signs)
        if found is None:
            self._refuse(line, len(content), "PS101", "this row of the table has no type or no description")
            return
        reading, inputs = found
        assert reading.step is not None, "a row is a step"
        step_id = self._place(reading.step, 0)
        rows = (reading.step.write(step_id), *([f"  > ← {', '.join(inputs)}"] if inputs else []))
        match = _match_step(rows[0])
        self._report(line, reading.deviations, rows if match else None, step_id=step_id)
        if match is not None:
            self._take_step(match, line.repaired(), content, 0)
            if isinstance(self.owner, PlanStep):
                self.owner.inputs.extend(inputs)
        self._last, self._columns = None, columns

    def _take_text(
        self, reading: LineReading | None, content: str, line: LineBounds, indent: int, above: _Last | None
    ) -> None:
        """Take a line that is no line of a plan by itself: a constraint, the end of the line above, or detail."""
        kind = reading.kind if reading else ""
        if is_elision(content.lstrip("-*+• >").strip()) and not self._is_in_list():
            message = "this line stands for others that were left out"
            self._refuse(line, len(content), "PS127", message, "write them all")
        elif self._is_in_list() and kind in ("bullet", "untyped", "step") and not content.startswith("#"):
            assert reading is not None, "its kind says so"
            self._take_listed(reading.text, content, line, indent)
        elif above is not None and not kind and self._goes_on(content, indent, above):
            self._join(content, line, indent, above)
        elif isinstance(self.owner, PlanStep) and (
            # Indentation says nothing to a strict reader, nor that of a `>` line to any.
            kind in ("bullet", "step")
            or content.startswith(">")
            or (self._is_told_of(indent) and (kind != "untyped" or indent > 0))
        ):
            text = reading.text if reading and kind == "bullet" else _cut_bullet(content)
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

    def _take_listed(self, text: str, content: str, line: LineBounds, indent: int) -> None:
        """Take a constraint with another bullet."""
        text = text if self.is_strict else unwrap(text)
        if not text:
            self._refuse_empty("constraint", content, line)
            return
        bullet = len(content[: max(len(content) - len(text), 1)].rstrip(BLANKS))
        deviation = Deviation("PS118", "a constraint must start with `- `", 0, max(bullet, 1))
        self._report(line, () if content == f"- {text}" else (deviation,), (f"- {text}",))
        self._take_constraint(text, line.repaired())
        self._last = _Last(line, f"- {text}", indent, "constraint")

    def _goes_on(self, content: str, indent: int, above: _Last) -> bool:
        """Whether an indented line without a sign is the end of the line above."""
        if self.is_strict or indent <= max(above.indent, self.base) or len(above.content) > _LONGEST:
            return False
        if names_type(content):
            # It may be a step of its own.
            return False
        is_open = above.content[-1:] not in _ENDS and (content[:1].islower() or _ends_in_outputs(content))
        step = self.owner
        if above.kind != "step" or not isinstance(step, PlanStep):
            return is_open and above.kind in ("goal", "constraint")
        if step.outputs or step.result or has_progress(step):
            return False
        return content.startswith("| ") or (is_open and step.step_type not in CONTAINER_TYPES)

    def _join(self, content: str, line: LineBounds, indent: int, above: _Last) -> None:
        """Take a line as the end of the line above."""
        # Chinese has no white space between words.
        space = "" if above.content[-1:] >= "\u3000" and content[:1] >= "\u3000" else " "
        joined, step = f"{above.content}{space}{content}", self.owner
        bounds = LineBounds(above.line.start, line.end, is_repaired=True)
        at = line.start - bounds.start
        deviation = Deviation("PS126", "the line goes on with the line above", at, at + len(content), Risk.LOW)
        if above.kind == "step" and isinstance(step, PlanStep):
            reading = read_line(joined, default_type=self.default_type, signs=self.signs)
            row = reading.step.write(step.step_id) if reading and reading.step else ""
            if reading is None or not _rewrite(step, row):
                self._take_detail(content, line, indent)
                return
            self._report_anew(bounds, (*reading.deviations, deviation), row, step.step_id)
            self.positions.extend_step(step.step_id, bounds)
        else:
            text = joined.partition(" ")[2].strip(BLANKS)
            if above.kind == "goal":
                self.plan.goal = text
                joined = f"Goal: {text}"
            else:
                self.plan.constraints[-1] = text
                joined = f"- {text}"
            self._report_anew(bounds, (deviation,), joined)
            self.positions.extend_last(bounds)
        self._last = evolve(above, line=bounds, content=joined)

    def _is_unclear(self, indent: int) -> bool:
        """Whether a line below a step is indented less than that: it may be told of the one above."""
        # At the margin it is so only below a step that is itself not at the margin.
        return not self.is_strict and indent < self._depth

    def _take_detail(self, text: str, line: LineBounds, indent: int, *, is_doubtful: bool = False) -> None:
        """Take a line below a step as detail."""
        step = self.owner
        assert isinstance(step, PlanStep), "somebody owns the line"
        if names_type(text):
            self._refuse(line, line.end - line.start, "PS112", "this line has a type in brackets, and is no step")
            return
        row = f"> {text}"
        match = line_pattern().fullmatch(f"{row}\n")
        is_doubtful = is_doubtful or match is None or _ends_in_outputs(text) or self._is_unclear(indent)
        message = "read as detail of the step above" if match else "this line is not part of a plan"
        if self.is_strict and match:
            message = "detail of the step above begins with `> `"
        help = "write `> ` before it, or say it in the line of the step"
        number = text.partition(" ")[0].removesuffix(".")
        if grammars.pattern("planspec", "ID").fullmatch(number) and "." in number:
            help = f"give a step its type, as in `{number[:80]}. [TYPE] …`, or write `> ` before detail"
        deviation = Deviation("PS107", message, 0, line.end - line.start, None if is_doubtful else Risk.MEDIUM, help)
        self._report(line, (deviation,), (row,), step_id=step.step_id)
        if match is not None and match.lastgroup == "body_line" and not match["body_line_INPUTS"]:
            step.detail.append(text)
            self.positions.add_step(step.step_id, line.repaired("detail"))

    def _refuse_text(self, content: str, line: LineBounds) -> None:
        """Name a line that is no line of a plan."""
        if content in ("#", "-"):
            self._refuse_empty("title" if content == "#" else "constraint", content, line)
        elif content.startswith(">") and self.owner is False:
            self._drop(line)
        else:
            help = "remove the line, or make it a `> detail` line of a step"
            expected = expected_lines(self.section)
            self._refuse(line, len(content), "PS101", "this line is not part of a plan", help, *expected)
            if content.startswith("#"):
                # What stands below another heading is no part of what is above it.
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

    def _report(
        self, line: LineBounds, deviations: Sequence[Deviation], rows: Sequence[str] | None, step_id: str = ""
    ) -> None:
        # White space at the end of a detail line is part of it; elsewhere a fix leaves it.
        end = line.end if rows and rows[-1].startswith(">") else self._end
        if self._beside:
            deviations = sorted(self._shift((*deviations, *self._beside), self._lead), key=attrgetter("start"))
        if deviations:
            told = None if rows is None else tuple(rows)
            self.found.append(LineReport(line.start, end, tuple(deviations), told, step_id))
        self._dropped = None

    def _refuse(self, line: LineBounds, width: int, code: str, message: str, help: str = "", *expected: str) -> None:
        """Name a line as a whole that has no canonical text."""
        self._report(line, (Deviation(code, message, 0, width, None, help, expected),), None)

    def _refuse_empty(self, what: str, content: str, line: LineBounds) -> None:
        self._refuse(line, len(content), "PS109", f"the {what} has no text", "write some text, or remove the line")

    def _report_anew(self, line: LineBounds, deviations: Sequence[Deviation], row: str, step_id: str = "") -> None:
        """Tell of a line in place of what was told from its start on."""
        while self.found and _start_of(self.found[-1]) >= line.start:
            self.found.pop()
        self._report(line, deviations, (row,), step_id)

    @staticmethod
    def _shift(deviations: Iterable[Deviation], by: int) -> list[Deviation]:
        return [evolve(one, start=one.start + by, end=one.end + by) for one in deviations]

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
        severity, listed = Severity.ERROR if self.is_strict else Severity.WARNING, []
        for one in self.found:
            listed += one.diagnose(self.source, severity) if isinstance(one, LineReport) else [one]
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


def _miss_of_control(found: Match[str], risk: Risk | None, help: str) -> Deviation:
    message = f"the control character U+{ord(found[0]):04X} is not allowed in a plan"
    return Deviation("PS102", message, *found.span(), risk, help)


def _match_step(row: str) -> Match[str] | None:
    """What the summary line of a step says; None for any other line."""
    match = line_pattern().fullmatch(f"{row}\n")
    return match if match is not None and match.lastgroup == "step" else None


def _rewrite(step: PlanStep, row: str) -> bool:
    """Let a step say what a summary line says, its body apart; False where that is none."""
    match = _match_step(row)
    if match is not None:
        built = build_step(*match.group(*_STEP_GROUPS))
        for name in ("status", "description", "outputs", "result", "done_count", "total_count"):
            setattr(step, name, getattr(built, name))
    return match is not None


def _cut_bullet(content: str) -> str:
    bullet = DIALECT.rule("bullet").match(content)
    return content[bullet.end() :] if bullet else content


def _ends_in_outputs(text: str) -> bool:
    """Whether a line ends in an arrow with a variable list."""
    return ("→" in text or ">" in text or "⇒" in text) and bool(read_tail(text, 0, text).outputs)


# ---------------------------------------------------------------- whole texts


def scan_lines(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> ScanResult:
    """Read a text that most likely has faults, line by line, as ``scan_strictly`` does.

    A plan without any may be too large.
    """
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
