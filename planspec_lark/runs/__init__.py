"""What all runs share: ledger, leases, limits, driver, history, telemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.runs.history import History as History, HistoryEvent as HistoryEvent
    from planspec_lark.runs.ledger import (
        FencedError as FencedError,
        Ledger as Ledger,
        LedgerError as LedgerError,
        Record as Record,
        RecordKind as RecordKind,
        RunBusyError as RunBusyError,
        RunInfo as RunInfo,
        StepUpdate as StepUpdate,
    )
    from planspec_lark.runs.limits import (
        Answer as Answer,
        Budget as Budget,
        Effort as Effort,
        FatalError as FatalError,
        StepPolicy as StepPolicy,
        TransientError as TransientError,
    )
    from planspec_lark.runs.postgres_ledger import PostgresLedger as PostgresLedger
    from planspec_lark.runs.prices import Prices as Prices, PricesError as PricesError
    from planspec_lark.runs.sqlite_ledger import (
        MemoryLedger as MemoryLedger,
        SqliteLedger as SqliteLedger,
        ledger_path as ledger_path,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "history": "HistoryEvent History",
            "ledger": "StepUpdate FencedError RecordKind Ledger LedgerError Record RunBusyError RunInfo",
            "limits": "Answer Budget Effort FatalError StepPolicy TransientError",
            "postgres_ledger": "PostgresLedger",
            "prices": "Prices PricesError",
            "sqlite_ledger": "MemoryLedger SqliteLedger ledger_path",
        },
    )
