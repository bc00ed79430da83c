"""One shard: its records → rows in a file, and a few examples beside it. The one function that every engine runs."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from attrs import define, field

from planspec_lark.bulk import parquet
from planspec_lark.bulk.analysis import Analysis, analyze_text
from planspec_lark.bulk.inputs import stamp_of, whole
from planspec_lark.bulk.models import COLUMNS, BulkOptions, BulkTask, Shard, ShardReport, describe_error, encode_json
from planspec_lark.bulk.records import InputRecord, read_lines
from planspec_lark.files import writing
from planspec_lark.syntax.diagnostics import Severity, shorten
from planspec_lark.syntax.safe_text import visible

__all__ = ["Examples", "analyze_shard", "perform_task", "read_examples", "read_rows"]

_DEFAULTS = BulkOptions()
_NOTHING = {name: default for name, (_, default) in COLUMNS.items()}
_FIELDS_OF_EXAMPLE = {"file": str, "record": int, "line": int | None, "message": str, "excerpt": str}
# How many examples of each code and problem, per shard and in a report.
_MOST = 3


def analyze_shard(
    src: Shard | str | os.PathLike[str], dst: str | os.PathLike[str], *, options: BulkOptions = _DEFAULTS
) -> ShardReport:
    """Analyse the records of one shard and write a row for each.

    The rows are written to a file beside ``dst``, which takes the name ``dst`` once it is complete: there is a whole
    result or none, and two calls, even at once, give the same bytes. A broken record is a row as well.
    A few examples of what was found go to ``….examples.json`` beside ``dst``, before the rows.

    Args:
        src: a shard, or the path of a file that is one as a whole: JSONL, plain or in gzip, or Parquet.
        dst: the path of the result; its folder has to exist.
        options: what to read and what to write.

    Raises:
        OSError: ``src`` cannot be read or has changed since it was split, or ``dst`` cannot be written.
        BulkError: an extra is missing.
    """
    shard = src if isinstance(src, Shard) else whole(os.fspath(src))
    target = Path(dst)
    examples = Examples()
    counts: Counter[str] = Counter()
    with writing(target) as file:
        _write_rows(file, _analyze(shard, options, examples, counts), options.format)
        if stamp_of(shard.path) != shard.stamp:
            raise OSError(0, "the input has changed since it was split")
        size = file.tell()
        if not Path(file.name).exists():
            # A task that is no longer waited for must not replace what a new run writes here.
            raise OSError(0, "another run has begun to write here")
        with writing(_examples_of(target)) as beside:
            beside.write(examples.encode(size))
    return ShardReport(counts["records"], counts["problems"], counts["valid"])


def perform_task(task: BulkTask) -> ShardReport | str:
    """Carry out a task: its report, or in a sentence why there is none. This is what engines send to their workers."""
    try:
        return analyze_shard(task.src, task.dst, options=task.options)
    except Exception as error:  # the other shards continue
        return describe_error(error)


# ---------------------------------------------------------------- rows


def _analyze(shard: Shard, options: BulkOptions, examples: Examples, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """The rows of a shard, which are counted on the way."""
    read = parquet.read_groups if shard.kind == "parquet" else read_lines
    for record in read(shard, options):
        row = _make_row(record, shard.name, options, examples)
        counts["records"] += 1
        counts["problems"] += row["problem"] is not None
        counts["valid"] += row["valid"]
        yield row


def _make_row(record: InputRecord, name: str, options: BulkOptions, examples: Examples) -> dict[str, Any]:
    place = {"file": name, "record": record.number}
    row = {**_NOTHING, **place, "id": record.id}
    if record.text is not None:
        with record.hold_problems("analysis"):
            analysis = analyze_text(record.text, read=options.read, finish_reason=record.finish_reason)
            examples.add_findings(place, analysis)
            return row | analysis.to_row()
    problem, message = record.problem or "", record.message or ""
    examples.add(problem, {**place, "line": None}, message, record.excerpt.decode("utf-8", "replace"))
    return row | {"problem": problem, "message": message}


def _write_rows(file: BinaryIO, rows: Iterable[dict[str, Any]], form: str) -> None:
    if form == "parquet":
        parquet.write_rows(file, rows)
    else:
        file.writelines(map(encode_json, rows))


def read_rows(path: Path, form: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of a part, with at least these columns.

    Raises:
        OSError: it cannot be read, or is damaged.
    """
    if form == "parquet":
        yield from parquet.read_rows(str(path), columns)
        return
    with open(path, "rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                raise OSError(0, "the part is damaged") from None
            yield row


# ---------------------------------------------------------------- examples


@define
class Examples:
    """Examples by code and severity, or by kind of problem: the first few of each."""

    found: dict[str, list[dict[str, Any]]] = field(factory=dict)

    def add(self, kind: str, place: dict[str, Any], message: str, excerpt: str) -> None:
        """Take an example, if there is still room for one of its kind."""
        if len(self.of(kind)) < _MOST:
            example = {**place, "message": shorten(visible(message)), "excerpt": shorten(visible(excerpt))}
            self.found.setdefault(kind, []).append(example)

    def add_findings(self, place: dict[str, Any], analysis: Analysis) -> None:
        """Take those diagnostics of a record for which there is still room, one for each code and severity."""
        wanted = {_kind(found.code, found.severity): found for found in reversed(analysis.diagnostics)}
        for kind, found in wanted.items():
            if len(self.of(kind)) < _MOST:
                (located,) = analysis.locate([found])
                self.add(kind, {**place, "line": located.line}, located.message, located.source_line)

    def merge(self, others: dict[str, list[dict[str, Any]]]) -> None:
        """Take what another has found, as far as there is room."""
        for kind, examples in others.items():
            self.found[kind] = [*self.of(kind), *examples][:_MOST]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The examples of a kind of problem."""
        return self.found.get(kind, [])

    def of_code(self, code: str) -> list[dict[str, Any]]:
        """The examples of a code, those that weigh most first."""
        return [one for severity in Severity for one in self.of(_kind(code, severity))][:_MOST]

    def encode(self, size: int) -> bytes:
        """All of them as JSON, with the bytes that the part has which they are beside."""
        return encode_json({"part_bytes": size, "examples": self.found}, indent=1, sort_keys=True)


def _kind(code: str, severity: Severity) -> str:
    return f"{code} {severity.value}"


def _examples_of(part: Path) -> Path:
    return part.with_name(f"{part.stem}.examples.json")


def read_examples(part: Path) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """How many bytes a part has if it is whole, and its examples.

    Raises:
        OSError: they cannot be read.
        ValueError: they are damaged.
    """
    value = json.loads(_examples_of(part).read_bytes())
    try:
        size, found = int(value["part_bytes"]), value["examples"]
        examples = chain.from_iterable(found.values())
        is_whole = all(isinstance(one[name], kind) for one in examples for name, kind in _FIELDS_OF_EXAMPLE.items())
    except (AttributeError, KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise ValueError("these are not examples")
    return size, found
