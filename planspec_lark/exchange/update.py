"""Importing once more: a plan that is there gets what is new in its source, and keeps everything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from attrs import define, field

from planspec_lark.document.document import PlanDocument
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import CommandError, shorten
from planspec_lark.syntax.source import newline_of

__all__ = ["Pairs", "call_step", "pair_steps", "update_text"]

# Two texts are nearly the same that share so much of so many characters.
_COMPARED = 200
_NEAR = 0.6
# So much of a step's text is said.
_SAID = 80
_STEPS_HEADER = re.compile(r"^[ \t]*##[ \t]+Steps[ \t]*\r?$", re.MULTILINE)


# ---------------------------------------------------------------- which step is which


@define(eq=False)
class Pairs:
    """Which steps of two plans are the same.

    Attributes:
        theirs: the step of the other plan for each of ours, by ``id()``.
        ours: the other way round.
    """

    theirs: dict[int, PlanStep] = field(factory=dict)
    ours: dict[int, PlanStep] = field(factory=dict)

    def join(self, ours: PlanStep, theirs: PlanStep) -> None:
        """Note down that these are the same."""
        self.theirs[id(ours)] = theirs
        self.ours[id(theirs)] = ours


def pair_steps(ours: PlanSpec, theirs: PlanSpec) -> Pairs:
    """Find the steps that are the same: those of the same name, and of those without, the ones that say the same.

    A step without a name is looked for below the same step only. One that says nearly the same is taken as well, if it
    stands between the same neighbours.
    """
    pairs = Pairs()
    names = {step.step_name: step for step in iter_steps(ours) if step.step_name}
    for step in iter_steps(theirs):
        if (found := names.get(step.step_name)) is not None and id(found) not in pairs.theirs:
            pairs.join(found, step)
    todo = [(ours.steps, theirs.steps)]
    while todo:
        our_steps, their_steps = todo.pop()
        _pair_same(our_steps, their_steps, pairs)
        _pair_near(our_steps, their_steps, pairs)
        found_below = ((pairs.ours.get(id(step)), step) for step in their_steps)
        todo += ((one.children, step.children) for one, step in found_below if one is not None)
    return pairs


def _pair_same(ours: Sequence[PlanStep], theirs: Sequence[PlanStep], pairs: Pairs) -> None:
    texts: dict[str, list[PlanStep]] = {}
    for step in reversed(ours):
        if id(step) not in pairs.theirs:
            texts.setdefault(step.description, []).append(step)
    for step in theirs:
        if not step.step_name and id(step) not in pairs.ours and texts.get(step.description):
            pairs.join(texts[step.description].pop(), step)


def _pair_near(ours: Sequence[PlanStep], theirs: Sequence[PlanStep], pairs: Pairs) -> None:
    runs = _runs(ours, lambda step: step if id(step) in pairs.theirs else None)
    for behind, several in _runs(theirs, lambda step: pairs.ours.get(id(step))).items():
        others = runs.get(behind, [])
        if len(several) == len(others):
            for one, other in zip(others, several, strict=True):
                if _is_near(one.description, other.description):
                    pairs.join(one, other)


def _runs(steps: Sequence[PlanStep], find: Callable[[PlanStep], PlanStep | None]) -> dict[int | None, list[PlanStep]]:
    """The steps without a partner and without a name, by the one with a partner that stands in front of them."""
    runs: dict[int | None, list[PlanStep]] = {}
    behind: int | None = None
    for step in steps:
        if (partner := find(step)) is not None:
            behind = id(partner)
        elif not step.step_name:
            runs.setdefault(behind, []).append(step)
    return runs


def _is_near(one: str, other: str) -> bool:
    return SequenceMatcher(None, one[:_COMPARED], other[:_COMPARED], autojunk=False).ratio() >= _NEAR


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
        PlanSyntaxError: the text is no plan.
    """
    document = PlanDocument.from_text(text, name=name)
    ours = document.plan
    pairs = pair_steps(ours, imported)
    said: list[str] = []
    for theirs in iter_steps(imported):
        step = pairs.ours.get(id(theirs))
        if step is not None:
            said += _revise(document, step, theirs, takes_statuses=takes_statuses)
    for step in iter_steps(ours):
        if id(step) not in pairs.theirs:
            said.append(f"step {call_step(step)} is not in the source, and stays")
    # From the end on, so that no id of what is still to come moves.
    added = [_add(document, *place) for place in reversed([*_find_new(imported, pairs)])]
    said += reversed(added)
    return _update_head(document.text, ours, imported, said), said


