"""What a code means: its summary, an explanation, and examples."""

from __future__ import annotations

import re

import click

from planspec_lark.cli.help import command
from planspec_lark.cli.output import write_text
from planspec_lark.syntax.codes import CODES
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.explanations import explanation

__all__ = ["explain_command"]

_LONGEST = 20
_FENCE = re.compile(r"(?P<ticks>`{3,})(?P<info>.*)\n(?P<text>(?:.*\n)*?)(?P=ticks)\n")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_TITLES = {"bad": "Wrong", "good": "Right", "refused": "Refused", "accepted": "Accepted", "plan": "For this plan"}


@command(
    "explain",
    examples=["planspec explain PS110"],
    files={
        "CODE": "The code of a finding, such as PS110.",
        "standard output": "What it means, a text that causes it and a text that does not.",
    },
    exits={2: "There is no such code."},
)
@click.argument("code", metavar="CODE")
def explain_command(code: str) -> None:
    """Explain the code of a finding, with examples."""
    found = CODES.get(code.upper())
    if found is None:
        said = shorten(code, _LONGEST)
        raise click.UsageError(f"No such code {said!r}. Codes are two letters and three digits, such as PS110.")
    # Links lead nowhere on a terminal.
    text = _LINK.sub(r"\1", explanation(found.code).replace("**", "", 2))
    write_text(f"{found.code} {found.name}\n\n{_FENCE.sub(_example, text)}")


def _example(fence: re.Match[str]) -> str:
    language, _, kind = fence["info"].partition(" ")
    title = "In Python" if language == "python" else _TITLES[kind]
    rows = (f"    {row}".rstrip() for row in fence["text"].splitlines())
    return "\n".join([f"{title}:", "", *rows, ""])
