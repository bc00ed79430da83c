"""`planspec view`: a plan as a page."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planspec_lark import html
from planspec_lark.cli.arguments import flag, folder_option, plan_argument
from planspec_lark.cli.help import READ, command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import (
    CliError,
    UnreadableFileError,
    complain,
    out_option,
    read_plan,
    readable,
    stop_at,
    write_out,
)
from planspec_lark.runs.summary import StepSum, summarize_run
from planspec_lark.syntax.safe_text import visible_name

if TYPE_CHECKING:
    from planspec_lark.html.server import Follower, PageServer


@command(
    "view",
    examples=[
        "planspec view plan.md -o plan.html",
        "planspec view plan.md --run -o run.html",
        "planspec view plan.md --watch --port 8080",
    ],
    files={
        "FILE": f"{READ} --watch needs a file.",
        "standard output": "The page, unless --out names a file; with --watch, the address.",
    },
    exits={
        1: "FILE is not a plan; with --watch, the page says so instead.",
        2: "A file cannot be read or written, there is no such run, the port or the extra watch cannot be used, or the "
        "arguments are wrong.",
    },
)
@plan_argument()
@out_option
@flag("--watch", help="Serve the page on this machine, and update it when the file changes; write no file.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    show_default="any free port",
    help="The port for --watch.",
)
@click.option(
    "--run",
    "run_id",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[ID]",
    help="Add what each step has taken in this run, or in the last one: attempts, seconds, tokens and errors.",
)
@database_options
@folder_option
def view_command(file: str, out: str, watch: bool, port: int, run_id: str | None) -> None:
    """Write a plan as a page for a browser.

    The page is one HTML file that needs nothing else, with a tree that folds and a diagram. With --watch the page is
    at the address that is shown, until Ctrl-C; this needs the extra watch.
    """
    if not watch:
        plan, run = read_plan(file), () if run_id is None else _read_run(file, run_id)
        write_out(out, html.render_page(plan, name="" if file == "-" else visible_name(Path(file).name), run=run))
        return
    if run_id is not None:
        raise click.UsageError("--watch follows the plan, and --run shows a run as it was.")
    if out != "-":
        raise click.UsageError("--watch writes no file: leave out --out")
    if file == "-":
        raise click.UsageError("--watch needs a file that can be read again")
    _serve(file, port)


def _read_run(file: str, run_id: str) -> Sequence[StepSum]:
    """What the steps of a run have taken; an empty id is that of the last one."""
    if file == "-":
        raise click.UsageError("A ledger is a file beside the plan's file.")
    place, strange = (
        LedgerPlace.of(file),
        (TypeError, ValueError, AttributeError, KeyError, OverflowError, RecursionError),
    )
    # A file may have the form of a ledger, and things in it that no run writes.
    with (
        stop_at(*strange, kind=lambda _: CliError(f"{visible_name(file)}: this is not a ledger of plans")),
        place.reading() as ledger,
    ):
        info = ledger.find_run(run_id) if run_id else place.last_run(ledger)
        if info is None:
            raise UnreadableFileError(file, f"there is no run {visible_name(run_id)}".rstrip())
        return summarize_run(ledger, info.run)


def _serve(file: str, port: int) -> None:
    from planspec_lark.html.server import Follower, WatchError, watching  # noqa: PLC0415  (slow to load)

    with readable(file):
        Path(file).open("rb").close()
    follower = Follower(Path(file))
    try:
        with _listen(follower, port) as server, watching(follower):
            click.echo(f"{visible_name(file)}: {server.url} (Ctrl+C ends it)")
            server.serve_forever()
    except WatchError:
        raise CliError("--watch needs its extra: pip install 'planspec-lark[watch]'") from None
    except KeyboardInterrupt:
        complain("Stopped.")


def _listen(follower: Follower, port: int) -> PageServer:
    from planspec_lark.html.server import PageServer  # noqa: PLC0415  (as above)

    try:
        return PageServer(follower, port)
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
        raise CliError(f"port {port} {reason}") from None
