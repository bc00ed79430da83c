"""Commands for the plans in planspec/: `list`, `archive` and `new`, with plans that a model or a program drafts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import asdict, define, field

from planspec_lark import llm, planspec
from planspec_lark.cli.arguments import (
    chat_of,
    complete_names,
    exclude_each_other,
    flag,
    folder_of,
    folder_option,
    language_option,
    options,
    program_of,
    repeated_option,
    timeout_option,
)
from planspec_lark.cli.help import MODELS, PROGRAMS, command
from planspec_lark.cli.output import (
    CliError,
    Row,
    UnreadableFileError,
    complain,
    fail,
    read_plan,
    stop_at,
    terminal_width,
    wait_option,
    write_json,
    write_rows,
    write_text,
)
from planspec_lark.cli.plans import write_tree
from planspec_lark.cli.signals import stoppable
from planspec_lark.document.file import clear_leftovers
from planspec_lark.folder import FolderError, FolderErrorReason, PlanEntry, PlanFolder, make_skeleton
from planspec_lark.folder.names import SUFFIX, check_name, is_name
from planspec_lark.folder.settings import FOLDER
from planspec_lark.folder.skeleton import make_template
from planspec_lark.planspec.render import say_progress
from planspec_lark.syntax import one_line
from planspec_lark.syntax.prompt_templates import language_of
from planspec_lark.syntax.safe_text import columns, cut_columns, visible, visible_name

if TYPE_CHECKING:
    from planspec_lark.llm import DraftedPlan

# Columns of a name on a terminal; a longer one stands out.
_WIDEST_NAME, _LEAST_TEXT = 40, 8


@command(
    "list",
    examples=["planspec list", "planspec list --json"],
    files={"planspec/": "Its plans are read.", "standard output": "A line for each plan, or JSON."},
    exits={2: "The folder cannot be read, or the arguments are wrong."},
)
@flag("--json", "as_json", help="Write names, paths, titles, goals, progress and faults as JSON.")
@folder_option
def list_command(as_json: bool) -> None:
    """List the plans in planspec/.

    Each has its progress, title and goal. A file that is not a plan is listed with its first error.
    """
    folder = folder_of()
    clear_leftovers(folder.path)
    entries = folder.list()
    if as_json:
        write_json({"folder": str(folder.path), "plans": list(map(_value, entries))})
    elif entries:
        write_rows(_rows(entries, terminal_width()))
    else:
        complain(f"There are no plans in {visible_name(str(folder.path))}/")


@command(
    "use",
    examples=[
        "planspec use bakery",
        "planspec use",
        "planspec use bakery --instead-of old_bakery",
        "planspec use --none",
    ],
    files={
        "NAME": "The name of a plan in planspec/; without it, the current one is shown.",
        "planspec/settings.toml": "Notes it.",
        "standard output": "The name of the current plan; nothing where none is.",
    },
    exits={2: "There is no such plan, the settings cannot be read or written, or the arguments are wrong."},
)
@click.argument("name", metavar="[NAME]", default="", shell_complete=complete_names)
@click.option(
    "--instead-of",
    "replaced",
    default="",
    metavar="OLD",
    show_default=False,
    shell_complete=complete_names,
    help="NAME takes the place of this plan, which is not offered any more.",
)
@flag("--none", "nothing", help="No plan is current any more.")
@wait_option
@folder_option
def use_command(name: str, replaced: str, nothing: bool) -> None:
    """Choose the current plan, or show which it is.

    Sessions of coding assistants begin with it. A superseded plan is listed, but not offered to them until it is used
    again.
    """
    if (nothing and name) or (replaced and not name) or (name and name == replaced):
        raise click.UsageError("Give a NAME, with another one for --instead-of, or --none.")
    folder = folder_of()
    if name or nothing:
        folder.use(name, instead_of=replaced)
    if current := folder.settings.current:
        write_text(f"{visible_name(current)}\n")


def _value(entry: PlanEntry) -> dict[str, Any]:
    value = asdict(entry, recurse=False) | {"path": str(entry.path)}
    found = value.pop("diagnostic")
    place = {} if found is None else {"code": found.code, "line": found.line, "column": found.column}
    return {**value, "fault": {"message": entry.fault, **place} if entry.fault else None}


def _rows(entries: Sequence[PlanEntry], width: int | None) -> Iterator[Row]:
    names = [visible_name(entry.name) for entry in entries]
    counts = ["" if entry.progress is None else say_progress(entry.progress) for entry in entries]
    first = min(max(map(columns, names)), _WIDEST_NAME)
    second = max(map(len, counts))
    for entry, name, count in zip(entries, names, counts, strict=True):
        lead = f"{name}{' ' * (first - columns(name))}", f"  {count:>{second}}"
        # Many goals say what the title says.
        said = " — ".join(dict.fromkeys(filter(None, [one_line(entry.title), one_line(entry.goal)])))
        marks = ["current"] if entry.is_current else []
        marks += [f"superseded by {visible_name(entry.superseded_by)}"] if entry.superseded_by else []
        said = " ".join([*(f"({mark})" for mark in marks), said]).rstrip()
        text, room = entry.fault or said, 0 if width is None else width - sum(map(columns, lead)) - 2
        # In fewer columns than these, nothing can be said.
        text = cut_columns(text, room) if room >= _LEAST_TEXT else text
        row = [(lead[0], "bold"), (lead[1], "green" if entry.is_converged else "")]
        yield [*row, ("  ", ""), (text, "bold red" if entry.fault else "")] if text else row


@command(
    "archive",
    examples=["planspec archive bakery", "planspec archive bakery --force"],
    files={
        "NAME": "The name of the plan, or planspec/NAME.md.",
        "planspec/NAME.md": "Moved to planspec/archive/, with the ledger of its runs; nothing there is replaced.",
        "standard output": "The path in the archive.",
    },
    exits={
        0: "The plan was moved.",
        1: "The plan is not finished.",
        2: "There is no such plan, it cannot be moved, another process runs it, or the arguments are wrong.",
    },
)
@click.argument("name", shell_complete=complete_names)
@flag("--force", help="Move it even if it is not finished, or is not a plan.")
@wait_option
@folder_option
def archive_command(name: str, force: bool) -> None:
    """Move a finished plan to planspec/archive/.

    A plan is finished when each step is done, blocked or skipped. If its name is taken in the archive, the date is
    appended.
    """
    folder, path = folder_of(), Path(name)
    if path.parent == folder.root / FOLDER and path.suffix == SUFFIX:
        # What a shell completes.
        name = path.stem
    try:
        target = folder.archive(name, force=force)
    except FolderError as error:
        if error.reason is not FolderErrorReason.UNFINISHED:
            raise
        fail(f"{error}\n--force archives it nevertheless")
    write_text(f"{visible_name(str(target))}\n")


# ---------------------------------------------------------------- a new plan


@command(
    "new",
    examples=[
        "planspec new 'Open the bakery at six' --name bakery",
        "planspec new 'Repair the organ' --constraint 'Ready by Easter' --llm qwen3-8b",
        "planspec new 'Repair the organ' --planner './draft.sh'",
        "planspec new --template --language zh",
    ],
    files={
        "DESCRIPTION": "The plan's goal; several words need no quotes. The name of a plan shows that plan.",
        "planspec/NAME.md": "The new plan; an existing file is never replaced.",
        "planspec/.gitignore": "Made with the first plan; it keeps the plans out of git, unless --shared is given.",
        "planspec/NAME.draft.md": "A draft that cannot be used, or was interrupted.",
        "planspec/settings.toml": "Notes --shared and --require-result for all plans in planspec/.",
        "standard output": "The path of the new plan; with --template, a plan to fill in.",
    },
    exits={
        0: "The plan was created or shown.",
        1: "The draft cannot be used.",
        2: "The name is taken, the model cannot be asked, a file cannot be written, or the arguments are wrong.",
        130: "Interrupted; the draft so far is kept.",
        143: "Terminated; the draft so far is kept.",
    },
    notes={**PROGRAMS, **MODELS},
)
@click.argument("description", nargs=-1, shell_complete=complete_names)
@click.option("--name", metavar="NAME", show_default="made of the description", help="The plan's name.")
@repeated_option(
    "--constraint",
    "constraints",
    metavar="TEXT",
    help="A constraint of the plan; repeatable.",
)
@options(
    click.option("--llm", metavar="MODEL", help="Let this language model draft the plan."),
    click.option("--planner", metavar="CMD", help="Let this program draft the plan; CMD is not run by a shell."),
    language_option("The language of steps and prompts.", default=None, said="that of the description"),
    timeout_option("a program or a model"),
)
@flag("--template", help="Create nothing; write a plan to fill in to standard output.")
@flag("--shared", help="Let git see all plans in planspec/, from now on.")
@flag("--require-result", help="Refuse done steps without a result in planspec/, from now on.")
@wait_option
@folder_option
def new_command(  # noqa: PLR0913, PLR0917  (its options)
    description: tuple[str, ...],
    name: str | None,
    template: bool,
    shared: bool,
    require_result: bool,
    language: str | None,
    **given: Any,
) -> None:
    """Create a plan, or show the plan that has this name.

    The plan becomes planspec/NAME.md. A model or a program can draft it; without one it gets three steps to replace.
    """
    if template:
        if any((description, name, shared, require_result, _is_said(given))):
            raise click.UsageError("--template takes no description, and no other option but --language.")
        write_text(make_template(language or "en"))
        return
    if not description:
        raise click.MissingParameter(param_hint="'DESCRIPTION...'", param_type="argument")
    task = " ".join(description)
    folder = folder_of()
    if shared and folder.share():
        complain(f"{visible_name(str(folder.path))}/ is shared: git sees the plans in it")
    if require_result and folder.settle("require_result"):
        complain(f"{visible_name(str(folder.path))}/: steps of its plans are done only with a result")
    known = folder.holds(task) if name is None and is_name(task) else None
    if known is not None and not _is_said(given):
        write_tree(read_plan(str(folder.find(known))), full=False, language=language)
    else:
        _create(folder, known or _choose(folder, task, name), task, language or language_of(task), given)


def _is_said(given: Mapping[str, Any]) -> bool:
    """Whether a call says what a new plan is to be like."""
    return bool(given["constraints"]) or _is_drafted(given)


def _is_drafted(given: Mapping[str, Any]) -> bool:
    return given["llm"] is not None or given["planner"] is not None


def _choose(folder: PlanFolder, task: str, name: str | None) -> str:
    """The name of a new plan."""
    stem = task.removesuffix(SUFFIX)
    if name is None and stem != task and " " not in task and is_name(stem):
        said = f"the goal comes first, in words: planspec new 'What is to be done' --name {stem}"
        raise click.UsageError(f"{visible_name(task)} is the name of a file; {said}")
    try:
        return folder.name_from(task) if name is None else check_name(name)
    except FolderError as error:
        raise CliError(f"{error}{'' if name is not None else ', with --name NAME'}") from None


def _create(folder: PlanFolder, name: str, task: str, language: str, given: Mapping[str, Any]) -> None:
    # Before a draft is paid for.
    if (known := folder.holds(name)) is not None:
        file, free = str(folder.path / f"{known}.md"), visible_name(folder.free_name(name))
        said = f"`planspec show {visible_name(known)}` shows it, --name {free} makes another"
        raise UnreadableFileError(file, f"there is a plan of this name; {said}")
    # Also where it is drafted: what cannot be described cannot be asked for.
    text = make_skeleton(task, constraints=given["constraints"], language=language)
    if _is_drafted(given):
        with stoppable("Stopped."):
            text = _draft(folder, name, task, language, **given)
    try:
        path = _write_free(folder, name, text)
    except FolderError:
        # It cannot be kept, so it goes to standard output.
        if _is_drafted(given):
            write_text(text)
        raise
    write_text(f"{visible_name(str(path))}\n")


def _write_free(folder: PlanFolder, name: str, text: str) -> Path:
    try:
        return _write(folder, name, text)
    except FolderError as error:
        if error.reason is not FolderErrorReason.EXISTS:
            raise
        # The name has been taken meanwhile.
        complain(str(error))
        return _write(folder, folder.free_name(name), text)


def _write(folder: PlanFolder, name: str, text: str) -> Path:
    """Create a plan, and make sure before that git sees it only where plans are shared."""
    if folder.hide():
        where = visible_name(str(folder.path / ".gitignore"))
        complain(f"{where} keeps plans out of git, except those that it tracks already; --shared lets it see them")
    return folder.create(name, text)


# ---------------------------------------------------------------- drafts


def _draft(
    folder: PlanFolder, name: str, task: str, language: str, *, constraints: Sequence[str], **drafter: Any
) -> str:
    """The text of a plan that the named model or program drafts; leaves where it cannot be used.

    A constraint that it has left out is put back. What came nevertheless is kept as a plan of another name, which
    `planspec list` shows with what is wrong.
    """
    ask, heard = _drafter(**drafter), _Heard()
    with _kept(folder, name, heard):
        try:
            with stop_at(llm.LlmError, lead="--planner: " if drafter["planner"] else "--llm: "):
                drafted = ask(task, constraints=constraints, language=language, on_text=heard)
        finally:
            heard.end()
        if not drafted.is_usable:
            fail("The draft cannot be used as it is.", found=drafted.holds)
    plan = drafted.plan
    said = set(map(_bare, plan.constraints))
    plan.constraints = [*plan.constraints, *(one for one in map(one_line, constraints) if _bare(one) not in said)]
    return planspec.serialize_plan(plan)


def _bare(constraint: str) -> str:
    return one_line(constraint).casefold().rstrip(".。")


def _drafter(llm: str | None, planner: str | None, timeout: float) -> Callable[..., DraftedPlan]:
    from planspec_lark.llm.draft import draft_plan  # noqa: PLC0415
    from planspec_lark.llm.engine_roles import program_model  # noqa: PLC0415  (most calls draft nothing)

    exclude_each_other(llm=llm is not None, planner=planner is not None)
    if planner is not None:
        return partial(draft_plan, program_model(program_of("planner", planner, timeout)), whole_request=True)
    assert llm is not None
    chat = chat_of(llm, timeout)
    return partial(draft_plan, chat.stream)


@define
class _Heard:
    """What has come of an answer; on a terminal each line is shown as soon as it is complete."""

    _number: int = 0
    _pieces: list[str] = field(factory=list)
    _line: list[str] = field(factory=list)

    def __call__(self, number: int, piece: str) -> None:
        if number != self._number:
            self.end()
            if self._number:
                complain("This cannot be used. Asking once more …")
            self._number, self._pieces = number, []
        self._pieces.append(piece)
        if not sys.stderr.isatty():
            return
        *lines, rest = piece.split("\n")
        for line in lines:
            self._line.append(line)
            self._show()
        self._line.append(rest)

    def end(self) -> None:
        """Show what may be left of the last line."""
        if any(self._line):
            self._show()

    def _show(self) -> None:
        write_rows([[(visible("".join(self._line).removesuffix("\r")), "dim")]], to_stderr=True)
        self._line.clear()

    @property
    def text(self) -> str:
        """The last answer, as far as it has come."""
        return "".join(self._pieces)


@contextmanager
def _kept(folder: PlanFolder, name: str, heard: _Heard) -> Iterator[None]:
    """Keep what was heard where an error or an interrupt ends the block."""
    try:
        yield
    except BaseException:
        if heard.text.strip():
            try:
                path = _write(folder, folder.free_name(f"{name}.draft"), heard.text)
                complain(f"What has come is kept in {visible_name(str(path))}")
            except FolderError as error:
                complain(f"{error}\nWhat has come cannot be kept. It is this:")
                write_text(heard.text)
        raise
