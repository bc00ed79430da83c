"""Which step takes what from which: where inputs come from, as far as the plan itself says it.

A step has its outputs once it is through, a container once all steps in it are. What has really been put out, only a
run knows (:mod:`planspec_lark.engine.inputs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attrs import define, frozen

from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.tree import walk

__all__ = ["DataFlow", "Link", "Origin", "find_data_flow", "find_origins"]


@frozen(eq=False)
class Origin:
    """Where an input comes from.

    Attributes:
        step: the step that puts it out; where several branches of a decision do, the `decide` step around them.
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
        origins: by the id of each step with inputs, the origin of each input; None where no step puts it out.
        producers: by variable, the steps that put it out, in document order.
        consumers: by variable, the steps that take it, in document order.
    """

    origins: Mapping[str, Mapping[str, Origin | None]]
    producers: Mapping[str, list[PlanStep]]
    consumers: Mapping[str, list[PlanStep]]

    def missing(self, step: PlanStep) -> list[str]:
        """The inputs of a step that no step puts out."""
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
    """Find out where each input of a plan comes from.

    Of several steps before it, the last one counts. Two kinds count only where there is no other: what is skipped, and
    what stands in another branch of a decision around the step. If no step before it puts an input out, the first one
    of those that do is its origin, in a later round.
    """
    producers: dict[str, list[PlanStep]] = {}
    consumers: dict[str, list[PlanStep]] = {}
    for step in iter_steps(plan):
        for names, steps in ((step.outputs, producers), (step.inputs, consumers)):
            for name in dict.fromkeys(names):
                steps.setdefault(name, []).append(step)
    origins = {step.step_id: found for step, found in _iter_origins(plan, producers)}
    return DataFlow(origins, producers, consumers)


def find_origins(
    plan: PlanSpec, step: PlanStep, producers: Mapping[str, Sequence[PlanStep]]
) -> Mapping[str, Origin | None]:
    """The origin of each input of one step, as :func:`find_data_flow` finds it; also where another has the same id.

    Args:
        plan: the plan.
        step: one of its steps.
        producers: by variable, at least by each of the step's inputs, the steps that put it out, in document order.
    """
    if not step.inputs:
        return {}
    return next(found for one, found in _iter_origins(plan, producers) if one is step)


def _iter_origins(
    plan: PlanSpec, producers: Mapping[str, Sequence[PlanStep]]
) -> Iterator[tuple[PlanStep, dict[str, Origin | None]]]:
    """Each step with inputs, and their origins."""
    reach = _Reach()
    for step, is_entered in walk(plan):
        if not is_entered:
            reach.leave(step)
            continue
        reach.enter(step)
        if step.inputs:
            yield step, {name: _find_origin(name, reach, producers) for name in dict.fromkeys(step.inputs)}


def _find_origin(name: str, reach: _Reach, producers: Mapping[str, Sequence[PlanStep]]) -> Origin | None:
    found = producers.get(name)
    if not found:
        return None
    before = reach.find(name)
    return Origin(before) if before is not None else Origin(found[0], is_feedback=True)


@define(eq=False)
class _Scope:
    """A step that was entered: the one around it, the innermost decision around it, and whether it is still open."""

    step: PlanStep
    above: _Scope | None
    depth: int
    decision: _Scope | None
    is_open: bool = True

    @classmethod
    def enter(cls, step: PlanStep, above: _Scope | None) -> _Scope:
        """The scope of a step inside another one."""
        if above is None:
            return cls(step, None, 0, None)
        return cls(step, above, above.depth + 1, above if above.step.step_type == "decide" else above.decision)


def _open_around(scope: _Scope) -> _Scope | None:
    """The innermost scope that is still open, of this one and those around it."""
    found: _Scope | None = scope
    while found is not None and not found.is_open:
        found = found.above
    # What is closed stays so: the next time the way is short.
    passed: _Scope | None = scope
    while passed is not None and passed is not found:
        passed.above, passed = found, passed.above
    return found


class _Others(NamedTuple):
    """A decision in which other branches put out the same name, and those around it."""

    decision: _Scope
    around: _Others | None


@define(eq=False)
class _Value:
    """A value of a variable: where it is put out, and the decisions around with other values in other branches."""

    scope: _Scope
    others: _Others | None

    def origin(self) -> PlanStep:
        """The outermost decision that is through and has several values; without such a one, the step itself."""
        found, others = None, self.others
        while others is not None and not others.decision.is_open:
            found, others = others.decision, others.around
        if found is None:
            return self.scope.step
        self.others = _Others(found, others)
        return found.step


class _Stack:
    """The values of one variable, the last one on top.

    Below it are those that are seen where it is not: in other branches of a decision. Each comes and goes once.
    """

    def __init__(self) -> None:
        self._values: list[_Value] = []

    def put(self, scope: _Scope) -> None:
        """A step that is about to be left puts a value out."""
        others: _Others | None = None
        if self._values:
            others = self._values[-1].others
            while others is not None and not others.decision.is_open:
                others = others.around
        while self._values:
            around = _open_around(self._values[-1].scope)
            if around is not None and around is not scope and around.step.step_type == "decide":
                if others is None or others.decision is not around:
                    others = _Others(around, others)
            elif scope.decision is not None and scope.decision.depth > (-1 if around is None else around.depth):
                break
            self._values.pop()
        self._values.append(_Value(scope, others))

    def find(self) -> PlanStep | None:
        """The step that a value comes from, for the step that was entered last."""
        values = self._values
        branch = _closed_branch(values[-1])
        if branch is None:
            return values[-1].origin()
        # Whoever does not see the top sees nothing else in that branch, now and later.
        while len(values) > 1 and _closed_branch(values[-2]) is branch:
            del values[-2]
        return values[-2].origin() if len(values) > 1 else None

    def last(self) -> PlanStep:
        """The step whose value is on top, whoever can see it."""
        return self._values[-1].scope.step


def _closed_branch(value: _Value) -> _Scope | None:
    """The decision around, where a value is in a branch of it that is through."""
    around = _open_around(value.scope)
    return around if around is not None and around.step.step_type == "decide" else None


class _Reach:
    """What reaches the place in the plan where a walk stands."""

    def __init__(self) -> None:
        self._here: _Scope | None = None
        self._live: dict[str, _Stack] = {}
        self._skipped: dict[str, _Stack] = {}

    def enter(self, step: PlanStep) -> None:
        self._here = _Scope.enter(step, self._here)

    def leave(self, step: PlanStep) -> None:
        assert self._here is not None
        stacks = self._skipped if step.status is PlanStatus.SKIPPED else self._live
        for name in dict.fromkeys(step.outputs):
            stacks.setdefault(name, _Stack()).put(self._here)
        self._here.is_open = False
        self._here = self._here.above

    def find(self, name: str) -> PlanStep | None:
        """The step that a value comes from; one in another branch where there is nothing else."""
        stacks = [stack for stack in (self._live.get(name), self._skipped.get(name)) if stack is not None]
        found = (stack.find() for stack in stacks)
        return next(filter(None, found), stacks[0].last() if stacks else None)
