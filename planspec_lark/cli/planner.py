"""`planspec planner`: all but what runs a plan, which is in :mod:`planspec_lark.cli.planner_run`."""

from __future__ import annotations

from typing import Any

import click

from planspec_lark.cli import planner_run
from planspec_lark.cli.arguments import flag
from planspec_lark.cli.check import check_files, report_options
from planspec_lark.cli.help import Choice, Group
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    UnreadableFileError,
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

_STATE = {"--state DIR": "The state folder to read, unless --context names a file."}


@click.group(
    "planner",
    cls=Group,
    sections={"Run": ["start", "run", "show"], "Messages": ["check", "prompt", "schema"]},
    examples=[
        "planspec planner start 'Open the bakery at six'",
        "planspec planner run --planner './plan.sh' --executor './work.sh'",
        "planspec planner show",
    ],
)
def planner_command() -> None:
    """Plan step by step: a planner and an executor in turns.

    The planner says which work comes next, the executor does it, and the state folder keeps where the plan stands. Both
    are programs that exchange JSON.
    """


for _each in (planner_run.start, planner_run.run):
    planner_command.add_command(_each)


@planner_command.command(
    "check",
    examples=[
        "planspec planner check message.json",
        "planspec planner check --phase execution --tolerant answer.txt",
    ],
    files={
        "FILE": "The messages to read: files, or - for standard input.",
        "standard output": "The findings in the chosen format.",
    },
    exits={
        0: "No errors (with --strict: no warnings either).",
        1: "There are errors.",
        2: "A file cannot be read, or the arguments are wrong.",
    },
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--phase",
    type=Choice([phase.value for phase in Phase]),
    show_default="that of --context, or else planning",
    help="planning: messages of a planner. execution: messages of an executor.",
)
@click.option(
    "--context",
    "context_file",
    metavar="FILE",
    help="Check also what depends on the state of the plan, which FILE holds.",
)
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
    """Check messages: JSON, structure, and all rules."""
    check_inputs(*files, context_file, held_to["executors_file"])
    judge = make_judge(**held_to)
    context = read_context(context_file, "") if context_file is not None else None
    taken = Phase(phase) if phase else context.phase if context else Phase.PLANNING

    def check_file(file: str) -> list[Diagnostic]:
        return judge.judge(read_text(file, JSON_LIMITS), taken, context, name=label(file))[1]

    check_files(check_file, files, form, strict=strict, info=info)


@planner_command.command(
    "prompt",
    examples=["planspec planner prompt", "planspec planner prompt --answer answer.txt"],
    files={**_STATE, "standard output": "The prompt."},
    exits={
        0: "The prompt was written; with --answer, the answer has no errors.",
        1: "With --answer: it has errors, and what asks for a better one was written.",
        2: "The plan has ended, a file cannot be read, or the arguments are wrong.",
    },
)
@state_options
@context_option
@judge_options
@strategy_option
@prompt_language_option
@click.option("--answer", metavar="FILE", help="Check this answer, and write what asks for a better one.")
def prompt(
    state: str,
    context_file: str | None,
    strategy_file: str | None,
    language: str,
    answer: str | None,
    **held_to: Any,
) -> None:
    """Write the prompt for the next message.

    It is for the planner or for the executor, whichever the plan waits for.
    """
    check_inputs(context_file, answer, strategy_file, held_to["executors_file"])
    # The tools in the state folder belong to the plan that is there.
    judge = make_judge(None if context_file else state, **held_to)
    strategy = read_strategy(strategy_file)
    context = read_context(context_file, state)
    if context.outcome is not None:
        raise UnreadableFileError(label(context_file or state), "this plan has ended, and waits for no message")
    if answer is not None:
        with stop_on_faults(answer, "this is not an answer", UNREADABLE):
            text = read_text(answer, JSON_LIMITS)
        message, found = judge.judge(text, context.phase, context)
        if message is None:
            write_text(build_repair_prompt(found, answer=text, language=language))
            leave(FINDINGS)
    elif context.phase is Phase.EXECUTION:
        write_text(build_executor_prompt(context, language=language))
    else:
        write_text(build_planner_prompt(context, judge.executors, strategy=strategy, language=language))


@planner_command.command(
    "schema",
    examples=["planspec planner schema", "planspec planner schema --strict"],
    files={"standard output": "The schema."},
)
@flag("--strict", help="Write a schema that has more of the rules in it.")
def schema(strict: bool) -> None:
    """Write the JSON Schema of a planner's message.

    `planspec planner check` checks more than a schema can say.
    """
    write_text(schema_path("plan_next_strict" if strict else "plan_next").read_text(encoding="utf-8"))


@planner_command.command(
    "show",
    examples=["planspec planner show", "planspec planner show --plan"],
    files={**_STATE, "standard output": "The tree; with --plan, a plan."},
    exits={2: "There is no plan in the state folder, a file cannot be read, or the arguments are wrong."},
)
@state_options
@context_option
@tree_options
def show(state: str, context_file: str | None, **how: Any) -> None:
    """Show where the plan stands, as a tree."""
    write_tree(context_to_plan(read_context(context_file, state)), **how)
