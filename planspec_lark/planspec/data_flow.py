"""Which step takes what from which: where inputs come from, as far as the plan itself says it.

A step has its outputs once it is through, a container once all steps in it are. What has really been produced, only a
run knows (:mod:`planspec_lark.engine.inputs`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from attrs import frozen

from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.tree import walk

__all__ = ["ORDERS", "DataFlow", "Link", "Order", "Origin", "Reach", "find_data_flow", "find_users", "iter_origins"]

# What orders steps: their order in the text, or declared inputs alone.
Order: TypeAlias = Literal["text", "data"]
ORDERS: tuple[Order, ...] = ("text", "data")


@frozen(eq=False)
class Origin:
    """Where an input comes from.

    Attributes:
        step: the step that produces it; where several branches of a decision do, the `decide` step around them.
        is_feedback: whether it has the value only afterwards, so that the input is there in a later round at best.
    """

    step: PlanStep
    is_feedback: bool = False


@frozen(eq=False)
class Link:
    """All that one step takes from another."""

    source: PlanStep
    target: PlanStep
    names: tuple[str, ...]
    is_feedback: bool


@frozen(eq=False)
class DataFlow:
    """The variables of a plan.

    Attributes:
        origins: by the id of each step with inputs, the origin of each input; None where no step produces it.
        producers: by variable, the steps that produce it, in document order.
        consumers: by variable, the steps that take it, in document order.
    """

    origins: Mapping[str, Mapping[str, Origin | None]]
    producers: Mapping[str, list[PlanStep]]
    consumers: Mapping[str, list[PlanStep]]

    def missing(self, step: PlanStep) -> list[str]:
        """The inputs of a step that no step produces."""
        return [name for name in dict.fromkeys(step.inputs) if name not in self.producers]

    def unused(self, step: PlanStep) -> list[str]:
        """The outputs of a step that no step takes."""
        return [name for name in dict.fromkeys(step.outputs) if name not in self.consumers]

    def links(self, step: PlanStep) -> Iterator[Link]:
        """What a step takes from others, a link for each of them."""
        found: dict[tuple[str, bool], tuple[Origin, list[str]]] = {}
        for name, origin in self.origins.get(step.step_id, {}).items():
            if origin is not None:
                found.setdefault((origin.step.step_id, origin.is_feedback), (origin, []))[1].append(name)
        for origin, names in found.values():
            yield Link(origin.step, step, tuple(names), origin.is_feedback)


def find_data_flow(plan: PlanSpec) -> DataFlow:
    """Find where each input of a plan comes from.

    Of several steps before it, the last one counts. Two kinds count only where there is no other: what is skipped, and
    what is in another branch of a decision around the step. If no step before it produces an input, the first one
    of those that do is its origin, in a later round.
    """
    producers, consumers = find_users(plan)
    origins = {step.step_id: found for step, found in iter_origins(plan, producers)}
    return DataFlow(origins, producers, consumers)


def find_users(
    plan: PlanSpec, only: Collection[str] | None = None
) -> tuple[dict[str, list[PlanStep]], dict[str, list[PlanStep]]]:
    """By variable, all or ``only`` some, the steps that produce it, and those that take it, in document order."""
    producers: dict[str, list[PlanStep]] = {}
    consumers: dict[str, list[PlanStep]] = {}
    for step in iter_steps(plan):
        for names, steps in ((step.outputs, producers), (step.inputs, consumers)):
            for name in dict.fromkeys(names) if len(names) > 1 else names:
                if only is None or name in only:
                    steps.setdefault(name, []).append(step)
    return producers, consumers


def iter_origins(
    plan: PlanSpec, producers: Mapping[str, Sequence[PlanStep]]
) -> Iterator[tuple[PlanStep, dict[str, Origin | None]]]:
    """Each step with inputs, in document order, and their origins.

    ``producers`` are those of :func:`find_users`, at least of the variables that one wants to know about.
    """
    reach = Reach()
    # By variable and by whether the step is skipped, the last step that has produced it, wherever it is.
    last: dict[tuple[str, bool], PlanStep] = {}

    def find(name: str) -> Origin | None:
        if name not in producers:
            return None
        there, skipped = (name, False), (name, True)
        before = reach.find(there) or reach.find(skipped)
        step = before.origin if before else last.get(there) or last.get(skipped)
        return Origin(step) if step else Origin(producers[name][0], is_feedback=True)

    for step, is_entered in walk(plan):
        if is_entered:
            reach.enter(step)
            if step.inputs:
                yield step, {name: find(name) for name in step.inputs}
            continue
        is_skipped = step.status is PlanStatus.SKIPPED
        keys = [(name, is_skipped) for name in step.outputs]
        for key in keys:
            last[key] = step
        reach.leave(keys)


class Value(NamedTuple):
    """The step that has produced a variable last, and where that is from: a decision, if several branches have."""

    step: PlanStep
    origin: PlanStep


_Key = tuple[str, bool]


class Reach:
    """The last value of each variable that reaches the step to which a walk through the plan has come.

    The branches of a decision do not see each other: each begins with what there was before the decision, and what they
    have produced counts once that is through.
    """

    def __init__(self) -> None:
        self._values: dict[_Key, Value] = {}
        # Of the open branches, what was there before they put the same out.
        self._before: list[dict[_Key, Value | None]] = []
        self._open: list[PlanStep] = []
        # Of the open decisions, what their branches have produced.
        self._decided: list[dict[_Key, Value]] = []

    def find(self, key: _Key) -> Value | None:
        """The last value of a variable, as far as it reaches."""
        return self._values.get(key)

    def put(self, key: _Key, step: PlanStep, origin: PlanStep | None = None) -> None:
        """A step produces a variable."""
        if self._before:
            self._before[-1].setdefault(key, self._values.get(key))
        self._values[key] = Value(step, origin or step)

    def enter(self, step: PlanStep) -> None:
        """The walk comes to a step."""
        if self._is_in_decision():
            self._before.append({})
        self._open.append(step)
        if step.step_type == "decide":
            self._decided.append({})

    def leave(self, keys: Iterable[_Key] = ()) -> None:
        """All below the innermost open step is through, which puts these variables out itself."""
        step = self._open.pop()
        if step.step_type == "decide":
            for key, value in self._decided.pop().items():
                self.put(key, *value)
        for key in keys:
            self.put(key, step)
        if self._is_in_decision():
            decided = self._decided[-1]
            for key, before in self._before.pop().items():
                value = self._values.pop(key)
                decided[key] = Value(value.step, self._open[-1]) if key in decided else value
                if before is not None:
                    self._values[key] = before

    def _is_in_decision(self) -> bool:
        return bool(self._decided) and self._open[-1].step_type == "decide"
