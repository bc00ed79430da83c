"""What else keeps each step of a run on the disk, doing the same as the engine: steps that do nothing."""

from __future__ import annotations

import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict

__all__ = ["COMPETITORS", "Competitor", "read_settings"]

_MODES = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}


def read_settings(base: sqlite3.Connection) -> str:
    """How a connection to SQLite sees to it that what it has kept outlives a crash of the machine."""
    ((journal,),), ((mode,),) = (base.execute(f"PRAGMA {name}").fetchall() for name in ("journal_mode", "synchronous"))
    return f"{journal}, {_MODES[mode]}"


class Competitor(ABC):
    """One of those that keep each step.

    Attributes:
        name: what the figures call it.
        title: what the table calls it.
        package: what is to be installed, which the extra ``bench`` does.
        settings: the journal and the syncs that it has worked with.
    """

    name: str
    title: str
    package: str
    modules: tuple[str, ...]
    settings: str = "-"

    @property
    def is_installed(self) -> bool:
        """Whether it can be measured here."""
        try:
            return all(find_spec(module) is not None for module in self.modules)
        except ModuleNotFoundError:
            return False

    @property
    def version(self) -> str:
        """Which one is installed."""
        return version(self.package)

    @abstractmethod
    def run(self, folder: Path, count: int) -> float:
        """Seconds that a run of so many steps takes; opening and closing do not count."""


class _Dbos(Competitor):
    name, title = "DBOS", "DBOS on SQLite"
    package, modules = "dbos", ("dbos", "sqlalchemy")
    journal = ""

    def __init__(self) -> None:
        self._workflow: Any = None

    def _make(self, dbos: Any) -> Any:
        @dbos.step(name=f"weigh {self.name}")  # type: ignore[untyped-decorator]
        def weigh(_: int) -> int:
            return 1

        @dbos.workflow(name=f"weigh all {self.name}")  # type: ignore[untyped-decorator]
        def weigh_all(count: int) -> int:
            return sum(weigh(at) for at in range(count))

        return weigh_all

    def run(self, folder: Path, count: int) -> float:
        dbos = import_module("dbos").DBOS
        path = folder / "dbos.sqlite"
        if self.journal:
            # The file remembers it.
            with closing(sqlite3.connect(path)) as base:
                base.execute(f"PRAGMA journal_mode = {self.journal}")
        dbos(
            config={
                "name": "benchmarks",
                "system_database_url": f"sqlite:///{path}",
                "run_admin_server": False,
                "log_level": "ERROR",
            }
        )
        if self._workflow is None:
            self._workflow = self._make(dbos)
        dbos.launch()
        try:
            with self._watched():
                self._workflow(1)
            start = perf_counter()
            done = self._workflow(count)
            spent = perf_counter() - start
        finally:
            dbos.destroy()
        assert done == count
        return spent

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """See how the connection is set that commits."""
        event, engine = import_module("sqlalchemy.event"), import_module("sqlalchemy.engine").Engine

        def look(connection: Any) -> None:
            self.settings = read_settings(connection.connection.dbapi_connection)

        event.listen(engine, "commit", look)
        try:
            yield
        finally:
            event.remove(engine, "commit", look)


class _DbosWal(_Dbos):
    name, title, journal = "DBOS with WAL", "DBOS, file set to WAL", "WAL"


class _Weights(TypedDict):
    weighed: int


class _LangGraph(Competitor):
    name, title = "LangGraph", "LangGraph with SqliteSaver"
    package, modules = "langgraph", ("langgraph.graph", "langgraph.checkpoint.sqlite")

    def run(self, folder: Path, count: int) -> float:
        graphs = import_module("langgraph.graph")
        saver_type = import_module("langgraph.checkpoint.sqlite").SqliteSaver
        graph = graphs.StateGraph(_Weights)
        # One node and one number: a state that grew with the steps would be kept again with each.
        graph.add_node("weigh", lambda state: {"weighed": state["weighed"] + 1})
        graph.add_edge(graphs.START, "weigh")
        with closing(sqlite3.connect(folder / "langgraph.sqlite", check_same_thread=False)) as base:

            def is_over(state: _Weights) -> str:
                return str(graphs.END) if state["weighed"] >= 0 else "weigh"

            graph.add_conditional_edges("weigh", is_over, ["weigh", graphs.END])
            made = graph.compile(checkpointer=saver_type(base))

            def invoke(steps: int) -> Any:
                config = {"configurable": {"thread_id": str(steps)}, "recursion_limit": steps + 10}
                return made.invoke({"weighed": -steps}, config, durability="sync")

            invoke(1)
            start = perf_counter()
            done = invoke(count)
            spent = perf_counter() - start
            self.settings = read_settings(base)
        assert done == {"weighed": 0}
        return spent


COMPETITORS: tuple[Competitor, ...] = (_Dbos(), _DbosWal(), _LangGraph())
logging.getLogger("dbos").setLevel(logging.ERROR)
