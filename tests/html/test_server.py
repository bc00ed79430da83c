"""A page that follows its file, and its server."""

from __future__ import annotations

import http.client
import os
import re
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.html.render import policy
from planspec_lark.html.server import Follower, PageServer, WatchError, watching
from tests.html.serving import ask, served

GOOD = "# Plan: Tea\n## Steps\n1. [act] Boil\n"
BAD = "# Plan: Tea\n## Steps\n1) [act] Boil\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tea.md"
    path.write_text(GOOD)
    return path


@pytest.fixture
def server(path: Path) -> Iterator[PageServer]:
    with served(path) as server:
        yield server


# ---------------------------------------------------------------- the file


def test_a_broken_file_leaves_the_last_plan(path: Path) -> None:
    follower = Follower(path)
    assert (follower.problem, "Boil" in follower.page()) == ("", True)
    path.write_text(BAD)
    follower.read()
    assert follower.problem.startswith("error[PS110]: `1)` is not an id with a dot after it\n --> tea.md:3:1\n")
    assert "tea.md is not a plan at the moment" in follower.page()
    assert "Boil" in follower.page()
    path.write_text(GOOD.replace("Boil", "Pour"))
    follower.read()
    assert (follower.problem, "Pour" in follower.page(), "Boil" in follower.page()) == ("", True, False)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda path: path.unlink(), "tea.md: No such file or directory"),
        (lambda path: path.write_text(""), "tea.md: the file is empty"),
        (lambda path: path.write_bytes(b"\xff"), "error[PS119]: byte 0 (0xff) is not UTF-8: invalid start byte"),
    ],
)
def test_a_file_that_cannot_be_read(path: Path, change: Callable[[Path], Any], problem: str) -> None:
    follower = Follower(path)
    change(path)
    follower.read()
    assert follower.problem.split("\n")[0] == problem
    assert "Boil" in follower.page()


def test_an_empty_file_is_an_empty_plan_to_begin_with(path: Path) -> None:
    path.write_text("")
    follower = Follower(path)
    assert follower.problem == ""
    assert 'class="row' not in follower.page()


def test_the_number_grows_with_changes_alone(path: Path) -> None:
    follower = Follower(path)
    follower.read()
    assert follower.wait(0, 5) == 1
    assert follower.wait(1, 0.05) == 1
    path.write_text(GOOD + "2. [act] Pour\n")
    follower.read()
    follower.read()
    assert follower.wait(1, 5) == 2
    page = follower.page()
    assert 'data-version="2"' in page
    assert follower.page() is page
    follower.close()
    assert follower.wait(2, 60) is None


