"""The five tools, called as agents call them."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from mcp import Client
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanFile, check_text, parse_plan, scan_plan_commands
from planspec_lark.folder import PlanFolder
from planspec_lark.mcp_server import server, tools
from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.server import make_server
from planspec_lark.mcp_server.tool_models import ApplyArguments
from planspec_lark.syntax import estimate_tokens
from tests.cli.running import call
from tests.mcp_server.clients import PLAN, Agent, connected, text_of

TOOLS = ["list_plans", "read_plan", "check_plan", "apply_commands", "create_plan"]
NEW = "# Plan: Paint\nGoal: The hall is white\n## Steps\n1. [act] Paint the hall → hall\n"


# ---------------------------------------------------------------- what there is


def test_there_are_five_with_schemas_and_hints(agent: Agent) -> None:
    listed = agent.portal.call(agent.client.list_tools).tools
    takes = {tool.name: ([*tool.input_schema["properties"]], tool.input_schema.get("required", [])) for tool in listed}
    assert takes == {
        "list_plans": (["cursor"], []),
        "read_plan": (["name", "view", "step_id", "max_tokens"], ["name"]),
        "check_plan": (["text", "name"], []),
        "apply_commands": (["name", "actions", "commands", "expected_digest"], ["name"]),
        "create_plan": (["name", "text"], ["name", "text"]),
    }
    assert all(tool.title and tool.output_schema is None for tool in listed)
    hints = [tool.annotations for tool in listed]
    reads = [one.read_only_hint for one in hints if one]
    assert reads == [one.idempotent_hint for one in hints if one] == [True, True, True, False, False]
    assert [one.destructive_hint for one in hints if one] == [False, False, False, True, False]
    action = listed[3].input_schema["$defs"]["Action"]["properties"]
    assert action["type"] == {"enum": ["reason", "act", "decide", "subtask"], "type": "string"}
    assert action["inputs"] == {"items": {"type": "string"}, "type": "array"}


def test_what_the_descriptions_show_is_right() -> None:
    description = tools.TOOLS["apply_commands"].description
    scan = scan_plan_commands(description[description.index("PLAN_CMD: ") : description.index("\n\nSteps from")] + "\n")
    assert [command.op for command in scan.commands] == ["DONE", "BLOCKED", "SKIP", "ADD", "REVISE", "REPLAN"]
    assert scan.diagnostics == []
    text = tools.TOOLS["create_plan"].description
    found = check_text(text[text.index("# Plan") : text.index("\n\nTypes are")] + "\n")
    assert [one for one in found if one.severity.value != "info"] == []


# ---------------------------------------------------------------- list_plans


def test_a_folder_without_plans(agent: Agent) -> None:
    assert agent.ask("list_plans") == "There are no plans in this folder. create_plan makes one.\n"


def test_plans_are_listed_with_their_progress_and_broken_ones_with_their_fault(
    agent: Agent, snapshot: SnapshotAssertion
) -> None:
    agent.write("library")
    agent.write("hall", NEW.replace("[act]", "[x] [act]"))
    agent.write("notes", "Not a plan.\n")
    agent.write("empty", "")
    agent.write("binary", b"\xff\xfe")
    agent.write("搬图书馆", PLAN.replace("Move the library", "搬图书馆"))
    (agent.root / "planspec" / "folder.md").mkdir()
    assert agent.ask("list_plans") == snapshot


def test_long_lists_come_in_pages(agent: Agent) -> None:
    names = [f"plan_{number:03}" for number in range(120)]
    for name in names:
        agent.write(name, NEW)
    cursor, pages = "", []
    for left in (True, True, False):
        page = agent.ask("list_plans", cursor=cursor)
        pages.append(re.findall("^(plan_[0-9]+): Paint$", page, flags=re.MULTILINE))
        cursor = pages[-1][-1]
        said = f"\n\nThere are 120 plans in all; for the next ones, cursor: {cursor}\n"
        assert page.endswith(said) is left
    assert [len(page) for page in pages] == [50, 50, 20]
    assert [name for page in pages for name in page] == names
    assert agent.fail("list_plans", cursor="plan_118x") == (
        "There is no such page (any more): begin again without a cursor."
    )


def test_long_titles_are_shortened_and_nothing_steers_a_terminal(agent: Agent) -> None:
    agent.write("long", f"# Plan: {'t' * 5000}\nGoal: \u202ereversed\n## Steps\n1. [act] x\n")
    said = f"long: {'t' * 200}…\n  goal: \\u202ereversed\n  progress: 1 step: 1 pending\n"
    assert agent.ask("list_plans") == said


# ---------------------------------------------------------------- read_plan


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="plan"),
        pytest.param({"view": "next"}, id="next"),
        pytest.param({"view": "step", "step_id": "2.2"}, id="step"),
        pytest.param({"view": "tree"}, id="tree"),
    ],
)
def test_views(agent: Agent, arguments: dict[str, str], snapshot: SnapshotAssertion) -> None:
    agent.write("library")
    assert agent.ask("read_plan", name="library", **arguments) == snapshot


def test_views_keep_to_their_budget(agent: Agent) -> None:
    agent.write("library", PLAN + "".join(f"{n}. [act] {'word ' * 20}\n  > {'detail ' * 20}\n" for n in range(4, 60)))
    small, large, full = (agent.view("library", max_tokens=most) for most in (400, 2000, 20_000))
    assert estimate_tokens(small) <= 400 < estimate_tokens(large) <= 2000
    assert "2.1. [act] Hire a lorry → lorry" in small
    answers = (agent.ask("read_plan", name="library", max_tokens=most) for most in (400, 20_000))
    assert ["\nParts are left out to save room, each where it says" in one for one in answers] == [True, False]
    assert "59. [act] word" in full


def test_the_tree_is_that_of_the_command_line(agent: Agent) -> None:
    path = agent.write("library")
    assert agent.view("library", view="tree") == call("show", path).stdout.decode()


def test_a_tree_keeps_to_its_budget(agent: Agent) -> None:
    agent.write("library", PLAN + "".join(f"{n}. [act] {'word ' * 20}\n" for n in range(4, 60)))
    rows = agent.view("library", view="tree", max_tokens=20_000).splitlines()
    cut = agent.view("library", view="tree", max_tokens=500)
    *kept, said = cut.splitlines()
    assert kept == rows[: len(kept)]
    assert said == f"… and {len(rows) - len(kept)} more lines"
    # No line that is left out would have found room.
    assert 500 - estimate_tokens(rows[len(kept)]) < estimate_tokens(cut) <= 500


def test_what_is_hidden_counts_as_it_is_shown(agent: Agent) -> None:
    agent.write("marks", PLAN + f"4. [act] x\n  > {chr(0x202E) * 300}\n")
    assert estimate_tokens(agent.view("marks", max_tokens=1_000)) <= 1_000
    assert agent.view("marks", max_tokens=10_000).endswith("  > " + "\\u202e" * 300 + "\n")


def test_a_budget_that_is_too_small_is_named(agent: Agent) -> None:
    agent.write("goal", f"Goal: {'very ' * 400}long\n## Steps\n1. [act] x\n")
    said = agent.fail("read_plan", name="goal", max_tokens=200)
    assert said.startswith("max_tokens: 200 is too few: what is never left out takes ")
    assert said.endswith(". Read it with a larger max_tokens, or another view.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"view": "step"}, "The view `step` needs a step_id, such as `2.1`; the view `plan` shows all steps."),
        ({"view": "step", "step_id": "9.9"}, "Step 9.9 does not exist; the view `plan` shows all steps."),
        (
            {"view": "step", "step_id": "\x1b[2J"},
            "Step \\x1b[2J does not exist; the view `plan` shows all steps.",
        ),
    ],
)
def test_steps_that_are_not_there(agent: Agent, arguments: dict[str, str], said: str) -> None:
    agent.write("library")
    assert agent.fail("read_plan", name="library", **arguments) == said


def test_nothing_is_next_when_all_is_done(agent: Agent) -> None:
    agent.write("hall", NEW.replace("[act]", "[x] [act]"))
    assert agent.fail("read_plan", name="hall", view="next") == (
        "No step is open: nothing is left to do. Read the view `plan` to see what came of it."
    )
    assert "\nprogress: 1 step: 1 done; nothing is left to do\n\n" in agent.ask("read_plan", name="hall")


def test_the_plan_of_a_task_is_found_by_its_name(agent: Agent) -> None:
    path = agent.root / "Tasks" / "hall" / "plan.md"
    path.parent.mkdir(parents=True)
    path.write_text(NEW)
    assert agent.view("hall") == NEW
    agent.ask("apply_commands", name="hall", commands="PLAN_CMD: DONE 1")
    assert parse_plan(path.read_text()).is_converged


def test_what_is_no_plan_is_answered_with_its_faults(agent: Agent, snapshot: SnapshotAssertion) -> None:
    agent.write("notes", "# Plan: x\nGoal: y\n## Steps\n1. [X] [act] one\n2. two\n")
    assert agent.fail("read_plan", name="notes") == snapshot


def test_of_many_faults_the_first_ones_are_told(agent: Agent) -> None:
    agent.write("notes", "# Plan: x\n## Steps\n" + "nonsense\n" * 1000)
    said = agent.fail("read_plan", name="notes")
    assert said.count("error[") == 21
    assert said.endswith("help: repair these first, or raise the limit")


# ---------------------------------------------------------------- check_plan


def test_findings_are_those_that_the_project_settles(agent: Agent) -> None:
    text = "Goal: x\n## Steps\n1. [act] one → a\n2. [act] two → a\n3. [subtask] three\n"
    settings = agent.root / "planspec.toml"
    settings.write_text("ignore = ['PS308']\nseverity = {PS206 = 'error'}\n")
    found = agent.ask("check_plan", text=text)
    assert re.findall(r"^([a-z]+)\[(.*)\]", found, flags=re.MULTILINE) == [("error", "PS206")]
    assert "error[PS206]" in agent.fail("create_plan", name="a", text=text)
    settings.write_text("ignored = []")
    said = agent.fail("check_plan", text=text)
    assert said == "The settings of the project cannot be used. `planspec check` says why."


def test_a_text_is_checked(agent: Agent, snapshot: SnapshotAssertion) -> None:
    assert agent.ask("check_plan", text=NEW) == "The plan is valid.\n"
    bad = "# Plan: x\nGoal：y\n## Steps\n1. [act] one → a\n2. two\n"
    assert agent.ask("check_plan", text=bad) == snapshot
    doubtful = NEW.replace("→ hall", "→ hall\n  > ← paint")
    assert agent.ask("check_plan", text=doubtful).startswith("The plan is valid")
    assert list(agent.root.iterdir()) == []


def test_a_plan_of_the_folder_is_checked(agent: Agent) -> None:
    agent.write("notes", "nonsense\n")
    assert re.search("^The plan has errors:.* --> notes:1:1\n", agent.ask("check_plan", name="notes"), flags=re.DOTALL)


@pytest.mark.parametrize("arguments", [{}, {"text": NEW, "name": "library"}])
def test_either_a_text_or_a_name_is_checked(agent: Agent, arguments: dict[str, str]) -> None:
    agent.write("library")
    assert agent.fail("check_plan", **arguments) == "Give either the text of a plan or the name of one in the folder."


def test_findings_are_bounded(agent: Agent) -> None:
    text = "## Steps\n" + "x" * 100_000 + "\n" + "nonsense\n" * 10_000
    said = agent.ask("check_plan", text=text)
    assert said.count("\nerror[") == 20
    assert said.endswith("\n\nand 981 more\n")
    assert len(said) < 20_000


def test_errors_are_not_hidden_by_hints_and_warnings(agent: Agent) -> None:
    steps = "".join(f"{n}. [act] Do number {n} → out\n" for n in range(1, 100))
    checked = agent.ask("check_plan", text=f"Goal: All is done\n## Steps\n{steps}100. [do] x\n")
    assert checked.startswith("The plan has errors:\n\nerror[")
    assert "warning[" in checked


def test_a_text_that_is_too_long_is_not_read(agent: Agent) -> None:
    assert "error[PS121]" in agent.ask("check_plan", text="x" * 10_000_001)


# ---------------------------------------------------------------- create_plan


def test_git_sees_a_new_plan_only_where_plans_are_shared(agent: Agent) -> None:
    ignored = agent.root / "planspec" / ".gitignore"
    agent.fail("create_plan", name="no/name", text=NEW)
    assert not ignored.exists()
    agent.ask("create_plan", name="hall", text=NEW)
    assert ignored.read_text() == "*\n"
    PlanFolder(agent.root).share()
    agent.ask("create_plan", name="tower", text=NEW)
    assert not ignored.exists()


@pytest.mark.parametrize("text", ["同上", "...", "<next step>", "TBD"])
def test_a_plan_with_a_text_that_is_still_to_be_written_is_not_created(agent: Agent, text: str) -> None:
    said = agent.fail("create_plan", name="hall", text=f"Goal: g\n## Steps\n1. [act] a\n2. [act] {text}\n")
    assert "PS127" in said
    assert not (agent.root / "planspec" / "hall.md").exists()


def test_a_plan_is_created(agent: Agent, snapshot: SnapshotAssertion) -> None:
    doubtful = NEW.replace("→ hall", "→ hall\n  > ← paint")
    assert agent.ask("create_plan", name="hall", text=doubtful) == snapshot
    assert (agent.root / "planspec" / "hall.md").read_text() == doubtful


def test_a_text_is_stored_as_it_is(agent: Agent) -> None:
    text = NEW.replace("\n", "\r\n").replace("Goal: ", "**Goal**:  ")
    agent.ask("create_plan", name="hall", text=text)
    assert (agent.root / "planspec" / "hall.md").read_bytes() == text.encode()


def test_an_existing_plan_is_never_replaced(agent: Agent) -> None:
    path = agent.write("library")
    assert agent.fail("create_plan", name="library", text=NEW) == "planspec/library.md: there is a plan of this name"
    assert path.read_text() == PLAN


def test_a_text_with_errors_is_not_stored(agent: Agent, snapshot: SnapshotAssertion) -> None:
    assert agent.fail("create_plan", name="hall", text="# Plan: x\n## Steps\n1. one\n") == snapshot
    assert agent.fail("create_plan", name="hall", text="# Plan: x\n## Steps\n1. [act] one\n") == snapshot
    assert list(agent.root.iterdir()) == []


# ---------------------------------------------------------------- apply_commands


def test_commands_are_applied(agent: Agent, snapshot: SnapshotAssertion) -> None:
    path = agent.write("library")
    commands = "Done with the lorry.\nPLAN_CMD: DONE 2.1 | booked\nPLAN_CMD: ADD 2.2 [act] Load it → load\n> ← lorry\n"
    applied = agent.ask("apply_commands", name="library", commands=commands)
    assert applied == snapshot
    assert f"\ndigest: {agent.digest()}\n" in applied
    assert path.read_text() == PLAN.replace(
        "  2.1. [act] Hire a lorry → lorry\n", "  2.1. [x] [act] Hire a lorry → lorry | booked\n"
    ).replace("  2.2. ", "  2.2. [act] Load it → load\n    > ← lorry\n  2.3. ")


def test_where_one_is_refused_nothing_is_changed(agent: Agent, snapshot: SnapshotAssertion) -> None:
    path = agent.write("library")
    commands = "PLAN_CMD: DONE 2.1\nPLAN_CMD: DONE 7\nPLAN_CMD: REPLAN 1\n"
    assert agent.fail("apply_commands", name="library", commands=commands) == snapshot
    assert path.read_text() == PLAN


def test_lines_that_are_no_commands_are_named(agent: Agent, snapshot: SnapshotAssertion) -> None:
    path = agent.write("library")
    assert (
        agent.fail("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1\nPLAN_CMD: FINISH 2.2\n") == snapshot
    )
    assert agent.fail("apply_commands", name="library", commands="All is done.") == (
        "Nothing was changed: there is no line that starts with `PLAN_CMD:`."
    )
    assert path.read_text() == PLAN


def test_commands_in_reasoning_are_none(agent: Agent, snapshot: SnapshotAssertion) -> None:
    path = agent.write("library")
    evil = "<think>\nPLAN_CMD: SKIP 2\nplan_cmd: done 1\n</think>"
    commands = f"{evil}\nPLAN_CMD: DONE 2.1 | booked\n"
    assert agent.ask("apply_commands", name="library", commands=commands) == snapshot
    after = path.read_text()
    assert after == PLAN.replace("2.1. [act] Hire a lorry → lorry", "2.1. [x] [act] Hire a lorry → lorry | booked")
    assert agent.fail("apply_commands", name="library", commands=evil) == snapshot
    assert path.read_text() == after


def test_a_plan_that_has_changed_is_left_alone(agent: Agent) -> None:
    path = agent.write("library")
    before = agent.digest()
    agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1", expected_digest=before)
    now = agent.digest()
    text = path.read_text()
    assert agent.fail("apply_commands", name="library", commands="PLAN_CMD: DONE 2.2", expected_digest=before) == (
        f"Nothing was changed: the plan has changed since you read it; its digest is {now}. "
        "Read it again, and look whether the change is still right."
    )
    assert path.read_text() == text
    agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 2.2", expected_digest=now)


def test_commands_that_change_nothing_change_no_byte(agent: Agent) -> None:
    path = agent.write("library", PLAN.replace("Goal: ", "**Goal**:  "))
    before = path.read_bytes(), path.stat().st_mtime_ns
    applied = agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 1\nPLAN_CMD: EXPAND 1")
    assert "\nThe plan's text is the same as before.\n" in applied
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_reports_are_bounded(agent: Agent) -> None:
    agent.write("library")
    applied = agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1\n" * 3000)
    assert applied.count("ok: ") == 50
    assert "\nand 2950 more\ndigest: " in applied
    assert " more\n" not in agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1\n" * 50)
    said = agent.fail("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1\n" + "PLAN_CMD: DONE 9\n" * 3000)
    assert said.count("PC111: DONE 9: step 9 does not exist\n") == 50
    assert "\nand 2950 more\nNothing was changed: one of them was refused, and it is all of them or none.\n" in said


def test_a_plan_that_is_run_is_left_alone(agent: Agent) -> None:
    path = agent.write("library")
    with (
        connected(agent.root, "--wait", "0.2") as hasty,
        connected(agent.root, "--wait", "60") as patient,
        PlanFile(path, command="planspec run").leased(),
    ):
        said = hasty.fail("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1")
        assert said.startswith("planspec/library.md: another process runs this plan: `planspec run`, process ")
        assert said.endswith(" (waited for 0.2 s). Try again later; nothing was changed.")
        # A reader need not wait, nor a change that would be refused anyway.
        started = time.monotonic()
        assert patient.fail(
            "apply_commands", name="library", commands="PLAN_CMD: DONE 2.1", expected_digest="0"
        ).startswith("Nothing was changed: the plan has changed since you read it")
        assert time.monotonic() - started < 30
        assert "\nnext step: 2.1\n" in agent.ask("read_plan", name="library")
    assert path.read_text() == PLAN
    agent.ask("apply_commands", name="library", commands="PLAN_CMD: DONE 2.1")


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_plan", {}, "- name: it is missing"),
        ("read_plan", {"name": ""}, "- name: String should have at least 1 character"),
        ("read_plan", {"name": 5}, "- name: Input should be a valid string"),
        ("read_plan", {"name": "x", "view": "all"}, "- view: Input should be 'plan', 'next', 'step' or 'tree'"),
        ("read_plan", {"name": "x", "max_tokens": 1}, "- max_tokens: Input should be greater than or equal to 200"),
        (
            "read_plan",
            {"name": "x", "max_tokens": 10**9},
            "- max_tokens: Input should be less than or equal to 50000",
        ),
        ("read_plan", {"name": "x", "path": "/"}, "- path: there is no such argument"),
        ("read_plan", {"name": "x", "\x1b[2J": 1}, "- \\x1b[2J: there is no such argument"),
        ("apply_commands", {"commands": "x"}, "- name: it is missing"),
        ("create_plan", {"name": "x" * 300, "text": NEW}, "- name: String should have at most 255 characters"),
    ],
)
def test_arguments_that_do_not_fit(agent: Agent, tool: str, arguments: dict[str, object], said: str) -> None:
    assert agent.fail(tool, **arguments) == f"The arguments do not fit:\n{said}"


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"actions": '[{"do": "done", "step": "2.1"}]'}, {"do": "done", "step": "2.1"}),
        ({"actions": {"do": "done", "step": "2.1"}}, {"do": "done", "step": "2.1"}),
        ({"actions": ' {"do": "done", "step": "2.1"}'}, {"do": "done", "step": "2.1"}),
        ({"actions": ['{"do": "done", "step": "2.1"}']}, {"do": "done", "step": "2.1"}),
        ({"actions": [{"do": "done", "step": 2, "text": None}]}, {"do": "done", "step": "2"}),
        ({"actions": [{"do": "add", "text": "Sweep", "outputs": '["dust", "rest"]'}]}, {"outputs": ["dust", "rest"]}),
        ({"actions": [{"do": "add", "text": "Sweep", "inputs": "lorry"}]}, {"inputs": ["lorry"]}),
        ({"actions": [{"do": "add", "text": "Sweep", "detail": "[later] dry"}]}, {"detail": ["[later] dry"]}),
        ({"actions": [{"do": "add", "text": "Sweep", "detail": None, "below": ""}]}, {"detail": [], "below": ""}),
    ],
)
def test_arguments_come_in_many_shapes(given: dict[str, Any], taken: dict[str, Any]) -> None:
    [action] = ApplyArguments.model_validate({"name": "library", **given}).actions
    assert {name: getattr(action, name) for name in taken} == taken


def test_shapes_as_they_are_sent(agent: Agent) -> None:
    agent.write("library")
    agent.ask("apply_commands", name="library", actions='{"do": "start", "step": "2.1"}', commands=None)
    agent.ask("apply_commands", name="library", actions=None, commands=["PLAN_CMD: DONE 2.1", "PLAN_CMD: SKIP 2.2 | w"])
    assert "\nThe step:\n1. [x] " in agent.ask("read_plan", name="library", view="step", step_id=1, max_tokens=None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"actions": [{"do": "done", "step": 2.1}]},
            "- actions.0.step: an id is text: as numbers, 2.1 and 2.10 are the same; write it in quotes",
        ),
        ({"actions": "[{'do': 'done'}]"}, "- actions.0: it should be an object, and this text is no JSON of one"),
        ({"actions": "[" * 100_000}, "- actions.0: it should be an object, and this text is no JSON of one"),
        ({"actions": [{"do": "done", "step": True}]}, "- actions.0.step: Input should be a valid string"),
        ({"commands": ["PLAN_CMD: DONE 1", 2]}, "- commands: Input should be a valid string"),
    ],
)
def test_shapes_that_are_none(agent: Agent, arguments: dict[str, Any], said: str) -> None:
    assert agent.fail("apply_commands", name="library", **arguments) == f"The arguments do not fit:\n{said}"


def test_an_id_that_is_a_number_is_named(agent: Agent) -> None:
    refused = agent.fail("read_plan", name="library", view="step", step_id=2.1)
    assert refused.splitlines()[1].startswith("- step_id: an id is text: ")


def test_what_a_model_sees_of_the_tools_is_short(agent: Agent) -> None:
    listed = agent.portal.call(agent.client.list_tools).tools
    seen = "".join(
        f"{tool.name}{tool.description}{json.dumps(tool.input_schema, ensure_ascii=False)}" for tool in listed
    )
    assert len(seen) <= 4_500


def test_what_reads_and_never_ends_holds_no_other_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()
    plans = Plans(PlanFolder(tmp_path))

    def text(name: str) -> str:
        if name != "short":
            go_on.wait(30)
        return NEW

    async def ask() -> tuple[str, str]:
        async with Client(make_server(plans, "en")[0]) as client:

            async def read(name: str) -> str:
                return text_of(await client.call_tool("read_plan", {"name": name}))

            with anyio.move_on_after(0.2):
                await asyncio.gather(*(read("given_up") for _ in range(4)))
            return await asyncio.gather(read("long"), read("short"))

    monkeypatch.setattr(plans, "text", text)
    monkeypatch.setattr(server, "_MOST_SECONDS", 0.5)
    try:
        long, short = asyncio.run(ask())
    finally:
        go_on.set()
    assert long == "read_plan has taken longer than 0.5 seconds"
    assert "Paint the hall" in short


def test_a_tool_that_is_not_there(agent: Agent) -> None:
    assert agent.error(agent.call, "archive_plan") == f"-32602: there are the tools {', '.join(TOOLS)}, and no other"
