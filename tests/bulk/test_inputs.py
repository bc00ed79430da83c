"""However a file is split, its records are the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark.bulk import BulkOptions, inputs
from planspec_lark.bulk.inputs import even, split, whole
from planspec_lark.bulk.records import read_lines
from tests.bulk.corpora import PLAN, line_of, write_corpus, write_parquet

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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "_BLOCK", block)
        shards = split(str(path), size)
    options = BulkOptions()
    assert b"".join(data[shard.start : shard.stop] for shard in shards) == data
    assert [shard.weight for shard in shards] == [shard.stop - shard.start for shard in shards]
    assert all(shard.weight >= even(len(data), size) for shard in shards[:-1])
    assert all(data[: shard.start].count(b"\n") == shard.first for shard in shards)
    together = [record for shard in shards for record in read_lines(shard, options)]
    assert together == list(read_lines(whole(str(path)), options))


def test_a_large_file_is_split_evenly(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "corpus.jsonl", 2000)
    shards = split(str(path), 100_000)
    assert len(shards) > 10
    assert max(shard.weight for shard in shards) < 200_000


def test_a_file_of_one_line_is_one_shard(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(line_of("x" * 5_000_000))
    assert len(split(str(path), 1000)) == 1


@pytest.mark.parametrize(("size", "count"), [(1, 10), (10**9, 1)])
def test_parquet_is_split_between_groups(tmp_path: Path, size: int, count: int) -> None:
    path = write_parquet(tmp_path / "corpus.parquet", [{"text": PLAN}] * 95, group=10)
    shards = split(str(path), size)
    assert len(shards) == count
    assert [shard.first for shard in shards] == [shard.start * 10 for shard in shards]
    assert shards[-1].stop == 10


def test_what_is_no_corpus(tmp_path: Path) -> None:
    for head, word in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh9", "bzip2"), (b"PK\x03\x04", "zip"), (b"\xfd7zXZ", "xz")):
        path = tmp_path / word
        path.write_bytes(head + bytes(20))
        with pytest.raises(OSError, match=f"packed with {word}"):
            split(str(path), 100)
    with pytest.raises(OSError, match="folder"):
        split(str(tmp_path), 100)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        split(str(tmp_path / "pipe"), 100)
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(50))
    with pytest.raises(OSError, match="not a Parquet that can be read"):
        split(str(tmp_path / "cut.parquet"), 100)


@pytest.mark.parametrize(
    ("size", "most", "expected"), [(0, 5, 1), (1, 5, 1), (5, 5, 5), (6, 5, 3), (100, 30, 25), (101, 1, 1)]
)
def test_pieces_are_even(size: int, most: int, expected: int) -> None:
    assert even(size, most) == expected
