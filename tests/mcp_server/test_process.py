"""The server as a process: its output, its ends, and what keeps it from starting."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.lowlevel import Server

from planspec_lark import PlanFile, __version__
from planspec_lark.mcp_server import pipes, stdio_server
from planspec_lark.mcp_server.stdio_server import InputError
from tests.cli.running import call, command_line, environment
from tests.cli.terminals import terminal
from tests.mcp_server.clients import PLAN

# From then on, modules of these names are not there.
WITHOUT = "import sys; sys.modules.update(dict.fromkeys({names!r}))"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
# Methods that crash with a text for the server's operator alone.
CRASH = """
from planspec_lark.folder.folder import PlanFolder
from planspec_lark.mcp_server.plans import Plans
def crash(*_):
    raise OSError(5, "no\\n\\x1b[2Jluck", "/home/secret")
{} = crash
"""
LOGGED = re.compile(
    r"Error: [a-z_/ ]+ has failed: OSError: \[Errno 5\] no \\x1b\[2Jluck: '/home/secret' \(\S+, line [0-9]+\)\n"
)
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def tool_call(number: int, tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def lines(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


@contextmanager
def started(folder: Path, before: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A server that has answered once."""
    process = subprocess.Popen(
        command_line(["mcp", "--folder", folder], before),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    try:
        send(process, INITIALIZE, INITIALIZED)
        answer = receive(process)
        assert answer["result"]["serverInfo"] == {"name": "planspec", "title": "PlanSpec", "version": __version__}
        yield process
    finally:
        process.kill()
        process.communicate()


def send(process: subprocess.Popen[bytes], *messages: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(lines(*messages))
    process.stdin.flush()


def receive(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def read_rest(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdout.read(), process.stderr.read()


# ---------------------------------------------------------------- output


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize(
    "write",
    [
        "print('hello')",
        "os.write(1, b'hello\\n')",
        "os.system('echo hello')",
        # Its buffer is emptied at the very end.
        "ctypes.CDLL(None).printf(b'hello\\n')",
    ],
)
def test_nothing_but_messages_is_on_standard_output(
    write: str, unbuffered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whatever a library prints goes elsewhere, however it is buffered.
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    if unbuffered:
        monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    before = (
        "import ctypes, os\n"
        "from planspec_lark.folder.folder import PlanFolder\n"
        "real = PlanFolder.list\n"
        f"PlanFolder.list = lambda self, names: [{write}] and real(self, names)"
    )
    with started(tmp_path, before) as process:
        send(process, tool_call(2, "list_plans"))
        assert "There are no plans" in receive(process)["result"]["content"][0]["text"]
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"hello\n")


def test_what_is_no_message_ends_nothing(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(b'nonsense\n\xff\xfe\x00\n[]\n{"id": 7}\n' + b"[" * 100_000 + b"\n\r\n")
        send(process, tool_call(2, "list_plans"))
        answers = [receive(process) for _ in range(6)]
        assert [(one["id"], one.get("error", {}).get("code")) for one in answers] == [
            (None, -32700),
            (None, -32700),
            (None, -32600),
            (7, -32600),
            (None, -32700),
            (2, None),
        ]
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"")


# Deeper than the reader of the standard library goes.
DEEP = "[" * 15_000 + "]" * 15_000


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}', {"id": 7}),
        ('{"jsonrpc": "2.0", "id": 7.5, "method": "ping"}', {"id": 7.5}),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', {"id": None}),
        ('{"id": "7", "method": "ping"}', {"id": "7"}),
        ('{"jsonrpc": "2.0", "id": "\\ud83d", "method": []}', {"id": "\ud83d"}),
        ('[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]', {"id": None}),
        ('{"id": 7, "method": "ping"', {"id": None, "code": -32700}),
        (f'{{"id": 7, "method": "ping", "params": {DEEP}}}', {"id": 7}),
        (f'[{{"id": 7, "params": {DEEP}}}]', {"id": None}),
        (f'{{"id": 7, "params": {DEEP}', {"id": None, "code": -32700}),
    ],
)
def test_what_is_no_message_is_answered(line: str, answer: dict[str, Any]) -> None:
    message, refusal = pipes._check(line)
    said = json.loads(refusal)
    assert message == ""
    assert {"id": said["id"], "code": said["error"]["code"]} == {"code": -32600, **answer}


@pytest.mark.parametrize(
    "line", ['{"id": 7, "result": 1}', '{"jsonrpc": "1.0", "id": 7, "error": {}}', f'{{"id": 7, "result": {DEEP}}}']
)
def test_an_answer_is_not_answered(line: str) -> None:
    assert pipes._check(line) == ("", "")


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    text = PLAN.replace("2.1. [act] ", "2.1. [act] \U0001f642\ud83d ")
    with started(tmp_path) as process:
        send(process, tool_call(2, "check_plan", text=text))
        assert receive(process)["result"]["content"][0]["text"].startswith("The plan is valid")
        send(process, tool_call(3, "create_plan", name="hall", text=text))
        while receive(process).get("id") != 3:
            pass
    path = tmp_path / "planspec" / "hall.md"
    assert path.read_text() == PLAN.replace("2.1. [act] ", "2.1. [act] \U0001f642\ufffd ")


def test_a_crash_is_a_plain_error_and_one_line(tmp_path: Path) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list_plans", {}),
        ("read_plan", {"name": "library"}),
        ("check_plan", {"name": "library"}),
        ("create_plan", {"name": "hall", "text": PLAN}),
        ("apply_commands", {"name": "library", "actions": [{"do": "start", "step": "2.1"}]}),
    ]
    with started(tmp_path, CRASH.format("PlanFolder.names = Plans.text = Plans.create = Plans.file")) as process:
        for number, (tool, arguments) in enumerate(asked, start=2):
            send(process, tool_call(number, tool, **arguments))
            answer = receive(process)
            assert answer["id"] == number
            text = f"{tool} has failed by a fault of the server itself (OSError), which has logged it."
            more = " Read the plan: it may have been changed." if tool in {"create_plan", "apply_commands"} else ""
            assert answer["result"]["content"] == [{"type": "text", "text": text + more}]
            assert answer["result"]["isError"] is True
        # All else is an error of the protocol.
        asked.append(("resources/list", {}))
        send(process, {"jsonrpc": "2.0", "id": 9, "method": "resources/list", "params": {}})
        said = "resources/list has failed by a fault of the server itself (OSError), which has logged it."
        assert receive(process)["error"] == {"code": -32603, "message": said}
        out, err = process.communicate()
    assert (process.returncode, out) == (0, b"")
    logged = err.decode().splitlines(keepends=True)
    assert len(logged) == len(asked)
    assert all(map(LOGGED.fullmatch, logged)), logged


