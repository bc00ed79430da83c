"""The text of one record → what is to be said about it. Nothing here knows files."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from attrs import field, frozen

from planspec_lark.answers.extract import extract_plan
from planspec_lark.answers.verdict import Verdict
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.check import check_scan
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, has_errors, in_order
from planspec_lark.syntax.limits import NO_LIMITS

__all__ = ["Analysis", "analyze_text"]


# A plan, what was found, and the columns about the reading.
_Reading = tuple[PlanSpec, list[Diagnostic], dict[str, Any]]


@frozen
class Analysis:
    """What was found in one text: the columns of its row, and the findings; or the columns with its problem."""

    columns: dict[str, Any]
    diagnostics: list[Diagnostic] = field(factory=list)


def analyze_text(text: str, *, read: str = "scan", finish_reason: str = "") -> Analysis:
    """Read, check and print the plan in a text.

    Args:
        text: any text.
        read: ``strict``, as :func:`planspec_lark.check_text` reads, or ``scan``, as
            :func:`planspec_lark.extract_plan`.
        finish_reason: why the model stopped, as for that; a strict reading does not ask.
    """
    plan, found, said = _read_strictly(text) if read == "strict" else _read_answer(text, finish_reason)
    levels = [*accumulate(1 if is_entered else -1 for _, is_entered in walk(plan))]
    columns = {**said, "steps": len(levels) // 2, "depth": max(levels, default=0)}
    columns |= {f"{severity.value}s": sum(one.severity is severity for one in found) for severity in Severity}
    columns |= {"codes": sorted({one.code for one in found}), "canonical": serialize_plan(plan) or None}
    return Analysis(columns, found)


def _read_strictly(text: str) -> _Reading:
    result = scan_strictly(text, limits=NO_LIMITS)
    # What may be provisional is not looked for, which would take most of the time.
    found, parsed = result.diagnostics or check_scan(result, NO_LIMITS), not result.diagnostics
    verdict = Verdict.REFUSED if has_errors(found) else Verdict.ACCEPTED
    said = {"parsed": parsed, "verdict": verdict.value, "truncated": False, "repairs": 0}
    return result.plan if parsed else PlanSpec(), found, said


def _read_answer(text: str, finish_reason: str) -> _Reading:
    answer = extract_plan(text, finish_reason=finish_reason, limits=NO_LIMITS)
    # A repair that holds the plan is told of once. A code block around a plan is nothing to be told of, and still no
    # plan as it is.
    repairs = [one.diagnostic for one in answer.repairs if one.diagnostic not in answer.holds]
    parsed, verdict = fast_reader.read(text) is not None, answer.verdict.value
    said = {"parsed": parsed, "verdict": verdict, "truncated": answer.truncated, "repairs": len(answer.repairs)}
    return answer.plan, in_order([*answer.findings, *repairs]), said
