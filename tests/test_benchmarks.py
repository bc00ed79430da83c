"""What the benchmarks compare ``parse_plan`` with reads every plan as it does."""

from __future__ import annotations

import pytest

from benchmarks.agreement import check_fixtures
from benchmarks.regex_parser import ParseError, parse


def test_the_parser_written_by_hand_agrees_on_all_fixtures() -> None:
    assert check_fixtures() > 50


def test_it_reads_steps_without_a_header_and_refuses_prose() -> None:
    assert [step.step_id for step in parse("1. [act] Go\n2. [act] Rest").steps] == ["1", "2"]
    with pytest.raises(ParseError, match="line 2"):
        parse("Goal: go\nSome prose\n")
