"""Processes that run a plan are killed: nothing that has ended is lost, and nothing of it is done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, frozen

from planspec_lark import PlanFileError, parse_plan
from planspec_lark.engine import Outcome, RunResult
from planspec_lark.runs import SqliteLedger
from planspec_lark.runs.ledger import Record, RecordKind
from tests.corpus import ROOT
from tests.dying import Server, serving
from tests.engine.killing import LOCKED, Log, Request, begin, count_points, run_plan

FULL = os.environ.get("PLANSPEC_PROFILE") == "full"
# Every so-manyth point is one to die at. That is a prime number, so that each kind of point has its turn.
STRIDE = 1 if FULL else 41
# After the first one, the next process dies so many points later.
PACES = (1, 2, 3, 5, 13) if FULL else (37,)


@frozen
class Calm:
    """The plan as it goes without a disturbance."""

    text: str
    log: list[str]
    signs: list[Any]
    points: int
    result: RunResult


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("tests.engine.killing") as server:
        yield server


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    folder = tmp_path_factory.mktemp("calm")
    result, points = count_points(folder)
    return Calm((folder / "plan").read_text(), _lines(folder), _signs(folder), points, result)


def _lines(folder: Path) -> list[str]:
    return (folder / "log").read_text().splitlines() if (folder / "log").exists() else []


def _records(folder: Path) -> list[Record]:
    ledger = SqliteLedger(folder / "plan.ledger", read_only=True)
    (info,) = ledger.runs()
    found = list(ledger.records(info.run))
    ledger.close()
    return found


def _signs(folder: Path) -> list[Any]:
    """What was written down, but for what only those have that were interrupted."""
    signs: list[Any] = []
    for record in _records(folder):
        data = {name: value for name, value in record.data.items() if name != "key"}
        sign = (record.kind, record.step, record.hash, record.attempt, data, record.plan, record.after)
        # Who continues with what has ended is told so once more.
        is_repeated = record.kind in (RecordKind.STARTED, RecordKind.ENDED) and sign in signs
        if record.kind is not RecordKind.RESUMED and not is_repeated:
            signs.append(sign)
    return signs


@define
class Trial:
    """A plan whose processes are killed, and what must hold each time."""

    folder: Path
    calm: Calm
    server: Server
    kills: int = 0

    def __attrs_post_init__(self) -> None:
        begin(self.folder)

    def run(self, dies_at: int | None = None) -> bool:
        """Run it, and look at what is left; whether it has ended."""
        before = _lines(self.folder)
        (code,) = self.server.ask(Request(str(self.folder), dies_at=dies_at))
        assert code in (0, -signal.SIGKILL)
        self.kills += code != 0
        parse_plan((self.folder / "plan").read_text())
        new = _lines(self.folder)[len(before) :]
        started = [line.partition(" ")[2] for line in new if line.startswith("start")]
        known = [line.partition(" ")[2] for line in before if line.startswith("start")]
        # Only the last one of those that were begun may be begun again, and by the same key.
        assert set(started) & set(known) <= set(known[-1:])
        assert started == list(dict.fromkeys(started))
        return code == 0

    def check_end(self) -> None:
        """All was done, and nothing twice but for what was interrupted."""
        assert (self.folder / "plan").read_text() == self.calm.text
        lines = _lines(self.folder)
        assert list(dict.fromkeys(lines)) == self.calm.log
        assert len(lines) <= len(self.calm.log) + 2 * self.kills
        left = sorted(os.listdir(self.folder))
        assert left == ["log", "plan", "plan.ledger"]
        assert _signs(self.folder) == self.calm.signs


def test_the_plan_has_all_that_may_happen(calm: Calm) -> None:
    assert (calm.result.outcome, calm.result.rounds) == (Outcome.CONVERGED, 2)
    kinds = Counter(sign[0] for sign in calm.signs)
    assert set(kinds) == {
        *(
            RecordKind.BEGUN,
            RecordKind.ENDED,
            RecordKind.STARTED,
            RecordKind.DONE,
            RecordKind.FAILED,
            RecordKind.BRANCHED,
            RecordKind.OPENED,
            RecordKind.LOOPED,
        ),
        *(RecordKind.REFUSED, RecordKind.REFLECTED, RecordKind.TOLD, RecordKind.REPLANNED, RecordKind.PLANNED),
    }
    assert len(calm.log) == 2 * kinds[RecordKind.STARTED]
    assert {sign[4].get("decision") for sign in calm.signs if sign[0] is RecordKind.REFLECTED} == {
        *("RETRY", "ACCEPT", "INTERACT", None)
    }
    assert calm.result.plan.progress["total"] == 28
    assert calm.points > 800


def test_killed_at_each_point(tmp_path: Path, calm: Calm, server: Server, count_kills: Callable[[int], None]) -> None:
    points = range(0, calm.points, STRIDE)
    for point in points:
        trial = Trial(tmp_path / str(point), calm, server)
        assert not trial.run(point)
        assert trial.run()
        trial.check_end()
    count_kills(len(points))


@pytest.mark.parametrize("pace", PACES)
def test_killed_again_and_again(
    tmp_path: Path, calm: Calm, server: Server, pace: int, count_kills: Callable[[int], None]
) -> None:
    """Each process dies at a later point of its own than the one before it, and has all that those have done."""
    trial = Trial(tmp_path / "trial", calm, server)
    point = 5
    while not trial.run(point):
        point += pace
    trial.check_end()
    assert trial.kills >= 5
    count_kills(trial.kills)


def test_several_processes_that_begin_at_once(tmp_path: Path, calm: Calm, server: Server) -> None:
    begin(tmp_path)
    codes = server.ask(Request(str(tmp_path), processes=4))
    assert sorted(codes) == [0, LOCKED, LOCKED, LOCKED]
    assert _lines(tmp_path) == calm.log
    assert (tmp_path / "plan").read_text() == calm.text


def test_two_processes_one_after_the_other(tmp_path: Path, calm: Calm) -> None:
    """A process that is at work is found to be so, and lets go when it is killed."""
    path = begin(tmp_path)
    request = (
        "from pathlib import Path; from tests.engine.killing import Log, run_plan; "
        f"run_plan(Path({str(path)!r}), Log(Path({str(tmp_path / 'log')!r}), True))"
    )
    with subprocess.Popen([sys.executable, "-c", request], cwd=ROOT) as process:
        while not _lines(tmp_path):
            assert process.poll() is None
        with pytest.raises(PlanFileError) as error:
            run_plan(path, Log(tmp_path / "other"))
        assert str(error.value).startswith(f"{path}: another process runs this plan: `-c`, process {process.pid} on ")
        process.kill()
    assert not (tmp_path / "other").exists()
    assert run_plan(path, Log(tmp_path / "log")).plan == calm.result.plan
    assert list(dict.fromkeys(_lines(tmp_path))) == calm.log
