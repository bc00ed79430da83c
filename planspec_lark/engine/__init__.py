"""Runs plans: steps, reflection on failures, re-planning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.engine.decisions import Decision as Decision
    from planspec_lark.engine.execution_answer import ExecutionScan as ExecutionScan, read_execution as read_execution
    from planspec_lark.engine.generated_plan import read_children as read_children
    from planspec_lark.engine.inputs import MissingInput as MissingInput
    from planspec_lark.engine.jobs import continue_run as continue_run, submit_plan as submit_plan
    from planspec_lark.engine.language import RunResult as RunResult
    from planspec_lark.engine.models import (
        Answer as Answer,
        Budget as Budget,
        Effort as Effort,
        EngineLimits as EngineLimits,
        FatalError as FatalError,
        HopStatus as HopStatus,
        OperatorResult as OperatorResult,
        Outcome as Outcome,
        PlanningCall as PlanningCall,
        PlanningPurpose as PlanningPurpose,
        Question as Question,
        ReflectionCall as ReflectionCall,
        StepCall as StepCall,
        StepPolicy as StepPolicy,
        TransientError as TransientError,
        UnavailableError as UnavailableError,
        stop_event as stop_event,
    )
    from planspec_lark.engine.on_dask import dask_runner as dask_runner
    from planspec_lark.engine.plan_excerpts import plan_excerpt as plan_excerpt
    from planspec_lark.engine.previews import (
        InputSource as InputSource,
        PlannedStep as PlannedStep,
        check_run as check_run,
        preview as preview,
        preview_resumed as preview_resumed,
    )
    from planspec_lark.engine.reflection import (
        Reflection as Reflection,
        read_reflection as read_reflection,
        read_replan as read_replan,
    )
    from planspec_lark.engine.requests import (
        Request as Request,
        RunPhase as RunPhase,
        build_answer_repair_prompt as build_answer_repair_prompt,
        plan_prompt as plan_prompt,
        request_execution as request_execution,
        request_generation as request_generation,
        request_reflection as request_reflection,
        request_replan as request_replan,
    )
    from planspec_lark.engine.resume import EditedSteps as EditedSteps, EditedStepsError as EditedStepsError
    from planspec_lark.engine.run_rules import PlanRunError as PlanRunError
    from planspec_lark.engine.run_writer import ThinkEvent as ThinkEvent
    from planspec_lark.engine.think import ThinkEngine as ThinkEngine, run_plan as run_plan
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "execution_answer": "ExecutionScan read_execution",
            "on_dask": "dask_runner",
            "decisions": "Decision",
            "inputs": "MissingInput",
            "jobs": "continue_run submit_plan",
            "generated_plan": "read_children",
            "run_writer": "ThinkEvent",
            "models": (
                "Answer Budget Effort EngineLimits HopStatus OperatorResult "
                "Outcome PlanningCall PlanningPurpose Question ReflectionCall StepCall StepPolicy "
                "TransientError UnavailableError FatalError stop_event"
            ),
            "plan_excerpts": "plan_excerpt",
            "previews": "InputSource PlannedStep check_run preview preview_resumed",
            "reflection": "Reflection read_reflection read_replan",
            "requests": (
                "Request RunPhase build_answer_repair_prompt plan_prompt "
                "request_execution request_generation request_reflection "
                "request_replan"
            ),
            "resume": "EditedSteps EditedStepsError",
            "run_rules": "PlanRunError",
            "think": "ThinkEngine run_plan",
            "language": "RunResult",
        },
    )
