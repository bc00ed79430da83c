"""A broken record is a row, never a stop."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.bulk import BulkOptions, records
from tests.bulk.corpora import PLAN, analyze, line_of

GOOD = line_of(PLAN, id="a")


def kinds(rows: list[dict[str, Any]]) -> list[tuple[int, str | None]]:
    return [(row["record"], row["problem"]) for row in rows]


@pytest.mark.parametrize(
    ("line", "problem", "message"),
    [
        (b'{"text": "Goal', "not-json", "Unterminated string starting at, at column 10"),
        (b"text", "not-json", "Expecting value, at column 1"),
        (GOOD[:-1] + GOOD[:-1], "not-json", "Extra data"),
        (b"\x00\x01\x02", "not-json", "Expecting value"),
        (b'{"text": "a\x0bb"}', "not-json", "Invalid control character"),
        (b"[" * 100_000, "not-json", "it is nested too deeply"),
        (b"1" * 10_000, "not-json", "integer string conversion"),
        (b"[1]", "not-an-object", "the line holds a list, not an object"),
        (b"null", "not-an-object", "the line holds null"),
        (b'"text"', "not-an-object", "the line holds a text"),
        (b"true", "not-an-object", "the line holds a truth value"),
        (b"1.5", "not-an-object", "the line holds a number"),
        (b"{}", "no-column", "there is no column text, the columns are: none"),
        (b'{"answer": "x", "\\u001b[2J": 1}', "no-column", r"the columns are: answer, \x1b[2J"),
        (b'{"text": null}', "not-text", "the column holds null, not a text"),
        (b'{"text": {"a": 1}}', "not-text", "the column holds an object"),
        (b'{"text": ["a"]}', "not-text", "the column holds a list"),
        (b'{"text": 5}', "not-text", "the column holds a number"),
        (b'{"text": "caf\xe9"}', "invalid-utf-8", "byte 13 of the line (0xe9) is not UTF-8"),
        ("\ufeff".encode("utf-16"), "invalid-utf-8", "byte 0 of the line"),
        (b'{"text": "' + b"x" * 200_000 + b'"}', "too-long", "the line has more than 150000 bytes"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_broken_line(tmp_path: Path, line: bytes, problem: str, message: str, packed: bool) -> None:
    path = tmp_path / "corpus"
    data = GOOD + line + b"\n" + GOOD
    path.write_bytes(gzip.compress(data) if packed else data)
    rows = analyze(path, max_bytes=150_000)
    assert kinds(rows) == [(0, None), (1, problem), (2, None)]
    assert message in rows[1]["message"]
    assert [row["valid"] for row in rows] == [True, False, True]
    assert rows[1] | {"record": 0, "problem": None, "message": None} == {
        **dict.fromkeys(("problem", "message", "id", "verdict", "canonical")),
        **dict.fromkeys(("record", "score", "steps", "depth", "errors", "warnings", "infos"), 0),
        **{name: [] for name in ("codes", "counts", "severities")},
        "file": str(path),
        "parsed": False,
        "truncated": False,
        "valid": False,
    }
    (example,) = json.loads((tmp_path / "rows.examples.json").read_bytes())["examples"][problem]
    assert example["record"] == 1
    assert len(example["excerpt"]) < 1500


def test_the_first_examples_of_a_problem_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(b"[]\n" * 5)
    analyze(path)
    examples = json.loads((tmp_path / "rows.examples.json").read_bytes())["examples"]["not-an-object"]
    assert [example["record"] for example in examples] == [0, 1, 2]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n\n", []),
        (b" \r\n", []),
        (GOOD[:-1], [(0, None)]),
        (GOOD[:-1] + b"\r\n" + GOOD, [(0, None), (1, None)]),
        (b"\n" + GOOD + b" \n" + GOOD, [(1, None), (3, None)]),
        (b"\xef\xbb\xbf" + GOOD, [(0, None)]),
        (GOOD + b"\xef\xbb\xbf" + GOOD, [(0, None), (1, "not-json")]),
        (GOOD[:40], [(0, "not-json")]),
    ],
)
def test_line_ends(tmp_path: Path, data: bytes, expected: list[tuple[int, str | None]]) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(data)
    assert kinds(analyze(path)) == expected
    path.write_bytes(gzip.compress(data))
    assert kinds(analyze(path)) == expected


def test_other_line_breaks_are_text(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(line_of(f"Goal: a\u2028b\u0085c\n{PLAN[PLAN.index('## Steps') :]}") * 2)
    rows = analyze(path)
    assert kinds(rows) == [(0, None), (1, None)]
    assert rows[0]["canonical"].startswith("Goal: a\u2028b\u0085c\n")


@pytest.mark.parametrize("size", [99, 100, 101])
def test_the_longest_line(tmp_path: Path, size: int) -> None:
    line = line_of("x" * (size - len(line_of("")) + 1))
    assert len(line) == size + 1
    path = tmp_path / "corpus.jsonl"
    for data in (line + line, line[:-1]):
        path.write_bytes(data)
        expected = None if size <= 100 else "too-long"
        assert {row["problem"] for row in analyze(path, max_bytes=100)} == {expected}


def test_a_line_without_end_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(gzip.compress(b"\n".join([GOOD, b'{"text": "' + b"x" * 50_000_000, GOOD])))
    tracemalloc.start()
    try:
        assert kinds(analyze(path)) == [(0, None), (2, "too-long"), (3, None)]
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", "a"),
        ("中", "中"),
        (17, "17"),
        (1.5, "1.5"),
        (True, "true"),
        ([1, "ü"], '[1, "ü"]'),
        (None, None),
        ("\ud800", "\\ud800"),
    ],
)
def test_ids_are_text(tmp_path: Path, value: object, expected: str | None) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"text": PLAN, "key": value}) + '\n{"text": "x"}\n{"key": 5}\n')
    assert [row["id"] for row in analyze(path, id="key")] == [expected, None, "5"]
    assert [row["id"] for row in analyze(path)] == [None] * 3


def test_ids_that_are_nested_deeply(tmp_path: Path) -> None:
    """What can just be read cannot always be written again."""
    path = tmp_path / "corpus.jsonl"
    deep = (b'{"text": "x", "id": ' + b"[" * depth + b"]" * depth + b"}\n" for depth in range(500, 1100))
    path.write_bytes(GOOD + b"".join(deep) + GOOD)
    rows = analyze(path, id="id")
    assert [row["record"] for row in rows] == list(range(602))
    assert (rows[0]["problem"], rows[-1]["problem"]) == (None, None)
    assert {row["message"] for row in rows if row["problem"]} <= {"it is nested too deeply"}


def test_a_reader_that_fails_over_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of this package costs one record; what the machine lacks is nothing that a row could tell."""
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(GOOD * 3)

    def fail(error: Exception) -> None:
        def take(record: records.InputRecord, value: object, options: BulkOptions) -> None:
            if record.number == 1:
                raise error
            take_columns(record, value, options)

        monkeypatch.setattr(records, "_take_columns", take)

    take_columns = records._take_columns
    fail(KeyError("why"))
    rows = analyze(path)
    assert kinds(rows) == [(0, None), (1, "internal"), (2, None)]
    assert rows[1]["message"] == "the reader failed: KeyError: 'why'"
    for error in (MemoryError(), OSError(5, "no disk")):
        fail(error)
        with pytest.raises(type(error)):
            analyze(path)


