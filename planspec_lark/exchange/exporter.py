"""Plans → texts of other formats."""

from __future__ import annotations

from planspec_lark.exchange.convert import plan_to_tasks
from planspec_lark.exchange.formats import find_format
from planspec_lark.planspec.models import PlanSpec

__all__ = ["export_plan"]


def export_plan(plan: PlanSpec, to: str) -> str:
    """A plan as a text in another format.

    Raises:
        ValueError: there is no such format.
    """
    chosen = find_format(to)
    return chosen.write(plan_to_tasks(plan, chosen.number))
