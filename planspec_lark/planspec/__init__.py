"""PlanSpec documents: models, reading, printing, folding, validation, lint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.planspec.agenda import (
        NextAction as NextAction,
        StepState as StepState,
        next_step as next_step,
        ready_steps as ready_steps,
        step_states as step_states,
    )
    from planspec_lark.planspec.check import check_text as check_text
    from planspec_lark.planspec.data_flow import (
        DataFlow as DataFlow,
        Link as Link,
        Origin as Origin,
        find_data_flow as find_data_flow,
    )
    from planspec_lark.planspec.diagram import draw_plan as draw_plan
    from planspec_lark.planspec.fixer import FixResult as FixResult, fix_text as fix_text
    from planspec_lark.planspec.fold import (
        collapse_step as collapse_step,
        expand_step as expand_step,
        replace_children as replace_children,
    )
    from planspec_lark.planspec.interchange import (
        PlanValueError as PlanValueError,
        plan_from_dict as plan_from_dict,
        plan_from_json as plan_from_json,
        plan_json_schema as plan_json_schema,
        plan_to_dict as plan_to_dict,
        plan_to_json as plan_to_json,
    )
    from planspec_lark.planspec.lint import lint_plan as lint_plan
    from planspec_lark.planspec.models import (
        PlanSpec as PlanSpec,
        PlanStatus as PlanStatus,
        PlanStep as PlanStep,
        iter_steps as iter_steps,
    )
    from planspec_lark.planspec.parser import (
        GRAMMAR_VERSION as GRAMMAR_VERSION,
        parse_plan as parse_plan,
        parse_tree as parse_tree,
    )
    from planspec_lark.planspec.positions import Positions as Positions, StepPositions as StepPositions
    from planspec_lark.planspec.printer import serialize_plan as serialize_plan
    from planspec_lark.planspec.rules import validate_plan as validate_plan
    from planspec_lark.planspec.scan_result import ScanResult as ScanResult
    from planspec_lark.planspec.transformer import PlanTransformer as PlanTransformer
    from planspec_lark.planspec.tree import (
        available_outputs as available_outputs,
        find_step as find_step,
        next_pending_step as next_pending_step,
        step_order as step_order,
    )
    from planspec_lark.planspec.views import (
        InputOrigin as InputOrigin,
        OutputUse as OutputUse,
        StepView as StepView,
        focus_view as focus_view,
        next_step_view as next_step_view,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "agenda": "NextAction StepState next_step ready_steps step_states",
            "check": "check_text",
            "data_flow": "DataFlow Link Origin find_data_flow",
            "diagram": "draw_plan",
            "fixer": "FixResult fix_text",
            "fold": "collapse_step expand_step replace_children",
            "interchange": "PlanValueError plan_from_dict plan_from_json plan_json_schema plan_to_dict plan_to_json",
            "lint": "lint_plan",
            "models": "PlanSpec PlanStatus PlanStep iter_steps",
            "parser": "GRAMMAR_VERSION parse_plan parse_tree",
            "positions": "Positions StepPositions",
            "printer": "serialize_plan",
            "scan_result": "ScanResult",
            "rules": "validate_plan",
            "transformer": "PlanTransformer",
            "tree": "available_outputs find_step next_pending_step step_order",
            "views": "StepView InputOrigin OutputUse focus_view next_step_view",
        },
    )
