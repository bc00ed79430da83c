"""All that can be said about a text at once: syntax, rules and lint, each finding at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from heapq import nsmallest
from itertools import chain

from attrs import evolve

from planspec_lark.planspec.fixes import add_fixes
from planspec_lark.planspec.holes import Holes
from planspec_lark.planspec.lint import check_optional, find_lint
from planspec_lark.planspec.models import PlanSpec, iter_steps
from planspec_lark.planspec.positions import Places, StepPlaces
from planspec_lark.planspec.recovery import ScanResult, scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits
from planspec_lark.syntax.source import Span

__all__ = ["check_scan", "check_text", "locate"]

# Faults of a text whose plan was not read, or not to its end.
_UNREAD = ("PS119", "PS120", "PS121", "PS122", "PS123")


def check_text(
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
    also: Collection[str] = (),
    least: Severity = Severity.INFO,
) -> list[Diagnostic]:
    """Check a text as a plan.

    Args:
        text: a PlanSpec document.
        name: what diagnostics call it, such as the file's name.
        limits: how much to read and to report.
        also: what else to look for, as in :func:`planspec_lark.lint_plan`.
        least: what counts; of less weight are only those that ``also`` asks for.

    Returns:
        All findings in the order of the text, each with its fix, if there is one. Where there are syntax errors, rules
        and lint look at what could be read, and what they find is provisional. They do not speak of what a line that
        could not be read may explain, and leave infos out.

    Raises:
        ValueError: as :func:`planspec_lark.lint_plan` does.
    """
    check_optional(also)
    return check_scan(scan_strictly(text, name=name, limits=limits), limits, also=also, least=least)


def check_scan(
    result: ScanResult, limits: Limits, *, also: Collection[str] = (), least: Severity = Severity.INFO
) -> list[Diagnostic]:
    """The same for a text that was read with these limits, as :func:`scan_strictly` does."""
    faults = result.diagnostics
    if any(one.code in _UNREAD for one in faults):
        return add_fixes(faults, result.source, result.plan)
    counts = dict.fromkeys(Severity, 0)
    most = None if limits.max_findings is None else limits.max_findings - len(faults)
    judged: Iterable[Diagnostic] = chain(check_rules(result.plan), find_lint(result.plan, also))
    judged = Holes(result).look_through(judged) if faults else judged
    counted = (one for one in judged if one.severity.counts_as(least) or one.code in also)
    listed = _first_found(result.plan, counted, most, counts)
    located = list(locate(listed, result.places, frozenset(one.line for one in faults)))
    kept = located[:most]
    left_out = located[len(kept)] if len(located) > len(kept) else None
    for fault in faults:
        counts[fault.severity] += 1
    found = Findings(limits.max_findings, [*faults, *kept], counts, first_left_out=left_out).close()
    return add_fixes(found, result.source, result.plan)


def _first_found(
    plan: PlanSpec, judged: Iterable[Diagnostic], limit: int | None, counts: dict[Severity, int]
) -> list[Diagnostic]:
    """What was found, step by step, up to one more than a limit; ``counts`` gets the number of all."""

    def counted() -> Iterator[Diagnostic]:
        for diagnostic in judged:
            counts[diagnostic.severity] += 1
            yield diagnostic

    places = {step.step_id: at for at, step in enumerate(iter_steps(plan))}
    # Findings about the plan itself, which have no step, come first.
    place_of = partial(_place_of, places)
    return sorted(counted(), key=place_of) if limit is None else nsmallest(limit + 1, counted(), key=place_of)


def _place_of(places: dict[str, int], diagnostic: Diagnostic) -> int:
    return places.get(diagnostic.step_id, -1)


def locate(
    diagnostics: Iterable[Diagnostic], places: Places, faulty: Collection[int | None] = ()
) -> Iterator[Diagnostic]:
    """Give each diagnostic the place of the step and field that it speaks of.

    Its replacement becomes its fix, but not in a step that has one of the lines that are ``faulty`` by themselves.
    """
    known: dict[str, StepPlaces] = {}
    spoilt: dict[str, bool] = {}
    for diagnostic in diagnostics:
        step_id = diagnostic.step_id
        if faulty and step_id and step_id not in spoilt:
            rows = (places.source.position(start)[0] for start, _ in places.bounds_of(step_id))
            spoilt[step_id] = any(row in faulty for row in rows)
        # Which item is where can only be told where all of a step was read as it is written.
        is_exact = not spoilt.get(step_id)
        is_listed = diagnostic.item is not None and not is_exact
        span = _find(evolve(diagnostic, part="", item=None) if is_listed else diagnostic, places, known)
        fix = Fix(span, diagnostic.replacement) if diagnostic.replacement and is_exact else None
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
