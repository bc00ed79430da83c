"""`planspec grammar`: `export` and `show`."""

from __future__ import annotations

from typing import Any

import click

from planspec_lark.cli.arguments import flag
from planspec_lark.cli.help import Choice, Group
from planspec_lark.cli.output import out_option, stop_at, write_out, write_text
from planspec_lark.constrained.export import EXPORTED, TARGETS, TYPES, export_grammar
from planspec_lark.syntax import grammars


@click.group(
    "grammar",
    cls=Group,
    sections={"Commands": ["export", "show"]},
    examples=["planspec grammar export --target gbnf -o plan.gbnf"],
)
def grammar_command() -> None:
    """Export grammars that hold a model to the format."""


@grammar_command.command(
    "export",
    examples=[
        "planspec grammar export --target gbnf -o plan.gbnf",
        "planspec grammar export --target xgrammar --depth 2 --types reason,act",
        "planspec grammar export --target openai --language plan_next",
    ],
    files={"standard output": "The grammar, unless --out names a file."},
)
@click.option("--target", required=True, type=Choice(TARGETS), help="The server or library that reads the grammar.")
@click.option("--language", default="planspec", type=Choice(EXPORTED), help="What the model is to write.")
@click.option("--depth", default=3, metavar="N", help="Allow N levels of steps.")
@click.option("--types", default=",".join(TYPES), metavar="LIST", help="Allow these step types, with commas between.")
@flag("--allow-results", help="Allow status marks, results and progress, too.")
@click.option("--siblings", type=int, metavar="N", help="List all ids, N at each level, so that none comes twice.")
@click.option("--words", type=Choice(("zh", "en")), default="en", help="The language of names in HopSpec documents.")
@out_option
def export(target: str, types: str, out: str, **options: Any) -> None:
    """Write a grammar or a JSON Schema for a model to follow.

    A server that decodes by a grammar lets a model write nothing else. For plan_next there is a JSON Schema.
    """
    names = [name.strip() for name in types.split(",") if name.strip()]
    with stop_at(ValueError, kind=click.UsageError):
        text = export_grammar(target, types=names, **options)
    write_out(out, text)


_SHOWN = [*sorted([*grammars.STARTS, *grammars.DIALECTS]), *grammars.SCHEMAS]


@grammar_command.command(
    "show",
    examples=["planspec grammar show planspec"],
    files={"LANGUAGE": f"One of {', '.join(_SHOWN)}.", "standard output": "The grammar, or the JSON Schema."},
)
@click.argument("language", type=Choice(_SHOWN), metavar="LANGUAGE")
def show(language: str) -> None:
    """Write the file of a grammar or of a JSON Schema."""
    path = grammars.schema_path(language) if language in grammars.SCHEMAS else grammars.grammar_path(language)
    write_text(path.read_text(encoding="utf-8"))
