"""A plan as the output of an agent of pydantic-ai, which asks its model again where it is not accepted.

``Agent(model, output_type=plan_output(), instructions=describe_format())``
"""

from __future__ import annotations

from pydantic_ai import ModelRetry, TextOutput

from planspec_lark.frameworks.answers import describe_format, read
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.syntax.codes import Risk

__all__ = ["describe_format", "plan_output"]


def plan_output(*, max_risk: Risk | str = Risk.MEDIUM) -> TextOutput[PlanSpec]:
    """The output type of an agent whose answer has a plan in it.

    Args:
        max_risk: the highest risk of a repair that is allowed, as for :func:`planspec_lark.extract_plan`.
    """

    def take(answer: str) -> PlanSpec:
        found = read(answer, max_risk)
        if found.plan is None:
            raise ModelRetry(found.prompt)
        return found.plan

    return TextOutput(take)
