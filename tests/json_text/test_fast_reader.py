"""The standard library's reader in front of our own: the same values, and no text that is not right."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from planspec_lark.json_text import fast_reader, read_json
from planspec_lark.json_text.models import MISSING
from planspec_lark.json_text.parser import JSON_LIMITS, _read_slowly
from planspec_lark.syntax import Limits, Source
from tests.fuzz.texts import json_texts

_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=20,
)


def fast(text: str) -> object:
    return fast_reader.read(text, JSON_LIMITS.max_depth)


@given(st.dictionaries(st.text(), _VALUES, max_size=6), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_is_right_is_read_at_once(value: dict[str, object], indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert repr(fast(text)) == repr(value)


@pytest.mark.parametrize(
    ("piece", "meant"),
    [
        ("\\ud83c\\udf31", "🌱"),
        ("\\uD83C\\uDF31\\ud83c\\udf31", "🌱🌱"),
        ("\\\\\\ud83c\\udf31\\\\", "\\🌱\\"),
        ("\\\\ud83c\\\\udf31", "\\ud83c\\udf31"),
        ('\\"\\ud83c\\udf31\\"', '"🌱"'),
        # Halves, among them those that a backslash parts from the other.
        ("\\\\ud83c\\udf31", None),
        ("\\ud83c\\\\udf31", None),
        ("\\udf31\\ud83c", None),
        ("\\ud83c 🌱 \\udf31", None),
        ('\\ud83c", "\\udf31', None),
        ("\\ud83c", None),
    ],
)
@pytest.mark.parametrize("form", ['{"a": ["%s"]}', '{"%s": "a"}', '{"a": [{"b": 1.5, "c": ["%s"]}]}'])
def test_pairs_of_surrogates_are_read_at_once_and_halves_are_not(form: str, piece: str, meant: str | None) -> None:
    text = form % piece
    slow = _read_slowly(Source(text), JSON_LIMITS)
    if meant is None:
        assert fast(text) is MISSING
        assert "PJ126" in [found.code for found in slow.diagnostics]
    else:
        assert fast(text) == json.loads(form % json.dumps(meant, ensure_ascii=False)[1:-1])
        assert repr(fast(text)) == repr(slow.value)


@given(json_texts())
def test_both_readers_agree(text: str) -> None:
    found, slow = fast(text), _read_slowly(Source(text), JSON_LIMITS)
    if isinstance(found, dict):
        assert slow.diagnostics == []
        assert repr(found) == repr(slow.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 1e999}',
        f'{{"a": {"1" * 401}}}',
        '{"a": "\\ud800"}',
        '{"a": "\ud800"}',
        '{"a": 1} x',
        "",
        '{"a": ' * 65 + "1" + "}" * 65,
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_what_is_not_right_is_left_to_the_other_reader(text: str) -> None:
    assert fast(text) is MISSING


@pytest.mark.parametrize("inside", ["1", '"{[]}"', '"]]}}"'])
@pytest.mark.parametrize(("opened", "closed"), [('{"a": ', "}"), ('{"a": [', "]}")])
def test_the_deepest_text_that_is_allowed_is_read(opened: str, closed: str, inside: str) -> None:
    text = opened * 3 + inside + closed * 3
    levels = len(closed) * 3
    for most in range(1, levels + 2):
        found = fast_reader.read(text, most)
        assert found == (json.loads(text) if levels <= most else MISSING)
        assert read_json(text, limits=Limits(max_depth=most)).has_value == (levels <= most)


@pytest.mark.parametrize("text", ['{"a": ["]", [[1]], "["]}', '{"a": ["\\"", "]", [[1]], "[", "\\""]}'])
def test_brackets_in_texts_hide_no_level(text: str) -> None:
    assert read_json(text, limits=Limits(max_depth=4)).has_value
    assert not read_json(text, limits=Limits(max_depth=3)).has_value


def test_positions_are_found_when_they_are_asked_for() -> None:
    read = read_json('\ufeff{"a": [1, {"b": "\\u0041x"}]}')
    assert read.value == {"a": [1, {"b": "Ax"}]}
    place = read.span(("a", 1, "b"))
    assert read.source.text[place.start : place.end] == '"\\u0041x"'
    assert read.key_span(("a",)).start == 2
    assert read.span_within(("a", 1, "b"), 1, 2).start == place.start + 7
