"""A model's answer, or any other text → the plan in it, and diagnostics of all that was done for it.

The reader takes lines as :mod:`planspec_lark.planspec.recovery` does. A line that the grammar refuses, or that holds
signs which stand for others, is read as what it means: first by what it is itself
(:mod:`planspec_lark.planspec.near_misses`, :mod:`planspec_lark.planspec.answer_lines`), then by where it is.
Whatever it is taken for is put to the grammar again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from re import Match
from typing import ClassVar

from attrs import define, evolve, field

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.answer_lines import (
    cut_breaks,
    find_elision,
    heads_flow,
    is_conflict_marker,
    is_flow,
    is_front_matter,
    is_harmless,
    is_notes,
    is_phase,
    is_suspect,
    join_lines,
    may_elide,
    read_bullet,
    read_counts,
    read_flow,
    read_heading,
    read_item_number,
    read_state_line,
    read_wide_detail,
)
from planspec_lark.planspec.builder import STATUSES, build_step, split_variables
from planspec_lark.planspec.escapes import write_detail
from planspec_lark.planspec.heading_words import any_of, english_of
from planspec_lark.planspec.line_faults import (
    BAD_INDENTATION,
    LineFault,
    Section,
    conflict_fault,
    diagnose_comment,
    diagnose_line,
    is_sentence,
    is_step,
    line_pattern,
)
from planspec_lark.planspec.models import CONTAINER_TYPES, STEP_TYPES, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.near_misses import (
    EMOJI,
    NOTHING,
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
from planspec_lark.planspec.phases import Phases
from planspec_lark.planspec.positions import LineBounds, Positions
from planspec_lark.planspec.recovery import (
    STEP_GROUPS,
    WHITE,
    Recovery,
)
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
from planspec_lark.syntax.diagnostics import Fix, Severity
from planspec_lark.syntax.tree import grow

__all__ = ["AnswerReader", "is_plain_plan"]

# Characters of a description that may be nothing but a word for others.
_SHORT = 60
# Characters behind a line that are near it.
_NEAR = 400
# Characters of a line that wrapped ones are joined to. Each joint reads all of it again.
_LONG = 4_000
# It starts with the line break before it, which is found far sooner than the start of a line.
_FENCE = re.compile(r"\n[ \t]*+(?:```|~~~)")
_BARE_FENCE = re.compile(r"(?:`{3,}|~{3,})[A-Za-z]*")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# A type in brackets behind any signs and a number: it is no part of the line above.
_TYPED_STEP = rf"[^\w\[［【]{{0,12}}(?:[0-9.]+[a-h]?[^\w\[［【]{{0,6}})?[\[［【]`?(?i:{'|'.join(STEP_TYPES)})`?[\]］】]"
# A number with a letter, and a word or a sign that stands between two steps.
_ALONE = r"(?i)[(（]?[0-9]+[a-h][.)）]|(?:or|and|then|oder|ou|o|或者?|然后|[↓⬇↻↺])\W*\Z"
# A check box that may be without a bullet, and is none that is spoken of.
_BARE_BOX = r"(?:\[[ xX]\]|[☐☑])[ \t]++(?![=:：→(（-])(?=.)"
# What to write in place of a list below a label, and of an item of it that is no variable.
_ON_ONE_LINE = {
    "inputs": "write all of them on one line below the step: `> ← a, b`",
    "outputs": "write all of them at the end of the step line: `→ a, b`",
}
_VARIABLE = "a variable has ASCII letters, digits and `_`; write detail after `> `"
# Blank lines and rulers.
_NOTHING = r"\A(?:[ \t\r]*+(?:[-*_]{3,}+[ \t\r]*+)?\n)*+[ \t]*+"
# What a line below a step is about, such as `Details: …`.
_LABEL = r"[*_]*(?:[A-Z][\w -]{1,20}|[\u4e00-\u9fff]{2,6})[*_]*[:：][*_]*\s*\S"
# A case, and what is done then.
_BRANCH = r"(?P<case>[^→⇒<>]*[^→⇒<>=–—-])(?:[-=–—]{1,2}>|[→⇒➜])[ \t]*(?P<then>\S.*)"
_CASE = (
    r"(?i)(?:yes|no|ok|true|false|otherwise|else|not|passed|failed|是|否|有|没有|能|不能|可以|不可以)\W*\Z"
    r"|(?:if|when|else)\b|[如若]|否则"
)
# What a title begins with that is no part of it.
_TITLE_LABELS = ("Plan：", "Plan:", "计划：", "计划:")
# What is said to who reads an answer, and is no detail of a step.
_SAID_BEHIND = (
    r"(?i)[?？]\W*\Z|\b(?:let me know|if you(?:['’]d)? (?:\w+ )?(?:like|want|need|tell)|feel free|good luck|enjoy"
    r"|have (?:fun|an? (?:great|good|nice|lovely|wonderful|amazing|fantastic))"
    r"|happy to|i can|i could|want me to|would you)\b|需要我|如果你|如果您|要不要|告诉我|祝|加油|随时"
)
# All the text of a step in bold.
_BOLD = r"[\W\d_]{0,12}?(\*\*|__)(?:(?!\1).)+\1[:：.]?[ \t]*"
# What a heading says that is a plan's, however small it is.
_PLAN_WORD = r"(?i)\bplan\b|计划|方案"
# A heading, a line in bold, or a label that a plan's part may have.
_HEADER = r"(?m)^[ \t]*(?:#{1,6}[ \t]|\*\*(?![0-9])|(?:goal|objective|steps)\b|目标|步骤|【)"
# Characters of a line that leads to steps, at its end.
_LEAD = 300
# What leads to steps, and not to any list.
# An item that tells something.
_TOLD = r"(?i)\W*[0-9]+\W+(?:i|it|he|she|we|they|you|the|an?|there|this|that|your|my)\b"
# An item that is a limit.
_LIMIT = r"(?i)\W*[0-9]+\W+(?:no|not|never|max|maximum|at (?:most|least)|under|only|within|不|禁止|最多|至少)\b"
_NO_STEPS = any_of(
    *("telling", "options", "choices", "risks", "mistakes", "questions"),
    english="remove|what|tell|constraints?|went|so far|lose|cheat|before|need from|could|one of|would have|ruin|destroy"
    "|spoil|rank|visit",
    chinese=r"可能|选|失败|跳过|[小老]\w的|[他她]",
)
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
_ADVICE = any_of("advice", "questions")
# What the steps of a plan are called in a heading or a label that could be its title as well.
_PLAN_NAME = r"(?:(?:the|step-by-step|detailed|action) )?plan|check-?list|(?:详细|具体)?(?:计划|方案|安排)"
_PLAN_LABEL = rf"(?i)[#*_ ]*(?:{_PLAN_NAME})[*_]*[:：]?[*_]*"
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
class AnswerReader(Recovery):
    """Reads the plan in an answer line by line: takes more for what it looks like, and names what is no part of it.

    Attributes:
        legend: sign → the character of the mark that it stands for, as the text says itself.
        default_type: the type of a step that has none; without one, a line without a type is not a step.
        roles: what lines of plain Markdown are, by offset.
        is_plain: whether the text has none of the words of a plan's parts.
    """

    is_strict: ClassVar[bool] = False

    legend: Mapping[str, str] = field(factory=dict)
    default_type: str = ""
    roles: Mapping[int, Role] = field(factory=dict)
    is_plain: bool = False
    # The last line that a wrapped one may continue: what it says, where it is, and how far it is indented.
    _last: tuple[str, LineBounds, float] | None = None
    _indent: float = 0
    # Whether the lines are those of front matter; None before the first line.
    _front: bool | None = None
    # Whether the lines are items of a list in the prose after the plan.
    _in_list: bool = False
    # Steps that are open, and lists whose numbers begin again below one of them: how far each is indented, and the id.
    _open_steps: list[tuple[float, str]] = field(factory=list)
    _nested: list[tuple[float, str]] = field(factory=list)
    # The indentation and the sign of the last step that is a bullet with a type.
    _typed_bullet: tuple[int, str] | None = None
    # By the id of a step, the highest number below it.
    _numbers: dict[str, int] = field(factory=dict)
    # The headings that were taken for steps.
    phases: Phases = field(factory=Phases)
    # The variables that steps have put out so far.
    _names: set[str] = field(factory=set)
    # Those of the last step.
    _outputs: set[str] = field(factory=set)
    # What the items of a list below a label are, and how far they are indented at least; before the first of them, the
    # label, its line, and the indentation of another width.
    _flow_list: tuple[str, int, tuple[str, LineBounds, int] | None] | None = None
    # Where the line starts.
    _start: int = 0
    # Where the last heading starts that is a step, as the outline of the text shows.
    _last_step: int | None = None
    # Whether paragraphs below such headings are set off from them by blank lines.
    _has_paragraphs: bool = False
    # What the columns hold of the table that the lines are rows of.
    _columns: list[str] | None = None
    # Whether notes after the plan have begun, which are no part of it.
    _is_over: bool = False
    # Whether steps begin with check boxes, without bullets.
    _has_boxes: bool = False
    # Whether the constraints are items with numbers.
    _has_numbers: bool = False
    # The code block below a step that the lines are in: how far it is indented, and its fence.
    _code: tuple[int, str] | None = None
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
        is_front = self._is_front_matter(match, content)
        if is_front or is_harmless(content) or self._is_behind(match, content) or self._is_lead(match, content):
            self.unfinished = ""
            self._leave_line_out("PS101", line)
            return True
        if self._go_on(match, content, line, indent):
            return True
        has_comment = self.has_comments and self._find_comment(content) is not None
        fault = None if has_comment else _put_to_grammar(self._find_meaning(match, content, indent))
        if fault is None and match and has_breaks:
            miss = NearMiss("PS113", "an HTML line break is not allowed in a line", len(content) - 1, len(content))
            fault = LineFault(miss, repaired=content)
        if fault is None and match and self._lead:
            almost = find_inputs(content[1:]) if content.startswith(">") else None
            miss = NearMiss("PS113", BAD_INDENTATION, 0, 1)
            fault = LineFault(miss, repaired=f"> {almost.written}" if almost else content)
        if fault is not None and fault.repaired:
            self._doubt(content)
        if match and not fault:
            self._last = (content, line, indent)
            return self._take(match, line)
        self._repaired = ""
        is_read = self._refuse(content, line, fault)
        self._last = (self._repaired, line, self._indent) if self._repaired else None
        return is_read

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
            self._open(step_id, self._indent)

    def _find_meaning(  # noqa: PLR0911, PLR0912  (a kind of line each)
        self, match: Match[str] | None, content: str, indent: int
    ) -> LineFault | None:
        """What a line of an answer means where that is not what it says to the grammar, or nothing to it."""
        kind = str(match.lastgroup) if match else ""
        if grammars.pattern("planspec", "FORBIDDEN").search(content) or (not match and diagnose_comment(content)):
            return None
        if match and kind == "title" and self.steps and find_elision(match["title_TEXT"]):
            return _elided(content)
        if is_conflict_marker(content):
            return conflict_fault(content)
        if kind == "title" and (section := self._find_section(content)):
            return section
        is_constraint = kind == "constraint" and (self.section is not Section.STEPS or self.unfinished == "constraints")
        # A check box is none of a constraint.
        is_boxed = bool(self.default_type) and self._may_begin_steps() and has_box(content)
        if match and ((is_constraint and not is_boxed) or (kind in ("title", "goal") and not self.steps)):
            return self._find_marks(kind, match, content)
        if not match and (header := repair_header(content)):
            # After the steps, only the plainest words are those of a plan's part; others may be anything's.
            if self.steps and header[1].startswith(("Goal:", "Constraints:")) and not is_plain_label(content):
                return _fault("PS106", "this may be part of the plan, but is out of order", content)
            return LineFault(header[0], repaired=header[1])
        if not match and self.section is not Section.STEPS and self._heads_steps(content):
            return _fault("PS104", "the header of the steps has the wrong form", content, "## Steps")
        heading = read_heading(content) if self.default_type and not match else None
        if heading is None and self.roles.get(self._start) is Role.LIST:
            heading = BOLD_LEVEL, content
        if heading:
            found = self._find_heading(*heading, content)
            if found is not None:
                return found
        if not match and content.startswith("|"):
            return self._find_row(content)
        self._columns = None
        if looks_like_step(content) and not self._is_numbered_constraint(match, content):
            level = len(content) - len(content.lstrip("#"))
            found = self._find_step(match, content, level - _HEADINGS if level else indent + rank_of_number(content))
            if found is not None or kind == "step":
                return found
        if kind not in ("", "body_line", "constraint"):
            return None
        is_listed = is_boxed or self.section is Section.STEPS
        found = self._find_listed_step(content, indent) if is_listed else None
        return found or (self._find_body(content) if self.steps else None)

    def _find_section(self, content: str) -> LineFault | None:
        """The header of a part of the plan whose heading is that of a title.

        In front of all, it is a title in the format, and none in plain Markdown.
        """
        header = repair_header(f"#{content}")
        is_title = self.section is Section.NOTHING and not self.default_type
        if header is None or header[1].startswith("# ") or is_title:
            return None
        return LineFault(header[0], repaired=header[1])

    def _is_behind(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line belongs to notes after the plan."""
        is_quote = self.default_type and self._is_set_off and content.startswith(">")
        said = content[1:].strip(SPACES)
        if is_quote and (self._indent == 0 or is_notes(_label_of(said))) and not (is_flow(said) or find_arrow(said)):
            # In plain Markdown, what is quoted after a blank line is a paragraph of its own.
            self._give_lines_to(None)
            self._in_prose = True
            return True
        is_open = bool(self.default_type) and not match
        heading = read_heading(content) if is_open else None
        if self.steps and (heading or (is_open and content.endswith((":", "：")) and is_notes(content))):
            label = heading[1] if heading else content
            # Behind headings that are steps, one that is none begins something else.
            is_other = heading is not None and self._last_step is not None and self._start not in self.roles
            self._is_over = is_other or (is_notes(label) and not self._is_above_steps(label))
        elif heading and self.section in (Section.TITLE, Section.GOAL):
            self._is_over = is_notes(heading[1]) and read_bullet(self._next_line()) is not None
        elif self._is_over and not self.steps and read_item_number(content) is not None:
            self._is_over = False
        if match and match.lastgroup in ("title", "goal", "constraints", "steps_header"):
            self._is_over = False
        return self._is_over

    def _may_begin_steps(self) -> bool:
        """Whether a list that begins here is below the title or the goal, or set off from the constraints."""
        if self.section is Section.CONSTRAINTS:
            return self._is_set_off and bool(self.plan.constraints) and not self._is_before_steps()
        is_only = self.section is Section.NOTHING and self._is_led_to_steps() and self._is_alone()
        return is_only or self.section in (Section.TITLE, Section.GOAL)

    def _heads_steps(self, content: str) -> bool:
        """Whether a line calls what follows the plan, and that is a list or a table."""
        if len(content) > _SHORT or compiled(_PLAN_LABEL).fullmatch(content) is None:
            return False
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

    def _is_before_steps(self) -> bool:
        """Whether the header of the steps is still to come."""
        if self.section is Section.STEPS or not self.default_type:
            return False
        return compiled(_STEPS_HEADER).search(self.source.text, self._end, self._end + _LONG) is not None

    def _is_lead(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line is a sentence before a plan, so that nothing else need be looked for in it."""
        is_in_front = self.section is Section.NOTHING and self._columns is None
        is_plain = match is None and not (self.default_type or self.has_comments)
        return is_in_front and is_plain and is_sentence(content)

    def _is_front_matter(self, match: Match[str] | None, content: str) -> bool:
        """Whether a line belongs to the front matter of a text: between two `---`, before all else.

        A plan's own title, goal or header shows that there was only a ruler. So does any other heading that is set off.
        """
        if self._front is None:
            self._front = content == "---"
            return self._front
        is_title = match is not None and match.lastgroup == "title"
        is_part = match is not None and match.lastgroup in ("goal", "constraints", "steps_header")
        is_first = self._is_set_off and self.source.text[: min(self._start, _NEAR)].strip(f"{WHITE}\ufeff") == "---"
        is_first = is_first and not is_notes(content.lstrip("# "))
        if self._front and (is_part or (is_title and (is_first or read_title(content) is not None))):
            self._front = False
        if not self._front:
            return False
        self._front = is_front_matter(content)
        return self._front or content in ("---", "...")

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
        rows = write_row(self._columns, cells, self._numbers.get("", 0) + 1, self.legend, self.default_type)
        message = "a step is not written as a table row" if rows else "this table row cannot be read as a step"
        return _fault("PS110", message, content, "\n".join(rows) if rows else None)

    def _is_numbered_constraint(self, match: Match[str] | None, content: str) -> bool:
        """Whether a numbered line is an item of the constraints; one that has a type is a step."""
        is_open = bool(self.default_type) and self.section is Section.CONSTRAINTS and not match
        is_numbered = read_item_number(content) is not None
        is_limit = compiled(_LIMIT).match(content) is not None
        is_other = self._is_set_off and bool(self.plan.constraints) and is_numbered and not self._has_numbers
        is_other = is_other and not is_limit
        if is_open and is_other:
            # After a list of bullets, one of numbers is another list.
            return False
        self._has_numbers = is_open and is_numbered
        return is_open and not is_step(content) and not is_item(content, is_worded=True)

    def _find_heading(self, level: int, text: str, content: str) -> LineFault | None:
        """A step whose line is a heading, in a text that has no types: the lines below it are its steps."""
        if is_notes(text):
            return None
        is_title = (
            level < 3 or (level < 7 and compiled(_PLAN_WORD).search(text) is not None) or self._is_above_goal(text)
        )
        role = self.roles.get(self._start)
        if role is Role.HEADER:
            return _fault("PS104", "the header of the steps has the wrong form", content, "## Steps")
        if self.section is Section.NOTHING and is_title and not is_item(text) and role is None:
            return _fault("PS104", "the title has the wrong form", content, f"# Plan: {text}")
        indent = (min(level, 6) if is_phase(text) else level) - _HEADINGS
        is_numbered = looks_like_step(text) and compiled(_SPAN).match(text) is None
        if role is None and not self._may_be_step(level, text, is_numbered):
            return None
        above = self._find_above(indent)
        parent = above[1] if above and indent - above[0] > 1 else ""
        written = repair_step(
            text if is_numbered else f"{self._numbers.get(parent, 0) + 1}. {text}", self.legend, self.default_type
        )[1]
        if written is None:
            return None
        placed = self._place(written, indent)
        self._indent = indent
        step_id = placed.partition(". ")[0]
        is_holder = role is not Role.STEP and not self._is_typed(content)
        self.phases.note(step_id, is_holder=is_holder, is_numbered=is_numbered, is_list=role is Role.LIST)
        if role is Role.STEP:
            self._last_step = max(self.roles)
        return _fault("PS110", "a step must be one line that starts with its id", content, placed)

    def _is_typed(self, heading: str) -> bool:
        """Whether a heading that is a step has a type by itself."""
        return compiled(_TYPED_STEP).match(heading) is not None or repair_step(heading, self.legend)[1] is not None

    def _may_be_step(self, level: int, text: str, is_numbered: bool) -> bool:
        """Whether a heading that the outline of the text says nothing of has a number, or is one of a phase."""
        has_phases = bool(self._open_steps) and self._open_steps[0][0] < 0
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
        following = self.source.text[self._end : self._end + _LONG]
        return compiled(_NOTHING).sub("", following, count=1).partition("\n")[0]

    def _is_above_steps(self, label: str) -> bool:
        """Whether the line after a heading or a label is that of a step: of a check box, of a number that goes on.

        Below the last of several phases, a list that begins anew is one of steps, unless it is called advice.
        """
        following = self._next_line().rstrip("\r")
        number = read_item_number(following)
        is_advice = compiled(_ADVICE).search(label) is not None
        return has_box(following) or (
            number is not None and (number != "1" or bool(self.phases.holders and not is_advice))
        )

    def _is_above_goal(self, text: str) -> bool:
        """Whether the line after a heading is that of the goal, and the heading is none of what does not count."""
        if compiled(_NO_TITLE).search(text):
            return False
        header = repair_header(self._next_line().rstrip(SPACES + "\r"))
        return header is not None and header[1].startswith("Goal:")

    def _find_marks(self, kind: str, match: Match[str], content: str) -> LineFault | None:
        """Marks of Markdown around a text, which do not belong to it."""
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
        return _fault(code, "the line has markup around it", content, lead + plain)

    def _take_goal(self, content: str, line: LineBounds) -> bool:
        """Take the text of a goal whose header has none in its own line; False where this is none."""
        if self.section is not Section.GOAL or self.plan.goal or self.plan.goal_detail or self.owner is not self.plan:
            return False
        text = unwrap(read_bullet(content) or content)
        is_goal = line_pattern().fullmatch(f"Goal: {text}\n") is not None
        if not (is_goal and _is_plain(text, self.section)) or find_elision(content):
            return False
        self.plan.goal = text
        self.tell("goal", text=text)
        self.positions.extend_last(line._replace(is_repaired=True))
        help = "write `Goal: Text` on one line"
        self._note(
            "PS104", "the goal must be on the line of its header", line.start, self._end, Severity.WARNING, help=help
        )
        # What follows directly is the same paragraph, indented or not.
        self._last = (f"Goal: {text}", line, -1)
        return True

    def _find_step(self, match: Match[str] | None, content: str, indent: float) -> LineFault | None:
        self._indent = indent
        if (
            match
            and match.lastgroup == "step"
            and self._is_right(match, content)
            and self._place(content, indent) == content
        ):
            return None
        # In plain text, a list of what is said of anything else is not a plan.
        is_first = self.section is Section.NOTHING and self._behind is None
        is_free = self.section is not Section.NOTHING or is_first or self._is_only_list(content)
        is_plan = is_item(content, is_worded=not is_free or self._is_before_steps())
        misses, written = repair_step(content, self.legend, self.default_type if is_plan else "")
        if written is None:
            return None
        placed = self._place(written, indent)
        if content.startswith("#"):
            self.phases.note(placed.partition(". ")[0], is_holder=not self._is_typed(content))
        said = line_pattern().match(f"{placed}\n")
        if said and find_elision(said["step_DESCRIPTION"] or ""):
            return _elided(content)
        if placed == content or (match and placed == written and self._says_same(match, placed)):
            return None
        if not match and misses:
            return evolve(diagnose_line(content, self.section), repaired=placed)
        if misses or placed != written:
            miss = misses[0] if misses else NearMiss("PS110", "the id is incomplete", 0, len(content))
        else:
            miss = find_change(content, placed)
        return LineFault(miss, repaired=placed)

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

    def _says_same(self, match: Match[str], written: str) -> bool:
        other = line_pattern().match(f"{written}\n")
        return other is not None and match.group(*STEP_GROUPS) == other.group(*STEP_GROUPS)

    def _place(self, written: str, indent: float) -> str:
        """A step's line with the id that its place gives it, where numbers begin again in a list below a step."""
        number, dot, rest = written.partition(". ")
        if "." in number:
            return written
        parent = self._find_list(indent)
        if parent is None:
            above = self._find_above(indent)
            # Without types, what is further in is always below.
            is_below = above and (number in self.steps or (self.default_type and indent - above[0] > 1))
            # A list of numbers that is set off from one of bullets at the same place is another list.
            is_beside = above is not None and self._is_set_off and self.default_type and above[0] == indent // 1
            if not (above and is_below) or (is_beside and above[0] >= 0):
                return written
            parent = above[1]
            self._nested.append((indent, parent))
        if not parent:
            return written
        goes_on = parent in self.phases.holders and number == f"{self.phases.counted + 1}"
        if self.default_type and (goes_on or f"{parent}.{number}" in self.steps):
            counted = f"{self._numbers.get(parent, 0) + 1}"
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
            is_beside = bool(self._nested) and self._nested[-1][0] == indent
            if is_beside and (indent, content[0]) == self._typed_bullet:
                # Beside steps with bullets it is one, too; what it does is not known.
                return _fault("PS112", "the type in square brackets is missing", content)
            return None
        self._typed_bullet = (indent, content[0]) if is_typed else None
        written = repair_step(f"1. {text}", self.legend, self.default_type)[1]
        if written is None:
            return None
        parent = self._find_list(indent)
        if parent is None:
            above = self._find_above(indent)
            parent = above[1] if above else ""
            self._nested.append((indent, parent))
        number = self._numbers.get(parent, 0) + 1
        placed = f"{parent}.{number}" if parent else f"{number}"
        return _fault("PS110", "a step must start with its id", content, f"{placed}{written[1:]}")

    def _is_step_list(self, text: str, indent: int) -> bool:
        """Whether a bullet without a type is a step: one with a box, and one below a heading or below nothing."""
        above = self._find_above(indent)
        is_numbered = any(number.isdigit() for _, number in self._open_steps) and not self._nested
        is_listed = above is not None and (above[0] < BOLD_LEVEL - _HEADINGS or above[1] in self.phases.lists)
        is_below = is_listed and above[1] in self.phases.holders if above else not is_numbered
        return is_below or is_box(text)

    def _is_boxed(self, content: str) -> bool:
        """Whether a line without a bullet is a step as it begins with a check box, as another one near it does."""
        if not self.default_type or compiled(_BARE_BOX).match(content) is None:
            return False
        # Below other steps, boxes are those of a form.
        is_first = not self.steps or next(reversed(self.steps)) in self.phases.holders
        following = self.source.text[self._end : self._end + _NEAR] if is_first else ""
        self._has_boxes = self._has_boxes or compiled(rf"(?m)^[ \t]*{_BARE_BOX}").search(following) is not None
        return self._has_boxes

    def _find_body(self, content: str) -> LineFault | None:
        """What is below a step: its inputs in words, its detail with a bullet or a wide sign."""
        if (written := self._find_flow(content)) is not None:
            return _fault("PS107", "the inputs have the wrong form", content, written)
        if (wide := read_wide_detail(content)) is not None:
            almost = find_inputs(wide[1:])
            repaired = f"> {almost.written}" if almost else wide
            return _detail_of(content, repaired)
        text = read_bullet(content)
        said = text or content.removeprefix(">")
        # Detail of nothing but dots is text like any other.
        if find_elision(said) and not (content.startswith(">") and not said.strip(" \t.…")):
            return _elided(content)
        if content.startswith(">") and (names := _names_in_marks(content)):
            return _fault("PS107", "the variables have markup around them", content, f"> ← {', '.join(names)}")
        if text is None or not isinstance(self.owner, PlanStep):
            return None
        return _detail_of(content, f"> {text}")

    def _find_flow(self, content: str) -> str | None:
        """The line that declares inputs which one declares in other words or signs; "" where it says that none are."""
        flow = read_flow(content, self._names)
        if flow and flow[0] == "inputs":
            return f"> ← {', '.join(flow[1])}" if flow[1] else ""
        text = read_bullet(content) or ""
        arrow = find_arrow(text if text[:1] == "←" else content) if isinstance(self.owner, PlanStep) else None
        return f"> {arrow}" if arrow else None

    def _go_on(self, match: Match[str] | None, content: str, line: LineBounds, indent: int) -> bool:
        """Whether a line continues the one before it, which was wrapped."""
        # Set off from all steps, such a line is of the plan.
        is_own = not self._is_set_off or indent > 0
        is_open = isinstance(self.owner, PlanStep) and is_own and (match is None or match.lastgroup == "constraint")
        if is_open and self._take_flow(content, line, indent):
            return True
        self._flow_list = self._flow_list if is_open else None
        if is_open and isinstance(self.owner, PlanStep) and (state := read_state_line(content)):
            self._take_state(self.owner, *state, line)
            return True
        is_free = match is None or match.lastgroup == "constraint"
        if is_free and self._take_goal(content, line):
            return True
        if match is not None or not self._is_set_off:
            return match is None and self._continue(content, line, indent)
        if self._is_in_step():
            return self._take_paragraph(content, line, indent)
        # What is indented like the text of an item belongs to it, set off or not.
        is_text = self._is_below_step(indent - 1) and _is_plain(content, self.section) and not find_elision(content)
        return is_text and self._take_detail(content, line, indent)

    def _is_in_step(self) -> bool:
        """Whether a line is in the section of a heading that is a step by itself, as the outline shows."""
        if not isinstance(self.owner, PlanStep) or self._indent:
            return False
        return self.owner.step_id in self.phases.headings and self.owner.step_id not in self.phases.holders

    def _take_paragraph(self, content: str, line: LineBounds, indent: int) -> bool:
        """Take a line that begins a paragraph below such a heading for detail of the step.

        Below the last one, it may be what is said behind the plan. Which of the headings with types is the last shows
        only in the end.
        """
        if not _is_plain(content, self.section) or find_elision(content):
            return False
        if self._start > (self._last_step or 0):
            is_said = compiled(_SAID_BEHIND).search(content) is not None
            if is_said or not (self._has_paragraphs or self._last_step is None):
                return False
            if self._last_step is None and isinstance(self.owner, PlanStep):
                self.phases.closing = (self.owner.step_id, self.source.span(line.start, self._end))
                return self._take_detail(content, line, indent)
            message = "this may be detail of the last step, or said behind the plan"
            self._note("PS127", message, line.start, self._end, Severity.ERROR, help="write `> ` before detail")
            return True
        self._has_paragraphs = True
        return self._take_detail(content, line, indent)

    def _continue(self, content: str, line: LineBounds, indent: int) -> bool:
        """Whether a line continues the one directly before it, or is detail of the step that it is below."""
        # The end of the text may be half a line break.
        content = content.removesuffix("\r")
        said, _, width = self._last or ("", None, indent)
        is_paragraph = bool(self.default_type) and said.startswith("Goal:") and not said.endswith((".", "!", "?", ":"))
        may_join = indent > width or (is_paragraph and content[:1].islower())
        is_below = self._is_below_step(indent)
        is_item = compiled(_TYPED_STEP).match(content) or compiled(_ALONE).match(content) or self._is_boxed(content)
        if not (may_join or is_below) or find_elision(content) or is_item:
            return False
        if is_flow(content) or find_arrow(content) is not None or not _is_plain(content, self.section):
            return False
        # The branches of a decision do not continue what is to be decided.
        is_decided = isinstance(self.owner, PlanStep) and self.owner.step_type == "decide"
        is_branch = is_decided and (said.endswith(("?", "？")) or _is_branch(content))
        is_labelled = is_below and (is_branch or compiled(_LABEL).match(content) is not None)
        if self._last and may_join and not is_labelled and self._join(self._last, content, line):
            return True
        return is_below and self._may_be_detail(is_labelled) and self._take_detail(content, line, indent)

    def _is_below_step(self, indent: int) -> bool:
        """Whether a line is indented more than the step that the lines before it belong to."""
        return isinstance(self.owner, PlanStep) and self._open_steps[-1][0] < indent

    def _may_be_detail(self, is_labelled: bool) -> bool:
        """Whether a line below a step that does not continue the step's own line is detail.

        Without a label, it may continue a line that says something else.
        """
        said, last, _ = self._last or (">", None, 0)
        return is_labelled or (last is not None and last.is_repaired) or not said.startswith(">")

    def _join(self, last: tuple[str, LineBounds, float], content: str, line: LineBounds) -> bool:
        """Read the last line together with the line that continues it; False where that says nothing."""
        said, first, width = last
        is_ended = isinstance(self.owner, PlanStep) and (
            self.owner.step_id in self.phases.headings
            or compiled(_BOLD).fullmatch(self.source.text, first.start, first.end) is not None
        )
        if is_ended:
            # A heading, or text that is all in bold, has ended with its line.
            return False
        if len(said) + len(content) > _LONG:
            message = f"this continues the line before it, which already has {_LONG:,} characters"
            self._note("PS126", message, line.start, self._end, Severity.ERROR)
            return True
        joined = join_lines(said, content)
        if isinstance(self.owner, PlanStep) and looks_like_step(joined):
            # Its last words may be an arrow with a list in other signs.
            joined = repair_step(joined, self.legend, self.default_type)[1] or joined
        match = line_pattern().fullmatch(f"{joined}\n")
        whole = LineBounds(first.start, line.end, is_repaired=True)
        if match is None or not self._replace_last(str(match.lastgroup), match, whole):
            return False
        fix = Fix(self.source.span(first.start, self._end), joined)
        self._note("PS126", "this continues the line before it", line.start, self._end, Severity.WARNING, fix=fix)
        self._last = (joined, whole, width)
        return True

    def _take_detail(self, content: str, line: LineBounds, indent: float) -> bool:
        """Take a line that is no more of its step's own line for detail of the step."""
        written = f"> {content}"
        match = line_pattern().fullmatch(f"{written}\n")
        if match is None:
            return False
        self._report_fault(_detail_of(content, written), line)
        repaired = line._replace(is_repaired=True)
        self._last = (written, repaired, indent)
        return self._take(match, repaired)

    def _take_code(self, content: str, line: LineBounds, indent: int) -> bool:
        """Take a line of a code block below a step for detail of that step; False where it is none."""
        fence = _BARE_FENCE.fullmatch(content)
        # In plain Markdown, a block right below the line of a step belongs to it, indented or not.
        is_next = bool(self.default_type) and self._last is not None and not (self._is_set_off or self._in_fence)
        is_next = is_next and isinstance(self.owner, PlanStep)
        if self._code is None and (fence is None or not (is_next or self._is_below_step(indent))):
            return False
        self._end = line.start + len(content)
        if self._code is None:
            self._code = (indent, content.rstrip(_LETTERS))
            self._leave_line_out("PS103", line)
            return True
        width, sign = self._code
        if content.startswith(sign) and not content.strip(sign[0]):
            self._code = None
            self._leave_line_out("PS103", line)
        elif indent > width:
            self._note("PS107", "the indentation of code is lost in detail", line.start, self._end, Severity.ERROR)
        elif not self._take_detail(write_detail(content), line, indent):
            self._leave_line_out("PS101", line)
        return True

    def _take_flow(self, content: str, line: LineBounds, indent: int) -> bool:
        """Take outputs in words below a step, or the label of a list of inputs or outputs, or an item of it."""
        text, open_list, flow = read_bullet(content), self._flow_list, read_flow(content, self._names)
        self._flow_list = None
        if flow and flow[0] == "outputs" and isinstance(self.owner, PlanStep):
            self._take_outputs(self.owner, flow[1], line)
            return True
        if kind := heads_flow(content):
            # Only an item shows that there is a list.
            self._flow_list = (kind, indent + (text is not None), (text or content, line, self._lead))
            message, help = f"the {kind} are missing below this label", _ON_ONE_LINE[kind]
            self._note("PS107", message, line.start, self._end, Severity.ERROR, help=help)
            self._keep_growing()
            self._last, self.unfinished = None, ""
            return True
        if text is None or open_list is None or not isinstance(self.owner, PlanStep):
            return False
        kind, least, label = open_list
        names = [] if unwrap(text).rstrip(".。").lower() in NOTHING else variables_of(text)
        if indent < least:
            # A bullet beside that of the label may be detail, unless it names what steps have put out.
            is_known = kind == "inputs" and names and self._names.issuperset(names)
            if indent < least - 1 or not (is_known or label is None):
                return False
            names, indent = names if is_known else None, least
        if label is not None and self._behind is not None and names is None and not self._speaks_of_names(text):
            self._take_label(*label, indent)
            return False
        if label is not None and self._behind is not None:
            message = f"the {kind} have the wrong form"
            self._findings[-1] = evolve(self._behind, message=message, severity=Severity.WARNING)
        self._flow_list = (kind, indent if label else least, None)
        if names is None:
            message, help = f"this may be one of the {kind}, and is no variable", _VARIABLE
            self._note("PS107", message, line.start, self._end, Severity.ERROR, help=help)
        elif kind == "outputs":
            self._take_outputs(self.owner, names, line)
        else:
            written = f"> ← {', '.join(names)}" if names else ""
            self._refuse(content, line, _fault("PS107", "the inputs have the wrong form", content, written))
        return True

    def _speaks_of_names(self, text: str) -> bool:
        """Whether a text has one of the variables that steps have put out so far."""
        return any(name in self._names for name in compiled(r"(?a)[A-Za-z_]\w*").findall(text))

    def _take_label(self, label: str, line: LineBounds, lead: int, indent: int) -> None:
        """Take a label, which was said to have nothing below it, for detail, as what is below it is."""
        now = self._lead, self._end
        self._findings.pop()
        self._lead, self._end = lead, line.end
        self._take_detail(label, line, indent)
        self._lead, self._end = now

    def _take_outputs(self, step: PlanStep, names: list[str], line: LineBounds) -> None:
        """Take the outputs that a line below a step names in words."""
        new = [name for name in dict.fromkeys(names) if name not in self._outputs]
        step.outputs.extend(new)
        self._outputs.update(new)
        self._names.update(new)
        self.tell("outputs", step_id=step.step_id, names=tuple(new))
        self.positions.add_names(step.step_id, "outputs", line.start, self._end)
        self._last = None
        help = "write outputs after `→` at the end of the step line"
        self._note("PS107", "the outputs have the wrong form", line.start, self._end, Severity.WARNING, help=help)

    def _take_state(self, step: PlanStep, kind: str, said: str, line: LineBounds) -> None:
        """Take the status or the progress that a line below a step says in words."""
        mark = status_of(said, self.legend)
        counts = read_counts(said)
        self._last = None
        if kind == "status" and mark is not None and step.status is PlanStatus.PENDING:
            step.status = STATUSES[f"[{mark}]"]
            code, message, help = "PS111", "the status has the wrong form", "write its mark after the id"
        elif kind == "progress" and counts is not None and (step.done_count, step.total_count) == (0, None):
            step.done_count, step.total_count = counts
            code, message, help = (
                "PS115",
                "the progress has the wrong form",
                "write it at the end of the step line",
            )
        else:
            code, message = ("PS111", "a status") if kind == "status" else ("PS115", "a progress")
            message, help = f"{message} that cannot be read, or is not the only one", "write it on the step line"
            self._note(code, message, line.start, self._end, Severity.ERROR, help=help)
            return
        self.tell("revised", step=step)
        self._note(code, message, line.start, self._end, Severity.WARNING, help=help)

    def _replace_last(self, kind: str, match: Match[str], line: LineBounds) -> bool:
        """Let a line say what it says together with the line that continues it."""
        if kind == "step" and isinstance(self.owner, PlanStep):
            step = build_step(*match.group(*STEP_GROUPS))
            # What is after outputs, and declares none, is no more of the description.
            if self.owner.step_id != step.step_id or (self.owner.outputs and not step.outputs):
                return False
            for name in ("description", "outputs", "result", "done_count", "total_count"):
                setattr(self.owner, name, getattr(step, name))
            self._outputs = {*step.outputs}
            self._names |= self._outputs
            self.positions.extend_step(step.step_id, line)
            self.tell("revised", step=step)
            return True
        if kind == "constraint" and self.plan.constraints and not self.steps:
            self.plan.constraints[-1] = text = match["constraint_TEXT"]
        elif kind == "goal" and self.owner is self.plan and not self.plan.goal_detail:
            self.plan.goal = text = match["goal_TEXT"] or ""
        else:
            return False
        self.tell("revised", text=text)
        self.positions.extend_last(line)
        return True

    def _is_listed_prose(self, content: str) -> bool:
        """Whether a line is an item of a list in the prose after a plan: numbers begin again, without a type."""
        if not self._in_prose:
            return False
        number = read_item_number(content)
        self._in_list = number is not None and (self._in_list or (number == "1" and number in self.steps))
        return self._in_list

    def _find_above(self, indent: float) -> tuple[float, str] | None:
        """The innermost open step that a line is indented more than, with its own indentation."""
        return next((one for one in reversed(self._open_steps) if one[0] < indent), None)

    def _find_list(self, indent: float) -> str | None:
        """The step that a list with this indentation is below; "" for none, None where no such list is open."""
        while self._nested and self._nested[-1][0] > indent:
            self._nested.pop()
        return self._nested[-1][1] if self._nested and self._nested[-1][0] == indent else None

    def _open(self, step_id: str, indent: float) -> None:
        parent, _, number = step_id.rpartition(".")
        self._numbers[parent] = max(int(number), self._numbers.get(parent, 0))
        self.phases.counted += parent in self.phases.holders and step_id not in self.phases.holders
        while self._open_steps and self._open_steps[-1][0] >= indent:
            self._open_steps.pop()
        self._open_steps.append((indent, step_id))


def _is_branch(content: str) -> bool:
    """Whether a line has a case, an arrow, and what is done then, which is no list of variables."""
    match = compiled(_BRANCH).fullmatch(content)
    is_case = match is not None and compiled(_CASE).match(match["case"]) is not None
    return match is not None and (is_case or variables_of(match["then"]) is None)


def _label_of(content: str) -> str:
    """What is before the first colon of a line, if that is short."""
    return re.split("[:：]", content[:_SHORT], maxsplit=1)[0]


def _fault(code: str, message: str, content: str, repaired: str | None = None) -> LineFault:
    """A fault that all of a line has."""
    return LineFault(NearMiss(code, message, 0, len(content)), repaired=repaired)


def _elided(content: str) -> LineFault:
    return _fault("PS127", "an ellipsis stands for something that was left out", content)


def _detail_of(content: str, repaired: str) -> LineFault:
    return _fault("PS107", "a detail line must start with `> `", content, repaired)


def _table_header(content: str) -> LineFault:
    return _fault("PS104", "left out: the header row of a table", content, "")


def _name_columns(cells: list[str], columns: list[str], content: str) -> LineFault:
    if "" not in columns:
        return _table_header(content)
    message = f"the column `{cells[columns.index('')][:60]}` is left out: a step has no such part"
    return _fault("PS127", message, content)


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


def _is_plain(content: str, section: Section) -> bool:
    """Whether a line is text, and nothing that could begin something."""
    starts = (
        read_bullet(content) is not None or is_item(content) or content.startswith(("#", ">", "```", "~~~", "|", "＞"))
    )
    says_nothing = is_harmless(content) or is_conflict_marker(content)
    return not (starts or says_nothing or is_step(content)) and diagnose_line(content, section).repaired is None


def is_plain_plan(plan: PlanSpec, text: str) -> bool:
    """Whether a tolerant reading takes nothing in a plan for something else than the grammar does."""
    steps = [*iter_steps(plan)]
    is_foreign = any(map(is_foreign_type, {step.step_type for step in steps}))
    return not (is_foreign or is_suspect(text) or _has_foreign_arrows(steps) or _has_lost_progress(steps, text))


def _has_lost_progress(steps: list[PlanStep], text: str) -> bool:
    """Whether steps have text that a tolerant reading takes for their progress."""
    return may_have_progress(text) and any(
        find_bar(step.description) or any(map(find_progress, step.result.split(" | ")))
        for step in steps
        if (step.done_count, step.total_count) == (0, None)
    )


def _has_foreign_arrows(steps: list[PlanStep]) -> bool:
    """Whether steps have text that a tolerant reading takes for a list of variables."""
    outputs = (find_outputs(step.description) for step in steps if step.description and not step.outputs)
    inputs = (find_inputs(line) for step in steps for line in step.detail)
    return any(almost is not None for almost in chain(outputs, inputs))
