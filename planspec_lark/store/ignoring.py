"""A line in .gitignore that keeps a folder out of the history."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from planspec_lark.files import create_atomically, writing
from planspec_lark.source import visible_name
from planspec_lark.store.models import StoreError, explain

__all__ = ["ignore_folder"]

_BOM = b"\xef\xbb\xbf"
# No such file is longer.
_MOST_BYTES = 10_000_000


def ignore_folder(root: Path, folder: str) -> bool:
    """Add ``folder/`` to the .gitignore in ``root``, unless a line there ignores it already.

    All other bytes stay; the line ends as the others do, and is without an end where the last one was.

    Returns:
        Whether the line was added.

    Raises:
        StoreError: the file cannot be read or written, or is a link: what that leads to may be anybody's.
    """
    path, line = root / ".gitignore", f"{folder}/".encode()
    try:
        if not os.path.lexists(path):
            create_atomically(path, line + b"\n")
            return True
        known = path.lstat()
        if not stat.S_ISREG(known.st_mode) or known.st_size > _MOST_BYTES:
            raise StoreError(f"{visible_name(str(path))}: this is no file that git would read")
        before = path.read_bytes()
        if _is_ignored(before, folder.encode()):
            return False
        with writing(path, like=known) as file:
            file.write(_add(before, line))
    except OSError as error:
        raise StoreError(f"{visible_name(str(path))}: {explain(error)}") from None
    return True


def _is_ignored(text: bytes, folder: bytes) -> bool:
    """Whether the last line that speaks of the folder by its name ignores it."""
    names = {lead + folder + end for lead in (b"", b"/", b"**/") for end in (b"", b"/", b"/**")}
    is_ignored = False
    for line in text.removeprefix(_BOM).split(b"\n"):
        bare = line.removesuffix(b"\r").rstrip(b" ")
        if bare.removeprefix(b"!") in names:
            is_ignored = not bare.startswith(b"!")
    return is_ignored


def _add(text: bytes, line: bytes) -> bytes:
    end = b"\r\n" if text.rpartition(b"\n")[0].endswith(b"\r") else b"\n"
    if not text.removeprefix(_BOM):
        return text + line + b"\n"
    return text + line + end if text.endswith(b"\n") else text + end + line
