"""Files of a project, read without leaving it and without waiting; and their entries in a list."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from attrs import evolve

from planspec_lark.folder.models import FolderError, FolderErrorReason, PlanEntry, refusals
from planspec_lark.folder.names import check_name
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, Severity, brief, in_order
from planspec_lark.syntax.limits import Limits, read_file
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["FOLDER_LIMITS", "describe", "find_folder", "find_inside", "read_inside", "real_root"]


# How much is read of a plan.
FOLDER_LIMITS = Limits(max_bytes=10_000_000)


def real_root(root: Path) -> Path:
    """The folder of a project with all links resolved: which one that is, is up to the caller.

    Raises:
        FolderError: there is no such folder.
    """
    with refusals(root):
        real = root.resolve(strict=True)
    if not real.is_dir():
        raise FolderError.of(root, "this is not a folder")
    return real


def find_folder(root: Path, *names: str) -> Path | None:
    """A folder inside the project, with all links resolved; None where there is none.

    Raises:
        FolderError: it is something else, or a link leads out of the project.
    """
    path = root.joinpath(*names)
    if not os.path.lexists(path):
        return None
    found = find_inside(path, real_root(root))
    if not found.is_dir():
        raise FolderError.of(path, "this is not a folder")
    return found


def find_inside(path: Path, area: Path) -> Path:
    """The file or folder with all links resolved.

    Args:
        path: how it is called.
        area: the folder that it has to be in, itself with all links resolved.

    Raises:
        FolderError: it is elsewhere, or nowhere.
    """
    with refusals(path):
        try:
            found = path.resolve(strict=True)
        except FileNotFoundError as error:
            said = "a link that leads nowhere" if path.is_symlink() else str(error.strerror)
            raise FolderError.of(path, said, FolderErrorReason.MISSING) from None
    if not found.is_relative_to(area):
        raise FolderError.of(path, "this leads out of the folder", FolderErrorReason.OUTSIDE)
    return found


def read_inside(path: Path, area: Path, limits: Limits) -> str:
    """The text of a file that has to be in this area; nothing but a regular file is opened.

    Raises:
        FolderError: it cannot be read.
        PlanSyntaxError: it is not UTF-8, or too long.
    """
    found = find_inside(path, area)
    with refusals(path):
        # To open a device may be to do something.
        if not stat.S_ISREG(found.lstat().st_mode):
            raise OSError(errno.EINVAL, "this is not a file")
        return read_file(found, limits, name=str(path), opener=_open)


def _open(name: str, flags: int) -> int:
    """Open what was a regular file a moment ago, without waiting at a pipe or following a link that has come since."""
    handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "this is not a file")


# ---------------------------------------------------------------- entries of a list


def describe(name: str, path: Path, area: Path, limits: Limits) -> PlanEntry:
    """What there is to say about a file, whatever it is."""
    # Slow to load, and only a list needs them.
    from planspec_lark.planspec.check import locate  # noqa: PLC0415
    from planspec_lark.planspec.parser import scan_strictly  # noqa: PLC0415
    from planspec_lark.planspec.rules import check_rules  # noqa: PLC0415

    entry = PlanEntry(name, path)
    try:
        found = scan_strictly(read_inside(path, area, limits), name=str(path), limits=limits)
        plan, first = found.plan, next(iter(found.diagnostics), None)
        entry = evolve(entry, title=plan.title, goal=plan.goal)
        if first is None:
            entry = evolve(entry, progress=plan.progress, is_converged=plan.is_converged)
            errors = [one for one in check_rules(plan) if one.severity is Severity.ERROR]
            first = next(iter(in_order(locate(errors[:100], found.positions))), None)
        if first is not None:
            entry = _blame(entry, first)
        # A plan that cannot be named can still be opened as a file.
        check_name(name)
    except PlanSyntaxError as error:
        return _blame(entry, error.diagnostics[0])
    except FolderError as error:
        text = str(error).removeprefix(f"{visible_name(str(path))}: ")
        return entry if entry.fault else evolve(entry, fault=text)
    return entry


def _blame(entry: PlanEntry, found: Diagnostic) -> PlanEntry:
    place = f"line {found.line}: " if found.line else ""
    # Without the text, which may be long: a list has many entries.
    fault = f"{place}{found.code} {brief(found.message)}"
    return evolve(entry, fault=fault, diagnostic=evolve(found, source=None))
