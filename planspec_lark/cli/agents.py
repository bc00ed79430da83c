"""Commands for assistants that write code: `init` and `hook`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from shutil import which

import click

from planspec_lark.agents import Change, carry_out, plan_removal, plan_setup
from planspec_lark.agents.assistants import ASSISTANTS, Assistant
from planspec_lark.agents.hook import EVENTS, MAX_TOKENS, answer
from planspec_lark.cli.arguments import count_option, flag, folder_of, folder_option
from planspec_lark.cli.output import complain, leave, write_diff, write_text
from planspec_lark.folder import PlanFolder
from planspec_lark.syntax.source import visible_name


def _check_command(_: click.Context, __: click.Parameter, value: str) -> str:
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if not words or not value.isprintable():
        raise click.BadParameter("this is no command")
    return value


@click.command("init")
@click.option("--agent", "names", type=click.Choice(list(ASSISTANTS)), multiple=True, help="For this assistant.")
@flag("--remove", help="Take out what init has put in, and nothing else.")
@flag("--dry-run", help="Write nothing; show what would be written.")
@flag("--shared", help="Let git see the plans in planspec/.")
@click.option(
    "--command",
    callback=_check_command,
    default="planspec",
    metavar="CMD",
    help="How assistants call planspec, such as `uvx planspec-lark`.",
)
@folder_option
@click.pass_context
def init_command(  # noqa: PLR0913, PLR0917  (its options)
    ctx: click.Context, names: tuple[str, ...], remove: bool, dry_run: bool, shared: bool, command: str
) -> None:
    """Tell coding assistants of this project about its plans.

    Each gets the skill planspec and the commands /planspec, /listplan, /showplan and /archiveplan; a marked block in
    the file of notes that it reads; the MCP server and hooks, where the project has a file for them. What others wrote
    stays byte by byte. Without --agent it is for those of which there are files, and --remove for all. Exits with 2,
    and changes nothing, where a file cannot be edited.
    """
    folder = folder_of(ctx)
    if remove:
        setup = plan_removal(folder.root, _chosen(names) or list(ASSISTANTS.values()))
    else:
        chosen = _chosen(names) or _found(folder)
        if not chosen:
            raise click.UsageError(f"No assistant's files are here: name one with --agent ({', '.join(ASSISTANTS)}).")
        has_servers = find_spec("mcp") is not None
        is_shared = shared or _asked(folder, dry_run)
        setup = plan_setup(folder.root, chosen, command=command, is_shared=is_shared, has_servers=has_servers)
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


def _tell(change: Change, dry_run: bool) -> None:
    verb = "make  " if change.before is None else "remove" if change.after is None else "change"
    write_text(f"{verb}  {visible_name(change.name)}\n")
    if dry_run and change.before is not None and change.after is not None:
        write_diff(change.before.decode("utf-8"), change.after.decode("utf-8"), change.name)


@click.command("hook")
@click.argument("event", type=click.Choice(EVENTS))
@click.option("--agent", default="", metavar="NAME", help="Who asks, where that wants its answer in a form of its own.")
@count_option("--max-tokens", default=MAX_TOKENS, help="The most that an answer about all plans takes.")
def hook_command(event: str, agent: str, max_tokens: int) -> None:
    """Answer a hook of a coding assistant.

    The assistant tells of it as JSON on standard input. After an edit, exits with 2 where a plan was edited that has
    errors, which go to standard error. At the start of a session and before compaction, writes the next step and those
    that are open; at its end, the steps in progress. It does nothing where there is no plan, and never fails by its own
    trouble.
    """
    leave(answer(event, agent, max_tokens))
