"""Whatever there is before: what is put in is one piece, changes nothing else, and goes without a trace."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, strategies as st

from planspec_lark.agents import SetupError, carry_out, plan_removal, plan_setup
from planspec_lark.agents.assistants import ASSISTANTS
from planspec_lark.agents.foreign_files import cut_out, drop_entry, insert_entry, read_settings
from tests.agents.projects import files_of, put

_KEYS = st.sampled_from(["hooks", "mcpServers", "servers", "planspec", "Stop", "PostToolUse", "a", "ü", ""])
_SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(alphabet='a"\\/ü{}[],\n*', max_size=5)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8
)
_HOOK = st.fixed_dictionaries({"hooks": st.just([{"type": "command", "command": "echo hi"}])})
_SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(st.sampled_from(["Stop", "PostToolUse", "Other"]), st.lists(_HOOK, max_size=2)),
        "mcpServers": st.dictionaries(st.sampled_from(["db", "x"]), st.just({"command": "npx"}), max_size=2),
        "a": _VALUES,
        "ü": _VALUES,
    },
)
_SPACES = st.sampled_from(["", " ", "\n", "\n  ", "\n\t", "  // so, {\n", " /* [, */ "])


def _write(draw: Callable[[st.SearchStrategy[str]], str], value: Any) -> str:
    """JSON as people write it: white space and comments anywhere, and commas too many."""

    def space() -> str:
        return draw(_SPACES)

    if isinstance(value, dict):
        items = [f"{space()}{json.dumps(key)}{space()}:{space()}{_write(draw, one)}" for key, one in value.items()]
    elif isinstance(value, list):
        items = [f"{space()}{_write(draw, one)}" for one in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    last = draw(st.sampled_from(["", ","])) if items else ""
    inside = f"{space()},".join(items) + space() + last + space()
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


@st.composite
def texts(draw: Any, values: st.SearchStrategy[Any] = _SETTINGS) -> str:
    text = f"{draw(_SPACES)}{_write(draw, draw(values))}{draw(_SPACES)}"
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    mark: str = draw(st.sampled_from(["", "\ufeff"]))
    return mark + text


@st.composite
def notes(draw: Any) -> bytes:
    lines = st.sampled_from(["# Notes", "- a", "", "```", "<!-- planspec -->", "ü", "  "])
    text: str = draw(st.sampled_from(["\n", "\r\n"])).join(draw(st.lists(lines, max_size=6)))
    mark: str = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + text).encode()


@given(texts(), st.sampled_from([("hooks", "Stop", ""), ("hooks", "New", ""), ("mcpServers", "planspec"), ("new",)]))
def test_an_entry(text: str, path: tuple[str, ...]) -> None:
    before = read_settings(text).value
    entry = {"command": "planspec", "args": ["mcp"]}
    after, piece = insert_entry(text, path, entry)
    assert cut_out(after, piece) == text
    value = read_settings(after).value
    # The same, but for the entry at the end of what holds it.
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    found = [one for one in holder if one == entry] if path[-1] == "" else [holder[path[-1]]]
    assert found == [entry]
    place = holder.index(entry) if path[-1] == "" else path[-1]
    dropped = read_settings(drop_entry(after, [*path[:-1], place])).value
    assert _without_empty(dropped) == _without_empty(before)


def _without_empty(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without empty objects and lists of hooks and servers, since it is not known who made them."""
    hooks = {name: one for name, one in settings.get("hooks", {}).items() if one}
    more = {"hooks": hooks, "mcpServers": settings.get("mcpServers", {})}
    return {name: one for name, one in {**settings, **more}.items() if one or name not in more}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            ".claude/settings.json": texts().map(str.encode),
            ".mcp.json": texts().map(str.encode),
            ".gemini/settings.json": texts().map(str.encode),
            "CLAUDE.md": notes(),
            "AGENTS.md": notes(),
            ".codex/config.toml": st.sampled_from([b"", b"a = 1", b"[b]\r\nc = 2\r\n", b"[mcp_servers.x]\n# c"]),
        },
    ),
    st.lists(st.sampled_from([*ASSISTANTS]), min_size=1, max_size=3, unique=True),
)
def test_a_project(files: dict[str, bytes], names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        put(root, files)
        before = files_of(root)
        chosen = [ASSISTANTS[name] for name in names]
        carry_out(plan_setup(root, chosen))
        assert files_of(root).keys() > before.keys()
        assert not plan_setup(root, chosen).changes
        carry_out(plan_removal(root, chosen))
        assert files_of(root) == before


@given(texts(_VALUES) | st.text(max_size=20))
def test_any_other_text_is_refused(text: str) -> None:
    try:
        after, piece = insert_entry(text, ("hooks", "Stop", ""), {})
    except SetupError:
        return
    assert cut_out(after, piece) == text
    assert read_settings(after).value["hooks"]["Stop"].count({})
