"""Programs that answer: real processes, well behaved and not."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from planspec_lark.llm import LlmError, Program, ProgramError, process
from tests.timing import with_longer_limits

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
SLEEP = "import time; time.sleep(90)"
# Something that a program starts and leaves after, with its number on standard error: in the program's own group, or in
# another, as GNU `timeout` does.
LEAVE = "import subprocess, sys; p = subprocess.Popen(['sleep', '90']); print(p.pid, file=sys.stderr, flush=True)"
LEAVE_IN_A_GROUP = LEAVE.replace("'90']", "'90'], process_group=0")


def ask(program: Program, text: str = "", **more: Any) -> str:
    return program.complete(text, **more)


@pytest.fixture(autouse=True)
def no_child_survives() -> Iterator[None]:
    """Nor do threads or open files."""
    me = psutil.Process()
    # A pool of processes in another test leaves one that tracks what it shares.
    children = me.children(recursive=True)
    files, threads = me.num_fds(), threading.active_count()
    yield
    assert [child for child in me.children(recursive=True) if child not in children] == []
    assert threading.active_count() <= threads
    assert me.num_fds() <= files


def python(code: str, **settings: Any) -> Program:
    return Program([sys.executable, "-S", "-c", code], **settings)


def failure(program: Program, text: str = "", **more: Any) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        ask(program, text, **more)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return caught.value


def name(program: Program) -> str:
    return f"`{program.command[0]}`"


def is_gone(number: int) -> bool:
    """Whether a process is gone, or at least dead: another process has to take note of the end of an orphan."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            if psutil.Process(number).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("text", ["", "Grüße 🙂", "a\r\nb\n\n", " \x00\x1b ", "\ufeffx", "x" * 3_000_000], ids=range(6))
def test_text_in_and_text_out(text: str) -> None:
    assert ask(python(ECHO), text) == text


def test_it_reads_and_writes_at_the_same_time() -> None:
    """More than any pipe holds, in both directions and to standard error."""
    code = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stderr.buffer.write(line)"
    text = "0123456789\n" * 100_000
    assert ask(python(code), text) == text


@pytest.mark.parametrize("code", ["print('so')", "import os; os.close(0); print('so')"])
def test_a_program_may_ignore_its_input(code: str) -> None:
    assert ask(python(code), "x" * 1_000_000) == "so\n"


def test_a_program_may_close_its_output_and_go_on(tmp_path: Path) -> None:
    mark = tmp_path / "done"
    code = f"import os, time; os.write(1, b'so'); os.close(1); os.close(2); time.sleep(0.3); open({str(mark)!r}, 'w')"
    assert ask(python(code)) == "so"
    assert mark.exists()


def test_its_folder_and_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_TEST_A", "mine")
    monkeypatch.setenv("LLM_TEST_B", "mine")
    code = "import os; print(os.getcwd(), *(os.environ[f'LLM_TEST_{name}'] for name in 'ABCD'))"
    program = python(code, cwd=tmp_path, env={"LLM_TEST_B": "its", "LLM_TEST_C": "its"})
    answer = ask(program, env={"LLM_TEST_C": "now", "LLM_TEST_D": "now"})
    assert answer == f"{os.path.realpath(tmp_path)} mine its now now\n"
    assert "LLM_TEST_D" not in os.environ


def test_no_shell_sees_the_command() -> None:
    code = "import sys; print(sys.argv[1:])"
    program = Program([sys.executable, "-c", code, "$HOME; exit 1", "*", "a b"])
    assert ask(program) == "['$HOME; exit 1', '*', 'a b']\n"


def test_a_program_that_fails() -> None:
    program = python("import sys; print('half'); sys.exit('bad\\x1b[31m \\udc80 end')")
    error = failure(program)
    assert str(error) == f"{name(program)} ended with exit code 1:\nbad\\x1b[31m \\udc80 end"
    assert (error.exit_code, error.stderr) == (1, "bad\\x1b[31m \\udc80 end")
    assert (error.retryable, error.status, error.reply) == (False, None, None)
    assert isinstance(error, LlmError)


def test_a_program_that_fails_in_silence() -> None:
    program = python("raise SystemExit(3)")
    error = failure(program)
    assert str(error) == f"{name(program)} ended with exit code 3, and wrote nothing to standard error"
    assert (error.exit_code, error.stderr) == (3, "")


