"""The grammars for generation as trees: what ``grammar/dialect.lark`` says they are made of, read and written.

Nothing here knows any language; what a grammar is shaped into is :mod:`planspec_lark.constrained.shape`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from attrs import frozen
from lark import Token, Tree

from planspec_lark.syntax import grammars

__all__ = [
    "Choice",
    "Definitions",
    "Name",
    "Node",
    "Repeat",
    "Text",
    "names_in",
    "reach",
    "read_grammar",
    "write_grammar",
]


@frozen
class Name:
    """A rule (lower case) or a terminal (upper case)."""

    name: str


@frozen
class Text:
    """A literal in quotes or a pattern in slashes, as it is written."""

    source: str

    @property
    def is_pattern(self) -> bool:
        """Whether it is a pattern."""
        return self.source.startswith("/")


@frozen
class Repeat:
    """A part that may be missing (``?``), come any number of times (``*``), or at least once (``+``)."""

    part: Node
    operator: str


@frozen
class Choice:
    """Alternatives, each a sequence of parts."""

    sequences: tuple[tuple[Node, ...], ...]


Node = Name | Text | Repeat | Choice
# What each rule and terminal is, in the order of the file.
Definitions = Mapping[str, Choice]


@cache
def read_grammar(language: str) -> Definitions:
    """The definitions of a grammar, and behind them those that it imports with all that they need."""
    tree = grammars.parser("dialect").parse(grammars.grammar_path(language).read_text(encoding="utf-8"))
    own: dict[str, Choice] = {}
    imported: dict[str, Choice] = {}
    for statement in tree.children:
        assert isinstance(statement, Tree)
        if statement.data == "definition":
            name, choice = statement.children
            own[str(name).removesuffix(":")] = _choice(choice)
        else:
            source, *names = (str(token) for token in _tokens(statement, "NAME"))
            imported |= reach(read_grammar(source), names)
    return {**own, **{name: choice for name, choice in imported.items() if name not in own}}


def _tokens(tree: Tree[Token], kind: str) -> Iterator[Token]:
    return (child for child in tree.children if isinstance(child, Token) and child.type == kind)


def _choice(tree: Token | Tree[Token]) -> Choice:
    assert isinstance(tree, Tree)
    sequences = (child for child in tree.children if isinstance(child, Tree))
    return Choice(tuple(tuple(map(_node, sequence.children)) for sequence in sequences))


def _node(child: Token | Tree[Token]) -> Node:
    if isinstance(child, Token):
        return Name(str(child)) if child.type == "NAME" else Text(str(child))
    if child.data == "repeated":
        part, operator = child.children
        return Repeat(_node(part), str(operator))
    return _choice(next(inner for inner in child.children if isinstance(inner, Tree)))


def names_in(node: Node) -> Iterator[str]:
    """All names that a part mentions, in its order."""
    if isinstance(node, Name):
        yield node.name
    elif isinstance(node, Repeat):
        yield from names_in(node.part)
    elif isinstance(node, Choice):
        for sequence in node.sequences:
            for part in sequence:
                yield from names_in(part)


def reach(definitions: Definitions, names: Iterable[str]) -> Definitions:
    """The definitions of these names and of all that they need."""
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += names_in(definitions[name])
    return {name: choice for name, choice in definitions.items() if name in needed}


def write_grammar(definitions: Definitions) -> str:
    """A grammar's text: one definition a line."""
    return "".join(f"{name}: {_write_choice(choice)}\n" for name, choice in definitions.items())


def _write_choice(choice: Choice) -> str:
    return " | ".join(" ".join(map(_write, sequence)) for sequence in choice.sequences)


def _write(node: Node) -> str:
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Text):
        return node.source
    if isinstance(node, Repeat):
        return _write(node.part) + node.operator
    return f"({_write_choice(node)})"
