"""The command that asks a run to stop."""

from __future__ import annotations

import os
import signal

import click

from planspec_lark.cli.arguments import flag, folder_option, plan_argument
from planspec_lark.cli.help import command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import UnreadableFileError, write_rows
from planspec_lark.syntax.safe_text import visible_name


@command(
    "stop",
    examples=["planspec stop plan.md", "planspec stop plan.md --now"],
    files={
        "FILE": "The plan, its ledger, or the state folder of a planner.",
        "standard output": "Which process was asked.",
    },
    exits={2: "There is no ledger or no such run, it cannot be stopped from here, or the arguments are wrong."},
)
@plan_argument()
@click.option("--run", "run_id", metavar="ID", show_default="the last run", help="Stop this run.")
@flag("--now", help="Also end the calls that are under way, as Ctrl-C does, where the run is on this machine.")
@database_options
@folder_option
def stop_command(*, file: str, run_id: str | None, now: bool) -> None:
    """Stop a run.

    The process that is at work on it ends the calls that are under way, begins no other, and leaves: the run can be
    continued with --resume. What is under way with --now is done again then, with the same key.
    """
    place = LedgerPlace.of(file)
    with place.changing() as ledger:
        info = place.find_run(ledger, file, run_id)
        holder = ledger.find_holder(info.run)
        if holder is None:
            write_rows([[("No process is at work on it.", "")]])
            return
        if now and not holder.is_here():
            raise UnreadableFileError(file, f"{holder} is at work on it, and only a command there can stop it --now")
        ledger.ask_to_stop(info.run)
        if now:
            os.kill(holder.process, signal.SIGINT)
    name = visible_name(info.run)
    write_rows([[(f"Asked {holder} to stop run {name}{' now' if now else ''}.", "")]])
