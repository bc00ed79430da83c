"""An answer → the plan in it, a verdict, what was repaired, and all the text around it.

The seven rules by which an answer is read stand in ``docs/reference/answers.md``. Structure is read here; prose is
handed over: whatever stands outside the plan is a remark, verbatim, and never judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.answers.block import Block, find_blocks, find_strays
from planspec_lark.answers.truncation import has_open_end, is_cut_short, name_cut, start_of_last_line
from planspec_lark.answers.verdict import Verdict, find_holds, reach_verdict
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.check import check_scan, locate
from planspec_lark.planspec.dialect import DIALECT, NO_SIGNS, WIDE, is_suspect
from planspec_lark.planspec.interchange import PlanValueError, plan_from_dict, plan_to_dict
from planspec_lark.planspec.models import STEP_TYPES, PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.positions import Positions
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.recovery import Reader, indent_of
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.scan_result import ScanResult, read_nothing, refuse_excess
from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk, highest
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, count_of, in_order
from planspec_lark.syntax.envelopes import find_beside, find_json, iter_strings, set_aside, undo_escapes
from planspec_lark.syntax.limits import (
    DEFAULT_LIMITS,
    NO_LIMITS,
    OVER_LIMIT,
    Findings,
    Limits,
    check_is_text,
    find_excess,
)
from planspec_lark.syntax.reasoning import Remainder, leave_out_reasoning
from planspec_lark.syntax.source import BLANKS, Remark, Source, Span, end_last_line, find_remarks
from planspec_lark.syntax.tree import grow

__all__ = ["Extraction", "Remark", "Remarks", "Repair", "extract_plan", "scan_plan"]

_NAMES = {
    "title": "a title",
    "goal": "a goal",
    "constraints": "a list of constraints",
    "steps": "a header of steps",
    "step": "a step",
}
# The fields that may hold a text in place of what was left out.
_PLAN_TEXTS = ("title", "goal", "goal_detail", "constraints")
_STEP_TEXTS = ("description", "result", "outputs", "inputs", "detail")
# What to do about text that is no plan, as far as its form shows.
_WRITE = (
    "write the plan in a code block, with `# Plan: Text`, `Goal: Text`, `## Steps` and steps such as "
    "`1. [act] Text → output`"
)
_OTHER = "a list in plain Markdown is another format: `planspec import` reads it"

# What decides about remarks: "show", "review", or a function of them and the plan.
Remarks = str | Callable[[tuple[Remark, ...], PlanSpec], bool]


@frozen
class Repair:
    """Something that was read by its canonical text, or left out.

    Attributes:
        code: the code of what was found.
        message: what was found, in words.
        was: the text as it was.
        became: what it was read as; the empty text for what was left out.
        risk: how likely it is that this changes what is meant.
        diagnostic: what was found, with its place and fix.
    """

    code: str
    message: str
    was: str
    became: str
    risk: Risk
    diagnostic: Diagnostic = field(repr=False)

    @classmethod
    def of(cls, found: Diagnostic, source: Source) -> Repair:
        """The repair that a finding tells of."""
        span = found.fix.span if found.fix else found.span
        was = source.text[span.start : span.end] if span else ""
        became = found.fix.text if found.fix else was
        return cls(found.code, found.message, was, became, found.risk or Risk.MEDIUM, found)

    @property
    def line(self) -> int:
        """Its first line, from 1."""
        return self.diagnostic.line or 1

    @property
    def end_line(self) -> int:
        """Its last line."""
        span = self.diagnostic.fix.span if self.diagnostic.fix else self.diagnostic.span
        return span.end_line if span else self.line

    def to_dict(self) -> dict[str, Any]:
        """The entry as a JSON value."""
        names = ("line", "end_line", "code", "message", "was", "became")
        return {**{name: getattr(self, name) for name in names}, "risk": self.risk.value, "help": self.diagnostic.help}


@frozen(slots=False)
class Extraction:
    """What was found in an answer.

    Attributes:
        plan: the plan; empty if there is none.
        verdict: whether it is safe to act on.
        holds: what keeps it from being accepted, in the order of the answer; the first decides.
        remarks: all text outside the plan.
        span: from the plan's first character to its last; None without a plan.
        max_risk: the highest risk that is allowed.
        truncated: whether the answer was cut off.
        notes: infos: what was set aside, where commands stand.
        scan: how the lines of the plan were read.
    """

    plan: PlanSpec
    verdict: Verdict
    holds: tuple[Diagnostic, ...]
    remarks: tuple[Remark, ...]
    span: Span | None
    max_risk: Risk
    truncated: bool
    notes: tuple[Diagnostic, ...] = ()
    scan: ScanResult = field(repr=False, kw_only=True)

    @cached_property
    def text(self) -> str:
        """The plan's canonical text, as it is when first asked for."""
        return serialize_plan(self.plan)

    @property
    def source(self) -> Source:
        """The text that was read."""
        return self.scan.source

    @property
    def positions(self) -> Positions:
        """Where the plan's parts are in it."""
        return self.scan.positions

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """What was read by its canonical text, or left out, in order."""
        told = self.scan.diagnostics
        return tuple(Repair.of(one, self.source) for one in told if one.risk and one.severity is not Severity.ERROR)

    @cached_property
    def findings(self) -> list[Diagnostic]:
        """Holds, notes, and what :func:`planspec_lark.check_text` finds in the plan."""
        checked = check_scan(evolve(self.scan, diagnostics=[]), NO_LIMITS) if self.plan.steps else []
        told = {(one.code, one.step_id) for one in self.holds}
        rest = [one for one in checked if (one.code, one.step_id) not in told]
        return in_order([*self.holds, *self.notes, *rest])

    @property
    def deciding(self) -> Diagnostic | None:
        """The finding that decides; None if the plan is accepted."""
        return self.holds[0] if self.holds else None

    @property
    def risk(self) -> Risk:
        """The highest risk of any repair."""
        return highest(one.risk for one in self.repairs)

    @property
    def is_usable(self) -> bool:
        """Whether the plan is accepted."""
        return self.verdict is Verdict.ACCEPTED

    def to_dict(self) -> dict[str, Any]:
        """All of it as a JSON value, without the plan if that is not accepted."""
        return {
            "verdict": self.verdict.value,
            "usable": self.is_usable,
            "truncated": self.truncated,
            "risk": self.risk.value,
            "max_risk": self.max_risk.value,
            "plan": plan_to_dict(self.plan) if self.is_usable else None,
            "text": self.text if self.is_usable else None,
            "line": self.span.line if self.span else None,
            "end_line": self.span.end_line if self.span else None,
            "repairs": [one.to_dict() for one in self.repairs],
            "remarks": [one.to_dict() for one in self.remarks],
        }


