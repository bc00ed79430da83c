"""Which shapes go to which work: what reads plans learns nothing new from a context."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from tests.growth.editors import editor_work
from tests.growth.engine import ENGINE_SHAPES, ENGINE_WORK
from tests.growth.exchange import EXCHANGE_SHAPES, EXCHANGE_WORK
from tests.growth.hopspec import HOPSPEC_SHAPES, HOPSPEC_WORK
from tests.growth.planner import PLANNER_SHAPES, PLANNER_WORK
from tests.growth.pumped import PUMPED_SHAPES, PUMPED_WORK
from tests.growth.reflections import REFLECTION_SHAPES, REFLECTION_WORK
from tests.growth.repair import REPAIR_SHAPES, REPAIR_WORK
from tests.growth.shapes import JSON_SHAPES, PLAN_SHAPES, TEXT_SHAPES
from tests.growth.tool_runs import TOOL_RUN_WORK
from tests.growth.toolplans import (
    ATOMS_SHAPES,
    ATOMS_WORK,
    DOCUMENT_SHAPES,
    DOCUMENT_WORK,
    TOOLPLAN_SHAPES,
    TOOLPLAN_WORK,
)
from tests.growth.versions import VERSION_SHAPES, VERSION_WORK
from tests.growth.work import JSON_WORK, PLAN_WORK, TEXT_WORK, Work

__all__ = ["CELLS", "FAMILIES", "Family"]


@frozen
class Family:
    """Texts of any size, by name, and all that is done with each of them."""

    shapes: Mapping[str, Callable[[int], str]]
    work: Mapping[str, Work]


FAMILIES = {
    "plans": Family(PLAN_SHAPES, {**PLAN_WORK, **editor_work("planspec")}),
    "versions of plans": Family(VERSION_SHAPES, VERSION_WORK),
    "JSON": Family(JSON_SHAPES, JSON_WORK),
    "texts": Family(TEXT_SHAPES, TEXT_WORK),
    "HopSpec": Family(HOPSPEC_SHAPES, {**HOPSPEC_WORK, **editor_work("hopspec")}),
    "planner": Family(PLANNER_SHAPES, PLANNER_WORK),
    "repair": Family(REPAIR_SHAPES, REPAIR_WORK),
    "reflections": Family(REFLECTION_SHAPES, REFLECTION_WORK),
    "engine": Family(ENGINE_SHAPES, ENGINE_WORK),
    "tool plans": Family(TOOLPLAN_SHAPES, {**TOOLPLAN_WORK, **TOOL_RUN_WORK}),
    "tool plans as documents": Family(DOCUMENT_SHAPES, DOCUMENT_WORK),
    "atoms": Family(ATOMS_SHAPES, ATOMS_WORK),
    "task lists": Family(EXCHANGE_SHAPES, EXCHANGE_WORK),
    "pumped texts": Family(PUMPED_SHAPES, PUMPED_WORK),
}
# Family and shape.
CELLS = [(name, shape) for name, family in FAMILIES.items() for shape in family.shapes]
