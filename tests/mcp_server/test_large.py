"""Plans of 2,000 steps, and many changes at once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from planspec_lark import PlanFile, iter_steps, parse_plan
from planspec_lark.syntax import estimate_tokens
from tests.mcp_server.clients import PLAN, Agent, connected, text_of

STEPS = 2_000


def _part(part: int, first: int = 1) -> str:
    """A step with 99 steps below it, which have these numbers from the first one on."""
    done, result = ("[x] ", f" | {'result ' * 20}") if part < 10 else ("", "")
    return f"{part}. {done}[subtask] Part {part}\n" + "".join(
        f"  {part}.{n + first}. {done}[act] Do number {n} → out_{part}_{n}{result.rstrip()}\n    > {'detail ' * 20}\n"
        for n in range(99)
    )


LARGE = "# Plan: Large\nGoal: All is done\n## Steps\n" + "".join(map(_part, range(1, 21)))


def test_a_plan_of_2000_steps(agent: Agent) -> None:
    path = agent.write("large", LARGE)
    started = time.monotonic()
    assert f"progress: {STEPS} steps: " in agent.ask("list_plans")
    for view in ({"view": "plan"}, {"view": "next"}, {"view": "step", "step_id": "10.5"}):
        found = agent.ask("read_plan", name="large", **view)
        assert estimate_tokens(found) <= 4_100
        assert "\nnext step: 10.1\n" in found
    for name, argument in (("planspec", "request"), ("showplan", "name"), ("archiveplan", "name")):
        assert len(agent.prompt(name, **{argument: "large"})) < 25_000
    assert agent.resource("planspec://plans/large") == LARGE
    assert agent.ask("check_plan", name="large").startswith("The plan is valid")
    applied = agent.ask("apply_commands", name="large", commands="PLAN_CMD: ADD 10.1 [act] First → first")
    assert f"progress: {STEPS + 1} steps: " in applied
    agent.ask("create_plan", name="copy", text=LARGE)
    first, *others = _part(10, 2).splitlines(keepends=True)
    tenth = "".join([first, "  10.1. [act] First → first\n", *others])
    assert path.read_text() == LARGE.replace(_part(10), tenth)
    # Far more than it takes, and far less than it would if anything grew with the square.
    assert time.monotonic() - started < 60


def test_changes_at_once_are_all_kept(tmp_path: Path) -> None:
    count = 40
    text = "Goal: All is done\n## Steps\n" + "".join(f"{n}. [act] Do number {n}\n" for n in range(1, count + 1))
    with connected(tmp_path) as one, connected(tmp_path) as other:
        path = one.write("many", text)

        def change(agent: Agent, ids: range) -> Any:
            async def all_of_them() -> list[Any]:
                calls = (
                    agent.client.call_tool("apply_commands", {"name": "many", "commands": f"PLAN_CMD: DONE {n} | {n}"})
                    for n in ids
                )
                return await asyncio.gather(*calls)

            return agent.portal.start_task_soon(all_of_them)

        changes = [change(one, range(1, count + 1, 2)), change(other, range(2, count + 1, 2))]
        results = [result for made in changes for result in made.result(60)]
        assert [result.is_error for result in results] == [False] * count
        assert [step.result for step in iter_steps(parse_plan(path.read_text()))] == [
            str(n) for n in range(1, count + 1)
        ]


def test_of_changes_to_the_same_state_one_wins(agent: Agent) -> None:
    agent.write("library")
    seen = agent.digest()

    async def race() -> list[bool]:
        arguments = [
            {"name": "library", "commands": f"PLAN_CMD: DONE 2.1 | {n}", "expected_digest": seen} for n in range(8)
        ]
        results = await asyncio.gather(*(agent.client.call_tool("apply_commands", one) for one in arguments))
        return sorted(result.is_error for result in results)

    assert agent.portal.call(race) == [False] + [True] * 7


def test_a_plan_that_changes_while_a_change_waits_is_left_alone(agent: Agent) -> None:
    path = agent.write("library")
    arguments = {
        "name": "library",
        "commands": "PLAN_CMD: DONE 2.1",
        "expected_digest": agent.digest(),
    }
    with PlanFile(path).leased():
        waiting = agent.portal.start_task_soon(agent.client.call_tool, "apply_commands", arguments)
        # It has looked at the plan by now, and waits for the lock.
        time.sleep(1)
        path.write_text(PLAN.replace("Twelve", "Twenty"))
    result = waiting.result(60)
    assert result.is_error
    assert text_of(result).startswith("Nothing was changed: the plan has changed since you read it")
    assert path.read_text() == PLAN.replace("Twelve", "Twenty")


def test_of_plans_with_the_same_name_one_is_created(agent: Agent) -> None:
    async def race() -> list[bool]:
        calls = (agent.client.call_tool("create_plan", {"name": "hall", "text": PLAN}) for _ in range(8))
        return sorted(result.is_error for result in await asyncio.gather(*calls))

    assert agent.portal.call(race) == [False] + [True] * 7
    assert (agent.root / "planspec" / "hall.md").read_text() == PLAN
