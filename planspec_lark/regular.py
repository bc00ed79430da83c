"""A grammar rule without recursion, as one regular expression.

The syntax is written down once, in ``grammar/``. Most of it is regular: a document is lines, a line is a few tokens.
This module turns such a rule mechanically into a :mod:`re` pattern that reads at the speed of the regular expression
engine what the LALR parser reads token by token. It knows nothing about any language.

The two agree because neither goes back. A lexer never gives up a token that it has matched, and an LALR(1) parser
never takes back a decision: so every terminal becomes an atomic group and every repetition or option a possessive
one. What the pattern refuses is left to the parser, which can say what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lark import Token, Tree
from lark.grammar import NonTerminal, Symbol, Terminal
from lark.lexer import TerminalDef

__all__ = ["RegularRules"]

_POSSESSIVE = {"?": "?+", "*": "*+", "+": "++"}


class RegularRules:
    """The regular rules of one grammar as patterns.

    Args:
        rules: rule name → its right-hand side as Lark's grammar loader gives it (an EBNF tree).
        terminals: terminal name → its definition.
        silent: terminals that get no group.
    """

    def __init__(
        self,
        rules: Mapping[str, Tree[object]],
        terminals: Mapping[str, TerminalDef],
        silent: frozenset[str] = frozenset({"NL"}),
    ) -> None:
        self._rules = rules
        self._terminals = terminals
        self._silent = silent

    def pattern(self, rule: str, *, without: str | None = None) -> re.Pattern[str]:
        """The pattern of ``rule``.

        A terminal outside any repetition is a group of its name; inside another rule that is ``rule_TERMINAL``. A rule
        that is used, and whatever is repeated, is a group of its name and spans all of it. Where a name comes up
        twice, its first place has the group.

        Args:
            rule: the rule's name.
            without: a rule to leave out, so that a pattern can stop in front of a repeated tail.

        Raises:
            ValueError: the rule is recursive.
        """
        builder = _Builder(self._rules, self._terminals, self._silent, without)
        return re.compile(builder.rule(rule, prefix=""))

    def tokens(self, rule: str) -> re.Pattern[str]:
        """One pattern that matches any single terminal of ``rule``, each a group, by falling priority."""
        names: dict[str, None] = {}
        for symbol in self._rules[rule].scan_values(lambda value: isinstance(value, Terminal)):
            assert isinstance(symbol, Terminal)
            names.setdefault(symbol.name)
        ordered = sorted(names, key=lambda name: -self._terminals[name].priority)
        return re.compile("|".join(f"(?P<{name}>{self._terminals[name].pattern.to_regexp()})" for name in ordered))


class _Builder:
    def __init__(
        self,
        rules: Mapping[str, Tree[object]],
        terminals: Mapping[str, TerminalDef],
        silent: frozenset[str],
        without: str | None,
    ) -> None:
        self._rules = rules
        self._terminals = terminals
        self._without = without
        self._silent = silent
        self._used: set[str] = set()
        self._open: list[str] = []

    def rule(self, name: str, prefix: str | None) -> str:
        if name in self._open:
            raise ValueError(f"rule {name!r} is recursive: {' > '.join([*self._open, name])}")
        self._open.append(name)
        pattern = self._expansions(self._rules[name], prefix)
        self._open.pop()
        return pattern

    def _expansions(self, tree: Tree[object], prefix: str | None) -> str:
        alternatives = sorted((t for t in tree.children if isinstance(t, Tree)), key=lambda t: -self._priority(t))
        patterns = [self._expansion(alternative, prefix) for alternative in alternatives]
        return patterns[0] if len(patterns) == 1 else f"(?>{'|'.join(patterns)})"

    def _expansion(self, tree: Tree[object], prefix: str | None) -> str:
        if tree.data == "alias":
            tree = _tree(tree.children[0])
        return "".join(self._item(_tree(child), prefix) for child in tree.children)

    def _item(self, tree: Tree[object], prefix: str | None) -> str:
        if tree.data == "value":
            return self._symbol(tree.children[0], prefix)
        if tree.data == "maybe":
            return f"(?:{self._expansions(_tree(tree.children[0]), prefix)})?+"
        if tree.data == "expr":
            return self._repeated(tree, prefix)
        if tree.data == "expansions":
            return self._expansions(tree, prefix)
        raise ValueError(f"no pattern for {tree.data!r}")

    def _repeated(self, tree: Tree[object], prefix: str | None) -> str:
        inner, operator = _tree(tree.children[0]), tree.children[1]
        if not (isinstance(operator, Token) and operator in _POSSESSIVE and len(tree.children) == 2):
            raise ValueError(f"no pattern for the repetition {operator!r}")
        sole = inner.children[0] if inner.data == "value" else None
        if sole is not None and isinstance(sole, Symbol) and sole.name == self._without:
            return ""
        pattern = f"(?:{self._item(inner, None)}){_POSSESSIVE[operator]}"
        return self._group(sole.name, prefix, pattern) if isinstance(sole, Symbol) else pattern

    def _symbol(self, symbol: object, prefix: str | None) -> str:
        if isinstance(symbol, Terminal):
            return self._group(symbol.name, prefix, f"(?>{self._terminals[symbol.name].pattern.to_regexp()})")
        assert isinstance(symbol, NonTerminal)
        inner = None if prefix is None or symbol.name.startswith("_") else f"{symbol.name}_"
        return self._group(symbol.name, prefix, self.rule(symbol.name, inner))

    def _group(self, name: str, prefix: str | None, pattern: str) -> str:
        if prefix is None or name in self._silent or prefix + name in self._used:
            return f"(?:{pattern})"
        self._used.add(prefix + name)
        return f"(?P<{prefix}{name}>{pattern})"

    def _priority(self, tree: Tree[object]) -> int:
        first = next(tree.scan_values(lambda value: isinstance(value, Symbol)), None)
        return self._terminals[first.name].priority if isinstance(first, Terminal) else 0


def _tree(value: object) -> Tree[object]:
    assert isinstance(value, Tree)
    return value
