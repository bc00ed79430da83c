"""`planspec bulk`."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.bulk.corpora import IN_PROSE, REFUSAL, REPAIRED, line_of, write_parquet
from tests.cli.running import BROKEN, PLAN, call, harmless, on_terminal, run
from tests.cli.terminals import undrawn


@pytest.fixture(autouse=True)
def corpus(here: Path) -> None:
    texts = [PLAN, IN_PROSE, REPAIRED, REFUSAL, BROKEN]
    lines = b"".join(line_of(text, id=at) for at, text in enumerate(texts)) + b'{"text": "Goal\n[]\n'
    (here / "corpus.jsonl").write_bytes(lines)
    (here / "answers.jsonl").write_text(json.dumps({"answer": PLAN, "text": "x", "why": "length"}) + "\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("corpus.jsonl --id id", 0),
        ("corpus.jsonl --shard-bytes 100 --max-bytes 300", 0),
        ("answers.jsonl --text answer --finish-reason why", 0),
        ("missing.jsonl corpus.jsonl", 2),
        ("corpus.jsonl --dask tcp://x:1 --jobs 2", 2),
        ("corpus.jsonl --jobs 0", 2),
    ],
)
def test_report(arguments: str, code: int, snapshot: SnapshotAssertion) -> None:
    jobs = () if "--dask" in arguments or "--jobs" in arguments else ("--jobs", "1")
    result = run("bulk", *arguments.split(), "--out", "out", *jobs)
    assert result.exit_code == code
    rows = [path.read_text(encoding="utf-8") for path in sorted(Path("out").glob("part-*.jsonl"))]
    assert (result.stdout, result.stderr, rows) == snapshot


@pytest.mark.skipif(find_spec("distributed") is None, reason="the extra cluster is not installed")
def test_a_cluster_that_is_not_there() -> None:
    result = run("bulk", "corpus.jsonl", "--dask", "tcp://127.0.0.1:x", "--out", "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: no scheduler answers at tcp://127.0.0.1:x: ")


def test_a_second_call_does_what_is_missing() -> None:
    arguments = ("bulk", "corpus.jsonl", "--out", "out", "--jobs", "1", "--shard-bytes", "100")
    first = run(*arguments)
    parts = sorted(Path("out").glob("part-*.jsonl"))
    times = {part: part.stat().st_mtime_ns for part in parts}
    parts[1].unlink()
    assert run(*arguments).stdout == first.stdout
    assert [part.stat().st_mtime_ns == times[part] for part in parts] == [True, False, *[True] * (len(parts) - 2)]
    other = run(*arguments, "--read", "strict")
    assert (other.exit_code, other.stdout) == (2, "")
    assert "differs in read; take another folder, or --overwrite" in other.stderr
    assert run(*arguments, "--read", "strict", "--overwrite").exit_code == 0


def test_a_shard_that_fails_is_told_at_the_end(here: Path) -> None:
    write_parquet(here / "number.parquet", [{"text": 1}])
    result = run("bulk", "corpus.jsonl", "number.parquet", "--out", "out", "--jobs", "1")
    assert result.exit_code == 2
    assert result.stdout.startswith("7 records in 1 shard: 5 read, 2 broken\n")
    assert "\nfailed: part-00001-00000.jsonl: number.parquet: Unsupported cast" in result.stdout


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
        ("pyarrow", ["corpus.jsonl", "--format", "parquet"], "Parquet needs the extra `bulk`"),
        ("pyarrow", ["table"], "Parquet needs the extra `bulk`"),
        ("distributed", ["corpus.jsonl", "--dask", "tcp://localhost:1"], "a cluster of Dask needs the extra `cluster`"),
    ],
)
def test_without_an_extra(here: Path, package: str, arguments: list[str], message: str) -> None:
    (here / "table").write_bytes(b"PAR1")
    result = call("bulk", *arguments, "--out", "out", before=without(package))
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().startswith(f"Error: {message}: pip install 'planspec-lark[")
    assert call("bulk", "corpus.jsonl", "--out", "plain", before=without(package)).returncode == 0


def test_what_a_stranger_wrote_does_not_reach_the_terminal(here: Path) -> None:
    evil = "\x1b[31m\u202e[bold]\x07"
    name = "evil\x1b[2J.jsonl"
    text = line_of(f"Goal: x\n## Steps\n1. [{evil}] x\n1. {evil}\n{evil}", id=evil)
    (here / name).write_bytes(text + json.dumps({evil: evil}).encode() + b"\n" + evil.encode() + b"\n")
    result = call("bulk", name, "--out", "out", "--id", "id")
    assert result.returncode == 0
    harmless(result.stdout + result.stderr + call("bulk", "missing\x1b[2J", "--out", "out").stderr, colours=False)
    undrawn(on_terminal("bulk", name, "--out", "out2"))
    for path in Path("out").glob("*.*"):
        harmless(path.read_bytes(), colours=False)


def test_progress_on_a_terminal_only() -> None:
    assert b"\xe2\x94\x81" in on_terminal("bulk", "corpus.jsonl", "--out", "a", "--jobs", "1")
    assert call("bulk", "corpus.jsonl", "--out", "c").stderr == b""
