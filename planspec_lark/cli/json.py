"""`planspec json`."""

from __future__ import annotations

import json

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import read_plan, write_text
from planspec_lark.planspec.interchange import plan_json_schema, plan_to_json

__all__ = ["command"]


@click.command("json")
@plan_argument(required=False)
@click.option("--compact", is_flag=True, help="Write it in one line.")
@click.option("--schema", is_flag=True, help="Write the JSON Schema of the output instead.")
@folder_option
def command(file: str | None, compact: bool, schema: bool) -> None:
    """Write a plan as JSON."""
    indent = None if compact else 2
    if schema:
        write_text(json.dumps(plan_json_schema(), indent=indent) + "\n")
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    _, plan = read_plan(file)
    write_text(plan_to_json(plan, indent=indent) + "\n")
