"""A plan out of a model of LangChain or LangGraph: ``prompt | model | PlanOutputParser()``."""

from __future__ import annotations

from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseOutputParser

from planspec_lark.frameworks.answers import describe_format, read
from planspec_lark.planspec.models import PlanSpec

__all__ = ["PlanOutputParser"]


class PlanOutputParser(BaseOutputParser[PlanSpec]):
    """Reads an answer as :func:`planspec_lark.extract_plan` does.

    Attributes:
        max_risk: the highest risk of a repair that is allowed.
        language: of the instructions, "en" or "zh".
    """

    max_risk: str = "medium"
    language: str = "en"

    def parse(self, text: str) -> PlanSpec:
        """The plan in an answer.

        Raises:
            OutputParserException: it is not accepted. What to ask the model for is its observation, so that a parser
                that retries sends that.
        """
        found = read(text, self.max_risk)
        if found.plan is None:
            raise OutputParserException(found.findings, found.prompt, text, send_to_llm=True)
        return found.plan

    def get_format_instructions(self) -> str:
        """The format on a page, for the prompt."""
        return describe_format(self.language)

    @property
    def _type(self) -> str:
        return "planspec"
