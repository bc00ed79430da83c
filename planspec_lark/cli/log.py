"""`planspec log`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import click

from planspec_lark.cli.output import Unusable, write_rows, write_text
from planspec_lark.cli.run_events import rows_of
from planspec_lark.engine.homes import ledger_path
from planspec_lark.engine.ledger import LedgerError, Record, RunInfo
from planspec_lark.engine.sqlite_ledger import SqliteLedger
from planspec_lark.source import escape_json, visible_name

__all__ = ["command"]


@click.command("log")
@click.argument("file", metavar="FILE")
@click.option("--run", "run_id", metavar="ID", help="The run to show; by default the last one.")
@click.option("--runs", "lists", is_flag=True, help="List the runs.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N records.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line, with all that the ledger has.")
def command(file: str, run_id: str | None, lists: bool, last: int | None, as_json: bool) -> None:
    """Show what has happened to a plan: the records of its ledger."""
    try:
        with closing(SqliteLedger(ledger_path(Path(file).resolve()), read_only=True)) as ledger:
            runs = ledger.runs()
            if lists:
                _write_runs(runs)
                return
            info = _choose(runs, run_id, file)
            records = ledger.records(info.run, newest_first=last is not None, limit=last)
            shown = list(records)[::-1] if last is not None else records
            for record in shown:
                _write(record, as_json=as_json)
    except LedgerError as error:
        raise Unusable(str(error)) from None


def _choose(runs: object, run_id: str | None, file: str) -> RunInfo:
    assert isinstance(runs, list)
    found = [info for info in runs if run_id is None or info.run == run_id]
    if not found:
        which = "there is no run" if run_id is None else f"there is no run {visible_name(run_id)}"
        raise Unusable(f"{visible_name(file)}: {which}")
    chosen: RunInfo = found[-1]
    return chosen


def _write_runs(runs: object) -> None:
    assert isinstance(runs, list)
    write_rows([[(f"{visible_name(info.run)}  {_clock(info.time)}", "")] for info in runs])


def _write(record: Record, *, as_json: bool) -> None:
    if as_json:
        write_text(escape_json(json.dumps(_value(record), ensure_ascii=False)) + "\n")
    else:
        write_rows(_rows(record))


def _rows(record: Record) -> Iterator[list[tuple[str, str]]]:
    for row in rows_of(record.kind, record.step, record.data, f"{_clock(record.time)}  "):
        yield list(row)


def _value(record: Record) -> dict[str, object]:
    return {
        "seq": record.seq,
        "time": record.time,
        "kind": record.kind.value,
        "step": record.step,
        "hash": record.hash,
        "attempt": record.attempt,
        **{name: value for name, value in (("data", dict(record.data)), ("plan", record.plan)) if value},
    }


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")
