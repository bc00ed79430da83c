"""The folder planspec/ of a project."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import evolve

from planspec_lark.document.file import WAIT, PlanFile
from planspec_lark.folder import names
from planspec_lark.folder.entries import FOLDER_LIMITS, describe, find_folder, find_inside, read_inside, real_root
from planspec_lark.folder.models import FolderError, FolderErrorReason, PlanEntry, refusals
from planspec_lark.folder.names import SUFFIX, check_name, fold_name, is_name
from planspec_lark.folder.settings import (
    FOLDER,
    TASKS,
    FolderSettings,
    entry_key,
    parse_settings,
    read_settings,
    set_in,
    settings_path,
)
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.syntax.limits import Limits, count_bytes
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.syntax.spelling import find_near

__all__ = ["HIDDEN", "SHARED", "PlanFolder"]

_ARCHIVE = "archive"
_QUOTED = 60
# The file that keeps git from seeing the folder, itself included, and the settings of one that git is to see.
HIDDEN = (".gitignore", b"*\n")
SHARED = ("settings.toml", set_in("", "shared").encode())


class PlanFolder:
    """The plans of a project: ``planspec/<name>.md`` and ``Tasks/<name>/plan.md``.

    Names lead to files in these folders and nowhere else: links that lead out of them are refused, and so is a
    ``planspec/`` that is itself a link out of the project.

    Args:
        root: the project's folder, the one with ``planspec/`` in it, which is made when it is needed.
        limits: how much to read of a plan.
        wait: seconds that a change waits at most for who runs the plan or writes in the folder.
    """

    def __init__(self, root: Path | str = ".", *, limits: Limits = FOLDER_LIMITS, wait: float = WAIT) -> None:
        self.root, self.limits, self.wait = Path(root), limits, wait

    @property
    def path(self) -> Path:
        """The folder ``planspec/``, whether it is there or not."""
        return self.root / FOLDER

    # ------------------------------------------------------------ looking

    def names(self) -> Sequence[str]:
        """The names of all plans in ``planspec/``, in order, without a look into any.

        Raises:
            FolderError: the folder cannot be read.
        """
        return [name for name in self._listed() if is_name(name)]

    def task_names(self) -> Sequence[str]:
        """The names of all tasks that have a plan, in order.

        Raises:
            FolderError: the folder cannot be read.
        """
        found = filter(is_name, self._files_in(TASKS))
        return sorted(name for name in found if (self.root / TASKS / name / "plan.md").is_file())

    def list(self, names: Sequence[str] | None = None) -> Sequence[PlanEntry]:
        """The plans in ``planspec/``; what cannot be read, or is not a plan, with the first thing that is wrong.

        Args:
            names: of the plans, such as some of :meth:`names`; by default all files there that end in ``.md``, by name.

        Raises:
            FolderError: the folder cannot be read.
        """
        area = find_folder(self.root, FOLDER)
        if area is None:
            return []
        listed, settings = self._listed() if names is None else names, read_settings(area)
        found = (describe(name, self._path(name), area, self.limits) for name in listed)
        return [
            evolve(one, is_current=one.name == settings.current, superseded_by=settings.superseded.get(one.name, ""))
            for one in found
        ]

    def _listed(self) -> Sequence[str]:
        found = self._files_in(FOLDER)
        return sorted(name[: -len(SUFFIX)] for name in found if name.endswith(SUFFIX) and name[0] != ".")

    def _files_in(self, folder: str) -> Sequence[str]:
        area = find_folder(self.root, folder)
        if area is None:
            return []
        with refusals(area):
            return os.listdir(area)

    def find(self, name_or_path: str, *, confined: bool = False) -> Path:
        """The file of a plan: ``planspec/<name>.md``, else ``Tasks/<name>/plan.md``, else what is there by this path.

        Args:
            name_or_path: a name, or a path.
            confined: take a path from the project's folder on, and refuse one that leads out of it; otherwise any path
                is taken.

        Raises:
            FolderError: there is not one of these, or a link leads out of its folder.
        """
        if is_name(name_or_path):
            found = self._find_file(name_or_path, FOLDER, SUFFIX) or self._find_file(name_or_path, TASKS, "/plan.md")
            if found is not None:
                return found
        if confined:
            return self._find_path(name_or_path)
        try:
            is_there = os.path.lexists(name_or_path)
        except ValueError:  # NUL
            is_there = False
        if is_there:
            # It explains itself to a reader.
            return Path(name_or_path)
        if is_name(name_or_path) and os.path.isfile(f"{name_or_path}{SUFFIX}"):
            near = visible_name(f"{name_or_path}{SUFFIX}")
            raise FolderError(
                f"there is no plan `{visible_name(name_or_path)}` in {FOLDER}/; did you mean the file `{near}`?",
                FolderErrorReason.MISSING,
            )
        raise self._is_missing(name_or_path)

    def _find_file(self, name: str, folder: str, tail: str) -> Path | None:
        area = find_folder(self.root, folder)
        if area is None:
            return None
        paths = (self.root / folder / f"{form}{tail}" for form in names.forms(name))
        path = next(filter(os.path.lexists, paths), None)
        if path is not None:
            find_inside(path, area)
        return path

    def _find_path(self, name: str) -> Path:
        path, area = self.root / name, real_root(self.root)
        try:
            is_inside, is_there = path.resolve().is_relative_to(area), path.exists()
        except (OSError, ValueError, RuntimeError):  # too long, a NUL, a loop of links
            raise self._is_missing(name) from None
        if not is_inside:
            # Callers are not told whether there is anything.
            raise FolderError(
                f"{visible_name(name[:_QUOTED])}: this leads out of the folder", FolderErrorReason.OUTSIDE
            )
        if not is_there:
            raise self._is_missing(name)
        return path

    def _is_missing(self, name: str) -> FolderError:
        quoted = names.shown_name(name)
        if not is_name(name):
            return FolderError(f"there is no plan `{quoted}`", FolderErrorReason.MISSING)
        known = {fold_name(one): one for one in self.names()}
        near = find_near(fold_name(name), known)
        hint = f"; did you mean `{visible_name(known[near])}`?" if near else ""
        if (self.path / _ARCHIVE / f"{name}{SUFFIX}").is_file():
            hint = f"; it is archived: {FOLDER}/{_ARCHIVE}/{quoted}{SUFFIX}"
        return FolderError(f"there is no plan `{quoted}`, by name or as a file{hint}", FolderErrorReason.MISSING)

    def read(self, name_or_path: str) -> str:
        """The text of a plan, found as :meth:`find` does with ``confined``.

        Raises:
            FolderError: there is none, or it cannot be read.
            PlanSyntaxError: it is not UTF-8, or too long.
        """
        return self._read(self.find(name_or_path, confined=True))

    def load(self, name_or_path: str) -> PlanSpec:
        """The plan, found as :meth:`find` does with ``confined``.

        Raises:
            FolderError: there is none, or it cannot be read.
            PlanSyntaxError: it is not a plan.
        """
        path = self.find(name_or_path, confined=True)
        return parse_plan(self._read(path), name=str(path), limits=self.limits)

    def _read(self, path: Path) -> str:
        return read_inside(path, real_root(self.root), self.limits)

    # ------------------------------------------------------------ changing

    @staticmethod
    def name_from(description: str) -> str:
        """A name for a plan: see :func:`~planspec_lark.folder.names.name_from`."""
        return names.name_from(description)

    def holds(self, name: str) -> str | None:
        """The plan in ``planspec/`` that has this name, or one that some systems take for the same.

        Raises:
            FolderError: the folder cannot be read.
        """
        wanted = fold_name(name)
        return next((one for one in self._listed() if fold_name(one) == wanted), None)

    def free_name(self, name: str) -> str:
        """The name, or else the first of ``name_2``, ``name_3`` … that no plan has.

        Raises:
            FolderError: it cannot be the name of a plan, or the folder cannot be read.
        """
        taken = set(map(fold_name, self._listed()))
        free, number = check_name(name), 1
        while fold_name(free) in taken:
            number += 1
            free = check_name(f"{name}_{number}")
        return free

    def create(self, name: str, text: str) -> Path:
        """A new plan ``planspec/<name>.md``, which is there whole or not at all.

        Args:
            name: which no plan has yet.
            text: the plan; whether it is one, is not asked.

        Raises:
            FolderError: it cannot be the name of a plan, or is one already; the text is too long, or no Unicode; the
                file cannot be written.
        """
        name = check_name(name)
        most = self.limits.max_bytes
        if most is not None and count_bytes(text) > most:
            raise FolderError(f"the text has more than {most:,} bytes")
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise FolderError("the text has lone surrogates, which cannot be written") from None
        self._make(self.path)
        if (known := self.holds(name)) is not None:
            raise self._exists(known)
        if not self._create(self._path(name), data):
            raise self._exists(name)
        return self._path(name)

    def _create(self, path: Path, data: bytes) -> bool:
        with refusals(path):
            try:
                PlanFile(path, wait=self.wait).create(data)
            except FileExistsError:
                return False
        return True

    def archive(self, name: str, *, force: bool = False, check: Callable[[str], object] | None = None) -> Path:
        """Move a plan to ``planspec/archive/``, with the ledger of its runs.

        Nothing there is replaced: where its name is taken, it gets the date, and where that is, a number as well.

        Args:
            name: of a plan in ``planspec/``.
            force: although steps of it are pending or active, or it is no plan at all.
            check: is given the text, when no other writer can change it any more; what it raises leaves the plan where
                it is.

        Raises:
            FolderError: there is no such plan, it is unfinished or run at this moment, or it cannot be moved.
        """
        path = self._find_file(check_name(name), FOLDER, SUFFIX)
        if path is None:
            raise self._is_missing(name)
        from planspec_lark.folder.archive import move_plan  # noqa: PLC0415  (loads what ledgers need)

        return move_plan(path, self.path / _ARCHIVE, self._make, force=force, wait=self.wait, check=check)

    @property
    def settings(self) -> FolderSettings:
        """What is settled for the plans of the project.

        Raises:
            FolderError: the file with the settings cannot be read, or says something else.
        """
        area = find_folder(self.root, FOLDER)
        return FolderSettings() if area is None else read_settings(area)

    def settle(self, name: str) -> bool:
        """Set one of the settings to true, now and later. Whether that changes anything.

        Raises:
            FolderError: the settings cannot be read or written.
        """
        folder = self._make(self.path)
        if getattr(read_settings(folder), name):
            return False
        self._set(folder, {name: True})
        return True

    def use(self, name: str, *, instead_of: str = "") -> None:
        """Note which plan is at hand: sessions of assistants begin with it.

        Args:
            name: of a plan in ``planspec/``, or empty for none.
            instead_of: a plan that it takes the place of, which is not offered any more.

        Raises:
            FolderError: there is no such plan, or the settings cannot be read or written.
        """
        for one in filter(None, (name, instead_of)):
            if self._find_file(check_name(one), FOLDER, SUFFIX) is None:
                raise self._is_missing(one)
        folder = self._make(self.path)
        read_settings(folder)
        replaced = {entry_key("superseded", instead_of): name} if instead_of else {}
        # What is at hand has its place again.
        back = {entry_key("superseded", name): ""} if name else {}
        self._set(folder, {"current": name, **back, **replaced})

    def _set(self, folder: Path, values: Mapping[str, bool | str]) -> None:
        path = settings_path(folder)

        def change(data: bytes) -> bytes:
            text = data.decode()
            for key, value in values.items():
                text = set_in(text, key, value)
            parse_settings(text, path)
            return text.encode()

        with refusals(path):
            PlanFile(path, wait=self.wait).rewrite(change, make=True)

    def hide(self) -> bool:
        """Keep new plans out of git's history by ``planspec/.gitignore``, unless there is one or they are shared.

        Files that git tracks already stay tracked. Whether the file was written.

        Raises:
            FolderError: it cannot be written.
        """
        folder, (name, data) = self._make(self.path), HIDDEN
        return not read_settings(folder).shared and self._create(folder / name, data)

    def share(self) -> bool:
        """Let git see the plans, now and later: :meth:`hide` does nothing any more. Whether that changes anything.

        It is one of the settings, which go along when the folder is committed. A ``.gitignore`` that says something
        else than what :meth:`hide` writes belongs to the user, and stays.

        Raises:
            FolderError: a file cannot be written or removed.
        """
        is_new, (name, data) = self.settle("shared"), HIDDEN
        ignore = self.path / name
        with refusals(self.path):
            known = ignore.lstat() if os.path.lexists(ignore) else None
            is_plain = known is not None and stat.S_ISREG(known.st_mode) and known.st_size == len(data)
            if not is_plain or ignore.read_bytes() != data:
                return is_new
            ignore.unlink()
        return True

    # ------------------------------------------------------------ paths

    def _path(self, name: str) -> Path:
        return self.path / f"{name}{SUFFIX}"

    def _make(self, folder: Path) -> Path:
        real_root(self.root)
        with refusals(folder):
            folder.mkdir(exist_ok=True)
        found = find_folder(self.root, *folder.relative_to(self.root).parts)
        assert found is not None  # it has just been made
        return found

    def _exists(self, name: str) -> FolderError:
        return FolderError.of(self._path(name), "there is a plan of this name", FolderErrorReason.EXISTS)
