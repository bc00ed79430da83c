"""The planner's protocol: plan-next messages and their context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.plan_next.context import (
        Context as Context,
        ContextError as ContextError,
        context_from_json as context_from_json,
        context_to_json as context_to_json,
        start_context as start_context,
    )
    from planspec_lark.plan_next.context_rules import check_message as check_message
    from planspec_lark.plan_next.conversion import message_to_json as message_to_json
    from planspec_lark.plan_next.executors import (
        Executors as Executors,
        ExecutorsError as ExecutorsError,
        load_executors as load_executors,
        read_executors as read_executors,
    )
    from planspec_lark.plan_next.judge import Judge as Judge
    from planspec_lark.plan_next.models import (
        Block as Block,
        Core4 as Core4,
        DoneItem as DoneItem,
        DoneStatus as DoneStatus,
        Executor as Executor,
        ExecutorCall as ExecutorCall,
        NewBlock as NewBlock,
        Phase as Phase,
        PlanNext as PlanNext,
        PlanReturn as PlanReturn,
        PlanType as PlanType,
    )
    from planspec_lark.plan_next.parser import (
        MessageError as MessageError,
        MessageScan as MessageScan,
        parse_message as parse_message,
        scan_message as scan_message,
    )
    from planspec_lark.plan_next.prompts import (
        build_executor_prompt as build_executor_prompt,
        build_planner_prompt as build_planner_prompt,
        build_repair_prompt as build_repair_prompt,
    )
    from planspec_lark.plan_next.results import (
        ResultSection as ResultSection,
        ResultSections as ResultSections,
        read_result as read_result,
    )
    from planspec_lark.plan_next.view import context_to_plan as context_to_plan
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "judge": "Judge",
            "context": "Context ContextError context_from_json context_to_json start_context",
            "context_rules": "check_message",
            "executors": "Executors ExecutorsError load_executors read_executors",
            "models": (
                "Block Core4 DoneItem DoneStatus Executor ExecutorCall NewBlock Phase PlanNext PlanReturn PlanType"
            ),
            "parser": "MessageError MessageScan parse_message scan_message",
            "prompts": "build_executor_prompt build_planner_prompt build_repair_prompt",
            "results": "ResultSection ResultSections read_result",
            "conversion": "message_to_json",
            "view": "context_to_plan",
        },
    )
