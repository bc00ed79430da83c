"""What was decided about runs: what commands alone come to, what opens again, when a run has converged."""

from __future__ import annotations

import asyncio

import pytest

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps, parse_plan, serialize_plan
from planspec_lark.engine import (
    Budget,
    EngineLimits,
    MissingInput,
    OperatorResult,
    Outcome,
    PlanRunError,
    ThinkEvent,
    preview_resumed,
)
from planspec_lark.engine.entries import Done, Opened, StepPatch, about
from planspec_lark.engine.execution_answer import read_execution
from planspec_lark.engine.requests import request_execution
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.llm import model_planner
from planspec_lark.runs import MemoryLedger
from planspec_lark.runs.ledger import RecordKind, RunInfo
from tests.engine.worlds import World, chosen, failed, lacking, ok, plan, shown

TWO = "1. [act] dig → hole\n2. [act] fill\n"

# ---------------------------------------------------------------- inputs


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ("1. [!] [act] a → x\n2. [act] b\n  > ← x\n", "step 1 is blocked"),
        ("1. [~] [act] a → x\n2. [act] b\n  > ← x\n", "step 1 is skipped"),
        # This run knows nothing of what was done before it.
        ("1. [x] [act] a → x\n2. [act] b\n  > ← x\n", "step 1 is done without it"),
        ("1. [act] accepted → x\n2. [act] b\n  > ← x\n", "step 1 is done without it"),
        ("1. [act] b\n  > ← x\n2. [act] a → x\n", "step 2 comes later"),
        ("1. [x] [decide] d → x\n  1.1. [~] [act] a\n2. [act] b\n  > ← x\n", "step 1 is done without it"),
        ("1. [decide] d → x\n  1.1. [act] b\n    > ← x\n", "step 1 is active"),
        ("1. [subtask] s\n  1.1. [act] b\n    > ← x\n2. [act] a → x\n", "step 2 comes later"),
    ],
)
def test_a_step_waits_for_what_another_one_is_to_put_out(steps: str, why: str) -> None:
    world = World({"accepted": [failed("no")], "d": [chosen("1.1")]}, {"accepted": ["ACCEPT"], "b": ["ACCEPT"]})
    made = world.run(steps).plan
    (step,) = (one for one in iter_steps(made) if one.description == "b")
    assert (step.status, step.result) == (PlanStatus.BLOCKED, f"inputs are missing: x ({why})")
    assert not {f"run {step.step_id}", f"reflect {step.step_id}"}.intersection(world.log)


@pytest.mark.parametrize(
    "steps",
    [
        "1. [act] b\n  > ← x\n",
        "1. [act] b → x\n  > ← x\n",
        "1. [subtask] s → x\n  1.1. [act] b\n    > ← x\n  1.2. [act] c\n",
        "1. [subtask] s | Progress: 0/1\n  1.1. [act] b\n    > ← x\n  1.2. [act] a → x\n",
    ],
)
def test_an_input_that_no_step_can_have_put_out_is_missing(steps: str) -> None:
    world = World()
    world.run(steps)
    assert (world.calls[0].step.description, world.calls[0].missing) == ("b", ("x",))


def test_what_is_given_is_not_waited_for() -> None:
    world = World()
    world.run("1. [~] [act] a → x\n2. [act] b\n  > ← x\n", inputs={"x": 1})
    assert world.inputs == [{"x": 1}]


# ---------------------------------------------------------------- blocked steps


def test_where_all_required_outputs_are_there_blocked_steps_do_not_matter() -> None:
    world = World({"fill": [failed("wet")]}, plannings=["PLAN_CMD: REVISE 2 [act] cover"])
    result = world.run(TWO, required=["hole"])
    assert (result.outcome, result.reason, result.blocked) == (Outcome.CONVERGED, "", ("2",))
    assert world.planned == []
    assert world.events[-1].data == {"outcome": "converged", "blocked": ["2"]}


def test_where_a_required_output_is_missing_blocked_steps_do() -> None:
    result = World({"dig": [failed("rock")]}).run(TWO, required=["hole"])
    assert (result.outcome, result.blocked) == (Outcome.BLOCKED, ("1",))
    assert result.reason == "steps are blocked: 1; outputs are missing: hole"


def test_where_no_outputs_are_required_blocked_steps_do() -> None:
    result = World({"fill": [failed("wet")]}).run(TWO)
    assert (result.outcome, result.blocked, result.reason) == (Outcome.BLOCKED, ("2",), "steps are blocked: 2")
    assert World().run(TWO).blocked == ()


