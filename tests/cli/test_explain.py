"""What `planspec explain` says of each code."""

from __future__ import annotations

import pytest

from planspec_lark.syntax import CODES
from planspec_lark.syntax.explanations import explanation
from tests.cases import in_one_test
from tests.cli.running import run


@in_one_test
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


@pytest.mark.parametrize(
    ("word", "codes"),
    [("bad-id", ["PS110"]), ("Orphan-Line", ["PS107", "HS116"]), ("unknown_step_ref", ["PT301"])],
)
def test_a_name_says_as_much_as_its_codes(word: str, codes: list[str]) -> None:
    assert run("explain", word).stdout == "\n".join(run("explain", code).stdout for code in codes)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("bad-idd", "bad-id"), ("bad id", "bad-id"), ("ps11", "PS110"), ("UNKNOWN_STEP_RF", "UNKNOWN_STEP_REF")],
)
def test_a_word_that_is_almost_one(word: str, meant: str) -> None:
    done = run("explain", word)
    assert (done.exit_code, done.stderr.endswith(f" Did you mean {meant!r}?\n")) == (2, True), done.stderr


def test_an_unknown_code_is_refused() -> None:
    done = run("explain", "PS11o")
    assert done.exit_code == 2
    assert "No such code 'PS11o'. Codes are two letters and three digits, such as PS110, which has" in done.stderr
    assert len(run("explain", "x" * 10_000).stderr) < 250
    with pytest.raises(KeyError):
        explanation("PS999")
