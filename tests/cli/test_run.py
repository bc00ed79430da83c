"""`planspec run`: what it writes, its exit codes, and the way on from each of them."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread, Timer
from time import monotonic, sleep

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanFile
from planspec_lark.planner.kernel import LEDGER_FILE
from planspec_lark.runs import SqliteLedger
from tests.cli.engine_world import OPERATOR, PLAN, STEPS, calls, make_world, ok, program, say
from tests.cli.planning import STATE
from tests.cli.running import run
from tests.llm.serving import Scripted, Served, fault, fine

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


def test_an_output_is_missing() -> None:
    result = run(*RUN, "--require", "bread", "--require", "keys")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, "Outputs are missing: keys")
    expected = "  planspec run bakery.md --operator 'sh operator.sh' --require bread --require keys --resume"
    assert result.stderr == f"Change bakery.md, then continue with:\n{expected}\n"
    make_world(f"{plan_text()}5. [act] Cut keys → keys\n", _5=ok("Two", keys=2))
    assert run(*go_on(result.stderr)).exit_code == 0


_CLOSED = say({"status": "FAIL", "result": "closed", "retry_after": 0.1})


def test_a_program_asks_for_another_try() -> None:
    make_world(_2=f"if [ -e tried ]; then\n{STEPS['2']}else touch tried\n{_CLOSED}fi\n")
    said = run(*RUN).stdout
    assert re.search(r"\nstarted    2\npostponed  2  closed; again in [01]\.\d+ s\nstarted    2\ndone ", said)


# ---------------------------------------------------------------- continuing, or not


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


# ---------------------------------------------------------------- looking ahead


def test_a_plan_that_another_process_runs_is_waited_for_without_resume_too() -> None:
    run(*RUN)
    with PlanFile("bakery.md").leased():
        said = run(*RUN, "--wait", "0")
        assert (said.exit_code, "another process runs this plan" in said.stderr) == (2, True)
    ending = ExitStack()
    ending.enter_context(PlanFile("bakery.md").leased())
    end = Timer(0.5, ending.close)
    end.start()
    said = run(*RUN, "--wait", "30")
    end.join()
    assert (said.exit_code, "this plan was run before" in said.stderr) == (2, True)


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
    "sleep 60": "`sh` did not end within 0.5 seconds",
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


@pytest.mark.parametrize(
    ("option", "said"), [(("--max-tokens", "500"), "tokens: 500"), (("--max-cost", "0.25"), "cost: 0.25")]
)
def test_a_budget_binds_programs(option: tuple[str, str], said: str) -> None:
    told = say({"status": "OK", "result": "so", "outputs": {"list": 1}, "tokens": 500, "cost": 0.25})
    make_world(_1=told)
    result = run(*RUN, *option)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (3, f"Stopped: the budget is used up: {said}")
    assert calls() == ["1"]


@pytest.mark.parametrize(
    ("line", "ledger"),
    [(("run", "bakery.md"), "bakery.md.ledger"), (("planner", "run"), f"{STATE.parent}/{LEDGER_FILE}")],
)
def test_a_slow_model_is_not_waited_for(served: Served, line: tuple[str, ...], ledger: str) -> None:
    """Not even where interrupts are ignored, as in the background of a script."""
    served.play(Scripted(wait=25))
    make_world("Goal: g\n## Steps\n1. [reason] think\n")
    assert run("planner", "start", "Bake").exit_code == 0

    def ask() -> None:
        while not served.asked:
            sleep(0.05)
        with closing(SqliteLedger(ledger)) as opened:
            opened.ask_to_stop(opened.runs()[-1].run, now=True)

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    thread, began = Thread(target=ask), monotonic()
    thread.start()
    try:
        result = run(*line, "--llm", "qwen")
    finally:
        signal.signal(signal.SIGINT, before)
        thread.join()
    assert (result.exit_code, monotonic() - began < 20) == (3, True)


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
