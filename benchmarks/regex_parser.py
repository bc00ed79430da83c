"""The parser that one would write by hand: line by line, with regular expressions and plain dataclasses.

It is what the package is measured against, so it is fair: it knows the separators, the escapes, the variable lists,
the order of the parts and the rule that the parent is the step with the longest prefix, and it refuses duplicate ids
and every line that it does not know. For every plan it gives the same result as ``parse_plan``.

What it does not do: say where and why a text is wrong beyond a line number and a few words, report more than the first
fault, print, check values that are set later, compare or copy very deep plans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

__all__ = ["ParseError", "Plan", "Step", "parse", "to_dict"]

_ID = r"(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8}))*"
_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_STEP = re.compile(
    rf"({_ID})\.(?![ \t]+\[X\][ \t]+(?:[\w-]+[ \t]+)?\[{_WORD}\])"
    rf"(?:[ \t]+\[([ x>!~])\])?+(?:[ \t]+([\w-]+))?+[ \t]+\[({_WORD})\](?=[ \t→]|\Z)"
)
_VARIABLES = re.compile(rf"[ \t]*{_WORD}(?:[ \t]*,[ \t]*{_WORD})*[ \t]*")
_SEPARATOR = re.compile(r"(?<![^ \t])\|(?![^ \t])")
_ESCAPED_SEPARATOR = re.compile(r"(?<![^ \t])\\(\\*\|)(?![^ \t])")
_PROGRESS = re.compile(r"Progress:[ \t]*([0-9]{1,9})(?:/([0-9]{1,9}))?")
_ESCAPED_PROGRESS = re.compile(r"\\+Progress:")
_INPUTS = re.compile(rf"([ \t]*)(\\*)←([ \t]*{_WORD}(?:[ \t]*,[ \t]*{_WORD})*)[ \t]*")
_TITLE = re.compile(r"#[ \t]+(?:Plan:[ \t]*)?+(.+)")
_GOAL = re.compile(r"(?:Goal|\*\*Goal\*\*):[ \t]*(.*)")
_CONSTRAINTS = re.compile(r"Constraints:|##[ \t]+Constraints")
_CONSTRAINT = re.compile(r"-[ \t]+(.+)")
_STEPS = re.compile(r"##[ \t]+Steps")

_STATUSES = {None: "pending", " ": "pending", "x": "done", ">": "active", "!": "blocked", "~": "skipped"}
_START, _IN_TITLE, _IN_GOAL, _IN_CONSTRAINTS, _IN_STEPS = range(5)


class ParseError(ValueError):
    """A text is not a plan."""


@dataclass(slots=True)
class Step:
    """One step."""

    step_id: str
    step_name: str
    step_type: str
    description: str
    inputs: list[str]
    outputs: list[str]
    detail: list[str]
    result: str
    status: str
    done_count: int
    total_count: int | None
    children: list[Step]


@dataclass(slots=True)
class Plan:
    """A whole plan."""

    title: str = ""
    goal: str = ""
    goal_detail: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def parse(text: str) -> Plan:
    """Read a plan.

    Raises:
        ParseError: at the first line that is none of a plan's, or whose id was there before.
    """
    if not text.endswith("\n"):
        text += "\n"
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if _FORBIDDEN.search(text):
        raise ParseError("a control character")
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    plan = Plan()
    first = _read_head(plan, lines)
    if first is not None:
        steps = _read_steps(chain(first, lines))
        for step in steps.values():
            _siblings(plan, steps, step.step_id).append(step)
    return plan


def _siblings(plan: Plan, steps: dict[str, Step], step_id: str) -> list[Step]:
    head = step_id.rpartition(".")[0]
    while head:
        if head in steps:
            return steps[head].children
        head = head.rpartition(".")[0]
    return plan.steps


# ---------------------------------------------------------------- what is above the steps


def _read_head(plan: Plan, lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]] | None:
    """Read up to the steps; the line that opens them, if that is one of a step, or None where there are none."""
    section = _START
    for number, raw in lines:
        line = raw.strip(" \t")
        if not line:
            continue
        if line[0] == ">" and section == _IN_GOAL:
            plan.goal_detail.append(_behind_sign(raw.lstrip(" \t")))
        elif line[0] == "-" and section == _IN_CONSTRAINTS and (match := _CONSTRAINT.fullmatch(line)):
            plan.constraints.append(match[1])
        elif _STEP.match(line):
            return [(number, raw)]
        else:
            reached = _read_header(plan, line)
            if reached <= section:
                raise ParseError(f"line {number}: unexpected: {line}")
            section = reached
            if section == _IN_STEPS:
                return []
    return None


def _read_header(plan: Plan, line: str) -> int:
    """Read a header; the section that it opens, or that of the start if it is none."""
    if _STEPS.fullmatch(line):
        return _IN_STEPS
    if _CONSTRAINTS.fullmatch(line):
        return _IN_CONSTRAINTS
    if match := _GOAL.fullmatch(line):
        plan.goal = match[1]
        return _IN_GOAL
    if match := _TITLE.fullmatch(line):
        plan.title = match[1]
        return _IN_TITLE
    return _START


def _behind_sign(line: str) -> str:
    return line[2:] if line.startswith("> ") else line[1:]


# ---------------------------------------------------------------- steps


def _read_steps(lines: Iterable[tuple[int, str]]) -> dict[str, Step]:
    steps: dict[str, Step] = {}
    step: Step | None = None
    for number, raw in lines:
        line = raw.lstrip(" \t")
        if not line:
            continue
        if line[0] == ">" and step is not None:
            _read_body_line(step, line)
            continue
        step = _read_step(line.rstrip(" \t"), number)
        if step.step_id in steps:
            raise ParseError(f"line {number}: the id {step.step_id} is taken")
        steps[step.step_id] = step
    return steps


def _read_body_line(step: Step, line: str) -> None:
    if "←" in line:
        match = _INPUTS.fullmatch(line, 1)
        if match and not match[2]:
            step.inputs += [name.strip(" \t") for name in match[3].split(",")]
            return
        if match:
            at = match.start(2)
            line = line[:at] + line[at + 1 :]
    step.detail.append(_behind_sign(line))


def _read_step(line: str, number: int) -> Step:
    match = _STEP.match(line)
    if match is None:
        raise ParseError(f"line {number}: no step: {line}")
    step_id, mark, name, step_type = match.groups()
    rest = line[match.end() :]
    result, done, total = "", 0, None
    if "|" in rest:
        rest, *segments = _SEPARATOR.split(rest)
        if segments:
            result, done, total = _read_segments(segments, number)
    description, outputs = _read_description(rest.strip(" \t"))
    if description and rest[0] == "→":
        raise ParseError(f"line {number}: white space is missing after the type: {line}")
    return Step(step_id, name or "", step_type, description, [], outputs, [], result, _STATUSES[mark], done, total, [])


def _read_description(piece: str) -> tuple[str, list[str]]:
    outputs: list[str] = []
    arrow = piece.rfind("→")
    if arrow >= 0 and _VARIABLES.fullmatch(piece, arrow + 1):
        if arrow and piece[arrow - 1] == "\\":
            piece = piece[: arrow - 1] + piece[arrow:]
        else:
            outputs = [name.strip(" \t") for name in piece[arrow + 1 :].split(",")]
            piece = piece[:arrow].rstrip(" \t")
    if "\\" in piece:
        piece = _ESCAPED_SEPARATOR.sub(r"\1", piece)
    return piece, outputs


def _read_segments(segments: list[str], number: int) -> tuple[str, int, int | None]:
    pieces: list[str] = []
    done, total, counted = 0, None, False
    for segment in segments:
        text = segment.strip(" \t")
        if text.startswith("Progress:"):
            match = _PROGRESS.fullmatch(text)
            if match is None or counted:
                raise ParseError(f"line {number}: not a progress: {text}")
            done, total, counted = int(match[1]), int(match[2]) if match[2] else None, True
        elif text:
            pieces.append(_read_result(text) if "\\" in text else text)
        else:
            raise ParseError(f"line {number}: an empty segment")
    return " | ".join(pieces), done, total


def _read_result(text: str) -> str:
    is_escaped = _ESCAPED_PROGRESS.match(text)
    text = _ESCAPED_SEPARATOR.sub(r"\1", text)
    return text[1:] if is_escaped else text


# ---------------------------------------------------------------- comparing


def to_dict(plan: Plan) -> dict[str, Any]:
    """The plan as ``planspec_lark.planspec.plan_to_dict`` gives it."""
    root = {name: getattr(plan, name) for name in Plan.__slots__}
    for owner, key in _walk(root):
        owner[key] = [{name: getattr(step, name) for name in Step.__slots__} for step in owner[key]]
    return root


def _walk(root: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    todo = [(root, "steps")]
    while todo:
        owner, key = todo.pop()
        yield owner, key
        todo.extend((row, "children") for row in owner[key])
