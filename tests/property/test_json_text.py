"""What holds for any text: the reader beside the one of the standard library, and all places."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import example, given, strategies as st

from planspec_lark import Severity
from planspec_lark.json_text import read_json, scan_json
from planspec_lark.syntax import grammars
from planspec_lark.syntax.limits import NO_LIMITS
from tests.property import promises

SURROGATE = re.compile("[\ud800-\udfff]")

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False), words
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=4))
)
objects = st.dictionaries(words, values, max_size=5)
written = st.builds(
    json.dumps,
    objects,
    ensure_ascii=st.booleans(),
    indent=st.sampled_from([None, 1, "\t"]),
    separators=st.sampled_from([None, (",", ":"), (" ,\r\n", " : ")]),
)
PIECES = [
    *'{}[],:"\\ \n\t\r',
    *"''“”‘’`，：｛｝［］；、=#",
    "\ufeff", "\xa0", "\u3000", "\x00", "\x1b", "\ud800", "\udfff", "é", "文", "a", "b", "key", "0", "1", "-", "+", ".",
    "1.5e3", "1e999", "01", "0x1F", "1_000", "true", "false", "null", "True", "None", "NaN", "-Infinity", "//", "/*",
    "*/", "```", "```json\n", "~~~", "\\n", "\\u0041", "\\ud83d\\ude00", "\\ud800", '"a":', '"b": 1', "{}", "[]", "...",
    '{"a": 1}', "{'a': 1,}", "\n\n",
]  # fmt: skip
soup = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
any_text = st.text(st.characters(exclude_categories=[]), max_size=40)


@st.composite
def changed(draw: st.DrawFn) -> str:
    """A JSON text with changes."""
    text = draw(written)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 10])))
        text = text[:start] + draw(st.one_of(st.just(""), st.sampled_from(PIECES), any_text)) + text[end:]
    return text


texts = st.one_of(written, changed(), soup, soup.map('{{"a": {}'.format), any_text)


# ---------------------------------------------------------------- beside the standard library


@given(objects)
def test_what_is_written_is_read(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2)):
        found = read_json(text)
        assert found.diagnostics == []
        assert promises.is_same_json(found.value, value)
        assert promises.is_same_json(scan_json(text).value, value)
        assert scan_json(text).diagnostics == []


@given(texts)
@example('{"a": "\\ud83d\\ude00"}')
@example('{"a": "\\ude00\\ud83d"}')
@example('{"a": -0, "b": -0.0, "c": 1E400, "d": 1E-400}')
@example('\ufeff{"a":\x0c1}')
@example('{"a": 1}\x00')
@example('{"\ud800": 1}')
def test_both_readers_accept_the_same_texts(text: str) -> None:
    promises.json_is_read(text)


@given(texts)
def test_the_parser_accepts_what_the_reader_does(text: str) -> None:
    """The states are walked through by the same grammar that the parser has, and its tokens are the text."""
    from lark.exceptions import UnexpectedInput

    try:
        tree = grammars.parser("json_text").parse(text, start="text")
    except UnexpectedInput:
        assert read_json(text).has_errors
        return
    assert "".join(tree.scan_values(lambda value: value is not None)) == text
    codes = {found.code for found in read_json(text).diagnostics}
    assert codes <= {"PJ105", "PJ107", "PJ126", "PJ128", "PJ134"}


# ---------------------------------------------------------------- any text


@given(texts)
def test_nothing_ever_raises_and_everything_has_its_place(text: str) -> None:
    promises.json_is_harmless(text)


@given(texts)
def test_both_readings_find_the_same(text: str) -> None:
    """They differ in how much a finding weighs, and in what they make of a list at the top."""
    strict, tolerant = read_json(text), scan_json(text)
    if strict.has_value and tolerant.has_value:
        assert promises.is_same_json(strict.value, tolerant.value)
        assert [found.code for found in strict.diagnostics] == [found.code for found in tolerant.diagnostics]
    assert all(found.severity is Severity.ERROR for found in strict.diagnostics)
    assert tolerant.has_value or not strict.has_value


@given(written, st.data())
def test_the_place_of_a_value_spells_it(text: str, data: st.DataObject) -> None:
    found = read_json(text)
    path, value = data.draw(st.sampled_from([*promises.walk_json(found.value)]))
    span = found.span(path)
    assert promises.is_same_json(json.loads(text[span.start : span.end]), value)
    if path and isinstance(path[-1], str):
        key = found.key_span(path)
        assert json.loads(text[key.start : key.end]) == path[-1]
    if isinstance(value, str):
        start = data.draw(st.integers(0, len(value)))
        end = data.draw(st.integers(start, len(value)))
        inside = found.span_within(path, start, end)
        assert json.loads(f'"{text[inside.start : inside.end]}"') == value[start:end]


@given(changed())
def test_limits_bound_what_is_reported(text: str) -> None:
    all_of_it = read_json(text, limits=NO_LIMITS).diagnostics
    assert all_of_it == read_json(text).diagnostics
