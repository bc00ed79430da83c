"""What a HopSpec step is: the executable neighbour of a plan's step.

HopSpec's own rules are not checked here; a field that a step's type does not have is empty.
"""

from __future__ import annotations

from attrs import define, field, fields

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
        own = [attribute.name for attribute in fields(StepInfo) if attribute.name != "children"]
        pairs = [(self, other)]
        while pairs:
            ours, theirs = pairs.pop()
            if len(ours.children) != len(theirs.children):
                return False
            if any(getattr(ours, name) != getattr(theirs, name) for name in own):
                return False
            pairs.extend(zip(ours.children, theirs.children, strict=True))
        return True
