"""The parser that one writes in ten minutes and believes in: ``split(" | ")``, ``rpartition("→")`` and one pattern.

It reads tame plans correctly. What it does not do: escapes, a `|` or an arrow that is text (unless by luck), steps
whose parent is missing, duplicate ids, the order of the parts, ids with leading zeros, control characters, byte-order
marks, white space other than the canonical one. A line that it does not know is dropped in silence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Plan", "Step", "parse"]

_STEP = re.compile(r"([\d.]+)\. (?:\[([ x>!~])\] )?(?:([\w-]+) )?\[(\w+)\] ?(.*)")
_STATUSES = {None: "pending", " ": "pending", "x": "done", ">": "active", "!": "blocked", "~": "skipped"}


@dataclass(slots=True)
class Step:
    """One step."""

    step_id: str
    step_name: str
    step_type: str
    description: str
    outputs: list[str]
    status: str
    result: str = ""
    done_count: int = 0
    total_count: int | None = None
    inputs: list[str] = field(default_factory=list)
    detail: list[str] = field(default_factory=list)
    children: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """A whole plan."""

    title: str = ""
    goal: str = ""
    goal_detail: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def parse(text: str) -> Plan:
    """Read a plan; whatever is not understood is dropped."""
    plan = Plan()
    steps: dict[str, Step] = {}
    step: Step | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("> "):
            if step is None:
                plan.goal_detail.append(line[2:])
            elif line.startswith("> ← "):
                step.inputs += line[4:].split(", ")
            else:
                step.detail.append(line[2:])
        elif match := _STEP.match(line):
            step = _read_step(match)
            steps[step.step_id] = step
            parent = steps.get(step.step_id.rpartition(".")[0])
            (parent.children if parent else plan.steps).append(step)
        else:
            _read_header(plan, line)
    return plan


def _read_step(match: re.Match[str]) -> Step:
    step_id, mark, name, step_type, rest = match.groups()
    first, *segments = rest.split(" | ")
    description, arrow, names = first.rpartition("→")
    if arrow:
        description, outputs = description.rstrip(), names.strip().split(", ")
    else:
        description, outputs = first, []
    step = Step(step_id, name or "", step_type, description, outputs, _STATUSES[mark])
    for segment in segments:
        if segment.startswith("Progress: "):
            done, slash, total = segment[10:].partition("/")
            step.done_count, step.total_count = int(done), int(total) if slash else None
        else:
            step.result += f" | {segment}" if step.result else segment
    return step


def _read_header(plan: Plan, line: str) -> None:
    if line.startswith("# Plan: "):
        plan.title = line[8:]
    elif line.startswith("Goal: "):
        plan.goal = line[6:]
    elif line.startswith("- "):
        plan.constraints.append(line[2:])
