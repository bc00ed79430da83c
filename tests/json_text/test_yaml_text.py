"""YAML texts as plain values with places; everything else that YAML can say is refused."""

from __future__ import annotations

import json
import sys
import time
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from planspec_lark import Severity, render
from planspec_lark.json_text.yaml_text import YAML_LIMITS, MissingYamlError, read_yaml
from planspec_lark.syntax import Limits
from tests.cases import in_one_test

BYTES = 256_000


def faults(text: str, limits: Limits = YAML_LIMITS) -> list[tuple[str, int | None, int | None]]:
    """Code, line and column of everything that is found."""
    read = read_yaml(text, limits=limits)
    assert read.has_value != bool(read.diagnostics)
    assert all(found.severity is Severity.ERROR for found in read.diagnostics)
    return [(found.code, found.line, found.column) for found in read.diagnostics]


def value(text: str) -> Any:
    read = read_yaml(text)
    assert read.diagnostics == []
    return read.value


# ---------------------------------------------------------------- values


LIST = """\
# The tools of the workshop
- id: scales   # in the yard
  guarantees:
    - weighs up to 200 kg
    - '± 50 g'
  limits: "one hive\\nat a time"
  side_effects: []
- id: crane
  guarantees: >-
    lifts a hive
    as high as a roof
  limits: |
    no wind
      above 6
  cost: {hour: 40.5, currency: CHF, tax: no, free: false, note: ~, count: 3}
"""


def test_a_list_of_executors() -> None:
    assert value(LIST) == [
        {
            "id": "scales",
            "guarantees": ["weighs up to 200 kg", "± 50 g"],
            "limits": "one hive\nat a time",
            "side_effects": [],
        },
        {
            "id": "crane",
            "guarantees": "lifts a hive as high as a roof",
            "limits": "no wind\n  above 6\n",
            "cost": {"hour": 40.5, "currency": "CHF", "tax": "no", "free": False, "note": None, "count": 3},
        },
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "---\n...\n", "~", "null", "\ufeff"])
def test_nothing(text: str) -> None:
    read = read_yaml(text)
    assert (read.value, read.has_value, read.diagnostics) == (None, True, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12),
        ("017", 17),
        ("0o17", 15),
        ("-0x1F", -31),
        ("0b101", 5),
        ("1_000", 1000),
        ("1e5", 100000.0),
        ("6.02e+23", 6.02e23),
        ("False", False),
        ("Null", None),
    ],
)
def test_numbers_and_words(text: str, expected: object) -> None:
    found = value(f"- {text}\n")[0]
    assert (found, type(found)) == (expected, type(expected))
    assert found == YAML(typ="safe", pure=True).load(text)
    assert value(f'- "{text}"\n') == [text]


@pytest.mark.parametrize(
    "text",
    [
        *("2026-11-22", "2026-11-22T10:15:00Z", "2026-11-22 10:15:00 +1", "10:30", "190:20:30"),
        *("yes", "on", "No", "nUll", "1.2.3", "e5", ".", "+_", "-_", "0x_", "<<", "=", "+", "1e", "0o8", "0b2"),
    ],
)
def test_texts_stay_texts(text: str) -> None:
    assert value(f"- {text}\n") == [text]
    assert value(f"{text}: a\n") == {text: "a"}


def test_a_merge_merges_nothing() -> None:
    assert value("<<: {a: 1}\nb: 2\n") == {"<<": {"a": 1}, "b": 2}


def test_an_anchor_that_is_not_used() -> None:
    assert value("- &most 200 kg\n- &list [1]\n") == ["200 kg", [1]]


def test_a_version_changes_nothing() -> None:
    assert value("%YAML 1.1\n---\n- yes\n- 017\n- 1:30\n") == ["yes", 17, "1:30"]


# ---------------------------------------------------------------- codes


