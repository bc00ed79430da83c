"""Requests in the four phases of a run: language models get the prompt, programs get JSON.

A request holds the prompt and what the prompt was made of. The sentences are in `templates`;
:mod:`planspec_lark.syntax.prompt_templates` puts in the rest, which strangers have written. Nothing here knows who
answers, or how a run continues.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from typing import Any

from attrs import evolve, frozen

from planspec_lark.engine.execution_answer import execution_schema
from planspec_lark.engine.history_excerpts import Excerpt, take_newest
from planspec_lark.engine.models import REFLECTION_VERBS, REPLAN_VERBS, HopStatus
from planspec_lark.engine.plan_excerpts import MAX_PLAN, plan_excerpt
from planspec_lark.planspec.models import WORDS, PlanSpec, PlanStep
from planspec_lark.planspec.prompt_texts import format_text, type_values
from planspec_lark.syntax import machine_reports
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.fields import require_one_of
from planspec_lark.syntax.prompt_templates import fill, prompt_json, read_template, refusal_values, text_values
from planspec_lark.syntax.safe_text import safe_json

__all__ = [
    "MAX_HISTORY",
    "Request",
    "RunPhase",
    "build_answer_repair_prompt",
    "plan_prompt",
    "request_execution",
    "request_generation",
    "request_reflection",
    "request_repair",
    "request_replan",
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


# Data that a template may show, and that a request need not have.
_OPTIONAL = ("branches", "loop", "finished")
# What an answer is, by its phase, where it is not lines: the section of the request to repair it.
_KINDS = {RunPhase.GENERATION: "plan", RunPhase.EXECUTION: "object"}


@frozen
class Request:
    """One question to a language model or a program.

    Attributes:
        phase: what is asked for.
        language: of the prompt.
        data: what the prompt was made of, as JSON values by name.
        prompt: the whole prompt; after a refusal, with what was wrong.
        schema: the JSON schema of the answer, where that is an object.
        refused: after a refusal, the ``answer``, the ``diagnostics`` and a ``prompt`` that asks for a better one.
    """

    phase: RunPhase
    language: str
    data: Mapping[str, Any]
    prompt: str
    schema: Mapping[str, Any] | None = None
    refused: Mapping[str, Any] | None = None

    def to_json(self) -> str:
        """The request as JSON text, in which no character could steer a terminal; it ends with a line break.

        Raises:
            TypeError, ValueError: the data are no JSON values.
        """
        value = {"phase": self.phase.value, "language": self.language, **self.data, "prompt": self.prompt}
        if self.refused is not None:
            value["refused"] = dict(self.refused)
        return safe_json(value, allow_nan=False, indent=2) + "\n"

    def refuse(self, answer: str, diagnostics: Iterable[Diagnostic]) -> Request:
        """The same question once more, with an answer that was of no use, and why."""
        found = list(diagnostics)
        is_plan = "container" in self.data
        repair = build_answer_repair_prompt(answer, found, self.phase, language=self.language, is_plan=is_plan)
        refused = {
            "answer": answer,
            "diagnostics": [machine_reports.json_item(one) for one in found],
            "prompt": repair,
        }
        first = self.prompt if self.refused is None else self.prompt.removesuffix(f"\n\n{self.refused['prompt']}")
        return evolve(self, prompt=f"{first}\n\n{repair}", refused=refused)


def request_generation(
    task: str, *, constraints: Iterable[str] = (), language: str = "en", previous: str | None = None
) -> Request:
    """A request for a plan; all as for :func:`plan_prompt`."""
    listed = list(constraints)
    data: dict[str, Any] = {"task": task, "constraints": listed}
    if previous is not None:
        data["previous"] = previous
    return _request(
        RunPhase.GENERATION,
        "generation",
        language,
        data,
        format=format_text(language),
        task=prompt_json({"task": task, "constraints": listed} if listed else {"task": task}),
        **text_values(previous and previous.removesuffix("\n"), name="previous"),
    )


def request_execution(  # noqa: PLR0913  (each is another part of the prompt)
    step: PlanStep,
    inputs: Mapping[str, Any],
    history: Iterable[object] | Excerpt,
    plan_state: PlanSpec | str,
    *,
    language: str = "en",
    branches: Iterable[PlanStep] = (),
    loop: str = "",
    max_history: int = MAX_HISTORY,
    max_plan: int = MAX_PLAN,
    missing: Iterable[str] = (),
    **more: Any,
) -> Request:
    """A request to carry out a step. :func:`~planspec_lark.engine.execution_answer.read_execution` reads the answer.

    Args:
        step: the step; what is below it is not shown.
        inputs: the values that it can use, by their names. All of them are shown, however long.
        history: what has happened in the run, as JSON values, the oldest first.
        plan_state: the plan as it is now, or its text, mostly ``serialize_plan(plan, fold=True)``.
        language: "en" or "zh".
        branches: of a decision, the children of which one holds.
        loop: the id of the subtask of which the answer may say whether it is done again.
        max_history: characters of the history; the newest entries are shown.
        max_plan: characters of the plan; of a longer one, goal, constraints and what is close to the step are shown.
        missing: names of declared inputs that have no value.
        more: further fields that a program gets, such as a key by which it knows a call that is made again.

    Raises:
        ValueError: there is no such prompt in this language, or neither history nor plan can be so short.
    """
    shown = take_newest(history, max_history)
    data: dict[str, Any] = {
        "step": _step_value(step),
        "inputs": dict(inputs),
        "missing": list(missing),
        **shown.data,
        "plan_state": plan_excerpt(plan_state, step.step_id, max_plan),
    }
    example: dict[str, Any] = {"status": "OK", "result": "…"}
    if step.outputs:
        example["outputs"] = dict.fromkeys(step.outputs, "…")
    if choices := [_step_value(branch, ("id", "task", "details")) for branch in branches]:
        data["branches"] = choices
        example["branch"] = choices[0]["id"]
    if loop:
        data["loop"] = loop
    own = {"example": prompt_json(example), "history": _history_text(shown)}
    request = _request(RunPhase.EXECUTION, "execution", language, {**more, **data}, **own)
    schema = execution_schema(step.outputs, [choice["id"] for choice in choices], is_loop=bool(loop))
    return evolve(request, schema=schema)


def request_reflection(  # noqa: PLR0913, PLR0917  (each is another part of the prompt)
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
    can_accept: bool = True,
    max_plan: int = MAX_PLAN,
) -> Request:
    """A request how to continue with a step that did not end with OK.

    Args:
        status: how it ended: FAIL, UNCERTAIN or LACK_OF_INFO.
        result: what it said; of a very long text the start is shown.
        plan_state: the plan as it is now, or its text, mostly ``serialize_plan(plan, fold=True)``.
        step: the step.
        can_interact: whether a person can be asked.
        commands: the verbs of the commands that may be used.
        attempt: how many times the step has been tried.
        language: "en" or "zh".
        can_retry: whether it may be tried again as it is.
        can_accept: whether it has a result that can be accepted.
        max_plan: characters of the plan; of a longer one, goal, constraints and what is close to the step are shown.

    Raises:
        ValueError: there is no such prompt in this language, no such command, nothing to decide about OK, or no plan
            can be so short.
    """
    status = HopStatus(status)
    if status is HopStatus.OK:
        raise ValueError("status: a step that ended with OK asks for no decision")
    verbs = list(commands)
    data = {
        "step": _step_value(step),
        "status": status.value,
        "result": result,
        "attempt": attempt,
        "can_retry": can_retry,
        "can_accept": can_accept,
        "can_interact": can_interact,
        "commands": verbs,
        "plan_state": plan_excerpt(plan_state, step.step_id, max_plan),
    }
    is_status = {one.value: _text(one is status) for one in HopStatus}
    own = {"commands": _commands(verbs, language), **text_values(result, name="result"), **is_status}
    return _request(RunPhase.REFLECTION, "reflection", language, data, **own)


def request_replan(  # noqa: PLR0913  (each is another part of the prompt)
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
) -> Request:
    """A request for changes at the end of a round, or for other steps in a container.

    Args:
        plan_state: the plan as it is now, or its text, mostly ``serialize_plan(plan, fold=True)``.
        container: a step whose children are to be planned again. Then the answer is a plan whose steps are those, with
            numbers from 1; otherwise it is commands.
        history: what has happened in the run, as JSON values, the oldest first.
        commands: the verbs of the commands that may be used, `REPLAN ALL` being one of its own.
        missing: names of what the plan has to produce and has not.
        finished: steps of the container that were done before.
        language: "en" or "zh".
        max_history: characters of the history; the newest entries are shown.
        max_plan: characters of the plan; of a longer one, goal, constraints and what is close to the container are
            shown, or to what is at work or blocked.

    Raises:
        ValueError: there is no such prompt in this language, no such command, or neither history nor plan can be so
            short.
    """
    shown = take_newest(history, max_history)
    excerpt = plan_excerpt(plan_state, None if container is None else container.step_id, max_plan)
    data: dict[str, Any] = {"plan_state": excerpt, **shown.data}
    own: dict[str, str | None]
    if container is not None:
        template, own = "children", {"format": format_text(language)}
        data["container"] = _step_value(container)
        if known := [_finished_value(step) for step in finished]:
            data["finished"] = known
    else:
        data |= {"commands": list(commands), "missing": list(missing)}
        template, own = "replan", {"commands": _commands(data["commands"], language)}
    return _request(RunPhase.REPLAN, template, language, data, history=_history_text(shown), **own)


def request_repair(prompt: str, *, language: str = "en") -> Request:
    """A request to repair a plan: what :func:`~planspec_lark.repair_plan` asks."""
    return Request(RunPhase.REPAIR, language, {}, prompt)


# ---------------------------------------------------------------- prompts alone


def plan_prompt(
    task: str, *, constraints: Iterable[str] = (), language: str = "en", previous: str | None = None
) -> str:
    """A prompt that asks a language model for a plan: the format, what makes a plan good, and the task.

    >>> "Open the bakery at six" in plan_prompt("Open the bakery at six", constraints=["No noise before five"])
    True

    Args:
        task: what the plan is for, in any words.
        constraints: what it has to keep to.
        language: "en" or "zh".
        previous: the text of a plan for the same task that was given up; of a very long one the start is shown.

    Raises:
        ValueError: there is no prompt in this language.
    """
    return request_generation(task, constraints=constraints, language=language, previous=previous).prompt


def build_answer_repair_prompt(
    answer: str,
    diagnostics: Iterable[Diagnostic],
    phase: RunPhase | str,
    *,
    language: str = "en",
    is_plan: bool = False,
) -> str:
    """A prompt to repair an answer and send all of it again. It follows the prompt that was answered.

    Args:
        answer: the answer as it came; of a very long one the start is shown.
        diagnostics: what is wrong; errors come first, and of very many only the first ones are shown.
        phase: what the answer was for.
        language: "en" or "zh".
        is_plan: whether a re-plan has asked for new steps of a container.

    Raises:
        ValueError: there is no such prompt in this language, or no such phase.
    """
    kind = "plan" if is_plan else _KINDS.get(RunPhase(phase), "lines")
    kinds = {name: _text(name == kind) for name in ("plan", "object", "lines")}
    return _fill("repair", language, **kinds, **refusal_values(diagnostics, answer))


# ---------------------------------------------------------------- values of templates


def _step_value(
    step: PlanStep, parts: Iterable[str] = ("id", "type", "task", "details", "inputs", "outputs")
) -> dict[str, Any]:
    """A step as a JSON value, without its state and without what is below it."""
    value = {
        "id": step.step_id,
        "type": step.step_type,
        "task": step.description,
        "details": list(step.detail),
        "inputs": list(step.inputs),
        "outputs": list(step.outputs),
        **{name: getattr(step, name) for name in WORDS},
    }
    return {name: value[name] for name in (*parts, *WORDS) if value[name]}


def _finished_value(step: PlanStep) -> dict[str, Any]:
    """A step that was done as a JSON value, with what it takes to write it once more, and its result."""
    return {**_step_value(step), **({"name": step.step_name} if step.step_name else {}), "result": step.result}


def _request(phase: RunPhase, template: str, language: str, data: dict[str, Any], **own: str | None) -> Request:
    """A request with these data. They are the values of its template as well, but for those that it has of its own."""
    values = dict.fromkeys(_OPTIONAL) | {name: _text(value) for name, value in data.items() if name not in own}
    if "plan_state" in data:
        values |= text_values(data["plan_state"].removesuffix("\n"), most=None, name="plan_state")
    return Request(phase, language, data, _fill(template, language, **{**values, **own}))


def _fill(name: str, language: str, **values: str | None) -> str:
    return fill(read_template(__package__, name, language), **values)


def _text(value: object) -> str | None:
    """A value as a template shows it; None where there is nothing to show."""
    if not value:
        return None
    return "yes" if value is True else str(value) if isinstance(value, int | str) else prompt_json(value)


def _history_text(shown: Excerpt) -> str | None:
    return shown.text if shown.entries else None


def _commands(verbs: Collection[str], language: str) -> str | None:
    """What the allowed commands are and do; None where there are none."""
    known = {verb: verb.lower().replace(" ", "_") for verb in (*REFLECTION_VERBS, *REPLAN_VERBS)}
    for verb in verbs:
        require_one_of("commands", verb, known)
    sections = {section: _text(verb in verbs) for verb, section in known.items()}
    return _fill("commands", language, **type_values(language), **sections).removesuffix("\n") or None
