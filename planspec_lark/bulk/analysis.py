"""The text of one record → what is to be said about it. Nothing here knows files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from attrs import frozen

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.answer_reader import scan_plan
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.lint import lint_plan
from planspec_lark.planspec.positions import Places
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, has_errors
from planspec_lark.syntax.limits import NO_LIMITS

__all__ = ["Analysis", "analyze_text"]

# What a scanner says of a text that the strict parser accepts: the grammar has to take `-> a` for text.
_FOREIGN_ARROW = "PS305"
_WORST_FIRST = list(Severity)


@frozen
class Analysis:
    """What was found in one text.

    ``parsed``: the text as it stands is a plan. ``valid``: the plan was read without repair or loss (foreign arrows
    apart, which the strict parser takes for text) and breaks none of the six rules. ``canonical``: the plan's text;
    None where there is no plan to print. ``diagnostics``: those of the reader and, where it had no errors, those of
    rules and lint.
    """

    parsed: bool
    valid: bool
    steps: int
    depth: int
    canonical: str | None
    diagnostics: list[Diagnostic]
    places: Places

    def count(self, severity: Severity) -> int:
        """How many diagnostics have this severity."""
        return sum(found.severity is severity for found in self.diagnostics)

    def codes(self) -> list[tuple[str, int, Severity]]:
        """Each code that was found, in their order: how often, and the worst severity that it had."""
        severities: dict[str, list[Severity]] = {}
        for found in self.diagnostics:
            severities.setdefault(found.code, []).append(found.severity)
        return [(code, len(found), min(found, key=_WORST_FIRST.index)) for code, found in sorted(severities.items())]

    def to_row(self) -> dict[str, Any]:
        """What a row says of a record with this text."""
        row = {name: getattr(self, name) for name in ("parsed", "valid", "score", "steps", "depth", "canonical")}
        row |= {f"{severity.value}s": self.count(severity) for severity in Severity}
        codes = self.codes()
        row["codes"] = [code for code, _, _ in codes]
        row["counts"] = [count for _, count, _ in codes]
        row["severities"] = [severity.value for _, _, severity in codes]
        return row

    @property
    def score(self) -> float:
        """How good the plan is, from 0 to 1: 1 for a valid one without warnings, 0.5 or more for valid ones only.

        ``share`` is steps / (steps + errors + warnings / 4), and 0 without steps: an error weighs as much as a step. A
        valid plan scores (1 + share) / 2, any other share / 2.
        """
        if not self.steps:
            return 0.0
        faults = self.count(Severity.ERROR) + self.count(Severity.WARNING) / 4
        share = self.steps / (self.steps + faults)
        return (self.valid + share) / 2

    def locate(self, wanted: list[Diagnostic]) -> Iterator[Diagnostic]:
        """The same diagnostics with their places. That is slow, so it is done only for those that are shown."""
        for found in wanted:
            yield from [found] if found.source is not None else locate([found], self.places)


def analyze_text(text: str, *, read: str) -> Analysis:
    """Read, check and print the plan in a text.

    Args:
        text: any text.
        read: ``strict``, as :func:`planspec_lark.parse_plan` reads, or ``scan``, as :func:`planspec_lark.scan_plan`.
    """
    is_strict = read == "strict"
    result = (scan_strictly if is_strict else scan_plan)(text, limits=NO_LIMITS)
    plan, found = result.plan, result.diagnostics
    # The strict parser accepts foreign arrows, so they do not make a plan invalid.
    faults = [one for one in found if one.code != _FOREIGN_ARROW]
    # What a reader of answers takes for something else may still be a plan as it stands.
    parsed = not (found if is_strict else faults) or (not is_strict and fast_reader.read(text) is not None)
    # As in a check: rules and lint would speak of a plan with holes.
    judged = [] if has_errors(found) else [*check_rules(plan), *lint_plan(plan)]
    was_repaired = any(one.severity is not Severity.INFO for one in faults)
    levels = [*accumulate(1 if is_entered else -1 for _, is_entered in walk(plan))]
    return Analysis(
        parsed=parsed,
        valid=not (was_repaired or has_errors(judged)),
        steps=len(levels) // 2,
        depth=max(levels, default=0),
        canonical=(serialize_plan(plan) or None) if parsed or not is_strict else None,
        diagnostics=[*found, *judged],
        places=result.places,
    )
