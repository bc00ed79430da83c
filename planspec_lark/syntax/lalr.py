"""Grammar files → what Lark makes of them. Importing this imports Lark, which most readings of a valid text do without.

A parser that has been built can be written down as JSON and read again several times faster; see
:mod:`planspec_lark.syntax.grammars` for where that is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Tree
from lark.grammar import Rule
from lark.lexer import ContextualLexer, PatternRE, TerminalDef
from lark.load_grammar import Grammar, PrepareLiterals, TerminalTreeToPattern, load_grammar, nr_deepcopy_tree

from planspec_lark.syntax.patterns import POSSESSIVE, RegularRules, TerminalPattern

__all__ = [
    "PLUGINS",
    "compile_grammar",
    "dump_parser",
    "load_parser",
    "load_rules",
    "make_parser",
    "read_rules",
]


class _UncheckedLexer(ContextualLexer):
    """The contextual lexer without Lark's search for colliding terminals.

    That search runs whenever `interegular` happens to be installed and takes seconds. The tests run it, in strict mode.
    """

    def __init__(self, conf: Any, states: Any, always_accept: Any = ()) -> None:
        conf.skip_validation = True
        super().__init__(conf, states, always_accept)


# What Lark is given to read with.
PLUGINS = {"ContextualLexer": _UncheckedLexer}


@cache
def _load(path: Path) -> Grammar:
    load: Callable[..., tuple[Grammar, object]] = load_grammar
    return load(path.read_text(encoding="utf-8"), str(path), [str(path.parent)], True)[0]


@cache
def load_rules(path: Path) -> RegularRules:
    """The regular rules of a grammar file."""
    return read_rules(_load(path))


def read_rules(grammar: Grammar) -> RegularRules:
    """The regular rules of a grammar that Lark has loaded."""
    rules = {name: tree for name, _, tree, _ in grammar.rule_defs}
    terminals = {name: _read_terminal(tree, priority) for name, (tree, priority) in grammar.term_defs}
    return RegularRules(rules, terminals)


def _read_terminal(tree: Tree[Any], priority: int) -> TerminalPattern:
    parts = tree.children[0].children if len(tree.children) == 1 else []
    # Those that are other terminals.
    inner = [at for at, part in enumerate(parts) if getattr(part.children[0], "data", "") == "expansions"]
    portable = _compile(tree)
    if len(inner) != 1 or any(part.data != "value" for part in parts):
        return TerminalPattern("", _compile(tree, POSSESSIVE), "", priority, portable)
    [at] = inner
    cuts = (parts[:at], parts[at : at + 1], parts[at + 1 :])
    before, value, after = (_compile(_sequence(cut), POSSESSIVE) if cut else "" for cut in cuts)
    return TerminalPattern(before, value, after, priority, portable)


def _sequence(parts: Sequence[Tree[Any]]) -> Tree[Any]:
    return Tree("expansions", [Tree("expansion", [*parts])])


def _compile(definition: Tree[Any], operators: Mapping[str, str] | None = None) -> str:
    """A terminal's definition as a regular expression, with other operators of repetition where these are given."""
    # A copy, as Lark changes the trees that it compiles.
    tree = _copy_tree(_sequence([definition]))
    for repetition in tree.find_data("expr"):
        operator = repetition.children[1]
        repetition.children[1] = operator.update(value=(operators or {}).get(operator, operator))
    return str(_TO_PATTERN.transform(tree).to_regexp())


# Lark has no types for these.
_copy_tree: Any = nr_deepcopy_tree
_TO_PATTERN: Any = PrepareLiterals() * TerminalTreeToPattern()


def compile_grammar(path: Path, starts: Sequence[str], **options: Any) -> Lark:
    """A new LALR parser of a grammar file; ``options`` are Lark's own."""
    settings = {"maybe_placeholders": True, "keep_all_tokens": True, **options}
    return Lark(_load(path), parser="lalr", lexer="contextual", start=list(starts), **settings)


def make_parser(path: Path, starts: Sequence[str]) -> Lark:
    """The LALR parser of a grammar file, its terminals as :class:`~planspec_lark.syntax.patterns.RegularRules` has."""
    rules = load_rules(path)

    def use_same_expression(terminal: TerminalDef) -> None:
        # A literal in a rule has no definition of its own.
        if terminal.name in rules.names:
            terminal.pattern = PatternRE(rules.expression(terminal.name))

    return compile_grammar(path, starts, edit_terminals=use_same_expression, _plugins=PLUGINS)


# ---------------------------------------------------------------- parsers as JSON


def dump_parser(parser: Lark) -> dict[str, Any]:
    """A parser as a value of JSON. It is for this version of Lark and no other."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    # These two are no data; the one has done its work, the other is given again.
    options = {**data["options"], "edit_terminals": None, "_plugins": {}}
    return {"lark": lark.__version__, "data": _to_json({**data, "options": options}), "memo": _to_json(memo)}


def load_parser(dumped: dict[str, Any]) -> Lark | None:
    """The parser of :func:`dump_parser`, or None where that was another version of Lark's."""
    if dumped.get("lark") != lark.__version__:
        return None
    data, memo = _from_json(dumped["data"]), _from_json(dumped["memo"])
    load: Callable[..., Lark] = Lark._load_from_dict
    return load(data, memo, _plugins=PLUGINS)


# JSON has no keys but texts: a mapping of numbers is kept as a list of pairs under this key.
_PAIRS = "#"


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _to_json(item) for key, item in value.items()}
        return {_PAIRS: [[key, _to_json(item)] for key, item in value.items()]}
    return [_to_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        if _PAIRS in value:
            return {key: _from_json(item) for key, item in value[_PAIRS]}
        return {key: _from_json(item) for key, item in value.items()}
    return [_from_json(item) for item in value] if isinstance(value, list) else value
