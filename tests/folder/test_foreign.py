"""Files that are called like plans and are those of other tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark.folder.foreign import is_foreign, is_foreign_file, is_hidden
from tests.cli.running import run

CURSOR = "---\nname: Roof\ntodos:\n  - id: a\n    content: Buy tiles\n    status: pending\n---\n\n# Roof\n\nTiles.\n"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (".cursor/plans/a.plan.md", True),
        ("app/.agents/a.plan.md", True),
        ("docs/a.plan.md", False),
        ("./docs/a.plan.md", False),
        ("../docs/a.plan.md", False),
        (".plan.md", False),
    ],
)
def test_hidden_folders(path: str, wanted: bool) -> None:
    assert is_hidden(path) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (CURSOR, True),
        ("\ufeff" + CURSOR.replace("\n", "\r\n"), True),
        (CURSOR + "Goal: tiles\n", False),
        (CURSOR + "**Goal:** tiles\n", False),
        (CURSOR + "## Steps\n", False),
        (CURSOR.removeprefix("---\n"), False),
        ("", False),
    ],
)
def test_front_matter_without_goal_and_steps(text: str, wanted: bool, tmp_path: Path) -> None:
    assert is_foreign(text) is wanted
    path = tmp_path / "a.plan.md"
    path.write_bytes(text.encode())
    assert is_foreign_file(str(path)) is wanted


def test_what_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    assert not is_foreign_file(str(tmp_path))
    assert not is_foreign_file(str(tmp_path / "nowhere.md"))


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_only_what_is_named_is_checked(command: str, tmp_path: Path) -> None:
    (tmp_path / "roof.plan.md").write_text(CURSOR, encoding="utf-8")
    assert run(command, tmp_path / "roof.plan.md").exit_code == 1
    assert run(command, "--skip-foreign", tmp_path / "roof.plan.md").exit_code == 0
    (tmp_path / "own.plan.md").write_text("Goal: g\n## Steps\n1. [reason] a\n", encoding="utf-8")
    assert run(command, tmp_path).exit_code == 0
    (tmp_path / "own.plan.md").write_text("nothing\n", encoding="utf-8")
    ran = run(command, tmp_path)
    assert (ran.exit_code, "roof" in ran.stdout + ran.stderr) == (1, False)
    assert run(command, "--skip-foreign", tmp_path / "roof.plan.md", tmp_path / "own.plan.md").exit_code == 1
