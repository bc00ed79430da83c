"""What is said of a fault of this package: a plain sentence to the client, and one line to whoever runs the server."""

from __future__ import annotations

from logging import getLogger
from pathlib import Path
from traceback import format_exception_only, walk_tb

from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.source import one_line, visible

__all__ = ["report_crash"]

_LOG = getLogger("planspec_lark.mcp_server")


def report_crash(what: str, error: Exception) -> str:
    """Log what has gone wrong and where, in one line.

    Returns:
        What a client may know of it: neither texts nor paths of this machine.
    """
    said = shorten(visible(one_line("".join(format_exception_only(error)))))
    where = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    place = f" ({Path(where[-1][0]).name}, line {where[-1][1]})" if where else ""
    _LOG.error("Error: %s has failed: %s%s", what, said, place)
    return f"{what} has failed by a fault of the server itself ({type(error).__name__}), which has logged it."
