"""The text of one record → what is to be said about it. Nothing here knows files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from attrs import frozen

from planspec_lark.planspec.check import locate
from planspec_lark.planspec.lint import lint_plan
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.positions import Places
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.recovery import scan_plan, scan_strictly
from planspec_lark.planspec.rules import check_rules
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
        worst: dict[str, Severity] = {}
        for found in self.diagnostics:
            worst[found.code] = min(found.severity, worst.get(found.code, found.severity), key=_WORST_FIRST.index)
        counts = Counter(found.code for found in self.diagnostics)
        return [(code, counts[code], worst[code]) for code in sorted(counts)]

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
    found = result.diagnostics
    parsed = not found if is_strict else all(one.code == _FOREIGN_ARROW for one in found)
    # As in a check: rules and lint would speak of a plan with holes.
    has_holes = has_errors(found)
    judged = [] if has_holes else [*check_rules(result.plan), *lint_plan(result.plan)]
    # The strict parser accepts foreign arrows, so they do not make a plan invalid.
    was_mended = any(one.severity is not Severity.INFO and one.code != _FOREIGN_ARROW for one in found)
    breaks_rules = has_errors(judged)
    steps, depth = _measure(result.plan)
    is_plan = parsed or not is_strict
    return Analysis(
        parsed=parsed,
        valid=not (was_mended or breaks_rules),
        steps=steps,
        depth=depth,
        canonical=serialize_plan(result.plan) or None if is_plan else None,
        diagnostics=[*found, *judged],
        places=result.places,
    )


def _measure(plan: PlanSpec) -> tuple[int, int]:
    """How many steps there are, and on how many levels."""
    steps = depth = 0
    level = plan.steps
    while level:
        depth += 1
        steps += len(level)
        level = [child for step in level for child in step.children]
    return steps, depth
