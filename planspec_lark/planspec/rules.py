"""The six rules that make a plan valid."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    MARKS,
    STEP_TYPES,
    PlanSpec,
    PlanStep,
    iter_steps,
    list_types,
    refuse_fields,
)
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, shorten
from planspec_lark.syntax.spelling import find_near

__all__ = ["check_rules", "validate_plan"]


def validate_plan(plan: PlanSpec) -> list[str]:
    """Check the six rules.

    Returns:
        A message for each violation, rule by rule in document order. Those that start with ``warn:`` do not make a plan
        invalid.
    """
    prefix = {Severity.WARNING: "warn: "}
    return [prefix.get(found.severity, "") + found.message for found in check_rules(plan)]


def check_rules(plan: PlanSpec) -> list[Diagnostic]:
    """The same as diagnostics, in the same order."""
    try:
        return sorted(_check(plan), key=attrgetter("code"))
    except (AttributeError, TypeError):
        # A list contains something that is no step; its validator names the field.
        refuse_fields(plan)
        raise


def _check(plan: PlanSpec) -> Iterator[Diagnostic]:
    if not plan.steps:
        help = "write `## Steps`, and at least one step below it, such as `1. [act] Text → output`"
        yield Diagnostic("PS201", "plan has no steps", help=help)
    if not plan.goal:
        help = "write `Goal: ` and one sentence, above `Constraints:` and `## Steps`"
        yield Diagnostic("PS205", "plan has no goal", help=help, part="goal")
    first: dict[str, str] = {}
    for step in iter_steps(plan):
        kind = step.step_type
        if kind not in STEP_TYPES:
            meant, help = _explain_type(step)
            replacement = f"[{meant}]" if meant else ""
            yield _found("PS202", step, "step_type", f"invalid type '{kind}'", help, replacement)
        if step.step_name in first:
            message = f"duplicate name, first seen at step {shorten(first[step.step_name])}"
            help = "names are optional: rename one of the two, or remove its name"
            yield _found("PS203", step, "step_name", message, help)
        elif step.step_name:
            first[step.step_name] = step.step_id
        if step.children and kind not in CONTAINER_TYPES:
            help = f"only {list_types('and', containers=True)} have steps below them"
            yield _found("PS204", step, "step_type", f"type '{kind}' cannot have children", help)
        elif kind in CONTAINER_TYPES and not step.children:
            help = f"write its steps below it, or make it {list_types('or', containers=False)}"
            yield _found("PS206", step, "step_type", f"type '{kind}' has no children", help)


def _found(  # noqa: PLR0913, PLR0917  (the fields of a diagnostic)
    code: str, step: PlanStep, part: str, message: str, help: str, replacement: str = ""
) -> Diagnostic:
    name = f" ({step.step_name})" if step.step_name else ""
    said = f"step {step.step_id}{name}: {message}"
    return Diagnostic(code, said, help=help, step_id=step.step_id, part=part, replacement=replacement)


def _explain_type(step: PlanStep) -> tuple[str, str]:
    """What is most likely meant by a type that is none of the four, a type or a mark, and advice; "" for what is open.

    Where a description begins with a word in brackets, the type in front is most likely meant as a mark.
    """
    from planspec_lark.planspec.dialect import read_status, read_type  # noqa: PLC0415  (slow to load, and seldom needed)

    kind, types = step.step_type, f"the types are {list_types('and')}"
    behind = step.description.split("]")[0].removeprefix("[") if step.description.startswith("[") else ""
    if grammars.pattern("planspec", "VARIABLE").fullmatch(behind):
        status = read_status(kind) if read_type(behind) else None
        help = f"if `[{kind}]` is meant as a mark, write `[x]`, `[>]`, `[!]` or `[~]` before `[{behind}]`"
        return MARKS[status] if status else "", help
    if kind.lower() == "x":
        return "", "if `[x]` is meant as a mark, write a type after it, such as `[x] [act]`"
    meant = read_type(kind.lower()) or find_near(kind.lower(), STEP_TYPES)
    return meant, f"did you mean `[{meant}]`? {types}" if meant else types
