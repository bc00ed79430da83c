"""Processes that change plans, some of which are killed at a system call: ``python -m tests.document.writers``.

It reads requests, a line of JSON each, forks for each of them, and answers with how the children have ended. A child
that is to die counts its calls of functions that ask the system for something, and kills itself before one of them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from planspec_lark import PlanFile

__all__ = ["NEW", "OLD", "Request", "serve"]

OLD = "Goal: g\n## Steps\n1. [act] a\n"
NEW = OLD + "2. [act] b\n"

_SYSTEM = ("posix", "_io", "io", "fcntl")


@frozen
class Request:
    """Work that is asked for.

    Attributes:
        path: of the plan.
        work: what to do, one of the functions below.
        dies_at: the number of the point to die at.
        processes: how many do it at once.
        rounds: how often each does it.
    """

    path: str
    work: str
    dies_at: int | None = field(default=None, kw_only=True)
    processes: int = field(default=1, kw_only=True)
    rounds: int = field(default=1, kw_only=True)


def change(path: Path, _: str) -> None:
    PlanFile(path).change(lambda _: NEW)


def create(path: Path, _: str) -> None:
    PlanFile(path).create(NEW.encode())


def run(path: Path, _: str) -> None:
    with PlanFile(path).leased() as plan:
        plan.load()
        plan.save(NEW)


def append(path: Path, name: str) -> None:
    PlanFile(path, wait=60).change(lambda text: f"{text}{name}\n")


_WORK: dict[str, Callable[[Path, str], None]] = {"change": change, "create": create, "run": run, "append": append}


@define
class _Points:
    """Calls that ask the system for something; the process dies at one of them, if that comes."""

    dies_at: int | None
    count: int = 0

    def watch(self, _frame: Any, event: str, called: Any) -> None:
        # After one call is before the next one.
        if event != "c_call" or not _is_of_the_system(called):
            return
        if self.count == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1


def _is_of_the_system(called: Any) -> bool:
    owner = getattr(called, "__self__", None)
    if called is os.fspath:
        return False
    return getattr(called, "__module__", None) in _SYSTEM or type(owner).__module__ in _SYSTEM


def _fork(request: Request, number: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work, path = _WORK[request.work], Path(request.path)
        if request.dies_at is not None:
            sys.setprofile(_Points(request.dies_at).watch)
        for at in range(request.rounds):
            work(path, f"{number} {at}")
        sys.setprofile(None)
        code = 0
    finally:
        if code:
            import traceback

            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    """Answer each line of standard input with the list of exit codes, negative for a signal."""
    for line in sys.stdin:
        request = Request(**json.loads(line))
        children = [_fork(request, number) for number in range(request.processes)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(codes), flush=True)


if __name__ == "__main__":
    serve()
