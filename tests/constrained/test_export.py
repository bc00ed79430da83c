"""Exported grammars: what they let a model write is valid, in every form."""

from __future__ import annotations

import json
import re
from functools import cache
from random import Random
from typing import Any, Literal

import pytest
from lark import Lark
from llguidance import grammar_from

from planspec_lark import (
    PlanStatus,
    PlanSyntaxError,
    apply_command,
    iter_steps,
    parse_plan,
    parse_plan_commands,
    scan_plan_commands,
    serialize_commands,
    serialize_plan,
    validate_plan,
)
from planspec_lark.constrained import export_grammar
from planspec_lark.constrained.export import TARGETS, TYPES
from tests.cases import in_one_test
from tests.constrained.engines import Guide, canonical, gbnf_guide, guide, lark_accepts
from tests.constrained.trees import renumber

HEAD = "Goal: g\n## Steps\n"
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "flat": {"depth": 1},
    "deep": {"depth": 6},
    "running": {"allow_results": True},
    "one_type": {"types": ["act"]},
    "no_decisions": {"types": ("reason", "act", "subtask"), "depth": 2},
}


@cache
def exported(name: str, target: str = "llguidance") -> str:
    return export_grammar(target, **SETTINGS[name])


def faults(text: str) -> set[str]:
    """The codes of a text's syntax errors."""
    try:
        parse_plan(text)
    except PlanSyntaxError as error:
        return {found.code for found in error.diagnostics}
    return set()


# ---------------------------------------------------------------- what a random model writes


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", SETTINGS)
def test_a_random_models_plans_are_valid_once_their_ids_are(name: str, seed: int) -> None:
    text = guide(exported(name)).sample(Random(seed), least=150)
    assert lark_accepts(exported(name), text)
    assert faults(text) <= {"PS117"}
    plan = parse_plan(renumber(text))
    assert validate_plan(plan) == []
    assert serialize_plan(plan) == renumber(text)
    types = {step.step_type for step in iter_steps(plan)}
    assert types <= set(SETTINGS[name].get("types", TYPES))
    assert all(step.description for step in iter_steps(plan))
    assert max(step.step_id.count(".") for step in iter_steps(plan)) < SETTINGS[name].get("depth", 3)
    if not SETTINGS[name].get("allow_results"):
        assert all(step.status is PlanStatus.PENDING for step in iter_steps(plan))
        assert not any(step.result or step.done_count or step.total_count is not None for step in iter_steps(plan))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    "settings", [{"siblings": 3}, {"siblings": 12, "depth": 2}, {"siblings": 2, "allow_results": True}]
)
def test_with_ids_spelled_out_every_plan_is_valid(settings: dict[str, Any], seed: int) -> None:
    grammar = export_grammar("llguidance", **settings)
    text = guide(grammar).sample(Random(seed), least=200)
    assert lark_accepts(grammar, text)
    plan = parse_plan(text)
    assert validate_plan(plan) == []
    assert renumber(text) == text
    assert lark_accepts(canonical("planspec"), text)


def test_a_random_model_uses_what_it_may() -> None:
    """Otherwise the tests above would prove little."""
    texts = [guide(exported("running")).sample(Random(seed), least=800) for seed in range(40)]
    everything = "".join(texts)
    for part in ("# Plan: ", "\n> ", "Constraints:\n", "    > ← ", "[x] ", " | Progress: ", "\\|", "\\→", "[decide]"):
        assert part in everything, part
    assert any(step.outputs for text in texts for step in iter_steps(parse_plan(renumber(text))))


@in_one_test
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("settings", [{}, {"allow_results": True, "depth": 1}, {"types": ["act", "decide"]}])
def test_a_random_models_commands_are_read(settings: dict[str, Any], seed: int) -> None:
    grammar = export_grammar("llguidance", language="plan_cmd", **settings)
    text = guide(grammar).sample(Random(seed), least=80)
    assert lark_accepts(grammar, text)
    commands = parse_plan_commands(text)
    assert commands
    # A last line of any characters may look as if it was cut off.
    assert scan_plan_commands(f"{text}\nThat is all.\n").diagnostics == []
    assert serialize_commands(commands) == text
    engine = {"DONE", "BLOCKED", "SKIP"} if settings.get("allow_results") else set()
    assert {command.op for command in commands} <= {"ADD", "REVISE", "REPLAN"} | engine
    assert {command.step_type for command in commands} <= {"", *settings.get("types", TYPES)}
    depth = settings.get("depth", 3)
    assert all(command.step_id.count(".") < depth for command in commands)
    plan = parse_plan(HEAD + "1. [subtask] a\n  1.1. [act] b\n")
    assert not any("unknown type" in apply_command(plan, command) for command in commands)


