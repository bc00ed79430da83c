"""An answer → the plan in it, a verdict, what was repaired, and all the text around it.

The seven rules by which an answer is read stand in ``docs/reference/answers.md``. Structure is read here; prose is
handed over: whatever stands outside the plan is a remark, verbatim, and never judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.answers.block import Block, find_blocks, find_strays
from planspec_lark.answers.truncation import has_open_end, is_cut_short, name_cut, start_of_last_line
from planspec_lark.answers.verdict import Verdict, find_holds, reach_verdict
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.check import check_scan, locate
from planspec_lark.planspec.dialect import DIALECT, NO_SIGNS, WIDE, Numbering, is_elision, is_suspect
from planspec_lark.planspec.interchange import PlanValueError, plan_from_dict, plan_to_dict
from planspec_lark.planspec.models import STEP_TYPES, PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.positions import Positions
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.recovery import Reader, ScanResult, indent_of, read_nothing, refuse_excess
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.codes import Risk, highest
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, count_of, in_order
from planspec_lark.syntax.envelopes import find_json, iter_strings, set_aside, undo_escapes
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

_PARTS = {"goal": "goal", "constraints": "constraints", "steps": "steps_header"}
_NAMES = {"goal": "a goal", "constraints": "a list of constraints", "steps": "a header of steps", "step": "a step"}
# How long a word is at most that stands for others, and how a text begins that is in signs as a whole.
_SHORT, _SIGNS = 32, "[<［【(（*_`\"'-•"
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
        plan: the plan; empty where there is none.
        verdict: whether it is safe to act on.
        holds: what keeps it from being accepted, in the order of the answer; the first decides.
        remarks: all text outside the plan.
        span: from the plan's first character to its last; None where there is none.
        max_risk: the highest risk that is allowed.
        truncated: whether the answer was cut off.
        notes: what else is to be known, as infos: what was set aside, where commands stand.
        scan: what the reader has made of the lines of the plan.
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
        """The plan's canonical text, as the plan is when it is first asked for."""
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
        """What was read by its canonical text, or left out, in the order of the answer."""
        told = self.scan.diagnostics
        return tuple(
            _repair(one, self.source) for one in told if one.risk is not None and one.severity is not Severity.ERROR
        )

    @cached_property
    def findings(self) -> list[Diagnostic]:
        """What holds the plan, what is to be known, and what :func:`planspec_lark.check_text` finds in it."""
        checked = check_scan(evolve(self.scan, diagnostics=[]), NO_LIMITS) if self.plan.steps else []
        told = {(one.code, one.step_id) for one in self.holds}
        rest = [one for one in checked if (one.code, one.step_id) not in told]
        return in_order([*self.holds, *self.notes, *rest])

    @property
    def deciding(self) -> Diagnostic | None:
        """The finding that decides; None where the plan is accepted."""
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
        """All of it as a JSON value. It has no plan where that is not accepted."""
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

    max_risk: Risk = Risk.MEDIUM
    remarks: Remarks = "show"
    choose: str | int | None = None
    goal: str = ""
    default_type: str = ""
    signs: Mapping[str, PlanStatus] = NO_SIGNS
    below: str = ""
    finish_reason: str = ""
    allow_truncated: bool = False
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

    Args:
        answer: any text.
        remarks: what the text around the plan does: "show" returns it; with "review" any of it holds the plan; a
            function of the remarks and the plan says whether the plan is accepted with them.
        choose: which of several plans to take, by their order in the answer: "first", "last" or a number from 1.
        goal: the goal of a plan that has none.
        default_type: the type of steps that have none.
        signs: what signs mean that are in no table, such as ``{"⏳": "active"}``.
        below: the id of the step that all steps stand below, as in a new plan for a part: no goal is asked for, and ids
            are those of the whole plan or count from 1.
        finish_reason: why the model stopped, as its interface says; a limit such as "length", a filter or "incomplete"
            means that the answer is cut off.
        allow_truncated: whether a plan that is cut off will do. Its last line is not taken in any case.
        max_risk: the highest risk that is allowed. A repair above that holds the plan.
        name: what diagnostics call the text.
        limits: how much to read.

    Raises:
        ValueError: an argument is none of the values above.
    """
    check_is_text(answer)
    request = _Request(
        Risk(max_risk),
        remarks,
        choose,
        goal,
        default_type,
        {sign: PlanStatus(status) for sign, status in (signs or {}).items()},
        below,
        finish_reason,
        allow_truncated,
        name,
        limits,
    )
    return _extract(answer, request)


def _extract(answer: str, request: _Request, beside: tuple[Remark, ...] = ()) -> Extraction:
    """The reading of an answer; ``beside`` is what stood around it in a JSON value."""
    if excess := find_excess(answer, request.name, request.limits):
        return _refuse(read_nothing([excess]), [excess], request, ())
    source = Source(answer, request.name)
    if (plain := undo_escapes(answer, DIALECT.language)) is not None:
        found = _extract(plain[0], request, beside)
        note = _note(
            source, plain[1], plain[2], "escapes of Markdown or HTML were undone: lines are shown without them"
        )
        return evolve(found, notes=(note, *found.notes))
    remainder = leave_out_reasoning(answer)
    bare = set_aside(remainder.text)
    # Where a tag is missing, what it ends or begins with may be meant otherwise.
    notes = [
        evolve(one, risk=Risk.MEDIUM) if one.severity is Severity.WARNING else one for one in remainder.diagnose(source)
    ]
    if bare != remainder.text:
        at = next(at for at, (one, other) in enumerate(zip(bare, remainder.text, strict=True)) if one != other)
        notes.append(_note(source, at, at + 1, "signs of a chat format were set aside"))
    text = end_last_line(bare)
    blocks = find_blocks(text, request.default_type, answer)
    if not blocks:
        return _extract_json(answer, request) or _find_nothing(source, text, notes, request)
    return _Answer(source, remainder, text, blocks, request, notes, beside).extract()


def _note(source: Source, start: int, end: int, message: str, code: str = "PS101") -> Diagnostic:
    return Diagnostic(code, message, Severity.INFO, source.span(start, end), source=source)


def _refuse(
    result: ScanResult, holds: Sequence[Diagnostic], request: _Request, remarks: tuple[Remark, ...]
) -> Extraction:
    return Extraction(
        PlanSpec(), Verdict.REFUSED, tuple(holds), remarks, None, request.max_risk, truncated=False, scan=result
    )


def _find_nothing(source: Source, text: str, notes: Sequence[Diagnostic], request: _Request) -> Extraction:
    """The reading of an answer without a plan."""
    end = len(source.text)
    help = f"{_WRITE}; {_OTHER}" if text.strip() else _WRITE
    missing = Diagnostic(
        "PS201",
        "the text has no plan: no step with a type can be read",
        Severity.ERROR,
        source.span(0, 0),
        help=help,
        source=source,
    )
    remarks = tuple(find_remarks(source, text, [(0, end)]))
    result = ScanResult(PlanSpec(), [], Positions(source, text), source)
    found = _refuse(result, [missing], request, remarks)
    return evolve(found, notes=tuple(notes), truncated=bool(text.strip()) and is_cut_short(request.finish_reason))


# ---------------------------------------------------------------- JSON


def _extract_json(answer: str, request: _Request) -> Extraction | None:
    """The reading of an answer that is one JSON value, or has one as its only code block; None where it has none."""
    try:
        value, start, end = find_json(answer)
    except ValueError:
        return None
    source = Source(answer, request.name)
    beside = tuple(find_remarks(source, answer, [(0, start), (end, len(answer))]))
    try:
        plan = plan_from_dict(value) if isinstance(value, dict) else PlanSpec()
    except PlanValueError:
        plan = PlanSpec()
    if plan.steps:
        return _extract(serialize_plan(plan), request, beside)
    strings = list(iter_strings(value))
    found = {one for one in strings if find_blocks(end_last_line(one))}
    if len(found) == 1:
        (inner,) = found
        span = source.span(start, end)
        rest = [Remark(one, span) for one in strings if one.strip() and one != inner]
        note = _note(source, start, end, "the plan is in a string of a JSON value: lines are counted in that string")
        told = _extract(inner, request, (*beside, *rest))
        return evolve(told, notes=(note, *told.notes))
    message = (
        f"the answer is a JSON value with {count_of(len(found), 'plan')} in it"
        if found
        else "the answer is a JSON value that holds no plan"
    )
    help = "answer with the plan itself, not with JSON"
    missing = Diagnostic("PS201", message, Severity.ERROR, source.span(0, 0), help=help, source=source)
    remarks = tuple(find_remarks(source, answer, [(0, len(answer))]))
    return _refuse(ScanResult(PlanSpec(), [], Positions(source, answer), source), [missing], request, remarks)


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
    beside: tuple[Remark, ...] = ()

    def extract(self) -> Extraction:
        """The reading of the block that counts."""
        block, rivals = self._choose()
        cut = self._find_cut(block)
        end = len(block.text) if cut is None or not self.request.allow_truncated else cut
        result, is_clear = self._read(block, end)
        excess = refuse_excess(result, self.request.limits)
        if excess is not result:
            return _refuse(excess, excess.diagnostics, self.request, self._find_remarks(block))
        if self.request.goal and not result.plan.goal:
            result.plan.goal = self.request.goal
        found = [] if is_clear else find_holds(result.diagnostics, self.request.max_risk)
        return self._judge(block, result, [*found, *rivals], cut)

    def _judge(self, block: Block, result: ScanResult, holds: list[Diagnostic], cut: int | None) -> Extraction:
        """The reading of a plan, held by what was found so far and by rules 3 to 6."""
        plan, request, remarks = result.plan, self.request, self._find_remarks(block)
        holds += find_holds(self.notes, request.max_risk)
        broken = [one for one in check_rules(plan) if one.severity is Severity.ERROR]
        if holds and not plan.steps:
            # Why no step could be read is told where it stands.
            broken = [one for one in broken if one.code != "PS201"]
        broken += _find_gaps(plan, request.below)
        broken += _find_placeholders(plan)
        if request.below:
            broken = [one for one in broken if one.code != "PS205"]
        holds += locate(broken, result.positions)
        if cut is not None and not request.allow_truncated:
            holds.append(name_cut(self.source, cut))
        others = [one for one in self.blocks if one is not block]
        holds += _find_strays(self.source, self.text, block, others, result)
        holds += self._judge_remarks(remarks, plan)
        verdict = reach_verdict(holds, is_there=bool(plan.steps))
        if not plan.steps and not holds:
            missing = "the text has no plan: no step can be read"
            holds.append(Diagnostic("PS201", missing, Severity.ERROR, self.source.span(0, 0), source=self.source))
        notes = (*self.notes, *self._commands(remarks))
        if cut is not None and request.allow_truncated:
            notes = (*notes, name_cut(self.source, cut, is_allowed=True))
        bounds = result.positions.bounds
        span = self.source.span(*bounds) if bounds else None
        return Extraction(
            plan,
            verdict,
            tuple(in_order(holds)),
            remarks,
            span,
            request.max_risk,
            truncated=cut is not None,
            notes=notes,
            scan=result,
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
        plans = [self._read(block, len(block.text))[0].plan for block in blocks] if len(blocks) > 1 else []
        if all(plan == plans[0] for plan in plans):
            return blocks[0], []
        return blocks[-1], [self._rival(number, block) for number, block in enumerate(blocks, 1)]

    def _rival(self, number: int, block: Block) -> Diagnostic:
        span = self.source.span(block.start, max(block.start, block.end - 1))
        message = f"plan {number} of {len(self.blocks)}, lines {span.line} to {span.end_line}: only one can count"
        help = "answer with one plan, or choose one"
        return Diagnostic(
            "PS130", message, Severity.ERROR, evolve(span, end_line=span.line), help=help, source=self.source
        )

    # ------------------------------------------------------------ reading

    def _read(self, block: Block, end: int) -> tuple[ScanResult, bool]:
        """The plan of a block, up to an offset, and whether nothing found in its lines holds it."""
        text, request = block.text, self.request
        end = min(end, block.end)
        body = text[block.start : end]
        is_marked = body.startswith("\ufeff") and block.start > 0
        is_plain = not (is_marked or request.default_type or request.signs or request.below)
        plan = fast_reader.read(body) if is_plain else None
        if plan is not None and (not plan.steps or any(step.step_type not in STEP_TYPES for step in iter_steps(plan))):
            plan = None
        if plan is not None and not is_suspect(f"\n{body}"):
            return self._as_written(plan, text, block.start, end), True
        reader = Reader(
            self.source,
            is_strict=False,
            default_type=request.default_type,
            signs=request.signs,
            numbering=Numbering(),
            base=_indent_of(self.source.text, text, block.start),
        )
        reader.run(text, block.start, end)
        if request.below:
            reader.move_below(request.below)
        reader.plan.steps = grow(list(reader.steps.values()))
        is_clear = reader.is_clear(request.max_risk)
        if plan is not None and not reader.is_clear(Risk.HIGH):
            # What the form takes as it is, is read so where the dialect has more to say and is not sure of it.
            return self._as_written(plan, text, block.start, end), True
        scan = ScanResult(reader.plan, lambda: in_order(reader.findings), reader.positions, self.source)
        return scan, is_clear

    def _as_written(self, plan: PlanSpec, text: str, start: int, end: int) -> ScanResult:
        """The reading of a plan that the form takes as it is."""
        return ScanResult(plan, [], Positions(self.source, text, (start, end)), self.source)

    def _find_cut(self, block: Block) -> int | None:
        """Where the last line of the plan starts, if it may be a part of one only."""
        body = block.text[block.start : block.end]
        is_last = not self.text[block.around_end :].strip()
        is_open = block.is_open or any(not one.is_closed and one.start <= block.start for one in self.remainder.blocks)
        is_cut = is_open or has_open_end(body) or (is_last and is_cut_short(self.request.finish_reason))
        if not is_cut and is_cut_short(self.request.finish_reason):
            # What comes behind the plan was cut off, and with it perhaps what changes it.
            is_cut = True
        return block.start + start_of_last_line(body) if is_cut else None

    # ------------------------------------------------------------ around it

    def _find_remarks(self, block: Block) -> tuple[Remark, ...]:
        bounds = [(0, block.around_start), (block.around_end, len(self.source.text))]
        return (*self.beside, *find_remarks(self.source, self.text, bounds))

    def _judge_remarks(self, remarks: tuple[Remark, ...], plan: PlanSpec) -> Iterator[Diagnostic]:
        policy = self.request.remarks
        if not remarks or policy == "show" or (callable(policy) and policy(remarks, plan)):
            return
        message = (
            "this text stands outside the plan" if policy == "review" else "the text outside the plan was not accepted"
        )
        for remark in remarks if policy == "review" else remarks[:1]:
            yield Diagnostic("PS132", message, Severity.ERROR, remark.span, source=self.source)

    def _commands(self, remarks: tuple[Remark, ...]) -> Iterator[Diagnostic]:
        for remark in remarks:
            at = remark.text.find("PLAN_CMD:")
            if at >= 0:
                start = remark.span.start + at
                yield _note(self.source, start, start + 9, "commands stand outside the plan: they are not applied")


def _indent_of(written: str, text: str, start: int) -> int:
    """How far the first line of a block is indented that is not blank."""
    bare = text[start:].lstrip(f"{BLANKS}{WIDE}\r\n\ufeff")
    return indent_of(written, len(text) - len(bare))


def _repair(found: Diagnostic, source: Source) -> Repair:
    span = found.fix.span if found.fix else found.span
    was = source.text[span.start : span.end] if span else ""
    became = found.fix.text if found.fix else was
    return Repair(found.code, found.message, was, became, found.risk or Risk.MEDIUM, found)


# ---------------------------------------------------------------- rules 4 and 5


def _find_gaps(plan: PlanSpec, below: str) -> Iterator[Diagnostic]:
    """Ids that do not count up from 1 in the order of the text, each level by itself."""
    last: dict[str, int] = {}
    for step in iter_steps(plan):
        parent, _, number = step.step_id.rpartition(".")
        expected = last.get(parent, 0) + 1
        is_open = below and (parent == below or not parent)
        if int(number) != expected and not is_open:
            wanted = f"{parent}.{expected}".lstrip(".")
            help = "count steps from 1, each level, and leave none out"
            message = f"step {step.step_id} stands where step {wanted} is expected"
            yield Diagnostic("PS302", message, Severity.ERROR, help=help, step_id=step.step_id, part="step_id")
        last[parent] = int(number)


def _find_placeholders(plan: PlanSpec) -> Iterator[Diagnostic]:
    """Fields that stand for others that were left out."""
    fields: list[tuple[str, str, int | None, str]] = [
        ("", "title", None, plan.title),
        ("", "goal", None, plan.goal),
        *(("", "goal_detail", at, text) for at, text in enumerate(plan.goal_detail)),
        *(("", "constraints", at, text) for at, text in enumerate(plan.constraints)),
    ]
    for step in iter_steps(plan):
        # What stands behind an arrow without being a list of variables is text to the form.
        _, arrow, behind = step.description.rpartition("→")
        said = (
            ("description", step.description),
            ("description", behind.strip() if arrow else ""),
            ("result", step.result),
        )
        fields += ((step.step_id, part, None, text) for part, text in said)
        lists = (("outputs", step.outputs), ("inputs", step.inputs), ("detail", step.detail))
        fields += ((step.step_id, part, at, text) for part, texts in lists for at, text in enumerate(texts))
    for step_id, part, item, text in fields:
        # Words that stand for others are short; what is in signs as a whole may be long.
        if (len(text) < _SHORT or text[0] in _SIGNS) and text and is_elision(text.strip(f"{BLANKS}-*•")):
            message = f"`{text[:60]}` stands for something that was left out"
            help = "write what is meant"
            yield Diagnostic("PS127", message, Severity.ERROR, help=help, step_id=step_id, part=part, item=item)


def _find_strays(
    source: Source, text: str, block: Block, others: Sequence[Block], result: ScanResult
) -> Iterator[Diagnostic]:
    """Steps, and parts that the plan lacks, outside of it. Those of other plans are told of with these."""
    taken = sorted((one.around_start, one.around_end) for one in (block, *others))
    at = 0
    seen = _parts_of(result)
    for start, end in [*taken, (len(text), len(text))]:
        for first, last, reading in find_strays(text, at, start):
            if reading.kind == "step" or reading.kind not in seen:
                span = source.span(first, last)
                message = f"{_NAMES[reading.kind]} stands outside the plan"
                help = "write all parts of the plan in one block"
                yield Diagnostic("PS131", message, Severity.ERROR, span, help=help, source=source)
        at = max(at, end)


def _parts_of(result: ScanResult) -> set[str]:
    """The parts that a plan has."""
    plan = result.plan
    has = {"goal": bool(plan.goal), "constraints": bool(plan.constraints), "steps": bool(plan.steps)}
    return {name for name, is_there in has.items() if is_there}


# ---------------------------------------------------------------- without a verdict


def scan_plan(
    text: str, *, default_type: str = "", name: str = "<text>", limits: Limits = DEFAULT_LIMITS
) -> ScanResult:
    """Read the plan in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    It reads the block that :func:`extract_plan` reads, by the same rules, and gives no verdict. A text that
    :func:`planspec_lark.parse_plan` accepts as a whole is a plan whatever it lacks.

    Args:
        text: any text.
        default_type: the type of steps that have none.
        name: what diagnostics call it.
        limits: how much to read; of what is more, nothing is, and a diagnostic says so.
    """
    check_is_text(text)
    found = _extract(text, _Request(default_type=default_type, name=name, limits=limits, max_risk=Risk.HIGH))
    if not found.plan.steps and not any(one.code in OVER_LIMIT for one in found.holds):
        remainder = leave_out_reasoning(text)
        plan = fast_reader.read(remainder.text)
        if plan is not None:
            source = Source(text, name)
            positions = Positions(source, remainder.text, (0, len(text)))
            return ScanResult(plan, remainder.diagnose(source), positions, source)
    written = Source(text, name)
    left = [_leave_out(one, found.source, written) for one in found.remarks]
    listed, told = Findings(limits.max_findings), in_order([*found.scan.diagnostics, *left, *found.notes])
    if not told and not found.plan.steps:
        told = list(found.holds)
    listed.extend(one for one in told if one.code not in OVER_LIMIT)
    closed = listed.close()
    # That nothing was read is told whatever else is.
    note = [one for one in closed[-1:] if one.code == "PS120"]
    excess = [one for one in told if one.code in OVER_LIMIT]
    return evolve(found.scan, diagnostics=[*in_order([*closed[: len(closed) - len(note)], *excess]), *note])


def _leave_out(remark: Remark, source: Source, written: Source) -> Diagnostic:
    """What is said of text that is not read; beside a plan in a JSON value, its place is in the text around that."""
    start, end = remark.span.start, remark.span.end
    home = source if source.text[start:end] == remark.text else written
    return _note(home, start, end, "left out: not part of the plan")