def test_what_waits_below_a_blocked_step_is_dealt_with() -> None:
    result = World({"d": [failed("?")]}).run("1. [act] a → x\n2. [decide] d\n  2.1. [act] b\n", required=["x"])
    assert (result.outcome, result.blocked) == (Outcome.CONVERGED, ("2",))


def test_what_blocked_steps_lack() -> None:
    world = World({"a": [lacking()], "b": [lacking("why?")], "d": [failed()]})
    steps = "1. [act] a\n  > ← given\n2. [act] b\n3. [act] c\n  > ← x, y\n4. [act] d → x\n5. [act] e → y\n"
    result = world.run(steps)
    assert result.blocked == ("1", "2", "3", "4")
    assert result.lacking == (MissingInput("1", "given"), MissingInput("3", "x", "4"), MissingInput("3", "y", "5"))
    assert World().run(steps, inputs={"given": 1, "x": 1, "y": 1}).lacking == ()


# ---------------------------------------------------------------- what opens again


def test_what_lacked_an_input_opens_again_when_that_is_put_out() -> None:
    world = World({"dig": [failed("rock")]}, plannings=["PLAN_CMD: REVISE 1 [act] drill → hole"])
    result = world.run("1. [act] dig → hole\n2. [act] fill → hill\n  > ← hole\n3. [act] look\n  > ← hill\n")
    assert world.ran == ["1", "1", "2", "3"]
    assert (result.outcome, result.rounds) == (Outcome.CONVERGED, 2)
    assert shown(result.plan).count("[x]") == 3
    assert "opened 2" in world.kinds


def test_what_lacked_an_input_opens_again_when_a_new_step_puts_it_out() -> None:
    world = World({"fill": [lacking("which hole?"), ok()]}, plannings=["PLAN_CMD: ADD 1 [act] dig → hole"])
    assert world.run("1. [act] fill\n  > ← hole\n").outcome is Outcome.CONVERGED
    assert world.log == ["run 1", "plan changes", "run 1", "run 2"]


def test_a_step_that_is_no_more_blocked_is_looked_for() -> None:
    step, ledger = PlanStep("1", "", "act", "a", status=PlanStatus.BLOCKED), MemoryLedger()
    ledger.begin(RunInfo("r", 1.0))
    writer = RunWriter(PlanSpec(goal="g", steps=[step]), RunState(), ledger, "r", None)
    writer.note(Opened(**about(step, StepPatch(step, PlanStatus.ACTIVE))))
    assert writer.version == 1
    writer.note(Done(**about(step, StepPatch(step, PlanStatus.DONE))))
    assert writer.version == 1


def test_what_commands_alone_have_blocked_opens_again() -> None:
    # What a later step produces cannot be seen from before it.
    world = World({"fill": [lacking(), ok()]}, {"fill": ["PLAN_CMD: ADD 2 [act] look", "ACCEPT"]})
    world.plannings = ["PLAN_CMD: ADD 1 [act] dig → hole"]
    assert world.run("1. [act] fill\n  > ← hole\n").outcome is Outcome.CONVERGED
    assert world.log == ["run 1", "reflect 1", "run 2", "plan changes", "run 1", "run 2"]


def test_a_container_opens_again_with_what_stands_below_it() -> None:
    world = World({"dig": [failed("rock")]}, plannings=["PLAN_CMD: REVISE 1 [act] drill → hole"])
    steps = "1. [act] dig → hole\n2. [subtask] s\n  2.1. [decide] d\n    2.1.1. [act] fill\n      > ← hole\n"
    result = world.run(steps + "    2.1.2. [act] cover\n")
    assert world.ran == ["1", "2.1", "1", "2.1.1"]
    assert result.outcome is Outcome.CONVERGED
    assert shown(result.plan).splitlines()[2:4] == ["  2.1. [x] [decide] d | 2.1.1", "    2.1.1. [x] [act] fill"]


def test_a_container_opens_again_when_no_child_is_blocked_any_more() -> None:
    world = World({"dig": [failed("rock")], "fill": [failed("wet")]})
    world.answers = {"dig": ["hm"], "fill": ["ACCEPT\nPLAN_CMD: SKIP 1.1"]}
    result = world.run("1. [subtask] s\n  1.1. [act] dig\n  1.2. [act] look\n2. [act] fill\n")
    assert result.outcome is Outcome.CONVERGED
    assert [step.status.value for step in result.plan.steps] == ["done", "done"]
    assert world.ran == ["1.1", "1.2", "2"]


