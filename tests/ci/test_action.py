"""The GitHub Action: its definition, and its scripts as a runner runs them, in bash, with inputs in the environment.

The installation is real, and needs a place where pip finds packages, as that of the wheel does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from ruamel.yaml import YAML

from tests.ci.pages import shown
from tests.corpus import ROOT
from tests.test_packaging import copy_checkout

ACTION: dict[str, Any] = YAML(typ="safe").load(ROOT / "action.yml")
STEPS: dict[str, dict[str, Any]] = {step["id"]: step for step in ACTION["runs"]["steps"]}

GOOD = "Goal: Open at six\n## Steps\n1. [act] Light the oven → heat\n2. [act] Bake → bread\n  > ← heat\n"
WARNED = GOOD + "3. [subtask] Sell\n"
ODD = GOOD.replace("Goal: ", "Goal:  ")
BROKEN = GOOD.replace("2. ", "2) ")
FAULT = "::error file=planspec/b.md,line=4,col=1,endLine=4,endColumn=3,title=PS110 bad-id::`2)` is not an id"


# ---------------------------------------------------------------- the definition


def test_it_has_the_shape_of_an_action() -> None:
    assert set(ACTION) == {"name", "description", "author", "inputs", "outputs", "runs"}
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for name, given in ACTION["inputs"].items():
        assert re.fullmatch(r"[a-z-]+", name)
        assert set(given) == {"description", "default"}
        assert isinstance(given["default"], str), name
    for output in ACTION["outputs"].values():
        assert set(output) == {"description", "value"}
    for step in STEPS.values():
        kind = {"uses", "with"} if "uses" in step else {"shell", "run", "env"}
        assert set(step) == {"id", *kind}
        assert step.get("shell", "bash") == "bash"
    assert re.fullmatch(r"actions/setup-python@v\d+", STEPS["python"]["uses"])


def expressions(value: object) -> list[str]:
    return re.findall(r"\$\{\{(.*?)\}\}", json.dumps(value))


def test_expressions_name_what_there_is() -> None:
    for expression in expressions(ACTION):
        kind, name, *rest = expression.strip().split(".")
        if kind == "inputs":
            assert name in ACTION["inputs"], expression
        else:
            assert kind == "steps", expression
            assert name in STEPS, expression
            assert rest[0] == "outputs", expression
            assert name == "python" or f"{rest[1]}=" in STEPS[name]["run"], expression


def test_nothing_from_outside_becomes_a_part_of_a_script() -> None:
    for step in STEPS.values():
        assert expressions(step.get("run", "")) == []
        assert re.findall(r"python\"? (?!-I )", step.get("run", "")) == []


def test_the_page_uses_it_as_it_is() -> None:
    workflow = YAML(typ="safe").load(shown("workflow.yml"))
    steps = workflow["jobs"]["check"]["steps"]
    (used,) = [step for step in steps if "planspec_lark@" in step.get("uses", "")]
    assert set(used["with"]) <= set(ACTION["inputs"])


def test_the_page_lists_all_inputs() -> None:
    page = (ROOT / "docs" / "how-to/ci.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| `?(.*?)`? \|", page, flags=re.M))
    known = {name: given["default"] or "none" for name, given in ACTION["inputs"].items()}
    assert {name: default for name, default in listed.items() if name in known} == known


# ---------------------------------------------------------------- its scripts


@frozen
class Ran:
    code: int
    lines: list[str]
    errors: str
    outputs: dict[str, str]


@frozen
class Runner:
    """What a runner gives to a step."""

    workspace: Path
    temp: Path
    action: Path
    known: dict[str, str]

    def run(self, step: str, **inputs: str) -> Ran:
        values = {f"inputs.{name}": given["default"] for name, given in ACTION["inputs"].items()} | self.known
        values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        env = {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda m: values[m[1]], v) for name, v in STEPS[step]["env"].items()}
        output = self.temp / "output"
        output.write_text("", encoding="utf-8")
        script = self.temp / "script.sh"
        script.write_text(STEPS[step]["run"], encoding="utf-8")
        paths = {
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_OUTPUT": str(output),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={**os.environ, **paths, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        return Ran(done.returncode, done.stdout.splitlines(), done.stderr, outputs)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A runner on which the package is installed, from a folder with a space in its name."""
    folder = tmp_path_factory.mktemp("runner of jobs")
    (folder / "temp").mkdir()
    (folder / "empty").mkdir()
    # Whatever lies in the folder that is checked is not imported.
    for name in ("venv.py", "pip.py"):
        (folder / "empty" / name).write_text("raise SystemExit('imported')\n")
    known = {"steps.python.outputs.python-path": sys.executable}
    runner = Runner(folder / "empty", folder / "temp", copy_checkout(folder), known)
    done = runner.run("install")
    assert done.code == 0, f"the step needs a place where pip finds packages\n{done.lines}\n{done.errors}"
    return Runner(runner.workspace, runner.temp, runner.action, {"steps.install.outputs.bin": done.outputs["bin"]})


