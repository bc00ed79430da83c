"""The head of a merged text: all lines in front of the first step."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field

from planspec_lark.diff.chunks import Chunk
from planspec_lark.diff.merge import Merged
from planspec_lark.diff.models import Value
from planspec_lark.diff.nodes import OURS, THEIRS
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.syntax import grammars

__all__ = ["head_chunks", "lead_of"]

_MARKS = {
    "title": "TITLE_MARK",
    "goal": "GOAL_MARK",
    "constraints": "CONSTRAINTS_MARK",
    "steps": "STEPS_MARK",
}
_BOM = "\ufeff"


@define
class _Head:
    """The lines of a head: what is in front of the first part, those of each part, and each constraint.

    Blank lines belong to what is in front of them.
    """

    lead: str = ""
    parts: dict[str, str] = field(factory=dict)
    constraints: list[str] = field(factory=list)


def head_chunks(merged: Merged, ours: str, theirs: str, newline: str) -> Iterator[Chunk]:
    """The head of a merged text, but for its lead.

    Args:
        merged: what was merged.
        ours: the head of ours.
        theirs: the head of theirs.
        newline: how a line ends.
    """
    left, right = _cut(ours), _cut(theirs)
    versions = (merged.versions.plans[OURS], left), (merged.versions.plans[THEIRS], right)
    for name in ("title", "goal", "goal_detail"):
        yield _part(merged, name, versions, newline)
    if merged.head["constraints"] or "constraints" in left.parts or "constraints" in merged.disputed:
        header = left.parts.get("constraints") or right.parts.get("constraints") or f"Constraints:{newline}"
        yield Chunk(header)
        yield from _constraints(merged, versions)
    # Steps need no header: theirs is taken with their steps only.
    is_theirs = bool(merged.plan.steps) and not merged.versions.plans[OURS].steps
    yield Chunk(left.parts.get("steps") or (right.parts.get("steps", "") if is_theirs else ""))


_Versions = tuple[tuple[PlanSpec, _Head], tuple[PlanSpec, _Head]]


def _part(merged: Merged, name: str, versions: _Versions, newline: str) -> Chunk:
    """The lines of one part: those of a side that says what the merged plan does."""
    details = [merged.head["goal_detail"]] * 2
    if "goal_detail" in merged.disputed:
        details = [_value(plan, "goal_detail") for plan, _ in versions]
    lines = [head.parts.get(name, "") for _, head in versions]
    if name == "goal":
        # Its detail needs something to stand below.
        is_needed = list(map(bool, details)) if name in merged.disputed else [any(details)] * 2
        lines = [row or f"Goal:{newline}" * needs for row, needs in zip(lines, is_needed, strict=True)]
    if name in merged.disputed:
        return Chunk(lines[0], lines[1], name)
    is_ours = _value(versions[0][0], name) == merged.head[name]
    return Chunk(lines[0] if is_ours else lines[1])


def _value(plan: PlanSpec, name: str) -> Value:
    value = getattr(plan, name)
    return tuple(value) if isinstance(value, list) else value


def _constraints(merged: Merged, versions: _Versions) -> Iterator[Chunk]:
    if "constraints" in merged.disputed:
        left, right = ("".join(head.constraints) for _, head in versions)
        yield Chunk(left, right, "constraints")
        return
    known: dict[str, str] = {}
    gap = ""
    for plan, head in versions:
        for text, lines in zip(plan.constraints, head.constraints, strict=True):
            end = lines.find("\n") + 1 or len(lines)
            known.setdefault(text, lines[:end] if lines is head.constraints[-1] else lines)
            gap = gap or (lines[end:] if plan is versions[0][0] and lines is head.constraints[-1] else "")
    for text in merged.plan.constraints:
        yield Chunk(known[text])
    # The blank lines behind the last one stay behind the last one.
    yield Chunk(gap)


def lead_of(head: str) -> str:
    """What is in front of the first part of a head: a byte-order mark, blank lines."""
    return _cut(head).lead


def _cut(text: str) -> _Head:
    head, kind = _Head(), ""
    if text.startswith(_BOM):
        head.lead, text = _BOM, text.removeprefix(_BOM)
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        content = line.strip(f"{BLANKS}\r\n")
        if not content:
            _go_on(head, kind, line)
        elif content.startswith("-"):
            kind = "constraint"
            head.constraints.append(line)
        elif content.startswith(">"):
            kind = "goal_detail"
            head.parts[kind] = head.parts.get(kind, "") + line
        else:
            kind = next(name for name, mark in _MARKS.items() if grammars.pattern("planspec", mark).match(content))
            head.parts[kind] = line
    return head


def _go_on(head: _Head, kind: str, line: str) -> None:
    """Take a blank line."""
    if not kind:
        head.lead += line
    elif kind == "constraint":
        head.constraints[-1] += line
    else:
        head.parts[kind] += line
