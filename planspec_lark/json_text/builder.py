"""From tokens to values, each with its place. Containers that are open stand in a list, so depth costs no recursion."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from planspec_lark.json_text.models import LEVELS, Node

__all__ = ["CLOSERS", "Builder", "Key"]

CLOSERS = {"CLOSE_OBJECT": "}", "CLOSE_ARRAY": "]"}


@define
class Key:
    """A key that waits for its value, and its bounds; without a name where it could not be read.

    The value of a key that ``is_left_out`` is left out as well: it could not be read, or comes twice.
    """

    name: str | None
    start: int
    end: int
    is_left_out: bool = False


@define
class _Frame:
    """A container that is open. One that is left out, and whatever is inside of it, has no node.

    ``step`` leads to it from the one around it, if it has a place there. ``others`` is how many containers are open
    from the top down to the innermost one of the other kind.
    """

    container: dict[str, Any] | list[Any]
    node: Node | None
    start: int
    step: str | int | None
    others: int

    @property
    def is_object(self) -> bool:
        """Whether it is an object."""
        return type(self.container) is dict

    @property
    def closer(self) -> str:
        """What closes it."""
        return "CLOSE_OBJECT" if self.is_object else "CLOSE_ARRAY"


@define
class Builder:
    """What has been read so far.

    Attributes:
        value: the value at the top, once it has begun.
        root: where it stands, and all inside of it.
        count: how many values have a place.
        key: the key that waits for its value.
    """

    value: Any = None
    root: Node | None = None
    count: int = 0
    key: Key | None = None
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
    def inside_other(self) -> int:
        """How many containers are open inside of the innermost one of the other kind; 0 where there is none of that."""
        others = self._frames[-1].others
        return others and self.depth - others

    def closers(self, count: int) -> list[tuple[str, int]]:
        """What closes the innermost containers, so many of them, and where each begins; the innermost first."""
        return [(frame.closer, frame.start) for frame in reversed(self._frames[-count:])]

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

    def set_key(self, name: str, start: int, end: int) -> int | None:
        """Take a key; returns where the same key begins in this object already, if it does."""
        frame = self._frames[-1]
        is_double = name in frame.container
        self.key = Key(name, start, end, is_double)
        if not is_double or frame.node is None:
            return None
        assert frame.node.inside is not None
        first = frame.node.inside[name].key
        return first and first[0]

    def leave_out_key(self, start: int, end: int) -> None:
        """Take a key that cannot be read, so that its value is left out."""
        self.key = Key(None, start, end, is_left_out=True)

    def add(self, value: Any, start: int, end: int) -> Node | None:
        """Take a value; returns its node, or None where it is left out."""
        key, self.key = self.key, None
        node = Node(start, end)
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

    def skip(self) -> None:
        """Leave out the value that would come here, and its key."""
        self.key = None

    def open(self, container: dict[str, Any] | list[Any], start: int) -> None:
        """Take the beginning of an object or a list."""
        around, key = self._frames[-1] if self._frames else None, self.key
        node = self.add(container, start, start + 1)
        step: str | int | None = None
        others = 0
        if around is not None:
            if not around.is_object:
                step = len(around.container) - 1
            elif key is not None and node is not None:
                step = key.name
            others = around.others if type(around.container) is type(container) else self.depth
        self._frames.append(_Frame(container, node, start, step, others))

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
