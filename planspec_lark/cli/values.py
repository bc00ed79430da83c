"""Values by name, as single options and as a file of JSON: what a run is given, and what a step produces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from planspec_lark.cli.arguments import options, repeated_option
from planspec_lark.cli.output import UnreadableFileError, label, read_text, write_diagnostics
from planspec_lark.syntax import Limits, PlanSyntaxError
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["read_values", "value_options"]

# Some of them may be whole documents.
_LIMITS = Limits(max_bytes=20_000_000, max_depth=64, max_findings=100)


def value_options(kind: str, what: str) -> Callable[[Any], Any]:
    """The options --KIND NAME=TEXT and --KINDs FILE; ``what`` a value is for."""
    return options(
        repeated_option(
            f"--{kind}",
            f"{kind}s",
            metavar="NAME=TEXT",
            help=f"A value {what}; repeatable.",
        ),
        click.option(f"--{kind}s", f"{kind}s_file", metavar="FILE", help=f"Values {what}, as a JSON object."),
    )


def read_values(kind: str, file: str | None, pairs: Sequence[str]) -> dict[str, Any]:
    """The values that a call gives; those of single options count for more than the file's."""
    values: dict[str, Any] = {}
    if file is not None:
        from planspec_lark.json_text import read_json  # noqa: PLC0415  (slow to load, and most calls bring no file)

        try:
            read = read_json(read_text(file, _LIMITS), name=label(file), limits=_LIMITS)
            faults, values = read.diagnostics, read.value
        except PlanSyntaxError as error:
            faults = error.diagnostics
        if faults:
            write_diagnostics(faults)
            raise UnreadableFileError(label(file), f"--{kind}s takes a JSON object")
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--{kind}: expected NAME=TEXT, not {visible_name(pair)!r}")
        values[name] = text
    return values