@pytest.mark.parametrize(
    ("number", "shown"), [(signal.SIGKILL, "SIGKILL"), (signal.SIGSEGV, "SIGSEGV"), (40, "signal 40")]
)
def test_a_program_that_is_killed(number: int, shown: str) -> None:
    program = python(f"import os; os.kill(os.getpid(), {int(number)})")
    error = failure(program)
    assert str(error) == f"{name(program)} was killed by {shown}, and wrote nothing to standard error"
    assert error.exit_code == -number


def test_only_the_end_of_standard_error_is_kept() -> None:
    code = "import os, sys\nfor n in range(200_000): print(f'line {n}', file=sys.stderr)\nos._exit(1)"
    error = failure(python(code))
    lines = error.stderr.split("\n")
    assert lines[0].startswith("…line ")
    assert lines[-1] == "line 199999"
    assert 1900 < len(error.stderr) <= 2000
    code = "import sys; sys.exit('é' * 5000)"
    assert failure(python(code)).stderr == "…" + "é" * 2000


def test_a_program_that_takes_too_long() -> None:
    code = f"import sys; print('why', file=sys.stderr, flush=True); {SLEEP}"

    def check(limit: float) -> None:
        program = python(code, timeout=limit)
        start = time.monotonic()
        error = failure(program, "x" * 1_000_000)
        assert limit <= time.monotonic() - start < limit + 30
        assert str(error) == f"{name(program)} did not end within {limit:g} seconds:\nwhy"
        assert (error.retryable, error.exit_code) == (True, None)

    with_longer_limits(check, 0.5)


def test_a_program_that_stops_reading() -> None:
    """There is some room in the pipe, but not for all that is to be written."""
    program = python("import os, time; os.read(0, 5000); time.sleep(90)", timeout=0.4)
    start = time.monotonic()
    assert "did not end within" in str(failure(program, "x" * 1_000_000))
    assert time.monotonic() - start < 30


def test_a_fault_of_our_own_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("as it happens")

    monkeypatch.setattr(process._Run, "follow", fail)
    with pytest.raises(RuntimeError, match="as it happens"):
        ask(python(SLEEP))


def test_a_program_that_cannot_be_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that has become another user's."""

    def refuse(*_: int) -> None:
        raise PermissionError

    with monkeypatch.context() as context:
        context.setattr(os, "killpg", refuse)
        context.setattr(os, "kill", refuse)
        context.setattr(process, "_EXIT_TIMEOUT", 0.1)
        start = time.monotonic()
        assert "did not end within" in str(failure(python(SLEEP, timeout=0.1)))
        assert time.monotonic() - start < 30
    for child in psutil.Process().children():
        child.kill()
        child.wait()


def test_a_program_that_writes_too_much() -> None:
    program = python("import os\nwhile True: os.write(1, b'x' * 60_000)", max_bytes=1_000_000)
    error = failure(program)
    assert str(error) == f"{name(program)} wrote more than 1,000,000 bytes"
    assert error.retryable is False


def test_a_program_that_writes_as_much_as_it_may() -> None:
    assert ask(python("print('x' * 99)", max_bytes=100)) == "x" * 99 + "\n"
    assert "more than 99 bytes" in str(failure(python("print('x' * 99)", max_bytes=99)))


def test_what_is_written_is_not_gathered_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    most = most_of_stderr = 0
    follow = process._Run.follow

    def note(self: process._Run, *rest: Any) -> process.End:
        nonlocal most, most_of_stderr
        end = follow(self, *rest)
        most, most_of_stderr = len(self.stdout), len(self.stderr)
        return end

    monkeypatch.setattr(process._Run, "follow", note)
    code = "import os\nos.write(2, b'x' * 60_000)\nwhile True: os.write(1, b'x' * 60_000)"
    failure(python(code, max_bytes=10))
    assert most_of_stderr <= 4096
    assert 10 < most <= 10 + (1 << 16)


def test_a_program_that_writes_other_bytes() -> None:
    program = python("import os; os.write(1, b'gr\\xc3\\xbc\\xdf')")
    error = failure(program)
    assert str(error) == f"{name(program)} wrote something that is not UTF-8, at byte 4"
    assert error.exit_code == 0


