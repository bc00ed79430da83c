"""Plans are run: what is called when, with what, and what becomes of it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
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
from tests.timing import with_longer_limits
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
        (StopAsyncIteration("b"), "StopAsyncIteration: b"),
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
def test_others_go_on(run: Run) -> None:
    done = run(PLAN, ATOMS, Kitchen(**{"rye! at 4": ValueError()}))
    assert statuses(done) == {"loaf": "done", "flour": "done", "oven": "done", "roll": "failed", "4": "done"}
    assert done.results[3].error == "ValueError"


@both
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (None, "expected outputs by name, not NoneType"),
        ([1], "expected outputs by name, not list"),
        ({}, "missing outputs: 'weight', 'note'"),
        ({"weight": 1}, "missing outputs: 'note'"),
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


@both
@pytest.mark.parametrize("jobs", [1, 3])
def test_so_many_at_a_time(run: Run, jobs: int) -> None:
    most = now = 0
    lock = threading.Lock()
    together = threading.Barrier(jobs)

    def work(_: dict[str, Any]) -> dict[str, Any]:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        together.wait(timeout=20)
        with lock:
            now -= 1
        return {"weight": 1, "note": ""}

    plan = tool_plan_from_dict(document(*[weigh() for _ in range(6)]))
    assert run(plan, ATOMS, {"weigh": work}, jobs=jobs).is_done
    assert most == jobs


def test_coroutines_run_side_by_side() -> None:
    async def main() -> ToolRun:
        together = asyncio.Barrier(4)

        async def work(inputs: dict[str, Any]) -> dict[str, Any]:
            await asyncio.wait_for(together.wait(), 20)
            return {"weight": inputs["item"], "note": ""}

        class Late:
            def __call__(self, inputs: dict[str, Any]) -> Any:
                return work(inputs)

        plan = tool_plan_from_dict(document(*[weigh(item=str(at)) for at in range(8)]))
        first = await arun_toolplan(plan, ATOMS, {"weigh": work})
        assert (await arun_toolplan(plan, ATOMS, {"weigh": Late()})).outputs == first.outputs
        return first

    assert [one.outputs["weight"] for one in asyncio.run(main()).results] == [str(at) for at in range(8)]


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
def test_a_mapping_that_gives_more_than_it_holds(run: Run) -> None:
    class Lazy(dict[str, Any]):
        def get(self, key: str, _: Any = None) -> Any:
            return {"weigh": lambda _: {"weight": 1, "note": ""}}[key]

    assert run(tool_plan_from_dict(document(weigh())), ATOMS, Lazy()).is_done


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


@both
def test_jobs(run: Run) -> None:
    with pytest.raises(ValueError, match=r"'jobs' must be >= 1: 0$"):
        run(PLAN, ATOMS, Kitchen(), jobs=0)


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
def test_whatever_is_no_exception_ends_the_run(run: Run) -> None:
    plan = tool_plan_from_dict(document(weigh(item="go"), weigh(item="stop"), weigh(item="never")))

    def check(seconds: float) -> None:
        begun = threading.Event()
        ended = []

        def work(inputs: dict[str, Any]) -> dict[str, Any]:
            if inputs["item"] == "stop":
                begun.wait(60)
                raise SystemExit(5)
            begun.set()
            time.sleep(seconds)
            ended.append(inputs["item"])
            return {"weight": 1, "note": ""}

        with pytest.raises(SystemExit):
            run(plan, ATOMS, {"weigh": work}, jobs=2)
        assert ended == ["go"]

    with_longer_limits(check, 0.05)


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
        done = run(plan, ATOMS, {"weigh": hang, "bake": lambda _: {"loaf": ""}}, policy=StepPolicy(timeout=0.1))
    finally:
        let_go.set()
    assert statuses(done) == {"a": "failed", "b": "skipped", "c": "done"}
    said = "no result within 0.1 seconds: weigh could not be stopped, and its work continues"
    assert done.results[0].error == said
    assert 0.05 < done.results[0].seconds < 30


@both
def test_an_asynchronous_tool_that_hangs_is_cancelled(run: Run) -> None:
    cancelled = []

    async def hang(_: dict[str, Any]) -> dict[str, Any]:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.append(True)
        return {}

    plan = tool_plan_from_dict(document(weigh("a"), bake("b")))
    tools = {"weigh": hang, "bake": lambda _: {"loaf": ""}}
    done = run(plan, ATOMS, tools, policy=lambda tool: StepPolicy(timeout=0.1 if tool == "weigh" else None))
    assert (statuses(done), cancelled) == ({"a": "failed", "b": "done"}, [True])
    assert done.results[0].error == "no result within 0.1 seconds"


def test_a_process_does_not_wait_for_a_tool_that_hangs() -> None:
    code = """
import threading
from planspec_lark.runs import StepPolicy
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import tool_plan_from_dict
from tests.toolplan.plans import ATOMS, document, weigh

plan = tool_plan_from_dict(document(weigh("a")))
hang = lambda _: threading.Event().wait()
print(run_toolplan(plan, ATOMS, {"weigh": hang}, policy=StepPolicy(timeout=0.1)).results[0].error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "no result within 0.1 seconds: weigh could not be stopped, and its work continues\n"


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


@both
def test_so_many_calls_of_a_tool_at_a_time(run: Run) -> None:
    at_work: list[str] = []

    def work(_: dict[str, Any]) -> dict[str, Any]:
        at_work.append("")
        count = len(at_work)
        time.sleep(0.01)
        at_work.pop()
        return {"weight": count, "note": ""}

    plan = tool_plan_from_dict(document(*[weigh() for _ in range(6)]))
    done = run(plan, ATOMS, {"weigh": work}, jobs=3, limits={"weigh": 1})
    assert {one.outputs["weight"] for one in done.results} == {1}
    with pytest.raises(ValueError, match=r"^limits: weigh: 0 is not at least 1$"):
        run(plan, ATOMS, {"weigh": work}, limits={"weigh": 0})


def test_a_chain_of_many_steps() -> None:
    size = 3_000
    steps = [weigh(f"s{at}", f"${{s{at - 1}.outputs.note}}" if at else "x") for at in range(size)]
    done = run_toolplan(tool_plan_from_dict(document(*steps)), ATOMS, Kitchen(x=ValueError()), jobs=2)
    assert done.results[-1].because == "s0"
    done = run_toolplan(
        tool_plan_from_dict(document(*steps[::-1])), ATOMS, lambda _, i: {"weight": 1, "note": i["item"]}
    )
    assert done.is_done
    assert {one.outputs["note"] for one in done.results} == {"x"}
