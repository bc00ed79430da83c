"""The text of one record → what is to be said about it. Nothing here knows files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from attrs import evolve, frozen

from planspec_lark.answers.extract import extract_plan
from planspec_lark.answers.verdict import Verdict
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.lint import lint_plan
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.positions import Positions
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, has_errors, in_order
from planspec_lark.syntax.limits import NO_LIMITS

__all__ = ["Analysis", "analyze_text"]

# What a scanner says of a text that the strict parser accepts: the grammar has to take `-> a` for text.
_FOREIGN_ARROW = "PS305"
_WORST_FIRST = list(Severity)


@frozen
class Analysis:
    """What was found in one text.

    ``parsed``: the text is a plan as it is. ``verdict``: whether the plan that was read is safe to act on.
    ``truncated``: whether the text was cut off. ``valid``: the verdict is ``accepted``, the plan was read without
    repair (foreign arrows apart, which the strict parser takes for text) and breaks none of the six rules.
    ``canonical``: the plan's text; None where there is no plan to print. ``diagnostics``: those of the reader and,
    where it had no errors, those of rules and lint.
    """

    parsed: bool
    verdict: Verdict
    truncated: bool
    valid: bool
    steps: int
    depth: int
    canonical: str | None
    diagnostics: list[Diagnostic]
    positions: Positions

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
        names = ("parsed", "truncated", "valid", "score", "steps", "depth", "canonical")
        row = {name: getattr(self, name) for name in names} | {"verdict": self.verdict.value}
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
            yield from [found] if found.source is not None else locate([found], self.positions)


def analyze_text(text: str, *, read: str, finish_reason: str = "") -> Analysis:
    """Read, check and print the plan in a text.

    Args:
        text: any text.
        read: ``strict``, as :func:`planspec_lark.parse_plan` reads, or ``scan``, as :func:`planspec_lark.extract_plan`.
        finish_reason: why the model stopped, as for that; a strict reading does not ask.
    """
    return _analyze_strictly(text) if read == "strict" else _analyze_answer(text, finish_reason)


def _analyze_strictly(text: str) -> Analysis:
    result = scan_strictly(text, limits=NO_LIMITS)
    parsed = not result.diagnostics
    verdict = Verdict.ACCEPTED if parsed else Verdict.REFUSED
    done = _judge(result.plan, result.diagnostics, result.positions, parsed=parsed, verdict=verdict)
    return done if parsed else evolve(done, canonical=None)


def _analyze_answer(text: str, finish_reason: str) -> Analysis:
    found = extract_plan(text, finish_reason=finish_reason, limits=NO_LIMITS)
    told = in_order([*found.holds, *(one.diagnostic for one in found.repairs), *found.notes])
    # A code block around a plan is nothing to be told of, and still no plan as it is.
    parsed = fast_reader.read(text) is not None
    return _judge(found.plan, told, found.positions, parsed=parsed, verdict=found.verdict, truncated=found.truncated)


def _judge(  # noqa: PLR0913  (each is another thing that the reader has said)
    plan: PlanSpec,
    found: list[Diagnostic],
    positions: Positions,
    *,
    parsed: bool,
    verdict: Verdict,
    truncated: bool = False,
) -> Analysis:
    # Rules and lint would speak of a plan with holes. A check marks that; a row only counts.
    judged = [] if has_errors(found) else [*check_rules(plan), *lint_plan(plan)]
    was_repaired = any(one.severity is not Severity.INFO and one.code != _FOREIGN_ARROW for one in found)
    levels = [*accumulate(1 if is_entered else -1 for _, is_entered in walk(plan))]
    return Analysis(
        parsed=parsed,
        verdict=verdict,
        truncated=truncated,
        valid=verdict is Verdict.ACCEPTED and not (was_repaired or has_errors(judged)),
        steps=len(levels) // 2,
        depth=max(levels, default=0),
        canonical=serialize_plan(plan) or None,
        diagnostics=[*found, *judged],
        positions=positions,
    )