# ---------------------------------------------------------------- what is asked for


@frozen
class _Request:
    """What a caller says of an answer, see :func:`extract_plan`."""

    remarks: Remarks = "show"
    choose: str | int | None = None
    goal: str = ""
    default_type: str = ""
    signs: Mapping[str, PlanStatus] = NO_SIGNS
    below: str = ""
    finish_reason: str = ""
    allow_truncated: bool = False
    max_risk: Risk = field(default=Risk.MEDIUM, converter=Risk)
    name: str = "<text>"
    limits: Limits = DEFAULT_LIMITS

    def __attrs_post_init__(self) -> None:
        if self.default_type and self.default_type not in STEP_TYPES:
            raise ValueError(f"default_type: {self.default_type!r} is not one of {', '.join(STEP_TYPES)}")
        if isinstance(self.choose, str) and self.choose not in ("first", "last"):
            raise ValueError(f"choose: {self.choose!r} is not first, last or a number")
        if isinstance(self.remarks, str) and self.remarks not in ("show", "review"):
            raise ValueError(f"remarks: {self.remarks!r} is not show or review")


def extract_plan(  # noqa: PLR0913  (each says something else about the answer)
    answer: str,
    *,
    remarks: Remarks = "show",
    choose: str | int | None = None,
    goal: str = "",
    default_type: str = "",
    signs: Mapping[str, PlanStatus | str] | None = None,
    below: str = "",
    finish_reason: str = "",
    allow_truncated: bool = False,
    max_risk: Risk | str = Risk.MEDIUM,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
) -> Extraction:
    """Take the plan out of an answer, and keep account of all that was done to it. Never raises on any text.

    >>> found = extract_plan("Sure!\\n\\nGoal: Ship it\\n## Steps\\n1) [act] Test\\n")
    >>> found.is_usable, found.repairs[0].became, found.remarks[0].text
    (True, '1. [act] Test', 'Sure!')

    Args:
        remarks: what text around the plan means: "show" returns it; with "review" any of it holds the plan; a function
            of the remarks and the plan says whether the plan is accepted.
        choose: which of several plans to take: "first", "last" or a number from 1.
        goal: the goal of a plan that has none.
        default_type: the type of steps that have none.
        signs: what unknown signs mean, such as ``{"⏳": "active"}``.
        below: the id of the step that all steps stand below, as in a new plan for a part: it needs no goal, and ids are
            those of the whole plan or count from 1.
        finish_reason: why the model stopped, as its interface says; a limit such as "length", a filter or "incomplete"
            means that the answer is cut off.
        allow_truncated: whether to accept a plan that is cut off, without its last line.
        max_risk: the highest risk that is allowed. A repair above that holds the plan.
        name: what findings call the text.
        limits: how much to read.

    Raises:
        ValueError: an argument is none of these values.
    """
    check_is_text(answer)
    statuses = {sign: PlanStatus(status) for sign, status in (signs or {}).items()}
    request = _Request(
        remarks,
        choose,
        goal,
        default_type,
        statuses,
        below,
        finish_reason,
        allow_truncated,
        max_risk,
        name,
        limits,
    )
    return _extract(answer, request)


