"""Texts that are messages, texts that hold one, and texts that are none."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSyntaxError, Severity, render_all
from planspec_lark.plan_next import (
    Core4,
    DoneStatus,
    ExecutorCall,
    Judge,
    MessageError,
    NewBlock,
    Phase,
    PlanNext,
    PlanReturn,
    PlanType,
    parse_message,
    scan_message,
)
from planspec_lark.syntax import Limits
from tests.plan_next.messages import (
    GOAL,
    HYPOTHESES,
    call,
    codes_of,
    encode,
    execute,
    paths_of,
    probes,
    returned,
    steps,
)


def phase_of(value: dict[str, Any]) -> Phase:
    return Phase.PLANNING if value["type"] == "plan-next" else Phase.EXECUTION


# ---------------------------------------------------------------- strict


def test_all_fields_are_read() -> None:
    message = parse_message(encode(probes(update_plan=["a", "b"])), "planning")
    block = NewBlock(Core4(**GOAL), HYPOTHESES, [])
    assert message == PlanNext(PlanType.PLAN_PROBES, block, "one of them holds", None, ["a", "b"])
    assert message.warnings == ()
    message = parse_message(encode(execute("shell: ls", goal="List")), "planning")
    called = ExecutorCall("shell: ls", {}, ["the pump runs"])
    assert message == PlanNext(PlanType.EXECUTE, NewBlock("List", [], []), None, called)
    assert parse_message(encode(returned("x")), "execution") == PlanReturn("x")
    assert parse_message(encode(returned({"a": [1]}, status="failed")), Phase.EXECUTION) == PlanReturn(
        {"a": [1]}, DoneStatus.FAILED
    )


@pytest.mark.parametrize(
    ("before", "behind", "codes"),
    [
        ("Here it is:\n", "", ["PJ102"]),
        ("", "\nThat is all.", ["PJ102"]),
        ("```json\n", "\n```", ["PJ103", "PJ103"]),
        ("", "\n{}", ["PJ104"]),
        ("[", "]", ["PJ105"]),
        ("// Here\n", "", ["PJ117"]),
    ],
)
def test_nothing_stands_around_the_object(before: str, behind: str, codes: list[str]) -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(f"{before}{encode(execute())}{behind}", "planning")
    assert codes_of(caught.value.diagnostics) == codes
    assert isinstance(caught.value, PlanSyntaxError)


def test_all_faults_are_told_with_their_positions(snapshot: SnapshotAssertion) -> None:
    text = """Sure:
