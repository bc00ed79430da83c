"""What a HopSpec step is: the executable neighbour of a plan's step.

HopSpec's own rules are not checked here; a field that a step's type does not have is empty.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from attrs import define, field, fields

from planspec_lark.syntax.tree import iter_tree

__all__ = ["StepInfo"]


def _names(steps: list[StepInfo]) -> str:
    return f"[{', '.join(step.step_name for step in steps)}]"


@define(eq=False)
class StepInfo:
    """One HopSpec step with all below it. ``step_type`` is LLM, call, loop, branch, code, flow or subtask."""

    step_id: str = ""
    step_name: str = ""
    step_type: str = ""
    task: str = ""
    description: str = ""
    condition: str = ""
    inputs: list[str] = field(factory=list)
    outputs: list[str] = field(factory=list)
    return_format: str = ""
    verifier: str = ""
    call_target: str = ""
    tool_domain: str = ""
    hoplet_path: str = ""
    mcp_service: str = ""
    collection: str = ""
    element_var: str = ""
    max_iterations: int | None = None
    expand_mode: str = ""
    action: str = ""
    exit_id: str = ""
    target_loop: str = ""
    children: list[StepInfo] = field(factory=list, repr=_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StepInfo):
            return NotImplemented
        # As each knows how many children it has, the first difference comes before either tree ends.
        pairs = zip(iter_tree([self]), iter_tree([other]), strict=False)
        return all(_own(ours) == _own(theirs) for (ours, _), (theirs, _) in pairs)


_OWN = attrgetter(*(one.name for one in fields(StepInfo) if one.name != "children"))


def _own(info: StepInfo) -> tuple[Any, ...]:
    return (*_OWN(info), len(info.children))
