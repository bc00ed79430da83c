"""The files of a project as they are and as they will be, and the writing of all of them, or of none."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from attrs import frozen

from planspec_lark.agents import foreign_files
from planspec_lark.agents.foreign_files import SetupError
from planspec_lark.agents.install_record import RECORD
from planspec_lark.files import reason_of, writing
from planspec_lark.folder.entries import find_inside, real_root
from planspec_lark.folder.models import FolderError
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["FileChange", "Project", "Setup", "carry_out", "named"]

_MOST_BYTES = 5_000_000


@frozen
class FileChange:
    """What becomes of a file.

    Attributes:
        name: the file, from the project's folder on.
        before: what is in it; None where there is none.
        after: what will be in it; None where there will be none.
    """

    name: str
    before: bytes | None
    after: bytes | None


@frozen
class Setup:
    """All that is to be done.

    Attributes:
        root: the project's folder.
        changes: of files.
        folders: those that are removed if nothing is left in them, from the innermost on.
        remarks: what stays as it is, and why; each a sentence that is safe to show.
    """

    root: Path
    changes: tuple[FileChange, ...]
    folders: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Project:
    """The files of a project as they are and as they will be."""

    def __init__(self, root: Path) -> None:
        self.root = root
        with named(root):
            self._area = real_root(root)
        # By what they are called with all links resolved: CLAUDE.md may be a link to AGENTS.md.
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._keys: dict[str, str] = {}
        self._remarks: list[str] = []

    def has_folder(self, name: str) -> bool:
        """Whether there is such a folder by now."""
        return (self.root / name).is_dir()

    def read(self, name: str) -> bytes | None:
        """What will be in a file, as far as that is known by now."""
        with named(name):
            path = _locate(self.root, self._area, name)
            key = path.relative_to(self._area).as_posix()
            if key not in self._after:
                self._before[key] = self._after[key] = _read(path)
        self._keys[name] = key
        return self._after[key]

    def text(self, name: str) -> str | None:
        """The same as text."""
        data = self.read(name)
        return None if data is None else foreign_files.decode_file(data)

    def write(self, name: str, data: bytes | None) -> None:
        """Say what will be in a file; None where there will be none."""
        self.read(name)
        self._after[self._keys[name]] = data

    def remark(self, name: str, said: str) -> None:
        """Say why a file stays as it is."""
        self._remarks.append(f"{name}: {said}")

    def is_made(self, name: str) -> bool:
        """Whether a file will be there that is not there by now."""
        key = self._keys.get(name, name)
        return self._before.get(key) is None and self._after.get(key) is not None

    def setup(self, gone: Iterable[str]) -> Setup:
        """All that is to be done, and folders that go where nothing is left in them."""
        changes = [FileChange(name, self._before[name], after) for name, after in self._after.items()]
        folders = sorted(set(gone), key=lambda name: -len(PurePosixPath(name).parts))
        done = tuple(change for change in changes if change.before != change.after)
        return Setup(self.root, done, tuple(folders), tuple(dict.fromkeys(self._remarks)))


@contextmanager
def named(path: Path | str) -> Iterator[None]:
    """What cannot be done inside of this block is said with the name of the file."""
    try:
        yield
    except FolderError as error:
        raise SetupError(str(error), is_named=True) from None
    except SetupError as error:
        raise error if error.is_named else SetupError(f"{visible_name(str(path))}: {error}", is_named=True) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise SetupError(f"{visible_name(str(path))}: {reason_of(error)}", is_named=True) from None


def _locate(root: Path, area: Path, name: str) -> Path:
    """The file with all links resolved, whether it is there or not."""
    known, missing = root / name, []
    while not os.path.lexists(known):
        missing.append(known.name)
        known = known.parent
    found = find_inside(known, area)
    if missing and not found.is_dir():
        raise FolderError.of(known, "this is not a folder")
    return found.joinpath(*reversed(missing))


def _read(path: Path) -> bytes | None:
    if not os.path.lexists(path):
        return None
    known = path.lstat()
    if not stat.S_ISREG(known.st_mode):
        raise SetupError("this is not a file")
    if known.st_size > _MOST_BYTES:
        raise SetupError(f"this has more than {_MOST_BYTES:,} bytes")
    return path.read_bytes()


# ---------------------------------------------------------------- writing


def carry_out(setup: Setup) -> None:
    """Make all changes or none.

    Raises:
        SetupError: a file cannot be written, or it was changed meanwhile; all files are as they were.
    """
    with named(setup.root):
        area = real_root(setup.root)
    done: list[tuple[Path, bytes | None, os.stat_result | None]] = []
    made: list[Path] = []
    # What is put in is noted before it is there, and still noted while it goes: after an interruption it is done again.
    changes = sorted(setup.changes, key=lambda one: one.name.endswith(RECORD) * (-1 if one.after is not None else 1))
    try:
        for change in changes:
            with named(change.name):
                path = _locate(setup.root, area, change.name)
                known = path.lstat() if os.path.lexists(path) else None
                if known is not None and not known.st_mode & stat.S_IWUSR:
                    raise SetupError("this is read-only")
                made += _make_folder(path.parent)
                _replace(path, change.before, change.after, known)
                done.append((path, change.before, known))
    except SetupError as error:
        with suppress(SetupError, OSError):
            for path, before, known in reversed(done):
                now = path.read_bytes() if os.path.lexists(path) else None
                _replace(path, now, before, known)
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise SetupError(f"{error}; nothing was changed") from None
    for name in setup.folders:
        with suppress(OSError):
            (setup.root / name).rmdir()


def _make_folder(path: Path) -> list[Path]:
    """Make a folder and those above it; returns those that were not there, from the outermost on."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir()
    return missing[::-1]


def _replace(path: Path, before: bytes | None, after: bytes | None, like: os.stat_result | None) -> None:
    def check() -> None:
        now = path.read_bytes() if os.path.lexists(path) else None
        if now != before:
            raise SetupError("this was changed meanwhile")

    if after is None:
        check()
        path.unlink()
        return
    with writing(path, like, check=check, is_new=before is None) as file:
        file.write(after)
