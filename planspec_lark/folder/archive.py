"""Moving a plan, with the ledger of its runs, to where nothing is replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from itertools import count
from pathlib import Path

from planspec_lark.document.file import PlanFile
from planspec_lark.files import link_or_copy, sync_folder
from planspec_lark.folder.models import FolderError, FolderErrorReason, refusals
from planspec_lark.locks import LockedError, locked_folder
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.runs.sqlite_ledger import ledger_path
from planspec_lark.syntax.diagnostics import PlanSyntaxError

__all__ = ["move_plan"]


def move_plan(  # noqa: PLR0913  (what is done at each moment of a move)
    path: Path,
    archive: Path,
    make: Callable[[Path], object],
    *,
    force: bool,
    wait: float,
    check: Callable[[str], object] | None = None,
) -> Path:
    """Move a plan and what belongs to it into a folder.

    Every file is in both places before it goes from the first, so after an interruption it is done again. Where
    its name is taken, the plan gets the date (``winter_2026-01-31.md``), and from the second of a day on a number.

    Args:
        path: the plan.
        archive: the folder where to.
        make: makes that folder, if need be; a plan that stays where it is needs none.
        force: move it although it is unfinished, or no plan at all.
        wait: seconds to wait at most for who runs it or writes in one of the folders.
        check: is given its text, when no other writer can change it any more; what it raises leaves it where it is.

    Raises:
        FolderError: it is a link, unfinished, or run at this moment; it cannot be moved.
    """
    for source, _ in _pairs(path, archive / path.name):
        if source.is_symlink():
            raise FolderError.of(source, "this is a link, which would lead elsewhere after a move")
    file = PlanFile(path, wait=wait)
    try:
        with refusals(path), file.held():
            if check is not None:
                check(file.read())
            if not force:
                _check_finished(file)
            make(archive)
            with locked_folder(archive, wait):
                target = _move(path, archive)
            # What is made again whenever it is needed.
            with suppress(OSError):
                path.with_name(path.name + ".ledger-shm").unlink(missing_ok=True)
    except LockedError:
        raise FolderError.of(archive, "another process writes here", FolderErrorReason.BUSY) from None
    return target


def _check_finished(file: PlanFile) -> None:
    try:
        plan = parse_plan(file.read())
    except PlanSyntaxError:
        said = "this is not a plan, so it is unknown whether it is finished"
        raise FolderError.of(file.path, said, FolderErrorReason.UNFINISHED) from None
    if not plan.is_converged:
        counts = plan.progress
        left = counts["pending"] + counts["active"]
        said = f"{left} of {counts['total']} steps {'is' if left == 1 else 'are'} pending or active"
        raise FolderError.of(file.path, f"this plan is not finished: {said}", FolderErrorReason.UNFINISHED)


def _move(path: Path, folder: Path) -> Path:
    target = _find_begun(path, folder) or next(to for to in _targets(path, folder) if _is_free(path, to))
    pairs = list(_pairs(path, target))
    there = [(source, to) for source, to in pairs if source.exists()]
    for source, to in there:
        if not _is_same(source, to):
            link_or_copy(source, to)
    sync_folder(folder)
    for source, _ in reversed(there):
        source.unlink()
    sync_folder(path.parent)
    return target


def _find_begun(path: Path, folder: Path) -> Path | None:
    """Where the plan is already, if the move was interrupted."""
    if path.lstat().st_nlink < 2:
        return None
    return next((folder / name for name in sorted(os.listdir(folder)) if _is_same(path, folder / name)), None)


def _targets(path: Path, folder: Path) -> Iterator[Path]:
    dated = f"{path.stem}_{date.today().isoformat()}"
    yield folder / path.name
    yield folder / f"{dated}{path.suffix}"
    yield from (folder / f"{dated}_{number}{path.suffix}" for number in count(2))


def _is_free(path: Path, target: Path) -> bool:
    # A ledger without its plan belongs to another plan.
    return not any(os.path.lexists(to) for _, to in _pairs(path, target))


def _pairs(path: Path, target: Path) -> Iterator[tuple[Path, Path]]:
    yield path, target
    ours, theirs = ledger_path(path), ledger_path(target)
    for ending in ("", "-wal"):
        yield ours.with_name(ours.name + ending), theirs.with_name(theirs.name + ending)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(one.lstat(), other.lstat())
    except OSError:
        return False
