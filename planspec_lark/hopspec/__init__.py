"""HopSpec documents, and conversion from and to plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.hopspec.check import check_hopspec as check_hopspec, fix_hopspec as fix_hopspec
    from planspec_lark.hopspec.conversion import (
        ConversionLoss as ConversionLoss,
        hopspec_to_plan as hopspec_to_plan,
        plan_to_hopspec as plan_to_hopspec,
    )
    from planspec_lark.hopspec.models import HopSpec as HopSpec, StepInfo as StepInfo
    from planspec_lark.hopspec.parser import (
        HopSpecScan as HopSpecScan,
        parse_hopspec as parse_hopspec,
        parse_hopspec_tree as parse_hopspec_tree,
        scan_hopspec as scan_hopspec,
    )
    from planspec_lark.hopspec.printer import serialize_hopspec as serialize_hopspec
    from planspec_lark.hopspec.step_conversion import plan_to_steps as plan_to_steps, steps_to_plan as steps_to_plan
    from planspec_lark.hopspec.transformer import HopSpecTransformer as HopSpecTransformer
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "check": "check_hopspec fix_hopspec",
            "step_conversion": "plan_to_steps steps_to_plan",
            "conversion": "ConversionLoss hopspec_to_plan plan_to_hopspec",
            "models": "HopSpec StepInfo",
            "parser": "HopSpecScan parse_hopspec parse_hopspec_tree scan_hopspec",
            "printer": "serialize_hopspec",
            "transformer": "HopSpecTransformer",
        },
    )
