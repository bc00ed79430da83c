"""A server for the page of a file, which it follows as it changes. It is there for browsers on this machine alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import BoundedSemaphore, Condition, Event, Thread

from planspec_lark.files import stamp_of
from planspec_lark.html.render import policy, render_html
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.syntax.diagnostics import PlanSpecError, PlanSyntaxError, decode
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["Follower", "PageServer", "WatchError", "watching"]

# Besides being told of changes, look for them so often, in milliseconds: some file systems tell of none.
_LOOK = 1_000

_HOST = "127.0.0.1"
# Seconds after which a page that is open hears something, so that one that has gone is noticed.
_PULSE = 15.0
# Pages that may be open at once.
_MOST = 32


class WatchError(PlanSpecError, RuntimeError):
    """Changes cannot be watched: `watchfiles` is not installed."""


# ---------------------------------------------------------------- the file


class Follower:
    """The page of a file, with a number that grows whenever the page changes. Threads may share one.

    Args:
        path: the file, which is read at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        """Why the file is not a plan as it is now; empty where it is one."""
        self._name = visible_name(path.name)
        self._plan = PlanSpec()
        self._version = 0
        self._seen: object = None
        self._page: tuple[int, str] = (0, "")
        self._is_closed = False
        # Notified when the page has changed; held to read the file or to write the page.
        self._changed = Condition()
        self.read()

    def read(self) -> None:
        """Read the file, if it has changed."""
        with self._changed:
            seen = stamp_of(self.path)
            if seen != self._seen:
                self.problem = self._try()
                self._seen = seen
                self._version += 1
                self._changed.notify_all()

    def _try(self) -> str:
        """Read the plan in the file, or say why that is not possible."""
        try:
            data = self.path.read_bytes()
            if not data and self._plan.steps:
                # A program that writes a file again in its place empties it first.
                return f"{self._name}: the file is empty"
            self._plan = parse_plan(decode(data, self._name), name=self._name)
        except PlanSyntaxError as error:
            return str(error)
        except OSError as error:
            return f"{self._name}: {error.strerror}"
        return ""

    def page(self) -> str:
        """The page as it is now."""
        with self._changed:
            if self._page[0] != self._version:
                page = render_html(self._plan, self._name, version=self._version, problem=self.problem)
                self._page = (self._version, page)
            return self._page[1]

    def wait(self, version: int, timeout: float) -> int | None:
        """The version of the page once it is another, or after ``timeout`` seconds; None once this is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._version != version, timeout)
            return None if self._is_closed else self._version

    def close(self) -> None:
        """End all waiting."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


@contextmanager
def watching(follower: Follower) -> Iterator[None]:
    """Read a follower's file whenever it changes, as long as this block lasts.

    Raises:
        WatchError: it cannot be done here.
    """
    try:
        import watchfiles  # noqa: PLC0415  (of an extra)
    except ModuleNotFoundError as error:
        if error.name != "watchfiles":
            raise
        raise WatchError from None
    # Their folders: an editor puts a new file in the place of the old one. A link may lead to another one.
    paths = (follower.path.absolute(), follower.path.resolve())
    names = {path.name for path in paths}
    stop = Event()

    def follow() -> None:
        changes = watchfiles.watch(
            *{path.parent for path in paths},
            watch_filter=lambda _, changed: Path(changed).name in names,
            stop_event=stop,
            rust_timeout=_LOOK,
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
        )
        for _ in changes:
            follower.read()

    thread = Thread(target=follow, name="planspec-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        follower.close()
        thread.join(timeout=2 * _LOOK / 1_000)


# ---------------------------------------------------------------- the server


class PageServer(ThreadingHTTPServer):
    """Serves ``/``, the page, and ``/events``, which tells it when it has changed.

    It listens on the loopback interface, and refuses requests for another host name, as pages of strangers can:
    their names may lead here as well.

    Args:
        follower: of the file.
        port: 0 for any that is free.

    Raises:
        OSError: the port cannot be used.
    """

    daemon_threads = True

    def __init__(self, follower: Follower, port: int = 0) -> None:
        super().__init__((_HOST, port), _Handler)
        self.follower = follower
        self.slots = BoundedSemaphore(_MOST)
        names = [_HOST, "localhost"]
        self.hosts = {f"{name}:{self.server_port}" for name in names} | ({*names} if self.server_port == 80 else set())

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{_HOST}:{self.server_port}/"

    def server_bind(self) -> None:
        """Take the port, without looking up the name of this machine."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = _HOST, self.server_address[1]

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Say nothing of browsers that have gone."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "planspec"
    sys_version = ""
    # Seconds for a request to come, and for each piece of an answer to go.
    timeout = 30

    def do_GET(self) -> None:
        if self.headers.get_all("Host", []) not in ([host] for host in self.server.hosts):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "This server is for this machine alone.")
        elif self.path == "/":
            self._send(HTTPStatus.OK, "text/html", self.server.follower.page())
        elif self.path == "/events":
            self._send_events()
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _refuse_method(self) -> None:
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "Nothing can be changed here.", Allow="GET")

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _refuse_method  # noqa: N815

    def _send_events(self) -> None:
        if not self.server.slots.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages are open.")
            return
        try:
            # A browser may have gone.
            with suppress(OSError):
                self._begin(HTTPStatus.OK, "text/event-stream")
                self._tell()
        finally:
            self.server.slots.release()

    def _tell(self) -> None:
        """Tell the number of the page now and whenever it changes."""
        told, number = -1, self.server.follower.wait(-1, 0)
        self.wfile.write(b"retry: 1000\n\n")
        while number is not None:
            self.wfile.write(f"event: version\ndata: {number}\n\n".encode() if number != told else b": still here\n\n")
            self.wfile.flush()
            told, number = number, self.server.follower.wait(number, _PULSE)

    def _refuse(self, status: HTTPStatus, message: str, **headers: str) -> None:
        self._send(status, "text/plain", f"{message}\n", **headers)

    def _send(self, status: HTTPStatus, kind: str, text: str, **headers: str) -> None:
        data = text.encode("utf-8", "replace")
        self._begin(status, kind, **{"Content-Length": str(len(data)), **headers})
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin(self, status: HTTPStatus, kind: str, **headers: str) -> None:
        self.send_response(status)
        headers |= {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Security-Policy": f"{policy(is_live=True)}; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""