@in_one_test
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: b: c\n", ("PY101", 1, 5)),
        ("@a", ("PY101", 1, 1)),
        ("文: \x00", ("PY101", 1, 4)),
        ("a: \ud800\n", ("PY101", 1, 4)),
        ("%YAML 9999999999.1\n---\na", ("PY101", 1, 1)),
        ("- &a b\n- *a\n", ("PY102", 2, 3)),
        ("? *a\n: b\n", ("PY102", 1, 3)),
        ("- !!python/object/apply:os.system [ls]\n", ("PY103", 1, 3)),
        ("- !!str 12\n", ("PY103", 1, 3)),
        ("- !local a\n", ("PY103", 1, 3)),
        ("!!str a: b\n", ("PY103", 1, 1)),
        ("1: a\n", ("PY104", 1, 1)),
        ("a: {true: b}\n", ("PY104", 1, 5)),
        (": a\n", ("PY104", 1, 1)),
        ("[a]: b\n", ("PY104", 1, 1)),
        ("? {a: b}\n: c\n", ("PY104", 1, 3)),
        ("a\n---\nb\n", ("PY105", 2, 1)),
        ("a: 1\nb: 2\n'a': 3\n", ("PJ128", 3, 1)),
        ("- .inf\n", ("PJ132", 1, 3)),
        ("- .NaN\n", ("PJ132", 1, 3)),
        ("- 1e999\n", ("PJ134", 1, 3)),
        (f"- {'9' * 401}\n", ("PJ134", 1, 3)),
        (f"- 0x{'f' * 400}\n", ("PJ134", 1, 3)),
        (f"- -0b{'1' * 2000}\n", ("PJ134", 1, 3)),
    ],
)
def test_faults(text: str, fault: tuple[str, int, int]) -> None:
    assert faults(text) == [fault]


@pytest.mark.parametrize("text", [f"- {'9' * 400}", f"- -{'9' * 400}", f"- {'0' * 1000}7", f"- 0x{'f' * 332}"])
def test_integers_up_to_400_digits(text: str) -> None:
    (number,) = value(text)
    assert len(json.dumps(abs(number))) <= 400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- id: scales\n- id: crane\n  limits: *most\n",
            "error[PY102]: `*most` is an alias\n"
            " --> tools.yaml:3:11 ([1].limits)\n"
            "3 |   limits: *most\n"
            "  |           ^^^^^\n"
            "  help: write the value itself again",
        ),
        (
            "- id: !!int 3\n",
            "error[PY103]: `tag:yaml.org,2002:int` is a tag\n"
            " --> tools.yaml:1:7 ([0].id)\n"
            "1 | - id: !!int 3\n"
            "  |       ^^^^^^^\n"
            "  help: write plain values",
        ),
        (
            "- 2026: bought\n",
            "error[PY104]: a key must be a string, not `2026`\n"
            " --> tools.yaml:1:3 ([0])\n"
            "1 | - 2026: bought\n"
            "  |   ^^^^\n"
            '  help: write "2026"',
        ),
        (
            "a\n---\nb\n",
            "error[PY105]: a second document begins here\n --> tools.yaml:2:1\n2 | ---\n  | ^^^\n  help: remove it",
        ),
        (
            "id: a\nid: b\n",
            'error[PJ128]: duplicate key `"id"`, first seen in line 1, column 1\n'
            " --> tools.yaml:2:1 (id)\n2 | id: b\n  | ^^",
        ),
    ],
)
def test_messages(text: str, message: str) -> None:
    (found,) = read_yaml(text, name="tools.yaml").diagnostics
    assert render(found) == message


@pytest.mark.parametrize("text", ["\x1b]0;a\x07", "- !\x1b[31m a", "a: \u202e\n? [", "'\x9b", "- *\u200b"])
def test_messages_steer_no_terminal(text: str) -> None:
    for found in read_yaml(text, name="\x1b[31m").diagnostics:
        assert not set(render(found)) & set("\x1b\x07\x9b\u202e\u200b")


def test_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("ruamel")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(MissingYamlError) as caught:
        read_yaml("a: b")
    assert str(caught.value) == "reading YAML needs the extra `yaml`: pip install 'planspec-lark[yaml]'"


# ---------------------------------------------------------------- places


