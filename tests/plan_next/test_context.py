"""Where a plan stands: what a context says of itself, what messages do to it, and its JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec_lark.plan_next import (
    Block,
    Context,
    ContextError,
    Core4,
    DoneItem,
    DoneStatus,
    ExecutorCall,
    Phase,
    PlanType,
    context_from_json,
    context_to_json,
    start_context,
)
from planspec_lark.syntax import Limits
from tests.plan_next.turns import STEPS, close, execute, open_, probes, steps


def _at(depth: int, plan: list[str], max_depth: int = 5) -> Context:
    return Context(Block("g", plan), [Block("around") for _ in range(depth)], max_depth=max_depth)


# ---------------------------------------------------------------- what it says


def test_at_one_less_than_the_most_a_planner_is_to_stop_splitting() -> None:
    assert [_at(depth, ["a"]).may_split for depth in range(6)] == [True, True, True, True, False, False]
    assert not _at(0, ["a"], max_depth=1).may_split


def test_at_the_most_nothing_is_planned() -> None:
    phases = [_at(depth, ["a"], max_depth=3).phase for depth in range(4)]
    assert phases == [Phase.PLANNING, Phase.PLANNING, Phase.PLANNING, Phase.EXECUTION]


def test_a_block_without_items_is_executed() -> None:
    assert _at(0, []).phase is Phase.EXECUTION
    assert _at(0, [""]).phase is Phase.PLANNING


@pytest.mark.parametrize(
    ("ends", "failures"), [("", 0), ("f", 1), ("d", 0), ("fd", 0), ("df", 1), ("fdff", 2), ("fff", 3)]
)
def test_failures_are_counted_up_to_now(ends: str, failures: int) -> None:
    done = [DoneItem("a", status=DoneStatus.FAILED if end == "f" else DoneStatus.DONE) for end in ends]
    assert Context(Block("g", done=done)).failures == failures


# ---------------------------------------------------------------- the start


def test_without_a_plan_the_goal_is_its_one_item() -> None:
    assert start_context("g") == Context(Block("g", ["g"]), [], max_depth=5, revision=0)
    assert start_context(Core4("", "a page", "", "")).think.plan == ["a page"]


def test_a_plan_may_be_given_and_an_empty_one_has_the_goal_executed() -> None:
    given = ["a", "b"]
    context = start_context("g", given, max_depth=2)
    given.append("c")
    assert context == Context(Block("g", ["a", "b"]), [], max_depth=2)
    assert start_context("g", []).phase is Phase.EXECUTION


# ---------------------------------------------------------------- opening


def test_a_message_opens_a_block_inside() -> None:
    before = start_context("g", STEPS)
    after = open_(before, steps("c", ["x", "y", "z"]))
    child = Block("c", ["x", "y", "z"], plan_type=PlanType.PLAN_STEPS, success_signal="it works")
    assert after == Context(child, [before.think], revision=1)
    assert before == start_context("g", STEPS)


def test_the_nearest_block_comes_first() -> None:
    context = open_(open_(start_context("g", STEPS), probes("c")), execute("d", "shell: make"))
    assert [block.goal for block in context.path] == ["c", "g"]
    assert context.think == Block(
        "d", [], plan_type=PlanType.EXECUTE, executor_call=ExecutorCall("shell: make", {}, [])
    )
    assert context.revision == 2


def test_update_plan_takes_the_place_of_the_whole_plan() -> None:
    context = open_(start_context("g", STEPS), execute("c", update_plan=["x"]))
    assert context.path == [Block("g", ["x"], opened_with=STEPS)]
    assert not context.think.takes_item
    assert open_(start_context("g", STEPS), execute("c", update_plan=[])).path[0].plan == []


# ---------------------------------------------------------------- closing


def test_the_end_of_a_block_takes_the_first_item_off() -> None:
    context = close(open_(start_context("g", STEPS), execute("c", "shell: make")), "made")
    call = ExecutorCall("shell: make", {}, [])
    done = [DoneItem("c", "made", DoneStatus.DONE, executor_call=call)]
    assert context == Context(Block("g", STEPS[1:], done, opened_with=STEPS), revision=2)


def test_a_round_with_update_plan_takes_nothing_off() -> None:
    context = close(open_(start_context("g", STEPS), execute("c", update_plan=["x", "y"])))
    assert context.think.plan == ["x", "y"]
    context = close(open_(context, execute("d")))
    assert context.think.plan == ["y"]


def test_a_failure_keeps_its_item() -> None:
    context = close(open_(start_context("g", STEPS), execute("c")), "no", failed=True)
    assert context.think.plan == STEPS
    assert [(item.goal, item.result, item.status) for item in context.think.done] == [("c", "no", DoneStatus.FAILED)]


def test_a_failure_that_update_plan_has_taken_off_comes_back() -> None:
    goal = {"intent": "", "deliverable": "a page", "metric": "", "constraint": ""}
    context = close(open_(start_context("g", STEPS), execute(goal, update_plan=["x"])), failed=True)
    assert context.think.plan == ["a page", "x"]


def test_what_is_left_and_what_was_done_inside_goes_with_a_block() -> None:
    context = open_(start_context("g", STEPS), steps("c", ["x", "y", "z"]))
    context = close(close(open_(context, execute("d")), {"files": 1}), "enough", failed=True)
    inner = DoneItem("d", {"files": 1}, executor_call=ExecutorCall("shell: true", {}, []))
    assert context.think.done == [
        DoneItem("c", "enough", DoneStatus.FAILED, plan=["x", "y", "z"], left=["y", "z"], done=[inner])
    ]


def test_the_end_of_the_root_is_the_outcome() -> None:
    context = close(start_context("g", []), {"a": 1})
    assert context == Context(Block("g"), outcome=DoneItem("g", {"a": 1}), revision=1)
    assert context_from_json(context_to_json(context)) == context


# ---------------------------------------------------------------- fields


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"max_depth": 0}, "max_depth: 0 is not between 1 and 32"),
        ({"max_depth": 33}, "max_depth: 33 is not between 1 and 32"),
        ({"max_depth": True}, "max_depth: expected a whole number, not bool"),
        ({"revision": -1}, "revision: -1 is less than 0"),
    ],
)
def test_a_context_has_numbers_that_mean_something(fields: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        Context(Block("g"), **fields)
    assert str(error.value) == message


# ---------------------------------------------------------------- JSON

_WHOLE = Context(
    Block(
        Core4("i", "d", "m", "c", {"note": [1, None]}),
        ["b"],
        [
            DoneItem("a", {"k": [1.5, True, None]}, DoneStatus.FAILED, ["p"], ExecutorCall("t", {"path": "x"}, ["0"])),
            DoneItem("b", "", left=["q"], done=[DoneItem("c")]),
        ],
        PlanType.PLAN_PROBES,
        "seen",
        ExecutorCall("shell: x", {}, [], {"note": 1}),
        opened_with=["a", "b"],
        takes_item=False,
    ),
    [Block("r", ["x"], opened_with=[])],
    max_depth=7,
    revision=12,
    outcome=DoneItem("r", "\u202e\x1b[31m\u2028\x85 中 🎉\t\n"),
)


@pytest.mark.parametrize("indent", [2, None])
def test_a_context_comes_back_from_its_json(indent: int | None) -> None:
    text = context_to_json(_WHOLE, indent=indent)
    assert context_from_json(text) == _WHOLE
    assert _WHOLE.outcome is not None
    assert json.loads(text)["outcome"]["result"] == _WHOLE.outcome.result
    assert not set("\x1b\x85\u2028\u202e") & set(text)


def test_json_has_the_fields_that_planners_look_for() -> None:
    context = open_(start_context("g", STEPS), execute("c"))
    assert json.loads(context_to_json(context)) == {
        "think": {
            "goal": "c",
            "plan": [],
            "done": [],
            "plan_type": "EXECUTE",
            "executor_call": {"command": "shell: true", "inputs": {}, "expected_observations": []},
        },
        "path": [{"goal": "g", "plan": STEPS, "done": []}],
        "max_depth": 5,
        "revision": 1,
    }


def test_contexts_of_others_may_say_less() -> None:
    text = '{"think": {"goal": "g", "plan": ["b"], "done": ["a", {"goal": "x", "result": "y"}]}}'
    assert context_from_json(text) == Context(Block("g", ["b"], [DoneItem("a"), DoneItem("x", "y")]))


def _refusal(text: str) -> list[tuple[str, str, str]]:
    with pytest.raises(ContextError) as error:
        context_from_json(text)
    assert all(one.span is not None for one in error.value.diagnostics)
    return [(one.code, one.path, one.message) for one in error.value.diagnostics]


_BLOCK: dict[str, Any] = {"goal": "g", "plan": [], "done": []}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"ids": 1}, ("PN102", "ids", "unknown field `ids`")),
        ({"max_depth": 0}, ("PN103", "max_depth", "max_depth: 0 is not between 1 and 32")),
        ({"path": None}, ("PN103", "path", "expected a list, not null")),
        ({"path": ["g"]}, ("PN103", "path[0]", "expected an object, not a string")),
        (
            {"path": [{"goal": "g", "plan": [], "done": []}] * 6},
            ("PN305", "path", "there are 6 blocks around this one, and the limit `max_depth` is 5"),
        ),
        ({"think": {**_BLOCK, "child": []}}, ("PN102", "think.child", "unknown field `child`")),
        ({"think": {**_BLOCK, "goal": ""}}, ("PN106", "think.goal", "the goal is empty")),
        ({"think": {**_BLOCK, "plan": "a"}}, ("PN103", "think.plan", "expected a list, not a string")),
        (
            {"think": {**_BLOCK, "plan_type": "X"}},
            ("PN105", "think.plan_type", "unknown value `X`; the values are PLAN_PROBES, PLAN_STEPS and EXECUTE"),
        ),
        (
            {"think": {**_BLOCK, "done": [{"goal": "a", "status": "x"}]}},
            ("PN103", "think.done[0].status", "unknown value `x`; the values are done, partly_done and failed"),
        ),
        ({"think": {**_BLOCK, "done": [""]}}, ("PN103", "think.done[0]", "expected an object, not a string")),
    ],
)
def test_what_is_no_context_is_refused_with_its_place(change: dict[str, Any], found: tuple[str, str, str]) -> None:
    assert _refusal(json.dumps({"think": _BLOCK, **change})) == [found]


def test_all_that_is_wrong_is_said_at_once() -> None:
    text = '{"think": {"goal": "", "plan": [], "x": 1}, "path": [1], "revision": "a"}'
    assert _refusal(text) == [
        ("PN101", "think.done", "the field `done` is missing"),
        ("PN106", "think.goal", "the goal is empty"),
        ("PN102", "think.x", "unknown field `x`"),
        ("PN103", "path[0]", "expected an object, not a whole number"),
        ("PN103", "revision", "expected a whole number, not a string"),
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "{", '{"think": NaN}', '{"think": "\\ud800"}', "[" * 100_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    assert _refusal(text)


def test_no_more_is_listed_than_the_limit_says() -> None:
    text = json.dumps({"think": {"goal": "g", "plan": [1, 2, 3, 4], "done": []}})
    with pytest.raises(ContextError) as error:
        context_from_json(text, limits=Limits(max_findings=2))
    said = [(one.code, one.message) for one in error.value.diagnostics]
    assert said[-1] == ("PS120", "2 more findings are not listed")
    assert len(said) == 3
