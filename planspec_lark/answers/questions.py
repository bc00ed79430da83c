"""What to ask about a text that is not safe to act on: lines in question, which of its plans holds, or all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.answers.extract import Extraction, Repair
from planspec_lark.answers.kept import find_misspelt
from planspec_lark.answers.repair import NO_GOAL, NO_STEPS, Fault, Faulty, build_prompt, find_beside, last_line
from planspec_lark.answers.risk import Risk
from planspec_lark.answers.verdict import Verdict
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.prompt_texts import type_values
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.scan import scan_plan
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order, shorten
from planspec_lark.syntax.limits import OVER_LIMIT, Limits
from planspec_lark.syntax.prompt_templates import fill, prompt_json, read_template, text_values
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, Span

__all__ = ["RepairQuestion", "RepairScope", "ask_whole", "find_held", "find_left", "find_question", "read_choice"]

# Characters of all plans that are shown to choose from, and how many plans there may be.
_MAX_CHARACTERS = 20_000
_MAX_PLANS = 9
_CHOICE = re.compile(r"[*_`>#\- \t]*+PLAN[ \t]++(?P<number>[1-9][0-9]?)[*_`.:\- \t]*+\r?", re.IGNORECASE)
_CONFLICT, _TRUNCATED, _RIVAL, _MORE, _ORPHAN = "PS128", "PS129", "PS130", "PS120", "PS107"
# Findings that cannot be answered without seeing the rest of the plan.
_NEEDS_PLAN = frozenset({"PS117", "PS127", _TRUNCATED, NO_STEPS, NO_GOAL})


class RepairScope(str, Enum):
    """What a round of repair asks for.

    Attributes:
        LINES: the lines in question.
        CHOICE: which of several plans holds.
        WHOLE: the whole plan once more, since nothing can be pointed at.
    """

    LINES = "lines"
    CHOICE = "choice"
    WHOLE = "whole"


@frozen
class RepairQuestion:
    """What is asked.

    Attributes:
        asked: what for.
        prompt: the text for the model.
        lines: the numbers of the lines that may be rewritten.
        choices: the text that is left with each of the plans, by its number less 1.
        is_cut: whether it asks for what is missing after the text.
        misspelt: the lines with a step that is only written wrongly, by their numbers.
    """

    asked: RepairScope
    prompt: str
    lines: frozenset[int] = frozenset()
    choices: tuple[str, ...] = field(default=(), repr=False)
    is_cut: bool = False
    misspelt: dict[int, str] = field(factory=dict, repr=False)


# ---------------------------------------------------------------- what is in question


def find_held(found: Extraction) -> list[Repair]:
    """What keeps a plan from being accepted, as far as it has a place."""
    entries = sorted((*found.repairs, *found.left_out), key=lambda entry: entry.line)
    return [entry for entry in entries if _is_held(entry, found)]


def _is_held(entry: Repair, found: Extraction) -> bool:
    if entry.risk.rank > found.max_risk.rank or entry.code in OVER_LIMIT or entry.code == _CONFLICT:
        return True
    return entry.code == _TRUNCATED and entry.diagnostic.severity is Severity.ERROR


def find_left(found: Extraction) -> list[Diagnostic]:
    """All that keeps a plan from being used: what is held back, and what breaks the six rules."""
    held = [entry.diagnostic for entry in find_held(found)]
    known = {(one.code, one.line) for one in held}
    rules = (one for one in check_rules(found.plan) if one.severity is Severity.ERROR)
    broken = (one for one in locate(rules, found.positions) if (one.code, one.line) not in known)
    return in_order([*held, *broken])


def find_question(  # noqa: PLR0913  (all but the first two say how to ask)
    text: str, found: Extraction, *, language: str, max_faults: int, refused: str | None, limits: Limits
) -> RepairQuestion | str:
    """What to ask about a text that is not safe to act on; where nothing can be asked, why.

    Args:
        text: the text; where it was cut off, with its last line.
        found: what was found in it.
        language: "en" or "zh".
        max_faults: how many faults to ask about at a time.
        refused: why the last answer was not taken.
        limits: how many faults to look at.
    """
    held = find_held(found)
    excess = next((entry for entry in held if entry.code in OVER_LIMIT), None)
    if excess is not None:
        return excess.message
    if not text.strip():
        return "there is no text to repair"
    rivals = [entry.diagnostic for entry in held if entry.code == _RIVAL]
    if rivals and found.span is not None and len(rivals) < _MAX_PLANS:
        return _ask_choice(text, found, rivals, language, refused, limits)
    faulty = _find_faulty(text, found, held, limits)
    codes = {fault.code for fault, _ in faulty.faults}
    is_lost = found.verdict is Verdict.REFUSED and _CONFLICT not in codes and (not found.plan.goal or found.left_out)
    asked = None if is_lost else _ask_lines(faulty, found, language, max_faults, refused)
    return asked or ask_whole(text, found, language, refused)


def _ask_lines(
    faulty: Faulty, found: Extraction, language: str, max_faults: int, refused: str | None
) -> RepairQuestion | None:
    """Ask about the lines of all faults; None where there are none, or one is too long to be shown."""
    if not faulty.faults:
        return None
    needs_plan = any(fault.code in _NEEDS_PLAN for fault, _ in faulty.faults)
    plan = found.text if needs_plan else None
    try:
        prompt, lines = build_prompt(faulty, language=language, max_faults=max_faults, plan=plan, refused=refused)
    except ValueError:
        return None
    cut = [line for fault, numbers in faulty.faults if fault.code == _TRUNCATED for line in numbers]
    misspelt = find_misspelt(faulty.faults, faulty.source)
    return RepairQuestion(RepairScope.LINES, prompt, lines, is_cut=bool(lines.intersection(cut)), misspelt=misspelt)


# ---------------------------------------------------------------- lines


def _find_faulty(text: str, found: Extraction, held: list[Repair], limits: Limits) -> Faulty:
    """What is to be repaired in the lines of an answer."""
    source = Source(text, found.source.name)
    blocks = _find_conflicts(held, source)
    faults: list[Fault] = []
    for entry in held:
        if entry.code not in (_MORE, _RIVAL):
            # A guess that may well be wrong is not what to propose: it would be taken for the answer.
            is_guess = entry.risk is Risk.HIGH
            fault = evolve(entry.diagnostic, fix=None) if is_guess else entry.diagnostic
            faults.append((fault, blocks.get(entry.line) or _lines_of(entry, source)))
    faults = _without_bodies(faults, source)
    asked = {line for _, numbers in faults for line in numbers}
    faults += _find_broken(found, source, asked)
    faults.sort(key=lambda fault: fault[1][0])
    uncounted = next((entry.diagnostic for entry in held if entry.code == _MORE), None)
    return Faulty(source, faults[: limits.max_findings], uncounted, None)


def _without_bodies(faults: list[Fault], source: Source) -> list[Fault]:
    """Faults without the lines that are lost only since the step above them is: that is asked for."""
    kept: list[Fault] = []
    lost = 0
    for fault, numbers in sorted(faults, key=lambda fault: fault[1][0]):
        above = numbers[0] - 1
        while above > lost and not source.line(above).strip():
            above -= 1
        if fault.code != _ORPHAN or above != lost or not lost:
            kept.append((fault, numbers))
        lost = numbers[-1]
    return kept


def _lines_of(entry: Repair, source: Source) -> list[int]:
    """The lines of an entry that say something; where none does, its first."""
    first, last = entry.line, entry.end_line
    if (fix := entry.diagnostic.fix) is not None:
        first, last = min(first, fix.span.line), max(last, last_line(fix.span))
    return [number for number in range(first, last + 1) if source.line(number).strip()] or [first]


def _find_conflicts(held: list[Repair], source: Source) -> dict[int, list[int]]:
    """By the line that begins two versions, all lines up to the end of both."""
    blocks: dict[int, list[int]] = {}
    first = None
    for entry in held:
        row = source.line(entry.line).lstrip()
        if entry.code == _CONFLICT and row.startswith("<"):
            first = entry.line
        elif entry.code == _CONFLICT and row.startswith(">") and first is not None:
            blocks[first] = [*range(first, entry.line + 1)]
            first = None
    return blocks


def _find_broken(found: Extraction, source: Source, asked: set[int]) -> Iterator[Fault]:
    """What breaks the six rules, but for what may only seem so since lines are missing."""
    first_step = min((step.span.line for step in found.positions.steps.values()), default=0)
    for one in find_left(found):
        if one.code == NO_STEPS and asked:
            continue
        if one.code == NO_GOAL and any(line < first_step for line in asked):
            continue
        if one.code in (NO_STEPS, NO_GOAL):
            yield one, [find_beside(one.code, source, found.span if one.code == NO_GOAL else None)]
        elif one.code.startswith("PS2") and one.line is not None and one.line not in asked:
            yield one, [one.line]


# ---------------------------------------------------------------- which plan


def _ask_choice(  # noqa: PLR0913, PLR0917  (as above)
    text: str, found: Extraction, rivals: list[Diagnostic], language: str, refused: str | None, limits: Limits
) -> RepairQuestion:
    """Ask which of several plans holds."""
    assert found.span is not None, "there is a plan"
    # What was read begins after the sign of its first line.
    own = found.source.span(found.span.start - found.span.column + 1, found.span.end)
    others = [one.span for one in rivals if one.span is not None]
    spans = sorted([*others, own], key=lambda span: span.start)
    choices = [_without(text, others) if span is own else text[span.start : span.end] for span in spans]
    shown: list[dict[str, Any]] = [
        {"plan": number, "line": span.line, "text": text[span.start : span.end].strip()}
        for number, span in enumerate(spans, 1)
    ]
    joined = _join(found.plan, [scan_plan(text[span.start : span.end], limits=limits).plan for span in others])
    if joined is not None:
        choices.append(serialize_plan(joined))
        shown.append({"plan": len(choices), "text": choices[-1]})
    for one in shown:
        one["text"] = shorten(one["text"], _MAX_CHARACTERS // len(shown))
    template = read_template(__package__, "choice", language)
    return RepairQuestion(
        RepairScope.CHOICE, fill(template, plans=prompt_json(shown), refused=refused), choices=tuple(choices)
    )


def _join(plan: PlanSpec, others: list[PlanSpec]) -> PlanSpec | None:
    """A plan with what others say that have no steps; None where one of them has some, or says something else."""
    joined = evolve(plan)
    for other in others:
        if other.steps or (plan.title and other.title) or (plan.goal and other.goal):
            return None
        joined.title = joined.title or other.title
        if other.goal:
            joined.goal, joined.goal_detail = other.goal, other.goal_detail
        joined.constraints = [*joined.constraints, *other.constraints]
    return joined


def _without(text: str, spans: list[Span]) -> str:
    """A text without some parts of it, which are given in its order."""
    pieces, at = [], 0
    for span in spans:
        pieces.append(text[at : span.start])
        at = span.end
    return "".join([*pieces, text[at:]])


def read_choice(answer: str, count: int) -> int | None:
    """Which of so many plans an answer names, from 0; None where it names none, or several."""
    rows = leave_out_reasoning(answer).text.split("\n")
    named = {int(match["number"]) for row in rows if (match := _CHOICE.fullmatch(row))}
    number = named.pop() if len(named) == 1 else 0
    return number - 1 if 1 <= number <= count else None


# ---------------------------------------------------------------- all of it


def ask_whole(text: str, found: Extraction, language: str, refused: str | None) -> RepairQuestion:
    """Ask for the whole plan once more."""
    left = dict.fromkeys(shorten(one.message) for one in find_left(found))
    template = read_template(__package__, "whole", language)
    values = {**type_values(language), **text_values(text)}
    return RepairQuestion(RepairScope.WHOLE, fill(template, wrong=prompt_json([*left][:20]), refused=refused, **values))
