"""Plans as resources, and what clients are told when these change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import PromptReference, ResourceListChangedNotification, ResourceTemplateReference
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
        ("planspec://plans/%FF", "-32602: the name in this address is no UTF-8"),
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


def test_whoever_listens_is_told_of_changes(agent: Agent) -> None:
    agent.write("library")

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
