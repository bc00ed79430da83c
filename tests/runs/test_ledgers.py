"""What holds for every ledger: in memory, in a file and in PostgreSQL."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.runs import Ledger, LedgerError, MemoryLedger, PostgresLedger, SqliteLedger
from planspec_lark.runs.history import History
from planspec_lark.runs.ledger import FencedError, Record, RecordKind, RunBusyError, RunInfo
from planspec_lark.runs.owner import Owner
from tests.runs.records import append, full_record
from tests.timing import with_longer_limits

Make = Callable[[], Ledger]


@pytest.fixture(params=["memory", "file", "postgres"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Ledger] = []
    database = request.getfixturevalue("database") if request.param == "postgres" else ""

    def one() -> Ledger:
        if request.param == "file":
            made.append(SqliteLedger(tmp_path / "ledger"))
        elif request.param == "postgres":
            made.append(PostgresLedger(database))
        elif not made:
            made.append(MemoryLedger())
        return made[-1]

    yield one
    for ledger in made:
        ledger.close()


def test_what_has_no_utf_8_does_not_make_it_another_file(make: Make) -> None:
    with pytest.raises(LedgerError, match=r": the character U\+DCFF cannot be written as UTF-8\Z"):
        make().find_run("a\udcff")


def test_a_record_comes_back_as_it_was(make: Make) -> None:
    ledger = make()
    ledger.begin(RunInfo("r", 1.5, {"a": [1]}))
    kept = append(ledger, full_record())
    assert (kept.seq, kept.outputs) == (1, {})
    assert kept.time > 0
    (read,) = make().records("r")
    assert read == kept
    assert evolve(read, seq=0, time=0.0, outputs=full_record().outputs) == full_record()
    assert list(make().runs()) == [RunInfo("r", 1.5, {"a": [1]})]
    value = make().value("r", 1, "x")
    assert value == [1, {"a": None}]
    # It is one's own.
    value.append(3)
    assert make().value("r", 1, "x") == [1, {"a": None}]
    for seq, name in [(1, "z"), (2, "x"), (0, "x")]:
        with pytest.raises(LedgerError, match="is missing: put back a copy of the ledger"):
            ledger.value("r", seq, name)


def test_values_of_several_records(make: Make) -> None:
    ledger = make()
    ledger.begin(RunInfo("r", 1.0))
    for number in range(1, 451):
        append(ledger, Record(RecordKind.DONE, outputs={f"v{number}": number, "last": [number], "other": 0}))
    places = {**{f"v{number}": number for number in range(450, 0, -1)}, "last": 7}
    found = ledger.values("r", places)
    assert list(found) == list(places)
    assert found == {**{f"v{number}": number for number in range(450, 0, -1)}, "last": [7]}
    assert ledger.values("r", {}) == {}
    for missing in ({"v1": 2}, {"v1": 1, "z": 1}, {"v1": 451}):
        with pytest.raises(LedgerError, match="is missing: put back a copy of the ledger"):
            ledger.values("r", missing)
    with pytest.raises(LedgerError, match="is missing: put back a copy of the ledger"):
        ledger.values("other", {"v1": 1})


def test_a_record_that_is_lost_is_said(make: Make) -> None:
    ledger = make()
    ledger.begin(RunInfo("r", 1.0))
    for number in range(1, 4):
        ledger.append("r", Record(RecordKind.DONE, str(number)), after=number + (number > 1))
    for is_newest, lost in ((True, 3), (False, 1)):
        with pytest.raises(LedgerError, match=f"record {lost} of run r is missing"):
            list(ledger.records("r", newest_first=is_newest))
    assert len(list(ledger.records("r", kinds=[RecordKind.DONE]))) == 3


def test_the_last_snapshot_of_a_run(make: Make) -> None:
    ledger = make()
    assert ledger.snapshot("r") is None
    for text in ("first", "second → ✓"):
        ledger.add_snapshot("r", text)
        assert make().snapshot("r") == text
    ledger.add_snapshot("s", "third")
    assert (make().snapshot("r"), make().snapshot("s"), make().snapshot("t")) == ("second → ✓", "third", None)


def test_records_are_chosen(make: Make) -> None:
    ledger = make()
    for run in "rs":
        ledger.begin(RunInfo(run, 1.0))
    for number in range(500):
        kind = [RecordKind.DONE, RecordKind.FAILED, RecordKind.TOLD][number % 3]
        append(ledger, Record(kind, str(number)), "rs"[number % 2])

    def steps(**how: Any) -> list[int]:
        return [int(record.step) for record in ledger.records("r", **how)]

    mine = list(range(0, 500, 2))
    assert steps() == steps(after=0) == mine
    assert steps(newest_first=True) == mine[::-1]
    assert (steps(limit=3), steps(limit=0)) == ([0, 2, 4], [])
    assert steps(newest_first=True, limit=201) == mine[::-1][:201]
    assert steps(kinds=[RecordKind.DONE]) == [number for number in mine if number % 3 == 0]
    assert steps(kinds=[RecordKind.TOLD, RecordKind.DONE], newest_first=True, limit=2) == [498, 494]
    assert steps(after=3) == mine[3:]
    assert steps(after=3, newest_first=True) == mine[:2:-1]
    assert (steps(after=3, limit=2), steps(after=3, limit=2, newest_first=True)) == ([6, 8], [498, 496])
    assert steps(after=247, kinds=[RecordKind.DONE]) == [498]
    assert steps(after=250) == steps(after=251, newest_first=True) == []
    assert list(ledger.records("t")) == []
    assert [event.step for event in History(ledger, "r").last(2)] == ["496", "498"]


def test_records_may_be_added_while_some_are_read(make: Make) -> None:
    ledger = make()
    ledger.begin(RunInfo("r", 1.0))
    append(ledger, Record(RecordKind.DONE, "1"))
    for read in ledger.records("r", limit=2):
        append(ledger, Record(RecordKind.DONE, read.step + "1"))
    assert [record.step for record in ledger.records("r")][:2] == ["1", "11"]


def test_runs_are_found(make: Make) -> None:
    """They stay in the order in which they began, whatever the clock says."""
    ledger = make()
    assert (ledger.find_run("a"), ledger.last_run()) == (None, None)
    for run, time_, name in [("a", 9.0, "x"), ("b", 5.0, "y"), ("c", 7.0, "x"), ("d", 1.0, "")]:
        ledger.begin(RunInfo(run, time_, {"n": run}, name))
    with pytest.raises(LedgerError, match="there is a run d already"):
        make().begin(RunInfo("d", 2.0))
    ledger = make()
    assert [(info.run, info.time) for info in ledger.runs()] == [("a", 9.0), ("b", 5.0), ("c", 7.0), ("d", 1.0)]
    assert ledger.find_run("b") == RunInfo("b", 5.0, {"n": "b"}, "y")
    assert ledger.find_run("e") is None
    found = [ledger.last_run(name) for name in (None, "x", "y", "", "z")]
    assert [info.run if info else None for info in found] == ["d", "c", "b", "d", None]


# ---------------------------------------------------------------- writers


def test_of_two_writers_one_is_fenced(make: Make) -> None:
    first, second = make(), make()
    first.begin(RunInfo("r", 1.0))
    first.append("r", Record(RecordKind.BEGUN), after=0)
    second.append("r", Record(RecordKind.STARTED, "second"), after=1)
    with pytest.raises(FencedError, match="another process has continued run r"):
        first.append("r", Record(RecordKind.DONE, "first", outputs={"x": 1}), after=1)
    # Nothing of it is there, and both ledgers continue.
    assert [record.step for record in first.records("r")] == ["", "second"]
    with pytest.raises(LedgerError, match="is missing: put back a copy of the ledger"):
        first.value("r", 2, "x")
    first.append("r", Record(RecordKind.DONE, "first", outputs={"x": 1}), after=2)
    assert second.value("r", 3, "x") == 1


def test_records_are_kept_together_or_not_at_all(make: Make) -> None:
    ledger = make()
    ledger.begin(RunInfo("r", 1.0))
    append(make(), Record(RecordKind.BEGUN))
    both = Record(RecordKind.DONE, "1", outputs={"x": 1}, time=7.5), Record(RecordKind.STARTED, "2")
    with pytest.raises(FencedError):
        ledger.append("r", *both, after=0)
    with pytest.raises(LedgerError):
        ledger.append("r", both[0], Record(RecordKind.STARTED, "\ud800"), after=1)
    assert make().count("r") == 1
    last = ledger.append("r", *both, after=1)
    _, *kept = make().records("r")
    assert [(one.seq, one.kind, one.step) for one in kept] == [(2, RecordKind.DONE, "1"), (3, RecordKind.STARTED, "2")]
    assert last == kept[1]
    assert kept[0].time == 7.5 < kept[1].time
    assert make().value("r", 2, "x") == 1


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads have their turn wherever a ledger in memory looks at the time."""

    def look() -> float:
        time.sleep(0.001)
        return time.time()

    for module in ("database_ledger", "sqlite_ledger"):
        monkeypatch.setattr(f"planspec_lark.runs.{module}.time", SimpleNamespace(time=look))


