"""Hostile references and tool plans of any size, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from planspec_lark import check_tool_plan, render_all
from planspec_lark.toolplan.references import read_pieces
from tests.growth.work import Work

__all__ = ["TOOLPLAN_SHAPES", "TOOLPLAN_WORK"]


def _many(piece: str) -> Callable[[int], str]:
    return lambda size: "".join(piece.format(number) for number in range(1 + size // len(piece)))


# Name → the text of about so many characters.
TOOLPLAN_SHAPES: dict[str, Callable[[int], str]] = {
    "openings": _many("${{"),
    "dollars": _many("$"),
    "escapes": _many("$${{"),
    "malformed references": _many("${{a}}"),
    "references that are not closed": _many("${{a.outputs.b "),
    "one long step": lambda size: "${" + "a." * (size // 2) + "outputs.b}",
    "one long output": lambda size: "${a" + ".outputs.b" * (size // 10) + "}",
    "separators": lambda size: "${" + ".outputs." * (size // 9),
    "references": _many("${{0.outputs.b}}"),
    "unknown steps": _many("${{a{0}.outputs.b}}"),
    "steps": _many("s{0}\n"),
    "the same step": _many("s\n"),
    "steps without names": _many("\n"),
    "steps by index": _many("{0}\n"),
}
_TOOLS = {"a": {"inputs": {"text": "string"}, "outputs": {"b": "string"}}}


def _plan(text: str) -> str:
    """A plan with the text among its inputs, as a whole, and by lines as names and dependencies of steps."""
    steps: list[dict[str, Any]] = [{"id": "a", "target": "", "inputs": {"text": text, "lines": text.split("\n")}}]
    for line in text.split("\n"):
        inputs = {"text": f"${{{line[:20]}.outputs.b}}", line[:20]: 1}
        steps.append({"id": "a", "target": "", "inputs": inputs, "step_id": line, "depends_on": [line[:20], "0"]})
    return json.dumps({"target": "", "plan": {"steps": steps}})


TOOLPLAN_WORK = {
    "references": Work(read_pieces),
    "check_tool_plan": Work(lambda text: render_all(check_tool_plan(text, _TOOLS)), _plan),
}
