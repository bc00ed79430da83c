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
    "command",
    [
        "read_file",
        "read_file: a.txt",
        "read_file a.txt",
        "write-file",
        "shell: ls",
        "shell:ls",
        " shell: ls",
        "read_file:",
    ],
)
def test_a_tool_or_the_general_form_is_called(command: str) -> None:
    assert check(execute(command), tools=TOOLS) == []


@pytest.mark.parametrize(
    "command", ["delete_file", "read", "read_files", "Read_file", "ls -l", "shell ls", "shell:", "shell:  ", "bash: ls"]
)
def test_no_tool_is_made_up(command: str) -> None:
    assert paths_of(check(execute(command), tools=TOOLS)) == [("PN301", "executor_call.command")]


def test_without_a_list_any_tool_will_do() -> None:
    assert check(execute("delete_file")) == []


def test_an_empty_list_leaves_the_general_form() -> None:
    assert codes_of(check(execute("read_file"), tools=Executors())) == ["PN301"]
    assert check(execute("shell: cat a"), tools=Executors()) == []


def test_a_tool_may_be_called_shell() -> None:
    assert check(execute("shell"), tools=Executors([Executor("shell")])) == []


# ---------------------------------------------------------------- depth


@pytest.mark.parametrize(("depth", "codes"), [(0, []), (3, []), (4, ["PN304"])])
def test_splitting_ends_one_level_above_the_last(depth: int, codes: list[str]) -> None:
    found = check(steps(), after(path=depth))
    assert codes_of(found) == codes
    assert all(one.severity is Severity.WARNING for one in found)
    assert check(execute(), after(path=depth)) == []


def test_at_the_last_level_nothing_is_planned() -> None:
    assert paths_of(check(execute(), after(path=5))) == [("PN201", "type")]
    assert check(returned(), after(path=5)) == []


def test_a_block_with_a_plan_takes_no_result() -> None:
    assert paths_of(check(returned(), after())) == [("PN201", "type")]


# ---------------------------------------------------------------- what has failed


def test_the_same_call_is_refused() -> None:
    again = execute("shell:  ｐｕｍｐ --start", goal="Another goal")
    assert paths_of(check(again, after(failed(command="shell: pump --start")))) == [("PN302", "executor_call")]


def test_another_call_is_fine() -> None:
    context = after(failed(command="read_file", name="a"))
    assert check({**execute(goal="Other"), "executor_call": call("read_file", name="b")}, context) == []
    assert codes_of(check({**execute(goal="Other"), "executor_call": call("read_file", name="a")}, context)) == [
        "PN302"
    ]


def test_inputs_are_the_same_whatever_their_white_space_and_order() -> None:
    context = after(failed(command="read_file", lines=["a  b"], name="ｘ"))
    again = {**call("read_file"), "inputs": {"name": "x", "lines": ["a b"]}}
    assert codes_of(check({**execute(goal="Other"), "executor_call": again}, context)) == ["PN302"]


def test_numbers_are_not_booleans() -> None:
    context = after(failed(command="read_file", count=1))
    assert check({**execute(goal="Other"), "executor_call": call("read_file", count=True)}, context) == []
    again = {**execute(goal="Other"), "executor_call": call("read_file", count=1.0)}
    assert codes_of(check(again, context)) == ["PN302"]


def test_a_shell_command_has_width() -> None:
    assert codes_of(check(execute("shell: \u200b"), None, TOOLS)) == ["PN301"]


def test_a_failed_goal_comes_back_split() -> None:
    context = after(failed("Pump"))
    assert paths_of(check(execute("shell: other", goal="Pump"), context)) == [("PN303", "new_block.goal")]
    assert paths_of(check(execute("shell: other", goal=" ｐump ".replace("ｐ", "Ｐ")), context)) == [
        ("PN303", "new_block.goal")
    ]
    assert check(steps(goal="Pump"), context) == []


def test_a_failed_goal_of_four_sides_is_the_same_if_all_are() -> None:
    context = after(failed(Core4(**GOAL)))
    assert codes_of(check(execute("shell: other"), context)) == ["PN303"]
    assert check(execute("shell: other", goal={**GOAL, "metric": "below 50 %"}), context) == []


def test_a_text_and_four_sides_are_the_same_goal_if_the_intent_is() -> None:
    assert codes_of(check(execute("shell: other", goal="Dry the cellar"), after(failed(Core4(**GOAL))))) == ["PN303"]
    assert codes_of(check(execute("shell: other"), after(failed("Dry the cellar")))) == ["PN303"]


def test_the_same_plan_of_the_same_goal_is_refused() -> None:
    plan = ["Rent a pump", "Pump the cellar dry", "Seal the wall"]
    assert paths_of(check(steps(plan, goal="Pump"), after(failed("Pump", plan)))) == [("PN302", "new_block")]
    assert check(steps(plan[::-1], goal="Pump"), after(failed("Pump", plan))) == []
    assert check(steps(plan, goal="Drain"), after(failed("Pump", plan))) == []


def test_a_failed_item_is_refused() -> None:
    context = after(failed("Rent  a pump"))
    assert paths_of(check(steps(goal="Drain"), context)) == [("PN302", "new_block.plan[0]")]
    assert paths_of(check(execute("shell: x", goal="Drain", update_plan=["a", "Rent a pump"]), context)) == [
        ("PN302", "update_plan[1]")
    ]


def test_only_failures_count_and_only_those_of_this_block() -> None:
    done = DoneItem("Rent a pump", executor_call=ExecutorCall("shell: pump --start", {}, []))
    assert check(execute(goal="Rent a pump"), after(done)) == []
    assert check(steps(), after(done)) == []
    overcome = DoneItem("Other", done=[failed("Rent a pump")])
    assert check(steps(), after(overcome)) == []
    below = open_block(after(failed("Rent a pump")), parse_message(encode(probes()), "planning"))  # type: ignore[arg-type]
    assert check(steps(), below) == []


def test_what_has_failed_inside_a_failed_block_counts() -> None:
    inside = DoneItem("Other", "no", DoneStatus.FAILED, done=[failed("Deeper", command="shell: pump --start")])
    outside = DoneItem("Outer", "no", DoneStatus.FAILED, done=[inside])
    assert paths_of(check(execute(goal="Drain"), after(outside))) == [("PN302", "executor_call")]


def test_what_the_runtime_records_is_what_is_compared() -> None:
    context = start_context("Dry the cellar", ["Pump"])
    message = parse_message(encode(execute(goal="Pump")), "planning")
    assert isinstance(message, PlanNext)
    again = close_block(open_block(context, message), "no power", DoneStatus.FAILED)
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
