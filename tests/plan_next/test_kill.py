"""Processes that run a plan are killed: nothing that has ended is lost, and nothing of it is done again."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import define, frozen

from planspec_lark.plan_next import Context, DoneItem
from planspec_lark.planner import create_state, read_state
from planspec_lark.planner.kernel import open_state
from tests.dying import Server, serving
from tests.plan_next.killing import LOCKED, Log, Points, Request, begin, run_plan

FULL = os.environ.get("PLANSPEC_PROFILE") == "full"
# Every so-manyth point of a write is one to die at, besides the first of each kind. In tests/runs, runs are killed at
# random moments.
STRIDE = 1 if FULL else 89


@frozen
class Calm:
    """The plan as it goes without a disturbance."""

    history: list[Context]
    log: list[str]
    points: list[str]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("tests.plan_next.killing") as server:
        yield server


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    folder = tmp_path_factory.mktemp("calm")
    history = [begin()]
    create_state(folder / "state", begin())
    points = Points()
    with pytest.MonkeyPatch.context() as patch:
        points.take_over(patch.setattr)
        run_plan(folder / "state", Log(folder / "warm up"))
        create_state(folder / "state", begin())
        points.passed.clear()
        run_plan(folder / "state", Log(folder / "log"), history)
    return Calm(history, _lines(folder / "log"), points.passed)


@define
class Trial:
    """A plan whose processes are killed, and what must hold each time."""

    folder: Path
    calm: Calm
    server: Server
    kills: int = 0

    def __attrs_post_init__(self) -> None:
        create_state(self.folder / "state", begin())

    def run(self, dies_at: int | None = None) -> bool:
        """Run it, and look at what is left; whether it has ended."""
        known, before = _lines(self.folder / "log"), read_state(self.folder / "state").revision
        request = Request(str(self.folder / "state"), str(self.folder / "log"), dies_at=dies_at)
        (code,) = self.server.ask(request)
        assert code in (0, -signal.SIGKILL)
        self.kills += code != 0
        context = read_state(self.folder / "state")
        assert context == self.calm.history[context.revision]
        new = [int(line.split()[1]) for line in _lines(self.folder / "log")[len(known) :]]
        # What ended before is not asked for again, and what was asked for is on the disk.
        assert not new or before <= min(new) <= max(new) <= context.revision
        with open_state(self.folder / "state") as kernel:
            assert kernel.context == context
        assert sorted(os.listdir(self.folder / "state")) == ["planner.ledger", "thinking-context.json"]
        assert code or context.outcome
        return code == 0

    def check_end(self) -> None:
        """All was done, and nothing twice but for what was interrupted."""
        assert read_state(self.folder / "state") == self.calm.history[-1]
        log = _lines(self.folder / "log")
        assert list(dict.fromkeys(log)) == self.calm.log
        assert len(log) <= len(self.calm.log) + 2 * self.kills


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_the_plan_has_all_that_may_happen(calm: Calm) -> None:
    history, outcome = calm.history, calm.history[-1].outcome
    assert [context.revision for context in history] == [*range(len(history))]
    assert calm.points.count("replaced") == history[-1].revision
    assert calm.points.count("INSERT INTO records") > history[-1].revision
    assert max(context.depth for context in history) == 3
    assert outcome is not None
    items = list(_iter_items(outcome))
    assert 25 <= len(items) <= 40
    results = [item.result if isinstance(item.result, str) else "made" for item in items if item.failed]
    assert {result.split(":")[0] for result in results} == {
        "made",
        "the executor's answer was refused",
        "the planner was refused 3 times, the last time for",
    }
    assert any(not block.takes_item for context in history for block in [context.think, *context.path])


def _iter_items(item: DoneItem) -> Iterator[DoneItem]:
    yield item
    for below in item.done:
        yield from _iter_items(below)


def test_killed_at_each_point_of_a_write(
    tmp_path: Path, calm: Calm, server: Server, count_kills: Callable[[int], None]
) -> None:
    kinds = set()
    first = {calm.points.index(kind) for kind in calm.points}
    points = sorted({*first, *range(0, len(calm.points), STRIDE)})
    for point in points:
        trial = Trial(tmp_path / str(point), calm, server)
        assert not trial.run(dies_at=point)
        kinds.add(calm.points[point])
        assert trial.run()
        trial.check_end()
    assert kinds == set(calm.points)
    count_kills(len(points))


def test_killed_at_each_point_in_turn(
    tmp_path: Path, calm: Calm, server: Server, count_kills: Callable[[int], None]
) -> None:
    """Each process dies at a later point of its own than the one before it, and has all that those have done."""
    trial = Trial(tmp_path, calm, server)
    point = 0
    while not trial.run(dies_at=point):
        point += 1 if FULL else 3
    trial.check_end()
    assert trial.kills >= 10
    count_kills(trial.kills)


def test_several_processes_that_begin_at_once(tmp_path: Path, calm: Calm, server: Server) -> None:
    create_state(tmp_path / "state", begin())
    codes = server.ask(Request(str(tmp_path / "state"), str(tmp_path / "log"), processes=4))
    assert set(codes) <= {0, LOCKED}
    assert 0 in codes
    assert LOCKED in codes
    assert _lines(tmp_path / "log") == calm.log
    assert read_state(tmp_path / "state") == calm.history[-1]
