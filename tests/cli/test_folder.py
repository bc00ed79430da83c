"""The folder of plans on the command line: new skeletons, the list, the archive, and names in place of files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from planspec_lark import check_text, iter_steps, parse_plan, serialize_plan
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.syntax.safe_text import columns
from tests.cli.engine_world import OPERATOR, make_world
from tests.cli.running import BROKEN, PLAN, on_terminal, run
from tests.cli.terminals import terminal

FINISHED = "# Plan: Winter\nGoal: No pipe bursts\n## Steps\n1. [x] [act] Drain → pipes\n2. [~] [act] Wrap → wrapped\n"

HIDDEN = "planspec/.gitignore keeps plans out of git, except those that it tracks already; --shared lets it see them\n"


def put(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.fixture
def plans() -> None:
    put("planspec/library.md", PLAN)
    put("planspec/winter.md", FINISHED)
    put("planspec/ill.md", BROKEN)
    put("Tasks/roof/plan.md", FINISHED)


# ---------------------------------------------------------------- new


@pytest.mark.parametrize(("options", "word"), [([], "title"), (["--language", "zh"], "标题")])
def test_a_template_is_a_valid_plan_with_every_part(options: list[str], word: str) -> None:
    result = run("new", "--template", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    plan = parse_plan(result.stdout)
    assert word in plan.title
    assert serialize_plan(plan) == result.stdout
    assert all((plan.goal, plan.goal_detail, plan.constraints))
    steps = [*iter_steps(plan)]
    assert {step.step_type for step in steps} == set(STEP_TYPES)
    assert any(step.inputs for step in steps)
    assert any(step.detail for step in steps)
    assert check_text(result.stdout) == []
    assert not Path("planspec").exists()


def test_chinese_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    result = run("new", "车险")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: a name in pinyin needs an extra, pip install 'planspec-lark[zh]': install it, or give a name, "
        "with --name NAME\n",
    )


# ---------------------------------------------------------------- list


def test_wide_names_are_aligned() -> None:
    put("planspec/车险.md", FINISHED)
    put("planspec/abcdef.md", FINISHED)
    put("planspec/" + "n" * 60 + ".md", FINISHED)
    lines = run("list").stdout.splitlines()
    starts = {columns(line[: line.index("1/2")]) for line in lines}
    assert starts == {42, 62}


@pytest.mark.usefixtures("plans")
def test_a_terminal_gets_lines_that_fit() -> None:
    put("planspec/cars.md", FINISHED.replace("Winter", "车险赔付率预测" * 9))
    put("planspec/it.md", FINISHED.replace("Winter", "\u202eevil\u009b31m " * 9))
    with terminal("list", columns=50) as shown:
        assert shown.wait() == 0
    lines = shown.shown().splitlines()
    assert lines[0].startswith("cars     1/2 (50%)  车险赔付率预测车险")
    assert lines[0].endswith("…")
    assert len(lines) == 5
    assert {columns(line) <= 50 for line in lines} == {True}


# ---------------------------------------------------------------- archive


# ---------------------------------------------------------------- names in place of files


@pytest.mark.usefixtures("plans")
def test_the_folder_may_be_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("show", "library").stdout
    Path("project").mkdir()
    os.rename("planspec", "project/planspec")
    assert run("show", "library", "--folder", "project").stdout == shown
    assert run("show", "--folder", "project", "library").stdout == shown
    assert run("show", "library").exit_code == 2
    monkeypatch.setenv("PLANSPEC_FOLDER", "project")
    assert run("show", "library").stdout == shown
    assert run("json", "library").exit_code == 0
    assert run("new", "more").stdout == "project/planspec/more.md\n"
    assert run("list", "--folder", ".").stderr == "There are no plans in planspec/\n"


def test_a_run_of_a_named_plan() -> None:
    make_world()
    Path("planspec").mkdir()
    os.rename("bakery.md", "planspec/bakery.md")
    result = run("run", "bakery", *OPERATOR, "--max-steps", "1")
    assert result.exit_code == 3
    assert "planspec run planspec/bakery.md" in result.stderr
    assert run("log", "bakery").exit_code == 0


def test_a_terminal_is_not_steered() -> None:
    put("planspec/it.md", FINISHED.replace("Winter", "\u009b31mevil"))
    assert b"\\x9b31mevil" in on_terminal("list")
    assert b"\xc2\x9b" not in on_terminal("new", "it")


def test_what_is_refused_is_shown_harmlessly() -> None:
    shown = on_terminal("show", "a\x1b[31mb")
    assert b"\x1b[31mb" not in shown


# ---------------------------------------------------------------- use
