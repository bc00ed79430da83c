"""Importing once more: a plan that is there gets what is new in its source, and keeps everything else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from attrs import define, field, frozen

from planspec_lark.document.document import PlanDocument
from planspec_lark.exchange import marks
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import CommandError, shorten
from planspec_lark.syntax.source import newline_of
from planspec_lark.syntax.tree import iter_tree

__all__ = ["Pairs", "call_step", "pair_steps", "update_text"]

# Two texts are nearly the same that share so much of so many characters.
_COMPARED = 200
_NEAR = 0.6
# The tag that Task Master gives to a list without one.
_TAG = "master"
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

    A step without a name is looked for below the same step first. A heading whose text is another one now is known by
    the tasks below it, or by its number. What is left is looked for in the whole plan, since tasks are moved; and one
    that says nearly the same is taken if it stands between the same neighbours.
    """
    pairs = Pairs()
    names = {step.step_name: step for step in iter_steps(ours) if step.step_name}
    for step in iter_steps(theirs):
        if (found := names.get(step.step_name)) is not None and id(found) not in pairs.theirs:
            pairs.join(found, step)
    _pair_downwards(ours, theirs, pairs, _pair_same)
    _pair_moved(ours, theirs, pairs, is_unique=True)
    _pair_holders(ours, theirs, pairs)
    _pair_downwards(ours, theirs, pairs, _pair_same, _pair_numbered, _pair_near)
    _pair_moved(ours, theirs, pairs)
    return pairs


_Pairing: TypeAlias = "Callable[[Sequence[PlanStep], Sequence[PlanStep], Pairs], None]"


def _pair_downwards(ours: PlanSpec, theirs: PlanSpec, pairs: Pairs, *several: _Pairing) -> None:
    """Pair the steps at the top, and those below each pair."""
    todo = [(ours.steps, theirs.steps)]
    while todo:
        our_steps, their_steps = todo.pop()
        for pair in several:
            pair(our_steps, their_steps, pairs)
        found_below = ((pairs.ours.get(id(step)), step) for step in their_steps)
        todo += ((one.children, step.children) for one, step in found_below if one is not None)


def _is_heading(step: PlanStep) -> bool:
    """Whether a step was no task by itself in its source, but a heading or a tag."""
    return any(marks.heading_level(line) or marks.tag_of(line) is not None for line in step.detail)


def _pair_moved(ours: PlanSpec, theirs: PlanSpec, pairs: Pairs, *, is_unique: bool = False) -> None:
    """Pair tasks without names that say the same, wherever they stand; with ``is_unique``, only where it is one."""
    texts: dict[str, tuple[list[PlanStep], list[PlanStep]]] = {}
    for at, (plan, known) in enumerate(((ours, pairs.theirs), (theirs, pairs.ours))):
        for step in iter_steps(plan):
            if id(step) not in known and step.description and not step.step_name and not _is_heading(step):
                texts.setdefault(step.description, ([], []))[at].append(step)
    for here, there in texts.values():
        if not is_unique or len(here) == len(there) == 1:
            for one, other in zip(here, there, strict=False):
                pairs.join(one, other)


def _pair_holders(ours: PlanSpec, theirs: PlanSpec, pairs: Pairs) -> None:
    """Pair steps without names that hold the same steps: more than half of those of each that have partners."""
    parents = {id(step): parent for step, parent in iter_tree(ours.steps)}
    for step in reversed([*iter_steps(theirs)]):
        if step.step_name or id(step) in pairs.ours:
            continue
        partners = [pairs.ours[id(child)] for child in step.children if id(child) in pairs.ours]
        votes = Counter(id(parents[id(one)]) for one in partners)
        for holder in (parents[id(one)] for one in partners):
            if holder is None or holder.step_name or id(holder) in pairs.theirs:
                continue
            known = sum(id(child) in pairs.theirs for child in holder.children)
            if votes[id(holder)] * 2 > max(len(partners), known):
                pairs.join(holder, step)
                break


