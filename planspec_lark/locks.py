"""Locks between processes, which end with the process that holds them, however it ends."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["LockedError", "locked"]

# What systems say of a lock that somebody has. EWOULDBLOCK is EAGAIN, or else what Windows has in its place.
_TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)


class LockedError(Exception):
    """Another process holds the lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that is this file, which is made if need be and stays.

    Raises:
        LockedError: another process, or another part of this one, holds it.
        OSError: the file cannot be opened, or cannot be locked by anybody.
    """
    with open(path, "a+b") as file:
        try:
            _take(file.fileno())
        except OSError as error:
            # Some file systems have no locks, which is something else.
            if error.errno not in _TAKEN:
                raise
            raise LockedError(str(path)) from None
        yield


def _take(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  (there is one of the two)

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
