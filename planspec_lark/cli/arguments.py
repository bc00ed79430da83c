"""Arguments that are plans and steps: names as well as files, and what a shell completes them to.

What completes must be quick and never fail: whoever presses a key has asked for no message. It offers nothing that a
shell would read as more than a word.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from planspec_lark.cli.output import Unusable
from planspec_lark.cli.waiting import wait_seconds
from planspec_lark.document.file import clear_leftovers

if TYPE_CHECKING:
    from planspec_lark.folder.folder import PlanFolder

__all__ = [
    "complete_names",
    "complete_steps",
    "folder_of",
    "folder_option",
    "plan_argument",
    "refusals",
    "step_argument",
]

Command = TypeVar("Command", bound=Callable[..., Any])

_FOLDER, _ENVIRONMENT = "folder", "PLANSPEC_FOLDER"
_WORD = re.compile(r"\w[\w.-]*")
# A plan that is longer is not read for a key press, and a list that is longer is read by nobody.
_MOST_BYTES = 1_000_000
_MOST_ITEMS = 500
_MOST_HELP = 60

# ---------------------------------------------------------------- the folder


def _note_folder(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    ctx.meta[_FOLDER] = value


folder_option = click.option(
    "--folder",
    metavar="DIR",
    envvar=_ENVIRONMENT,
    show_envvar=True,
    is_eager=True,
    expose_value=False,
    callback=_note_folder,
    type=click.Path(file_okay=False),
    help="The project's folder, with planspec/ in it; by default the current one.",
)


def folder_of(ctx: click.Context) -> PlanFolder:
    """The folder of plans that a call is about."""
    from planspec_lark.folder.folder import PlanFolder  # noqa: PLC0415  (most calls name a file)

    return PlanFolder(ctx.meta.get(_FOLDER) or os.environ.get(_ENVIRONMENT) or ".", wait=wait_seconds(ctx))


@contextmanager
def refusals() -> Iterator[None]:
    """What a folder of plans refuses ends the command."""
    from planspec_lark.folder.models import StoreError  # noqa: PLC0415  (as above)

    try:
        yield
    except StoreError as error:
        raise Unusable(str(error)) from None


# ---------------------------------------------------------------- arguments


def plan_argument(
    name: str = "file", *, metavar: str = "FILE", required: bool = True, many: bool = False
) -> Callable[[Command], Command]:
    """A plan, by name or as a file; the command gets the file, or - for standard input."""
    return click.argument(
        name,
        metavar=metavar,
        required=required,
        nargs=-1 if many else 1,
        callback=_find_files,
        shell_complete=_complete_plans,
    )


def step_argument(name: str = "step", *, metavar: str = "ID", required: bool = True) -> Callable[[Command], Command]:
    """The id of a step of the plan that the call names before it."""
    return click.argument(name, metavar=metavar, required=required, shell_complete=complete_steps)


def _find_files(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
    # A shell asks what a call might become: it gets what was typed.
    if value is None or ctx.resilient_parsing:
        return value
    # What is not there is one of many: the command goes on with the others.
    is_many = isinstance(value, tuple)
    files = [_find(ctx, one, or_else=one if is_many else None) for one in (value if is_many else [value])]
    for folder in {os.path.dirname(os.path.abspath(file)) for file in files if file != "-"}:
        clear_leftovers(Path(folder))
    return tuple(files) if is_many else files[0]


def _find(ctx: click.Context, value: str, or_else: str | None = None) -> str:
    from planspec_lark.folder.models import StoreError, StoreReason  # noqa: PLC0415  (as above)
    from planspec_lark.folder.names import is_name  # noqa: PLC0415

    # What is no name is a file, about which the command itself says what there is to say.
    if value == "-" or not is_name(value):
        return value
    with refusals():
        try:
            return str(folder_of(ctx).find(value))
        except StoreError as error:
            if or_else is None or error.reason is not StoreReason.MISSING:
                raise
            return or_else


# ---------------------------------------------------------------- completion


def complete_names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of plans in the folder."""
    return _quietly(lambda: _pick(folder_of(ctx).names(), incomplete))


def _complete_plans(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    def names() -> list[CompletionItem]:
        folder = folder_of(ctx)
        return _pick(dict.fromkeys([*folder.names(), *folder.task_names()]), incomplete)

    # The shell adds files. In bash that has to come first, as it makes away with all before it.
    return [CompletionItem(incomplete, type="file"), *_quietly(names)]


def complete_steps(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of the steps of the plan that the call names already, with what they say."""
    return _quietly(lambda: _list_steps(ctx, incomplete))


def _list_steps(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    from planspec_lark.planspec.models import iter_steps  # noqa: PLC0415
    from planspec_lark.planspec.recovery import scan_strictly  # noqa: PLC0415
    from planspec_lark.syntax.limits import Limits, read_file  # noqa: PLC0415  (only needed here)
    from planspec_lark.syntax.source import one_line  # noqa: PLC0415

    # Behind an option that has no value yet, click has not told the arguments apart.
    typed = ctx.params.get("file") or next(one for one in ctx.args if not one.startswith("-"))
    path = _find(ctx, typed)
    if not stat.S_ISREG(os.stat(path).st_mode):
        return []
    plan = scan_strictly(read_file(path, Limits(max_bytes=_MOST_BYTES))).plan
    said = {step.step_id: one_line(step.description[:_MOST_HELP]) for step in iter_steps(plan)}
    return [CompletionItem(item.value, help=said[item.value]) for item in _pick(said, incomplete)]


def _pick(values: Iterable[str], incomplete: str) -> list[CompletionItem]:
    fitting = (value for value in values if value.startswith(incomplete) and _WORD.fullmatch(value))
    return [CompletionItem(value) for value in islice(fitting, _MOST_ITEMS)]


def _quietly(look: Callable[[], list[CompletionItem]]) -> list[CompletionItem]:
    try:
        return look()
    except Exception:
        # Whatever is wrong, the call itself will say.
        return []
