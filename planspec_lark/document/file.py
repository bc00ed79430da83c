"""The file of a plan, and the one writer of such files: all that changes one goes through :class:`PlanFile`.

A change takes the lock of the file's folder, reads, makes the new text, compares the file with what was read, and puts
the new text in its place in one step. The lock keeps out all who write in this way, whatever they call the file. An
editor, which asks for no lock, is found out by the comparison, and the change is made again. What it writes between the
comparison and the renaming right after it is lost: no system offers to do the two in one. A change whose thread is told
to stop meanwhile (``stop_event``) is not made.

A run holds a lease beside that for as long as it lasts (:mod:`planspec_lark.document.file_lease`): until then, no other
writer changes its plan.
"""

from __future__ import annotations

import errno
import math
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from operator import attrgetter
from pathlib import Path

from planspec_lark.cancellation import stop_event
from planspec_lark.document.file_lease import LEASE_SUFFIX, FileLease, find_lease, hold_lease, is_lease, lease_path
from planspec_lark.files import is_leftover, reason_of, writing
from planspec_lark.locks import LockedError, locked_folder, pauses
from planspec_lark.syntax.diagnostics import PlanSpecError, PlanSyntaxError, decode
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits, read_bytes
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["WAIT", "LeasedPlan", "PlanBusyError", "PlanEditedError", "PlanFile", "PlanFileError", "clear_leftovers"]

# Seconds that another writer is waited for.
WAIT = 10.0
# How often a change is made again because of a program that writes without the lock.
_TRIES = 20
# What has this prefix and is there while the folder is not locked was left by a process that was killed.
_PREFIX = ".planspec_plan-"
# Between two looks at a lease, which may last for hours.
_LONGEST_PAUSE = 0.25
# What is the same of a file as long as it was not replaced and its permissions were not changed.
_KEPT = attrgetter("st_dev", "st_ino", "st_mode", "st_uid", "st_gid", "st_nlink")


class PlanFileError(PlanSpecError):
    """A plan's file that cannot be read, written or run now; the text says why, and is safe to show."""


class PlanEditedError(PlanFileError):
    """A plan was edited while it was run."""


class PlanBusyError(PlanFileError):
    """Another process runs the plan, or writes in its folder; it was waited for.

    Attributes:
        lease: who runs it; None where the plan is only written.
    """

    def __init__(self, message: str, lease: FileLease | None = None) -> None:
        super().__init__(message)
        self.lease = lease


def _program() -> str:
    path = Path(sys.argv[0])
    return (path.parent if path.name == "__main__.py" else path).name or "python"


class _EditedError(Exception):
    """Another program has written to the file since it was read."""