# ---------------------------------------------------------------- what it refuses

REFUSED = [
    "1. [x] [act] done\n",
    "1. [act] a | result\n",
    "1. [act] a | Progress: 1/2\n",
    "1. name [act] a\n",
    "1. [act]\n",
    "1. [act] → out\n",
    "1. [plan] a\n",
    "1. [subtask] a\n",
    "1. [act] a\n  1.1. [act] b\n",
    "1.1. [act] a\n",
    "0. [act] a\n",
    "01. [act] a\n",
    "00. [act] a\n",
    "1000. [act] a\n",
    "1. [subtask] a\n  1.0. [act] b\n",
    "1. [subtask] a\n  1.1000. [act] b\n",
    "1. [act] a\n  > b\n  > ← c\n",
    "1. [act] a\n  > ← b\n  > ← c\n",
    "1. [subtask] a\n  1.1. [subtask] b\n    1.1.1. [subtask] c\n      1.1.1.1. [act] d\n",
    "",
]


@pytest.mark.parametrize("steps", REFUSED)
def test_it_refuses(steps: str) -> None:
    assert not guide(exported("default")).accepts(HEAD + steps)
    assert not lark_accepts(exported("default"), HEAD + steps)
    assert not gbnf_guide(exported("default", "gbnf")).accepts(HEAD + steps)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "1. [act] a\n",
        HEAD + "1. [subtask] a → b\n  > ← c\n  1.1. [decide] b\n    1.1.1. [act] c \\→ d\n      > e\n2. [reason] f\n",
        "# Plan: t\nGoal: g\n> d\nConstraints:\n- c\n## Steps\n1. [act] a\n",
        "Goal: g\n> d\n> e\n>\n> f\nConstraints:\n- c\n- d\n- e\n## Steps\n1. [act] a\n",
        HEAD
        + "1. [act] a\n  > b\n  > c\n  >\n2. [subtask] d\n  > ← e\n  > f\n  > g\n  2.1. [act] h\n    > i\n    > j\n",
        HEAD
        + "1. [subtask] a\n  1.1. [subtask] b\n    > c\n    > d\n"
        + "    1.1.1. [act] e\n    1.1.2. [act] f\n      > g\n      > h\n",
        HEAD + "1. [subtask] a\n  1.1. [act] b\n  1.2. [act] c\n  1.3. [act] d\n2. [act] e\n3. [act] f\n",
        HEAD + "999. [subtask] a\n  999.999. [act] b\n",
    ],
)
def test_it_accepts(text: str) -> None:
    assert guide(exported("default")).accepts(text)
    assert lark_accepts(exported("default"), text)
    assert gbnf_guide(exported("default", "gbnf")).accepts(text)


COMMANDS = [
    "ADD 1 [act] a\n",
    "ADD 2.3.4 [subtask] a → b\n> c\n> d\n>\n",
    "REVISE 999999999 [reason] a | b\n",
    "REVISE 1.10 [decide] a\n> ← b\n",
    "ADD 1 [act] \\→ a\n",
    "ADD 1 [act] a\t→ b, c\n",
    "ADD 1 [act] 文\n",
    "REPLAN 1\n",
    "REPLAN 2.3.4 | why\n",
    "REPLAN ALL\n",
    "REPLAN ALL | why | and how\n",
    "REPLAN 1\nPLAN_CMD: ADD 1 [act] a\n> b\nPLAN_CMD: REPLAN ALL\nPLAN_CMD: REVISE 2 [act] c\n",
]
OF_THE_ENGINE = ["DONE 1\n", "DONE 2.1 | result\n", "BLOCKED 1 | why\n", "SKIP 1.1.1\n"]
NO_COMMANDS = [
    "ADD 1\n",
    "ADD 1 [act]\n",
    "ADD 1 [act] \n",
    "ADD 1 [act]  a\n",
    "ADD 1 a\n",
    "ADD 1 [plan] a\n",
    "ADD 1.2.3.4 [act] a\n",
    "ADD 0 [act] a\n",
    "ADD 1.0 [act] a\n",
    "ADD 01 [act] a\n",
    "ADD 1000000000 [act] a\n",
    "ADD ALL [act] a\n",
    "REVISE 1 [act]\n",
    "REVISE 1 [act] → a\n",
    "ADD 1 [act] →\n",
    "REVISE ALL [act] a\n",
    "REPLAN\n",
    "REPLAN 0\n",
    "REPLAN all\n",
    "REPLAN 1 ALL\n",
    "REPLAN 1 |\n",
    "REPLAN 1\n> a\n",
    "DONE ALL\n",
    "DONE 0\n",
    "EXPAND 1\n",
    "COLLAPSE 1\n",
    "ADD 1 [act] a",
    "ADD 1 [act] a\n\n",
    "ADD 1 [act] a\nADD 2 [act] b\n",
]


