"""Plan ↔ HopSpec steps.

To HopSpec, a plan loses status, result, progress and detail; back, steps lose what a plan has no words for (return
format, verifier, call target, flow). Hierarchy, types, names, inputs and outputs are kept both ways; only a name that
is just like one made from the step's id counts as none on the way back. The expand mode ``think`` and variables that no
plan can hold live in a plan as :mod:`marks <planspec_lark.hopspec.marks>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from planspec_lark.hopspec.marks import Mark, is_variable, read_mark, write_mark
from planspec_lark.hopspec.models import StepInfo
from planspec_lark.planspec.models import BLANKS, STEP_TYPES, PlanSpec, PlanStep, iter_steps
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.fields import require_text
from planspec_lark.syntax.names import Names
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.transliteration import snake_case
from planspec_lark.syntax.tree import find_parents, iter_tree

__all__ = ["plan_to_steps", "steps_to_plan", "text_field"]

# HopSpec type → plan type, and the field that says in words what the step does. Of several for one type of a plan, the
# first is what a plan's step becomes.
_TYPES = {kind: (name, part) for name, one in STEP_TYPES.items() for kind, part in one.hopspec.items()}
_HOP_TYPES = {name: next(iter(one.hopspec)) for name, one in STEP_TYPES.items()}
# Steps that have a counterpart, each with its parent.
_Kept = list[tuple[StepInfo, StepInfo | None]]
# Characters of a name that is made of another one.
_MOST_NAME = 40


# ---------------------------------------------------------------- plan → HopSpec


def plan_to_steps(plan: PlanSpec) -> list[StepInfo]:
    """Convert a plan to HopSpec steps.

    A step without a name gets one made from its id (``step_2_1``), with underscores after it where a given name is the
    same. A ``flow`` step that exits with ``EXIT_OK`` ends the list. What :func:`steps_to_plan` has put after
    descriptions, in brackets that start with ``hop:``, is taken back.

    Raises:
        ValueError: a step's type has no counterpart.
    """
    given = {step.step_name for step in iter_steps(plan) if step.step_name}
    said, originals = _read_marks(plan)
    steps: list[StepInfo] = []
    todo = [(plan.steps, steps)]
    while todo:
        source, target = todo.pop()
        for step in source:
            info = _to_info(step, given, *said[id(step)])
            info.inputs = [originals.get(name, name) for name in step.inputs]
            info.outputs = [originals.get(name, name) for name in step.outputs]
            target.append(info)
            todo.append((step.children, info.children))
    number = str(max((int(step.step_id.partition(".")[0]) for step in plan.steps), default=0) + 1)
    steps.append(StepInfo(number, _generate_name(number, given), "flow", action="exit", exit_id="EXIT_OK"))
    return steps


def _to_info(step: PlanStep, given: set[str], text: str, mark: Mark) -> StepInfo:
    if step.step_type not in _HOP_TYPES:
        raise ValueError(
            f"step_type: step {step.step_id} has the type '{step.step_type}', and HopSpec has none like it"
        )
    kind = _HOP_TYPES[step.step_type]
    info = StepInfo(step.step_id, step.step_name or _generate_name(step.step_id, given), kind)
    setattr(info, _TYPES[kind][1], text)
    if kind == "subtask":
        info.expand_mode = "think" if mark.is_think else "static"
    return info


def _read_marks(plan: PlanSpec) -> tuple[dict[int, tuple[str, Mark]], dict[str, str]]:
    """What each step's description says without its mark, and with it; and the original name of each variable.

    A mark counts only if it agrees with those before it: what it says must not be lost.
    """
    variables = _variables(plan)
    said: dict[int, tuple[str, Mark]] = {}
    originals: dict[str, str] = {}
    names: dict[str, str] = {}
    for step in iter_steps(plan):
        text, mark = read_mark(step.description, step.step_type, variables)
        given = mark.originals.items()
        if all(originals.get(name, one) == one and names.get(one, name) == name for name, one in given):
            originals.update(given)
            names.update((one, name) for name, one in given)
        else:
            text, mark = step.description, Mark()
        said[id(step)] = text, mark
    return said, originals


def _variables(plan: PlanSpec) -> set[str]:
    return {name for step in iter_steps(plan) for name in (*step.inputs, *step.outputs)}


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

    Ids are kept if they all fit their places, else all steps are numbered again. A name that :func:`plan_to_steps`
    would give by itself is left out. Of a text of several lines the first is the description, the others are detail.

    A variable whose name no plan can hold gets another, the same in all steps: ``ming_dan`` for 名单 where the extra
    ``zh`` is installed, else ``v1``, ``v2`` and so on. What it was called comes after the description of each step
    that has it, ``(hop: v1 = 名单)``, and so does the expand mode ``think``.

    Raises:
        ValueError: a type that HopSpec does not have, or a field that a plan cannot hold.
    """
    plan = PlanSpec(title, goal, constraints=list(constraints or []))
    kept = [pair for pair in iter_tree(steps, _is_kept) if _is_kept(pair[0])]
    keeps_ids = _ids_fit(kept)
    names = {info.step_name for info, _ in iter_tree(steps)}
    renamed = _rename_variables(kept)
    todo = [(steps, plan.steps, "")]
    while todo:
        source, target, head = todo.pop()
        for number, info in enumerate(filter(_is_kept, source), start=1):
            step = _to_step(info, info.step_id if keeps_ids else f"{head}{number}", names, renamed)
            target.append(step)
            todo.append((info.children, step.children, f"{step.step_id}."))
    # Only now it is known what would be taken for a mark.
    variables = _variables(plan)
    for step, (info, _) in zip(iter_steps(plan), kept, strict=True):
        used = dict.fromkeys([*info.inputs, *info.outputs])
        is_think = step.step_type == "subtask" and info.expand_mode == "think"
        mark = Mark(is_think, {renamed[name]: name for name in used if name in renamed})
        step.description = write_mark(step.description, mark, step.step_type, variables)
    return plan


