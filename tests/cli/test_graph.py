"""`planspec graph`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planspec_lark import parse_plan
from planspec_lark.planspec import draw_plan
from tests.cli.running import PLAN, run

DRAWN = parse_plan(PLAN)


@pytest.mark.parametrize(
    ("arguments", "diagram"),
    [
        ([], draw_plan(DRAWN)),
        (["--format", "dot"], draw_plan(DRAWN, "dot")),
        (["--flow"], draw_plan(DRAWN, view="flow")),
        (["--tree", "--format", "dot"], draw_plan(DRAWN, "dot", view="tree")),
    ],
)
def test_a_diagram(arguments: list[str], diagram: str, here: Path) -> None:
    result = run("graph", "plan.md", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (0, diagram, "")
    assert run("graph", "-", *arguments, stdin=PLAN).stdout == diagram
    for _ in ("a new file", "one that is there"):
        result = run("graph", "plan.md", *arguments, "-o", "diagram")
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


def test_an_image(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made by a program that says what it was given."""
    (here / "dot").write_text('#!/bin/sh\necho "$@"; cat\n')
    (here / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{here}:/usr/bin:/bin")
    assert run("graph", "plan.md", "--format", "svg").stdout == "-Tsvg\n" + draw_plan(DRAWN, "dot")


def test_a_picture_without_graphviz(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run("graph", "plan.md", "--format", "svg", "-o", "plan.svg")
    said = "Error: SVG is made by Graphviz, and its program `dot` is not installed here\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)
    assert not (here / "plan.svg").exists()


def test_a_picture_takes_too_long(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "dot").write_text("#!/bin/sh\nexec sleep 60\n")
    (here / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{here}:/usr/bin:/bin")
    result = run("graph", "plan.md", "--format", "svg", "--timeout", "0.2")
    assert (result.exit_code, result.stderr) == (2, "Error: Graphviz has not ended after 0.2 seconds\n")
