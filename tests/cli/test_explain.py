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


@pytest.mark.parametrize(
    ("word", "codes"),
    [("bad-id", ["PS110"]), ("Orphan-Line", ["PS107", "HS116"]), ("unknown_step_ref", ["PT301"])],
)
def test_a_name_says_as_much_as_its_codes(word: str, codes: list[str]) -> None:
    assert run("explain", word).stdout == "\n".join(run("explain", code).stdout for code in codes)


def test_an_unknown_code_is_refused() -> None:
    done = run("explain", "PS11o")
    assert done.exit_code == 2
    assert "No such code 'PS11o'. Codes are two letters and three digits, such as PS110, which has" in done.stderr
    assert len(run("explain", "x" * 10_000).stderr) < 250
    with pytest.raises(KeyError):
        explanation("PS999")
