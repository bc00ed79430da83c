"""Plans → texts of other formats, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import groupby

from attrs import define, field

from planspec_lark.diff.models import label_of, values_of
from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import plan_to_tasks
from planspec_lark.exchange.formats import MARKDOWN, Format, find_format, guess_format
from planspec_lark.exchange.importer import ImportResult, import_text
from planspec_lark.exchange.models import Addition, Task, TaskChange, TaskList
from planspec_lark.exchange.update import Updated, call_step, pair_steps, update_plan
from planspec_lark.planspec.data_flow import find_data_flow
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.syntax.diagnostics import PlanSyntaxError
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
    for part in ("title", "goal", "constraints"):
        if getattr(plan, part) != getattr(again, part):
            yield f"the {part} of the plan" if getattr(plan, part) else f"that the plan has no {part}"
    kept = {*again.goal_detail}
    if any(line and line not in kept and not marks.is_mark(line) for line in plan.goal_detail):
        yield "the detail of the goal"
    pairs = pair_steps(plan, again)
    ours, theirs = _count_makers(plan), _count_makers(again)
    for step in iter_steps(plan):
        found = pairs.theirs.get(id(step))
        if found is None:
            yield f"step {call_step(step)}"
            continue
        if len(step.children) != len(found.children):
            yield f"step {call_step(step)}: what is below it"
        was, now = values_of(step), values_of(found)
        lost = [label_of(name) for name in _ASKED if was[name] not in (now[name], _EMPTY[name])]
        # What another step takes is a dependency, whatever it is called.
        lost += ["inputs"] * (ours[step.step_id] > theirs[found.step_id])
        lost += ["names of outputs"] * bool({*step.outputs} - {*found.outputs})
        if lost:
            yield f"step {call_step(step)}: {', '.join(lost)}"
    if any(id(step) not in pairs.ours for step in iter_steps(again)):
        # What a note says that looks like a task is one.
        yield "the notes of some steps, which read as tasks"


_EMPTY = values_of(PlanStep("0"))
_ASKED = [name for name in _EMPTY if name not in ("inputs", "outputs")]


def _count_makers(plan: PlanSpec) -> dict[str, int]:
    """For each step, how many others produce what it takes; what none produces counts as if another one did."""
    counts = dict.fromkeys((step.step_id for step in iter_steps(plan)), 0)
    for step_id, origins in find_data_flow(plan).origins.items():
        counts[step_id] = len({origin.step.step_id if origin else "" for origin in origins.values()})
    return counts


# ---------------------------------------------------------------- into a file that is there


def export_into(plan: PlanSpec, original: str, to: str | None = None, *, name: str = "<text>") -> ExportResult:
    """The text that a plan came from, with the plan's changes and no others.

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
    updated = update_plan(imported.plan, plan, takes_statuses=True, is_whole=True)
    said = [
        *(f"step {call_step(step)} is not in the plan, and stays" for step in updated.absent),
        *(f"step {call_step(step)} is not added, since the file has all below it elsewhere" for step in updated.left),
    ]
    text, more = chosen.change(imported.source, [*_find_changes(imported, updated, chosen)])
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


def _find_changes(imported: ImportResult, updated: Updated, chosen: Format) -> Iterator[TaskChange | Addition]:
    """What has to change in a file, in the order of its tasks, and then what is new."""
    old = {id(imported.steps[task]): task for task in imported.reading.tasks}
    nameless = {id(imported.steps[task]) for task in imported.reading.tasks if not task.id}
    was = _make_tasks(imported.plan, chosen, nameless)
    new = _make_tasks(updated.plan, chosen, {one for one, known in updated.known.items() if id(known) in nameless})
    for step in iter_steps(updated.plan):
        if (known := updated.known.get(id(step))) and _said_by(new[id(step)]) != _said_by(was[id(known)]):
            yield TaskChange(new[id(step)], old[id(known)], was[id(known)])

    def find(step: PlanStep | None) -> Task | None:
        return None if step is None else old[id(updated.known[id(step)])]

    # What is below a step comes before what is after it.
    for above in reversed([None, *iter_steps(updated.plan)]):
        if above is not None and id(above) not in updated.known:
            continue
        before: PlanStep | None = None
        siblings = updated.plan.steps if above is None else above.children
        for is_known, run in groupby(siblings, lambda step: id(step) in updated.known):
            several = [*run]
            if is_known:
                before = several[-1]
            else:
                tasks = [new[id(step)] for step in several]
                yield Addition(tasks, find(before), find(above) or imported.reading.tasks)


def _make_tasks(plan: PlanSpec, chosen: Format, nameless: Collection[int]) -> dict[int, Task]:
    """The task of each step, by ``id()``. Those that have no id in the file get none."""

    def number(tasks: TaskList) -> None:
        chosen.number(tasks)
        for step, task in zip(iter_steps(plan), tasks, strict=True):
            task.id = "" if id(step) in nameless else task.id

    return {id(step): task for step, task in zip(iter_steps(plan), plan_to_tasks(plan, number), strict=True)}


def _said_by(task: Task) -> tuple[object, ...]:
    # What is above others has their status, where it has none of its own.
    return task.text, task.status if task.is_counted or not task.children else None, task.notes, task.needs