@pytest.fixture
def runner(installed: Runner, tmp_path: Path) -> Runner:
    (tmp_path / "planspec/archive").mkdir(parents=True)
    (tmp_path / "planspec/a.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "glob.py").write_text("raise SystemExit('imported')\n")
    return Runner(tmp_path, installed.temp, installed.action, installed.known)


def write(runner: Runner, name: str, text: str) -> None:
    (runner.workspace / name).parent.mkdir(parents=True, exist_ok=True)
    (runner.workspace / name).write_text(text, encoding="utf-8")


def test_good_plans_pass(runner: Runner) -> None:
    write(runner, "planspec/archive/-b c.md", GOOD)
    ran = runner.run("check")
    assert (ran.code, ran.errors, ran.outputs) == (0, "", {"count": "2"})
    assert ran.lines == []


def test_faults_are_annotated_and_fail(runner: Runner) -> None:
    write(runner, "planspec/b.md", BROKEN)
    ran = runner.run("check")
    assert ran.code == 1
    assert [line for line in ran.lines if line.startswith(FAULT)]
    assert ran.outputs == {"count": "2"}


@pytest.mark.parametrize(("strict", "code"), [("false", 0), ("true", 1), ("", 0)])
def test_warnings_fail_if_they_shall(runner: Runner, strict: str, code: int) -> None:
    write(runner, "planspec/b.md", WARNED)
    ran = runner.run("check", strict=strict)
    assert ran.code == code
    assert [line for line in ran.lines if line.startswith("::warning file=planspec/b.md,line=6,")]


@pytest.mark.parametrize(("canonical", "code"), [("false", 0), ("true", 1)])
def test_other_forms_fail_if_they_shall(runner: Runner, canonical: str, code: int) -> None:
    write(runner, "planspec/b.md", ODD)
    ran = runner.run("check", canonical=canonical)
    assert ran.code == code
    assert ("planspec/b.md: not in canonical form" in ran.errors) == bool(code)
    # What is shown of a plan can not be taken for a command.
    stops = [at for at, line in enumerate(ran.lines) if line.startswith("::stop-commands::")]
    assert len(stops) == code
    if code:
        token = ran.lines[stops[0]].removeprefix("::stop-commands::")
        assert re.fullmatch(r"[0-9a-f]{32}", token)
        assert ran.lines[-1] == f"::{token}::"
        assert "+Goal: Open at six" in ran.lines[stops[0] : -1]
    assert (runner.workspace / "planspec/b.md").read_text(encoding="utf-8") == ODD


def test_canonical_plans_with_faults_still_fail(runner: Runner) -> None:
    write(runner, "planspec/b.md", GOOD.replace("[act] Bake", "[bake] Bake"))
    assert runner.run("check", canonical="true").code == 1


def test_patterns_stand_on_lines_of_their_own(runner: Runner) -> None:
    for name in ("my plans/b.md", "Tasks/x/plan.md", "$(touch pwned).md", "other.md", "planspec/a.md"):
        write(runner, name, BROKEN)
    ran = runner.run("check", files="my plans/*.md\n  Tasks/*/plan.md  \n\nmissing.md\nplanspec/**/*.md\n$(touch *.md")
    assert (ran.code, ran.outputs) == (1, {"count": "4"})
    files = {line.split("file=")[1].split(",")[0] for line in ran.lines if "file=" in line}
    assert files == {"my plans/b.md", "Tasks/x/plan.md", "planspec/a.md", "$(touch pwned).md"}
    assert not (runner.workspace / "pwned").exists()


def test_a_file_is_checked_once(runner: Runner) -> None:
    assert runner.run("check", files="planspec/a.md\nplanspec/*.md").outputs == {"count": "1"}


def test_no_file_at_all_is_a_warning(runner: Runner) -> None:
    ran = runner.run("check", files="plans/*.md")
    assert (ran.code, ran.outputs) == (0, {"count": "0"})
    assert ran.lines == ["::warning title=planspec::there is no file that is to be checked"]


def test_what_cannot_be_read_fails(runner: Runner) -> None:
    write(runner, "planspec/b.md", "")
    (runner.workspace / "planspec/b.md").write_bytes(b"\xff")
    assert runner.run("check").code == 1


def test_a_search_that_fails_is_a_failure(runner: Runner) -> None:
    broken = Runner(runner.workspace, runner.temp, runner.action, {"steps.install.outputs.bin": "/nonexistent"})
    assert broken.run("check").code != 0
