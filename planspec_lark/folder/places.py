"""Files of a project that are read without being led out of it, or being kept waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from planspec_lark.folder.models import StoreError, StoreReason, explain
from planspec_lark.syntax.limits import Limits, read_file
from planspec_lark.syntax.source import visible_name

__all__ = ["find_folder", "find_inside", "read_inside", "real_root"]


def real_root(root: Path) -> Path:
    """The folder of a project behind all links: which one that is, is up to whoever names it.

    Raises:
        StoreError: there is no such folder.
    """
    try:
        real = root.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise StoreError(f"{visible_name(str(root))}: {explain(error)}") from None
    if not real.is_dir():
        raise StoreError(f"{visible_name(str(root))}: this is no folder")
    return real


def find_folder(root: Path, *names: str) -> Path | None:
    """A folder inside the project, behind all links; None where there is none.

    Raises:
        StoreError: it is something else, or a link leads out of the project.
    """
    path = root.joinpath(*names)
    if not os.path.lexists(path):
        return None
    found = find_inside(path, real_root(root))
    if not found.is_dir():
        raise StoreError(f"{visible_name(str(path))}: this is no folder")
    return found


def find_inside(path: Path, area: Path) -> Path:
    """The file or folder behind all links.

    Args:
        path: how it is called.
        area: the folder that it has to be in, itself behind all links.

    Raises:
        StoreError: it is elsewhere, or nowhere.
    """
    try:
        found = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links is the last one
        gone = isinstance(error, FileNotFoundError)
        reason = StoreReason.MISSING if gone else StoreReason.UNUSABLE
        said = "a link that leads nowhere" if gone and path.is_symlink() else explain(error)
        raise StoreError(f"{visible_name(str(path))}: {said}", reason) from None
    if not found.is_relative_to(area):
        raise StoreError(f"{visible_name(str(path))}: this leads out of the folder", StoreReason.OUTSIDE)
    return found


def read_inside(path: Path, area: Path, limits: Limits) -> str:
    """The text of a file that has to be in this area; nothing but a regular file is opened.

    Raises:
        StoreError: it cannot be read.
        PlanSyntaxError: it is no UTF-8, or too long.
    """
    found = find_inside(path, area)
    try:
        # To open a device may be to do something.
        if not stat.S_ISREG(found.lstat().st_mode):
            raise StoreError(f"{visible_name(str(path))}: this is no file")
        return read_file(found, limits, name=str(path), opener=_open)
    except OSError as error:
        raise StoreError(f"{visible_name(str(path))}: {explain(error)}") from None


def _open(name: str, flags: int) -> int:
    """Open what was a regular file a moment ago, without waiting at a pipe or following a link that has come since."""
    handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "this is no file")
