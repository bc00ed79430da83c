"""Arguments and options that commands share: plans by name as well as by file, and what a shell completes.

What completes must be quick and never fail: a key press asks for no message. It offers nothing that a
shell would read as more than a word.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatch
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from planspec_lark import folder, llm, planspec
from planspec_lark.cli.help import Choice
from planspec_lark.cli.output import CliError, note_option, stop_at, wait_seconds
from planspec_lark.document.file import clear_leftovers
from planspec_lark.folder.foreign import is_foreign_file, is_hidden
from planspec_lark.planspec.data_flow import ORDERS
from planspec_lark.syntax import Limits, one_line
from planspec_lark.syntax.safe_text import visible_name

if TYPE_CHECKING:
    from planspec_lark.folder import PlanFolder
    from planspec_lark.llm import OpenAIChat, Program
    from planspec_lark.runs import Budget

__all__ = [
    "SECONDS",
    "budget_of",
    "budget_options",
    "chat_of",
    "complete_names",
    "complete_steps",
    "count_option",
    "exclude_each_other",
    "flag",
    "folder_of",
    "folder_option",
    "format_option",
    "language_option",
    "max_tokens_option",
    "options",
    "order_option",
    "own_files",
    "plan_argument",
    "program_of",
    "repeated_option",
    "skip_option",
    "timeout_option",
    "words_for_steps",
]

Command = TypeVar("Command", bound=Callable[..., Any])

_FOLDER, _ENVIRONMENT = "folder", "PLANSPEC_FOLDER"
_WORD = re.compile(r"\w[\w.-]*")
# A plan that is longer is not read for a key press, and a longer list is of no use.
_MOST_BYTES = 1_000_000
_MOST_ITEMS = 500
_MOST_HELP = 60

# What stands for itself in a shell's command line, and joins or redirects programs.
_SHELL = frozenset(("|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"))

SECONDS = click.FloatRange(min=0, min_open=True)

# ---------------------------------------------------------------- options

flag = partial(click.option, is_flag=True)
# An option that takes a number from 1 on.
count_option = partial(click.option, type=click.IntRange(min=1))
# An option that can be given several times.
repeated_option = partial(click.option, multiple=True)


def options(*several: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def exclude_each_other(**given: bool) -> None:
    """Refuse a call that gives two of these options, by their names."""
    both = [f"--{name.replace('_', '-')}" for name, is_given in given.items() if is_given]
    if len(both) > 1:
        raise click.UsageError(f"{' and '.join(both)} exclude each other.")


def format_option(*forms: str, help: str) -> Callable[[Command], Command]:
    """The option --format, by default the first of these; where one is json, --json means the same."""
    option = click.option("--format", "form", type=Choice(forms), default=forms[0], callback=_form, help=help)
    return options(option, _json_option) if "json" in forms else option


def _form(ctx: click.Context, option: click.Parameter, value: str) -> str:
    if not ctx.meta.get(_JSON):
        return value
    if value != "json" and ctx.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--json is --format json, and not --format {value}.")
    return "json"


_JSON = "json"
_json_option = flag("--json", _JSON, is_eager=True, expose_value=False, callback=note_option, help="As --format json.")


def language_option(
    help: str, default: str | None = "en", name: str = "--language", said: str | bool = True
) -> Callable[[Command], Command]:
    """The option --language, one of those that there are prompts and labels in; ``said`` is shown as its default."""
    from planspec_lark.syntax.prompt_templates import LANGUAGES  # noqa: PLC0415  (slow to load, and few have this option)

    return click.option(name, "language", type=Choice(LANGUAGES), default=default, show_default=said, help=help)


order_option = click.option(
    "--order",
    type=Choice(ORDERS),
    default=ORDERS[0],
    help="text: a step that declares no inputs waits for all before it. data: only inputs count.",
)


def timeout_option(asked: str) -> Callable[[Command], Command]:
    """The option --timeout of a command that asks for answers, such as those of "a program"."""
    help = f"How long {asked} may take for one answer."
    return click.option("--timeout", type=SECONDS, default=300.0, metavar="SECONDS", help=help)


def budget_options(most: int | None = None) -> Callable[[Command], Command]:
    """The options of what a run may spend; of calls it may make so many by default."""
    return options(
        count_option("--max-calls", default=most, metavar="N", help="Stop after N calls of programs and models."),
        count_option("--max-tokens", metavar="N", help="Stop after N tokens, as far as answers count them."),
        click.option(
            "--max-cost",
            type=click.FloatRange(min=0, min_open=True),
            metavar="N",
            help="Stop after a cost of N, and at an answer that counts tokens and no cost.",
        ),
    )


def budget_of(given: Mapping[str, Any]) -> Budget:
    """What the options of a run let it spend; leaves where one of them is no number."""
    from planspec_lark.runs.limits import Budget  # noqa: PLC0415  (most calls spend nothing)

    with stop_at(ValueError, lead="--max-", kind=click.UsageError):
        return Budget(
            steps=given.get("max_steps"),
            seconds=given.get("max_seconds"),
            llm_calls=given["max_calls"],
            tokens=given["max_tokens"],
            cost=given["max_cost"],
        )


max_tokens_option = count_option(
    "--max-tokens",
    metavar="N",
    help="Leave parts out, and say how many, down to N tokens (estimated).",
)


# ---------------------------------------------------------------- the folder


folder_option = click.option(
    "--folder",
    metavar="DIR",
    envvar=_ENVIRONMENT,
    show_envvar=True,
    is_eager=True,
    expose_value=False,
    callback=note_option,
    type=click.Path(file_okay=False),
    show_default="that of the project's settings, or the current folder",
    help="The project's folder, with planspec/ in it.",
)


def folder_of(ctx: click.Context | None = None) -> PlanFolder:
    """The folder of plans that a call is about, by default the one that is running."""
    ctx = ctx or click.get_current_context()
    where = ctx.meta.get(_FOLDER) or os.environ.get(_ENVIRONMENT) or folder.read_project().folder or "."
    return folder.PlanFolder(where, wait=wait_seconds(ctx))


# ---------------------------------------------------------------- plans


skip_option = flag(
    "--skip-foreign",
    help="Pass over files of other tools: in a hidden folder, or with front matter and no goal or steps.",
)


def own_files(files: Iterable[str], *, skip_foreign: bool) -> tuple[str, ...]:
    """The files that are to be looked at; leaves where none is."""
    own = tuple(file for file in files if not (skip_foreign and (is_hidden(file) or is_foreign_file(file))))
    if not own:
        click.get_current_context().exit()
    return own


def plan_argument(name: str = "file", *, metavar: str = "FILE", **more: Any) -> Callable[[Command], Command]:
    """A plan, by name or as a file; the command gets the file, or - for standard input."""
    return click.argument(name, metavar=metavar, callback=_find_files, shell_complete=_complete_plans, **more)


def _find_files(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
    # A shell asks what a call might become: it gets what was typed.
    if value is None or ctx.resilient_parsing:
        return value
    is_many = isinstance(value, tuple)
    if is_many:
        # Where one of several is not there, the command continues with the others.
        found = [_find(ctx, one, may_miss=len(value) > 1 or os.path.isdir(one)) for one in value]
        files = tuple(file for one in found for file in (_plans_in(one) if os.path.isdir(one) else [one]))
    else:
        files = (_find(ctx, value),)
    for parent in {os.path.dirname(os.path.abspath(file)) for file in files if file != "-"}:
        clear_leftovers(Path(parent))
    return files if is_many else files[0]


def _find(ctx: click.Context, value: str, *, may_miss: bool = False) -> str:
    from planspec_lark.folder.names import is_name  # noqa: PLC0415  (most calls name a file)

    # What is not a name is a file, about which the command itself says what there is to say.
    if value == "-" or not is_name(value):
        return value
    try:
        return str(folder_of(ctx).find(value))
    except folder.FolderError as error:
        if may_miss and error.reason is folder.FolderErrorReason.MISSING:
            return value
        raise


# Where plans are in a folder, as the hooks for pre-commit look for them.
_PLANS = ("planspec/**/*.md", "Tasks/*/plan.md", "*.plan.md")


def _plans_in(folder: str) -> list[str]:
    """The plans in a folder: a project's, or those of planspec/ itself."""
    path = Path(folder)
    patterns = ("**/*.md",) if path.resolve().name == "planspec" else _PLANS
    matching = {file for pattern in patterns for file in _matching(str(path), pattern)}
    found = sorted(file for file in matching if not is_foreign_file(file))
    if not found:
        said = f"{visible_name(folder)}: no plans are in this folder ({', '.join(patterns)})"
        raise CliError(f"{said}; name the files, such as {visible_name(os.path.join(folder, '*.md'))}")
    return found


