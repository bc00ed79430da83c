"""`planspec run`: what it writes, its exit codes, and the way on from each of them."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan
from planspec_lark.engine import request_execution
from tests.cli.engine_world import OPERATOR, PLAN, STEPS, calls, make_world, ok, program, say
from tests.cli.running import run
from tests.llm.asking import NO_KEY
from tests.llm.serving import Served, fault, fine

RUN = ("run", "bakery.md", *OPERATOR)
GO_ON = "  planspec run bakery.md --operator 'sh operator.sh' --resume\n"


@pytest.fixture(autouse=True)
def world() -> None:
    make_world()


def plan_text() -> str:
    return Path("bakery.md").read_text(encoding="utf-8")


def go_on(said: str) -> tuple[str, ...]:
    """The arguments of the call that a message says goes on."""
    name, *arguments = shlex.split(said.splitlines()[-1])
    assert name == "planspec"
    return tuple(arguments)


# ---------------------------------------------------------------- how a run ends


def test_converged(snapshot: SnapshotAssertion) -> None:
    result = run(*RUN)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot(name="run")
    assert plan_text() == snapshot(name="plan")
    assert calls() == ["1", "2", "3", "3.1", "4.1"]
    assert sorted(Path().glob("bakery*")) == [Path("bakery.md"), Path("bakery.md.ledger")]


def test_blocked(snapshot: SnapshotAssertion) -> None:
    make_world(_2=say({"status": "FAIL", "result": "The shop is closed"}))
    result = run(*RUN)
    assert result.exit_code == 1
    assert result.stdout == snapshot(name="run")
    hint = "What is blocked stays so until it is reopened. Continue with these two:\n  planspec reopen bakery.md 2\n"
    assert result.stderr == hint + GO_ON
    assert run(*shlex.split(result.stderr.splitlines()[-2])[1:]).exit_code == 0
    make_world(plan_text())
    again = run(*go_on(result.stderr))
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout == snapshot(name="again")
    assert calls() == ["1", "2", "3", "3.1", "4.1", "2"]


LACKING = """\
Goal: Eat
## Steps
1. [act] Eat
  > ← bread
2. [subtask] Bake the bread → bread
  2.1. [act] Knead → bread
3. [x] [act] Buy flour → flour
4. [act] Weigh
  > ← flour
5. [act] Ask
  > ← key
6. [~] [act] Get salt → salt
7. [act] Cook
  > ← salt, bread
8. [act] Wash up → plates
9. [act] Lay the table
  > ← plates
