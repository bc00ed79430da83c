"""PlanSpec: plans that language models write and programs can trust.

These are all public names. They are loaded when they are first used, so that importing the package costs little and
compiles no grammar.

PYTEST_DONT_REWRITE: the pytest plugin is a part of this package, and pytest would warn wherever it is imported first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planspec_lark.answers.extract import Extraction, Repair, extract_plan
    from planspec_lark.answers.repair_prompt import repair_prompt
    from planspec_lark.answers.risk import Risk
    from planspec_lark.answers.splice import Spliced, splice
    from planspec_lark.bulk.dask_engine import run_on_dask
    from planspec_lark.bulk.models import BulkError, BulkOptions, BulkTask, Shard, ShardReport
    from planspec_lark.bulk.report import BulkReport
    from planspec_lark.bulk.running import BulkProgress, run_bulk
    from planspec_lark.bulk.shards import analyze_shard
    from planspec_lark.constrained.export import export_grammar
    from planspec_lark.diff.differ import diff_plans
    from planspec_lark.diff.merge import merge_plans
    from planspec_lark.diff.models import ChangeKind, FieldChange, MergeConflict, MergeResult, PlanDiff, StepChange
    from planspec_lark.diff.render import diff_to_dict
    from planspec_lark.diff.texts import merge_texts
    from planspec_lark.document.document import PlanDocument
    from planspec_lark.document.file import LeasedPlan, PlanBusyError, PlanFile, PlanFileError
    from planspec_lark.document.lease import Lease
    from planspec_lark.engine.answers import ExecutionScan, read_execution
    from planspec_lark.engine.asking import Asked, ask, ask_async
    from planspec_lark.engine.decisions import Decision
    from planspec_lark.engine.desk import ThinkEvent
    from planspec_lark.engine.ledger import Ledger, LedgerError, MemoryLedger
    from planspec_lark.engine.models import (
        Answer,
        Budget,
        Effort,
        EngineLimits,
        HopStatus,
        OperatorResult,
        Outcome,
        PlanningCall,
        Purpose,
        Question,
        ReflectionCall,
        StepCall,
        Unusable,
    )
    from planspec_lark.engine.preview import InputSource, Planned, preview, preview_resumed
    from planspec_lark.engine.prompts import (
        RunPhase,
        build_answer_repair_prompt,
        build_execution_prompt,
        build_generation_prompt,
        build_reflection_prompt,
        build_replan_prompt,
    )
    from planspec_lark.engine.reflection import Reflection, read_reflection, read_replan
    from planspec_lark.engine.requests import (
        Request,
        request_execution,
        request_generation,
        request_reflection,
        request_replan,
    )
    from planspec_lark.engine.resuming import Edited, EditedError
    from planspec_lark.engine.sqlite_ledger import SqliteLedger
    from planspec_lark.engine.think import PlanRunError, RunResult, ThinkEngine
    from planspec_lark.folder.folder import PlanFolder
    from planspec_lark.folder.models import PlanEntry, StoreError, StoreReason
    from planspec_lark.folder.skeleton import make_skeleton
    from planspec_lark.hopspec.convert import plan_to_steps, steps_to_plan
    from planspec_lark.hopspec.models import StepInfo
    from planspec_lark.html.render import render_page
    from planspec_lark.json_text.models import JsonText
    from planspec_lark.json_text.reading import read_json, scan_json
    from planspec_lark.llm.agents import chat_model, model_operator, model_planner, model_reflector, program_model
    from planspec_lark.llm.drafting import DraftedPlan, draft_plan
    from planspec_lark.llm.metering import Meter
    from planspec_lark.llm.models import LlmError, ProgramError, Reply, Usage
    from planspec_lark.llm.openai_chat import OpenAIChat
    from planspec_lark.llm.planners import Sent, chat_executor, chat_planner, program_executor, program_planner
    from planspec_lark.llm.program import Program
    from planspec_lark.llm.streams import AsyncReplyStream, ReplyStream
    from planspec_lark.plan_cmd.apply import apply_command, apply_commands
    from planspec_lark.plan_cmd.models import PlanCommand
    from planspec_lark.plan_cmd.parser import CommandScan, parse_plan_commands, scan_plan_commands
    from planspec_lark.plan_cmd.printer import serialize_commands
    from planspec_lark.plan_next.checking import check_message
    from planspec_lark.plan_next.context import Context, ContextError, context_from_json, context_to_json, start_context
    from planspec_lark.plan_next.executors import Executors, ExecutorsError, load_executors
    from planspec_lark.plan_next.judging import Judge
    from planspec_lark.plan_next.kernel import StateError, create_state, read_state
    from planspec_lark.plan_next.models import (
        Block,
        Core4,
        DoneItem,
        DoneStatus,
        Executor,
        ExecutorCall,
        NewBlock,
        Phase,
        PlanNext,
        PlanReturn,
        PlanType,
    )
    from planspec_lark.plan_next.printing import message_to_json
    from planspec_lark.plan_next.prompts import build_executor_prompt, build_planner_prompt, build_repair_prompt
    from planspec_lark.plan_next.reading import MessageError, MessageScan, parse_message, scan_message
    from planspec_lark.plan_next.results import ResultSection, ResultSections, read_result
    from planspec_lark.plan_next.runtime import Event, EventKind, Refusal, Runtime
    from planspec_lark.plan_next.view import context_to_plan
    from planspec_lark.plan_next.wording.words import Words, WordsError, default_words, load_words, read_words
    from planspec_lark.planspec.check import check_text
    from planspec_lark.planspec.data_flow import DataFlow, Link, Origin, find_data_flow
    from planspec_lark.planspec.diagram import draw_plan
    from planspec_lark.planspec.events import PlanEvent, PlanEventKind, Provisional
    from planspec_lark.planspec.fold import collapse_step, expand_step, replace_children
    from planspec_lark.planspec.interchange import (
        PlanValueError,
        plan_from_dict,
        plan_from_json,
        plan_json_schema,
        plan_to_dict,
        plan_to_json,
    )
    from planspec_lark.planspec.lint import lint_plan
    from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
    from planspec_lark.planspec.parser import parse_plan, parse_tree
    from planspec_lark.planspec.positions import Places, StepPlaces
    from planspec_lark.planspec.printer import serialize_plan
    from planspec_lark.planspec.rules import validate_plan
    from planspec_lark.planspec.scanning import ScanResult, scan_plan
    from planspec_lark.planspec.stream import PlanStream, StreamEnd
    from planspec_lark.planspec.transformer import PlanTransformer
    from planspec_lark.planspec.tree import available_outputs, find_step, next_pending_step, step_order
    from planspec_lark.planspec.upcoming import Todo
    from planspec_lark.planspec.views import StepView, Supply, Use, focus_view, next_step_view
    from planspec_lark.pytest_plugin.assertions import PlanAssertion, StepAssertion, assert_plan
    from planspec_lark.pytest_plugin.normalizers import plan_without
    from planspec_lark.pytest_plugin.taking import UnreadablePlanError
    from planspec_lark.syntax.diagnostics import (
        CODES,
        CommandError,
        Diagnostic,
        Fix,
        PlanSyntaxError,
        Severity,
        decode,
        render,
        render_all,
    )
    from planspec_lark.syntax.limits import Limits
    from planspec_lark.syntax.source import Source, Span, one_line
    from planspec_lark.syntax.token_estimate import estimate_tokens
    from planspec_lark.toolplan.callables import load_entry_point_atoms
    from planspec_lark.toolplan.checking import check_tool_plan
    from planspec_lark.toolplan.drawing import draw_toolplan
    from planspec_lark.toolplan.interchange import (
        AtomsError,
        ToolPlanError,
        registry_from_value,
        registry_to_value,
        tool_plan_from_dict,
        tool_plan_to_dict,
    )
    from planspec_lark.toolplan.models import Atom, AtomInput, AtomOutput, Registry, ToolPlan, ToolStep
    from planspec_lark.toolplan.reading import load_atoms, load_plan_doc
    from planspec_lark.toolplan.running import arun_toolplan, run_toolplan
    from planspec_lark.toolplan.runs import RunEvent, RunEventKind, StepResult, StepStatus, ToolRun, ToolRunError
    from planspec_lark.toolplan.skeleton import plan_to_toolplan_skeleton
    from planspec_lark.toolplan.validation import validate_plan_doc
    from planspec_lark.toolplan.view import toolplan_to_plan

_HOMES = {
    "answers.extracting": "Extraction Repair extract_plan",
    "answers.prompts": "repair_prompt",
    "answers.risks": "Risk",
    "answers.splicing": "Spliced splice",
    "bulk.dask_engine": "run_on_dask",
    "bulk.models": "BulkError BulkOptions BulkTask Shard ShardReport",
    "bulk.report": "BulkReport",
    "bulk.running": "BulkProgress run_bulk",
    "bulk.shards": "analyze_shard",
    "comparing.diffing": "diff_plans",
    "comparing.merging": "merge_plans",
    "comparing.models": "ChangeKind FieldChange MergeConflict MergeResult PlanDiff StepChange",
    "comparing.showing": "diff_to_dict",
    "comparing.texts": "merge_texts",
    "diagnostics": "CODES CommandError Diagnostic Fix PlanSyntaxError Severity decode render render_all",
    "document.document": "PlanDocument",
    "document.file": "LeasedPlan PlanBusyError PlanFile PlanFileError",
    "document.lease": "Lease",
    "engine.decisions": "Decision",
    "engine.reflection": "Reflection read_reflection read_replan",
    "engine.answers": "ExecutionScan read_execution",
    "engine.models": (
        "Answer Budget Effort EngineLimits HopStatus OperatorResult Outcome PlanningCall Purpose Question "
        "ReflectionCall StepCall Unusable"
    ),
    "engine.desk": "ThinkEvent",
    "engine.ledger": "Ledger LedgerError MemoryLedger",
    "engine.preview": "InputSource Planned preview preview_resumed",
    "engine.resuming": "Edited EditedError",
    "engine.sqlite_ledger": "SqliteLedger",
    "engine.think": "PlanRunError RunResult ThinkEngine",
    "engine.asking": "Asked ask ask_async",
    "engine.prompts": (
        "RunPhase build_answer_repair_prompt build_execution_prompt build_generation_prompt build_reflection_prompt "
        "build_replan_prompt"
    ),
    "engine.requests": "Request request_execution request_generation request_reflection request_replan",
    "generation.exporting": "export_grammar",
    "hopspec.converting": "plan_to_steps steps_to_plan",
    "hopspec.models": "StepInfo",
    "json_text.models": "JsonText",
    "json_text.reading": "read_json scan_json",
    "limits": "Limits",
    "llm.agents": "chat_model model_operator model_planner model_reflector program_model",
    "llm.metering": "Meter",
    "llm.drafting": "DraftedPlan draft_plan",
    "llm.models": "LlmError ProgramError Reply Usage",
    "llm.openai_chat": "OpenAIChat",
    "llm.planners": "Sent chat_executor chat_planner program_executor program_planner",
    "llm.program": "Program",
    "llm.streams": "AsyncReplyStream ReplyStream",
    "page.rendering": "render_page",
    "plan_cmd.applying": "apply_command apply_commands",
    "plan_cmd.models": "PlanCommand",
    "plan_cmd.printing": "serialize_commands",
    "plan_cmd.reading": "CommandScan parse_plan_commands scan_plan_commands",
    "plan_next.checking": "check_message",
    "plan_next.context": "Context ContextError context_from_json context_to_json start_context",
    "plan_next.executors": "Executors ExecutorsError load_executors",
    "plan_next.judging": "Judge",
    "plan_next.kernel": "StateError create_state read_state",
    "plan_next.models": (
        "Block Core4 DoneItem DoneStatus Executor ExecutorCall NewBlock Phase PlanNext PlanReturn PlanType"
    ),
    "plan_next.printing": "message_to_json",
    "plan_next.prompts": "build_executor_prompt build_planner_prompt build_repair_prompt",
    "plan_next.reading": "MessageError MessageScan parse_message scan_message",
    "plan_next.results": "ResultSection ResultSections read_result",
    "plan_next.runtime": "Event EventKind Refusal Runtime",
    "plan_next.view": "context_to_plan",
    "plan_next.wording.words": "Words WordsError default_words load_words read_words",
    "planspec.checking": "check_text",
    "planspec.data_flow": "DataFlow Link Origin find_data_flow",
    "planspec.drawing": "draw_plan",
    "planspec.events": "PlanEvent PlanEventKind Provisional",
    "planspec.folding": "collapse_step expand_step replace_children",
    "planspec.interchange": "PlanValueError plan_from_dict plan_from_json plan_json_schema plan_to_dict plan_to_json",
    "planspec.lint": "lint_plan",
    "planspec.models": "PlanSpec PlanStatus PlanStep iter_steps",
    "planspec.places": "Places StepPlaces",
    "planspec.printing": "serialize_plan",
    "planspec.parser": "parse_plan parse_tree",
    "planspec.scanning": "ScanResult scan_plan",
    "planspec.streaming": "PlanStream StreamEnd",
    "planspec.transformer": "PlanTransformer",
    "planspec.tree": "available_outputs find_step next_pending_step step_order",
    "planspec.upcoming": "Todo",
    "planspec.validation": "validate_plan",
    "planspec.views": "StepView Supply Use focus_view next_step_view",
    "pytest_plugin.asserting": "PlanAssertion StepAssertion assert_plan",
    "pytest_plugin.normalizing": "plan_without",
    "pytest_plugin.taking": "UnreadablePlanError",
    "source": "Source Span one_line",
    "store.folder": "PlanFolder",
    "store.models": "PlanEntry StoreError StoreReason",
    "store.skeleton": "make_skeleton",
    "tokens": "estimate_tokens",
    "toolplan.callables": "load_entry_point_atoms",
    "toolplan.checking": "check_tool_plan",
    "toolplan.drawing": "draw_toolplan",
    "toolplan.interchange": (
        "AtomsError ToolPlanError registry_from_value registry_to_value tool_plan_from_dict tool_plan_to_dict"
    ),
    "toolplan.models": "Atom AtomInput AtomOutput Registry ToolPlan ToolStep",
    "toolplan.reading": "load_atoms load_plan_doc",
    "toolplan.running": "arun_toolplan run_toolplan",
    "toolplan.runs": "RunEvent RunEventKind StepResult StepStatus ToolRun ToolRunError",
    "toolplan.skeleton": "plan_to_toolplan_skeleton",
    "toolplan.validation": "validate_plan_doc",
    "toolplan.view": "toolplan_to_plan",
}
_HOME = {name: f"planspec_lark.{home}" for home, names in _HOMES.items() for name in names.split()}

__version__ = "0.1.0"
__all__ = [  # noqa: RUF022  (in plain order, so that everybody finds everything)
    "Answer",
    "Asked",
    "AsyncReplyStream",
    "Atom",
    "AtomInput",
    "AtomOutput",
    "AtomsError",
    "Block",
    "Budget",
    "BulkError",
    "BulkOptions",
    "BulkProgress",
    "BulkReport",
    "BulkTask",
    "CODES",
    "ChangeKind",
    "CommandError",
    "CommandScan",
    "Context",
    "ContextError",
    "Core4",
    "DataFlow",
    "Decision",
    "Diagnostic",
    "DoneItem",
    "DoneStatus",
    "DraftedPlan",
    "Edited",
    "EditedError",
    "Effort",
    "EngineLimits",
    "Event",
    "EventKind",
    "ExecutionScan",
    "Executor",
    "ExecutorCall",
    "Executors",
    "ExecutorsError",
    "Extraction",
    "FieldChange",
    "Fix",
    "HopStatus",
    "InputSource",
    "JsonText",
    "Judge",
    "Lease",
    "LeasedPlan",
    "Ledger",
    "LedgerError",
    "Limits",
    "Link",
    "LlmError",
    "MemoryLedger",
    "MergeConflict",
    "MergeResult",
    "MessageError",
    "MessageScan",
    "Meter",
    "NewBlock",
    "OpenAIChat",
    "OperatorResult",
    "Origin",
    "Outcome",
    "Phase",
    "Places",
    "PlanAssertion",
    "PlanBusyError",
    "PlanCommand",
    "PlanDiff",
    "PlanDocument",
    "PlanEntry",
    "PlanEvent",
    "PlanEventKind",
    "PlanFile",
    "PlanFileError",
    "PlanFolder",
    "PlanNext",
    "PlanReturn",
    "PlanRunError",
    "PlanSpec",
    "PlanStatus",
    "PlanStep",
    "PlanStream",
    "PlanSyntaxError",
    "PlanTransformer",
    "PlanType",
    "PlanValueError",
    "Planned",
    "PlanningCall",
    "Program",
    "ProgramError",
    "Provisional",
    "Purpose",
    "Question",
    "Reflection",
    "ReflectionCall",
    "Refusal",
    "Registry",
    "Repair",
    "Reply",
    "ReplyStream",
    "Request",
    "ResultSection",
    "ResultSections",
    "Risk",
    "RunEvent",
    "RunEventKind",
    "RunPhase",
    "RunResult",
    "Runtime",
    "ScanResult",
    "Sent",
    "Severity",
    "Shard",
    "ShardReport",
    "Source",
    "Span",
    "Spliced",
    "SqliteLedger",
    "StateError",
    "StepAssertion",
    "StepCall",
    "StepChange",
    "StepInfo",
    "StepPlaces",
    "StepResult",
    "StepStatus",
    "StepView",
    "StoreError",
    "StoreReason",
    "StreamEnd",
    "Supply",
    "ThinkEngine",
    "ThinkEvent",
    "Todo",
    "ToolPlan",
    "ToolPlanError",
    "ToolRun",
    "ToolRunError",
    "ToolStep",
    "UnreadablePlanError",
    "Unusable",
    "Usage",
    "Use",
    "Words",
    "WordsError",
    "analyze_shard",
    "apply_command",
    "apply_commands",
    "arun_toolplan",
    "ask",
    "ask_async",
    "assert_plan",
    "available_outputs",
    "build_answer_repair_prompt",
    "build_execution_prompt",
    "build_executor_prompt",
    "build_generation_prompt",
    "build_planner_prompt",
    "build_reflection_prompt",
    "build_repair_prompt",
    "build_replan_prompt",
    "chat_executor",
    "chat_model",
    "chat_planner",
    "check_message",
    "check_text",
    "check_tool_plan",
    "collapse_step",
    "context_from_json",
    "context_to_json",
    "context_to_plan",
    "create_state",
    "decode",
    "default_words",
    "diff_plans",
    "diff_to_dict",
    "draft_plan",
    "draw_plan",
    "draw_toolplan",
    "estimate_tokens",
    "expand_step",
    "export_grammar",
    "extract_plan",
    "find_data_flow",
    "find_step",
    "focus_view",
    "iter_steps",
    "lint_plan",
    "load_atoms",
    "load_entry_point_atoms",
    "load_executors",
    "load_plan_doc",
    "load_words",
    "make_skeleton",
    "merge_plans",
    "merge_texts",
    "message_to_json",
    "model_operator",
    "model_planner",
    "model_reflector",
    "next_pending_step",
    "next_step_view",
    "one_line",
    "parse_message",
    "parse_plan",
    "parse_plan_commands",
    "parse_tree",
    "plan_from_dict",
    "plan_from_json",
    "plan_json_schema",
    "plan_to_dict",
    "plan_to_json",
    "plan_to_steps",
    "plan_to_toolplan_skeleton",
    "plan_without",
    "preview",
    "preview_resumed",
    "program_executor",
    "program_model",
    "program_planner",
    "read_execution",
    "read_json",
    "read_reflection",
    "read_replan",
    "read_result",
    "read_state",
    "read_words",
    "registry_from_value",
    "registry_to_value",
    "render",
    "render_all",
    "render_page",
    "repair_prompt",
    "replace_children",
    "request_execution",
    "request_generation",
    "request_reflection",
    "request_replan",
    "run_bulk",
    "run_on_dask",
    "run_toolplan",
    "scan_json",
    "scan_message",
    "scan_plan",
    "scan_plan_commands",
    "serialize_commands",
    "serialize_plan",
    "splice",
    "start_context",
    "step_order",
    "steps_to_plan",
    "tool_plan_from_dict",
    "tool_plan_to_dict",
    "toolplan_to_plan",
    "validate_plan",
    "validate_plan_doc",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
