"""`planspec graph`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planspec_lark import parse_plan
from planspec_lark.planspec import draw_plan
from tests.cli.running import PLAN, run

DRAWN = parse_plan(PLAN)


def test_a_diagram(here: Path) -> None:
    diagram = draw_plan(DRAWN)
    result = run("graph", "plan.md")
    assert (result.exit_code, result.stdout, result.stderr) == (0, diagram, "")
    assert run("graph", "-", stdin=PLAN).stdout == diagram
    for _ in ("a new file", "one that is there"):
        result = run("graph", "plan.md", "-o", "diagram")
        assert (result.exit_code, result.stdout, (here / "diagram").read_text("utf-8")) == (0, "", diagram)


def test_a_pipe_is_written_to(here: Path) -> None:
    os.mkfifo(here / "pipe")
    end = os.open(here / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("graph", "plan.md", "-o", "pipe").exit_code == 0
        assert os.read(end, 100_000).decode() == draw_plan(DRAWN)
    finally:
        os.close(end)


def test_no_plan() -> None:
    result = run("graph", "broken.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("broken.md: this is not a plan\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.md"], "Error: nowhere.md: No such file or directory\n"),
        (["plan.md", "-o", "no/where"], "Error: no/where: No such file or directory\n"),
        (["plan.md", "-o", "."], "Error: .: Is a directory\n"),
        (["plan.md", "-o", ""], "Error: --out: an empty name is not a file's; - is standard output\n"),
    ],
)
def test_what_cannot_be_read_or_written(arguments: list[str], said: str) -> None:
    result = run("graph", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(said)
