"""Plans that are changed and keep their text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.document.document import PlanDocument as PlanDocument
    from planspec_lark.document.file import (
        LeasedPlan as LeasedPlan,
        PlanBusyError as PlanBusyError,
        PlanEditedError as PlanEditedError,
        PlanFile as PlanFile,
        PlanFileError as PlanFileError,
    )
    from planspec_lark.document.file_lease import FileLease as FileLease
    from planspec_lark.document.mentions import StaleMention as StaleMention
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "document": "PlanDocument",
            "file": "LeasedPlan PlanBusyError PlanEditedError PlanFile PlanFileError",
            "file_lease": "FileLease",
            "mentions": "StaleMention",
        },
    )