def _extract(
    answer: str, request: _Request, beside: tuple[Remark, ...] = (), wrapped: tuple[Diagnostic, ...] = ()
) -> Extraction:
    """The reading of an answer.

    Args:
        answer: any text.
        request: what is asked for.
        beside: what stood around it in a JSON value.
        wrapped: what it was wrapped in.
    """
    if excess := find_excess(answer, request.name, request.limits):
        return _refuse(read_nothing([excess]), request)
    source = Source(answer, request.name)
    if (plain := undo_escapes(answer, DIALECT.language)) is not None:
        said = "escapes of Markdown or HTML were undone: lines are shown without them"
        undone = _extract(plain[0], request, beside, (*wrapped, _unwrap(source, *plain[1:], said)))
        # They are undone for the sake of a plan, be it one that cannot be used.
        if undone.plan.steps or undone.verdict is not Verdict.REFUSED:
            return undone
    remainder = leave_out_reasoning(answer)
    bare = set_aside(remainder.text)
    # Where a tag is missing, what it ends or begins with may be meant otherwise.
    told = remainder.diagnose(source)
    notes = [*wrapped, *(evolve(one, risk=Risk.MEDIUM) if one.severity is Severity.WARNING else one for one in told)]
    if bare != remainder.text:
        at = next(at for at, (one, other) in enumerate(zip(bare, remainder.text, strict=True)) if one != other)
        notes.append(_note(source, at, at + 1, "signs of a chat format were set aside"))
    text = end_last_line(bare)
    if blocks := find_blocks(text, request.default_type, answer):
        return _Answer(source, remainder, text, blocks, request, notes, beside).extract()
    if (found := _extract_json(source, request, wrapped)) is not None:
        return found
    help = f"{_WRITE}; {_OTHER}" if text.strip() else _WRITE
    return _find_nothing(source, text, request, "the text has no plan: no step with a type can be read", help, notes)


def _unwrap(source: Source, start: int, end: int, message: str) -> Diagnostic:
    """A note that an answer was read without what it is wrapped in."""
    return evolve(_note(source, start, end, message), risk=Risk.LOW)


def _note(source: Source, start: int, end: int, message: str) -> Diagnostic:
    return Diagnostic("PS101", message, Severity.INFO, source.span(start, end), source=source)


def _refuse(scan: ScanResult, request: _Request, remarks: tuple[Remark, ...] = ()) -> Extraction:
    """The reading of an answer that is too large, or has too large a plan."""
    holds = tuple(one for one in scan.diagnostics if one.code in OVER_LIMIT)
    return Extraction(PlanSpec(), Verdict.REFUSED, holds, remarks, None, request.max_risk, truncated=False, scan=scan)


def _find_nothing(  # noqa: PLR0913, PLR0917  (what there is to say)
    source: Source, text: str, request: _Request, message: str, help: str, notes: Sequence[Diagnostic] = ()
) -> Extraction:
    """The reading of an answer without a plan."""
    missing = Diagnostic("PS201", message, Severity.ERROR, source.span(0, 0), help=help, source=source)
    return Extraction(
        PlanSpec(),
        Verdict.REFUSED,
        (missing,),
        tuple(find_remarks(source, text, [(0, source.length)])),
        None,
        request.max_risk,
        truncated=bool(text.strip()) and is_cut_short(request.finish_reason),
        notes=tuple(notes),
        scan=ScanResult(PlanSpec(), [], Positions(source, text), source),
    )


