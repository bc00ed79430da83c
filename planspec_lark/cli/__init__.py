"""The command line `planspec`: one file a command, no logic of its own."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    try:
        import rich  # noqa: F401, PLC0415  (missing without the extra, as click may be)

        from planspec_lark.cli.app import run  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        _leave("The command line needs its extra: pip install 'planspec-lark[cli]'", 2)
    except KeyboardInterrupt:
        _leave("Aborted!", 130)
    if sys.stdout is None or sys.stderr is None:
        _leave("Error: standard output or standard error is closed", 2)
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has seen enough.
        _silence()
        sys.exit(1)
    except OSError as error:
        _silence()
        _leave(f"Error: {error.strerror}", 2)
    sys.exit(code)


def _leave(message: str, code: int) -> NoReturn:
    if sys.stderr is not None:
        sys.stderr.write(message + "\n")
    sys.exit(code)


def _silence() -> None:
    """Keep Python from trying once more, at its end, to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
