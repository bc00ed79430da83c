"""From tokens to values, each with its place. Containers that are open are in a list, so depth costs no recursion."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from planspec_lark.json_text.models import LEVELS, ValueNode, write_key
from planspec_lark.syntax.source import Source

__all__ = ["CLOSERS", "JsonBuilder", "PendingKey", "say_double", "say_too_deep"]

CLOSERS = {"CLOSE_OBJECT": "}", "CLOSE_ARRAY": "]"}


def say_double(name: str, source: Source, first: int) -> str:
    """That a key comes twice, which begins at an offset already."""
    line, column = source.position(first)
    return f"duplicate key {write_key(name)}, first seen in line {line:,}, column {column:,}"


def say_too_deep(most: int) -> str:
    """That a value is the first one below so many levels."""
    return f"the value is on level {most + 1:,}, and the limit is {most:,}"


@define
class PendingKey:
    """A key that waits for its value, and its bounds; without a name where it could not be read.

    The value of a key that ``is_left_out`` is left out as well: it could not be read, or comes twice.
    """

    name: str | None
    start: int
    end: int
    is_left_out: bool


@define
class _Frame:
    """A container that is open. One that is left out, and whatever is inside of it, has no node.

    ``step`` leads to it from the one around it, if it has a place there. ``run`` is how many containers of its kind
    are directly in one another, up to it.
    """

    container: dict[str, Any] | list[Any]
    node: ValueNode | None
    start: int
    step: str | int | None
    run: int
    is_object: bool


@define
class JsonBuilder:
    """What has been read so far.

    Attributes:
        value: the value at the top, once it has begun.
        root: where it is, and all inside of it.
        count: how many values have a place.
        key: the key that waits for its value; without it, the value is left out.
    """

    value: Any = None
    root: ValueNode | None = None
    count: int = 0
    key: PendingKey | None = None
    _frames: list[_Frame] = field(factory=list)

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self._frames)

    @property
    def is_in_object(self) -> bool:
        """Whether the innermost container that is open is an object."""
        return bool(self._frames) and self._frames[-1].is_object

    @property
    def is_at_key(self) -> bool:
        """Whether a key comes next, where anything of a value does."""
        return self.key is None and self.is_in_object

    @property
    def run(self) -> int:
        """How many containers of one kind are the innermost ones."""
        return self._frames[-1].run

    def closers(self, count: int) -> list[tuple[str, int]]:
        """What closes the innermost containers, so many of them, and where each begins; the innermost first."""
        innermost = reversed(self._frames[-count:])
        return [("CLOSE_OBJECT" if frame.is_object else "CLOSE_ARRAY", frame.start) for frame in innermost]

    def path(self) -> list[str | int]:
        """The path to what comes next; of a very deep one, only the levels that are written out, and one more."""
        frames = self._frames
        if len(frames) > 2 * LEVELS + 1:
            frames = [*frames[: LEVELS + 2], *frames[1 - LEVELS :]]
        steps = [frame.step for frame in frames[1:]]
        if frames and not frames[-1].is_object:
            steps.append(len(frames[-1].container))
        elif self.key is not None:
            steps.append(self.key.name)
        return [step for step in steps if step is not None]

    def set_key(self, name: str | None, start: int, end: int) -> int | None:
        """Take a key, or None for one that cannot be read; returns where it begins in this object already, if it does.

        Inside of what is left out, that is not said.
        """
        frame = self._frames[-1]
        is_double = name in frame.container
        self.key = PendingKey(name, start, end, is_double or name is None)
        inside = frame.node and frame.node.inside
        first = inside[name].key if is_double and inside and name is not None else None
        return first and first[0]

    def add(self, value: Any, start: int, end: int) -> ValueNode | None:
        """Take a value; returns its node, or None where it is left out."""
        key, self.key = self.key, None
        node = ValueNode(start, end)
        if self._frames:
            frame = self._frames[-1]
            container = frame.container
            step: str | int
            if isinstance(container, list):
                step = len(container)
                container.append(value)
            elif key is None or key.is_left_out or key.name is None:
                return None
            else:
                step = key.name
                container[step] = value
                node.key = key.start, key.end
            if frame.node is None:
                return None
            if frame.node.inside is None:
                frame.node.inside = {}
            frame.node.inside[step] = node
        else:
            self.value, self.root = value, node
        self.count += 1
        return node

    def open(self, container: dict[str, Any] | list[Any], start: int) -> None:
        """Take the beginning of an object or a list."""
        around, key = self._frames[-1] if self._frames else None, self.key
        node, is_object = self.add(container, start, start + 1), isinstance(container, dict)
        step: str | int | None = None
        if around is not None and not around.is_object:
            step = len(around.container) - 1
        elif key is not None and node is not None:
            step = key.name
        run = around.run + 1 if around is not None and around.is_object == is_object else 1
        self._frames.append(_Frame(container, node, start, step, run, is_object))

    def close(self, end: int) -> None:
        """Take the end of the innermost container."""
        frame = self._frames.pop()
        if frame.node is not None:
            frame.node.end = end

    def take_back(self) -> None:
        """Leave out the value that came last, which has a place."""
        frame = self._frames[-1]
        frame.container.pop() if isinstance(frame.container, list) else frame.container.popitem()
        if frame.node is not None and frame.node.inside:
            frame.node.inside.popitem()