def _extract_json(source: Source, request: _Request, wrapped: tuple[Diagnostic, ...]) -> Extraction | None:
    """The reading of an answer that is one JSON value, or has one as its only code block; None where it has none."""
    try:
        value, start, end = find_json(source.text)
    except ValueError:
        return None
    try:
        plan = plan_from_dict(value) if isinstance(value, dict) else PlanSpec()
    except PlanValueError:
        plan = PlanSpec()
    strings = [] if plan.steps else list(iter_strings(value))
    found = {serialize_plan(plan)} if plan.steps else {one for one in strings if find_blocks(end_last_line(one))}
    if len(found) != 1:
        said = f"with {count_of(len(found), 'plan')} in it" if found else "that holds no plan"
        help = "answer with the plan itself, not with JSON"
        return _find_nothing(source, source.text, request, f"the answer is a JSON value {said}", help, wrapped)
    (inner,) = found
    said = "the plan is in a JSON value: lines are counted in its text"
    return _extract(
        inner, request, find_beside(source, start, end, strings, found), (*wrapped, _unwrap(source, start, end, said))
    )


# ---------------------------------------------------------------- the reading


@frozen
class _Answer:
    """An answer with blocks, and what is asked for."""

    source: Source
    remainder: Remainder
    text: str
    blocks: list[Block]
    request: _Request
    notes: list[Diagnostic]
    beside: tuple[Remark, ...]

    def extract(self) -> Extraction:
        """The reading of the block that counts."""
        request = self.request
        block, held = self._choose()
        cut = self._find_cut(block)
        is_allowed = request.allow_truncated
        scan, found = self._read(block, cut if is_allowed else None)
        around = [(0, block.around_start), (block.around_end, self.source.length)]
        remarks = (*self.beside, *find_remarks(self.source, self.text, around))
        checked = refuse_excess(scan, request.limits)
        if checked is not scan:
            return _refuse(checked, request, remarks)
        plan, held = scan.plan, [*held, *found]
        plan.goal = plan.goal or request.goal
        told = [*self.notes, *self._find_strays(block, plan), *self._judge(remarks, plan)]
        if cut is not None:
            told.append(name_cut(self.source, cut, is_allowed=is_allowed))
        broken = self._find_broken(plan, is_held=bool(held))
        holds = in_order([*held, *locate(broken, scan.positions), *find_holds(told, request.max_risk)])
        bounds = scan.positions.bounds
        return Extraction(
            plan,
            reach_verdict(holds, is_there=bool(plan.steps)),
            tuple(holds),
            remarks,
            self.source.span(*bounds) if bounds else None,
            request.max_risk,
            truncated=cut is not None,
            notes=tuple(one for one in told if not find_holds([one], request.max_risk)),
            scan=scan,
        )

    # ------------------------------------------------------------ which block

    def _choose(self) -> tuple[Block, list[Diagnostic]]:
        """The block that counts, and what is to be said of the others."""
        blocks, choice = self.blocks, self.request.choose
        if isinstance(choice, str):
            return blocks[0 if choice == "first" else -1], []
        if choice is not None:
            if 1 <= choice <= len(blocks):
                return blocks[choice - 1], []
            missing = f"there is no plan number {choice}: the answer has {count_of(len(blocks), 'plan')}"
            return blocks[-1], [Diagnostic("PS130", missing, span=self.source.span(0, 0), source=self.source)]
        plans = [self._read(block)[0].plan for block in blocks] if len(blocks) > 1 else []
        if all(plan == plans[0] for plan in plans):
            return blocks[0], []
        # Of those that differ, the last one that steps can be read in is shown.
        last = next((block for block, plan in reversed([*zip(blocks, plans, strict=True)]) if plan.steps), blocks[-1])
        return last, [self._name_rival(number, block) for number, block in enumerate(blocks, 1)]

    def _name_rival(self, number: int, block: Block) -> Diagnostic:
        span = self.source.span(block.start, max(block.start, block.end - 1))
        message = f"plan {number} of {len(self.blocks)}, lines {span.line} to {span.end_line}: only one can count"
        help = "answer with one plan, or choose one"
        return Diagnostic("PS130", message, span=evolve(span, end_line=span.line), help=help, source=self.source)

    # ------------------------------------------------------------ reading

    def _read(self, block: Block, cut: int | None = None) -> tuple[ScanResult, list[Diagnostic]]:
        """The plan of a block, up to where it is cut, and what of its lines holds it."""
        text, request, start = block.text, self.request, block.start
        end = block.end if cut is None else cut
        body = text[start:end]
        # Only the first sign of an answer is a byte-order mark.
        is_plain = not (request.default_type or request.signs or request.below or (start and body[:1] == "\ufeff"))
        plan = fast_reader.read(body) if is_plain else None
        types = {step.step_type for step in iter_steps(plan)} if plan else set()
        is_form = bool(types) and types <= STEP_TYPES.keys()
        if plan and is_form and not is_suspect(f"\n{body}"):
            return self._as_written(plan, text, start, end), []
        reader = Reader(
            self.source,
            is_strict=False,
            default_type=request.default_type,
            signs=request.signs,
            base=_indent_of(self.source.text, text, start),
        )
        reader.run(text, start, end)
        if request.below:
            reader.move_below(request.below)
        reader.plan.steps = grow(list(reader.steps.values()))
        if plan and is_form and not reader.is_clear(Risk.HIGH):
            # What the form takes as it is, is read so where the dialect has more to say and is not sure of it.
            return self._as_written(plan, text, start, end), []
        scan = ScanResult(reader.plan, lambda: in_order(reader.findings), reader.positions, self.source)
        return scan, [] if reader.is_clear(request.max_risk) else find_holds(scan.diagnostics, request.max_risk)

    def _as_written(self, plan: PlanSpec, text: str, start: int, end: int) -> ScanResult:
        """The reading of a plan that the form takes as it is."""
        return ScanResult(plan, [], Positions(self.source, text, (start, end)), self.source)

    def _find_cut(self, block: Block) -> int | None:
        """Where the last line of the plan starts, if it may be a part of one only.

        Where what comes behind the plan was cut off, what changes it may be lost with that.
        """
        body = block.text[block.start : block.end]
        is_open = block.is_open or any(not one.is_closed and one.start <= block.start for one in self.remainder.blocks)
        is_cut = is_open or has_open_end(body) or is_cut_short(self.request.finish_reason)
        return block.start + start_of_last_line(body) if is_cut else None

    # ------------------------------------------------------------ rules 3 to 6

    def _find_broken(self, plan: PlanSpec, *, is_held: bool) -> Iterator[Diagnostic]:
        """What the plan lacks, without its places."""
        below = self.request.below
        # Why no step could be read is told where it stands; a part of a plan needs no goal.
        known = {"PS201": is_held, "PS205": bool(below)}
        yield from (one for one in check_rules(plan) if one.severity is Severity.ERROR and not known.get(one.code))
        yield from _find_gaps(plan, below)
        yield from _find_placeholders(plan) if _has_placeholder(plan) else ()

    def _find_strays(self, block: Block, plan: PlanSpec) -> Iterator[Diagnostic]:
        """Steps and parts outside of all blocks. A part holds the plan if it lacks that, or else is only named."""
        has = {"title": True, "goal": plan.goal, "constraints": plan.constraints, "steps": plan.steps}
        help = "write all parts of the plan in one block"
        at = 0
        bounds = sorted({(one.around_start, one.around_end) for one in (block, *self.blocks)})
        for start, end in [*bounds, (len(self.text), 0)]:
            for first, last, reading in find_strays(self.text, at, start):
                severity = Severity.INFO if has.get(reading.kind) else Severity.ERROR
                message = f"{_NAMES[reading.kind]} stands outside the plan"
                span = self.source.span(first, last)
                yield Diagnostic("PS131", message, severity, span, help=help, source=self.source)
            at = end

    def _judge(self, remarks: tuple[Remark, ...], plan: PlanSpec) -> Iterator[Diagnostic]:
        """What the caller makes of the text around the plan, and where commands stand in it."""
        policy = self.request.remarks
        if policy == "review":
            for one in remarks:
                yield Diagnostic("PS132", "this text stands outside the plan", span=one.span, source=self.source)
        elif callable(policy) and remarks and not policy(remarks, plan):
            message = "the text outside the plan was not accepted"
            yield Diagnostic("PS132", message, span=remarks[0].span, source=self.source)
        for one in remarks:
            at = one.text.find("PLAN_CMD:")
            if at >= 0:
                start = one.span.start + at
                yield _note(self.source, start, start + 9, "commands stand outside the plan: they are not applied")


