"""Corpora for the tests: what language models answer, and what goes wrong with files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from planspec_lark.bulk import BulkOptions, run_bulk
from tests.corpus import FIXTURES

PLAN = "Goal: Open the bakery at six\n## Steps\n1. [act] Light the oven → heat\n2. [act] Bake\n  > ← heat\n"
IN_PROSE = f"Here you are:\n\n```\n{PLAN}```\nGood luck!\n"
REPAIRED = PLAN.replace("Goal: ", "Goal：").replace("2. ", "2) ")
REFUSAL = "I am afraid I cannot help with that.\n"
DOUBLED = PLAN.replace("2. [act]", "1. [act]")


def fixture_texts() -> list[str]:
    """Every text among the fixtures."""
    paths = sorted([*FIXTURES.glob("planspec/*/*.md"), *FIXTURES.glob("planspec/*/*.txt")])
    assert len(paths) > 60
    return [path.read_bytes().decode("utf-8", "replace") for path in paths]


def line_of(text: str, **more: Any) -> bytes:
    """A line of JSONL."""
    return json.dumps({"text": text, **more}, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def write_corpus(path: Path, count: int) -> Path:
    """A file of JSONL with ``count`` records, some of them broken."""
    texts = [PLAN, IN_PROSE, REPAIRED, REFUSAL, DOUBLED, *fixture_texts()]
    lines = [line_of(f"{texts[at % len(texts)]}", id=at) for at in range(count)]
    for at in range(7, count, 50):
        lines[at] = lines[at][:-20] + b"\n"
    path.write_bytes(b"".join(lines))
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]], *, group: int = 100, schema: Any = None) -> Path:
    """A file of Parquet."""
    table = pyarrow.Table.from_pylist(rows, schema=schema)
    pyarrow.parquet.write_table(table, path, row_group_size=group)
    return path


def analyze(src: Path, **options: Any) -> list[dict[str, Any]]:
    """The rows of a file, in one shard."""
    out = src.parent / "out"
    report = run_bulk([src], out, options=BulkOptions(**options), jobs=1, overwrite=out.exists())
    assert report.failed == {}
    rows = rows_of(out)
    assert report.records == len(rows)
    assert report.read == sum(row["problem"] is None for row in rows)
    return rows


def read(part: Path) -> list[dict[str, Any]]:
    """The rows of a part."""
    if part.suffix == ".parquet":
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(part).to_pylist()
        return rows
    return [json.loads(line) for line in part.read_bytes().split(b"\n")[:-1]]


def rows_of(out: Path) -> list[dict[str, Any]]:
    """The rows of all parts of a folder."""
    return [row for part in sorted([*out.glob("part-*.jsonl"), *out.glob("part-*.parquet")]) for row in read(part)]


def contents(out: Path) -> dict[str, bytes]:
    """Every file in the folder of a run."""
    return {path.name: path.read_bytes() for path in out.iterdir()}