@pytest.mark.parametrize("way", ["in place", "replaced", "through a link"])
def test_changes_are_noticed(path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The watcher does not look for them before it is told of them.
    monkeypatch.setattr("planspec_lark.html.server._LOOK", 60_000)
    link = path
    if way == "through a link":
        link = path.parent / "folder" / "link.md"
        link.parent.mkdir()
        link.symlink_to(path)
    follower = Follower(link)
    with watching(follower):
        # It takes a moment until the file is watched.
        for at in range(200):
            text = BAD + at * "\n"
            if way == "in place":
                path.write_text(text)
            else:
                (path.parent / "new").write_text(text)
                os.replace(path.parent / "new", path)
            if follower.wait(1, 0.25) != 1:
                break
    assert follower.problem
    assert follower.wait(-1, 60) is None


def test_changes_are_found_without_a_notice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.html.server._LOOK", 50)
    follower = Follower(path)
    path.write_text(BAD)
    with watching(follower):
        assert follower.wait(1, 60) == 2


def test_without_the_extra(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(WatchError), watching(Follower(path)):
        pass


# ---------------------------------------------------------------- the server


def test_the_page(server: PageServer) -> None:
    answer = ask(server)
    assert (answer.status, answer.getheader("Content-Type")) == (200, "text/html; charset=utf-8")
    assert answer.read().decode() == server.follower.page()
    assert answer.getheader("Content-Security-Policy") == f"{policy(is_live=True)}; frame-ancestors 'none'"
    expected = {
        "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Server": "planspec ",
    }
    assert {name: answer.getheader(name) for name in expected} == expected


def test_it_listens_on_this_machine_alone(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"


@pytest.mark.parametrize("place", ["/x", "/?a", "//x", "/../tea.md", "/tea.md", "http://127.0.0.1/", "/events/"])
def test_there_is_nothing_else(server: PageServer, place: str) -> None:
    answer = ask(server, place, Host=f"127.0.0.1:{server.server_port}")
    assert (answer.status, answer.read()) == (404, b"There is nothing here.\n")


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"])
def test_nothing_can_be_changed(server: PageServer, method: str) -> None:
    answer = ask(server, "/", method)
    assert (answer.status, answer.getheader("Allow")) == (405, "GET")
    assert answer.read() == (b"" if method == "HEAD" else b"Nothing can be changed here.\n")


@pytest.mark.parametrize("place", ["/", "/events"])
@pytest.mark.parametrize(
    "host", ["evil.example:{}", "127.0.0.1", "localhost", "127.0.0.1:1", "[::1]:{}", "0.0.0.0:{}", ""]
)
def test_a_request_for_another_host_gets_nothing(server: PageServer, host: str, place: str) -> None:
    answer = ask(server, place, Host=host.format(server.server_port))
    assert (answer.status, answer.read()) == (421, b"This server is for this machine alone.\n")


def test_its_own_names(server: PageServer) -> None:
    for name in ("localhost", "127.0.0.1"):
        assert ask(server, Host=f"{name}:{server.server_port}").status == 200


def test_two_names_are_one_too_many(server: PageServer) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as ours:
        host = f"Host: 127.0.0.1:{server.server_port}\r\n"
        ours.sendall(f"GET / HTTP/1.1\r\n{host}{host}\r\n".encode())
        assert ours.makefile("rb").readline().split()[1] == b"421"


def test_events(server: PageServer, path: Path) -> None:
    answer = ask(server, "/events")
    assert answer.getheader("Content-Type") == "text/event-stream; charset=utf-8"
    assert b"".join(answer.readline() for _ in range(5)) == b"retry: 1000\n\nevent: version\ndata: 1\n\n"
    path.write_text(BAD)
    assert b"".join(answer.readline() for _ in range(3)) == b"event: version\ndata: 2\n\n"
    # Who listens is let go at the end.
    server.follower.close()
    assert answer.read() == b""


def test_a_client_that_listens_hears_something(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.html.server._PULSE", 0.05)
    answer = ask(server, "/events")
    assert [answer.readline() for _ in range(7)][5:] == [b": still here\n", b"\n"]


def test_not_too_many_listen(server: PageServer) -> None:
    listening = [ask(server, "/events") for _ in range(32)]
    assert {answer.status for answer in listening} == {200}
    answer = ask(server, "/events")
    assert (answer.status, answer.read()) == (503, b"Too many pages are open.\n")
    assert ask(server).status == 200


@pytest.mark.parametrize(("error", "is_named"), [(BrokenPipeError(), False), (ValueError("odd"), True)])
def test_faults_are_named_and_browsers_that_go_are_not(
    server: PageServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    is_named: bool,
) -> None:
    def fail() -> str:
        raise error

    monkeypatch.setattr(server.follower, "page", fail)
    with pytest.raises(http.client.RemoteDisconnected):
        ask(server)
    assert ask(server, "/x").status == 404
    assert ("ValueError: odd" in capsys.readouterr().err) == is_named


def test_a_client_that_leaves_makes_room_and_no_noise(
    server: PageServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("planspec_lark.html.server._PULSE", 0.02)
    # More than may be open at once. That one has gone is noticed a little later.
    for _ in range(40):
        end = time.monotonic() + 60
        while (answer := ask(server, "/events")).status != 200:
            answer.close()
            assert time.monotonic() < end
        answer.close()
        assert answer.fp is None
    with socket.create_connection(("127.0.0.1", server.server_port)) as ours:
        ours.sendall(b"nonsense\r\n\r\n")
        assert re.search(rb"400", ours.recv(1000))
    assert capsys.readouterr().err == ""
