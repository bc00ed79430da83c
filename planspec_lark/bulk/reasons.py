"""Why something failed, for a report."""

from __future__ import annotations

__all__ = ["reason_of"]


def reason_of(error: BaseException) -> str:
    """Why something failed, in a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