@in_one_test
@pytest.mark.parametrize("is_running", [False, True])
@pytest.mark.parametrize("text", [*COMMANDS, *OF_THE_ENGINE, *NO_COMMANDS])
def test_commands(text: str, is_running: bool) -> None:
    settings: dict[str, Any] = {"language": "plan_cmd", "allow_results": is_running}
    grammar = export_grammar("llguidance", **settings)
    is_right = text in COMMANDS or (is_running and text in OF_THE_ENGINE)
    assert guide(grammar).accepts(f"PLAN_CMD: {text}") == is_right
    assert lark_accepts(grammar, f"PLAN_CMD: {text}") == is_right
    assert gbnf_guide(export_grammar("gbnf", **settings)).accepts(f"PLAN_CMD: {text}") == is_right


def test_results_are_accepted_where_they_are_allowed() -> None:
    for steps in REFUSED[:3]:
        assert guide(exported("running")).accepts(HEAD + steps)


def test_spelled_ids_are_consecutive() -> None:
    grammar = export_grammar("lark", siblings=2, depth=2)
    for steps, is_right in [
        ("1. [act] a\n2. [act] b\n", True),
        ("2. [act] b\n", False),
        ("1. [act] a\n3. [act] b\n", False),
        ("1. [act] a\n1. [act] b\n", False),
        ("1. [act] a\n2. [subtask] b\n  2.1. [act] c\n", True),
        ("1. [act] a\n2. [subtask] b\n  1.1. [act] c\n", False),
    ]:
        assert guide(grammar).accepts(HEAD + steps) == lark_accepts(grammar, HEAD + steps) == is_right, steps


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize("name", SETTINGS)
def test_strict_mode_finds_no_collision(name: str) -> None:
    Lark(exported(name), parser="lalr", lexer="contextual", strict=True)


@pytest.mark.parametrize("name", SETTINGS)
def test_four_targets_read_one_text(name: str) -> None:
    texts = {exported(name, target) for target in ("lark", "llguidance", "openai", "xgrammar")}
    assert len(texts) == 1
    assert exported(name, "llama.cpp") == "%llguidance {}\n" + texts.pop()
    guide(exported(name, "llama.cpp"))


@pytest.mark.parametrize("kind", ["grammar", "ebnf"])
@pytest.mark.parametrize("target", ["llguidance", "llama.cpp", "gbnf"])
def test_servers_hand_it_to_llguidance_as_it_is(target: str, kind: Literal["grammar", "ebnf"]) -> None:
    """vLLM calls it a grammar, SGLang EBNF; llguidance finds out by itself what it is."""
    form = Guide(grammar_from(kind, exported("default", target)))
    assert form.accepts(HEAD + "1. [act] a\n")
    assert not form.accepts(HEAD + REFUSED[0])


@pytest.mark.parametrize("settings", [*SETTINGS.values(), {"siblings": 3}, {"language": "plan_cmd"}])
def test_gbnf_is_what_llama_cpp_reads(settings: dict[str, Any]) -> None:
    text = export_grammar("gbnf", **settings)
    rules = dict(line.split(" ::= ", 1) for line in text.rstrip("\n").split("\n"))
    assert next(iter(rules)) == "root"
    assert len(rules) == text.count("\n")
    for name, body in rules.items():
        assert re.fullmatch(r"[a-z0-9-]+", name)
        words = re.findall(r"[a-z][a-z0-9-]*", re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]', "", body))
        assert set(words) <= set(rules), name
        assert not any(option.lstrip("( ").startswith(f"{name} ") for option in body.split("|"))
    for escape in re.findall(r"\\(.)", text):
        assert escape in 'xnt\\"[]'


