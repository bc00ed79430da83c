"""Rules that depend on where a plan stands and which tools there are."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Diagnostic, Severity, render_all
from planspec_lark.plan_next import (
    Block,
    Context,
    Core4,
    DoneItem,
    DoneStatus,
    Executor,
    ExecutorCall,
    Executors,
    NewBlock,
    PlanNext,
    PlanReturn,
    PlanType,
    check_message,
    parse_message,
    start_context,
)
from planspec_lark.plan_next.context import close_block, open_block
from tests.plan_next.messages import GOAL, call, codes_of, encode, execute, paths_of, probes, returned, steps

TOOLS = Executors([Executor("read_file"), Executor("write-file")])


def check(value: dict[str, Any], context: Context | None = None, tools: Executors | None = None) -> list[Diagnostic]:
    phase = "planning" if value["type"] == "plan-next" else "execution"
    return check_message(parse_message(encode(value), phase), context, tools)


def after(*items: DoneItem, path: int = 0, max_depth: int = 5) -> Context:
    """A context in which these are done, below so many blocks."""
    return Context(Block("Dry the cellar", ["go on"], list(items)), [Block("x", ["y"])] * path, max_depth=max_depth)


def failed(goal: Any = "Pump", plan: list[str] | None = None, command: str | None = None, **inputs: Any) -> DoneItem:
    tried = None if command is None else ExecutorCall(command, inputs, [])
    return DoneItem(goal, "no", DoneStatus.FAILED, plan or [], tried)


# ---------------------------------------------------------------- executors


@pytest.mark.parametrize(
    "command", ["read_file", "read_file: a.txt", "read_file a.txt", "shell: ls", "shell:ls", " shell: ls", "read_file:"]
)
def test_a_tool_or_the_general_form_is_called(command: str) -> None:
    assert check(execute(command), tools=TOOLS) == []


@pytest.mark.parametrize("command", ["delete_file", "read", "Read_file", "ls -l", "shell ls", "shell: \u200b"])
def test_no_tool_is_made_up(command: str) -> None:
    assert paths_of(check(execute(command), tools=TOOLS)) == [("PN301", "executor_call.command")]


def test_a_list_may_be_missing_or_empty_or_name_the_shell() -> None:
    assert check(execute("delete_file")) == []
    assert codes_of(check(execute("read_file"), tools=Executors())) == ["PN301"]
    assert check(execute("shell: cat a"), tools=Executors()) == []
    assert check(execute("shell"), tools=Executors([Executor("shell")])) == []


# ---------------------------------------------------------------- depth


@pytest.mark.parametrize(("depth", "codes"), [(0, []), (3, []), (4, ["PN304"])])
def test_splitting_ends_one_level_above_the_last(depth: int, codes: list[str]) -> None:
    found = check(steps(), after(path=depth))
    assert codes_of(found) == codes
    assert all(one.severity is Severity.WARNING for one in found)
    assert check(execute(), after(path=depth)) == []


def test_a_message_is_one_for_its_phase() -> None:
    assert paths_of(check(execute(), after(path=5))) == [("PN201", "type")]
    assert check(returned(), after(path=5)) == []
    assert paths_of(check(returned(), after())) == [("PN201", "type")]


# ---------------------------------------------------------------- what has failed


def read(goal: str = "Other", **inputs: Any) -> dict[str, Any]:
    return {**execute(goal=goal), "executor_call": call("read_file", **inputs)}


def other(goal: Any = None, **more: Any) -> dict[str, Any]:
    return execute("shell: other", goal=goal, **more)


PLAN = ["Rent a pump", "Pump the cellar dry", "Seal the wall"]
CALL_AGAIN, GOAL_AGAIN = [("PN302", "executor_call")], [("PN303", "new_block.goal")]
READ = failed(command="read_file", lines=["a  b"], name="ｘ", count=1)
INSIDE = DoneItem("Other", "no", DoneStatus.FAILED, done=[failed("Deeper", command="shell: pump --start")])
AGAIN: list[tuple[dict[str, Any], DoneItem, list[tuple[str, str]]]] = [
    # calls
    (execute("shell:  ｐｕｍｐ --start", goal="Other"), failed(command="shell: pump --start"), CALL_AGAIN),
    (read(name="x", lines=["a b"], count=1.0), READ, CALL_AGAIN),
    (read(name="x", lines=["a b"], count=True), READ, []),
    (read(name="y", lines=["a b"], count=1), READ, []),
    (execute(goal="Drain"), DoneItem("Outer", "no", DoneStatus.FAILED, done=[INSIDE]), CALL_AGAIN),
    # goals
    (other("Pump"), failed("Pump"), GOAL_AGAIN),
    (other(" Ｐump "), failed("Pump"), GOAL_AGAIN),
    (steps(goal="Pump"), failed("Pump"), []),
    (other(), failed(Core4(**GOAL)), GOAL_AGAIN),
    (other({**GOAL, "metric": "below 50 %"}), failed(Core4(**GOAL)), []),
    (other("Dry the cellar"), failed(Core4(**GOAL)), GOAL_AGAIN),
    (other(), failed("Dry the cellar"), GOAL_AGAIN),
    # plans and their items
    (steps(PLAN, goal="Pump"), failed("Pump", PLAN), [("PN302", "new_block")]),
    (steps(PLAN[::-1], goal="Pump"), failed("Pump", PLAN), []),
    (steps(PLAN, goal="Drain"), failed("Pump", PLAN), []),
    (steps(goal="Drain"), failed("Rent  a pump"), [("PN302", "new_block.plan[0]")]),
    (other("Drain", update_plan=["a", "Rent a pump"]), failed("Rent a pump"), [("PN302", "update_plan[1]")]),
    # what is done counts for nothing, nor does what has failed inside of it
    (
        execute(goal="Rent a pump"),
        DoneItem("Rent a pump", executor_call=ExecutorCall("shell: pump --start", {}, [])),
        [],
    ),
    (steps(), DoneItem("Other", done=[failed("Rent a pump")]), []),
]


@pytest.mark.parametrize(("message", "done", "found"), AGAIN)
def test_what_has_failed_does_not_come_again(
    message: dict[str, Any], done: DoneItem, found: list[tuple[str, str]]
) -> None:
    assert paths_of(check(message, after(done))) == found


def test_only_failures_of_this_block_count() -> None:
    below = open_block(after(failed("Rent a pump")), parse_message(encode(probes()), "planning"))  # type: ignore[arg-type]
    assert check(steps(), below) == []


def test_what_the_runtime_records_is_what_is_compared() -> None:
    message = parse_message(encode(execute(goal="Pump")), "planning")
    assert isinstance(message, PlanNext)
    again = close_block(open_block(start_context("Dry", ["Pump"]), message), "no power", DoneStatus.FAILED)
    assert codes_of(check_message(message, again)) == ["PN303", "PN302"]


# ---------------------------------------------------------------- the whole


def test_positions_are_those_of_the_text(snapshot: SnapshotAssertion) -> None:
    text = "{\n" + encode(execute("pump", goal="Ｐump"))[1:].replace('"new_block"', '\n"new_block"')
    message = parse_message(text, "planning", name="answer.json")
    context = after(failed("Pump", command="pump"), path=4)
    assert render_all(check_message(message, context, TOOLS)) == snapshot


def test_a_message_from_a_program_is_held_to_all_rules() -> None:
    block = NewBlock("Dry", ["first this", "that"])
    message = PlanNext(PlanType.PLAN_PROBES, block, executor_call=ExecutorCall("x", {}, []))
    assert paths_of(check_message(message)) == [
        ("PN204", "executor_call"),
        ("PN205", "new_block.plan"),
        ("PN206", "plan_type"),
        ("PN207", "new_block.plan[0]"),
    ]
    assert paths_of(check_message(PlanReturn("x"))) == [("PN215", "result")]
    assert check_message(PlanReturn({"a": 1})) == []


def test_a_copy_with_other_fields_is_held_to_all_rules() -> None:
    read = parse_message(encode(steps()), "planning")
    assert isinstance(read, PlanNext)
    copy = evolve(read, new_block=NewBlock("Dry", ["first this", "that"]))
    (found,) = check_message(copy)
    assert (found.code, found.path, found.span) == ("PN205", "new_block.plan", None)
    assert check_message(evolve(read)) == []


def test_where_nothing_may_be_split_a_failed_goal_is_not_to_be_split() -> None:
    found = [check(execute("shell: other", goal="Pump"), after(failed("Pump"), path=depth)) for depth in (3, 4)]
    assert [one.help for (one,) in found] == [
        "choose PLAN_STEPS or PLAN_PROBES",
        "ask for a smaller part of it, or try another way",
    ]
