"""Where the runs of a plan are kept: beside its file, or in a database, where they have its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click
from attrs import frozen

from planspec_lark.cli.arguments import options
from planspec_lark.cli.output import UnreadableFileError, note_option, stop_at
from planspec_lark.runs import LedgerError, SqliteLedger
from planspec_lark.runs.ledger import check_name
from planspec_lark.runs.sqlite_ledger import ledger_path
from planspec_lark.syntax.safe_text import visible_name

if TYPE_CHECKING:
    from planspec_lark.runs import Ledger, RunInfo
    from planspec_lark.runs.postgres_ledger import PostgresLedger

__all__ = ["LedgerArguments", "LedgerPlace", "database_options", "without_password"]


# Where a call keeps what these options say.
_DATABASE, _NAME = "database", "name"


def _note_database(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        try:
            without_password(value)
        except LedgerError as error:
            raise click.UsageError(f"--database: {str(error).removeprefix('database: ')}") from None
    note_option(ctx, option, value)


database_options = options(
    click.option(
        "--database",
        metavar="URL",
        envvar="PLANSPEC_DATABASE",
        show_envvar=True,
        expose_value=False,
        callback=_note_database,
        help="Keep the ledger in this PostgreSQL database, not in a file. Needs the extra distributed.",
    ),
    click.option(
        "--name",
        metavar="NAME",
        show_default="the absolute path",
        expose_value=False,
        callback=note_option,
        help="With --database, the name of the plan's runs there.",
    ),
)


def without_password(database: str) -> str:
    """What can be shown of where a database is."""
    from planspec_lark.runs.postgres_ledger import hide_password  # noqa: PLC0415  (few calls have a database)

    return hide_password(database)


# What every database of SQLite begins with.
_SQLITE = b"SQLite format 3\0"


class LedgerArguments(TypedDict, total=False):
    """A ledger that is not where a runner would keep its own, and the id of the run in it."""

    ledger: Ledger
    run_id: str


@frozen
class LedgerPlace:
    """Where the runs of one plan are, or of all plans.

    Attributes:
        label: what messages call it.
        file: beside the plan.
        database: the database in place of it, if there is one.
        name: what the runs are called there; empty where all runs are meant, as those beside a file are of one plan.
    """

    label: str
    file: Path
    database: str | None
    name: str

    @classmethod
    def of(cls, file: str | None) -> LedgerPlace:
        """The place for a plan's file, or without one for all plans, as a call with the options of a database says."""
        said = click.get_current_context().meta
        database, name = said[_DATABASE], said[_NAME]
        if file is None:
            if database is None:
                raise click.UsageError("Give FILE, or --database.")
            return cls("the database", Path(), database, name or "")
        if name is not None and database is None:
            raise click.UsageError("--name goes with --database.")
        try:
            path = Path(file).resolve()
        except (OSError, RuntimeError) as error:
            raise UnreadableFileError(file, "cannot be read") from error
        if not path.name:
            raise UnreadableFileError(file, "is not a file")
        name = "" if database is None else name or str(path)
        with stop_at(ValueError, kind=click.UsageError):
            check_name("--name", name)
        return cls(file, _find_ledger(path), database, name)

    def opened(self, *, changes: bool = False) -> AbstractContextManager[Ledger]:
        """The ledger, which is only read unless it ``changes``. Raises NoLedgerError where there is none."""
        if changes:
            with self.opened():
                pass
        return closing(self._database(read_only=not changes) or SqliteLedger(self.file, read_only=not changes))

    def in_database(self, *, read_only: bool = False) -> AbstractContextManager[Ledger | None]:
        """The ledger in the database; None where a runner opens the ledger beside the file by itself."""
        database = self._database(read_only=read_only)
        return nullcontext() if database is None else closing(database)

    @contextmanager
    def held(self, *, read_only: bool) -> Iterator[LedgerArguments]:
        """The ledger in the database and the id of the run there, as the runners of one run take them; or nothing."""
        with self.in_database(read_only=read_only) as ledger:
            yield {} if ledger is None else {"ledger": ledger, "run_id": self.name}

    def _database(self, *, read_only: bool) -> PostgresLedger | None:
        if self.database is None:
            return None
        from planspec_lark.runs.postgres_ledger import PostgresLedger  # noqa: PLC0415  (few calls have a database)

        return PostgresLedger(self.database, read_only=read_only)

    @contextmanager
    def looked_into(self, *, changes: bool = False) -> Iterator[Ledger]:
        """The ledger, as one looks into it; leaves where there are things in it that no run writes."""
        if self.label == "-":
            raise click.UsageError("A ledger is a file beside the plan's file.")
        strange = TypeError, ValueError, AttributeError, KeyError, OverflowError, RecursionError
        with (
            stop_at(*strange, kind=lambda _: UnreadableFileError(self.label, "this is not a ledger of plans")),
            self.opened(changes=changes) as ledger,
        ):
            yield ledger

    def find_run(self, ledger: Ledger, run_id: str | None) -> RunInfo:
        """The run with this id, or the last one; leaves where there is none."""
        info = ledger.find_run(run_id) if run_id else self.last_run(ledger)
        if info is None:
            raise UnreadableFileError(self.label, f"there is no run {visible_name(run_id or '')}".rstrip())
        return info

    def last_run(self, ledger: Ledger) -> RunInfo | None:
        """The last run of the plan."""
        return ledger.last_run(self.name or None)

    def runs(self, ledger: Ledger) -> list[RunInfo]:
        """All runs of the plan, the oldest first."""
        return [info for info in ledger.runs() if self.name in ("", info.name)]


def _find_ledger(path: Path) -> Path:
    """That of a plan, or of a planner's state folder, or the file itself."""
    if path.is_dir():
        from planspec_lark.planner.kernel import LEDGER_FILE  # noqa: PLC0415  (slow to load, and for planners alone)

        return path / LEDGER_FILE
    with suppress(OSError):
        # A pipe would wait for a program that writes to it.
        if path.is_file():
            with path.open("rb") as file:
                return path if file.read(len(_SQLITE)) == _SQLITE else ledger_path(path)
    return ledger_path(path)
