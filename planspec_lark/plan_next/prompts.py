"""What a language model is told: the planner's brief, the executor's, and what was wrong with an answer.

The sentences are in `templates`; :mod:`planspec_lark.syntax.prompt_templates` puts the rest in, which strangers have
written.
"""

from __future__ import annotations

from collections.abc import Iterable

from planspec_lark.json_text.model_values import to_value
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.executors import Executors
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.prompt_templates import (
    LANGUAGES,
    fill,
    prompt_json,
    read_template,
    refusal_values,
    text_values,
)

__all__ = ["LANGUAGES", "STRATEGY_LIMITS", "build_executor_prompt", "build_planner_prompt", "build_repair_prompt"]

# What a file with a strategy may hold: it goes into every prompt.
STRATEGY_LIMITS = Limits(max_bytes=256_000)


def build_planner_prompt(
    context: Context, executors: Executors | None = None, *, strategy: str | None = None, language: str = "en"
) -> str:
    """The planner's prompt for one call, with the state of the plan.

    Args:
        context: the state of the plan. Where a new block would be too deep to be planned, the brief says to stop
            splitting.
        executors: the tools that there are, if any are known.
        strategy: how to plan here, as the operator has written it. It is in a block of its own, and is shown
            whole; without text in it, it is none.
        language: "en" or "zh".

    Raises:
        ValueError: there is no brief in this language.
    """
    return fill(
        read_template(__package__, "planner", language),
        depth=str(context.depth),
        max_depth=str(context.max_depth),
        limit=None if context.may_split else "yes",
        **text_values(strategy if strategy and strategy.strip() else None, most=None, name="strategy"),
        executors=prompt_json(to_value(list(executors.items))) if executors is not None and executors.items else None,
        context=prompt_json(to_value(context)),
    )


def build_executor_prompt(context: Context, *, language: str = "en") -> str:
    """A prompt to carry out the current block, and answer in four sections.

    Args:
        context: the state of the plan.
        language: "en" or "zh".

    Raises:
        ValueError: there is no such prompt in this language.
    """
    return fill(read_template(__package__, "executor", language), context=prompt_json(to_value(context)))


def build_repair_prompt(diagnostics: Iterable[Diagnostic], *, answer: str | None = None, language: str = "en") -> str:
    """A prompt to repair a refused answer and send all of it again.

    Args:
        diagnostics: what is wrong; errors come first, and of very many only the first ones are shown.
        answer: the answer as it came, to be shown as well; of a very long one the start.
        language: "en" or "zh".

    Raises:
        ValueError: there is no such prompt in this language.
    """
    return fill(read_template(__package__, "repair", language), **refusal_values(diagnostics, answer))
