"""tests/plan_next/obligations.md and the tests name each other: nothing without a test, no test left out."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from planspec_lark.syntax import CODES
from tests.cases import in_one_test
from tests.plan_next.obligations import numbers_of

HERE = Path(__file__).parent
PAGE = HERE / "obligations.md"
HOLDERS = {"reader", "schema", "strict", "runtime", "context", "kernel", "brief"}


@frozen
class Row:
    """One row of the page's tables."""

    number: str
    obligation: str
    holders: str
    tests: tuple[str, ...]

    @property
    def codes(self) -> list[str]:
        return re.findall(r"P[A-Z]\d{3}", self.holders)


def rows() -> Iterator[Row]:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"\| ([MBF]\d+) \| (.+?) \| (.+?) \| (.+?) \|", line)
        if match:
            yield Row(match[1], match[2], match[3], tuple(re.findall(r"`([^`]+)`", match[4])))


ROWS = list(rows())


def marked() -> dict[str, Callable[..., Any]]:
    """All tests that hold something, by file and function."""
    found = {}
    for path in sorted(HERE.glob("test_*.py")):
        if "@holds(" not in path.read_text(encoding="utf-8"):
            continue
        module = import_module(f"tests.plan_next.{path.stem}")
        for name, test in vars(module).items():
            if name.startswith("test_") and numbers_of(test):
                found[f"{path.name}::{name}"] = test
    return found


def test_the_numbers_have_no_gaps() -> None:
    for letter, count in (("M", 25), ("B", 49), ("F", 11)):
        numbers = [row.number for row in ROWS if row.number.startswith(letter)]
        assert numbers == [f"{letter}{number}" for number in range(1, count + 1)]


def test_the_page_and_the_tests_name_the_same() -> None:
    on_page = {(row.number, test) for row in ROWS for test in row.tests}
    in_tests = {(number, name) for name, test in marked().items() for number in numbers_of(test)}
    assert on_page == in_tests


@in_one_test
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_each_test_exists_and_looks_at_what_the_row_names(row: Row) -> None:
    assert row.tests
    sources = []
    for test in row.tests:
        file, name = test.split("::")
        assert (HERE / file).is_file()
        function = getattr(import_module(f"tests.plan_next.{file.removesuffix('.py')}"), name)
        sources.append(inspect.getsource(function))
    for code in row.codes:
        assert code in CODES
        assert any(code in source for source in sources), f"no test of {row.number} looks for {code}"


@in_one_test
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_each_row_says_who_holds_it(row: Row) -> None:
    assert row.obligation.endswith(".")
    words = {word for word in re.split(r"[ ,]+", row.holders) if word not in CODES}
    assert words <= HOLDERS
    assert words or row.codes


@in_one_test
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_what_only_the_brief_holds_has_a_test_of_the_brief(row: Row) -> None:
    assert ("brief" in row.holders) == any(test.startswith("test_obligations_prompt.py::") for test in row.tests)
