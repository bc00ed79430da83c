"""Steps of a run that a person does: the run stops in front of them, and takes what they produce."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planspec_lark import parse_plan
from planspec_lark.engine import EngineLimits, Outcome, PlanRunError
from planspec_lark.planspec import PlanStatus, iter_steps
from planspec_lark.runs import MemoryLedger, RecordKind
from planspec_lark.runs.sqlite_ledger import ledger_path
from tests.engine.worlds import World, failed, plan

TEXT = """\
Goal: g
## Steps
1. [act] draft → draft
2. approve [act] approve → approval, by
  > ← draft
3. [act] send → receipt
  > ← draft, approval
4. [act] sweep
"""
SAID = {"approval": "yes", "by": {"name": "Anna"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "plan").write_text(TEXT)
    return tmp_path / "plan"


def _stop(path: Path, **steps: Any) -> World:
    """Run a plan up to the person's step."""
    world = World(steps)
    result = world.run(path, persons=["approve"])
    assert (result.outcome, result.waiting, result.reason) == (
        Outcome.WAITING,
        "2",
        "step 2 (approve) waits for a person",
    )
    return world


def test_a_run_stops_in_front_of_it_and_goes_on_behind_it(path: Path) -> None:
    assert _stop(path).ran == ["1"]
    assert path.read_text() == TEXT.replace("1. [act]", "1. [x] [act]")
    # It waits as long as nothing has come of it.
    world = World()
    assert (world.run(path, resume=True, persons=["approve"]).outcome, world.ran) == (Outcome.WAITING, [])
    made = World().engine(path).finish("approve", "Anna: yes", SAID)
    assert made.steps[1].result == "Anna: yes"
    assert "2. [x] approve [act] approve → approval, by | Anna: yes\n" in path.read_text()
    world = World()
    result = world.run(path, resume=True, persons=["approve"])
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["3", "4"])
    assert world.inputs[0] == {"draft": "draft", "approval": "yes"}
    assert result.outputs == {"draft": "draft", "receipt": "send", **SAID}


@pytest.mark.parametrize(
    ("branch", "record"), [("", (RecordKind.DONE, "2", "")), ("mail", (RecordKind.BRANCHED, "2", "2.1"))]
)
def test_the_record_says_who_has_done_it(branch: str, record: tuple[RecordKind, str, str]) -> None:
    ledger, world = MemoryLedger(), World()
    given, persons = (DECISION, ["choose"]) if branch else (TEXT, ["approve"])
    made = world.run(parse_plan(given), ledger=ledger, persons=persons).plan
    world.engine(made, ledger=ledger).finish("2", "", {"reason": 1} if branch else SAID, branch=branch)
    last = world.events[-1]
    assert (last.kind, last.step_id, last.data.get("branch", "")) == record
    assert last.data["by"] == "person"
    assert branch or last.data["names"] == ["approval", "by"]


def test_what_is_at_work_beside_it_is_finished() -> None:
    made = plan(
        "1. [act] draft → draft\n2. [act] sweep → dust\n> ← draft\n3. approve [act] approve\n> ← draft\n"
        "4. [act] count → number\n> ← draft\n"
    )
    world = World()
    result = world.run(made, persons=["approve"], jobs=4)
    assert (result.outcome, result.waiting, result.reason) == (
        Outcome.WAITING,
        "3",
        "step 3 (approve) waits for a person",
    )
    assert world.ran == ["1", "2"]
    assert [step.status.value for step in result.plan.steps] == ["done", "done", "pending", "pending"]
    # It was found while step 2 was at work.
    assert world.kinds[-3:] == ["started 2", "done 2", "ended"]


def test_it_is_not_waited_for_without_its_inputs(path: Path) -> None:
    world = World({"draft": [failed()]})
    result = world.run(path, persons=["approve"])
    assert result.outcome is Outcome.BLOCKED
    assert "blocked 2" in world.kinds
    assert "4" in world.ran


def test_a_blocked_step_that_a_person_has_done_opens_those_behind_it(path: Path) -> None:
    path.write_text(TEXT.replace("2. approve [act]", "2. [subtask] around\n2.1. approve [act]"))
    world = World({"approve": [failed("no answer")]})
    assert world.run(path).outcome is Outcome.BLOCKED
    assert [line[:6] for line in path.read_text().splitlines() if "[!]" in line] == ["2. [!]", "  2.1.", "3. [!]"]
    world.engine(path).finish("2.1", "by phone", SAID)
    again = World()
    assert again.run(path, resume=True).outcome is Outcome.CONVERGED
    assert again.ran == ["3"]


