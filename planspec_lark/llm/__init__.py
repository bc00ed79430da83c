"""Language models at OpenAI-compatible endpoints, and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.llm.draft import DraftedPlan as DraftedPlan, draft_plan as draft_plan
    from planspec_lark.llm.engine_roles import (
        chat_model as chat_model,
        model_operator as model_operator,
        model_planner as model_planner,
        model_reflector as model_reflector,
        program_model as program_model,
    )
    from planspec_lark.llm.models import (
        LlmError as LlmError,
        ProgramError as ProgramError,
        Reply as Reply,
        Usage as Usage,
    )
    from planspec_lark.llm.openai_chat import OpenAIChat as OpenAIChat
    from planspec_lark.llm.plan_next_roles import (
        ProgramInput as ProgramInput,
        chat_executor as chat_executor,
        chat_planner as chat_planner,
        counted as counted,
        program_executor as program_executor,
        program_planner as program_planner,
    )
    from planspec_lark.llm.program import Program as Program
    from planspec_lark.llm.streams import ReplyStream as ReplyStream
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "engine_roles": "chat_model model_operator model_planner model_reflector program_model",
            "draft": "DraftedPlan draft_plan",
            "models": "LlmError ProgramError Reply Usage",
            "openai_chat": "OpenAIChat",
            "plan_next_roles": "ProgramInput chat_executor chat_planner counted program_executor program_planner",
            "program": "Program",
            "streams": "ReplyStream",
        },
    )