def test_what_failed_for_another_cause_stays_blocked() -> None:
    world = World({"dig": [failed("rock")], "fill": [failed("wet")]})
    world.plannings = ["PLAN_CMD: REVISE 1 [act] drill → hole"]
    result = world.run("1. [act] dig → hole\n2. [act] fill\n", limits=EngineLimits(max_rounds=2))
    assert (world.ran, result.blocked) == (["1", "2", "1"], ("2",))


def test_what_opens_again_does_so_whenever_the_run_goes_on() -> None:
    ledger = MemoryLedger()
    steps = "1. [act] fill → hill\n  > ← hole\n2. [subtask] s\n  2.1. [act] look\n    > ← hole, sun\n"
    world = World({"fill": [lacking(), ok(hill=1)], "look": [lacking(), ok()]})
    first = world.run(steps, ledger=ledger)
    assert first.blocked == ("1", "2", "2.1")
    second = world.run(first.plan, ledger=ledger, resume=True, inputs={"hole": 1})
    assert (second.blocked, world.ran) == (("2", "2.1"), ["1", "2.1", "1"])
    third = world.run(second.plan, ledger=ledger, resume=True, inputs={"sun": 1})
    assert (third.outcome, world.ran[3:]) == (Outcome.CONVERGED, ["2.1"])


def test_a_preview_knows_what_opens_again() -> None:
    ledger = MemoryLedger()
    steps = "1. [subtask] s\n  1.1. [subtask] t\n    1.1.1. [act] fill\n      > ← hole\n"
    first = World({"fill": [lacking()]}).run(steps, ledger=ledger)
    (info,) = ledger.runs()
    assert preview_resumed(first.plan, ledger, info) == []
    assert [one.step.step_id for one in preview_resumed(first.plan, ledger, info, ["hole"])] == ["1.1.1"]


# ---------------------------------------------------------------- parts that are planned again

PART = "1. [subtask] s → x\n  1.1. [act] a → x\n    > in detail\n  1.2. [act] b\n2. [act] c\n  > ← x\n"


def _replanned(answer: str) -> World:
    values = {"a": [ok("all well", x=7), ok(x=8)], "b": [failed("no"), ok()]}
    return World(values, {"b": ["PLAN_CMD: REPLAN 1 | why"]}, [answer])


def test_a_new_step_that_says_what_a_finished_one_said_is_not_done_again() -> None:
    world = _replanned("1. [act] d\n2. [act] a → x\n  > in detail\n")
    result = world.run(PART)
    assert world.ran == ["1.1", "1.2", "1.1", "2"]
    assert world.inputs[-1] == {"x": 7}
    assert "  1.2. [x] [act] a → x | all well\n" in shown(result.plan)
    assert (result.outcome, result.outputs) == (Outcome.CONVERGED, {"x": 7})
    assert [(step.step_id, step.result) for step in world.planned[0].finished] == [("1.1", "all well")]


@pytest.mark.parametrize(
    "step", ["1. [act] a → x\n", "1. [act] a → x, y\n  > in detail\n", "1. [reason] a → x\n  > in detail\n"]
)
def test_a_new_step_that_says_something_else_is_done(step: str) -> None:
    world = _replanned(step)
    world.steps = {**world.steps, "a": [ok(x=7), ok(x=8, y=9)]}
    assert world.run(PART).outputs["x"] == 8


def test_what_was_done_once_stands_for_one_step() -> None:
    world = _replanned("1. [act] a → x\n  > in detail\n2. [act] a → x\n  > in detail\n")
    world.run(PART)
    assert world.ran == ["1.1", "1.2", "1.2", "2"]


def test_a_loop_without_steps_of_its_own_is_not_done_again_if_its_rounds_are_as_many() -> None:
    steps = "1. [subtask] s\n  1.1. [subtask] a → x | Progress: 0/2\n  1.2. [act] b\n"
    for rounds, ran in ((2, []), (3, ["1.1"] * 3)):
        world = _replanned(f"1. [subtask] a → x | Progress: 0/{rounds}\n")
        assert world.run(steps).outcome is Outcome.CONVERGED
        assert world.ran == ["1.1", "1.1", "1.2", *ran]


