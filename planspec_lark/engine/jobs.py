"""A run as a job: two functions that a job system may call on any machine, as often as it likes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Any

from planspec_lark.engine.language import RunResult
from planspec_lark.engine.models import Operator, Planner, Reflector
from planspec_lark.engine.run_rules import PlanRunError
from planspec_lark.engine.shared_run import share_run
from planspec_lark.engine.think import ThinkEngine, no_operator
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.runs.ledger import FencedError, Ledger, RecordKind, RunBusyError
from planspec_lark.runs.postgres_ledger import PostgresLedger
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["continue_run", "submit_plan"]


def submit_plan(
    database: str | Ledger, plan: PlanSpec, run: str, *, name: str = "", inputs: Mapping[str, Any] | None = None
) -> None:
    """Write the beginning of a run, for another process to continue. Nothing is run yet.

    It may be called again, with the same plan: there is one run of this id.

    Args:
        database: where the ledger is: a database of PostgreSQL, as ``postgresql://user@host/database``, or a ledger.
        plan: the plan, which is left as it is.
        run: the id of the run.
        name: what it is called, which other runs may be as well.
        inputs: values by name, as JSON can say them.

    Raises:
        PlanRunError: the plan has faults that keep it from being run, or the run has begun with another one.
        RunBusyError: another process was about to write this beginning for 30 seconds, and has not.
        LedgerError: the ledger cannot be read or written.
    """
    if not run:
        raise ValueError("run: a run needs an id")
    with _opened(database) as ledger:
        ThinkEngine(plan, no_operator, inputs=inputs or {}, ledger=ledger, run_id=run, run_name=name).begin()
        begun = next(ledger.records(run, kinds=[RecordKind.BEGUN], limit=1))
        if parse_plan(begun.plan or "") != parse_plan(serialize_plan(plan)):
            raise PlanRunError(f"run {visible_name(run)} has begun with another plan")


def continue_run(  # noqa: PLR0913  (what a run is given)
    database: str | Ledger,
    run: str,
    operator: Operator,
    reflector: Reflector | None = None,
    planner: Planner | None = None,
    *,
    share: bool = False,
    **options: Any,
) -> RunResult | None:
    """Continue a run from its ledger until it ends.

    It may be called at any time, on any machine, by several at once: one of them is at work, and a step that is done is
    not done again. A step that a crash has cut off is begun again with the same key.

    With ``share``, all of them are at work until the run has ended: one holds the run, and chooses steps, reflects,
    plans and writes; each makes ``jobs`` calls of the operator at a time. Where one dies, another one makes its calls,
    with the same keys, and holds the run if need be. All of them are to be called with the same options.

    Args:
        database: as for :func:`submit_plan`.
        run: the id of the run.
        operator: as for :class:`~planspec_lark.engine.ThinkEngine`. Where steps are shared it is called in threads or,
            if it is asynchronous, in one loop beside this thread; ``plan_state`` of a call reads the ledger then.
        reflector: as there.
        planner: as there.
        share: whether the steps are shared; the database is an address then.
        options: the others of the engine, such as ``required``, ``limits``, ``budget`` and ``runner``.

    Returns:
        How it has ended; None where another process is working on it, or has taken it over from this one. Call again
        later then: that process may die. With ``share``, never None.

    Raises:
        PlanRunError: there is no such run.
        LedgerError: the ledger cannot be read or written, for the time being or at all.
        Exception: what the reflector or the planner raises, and FatalError from the operator. Of those who share a run,
            this one leaves it then, and the others go on.
    """
    if not run:
        raise ValueError("run: a run needs an id")
    if share:
        if not isinstance(database, str):
            raise TypeError("share: steps are shared in a database of PostgreSQL, whose address has to be given")
        return share_run(database, run, operator, reflector=reflector, planner=planner, **options)
    with _opened(database) as ledger:
        try:
            engine = ThinkEngine(None, operator, reflector, planner, ledger=ledger, run_id=run, **options)
            return engine.run(resume=True)
        except (RunBusyError, FencedError):
            return None


def _opened(database: str | Ledger) -> AbstractContextManager[Ledger]:
    return closing(PostgresLedger(database)) if isinstance(database, str) else nullcontext(database)
