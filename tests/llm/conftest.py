"""A clean environment for every test here, and a local endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.llm.asking import Ask, ask_async, ask_sync
from tests.llm.serving import Served, serve


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "PLANSPEC_MODEL")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def served() -> Iterator[Served]:
    # Not one for all tests: what is no longer waited for may be read late, and would count in the next one.
    with serve() as served:
        yield served


@pytest.fixture(params=[ask_sync, ask_async])
def ask(request: pytest.FixtureRequest) -> Ask:
    function: Ask = request.param
    return function
