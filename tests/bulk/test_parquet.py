"""Parquet in and out."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from planspec_lark.bulk import BulkError, BulkOptions, run_bulk
from planspec_lark.bulk.models import COLUMNS
from planspec_lark.bulk.shard import split
from tests.bulk.corpora import IN_PROSE, PLAN, REFUSAL, analyze, line_of, read, write_corpus, write_parquet


def test_both_inputs_say_the_same(tmp_path: Path) -> None:
    texts = [PLAN, IN_PROSE, REFUSAL]
    (tmp_path / "a").write_bytes(b"".join(line_of(text, finish_reason="length") for text in texts))
    write_parquet(tmp_path / "b", [{"text": text, "finish_reason": "length"} for text in texts], group=2)
    lines, groups = analyze(tmp_path / "a"), analyze(tmp_path / "b")
    assert [{**row, "file": ""} for row in lines] == [{**row, "file": ""} for row in groups]


def test_both_outputs_say_the_same(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "corpus.jsonl", 120)
    lines = analyze(path, id="id")
    assert tuple(lines[0]) == tuple(COLUMNS)
    assert analyze(path, id="id", format="parquet") == lines
    (part,) = (tmp_path / "out").glob("*.parquet")
    assert tuple(pyarrow.parquet.read_schema(part).names) == tuple(COLUMNS)
    assert len(read(part)) == 120


def table(path: Path, **columns: Any) -> Path:
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


BYTES = pa.array([PLAN.encode(), b"caf\xe9", None, b"x" * 100], pa.binary())


@pytest.mark.parametrize("kind", ["binary", "large_binary", "string"])
def test_broken_rows(tmp_path: Path, kind: str) -> None:
    """What other programs write into a column of strings is not always text."""
    texts = pa.StringArray.from_buffers(4, *BYTES.buffers()[1:3], BYTES.buffers()[0], BYTES.null_count)
    texts = texts if kind == "string" else BYTES.cast(getattr(pa, kind)())
    rows = analyze(table(tmp_path / "corpus", text=texts, key=pa.array([5, None, 7, 8])), id="key", max_bytes=99)
    assert [(row["record"], row["id"], row["problem"]) for row in rows] == [
        (0, "5", None),
        (1, None, "no-text"),
        (2, "7", "no-text"),
        (3, "8", "too-long"),
    ]
    assert rows[0]["verdict"] == "accepted"
    assert "can't decode byte 0xe9" in rows[1]["message"]


@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_kinds_of_text(tmp_path: Path, kind: Any) -> None:
    array = pa.array([PLAN, REFUSAL, None, PLAN])
    array = array.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else array.cast(kind)
    rows = analyze(table(tmp_path / "corpus", text=array, finish_reason=array), id="text")
    assert [row["verdict"] for row in rows] == ["accepted", "refused", None, "accepted"]
    assert [row["id"] for row in rows] == [PLAN, REFUSAL, None, PLAN]


@pytest.mark.parametrize("column", ["number", "list"])
def test_a_column_that_cannot_be_a_text(tmp_path: Path, column: str) -> None:
    path = table(tmp_path / "corpus", number=pa.array([1]), list=pa.array([["a"]]))
    report = run_bulk([path], tmp_path / "out", options=BulkOptions(column), jobs=1)
    assert "Unsupported cast" in report.failed["part-00000-00000.jsonl"]


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = table(tmp_path / "corpus", answer=pa.array(["x"]))
    with pytest.raises(BulkError, match="corpus: there is no column text, only: answer"):
        analyze(path)


def test_no_rows(tmp_path: Path) -> None:
    assert analyze(write_parquet(tmp_path / "corpus", [], schema=pa.schema([("text", pa.string())]))) == []
    (tmp_path / "empty.jsonl").touch()
    assert analyze(tmp_path / "empty.jsonl", format="parquet") == []


def test_shards_are_whole_row_groups(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "corpus", [{"text": f"{at}"} for at in range(95)], group=10)
    pieces = split(str(path), BulkOptions(shard_bytes=1))
    assert [(piece.start, piece.stop, piece.first) for piece in pieces] == [(at, at + 1, at * 10) for at in range(10)]
    assert len(split(str(path), BulkOptions())) == 1
    rows = analyze(path, shard_bytes=1)
    assert [row["record"] for row in rows] == list(range(95))
    assert rows == analyze(path)


def test_damaged_data_fail_their_shard_only(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "corpus", [{"text": f"{PLAN}{at}"} for at in range(500)])
    start = pyarrow.parquet.ParquetFile(path).metadata.row_group(1).column(0).dictionary_page_offset
    data = bytearray(path.read_bytes())
    data[start + 40 : start + 140] = bytes(100)
    path.write_bytes(data)
    report = run_bulk([path], tmp_path / "out", options=BulkOptions(shard_bytes=1), jobs=1)
    assert (report.records, list(report.failed)) == (400, ["part-00000-00001.jsonl"])


def test_what_is_held_at_once_is_bounded(tmp_path: Path) -> None:
    """A row group may be as large as its file, and its texts too long: a few of them are decoded at a time."""
    path = write_parquet(tmp_path / "corpus", [{"text": f"{at}" + "x" * 2_000_000} for at in range(50)], group=9999)
    tracemalloc.start()
    try:
        assert {row["problem"] for row in analyze(path, max_bytes=1000)} == {"too-long"}
        assert tracemalloc.get_traced_memory()[1] < 75_000_000
    finally:
        tracemalloc.stop()
