"""Plans in language models' answers: taken out, and repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.answers.extract import (
        Extraction as Extraction,
        Remark as Remark,
        Repair as Repair,
        extract_plan as extract_plan,
        scan_plan as scan_plan,
    )
    from planspec_lark.answers.repair import RepairScope as RepairScope
    from planspec_lark.answers.rounds import (
        RepairCost as RepairCost,
        RepairedPlan as RepairedPlan,
        RepairRound as RepairRound,
        repair_plan as repair_plan,
    )
    from planspec_lark.answers.stream import (
        PlanEvent as PlanEvent,
        PlanEventKind as PlanEventKind,
        PlanStream as PlanStream,
        StreamEnd as StreamEnd,
    )
    from planspec_lark.answers.verdict import Verdict as Verdict
    from planspec_lark.syntax.codes import Risk as Risk
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "extract": "Extraction Remark Repair extract_plan scan_plan",
            "repair": "RepairScope",
            "rounds": "RepairCost RepairRound RepairedPlan repair_plan",
            "stream": "PlanEvent PlanEventKind PlanStream StreamEnd",
            "verdict": "Risk Verdict",
        },
    )
