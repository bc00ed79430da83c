"""`planspec check`."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from tests.cli.running import PLAN, run

# Two findings of PS308, one of PS206, and with --info one of PS313.
MANY = "Goal: x\n## Steps\n1. [act] one → a\n2. [act] two → a\n3. [act] three → a\n4. [subtask] four\n"


def _codes(*arguments: str, text: str = MANY) -> tuple[int, list[str]]:
    result = run("check", "--json", *arguments, "-", stdin=text)
    return result.exit_code, [f"{one['code']} {one['severity']}" for one in json.loads(result.stdout)["diagnostics"]]


def test_what_a_project_settles(here: Path) -> None:
    settings = here / "planspec.toml"
    settings.write_text("ignore = ['PS308']\nalso = ['PS315']\nseverity = {PS206 = 'error', PS309 = 'warning'}\n")
    lengths = ["PS315 info"] * 4
    code, found = _codes()
    assert (code, sorted(found)) == (1, ["PS206 error", *["PS309 warning"] * 3, *lengths])
    assert "PS308 warning" in _codes("--ignore", "")[1]
    assert "PS308 warning" in _codes("--ignore", "PS309")[1]
    settings.write_text("severity = {PS308 = 'info', PS206 = 'info'}")
    assert _codes("--max-findings", "1") == (0, [])
    settings.write_text("severities = {}")
    result = run("check", "plan.md")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "planspec.toml: severities: there is no such setting" in result.stderr


def test_nothing_in_a_plan_leaves_a_finding_out() -> None:
    for line in ("ignore = ['PS206']", "<!-- planspec: ignore PS206 -->", "noqa: PS206"):
        assert "PS206 warning" in _codes(text=f"Goal: x\n> {line}\n## Steps\n1. [subtask] {line}\n")[1]


def test_the_folder_that_a_project_settles(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "work" / "planspec").mkdir(parents=True)
    (here / "work" / "planspec" / "move.md").write_text(PLAN)
    (here / "pyproject.toml").write_text("[tool.planspec]\nfolder = 'work'\n")
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert run("check", "move").exit_code == 0
    assert run("check", "--folder", ".", "move").exit_code == 2


def test_a_folder_stands_for_its_plans() -> None:
    names = ["planspec/a.md", "planspec/archive/b.md", "Tasks/c/plan.md", "d.plan.md"]
    for name in [*names, "planspec/notes.txt", "Tasks/c/README.md", "README.md"]:
        Path("project", name).parent.mkdir(parents=True, exist_ok=True)
        Path("project", name).write_text("1) [act] a\n")
    found = json.loads(run("check", "project", "--format", "json").stdout)
    assert found["files"] == sorted(f"project/{name}" for name in names)
    assert json.loads(run("check", "project/planspec", "plan.md", "--format", "json").stdout)["files"] == [
        "project/planspec/a.md",
        "project/planspec/archive/b.md",
        "plan.md",
    ]
    done = run("check", "project", "--fix")
    assert done.stderr.count("project/planspec/a.md") == 2
    assert Path("project/planspec/archive/b.md").read_text() == "1. [act] a\n"
    assert Path("project/README.md").read_text() == "1) [act] a\n"


def test_in_a_folder_only_regular_files_count_that_are_not_hidden() -> None:
    for name in ["planspec/a.md", "planspec/.b.md", "planspec/.c/c.md", "planspec/d.md/e.md", ".f.plan.md"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("1) [act] a\n")
    # An editor's lock.
    Path("planspec/.#a.md").symlink_to("somebody@somewhere.12345")
    Path("planspec/g.md").symlink_to("nowhere")
    Path("planspec/h.md").symlink_to("a.md")
    os.mkfifo("planspec/i.md")
    for folder in (".", "planspec"):
        done = run("check", folder, "--format", "json")
        assert (done.exit_code, done.stderr) == (1, "")
        assert json.loads(done.stdout)["files"] == ["planspec/a.md", "planspec/d.md/e.md", "planspec/h.md"]


@pytest.mark.parametrize("command", ["check", "fmt --check"])
@pytest.mark.parametrize("locked", ["planspec", "planspec/locked", "Tasks"])
def test_a_folder_that_cannot_be_read_is_named(command: str, locked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["planspec/locked/a.md", "planspec/b.md", "Tasks/c/plan.md", "d.plan.md"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("Goal: g\n## Steps\n1. [act] a\n")
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if os.fspath(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done = run(*command.split(), ".")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: {locked}: ")
    assert done.stderr.count("\n") == 1


def test_a_link_to_itself_is_named() -> None:
    Path("planspec").mkdir()
    Path("planspec/a.md").symlink_to("a.md")
    done = run("check", ".")
    assert (done.exit_code, done.stderr) == (2, f"Error: planspec/a.md: {os.strerror(errno.ELOOP)}\n")


def test_a_plan_comes_before_a_folder_of_its_name() -> None:
    Path("planspec").mkdir()
    Path("planspec/planspec.md").write_text("1) [act] a\n")
    Path("planspec/other.md").write_text("1) [act] a\n")
    assert run("check", "planspec").stdout.endswith("1 file checked: 2 errors\n")
    Path("planspec/planspec.md").unlink()
    assert "planspec/other.md:1:1" in run("check", "planspec").stdout


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", ' {"plan": {}}'), ("b", "{}"), ("c.yaml", "plan: {}\n"), ("d.YML", "target: x\n")]
)
@pytest.mark.parametrize("command", ["check", "show", "run --operator true", "start"])
def test_a_plan_of_tool_calls_is_for_other_commands(command: str, name: str, text: str) -> None:
    Path(name).write_text(text)
    first, *options = command.split()
    done = run(first, f"./{name}", *options, *(["1"] if first == "start" else []))
    said = "planspec tools check and planspec tools run are for plans of tool calls, which are JSON or YAML\n"
    assert (done.exit_code, done.stderr.endswith(said)) == (1, True)
    assert Path(name).read_text() == text


@pytest.mark.parametrize("command", ["show", "next", "focus", "run --operator true", "start"])
def test_an_answer_of_a_model_is_for_another_command(command: str) -> None:
    text = "Here is your plan:\n\n```\nGoal: g\n## Steps\n1. [act] a\n```\n"
    Path("my answer.md").write_text(text)
    first, *options = command.split()
    step = ["1"] if first in ("start", "focus") else []
    done = run(first, "my answer.md", *options, *step)
    said = "If it is a model's answer, `planspec extract 'my answer.md'` takes the plan out of it\n"
    assert (done.exit_code, done.stderr.endswith(said)) == (1, True), done.stderr
    piped = run("show", "-", stdin=text)
    assert piped.stderr.endswith(", `planspec extract -` takes the plan out of it\n")
    # What is wrong with this one is a step.
    Path("my answer.md").write_text("Goal: g\n## Steps\n1) [act] a\n")
    assert "extract" not in run(first, "my answer.md", *options, *step).stderr