def _indent_of(written: str, text: str, start: int) -> int:
    """How far the first line of a block is indented that is not blank."""
    bare = text[start:].lstrip(f"{BLANKS}{WIDE}\r\n\ufeff")
    return indent_of(written, len(text) - len(bare))


def _find_gaps(plan: PlanSpec, below: str) -> Iterator[Diagnostic]:
    """Ids that do not count up from 1 in the order of the text, each level by itself."""
    last: Counter[str] = Counter()
    # What stands above a part of a plan is known to the caller.
    known = {""}
    for step in iter_steps(plan):
        parent, _, number = step.step_id.rpartition(".")
        known.add(step.step_id)
        if not below and parent not in known:
            help = f"add a step {parent} above it, or change its id"
            message = f"step {step.step_id} stands below step {parent}, which is missing"
            yield Diagnostic("PS301", message, Severity.ERROR, help=help, step_id=step.step_id, part="step_id")
            known.add(parent)
        last[parent] += 1
        if int(number) != last[parent] and not (below and parent in (below, "")):
            wanted = f"{parent}.{last[parent]}".lstrip(".")
            help = "count steps from 1, each level, and leave none out"
            message = f"step {step.step_id} stands where step {wanted} is expected"
            yield Diagnostic("PS302", message, Severity.ERROR, help=help, step_id=step.step_id, part="step_id")
        last[parent] = int(number)


