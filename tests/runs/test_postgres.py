"""What holds for ledgers in PostgreSQL alone: the connection, its tables, and what errors say."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest

from planspec_lark import parse_plan
from planspec_lark.engine import OperatorResult, Outcome, StepCall, continue_run, submit_plan
from planspec_lark.runs import LedgerError, PostgresLedger
from planspec_lark.runs.ledger import FencedError, Record, RecordKind, RunBusyError, RunInfo
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.postgres_ledger import hide_password
from tests.cases import in_one_test
from tests.runs.postgres import PASSWORD, Server


def execute(database: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database, autocommit=True) as base:
        cursor = base.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def refusal(database: str, *, read_only: bool = False) -> str:
    with pytest.raises(LedgerError) as error:
        PostgresLedger(database, read_only=read_only).close()
    said = "".join(traceback.format_exception(error.value))
    assert not [part for part in (PASSWORD, "anybody", "not%2Ffor") if part in said]
    return str(error.value)


# ---------------------------------------------------------------- tables


def test_many_make_the_tables_at_once(database: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        for made in [threads.submit(PostgresLedger, database) for _ in range(8)]:
            made.result().close()
    assert execute(database, "SELECT version FROM planspec.version") == [(4,)]


@pytest.mark.parametrize("read_only", [True, False])
def test_a_ledger_of_another_version(database: str, *, read_only: bool) -> None:
    PostgresLedger(database).close()
    execute(database, "UPDATE planspec.version SET version = 9")
    assert "this is a ledger of another version (9)" in refusal(database, read_only=read_only)


def test_a_schema_of_others(database: str) -> None:
    execute(database, "CREATE SCHEMA planspec; CREATE TABLE planspec.runs (mine integer)")
    assert 'relation "runs" already exists' in refusal(database)
    assert execute(database, "SELECT to_regclass('planspec.version') IS NULL") == [(True,)]


def test_a_ledger_that_is_only_read(database: str) -> None:
    # Tables of others have the same name.
    execute(database, "CREATE TABLE runs (mine integer)")
    assert "there is no ledger here" in refusal(database, read_only=True)
    with closing(PostgresLedger(database)) as writer:
        writer.begin(RunInfo("r", 1.0))
    with closing(PostgresLedger(database, read_only=True)) as ledger:
        assert [info.run for info in ledger.runs()] == ["r"]
        with pytest.raises(LedgerError, match="read-only transaction"):
            ledger.begin(RunInfo("s", 1.0))
    assert execute(database, "SELECT count(*) FROM public.runs") == [(0,)]


# ---------------------------------------------------------------- the connection


def test_a_record_waits_for_the_disk(database: str) -> None:
    """Whatever the database does otherwise."""
    name = database.rpartition("/")[2]
    execute(database, f"ALTER DATABASE {name} SET synchronous_commit = off")
    ledger = PostgresLedger(database)
    assert ledger._execute("SELECT current_setting('synchronous_commit')") == [("on",)]
    ledger.close()


def test_a_ledger_goes_on_after_an_error(database: str) -> None:
    ledger = PostgresLedger(database)
    ledger.begin(RunInfo("r", 1.0))
    with pytest.raises(LedgerError, match="violates foreign key constraint"):
        ledger.append("nobody", Record(RecordKind.BEGUN), after=0)
    with pytest.raises(LedgerError, match="NUL"):
        ledger.append("r", Record(RecordKind.BEGUN, plan="\x00"), after=0)
    assert ledger.append("r", Record(RecordKind.BEGUN), after=0).seq == 1
    ledger.close()


def cut_off(database: str) -> None:
    execute(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'planspec'")


def test_a_connection_that_is_lost_is_made_again(database: str) -> None:
    ledger, owner = PostgresLedger(database), Owner.new()
    cut_off(database)
    ledger.begin(RunInfo("r", 1.0))
    for call in (
        lambda: ledger.acquire("r", owner, seconds=30),
        lambda: ledger.append("r", Record(RecordKind.BEGUN), after=0),
        lambda: ledger.add_view("r", "d", "text"),
        lambda: ledger.confirm_view("r"),
        lambda: ledger.add_snapshot("r", "s"),
        lambda: ledger.release("r", owner),
    ):
        cut_off(database)
        call()
    cut_off(database)
    assert ledger.count("r") == 1
    assert ledger.find_run("r") == RunInfo("r", 1.0)
    ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ledger.count("r")


class Forgetful(PostgresLedger):
    """A ledger that hears nothing of what it has kept."""

    is_cut_off = False

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with super()._transaction():
            yield
        if self.is_cut_off:
            self.is_cut_off = False
            self._base.pgconn.finish()
            raise psycopg.OperationalError("the answer is lost")


def test_what_is_kept_is_not_kept_twice(database: str) -> None:
    ledger = Forgetful(database)
    ledger.is_cut_off = True
    ledger.begin(RunInfo("r", 1.0))
    ledger.is_cut_off = True
    record = Record(RecordKind.BEGUN, data={"a": [1]}, outputs={"b": 2})
    assert ledger.append("r", record, after=0).seq == 1
    assert [one.seq for one in ledger.records("r")] == [1]
    ledger.is_cut_off = True
    assert ledger.append("r", record, after=1).seq == 2
    ledger.is_cut_off = True
    assert ledger.append("r", record, record, after=2).seq == 4
    assert ledger.count("r") == 4
    # Another one of this number is another process's.
    with pytest.raises(FencedError):
        ledger.append("r", record, after=1)
    ledger.close()


def test_a_server_that_is_gone(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.runs.postgres_ledger._RECONNECT_SECONDS", 0.5)
    ledger = PostgresLedger(database)
    ledger.begin(RunInfo("r", 1.0))
    monkeypatch.setattr(ledger, "_connect", partial(psycopg.connect, "host=127.0.0.1 port=1"))
    cut_off(database)
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"test_\w+ at 127\.0\.0\.1: "):
            ledger.append("r", Record(RecordKind.BEGUN), after=0)


def test_a_run_outlives_a_restart_of_its_server(postgres: Server, database: str) -> None:
    rows = "".join(f"{at}. [act] step {at}\n" for at in range(1, 7))
    submit_plan(database, parse_plan(f"Goal: g\n## Steps\n{rows}"), "r")
    done: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        done.append(call.step.step_id)
        if call.step.step_id in {"2", "4"}:
            postgres.restart()
        return OperatorResult()

    result = continue_run(database, "r", operate)
    assert result is not None
    assert result.outcome is Outcome.CONVERGED
    assert done == ["1", "2", "3", "4", "5", "6"]


def test_a_server_that_says_that_it_shuts_down_has_gone(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection may not know it yet, and what is raised last may be about something else."""
    with closing(PostgresLedger(database)) as ledger:
        ledger.begin(RunInfo("r", 1.0))
        ask, told = ledger._ask, [psycopg.errors.AdminShutdown("the server shuts down")]

        def shut_down(statement: bytes, values: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
            try:
                if told:
                    raise told.pop()
            except psycopg.Error:
                raise psycopg.OperationalError("cannot exit pipeline mode while busy") from None
            return ask(statement, values)

        monkeypatch.setattr(ledger, "_ask", shut_down)
        ledger.append("r", Record(RecordKind.BEGUN), after=0)
        assert (told, ledger.count("r")) == ([], 1)


def test_leases_go_by_the_clock_of_the_server(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 4e9)
    ledger = PostgresLedger(database)
    ledger.begin(RunInfo("r", 1.0))
    ledger.acquire("r", Owner.new(), seconds=60)
    ((left,),) = execute(database, "SELECT until - extract(epoch FROM clock_timestamp()) FROM planspec.leases")
    assert 50 < left <= 60
    ledger.close()


# ---------------------------------------------------------------- what errors say


def test_no_error_says_a_password(postgres: Server) -> None:
    right = postgres.address()
    assert refusal(right.replace("tester", "nobody")).startswith("postgres at 127.0.0.1: ")
    assert 'database "none" does not exist' in refusal(postgres.address("none"))
    assert "refused" in refusal(right.replace(str(postgres.port), "1"))


@in_one_test
@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://tester:{PASSWORD}@127.0.0.1:1/postgres",
        f"postgresql://tester:{PASSWORD.replace('/', '')}@127.0.0.1:1/postgres",
        "postgresql://tester:anybody/@127.0.0.1:1/postgres",
        "postgresql://tester:no@anybody@127.0.0.1:1/postgres",
        "postgresql://tester:anybody#@127.0.0.1:1/postgres",
        "postgresql://tester:anybody%zz@127.0.0.1:1/postgres",
        "postgresql://tester@127.0.0.1:1/postgres?pasword=anybody",
        "postgresql://[anybody",
        f"host=127.0.0.1 port=1 password={PASSWORD}",
        f"host=127.0.0.1 port=1 password='{PASSWORD}",
        "anybody",
        "host=127.0.0.1 port=1 password=anybody dbname=x",
    ],
)
def test_no_refusal_of_an_address_says_a_part_of_a_password(address: str) -> None:
    refusal(address)


def test_an_address_without_its_password(postgres: Server) -> None:
    hidden = hide_password(postgres.address("x") + "?sslpassword=anybody")
    assert hidden == f"user=tester dbname=x host=127.0.0.1 port={postgres.port}"


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert refusal("postgresql://x").endswith("pip install 'planspec-lark[distributed]'")


def test_a_lease_that_is_given_back_while_another_wants_it(database: str) -> None:
    with closing(PostgresLedger(database)) as first, closing(PostgresLedger(database)) as second:
        first.begin(RunInfo("r", 1.0))
        ours, theirs = Owner.new(), Owner.new()
        first.acquire("r", theirs, seconds=60)
        execute = second._execute

        def slow(statement: str, values: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
            if statement.startswith("SELECT owner"):
                # Whatever was sent so far has arrived.
                execute("SELECT 1")
                first.release("r", theirs)
            return execute(statement, values)

        second._execute = slow  # type: ignore[method-assign]
        second.acquire("r", ours, seconds=60)
        with pytest.raises(RunBusyError):
            first.acquire("r", theirs, seconds=60)
