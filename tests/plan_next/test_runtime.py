"""Running a plan: who is asked what, what comes of the answers, and what watchers are told."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen
from syrupy.assertion import SnapshotAssertion

from planspec_lark import render_all
from planspec_lark.plan_next import (
    Context,
    DoneItem,
    DoneStatus,
    ExecutorCall,
    Executors,
    Judge,
    NewBlock,
    Phase,
    PlanNext,
    PlanReturn,
    PlanType,
    start_context,
)
from planspec_lark.planner import (
    MessageRefusal,
    PlannerEvent,
    PlannerEventKind,
    Runtime,
    StateError,
    create_state,
    read_state,
)
from planspec_lark.planner.kernel import CONTEXT_FILE, open_state
from planspec_lark.planner.language import PlannerAnswer
from planspec_lark.runs import Budget
from tests.plan_next.turns import STEPS, close, execute, open_, returned, steps

DONE = DoneStatus.DONE
FAILED = DoneStatus.FAILED


@frozen
class Script:
    """A planner and an executor that answer from lists, one answer after the other, and remember what they got."""

    plans: list[Any] = field(factory=list)
    results: list[Any] = field(factory=list)
    asked: list[tuple[str, Context, MessageRefusal | None]] = field(factory=list)

    def plan(self, context: Context, refusal: MessageRefusal | None) -> PlannerAnswer:
        self.asked.append(("plan", context, refusal))
        return self._give(self.plans)

    def execute(self, context: Context) -> PlannerAnswer:
        self.asked.append(("execute", context, None))
        return self._give(self.results)

    async def aplan(self, context: Context, refusal: MessageRefusal | None) -> PlannerAnswer:
        await asyncio.sleep(0)
        return self.plan(context, refusal)

    async def aexecute(self, context: Context) -> PlannerAnswer:
        await asyncio.sleep(0)
        return self.execute(context)

    @staticmethod
    def _give(answers: list[Any]) -> PlannerAnswer:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        given: PlannerAnswer = answer
        return given

    def runtime(self, folder: Path, **more: Any) -> Runtime:
        return Runtime(folder, self.plan, self.execute, **more)


# ---------------------------------------------------------------- one block after the other


def test_a_block_with_items_is_planned_and_one_without_is_executed(tmp_path: Path) -> None:
    script = Script([execute("c")], [returned("first"), returned("all")])
    create_state(tmp_path, start_context("g"))
    runtime = script.runtime(tmp_path)
    first = open_(start_context("g"), execute("c"))
    assert runtime.step() == first == read_state(tmp_path)
    second = close(first, "first")
    assert runtime.step() == second == read_state(tmp_path)
    assert second.think.plan == []
    third = close(second, "all")
    assert runtime.step() == third == read_state(tmp_path)
    assert third.outcome == DoneItem("g", "all", plan=["g"], done=second.think.done)
    assert script.asked == [("plan", start_context("g"), None), ("execute", first, None), ("execute", second, None)]


def test_so_many_calls_and_no_more(tmp_path: Path) -> None:
    """Those of an answer that is refused count; nothing has become of them, and another run continues."""
    create_state(tmp_path, start_context("g", STEPS))
    script = Script([execute("a"), "no", execute("b")], [returned(), returned()])
    assert script.runtime(tmp_path, budget=Budget(llm_calls=3)).run().revision == 2
    assert [who for who, *_ in script.asked] == ["plan", "execute", "plan"]
    assert script.runtime(tmp_path, budget=Budget()).run(max_turns=2).revision == 4
    assert (script.plans, script.results) == ([], [])


def test_a_planner_that_splits_for_ever_is_stopped(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    asked = count()

    def split(context: Context, _: MessageRefusal | None) -> str:
        goal = f"g{next(asked)}"
        return steps(goal, [f"{goal} {name}" for name in STEPS]) if context.may_split else execute(goal)

    def work(_: Context) -> str:
        next(asked)
        return returned()

    assert Runtime(tmp_path, split, work).run().outcome is None
    assert next(asked) == 100


@pytest.mark.parametrize(
    ("result", "status", "expected"),
    [
        ({"files": ["a"]}, None, DONE),
        ("it", "failed", FAILED),
        ("### 完成情况\n未完成：没有权限", None, FAILED),
        ("### 完成情况\n未完成：没有权限", "done", DONE),
    ],
)
def test_results_of_both_kinds(
    tmp_path: Path, result: str | dict[str, Any], status: str | None, expected: DoneStatus
) -> None:
    create_state(tmp_path, start_context("g", []))
    context = Script([], [returned(result, status)]).runtime(tmp_path).run()
    assert context.outcome == DoneItem("g", result, expected)


# ---------------------------------------------------------------- refusals


def test_a_refused_message_goes_back_with_its_diagnostics(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    create_state(tmp_path, start_context("g"))
    answers = ["Sure! " + execute("c"), steps("c", ["a", "maybe b", "c"]), execute("c")]
    script = Script([*answers], [])
    assert script.runtime(tmp_path).step() == open_(start_context("g"), execute("c"))
    refusals = [refusal for _, _, refusal in script.asked]
    assert refusals[0] is None
    assert [refusal.answer for refusal in refusals[1:] if refusal] == answers[:2]
    assert [render_all(refusal.diagnostics) for refusal in refusals[1:] if refusal] == snapshot


@pytest.mark.parametrize("most", [0, 2])
def test_a_planner_is_refused_so_often_and_then_the_block_has_failed(tmp_path: Path, most: int) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    script = Script([steps("c"), *["no"] * (most + 1)])
    context = script.runtime(tmp_path, max_refusals=most).run(max_turns=2)
    assert script.plans == []
    (item,) = context.think.done
    assert (item.goal, item.status, item.plan, item.left) == ("c", FAILED, STEPS, STEPS)
    assert context.think.plan == STEPS


def test_the_result_of_a_refused_block_says_why(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    create_state(tmp_path, start_context("g"))
    outcome = Script(["a", "b", returned()]).runtime(tmp_path).run().outcome
    assert outcome == snapshot


@pytest.mark.parametrize("plan", [STEPS, []])
def test_a_result_lists_some_errors_of_very_many(tmp_path: Path, plan: list[str]) -> None:
    create_state(tmp_path, start_context("g", plan))
    wrong = json.dumps({"type": "plan-return", "result": "r"} | {f"key {number}": 1 for number in range(500)})
    outcome = Script([wrong], [wrong]).runtime(tmp_path, max_refusals=0).run().outcome
    assert outcome is not None
    assert isinstance(outcome.result, str)
    assert outcome.result.count("error[") == 20
    assert f"\n\nErrors besides these: {481 if plan else 480}" in outcome.result
    assert len(outcome.result) < 30_000


def test_refusals_are_counted_for_each_block(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    script = Script(["", "", execute("a"), "", "", execute("b")], [returned()])
    assert script.runtime(tmp_path).run(max_turns=3).think.goal == "b"


@pytest.mark.parametrize("answer", ["no", "\ud800\x1b[2J" * 9000])
def test_an_executor_that_is_refused_is_not_asked_again(
    tmp_path: Path, answer: str, snapshot: SnapshotAssertion
) -> None:
    create_state(tmp_path, start_context("g", []))
    script = Script([], [answer])
    context = script.runtime(tmp_path).run()
    assert len(script.asked) == 1
    assert context == read_state(tmp_path)
    assert context.outcome is not None
    assert context.outcome.failed
    assert isinstance(context.outcome.result, str)
    assert len(context.outcome.result) < 110_000
    assert "\x1b" not in context.outcome.result
    assert context.outcome.result[:600] == snapshot


# ---------------------------------------------------------------- failures


def test_a_failure_is_recorded_and_has_to_come_back_split(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    script = Script([execute("c"), execute("c"), steps("c")], [returned("no access", "failed")])
    context = script.runtime(tmp_path).run(max_turns=3)
    (item,) = context.path[0].done
    assert (item.goal, item.result, item.status) == ("c", "no access", FAILED)
    refusal = script.asked[-1][2]
    assert refusal is not None
    assert [one.code for one in refusal.diagnostics] == ["PN303", "PN302"]
    assert context.think.plan == STEPS


@pytest.mark.parametrize("most", [1, 3])
def test_so_many_failures_in_a_row_close_the_block(tmp_path: Path, most: int) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    names = [f"way {name}" for name in "abc"[:most]]
    script = Script(
        [steps("c"), *(execute(name, f"shell: {name}") for name in names)], [returned("no", "failed")] * most
    )
    context = script.runtime(tmp_path, max_failures=most).run(max_turns=2 + 2 * most)
    (item,) = context.think.done
    assert (item.goal, item.status, item.result) == ("c", FAILED, f"{most} attempts in a row have failed")
    assert [below.goal for below in item.done] == names
    assert item.left == STEPS
    assert (script.plans, script.results) == ([], [])


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"max_refusals": -1}, ValueError),
        ({"max_refusals": "2"}, TypeError),
        ({"max_failures": 0}, ValueError),
        ({"max_failures": 1.5}, TypeError),
    ],
)
def test_limits_are_numbers_that_mean_something(tmp_path: Path, fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Script().runtime(tmp_path, **fields)


# ---------------------------------------------------------------- events


def test_watchers_are_told_of_everything_in_its_order(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    events: list[PlannerEvent] = []
    on_disk: list[Context] = []

    def watch(event: PlannerEvent) -> None:
        events.append(event)
        on_disk.append(read_state(tmp_path))

    script = Script(["no", execute("c")], [returned("it"), "no"])
    script.runtime(tmp_path, on_event=watch).run()
    refusals = [event.refusal for event in events]
    first = open_(start_context("g"), execute("c"))
    second = close(first, "it")
    last = read_state(tmp_path)
    assert events == [
        PlannerEvent(PlannerEventKind.ASKED, start_context("g"), Phase.PLANNING),
        PlannerEvent(PlannerEventKind.REFUSED, start_context("g"), Phase.PLANNING, refusals[1]),
        PlannerEvent(PlannerEventKind.ASKED, start_context("g"), Phase.PLANNING, refusals[1]),
        PlannerEvent(PlannerEventKind.OPENED, first),
        PlannerEvent(PlannerEventKind.ASKED, first, Phase.EXECUTION),
        PlannerEvent(PlannerEventKind.CLOSED, second, item=second.think.done[0], diagnostics=events[5].diagnostics),
        PlannerEvent(PlannerEventKind.ASKED, second, Phase.EXECUTION),
        PlannerEvent(PlannerEventKind.REFUSED, second, Phase.EXECUTION, refusals[7]),
        PlannerEvent(PlannerEventKind.CLOSED, last, item=last.outcome),
        PlannerEvent(PlannerEventKind.ENDED, last, item=last.outcome),
    ]
    assert [found.code for found in events[5].diagnostics] == ["PN215"]
    # That the block has failed is kept with the refusal.
    assert on_disk == [event.context for event in events[:7]] + [last] * 3
    assert [refusal.answer for refusal in (refusals[1], refusals[7]) if refusal] == ["no", "no"]


def test_what_callables_and_watchers_do_to_what_they_get_is_not_written(tmp_path: Path) -> None:
    def spoil(context: Context) -> None:
        for block in (context.think, *context.path):
            block.plan.append("Rob a bank")
            block.done.clear()

    def watch(event: PlannerEvent) -> None:
        spoil(event.context)
        if event.item is not None:
            event.item.left.append("more")

    def plan(context: Context, refusal: MessageRefusal | None) -> PlannerAnswer:
        spoil(context)
        return script.plan(context, refusal)

    def work(context: Context) -> PlannerAnswer:
        spoil(context)
        return script.execute(context)

    create_state(tmp_path, start_context("g", STEPS))
    script = Script([execute("a"), execute("b")], [returned(), returned(status="failed")])
    Runtime(tmp_path, plan, work, on_event=watch).run(max_turns=4)
    opened = close(open_(start_context("g", STEPS), execute("a")))
    assert read_state(tmp_path) == close(open_(opened, execute("b")), failed=True)


@pytest.mark.parametrize("kind", [kind for kind in PlannerEventKind if kind is not PlannerEventKind.STOPPED])
def test_a_watcher_that_raises_ends_the_run_and_loses_nothing(tmp_path: Path, kind: PlannerEventKind) -> None:
    def answers() -> Script:
        return Script(["no", execute("c")], [returned("it"), returned("all")])

    create_state(tmp_path / "calm", start_context("g"))
    calm = answers().runtime(tmp_path / "calm").run()
    create_state(tmp_path, start_context("g"))
    script = answers()

    def watch(event: PlannerEvent) -> None:
        if event.kind is kind:
            raise LookupError(kind.value)

    with pytest.raises(LookupError):
        script.runtime(tmp_path, on_event=watch).run()
    assert script.runtime(tmp_path).run() == calm


# ---------------------------------------------------------------- callables that fail


@pytest.mark.parametrize("error", [KeyError("x"), KeyboardInterrupt()])
@pytest.mark.parametrize("who", ["planner", "executor"])
def test_what_a_callable_raises_leaves_the_state_as_it_was(tmp_path: Path, error: BaseException, who: str) -> None:
    create_state(tmp_path, start_context("g", STEPS if who == "planner" else []))
    before = (tmp_path / CONTEXT_FILE).read_bytes()
    script = Script([error, execute("c")], [error, returned()])
    with pytest.raises(type(error)) as caught:
        script.runtime(tmp_path).run()
    assert caught.value is error
    assert (tmp_path / CONTEXT_FILE).read_bytes() == before
    assert script.runtime(tmp_path).step().revision == 1


@pytest.mark.parametrize("answer", [None, {"type": "plan-next"}])
@pytest.mark.parametrize("who", ["planner", "executor"])
def test_an_answer_is_a_text_or_a_message(tmp_path: Path, answer: Any, who: str) -> None:
    create_state(tmp_path, start_context("g", STEPS if who == "planner" else []))
    before = (tmp_path / CONTEXT_FILE).read_bytes()
    with pytest.raises(TypeError) as error:
        Script([answer], [answer]).runtime(tmp_path).run()
    assert str(error.value) == f"an answer is a text or a message, not {type(answer).__name__}"
    assert (tmp_path / CONTEXT_FILE).read_bytes() == before


def test_a_callable_that_goes_elsewhere_leaves_the_state_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    create_state("state", start_context("g", []))

    def executor(_: Context) -> str:
        os.chdir(tmp_path / "elsewhere")
        return returned()

    ended = Runtime(Path("state"), lambda *_: "", executor).run()
    assert ended.outcome is not None
    assert read_state(tmp_path / "state") == ended
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_callable_may_not_run_the_plan_that_asks_it(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    runtime = Runtime(tmp_path, lambda *_: str(runtime.step()), lambda _: "")
    with pytest.raises(StateError, match="another process is working on this plan"):
        runtime.run()


# ---------------------------------------------------------------- messages that are models


def _next(**more: Any) -> PlanNext:
    given = {"new_block": NewBlock("c"), "executor_call": ExecutorCall("shell: x"), **more}
    return PlanNext(PlanType.EXECUTE, **given)


def test_answers_may_be_models(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    script = Script([_next()], [PlanReturn({"a": (1, 2)}), PlanReturn("no", FAILED)])
    context = script.runtime(tmp_path).run()
    assert context.outcome is not None
    assert [item.result for item in context.outcome.done] == [{"a": [1, 2]}]
    assert context.outcome.failed
    assert read_state(tmp_path) == context


@pytest.mark.parametrize(
    ("message", "codes"),
    [
        (_next(executor_call=None), ["PN203"]),
        (_next(new_block=NewBlock("\ud800")), ["PJ126"]),
        (_next(new_block=NewBlock("read .thinkon/x")), ["PN209"]),
        (_next(executor_call=ExecutorCall("shell: x", {"a": float("nan")})), ["PJ132"]),
        (_next(executor_call=ExecutorCall("shell: x", extra={"command": 5})), ["PN103"]),
        (PlanReturn({"it": 1}), ["PN201"]),
    ],
)
def test_models_are_held_to_the_same_rules_as_texts(
    tmp_path: Path, message: PlanNext | PlanReturn, codes: list[str]
) -> None:
    create_state(tmp_path, start_context("g"))
    script = Script([message, execute("c")])
    script.runtime(tmp_path).step()
    refusal = script.asked[1][2]
    assert refusal is not None
    assert [one.code for one in refusal.diagnostics] == codes
    assert json.loads(refusal.answer)["type"] in ("plan-next", "plan-return")
    assert read_state(tmp_path).revision == 1


def _endless() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = value
    return value


@pytest.mark.parametrize("result", [{"a": object()}, {"a": b""}, {"a": {(1, 2): 3}}, _endless()])
def test_what_json_cannot_say_is_no_answer(tmp_path: Path, result: dict[str, Any]) -> None:
    create_state(tmp_path, start_context("g", []))
    with pytest.raises(TypeError, match=r"\Aan answer holds what JSON cannot say: "):
        Script([], [PlanReturn(result)]).runtime(tmp_path).run()
    assert read_state(tmp_path) == start_context("g", [])


def test_the_judge_is_the_one_that_is_given(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    script = Script(["Sure:\n```json\n" + execute("c", "make") + "\n```"])
    assert script.runtime(tmp_path, judge=Judge(tolerant=True)).step().think.goal == "c"
    create_state(tmp_path, start_context("g"), overwrite=True)
    script = Script([execute("c", "make")] * 3)
    outcome = script.runtime(tmp_path, judge=Judge(executors=Executors())).step().outcome
    assert outcome is not None
    assert "error[PN301]: unknown executor `make`" in str(outcome.result)


# ---------------------------------------------------------------- asynchronous callables

_Run = Callable[[Runtime], Context]
_RUNS: dict[str, _Run] = {
    "run": lambda runtime: runtime.run(),
    "arun": lambda runtime: asyncio.run(runtime.arun()),
    "step": lambda runtime: [runtime.step() for _ in range(3)][-1],
    "astep": lambda runtime: [asyncio.run(runtime.astep()) for _ in range(3)][-1],
}


@pytest.mark.parametrize("run", _RUNS)
@pytest.mark.parametrize("planner", ["plan", "aplan"])
@pytest.mark.parametrize("executor", ["execute", "aexecute"])
def test_callables_of_both_kinds(tmp_path: Path, planner: str, executor: str, run: str) -> None:
    create_state(tmp_path, start_context("g"))
    script = Script(["no", execute("c")], [returned("it"), returned("all")])
    context = _RUNS[run](Runtime(tmp_path, getattr(script, planner), getattr(script, executor)))
    assert context == read_state(tmp_path)
    assert context.outcome is not None
    assert context.outcome.result == "all"
    assert [who for who, *_ in script.asked] == ["plan", "plan", "execute", "execute"]


def _cancelled_run(folder: Path, *, times: int) -> tuple[bool, bool]:
    """Cancel a run whose thread is at work: whether it was over at once, and whether the plan was locked still."""
    begun, may_end = threading.Event(), threading.Event()

    def executor(_: Context) -> str:
        begun.set()
        may_end.wait(60)
        return returned()

    def is_locked() -> bool:
        try:
            with open_state(folder):
                return False
        except StateError:
            return True

    async def main() -> tuple[bool, bool]:
        run = asyncio.create_task(Runtime(folder, lambda *_: "", executor).arun())
        while not begun.is_set():
            await asyncio.sleep(0.001)
        for _ in range(times):
            run.cancel()
            await asyncio.sleep(0.02)
        if times > 1:
            await asyncio.wait([run], timeout=30)
        seen = run.done(), is_locked()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await run
        return seen

    return asyncio.run(main())


def test_a_cancelled_run_holds_the_lock_as_long_as_its_thread_works(tmp_path: Path) -> None:
    """What the thread has done is kept then; where the run was cancelled twice, nobody waits for it."""
    create_state(tmp_path, start_context("g", []))
    assert _cancelled_run(tmp_path, times=2) == (True, False)
    assert read_state(tmp_path) == start_context("g", [])
    assert _cancelled_run(tmp_path, times=1) == (False, True)
    assert read_state(tmp_path) == close(start_context("g", []), "it is there")


# ---------------------------------------------------------------- time
