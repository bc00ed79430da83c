"""Task lists of other tools, in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.exchange.exporter import (
        ExportResult as ExportResult,
        export_into as export_into,
        export_plan as export_plan,
    )
    from planspec_lark.exchange.formats import FORMATS as FORMATS
    from planspec_lark.exchange.importer import (
        ImportResult as ImportResult,
        import_text as import_text,
    )
    from planspec_lark.exchange.models import (
        ExchangeReport as ExchangeReport,
        NoListError as NoListError,
        ReportEntry as ReportEntry,
    )
    from planspec_lark.exchange.update import update_text as update_text
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "exporter": "ExportResult export_into export_plan",
            "formats": "FORMATS",
            "importer": "ImportResult import_text",
            "models": "ExchangeReport NoListError ReportEntry",
            "update": "update_text",
        },
    )
