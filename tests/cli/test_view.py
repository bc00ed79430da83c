"""`planspec view`."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planspec_lark import parse_plan
from planspec_lark.html import render_page
from tests.cli.engine_world import OPERATOR, make_world, say
from tests.cli.running import PLAN, command_line, environment, run


def test_a_page(here: Path) -> None:
    page = render_page(parse_plan(PLAN), name="plan.md")
    result = run("view", "plan.md")
    assert (result.exit_code, result.stdout, result.stderr) == (0, page, "")
    result = run("view", "plan.md", "-o", "plan.html")
    assert (result.exit_code, result.stdout, (here / "plan.html").read_text("utf-8")) == (0, "", page)
    assert run("view", "-", stdin=PLAN).stdout == render_page(parse_plan(PLAN))


@pytest.mark.usefixtures("here")
def test_what_a_run_has_taken() -> None:
    make_world(_2=say({"status": "FAIL", "result": "The <b>shop</b> is closed"}))
    run("run", "bakery.md", *OPERATOR, "--input", "list=c")
    (info,) = [json.loads(line) for line in run("log", "bakery.md", "--runs", "--json").stdout.splitlines()]
    sums = [json.loads(line) for line in run("log", "bakery.md", "--summary", "--json").stdout.splitlines()]
    for way in (["--run"], ["--run", info["run"]]):
        page = run("view", "bakery.md", *way).stdout
        table = page[page.index('<table class="run">') :]
        assert table.count('<th scope="row">') == len(sums)
        assert f'<th scope="row">all</th><td>{sums[-1]["attempts"]}</td>' in table
        assert "The &lt;b&gt;shop&lt;/b&gt; is closed" in table
    assert '<table class="run">' not in run("view", "bakery.md").stdout
    missing = run("view", "bakery.md", "--run", "none")
    assert (missing.exit_code, missing.stderr) == (2, "Error: bakery.md: there is no run none\n")
    Path("other.md").write_text(PLAN)
    assert run("view", "other.md", "--run").exit_code == 2
    Path("bakery.md.ledger").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert (run("view", "bakery.md", "--run").exit_code, run("view", "-", "--run", stdin=PLAN).exit_code) == (2, 2)


def test_no_plan(here: Path) -> None:
    result = run("view", "broken.md", "-o", "plan.html")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("broken.md: this is not a plan\n")
    assert not (here / "plan.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.md"], "Error: nowhere.md: No such file or directory\n"),
        (["nowhere.md", "--watch"], "Error: nowhere.md: No such file or directory\n"),
        ([".", "--watch"], "Error: .: Is a directory\n"),
        (["a\0b", "--watch"], "Error: a\\x00b: embedded null byte\n"),
        (["-", "--watch"], "Error: --watch needs a file that can be read again\n"),
        (["plan.md", "--watch", "-o", "x"], "Error: --watch writes no file: leave out --out\n"),
        (["plan.md", "-o", "no/where"], "Error: no/where: No such file or directory\n"),
    ],
)
def test_what_cannot_be_read_or_written(arguments: list[str], said: str) -> None:
    result = run("view", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(said)


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("view", "plan.md", "--watch", "--port", str(port))
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: port {port} is in use\n")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    result = run("view", "plan.md", "--watch")
    said = "Error: --watch needs its extra: pip install 'planspec-lark[watch]'\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


@contextmanager
def at_work(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """The command as a process, with its first line and its port."""
    with subprocess.Popen(
        command_line(["view", *arguments, "--watch"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({"PYTHONUNBUFFERED": ""}),
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            match = re.search(r":(\d+)/", line)
            assert match is not None, line
            yield process, line, int(match[1])
        finally:
            process.kill()


def read(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/")
    return connection.getresponse().read().decode()


def test_it_serves_until_it_is_interrupted() -> None:
    with at_work("plan.md") as (process, line, port):
        assert line == f"plan.md: http://127.0.0.1:{port}/ (Ctrl+C ends it)\n"
        assert "Hire a lorry" in read(port)
        events = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        events.request("GET", "/events")
        assert events.getresponse().readline() == b"retry: 1000\n"
        # A page that is open does not keep it from ending.
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "Stopped.\n")


def test_a_broken_file_is_served_with_what_is_wrong() -> None:
    with at_work("broken.md") as (_, _, port):
        assert "broken.md is not a plan at the moment" in read(port)
