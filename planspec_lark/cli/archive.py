"""`planspec archive`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import complete_names, folder_of, folder_option, refusals
from planspec_lark.cli.output import FINDINGS, fail, write_text
from planspec_lark.cli.waiting import wait_option
from planspec_lark.folder.models import StoreError, StoreReason
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("archive")
@click.argument("name", metavar="NAME", shell_complete=complete_names)
@click.option("--force", is_flag=True, help="Although it is not finished, or no plan at all.")
@wait_option
@folder_option
@click.pass_context
def command(ctx: click.Context, name: str, force: bool) -> None:
    """Move a finished plan to planspec/archive/.

    What is kept of its runs goes along, and nothing there is replaced. Exits with 1 where the plan is not finished, and
    with 2 where it is not there, is run at this moment, or cannot be moved.
    """
    with refusals():
        try:
            target = folder_of(ctx).archive(name, force=force)
        except StoreError as error:
            if error.reason is not StoreReason.UNFINISHED:
                raise
            fail(f"{error}\n--force archives it nevertheless", FINDINGS)
    write_text(f"{visible_name(str(target))}\n")
