"""Plans are run: what is called when, with what, and what becomes of it."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from planspec_lark.runs import Budget, MemoryLedger, StepPolicy
from planspec_lark.tool_runner import (
    StepResult,
    StepStarted,
    StepStatus,
    ToolRun,
    ToolRunError,
    arun_toolplan,
    run_toolplan,
)
from planspec_lark.toolplan import ToolPlanError, tool_plan_from_dict
from tests.toolplan.plans import ATOMS, bake, document, weigh

Run = Callable[..., ToolRun]
Event = StepStarted | StepResult


def run_async(*arguments: Any, **options: Any) -> ToolRun:
    return asyncio.run(arun_toolplan(*arguments, **options))


both = pytest.mark.parametrize("run", [run_toolplan, run_async])

PLAN = tool_plan_from_dict(
    document(
        bake("loaf", "${flour.outputs.weight}", minutes=0) | {"depends_on": ["flour", "oven"]},
        weigh("flour"),
        weigh("oven", "heat"),
        bake("roll", "${flour.outputs.note} at ${oven.outputs.weight}"),
        weigh(item="${loaf.outputs.loaf}"),
        outputs={"bread": "${loaf.outputs.loaf}", "all": ["${4.outputs.note}", "${roll.outputs.loaf}"], "one": 1},
    )
)


class Kitchen:
    """Tools that note what they are called with."""

    def __init__(self, **failing: Exception) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.failing = failing

    def __call__(self, atom_id: str, inputs: dict[str, Any]) -> Any:
        self.calls.append((atom_id, inputs))
        said = str(inputs.get("item", inputs.get("dough")))
        if said in self.failing:
            raise self.failing[said]
        return {"weight": len(said), "note": f"{said}!"} if atom_id == "weigh" else {"loaf": f"<{said}>"}


class Hollow(Mapping[str, Any]):
    """Outputs that are not there when they are looked at."""

    def __iter__(self) -> Iterator[str]:
        return iter(["weight", "note"])

    def __len__(self) -> int:
        return 2

    def __getitem__(self, name: str) -> Any:
        raise KeyError(name)


def statuses(done: ToolRun) -> dict[str, str]:
    return {one.step: one.status.value for one in done.results}


@both
def test_all_goes_well(run: Run) -> None:
    kitchen = Kitchen()
    done = run(PLAN, ATOMS, kitchen, jobs=1)
    assert kitchen.calls == [
        ("weigh", {"item": "rye"}),
        ("weigh", {"item": "heat"}),
        ("bake", {"dough": 3}),
        ("bake", {"dough": "rye! at 4"}),
        ("weigh", {"item": "<3>"}),
    ]
    assert done.is_done
    assert [one.step for one in done.results] == ["loaf", "flour", "oven", "roll", "4"]
    assert [one.wave for one in done.results] == [2, 1, 1, 2, 3]
    assert done.outputs == {"bread": "<3>", "all": ["<3>!", "<rye! at 4>"], "one": 1}
    assert done.missing == ()
    flour = done.results[1]
    assert (flour.outputs, flour.error, flour.inputs) == ({"weight": 3, "note": "rye!"}, "", None)
    assert flour.started is not None
    assert flour.started <= time.time()
    assert flour.seconds >= 0


@both
def test_a_step_fails(run: Run) -> None:
    told: list[Event] = []
    done = run(PLAN, ATOMS, Kitchen(heat=OSError("no \x1b[31m fire")), on_event=told.append, jobs=1)
    assert statuses(done) == {"loaf": "skipped", "flour": "done", "oven": "failed", "roll": "skipped", "4": "skipped"}
    assert not done.is_done
    assert [(one.error, one.because) for one in done.results] == [
        ("it depends on step 'oven', which has failed", "oven"),
        ("", ""),
        ("OSError: no \\x1b[31m fire", ""),
        ("it depends on step 'oven', which has failed", "oven"),
        ("it depends on step 'oven', which has failed", "oven"),
    ]
    assert (done.outputs, done.missing) == ({"one": 1}, ("bread", "all"))
    assert [(getattr(one, "status", "started"), one.step) for one in told] == [
        ("started", "flour"),
        ("done", "flour"),
        ("started", "oven"),
        ("failed", "oven"),
        ("skipped", "loaf"),
        ("skipped", "roll"),
        ("skipped", "4"),
    ]
    assert told[3] == done.results[2]


@both
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StopIteration(), "RuntimeError: what was called raised StopIteration"),
        (ValueError("bad\noven: done\r\n\tand\u2028more\x85"), "ValueError: bad oven: done and more"),
    ],
)
def test_any_exception_is_one_line(run: Run, error: Exception, said: str) -> None:
    done = run(tool_plan_from_dict(document(weigh())), ATOMS, Kitchen(rye=error))
    assert [one.error for one in done.results] == [said]


@both
def test_a_step_is_skipped_once(run: Run) -> None:
    told: list[Event] = []
    plan = tool_plan_from_dict(
        document(
            weigh("a", "x"),
            weigh("b", "y"),
            bake("c", depends_on=["b", "a"]),
            bake("d", depends_on=["a", "c"]),
        )
    )
    done = run(plan, ATOMS, Kitchen(x=ValueError(), y=ValueError()), on_event=told.append, jobs=1)
    assert [one.because for one in done.results] == ["", "", "b", "a"]
    assert [one.step for one in told if isinstance(one, StepResult)] == ["a", "b", "c", "d"]


@both
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (None, "expected outputs by name, not NoneType"),
        ({}, "missing outputs: 'weight', 'note'"),
        ({"weight": 1, "note": "", 3: 4}, "names of outputs are texts, not int"),
        (Hollow(), "its outputs cannot be read: KeyError: 'weight'"),
    ],
)
def test_outputs_that_a_tool_does_not_promise(run: Run, value: Any, error: str) -> None:
    done = run(tool_plan_from_dict(document(weigh())), ATOMS, {"weigh": lambda _: value})
    assert [(one.status, one.error) for one in done.results] == [(StepStatus.FAILED, error)]


@both
def test_other_types_are_warnings(run: Run) -> None:
    done = run(
        tool_plan_from_dict(document(weigh())), ATOMS, {"weigh": lambda _: {"weight": "1", "note": 2, "more": 3}}
    )
    (result,) = done.results
    assert result.status is StepStatus.DONE
    assert result.outputs == {"weight": "1", "note": 2, "more": 3}
    assert result.warnings == (
        "output 'weight' is of type number, not string",
        "output 'note' is of type string, not integer",
    )


@both
def test_a_tool_without_outputs_may_give_none(run: Run) -> None:
    plan = tool_plan_from_dict(document({"id": "sweep", "target": "", "inputs": {}}))
    assert run(plan, ATOMS, {"sweep": lambda _: None}).is_done


@both
def test_an_output_that_is_not_there(run: Run) -> None:
    """Where the tools do not say what they produce, a reference may go wrong only now."""
    registry = {"weigh": {"inputs": {"item": "string"}, "outputs": 5}, "bake": {"inputs": {"dough": "string"}}}
    plan = tool_plan_from_dict(document(weigh("a"), bake("b", "${a.outputs.q}")))
    done = run(plan, registry, {"weigh": lambda _: {}, "bake": lambda _: {}})
    assert statuses(done) == {"a": "done", "b": "failed"}
    assert done.results[1].error == "its inputs: step 'a' did not produce 'q'"


@both
def test_what_is_put_out_is_not_shared(run: Run) -> None:
    kept: dict[str, Any] = {"weight": ([1],), "note": ""}

    def spoil(inputs: dict[str, Any]) -> dict[str, Any]:
        inputs["dough"][0].append(2)
        kept["weight"][0].append(3)
        return {"loaf": inputs["dough"][0]}

    plan = tool_plan_from_dict(document(weigh("a"), bake("b", "${a.outputs.weight}"), bake("c", "${a.outputs.weight}")))
    done = run(plan, ATOMS, {"weigh": lambda _: kept, "bake": spoil}, jobs=1)
    assert [one.outputs.get("loaf") for one in done.results] == [None, [1, 2], [1, 2]]
    assert done.results[0].outputs["weight"] == [[1]]


def test_a_coroutine_needs_an_event_loop_of_its_own() -> None:
    async def work(_: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"weight": 1, "note": ""}

    plan = tool_plan_from_dict(document(weigh()))
    assert run_toolplan(plan, ATOMS, {"weigh": work}).is_done
    assert run_toolplan(plan, ATOMS, {"weigh": work}, jobs=1).is_done

    async def inside(jobs: int) -> None:
        run_toolplan(plan, ATOMS, {"weigh": work}, jobs=jobs)

    for jobs in (1, 2):
        with pytest.raises(RuntimeError, match=r"^an event loop is running already, so await arun_toolplan\(\) here$"):
            asyncio.run(inside(jobs))


# ---------------------------------------------------------------- what does not begin


@both
def test_a_plan_with_errors(run: Run) -> None:
    plan = tool_plan_from_dict(document(weigh("a", depends_on=["a"]), weigh("b", salt=1), {**weigh(), "id": "fry"}))
    with pytest.raises(ToolPlanError) as caught:
        run(plan, ATOMS, Kitchen())
    assert [one.code for one in caught.value.diagnostics] == ["PT201", "PT402"]


@both
def test_a_tool_without_a_callable(run: Run) -> None:
    kitchen = Kitchen()
    calls: dict[str, Any] = {"weigh": lambda inputs: kitchen("weigh", inputs), "bake": "os.system"}
    with pytest.raises(ToolRunError, match=r"^there is no callable for bake$"):
        run(PLAN, ATOMS, calls)
    assert kitchen.calls == []


@both
def test_nothing_to_call(run: Run) -> None:
    nothing: Any = [Kitchen()]
    with pytest.raises(TypeError, match=r"^call: list is nothing to call, and no mapping$"):
        run(PLAN, ATOMS, nothing)


def test_an_unexpected_coroutine(recwarn: pytest.WarningsRecorder) -> None:
    async def late(_: dict[str, Any]) -> Any:
        return late({})

    plan = tool_plan_from_dict(document(weigh()))
    (result,) = run_async(plan, ATOMS, {"weigh": late}).results
    assert result.error == "expected outputs by name, not coroutine"
    gc.collect()
    assert not recwarn.list


def test_numbers_are_handed_on() -> None:
    for options, said in (
        ({"jobs": 0}, "'jobs' must be >= 1: 0"),
        ({"limits": {"weigh": 0}}, "limits: weigh: 0 is not"),
    ):
        with pytest.raises(ValueError, match=said):
            run_toolplan(PLAN, ATOMS, Kitchen(), **options)


# ---------------------------------------------------------------- dry


@both
def test_a_dry_run(run: Run) -> None:
    done = run(PLAN, ATOMS, {}, dry_run=True)
    assert [(one.wave, one.step, one.atom_id, one.status.value, one.inputs) for one in done.results] == [
        (2, "loaf", "bake", "planned", {"dough": "${flour.outputs.weight}"}),
        (1, "flour", "weigh", "planned", {"item": "rye"}),
        (1, "oven", "weigh", "planned", {"item": "heat"}),
        (2, "roll", "bake", "planned", {"dough": "${flour.outputs.note} at ${oven.outputs.weight}"}),
        (3, "4", "weigh", "planned", {"item": "${loaf.outputs.loaf}"}),
    ]
    assert (done.outputs, done.missing, done.is_done) == ({"one": 1}, ("bread", "all"), False)


# ---------------------------------------------------------------- what ends a run


@both
def test_a_watcher_that_raises_ends_the_run(run: Run) -> None:
    def watch(_: Event) -> None:
        raise KeyError("seen")

    kitchen = Kitchen()
    with pytest.raises(KeyError):
        run(PLAN, ATOMS, kitchen, on_event=watch)
    assert kitchen.calls == []


# ---------------------------------------------------------------- limits


@both
def test_a_tool_that_hangs_ends_by_its_time_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, as it cannot be stopped; neither the run nor the end of the process waits for it."""
    monkeypatch.setattr("planspec_lark.awaitables._GRACE", 0.1)
    let_go = threading.Event()

    def hang(_: dict[str, Any]) -> dict[str, Any]:
        assert let_go.wait(60)
        return {}

    plan = tool_plan_from_dict(document(weigh("a"), bake("b", "${a.outputs.weight}"), bake("c")))
    try:
        tools = {"weigh": hang, "bake": lambda _: {"loaf": ""}}
        done = run(plan, ATOMS, tools, policy=lambda tool: StepPolicy(timeout=0.1 if tool == "weigh" else None))
    finally:
        let_go.set()
    assert statuses(done) == {"a": "failed", "b": "skipped", "c": "done"}
    said = "no result within 0.1 seconds: weigh could not be stopped, and its work continues"
    assert done.results[0].error == said
    assert 0.05 < done.results[0].seconds < 30


