"""Plan → canonical text.

The text of a plan reads back as the same plan; a plan that no text can express is refused.
"""

from __future__ import annotations

import attrs

from planspec_lark.planspec.escapes import write_description, write_detail, write_segments
from planspec_lark.planspec.fold import folded, shows_body, shows_children
from planspec_lark.planspec.models import (
    BLANKS,
    MARKS,
    STEP_TYPES,
    WORDS,
    PlanSpec,
    PlanStatus,
    PlanStep,
    refuse_fields,
)
from planspec_lark.syntax import grammars
from planspec_lark.syntax.fields import has_forbidden
from planspec_lark.syntax.token_estimate import TokenCounter
from planspec_lark.syntax.tree import find_parents

__all__ = [
    "canonical_step",
    "canonical_summary",
    "check_variables",
    "progress_text",
    "serialize_plan",
    "task_text",
    "words_text",
]

_MARKS = {status: f"[{mark}] " for status, mark in MARKS.items()}
_PENDING = PlanStatus.PENDING


def serialize_plan(
    plan: PlanSpec, *, fold: bool = False, max_tokens: int | None = None, count_tokens: TokenCounter | None = None
) -> str:
    """Print a plan.

    >>> text = "Goal: Ship it\\n## Steps\\n1. [act] Test → report\\n"
    >>> serialize_plan(parse_plan(text)) == text
    True

    Args:
        fold: print only the bodies and children that ``expanded`` or the status of their step asks for.
        max_tokens: leave parts out, and say how many, until the text has at most so many tokens. Goal, constraints,
            active steps, the next step and their ancestors are always kept.
        count_tokens: counts the tokens of a text; by default
            :func:`~planspec_lark.syntax.token_estimate.estimate_tokens`.

    Returns:
        Canonical text that ends in a line break, or the empty text for the empty plan. Without ``fold`` and
        ``max_tokens`` it reads back as the same plan.

    Raises:
        ValueError: no text can express this plan: an id occurs twice or does not fit its place, a type is empty, or a
            list was changed to hold an invalid value. Or what must be kept takes more than ``max_tokens``.
    """
    try:
        if max_tokens is not None:
            from planspec_lark.planspec.token_budget import bound  # noqa: PLC0415  (slow to load, and it prints parts)

            return bound(folded(plan) if fold else plan, serialize_plan, max_tokens, count_tokens)
        rows = _head(plan)
        _add_steps(rows, plan, fold)
    except (AttributeError, TypeError):
        # A list contains something that is neither a step nor a text; its validator names the field.
        refuse_fields(plan)
        raise
    text = "\n".join([*rows, ""])
    if text.count("\n") != len(rows) or has_forbidden(text):
        refuse_fields(plan)
    return text


def _add_steps(rows: list[str], plan: PlanSpec, fold: bool) -> None:
    # The iterator of each level, and the id of its parent: no recursion, and no object for each step.
    levels = [(iter(plan.steps), "")]
    parents: dict[str, str] = {}
    names: list[str] = []
    add = rows.append
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
            add(_summary(step, indent))
            if step.outputs:
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
    check_variables(names, plan)


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
        ValueError: the step has no type, or an output that is not a variable.
    """
    line = _summary(step, "")
    check_variables(step.outputs, step)
    return line


def canonical_step(step: PlanStep, depth: int) -> str:
    """The lines of a step without its children, as :func:`serialize_plan` prints them at a depth (0 at the top level).

    Raises:
        ValueError: as for :func:`serialize_plan`, as far as it concerns a single step.
    """
    attrs.validate(step)
    indent = "  " * depth
    rows = [_summary(step, indent), *_body(step, indent), ""]
    check_variables([*step.inputs, *step.outputs], step)
    return "\n".join(rows)


def _summary(step: PlanStep, indent: str) -> str:
    """A summary line. The caller checks its variables."""
    kind = step.step_type
    if not kind:
        raise ValueError(f"step_type: step {step.step_id} has none; give it one: {', '.join(STEP_TYPES)}")
    mark = "" if step.status is _PENDING else _MARKS[step.status]
    name = f"{step.step_name} " if step.step_name else ""
    if kind in ("x", "X") and _needs_mark(step):
        mark = "[ ] "
    line = f"{indent}{step.step_id}. {mark}{name}[{kind}]"
    if WORDS and (words := words_text(step)):
        line = f"{line} {words}"
    text = step.description
    if text:
        if "|" in text or "→" in text or WORDS:
            text = write_description(text, has_outputs=bool(step.outputs))
        line = f"{line} {text}"
    if step.outputs:
        line = f"{line} → {', '.join(step.outputs)}"
    if step.result:
        line = f"{line} | {write_segments(step.result)}"
    # As in has_progress: a call for each step takes longer.
    if step.done_count or step.total_count is not None:
        line = f"{line} | {progress_text(step)}"
    return line


def _needs_mark(step: PlanStep) -> bool:
    """Whether a type that looks like a mark would be read as one, so that the pending mark must be printed."""
    if step.status is not _PENDING or step.step_name:
        return False
    if step.step_type == "x":
        return True
    text = write_description(step.description, has_outputs=bool(step.outputs))
    return grammars.pattern("planspec", "STEP_ID").match(f"{step.step_id}. [X] {text}") is None


def words_text(step: PlanStep) -> str:
    """The fields of one word, as in its summary line."""
    return " ".join(f"{sign}{word}" for name, sign in WORDS.items() if (word := getattr(step, name)))


def task_text(step: PlanStep) -> str:
    """The same before its description, which stays as it is: what a person reads in one row."""
    return " ".join(filter(None, (words_text(step), step.description))) if WORDS else step.description


def progress_text(step: PlanStep) -> str:
    """The progress of a step, as in its summary line."""
    return f"Progress: {step.done_count}" + ("" if step.total_count is None else f"/{step.total_count}")


def _body(step: PlanStep, indent: str) -> list[str]:
    rows = [f"{indent}  > ← {', '.join(step.inputs)}"] if step.inputs else []
    start = indent + "  > "
    for line in step.detail:
        # Unlike formatting, adding refuses a value that is not a text.
        rows.append(start + (write_detail(line) if "←" in line else line) if line != "" else indent + "  >")
    return rows


def check_variables(names: list[str], top: PlanSpec | PlanStep) -> None:
    """Check all variables of a plan or a step at once; if one is wrong, the validators find it."""
    if not names:
        return
    listed = ",".join(names)
    if (
        any(sign in listed for sign in BLANKS)
        or listed.count(",") >= len(names)
        or not grammars.pattern("planspec", "VARIABLES").fullmatch(listed)
    ):
        refuse_fields(top)


def _refuse_misplaced(parents: dict[str, str]) -> None:
    for (step_id, parent), meant in zip(parents.items(), find_parents(list(parents)), strict=True):
        if (parent or None) != meant:
            place = f"below {parent}" if parent else "at the top level"
            right = "at the top level" if meant is None else f"below {meant}"
            raise ValueError(f"step_id: {step_id} is {place} and would be read {right}")
