"""PlanSpec text → plan, strictly.

A text that is a plan is read at once (see :mod:`planspec_lark.planspec.valid`). Any other text goes through
:mod:`planspec_lark.planspec.walking`, stretch by stretch, which knows what to say about it.
"""

from __future__ import annotations

from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.limits import DEFAULT_LIMITS, Limits
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.scanning import scan_strictly

__all__ = ["parse_plan"]


def parse_plan(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> PlanSpec:
    """Read a plan, strictly.

    Args:
        text: a PlanSpec document. The empty text is the empty plan.
        name: what diagnostics call it, such as the file's name.
        limits: how much to take.

    Raises:
        PlanSyntaxError: the text is no plan, or more than ``limits`` allow; it carries the diagnostics of all its
            faults.
    """
    result = scan_strictly(text, name=name, limits=limits)
    if result.diagnostics:
        raise PlanSyntaxError(result.diagnostics, result.source)
    return result.plan
