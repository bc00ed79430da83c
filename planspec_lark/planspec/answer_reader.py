"""A model's answer, or any other text → the plan in it, and diagnostics of all that was done for it.

The reader takes lines as :mod:`planspec_lark.planspec.recovery` does. A line that the grammar refuses, or that holds
signs which stand for others, is read as what it means: first by what it is itself
(:mod:`planspec_lark.planspec.near_misses`, :mod:`planspec_lark.planspec.answer_lines`), then by where it is.
Whatever it is taken for is put to the grammar again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from re import Match
from typing import ClassVar

from attrs import define, evolve, field

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.answer_lines import (
    cut_breaks,
    find_elision,
    is_conflict_marker,
    is_flow,
    is_front_matter,
    is_harmless,
    is_notes,
    is_phase,
    is_suspect,
    may_elide,
    read_bullet,
    read_flow,
    read_heading,
    read_item_number,
    read_wide_detail,
)
from planspec_lark.planspec.builder import build_step, split_variables
from planspec_lark.planspec.continuations import LONG, NEAR, TYPED_STEP, ContinuationReader, detail_fault, whole_fault
from planspec_lark.planspec.heading_words import english_of, words_of
from planspec_lark.planspec.line_faults import (
    BAD_INDENTATION,
    LineFault,
    Section,
    advice_on,
    conflict_fault,
    diagnose_comment,
    diagnose_line,
    is_sentence,
    is_step,
    line_pattern,
)
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStep, has_progress, iter_steps
from planspec_lark.planspec.near_misses import (
    EMOJI,
    SPACES,
    WIDE_SPACES,
    NearMiss,
    compiled,
    find_arrow,
    find_inputs,
    find_outputs,
    is_plain_label,
    read_title,
    repair_header,
    unwrap,
    variables_of,
)
from planspec_lark.planspec.outline import BOLD_LEVEL, Role, has_box, is_box
from planspec_lark.planspec.positions import LineBounds, Positions
from planspec_lark.planspec.recovery import PARTS, STEP_GROUPS, WHITE, Recovery
from planspec_lark.planspec.step_repair import (
    find_bar,
    find_change,
    find_progress,
    is_foreign_type,
    is_item,
    looks_like_step,
    may_have_progress,
    rank_of_number,
    repair_step,
    status_of,
)
from planspec_lark.planspec.tables import is_delimiter, read_columns, split_cells, write_row
from planspec_lark.syntax import grammars
from planspec_lark.syntax.fences import FENCE
from planspec_lark.syntax.tree import grow

__all__ = ["AnswerReader", "is_plain_plan"]

# Characters of a description that may be nothing but a word for others.
_SHORT = 60
# It starts with the line break before it, which is found far sooner than the start of a line.
_FENCE = re.compile(rf"\n[ \t]*+{FENCE}")
# Blank lines and rulers.
_NOTHING = r"\A(?:[ \t\r]*+(?:[-*_]{3,}+[ \t\r]*+)?\n)*+[ \t]*+"
# What a title begins with that is no part of it.
_TITLE_LABELS = ("Plan：", "Plan:", "计划：", "计划:")
# What a heading says that is a plan's, however small it is.
_PLAN_WORD = r"(?i)\bplan\b|计划|方案"
# A heading, a line in bold, or a label that a plan's part may have.
_HEADER = r"(?m)^[ \t]*(?:#{1,6}[ \t]|\*\*(?![0-9])|(?:goal|objective|steps)\b|目标|步骤|【)"
# Characters of a line that leads to steps, at its end.
_LEAD = 300
# An item that tells something.
_TOLD = r"(?i)\W*[0-9]+\W+(?:i|it|he|she|we|they|you|the|an?|there|this|that|your|my)\b"
# An item that is a limit.
_LIMIT = r"(?i)\W*[0-9]+\W+(?:no|not|never|max|maximum|at (?:most|least)|under|only|within|不|禁止|最多|至少)\b"
# What is said in front of other lists.
_NO_STEPS = words_of(
    *("telling", "options", "choices", "risks", "mistakes", "questions"),
    english="remove|what|tell|constraints?|went|so far|lose|cheat|before|need from|could|one of|would have|ruin|destroy"
    "|spoil|rank|visit",
    chinese=r"可能|选|失败|跳过|[小老]\w的|[他她]",
)
# What leads to steps, and not to any list.
_LEADS_TO_STEPS = (
    rf"(?i)^(?!.*{_NO_STEPS})(?:(?:.*[.!,—–-] ?)?(?:here(?:['’]s| is) (?:a|the|your|my) (?:[\w-]+ ){{0,4}}?"
    r"(?:plan|check-?list|to-?do list|roadmap)(?:,? (?:for|to|that|on|assuming|based|with|in)\b.*)?"
    r"|(?:here|these) are the (?:\w+ )?steps(?: (?:to|for)\b.*)?"
    r"|here(?:['’]s| is) how (?:to|(?:i|you|we)(?:['’]d| would| can|['’]ll| will)?)\b.*"
    r"|follow these steps|do the following|in detail|step by step)"
    r"|(?:.*[。！，])?(?:以下|下面|这)是?[^，。：]{0,20}(?:步骤|计划|流程|清单)[^，。：]{0,4}"
    r"|(?:.*[。！，])?(?:具体|详细|操作|主要)?(?:步骤|计划|流程|路线|方案|安排)如下|(?!.*的)[^，。：]{0,20}步骤)[:：]\W*$"
)
# How a heading begins that says when its steps are due; that is no number of a step.
_SPAN = rf"(?i)[0-9]+(?:[-–][0-9]+)?[ -]?(?:(?:{english_of('times')})\b|周|天|个?月|小时|日)"
# What gives advice, or answers questions.
_ADVICE = words_of("advice", "questions")
# What the steps of a plan are called in a heading or a label that could be its title as well.
_PLAN_NAME = r"(?:(?:the|step-by-step|detailed|action) )?plan|check-?list|(?:详细|具体)?(?:计划|方案|安排)"
_PLAN_LABEL = rf"(?i)[#*_ ]*(?:{_PLAN_NAME})[*_]*[:：]?[*_]*"
# What only groups phases, right above the first of them.
_GROUP_LABEL = (
    r"(?i)(?:(?:the|implementation|project|development|execution) )*(?:phases|plan|roadmap|steps)"
    "|(?:实施|项目|开发|执行)?(?:阶段|计划|方案|路线图|步骤)"
)
# A header of steps, in any form.
_STEPS_HEADER = r"(?im)^[ \t]*(?:#{1,6}[ \t]*|\*\*)\W{0,3}(?:the |plan |action )?(?:steps|步骤)\W*$"
# What a heading says of a plan that is none to act on, or of a part or a case.
_NO_TITLE = (
    r"(?i)\b(?:not|draft|discarded|rejected|example|sample|template|option|alternative)\b|\A\W*(?:if|when)\b"
    r"|\A\W*(?:no|only|never|max|warning|attention|important|note)\b|[.!?:：。！？]\W*\Z|: "
    r"|\b(?:old|previous|first) (?:plan|one|version|draft|idea|approach|attempt|part|half)\b|\bpart [0-9]"
    r"|反例|作废|草[案稿]|旧(?:版|计划|方案|稿|的)|示例|样例|废弃|备选|部分|如果"
)
# Headings are further out than any line: one of level 1 by so much.
_HEADINGS = 8


@define(eq=False)
class AnswerReader(ContinuationReader):
    """Reads the plan in an answer line by line: takes more for what it looks like, and names what is no part of it.

    Attributes:
        roles: what lines of plain Markdown are, by offset.
        is_plain: whether the text has none of the words of a plan's parts.
    """

    is_strict: ClassVar[bool] = False

    roles: Mapping[int, Role] = field(factory=dict)
    is_plain: bool = False
    # Whether the lines are those of front matter; None before the first line.
    _front: bool | None = None
    # Whether the lines are items of a list in the prose after the plan.
    _in_list: bool = False
    # The indentation and the sign of the last step that is a bullet with a type.
    _typed_bullet: tuple[int, str] | None = None
    # What the columns hold of the table that the lines are rows of.
    _columns: list[str] | None = None
    _unread_row: str = ""
    # Whether notes after the plan have begun, which are no part of it.
    _is_over: bool = False
    # Whether the constraints are items with numbers.
    _has_numbers: bool = False
    # Where the next header is, behind the line that it was looked for from; behind the text where there is none.
    _next_header: int = -1

    def _may_take_rows(self) -> bool:
        """Whether a code block has just begun in which a plan may be that needs no tolerance.

        What is said of signs and of lines without a type is for lines that are not clean.
        """
        has_begun = self._in_fence and self.growing is not None and self.growing.code == "PS103"
        return (
            has_begun
            and self.section is Section.NOTHING
            and not (self.has_comments or self.legend or self.default_type)
        )

    def _take_rows(self, text: str, at: int) -> int:
        """Take all lines of a code block if each is exactly one of a plan's; returns where they end."""
        closing = _FENCE.search(text, at - 1)
        block = text[at : closing.start() + 1] if closing else ""
        # A byte-order mark belongs to the start of a text alone.
        plan = None if block.startswith("\ufeff") else fast_reader.read(block)
        if plan is None or not plan.steps or may_elide(block) or not is_plain_plan(plan, block):
            return at
        if read_title(f"# {plan.title}") is not None:
            return at
        self.plan, self.steps = plan, {step.step_id: step for step in plan.steps}
        self.section, self._steps_in_fence, self.growing = Section.STEPS, True, None
        self.positions = Positions(self.source, text, unread=at, end=at + len(block))
        return at + len(block)

    def grow_plan(self) -> PlanSpec:
        """The plan so far, its steps a tree."""
        if not self.plan.steps:
            self.plan.steps = grow(list(self.steps.values()))
            for step in self.steps.values():
                # A step that has others below it can not have the type of one that has none.
                if step.children and step.step_type == self.default_type and step.step_type not in CONTAINER_TYPES:
                    step.step_type = "subtask"
        return self.plan

    def _read_line(self, line: LineBounds, content: str, row: str, indent: int) -> bool:
        self._lead = 0
        if self._is_set_off:
            self._last = None
        if content[:1] in WIDE_SPACES and content.strip(SPACES):
            # Indentation of another width is none to the grammar.
            wide = self._lead = len(content) - len(content.lstrip(SPACES))
            content, indent = content[wide:].rstrip(SPACES), indent + wide
            row = f"{content}\n"
        if self._take_code(content, line, indent):
            return True
        has_breaks = (bare := cut_breaks(content)) != content
        if has_breaks:
            content, row = bare, f"{bare}\n"
        self._start, self._end = line.start, line.start + self._lead + len(content)
        self._indent = indent
        match = self._match(row, content)
        if self._is_no_part(match, content):
            self.unfinished = ""
            self._leave_line_out("PS101", line)
            return True
        if self._go_on(match, content, line, indent):
            return True
        fault = self._find_fault(match, content, indent, has_breaks=has_breaks)
        if match and fault is None:
            self._last = (content, line, indent)
            return self._take(match, line)
        if fault is not None and fault.repaired:
            self._doubt(content)
        self._repaired = ""
        is_read = self._refuse(content, line, fault)
        self._last = (self._repaired, line, self._indent) if self._repaired else None
        return is_read

    def _is_no_part(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line is certainly no part of the plan."""
        return (
            self._is_front_matter(match, content)
            or is_harmless(content)
            or self._is_behind(match, content)
            or self._is_lead(match, content)
        )

    def _find_fault(self, match: Match[str] | None, content: str, indent: int, *, has_breaks: bool) -> LineFault | None:
        """What is wrong with a line whose meaning is known; None for one that is right, or that says nothing so far."""
        if self.has_comments and self._find_comment(content):
            return None
        if fault := _put_to_grammar(self._find_meaning(match, content, indent)):
            return fault
        if match and has_breaks:
            miss = NearMiss("PS113", "an HTML line break is not allowed in a line", len(content) - 1, len(content))
            return LineFault(miss, repaired=content)
        if match and self._lead:
            almost = find_inputs(content[1:]) if content.startswith(">") else None
            return LineFault(
                NearMiss("PS113", BAD_INDENTATION, 0, 1), repaired=f"> {almost.written}" if almost else content
            )
        return None

    def _diagnose(self, content: str) -> LineFault:
        fault = Recovery._diagnose(self, content)
        if fault.repaired is None and find_elision(content):
            return _elided(content)
        return fault

    def _take_step(self, match: Match[str], line: LineBounds) -> None:
        count = len(self.steps)
        Recovery._take_step(self, match, line)
        if len(self.steps) > count:
            step_id, step = next(reversed(self.steps.items()))
            self._outputs = {*step.outputs}
            self._names |= self._outputs
            self._nesting.open(step_id, self._indent)
            self.phases.count(step_id)

    def _find_meaning(self, match: Match[str] | None, content: str, indent: int) -> LineFault | None:
        """What a line of an answer means where that is not what it says to the grammar, or nothing to it."""
        if grammars.pattern("planspec", "FORBIDDEN").search(content):
            return None
        if is_conflict_marker(content):
            return conflict_fault(content)
        if found := (match and self._find_part(match, content)) or self._find_label_of_phase(content):
            return found
        if match and self._is_in_place(str(match.lastgroup), content):
            return self._find_marks(match, content)
        return self._find_step_or_detail(match, content, indent) if match else self._find_refused(content, indent)

    def _find_refused(self, content: str, indent: int) -> LineFault | None:
        """What a line means that the grammar refuses."""
        if diagnose_comment(content):
            return None
        if found := self._find_header(content) or self._find_heading(content):
            return found
        return self._find_row(content) if content.startswith("|") else self._find_step_or_detail(None, content, indent)

    def _is_in_place(self, kind: str, content: str) -> bool:
        """Whether a line is a title, a goal or a constraint where the plan has them."""
        if kind == "constraint":
            is_inside = self.section is not Section.STEPS or self.unfinished == "constraints"
            return is_inside and not self._begins_with_box(content)
        return kind in ("title", "goal") and not self.steps

    def _begins_with_box(self, content: str) -> bool:
        """Whether an item has a check box, which no constraint has, and steps may begin with it."""
        return bool(self.default_type) and has_box(content) and self._may_begin_steps()

    def _find_step_or_detail(self, match: Match[str] | None, content: str, indent: int) -> LineFault | None:
        """A step in other forms than a heading or a row, or what is below one."""
        self._columns, self._unread_row = None, ""
        if looks_like_step(content) and not self._is_numbered_constraint(match, content):
            level = len(content) - len(content.lstrip("#"))
            found = self._find_step(match, content, level - _HEADINGS if level else indent + rank_of_number(content))
            if found is not None:
                return found
        if match and match.lastgroup not in ("body_line", "constraint"):
            return None
        is_listed = self.section is Section.STEPS or self._begins_with_box(content)
        found = self._find_listed_step(content, indent) if is_listed else None
        return found or (self._find_body(content) if self.steps else None)

    def _find_header(self, content: str) -> LineFault | None:
        """The header of a part of the plan in other words or signs."""
        if header := repair_header(content):
            # After the steps, only the plainest words are those of a plan's part; others may be anything's.
            if self.steps and header[1].startswith(("Goal:", "Constraints:")) and not is_plain_label(content):
                return whole_fault("PS106", "this may be part of the plan, but is out of order", content)
            return LineFault(header[0], repaired=header[1])
        return _steps_header(content) if self._heads_steps(content) else None

    def _find_label_of_phase(self, content: str) -> LineFault | None:
        """A goal or constraints below a phase, which are of that phase alone, unless a heading of its level says so."""
        indent, outermost = self._nesting.steps[0] if self._nesting.steps else (0, "")
        if outermost not in self.phases.holders:
            return None
        header, level = repair_header(content), len(content) - len(content.lstrip("#"))
        is_of_plan = 0 < level <= indent + _HEADINGS
        if header is None or is_of_plan or not header[1].startswith(("Goal:", "Constraints:")):
            return None
        is_next = isinstance(self.owner, PlanStep) and self.owner.step_id in self.phases.holders
        said = header[1].rstrip().partition(":")[2].lstrip("\n- ")
        if find_elision(said):
            return _elided(content)
        if is_next and not level and said:
            return detail_fault(content, f"> {content}")
        message, help = (
            "this may be said of the phase above alone",
            "write it above the steps, or as detail of the phase",
        )
        return whole_fault("PS106", message, content, help=help)

    def _find_part(self, match: Match[str], content: str) -> LineFault | None:
        """The header of a part of the plan whose heading is that of a title, or of steps that are left out.

        In front of all, it is a title in the format, and none in plain Markdown.
        """
        if match.lastgroup != "title":
            return None
        if self.steps and find_elision(match["title_TEXT"]):
            return _elided(content)
        header = repair_header(f"#{content}")
        is_title = self.section is Section.NOTHING and not self.default_type
        if header is None or header[1].startswith("# ") or is_title:
            return None
        return LineFault(header[0], repaired=header[1])

    def _is_behind(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line of plain Markdown belongs to notes after the plan."""
        if not self.default_type:
            return False
        if self._is_set_off and content.startswith(">") and self._is_quoted(content[1:].strip(SPACES)):
            self._give_lines_to(None)
            self._in_prose = True
            return True
        heading = read_heading(content) if match is None else None
        if self.steps and heading:
            self._is_over = self._ends_steps(heading[1])
        elif self.steps and match is None and content.endswith((":", "：")) and is_notes(content):
            self._is_over = not self._is_above_steps(content)
        elif heading and self.section in (Section.TITLE, Section.GOAL):
            self._is_over = is_notes(heading[1]) and read_bullet(self._next_line()) is not None
        elif (match and match.lastgroup in PARTS) or (not self.steps and read_item_number(content) is not None):
            self._is_over = False
        return self._is_over

    def _ends_steps(self, heading: str) -> bool:
        """Whether a heading below steps begins notes, or anything that is no step where the steps are headings."""
        is_other = self._last_step is not None and self._start not in self.roles
        return is_other or (is_notes(heading) and not self._is_above_steps(heading))

    def _is_quoted(self, said: str) -> bool:
        """Whether what is quoted after a blank line is a paragraph of its own."""
        return (self._indent == 0 or is_notes(_label_of(said))) and not (is_flow(said) or find_arrow(said))

    def _may_begin_steps(self) -> bool:
        """Whether a list that begins here is below the title or the goal, or set off from the constraints."""
        if self.section is Section.CONSTRAINTS:
            return self._is_set_off and bool(self.plan.constraints) and not self._is_before_steps()
        is_only = self.section is Section.NOTHING and self._is_led_to_steps() and self._is_alone()
        return is_only or self.section in (Section.TITLE, Section.GOAL)

    def _heads_steps(self, content: str) -> bool:
        """Whether a line calls what follows the plan, and that is a list or a table."""
        if self.section is Section.STEPS or len(content) > _SHORT:
            return False
        if compiled(_PLAN_LABEL).fullmatch(content) is None:
            return self._groups_phases(content)
        if not self.default_type:
            # What has been told of a stream is never taken back, so that no line may depend on the next one.
            return self.section in (Section.GOAL, Section.CONSTRAINTS) and content[0] in "#*"
        if self._is_before_steps():
            return False
        following = self._next_line().rstrip(SPACES + "\r")
        own, below = read_heading(content), read_heading(following)
        if own and below and repair_header(following) is None:
            return own[0] < below[0] and not is_notes(below[1])
        return looks_like_step(following) or read_bullet(following) is not None or following.startswith("|")

    def _groups_phases(self, content: str) -> bool:
        """Whether a line is a heading that says nothing but that phases are below it, as the next heading is."""
        own = read_heading(content) if self.default_type else None
        if own is None or compiled(_GROUP_LABEL).fullmatch(own[1]) is None:
            return False
        below = read_heading(self._next_line().rstrip(SPACES + "\r"))
        is_above = below is not None and own[0] < below[0] and is_phase(below[1])
        return is_above and not self._is_before_steps()

    def _is_before_steps(self) -> bool:
        """Whether the header of the steps is still to come."""
        if self.section is Section.STEPS or not self.default_type:
            return False
        return compiled(_STEPS_HEADER).search(self.source.text, self._end, self._end + LONG) is not None

    def _is_lead(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line is a sentence before a plan, so that nothing else need be looked for in it."""
        is_in_front = self.section is Section.NOTHING and self._columns is None
        is_plain = match is None and not (self.default_type or self.has_comments)
        return is_in_front and is_plain and is_sentence(content)

    def _is_front_matter(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line belongs to the front matter of a text: between two `---`, before all else."""
        if self._front is None:
            self._front = content == "---"
            return self._front
        if not self._front or (match and self._begins_plan(match, content)):
            self._front = False
            return False
        self._front = is_front_matter(content)
        return self._front or content in ("---", "...")

    def _begins_plan(self, match: Match[str], content: str) -> bool:
        """Whether a line shows that there was only a ruler: a plan's own title, goal or header, or a heading below it.

        Any other heading has to be set off.
        """
        if match.lastgroup != "title":
            return match.lastgroup in PARTS
        is_first = self._is_set_off and self.source.text[: min(self._start, NEAR)].strip(f"{WHITE}\ufeff") == "---"
        return (is_first and not is_notes(content.lstrip("# "))) or read_title(content) is not None

    def _find_row(self, content: str) -> LineFault | None:
        """A step whose line is a row of a table."""
        cells = split_cells(content)
        if cells is None:
            return None
        if self._columns is None:
            self._columns = read_columns(cells)
            return _name_columns(cells, self._columns, content) if self._columns else None
        if is_delimiter(cells):
            return _table_header(content)
        number = self._nesting.next_number("")
        rows, why = write_row(self._columns, content, number, self.legend, self.default_type)
        if rows is None:
            # In front of all steps, it might be a row of another table.
            self._unread_row = why if self.section is not Section.STEPS else ""
            return whole_fault("PS110", f"this table row cannot be read as a step: {why}", content)
        if self._unread_row:
            message, help = (
                "a table row above this one cannot be read as a step",
                f"write that row as a step, too, or leave it out: {self._unread_row}",
            )
            self._unread_row = ""
            return whole_fault("PS127", message, content, "\n".join(rows), help=help)
        return whole_fault("PS110", "a step is not written as a table row", content, "\n".join(rows))

    def _is_numbered_constraint(self, match: Match[str] | None, content: str) -> bool:
        """Whether a numbered line is an item of the constraints; one that has a type is a step."""
        if match or not self.default_type or self.section is not Section.CONSTRAINTS:
            return False
        is_numbered = read_item_number(content) is not None
        is_other = self._is_set_off and bool(self.plan.constraints) and is_numbered and not self._has_numbers
        if is_other and not compiled(_LIMIT).match(content):
            # After a list of bullets, one of numbers is another list.
            return False
        self._has_numbers = is_numbered
        return not is_step(content) and not is_item(content, is_worded=True)

    def _find_heading(self, content: str) -> LineFault | None:
        """The title, the header of the steps, or a step whose line is a heading, in a text that has no types."""
        role = self.roles.get(self._start)
        heading = read_heading(content) if self.default_type else None
        if heading is None and role is Role.LIST:
            heading = BOLD_LEVEL, content
        if heading is None or is_notes(heading[1]):
            return None
        if role is Role.HEADER:
            return _steps_header(content)
        if role is None and self._is_title(*heading):
            return whole_fault("PS104", "the title has the wrong form", content, f"# Plan: {heading[1]}")
        return self._find_phase(*heading, role, content)

    def _is_title(self, level: int, text: str) -> bool:
        """Whether a heading in front of all is the title."""
        if self.section is not Section.NOTHING or is_item(text):
            return False
        return level < 3 or (level < 7 and compiled(_PLAN_WORD).search(text) is not None) or self._is_above_goal(text)

    def _find_phase(self, level: int, text: str, role: Role | None, content: str) -> LineFault | None:
        """A step whose line is a heading: the lines below it are its steps."""
        is_numbered = looks_like_step(text) and compiled(_SPAN).match(text) is None
        if role is None and not self._may_be_step(level, text, is_numbered):
            return None
        indent = (min(level, 6) if is_phase(text) else level) - _HEADINGS
        above = self._nesting.find_above(indent)
        parent = above[1] if above and indent - above[0] > 1 else ""
        numbered = text if is_numbered else f"{self._nesting.next_number(parent)}. {text}"
        written = repair_step(numbered, self.legend, self.default_type)[1]
        if written is None:
            return None
        placed = self._place(written, indent)
        self._indent = indent
        is_holder = role is not Role.STEP and not self._is_typed(content)
        step_id = placed.partition(". ")[0]
        self.phases.note(step_id, is_holder=is_holder, is_numbered=is_numbered, is_list=role is Role.LIST)
        if role is Role.STEP:
            self._last_step = max(self.roles)
        return whole_fault("PS110", "a step must be one line that starts with its id", content, placed)

    def _is_typed(self, heading: str) -> bool:
        """Whether a heading that is a step has a type by itself."""
        return compiled(TYPED_STEP).match(heading) is not None or repair_step(heading, self.legend)[1] is not None

    def _may_be_step(self, level: int, text: str, is_numbered: bool) -> bool:
        """Whether a heading that the outline of the text says nothing of has a number, or is one of a phase."""
        has_phases = bool(self._nesting.steps) and self._nesting.steps[0][0] < 0
        if is_numbered:
            # In bold, it may be an item of a list like those before it.
            return not (level == BOLD_LEVEL and self.steps and not has_phases)
        is_below = self.section > Section.TITLE or (self.section is Section.TITLE and has_box(self._next_line()))
        has_begun = has_phases if self.steps else is_below
        return (level < BOLD_LEVEL or is_phase(text)) and has_begun and not self._is_before_steps()

    def _is_led_to_steps(self) -> bool:
        """Whether the line above ends with a colon, and leads to steps."""
        behind = self._behind.span if self._behind else None
        if behind is None or self.source.text[behind.end - 1] not in (":", "："):
            return False
        lead = self.source.text[max(behind.start, behind.end - _LEAD) : behind.end].rpartition("\n")[2]
        return compiled(_LEADS_TO_STEPS).search(lead) is not None

    def _next_line(self) -> str:
        """The next line that is neither blank nor a ruler."""
        following = self.source.text[self._end : self._end + LONG]
        return compiled(_NOTHING).sub("", following, count=1).partition("\n")[0]

    def _is_above_steps(self, label: str) -> bool:
        """Whether the line after a heading or a label is that of a step: of a check box, of a number that goes on.

        Below the last of several phases, a list that begins anew is one of steps, unless it is called advice.
        """
        following = self._next_line().rstrip("\r")
        number = read_item_number(following)
        if number == "1":
            return bool(self.phases.holders) and compiled(_ADVICE).search(label) is None
        return number is not None or has_box(following)

    def _is_above_goal(self, text: str) -> bool:
        """Whether the line after a heading is that of the goal, and the heading is none of what does not count."""
        if compiled(_NO_TITLE).search(text):
            return False
        header = repair_header(self._next_line().rstrip(SPACES + "\r"))
        return header is not None and header[1].startswith("Goal:")

    def _find_marks(self, match: Match[str], content: str) -> LineFault | None:
        """Marks of Markdown around a text, which do not belong to it."""
        kind = str(match.lastgroup)
        text = match[f"{kind}_TEXT"] or ""
        plain = unwrap(text)
        if kind == "title":
            plain = read_title(content) or plain
            bare = compiled(EMOJI).sub("", plain, count=1).lstrip(SPACES)
            if bare.startswith(_TITLE_LABELS):
                plain = bare
            for label in _TITLE_LABELS:
                plain = unwrap(plain.removeprefix(label))
        if kind == "constraint" and find_elision(text):
            return _elided(content)
        if plain == text or not plain:
            return None
        lead = {"title": "# Plan: ", "goal": "Goal: ", "constraint": "- "}[kind]
        code = "PS118" if kind == "constraint" else "PS104"
        return whole_fault(code, "the line has markup around it", content, lead + plain)

    def _find_step(self, match: Match[str] | None, content: str, indent: float) -> LineFault | None:
        """A step in a line that begins as one, with the id that its place gives it; None where it says just that."""
        self._indent = indent
        is_right = match is not None and match.lastgroup == "step" and self._is_right(match, content)
        if is_right and self._place(content, indent) == content:
            return None
        misses, written = repair_step(content, self.legend, self.default_type if self._may_lack_type(content) else "")
        if written is None:
            return None
        placed = self._place(written, indent)
        if content.startswith("#"):
            self.phases.note(placed.partition(". ")[0], is_holder=not self._is_typed(content))
        said = line_pattern().match(f"{placed}\n")
        if said and find_elision(said["step_DESCRIPTION"] or ""):
            return _elided(content)
        is_same = match and said and placed == written and match.group(*STEP_GROUPS) == said.group(*STEP_GROUPS)
        if is_same or placed == content:
            return None
        if not match and misses:
            fault = evolve(diagnose_line(content, self.section), repaired=placed)
        else:
            fault = LineFault(misses[0] if misses else _name_change(content, written, placed), repaired=placed)
        return self._name_mark(fault, misses, content)

    def _name_mark(self, fault: LineFault, misses: Sequence[NearMiss], line: str) -> LineFault:
        """A fault of a step; where a mark in front of it stands for no status, that is what is wrong with it."""
        marks = ((one, line[one.start : one.end].strip("*_`[]［］【】")) for one in misses if one.code == "PS111")
        unknown = next((one for one, sign in marks if status_of(sign, self.legend) is None), None)
        if unknown is None or fault.miss.code != "PS110" or unknown.start >= fault.miss.end:
            return fault
        miss = evolve(unknown, start=fault.miss.start, end=fault.miss.end)
        return evolve(fault, miss=miss, help=advice_on(miss.code))

    def _may_lack_type(self, content: str) -> bool:
        """Whether an item may be a step without a type: in plain text, a list of anything else is not a plan."""
        is_free = self.section is not Section.NOTHING or self._behind is None or self._is_only_list(content)
        return is_item(content, is_worded=not is_free or self._is_before_steps())

    def _is_only_list(self, content: str) -> bool:
        """Whether a text begins its one list here, after a line that leads to it: nothing else can be the plan."""
        if self.roles.get(self._start) is Role.FIRST:
            return True
        if read_item_number(content) != "1" or not self._is_led_to_steps():
            return False
        # What is told of somebody or something is no order.
        return compiled(_TOLD).match(content) is None and self._is_alone()

    def _is_alone(self) -> bool:
        """Whether no header, heading or label of a plan's part is below the line."""
        if self._next_header < self._end:
            header = compiled(_HEADER).search(self.source.text, self._end)
            self._next_header = header.start() if header else len(self.source.text) + 1
        return self._next_header > len(self.source.text)

    def _is_right(self, match: Match[str], content: str) -> bool:
        """Whether a line that the grammar reads as a step means what it says, as most do."""
        word, text = match["step_TYPE"], match["step_DESCRIPTION"] or ""
        is_other = is_foreign_type(word) or is_suspect(content)
        if not is_other and may_have_progress(content):
            is_other = _has_lost_progress([build_step(*match.group(*STEP_GROUPS))], content)
        return not is_other and not (len(text) < _SHORT and find_elision(text))

    def _place(self, written: str, indent: float) -> str:
        """A step's line with the id that its place gives it, where numbers begin again in a list below a step."""
        number, dot, rest = written.partition(". ")
        if "." in number:
            return written
        parent = self._nesting.find_list(indent)
        if parent is None:
            above = self._nesting.find_above(indent)
            if above is None:
                return written
            # Without types, what is further in is always below.
            is_below = number in self.steps or (self.default_type and indent - above[0] > 1)
            # A list of numbers that is set off from one of bullets at the same place is another list.
            is_beside = self._is_set_off and self.default_type and above[0] == indent // 1
            if is_beside or not is_below:
                return written
            parent = above[1]
            self._nesting.lists.append((indent, parent))
        if not parent:
            return written
        goes_on = parent in self.phases.holders and number == f"{self.phases.counted + 1}"
        if self.default_type and (goes_on or f"{parent}.{number}" in self.steps):
            counted = f"{self._nesting.next_number(parent)}"
            self.phases.is_recounted |= counted != number
            number = counted
        return f"{parent}.{number}{dot}{rest}"

    def _find_listed_step(self, content: str, indent: int) -> LineFault | None:
        """A step without a number: a bullet with a type after it. It is the next below the step that it is in."""
        text = content if self._is_boxed(content) else read_bullet(content)
        if not text:
            return None
        is_typed = text[:1] in "[［【*`" and repair_step(f"1. {text}", self.legend)[1] is not None
        if not is_typed and not (self.default_type and self._is_step_list(text, indent)):
            is_beside = bool(self._nesting.lists) and self._nesting.lists[-1][0] == indent
            if is_beside and (indent, content[0]) == self._typed_bullet:
                # Beside steps with bullets it is one, too; what it does is not known.
                return whole_fault("PS112", "the type in square brackets is missing", content)
            return None
        self._typed_bullet = (indent, content[0]) if is_typed else None
        misses, written = repair_step(f"1. {text}", self.legend, self.default_type)
        if written is None:
            return None
        parent = self._nesting.find_list(indent)
        if parent is None:
            above = self._nesting.find_above(indent)
            parent = above[1] if above else ""
            self._nesting.lists.append((indent, parent))
        number = self._nesting.next_number(parent)
        placed = f"{parent}.{number}" if parent else f"{number}"
        fault = whole_fault("PS110", "a step must start with its id", content, f"{placed}{written[1:]}")
        return self._name_mark(fault, misses, f"1. {text}")

    def _is_step_list(self, text: str, indent: int) -> bool:
        """Whether a bullet without a type is a step: one with a box, and one below a heading or below nothing."""
        if is_box(text):
            return True
        above = self._nesting.find_above(indent)
        if above is None:
            return bool(self._nesting.lists) or not any(number.isdigit() for _, number in self._nesting.steps)
        is_listed = above[0] < BOLD_LEVEL - _HEADINGS or above[1] in self.phases.lists
        return is_listed and above[1] in self.phases.holders

    def _find_body(self, content: str) -> LineFault | None:
        """What is below a step: its inputs in words, its detail with a bullet or a wide sign."""
        if (written := self._find_flow(content)) is not None:
            return whole_fault("PS107", "the inputs have the wrong form", content, written)
        if (wide := read_wide_detail(content)) is not None:
            almost = find_inputs(wide[1:])
            repaired = f"> {almost.written}" if almost else wide
            return detail_fault(content, repaired)
        text = read_bullet(content)
        said = text or content.removeprefix(">")
        # Detail of nothing but dots is text like any other.
        if find_elision(said) and not (content.startswith(">") and not said.strip(" \t.…")):
            return _elided(content)
        if content.startswith(">") and (names := _names_in_marks(content)):
            return whole_fault("PS107", "the variables have markup around them", content, f"> ← {', '.join(names)}")
        if text is None or not isinstance(self.owner, PlanStep):
            return None
        return detail_fault(content, f"> {text}")

    def _find_flow(self, content: str) -> str | None:
        """The line that declares inputs which one declares in other words or signs; "" where it says that none are."""
        flow = read_flow(content, self._names)
        if flow and flow[0] == "inputs":
            return f"> ← {', '.join(flow[1])}" if flow[1] else ""
        text = read_bullet(content) or ""
        arrow = find_arrow(text if text[:1] == "←" else content) if isinstance(self.owner, PlanStep) else None
        return f"> {arrow}" if arrow else None

    def _is_listed_prose(self, content: str) -> bool:
        """Whether a line is an item of a list in the prose after a plan: numbers begin again, without a type."""
        if not self._in_prose:
            return False
        number = read_item_number(content)
        self._in_list = number is not None and (self._in_list or (number == "1" and number in self.steps))
        return self._in_list


def _label_of(content: str) -> str:
    """What is before the first colon of a line, if that is short."""
    return re.split("[:：]", content[:_SHORT], maxsplit=1)[0]


def _steps_header(content: str) -> LineFault:
    return whole_fault("PS104", "the header of the steps has the wrong form", content, "## Steps")


def _elided(content: str) -> LineFault:
    return whole_fault("PS127", "an ellipsis stands for something that was left out", content)


def _table_header(content: str) -> LineFault:
    return whole_fault("PS104", "left out: the header row of a table", content, "")


def _name_columns(cells: list[str], columns: list[str], content: str) -> LineFault:
    if "" not in columns:
        return _table_header(content)
    message = f"the column `{cells[columns.index('')][:60]}` is left out: a step has no such part"
    return whole_fault("PS127", message, content)


def _put_to_grammar(fault: LineFault | None) -> LineFault | None:
    """What a line means, without a repair that the grammar refuses."""
    if fault is None or not fault.repaired:
        return fault
    is_right = all(line_pattern().fullmatch(f"{row}\n") for row in fault.repaired.split("\n"))
    return fault if is_right else evolve(fault, repaired=None)


def _names_in_marks(content: str) -> list[str]:
    """The variables of a line that declares inputs, where they are in marks."""
    match = line_pattern().fullmatch(f"{content}\n")
    written = match["body_line_INPUTS"] if match else None
    plain = variables_of(written) if written else None
    return plain if plain and plain != split_variables(written or "") else []


def is_plain_plan(plan: PlanSpec, text: str) -> bool:
    """Whether a tolerant reading takes nothing in a plan for something else than the grammar does."""
    steps = [*iter_steps(plan)]
    is_foreign = any(map(is_foreign_type, {step.step_type for step in steps}))
    return not (is_foreign or is_suspect(text) or _has_foreign_arrows(steps) or _has_lost_progress(steps, text))


def _name_change(content: str, written: str, placed: str) -> NearMiss:
    """What a step without other faults lacks: the front of its id, or else what was changed first."""
    if placed != written:
        return NearMiss("PS110", "the id is incomplete", 0, len(content))
    return find_change(content, placed)


def _has_lost_progress(steps: list[PlanStep], text: str) -> bool:
    """Whether steps have text that a tolerant reading takes for their progress."""
    return may_have_progress(text) and any(
        find_bar(step.description) or any(map(find_progress, step.result.split(" | ")))
        for step in steps
        if not has_progress(step)
    )


def _has_foreign_arrows(steps: list[PlanStep]) -> bool:
    """Whether steps have text that a tolerant reading takes for a list of variables."""
    outputs = (find_outputs(step.description) for step in steps if step.description and not step.outputs)
    inputs = (find_inputs(line) for step in steps for line in step.detail)
    return any(almost is not None for almost in chain(outputs, inputs))
