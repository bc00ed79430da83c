"""What a language model is told in the four phases of a run: generation, execution, reflection, re-plan.

The sentences stand in `templates`; :mod:`planspec_lark.syntax.prompt_templates` puts the rest in, which strangers have
written. Plain data in, text out: nothing here knows how a run continues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from planspec_lark.engine.excerpt import Excerpt, take_newest
from planspec_lark.engine.models import HopStatus
from planspec_lark.engine.plan_view import MAX_PLAN, plan_excerpt
from planspec_lark.engine.verbs import REFLECTION_VERBS, REPLAN_VERBS
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.prompt_templates import LANGUAGES, fill, read_template, refusal_values, text_values, to_json

__all__ = [
    "LANGUAGES",
    "MAX_HISTORY",
    "MAX_PLAN",
    "RunPhase",
    "branch_values",
    "build_answer_repair_prompt",
    "build_execution_prompt",
    "build_generation_prompt",
    "build_reflection_prompt",
    "build_replan_prompt",
    "step_value",
]

# Characters of a run's history.
MAX_HISTORY = 20_000


class RunPhase(str, Enum):
    """What a language model is asked for: in the four phases of a run, or to repair a plan."""

    GENERATION = "generation"
    EXECUTION = "execution"
    REFLECTION = "reflection"
    REPLAN = "replan"
    REPAIR = "repair"


# What an answer is, by its phase: the section of the request to repair it.
_KINDS = {
    RunPhase.GENERATION: "plan",
    RunPhase.EXECUTION: "object",
    RunPhase.REFLECTION: "lines",
    RunPhase.REPLAN: "lines",
    RunPhase.REPAIR: "lines",
}


def build_generation_prompt(
    task: str, *, constraints: Iterable[str] = (), language: str = "en", previous: str | None = None
) -> str:
    """What asks for a plan.

    Args:
        task: what the plan is for, in any words.
        constraints: what it has to keep to.
        language: "en" or "zh".
        previous: a plan for the same task that was given up, as text; of a very long one the start is shown.

    Raises:
        ValueError: there is no such prompt in this language.
    """
    value: dict[str, Any] = {"task": task}
    if listed := list(constraints):
        value["constraints"] = listed
    return _fill(
        "generation",
        language,
        format=read_template(__package__, "format", language).removesuffix("\n"),
        task=to_json(value),
        **text_values(previous and previous.removesuffix("\n"), name="previous"),
    )


def build_execution_prompt(  # noqa: PLR0913  (each is another part of the prompt)
    step: PlanStep,
    inputs: Mapping[str, Any],
    history: Iterable[object] | Excerpt,
    plan_state: PlanSpec | str,
    *,
    language: str = "en",
    branches: Iterable[PlanStep] = (),
    is_in_open_loop: bool = False,
    max_history: int = MAX_HISTORY,
    max_plan: int = MAX_PLAN,
    missing: Iterable[str] = (),
) -> str:
    """What asks to carry out a step. :func:`~planspec_lark.engine.execution.read_execution` reads the answer.

    Args:
        step: the step; what stands below it is not shown.
        inputs: the values that it can use, by their names. All of them are shown, however long.
        history: what has happened in the run, as JSON values, the oldest first.
        plan_state: the plan as it stands, or its text, mostly ``serialize_plan(plan, fold=True)``.
        language: "en" or "zh".
        branches: of a decision, the children of which one holds.
        is_in_open_loop: whether the answer may end a loop whose number of rounds is unknown.
        max_history: characters of the history; the newest entries are shown.
        max_plan: characters of the plan; of a longer one, goal, constraints and what is near to the step are shown.
        missing: names of declared inputs that have no value.

    Raises:
        ValueError: there is no such prompt in this language, or neither history nor plan can be so short.
    """
    choices, lacking = branch_values(branches), list(missing)
    example: dict[str, Any] = {"status": "OK", "result": "…"}
    if step.outputs:
        example["outputs"] = dict.fromkeys(step.outputs, "…")
    if choices:
        example["branch"] = choices[0]["id"]
    return _fill(
        "execution",
        language,
        step=to_json(step_value(step)),
        branches=to_json(choices) if choices else None,
        loop=_if(is_in_open_loop),
        inputs=to_json(dict(inputs)) if inputs else None,
        missing=to_json(lacking) if lacking else None,
        example=to_json(example),
        **_state_values(plan_excerpt(plan_state, step.step_id, max_plan)),
        **_history_values(take_newest(history, max_history)),
    )


def build_reflection_prompt(  # noqa: PLR0913, PLR0917  (each is another part of the prompt)
    status: HopStatus | str,
    result: str,
    plan_state: PlanSpec | str,
    step: PlanStep,
    can_interact: bool,
    commands: Iterable[str] = REFLECTION_VERBS,
    *,
    attempt: int,
    language: str = "en",
    can_retry: bool = True,
    max_plan: int = MAX_PLAN,
) -> str:
    """What asks how to continue with a step that did not end with OK.

    Args:
        status: how it ended: FAIL, UNCERTAIN or LACK_OF_INFO.
        result: what it said; of a very long text the start is shown.
        plan_state: the plan as it stands, or its text, mostly ``serialize_plan(plan, fold=True)``.
        step: the step.
        can_interact: whether a person can be asked.
        commands: the verbs of the commands that may be used.
        attempt: how many times the step has been tried.
        language: "en" or "zh".
        can_retry: whether it may be tried again as it is.
        max_plan: characters of the plan; of a longer one, goal, constraints and what is near to the step are shown.

    Raises:
        ValueError: there is no such prompt in this language, no such command, nothing to decide about OK, or no plan
            can be so short.
    """
    status = HopStatus(status)
    if status is HopStatus.OK:
        raise ValueError("status: a step that ended with OK asks for no decision")
    return _fill(
        "reflection",
        language,
        step=to_json(step_value(step)),
        attempt=str(attempt),
        status=status.value,
        fail=_if(status is HopStatus.FAIL),
        uncertain=_if(status is HopStatus.UNCERTAIN),
        lack=_if(status is HopStatus.LACK_OF_INFO),
        retry=_if(can_retry),
        interact=_if(can_interact),
        commands=_commands(commands, language),
        **text_values(result, name="result"),
        **_state_values(plan_excerpt(plan_state, step.step_id, max_plan)),
    )


def build_replan_prompt(  # noqa: PLR0913  (each is another part of the prompt)
    plan_state: PlanSpec | str,
    *,
    container: PlanStep | None = None,
    history: Iterable[object] | Excerpt = (),
    commands: Iterable[str] = REPLAN_VERBS,
    missing: Iterable[str] = (),
    finished: Iterable[PlanStep] = (),
    language: str = "en",
    max_history: int = MAX_HISTORY,
    max_plan: int = MAX_PLAN,
) -> str:
    """What asks how to continue at the end of a round, or, with a container, for other steps inside that.

    Args:
        plan_state: the plan as it stands, or its text, mostly ``serialize_plan(plan, fold=True)``.
        container: a step whose children are to be planned anew. Then the answer is a plan whose steps are those, with
            numbers from 1; otherwise it is commands.
        history: what has happened in the run, as JSON values, the oldest first.
        commands: the verbs of the commands that may be used, `REPLAN ALL` being one of its own.
        missing: names of what the plan has to produce and has not.
        finished: steps of the container that were done before.
        language: "en" or "zh".
        max_history: characters of the history; the newest entries are shown.
        max_plan: characters of the plan; of a longer one, goal, constraints and what is near to the container are
            shown, or to what is at work or blocked.

    Raises:
        ValueError: there is no such prompt in this language, no such command, or neither history nor plan can be so
            short.
    """
    excerpt = plan_excerpt(plan_state, None if container is None else container.step_id, max_plan)
    shown = {**_state_values(excerpt), **_history_values(take_newest(history, max_history))}
    if container is not None:
        known = [finished_value(step) for step in finished]
        return _fill(
            "children",
            language,
            format=read_template(__package__, "format", language).removesuffix("\n"),
            step=to_json(step_value(container)),
            finished=to_json(known) if known else None,
            **shown,
        )
    names = list(missing)
    return _fill(
        "replan",
        language,
        commands=_commands(commands, language),
        missing=to_json(names) if names else None,
        **shown,
    )


def build_answer_repair_prompt(
    answer: str,
    diagnostics: Iterable[Diagnostic],
    phase: RunPhase | str,
    *,
    language: str = "en",
    is_plan: bool = False,
) -> str:
    """What asks to repair an answer, and to send all of it again. It follows the prompt that was answered.

    Args:
        answer: the answer as it came; of a very long one the start is shown.
        diagnostics: what is wrong; errors come first, and of very many only the first ones are shown.
        phase: what the answer was for.
        language: "en" or "zh".
        is_plan: whether a re-plan has asked for new steps of a container.

    Raises:
        ValueError: there is no such prompt in this language, or no such phase.
    """
    kind = "plan" if is_plan else _KINDS[RunPhase(phase)]
    kinds = {name: _if(name == kind) for name in ("plan", "object", "lines")}
    return _fill("repair", language, **kinds, **refusal_values(diagnostics, answer))


def step_value(step: PlanStep) -> dict[str, Any]:
    """A step as a JSON value, without its state and without what stands below it."""
    value = {
        "id": step.step_id,
        "type": step.step_type,
        "task": step.description,
        "details": list(step.detail),
        "inputs": list(step.inputs),
        "outputs": list(step.outputs),
    }
    return {key: item for key, item in value.items() if item}


def finished_value(step: PlanStep) -> dict[str, Any]:
    """A step that was done as a JSON value, with what it takes to write it once more, and its result."""
    return {**step_value(step), **({"name": step.step_name} if step.step_name else {}), "result": step.result}


def branch_values(branches: Iterable[PlanStep]) -> list[dict[str, Any]]:
    """The branches of a decision as JSON values."""
    return [
        {key: item for key, item in step_value(branch).items() if key in ("id", "task", "details")}
        for branch in branches
    ]


def _fill(name: str, language: str, **values: str | None) -> str:
    return fill(read_template(__package__, name, language), **values)


def _if(condition: bool) -> str | None:
    return "yes" if condition else None


def _state_values(plan_state: str) -> dict[str, str | None]:
    return text_values(plan_state.removesuffix("\n"), most=None, name="plan_state")


def _history_values(shown: Excerpt) -> dict[str, str | None]:
    return {
        "history": shown.text if shown.entries else None,
        "left_out": str(shown.left_out) if shown.left_out else None,
    }


def _commands(verbs: Iterable[str], language: str) -> str | None:
    """What the allowed commands are and do; None where there are none."""
    wanted = list(verbs)
    known = {verb: verb.lower().replace(" ", "_") for verb in (*REFLECTION_VERBS, *REPLAN_VERBS)}
    for verb in wanted:
        if verb not in known:
            raise ValueError(f"commands: {verb!r} is not one of {', '.join(known)}")
    sections = {section: _if(verb in wanted) for verb, section in known.items()}
    return _fill("commands", language, **sections).removesuffix("\n") or None