def test_other_outputs_take_the_place_of_the_first(path: Path) -> None:
    # A result that is there stays.
    path.write_text(TEXT.replace("→ approval, by", "→ approval, by | by mail"))
    _stop(path)
    assert World().engine(path).finish("2", "", SAID).steps[1].result == "by mail"
    World().engine(path).finish("2", "no", {**SAID, "approval": "no"})
    world = World()
    world.run(path, resume=True)
    assert world.inputs[0]["approval"] == "no"
    assert "| no\n" in path.read_text()


# ---------------------------------------------------------------- decisions

DECISION = """\
Goal: g
## Steps
1. [act] draft → draft
2. choose [decide] which way → reason
  > ← draft
  2.1. mail [act] mail → receipt
    > ← reason
  2.2. [subtask] bring
    2.2.1. [act] walk → receipt
3. [act] file
  > ← receipt
"""


@pytest.mark.parametrize(("branch", "ran"), [("2.2", ["2.2.1", "3"]), ("mail", ["2.1", "3"])])
def test_a_person_chooses_a_branch(path: Path, branch: str, ran: list[str]) -> None:
    path.write_text(DECISION)
    first = World().run(path, persons=["choose"])
    assert (first.outcome, first.waiting, first.reason) == (Outcome.WAITING, "2", "step 2 (choose) waits for a person")
    engine = World().engine(path)
    made = engine.finish("2", "it rains", {"reason": "rain"}, branch=branch)
    statuses = [(step.step_id, step.status.value) for step in iter_steps(made) if step.status is not PlanStatus.PENDING]
    other = ["2.1"] if branch == "2.2" else ["2.2", "2.2.1"]
    assert statuses == [("1", "done"), ("2", "active"), *((step_id, "skipped") for step_id in other)]
    world = World()
    result = world.run(path, resume=True, persons=["choose"])
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ran)
    assert result.outputs["reason"] == "rain"
    assert f"2. [x] choose [decide] which way → reason | {ran[0][:3]}: it rains\n" in path.read_text()


def test_a_blocked_decision_that_a_person_has_taken_opens_what_is_around_it(path: Path) -> None:
    path.write_text("Goal: g\n## Steps\n1. [subtask] all\n1.1. [decide] way\n1.1.1. [act] up\n1.1.2. [act] down\n")
    assert World({"way": [failed("who knows")]}).run(path).outcome is Outcome.BLOCKED
    World().engine(path).finish("1.1", "up the hill", branch="1.1.1")
    world = World()
    assert world.run(path, resume=True).outcome is Outcome.CONVERGED
    assert world.ran == ["1.1.1"]


