"""Cases that are tried in one test: each is over sooner than pytest needs for a test of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import product
from typing import Any

import pytest


def in_one_test(test: Callable[..., None]) -> Callable[..., None]:
    """Try all cases of a parametrised test in one. All that fail are told, each with its values.

    Only for tests that need no fixture for a single case, such as a folder or a snapshot.
    """
    marks = list(test.pytestmark)  # type: ignore[attr-defined]
    cases = [list(_cases_of(mark)) for mark in marks if mark.name == "parametrize"]

    @wraps(test)
    def try_all(**fixtures: object) -> None:
        failures: list[BaseException] = []
        for parts in product(*cases):
            values = {name: value for part in parts for name, value in part.items()}
            try:
                test(**fixtures, **values)
            # One that is skipped would take the others with it.
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                error.add_note(f"with {values!r:.1000}")
                failures.append(error)
        if failures:
            raise BaseExceptionGroup(f"{test.__name__} fails in {len(failures)} cases", failures)

    signature = inspect.signature(test)
    names = {name for part in cases for name in part[0]}
    others = [one for one in signature.parameters.values() if one.name not in names]
    try_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
    try_all.pytestmark = [mark for mark in marks if mark.name != "parametrize"]  # type: ignore[attr-defined]
    return try_all


def _cases_of(mark: pytest.Mark) -> Iterator[dict[str, Any]]:
    """The arguments of each case, by their names."""
    names, values = mark.args[:2]
    several = not isinstance(names, str) or "," in names
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    for value in values:
        if hasattr(value, "marks"):
            assert not value.marks, "a case with a mark of its own needs a test of its own"
            yield dict(zip(names, value.values, strict=True))
        else:
            yield dict(zip(names, value if several else [value], strict=True))
