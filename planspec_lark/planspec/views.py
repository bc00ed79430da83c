"""One step of a plan with what one needs to know for it: the next one to do, or any other.

A view is data; as a text it may be bounded. What goes first where there is not room for all is what is beside the
step, last what its inputs say. Goal, constraints, the step itself, the names of all above it and the origins of its
inputs stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.planspec.agenda import NextAction, next_state
from planspec_lark.planspec.data_flow import Order, find_users, iter_origins
from planspec_lark.planspec.models import STEP_FIELDS, PlanSpec, PlanStep, copy_own, iter_steps, plain
from planspec_lark.planspec.printer import canonical_step, canonical_summary, serialize_plan
from planspec_lark.planspec.token_budget import fit, shorten_result
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import count_of
from planspec_lark.syntax.token_estimate import TokenCounter
from planspec_lark.syntax.tree import find_above

__all__ = ["InputOrigin", "OutputUse", "StepView", "focus_view", "next_step_view"]


@frozen
class InputOrigin:
    """Where an input comes from, as :func:`~planspec_lark.planspec.data_flow.find_data_flow` finds it.

    Attributes:
        name: the input.
        origin: the step that it comes from; None where no step produces it.
        is_feedback: whether that has the value only afterwards, so that the input is there in a later round at best.
        others: the other steps that declare it as an output, in the order of the plan.
    """

    name: str
    origin: PlanStep | None = None
    is_feedback: bool = False
    others: tuple[PlanStep, ...] = ()


@frozen
class OutputUse:
    """Where an output goes: the other steps that declare it as an input, in the order of the plan."""

    name: str
    steps: tuple[PlanStep, ...]


@frozen
class StepView:
    """A step with what is needed to do it.

    Attributes:
        todo: what is to be done with it; None where it is only shown.
        step: the step.
        plan: the plan.
        path: the steps above it, from the top.
        supplies: where its inputs come from.
        uses: where its outputs go.
        siblings: the steps beside it, itself left out.
    """

    todo: NextAction | None
    step: PlanStep
    plan: PlanSpec = field(repr=False)
    path: tuple[PlanStep, ...] = ()
    supplies: tuple[InputOrigin, ...] = ()
    uses: tuple[OutputUse, ...] = ()
    siblings: tuple[PlanStep, ...] = ()

    def to_text(self, *, max_tokens: int | None = None, count_tokens: TokenCounter | None = None) -> str:
        """The view as text.

        Args:
            max_tokens: leave parts out, and say how many, until the text has at most so many tokens.
            count_tokens: counts the tokens of a text; by default
                :func:`~planspec_lark.syntax.token_estimate.estimate_tokens`.

        Raises:
            ValueError: what has to stay takes more than ``max_tokens``, or no text could spell the plan.
        """
        sections = [(title, items) for title, items in _sections(self) if items]
        foldable = [item for _, items in sections for item in items if item.kind is not None]
        for level, item in enumerate(sorted(foldable, key=lambda item: (item.kind, -item.distance))):
            item.level = level
        plan, first = serialize_plan(evolve(self.plan, steps=[])), _HEADS[self.todo].format(self.step.step_id)
        head = f"{plan}\n{first}\n" if plan else f"{first}\n"

        def write(level: int) -> str:
            return f"{head}{''.join(_write_section(title, items, level) for title, items in sections)}"

        return write(0) if max_tokens is None else fit(len(foldable), write, max_tokens, count_tokens)

    def to_dict(self) -> dict[str, Any]:
        """The view as a JSON value."""
        plan, step = self.plan, self.step
        value: dict[str, Any] = {} if self.todo is None else {"todo": self.todo.value}
        value |= {
            "title": plan.title,
            "goal": plan.goal,
            "goal_detail": [*plan.goal_detail],
            "constraints": [*plan.constraints],
            "path": [_full_value(above) for above in self.path],
            "step": _full_value(step),
            "inputs": [*map(_supply_value, self.supplies)],
            "children": [*map(_brief_value, step.children)],
        }
        if self.todo is None:
            value["siblings"] = [*map(_brief_value, self.siblings)]
            value["outputs"] = [{"name": one.name, "to": [*map(_brief_value, one.steps)]} for one in self.uses]
        return value


def next_step_view(plan: PlanSpec, *, order: Order = "text") -> StepView | None:
    """The next step to do with what it needs; None if none can be done.

    See :func:`~planspec_lark.planspec.next_step`.
    """
    found = next_state(plan, order=order)
    return None if found is None else _view(plan, found.step, found.todo)


def focus_view(plan: PlanSpec, step_id: str) -> StepView:
    """Any step with what it needs, what is beside it, and what depends on it.

    Raises:
        ValueError: the plan has no such step.
    """
    step = find_step(plan, step_id)
    if step is None:
        raise ValueError(f"step_id: step {step_id} does not exist")
    return _view(plan, step, None)


def _view(plan: PlanSpec, step: PlanStep, todo: NextAction | None) -> StepView:
    path = find_above(plan.steps, step)
    siblings = path[-1].children if path else plan.steps
    # What a container declares is produced by a step inside it. By identity: a plan that was built by hand may have an
    # id twice.
    around = {id(one) for one in (*path, step)}
    producers, consumers = find_users(plan, {*step.inputs, *step.outputs})
    origins = next((found for one, found in iter_origins(plan, producers) if one is step), {}) if step.inputs else {}

    def beside(steps: Iterable[PlanStep], origin: PlanStep | None = None) -> tuple[PlanStep, ...]:
        return tuple(one for one in steps if id(one) not in around and one is not origin)

    return StepView(
        todo,
        step,
        plan,
        tuple(path),
        tuple(
            InputOrigin(name, found.step, found.is_feedback, beside(producers[name], found.step))
            if found
            else InputOrigin(name)
            for name, found in origins.items()
        ),
        tuple(OutputUse(name, beside(consumers.get(name, ()))) for name in dict.fromkeys(step.outputs)),
        tuple(one for one in siblings if one is not step),
    )


def _supply_value(supply: InputOrigin) -> dict[str, Any]:
    return {
        "name": supply.name,
        "from": None if supply.origin is None else _brief_value(supply.origin),
        "feedback": supply.is_feedback,
        "others": [*map(_brief_value, supply.others)],
    }


_BRIEF = ("step_id", "step_name", "step_type", "status", "description", "result")


def _brief_value(step: PlanStep) -> dict[str, Any]:
    return {name.removeprefix("step_"): plain(getattr(step, name)) for name in _BRIEF}


def _full_value(step: PlanStep) -> dict[str, Any]:
    return _brief_value(step) | {name: plain(getattr(step, name)) for name in STEP_FIELDS if name not in _BRIEF}


# ---------------------------------------------------------------- as text

_HEADS = {
    None: "Step {}",
    NextAction.DO: "Next: step {} is to be done",
    NextAction.DECIDE: "Next: one of the branches of step {} is to be chosen",
    NextAction.PLAN: "Next: the steps below step {} are to be written",
    NextAction.CLOSE: "Next: all below step {} has been dealt with, and its status is to be set",
}
# What is left out, in this order. Of one kind, what is farthest from the step goes first.
_BESIDE, _USE, _BELOW, _BODY, _SUPPLY, _RESULT = range(6)


@define
class _Item:
    """Some rows of a section. Where they are left out, ``short`` stands for them, or they are counted."""

    rows: str
    kind: int | None = None
    distance: int = 0
    short: str = ""
    # From which level on they are left out.
    level: float = inf


def _write_section(title: str, items: list[_Item], level: int) -> str:
    rows = [item.rows if item.level >= level else item.short for item in items]
    left_out = rows.count("")
    mark = f"… left out: {count_of(left_out, 'step')}\n" if left_out else ""
    return f"\n{title}:\n{''.join(rows)}{mark}"


def _sections(view: StepView) -> Iterator[tuple[str, list[_Item]]]:
    step, path = view.step, view.path
    yield "Above it", [_with_body(above, len(path) - at) for at, above in enumerate(path)]
    yield "The step", [_Item(canonical_step(step, 0))]
    order = {id(one): at for at, one in enumerate(iter_steps(view.plan))}
    yield "Its inputs", [item for supply in view.supplies for item in _supply_items(supply, step, order)]
    if view.todo is NextAction.DECIDE:
        yield "Its branches", [_Item(canonical_step(branch, 0)) for branch in step.children]
    else:
        yield "Below it", [_short(child, _BELOW, at) for at, child in enumerate(step.children)]
    if view.todo is None:
        # Of those after it, the next is the nearest.
        yield "Its outputs", [item for use in view.uses for item in _use_items(use)]
        before = sum(order[id(one)] < order[id(step)] for one in view.siblings)
        yield "Beside it", [_short(one, _BESIDE, abs(at - before)) for at, one in enumerate(view.siblings)]


def _short(step: PlanStep, kind: int, distance: int) -> _Item:
    return _Item(f"{canonical_summary(step)}\n", kind, distance)


def _with_body(step: PlanStep, distance: int) -> _Item:
    full = canonical_step(step, 0)
    count = full.count("\n") - 1
    mark = f"  > … left out: {count_of(count, 'line')}\n"
    short = f"{canonical_summary(step)}\n{mark}"
    return _Item(full, _BODY, distance, short) if len(short) < len(full) else _Item(full)


def _supply_items(supply: InputOrigin, step: PlanStep, order: dict[int, int]) -> Iterator[_Item]:
    origin = supply.origin
    if origin is None:
        yield _Item(f"- {supply.name}: no step produces it\n")
        return
    words = f"- {supply.name}: {'as feedback from' if supply.is_feedback else 'from'}"
    brief = copy_own(origin)
    brief.result = shorten_result(origin.result)
    kind = None if brief.result == origin.result else _RESULT
    row, short = (f"{words} {canonical_summary(one)}\n" for one in (origin, brief))
    yield _Item(row, kind, abs(order[id(origin)] - order[id(step)]), short)
    for one in supply.others:
        row = f"- {supply.name}: also produced by {canonical_summary(one)}\n"
        yield _Item(row, _SUPPLY, abs(order[id(one)] - order[id(step)]))


def _use_items(use: OutputUse) -> Iterator[_Item]:
    if not use.steps:
        yield _Item(f"- {use.name}: no step takes it\n", _USE)
    for at, one in enumerate(use.steps):
        yield _Item(f"- {use.name}: to {canonical_summary(one)}\n", _USE, at)
