"""`planspec run` as a process: signals, crashes, disks, terminals, and questions to the person at the terminal."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planspec_lark import parse_plan
from tests.cli.engine_world import OPERATOR, PLAN, STEPS, calls, make_world, ok, program, say
from tests.cli.running import (
    SGR,
    at_work,
    call,
    command_line,
    environment,
    harmless,
    is_gone,
    on_terminal,
    run,
    to_nobody,
    wait_for_pid,
    wait_for_view,
)
from tests.cli.terminals import terminal
from tests.cli.test_run import GO_ON, RUN, go_on, plan_text

SLEEPS = "echo $$ > new; mv new pid; exec sleep 60\n"
ASK = "echo 'INTERACT | Which shop?'\n"


@pytest.fixture(autouse=True)
def world() -> None:
    make_world()


@contextmanager
def buying(*more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run whose second step has begun, and takes a minute."""
    make_world(_2=SLEEPS)
    with at_work([*RUN, *more]) as process:
        yield process
    make_world(plan_text())


# ---------------------------------------------------------------- stopped on the way


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_run_that_is_stopped_goes_on(name: str, code: int) -> None:
    with buying() as process:
        process.send_signal(signal.Signals[name])
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == code
    assert stdout == b"begun\nstarted    1\ndone       1  Flour and salt\nstarted    2\n"
    assert stderr.decode() == f"Stopped. To continue:\n{GO_ON}"
    assert is_gone(int(Path("pid").read_text()))
    assert "1. [x] [reason] List what is missing" in plan_text()
    assert "2. [>] [act] Buy it" in plan_text()
    assert run(*go_on(stderr.decode())).exit_code == 0
    # The step that was at work has begun twice, with the same key.
    lines = Path("calls").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "2", "3", "3.1", "4.1"]
    assert lines[1] == lines[2]


def test_a_run_that_is_asked_to_stop_now_goes_on() -> None:
    with buying() as process:
        wait_for_pid()
        assert run("stop", "bakery.md", "--now").stdout.startswith(f"Asked process {process.pid} on ")
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr.decode()) == (3, f"To continue:\n{GO_ON}")
    assert run(*go_on(stderr.decode())).exit_code == 0


# Four steps that can be done side by side. Each starts a program of its own, and names both.
_FOUR = "Goal: g\n## Steps\n1. [act] so → list\n" + "".join(f"{at}. [act] so\n  > ← list\n" for at in range(2, 6))
_BOTH = "sleep 60 &\necho $$ >> pids\necho $! >> pids\n[ $(wc -l < pids) -lt 8 ] || touch pid\nwait\n"


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_steps_side_by_side_are_stopped_and_go_on(name: str, code: int) -> None:
    make_world(_FOUR, **{f"_{at}": _BOTH for at in range(2, 6)})
    line = [*RUN, "--jobs", "4"]
    with at_work(line) as process:
        began = time.monotonic()
        process.send_signal(signal.Signals[name])
        _, stderr = process.communicate(timeout=40)
        # What is at work is not waited for.
        assert time.monotonic() - began < 20
    assert process.returncode == code
    goes_on = GO_ON.replace("--resume", "--jobs 4 --resume")
    assert stderr.decode() == f"Stopped. To continue:\n{goes_on}"
    pids = [int(pid) for pid in Path("pids").read_text().split()]
    assert len(pids) == 8
    assert all(map(is_gone, pids))
    make_world(plan_text(), **{f"_{at}": ok("so") for at in range(2, 6)})
    assert run(*go_on(stderr.decode())).exit_code == 0
    # What was cut off was begun again with the key that it had, and nothing else was.
    begun = Counter(Path("calls").read_text().splitlines())
    assert {line.split()[0]: count for line, count in begun.items()} == {"1": 1, "2": 2, "3": 2, "4": 2, "5": 2}


def test_two_at_once() -> None:
    with buying() as process:
        before = wait_for_view("bakery.md", "2. [>] [act] Buy it")
        for more in ([], ["--resume"], ["--new-run"]):
            result = run(*RUN, *more, "--wait", "0.1")
            assert (result.exit_code, result.stdout) == (2, "")
            who = f"`planspec run`, process {process.pid} on "
            assert result.stderr.startswith(f"Error: bakery.md: another process runs this plan: {who}")
        # Looking is for everybody.
        assert run("log", "bakery.md").stdout.endswith("started    2\n")
        assert run(*RUN, "--resume", "--dry-run").exit_code == 0
        assert plan_text() == before


def test_a_plan_that_is_gone_while_it_runs() -> None:
    make_world(_2=f"mv bakery.md elsewhere; {STEPS['2']}")
    result = run(*RUN)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: bakery.md: No such file or directory\nTo continue:\n")
    make_world(Path("elsewhere").read_text())
    assert run(*RUN, "--resume").exit_code == 0
    assert calls() == ["1", "2", "3", "3.1", "4.1"]


