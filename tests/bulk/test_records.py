"""A broken record is a row, never a stop."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark.bulk import BulkOptions, analysis, records, run_bulk, shard as shards
from planspec_lark.bulk.records import read_lines
from planspec_lark.bulk.shard import split
from tests.bulk.corpora import PLAN, analyze, line_of

GOOD = line_of(PLAN, id="a")


def kinds(rows: list[dict[str, Any]]) -> list[tuple[int, str | None]]:
    return [(row["record"], row["problem"]) for row in rows]


@pytest.mark.parametrize(
    ("line", "problem", "message"),
    [
        (b'{"text": "Goal', "not-json", "Unterminated string starting at: line 1 column 10"),
        (b"text", "not-json", "Expecting value: line 1 column 1"),
        (GOOD[:-1] + GOOD[:-1], "not-json", "Extra data"),
        (b"\x00\x01\x02", "not-json", ""),
        (b"[" * 100_000, "not-json", "it is nested too deeply"),
        (b"1" * 10_000, "not-json", "integer string conversion"),
        (b"[1]", "not-json", "it is no object"),
        (b"null", "not-json", "it is no object"),
        (b'{"text": "caf\xe9"}', "not-json", "can't decode byte 0xe9 in position 13"),
        (b"{}", "no-text", "there is no text in the column text, only: "),
        (b'{"answer": "x", "\\u001b[2J": 1}', "no-text", r"only: answer, \x1b[2J"),
        (b'{"text": null}', "no-text", "there is no text in the column text"),
        (b'{"text": 5}', "no-text", "there is no text in the column text"),
        (b'{"text": "' + b"x" * 200_000 + b'"}', "too-long", "it has more than 150,000 bytes"),
    ],
)
def test_a_broken_line(tmp_path: Path, line: bytes, problem: str, message: str) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(GOOD + line + b"\n" + GOOD)
    rows = analyze(path, max_bytes=150_000)
    assert kinds(rows) == [(0, None), (1, problem), (2, None)]
    assert message in rows[1]["message"]
    assert {value for name, value in rows[1].items() if name not in {"file", "record", "problem", "message"}} == {None}
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    (shown,) = report["problems"][problem]["examples"]
    assert shown["record"] == 1
    assert len(shown["message"]) < 300


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
        (GOOD[:40], [(0, "not-json")]),
        (line_of("\u2028\u0085") * 2, [(0, None), (1, None)]),
    ],
)
def test_line_ends(tmp_path: Path, data: bytes, expected: list[tuple[int, str | None]]) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(data)
    assert kinds(analyze(path)) == expected


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
    path.write_bytes(b"\n".join([GOOD[:-1], b'{"text": "' + b"x" * 50_000_000, GOOD]))
    tracemalloc.start()
    try:
        assert kinds(analyze(path)) == [(0, None), (1, "too-long"), (2, None)]
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_ids_are_text(tmp_path: Path) -> None:
    values = {"a": "a", "中": "中", 17: "17", True: "true", (1, "ü"): '[1, "ü"]', None: None, "\ud800": "\\ud800"}
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": PLAN, "key": value}) + "\n" for value in values) + '{"key": 5}\n')
    for form in ("jsonl", "parquet"):
        assert [row["id"] for row in analyze(path, id="key", format=form)] == [*values.values(), "5"]
    assert {row["id"] for row in analyze(path)} == {None}


def test_an_analysis_that_fails_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of this package costs one record; what the machine lacks is nothing that a row could tell."""
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(GOOD + line_of("fail") + GOOD)
    analyze_text = analysis.analyze_text

    def fail(error: Exception) -> None:
        def analyze(text: str, **how: Any) -> object:
            if text == "fail":
                raise error
            return analyze_text(text, **how)

        monkeypatch.setattr(shards, "analyze_text", analyze)

    fail(KeyError("\x1b[2J"))
    rows = analyze(path)
    assert kinds(rows) == [(0, None), (1, "internal"), (2, None)]
    assert rows[1]["message"] == r"KeyError: '\x1b[2J'"
    for error in (MemoryError("none is left"), OSError(5, "no disk")):
        fail(error)
        report = run_bulk([path], tmp_path / f"out of {error}", jobs=1)
        assert report.failed == {"part-00000-00000.jsonl": f"{path}: {error.args[-1]}"}


def test_why_a_model_stopped(tmp_path: Path) -> None:
    reasons = ["stop", "length", "max_tokens", None, 5, ["length"]]
    path = tmp_path / "corpus"
    path.write_bytes(b"".join([line_of(PLAN), *(line_of(PLAN, finish_reason=reason) for reason in reasons)]))
    assert [row["truncated"] for row in analyze(path)] == [False, False, True, True, False, False, False]
    assert not any(row["truncated"] for row in analyze(path, finish_reason="other"))


LINES = st.lists(st.sampled_from([b"\n", b'{"text": "a"}\n', b"x" * 30 + b"\n", b"\r\n", b"\xff\n"]), max_size=30)


@given(LINES, st.sampled_from([b"", b"x", b'{"text": "b"}']), st.integers(1, 100), st.integers(1, 50))
@example([b"\n"] * 5, b"", 1, 1)
@example([b"x" * 30 + b"\n"] * 5, b"", 31, 31)
def test_shards_put_together_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bytes, size: int, block: int
) -> None:
    path = tmp_path_factory.mktemp("split") / "corpus.jsonl"
    data = b"".join(lines) + end
    path.write_bytes(data)
    options = BulkOptions(max_bytes=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_BLOCK", block)
        pieces = split(str(path), BulkOptions(shard_bytes=size))
        together = [record for piece in pieces for record in read_lines(piece, options)]
    assert b"".join(data[piece.start : piece.stop] for piece in pieces) == data
    assert all(piece.stop - piece.start >= size for piece in pieces[:-1])
    assert all(data[: piece.start].count(b"\n") == piece.first for piece in pieces)
    (whole,) = split(str(path), BulkOptions(shard_bytes=10**9))
    assert together == list(read_lines(whole, options))
