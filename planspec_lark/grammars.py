"""Finds, loads and keeps the grammars, each once a process and only when it is asked for.

Everything that reads text gets its syntax here: the LALR parsers, single terminals as patterns, and regular rules as
patterns. Nothing else in the package opens a grammar file or says what the syntax is (guesses at near misses do not).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.lexer import ContextualLexer, TerminalDef
from lark.load_grammar import Grammar, load_grammar

from planspec_lark.regular import RegularRules

__all__ = ["STARTS", "compile_grammar", "grammar_path", "parser", "pattern", "regular", "schema_path", "terminals"]

# The rules that a text of each language can be read as.
STARTS = {
    "planspec": ("plan", "line"),
    "plan_cmd": ("command", "headline"),
    "planspec_canonical": ("start",),
    "planspec_fresh": ("start",),
    "plan_cmd_canonical": ("start",),
    "plan_cmd_fresh": ("start",),
    "dialect": ("start",),
}


def grammar_path(language: str) -> Path:
    """The file that holds the grammar of ``language``: inside an installed package, or at a checkout's top level."""
    return _find(f"{language}.lark")


def schema_path(language: str) -> Path:
    """The file that holds the JSON Schema of ``language``, beside the grammars."""
    return _find(f"{language}.schema.json")


def _find(name: str) -> Path:
    package = Path(__file__).parent
    inside = package / "grammar" / name
    return inside if inside.is_file() else package.parent / "grammar" / name


class _UncheckedLexer(ContextualLexer):
    """The contextual lexer without Lark's search for colliding terminals.

    That search runs whenever `interegular` happens to be installed and takes seconds. The tests run it, in strict mode.
    """

    def __init__(self, conf: Any, states: Any, always_accept: Any = ()) -> None:
        conf.skip_validation = True
        super().__init__(conf, states, always_accept)


@cache
def _grammar(language: str) -> Grammar:
    path = grammar_path(language)
    load: Callable[..., tuple[Grammar, object]] = load_grammar
    return load(path.read_text(encoding="utf-8"), str(path), [str(path.parent)], True)[0]


def compile_grammar(language: str, **options: Any) -> Lark:
    """A new LALR parser of ``language``; ``options`` are Lark's own."""
    settings = {"maybe_placeholders": True, "keep_all_tokens": True, **options}
    return Lark(_grammar(language), parser="lalr", lexer="contextual", start=list(STARTS[language]), **settings)


@cache
def parser(language: str) -> Lark:
    """The LALR parser of ``language``. Its trees keep every token, so put together they are the text."""
    return compile_grammar(language, _plugins={"ContextualLexer": _UncheckedLexer})


@cache
def terminals(language: str) -> dict[str, TerminalDef]:
    """All terminals of ``language`` by name, those that only serve inside others included."""
    definitions, _, _ = _grammar(language).compile(list(STARTS[language]), "*")
    return {terminal.name: terminal for terminal in definitions}


@cache
def pattern(language: str, terminal: str) -> re.Pattern[str]:
    """One terminal of ``language`` as a compiled pattern."""
    return re.compile(terminals(language)[terminal].pattern.to_regexp())


@cache
def regular(language: str) -> RegularRules:
    """The regular rules of ``language`` as patterns."""
    rules = {name: tree for name, _, tree, _ in _grammar(language).rule_defs}
    return RegularRules(rules, terminals(language))
