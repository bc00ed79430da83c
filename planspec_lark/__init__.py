"""PlanSpec: plans that language models write and programs can trust.

From a model's answer to a finished run:

    from planspec_lark import OperatorResult, draft_plan, run_plan

    path = Path("bakery.md")
    if not path.exists():    # what is done is marked there, so it is written once
        drafted = draft_plan(ask, "Open the bakery at six")    # ask: your function from a prompt to an answer
        path.write_text(drafted.text)    # if drafted.is_usable
    run_plan(path, lambda call: OperatorResult("OK", "done"))

The language itself, its commands, diagnostics, documents, plans out of answers, and the first call of what runs them.
Everything else comes from its package: ``planspec``, ``plan_cmd``, ``hopspec``, ``toolplan`` and ``plan_next`` are the
languages, ``answers`` reads models, ``document``, ``diff`` and ``exchange`` change plans, ``engine``, ``planner`` and
``tool_runner`` run them, ``llm`` has models. Names are loaded when they are first used, so that importing costs little
and compiles no grammar.

PYTEST_DONT_REWRITE: the pytest plugin is a part of this package, and pytest would warn wherever it is imported first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import LATE, attach

LATE["pydantic"] = "planspec_lark.frameworks.pydantic"
__version__ = "0.1.0"

if TYPE_CHECKING:
    from planspec_lark.answers.extract import (
        Extraction as Extraction,
        extract_plan as extract_plan,
        scan_plan as scan_plan,
    )
    from planspec_lark.answers.rounds import repair_plan as repair_plan
    from planspec_lark.answers.stream import PlanStream as PlanStream
    from planspec_lark.diff.compare import diff_plans as diff_plans
    from planspec_lark.diff.merge import merge_plans as merge_plans
    from planspec_lark.document.document import PlanDocument as PlanDocument
    from planspec_lark.document.file import PlanFile as PlanFile, PlanFileError as PlanFileError
    from planspec_lark.engine.models import OperatorResult as OperatorResult
    from planspec_lark.engine.requests import plan_prompt as plan_prompt
    from planspec_lark.engine.think import run_plan as run_plan
    from planspec_lark.llm.draft import draft_plan as draft_plan
    from planspec_lark.plan_cmd.apply import apply_command as apply_command, apply_commands as apply_commands
    from planspec_lark.plan_cmd.models import PlanCommand as PlanCommand
    from planspec_lark.plan_cmd.parser import parse_plan_commands as parse_plan_commands
    from planspec_lark.plan_cmd.printer import serialize_commands as serialize_commands
    from planspec_lark.plan_cmd.recovery import scan_plan_commands as scan_plan_commands
    from planspec_lark.planspec.agenda import next_step as next_step
    from planspec_lark.planspec.check import check_text as check_text
    from planspec_lark.planspec.fixer import fix_text as fix_text
    from planspec_lark.planspec.fold import (
        collapse_step as collapse_step,
        expand_step as expand_step,
        replace_children as replace_children,
    )
    from planspec_lark.planspec.interchange import (
        PlanValueError as PlanValueError,
        plan_from_json as plan_from_json,
        plan_json_schema as plan_json_schema,
        plan_to_json as plan_to_json,
    )
    from planspec_lark.planspec.lint import lint_plan as lint_plan
    from planspec_lark.planspec.models import (
        PlanSpec as PlanSpec,
        PlanStatus as PlanStatus,
        PlanStep as PlanStep,
        iter_steps as iter_steps,
    )
    from planspec_lark.planspec.parser import parse_plan as parse_plan
    from planspec_lark.planspec.printer import serialize_plan as serialize_plan
    from planspec_lark.planspec.rules import validate_plan as validate_plan
    from planspec_lark.planspec.tree import (
        available_outputs as available_outputs,
        find_step as find_step,
        next_pending_step as next_pending_step,
        step_order as step_order,
    )
    from planspec_lark.syntax.diagnostics import (
        CommandError as CommandError,
        Diagnostic as Diagnostic,
        PlanSpecError as PlanSpecError,
        PlanSyntaxError as PlanSyntaxError,
        Severity as Severity,
        render as render,
        render_all as render_all,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "answers.extract": "Extraction extract_plan scan_plan",
            "answers.rounds": "repair_plan",
            "answers.stream": "PlanStream",
            "diff.compare": "diff_plans",
            "diff.merge": "merge_plans",
            "document.document": "PlanDocument",
            "document.file": "PlanFile PlanFileError",
            "engine.models": "OperatorResult",
            "engine.requests": "plan_prompt",
            "engine.think": "run_plan",
            "llm.draft": "draft_plan",
            "plan_cmd.apply": "apply_command apply_commands",
            "plan_cmd.models": "PlanCommand",
            "plan_cmd.parser": "parse_plan_commands",
            "plan_cmd.printer": "serialize_commands",
            "plan_cmd.recovery": "scan_plan_commands",
            "planspec.agenda": "next_step",
            "planspec.check": "check_text",
            "planspec.fixer": "fix_text",
            "planspec.fold": "collapse_step expand_step replace_children",
            "planspec.interchange": "PlanValueError plan_from_json plan_json_schema plan_to_json",
            "planspec.lint": "lint_plan",
            "planspec.models": "PlanSpec PlanStatus PlanStep iter_steps",
            "planspec.parser": "parse_plan",
            "planspec.printer": "serialize_plan",
            "planspec.rules": "validate_plan",
            "planspec.tree": "available_outputs find_step next_pending_step step_order",
            "syntax.diagnostics": "CommandError Diagnostic PlanSpecError PlanSyntaxError Severity render render_all",
        },
    )
