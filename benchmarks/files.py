"""What `planspec check` costs on many small files."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, race
from benchmarks.plans import plan_text
from benchmarks.tables import Table, seconds

__all__ = ["measure_files"]

_FIXTURES = Path(__file__).parent.parent / "fixtures" / "planspec" / "valid"
# Bytes; what is longer is no small file.
_SMALL = 4_000
_COUNT = 1_000


def measure_files(settings: Settings) -> Findings:
    """1,000 small files: the valid fixtures again and again, most with something to be said about them."""
    with tempfile.TemporaryDirectory() as folder:
        files = _write_files(Path(folder))
        timing = race({"check": Task.on(_check, files)}, rounds=settings.rounds)["check"]
        table = Table("planspec check on small files", ["what", "time", "files per second"])
        table.rows.append(["1,000 files", seconds(timing.best), f"{_COUNT / timing.best:,.0f}"])
        return Findings([table], {"check a file": 1000 * timing.best / _COUNT}, {"files/check": timing})


def _write_files(folder: Path) -> list[str]:
    texts = [data for path in sorted(_FIXTURES.glob("*.md")) if len(data := path.read_bytes()) <= _SMALL]
    texts.append(plan_text(17).encode())
    paths = [folder / f"{number:04}.md" for number in range(_COUNT)]
    for number, path in enumerate(paths):
        path.write_bytes(texts[number % len(texts)])
    return list(map(str, paths))


def _check(files: list[str]) -> None:
    from planspec_lark.cli.app import cli  # noqa: PLC0415  (needs the extra `cli`)

    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        cli.main(["check", *files], standalone_mode=False)
