"""A server for the page of a file that changes. It is there for browsers on this machine alone."""

from __future__ import annotations

import sys
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from threading import BoundedSemaphore

from planspec_lark.html.following import Follower
from planspec_lark.html.render import policy

__all__ = ["PageServer"]

_HOST = "127.0.0.1"
# Seconds after which a page that is open hears something, so that one that has gone is noticed.
_PULSE = 15.0
# Pages that may be open at once.
_MOST = 32


class PageServer(ThreadingHTTPServer):
    """Serves ``/``, the page, and ``/events``, which tells it when it has changed.

    It listens on the loopback interface, and answers nobody who calls it by another name, as pages of strangers can:
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
        """Take the port, without asking anybody for the name of this machine."""
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
            self._send_page()
        elif self.path == "/events":
            self._send_events()
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _refuse_method(self) -> None:
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "Nothing can be changed here.", Allow="GET")

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _refuse_method  # noqa: N815

    def _send_page(self) -> None:
        page = self.server.follower.page().encode("utf-8", "replace")
        self._begin(HTTPStatus.OK, "text/html", **{"Content-Length": str(len(page))})
        self.wfile.write(page)

    def _send_events(self) -> None:
        if not self.server.slots.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages are open.")
            return
        try:
            # Browsers that have gone are nothing to speak of.
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
        text = f"{message}\n".encode()
        self._begin(status, "text/plain", **{"Content-Length": str(len(text)), **headers})
        if self.command != "HEAD":
            self.wfile.write(text)

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