class PlanFile:
    """A plan's file, which several processes may change.

    Symbolic links are followed and stay; the file keeps its permissions and, if allowed, its owner. After a crash it
    has the old text or the new one, never a part. A file with several hard links is not changed, as that would part
    them.

    Args:
        wait: the most seconds to wait for a process that runs the plan or writes in its folder.
        command: what others are told of this process while it runs the plan; by default the program's name.
        limits: how much to read.

    Raises:
        ValueError: ``wait`` is negative or no number.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        wait: float = WAIT,
        command: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if math.isnan(wait) or wait < 0:
            raise ValueError(f"wait: {wait} is no number of seconds")
        self.path, self.wait, self._limits = Path(path), wait, limits
        self.command = command or _program()
        self._called = str(path)
        self._name = visible_name(self._called)

    # ------------------------------------------------------------ reading

    def read(self) -> str:
        """The text as it is; no lock is waited for.

        Raises:
            PlanFileError: it cannot be read.
            PlanSyntaxError: it is not UTF-8, or too long.
        """
        with self._explained():
            data = self._read(self._resolve())
        return decode(data, self._called)

    def lease(self) -> FileLease | None:
        """Who runs the plan now; None if nobody does.

        Raises:
            PlanFileError: this cannot be found out.
        """
        with self._locked(time.monotonic() + self.wait) as real:
            return self._find_lease(real)

    # ------------------------------------------------------------ changing

    def change(self, change: Callable[[str], str]) -> bool:
        """Change the text. It is on the disk when this returns.

        Args:
            change: makes the new text of the old one; called again if another program has written meanwhile. All other
                changes in the folder wait for it, so it must make none itself. If it raises, the file stays as it is.

        Returns:
            Whether the file was written: not if the text stays the same.

        Raises:
            PlanBusyError: another process runs the plan, or has not ended its own change.
            PlanFileError: the file cannot be read or written, or the new text cannot be encoded as UTF-8.
            PlanSyntaxError: the file is not UTF-8, or too long.
        """
        return self.rewrite(lambda data: self._encode(change(decode(data, self._called))))

    def rewrite(self, change: Callable[[bytes], bytes], *, make: bool = False) -> bool:
        """As :meth:`change`, for bytes.

        Args:
            change: makes new bytes of the old ones.
            make: if there is no file, make one, from no bytes.
        """
        until, tries = time.monotonic() + self.wait, 0
        while tries < _TRIES:
            with self._locked(until, may_miss=make) as real:
                with self._explained():
                    before = None if make and not os.path.lexists(real) else self._read(real)
                after = change(before or b"")
                if after == before:
                    return False
                self._check_wanted()
                is_free = self._find_lease(real) is None
                if is_free and self._replace(real, before, after):
                    return True
            if is_free:
                tries += 1
            else:
                with self._free(until):
                    pass
        raise PlanFileError(f"{self._name}: another program keeps writing to this file, so it was not changed")

    def create(self, data: bytes) -> None:
        """Make the file, with all of its bytes or not at all.

        Raises:
            FileExistsError: something has this name.
            PlanBusyError: as for :meth:`change`.
            PlanFileError: it cannot be written.
        """
        if os.path.lexists(self.path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self._called)
        with (
            self._locked(time.monotonic() + self.wait, may_miss=True),
            self._explained(FileExistsError),
            writing(self.path, prefix=_PREFIX, check=self._check_wanted, is_new=True) as file,
        ):
            file.write(data)

    def held(self) -> AbstractContextManager[Path]:
        """Keep the file, with links resolved, from being changed or run until this block ends, which must be soon.

        Raises:
            PlanBusyError, PlanFileError: as for :meth:`change`.
        """
        return self._free(time.monotonic() + self.wait)

    @contextmanager
    def leased(self) -> Iterator[LeasedPlan]:
        """Run the plan: until this block ends, no other program changes it through this module.

        Raises:
            PlanBusyError, PlanFileError: as for :meth:`change`.
        """
        with ExitStack() as lease:
            with self.held() as real, self._explained():
                self._check(real, real.stat())
                try:
                    is_lost = lease.enter_context(hold_lease(real, self.command, _PREFIX))
                except FileExistsError:
                    name = visible_name(str(lease_path(self.path)))
                    raise PlanFileError(f"{name}: a run needs this name, and the file is something else") from None
            try:
                yield LeasedPlan(self, real, is_lost)
            finally:
                _end(real, is_lost, lease)

    # ------------------------------------------------------------ one at a time

    @contextmanager
    def _locked(self, until: float, *, may_miss: bool = False) -> Iterator[Path]:
        """Hold the lock of the folder that the file is in, with links resolved, which is the file that this yields."""
        with ExitStack() as held:
            with self._explained():
                real = None
                # Once more where a link leads elsewhere by now.
                while (now := self._resolve(may_miss=may_miss)) != real:
                    held.close()
                    held.enter_context(locked_folder(now.parent, max(0.0, until - time.monotonic())))
                    real = now
                _clear(now.parent)
            yield now

    def _find_lease(self, real: Path) -> FileLease | None:
        with self._explained():
            return find_lease(real)

    @contextmanager
    def _free(self, until: float) -> Iterator[Path]:
        """The same, once the plan is no longer run."""
        for pause in pauses(_LONGEST_PAUSE):
            with self._locked(until) as real:
                self._check_wanted()
                lease = self._find_lease(real)
                if lease is None:
                    yield real
                    return
            left = until - time.monotonic()
            if left <= 0:
                raise PlanBusyError(f"{self._name}: another process runs this plan: {lease}{self._waited()}", lease)
            time.sleep(min(pause, left))

    def _check_wanted(self) -> None:
        if stop_event().is_set():
            raise PlanFileError(f"{self._name}: this was called off, so nothing was changed")

    def _waited(self) -> str:
        return f" (waited for {self.wait:g} s)" if self.wait else ""

    # ------------------------------------------------------------ the file

    def _resolve(self, *, may_miss: bool = False) -> Path:
        """The file itself, with links resolved; nothing but a regular file."""
        try:
            if not stat.S_ISREG(os.stat(self._called).st_mode):
                raise PlanFileError(f"{self._name}: this is not a file")
        except FileNotFoundError:
            if not may_miss:
                raise
        return self.path.resolve(strict=not may_miss)

    def _read(self, real: Path) -> bytes:
        with open(real, "rb") as file:
            return read_bytes(file, self._limits, self._called)

    def _replace(self, real: Path, before: bytes | None, after: bytes) -> bool:
        """Put bytes in the place of those that were read (None: of no file), unless there are others by now."""
        with self._explained():
            try:
                known = None if before is None else real.stat()
                if known is not None:
                    self._check(real, known)
                with writing(real, known, prefix=_PREFIX, check=lambda: _compare(real, known, before)) as file:
                    file.write(after)
            except (_EditedError, FileNotFoundError):
                # Where there is no file any more, the next look says so.
                return False
        return True

    def _check(self, real: Path, known: os.stat_result) -> None:
        """Refuse what must not be replaced."""
        if known.st_nlink > 1:
            raise PlanFileError(
                f"{self._name}: this file has {known.st_nlink} hard links, which a change would part; copy it first"
            )
        if not os.access(real, os.W_OK):
            raise PlanFileError(f"{self._name}: {os.strerror(errno.EACCES)}")

    def _encode(self, text: str) -> bytes:
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise PlanFileError(f"{self._name}: the text has lone surrogates, which cannot be written") from None

    @contextmanager
    def _explained(self, known: type[Exception] = PlanSyntaxError) -> Iterator[None]:
        """Say what has gone wrong, but for an error that says so itself."""
        try:
            yield
        except LockedError:
            raise PlanBusyError(f"{self._name}: another process writes in this folder{self._waited()}") from None
        except known:
            raise
        except (OSError, ValueError, RuntimeError) as error:  # a NUL; a loop of links
            raise PlanFileError(f"{self._name}: {visible_name(reason_of(error))}") from None


class LeasedPlan:
    """A plan's file while it is run. See :meth:`PlanFile.leased`.

    Attributes:
        path: the file itself, with links resolved.
    """

    def __init__(self, file: PlanFile, path: Path, is_lost: Callable[[], bool]) -> None:
        self.path, self._file, self._is_lost = path, file, is_lost
        self._known: bytes | None = None
        self._look: tuple[int, ...] = ()

    def load(self) -> str:
        """The text as it is.

        Raises:
            PlanFileError: it cannot be read.
            PlanSyntaxError: it is not UTF-8, or too long.
        """
        with self._file._explained():
            # First: what is written while it is read, is seen later.
            self._look = _look(self.path)
            self._known = self._file._read(self.path)
        return decode(self._known, self._file._called)

    def peek(self) -> str:
        """The text as it is, for a look: it does not count as loaded. Raises what ``load`` does."""
        with self._file._explained():
            data = self._file._read(self.path)
        return decode(data, self._file._called)

    def looks_edited(self) -> bool:
        """Whether another program seems to have written to the file since it was loaded or saved last.

        A look costs next to nothing. It may miss an edit that keeps the length, within a tick of the clock; ``save``
        does not.
        """
        try:
            return _look(self.path) != self._look
        except OSError:
            return True

    def save(self, text: str) -> None:
        """Replace the text that was loaded or saved last: the new one is on the disk when this returns.

        Other writers in the folder are waited for, however long it takes.

        Raises:
            PlanFileError: it cannot be written; another program has written to it since then, or runs it by now.
        """
        file, data = self._file, self._file._encode(text)
        name = file._name
        with ExitStack() as held:
            with file._explained():
                held.enter_context(locked_folder(self.path.parent))
            if self._is_lost():
                raise PlanFileError(
                    f"{name}: the lease of this run was removed, and another process may run the plan as well"
                )
            if not file._replace(self.path, self._known, data):
                if not os.path.lexists(self.path):
                    raise PlanEditedError(f"{name}: {os.strerror(errno.ENOENT)}")
                raise PlanEditedError(
                    f"{name}: the plan was edited while it was run; resume to continue with the edited plan"
                )
            self._known, self._look = data, ()
            with suppress(OSError):
                # First: a write since it was replaced is found by the text.
                look = _look(self.path)
                if _says(self.path, data):
                    self._look = look


def _look(path: Path) -> tuple[int, ...]:
    """What changes, most of the time, where a program writes to a file."""
    known = path.stat()
    return known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns


def _says(path: Path, data: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(len(data) + 1) == data


def _compare(real: Path, known: os.stat_result | None, before: bytes | None) -> None:
    """See to it that a file is as it was.

    Raises:
        _EditedError: it is not.
    """
    if known is None or before is None:
        if os.path.lexists(real):
            raise _EditedError
        return
    with open(real, "rb") as file:
        # Times are too coarse to tell an edit from none.
        if _KEPT(os.fstat(file.fileno())) != _KEPT(known) or file.read(len(before) + 1) != before:
            raise _EditedError


def _end(real: Path, is_lost: Callable[[], bool], lease: ExitStack) -> None:
    """Give the lease back. Where that cannot be, it counts for nothing as soon as this process has let go of it."""
    with suppress(OSError, LockedError), locked_folder(real.parent, WAIT):
        is_ours = not is_lost()
        # Windows removes nothing that is open.
        lease.close()
        if is_ours:
            lease_path(real).unlink(missing_ok=True)


# ---------------------------------------------------------------- leftovers


def clear_leftovers(folder: Path) -> None:
    """Remove what writers of plans and runs in this folder have left that were killed.

    Processes at work are neither disturbed nor waited for. What cannot be removed stays.
    """
    with suppress(OSError, ValueError, LockedError):
        if any(_leftovers(folder)):
            with locked_folder(folder, 0):
                _clear(folder)


def _clear(folder: Path) -> None:
    """The same, for a caller that has locked the folder."""
    # A folder that cannot be looked into may be written to.
    with suppress(PermissionError):
        for path in list(_leftovers(folder)):
            with suppress(OSError):
                if path.name.endswith(LEASE_SUFFIX):
                    find_lease(path.with_name(path.name.removesuffix(LEASE_SUFFIX)))
                else:
                    path.unlink()


def _leftovers(folder: Path) -> Iterator[Path]:
    """What may have been left, leases of runs that last among it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_leftover(entry.name, _PREFIX) or _is_lease(Path(entry.path)):
                yield Path(entry.path)


def _is_lease(path: Path) -> bool:
    # A plan has to have a name.
    if not path.name.endswith(LEASE_SUFFIX) or path.name == LEASE_SUFFIX:
        return False
    try:
        return is_lease(path)
    except OSError:
        return False
