"""The words of HopSpec stand in one table; the grammar knows the same ones."""

from __future__ import annotations

import attrs
import pytest

from planspec_lark.hopspec import HopSpec, StepInfo
from planspec_lark.hopspec.models import MODES, STEP_TYPES
from planspec_lark.hopspec.vocabulary import KEYS, LANGUAGES, MODE, SECTIONS, STEP, VALUES, keys_of, meanings
from planspec_lark.syntax import grammars


def alternatives(terminal: str) -> set[str]:
    """All words that a terminal matches."""
    expression = grammars.pattern("hopspec", terminal).pattern
    inner = expression[expression.index("(?:") + 3 :].rstrip(")")
    words: set[str] = set()
    for word in inner.split("|"):
        head, bracket, tail = word.partition("[")
        words |= {head + letter + tail[3:] for letter in tail[:2]} if bracket else {word}
    return words


def words_of(*kinds: type) -> set[str]:
    return {word for key in KEYS if type(getattr(StepInfo(), key.field)) in kinds for word in key.word.all}


@pytest.mark.parametrize(
    ("terminal", "words"),
    [
        ("KEY_WORD", words_of(str)),
        ("NAMES_WORD", words_of(list)),
        ("COUNT_WORD", words_of(type(None))),
        ("SECTION_WORD", {word for name, words in SECTIONS.items() if name != "steps" for word in words.all}),
        ("FLOW_WORD", {*SECTIONS["steps"].all}),
        ("MODE_WORD", {*MODES}),
        ("MODE_NAME", {*MODE.all}),
    ],
)
def test_the_grammar_has_the_words_of_the_table(terminal: str, words: set[str]) -> None:
    assert alternatives(terminal) == words


def test_a_step_is_written_with_both_words() -> None:
    for language in LANGUAGES:
        assert grammars.pattern("hopspec", "STEP").match(f"#### {STEP.of(language)}1")


def test_a_name_means_one_field() -> None:
    for key in KEYS:
        assert all(meanings()[word] == key.field for word in key.word.all)
    for step_type in STEP_TYPES:
        for language in LANGUAGES:
            names = [key.word.of(language) for key in keys_of(step_type)]
            assert len(set(names)) == len(names)


def test_all_fields_of_a_step_have_a_name() -> None:
    fields = {one.name for one in attrs.fields(StepInfo)}
    assert {key.field for key in KEYS} == fields - {"step_id", "step_name", "label", "comments", "children"}
    assert {*SECTIONS} <= {one.name for one in attrs.fields(HopSpec)}
    assert {*VALUES} <= fields


def test_types_speak_of_fields_that_there_are() -> None:
    fields = {key.field for key in KEYS}
    for kind in STEP_TYPES.values():
        modes = kind.modes.values()
        named = {*kind.required, *kind.optional, *(name for mode in modes for name in (*mode.required, *mode.optional))}
        assert named | ({kind.chooser} - {""}) <= fields
