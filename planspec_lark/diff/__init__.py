"""Versions of a plan: differences, merging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.diff.compare import diff_plans as diff_plans
    from planspec_lark.diff.merge import merge_plans as merge_plans
    from planspec_lark.diff.models import (
        ChangeKind as ChangeKind,
        FieldChange as FieldChange,
        MergeConflict as MergeConflict,
        MergeResult as MergeResult,
        PlanDiff as PlanDiff,
        StepChange as StepChange,
    )
    from planspec_lark.diff.render import diff_to_dict as diff_to_dict
    from planspec_lark.diff.text_merge import merge_texts as merge_texts
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "compare": "diff_plans",
            "merge": "merge_plans",
            "models": "ChangeKind FieldChange MergeConflict MergeResult PlanDiff StepChange",
            "render": "diff_to_dict",
            "text_merge": "merge_texts",
        },
    )
