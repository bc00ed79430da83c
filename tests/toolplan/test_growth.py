"""Plans of any size and shape: time in proportion to them, up to a million steps."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from planspec_lark.toolplan import check_tool_plan, validate_plan_doc
from tests.toolplan.measuring import grows_evenly
from tests.toolplan.plans import ATOMS, codes, document, weigh

Steps = list[dict[str, Any]]

# A million takes 2 GB and a while, so that is for the full profile.
LONG = 1_000_000 if os.environ.get("PLANSPEC_PROFILE") == "full" else 100_000


def chain(size: int) -> Steps:
    return [weigh(f"s{at}", f"${{s{at - 1}.outputs.note}}" if at else "rye") for at in range(size)]


def chain_backwards(size: int) -> Steps:
    return chain(size)[::-1]


def fan_out(size: int) -> Steps:
    return [weigh(item="${0.outputs.note}" if at else "rye") for at in range(size)]


def fan_in(size: int) -> Steps:
    steps = [weigh(f"s{at}") for at in range(size)]
    steps[0]["inputs"]["rest"] = [f"${{s{at}.outputs.note}}" for at in range(1, size)]
    return steps


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
    steps = chain(size)
    steps[0]["inputs"]["item"] = f"${{s{size - 1}.outputs.note}}"
    return steps


def broken(size: int) -> Steps:
    """Something wrong with every step."""
    return [
        {"id": "fry" if at % 2 else "weigh", "step_id": "a", "inputs": {"salt": "${b}"}, "depends_on": ["q"]}
        for at in range(size)
    ]


SHAPES = [chain, chain_backwards, fan_out, fan_in, dense, far, ring, broken]


@pytest.mark.parametrize("make", SHAPES)
def test_time_grows_evenly(make: Callable[[int], Steps]) -> None:
    assert grows_evenly(lambda size: document(*make(size)), lambda plan: validate_plan_doc(plan, ATOMS), 1_000)


def test_time_grows_evenly_with_the_registry() -> None:
    def make(size: int) -> Any:
        inputs = [{"name": f"i{at}", "type": "string"} for at in range(size)]
        wrong = {f"j{at}": at for at in range(size)}
        return document(*[{"id": "a", "target": "", "inputs": wrong}]), [{"id": "a", "inputs": inputs}]

    assert grows_evenly(make, lambda both: validate_plan_doc(*both), 4_000)


@pytest.mark.parametrize("make", [chain, fan_in, broken])
def test_time_of_a_text_grows_evenly(make: Callable[[int], Steps]) -> None:
    assert grows_evenly(lambda size: json.dumps(document(*make(size))), lambda text: check_tool_plan(text, ATOMS), 500)


def test_a_very_long_plan() -> None:
    plan = document(*chain_backwards(LONG))
    start = time.process_time()
    result = validate_plan_doc(plan, ATOMS)
    assert time.process_time() - start < LONG * 120e-6
    assert result["execution_order"] == [f"s{at}" for at in range(LONG)]
    assert codes(result) == ["UNUSED_STEP_OUTPUT"]