# `Phase 3`, `### 2.1`, `Step 4 of 7`.
_NUMBERED = re.compile(r"\W*(?:\w{1,20}\s+)?[0-9]{1,9}(?:\.[0-9]{1,9})*(?![\w.]*[0-9])")


def _pair_numbered(ours: Sequence[PlanStep], theirs: Sequence[PlanStep], pairs: Pairs) -> None:
    """Pair headings that begin with the same number."""
    here, there = _find_numbers(ours, pairs.theirs), _find_numbers(theirs, pairs.ours)
    for number, several in there.items():
        if len(several) == len(here.get(number, ())) == 1:
            pairs.join(here[number][0], several[0])


def _find_numbers(steps: Sequence[PlanStep], known: Container[int]) -> dict[str, list[PlanStep]]:
    found: dict[str, list[PlanStep]] = {}
    for step in steps:
        if id(step) in known or step.step_name or not _is_heading(step):
            continue
        if match := _NUMBERED.match(step.description):
            found.setdefault(match[0].strip().casefold(), []).append(step)
    return found


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
    said = [*_follow_tags(document, imported)]
    ours = document.plan
    pairs = pair_steps(ours, imported)
    variables = _translate(imported, pairs)
    for theirs in iter_steps(imported):
        step = pairs.ours.get(id(theirs))
        if step is not None:
            said += _revise(document, step, theirs, variables, takes_statuses=takes_statuses)
    for step in iter_steps(ours):
        if id(step) not in pairs.theirs:
            said.append(f"step {call_step(step)} is not in the source, and stays")
    # From the end on, so that no id of what is still to come moves.
    places = [*_find_new(imported, pairs)][::-1]
    places.sort(key=lambda place: place.numbers, reverse=True)
    said += reversed([_add(document, place, pairs, variables) for place in places])
    return _update_head(document.text, ours, imported, said), said


def _follow_tags(document: PlanDocument, imported: PlanSpec) -> Iterator[str]:
    """Put the steps of a list below a step for its tag, where the source has got several tags since then."""
    plan = document.plan
    tags = {tag: step for step in imported.steps for tag in map(marks.tag_of, step.detail) if tag}
    own = [marks.tag_of(line) or _TAG for line in plan.goal_detail if marks.tag_of(line) or line == marks.NO_TAG]
    has_tags = any(marks.tag_of(line) for step in plan.steps for line in step.detail)
    if len(own) != 1 or has_tags or len(tags) != len(imported.steps):
        return
    holder, tops = tags.get(own[0], imported.steps[0]), [*plan.steps]
    names = {step.step_name for step in iter_steps(imported)}
    for step in iter_steps(plan):
        if step.step_name and (name := f"{holder.step_name}_{step.step_name}") in names:
            document.rename(step.step_id, name)
    at = document.free_id()
    document.add(at, "subtask", holder.description, name=holder.step_name, detail=holder.detail)
    for number, step in enumerate(tops, start=1):
        document.move(step.step_id, f"{at}.{number}")
    document.move(at, "1")
    yield f"all steps stand below a step for the tag {holder.description} now"


def _translate(imported: PlanSpec, pairs: Pairs) -> dict[str, str]:
    """What the plan calls the variables of the source, where its steps put out something already."""
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
    document: PlanDocument, step: PlanStep, theirs: PlanStep, variables: Mapping[str, str], *, takes_statuses: bool
) -> Iterator[str]:
    values: dict[str, object] = {}
    if step.description != theirs.description:
        values["description"] = theirs.description
    if step.detail[: len(theirs.detail)] != theirs.detail:
        values["detail"] = theirs.detail
    for part in ("inputs", "outputs"):
        own = getattr(step, part)
        wanted = dict.fromkeys(variables.get(one, one) for one in getattr(theirs, part))
        if missing := [one for one in wanted if one not in own]:
            values[part] = [*own, *missing]
    if theirs.children and step.step_type not in CONTAINER_TYPES:
        values["step_type"] = theirs.step_type
    if values:
        document.revise(step.step_id, **values)
        yield f"step {call_step(step)}: {', '.join(values)} as in the source"
    if takes_statuses and step.status is not theirs.status:
        yield document.set_status(step.step_id, theirs.status)


