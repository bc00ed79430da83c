"""Plans in pydantic, pydantic-ai and LangChain. Each but the first needs its extra.

A plan is a field of pydantic without an import of this package: :mod:`planspec_lark.frameworks.pydantic` is found by
:class:`~planspec_lark.PlanSpec` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.frameworks.answers import describe_format as describe_format
    from planspec_lark.frameworks.langchain import PlanOutputParser as PlanOutputParser
    from planspec_lark.frameworks.pydantic_ai import plan_output as plan_output
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "answers": "describe_format",
            "langchain": "PlanOutputParser",
            "pydantic_ai": "plan_output",
        },
    )
