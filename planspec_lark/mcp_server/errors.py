"""What clients are told of what goes wrong."""

from __future__ import annotations

from logging import getLogger
from pathlib import Path
from traceback import extract_tb, format_exception_only

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from planspec_lark.document.file import PlanBusyError
from planspec_lark.folder.models import FolderError, FolderErrorReason
from planspec_lark.syntax.diagnostics import PlanSpecError, PlanSyntaxError, brief, render_all

__all__ = ["MAX_FINDINGS", "RefusedError", "report_crash", "to_error"]

_LOG = getLogger("planspec_lark.mcp_server")

# The most findings of an answer.
MAX_FINDINGS = 20


class RefusedError(PlanSpecError):
    """Something that is not done; the text says why, and what to do instead."""


def to_error(what: str, error: Exception, *, reads: bool) -> MCPError:
    """The error of the protocol for what a request ends with; a fault of this package is logged, too."""
    if not isinstance(error, PlanSpecError):
        more = "" if reads else " Read the plan: it may have been changed."
        return MCPError(INTERNAL_ERROR, f"{report_crash(what, error)}{more}")
    said = str(error)
    if isinstance(error, PlanSyntaxError):
        found = render_all(error.diagnostics[: MAX_FINDINGS + 1])
        said = f"This is not a plan:\n\n{found}"
    elif isinstance(error, PlanBusyError):
        said += ". Try again later; nothing was changed."
    is_ours = isinstance(error, FolderError) and error.reason is FolderErrorReason.UNUSABLE
    return MCPError(INTERNAL_ERROR if is_ours else INVALID_PARAMS, said)


def report_crash(what: str, error: Exception) -> str:
    """Log what has gone wrong and where, in one line.

    Returns:
        What a client may know of it: neither texts nor paths of this machine.
    """
    said = brief("".join(format_exception_only(error)))
    place = extract_tb(error.__traceback__)[-1]
    _LOG.error("Error: %s has failed: %s (%s, line %s)", what, said, Path(place.filename).name, place.lineno)
    return f"{what} has failed by a fault of the server itself ({type(error).__name__}), which has logged it."
