"""Processes that are killed: one that forks them, as to start Python again for each would take most of the time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import asdict, define

from tests.corpus import ROOT

__all__ = ["Server", "serving"]


@define
class Server:
    """The process that makes those to be killed. It gets a request a line, and writes how each process has ended."""

    process: subprocess.Popen[str]

    def ask(self, request: Any) -> list[int]:
        """Have it run; returns how each process has ended."""
        self.send(request)
        return self.answer()

    def send(self, request: Any) -> None:
        """Have it begin."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(asdict(request)) + "\n")
        self.process.stdin.flush()

    def answer(self) -> list[int]:
        """Wait for how each process has ended."""
        assert self.process.stdout is not None
        codes: list[int] = json.loads(self.process.stdout.readline())
        return codes


@contextmanager
def serving(module: str) -> Iterator[Server]:
    """A server that is this module, run as a program."""
    with subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        yield Server(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(120) == 0
