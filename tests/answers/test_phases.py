"""Phases in plain Markdown: headings above steps, and what stands below them besides the steps."""

# ruff: noqa: E501  (a text is easier to read in one line)
from __future__ import annotations

import pytest

from planspec_lark import extract_plan, serialize_plan
from planspec_lark.answers import Verdict
from tests.cases import in_one_test

BOLD = "**Phase 1: Prepare**\n1. Sand the doors\n2. Prime the doors\n\n**Phase 2: Paint**\n1. Paint the doors\n2. Hang the doors\n\n"


def read(text: str) -> tuple[str, bool]:
    """The steps of a plan, and whether it is accepted."""
    found = extract_plan(text, default_type="act")
    return serialize_plan(found.plan).rpartition("## Steps\n")[2], found.verdict is Verdict.ACCEPTED


def test_what_is_in_parentheses_behind_a_bold_phase_belongs_to_its_name() -> None:
    steps, is_accepted = read(f"{BOLD}**Phase 3: Lamp** (2 days)\n1. Hang the lamp\n")
    assert is_accepted
    assert steps.endswith("  2.2. [act] Hang the doors\n3. [subtask] Lamp (2 days)\n  3.1. [act] Hang the lamp\n")


@in_one_test
@pytest.mark.parametrize(
    "said", ["optional", "Future", "if time permits", "stretch goal", "tentative", "the owners said no", "可选"]
)
@pytest.mark.parametrize("name", ["**Phase 3: Lamp** ({})", "**Phase 3: Lamp ({})**", "**Phase 3: Lamp** *({})*"])
def test_a_phase_that_may_not_be_done_is_held_back(name: str, said: str) -> None:
    assert not read(f"{BOLD}{name.format(said)}\n1. Hang the lamp\n")[1]
