"""`planspec bulk`."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.bulk.corpora import IN_PROSE, REFUSAL, REPAIRED, line_of, rows_of
from tests.cli.running import BROKEN, PLAN, call, harmless, on_terminal, run
from tests.cli.test_process import ENCODINGS


@pytest.fixture(autouse=True)
def corpus(here: Path) -> Path:
    path = here / "corpus.jsonl"
    texts = [PLAN, IN_PROSE, REPAIRED, REFUSAL, BROKEN]
    path.write_bytes(b"".join(line_of(text, id=at) for at, text in enumerate(texts)) + b'{"text": "Goal\n[]\n')
    return path


@pytest.mark.parametrize("read", ["scan", "strict"])
def test_report(read: str, snapshot: SnapshotAssertion) -> None:
    result = run("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1", "--read", read)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == snapshot
    assert len(rows_of(Path("out"))) == 7


def test_rows(snapshot: SnapshotAssertion) -> None:
    run("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1", "--id", "id")
    assert Path("out/part-00000-00000.jsonl").read_text(encoding="utf-8") == snapshot


def test_parquet() -> None:
    assert run("bulk", "corpus.jsonl", "--out", "a", "--jobs", "1", "--format", "parquet").exit_code == 0
    assert run("bulk", "corpus.jsonl", "--out", "b", "--jobs", "1").exit_code == 0
    assert rows_of(Path("a")) == rows_of(Path("b"))


def test_the_column_of_the_text() -> None:
    Path("c.jsonl").write_text(json.dumps({"answer": PLAN, "text": "x"}) + "\n")
    run("bulk", "c.jsonl", "--out", "out", "--jobs", "1", "--text", "answer")
    assert [row["valid"] for row in rows_of(Path("out"))] == [True]


def test_a_column_that_no_record_has() -> None:
    Path("c.jsonl").write_text('{"answer": "x"}\n' * 3)
    warning = "\nwarning: no record has the column of the text: name it with --text\n"
    result = run("bulk", "c.jsonl", "--out", "out", "--jobs", "1")
    assert result.exit_code == 0
    assert warning in result.stdout
    Path("d.jsonl").write_text('{"text": "x"}\n')
    Path("empty.jsonl").touch()
    for at, inputs in enumerate((["c.jsonl", "d.jsonl"], ["d.jsonl"], ["empty.jsonl"])):
        assert "warning" not in run("bulk", *inputs, "--out", f"out{at}", "--jobs", "1").stdout


def test_a_second_call_does_what_is_missing() -> None:
    arguments = ("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1", "--shard-bytes", "100")
    first = run(*arguments)
    parts = sorted(Path("out").glob("part-*.jsonl"))
    times = {part: part.stat().st_mtime_ns for part in parts}
    parts[1].unlink()
    assert run(*arguments).stdout == first.stdout
    assert [part.stat().st_mtime_ns == times[part] for part in parts] == [True, False, *[True] * (len(parts) - 2)]


def test_another_run_is_in_the_way() -> None:
    run("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1")
    result = run("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1", "--read", "strict")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: out: the run in this folder differs in read; take another folder, or --overwrite to start again\n"
    )
    assert run("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1", "--read", "strict", "--overwrite").exit_code == 0


def test_an_unreadable_input_fails_at_the_end() -> None:
    result = run("bulk", "missing.jsonl", "corpus.jsonl", ".", "--out", "out/deep", "--jobs", "1")
    assert result.exit_code == 2
    assert result.stdout.startswith("7 records of 3 files in 1 shard: 5 read, 2 broken\n")
    assert result.stdout.endswith("\nfailed: missing.jsonl: No such file or directory\nfailed: .: this is a folder\n")


def test_a_damaged_input_is_no_success() -> None:
    packed = gzip.compress(Path("corpus.jsonl").read_bytes())
    Path("whole.gz").write_bytes(packed)
    Path("cut.gz").write_bytes(packed[:-20])
    assert run("bulk", "whole.gz", "--out", "whole", "--jobs", "1").exit_code == 0
    for _ in range(2):
        done = run("bulk", "whole.gz", "cut.gz", "--out", "out", "--jobs", "1")
        assert (done.exit_code, done.stderr) == (2, "Records are lost: the inputs are damaged in 1 place\n")
        assert "\ndamaged: 1 record\n  cut.gz, record " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "--out", "out"], "Standard input cannot be taken up again"),
        (["corpus.jsonl"], "Missing option '--out'"),
        (["--out", "out"], "Missing argument 'INPUT...'"),
        (["corpus.jsonl", "--out", "out", "--engine", "dask"], "--engine dask and --address belong together"),
        (["corpus.jsonl", "--out", "out", "--address", "tcp://x:1"], "--engine dask and --address belong together"),
        (["c", "--out", "o", "--engine", "dask", "--address", "tcp://x:1", "--jobs", "2"], "--jobs is for the engine"),
        (["corpus.jsonl", "--out", "out", "--jobs", "0"], "'--jobs'"),
        (["corpus.jsonl", "--out", "out", "--max-bytes", "0"], "'--max-bytes'"),
        (["corpus.jsonl", "--out", "out", "--max-bytes", str(1 << 63)], "'--max-bytes'"),
        (["corpus.jsonl", "--out", "out", "--shard-bytes", str(1 << 63)], "'--shard-bytes'"),
        (["corpus.jsonl", "--out", "out", "--text", ""], "text must not be empty"),
        (["corpus.jsonl", "--out", "out", "--format", "csv"], "'--format'"),
    ],
)
def test_usage(here: Path, arguments: list[str], message: str) -> None:
    result = call("bulk", *arguments)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert b"Traceback" not in result.stderr
    assert not (here / "out").exists()


def without(package: str) -> str:
    return f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Missing())
"""


