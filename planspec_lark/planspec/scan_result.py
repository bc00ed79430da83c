"""What a reading of any text gives: a plan, what is to be told of the text, and where in it everything stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from attrs import field, frozen

from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.positions import Positions
from planspec_lark.syntax.diagnostics import Diagnostic, in_order
from planspec_lark.syntax.limits import Limits, find_too_large
from planspec_lark.syntax.source import Source, Span

__all__ = ["ScanResult", "read_nothing", "refuse_excess"]


@frozen(slots=False)
class ScanResult:
    """What a reading found: the plan, what is to be told of the text, and where in it everything stands."""

    plan: PlanSpec
    _diagnostics: list[Diagnostic] | Callable[[], list[Diagnostic]]
    positions: Positions
    source: Source = field(repr=False)

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """What is to be told, in the order of the text, worked out when it is first asked for.

        What has a ``fix`` and a ``risk`` was read by its canonical text: to a strict reader it is an error all the
        same, to a tolerant one a warning.
        """
        return self._diagnostics() if callable(self._diagnostics) else self._diagnostics


def refuse_excess(result: ScanResult, limits: Limits) -> ScanResult:
    """The result, or one without a plan where that has more steps or levels than it may."""
    excess = find_too_large(result.plan.steps, limits, partial(_place, result))
    if excess is None:
        return result
    # All in the order of the text, but the one that counts the rest, which stays the last.
    note = [found for found in result.diagnostics[-1:] if found.code == "PS120"]
    found = [*result.diagnostics[: len(result.diagnostics) - len(note)], excess]
    return read_nothing([*in_order(found), *note])


def read_nothing(diagnostics: list[Diagnostic]) -> ScanResult:
    """The result for a text of which nothing is read."""
    source = diagnostics[0].source
    assert source is not None
    return ScanResult(PlanSpec(), diagnostics, Positions(source), source)


def _place(result: ScanResult, step: PlanStep) -> tuple[Span, Source]:
    return result.source.span(*result.positions.id_of(step.step_id)), result.source
