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
from planspec_lark.syntax.tree import iter_tree

__all__ = ["Insertion", "Pairs", "call_step", "find_new", "iter_new", "pair_steps", "update_text"]

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


def update_text(
    text: str, imported: PlanSpec, *, takes_statuses: bool = False, name: str = "<text>"
) -> tuple[str, list[str]]:
    """The text of a plan with what an import has brought.

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
    plan = deepcopy(was)
    known = {id(new): old for new, old in zip(iter_steps(plan), iter_steps(was), strict=True)}
    said: list[str] = []
    pairs = pair_steps(plan, imported)
    variables = _translate(imported, pairs)
    parents = {id(step): above for step, above in iter_with_parents(plan)}
    for theirs in iter_steps(imported):
        step = pairs.ours.get(id(theirs))
        if step is not None:
            said += _revise(step, theirs, variables, parents)
            if takes_statuses and step.status is not theirs.status:
                said.append(f"step {step.step_id}: {step.status.value} → {theirs.status.value}")
                step.status = theirs.status
    for step in iter_steps(plan):
        if id(step) not in pairs.theirs:
            said.append(f"step {call_step(step)} is not in the source, and stays")
    said += _add(plan, find_new(imported, pairs.ours), pairs, variables)
    said += _follow_goal(plan, imported)
    return rewrite(text, was, plan, known).text, said


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
    step: PlanStep, theirs: PlanStep, variables: Mapping[str, str], parents: Mapping[int, PlanStep | None]
) -> Iterator[str]:
    """Let the texts of a step follow the source; returns what there is to say."""
    values: dict[str, Any] = {}
    if step.description != theirs.description:
        values["description"] = theirs.description
    if step.detail[: len(theirs.detail)] != theirs.detail:
        values["detail"] = [*theirs.detail]
    for part in ("inputs", "outputs"):
        own = getattr(step, part)
        wanted = dict.fromkeys(variables.get(one, one) for one in getattr(theirs, part))
        if missing := [one for one in wanted if one not in own]:
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


@frozen
class Insertion:
    """New steps beside one another, and of the plan that they are put in the step above them, and the one before."""

    new: list[PlanStep]
    parent: PlanStep | None
    before: PlanStep | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the id that the first of them gets."""
        if self.before is not None:
            *head, last = _numbers_of(self.before)
            return (*head, last + 1)
        return (*_numbers_of(self.parent), 1) if self.parent is not None else (1,)


def _numbers_of(step: PlanStep) -> tuple[int, ...]:
    return tuple(map(int, step.step_id.split(".")))


def find_new(plan: PlanSpec, known: Mapping[int, PlanStep]) -> list[Insertion]:
    """The places of all new steps that are not below another new one, in the order of the other plan.

    Args:
        plan: the plan that has the new steps.
        known: the same step of the other plan for each that is not new, by ``id()``.
    """
    found: list[Insertion] = []
    todo: list[tuple[PlanStep | None, Sequence[PlanStep]]] = [(None, plan.steps)]
    while todo:
        parent, siblings = todo.pop()
        place = Insertion([], parent, None)
        for own in siblings:
            step = known.get(id(own))
            if step is None:
                if not place.new:
                    found.append(place)
                place.new.append(own)
                # What the other plan has elsewhere may have something new below it.
                below = [one for one, _ in iter_tree(own.children, lambda one: id(one) not in known)]
                todo += ((known[id(one)], one.children) for one in below if id(one) in known)
                if beside := [known[id(one)] for one in below if _is_below(known.get(id(one)), parent)]:
                    place = Insertion([], parent, beside[-1])
            else:
                if _is_below(step, parent):
                    place = Insertion([], parent, step)
                todo.append((step, own.children))
    return sorted(found, key=lambda place: place.numbers)


def _is_below(step: PlanStep | None, parent: PlanStep | None) -> bool:
    return step is not None and step.step_id.rpartition(".")[0] == ("" if parent is None else parent.step_id)


def iter_new(new: PlanStep, known: Mapping[int, PlanStep]) -> Iterator[PlanStep]:
    """A new step, and all below it with none between them that is known; in document order."""
    return (step for step, _ in iter_tree([new], lambda step: id(step) not in known) if id(step) not in known)


def _add(plan: PlanSpec, places: Sequence[Insertion], pairs: Pairs, variables: Mapping[str, str]) -> Iterator[str]:
    """Add new steps, and what is new below them; returns what there is to say."""
    suffixes = {id(step): _suffix(step, above) for step, above in iter_with_parents(plan)}
    behind: dict[int, dict[int, list[PlanStep]]] = {}
    for place in places:
        below = behind.setdefault(id(place.parent), {})
        for step in place.new:
            text = shorten(step.description, _SAID)
            if not _holds_new(step, pairs):
                yield f"not added, since the plan has all below it elsewhere: {text}"
                continue
            below.setdefault(id(place.before), []).append(_copy_new(step, pairs, variables))
            yield f"a step added{f' ({step.step_name})' if step.step_name else ''}: {text}"
    for above in (None, *iter_steps(plan)):
        if (new := behind.get(id(above))) is not None:
            siblings = plan.steps if above is None else above.children
            merged = new.get(id(None), [])
            for old in siblings:
                merged += [old, *new.get(id(old), ())]
            siblings[:] = merged
    _number(plan, suffixes)


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


def _copy_new(new: PlanStep, pairs: Pairs, variables: Mapping[str, str]) -> PlanStep:
    """A new step with what is new below it."""
    top = PlanStep("1")
    todo = [(new, top)]
    while todo:
        step, above = todo.pop()
        made = copy_own(step)
        made.inputs = [variables.get(one, one) for one in step.inputs]
        made.children = []
        above.children.append(made)
        below = [child for child in step.children if id(child) not in pairs.ours]
        if step.children and not below:
            made.step_type = "act"
        todo += ((child, made) for child in reversed(below))
    return top.children[0]


def _holds_new(new: PlanStep, pairs: Pairs) -> bool:
    """Whether a new step is a task, or one that is new is below it."""
    return any(not step.children or not any(map(_is_of_holder, step.detail)) for step in iter_new(new, pairs.ours))


def _is_of_holder(line: str) -> bool:
    """Whether a line of detail says that its step was no task by itself in its source, but a heading or a tag."""
    return line == marks.TAG or marks.heading_level(line) > 0


def _follow_goal(plan: PlanSpec, imported: PlanSpec) -> Iterator[str]:
    """Let the goal's detail follow the source; nothing else in the head does."""
    lines = imported.goal_detail
    if plan.goal_detail[: len(lines)] != lines:
        plan.goal_detail = [*lines]
        yield "the goal: detail as in the source"
