"""What reads messages and contexts takes time in proportion to their size."""

from __future__ import annotations

import pytest

from tests.growth.planner import PLANNER_SHAPES, PLANNER_WORK
from tests.property import test_growth


@pytest.mark.parametrize("shape", PLANNER_SHAPES)
def test_time_grows_evenly(shape: str) -> None:
    make = PLANNER_SHAPES[shape]
    assert not [name for name, work in PLANNER_WORK.items() if not test_growth._grows_evenly(work, make)]
