"""A grammar rule without recursion, as one regular expression.

The syntax is written down once, in ``grammar/``. Most of it is regular: a document is lines, a line is a few tokens.
This module turns such a rule mechanically into an expression for :mod:`re`, which reads at that engine's speed what the
LALR parser reads token by token. It knows nothing about any language.

The two agree because neither goes back. A lexer never gives up a token that it has matched, and an LALR(1) parser
never takes back a decision: so every terminal becomes an atomic group and every repetition or option a possessive
one. What the pattern refuses is left to the parser, which can say what was expected.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from attrs import define, field, frozen
from lark import Tree

__all__ = ["POSSESSIVE", "RegularRules", "TerminalPattern"]

# The operators of repetition, and those that never go back.
POSSESSIVE = {"?": "?+", "*": "*+", "+": "++"}
# A tree as Lark's grammar loader makes it.
_Tree = Tree[Any]


class _Symbol(Protocol):
    """A rule or a terminal in such a tree."""

    name: str
    is_term: bool


@frozen
class TerminalPattern:
    """A terminal as a regular expression, in three parts: what it says (its value), and the signs around that.

    A terminal that is a sequence of literals and one other terminal says what that one says; of any other terminal,
    all of it is the value. A repetition of parts is possessive: else the regular expression engine keeps a way back
    for every turn, several hundred bytes each.
    """

    before: str
    value: str
    after: str
    priority: int = 0
    portable: str = ""

    def whole(self, name: str = "") -> str:
        """All of it; with a ``name``, its value is a group of that name."""
        return f"{self.before}{f'(?P<{name}>{self.value})' if name else self.value}{self.after}"


class RegularRules:
    """The regular rules of one grammar as regular expressions.

    Args:
        rules: rule name → its right-hand side as Lark's grammar loader gives it (an EBNF tree).
        terminals: terminal name → its pattern.
    """

    def __init__(self, rules: Mapping[str, _Tree], terminals: Mapping[str, TerminalPattern]) -> None:
        self._rules = rules
        self._terminals = terminals

    @property
    def names(self) -> list[str]:
        """The names of all terminals."""
        return list(self._terminals)

    @property
    def rules(self) -> list[str]:
        """The names of all rules."""
        return list(self._rules)

    def pattern(self, rule: str, without: str | None = None, groups: Collection[str] | None = None) -> str:
        """The expression for ``rule``.

        The value of a terminal outside any repetition is a group of the terminal's name; inside another rule that is
        ``rule_TERMINAL``, unless that rule's name starts with an underscore: then it counts as if its content stood in
        its place. A rule that is used, and whatever is repeated, is a group of its name and spans all of it. Where a
        name comes up twice, its first place has the group.

        Args:
            rule: the rule's name.
            without: a rule to leave out, so that a pattern can stop before a repeated tail.
            groups: the groups to make, by name; all of them if None.

        Raises:
            ValueError: the rule is recursive, or there is no such group.
        """
        builder = _Builder(self._rules, self._terminals, without, groups)
        pattern = builder.rule(rule, prefix="")
        if unknown := set(groups or ()) - builder.used:
            raise ValueError(f"rule {rule!r} has no group {', '.join(sorted(unknown))}")
        return pattern

    def rows(self, rule: str, groups: Collection[str]) -> str:
        """An expression to cut a text with (``findall``) into parts that follow one another, each a ``rule``.

        From the first place on where there is none, all the rest of the text is the one last match, with the group
        ``rest``, which is the last.
        """
        return f"{self.pattern(rule, groups=groups)}|(?P<rest>(?s:.+))"

    def tokens(self, rule: str) -> str:
        """One expression for any single terminal of ``rule``, each value a group, by falling priority."""
        symbols = self._rules[rule].scan_values(lambda value: getattr(value, "is_term", False))
        names = sorted(
            dict.fromkeys(symbol.name for symbol in symbols), key=lambda name: -self._terminals[name].priority
        )
        return "|".join(self._terminals[name].whole(name) for name in names)

    def terminal(self, name: str) -> str:
        """The expression for one terminal, its value the group ``value``."""
        return self._terminals[name].whole("value")

    def expression(self, name: str) -> str:
        """The same without groups."""
        return self._terminals[name].whole()

    def portable(self, name: str) -> str:
        """The same for other engines: its repetitions are plain ones."""
        return self._terminals[name].portable

    def parts(self, name: str) -> tuple[str, str, str]:
        """The same in three: what is before the value, the value, and what is after it."""
        terminal = self._terminals[name]
        return terminal.before, terminal.value, terminal.after


@define
class _Builder:
    """Builds one expression. A ``prefix`` is what the names of groups begin with; without one there are none."""

    rules: Mapping[str, _Tree]
    terminals: Mapping[str, TerminalPattern]
    without: str | None
    groups: Collection[str] | None
    used: set[str] = field(factory=set)
    _open: list[str] = field(factory=list)

    def rule(self, name: str, prefix: str | None) -> str:
        """The expression for a rule."""
        if name in self._open:
            raise ValueError(f"rule {name!r} is recursive: {' > '.join([*self._open, name])}")
        self._open.append(name)
        pattern = self._alternatives(self.rules[name], prefix)
        self._open.pop()
        return pattern

    def _alternatives(self, tree: _Tree, prefix: str | None) -> str:
        patterns = [
            self._sequence(each, prefix) for each in sorted(tree.children, key=lambda each: -self._priority(each))
        ]
        return patterns[0] if len(patterns) == 1 else f"(?>{'|'.join(patterns)})"

    def _sequence(self, tree: _Tree, prefix: str | None) -> str:
        parts = tree.children[0] if tree.data == "alias" else tree
        return "".join(self._item(part, prefix) for part in parts.children)

    def _item(self, tree: _Tree, prefix: str | None) -> str:
        first: Any
        first, *more = tree.children
        if tree.data == "value":
            return self._symbol(first, prefix)
        if tree.data == "maybe":
            return f"(?:{self._alternatives(first, prefix)})?+"
        if tree.data == "expr":
            return self._repeated(first, more, prefix)
        if tree.data == "expansions":
            return self._alternatives(tree, prefix)
        raise ValueError(f"no pattern for {tree.data!r}")

    def _repeated(self, inner: Any, operators: Sequence[Any], prefix: str | None) -> str:
        if len(operators) != 1 or operators[0] not in POSSESSIVE:
            raise ValueError(f"no pattern for the repetition {operators[0]!r}")
        # A rule or a terminal by itself.
        name = inner.children[0].name if inner.data == "value" else ""
        if name and name == self.without:
            return ""
        pattern = f"(?:{self._item(inner, None)}){POSSESSIVE[operators[0]]}"
        return _group(self._claim(name, prefix), pattern) if name else pattern

    def _symbol(self, symbol: _Symbol, prefix: str | None) -> str:
        # Its own name goes first: what it holds may be called the same.
        group = self._claim(symbol.name, prefix)
        if symbol.is_term:
            return f"(?>{self.terminals[symbol.name].whole(group)})"
        is_named = prefix is not None and not symbol.name.startswith("_")
        return _group(group, self.rule(symbol.name, f"{prefix}{symbol.name}_" if is_named else prefix))

    def _claim(self, name: str, prefix: str | None) -> str:
        """The name of a group for a symbol, or "" where it gets none."""
        if prefix is None or prefix + name in self.used or not (self.groups is None or prefix + name in self.groups):
            return ""
        self.used.add(prefix + name)
        return prefix + name

    def _priority(self, tree: _Tree) -> int:
        first = next(tree.scan_values(lambda value: hasattr(value, "is_term")), None)
        return self.terminals[first.name].priority if first is not None and first.is_term else 0


def _group(name: str, pattern: str) -> str:
    return f"(?P<{name}>{pattern})" if name else f"(?:{pattern})"