```json
{
  "type": "plan-next",
  "plan_type": "PLAN_STEPS",
  "new_block": {
    "goal": {"intent": "修复\\t登录", "deliverable": 3, "path": "/"},
    "plan": ["可能是 token 过期\\n也许", "Read \\u4e5f\\u8bb8 the log", 7],
    "done": ["x"],
    "id": 1,
  },
  "executor_call": {"command": "cat .thinkon/thinking-context.json"},
  "update_plan": null,
  "mood": "fine"
}
```"""
    with pytest.raises(MessageError) as caught:
        parse_message(text, "execution", name="answer.txt")
    assert str(caught.value) == snapshot
    spots = [
        text[one.span.start : one.span.end] for one in caught.value.diagnostics if one.code == "PN208" and one.span
    ]
    assert spots == ["可能", "也许", "\\u4e5f\\u8bb8"]


def test_warnings_come_with_the_message() -> None:
    value = probes(["Port 8080 is taken", "Run 2026-11-22T10:00:00Z was slow", " "])
    del value["success_signal"]
    message = parse_message(encode(value), "planning")
    assert paths_of(message.warnings) == [
        ("PN206", "plan_type"),
        ("PN210", "new_block.plan[1]"),
        ("PN212", "new_block.plan[2]"),
    ]
    assert {one.severity for one in message.warnings} == {Severity.WARNING}


def test_there_are_two_phases() -> None:
    with pytest.raises(ValueError, match="'resting' is not a valid Phase"):
        parse_message(encode(execute()), "resting")
    with pytest.raises(MessageError, match="PN201"):
        parse_message(encode(execute()), "execution")
    with pytest.raises(MessageError, match="PN201"):
        parse_message(encode(returned()), "planning")


# ---------------------------------------------------------------- hostile


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a":' * 150_000, "PJ107"),
        (encode(execute(goal="x" * 2_000_000)), "PS121"),
        (encode({**execute(), "executor_call": {**call(), "inputs": json.loads("[" * 70 + "]" * 70 + " ")}}), "PJ107"),
    ],
    ids=["objects", "a long text", "deep inputs"],
)
@pytest.mark.parametrize("read", ["parse", "scan"])
def test_bombs_get_a_clear_error(text: str, code: str, read: str) -> None:
    begin = time.monotonic()
    if read == "parse":
        with pytest.raises(MessageError) as caught:
            parse_message(text, "planning")
        found = caught.value.diagnostics
    else:
        scan = scan_message(text, "planning")
        assert scan.message is None
        found = scan.diagnostics
    assert code in codes_of(found)
    assert len(found) <= 1001
    assert time.monotonic() - begin < 30


def test_limits_are_the_callers() -> None:
    text = encode(execute())
    with pytest.raises(MessageError, match="PS121"):
        parse_message(text, "planning", limits=Limits(max_bytes=100))
    assert parse_message(encode(execute(goal="x" * 2_000_000)), "planning", limits=Limits(max_bytes=3_000_000))
    many = {**execute(), **{f"field {at}": 1 for at in range(5000)}}
    with pytest.raises(MessageError) as caught:
        parse_message(encode(many), "planning")
    assert len(caught.value.diagnostics) == 1001
    assert caught.value.diagnostics[-1].code == "PS120"


# ---------------------------------------------------------------- tolerant


def test_repairs_are_listed(snapshot: SnapshotAssertion) -> None:
    text = encode(execute())[:-1]
    answer = f"I will run the pump.\n\n```json\n{text}, // now\n 'update_plan': None,}}\n```\nGood luck!"
    scan = scan_message(answer, "planning", name="answer.md")
    assert scan.message == parse_message(encode(execute()), "planning")
    assert render_all(scan.diagnostics) == snapshot
    assert scan.message is not None
    assert list(scan.message.warnings) == scan.diagnostics


def test_of_two_objects_the_one_that_is_a_message_counts() -> None:
    answer = f"The context was {encode({'think': {'goal': 'x'}})}.\n{encode(returned('r'))}\n{encode(execute())}\n"
    planned, executed = (scan_message(answer, phase) for phase in Phase)
    assert planned.message == parse_message(encode(execute()), "planning")
    assert executed.message == PlanReturn("r")


def test_of_two_messages_none_counts_unless_they_are_the_same() -> None:
    twice = f"First:\n{encode(steps())}\nOr:\n{encode(execute())}\n"
    scan = scan_message(twice, "planning")
    assert scan.message is None
    assert [one.message for one in scan.diagnostics if one.severity is Severity.ERROR] == [
        "two different objects, in lines 2 and 4: which one counts?"
    ]
    same = scan_message(f"{encode(steps())}\n{encode(dict(reversed(steps().items())))}", "planning")
    assert same.message == parse_message(encode(steps()), "planning")
    assert codes_of(same.diagnostics) == ["PJ104"]
    assert scan_message(f"{encode(returned('x'))}\n{encode(returned('y'))}", "execution").message is None
    assert scan_message(f"{encode(returned('x'))}\n{encode(steps())}", "planning").message is not None


def test_a_draft_among_thoughts_does_not_count() -> None:
    answer = f"<think>\nI might say {encode(steps())}, but one call will do.\n</think>\n{encode(execute())}"
    scan = scan_message(answer, "planning")
    assert scan.message == parse_message(encode(execute()), "planning")
    assert codes_of(scan.diagnostics) == ["PS125"]
    # Where nothing follows, there is no answer.
    scan = scan_message(f"<think>{encode(steps())}</think>", "planning")
    assert (scan.message, codes_of(scan.diagnostics)) == (None, ["PS125", "PJ101"])


def test_a_goal_and_a_signal_say_something() -> None:
    sides = dict.fromkeys(GOAL, " ")
    for goal in (" ", "\u200b", sides):
        assert paths_of(parse_message(encode(steps(goal=goal)), "planning").warnings) == [("PN212", "new_block.goal")]
    assert parse_message(encode(steps(goal={**sides, "metric": "dry"})), "planning").warnings == ()
    message = parse_message(encode(steps(success_signal="\u3000")), "planning")
    assert paths_of(message.warnings) == [("PN212", "success_signal")]


def test_a_command_without_width_is_empty() -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(encode(execute("\u200b")), "planning")
    assert paths_of(caught.value.diagnostics) == [("PN211", "executor_call.command")]


@pytest.mark.parametrize(
    ("message", "path", "part"),
    [
        (steps(goal="Read .thinkon/thinking-context.json."), "new_block.goal", ".thinkon/thinking-context.json"),
        (steps(goal={**GOAL, "metric": "an entry in .thinkon/x"}), "new_block.goal.metric", ".thinkon/x"),
        (steps(["Open /srv/.thinkon/", "Lay", "Test"]), "new_block.plan[0]", "/srv/.thinkon/"),
        (steps(success_signal="．ｔｈｉｎｋｏｎ/x exists"), "success_signal", "．ｔｈｉｎｋｏｎ/x"),
        (steps(update_plan=["Copy it to .thinkon"]), "update_plan[0]", ".thinkon"),
        (execute("shell: cat .thinkon/a"), "executor_call.command", ".thinkon/a"),
        ({**execute(), "executor_call": call(files=[{".thinkon/a": 1}])}, None, '".thinkon/a"'),
    ],
)
def test_no_text_and_no_key_leads_into_the_state(message: dict[str, Any], path: str | None, part: str) -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(encode(message), "planning")
    (found,) = caught.value.diagnostics
    assert (found.code, path or found.path) == ("PN209", found.path)
    assert found.span is not None
    assert encode(message)[found.span.start : found.span.end] == part


def test_of_one_text_only_so_many_words_are_told() -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(encode(probes(["先" * 300, "a", "b"])), "planning")
    assert codes_of(caught.value.diagnostics) == ["PN207"] * 100


def test_what_is_wrong_with_the_message_stays_wrong() -> None:
    scan = scan_message(f"```\n{encode(probes(['first this']))}\n```", "planning")
    assert scan.message is None
    assert codes_of(scan.diagnostics) == ["PJ103", "PN205", "PN207", "PJ103"]


# ---------------------------------------------------------------- judging


def test_a_judge_reads_and_checks() -> None:
    judge = Judge()
    message, found = judge.judge(encode(execute()), Phase.PLANNING, name="a")
    assert (message, found) == (parse_message(encode(execute()), "planning"), [])
    message, found = judge.judge(f"x{encode(execute())}", Phase.PLANNING, name="a")
    assert message is None
    assert [one.source.name for one in found if one.source] == ["a"]
    message, found = Judge(tolerant=True).judge(f"x {encode(execute())}", Phase.PLANNING)
    assert message is not None
    assert codes_of(found) == ["PJ102"]
