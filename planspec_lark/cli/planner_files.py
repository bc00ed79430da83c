"""What the commands of `planspec planner` have in common: their options, and the files that these name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

from planspec_lark.cli.arguments import flag, language_option, options
from planspec_lark.cli.ledgers import LedgerArguments, LedgerPlace, database_options
from planspec_lark.cli.output import (
    UNREADABLE,
    fail_on,
    read_as,
    read_text,
    stop_on_faults,
)
from planspec_lark.plan_next import Context, Judge, context_from_json
from planspec_lark.plan_next.context import CONTEXT_LIMITS
from planspec_lark.plan_next.executors import EXECUTORS_FILE, EXECUTORS_LIMITS, read_executors
from planspec_lark.plan_next.prompts import STRATEGY_LIMITS
from planspec_lark.planner import read_state
from planspec_lark.syntax import PlanSyntaxError

__all__ = [
    "context_option",
    "judge_options",
    "make_judge",
    "prompt_language_option",
    "read_context",
    "read_strategy",
    "state_ledger",
    "state_options",
    "strategy_option",
]


def _folder(_context: click.Context, _option: click.Parameter, value: str) -> str:
    # Mostly a variable of a shell that is not set: the current folder is not what is meant.
    if not value:
        raise click.UsageError("--state: an empty name is not a folder's")
    return value


# Which plan it is: the folder, and where its ledger is.
state_options = options(
    click.option(
        "--state",
        default=".thinkon",
        metavar="DIR",
        callback=_folder,
        help="The folder that keeps the state of the plan, with its ledger.",
    ),
    database_options,
)
context_option = click.option(
    "--context",
    "context_file",
    metavar="FILE",
    help="Read the state of the plan from this file, as JSON, instead of --state.",
)
prompt_language_option = language_option("The language of the prompts.")
strategy_option = click.option(
    "--strategy", "strategy_file", metavar="FILE", help="A text for the planner on how to plan here."
)
judge_options = options(
    click.option("--executors", "executors_file", metavar="FILE", help="The tools that an executor has, as YAML."),
    flag("--tolerant", help="Take messages out of prose and code fences, and repair them."),
)


def make_judge(state: str | None = None, *, executors_file: str | None, tolerant: bool) -> Judge:
    """What messages are held to. Without a file of executors, the one in the state folder counts if it is there."""
    if executors_file is None and state is not None:
        usual = os.path.join(state, EXECUTORS_FILE)
        executors_file = usual if os.path.lexists(usual) else None
    executors = None
    if executors_file is not None:
        executors = read_as(executors_file, read_executors, "these are not executors", UNREADABLE, EXECUTORS_LIMITS)
    return Judge(executors=executors, tolerant=tolerant)


def read_strategy(file: str | None) -> str | None:
    """The strategy in a file; leaves with what is wrong with that."""
    if file is None:
        return None
    with stop_on_faults(file, "this is not a strategy", UNREADABLE):
        return read_text(file, STRATEGY_LIMITS)


@contextmanager
def state_ledger(state: str, *, read_only: bool = False) -> Iterator[LedgerArguments]:
    """The ledger of a state folder, and the run in it; leaves with the faults of what they hold."""
    try:
        with LedgerPlace.of(state).held(read_only=read_only) as held:
            yield held
    except PlanSyntaxError as error:
        fail_on(error.source.name, "this is not a context", UNREADABLE, error.diagnostics)


def read_context(file: str | None, state: str) -> Context:
    """The context in a file, or else in the state folder; leaves with its faults."""
    if file:
        return read_as(file, context_from_json, "this is not a context", UNREADABLE, CONTEXT_LIMITS)
    with state_ledger(state, read_only=True) as held:
        return read_state(state, **held)
