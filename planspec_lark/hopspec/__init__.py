"""HopSpec steps: models, and converting from and to plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.hopspec.convert import plan_to_steps as plan_to_steps, steps_to_plan as steps_to_plan
    from planspec_lark.hopspec.models import StepInfo as StepInfo
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"convert": "plan_to_steps steps_to_plan", "models": "StepInfo"})
