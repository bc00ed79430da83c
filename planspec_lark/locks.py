"""Locks between processes, which end with the process that holds them, however it ends.

A lock is a file of its own, or a folder: the lock of a folder leaves nothing behind. All are advisory, so they keep out
those only who ask for them. Where a system or a file system has no locks for a folder, a file in the user's state
folder takes its place, which keeps out the processes of this user on this machine.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["LockedError", "is_locked", "locked", "locked_folder", "pauses"]

# What systems say of a lock that is held. EWOULDBLOCK is EAGAIN, or else what Windows has in its place.
_TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
# What they say where there are no locks. NFS takes those of folders, which cannot be written to, for a bad handle.
_NO_LOCKS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
# Windows locks bytes, and other programs cannot read those that are locked: this one is after the end of every such
# file.
_FAR = 1 << 30


class LockedError(Exception):
    """Another process holds the lock."""


class _Lock:
    """An open file or folder, which is locked from :meth:`take` until it is closed.

    Args:
        handle: of what is open.
        known: the file or folder itself, if another file may take its place where it can have no lock.
        is_shared: let others have it as well who only want to share it: to see whether it is held exclusively.
    """

    def __init__(self, handle: int, known: os.stat_result | None = None, *, is_shared: bool = False) -> None:
        self.handle, self._known, self._is_shared, self._is_open = handle, known, is_shared, True

    def take(self) -> None:
        """Lock it.

        Raises:
            LockedError: another process, or another part of this one, holds it.
            OSError: it can have no lock.
        """
        try:
            _take(self.handle, is_shared=self._is_shared)
        except OSError as error:
            # Some file systems have no locks, which is something else.
            if error.errno in _TAKEN:
                raise LockedError from None
            if self._known is None or error.errno not in _NO_LOCKS:
                raise
            other, self._known = _open_stand_in(self._known), None
            os.close(self.handle)
            self.handle = other
            self.take()
        _held.add(self)

    def let_go(self) -> None:
        """Unlock it for everybody: a process that was just forked has it open until its first turn comes."""
        if self in _held:
            _give_back(self.handle)
        self.close()

    def close(self) -> None:
        """Close it, and leave the lock to other processes that have it open."""
        _held.discard(self)
        if self._is_open:
            self._is_open = False
            os.close(self.handle)


# All locks that this process holds.
_held: set[_Lock] = set()


def _forget_all() -> None:
    for lock in list(_held):
        lock.close()


# A forked process would hold the locks of this one for as long as it lives.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


# ---------------------------------------------------------------- files


@contextmanager
def locked(path: Path, *, or_here: bool = False) -> Iterator[Callable[[], bool]]:
    """Hold the lock that is this file, which is made if need be and stays.

    Yields what says whether another file has taken its place since then, so that another process may hold that one.

    Args:
        path: the file.
        or_here: where the file system has no locks, hold one that only this user's processes on this machine know.

    Raises:
        LockedError: another process, or another part of this one, holds it.
        OSError: the file cannot be opened, or cannot be locked at all.
    """
    home = path.absolute()
    handle = os.open(home, os.O_RDWR | os.O_CREAT, 0o666)
    known = os.fstat(handle)
    lock = _Lock(handle, known if or_here else None)
    try:
        lock.take()
        yield lambda: not _is_still(home, known, or_gone=True)
    finally:
        lock.let_go()


def is_locked(handle: int) -> bool:
    """Whether another process holds the lock that is this open file, or what stands in for it.

    Raises:
        OSError: this cannot be found out.
    """
    lock = _Lock(os.dup(handle), os.fstat(handle), is_shared=True)
    try:
        lock.take()
    except LockedError:
        return True
    finally:
        lock.let_go()
    return False


# ---------------------------------------------------------------- folders


@contextmanager
def locked_folder(folder: Path, wait: float | None = None) -> Iterator[None]:
    """Hold the lock that is this folder; it is the same for all of the folder's names.

    Args:
        folder: which is there.
        wait: for so many seconds at most; None for as long as it takes.

    Raises:
        LockedError: another process, or another thread of this one, still holds it.
        OSError: there is no such folder, or it cannot be locked at all.
    """
    until = None if wait is None else time.monotonic() + wait
    for pause in pauses():
        try:
            lock = _lock_folder(folder)
            break
        except LockedError:
            left = pause if until is None else until - time.monotonic()
            if left <= 0:
                raise LockedError(str(folder)) from None
            time.sleep(min(pause, left))
    try:
        yield
    finally:
        lock.let_go()


def _lock_folder(folder: Path) -> _Lock:
    known = folder.stat()
    lock = _open_folder(folder, known)
    try:
        lock.take()
        if not _is_still(folder, known):
            # It was replaced by another one: that one is meant.
            raise LockedError
    except BaseException:
        lock.let_go()
        raise
    return lock


def _open_folder(folder: Path, known: os.stat_result) -> _Lock:
    if sys.platform != "win32":
        # A folder may be there to write to, and not to look into.
        with suppress(PermissionError):
            return _Lock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY), known)
    return _Lock(_open_stand_in(known))


def pauses(longest: float = 0.02) -> Iterator[float]:
    """Seconds to wait between two looks at a lock: short ones first, as most locks are held for milliseconds."""
    pause = 0.001
    while True:
        yield pause
        pause = min(1.5 * pause, longest)


# ---------------------------------------------------------------- what systems have


def _open_stand_in(known: os.stat_result) -> int:
    """The file in the user's state folder that is locked in place of this file or folder."""
    import hashlib  # noqa: PLC0415  (slow to load; most folders take a lock themselves)

    if sys.platform == "win32":
        named, home = os.environ.get("LOCALAPPDATA", ""), Path("AppData", "Local")
    else:
        named, home = os.environ.get("XDG_STATE_HOME", ""), Path(".local", "state")
    # What is no whole path does not count, as the specification has it.
    folder = (Path(named) if os.path.isabs(named) else Path.home() / home) / "planspec" / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.blake2b(f"{known.st_dev}:{known.st_ino}".encode(), digest_size=16).hexdigest()
    return os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600)


def _is_still(path: Path, known: os.stat_result, *, or_gone: bool = False) -> bool:
    try:
        return os.path.samestat(path.stat(), known)
    except OSError:
        # Without a file, no other process holds anything.
        return or_gone


def _take(handle: int, *, is_shared: bool) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  (there is one of the two)

        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415

        # To see whether it is held, it is enough to be able to read.
        fcntl.flock(handle, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _give_back(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  (as above)

        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    else:
        import fcntl  # noqa: PLC0415

        fcntl.flock(handle, fcntl.LOCK_UN)
