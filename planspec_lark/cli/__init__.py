"""The command line `planspec`: one file a command, no logic of its own."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; where its extra is not installed, say so."""
    try:
        from planspec_lark.cli.app import cli  # noqa: PLC0415  (its libraries may be missing)
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        sys.stderr.write("The command line needs its extra: pip install 'planspec-lark[cli]'\n")
        sys.exit(2)
    cli()
