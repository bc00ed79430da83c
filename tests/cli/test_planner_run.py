"""`planspec planner run`: real programs, well behaved and not, and what is left when they are stopped."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planspec_lark.plan_next import build_planner_prompt, context_to_json, start_context
from planspec_lark.planner import read_state
from tests.cli.planning import PLANNER, SCRIPTS, STATE, message, write_scripts
from tests.cli.running import (
    SGR,
    at_work,
    call,
    harmless,
    is_gone,
    on_terminal,
    run,
    wait_for_view,
)
from tests.llm.serving import Served, answer, completion, fine

GO_ON = "The state of the plan is kept; the same command continues from there.\n"
PLANNER_ONLY = ("--planner", "sh planner.sh", "--executor")
CALL = '{"type": "plan-return", "result": "so"}'


@pytest.fixture(autouse=True)
def begun() -> None:
    write_scripts()
    assert run("planner", "start", "Bake").exit_code == 0


def shell(script: str) -> str:
    Path("script.sh").write_text(script, encoding="utf-8")
    return "sh script.sh"


# ---------------------------------------------------------------- a language model


def test_a_model_plans(served: Served) -> None:
    """What is cut off is asked for again, and each answer has five tokens."""
    cut = answer(completion(message()[:40], "length"))
    served.play(cut, fine(f"So:\n```json\n{message()}\n```"))
    result = run("planner", "run", "--llm", "qwen", "--executor", "sh executor.sh", "--max-tokens", "10")
    said = f"Stopped: the budget is used up: tokens: 10. {GO_ON}"
    assert (result.exit_code, result.stderr) == (3, said)
    assert len(served.asked) == 2
    assert "refused    an answer of the planner" in result.stdout
    assert "opened     1  Bake\n" in result.stdout


def test_a_model_does_the_work(served: Served) -> None:
    served.play(fine(CALL))
    result = run("planner", "run", "--llm", "qwen", "--planner", "sh planner.sh", "--max-calls", "3")
    assert result.exit_code == 3
    assert result.stderr.startswith(
        "The language model does the work: what it gives is a text, and no command is run.\n"
    )
    assert "done       1.1  so\n" in result.stdout


# ---------------------------------------------------------------- the loop


def test_of_very_many_findings_some_are_listed() -> None:
    keys = ", ".join(f'"key {number}": 1' for number in range(500))
    script = shell(f'echo \'{{"type": "plan-next", {keys}}}\'')
    result = run("planner", "run", "--planner", script, "--executor", "true", "--max-refusals", "0")
    events, _, rest = result.stdout.partition("\nfailed")
    _, _, outcome = rest.partition("\nThe plan has failed")
    assert events.count("error[") == outcome.count("error[") == 20
    assert "\n\nBesides these: 482\n" in events
    assert "\n\nErrors besides these: 482\n" in outcome


def test_the_prompt_may_be_sent() -> None:
    script = "cat > got; exit 1"
    options = ["--planner", shell(script), "--executor", "true", "--send", "prompt", "--language", "zh"]
    assert run("planner", "run", *options).exit_code == 2
    assert Path("got").read_text(encoding="utf-8") == build_planner_prompt(start_context("Bake"), language="zh")


def test_tolerant() -> None:
    planner = shell(f"echo 'Here you are:\n```json'\n{PLANNER}\necho '```'")
    options = ["--planner", planner, "--executor", "true", "--max-refusals", "0"]
    assert run("planner", "run", *options, "--max-calls", "1", "--tolerant").exit_code == 3
    assert run("planner", "start", "Bake", "--overwrite").exit_code == 0
    assert run("planner", "run", *options, "--max-calls", "1").exit_code == 1


@pytest.mark.parametrize("where", ["option", "state"])
def test_calls_are_held_to_the_executors(where: str) -> None:
    Path(".thinkon/executors").mkdir()
    file = Path("tools.yaml" if where == "option" else ".thinkon/executors/executors.yaml")
    file.write_text("- id: grill\n")
    options = ["--executors", "tools.yaml"] if where == "option" else []
    result = run("planner", "run", *SCRIPTS, *options, "--max-refusals", "0", "--max-calls", "2")
    assert "refused    1  an answer of the planner\nerror[PN301]: unknown executor `oven`\n" in result.stdout


# ---------------------------------------------------------------- programs that cannot be used


BROKEN_PROGRAMS = {
    "exit 3": "`sh` ended with exit code 3, and wrote nothing to standard error",
    "echo 'no \033[31mmodel' >&2; exit 4": "`sh` ended with exit code 4:\nno \\x1b[31mmodel",
    "sleep 60": "`sh` did not end within 0.3 seconds",
}


@pytest.mark.parametrize(("script", "said"), BROKEN_PROGRAMS.items())
def test_a_planner_that_is_broken_leaves_the_plan_alone(script: str, said: str) -> None:
    before = STATE.read_bytes()
    planner = shell(script)
    timeout = "0.3" if script == "sleep 60" else "30"
    result = run("planner", "run", "--planner", planner, "--executor", "true", "--timeout", timeout)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: planner: {said}\n{GO_ON}"
    assert STATE.read_bytes() == before


# ---------------------------------------------------------------- stopped on the way


@contextmanager
def executing() -> Iterator[subprocess.Popen[bytes]]:
    """A run whose executor has begun, and has named its process in the file `pid`; that waits for a minute."""
    executor = shell("echo $$ > new; mv new pid; sleep 60")
    with at_work(["planner", "run", *PLANNER_ONLY, executor]) as process:
        yield process


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_run_that_is_stopped_goes_on_later(name: str, code: int) -> None:
    with executing() as process:
        before = read_state(".thinkon")
        process.send_signal(signal.Signals[name])
        said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said == (b"opened     1  Bake\nopened     1.1  Mix\n", f"Stopped. {GO_ON}".encode())
    assert is_gone(int(Path("pid").read_text()))
    assert read_state(".thinkon") == before
    assert STATE.read_text() == context_to_json(before) + "\n"
    assert run("planner", "run", *SCRIPTS).exit_code == 0


def test_two_at_once() -> None:
    with executing():
        before = wait_for_view(str(STATE), '"revision": 2')
        for arguments in (("run", *SCRIPTS), ("start", "Fry", "--overwrite")):
            result = run("planner", *arguments)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr == "Error: .thinkon: another process is working on this plan\n"
        # Looking is for everybody.
        assert run("planner", "show").exit_code == 0
        assert STATE.read_text() == before


# ---------------------------------------------------------------- terminals


# As JSON spells it.
EVIL = "\\u001b[31m\\u202e\\u009b1m\\nerror[PN999]: forged"


def test_nothing_steers_a_terminal() -> None:
    script = PLANNER.replace('"Mix", "Rest"', f'"Mix {EVIL}", "Rest"').replace('"oven"', f'"{EVIL}"')
    executor = f"""printf '%s' '{{"type": "plan-return", "result": "{EVIL}"}}'; printf '\\033[31m' >&2"""
    Path("planner.sh").write_text(script)
    options = ["--planner", "sh planner.sh", "--executor"]
    calls = [[*options, shell(executor)], [*options, "printf '\\033[31m{'"], [*options, "\x1b[31m"]]
    calls += [["--planner", "\x1b[31m", "--executor", "true"], [*SCRIPTS, "--state", "\x1b[31m\n"]]
    seen = ""
    for arguments in calls:
        assert run("planner", "start", "Bake", "--overwrite").exit_code == 0
        shown = harmless(on_terminal("planner", "run", *arguments), colours=True)
        assert "Traceback" not in shown
        assert "\nerror[PN999]" not in shown.partition("\nThe ")[0]
        seen += shown
    for text in (
        "opened     1.1  Mix \\x1b[31m\\u202e",
        "done       1.1  \\x1b[31m\\u202e",
        "reached.\n\\x1b[31m\\u202e",
    ):
        assert text in seen


def test_colours_on_a_terminal_only() -> None:
    shown = on_terminal("planner", "run", *SCRIPTS)
    assert b"\x1b[" in shown
    assert run("planner", "start", "Bake").exit_code == 0
    plain = on_terminal("planner", "run", *SCRIPTS, env={"NO_COLOR": "1"})
    assert b"\x1b" not in plain
    assert SGR.sub("", shown.decode()) == plain.decode()
    assert run("planner", "start", "Bake").exit_code == 0
    assert call("planner", "run", *SCRIPTS).stdout.decode().replace("\n", "\r\n") == plain.decode()


def test_lines_go_on_below_where_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.cli.run_output.terminal_width", lambda: 30)
    assert run("planner", "start", "Bake a loaf for all the neighbours", "--overwrite").exit_code == 0
    assert run("planner", "run", *SCRIPTS, "--max-calls", "1").stdout == (
        "opened     1  Bake a loaf for\n" + " " * 9 + "all the neighbours\n"
    )
