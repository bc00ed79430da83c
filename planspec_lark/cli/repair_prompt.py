"""`planspec repair-prompt`."""

from __future__ import annotations

import click

from planspec_lark.answers.repair import MAX_FAULTS, repair_prompt
from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import FINDINGS, Unusable, label, read_text, stop_on_faults, write_text
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.prompt_templates import LANGUAGES
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("repair-prompt")
@plan_argument()
@click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of the prompt.")
@click.option("--max-faults", type=click.IntRange(min=1), default=MAX_FAULTS, show_default=True, help="Show so many.")
@folder_option
def command(file: str, language: str, max_faults: int) -> None:
    """Write what asks a model to mend single lines of its plan.

    planspec splice puts its answer into the plan. Exits with 0, and writes nothing, where nothing is to be mended; with
    1 where something is.
    """
    try:
        prompt = repair_prompt(read_text(file), language=language, max_faults=max_faults, name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: nothing was read")
    except ValueError as error:
        raise Unusable(f"{visible_name(label(file))}: {error}") from None
    if prompt:
        write_text(prompt)
        raise click.exceptions.Exit(FINDINGS)
