"""Lines of an answer that belong to the line or the step before them: wrapped text, labels, paragraphs, code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from re import Match

from attrs import define, evolve, field, frozen

from planspec_lark.planspec.answer_lines import (
    find_elision,
    heads_flow,
    is_conflict_marker,
    is_flow,
    is_harmless,
    join_lines,
    read_bullet,
    read_counts,
    read_flow,
    read_state_line,
)
from planspec_lark.planspec.builder import STATUSES, build_step
from planspec_lark.planspec.escapes import write_detail
from planspec_lark.planspec.line_faults import LineFault, Section, diagnose_line, is_step, line_pattern
from planspec_lark.planspec.models import STEP_TYPES, PlanStatus, PlanStep, has_progress
from planspec_lark.planspec.near_misses import NOTHING, NearMiss, compiled, find_arrow, unwrap, variables_of
from planspec_lark.planspec.phase_doubts import Phases
from planspec_lark.planspec.positions import LineBounds
from planspec_lark.planspec.recovery import STEP_GROUPS, Recovery
from planspec_lark.planspec.step_repair import is_item, looks_like_step, repair_step, status_of
from planspec_lark.syntax.diagnostics import Fix, Severity
from planspec_lark.syntax.fences import FENCES

__all__ = ["LONG", "NEAR", "TYPED_STEP", "ContinuationReader", "detail_fault", "whole_fault"]

# Characters behind a line that are near it.
NEAR = 400
# Characters of a line that wrapped ones are joined to. Each joint reads all of it again.
LONG = 4_000
# A type in brackets behind any signs and a number: it is no part of the line above.
TYPED_STEP = rf"[^\w\[［【]{{0,12}}(?:[0-9.]+[a-h]?[^\w\[［【]{{0,6}})?[\[［【]`?(?i:{'|'.join(STEP_TYPES)})`?[\]］】]"
_BARE_FENCE = re.compile(r"(?:`{3,}|~{3,})[A-Za-z]*")
_PLAIN_TEXT = ("", "text", "txt", "markdown", "md")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
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
# What a line below a step is about, such as `Details: …`.
_LABEL = r"[*_]*(?:[A-Z][\w -]{1,20}|[\u4e00-\u9fff]{2,6})[*_]*[:：][*_]*\s*\S"
# A case, and what is done then.
_BRANCH = r"(?P<case>[^→⇒<>]*[^→⇒<>=–—-])(?:[-=–—]{1,2}>|[→⇒➜])[ \t]*(?P<then>\S.*)"
_CASE = (
    r"(?i)(?:yes|no|ok|true|false|otherwise|else|not|passed|failed|是|否|有|没有|能|不能|可以|不可以)\W*\Z"
    r"|(?:if|when|else)\b|[如若]|否则"
)
# What is said to who reads an answer, and is no detail of a step.
_SAID_BEHIND = (
    r"(?i)[?？]\W*\Z|\b(?:let me know|if you(?:['’]d)? (?:\w+ )?(?:like|want|need|tell)|feel free|good luck|enjoy"
    r"|have (?:fun|an? (?:great|good|nice|lovely|wonderful|amazing|fantastic))"
    r"|happy to|i can|i could|want me to|would you)\b|需要我|如果你|如果您|要不要|告诉我|祝|加油|随时"
)
# All the text of a step in bold.
_BOLD = r"[\W\d_]{0,12}?(\*\*|__)(?:(?!\1).)+\1[:：.]?[ \t]*"

# Of what a line below a step says of it, the code and the advice.
_STATES = {
    "status": ("PS111", "write its mark after the id"),
    "progress": ("PS115", "write it at the end of the step line"),
}


@frozen
class _Flows:
    """A list of inputs or outputs below a label.

    Attributes:
        kind: what its items are.
        indent: how far they are indented at least.
        label: what the label says; empty behind the first item.
        line: where that is.
        lead: how much white space of another width is before it.
    """

    kind: str
    indent: int
    label: str
    line: LineBounds
    lead: int


@define(eq=False)
class _Nesting:
    """Where steps stand below each other: those that lines may be below, and the lists that have begun below them.

    Attributes:
        steps: the steps that are open: how far each is indented, and its id.
        lists: lists whose numbers begin again: how far each is indented, and the id of the step that it is below, empty
            for none.
    """

    steps: list[tuple[float, str]] = field(factory=list)
    lists: list[tuple[float, str]] = field(factory=list)
    # By the id of a step, the highest number below it.
    _numbers: dict[str, int] = field(factory=dict)

    def find_above(self, indent: float) -> tuple[float, str] | None:
        """The innermost open step that a line is indented more than, with its own indentation."""
        return next((one for one in reversed(self.steps) if one[0] < indent), None)

    def find_list(self, indent: float) -> str | None:
        """The step that a list with this indentation is below; "" for none, None where no such list is open."""
        while self.lists and self.lists[-1][0] > indent:
            self.lists.pop()
        return self.lists[-1][1] if self.lists and self.lists[-1][0] == indent else None

    def next_number(self, parent: str) -> int:
        """The number of the next step right below another."""
        return self._numbers.get(parent, 0) + 1

    def open(self, step_id: str, indent: float) -> None:
        """Add a step."""
        parent, _, number = step_id.rpartition(".")
        self._numbers[parent] = max(int(number), self._numbers.get(parent, 0))
        while self.steps and self.steps[-1][0] >= indent:
            self.steps.pop()
        self.steps.append((indent, step_id))


@define(eq=False)
class ContinuationReader(Recovery):
    """Reads lines that say more of what is before them.

    Attributes:
        legend: sign → the character of the mark that it stands for, as the text says itself.
        default_type: the type of a step that has none; without one, a line without a type is not a step.
        phases: the headings that were taken for steps.
    """

    legend: Mapping[str, str] = field(factory=dict)
    default_type: str = ""
    phases: Phases = field(factory=Phases)
    # Where the steps stand below each other.
    _nesting: _Nesting = field(factory=_Nesting)
    # The last line that a wrapped one may continue: what it says, where it is, and how far it is indented.
    _last: tuple[str, LineBounds, float] | None = None
    # Where the line starts, and how far it is indented.
    _start: int = 0
    _indent: float = 0
    # The variables that steps have put out so far.
    _names: set[str] = field(factory=set)
    # Those of the last step.
    _outputs: set[str] = field(factory=set)
    # The list below a label that the line may be an item of.
    _flows: _Flows | None = None
    # Where the last heading starts that is a step, as the outline of the text shows.
    _last_step: int | None = None
    # Whether paragraphs below such headings are set off from them by blank lines.
    _has_paragraphs: bool = False
    # Whether steps begin with check boxes, without bullets.
    _has_boxes: bool = False
    # The code block below a step that the lines are in: how far it is indented, and its fence.
    _code: tuple[int, str] | None = None

    def _go_on(self, match: Match[str] | None, content: str, line: LineBounds, indent: int) -> bool:
        """Whether a line continues the one before it, which was wrapped, or says more of its step or goal."""
        flows, self._flows = self._flows, None
        if match is None or match.lastgroup == "constraint":
            owner = self.owner if isinstance(self.owner, PlanStep) else None
            if (
                owner
                and self._is_of_step(owner, content, indent)
                and self._take_label(owner, flows, content, line, indent)
            ):
                return True
            if self._take_goal(content, line):
                return True
        if match is not None:
            return False
        if not self._is_set_off:
            return self._continue(content, line, indent)
        if self._is_in_step():
            return self._take_paragraph(content, line, indent)
        # What is indented like the text of an item belongs to it, set off or not.
        is_text = self._is_below_step(indent - 1) and _is_plain(content, self.section) and not find_elision(content)
        return is_text and self._take_detail(content, line, indent)

    def _is_of_step(self, last: PlanStep, content: str, indent: int) -> bool:
        """Whether a line may be of the last step, or of the heading above it: set off from all, it is of the plan."""
        if not self._is_set_off or indent > 0 or last.step_id in self.phases.holders:
            return True
        return read_bullet(content) is not None and self._find_phase_of(last, indent) is not None

    def _take_label(self, step: PlanStep, flows: _Flows | None, content: str, line: LineBounds, indent: int) -> bool:
        """Take what a line below a step says in words: outputs, a status, or a label of a list, or an item of it."""
        text, flow = read_bullet(content), read_flow(content, self._names)
        if phase := self._find_phase_of(step, indent):
            return self._take_label_of(phase, step, content, line)
        if flow and flow[0] == "outputs":
            self._take_outputs(step, flow[1], line)
        elif kind := heads_flow(content):
            # Only an item shows that there is a list.
            self._flows = _Flows(kind, indent + (text is not None), text or content, line, self._lead)
            message, help = f"the {kind} are missing below this label", _ON_ONE_LINE[kind]
            self._note("PS107", message, line.start, self._end, Severity.ERROR, help=help)
            self._keep_growing()
            self._last, self.unfinished = None, ""
        elif text is not None and flows and self._take_item(step, flows, text, line, indent):
            pass
        elif state := read_state_line(content):
            self._take_state(step, *state, line)
        else:
            return False
        return True

    def _find_phase_of(self, step: PlanStep, indent: int) -> PlanStep | None:
        """The step or heading that a line is right below, though it comes after a step that is below it as well."""
        above = self._nesting.find_above(indent) if self.default_type else None
        return self.steps[above[1]] if above and above[1] != step.step_id else None

    def _take_label_of(self, phase: PlanStep, last: PlanStep, content: str, line: LineBounds) -> bool:
        """Take a status or a progress of a phase from its list of bullets; anything else may be of the last step."""
        state = read_state_line(content)
        if not (state or is_flow(content) or heads_flow(content)):
            return False
        start, end = self.positions.bounds_of(last.step_id)[0]
        if state and read_bullet(content) and read_bullet(self.source.text[start:end]):
            self._take_state(phase, *state, line)
            return True
        message = f"this may be said of step {phase.step_id} or of step {last.step_id}"
        code, help = _STATES[state[0]] if state else ("PS107", "write outputs and inputs as those of one of the steps")
        self._note(code, message, line.start, self._end, Severity.ERROR, help=help)
        self._last = None
        return True

    def _take_item(self, step: PlanStep, flows: _Flows, text: str, line: LineBounds, indent: int) -> bool:
        """Take an item of a list of inputs or outputs below a label; False where the label heads something else."""
        kind = flows.kind
        names = [] if unwrap(text).rstrip(".。").lower() in NOTHING else variables_of(text)
        if indent < flows.indent:
            # A bullet beside that of the label may be detail, unless it names what steps have put out.
            is_known = kind == "inputs" and names and self._names.issuperset(names)
            if indent < flows.indent - 1 or (flows.label and not is_known):
                return False
            names, indent = names if is_known else None, flows.indent
        if flows.label and self._behind is not None:
            if names is None and not self._speaks_of_names(text):
                self._take_back(flows, indent)
                return False
            message = f"the {kind} have the wrong form"
            self._findings[-1] = evolve(self._behind, message=message, severity=Severity.WARNING)
        self._flows = evolve(flows, indent=indent if flows.label else flows.indent, label="")
        if names is None:
            message, help = f"this may be one of the {kind}, and is no variable", _VARIABLE
            self._note("PS107", message, line.start, self._end, Severity.ERROR, help=help)
        elif kind == "outputs":
            self._take_outputs(step, names, line)
        else:
            written = f"> ← {', '.join(names)}" if names else ""
            content = self.source.text[line.start + self._lead : self._end]
            self._refuse(content, line, whole_fault("PS107", "the inputs have the wrong form", content, written))
        return True

    def _take_back(self, flows: _Flows, indent: int) -> None:
        """Take a label, which was said to have nothing below it, for detail, as what is below it is."""
        now = self._lead, self._end
        self._findings.pop()
        self._lead, self._end = flows.lead, flows.line.end
        self._take_detail(flows.label, flows.line, indent)
        self._lead, self._end = now

    def _speaks_of_names(self, text: str) -> bool:
        """Whether a text has one of the variables that steps have put out so far."""
        return any(name in self._names for name in compiled(r"(?a)[A-Za-z_]\w*").findall(text))

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
        code, help = _STATES[kind]
        mark, counts = status_of(said, self.legend), read_counts(said)
        self._last = None
        if kind == "status" and mark and step.status is PlanStatus.PENDING:
            step.status = STATUSES[f"[{mark}]"]
            self.phases.stated.add(step.step_id)
        elif kind == "progress" and counts and not has_progress(step):
            step.done_count, step.total_count = counts
        else:
            message, help = f"a {kind} that cannot be read, or is not the only one", "write it on the step line"
            self._note(code, message, line.start, self._end, Severity.ERROR, help=help)
            return
        self.tell("revised", step=step)
        self._note(code, f"the {kind} has the wrong form", line.start, self._end, Severity.WARNING, help=help)

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
        may_join, is_below = self._may_join(content, indent), self._is_below_step(indent)
        if not (may_join or is_below) or self._begins_something(content):
            return False
        is_labelled = is_below and self._is_labelled(content)
        if self._last and may_join and not is_labelled and self._join(self._last, content, line):
            return True
        return is_below and self._may_be_detail(is_labelled) and self._take_detail(content, line, indent)

    def _may_join(self, content: str, indent: int) -> bool:
        """Whether a line is indented more than the one before it, or goes on in the paragraph of the goal."""
        if self._last is None:
            return False
        said, _, width = self._last
        is_open = bool(self.default_type) and said.startswith("Goal:") and not said.endswith((".", "!", "?", ":"))
        return indent > width or (is_open and content[:1].islower())

    def _begins_something(self, content: str) -> bool:
        """Whether a line is more than text that goes on, whatever is before it."""
        is_item = compiled(TYPED_STEP).match(content) or compiled(_ALONE).match(content) or self._is_boxed(content)
        is_list = is_flow(content) or find_arrow(content) is not None
        return bool(is_item) or is_list or find_elision(content) or not _is_plain(content, self.section)

    def _is_boxed(self, content: str) -> bool:
        """Whether a line without a bullet is a step as it begins with a check box, as another one near it does."""
        if not self.default_type or compiled(_BARE_BOX).match(content) is None:
            return False
        # Below other steps, boxes are those of a form.
        is_first = not self.steps or next(reversed(self.steps)) in self.phases.holders
        following = self.source.text[self._end : self._end + NEAR] if is_first else ""
        self._has_boxes = self._has_boxes or compiled(rf"(?m)^[ \t]*{_BARE_BOX}").search(following) is not None
        return self._has_boxes

    def _is_labelled(self, content: str) -> bool:
        """Whether a line below a step says what it is about, or is a branch of what is to be decided."""
        if isinstance(self.owner, PlanStep) and self.owner.step_type == "decide":
            is_asked = self._last is not None and self._last[0].endswith(("?", "？"))
            if is_asked or _is_branch(content):
                return True
        return compiled(_LABEL).match(content) is not None

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
        if len(said) + len(content) > LONG:
            message = f"this continues the line before it, which already has {LONG:,} characters"
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

    def _is_below_step(self, indent: int) -> bool:
        """Whether a line is indented more than the step that the lines before it belong to."""
        return isinstance(self.owner, PlanStep) and self._nesting.steps[-1][0] < indent

    def _take_detail(self, content: str, line: LineBounds, indent: float) -> bool:
        """Take a line that is no more of its step's own line for detail of the step."""
        written = f"> {content}"
        match = line_pattern().fullmatch(f"{written}\n")
        if match is None:
            return False
        self._report_fault(detail_fault(content, written), line)
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
            self._doubt_code(content, line)
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

    def _doubt_code(self, opening: str, line: LineBounds) -> None:
        """Note a code block of plain text right below a heading that begins with a list: it may hold the steps."""
        is_first = isinstance(self.owner, PlanStep) and self.owner.step_id in self.phases.headings
        row = self.source.text[self._end : self._end + NEAR].lstrip().partition("\n")[0]
        if is_first and opening.lstrip("`~").lower() in _PLAIN_TEXT and (is_item(row) or read_bullet(row)):
            message, help = "the list in this code block may be the steps", "write them without the lines around them"
            self._note("PS127", message, line.start, self._end, Severity.ERROR, help=help)


def _is_branch(content: str) -> bool:
    """Whether a line has a case, an arrow, and what is done then, which is no list of variables."""
    match = compiled(_BRANCH).fullmatch(content)
    is_case = match is not None and compiled(_CASE).match(match["case"]) is not None
    return match is not None and (is_case or variables_of(match["then"]) is None)


def _is_plain(content: str, section: Section) -> bool:
    """Whether a line is text, and nothing that could begin something."""
    starts = read_bullet(content) is not None or is_item(content) or content.startswith(("#", ">", *FENCES, "|", "＞"))
    says_nothing = is_harmless(content) or is_conflict_marker(content)
    return not (starts or says_nothing or is_step(content)) and diagnose_line(content, section).repaired is None


def whole_fault(code: str, message: str, content: str, repaired: str | None = None, help: str = "") -> LineFault:
    """A fault that all of a line has."""
    return LineFault(NearMiss(code, message, 0, len(content)), repaired=repaired, help=help)


def detail_fault(content: str, repaired: str) -> LineFault:
    """That a line is detail, and is not written so."""
    return whole_fault("PS107", "a detail line must start with `> `", content, repaired)
