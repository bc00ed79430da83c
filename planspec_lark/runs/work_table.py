"""A ledger in PostgreSQL with a table of work: calls of one run that several processes make.

The process that holds the lease of a run puts calls into it, and takes outcomes out. Others take a call by a lease of
their own. That is numbered: whoever has lost it can write nothing any more. The clock is the database's.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from attrs import astuple, frozen

from planspec_lark.runs.database_ledger import encode
from planspec_lark.runs.ledger import FencedError
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.postgres_ledger import PostgresLedger
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["WORK_SECONDS", "TakenWork", "WorkLedger", "WorkNews"]

# How long the lease of a call lasts that is not renewed.
WORK_SECONDS = 30.0

_NOW = "extract(epoch FROM clock_timestamp())"
_OFFER = """
INSERT INTO work AS known (run, key, holder, call) VALUES (?, ?, ?, ?)
ON CONFLICT (run, key) DO UPDATE SET holder = excluded.holder, call = excluded.call,
  outcome = CASE WHEN known.call = excluded.call THEN known.outcome END,
  owner = CASE WHEN known.call = excluded.call THEN known.owner ELSE '' END,
  until = CASE WHEN known.call = excluded.call THEN known.until ELSE 0 END
"""
# What the holder of the run has not put there, or not for itself, is nobody's to take; nor is anything once it is asked
# to stop.
_TAKE = f"""
WITH free AS (
  SELECT work.run, work.key FROM work JOIN leases ON leases.run = work.run AND leases.owner = work.holder
  WHERE work.run = ? AND work.outcome IS NULL AND work.until <= {_NOW} AND leases.stop = 0
  ORDER BY work.number LIMIT ? FOR UPDATE OF work SKIP LOCKED
)
UPDATE work SET owner = ?, until = {_NOW} + ?, take = work.take + 1
FROM free WHERE work.run = free.run AND work.key = free.key
"""  # noqa: S608  (ours alone)
_RENEW = f"""
WITH ours AS (
  SELECT run, key FROM work WHERE run = ? AND owner = ? AND outcome IS NULL FOR UPDATE SKIP LOCKED
)
UPDATE work SET until = {_NOW} + ? FROM ours WHERE work.run = ours.run AND work.key = ours.key
"""  # noqa: S608  (as above)
_FINISH = """
UPDATE work SET outcome = ? WHERE run = ? AND key = ? AND take = ? AND owner = ? AND outcome IS NULL
"""


@frozen
class TakenWork:
    """A call that a process has taken.

    Attributes:
        key: of the call.
        take: how often it was taken: what is written needs the last number.
        call: what is to be called, as JSON.
    """

    key: str
    take: int
    call: str


@frozen
class WorkNews:
    """What has become of calls.

    Attributes:
        outcomes: those that were waited for, as JSON, by their keys.
        taken, free: how many calls of the run are at work, and how many wait for a process.
        is_stopped: whether the run was asked to begin nothing new.
    """

    outcomes: Mapping[str, str]
    taken: int
    free: int
    is_stopped: bool


class WorkLedger(PostgresLedger):
    """A ledger whose runs several processes share. Arguments and errors are as for its base.

    What each method does leaves everything as it is where it is done twice.
    """

    # ---------------------------------------------------------------- who holds the run

    def adopt_work(self, run: str, holder: Owner, keys: Collection[str]) -> None:
        """Go on with what an earlier holder has put there, as far as it has these keys; the rest is withdrawn.

        Raises:
            FencedError: another process holds the run.
        """

        def adopt() -> None:
            self._check_holder(run, holder)
            self._lock_work(run)
            self._execute("DELETE FROM work WHERE run = ? AND NOT key = ANY(?)", (run, [*keys]))
            self._execute("UPDATE work SET holder = ? WHERE run = ?", (_name(holder), run))

        self._commit(adopt)

    def put_work(self, run: str, holder: Owner, calls: Mapping[str, str], ended: Sequence[str] = ()) -> None:
        """Put calls there, and take away what has ended.

        Args:
            run: the run.
            holder: who has its lease.
            calls: calls as JSON, by their keys. One that is there already, and asks for the same, is gone on with.
            ended: keys of calls whose outcomes are in the log.

        Raises:
            FencedError: another process holds the run.
        """

        def put() -> None:
            self._check_holder(run, holder)
            if ended:
                self._execute("DELETE FROM work WHERE run = ? AND key = ANY(?)", (run, [*ended]))
            for key, call in sorted(calls.items()):
                self._execute(_OFFER, (run, key, _name(holder), call))

        self._commit(put)

    def _check_holder(self, run: str, holder: Owner) -> None:
        """Raises FencedError where another process holds the run. Nobody takes its lease before this commits."""
        held = "SELECT 1 FROM leases WHERE run = ? AND owner = ? FOR SHARE"
        if not self._execute(held, (run, _name(holder))):
            raise _fenced(run)

    def _lock_work(self, run: str) -> None:
        # In an order, so that no two wait for each other.
        self._execute("SELECT key FROM work WHERE run = ? ORDER BY key FOR UPDATE", (run,))

    def hear_of_work(self, run: str, holder: Owner, keys: Collection[str]) -> WorkNews:
        """What has become of calls; outcomes are read of those with these keys.

        Raises:
            FencedError: another process holds the run.
        """
        said = (
            f"SELECT leases.stop, count(*) FILTER (WHERE work.until > {_NOW}), "  # noqa: S608
            f"count(*) FILTER (WHERE work.until <= {_NOW}) FROM leases "
            "LEFT JOIN work ON work.run = leases.run AND work.outcome IS NULL "
            "WHERE leases.run = ? AND leases.owner = ? GROUP BY leases.stop"
        )
        found = "SELECT key, outcome FROM work WHERE run = ? AND outcome IS NOT NULL AND key = ANY(?)"
        with self._errors():
            lease = self._execute(said, (run, _name(holder)))
            if not lease:
                raise _fenced(run)
            stop, taken, free = lease[0]
            outcomes = dict(self._execute(found, (run, [*keys]))) if keys else {}
        return WorkNews(outcomes, int(taken), int(free), bool(stop))

    def withdraw_work(self, run: str, holder: Owner) -> list[str]:
        """Take back all calls that no process is at work on; gives their keys.

        Raises:
            FencedError: another process holds the run.
        """
        # Locked first, so that nobody takes them meanwhile.
        free = f"SELECT key FROM work WHERE run = ? AND outcome IS NULL AND until <= {_NOW} FOR UPDATE SKIP LOCKED"  # noqa: S608
        withdrawn: list[str] = []

        def withdraw() -> None:
            self._check_holder(run, holder)
            withdrawn.extend(key for (key,) in self._execute(free, (run,)))
            self._execute("DELETE FROM work WHERE run = ? AND key = ANY(?)", (run, withdrawn))

        self._commit(withdraw)
        return withdrawn

    def find_work(self, run: str) -> set[str]:
        """The keys of all calls of a run that are there, ended or not."""
        with self._errors():
            return {key for (key,) in self._execute("SELECT key FROM work WHERE run = ?", (run,))}

    def free_lost_work(self, run: str) -> None:
        """Let others take the calls of processes on this machine that have ended."""
        owners = f"SELECT DISTINCT owner FROM work WHERE run = ? AND outcome IS NULL AND until > {_NOW}"  # noqa: S608
        with self._errors():
            gone = [said for (said,) in self._execute(owners, (run,)) if Owner(*json.loads(said)).is_alive() is False]
        if gone:
            free = "UPDATE work SET until = 0, owner = '' WHERE run = ? AND outcome IS NULL AND owner = ANY(?)"
            self._commit(partial(self._execute, free, (run, gone)))

    def clear_work(self, run: str) -> None:
        """Withdraw all calls of a run."""

        def clear() -> None:
            self._lock_work(run)
            self._execute("DELETE FROM work WHERE run = ?", (run,))

        self._commit(clear)

    # ---------------------------------------------------------------- who works

    def take_work(
        self,
        run: str,
        owner: Owner,
        most: int,
        known: Collection[TakenWork] = (),
        ended: Mapping[TakenWork, str] = MappingProxyType({}),
    ) -> list[TakenWork]:
        """Hand in outcomes, and take as many calls of a run, at most.

        Args:
            run: the run.
            owner: who works.
            most: how many calls.
            known: those that this owner has already.
            ended: what came of calls, as JSON. Where one was withdrawn, or another process has it, nothing happens.
        """
        said, keys = _name(owner), [one.key for one in known]
        held = "SELECT key, take, call FROM work WHERE run = ? AND owner = ? AND outcome IS NULL AND NOT key = ANY(?)"

        def take() -> list[TakenWork]:
            for one, outcome in sorted(ended.items(), key=_key_of):
                self._execute(_FINISH, (outcome, run, one.key, one.take, said))
            self._execute(_TAKE, (run, most, said, WORK_SECONDS))
            # Also what it has taken where the answer was lost.
            return [TakenWork(*row) for row in self._execute(held, (run, said, keys))]

        taken: list[TakenWork] = self._commit(take)
        return taken

    def renew_work(self, run: str, owner: Owner) -> set[tuple[str, int]]:
        """Renew the leases of an owner; gives the keys and numbers of what it still has."""
        said = _name(owner)
        self._commit(partial(self._execute, _RENEW, (run, said, WORK_SECONDS)))
        held = "SELECT key, take FROM work WHERE run = ? AND owner = ?"
        with self._errors():
            return {(key, int(take)) for key, take in self._execute(held, (run, said))}

    def return_work(self, run: str, owner: Owner, ended: Mapping[TakenWork, str] = MappingProxyType({})) -> None:
        """Hand in outcomes, and let others take what this owner has not ended, as if it had not taken that."""
        said, own = _name(owner), "run = ? AND owner = ? AND outcome IS NULL"

        def give_back() -> None:
            self._execute(f"SELECT key FROM work WHERE {own} ORDER BY key FOR UPDATE", (run, said))  # noqa: S608
            for one, outcome in ended.items():
                self._execute(_FINISH, (outcome, run, one.key, one.take, said))
            self._execute(f"UPDATE work SET until = 0, owner = '', take = take - 1 WHERE {own}", (run, said))  # noqa: S608

        self._commit(give_back)


def _key_of(ended: tuple[TakenWork, str]) -> str:
    # In an order, so that no two wait for each other.
    return ended[0].key


def _name(owner: Owner) -> str:
    """An owner as the table of leases has it."""
    return encode(astuple(owner))


def _fenced(run: str) -> FencedError:
    return FencedError(f"another process has continued run {visible_name(run)}")
