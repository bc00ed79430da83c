"""Plans out of trees of the canonical grammar, token by token, without the reader of plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import Token, Tree

from planspec_lark import PlanSpec, PlanStatus, PlanStep
from planspec_lark.planspec.escapes import read_description, read_detail, read_segment
from planspec_lark.planspec.models import MARKS

_STATUSES = {f"[{mark}] ": status for status, mark in MARKS.items()}
_TEXT = re.compile(r"(FIRST|X|ANY|TEXT)_[A-Z]+|ESCAPED|ARROW|OTHER|LOOKALIKE")
_RESULT = re.compile(r"(RESULT|MORE)_[A-Z]+")


def plan_of(tree: Tree[Token]) -> PlanSpec:
    """The plan that a tree of the canonical grammar spells."""
    plan = PlanSpec()
    (document,) = tree.children
    assert isinstance(document, Tree)
    for part in document.children:
        assert isinstance(part, Tree)
        if part.data == "title":
            plan.title = _line(part, "LINE")
        elif part.data == "goal":
            plan.goal = _line(part, "LINE")
            plan.goal_detail = [_detail(token) for token in _tokens(part) if token.type == "GOAL_DETAIL"]
        elif part.data == "constraints":
            plan.constraints = [_line(one, "LINE") for one in part.find_data("constraint")]
        else:
            plan.steps = [_step(one) for one in part.children if isinstance(one, Tree)]
    return plan


def _tokens(tree: Tree[Token]) -> Iterator[Token]:
    return (child for child in tree.children if isinstance(child, Token))


def _line(tree: Tree[Token], kind: str) -> str:
    return next((str(token)[:-1] for token in _tokens(tree) if token.type == kind), "")


def _detail(token: Token) -> str:
    return str(token)[2:-1]


def _step(tree: Tree[Token]) -> PlanStep:
    tokens = {token.type: str(token) for token in _tokens(tree)}
    step = PlanStep(next(text for kind, text in tokens.items() if kind.startswith("ID_"))[:-2])
    step.status = _STATUSES.get(tokens.get("MARK", ""), PlanStatus.PENDING)
    step.step_name = tokens.get("NAME", "").strip()
    step.step_type = next(tokens[kind] for kind in ("TYPE", "SMALL_X", "BIG_X") if kind in tokens)[1:-1]
    step.outputs = _variables(next((text for kind, text in tokens.items() if kind.startswith("OUTPUTS")), ""))
    raw = "".join(token for token in _tokens(tree) if _TEXT.fullmatch(token.type)).removesuffix("\n")
    raw = raw.removesuffix(" | ").removesuffix("→" if step.outputs else "")
    step.description = read_description(raw.strip(" \t"), has_outputs=bool(step.outputs))
    pieces = (token.removesuffix("\n").removesuffix(" | ") for token in _tokens(tree) if _RESULT.fullmatch(token.type))
    step.result = " | ".join(map(read_segment, pieces))
    if "PROGRESS" in tokens:
        done, _, total = tokens["PROGRESS"].removeprefix("Progress: ").strip().partition("/")
        step.done_count, step.total_count = int(done), int(total) if total else None
    step.inputs = _variables(tokens.get("INPUTS", "").removeprefix("> ←"))
    step.detail = [read_detail(_detail(token)) for token in _tokens(tree) if token.type == "DETAIL"]
    step.children = [_step(child) for child in tree.children if isinstance(child, Tree)]
    return step


def _variables(text: str) -> list[str]:
    text = text.removesuffix(" | ").strip()
    return text.split(", ") if text else []


def renumber(text: str) -> str:
    """The same canonical text with ids by place: 1, 2, 2.1 and so on."""
    head, mark, body = text.partition("## Steps\n")
    counts: list[int] = []
    rows = []
    for row in body.split("\n"):
        match = re.match(r"((?:  )*)[0-9.]+\. ", row)
        if match:
            level = len(match[1]) // 2
            counts = [*counts[: level + 1], *([0] * (level + 1 - len(counts)))]
            counts[level] += 1
        rows.append(f"{match[1]}{'.'.join(map(str, counts))}. {row[match.end() :]}" if match else row)
    return head + mark + "\n".join(rows)
