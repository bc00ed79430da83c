"""`planspec run`, `planner`, `tools run` and `log` with a ledger in a database."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.runs import PostgresLedger
from planspec_lark.runs.owner import Owner
from planspec_lark.tool_runner import callables
from tests.cli.engine_world import OPERATOR, PLAN, calls, make_world, say
from tests.cli.planning import SCRIPTS, STATE, write_scripts
from tests.cli.running import run
from tests.runs.postgres import PASSWORD
from tests.toolplan.plans import ATOMS, document, weigh


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANSPEC_DATABASE", raising=False)
    make_world()


def test_a_run_is_in_the_database_and_goes_on_there(database: str) -> None:
    there = ("--database", database)
    # A dry run leaves nothing there.
    assert run("run", "bakery.md", *OPERATOR, *there, "--dry-run").exit_code == 0
    assert "there is no ledger here" in run("log", "bakery.md", *there).stderr
    first = run("run", "bakery.md", *OPERATOR, *there, "--max-steps", "2", "--input", "a=b")
    assert first.exit_code == 3, first.output
    assert not [name for name in os.listdir() if "ledger" in name]
    with closing(PostgresLedger(database, read_only=True)) as ledger:
        (info,) = ledger.runs()
    assert (info.name, info.inputs) == (str(Path("bakery.md").resolve()), {"a": "b"})
    again = run("run", "bakery.md", *OPERATOR, *there)
    assert again.stderr.startswith("Error: bakery.md: this plan was run before")
    ahead = run("run", "bakery.md", *OPERATOR, *there, "--dry-run", "--resume")
    assert ahead.stdout.splitlines()[0].startswith("3  [decide]")
    second = run("run", "bakery.md", *OPERATOR, *there, "--resume")
    assert second.exit_code == 0, second.output
    assert calls() == ["1", "2", "3", "3.1", "4.1"]
    log = run("log", "bakery.md", *there)
    assert [line.split()[2] for line in log.stdout.splitlines()][:3] == ["begun", "started", "done"]
    assert run("log", "bakery.md", *there, "--run", info.run).stdout == log.stdout
    assert run("log", "bakery.md").exit_code == 2
    assert run("stop", *there, "--run", info.run).stdout == "No process is at work on it.\n"


def test_all_runs_of_a_database(database: str) -> None:
    for name in ("one", "two"):
        run("run", "bakery.md", *OPERATOR, "--database", database, "--name", name, "--max-steps", "1")
        Path("bakery.md").write_text(PLAN)
    found = [json.loads(line) for line in run("log", "--database", database, "--json").stdout.splitlines()]
    assert [(one["name"], one["state"], one["steps"]) for one in found] == [("one", "budget", 1), ("two", "budget", 1)]
    assert all(one["changed"] >= one["time"] for one in found)
    (line,) = run("log", "--database", database, "--name", "two").stdout.splitlines()
    assert (line.startswith(found[1]["run"]), line.endswith("  two")) == (True, True)


@pytest.mark.parametrize(
    "command",
    [["run", *OPERATOR, "--resume"], ["done", "4.1", "out", "--output", "shop=open"]],
    ids=["run", "done"],
)
def test_who_holds_the_run_in_the_database_only_is_waited_for(command: list[str], database: str) -> None:
    """Such as a run of the same name in another folder."""
    name, *rest = command
    where = ["--database", database, "--name", "shared"]
    assert run("run", "bakery.md", *OPERATOR, *where, "--max-steps", "2").exit_code == 3
    with closing(PostgresLedger(database)) as ledger:
        info = ledger.last_run("shared")
        assert info is not None
        elsewhere = Owner("elsewhere", 1, "", "other")
        ledger.acquire(info.run, elsewhere, seconds=60)
        busy = run(name, "bakery.md", *rest, *where, "--wait", "0.1")
        assert (busy.exit_code, "another process is working on run" in busy.stderr) == (2, True), busy.output
        ledger.acquire(info.run, elsewhere, seconds=1.5)
        free = run(name, "bakery.md", *rest, *where, "--wait", "60")
        assert free.exit_code == 0, free.output


def test_runs_of_several_plans_are_kept_apart(database: str) -> None:
    Path("other.md").write_text("Goal: g\n## Steps\n1. [act] List what is missing\n")
    for options in (["bakery.md"], ["other.md"], ["other.md", "--new-run"], ["bakery.md", "--name", "x"]):
        assert run("run", *options, *OPERATOR, "--database", database).exit_code == 0

    def count(*options: str) -> int:
        return len(run("log", *options, "--database", database, "--runs").stdout.splitlines())

    assert [count("bakery.md"), count("other.md"), count("bakery.md", "--name", "x"), count("none.md")] == [1, 2, 1, 0]
    assert run("run", "bakery.md", *OPERATOR, "--database", database, "--name", "y", "--resume").exit_code == 0
    assert count("bakery.md", "--name", "y") == 1
    # The last run of all is not this plan's.
    resumed = run("run", "other.md", *OPERATOR, "--database", database, "--resume")
    assert resumed.exit_code == 0, resumed.output


def test_nothing_says_the_password(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_world(_1=say({"status": "FAIL", "result": "no"}))
    blocked = run("run", "bakery.md", *OPERATOR, "--database", database)
    assert blocked.exit_code == 1
    assert "--database 'user=tester dbname=" in blocked.stderr
    gone = run("run", "bakery.md", *OPERATOR, "--database", database + "x", "--resume")
    assert (gone.exit_code, "does not exist" in gone.stderr) == (2, True)
    bad = run("run", "bakery.md", *OPERATOR, "--database", f"postgresql://u:{PASSWORD}@h/d")
    assert (bad.exit_code, "expected postgresql://USER@HOST:PORT/NAME" in bad.stderr) == (2, True)
    monkeypatch.setenv("PLANSPEC_DATABASE", database)
    quiet = run("run", "bakery.md", *OPERATOR, "--resume")
    assert "--database" not in quiet.stderr
    for one in (blocked, gone, bad, quiet):
        assert not [part for part in (PASSWORD, "anybody", "not%2Ffor") if part in one.output + one.stderr]


def test_a_person_hands_in_values_and_decisions_in_a_database(database: str) -> None:
    make_world(PLAN.replace("2. [act] Buy", "2. buy [act] Buy").replace("3. [decide]", "3. oven [decide]"))
    call = ("run", "bakery.md", *OPERATOR, "--person", "buy", "--person", "oven", "--database", database, "--name", "x")
    first = run(*call)
    assert first.exit_code == 3, first.output
    options = shlex.split(first.stderr.splitlines()[1])[-4:]
    assert (options[0], options[2:]) == ("--database", ["--name", "x"])
    there = ("--database", database, "--name", "x")
    done = run("done", "bakery.md", "buy", "--output", "goods=40", *there)
    assert (done.exit_code, done.stdout) == (0, "ok     step 2: pending → done, with goods\n"), done.output
    assert run(*call, "--resume").exit_code == 3
    assert run("done", "bakery.md", "oven", "--branch", "3.2", *there).exit_code == 0
    assert run(*call, "--resume").exit_code == 0
    assert calls() == ["1", "3.2", "4.1"]
    assert run("reopen", "bakery.md", "4.1", *there).stdout == "ok     step 4.1 is open again\n"
    assert run("log", "bakery.md", "--last", "1", *there).stdout.split()[2:4] == ["again", "4.1"]
    assert not [name for name in os.listdir() if "ledger" in name]


def test_a_database_that_is_not_there_is_only_asked_where_it_matters(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANSPEC_DATABASE", database + "x")
    done = run("done", "bakery.md", "2", "40 kg")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "ok     step 2: pending → done\n", "")
    for command in (["done", "bakery.md", "2", "--output", "goods=1"], ["reopen", "bakery.md", "2"]):
        said = run(*command)
        assert (said.exit_code, "does not exist" in said.stderr) == (2, True), said.output
    assert "2. [x] [act]" in Path("bakery.md").read_text()


def test_options_that_do_not_go_together() -> None:
    assert "--name goes with --database" in run("run", "bakery.md", *OPERATOR, "--name", "x").stderr
    assert "--name goes with --database" in run("log", "bakery.md", "--name", "x").stderr
    assert "expected dask://HOST:PORT" in run("run", "bakery.md", *OPERATOR, "--on", "tcp://h:1").stderr


# ---------------------------------------------------------------- planners


def test_a_planner_goes_on_in_another_folder(database: str) -> None:
    write_scripts()
    there = ("--database", database, "--name", "bread")
    assert run("planner", "start", "Bake", *there).exit_code == 0
    first = run("planner", "run", *SCRIPTS, *there, "--max-calls", "2")
    assert first.exit_code == 3, first.output
    assert [name.name for name in STATE.parent.iterdir()] == [STATE.name]
    elsewhere = ("--state", "elsewhere", *there)
    assert run("planner", "show", *elsewhere).stdout == run("planner", "show", *there).stdout
    assert not Path("elsewhere").exists()
    assert run("planner", "run", *SCRIPTS, *elsewhere).exit_code == 0
    log = run("log", ".thinkon", *there)
    assert (log.stdout.splitlines()[0].split("  ", 1)[1], log.exit_code) == ("begun      Bake", 0)
    other = run("planner", "show", "--database", database, "--state", "none")
    assert (other.exit_code, "there is no plan" in other.stderr) == (2, True)


# ---------------------------------------------------------------- tool plans


CALLED: list[str] = []
TOOL_PLAN = document(weigh("flour"), weigh("sugar", depends_on=["flour"]), outputs={"sum": "${sugar.outputs.weight}"})


def weigh_it(inputs: dict[str, Any]) -> dict[str, Any]:
    CALLED.append(inputs["item"])
    return {"weight": 1, "note": ""}


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A call of a plan whose tools count how often they are called."""
    CALLED.clear()
    Path("tools.json").write_text(json.dumps(TOOL_PLAN))
    Path("atoms.json").write_text(json.dumps(ATOMS))
    offered = [EntryPoint("weigh", f"{__name__}:weigh_it", "planspec_lark.atoms")]
    monkeypatch.setattr(callables, "entry_points", lambda group: offered)  # noqa: ARG005
    return ("tools", "run", "tools.json", "--atoms", "atoms.json")


def test_calls_that_are_done_are_not_done_again(database: str, tools: tuple[str, ...]) -> None:
    there = ("--database", database)
    ahead = run(*tools, *there, "--dry-run")
    assert (ahead.exit_code, len(ahead.stdout.splitlines()), CALLED) == (0, 2, [])
    first = run(*tools, *there)
    assert (first.exit_code, CALLED) == (0, ["rye", "rye"]), first.output
    again = run(*tools, *there)
    assert (again.stdout, again.stderr) == (first.stdout, "flour: done before\nsugar: done before\n")
    assert len(CALLED) == 2
    assert [name for name in os.listdir() if "ledger" in name] == []
    log = run("log", "tools.json", *there)
    assert [line.split()[2] for line in log.stdout.splitlines()][:2] == ["begun", "started"]
    run(*tools, *there, "--name", "other")
    assert len(CALLED) == 4