"""


def test_what_blocked_steps_lack() -> None:
    lacking, bad = say({"status": "LACK_OF_INFO", "result": "which?"}), say({"status": "FAIL", "result": "no water"})
    values = {"_2_1": ok("baked", bread=1), "_4": ok("5 kg"), "_7": ok("hot"), "_9": ok("laid")}
    make_world(LACKING, **values, _5=lacking, _8=bad)
    result = run(*RUN)
    assert result.stderr.splitlines()[-3:] == [
        "Inputs of blocked steps are missing: bread, flour, key, salt. --input NAME=TEXT gives one. Continue with:",
        "  planspec reopen bakery.md 8",
        GO_ON.rstrip(),
    ]
    make_world(plan_text(), **{**values, "_1": ok("eaten"), "_5": ok("asked"), "_8": ok("clean", plates=4)})
    given = [word for name in ("bread", "flour", "key", "salt") for word in ("--input", f"{name}=it")]
    for line, more in zip(result.stderr.splitlines()[-2:], ([], given), strict=True):
        said = run(*shlex.split(line)[1:], *more)
        assert said.exit_code == 0
    assert said.stdout.splitlines()[-1] == "The plan has converged."


def test_where_only_inputs_are_missing_nothing_is_to_be_reopened() -> None:
    make_world("Goal: g\n## Steps\n1. [act] c\n  > ← x\n2. [act] d → x\n", _2=ok("d", x=1))
    said = "Inputs of blocked steps are missing: x. --input NAME=TEXT gives one. Continue with:"
    assert run(*RUN).stderr.splitlines()[-2:] == [said, GO_ON.rstrip()]


def test_an_output_is_missing() -> None:
    result = run(*RUN, "--require", "bread", "--require", "keys")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, "Outputs are missing: keys")
    expected = "  planspec run bakery.md --operator 'sh operator.sh' --require bread --require keys --resume"
    assert result.stderr == f"Change bakery.md, then continue with:\n{expected}\n"
    make_world(f"{plan_text()}5. [act] Cut keys → keys\n", _5=ok("Two", keys=2))
    assert run(*go_on(result.stderr)).exit_code == 0


def test_what_is_blocked_beside_what_is_required() -> None:
    make_world(_4_1=say({"status": "FAIL", "result": "The door sticks"}))
    result = run(*RUN, "--require", "bread")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-2:] == [
        "ended      converged: steps are blocked: 4, 4.1",
        "The plan has converged. Steps are blocked: 4, 4.1",
    ]


def test_one_subtask() -> None:
    result = run(*RUN, "--subtask", "4", "--input", "bread=b")
    assert (result.exit_code, result.stderr, calls()) == (0, "", ["4.1"])
    assert run(*RUN, "--dry-run", "--subtask", "3", "--new-run").stdout.splitlines()[0].startswith("3  [decide]")
    result = run(*RUN, "--subtask", "7", "--resume")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: bakery.md: step 7 is not a subtask: there is no such step\n",
    )


def test_a_budget_is_used_up(snapshot: SnapshotAssertion) -> None:
    result = run(*RUN, "--max-steps", "2")
    assert result.exit_code == 3
    assert result.stdout == snapshot
    expected = "  planspec run bakery.md --operator 'sh operator.sh' --max-steps 2 --resume"
    assert result.stderr == f"To continue:\n{expected}\n"
    codes = [result.exit_code]
    while codes[-1] == 3:
        codes.append(run(*go_on(result.stderr)).exit_code)
    assert codes == [3, 3, 0]
    assert calls() == ["1", "2", "3", "3.1", "4.1"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-calls", "1"], "Stopped: the budget is used up: calls of programs and models: 1"),
        (["--max-seconds", "0.000001"], "Stopped: the budget is used up: seconds: 1e-06"),
    ],
)
def test_other_budgets(options: list[str], said: str) -> None:
    result = run(*RUN, *options)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (3, said)
    assert len(calls()) <= 1
    assert run(*RUN, "--resume").exit_code == 0


def test_rounds_are_bounded() -> None:
    planner = program("planner", "cat > asked; echo 'PLAN_CMD: ADD 1 [act] Try again'\n")
    make_world(**{f"_{number}": "exit 1\n" for number in range(1, 9)})
    result = run(*RUN, *planner, "--max-rounds", "2")
    assert result.exit_code == 1
    assert "; 2 rounds are over\n" in result.stdout
    assert result.stdout.count("\nreplanned") == 1


def test_retries_are_bounded(snapshot: SnapshotAssertion) -> None:
    make_world(_1="exit 3\n")
    result = run(*RUN, *program("reflector", "echo 'RETRY | once more'\n"), "--max-retries", "1", "--max-calls", "5")
    assert result.exit_code == 3
    assert result.stdout == snapshot
    assert calls().count("1") == 2


_CLOSED = say({"status": "FAIL", "result": "closed", "retry_after": 0.1})


def test_a_program_asks_for_another_try() -> None:
    make_world(_2=f"if [ -e tried ]; then\n{STEPS['2']}else touch tried\n{_CLOSED}fi\n")
    result = run(*RUN)
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.search(r"\nstarted    2\npostponed  2  closed; again in [01]\.\d+ s\nstarted    2\ndone ", result.stdout)
    tries = [line for line in Path("calls").read_text().splitlines() if line.startswith("2 ")]
    assert (len(tries), len(set(tries))) == (2, 1)
    said = run("log", "bakery.md", "--summary").stdout.splitlines()
    assert [line.split()[:3] for line in said if line.startswith("2 ")] == [["2", "2", "attempts"]]


def test_tries_are_bounded() -> None:
    make_world(_2=_CLOSED)
    result = run(*RUN, "--max-tries", "1")
    assert result.exit_code == 1
    assert "postponed" not in result.stdout
    assert "failed     2  FAIL: closed (tried once)\n" in result.stdout
    assert calls().count("2") == 1


# ---------------------------------------------------------------- continuing, or not


def test_a_plan_that_was_run_before() -> None:
    assert run(*RUN, "--max-steps", "1").exit_code == 3
    before = plan_text()
    for more in ([], ["--dry-run"]):
        result = run(*RUN, *more)
        assert (result.exit_code, result.stdout) == (2, "")
        said = "this plan was run before: --resume continues that run, --new-run begins another"
        assert result.stderr == f"Error: bakery.md: {said}\n"
    assert (plan_text(), calls()) == (before, ["1"])


def test_a_new_run_leaves_alone_what_is_done() -> None:
    assert run(*RUN, "--max-steps", "1").exit_code == 3
    result = run(*RUN, "--new-run")
    # What the first step has produced belongs to the run before.
    assert "blocked    2  inputs are missing: list (step 1 is done without it)" in result.stdout
    assert (result.exit_code, calls()[0]) == (1, "1")
    assert "2" not in calls()
    make_world(PLAN.replace("1. [reason]", "1. [x] [reason]"))
    assert run(*RUN, "--new-run", "--input", "list=flour").exit_code == 0


def test_one_line_begins_a_run_and_resumes_it() -> None:
    assert run(*RUN, "--resume", "--max-steps", "1").exit_code == 3
    assert run(*RUN, "--resume").exit_code == 0
    assert calls() == ["1", "2", "3", "3.1", "4.1"]
    assert len(run("log", "bakery.md", "--runs").stdout.splitlines()) == 1


def test_finished_steps_that_were_edited(snapshot: SnapshotAssertion) -> None:
    assert run(*RUN, "--max-steps", "2").exit_code == 3
    Path("bakery.md").write_text(plan_text().replace("Buy it", "Buy it all"))
    for more in ([], ["--dry-run"]):
        asked = run(*RUN, "--resume", *more)
        assert (asked.exit_code, asked.stdout) == (2, "")
        assert asked.stderr == snapshot(name="asked")
    assert calls() == ["1", "2"]
    assert run(*RUN, "--resume", "--rerun-edited", "--dry-run").stdout == snapshot(name="rerun")
    assert run(*RUN, "--resume", "--keep", "--dry-run").stdout == snapshot(name="keep")
    result = run(*RUN, "--resume", "--rerun-edited", "--max-steps", "1")
    # It was said once: edits made later have to be asked about.
    assert go_on(result.stderr) == (*RUN, "--max-steps", "1", "--resume")
    assert calls() == ["1", "2", "2"]
    assert run(*RUN, "--resume").exit_code == 0
    assert calls() == ["1", "2", "2", "3", "3.1", "4.1"]


def test_finished_steps_that_were_edited_may_stay() -> None:
    assert run(*RUN, "--max-steps", "2").exit_code == 3
    Path("bakery.md").write_text(plan_text().replace("Buy it", "Buy it all"))
    assert run(*RUN, "--resume", "--keep").exit_code == 0
    assert calls() == ["1", "2", "3", "3.1", "4.1"]


# ---------------------------------------------------------------- values


def test_inputs() -> None:
    Path("in.json").write_text('{"bread": 1, "list": ["salt"], "note": "from the file"}')
    make_world(PLAN.replace("1. [reason]", "1. [~] [reason]"), _2=f"cp asked seen\n{STEPS['2']}")
    options = ["--inputs", "in.json", "--input", "note=a=b", "--max-steps", "1"]
    result = run(*RUN, *options)
    assert '"inputs": {\n    "list": [\n      "salt"\n    ]\n  },' in Path("seen").read_text()
    # The ledger has them: a shell's history need not.
    assert go_on(result.stderr) == (*RUN, "--max-steps", "1", "--resume")
    Path("in.json").unlink()
    make_world(plan_text(), _3_1=f"cp asked seen\n{STEPS['3.1']}")
    assert run(*RUN, "--resume").exit_code == 0
    assert '"note": "a=b"' in Path("seen").read_text()


def test_inputs_from_standard_input() -> None:
    make_world(PLAN.replace("1. [reason]", "1. [~] [reason]"), _2=f"cp asked seen\n{STEPS['2']}")
    assert run(*RUN, "--inputs", "-", stdin='{"list": "salt"}').exit_code == 0
    assert '"list": "salt"' in Path("seen").read_text()


@pytest.mark.parametrize("text", ['[["a", 1]]', '{"a": NaN}', '{"a": 1, "a": 2}', '"a"', "", "{", "[" * 3000])
def test_inputs_that_are_no_object(text: str) -> None:
    Path("in.json").write_text(text)
    result = run(*RUN, "--inputs", "in.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error[PJ1")
    assert result.stderr.endswith("\nError: in.json: --inputs takes a JSON object\n")
    assert sorted(os.listdir()) == WRITTEN


def test_inputs_that_are_no_text() -> None:
    Path("in.json").write_bytes(b'{"a": "\xff"}')
    result = run(*RUN, "--inputs", "in.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("\nError: in.json: --inputs takes a JSON object\n")


# ---------------------------------------------------------------- looking ahead

WRITTEN = sorted(["bakery.md", "broken.md", "in.json", "operator.sh", "plan.md", "sloppy.md", "steps"])


def test_dry_run(snapshot: SnapshotAssertion) -> None:
    before = plan_text()
    result = run("run", "bakery.md", "--dry-run", "--input", "bread=x")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot
    assert plan_text() == before
    assert sorted(os.listdir()) == [name for name in WRITTEN if name != "in.json"]


def test_dry_run_of_a_run_that_goes_on(snapshot: SnapshotAssertion) -> None:
    assert run(*RUN, "--max-steps", "1").exit_code == 3
    before = {name: Path(name).read_bytes() for name in os.listdir() if Path(name).is_file()}
    assert run("run", "bakery.md", "--dry-run", "--resume").stdout == snapshot(name="resume")
    assert run("run", "bakery.md", "--dry-run", "--new-run").stdout == snapshot(name="new")
    assert {name: Path(name).read_bytes() for name in os.listdir() if Path(name).is_file()} == before


def test_dry_run_where_all_is_done() -> None:
    assert run(*RUN).exit_code == 0
    result = run(*RUN, "--resume", "--dry-run")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "There is nothing to do.\n")


def test_dry_run_where_all_is_blocked() -> None:
    Path("-shut.md").write_text(
        "Goal: Open\n## Steps\n1. [!] [subtask] Bake\n  1.1. [x] [act] Heat\n  1.2. [!] [act] Knead\n"
    )
    result = run("run", "--dry-run", "--", "-shut.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "There is nothing to do. Steps are blocked: 1.2\n"


def test_a_misspelt_input_is_said_before_the_run_begins() -> None:
    text = "Goal: g\n## Steps\n1. [act] Pack → boxes\n2. [act] Load\n> ← boxs\n"
    make_world(text, _1=ok("packed", boxes=3), _2=ok("loaded"))
    found = "warning[PS316]: step 2: no step produces the input `boxs`\n"
    dry = run("run", "bakery.md", "--dry-run")
    assert (dry.exit_code, dry.stderr[: len(found)]) == (1, found)
    assert dry.stderr.endswith("Inputs cannot come: boxs\n")
    # Who gives it has meant it.
    given = run("run", "bakery.md", "--dry-run", "--input", "boxs=3")
    assert (given.exit_code, given.stderr) == (0, "")
    checked = run("check", "bakery.md", "--run")
    assert checked.exit_code == 1
    assert "error[PE401]: step 2: the input `boxs` cannot come: it has to be given" in checked.stdout
    assert run("check", "bakery.md", "--run", "--input", "boxs=3").exit_code == 0
    assert run("check", "bakery.md", "--input", "boxs=3").exit_code == 2
    result = run(*RUN)
    assert (result.exit_code, result.stderr[: len(found)]) == (0, found)
    # It is said once.
    assert run(*RUN, "--resume").stderr == ""


def test_how_a_blocked_plan_is_reopened() -> None:
    """Only the innermost steps are named: to reopen a container would undo all that is done below it."""
    text = "Goal: Open\n## Steps\n1. [!] [subtask] Bake\n  1.1. [x] [act] Heat\n  1.2. [!] [act] Knead\n"
    Path("-shut.md").write_text(text)
    result = run("run", "--operator", "sh operator.sh", "--", "-shut.md")
    assert result.exit_code == 1
    line = result.stderr.splitlines()[1]
    assert line == "  planspec reopen ./-shut.md 1.2"
    assert run(*shlex.split(line)[1:]).exit_code == 0
    assert Path("-shut.md").read_text() == text.replace("[!] [subtask]", "[>] [subtask]").replace("[!] [act]", "[act]")


# ---------------------------------------------------------------- plans and calls that cannot be used


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
@pytest.mark.parametrize("old", ["[decide]", "## Steps", "3.2."])
def test_a_plan_that_cannot_be_run(old: str, more: list[str], snapshot: SnapshotAssertion) -> None:
    new = {"[decide]": "[choose]", "## Steps": "## Step", "3.2.": "3.1."}[old]
    make_world(PLAN.replace(old, new))
    result = run(*RUN, *more)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot
    assert not list(Path().glob("bakery.md.*"))
    make_world()
    assert run(*RUN).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-", *OPERATOR], "A run needs a file that it can write to."),
        (["bakery.md"], "The steps need an operator: give --operator CMD or --llm MODEL."),
        (["nope", *OPERATOR], "there is no plan `nope`, by name or as a file"),
        (["steps", *OPERATOR], "steps: Is a directory"),
        (["/", *OPERATOR], "/: Is a directory"),
        (["loop", *OPERATOR], "loop: Too many levels of symbolic links"),
        (["bakery.md", "--operator", ""], "--operator: the command cannot be run: there is no program in the command"),
        (["bakery.md", *OPERATOR, "--planner", "'"], "--planner: the command cannot be run: No closing quotation"),
        (
            ["bakery.md", "--operator", "cat x | sh"],
            "--operator: no shell runs this, so `|` would be an argument: write sh -c 'cat x | sh'",
        ),
        (["bakery.md", *OPERATOR, "--timeout", "nan"], "--timeout: nan is out of range"),
        (["bakery.md", *OPERATOR, "--max-seconds", "nan"], "--max-seconds: nan is not above 0"),
        (["bakery.md", *OPERATOR, "--input", "=x"], "--input: expected NAME=TEXT, not '=x'"),
        (["bakery.md", *OPERATOR, "--input", "x"], "--input: expected NAME=TEXT, not 'x'"),
        (["bakery.md", *OPERATOR, "--inputs", "nope"], "nope: No such file or directory"),
        (["bakery.md", *OPERATOR, "--resume", "--new-run"], "--resume and --new-run exclude each other."),
        (["bakery.md", *OPERATOR, "--keep", "--rerun-edited"], "--rerun-edited and --keep exclude each other."),
        (["bakery.md", "--llm", "m"], f"--llm: {NO_KEY}"),
        (
            ["bakery.md", *OPERATOR, "--max-rounds", "0"],
            "Invalid value for '--max-rounds': 0 is not in the range x>=1.",
        ),
        (
            ["bakery.md", *OPERATOR, "--max-steps", "x"],
            "Invalid value for '--max-steps': 'x' is not a valid integer range.",
        ),
    ],
)
def test_wrong_calls(arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    Path("loop").symlink_to("loop")
    before = sorted(os.listdir())
    result = run("run", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == f"Error: {said}"
    assert sorted(os.listdir()) == before


def test_a_ledger_that_is_none() -> None:
    Path("bakery.md.ledger").write_text("my own notes")
    for more in ([], ["--resume"], ["--new-run"]):
        result = run(*RUN, *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "bakery.md.ledger: " in result.stderr
    assert Path("bakery.md.ledger").read_text() == "my own notes"
    assert calls() == []


def test_names_that_look_like_options_or_need_quotes() -> None:
    for name in ("-o.md", "a plan's.md", "100%?#.md"):
        Path(name).write_text(PLAN)
        result = run("run", *OPERATOR, "--max-steps", "1", "--", name)
        assert result.exit_code == 3
        assert run(*go_on(result.stderr)).exit_code == 3


def test_a_link_to_a_plan() -> None:
    Path("link.md").symlink_to("bakery.md")
    assert run("run", "link.md", *OPERATOR, "--max-steps", "1").exit_code == 3
    assert Path("link.md").is_symlink()
    assert run(*RUN, "--resume").exit_code == 0


# ---------------------------------------------------------------- programs


BROKEN = {
    "exit 3": "`sh` ended with exit code 3, and wrote nothing to standard error",
    "echo 'no \033[31mmodel' >&2; exit 4": "`sh` ended with exit code 4: no \\x1b[31mmodel",
    "kill -9 $$": "`sh` was killed by SIGKILL, and wrote nothing to standard error",
    "sleep 60": "`sh` did not end within 0.5 seconds",
    "head -c 100000000 /dev/zero": "`sh` wrote more than 10,000,000 bytes",
    "printf '\\377'": "`sh` wrote something that is not UTF-8, at byte 0",
    "true": "the answer cannot be read: the text is empty",
    "echo '{}'": "the answer cannot be read: the field `status` is missing",
    "printf '\\033[31m'": "the answer cannot be read: the text has no JSON object",
}
ANSWERS = {"echo '{}'": "{}", "printf '\\033[31m'": "\\x1b[31m"}


@pytest.mark.parametrize(("script", "said"), BROKEN.items())
def test_an_operator_that_is_broken_has_failed_at_its_step(script: str, said: str) -> None:
    make_world("Goal: g\n## Steps\n1. [act] one\n2. [act] two\n", _1=f"{script}\n", _2=ok("so"))
    timeout = "0.5" if script == "sleep 60" else "30"
    result = run(*RUN, "--timeout", timeout)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[2] == f"failed     1  FAIL: {said}"
    # An answer that cannot be read is kept: its step may have had effects.
    answers = [f"           1  answer: {answer}"] if (answer := ANSWERS.get(script)) else []
    assert lines[3:-2][: len(answers) + 2] == [*answers, f"blocked    1  {said}", "started    2"]


def test_an_operator_that_reads_nothing() -> None:
    Path("operator.sh").write_text(say({"status": "OK", "result": "so"}))
    make = "Goal: " + "long " * 100_000 + "\n## Steps\n1. [act] one\n"
    Path("bakery.md").write_text(make)
    assert run(*RUN).exit_code == 0


@pytest.mark.parametrize("role", ["operator", "reflector", "planner"])
@pytest.mark.parametrize("options", [(), ("--resume",)])
def test_a_program_that_cannot_be_run_is_noticed_first(role: str, options: tuple[str, ...]) -> None:
    for command, why in (("no-such-program", "there is no such program"), ("./steps/1 x", "it is not an executable")):
        result = run(*RUN, f"--{role}", command, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"Error: --{role}: `{command.split()[0]}` cannot be run: {why}" in result.stderr
    assert (plan_text(), [*Path().glob("bakery*")]) == (PLAN, [Path("bakery.md")])


def test_a_quoted_word_is_an_argument() -> None:
    make_world("Goal: g\n## Steps\n1. [act] one\n")
    Path("say.sh").write_text('echo \'{"status": "OK", "result": "\'"$1"\'"}\'\n')
    assert run("run", "bakery.md", "--operator", "sh say.sh '|'").exit_code == 0
    assert "| \\|\n" in plan_text()


def test_an_operator_that_is_gone() -> None:
    Path("operator").write_text("#!/bin/sh\nrm operator\n. ./operator.sh\n")
    Path("operator").chmod(0o755)
    result = run("run", "bakery.md", "--operator", "./operator")
    assert result.exit_code == 2
    assert result.stdout.endswith("done       1  Flour and salt\nstarted    2\n")
    said = "Error: operator: `./operator` cannot be run: there is no such program"
    assert result.stderr == f"{said}\nTo continue:\n{GO_ON.replace(chr(39) + 'sh operator.sh' + chr(39), './operator')}"
    # The step has not failed, and its first attempt is still at work.
    assert run(*RUN, "--resume").exit_code == 0
    assert [line.split()[1].rpartition(":")[2] for line in Path("calls").read_text().splitlines()[:2]] == ["1", "2"]


@pytest.mark.parametrize("role", ["reflector", "planner"])
def test_others_that_are_broken_end_the_run(role: str) -> None:
    make_world(_2="exit 1\n")
    result = run(*RUN, *program(role, "exit 3\n"))
    assert result.exit_code == 2
    said = "`sh` ended with exit code 3, and wrote nothing to standard error"
    assert result.stderr.startswith(f"Error: {role}: {said}\nTo continue:\n  planspec run bakery.md ")
    repaired = program(
        role, "cat > asked; echo 'PLAN_CMD: SKIP 2 | not today'\n" if role == "reflector" else "cat > /dev/null\n"
    )
    assert run(*RUN, *repaired, "--resume").exit_code == (0 if role == "reflector" else 1)


def test_a_reflector_and_a_planner_at_work(snapshot: SnapshotAssertion) -> None:
    make_world(PLAN.replace("  4.1. [act] Put the bread out → shop\n    > ← bread\n", ""), _2="exit 1\n")
    reflector = program("reflector", "cp /dev/stdin asked.reflector; echo 'PLAN_CMD: SKIP 2 | not today'\n")
    steps = "## Steps\n1. [act] Put the bread out → shop\n"
    planner = program("planner", f"cat > asked.planner; {say(steps)}")
    result = run(*RUN, *reflector, *planner, "--language", "zh")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot(name="run")
    assert plan_text() == snapshot(name="plan")
    for role in ("reflector", "planner"):
        assert '"language": "zh"' in Path(f"asked.{role}").read_text(encoding="utf-8")


def test_what_a_program_gets() -> None:
    make_world("Goal: g\n## Steps\n1. [act] one → out\n", _1=f"env > environment\n{ok('so', out=1)}")
    assert run(*RUN).exit_code == 0
    assert '"phase": "execution"' in Path("asked").read_text()
    key = Path("calls").read_text().split()[1]
    seen = Path("environment").read_text().splitlines()
    assert f"PLANSPEC_KEY={key}" in seen
    assert "PLANSPEC_PHASE=execution" in seen
    assert f'"key": "{key}"' in Path("asked").read_text()
    step = parse_plan(plan_text()).steps[0]
    assert request_execution(step, {}, [], "Goal: g\n## Steps\n1. [>] [act] one → out\n").prompt.splitlines()[0] in (
        Path("asked").read_text()
    )


# ---------------------------------------------------------------- a language model


def test_a_model_for_all_parts(served: Served, snapshot: SnapshotAssertion) -> None:
    make_world("Goal: g\n## Steps\n1. [act] one → a\n2. [subtask] two\n")
    answers = [
        '{"status": "FAIL", "result": "no"}',
        "RETRY | again",
        '{"status": "OK", "result": "so", "outputs": {"a": 1}}',
    ]
    answers += ["## Steps\n1. [act] inside", '{"status": "OK", "result": "done"}']
    served.play(*map(fine, answers))
    result = run("run", "bakery.md", "--llm", "qwen", "--llm-acts", "--language", "zh")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot
    assert [request.body["model"] for request in served.asked] == ["qwen"] * 5
    assert served.asked[0].body["messages"][0]["content"].startswith("# 执行一个步骤\n")


def test_the_answer_of_a_model_is_no_act(served: Served) -> None:
    make_world("Goal: g\n## Steps\n1. [reason] think → a\n2. [act] do it\n> ← a\n3. [reason] conclude\n")
    served.play(*map(fine, ['{"status": "OK", "outputs": {"a": 1}}', '{"status": "OK"}']))
    result = run("run", "bakery.md", "--llm", "qwen")
    assert (result.exit_code, len(served.asked)) == (3, 1)
    assert result.stderr.startswith("The answer of a model is no act: a person does the act steps")
    assert "  planspec done bakery.md 2 'what came of it'\n" in result.stderr
    assert (
        "2  [act] do it\n    ← a: step 1\n    a person does it"
        in run("run", "bakery.md", "--llm", "qwen", "--resume", "--dry-run").stdout
    )
    assert run("done", "bakery.md", "2", "did it").exit_code == 0
    assert run("run", "bakery.md", "--llm", "qwen", "--resume").exit_code == 0
    assert len(served.asked) == 2


def test_a_model_for_what_no_program_does(served: Served) -> None:
    make_world(_2="exit 1\n")
    served.play(fine("PLAN_CMD: SKIP 2 | not today"))
    assert run(*RUN, "--llm", "qwen").exit_code == 0
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    ("option", "said"), [(("--max-tokens", "500"), "tokens: 500"), (("--max-cost", "0.25"), "cost: 0.25")]
)
def test_a_budget_binds_programs(option: tuple[str, str], said: str) -> None:
    told = say({"status": "OK", "result": "so", "outputs": {"list": 1}, "tokens": 500, "cost": 0.25})
    make_world(_1=told)
    result = run(*RUN, *option)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (3, f"Stopped: the budget is used up: {said}")
    assert calls() == ["1"]


def test_tokens_are_a_budget(served: Served) -> None:
    served.play(fine('{"status": "OK", "result": "so", "outputs": {"list": 1, "goods": 1}}'))
    result = run("run", "bakery.md", "--llm", "qwen", "--llm-acts", "--max-tokens", "6")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (3, "Stopped: the budget is used up: tokens: 6")
    # Five for each answer.
    assert len(served.asked) == 2


def test_an_endpoint_that_refuses_the_key(served: Served) -> None:
    served.play(fault(401))
    result = run("run", "bakery.md", "--llm", "qwen", "--llm-acts")
    assert (result.exit_code, result.stdout) == (2, "begun\nstarted    1\n")
    assert result.stderr == (
        "Error: operator: the endpoint refuses the API key (401): so it is\n"
        "To continue:\n  planspec run bakery.md --llm qwen --llm-acts --resume\n"
    )
    assert run(*RUN, "--resume").exit_code == 0


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setitem(sys.modules, "openai", None)
    result = run("run", "bakery.md", "--llm", "qwen")
    assert (result.exit_code, result.stdout) == (2, "")
    said = "Error: --llm: OpenAIChat needs the extra `llm`: pip install 'planspec-lark[llm]'"
    assert result.stderr.splitlines()[-1] == said
    assert not list(Path().glob("bakery.md.*"))


def test_a_missing_extra_is_told_under_the_option_that_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = run(*RUN, "--database", "postgresql://me@here/plans")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == (
        "Error: --database: a ledger in PostgreSQL needs the extra `distributed`: "
        "pip install 'planspec-lark[distributed]'"
    )
    assert calls() == []