def test_each_round_of_a_loop_waits_for_its_decision() -> None:
    ledger = MemoryLedger()
    made = plan("1. [subtask] twice | Progress: 0/2\n1.1. way [decide] way\n1.1.1. [act] up\n1.1.2. [act] down\n")
    world = World()
    for branch in ("1.1.1", "1.1.2"):
        result = world.run(made, ledger=ledger, persons=["way"], resume=branch != "1.1.1")
        assert result.outcome is Outcome.WAITING
        made = World().engine(result.plan, ledger=ledger).finish("1.1", branch=branch)
    result = world.run(made, ledger=ledger, persons=["way"], resume=True)
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["1.1.1", "1.1.2"])


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("step_id", "outputs", "branch", "said"),
    [
        ("2", {"approval": 1}, "", "step 2: declared outputs are missing: by"),
        ("2", {**SAID, "x y": 1}, "", "step 2: it does not declare `x y`, but: approval, by"),
        ("4", {"x": 1}, "", "step 4: it does not declare `x`, but: nothing"),
        ("2", {**SAID, "by": float("nan")}, "", "step 2: output 'by' cannot be written as JSON: "),
        ("2", {**SAID, "by": "x" * 2000}, "", "step 2: the outputs have more than 1,000 bytes"),
        ("9", SAID, "", "step 9 does not exist"),
        ("5", {}, "", "step 5 is of type subtask: a person's step is of type reason, act or decide"),
        ("6", {"reason": 1}, "", "step 6: it needs a branch; the open branches are 6.1, 6.2"),
        ("6", {"reason": 1}, "6.2.1", "step 6: `6.2.1` is not one of its branches; the open branches are 6.1, 6.2"),
        ("6", {"reason": 1}, " ", "step 6: ` ` is not one of its branches; the open branches are 6.1, 6.2"),
        ("6", {"y": 1, "reason": 1}, "6.1", "step 6: it does not declare `y`, but: reason"),
        ("6", {}, "6.1", "step 6: declared outputs are missing: reason"),
        ("4", {}, "6.1", "step 4 is of type act: it is no decision and has no branches"),
    ],
)
def test_what_is_not_that_of_the_step(
    path: Path, step_id: str, outputs: dict[str, Any], branch: str, said: str
) -> None:
    decision = "6. [decide] way → reason\n6.1. [act] up → y\n6.2. [subtask] down\n6.2.1. [act] walk\n"
    path.write_text(f"{TEXT}5. [subtask] rest\n5.1. [act] rest\n{decision}")
    _stop(path)
    before = path.read_text()
    with pytest.raises(PlanRunError) as error:
        World().engine(path, limits=EngineLimits(max_output_bytes=1000)).finish(step_id, "r", outputs, branch=branch)
    assert str(error.value).startswith(said)
    assert path.read_text() == before


def test_what_the_branches_of_a_decision_put_out_is_not_asked_for(path: Path) -> None:
    path.write_text(DECISION.replace("→ reason", "→ receipt").replace("    > ← reason\n", ""))
    World().run(path, persons=["choose"])
    World().engine(path).finish("2", branch="mail")
    assert World().run(path, resume=True).outputs == {"draft": "draft", "receipt": "mail"}


def test_a_decision_is_taken_once(path: Path) -> None:
    path.write_text(DECISION)
    World().run(path, persons=["choose"])
    World().engine(path).finish("2", "", {"reason": 1}, branch="2.1")
    with pytest.raises(PlanRunError, match=r"step 2: `2\.2` is not one of its branches; the open branches are 2\.1$"):
        World().engine(path).finish("2", "", {"reason": 1}, branch="2.2")
    assert World().run(path, resume=True).outcome is Outcome.CONVERGED
    with pytest.raises(PlanRunError, match=r"step 2: `2\.2` is not one of its branches; no branch is open any more$"):
        World().engine(path).finish("2", "", {"reason": 1}, branch="2.2")
    World().engine(path).reopen("choose")
    World().engine(path).finish("2", "", {"reason": 1}, branch="2.2")
    world = World()
    assert (world.run(path, resume=True).outcome, world.ran) == (Outcome.CONVERGED, ["2.2.1"])


def test_without_a_run_there_is_nothing_to_note(path: Path) -> None:
    with pytest.raises(PlanRunError, match="there is no run to resume"):
        World().engine(path).finish("2", "r", SAID)
    assert not ledger_path(path).exists()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["aprove"], "no step has the name `aprove`"),
        ([""], "no step has the name ``"),
        (["approve", "2"], "no step has the name `2`: a person's step needs a name, as ids move"),
        (["all"], "step 5 is of type subtask: a person's step is of type reason, act or decide"),
    ],
)
def test_names_of_no_step_of_a_person(path: Path, names: list[str], said: str) -> None:
    path.write_text(f"{TEXT}5. all [subtask] rest\n5.1. [act] rest\n")
    with pytest.raises(PlanRunError) as error:
        World().run(path, persons=names)
    assert str(error.value) == said
    assert not ledger_path(path).exists()


def test_names_are_looked_for_when_a_run_is_resumed(path: Path) -> None:
    _stop(path)
    with pytest.raises(PlanRunError, match="no step has the name `sweep`"):
        World().run(path, resume=True, persons=["sweep"])
    with pytest.raises(TypeError, match="persons: expected names, not one text"):
        World().run(path, persons="approve")


def test_a_subtask_that_is_not_there_begins_nothing(path: Path) -> None:
    with pytest.raises(PlanRunError, match="step 9 is not a subtask: there is no such step"):
        World().engine(path).run_subtask("9")
    assert not ledger_path(path).exists()
