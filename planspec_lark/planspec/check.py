"""All that can be said about a text at once: syntax, rules and lint, each finding at its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import TypeAlias

from attrs import evolve

from planspec_lark.planspec.lint import check_optional, find_lint
from planspec_lark.planspec.models import BLANKS, iter_steps
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.planspec.positions import Positions, StepPositions
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.scan_result import ScanResult
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, OVER_LIMIT, Findings, Limits
from planspec_lark.syntax.source import Span

__all__ = ["Weigh", "check_scan", "check_text", "locate"]

# What a finding counts as; None where it does not count.
Weigh: TypeAlias = Callable[[Diagnostic], Diagnostic | None]

# Faults of a text whose plan was not read, or not to its end.
_UNREAD = OVER_LIMIT | {"PS119", "PS120"}


def check_text(  # noqa: PLR0913  (all by their names)
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
    also: Collection[str] = (),
    least: Severity = Severity.INFO,
    weigh: Weigh | None = None,
) -> list[Diagnostic]:
    """Check a text as a plan.

    >>> (found,) = check_text("Goal: Ship it\\n## Steps\\n1) [act] Test\\n")
    >>> found.code, found.line, found.fix.text
    ('PS110', 3, '1. [act] Test')

    Args:
        text: a PlanSpec document.
        name: what findings call it, such as the file's name.
        limits: how much to read and to report.
        also: optional checks, as in :func:`planspec_lark.lint_plan`.
        least: the lowest severity to report; what ``also`` asks for is reported in any case.
        weigh: gives each warning and info as it counts, or None to leave it out. Errors stay.

    Returns:
        All findings in the order of the text, with their fixes. If there are syntax errors, rules and lint look at what
        could be read: their findings are provisional, without infos, and without what a line that could not be read may
        explain.

    Raises:
        ValueError: as for :func:`planspec_lark.lint_plan`.
    """
    check_optional(also)
    return check_scan(scan_strictly(text, name=name, limits=limits), limits, also=also, least=least, weigh=weigh)


def check_scan(
    result: ScanResult,
    limits: Limits,
    *,
    also: Collection[str] = (),
    least: Severity = Severity.INFO,
    weigh: Weigh | None = None,
) -> list[Diagnostic]:
    """The same for a text that was read with these limits, as :func:`scan_strictly` does."""
    faults = result.diagnostics
    if any(one.code in _UNREAD for one in faults):
        return _add_fixes(faults, result)
    judged: Iterable[Diagnostic] = chain(check_rules(result.plan), find_lint(result.plan, also))
    judged = _leave_out_explained(judged, result) if faults else judged
    if weigh is not None:
        judged = filter(None, (one if one.severity is Severity.ERROR else weigh(one) for one in judged))
    counted = [one for one in judged if one.severity.counts_as(least) or one.code in also]
    found = Findings(limits.max_findings)
    found.extend(faults)
    if counted:
        # Findings about the plan itself, which have no step, come first.
        places = {step.step_id: at for at, step in enumerate(iter_steps(result.plan))}
        counted.sort(key=lambda one: places.get(one.step_id, -1))
        # Of what is not listed, no more than the first has to be found in the text.
        shown = len(counted) if limits.max_findings is None else limits.max_findings + 1
        found.extend(locate(counted[:shown], result.positions, frozenset(one.line for one in faults)))
        found.counts.update(one.severity for one in counted[shown:])
    return _add_fixes(found.close(), result)


def _add_fixes(found: list[Diagnostic], result: ScanResult) -> list[Diagnostic]:
    if not found:
        return found
    from planspec_lark.planspec.fixes import add_fixes  # noqa: PLC0415  (slow to load; many plans have no faults)

    return add_fixes(found, result.source)


def locate(
    diagnostics: Iterable[Diagnostic], positions: Positions, faulty: Collection[int | None] = ()
) -> Iterator[Diagnostic]:
    """Give each diagnostic the place of the step and field that it speaks of.

    Its replacement becomes its fix, but not in a step that has one of the lines that are ``faulty`` by themselves.
    """
    positions_of = cache(positions.step)

    @cache
    def is_spoilt(step_id: str) -> bool:
        return any(positions.source.position(start)[0] in faulty for start, _ in positions.bounds_of(step_id))

    for diagnostic in diagnostics:
        # Which item is where can only be told where all of a step was read as it is written.
        is_exact = not (faulty and diagnostic.step_id and is_spoilt(diagnostic.step_id))
        is_listed = diagnostic.item is not None and not is_exact
        span = _find(evolve(diagnostic, part="", item=None) if is_listed else diagnostic, positions, positions_of)
        said = positions.source.text[span.start : span.end]
        if diagnostic.code == "PS320" and is_exact:
            from planspec_lark.planspec.dialect import read_progress  # noqa: PLC0415  (slow to load, and seldom needed)

            if not read_progress(said.strip(BLANKS)):
                # A bar with a backslash before it is text.
                continue
        fix = Fix(span, diagnostic.replacement) if diagnostic.replacement and is_exact else None
        yield evolve(diagnostic, span=span, fix=fix, source=positions.source)


def _find(diagnostic: Diagnostic, positions: Positions, positions_of: Callable[[str], StepPositions]) -> Span:
    if diagnostic.step_id:
        fields = positions_of(diagnostic.step_id).fields
        whole = fields["step_id"][0]
    else:
        fields, whole = positions.fields, positions.source.span(0, 0)
    spans = fields.get(diagnostic.part, ())
    if diagnostic.item is not None and diagnostic.item < len(spans):
        return spans[diagnostic.item]
    return spans[0] if spans else whole


# ---------------------------------------------------------------- what a text with syntax faults leaves open

# Findings about the place of a step among the others.
_PLACE_CODES = ("PS204", "PS206", "PS301", "PS302", "PS303", "PS310")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _leave_out_explained(judged: Iterable[Diagnostic], result: ScanResult) -> Iterator[Diagnostic]:
    """The findings of rules and lint that no line explains which could not be read, each as a provisional one.

    Infos are left out: what may well be right anyway says too little where not all could be read.
    """
    from planspec_lark.planspec.dialect import read_line  # noqa: PLC0415  (as above)

    faults = [one for one in result.diagnostics if one.span and one.fix is None and one.code != "PS106"]
    rows, codes = _unread_rows(faults, result.source.text.split("\n")), {one.code for one in faults}
    readings = (read_line(row.strip(BLANKS)) for row in rows)
    ids = {one.step.number for one in readings if one is not None and one.step is not None and one.step.number}
    parents = {step_id.rpartition(".")[0] for step_id in ids}
    words = {word for row in rows for word in _WORD.findall(row)}
    steps = {step.step_id: step for step in iter_steps(result.plan)}

    def explain(found: Diagnostic) -> bool:
        step, parent = steps.get(found.step_id), found.step_id.rpartition(".")[0]
        if step is None:
            return bool(ids) if found.code == "PS201" else "PS104" in codes
        if found.part in ("inputs", "outputs") and found.item is not None:
            return getattr(step, found.part)[found.item] in words
        # An unread line may be this step, or stand above, below or beside it.
        is_near = bool(ids & {found.step_id, parent}) or found.step_id in parents
        is_beside = found.code in ("PS302", "PS303") and parent in parents
        return found.code in _PLACE_CODES and (is_near or is_beside)

    for one in judged:
        if one.severity is not Severity.INFO and not explain(one):
            yield evolve(one, is_provisional=True)


def _unread_rows(faults: Iterable[Diagnostic], rows: Sequence[str]) -> list[str]:
    """The lines that have faults, and the bodies below them, which go with them."""
    found: set[int] = set()
    for fault in faults:
        assert fault.span is not None, "these have places"
        at = fault.span.line - 1
        # Of several faults in one line, the first does.
        while at not in found and (at < fault.span.end_line or (at < len(rows) and rows[at].lstrip(BLANKS)[:1] == ">")):
            found.add(at)
            at += 1
    return [rows[at] for at in sorted(found)]
