"""A plan's file that changes: the page of it as it is now, or of the last plan that it was, with what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Event, Lock, Thread

from planspec_lark.html.render import Live, render
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.syntax.diagnostics import PlanSyntaxError, decode
from planspec_lark.syntax.source import visible_name

__all__ = ["Follower", "WatchError", "watching"]

# Besides being told of changes, look for them so often, in milliseconds: some file systems tell of none.
_LOOK = 1_000


class WatchError(RuntimeError):
    """Nobody can tell of changes: `watchfiles` is not installed."""


class Follower:
    """The page of a file, with a number that grows whenever the page changes. Threads may share one.

    Args:
        path: the file, which is read at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = visible_name(path.name)
        self._plan = PlanSpec()
        self._problem = ""
        self._version = 0
        self._seen: object = None
        self._page: tuple[int, str] = (0, "")
        self._is_closed = False
        self._changed = Condition()
        self._reading = Lock()
        self._rendering = Lock()
        self.read()

    @property
    def problem(self) -> str:
        """Why the file is no plan as it is now; empty where it is one."""
        return self._problem

    def read(self) -> None:
        """Read the file, if it has changed."""
        with self._reading:
            seen = _stamp(self.path)
            if seen == self._seen:
                return
            plan, problem = self._try()
            self._seen = seen
            with self._changed:
                if plan is not None:
                    self._plan = plan
                self._problem = problem
                self._version += 1
                self._changed.notify_all()

    def _try(self) -> tuple[PlanSpec | None, str]:
        try:
            data = self.path.read_bytes()
            if not data and self._plan.steps:
                # Who writes a file anew in its place empties it first.
                return None, f"{self._name}: the file is empty"
            return parse_plan(decode(data, self._name), name=self._name), ""
        except PlanSyntaxError as error:
            return None, str(error)
        except OSError as error:
            return None, f"{self._name}: {error.strerror}"

    def page(self) -> str:
        """The page as it is now."""
        with self._rendering:
            with self._changed:
                version, plan, problem = self._version, self._plan, self._problem
            if self._page[0] != version:
                self._page = (version, render(plan, self._name, Live(version, problem)))
            return self._page[1]

    def wait(self, version: int, timeout: float) -> int | None:
        """The number of the page once it is another one, or after so many seconds; None once this is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._version != version, timeout)
            return None if self._is_closed else self._version

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


def _stamp(path: Path) -> object:
    try:
        known = os.stat(path)
    except OSError as error:
        return error.errno
    return known.st_mtime_ns, known.st_size, known.st_ino


@contextmanager
def watching(follower: Follower) -> Iterator[None]:
    """Read a follower's file whenever it changes, as long as this block lasts.

    Raises:
        WatchError: it cannot be done here.
    """
    try:
        import watchfiles  # noqa: PLC0415  (of an extra)
    except ModuleNotFoundError as error:
        if error.name != "watchfiles":
            raise
        raise WatchError from None
    path = follower.path
    # Their folders: an editor puts a new file in the place of the old one. A link may lead to another one.
    folders = {path.absolute().parent, path.resolve().parent}
    names = {path.name, path.resolve().name}
    stop = Event()

    def follow() -> None:
        changes = watchfiles.watch(
            *folders,
            watch_filter=lambda _, changed: Path(changed).name in names,
            stop_event=stop,
            rust_timeout=_LOOK,
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
        )
        for _ in changes:
            follower.read()

    thread = Thread(target=follow, name="planspec-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        follower.close()
        thread.join(timeout=2 * _LOOK / 1_000)
