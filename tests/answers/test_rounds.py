"""Rounds of repair: what is asked, what is taken, and when nobody is asked again."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Severity, check_text, extract_plan, parse_plan, repair_plan, serialize_plan
from planspec_lark.answers import RepairedPlan, RepairRound, RepairScope, Verdict
from planspec_lark.llm import LlmError, Reply, Usage
from planspec_lark.syntax import Limits
from tests import strategies
from tests.answers.scripted import follow, lines_of, wrong_of

HEAD = "Goal: Open the bakery at six\n## Steps\n"
STEPS = "1. [act] Order the gas → gas\n2. Light the oven → heat\n3. [act] Bake the bread → bread\n"
REPAIRED = "LINE 4: 2. [act] Light the oven → heat"


def say(*answers: str) -> Callable[[str], str]:
    """A model that gives these answers, and may not be asked again."""
    left = list(answers)
    return lambda _: left.pop(0) if left else pytest.fail("nobody may be asked any more")


def kinds(done: RepairedPlan) -> list[str]:
    return [one.asked.value for one in done.rounds]


# ---------------------------------------------------------------- lines


def test_the_plan_is_shown_with_what_is_wrong() -> None:
    text = f"{HEAD}{STEPS}"
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return REPAIRED

    done = repair_plan(text, ask)
    assert lines_of(asked[0]) == dict(enumerate(text.rstrip("\n").split("\n"), 1))
    assert [line for line, _ in wrong_of(asked[0])] == [one.line for one in extract_plan(text).holds]
    assert (done.text, done.verdict, done.is_usable) == (text.replace("2. L", "2. [act] L"), Verdict.ACCEPTED, True)
    assert (done.holds, done.stopped, done.is_answer) == ((), "", False)
    assert done.plan == parse_plan(done.text)
    (one,) = done.rounds
    assert (one.asked, one.lines, one.prompt, one.answer) == (RepairScope.FAULTS, (4,), asked[0], REPAIRED)
    assert (one.refused, one.text, one.holds) == ("", done.text, ())


def test_what_is_safe_is_not_asked_for() -> None:
    text = f"goal: Open it\n\n## Steps\n1) [Act] Order the gas -> gas\n\n{STEPS[29:]}"
    done = repair_plan(text, say("LINE 6: 2. [act] Light the oven → heat"))
    assert done.is_usable
    # Blank lines are the writer's own.
    assert done.text == "Goal: Open it\n\n## Steps\n1. [act] Order the gas → gas\n\n" + STEPS[29:].replace(
        "2. L", "2. [act] L"
    )
    assert {entry.code for entry in done.repairs} >= {"PS104", "PS110"}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param(
            "Goal: g\n\n## Steps\n\n1. [act] a\n    > x\n- item  \n",
            "Goal: g\n\n## Steps\n\n1. [act] a\n    > x\n> item\n",
            id="a detail line with white space at its end",
        ),
        pytest.param(
            "Goal: g\n## Steps\n\n1) [act] a\n  Status: done\n\n2. [act]  b\n",
            "Goal: g\n## Steps\n\n1. [x] [act] a\n\n2. [act]  b\n",
            id="a status in words",
        ),
        pytest.param(
            "## Steps\n\n1. [act]  a\n\nGoal: g\n> d\n",
            "Goal: g\n> d\n## Steps\n\n1. [act]  a\n\n",
            id="a late part",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
def test_one_repair_changes_no_other_line(text: str, after: str, end: str, mark: str) -> None:
    done = repair_plan(mark + text.replace("\n", end), say())
    assert done.is_usable
    assert done.text == mark + after.replace("\n", end)


def test_of_an_answer_there_is_the_plan_in_canonical_form() -> None:
    done = repair_plan(f"Sure!\n\n```\n{HEAD}\n{STEPS}```\nGood luck!\n", say("LINE 8: 2. [act] Light the oven → heat"))
    assert (done.is_usable, done.is_answer) == (True, True)
    assert done.text == f"{HEAD}{STEPS}".replace("2. L", "2. [act] L") == serialize_plan(done.plan)


@pytest.mark.parametrize(
    ("text", "lines", "answer", "steps"),
    [
        pytest.param(
            "1. [🌀] [act] Bake\n", [3], "LINE 3: 1. [>] [act] Bake", "1. [>] [act] Bake\n", id="an unknown mark"
        ),
        pytest.param("1. [bake] Bake\n", [3], "LINE 3: 1. [act] Bake", "1. [act] Bake\n", id="an unknown type"),
        pytest.param(
            "1. [act] Bake\n<<<<<<< ours\n2. [act] Sell\n=======\n2. [act] Give away\n>>>>>>> theirs\n",
            [4, 5, 6, 7, 8],
            "LINE 4:\nLINE 5: 2. [act] Sell\nLINE 6:\nLINE 7:\nLINE 8:",
            "1. [act] Bake\n2. [act] Sell\n",
            id="two versions",
        ),
        pytest.param(
            "1. [act] Bake\n1. [act] Sell\n", [4], "LINE 4: 2. [act] Sell", "1. [act] Bake\n2. [act] Sell\n", id="an id"
        ),
        pytest.param(
            "1. Bake\n  > At six.\n\n  > With butter.\n",
            [3],
            "LINE 3: 1. [act] Bake",
            "1. [act] Bake\n  > At six.\n  > With butter.\n",
            id="a body is lost with its step only",
        ),
    ],
)
def test_what_is_held_back(text: str, lines: list[int], answer: str, steps: str) -> None:
    done = repair_plan(HEAD + text, say(answer))
    assert [(one.asked, [*one.lines], one.refused) for one in done.rounds] == [(RepairScope.FAULTS, lines, "")]
    assert (done.is_usable, serialize_plan(done.plan)) == (True, HEAD + steps)


def test_with_less_risk_allowed_more_is_asked_for() -> None:
    text = f"{HEAD}1) [act] Order the gas\n   for the oven\n"
    assert repair_plan(text, say()).is_usable
    done = repair_plan(text, say("LINE 3: 1. [act] Order the gas for the oven\nLINE 4:"), max_risk="none")
    assert (done.rounds[0].lines, done.is_usable) == ((3, 4), True)
    assert done.text == f"{HEAD}1. [act] Order the gas for the oven\n"


def test_rules_are_asked_about_together_with_lines() -> None:
    text = "# Plan: The bakery\n## Steps\n1. [act] Order\n1.1. [act] Call\n2. Bake\n"
    done = repair_plan(
        text, say("LINE 2: Goal: Open it\nLINE 2: ## Steps\nLINE 3: 1. [subtask] Order\nLINE 5: 2. [act] Bake")
    )
    assert (done.is_usable, done.rounds[0].lines) == (True, (2, 3, 5))
    assert done.text == (
        "# Plan: The bakery\nGoal: Open it\n## Steps\n1. [subtask] Order\n1.1. [act] Call\n2. [act] Bake\n"
    )


def test_a_plan_may_be_written_again() -> None:
    text = f"\ufeff{HEAD}{STEPS}".replace("\n", "\r\n")
    whole = f"{HEAD}{STEPS}".replace("2. L", "2. [act] L")
    done = repair_plan(text, say(f"The type was missing.\n\n```planspec\n{whole}```\n"))
    assert (done.text, done.is_answer) == ("\ufeff" + whole.replace("\n", "\r\n"), False)
    assert (done.rounds[0].lines, [one.text for one in done.remarks]) == ((), ["The type was missing."])


def test_of_a_plan_written_again_that_is_wrong_lines_are_asked_for() -> None:
    text = f"{HEAD}{STEPS}"
    done = repair_plan(text, say(f"```\n{text}```", "LINE 5: 2. [act] Light the oven → heat"))
    assert (done.is_usable, done.is_answer, done.text) == (True, False, text.replace("2. L", "2. [act] L"))
    # What is no plan yet does not take the place of the text.
    assert repair_plan(text, say(f"```\n{text}```"), rounds=1).text == text


# ---------------------------------------------------------------- the end is missing


@pytest.mark.parametrize(("fence", "reason"), [("```\n", ""), ("", "length"), ("```\n", "length")])
def test_a_plan_that_was_cut_off_gets_its_end(fence: str, reason: str) -> None:
    text = f"{fence}{HEAD}1. [act] Order the gas\n2. [act] Light the"
    last = text.count("\n") + 1
    done = repair_plan(text, say(f"LINE {last}: 2. [act] Light it\nLINE {last}: 3. [act] Bake"), finish_reason=reason)
    assert [(one.asked, one.lines) for one in done.rounds] == [(RepairScope.FAULTS, (last,))]
    assert (done.is_usable, done.truncated) == (True, False)
    assert done.text.rstrip("\n") == f"{HEAD}1. [act] Order the gas\n2. [act] Light it\n3. [act] Bake"
    # Who remembers nothing needs to know what it is about.
    assert "1. [act] Order the gas" in done.rounds[0].prompt


# ---------------------------------------------------------------- which plan, and all of it

TWO = f"Here is one:\n\n{HEAD}1. [act] Bake\n\nAnd here is another:\n\n{HEAD}1. [act] Buy\n2. [act] Sell\n"


@pytest.mark.parametrize(
    ("answer", "steps"),
    [("PLAN 1", "1. [act] Bake\n"), ("Hm.\n**Plan 2**\n", "1. [act] Buy\n2. [act] Sell\n")],
)
def test_of_two_plans_one_is_chosen(answer: str, steps: str) -> None:
    done = repair_plan(TWO, say(answer))
    assert (kinds(done), done.is_usable, done.is_answer) == (["choice"], True, True)
    assert done.text == HEAD + steps


def test_plans_are_shown_whole(snapshot: SnapshotAssertion) -> None:
    done = repair_plan(TWO.replace("Goal", "# Plan: B\nGoal"), say("PLAN 2"))
    assert done.rounds[0].prompt == snapshot
    assert done.plan.title == "B"


@pytest.mark.parametrize(
    ("answer", "goal"),
    [
        ("PLAN 1", "Bake"),
        ("> **plan 2.**", "Buy"),
        ("", None),
        ("PLAN 4", None),
        ("PLAN 0", None),
        ("PLAN 1\nPLAN 2", None),
        ("PLAN 1\nPLAN 1", "Bake"),
        ("I take PLAN 1", None),
        ("<think>\nPLAN 1\n</think>\nPLAN 2", "Buy"),
    ],
)
def test_which_plan_an_answer_names(answer: str, goal: str | None) -> None:
    done = repair_plan(TWO, say(answer), rounds=1)
    assert done.is_usable == (goal is not None)
    assert goal is None or done.plan.steps[0].description == goal


def test_the_chosen_plan_is_repaired() -> None:
    text = TWO.replace("[act] Bake", "Bake")
    done = repair_plan(text, say("PLAN 1", "LINE 5: 1. [act] Bake"))
    assert (kinds(done), done.text) == (["choice", "faults"], f"{HEAD}1. [act] Bake\n")
    # The other one stands around it.
    assert done.remarks == extract_plan(text, choose=1).remarks


def test_where_there_is_no_plan_one_is_asked_for() -> None:
    done = repair_plan("I would order gas and bake.\n", say(f"{HEAD}{STEPS}", REPAIRED))
    assert (kinds(done), done.is_usable, done.is_answer) == (["faults", "faults"], True, True)
    assert [one.text for one in done.remarks] == ["I would order gas and bake."]
    done = repair_plan("I would order gas and bake.\n", say("No.", "No."))
    assert (done.verdict, done.text) == (Verdict.REFUSED, "I would order gas and bake.\n")


# ---------------------------------------------------------------- what is asked around the plan

TALK = f"Sure!\n\n```planspec\n{HEAD}1. [act] Bake\n```\nIf it rains, stop.\n"
REWORKED = """\
```planspec
Goal: Open the bakery at six
Constraints:
- Stop if it rains
## Steps
1. [act] Bake
```
"""


def test_remarks_cost_no_round() -> None:
    done = repair_plan(TALK, say())
    assert (done.is_usable, done.rounds) == (True, ())
    assert [one.text for one in done.remarks] == ["Sure!", "If it rains, stop."]


def test_remarks_may_change_nothing(snapshot: SnapshotAssertion) -> None:
    for answer in ("UNCHANGED", "It is only talk.\n\n**UNCHANGED**\n"):
        done = repair_plan(TALK, say(answer), ask_remarks=True)
        assert (done.is_usable, kinds(done), done.text) == (True, ["remarks"], f"{HEAD}1. [act] Bake\n")
    assert done.rounds[0].prompt == snapshot


def test_remarks_are_worked_in() -> None:
    done = repair_plan(TALK, say(REWORKED), ask_remarks=True)
    assert (done.is_usable, done.plan.constraints) == (True, ["Stop if it rains"])
    assert [one.text for one in done.remarks] == ["Sure!", "If it rains, stop."]
    # They are asked about once, and what comes is repaired as any answer.
    more = REWORKED.replace("Bake\n", "Bake\n2. Sell\n")
    done = repair_plan(TALK, say(more, "LINE 7: 2. [act] Sell"), ask_remarks=True, rounds=1)
    assert (done.is_usable, kinds(done)) == (True, ["remarks", "faults"])
    done = repair_plan(TALK, say("```\nGoal: g\n## Steps\n1. [act] Bake\n```"), ask_remarks=True)
    assert (done.is_usable, done.stopped, done.plan.goal) == (True, "", "g")


def test_an_answer_about_remarks_that_is_none() -> None:
    done = repair_plan(TALK, say("Yes, it does."), ask_remarks=True)
    assert (done.is_usable, done.text) == (True, f"{HEAD}1. [act] Bake\n")
    assert done.stopped.endswith(": the answer has no repaired line and no plan")


# ---------------------------------------------------------------- when it ends


def test_what_is_asked_again_brings_nothing() -> None:
    done = repair_plan(f"{HEAD}{STEPS}", say("LINE 4: 2. Light the oven → heat"))
    assert (len(done.rounds), done.is_usable, done.verdict) == (1, False, Verdict.NEEDS_REVIEW)
    assert done.stopped == "the last round changed nothing: the same question would be asked again"
    assert done.holds == done.rounds[0].holds
    assert done.deciding is not None
    assert (done.deciding.code, done.deciding.line) == ("PS112", 4)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("It is fine.", "the answer has no repaired line and no plan"),
        ("LINE 6: 3. [act] Burn the bread", "line 6 was not shown"),
        (
            "**LINE 4:** 2. [act] Light it\nLINE 4: > Or not.",
            "a repaired line is `LINE`, its number, a colon, and a text without control characters",
        ),
        ("LINE 4: <think>", "the plan would lose 2 steps"),
        ("LINE 4:", "the plan would lose 1 step"),
        (
            f"{REPAIRED}\n\n{HEAD}{STEPS}",
            "the answer has repaired lines and a plan as well, so it is open which of them counts",
        ),
        (f"{HEAD}1. [act] Order the gas → gas\n", "the plan would lose 2 steps"),
    ],
)
def test_an_answer_that_is_refused_is_asked_for_once_more_with_the_reason(answer: str, reason: str) -> None:
    text = f"{HEAD}{STEPS}"
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return answer

    done = repair_plan(text, ask, rounds=9)
    assert [one.refused for one in done.rounds] == [reason, reason]
    assert (done.text, done.is_usable) == (text, False)
    assert [f"was refused: {reason}." in prompt for prompt in prompts] == [False, True]
    assert repair_plan(text, say(answer, REPAIRED)).is_usable


def test_what_may_go_may_go() -> None:
    done = repair_plan(f"{HEAD}{STEPS}", say("LINE 4:\nLINE 5: 2. [act] Bake the bread → bread"), allow_removal=True)
    assert (done.is_usable, len(done.plan.steps)) == (True, 2)
    assert "is refused." not in done.rounds[0].prompt


@pytest.mark.parametrize(
    ("rounds", "stopped"), [(0, "no model was asked"), (1, "1 round was not enough"), (2, "2 rounds were not enough")]
)
def test_so_many_rounds(rounds: int, stopped: str) -> None:
    answers = ["LINE 4: 2. Light the oven", "LINE 4: 2. Light oven", "LINE 4: 2. [act] Light the oven"]
    done = repair_plan(f"{HEAD}{STEPS}", say(*answers), rounds=rounds)
    assert (len(done.rounds), done.stopped) == (rounds, stopped)
    assert repair_plan(f"{HEAD}{STEPS}", say(*answers)).is_usable


@pytest.mark.parametrize(
    ("text", "stopped"),
    [("", "there is no text to repair"), (" \n\t", "there is no text to repair")],
)
def test_what_nobody_is_asked_about(text: str, stopped: str) -> None:
    done = repair_plan(text, say())
    assert (done.stopped, done.text, done.rounds, done.is_usable) == (stopped, text, (), False)


def test_an_asynchronous_model() -> None:
    async def ask(_prompt: str) -> str:
        return REPAIRED

    with pytest.raises(TypeError, match=r"^`ask` must not be asynchronous$"):
        repair_plan(f"{HEAD}{STEPS}", ask)  # type: ignore[arg-type]


def test_limits() -> None:
    done = repair_plan(f"{HEAD}{STEPS}", say(), limits=Limits(max_bytes=10))
    assert done.stopped == "the text has more than 10 bytes"
    done = repair_plan(f"{HEAD}{STEPS}", say(f"{REPAIRED}{'!' * 1_000_000}", REPAIRED))
    assert done.rounds[0].refused == "the text has more than 1,000,000 bytes"
    assert done.is_usable


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"^rounds: -1 is less than 0$"):
        repair_plan("", say(), rounds=-1)
    with pytest.raises(ValueError, match=r"^max_faults: 0 is less than 1$"):
        repair_plan("", say(), max_faults=0)
    with pytest.raises(ValueError, match=r"^there are prompts in en and zh, not in 'fr'$"):
        repair_plan("", say(), language="fr")
    with pytest.raises(TypeError, match=r"^a model gives a text, not NoneType$"):
        repair_plan(f"{HEAD}{STEPS}", lambda _: None)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (LlmError("no connection to here"), "round 2 failed: no connection to here"),
        (OSError("no\nline"), "round 2 failed: OSError: no line"),
        (TimeoutError(), "round 2 failed: TimeoutError"),
    ],
)
def test_what_was_repaired_stays_where_a_later_round_fails(error: Exception, said: str) -> None:
    answers: list[str | Exception] = ["LINE 4: 2. [act] Light it", error]

    def ask(_: str) -> str:
        given = answers.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    heard: list[RepairRound] = []
    text = f"{HEAD}1. [act] Order\n2. Light it\n3. Bake\n"
    done = repair_plan(text, ask, max_faults=1, on_round=heard.append)
    assert done.text == text.replace("2. L", "2. [act] L")
    assert (done.is_usable, done.failure, done.stopped) == (False, error, said)
    assert [one.line for one in done.holds] == [5]
    assert done.rounds == tuple(heard)
    assert done.cost == heard[0].cost
    assert done.to_dict()["stopped"] == said


# ---------------------------------------------------------------- what it costs


def test_tokens_are_those_that_the_model_tells_or_an_estimate() -> None:
    text = f"{HEAD}{STEPS}"
    done = repair_plan(text, lambda _: Reply(REPAIRED, "m", usage=Usage(700, 20, 720)))
    assert (done.cost.prompt_tokens, done.cost.answer_tokens, done.cost.tokens) == (700, 20, 720)
    assert (done.cost.is_estimated, done.cost.answer_characters) == (False, len(REPAIRED))
    done = repair_plan(text, lambda _: Reply("Hm.", "m"))
    assert (done.cost.is_estimated, len(done.rounds)) == (True, 2)
    assert done.cost == done.rounds[0].cost + done.rounds[1].cost
    assert done.cost.prompt_characters == sum(len(one.prompt) for one in done.rounds)


def test_all_of_it_as_json() -> None:
    done = repair_plan(f"{HEAD}{STEPS}", say("LINE 4: 2. Light it"), rounds=1)
    value = json.loads(json.dumps(done.to_dict()))
    assert (value["verdict"], value["usable"], value["plan"]) == ("needs_review", False, None)
    assert (value["stopped"], value["holds"][0]["code"]) == ("1 round was not enough", "PS112")
    assert (value["rounds"][0]["asked"], value["rounds"][0]["lines"]) == ("faults", [4])
    assert repair_plan(f"{HEAD}{STEPS}", say(REPAIRED)).to_dict()["plan"]["goal"] == "Open the bakery at six"


# ---------------------------------------------------------------- any text, any answer


@given(
    strategies.any_plan_text,
    st.lists(strategies.any_text, min_size=1, max_size=3),
    st.sampled_from(["none", "medium", "high"]),
)
def test_any_text_and_any_answers(text: str, answers: list[str], risk: str) -> None:
    numbered = [f"LINE {at % 5 + 1}: {row}" for at, row in enumerate("\n".join(answers).split("\n"))]
    left = iter([*answers, "\n".join(numbered), "PLAN 1"])
    done = repair_plan(text, lambda _: next(left), max_risk=risk)
    assert done.is_usable == (not done.stopped) == (not done.holds)
    if not any(one.lines for one in done.rounds):
        # A line that was rewritten may have become one of the plan. What a model has chosen has other text around it.
        chosen = any(one.asked is RepairScope.CHOICE and not one.refused for one in done.rounds)
        before = extract_plan(text, choose=1 if chosen else None).remarks
        assert before == done.remarks[: len(before)]
    if done.is_usable:
        # To the strict reader it is a plan as well, and the one that was read.
        assert parse_plan(done.text) == done.plan
        assert not any(found.severity is Severity.ERROR for found in check_text(done.text))


@given(strategies.near_plans)
def test_lines_that_nobody_has_rewritten_stay(text: str) -> None:
    before = text.split("\n")

    def tell(one: RepairRound) -> None:
        nonlocal before
        after = one.text.split("\n")
        if one.lines and not one.text.endswith("```\n"):
            # What is before the first line that was rewritten is as it was, and so is what is after the last.
            assert after[: one.lines[0] - 1] == before[: one.lines[0] - 1]
            behind = len(before) - one.lines[-1]
            assert behind == 0 or after[-behind:] == before[-behind:]
        before = after

    done = repair_plan(
        text,
        lambda prompt: follow(prompt) if "\nPLAN 1\n" not in prompt else "PLAN 1",
        on_round=tell,
        allow_removal=True,
    )
    assert done.is_usable == (not done.holds)