# ---------------------------------------------------------------- ends


def test_closed_input_ends_it(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_end_it_although_input_is_open(tmp_path: Path, number: int, code: int) -> None:
    with started(tmp_path) as process:
        process.send_signal(number)
        code_and_output = process.wait(60), *read_rest(process)
        assert code_and_output == (code, b"", b"Stopping.\nStopped.\n")


def test_a_change_that_has_begun_is_ended_first(tmp_path: Path) -> None:
    path = tmp_path / "planspec" / "library.md"
    path.parent.mkdir()
    path.write_text(PLAN)
    begun = tmp_path / "begun"
    before = (
        "import time, pathlib\n"
        "from planspec_lark.document.file import PlanFile\n"
        "real = PlanFile.change\n"
        f"slow = lambda *a: (pathlib.Path({str(begun)!r}).touch(), time.sleep(1), real(*a))\n"
        "PlanFile.change = slow"
    )
    with started(tmp_path, before) as process:
        send(process, tool_call(2, "apply_commands", name="library", commands="PLAN_CMD: DONE 2.1"))
        while not begun.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    assert path.read_text() == PLAN.replace("2.1. ", "2.1. [x] ")
    with PlanFile(path).leased():
        pass


def test_a_change_that_waits_holds_up_those_of_its_plan_alone(tmp_path: Path) -> None:
    paths = {name: tmp_path / "planspec" / f"{name}.md" for name in ("library", "hall")}
    paths["hall"].parent.mkdir()
    for path in paths.values():
        path.write_text(PLAN)

    def change(number: int, name: str, command: str) -> dict[str, Any]:
        return tool_call(number, "apply_commands", name=name, commands=f"PLAN_CMD: {command}")

    with started(tmp_path) as process:
        with PlanFile(paths["library"]).leased():
            send(process, change(2, "library", "DONE 2.1 | first"), change(3, "library", "DONE 2.1 | then"))
            time.sleep(0.5)
            send(process, change(4, "hall", "DONE 2.1"))
            assert receive(process)["id"] == 4
            assert paths["library"].read_text() == PLAN
        assert [receive(process)["id"] for _ in range(2)] == [2, 3]
    assert "| then" in paths["library"].read_text()


@pytest.mark.parametrize("request_id", [2, "2"])
def test_a_change_that_is_cancelled_while_it_waits_is_not_made(tmp_path: Path, request_id: int | str) -> None:
    path = tmp_path / "planspec" / "library.md"
    path.parent.mkdir()
    path.write_text(PLAN)
    change = {"name": "library", "commands": "PLAN_CMD: DONE 2.1"}
    with started(tmp_path) as process:
        with PlanFile(path).leased():
            send(process, tool_call(2, "apply_commands", **change))
            time.sleep(0.5)
            params = {"requestId": request_id}
            send(process, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
            time.sleep(0.5)
        # Without an answer. This one waits for its end, and is refused.
        send(process, tool_call(3, "apply_commands", **change, expected_digest="0"))
        assert receive(process)["id"] == 3
        assert path.read_text() == PLAN
        send(process, tool_call(4, "apply_commands", **change))
        assert receive(process)["id"] == 4
    assert path.read_text() == PLAN.replace("2.1. ", "2.1. [x] ")


def test_a_change_that_waits_when_input_ends_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "planspec" / "library.md"
    path.parent.mkdir()
    path.write_text(PLAN)
    with started(tmp_path) as process:
        with PlanFile(path).leased():
            send(process, tool_call(2, "apply_commands", name="library", commands="PLAN_CMD: DONE 2.1"))
            time.sleep(0.5)
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
            assert receive(process) == {
                "jsonrpc": "2.0",
                "id": 2,
                "error": {"code": -32000, "message": "Connection closed"},
            }
            # It does not wait for the run.
            assert process.wait(60) == 0
        assert path.read_text() == PLAN


def test_a_client_that_does_not_read_any_more_ends_it(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        send(process, tool_call(2, "list_plans"))
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def test_a_client_that_reads_no_more_does_not_keep_it(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        # Far more answers than a pipe holds. What is asked is less than one holds.
        send(process, *({"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in range(2, 300)))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143


def test_long_answers_arrive_whole_however_slowly_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "planspec" / "library.md"
    path.parent.mkdir()
    path.write_text(PLAN + "4. [act] x\n" + f"  > {'ü' * 400}\n" * 1000)
    read = {"method": "resources/read", "params": {"uri": "planspec://plans/library"}}
    with started(tmp_path) as process:
        send(process, *({"jsonrpc": "2.0", "id": number, **read} for number in range(2, 7)))
        time.sleep(0.5)
        answers = {answer["id"]: answer["result"]["contents"][0]["text"] for answer in map(receive, [process] * 5)}
    assert answers == dict.fromkeys(range(2, 7), path.read_text())


def test_a_message_without_end_ends_it(tmp_path: Path) -> None:
    before = "import planspec_lark.mcp_server.pipes as pipes\npipes._LONGEST = 100_000"
    with started(tmp_path, before) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # It need not be read to its end.
        with suppress(BrokenPipeError):
            process.stdin.write(b"x" * 400_000)
            process.stdin.flush()
        assert process.wait(60) == 2
        assert process.stderr.read() == b"Error: a message has more than 100,000 bytes\n"


# ---------------------------------------------------------------- starts


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = call("mcp", "--folder", tmp_path / "nowhere\x1b[2J")
    assert done.returncode == 2
    assert done.stderr.decode() == f"Error: {tmp_path}/nowhere\\x1b[2J: No such file or directory\n"


def test_without_the_extra() -> None:
    done = call("mcp", before=WITHOUT.format(names=("mcp", "mcp_types")))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"Error: planspec mcp needs its extra: pip install 'planspec-lark[mcp]'\n"


def test_the_list_of_commands_does_without_the_extra() -> None:
    done = call("--help", before=WITHOUT.format(names=("mcp", "mcp_types", "pydantic")))
    assert done.returncode == 0
    assert re.search(rb"\n  mcp +Serve the plans of a folder to agents", done.stdout)


def test_a_person_at_a_terminal_is_told_what_this_is(tmp_path: Path) -> None:
    with terminal("mcp", "--folder", tmp_path) as shown:
        shown.wait_for("Ctrl+C ends it.")
        shown.type("\x03")
        assert shown.wait() == 130
        assert shown.shown() == (
            "An MCP server talks to a program: start it from an MCP client. Ctrl+C ends it.\n^CStopping.\nStopped.\n"
        )


@pytest.mark.parametrize(
    ("failures", "is_stopped", "raised"),
    [
        ([anyio.BrokenResourceError()], False, None),
        ([anyio.BrokenResourceError()], True, asyncio.CancelledError),
        ([anyio.ClosedResourceError(), BrokenPipeError()], False, BrokenPipeError),
        ([anyio.ClosedResourceError(), ExceptionGroup("", [InputError()])], True, InputError),
    ],
)
def test_of_failures_the_one_behind_the_others_counts(
    failures: list[Exception], is_stopped: bool, raised: type[BaseException] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        if is_stopped:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        raise ExceptionGroup("", failures)

    @asynccontextmanager
    async def no_pipes(**_: object) -> AsyncIterator[tuple[None, None]]:
        yield None, None

    monkeypatch.setattr(stdio_server, "stdio_server", no_pipes)
    monkeypatch.setattr(Server, "run", fail)
    if raised is None:
        asyncio.run(stdio_server.serve("."))
    else:
        with pytest.raises(raised):
            asyncio.run(stdio_server.serve("."))
