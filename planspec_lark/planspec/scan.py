"""Any text → the plan in it: every plan is read, and one of them chosen. What is left of the text is named."""

from __future__ import annotations

import re
from typing import Any

from attrs import frozen

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.answer_lines import is_flow, may_elide, read_state_line
from planspec_lark.planspec.answer_reader import AnswerReader, is_plain_plan
from planspec_lark.planspec.legend import LEGEND_LABEL, find_legend
from planspec_lark.planspec.line_faults import FIRST_WORD, is_sentence
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.near_misses import compiled, read_title
from planspec_lark.planspec.outline import find_outline
from planspec_lark.planspec.plan_choice import choose_plan
from planspec_lark.planspec.positions import Positions, iter_rows
from planspec_lark.planspec.recovery import WHITE, ScanResult, read_nothing, refuse_excess, say_left_out
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import Remainder, leave_out_reasoning
from planspec_lark.syntax.source import Source, end_last_line

__all__ = ["scan_parts", "scan_plan"]

# Characters before a plan that may say what it is.
_LEAD = 400


def scan_plan(
    text: str, *, default_type: str = "", name: str = "<text>", limits: Limits = DEFAULT_LIMITS
) -> ScanResult:
    """Read the plan in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    A text that :func:`planspec_lark.parse_plan` accepts gives the same plan and no diagnostics, but for what the
    grammar has to take for text and a reader of answers takes for what it looks like: lists after foreign arrows or
    with other commas, pairs of marks around whole texts, and words that stand for types and statuses. What is in a
    reasoning block (see :mod:`planspec_lark.syntax.reasoning`) is none.

    Of several plans, the last one counts that is announced as final; otherwise the last of those with goal and steps
    that break none of the rules; otherwise the last with steps. One that is announced as a draft or a sample counts
    only among others of its kind. Two that are both called final exclude each other.

    Args:
        text: any text.
        default_type: the type of steps that have none; with it, a plan in plain Markdown is one, too.
        name: what diagnostics call it.
        limits: how much to read; of what is more, nothing is, and a diagnostic says so.
    """
    return scan_parts(text, default_type=default_type, name=name, limits=limits)[0]


def scan_parts(
    text: str, *, default_type: str = "", name: str = "<text>", limits: Limits = DEFAULT_LIMITS
) -> tuple[ScanResult, int]:
    """What :func:`scan_plan` gives, and which of the plans of the text it is, from 0."""
    if excess := find_excess(text, name, limits):
        return read_nothing([excess]), 0
    source, remainder = Source(text, name), leave_out_reasoning(text)
    number = 0
    result = _scan_clean(source, remainder, limits, default_type)
    if result is None:
        result, number = _scan(source, remainder, limits, default_type)
    return refuse_excess(result, limits), number


# Sentences, and the line of a fence, each with the blank lines above it. In a sentence with a `<`, a tag may be.
_WHITE = r"(?:[ \t]|\r?\n)*+"
_PROSE = rf"(?:{_WHITE}(?!{LEGEND_LABEL}){FIRST_WORD}[^\x00-\x08\x0a-\x1f\x7f\ud800-\udfff<]*+\r?\n)*+"
_FENCE = rf"{_WHITE}(?:`{{3,}}+|~{{3,}}+)[A-Za-z]*+[ \t]*+\r?\n"
# What most answers are: sentences, a plan, and sentences. The plan is in a code block, or ends with a blank line.
_CLEAN = (
    rf"(?P<lead>{_PROSE})(?P<opening>{_FENCE})?+"
    rf"(?P<plan>(?:(?![ \t]*+(?:```|~~~|{LEGEND_LABEL}|{FIRST_WORD}))[^\n]*+\n)*+)"
    rf"(?(opening)(?P<closing>{_FENCE})|(?:(?<=\n\n)|\Z))(?P<tail>{_PROSE}){_WHITE}"
)


def _scan_clean(source: Source, remainder: Remainder, limits: Limits, default_type: str) -> ScanResult | None:
    """The same for a text that is a plan without faults, or has one with nothing but sentences around it."""
    text = end_last_line(remainder.text)
    match = compiled(_CLEAN).fullmatch(text)
    plan = fast_reader.read(match["plan"]) if match else None
    if match is None or plan is None or not is_plain_plan(plan, match["plan"]):
        return None
    is_answer = match["plan"] != text
    if is_answer and (default_type or not plan.steps or match["plan"].startswith("\ufeff") or may_elide(text)):
        return None
    if is_answer and (read_title(f"# {plan.title}") or (not match["opening"] and _may_continue(match["tail"]))):
        return None
    found = Findings(limits.max_findings)
    for group, code in (("lead", "PS101"), ("opening", "PS103"), ("closing", "PS103"), ("tail", "PS101")):
        found.extend(_leave_out(source, text, *match.span(group), code))
    found.extend(remainder.diagnose(source))
    start, end = match.span("plan")
    return ScanResult(plan, found.close(), Positions(source, text, unread=start, end=end), source)


