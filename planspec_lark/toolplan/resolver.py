"""Inputs as their tools get them: references give way to what they refer to. No recursion on depth.

What goes in and comes out is copied, so that no tool can change what another one gets; a tuple becomes a list, as it
would in JSON. A plan from a stranger may double a value with every step, so there are limits of size.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from attrs import define, field

from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.toolplan.references import ReferencePiece, read_pieces

__all__ = [
    "MAX_CHARACTERS",
    "MAX_DEPTH",
    "MAX_VALUES",
    "Find",
    "Unresolved",
    "ValueRefusedError",
    "copy_value",
    "resolve",
]

# So many levels, values, and characters of all texts may what one step takes, or produces, have.
MAX_DEPTH = 200
MAX_VALUES = 1_000_000
MAX_CHARACTERS = 100_000_000


class Unresolved(Exception):  # noqa: N818  (no error in a dry run)
    """The output that is meant is not there."""


class ValueRefusedError(PlanSpecError, ValueError):
    """A value that cannot be handed on; the text says why."""


# The output of this name of this step.
Find = Callable[[str, str], Any]


def resolve(value: Any, find: Find, *, keep: bool = False) -> tuple[Any, bool]:
    """A copy of a value in which references have given way to outputs, and whether all have.

    A text that is one reference gives way to the output itself, of whatever type. In a longer text, an output that is a
    text is as it is, any other as JSON. ``$${`` becomes ``${``. What only looks like a reference stays, and so does
    all that looks like one in an output.

    Args:
        value: any value; lists and dicts are copied, and tuples become lists.
        find: gives outputs.
        keep: leave references as they are written where ``find`` raises :class:`Unresolved`.

    Raises:
        Unresolved: an output is not there, unless ``keep``.
        ValueRefusedError: the value is too deep or too large, or an output in a text is not a JSON value.
    """
    copier = _Copier(find, keep)
    return copier.copy(value, resolves=True), copier.is_complete


def copy_value(value: Any) -> Any:
    """A copy of a value, within the same limits; references stay as they are.

    Raises:
        ValueRefusedError: it is too deep (or holds itself) or too large.
    """
    return _Copier(_find_nothing).copy(value, resolves=False)


def _find_nothing(_step: str, _output: str) -> Any:
    raise Unresolved


@define
class _Copier:
    find: Find
    keep: bool = False
    is_complete: bool = True
    _values: int = field(default=0, init=False)
    _characters: int = field(default=0, init=False)

    def copy(self, value: Any, *, resolves: bool) -> Any:
        home: list[Any] = [None]
        # A value, where its copy goes, how deep that is, and whether its texts may refer to outputs.
        stack: list[tuple[Any, Any, Any, int, bool]] = [(value, home, 0, 0, resolves)]
        while stack:
            item, owner, key, depth, refers = stack.pop()
            if refers and isinstance(item, str) and "$" in item:
                item, refers = self._resolve_text(item), False
            elif isinstance(item, str):
                self._count_text(item)
            if not isinstance(item, dict | list | tuple):
                owner[key] = item
                continue
            if depth >= MAX_DEPTH:
                raise ValueRefusedError(f"more than {MAX_DEPTH} levels")
            self._count_values(len(item))
            made: Any
            if isinstance(item, dict):
                for name in item:
                    self._count_text(name)
                made = dict.fromkeys(item)
                stack += [(one, made, name, depth + 1, refers) for name, one in item.items()]
            else:
                # What is in a tuple counts as no reference when a plan is checked.
                refers = refers and not isinstance(item, tuple)
                made = [None] * len(item)
                stack += [(one, made, at, depth + 1, refers) for at, one in enumerate(item)]
            owner[key] = made
        return home[0]

    def _resolve_text(self, text: str) -> Any:
        pieces = read_pieces(text)
        if len(pieces) == 1 and pieces[0].kind == "REFERENCE":
            value = self._find(pieces[0])
            self._count_text(value)
            return value
        written = []
        for piece in pieces:
            said = self._write(piece, self._find(piece)) if piece.kind == "REFERENCE" else piece.text
            # Before the text is put together, as it may be far too long.
            self._count_text(said)
            written.append(said)
        return "".join(written)

    def _find(self, piece: ReferencePiece) -> Any:
        try:
            return self.find(piece.step, piece.output)
        except Unresolved:
            if not self.keep:
                raise
            self.is_complete = False
            return piece.text

    def _write(self, piece: ReferencePiece, value: Any) -> str:
        if isinstance(value, str):
            return value
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueRefusedError(f"{piece.text} cannot be put into a text: {error}") from None

    def _count_values(self, count: int) -> None:
        self._values += count
        if self._values > MAX_VALUES:
            raise ValueRefusedError(f"more than {MAX_VALUES:,} values")

    def _count_text(self, value: object) -> None:
        if isinstance(value, str):
            self._characters += len(value)
            if self._characters > MAX_CHARACTERS:
                raise ValueRefusedError(f"more than {MAX_CHARACTERS:,} characters")
