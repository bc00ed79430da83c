"""What a run would do: the same as it does then."""

from __future__ import annotations

import pytest

from planspec_lark import parse_plan
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
from planspec_lark.runs.ledger import Record, RecordKind

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


def test_a_new_run() -> None:
    found = preview(parse_plan(PLAN), ["x"])
    assert ids(found) == ["1", "2", "3", "3.1", "3.2", "4.1", "5", "6"]
    assert sources(found) == {
        "2": {"a": ("1",), "c": False, "x": True},
        "4.1": {"d": ("3.1", "3.2"), "e": False},
    }
    assert [one.step.step_id for one in found if one.is_planning] == ["5"]
    assert found[1].sources["c"].is_missing
    assert not found[1].sources["x"].is_missing


def test_nothing_is_known_of_what_was_done_before() -> None:
    found = preview(parse_plan(PLAN.replace("\n1. [act]", "\n1. [x] [act]")))
    assert ids(found)[0] == "2"
    assert sources(found)["2"] == {"a": False, "c": False, "x": False}


@pytest.mark.parametrize("mark", ["~", "!"])
def test_what_is_given_up_is_left_out(mark: str) -> None:
    found = preview(
        parse_plan(PLAN.replace("\n1. [act]", f"\n1. [{mark}] [act]").replace("3. [decide]", f"3. [{mark}] [decide]"))
    )
    assert ids(found) == ["2", "4.1", "5", "6"]
    assert sources(found)["4.1"] == {"d": False, "e": False}


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


def begin(text: str, steps: int) -> tuple[str, MemoryLedger]:
    """A run that has stopped after so many steps: the plan's text then, and the ledger."""
    ledger, texts = MemoryLedger(), []

    def keep(event: object) -> None:
        from planspec_lark import serialize_plan

        texts.append(serialize_plan(event.plan))  # type: ignore[attr-defined]

    ThinkEngine(
        parse_plan(text),
        carry_out,
        None,
        plan_steps,
        budget=Budget(steps=steps),
        inputs={"x": 1},
        ledger=ledger,
        on_event=keep,
    ).run()
    return texts[-1], ledger


@pytest.mark.parametrize("steps", range(1, 9))
def test_it_says_what_is_done_then(steps: int) -> None:
    text, ledger = begin(PLAN, steps)
    before = list(ledger.records(ledger.runs()[0].run))
    found = preview_resumed(parse_plan(text), ledger, ledger.runs()[0])
    assert list(ledger.records(ledger.runs()[0].run)) == before
    done: list[str] = []

    def follow(call: StepCall) -> OperatorResult:
        done.append(call.step.step_id)
        return carry_out(call)

    ThinkEngine(parse_plan(text), follow, None, plan_steps, ledger=ledger).run(resume=True)
    expected = [step for step in dict.fromkeys(done) if not step.startswith("5.")]
    # Which branch holds was not known before, nor what the planner writes.
    assert [step for step in ids(found) if step not in ("3.2", "5")] == expected
    assert sources(found).get("2", {}) in ({}, {"a": ("1",), "c": False, "x": True})
    if steps >= 3:
        assert "3" not in ids(found)
        assert "3.2" not in ids(found)


def test_what_is_given_now_counts_as_well() -> None:
    text, ledger = begin(PLAN, 1)
    found = preview_resumed(parse_plan(text), ledger, ledger.runs()[0], ["c"])
    assert sources(found)["2"] == {"a": ("1",), "c": True, "x": True}


def test_what_was_given_when_it_went_on_before_counts_as_well() -> None:
    text, ledger = begin(PLAN, 1)
    info = ledger.runs()[0]
    last = list(ledger.records(info.run))[-1]
    resumed = Record(RecordKind.RESUMED, data={"inputs": {"c": 1}}, before=last.after, after=last.after, plan=text)
    ledger.append(info.run, resumed, after=last.seq)
    assert sources(preview_resumed(parse_plan(text), ledger, info))["2"] == {"a": ("1",), "c": True, "x": True}


def test_finished_steps_that_were_edited() -> None:
    text, ledger = begin(PLAN, 2)
    plan, info = parse_plan(text.replace("two", "too")), ledger.runs()[0]
    with pytest.raises(EditedStepsError, match="finished steps were edited since they were run: 2"):
        preview_resumed(plan, ledger, info)
    assert ids(preview_resumed(plan, ledger, info, edited=EditedSteps.KEEP))[0] == "3"
    assert ids(preview_resumed(plan, ledger, info, edited=EditedSteps.RERUN))[:2] == ["2", "3"]
    assert plan == parse_plan(text.replace("two", "too"))


def test_a_step_that_was_edited_and_is_kept_has_its_outputs() -> None:
    text, ledger = begin(PLAN, 1)
    plan = parse_plan(text.replace("[act] one", "[act] won"))
    kept = preview_resumed(plan, ledger, ledger.runs()[0], edited=EditedSteps.KEEP)
    assert sources(kept)["2"] == {"a": ("1",), "c": False, "x": True}


def test_what_has_failed_for_good_is_not_opened() -> None:
    ledger = MemoryLedger()
    made = parse_plan(PLAN)
    made = ThinkEngine(made, lambda _: OperatorResult("FAIL", "no"), ledger=ledger, inputs={"x": 1}).run().plan
    assert made.steps[0].status.value == "blocked"
    assert "1" not in ids(preview_resumed(made, ledger, ledger.runs()[0]))


def test_a_step_that_has_moved_is_known() -> None:
    text, ledger = begin(PLAN, 1)
    moved = text.replace("1. [x] [act] one → a | did 1\n", "1. [act] first\n2. [x] [act] one → a | did 1\n").replace(
        "2. [act] two", "7. [act] two"
    )
    assert sources(preview_resumed(parse_plan(moved), ledger, ledger.runs()[0]))["7"]["a"] == ("2",)


@pytest.mark.parametrize("status", ["FAIL", "UNCERTAIN"])
def test_a_step_that_waits_for_a_reflection(status: str) -> None:
    """Nobody is asked anything."""
    ledger = MemoryLedger()

    def stop(_: object) -> str:
        raise FatalError("not now")

    engine = ThinkEngine(parse_plan(PLAN), lambda _: OperatorResult(HopStatus(status), "no"), stop, ledger=ledger)
    with pytest.raises(FatalError):
        engine.run()
    found = preview_resumed(parse_plan(PLAN.replace("\n1. [act]", "\n1. [>] [act]")), ledger, ledger.runs()[0])
    assert ids(found)[0] == "1"
    assert [record.kind for record in ledger.records(ledger.runs()[0].run)] == [
        RecordKind.BEGUN,
        RecordKind.STARTED,
        RecordKind.FAILED,
    ]


def test_a_run_that_has_ended() -> None:
    text, ledger = begin(PLAN, 100)
    assert preview_resumed(parse_plan(text), ledger, ledger.runs()[0]) == []
