"""Plan ↔ HopSpec steps.

To HopSpec, a plan loses status, result, progress and detail; back, steps lose what a plan has no words for (return
format, verifier, call target, flow). Hierarchy, types, names, inputs and outputs are kept both ways; only a name that
is just like one made from the step's id counts as none on the way back.
"""

from __future__ import annotations

from planspec_lark import grammars
from planspec_lark.hopspec.models import StepInfo
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.tree import find_parents

__all__ = ["plan_to_steps", "steps_to_plan"]

# Plan type → HopSpec type and the field that takes the description; and back.
_TO_HOP = {
    "reason": ("LLM", "task"),
    "act": ("code", "description"),
    "decide": ("branch", "condition"),
    "subtask": ("subtask", "description"),
}
_TO_PLAN = {
    "LLM": ("reason", "task"),
    "code": ("act", "description"),
    "call": ("act", "task"),
    "branch": ("decide", "condition"),
    "loop": ("subtask", "description"),
    "subtask": ("subtask", "description"),
}


# ---------------------------------------------------------------- plan → HopSpec


def plan_to_steps(plan: PlanSpec) -> list[StepInfo]:
    """Convert a plan to HopSpec steps.

    A step without a name gets one made from its id (``step_2_1``), with underscores behind it where a given name is the
    same. A ``flow`` step that exits with ``EXIT_OK`` ends the list.

    Raises:
        ValueError: a step's type has no counterpart.
    """
    given = {step.step_name for step in iter_steps(plan) if step.step_name}
    steps: list[StepInfo] = []
    todo = [(plan.steps, steps)]
    while todo:
        source, target = todo.pop()
        for step in source:
            info = _to_info(step, given)
            target.append(info)
            todo.append((step.children, info.children))
    if not steps or steps[-1].step_type != "flow":
        number = max((int(step.step_id.partition(".")[0]) for step in plan.steps), default=0) + 1
        name = _generate_name(str(number), given)
        steps.append(StepInfo(str(number), name, "flow", action="exit", exit_id="EXIT_OK"))
    return steps


def _to_info(step: PlanStep, given: set[str]) -> StepInfo:
    if step.step_type not in _TO_HOP:
        raise ValueError(
            f"step_type: step {step.step_id} has the type '{step.step_type}', and HopSpec has none like it"
        )
    kind, text = _TO_HOP[step.step_type]
    info = StepInfo(
        step.step_id,
        step.step_name or _generate_name(step.step_id, given),
        kind,
        inputs=list(step.inputs),
        outputs=list(step.outputs),
        expand_mode="static" if kind == "subtask" else "",
    )
    setattr(info, text, step.description)
    return info


def _base_name(step_id: str) -> str:
    return f"step_{step_id.replace('.', '_')}"


def _generate_name(step_id: str, given: set[str]) -> str:
    name = _base_name(step_id)
    while name in given:
        name += "_"
    return name


# ---------------------------------------------------------------- HopSpec → plan


def steps_to_plan(
    steps: list[StepInfo],
    title: str = "",
    goal: str = "",
    constraints: list[str] | None = None,
) -> PlanSpec:
    """Convert HopSpec steps to a plan, leaving ``flow`` steps out.

    Ids are kept if they all fit their places, else all steps are numbered anew. A name that :func:`plan_to_steps` would
    give by itself is left out. Of a text of several lines the first is the description, the others are detail.

    Raises:
        ValueError: a type that HopSpec does not have, or a field that a plan cannot hold.
    """
    plan = PlanSpec(title, goal, constraints=list(constraints or []))
    keeps_ids = _ids_fit(steps)
    names = _names(steps)
    todo = [(steps, plan.steps, "")]
    while todo:
        source, target, head = todo.pop()
        for number, info in enumerate((info for info in source if info.step_type != "flow"), start=1):
            step = _to_step(info, info.step_id if keeps_ids else f"{head}{number}", names)
            target.append(step)
            todo.append((info.children, step.children, f"{step.step_id}."))
    return plan


def _ids_fit(steps: list[StepInfo]) -> bool:
    """Whether the ids of all steps that are kept spell the very tree in which they stand."""
    ids: list[str] = []
    parents: list[str | None] = []
    todo: list[tuple[list[StepInfo], str | None]] = [(steps, None)]
    while todo:
        siblings, parent = todo.pop()
        for info in siblings:
            if info.step_type != "flow":
                ids.append(info.step_id)
                parents.append(parent)
                todo.append((info.children, info.step_id))
    is_id = grammars.pattern("planspec", "ID").fullmatch
    return all(map(is_id, ids)) and len(set(ids)) == len(ids) and find_parents(ids) == parents


def _names(steps: list[StepInfo]) -> set[str]:
    names: set[str] = set()
    todo = [steps]
    while todo:
        for info in todo.pop():
            names.add(info.step_name)
            todo.append(info.children)
    return names


def _is_generated(name: str, step_id: str, names: set[str]) -> bool:
    """Whether :func:`plan_to_steps` would give this name by itself, beside those that are taken."""
    base = _base_name(step_id)
    more = name.removeprefix(base)
    return name.startswith(base) and set(more) <= {"_"} and all(base + "_" * n in names for n in range(len(more)))


def _to_step(info: StepInfo, step_id: str, names: set[str]) -> PlanStep:
    if info.step_type not in _TO_PLAN:
        raise ValueError(f"step_type: step {info.step_id} has the type '{info.step_type}', which HopSpec does not have")
    kind, text = _TO_PLAN[info.step_type]
    said = _describe_loop(info) if info.step_type == "loop" else getattr(info, text)
    first, *more = (line.strip(BLANKS) for line in said.replace("\r\n", "\n").split("\n"))
    return PlanStep(
        step_id,
        "" if _is_generated(info.step_name, step_id, names) else info.step_name,
        kind,
        first,
        list(info.inputs),
        list(info.outputs),
        more,
    )


def _describe_loop(info: StepInfo) -> str:
    """What a loop does and over what: a plan has no loops, so its description has to say it."""
    rounds = []
    if info.collection:
        rounds.append(f"for each {info.element_var or 'element'} of {info.collection}")
    elif info.element_var:
        rounds.append(f"for each {info.element_var}")
    if info.condition:
        rounds.append(f"while {info.condition}")
    if info.max_iterations is not None:
        rounds.append(f"at most {info.max_iterations} times")
    said, how = info.description or info.task, ", ".join(rounds)
    return f"{said} ({how})" if said and how else said or how
