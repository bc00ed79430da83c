"""Types by their names: which values are of them, and which go together."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark.toolplan.types import accepts, fits, kinds_of

VALUES: dict[str, list[Any]] = {
    "string": ["", "x"],
    "integer": [0, -3, 2.0, 10**400],
    "number": [0.5, 1, float("inf"), float("nan")],
    "boolean": [True, False],
    "array": [[], [1]],
    "object": [{}, {"a": 1}],
    "null": [None],
}
ALIASES = ["String", " str ", "text", "INT", "float", "double", "bool", "list", "dict", "map", "none"]


@pytest.mark.parametrize("name", VALUES)
def test_values_are_of_their_types(name: str) -> None:
    for kind, values in VALUES.items():
        for value in values:
            # Whole numbers are numbers as well, and there is one among those.
            is_right = kind == name or ({kind, name} == {"number", "integer"} and (kind == "integer" or value == 1))
            assert accepts(kinds_of([name]), value) == is_right


@pytest.mark.parametrize("name", ALIASES)
def test_types_have_other_names(name: str) -> None:
    assert (kinds_of([name]) or frozenset()) < set(VALUES)
    assert kinds_of([name])


@pytest.mark.parametrize("names", [[], ["any"], ["file"], ["string", "any"], [""]])
def test_what_is_not_known_may_be_anything(names: list[str]) -> None:
    assert kinds_of(names) is None
    assert accepts(None, object())
    assert fits(None, kinds_of(["string"]))
    assert fits(kinds_of(["string"]), None)


@pytest.mark.parametrize(
    ("given", "wanted", "right"),
    [
        (["string"], ["string"], True),
        (["string"], ["integer"], False),
        (["integer"], ["number"], True),
        (["number"], ["integer"], False),
        (["null", "string"], ["string"], True),
        (["array"], ["object", "string"], False),
    ],
)
def test_types_that_go_together(given: list[str], wanted: list[str], right: bool) -> None:
    assert fits(kinds_of(given), kinds_of(wanted)) == right


def test_what_is_no_json_value_is_of_any_type() -> None:
    assert accepts(kinds_of(["string"]), object())
