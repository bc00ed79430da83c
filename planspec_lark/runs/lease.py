"""A thread beside each run: it renews the lease, and writes the view now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Condition, RLock, Thread
from time import monotonic

from planspec_lark.cancellation import StopEvent, stop_event
from planspec_lark.runs.ledger import Ledger, LedgerError, RunBusyError
from planspec_lark.runs.owner import Owner

__all__ = ["LEASE_SECONDS", "VIEW_PAUSE", "RunLease", "hold_lease"]

# How long a lease lasts that is not renewed. It is renewed three times as often.
LEASE_SECONDS = 30.0
# Seconds between two looks at a lease that another process holds.
_LOOK = 0.25
# Seconds between two looks whether a run is to end what is under way.
_GLANCE = 1.0
# Seconds between two writes of a view.
VIEW_PAUSE = 0.5
# A view takes at most this part of the time, however long it takes to write it.
_SHARE = 0.05


@contextmanager
def hold_lease(  # noqa: PLR0913  (what is beside a run)
    ledger: Ledger,
    run: str,
    *,
    write: Callable[[], None] | None = None,
    pause: float = VIEW_PAUSE,
    takes_over: bool = False,
    wait: float = 0,
) -> Iterator[RunLease]:
    """Hold the lease of a run as long as this block lasts, and keep its view up to date.

    Another process that holds it is waited for, for ``wait`` seconds at most.

    The view is written once more at the end, also where the block raises; what goes wrong with that is raised only
    where the block did not.

    Raises:
        RunBusyError: another process is working on the run.
    """
    until = monotonic() + wait
    while True:
        lease = RunLease(ledger, run, write, pause)
        try:
            ledger.acquire(run, lease.owner, seconds=LEASE_SECONDS, takes_over=takes_over)
            break
        except RunBusyError:
            left = until - monotonic()
            if left <= 0 or stop_event().wait(min(_LOOK, left)):
                raise
    lease.start()
    try:
        yield lease
    except BaseException:
        with suppress(Exception):
            lease.flush()
        raise
    else:
        lease.flush()
    finally:
        lease.close()
        try:
            ledger.release(run, lease.owner)
        except LedgerError:
            lease.owner.give_up()


class RunLease:
    """Renews a lease, and writes a view when it is stale.

    Args:
        ledger, run: whose lease it is.
        write: writes the view; None where there is none.
        pause: how many seconds lie between two writes, at least; 0 to write at once, in the thread that asks for it.

    Attributes:
        stopped: set where what is under way is to end.
    """

    def __init__(self, ledger: Ledger, run: str, write: Callable[[], None] | None, pause: float) -> None:
        self.owner = Owner.new()
        self._ledger, self._run, self._write, self._pause = ledger, run, write, pause
        self._wake, self._writing, self.stopped = Condition(), RLock(), StopEvent()
        self._next_look = monotonic() + _GLANCE
        self._is_stale = self._is_closed = False
        self._fault: Exception | None = None
        self._next_write = monotonic() + pause / 4
        self._expiry = monotonic() + LEASE_SECONDS
        # None where the lease was lost.
        self._next_renewal: float | None = monotonic() + LEASE_SECONDS / 3
        self._thread = Thread(target=self._work, name="planspec-lease", daemon=True)

    def start(self) -> None:
        """Begin to renew the lease, which is held by now."""
        self._thread.start()

    def mark(self) -> None:
        """Note that the view is stale."""
        if self._write is None:
            return
        if not self._pause:
            self._is_stale = True
            try:
                self.flush()
            except Exception as error:
                self._fault = error
        elif not self._is_stale:
            with self._wake:
                self._is_stale = True
                self._wake.notify()

    def flush(self) -> None:
        """Write the view now if it is stale; raises what that raises."""
        with self._writing:
            if self._is_stale and self._write is not None:
                began = monotonic()
                self._is_stale = False
                try:
                    self._write()
                except BaseException:
                    self._is_stale = True
                    raise
                now = monotonic()
                self._next_write = now + max(self._pause, (now - began) / _SHARE)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from writing the view within this block; waits for a write that is under way."""
        with self._writing:
            yield

    @property
    def is_at_fault(self) -> bool:
        """Whether there is an error that was not reported yet."""
        return self._fault is not None

    def leave_view(self) -> None:
        """Leave the view as it is from now on."""
        with self._writing:
            self._write = None

    def check(self) -> None:
        """Raise what has gone wrong beside the run, once; after that it is tried again."""
        if self._fault is not None:
            with self._wake:
                fault, self._fault = self._fault, None
                self._wake.notify()
            raise fault

    def close(self) -> None:
        """End the thread, once it has written what it is writing."""
        with self._wake:
            self._is_closed = True
            self._wake.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._wake:
                if not self._is_closed:
                    self._wake.wait(self._left())
                if self._is_closed:
                    return
            try:
                self._do()
            except Exception as error:
                self._fault = error

    def _left(self) -> float | None:
        """Seconds until there is something to do; None where that depends on the run."""
        times = [] if self._next_renewal is None else [self._next_renewal]
        if self._fault is None and self._is_stale and self._pause:
            times.append(self._next_write)
        if not self.stopped.is_set():
            times.append(self._next_look)
        return max(0.0, min(times) - monotonic()) if times else None

    def _do(self) -> None:
        now = monotonic()
        # Whatever is wrong with the view, and however long it takes until it is reported: the run is at work.
        if self._next_renewal is not None and now >= self._next_renewal:
            self._renew(now)
        if not self.stopped.is_set() and now >= self._next_look:
            self._look()
        if self._fault is None and self._is_stale and self._pause and now >= self._next_write:
            self.flush()

    def _look(self) -> None:
        # What is wrong with the ledger for long, the next renewal finds as well.
        with suppress(LedgerError):
            if self._ledger.is_asked_to_stop(self._run, now=True):
                self.stopped.set()
        self._next_look = monotonic() + _GLANCE

    def _renew(self, now: float) -> None:
        self._next_renewal = None
        try:
            self._ledger.acquire(self._run, self.owner, seconds=LEASE_SECONDS)
        except RunBusyError:
            raise
        except LedgerError:
            # What keeps a ledger busy may be over before the lease is.
            if monotonic() >= self._expiry:
                raise
            self._next_renewal = monotonic() + LEASE_SECONDS / 30
        else:
            self._expiry, self._next_renewal = now + LEASE_SECONDS, now + LEASE_SECONDS / 3
