"""All that can be said about a text at once: syntax, rules and lint, each finding at its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from planspec_lark.diagnostics import Diagnostic, Fix
from planspec_lark.planspec.lint import lint_plan
from planspec_lark.planspec.places import Places, StepPlaces
from planspec_lark.planspec.scanning import scan_strictly
from planspec_lark.planspec.validation import check_rules
from planspec_lark.source import Span

__all__ = ["check_text", "locate"]


def check_text(text: str, *, name: str = "<text>") -> list[Diagnostic]:
    """Check a text as a plan.

    Args:
        text: a PlanSpec document.
        name: what diagnostics call it, such as the file's name.

    Returns:
        All findings in the order of the text. Where there are syntax errors, they are all: rules and lint would speak
        of a plan with holes.
    """
    result = scan_strictly(text, name=name)
    if result.diagnostics:
        return result.diagnostics
    found = [*check_rules(result.plan), *lint_plan(result.plan)]
    return sorted(locate(found, result.places), key=lambda diagnostic: diagnostic.span.start if diagnostic.span else 0)


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
