"""`planspec log`: what a ledger says, and what is said of files that are none."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve

from planspec_lark.runs import SqliteLedger
from planspec_lark.runs.ledger import RunInfo
from planspec_lark.runs.owner import Owner
from tests.cli.engine_world import OPERATOR, calls, make_world, plain, program, say
from tests.cli.running import command_line, environment, harmless, on_terminal, run

LEDGER = Path("bakery.md.ledger")


@pytest.fixture(autouse=True)
def world() -> None:
    """Two runs: one that a budget has ended, and one that a reflector has helped to its end."""
    make_world(_2=say({"status": "FAIL", "result": "The shop is closed"}))
    assert run("run", "bakery.md", *OPERATOR, "--max-steps", "1", "--input", "a=b").exit_code == 3
    reflector = program("reflector", "cat > /dev/null; echo 'PLAN_CMD: SKIP 2 | not today'\n")
    assert run("run", "bakery.md", *OPERATOR, *reflector, "--new-run", "--input", "list=c").exit_code == 0


def records(*options: str) -> list[dict[str, object]]:
    result = run("log", "bakery.md", "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def change(*statements: str) -> None:
    base = sqlite3.connect(LEDGER)
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()


# ---------------------------------------------------------------- what it says


def test_the_state_of_a_run_that_has_not_ended() -> None:
    with closing(SqliteLedger(LEDGER)) as ledger:
        ledger.begin(RunInfo("new", 1.0))
        (*_, new) = records("--runs")
        assert (new["state"], new["steps"], new["changed"]) == ("interrupted", 0, 1.0)
        owner = Owner.new()
        ledger.acquire("new", owner, seconds=60)
        assert records("--runs")[-1]["state"] == "under way"
        ledger.acquire("new", evolve(owner, host="elsewhere"), seconds=-1, takes_over=True)
        assert records("--runs")[-1]["state"] == "interrupted"
        ledger.acquire("new", evolve(owner, began="before"), seconds=60, takes_over=True)
        assert records("--runs")[-1]["state"] == "interrupted"
        ledger.acquire("new", owner, seconds=60, takes_over=True)
        ledger.release("new", owner)
    assert records("--runs")[-1]["state"] == "interrupted"


def test_json() -> None:
    found = records()
    assert [record["kind"] for record in found][:5] == ["begun", "started", "failed", "reflected", "started"]
    assert [record["seq"] for record in found] == sorted(record["seq"] for record in found)  # type: ignore[type-var]
    done = next(record for record in found if record["step"] == "3.1" and record["kind"] == "done")
    del done["seq"], done["time"], done["hash"]
    assert done.pop("before") != done.pop("after")
    assert done == {
        "kind": "done",
        "step": "3.1",
        "attempt": 1,
        "data": {"result": "60 loaves", "description": "Warm: bake", "names": ["bread"], "llm_calls": 1},
        "outputs": {"bread": 60},
        "changes": {"3.1": {"status": ["active", "done"], "result": ["", "60 loaves"]}},
    }
    assert str(found[0]["plan"]).startswith("# Plan: Bakery\n")


def test_lines_go_on_below_where_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.cli.run_output.terminal_width", lambda: 53)
    lines = plain(run("log", "bakery.md", "--last", "2").stdout).splitlines()
    assert lines == ["TIME  done       4  Open the", " " * 36 + "shop", "TIME  ended      converged"]


def test_colours_on_a_terminal_only() -> None:
    assert b"\x1b[" in on_terminal("log", "bakery.md")
    assert b"\x1b[" not in on_terminal("log", "bakery.md", env={"NO_COLOR": "1"})


def test_a_reader_that_leaves() -> None:
    change(
        "INSERT INTO records "
        "SELECT run, seq + (SELECT max(seq) FROM records) * x, kind, step, hash, attempt, time, data, changes, plan, "
        "before, after "
        "FROM records, (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000) SELECT x FROM n)"
    )
    with subprocess.Popen(
        command_line(["log", "bakery.md"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"begun\n")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 141


# ---------------------------------------------------------------- what is no ledger


@pytest.mark.parametrize("make", [lambda: LEDGER.write_bytes(b""), lambda: change("VACUUM")])
def test_a_ledger_that_was_never_filled(make: object) -> None:
    """Such a file is left behind where a run is killed while it makes its ledger."""
    LEDGER.unlink()
    assert callable(make)
    make()
    result = run("log", "bakery.md")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "Error: bakery.md: there is no run\n")
    listed = run("log", "bakery.md", "--runs")
    assert (listed.exit_code, listed.stdout, listed.stderr) == (2, "", result.stderr)
    before = len(calls())
    assert run("run", "bakery.md", *OPERATOR).exit_code == 0
    assert len(calls()) == before  # all is done already


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET kind = 'danced'",
        "UPDATE records SET time = 1e300",
        'UPDATE records SET data = \'{"names": 3, "faults": 3, "moves": 3}\'',
    ],
)
def test_records_that_no_run_writes(statement: str) -> None:
    change(statement)
    for options in ([], ["--json"], ["--last", "2"]):
        result = run("log", "bakery.md", *options)
        if result.exit_code:
            assert result.exit_code == 2
            assert "this is not a ledger of plans" in result.stderr
        harmless(result.stdout_bytes, colours=False)
    # Only some of these keep anybody from reading it.
    assert run("log", "bakery.md", "--json").exit_code == 2 or "time = 1e300" in statement


def test_nothing_steers_a_terminal() -> None:
    evil = "\\u001b[31m\\u202e\\u009b1m\\nforged"
    for name in ("result", "reason", "outcome", "status", "decision", "commands", "question", "answer", "branch"):
        change(f"UPDATE records SET data = json_set(data, '$.{name}', json('\"{evil}\"'))")
    change(f"UPDATE records SET step = json_extract('\"{evil}\"', '$')")
    for options in ([], ["--json"]):
        shown = harmless(on_terminal("log", "bakery.md", *options), colours=True)
        assert "\\x1b[31m\\u202e" in shown or "\\u001b[31m\\u202e" in shown
        assert "\nforged" not in shown
        harmless(run("log", "bakery.md", *options).stdout_bytes, colours=False)


# ---------------------------------------------------------------- what is over, and what is to stop


def test_who_is_asked_to_stop() -> None:
    assert run("stop", "bakery.md").stdout == "No process is at work on it.\n"
    with closing(SqliteLedger(LEDGER)) as ledger:
        last = ledger.runs()[-1].run
        elsewhere = evolve(Owner.new(), host="elsewhere", process=7)
        ledger.acquire(last, elsewhere, seconds=60)
        assert run("stop", "bakery.md").stdout == f"Asked process 7 on elsewhere to stop run {last}.\n"
        assert (ledger.is_asked_to_stop(last), ledger.is_asked_to_stop(last, now=True)) == (True, False)
        said = f"Asked process 7 on elsewhere to stop run {last} now.\n"
        assert run("stop", "bakery.md", "--now").stdout == said
        # Who asks for less afterwards takes nothing back.
        assert run("stop", "bakery.md").exit_code == 0
        assert ledger.is_asked_to_stop(last, now=True)
    assert "there is no run nosuch" in run("stop", "bakery.md", "--run", "nosuch").stderr
    assert run("stop", "other.md").exit_code == 2
