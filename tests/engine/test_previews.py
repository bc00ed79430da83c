"""What a run would do: the same as it does then."""

from __future__ import annotations

import pytest

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.engine import (
    Answer,
    Budget,
    EditedSteps,
    EditedStepsError,
    FatalError,
    HopStatus,
    OperatorResult,
    PlannedStep,
    StepCall,
    ThinkEngine,
    check_run,
    preview,
    preview_resumed,
)
from planspec_lark.engine.run_state import FinishedStep, RunState
from planspec_lark.planspec.models import hash_of
from planspec_lark.runs import MemoryLedger
from planspec_lark.runs.ledger import Record, RecordKind, RunInfo

PLAN = """\
Goal: g
## Steps
1. [act] one → a
2. [act] two → b
  > ← a, c, x
3. [decide] which?
  3.1. [act] this → d
  3.2. [act] that → d
4. [subtask] inside → e
  4.1. [act] in → e
    > ← d, e
5. [subtask] to be planned
6. [subtask] a loop | Progress: 0/2
"""


EITHER = {"d": ("3.1", "3.2"), "e": False}


def ids(found: list[PlannedStep]) -> list[str]:
    return [one.step.step_id for one in found]


def sources(found: list[PlannedStep]) -> dict[str, dict[str, object]]:
    return {
        one.step.step_id: {name: source.steps or source.is_given for name, source in one.sources.items()}
        for one in found
        if one.sources
    }


def carry_out(call: StepCall) -> OperatorResult:
    branch = call.branches[0].step_id if call.branches else ""
    return OperatorResult("OK", f"did {call.step.step_id}", dict.fromkeys(call.step.outputs, 1), branch)


def plan_steps(_: object) -> Answer:
    return Answer("## Steps\n1. [act] new\n")


NOTHING = {"a": False, "c": False, "x": False}


@pytest.mark.parametrize(
    ("marks", "given", "steps", "expected"),
    [
        ({}, ["x"], "1 2 3 3.1 3.2 4.1 5 6", {"2": {"a": ("1",), "c": False, "x": True}, "4.1": EITHER}),
        # Nothing is known of what was done before.
        ({"1. [act]": "x"}, [], "2 3 3.1 3.2 4.1 5 6", {"2": NOTHING, "4.1": EITHER}),
        # What is given up is left out.
        ({"1. [act]": "~", "3. [decide]": "~"}, [], "2 4.1 5 6", {"2": NOTHING, "4.1": {"d": False, "e": False}}),
        ({"1. [act]": "!", "3. [decide]": "!"}, [], "2 4.1 5 6", {"2": NOTHING, "4.1": {"d": False, "e": False}}),
    ],
)
def test_a_new_run(marks: dict[str, str], given: list[str], steps: str, expected: dict[str, object]) -> None:
    text = PLAN
    for step, mark in marks.items():
        text = text.replace(f"\n{step}", "\n" + step.replace("[", f"[{mark}] [", 1))
    found = preview(parse_plan(text), given)
    assert (" ".join(ids(found)), sources(found)) == (steps, expected)
    assert [one.step.step_id for one in found if one.is_planning] == ["5"]
    two = next(one for one in found if one.step.step_id == "2")
    assert (two.sources["c"].is_missing, two.sources["x"].is_missing) == (True, not given)


def test_a_step_puts_out_what_one_behind_it_takes() -> None:
    """And not the other way round: what cannot be done brings nothing."""
    text = "Goal: g\n## Steps\n1. [act] one → a\n  > ← b\n2. [act] two → b\n  > ← a\n"
    found = preview(parse_plan(text))
    assert sources(found) == {"1": {"b": False}, "2": {"a": False}}
    assert [one.why for one in found] == [
        "inputs are missing: b (step 2 comes later)",
        "inputs are missing: a (step 1 cannot be done)",
    ]
    # But in a loop around both, there is a round after.
    loop = text.replace("1. [act] one", "1. [subtask] s | Progress: 0/2\n1.1. [act] one")
    loop = loop.replace("\n2. [act]", "\n1.2. [act]")
    assert sources(preview(parse_plan(loop))) == {"1.1": {"b": ("1.2",)}, "1.2": {"a": ("1.1",)}}


def test_what_was_done_counts_only_as_it_is_written_now() -> None:
    plan = parse_plan(PLAN.replace("\n1. [act]", "\n1. [x] [act]"))
    for own, expected in ((hash_of(plan.steps[0]), ("1",)), ("another", False)):
        state = RunState(finished={"1": FinishedStep(own, 1, ("a",))})
        assert sources(preview(plan, (), state))["2"]["a"] == expected


def test_it_ends_as_the_run_does() -> None:
    text = PLAN.replace("5. [subtask] to be planned\n", "").replace("> ← a, c, x", "> ← a, d")
    given: dict[str, object] = {}
    for one in (text, text.replace("3. [decide]", "3. [~] [decide]"), text.replace("1. [act]", "1. [!] [act]")):
        result = ThinkEngine(parse_plan(one), carry_out, inputs=given).run()
        planned = {step.step.step_id for step in preview(parse_plan(one), given) if step.why}
        assert planned == {lack.step for lack in result.lacking}
    found, *_ = check_run(text, [])
    assert found.message == "step 2: the input `d` cannot come: inputs are missing: d (step 3.1 comes later)"


