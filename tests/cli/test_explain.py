"""What `planspec explain` says of each code."""

from __future__ import annotations

import pytest

from planspec_lark import CODES
from planspec_lark.syntax.explanations import explanation
from tests.cli.running import run


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_its_summary_and_an_example(code: str) -> None:
    done = run("explain", code)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{code} {CODES[code].name}\n\n")
    assert f"{CODES[code].severity.value.title()}: {CODES[code].summary}\n" in done.stdout
    # Two examples, or one in Python; their lines are indented.
    titles = [row for row in done.stdout.splitlines() if row in ("Wrong:", "Right:", "Refused:", "Accepted:")]
    assert titles in (["Wrong:", "Right:"], ["Refused:", "Accepted:"]) or (
        not titles and "\nIn Python:\n" in done.stdout
    )
    # Nothing of Markdown is left but in examples.
    said = [row for row in done.stdout.splitlines() if not row.startswith("    ")]
    assert [row for row in said if "](" in row or "**" in row or row.startswith(("#", "```"))] == []


def test_an_example_is_shown_as_it_is() -> None:
    assert run("explain", "ps114").stdout == (
        "PS114 empty-segment\n\n"
        f"Error: {CODES['PS114'].summary}\n\n"
        "A bar that belongs to the text is written `\\|`.\n\n"
        "Wrong:\n\n"
        "    Goal: Print the yearbook\n"
        "    ## Steps\n"
        "    1. [x] [act] Collect the photos → photos |\n"
        "    2. [x] [act] Set the pages → pages | | 118 pages\n\n"
        "Right:\n\n"
        "    Goal: Print the yearbook\n"
        "    ## Steps\n"
        "    1. [x] [act] Collect the photos → photos\n"
        "    2. [x] [act] Set the pages → pages | 118 pages\n"
        "    3. [act] Draw a frame with the characters - and \\|\n"
    )


def test_an_unknown_code_is_refused() -> None:
    done = run("explain", "PS11o")
    assert done.exit_code == 2
    assert "No such code 'PS11o'. Codes are two letters and three digits, such as PS110." in done.stderr
    assert len(run("explain", "x" * 10_000).stderr) < 250
    with pytest.raises(KeyError):
        explanation("PS999")
