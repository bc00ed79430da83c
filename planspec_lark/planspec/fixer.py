"""Fixing a text: the fixes of its faults, applied and looked at again until none is left."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from planspec_lark.planspec.check import Weigh, check_text
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.fixer import FixResult, apply_fixes
from planspec_lark.syntax.limits import NO_LIMITS, Limits

__all__ = ["FixResult", "fix_text"]

# What says of lines that they are no part of the plan, or of another one.
_FOREIGN = ("PS101", "PS105", "PS107", "PS125")


def fix_text(  # noqa: PLR0913  (all by their names)
    text: str,
    *,
    unsafe: bool = False,
    name: str = "<text>",
    limits: Limits = NO_LIMITS,
    also: Collection[str] = (),
    least: Severity = Severity.INFO,
    weigh: Weigh | None = None,
) -> FixResult:
    """Fix what is found in a text. No text makes it raise.

    Fixes that lead to more errors are taken back. A text stays as it is if it has lines that are no part of a plan, and
    these are more than half of it or no step can be read: it is something else, or an answer with a plan in it
    (:func:`~planspec_lark.extract_plan`).

    Args:
        text: a PlanSpec document.
        unsafe: once no safe fix is left, apply also those that drop text or guess.
        name: what findings call it.
        limits: how much to read, and how many findings to return; all are fixed.
        also, least, weigh: as for :func:`planspec_lark.check_text`. What does not count is not fixed.

    Raises:
        ValueError: as for :func:`planspec_lark.lint_plan`.
    """
    all_of = evolve(limits, max_findings=None)

    def check(text: str) -> list[Diagnostic]:
        return check_text(text, name=name, limits=all_of, also=also, weigh=weigh)

    found = check(text)
    refused = _refuse(text, found, all_of)
    text, fixed, lines = (text, [], []) if refused else apply_fixes(text, check, found, unsafe=unsafe)
    left = check_text(text, name=name, limits=limits, also=also, least=least, weigh=weigh)
    return FixResult(text, fixed, lines, left, refused)


def _refuse(text: str, found: Iterable[Diagnostic], limits: Limits) -> str:
    """Why a text is not a plan for the most part; the empty text where it is one."""
    errors = [one for one in found if one.severity is Severity.ERROR and _is_lost(one)]
    rows = ["", *text.split("\n")]
    spans = [one.span for one in errors if one.code in _FOREIGN and one.span]
    foreign = {at for span in spans for at in range(span.line, span.end_line + 1) if rows[at].strip()}
    fences = {one.span.line for one in errors if one.code == "PS103" and one.span}
    # Around a plan there are two at most.
    if len(fences) > 2:
        foreign |= fences
    if not foreign:
        return ""
    count = sum(bool(row.strip()) for row in rows)
    if 2 * len(foreign) > count:
        return f"{len(foreign)} of its {count} lines are not part of a plan"
    return "" if scan_strictly(text, limits=limits).plan.steps else "no step of a plan can be read in it"


def _is_lost(found: Diagnostic) -> bool:
    """Whether no fix keeps the text of a line."""
    return found.fix is None or not any(edit.text for edit in found.fix.edits)
