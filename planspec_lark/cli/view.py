"""`planspec view`."""

from __future__ import annotations

import errno
from pathlib import Path

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import Unreadable, Unusable, complain, label, out_option, read_plan, write_out
from planspec_lark.html.render import render_page
from planspec_lark.html.server import Follower, PageServer, WatchError, watching
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("view")
@plan_argument()
@out_option
@click.option("--watch", is_flag=True, help="Serve the page on this machine, and let it follow the file.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="For --watch; by default any that is free."
)
@folder_option
def command(file: str, out: str, watch: bool, port: int) -> None:
    """Write a plan as a page for a browser.

    That is one HTML file which needs nothing else. With --watch nothing is written; the page is at the address that is
    shown, and changes as the file does. Exits with 1 where the file is no plan (with --watch, the page says so), and
    with 2 where it cannot be read or served.
    """
    if not watch:
        _, plan = read_plan(file)
        write_out(out, render_page(plan, name="" if file == "-" else visible_name(Path(file).name)))
        return
    if out != "-":
        raise click.UsageError("--watch writes no file: leave out --out")
    if file == "-":
        raise click.UsageError("--watch needs a file that can be read again")
    _serve(file, port)


def _serve(file: str, port: int) -> None:
    path = Path(file)
    try:
        path.open("rb").close()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(label(file), reason or "cannot be read") from None
    follower = Follower(path)
    try:
        with _listen(follower, port) as server, watching(follower):
            click.echo(f"{visible_name(file)}: {server.url} (Ctrl+C ends it)")
            server.serve_forever()
    except WatchError:
        raise Unusable("--watch needs its extra: pip install 'planspec-lark[watch]'") from None
    except KeyboardInterrupt:
        complain("Stopped.")


def _listen(follower: Follower, port: int) -> PageServer:
    try:
        return PageServer(follower, port)
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
        raise Unusable(f"port {port} {reason}") from None