def test_positions() -> None:
    read = read_yaml(LIST)

    def at(*path: str | int) -> str:
        span = read.span(path)
        return LIST[span.start : span.end]

    assert at(0, "id") == "scales"
    assert at(0, "guarantees", 1) == "'± 50 g'"
    assert at(0, "limits") == '"one hive\\nat a time"'
    assert at(0, "side_effects") == "[]"
    assert at(1, "cost") == "{hour: 40.5, currency: CHF, tax: no, free: false, note: ~, count: 3}"
    assert at(1, "cost", "note") == "~"
    assert at(1, "guarantees").startswith(">-\n    lifts")
    key = read.key_span((1, "cost", "tax"))
    assert LIST[key.start : key.end] == "tax"
    assert (key.line, key.column) == (15, 37)


@pytest.mark.parametrize("text", ["文: [a, 目标]\r\nb: '\U0001f600'\r\n", "\ufeff文: [a, 目标]\nb: '\U0001f600'\n"])
def test_positions_count_characters(text: str) -> None:
    read = read_yaml(text)
    for path, expected in ((("文", 1), "目标"), (("b",), "'\U0001f600'")):
        span = read.span(path)
        assert text[span.start : span.end] == expected


# ---------------------------------------------------------------- limits


def test_depth_is_counted_in_levels() -> None:
    assert faults("- " * 32 + "a") == []
    assert faults("- " * 33 + "a") == [("PJ107", 1, 65)]
    assert faults("[[[]]]", Limits(max_depth=3)) == []
    assert faults("[[[]]]", Limits(max_depth=2)) == [("PJ107", 1, 3)]


def test_size() -> None:
    assert faults("文" * 20, Limits(max_bytes=60)) == []
    assert faults("文" * 20, Limits(max_bytes=59)) == [("PS121", 1, 1)]
    assert [code for code, _, _ in faults("#" * (BYTES + 1))] == ["PS121"]


def test_a_bomb_of_aliases() -> None:
    """Nine lines that would be a billion texts."""
    rows = ["a0: &a0 [lol, lol]"]
    rows += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 10)]
    assert faults("\n".join(rows)) == [("PY102", 2, 10)]
    assert faults("a: &a\n  b: *a\n") == [("PY102", 2, 6)]
    assert faults("a: &a {x: 1}\nb: {<<: *a}\n") == [("PY102", 2, 9)]


