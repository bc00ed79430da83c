"""Projects with plans in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark.folder import PlanFolder
from tests.folder.plans import BROKEN, FINISHED, OPEN, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with four plans, one of a task among them."""
    project = tmp_path / "project"
    for name, text in (
        ("planspec/harvest.md", OPEN),
        ("planspec/winter.md", FINISHED),
        ("planspec/ill.md", BROKEN),
        ("Tasks/roof/plan.md", OPEN),
    ):
        write(project / name, text)
    return project


@pytest.fixture
def folder(root: Path) -> PlanFolder:
    return PlanFolder(root)
