"""The table of assistants: where each of them looks for what, as ``docs/how-to/assistants.md`` cites it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

__all__ = ["ASSISTANTS", "Assistant", "Hook", "Servers"]


@frozen
class Hook:
    """A hook in an assistant's settings.

    Attributes:
        name: the assistant's name of the event.
        event: the event of ``planspec hook``.
        matcher: which tools or sources it is for, as the assistant writes it; empty for all.
    """

    name: str
    event: str
    matcher: str = ""


@frozen
class Servers:
    """The file with an assistant's MCP servers: JSON with an object of them, or TOML with a table for each.

    Attributes:
        file: from the project's folder on.
        key: of the object, or the name of the table, that holds the servers by name.
        extra: what an entry has before ``command`` and ``args``.
        arguments: what the server is told besides, where it is not started in the project's folder.
    """

    file: str
    key: str = "mcpServers"
    extra: Mapping[str, Any] = field(factory=dict)
    arguments: tuple[str, ...] = ()


@frozen
class Assistant:
    """What an assistant, or a convention that several keep to, reads in a project. Paths go from its folder on.

    Attributes:
        name: on the command line.
        title: what it is called.
        notes: the Markdown file that it reads at the start of each session.
        skills: the folder of its Agent Skills.
        signs: files and folders by which one sees that a project is worked on with it.
        servers: where its MCP servers are, if the project has a file for that.
        settings: the JSON file with its hooks.
        hooks: those that are put there.
        has_groups: whether an event holds groups of hooks with a matcher each, rather than hooks.
        answers: how ``planspec hook`` has to answer; empty for plain text.
    """

    name: str
    title: str
    notes: str
    skills: str
    signs: tuple[str, ...]
    servers: Servers | None = None
    settings: str = ""
    hooks: tuple[Hook, ...] = ()
    has_groups: bool = True
    answers: str = ""


_CLAUDE_EVENTS = (Hook("SessionStart", "session-start"), Hook("Stop", "stop"))

_IN_WORKSPACE = ("--folder", "${workspaceFolder}")

# Claude Code and Codex forget what a hook says before compaction, and start a session again after it.
_ALL = (
    Assistant(
        "claude",
        "Claude Code",
        notes="CLAUDE.md",
        skills=".claude/skills",
        signs=("CLAUDE.md", ".claude"),
        servers=Servers(".mcp.json"),
        settings=".claude/settings.json",
        hooks=(Hook("PostToolUse", "post-edit", "Edit|MultiEdit|Write"), *_CLAUDE_EVENTS),
    ),
    Assistant(
        "agents-md",
        "readers of AGENTS.md and .agents/skills",
        notes="AGENTS.md",
        skills=".agents/skills",
        signs=("AGENTS.md", ".agents"),
    ),
    Assistant(
        "codex",
        "Codex",
        notes="AGENTS.md",
        skills=".agents/skills",
        signs=(".codex",),
        servers=Servers(".codex/config.toml", "mcp_servers"),
        settings=".codex/hooks.json",
        hooks=(Hook("PostToolUse", "post-edit", "Edit|Write"), *_CLAUDE_EVENTS),
    ),
    Assistant(
        "copilot",
        "GitHub Copilot",
        notes="AGENTS.md",
        skills=".agents/skills",
        signs=(".github/copilot-instructions.md",),
        servers=Servers(".vscode/mcp.json", "servers", {"type": "stdio"}, _IN_WORKSPACE),
        settings=".github/hooks/planspec.json",
        hooks=(
            Hook("sessionStart", "session-start"),
            Hook("postToolUse", "post-edit", "create|edit|str_replace_editor|apply_patch"),
            Hook("agentStop", "stop"),
        ),
        has_groups=False,
        answers="copilot",
    ),
    Assistant(
        "cursor",
        "Cursor",
        notes="AGENTS.md",
        skills=".agents/skills",
        signs=(".cursor",),
        servers=Servers(".cursor/mcp.json", arguments=_IN_WORKSPACE),
        settings=".cursor/hooks.json",
        hooks=(Hook("sessionStart", "session-start"), Hook("postToolUse", "post-edit", "Write"), Hook("stop", "stop")),
        has_groups=False,
        answers="cursor",
    ),
    Assistant(
        "gemini",
        "Gemini CLI",
        notes="GEMINI.md",
        skills=".agents/skills",
        signs=("GEMINI.md", ".gemini"),
        servers=Servers(".gemini/settings.json"),
        settings=".gemini/settings.json",
        hooks=(
            Hook("AfterTool", "post-edit", "write_file|replace"),
            Hook("SessionStart", "session-start"),
            Hook("AfterAgent", "stop"),
        ),
        answers="gemini",
    ),
)
ASSISTANTS: Mapping[str, Assistant] = {one.name: one for one in _ALL}
"""The assistants that can be set up, by name."""
