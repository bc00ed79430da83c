"""Files of text: written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: Path, text: str) -> None:
    """Replace a file by ``text`` in UTF-8: after a crash the old text or the new one is there, never a part of either.

    A symbolic link stays one, and what it points to is replaced; the file keeps its permissions and, where
    that is allowed, its owner.

    Raises:
        OSError: the file could not be written; it is as it was.
    """
    target = path.resolve()
    known = target.stat()
    if not stat.S_ISREG(known.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    handle, name = tempfile.mkstemp(prefix=".planspec-", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(PermissionError):
            os.chown(name, known.st_uid, known.st_gid)
        Path(name).chmod(stat.S_IMODE(known.st_mode))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
