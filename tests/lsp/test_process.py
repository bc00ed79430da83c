"""The server as a process: its output, its ends, strange messages, and what keeps it from starting."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import pytest

from tests.cli.running import call, command_line, environment, is_gone
from tests.cli.terminals import terminal

URI = "untitled:1"
INITIALIZE: dict[str, Any] = {
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}
INITIALIZED: dict[str, Any] = {"method": "initialized", "params": {}}
EXIT = {"method": "exit"}


def opened(text: str, version: Any = 1) -> dict[str, Any]:
    item = {"uri": URI, "languageId": "planspec", "version": version, "text": text}
    return {"method": "textDocument/didOpen", "params": {"textDocument": item}}


def changed(text: Any) -> dict[str, Any]:
    about = {"uri": URI, "version": 2}
    return {"method": "textDocument/didChange", "params": {"textDocument": about, "contentChanges": [{"text": text}]}}


def asked(method: str, number: Any = 2, **params: Any) -> dict[str, Any]:
    return {"id": number, "method": f"textDocument/{method}", "params": {"textDocument": {"uri": URI}, **params}}


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Server:
    """A server and its streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(one if isinstance(one, bytes) else framed(one) for one in messages))
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self.process.stdout.read(length))

    def findings(self) -> list[str]:
        told = self.receive()
        assert told["method"] == "textDocument/publishDiagnostics"
        return [one.get("code", one["message"]) for one in told["params"]["diagnostics"]]

    def end(self) -> tuple[int, bytes, str]:
        """Its exit code and what is left of its streams, once standard input is closed."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err.decode()


@contextmanager
def started(before: str = "", initialize: dict[str, Any] = INITIALIZE) -> Iterator[Server]:
    """A server that has answered once."""
    process = subprocess.Popen(
        command_line(["lsp"], before),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    # Who waits for a message that does not come reads the end of the stream instead.
    watch = Timer(60, process.kill)
    watch.start()
    try:
        server = Server(process)
        server.send(initialize, INITIALIZED)
        assert server.receive()["result"]["serverInfo"]["name"] == "planspec"
        yield server
    finally:
        watch.cancel()
        process.kill()
        process.communicate()


# ---------------------------------------------------------------- output


@pytest.mark.parametrize("write", ["print('hello')", "os.write(1, b'hello\\n')", "os.system('echo hello')"])
def test_nothing_but_messages_is_on_standard_output(write: str) -> None:
    before = (
        "import os\n"
        "from planspec_lark.lsp import planspec_index\n"
        "real = planspec_index.PlanIndex.findings\n"
        f"planspec_index.PlanIndex.findings = lambda *a, **k: ({write}, real(*a, **k))[1]"
    )
    with started(before) as server:
        server.send(opened("Goal: x\n"))
        assert server.findings() == ["PS201"]
        assert server.end() == (0, b"", "hello\n")


# ---------------------------------------------------------------- ends


def test_it_ends_with_standard_input() -> None:
    with started() as server:
        assert server.end() == (0, b"", "")


@pytest.mark.parametrize(("shuts_down", "code"), [(True, 0), (False, 1)])
def test_it_ends_when_it_is_told_to(shuts_down: bool, code: int) -> None:
    with started() as server:
        if shuts_down:
            server.send({"id": 9, "method": "shutdown"})
            assert server.receive() == {"jsonrpc": "2.0", "id": 9, "result": None}
        # Standard input stays open.
        server.send(EXIT)
        assert server.process.wait(30) == code


def test_it_ends_in_the_middle_of_a_message() -> None:
    with started() as server:
        server.send(b"Content-Length: 1000\r\n\r\n{")
        code, out, err = server.end()
    assert (code, out) == (0, b"")
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_by_a_signal(number: signal.Signals) -> None:
    with started() as server:
        server.process.send_signal(number)
        assert server.process.wait(30) == -number


def test_it_ends_with_its_client() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as client:
        params = {**INITIALIZE["params"], "processId": client.pid}
        with started(initialize={**INITIALIZE, "params": params}) as server:
            time.sleep(0.1)
            assert server.process.poll() is None
            client.communicate(b"\n")
            # Its own standard input is still open.
            assert server.process.wait(30) == 1


def test_a_client_whose_process_is_not_here_is_not_missed() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as client:
        pass
    assert is_gone(client.pid)
    params = {**INITIALIZE["params"], "processId": client.pid}
    with started(initialize={**INITIALIZE, "params": params}) as server:
        time.sleep(0.1)
        server.send(opened("Goal: x\n"))
        assert server.findings() == ["PS201"]


# ---------------------------------------------------------------- strange messages


def test_what_is_no_message_ends_nothing() -> None:
    messages = [
        b"Content-Length: 3\r\n\r\n{]}",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: 100000\r\n\r\n" + b"[" * 100_000,
        b"nonsense\r\n\r\n",
        framed({"method": "no/such"}),
        framed({"id": 7}),
        framed({"method": 3, "params": 4}),
        framed({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 3}}}),
        framed({"method": "textDocument/didClose", "params": None}),
        framed({"method": "$/cancelRequest", "params": {"id": 99}}),
    ]
    with started() as server:
        for number, message in enumerate(messages):
            server.send(message, opened("Goal: x\n", number))
            assert server.findings() == ["PS201"], message
        # What is said of it does not show how the server is built.
        assert "Traceback" not in server.end()[2]


def test_a_request_that_cannot_be_read_is_answered() -> None:
    requests = [
        (asked("hover"), -32602),
        (asked("hover", position={"line": -1, "character": 0}), -32602),
        (asked("hover", position={"line": "x", "character": 0}), -32602),
        (asked("hover", "a", position={"line": 0}), -32602),
        ({"id": 2, "method": "no/such", "params": {}}, -32601),
    ]
    with started() as server:
        for request, code in requests:
            server.send(request)
            answer = server.receive()
            assert (answer["id"], answer["error"]["code"]) == (request["id"], code)


def test_a_change_that_cannot_be_read_is_mended_by_the_next() -> None:
    with started() as server:
        server.send(opened("Goal: x\n"))
        assert server.findings() == ["PS201"]
        server.send(changed(None), changed("1. [act] x\n"))
        assert server.findings() == ["PS205"]


def test_half_of_a_character() -> None:
    with started() as server:
        server.send(opened("Goal: \ud83d\n"))
        assert "PS102" in server.findings()
        server.send(changed("Goal: \U0001f600\n"))
        assert server.findings() == ["PS201"]


def test_before_it_is_told_anything() -> None:
    messages = framed(opened("Goal: x\n")) + framed(asked("hover", position={"line": 0, "character": 0}))
    done = call("lsp", stdin=messages)
    # It counts as UTF-16 does, and goes with the end of its input.
    assert done.returncode == 0
    assert b'"id": 2, "jsonrpc": "2.0", "result": null' in done.stdout


# ---------------------------------------------------------------- faults of its own


BROKEN = (
    "from planspec_lark.lsp import {module}\n"
    "def broken(*a, **k): raise ZeroDivisionError('by the test')\n"
    "{module}.{name} = broken"
)


def test_a_fault_in_an_answer_is_a_plain_error() -> None:
    with started(BROKEN.format(module="planspec_index", name="focus_view")) as server:
        server.send(opened("1. [act] x\n"))
        server.receive()
        server.send(asked("hover", position={"line": 0, "character": 0}))
        said = "a fault of the server (ZeroDivisionError: by the test); its log says more"
        assert server.receive() == {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": said}}
        # It continues, and its log says more.
        server.send(asked("foldingRange"))
        assert server.receive()["result"] == []
        assert "Traceback" in server.end()[2]


def test_a_fault_in_a_check_is_told_in_its_place() -> None:
    with started(BROKEN.format(module="planspec_index", name="PlanIndex.findings")) as server:
        for version in (1, 2):
            server.send(opened("Goal: x\n", version))
            assert server.findings() == [
                "this document could not be checked: a fault of the server (ZeroDivisionError: by the test); "
                "its log says more"
            ]


# ---------------------------------------------------------------- what keeps it from starting


@pytest.mark.parametrize("name", ["pygls", "lsprotocol"])
def test_without_its_extra_it_says_so(name: str) -> None:
    done = call("lsp", before=f"import sys; sys.modules[{name!r}] = None")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"Error: planspec lsp needs its extra: pip install 'planspec-lark[lsp]'\n"


@pytest.mark.parametrize(
    ("closed", "said"), [(0, "standard input is closed"), (1, "standard output or standard error is closed")]
)
def test_without_its_streams_it_says_so(closed: int, said: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *command_line(["lsp"])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (2, f"Error: {said}\n")


def test_on_a_terminal_it_says_what_it_is_for() -> None:
    with terminal("lsp") as session:
        session.wait_for("start it from an editor")
        session.type("\x03")
        assert session.wait() == -signal.SIGINT
