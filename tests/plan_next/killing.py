"""A plan that is run in processes of its own, which may be killed at any moment: ``python -m tests.plan_next.killing``.

That process reads requests, a line of JSON each, forks for each of them, and answers with how the child has ended. So
hundreds of runs need to load the package only once. A child logs each start and end of its executor before it goes on.
What a process has written outlives it, so children do not wait for the disk.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from attrs import define, field, frozen

from planspec_lark import files
from planspec_lark.plan_next import Context, start_context
from planspec_lark.plan_next.models import goal_text
from planspec_lark.planner import MessageRefusal, PlannerEvent, Runtime, StateError, create_state, kernel
from planspec_lark.runs import sqlite_ledger
from tests.plan_next.turns import execute, returned, steps

__all__ = ["LOCKED", "Points", "Request", "begin", "run_plan", "serve"]

# How a child ends that finds another one at work.
LOCKED = 3
_replace = os.replace


# ---------------------------------------------------------------- the plan


def begin() -> Context:
    """Where the plan starts: three levels, about thirty blocks, of which some fail."""
    return start_context("r", ["first", "second", "third"])


def plan(context: Context, refusal: MessageRefusal | None) -> str:
    """A planner whose answer depends on the context alone."""
    name, count = goal_text(context.think.goal), len(context.think.done)
    if name == "rcc" or (refusal is None and context.revision % 5 == 2):
        return "I would rather not."
    goal = name + "abcdefgh"[count]
    more = {"update_plan": context.think.plan[1:]} if count == 1 else {}
    if context.depth < 2 and count != 1:
        return steps(goal, [f"{goal} {item}" for item in ("one", "two", "three")], **more)
    return execute(goal, f"shell: make {goal}", **more)


def _result(context: Context) -> str:
    if context.revision % 13 == 6:
        return "It went well, I think."
    return returned({"made": goal_text(context.think.goal)}, "failed" if context.revision % 7 == 4 else None)


@frozen
class Log:
    """What the executor was asked for."""

    path: Path

    def execute(self, context: Context) -> str:
        """An executor that writes down when it begins and when it ends."""
        self._write(f"start {context.revision}")
        answer = _result(context)
        self._write(f"end {context.revision}")
        return answer

    def _write(self, line: str) -> None:
        with self.path.open("a") as file:
            file.write(f"{line}\n")


def run_plan(folder: Path, log: Log, history: list[Context] | None = None) -> Context:
    """Run the plan to its end. ``history`` gets each context that was on the disk."""

    def watch(event: PlannerEvent) -> None:
        if history is not None and (not history or history[-1] != event.context):
            history.append(event.context)

    return Runtime(folder, plan, log.execute, on_event=watch).run()


# ---------------------------------------------------------------- points to die at


@define
class Points:
    """The points of all writes, one after the other, and what each is; dies at one of them, if that comes."""

    dies_at: int | None = None
    passed: list[str] = field(factory=list)

    @property
    def count(self) -> int:
        """How many have come."""
        return len(self.passed)

    def pass_one(self, kind: str) -> None:
        """One more point."""
        if self.count == self.dies_at:
            _die()
        self.passed.append(kind)

    def fsync(self, _handle: int) -> None:
        """In place of :func:`os.fsync`."""
        self.pass_one("fsync")

    def replace(self, source: Any, target: Any) -> None:
        """In place of :func:`os.replace`."""
        self.pass_one("before it is replaced")
        _replace(source, target)
        self.pass_one("replaced")

    @contextmanager
    def open(self, path: Path, mode: str, **options: Any) -> Iterator[_File]:
        """In place of :func:`open`."""
        self.pass_one("before a file is opened")
        with open(path, mode, **options) as file:
            self.pass_one("opened")
            yield _File(file, self)
        self.pass_one("closed")

    def take_over(self, put: Callable[[Any, str, Any], object] = setattr) -> None:
        """Stand in for what writes files and records."""
        # The file of the context is written after each record, not beside the run.
        put(kernel, "VIEW_PAUSE", 0.0)
        connect = partial(sqlite3.connect, factory=partial(_Base, points=self))
        put(sqlite_ledger, "sqlite3", _Sqlite(connect))
        put(os, "fsync", self.fsync)
        put(os, "replace", self.replace)
        vars(files).setdefault("open", open)
        put(files, "open", self.open)


@frozen
class _File:
    file: Any
    points: Points

    def write(self, data: bytes) -> None:
        half = len(data) // 2
        self.file.write(data[:half])
        self.file.flush()
        self.points.pass_one("half a file")
        self.file.write(data[half:])

    def flush(self) -> None:
        self.file.flush()

    def fileno(self) -> int:
        return int(self.file.fileno())


class _Base(sqlite3.Connection):
    """A base that has a point before and behind everything that it writes."""

    def __init__(self, *given: Any, points: Points, **options: Any) -> None:
        super().__init__(*given, **options)
        self.points = points

    def execute(self, statement: str, *given: Any) -> sqlite3.Cursor:
        """Run a statement."""
        if statement == "PRAGMA synchronous = FULL":
            statement = "PRAGMA synchronous = OFF"
        words = " ".join(statement.split()[:3])
        is_write = words.startswith(("INSERT", "COMMIT"))
        if is_write:
            self.points.pass_one(f"before {words}")
        found = super().execute(statement, *given)
        if is_write:
            self.points.pass_one(words)
        return found


@define
class _Sqlite:
    """In place of the module."""

    connect: Any
    Error: Any = sqlite3.Error
    IntegrityError: Any = sqlite3.IntegrityError


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still here")


# ---------------------------------------------------------------- children


@frozen
class Request:
    """A run that is asked for.

    Attributes:
        folder, log: of the state, and of the executor.
        dies_at: the number of the point to die at.
        processes: how many run at once.
    """

    folder: str
    log: str
    dies_at: int | None = field(default=None, kw_only=True)
    processes: int = field(default=1, kw_only=True)


def serve() -> None:
    """Answer each line of standard input with the list of exit codes, negative for a signal."""
    with tempfile.TemporaryDirectory() as folder:
        # What is loaded once, children find loaded.
        create_state(folder, begin())
        run_plan(Path(folder), Log(Path(folder) / "log"))
    for line in sys.stdin:
        request = Request(**json.loads(line))
        children = [_fork(request) for _ in range(request.processes)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(codes), flush=True)


def _fork(request: Request) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        Points(request.dies_at).take_over()
        run_plan(Path(request.folder), Log(Path(request.log)))
        code = 0
    except StateError as error:
        code = LOCKED if "another process is working" in str(error) else 1
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()
