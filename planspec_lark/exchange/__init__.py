"""Task lists of other tools, in and out, with an account of every line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.exchange.exporter import (
        Exported as Exported,
        export_into as export_into,
        export_plan as export_plan,
    )
    from planspec_lark.exchange.formats import FORMATS as FORMATS
    from planspec_lark.exchange.importer import (
        Imported as Imported,
        import_folder as import_folder,
        import_text as import_text,
    )
    from planspec_lark.exchange.models import Entry as Entry, ExchangeError as ExchangeError, Report as Report
    from planspec_lark.exchange.update import update_text as update_text
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "exporter": "Exported export_into export_plan",
            "formats": "FORMATS",
            "importer": "Imported import_folder import_text",
            "models": "Entry ExchangeError Report",
            "update": "update_text",
        },
    )
