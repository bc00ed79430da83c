"""`planspec planner`: `check`, `prompt`, `show` and `start`."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark.plan_next import (
    build_executor_prompt,
    build_planner_prompt,
    context_from_json,
    load_executors,
    start_context,
)
from tests.cli.planning import message
from tests.cli.running import call, harmless, on_terminal, run

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


def test_prompt_for_an_executor() -> None:
    context = '{"think": {"goal": "Fry", "plan": [], "done": []}}'
    result = run("planner", "prompt", "--context", "-", stdin=context)
    expected = build_executor_prompt(context_from_json(context))
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected, "")
    Path("context.json").write_text(context)
    assert run("planner", "prompt", "--context", "context.json", "--answer", "good.json").exit_code == 1


# ---------------------------------------------------------------- show


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
