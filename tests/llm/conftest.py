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


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Served]:
    with serve() as endpoint:
        yield endpoint


@pytest.fixture
def served(endpoint: Served) -> Served:
    endpoint.play()
    endpoint.asked.clear()
    endpoint.left.clear()
    return endpoint


@pytest.fixture(params=[ask_sync, ask_async])
def ask(request: pytest.FixtureRequest) -> Ask:
    function: Ask = request.param
    return function
