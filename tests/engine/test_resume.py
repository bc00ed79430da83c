"""Going on with a run, whatever has become of the plan's file meanwhile."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanFile, PlanFileError, PlanSyntaxError
from planspec_lark.document import LeasedPlan
from planspec_lark.engine import (
    Budget,
    EditedSteps,
    EditedStepsError,
    EngineLimits,
    FatalError,
    OperatorResult,
    Outcome,
    PlanRunError,
    RunResult,
    continue_run,
    run_plan,
)
from planspec_lark.runs import Record, RecordKind, RunInfo, SqliteLedger
from planspec_lark.runs.sqlite_ledger import ledger_path
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import tool_plan_from_dict
from tests.cli.running import run
from tests.engine.worlds import World, chosen, failed, ok, shown

FOUR = "Goal: g\n## Steps\n1. [act] a → x\n2. [act] b → y\n3. [act] c\n  > ← x, y\n4. [act] d\n"
VALUES: dict[str, Any] = {"a": [ok("ra", x="va")], "b": [ok("rb", y="vb")]}
ALL = {"x": "va", "y": "vb"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "plan").write_text(FOUR)
    return tmp_path / "plan"


def _stop(path: Path, at: str = "c") -> World:
    """Run a plan until the operator cannot work any more."""
    world = World({**VALUES, at: [FatalError("no net")]})
    with pytest.raises(FatalError):
        world.run(path)
    return world


def test_one_call_begins_and_goes_on(path: Path) -> None:
    world = World({**VALUES, "c": [FatalError("no net"), ok("rc")]})
    with pytest.raises(FatalError):
        run_plan(path, world.operator)
    assert run_plan(str(path), world.operator).outcome is Outcome.CONVERGED
    # What was done is not done again, and what it made is known.
    assert [call.step.description for call in world.calls] == ["a", "b", "c", "c", "d"]
    assert world.inputs[3] == ALL


def _edit(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in pairs:
        assert text.count(old) == 1, text
        text = text.replace(old, new)
    path.write_text(text)


def _go_on(path: Path, **options: Any) -> tuple[World, RunResult]:
    world = World(VALUES)
    return world, world.run(path, resume=True, **options)


def _resumed(world: World) -> dict[str, Any]:
    (data,) = [dict(event.data) for event in world.events if event.kind.value == "resumed"]
    return {name: value for name, value in data.items() if name not in ("llm_calls", "tokens", "trace")}


# ---------------------------------------------------------------- nothing has become of it


def test_what_was_done_is_not_done_again(path: Path) -> None:
    first = _stop(path)
    assert "3. [>] [act] c" in path.read_text()
    world, result = _go_on(path)
    assert world.ran == ["3", "4"]
    assert (world.calls[0].key, world.calls[0].attempt) == (first.calls[2].key, 1)
    assert world.inputs[0] == ALL
    assert result.outcome is Outcome.CONVERGED
    assert result.outputs == ALL
    assert _resumed(world) == {}
    assert path.read_text() == "Goal: g\n## Steps\n" + shown(result.plan)


def test_a_new_run_knows_of_no_outputs(path: Path) -> None:
    _stop(path)
    world = World(VALUES)
    result = world.run(path)
    assert world.ran == ["4"]
    assert result.plan.steps[2].result == (
        "inputs are missing: x (step 1 is done without it), y (step 2 is done without it)"
    )
    assert result.outcome is Outcome.BLOCKED
    # A caller that knows the values gives them.
    _edit(path, ("3. [!]", "3. [ ]"))
    world = World(VALUES)
    assert world.run(path, inputs={"x": 1, "y": 2}).outcome is Outcome.CONVERGED
    assert world.inputs == [{"x": 1, "y": 2}]


def test_a_run_that_has_converged_stays_so(path: Path) -> None:
    World(VALUES).run(path)
    text = path.read_text()
    world, result = _go_on(path)
    assert (world.ran, result.outcome, result.outputs) == ([], Outcome.CONVERGED, ALL)
    assert path.read_text() == text


def test_blocked_runs_get_new_rounds(path: Path) -> None:
    world = World({**VALUES, "c": [failed("no")]}, plannings=[""])
    assert world.run(path).outcome is Outcome.BLOCKED
    world = World(VALUES, plannings=["PLAN_CMD: REVISE 3 [act] e"])
    result = world.run(path, resume=True)
    assert (world.log, result.outcome, result.rounds) == (["plan changes", "run 3"], Outcome.CONVERGED, 2)


def test_inputs_are_remembered(path: Path) -> None:
    path.write_text("Goal: g\n## Steps\n1. [act] a\n  > ← p, q, r\n")
    inputs: list[dict[str, Any]] = [{"p": 1, "q": (2,)}, {"q": 3, "r": 4}, {}]
    for given in inputs:
        world = World({"a": [FatalError()]})
        with pytest.raises(FatalError):
            world.run(path, resume=given.get("p") is None, inputs=given)
        seen = world.inputs[0]
    assert seen == {"p": 1, "q": 3, "r": 4}


# ---------------------------------------------------------------- the plan was edited


def test_a_finished_step_was_edited(path: Path) -> None:
    _stop(path)
    _edit(path, ("[act] a →", "[act] a2 →"))
    text = path.read_text()
    for options in ({}, {"edited": "ask"}):
        with pytest.raises(EditedStepsError) as error:
            _go_on(path, **options)
    assert (str(error.value), error.value.steps) == ("finished steps were edited since they were run: 1", ["1"])
    assert path.read_text() == text
    world, result = _go_on(path, edited=EditedSteps.KEEP)
    assert (world.ran, world.inputs[0]) == (["3", "4"], ALL)
    assert world.kinds[:2] == ["resumed", "kept 1"]
    assert result.outcome is Outcome.CONVERGED
    # It is not asked about again.
    assert _go_on(path)[1].outputs == ALL


def test_a_finished_step_that_was_edited_is_run_again(path: Path) -> None:
    _stop(path)
    _edit(path, ("[act] a →", "[act] a2 →"))
    world = World({"a2": [ok("again", x="new")]})
    result = world.run(path, resume=True, edited=EditedSteps.RERUN)
    assert (world.ran, world.inputs[1]) == (["1", "3", "4"], {"x": "new", "y": "vb"})
    assert "1. [x] [act] a2 → x | again\n" in shown(result.plan)


def test_a_finished_step_below_others_is_run_again(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text(
        "Goal: g\n## Steps\n1. [decide] q\n  1.1. [subtask] s\n    1.1.1. [act] a\n  1.2. [act] b\n2. [act] c\n"
    )
    World({"q": [chosen("1.1", "yes")]}).run(path)
    _edit(path, ("[act] a", "[act] a2"))
    world = World()
    result = world.run(path, resume=True, edited="rerun")
    assert world.ran == ["1", "1.1.1"]
    assert result.outcome is Outcome.CONVERGED
    assert [step.status.value for step in result.plan.steps] == ["done", "done"]


@pytest.mark.parametrize(
    ("steps", "ran", "given"),
    [
        # A step was put in front; what is there is known to be what was cut off.
        ("1. [act] z; 2. [x] [act] a → x; 3. [x] [act] b → y; 4. [>] [act] c; > ← x, y", "1 4", ALL),
        # Steps were swapped.
        ("1. [x] [act] b → y; 2. [x] [act] a → x; 3. [act] c; > ← x, y", "3", ALL),
        # They keep their ids.
        ("1. [x] [act] a → x; 4. [act] d; 2. [x] [act] b → y; 3. [>] [act] c; > ← x, y", "4 3", ALL),
        # One that was done is gone.
        ("1. [x] [act] b → y; 2. [>] [act] c; > ← x, y", "2", {"y": "vb"}),
        # Its result is never taken for that of another one in its place.
        ("1. [act] other → x; 2. [x] [act] b → y; 3. [act] c; > ← x, y", "1 3", {"x": "other", "y": "vb"}),
        # A copy of it was not done.
        ("1. [act] a → x; 2. [x] [act] a → x; 3. [x] [act] b → y; 4. [act] c; > ← x, y", "1 4", ALL),
        ("1. [x] [act] a → x; 2. [act] a → x; 3. [x] [act] b → y; 4. [act] c; > ← x, y", "2 4", ALL),
        # Marks were put by hand.
        ("1. [x] [act] a → x; 2. [x] [act] b → y; 3. [x] [act] c; > ← x, y; 4. [act] d", "4", ALL),
        ("1. [ ] [act] a → x; 2. [x] [act] b → y; 3. [>] [act] c; > ← x, y", "1 3", ALL),
    ],
)
def test_steps_were_put_elsewhere(path: Path, steps: str, ran: str, given: dict[str, str]) -> None:
    first = _stop(path)
    lines = steps.replace("; ", "\n")
    path.write_text(f"Goal: g\n## Steps\n{lines}\n")
    world, result = _go_on(path)
    last = world.calls[-1]
    assert (" ".join(world.ran), world.inputs[-1], result.outcome) == (ran, given, Outcome.CONVERGED)
    assert last.missing == (("x",) if "x" not in given else ())
    assert last.step.description == "d" or last.key == first.calls[2].key
    # What was set back by hand was tried before.
    again = [call.attempt for call in world.calls if call.step.description == "a"]
    assert again == ([2] if "[ ]" in steps else [1] * len(again))


def test_steps_that_have_moved_are_noted(path: Path) -> None:
    _stop(path)
    _edit(
        path,
        ("1. [x]", "1. [act] z\n2. [x]"),
        ("2. [x] [act] b", "3. [x] [act] b"),
        ("3. [>]", "4. [>]"),
        ("4. [act] d", "5. [act] d"),
    )
    assert _resumed(_go_on(path)[0])["moves"] == {"1": "2", "2": "3", "3": "4", "4": "5"}


def test_steps_were_swapped_and_their_marks_were_not(path: Path) -> None:
    path.write_text("Goal: g\n## Steps\n1. [act] a → x\n2. [act] c\n")
    _stop(path)
    path.write_text("Goal: g\n## Steps\n1. [x] [act] c\n2. [>] [act] a → x\n")
    world, result = _go_on(path)
    assert world.ran == ["2"]
    assert result.outputs == {"x": "va"}


def test_a_step_that_was_put_in_and_one_that_was_edited(path: Path) -> None:
    _stop(path)
    path.write_text(
        "Goal: g\n## Steps\n1. [x] [act] a → x | ra\n2. [act] new\n3. [x] [act] b, with care → y | rb\n"
        "4. [act] c\n  > ← x, y\n"
    )
    with pytest.raises(EditedStepsError) as error:
        _go_on(path)
    assert error.value.steps == ["3"]
    world, result = _go_on(path, edited="keep")
    assert world.ran == ["2"]
    assert result.plan.steps[3].result == "inputs are missing: y (step 3 is done without it)"


def _stop_same(path: Path) -> None:
    path.write_text("Goal: g\n## Steps\n1. [act] a → x\n2. [act] a → x\n3. [act] c\n")
    with pytest.raises(FatalError):
        World({"a": [ok(x=1), ok(x=2)], "c": [FatalError()]}).run(path)


def test_steps_that_say_the_same_stay_where_they_are(path: Path) -> None:
    _stop_same(path)
    _edit(path, ("[act] c", "[act] d"))
    world, result = _go_on(path)
    assert (world.ran, result.outputs) == (["3"], {"x": 2})


def test_of_steps_that_say_the_same_it_is_asked_which_were_done(path: Path) -> None:
    _stop_same(path)
    path.write_text("Goal: g\n## Steps\n1. [act] z\n2. [x] [act] a → x\n3. [x] [act] a → x\n4. [act] c\n")
    with pytest.raises(EditedStepsError) as error:
        _go_on(path)
    assert error.value.steps == ["2", "3"]
    world, result = _go_on(path, edited="keep")
    assert (world.ran, result.outputs) == (["1", "4"], {})


@pytest.mark.parametrize(
    ("old", "new", "log"),
    [
        # It was dealt with by hand.
        ("3. [>]", "3. [ ]", ["run 3", "run 4"]),
        ("[act] c", "[act] c, with care", ["run 3", "run 4"]),
        # It waits for a reflection.
        ("Goal: g", "Goal: g", ["reflect 3", "run 4"]),
    ],
)
def test_a_failure_is_there(path: Path, old: str, new: str, log: list[str]) -> None:
    world = World({**VALUES, "c": [failed("broken")]}, {"c": [OSError("no net")]})
    with pytest.raises(OSError, match="no net"):
        world.run(path)
    _edit(path, (old, new))
    world = World(answers={"c": ["ACCEPT"]})
    result = world.run(path, resume=True)
    assert (world.log, "| broken" in shown(result.plan)) == (log, "reflect 3" in log)


def test_no_step_was_edited(path: Path) -> None:
    _stop(path)
    path.write_text(path.read_text().replace("\n", "\r\n").replace("1. [x]", "1.  [x] "))
    world = World({"c": [FatalError("no net")]})
    with pytest.raises(FatalError):
        world.run(path, resume=True)
    assert (world.ran, _resumed(world)) == (["3"], {})
    _edit(path, ("Goal: g", "Goal: another"))
    world, result = _go_on(path)
    assert (world.ran, result.plan.goal, _resumed(world)["is_edited"]) == (["3", "4"], "another", True)


def test_no_plan_is_left(path: Path) -> None:
    _stop(path)
    for left in (b"1. [act\n", b"\xff"):
        path.write_bytes(left)
        with pytest.raises(PlanSyntaxError):
            _go_on(path)
    path.unlink()
    with pytest.raises(PlanFileError, match=r": No such file or directory$"):
        _go_on(path)


# ---------------------------------------------------------------- while it runs


def test_a_plan_that_is_edited_while_it_runs(path: Path) -> None:
    def meddle(call: Any) -> Any:
        if call.step.description == "b":
            _edit(path, ("[act] d", "[act] e"))
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    world = World()
    engine = world.engine(path, view_pause=0)
    object.__setattr__(engine, "operator", meddle)
    result = engine.run()
    assert "edited" in world.kinds
    assert shown(result.plan) == path.read_text().partition("## Steps\n")[2]
    assert shown(result.plan).endswith("4. [x] [act] e\n")


@pytest.mark.parametrize("view_pause", [0, 60])
def test_a_finished_step_is_edited_while_its_number_changes(path: Path, view_pause: float) -> None:
    path.write_text("Goal: g\n## Steps\n1. [act] count all the crates\n2. [act] weigh them\n")

    def meddle(call: Any) -> str:
        if call.attempt > 1:
            return "ACCEPT"
        _edit(path, ("count all the crates", "count all the large crates"))
        return "RETRY\nPLAN_CMD: ADD 1 [act] open the gate\nPLAN_CMD: ADD 4 [act] shut it"

    world = World({"weigh them": [failed()]})
    with pytest.raises(EditedStepsError) as error:
        world.run(path, reflector=meddle, view_pause=view_pause)
    assert error.value.steps == ["2"]
    assert "large crates" in path.read_text()
    world, result = _go_on(path, edited="keep")
    assert shown(result.plan) == path.read_text().partition("## Steps\n")[2]
    assert [step.description for step in result.plan.steps] == [
        "open the gate",
        "count all the large crates",
        "weigh them",
        "shut it",
    ]
    assert "2" not in world.ran
    assert result.plan.is_converged


# ---------------------------------------------------------------- files


def test_a_link_to_a_plan(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    World().run(link)
    assert link.is_symlink()
    assert "4. [x] [act] d" in path.read_text()
    assert sorted(os.listdir(path.parent)) == ["link", "plan", "plan.ledger"]


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, why in [
        ("", "this is not a file"),
        ("pipe", "this is not a file"),
        ("none", "No such file or directory"),
        ("loop", "Too many levels of symbolic links"),
    ]:
        with pytest.raises(PlanFileError) as error:
            World().run(tmp_path / name)
        assert str(error.value) == f"{tmp_path / name if name else tmp_path}: {why}"
    # The name of a file steers nothing.
    for name in ("a\x00b", "\x1b[2J", "a\nb"):
        with pytest.raises(PlanFileError) as error:
            World().run(tmp_path / name)
        assert str(error.value).isprintable()
    assert sorted(os.listdir(tmp_path)) == ["loop", "pipe"]


def test_one_plan_twice_in_one_process(path: Path) -> None:
    def again(_: Any) -> Any:
        with pytest.raises(PlanFileError) as error:
            World().run(PlanFile(path, wait=0))
        assert str(error.value).startswith(f"{path}: another process runs this plan: `")
        return ok(x=1, y=2)

    engine = World().engine(path)
    object.__setattr__(engine, "operator", again)
    assert engine.run().outcome is Outcome.CONVERGED


# ---------------------------------------------------------------- processes that end anywhere


class Stop(BaseException):
    """The process dies here."""


def _stop_before_saving(path: Path, text: str, monkeypatch: pytest.MonkeyPatch, world: World | None = None) -> None:
    """Run a plan until a text with this would be saved; the record of it is kept."""
    save = LeasedPlan.save

    def stop(self: LeasedPlan, now: str) -> None:
        if text in now:
            raise Stop
        save(self, now)

    monkeypatch.setattr(LeasedPlan, "save", stop)
    with pytest.raises(Stop):
        (world or World(VALUES)).run(path, view_pause=0)
    monkeypatch.setattr(LeasedPlan, "save", save)


def test_a_file_that_is_a_record_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _stop_before_saving(path, "[x] [act] a", monkeypatch)
    assert "1. [>] [act] a" in path.read_text()

    def stop(event: Any) -> None:
        if event.kind.value == "resumed":
            raise Stop

    # The process that continues may die at once, too: the file has the record by then.
    with pytest.raises(Stop):
        World(VALUES).run(path, resume=True, on_event=stop)
    assert "1. [x] [act] a → x | ra" in path.read_text()
    world, result = _go_on(path)
    assert (world.ran, result.outputs) == (["2", "3", "4"], ALL)


def test_a_file_that_is_a_record_behind_and_was_edited(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _stop_before_saving(path, "[x] [act] a", monkeypatch)
    _edit(path, ("[act] d", "[act] e"))
    world, result = _go_on(path)
    assert world.ran == ["2", "3", "4"]
    assert shown(result.plan).startswith("1. [x] [act] a → x | ra\n")


def test_a_file_that_is_a_new_shape_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("Goal: g\n## Steps\n1. [act] a → x\n2. [act] f\n")
    world = World({"f": [failed()]}, {"f": ["ACCEPT\nPLAN_CMD: ADD 1 [act] new"]})
    _stop_before_saving(path, "new", monkeypatch, world)
    assert "new" not in path.read_text()
    world, result = _go_on(path)
    assert (world.log, result.outputs) == (["run 1"], {"x": "a"})
    assert shown(result.plan) == "1. [x] [act] new\n2. [x] [act] a → x\n3. [x] [act] f | it broke\n"


# ---------------------------------------------------------------- what counts on, and what starts over


def test_what_is_cut_off_again_and_again_is_one_attempt(path: Path) -> None:
    keys = set()
    for number in range(5):
        world = World({**VALUES, "c": [FatalError()]})
        with pytest.raises(FatalError):
            world.run(path, resume=number > 0, limits=EngineLimits(max_attempts=1), budget=Budget(steps=3))
        keys.add((world.calls[-1].attempt, world.calls[-1].key))
    assert len(keys) == 1
    world, result = _go_on(path, limits=EngineLimits(max_attempts=1))
    assert (world.ran, result.outcome) == (["3", "4"], Outcome.CONVERGED)


def test_rounds_count_on_where_a_budget_was_used_up(path: Path) -> None:
    result, log = World({"d": [failed()]}).run(path, budget=Budget(steps=3)), []
    while result.outcome is Outcome.BUDGET:
        world = World({"d": [failed()]}, plannings=["PLAN_CMD: ADD 5 [act] more"] * 9)
        result = world.run(path, resume=True, budget=Budget(llm_calls=1), limits=EngineLimits(max_rounds=3))
        log += world.log
    assert (result.reason, result.rounds) == ("steps are blocked: 4; 3 rounds are over", 3)
    assert log == ["run 4", "plan changes", "run 5", "plan changes", "run 5"]


def test_a_planner_that_was_refused_is_asked_again_in_another_call(path: Path) -> None:
    world = World({"d": [failed()]}, plannings=["PLAN_CMD: REPLAN ALL", "no", "no", "no"])
    world.run(path)
    assert world.log[-4:] == ["plan changes", "plan plan", "plan plan", "plan plan"]
    for _ in range(2):
        world = World(plannings=["PLAN_CMD: SKIP 4"] * 3)
        result = world.run(path, resume=True)
        assert world.log == ["plan changes"] * 3
        assert world.planned[0].refusal is None
    assert "the planner was refused 3 times" in result.reason


def test_an_answer_that_was_refused_is_not_forgotten(path: Path) -> None:
    world = World({**VALUES, "c": [failed()]}, {"c": ["hm", OSError("no net")]})
    with pytest.raises(OSError, match="no net"):
        world.run(path)
    world = World(answers={"c": ["well"]})
    world.run(path, resume=True)
    assert world.log == ["reflect 3", "reflect 3", "run 4"]
    refusals = [call.refusal for call in world.reflections]
    assert [refusal and refusal.answer for refusal in refusals] == ["hm", "well"]
    assert refusals[0] is not None
    assert [found.code for found in refusals[0].diagnostics] == ["PE201"]


def test_where_there_is_no_run_one_begins_and_nothing_can_be_reopened(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text("Goal: g\n## Steps\n1. [act] a\n")
    with pytest.raises(PlanRunError, match="there is no run to resume"):
        World().engine(path).reopen("1")
    with pytest.raises(PlanRunError, match="step 7 is not a subtask"):
        World().engine(path).run_subtask("7", resume=True)
    assert os.listdir(tmp_path) == ["p"]
    assert World().run(path, resume=True).outcome is Outcome.CONVERGED
    assert ledger_path(str(path)).exists()


# ---------------------------------------------------------------- ledgers that have other runs


def test_a_tool_plan_in_the_same_ledger(path: Path) -> None:
    _stop(path)
    tools = tool_plan_from_dict({"target": "t", "plan": {"steps": [{"id": "sweep", "target": "t", "inputs": {}}]}})
    atoms = [{"id": "sweep", "inputs": [], "outputs": []}]
    ledger = ledger_path(path)
    assert run_toolplan(tools, atoms, lambda *_: {}, ledger=ledger).is_done
    previewed = run("run", path, "--operator", "true", "--resume", "--dry-run")
    assert (previewed.exit_code, previewed.stderr) == (0, "")
    world, result = _go_on(path)
    assert result.outcome is Outcome.CONVERGED
    assert world.ran[0] == "3"
    with closing(SqliteLedger(ledger, read_only=True)) as known:
        assert [info.run for info in known.runs()] == [result.run, "toolplan"]


def test_a_run_of_a_tool_plan_is_not_continued_as_one_of_a_plan(path: Path) -> None:
    with closing(SqliteLedger(ledger_path(path))) as ledger:
        ledger.begin(RunInfo("tools", 1.0))
        ledger.append("tools", Record(RecordKind.BEGUN, data={"runner": "toolplan"}), after=0)
        with pytest.raises(PlanRunError, match="the run 'tools' is not that of a plan"):
            continue_run(ledger, "tools", lambda *_: ok())
        assert ledger.count("tools") == 1
    with pytest.raises(PlanRunError, match="there is no run to resume"):
        World().engine(path).reopen("1")
    assert _go_on(path)[1].outcome is Outcome.CONVERGED
