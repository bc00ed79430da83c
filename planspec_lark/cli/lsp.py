"""`planspec lsp`."""

from __future__ import annotations

import gc
import signal
import sys

from planspec_lark.cli.help import command
from planspec_lark.cli.output import CliError, complain, leave, needing_extra

__all__ = ["lsp_command"]


@command(
    "lsp",
    examples=["planspec lsp"],
    files={
        "standard input": "Messages of the editor, in the Language Server Protocol.",
        "standard output": "The answers. No file is read or written.",
    },
    exits={
        0: "The editor has shut the server down.",
        1: "The editor has ended it without a shutdown.",
        2: "The extra lsp is missing, or standard input is closed.",
    },
)
def lsp_command() -> None:
    """Serve plans to an editor, as a language server.

    An editor starts it, and it ends with the editor. It needs the extra lsp.
    """
    with needing_extra("lsp", "pygls", "lsprotocol"):
        from planspec_lark.lsp.server import serve  # noqa: PLC0415  (an extra, and slow to load)
    if sys.stdin is None:
        raise CliError("standard input is closed")
    # Nothing needs to be closed, and a thread still waits for standard input.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin.isatty():
        complain("A language server talks to a program: start it from an editor. Ctrl+C ends it.")
    # What is loaded by now stays: no answer is to wait until the collector has gone over it again.
    gc.freeze()
    leave(serve())
