"""Cases that are tried in one test fail as they would in tests of their own."""

from __future__ import annotations

import inspect

import pytest

from tests.cases import in_one_test


@pytest.mark.parametrize("fault", [ValueError, pytest.fail.Exception, pytest.skip.Exception])
def test_every_case_that_fails_is_told(fault: type[BaseException]) -> None:
    tried = []

    @in_one_test
    @pytest.mark.parametrize(("a", "b"), [(1, 2), pytest.param(3, 4, id="second")])
    @pytest.mark.parametrize("c", "xyz")
    def check(a: int, b: int, c: str) -> None:
        tried.append((a, b, c))
        if a == 3 and c != "y":
            raise fault("why")

    with pytest.raises(BaseExceptionGroup) as caught:
        check()
    assert sorted(tried) == [(a, b, c) for a, b in ((1, 2), (3, 4)) for c in "xyz"]
    notes = sorted(note for error in caught.value.exceptions for note in error.__notes__)
    assert notes == [f"with {{'c': '{c}', 'a': 3, 'b': 4}}" for c in "xz"]


def test_marks_and_other_fixtures_stay() -> None:
    @in_one_test
    @pytest.mark.usefixtures("here")
    @pytest.mark.parametrize("case", [1])
    def check(case: int, other: str) -> None:
        assert (case, other) == (1, "other")

    check(other="other")
    assert list(inspect.signature(check).parameters) == ["other"]
    assert [mark.name for mark in check.pytestmark] == ["usefixtures"]  # type: ignore[attr-defined]