@cache
def _placeholder() -> re.Pattern[str]:
    """What matches a text that stands for what was left out, as a whole or behind its last arrow."""
    around = re.escape(f"{BLANKS}{WIDE}-*•")
    said = grammars.expression(DIALECT.language, "ELISION")
    return re.compile(rf"(?:^←?|→)[{around}]*+(?P<ELIDED>{said})[{around}]*+$", re.MULTILINE)


def _has_placeholder(plan: PlanSpec) -> bool:
    """Whether any field may be one: all are looked at together, which is much faster."""
    texts = [plan.title, plan.goal, *plan.goal_detail, *plan.constraints]
    for step in iter_steps(plan):
        texts += (step.description, step.result, *step.outputs, *step.inputs, *step.detail)
    return _placeholder().search("\n".join(texts)) is not None


def _find_placeholders(plan: PlanSpec) -> Iterator[Diagnostic]:
    """Fields that stand for what was left out."""
    owners = [("", plan, _PLAN_TEXTS), *((step.step_id, step, _STEP_TEXTS) for step in iter_steps(plan))]
    for step_id, owner, names in owners:
        for name in names:
            said = getattr(owner, name)
            # What stands behind an arrow without being a list of variables is text to the form.
            find = _placeholder().search if name == "description" else _placeholder().match
            for item, text in [(None, said)] if isinstance(said, str) else enumerate(said):
                if match := find(text):
                    message = f"`{match['ELIDED'][:60]}` stands for something that was left out"
                    help = "write what is meant"
                    yield Diagnostic("PS127", message, help=help, step_id=step_id, part=name, item=item)


# ---------------------------------------------------------------- without a verdict


def scan_plan(
    text: str, *, default_type: str = "", name: str = "<text>", limits: Limits = DEFAULT_LIMITS
) -> ScanResult:
    """Read as much of a plan as a text has, such as a language model's answer. Never raises on any text.

    It reads the block that :func:`extract_plan` reads, by the same rules, and gives no verdict. A text that
    :func:`planspec_lark.parse_plan` accepts is a plan whatever it lacks.

    Args:
        default_type, name: as for :func:`extract_plan`.
        limits: how much to read; of a larger text nothing is read, and a finding says so.
    """
    check_is_text(text)
    found = _extract(text, _Request(default_type=default_type, name=name, limits=limits))
    if any(one.code in OVER_LIMIT for one in found.holds):
        return found.scan
    written = Source(text, name)
    if not found.plan.steps or found.scan.diagnostics:
        remainder = leave_out_reasoning(text)
        plan = fast_reader.read(remainder.text)
        # What the dialect takes for steps may be constraints of a plan that has none yet.
        if plan is not None and not (plan.steps and found.plan.steps):
            positions = Positions(written, remainder.text, (0, len(text)))
            return ScanResult(plan, remainder.diagnose(written), positions, written)
    listed = Findings(limits.max_findings)
    left = (_leave_out(one, found.source, written) for one in found.remarks)
    listed.extend(in_order([*found.scan.diagnostics, *left, *found.notes]))
    return evolve(found.scan, diagnostics=listed.close())


def _leave_out(remark: Remark, source: Source, written: Source) -> Diagnostic:
    """What is said of text that is not read; beside a plan in a JSON value, its place is in the text around that."""
    start, end = remark.span.start, remark.span.end
    home = source if source.text[start:end] == remark.text else written
    return _note(home, start, end, "left out: not part of the plan")
