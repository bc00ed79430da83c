"""Files: written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = [
    "is_leftover",
    "link_or_copy",
    "reason_of",
    "remove_leftovers",
    "stamp_of",
    "sync_folder",
    "writing",
]

# What files are called until they are whole.
_PREFIX, _SUFFIX = ".planspec-", ".tmp"


@contextmanager
def writing(
    path: Path,
    like: os.stat_result | None = None,
    *,
    prefix: str = _PREFIX,
    check: Callable[[], object] | None = None,
    is_new: bool = False,
) -> Iterator[BinaryIO]:
    """A file beside ``path`` that takes its name, in one step, when all is written.

    The name outlives a crash of the machine, as the text does. The file has the permissions that any new file of this
    user has, or those of ``like`` and, where that is allowed, its owner and group.

    Args:
        path: the file.
        like: what it is to be like.
        prefix: how its name begins before that, so that each writer knows its own leftovers.
        check: called when all is on the disk, right before it takes the name; what that raises leaves all as it was.
        is_new: replace no file.

    Raises:
        FileExistsError: with ``is_new``, there is something of this name already.
        OSError: it cannot be written; what was at ``path`` is as it was.
    """
    # Without the name of what it becomes, which may be as long as names can be.
    beside = path.with_name(f"{prefix}{os.urandom(8).hex()}{_SUFFIX}")
    # A file that is to have its own permissions is private until it has them.
    mode = 0o666 if like is None else 0o600
    try:
        with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            _make_like(beside, like)
        if check is not None:
            check()
        if is_new:
            _name_new(beside, path)
        else:
            beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _make_like(path: Path, known: os.stat_result) -> None:
    if sys.platform != "win32":
        # To give a file away takes more rights than to give it to another group of one's own.
        for owner in (known.st_uid, -1):
            with suppress(PermissionError):
                os.chown(path, owner, known.st_gid)
                break
    path.chmod(stat.S_IMODE(known.st_mode))


def _name_new(beside: Path, path: Path) -> None:
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:
        # Where a file has only one name. A program that takes it between these two lines, without the lock, loses it.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        beside.rename(path)
    else:
        beside.unlink()


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name; where the file system gives a file only one, a copy. Nothing is ever replaced.

    Raises:
        FileExistsError: there is something of this name already.
        OSError: neither is possible.
    """
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        import shutil  # noqa: PLC0415  (slow to load, and hardly ever needed)

        with open(source, "rb") as ours, open(target, "xb") as theirs:
            try:
                shutil.copyfileobj(ours, theirs)
                theirs.flush()
                os.fsync(theirs.fileno())
                shutil.copystat(source, target)
            except BaseException:
                target.unlink()
                raise


def stamp_of(path: Path) -> object:
    """What is another value, most of the time, once a file was written to, or it has come or gone."""
    try:
        known = os.stat(path)
    except OSError as error:
        return error.errno
    return known.st_mtime_ns, known.st_size, known.st_ino


def is_leftover(name: str, prefix: str = _PREFIX) -> bool:
    """Whether a file of this name is one that was not whole yet."""
    return name.startswith(prefix) and name.endswith(_SUFFIX)


def remove_leftovers(folder: Path) -> None:
    """Remove the files that a writer which was killed has left."""
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where folders can be asked for that."""
    if sys.platform == "win32":
        return
    # A folder that cannot be read may be written to, and some file systems have nothing to wait for.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def reason_of(error: BaseException) -> str:
    """What the system says of an error, without the file."""
    said = error.strerror if isinstance(error, OSError) else None
    return said or str(error) or type(error).__name__