@pytest.mark.usefixtures("slow_clock")
def test_many_writers_at_once(make: Make) -> None:
    """Each number is had by one of them."""
    make().begin(RunInfo("r", 1.0))
    ledgers = [make() for _ in range(4)]
    won: list[int] = []

    def write(ledger: Ledger) -> None:
        for after in range(20):
            with suppress(FencedError):
                ledger.append("r", Record(RecordKind.DONE, str(id(ledger))), after=after)
                won.append(after)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, ledgers))
    assert sorted(won) == list(range(len(won)))
    assert len(won) == make().count("r") == 20


# ---------------------------------------------------------------- leases

ELSEWHERE = evolve(Owner.new(), host="elsewhere")


def test_a_lease_keeps_others_out_until_it_ends(make: Make) -> None:
    ledger = make()
    for run in "rs":
        ledger.begin(RunInfo(run, 1.0))
    mine = Owner.new()

    def check(lease: float) -> None:
        ledger.acquire("r", ELSEWHERE, seconds=lease, takes_over=True)
        with pytest.raises(RunBusyError, match=r"another process is working on run r: process \d+ on elsewhere"):
            make().acquire("r", Owner.new(), seconds=60)
        # A renewed one holds longer, and one run is not the other.
        ledger.acquire("s", ELSEWHERE, seconds=lease, takes_over=True)
        ledger.acquire("s", ELSEWHERE, seconds=60)
        time.sleep(lease + 0.1)
        make().acquire("r", mine, seconds=60)

    with_longer_limits(check, 0.4)
    for run in "rs":
        with pytest.raises(RunBusyError):
            ledger.acquire(run, ELSEWHERE if run == "r" else mine, seconds=60)
    # Who has lost it gives nothing back.
    ledger.release("r", ELSEWHERE)
    with pytest.raises(RunBusyError):
        ledger.acquire("r", ELSEWHERE, seconds=60)
    ledger.release("r", mine)
    ledger.acquire("r", ELSEWHERE, seconds=60)
    ledger.acquire("s", mine, seconds=60, takes_over=True)
    with pytest.raises(RunBusyError):
        ledger.acquire("s", ELSEWHERE, seconds=60)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_process_that_was_killed_holds_no_lease(make: Make) -> None:
    ledger = make()
    ledger.begin(RunInfo("r", 1.0))
    code = (
        "import json, time; from attrs import astuple; from planspec_lark.runs.owner import Owner\n"
        "print(json.dumps(astuple(Owner.new())), flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        its = Owner(*json.loads(process.stdout.readline()))
        ledger.acquire("r", its, seconds=3600)
        with pytest.raises(RunBusyError, match=f"process {process.pid} on "):
            ledger.acquire("r", Owner.new(), seconds=60)
        process.kill()
    ledger.acquire("r", Owner.new(), seconds=60)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_clock_that_is_wrong_takes_no_lease_from_a_process_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SqliteLedger(tmp_path / "a.ledger")) as ledger:
        ledger.begin(RunInfo("r", 1.0))
        mine = Owner.new()
        ledger.acquire("r", mine, seconds=30)
        tomorrow = time.time() + 86_400
        monkeypatch.setattr("planspec_lark.runs.sqlite_ledger.time", SimpleNamespace(time=lambda: tomorrow))
        with pytest.raises(RunBusyError, match=rf"is working on run r: process {mine.process} on [^(]+$"):
            ledger.acquire("r", Owner.new(), seconds=30)
        assert ledger.find_holder("r") == mine
        ledger.acquire("r", evolve(mine, host="elsewhere"), seconds=-1, takes_over=True)
        ledger.acquire("r", Owner.new(), seconds=30)


