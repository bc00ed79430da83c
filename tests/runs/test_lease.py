"""What goes on beside a run: its lease and its view."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.runs import MemoryLedger, RunInfo, lease as module
from planspec_lark.runs.lease import RunLease, hold_lease
from planspec_lark.runs.ledger import LedgerError, RunBusyError
from planspec_lark.runs.owner import Owner
from tests.timing import with_longer_limits


def make_ledger() -> MemoryLedger:
    made = MemoryLedger()
    made.begin(RunInfo("r", 1.0))
    return made


@pytest.fixture
def ledger() -> MemoryLedger:
    return make_ledger()


def _wait_for(what: object, of: list[object]) -> None:
    end = time.monotonic() + 30
    while what not in of:
        assert time.monotonic() < end
        time.sleep(0.01)


def _fault(lease: RunLease) -> Exception:
    """What goes wrong beside a run, once it has."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            lease.check()
        except Exception as error:
            return error
        time.sleep(0.01)
    raise AssertionError


def _mark_and_fail(lease: RunLease) -> None:
    lease.mark()
    raise KeyError


def test_a_view_is_written_while_the_run_waits(ledger: MemoryLedger) -> None:
    written: list[object] = []
    with hold_lease(ledger, "r", write=lambda: written.append(threading.current_thread().name), pause=0.01) as lease:
        lease.mark()
        _wait_for("planspec-lease", written)


@pytest.mark.parametrize(("pause", "times"), [(60, 1), (0, 3)])
def test_changes_are_written_together_in_a_pause(ledger: MemoryLedger, pause: float, times: int) -> None:
    written: list[str] = []
    with hold_lease(ledger, "r", write=lambda: written.append(threading.current_thread().name), pause=pause) as lease:
        for _ in range(3):
            lease.mark()
    assert written == [threading.current_thread().name] * times


@pytest.mark.parametrize("pause", [0, 0.01])
def test_what_goes_wrong_is_told_once_and_tried_again(ledger: MemoryLedger, pause: float) -> None:
    faults = [OSError("full")]
    tried: list[object] = []

    def write() -> None:
        tried.append(len(faults))
        if faults:
            raise faults.pop()

    with hold_lease(ledger, "r", write=write, pause=pause) as lease:
        lease.mark()
        _wait_for(1, tried)
        assert "full" in str(_fault(lease))
        lease.check()
    assert tried == [1, 0]


def test_a_fault_at_the_end_is_raised_but_for_another_one(ledger: MemoryLedger) -> None:
    def write() -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"), hold_lease(ledger, "r", write=write, pause=60) as lease:
        lease.mark()
    with pytest.raises(KeyError), hold_lease(ledger, "r", write=write, pause=60) as lease:
        _mark_and_fail(lease)


def test_a_lease_is_renewed_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    other = evolve(Owner.new(), host="elsewhere")

    def check(seconds: float) -> None:
        ledger = make_ledger()
        monkeypatch.setattr(module, "LEASE_SECONDS", seconds)
        with hold_lease(ledger, "r"):
            time.sleep(3 * seconds)
            with pytest.raises(RunBusyError, match="another process is working on run r: process "):
                ledger.acquire("r", other, seconds=1)
        ledger.acquire("r", other, seconds=1)

    with_longer_limits(check, 0.3)


def test_a_lease_that_was_lost_ends_the_run(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEASE_SECONDS", 0.3)
    other = evolve(Owner.new(), host="elsewhere")
    with hold_lease(ledger, "r") as lease:
        ledger.acquire("r", other, seconds=60, takes_over=True)
        fault = _fault(lease)
        assert isinstance(fault, RunBusyError)
        assert "elsewhere" in str(fault)
    # It is not the other one's that was given back.
    with pytest.raises(RunBusyError):
        ledger.acquire("r", Owner.new(), seconds=1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_lease_is_renewed_whatever_is_wrong_with_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(seconds: float) -> None:
        ledger = make_ledger()
        monkeypatch.setattr(module, "LEASE_SECONDS", seconds)
        tried: list[object] = []

        def write() -> None:
            tried.append("view")
            raise OSError("full")

        with suppress(OSError), hold_lease(ledger, "r", write=write, pause=0.01) as lease:
            lease.mark()
            _wait_for("view", tried)
            # A step is at work, and no process was told of it.
            time.sleep(2 * seconds)
            with pytest.raises(RunBusyError):
                ledger.acquire("r", evolve(Owner.new(), host="elsewhere"), seconds=1)

    with_longer_limits(check, 0.3)


@pytest.mark.parametrize(("part", "is_told"), [(1 / 3, False), (100, True)])
def test_a_ledger_that_is_busy_for_a_while(monkeypatch: pytest.MonkeyPatch, part: float, is_told: bool) -> None:
    """A part of the time that a lease holds."""
    take = MemoryLedger.acquire

    def check(seconds: float) -> None:
        monkeypatch.setattr(module, "LEASE_SECONDS", seconds)
        asked: list[float] = []

        def acquire(*given: Any, **more: Any) -> None:
            asked.append(time.monotonic())
            if len(asked) > 1 and time.monotonic() - asked[1] < part * seconds:
                raise LedgerError("locked")
            take(*given, **more)

        monkeypatch.setattr(MemoryLedger, "acquire", acquire)
        with hold_lease(make_ledger(), "r") as lease:
            time.sleep(2.5 * seconds)
            assert lease.is_at_fault is is_told

    with_longer_limits(check, 0.6)


def test_a_holder_that_was_refused_does_not_take_the_lease_later(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threading.active_count()

    def check(seconds: float) -> None:
        ledger = make_ledger()
        monkeypatch.setattr(module, "LEASE_SECONDS", seconds)
        with hold_lease(ledger, "r"):
            with pytest.raises(RunBusyError), hold_lease(ledger, "r"):
                pytest.fail("another process is at work")
            assert threading.active_count() == before + 1
        assert threading.active_count() == before
        for _ in range(5):
            time.sleep(seconds / 3)
            with hold_lease(ledger, "r"):
                pass

    with_longer_limits(check, 0.15)
