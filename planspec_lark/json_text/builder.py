"""What has been read of a value, with the place of everything in it. Depth costs no recursion."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from planspec_lark.json_text.models import LEVELS, ValueNode, write_key
from planspec_lark.syntax.source import Source

__all__ = ["JsonBuilder", "say_double", "say_too_deep"]


def say_double(name: str, source: Source, first: int) -> str:
    """That a key comes twice, which begins at an offset already."""
    line, column = source.position(first)
    return f"duplicate key {write_key(name)}, first seen in line {line:,}, column {column:,}"


def say_too_deep(most: int) -> str:
    """That a value is the first one below so many levels."""
    return f"the value is on level {most + 1:,}, and the limit is {most:,}"


@define
class _Frame:
    """A container that is open. One that is left out, and whatever is inside of it, has no node.

    ``step`` leads to it from the one around it, if it has a place there.
    """

    container: dict[str, Any] | list[Any]
    node: ValueNode | None
    step: str | int | None

    @property
    def is_object(self) -> bool:
        return isinstance(self.container, dict)


@define
class JsonBuilder:
    """What has been read so far.

    Attributes:
        value: the value at the top, once it has begun.
        root: where it is, and all inside of it.
        count: how many values have a place.
        key: the key that waits for its value; None where a key comes next, and where there is one that says nothing.
        frames: the containers that are open.
    """

    value: Any = None
    root: ValueNode | None = None
    count: int = 0
    key: str | None = None
    frames: list[_Frame] = field(factory=list)
    _key_place: tuple[int, int] = (0, 0)
    _is_double: bool = False

    @property
    def is_in_object(self) -> bool:
        """Whether the innermost container that is open is an object."""
        return bool(self.frames) and self.frames[-1].is_object

    def path(self) -> list[str | int]:
        """The path to what comes next; of a very deep one, only the levels that are written out, and one more."""
        frames = self.frames
        if len(frames) > 2 * LEVELS + 1:
            frames = [*frames[: LEVELS + 2], *frames[1 - LEVELS :]]
        last = self.key if self.is_in_object else len(frames[-1].container) if frames else None
        return [step for step in (*(frame.step for frame in frames[1:]), last) if step is not None]

    def set_key(self, name: str, start: int, end: int) -> int | None:
        """Take a key; where the object has it already, its value is left out, and where it begins is returned."""
        frame = self.frames[-1]
        self.key, self._key_place, self._is_double = name, (start, end), name in frame.container
        known = frame.node.inside[name].key if self._is_double and frame.node and frame.node.inside else None
        return known[0] if known else None

    def add(self, value: Any, start: int, end: int) -> ValueNode | None:
        """Take a value; returns its node, or None where it is left out."""
        key, self.key = self.key, None
        node = ValueNode(start, end)
        if not self.frames:
            self.value, self.root = value, node
            self.count += 1
            return node
        frame = self.frames[-1]
        container = frame.container
        step: str | int
        if isinstance(container, list):
            step = len(container)
            container.append(value)
        elif key is None or self._is_double:
            return None
        else:
            step = key
            container[key] = value
            node.key = self._key_place
        if frame.node is None:
            return None
        if frame.node.inside is None:
            frame.node.inside = {}
        frame.node.inside[step] = node
        self.count += 1
        return node

    def open(self, container: dict[str, Any] | list[Any], start: int) -> None:
        """Take the beginning of an object or a list."""
        step = self.key if self.is_in_object else len(self.frames[-1].container) if self.frames else None
        self.frames.append(_Frame(container, self.add(container, start, start + 1), step))

    def close(self, end: int) -> None:
        """Take the end of the innermost container."""
        frame = self.frames.pop()
        if frame.node is not None:
            frame.node.end = end
