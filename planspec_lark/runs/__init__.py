"""What all runs share: a ledger with one kind of record, leases, history and telemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.runs.history import Event as Event, History as History
    from planspec_lark.runs.ledger import (
        Change as Change,
        FencedError as FencedError,
        Kind as Kind,
        Ledger as Ledger,
        LedgerError as LedgerError,
        Record as Record,
        RunBusyError as RunBusyError,
        RunInfo as RunInfo,
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
            "history": "Event History",
            "ledger": "Change FencedError Kind Ledger LedgerError Record RunBusyError RunInfo",
            "postgres_ledger": "PostgresLedger",
            "prices": "Prices PricesError",
            "sqlite_ledger": "MemoryLedger SqliteLedger ledger_path",
        },
    )
