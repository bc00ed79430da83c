"""Commands that write beside others: who waits, who is refused, and that nothing is lost that was said to be done."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from planspec_lark import PlanFile
from tests.cli.running import call, command_line, environment, run, wait_for_view

MANY = "Goal: g\n## Steps\n" + "".join(f"{number}. [act] s{number}\n" for number in range(1, 9))


def start(*arguments: str | Path, before: str = "") -> subprocess.Popen[bytes]:
    """Start the command line, all its streams pipes."""
    return subprocess.Popen(
        command_line(arguments, before),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )


@contextmanager
def at_work() -> Iterator[subprocess.Popen[bytes]]:
    """A run of plan.md, whose operator works until there is a file `go`."""
    Path("plan.md").write_text("Goal: g\n## Steps\n1. [act] a\n2. [act] b\n")
    Path("work.py").write_text(
        "import os, time\n"
        "end = time.monotonic() + 60\n"
        "while not os.path.exists('go') and time.monotonic() < end: time.sleep(0.02)\n"
        'print(\'{"status": "OK", "result": "so"}\')\n'
    )
    with start("run", "plan.md", "--operator", f"{sys.executable} work.py") as process:
        assert process.stdout is not None
        try:
            while not (line := process.stdout.readline()).startswith(b"started"):
                assert line
            yield process
        finally:
            Path("go").touch()
        process.wait(60)


# ---------------------------------------------------------------- nothing is lost


def test_many_at_once() -> None:
    Path("plan.md").write_text(MANY)
    processes = [start("apply", "plan.md") for _ in range(8)]
    for number, process in enumerate(processes, 1):
        assert process.stdin is not None
        process.stdin.write(f"PLAN_CMD: DONE {number}".encode())
        process.stdin.close()
        process.stdin = None
    for number, process in enumerate(processes, 1):
        assert process.communicate(timeout=60) == (f"ok     step {number}: pending → done\n".encode(), b"")
        assert process.returncode == 0
    assert Path("plan.md").read_text() == MANY.replace(". [act]", ". [x] [act]")
    assert ".planspec_plan" not in "".join(os.listdir())


def test_a_slow_pipe() -> None:
    """What is typed until its end comes is there, and what comes is made of that."""
    Path("plan.md").write_text(MANY)
    # Nothing of the plan is read and nothing is locked until all of the input is there.
    with start("apply", "plan.md") as process:
        assert process.stdin is not None
        process.stdin.write(b"PLAN_CMD: SKIP 2\n")
        process.stdin.flush()
        time.sleep(1.5)
        Path("plan.md").write_text(MANY.replace("1. [act]", "1. [reason]"))
        assert PlanFile("plan.md", wait=0).change(lambda text: text.replace("Goal: g", "Goal: another"))
        process.communicate(timeout=60)
        assert process.returncode == 0
    expected = (
        MANY.replace("2. [act]", "2. [~] [act]", 1)
        .replace("1. [act]", "1. [reason]", 1)
        .replace("Goal: g", "Goal: another")
    )
    assert Path("plan.md").read_text() == expected


def test_an_editor_that_saves_what_does_not_fit(here: Path) -> None:
    """The commands meet the text that is there by then."""
    Path("line").write_text("PLAN_CMD: DONE 2.2")
    meddle = (
        "import os\n"
        "real, texts = os.fsync, ['Goal: g\\n## Steps\\n1. [act] a\\n']\n"
        "def fsync(handle):\n"
        "    if texts: open('plan.md', 'w').write(texts.pop())\n"
        "    real(handle)\n"
        "os.fsync = fsync\n"
    )
    done = call("apply", "plan.md", "line", before=meddle)
    assert (done.returncode, done.stderr) == (1, b"1 of 1 commands refused: nothing was changed\n")
    assert done.stdout.startswith(b"PC111")
    assert (here / "plan.md").read_text() == "Goal: g\n## Steps\n1. [act] a\n"


# ---------------------------------------------------------------- beside a run


def test_a_writer_beside_a_run_is_refused_and_the_run_goes_on() -> None:
    Path("line").write_text("PLAN_CMD: SKIP 2")
    Path("repaired").write_text("LINE 4: 2. [act] c\n")
    Path("answer").write_text("Goal: g\n## Steps\n1. [act] a\n")
    Path("other.md").write_text("Goal: other\n## Steps\n1. [act] a\n")
    Path("link.md").symlink_to("plan.md")
    with at_work() as process:
        before = wait_for_view("plan.md", "1. [>] [act] a")
        calls = [
            ("apply", "plan.md", "line"),
            ("apply", "link.md", "line"),
            ("merge", "plan.md", "plan.md", "other.md"),
            ("merge", "other.md", "other.md", "other.md", "-o", "plan.md"),
            ("extract", "answer", "-o", "plan.md"),
        ]
        for arguments in calls:
            result = run(*arguments, "--wait", "0.1")
            assert (result.exit_code, result.stdout) == (2, "")
            name = "link.md" if "link.md" in arguments else "plan.md"
            who = f"another process runs this plan: `planspec run`, process {process.pid} on "
            assert result.stderr.startswith(f"Error: {name}: {who}")
            assert result.stderr.endswith("UTC (waited for 0.1 s)\n")
            assert result.stderr.count("\n") == 1
        # Who reads, and who only looks what would become of it, is not refused.
        assert run("json", "plan.md").exit_code == 0
        assert run("apply", "plan.md", "line", "--dry-run").exit_code == 0
        assert run("fmt", "plan.md", "--wait", "0").exit_code == 0
        assert Path("plan.md").read_text() == before
    assert process.returncode == 0
    assert Path("plan.md").read_text() == "Goal: g\n## Steps\n1. [x] [act] a | so\n2. [x] [act] b | so\n"
    assert not Path("plan.md.lock").exists()


def test_a_run_that_ends_in_time_is_waited_for() -> None:
    with at_work() as process:
        timer = Timer(0.5, Path("go").touch)
        timer.start()
        result = run("apply", "plan.md", "--wait", "60", stdin="PLAN_CMD: SKIP 2")
        assert (result.exit_code, result.stdout) == (0, "ok     step 2: done → skipped\n")
    assert process.returncode == 0
    assert Path("plan.md").read_text() == "Goal: g\n## Steps\n1. [x] [act] a | so\n2. [~] [act] b | so\n"


def test_a_run_that_was_killed_keeps_no_writer_out() -> None:
    with at_work() as process:
        assert Path("plan.md.lock").exists()
        process.kill()
        process.wait(30)
    assert Path("plan.md.lock").exists()
    # Any command there clears it away, one that only reads as well.
    assert run("show", "plan.md").exit_code == 0
    assert not Path("plan.md.lock").exists()


@pytest.mark.parametrize("command", [("show", "plan.md"), ("fmt", "plan.md"), ("check", "plan.md"), ("log", "plan.md")])
def test_what_a_killed_writer_has_left_is_cleared(command: tuple[str, ...]) -> None:
    Path(".planspec_plan-0123456789abcdef.tmp").write_text("half a pl")
    Path("mine.tmp").write_text("mine")
    run(*command)
    assert not Path(".planspec_plan-0123456789abcdef.tmp").exists()
    assert Path("mine.tmp").exists()


def test_the_list_of_plans_clears_it_as_well() -> None:
    Path("planspec").mkdir()
    Path("planspec/.planspec_plan-0123456789abcdef.tmp").write_text("half a pl")
    assert run("list").exit_code == 0
    assert os.listdir("planspec") == []


# ---------------------------------------------------------------- refusals


def test_a_merge_goes_by_what_is_there_when_it_is_written(here: Path) -> None:
    """One of the three may have changed since it was read."""
    Path("base").write_text(MANY)
    Path("ours").write_text(MANY.replace("s1\n", "ours\n"))
    Path("theirs").write_text(MANY.replace("s3\n", "theirs\n"))
    meddle = (
        "import planspec_lark.cli.diff_merge as merge\n"
        "real = merge.changing\n"
        "def changing(file):\n"
        "    text = open('ours').read()\n"
        "    open('ours', 'w').write(text.replace('s5\\n', 'typed\\n'))\n"
        "    return real(file)\n"
        "merge.changing = changing\n"
    )
    for out in ((), ("-o", "./ours")):
        Path("ours").write_text(MANY.replace("s1\n", "ours\n"))
        assert call("merge", "base", "ours", "theirs", *out, before=meddle).returncode == 0
        expected = MANY.replace("s1\n", "ours\n").replace("s3\n", "theirs\n").replace("s5\n", "typed\n")
        assert (here / "ours").read_text() == expected


def test_what_goes_on_says_how_long_to_wait_and_where() -> None:
    Path("planspec").mkdir()
    Path("planspec/it.md").write_text(MANY)
    Path("operator.sh").write_text('echo \'{"status": "OK"}\'')
    result = run("run", "it", "--folder", ".", "--wait", "3", "--operator", "sh operator.sh", "--max-steps", "1")
    assert result.exit_code == 3
    assert "--wait 3" in result.stderr
    assert "--folder ." in result.stderr
