"""The commands of docs/how-to/many-machines.md, with a database."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from planspec_lark.runs import PostgresLedger, RecordKind
from tests.corpus import ROOT
from tests.test_docs import blocks_of


def test_the_commands_of_the_page(database: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PATH": path, "PYTHONPATH": paths, "PLANSPEC_DATABASE": database}
    ran = 0
    for block in blocks_of(ROOT / "docs" / "how-to/many-machines.md"):
        if block.file:
            (tmp_path / block.file).write_text(block.text)
        if block.info == "sh database":
            ran += 1
            done = subprocess.run(
                ["bash", "-ec", block.text], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
    assert ran == 3
    with closing(PostgresLedger(database, read_only=True)) as ledger:
        for house in range(6):
            records = ledger.records(f"house-{house}", kinds=[RecordKind.DONE])
            assert [record.step for record in records] == ["1", "2"]
        info = ledger.last_run("cleaning")
        assert info is not None
        assert ledger.count(info.run, kinds=[RecordKind.DONE]) == 2
