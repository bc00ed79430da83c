"""`planspec planner`: all but what runs a plan, which is in :mod:`planspec_lark.cli.planner_run`."""

from __future__ import annotations

from typing import Any

import click

from planspec_lark.cli import planner_run
from planspec_lark.cli.findings import Outcome, format_option, report
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Unreadable,
    Unusable,
    check_inputs,
    label,
    read_text,
    stop_on_faults,
    write_text,
)
from planspec_lark.cli.planner_files import (
    judge_options,
    language_option,
    load_state,
    make_judge,
    read_context,
    read_strategy,
    state_option,
    strategy_option,
)
from planspec_lark.cli.show import lang_option, write_tree
from planspec_lark.json_text.parser import JSON_LIMITS
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.judging import Judge
from planspec_lark.plan_next.models import Phase
from planspec_lark.plan_next.prompts import build_executor_prompt, build_planner_prompt, build_repair_prompt
from planspec_lark.plan_next.view import context_to_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.grammars import schema_path
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]

_PHASES = click.Choice([phase.value for phase in Phase])
_context_option = click.option(
    "--context", "context_file", metavar="FILE", help="Where the plan stands, instead of the state folder."
)


@click.group("planner")
def command() -> None:
    """Check a planner's messages, and run its plans.

    Any programs can take part. `start` begins a plan, `run` takes it on, and `show` says where it stands.
    """


for _each in (planner_run.start, planner_run.step, planner_run.run):
    command.add_command(_each)


@command.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--phase", type=_PHASES, help="What takes the message: by default what the context waits for, or planning."
)
@click.option("--context", "context_file", metavar="FILE", help="Check as well what depends on where the plan stands.")
@judge_options
@format_option
@click.option("--strict", is_flag=True, help="Let warnings fail the check as well.")
def check(
    files: tuple[str, ...], phase: str | None, context_file: str | None, form: str, strict: bool, **held_to: Any
) -> None:
    """Check messages: JSON, structure, and all rules.

    Exits with 0 where nothing is wrong, 1 where something is, and 2 where a file cannot be read.
    """
    check_inputs(*files, context_file, held_to["executors_file"], held_to["words_file"])
    judge = make_judge(**held_to)
    context = None if context_file is None else read_context(context_file)
    taken = Phase(phase) if phase else context.phase if context else Phase.PLANNING
    outcomes = ((file, _check(file, judge, taken, context, form)) for file in files)
    report(form, outcomes, strict=strict)


def _check(file: str, judge: Judge, phase: Phase, context: Context | None, form: str) -> Outcome | str:
    try:
        text = read_text(file, JSON_LIMITS.max_bytes)
        return Outcome.of(judge.judge(text, phase, context, name=label(file))[1], form)
    except PlanSyntaxError as error:
        return Outcome.of(error.diagnostics, form)
    except Unreadable as error:
        return error.format_message()


@command.command("prompt")
@state_option
@_context_option
@judge_options
@strategy_option
@language_option
@click.option("--answer", metavar="FILE", help="An answer to that prompt: write what asks for a better one.")
def prompt(
    state: str,
    context_file: str | None,
    strategy_file: str | None,
    language: str,
    answer: str | None,
    **held_to: Any,
) -> None:
    """Write the prompt for the next message.

    It is the planner's or the executor's, by what the block at hand waits for. With --answer, write the text that asks
    to repair that answer, and exit with 1; where nothing is wrong with it, write nothing, and exit with 0. Exits with 2
    where the plan has ended, or a file cannot be read.
    """
    check_inputs(context_file, answer, strategy_file, held_to["executors_file"], held_to["words_file"])
    # The tools in the state folder belong to the plan that is there.
    judge = make_judge(None if context_file else state, **held_to)
    strategy = read_strategy(strategy_file)
    context = read_context(context_file) if context_file else load_state(state)
    where = visible_name(label(context_file or state))
    if context.outcome is not None:
        raise Unusable(f"{where}: this plan has ended, and waits for no message")
    if answer is not None:
        _write_repair(answer, judge, context, language)
    elif context.phase is Phase.EXECUTION:
        write_text(build_executor_prompt(context, language=language))
    else:
        write_text(build_planner_prompt(context, judge.executors, strategy=strategy, language=language))


def _write_repair(answer: str, judge: Judge, context: Context, language: str) -> None:
    try:
        text = read_text(answer, JSON_LIMITS.max_bytes)
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(answer))}: this is no answer", UNREADABLE)
    message, found = judge.judge(text, context.phase, context, name=label(answer))
    if message is None:
        write_text(build_repair_prompt(found, answer=text, language=language))
        raise click.exceptions.Exit(FINDINGS)


@command.command("schema")
@click.option("--strict", is_flag=True, help="Write the schema that has the rules in it that a schema can say.")
def schema(strict: bool) -> None:
    """Write the JSON Schema of a planner's message.

    It is the protocol's own. What more is asked of a message is rules, which `planspec planner check` knows.
    """
    write_text(schema_path("plan_next_strict" if strict else "plan_next").read_text(encoding="utf-8"))


@command.command("show")
@state_option
@_context_option
@click.option("--plan", "as_plan", is_flag=True, help="Write a PlanSpec document, for other commands to read.")
@click.option("--full", is_flag=True, help="Hide nothing.")
@lang_option
def show(state: str, context_file: str | None, as_plan: bool, full: bool, language: str | None) -> None:
    """Show what is done, what is at hand, and what is still to do."""
    plan = context_to_plan(read_context(context_file) if context_file else load_state(state))
    if as_plan:
        write_text(serialize_plan(plan))
    else:
        write_tree(plan, full=full, language=language)
