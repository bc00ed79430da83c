"""`planspec planner`: `check`, `prompt`, `show` and `start`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.plan_next import (
    Context,
    Core4,
    build_executor_prompt,
    build_planner_prompt,
    context_from_json,
    context_to_json,
    context_to_plan,
    load_executors,
    start_context,
)
from planspec_lark.planner import read_state
from tests.cli.planning import STATE, message, state
from tests.cli.running import call, harmless, on_terminal, run

CALL = {"command": "grill hot", "inputs": {}, "expected_observations": []}
EXECUTE = {"plan_type": "EXECUTE", "new_block": {"goal": "Mix", "plan": [], "done": []}, "executor_call": CALL}
EVIL = "evil \x1b[31m\u202e\x9b1m\nerror[PN999]: forged"


@pytest.fixture(autouse=True)
def files(here: Path) -> Path:
    (here / "good.json").write_text(message())
    (here / "bad.json").write_text(message(id=1, new_block={"goal": "", "plan": ["First mix"], "done": []}))
    (here / "warned.json").write_text(message().replace(', "success_signal": "A hollow sound"', ""))
    (here / "tools.yaml").write_text("- id: oven\n  limits: 250 degrees\n")
    return here


def begin(*arguments: str) -> None:
    result = run("planner", "start", "Bake", *arguments)
    assert result.exit_code == 0, result.stderr


# ---------------------------------------------------------------- check


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.json"], 0),
        (["bad.json", "good.json"], 1),
        (["warned.json"], 0),
        (["warned.json", "--strict"], 1),
        (["good.json", "--phase", "execution"], 1),
        (["execute.json", "--executors", "tools.yaml"], 1),
        (["fenced.json"], 1),
        (["fenced.json", "--tolerant", "--info"], 0),
        (["good.json", "latin.json"], 1),
    ],
)
def test_check(files: Path, snapshot: SnapshotAssertion, arguments: list[str], code: int) -> None:
    (files / "execute.json").write_text(message(**EXECUTE))
    (files / "fenced.json").write_text(f"So:\n```json\n{message()}\n```\n")
    (files / "latin.json").write_bytes(b'{"type": "\xfc"}')
    result = run("planner", "check", *arguments)
    assert (result.exit_code, result.stderr) == (code, "")
    assert result.stdout == snapshot


def test_check_of_a_plan_return() -> None:
    text = '{"type": "plan-return", "result": {}, "status": "failed"}'
    result = run("planner", "check", "-", "--phase", "execution", stdin=text)
    assert (result.exit_code, result.stdout) == (0, "1 file checked: nothing to say\n")


def test_check_where_a_plan_stands(snapshot: SnapshotAssertion) -> None:
    failed = {"goal": "Bake", "result": "", "status": "failed", "plan": ["Mix", "Rest", "Heat"]}
    context = {"think": {"goal": "Bread", "plan": ["Bake"], "done": [failed]}}
    result = run("planner", "check", "good.json", "--context", "-", stdin=json.dumps(context))
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == snapshot


def test_the_context_says_the_phase() -> None:
    context = '{"think": {"goal": "Bread", "plan": [], "done": []}}'
    result = run("planner", "check", "good.json", "--context", "-", stdin=context)
    assert (result.exit_code, "PN201" in result.stdout) == (1, True)
    assert run("planner", "check", "good.json", "--context", "-", "--phase", "planning", stdin=context).exit_code == 1
    answer = Path("return.json")
    answer.write_text('{"type": "plan-return", "result": "so"}')
    assert run("planner", "check", answer, "--context", "-", stdin=context).exit_code == 0


@pytest.mark.parametrize("form", ["json", "github"])
def test_formats(form: str) -> None:
    result = run("planner", "check", "bad.json", "good.json", "--format", form)
    assert result.exit_code == 1
    if form == "github":
        assert result.stdout.startswith("::error file=bad.json,line=1,")
        assert all(row.startswith(("::error ", "::warning ")) for row in result.stdout.splitlines())
        return
    value = json.loads(result.stdout)
    if form == "json":
        assert value["files"] == ["bad.json", "good.json"]
        found = [(one["code"], one["path"]) for one in value["diagnostics"]]
        assert found == [("PN106", "new_block.goal"), ("PN205", "new_block.plan"), ("PN108", "id")]
    else:
        assert [one["ruleId"] for one in value["runs"][0]["results"]] == ["PN106", "PN205", "PN108"]


# ---------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "nope.json"], "Error: nope.json: No such file or directory"),
        (["check", "folder"], "Error: folder: Is a directory"),
        (["check", "good.json", "--context", "nope"], "Error: nope: No such file or directory"),
        (["check", "good.json", "--context", "good.json"], "good.json: this is not a context"),
        (["check", "good.json", "--executors", "folder"], "Error: folder: Is a directory"),
        (["check", "good.json", "--executors", "good.json"], "good.json: these are not executors"),
        (["prompt", "--strategy", "nope"], "Error: nope: No such file or directory"),
        (["prompt", "--strategy", "latin"], "latin: this is not a strategy"),
        (["prompt", "--context", "-", "--strategy", "-"], "Error: Standard input can be read only once."),
        (["prompt", "--context", "-", "--answer", "-"], "Error: Standard input can be read only once."),
        (["prompt"], "Error: .thinkon/thinking-context.json: there is no plan here yet"),
        (["show"], "Error: .thinkon/thinking-context.json: there is no plan here yet"),
        (["show", "--state", "good.json"], "Error: good.json/thinking-context.json: Not a directory"),
        (["show", "--state", ""], "Error: --state: an empty name is not a folder's"),
        (["show", "--context", "latin"], "latin: this is not a context"),
        (["start", "x", "--state", "good.json"], "Error: good.json: File exists"),
        (["start", "x", "--state", "good.json/x"], "Error: good.json/x: Not a directory"),
        (["start", " "], "Error: goal: it is empty"),
        (["start", "x", "--item", ""], "Error: plan: an item is empty"),
        (["start", "x", "--max-depth", "33"], "Error: max_depth: 33 is not between 1 and 32"),
        (["start", "\udcff"], "Error: half of a surrogate pair, '\\udcff', is not a character"),
    ],
)
def test_what_cannot_be_used(files: Path, arguments: list[str], said: str) -> None:
    (files / "folder").mkdir()
    (files / "latin").write_bytes(b"\xff")
    result = run("planner", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert any(line.startswith(said) for line in result.stderr.splitlines()), result.stderr


def test_one_unreadable_file_hides_no_other() -> None:
    result = run("planner", "check", "nope.json", "bad.json")
    assert result.exit_code == 2
    assert "error[PN106]" in result.stdout


def test_a_state_that_is_broken(snapshot: SnapshotAssertion) -> None:
    begin()
    STATE.write_text('{"think": {"goal": "x", "plan": [1], "done": []}}')
    for name in ("show", "prompt"):
        result = run("planner", name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == snapshot(name="state")


# ---------------------------------------------------------------- start


def test_start() -> None:
    result = run("planner", "start", "Bake")
    said = ".thinkon: a plan has begun; `planspec planner run` continues it\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, said, "")
    assert read_state(".thinkon") == start_context("Bake")


def test_start_with_all_options() -> None:
    options = ["--item", "Mix", "--item", "Heat", "--metric", "Crisp", "--max-depth", "2", "--state", "a/b"]
    begin(*options)
    assert read_state("a/b") == start_context(Core4("Bake", "", "Crisp", ""), ["Mix", "Heat"], max_depth=2)


def test_start_gives_up_nothing_unasked() -> None:
    begin()
    result = run("planner", "start", "Fry")
    said = "Error: .thinkon: the plan there has not ended; continue with it, or overwrite it\n"
    assert (result.exit_code, result.stderr) == (2, said)
    assert state()["think"]["goal"] == "Bake"
    begin("--overwrite", "--item", "Fry")
    assert state()["think"]["plan"] == ["Fry"]


# ---------------------------------------------------------------- prompt


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompt(language: str) -> None:
    begin()
    tools = Path(".thinkon/executors")
    tools.mkdir()
    Path("tools.yaml").rename(tools / "executors.yaml")
    result = run("planner", "prompt", "--language", language)
    expected = build_planner_prompt(start_context("Bake"), load_executors(tools / "executors.yaml"), language=language)
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected, "")


def test_prompt_of_another_context_takes_no_tools_of_the_state() -> None:
    begin()
    Path(".thinkon/executors").mkdir()
    Path("tools.yaml").rename(".thinkon/executors/executors.yaml")
    context = '{"think": {"goal": "Fry", "plan": ["Fry"], "done": []}}'
    expected = build_planner_prompt(context_from_json(context))
    assert run("planner", "prompt", "--context", "-", stdin=context).stdout == expected


def test_prompt_for_an_answer(snapshot: SnapshotAssertion) -> None:
    begin()
    good = run("planner", "prompt", "--answer", "good.json")
    assert (good.exit_code, good.stdout, good.stderr) == (0, "", "")
    bad = run("planner", "prompt", "--answer", "-", stdin="No idea.")
    assert (bad.exit_code, bad.stderr) == (1, "")
    assert bad.stdout == snapshot


def test_prompt_for_an_executor() -> None:
    context = '{"think": {"goal": "Fry", "plan": [], "done": []}}'
    result = run("planner", "prompt", "--context", "-", stdin=context)
    expected = build_executor_prompt(context_from_json(context))
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected, "")
    Path("context.json").write_text(context)
    assert run("planner", "prompt", "--context", "context.json", "--answer", "good.json").exit_code == 1


def test_prompt_for_a_plan_that_has_ended() -> None:
    context = {
        "think": {"goal": "Fry", "plan": [], "done": []},
        "outcome": {"goal": "Fry", "result": "", "status": "done"},
    }
    result = run("planner", "prompt", "--context", "-", stdin=json.dumps(context))
    said = "Error: <stdin>: this plan has ended, and waits for no message\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


# ---------------------------------------------------------------- show


def some_context() -> Context:
    return context_from_json(
        json.dumps(
            {
                "think": {"goal": "Mix", "plan": [], "done": [], "executor_call": CALL, "plan_type": "EXECUTE"},
                "path": [
                    {
                        "goal": {"intent": "Bake", "deliverable": "A loaf", "metric": "", "constraint": "No salt"},
                        "plan": ["Mix", "Heat"],
                        "done": [
                            {"goal": "Weigh", "result": "No scales", "status": "failed", "left": ["Ask for some"]}
                        ],
                    }
                ],
            }
        )
    )


def test_show(snapshot: SnapshotAssertion) -> None:
    text = context_to_json(some_context())
    shown = run("planner", "show", "--context", "-", stdin=text)
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout == snapshot(name="folded")
    assert run("planner", "show", "--context", "-", "--full", stdin=text).stdout == snapshot(name="full")


def test_show_as_a_plan() -> None:
    plan = run("planner", "show", "--context", "-", "--plan", stdin=context_to_json(some_context())).stdout
    assert plan == serialize_plan(context_to_plan(some_context()))
    assert parse_plan(plan) == context_to_plan(some_context())
    for command in (["check"], ["show"], ["json"], ["fmt", "--check"]):
        assert run(*command, "-", stdin=plan).exit_code == 0


# ---------------------------------------------------------------- hostile texts


def test_nothing_steers_a_terminal() -> None:
    Path("evil.json").write_text(message(plan_type=EVIL, **{EVIL: 1}), encoding="utf-8")
    Path(EVIL).write_text(EVIL, encoding="utf-8")
    assert run("planner", "start", EVIL).exit_code == 0
    calls: list[list[str]] = [["check", "evil.json", EVIL], ["show"], ["show", "--plan"], ["prompt"]]
    calls += [["prompt", "--answer", EVIL], ["show", "--state", EVIL], ["show", "--context", EVIL], ["start", EVIL]]
    calls += [["check", "evil.json", option, EVIL] for option in ("--context", "--executors", "--phase")]
    for arguments in calls:
        shown = harmless(on_terminal("planner", *arguments), colours=True)
        assert "Traceback" not in shown
        # The prompt shows an answer as it came, as data.
        assert arguments[:2] == ["prompt", "--answer"] or "\nerror[PN999]" not in shown, arguments


def test_a_pipe_gets_no_colours() -> None:
    assert b"\x1b[" in on_terminal("planner", "check", "bad.json")
    assert b"\x1b" not in on_terminal("planner", "check", "bad.json", env={"NO_COLOR": "1"})
    assert b"\x1b" not in call("planner", "check", "bad.json").stdout
