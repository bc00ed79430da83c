"""HopSpec document → a line for each step."""

from __future__ import annotations

from collections.abc import Iterator

from planspec_lark.hopspec.models import HopSpec, StepInfo
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.tree import iter_tree

__all__ = ["kind_of", "outline_hopspec", "say_work"]


def outline_hopspec(document: HopSpec) -> Iterator[str]:
    """The lines of an outline: title and mode, then each step with its type and mode, what it does and makes."""
    if head := " · ".join(filter(None, [document.title, document.mode])):
        yield head
    depths: dict[int, int] = {}
    for step, parent in iter_tree(document.steps):
        depth = depths[id(step)] = depths[id(parent)] + 1 if parent else 0
        yield "  " * depth + "  ".join(filter(None, [step.step_id, step.step_name, kind_of(step), _said(step)]))


def kind_of(step: StepInfo) -> str:
    """The type of a step, with its mode."""
    mode = step.mode()
    return f"{step.step_type}:{mode}" if mode else step.step_type


def say_work(step: StepInfo) -> str:
    """What a step does, in one line."""
    over = f"{step.element_var} in {step.collection}" if step.collection else step.condition
    return one_line(over or step.task or step.description or step.target_loop)


def _said(step: StepInfo) -> str:
    """What a step does, in one line, and what it makes."""
    made = f"→ {', '.join(step.outputs)}" if step.outputs else ""
    return " ".join(filter(None, [say_work(step), made]))
