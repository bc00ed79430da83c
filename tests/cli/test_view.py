"""`planspec view`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.engine_world import OPERATOR, make_world, say
from tests.cli.running import PLAN, run


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
