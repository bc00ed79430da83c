"""The pytest plugin: fixtures for snapshots of plans.

pytest loads this module wherever the package is installed, so it imports nothing but pytest: what a fixture needs, it
imports itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from planspec_lark.pytest_plugin.normalizers import Normalizer
    from planspec_lark.pytest_plugin.snapshots import PlanSnapshot

__all__ = ["plan_normalizers", "plan_snapshot"]


@pytest.fixture
def plan_normalizers() -> tuple[Normalizer, ...]:
    """Normalisers that all snapshots of plans go through: none, unless a module or conftest.py says otherwise."""
    return ()


@pytest.fixture
def plan_snapshot(request: pytest.FixtureRequest, plan_normalizers: tuple[Normalizer, ...]) -> PlanSnapshot:
    """A snapshot that a plan, or a language model's answer with one, is compared with: `answer == plan_snapshot`."""
    try:
        import syrupy  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        if error.name != "syrupy":
            raise
        pytest.fail("plan_snapshot needs its extra: pip install 'planspec-lark[pytest]'", pytrace=False)
    from planspec_lark.pytest_plugin.snapshots import PlanSnapshot  # noqa: PLC0415

    return PlanSnapshot.like(request.getfixturevalue("snapshot"), tuple(plan_normalizers))
