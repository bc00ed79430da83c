"""`planspec planner start`, `step` and `run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import click

from planspec_lark.cli.output import FINDINGS, Unusable, complain
from planspec_lark.cli.planner_events import ASKED, write_event
from planspec_lark.cli.planner_files import (
    judge_options,
    language_option,
    make_judge,
    read_strategy,
    state_errors,
    state_option,
    strategy_option,
)
from planspec_lark.cli.stopping import stoppable
from planspec_lark.cli.waiting import timeout_option
from planspec_lark.llm.models import LlmError
from planspec_lark.llm.planners import Sent, program_executor, program_planner
from planspec_lark.llm.program import Program
from planspec_lark.plan_next.context import DEFAULT_DEPTH, Context, start_context
from planspec_lark.plan_next.kernel import create_state
from planspec_lark.plan_next.models import Core4
from planspec_lark.plan_next.runtime import Event, EventKind, Runtime
from planspec_lark.syntax.source import visible_name

__all__ = ["run", "start", "step"]

# Not ended yet, although nothing is wrong.
_UNFINISHED = 3
_GO_ON = "The plan is kept where it stands; the same command goes on from there."


@click.command("start")
@click.argument("goal", metavar="GOAL")
@state_option
@click.option("--deliverable", metavar="TEXT", help="What is to be there in the end; makes the goal a Core4.")
@click.option("--metric", metavar="TEXT", help="How good it has to be; makes the goal a Core4.")
@click.option("--constraint", metavar="TEXT", help="Within which bounds; makes the goal a Core4.")
@click.option(
    "--item", "items", multiple=True, metavar="TEXT", help="An item of the plan; by default the goal is the one."
)
@click.option(
    "--max-depth",
    default=DEFAULT_DEPTH,
    show_default=True,
    metavar="N",
    help="Blocks from this depth on are not planned.",
)
@click.option("--overwrite", is_flag=True, help="Give up a plan that has not ended.")
def start(goal: str, state: str, items: tuple[str, ...], max_depth: int, overwrite: bool, **sides: str | None) -> None:
    """Begin a plan for a goal."""
    given: Any = {name: text or "" for name, text in sides.items()}
    try:
        context = start_context(
            Core4(goal, **given) if any(given.values()) else goal, items or None, max_depth=max_depth
        )
        with state_errors():
            create_state(state, context, overwrite=overwrite)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(f"{visible_name(state)}: a plan has begun; `planspec planner run` takes it on")


def _running_options(command: Any) -> Any:
    options = (
        state_option,
        click.option(
            "--planner",
            "planner_command",
            required=True,
            metavar="CMD",
            help="A program that writes plan-next messages.",
        ),
        click.option(
            "--executor",
            "executor_command",
            required=True,
            metavar="CMD",
            help="A program that writes plan-return messages.",
        ),
        click.option(
            "--send",
            type=click.Choice([sent.value for sent in Sent]),
            default=Sent.CONTEXT.value,
            show_default=True,
            help="What the planner gets: the context as JSON, or the prompt for a language model.",
        ),
        click.option(
            "--send-executor",
            "sent_to_executor",
            type=click.Choice([sent.value for sent in Sent]),
            default=Sent.CONTEXT.value,
            show_default=True,
            help="What the executor gets, likewise.",
        ),
        strategy_option,
        language_option,
        timeout_option("a program"),
        click.option(
            "--max-refusals",
            type=click.IntRange(min=0),
            default=2,
            show_default=True,
            metavar="N",
            help="Refuse so many answers for a block before it counts as failed.",
        ),
        click.option(
            "--max-failures",
            type=click.IntRange(min=1),
            default=3,
            show_default=True,
            metavar="N",
            help="Let so many attempts in a row fail before the block around them has failed.",
        ),
        judge_options,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("step")
@_running_options
def step(**options: Any) -> None:
    """Open one block, or close one.

    The programs get the context on standard input and write a message to standard output. Exits as run does: with 3
    while the plan has not ended.
    """
    _leave(_run(1, **options))


@click.command("run")
@_running_options
@click.option(
    "--max-turns",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Stop after so many blocks opened or closed.",
)
def run(max_turns: int, **options: Any) -> None:
    """Open and close blocks until the plan has ended.

    The programs get the context on standard input and write a message to standard output. A plan that was interrupted
    goes on where it was. Exits with 0 where the goal was reached, 1 where the plan has failed, 2 where a program or the
    state cannot be used, and 3 where it stopped at --max-turns.
    """
    context = _run(max_turns, **options)
    if context.outcome is None:
        complain(f"Stopped after {max_turns} {'turn' if max_turns == 1 else 'turns'}. {_GO_ON}")
    _leave(context)


def _leave(context: Context) -> NoReturn:
    if context.outcome is None:
        raise click.exceptions.Exit(_UNFINISHED)
    raise click.exceptions.Exit(FINDINGS if context.outcome.failed else 0)


def _run(max_turns: int, *, state: str, **options: Any) -> Context:
    judge = make_judge(state, **{name: options[name] for name in ("executors_file", "words_file", "tolerant")})
    planner, executor = (_program(options, name) for name in ("planner", "executor"))
    latest: dict[EventKind, Event] = {}

    def tell(event: Event) -> None:
        latest[event.kind] = event
        write_event(event)

    runtime = Runtime(
        Path(state),
        program_planner(
            planner,
            judge.executors,
            sent=Sent(options["send"]),
            strategy=read_strategy(options["strategy_file"]),
            language=options["language"],
        ),
        program_executor(
            executor, judge.executors, sent=Sent(options["sent_to_executor"]), language=options["language"]
        ),
        judge=judge,
        max_refusals=options["max_refusals"],
        max_failures=options["max_failures"],
        on_event=tell,
    )
    try:
        with stoppable(f"Stopped. {_GO_ON}"), state_errors():
            context = runtime.run(max_turns=max_turns)
    except LlmError as error:
        raise Unusable(f"{ASKED[latest[EventKind.ASKED].context.phase]}: {error}\n{_GO_ON}") from None
    if not latest:
        complain(f"{visible_name(state)}: this plan has ended already")
    return context


def _program(options: dict[str, Any], name: str) -> Program:
    try:
        return Program.from_text(options[f"{name}_command"], timeout=options["timeout"])
    except LlmError as error:
        raise click.UsageError(f"--{name}: {error}") from None
    except ValueError as error:
        # All that is left to be wrong is the time.
        raise click.UsageError(f"--{error}") from None