def call_step(step: PlanStep) -> str:
    """What messages call a step."""
    return f"{step.step_id} ({step.step_name})" if step.step_name else step.step_id


def _revise(document: PlanDocument, step: PlanStep, theirs: PlanStep, *, takes_statuses: bool) -> Iterator[str]:
    values: dict[str, object] = {}
    if step.description != theirs.description:
        values["description"] = theirs.description
    if step.detail[: len(theirs.detail)] != theirs.detail:
        values["detail"] = theirs.detail
    for part in ("inputs", "outputs"):
        own = getattr(step, part)
        if missing := [one for one in getattr(theirs, part) if one not in own]:
            values[part] = [*own, *missing]
    if theirs.children and step.step_type not in CONTAINER_TYPES:
        values["step_type"] = theirs.step_type
    if values:
        document.revise(step.step_id, **values)
        yield f"step {call_step(step)}: {', '.join(values)} as in the source"
    if takes_statuses and step.status is not theirs.status:
        yield document.set_status(step.step_id, theirs.status)


def _find_new(imported: PlanSpec, pairs: Pairs) -> Iterator[tuple[PlanStep | None, PlanStep | None, PlanStep]]:
    """Each new step whose parent the plan has: that parent, the step of the plan in front of it, and itself."""
    todo: list[tuple[PlanStep | None, Sequence[PlanStep]]] = [(None, imported.steps)]
    while todo:
        parent, siblings = todo.pop()
        before: PlanStep | None = None
        for theirs in siblings:
            step = pairs.ours.get(id(theirs))
            if step is None:
                yield parent, before, theirs
            else:
                if _stands_below(step, parent):
                    before = step
                todo.append((step, theirs.children))


def _stands_below(step: PlanStep, parent: PlanStep | None) -> bool:
    return step.step_id.rpartition(".")[0] == ("" if parent is None else parent.step_id)


def _add(document: PlanDocument, parent: PlanStep | None, before: PlanStep | None, new: PlanStep) -> str:
    if before is not None:
        head, _, number = before.step_id.rpartition(".")
        start = f"{head}.{int(number) + 1}" if head else str(int(number) + 1)
    else:
        start = "1" if parent is None else f"{parent.step_id}.1"
    todo = [(new, start)]
    try:
        while todo:
            step, step_id = todo.pop()
            document.add(
                step_id,
                step.step_type,
                step.description,
                name=step.step_name,
                inputs=step.inputs,
                outputs=step.outputs,
                detail=step.detail,
            )
            if step.status.value != "pending":
                document.set_status(step_id, step.status)
            todo += ((child, f"{step_id}.{at}") for at, child in reversed([*enumerate(step.children, start=1)]))
    except CommandError as error:
        return f"a step of the source could not be added: {error}"
    return f"a step added{f' ({new.step_name})' if new.step_name else ''}: {shorten(new.description, _SAID)}"


def _update_head(text: str, ours: PlanSpec, imported: PlanSpec, said: list[str]) -> str:
    """Let the goal's detail follow the source; nothing else in the head does."""
    lines = imported.goal_detail
    if ours.goal_detail[: len(lines)] == lines:
        return text
    header = _STEPS_HEADER.search(text)
    if header is None:
        said.append("the detail of the goal is another one in the source; without a line `## Steps` it stays as it is")
        return text
    said.append("the goal: detail as in the source")
    head = serialize_plan(PlanSpec(ours.title, ours.goal, lines, ours.constraints))
    return head.replace("\n", newline_of(text)) + text[header.start() :]