def test_a_reader_that_leaves_stops_it_and_is_told_how_to_go_on() -> None:
    with subprocess.Popen(
        command_line(RUN), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"begun\n"
        process.stdout.close()
        said = process.stderr.read().decode()
        assert said == f"Error: standard output: Broken pipe\nTo continue:\n{GO_ON}"
        assert process.wait(30) == 2
    assert run(*go_on(said)).exit_code == 0
    done = to_nobody(*RUN, "--resume")
    assert (done.returncode, done.stderr.decode()) == (2, said)


# ---------------------------------------------------------------- disks


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_for_the_output() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command_line(RUN), stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (
        2,
        f"Error: standard output: No space left on device\nTo continue:\n{GO_ON}".encode(),
    )
    assert run(*RUN, "--resume").exit_code == 0


@pytest.mark.parametrize("size", [1000, 300_000])
def test_a_full_disk_for_the_ledger(size: int) -> None:
    """A limit on the size of files stands in for it."""
    make_world(_2=ok("so", goods="x" * 900_000))
    done = subprocess.run(
        command_line(RUN),
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said.startswith(f"Error: {Path('bakery.md.ledger').resolve()}: ")
    if size > 1000:
        assert said.endswith(f"\nTo continue:\n{GO_ON}")
        assert run(*RUN, "--resume").exit_code == 0
    else:
        # Nothing has begun that could continue.
        assert "--resume" not in said
        assert run(*RUN).exit_code == 0


# ---------------------------------------------------------------- terminals


def test_the_picture_shows_where_the_plan_is() -> None:
    with terminal(*RUN) as screen:
        assert screen.wait() == 0
    shown = screen.shown()
    assert "Bakery  1/7 done" in shown
    assert "2  [>]  [ACT]      Buy it → goods" in shown
    assert "started    2" in shown
    assert "Ctrl-C is safe (--resume) · " in shown
    assert " calls of programs and models" in shown
    assert shown.endswith("Progress: 6/7 (86%)\nThe plan has converged.\n")
    # The cursor is hidden while it draws.
    assert screen.written.rfind(b"\x1b[?25h") > screen.written.rfind(b"\x1b[?25l")


@pytest.mark.parametrize(("rows", "columns"), [(5, 20), (24, 80)])
def test_the_picture_fits(rows: int, columns: int) -> None:
    text = "".join(f"{number}. [act] 好的 {'再做一次 ' * 30}\n" for number in range(1, 40))
    make_world(f"Goal: g\n## Steps\n{text}", **{f"_{number}": ok("so" * 50) for number in range(1, 40)})
    with terminal(*RUN, "--max-steps", "30", rows=rows, columns=columns) as screen:
        assert screen.wait() == 3
    # Each display begins by going up to where the one before began: never above the top.
    displays = screen.written.partition("═══".encode())[0].split(b"\x1b[?25h")[0].split(b"\r\x1b[2K")
    assert len(displays) > 30
    for display in displays:
        assert display.strip(b"\r\n").count(b"\n") < rows
    for line in SGR.sub("", b"\n".join(displays).decode().replace("\x1b[1A\x1b[2K", "")).splitlines():
        assert sum(1 + ("\u2e80" < char < "\uffef") for char in line.replace("\x1b[?25l", "")) <= columns, line


def test_a_terminal_that_cannot_be_drawn_on() -> None:
    dumb = on_terminal(*RUN, env={"TERM": "dumb"})
    make_world()
    plain = on_terminal(*RUN, "--new-run", env={"NO_COLOR": "1"})
    assert dumb == plain
    assert b"\x1b" not in plain
    lines = plain.decode().replace("\r\n", "\n").splitlines()
    make_world()
    assert lines[: lines.index("═══ PlanSpec: Bakery ═══")] == run(*RUN, "--new-run").stdout.splitlines()[:-1]


# As JSON spells it.
EVIL = "\\u001b[31m\\u202e\\u009b1m\\nerror[PN999]: forged"
EVIL_PLAN = (
    PLAN.replace("  > ← list\n", "").replace("Buy it", "Buy it\u202e\u200b now").replace("at six", "at \u2066six")
)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_nothing_steers_a_terminal(is_terminal: bool) -> None:
    answer = f'{{"status": "FAIL", "result": "no {EVIL}", "outputs": {{"{EVIL}": "{EVIL}"}}}}'
    fail = "printf 'no \\033[31m\\n\\342\\200\\256model' >&2; exit 1\n"
    evil_steps = {"_1": fail, "_2": say(answer), "_3": "printf '\\033[31m{'\n", "_3_1": say(f'{{"status": "{EVIL}"}}')}
    reflectors = [
        ASK.replace("shop", "\033[31mshop\u202e"),
        "printf '\\033]0;x\\007 \\342\\200\\256RETRY | \\302\\233'\n",
    ]
    seen = ""
    for number, script in enumerate(reflectors):
        make_world(EVIL_PLAN, **evil_steps)
        more = ["--new-run"] if number else []
        arguments = ["run", "bakery.md", *OPERATOR, *program("reflector", script), "--input", "x=\x1b[31m\u202e", *more]
        if is_terminal:
            with terminal(*arguments, columns=500) as screen:
                assert screen.wait() == 1
            seen += screen.shown()
        else:
            seen += harmless(call(*arguments).stdout, colours=False)
    assert "\nerror[PN999]" not in seen
    for text in (
        "no \\x1b[31m\\u202e\\x9b1m error[PN999]: forged",
        *(["Buy it\\u202e\\u200b now"] if is_terminal else []),
    ):
        assert text in seen
    log = call("log", "bakery.md").stdout
    assert "no \\x1b[31m\\u202e\\x9b1m error[PN999]: forged" in harmless(log, colours=False)
    harmless(call("log", "bakery.md", "--json").stdout, colours=False)
    harmless(on_terminal("log", "bakery.md", "--json"), colours=True)


# ---------------------------------------------------------------- questions

UNKNOWN = say({"status": "LACK_OF_INFO", "result": "which shop?"})


def asking() -> tuple[str, ...]:
    """Options with which the second step needs an answer."""
    answered = ok("40 kg", goods=40)
    make_world(_2=f'if grep -q \'"what": "told"\' asked\nthen cp asked seen\n{answered}else\n{UNKNOWN}fi\n')
    return (*RUN, *program("reflector", ASK))


def test_a_question_is_answered() -> None:
    arguments = asking()
    with terminal(*arguments) as screen:
        # Who has typed this did not know of the question.
        screen.wait_for("started    1")
        screen.type("\n")
        screen.wait_for("Answer (without one the step is blocked): ")
        # Who types wants to see where.
        assert screen.written.rfind(b"\x1b[?25h") > screen.written.rfind(b"\x1b[?25l") >= 0
        screen.type("the one in the 市场\n")
        assert screen.wait() == 0
    assert "Step 2: Which shop?" in screen.shown()
    assert "the one in the 市场" in Path("seen").read_text(encoding="utf-8")
    assert "told       2  Which shop? — the one in the 市场\n" in run("log", "bakery.md").stdout


def test_a_question_without_an_answer() -> None:
    arguments = asking()
    with terminal(*arguments) as screen:
        screen.wait_for("is blocked): ")
        screen.type("\n")
        assert screen.wait() == 1
    assert "no answer to the question: Which shop?" in plan_text()


@pytest.mark.parametrize(("key", "jobs"), [("\x03", "1"), ("\x04", "3")])
def test_a_question_is_asked_again_later(key: str, jobs: str) -> None:
    arguments = (*asking(), "--jobs", jobs)
    with terminal(*arguments) as screen:
        screen.wait_for("is blocked): ")
        screen.type(key)
        assert screen.wait() == 130
    said = screen.shown()
    asked_on = GO_ON.replace(" --resume", f" --reflector 'sh reflector.sh' --jobs {jobs} --resume")
    assert said.endswith(f"Stopped. To continue:\n{asked_on}")
    with terminal(*go_on(said)) as screen:
        screen.wait_for("is blocked): ")
        screen.type("any\n")
        assert screen.wait() == 0
    assert calls() == ["1", "2", "2", "3", "3.1", "4.1"]


def test_what_is_typed_may_be_no_text() -> None:
    with terminal(*asking()) as screen:
        screen.wait_for("is blocked): ")
        os.write(screen._ours, b"a \xff\xed\xa0\x80\n")
        assert screen.wait() == 0
    assert "a \ufffd" in Path("seen").read_text(encoding="utf-8")


def test_a_question_stays_out_of_a_pipe() -> None:
    arguments = asking()
    read, write = os.pipe()
    with terminal(*arguments, stdout=write) as screen, open(read, "rb") as output:
        os.close(write)
        screen.wait_for("is blocked): ")
        screen.type("any\n")
        written = output.read()
        assert screen.wait() == 0
    assert "\n".join(written.decode().splitlines()[3:8]) == (
        "started    2\n"
        "failed     2  LACK_OF_INFO: which shop?\n"
        "decided    2  INTERACT | Which shop?\n"
        "told       2  Which shop? — any\n"
        "started    2"
    )


@pytest.mark.parametrize("on_a_terminal", [True, False])
def test_no_question_is_asked(on_a_terminal: bool) -> None:
    arguments = asking()
    if on_a_terminal:
        with terminal(*arguments, "--no-interact") as screen:
            assert screen.wait() == 1
    else:
        assert run(*arguments, stdin="any\n").exit_code == 1
    assert "INTERACT is not possible here" in run("log", "bakery.md").stdout
    assert parse_plan(plan_text()).steps[1].status == "blocked"


def test_ctrl_c_while_the_picture_is_shown() -> None:
    make_world(_2=SLEEPS)
    with terminal(*RUN) as screen:
        screen.wait_for("started    2")
        wait_for_pid()
        screen.type("\x03")
        assert screen.wait() == 130
    assert screen.shown().endswith(f"Stopped. To continue:\n{GO_ON}")
    assert screen.written.rfind(b"\x1b[?25h") > screen.written.rfind(b"\x1b[?25l")
    assert is_gone(int(Path("pid").read_text()))
    make_world(plan_text())
    assert run(*RUN, "--resume").exit_code == 0
