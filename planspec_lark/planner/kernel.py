"""The state of a plan: each change is an entry in a log, and the context is their result.

The file of the context is a view of that, which is written now and then.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial, reduce
from logging import getLogger
from operator import attrgetter
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen
from attrs.validators import instance_of

from planspec_lark.files import remove_leftovers, writing
from planspec_lark.json_text.model_values import to_value
from planspec_lark.plan_next.context import (
    CONTEXT_LIMITS,
    Context,
    ContextError,
    close_block,
    context_from_json,
    context_to_json,
    open_block,
)
from planspec_lark.plan_next.conversion import Model, build
from planspec_lark.plan_next.models import DoneStatus, PlanNext, goal_text
from planspec_lark.runs.entries import UNKEPT, Entry, EntryTypes, RunLog
from planspec_lark.runs.lease import VIEW_PAUSE
from planspec_lark.runs.ledger import Ledger, LedgerError, RecordKind, RunBusyError, check_name
from planspec_lark.runs.sqlite_ledger import SqliteLedger
from planspec_lark.runs.telemetry import RunTelemetry
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError, PlanSyntaxError, decode
from planspec_lark.syntax.safe_text import visible_name

__all__ = [
    "CONTEXT_FILE",
    "LEDGER_FILE",
    "LOG",
    "Closed",
    "Kernel",
    "Opened",
    "Refused",
    "StateError",
    "closed",
    "create_state",
    "fold",
    "number_of",
    "open_state",
    "read_state",
]

LOG = getLogger("planspec_lark.planner")
CONTEXT_FILE = "thinking-context.json"
LEDGER_FILE = "planner.ledger"
# The run of the ledger that has all plans of the folder, each from its first record on, unless it is called otherwise.
_RUN = "planner"
# Blocks that end go up to two levels deeper into the file with each block around them, and messages go in as well: what
# a plan begins with leaves room for that.
_GIVEN_LIMITS = evolve(CONTEXT_LIMITS, max_depth=130)


class StateError(PlanSpecError):
    """A state that cannot be read, made or written now; the text says why."""


# ---------------------------------------------------------------- what happens


@frozen(kw_only=True)
class Begun(Entry):
    """A plan begins with this context, or continues with it, as the file was edited."""

    kind: RecordKind | None = RecordKind.BEGUN
    context: Context
    description: str = field(init=False)

    @description.default
    def _goal(self) -> str:
        return goal_text(self.context.think.goal)


@frozen(kw_only=True)
class Opened(Entry):
    """A block was opened, as an accepted message asks for; ``found`` is what was found in that."""

    kind: RecordKind | None = RecordKind.OPENED
    message: PlanNext
    found: tuple[Diagnostic, ...] = field(default=(), metadata=UNKEPT)
    description: str = field(init=False)

    @description.default
    def _goal(self) -> str:
        return goal_text(self.message.new_block.goal)


@frozen(kw_only=True)
class Closed(Entry):
    """The current block was left, with its result; ``found`` is what was found in the message that says so."""

    result: Any = field(validator=instance_of((str, dict)))
    status: DoneStatus
    found: tuple[Diagnostic, ...] = field(default=(), metadata=UNKEPT)


@frozen(kw_only=True)
class Refused(Entry):
    """An answer was refused.

    Attributes:
        answer: its beginning.
        faults: the first errors in it.
        refusal: all of it.
    """

    kind: RecordKind | None = RecordKind.REFUSED
    answer: str
    faults: list[str]
    refusal: Any = field(default=None, metadata=UNKEPT)


def _build(value: Any, model: type[Model]) -> Model:
    made, _ = build(value, model)
    if made is None:
        raise ValueError
    return made


# What begins with a whole context.
_WHOLE = (RecordKind.BEGUN, RecordKind.EDITED)
_ENTRIES = EntryTypes(
    "a planner's plan",
    {Begun: _WHOLE, Opened: [RecordKind.OPENED], Closed: [RecordKind.DONE, RecordKind.FAILED]},
    {
        Context: (_build, to_value),
        PlanNext: (_build, to_value),
        DoneStatus: (lambda value, _: DoneStatus(value), attrgetter("value")),
    },
)


def fold(context: Context, entry: Entry) -> Context:
    """The context after this has happened."""
    if isinstance(entry, Begun):
        return entry.context
    if isinstance(entry, Opened):
        return open_block(context, entry.message)
    return close_block(context, entry.result, entry.status) if isinstance(entry, Closed) else context


def closed(context: Context, result: str | dict[str, Any], status: DoneStatus, **more: Any) -> Closed:
    """That the current block is left with this result."""
    kind = RecordKind.DONE if status is DoneStatus.DONE else RecordKind.FAILED
    return Closed(kind=kind, step=number_of(context), result=result, status=status, **more)


def number_of(context: Context) -> str:
    """The number of the current block among those around it, such as `2.1`; empty at the root."""
    return ".".join(str(len(block.done) + 1) for block in reversed(context.path))


# ---------------------------------------------------------------- the folder


def read_state(state_dir: Path | str, *, ledger: Ledger | None = None, run_id: str = _RUN) -> Context:
    """The context in a state folder after the last change. This needs no lock.

    Args:
        state_dir: the folder.
        ledger: one from elsewhere, such as a database, in place of that in the folder.
        run_id: the run of the ledger that has the plan.

    Raises:
        StateError: there is none, or it cannot be read, or the file was edited meanwhile.
        ContextError: the file holds something else.
    """
    folder = Path(state_dir)
    with _opened(folder, ledger, run_id, read_only=True) as kernel:
        kernel.read()
        return kernel.context


def create_state(
    state_dir: Path | str,
    context: Context,
    *,
    overwrite: bool = False,
    ledger: Ledger | None = None,
    run_id: str = _RUN,
) -> None:
    """Begin a plan in a folder; makes the folder if need be.

    Args:
        state_dir: the folder.
        context: where the plan begins.
        overwrite: give up a plan that has not ended.
        ledger: as for :func:`read_state`.
        run_id: as there.

    Raises:
        StateError: there is a plan that has not ended, unless ``overwrite``; or the folder cannot be used.
        ContextError: the context holds what could not be read again, such as a value of a wrong kind; or the folder
            holds something else than a context, unless ``overwrite``.
        TypeError, ValueError: the context holds what JSON cannot say, such as NaN or half of a surrogate pair.
    """
    folder = Path(state_dir)
    check_name("run_id", run_id)
    context_from_json(context_to_json(context), limits=_GIVEN_LIMITS)
    with _errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for read_only in (True, False):
        # Where a plan is there, nothing is made; and another process may begin one at this moment.
        with _opened(folder, ledger, run_id, read_only=read_only) as kernel:
            if not overwrite:
                kernel.check_ended()
            if not read_only:
                kernel.begin(context)


@contextmanager
def open_state(state_dir: Path | str, *, ledger: Ledger | None = None, run_id: str = _RUN) -> Iterator[Kernel]:
    """The kernel of a plan, whose lease is held as long as this block lasts.

    A context file that was edited is taken over, if it is as far as the ledger is.

    Args:
        state_dir: the folder, which is made where a ledger from elsewhere has the plan.
        ledger, run_id: as for :func:`read_state`.

    Raises:
        StateError: there is no plan, it cannot be read, or another process is working on it.
        ContextError: the file holds something else.
    """
    folder = Path(state_dir)
    with _errors(folder):
        is_begun = _is_there(folder / LEDGER_FILE) if ledger is None else ledger.find_run(run_id) is not None
    if not is_begun:
        # Where there is no plan, nothing is made.
        with _opened(folder, ledger, run_id, read_only=True) as kernel:
            kernel.read()
    with _errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with _opened(folder, ledger, run_id, read_only=False) as kernel:
        kernel.load()
        yield kernel


@contextmanager
def _opened(folder: Path, ledger: Ledger | None, run: str, *, read_only: bool) -> Iterator[Kernel]:
    """The kernel of a folder: its one writer, or one that only reads."""
    with ExitStack() as held:
        with _errors(folder):
            check_name("run_id", run)
            path = folder / LEDGER_FILE
            if ledger is None and (not read_only or _is_there(path)):
                ledger = held.enter_context(closing(SqliteLedger(path, read_only=read_only)))
            kernel = Kernel(folder, ledger, run)
            if not read_only:
                held.enter_context(kernel.log.held(kernel.write_view, VIEW_PAUSE))
                remove_leftovers(folder)
        yield kernel


def _is_there(path: Path) -> bool:
    with suppress(OSError, ValueError):
        return path.stat() is not None
    return False


@contextmanager
def _errors(folder: Path) -> Iterator[None]:
    """Turns what goes wrong with a folder into StateError."""
    try:
        yield
    except RunBusyError:
        raise StateError(f"{visible_name(str(folder))}: another process is working on this plan") from None
    except LedgerError as error:
        raise StateError(str(error)) from None
    except OSError as error:
        raise StateError(f"{visible_name(str(folder))}: {error.strerror or 'cannot be used'}") from None


# ---------------------------------------------------------------- reading and writing


class _NoPlanError(StateError):
    """There is none yet."""


class Kernel:
    """The state of a plan in a folder.

    Attributes:
        log: where all is written that happens.
        context: what comes of it.
    """

    context: Context

    def __init__(self, folder: Path, ledger: Ledger | None, run: str) -> None:
        self.folder = folder
        # Where a callable goes to another folder, the plan stays where it is.
        self._path, self._name = folder.absolute() / CONTEXT_FILE, visible_name(str(folder / CONTEXT_FILE))
        name, place = visible_name(str(folder)), visible_name(str(folder / LEDGER_FILE))
        self.log = RunLog(_ENTRIES, run, ledger, place, RunTelemetry(LOG, name), partial(_errors, folder))

    def read(self) -> tuple[str, bool]:
        """Read the context as the last change has left it.

        Returns:
            The digest of the file, which is empty where there is none, and whether it is the file that says so.
        """
        with _errors(self.folder):
            data = _read_file(self._path, self._name)
            digest, context = "" if data is None else _digest(data), _fold(self.log)
            if context is not None and (data is None or self._ledger.has_view(self.log.run, digest)):
                self.context = context
                return digest, False
        if data is None:
            raise _NoPlanError(f"{self._name}: there is no plan here yet")
        self.context = _parse(data, self.folder / CONTEXT_FILE)
        if context is not None and self.context.revision != context.revision:
            raise StateError(
                f"{self._name}: it was edited, and the plan continued without the edit (its revision is "
                f"{self.context.revision}, that of {LEDGER_FILE} is {context.revision}); take one of the two files away"
            )
        return digest, True

    def check_ended(self) -> None:
        """Refuse to begin another plan where one has not ended."""
        try:
            self.read()
        except _NoPlanError:
            return
        if self.context.outcome is None:
            where = visible_name(str(self.folder))
            raise StateError(f"{where}: the plan there has not ended; continue with it, or overwrite it")

    @property
    def _ledger(self) -> Ledger:
        assert self.log.ledger is not None
        return self.log.ledger

    def load(self) -> None:
        """Take over what the folder holds."""
        digest, is_edited = self.read()
        with _errors(self.folder):
            if is_edited:
                self._ledger.add_view(self.log.run, digest, "")
                kind = RecordKind.EDITED if self.log.last else RecordKind.BEGUN
                self.log.write(Begun(kind=kind, context=self.context))
            elif digest != _digest(_encode(self.context)):
                self.show(self.context)

    def begin(self, context: Context) -> None:
        """Begin a plan, whatever there is."""
        with _errors(self.folder):
            self.log.go_to_end()
            # A crash before the file is written must not have that taken for an edited one.
            with suppress(StateError):
                if (data := _read_file(self._path, "")) is not None:
                    self._ledger.add_view(self.log.run, _digest(data), "")
            self.log.write(Begun(context=context))
            self.show(context)

    def show(self, context: Context) -> None:
        """Have the file say this, which is written already."""
        assert self.log.lease is not None
        self.context = context
        self.log.lease.mark()

    def write_view(self) -> None:
        """Write the file of the context.

        Raises:
            StateError: it could not be written, or is too large to be read again; the file is as it was.
        """
        data = _encode(self.context)
        if CONTEXT_LIMITS.max_bytes is not None and len(data) > CONTEXT_LIMITS.max_bytes:
            raise StateError(f"{self._name}: {_too_large(len(data))}")
        with _errors(self.folder / CONTEXT_FILE):
            # Noted before it is written: a text that is not noted counts as an edit from outside.
            self._ledger.add_view(self.log.run, _digest(data), "")
            with writing(self._path) as file:
                file.write(data)


def _encode(context: Context) -> bytes:
    return (context_to_json(context) + "\n").encode("utf-8")


def _fold(log: RunLog) -> Context | None:
    """The result of the entries since the last plan began; None where there are none."""
    entries = log.read(_WHOLE)
    first = next(entries, None)
    return reduce(fold, entries, first.context) if isinstance(first, Begun) else None


def _read_file(path: Path, name: str) -> bytes | None:
    """The file of the context; None where there is none."""
    try:
        found = path.stat()
        # What is not a file may never end, or never begin: a pipe waits for a writer.
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise StateError(f"{name}: not a regular file")
        if CONTEXT_LIMITS.max_bytes is not None and found.st_size > CONTEXT_LIMITS.max_bytes:
            raise StateError(f"{name}: {_too_large(found.st_size)}")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise StateError(f"{name}: {said or 'cannot be used'}") from None


def _parse(data: bytes, path: Path) -> Context:
    try:
        return context_from_json(decode(data, str(path)), name=str(path))
    except ContextError:
        raise
    except PlanSyntaxError as error:
        raise ContextError(error.diagnostics, error.source) from None


def _too_large(size: int) -> str:
    return f"{size:,} bytes are more than the {CONTEXT_LIMITS.max_bytes:,} that a context may have"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