@frozen
class _Place:
    """A new step, the step of the plan that it comes below, and the one in front of it."""

    new: PlanStep
    parent: PlanStep | None
    before: PlanStep | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the id that it gets."""
        if self.before is not None:
            *head, last = _numbers_of(self.before)
            return (*head, last + 1)
        return (*_numbers_of(self.parent), 1) if self.parent is not None else (1,)


def _numbers_of(step: PlanStep) -> tuple[int, ...]:
    return tuple(map(int, step.step_id.split(".")))


def _find_new(imported: PlanSpec, pairs: Pairs) -> Iterator[_Place]:
    """The place of each new step that does not stand below another new one."""
    todo: list[tuple[PlanStep | None, Sequence[PlanStep]]] = [(None, imported.steps)]
    while todo:
        parent, siblings = todo.pop()
        before: PlanStep | None = None
        for theirs in siblings:
            step = pairs.ours.get(id(theirs))
            if step is None:
                yield _Place(theirs, parent, before)
                # What the plan has elsewhere may have something new below it.
                todo += _find_known(theirs, pairs)
            else:
                if _stands_below(step, parent):
                    before = step
                todo.append((step, theirs.children))


def _find_known(new: PlanStep, pairs: Pairs) -> Iterator[tuple[PlanStep, Sequence[PlanStep]]]:
    """The steps of the plan that stand below a new one in the source, with what is below them there."""
    todo = [*new.children]
    while todo:
        theirs = todo.pop()
        step = pairs.ours.get(id(theirs))
        if step is None:
            todo += theirs.children
        else:
            yield step, theirs.children


def _stands_below(step: PlanStep, parent: PlanStep | None) -> bool:
    return step.step_id.rpartition(".")[0] == ("" if parent is None else parent.step_id)


def _add(document: PlanDocument, place: _Place, pairs: Pairs, variables: Mapping[str, str]) -> str:
    """Add a new step, and what is new below it; returns what there is to say."""
    new, text = place.new, shorten(place.new.description, _SAID)
    if not _holds_new(new, pairs):
        return f"not added, since the plan has all below it elsewhere: {text}"
    todo = [(new, ".".join(map(str, place.numbers)))]
    try:
        while todo:
            step, step_id = todo.pop()
            below = [child for child in step.children if id(child) not in pairs.ours]
            document.add(
                step_id,
                step.step_type if below or not step.children else "act",
                step.description,
                name=step.step_name,
                inputs=[variables.get(one, one) for one in step.inputs],
                outputs=step.outputs,
                detail=step.detail,
            )
            if step.status.value != "pending":
                document.set_status(step_id, step.status)
            todo += ((child, f"{step_id}.{at}") for at, child in reversed([*enumerate(below, start=1)]))
    except CommandError as error:
        return f"a step of the source could not be added: {error}"
    return f"a step added{f' ({new.step_name})' if new.step_name else ''}: {text}"


def _holds_new(new: PlanStep, pairs: Pairs) -> bool:
    """Whether a new step is a task, or one that is new stands below it."""
    todo = [new]
    while todo:
        step = todo.pop()
        if id(step) not in pairs.ours:
            if not step.children or not _is_heading(step):
                return True
            todo += step.children
    return False


def _update_head(text: str, ours: PlanSpec, imported: PlanSpec, said: list[str]) -> str:
    """Let the goal's detail follow the source; nothing else in the head does."""
    lines = imported.goal_detail
    # A list with several tags has none of its own.
    own = [line for line in ours.goal_detail if line in lines or (line != marks.NO_TAG and marks.tag_of(line) is None)]
    if own[: len(lines)] == lines:
        lines = own
    if ours.goal_detail == lines:
        return text
    header = _STEPS_HEADER.search(text)
    if header is None:
        said.append("the detail of the goal is another one in the source; without a line `## Steps` it stays as it is")
        return text
    said.append("the goal: detail as in the source")
    head = serialize_plan(PlanSpec(ours.title, ours.goal, lines, ours.constraints))
    return head.replace("\n", newline_of(text)) + text[header.start() :]
