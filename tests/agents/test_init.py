"""`planspec init` on the command line."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.agents.projects import NOTES, SERVERS, SETTINGS, files_of, put
from tests.cli.running import run


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANSPEC_FOLDER", raising=False)
    monkeypatch.setattr("planspec_lark.cli.agents.which", lambda _: "/bin/planspec")
    return tmp_path


ALL_OF_CLAUDE = """\
make    .claude/skills/planspec/install.json
make    .claude/skills/planspec/SKILL.md
make    .claude/skills/listplan/SKILL.md
make    .claude/skills/showplan/SKILL.md
make    .claude/skills/archiveplan/SKILL.md
change  CLAUDE.md
change  .mcp.json
change  .claude/settings.json
make    planspec/.gitignore
"""


def test_what_it_does_and_undoes(project: Path) -> None:
    put(project, {"CLAUDE.md": NOTES, ".claude/settings.json": SETTINGS, ".mcp.json": SERVERS})
    before = files_of(project)
    result = run("init")
    assert (result.exit_code, result.stdout) == (0, ALL_OF_CLAUDE)
    assert result.stderr == "For Claude Code, by the files that are here.\n"
    again = run("init", "--agent", "claude")
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "There is nothing to do.\n")
    removed = run("init", "--remove")
    assert (removed.exit_code, removed.stderr) == (0, "")
    assert removed.stdout == ALL_OF_CLAUDE.replace("make  ", "remove")
    assert files_of(project) == before


def test_a_dry_run_writes_nothing(project: Path) -> None:
    put(project, {"CLAUDE.md": NOTES, "AGENTS.md": b""})
    before = files_of(project)
    result = run("init", "--agent", "claude", "--agent", "agents-md", "--dry-run")
    assert result.exit_code == 0
    assert "change  CLAUDE.md\n--- a/CLAUDE.md\n+++ b/CLAUDE.md\n@@ " in result.stdout
    assert "\n+<!-- planspec:begin -->\n" in result.stdout
    assert "\nmake    .agents/skills/planspec/SKILL.md\n" in result.stdout
    assert files_of(project) == before
    run("init", "--agent", "claude")
    before = files_of(project)
    assert "remove  .claude/skills/planspec/SKILL.md\n" in run("init", "--remove", "--dry-run").stdout
    assert files_of(project) == before


def test_an_assistant_has_to_be_named(project: Path) -> None:
    result = run("init")
    assert result.exit_code == 2
    assert "Error: No assistant's files are here: name one with --agent (claude, agents-md, codex" in result.stderr
    assert files_of(project) == {}
    assert run("init", "--remove").stderr == "There is nothing to do.\n"


def test_shared_plans(project: Path) -> None:
    run("init", "--agent", "claude", "--shared")
    assert (project / "planspec/settings.toml").exists()
    assert not (project / "planspec/.gitignore").exists()


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_is_asked(project: Path, monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    module = import_module("planspec_lark.cli.agents")

    class Terminal:
        def isatty(self) -> bool:
            return True

    class Sys:
        stdin = stderr = Terminal()

    asked: list[str] = []

    def confirm(said: str, **_: object) -> bool:
        asked.append(said)
        return answer

    monkeypatch.setattr(module, "sys", Sys)
    monkeypatch.setattr(module.click, "confirm", confirm)
    run("init", "--agent", "claude", "--dry-run")
    assert asked == []
    run("init", "--agent", "claude")
    assert (project / "planspec/settings.toml").exists() == answer
    # Where there is a folder, that has been decided.
    run("init", "--agent", "codex")
    assert asked == ["Shall git see the plans in planspec/?"]


def test_without_the_extra_there_is_no_server(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.cli.agents.find_spec", lambda _: None)
    result = run("init", "--agent", "claude")
    assert result.stderr.startswith(
        "The MCP server is left out, as it needs its extra: pip install 'planspec-lark[mcp]'"
    )
    assert not (project / ".mcp.json").exists()


@pytest.mark.parametrize("command", ["", "  ", "a 'b", "a\nb"])
def test_a_command_that_is_none(project: Path, command: str) -> None:
    assert run("init", "--agent", "claude", "--command", command).exit_code == 2
    assert files_of(project) == {}


def test_a_command_that_is_not_found_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.cli.agents.which", lambda _: None)
    said = run("init", "--agent", "claude", "--command", "nix run planspec").stderr
    assert said == "`nix` is not found here: assistants have to find it, or see --command.\n"
