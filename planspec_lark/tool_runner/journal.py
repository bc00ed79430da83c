"""The journal of a run: a line of JSON for each step that has ended, on the disk before the run goes on.

The first line says what the file is. What a crash has left of a last line is cut off when the file is opened again.
Lines stand in the order in which steps have ended, so the later one of two was done after the other.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from attrs import define, field, frozen

from planspec_lark.files import sync_folder
from planspec_lark.locks import LockedError, locked
from planspec_lark.syntax.source import visible_name
from planspec_lark.tool_runner.results import ToolRunError

__all__ = ["Entry", "Journal", "key_of", "open_journal", "read_journal"]

_HEADER = b'{"journal": "tool plan", "version": 1}\n'
_UNUSABLE = (OSError, RuntimeError, ValueError)


@frozen
class Entry:
    """A step that was done in an earlier run; ``line`` is the number of the line that says so."""

    line: int
    outputs: dict[str, Any]
    started: float
    seconds: float


def key_of(call: object) -> str:
    """What stands for a call: any change to it makes another key.

    Raises:
        TypeError, ValueError: it holds what JSON cannot say.
    """
    text = json.dumps(call, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@define
class Journal:
    """What a journal says, and the only writer of it. Without a file nothing is written."""

    # As the user calls it, and as it is found.
    _name: str
    _path: Path
    _known: dict[str, Entry] = field(factory=dict)
    _lines: int = 1
    _file: FileIO | None = None
    _size: int = 0
    _is_lost: Callable[[], bool] | None = None
    # Why a line may be there only in part: nothing may stand behind it.
    _fault: str = ""

    def find(self, key: str) -> Entry | None:
        """The step with this key, if it was done."""
        return self._known.get(key)

    def write(self, entry: dict[str, Any]) -> int:
        """Add a line, and wait until it is on the disk; returns its number.

        Raises:
            TypeError, ValueError: it holds what JSON cannot say; nothing is written.
            ToolRunError: it cannot be written, or the journal belongs to somebody else by now.
        """
        self._append((json.dumps(entry, allow_nan=False) + "\n").encode())
        self._lines += 1
        return self._lines

    def _append(self, data: bytes) -> None:
        assert self._file is not None
        if self._fault:
            raise ToolRunError(self._fault)
        if self._is_lost is not None and self._is_lost():
            raise ToolRunError(f"{self._name}: the journal was taken away, and there is another lock now")
        # Until all is written; an interrupt may come in between.
        self._fault = f"{self._name}: the journal ends within a line"
        try:
            if not self._is_as_it_was(self._file.fileno()):
                self._fault = f"{self._name}: the journal was changed or taken away by somebody else"
                raise ToolRunError(self._fault)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._fault = f"{self._name}: {_reason(error)}"
            raise ToolRunError(self._fault) from None
        self._size += len(data)
        self._fault = ""

    def _is_as_it_was(self, handle: int) -> bool:
        """Whether what is written goes to the file of that name, and directly behind what was written last."""
        known = os.fstat(handle)
        try:
            return known.st_size == self._size and os.path.samestat(self._path.stat(), known)
        except FileNotFoundError:
            return False

    def begin(self, file: FileIO, is_lost: Callable[[], bool]) -> None:
        """Go on in a file behind what was read of it."""
        self._file, self._is_lost = file, is_lost
        file.truncate(self._size)
        if not self._size:
            self._append(_HEADER)
            sync_folder(self._path.parent)

    def read(self) -> None:
        """Learn what the file says; what a crash has left of a last line is left out.

        Raises:
            ToolRunError: it is something else.
        """
        file = _open(self._path, self._name)
        if file is None:
            return
        with file:
            while line := file.readline():
                try:
                    key, entry = _take(line, self._lines + 1)
                except (ArithmeticError, ValueError, TypeError, KeyError, RecursionError):
                    # Of what was written last, some may have reached the disk and some not.
                    if not file.read(1):
                        return
                    raise ToolRunError(f"{self._name}: line {self._lines + 1} is none of a journal") from None
                self._lines += 1
                self._size = file.tell()
                if entry is not None:
                    self._known[key] = entry
                else:
                    # It was done once, and has failed since then.
                    self._known.pop(key, None)

    @classmethod
    def of(cls, path: Path | str) -> Journal:
        """That of a file, of which nothing is read yet. Links are followed, so that each has the same lock."""
        return cls(visible_name(str(path)), Path(path).resolve())


@contextmanager
def open_journal(path: Path | str) -> Iterator[Journal]:
    """A journal to read and to write, which is made if need be. Its lock is held as long as this block lasts.

    Raises:
        ToolRunError: it cannot be used, is something else, or another process is at work with it.
    """
    name = visible_name(str(path))
    with ExitStack() as held:
        try:
            journal = Journal.of(path)
            # What is something else gets no lock beside it.
            if (file := _open(journal._path, name)) is not None:
                file.close()
            lock = journal._path.with_name(journal._path.name + ".lock")
            is_lost = held.enter_context(locked(lock))
            journal.read()
            journal.begin(held.enter_context(FileIO(journal._path, "ab")), is_lost)
        except LockedError:
            raise ToolRunError(f"{name}: another process is at work with this journal") from None
        except _UNUSABLE as error:
            raise ToolRunError(f"{name}: {_reason(error)}") from None
        yield journal


def read_journal(path: Path | str) -> Journal:
    """A journal only to read; empty where there is no file. Nobody has to wait for this.

    Raises:
        ToolRunError: it cannot be read, or is something else.
    """
    try:
        journal = Journal.of(path)
        journal.read()
    except _UNUSABLE as error:
        raise ToolRunError(f"{visible_name(str(path))}: {_reason(error)}") from None
    return journal


def _open(path: Path, name: str) -> BinaryIO | None:
    """The file behind its first line; None where there is none yet."""
    try:
        # A pipe would wait for somebody who writes to it.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ToolRunError(f"{name}: not a regular file")
        file = path.open("rb")
    except FileNotFoundError:
        return None
    head = file.read(len(_HEADER))
    if head == _HEADER:
        return file
    file.close()
    if _HEADER.startswith(head):
        return None
    raise ToolRunError(f"{name}: this is no journal of a tool plan")


def _take(data: bytes, number: int) -> tuple[str, Entry | None]:
    """The key of a line, and what it says of a step that is done."""
    if not data.endswith(b"\n"):
        raise ValueError("a part of a line")
    line = json.loads(data)
    key, outputs = line["key"], line["outputs"]
    started, seconds = float(line["started"]), float(line["seconds"])
    if not (isinstance(key, str) and isinstance(outputs, dict) and math.isfinite(started + seconds)):
        raise TypeError
    return key, Entry(number, outputs, started, seconds) if line["status"] == "done" else None


def _reason(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else visible_name(str(error))
    return said or "cannot be used"
