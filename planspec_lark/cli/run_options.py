"""The options of `planspec run`: what they are, what they stand for, and the call that goes on with a run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from planspec_lark.cli.output import Unusable, check_inputs, label, read_text, write_diagnostics
from planspec_lark.cli.waiting import SECONDS, timeout_option
from planspec_lark.engine.models import Budget, EngineLimits
from planspec_lark.engine.requests import Request
from planspec_lark.engine.resuming import Edited
from planspec_lark.json_text.parser import read_json
from planspec_lark.llm.agents import Model, chat_model, program_model
from planspec_lark.llm.models import LlmError
from planspec_lark.llm.openai_chat import OpenAIChat
from planspec_lark.llm.program import Program
from planspec_lark.llm.transport import load
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.prompt_templates import LANGUAGES
from planspec_lark.syntax.source import visible_name

__all__ = [
    "Asked",
    "budget_of",
    "edited_of",
    "go_on_line",
    "limits_of",
    "models_of",
    "read_inputs",
    "run_options",
]

_ROLES = ("operator", "reflector", "planner")
_LIMITS = EngineLimits()
# Values for a run: some of them may be whole documents.
_INPUTS = Limits(max_bytes=20_000_000, max_depth=64, max_findings=100)
# What is said once: a run that goes on must not begin anew, and edits made later have to be asked about again.
_ONCE = ("resume", "new_run", "rerun_edited", "keep", "dry_run")


def run_options(command: Any) -> Any:
    """Give a command all options of a run."""
    said = {
        "operator": "A program that does the steps.",
        "reflector": "A program that says what becomes of a step that has not gone well.",
        "planner": "A program that changes the plan after a round, and writes steps.",
    }
    options: list[Callable[[Any], Any]] = [
        *(click.option(f"--{role}", f"{role}_command", metavar="CMD", help=said[role]) for role in _ROLES),
        click.option("--llm", metavar="MODEL", help="A language model for every part that has no program."),
        click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of prompts."),
        click.option("--resume", is_flag=True, help="Go on with the last run."),
        click.option("--new-run", is_flag=True, help="Begin a new run although there is one; what is done stays done."),
        click.option("--rerun-edited", is_flag=True, help="Do finished steps again whose text was edited."),
        click.option("--keep", is_flag=True, help="Count finished steps as done although their text was edited."),
        click.option("--input", "inputs", multiple=True, metavar="NAME=TEXT", help="A value that steps can use."),
        click.option("--inputs", "inputs_file", metavar="FILE", help="Values that steps can use, as a JSON object."),
        click.option("--require", "required", multiple=True, metavar="NAME", help="An output that has to be there."),
        _count("--max-rounds", _LIMITS.max_rounds, "Go through the plan at most so many times.", 1),
        _count("--max-retries", _LIMITS.max_retries, "Retry a step at most so many times.", 0),
        _count("--max-steps", None, "Stop after so many steps.", 1),
        _count("--max-calls", None, "Stop after so many calls of programs and models.", 1),
        _count("--max-tokens", None, "Stop after so many tokens, where they are counted.", 1),
        click.option("--max-seconds", type=SECONDS, metavar="N", help="Stop after so many seconds."),
        timeout_option("a program or a model"),
        click.option("--no-interact", is_flag=True, help="Ask nobody, even on a terminal."),
        click.option("--dry-run", is_flag=True, help="Only write which steps would be done, and with what."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _count(name: str, default: int | None, help: str, least: int) -> Callable[[Any], Any]:
    kind = click.IntRange(min=least)
    return click.option(name, type=kind, default=default, show_default=default is not None, metavar="N", help=help)


def read_inputs(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a run is given; those of single options count for more than the file's."""
    file: str | None = options["inputs_file"]
    inputs: dict[str, Any] = {}
    if file is not None:
        check_inputs(file)
        try:
            text = read_text(file, _INPUTS.max_bytes)
        except PlanSyntaxError as error:
            write_diagnostics(error.diagnostics, to_stderr=True)
            raise Unusable(f"{visible_name(label(file))}: --inputs takes a JSON object") from None
        read = read_json(text, name=label(file), limits=_INPUTS)
        if read.diagnostics:
            write_diagnostics(read.diagnostics, to_stderr=True)
            raise Unusable(f"{visible_name(label(file))}: --inputs takes a JSON object")
        inputs |= read.value
    for pair in options["inputs"]:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--input: expected NAME=TEXT, not {visible_name(pair)!r}")
        inputs[name] = text
    return inputs


# ---------------------------------------------------------------- who is asked

Asked: TypeAlias = "list[str]"


def models_of(options: Mapping[str, Any], asked: Asked) -> dict[str, Model]:
    """Who does what. The one item of ``asked`` is always who was asked last."""
    models: dict[str, Model] = {}
    if options["llm"]:
        try:
            # Without the package nobody could be asked, and a run would have begun.
            load()
            chat = OpenAIChat(options["llm"], timeout=options["timeout"])
        except (LlmError, ValueError) as error:
            raise click.UsageError(f"--llm: {error}") from None
        models = dict.fromkeys(_ROLES, chat_model(chat.complete))
    for role in _ROLES:
        if (text := options[f"{role}_command"]) is not None:
            try:
                models[role] = program_model(Program.from_text(text, timeout=options["timeout"]))
            except (LlmError, ValueError) as error:
                raise click.UsageError(f"--{role}: {error}") from None
    if "operator" not in models:
        raise click.UsageError("Nobody does the steps: give --operator CMD or --llm MODEL.")
    return {role: partial(_ask, role, model, asked) for role, model in models.items()}


def _ask(role: str, model: Model, asked: Asked, request: Request) -> Any:
    asked[:] = [role]
    return model(request)


# ---------------------------------------------------------------- bounds


def limits_of(options: Mapping[str, Any]) -> EngineLimits:
    """What keeps the run from going on for ever."""
    return EngineLimits(max_rounds=options["max_rounds"], max_retries=options["max_retries"])


def budget_of(options: Mapping[str, Any]) -> Budget:
    """What this call may spend."""
    try:
        return Budget(options["max_steps"], options["max_seconds"], options["max_calls"], options["max_tokens"])
    except ValueError as error:
        # All that is left to be wrong is a time that is no number.
        raise click.UsageError(f"--max-{error}") from None


def edited_of(options: Mapping[str, Any]) -> Edited:
    """What becomes of finished steps that were edited."""
    if options["rerun_edited"] and options["keep"]:
        raise click.UsageError("--rerun-edited and --keep exclude each other.")
    return Edited.RERUN if options["rerun_edited"] else Edited.KEEP if options["keep"] else Edited.ASK


# ---------------------------------------------------------------- going on


def go_on_line(context: click.Context) -> str:
    """The call that goes on with the run of this one, for a shell."""
    words = ["planspec", "run"]
    # What a run was given at its beginning its ledger has.
    left_out = _ONCE if context.params["resume"] else (*_ONCE, "inputs", "inputs_file")
    for param in context.command.params:
        name = param.name or ""
        if name in left_out or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        # What is no parameter of the function is kept beside them.
        value = context.params[name] if name in context.params else context.meta[name]
        if isinstance(param, click.Argument):
            # Whatever begins with a dash would be an option.
            words.append(f"./{value}" if value.startswith("-") else value)
        elif isinstance(param, click.Option) and param.is_flag:
            words.append(param.opts[0])
        else:
            values = value if param.multiple else (value,)
            words += [word for one in values for word in (param.opts[0], _spell(one))]
    return f"  {shlex.join([*words, '--resume'])}"


def _spell(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
