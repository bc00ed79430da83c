"""Where a plan is kept while it runs: a file that nobody else runs meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from planspec_lark.files import write_atomically
from planspec_lark.limits import DEFAULT_LIMITS, read_file
from planspec_lark.locks import LockedError, locked
from planspec_lark.source import visible_name

__all__ = ["BusyError", "FileHome", "Home", "HomeError", "ledger_path"]


class HomeError(Exception):
    """A plan that cannot be read, written or run now; the text says why."""


class BusyError(HomeError):
    """Another process runs the plan."""


class Home(Protocol):
    """Where a plan's text is kept."""

    def load(self) -> str:
        """The text as it stands."""

    def save(self, text: str) -> None:
        """Replace the text."""


def ledger_path(path: Path) -> Path:
    """The file beside a plan that holds its ledger."""
    return path.with_name(path.name + ".ledger")


class FileHome:
    """A text in a file; see :func:`opened`."""

    def __init__(self, path: Path) -> None:
        self._path, self._name = path, visible_name(str(path))
        self._known: tuple[int, ...] | None = None

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[FileHome]:
        """The plan in this file, while no other process runs it.

        Raises:
            HomeError: there is no file, or another process runs it.
        """
        name = visible_name(str(path))
        with ExitStack() as held:
            # What is raised while the plan runs is none of this.
            try:
                # Whoever gets at the plan by another name gets the same lock.
                real = path.resolve(strict=True)
                if not real.is_file():
                    raise HomeError(f"{name}: this is no file")
                held.enter_context(locked(real.with_name(real.name + ".lock")))
            except LockedError:
                raise BusyError(f"{name}: another process runs this plan") from None
            except (OSError, ValueError, RuntimeError) as error:  # a loop of links is the last one
                raise HomeError(f"{name}: {_explain(error)}") from None
            yield cls(real)

    @property
    def path(self) -> Path:
        """The file itself, behind all links."""
        return self._path

    def load(self) -> str:
        """The text as it stands.

        Raises:
            HomeError: it cannot be read.
            PlanSyntaxError: it is no UTF-8, or too long.
        """
        try:
            self._known = self._look()
            return read_file(self._path, DEFAULT_LIMITS)
        except OSError as error:
            raise HomeError(f"{self._name}: {_explain(error)}") from None

    def save(self, text: str) -> None:
        """Replace the text: it is on the disk when this returns.

        Raises:
            HomeError: it cannot be written, or somebody else has written to it since it was read.
        """
        try:
            if self._look() != self._known:
                raise HomeError(
                    f"{self._name}: somebody has edited the plan while it was run; resume to go on with that"
                )
            write_atomically(self._path, text)
            self._known = self._look()
        except OSError as error:
            raise HomeError(f"{self._name}: {_explain(error)}") from None

    def _look(self) -> tuple[int, ...]:
        found = os.stat(self._path)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _explain(error: Exception) -> str:
    return visible_name((error.strerror if isinstance(error, OSError) else None) or str(error))
