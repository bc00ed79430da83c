"""Whether a plan can be run with the tools that there are, and in which order: of plain values, and of texts."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from planspec_lark.json_text.findings import ValueFinding, first_findings
from planspec_lark.json_text.models import JsonText, write_path
from planspec_lark.syntax.diagnostics import CODES, Diagnostic
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.toolplan.parser import read_doc, scan_doc
from planspec_lark.toolplan.rules import Plan, check_atoms, check_dependencies, check_references, prepare, warn

__all__ = ["ValidationResult", "check_tool_plan", "examine_plan", "validate_plan_doc"]


@frozen
class ValidationResult:
    """What is found in a plan, by stage, and the order of its steps where there are no errors."""

    errors: list[ValueFinding]
    warnings: list[ValueFinding]
    plan: Plan

    def names(self, steps: list[int]) -> list[str]:
        """The names of steps."""
        return [self.plan.outline.steps[index].name for index in steps]


def examine_plan(document: object, registry: object) -> ValidationResult:
    """All that is found in a plan, whatever it is."""
    found: list[ValueFinding] = []
    plan = prepare(document, registry, found.append)
    for check in (check_atoms, check_references, check_dependencies, warn):
        found += check(plan)
    return ValidationResult([one for one in found if one.is_error], [one for one in found if not one.is_error], plan)


def validate_plan_doc(plan_doc: object, atoms_registry: object) -> dict[str, Any]:
    """Whether a plan can be run with these tools. Never raises on any JSON value.

    Args:
        plan_doc: the plan as a JSON value.
        atoms_registry: the tools: definitions by id, a list of them, an object with that list as ``atoms``, or a
            :class:`~planspec_lark.toolplan.models.Registry`.

    Returns:
        ``{"valid": True, "warnings": […], "execution_order": […], "execution_waves": [[…]]}``, where the order has the
        name of each step after all that it depends on, and a wave those that may run side by side; or
        ``{"valid": False, "errors": […]}``. Errors and warnings have ``code``, ``message`` and ``path``.
    """
    verdict = examine_plan(plan_doc, atoms_registry)
    if verdict.errors:
        return {"valid": False, "errors": [_to_plain(found) for found in verdict.errors]}
    ordering = verdict.plan.ordering
    return {
        "valid": True,
        "warnings": [_to_plain(found) for found in verdict.warnings],
        "execution_order": verdict.names(ordering.order),
        "execution_waves": [verdict.names(wave) for wave in ordering.waves],
    }


def _to_plain(finding: ValueFinding) -> dict[str, str]:
    message = finding.message
    return {
        "code": CODES[finding.code].name,
        "message": message[:1].upper() + message[1:],
        "path": visible_name(write_path(finding.path)),
    }


# ---------------------------------------------------------------- texts


def check_tool_plan(
    plan: str | JsonText,
    registry: object,
    *,
    tolerant: bool = False,
    name: str = "<text>",
    max_findings: int | None = 1000,
) -> list[Diagnostic]:
    """All that :func:`planspec_lark.toolplan.validate_plan_doc` finds, and warnings of plans with errors too, with
    places.

    Args:
        plan: a text in JSON or YAML, or one that has been read.
        registry: the tools, as a :class:`~planspec_lark.toolplan.models.Registry` or a plain value.
        tolerant: take a text's plan out of prose and code fences, and repair what is plainly meant.
        name: what diagnostics call the text.
        max_findings: how many diagnostics to give; a last one says how many more there are.

    Returns:
        Diagnostics in the order of the text. Where it is neither JSON nor YAML, nothing else is looked at.

    Raises:
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    read = (scan_doc if tolerant else read_doc)(plan, name=name) if isinstance(plan, str) else plan
    if read.has_errors:
        return read.diagnostics
    verdict = examine_plan(read.value, registry)
    return first_findings([*verdict.errors, *verdict.warnings], read, max_findings, read.diagnostics)
