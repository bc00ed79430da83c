"""The protocol's obligations that take a context, executors or a running plan; the page of obligations has all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.plan_next import (
    Block,
    Context,
    DoneItem,
    DoneStatus,
    ExecutorCall,
    Executors,
    Judge,
    Phase,
    PlanNext,
    check_message,
    parse_message,
    start_context,
)
from planspec_lark.plan_next.executors import read_executors
from planspec_lark.planner import MessageRefusal, PlannerEvent, PlannerEventKind, Runtime, create_state, read_state
from tests.plan_next.obligations import holds
from tests.plan_next.variants import CALL, CORE4, EXECUTE, PROBES, RESULT, STEPS, changed, within, write

EXECUTORS = read_executors("- id: crane\n  guarantees: lifts 2 t\n- id: saw\n")


def faults(
    message: dict[str, Any], context: Context | None = None, executors: Executors | None = None
) -> list[tuple[str, str]]:
    read = parse_message(write(message), "planning")
    return [(found.code, found.path) for found in check_message(read, context, executors)]


def after(*failed: DoneItem, status: DoneStatus = DoneStatus.FAILED) -> Context:
    """A context in which something has been tried."""
    done = [DoneItem(item.goal, "", status, item.plan, item.executor_call) for item in failed]
    return Context(Block("Dry hall", ["Mend the roof", "Paint the hall"], done))


# ---------------------------------------------------------------- tools


@holds("M19", "M25", "B5", "B38")
@pytest.mark.parametrize("command", ["drill", "drill: 8 mm", "Crane", "crane2 up", "shells: ls", "drill shell: ls"])
def test_no_tool_is_made_up(command: str) -> None:
    message = changed(EXECUTE, ("executor_call", "command"), command)
    assert faults(message, executors=EXECUTORS) == [("PN301", "executor_call.command")]
    assert faults(message, executors=Executors()) == [("PN301", "executor_call.command")]


@holds("M25", "B5", "B38")
@pytest.mark.parametrize("command", ["crane", "crane up 2 m", "saw: 40 cm", "shell: ls", "shell:ls -l"])
def test_listed_tools_and_the_general_form(command: str) -> None:
    assert faults(changed(EXECUTE, ("executor_call", "command"), command), executors=EXECUTORS) == []


# ---------------------------------------------------------------- what has failed


@holds("B20", "B45")
@pytest.mark.parametrize("goal", ["Mend the roof", "Ｍｅｎｄ  the\nroof ", CORE4], ids=["same", "width", "Core4"])
def test_the_same_block_does_not_come_again(goal: Any) -> None:
    first = within(STEPS, goal=CORE4 if isinstance(goal, dict) else "Mend the roof")
    tried = parse_message(write(first), "planning")
    assert isinstance(tried, PlanNext)
    item = DoneItem(tried.new_block.goal, "", plan=tried.new_block.plan)
    again = within(STEPS, goal=goal)
    assert faults(again, after(item)) == [("PN302", "new_block")]
    assert faults(again, after(item, status=DoneStatus.DONE)) == []
    assert faults(within(again, plan=["Lift the tiles", "Replace the felt", "Lay tiles"]), after(item)) == []


@holds("B20")
@pytest.mark.parametrize("item", ["Lay tiles", "Lay  tiles", "Ｌａｙ tiles"])
def test_the_same_item_does_not_come_again(item: str) -> None:
    context = after(DoneItem("Lay tiles"))
    plan = ["Buy tiles", item, "Test with water"]
    assert faults(within(STEPS, plan=plan), context) == [("PN302", "new_block.plan[1]")]
    assert faults({**STEPS, "update_plan": [item]}, context)[-1] == ("PN302", "update_plan[0]")
    assert faults(within(STEPS, plan=plan), after(DoneItem("Lay tiles"), status=DoneStatus.DONE)) == []


@holds("B20")
@pytest.mark.parametrize("command", ["shell: ls", "shell:  ls ", "ｓhell: ls"])
def test_the_same_call_does_not_come_again(command: str) -> None:
    context = after(DoneItem("Count the tiles", executor_call=ExecutorCall("shell: ls", {}, ["exit code 0"])))
    again = {**EXECUTE, "executor_call": {**CALL, "command": command}}
    assert faults(again, context) == [("PN302", "executor_call")]
    other = {**EXECUTE, "executor_call": {**CALL, "inputs": {"all": True}}}
    assert faults(other, context) == []


@holds("B21", "B42", "B43", "B45", "F10", "F11")
@pytest.mark.parametrize("goal", ["List the tiles", "List the  tiles"])
def test_what_has_failed_comes_back_split(goal: str) -> None:
    context = after(DoneItem("List the tiles"))
    assert faults(within(EXECUTE, goal=goal), context) == [("PN303", "new_block.goal")]
    assert faults(within(EXECUTE, goal=goal), after(DoneItem("List the tiles"), status=DoneStatus.DONE)) == []
    assert faults(within(STEPS, goal=goal), context) == []
    assert faults(within(PROBES, goal=goal), context) == []


# ---------------------------------------------------------------- a running plan


def run(
    folder: Path,
    context: Context,
    answers: Iterator[dict[str, Any]],
    *,
    turns: int,
    result: dict[str, Any] = RESULT,
) -> tuple[Context, list[PlannerEvent]]:
    """Where some turns lead, with a planner that has these answers and an executor that has always the same."""
    events: list[PlannerEvent] = []

    def plan(_context: Context, _refusal: MessageRefusal | None) -> str:
        return write(next(answers))

    create_state(folder, context)
    runtime = Runtime(folder, plan, lambda _: write(result), judge=Judge(executors=EXECUTORS), on_event=events.append)
    runtime.run(max_turns=turns)
    return read_state(folder), events


def refused(events: list[PlannerEvent]) -> list[list[str]]:
    return [
        [found.code for found in one.refusal.diagnostics] for one in events if one.refusal and one.kind == "refused"
    ]


@holds("M5", "M7", "B1", "B8", "F3", "F7")
def test_the_runtime_refuses_a_return_in_planning(tmp_path: Path) -> None:
    context = start_context("Dry hall")
    end, events = run(tmp_path, context, iter([RESULT, {**RESULT, "type": "plan"}, STEPS]), turns=1)
    assert refused(events) == [["PN201"], ["PN104"]]
    assert end.think.goal == "Mend the roof"


@holds("M6", "M7", "F5", "F7")
def test_the_runtime_refuses_a_next_in_execution(tmp_path: Path) -> None:
    end, events = run(tmp_path, start_context("Dry hall", []), iter([]), turns=1, result=STEPS)
    assert refused(events) == [["PN201"]]
    assert end.outcome is not None
    assert end.outcome.failed


@holds("F4", "F6", "F7")
def test_the_runtime_refuses_what_lacks_its_main_part(tmp_path: Path) -> None:
    bad = [within(STEPS, goal=""), within(STEPS, plan=None), within(STEPS, done=["Bought tiles"])]
    _, events = run(tmp_path / "planned", start_context("Dry hall"), iter(bad), turns=1)
    assert refused(events) == [["PN106"], ["PN103"], ["PN107"]]
    end, events = run(
        tmp_path / "executed", start_context("Dry hall", []), iter([]), turns=1, result={"type": "plan-return"}
    )
    assert refused(events) == [["PN101"]]
    assert end.outcome is not None
    assert end.outcome.failed


@holds("M19", "B20", "B42", "B45", "F10")
def test_the_runtime_refuses_what_the_context_rules_out(tmp_path: Path) -> None:
    tried = within(EXECUTE, goal="Mend the roof")
    drill = changed(EXECUTE, ("executor_call", "command"), "drill")
    bad = [tried, {**STEPS, "update_plan": ["Mend the  roof"]}, drill]
    _, events = run(tmp_path, after(DoneItem("Mend the roof")), iter(bad), turns=1)
    assert refused(events) == [["PN303"], ["PN302"], ["PN301"]]


@holds("M21")
def test_update_plan_replaces_the_whole_plan(tmp_path: Path) -> None:
    context = start_context("Dry hall", ["Mend the roof", "Paint the hall", "Open the hall"])
    update = ["Paint the hall in blue", "Hang the lamps"]
    message = {**EXECUTE, "update_plan": update}
    opened, _ = run(tmp_path / "opened", context, iter([message]), turns=1)
    assert opened.path[0].plan == update
    closed, _ = run(tmp_path / "closed", context, iter([message]), turns=2)
    assert closed.think.plan == update
    plain, _ = run(tmp_path / "plain", context, iter([EXECUTE]), turns=2)
    assert plain.think.plan == ["Paint the hall", "Open the hall"]


@holds("B3")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_planning_is_skipped_at_the_depth_limit(tmp_path: Path, depth: int) -> None:
    around = [Block(f"Level {level}", ["Go on"]) for level in range(depth)]
    below = Context(Block("Mend the roof", ["Buy tiles"]), around, max_depth=depth + 1)
    limit = Context(Block("Mend the roof", ["Buy tiles"]), around, max_depth=depth)
    assert (below.phase, limit.phase) == (Phase.PLANNING, Phase.EXECUTION)
    _, planned = run(tmp_path / "below", below, iter([STEPS]), turns=1)
    _, executed = run(tmp_path / "limit", limit, iter([]), turns=1)
    assert [one.phase for one in planned if one.kind is PlannerEventKind.ASKED] == [Phase.PLANNING]
    assert [one.phase for one in executed if one.kind is PlannerEventKind.ASKED] == [Phase.EXECUTION]


@holds("B44")
def test_a_message_changes_nothing_that_is_done(tmp_path: Path) -> None:
    done = [DoneItem("Buy tiles", "40 tiles"), DoneItem("Lay tiles", "It rained", DoneStatus.FAILED)]
    context = Context(Block("Mend the roof", ["Buy felt"], done), [Block("Dry hall", ["Mend the roof"], done[:1])])
    message = {**within(EXECUTE, goal="Buy felt"), "update_plan": []}
    end, _ = run(tmp_path, context, iter([message]), turns=1)
    assert [block.done for block in end.path] == [done, done[:1]]
    assert [block.goal for block in end.path] == ["Mend the roof", "Dry hall"]
    assert end.think.done == []
    # All that it may change is the rest of the plan of the block at hand.
    assert [block.plan for block in end.path] == [[], ["Mend the roof"]]


@holds("B44")
def test_what_a_callable_does_to_its_context_is_not_written(tmp_path: Path) -> None:
    """The context that a planner or an executor is given is its own."""
    context = Context(Block("Dry hall", ["Mend the roof", "Paint the hall"], [DoneItem("Buy tiles", "40 tiles")]))

    def spoil(given: Context) -> None:
        for block in (given.think, *given.path):
            block.done.clear()
            block.plan.append("Rob a bank")

    def plan(given: Context, _refusal: MessageRefusal | None) -> str:
        spoil(given)
        return write(EXECUTE)

    def execute(given: Context) -> str:
        spoil(given)
        return write(RESULT)

    create_state(tmp_path, context)
    Runtime(tmp_path, plan, execute).run(max_turns=2)
    end = read_state(tmp_path)
    assert end.think.plan == ["Paint the hall"]
    assert [item.goal for item in end.think.done] == ["Buy tiles", "List the tiles"]
    assert end.think.done[1].left == []
