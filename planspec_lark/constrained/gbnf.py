"""The same grammar in GBNF, the notation of llama.cpp.

GBNF knows rules only, in names of letters, digits and ``-``, the first of them ``root``; it has character classes but
no patterns, so that a pattern is taken apart into its classes and characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from planspec_lark.constrained.notation import Choice, Definitions, Name, Node, Repeat

__all__ = ["write_gbnf"]

# One character or class of a pattern, and how often it comes.
_PIECE = re.compile(r"(\[(?:[^\]\\]|\\.)+\]|\\.|[^\\()|?*+{}])([?*+]|\{[0-9,]+\})?", re.DOTALL)


def write_gbnf(definitions: Definitions) -> str:
    """A grammar's text in GBNF."""
    names = _rename(definitions)
    return "".join(f"{names[name]} ::= {_write_choice(choice, names)}\n" for name, choice in definitions.items())


def _rename(definitions: Iterable[str]) -> dict[str, str]:
    taken = {"start": "root"}
    for name in definitions:
        plain = name.strip("_").replace("_", "-").lower()
        unused = (new for number in range(1, 100) if (new := plain + "-part" * (number - 1)) not in taken.values())
        taken.setdefault(name, next(unused))
    return taken


def _write_choice(choice: Choice, names: dict[str, str]) -> str:
    return " | ".join(" ".join(_write(part, names) for part in sequence) for sequence in choice.sequences)


def _write(node: Node, names: dict[str, str]) -> str:
    if isinstance(node, Name):
        return names[node.name]
    if isinstance(node, Repeat):
        return _write(node.part, names) + node.operator
    if isinstance(node, Choice):
        return f"({_write_choice(node, names)})"
    return _write_pattern(node.source[1:-1]) if node.is_pattern else node.source


def _write_pattern(pattern: str) -> str:
    pieces = []
    at = 0
    while at < len(pattern):
        match = _PIECE.match(pattern, at)
        assert match, f"the dialect's patterns are runs of characters and classes: {pattern}"
        piece, often = match[1], match[2] or ""
        # Where two digits are enough, as every reader of GBNF knows them.
        piece = re.sub(r"\\u00([0-9a-f]{2})", r"\\x\1", piece)
        pieces.append((piece if piece.startswith("[") else f'"{_unescape(piece)}"') + often)
        at = match.end()
    return pieces[0] if len(pieces) == 1 else f"({' '.join(pieces)})"


def _unescape(piece: str) -> str:
    """A character of a pattern as one of a string: only white space keeps its backslash."""
    return piece if piece in (r"\t", r"\n", r"\\") else piece.removeprefix("\\").replace('"', r"\"")
