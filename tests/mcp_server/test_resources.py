"""Plans as resources."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.mcp_server.clients import PLAN, Agent

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
    assert "\nParts are left out" in agent.ask("read_plan", name="long")