def test_programs_that_cannot_be_run(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"no program")
    for command, why in [
        ("no-such-program", "there is no such program"),
        (str(tmp_path / "nothing"), "there is no such program"),
        (str(file), "Permission denied"),
        (str(tmp_path), "Permission denied"),
        (str(file / "below"), "Not a directory"),
    ]:
        error = failure(Program([command]))
        assert str(error) == f"`{command}` cannot be run: {why}"
        assert (error.exit_code, error.retryable) == (None, False)
    file.chmod(0o700)
    assert str(failure(Program([str(file)]))) == f"`{file}` cannot be run: Exec format error"


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "nothing\x1b"
    error = failure(Program(["cat"], cwd=folder))
    assert str(error) == f"`cat` cannot be run in {tmp_path}/nothing\\x1b: No such file or directory"


def test_an_environment_that_is_none() -> None:
    assert str(failure(Program(["cat"]), env={"A=B": "x"})).startswith("`cat` cannot be run: illegal environment")
    assert str(failure(Program(["cat"]), env={"A": "\0"})) == "`cat` cannot be run: embedded null byte"
    assert str(failure(Program(["cat"]), env={"A": 1})).startswith("`cat` cannot be run: expected str")


def test_names_are_safe_to_show() -> None:
    assert str(failure(Program(["no\x1b[2J\n"]))) == "`no\\x1b[2J\\n` cannot be run: there is no such program"
    assert str(failure(Program(["x" * 250]))) == f"`{'x' * 200}…` cannot be run: there is no such program"


def test_a_text_that_cannot_be_sent() -> None:
    with pytest.raises(LlmError, match=r"^the text for the model has a lone surrogate at character 3$"):
        ask(Program(["cat"]), "ab\ud800")


def child_of(error: ProgramError) -> int:
    return int(error.stderr.split()[0])


