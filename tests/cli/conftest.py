"""Every test of the command line runs in an empty folder, so that it can call files by short names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import BROKEN, PLAN, SLOPPY, write_files
from tests.llm.serving import Served, serve


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, with a plan in three states."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANSPEC_FOLDER", raising=False)
    write_files({"plan.md": PLAN, "sloppy.md": SLOPPY, "broken.md": BROKEN})
    return tmp_path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """An endpoint for language models, the only one that the environment names."""
    with serve() as endpoint:
        for name in [name for name in os.environ if name.startswith("OPENAI_") or name.lower().endswith("_proxy")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        yield endpoint
