"""A tool plan as a PlanSpec document, so that whatever reads plans can show it.

What a document has no fields for stands in detail lines: a label, a name where the label has one, and a plain word or
JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.syntax import grammars
from planspec_lark.syntax.names import Names
from planspec_lark.syntax.safe_text import one_line, safe_json
from planspec_lark.toolplan.interchange import tool_plan_to_dict
from planspec_lark.toolplan.models import Registry, ToolPlan
from planspec_lark.toolplan.rules import Plan, prepare

__all__ = ["toolplan_to_plan"]

_NO_TEXT = "(no text)"
_NAME = re.compile(r"[\w./-]+")
_WORD = re.compile(r"[^\W\d][\w./-]*")
# What people and programs alike would take for something else than a text.
_NO_WORDS = frozenset({"true", "false", "null", "NaN", "Infinity"})
_NO_VARIABLE = re.compile(r"[^A-Za-z0-9_]+")


def toolplan_to_plan(plan: ToolPlan, registry: Registry | Mapping[str, Any] | list[Any] | None = None) -> PlanSpec:
    """The steps of a tool plan as ``act`` steps, in the order in which they are run.

    They are numbered from 1, and named by their ``step_id`` where a name can hold it. Each output that its tool
    declares or a reference names is a variable, such as ``weigh_flour_grams`` for the output ``grams`` of
    ``weigh_flour``; each reference makes that variable an input. Detail lines keep the rest: the tool, all inputs, and
    what dependencies a step lists. Steps of a circle, and those that depend on one, come last.

    Args:
        plan: any plan; whether it can be run makes no difference.
        registry: the tools; without them, only outputs that are referred to are known.
    """
    view = _View(plan, prepare(tool_plan_to_dict(plan), registry))
    made = PlanSpec(goal=one_line(plan.target) or _NO_TEXT)
    notes = [_write_note("Target", plan.target)] if made.goal != plan.target else []
    notes += [_write_note("Output", value, name) for name, value in (plan.outputs or {}).items()]
    made.goal_detail = [*filter(None, notes)]
    made.steps = [view.make_step(at, index) for at, index in enumerate(view.order)]
    return made


@define
class _View:
    """The plan with the variables for its outputs."""

    plan: ToolPlan
    prepared: Plan
    order: list[int] = field(init=False)
    # Of each step, its outputs and the variables for them; and the variables that it takes in.
    outputs: list[dict[str, str]] = field(init=False)
    inputs: list[dict[str, None]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        prepared = self.prepared
        self.order = [*prepared.ordering.order, *prepared.ordering.stuck]
        self.outputs = [dict.fromkeys((one.outputs or {}) if one else {}, "") for one in prepared.signatures]
        self.inputs = [{} for _ in self.order]
        known = [(use, use.index) for use in (*prepared.uses, *prepared.shown) if use.index is not None]
        for use, index in known:
            self.outputs[index].setdefault(use.piece.output, "")
        self._name_variables()
        for use, index in known:
            if use.step is not None:
                self.inputs[use.step.index][self.outputs[index][use.piece.output]] = None

    def _name_variables(self) -> None:
        names = Names()
        for index in self.order:
            step = self.prepared.outline.steps[index].name
            for output in self.outputs[index]:
                self.outputs[index][output] = names.take(_prefix(step) + _NO_VARIABLE.sub("_", output))

    def make_step(self, at: int, index: int) -> PlanStep:
        """The step with this index, as the one at this place."""
        step = self.plan.steps[index]
        name = step.step_id if step.step_id is not None else "" if at == index else str(index)
        has_name = not name or grammars.pattern("planspec", "WORD").fullmatch(name) is not None
        made = PlanStep(str(at + 1), name if has_name else "", "act", one_line(step.target) or _NO_TEXT)
        made.inputs, made.outputs = list(self.inputs[index]), list(self.outputs[index].values())
        notes = [] if has_name else [_write_note("Step", name)]
        if made.description != step.target:
            notes.append(_write_note("Target", step.target))
        notes.append(_write_note("Atom", step.id))
        notes += [_write_note("Input", value, name) for name, value in step.inputs.items()]
        if step.depends_on is not None:
            notes.append(_write_note("Depends on", [*step.depends_on]))
        own = self.prepared.outline.steps[index].name
        notes += [
            _write_note("Output", output, variable)
            for output, variable in self.outputs[index].items()
            if variable != _prefix(own) + output
        ]
        made.detail = [*filter(None, notes)]
        return made


def _prefix(step: str) -> str:
    """What the variables for the outputs of a step begin with: its name, with `_` for what no variable may have."""
    words = _NO_VARIABLE.sub("_", step)
    return f"{words}_" if words[:1].isalpha() else f"step_{words}_"


def _write_note(label: str, value: Any, name: str | None = None) -> str | None:
    """A line that says this, safe to show; None where JSON cannot say it."""
    head = label if name is None else f"{label} {name if _NAME.fullmatch(name) else safe_json(name)}"
    is_word = isinstance(value, str) and value not in _NO_WORDS and _WORD.fullmatch(value)
    try:
        return f"{head}: {value if is_word else safe_json(value)}"
    except (TypeError, ValueError, RecursionError):
        return None
