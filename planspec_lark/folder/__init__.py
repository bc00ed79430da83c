"""The folder planspec/ of a project: names, listing, new plans, the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.folder.folder import PlanFolder as PlanFolder
    from planspec_lark.folder.models import PlanEntry as PlanEntry, StoreError as StoreError, StoreReason as StoreReason
    from planspec_lark.folder.settings import Settings as Settings, settings_of as settings_of
    from planspec_lark.folder.skeleton import make_skeleton as make_skeleton
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "folder": "PlanFolder",
            "models": "PlanEntry StoreError StoreReason",
            "settings": "Settings settings_of",
            "skeleton": "make_skeleton",
        },
    )
