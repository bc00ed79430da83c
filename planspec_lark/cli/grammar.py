"""`planspec grammar`: `export` and `show`."""

from __future__ import annotations

from typing import Any

import click

from planspec_lark.cli.arguments import flag
from planspec_lark.cli.output import out_option, stop_at, write_out, write_text
from planspec_lark.constrained.export import EXPORTED, TARGETS, TYPES, export_grammar
from planspec_lark.syntax import grammars


@click.group("grammar")
def grammar_command() -> None:
    """The grammars, and what holds a language model to them."""


@grammar_command.command("export")
@click.option("--target", required=True, type=click.Choice(TARGETS), help="What will read it.")
@click.option("--language", default="planspec", type=click.Choice(EXPORTED), help="The language.")
@click.option("--depth", default=3, metavar="N", help="Levels of steps.")
@click.option("--types", default=",".join(TYPES), metavar="LIST", help="Step types, with commas.")
@flag("--allow-results", help="Allow marks, results and progress, too.")
@click.option("--siblings", type=int, metavar="N", help="Spell all ids out, N at each level, so that none comes twice.")
@click.option("--words", type=click.Choice(("zh", "en")), default="en", help="Whose names HopSpec documents have.")
@out_option
def export(target: str, types: str, out: str, **options: Any) -> None:
    """Write a grammar or a JSON Schema for a model to follow.

    Grammars are those of fresh plans, of commands and of HopSpec documents; for plan_next there is a JSON Schema.
    """
    names = [name.strip() for name in types.split(",") if name.strip()]
    with stop_at(ValueError, kind=click.UsageError):
        text = export_grammar(target, types=names, **options)
    write_out(out, text)


@grammar_command.command("show")
@click.argument("language", type=click.Choice([*sorted(grammars.STARTS), *grammars.SCHEMAS]))
def show(language: str) -> None:
    """Write a grammar's file as it is, or the file of a JSON Schema."""
    path = grammars.schema_path(language) if language in grammars.SCHEMAS else grammars.grammar_path(language)
    write_text(path.read_text(encoding="utf-8"))