def _matching(folder: str, pattern: str) -> Iterator[str]:
    """The files of a folder that fit a pattern, and the folders that cannot be read: a glob would pass them over."""
    first, _, rest = pattern.partition("/")
    if first == "**":
        yield from _matching(folder, rest)
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if not entry.name.startswith(".")]
    except OSError:
        # It explains itself to a reader.
        found = []
        yield folder
    for entry in found:
        path, is_deep = str(Path(entry.path)), first == "**"
        try:
            is_folder, is_file = entry.is_dir(follow_symlinks=not is_deep), entry.is_file()
        except OSError:  # such as a loop of links, which does so as well
            is_folder, is_file = False, True
        if is_deep and is_folder:
            yield from _matching(path, pattern)
        elif not is_deep and fnmatch(entry.name, first):
            if rest and is_folder:
                yield from _matching(path, rest)
            elif not rest and is_file:
                yield path


def words_for_steps(plan: planspec.PlanSpec) -> Iterable[str]:
    """The ids and the names of all steps, in their order."""
    return dict.fromkeys(word for step in planspec.iter_steps(plan) for word in (step.step_id, step.step_name) if word)


# ---------------------------------------------------------------- completion


def complete_names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of plans in the folder."""
    return _offer(incomplete, lambda: dict.fromkeys(folder_of(ctx).names()))


def _complete_plans(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    names = _offer(incomplete, lambda: dict.fromkeys([*folder_of(ctx).names(), *folder_of(ctx).task_names()]))
    # The shell adds files. In bash that has to come first, as it drops all items before it.
    return [CompletionItem(incomplete, type="file"), *names]


def complete_steps(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of the steps of the plan that the call names already, with what they say."""
    return _offer(incomplete, lambda: _steps(ctx))


