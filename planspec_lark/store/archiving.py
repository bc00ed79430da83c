"""Moving a plan, with the ledger of its runs, to where nothing is replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import count
from pathlib import Path

from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.engine.homes import BusyError, FileHome, HomeError, ledger_path
from planspec_lark.files import link_or_copy, sync_folder
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.reading import parse_plan
from planspec_lark.source import visible_name
from planspec_lark.store.models import StoreError, StoreReason, explain

__all__ = ["move_plan"]


def move_plan(path: Path, folder: Path, *, force: bool) -> Path:
    """Move a plan and what belongs to it into a folder.

    Every file is in both places before it goes from the first, so whoever is stopped in between does it again. Where
    its name is taken, the plan gets the date (``winter_2026-01-31.md``), and from the second of a day on a number.

    Args:
        path: the plan.
        folder: where to, which is there.
        force: move it although it is unfinished, or no plan at all.

    Raises:
        StoreError: it is a link, unfinished, or run at this moment; it cannot be moved.
    """
    name = visible_name(str(path))
    for source, _ in _pairs(path, folder / path.name):
        if source.is_symlink():
            raise StoreError(f"{visible_name(str(source))}: this is a link, which would lead elsewhere after a move")
    try:
        with FileHome.opened(path) as home:
            if not force:
                _check_finished(home, name)
            target = _move(path, folder)
    except HomeError as error:
        reason = StoreReason.BUSY if isinstance(error, BusyError) else StoreReason.UNUSABLE
        raise StoreError(str(error), reason) from None
    except OSError as error:
        raise StoreError(f"{name}: {explain(error)}") from None
    # What is made anew whenever it is needed, and the lock, which has just been let go of.
    for ending in (".lock", ".ledger-shm"):
        with suppress(OSError):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    return target


def _check_finished(home: FileHome, name: str) -> None:
    try:
        plan = parse_plan(home.load(), name=name)
    except PlanSyntaxError:
        message = f"{name}: this is no plan, so nobody knows whether it is finished"
        raise StoreError(message, StoreReason.UNFINISHED) from None
    if not plan.is_converged:
        raise StoreError(f"{name}: this plan is not finished: {_say_open(plan)}", StoreReason.UNFINISHED)


def _say_open(plan: PlanSpec) -> str:
    counts = plan.progress
    left = counts["pending"] + counts["active"]
    return f"{left} of {counts['total']} steps {'is' if left == 1 else 'are'} pending or active"


def _move(path: Path, folder: Path) -> Path:
    target = _find_begun(path, folder) or next(filter(lambda to: _is_free(path, to), _targets(path, folder)))
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
    """Where the plan is already, if somebody was stopped while it was moved."""
    if path.lstat().st_nlink < 2:
        return None
    return next((folder / name for name in sorted(os.listdir(folder)) if _is_same(path, folder / name)), None)


def _targets(path: Path, folder: Path) -> Iterator[Path]:
    dated = f"{path.stem}_{date.today().isoformat()}"
    yield folder / path.name
    yield folder / f"{dated}{path.suffix}"
    yield from (folder / f"{dated}_{number}{path.suffix}" for number in count(2))


def _is_free(path: Path, target: Path) -> bool:
    # A ledger without its plan speaks of another one.
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
