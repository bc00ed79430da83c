"""Plan → canonical text.

For every plan that can be built, the text reads back as the same plan; a plan that no text could spell is refused.
"""

from __future__ import annotations

import attrs

from planspec_lark import grammars
from planspec_lark.planspec.escapes import write_description, write_detail, write_segments
from planspec_lark.planspec.folding import view_steps
from planspec_lark.planspec.models import MARKS, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.tree import find_parents

__all__ = ["canonical_summary", "progress_text", "serialize_plan"]

_MARKS = {status: f"[{mark}] " for status, mark in MARKS.items()}
_MARKS[PlanStatus.PENDING] = ""


def serialize_plan(plan: PlanSpec, *, fold: bool = False) -> str:
    """Print a plan.

    Args:
        plan: any plan.
        fold: show of each step what its ``expanded`` flag or its status asks for, instead of everything.

    Returns:
        Canonical text that ends in a line break; the empty text for the empty plan. Without ``fold`` it reads back as
        the same plan.

    Raises:
        ValueError: no text could spell this plan: an id comes twice or does not fit its place, a type is empty, or a
            list was changed to hold what its field can not.
    """
    try:
        rows = _head(plan) + _rows(plan, fold)
    except (AttributeError, TypeError):
        # A list holds what no step or text is; its validator says so by its name.
        _refuse_fields(plan)
        raise
    text = "\n".join([*rows, ""])
    if text.count("\n") != len(rows) or grammars.pattern("planspec", "FORBIDDEN").search(text):
        _refuse_fields(plan)
    return text


def _rows(plan: PlanSpec, fold: bool) -> list[str]:
    rows: list[str] = []
    ids: dict[str, str | None] = {}
    fits = True
    for step, parent, depth, _, shows_body, _ in view_steps(plan, fold=fold):
        step_id, parent_id = step.step_id, None if parent is None else parent.step_id
        if step_id in ids:
            raise ValueError(f"step_id: {step_id} comes twice")
        ids[step_id] = parent_id
        fits = fits and (step_id.rpartition(".")[0] or None) == parent_id
        indent = "  " * depth
        rows.append(indent + canonical_summary(step))
        if shows_body and (step.inputs or step.detail):
            rows += _body(step, indent)
    if not fits:
        _refuse_misplaced(ids)
    return rows


def _head(plan: PlanSpec) -> list[str]:
    attrs.validate(plan)
    rows = []
    if plan.title:
        rows.append(f"# Plan: {plan.title}")
    if plan.goal or plan.goal_detail:
        rows.append(f"Goal: {plan.goal}".rstrip(" "))
        rows += [f"> {line}" if line else ">" for line in plan.goal_detail]
    if plan.constraints:
        rows.append("Constraints:")
        rows += [f"- {constraint}" for constraint in plan.constraints]
    if plan.steps:
        rows.append("## Steps")
    return rows


def canonical_summary(step: PlanStep) -> str:
    """The summary line of a step, without indentation and line break.

    Raises:
        ValueError: the step has no type, or an output that is no variable.
    """
    if not step.step_type:
        raise ValueError(f"step_type: step {step.step_id} has none, and a line cannot be written without it")
    name = f"{step.step_name} " if step.step_name else ""
    rest = f"{name}[{step.step_type}]"
    if step.description:
        rest += " " + write_description(step.description, has_outputs=bool(step.outputs))
    if step.outputs:
        rest += " → " + _variables(step, step.outputs)
    if step.result:
        rest += " | " + write_segments(step.result)
    if step.done_count or step.total_count is not None:
        rest += " | " + progress_text(step)
    line = f"{step.step_id}. {_MARKS[step.status]}{rest}"
    return line if step.step_type not in ("x", "X") else _with_mark(step, line, rest)


def _with_mark(step: PlanStep, line: str, rest: str) -> str:
    """A type that looks like a mark needs the pending mark in front wherever it would be read as one."""
    if step.status is not PlanStatus.PENDING or step.step_name:
        return line
    if step.step_type == "X" and grammars.pattern("planspec", "STEP_ID").match(line):
        return line
    return f"{step.step_id}. [ ] {rest}"


def progress_text(step: PlanStep) -> str:
    """How many rounds a step has done, as its summary line says it."""
    return f"Progress: {step.done_count}" + ("" if step.total_count is None else f"/{step.total_count}")


def _body(step: PlanStep, indent: str) -> list[str]:
    rows = [f"{indent}  > {write_detail(line)}" if line != "" else f"{indent}  >" for line in step.detail]
    return [f"{indent}  > ← {_variables(step, step.inputs)}", *rows] if step.inputs else rows


def _variables(step: PlanStep, names: list[str]) -> str:
    is_variable = grammars.pattern("planspec", "VARIABLE").fullmatch
    if not all(isinstance(name, str) and is_variable(name) for name in names):
        attrs.validate(step)
    return ", ".join(names)


def _refuse_misplaced(ids: dict[str, str | None]) -> None:
    for (step_id, parent), meant in zip(ids.items(), find_parents(list(ids)), strict=True):
        if parent != meant:
            place = "at the top level" if parent is None else f"below {parent}"
            right = "at the top level" if meant is None else f"below {meant}"
            raise ValueError(f"step_id: {step_id} stands {place} and would be read {right}")


def _refuse_fields(plan: PlanSpec) -> None:
    for step in iter_steps(plan):
        attrs.validate(step)
