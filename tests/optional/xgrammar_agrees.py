"""XGrammar reads the same files and says the same, over 10,000 documents and more. Run by `.ci/xgrammar`.

Not named like a test, so that a run without XGrammar neither collects nor skips it.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random

import pytest
import xgrammar
from hypothesis import HealthCheck, given, settings

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.constrained import export_grammar
from tests import strategies
from tests.constrained.engines import canonical, guide, lark_accepts
from tests.constrained.test_canonical import HEADS, mutate, source, spellable
from tests.constrained.test_schema import ACCEPTED, REFUSED
from tests.corpus import find, read

END = 256


class Matcher:
    """XGrammar, following a grammar with a token for each byte."""

    def __init__(self, grammar: xgrammar.Grammar) -> None:
        bytes_and_end = [bytes([byte]) for byte in range(END)] + [b"</s>"]
        tokens = xgrammar.TokenizerInfo(bytes_and_end, xgrammar.VocabType.RAW, stop_token_ids=[END])
        compiled = xgrammar.GrammarCompiler(tokens).compile_grammar(grammar)
        self._matcher = xgrammar.GrammarMatcher(compiled)

    def accepts(self, text: str) -> bool:
        self._matcher.reset()
        return (not text or bool(self._matcher.accept_string(text))) and bool(self._matcher.accept_token(END))


@cache
def by_lark(text: str) -> Matcher:
    return Matcher(xgrammar.Grammar.from_lark(text))


@cache
def by_ebnf(text: str) -> Matcher:
    return Matcher(xgrammar.Grammar.from_ebnf(text))


def compare(text: str) -> bool:
    said = lark_accepts(canonical("planspec"), text)
    assert by_lark(canonical("planspec")).accepts(text) == said, text
    return said


@pytest.mark.parametrize("language", ["planspec_canonical", "plan_cmd_canonical"])
def test_the_file_itself_is_read_unchanged(language: str) -> None:
    by_lark(source(language))


def test_fixtures_and_6000_mutations_of_them() -> None:
    printed = [serialize_plan(parse_plan(read(path))) for path in find("planspec/valid", ".md")]
    assert all(compare(text) for text in printed)
    random = Random(1)
    said = [compare(mutate(random, random.choice(printed)[:1500])) for _ in range(6000)]
    assert 600 < sum(said) < 5400


def test_4000_random_lines() -> None:
    random = Random(2)
    for _ in range(4000):
        head, characters = random.choice(HEADS)
        compare(f"## Steps\n1. {head}{''.join(random.choices(characters, k=random.randint(1, 9)))}\n")


_SETTINGS = settings(max_examples=1500, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@_SETTINGS
@given(strategies.canonical_plans)
def test_1500_printed_plans(text: str) -> None:
    assert compare(text)


@_SETTINGS
@given(spellable(strategies.near_commands))
def test_1500_commands(text: str) -> None:
    grammar = source("plan_cmd_canonical")
    assert by_lark(grammar).accepts(text) == lark_accepts(grammar, text)


@pytest.mark.parametrize("siblings", [None, 3])
def test_exported_plans(siblings: int | None) -> None:
    text = export_grammar("xgrammar", siblings=siblings)
    ebnf = by_ebnf(export_grammar("gbnf", siblings=siblings))
    random = Random(3)
    for _ in range(150):
        plan = guide(text).sample(random, least=150)
        assert by_lark(text).accepts(plan), plan
        assert ebnf.accepts(plan), plan
        wrong = mutate(random, plan)
        said = guide(text).accepts(wrong)
        assert by_lark(text).accepts(wrong) == said, wrong
        assert ebnf.accepts(wrong) == said, wrong


def test_messages() -> None:
    matcher = Matcher(xgrammar.Grammar.from_json_schema(export_grammar("xgrammar", language="plan_next")))
    assert all(matcher.accepts(json.dumps(value)) for value in ACCEPTED.values())
    assert not any(matcher.accepts(json.dumps(value)) for value in REFUSED.values())
