"""Projects as people have them: settings with comments, tabs and other line ends, other hooks, other servers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PLAN = """\
# Plan: Move the bookings
Goal: Switch on Sunday night
## Steps
1. [x] [reason] Compare both schemas → gaps | 3 columns
2. [>] [subtask] Copy and verify → report
  > ← gaps
  2.1. [x] [act] Copy all tables → snapshot | 41 GB
  2.2. [>] [act] Verify counts and checksums → report
    > ← snapshot
3. [act] Switch the connection string → log
  > ← report
"""
BROKEN = "Goal: Open at six\n## Steps\n1) [act] Light the oven → heat\n2. Bake\n"

# What Claude Code's documentation shows of settings, and what people put into them besides.
SETTINGS = b"""\
{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run lint)", "Bash(npm run test *)"],
    "deny": ["Read(./.env)"]
  },
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{"type": "command", "command": "/path/to/lint-check.sh"}]
      }
    ],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo 'planspec hook'"}]}
    ]
  }
}
"""
COMMENTED = b"""\
// Settings of our team
{
\t/* what may be run */
\t"permissions": {"allow": ["Bash(uv run *)",],},
\t"hooks": {
\t\t"SessionStart": [
\t\t\t{"hooks": [{"type": "command", "command": "echo hi"}]}, // greets
\t\t],
\t\t"Stop": [],
\t}, // the last one
}
"""
SERVERS = b"""\
{
    "mcpServers": {
        "github": {"type": "http", "url": "https://api.githubcopilot.com/mcp/"},
        "db": {"command": "npx", "args": ["-y", "@bytebase/dbhub"], "env": {"DSN": "${DSN}"}}
    }
}"""
NOTES = b"# Our project\n\nUse `uv run pytest`.\n\n- Never commit to main.\n"


def files_of(root: Path) -> dict[str, bytes]:
    """All files of a project with their bytes, and its folders with a slash; git's own are left out."""
    found: dict[str, bytes] = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        here = Path(folder).relative_to(root)
        found |= {f"{here / name}/": b"" for name in folders}
        found |= {str(here / name): (root / here / name).read_bytes() for name in files}
    return found


def put(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def git(*arguments: str, cwd: Path) -> str:
    author = ["-c", "user.name=Tests", "-c", "user.email=tests@example.com", "-c", "init.defaultBranch=main"]
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(["git", *author, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return done.stdout
