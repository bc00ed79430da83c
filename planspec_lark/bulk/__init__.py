"""Corpora of plans: many records in files, read, checked and scored shard by shard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.bulk.engines import run_on_dask as run_on_dask
    from planspec_lark.bulk.models import (
        BulkError as BulkError,
        BulkOptions as BulkOptions,
        BulkTask as BulkTask,
        Shard as Shard,
        ShardReport as ShardReport,
    )
    from planspec_lark.bulk.report import BulkReport as BulkReport
    from planspec_lark.bulk.runner import BulkProgress as BulkProgress, run_bulk as run_bulk
    from planspec_lark.bulk.shard import analyze_shard as analyze_shard
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "engines": "run_on_dask",
            "models": "BulkError BulkOptions BulkTask Shard ShardReport",
            "report": "BulkReport",
            "runner": "BulkProgress run_bulk",
            "shard": "analyze_shard",
        },
    )
