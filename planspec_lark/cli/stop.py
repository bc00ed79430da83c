"""The command that asks a run to stop."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import flag, folder_option, plan_argument
from planspec_lark.cli.help import command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import write_rows
from planspec_lark.syntax.safe_text import visible_name


@command(
    "stop",
    examples=["planspec stop plan.md", "planspec stop plan.md --now"],
    files={
        "FILE": "The plan, its ledger, or the state folder of a planner; not needed with --database and --run.",
        "standard output": "Which process was asked.",
    },
    exits={2: "There is no ledger or no such run, or the arguments are wrong."},
)
@plan_argument(metavar="[FILE]", required=False)
@click.option("--run", "run_id", metavar="ID", show_default="the last run", help="Stop this run.")
@flag("--now", help="End the calls under way too.")
@database_options
@folder_option
def stop_command(*, file: str | None, run_id: str | None, now: bool) -> None:
    """Stop a run.

    Its process, on whatever machine, waits for the calls under way and begins no other. --now ends them within seconds,
    but for a Python callable that does not look whether it is to stop. --resume continues the run, and does what --now
    cut off again, with the same key.
    """
    if file is None and run_id is None:
        raise click.UsageError("Give FILE, or --database and --run.")
    place = LedgerPlace.of(file)
    with place.opened(changes=True) as ledger:
        info = place.find_run(ledger, run_id)
        holder = ledger.find_holder(info.run)
        if holder is None:
            write_rows([[("No process is at work on it.", "")]])
            return
        ledger.ask_to_stop(info.run, now=now)
    name = visible_name(info.run)
    write_rows([[(f"Asked {holder} to stop run {name}{' now' if now else ''}.", "")]])
