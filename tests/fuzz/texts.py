"""Hostile input for the fuzz job: texts that are nearly right, and JSON that is nearly a plan.

What the strategies of the property tests make is in it too; here more comes from the fixtures, and things get longer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st

from planspec_lark import plan_to_json
from planspec_lark.planspec import plan_to_dict
from tests import strategies
from tests.corpus import FIXTURES, read

__all__ = ["json_texts", "json_values", "texts"]

_CONTROLS = ["\x00", "\x07", "\x0b", "\x0c", "\r", "\x1b[2J", "\x7f", "\x85", "\x9b31m"]
_UNICODE = [
    "\ufeff",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2028",
    "\u3000",
    "\xa0",
    "\ud800",
    "\udfff",
    "\U000e0041",
    "\u0301" * 9,
    "\uff11\uff0e",
    "\u0661",
    "\u00b2",
    "\u212a",
    "\u017f",
    "\u0130",
    "\U0010ffff",
]
_JUNK = st.one_of(
    st.sampled_from(strategies.FRAGMENTS),
    st.sampled_from([*_CONTROLS, *_UNICODE]),
    st.text(st.characters(exclude_categories=[]), min_size=1, max_size=3),
)
_RUN = st.builds(str.__mul__, _JUNK, st.sampled_from([2, 3, 10, 100, 1000]))


@cache
def _samples() -> tuple[str, ...]:
    """The texts of all fixtures that are UTF-8, shortest first."""
    found = []
    for path in FIXTURES.rglob("*.*"):
        if path.suffix != ".codes" and path.is_file():
            try:
                found.append(read(path))
            except UnicodeDecodeError:
                continue
    return tuple(sorted(found, key=lambda text: (len(text), text)))


@cache
def _rows() -> tuple[str, ...]:
    """All different lines of the fixtures."""
    return tuple(dict.fromkeys(row for text in _samples() for row in text.split("\n")))


def _one_of(values: tuple[str, ...]) -> st.SearchStrategy[str]:
    """One of many values; as ``sampled_from``, but for its representation, which would hold them all."""
    return st.integers(0, len(values) - 1).map(values.__getitem__)


@cache
def _pieces() -> tuple[str, ...]:
    """What the lines of the fixtures consist of: words, signs, and runs of white space."""
    return tuple(dict.fromkeys(piece for row in _rows() for piece in re.findall(r"\w+|[ \t]+|[^\w \t]+", row)))


# ---------------------------------------------------------------- changes


def _put(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.one_of(_JUNK, _JUNK, _RUN)) + text[at:]


def _cut(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + text[at + draw(st.integers(1, 8)) :]


def _double(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + text[at : at + draw(st.integers(1, 40))] * draw(st.integers(2, 12)) + text[at:]


def _change_byte(draw: st.DrawFn, text: str) -> str:
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if data:
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return data.decode("utf-8", "surrogateescape")


def _move_row(draw: st.DrawFn, text: str) -> str:
    rows = text.split("\n")
    row = rows.pop(draw(st.integers(0, len(rows) - 1)))
    rows.insert(draw(st.integers(0, len(rows))), row)
    return "\n".join(rows)


def _put_row(draw: st.DrawFn, text: str) -> str:
    rows = text.split("\n")
    rows.insert(draw(st.integers(0, len(rows))), draw(_one_of(_rows())))
    return "\n".join(rows)


def _splice(draw: st.DrawFn, text: str) -> str:
    other = draw(_one_of(_samples()))
    return text[: draw(st.integers(0, len(text)))] + other[draw(st.integers(0, len(other))) :]


def _end_otherwise(draw: st.DrawFn, text: str) -> str:
    return text.replace("\n", draw(st.sampled_from(["\r\n", "\r", "\n\n", " \n", "\u2028", "\n\t"])))


def _replace_all(draw: st.DrawFn, text: str) -> str:
    old = draw(st.sampled_from([" ", "|", "→", "[", "]", ".", ">", "←", ":", "-", "#", "1", "\\", ","]))
    return text.replace(old, draw(_JUNK), draw(st.sampled_from([1, 5, -1])))


def _lead(draw: st.DrawFn, text: str) -> str:
    return draw(st.sampled_from(["\ufeff", "\n\n", "```\n", "Sure!\n\n", "\x00", "\ufeff\ufeff"])) + text


_CHANGES: list[Callable[[st.DrawFn, str], str]] = [
    _put,
    _cut,
    _double,
    _change_byte,
    _move_row,
    _put_row,
    _splice,
    _end_otherwise,
    _replace_all,
    _lead,
]


@st.composite
def _changed(draw: st.DrawFn, given: st.SearchStrategy[str]) -> str:
    text = draw(given)
    for _ in range(draw(st.integers(1, 5))):
        text = draw(st.sampled_from(_CHANGES))(draw, text)
    return text


# ---------------------------------------------------------------- texts


@cache
def texts() -> st.SearchStrategy[str]:
    """Texts as a stranger might send them."""
    samples = _one_of(_samples())
    soup = st.lists(st.one_of(_one_of(_pieces()), _JUNK, st.just("\n")), max_size=40).map("".join)
    rows = st.lists(_one_of(_rows()), max_size=12).map("\n".join)
    return st.one_of(_changed(samples), _changed(samples), _changed(rows), soup, _changed(soup), strategies.any_text)


# ---------------------------------------------------------------- JSON

_KEYS = [
    "title", "goal", "goal_detail", "constraints", "steps", "step_id", "step_name", "step_type", "description",
    "inputs", "outputs", "detail", "result", "status", "expanded", "done_count", "total_count", "children", "", "\x1b",
]  # fmt: skip
_scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from([10**9, 10**400, 0.0, 1.5, 1e308, float("inf"), float("nan"), "1", "1.1", "act", "done"]),
    strategies.wild,
)
_any_value: st.SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=6)),
    max_leaves=12,
)


@st.composite
def _changed_value(draw: st.DrawFn) -> object:
    """The value of a plan with other values in some of its places."""
    root: Any = plan_to_dict(draw(strategies.plans))
    for _ in range(draw(st.integers(1, 3))):
        place, key = root, draw(st.sampled_from(_KEYS))
        while isinstance(place, dict) and draw(st.booleans()):
            below = place.get("steps") or place.get("children")
            if not (isinstance(below, list) and below):
                break
            place = draw(st.sampled_from(below))
        if isinstance(place, dict):
            place[key] = draw(_any_value)
    return root


def _nest(depth: int, key: str) -> object:
    value: object = []
    for _ in range(depth):
        value = [value] if not key else {"step_id": "1", key: [value]}
    return value


_deep_values = st.builds(
    lambda depth, key, owner: {"steps": [{"step_id": "1", owner: _nest(depth, key)}]},
    st.sampled_from([10, 300, 3000]),
    st.sampled_from(["", "children"]),
    st.sampled_from(["children", "status", "title", "inputs", "step_id", "done_count"]),
)


@cache
def json_values() -> st.SearchStrategy[object]:
    """What might be taken for the value of a plan; also what JSON cannot spell."""
    odd = st.sampled_from([b"x", (1,), {1, 2}, {1: 2}, {None: 3}, 10**5000, object(), range(3), "\ud800"])
    return st.one_of(_changed_value(), _any_value, _deep_values, odd, st.builds(lambda v: {"title": v}, odd))


@cache
def json_texts() -> st.SearchStrategy[str]:
    """JSON texts of plans with changes, of anything, and bombs."""
    plans = strategies.plans.map(plan_to_json)
    encoded = st.one_of(_changed_value(), _any_value).map(json.dumps)
    bomb = st.builds(
        lambda start, times, end: start * times + end,
        st.sampled_from(["[", '{"steps":[', '{"steps":[{"step_id":"1","children":[', '{"title":', "1", "-", '"', " "]),
        st.sampled_from([1, 20, 600, 5000, 100_000]),
        st.sampled_from(["", "]", "}", "1", "null"]),
    )
    inside = st.builds('{{"steps":[{{"step_id":"1","done_count":{}}}]}}'.format, bomb)
    fenced = _changed(encoded).map("Here:\n```json\n{}\n```\n".format)
    return st.one_of(plans, _changed(plans), encoded, _changed(encoded), fenced, bomb, inside, texts())
