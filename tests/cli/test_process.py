"""The command line as a process: pipes, signals, encodings, missing packages."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import planspec_lark
from planspec_lark.cli import main
from planspec_lark.planspec import GRAMMAR_VERSION
from planspec_lark.syntax.grammars import grammar_path
from tests.cli.running import PLAN, call, command_line, environment, on_terminal, run, to_nobody

# Modules with other commands than `json`.
OTHERS = ["answers", "bulk", "check", "edits", "folder", "grammar", "lsp", "mcp", "planner", "run", "tools", "versions"]


def test_the_script_is_the_command_line() -> None:
    found = [point for point in entry_points(group="console_scripts") if point.name == "planspec"]
    assert found
    assert all(point.load() is main for point in found)


def test_version() -> None:
    result = run("--version")
    said = f"planspec {planspec_lark.__version__} (PlanSpec grammar {GRAMMAR_VERSION})\n"
    assert (result.exit_code, result.stdout) == (0, said)
    first, _, _ = grammar_path("planspec").read_text(encoding="utf-8").partition("\n")
    assert first == f"// PlanSpec grammar {GRAMMAR_VERSION}"


@pytest.mark.parametrize("arguments", [["list"], ["next", "plan.md"], ["check", "plan.md"], ["done", "plan.md", "2.2"]])
def test_the_commands_of_every_day_load_little(here: Path, arguments: list[str]) -> None:
    (here / "planspec").mkdir()
    before = (
        "import atexit, sys; atexit.register(lambda: print({'asyncio', 'ssl', 'rich', 'tomllib'} & {*sys.modules}))"
    )
    assert call(*arguments, before=before).stdout.endswith(b"set()\n")


def test_a_check_that_finds_nothing_loads_nothing_that_explains_or_fixes(here: Path) -> None:
    (here / "good.md").write_text("Goal: g\n## Steps\n1. [act] Sort → rows\n", encoding="utf-8")
    modules = ("planspec.dialect", "planspec.fixer", "cli.fixes", "syntax.prompt_templates")
    unneeded = {f"planspec_lark.{module}" for module in modules}
    before = f"import atexit, sys; atexit.register(lambda: print({unneeded} & {{*sys.modules}}))"
    assert call("check", "good.md", before=before).stdout.endswith(b"set()\n")


def test_a_command_alone_imports_no_other() -> None:
    code = (
        "import sys; from planspec_lark.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted(m for m in sys.modules if m.startswith('planspec_lark.cli.')), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "json", "plan.md"], capture_output=True, env=environment(), check=True, timeout=60
    )
    names = result.stderr.decode().split()
    assert "planspec_lark.cli.plans" in names
    assert not {f"planspec_lark.cli.{name}" for name in OTHERS} & set(names)


def test_standard_input_is_read_as_bytes() -> None:
    """Neither the locale nor the line ends of the platform have a say in what a plan is."""
    crlf = PLAN.replace("\n", "\r\n").encode()
    for env in ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}):
        assert call("fmt", "-", stdin=crlf, env=env).stdout == PLAN.encode()


ENCODINGS = {
    "ascii, strictly": {"PYTHONIOENCODING": "ascii:strict"},
    "C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("env", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("name", ["check", "apply"])
def test_no_encoding_is_too_small(env: dict[str, str], name: str) -> None:
    Path("中.md").write_text("# Plan: 计划 ü\nGoal: → 🎉\n## Steps\n1. [>] [subtask] é\n> 细节\n", encoding="utf-8")
    Path("错.md").write_text("Goal： 计划\n## Steps\n1. [X] [act] é 🎉\n", encoding="utf-8")
    answer = "PLAN_CMD: DONE 1 | 好\n".encode()
    for file in ("中.md", "错.md", "没有.md"):
        arguments = [name, file, *(["--diff"] if name in ("fmt", "apply") else [])]
        result = call(*arguments, env=env, stdin=answer)
        assert b"Traceback" not in result.stderr, result.stderr
        assert result.returncode == {"中.md": 0, "错.md": 1, "没有.md": 2}[file]
    assert b"Traceback" not in on_terminal(name, "中.md", env=env, stdin=answer)


@pytest.mark.parametrize("name", ["show", "check"])
def test_a_reader_that_leaves_gets_no_traceback(name: str) -> None:
    """Like ``planspec show - | head -1``, with more to say than any pipe holds."""
    rows = "".join(f"{number}. [act] {'text ' * 100}\n" for number in range(1, 3001))
    with subprocess.Popen(
        command_line([name, "-"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(f"Goal: x\n## Steps\n{rows}".encode())
        process.stdin.close()
        assert process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        # A check has little to say of it.
        assert process.wait(60) in ((0, 141) if name == "check" else (141,))


@pytest.mark.parametrize(
    "line", ["check plan.md", "done plan.md 2.2 so", "graph plan.md", "list --help", "--help", "--version"]
)
def test_a_reader_that_has_left_is_no_finding(line: str) -> None:
    done = to_nobody(*line.split())
    assert (done.returncode, done.stderr) == (141, b"")
    assert ("2.2. [x]" in Path("plan.md").read_text()) == line.startswith("done")


@pytest.mark.parametrize("arguments", [("check",), ("apply", "plan.md")])
def test_an_interrupt_gets_no_traceback(here: Path, arguments: tuple[str, ...]) -> None:
    with subprocess.Popen(
        command_line([*arguments, "-"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"\n" * 500_000)
        # An interrupt between two reads is seen after the second, so it comes when all is read.
        while int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
            time.sleep(0.05)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        # Its input has not ended, so nothing but the interrupt ends it.
        process.wait(60)
        assert process.returncode != 0
        assert process.stderr is not None
        message = process.stderr.read()
    assert b"Traceback" not in message
    assert message.strip() == b"Aborted!"
    assert sorted(os.listdir(here)) == ["broken.md", "plan.md", "sloppy.md"]


def test_a_missing_module_is_named() -> None:
    hook = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "planspec_lark.cli.app":
            raise ModuleNotFoundError("No module named 'other'", name="other")
sys.meta_path.insert(0, Missing())
"""
    result = call("--help", before=hook)
    assert result.returncode == 1
    assert b"No module named 'other'" in result.stderr


