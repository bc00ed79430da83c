"""PlanSpec text → plan, strictly.

A text that is a plan is read by patterns made from the grammar's own rules (see :mod:`planspec_lark.regular`). Any
other text goes through :mod:`planspec_lark.planspec.walking`, stretch by stretch, which knows what to say about it.
:func:`parse_tree` and :func:`plan_from_tree` are the same way through the LALR parser, for whoever wants the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from re import Pattern

from lark import Token, Tree
from lark.exceptions import UnexpectedInput

from planspec_lark import grammars
from planspec_lark.collector import paused
from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.planspec.building import build_step, read_constraints, read_goal_detail
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.scanning import scan_strictly
from planspec_lark.planspec.tree import grow
from planspec_lark.source import end_last_line

__all__ = ["parse_plan", "parse_tree", "plan_from_tree", "try_parse"]


@cache
def _patterns() -> tuple[Pattern[str], Pattern[str]]:
    rules = grammars.regular("planspec")
    return rules.pattern("plan", without="step"), rules.pattern("step")


def parse_plan(text: str, *, name: str = "<text>") -> PlanSpec:
    """Read a plan, strictly.

    Args:
        text: a PlanSpec document. The empty text is the empty plan.
        name: what diagnostics call it, such as the file's name.

    Raises:
        PlanSyntaxError: the text is no plan; it carries the diagnostics of all its faults.
    """
    with paused(len(text)):
        plan = _read(text)
    if plan is None:
        result = scan_strictly(text, name=name)
        if result.diagnostics:
            raise PlanSyntaxError(result.diagnostics, result.source)
        plan = result.plan
    return plan


def try_parse(text: str) -> PlanSpec | None:
    """The plan that a text is, or None where only a scan can tell: for whoever scans the text next anyway."""
    with paused(len(text)):
        return _read(text)


def _read(text: str) -> PlanSpec | None:
    """The plan, or None where the text has a fault."""
    if not text:
        return PlanSpec()
    text = end_last_line(text)
    head_pattern, step_pattern = _patterns()
    head = head_pattern.match(text)
    if head is None:
        return None
    at = head.end()
    steps: list[PlanStep] = []
    if head["steps"]:
        read, append = step_pattern.match, steps.append
        while match := read(text, at):
            append(build_step(*match.groups()))
            at = match.end()
    if at != len(text) or len({step.step_id for step in steps}) != len(steps):
        return None
    return PlanSpec(
        title=(head["title_TEXT"] or "").strip(BLANKS),
        goal=(head["goal_TEXT"] or "").strip(BLANKS),
        goal_detail=read_goal_detail(head["goal__goal_detail"] or ""),
        constraints=read_constraints(head["constraints_constraint"] or ""),
        steps=grow(steps),
    )


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
        tokens = [(token.type, token) for token in node.children if isinstance(token, Token)]
        if node.data == "title":
            plan.title = _value(tokens, "TEXT")
        elif node.data == "goal":
            plan.goal = _value(tokens, "TEXT")
            plan.goal_detail = read_goal_detail(_lines(tokens))
        elif node.data == "constraint":
            plan.constraints.append(_value(tokens, "TEXT"))
        elif node.data == "step":
            steps.append(_step_from_tokens(tokens))
    if len({step.step_id for step in steps}) != len(steps):
        raise ValueError("an id comes twice")
    plan.steps = grow(steps)
    return plan


def _step_from_tokens(tokens: list[tuple[str, Token]]) -> PlanStep:
    by_type = dict(reversed(tokens))
    return build_step(
        by_type["STEP_ID"],
        by_type.get("MARK"),
        by_type.get("NAME"),
        by_type["TYPE"],
        by_type.get("DESCRIPTION"),
        by_type.get("OUTPUTS"),
        "".join(token for kind, token in tokens if kind in ("RESULT", "PROGRESS")),
        _lines(tokens),
    )


def _value(tokens: list[tuple[str, Token]], kind: str) -> str:
    return next((str(token).strip(BLANKS) for found, token in tokens if found == kind), "")


def _lines(tokens: list[tuple[str, Token]]) -> str:
    """The lines behind the first one, the last of them ended."""
    first = next(index for index, (kind, _) in enumerate(tokens) if kind == "NL")
    lines = "".join(token for _, token in tokens[first + 1 :])
    return lines if not lines or lines.endswith("\n") else lines + "\n"