def filled(piece: str, size: int) -> str:
    return (piece * (size // len(piece.encode()) + 1)).encode()[:size].decode("utf-8", "ignore")


def seconds(text: str) -> float:
    """Of the processor, as others may be using it as well."""
    start = time.process_time()
    read_yaml(text)
    return time.process_time() - start


HOSTILE = [
    *(
        "[",
        "{a: ",
        "[a, ",
        "- ",
        "? ",
        "&a ",
        "&",
        "*a ",
        "!a ",
        '"',
        "'",
        '"a',
        "'a\n",
        "#",
        "# a\n",
        "a: ",
        "|",
        "|\n",
    ),
    *(">\n", "\t", " ", "\n", "\r\n", "\x85", "]", "}", "[]", ",", "%YAML 1.2\n", "%TAG ! x\n", "---\n", "...\n"),
    *("1", "_", "+", ".", "文", "a", "a ", "\\", '"\\x', "<<: ", "- &a b\n", "- *a\n", "a: b\n"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_little_time(piece: str) -> None:
    assert seconds(filled(piece, BYTES)) < 5


LONG = {
    "list of deep lists": "[" + filled("[" * 30 + "]" * 30 + ",", 30_000),
    "deep blocks": filled("- " * 31 + "a\n", 30_000),
    "keys": "".join(f"k{at}: v\n" for at in range(3000)),
    "keys in flow": "{" + "".join(f"k{at}: v, " for at in range(3000)) + "}",
    "digits": "9" * BYTES,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_texts_take_little_time(text: str) -> None:
    assert seconds(text) < 5


# ---------------------------------------------------------------- beside the library's own reading

_texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), max_size=12)
_STRANGE = [
    *("", " ", "-", "- a", "a: b", "#", "a #b", "true", "~", "1", "017", "0x1", "1e5", ".inf", "2026-11-22", "<<", "="),
    *(
        "*a",
        "&a",
        "!a",
        "|",
        ">",
        "%",
        "@",
        "`",
        "'",
        '"',
        "\\",
        "[",
        "{",
        "a,b",
        "a\nb",
        "\n",
        "文 字",
        "yes",
        "? a",
        "---",
    ),
]
_strange = st.sampled_from(_STRANGE)
_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        _texts,
        _strange,
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts | _strange, inner, max_size=4),
    max_leaves=12,
)


def load(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def same(one: object, other: object) -> bool:
    """Whether values are equal and of the same kinds."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(_values)
def test_blocks_are_read_as_the_library_reads_them(wanted: object) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.representer.ignore_aliases = lambda _: True
    stream = StringIO()
    yaml.dump(wanted, stream)
    assert same(value(stream.getvalue()), wanted)


@given(st.text("0123456789+-_.eExXobBaAfFnNuUlLtTrR~", min_size=1, max_size=8))
def test_plain_scalars_are_read_as_the_library_reads_them(text: str) -> None:
    read = read_yaml(f"[{text}]")
    try:
        wanted = load(f"[{text}]")
    except (YAMLError, ValueError):
        return
    if [found.code for found in read.diagnostics] in (["PJ132"], ["PJ134"]):
        assert wanted[0] in (float("inf"), float("-inf")) or wanted[0] != wanted[0]
    elif isinstance(wanted[0], str | int | float | None):
        assert same(read.value, wanted)


@given(st.text(st.sampled_from(" \n\t-:,[]{}&*!|>'\"%@`#?ab1~.\\\x85\u2028文"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    read = read_yaml(text)
    assert read.has_value != bool(read.diagnostics)
    if read.has_value:
        wanted = load(text)
        assert same(read.value, wanted) or "!" in text
    else:
        for found in read.diagnostics:
            assert found.span is not None
            assert 0 <= found.span.start <= found.span.end <= len(text)


# ---------------------------------------------------------------- places inside of texts


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("see me now", "me"),
        ("'see me now'", "me"),
        ('"see me now"', "me"),
        ('"s\\u0065e me now"', "me"),
        ("see\n  me now", "see\n  me now"),
        ('"see\n  me now"', '"see\n  me now"'),
        ("|-\n  see me now", "|-\n  see me now"),
        ('"\\x73ee me now"', '"\\x73ee me now"'),
        ("&a see me now", "&a see me now"),
        ("&a 'see me now'", "&a 'see me now'"),
    ],
)
def test_positions_within_a_text(written: str, spelled: str) -> None:
    text = f"a: {written}\n"
    read = read_yaml(text)
    assert read.value == {"a": "see me now"}
    place = read.span_within(("a",), 4, 6)
    assert text[place.start : place.end].rstrip() == spelled


@pytest.mark.parametrize(("text", "helps"), [("{a: ${b}}", True), ("[${b}]", True), ("{a: b{c}}", False)])
def test_a_brace_in_a_text_between_brackets(text: str, helps: bool) -> None:
    (found,) = read_yaml(text).diagnostics
    assert found.code == "PY101"
    assert found.help == ("inside brackets, write a text that contains a brace in quotes" if helps else "")


# ---------------------------------------------------------------- reasoning


def test_a_reasoning_block_is_named_and_the_rest_is_read() -> None:
    read = read_yaml("<think>\nfirst: maybe\n- a list\n</think>\nsteps:\n  - a\n")
    assert read.value == {"steps": ["a"]}
    assert [(found.code, found.severity, found.line) for found in read.diagnostics] == [("PS125", Severity.ERROR, 1)]


def test_what_is_wrong_beside_reasoning_is_named_too() -> None:
    assert faults("<think>\n- x\n</think>\na: 1\na: 2\n") == [("PS125", 1, 1), ("PJ128", 5, 1)]


@pytest.mark.parametrize("text", ["a: <think>b</think>\n", "a: |\n  <think>\n  b: c\n  </think>\n"])
def test_a_tag_in_what_is_right_is_text(text: str) -> None:
    assert "<think>" in value(text)["a"]
