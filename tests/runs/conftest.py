"""A server for all tests that need one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runs.postgres import Server, running


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def database(postgres: Server) -> str:
    return postgres.make_database()