@pytest.mark.usefixtures("slow_clock")
def test_of_many_that_want_a_lease_one_gets_it(make: Make) -> None:
    """Whether there was none, or one that has ended."""
    ledgers = [make() for _ in range(4)]
    got: list[str] = []
    ready = threading.Barrier(len(ledgers))
    runs = [f"r{number}" for number in range(20)]
    for number, run in enumerate(runs):
        ledgers[0].begin(RunInfo(run, 1.0))
        if number % 2:
            ledgers[0].acquire(run, ELSEWHERE, seconds=0)

    def take(who: int) -> None:
        for run in runs:
            ready.wait()
            with suppress(RunBusyError):
                ledgers[who].acquire(run, evolve(Owner.new(), host=str(who)), seconds=60)
                got.append(run)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(take, range(4)))
    assert got == runs


# ---------------------------------------------------------------- views


def test_views(make: Make) -> None:
    ledger = make()
    for run in "rs":
        ledger.begin(RunInfo(run, 1.0))
    assert (ledger.views("r"), ledger.has_view("r", "1")) == ([], False)
    ledger.add_view("s", "3", "three")
    ledger.add_view("r", "1", "one")
    ledger.confirm_view("r")
    ledger.add_view("r", "2", "two")
    assert make().views("r") == ["two", "one"]
    ledger.confirm_view("r")
    assert (make().views("r"), make().views("s")) == (["two"], ["three"])
    assert [make().has_view("r", digest) for digest in ("1", "2", "3")] == [True, True, False]
