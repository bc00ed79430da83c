"""`planspec diff` and `planspec merge` as git calls them, with the real git and the set-up of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.running import PLAN, call, environment, harmless, on_terminal, to_nobody
from tests.corpus import ROOT

OURS = PLAN.replace("2.2. [reason]", "2.2. [x] [reason]")
THEIRS = PLAN.replace("3. [~]", "3. [>]") + "4. [act] Rest\n"
NAME = "plans/the move.md"


def git(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Call git as any user, with no set-up but that of the repository."""
    env = environment({
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    })  # fmt: skip
    done = subprocess.run(["git", *arguments], capture_output=True, encoding="utf-8", env=env, timeout=120, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done


def commit(text: str | None, *, name: str = NAME) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    if text is None:
        path.unlink()
    else:
        path.write_text(text, encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "-m", "x")


def documented(driver: str) -> list[str]:
    """The line of the page that sets a driver up, as words for git."""
    page = (ROOT / "docs" / "how-to/git.md").read_text(encoding="utf-8")
    (value,) = set(re.findall(rf"git config {re.escape(driver)} '([^']+)'", page))
    return ["config", driver, value]


def attributes() -> str:
    """The line of the page that says which files are plans."""
    page = (ROOT / "docs" / "how-to/git.md").read_text(encoding="utf-8")
    (line,) = set(re.findall(r"echo '([^']+)' >> \.gitattributes", page))
    return f"{line}\n"


@pytest.fixture(autouse=True)
def repository(here: Path) -> Path:
    for path in here.iterdir():
        path.unlink()
    git("init", "-q", "-b", "main")
    Path(".gitattributes").write_text(attributes(), encoding="utf-8")
    commit(PLAN)
    return here


def branch_off(ours: str, theirs: str) -> None:
    git("checkout", "-q", "-b", "other")
    commit(theirs)
    git("checkout", "-q", "main")
    commit(ours)


# ---------------------------------------------------------------- git diff


@pytest.fixture
def _diff_driver() -> None:
    git(*documented("diff.planspec.command"))


@pytest.mark.usefixtures("_diff_driver")
def test_git_diff(snapshot: SnapshotAssertion) -> None:
    Path(NAME).write_text(THEIRS, encoding="utf-8")
    assert git("diff").stdout == snapshot(name="changed")
    git("mv", NAME, "plans/moved.md")
    git("add", "-A")
    assert git("diff", "--cached", "-M").stdout == snapshot(name="renamed")
    assert git("diff", "--cached", "--no-renames").stdout == snapshot(name="removed and added")


@pytest.mark.usefixtures("_diff_driver")
def test_git_diff_goes_on_behind_what_is_no_plan() -> None:
    commit(PLAN, name="plans/a.md")
    Path("plans/a.md").write_text(PLAN + "so it is\x1b[31m\n", encoding="utf-8")
    Path(NAME).write_text(THEIRS, encoding="utf-8")
    done = git("diff")
    assert "not both are plans, so their lines are compared\n--- a/plans/a.md\n+++ b/plans/a.md\n" in done.stdout
    assert "\n+so it is\\x1b[31m\n" in done.stdout
    assert f"--- a/{NAME}\n+++ b/{NAME}\nsteps\n" in done.stdout
    assert git("diff", "--exit-code", check=False).returncode == 1


@pytest.mark.parametrize("key", ["diff.planspec.command", "diff.planspec.textconv"])
def test_git_diff_of_a_file_that_is_called_like_an_option(key: str) -> None:
    git(*documented(key))
    Path(".gitattributes").write_text("*.md diff=planspec\n", encoding="utf-8")
    Path("--out=x.md").write_text(PLAN, encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "-m", "a")
    Path("--out=x.md").write_text(THEIRS, encoding="utf-8")
    assert "+++ b/--out=x.md" in git("diff").stdout


@pytest.mark.usefixtures("_diff_driver")
def test_git_diff_names_what_is_not_merged_yet() -> None:
    branch_off(OURS, PLAN.replace("2.2. [reason]", "2.2. [!] [reason]"))
    assert git("merge", "other", check=False).returncode == 1
    assert f"* Unmerged path {NAME}\n" in git("diff", "--cached").stdout


def test_git_log_with_textconv() -> None:
    git(*documented("diff.planspec.textconv"))
    commit(PLAN.replace("2.1. [!] [act]", "2.1.   [!]   [act]"))
    assert git("show", "--format=").stdout == ""
    commit(PLAN.replace("2.1. [!] [act]", "2.1.   [x]   [act]"))
    rows = git("show", "--format=").stdout.splitlines()
    assert [row for row in rows if row[:1] in "+-" and row[:3] not in ("+++", "---")] == [
        "-  2.1. [!] [act] Hire a lorry → lorry | None is free before Friday",
        "+  2.1. [x] [act] Hire a lorry → lorry | None is free before Friday",
    ]
    commit("so it is\n")
    assert "+so it is\n" in git("show", "--format=").stdout


# ---------------------------------------------------------------- git merge


@pytest.fixture
def _merge_driver() -> None:
    git(*documented("merge.planspec.driver"))


@pytest.mark.usefixtures("_merge_driver")
def test_git_merge() -> None:
    branch_off(OURS, THEIRS)
    git("merge", "-q", "other", "-m", "x")
    assert Path(NAME).read_text(encoding="utf-8") == OURS.replace("3. [~]", "3. [>]") + "4. [act] Rest\n"
    assert git("status", "--short").stdout == ""


@pytest.mark.usefixtures("_merge_driver")
def test_git_keeps_a_conflict() -> None:
    branch_off(OURS, PLAN.replace("2.2. [reason]", "2.2. [!] [reason]"))
    done = git("merge", "other", check=False)
    assert (done.returncode, git("status", "--short").stdout) == (1, f'UU "{NAME}"\n')
    assert f"{NAME}: step 2.2: both changed the status\n" in done.stderr
    assert "<<<<<<< ours\n  2.2. [x]" in Path(NAME).read_text(encoding="utf-8")


@pytest.mark.usefixtures("_merge_driver")
def test_git_keeps_what_is_no_plan_in_conflict() -> None:
    branch_off(OURS, THEIRS + "so it is\n")
    assert git("merge", "other", check=False).returncode == 1
    assert git("status", "--short").stdout == f'UU "{NAME}"\n'
    assert Path(NAME).read_text(encoding="utf-8").endswith("4. [act] Rest\nso it is\n")


# ---------------------------------------------------------------- what a terminal, a pager and a pipe get


HOSTILE = PLAN.replace("Hire a lorry", "Hire \u202e a \u200b lorry [red]").replace("| None", "| \x85None")
SEVEN = ["plan.md", "plan.md", "0", "100644", "new.md", "0", "100644"]


@pytest.fixture
def versions(repository: Path) -> None:
    (repository / "plan.md").write_text(PLAN, encoding="utf-8")
    (repository / "new.md").write_text(THEIRS, encoding="utf-8")
    (repository / "hostile.md").write_text(HOSTILE, encoding="utf-8", newline="")


@pytest.mark.usefixtures("versions")
def test_a_terminal_is_safe_and_sees_colours() -> None:
    written = on_terminal("diff", "plan.md", "hostile.md")
    assert (b"\x1b[31m" in written, b"\x1b[32m" in written) == (True, True)
    shown = harmless(written, colours=True)
    assert "Hire \\u202e a \\u200b lorry [red]" in shown
    assert "\\x85None" in shown
    plain = on_terminal("diff", "plan.md", "hostile.md", env={"NO_COLOR": "1"})
    assert harmless(plain, colours=False) == shown
    merged = on_terminal("merge", "plan.md", "hostile.md", "new.md", "-o", "-")
    assert "Hire \\u202e a" in harmless(merged, colours=False)


@pytest.mark.usefixtures("versions")
def test_a_pager_sees_colours_as_well() -> None:
    done = call("diff", *SEVEN, env={"GIT_PAGER_IN_USE": "true"})
    assert (done.returncode, b"\x1b[31m" in done.stdout) == (0, True)
    assert b"\x1b" not in call("diff", *SEVEN).stdout


@pytest.mark.usefixtures("versions")
@pytest.mark.parametrize("end", ["\n", " and so on" * 20_000])
def test_a_reader_that_has_left_is_no_failure_for_git(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("new.md").write_text(THEIRS.rstrip("\n") + end, encoding="utf-8")
    done = to_nobody("diff", *SEVEN)
    assert (done.returncode, done.stderr) == (0, b"")
    monkeypatch.setenv("GIT_DIFF_PATH_COUNTER", "1")
    assert to_nobody("diff", "plan.md").returncode == 0
    # By hand it is another matter.
    assert to_nobody("diff", "plan.md", "new.md").returncode == 141
