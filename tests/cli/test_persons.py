"""`planspec run --person` and `planspec done --output`: a person does one step of a run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.engine_world import OPERATOR, PLAN, calls, make_world
from tests.cli.running import run

NAMED = PLAN.replace("2. [act] Buy it", "2. buy [act] Buy it")
RUN = ("run", "bakery.md", *OPERATOR, "--person", "buy")


@pytest.fixture(autouse=True)
def world() -> None:
    make_world(NAMED)


def test_a_run_says_what_the_person_has_to_write() -> None:
    result = run(*RUN)
    assert (result.exit_code, calls()) == (3, ["1"])
    assert result.stdout.splitlines()[-2:] == [
        "ended      waiting: step 2 (buy) waits for a person",
        "Step 2 (buy) waits for a person: Buy it",
    ]
    said, done, go_on = result.stderr.splitlines()
    assert said == "When it is done, continue with these two:"
    assert done == "  planspec done bakery.md buy 'what came of it' --output goods=TEXT"
    assert run(*shlex.split(done)[1:]).stdout == "ok     step 2: pending → done, with goods\n"
    assert run(*shlex.split(go_on)[1:]).exit_code == 0
    assert calls() == ["1", "3", "3.1", "4.1"]
    assert "2. [x] buy [act] Buy it → goods | what came of it\n" in Path("bakery.md").read_text()
    records = [json.loads(line) for line in run("log", "bakery.md", "--json").stdout.splitlines()]
    (record,) = [one for one in records if one["kind"] == "done" and one["step"] == "2"]
    assert (record["outputs"], record["data"]["by"]) == ({"goods": "TEXT"}, "person")
    assert [one["kind"] for one in records].count("resumed") == 2


def test_values_from_a_file() -> None:
    run(*RUN)
    Path("goods.json").write_text('{"goods": {"kg": 40}}')
    assert run("done", "bakery.md", "buy", "--outputs", "goods.json").exit_code == 0
    assert run(*RUN, "--resume").exit_code == 0
    assert '"goods": {"kg": 40}' in run("log", "bakery.md", "--json").stdout


def test_the_preview_shows_where_it_stops() -> None:
    result = run(*RUN, "--dry-run")
    row = "2  [act] Buy it\n    ← list: step 1\n    a person does it: the run stops before it\n"
    assert (result.exit_code, row in result.stdout, calls()) == (0, True, [])


def test_outputs_that_are_not_handed_in_are_missed() -> None:
    run(*RUN)
    result = run("done", "bakery.md", "buy", "at the mill")
    assert result.exit_code == 0
    said = "warning: step 2 declares outputs that the run does not get: goods; --output NAME=TEXT gives them\n"
    assert result.stderr == said
    # They can be handed in later; and of a plan that is not run, nothing is missed.
    assert run("done", "bakery.md", "buy", "--output", "goods=40").stderr == ""
    Path("other.md").write_text(NAMED)
    assert run("done", "other.md", "buy", "at the mill").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["buy", "--output", "good=1"], 2, "Error: bakery.md: step 2: declared outputs are missing: goods\n"),
        (["buy", "--output", "goods"], 2, "Error: --output: expected NAME=TEXT, not 'goods'\n"),
        (["buy", "--outputs", "list.json"], 2, "Error: list.json: --outputs takes a JSON object\n"),
        (["buy", "--output", "goods=1", "--diff"], 2, "so there is no --dry-run or --diff of it.\n"),
        (["buy", "3", "--output", "goods=1"], 2, "`3` is a step of this plan"),
        (["bye", "--output", "goods=1"], 1, "bakery.md: nothing was changed\n"),
        (["buy", "--branch", "3.1"], 2, "step 2 is of type act: it is no decision and has no branches\n"),
        (["3", "--branch", "4.1"], 2, "step 3: `4.1` is not one of its branches; the open branches are 3.1, 3.2\n"),
        (["3", "--branch", " "], 2, "Error: --branch: expected the id or the name of a step.\n"),
        (["3", "--branch", "3.1", "--dry-run"], 2, "--branch writes to the ledger, so there is no --dry-run"),
    ],
)
def test_what_is_refused_leaves_no_trace(arguments: list[str], code: int, said: str) -> None:
    run(*RUN)
    Path("list.json").write_text("[1]")
    before = Path("bakery.md").read_text(), run("log", "bakery.md", "--json").stdout
    result = run("done", "bakery.md", *arguments)
    assert (result.exit_code, said in result.stderr) == (code, True), result.stderr
    assert (Path("bakery.md").read_text(), run("log", "bakery.md", "--json").stdout) == before


def test_a_person_chooses_a_branch() -> None:
    make_world(NAMED.replace("3. [decide]", "3. oven [decide]"))
    result = run("run", "bakery.md", *OPERATOR, "--person", "oven")
    assert (result.exit_code, calls()) == (3, ["1", "2"])
    assert result.stdout.splitlines()[-3:] == [
        "Step 3 (oven) waits for a person: Is the oven warm?",
        "  3.1  Warm: bake",
        "  3.2  Cold: heat it first",
    ]
    _, done, go_on = result.stderr.splitlines()
    assert done == "  planspec done bakery.md oven 'what came of it' --branch ID"
    words = [word.replace("ID", "3.2") for word in shlex.split(done)[1:]]
    assert run(*words).stdout == "ok     step 3: pending → active, with branch 3.2\n"
    assert run(*shlex.split(go_on)[1:]).exit_code == 0
    assert calls() == ["1", "2", "3.2", "4.1"]
    assert "3. [x] oven [decide] Is the oven warm? | 3.2: what came of it\n" in Path("bakery.md").read_text()


def test_a_decision_without_a_branch_is_missed() -> None:
    run(*RUN)
    result = run("done", "bakery.md", "3", "it is warm")
    assert (result.exit_code, result.stderr.splitlines()) == (
        0,
        [
            "warning: step 3 is done, but step 3.1 below it is not",
            "warning: step 3 is a decision of which the run does not know the branch; --branch ID gives it",
        ],
    )
