"""Reading JSON texts: what a caller gets, beside the fixtures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from planspec_lark import Severity
from planspec_lark.json_text import JsonText, read_json, scan_json
from planspec_lark.json_text.models import MISSING
from planspec_lark.json_text.value_reader import JsonInput, ValueReader
from planspec_lark.syntax import Limits, Source
from planspec_lark.syntax.limits import NO_LIMITS


def codes(found: JsonText) -> list[str]:
    return [one.code for one in found.diagnostics]


# ---------------------------------------------------------------- values


def test_null_is_a_value_and_nothing_is_none() -> None:
    assert read_json("null").value is MISSING
    assert not read_json("null").has_value
    assert read_json("{}").has_value


@pytest.mark.parametrize(
    ("digits", "is_fine"), [("9" * 400, True), ("-" + "9" * 400, True), ("9" * 401, False), ("9" * 5000, False)]
)
def test_an_integer_has_at_most_400_digits(digits: str, is_fine: bool) -> None:
    found = read_json(f'{{"a": {digits}}}')
    assert codes(found) == ([] if is_fine else ["PJ134"])
    assert found.value == ({"a": int(digits)} if is_fine else {})


def test_of_a_key_that_comes_twice_the_first_counts() -> None:
    for read in (read_json, scan_json):
        found = read('{"a": 1, "b": {"c": 1, "c": {"d": 2}}, "a": [3]}')
        assert found.value == {"a": 1, "b": {"c": 1}}
        assert [(one.code, one.severity) for one in found.diagnostics] == [("PJ128", Severity.ERROR)] * 2
        assert found.source.text[found.span(("a",)).start] == "1"


def test_the_first_place_of_a_duplicate_is_named() -> None:
    found = read_json('{\n  "a": 1,\n  "b": 2, "a": 3,\n  "b": 4, "a": 5\n}')
    assert [one.message for one in found.diagnostics] == [
        'duplicate key `"a"`, first seen in line 2, column 3',
        'duplicate key `"b"`, first seen in line 3, column 3',
        'duplicate key `"a"`, first seen in line 2, column 3',
    ]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "oops", "2024-01-01", "07", "tru e"])
def test_nothing_is_made_up(value: str) -> None:
    found = scan_json(f'{{"a": {value}, "b": [1, {value}, 2]}}')
    assert found.value == {"b": [1, 2]}
    assert [one.severity for one in found.diagnostics] == [Severity.ERROR] * 2
    assert [one.path for one in found.diagnostics] == ["a", "b[1]"]


@pytest.mark.parametrize("piece", ["\ud800", "\\\ud800", "\\ud800", "\\ude00\\ud83d", "\\ud83d\ude00"])
def test_no_text_has_a_lone_surrogate(piece: str) -> None:
    found = scan_json(f'{{"a": "x{piece}y", "{piece}": 1}}')
    assert found.has_errors
    assert "\ufffd" in found.value["a"]
    str(found.value).encode()


@pytest.mark.parametrize("end", ["", " ", "\n"])
def test_a_number_at_the_very_end_may_have_been_cut(end: str) -> None:
    found = scan_json('{"a": [1, 23' + end)
    assert found.value == ({"a": [1, 23]} if end else {"a": [1]})
    assert codes(found) == ["PJ106"]
    found = scan_json('{"a": [1, 23]' + end)
    assert found.value == {"a": [1, 23]}


def test_a_number_is_read_only_if_nothing_else_is_glued_to_it() -> None:
    assert scan_json('{"a": 12kg, "b": 12}').value == {"b": 12}


# ---------------------------------------------------------------- several objects


def test_one_with_members_comes_before_an_empty_one() -> None:
    assert scan_json('{} {"a": 1} {"b": 2}').value == {"a": 1}


def test_one_that_lost_nothing_comes_before_others() -> None:
    assert scan_json('{"a": NaN, "b": 1} {"a": 1,}').value == {"a": 1}


def test_one_that_is_preferred_comes_before_all() -> None:
    found = scan_json('{"a": 1} {"b": 2, "c": NaN} {"a": 3}', prefer=lambda value: "b" in value)
    assert found.value == {"b": 2}
    assert codes(found) == ["PJ104", "PJ132", "PJ104"]
    found = scan_json('{"a": 1} {"b": 2}', prefer=lambda _: False)
    assert found.value == {"a": 1}


def test_two_that_are_preferred_and_differ_are_an_error_where_one_is_asked_for() -> None:
    def scan(text: str) -> list[tuple[str, str, str]]:
        found = scan_json(text, prefer=lambda value: "b" in value)
        return [(one.code, one.severity.value, one.message) for one in found.diagnostics]

    left_out = ("PJ104", "info", "a second object is left out: only one counts")
    assert scan('{"b": 1, "c": 2}\n{"c": 2, "b": 1}\n{"a": 1}') == [left_out] * 2
    refused = ("PJ104", "error", "two different objects, in lines 1 and 3: which one counts?")
    assert scan('{"b": 1}\n\n{"b": 2}') == [refused]
    # The one that counts is not always the first.
    lost = scan('{"b": 1, "c": NaN}\n\n{"b": 2}')
    assert lost == [refused]
    assert scan('{"a": 1}\n{"c": 2}') == [left_out]


def test_behind_one_that_is_too_deep_nothing_is_read() -> None:
    deep = '{"a": ' + "[" * 64 + "]" * 64 + "}"
    assert codes(scan_json(f'{deep} {{"b": 1}}')) == ["PJ107"]
    found = scan_json(f'{{"b": 1}} {deep}', prefer=lambda _: False)
    assert found.value == {"b": 1}
    assert codes(found) == ["PJ104"]


def test_braces_of_other_languages_are_text() -> None:
    found = scan_json('Use {name} and {{other}}, not ${x} or {a, b}.\n{"a": 1}')
    assert found.value == {"a": 1}
    assert codes(found) == ["PJ102"]


# ---------------------------------------------------------------- places


def spelled(found: JsonText, path: Sequence[str | int]) -> str:
    span = found.span(path)
    return found.source.text[span.start : span.end]


TEXT = 'So:\n```\n{"a": [1, {"b c": "x\\ty\\ud83c\\udf0az"}], "d": \'it\\\'s\'}\n```\n'


@pytest.mark.parametrize(
    ("path", "expected", "key"),
    [
        ((), '{"a": [1, {"b c": "x\\ty\\ud83c\\udf0az"}], "d": \'it\\\'s\'}', ""),
        (("a",), '[1, {"b c": "x\\ty\\ud83c\\udf0az"}]', '"a"'),
        (("a", 0), "1", ""),
        (("a", 1), '{"b c": "x\\ty\\ud83c\\udf0az"}', ""),
        (("a", 1, "b c"), '"x\\ty\\ud83c\\udf0az"', '"b c"'),
        (("d",), "'it\\'s'", '"d"'),
    ],
)
def test_positions(path: tuple[str | int, ...], expected: str, key: str) -> None:
    found = scan_json(TEXT)
    assert spelled(found, path) == expected
    span = found.key_span(path)
    assert found.source.text[span.start : span.end] == (key or expected)
    assert span.line == 3


@pytest.mark.parametrize("path", [("a", 2), ("a", -1), ("a", "b"), ("a", 0, "b"), ("x",), ("x", "y"), (0,)])
def test_what_is_not_there_is_at_its_nearest_ancestor(path: tuple[str | int, ...]) -> None:
    found = read_json('{"a": [1, 2], "b": 3}')
    expected = {"a": "[1, 2]" if path != ("a", 0, "b") else "1"}.get(str(path[0]), found.source.text)
    assert spelled(found, path) == expected
    assert found.key_span(path) == found.span(path)
    assert found.span_within(path, 0, 1) == found.span(path)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 1, "x"), (1, 2, "\\t"), (0, 2, "x\\t"), (2, 4, "y\\ud83c\\udf0a"), (3, 4, "\\ud83c\\udf0a"), (4, 5, "z"),
     (4, 99, "z"), (5, 5, ""), (-3, 1, "x"), (2, 1, "")],
)  # fmt: skip
def test_positions_within_a_text(start: int, end: int, expected: str) -> None:
    found = scan_json(TEXT)
    assert found.value["a"][1]["b c"] == "x\ty🌊z"
    span = found.span_within(("a", 1, "b c"), start, end)
    assert found.source.text[span.start : span.end] == expected


def test_what_is_left_out_has_no_place() -> None:
    found = read_json('{"a": 1, "a": {"b": [2]}, "c": 3}')
    assert found.span(("b",)) == found.span(())
    assert spelled(found, ("a", "b")) == "1"
    assert spelled(found, ("c",)) == "3"


def test_a_text_without_a_value_has_a_place_all_the_same() -> None:
    found = read_json("nothing")
    assert (found.span(("a",)).start, found.key_span(()).end, found.span_within((), 0, 3).end) == (0, 0, 0)


# ---------------------------------------------------------------- limits


def test_a_search_in_vain_is_not_made_again() -> None:
    """Else each of many quotes with a backslash would be looked for an end of its string up to the end of the text."""
    text = '{"a\n' + '\\"b\n' * 3
    given = JsonInput(text, Source(text), NO_LIMITS, is_strict=False)
    ValueReader(given, 0).run()
    assert given.searched == len(text) - 1


def test_a_text_that_is_too_long_is_not_read() -> None:
    for read in (read_json, scan_json):
        found = read('{"a": "' + "é" * 100 + '"}', limits=Limits(max_bytes=208), name="long")
        assert codes(found) == ["PS121"]
        assert not found.has_value
        assert found.source.name == "long"
        assert read('{"a": "' + "é" * 100 + '"}', limits=Limits(max_bytes=209)).diagnostics == []


@pytest.mark.parametrize("text", ['{"a": [[1]]}', '{"a": {"b": {"c": 1}}}', '[{"a": [1]}]'])
def test_levels_are_counted_from_the_top(text: str) -> None:
    found = read_json(text, limits=Limits(max_depth=2), allow_list=True)
    assert codes(found) == ["PJ107"]
    assert not found.has_value
    assert codes(read_json(text, limits=Limits(max_depth=3), allow_list=True)) == []


def test_without_a_limit_any_depth_is_read() -> None:
    depth = 20_000
    found = read_json('{"a": ' * depth + "1" + "}" * depth, limits=NO_LIMITS)
    assert found.diagnostics == []
    value: Any = found.value
    for _ in range(depth):
        value = value["a"]
    assert value == 1
    assert spelled(found, ["a"] * depth) == "1"
    found = read_json('{"a": [' * depth + "oops", limits=NO_LIMITS)
    assert codes(found) == ["PJ106"]
    assert len(found.diagnostics[0].path) < 1000


def test_findings_beyond_a_limit_are_counted() -> None:
    found = read_json('{"a": [' + "NaN," * 10 + "]}", limits=Limits(max_findings=3))
    assert codes(found) == ["PJ132"] * 3 + ["PS120"]
    assert found.diagnostics[-1].message == "8 more findings are not listed"


def test_behind_too_many_faults_nothing_is_read() -> None:
    text = '{"a": [' + "NaN, " * 20_000 + '1]} {"b": 2}'
    found = scan_json(text, limits=NO_LIMITS)
    assert found.value == {"a": []}
    assert codes(found) == ["PJ132"] * 10_000 + ["PJ118", "PJ102"]
    assert found.diagnostics[-2].message == "nothing was read from here on: there are too many faults"


def test_what_is_hardly_json_is_given_up() -> None:
    found = scan_json('{"note": ' + "so, and on: " * 40 + '\n{"a": 1}')
    assert found.value == {"a": 1}
    assert codes(found) == ["PJ104", "PJ102"]
    strict = read_json('{"note": ' + "so, and on: " * 40)
    assert strict.diagnostics[-2].message == "nothing was read from here on: too little of the text is JSON"
