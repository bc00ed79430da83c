"""Tool plans and registries as plain values, in and out."""

from __future__ import annotations

from typing import Any

from planspec_lark.json_text.findings import to_diagnostics
from planspec_lark.json_text.model_values import from_value, to_value
from planspec_lark.json_text.models import write_path
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.source import Source
from planspec_lark.toolplan.definitions import add_atoms
from planspec_lark.toolplan.models import Atom, Registry, ToolPlan, ToolStep
from planspec_lark.toolplan.structure import outline

__all__ = [
    "AtomsError",
    "ToolPlanError",
    "registry_from_value",
    "registry_to_value",
    "tool_plan_from_dict",
    "tool_plan_to_dict",
]


class ToolPlanError(PlanSyntaxError):
    """A text or value that is no tool plan. ``diagnostics`` says what is wrong with it."""


class AtomsError(PlanSyntaxError):
    """Texts or values that define no tools. ``diagnostics`` says what is wrong with them."""


def tool_plan_from_dict(value: object) -> ToolPlan:
    """The plan that a JSON value describes. What it says besides is kept; values of inputs are not copied.

    Raises:
        ToolPlanError: the structure is wrong, or two steps have one name. Nothing else is looked at: see
            :func:`planspec_lark.toolplan.validate_plan_doc`.
    """
    findings = outline(value).findings
    if findings or not isinstance(value, dict):
        raise ToolPlanError(to_diagnostics(findings, None), Source(""))
    plan = value["plan"]
    return ToolPlan(
        value["target"],
        tuple(from_value(step, ToolStep) for step in plan["steps"]),
        plan.get("outputs"),
        extra={key: one for key, one in value.items() if key not in ("target", "plan")},
        plan_extra={key: one for key, one in plan.items() if key not in ("steps", "outputs")},
    )


def tool_plan_to_dict(plan: ToolPlan) -> dict[str, Any]:
    """A plan as a JSON value."""
    outputs = {} if plan.outputs is None else {"outputs": plan.outputs}
    inside = {"steps": to_value(plan.steps), **outputs, **plan.plan_extra}
    return {"target": plan.target, "plan": inside, **plan.extra}


def registry_from_value(value: object) -> Registry:
    """The tools that a JSON value defines.

    Args:
        value: a list of definitions, an object with that list as ``atoms``, definitions by id, or one definition with
            its id; or a list of tools of another form, as ``docs/reference/tool-plans.md`` has them.

    Returns:
        The tools; the registry's diagnostics are what the value says of them and no check looks at.

    Raises:
        AtomsError: it is not one of these, or something is wrong with a definition.
    """
    known: dict[str, tuple[Atom, str]] = {}
    findings = add_atoms(value, known, write_path)
    if errors := [one for one in findings if one.is_error]:
        raise AtomsError(to_diagnostics(errors, None), Source(""))
    return Registry((atom for atom, _ in known.values()), tuple(to_diagnostics(findings, None)))


def registry_to_value(registry: Registry) -> dict[str, Any]:
    """Tools as a JSON value: an object with their list as ``atoms``."""
    return {"atoms": to_value(list(registry))}
