"""Nothing outside of the folder is read or written, and nothing in it but plans."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tests.mcp_server.clients import PLAN, Agent

SECRET = "The secret is 4711.\n"
NEW = "Goal: The hall is white\n## Steps\n1. [act] Paint the hall → hall\n"
NAMES = [
    "../secret",
    "..",
    ".",
    "../../../../etc/passwd",
    "/etc/passwd",
    "planspec/library",
    "planspec/library.md",
    "library.md",
    "..\\secret",
    "C:\\secret",
    "secret\0.md",
    "sub/../library",
    "~/secret",
    "-rf",
    ".env",
    "CON",
    "library.",
    "lib\u202erary",
    "\ud83d",
    "x" * 250,
    "file:///etc/passwd",
    "%2e%2e%2fsecret",
    "$HOME",
    "secret",
    "LICENSE",
    "planspec",
    "archive",
    "Tasks",
]


@pytest.fixture
def outside(agent: Agent) -> Path:
    """A file beside the folder, and files in it that are no plans."""
    agent.write("library")
    for name in ("LICENSE", ".env", "secret", "secret.txt"):
        (agent.root / name).write_text(SECRET)
    path = agent.root.parent / "secret.md"
    path.write_text(PLAN.replace("Move the library", SECRET.strip()))
    return path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [name for name in NAMES if name.isprintable()])
def test_names_lead_nowhere_else(agent: Agent, outside: Path, name: str) -> None:
    before = everything(agent.root.parent)
    said = [
        agent.fail("read_plan", name=name),
        agent.fail("check_plan", name=name),
        agent.fail("apply_commands", name=name, commands="PLAN_CMD: DONE 2.1"),
        agent.error(agent.resource, f"planspec://plans/{quote(name, safe='')}"),
        agent.error(agent.resource, f"planspec://plans/{name}"),
        agent.error(lambda: agent.prompt("showplan", name=name)),
        agent.error(lambda: agent.prompt("archiveplan", name=name)),
    ]
    assert all("4711" not in one and "root:" not in one for one in said)
    assert "4711" not in agent.prompt("planspec", request=name)
    assert everything(agent.root.parent) == before
    assert outside.exists()


@pytest.mark.parametrize("name", NAMES[:16])
def test_nothing_is_created_elsewhere(agent: Agent, outside: Path, name: str) -> None:
    before = everything(agent.root.parent)
    assert "cannot be the name of a plan" in agent.fail("create_plan", name=name, text=NEW)
    assert everything(agent.root.parent) == before
    assert outside.exists()


def test_links_lead_nowhere_else(agent: Agent, outside: Path) -> None:
    folder = agent.root / "planspec"
    (folder / "link.md").symlink_to(outside)
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "inner.md").symlink_to("../secret")
    before = everything(agent.root.parent)
    for name in ("link", "loop", "inner"):
        said = [
            agent.fail("read_plan", name=name),
            agent.fail("apply_commands", name=name, commands="PLAN_CMD: DONE 2.1"),
            agent.fail("create_plan", name=name, text=NEW),
            agent.error(agent.resource, f"planspec://plans/{name}"),
        ]
        assert all("4711" not in one for one in said), said
    assert agent.fail("read_plan", name="link") == "planspec/link.md: this leads out of the folder"
    assert "4711" not in agent.ask("list_plans")
    assert everything(agent.root.parent) == before


def test_messages_do_not_say_where_the_folder_is(agent: Agent) -> None:
    agent.write("library")
    agent.write("notes", "Not a plan.\n")
    said = [
        agent.fail("read_plan", name="notes"),
        agent.fail("read_plan", name="nowhere"),
        agent.fail("create_plan", name="library", text=NEW),
        agent.ask("list_plans"),
        agent.prompt("listplan"),
    ]
    assert all(str(agent.root) not in one for one in said)
