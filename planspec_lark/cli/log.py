"""`planspec log`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import Row, Unreadable, Unusable, json_text, write_rows, write_text
from planspec_lark.cli.run_events import rows_of
from planspec_lark.engine.ledger import LedgerError, Record, RunInfo
from planspec_lark.engine.sqlite_ledger import SqliteLedger, ledger_path
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("log")
@plan_argument()
@click.option("--run", "run_id", metavar="ID", help="The run to show; by default the last one.")
@click.option("--runs", "lists", is_flag=True, help="List the runs.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N records, or runs.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line, with all that the ledger has.")
@folder_option
def command(file: str, run_id: str | None, lists: bool, last: int | None, as_json: bool) -> None:
    """Show what has happened to a plan, from its ledger."""
    if lists and run_id is not None:
        raise click.UsageError("--run and --runs exclude each other.")
    if file == "-":
        raise click.UsageError("A ledger stands beside the file of a plan.")
    try:
        with closing(SqliteLedger(_path(file), read_only=True)) as ledger:
            runs = ledger.runs()
            if lists:
                for info in runs[-last:] if last else runs:
                    _write_run(info, as_json=as_json)
                return
            for record in _records(ledger, _choose(runs, run_id, file).run, last):
                if as_json:
                    _write_json(_value(ledger, record))
                else:
                    write_rows(_rows(record))
    except LedgerError as error:
        raise Unusable(str(error)) from None
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError, RecursionError):
        # It has the form of a ledger, and things in it that no run writes.
        raise Unusable(f"{visible_name(file)}: this is no ledger of plans") from None


def _path(file: str) -> Path:
    try:
        path = Path(file).resolve()
    except (OSError, RuntimeError) as error:
        raise Unreadable(file, "cannot be read") from error
    if not path.name:
        raise Unreadable(file, "is no file")
    return ledger_path(path)


def _choose(runs: Sequence[RunInfo], run_id: str | None, file: str) -> RunInfo:
    found = [info for info in runs if run_id is None or info.run == run_id]
    if not found:
        which = "there is no run" if run_id is None else f"there is no run {visible_name(run_id)}"
        raise Unusable(f"{visible_name(file)}: {which}")
    return found[-1]


def _records(ledger: SqliteLedger, run: str, last: int | None) -> Iterator[Record]:
    if last is None:
        return ledger.records(run)
    return iter(list(ledger.records(run, newest_first=True, limit=last))[::-1])


def _write_run(info: RunInfo, *, as_json: bool) -> None:
    if as_json:
        _write_json({"run": info.run, "time": info.time, "inputs": dict(info.inputs)})
    else:
        write_rows([[(f"{visible_name(info.run)}  {_clock(info.time)}", "")]])


def _write_json(value: dict[str, Any]) -> None:
    write_text(json_text(value, indent=None))


def _rows(record: Record) -> Iterator[Row]:
    return rows_of(record.kind, record.step, record.data, f"{_clock(record.time)}  ")


def _value(ledger: SqliteLedger, record: Record) -> dict[str, Any]:
    changes = {
        step: {name: pair for name in ("status", "result", "done_count") if (pair := getattr(change, name))}
        for step, change in record.changes.items()
    }
    outputs = {name: ledger.value(record.seq, name) for name in record.data.get("names", ())}
    more = {"data": dict(record.data), "outputs": outputs, "changes": changes, "plan": record.plan}
    return {
        "seq": record.seq,
        "time": float(record.time),
        "kind": record.kind.value,
        "step": record.step,
        "hash": record.hash,
        "attempt": record.attempt,
        **{name: value for name, value in more.items() if value},
        "before": record.before,
        "after": record.after,
    }


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")
