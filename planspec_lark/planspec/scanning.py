"""Any text → the plan in it, and diagnostics of all that is not as it should be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice

from attrs import field, frozen

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.corrections import find_inputs, find_outputs
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.positions import Places
from planspec_lark.planspec.tolerance import TolerantWalk
from planspec_lark.planspec.tree import grow
from planspec_lark.planspec.walking import Walk
from planspec_lark.syntax.diagnostics import Diagnostic, in_order
from planspec_lark.syntax.limits import (
    DEFAULT_LIMITS,
    NO_LIMITS,
    Findings,
    Limits,
    find_excess,
    too_deep,
    too_many_steps,
)
from planspec_lark.syntax.reasoning import Remainder, leave_out_reasoning
from planspec_lark.syntax.source import Source, Span, end_last_line

__all__ = ["ScanResult", "scan_faults", "scan_plan", "scan_strictly"]


@frozen
class ScanResult:
    """What a reading found.

    ``diagnostics`` are in the order of the text. From a tolerant reading they are: an error where something that seems
    to belong to the plan had to be left out, a warning where it was read after a repair (its ``fix`` says which), an
    info for text that is no part of the plan.
    """

    plan: PlanSpec
    diagnostics: list[Diagnostic]
    places: Places
    source: Source = field(repr=False)


def scan_plan(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> ScanResult:
    """Read the plan in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    A text that :func:`planspec_lark.parse_plan` accepts gives the same plan and no diagnostics, with one exception: the
    grammar has to take ``-> names`` and ``<- names`` for text, and here they are read as the lists that they look like.
    Where a text holds several plans, the one with the fewest errors counts, and the first of these. What stands in a
    reasoning block (see :mod:`planspec_lark.syntax.reasoning`) is none.

    Args:
        text: any text.
        name: what diagnostics call it.
        limits: how much to read; of what is more, nothing is, and a diagnostic says so.
    """
    if excess := find_excess(text, name, limits):
        return _read_nothing([excess])
    source, remainder = Source(text, name), leave_out_reasoning(text)
    plan = fast_reader.read(remainder.text)
    if plan is not None and not _has_foreign_arrows(plan):
        found = Findings(limits.max_findings)
        found.extend(remainder.diagnose(source))
        result = _scan_later(plan, source, found)
    else:
        result = _scan(source, remainder, limits)
    excess = _find_excess_of_plan(result, limits)
    return _read_nothing(_insert(excess, result.diagnostics)) if excess else result


def _insert(excess: Diagnostic, found: list[Diagnostic]) -> list[Diagnostic]:
    """All in the order of the text, but that what counts the rest stays behind everything."""
    note = found[-1:] if found and found[-1].code == "PS120" else []
    listed = [*found[: len(found) - len(note)], excess]
    return [*in_order(listed), *note]


def scan_strictly(
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
    read: Callable[[str], PlanSpec | None] | None = None,
) -> ScanResult:
    """Read a text as :func:`planspec_lark.parse_plan` does: every deviation is an error; the plan is what is left.

    ``read`` reads a text without faults, and answers None for any other; by default the fast reader does.
    """
    if excess := find_excess(text, name, limits):
        return _read_nothing([excess])
    plan = (read or fast_reader.read)(text)
    if plan is None:
        return scan_faults(text, name=name, limits=limits)
    result = _scan_later(plan, Source(text, name), Findings(limits.max_findings))
    excess = _find_excess_of_plan(result, limits)
    return _read_nothing([excess]) if excess else result


def scan_faults(text: str, *, name: str = "<text>", limits: Limits = NO_LIMITS) -> ScanResult:
    """Read a text as :func:`scan_strictly` does, one that is known to have faults, or whose places are asked for."""
    source, remainder = Source(text, name), leave_out_reasoning(text)
    walk = Walk(source, end_last_line(remainder.text), findings=Findings(limits.max_findings))
    walk.run()
    walk.findings.extend(remainder.diagnose(source, is_strict=True))
    return _finish(walk, walk.findings)


def _find_excess_of_plan(result: ScanResult, limits: Limits) -> Diagnostic | None:
    """What is wrong with a plan that has more steps or levels than it may."""
    if limits.max_steps is None and limits.max_depth is None:
        return None
    siblings, depth, count = result.plan.steps, 0, 0
    while siblings:
        depth += 1
        count += len(siblings)
        if limits.max_depth is not None and depth > limits.max_depth:
            return too_deep(siblings[0].step_id, depth, limits.max_depth, *_place(siblings[0], result))
        siblings = [child for step in siblings for child in step.children]
    if limits.max_steps is None or count <= limits.max_steps:
        return None
    step = next(islice(iter_steps(result.plan), limits.max_steps, None))
    return too_many_steps(step.step_id, count, limits.max_steps, *_place(step, result))


def _place(step: PlanStep, result: ScanResult) -> tuple[Span, Source]:
    places = result.places
    if places.are_to_be_found:
        # Of a plan that is refused, this is the only place that anybody will ask for.
        remainder = leave_out_reasoning(result.source.text)
        walk = Walk(result.source, end_last_line(remainder.text), until=step.step_id)
        walk.run()
        places = walk.places
    return places.step(step.step_id).fields["step_id"][0], result.source


def _read_nothing(diagnostics: list[Diagnostic]) -> ScanResult:
    source = diagnostics[0].source
    assert source is not None
    return ScanResult(PlanSpec(), diagnostics, Places(source), source)


def _has_foreign_arrows(plan: PlanSpec) -> bool:
    """Whether a plan has text that a tolerant reading takes for a list of variables."""
    for step in iter_steps(plan):
        found = [find_outputs(step.description)] if step.description and not step.outputs else []
        if any(almost and almost.is_foreign for almost in (*found, *map(find_inputs, step.detail))):
            return True
    return False


def _scan_later(plan: PlanSpec, source: Source, found: Findings) -> ScanResult:
    """The result for a text without faults. Its places, which not everybody asks for, take longer than the plan."""
    return ScanResult(plan, found.close(), Places(source, find_later=partial(_find_places, source)), source)


def _find_places(source: Source) -> Places:
    return scan_faults(source.text).places


def _scan(source: Source, remainder: Remainder, limits: Limits) -> ScanResult:
    ended = end_last_line(remainder.text)
    parts: list[tuple[TolerantWalk, int, int]] = []
    at = 0
    while at < len(ended) or not parts:
        walk = TolerantWalk(source, ended, findings=Findings(limits.max_findings))
        end = walk.run(at)
        if walk.is_misled:
            walk = TolerantWalk(source, ended, findings=Findings(limits.max_findings), has_comments=True)
            end = walk.run(at)
        parts.append((walk, at, end))
        at = end
    best = min((walk for walk, _, _ in parts), key=TolerantWalk.rank)
    found = Findings(limits.max_findings)
    for walk, start, end in parts:
        found.extend(walk.findings if walk is best else walk.leave_out(start, end))
    found.extend(remainder.diagnose(source))
    return _finish(best, found)


def _finish(walk: Walk, findings: Findings) -> ScanResult:
    walk.plan.steps = grow(list(walk.steps.values()))
    return ScanResult(walk.plan, findings.close(), walk.places, walk.source)