@pytest.mark.parametrize("name", SETTINGS)
def test_gbnf_says_the_same(name: str) -> None:
    """By llguidance's own reader of GBNF, on texts of the grammar and on such with a mistake."""
    random = Random(name)
    ours, theirs = guide(exported(name)), gbnf_guide(exported(name, "gbnf"))
    for _ in range(8):
        text = ours.sample(random, least=100)
        assert theirs.accepts(text)
        text = theirs.sample(random, least=100)
        assert ours.accepts(text)
        for _ in range(8):
            at = random.randrange(len(text))
            wrong = text[:at] + random.choice(["|", "→", "\\", " ", "\n", "1", ".", ""]) + text[at + 1 :]
            assert ours.follow(wrong) == theirs.follow(wrong), wrong


def test_a_grammar_is_small_enough_to_send() -> None:
    assert len(exported("default")) < 4000
    assert "//" not in re.sub(r'"[^"]*"', "", exported("default"))
    assert len(export_grammar("lark", siblings=12)) < 1_000_000


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "gnbf"}, "target: 'gnbf' is not one of lark, llguidance, openai, xgrammar, gbnf, llama.cpp"),
        ({"language": "yaml"}, "language: 'yaml' is not one of planspec, plan_cmd, hopspec, plan_next"),
        ({"language": "hopspec", "words": "fr"}, "words: 'fr' is not one of zh, en"),
        ({"words": "zh"}, "words: 'planspec' has no words in two languages; only 'hopspec' has"),
        ({"language": "plan_cmd", "words": "fr"}, "words: 'plan_cmd' has no words in two languages"),
        ({"language": "plan_next", "target": "openai", "words": "zh"}, "words: 'plan_next' has no words in two"),
        ({"language": "hopspec", "depth": 0}, "depth: 0 is not between 1 and 50"),
        ({"language": "hopspec", "siblings": 2}, "language: 'hopspec' has no types, results or siblings to choose"),
        ({"types": ["act", "LLM"]}, "types: 'LLM' is not one of reason, act, decide, subtask"),
        ({"types": ["decide", "subtask"]}, "types: without reason or act no plan could end"),
        ({"types": [], "language": "plan_cmd"}, "types: at least one is needed"),
        ({"depth": 0}, "depth: 0 is not between 1 and 50"),
        ({"depth": 51}, "depth: 51 is not between 1 and 50"),
        ({"siblings": 0}, "siblings: 0 is not between 1 and 100"),
        ({"siblings": 101, "depth": 1}, "siblings: 101 is not between 1 and 100"),
        ({"siblings": 13}, "siblings: 13 at a depth of 3 is 2379 steps or more, above 2000"),
        ({"siblings": 2, "depth": 50}, "siblings: 2 at a depth of 50 is 2046 steps or more, above 2000"),
        ({"siblings": 2, "language": "plan_cmd"}, "siblings: only plans have ids to spell out"),
        ({"language": "plan_next", "target": "gbnf"}, "target: 'gbnf' reads no JSON Schema; plan_next is for "),
        (
            {"language": "plan_next", "target": "openai", "depth": 2},
            "language: 'plan_next' has no depth, types, results or siblings",
        ),
    ],
)
def test_what_cannot_be_exported_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        export_grammar(**{"target": "lark", **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": None}, "depth: None is not a whole number"),
        ({"types": None}, "types: None is no collection of names"),
        ({"types": 3}, "types: 3 is no collection of names"),
        ({"types": "act"}, "types: 'act' is one text; give a collection of names, such as ('act',)"),
        ({"types": b"act"}, "types: b'act' is no collection of names"),
        ({"types": [["act"]]}, "types: ['act'] is not one of reason, act, decide, subtask"),
        ({"types": [[]], "language": "plan_next"}, "types: [] is not one of "),
        ({"target": None}, "target: None is not one of "),
        ({"target": ["lark"]}, "target: ['lark'] is not one of "),
        ({"language": {}}, "language: {} is not one of "),
        ({"types": "act", "language": "plan_next"}, "types: 'act' is one text"),
    ],
)
def test_arguments_of_a_wrong_type_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        export_grammar(**{"target": "llguidance", **arguments})


def test_the_schema_is_json_for_each_target_that_takes_it() -> None:
    texts = {export_grammar(target, language="plan_next") for target in TARGETS if target not in ("lark", "gbnf")}
    assert len(texts) == 1
    json.loads(texts.pop())