@pytest.mark.parametrize(
    ("package", "arguments", "message"),
    [
        ("pyarrow", ["--format", "parquet"], "Parquet needs the extra `bulk`: pip install 'planspec-lark[bulk]'"),
        (
            "distributed",
            ["--engine", "dask", "--address", "tcp://localhost:1"],
            "a cluster of Dask needs the extra `cluster`: pip install 'planspec-lark[cluster]'",
        ),
    ],
)
def test_without_an_extra(package: str, arguments: list[str], message: str) -> None:
    result = call("bulk", "corpus.jsonl", "--out", "out", *arguments, before=without(package))
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode() == f"Error: {message}\n"
    assert call("bulk", "corpus.jsonl", "--out", "plain", before=without(package)).returncode == 0


def test_a_parquet_input_without_the_extra(here: Path) -> None:
    (here / "table").write_bytes(b"PAR1")
    result = call("bulk", "table", "--out", "out", before=without("pyarrow"))
    assert result.returncode == 2
    assert result.stderr == b"Error: Parquet needs the extra `bulk`: pip install 'planspec-lark[bulk]'\n"


def test_what_a_stranger_wrote_does_not_reach_the_terminal(here: Path) -> None:
    evil = "\x1b[31m\u202e[bold]\x07"
    (here / "evil.jsonl").write_bytes(
        line_of(f"Goal: x\n## Steps\n1. [{evil}] x\n1. {evil}\n{evil}", id=evil)
        + json.dumps({evil: evil}).encode()
        + b"\n"
        + evil.encode()
        + b"\n"
    )
    name = "evil\x1b[2J.jsonl"
    (here / "evil.jsonl").rename(here / name)
    result = call("bulk", name, "missing\x1b[2J", "--out", "out", "--id", "id", "--text", "text")
    assert result.returncode == 2
    harmless(result.stdout + result.stderr, colours=False)
    harmless(on_terminal("bulk", name, "--out", "out2", "--no-progress"), colours=False)
    for path in Path("out").glob("*.*"):
        harmless(path.read_bytes(), colours=False)


def test_progress_on_a_terminal_only() -> None:
    shown = on_terminal("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1").decode()
    assert re.search(r"1/1 shards.*100%.*records/s", shown)
    assert "shards ━" not in on_terminal("bulk", "corpus.jsonl", "--out", "b", "--no-progress").decode()
    assert call("bulk", "corpus.jsonl", "--out", "c").stderr == b""
    assert b"1/1 shards" in call("bulk", "corpus.jsonl", "--out", "d", "--progress").stderr


@pytest.mark.parametrize("env", ENCODINGS.values(), ids=ENCODINGS)
def test_no_encoding_is_too_small(here: Path, env: dict[str, str]) -> None:
    (here / "corpus.jsonl").rename("中.jsonl")
    result = call("bulk", "中.jsonl", "没有", "--out", "出", env=env)
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr, result.stderr
    assert {row["file"] for row in rows_of(here / "出")} == {"中.jsonl"}
    assert b"Traceback" not in on_terminal("bulk", "中.jsonl", "--out", "b", env=env)


def test_the_canonical_text_is_what_fmt_writes() -> None:
    run("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1")
    assert rows_of(Path("out"))[0]["canonical"] == run("fmt", "-", stdin=PLAN).stdout
