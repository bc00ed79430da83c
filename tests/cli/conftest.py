"""Every test of the command line runs in an empty folder, so that it can call files by short names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import BROKEN, PLAN, SLOPPY


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, with a plan in three states."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANSPEC_FOLDER", raising=False)
    for name, text in (("plan.md", PLAN), ("sloppy.md", SLOPPY), ("broken.md", BROKEN)):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return tmp_path
