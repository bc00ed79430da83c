"""From tokens to values, each with its place. Containers that are open stand in a list, so depth costs no recursion."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from attrs import define, field

from planspec_lark.json_text.nodes import Nodes
from planspec_lark.json_text.paths import LEVELS

__all__ = ["Builder"]


@define
class _Frame:
    """A container that is open. One that is left out, and whatever is inside of it, has no node but -1."""

    container: dict[str, Any] | list[Any]
    node: int
    start: int
    # For duplicates: the node of each key up to the node `seen`.
    firsts: dict[str | None, int] | None = None
    seen: int = 0


def _step(frame: _Frame, below: _Frame) -> str | int | None:
    """The step from a container to the one that is open inside of it, if that has a place there."""
    if isinstance(frame.container, list):
        return len(frame.container) - 1
    return next(reversed(frame.container)) if below.node >= 0 else None


@define
class Builder:
    """What has been read so far.

    Attributes:
        values: the value at the top, once it has begun.
        nodes: where everything stands.
        key: the key that waits for its value, and its bounds.
        is_key_lost: that key could not be read.
        objects: how many objects are open.
    """

    values: list[Any] = field(factory=list)
    nodes: Nodes = field(factory=Nodes)
    key: tuple[str, int, int] | None = None
    is_key_lost: bool = False
    objects: int = 0
    _frames: list[_Frame] = field(factory=list)
    _is_double: bool = False

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self._frames)

    @property
    def is_in_object(self) -> bool:
        """Whether the innermost container that is open is an object."""
        return bool(self._frames) and type(self._frames[-1].container) is dict

    def count_inside(self, *, is_object: bool) -> int:
        """How many containers are open inside of the innermost object, or list; 0 where none of these is open."""
        if not (self.objects if is_object else self.depth - self.objects):
            return 0
        kind = dict if is_object else list
        return next(count for count, frame in enumerate(reversed(self._frames)) if type(frame.container) is kind)

    def closers(self, count: int) -> list[tuple[str, int]]:
        """What closes the innermost containers, so many of them, and where each begins; the innermost first."""
        frames = self._frames[-count:][::-1]
        return [("CLOSE_OBJECT" if type(frame.container) is dict else "CLOSE_ARRAY", frame.start) for frame in frames]

    def path(self) -> list[str | int]:
        """The path to what comes next; of a very deep one, only the levels that are written out, and one more."""
        frames = self._frames
        if len(frames) > 2 * LEVELS + 1:
            frames = [*frames[: LEVELS + 1], *frames[-LEVELS:]]
        steps = [_step(frame, below) for frame, below in pairwise(frames)]
        if frames:
            steps.append(self._next_step(frames[-1]))
        return [step for step in steps if step is not None]

    def _next_step(self, frame: _Frame) -> str | int | None:
        if isinstance(frame.container, list):
            return len(frame.container)
        return self.key[0] if self.key is not None and not self.is_key_lost else None

    def set_key(self, key: str, start: int, end: int) -> int | None:
        """Take a key; returns where the same key begins in this object already, if it does."""
        self.key = key, start, end
        frame = self._frames[-1]
        self._is_double = key in frame.container
        return self._find_first(frame, key) if self._is_double else None

    def _find_first(self, frame: _Frame, key: str) -> int | None:
        if frame.node < 0:
            return None
        nodes = self.nodes
        child = frame.seen or frame.node + 1
        frame.firsts = frame.firsts or {}
        while child < len(nodes.starts):
            frame.firsts[nodes.keys[child]] = child
            child = nodes.after[child]
        frame.seen = child
        return nodes.key_starts[frame.firsts[key]]

    def leave_out_key(self, start: int, end: int) -> None:
        """Take a key that cannot be read, so that its value is left out."""
        self.key = "", start, end
        self._is_double = self.is_key_lost = True

    def add(self, value: Any, start: int, end: int) -> int:
        """Take a value; returns its node, or -1 where it is left out."""
        key, self.key = self.key, None
        if not self._frames:
            self.values.append(value)
            return self.nodes.add(start, end, None)
        frame = self._frames[-1]
        container = frame.container
        if isinstance(container, list):
            container.append(value)
            return self.nodes.add(start, end, None) if frame.node >= 0 else -1
        if key is None or self._is_double:
            self._is_double = self.is_key_lost = False
            return -1
        container[key[0]] = value
        return self.nodes.add(start, end, key) if frame.node >= 0 else -1

    def skip(self) -> None:
        """Leave out the value that would come here, and its key."""
        self.key = None
        self._is_double = self.is_key_lost = False

    def open(self, container: dict[str, Any] | list[Any], start: int) -> None:
        """Take the beginning of an object or a list."""
        self.objects += type(container) is dict
        self._frames.append(_Frame(container, self.add(container, start, start + 1), start))

    def close(self, end: int) -> None:
        """Take the end of the innermost container."""
        frame = self._frames.pop()
        self.objects -= type(frame.container) is dict
        if frame.node >= 0:
            self.nodes.ends[frame.node] = end
            self.nodes.after[frame.node] = len(self.nodes.starts)

    def take_back(self, node: int) -> None:
        """Leave out the value that came last; its node is the last one, or -1 if it is left out already."""
        if node >= 0:
            self.nodes.take_back()
            container = self._frames[-1].container
            if isinstance(container, list):
                container.pop()
            else:
                container.popitem()
