"""The lease of a run: a file beside a plan that says who runs it, and is locked as long as the run lasts.

The file is made, looked at and removed only while the folder is locked. One that is not locked was left by a
process that was killed: it says nothing, and is removed.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from attrs import asdict, frozen

from planspec_lark.files import writing
from planspec_lark.locks import is_locked, locked
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import one_line

__all__ = ["LEASE_SUFFIX", "FileLease", "find_lease", "hold_lease", "is_lease", "lease_path"]

LEASE_SUFFIX = ".lock"
# A file that begins in another way belongs to another program, such as a poetry.lock.
_HEAD = b'{"planspec_lease": 1, '
_MOST_BYTES = 4096


@frozen
class FileLease:
    """Who runs a plan.

    Attributes:
        command: what was called, such as ``planspec run``.
        process: its number on its machine.
        host: the machine's name.
        since: when the run began, as ``2026-03-01 07:30:00 UTC``.
    """

    command: str
    process: int
    host: str
    since: str

    def __str__(self) -> str:
        said = f"`{self.command}`, process {self.process} on {self.host}, since {self.since}"
        # The file could be anybody's by now.
        return shorten(one_line(said))


def lease_path(plan: Path) -> Path:
    """The file beside a plan that is its lease."""
    return plan.with_name(plan.name + LEASE_SUFFIX)


def find_lease(plan: Path) -> FileLease | None:
    """Who runs this plan; None if it is not run. What a run has left that was killed is removed.

    Raises:
        OSError: this cannot be found out.
    """
    path = lease_path(plan)
    found = _open(path)
    if found is None:
        return None
    try:
        data = os.read(found, _MOST_BYTES)
        if not data.startswith(_HEAD):
            return None
        if is_locked(found):
            return _read(data)
    finally:
        os.close(found)
    # Where it may not be removed, it says nothing all the same.
    with suppress(PermissionError):
        path.unlink(missing_ok=True)
    return None


def is_lease(path: Path) -> bool:
    """Whether this file is a lease, of a run that lasts or not.

    Raises:
        OSError: this cannot be found out.
    """
    found = _open(path)
    if found is None:
        return False
    try:
        return os.read(found, len(_HEAD)) == _HEAD
    finally:
        os.close(found)


def _open(path: Path) -> int | None:
    """The file, unless there is none, or something else: a link, a folder, a pipe."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        # What is named too long for a file system to have a longer name beside it has never been run.
        if error.errno in (errno.ENOENT, errno.ENAMETOOLONG):
            return None
        raise


def _read(data: bytes) -> FileLease:
    try:
        said = json.loads(data)
        return FileLease(**{name: said[name] for name in ("command", "process", "host", "since")})
    except (ValueError, LookupError, TypeError, RecursionError):
        return FileLease("?", 0, "?", "?")


@contextmanager
def hold_lease(plan: Path, command: str, prefix: str) -> Iterator[Callable[[], bool]]:
    """Run a plan that is not run yet, until this block ends; the folder has to be locked when it begins.

    Yields what says whether the lease was taken away. The file stays: the process that has locked the folder removes
    it.

    Args:
        plan: the file.
        command: what to say of this process.
        prefix: how the file's name begins until it is whole.

    Raises:
        FileExistsError: there is a file of the lease's name that is not a lease.
        LockedError: another process has locked the file meanwhile.
        OSError: the lease cannot be written or locked.
    """
    path = lease_path(plan)
    if os.path.lexists(path) and not is_lease(path):
        raise FileExistsError(path)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    lease = FileLease(command, os.getpid(), platform.node() or "this machine", now)
    with writing(path, prefix=prefix) as file:
        file.write(_HEAD + json.dumps(asdict(lease)).encode("ascii")[1:] + b"\n")
    with locked(path, or_here=True) as is_lost:
        yield is_lost
