"""Commands for assistants that write code: `init` and `hook`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from shutil import which

import click

from planspec_lark.agents import FileChange, carry_out, plan_removal, plan_setup
from planspec_lark.agents.assistants import ASSISTANTS, Assistant
from planspec_lark.agents.hook import AGENTS, EVENTS, MAX_TOKENS, answer
from planspec_lark.cli.arguments import count_option, flag, folder_of, folder_option, language_option, repeated_option
from planspec_lark.cli.help import Choice, command as make_command
from planspec_lark.cli.output import complain, leave, write_diff, write_text
from planspec_lark.folder import PlanFolder
from planspec_lark.syntax.safe_text import visible_name


def _check_command(_: click.Context, __: click.Parameter, value: str) -> str:
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if not words or not value.isprintable():
        raise click.BadParameter("this is not a command")
    return value


@make_command(
    "init",
    examples=[
        "planspec init",
        "planspec init --agent claude --dry-run",
        "planspec init --agent claude --command 'uvx --from planspec-lark planspec'",
        "planspec init --remove",
    ],
    files={
        "skills": "The skill planspec and the commands /listplan, /showplan and /archiveplan, for each assistant.",
        "notes": "A marked block in the file that the assistant reads first, such as CLAUDE.md or AGENTS.md.",
        "settings": "The MCP server and the hooks, where the assistant has a file for them.",
        "planspec/": "The folder for plans; its .gitignore keeps them out of git, unless --shared is given.",
        "standard output": "The files that are made, changed or removed.",
    },
    exits={
        0: "Everything is set up, or was before.",
        2: "A file cannot be changed, or the arguments are wrong; nothing was changed.",
    },
)
@repeated_option(
    "--agent",
    "names",
    type=Choice(list(ASSISTANTS)),
    show_default="those with files here; with --remove, all",
    help="Set up this assistant; repeatable.",
)
@flag("--remove", help="Remove what init has added, and nothing else.")
@flag("--dry-run", help="Write nothing; show what would change.")
@flag("--shared", help="Let git see the plans in planspec/.")
@language_option("Write skills and notes in this language.", default=None, said="the one that they are in, or en")
@click.option(
    "--command",
    callback=_check_command,
    default="planspec",
    metavar="CMD",
    help="How assistants call planspec. Hooks run CMD by a shell; for the MCP server it is split into words.",
)
@folder_option
def init_command(  # noqa: PLR0913  (click passes each option)
    *, names: tuple[str, ...], remove: bool, dry_run: bool, shared: bool, language: str | None, command: str
) -> None:
    """Set up a project's coding assistants to work with plans.

    They learn to write plans, to do one step at a time, and to check what they edit. What the files already hold stays
    as it is; a second call changes nothing.
    """
    folder = folder_of()
    if remove:
        setup = plan_removal(folder.root, _chosen(names) or list(ASSISTANTS.values()))
    else:
        chosen = _chosen(names) or _found(folder)
        if not chosen:
            raise click.UsageError(f"No assistant's files are here: name one with --agent ({', '.join(ASSISTANTS)}).")
        has_servers = find_spec("mcp") is not None
        is_shared = shared or _asked(folder, dry_run)
        setup = plan_setup(
            folder.root,
            chosen,
            command=command,
            is_shared=is_shared,
            has_servers=has_servers,
            language=language or "",
        )
        if not has_servers and any(one.servers for one in chosen):
            complain("The MCP server is left out, as it needs its extra: pip install 'planspec-lark[mcp]'")
    if not dry_run:
        carry_out(setup)
    for change in setup.changes:
        _tell(change, dry_run)
    for remark in setup.remarks:
        complain(remark)
    if not setup.changes:
        complain("There is nothing to do.")
    elif not remove and which(program := shlex.split(command)[0]) is None:
        complain(f"`{visible_name(program)}` is not found here: assistants have to find it, or see --command.")


def _chosen(names: Sequence[str]) -> list[Assistant]:
    return [ASSISTANTS[name] for name in dict.fromkeys(names)]


def _found(folder: PlanFolder) -> list[Assistant]:
    """The assistants of which there are files in the project."""
    found = [one for one in ASSISTANTS.values() if any((folder.root / sign).exists() for sign in one.signs)]
    if found:
        complain(f"For {', '.join(one.title for one in found)}, by the files that are here.")
    return found


def _asked(folder: PlanFolder, dry_run: bool) -> bool:
    """Whether git is to see the plans, if a person is there who can say so."""
    if dry_run or folder.path.is_dir() or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm("Shall git see the plans in planspec/?", default=False, err=True)


def _tell(change: FileChange, dry_run: bool) -> None:
    verb = "make  " if change.before is None else "remove" if change.after is None else "change"
    write_text(f"{verb}  {visible_name(change.name)}\n")
    if dry_run and change.before is not None and change.after is not None:
        write_diff(change.before.decode("utf-8"), change.after.decode("utf-8"), change.name)


@make_command(
    "hook",
    examples=["echo '{}' | planspec hook session-start", "echo '{}' | planspec hook stop --agent claude"],
    files={
        "EVENT": f"One of {', '.join(EVENTS)}.",
        "standard input": "What the assistant tells of the event, as JSON.",
        "standard output": "What the assistant is to know.",
        "standard error": "The errors of a plan that was edited.",
    },
    exits={
        0: "Nothing is refused, or the hook itself has failed.",
        1: "The arguments are wrong.",
        2: "A plan was edited and has errors.",
    },
)
@click.argument("event", type=Choice(EVENTS), metavar="EVENT")
@click.option(
    "--agent",
    type=Choice(AGENTS),
    metavar="NAME",
    help="The assistant, if it wants answers in its own form.",
)
@count_option(
    "--max-tokens", default=MAX_TOKENS, metavar="N", help="Write at most N tokens about all plans (estimated)."
)
def hook_command(event: str, agent: str | None, max_tokens: int) -> None:
    """Answer a hook of a coding assistant.

    `planspec init` sets this up. After an edit, the plan's errors go back to the assistant; when it stops, those of all
    plans changed in the session. At the start of a session and before compaction it writes the next step and the open
    steps, at the end the active ones. Without a plan it does nothing.
    """
    leave(answer(event, agent or "", max_tokens))
