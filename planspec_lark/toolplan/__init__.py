"""Tool plans: steps that call tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.toolplan.diagram import draw_toolplan as draw_toolplan
    from planspec_lark.toolplan.interchange import (
        AtomsError as AtomsError,
        ToolPlanError as ToolPlanError,
        registry_from_value as registry_from_value,
        registry_to_value as registry_to_value,
        tool_plan_from_dict as tool_plan_from_dict,
        tool_plan_to_dict as tool_plan_to_dict,
    )
    from planspec_lark.toolplan.models import (
        Atom as Atom,
        AtomInput as AtomInput,
        AtomOutput as AtomOutput,
        Registry as Registry,
        ToolPlan as ToolPlan,
        ToolStep as ToolStep,
    )
    from planspec_lark.toolplan.parser import load_atoms as load_atoms, load_plan_doc as load_plan_doc
    from planspec_lark.toolplan.resolver import ValueRefusedError as ValueRefusedError
    from planspec_lark.toolplan.validation import (
        check_tool_plan as check_tool_plan,
        validate_plan_doc as validate_plan_doc,
    )
    from planspec_lark.toolplan.view import toolplan_to_plan as toolplan_to_plan
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "diagram": "draw_toolplan",
            "interchange": (
                "AtomsError ToolPlanError registry_from_value registry_to_value tool_plan_from_dict tool_plan_to_dict"
            ),
            "models": "Atom AtomInput AtomOutput Registry ToolPlan ToolStep",
            "parser": "load_atoms load_plan_doc",
            "resolver": "ValueRefusedError",
            "validation": "check_tool_plan validate_plan_doc",
            "view": "toolplan_to_plan",
        },
    )