def test_what_was_done_is_known_over_budgets_and_in_parts_of_parts() -> None:
    steps = "1. [subtask] s\n  1.1. [subtask] t\n    1.1.1. [act] a → x\n    1.1.2. [act] b\n"
    world, ledger, made = _replanned("no"), MemoryLedger(), plan(steps)
    world.answers = {"b": ["PLAN_CMD: REPLAN 1.1\nPLAN_CMD: REPLAN 1"]}
    world.plannings = ["no", "1. [act] a → x\n2. [act] c\n"]
    for _ in range(9):
        result = world.run(made, ledger=ledger, resume=bool(ledger.runs()), budget=Budget(llm_calls=1))
        made = result.plan
        if result.outcome is not Outcome.BUDGET:
            break
    assert world.ran == ["1.1.1", "1.1.2", "1.2"]
    assert [[step.result for step in call.finished] for call in world.planned] == [["all well"], ["all well"]]
    assert result.outputs == {"x": 7}


def test_a_planner_is_asked_to_write_again_what_is_still_right() -> None:
    world, prompts = _replanned(""), list[str]()
    planner = model_planner(lambda request: prompts.append(request.prompt) or "1. [act] d → x\n")  # type: ignore[func-returns-value]
    world.run(PART, planner=planner)
    assert '"details": [\n      "in detail"\n    ],' in prompts[0]
    assert '"result": "all well"' in prompts[0]


# ---------------------------------------------------------------- loops that an operator ends


def _last(**outputs: object) -> OperatorResult:
    return OperatorResult(outputs=outputs, loop="done")


def _decided(branch: str, loop: str) -> OperatorResult:
    return OperatorResult(branch=branch, loop=loop)


def test_a_loop_counts_up_until_the_operator_ends_it() -> None:
    world = World({"a": [ok("one"), ok("two"), _last(x=1)]})
    result = world.run("1. [subtask] a → x | Progress: 3\n2. [act] b\n")
    assert world.ran == ["1", "1", "1", "2"]
    assert [call.loop for call in world.calls] == ["1", "1", "1", ""]
    assert shown(result.plan).startswith("1. [x] [subtask] a → x | Progress: 6\n")


def test_a_step_in_a_loop_ends_the_nearest_one_with_its_round() -> None:
    steps = "1. [subtask] s | Progress: 1\n  1.1. [act] a\n  1.2. [subtask] t | Progress: 0/3\n    1.2.1. [act] b\n"
    world = World({"a": [ok(), _last()], "b": [ok(), _last(), _last()]})
    assert shown(world.run(steps).plan).startswith("1. [x] [subtask] s | Progress: 3\n")
    assert world.ran == ["1.1", "1.2.1", "1.2.1", "1.1", "1.2.1"]


@pytest.mark.parametrize("progress", ["", " | Progress: 0/5"])
def test_the_source_s_loop_ends_when_its_goal_is_reached(progress: str) -> None:
    """Its example: a subtask with a decide, until the goal is reached or all rounds are over."""
    text = (
        f"5. [subtask] 迭代训练 XGBoost 直到 Gini ≥ 0.40 或满 5 轮 → cv_metrics{progress}\n"
        "  5.1. [x] [act] 训练 XGBoost 二分类器，5 折分层交叉验证 → cv_metrics | Gini=0.38, AUC=0.69\n"
        "  5.4. [decide] 检查 Gini 是否达到目标阈值\n"
        "    5.4.1. [act] Gini ≥ target → 跳出迭代进入报告\n"
        "    5.4.2. [act] 应用参数调整方案，继续下一轮迭代\n"
        "6. [act] 生成精算分析报告 → report\n"
    )
    world = World({"检查 Gini 是否达到目标阈值": [*[_decided("5.4.2", "again")] * 2, _decided("5.4.1", "done")]})
    result = world.run(text)
    assert result.outcome is Outcome.CONVERGED
    assert world.ran == ["5.4", "5.4.2", "5.1", "5.4", "5.4.2", "5.1", "5.4", "5.4.1", "6"]
    assert result.plan.steps[0].done_count == 3
    assert {call.loop for call in world.calls if call.step.step_id == "5.4"} == {"5"}


def test_a_subtask_without_progress_goes_on_only_if_that_is_said() -> None:
    steps = "1. [subtask] s\n  1.1. [act] a\n"
    for said, rounds in (([ok()], 1), ([OperatorResult(loop="again"), ok()], 2)):
        world = World({"a": said})
        assert world.run(steps).outcome is Outcome.CONVERGED
        assert len(world.ran) == rounds


