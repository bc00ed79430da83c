"""Language models' answers that hold a plan: taking it out, and having it repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.answers.extract import (
        Extraction as Extraction,
        Repair as Repair,
        extract_plan as extract_plan,
    )
    from planspec_lark.answers.patch import SpliceResult as SpliceResult, splice as splice
    from planspec_lark.answers.questions import RepairScope as RepairScope
    from planspec_lark.answers.repair import repair_prompt as repair_prompt
    from planspec_lark.answers.risk import Risk as Risk
    from planspec_lark.answers.rounds import (
        RepairCost as RepairCost,
        RepairedPlan as RepairedPlan,
        RepairRound as RepairRound,
        repair_plan as repair_plan,
    )
    from planspec_lark.answers.verdict import Verdict as Verdict
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "extract": "Extraction Repair extract_plan",
            "questions": "RepairScope",
            "repair": "repair_prompt",
            "risk": "Risk",
            "rounds": "RepairCost RepairRound RepairedPlan repair_plan",
            "patch": "SpliceResult splice",
            "verdict": "Verdict",
        },
    )
