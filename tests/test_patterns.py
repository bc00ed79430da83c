"""Rules as patterns: they read what the LALR parser reads, and know where they cannot."""

from __future__ import annotations

import re
from typing import Any

import pytest
from lark import Lark
from lark.load_grammar import load_grammar

from planspec_lark.syntax.lalr import read_rules
from planspec_lark.syntax.patterns import RegularRules


class Compiled:
    """The expressions of a grammar's rules, compiled."""

    def __init__(self, rules: RegularRules) -> None:
        self.rules = rules

    def pattern(self, rule: str, **settings: Any) -> re.Pattern[str]:
        return re.compile(self.rules.pattern(rule, **settings))

    def rows(self, rule: str, groups: tuple[str, ...]) -> re.Pattern[str]:
        return re.compile(self.rules.rows(rule, groups))

    def tokens(self, rule: str) -> re.Pattern[str]:
        return re.compile(self.rules.tokens(rule))


def rules_of(grammar: str) -> Compiled:
    loaded, _ = load_grammar(grammar, "test", [], True)  # type: ignore[no-untyped-call]
    return Compiled(read_rules(loaded))


GRAMMAR = """
start: [A] _tail* NL last
_tail: B | C
last: A+ [B C]
A.2: /a+/
B: /[ab]/
C: "c"
NL: /\\n/
"""


@pytest.mark.parametrize(
    "text", ["\na", "aa\na", "b\na", "abc\na", "bcbb\naabc", "cc\nabc", "", "a", "aab\n", "\nab", "x"]
)
def test_a_pattern_accepts_what_the_parser_accepts(text: str) -> None:
    try:
        Lark(GRAMMAR, parser="lalr").parse(text)
        parses = True
    except Exception:  # any refusal counts
        parses = False
    assert (rules_of(GRAMMAR).pattern("start").fullmatch(text) is not None) == parses


def test_groups_have_the_names_of_their_symbols() -> None:
    match = rules_of(GRAMMAR).pattern("start").fullmatch("aabc\naabc")
    assert match is not None
    assert match.groupdict() == {
        "A": "aa",
        "_tail": "bc",
        "NL": "\n",
        "last": "aabc",
        "last_A": "aa",
        "last_B": "b",
        "last_C": "c",
    }


def test_a_rule_with_an_underscore_counts_as_its_content() -> None:
    match = rules_of('start: _inner\n_inner: [A] b\nb: B\nA: "a"\nB: "b"').pattern("start").fullmatch("ab")
    assert match is not None
    assert match.groupdict() == {"_inner": "ab", "A": "a", "b": "b", "b_B": "b"}


def test_only_the_groups_asked_for_are_made() -> None:
    rules = rules_of(GRAMMAR)
    assert list(rules.pattern("start", groups=("last_B", "A")).groupindex) == ["A", "last_B"]
    with pytest.raises(ValueError, match="rule 'start' has no group B"):
        rules.pattern("start", groups=("B",))


VALUES = """
start: QUOTED [LISTED] [LOUD]
WORD: /[a-z]+/
QUOTED: /["(]/ WORD /[")]/
LISTED: WORD ("," WORD)+
LOUD: /!+/ (WORD | "?")
"""


def test_a_terminal_says_what_the_one_inside_it_says() -> None:
    match = rules_of(VALUES).pattern("start").fullmatch('"word"a,b!?')
    assert match is not None
    assert match.groupdict() == {"QUOTED": "word", "LISTED": "a,b", "LOUD": "!?"}


def test_the_parts_of_a_terminal() -> None:
    rules = rules_of(VALUES).rules
    assert rules.parts("QUOTED") == ('["(]', "[a-z]+", '[")]')
    assert rules.parts("LISTED") == ("", "[a-z]+(?:,[a-z]+)++", "")
    assert rules.terminal("QUOTED") == '["(](?P<value>[a-z]+)[")]'
    assert rules.expression("QUOTED") == '["(][a-z]+[")]'
    assert rules.portable("LISTED") == "[a-z]+(?:,[a-z]+)+"
    assert set(rules.names) == {"WORD", "QUOTED", "LISTED", "LOUD"}


def test_rows_end_with_the_rest() -> None:
    rows = rules_of("start: A [B]\nA: /a/\nB: /b/").rows("start", ("A", "B"))
    assert rows.findall("aba") == [("a", "b", ""), ("a", "", "")]
    assert rows.findall("abxa\na") == [("a", "b", ""), ("", "", "xa\na")]


def test_a_pattern_never_goes_back_on_a_token() -> None:
    """`[A] B` cannot read `a` as B once A has taken it; a plain regular expression would."""
    rules = rules_of('start: [A] B\nA: "a"\nB: /[ab]/\nNL: /\\n/')
    assert rules.pattern("start").fullmatch("a") is None
    assert rules.pattern("start").fullmatch("ab") is not None


def test_a_repeated_tail_can_be_left_out() -> None:
    pattern = rules_of('start: A item*\nitem: B\nA: "a"\nB: "b"\nNL: /\\n/').pattern("start", without="item")
    match = pattern.match("abbb")
    assert match is not None
    assert match.end() == 1


def test_tokens_come_by_falling_priority() -> None:
    tokens = rules_of("start: (A | B)*\nA: /a/\nB.2: /ab?/\nNL: /\\n/").tokens("start")
    assert [match.lastgroup for match in tokens.finditer("aba")] == ["B", "B"]


def test_a_recursive_rule_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rule 'start' is recursive: start > inner > start"):
        rules_of('start: A inner\ninner: B start | C\nA: "a"\nB: "b"\nC: "c"\nNL: /\\n/').pattern("start")


def test_a_counted_repetition_is_refused() -> None:
    with pytest.raises(ValueError, match="no pattern for the repetition"):
        rules_of('start: A~2..3\nA: "a"\nNL: /\\n/').pattern("start")