@pytest.mark.parametrize("steps", ["1. [subtask] a{}\n", "1. [subtask] s{}\n  1.1. [act] a\n"])
def test_a_loop_that_goes_on_at_its_limit_is_blocked(steps: str) -> None:
    why = "4 rounds are all that it may have, and "
    for progress, said, count, reason in (
        ("1", ok(), 3, "nothing has said that it is done"),
        ("0/4", OperatorResult(loop="again"), 4, "it is to be done again"),
    ):
        world = World({"a": [said]})
        result = world.run(steps.format(f" | Progress: {progress}"), limits=EngineLimits(max_loop=4))
        assert (len(world.ran), result.plan.steps[0].done_count) == (count, 4)
        assert (result.outcome, result.plan.steps[0].result) == (Outcome.BLOCKED, why + reason)


def test_a_loop_in_a_loop_starts_over() -> None:
    world = World({"a": [ok(), _last()] * 2})
    result = world.run("1. [subtask] s | Progress: 0/2\n  1.1. [subtask] t | Progress: 1\n    1.1.1. [act] a\n")
    assert world.ran == ["1.1.1"] * 4
    # It counts from 0 then.
    assert result.plan.steps[0].children[0].done_count == 2


def test_a_loop_that_is_revised_is_none_any_more() -> None:
    steps = "1. [subtask] s | Progress: 0/2\n  1.1. [act] b\n  1.2. [subtask] t | Progress: 1\n    1.2.1. [act] a\n"
    answer = "RETRY\nPLAN_CMD: REVISE 1.2 [subtask] u"
    world = World({"a": [_last(), ok()], "b": [ok(), failed(), ok()]}, {"b": [answer]})
    assert world.run(steps).outcome is Outcome.CONVERGED
    assert world.ran == ["1.1", "1.2.1", "1.1", "1.1", "1.2.1"]


def test_the_end_of_a_loop_outlives_a_budget() -> None:
    world, ledger = World({"a": [_last()]}), MemoryLedger()
    steps = "1. [subtask] s | Progress: 1\n  1.1. [act] a\n  1.2. [act] b\n"
    first = world.run(steps, ledger=ledger, budget=Budget(steps=1))
    assert world.run(first.plan, ledger=ledger, resume=True).outcome is Outcome.CONVERGED
    assert world.ran == ["1.1", "1.2"]


def test_an_answer_ends_a_loop() -> None:
    step = plan("1. [subtask] a | Progress: 1\n").steps[0]
    read = read_execution('{"status": "OK", "result": "", "loop": "done"}', step)
    assert read.diagnostics == []
    assert read.answer is not None
    assert read.answer.loop == "done"
    for said in ('"yes"', "true"):
        wrong = read_execution(f'{{"status": "OK", "result": "", "loop": {said}}}', step)
        assert [found.code for found in wrong.diagnostics] == ["PE103"]
    for language in ("en", "zh"):
        asked = [request_execution(step, {}, (), "", language=language, loop=loop) for loop in ("1", "")]
        assert ["`loop`" in request.prompt for request in asked] == [True, False]
        assert ["loop" in request.data for request in asked] == [True, False]


# ---------------------------------------------------------------- one subtask by itself

PARTS = "1. [act] z\n2. [subtask] s → x\n  2.1. [act] a → x\n  2.2. [act] b\n3. [act] c\n"


def test_a_subtask_runs_by_itself() -> None:
    world = World()
    result = world.engine(plan(PARTS)).run_subtask("2")
    assert world.ran == ["2.1", "2.2"]
    assert (result.outcome, result.outputs) == (Outcome.CONVERGED, {"x": "a"})
    assert shown(result.plan) == (
        "1. [act] z\n2. [x] [subtask] s → x\n  2.1. [x] [act] a → x\n  2.2. [x] [act] b\n3. [act] c\n"
    )


def test_the_outputs_of_a_subtask_are_what_is_required() -> None:
    world = World({"b": [failed("no")]})
    result = world.engine(plan(PARTS), required=["nothing"]).run_subtask("2")
    assert (result.outcome, result.blocked) == (Outcome.CONVERGED, ("2", "2.2"))
    world = World({"a": [failed("no")]})
    result = world.engine(plan(f"0. [!] [act] o\n{PARTS}")).run_subtask("2")
    assert (result.outcome, result.blocked) == (Outcome.BLOCKED, ("2", "2.1"))
    assert result.reason == "steps are blocked: 2, 2.1; outputs are missing: x"


