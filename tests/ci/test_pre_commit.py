"""The hooks, installed and run by the real pre-commit, from a clone of this checkout.

pre-commit makes an environment and installs this package there, so these tests need a place where pip finds packages,
as those of the wheel do. Where there is none they fail, and say so.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.ci.pages import shown
from tests.corpus import ROOT
from tests.test_packaging import copy_checkout

GOOD = "Goal: Open at six\n## Steps\n1. [act] Light the oven → heat\n"
WARNED = "Goal: Open at six\n## Steps\n1. [subtask] Light the oven → heat\n"
ODD = "Goal:  Open at six\n\n## Steps\n1. [act] Light the oven→heat\n"
BROKEN = "Goal: Open at six\n## Steps\n1) [act] Light the oven → heat\n"
AUTHOR = ["-c", "user.name=Tests", "-c", "user.email=tests@example.com", "-c", "init.defaultBranch=main"]


def call(*command: str, cwd: Path, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") and key != "PYTHONPATH"}
    if home is not None:
        env["PRE_COMMIT_HOME"] = str(home)
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def git(*command: str, cwd: Path) -> str:
    done = call("git", *AUTHOR, *command, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Project:
    """A repository with the configuration that the page shows, and its hooks installed."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home

    def pre_commit(self, *command: str) -> subprocess.CompletedProcess[str]:
        return call(sys.executable, "-m", "pre_commit", *command, cwd=self.folder, home=self.home)

    def run(self, hook: str, files: dict[str, str]) -> tuple[int, str]:
        """Run a hook on these files, which are all that the project has; exit code and output."""
        git("rm", "-rqf", "--ignore-unmatch", ".", cwd=self.folder)
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        git("add", *files, cwd=self.folder)
        done = self.pre_commit("run", "--config", str(self.home / "config.yaml"), "--all-files", hook)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("pre_commit")
    checkout = copy_checkout(folder)
    git("init", "-q", cwd=checkout)
    git("add", "-A", cwd=checkout)
    git("commit", "-qm", "all", cwd=checkout)
    project = Project(folder / "project", folder / "home")
    project.folder.mkdir()
    project.home.mkdir()
    git("init", "-q", cwd=project.folder)
    config = re.sub(r"repo: .*", f"repo: {checkout}", shown(".pre-commit-config.yaml"))
    config = re.sub(r"rev: .*", f"rev: {git('rev-parse', 'HEAD', cwd=checkout)}", config)
    (project.home / "config.yaml").write_text(config, encoding="utf-8")
    done = project.pre_commit("install-hooks", "--config", str(project.home / "config.yaml"))
    assert done.returncode == 0, (
        "pre-commit could not install the hooks; it needs a place where pip finds packages\n" + done.stdout
    )
    return project


def test_the_definition_is_one(project: Project) -> None:
    done = project.pre_commit("validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert (done.returncode, done.stdout) == (0, "")


def test_good_plans_pass(project: Project) -> None:
    code, said = project.run("planspec-check", {"planspec/a.md": GOOD, "planspec/archive/b c.md": GOOD})
    assert code == 0, said
    assert re.match(r"check PlanSpec documents\.+Passed\n$", said)


def test_a_broken_plan_fails(project: Project) -> None:
    code, said = project.run("planspec-check", {"planspec/a.md": GOOD, "planspec/b.md": BROKEN})
    assert code == 1
    assert "\nerror[PS110]: `1)` is not an id with a dot after it\n --> planspec/b.md:3:1\n" in said
    assert "\n2 files checked: 1 error\n" in said


def test_arguments_reach_the_command(project: Project) -> None:
    code, said = project.run("planspec-check", {"planspec/a.md": WARNED})
    assert code == 1
    assert "\nwarning[PS206]: " in said


def test_formatting_changes_files(project: Project) -> None:
    files = {"planspec/a.md": GOOD, "Tasks/x/plan.md": ODD}
    code, said = project.run("planspec-fmt", files)
    assert code == 1
    assert "- files were modified by this hook\n" in said
    assert "\nTasks/x/plan.md: written in canonical form\n" in said
    assert (project.folder / "Tasks/x/plan.md").read_text(encoding="utf-8") == GOOD
    assert (project.folder / "planspec/a.md").read_text(encoding="utf-8") == GOOD
    assert project.run("planspec-fmt", {"planspec/a.md": GOOD})[0] == 0


def test_what_is_no_plan_is_not_touched(project: Project) -> None:
    code, said = project.run("planspec-fmt", {"planspec/a.md": BROKEN})
    assert code == 1
    assert "\nplanspec/a.md: left as it is, since it is not a plan\n" in said
    assert "files were modified" not in said
    assert (project.folder / "planspec/a.md").read_text(encoding="utf-8") == BROKEN


def test_other_files_are_left_alone(project: Project) -> None:
    code, said = project.run("planspec-check", {"README.md": BROKEN, "planspec.md": BROKEN, "planspec/a.txt": BROKEN})
    assert code == 0
    assert re.match(r"check PlanSpec documents\.+\(no files to check\)Skipped\n$", said)


@pytest.mark.parametrize(
    ("name", "is_plan"),
    [
        ("planspec/a.md", True),
        ("planspec/archive/a.md", True),
        ("app/planspec/a.md", True),
        ("Tasks/a/plan.md", True),
        ("a.plan.md", True),
        ("docs/a.plan.md", True),
        ("plan.md", False),
        ("Tasks/plan.md", False),
        ("Tasks/a/b/plan.md", False),
        ("planspec_lark/a.md", False),
        ("myplanspec/a.md", False),
        ("planspec/a.mdx", False),
        (".plan.md", False),
        (".cursor/plans/a.plan.md", False),
        ("app/.agents/planspec/a.md", False),
    ],
)
def test_which_files_are_plans(name: str, is_plan: bool) -> None:
    patterns = {(hook["files"], hook["exclude"]) for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    found = [re.search(files, name) is not None and not re.search(exclude, name) for files, exclude in patterns]
    assert found == [is_plan]
