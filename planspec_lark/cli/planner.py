"""`planspec planner`: all but what runs a plan, which is in :mod:`planspec_lark.cli.planner_run`."""

from __future__ import annotations

from typing import Any

import click

from planspec_lark.cli import planner_run
from planspec_lark.cli.arguments import flag
from planspec_lark.cli.check import check_files, report_options
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Unreadable,
    check_inputs,
    label,
    leave,
    read_text,
    stop_on_faults,
    write_text,
)
from planspec_lark.cli.planner_files import (
    context_option,
    judge_options,
    make_judge,
    prompt_language_option,
    read_context,
    read_strategy,
    state_options,
    strategy_option,
)
from planspec_lark.cli.plans import tree_options, write_tree
from planspec_lark.json_text.parser import JSON_LIMITS
from planspec_lark.plan_next import (
    Phase,
    build_executor_prompt,
    build_planner_prompt,
    build_repair_prompt,
    context_to_plan,
)
from planspec_lark.syntax import Diagnostic
from planspec_lark.syntax.grammars import schema_path


@click.group("planner")
def planner_command() -> None:
    """Check a planner's messages, and run its plans.

    Any programs can take part. `start` begins a plan, `run` takes it on, and `show` says where it stands.
    """


for _each in (planner_run.start, planner_run.step, planner_run.run):
    planner_command.add_command(_each)


@planner_command.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--phase",
    type=click.Choice([phase.value for phase in Phase]),
    help="What takes the message: by default what the context waits for, or planning.",
)
@click.option("--context", "context_file", metavar="FILE", help="Check as well what depends on where the plan stands.")
@judge_options
@report_options()
def check(  # noqa: PLR0913, PLR0917  (the options)
    files: tuple[str, ...],
    phase: str | None,
    context_file: str | None,
    form: str,
    strict: bool,
    info: bool,
    **held_to: Any,
) -> None:
    """Check messages: JSON, structure, and all rules.

    Exits with 0 where nothing is wrong, 1 where something is, and 2 where a file cannot be read.
    """
    check_inputs(*files, context_file, held_to["executors_file"], held_to["words_file"])
    judge = make_judge(**held_to)
    context = read_context(context_file, "") if context_file is not None else None
    taken = Phase(phase) if phase else context.phase if context else Phase.PLANNING

    def check_file(file: str) -> list[Diagnostic]:
        return judge.judge(read_text(file, JSON_LIMITS), taken, context, name=label(file))[1]

    check_files(check_file, files, form, strict=strict, info=info)


@planner_command.command("prompt")
@state_options
@context_option
@judge_options
@strategy_option
@prompt_language_option
@click.option("--answer", metavar="FILE", help="An answer to that prompt: write what asks for a better one.")
def prompt(  # noqa: PLR0913, PLR0917  (the options)
    state: str,
    database: str | None,
    name: str | None,
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
    context = read_context(context_file, state, database, name)
    if context.outcome is not None:
        raise Unreadable(label(context_file or state), "this plan has ended, and waits for no message")
    if answer is not None:
        with stop_on_faults(answer, "this is no answer", UNREADABLE):
            text = read_text(answer, JSON_LIMITS)
        message, found = judge.judge(text, context.phase, context, name=label(answer))
        if message is None:
            write_text(build_repair_prompt(found, answer=text, language=language))
            leave(FINDINGS)
    elif context.phase is Phase.EXECUTION:
        write_text(build_executor_prompt(context, language=language))
    else:
        write_text(build_planner_prompt(context, judge.executors, strategy=strategy, language=language))


@planner_command.command("schema")
@flag("--strict", help="Write the schema that has the rules in it that a schema can say.")
def schema(strict: bool) -> None:
    """Write the JSON Schema of a planner's message.

    It is the protocol's own. What more is asked of a message is rules, which `planspec planner check` knows.
    """
    write_text(schema_path("plan_next_strict" if strict else "plan_next").read_text(encoding="utf-8"))


@planner_command.command("show")
@state_options
@context_option
@tree_options
def show(state: str, database: str | None, name: str | None, context_file: str | None, **how: Any) -> None:
    """Show what is done, what is at hand, and what is still to do."""
    write_tree(context_to_plan(read_context(context_file, state, database, name)), **how)
