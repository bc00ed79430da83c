"""Repeated imports: a plan gets what is new in its source, and keeps everything else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import accumulate, chain, pairwise
from typing import Any

from attrs import frozen

from planspec_lark.diff.match import match_nodes, number_nodes
from planspec_lark.diff.merge import FreeNumbers
from planspec_lark.document.rewrite import rewrite
from planspec_lark.exchange import marks
from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    OPEN,
    STEP_FIELDS,
    PlanSpec,
    PlanStatus,
    PlanStep,
    copy_own,
    iter_steps,
)
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.fields import COUNT_LIMIT, reset

__all__ = ["Updated", "call_step", "pair_steps", "update_plan", "update_text"]

# How far a step has come.
_STATE = [name for name, info in STEP_FIELDS.items() if info.is_state]
# So much of a step's text is said.
_SAID = 80
# `Phase 2:`, which says which heading it is, whatever its words are.
_HEADING_NUMBER = re.compile(r"\w+ \d+(?=:)")


# ---------------------------------------------------------------- which step is which


@frozen
class Pairs:
    """Which steps of two plans are the same.

    Attributes:
        theirs: the step of the other plan for each of ours, by ``id()``.
        ours: the other way round.
    """

    theirs: Mapping[int, PlanStep]
    ours: Mapping[int, PlanStep]


def pair_steps(ours: PlanSpec, theirs: PlanSpec) -> Pairs:
    """Find the steps that are the same, as versions of a plan are compared; a task with another name is another one."""
    found = match_nodes(number_nodes(ours), number_nodes(theirs)).there
    pairs = [(old.step, new.step) for old, new in found.items() if old.parent and not _is_another(old.step, new.step)]
    return Pairs({id(old): new for old, new in pairs}, {id(new): old for old, new in pairs})


def _is_another(ours: PlanStep, theirs: PlanStep) -> bool:
    if ours.step_name and theirs.step_name and ours.step_name != theirs.step_name:
        return True
    old, new = _HEADING_NUMBER.match(ours.description), _HEADING_NUMBER.match(theirs.description)
    return old is not None and new is not None and old[0] != new[0]


# ---------------------------------------------------------------- the update


@frozen
class Updated:
    """A plan that follows another one.

    Attributes:
        plan: what it has become.
        known: the step that was there for each that is not new, by ``id()``.
        said: what has changed.
        absent: the steps that were there, and that the other plan does not have.
        left: the steps of the other plan that are not added, since all below them is elsewhere.
    """

    plan: PlanSpec
    known: Mapping[int, PlanStep]
    said: list[str]
    absent: list[PlanStep]
    left: list[PlanStep]


def update_text(
    text: str, imported: PlanSpec, *, takes_statuses: bool = False, name: str = "<text>"
) -> tuple[str, list[str]]:
    """The text of a plan, updated from an import.

    Texts, inputs and detail follow the source; steps that are new there are added, and what the plan alone has stays.

    Args:
        text: the plan that is there.
        imported: the plan that the source has become.
        takes_statuses: whether steps get the statuses of the source; otherwise only those that are added.
        name: what diagnostics call the text.

    Returns:
        The new text, and what there is to say: what has changed, and which steps the source does not have.

    Raises:
        PlanSyntaxError: the text is not a plan.
    """
    was = parse_plan(text, name=name)
    updated = update_plan(was, imported, takes_statuses=takes_statuses)
    said = [f"step {call_step(step)} is not in the source, and stays" for step in updated.absent]
    said += [
        f"not added, since the plan has all below it elsewhere: {shorten(step.description, _SAID)}"
        for step in updated.left
    ]
    said += _follow_goal(updated.plan, imported)
    return rewrite(text, was, updated.plan, updated.known).text, [*updated.said, *said]


def update_plan(was: PlanSpec, other: PlanSpec, *, takes_statuses: bool, is_whole: bool = False) -> Updated:
    """A plan whose steps follow another one. What it alone has stays, but with ``is_whole`` its inputs and detail."""
    plan = deepcopy(was)
    known = {id(new): old for new, old in zip(iter_steps(plan), iter_steps(was), strict=True)}
    updated = Updated(plan, known, [], [], [])
    pairs = pair_steps(plan, other)
    variables = _translate(other, pairs)
    parents = {id(step): above for step, above in iter_with_parents(plan)}
    for theirs in iter_steps(other):
        step = pairs.ours.get(id(theirs))
        if step is not None:
            updated.said.extend(_revise(step, theirs, variables, parents, is_whole=is_whole))
            if takes_statuses and step.status is not theirs.status:
                updated.said.append(f"step {step.step_id}: {step.status.value} → {theirs.status.value}")
                step.status = theirs.status
    updated.absent.extend(known[id(step)] for step in iter_steps(plan) if id(step) not in pairs.theirs)
    _Adder(updated, pairs, variables, parents).add(other, is_whole=is_whole)
    return updated


def _translate(imported: PlanSpec, pairs: Pairs) -> dict[str, str]:
    """What the plan calls the variables of the source, where its steps produce something already."""
    variables: dict[str, str] = {}
    for theirs in iter_steps(imported):
        step = pairs.ours.get(id(theirs))
        if step is not None and step.outputs:
            variables |= {name: step.outputs[0] for name in theirs.outputs if name not in step.outputs}
    return variables


def call_step(step: PlanStep) -> str:
    """What messages call a step."""
    return f"{step.step_id} ({step.step_name})" if step.step_name else step.step_id


def _revise(
    step: PlanStep,
    theirs: PlanStep,
    variables: Mapping[str, str],
    parents: Mapping[int, PlanStep | None],
    *,
    is_whole: bool,
) -> Iterator[str]:
    """Let the texts of a step follow the other one; returns what there is to say."""
    values: dict[str, Any] = {}
    if step.description != theirs.description:
        values["description"] = theirs.description
    if (step.detail if is_whole else step.detail[: len(theirs.detail)]) != theirs.detail:
        values["detail"] = [*theirs.detail]
    for part in ("inputs", "outputs"):
        own = getattr(step, part)
        wanted = [*dict.fromkeys(variables.get(one, one) for one in getattr(theirs, part))]
        if is_whole and part == "inputs" and {*own} != {*wanted}:
            values[part] = wanted
        elif missing := [one for one in wanted if one not in own]:
            values[part] = [*own, *missing]
    if theirs.children and step.step_type not in CONTAINER_TYPES:
        values["step_type"] = theirs.step_type
    if not values:
        return
    said = f"step {call_step(step)}: {', '.join(values)} as in the source"
    if theirs.status is not PlanStatus.DONE and step.status is not PlanStatus.PENDING and _asks_else(step, values):
        said += f"; it was {step.status.value} for another text, and is pending again"
        reset(step, *_STATE)
        # Nothing above it has ended.
        above = parents[id(step)]
        while above is not None and above.status not in OPEN:
            above.status, above.result = PlanStatus.ACTIVE, ""
            above = parents[id(above)]
    for name, value in values.items():
        setattr(step, name, value)
    yield said


def _asks_else(step: PlanStep, values: Mapping[str, Any]) -> bool:
    """Whether these values of a step are other words for what is to be done."""
    detail = values.get("detail", step.detail)
    was, now = ([line for line in lines if not marks.is_mark(line)] for lines in (step.detail, detail))
    return "description" in values or was[: len(now)] != now


# ---------------------------------------------------------------- new steps


class _Adder:
    """Adds the steps of another plan that are new, each where that has it."""

    def __init__(
        self,
        updated: Updated,
        pairs: Pairs,
        variables: Mapping[str, str],
        parents: Mapping[int, PlanStep | None],
    ) -> None:
        self.updated, self.pairs, self.variables, self.parents = updated, pairs, variables, parents
        # The steps of the other plan that are added.
        self.added: set[int] = set()
        # New steps by the one before them, for each step above some.
        self.new: dict[int, tuple[PlanStep | None, dict[int, list[PlanStep]]]] = {}

    def add(self, other: PlanSpec, *, is_whole: bool) -> None:
        """Add all, and give them ids."""
        plan = self.updated.plan
        suffixes = {id(step): _suffix(step, above) for step, above in iter_with_parents(plan)}
        self.added = self._find_new(other, is_whole=is_whole)
        todo: list[tuple[PlanStep | None, Sequence[PlanStep]]] = [(None, other.steps)]
        for parent, siblings in todo:
            todo += self._add_siblings(parent, siblings)
        for above, new in self.new.values():
            siblings = plan.steps if above is None else above.children
            merged = new.get(id(None), [])
            for old in siblings:
                merged += [old, *new.get(id(old), ())]
            siblings[:] = merged
        _number(plan, suffixes)

    def _find_new(self, other: PlanSpec, *, is_whole: bool) -> set[int]:
        """The new steps that are tasks, or have one below them.

        A step above others is no task if it was none in its source, or, in a whole plan, if none of these is new.
        """
        found: set[int] = set()
        for step in reversed([*iter_steps(other)]):
            is_task = not step.children or not (is_whole or any(map(_is_of_holder, step.detail)))
            if id(step) not in self.pairs.ours and (is_task or any(id(one) in found for one in step.children)):
                found.add(id(step))
        return found

    def _add_siblings(
        self, parent: PlanStep | None, siblings: Sequence[PlanStep]
    ) -> Iterator[tuple[PlanStep, Sequence[PlanStep]]]:
        """Add new steps below a step; returns what is below them and those beside them."""
        before: PlanStep | None = None
        todo = [*reversed(siblings)]
        while todo:
            theirs = todo.pop()
            step = self.pairs.ours.get(id(theirs))
            if step is not None:
                before = step if self.parents[id(step)] is parent else before
                yield step, theirs.children
            elif id(theirs) in self.added:
                step = self._copy(theirs)
                _, behind = self.new.setdefault(id(parent), (parent, {}))
                behind.setdefault(id(before), []).append(step)
                if parent is None or id(parent) in self.updated.known:
                    name = f" ({step.step_name})" if step.step_name else ""
                    self.updated.said.append(f"a step added{name}: {shorten(step.description, _SAID)}")
                yield step, theirs.children
            else:
                self.updated.left.append(theirs)
                todo += reversed(theirs.children)

    def _copy(self, theirs: PlanStep) -> PlanStep:
        made = copy_own(theirs)
        made.inputs = [self.variables.get(one, one) for one in theirs.inputs]
        made.children = []
        if theirs.children and not any(id(one) in self.added for one in theirs.children):
            made.step_type = "act"
        return made


def _suffix(step: PlanStep, above: PlanStep | None) -> str:
    """What the id of a step adds to that of the step above it."""
    return step.step_id if above is None else step.step_id[len(above.step_id) + 1 :]


def _number(plan: PlanSpec, suffixes: Mapping[int, str]) -> None:
    """Give all steps ids by what these add to those above, by ``id()``; steps without one come after those before them.

    Where numbers are in order, those after a new step move up as far as they have to.
    """
    families = chain([("", plan.steps)], ((f"{step.step_id}.", step.children) for step in iter_steps(plan)))
    for lead, siblings in families:
        own = [suffixes.get(id(step), "") for step in siblings]
        if "" in own:
            own = _count_up(own) or _take_free(own)
        for step, suffix in zip(siblings, own, strict=True):
            step.step_id = lead + suffix


def _count_up(suffixes: Sequence[str]) -> list[str]:
    """Numbers in order, as near to these as can be; none where these are not in order, or would become too large."""
    known = [suffix for suffix in suffixes if suffix]
    if any("." in suffix for suffix in known) or any(int(one) >= int(other) for one, other in pairwise(known)):
        return []
    numbers = [*accumulate(suffixes, lambda last, suffix: max(last + 1, int(suffix or 1)), initial=-1)][1:]
    return [*map(str, numbers)] if numbers[-1] <= COUNT_LIMIT else []


def _take_free(suffixes: Sequence[str]) -> list[str]:
    free = FreeNumbers(filter(None, suffixes))
    return [suffix or free.take() for suffix in suffixes]


def _is_of_holder(line: str) -> bool:
    """Whether a line of detail says that its step was no task by itself in its source, but a heading or a tag."""
    return line == marks.TAG or marks.heading_level(line) > 0


def _follow_goal(plan: PlanSpec, imported: PlanSpec) -> Iterator[str]:
    """Let the goal's detail follow the source; nothing else in the head does."""
    lines = imported.goal_detail
    if plan.goal_detail[: len(lines)] != lines:
        plan.goal_detail = [*lines]
        yield "the goal: detail as in the source"