def _rename_variables(kept: _Kept) -> dict[str, str]:
    """What the variables that no plan can hold are called there."""
    found: dict[str, None] = {}
    for info, _ in kept:
        for field in ("inputs", "outputs"):
            found.update((require_text(field, name), None) for name in getattr(info, field))
    names = Names({name for name in found if is_variable(name)})
    numbered = (f"v{number}" for number in count(1))
    renamed: dict[str, str] = {}
    for original in [name for name in found if name not in names.taken]:
        name = _transliterate(original) or next(name for name in numbered if name not in names.taken)
        renamed[original] = names.take(name)
    return renamed


def _transliterate(original: str) -> str:
    """A variable's name as a plan can hold it, or "" where none can be made of it."""
    try:
        name = snake_case(original, most=_MOST_NAME, most_bytes=_MOST_NAME)
    except ModuleNotFoundError:
        return ""
    return name if is_variable(name) else ""


def _is_kept(info: StepInfo) -> bool:
    return info.step_type != "flow"


def _ids_fit(kept: _Kept) -> bool:
    """Whether the ids of all steps that are kept spell the very tree in which they stand."""
    ids = [info.step_id for info, _ in kept]
    parents = [parent and parent.step_id for _, parent in kept]
    is_id = grammars.pattern("planspec", "ID").fullmatch
    return all(map(is_id, ids)) and len(set(ids)) == len(ids) and find_parents(ids) == parents


def _is_generated(name: str, step_id: str, names: set[str]) -> bool:
    """Whether :func:`plan_to_steps` would give this name by itself, beside those that are taken."""
    base = _base_name(step_id)
    more = name.removeprefix(base)
    return name.startswith(base) and set(more) <= {"_"} and all(base + "_" * n in names for n in range(len(more)))


def _to_step(info: StepInfo, step_id: str, names: set[str], renamed: Mapping[str, str]) -> PlanStep:
    if info.step_type not in _TYPES:
        said = shorten(one_line(info.step_type))
        raise ValueError(f"step_type: step {info.step_id} has the type '{said}', which HopSpec does not have")
    kind, _ = _TYPES[info.step_type]
    said = _describe_loop(info) if info.step_type == "loop" else getattr(info, text_field(info))
    first, *more = (line.strip(BLANKS) for line in said.replace("\r\n", "\n").split("\n"))
    return PlanStep(
        step_id,
        "" if _is_generated(info.step_name, step_id, names) else info.step_name,
        kind,
        first,
        [renamed.get(name, name) for name in info.inputs],
        [renamed.get(name, name) for name in info.outputs],
        more,
    )


def text_field(info: StepInfo) -> str:
    """The field that says in words what a step of a known type does. It becomes the description of a plan's step."""
    kind, field = _TYPES[info.step_type]
    # One that is worked out while it runs says it in its task.
    return "task" if kind == "subtask" and not info.description else field


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
    said, how = getattr(info, text_field(info)), ", ".join(rounds)
    return f"{said} ({how})" if said and how else said or how
