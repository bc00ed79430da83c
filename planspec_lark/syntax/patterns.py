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
from typing import Any

from attrs import frozen
from lark import Token, Tree
from lark.grammar import NonTerminal, Symbol, Terminal
from lark.load_grammar import Grammar, PrepareLiterals, TerminalTreeToPattern, nr_deepcopy_tree

__all__ = ["RegularRules", "TerminalPattern"]

_POSSESSIVE = {"?": "?+", "*": "*+", "+": "++"}


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

    @classmethod
    def of(cls, tree: Tree[object], priority: int) -> TerminalPattern:
        """The terminal with this definition, as Lark's grammar loader gives it."""
        parts = _tree(tree.children[0]).children if len(tree.children) == 1 else []
        inner = [at for at, part in enumerate(parts) if _is_terminal(part)]
        if len(inner) != 1 or not all(_tree(part).data == "value" for part in parts):
            return cls("", _compile([tree]), "", priority, _compile([tree], portable=True))
        [at] = inner
        before, value, after = _compile(parts[:at]), _compile(parts[at : at + 1]), _compile(parts[at + 1 :])
        return cls(before, value, after, priority, _compile([tree], portable=True))

    def whole(self, name: str = "") -> str:
        """All of it; with a ``name``, its value is a group of that name."""
        return f"{self.before}{f'(?P<{name}>{self.value})' if name else self.value}{self.after}"


class RegularRules:
    """The regular rules of one grammar as regular expressions.

    Args:
        rules: rule name → its right-hand side as Lark's grammar loader gives it (an EBNF tree).
        terminals: terminal name → its pattern.
    """

    def __init__(self, rules: Mapping[str, Tree[object]], terminals: Mapping[str, TerminalPattern]) -> None:
        self._rules = rules
        self._terminals = terminals

    @classmethod
    def of(cls, grammar: Grammar) -> RegularRules:
        """The rules of a grammar that Lark has loaded."""
        rules = {name: tree for name, _, tree, _ in grammar.rule_defs}
        terminals = {name: TerminalPattern.of(tree, priority) for name, (tree, priority) in grammar.term_defs}
        return cls(rules, terminals)

    @property
    def names(self) -> list[str]:
        """The names of all terminals."""
        return list(self._terminals)

    def pattern(self, rule: str, without: str | None = None, groups: Collection[str] | None = None) -> str:
        """The expression for ``rule``.

        The value of a terminal outside any repetition is a group of the terminal's name; inside another rule that is
        ``rule_TERMINAL``, unless that rule's name starts with an underscore: then it counts as if its content stood in
        its place. A rule that is used, and whatever is repeated, is a group of its name and spans all of it. Where a
        name comes up twice, its first place has the group.

        Args:
            rule: the rule's name.
            without: a rule to leave out, so that a pattern can stop in front of a repeated tail.
            groups: the groups to make, by name; all of them if None.

        Raises:
            ValueError: the rule is recursive, or there is no such group.
        """
        return self._build(rule, without, groups)

    def rows(self, rule: str, groups: Collection[str]) -> str:
        """An expression to cut a text with (``findall``) into stretches that follow one another, each a ``rule``.

        From the first place on where there is none, all the rest of the text is the one last match, with the group
        ``rest``, which is the last.
        """
        return f"{self._build(rule, None, groups)}|(?P<rest>(?s:.+))"

    def tokens(self, rule: str) -> str:
        """One expression for any single terminal of ``rule``, each value a group, by falling priority."""
        names: dict[str, None] = {}
        for symbol in self._rules[rule].scan_values(lambda value: isinstance(value, Terminal)):
            assert isinstance(symbol, Terminal)
            names.setdefault(symbol.name)
        ordered = sorted(names, key=lambda name: -self._terminals[name].priority)
        return "|".join(self._terminals[name].whole(name) for name in ordered)

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
        """The same in three: what stands before the value, the value, and what stands behind it."""
        terminal = self._terminals[name]
        return terminal.before, terminal.value, terminal.after

    def _build(self, rule: str, without: str | None, groups: Collection[str] | None) -> str:
        builder = _Builder(self._rules, self._terminals, without, groups)
        pattern = builder.rule(rule, prefix="")
        if unknown := set(groups or ()) - builder.used:
            raise ValueError(f"rule {rule!r} has no group {', '.join(sorted(unknown))}")
        return pattern


class _Builder:
    def __init__(
        self,
        rules: Mapping[str, Tree[object]],
        terminals: Mapping[str, TerminalPattern],
        without: str | None,
        groups: Collection[str] | None,
    ) -> None:
        self._rules = rules
        self._terminals = terminals
        self._without = without
        self._groups = groups
        self.used: set[str] = set()
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
            terminal = self._terminals[symbol.name]
            return f"(?>{terminal.whole(self._claim(symbol.name, prefix))})"
        assert isinstance(symbol, NonTerminal)
        inner = prefix if prefix is None or symbol.name.startswith("_") else f"{prefix}{symbol.name}_"
        # Its own name goes first: what it holds may be called the same.
        name = self._claim(symbol.name, prefix)
        pattern = self.rule(symbol.name, inner)
        return f"(?P<{name}>{pattern})" if name else f"(?:{pattern})"

    def _group(self, name: str, prefix: str | None, pattern: str) -> str:
        claimed = self._claim(name, prefix)
        return f"(?P<{claimed}>{pattern})" if claimed else f"(?:{pattern})"

    def _claim(self, name: str, prefix: str | None) -> str:
        """The name of a group for a symbol, or "" where it gets none."""
        if prefix is None or prefix + name in self.used or not (self._groups is None or prefix + name in self._groups):
            return ""
        self.used.add(prefix + name)
        return prefix + name

    def _priority(self, tree: Tree[object]) -> int:
        first = next(tree.scan_values(lambda value: isinstance(value, Symbol)), None)
        return self._terminals[first.name].priority if isinstance(first, Terminal) else 0


def _tree(value: object) -> Tree[object]:
    assert isinstance(value, Tree)
    return value


def _is_terminal(part: object) -> bool:
    """Whether a part of a terminal's definition is another terminal."""
    inner = _tree(part).children[0]
    return isinstance(inner, Tree) and inner.data == "expansions"


def _compile(parts: Sequence[object], *, portable: bool = False) -> str:
    """Parts of a terminal's definition as one regular expression, its repetitions possessive unless ``portable``."""
    if not parts:
        return ""
    # A copy, as Lark changes the trees that it compiles.
    tree = _copy_tree(_sequence(parts))
    for repetition in [] if portable else tree.find_data("expr"):
        operator = repetition.children[1]
        repetition.children[1] = operator.update(value=_POSSESSIVE.get(operator, operator))
    return str(_TO_PATTERN.transform(tree).to_regexp())


def _sequence(parts: Sequence[object]) -> Tree[object]:
    return Tree("expansions", [Tree("expansion", list(parts))])


# Lark has no types for these.
_copy_tree: Any = nr_deepcopy_tree
_TO_PATTERN: Any = PrepareLiterals() * TerminalTreeToPattern()
