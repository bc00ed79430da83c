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
from lark.lexer import ContextualLexer, PatternRE, TerminalDef
from lark.load_grammar import Grammar, load_grammar

from planspec_lark.regular import RegularRules, portable_expression

__all__ = ["STARTS", "compile_grammar", "grammar_path", "parser", "pattern", "portable", "regular"]

# The rules that a text of each language can be read as.
STARTS = {
    "planspec": ("plan", "line"),
    "plan_cmd": ("command", "headline"),
}


def grammar_path(language: str) -> Path:
    """The file that holds the grammar of ``language``: inside an installed package, or at a checkout's top level."""
    package = Path(__file__).parent
    inside = package / "grammar" / f"{language}.lark"
    return inside if inside.is_file() else package.parent / "grammar" / f"{language}.lark"


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

    def use_same_expression(terminal: TerminalDef) -> None:
        terminal.pattern = PatternRE(regular(language).expression(terminal.name))

    return compile_grammar(language, edit_terminals=use_same_expression, _plugins={"ContextualLexer": _UncheckedLexer})


@cache
def pattern(language: str, terminal: str) -> re.Pattern[str]:
    """One terminal of ``language`` as a compiled pattern; what it says is the group ``value``."""
    return regular(language).terminal(terminal)


def portable(language: str, terminal: str) -> str:
    """One terminal of ``language`` as a regular expression that other engines read as well."""
    return next(portable_expression(tree) for name, (tree, _) in _grammar(language).term_defs if name == terminal)


@cache
def regular(language: str) -> RegularRules:
    """The regular rules of ``language`` as patterns."""
    return RegularRules.of(_grammar(language))
