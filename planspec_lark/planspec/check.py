"""All that can be said about a text at once: syntax, rules and lint, each finding at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from heapq import nsmallest
from itertools import chain

from attrs import evolve

from planspec_lark.planspec.lint import check_optional, find_lint
from planspec_lark.planspec.models import PlanSpec, iter_steps
from planspec_lark.planspec.positions import Places, StepPlaces
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits
from planspec_lark.syntax.source import Span

__all__ = ["check_text", "locate"]


def check_text(
    text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS, also: Collection[str] = ()
) -> list[Diagnostic]:
    """Check a text as a plan.

    Args:
        text: a PlanSpec document.
        name: what diagnostics call it, such as the file's name.
        limits: how much to read and to report.
        also: what else to look for, as in :func:`planspec_lark.lint_plan`.

    Returns:
        All findings in the order of the text. Where there are syntax errors, they are all: rules and lint would speak
        of a plan with holes.

    Raises:
        ValueError: as :func:`planspec_lark.lint_plan` does.
    """
    check_optional(also)
    result = scan_strictly(text, name=name, limits=limits)
    if result.diagnostics:
        return result.diagnostics
    counts = dict.fromkeys(Severity, 0)
    listed = _first_found(result.plan, also, limits.max_findings, counts)
    located = list(locate(listed, result.places))
    kept = located[: limits.max_findings]
    left_out = located[len(kept)] if len(located) > len(kept) else None
    return Findings(limits.max_findings, kept, counts, first_left_out=left_out).close()


def _first_found(
    plan: PlanSpec, also: Collection[str], limit: int | None, counts: dict[Severity, int]
) -> list[Diagnostic]:
    """What rules and lint find, step by step, up to one more than a limit; ``counts`` gets the number of all."""

    def counted() -> Iterator[Diagnostic]:
        for diagnostic in chain(check_rules(plan), find_lint(plan, also)):
            counts[diagnostic.severity] += 1
            yield diagnostic

    places = {step.step_id: at for at, step in enumerate(iter_steps(plan))}
    # Findings about the plan itself, which have no step, come first.
    place_of = partial(_place_of, places)
    return sorted(counted(), key=place_of) if limit is None else nsmallest(limit + 1, counted(), key=place_of)


def _place_of(places: dict[str, int], diagnostic: Diagnostic) -> int:
    return places.get(diagnostic.step_id, -1)


def locate(diagnostics: Iterable[Diagnostic], places: Places) -> Iterator[Diagnostic]:
    """Give each diagnostic the place of the step and field that it speaks of."""
    known: dict[str, StepPlaces] = {}
    for diagnostic in diagnostics:
        span = _find(diagnostic, places, known)
        fix = Fix(span, diagnostic.replacement) if diagnostic.replacement else None
        yield evolve(diagnostic, span=span, fix=fix, source=places.source)


def _find(diagnostic: Diagnostic, places: Places, known: dict[str, StepPlaces]) -> Span:
    if diagnostic.step_id:
        if diagnostic.step_id not in known:
            known[diagnostic.step_id] = places.step(diagnostic.step_id)
        step = known[diagnostic.step_id]
        fields, whole = step.fields, step.fields["step_id"][0]
    else:
        fields, whole = places.fields, places.source.span(0, 0)
    spans = fields.get(diagnostic.part, ())
    if diagnostic.item is not None and diagnostic.item < len(spans):
        return spans[diagnostic.item]
    return spans[0] if spans else whole
