"""Corpora of plans, checked shard by shard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.bulk.models import BulkError as BulkError, BulkOptions as BulkOptions
    from planspec_lark.bulk.report import BulkReport as BulkReport, Found as Found
    from planspec_lark.bulk.runner import run_bulk as run_bulk
else:
    __getattr__, __dir__, __all__ = attach(
        __name__, {"models": "BulkError BulkOptions", "report": "BulkReport Found", "runner": "run_bulk"}
    )
