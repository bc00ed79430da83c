"""A server for a file, as long as a test needs one."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from planspec_lark.html.server import Follower, PageServer, watching

__all__ = ["ask", "served"]


@contextmanager
def served(path: Path) -> Iterator[PageServer]:
    """A server that follows this file."""
    follower = Follower(path)
    with PageServer(follower) as server, watching(follower):
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server: PageServer, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    """What a server answers; a header that is named takes the place of the one that is usual."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()
