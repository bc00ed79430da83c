"""`planspec lsp`."""

from __future__ import annotations

import gc
import signal
import sys

import click

from planspec_lark.cli.output import Unusable, complain, leave

__all__ = ["lsp_command"]


@click.command("lsp")
def lsp_command() -> None:
    """Serve plans to an editor, as a language server.

    It talks on standard input and output: an editor starts it, and it ends with that. It reads and writes no file.
    Exits with 1 where the editor ends it without asking it to shut down, and with 2 where it cannot work.
    """
    try:
        from planspec_lark.lsp.server import serve  # noqa: PLC0415  (an extra, and slow to load)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise Unusable("planspec lsp needs its extra: pip install 'planspec-lark[lsp]'") from None
    if sys.stdin is None:
        raise Unusable("standard input is closed")
    # There is nothing to end in order, and a thread waits for standard input.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin.isatty():
        complain("A language server talks to a program: start it from an editor. Ctrl+C ends it.")
    # What is loaded by now stays: no answer is to wait until the collector has gone over it again.
    gc.freeze()
    leave(serve())
