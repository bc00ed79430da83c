"""Plans → texts of other formats, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from attrs import define, field

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import plan_to_tasks
from planspec_lark.exchange.formats import MARKDOWN, find_format, guess_format
from planspec_lark.exchange.importer import ImportResult, import_text
from planspec_lark.exchange.models import Addition, Task, TaskChange
from planspec_lark.exchange.update import Pairs, call_step, find_new, iter_new, pair_steps
from planspec_lark.planspec.data_flow import find_data_flow
from planspec_lark.planspec.models import STEP_FIELDS, PlanSpec, PlanStep, iter_steps
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.fields import default_of
from planspec_lark.syntax.source import Source

__all__ = ["ExportResult", "export_into", "export_plan"]


@define(eq=False)
class ExportResult:
    """What an export gives.

    Attributes:
        text: the text.
        lost: what of the plan it does not say, or what could not be changed in it.
        format: the format that it is in.
    """

    text: str
    lost: list[str] = field(factory=list)
    format: str = ""


def export_plan(plan: PlanSpec, to: str) -> ExportResult:
    """A plan as a text in another format.

    What is lost is found out by reading the text again.

    Args:
        plan: the plan.
        to: one of :data:`planspec_lark.exchange.FORMATS`.

    Raises:
        ValueError: there is no such format.
    """
    chosen = find_format(to)
    text = chosen.write(plan_to_tasks(plan, chosen.number))
    return ExportResult(text, [*_find_lost(plan, text, to)], to)


def _find_lost(plan: PlanSpec, text: str, to: str) -> Iterator[str]:
    try:
        again = import_text(text, to).plan
    except PlanSyntaxError:
        yield "all steps, as a note takes them in" if plan.steps else "the plan has no steps, and no task is written"
        return
    missing = marks.missing_parts(plan.goal_detail)
    for part in ("title", "goal", "constraints"):
        if part not in missing and getattr(plan, part) != getattr(again, part):
            yield f"the {part} of the plan" if getattr(plan, part) else f"that the plan has no {part}"
    kept = {*again.goal_detail}
    if any(line and line not in kept and not marks.is_mark(line) for line in plan.goal_detail):
        yield "the detail of the goal"
    pairs = pair_steps(plan, again)
    own_ids = {one.step_id: step.step_id for step in iter_steps(plan) if (one := pairs.theirs.get(id(step)))}
    ours, theirs = _find_makers(plan), _find_makers(again)
    for step in iter_steps(plan):
        found = pairs.theirs.get(id(step))
        if found is None:
            yield f"step {call_step(step)}"
            continue
        if len(step.children) != len(found.children):
            yield f"step {call_step(step)}: what is below it"
        lost = [STEP_FIELDS[name].label for name in _ASKED if _is_lost(step, found, name)]
        if ours[step.step_id] - {own_ids.get(one, "") for one in theirs[found.step_id]}:
            lost.append("inputs")
        if {*step.outputs} - {*found.outputs}:
            # What another step takes is a dependency, whatever it is called.
            lost.append("names of outputs")
        if lost:
            yield f"step {call_step(step)}: {', '.join(dict.fromkeys(lost))}"
    if any(id(step) not in pairs.ours for step in iter_steps(again)):
        # What a note says that looks like a task is one.
        yield "the notes of some steps, which read as tasks"


# Ids are those of the places where steps are.
_ASKED = [name for name in STEP_FIELDS if name not in ("step_id", "inputs", "outputs")]


def _find_makers(plan: PlanSpec) -> dict[str, set[str]]:
    """For each step, the ids of those that produce what it takes; an empty one where none does."""
    origins = find_data_flow(plan).origins
    return {
        step.step_id: {origin.step.step_id if origin else "" for origin in origins.get(step.step_id, {}).values()}
        for step in iter_steps(plan)
    }


def _is_lost(step: PlanStep, found: PlanStep, name: str) -> bool:
    value = getattr(step, name)
    return bool(value != getattr(found, name) and value != default_of(PlanStep, name))


# ---------------------------------------------------------------- into a file that is there


def export_into(plan: PlanSpec, original: str, to: str | None = None, *, name: str = "<text>") -> ExportResult:
    """The text that a plan came from, with what has changed in the plan since then, and nothing else changed.

    Statuses and texts follow the plan, new steps are added, and tasks that the plan does not have stay.

    Args:
        plan: the plan.
        original: the text.
        to: its format; by default it is found out.
        name: what diagnostics call it.

    Raises:
        PlanSyntaxError, ValueError: as for :func:`planspec_lark.exchange.import_text`.
    """
    imported = _read_original(plan, original, name) if to is None else import_text(original, to, name=name)
    chosen = find_format(imported.report.format)
    tasks = plan_to_tasks(plan, chosen.number)
    new = {id(step): task for step, task in zip(iter_steps(plan), tasks, strict=True)}
    pairs = pair_steps(plan, imported.plan)
    was = plan_to_tasks(imported.plan, chosen.number)
    old = {id(step): task for step, task in zip(iter_steps(imported.plan), was, strict=True)}
    said = [
        f"step {call_step(step)} is not in the plan, and stays"
        for step in iter_steps(imported.plan)
        if id(step) not in pairs.ours
    ]
    changed = _find_changed(imported, pairs, new, old)
    changes: list[TaskChange | Addition] = [*changed, *_find_added(plan, imported, pairs, new)]
    said += [
        f"step {call_step(step)} is not added, since the file has all below it elsewhere"
        for step in iter_steps(plan)
        if id(step) not in pairs.theirs and step.children and not new[id(step)].children
    ]
    text, more = chosen.change(imported.source, changes)
    return ExportResult(text, [*said, *more], chosen.name)


def _read_original(plan: PlanSpec, original: str, name: str) -> ImportResult:
    """The text in the format in which most of the plan is in it: a copy elsewhere has lost the place that told it."""
    said = {(step.step_name, step.description) for step in iter_steps(plan)}
    best, most = None, 0
    guessed = guess_format(Source(original, name))
    for form in dict.fromkeys([*guessed, *([] if original.lstrip("\ufeff \t\r\n").startswith("{") else MARKDOWN)]):
        with suppress(PlanSyntaxError):
            imported = import_text(original, form, name=name)
            found = [(step.step_name, step.description) in said for step in iter_steps(imported.plan)]
            if all(found):
                return imported
            if sum(found) > most:
                best, most = imported, sum(found)
    return best or import_text(original, name=name)


def _find_changed(
    imported: ImportResult, pairs: Pairs, new: Mapping[int, Task], old: Mapping[int, Task]
) -> Iterator[TaskChange]:
    for task in imported.reading.tasks:
        theirs = imported.steps[task]
        ours = pairs.ours.get(id(theirs))
        if ours is not None and _said_by(new[id(ours)]) != _said_by(old[id(theirs)]):
            yield TaskChange(new[id(ours)], task, old[id(theirs)])


def _said_by(task: Task) -> tuple[object, ...]:
    # What is above others has their status, where it has none of its own.
    return task.text, task.status if task.is_counted or not task.children else None, task.notes, task.needs


def _find_added(plan: PlanSpec, imported: ImportResult, pairs: Pairs, new: Mapping[int, Task]) -> Iterator[Addition]:
    tasks = {id(imported.steps[task]): task for task in imported.reading.tasks}
    for place in find_new(plan, pairs.theirs):
        for step in place.new:
            _leave_known_out(step, pairs, new)
        if added := [new[id(step)] for step in place.new if new[id(step)].children or not step.children]:
            yield Addition(added, tasks.get(id(place.before)), tasks.get(id(place.parent), imported.reading.tasks))


def _leave_known_out(new_step: PlanStep, pairs: Pairs, new: Mapping[int, Task]) -> None:
    """Take out of the task for a new step what the source has elsewhere."""
    # Those above come first, so that what is left empty is found from below.
    for step in reversed([*iter_new(new_step, pairs.theirs)]):
        left = (child for child in step.children if id(child) not in pairs.theirs)
        new[id(step)].children = [new[id(one)] for one in left if not one.children or new[id(one)].children]
