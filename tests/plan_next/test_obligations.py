"""The protocol's obligations that a message alone can break; tests/plan_next/obligations.md has them all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec_lark import Severity
from planspec_lark.plan_next import DoneItem, NewBlock
from tests.plan_next.obligations import holds
from tests.plan_next.variants import CALL, CORE4, EXECUTE, PROBES, RESULT, STEPS, VALID, find, within, without, write

NEXT = [PROBES, STEPS, EXECUTE]
each_next = pytest.mark.parametrize("message", NEXT, ids=lambda message: message["plan_type"])
STRUCTURE = ("id", "new_id", "current_id", "path", "children")


def codes(text: str | dict[str, Any], phase: str = "planning") -> list[str]:
    return [code for code, _ in faults(text, phase)]


def faults(text: str | dict[str, Any], phase: str = "planning") -> list[tuple[str, str]]:
    """Code and path of everything for which a message is refused."""
    return [(found.code, found.path) for found in find(text, phase) if found.severity is Severity.ERROR]


# ---------------------------------------------------------------- one object and nothing else


@holds("M1", "B22", "F1", "F3")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Goal: Mend the roof\n## Steps\n1. [ ] [act] Buy tiles\n", "PJ101"),
        ("[" + write(STEPS) + "]", "PJ105"),
        ('"plan-next"', "PJ105"),
        (write(STEPS) + write(STEPS), "PJ104"),
        (write(STEPS) + "\n" + write(EXECUTE), "PJ104"),
        (write(STEPS)[:-1], "PJ106"),
        ("", "PJ101"),
    ],
    ids=["a plan", "a list", "a string", "twice", "two", "half", "nothing"],
)
def test_the_only_form_is_one_object(text: str, code: str) -> None:
    assert code in codes(text)
    assert codes(write(STEPS)) == []


@holds("M3", "M24", "B23", "B41")
@pytest.mark.parametrize(
    ("before", "behind", "code"),
    [
        ("Here is the next block:\n", "", "PJ102"),
        ("", "\nI hope this helps.", "PJ102"),
        ("[INFO] asked the planner\n", "", "PJ102"),
        ("", ";", "PJ102"),
        ("```json\n", "\n```", "PJ103"),
        ("~~~\n", "\n~~~", "PJ103"),
        ("// the next block\n", "", "PJ117"),
        ("", " /* done */", "PJ117"),
    ],
    ids=["sentence before", "sentence behind", "log", "sign", "fence", "other fence", "comment", "comment behind"],
)
def test_nothing_stands_around_the_object(before: str, behind: str, code: str) -> None:
    assert code in codes(before + write(STEPS) + behind)
    assert codes(" \n" + write(STEPS) + "\n") == []


@holds("B23")
def test_nothing_stands_in_the_object_but_json() -> None:
    assert codes(write(STEPS).replace('"plan_type"', '/* steps */ "plan_type"')) == ["PJ117"]


# ---------------------------------------------------------------- types


@holds("M4", "B25", "B26", "F7")
@pytest.mark.parametrize("kind", ["plan-done", "plan_next", "PLAN-NEXT", "", "error"])
def test_the_type_is_plan_next(kind: str) -> None:
    assert faults({**STEPS, "type": kind}) == [("PN104", "type")]
    assert faults(without(STEPS, ("type",))) == [("PN101", "type")]
    assert faults({**STEPS, "type": None}) == [("PN103", "type")]


@holds("M5", "B1", "B8", "B9", "B11", "B26", "F1", "F3", "F7")
def test_planning_takes_no_plan_return() -> None:
    assert faults(RESULT, "planning") == [("PN201", "type")]
    assert faults(STEPS, "planning") == []


@holds("M6", "F5", "F7")
@each_next
def test_execution_takes_no_plan_next(message: dict[str, Any]) -> None:
    assert faults(message, "execution") == [("PN201", "type")]
    assert faults(RESULT, "execution") == []


@holds("M8", "B27")
@pytest.mark.parametrize("kind", ["PLAN", "PROBES", "plan_steps", "EXECUTE ", ""])
def test_the_plan_type_is_one_of_three(kind: str) -> None:
    assert faults({**STEPS, "plan_type": kind}) == [("PN105", "plan_type")]
    assert faults(without(STEPS, ("plan_type",))) == [("PN101", "plan_type")]


@holds("F6")
@pytest.mark.parametrize("result", [None, 0, True, ["Done"], 1.5])
def test_a_return_has_a_result(result: object) -> None:
    assert faults({**RESULT, "result": result}, "execution") == [("PN103", "result")]
    assert faults(without(RESULT, ("result",)), "execution") == [("PN101", "result")]
    assert faults({**RESULT, "result": {"exit": 0}}, "execution") == []


# ---------------------------------------------------------------- the new block


@holds("M9", "B28", "F4")
@each_next
def test_there_is_a_new_block(message: dict[str, Any]) -> None:
    assert ("PN101", "new_block") in faults(without(message, ("new_block",)))
    for value in (None, 3, "Mend the roof"):
        assert ("PN103", "new_block") in faults({**message, "new_block": value})


@holds("M10", "B29")
@pytest.mark.parametrize("name", ["status", "result", "plan_type", "steps", "Goal"])
def test_a_new_block_has_three_fields(name: str) -> None:
    assert faults(within(STEPS, **{name: ""})) == [("PN102", f"new_block.{name}")]


@holds("M11", "M22", "B4", "B30", "B40")
@pytest.mark.parametrize("name", STRUCTURE)
def test_no_field_steers_the_structure(name: str) -> None:
    assert faults({**STEPS, name: "root"}) == [("PN108", name)]
    assert faults(within(STEPS, **{name: "root"})) == [("PN108", f"new_block.{name}")]
    assert faults(within(STEPS, goal={**CORE4, name: "root"})) == [("PN108", f"new_block.goal.{name}")]
    assert faults({**EXECUTE, "executor_call": {**CALL, name: "root"}}) == [("PN108", f"executor_call.{name}")]
    # A tool's own argument is no field of the protocol.
    assert faults({**EXECUTE, "executor_call": {**CALL, "inputs": {name: "roof.txt"}}}) == []


@holds("M12", "B31", "F4")
@pytest.mark.parametrize(
    ("goal", "fault"),
    [
        ("", ("PN106", "new_block.goal")),
        (None, ("PN103", "new_block.goal")),
        (["Mend the roof"], ("PN103", "new_block.goal")),
        ({}, ("PN101", "new_block.goal.intent")),
        *((without(CORE4, (side,)), ("PN101", f"new_block.goal.{side}")) for side in CORE4),
        *(({**CORE4, side: 1}, ("PN103", f"new_block.goal.{side}")) for side in CORE4),
    ],
)
def test_a_goal_is_a_text_or_core4(goal: object, fault: tuple[str, str]) -> None:
    assert fault in faults(within(STEPS, goal=goal))
    assert faults(within(STEPS, goal=CORE4)) == []
    assert faults(within(STEPS, goal="Mend the roof")) == []
    assert ("PN101", "new_block.goal") in faults(without(STEPS, ("new_block", "goal")))


@holds("B32", "F4")
@pytest.mark.parametrize("plan", [None, "Buy tiles", {"1": "Buy tiles"}, 3])
def test_a_plan_is_a_list(plan: object) -> None:
    assert ("PN103", "new_block.plan") in faults(within(STEPS, plan=plan))
    assert ("PN101", "new_block.plan") in faults(without(STEPS, ("new_block", "plan")))


@holds("B32")
@pytest.mark.parametrize("item", [None, 1, ["Buy tiles"], {"step": "Buy tiles"}])
def test_a_plan_is_a_list_of_strings(item: object) -> None:
    assert faults(within(STEPS, plan=["Buy tiles", item, "Lay tiles"])) == [("PN103", "new_block.plan[1]")]


@holds("M15", "B35")
@pytest.mark.parametrize("plan", [["Buy tiles"], ["Buy tiles", "Lay tiles", "Test with water"]])
def test_execute_has_an_empty_plan(plan: list[str]) -> None:
    assert faults(within(EXECUTE, plan=plan)) == [("PN202", "new_block.plan")]
    assert faults(EXECUTE) == []


@holds("M16", "B36", "B44", "F4")
@each_next
def test_nothing_is_done_in_a_new_block(message: dict[str, Any]) -> None:
    assert faults(within(message, done=[])) == []
    assert faults(within(message, done=["Bought tiles"])) == [("PN107", "new_block.done")]
    assert faults(within(message, done=[{"goal": "Buy tiles"}])) == [("PN107", "new_block.done")]
    assert faults(within(message, done=None)) == [("PN103", "new_block.done")]
    assert ("PN101", "new_block.done") in faults(without(message, ("new_block", "done")))
    with pytest.raises(ValueError, match=r"^done: the field `done` of a new block must be empty$"):
        NewBlock("Mend the roof", [], [DoneItem("Buy tiles")])


# ---------------------------------------------------------------- words


@holds("M13", "B14", "B17", "B33")
@pytest.mark.parametrize("item", ["先查看网关日志", "再查询数据库", "然后重启服务", "第一步：复现", "接下来清理缓存"])
def test_hypotheses_have_no_words_of_sequence(item: str) -> None:
    assert faults(within(PROBES, plan=["网关超时", item, "令牌过期"])) == [("PN207", "new_block.plan[1]")]
    assert codes(within(STEPS, plan=["查看日志", item, "记录结论"])) == []


@holds("M13", "B14", "B17", "B33")
@pytest.mark.parametrize("item", ["First, the gateway fails", "Then the token expires", "Step 1: the cache is stale"])
def test_hypotheses_have_no_english_words_of_sequence(item: str) -> None:
    assert faults(within(PROBES, plan=["The gutter leaks", item, "A tile slipped"])) == [("PN207", "new_block.plan[1]")]


@holds("M14", "B16", "B18", "B34")
@pytest.mark.parametrize("item", ["修复可能过期的令牌", "也许要清理缓存", "查明原因", "按假设检查网关"])
def test_steps_have_no_words_of_guessing(item: str) -> None:
    assert faults(within(STEPS, plan=["查看日志", item, "记录结论"])) == [("PN208", "new_block.plan[1]")]
    assert codes(within(PROBES, plan=["网关超时", item, "令牌过期"])) == []


@holds("M14", "B16", "B18", "B34")
@pytest.mark.parametrize("item", ["Maybe clear the cache", "Remove the root cause", "Assume a leak and mend it"])
def test_steps_have_no_english_words_of_guessing(item: str) -> None:
    assert faults(within(STEPS, plan=["Buy tiles", item, "Lay tiles"])) == [("PN208", "new_block.plan[1]")]


@holds("B17", "B18", "B19")
def test_a_mixture_is_refused_and_sent_to_hypotheses() -> None:
    plan = ["先查看日志", "可能是令牌过期", "记录结论"]
    (steps,) = find(within(STEPS, plan=plan))
    (probes,) = find(within(PROBES, plan=plan))
    assert (steps.code, steps.path, steps.severity) == ("PN208", "new_block.plan[1]", Severity.ERROR)
    assert (probes.code, probes.path, probes.severity) == ("PN207", "new_block.plan[0]", Severity.ERROR)
    assert steps.help == "choose PLAN_PROBES where evidence is missing"


# ---------------------------------------------------------------- calls and what is still to do


@holds("M17", "B37")
def test_execute_calls_an_executor() -> None:
    assert faults(without(EXECUTE, ("executor_call",))) == [("PN203", "plan_type")]
    for name in CALL:
        missing = faults(without(EXECUTE, ("executor_call", name)))
        assert missing == [("PN213", f"executor_call.{name}")]
    assert faults({**EXECUTE, "executor_call": {**CALL, "command": " "}}) == [("PN211", "executor_call.command")]


@holds("M18", "B37", "F2")
@pytest.mark.parametrize("message", [PROBES, STEPS], ids=["PROBES", "STEPS"])
def test_nothing_else_calls_one(message: dict[str, Any]) -> None:
    assert faults({**message, "executor_call": CALL}) == [("PN204", "executor_call")]
    assert faults(message) == []


@holds("M20", "B39")
@pytest.mark.parametrize("value", ["Paint the hall", {"0": "Paint the hall"}, True])
def test_update_plan_is_a_list(value: object) -> None:
    assert faults({**STEPS, "update_plan": value}) == [("PN103", "update_plan")]
    assert faults({**STEPS, "update_plan": []}) == faults({**STEPS, "update_plan": None}) == []
    assert faults(without(STEPS, ("update_plan",))) == []


@holds("M20", "B39")
@pytest.mark.parametrize("item", [None, 1, [], {"goal": "Paint the hall"}])
def test_update_plan_is_a_list_of_strings(item: object) -> None:
    assert faults({**STEPS, "update_plan": ["Paint the hall", item]}) == [("PN103", "update_plan[1]")]


# ---------------------------------------------------------------- the state's folder


@holds("B48", "B49")
@pytest.mark.parametrize(
    ("message", "path"),
    [
        (within(STEPS, goal="Read .thinkon/thinking-context.json"), "new_block.goal"),
        (within(STEPS, goal={**CORE4, "deliverable": "an entry in .thinkon/notes.md"}), "new_block.goal.deliverable"),
        (within(STEPS, plan=["Open /srv/.thinkon/", "Lay tiles", "Test"]), "new_block.plan[0]"),
        ({**STEPS, "success_signal": "．ｔｈｉｎｋｏｎ/x exists"}, "success_signal"),
        ({**STEPS, "update_plan": [r"Copy C:\work\.thinkon\state"]}, "update_plan[0]"),
        ({**EXECUTE, "executor_call": {**CALL, "command": "shell: cat .thinkon/a"}}, "executor_call.command"),
        ({**EXECUTE, "executor_call": {**CALL, "inputs": {"path": ".thinkon"}}}, "executor_call.inputs.path"),
    ],
    ids=["goal", "Core4", "plan", "signal", "update_plan", "command", "inputs"],
)
def test_no_text_leads_into_the_state(message: dict[str, Any], path: str) -> None:
    assert faults(message) == [("PN209", path)]


def test_the_messages_to_start_from_are_valid() -> None:
    for name, message in VALID.items():
        phase = "execution" if message["type"] == "plan-return" else "planning"
        assert codes(json.dumps(message), phase) == [], name
