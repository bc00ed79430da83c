"""Any text → the plan in it: every plan is read, and one of them chosen. What is left of the text is named."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.answer_lines import find_legend
from planspec_lark.planspec.answer_reader import AnswerReader, is_plain_plan
from planspec_lark.planspec.choice import choose
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.recovery import WHITE, ScanResult, read_nothing, refuse_excess, scan_later
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import Remainder, leave_out_reasoning
from planspec_lark.syntax.source import Source, end_last_line

__all__ = ["scan_parts", "scan_plan"]

# Characters in front of a plan that may say what it is.
_LEAD = 400


def scan_plan(
    text: str, *, default_type: str = "", name: str = "<text>", limits: Limits = DEFAULT_LIMITS
) -> ScanResult:
    """Read the plan in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    A text that :func:`planspec_lark.parse_plan` accepts gives the same plan and no diagnostics, but for what the
    grammar has to take for text and a reader of answers takes for what it looks like: lists behind foreign arrows or
    with other commas, pairs of marks around whole texts, and words that stand for types and statuses. Which of several
    plans counts is said in :mod:`planspec_lark.planspec.choice`. What stands in a reasoning block (see
    :mod:`planspec_lark.syntax.reasoning`) is none.

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
    plan = fast_reader.read(remainder.text)
    if plan is not None and is_plain_plan(plan, remainder.text):
        found = Findings(limits.max_findings)
        found.extend(remainder.diagnose(source))
        result = scan_later(plan, source, remainder.text, found)
    else:
        result, number = _scan(source, remainder, limits, default_type)
    return refuse_excess(result, limits), number


def _scan(source: Source, remainder: Remainder, limits: Limits, default_type: str) -> tuple[ScanResult, int]:
    text = end_last_line(remainder.text)
    parts: list[tuple[AnswerReader, Findings, int, int]] = []
    at = 0
    legend = find_legend(text)
    policy: dict[str, Any] = {"legend": legend, "default_type": default_type}
    while at < len(text) or not parts:
        reader, found = AnswerReader(source, **policy), Findings(limits.max_findings)
        end = _run(reader, text, at, found)
        if reader.is_misled:
            reader, found = AnswerReader(source, has_comments=True, **policy), Findings(limits.max_findings)
            end = reader.run(text, at, found)
        parts.append((reader, found, at, end))
        at = end
    choice = choose([(_lead(text, parts, at), part[0].grow_plan()) for at, part in enumerate(parts)])
    best = parts[choice.best][0]
    listed = Findings(limits.max_findings)
    for at, (reader, found, start, end) in enumerate(parts):
        if reader is best:
            listed.extend(found)
        elif at == len(parts) - 1 == choice.best + 1 and _is_late_title(reader, text, best.plan):
            best.plan.title = reader.plan.title
            listed.extend(_name_title(source, text, start))
            listed.extend(found)
        elif at in choice.rivals or (not reader.steps and _says_more(reader.plan, best.plan)):
            listed.extend(_name_rival(source, text, start, end))
        else:
            listed.extend(_leave_out(source, text, start, end, is_plan=bool(reader.steps)))
    listed.extend(remainder.diagnose(source))
    return ScanResult(best.grow_plan(), listed.close(), best.places, source), choice.best


_TITLE = re.compile(r"#[ \t]+Plan:[^\n\r]*")
# It starts with the line break in front, which is found far sooner than the start of a line.
_FENCE = re.compile(r"\n[ \t]*+(?:`{3,}|~{3,})[^\n]*")


def _run(reader: AnswerReader, text: str, at: int, found: Findings) -> int:
    """Read the lines from an offset on; returns where the plan ends. A clean code block is read at once.

    What is said of signs and of lines without a type is for lines that are not clean, and may be for those in front.
    """
    may_be_clean = not (at or reader.legend or reader.default_type)
    # With a line break in front of all, a fence is found from where its line starts to where the next one does.
    fences = [*islice(_FENCE.finditer(f"\n{text}"), 3)] if may_be_clean else []
    if len(fences) == 2 and text[fences[0].end() : fences[1].start()].strip():
        (_, start), (end, _) = fences[0].span(), fences[1].span()
        reader.run(text[:start], 0, found)
        if not reader.is_finished and not reader.is_misled and reader.take_block(text, start, end):
            at = reader.run(text, end, found)
            reader.places.text = text[:end]
            return at
        at = start
    return reader.run(text, at, found)


def _lead(text: str, parts: list[tuple[AnswerReader, Findings, int, int]], at: int) -> str:
    """The text in front of a plan, which may say what it is."""
    places = parts[at][0].places
    first = places.first_start if places.first_start is not None else parts[at][2]
    behind = parts[at - 1][0].places.last_end if at else 0
    return f"{text[max(first - _LEAD, behind) : first]}\n{parts[at][0].plan.title}"


def _says_more(plan: PlanSpec, other: PlanSpec) -> bool:
    """Whether what is no plan has a goal or constraints that the plan does not have."""
    return bool(plan.goal and plan.goal != other.goal) or bool({*plan.constraints} - {*other.constraints})


def _is_late_title(reader: AnswerReader, text: str, plan: PlanSpec) -> bool:
    """Whether all that was read behind a plan is the title that it lacks; any other heading may be one of prose."""
    read, start = reader.plan, reader.places.first_start
    is_alone = bool(read.title) and not (read.steps or read.goal or read.constraints)
    return is_alone and not plan.title and start is not None and _TITLE.match(text, start) is not None


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


def _leave_out(source: Source, text: str, start: int, end: int, *, is_plan: bool) -> list[Diagnostic]:
    """Name all that stands between two offsets as left out."""
    end = start + len(text[start:end].rstrip(WHITE))
    start = end - len(text[start:end].lstrip(WHITE))
    code, what = ("PS105", "another plan") if is_plan else ("PS101", "not part of the plan")
    span = source.span(start, end)
    return [Diagnostic(code, f"left out: {what}", Severity.INFO, span, source=source)] if start < end else []
