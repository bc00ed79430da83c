"""Language models' answers that hold a plan: taking it out, and having single lines repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.answers.extract import (
        Extraction as Extraction,
        Repair as Repair,
        Verdict as Verdict,
        extract_plan as extract_plan,
    )
    from planspec_lark.answers.patch import Spliced as Spliced, splice as splice
    from planspec_lark.answers.repair import repair_prompt as repair_prompt
    from planspec_lark.answers.risk import Risk as Risk
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "extract": "Extraction Repair Verdict extract_plan",
            "repair": "repair_prompt",
            "risk": "Risk",
            "patch": "Spliced splice",
        },
    )
