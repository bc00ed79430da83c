"""Dependencies of any shape: time in proportion to them. All other sizes are those of tests/growth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planspec_lark.toolplan import validate_plan_doc
from tests.toolplan.measuring import grows_evenly
from tests.toolplan.plans import ATOMS, document, weigh

Steps = list[dict[str, Any]]


def dense(size: int) -> Steps:
    """Each depends on the ten in front of it, and refers to one that it depends on through others."""
    return [
        weigh(
            f"s{at}",
            f"${{s{max(at - 15, 0)}.outputs.note}}" if at else "rye",
            depends_on=[f"s{other}" for other in range(max(at - 10, 0), at)],
        )
        for at in range(size)
    ]


def far(size: int) -> Steps:
    """A chain whose steps all refer to the first."""
    return [
        weigh(f"s{at}", "${s0.outputs.note}" if at else "rye", depends_on=[f"s{at - 1}"] if at else [])
        for at in range(size)
    ]


def ring(size: int) -> Steps:
    return [weigh(f"s{at}", f"${{s{(at or size) - 1}.outputs.note}}") for at in range(size)]


def backwards(size: int) -> Steps:
    return far(size)[::-1]


@pytest.mark.parametrize("make", [dense, far, ring, backwards])
def test_time_grows_evenly(make: Callable[[int], Steps]) -> None:
    assert grows_evenly(lambda size: document(*make(size)), lambda plan: validate_plan_doc(plan, ATOMS), 1_000)
