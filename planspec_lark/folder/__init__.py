"""The folder planspec/ of a project: names, listing, new plans, the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.folder.folder import PlanFolder as PlanFolder
    from planspec_lark.folder.models import (
        FolderError as FolderError,
        FolderErrorReason as FolderErrorReason,
        PlanEntry as PlanEntry,
    )
    from planspec_lark.folder.project import ProjectSettings as ProjectSettings, read_project as read_project
    from planspec_lark.folder.settings import FolderSettings as FolderSettings, settings_of as settings_of
    from planspec_lark.folder.skeleton import make_skeleton as make_skeleton
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "folder": "PlanFolder",
            "models": "PlanEntry FolderError FolderErrorReason",
            "project": "ProjectSettings read_project",
            "settings": "FolderSettings settings_of",
            "skeleton": "make_skeleton",
        },
    )
