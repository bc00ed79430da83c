"""Whether git sees the plans of a folder: not by a ``.gitignore`` inside it, unless they are shared.

That they are shared is remembered by a file in the folder, which goes along when the folder is committed.
"""

from __future__ import annotations

import stat
from pathlib import Path

from planspec_lark.document.file import PlanFile, PlanFileError
from planspec_lark.folder.models import StoreError, explain, to_store_error
from planspec_lark.syntax.source import visible_name

__all__ = ["hide_folder", "share_folder"]

_IGNORE, _SHARED = ".gitignore", ".shared"
# Everything, this file itself included.
_EVERYTHING = b"*\n"
_WHY = b"These plans are shared: `planspec new` writes no .gitignore here.\n"


def hide_folder(folder: Path, *, wait: float) -> bool:
    """Write a ``.gitignore`` that ignores all of a folder, unless there is one or its plans are shared.

    Whoever writes in the folder is waited for, ``wait`` seconds at most.

    Returns:
        Whether it was written.

    Raises:
        StoreError: it cannot be written.
    """
    try:
        return not _is_there(folder / _SHARED) and _create(folder / _IGNORE, _EVERYTHING, wait)
    except OSError as error:
        raise StoreError(f"{visible_name(str(folder / _IGNORE))}: {explain(error)}") from None


def share_folder(folder: Path, *, wait: float) -> bool:
    """Remember that the plans of a folder are shared, and remove what :func:`hide_folder` has written.

    A ``.gitignore`` that says anything else is somebody's own, and stays.

    Returns:
        Whether anything has changed.

    Raises:
        StoreError: a file cannot be written or removed.
    """
    path = folder / _IGNORE
    try:
        is_new = _create(folder / _SHARED, _WHY, wait)
        if not _is_ours(path):
            return is_new
        path.unlink()
    except OSError as error:
        raise StoreError(f"{visible_name(str(folder))}: {explain(error)}") from None
    return True


def _create(path: Path, data: bytes, wait: float) -> bool:
    try:
        PlanFile(path, wait=wait).create(data)
    except FileExistsError:
        return False
    except PlanFileError as error:
        raise to_store_error(error) from None
    return True


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _is_ours(path: Path) -> bool:
    if not _is_there(path):
        return False
    known = path.lstat()
    return stat.S_ISREG(known.st_mode) and known.st_size == len(_EVERYTHING) and path.read_bytes() == _EVERYTHING
