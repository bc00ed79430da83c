"""What is asked in each phase, as one thing for all who may answer: language models get text, programs get JSON.

A request holds the prompt and what the prompt was made of, so that a program can use either. It knows nothing of who
answers it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.engine import prompts
from planspec_lark.engine.excerpt import Excerpt, take_newest
from planspec_lark.engine.models import HopStatus
from planspec_lark.engine.plan_view import MAX_PLAN, plan_excerpt
from planspec_lark.engine.prompts import MAX_HISTORY, RunPhase
from planspec_lark.engine.verbs import REFLECTION_VERBS, REPLAN_VERBS
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.syntax import reports
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.source import escape_json

__all__ = [
    "Request",
    "request_execution",
    "request_generation",
    "request_reflection",
    "request_repair",
    "request_replan",
]


@frozen
class Request:
    """One question to a language model or a program.

    Attributes:
        phase: what is asked for.
        language: of the prompt.
        data: what the prompt was made of, as JSON values by name.
        prompt: the whole prompt; after a refusal, with what was wrong.
        refused: after a refusal, the ``answer``, the ``diagnostics`` and a ``prompt`` that asks for a better one.
    """

    phase: RunPhase
    language: str
    data: Mapping[str, Any]
    prompt: str
    refused: Mapping[str, Any] | None = field(default=None)

    def to_json(self) -> str:
        """The request as JSON text, in which no character could steer a terminal; it ends with a line break.

        Raises:
            TypeError, ValueError: the data are no JSON values.
        """
        value = {"phase": self.phase.value, "language": self.language, **self.data, "prompt": self.prompt}
        if self.refused is not None:
            value["refused"] = dict(self.refused)
        return escape_json(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"

    def refuse(self, answer: str, diagnostics: Iterable[Diagnostic]) -> Request:
        """The same question once more, with an answer that was of no use, and why."""
        found = list(diagnostics)
        is_plan = "container" in self.data
        repair = prompts.build_answer_repair_prompt(answer, found, self.phase, language=self.language, is_plan=is_plan)
        refused = {
            "answer": answer,
            "diagnostics": [reports.json_item(one) for one in found],
            "prompt": repair,
        }
        first = self.prompt if self.refused is None else self.prompt.removesuffix(f"\n\n{self.refused['prompt']}")
        return evolve(self, prompt=f"{first}\n\n{repair}", refused=refused)


def request_generation(
    task: str, *, constraints: Iterable[str] = (), language: str = "en", previous: str | None = None
) -> Request:
    """A request for a plan: see :func:`~planspec_lark.engine.prompts.build_generation_prompt`."""
    listed = list(constraints)
    data: dict[str, Any] = {"task": task, "constraints": listed}
    if previous is not None:
        data["previous"] = previous
    prompt = prompts.build_generation_prompt(task, constraints=listed, language=language, previous=previous)
    return Request(RunPhase.GENERATION, language, data, prompt)


def request_execution(  # noqa: PLR0913  (each is another part of the prompt)
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
    **more: Any,
) -> Request:
    """A request to carry out a step: see :func:`~planspec_lark.engine.prompts.build_execution_prompt`.

    ``more`` are further fields that a program gets, such as a key by which it knows a call that is made again.
    """
    children, lacking = list(branches), list(missing)
    shown, excerpt = take_newest(history, max_history), plan_excerpt(plan_state, step.step_id, max_plan)
    data: dict[str, Any] = {
        "step": prompts.step_value(step),
        "inputs": dict(inputs),
        "missing": lacking,
        **shown.data,
        "plan_state": excerpt,
    }
    if children:
        data["branches"] = prompts.branch_values(children)
    if is_in_open_loop:
        data["is_in_open_loop"] = True
    prompt = prompts.build_execution_prompt(
        step,
        inputs,
        shown,
        excerpt,
        language=language,
        branches=children,
        is_in_open_loop=is_in_open_loop,
        max_history=max_history,
        max_plan=max(max_plan, len(excerpt)),
        missing=lacking,
    )
    return Request(RunPhase.EXECUTION, language, {**more, **data}, prompt)


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
    max_plan: int = MAX_PLAN,
) -> Request:
    """A request how to continue with a step: see :func:`~planspec_lark.engine.prompts.build_reflection_prompt`."""
    verbs, excerpt = list(commands), plan_excerpt(plan_state, step.step_id, max_plan)
    data = {
        "step": prompts.step_value(step),
        "status": HopStatus(status).value,
        "result": result,
        "attempt": attempt,
        "can_retry": can_retry,
        "can_interact": can_interact,
        "commands": verbs,
        "plan_state": excerpt,
    }
    prompt = prompts.build_reflection_prompt(
        status,
        result,
        excerpt,
        step,
        can_interact,
        verbs,
        attempt=attempt,
        language=language,
        can_retry=can_retry,
        max_plan=max(max_plan, len(excerpt)),
    )
    return Request(RunPhase.REFLECTION, language, data, prompt)


def request_repair(prompt: str, *, language: str = "en") -> Request:
    """A request to repair a plan: what :func:`~planspec_lark.repair_plan` asks."""
    return Request(RunPhase.REPAIR, language, {}, prompt)


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
    """A request how to continue after a round: see :func:`~planspec_lark.engine.prompts.build_replan_prompt`."""
    shown, verbs, names = take_newest(history, max_history), list(commands), list(missing)
    excerpt = plan_excerpt(plan_state, None if container is None else container.step_id, max_plan)
    data: dict[str, Any] = {"plan_state": excerpt, **shown.data}
    if container is None:
        data |= {"commands": verbs, "missing": names}
    else:
        data["container"] = prompts.step_value(container)
        if known := list(finished):
            data["finished"] = [prompts.finished_value(step) for step in known]
        finished = known
    prompt = prompts.build_replan_prompt(
        excerpt,
        container=container,
        history=shown,
        commands=verbs,
        missing=names,
        finished=finished,
        language=language,
        max_history=max_history,
        max_plan=max(max_plan, len(excerpt)),
    )
    return Request(RunPhase.REPLAN, language, data, prompt)
