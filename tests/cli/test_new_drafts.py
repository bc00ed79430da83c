"""`planspec new` with a model or a program: what is drafted, what is shown meanwhile, and that nothing is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from planspec_lark.cli import folder as commands
from planspec_lark.folder import FolderError, FolderErrorReason, PlanFolder
from tests.cli.running import at_work, run
from tests.cli.terminals import terminal
from tests.cli.test_folder import HIDDEN
from tests.llm.serving import Served, delta, pieces_of, streamed

GOOD = "Goal: Mend the organ\n## Steps\n1. [act] Take out the pipes → pipes\n2. [act] Clean them\n  > ← pipes\n"
BAD = "Goal: Mend the organ\n## Steps\n1. [reson] Look → it\n"
KEPT = "What has come is kept in planspec/mend.draft.md\n"


def play(served: Served, *answers: str) -> None:
    served.play(*(streamed(*pieces_of(answer)) for answer in answers))


def say(answer: str, name: str = "planner") -> tuple[str, str]:
    Path(f"{name}.txt").write_text(answer)
    return "--planner", f"sh -c 'cat > asked; cat {name}.txt'"


# ---------------------------------------------------------------- what is drafted


def test_a_model_drafts_the_plan(served: Served) -> None:
    play(served, f"Here it is:\n```\n{GOOD}```\n")
    result = run("new", "mend", "--llm", "qwen", "--constraint", "no glue")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "planspec/mend.md\n", HIDDEN)
    assert Path("planspec/mend.md").read_text() == GOOD.replace("## Steps", "Constraints:\n- no glue\n## Steps")
    (asked,) = served.asked
    assert asked.body["model"] == "qwen"
    prompt = asked.body["messages"][0]["content"]
    assert '"task": "mend"' in prompt
    assert '"no glue"' in prompt


def test_a_program_drafts_the_plan() -> None:
    result = run("new", "mend", *say(GOOD))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "planspec/mend.md\n", HIDDEN)
    assert Path("planspec/mend.md").read_text() == GOOD
    asked = Path("asked").read_text()
    assert '"phase": "generation"' in asked
    assert '"task": "mend"' in asked


def test_an_answer_of_no_use_goes_back(served: Served) -> None:
    play(served, BAD, GOOD)
    result = run("new", "mend", "--llm", "qwen")
    assert (result.exit_code, result.stderr) == (0, f"This cannot be used. Asking once more …\n{HIDDEN}")
    assert Path("planspec/mend.md").read_text() == GOOD
    assert "PS202" in served.asked[1].body["messages"][0]["content"]


# ---------------------------------------------------------------- what is of no use


def test_a_draft_that_cannot_be_used_is_kept() -> None:
    result = run("new", "mend", *say(BAD))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[PS202]: step 1: invalid type 'reson'" in result.stderr
    assert result.stderr.endswith(f"The draft cannot be used as it is.\n{HIDDEN}{KEPT}")
    assert sorted(os.listdir("planspec")) == [".gitignore", "mend.draft.md"]
    assert Path("planspec/mend.draft.md").read_text() == BAD
    assert "mend.draft" in run("list").stdout
    again = run("new", "mend", *say(BAD))
    assert again.stderr.endswith("What has come is kept in planspec/mend.draft_2.md\n")


def test_an_answer_that_breaks_off_is_kept(served: Served) -> None:
    served.play(streamed(delta("Goal: Mend the organ\n"), delta("## St"), cut=True))
    result = run("new", "mend", "--llm", "qwen")
    assert (result.exit_code, result.stdout) == (2, "")
    *first, second = result.stderr.splitlines(keepends=True)
    assert "".join(first) == HIDDEN + KEPT
    assert second.startswith("Error: --llm: ")
    assert Path("planspec/mend.draft.md").read_text() == "Goal: Mend the organ\n## St"


def test_a_program_that_fails() -> None:
    result = run("new", "mend", "--planner", "sh -c 'echo no >&2; exit 3'")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: --planner: ")
    assert "3" in result.stderr
    assert not Path("planspec").exists()


def test_an_interrupt_keeps_what_has_come(served: Served) -> None:
    served.play(streamed(delta("Goal: Mend the organ\n"), 60, delta("x")))
    with terminal("new", "mend", "--llm", "qwen") as shown:
        shown.wait_for("Goal: Mend the organ")
        shown.process.send_signal(signal.SIGINT)
        assert shown.wait() == 130
    assert "Stopped." in shown.shown()
    assert Path("planspec/mend.draft.md").read_text() == "Goal: Mend the organ\n"


def test_an_interrupted_program_is_ended() -> None:
    with at_work(["new", "mend", "--planner", "sh -c 'echo $$ > pid.new; mv pid.new pid; sleep 60'"]) as process:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"Stopped.\n")
    assert not Path("planspec").exists()


def test_afterwards_a_signal_does_what_it_did() -> None:
    old = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        assert run("new", "mend", *say(GOOD)).exit_code == 0
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, old)


# ---------------------------------------------------------------- nothing is lost


def test_a_name_that_is_taken_meanwhile() -> None:
    Path("planner.txt").write_text(GOOD)
    result = run("new", "mend", "--planner", "sh -c 'mkdir planspec; echo mine > planspec/mend.md; cat planner.txt'")
    assert (result.exit_code, result.stdout) == (0, "planspec/mend_2.md\n")
    assert result.stderr == f"{HIDDEN}planspec/mend.md: there is a plan of this name\n"
    assert Path("planspec/mend.md").read_text() == "mine\n"
    assert Path("planspec/mend_2.md").read_text() == GOOD


@pytest.mark.parametrize(("answer", "code"), [(GOOD, 2), (BAD, 1)])
def test_what_cannot_be_written_is_printed(monkeypatch: pytest.MonkeyPatch, answer: str, code: int) -> None:
    def create(*_: object) -> Path:
        raise FolderError("the disk is full", FolderErrorReason.UNUSABLE)

    monkeypatch.setattr(PlanFolder, "create", create)
    result = run("new", "mend", *say(answer))
    assert (result.exit_code, result.stdout) == (code, answer)
    assert "the disk is full" in result.stderr


# ---------------------------------------------------------------- wrong calls


# ---------------------------------------------------------------- on a terminal


def test_lines_are_shown_as_they_come(served: Served) -> None:
    head, rest = GOOD.split("2. ", 1)
    served.play(streamed(*map(delta, head), 60, *pieces_of(f"2. {rest}")))
    with terminal("new", "mend", "--llm", "qwen") as shown:
        shown.wait_for("1. [act] Take out the pipes → pipes")
        assert not Path("planspec").exists()
        served.closing.set()
        assert shown.wait() == 0
    assert shown.shown() == f"{GOOD}{HIDDEN}planspec/mend.md\n"


def test_what_comes_cannot_steer_the_terminal(served: Served) -> None:
    play(served, f"\x1b]0;evil\x07 {chr(0x202E)}\x9b31m [red]x[/red]\r\n{GOOD}")
    with terminal("new", "mend", "--llm", "qwen") as shown:
        assert shown.wait() == 0
    assert shown.shown().startswith("\\x1b]0;evil\\x07 \\u202e\\x9b31m [red]x[/red]\n")


def test_the_last_line_may_have_no_end() -> None:
    heard = commands._Heard()
    heard(1, "a\nb")
    heard.end()
    assert heard.text == "a\nb"
