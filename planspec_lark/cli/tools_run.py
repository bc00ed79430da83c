"""`planspec tools run`."""

from __future__ import annotations

import json

import click

from planspec_lark.cli.output import FINDINGS, Unusable, complain, label, stop_on_faults, write_text
from planspec_lark.cli.stopping import stoppable
from planspec_lark.cli.tool_files import atoms_option, load_tools, read_tool_plan
from planspec_lark.source import escape_json, visible_name
from planspec_lark.toolplan.callables import load_entry_point_atoms
from planspec_lark.toolplan.interchange import ToolPlanError
from planspec_lark.toolplan.running import run_toolplan
from planspec_lark.toolplan.runs import RunEvent, ToolRun, ToolRunError

__all__ = ["run"]

_KEPT = "What is done is kept in the journal; the same command goes on from there."


@click.command("run")
@click.argument("file", metavar="PLAN")
@atoms_option(required=True)
@click.option("--jobs", type=click.IntRange(min=1), default=4, show_default=True, help="Call so many at a time.")
@click.option("--journal", metavar="FILE", help="Keep what is done, and do none of it again.")
@click.option("--dry-run", is_flag=True, help="Only write what would be called, wave by wave.")
def run(file: str, atoms: tuple[str, ...], jobs: int, journal: str | None, dry_run: bool) -> None:
    """Run a plan, and write its outputs as JSON.

    The callables are those that installed packages offer as entry points of the group `planspec_lark.atoms`. Exits with
    0 where all steps are done, 1 where one has failed or something is wrong with the plan, and 2 where a file or a
    callable cannot be used.
    """
    plan, registry = read_tool_plan(file), load_tools(atoms)
    try:
        offered = {} if dry_run else load_entry_point_atoms({step.id for step in plan.steps})
        with stoppable(f"Stopped. {_KEPT}" if journal else "Stopped."):
            done = run_toolplan(plan, registry, offered, jobs=jobs, journal=journal, on_event=_tell, dry_run=dry_run)
    except ToolPlanError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this plan cannot be run")
    except ToolRunError as error:
        raise Unusable(str(error)) from None
    if dry_run:
        _write_waves(done)
    else:
        write_text(_to_json(done.outputs, indent=2) + "\n")
        if not done.is_done:
            raise click.exceptions.Exit(FINDINGS)


def _tell(event: RunEvent) -> None:
    result = event.result
    if result is not None and result.inputs is None:
        why = f": {result.error}" if result.error else " before" if result.is_reused else ""
        complain(f"{visible_name(event.step)}: {result.status.value}{why}")
        for warning in result.warnings:
            complain(f"{visible_name(event.step)}: warning: {warning}")


def _write_waves(done: ToolRun) -> None:
    for number, wave in enumerate(done.waves(), 1):
        for one in wave:
            name, atom_id = visible_name(one.step), visible_name(one.atom_id)
            said = "" if one.inputs is None else f"\t{_to_json(one.inputs)}"
            write_text(f"{number}\t{name}\t{atom_id}\t{one.status.value}{said}\n")


def _to_json(value: object, indent: int | None = None) -> str:
    """A value as JSON; of what JSON does not have, how Python shows it."""
    return escape_json(json.dumps(value, ensure_ascii=False, indent=indent, default=repr))
