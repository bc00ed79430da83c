"""Text without faults → plan, at the speed of the regular expression engine.

The patterns are made from the rules of the grammar (see :mod:`planspec_lark.syntax.patterns`). A text that they refuse
has a fault, which :mod:`planspec_lark.planspec.recovery` explains.
"""

from __future__ import annotations

from functools import cache
from re import Pattern

from planspec_lark.planspec.builder import BODY, SUMMARY, add_rows, read_constraints, read_goal_detail
from planspec_lark.planspec.models import BLANKS, PlanSpec, PlanStep, make_plan
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import end_last_line
from planspec_lark.syntax.tree import grow

__all__ = ["patterns", "read", "read_steps"]

# Characters.
_CHUNK = 60_000
_HEAD = ("title_TEXT", "goal_TEXT", "goal__goal_detail", "constraints_constraint")


@cache
def patterns() -> tuple[Pattern[str], Pattern[str]]:
    """The pattern for everything before the first step, and the one that finds the lines of the steps."""
    rules = grammars.regular("planspec")
    return rules.pattern("plan", without="step", groups=_HEAD), rules.rows("row", (*SUMMARY, *BODY))


def read(text: str) -> PlanSpec | None:
    """The plan, or None where the text has a fault."""
    text = end_last_line(text)
    head = patterns()[0].match(text)
    assert head is not None, "all in front of the steps may be absent"
    steps = _read_rows(text, head.end())
    if steps is None:
        return None
    try:
        top = grow(steps)
    except ValueError:
        return None
    # As for the steps: the grammar has accepted every value.
    return make_plan(
        title=head["title_TEXT"] or "",
        goal=head["goal_TEXT"] or "",
        goal_detail=read_goal_detail(head["goal__goal_detail"] or ""),
        constraints=read_constraints(head["constraints_constraint"] or ""),
        steps=top,
    )


def read_steps(lines: str) -> list[PlanStep] | None:
    """The steps of these lines, in order and without children; None if a line does not belong to a step.

    Ids may occur twice.
    """
    return _read_rows(end_last_line(lines.lstrip(BLANKS)), 0)


def _read_rows(text: str, at: int) -> list[PlanStep] | None:
    """The steps from an offset on. Rows are found by the thousand: all would take as much memory as the plan."""
    pattern = patterns()[1]
    steps: list[PlanStep] = []
    while at < len(text):
        newline = text.find("\n", at + _CHUNK)
        between = grammars.pattern("planspec", "NL").match(text, newline) if newline >= 0 else None
        end = between.end() if between else len(text)
        if not add_rows(steps, pattern.findall(text, at, end)):
            return None
        at = end
    return steps