def test_a_subtask_is_planned_again_in_rounds_of_its_own() -> None:
    world = World({"a": [failed("no")]}, plannings=["PLAN_CMD: ADD 2.3 [act] d → x"])
    result = world.engine(plan(PARTS)).run_subtask("2")
    assert world.log == ["run 2.1", "run 2.2", "plan changes", "run 2.3"]
    assert (result.outcome, result.rounds) == (Outcome.CONVERGED, 2)
    (call,) = world.planned
    assert (call.commands, call.missing) == (("REVISE", "ADD", "REPLAN"), ("x",))


@pytest.mark.parametrize(
    "command", ["ADD 2 [act] y", "REVISE 3 [act] y", "SKIP 2", "REVISE 2 [subtask] y", "SKIP 1", "REPLAN 20"]
)
def test_the_rest_of_the_plan_stays_as_it_is(command: str) -> None:
    steps = f"{PARTS}20. [subtask] u\n  20.1. [act] v\n"
    world = World({"b": [failed("no")]}, {"b": [f"PLAN_CMD: {command}", "ACCEPT"]})
    result = world.engine(plan(steps)).run_subtask("2")
    refusal = world.reflections[1].refusal
    assert refusal is not None
    (fault,) = refusal.diagnostics
    assert fault.message.endswith(": only steps below step 2 can be changed here")
    assert [step.status.value for step in result.plan.steps] == ["pending", "done", "pending", "pending"]


def test_the_rest_of_a_plan_is_run_behind_its_subtask() -> None:
    ledger, world = MemoryLedger(), World()
    first = world.engine(plan(PARTS), ledger=ledger).run_subtask("2")
    assert world.run(first.plan, ledger=ledger, resume=True).outputs == {"x": "a"}
    assert world.ran == ["2.1", "2.2", "1", "3"]


def test_what_a_subtask_stands_below_stays_as_it_is() -> None:
    steps = "1. [subtask] r\n  1.1. [subtask] s\n  1.2. [act] c\n"
    world = World({"a": [failed("no")]}, plannings=["1. [act] a\n", "PLAN_CMD: REVISE 1.1.1 [act] b"])
    result = world.engine(plan(steps)).run_subtask("1.1")
    assert world.log == ["plan children 1.1", "run 1.1.1", "plan changes", "run 1.1.1"]
    assert shown(result.plan) == ("1. [subtask] r\n  1.1. [x] [subtask] s\n    1.1.1. [x] [act] b\n  1.2. [act] c\n")


def test_a_whole_new_plan_waits_for_the_whole_run() -> None:
    ledger = MemoryLedger()
    world = World({"a": [failed("no")]}, plannings=["PLAN_CMD: REPLAN ALL", "1. [act] e\n"])
    first = world.run(PARTS, ledger=ledger, budget=Budget(llm_calls=5))
    text = parse_plan(serialize_plan(first.plan).replace("[!]", "[ ]"))
    assert first.outcome is Outcome.BUDGET
    result = world.engine(text, ledger=ledger).run_subtask("2", resume=True)
    assert (result.outcome, [call.purpose.value for call in world.planned]) == (Outcome.BLOCKED, ["changes"])


def test_a_subtask_is_gone_on_with() -> None:
    ledger, world = MemoryLedger(), World()
    first = world.engine(plan(PARTS), ledger=ledger, budget=Budget(steps=1)).run_subtask("2")
    assert first.outcome is Outcome.BUDGET
    second = asyncio.run(world.engine(first.plan, ledger=ledger).arun_subtask("2", resume=True))
    assert (second.outcome, world.ran) == (Outcome.CONVERGED, ["2.1", "2.2"])


@pytest.mark.parametrize(
    ("step_id", "why"),
    [
        ("9", "there is no such step"),
        ("", "there is no such step"),
        ("1", "it is of type act"),
        ("2.1", "it is of type act"),
    ],
)
def test_what_is_no_subtask_cannot_be_run_by_itself(step_id: str, why: str) -> None:
    with pytest.raises(PlanRunError, match=f"^step {step_id} is not a subtask: {why}$"):
        World().engine(plan(PARTS)).run_subtask(step_id)


# ---------------------------------------------------------------- commands alone


