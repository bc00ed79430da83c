"""Assertions on plans, and snapshots of them; pytest loads `plugin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.pytest_plugin.assertions import (
        PlanAssertion as PlanAssertion,
        StepAssertion as StepAssertion,
        assert_plan as assert_plan,
    )
    from planspec_lark.pytest_plugin.normalizers import plan_without as plan_without
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "assertions": "PlanAssertion StepAssertion assert_plan",
            "normalizers": "plan_without",
        },
    )