def test_a_text_with_lone_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"text": "Goal: \udc80\n## Steps\n1. [act] x\n"}) + "\n")
    for form in ("jsonl", "parquet"):
        (row,) = analyze(path, format=form)
        assert "PS102" in row["codes"]


# ---------------------------------------------------------------- gzip


def test_gzip_cut_off_anywhere(tmp_path: Path) -> None:
    """What stands before the cut are rows; then one row tells of the cut."""
    lines = [line_of(f"{PLAN}3. [act] {at * 7919}\n") for at in range(300)]
    packed = gzip.compress(b"".join(lines))
    path = tmp_path / "corpus.gz"
    seen = []
    for cut in range(30, len(packed) - 1, len(packed) // 20):
        path.write_bytes(packed[:cut])
        rows = analyze(path)
        assert rows[-1]["problem"] == "damaged"
        assert all(row["valid"] for row in rows[:-1])
        assert [row["record"] for row in rows] == list(range(len(rows)))
        seen.append(len(rows))
    assert seen == sorted(seen)
    assert seen[-1] > 200


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(GOOD * 5000))
    path = tmp_path / "corpus.gz"
    path.write_bytes(bytes(packed[:-8]) + bytes(8))
    rows = analyze(path)
    assert kinds(rows[-1:]) == [(5000, "damaged")]
    assert "CRC check failed" in rows[-1]["message"]
    packed[20:24] = b"\xff\xff\xff\xff"
    path.write_bytes(packed)
    assert analyze(path)[-1]["problem"] == "damaged"


