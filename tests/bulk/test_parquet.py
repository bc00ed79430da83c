"""Parquet in and out."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet
import pytest

from planspec_lark.bulk import parquet
from planspec_lark.bulk.models import COLUMNS
from tests.bulk.corpora import IN_PROSE, PLAN, REFUSAL, analyze, line_of, read, write_corpus, write_parquet

ROWS: list[dict[str, Any]] = [
    {"text": PLAN, "id": 5},
    {"text": IN_PROSE, "id": None},
    {"text": None, "id": 7},
    {"text": REFUSAL, "id": 8},
]


def test_both_inputs_say_the_same(tmp_path: Path) -> None:
    texts = [row["text"] for row in ROWS if row["text"]]
    (tmp_path / "a").write_bytes(b"".join(map(line_of, texts)))
    write_parquet(tmp_path / "b", [{"text": text} for text in texts], group=2)
    lines, groups = analyze(tmp_path / "a"), analyze(tmp_path / "b")
    assert [{**row, "file": ""} for row in lines] == [{**row, "file": ""} for row in groups]


def test_both_outputs_say_the_same(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "corpus.jsonl", 120)
    assert analyze(path, id="id") == analyze(path, id="id", format="parquet")
    assert tuple(pyarrow.parquet.read_schema(tmp_path / "rows.parquet").names) == tuple(COLUMNS)
    assert tuple(read(tmp_path / "rows.jsonl")[0]) == tuple(COLUMNS)


def test_broken_rows(tmp_path: Path) -> None:
    rows = analyze(write_parquet(tmp_path / "corpus", ROWS, group=3), id="id", max_bytes=60)
    assert [(row["record"], row["id"], row["problem"]) for row in rows] == [
        (0, "5", "too-long"),
        (1, None, "too-long"),
        (2, "7", "not-text"),
        (3, "8", None),
    ]


def binary(kind: Any) -> Any:
    return pa.array([PLAN.encode(), b"caf\xe9", None], pa.binary()).cast(kind)


@pytest.mark.parametrize("kind", ["binary", "large_binary"])
def test_bytes_that_are_no_utf_8(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "corpus"
    pyarrow.parquet.write_table(pa.table({"text": binary(getattr(pa, kind)())}), path)
    rows = analyze(path)
    assert [row["problem"] for row in rows] == [None, "invalid-utf-8", "not-text"]
    assert rows[0]["valid"]
    assert "byte 3 of the text (0xe9)" in rows[1]["message"]


def test_strings_and_ids_that_are_no_utf_8(tmp_path: Path) -> None:
    """What other programs write into a column of strings is not always text."""
    raw = pa.array([PLAN.encode(), b"caf\xe9"], pa.binary())
    column = pa.StringArray.from_buffers(2, raw.buffers()[1], raw.buffers()[2])
    path = tmp_path / "corpus"
    pyarrow.parquet.write_table(pa.table({"text": column, "key": column}), path)
    rows = analyze(path, id="key")
    assert [row["problem"] for row in rows] == [None, "invalid-utf-8"]
    assert [row["id"] for row in rows] == [PLAN, "caf\\xe9"]


NANOSECONDS = pa.array([1_700_000_000_000_000_001], pa.timestamp("ns"))
DAYS = pa.array([19_000], pa.date32())


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (DAYS, "2022-01-08"),
        (pa.array([0], pa.timestamp("s", "UTC")), "1970-01-01 00:00:00+00:00"),
        (NANOSECONDS, "2023-11-14 22:13:20.000000001"),
        (pa.array([Decimal("1.50")]), "1.50"),
        (pa.array([b"a\xff\x00"]), "a\\xff\x00"),
        (pa.array([b"a\xff"], pa.binary(2)), "a\\xff"),
        (pa.array([UUID(int=5).bytes], pa.uuid()), "00000000-0000-0000-0000-000000000005"),
        (pa.array([1], pa.duration("s")), "0:00:01"),
        (
            pa.StructArray.from_arrays([DAYS, pa.array([b"\xff"])], ["day", "key"]),
            '{"day": "2022-01-08", "key": "\\\\xff"}',
        ),
        (pa.StructArray.from_arrays([NANOSECONDS], ["at"]), '{"at": "2023-11-14 22:13:20.000000001"}'),
        (pa.ListArray.from_arrays([0, 1], NANOSECONDS), '["2023-11-14 22:13:20.000000001"]'),
        (pa.array([1.5]), "1.5"),
        (pa.array([True]), "true"),
        (pa.nulls(1), None),
    ],
)
def test_ids_are_text(tmp_path: Path, ids: Any, expected: str | None) -> None:
    path = tmp_path / "corpus"
    pyarrow.parquet.write_table(pa.table({"text": pa.array([PLAN]), "key": ids}), path)
    (row,) = analyze(path, id="key")
    assert (row["problem"], row["id"]) == (None, expected)


def test_a_reader_that_fails_over_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(value: object) -> str:
        if value == 7:
            raise KeyError("why")
        return str(value)

    monkeypatch.setattr(parquet, "spell_id", fail)
    rows = analyze(write_parquet(tmp_path / "corpus", ROWS), id="id")
    assert [row["problem"] for row in rows] == [None, None, "internal", None]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), "binary")]
)
def test_kinds_of_text(tmp_path: Path, kind: Any) -> None:
    path = tmp_path / "corpus"
    array = pa.array([PLAN, REFUSAL, None, PLAN])
    array = array.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else array.cast(kind)
    pyarrow.parquet.write_table(pa.table({"text": array}), path)
    assert [(row["valid"], row["problem"]) for row in analyze(path)] == [
        (True, None),
        (False, None),
        (False, "not-text"),
        (True, None),
    ]


@pytest.mark.parametrize(
    ("column", "problem", "message"),
    [
        ("answer", "no-column", "there is no column answer, the columns are: number, list, text"),
        ("number", "not-text", "the column holds int64, not a text"),
        ("list", "not-text", "the column holds list<element: string>, not a text"),
    ],
)
def test_a_column_that_is_no_text(tmp_path: Path, column: str, problem: str, message: str) -> None:
    rows = [{"number": at, "list": ["a"], "text": "x"} for at in range(250)]
    found = analyze(write_parquet(tmp_path / "corpus", rows), text=column, id="number")
    assert {(row["problem"], row["message"]) for row in found} == {(problem, message)}
    assert [row["record"] for row in found] == list(range(250))
    assert [row["id"] for row in found] == [str(at) for at in range(250)]
    assert [row["record"] for row in analyze(tmp_path / "corpus", text=column)] == list(range(250))


def test_no_rows(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "corpus", [], schema=pa.schema([("text", pa.string())]))
    assert analyze(path) == []
    (tmp_path / "empty.jsonl").touch()
    assert analyze(tmp_path / "empty.jsonl", format="parquet") == []


def test_damaged_data_cost_the_rest_of_their_row_group(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "corpus", [{"text": f"{PLAN}{at}"} for at in range(500)])
    start = pyarrow.parquet.ParquetFile(path).metadata.row_group(1).column(0).dictionary_page_offset
    data = bytearray(path.read_bytes())
    data[start + 40 : start + 140] = bytes(100)
    path.write_bytes(data)
    rows = analyze(path)
    assert [row["record"] for row in rows] == [*range(101), *range(200, 500)]
    assert [row["record"] for row in rows if row["problem"]] == [100]
    assert rows[100]["problem"] == "damaged"
    assert rows[100]["message"].startswith("100 records, this one and the next ones, are lost")


@pytest.mark.parametrize(("size", "count", "most"), [(2_000_000, 50, 50_000_000), (300_000, 200, 35_000_000)])
def test_what_is_held_at_once_is_bounded(tmp_path: Path, size: int, count: int, most: int) -> None:
    """A row group may be as large as its file, and its texts too long: a few of them are decoded at a time.

    Where most texts are short, nothing tells of the long ones beforehand, so batches are never large.
    """
    short = [] if size > 1_000_000 else [{"text": "x"}] * 5000
    path = write_parquet(
        tmp_path / "corpus", [{"text": f"{at}" + "x" * size} for at in range(count)] + short, group=9999
    )
    tracemalloc.start()
    try:
        assert {row["problem"] for row in analyze(path, max_bytes=1000)} == {"too-long", *(None for _ in short)}
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("size", "most"), [(1, 64), (100, 19), (5000, 1)])
def test_records_are_decoded_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, most: int
) -> None:
    """Fewer of them where texts are long."""
    decoded: list[int] = []
    texts_of = parquet._texts

    def count(column: Any) -> Any:
        decoded.append(len(column))
        return texts_of(column)

    monkeypatch.setattr(parquet, "_texts", count)
    monkeypatch.setattr(parquet, "_BATCH_BYTES", 2000)
    rows = [{"text": chr(0x4E00 + at) if size == 1 else f"{at:0{size}}"} for at in range(200)]
    assert len(analyze(write_parquet(tmp_path / "corpus", rows, group=200))) == 200
    assert sum(decoded) == 200
    assert most - 3 <= max(decoded) <= most


def test_rows_are_written_in_groups_of_limited_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_GROUP", 10)
    monkeypatch.setattr(parquet, "_BATCH_BYTES", 1000)

    def sizes(canonical: list[str | None]) -> list[int]:
        with (tmp_path / "rows").open("wb") as file:
            parquet.write_rows(file, [{"canonical": text} for text in canonical])
        return [size for size, _ in parquet.sizes_of_groups(str(tmp_path / "rows"))]

    assert sizes([None] * 25) == [10, 10, 5]
    assert sizes(["x" * 400] * 7) == [3, 3, 1]
    assert sizes([]) == []


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_why_a_model_stopped(tmp_path: Path, kind: Any) -> None:
    schema = pa.schema([("text", pa.string()), ("finish_reason", kind)])
    given = [{"text": PLAN, "finish_reason": reason} for reason in ("stop", "length", None)]
    path = write_parquet(tmp_path / "corpus", given, schema=schema)
    assert [row["truncated"] for row in analyze(path)] == [False, True, False]
    # The text itself may say so, and a column of another kind says nothing.
    assert not any(row["truncated"] for row in analyze(path, finish_reason="text"))
    numbers = write_parquet(tmp_path / "numbers", [{"text": PLAN, "finish_reason": 1}])
    assert [row["truncated"] for row in analyze(numbers)] == [False]
