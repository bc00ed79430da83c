"""Plan → canonical text.

For every plan that can be built, the text reads back as the same plan; a plan that no text could spell is refused.
"""

from __future__ import annotations

import attrs

from planspec_lark import grammars
from planspec_lark.planspec.escapes import write_description, write_detail, write_segments
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.folding import shows_body, shows_children
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
        rows = _head(plan)
        _add_steps(rows, plan.steps, fold)
    except (AttributeError, TypeError):
        # A list holds what no step or text is; its validator says so by its name.
        _refuse_fields(plan)
        raise
    text = "\n".join([*rows, ""])
    if text.count("\n") != len(rows) or grammars.pattern("planspec", "FORBIDDEN").search(text):
        _refuse_fields(plan)
    return text


def _add_steps(rows: list[str], steps: list[PlanStep], fold: bool) -> None:
    # Each level's iterator, and the id above it: no recursion, and no object made for a step that is only passed.
    levels = [(iter(steps), "")]
    parents: dict[str, str] = {}
    names: list[str] = []
    fits = True
    while levels:
        siblings, parent_id = levels[-1]
        indent = "  " * (len(levels) - 1)
        for step in siblings:
            step_id = step.step_id
            if step_id in parents:
                raise ValueError(f"step_id: {step_id} comes twice")
            parents[step_id] = parent_id
            if step_id.rpartition(".")[0] != parent_id:
                fits = False
            rows.append(indent + _summary(step))
            names += step.outputs
            if (step.inputs or step.detail) and (not fold or shows_body(step)):
                names += step.inputs
                rows += _body(step, indent)
            if step.children and (not fold or shows_children(step)):
                levels.append((iter(step.children), step_id))
                break
        else:
            levels.pop()
    if not fits:
        _refuse_misplaced(parents)
    _check_variables(names, steps)


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
    line = _summary(step)
    _check_variables(step.outputs, [step])
    return line


def _summary(step: PlanStep) -> str:
    """A summary line whose variables are still to be checked."""
    kind = step.step_type
    if not kind:
        raise ValueError(f"step_type: step {step.step_id} has none, and a line cannot be written without it")
    name = f"{step.step_name} " if step.step_name else ""
    text = step.description
    if text:
        if "|" in text or "→" in text:
            text = write_description(text, has_outputs=bool(step.outputs))
        text = " " + text
    outputs = f" → {', '.join(step.outputs)}" if step.outputs else ""
    rest = f"{name}[{kind}]{text}{outputs}"
    if step.result:
        rest += " | " + write_segments(step.result)
    if step.done_count or step.total_count is not None:
        rest += " | " + progress_text(step)
    line = f"{step.step_id}. {_MARKS[step.status]}{rest}"
    return line if kind not in ("x", "X") else _with_mark(step, line, rest)


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
    rows = [f"{indent}  > ← {', '.join(step.inputs)}"] if step.inputs else []
    start = indent + "  > "
    for line in step.detail:
        # Adding, unlike formatting, refuses what is no text.
        rows.append(start + (write_detail(line) if "←" in line else line) if line != "" else indent + "  >")
    return rows


def _check_variables(names: list[str], steps: list[PlanStep]) -> None:
    """Check all variables at once; if they are not all right, the validators of their steps find the wrong one."""
    if not names:
        return
    listed = ",".join(names)
    if (
        any(sign in listed for sign in BLANKS)
        or listed.count(",") >= len(names)
        or not grammars.pattern("planspec", "VARIABLES").fullmatch(listed)
    ):
        for step in steps:
            for below in iter_steps(step):
                attrs.validate(below)


def _refuse_misplaced(parents: dict[str, str]) -> None:
    for (step_id, parent), meant in zip(parents.items(), find_parents(list(parents)), strict=True):
        if (parent or None) != meant:
            place = f"below {parent}" if parent else "at the top level"
            right = "at the top level" if meant is None else f"below {meant}"
            raise ValueError(f"step_id: {step_id} stands {place} and would be read {right}")


def _refuse_fields(plan: PlanSpec) -> None:
    for step in iter_steps(plan):
        attrs.validate(step)
