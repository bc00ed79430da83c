"""Where the values of a text stand: flat arrays, as a text may consist of little else than values."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from attrs import define, field

from planspec_lark.json_text.paths import Path

__all__ = ["Nodes"]


def _numbers() -> array[int]:
    return array("q")


@define
class Nodes:
    """The values of a text in the order in which they begin; a node is a number, and the top is 0.

    Attributes:
        starts, ends: the offsets of each value.
        key_starts, key_ends: those of its key, quotes included; those of the value itself where it has none.
        after: the first node that is no longer inside of this one.
        keys: the key, or None where the value is an item.
    """

    starts: array[int] = field(factory=_numbers)
    ends: array[int] = field(factory=_numbers)
    key_starts: array[int] = field(factory=_numbers)
    key_ends: array[int] = field(factory=_numbers)
    after: array[int] = field(factory=_numbers)
    keys: list[str | None] = field(factory=list)
    _found: dict[int, dict[str | int, int]] = field(factory=dict, init=False)
    # The path that was asked for last, and its node.
    _last: tuple[Path | None, tuple[int, bool]] = field(default=(None, (0, False)), init=False)

    def add(self, start: int, end: int, key: tuple[str, int, int] | None) -> int:
        """Take a value, with its key if it has one; ``end`` may be set later."""
        node = len(self.starts)
        self.starts.append(start)
        self.ends.append(end)
        self.key_starts.append(key[1] if key else start)
        self.key_ends.append(key[2] if key else end)
        self.after.append(node + 1)
        self.keys.append(key[0] if key else None)
        return node

    def take_back(self) -> None:
        """Forget the last value."""
        for row in (self.starts, self.ends, self.key_starts, self.key_ends, self.after, self.keys):
            row.pop()

    def child(self, node: int, step: str | int) -> int | None:
        """The node of that key or index inside of another."""
        if node not in self._found:
            self._found[node] = dict(self._children(node))
        return self._found[node].get(step)

    def _children(self, node: int) -> Iterator[tuple[str | int, int]]:
        child, number = node + 1, 0
        while child < self.after[node]:
            key = self.keys[child]
            yield number if key is None else key, child
            child, number = self.after[child], number + 1

    def find(self, path: Path) -> tuple[int, bool]:
        """The node at a path; where there is none, its nearest ancestor, and False."""
        path = tuple(path)
        last, found = self._last
        # A text may have very many findings, one behind the other.
        if path != last:
            found = self._walk(path)
            self._last = path, found
        return found

    def _walk(self, path: Path) -> tuple[int, bool]:
        node = 0
        for step in path:
            child = self.child(node, step)
            if child is None:
                return node, False
            node = child
        return node, True