# ---------------------------------------------------------------- runs that continue


def begin(text: str, steps: int) -> tuple[str, MemoryLedger, RunInfo]:
    """A run that has stopped after so many steps: the plan's text then, the ledger, and its run there."""
    ledger = MemoryLedger()
    engine = ThinkEngine(
        parse_plan(text), carry_out, None, plan_steps, budget=Budget(steps=steps), inputs={"x": 1}, ledger=ledger
    )
    made = engine.run().plan
    return serialize_plan(made), ledger, ledger.runs()[0]


@pytest.mark.parametrize("steps", range(1, 9))
def test_it_says_what_is_done_then(steps: int) -> None:
    text, ledger, info = begin(PLAN, steps)
    before = list(ledger.records(info.run))
    found = preview_resumed(parse_plan(text), ledger, info)
    assert list(ledger.records(info.run)) == before
    done: list[str] = []

    def follow(call: StepCall) -> OperatorResult:
        done.append(call.step.step_id)
        return carry_out(call)

    ThinkEngine(parse_plan(text), follow, None, plan_steps, ledger=ledger).run(resume=True)
    # Which branch holds was not known before, nor what the planner writes.
    expected = [step for step in dict.fromkeys(done) if not step.startswith("5.")]
    assert [step for step in ids(found) if step not in ("3.2", "5")] == expected
    assert sources(found).get("2", {}) in ({}, {"a": ("1",), "c": False, "x": True})
    if steps >= 3:
        assert not {"3", "3.2"}.intersection(ids(found))


def test_what_is_given_when_it_goes_on_counts_as_well() -> None:
    text, ledger, info = begin(PLAN, 1)
    expected = {"a": ("1",), "c": True, "x": True}
    assert sources(preview_resumed(parse_plan(text), ledger, info, ["c"]))["2"] == expected
    # So does what was given when it went on before.
    last = list(ledger.records(info.run))[-1]
    resumed = Record(RecordKind.RESUMED, data={"inputs": {"c": 1}}, before=last.after, after=last.after, plan=text)
    ledger.append(info.run, resumed, after=last.seq)
    assert sources(preview_resumed(parse_plan(text), ledger, info))["2"] == expected


def test_finished_steps_that_were_edited() -> None:
    text, ledger, info = begin(PLAN, 2)
    plan = parse_plan(text.replace("two", "too"))
    with pytest.raises(EditedStepsError, match="finished steps were edited since they were run: 2"):
        preview_resumed(plan, ledger, info)
    assert ids(preview_resumed(plan, ledger, info, edited=EditedSteps.KEEP))[0] == "3"
    assert ids(preview_resumed(plan, ledger, info, edited=EditedSteps.RERUN))[:2] == ["2", "3"]
    assert plan == parse_plan(text.replace("two", "too"))


@pytest.mark.parametrize(
    ("old", "new", "step", "known"),
    [
        # A step that was edited and is kept has its outputs, and one that has moved is known.
        ("[act] one", "[act] won", "2", ("1",)),
        ("1. [x] [act] one → a | did 1\n2.", "1. [act] first\n2. [x] [act] one → a | did 1\n7.", "7", ("2",)),
    ],
)
def test_a_step_that_was_done_is_found(old: str, new: str, step: str, known: tuple[str]) -> None:
    text, ledger, info = begin(PLAN, 1)
    assert old in text
    found = preview_resumed(parse_plan(text.replace(old, new)), ledger, info, edited=EditedSteps.KEEP)
    assert sources(found)[step] == {"a": known, "c": False, "x": True}


def test_what_has_failed_for_good_is_not_opened() -> None:
    ledger = MemoryLedger()
    made = parse_plan(PLAN)
    made = ThinkEngine(made, lambda _: OperatorResult("FAIL", "no"), ledger=ledger, inputs={"x": 1}).run().plan
    assert made.steps[0].status.value == "blocked"
    assert "1" not in ids(preview_resumed(made, ledger, ledger.runs()[0]))


@pytest.mark.parametrize("status", [HopStatus.FAIL, HopStatus.UNCERTAIN])
def test_a_step_that_waits_for_a_reflection(status: HopStatus) -> None:
    """Nobody is asked anything."""
    ledger = MemoryLedger()

    def stop(_: object) -> str:
        raise FatalError("not now")

    with pytest.raises(FatalError):
        ThinkEngine(parse_plan(PLAN), lambda _: OperatorResult(status, "no"), stop, ledger=ledger).run()
    kinds = [record.kind for record in ledger.records(ledger.runs()[0].run)]
    assert kinds == [RecordKind.BEGUN, RecordKind.STARTED, RecordKind.FAILED]
    found = preview_resumed(parse_plan(PLAN.replace("\n1. [act]", "\n1. [>] [act]")), ledger, ledger.runs()[0])
    assert ids(found)[0] == "1"
    assert ledger.count(ledger.runs()[0].run) == 3


def test_a_run_that_has_ended() -> None:
    text, ledger, info = begin(PLAN, 100)
    assert preview_resumed(parse_plan(text), ledger, info) == []
