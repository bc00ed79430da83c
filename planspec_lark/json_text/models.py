"""What a reading of a JSON text gives: a value, the place of everything in it, and diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from attrs import define, field

from planspec_lark.json_text.nodes import Nodes
from planspec_lark.json_text.paths import Path
from planspec_lark.json_text.strings import OffsetMap, decode, map_doubled, map_offsets
from planspec_lark.syntax.diagnostics import Diagnostic, has_errors
from planspec_lark.syntax.source import Source, Span

__all__ = ["MISSING", "JsonText", "Missing"]


class Missing(Enum):
    """The kind of :data:`MISSING`."""

    MISSING = "MISSING"


# Where the characters of a shorter text are is found again sooner than all these places are kept.
_WORTH_KEEPING = 100

# The value of a text that has none. (None is the value of `null`.)
MISSING: Final = Missing.MISSING


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
    _nodes: Nodes | None = field(repr=False)
    # Finds them, once somebody asks for a place.
    _find_nodes: Callable[[], Nodes] | None = field(default=None, repr=False)
    # The text may stand behind other text: all places are in the whole one.
    _maps: dict[int, tuple[int, int, OffsetMap | None]] = field(factory=dict, init=False, repr=False)

    @property
    def nodes(self) -> Nodes:
        """Where all values stand."""
        if self._nodes is None:
            assert self._find_nodes is not None
            self._nodes = self._find_nodes()
        return self._nodes

    @property
    def has_value(self) -> bool:
        """Whether there is an object."""
        return self.value is not MISSING

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong that is an error."""
        return has_errors(self.diagnostics)

    def place(self, path: Path) -> Span:
        """The place of the value at a path; where there is none, that of its nearest ancestor.

        Of an item of a list the step is its index, from 0. The place of a text has its quotes in it. A text without a
        value has its first character for a place.
        """
        return self.source.span(*self.bounds(path))

    def key_place(self, path: Path) -> Span:
        """The place of the key of the value at a path, with its quotes; that of the value where it has no key."""
        return self.source.span(*self.key_bounds(path))

    def place_within(self, path: Path, start: int, end: int) -> Span:
        """The place of the characters ``start`` to ``end`` (excluded) of the text at a path, escapes as one character.

        Bounds beyond the text are moved inside. Where there is no text at the path, or it is written so that its
        characters cannot be told apart, as in a YAML text of several lines, it is :meth:`place`.
        """
        return self.source.span(*self.bounds_within(path, start, end))

    def bounds(self, path: Path) -> tuple[int, int]:
        """The offsets of :meth:`place`."""
        if not self.nodes.starts:
            return 0, 0
        node, _ = self.nodes.find(path)
        return self.nodes.starts[node], self.nodes.ends[node]

    def key_bounds(self, path: Path) -> tuple[int, int]:
        """The offsets of :meth:`key_place`."""
        if not self.nodes.starts:
            return 0, 0
        node, is_there = self.nodes.find(path)
        if not is_there or self.nodes.keys[node] is None:
            return self.bounds(path)
        return self.nodes.key_starts[node], self.nodes.key_ends[node]

    def bounds_within(self, path: Path, start: int, end: int) -> tuple[int, int]:
        """The offsets of :meth:`place_within`."""
        if not self.nodes.starts:
            return 0, 0
        node, is_there = self.nodes.find(path)
        mapped = self._maps.get(node)
        if mapped is None or not is_there:
            value = self._get(path) if is_there else None
            if not isinstance(value, str):
                return self.bounds(path)
            mapped = self._map(node, value)
            if len(value) > _WORTH_KEEPING:
                self._maps[node] = mapped
        first, last, offsets = mapped
        if offsets is None:
            return self.bounds(path)
        start, end = max(start, 0), max(start, end, 0)
        return min(first + offsets.find(start), last), min(first + offsets.find(end), last)

    def _map(self, node: int, value: str) -> tuple[int, int, OffsetMap | None]:
        """Where the characters of a text are between, and where each is; None where that cannot be said."""
        first, last = self.nodes.starts[node], self.nodes.ends[node]
        written = self.source.text[first:last]
        # YAML has texts without quotes, and others in single ones; it folds texts, and has escapes of its own.
        if written == value:
            return first, last, map_offsets("")
        inside = written[1:-1]
        if written[:1] == "'" and inside.replace("''", "'") == value:
            return first + 1, last - 1, map_doubled(inside)
        return first + 1, last - 1, map_offsets(inside) if decode(inside) == value else None

    def _get(self, path: Path) -> Any:
        value = self.value
        for step in path:
            value = value[step]
        return value
