"""The grammars themselves: no hidden collisions, nothing ignored, found wherever the package is."""

from __future__ import annotations

import itertools
import logging
import re

import interegular
import pytest
from lark.exceptions import GrammarError

from planspec_lark import grammars

# Those that texts are read with; tests/generation has the others.
LANGUAGES = ("planspec", "plan_cmd")

# Terminals whose look-ahead the collision search cannot follow. They are compared by brute force instead.
BEYOND_THE_SEARCH = {"planspec": {"DESCRIPTION", "RESULT"}, "plan_cmd": {"TEXT", "HEADLINE"}}


def used_terminals(language: str) -> dict[str, str]:
    return {terminal.name: terminal.pattern.to_regexp() for terminal in grammars.parser(language).terminals}


@pytest.mark.parametrize("language", LANGUAGES)
def test_strict_mode_finds_no_collision(language: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        grammars.compile_grammar(language, strict=True)
    assert not caplog.records


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_strict_mode_cannot_see_is_known(language: str) -> None:
    unseen = set()
    for name, pattern in used_terminals(language).items():
        try:
            interegular.parse_pattern(pattern).to_fsm()
        except interegular.Unsupported:
            unseen.add(name)
    assert unseen == BEYOND_THE_SEARCH[language]


def contexts(language: str) -> set[frozenset[str]]:
    """The sets of terminals that compete somewhere."""
    lexer = grammars.parser(language).parser.lexer
    return {frozenset(terminal.name for terminal in state.terminals) for state in lexer.lexers.values()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_terminals_match_at_one_place(language: str) -> None:
    """Every text of up to six characters that matter, in every context with a terminal that strict mode cannot see."""
    compiled = {name: re.compile(pattern) for name, pattern in used_terminals(language).items()}
    groups = [group for group in contexts(language) if group & BEYOND_THE_SEARCH[language]]
    assert groups
    texts = ["".join(chars) + "\n" for n in range(1, 6) for chars in itertools.product(" |→\\a,\r", repeat=n)]
    texts += [f" | Progress:{tail}\n" for tail in ("", " 3", " 3/4", " x", " 3 | a")]
    for group in groups:
        for text in texts:
            matching = [name for name in group if compiled[name].match(text)]
            assert len(matching) <= 1, (text, matching)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_ignored(language: str) -> None:
    text = grammars.grammar_path(language).read_text(encoding="utf-8")
    statements = [line for line in text.split("\n") if not line.startswith("//")]
    assert not any("%ignore" in line for line in statements)
    assert not grammars.parser(language).ignore_tokens


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_and_terminal_is_explained(language: str) -> None:
    lines = grammars.grammar_path(language).read_text(encoding="utf-8").split("\n")
    for above, line in itertools.pairwise(lines):
        if re.match(r"[A-Za-z_]+(\.\d)?:", line):
            assert above.startswith("//"), line


def test_the_parser_does_not_search_for_collisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """With interegular installed, Lark would take seconds over it in every process."""
    from lark import lexer

    def search(*_: object) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr(lexer, "_check_regex_collisions", search)
    grammars.compile_grammar("planspec", _plugins={"ContextualLexer": grammars._UncheckedLexer})
    with pytest.raises(AssertionError, match="searched"):
        grammars.compile_grammar("planspec", strict=True)


def test_ids_and_variables_are_written_once() -> None:
    """The commands import what they share with documents."""
    assert grammars.pattern("plan_cmd", "ID").pattern == grammars.pattern("planspec", "ID").pattern
    text = grammars.grammar_path("plan_cmd").read_text(encoding="utf-8")
    assert "%import .planspec (ID, TYPE, DETAIL)" in text


def test_a_grammar_is_compiled_once() -> None:
    assert grammars.parser("planspec") is grammars.parser("planspec")
    assert grammars.regular("planspec") is grammars.regular("planspec")


def test_an_unknown_rule_is_an_error() -> None:
    with pytest.raises((GrammarError, KeyError)):
        grammars.regular("planspec").pattern("no_such_rule")
