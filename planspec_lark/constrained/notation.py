"""The grammars for generation as trees of ``grammar/notation.lark``, and their texts: in that notation, and in GBNF.

Nothing here knows any language; what a grammar is shaped into is :mod:`planspec_lark.constrained.shape`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from lark import Token, Tree

from planspec_lark.syntax import grammars

__all__ = ["Definitions", "Part", "names_in", "reach", "read_grammar", "write_gbnf", "write_grammar"]

Part = Token | Tree[Token]
# What each rule and terminal is (a tree of the notation's rule ``choice``), in the order of the file.
Definitions = Mapping[str, Tree[Token]]


@cache
def read_grammar(language: str) -> Definitions:
    """The definitions of a grammar, and after them those that it imports with all that they need."""
    tree = grammars.parser("notation").parse(grammars.grammar_path(language).read_text(encoding="utf-8"))
    for alternatives in tree.find_data("choice"):
        # Without the bars between them.
        alternatives.children = [part for part in alternatives.children if isinstance(part, Tree)]
    own: dict[str, Tree[Token]] = {}
    imported: dict[str, Tree[Token]] = {}
    for statement in tree.children:
        assert isinstance(statement, Tree)
        if statement.data == "definition":
            name, choice = statement.children
            assert isinstance(choice, Tree)
            own[str(name).removesuffix(":")] = choice
        else:
            source, *names = names_in(statement)
            imported |= reach(read_grammar(source), names)
    return own | {name: choice for name, choice in imported.items() if name not in own}


def names_in(tree: Tree[Token]) -> Iterator[str]:
    """All names that a tree mentions, in its order."""
    return map(str, tree.scan_values(lambda token: isinstance(token, Token) and token.type == "NAME"))


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
    """A grammar's text in the notation: one definition a line."""
    return "".join(f"{name}: {_write(choice, str)}\n" for name, choice in definitions.items())


_BETWEEN = {"choice": " | ", "sequence": " ", "group": "", "repeated": ""}


def _write(part: Part, spell: Callable[[Token], str]) -> str:
    if isinstance(part, Token):
        return spell(part)
    return _BETWEEN[part.data].join(_write(child, spell) for child in part.children)


# ---------------------------------------------------------------- GBNF

# One character or class of a pattern, and how often it comes.
_PIECE = re.compile(r"(\[(?:[^\]\\]|\\.)+\]|\\.|[^\\()|?*+{}])([?*+]|\{[0-9,]+\})?", re.DOTALL)


def write_gbnf(definitions: Definitions) -> str:
    """A grammar's text in GBNF, the notation of llama.cpp.

    GBNF knows rules only, in names of letters, digits and ``-``, the first of them ``root``; it has character classes
    but no patterns, so that a pattern is taken apart into its classes and characters.
    """
    names = {"start": "root"}
    for name in definitions:
        plain = name.strip("_").replace("_", "-").lower()
        while plain in names.values():
            plain += "-part"
        names.setdefault(name, plain)

    def spell(token: Token) -> str:
        return _write_pattern(token[1:-1]) if token.type == "PATTERN" else names.get(token, token)

    return "".join(f"{names[name]} ::= {_write(choice, spell)}\n" for name, choice in definitions.items())


def _write_pattern(pattern: str) -> str:
    found = list(_PIECE.finditer(pattern))
    assert "".join(piece[0] for piece in found) == pattern, f"not a run of characters and classes: {pattern}"
    pieces = [_write_piece(piece[1]) + (piece[2] or "") for piece in found]
    return pieces[0] if len(pieces) == 1 else f"({' '.join(pieces)})"


def _write_piece(piece: str) -> str:
    # Where two digits are enough, as every reader of GBNF knows them.
    piece = re.sub(r"\\u00([0-9a-f]{2})", r"\\x\1", piece)
    if piece.startswith("["):
        return piece
    # In a string only white space and the backslash itself keep their backslash.
    character = piece if piece in (r"\t", r"\n", r"\\") else piece.removeprefix("\\").replace('"', r"\"")
    return f'"{character}"'
