"""The table of work: who may take a call, write what came of it, and who may not."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
from attrs import evolve

from planspec_lark.runs import FencedError, LedgerError, PostgresLedger, RunInfo
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.work_table import TakenWork, WorkLedger
from tests.runs.test_postgres import Forgetful, cut_off, execute

HOLDER, ONE, OTHER = Owner.new(), Owner.new(), evolve(Owner.new(), host="elsewhere")
CALLS = {"k1": "a", "k2": "b", "k3": "c"}


@pytest.fixture
def ledger(database: str) -> Iterator[WorkLedger]:
    """A run with three calls."""
    with closing(WorkLedger(database)) as made:
        made.begin(RunInfo("r", 1.0))
        made.acquire("r", HOLDER, seconds=60)
        made.put_work("r", HOLDER, CALLS)
        yield made


def expire(database: str, key: str = "k1") -> None:
    """As if nobody had renewed the lease of a call."""
    execute(database, f"UPDATE planspec.work SET until = until - 60 WHERE key = '{key}'")


def hand_in(ledger: WorkLedger, owner: Owner, taken: TakenWork, outcome: str) -> None:
    ledger.take_work("r", owner, 0, (), {taken: outcome})


def outcomes(ledger: WorkLedger) -> dict[str, str]:
    return dict(ledger.hear_of_work("r", HOLDER, [*CALLS]).outcomes)


# ---------------------------------------------------------------- taking


def test_each_call_is_taken_once_in_order(ledger: WorkLedger) -> None:
    [first] = ledger.take_work("r", ONE, 1)
    assert first == TakenWork("k1", 1, "a")
    assert [taken.key for taken in ledger.take_work("r", OTHER, 5)] == ["k2", "k3"]
    assert ledger.take_work("r", ONE, 5, [first]) == []
    news = ledger.hear_of_work("r", HOLDER, [*CALLS])
    assert (news.taken, news.free, news.outcomes) == (3, 0, {})
    assert ledger.take_work("s", OTHER, 5) == []


def test_a_call_that_another_is_about_to_take_is_not_waited_for(ledger: WorkLedger, database: str) -> None:
    with psycopg.connect(database) as base:
        base.execute("SELECT 1 FROM planspec.work WHERE key = 'k1' FOR UPDATE")
        assert [taken.key for taken in ledger.take_work("r", ONE, 1)] == ["k2"]


def test_many_take_at_once(ledger: WorkLedger, database: str) -> None:
    ledger.put_work("r", HOLDER, {f"m{number}": "x" for number in range(60)})
    ready = threading.Barrier(4)

    def take() -> list[str]:
        with closing(WorkLedger(database)) as own:
            owner, known = Owner.new(), list[TakenWork]()
            ready.wait()
            while taken := own.take_work("r", owner, 2, known):
                known += taken
            return [one.key for one in known]

    with ThreadPoolExecutor(4) as threads:
        found = [each.result() for each in [threads.submit(take) for _ in range(4)]]
    assert sorted(key for keys in found for key in keys) == sorted([*CALLS, *(f"m{number}" for number in range(60))])


# ---------------------------------------------------------------- outcomes


def test_what_came_of_a_call_is_handed_over(ledger: WorkLedger) -> None:
    [taken] = ledger.take_work("r", ONE, 1)
    hand_in(ledger, ONE, taken, "done")
    assert outcomes(ledger) == {"k1": "done"}
    # Others may write nothing, nor the same one anything else.
    hand_in(ledger, ONE, taken, "again")
    hand_in(ledger, OTHER, taken, "theirs")
    assert outcomes(ledger) == {"k1": "done"}
    assert ledger.hear_of_work("r", HOLDER, ["k2"]).outcomes == {}
    ledger.put_work("r", HOLDER, {}, ["k1"])
    assert outcomes(ledger) == {}
    assert [one.key for one in ledger.take_work("r", ONE, 5)] == ["k2", "k3"]


def test_a_lease_that_is_past_is_another_ones(ledger: WorkLedger, database: str) -> None:
    [late] = ledger.take_work("r", ONE, 1)
    expire(database)
    [now] = ledger.take_work("r", OTHER, 1)
    assert (now.key, now.take) == ("k1", 2)
    hand_in(ledger, ONE, late, "late")
    assert outcomes(ledger) == {}
    hand_in(ledger, OTHER, now, "in time")
    assert outcomes(ledger) == {"k1": "in time"}


def test_the_same_process_gets_a_new_number(ledger: WorkLedger, database: str) -> None:
    [late] = ledger.take_work("r", ONE, 1)
    expire(database)
    # It is at work on it, and hears that it has lost it when it renews.
    assert [taken.key for taken in ledger.take_work("r", ONE, 1, [late])] == []
    assert ledger.renew_work("r", ONE) == {("k1", 2)}
    hand_in(ledger, ONE, late, "late")
    assert outcomes(ledger) == {}


def test_a_lease_is_renewed_by_the_clock_of_the_server(
    ledger: WorkLedger, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 4e9)
    left = "SELECT until - extract(epoch FROM clock_timestamp()) FROM planspec.work WHERE key = 'k1'"
    ledger.take_work("r", ONE, 2)
    assert 20 < execute(database, left)[0][0] <= 30
    expire(database)
    assert ledger.renew_work("r", ONE) == {("k1", 1), ("k2", 1)}
    assert 20 < execute(database, left)[0][0] <= 30
    assert [taken.key for taken in ledger.take_work("r", OTHER, 5)] == ["k3"]


def test_what_is_given_back_is_free(ledger: WorkLedger) -> None:
    """What was handed in before counts, and what is handed in with it, but nothing later."""
    first, second, third = ledger.take_work("r", ONE, 3)
    hand_in(ledger, ONE, first, "done")
    ledger.return_work("r", ONE, {second: "done as well"})
    assert [taken.key for taken in ledger.take_work("r", OTHER, 5)] == ["k3"]
    hand_in(ledger, ONE, third, "late")
    assert outcomes(ledger) == {"k1": "done", "k2": "done as well"}


def test_what_a_process_has_left_that_has_ended_is_free(ledger: WorkLedger) -> None:
    code = "from planspec_lark.runs.owner import Owner; from attrs import astuple; print(*astuple(Owner.new()))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    gone = Owner(said[0], int(said[1]), said[2], said[3])
    ledger.take_work("r", gone, 1)
    ledger.take_work("r", OTHER, 1)
    ledger.take_work("r", ONE, 1)
    ledger.free_lost_work("r")
    # Of another machine nothing is known.
    assert [taken.key for taken in ledger.take_work("r", ONE, 5)][:1] == ["k1"]
    assert ledger.renew_work("r", OTHER) == {("k2", 1)}


# ---------------------------------------------------------------- holders


def test_who_does_not_hold_the_run_puts_nothing_there(ledger: WorkLedger) -> None:
    ledger.acquire("r", OTHER, seconds=60, takes_over=True)
    for call in (
        lambda: ledger.put_work("r", HOLDER, {"k4": "d"}),
        lambda: ledger.put_work("r", HOLDER, {}, ["k1"]),
        lambda: ledger.hear_of_work("r", HOLDER, []),
        lambda: ledger.withdraw_work("r", HOLDER),
        lambda: ledger.adopt_work("r", HOLDER, []),
    ):
        with pytest.raises(FencedError, match="another process has continued run r"):
            call()
    assert len(ledger._execute("SELECT key FROM work")) == 3


def test_what_a_holder_has_left_waits_for_the_next_one(ledger: WorkLedger) -> None:
    [first] = ledger.take_work("r", ONE, 1)
    ledger.release("r", HOLDER)
    assert ledger.take_work("r", ONE, 5, [first]) == []
    ledger.acquire("r", OTHER, seconds=60)
    assert ledger.take_work("r", ONE, 5, [first]) == []
    hand_in(ledger, ONE, first, "done")
    ledger.adopt_work("r", OTHER, ["k1", "k3"])
    assert [taken.key for taken in ledger.take_work("r", ONE, 5)] == ["k3"]
    assert ledger.hear_of_work("r", OTHER, [*CALLS]).outcomes == {"k1": "done"}


def test_a_call_that_asks_for_the_same_goes_on(ledger: WorkLedger) -> None:
    first, second = ledger.take_work("r", ONE, 2)
    hand_in(ledger, ONE, first, "done")
    ledger.put_work("r", HOLDER, CALLS)
    assert outcomes(ledger) == {"k1": "done"}
    hand_in(ledger, ONE, second, "done as well")
    assert outcomes(ledger) == {"k1": "done", "k2": "done as well"}


def test_a_call_that_asks_for_something_else_is_made_again(ledger: WorkLedger) -> None:
    first, second = ledger.take_work("r", ONE, 2)
    hand_in(ledger, ONE, first, "done")
    ledger.put_work("r", HOLDER, {"k1": "new", "k2": "new"})
    hand_in(ledger, ONE, second, "of the old one")
    assert outcomes(ledger) == {}
    assert ledger.take_work("r", OTHER, 2) == [TakenWork("k1", 2, "new"), TakenWork("k2", 2, "new")]


def test_a_run_that_is_to_stop_begins_nothing(ledger: WorkLedger) -> None:
    [first] = ledger.take_work("r", ONE, 1)
    ledger.ask_to_stop("r")
    assert ledger.take_work("r", ONE, 5, [first]) == []
    assert ledger.hear_of_work("r", HOLDER, []).is_stopped
    assert sorted(ledger.withdraw_work("r", HOLDER)) == ["k2", "k3"]
    hand_in(ledger, ONE, first, "done")
    assert outcomes(ledger) == {"k1": "done"}


def test_a_run_that_goes_leaves_nothing(ledger: WorkLedger, database: str) -> None:
    ledger.begin(RunInfo("s", 1.0))
    ledger.acquire("s", HOLDER, seconds=60)
    ledger.put_work("s", HOLDER, CALLS)
    ledger.remove(["r"])
    assert ledger._execute("SELECT DISTINCT run FROM work") == [("s",)]
    ledger.clear_work("s")
    assert ledger._execute("SELECT run FROM work") == []
    # A ledger without shared runs removes them too.
    ledger.put_work("s", HOLDER, CALLS)
    with closing(PostgresLedger(database)) as other:
        other.remove(["s"])
    assert ledger._execute("SELECT run FROM work") == []


# ---------------------------------------------------------------- connections


class _Forgetful(Forgetful, WorkLedger):
    """It hears nothing of what it has kept, once."""


@pytest.mark.parametrize("lose", [cut_off, None])
def test_a_connection_that_is_lost(database: str, lose: Callable[[str], None] | None) -> None:
    with closing(_Forgetful(database)) as ledger:
        ledger.begin(RunInfo("r", 1.0))
        ledger.acquire("r", HOLDER, seconds=60)

        def disturb() -> None:
            if lose is None:
                ledger.is_cut_off = True
            else:
                lose(database)

        disturb()
        ledger.put_work("r", HOLDER, CALLS)
        disturb()
        taken = ledger.take_work("r", ONE, 3)
        assert taken == [TakenWork("k1", 1, "a"), TakenWork("k2", 1, "b"), TakenWork("k3", 1, "c")]
        disturb()
        hand_in(ledger, ONE, taken[0], "done")
        disturb()
        assert ledger.renew_work("r", ONE) >= {("k2", 1), ("k3", 1)}
        disturb()
        ledger.put_work("r", HOLDER, {}, ["k2"])
        assert outcomes(ledger) == {"k1": "done"}
        disturb()
        ledger.return_work("r", ONE)
        assert ledger.take_work("r", ONE, 3) == [TakenWork("k3", 1, "c")]


def test_an_owner_that_no_ledger_writes(ledger: WorkLedger, database: str) -> None:
    ledger.take_work("r", ONE, 1)
    execute(database, "UPDATE planspec.work SET owner = '[1]' WHERE key = 'k1'")
    with pytest.raises(LedgerError, match="this is not a ledger of plans"):
        ledger.free_lost_work("r")
