"""What is put into projects of all kinds, and that taking it out leaves every byte as it was."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.agents import SetupError, carry_out, plan_removal, plan_setup, project
from planspec_lark.agents.assistants import ASSISTANTS, Assistant
from planspec_lark.json_text import scan_json
from tests.agents.projects import COMMENTED, NOTES, PLAN, SERVERS, SETTINGS, files_of, git, put

ALL = [*ASSISTANTS.values()]
CLAUDE, CODEX, CURSOR, GEMINI = (ASSISTANTS[name] for name in ("claude", "codex", "cursor", "gemini"))
each = pytest.mark.parametrize("assistant", ALL, ids=lambda one: str(one.name))


def set_up(root: Path, *assistants: Assistant, **options: Any) -> None:
    carry_out(plan_setup(root, assistants or [CLAUDE], **options))


def remove(root: Path, *assistants: Assistant) -> tuple[str, ...]:
    setup = plan_removal(root, assistants or ALL)
    carry_out(setup)
    return setup.remarks


def value_of(path: Path) -> Any:
    """The value of JSON with comments."""
    return scan_json(path.read_text(encoding="utf-8")).value


# ---------------------------------------------------------------- what there is then


def test_claude(tmp_path: Path) -> None:
    put(tmp_path, {"CLAUDE.md": NOTES, ".claude/settings.json": SETTINGS, ".mcp.json": SERVERS})
    set_up(tmp_path)
    notes = (tmp_path / "CLAUDE.md").read_bytes()
    assert notes.startswith(NOTES + b"\n<!-- planspec:begin -->\n## Plans\n")
    assert notes.endswith(b"<!-- planspec:end -->\n")
    skills = tmp_path / ".claude/skills"
    assert sorted(os.listdir(skills)) == ["archiveplan", "listplan", "planspec", "showplan"]
    settings, before = json.loads((tmp_path / ".claude/settings.json").read_bytes()), json.loads(SETTINGS)
    assert settings["permissions"] == before["permissions"]
    ours = {"type": "command", "command": "planspec hook post-edit"}
    assert settings["hooks"]["PostToolUse"] == [
        *before["hooks"]["PostToolUse"],
        {"matcher": "Edit|MultiEdit|Write", "hooks": [ours]},
    ]
    assert settings["hooks"]["PreToolUse"] == before["hooks"]["PreToolUse"]
    start = {"type": "command", "command": "planspec hook session-start"}
    assert settings["hooks"]["SessionStart"] == [{"hooks": [start]}]
    servers = json.loads((tmp_path / ".mcp.json").read_bytes())["mcpServers"]
    assert servers == {**json.loads(SERVERS)["mcpServers"], "planspec": {"command": "planspec", "args": ["mcp"]}}
    assert (tmp_path / "planspec/.gitignore").read_bytes() == b"*\n"


def test_layouts_are_kept(tmp_path: Path) -> None:
    """Tabs, and a list in one line."""
    text = '{\n\t"hooks": {\n\t\t"Stop": [{"hooks": []}],\n\t\t"PostToolUse": [\n\t\t\t{}\n\t\t]\n\t}\n}'
    put(tmp_path, {".claude/settings.json": text.encode()})
    set_up(tmp_path)
    after = (tmp_path / ".claude/settings.json").read_text()
    ours = '{"hooks": [{"type": "command", "command": "planspec hook stop"}]}'
    assert f'\n\t\t"Stop": [{{"hooks": []}}, {ours}],\n' in after
    assert '\n\t\t\t{},\n\t\t\t{\n\t\t\t\t"matcher": "Edit|MultiEdit|Write",\n\t\t\t\t"hooks": [\n' in after


def test_others(tmp_path: Path) -> None:
    toml = b'model = "o"\r\n\r\n[mcp_servers.db]\r\ncommand = "npx"'
    put(
        tmp_path, {"AGENTS.md": NOTES, ".codex/config.toml": toml, ".vscode/mcp.json": b'{"servers": {}, "inputs": []}'}
    )
    set_up(tmp_path, *(one for one in ALL if one is not CLAUDE))
    assert (tmp_path / "AGENTS.md").read_bytes().count(b"planspec:begin") == 1
    assert (tmp_path / "GEMINI.md").exists()
    config = (tmp_path / ".codex/config.toml").read_bytes()
    assert config.startswith(toml + b"\r\n\r\n# planspec:begin\r\n[mcp_servers.planspec]\r\n")
    assert tomllib.loads(config.decode())["mcp_servers"] == {
        "db": {"command": "npx"},
        "planspec": {"command": "planspec", "args": ["mcp"]},
    }
    arguments = ["mcp", "--folder", "${workspaceFolder}"]
    server = {"type": "stdio", "command": "planspec", "args": arguments}
    assert value_of(tmp_path / ".vscode/mcp.json") == {"servers": {"planspec": server}, "inputs": []}
    assert value_of(tmp_path / ".cursor/hooks.json") == {
        "version": 1,
        "hooks": {
            "sessionStart": [{"command": "planspec hook session-start --agent cursor"}],
            "postToolUse": [{"matcher": "Write", "command": "planspec hook post-edit --agent cursor"}],
            "stop": [{"command": "planspec hook stop --agent cursor"}],
        },
    }
    copilot = value_of(tmp_path / ".github/hooks/planspec.json")
    assert copilot["version"] == 1
    assert {"sessionStart", "postToolUse", "agentStop"} == {*copilot["hooks"]}
    assert copilot["hooks"]["agentStop"] == [{"command": "planspec hook stop --agent copilot"}]
    gemini = value_of(tmp_path / ".gemini/settings.json")
    assert {"mcpServers", "hooks"} == {*gemini}
    assert {"AfterTool", "SessionStart", "AfterAgent"} == {*gemini["hooks"]}
    assert {"PostToolUse", "SessionStart", "Stop"} == {*value_of(tmp_path / ".codex/hooks.json")["hooks"]}


def test_another_command(tmp_path: Path) -> None:
    set_up(tmp_path, CLAUDE, command="uvx --from 'planspec lark' planspec")
    servers = value_of(tmp_path / ".mcp.json")["mcpServers"]
    assert servers["planspec"] == {"command": "uvx", "args": ["--from", "planspec lark", "planspec", "mcp"]}
    assert "uvx --from 'planspec lark' planspec hook stop" in (tmp_path / ".claude/settings.json").read_text()
    assert not plan_setup(tmp_path, [CLAUDE], command="uvx --from 'planspec lark' planspec").changes


@pytest.mark.parametrize("empty", [b"", b"\n", b" \r\n"])
def test_an_empty_file_is_one_without_settings(tmp_path: Path, empty: bytes) -> None:
    put(tmp_path, {".mcp.json": empty, ".claude/settings.json": empty, ".codex/hooks.json": empty})
    before = files_of(tmp_path)
    remove(tmp_path, CLAUDE, CODEX)
    assert files_of(tmp_path) == before
    set_up(tmp_path, CLAUDE, CODEX)
    assert "planspec" in value_of(tmp_path / ".mcp.json")["mcpServers"]
    assert {"PostToolUse", "SessionStart", "Stop"} == {*value_of(tmp_path / ".codex/hooks.json")["hooks"]}
    assert not plan_setup(tmp_path, [CLAUDE, CODEX]).changes
    remove(tmp_path)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("text", [b"@AGENTS.md\n", b"\n@./AGENTS.md", b"@AGENTS.md\r\n\r\n"])
def test_notes_that_are_included_stand_once(tmp_path: Path, text: bytes) -> None:
    put(tmp_path, {"CLAUDE.md": text, "AGENTS.md": NOTES})
    before = files_of(tmp_path)
    set_up(tmp_path, CLAUDE, CODEX)
    assert (tmp_path / "CLAUDE.md").read_bytes() == text
    assert (tmp_path / "AGENTS.md").read_bytes().count(b"planspec:begin") == 1
    assert not plan_setup(tmp_path, [CLAUDE, CODEX]).changes
    remove(tmp_path)
    assert files_of(tmp_path) == before


def test_notes_beside_an_include_are_notes(tmp_path: Path) -> None:
    put(tmp_path, {"CLAUDE.md": b"@AGENTS.md\n\nUse uv.\n"})
    set_up(tmp_path, CLAUDE)
    assert b"planspec:begin" in (tmp_path / "CLAUDE.md").read_bytes()
    assert not (tmp_path / "AGENTS.md").exists()


def test_skills_and_notes_in_chinese(tmp_path: Path) -> None:
    set_up(tmp_path, CODEX, language="zh")
    assert "## 计划" in (tmp_path / "AGENTS.md").read_text(encoding="utf-8")
    assert "# 列出计划" in (tmp_path / ".agents/skills/listplan/SKILL.md").read_text(encoding="utf-8")
    # A later call keeps to the language, and may change it.
    assert not plan_setup(tmp_path, [CODEX]).changes
    set_up(tmp_path, CODEX, language="en")
    assert "# List the plans" in (tmp_path / ".agents/skills/listplan/SKILL.md").read_text(encoding="utf-8")
    assert "## 计划" not in (tmp_path / "AGENTS.md").read_text(encoding="utf-8")
    set_up(tmp_path, CODEX, language="zh")
    # Without its record, too, they are known as ours.
    (tmp_path / ".agents/skills/planspec/install.json").unlink()
    remove(tmp_path)
    assert not list(tmp_path.rglob("SKILL.md"))


def test_plans_may_be_shared_and_servers_left_out(tmp_path: Path) -> None:
    set_up(tmp_path, CLAUDE, is_shared=True, has_servers=False)
    assert os.listdir(tmp_path / "planspec") == ["settings.toml"]
    assert not (tmp_path / ".mcp.json").exists()


def test_what_is_there_already_stays(tmp_path: Path) -> None:
    """Put there by hand, with the same meaning: it is not put there twice, nor taken out."""
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "uv run planspec hook stop"}]}]}
    servers = b'{"mcpServers": {"planspec": {"command": "other"}}}'
    put(tmp_path, {".claude/settings.json": json.dumps({"hooks": hooks}).encode(), ".mcp.json": servers})
    before = files_of(tmp_path)
    setup = plan_setup(tmp_path, [CLAUDE])
    assert setup.remarks == (".mcp.json: there is a server `planspec` already; it is kept",)
    carry_out(setup)
    assert value_of(tmp_path / ".claude/settings.json")["hooks"]["Stop"] == hooks["Stop"]
    remove(tmp_path)
    assert files_of(tmp_path) == before


def test_a_new_version_replaces_files_that_were_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"CLAUDE.md": NOTES})
    with monkeypatch.context() as older:
        older.setattr("planspec_lark.agents.setup.notes", lambda _: "## Plans of old\n")
        older.setattr(
            "planspec_lark.agents.setup.skill_files",
            lambda folder, _="": {f"{folder}/planspec/SKILL.md": "old\n"},
        )
        set_up(tmp_path)
    changed = tmp_path / ".claude/skills/planspec/SKILL.md"
    assert changed.read_text() == "old\n"
    set_up(tmp_path)
    assert changed.read_text() != "old\n"
    assert b"of old" not in (tmp_path / "CLAUDE.md").read_bytes()
    remove(tmp_path)
    assert files_of(tmp_path) == {"CLAUDE.md": NOTES}


# ---------------------------------------------------------------- and taken out again

KINDS: dict[str, dict[str, bytes]] = {
    "nothing": {},
    "usual": {"CLAUDE.md": NOTES, ".claude/settings.json": SETTINGS, ".mcp.json": SERVERS, "AGENTS.md": NOTES},
    "comments": {".claude/settings.json": COMMENTED, ".vscode/mcp.json": COMMENTED, ".gemini/settings.json": COMMENTED},
    "carriage returns": {
        "CLAUDE.md": b"a\r\nb\r\n",
        ".claude/settings.json": COMMENTED.replace(b"\n", b"\r\n"),
        ".codex/config.toml": b"a = 1\r\n",
    },
    "byte-order mark": {
        "CLAUDE.md": b"\xef\xbb\xbfa",
        ".mcp.json": b"\xef\xbb\xbf" + SERVERS,
        "AGENTS.md": b"\xef\xbb\xbf",
    },
    "no line break": {
        "CLAUDE.md": b"a",
        "AGENTS.md": b"",
        "GEMINI.md": b"\n\n",
        ".mcp.json": b"{}",
        ".codex/config.toml": b"#",
    },
    "empty containers": {
        ".claude/settings.json": b'{"hooks": { "Stop": [ ], "PostToolUse": [\n] }}',
        ".mcp.json": b'{ "mcpServers": {\n\t// none\n} }',
        ".cursor/hooks.json": b'{"version": 1, "hooks": {}}',
    },
    "plans": {"planspec/a.md": PLAN.encode(), "planspec/.gitignore": b"*\n"},
    "shared plans": {"planspec/settings.toml": b"shared = true\n"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chosen", [[CLAUDE], [CODEX], ALL], ids=["claude", "codex", "all"])
def test_every_byte_is_as_it_was(tmp_path: Path, kind: str, chosen: list[Assistant]) -> None:
    put(tmp_path, KINDS[kind])
    before = files_of(tmp_path)
    set_up(tmp_path, *chosen)
    assert files_of(tmp_path) != before
    assert remove(tmp_path) == ()
    assert files_of(tmp_path) == before


def test_modes_stay(tmp_path: Path) -> None:
    put(tmp_path, {"CLAUDE.md": NOTES})
    (tmp_path / "CLAUDE.md").chmod(0o640)
    set_up(tmp_path)
    remove(tmp_path)
    assert (tmp_path / "CLAUDE.md").stat().st_mode & 0o777 == 0o640


def test_git_sees_nothing_of_it(tmp_path: Path) -> None:
    """In a repository, and in a worktree of it."""
    root, tree = tmp_path / "root", tmp_path / "tree"
    put(root, KINDS["usual"])
    git("init", "-q", ".", cwd=root)
    git("add", "-A", cwd=root)
    git("commit", "-qm", "before", cwd=root)
    git("worktree", "add", "-q", str(tree), cwd=root)
    for folder in (root, tree):
        set_up(folder, *ALL)
        put(folder, {"planspec/bookings.md": PLAN.encode()})
        assert "planspec/" not in git("status", "--short", "-uall", "--", "planspec", cwd=folder)
        assert git("status", "--short", cwd=folder)
        remove(folder)
        assert git("status", "--short", cwd=folder) == ""
        assert (folder / "planspec/bookings.md").exists()


def test_what_others_read_as_well_stays(tmp_path: Path) -> None:
    put(tmp_path, {"AGENTS.md": NOTES})
    set_up(tmp_path, CODEX)
    with_codex = files_of(tmp_path)
    set_up(tmp_path, CURSOR)
    remove(tmp_path, CURSOR)
    assert files_of(tmp_path) == with_codex
    # It is not there, so nothing is done.
    assert not plan_removal(tmp_path, [GEMINI, CLAUDE]).changes
    remove(tmp_path, CODEX)
    assert files_of(tmp_path) == {"AGENTS.md": NOTES}


def test_what_was_changed_stays_and_is_said(tmp_path: Path) -> None:
    set_up(tmp_path)
    skill = tmp_path / ".claude/skills/listplan/SKILL.md"
    skill.write_text("mine\n")
    said = ".claude/skills/listplan/SKILL.md: this was"
    assert plan_setup(tmp_path, [CLAUDE]).remarks == (f"{said} written or changed by hand; it is kept",)
    assert remove(tmp_path) == (f"{said} changed by hand; it is kept",)
    assert files_of(tmp_path) == {
        ".claude/": b"",
        ".claude/skills/": b"",
        ".claude/skills/listplan/": b"",
        ".claude/skills/listplan/SKILL.md": b"mine\n",
    }


def test_settings_that_were_rewritten(tmp_path: Path) -> None:
    """A program has read and written them: our entries are known by what they say, all others stay."""
    put(tmp_path, {".claude/settings.json": SETTINGS, ".mcp.json": SERVERS, "CLAUDE.md": NOTES})
    set_up(tmp_path)
    for name in (".claude/settings.json", ".mcp.json"):
        path = tmp_path / name
        path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1))
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(path.read_bytes().replace(b"step", b"stage") + b"\nMore.\n")
    remove(tmp_path)
    assert json.loads((tmp_path / ".claude/settings.json").read_bytes()) == json.loads(SETTINGS)
    assert json.loads((tmp_path / ".mcp.json").read_bytes()) == json.loads(SERVERS)
    assert path.read_bytes() == NOTES + b"\nMore.\n"


OURS = '{"hooks": [{"type": "command", "command": "planspec hook stop"}]}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'{{"hooks": {{"Stop": [{OURS}]}}, "a": 1}}', '{ "a": 1}'),
        (f'{{"a": 1, // one\n"hooks": {{"Stop": [{OURS}]}}}}', '{"a": 1 // one\n}'),
        (f'{{"hooks": {{"Stop": [1, // x, y\n {OURS} // ours\n]}}}}', '{"hooks": {"Stop": [1 // x, y\n // ours\n]}}'),
        (f'{{"hooks": {{"Stop": [1 /* , */, {OURS}, /* , */ 2,]}}}}', '{"hooks": {"Stop": [1 /* , */, /* , */ 2,]}}'),
        (f'{{"hooks": {{"Stop": [{OURS} /* a */ , 2]}}}}', '{"hooks": {"Stop": [ /* a */  2]}}'),
    ],
)
def test_an_entry_in_between(tmp_path: Path, before: str, after: str) -> None:
    """Without a note of it, an entry goes with one comma, and comments stay."""
    put(tmp_path, {".claude/settings.json": before.encode()})
    remove(tmp_path)
    assert (tmp_path / ".claude/settings.json").read_text() == after


def test_a_hook_of_others_beside_ours_stays(tmp_path: Path) -> None:
    set_up(tmp_path)
    path = tmp_path / ".claude/settings.json"
    settings = json.loads(path.read_bytes())
    other = {"type": "command", "command": "echo hi"}
    settings["hooks"]["PostToolUse"][0]["hooks"].append(other)
    path.write_text(json.dumps(settings))
    remove(tmp_path)
    assert json.loads(path.read_bytes()) == {
        "hooks": {"PostToolUse": [{"matcher": "Edit|MultiEdit|Write", "hooks": [other]}]}
    }


@each
def test_without_the_note(tmp_path: Path, assistant: Assistant) -> None:
    put(tmp_path, {assistant.notes: NOTES, ".claude/settings.json": SETTINGS})
    set_up(tmp_path, assistant)
    (tmp_path / assistant.skills / "planspec/install.json").write_text('{"assistants": 1}')
    remove(tmp_path)
    (tmp_path / ".claude/settings.json").write_text(json.dumps(value_of(tmp_path / ".claude/settings.json")))
    assert (tmp_path / assistant.notes).read_bytes() == NOTES
    assert json.loads((tmp_path / ".claude/settings.json").read_bytes()) == json.loads(SETTINGS)
    assert not any(name.endswith("SKILL.md") for name in files_of(tmp_path))
    assert not any(b"planspec mcp" in data or b'"planspec"' in data for data in files_of(tmp_path).values())


def test_a_note_by_a_stranger_reaches_nothing_else(tmp_path: Path) -> None:
    put(tmp_path, {"a/CLAUDE.md": NOTES, "secret": b"x", "a/src.py": b"print()\n"})
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"  # of b"x"
    note = {
        "assistants": ["claude", "nobody"],
        "files": {"../secret": digest, "/etc/passwd": digest},
        "made": {"src.py": ""},
        "pieces": [["src.py", "print()\n"], ["../secret", "x"], ["CLAUDE.md", ""]],
        "folders": ["..", "/", "../empty", "src", str(tmp_path / "empty")],
    }
    (tmp_path / "empty").mkdir()
    (tmp_path / "a/src").mkdir()
    put(tmp_path, {"a/.claude/skills/planspec/install.json": json.dumps(note).encode()})
    remove(tmp_path / "a")
    assert files_of(tmp_path) == {
        "a/": b"",
        "a/.claude/": b"",
        "a/.claude/skills/": b"",
        "a/.claude/skills/planspec/": b"",
        "a/src/": b"",
        "empty/": b"",
        "secret": b"x",
        "a/CLAUDE.md": NOTES,
        "a/src.py": b"print()\n",
    }


# ---------------------------------------------------------------- links, and what cannot be edited


def test_links_inside_the_project_are_followed(tmp_path: Path) -> None:
    put(tmp_path, {"AGENTS.md": NOTES})
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    set_up(tmp_path, CLAUDE, CODEX)
    assert (tmp_path / "CLAUDE.md").is_symlink()
    assert (tmp_path / "AGENTS.md").read_bytes().count(b"planspec:begin") == 1
    remove(tmp_path)
    assert (tmp_path / "CLAUDE.md").is_symlink()
    assert (tmp_path / "AGENTS.md").read_bytes() == NOTES


BAD: dict[str, tuple[str, bytes, str]] = {
    "no JSON": (".claude/settings.json", b'{"a": 1', "line 1: the text ends in the middle of the object"),
    "a list": (".mcp.json", b"[]", "this is not JSON: line 1: expected an object at the top level, not a list"),
    "doubled": (".mcp.json", b'{"a": 1, "a": 2}', 'duplicate key `"a"`'),
    "hooks are a list": (".claude/settings.json", b'{"hooks": []}', "`hooks` is not an object"),
    "an event is not a list": (".claude/settings.json", b'{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"),
    "servers are a text": (".mcp.json", b'{"mcpServers": "a"}', "`mcpServers` is not an object"),
    "no UTF-8": ("CLAUDE.md", b"\xff\xfe", "this is not UTF-8"),
    "half a block": ("CLAUDE.md", b"<!-- planspec:begin -->\n", "the marks planspec:begin and planspec:end do not"),
    "too long": ("CLAUDE.md", b"a" * 5_000_001, "this has more than 5,000,000 bytes"),
    "no TOML": (".codex/config.toml", b"a = ", "this is not TOML"),
    "a closed table": (".codex/config.toml", b"mcp_servers = {}\n", "`mcp_servers` is an inline table, to which"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_edited_is_refused(tmp_path: Path, kind: str) -> None:
    name, data, said = BAD[kind]
    put(tmp_path, {name: data})
    with pytest.raises(SetupError) as caught:
        plan_setup(tmp_path, [CLAUDE, CODEX])
    assert str(caught.value).startswith(f"{name}: ")
    assert said in str(caught.value)
    assert str(caught.value).count(name) == 1


@pytest.mark.parametrize("kind", ["outside", "nowhere", "fifo", "folder", "folder is a file", "folder outside"])
def test_what_is_no_file_of_the_project_is_refused(tmp_path: Path, kind: str) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    put(root, {"AGENTS.md": NOTES})
    put(other, {"CLAUDE.md": NOTES})
    path = root / "CLAUDE.md"
    if kind in ("outside", "nowhere"):
        path.symlink_to(other / ("CLAUDE.md" if kind == "outside" else "no"))
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "folder is a file":
        (root / ".claude").write_text("")
    else:
        (root / ".claude").symlink_to(other)
    before = files_of(other)
    with pytest.raises(SetupError, match=r"CLAUDE\.md: |\.claude: |\.claude/skills.*: "):
        plan_setup(root, [CLAUDE])
    assert files_of(other) == before


class Stopped(BaseException):
    pass


def stop_at(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException) -> None:
    """Let the writing of a file fail: the first one, or one of the later ones."""
    replace, calls = project._replace, iter(range(1000))

    def fail(*arguments: Any) -> None:
        if next(calls) == number:
            raise error
        replace(*arguments)

    monkeypatch.setattr(project, "_replace", fail)


@pytest.mark.parametrize("number", range(9))
@pytest.mark.parametrize("is_removal", [False, True])
def test_what_cannot_be_written_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_removal: bool
) -> None:
    put(tmp_path, KINDS["usual"])
    if is_removal:
        set_up(tmp_path)
    before = files_of(tmp_path)
    setup = plan_removal(tmp_path, ALL) if is_removal else plan_setup(tmp_path, [CLAUDE])
    assert len(setup.changes) == 9
    stop_at(monkeypatch, number, OSError(28, "No space left on device"))
    with pytest.raises(SetupError, match=r": No space left on device; nothing was changed$"):
        carry_out(setup)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("number", range(9))
@pytest.mark.parametrize("is_removal", [False, True])
def test_after_a_crash_it_can_be_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_removal: bool
) -> None:
    put(tmp_path, KINDS["usual"])
    before = files_of(tmp_path)
    if is_removal:
        set_up(tmp_path)
    setup = plan_removal(tmp_path, ALL) if is_removal else plan_setup(tmp_path, [CLAUDE])
    with monkeypatch.context() as crashing:
        stop_at(crashing, number, Stopped())
        with pytest.raises(Stopped):
            carry_out(setup)
    remove(tmp_path)
    left = files_of(tmp_path)
    # Stopped before there was any note, it is not known who made the folders.
    assert {name: data for name, data in left.items() if name[-1] != "/"} == {
        name: data for name, data in before.items() if name[-1] != "/"
    }
    assert left == before or (number, is_removal) == (0, False)


def test_a_folder_of_plans_that_is_gone(tmp_path: Path) -> None:
    set_up(tmp_path)
    (tmp_path / "planspec/.gitignore").unlink()
    (tmp_path / "planspec").rmdir()
    remove(tmp_path)
    assert files_of(tmp_path) == {}


def test_a_read_only_file_leaves_all_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, KINDS["usual"])
    (tmp_path / ".mcp.json").chmod(0o444)
    before = files_of(tmp_path)
    with pytest.raises(SetupError, match=r"\.mcp\.json: this is read-only; nothing was changed"):
        set_up(tmp_path)
    assert files_of(tmp_path) == before


def test_a_change_by_another_program_meanwhile_leaves_all_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, KINDS["usual"])
    setup = plan_setup(tmp_path, [CLAUDE])
    put(tmp_path, {".claude/settings.json": b"{}"})
    before = files_of(tmp_path)
    with pytest.raises(SetupError, match="this was changed meanwhile; nothing was changed"):
        carry_out(setup)
    assert files_of(tmp_path) == before
