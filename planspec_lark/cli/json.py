"""`planspec json`."""

from __future__ import annotations

import json

import click

from planspec_lark.cli.output import label, read_text, stop_on_faults, write_text
from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.planspec.interchange import plan_json_schema, plan_to_json
from planspec_lark.planspec.reading import parse_plan
from planspec_lark.source import visible_name

__all__ = ["command"]


@click.command("json")
@click.argument("file", metavar="FILE", required=False)
@click.option("--compact", is_flag=True, help="Write it in one line.")
@click.option("--schema", is_flag=True, help="Write the JSON Schema of the output instead.")
def command(file: str | None, compact: bool, schema: bool) -> None:
    """Write a plan as JSON."""
    indent = None if compact else 2
    if schema:
        write_text(json.dumps(plan_json_schema(), indent=indent) + "\n")
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    try:
        plan = parse_plan(read_text(file), name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this is no plan")
    write_text(plan_to_json(plan, indent=indent) + "\n")