def test_a_step_that_one_is_put_in_front_of_is_tried_again() -> None:
    world = World({"dig": [failed("blunt"), ok(hole=1)]}, {"dig": ["PLAN_CMD: ADD 1 [act] sharpen"]})
    result = world.run(TWO)
    assert world.log == ["run 1", "reflect 1", "run 1", "run 2", "run 3"]
    assert result.outcome is Outcome.CONVERGED
    assert [call.attempt for call in world.calls] == [1, 1, 2, 1]


def test_a_step_is_blocked_where_another_is_added_behind_it() -> None:
    world = World({"dig": [failed("rock")]}, {"dig": ["PLAN_CMD: ADD 2 [act] buy → hole"]})
    result = world.run(TWO)
    assert world.log == ["run 1", "reflect 1", "run 2", "run 3"]
    assert shown(result.plan) == "1. [!] [act] dig → hole | rock\n2. [x] [act] buy → hole\n3. [x] [act] fill\n"
    (reflected,) = [event for event in world.events if event.kind is RecordKind.REFLECTED]
    assert reflected.data["blocked"] is True


def test_a_step_is_blocked_where_later_ones_are_revised() -> None:
    world = World({"dig": [failed("rock")]}, {"dig": ["PLAN_CMD: REVISE 2 [act] cover"]})
    result = world.run(TWO)
    assert world.log == ["run 1", "reflect 1", "run 2"]
    assert shown(result.plan) == "1. [!] [act] dig → hole | rock\n2. [x] [act] cover\n"
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, "steps are blocked: 1")


def test_a_step_is_tried_again_where_an_earlier_one_is_revised() -> None:
    world = World({"fill": [failed("wet"), ok()]}, {"fill": ["PLAN_CMD: REVISE 1 [act] drain"]})
    assert world.run(TWO).outcome is Outcome.CONVERGED
    assert world.log == ["run 1", "run 2", "reflect 2", "run 1", "run 2"]


def test_a_step_is_blocked_where_an_earlier_one_is_skipped() -> None:
    """Nothing is to be done in front of it."""
    world = World({"dig": [failed("rock")], "fill": [failed("wet")]}, {"fill": ["PLAN_CMD: SKIP 1"]})
    world.answers = {"dig": ["PLAN_CMD: ADD 3 [act] rest"], **world.answers}
    result = world.run(TWO)
    assert world.log == ["run 1", "reflect 1", "run 2", "reflect 2", "run 3"]
    assert shown(result.plan) == "1. [~] [act] dig → hole | rock\n2. [!] [act] fill | wet\n3. [x] [act] rest\n"


def test_a_container_is_closed_again_behind_what_is_added_to_it() -> None:
    world = World(answers={"s": ["PLAN_CMD: ADD 1.2 [act] b → x"]})
    result = world.run("1. [subtask] s → x\n  1.1. [act] a\n")
    assert world.log == ["run 1.1", "reflect 1", "run 1.2"]
    assert result.outcome is Outcome.CONVERGED


def test_a_container_is_done_again_behind_what_is_put_in_front_of_it() -> None:
    world = World({"a": [ok(), ok(x=1)]}, {"s": ["PLAN_CMD: ADD 1 [act] b"]})
    steps = "1. [subtask] s → x\n  1.1. [act] a\n  1.2. [decide] which?\n    1.2.1. [act] c\n    1.2.2. [act] d\n"
    assert world.run(steps).outcome is Outcome.CONVERGED
    below = ["run 2.1", "run 2.2", "run 2.2.1"]
    assert world.log == [*(name.replace(" 2", " 1", 1) for name in below), "reflect 1", "run 1", *below]


@pytest.mark.parametrize("answer", ["PLAN_CMD: ADD 1 [act] sharpen", "PLAN_CMD: ADD 3 [act] rest"])
def test_what_commands_come_to_outlives_a_crash(answer: str) -> None:
    """Whatever is decided is one record: no question is asked twice."""
    ledger, world = MemoryLedger(), World({"dig": [failed("rock"), ok(hole=1)]}, {"dig": [answer]})

    def stop(event: ThinkEvent) -> None:
        if event.kind is RecordKind.REFLECTED:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.run(TWO, ledger=ledger, on_event=stop)
    assert world.run(TWO, ledger=ledger, resume=True).plan.steps[-1].status is PlanStatus.DONE
    assert world.log.count("reflect 1") == 1
