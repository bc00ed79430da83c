"""The parse tree of a plan: PlanSpec text → tree → plan, through the LALR parser.

This is the way for whoever wants the tree. :func:`planspec_lark.parse_plan` accepts the same texts and makes the same
plans of them, several times faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lark import Token, Tree
from lark.exceptions import UnexpectedInput

from planspec_lark import grammars
from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.planspec.building import SUMMARY, add_body, build_step
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.scanning import scan_strictly
from planspec_lark.planspec.tree import grow
from planspec_lark.source import end_last_line

__all__ = ["parse_tree", "plan_from_tree"]


def parse_tree(text: str) -> Tree[Token]:
    """The parse tree of a plan. Its tokens put together are the text; an absent part of a rule is None.

    Raises:
        PlanSyntaxError: as :func:`parse_plan` does. Both accept the same texts, but that ids may come twice in a tree.
    """
    if not text:
        return Tree("plan", [])
    ended = end_last_line(text)
    try:
        tree = grammars.parser("planspec").parse(ended, start="plan")
    except UnexpectedInput:
        result = scan_strictly(text)
        raise PlanSyntaxError(result.diagnostics, result.source) from None
    if ended != text:
        _end_early(tree)
    return tree


def _end_early(tree: Tree[Token]) -> None:
    """Take the line break that the text did not have off the last token."""
    node = tree
    while True:
        at, last = next((i, c) for i, c in reversed([*enumerate(node.children)]) if c is not None)
        if isinstance(last, Token):
            node.children[at] = last.update(value=last[:-1])
            return
        node = last


def plan_from_tree(tree: Tree[Token]) -> PlanSpec:
    """The plan that a tree of :func:`parse_tree` spells, edited or not.

    Raises:
        ValueError: an id comes twice.
    """
    plan = PlanSpec()
    steps: list[PlanStep] = []
    walk: Callable[[], Iterator[Tree[Token]]] = tree.iter_subtrees_topdown
    for node in walk():
        tokens = [token for token in node.children if isinstance(token, Token)]
        if node.data == "title":
            [plan.title] = _values(tokens, "TEXT")
        elif node.data == "goal":
            plan.goal = "".join(_values(tokens, "TEXT"))
            plan.goal_detail = _values(tokens, "DETAIL")
        elif node.data == "constraint":
            plan.constraints.extend(_values(tokens, "TEXT"))
        elif node.data == "step":
            steps.append(_step_from_tokens(tokens))
    if len({step.step_id for step in steps}) != len(steps):
        raise ValueError("an id comes twice")
    plan.steps = grow(steps)
    return plan


def _step_from_tokens(tokens: list[Token]) -> PlanStep:
    values: dict[str, str] = {}
    more: list[str] = []
    for token in tokens:
        if token.type in values and token.type == "RESULT":
            more.append(token)
        values.setdefault(token.type, grammars.regular("planspec").value(token.type, token))
    values["_more"] = "".join(more)
    step = build_step(*(values.get(name, "") for name in SUMMARY))
    first = next(index for index, token in enumerate(tokens) if token.type == "NL")
    add_body(step, _ended(tokens[first + 1 :]))
    return step


def _values(tokens: list[Token], kind: str) -> list[str]:
    return [grammars.regular("planspec").value(kind, token) for token in tokens if token.type == kind]


def _ended(tokens: list[Token]) -> str:
    """The lines of these tokens, the last of them ended."""
    lines = "".join(tokens)
    return lines if not lines or lines.endswith("\n") else lines + "\n"