def test_gzip_of_several_members(tmp_path: Path) -> None:
    path = tmp_path / "corpus.gz"
    path.write_bytes(gzip.compress(GOOD) + gzip.compress(b"") + gzip.compress(GOOD))
    assert kinds(analyze(path)) == [(0, None), (1, None)]
    path.write_bytes(gzip.compress(GOOD) + b"garbage")
    assert kinds(analyze(path)) == [(0, None), (1, "damaged")]


UNENDED = GOOD[:-1]
BAD_SUM = bytes(8)


@pytest.mark.parametrize(
    ("packed", "expected"),
    [
        (gzip.compress(GOOD + UNENDED) + b"garbage", [None, None, "damaged"]),
        (gzip.compress(GOOD + UNENDED)[:-8] + BAD_SUM, [None, None, "damaged"]),
        (gzip.compress(GOOD + UNENDED)[:-4], [None, None, "damaged"]),
        (gzip.compress(GOOD + GOOD) + b"garbage", [None, None, "damaged"]),
        # The line as it was written is broken, and the damage comes after it.
        (gzip.compress(GOOD + GOOD[:30]) + b"garbage", [None, "not-json", "damaged"]),
        (gzip.compress(GOOD + b'{"text": 5}')[:-8] + BAD_SUM, [None, "not-text", "damaged"]),
        # It is not known how the line continued.
        (gzip.compress(GOOD + UNENDED, 0)[:-10], [None, "damaged"]),
        (gzip.compress(GOOD + b"12345", 0)[:-10], [None, "damaged"]),
    ],
)
def test_damage_behind_a_last_line_without_end(tmp_path: Path, packed: bytes, expected: list[str | None]) -> None:
    path = tmp_path / "corpus.gz"
    path.write_bytes(packed)
    assert kinds(analyze(path)) == list(enumerate(expected))


@pytest.mark.parametrize("column", ["finish_reason", "stop_reason"])
def test_why_a_model_stopped(tmp_path: Path, column: str) -> None:
    reasons = ["stop", "length", "max_tokens", None, 5, ["length"], {"length": 1}]
    lines = [line_of(PLAN), *(line_of(PLAN, **{column: reason}) for reason in reasons)]
    (tmp_path / "corpus").write_bytes(b"".join(lines))
    rows = analyze(tmp_path / "corpus", finish_reason=column)
    assert [row["truncated"] for row in rows] == [False, False, True, True, False, False, False, False]
    assert [row["valid"] for row in rows] == [not row["truncated"] for row in rows]
    assert {row["problem"] for row in rows} == {None}
    assert not any(row["truncated"] for row in analyze(tmp_path / "corpus", finish_reason="other"))
