"""The small faults that can be put into Python code, as changes of its text: strings, assertions and types stay."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

# Each with its neighbour.
_OPERATORS: list[type[ast.AST]] = [
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn,
    ast.And, ast.Or, ast.Add, ast.Sub,
]  # fmt: skip


class Mutant(NamedTuple):
    """A fault: its place from the top of the checkout, the code before and after, and the whole file with it."""

    file: str
    line: int
    change: str
    text: str


def choose_mutants(root: Path, folder: str, count: int, seed: str) -> list[Mutant]:
    """So many of a folder's mutants. Each has its own rank: with the same seed, other commits have mostly the same."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[bytes, Mutant]] = []
    for path in sorted((root / folder).rglob("*.py")):
        for mutant in find_mutants(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")):
            name = f"{mutant.file}: {mutant.change}"
            seen[name] += 1
            ranked.append((sha256(f"{seed} {seen[name]} {name}".encode()).digest(), mutant))
    return [mutant for _, mutant in sorted(ranked)[:count]]


def find_mutants(file: str, source: str) -> Iterator[Mutant]:
    """All mutants of a module."""
    whole = source.encode()
    lines = whole.splitlines(keepends=True)
    for node in _walk(ast.parse(source)):
        for old, new in _mutate(node):
            start = sum(map(len, lines[: old.lineno - 1])) + old.col_offset
            end = sum(map(len, lines[: (old.end_lineno or 0) - 1])) + (old.end_col_offset or 0)
            change = " ".join(f"{whole[start:end].decode()} → {new}".split())
            yield Mutant(file, old.lineno, change, (whole[:start] + new.encode() + whole[end:]).decode())


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            # Within a string, places are only known since Python 3.12.
            stays = name in ("annotation", "returns") or isinstance(child, ast.JoinedStr | ast.Assert)
            if isinstance(child, ast.AST) and not stays:
                yield from _walk(child)


def _mutate(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Parts of the code that this node is about, and what may stand in their place."""
    match node:
        case ast.Compare(left, ops, values):
            for at, op in enumerate(ops):
                yield node, f"({ast.unparse(ast.Compare(left, [*ops[:at], _swap(op), *ops[at + 1 :]], values))})"
        case ast.BoolOp(op, values):
            yield node, f"({ast.unparse(ast.BoolOp(_swap(op), values))})"
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right) if not (_is_text(left) or _is_text(right)):
            yield node, f"({ast.unparse(ast.BinOp(left, _swap(op), right))})"
        case ast.AugAssign(target, ast.Add() | ast.Sub() as op, value) if not _is_text(value):
            yield node, ast.unparse(ast.AugAssign(target, _swap(op), value))
        case ast.Constant(int() as number) if number in (0, 1):
            yield node, repr(type(number)(not number))
        case ast.Return(ast.expr() as value) if ast.unparse(value) != "None":
            yield value, "None"
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield from _negate(test)
        case ast.comprehension(_, _, tests):
            for test in tests:
                yield from _negate(test)
        case ast.Expr(value) if not isinstance(value, ast.Constant):
            yield node, "pass"
    match node:
        case (
            ast.Assign([ast.Attribute()])
            | ast.AugAssign(ast.Attribute())
            | ast.AnnAssign(ast.Attribute(), _, ast.expr())
        ):
            yield node, "pass"


def _negate(test: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    match test:
        case ast.Compare(_, [ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
            return  # as swapped
        case ast.Constant() | ast.Name("TYPE_CHECKING"):
            return
    yield test, f"(not ({ast.unparse(test)}))"


def _swap(op: ast.AST) -> Any:
    return _OPERATORS[_OPERATORS.index(type(op)) ^ 1]()


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
