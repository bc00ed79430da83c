"""The part of a plan that a prompt has room for."""

from __future__ import annotations

from contextlib import suppress

from planspec_lark.planspec.fold import folded
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.token_budget import bound
from planspec_lark.syntax.diagnostics import PlanSyntaxError, count_of

__all__ = ["MAX_PLAN", "plan_excerpt"]

# Characters of a plan.
MAX_PLAN = 8_000


def plan_excerpt(plan: PlanSpec | str, step_id: str | None, most: int) -> str:
    """The folded plan, cut to so many characters.

    What is left out first is as for :func:`~planspec_lark.planspec.serialize_plan` with ``max_tokens``. Where what has
    to stay takes more, or a text is no plan, its start is shown, and how many characters are left out.

    Args:
        plan: the plan, or its text. A text that has room is taken as it is.
        step_id: the current step, which stays besides what is at work and what comes next, unless it is folded away.
        most: characters.

    Raises:
        ValueError: ``most`` is negative, or the plan cannot be written as text.
    """
    if most < 0:
        raise ValueError(f"max_plan: {most} is less than 0")
    text = plan if isinstance(plan, str) else serialize_plan(plan, fold=True)
    if len(text) <= most:
        return text
    with suppress(PlanSyntaxError):
        whole = parse_plan(plan, name="<plan>") if isinstance(plan, str) else folded(plan)
        text = bound(whole, serialize_plan, max(most, 1), len, keep=step_id, is_strict=False)
    left_out = len(text) - most
    return text if left_out <= 0 else f"{text[:most]}\n… left out: {count_of(left_out, 'character')}\n"
