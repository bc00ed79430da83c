"""Plans as resources, and what clients are told when these change."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import (
    PromptReference,
    ResourceListChangedNotification,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
)
from syrupy.assertion import SnapshotAssertion

from tests.mcp_server.clients import PLAN, Agent, connected

NEW = "Goal: The hall is white\n## Steps\n1. [act] Paint the hall → hall\n"


def listed(agent: Agent, cursor: str | None = None) -> Any:
    return agent.portal.call(lambda: agent.client.list_resources(cursor=cursor))


def test_plans_are_listed(agent: Agent, snapshot: SnapshotAssertion) -> None:
    assert listed(agent).resources == []
    agent.write("library")
    agent.write("hall", NEW)
    agent.write("notes", "Not a plan.\n")
    agent.write("搬 图书馆", PLAN)
    assert [one.model_dump(exclude_none=True) for one in listed(agent).resources] == snapshot


def test_long_lists_come_in_pages(agent: Agent) -> None:
    for number in range(120):
        agent.write(f"plan_{number:03}", NEW)
    first = listed(agent)
    second = listed(agent, first.next_cursor)
    last = listed(agent, second.next_cursor)
    assert [len(page.resources) for page in (first, second, last)] == [50, 50, 20]
    assert last.next_cursor is None
    assert last.resources[-1].name == "plan_119"


def test_there_is_a_template(agent: Agent) -> None:
    (template,) = agent.portal.call(agent.client.list_resource_templates).resource_templates
    assert (template.uri_template, template.mime_type) == ("planspec://plans/{name}", "text/markdown")


@pytest.mark.parametrize("name", ["library", "搬 图书馆", "a%41b", "plan#1", "50&60+70=80", "ünïcode"])
def test_a_plan_is_read_as_it_stands_in_its_file(agent: Agent, name: str) -> None:
    text = "\ufeff" + PLAN.replace("\n", "\r\n").replace("Two", "\u202eTwo")
    agent.write(name, text)
    (resource,) = listed(agent).resources
    assert resource.name == name
    assert agent.resource(resource.uri) == text


def test_broken_plans_can_be_read_too(agent: Agent) -> None:
    agent.write("notes", "Not a plan.\n")
    assert agent.resource("planspec://plans/notes") == "Not a plan.\n"


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("planspec://plans/nowhere", "-32602: there is no plan `nowhere`, by name or as a file"),
        (
            "planspec://plans/librari",
            "-32602: there is no plan `librari`, by name or as a file; did you mean `library`?",
        ),
        ("planspec://plans/", "-32602: `` cannot be the name of a plan: it is empty"),
        ("planspec://plan/library", "-32602: addresses of plans look like planspec://plans/{name}"),
        ("file:///etc/passwd", "-32602: addresses of plans look like planspec://plans/{name}"),
        ("planspec://plans/%FF", "-32602: the name in this address is not UTF-8"),
        ("planspec://plans/binary", "-32602: byte 0 (0xff) is not UTF-8: invalid start byte"),
    ],
)
def test_what_is_no_plan_cannot_be_read(agent: Agent, uri: str, said: str) -> None:
    agent.write("library")
    agent.write("binary", b"\xff")
    assert agent.error(agent.resource, uri) == said


def test_a_plan_that_is_too_long_is_not_read_whole(agent: Agent) -> None:
    agent.write("long", PLAN + "4. [act] x\n" + f"  > {'y' * 996}\n" * 1000)
    said = agent.error(agent.resource, "planspec://plans/long")
    assert said.startswith("-32602: the plan has 1,00")
    assert said.endswith(" bytes, and no more than 1,000,000 are read whole: use read_plan")
    assert agent.ask("read_plan", name="long")["is_complete"] is False


# ---------------------------------------------------------------- names


def complete(agent: Agent, ref: Any, argument: str, start: str) -> Any:
    async def ask() -> Any:
        return await agent.client.complete(ref, {"name": argument, "value": start})

    return agent.portal.call(ask).completion


def test_names_are_completed(agent: Agent) -> None:
    for name in ("library", "Lift", "hall"):
        agent.write(name, NEW)
    template = ResourceTemplateReference(uri="planspec://plans/{name}")
    assert complete(agent, template, "name", "li").values == ["Lift", "library"]
    assert complete(agent, PromptReference(name="showplan"), "name", "").values == ["Lift", "hall", "library"]
    assert complete(agent, PromptReference(name="planspec"), "request", "h").values == ["hall"]
    assert complete(agent, PromptReference(name="archiveplan"), "other", "").values == []
    assert complete(agent, PromptReference(name="listplan"), "", "").values == []
    assert complete(agent, PromptReference(name="nothing"), "name", "").values == []
    assert complete(agent, ResourceTemplateReference(uri="planspec://{x}"), "name", "").values == []


def test_no_more_names_are_offered_than_the_protocol_allows(agent: Agent) -> None:
    for number in range(130):
        agent.write(f"plan_{number:03}", NEW)
    found = complete(agent, PromptReference(name="showplan"), "name", "plan")
    assert (len(found.values), found.total, found.has_more) == (100, 130, True)


# ---------------------------------------------------------------- changes


def test_a_client_that_listens_is_told_of_changes(agent: Agent) -> None:
    agent.ask("create_plan", name="library", text=PLAN)

    async def change() -> list[str]:
        uri = "planspec://plans/library"
        told = []
        async with agent.client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as changes:
            for tool, arguments in (
                ("apply_commands", {"name": "library", "commands": "PLAN_CMD: DONE 2.1"}),
                ("create_plan", {"name": "hall", "text": NEW}),
            ):
                await agent.client.call_tool(tool, arguments)
                with anyio.fail_after(60):
                    told.append(repr(await anext(changes)))
        return told

    assert agent.portal.call(change) == ["ResourceUpdated(uri='planspec://plans/library')", "ResourcesListChanged()"]


def test_clients_of_older_versions_are_told_of_new_plans(tmp_path: Path) -> None:
    with connected(tmp_path, mode="legacy") as agent:
        assert agent.client.protocol_version == "2025-11-25"
        capabilities = agent.client.server_capabilities
        assert capabilities.resources is not None
        assert capabilities.resources.list_changed is True
        agent.ask("create_plan", name="hall", text=NEW)
        agent.call("create_plan", name="hall", text=NEW)
        agent.ask("apply_commands", name="hall", commands="PLAN_CMD: DONE 1")
        assert agent.resource("planspec://plans/hall") == NEW.replace("[act]", "[x] [act]")
        assert [type(message) for message in agent.told] == [ResourceListChangedNotification]


@pytest.mark.parametrize("how", ["in place", "replaced", "removed"])
def test_a_client_that_listens_is_told_of_changes_by_others(agent: Agent, how: str) -> None:
    path = agent.write("library")

    async def change() -> str:
        async with agent.client.listen(resource_subscriptions=["planspec://plans/library"]) as changes:
            if how == "in place":
                path.write_text(PLAN + "4. [act] Rest\n")
            elif how == "replaced":
                (other := path.with_name("other.md")).write_text(PLAN)
                other.replace(path)
            else:
                path.unlink()
            with anyio.fail_after(60):
                return repr(await anext(changes))

    # What is written before the server has looked once is no change.
    agent.ask("create_plan", name="hall", text=NEW)
    assert agent.portal.call(change) == "ResourceUpdated(uri='planspec://plans/library')"


@pytest.mark.parametrize("how", ["new", "renamed", "removed"])
def test_a_client_that_listens_is_told_of_plans_that_come_and_go(agent: Agent, how: str) -> None:
    path = agent.write("library")

    async def change() -> str:
        async with agent.client.listen(resources_list_changed=True) as changes:
            if how == "new":
                agent.write("tower", NEW)
            elif how == "renamed":
                path.rename(path.with_name("tower.md"))
            else:
                path.unlink()
            with anyio.fail_after(60):
                return repr(await anext(changes))

    agent.ask("create_plan", name="hall", text=NEW)
    assert agent.portal.call(change) == "ResourcesListChanged()"


def test_a_plan_that_is_archived_is_not_listed_any_more(agent: Agent) -> None:
    agent.ask("create_plan", name="hall", text=NEW.replace("[act]", "[x] [act]"))

    async def change() -> str:
        async with agent.client.listen(resources_list_changed=True) as changes:
            await agent.client.call_tool("apply_commands", {"name": "hall", "actions": [{"do": "archive"}]})
            with anyio.fail_after(60):
                return repr(await anext(changes))

    assert agent.portal.call(change) == "ResourcesListChanged()"
    assert listed(agent).resources == []


def test_the_plans_of_tasks_are_watched_as_well(agent: Agent) -> None:
    path = agent.root / "Tasks" / "hall" / "plan.md"
    path.parent.mkdir(parents=True)
    path.write_text(NEW)
    agent.ask("create_plan", name="library", text=PLAN)

    async def change() -> str:
        async with agent.client.listen(resource_subscriptions=["planspec://plans/hall"]) as changes:
            path.write_text(PLAN)
            with anyio.fail_after(60):
                return repr(await anext(changes))

    assert agent.portal.call(change) == "ResourceUpdated(uri='planspec://plans/hall')"


def test_what_is_there_at_the_beginning_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "planspec").mkdir()
    (tmp_path / "planspec" / "hall.md").write_text(NEW)
    with connected(tmp_path, mode="legacy") as agent:
        # It has looked again by then.
        time.sleep(1.5)
        agent.ask("list_plans")
        assert agent.told == []


def wait_for(agent: Agent, count: int) -> list[Any]:
    """What a client of an older version has been told, once it is so much."""
    until = time.monotonic() + 60
    while len(agent.told) < count and time.monotonic() < until:
        time.sleep(0.05)
    return [(type(message), getattr(message.params, "uri", None)) for message in agent.told]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_clients_of_older_versions_subscribe_to_plans(tmp_path: Path) -> None:
    updated = (ResourceUpdatedNotification, "planspec://plans/library")
    changed = (ResourceListChangedNotification, None)
    with connected(tmp_path, mode="legacy") as agent:
        assert agent.client.server_capabilities.resources is not None
        assert agent.client.server_capabilities.resources.subscribe is True
        agent.ask("create_plan", name="library", text=PLAN)
        agent.ask("create_plan", name="hall", text=NEW)
        assert wait_for(agent, 2) == [changed, changed]
        agent.portal.call(agent.client.subscribe_resource, updated[1])
        agent.write("hall", PLAN)
        agent.write("library", NEW)
        assert wait_for(agent, 3) == [changed, changed, updated]
        agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 1")
        assert wait_for(agent, 4) == [changed, changed, updated, updated]
        agent.portal.call(agent.client.unsubscribe_resource, updated[1])
        agent.ask("apply_commands", name="library", commands="PLAN_CMD: SKIP 1")
        agent.write("tower", NEW)
        assert wait_for(agent, 5) == [changed, changed, updated, updated, changed]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_the_number_of_subscriptions_is_bounded(tmp_path: Path) -> None:
    with connected(tmp_path, mode="legacy") as agent:
        for number in range(1_024):
            agent.portal.call(agent.client.subscribe_resource, f"planspec://plans/plan_{number}")
        # Those that it has already are none more.
        agent.portal.call(agent.client.subscribe_resource, "planspec://plans/plan_1")
        said = agent.error(agent.portal.call, agent.client.subscribe_resource, "planspec://plans/more")
        assert said == "-32602: there are 1,024 subscriptions, and no more are kept"
        agent.portal.call(agent.client.unsubscribe_resource, "planspec://plans/plan_1")
        agent.portal.call(agent.client.subscribe_resource, "planspec://plans/more")
