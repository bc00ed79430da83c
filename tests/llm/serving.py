"""A local endpoint that plays scripted answers, and notes what it was asked."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from attrs import Factory, define, field, frozen

# Retries wait so long that tests need not.
SOON = {"retry-after-ms": "5"}


@frozen
class Scripted:
    """An answer. ``wait`` are seconds before it, ``drip`` those between its bytes; ``hang_up`` sends nothing at all.

    A stream has ``pieces`` in place of a body, with ``drip`` seconds between them. It is ``cut`` where the connection
    ends without the end of the stream; a number among the pieces makes it wait.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = Factory(dict)
    wait: float = 0
    drip: float = 0
    hang_up: bool = False
    pieces: tuple[bytes | float, ...] | None = None
    cut: bool = False


@frozen
class Asked:
    """A request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@define
class Served:
    """The endpoint: its URL, the answers that are still to be given (the last one again and again), the requests."""

    url: str
    script: list[Scripted] = field(factory=list)
    asked: list[Asked] = field(factory=list)
    closing: Event = field(factory=Event)
    # Set where an answer could not be written, as it is not read any more.
    left: Event = field(factory=Event)

    def play(self, *answers: Scripted) -> None:
        self.script[:] = answers

    def next_answer(self) -> Scripted:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def completion(text: object = "Hello.", reason: object = "stop", **message: object) -> dict[str, Any]:
    """A chat completion as endpoints send it."""
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [
            {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def answer(value: object, **more: Any) -> Scripted:
    headers = {"Content-Type": "application/json", **more.pop("headers", {})}
    return Scripted(json.dumps(value).encode(), headers=headers, **more)


def event(value: object) -> bytes:
    """A value as an event of a stream."""
    return f"data: {json.dumps(value)}\n\n".encode()


def delta(text: object = None, reason: object = None, **more: object) -> bytes:
    """An event with a piece of an answer."""
    content = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": {**content, **more}, "finish_reason": reason}
    return event({"object": "chat.completion.chunk", "model": "served-model", "choices": [choice], "usage": None})


USAGE = event({"model": "served-model", "choices": [], "usage": completion()["usage"]})
DONE = b"data: [DONE]\n\n"


def pieces_of(text: str = "Hello.") -> tuple[bytes, ...]:
    """A whole stream: who speaks, each character, why it stops, the tokens, the end."""
    return (delta("", role="assistant"), *map(delta, text), delta(reason="stop"), USAGE, DONE)


def streamed(*pieces: bytes | float, **more: Any) -> Scripted:
    headers = {"Content-Type": "text/event-stream; charset=utf-8", **more.pop("headers", {})}
    return Scripted(headers=headers, pieces=pieces, **more)


def fine(text: str = "Hello.") -> Scripted:
    return answer(completion(text))


def fault(status: int, message: str = "so it is", headers: dict[str, str] | None = None, **error: object) -> Scripted:
    return answer({"error": {"message": message, **error}}, status=status, headers={**SOON, **(headers or {})})


class _Handler(BaseHTTPRequestHandler):
    """Gives the next answer to whatever is asked."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.served.asked.append(Asked(self.path, headers, json.loads(data)))
        try:
            self._give(self.server.served.next_answer())
        except OSError:
            self.close_connection = True
            self.server.served.left.set()

    # A redirect that is followed may come as another method.
    do_GET = do_POST  # noqa: N815

    def _give(self, given: Scripted) -> None:
        self.server.served.closing.wait(given.wait)
        if given.hang_up:
            self.close_connection = True
            return
        self.send_response(given.status)
        for name, value in given.headers.items():
            self.send_header(name, value)
        if given.pieces is not None:
            self._give_stream(given, given.pieces)
            return
        self.send_header("Content-Length", str(len(given.body)))
        self.end_headers()
        if not given.drip:
            self.wfile.write(given.body)
        for at in range(len(given.body) if given.drip else 0):
            self.wfile.write(given.body[at : at + 1])
            self.server.served.closing.wait(given.drip)

    def _give_stream(self, given: Scripted, pieces: tuple[bytes | float, ...]) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            if isinstance(piece, bytes):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.server.served.closing.wait(given.drip if isinstance(piece, bytes) else piece)
        if given.cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (so it is called)
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        scheme = "http" if context is None else "https"
        self.served = Served(f"{scheme}://127.0.0.1:{self.server_address[1]}/v1")

    def handle_error(self, request: object, client_address: object) -> None:
        """Nobody wants to read that a client has left."""


@contextmanager
def serve(context: ssl.SSLContext | None = None) -> Iterator[Served]:
    server = _Server(context)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.served
    finally:
        server.served.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