@both
def test_a_tool_is_called_again_with_what_it_got_before(run: Run) -> None:
    told: list[Event] = []
    calls: list[dict[str, Any]] = []

    def call(inputs: dict[str, Any]) -> dict[str, Any]:
        calls.append(dict(inputs))
        inputs.clear()
        if len(calls) < 3:
            raise ConnectionError("gone")
        return {"weight": 1, "note": ""}

    policy = StepPolicy(retry_on=(ConnectionError,), pause=0.001)
    plan = tool_plan_from_dict(document(weigh("a")))
    assert run(plan, ATOMS, {"weigh": call}, policy=policy, on_event=told.append).is_done
    assert calls == [{"item": "rye"}] * 3
    assert [type(one) for one in told] == [StepStarted] * 3 + [StepResult]


@both
def test_a_run_that_is_left_by_its_budget_goes_on_from_its_ledger(run: Run) -> None:
    ledger, kitchen = MemoryLedger(), Kitchen()
    first = run(PLAN, ATOMS, kitchen, jobs=1, ledger=ledger, budget=Budget(steps=2))
    assert (first.reason, first.is_done) == ("the budget is used up: steps: 2", False)
    assert statuses(first) == {"loaf": "pending", "flour": "done", "oven": "done", "roll": "pending", "4": "pending"}
    assert {one.error for one in first.results} == {"", first.reason}
    assert first.missing == ("bread", "all")
    second = run(PLAN, ATOMS, kitchen, ledger=ledger, budget=Budget(steps=3))
    assert (second.reason, second.is_done, len(kitchen.calls)) == ("", True, 5)
