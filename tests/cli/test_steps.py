"""Commands that change one step of a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark.document import PlanFile
from tests.cli.running import run

TEXT = """\
# Plan:   Choir
Goal: Sing in May
## Steps

1. [x] [reason] Compare the halls → halls | the church is free
2. rehearse [subtask] Rehearse
    2.1. [reason] Choose the pieces → pieces
        > ← halls
    2.2. [ ] [act]  Sing them through → sound
        > ← pieces
3. poster [act] Print the poster
    > ← halls
4. [act] Sweep up
"""


@pytest.fixture(autouse=True)
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "choir.md"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("arguments", "said", "old", "new"),
    [
        (["start", "2.2"], "step 2.2: pending → active", "2.2. [ ] [act]  Sing", "2.2. [>] [act] Sing"),
        (
            ["done", "poster", "fifty", "copies"],
            "step 3: pending → done",
            "3. poster [act] Print the poster",
            "3. [x] poster [act] Print the poster | fifty copies",
        ),
        (["done", "1"], "step 1: done → done", "", ""),
        (
            ["block", "4", "no", "brooms"],
            "step 4: pending → blocked",
            "4. [act] Sweep up",
            "4. [!] [act] Sweep up | no brooms",
        ),
        (["skip", "4"], "step 4: pending → skipped", "4. [act]", "4. [~] [act]"),
        (["skip", "4", ""], "step 4: pending → skipped", "4. [act]", "4. [~] [act]"),
        (
            ["reopen", "1"],
            "step 1 is open again",
            "1. [x] [reason] Compare the halls → halls | the church is free",
            "1. [reason] Compare the halls → halls",
        ),
        (["rename", "4", "broom"], "step 4 is called broom", "4. [act]", "4. broom [act]"),
        (["rename", "poster", ""], "step 3 has no name", "3. poster [act]", "3. [act]"),
        (["remove", "4"], "step 4 removed", "4. [act] Sweep up\n", ""),
        (
            ["remove", "poster", "--renumber"],
            "step 3 removed, 1 step after it moved down by one",
            "3. poster [act] Print the poster\n    > ← halls\n4. ",
            "3. ",
        ),
        (
            ["move", "4", "3"],
            "step 4 moved to 3, 1 step after it moved up by one",
            "3. poster [act] Print the poster\n    > ← halls\n4. [act] Sweep up\n",
            "3. [act] Sweep up\n4. poster [act] Print the poster\n    > ← halls\n",
        ),
        (["add", "Count", "the", "money"], "step 5 added", "Sweep up\n", "Sweep up\n5. [act] Count the money\n"),
        (
            [
                "add",
                "Warm up → a | b",
                "--below",
                "rehearse",
                "--type",
                "reason",
                "--name",
                "warm",
                "--output",
                "voices",
            ],
            "step 2.3 added",
            "        > ← pieces\n",
            "        > ← pieces\n    2.3. warm [reason] Warm up → a \\| b → voices\n",
        ),
        (
            ["add", "Pay", "--at", "4", "--input", "halls", "--detail", "in cash"],
            "step 4 added, 1 step after it moved up by one",
            "4. [act] Sweep up",
            "4. [act] Pay\n    > ← halls\n    > in cash\n5. [act] Sweep up",
        ),
    ],
)
def test_what_each_does(plan: Path, arguments: list[str], said: str, old: str, new: str) -> None:
    name, *rest = arguments
    result = run(name, "choir.md", *rest)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"ok     {said}\n", "")
    assert TEXT.count(old) == 1 or not old
    assert plan.read_text() == TEXT.replace(old, new) if old else TEXT


def test_a_step_that_is_done_says_what_came_of_it(plan: Path) -> None:
    result = run("done", "choir.md", "4")
    assert (result.exit_code, result.stdout) == (0, "ok     step 4: pending → done\n")
    assert result.stderr.startswith("warning: step 4 is done without a result")
    assert "4. [x] [act] Sweep up\n" in plan.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["done", "9"], "PC111  no step has the id or name `9`\n"),
        (["start", "\x1b[2J"], "PC111  no step has the id or name `\\x1b[2J`\n"),
        (["rename", "4", "a b"], "PC118  RENAME 4: step_name: 'a b' is not a name (letters, digits, `_` and `-`)\n"),
        (["rename", "4", "7"], "PC118  RENAME 4: a name cannot be a number alone, as ids are: `7`\n"),
        (["add", "x", "--name", "2"], "PC118  ADD 5: a name cannot be a number alone, as ids are: `2`\n"),
        (["rename", "4", "2.1"], "PC118  RENAME 4: step_name: '2.1' is not a name (letters, digits, `_` and `-`)\n"),
        (["rename", "4", "poster"], "PC120  RENAME 4: another step already has the name `poster`\n"),
        (["move", "2", "2.1"], "PC119  MOVE 2 to 2.1: a step cannot move below itself\n"),
        (
            ["add", "x", "--below", "poster"],
            "PC113  ADD 3.1: step 3 is of type `act`, which cannot have children\n",
        ),
        (
            ["add", "x", "--type", "do"],
            "PC114  ADD 5: unknown type `do`; the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`\n",
        ),
    ],
)
def test_what_is_refused(plan: Path, arguments: list[str], said: str) -> None:
    name, *rest = arguments
    result = run(name, "choir.md", *rest)
    assert (result.exit_code, result.stderr) == (1, "choir.md: nothing was changed\n")
    assert result.stdout == said
    assert plan.read_text() == TEXT


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["done", "1", "2", "3"], "`2`, `3` are steps of this plan, and a call changes one step. "),
        (["done", "1", "poster"], "`poster` is a step of this plan, and a call changes one step. "),
        (["skip", "1", "2.1", "poster"], "`2.1`, `poster` are steps of this plan, and a call changes one step. "),
        (["block", "1", "4"], "`4` is a step of this plan, and a call changes one step. "),
        (["done", "1", "no", "--result", "yes"], "--result and TEXT both say what came of it."),
        (["add", "Pay", "--at", "4", "--below", "2"], "--at and --below both say where it goes."),
        (["add", "", " "], "TEXT is empty: it says what the step is to do."),
    ],
)
def test_calls_that_most_likely_mean_something_else(plan: Path, arguments: list[str], said: str) -> None:
    name, *rest = arguments
    result = run(name, "choir.md", *rest)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Error: {said}" in result.stderr
    assert plan.read_text() == TEXT


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (["2", "3", "copies"], "2 3 copies"),
        (["2 3"], "2 3"),
        (["7"], "7"),
        (["--result", "3"], "3"),
        (["--result", " 2 \n 3 "], "2 3"),
    ],
)
def test_a_result_may_have_ids_in_it(plan: Path, arguments: list[str], result: str) -> None:
    assert run("done", "choir.md", "4", *arguments).exit_code == 0
    assert plan.read_text() == TEXT.replace("4. [act] Sweep up", f"4. [x] [act] Sweep up | {result}")


def test_a_name_of_several_steps(plan: Path) -> None:
    plan.write_text(TEXT.replace("4. [act]", "4. poster [act]"))
    result = run("done", "choir.md", "poster")
    assert (result.exit_code, result.stdout) == (1, "PC111  several steps have the name `poster`: 3, 4\n")


def test_an_id_counts_more_than_a_name(plan: Path) -> None:
    plan.write_text(TEXT.replace("4. [act]", "4. 2 [act]"))
    assert run("start", "choir.md", "2").stdout == "ok     step 2: pending → active\n"


def test_what_stands_around_a_reopened_step_is_open_as_well(plan: Path) -> None:
    plan.write_text(
        "## Steps\n1. [x] [subtask] a | all done\n  1.1. [x] [act] b | done\n  1.2. [x] [act] c\n2. [x] [act] d\n"
    )
    result = run("reopen", "choir.md", "1.2", "2")
    assert result.stdout == "ok     step 1.2 is open again\nok     step 2 is open again\n"
    assert plan.read_text() == ("## Steps\n1. [>] [subtask] a\n  1.1. [x] [act] b | done\n  1.2. [act] c\n2. [act] d\n")
    assert run("reopen", "choir.md", "1").stdout == "ok     step 1 is open again, with 2 steps below it\n"
    assert plan.read_text() == "## Steps\n1. [subtask] a\n  1.1. [act] b\n  1.2. [act] c\n2. [act] d\n"


def test_the_change_alone_is_shown(plan: Path) -> None:
    shown = run("done", "choir.md", "4", "swept", "--diff", "--dry-run")
    assert shown.stderr == "ok     step 4: pending → done\n"
    lines = [line for line in shown.stdout.splitlines() if line[0] in "+-"]
    assert lines[2:] == ["-4. [act] Sweep up", "+4. [x] [act] Sweep up | swept"]
    assert plan.read_text() == TEXT


def test_from_standard_input() -> None:
    result = run("done", "-", "4", "swept", stdin=TEXT)
    assert (result.exit_code, result.stderr) == (0, "ok     step 4: pending → done\n")
    assert result.stdout == TEXT.replace("4. [act] Sweep up", "4. [x] [act] Sweep up | swept")


def test_what_is_no_plan(plan: Path) -> None:
    plan.write_text("## Steps\n1. [act Sweep\n")
    result = run("done", "choir.md", "1")
    assert (result.exit_code, "choir.md: left as it is, since it is not a plan" in result.stderr) == (1, True)
    assert "planspec tools" not in result.stderr
    assert run("done", "none.md", "1").exit_code == 2


def test_a_plan_that_is_run(plan: Path) -> None:
    with PlanFile(plan).leased():
        result = run("done", "choir.md", "4", "--wait", "0")
    assert (result.exit_code, "runs this plan" in result.stderr) == (2, True)


# ---------------------------------------------------------------- folders


def test_a_folder_that_requires_results() -> None:
    said = run("new", "Sing in May", "--name", "choir", "--require-result").stderr
    assert said.startswith("planspec/: steps of its plans are done only with a result\n")
    before = Path("planspec/choir.md").read_bytes()
    refused = run("done", "choir", "1")
    assert (refused.exit_code, refused.stdout[:6]) == (1, "PC122 ")
    assert run("apply", "choir", stdin="PLAN_CMD: DONE 1\n").exit_code == 1
    assert run("apply", "planspec/choir.md", "--keep-going", stdin="PLAN_CMD: DONE 1\n").stdout[:6] == "PC122 "
    assert Path("planspec/choir.md").read_bytes() == before
    assert run("done", "choir", "1", "two halls").exit_code == 0
    assert run("done", "choir", "1").exit_code == 0
    assert run("apply", "choir", stdin="PLAN_CMD: DONE 2 | sung\n").exit_code == 0
    # A plan elsewhere is not of the folder.
    assert run("done", "choir.md", "4").exit_code == 0
    assert "now and later" not in run("new", "choir", "--require-result").stderr


def test_settings_that_are_none(tmp_path: Path) -> None:
    run("new", "Sing in May", "--name", "choir")
    (tmp_path / "planspec" / "settings.toml").write_text("require_result = 1\n")
    result = run("done", "choir", "1")
    assert (result.exit_code, result.stderr) == (
        2,
        f"Error: {tmp_path}/planspec/settings.toml: require_result is true or false\n",
    )


# ---------------------------------------------------------------- next --all


def test_all_that_can_be_worked_on() -> None:
    result = run("next", "choir.md", "--all")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "2.1. [reason] Choose the pieces → pieces\n3. poster [act] Print the poster\n"
    assert run("done", "choir.md", "2.1", "three").exit_code == 0
    ids = [line.split()[0] for line in run("next", "choir.md", "--all").stdout.splitlines()]
    assert ids == ["2.2.", "3."]
    assert '"id": "3"' in run("next", "choir.md", "--all", "--json").stdout
    assert run("next", "choir.md", "--all", "--max-tokens", "9").exit_code == 2
