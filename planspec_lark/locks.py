"""Locks between processes, which end with the process that holds them, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["LockedError", "locked"]

# What systems say of a lock that somebody has. EWOULDBLOCK is EAGAIN, or else what Windows has in its place.
_TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)

# The files of all locks that this process holds.
_held: set[BinaryIO] = set()


def _let_go() -> None:
    for file in _held:
        file.close()


# A forked process would hold the locks of this one for as long as it lives.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class LockedError(Exception):
    """Another process holds the lock."""


@contextmanager
def locked(path: Path) -> Iterator[Callable[[], bool]]:
    """Hold the lock that is this file, which is made if need be and stays.

    Yields what says whether another file has taken its place since then, so that somebody else may hold that one.

    Raises:
        LockedError: another process, or another part of this one, holds it.
        OSError: the file cannot be opened, or cannot be locked by anybody.
    """
    home = path.absolute()
    with open(home, "a+b") as file:
        try:
            _take(file.fileno())
        except OSError as error:
            # Some file systems have no locks, which is something else.
            if error.errno not in _TAKEN:
                raise
            raise LockedError(str(path)) from None
        _held.add(file)
        try:
            yield lambda: _is_another(home, file.fileno())
        finally:
            _held.discard(file)
            if not file.closed:
                _give_back(file.fileno())


def _is_another(path: Path, handle: int) -> bool:
    try:
        return not os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        # Without a file, nobody holds anything.
        return False


def _take(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  (there is one of the two)

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _give_back(handle: int) -> None:
    """Let go for everybody: a process that has just been forked has the file open until its first turn comes."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415  (as above)

        fcntl.flock(handle, fcntl.LOCK_UN)
