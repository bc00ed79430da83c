"""The lines before the first step, and these lines once the plan says something else there.

Only lines of what has changed change: those of a title or a goal, and of a list item by item.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Sequence

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import WHITE

__all__ = ["BOM", "edit_head"]

BOM = "\ufeff"
_ROW = re.compile(rf"\A{BOM}|[^\n]*\n|[^\n]+")
# What a head says, in its order, and how its lines begin; `lead` is what is before all: a byte-order mark, blanks.
_CANONICAL = {
    "lead": "",
    "title": "# Plan:",
    "goal": "Goal:",
    "goal_detail": ">",
    "constraints": "Constraints:",
    "items": "-",
    "steps": "## Steps",
}
_MARKS = {"title": "TITLE_MARK", "goal": "GOAL_MARK", "constraints": "CONSTRAINTS_MARK", "steps": "STEPS_MARK"}


def edit_head(head: str, was: PlanSpec, plan: PlanSpec, newline: str) -> dict[str, str]:
    """The lines of a head once it says what a plan says above its steps, by what they say.

    Blank lines belong to the line before them.

    Args:
        head: the lines, all of them ended.
        was: what they say.
        plan: what to say.
        newline: how new lines end.
    """
    rows = _cut_head(head)
    for name in ("title", "goal"):
        if getattr(was, name) != getattr(plan, name):
            rows[name] = _reword(rows[name], name, getattr(plan, name), newline)
    lists = (("goal_detail", "goal_detail", "goal"), ("items", "constraints", "constraints"))
    for part, name, above in lists:
        old, new = getattr(was, name), getattr(plan, name)
        if new and not rows[above]:
            rows[above] = [_CANONICAL[above] + newline]
        if new and not rows[part]:
            # What sets the line above off from what follows comes after the first item.
            row, end, gap = rows[above][-1].partition("\n")
            rows[above][-1] = row + end
            rows[part] = [*_edit_items([], old, new, _CANONICAL[part], newline), gap]
        elif old != new:
            rows[part] = _edit_items(rows[part], old, new, _CANONICAL[part], newline)
    return {part: "".join(lines) for part, lines in rows.items()}


def _cut_head(head: str) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {part: [] for part in _CANONICAL}
    signs = {_CANONICAL[part]: part for part in ("goal_detail", "items")}
    rows = parts["lead"]
    for line in _ROW.findall(head):
        content = line.strip(WHITE + BOM)
        if not content:
            rows[-1:] = ["".join([*rows[-1:], line])]
            continue
        name = signs.get(content[0]) or next(
            name for name, mark in _MARKS.items() if grammars.pattern("planspec", mark).match(content)
        )
        rows = parts[name]
        rows.append(line)
    return parts


def _reword(rows: list[str], name: str, new: str, newline: str) -> list[str]:
    """The line of a title or a goal with another text, as it is printed; none for an empty one."""
    row = "".join(rows)
    end = row[len(row.rstrip(WHITE)) :] or newline
    return [f"{_CANONICAL[name]} {new}{end}"] if new else []


def _edit_items(rows: list[str], old: Sequence[str], new: Sequence[str], sign: str, newline: str) -> list[str]:
    """The lines of a list with other items: those that stay have the line that they had."""
    known: defaultdict[str, deque[str]] = defaultdict(deque)
    gap = ""
    if rows:
        # The blank lines after the last one stay after the last one.
        row, end, gap = rows[-1].partition("\n")
        rows = [*rows[:-1], row + end]
        sign = row[: row.index(sign)] + sign
    for text, row in zip(old, rows, strict=True):
        known[text].append(row)
    edited = [known[text].popleft() if known[text] else (f"{sign} {text}" if text else sign) + newline for text in new]
    return [*edited[:-1], edited[-1] + gap] if edited else []
