"""Files: written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = [
    "create_atomically",
    "link_or_copy",
    "remove_leftovers",
    "replace_file",
    "sync_folder",
    "write_atomically",
    "writing",
]

_PREFIX, _SUFFIX = ".planspec-", ".tmp"


@contextmanager
def writing(path: Path, like: os.stat_result | None = None) -> Iterator[BinaryIO]:
    """A file beside ``path`` that takes its name, in one step, when all is written.

    The name outlives a crash of the machine, as the text does. The file has the permissions that any new file of this
    user has, or those of ``like`` and, where that is allowed, its owner.

    Raises:
        OSError: it cannot be written; what was at ``path`` is as it was.
    """
    beside = _beside(path)
    # What is to have permissions of its own is nobody else's until it has them.
    mode = 0o666 if like is None else 0o600
    try:
        with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            with suppress(PermissionError):
                os.chown(beside, like.st_uid, like.st_gid)
            beside.chmod(stat.S_IMODE(like.st_mode))
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _beside(path: Path) -> Path:
    # Without the name of what it becomes, which may be as long as names can be.
    return path.with_name(f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}")


def create_atomically(path: Path, data: bytes) -> None:
    """A new file, which is there with all that belongs into it or not at all.

    Raises:
        FileExistsError: there is something of this name already.
        OSError: it cannot be written.
    """
    beside = _beside(path)
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        link_or_copy(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


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
        with open(source, "rb") as ours, open(target, "xb") as theirs:
            try:
                shutil.copyfileobj(ours, theirs)
                theirs.flush()
                os.fsync(theirs.fileno())
                shutil.copystat(source, target)
            except BaseException:
                target.unlink()
                raise


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


def write_atomically(path: Path, text: str) -> None:
    """Replace a file by ``text`` in UTF-8: after a crash the old text or the new one is there, never a part of either.

    A symbolic link stays one, and what it points to is replaced; the file keeps its permissions and, where
    that is allowed, its owner.

    Raises:
        OSError: the file could not be written; it is as it was.
    """
    _write_over(path, text.encode("utf-8"))


def replace_file(path: Path, data: bytes) -> None:
    """The same for bytes, and for a file that need not be there yet; one that holds them already is not touched.

    Raises:
        OSError: the file could not be written; it is as it was.
    """
    if not path.exists():
        with writing(path) as file:
            file.write(data)
    elif not path.is_file() or path.read_bytes() != data:
        _write_over(path, data)


def _write_over(path: Path, data: bytes) -> None:
    target = path.resolve()
    known = target.stat()
    if not stat.S_ISREG(known.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with writing(target, like=known) as file:
        file.write(data)