def _may_continue(tail: str) -> bool:
    """Whether lines after a plan may be those of its last step."""
    rows = (row.strip(WHITE) for row in tail.split("\n"))
    return any(is_flow(row) or read_state_line(row) for row in rows)


@frozen
class _Part:
    """A plan of a text, or what is read as one: its reader, what was found in it, and its bounds."""

    reader: AnswerReader
    found: Findings
    start: int
    end: int


def _scan(source: Source, remainder: Remainder, limits: Limits, default_type: str) -> tuple[ScanResult, int]:
    """The same for any text, and which of its plans it is."""
    text = end_last_line(remainder.text)
    parts = _read_parts(source, text, limits, default_type)
    chosen, rivals = choose_plan([(_lead(text, parts, at), part.reader.grow_plan()) for at, part in enumerate(parts)])
    best = parts[chosen].reader
    listed = Findings(limits.max_findings)
    for number, part in enumerate(parts):
        if number == chosen:
            listed.extend(part.found)
            listed.extend(best.phases.find_doubts(best.steps, best.positions, is_plain=best.is_plain))
        elif number == len(parts) - 1 == chosen + 1 and _is_late_title(part.reader, text, best.plan):
            best.plan.title = part.reader.plan.title
            listed.extend(_name_title(source, text, part.start))
            listed.extend(part.found)
        elif number in rivals or (not part.reader.steps and _says_more(part.reader.plan, best.plan)):
            listed.extend(_name_rival(source, text, part.start, part.end))
        else:
            listed.extend(_leave_out(source, text, part.start, part.end, "PS105" if part.reader.steps else "PS101"))
    listed.extend(_leave_out(source, text, parts[-1].end, len(text)))
    listed.extend(remainder.diagnose(source))
    return ScanResult(best.grow_plan(), listed.close(), best.positions, source), chosen


def _read_parts(source: Source, text: str, limits: Limits, default_type: str) -> list[_Part]:
    """All plans of a text, in their order; what is only sentences behind one is none."""
    roles = find_outline(text) if default_type else None
    policy: dict[str, Any] = {"legend": find_legend(text), "default_type": default_type}
    policy |= {"roles": roles or {}, "is_plain": roles is not None}
    parts: list[_Part] = []
    at = 0
    while not parts or (at < len(text) and (default_type or not _is_prose(text, at))):
        reader, found = AnswerReader(source, **policy), Findings(limits.max_findings)
        end = reader.run(text, at, found)
        if reader.is_misled:
            reader, found = AnswerReader(source, has_comments=True, **policy), Findings(limits.max_findings)
            end = reader.run(text, at, found)
        parts.append(_Part(reader, found, at, end))
        at = end
    return parts


def _is_prose(text: str, at: int) -> bool:
    """Whether all lines from an offset on are sentences, so that no plan is in them."""
    rows = (row.strip(WHITE) for row, _ in iter_rows(text, at))
    return all(is_sentence(row) for row in rows if row)


def _lead(text: str, parts: list[_Part], at: int) -> str:
    """The text before a plan, which may say what it is."""
    part = parts[at]
    bounds, before = part.reader.positions.bounds, parts[at - 1].reader.positions.bounds if at else None
    first, end = bounds[0] if bounds else part.start, before[1] if before else 0
    return f"{text[max(first - _LEAD, end) : first]}\n{part.reader.plan.title}"


def _says_more(plan: PlanSpec, other: PlanSpec) -> bool:
    """Whether what is not a plan has a goal or constraints that the plan does not have."""
    return bool(plan.goal and plan.goal != other.goal) or bool({*plan.constraints} - {*other.constraints})


def _is_late_title(reader: AnswerReader, text: str, plan: PlanSpec) -> bool:
    """Whether all that was read after a plan is the title that it lacks; any other heading may be one of prose."""
    read, start = reader.plan, reader.positions.first_start
    is_alone = bool(read.title) and not (read.steps or read.goal or read.constraints)
    return is_alone and not plan.title and start is not None and _TITLE.match(text, start) is not None


_TITLE = re.compile(r"#[ \t]+Plan:[^\n\r]*")


def _name_title(source: Source, text: str, start: int) -> list[Diagnostic]:
    match = _TITLE.search(text, start)
    assert match
    message, help = "the title is out of order", "the order is: title, goal, constraints, steps"
    return [Diagnostic("PS106", message, Severity.WARNING, source.span(*match.span()), source=source, help=help)]


def _name_rival(source: Source, text: str, start: int, end: int) -> list[Diagnostic]:
    end = start + len(text[start:end].rstrip(WHITE))
    message = "left out: another plan, and nothing says which one counts"
    help = "keep one, or say before it that it is the final one"
    return [Diagnostic("PS130", message, Severity.WARNING, source.span(start, end), source=source, help=help)]


def _leave_out(source: Source, text: str, start: int, end: int, code: str = "PS101") -> list[Diagnostic]:
    """Name all that is between two offsets as left out."""
    end = start + len(text[start:end].rstrip(WHITE))
    start = end - len(text[start:end].lstrip(WHITE))
    if start >= end:
        return []
    return [Diagnostic(code, say_left_out(code), Severity.INFO, source.span(start, end), source=source)]
