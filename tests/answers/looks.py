"""A plan written down with other spellings of its parts: what nearly every style of answers is made with."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from planspec_lark import PlanSpec, PlanStatus, PlanStep

__all__ = ["Look", "OfStep", "Spelling", "nothing", "write"]

Spelling = Callable[[str], str]
OfStep = Callable[[PlanStep], str]

_MARKS = {PlanStatus.DONE: "[x]", PlanStatus.ACTIVE: "[>]", PlanStatus.BLOCKED: "[!]", PlanStatus.SKIPPED: "[~]"}


def nothing(_: object) -> str:
    """What is not written."""
    return ""


def _mark(step: PlanStep) -> str:
    return _MARKS.get(step.status, "")


@frozen
class Look:
    """How each part of a plan is spelled; by default as the printer does.

    A spelling may hold line breaks: what follows one is indented as the body of its step.
    """

    title: Spelling = "# Plan: {}".format
    goal: Spelling = "Goal: {}".format
    constraints: str = "Constraints:"
    constraint: Spelling = "- {}".format
    steps: str = "## Steps"
    # Lines between two parts.
    between: tuple[str, ...] = ()
    # Of a level of steps, and of a body below its step.
    indent: str = "  "
    hang: str = "  "
    # Before and after all that a summary line says.
    lead: OfStep = nothing
    tail: OfStep = nothing
    summary: Spelling = str
    number: OfStep = "{0.step_id}.".format
    # After the number, and between the parts after it.
    gap: str = " "
    blank: str = " "
    mark: OfStep = _mark
    type: Spelling = "[{}]".format
    text: Spelling = str
    arrow: Spelling = " → {}".format
    inputs: Spelling = "> ← {}".format
    # A line of the body, in place of the arrow.
    outputs: Spelling = nothing
    variable: Spelling = str
    comma: str = ", "
    detail: Spelling = "> {}".format


def write(plan: PlanSpec, look: Look) -> str:
    """The text of a plan, ended by a line break."""
    parts = [
        [look.title(plan.title)] if plan.title else [],
        [look.goal(plan.goal), *map("> {}".format, plan.goal_detail)],
        [look.constraints, *map(look.constraint, plan.constraints)] if plan.constraints else [],
        [look.steps, *_step_rows(plan.steps, look, "")],
    ]
    rows: list[str] = []
    for part in filter(None, parts):
        rows += [*(look.between if rows else ()), *filter(None, part)]
    return "".join(f"{row}\n" for row in rows)


def _step_rows(steps: list[PlanStep], look: Look, indent: str) -> list[str]:
    # No deeper than plans by chance are.
    rows: list[str] = []
    for step in steps:
        rows += [indent + row.replace("\n", f"\n{indent}{look.hang}") for row in [_summary(step, look)]]
        rows += [indent + look.hang + row for row in _body(step, look)]
        rows += _step_rows(step.children, look, indent + look.indent)
    return rows


def _summary(step: PlanStep, look: Look) -> str:
    words = [look.mark(step), step.step_name, look.type(step.step_type), look.text(step.description)]
    text = look.blank.join(filter(None, words))
    number = look.number(step)
    row = f"{number}{look.gap}{text}" if number else text
    if step.outputs:
        row += look.arrow(_listed(step.outputs, look))
    if step.result:
        row += f" | {step.result}"
    if step.total_count is not None:
        row += f" | Progress: {step.done_count}/{step.total_count}"
    return look.lead(step) + look.summary(row) + look.tail(step)


def _body(step: PlanStep, look: Look) -> list[str]:
    flow = [(look.inputs, step.inputs), (look.outputs, step.outputs)]
    rows = [spelling(_listed(variables, look)) for spelling, variables in flow if variables]
    return [*filter(None, rows), *map(look.detail, step.detail)]


def _listed(variables: list[str], look: Look) -> str:
    return look.comma.join(map(look.variable, variables))
