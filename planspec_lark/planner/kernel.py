"""The only writer of a plan's state: one file, replaced whole, by one process at a time."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from attrs import Factory, define, evolve, field

from planspec_lark.files import remove_leftovers, writing
from planspec_lark.locks import LockedError, locked
from planspec_lark.plan_next.context import (
    CONTEXT_LIMITS,
    Context,
    ContextError,
    close_block,
    context_from_json,
    context_to_json,
    open_block,
)
from planspec_lark.plan_next.models import DoneStatus, PlanNext
from planspec_lark.syntax.diagnostics import PlanSpecError, PlanSyntaxError, decode
from planspec_lark.syntax.source import visible_name

__all__ = ["CONTEXT_FILE", "Kernel", "StateError", "create_state", "open_state", "read_state"]

CONTEXT_FILE = "thinking-context.json"
_LOCK = "kernel.lock"
# Blocks that end go up to two levels deeper into the file with each block around them, and messages go in as well: what
# a plan begins with leaves room for that.
_GIVEN_LIMITS = evolve(CONTEXT_LIMITS, max_depth=130)


class StateError(PlanSpecError):
    """A state that cannot be read, made or written now; the text says why."""


def read_state(state_dir: Path | str) -> Context:
    """The context in a state folder, as the last change has left it. Nobody has to wait for this.

    Raises:
        StateError: there is none, or it cannot be read.
        ContextError: the file holds something else.
    """
    path = Path(state_dir) / CONTEXT_FILE
    try:
        found = path.stat()
        # What is no file may never end, or never begin: a pipe waits for somebody who writes to it.
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise StateError(f"{visible_name(str(path))}: not a regular file")
        if CONTEXT_LIMITS.max_bytes is not None and found.st_size > CONTEXT_LIMITS.max_bytes:
            raise StateError(f"{visible_name(str(path))}: {_too_large(found.st_size)}")
        data = path.read_bytes()
    except FileNotFoundError:
        raise StateError(f"{visible_name(str(path))}: there is no plan here yet") from None
    except (OSError, ValueError) as error:
        raise StateError(f"{visible_name(str(path))}: {_reason(error)}") from None
    try:
        return context_from_json(decode(data, str(path)), name=str(path))
    except ContextError:
        raise
    except PlanSyntaxError as error:
        raise ContextError(error.diagnostics, error.source) from None


def create_state(state_dir: Path | str, context: Context, *, overwrite: bool = False) -> None:
    """Begin a plan in a folder, which is made if need be.

    Raises:
        StateError: there is a plan that has not ended, unless ``overwrite``; or the folder cannot be used.
        ContextError: the context holds what could not be read again, such as a value of a wrong kind; or the folder
            holds something else than a context, unless ``overwrite``.
        TypeError, ValueError: the context holds what JSON cannot say, such as NaN or half of a surrogate pair.
    """
    folder = Path(state_dir)
    context_from_json(context_to_json(context), limits=_GIVEN_LIMITS)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(f"{visible_name(str(folder))}: {_reason(error)}") from None
    with _held(folder) as is_lost:
        if not overwrite and (folder / CONTEXT_FILE).exists() and read_state(folder).outcome is None:
            raise StateError(f"{visible_name(str(folder))}: there is a plan that has not ended; go on with it")
        Kernel(folder, context, is_lost).save()


@contextmanager
def open_state(state_dir: Path | str) -> Iterator[Kernel]:
    """The kernel of a plan, whose lock is held as long as this block lasts.

    Raises:
        StateError: there is no plan, it cannot be read, or another process is at work on it.
        ContextError: the file holds something else.
    """
    folder = Path(state_dir)
    if not os.path.isdir(folder):  # that of pathlib raises where it may not look
        read_state(folder)
    with _held(folder) as is_lost:
        try:
            remove_leftovers(folder)
        except OSError as error:
            raise StateError(f"{visible_name(str(folder))}: {_reason(error)}") from None
        yield Kernel(folder, read_state(folder), is_lost)


@contextmanager
def _held(folder: Path) -> Iterator[Callable[[], bool]]:
    with ExitStack() as held:
        try:
            is_lost = held.enter_context(locked(folder / _LOCK))
        except LockedError:
            raise StateError(f"{visible_name(str(folder))}: another process is at work on this plan") from None
        except OSError as error:
            raise StateError(f"{visible_name(str(folder))}: {_reason(error)}") from None
        yield is_lost


def _too_large(size: int) -> str:
    return f"{size:,} bytes are more than the {CONTEXT_LIMITS.max_bytes:,} that a context may have"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else str(error)) or "cannot be used"


@define
class Kernel:
    """What changes a plan's state. Every change is on the disk when its method returns, or has not happened."""

    folder: Path
    context: Context = field()
    _is_lost: Callable[[], bool]
    # Where a callable goes to another folder, the plan stays where it is.
    _home: Path = field(init=False, default=Factory(lambda self: self.folder.absolute(), takes_self=True))

    def open_block(self, message: PlanNext) -> Context:
        """Go into the block that an accepted message asks for."""
        return self._become(open_block(self.context, message))

    def close_block(self, result: str | dict[str, Any], status: DoneStatus) -> Context:
        """Leave the block at hand, with its result."""
        return self._become(close_block(self.context, result, status))

    def _become(self, context: Context) -> Context:
        if self.context.outcome is not None:
            raise StateError(f"{visible_name(str(self.folder))}: this plan has ended")
        before, self.context = self.context, context
        try:
            self.save()
        except BaseException:
            self.context = before
            raise
        return context

    def save(self) -> None:
        """Write the context.

        Raises:
            StateError: it could not be written, or is too large to be read again, or belongs to somebody else by now;
                the file is as it was.
        """
        path = self.folder / CONTEXT_FILE
        if self._is_lost():
            raise StateError(
                f"{visible_name(str(self.folder))}: this plan was taken away, and there is another lock now"
            )
        data = (context_to_json(self.context) + "\n").encode("utf-8")
        if CONTEXT_LIMITS.max_bytes is not None and len(data) > CONTEXT_LIMITS.max_bytes:
            raise StateError(f"{visible_name(str(path))}: {_too_large(len(data))}")
        try:
            with writing(self._home / CONTEXT_FILE) as file:
                file.write(data)
        except OSError as error:
            raise StateError(f"{visible_name(str(path))}: {_reason(error)}") from None
