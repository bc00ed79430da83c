"""Tasks ↔ plans: ids and names, dependencies as inputs and outputs, texts that a plan can hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import define, field

from planspec_lark.exchange import marks
from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.planspec.data_flow import find_data_flow
from planspec_lark.planspec.dialect import find_arrow
from planspec_lark.planspec.models import BLANKS, SETTLED, PlanSpec, PlanStatus, PlanStep, make_step
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.names import Names
from planspec_lark.syntax.safe_text import visible
from planspec_lark.syntax.tree import iter_tree, refuse_loops

__all__ = ["DEFAULT_GOAL", "NUMBERS", "Converted", "Fault", "name_of", "plain_text", "plan_to_tasks", "tasks_to_plan"]

# An id that is a number: `1.2`, or `1.2a`.
NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*[a-z]?")
_NUMBER_NAME = re.compile(r"(?:([\w-]+)_)?task-([0-9]+(?:-[0-9]+)*[a-z]?)")
_NAME = re.compile(r"[\w-]{1,80}")
# What is no part of a variable.
_OTHER = re.compile(r"[^A-Za-z0-9_]+")

# What is to be reached where the source does not say it.
DEFAULT_GOAL = "Finish all tasks"

# What is wrong with a task: a code, a message, the task.
Fault = tuple[str, str, Task]


@define(eq=False)
class Converted:
    """A plan made of tasks.

    Attributes:
        plan: the plan.
        steps: the step of each task.
        faults: what is wrong with the tasks.
        lost: the tasks that need something that the plan cannot say.
    """

    plan: PlanSpec
    steps: dict[Task, PlanStep] = field(factory=dict, repr=False)
    faults: list[Fault] = field(factory=list)
    lost: set[Task] = field(factory=set, repr=False)

    def lose(self, needed: str, task: Task, code: str, why: str) -> None:
        """Note down that a need of a task is no part of the plan."""
        self.faults.append((code, f"the dependency on {shorten(visible(needed), 60)} is left out: {why}", task))
        self.lost.add(task)


# ---------------------------------------------------------------- names


def name_of(task_id: str) -> str:
    """The name of the step for a task; empty where an id can be no name.

    `T001` stays as it is, `1.2` becomes `task-1-2`, and in a group `main/1.2` becomes `main_task-1-2`.
    """
    group, _, own = task_id.rpartition("/")
    own = f"task-{own.replace('.', '-')}" if NUMBERS.fullmatch(own) else own
    name = f"{group}_{own}" if group else own
    return name if _NAME.fullmatch(name) else ""


def id_of(name: str) -> str:
    """The id of the task that a step of this name comes from."""
    match = _NUMBER_NAME.fullmatch(name)
    if match is None:
        return name
    return f"{match[1]}/" * bool(match[1]) + match[2].replace("-", ".")


# ---------------------------------------------------------------- tasks → plan


def tasks_to_plan(tasks: TaskList, *, is_strict: bool) -> Converted:
    """A plan with a step for each task of a source; with ``is_strict`` none is done before all below it are."""
    plan = PlanSpec(plain_text(tasks.title), plain_text(tasks.goal) or plain_text(tasks.title) or DEFAULT_GOAL)
    plan.goal_detail = [*map(_line, tasks.notes)]
    plan.constraints = [text for text in map(plain_text, tasks.constraints) if text]
    made = Converted(plan)
    names = _choose_names(tasks, made.faults)
    todo = [(tasks.children, plan.steps, "")]
    while todo:
        source, target, head = todo.pop()
        for number, task in enumerate(source, start=1):
            # What goes into it is known to be right.
            step = make_step(
                f"{head}{number}",
                names.get(task, ""),
                "subtask" if task.children else "act",
                _escape_arrow(plain_text(task.text)),
                detail=[*map(_line, task.notes)],
                status=task.status,
            )
            made.steps[task] = step
            target.append(step)
            if task.children:
                todo.append((task.children, step.children, f"{step.step_id}."))
    _settle_above(tasks, made, is_strict=is_strict)
    _connect(tasks, made)
    return made


def _choose_names(tasks: Iterable[Task], faults: list[Fault]) -> dict[Task, str]:
    names: dict[Task, str] = {}
    first: dict[str, Task] = {}
    for task in tasks:
        name = name_of(task.id)
        if not name:
            continue
        if name in first:
            where = f", first seen in line {first[name].line}" if first[name].line else ""
            faults.append(("EX102", f"duplicate id {task.id}{where}: this task gets no name", task))
        else:
            first[name] = task
            names[task] = name
    return names


def _settle_above(tasks: TaskList, made: Converted, *, is_strict: bool) -> None:
    """Give each heading the status that follows from what is below it.

    With ``is_strict``, what is done is set back where something below it is not; what may be left out does not count.
    """
    for task in reversed([*tasks]):
        below = [made.steps[child].status for child in task.children]
        is_done = SETTLED.issuperset(below)
        is_begun = PlanStatus.ACTIVE in below or (task.is_counted and PlanStatus.DONE in below)
        status = PlanStatus.ACTIVE if is_begun else PlanStatus.PENDING
        if below and not task.is_counted:
            ended = PlanStatus.DONE if PlanStatus.DONE in below else PlanStatus.SKIPPED
            made.steps[task].status = ended if is_done else status
        elif is_strict and task.status is PlanStatus.DONE and not is_done:
            asked = (child for child in task.children if marks.OPTIONAL not in child.notes)
            if open_one := next((child for child in asked if made.steps[child].status not in SETTLED), None):
                made.steps[task].status = status
                message = f"it is ticked, and line {open_one.line} below it is not: its step is {status.value}"
                made.faults.append(("EX114", message, task))


def _connect(tasks: TaskList, made: Converted) -> None:
    """Make of what tasks need inputs, and outputs of the steps that they need."""
    if not any(task.needs for task in tasks):
        return
    # Of tasks with the same id, the first one is meant.
    by_id = {task.id: task for task in reversed([*tasks]) if task.id}
    parents = dict(iter_tree(tasks.children))
    places = {task: at for at, task in enumerate(tasks)}
    needs = _resolve(places, by_id, parents, made)
    _break_circles(tasks, needs, made)
    for task, others in needs.items():
        # Of a circle, the need that is left out is told.
        if late := next((one for one in others if places[one] > places[task] and one not in made.lost), None):
            made.faults.append(("EX116", f"it needs {shorten(visible(late.id), 60)}, which comes later", task))
    variables = _choose_variables(dict.fromkeys(one for several in needs.values() for one in several))
    for task in tasks:
        wanted = needs.get(task, ())
        made.steps[task].inputs = [variables[one] for one in wanted]
    for task, variable in variables.items():
        # What a step with others below it puts out, one of these has to.
        for each in dict.fromkeys((task, _last_below(task, made))):
            made.steps[each].outputs.append(variable)


def _last_below(task: Task, made: Converted) -> Task:
    """The last task below one that is still to be done, or else was; or the task itself."""
    while task.children:
        left = [child for child in task.children if made.steps[child].status not in SETTLED]
        task = (left or task.children)[-1]
    return task


def _resolve(
    places: Mapping[Task, int], by_id: Mapping[str, Task], parents: Mapping[Task, Task | None], made: Converted
) -> dict[Task, list[Task]]:
    needs: dict[Task, list[Task]] = {}
    late: list[tuple[Task, Task]] = []
    settled = _find_settled(places, made)
    for task, place in places.items():
        for needed in dict.fromkeys(task.needs):
            other = needed if isinstance(needed, Task) else by_id.get(needed)
            if other is None:
                made.lose(str(needed), task, "EX103", "that task does not exist")
            elif _is_above(other, task, parents) or _is_above(task, other, parents):
                made.lose(other.id, task, "EX104", "that task is done only together with this one")
            elif isinstance(needed, Task) and places[other] > place:
                late.append((task, other))
            elif isinstance(needed, Task) and other in settled:
                # A run would not know what came of it.
                continue
            else:
                needs.setdefault(task, []).append(other)
    for task, other in late[:1]:
        more = f"; so are {len(late) - 1:,} more like it" * (len(late) > 1)
        made.lose(other.id, task, "EX116", f"that task comes later{more}")
    return needs


def _find_settled(tasks: Iterable[Task], made: Converted) -> set[Task]:
    """The tasks that are done or skipped, or all below them are."""
    settled: set[Task] = set()
    for task in reversed([*tasks]):
        if settled.issuperset(task.children) if task.children else made.steps[task].status in SETTLED:
            settled.add(task)
    return settled


def _is_above(other: Task, task: Task | None, parents: Mapping[Task, Task | None]) -> bool:
    while task is not None and task is not other:
        task = parents[task]
    return task is other


def _break_circles(tasks: Iterable[Task], needs: dict[Task, list[Task]], made: Converted) -> None:
    """Leave out each need that closes a circle, rather one of what comes later than of what comes before."""
    done: set[Task] = set()
    for start in reversed([*tasks]):
        if start in done or start not in needs:
            continue
        on_path = {start}
        stack: list[tuple[Task, Iterator[Task]]] = [(start, iter([*needs[start]]))]
        while stack:
            task, others = stack[-1]
            other = next(others, None)
            if other is None:
                on_path.discard(task)
                done.add(task)
                stack.pop()
            elif other in on_path:
                needs[task].remove(other)
                made.lose(other.id, task, "EX104", "that task depends on this one")
            elif other not in done:
                on_path.add(other)
                stack.append((other, iter([*needs.get(other, ())])))


def _choose_variables(needed: Iterable[Task]) -> dict[Task, str]:
    chosen: dict[Task, str] = {}
    names = Names()
    for task in needed:
        name = _OTHER.sub("_", (name_of(task.id) or task.id or task.text.partition(":")[0])[:60]).strip("_") or "task"
        chosen[task] = names.take(f"task_{name}" if name[0].isdigit() else name)
    return chosen


# The last arrow of a text, however it is drawn, with the backslashes before it.
_ARROW = re.compile(r"(?<!\\)\\*(?=(?:[-=–—]{1,2}>|[⇒➜➔⟶→])[^>⇒➜➔⟶→]*\Z)")


def _escape_arrow(text: str) -> str:
    """A text as a description has it: a backslash is before an arrow that could be meant to declare outputs."""
    at = _find_arrow(text)
    return text if at is None else f"{text[:at]}\\{text[at:]}"


def _unescape_arrow(text: str) -> str:
    """The inverse of :func:`_escape_arrow`."""
    at = _find_arrow(text)
    return text if at is None else text[:at] + text[at:].removeprefix("\\")


def _find_arrow(text: str) -> int | None:
    """Where such an arrow is, with the backslashes before it."""
    match = _ARROW.search(text) if ">" in text or not text.isascii() else None
    is_arrow = match and find_arrow(text[: match.start()] + text[match.end() :])
    return match.start() if match and is_arrow else None


def _line(text: str) -> str:
    """A text as a plan can hold it: what no plan can hold is written as an escape."""
    return grammars.pattern("planspec", "FORBIDDEN").sub(lambda match: visible(match[0]), text.replace("\n", " "))


def plain_text(text: str) -> str:
    """A text as a field of a plan can hold it, in one line."""
    return _line(text).strip(BLANKS)


# ---------------------------------------------------------------- plan → tasks


def plan_to_tasks(plan: PlanSpec, number: Callable[[TaskList], None]) -> TaskList:
    """The tasks that a plan consists of. An input becomes a need of the step that produces it.

    Args:
        plan: the plan.
        number: gives ids to tasks that have none, where a format asks for one.
    """
    tasks = TaskList(plan.title, plan.goal, [*plan.goal_detail], [*plan.constraints])
    made: dict[str, Task] = {}
    refuse_loops(plan.steps)
    todo = [(plan.steps, tasks.children)]
    while todo:
        source, target = todo.pop()
        for step in source:
            task = Task(_unescape_arrow(step.description), id_of(step.step_name), step.status, [*step.detail])
            task.is_counted = not any(map(_is_uncounted, step.detail))
            made[step.step_id] = task
            target.append(task)
            todo.append((step.children, task.children))
    number(tasks)
    for step_id, origins in find_data_flow(plan).origins.items():
        needed = [made[origin.step.step_id] for origin in origins.values() if origin]
        made[step_id].needs = [*dict.fromkeys(task.id for task in needed if task.id and task is not made[step_id])]
    return tasks


def _is_uncounted(line: str) -> bool:
    """Whether a line of detail says that its step was no task by itself."""
    return line in (marks.NO_BOX, marks.TAG) or marks.heading_level(line) > 0
