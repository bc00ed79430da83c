"""The actions of apply_commands: the verbs of every day, as agents use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanFile, parse_plan
from planspec_lark.engine import HopStatus, OperatorResult, ThinkEngine
from planspec_lark.folder import PlanFolder
from planspec_lark.mcp_server import tools
from planspec_lark.mcp_server.errors import RefusedError
from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.tool_functions import apply_commands
from planspec_lark.mcp_server.tool_models import ApplyArguments
from tests.cli.running import call
from tests.mcp_server.clients import PLAN, Agent

NEW = "# Plan: Paint\nGoal: The hall is white\n## Steps\n1. [act] Paint the hall → hall\n"
SHOWN = [json.loads(line) for line in tools.TOOLS["apply_commands"].description.splitlines() if line.startswith("{")]


def act(agent: Agent, *actions: dict[str, Any], name: str = "library") -> list[str]:
    """What the reports say on actions that are carried out."""
    applied = agent.ask("apply_commands", name=name, actions=list(actions))
    return [row.removeprefix("ok: ") for row in applied.splitlines() if row.startswith("ok: ")]


def test_what_the_description_shows_is_right() -> None:
    verbs = set(ApplyArguments.model_json_schema()["$defs"]["Action"]["properties"]["do"]["enum"])
    assert {one["do"] for one in SHOWN} == verbs
    assert len(ApplyArguments.model_validate({"name": "library", "actions": SHOWN}).actions) == len(verbs)


@pytest.mark.parametrize(
    ("action", "said", "before", "after"),
    [
        (
            {"do": "start", "step": "2.1"},
            "step 2.1: pending → active",
            "2.1. [act] Hire",
            "2.1. [>] [act] Hire",
        ),
        (
            {"do": "done", "step": "2.1", "text": "booked\nfor nine"},
            "step 2.1: pending → done",
            "2.1. [act] Hire a lorry → lorry",
            "2.1. [x] [act] Hire a lorry → lorry | booked for nine",
        ),
        (
            {"do": "block", "step": "2.1", "text": "none | is free"},
            "step 2.1: pending → blocked",
            "2.1. [act] Hire a lorry → lorry",
            "2.1. [!] [act] Hire a lorry → lorry | none | is free",
        ),
        (
            {"do": "skip", "step": "2.1", "text": "they come by bike"},
            "step 2.1: pending → skipped",
            "2.1. [act] Hire a lorry → lorry",
            "2.1. [~] [act] Hire a lorry → lorry | they come by bike",
        ),
        (
            {"do": "rename", "step": "2.1", "name": "hire"},
            "step 2.1 is called hire",
            "2.1. [act] Hire",
            "2.1. hire [act] Hire",
        ),
        (
            {"do": "add", "text": "Load it", "below": "2", "inputs": ["lorry"], "outputs": ["load"], "detail": ["All"]},
            "step 2.3 added",
            "",
            "  2.3. [act] Load it → load\n    > ← lorry\n    > All\n",
        ),
    ],
)
def test_an_action_changes_its_lines(agent: Agent, action: dict[str, Any], said: str, before: str, after: str) -> None:
    path = agent.write("library")
    assert act(agent, action) == [said]
    text = path.read_text()
    assert after in text
    # All else stays as it was.
    assert text.replace(after, before) == PLAN


def test_steps_are_reopened_moved_and_removed(agent: Agent) -> None:
    path = agent.write("library")
    assert act(
        agent,
        {"do": "add", "text": "Look back", "type": "reason", "name": "look"},
        {"do": "move", "step": "look", "to": "1"},
        {"do": "done", "step": "look", "text": "well"},
        {"do": "reopen", "step": "look"},
        {"do": "remove", "step": "look", "renumber": True},
    )[-3:] == ["step 1: pending → done", "step 1 is open again", "step 1 removed, 3 steps after it moved down by one"]
    assert path.read_text() == PLAN


def test_texts_that_mean_another_step_now_are_named(agent: Agent) -> None:
    agent.write("library")
    act(agent, {"do": "add", "text": "Look at what step 1 gave"})
    assert act(agent, {"do": "add", "text": "Look ahead", "to": "1"})[1:] == [
        'line 17 says "step 1", which is step 2 now'
    ]


def test_where_one_is_refused_nothing_is_changed(agent: Agent) -> None:
    path = agent.write("library")
    actions = [{"do": "start", "step": "2.1"}, {"do": "move", "step": "2", "to": "2.5"}, {"do": "start", "step": "3"}]
    said = agent.fail("apply_commands", name="library", actions=actions)
    assert path.read_text() == PLAN
    first, second, third, _, last = said.splitlines()
    assert first.startswith("PC119: ")
    assert second == "Nothing was changed: one of them was refused, and it is all of them or none."
    assert (third, last) == (f"digest: {agent.digest()}", "next step: 2.1")


def test_a_tick_without_its_proof(agent: Agent) -> None:
    path = agent.write("library")
    tick = {"do": "done", "step": "2.1"}
    assert act(agent, tick) == ["step 2.1: pending → done, without a result: a text would say what came of it"]
    path.write_text(PLAN)
    (agent.root / "planspec" / "settings.toml").write_text("require_result = true\n")
    assert "PC122" in agent.fail("apply_commands", name="library", actions=[tick])
    assert path.read_text() == PLAN
    assert act(agent, {**tick, "text": "booked"}) == ["step 2.1: pending → done"]


def run_plan(agent: Agent) -> Path:
    """A plan that has been run to its end."""
    path = agent.write("hall", NEW)
    ThinkEngine(PlanFile(path), lambda _: OperatorResult(HopStatus.OK, "white", {"hall": "white"})).run()
    assert parse_plan(path.read_text()).is_converged
    return path


def test_a_plan_that_has_been_run_is_reopened_with_its_ledger(agent: Agent) -> None:
    path = run_plan(agent)
    said = agent.ask("apply_commands", name="hall", actions=[{"do": "reopen", "step": "1"}])
    assert said.startswith(f"ok: step 1 is open again\ndigest: {agent.digest('hall')}\n")
    assert said.endswith("\nnext step: 1\n")
    assert path.read_text() == NEW
    assert call("log", path, "--last", "1").stdout.split()[2:4] == [b"again", b"1"]
    # The run continues with it.
    ThinkEngine(PlanFile(path), lambda _: OperatorResult(HopStatus.OK, "whiter", {"hall": "whiter"})).run(resume=True)
    assert parse_plan(path.read_text()).steps[0].result == "whiter"


@pytest.mark.parametrize(
    ("actions", "more", "said"),
    [
        ([{"do": "reopen", "step": "7"}], {}, "no step has the id or name `7`"),
        (
            [{"do": "reopen", "step": "1"}, {"do": "start", "step": "1"}],
            {},
            "Nothing was changed: this plan has been run, and what is reopened is noted in the",
        ),
        (
            [{"do": "reopen", "step": "1"}],
            {"expected_digest": "0"},
            "Nothing was changed: the plan has changed since you read it",
        ),
    ],
)
def test_a_plan_that_has_been_run_is_left_alone(
    agent: Agent, actions: list[dict[str, str]], more: dict[str, str], said: str
) -> None:
    path = run_plan(agent)
    before = path.read_text()
    assert agent.fail("apply_commands", name="hall", actions=actions, **more).startswith(said)
    assert path.read_text() == before
    assert call("log", path, "--last", "1").stdout.split()[2:3] != [b"again"]


def test_a_ledger_that_is_none_is_left_alone(agent: Agent) -> None:
    path = run_plan(agent)
    before, ledger = path.read_text(), path.with_name("hall.md.ledger")
    ledger.write_text("Not a ledger.\n" * 100)
    reopen = [{"do": "reopen", "step": "1"}]
    said = agent.fail("apply_commands", name="hall", actions=reopen)
    assert said == "The ledger of the plan's runs cannot be used. The command `planspec log` says why."
    ledger.unlink()
    elsewhere = agent.root / "elsewhere"
    ledger.symlink_to(elsewhere)
    for _ in range(2):
        said = agent.fail("apply_commands", name="hall", actions=reopen)
        assert said == "the ledger of `hall` is a link, which is not followed"
        assert path.read_text() == before
        elsewhere.touch()
    assert elsewhere.read_bytes() == b""


# ---------------------------------------------------------------- archive


def test_a_finished_plan_is_archived(agent: Agent) -> None:
    path = agent.write("hall", NEW)
    act(agent, {"do": "done", "step": "1", "text": "white"}, name="hall")
    text = path.read_text()
    said = agent.ask("apply_commands", name="hall", actions=[{"do": "archive"}])
    assert said.startswith("ok: the plan is in planspec/archive/hall.md now\ndigest: ")
    assert "the same as before" not in said
    assert not path.exists()
    assert (agent.root / "planspec" / "archive" / "hall.md").read_text() == text


def test_an_unfinished_plan_is_not_archived(agent: Agent) -> None:
    path = agent.write("hall", NEW)
    said = agent.fail("apply_commands", name="hall", actions=[{"do": "archive"}])
    assert said == "planspec/hall.md: this plan is not finished: 1 of 1 steps is pending or active"
    assert path.read_text() == NEW


def test_archive_stands_alone(agent: Agent) -> None:
    path = agent.write("hall", NEW)
    said = agent.fail("apply_commands", name="hall", actions=[{"do": "done", "step": "1"}, {"do": "archive"}])
    assert said == "Nothing was changed: archive must be alone in its list, once all else is done."
    assert path.read_text() == NEW


def test_the_plan_of_a_task_stays_where_it_is(agent: Agent) -> None:
    path = agent.root / "Tasks" / "hall" / "plan.md"
    path.parent.mkdir(parents=True)
    path.write_text(NEW.replace("[act]", "[x] [act]"))
    said = agent.fail("apply_commands", name="hall", actions=[{"do": "archive"}])
    assert said == "the plan of a task stays where it is: `hall` cannot be archived"
    assert path.exists()


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize("arguments", [{}, {"actions": [{"do": "archive"}], "commands": "PLAN_CMD: DONE 1"}])
def test_either_actions_or_commands_change_a_plan(agent: Agent, arguments: dict[str, Any]) -> None:
    agent.write("library")
    said = agent.fail("apply_commands", name="library", **arguments)
    assert said == "Give either actions or commands, and at least one."


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"do": "finish", "step": "1"}, "actions.0.do: Input should be 'start', 'done', "),
        ({"do": "start"}, "actions.0: start needs step"),
        ({"do": "move", "step": "1"}, "actions.0: move needs to"),
        ({"do": "rename", "step": "1"}, "actions.0: rename needs name"),
        ({"do": "add", "type": "act"}, "actions.0: add needs text"),
        ({"do": "start", "step": "1", "text": "at once"}, "actions.0: start takes no text"),
        ({"do": "add", "text": "Load it", "step": "2"}, "actions.0: add takes no step"),
        ({"do": "archive", "step": "1"}, "actions.0: archive takes no step"),
        ({"do": "add", "text": "Load it", "to": "4", "below": "2"}, "actions.0: to and below both say where it goes"),
        ({"do": "start", "step": "1", "id": "1"}, "actions.0.id: there is no such argument"),
    ],
)
def test_actions_that_do_not_fit(agent: Agent, action: dict[str, Any], said: str) -> None:
    path = agent.write("library")
    refused = agent.fail("apply_commands", name="library", actions=[action])
    assert refused.startswith(f"The arguments do not fit:\n- {said}")
    assert path.read_text() == PLAN


def test_fields_with_nothing_in_them_are_as_good_as_none(agent: Agent) -> None:
    agent.write("library")
    empty = {"text": "", "to": "", "below": "", "type": "act", "inputs": [], "outputs": [], "detail": []}
    assert act(agent, {"do": "start", "step": "2.1", "name": "", "renumber": False, **empty}) == [
        "step 2.1: pending → active"
    ]
    act(agent, {"do": "rename", "step": "2.1", "name": "hire"})
    assert act(agent, {"do": "rename", "step": "hire", "name": ""}) == ["step 2.1 has no name"]


def test_the_number_of_actions_is_bounded(agent: Agent) -> None:
    agent.write("library")
    said = agent.fail("apply_commands", name="library", actions=[{"do": "start", "step": "2.1"}] * 101)
    assert said.startswith("The arguments do not fit:\n- actions: List should have at most 100 items")


# ---------------------------------------------------------------- another writer


@pytest.mark.parametrize(("do", "steps"), [("archive", {}), ("reopen", {"step": "1"}), ("start", {"step": "1"})])
def test_a_plan_that_changes_before_the_lock_is_held_is_left_alone(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, do: str, steps: dict[str, str]
) -> None:
    path = run_plan(agent)
    plans = Plans(PlanFolder(agent.root))
    text = path.read_text()
    asked = {"name": "hall", "actions": [{"do": do, **steps}], "expected_digest": plans.load("hall").digest}
    locked = PlanFile._locked

    def come_first(file: PlanFile, *arguments: Any, **options: Any) -> Any:
        if file.path == path:
            path.write_text(text.replace("white", "blue"))
        return locked(file, *arguments, **options)

    monkeypatch.setattr(PlanFile, "_locked", come_first)
    with pytest.raises(RefusedError, match="Nothing was changed: the plan has changed since you read it"):
        apply_commands(plans, ApplyArguments.model_validate(asked))
    assert path.read_text() == text.replace("white", "blue")
    assert call("log", path, "--last", "1").stdout.split()[2:3] not in ([b"again"], [b"resumed"])
