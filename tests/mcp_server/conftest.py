"""One server for all tests of a process, whose folder is empty at the beginning of each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.mcp_server.clients import Agent, connected


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """A server that lives as long as the session, and has nothing to complain of."""
    # What is around it is looked at, too.
    root = tmp_path_factory.mktemp("world") / "served"
    root.mkdir()
    log = tmp_path_factory.mktemp("log") / "stderr"
    with log.open("w+") as errors:
        with connected(root / ".", errors=errors) as agent:
            yield agent
        assert log.read_text() == ""


@pytest.fixture
def agent(served: Agent) -> Agent:
    """A client of a server in an empty folder."""
    for path in served.root.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    return served
