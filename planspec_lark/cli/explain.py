"""What a code means: its summary, an explanation, and examples."""

from __future__ import annotations

import re

import click

from planspec_lark.cli.help import command, did_you_mean
from planspec_lark.cli.output import write_text
from planspec_lark.syntax.codes import CODES, Code
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.explanations import explanation

__all__ = ["explain_command"]

_LONGEST = 40
_FENCE = re.compile(r"(?P<ticks>`{3,})(?P<info>.*)\n(?P<text>(?:.*\n)*?)(?P=ticks)\n")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_TITLES = {"bad": "Wrong", "good": "Right", "refused": "Refused", "accepted": "Accepted", "plan": "For this plan"}


@command(
    "explain",
    examples=["planspec explain PS110", "planspec explain bad-id"],
    files={
        "CODE": "The code of a finding, such as PS110, or its name, such as bad-id.",
        "standard output": "What it means, a text that causes it and a text that does not.",
    },
    exits={2: "There is no such code."},
)
@click.argument("code")
def explain_command(code: str) -> None:
    """Explain the code of a finding, with examples.

    Where several languages have a finding of this name, each is explained.
    """
    write_text("\n".join(_explain(one) for one in _find(code)))


def _find(word: str) -> list[Code]:
    """What has this code or this name."""
    wanted = word.casefold()
    found = [one for one in CODES.values() if wanted in (one.code.casefold(), one.name.casefold())]
    if not found:
        begun = [one for one in CODES if word and one.startswith(word.upper())]
        near = did_you_mean(begun[0] if begun else word, [*CODES, *(one.name for one in CODES.values())])
        said = "Codes are two letters and three digits, such as PS110, which has the name bad-id."
        raise click.UsageError(f"No such code {shorten(word, _LONGEST)!r}. {said}{near}")
    return found


def _explain(code: Code) -> str:
    # Links lead nowhere on a terminal.
    text = _LINK.sub(r"\1", explanation(code.code).replace("**", "", 2))
    return f"{code.code} {code.name}\n\n{_FENCE.sub(_example, text)}"


def _example(fence: re.Match[str]) -> str:
    language, _, kind = fence["info"].partition(" ")
    title = "In Python" if language == "python" else _TITLES[kind]
    rows = (f"    {row}".rstrip() for row in fence["text"].splitlines())
    return "\n".join([f"{title}:", "", *rows, ""])
