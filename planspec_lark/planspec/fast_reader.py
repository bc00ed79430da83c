"""Text without faults → plan, at the speed of the regular expression engine.

The patterns are made from the rules of the grammar (see :mod:`planspec_lark.syntax.patterns`). A text that they refuse
has a fault, which :mod:`planspec_lark.planspec.recovery` explains.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from re import Pattern

from planspec_lark.planspec.builder import BODY, SUMMARY, add_rows, read_constraints, read_goal_detail
from planspec_lark.planspec.models import BLANKS, STEP_FIELDS, PlanSpec, PlanStep, make_plan
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import end_last_line
from planspec_lark.syntax.tree import grow, iter_nodes

__all__ = ["patterns", "read", "read_again", "read_steps"]

# Characters.
_CHUNK = 60_000
# How a summary line begins; behind the first one, no other line does so.
_ID = re.compile(rf"^[{BLANKS}]*[0-9]", re.MULTILINE)
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


def read_again(text: str, before: str, plan: PlanSpec) -> bool:
    """Make the plan of a text without faults that of another one, in which steps with the same ids say something else.

    Only the lines of these steps are read.

    Returns:
        False if more has changed, or there is a fault; the plan is then as it was.
    """
    start, end = _find_changed(text, before)
    old, new = read_steps(before[start:end]), read_steps(text[start : len(text) - len(before) + end])
    if old is None or new is None or [step.step_id for step in old] != [step.step_id for step in new]:
        return False
    steps = {step.step_id: step for step in iter_nodes(plan.steps)}
    for step in new:
        for name in STEP_FIELDS:
            setattr(steps[step.step_id], name, getattr(step, name))
    return True


def _find_changed(text: str, before: str) -> tuple[int, int]:
    """From where to where the steps go in a text that differ in another one; from the start on if not only these do."""
    size = min(len(text), len(before))
    head = bisect_left(range(size), True, key=lambda at: text[: at + 1] != before[: at + 1])
    tail = bisect_left(range(size - head), True, key=lambda at: text[-at - 1 :] != before[-at - 1 :])
    start = before.rfind("\n", 0, head) + 1
    while start and not _ID.match(before, start):
        start = before.rfind("\n", 0, start - 1) + 1
    # What comes first in the end that both share may not begin a line in both.
    match = _ID.search(before, len(before) - tail + 1)
    return start, match.start() if match else len(before)


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
