"""Server-sent events: the data of each, out of bytes that come in pieces of any size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field

from planspec_lark.llm.models import LlmError

__all__ = ["EventReader"]

_LINE_END = re.compile(rb"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"


@define
class EventReader:
    """Cuts a stream into events and keeps no more than the one that is coming. Takes time in proportion to the bytes.

    Comments and all fields but ``data`` are left out: nothing in a chat completion depends on them. Lines end with
    ``\\n``, ``\\r\\n`` or ``\\r``. None of these is a part of another character in UTF-8, so characters that come in
    two pieces are whole in their line.

    Attributes:
        max_bytes: of one event.
    """

    max_bytes: int
    _line: bytearray = field(factory=bytearray, init=False)
    _data: list[bytes] = field(factory=list, init=False)
    _size: int = field(default=0, init=False)
    _after_cr: bool = field(default=False, init=False)
    _is_first: bool = field(default=True, init=False)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of all events that are complete with these bytes.

        Raises:
            LlmError: an event is too long.
        """
        if self._after_cr and chunk.startswith(b"\n"):
            # It ends the line that the piece before has ended already.
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return
        self._after_cr = chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(chunk)
        for piece in ended:
            self._take(piece)
            if self._line:
                self._read_line()
            else:
                yield from self._end_event()
        self._take(rest)

    def close(self) -> Iterator[bytes]:
        """The data of the last event, where nothing stands behind it."""
        if self._line:
            self._read_line()
        yield from self._end_event()

    def _take(self, piece: bytes) -> None:
        self._line += piece
        if self._size + len(self._line) > self.max_bytes:
            raise LlmError(
                f"an event of the endpoint's stream has more than the {self.max_bytes:,} bytes that are allowed"
            )

    def _read_line(self) -> None:
        line = bytes(self._line)
        self._line.clear()
        if self._is_first:
            line = line.removeprefix(_MARK)
            self._is_first = False
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            # The line break counts: an event of empty lines is not empty.
            self._size += len(value) + 1

    def _end_event(self) -> Iterator[bytes]:
        if self._data:
            yield b"\n".join(self._data)
        self._data = []
        self._size = 0
