"""`planspec tools`, except for `run`, which is in :mod:`planspec_lark.cli.tools_run`."""

from __future__ import annotations

from typing import Any, get_args

import click

from planspec_lark.cli import tools_run
from planspec_lark.cli.findings import Outcome, format_option_with, report
from planspec_lark.cli.output import FINDINGS, Unreadable, check_inputs, json_text, label, write_text
from planspec_lark.cli.show import lang_option, write_tree
from planspec_lark.cli.tool_files import (
    atoms_option,
    load_tools,
    read_tool_plan,
    read_whole,
    read_with_faults,
    stop_on_findings,
)
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, PlanSyntaxError
from planspec_lark.syntax.source import visible_name
from planspec_lark.toolplan.checking import check_tool_plan
from planspec_lark.toolplan.drawing import Drawing, draw_toolplan
from planspec_lark.toolplan.interchange import registry_to_value
from planspec_lark.toolplan.models import Registry
from planspec_lark.toolplan.validation import judge, validate_plan_doc
from planspec_lark.toolplan.view import toolplan_to_plan

__all__ = ["command"]

# The codes of findings about tools, which say nothing where no tools are given.
_OF_TOOLS = "PT2"
# What results call a text that is no JSON or YAML.
_NO_OBJECT = "PT102"


@click.group("tools")
def command() -> None:
    """Check, order, show and run structured tool plans.

    Plans are JSON or YAML. A folder of atoms says what tools there are.
    """


command.add_command(tools_run.run)


@command.command("check")
@click.argument("files", nargs=-1, required=True, metavar="PLAN...")
@atoms_option(required=True)
@format_option_with("result")
@click.option("--strict", is_flag=True, help="Let warnings fail the check as well.")
def check(files: tuple[str, ...], atoms: tuple[str, ...], form: str, strict: bool) -> None:
    """Check plans: structure, tools, references and dependencies.

    The format `result` is one JSON object for one plan: `valid`, with `warnings` and `execution_order` or with
    `errors`, whose codes are names such as UNKNOWN_ATOM_ID.

    Exits with 0 where nothing is wrong, 1 where something is, and 2 where a file cannot be read.
    """
    check_inputs(*files)
    if form == "result" and len(files) > 1:
        raise click.UsageError("A result is that of one plan.")
    registry = load_tools(atoms)
    if form == "result":
        result = _find_result(files[0], registry)
        write_text(json_text(result))
        if not result["valid"] or (strict and result["warnings"]):
            raise click.exceptions.Exit(FINDINGS)
    else:
        report(form, ((file, _check(file, registry, form)) for file in files), strict=strict)


def _check(file: str, registry: Registry, form: str) -> Outcome | str:
    try:
        return Outcome.of(check_tool_plan(read_with_faults(file), registry), form)
    except PlanSyntaxError as error:
        return Outcome.of(error.diagnostics, form)
    except Unreadable as error:
        return error.format_message()


def _find_result(file: str, registry: Registry) -> dict[str, Any]:
    """The plan's result as its source has it. A text that is no JSON or YAML has no object at its top."""
    try:
        read = read_with_faults(file)
        faults = read.diagnostics if read.has_errors else []
    except PlanSyntaxError as error:
        faults = error.diagnostics
    if faults:
        return {"valid": False, "errors": [_to_error(fault) for fault in faults]}
    result = validate_plan_doc(read.value, registry)
    return {name: value for name, value in result.items() if name != "execution_waves"}


def _to_error(fault: Diagnostic) -> dict[str, str]:
    place = f" ({fault.code} at {fault.line}:{fault.column})" if fault.span else f" ({fault.code})"
    message = visible_name(fault.message[:1].upper() + fault.message[1:]) + place
    return {"code": CODES[_NO_OBJECT].name, "message": message, "path": visible_name(fault.path) or "$"}


@command.command("atoms")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def write_atoms(paths: tuple[str, ...]) -> None:
    """Write the tools in files and folders as one list of atoms, in JSON.

    They may be atoms already, or lists of tools for OpenAI, Anthropic or MCP. What such a list says and atoms cannot
    say is written to standard error, all of it.
    """
    write_text(json_text(registry_to_value(load_tools(paths, is_brief=False))))


@command.command("order")
@click.argument("file", metavar="PLAN")
@atoms_option(required=False)
@click.option("--waves", is_flag=True, help="Write the number of its wave and a tab in front of each.")
@click.option("--json", "as_json", is_flag=True, help="Write the order and the waves as JSON.")
def order(file: str, atoms: tuple[str, ...], waves: bool, as_json: bool) -> None:
    """Write the names of a plan's steps in an order to run them in.

    Steps of a wave may run side by side. Exits with 1 where something is wrong with the plan; without --atoms, nothing
    is said about its tools.
    """
    read = read_whole(file)
    verdict = judge(read.value, load_tools(atoms))
    errors = [one for one in verdict.errors if atoms or not one.code.startswith(_OF_TOOLS)]
    if errors:
        stop_on_findings(errors, read, f"{visible_name(label(file))}: there is no order")
    ordering = verdict.plan.ordering
    in_order, in_waves = verdict.names(ordering.order), [verdict.names(wave) for wave in ordering.waves]
    if as_json:
        plain = {"execution_order": in_order, "execution_waves": in_waves}
        write_text(json_text(plain))
    elif waves:
        rows = ((at, name) for at, wave in enumerate(in_waves, 1) for name in wave)
        write_text("".join(f"{at}\t{visible_name(name)}\n" for at, name in rows))
    else:
        write_text("".join(f"{visible_name(name)}\n" for name in in_order))


@command.command("graph")
@click.argument("file", metavar="PLAN")
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(Drawing)),
    default="mermaid",
    show_default=True,
    help="The language of the drawing.",
)
def graph(file: str, form: Drawing) -> None:
    """Write a plan as a drawing.

    An arrow leads from each step to those that depend on it.
    """
    write_text(draw_toolplan(read_tool_plan(file), form))


@command.command("show")
@click.argument("file", metavar="PLAN")
@atoms_option(required=False)
@click.option("--plan", "as_plan", is_flag=True, help="Write a PlanSpec document, for other commands to read.")
@click.option("--full", is_flag=True, help="Hide nothing.")
@lang_option
def show(file: str, atoms: tuple[str, ...], as_plan: bool, full: bool, language: str | None) -> None:
    """Show a plan's steps in the order in which they are run."""
    plan = toolplan_to_plan(read_tool_plan(file), load_tools(atoms))
    if as_plan:
        write_text(serialize_plan(plan))
    else:
        write_tree(plan, full=full, language=language)
