"""`planspec view`: a plan as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from planspec_lark import html
from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.help import READ, command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import (
    out_option,
    read_plan,
    write_out,
)
from planspec_lark.runs.summary import StepSum, summarize_run
from planspec_lark.syntax.safe_text import visible_name


@command(
    "view",
    examples=[
        "planspec view plan.md -o plan.html",
        "planspec view plan.md --run -o run.html",
    ],
    files={
        "FILE": READ,
        "standard output": "The page, unless --out names a file.",
    },
    exits={
        1: "FILE is not a plan.",
        2: "A file cannot be read or written, there is no such run, or the arguments are wrong.",
    },
)
@plan_argument()
@out_option
@click.option(
    "--run",
    "run_id",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[ID]",
    help="Add the attempts, seconds, tokens and errors of each step in this run, or in the last one.",
)
@database_options
@folder_option
def view_command(file: str, out: str, run_id: str | None) -> None:
    """Write a plan as a page for a browser.

    The page is one HTML file with a tree that folds and a diagram.
    """
    plan, run = read_plan(file), () if run_id is None else _read_run(file, run_id)
    write_out(out, html.render_page(plan, name="" if file == "-" else visible_name(Path(file).name), run=run))


def _read_run(file: str, run_id: str) -> Sequence[StepSum]:
    """What the steps of a run have taken; an empty id is that of the last one."""
    place = LedgerPlace.of(file)
    with place.looked_into() as ledger:
        return summarize_run(ledger, place.find_run(ledger, run_id).run)