@pytest.mark.parametrize(
    ("stream", "arguments"), [(0, ["check", "-"]), (1, ["show", "plan.md"]), (1, ["json", "plan.md"])]
)
def test_a_closed_stream_gets_no_traceback(stream: int, arguments: list[str]) -> None:
    result = subprocess.run(
        ["sh", "-c", f'exec "$@" {stream}>&-', "sh", *command_line(arguments)],
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in result.stderr
    assert result.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["check", "json"])
def test_a_full_disk_gets_no_traceback(name: str) -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            command_line([name, "-"]),
            input=PLAN.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=60,
            check=False,
        )
    assert b"Traceback" not in result.stderr
    assert os.strerror(errno.ENOSPC).encode() in result.stderr
    assert result.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("check zzz.md", 2),
        ("check zzz.md broken.md", 2),
        ("show broken.md", 1),
        ("bogus", 2),
        ("done plan.md 9", 1),
        ("apply plan.md", 0),
    ],
)
def test_an_exit_code_stays_where_no_message_can_be_written(line: str, code: int) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command_line(line.split()),
            input=b"PLAN_CMD: DONE 2.2 | so",
            stdout=subprocess.PIPE,
            stderr=full,
            env=environment(),
            timeout=60,
            check=False,
        )
    assert done.returncode == code
    assert (b"1 file checked" in done.stdout) == ("zzz.md broken.md" in line)


@pytest.mark.parametrize("arguments", [["check", "broken.md"], ["show", "plan.md"], ["fmt", "--diff", "sloppy.md"]])
def test_colours_only_on_a_terminal(arguments: list[str]) -> None:
    assert b"\x1b[" in on_terminal(*arguments)
    assert b"\x1b[" in on_terminal(*arguments, env={"NO_COLOR": ""})
    assert b"\x1b" not in on_terminal(*arguments, env={"NO_COLOR": "1"})
    result = call(*arguments)
    assert b"\x1b" not in result.stdout + result.stderr