def _steps(ctx: click.Context) -> dict[str, str]:
    from planspec_lark.planspec.parser import scan_strictly  # noqa: PLC0415  (only needed here)
    from planspec_lark.syntax.limits import read_file  # noqa: PLC0415

    # After an option that has no value yet, click has not told the arguments apart.
    typed = ctx.params.get("file") or next(one for one in ctx.args if not one.startswith("-"))
    path = _find(ctx, typed)
    if not stat.S_ISREG(os.stat(path).st_mode):
        return {}
    plan = scan_strictly(read_file(path, Limits(max_bytes=_MOST_BYTES))).plan
    return {step.step_id: one_line(step.description[:_MOST_HELP]) for step in planspec.iter_steps(plan)}


def _offer(incomplete: str, find: Callable[[], Mapping[str, str | None]]) -> list[CompletionItem]:
    """Some of the words that are found, each with what it means; none where anything is wrong."""
    try:
        words = find()
    except Exception:
        # The call itself will report it.
        return []
    fitting = (word for word in words if word.startswith(incomplete) and _WORD.fullmatch(word))
    return [CompletionItem(word, help=words[word]) for word in islice(fitting, _MOST_ITEMS)]


# ---------------------------------------------------------------- who is asked


def chat_of(model: str, timeout: float) -> OpenAIChat:
    """The language model that --llm names; leaves where it cannot be asked."""
    from planspec_lark.llm.http_endpoint import load  # noqa: PLC0415  (most calls ask no model)

    with stop_at(llm.LlmError, ValueError, lead="--llm: ", kind=click.UsageError):
        # Without the package no model could be asked, and a run would have begun.
        load()
        return llm.OpenAIChat(model, timeout=timeout)


def program_of(role: str, command: str, timeout: float, *, is_here: bool = True) -> Program:
    """The program that an option names; leaves where it cannot be called.

    With ``is_here`` it has to be on this machine, so that nothing begins that it would be missing for.
    """
    stop = partial(stop_at, kind=click.UsageError)
    # In a value error, all that is left to be wrong is the time.
    with stop(ValueError, lead="--"), stop(llm.LlmError, lead=f"--{role}: "):
        program = llm.Program.from_text(command, timeout=timeout)
        # A quoted word has its quotes here, and is an argument.
        word = next((word for word in command.split() if word in _SHELL and word in program.command), "")
        if word:
            instead = visible_name(f"sh -c {shlex.quote(command)}")
            raise llm.ProgramError(f"no shell runs this, so `{word}` would be an argument: write {instead}")
        if is_here:
            program.check()
        return program