@pytest.mark.parametrize("leave", [LEAVE, LEAVE_IN_A_GROUP], ids=["its group", "another group"])
def test_what_a_program_has_started_ends_with_it(leave: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE", 0.1)

    def check(limit: float) -> None:
        error = failure(python(f"{leave}; {SLEEP}", timeout=limit))
        assert error.stderr
        assert is_gone(child_of(error))

    with_longer_limits(check, 0.5)
    flood = "import os\nwhile True: os.write(1, b'x' * 60_000)"
    assert is_gone(child_of(failure(python(f"{leave}\n{flood}", max_bytes=100))))
    assert is_gone(child_of(failure(python(f"{leave}; sys.exit(1)"))))


def test_another_session_is_let_be() -> None:
    number = child_of(failure(python(LEAVE.replace("'90']", "'90'], start_new_session=True") + "; sys.exit(1)")))
    assert psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    os.kill(number, signal.SIGKILL)
    assert is_gone(number)


def test_without_proc_ps_lists_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS."""

    def refuse(_: str) -> list[str]:
        raise FileNotFoundError

    with monkeypatch.context() as context:
        context.setattr(os, "listdir", refuse)
        assert os.getpid() in process._all_processes()


def test_an_answer_does_not_wait_for_what_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds the output open, but the program has ended."""
    monkeypatch.setattr(process, "_GRACE", 0.1)
    note = tmp_path / "pid"
    code = f"import subprocess; p = subprocess.Popen(['sleep', '90']); open({str(note)!r}, 'w').write(str(p.pid))"
    start = time.monotonic()
    assert ask(python(f"{code}; print('so')")) == "so\n"
    assert time.monotonic() - start < 30
    assert is_gone(int(note.read_text()))


def test_an_answer_waits_a_little_for_what_still_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE", 60)
    late = 'import time; time.sleep(0.3); print("late")'
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-S', '-c', {late!r}]); print('soon')"
    assert ask(python(code)) == "soon\nlate\n"


def test_what_was_written_before_the_end_is_read_however_late_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process may be held up behind the end of the program, for longer than anything is waited for."""

    def wait_for_end(program: subprocess.Popen[bytes]) -> bool:
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        return True

    monkeypatch.setattr(process, "_GRACE", 0)
    monkeypatch.setattr(process, "_has_ended", wait_for_end)
    assert ask(python("import time; time.sleep(0.3); print('so')")) == "so\n"


SLOW_START = """
import subprocess
start = subprocess.Popen.__init__
def start_slowly(self, *arguments, **more):
    start(self, *arguments, **more)
    time.sleep(0.5)
subprocess.Popen.__init__ = start_slowly
"""


@pytest.mark.parametrize("before", ["", SLOW_START], ids=["running", "starting"])
def test_an_interrupt_ends_the_program(tmp_path: Path, before: str) -> None:
    note = tmp_path / "pid"
    code = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); {SLEEP}"
    outer = f"""
import sys, time
from planspec_lark.llm import Program
{before}
try:
    command = [sys.executable, "-S", "-c", {code!r}]
    Program(command)('')
except KeyboardInterrupt:
    print("interrupted")
"""
    with subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not (note.exists() and note.read_text()):
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"
    assert is_gone(int(note.read_text()))


def test_the_death_of_the_caller_ends_the_program(tmp_path: Path) -> None:
    """And what it has started."""
    note = tmp_path / "pids"
    write = f"open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{p.pid}} {{q.pid}} ')"
    start = "p = subprocess.Popen(['sleep', '90']); q = subprocess.Popen(['sleep', '90'], process_group=0)"
    code = f"import os, subprocess; {start}; {write}; {SLEEP}"
    outer = f"""
import sys, threading
from planspec_lark.llm import Program
command = [sys.executable, "-S", "-c", {code!r}]
thread = threading.Thread(target=lambda: Program(command)(''))
thread.start()
thread.join()
"""
    with subprocess.Popen([sys.executable, "-c", outer]) as caller:
        end = time.monotonic() + 60
        while not (note.exists() and note.read_text().endswith(" ")):
            assert time.monotonic() < end
            time.sleep(0.01)
        caller.kill()
    for pid in note.read_text().split():
        assert is_gone(int(pid))


def test_many_at_once(tmp_path: Path) -> None:
    """None of them ends before all have begun."""
    begin = "import os, sys, time; number = sys.stdin.read(); open(number, 'w')"
    code = f"{begin}\nwhile len(os.listdir()) < 12: time.sleep(0.05)\nprint(number, end='')"
    numbers = [str(number) for number in range(12)]
    with ThreadPoolExecutor(12) as threads:
        assert list(threads.map(python(code, cwd=tmp_path, timeout=60), numbers)) == numbers


def test_without_waitid_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "waitid")
    monkeypatch.setattr(process, "_GRACE", 0.1)
    assert python(ECHO)("so") == "so"
    assert failure(python("raise SystemExit(3)")).exit_code == 3
    assert is_gone(child_of(failure(python(f"{LEAVE}; sys.exit(1)"))))


def test_a_command_line() -> None:
    program = Program.from_text("my-llm --name 'x y' \"$HOME\"", timeout=5, env={"A": "b"})
    assert program == Program(["my-llm", "--name", "x y", "$HOME"], timeout=5, env={"A": "b"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no program in the command"),
        (" \n", "there is no program in the command"),
        ("''", "there is no program in the command"),
        ("a 'b", "No closing quotation"),
        ("a \\", "No escaped character"),
        ("a\0", "the command holds a NUL"),
    ],
)
def test_a_command_line_that_is_none(text: str, why: str) -> None:
    with pytest.raises(ProgramError) as caught:
        Program.from_text(text)
    assert str(caught.value) == f"the command cannot be run: {why}"


NO_TEXTS = "command: expected a sequence of texts; use Program.from_text for a command line"


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "message"),
    [
        ("cat -n", {}, TypeError, NO_TEXTS),
        (["cat", 1], {}, TypeError, NO_TEXTS),
        (["cat\0"], {}, ValueError, "the command holds a NUL"),
        ([], {}, ValueError, "there is no program in the command"),
        ([""], {}, ValueError, "there is no program in the command"),
        (["cat"], {"timeout": 0}, ValueError, "timeout: 0 is out of range"),
        (["cat"], {"timeout": float("inf")}, ValueError, "timeout: inf is out of range"),
        (["cat"], {"timeout": "1"}, TypeError, "timeout: expected a number, not str"),
    ],
    ids=range(8),
)
def test_settings_that_are_none(arguments: Any, settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Program(arguments, **settings)
    assert str(caught.value) == message


def test_the_environment_is_not_shown() -> None:
    assert "secret" not in repr(Program(["cat"], env={"KEY": "secret"}))


def test_programs_and_errors_can_be_pickled() -> None:
    program = Program(["cat"], env={"A": "b"})
    assert pickle.loads(pickle.dumps(program)) == program
    copy = pickle.loads(pickle.dumps(ProgramError("so", retryable=True, exit_code=-9, stderr="end")))
    assert (str(copy), copy.retryable, copy.exit_code, copy.stderr) == ("so", True, -9, "end")
