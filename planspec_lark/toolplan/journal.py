"""The journal of a run: a line of JSON for each step that has ended, on the disk before the run goes on.

The first line says what the file is. What a crash has left of a last line is cut off when the file is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from planspec_lark.files import sync_folder
from planspec_lark.locks import LockedError, locked
from planspec_lark.source import visible_name
from planspec_lark.toolplan.runs import ToolRunError

__all__ = ["Entry", "Journal", "key_of", "open_journal", "read_journal"]

_HEADER = b'{"journal": "tool plan", "version": 1}\n'


@frozen
class Entry:
    """A step that was done in an earlier run."""

    outputs: dict[str, Any]
    warnings: tuple[str, ...]
    started: float
    seconds: float


def key_of(definition: object, inputs: object) -> str:
    """What stands for a step and what goes into it: any change to one of them makes another key.

    Raises:
        TypeError, ValueError: they hold what JSON cannot say.
    """
    text = json.dumps([definition, inputs], sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@define
class Journal:
    """What a journal says, and the only writer of it. Without a file nothing is written."""

    _path: Path
    _known: dict[str, Entry] = field(factory=dict)
    _file: FileIO | None = None
    _is_lost: Callable[[], bool] | None = None
    # Why a line may be there only in part: nothing may stand behind it.
    _fault: str = ""

    def find(self, key: str) -> Entry | None:
        """The step with this key, if it was done."""
        return self._known.get(key)

    def write(self, entry: dict[str, Any]) -> None:
        """Add a line, and wait until it is on the disk.

        Raises:
            TypeError, ValueError: it holds what JSON cannot say; nothing is written.
            ToolRunError: it cannot be written, or the journal belongs to somebody else by now.
        """
        self._append((json.dumps(entry, allow_nan=False) + "\n").encode())

    def _append(self, data: bytes) -> None:
        assert self._file is not None
        if self._fault:
            raise ToolRunError(self._fault)
        if self._is_lost is not None and self._is_lost():
            raise ToolRunError(f"{self._name}: the journal was taken away, and there is another lock now")
        try:
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._fault = f"{self._name}: {_reason(error)}"
            raise ToolRunError(self._fault) from None

    @property
    def _name(self) -> str:
        return visible_name(str(self._path))

    def begin(self, file: FileIO, size: int, is_lost: Callable[[], bool]) -> None:
        """Go on in a file behind what can be read of it."""
        self._file, self._is_lost = file, is_lost
        file.truncate(size)
        if not size:
            self._append(_HEADER)
            sync_folder(self._path.absolute().parent)


@contextmanager
def open_journal(path: Path | str) -> Iterator[Journal]:
    """A journal to read and to write, which is made if need be. Its lock is held as long as this block lasts.

    Raises:
        ToolRunError: it cannot be used, is something else, or another process is at work with it.
    """
    home = Path(path)
    name = visible_name(str(path))
    with ExitStack() as held:
        try:
            is_lost = held.enter_context(locked(home.with_name(home.name + ".lock")))
            data = _read(home)
            journal = Journal(home)
            size = _take_lines(data, journal._known, name)
            journal.begin(held.enter_context(FileIO(home, "ab")), size, is_lost)
        except LockedError:
            raise ToolRunError(f"{name}: another process is at work with this journal") from None
        except (OSError, ValueError) as error:
            raise ToolRunError(f"{name}: {_reason(error)}") from None
        yield journal


def read_journal(path: Path | str) -> Journal:
    """A journal only to read; empty where there is no file. Nobody has to wait for this.

    Raises:
        ToolRunError: it cannot be read, or is something else.
    """
    journal, name = Journal(Path(path)), visible_name(str(path))
    try:
        _take_lines(_read(Path(path)), journal._known, name)
    except (OSError, ValueError) as error:
        raise ToolRunError(f"{name}: {_reason(error)}") from None
    return journal


def _read(path: Path) -> bytes:
    try:
        # A pipe would wait for somebody who writes to it.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ToolRunError(f"{visible_name(str(path))}: not a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _take_lines(data: bytes, known: dict[str, Entry], name: str) -> int:
    """Read the lines; returns where the last whole one ends."""
    if not data.startswith(_HEADER):
        if _HEADER.startswith(data):
            return 0
        raise ToolRunError(f"{name}: this is no journal of a tool plan")
    at = len(_HEADER)
    number = 1
    while (end := data.find(b"\n", at)) >= 0:
        number += 1
        try:
            _take(json.loads(data[at:end]), known)
        except (ValueError, TypeError, KeyError, RecursionError):
            if end + 1 == len(data):  # of what was written last, some may have reached the disk and some not
                break
            raise ToolRunError(f"{name}: line {number} is none of a journal") from None
        at = end + 1
    return at


def _take(line: dict[str, Any], known: dict[str, Entry]) -> None:
    key, outputs, warnings = line["key"], line["outputs"], line["warnings"]
    started, seconds = float(line["started"]), float(line["seconds"])
    if not (isinstance(key, str) and isinstance(outputs, dict) and all(isinstance(one, str) for one in warnings)):
        raise TypeError
    if line["status"] == "done":
        known[key] = Entry(outputs, tuple(warnings), started, seconds)
    else:
        # It was done once, and has failed since then.
        known.pop(key, None)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else str(error)) or "cannot be used"
