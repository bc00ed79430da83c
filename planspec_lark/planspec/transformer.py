"""Parse tree → plan: what the rules of ``grammar/planspec.lark`` mean.

What the tokens of a step mean is defined in :mod:`planspec_lark.planspec.builder`, which readers without Lark share.
"""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer, Tree
from lark.exceptions import VisitError

from planspec_lark.planspec.builder import SUMMARY, build_step, read_body
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.syntax import grammars
from planspec_lark.syntax.tree import grow

__all__ = ["PlanTransformer"]

# Tokens of a rule; an absent part is None.
_Tokens = list[Token | None]


class PlanTransformer(Transformer[Token, PlanSpec]):
    """Transforms a tree of :func:`planspec_lark.planspec.parse_tree`, edited or not, to a plan."""

    def transform(self, tree: Tree[Token]) -> PlanSpec:
        """The plan of a tree.

        Raises:
            ValueError: an id occurs twice.
        """
        try:
            return super().transform(tree)
        except VisitError as error:
            # Lark wraps what the method of a rule raises.
            raise error.orig_exc from None

    def title(self, tokens: _Tokens) -> dict[str, Any]:
        """`# Plan: Text`"""
        return {"title": "".join(_values(tokens, "TEXT"))}

    def goal(self, tokens: _Tokens) -> dict[str, Any]:
        """`Goal: Text`, and the lines of detail below it."""
        return {"goal": "".join(_values(tokens, "TEXT")), "goal_detail": _values(tokens, "DETAIL")}

    def constraint(self, tokens: _Tokens) -> str:
        """`- Text`"""
        return "".join(_values(tokens, "TEXT"))

    def constraints(self, children: list[Any]) -> dict[str, Any]:
        """The header, and one text for each constraint."""
        return {"constraints": [child for child in children if type(child) is str]}

    def step(self, tokens: _Tokens) -> PlanStep:
        """A summary line and the lines of its body."""
        present = [token for token in tokens if token is not None]
        end = next((at for at, token in enumerate(present) if token.type == "NL"), len(present))
        values: dict[str, str] = {}
        for token in present[:end]:
            # The pieces of the result after the first.
            name = "_more" if token.type == "RESULT" in values else token.type
            values[name] = values.get(name, "") + (token if name == "_more" else _value(token))
        step = build_step(*(values.get(name, "") for name in SUMMARY))
        inputs, detail = read_body("".join(present[end + 1 :]) + "\n")
        step.inputs.extend(inputs)
        step.detail.extend(detail)
        return step

    def steps(self, children: list[Any]) -> dict[str, Any]:
        """The header, and the steps, put into a tree by their ids."""
        return {"steps": grow([child for child in children if isinstance(child, PlanStep)])}

    def plan(self, children: list[Any]) -> PlanSpec:
        """The parts of a document, each of which may be absent."""
        fields: dict[str, Any] = {}
        for child in children:
            fields |= child if isinstance(child, dict) else {}
        return PlanSpec(**fields)


def _value(token: Token) -> str:
    return grammars.regular("planspec").value(token.type, token)


def _values(tokens: _Tokens, kind: str) -> list[str]:
    return [_value(token) for token in tokens if token is not None and token.type == kind]
