"""What a reading of a JSON text gives: a value, the place of everything in it, and diagnostics.

Paths lead to values, such as ``("new_block", "plan", 2)``, and are written ``new_block.plan[2]``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from attrs import define, field

from planspec_lark.json_text.escapes import offsets_of, read_string
from planspec_lark.syntax.diagnostics import Diagnostic, has_errors, shorten
from planspec_lark.syntax.source import Source, Span

__all__ = ["LEVELS", "MISSING", "JsonText", "Missing", "Path", "ValueNode", "write_key", "write_path"]

# Keys and indices, from the top.
Path = Sequence[str | int]

# So many levels of a path are written out at either end, and so many characters of a key.
LEVELS = 25
_LONGEST = 60


class Missing(Enum):
    """The kind of :data:`MISSING`."""

    MISSING = "MISSING"


# The value of a text that has none. (None is the value of `null`.)
MISSING: Final = Missing.MISSING


@define(eq=False)
class ValueNode:
    """Where a value is: its bounds, those of its key with the quotes, and the nodes of what is inside of it."""

    start: int
    end: int
    key: tuple[int, int] | None = None
    inside: dict[str | int, ValueNode] | None = None


@define(eq=False)
class JsonText:
    """What a text holds.

    Attributes:
        value: plain dicts, lists, texts, numbers, bools and None; :data:`MISSING` where there is no object. Where
            something is wrong with the text, it is what could be read of it: see :attr:`has_errors` first. No text in
            it has a lone surrogate.
        diagnostics: everything that is wrong, in the order of the text. ``path`` is the path to its place.
        source: the text.
    """

    value: Any
    diagnostics: list[Diagnostic]
    source: Source = field(repr=False)
    _root: ValueNode | None = field(default=None, repr=False)
    # Finds it when a place is asked for.
    _find_root: Callable[[], ValueNode | None] | None = field(default=None, repr=False)
    # The string that was asked for last: a long one may have many findings.
    _mapped: tuple[ValueNode | None, Sequence[int] | None] = field(default=(None, None), init=False, repr=False)

    @property
    def has_value(self) -> bool:
        """Whether there is an object."""
        return self.value is not MISSING

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong that is an error."""
        return has_errors(self.diagnostics)

    def span(self, path: Path) -> Span:
        """The span of the value at a path; where there is none, that of its nearest ancestor.

        Of an item of a list the step is its index, from 0. The place of a text has its quotes in it. A text without a
        value has its first character for a place.
        """
        node, _ = self._find(path)
        return self.source.span(node.start, node.end)

    def key_span(self, path: Path) -> Span:
        """The span of the key of the value at a path, with its quotes; that of the value where it has no key."""
        node, is_there = self._find(path)
        return self.source.span(*(node.key if is_there and node.key else (node.start, node.end)))

    def span_within(self, path: Path, start: int, end: int) -> Span:
        """The span of the characters ``start`` to ``end`` (excluded) of the text at a path, escapes as one character.

        Bounds beyond the text are moved inside. Where there is no text at the path, or it is written so that its
        characters cannot be told apart, as in a YAML text of several lines, it is :meth:`span`.
        """
        node, is_there = self._find(path)
        if is_there and self._mapped[0] is not node:
            self._mapped = node, self._offsets(node, path)
        offsets = self._mapped[1] if is_there else None
        if offsets is None:
            return self.source.span(node.start, node.end)
        last = len(offsets) - 1
        return self.source.span(*(offsets[min(max(bound, 0), last)] for bound in (start, max(start, end))))

    def _find(self, path: Path) -> tuple[ValueNode, bool]:
        """The node at a path; where there is none, its nearest ancestor, and False."""
        if self._root is None and self._find_root is not None:
            self._root = self._find_root()
        node = self._root
        if node is None:
            return ValueNode(0, 0), False
        for step in path:
            child = node.inside.get(step) if node.inside else None
            if child is None:
                return node, False
            node = child
        return node, True

    def _offsets(self, node: ValueNode, path: Path) -> Sequence[int] | None:
        """Where each character of a text is written; None where that cannot be said."""
        value = self.value
        for step in path:
            value = value[step]
        written = self.source.text[node.start : node.end]
        # YAML has texts without quotes, and others in single ones; it folds texts, and has escapes of its own.
        raw, start = (written, node.start) if written == value else (written[1:-1], node.start + 1)
        if raw == value:
            return range(start, start + len(raw) + 1)
        if not isinstance(value, str) or read_string(raw) != value:
            return None
        offsets = offsets_of(raw, start)
        return offsets if len(offsets) == len(value) + 1 else None


# ---------------------------------------------------------------- paths as people write them


def write_path(path: Path) -> str:
    """A path as people write it: keys with dots between, indices in brackets; the top itself is ``$``.

    A key that is no plain word is quoted in brackets: ``inputs["a b"]``. A path of more than 50 levels is cut in its
    middle, a key of more than 60 characters at its end.
    """
    is_long = len(path) > 2 * LEVELS
    written = f"{_join(path[:LEVELS])}…{_join(path[-LEVELS:])}" if is_long else _join(path)
    return written.removeprefix(".") or "$"


def write_key(key: str) -> str:
    """A key as messages name it: quoted as in JSON, and cut if it is long."""
    return f"`{_quote(key)}`"


def _quote(key: str) -> str:
    return json.dumps(shorten(key, _LONGEST), ensure_ascii=False)


def _join(path: Path) -> str:
    return "".join([_write(step) for step in path])


def _write(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if len(step) <= _LONGEST and step.isidentifier() else f"[{_quote(step)}]"
