"""What the commands of `planspec planner` have in common: their options, and the files that these name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from planspec_lark.cli.output import UNREADABLE, Unreadable, Unusable, label, read_text, stop_on_faults
from planspec_lark.json_text.yaml_text import MissingYamlError
from planspec_lark.plan_next.context import CONTEXT_LIMITS, Context, ContextError, context_from_json
from planspec_lark.plan_next.executors import EXECUTORS_FILE, EXECUTORS_LIMITS, Executors, read_executors
from planspec_lark.plan_next.judging import Judge
from planspec_lark.plan_next.kernel import StateError, read_state
from planspec_lark.plan_next.prompts import LANGUAGES, STRATEGY_LIMITS
from planspec_lark.plan_next.wording.words import WORDS_LIMITS, Words, WordsError, read_words
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.source import visible_name

__all__ = [
    "judge_options",
    "language_option",
    "load_state",
    "make_judge",
    "read_context",
    "read_strategy",
    "state_errors",
    "state_option",
    "strategy_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def _folder(_context: click.Context, _option: click.Parameter, value: str) -> str:
    # Mostly a variable of a shell that is not set: the current folder is not what is meant.
    if not value:
        raise click.UsageError("--state: an empty name is no folder's")
    return value


state_option = click.option(
    "--state",
    default=".thinkon",
    show_default=True,
    metavar="DIR",
    callback=_folder,
    help="The folder that holds where the plan stands.",
)
language_option = click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="The language of the prompt."
)
strategy_option = click.option(
    "--strategy", "strategy_file", metavar="FILE", help="How to plan here, as text for the planner."
)
_JUDGE_OPTIONS = (
    click.option("--executors", "executors_file", metavar="FILE", help="The tools that there are, as YAML."),
    click.option("--words", "words_file", metavar="FILE", help="Other word lists, as TOML."),
    click.option(
        "--tolerant", is_flag=True, help="Take messages out of prose and code fences, and mend what is plainly meant."
    ),
)


def judge_options(command: Command) -> Command:
    """The options that say what messages are held to; :func:`make_judge` takes them."""
    for option in reversed(_JUDGE_OPTIONS):
        command = option(command)
    return command


def make_judge(
    state: str | None = None, *, executors_file: str | None, words_file: str | None, tolerant: bool
) -> Judge:
    """What messages are held to. Without a file of executors, the one in the state folder counts if it is there."""
    if executors_file is None and state is not None:
        usual = os.path.join(state, EXECUTORS_FILE)
        executors_file = usual if os.path.lexists(usual) else None
    executors = None if executors_file is None else _read_executors(executors_file)
    words = None if words_file is None else _read_words(words_file)
    return Judge(executors=executors, words=words, tolerant=tolerant)


def _read_executors(file: str) -> Executors:
    try:
        return read_executors(read_text(file, EXECUTORS_LIMITS.max_bytes), name=label(file))
    except MissingYamlError as error:
        raise Unusable(str(error)) from None
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: these are no executors", UNREADABLE)


def _read_words(file: str) -> Words:
    try:
        return read_words(read_text(file, WORDS_LIMITS.max_bytes))
    except WordsError as error:
        raise Unreadable(label(file), str(error)) from None
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: these are no word lists", UNREADABLE)


def read_strategy(file: str | None) -> str | None:
    """The strategy in a file; leaves with what is wrong with that."""
    if file is None:
        return None
    try:
        return read_text(file, STRATEGY_LIMITS.max_bytes)
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this is no strategy", UNREADABLE)


def read_context(file: str) -> Context:
    """The context in a file; leaves with its faults."""
    try:
        return context_from_json(read_text(file, CONTEXT_LIMITS.max_bytes), name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this is no context", UNREADABLE)


def load_state(state: str) -> Context:
    """The context in a state folder; leaves with its faults."""
    with state_errors():
        return read_state(state)


@contextmanager
def state_errors() -> Iterator[None]:
    """Leave with what is wrong with a state, if something is."""
    try:
        yield
    except StateError as error:
        raise Unusable(str(error)) from None
    except ContextError as error:
        stop_on_faults(error, f"{visible_name(error.source.name)}: this is no context", UNREADABLE)
