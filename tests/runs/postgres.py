"""A server of PostgreSQL for tests: on a free port of this machine, in a folder that goes with it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from attrs import frozen

PASSWORD = "not/for@anybody:s eyes"


@frozen
class Server:
    """A server that runs."""

    port: int
    restart: Callable[[], None]

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://tester:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/{database}"

    def make_database(self) -> str:
        """The address of a new database."""
        import psycopg

        name = f"test_{uuid4().hex}"
        with psycopg.connect(self.address(), autocommit=True) as base:
            base.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)


def _find(program: str) -> str:
    """Debian has the programs of servers beside the path."""
    found = shutil.which(program)
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), reverse=True)
    if found is None and not places:
        pytest.skip(f"PostgreSQL is not installed: there is no {program}")
    return found or str(places[0])


def _user() -> dict[str, Any]:
    """PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return {}
    with suppress(KeyError):
        found = pwd.getpwnam("postgres")
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    return pytest.skip("PostgreSQL does not run as root, and there is no user postgres")


@contextmanager
def running() -> Iterator[Server]:
    """A server, as long as this block lasts."""
    pytest.importorskip("psycopg")
    initdb, pg_ctl, user = _find("initdb"), _find("pg_ctl"), _user()
    # Below the folders of pytest, other users see nothing.
    with tempfile.TemporaryDirectory(prefix="planspec-postgres-") as name, socket.socket() as free:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD)
        if user:
            for path in (folder, folder / "password"):
                os.chown(path, user["user"], user["group"])

        def call(*command: str) -> None:
            out = (folder / "out").open("ab")
            with out:
                done = subprocess.run(command, stdout=out, stderr=out, cwd=folder, timeout=120, check=False, **user)
            assert done.returncode == 0, (folder / "out").read_text("utf-8", "replace")

        data = str(folder / "data")
        secret = ("--auth=scram-sha-256", f"--pwfile={folder / 'password'}")
        call(initdb, "-D", data, "-U", "tester", *secret, "--no-sync", "-E", "UTF8", "--locale=C")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        where = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories="
        call(pg_ctl, "-D", data, "-w", "-l", str(folder / "log"), "-o", where, "start")
        try:
            again = partial(call, pg_ctl, "-D", data, "-m", "fast", "-w", "-l", str(folder / "log"), "restart")
            yield Server(port, again)
        finally:
            call(pg_ctl, "-D", data, "-m", "immediate", "-w", "stop")
