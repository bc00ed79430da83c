"""`planspec tools run`."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from typing import Any

import click

from planspec_lark.cli.output import FINDINGS, Unusable, complain, label, stop_on_faults, write_rows, write_text
from planspec_lark.cli.stopping import stoppable, until_stopped
from planspec_lark.cli.tool_files import atoms_option, load_tools, read_tool_plan
from planspec_lark.syntax.source import escape_json, visible_name
from planspec_lark.toolplan.callables import load_entry_point_atoms
from planspec_lark.toolplan.interchange import ToolPlanError
from planspec_lark.toolplan.running import arun_toolplan
from planspec_lark.toolplan.runs import RunEvent, StepStatus, ToolRun, ToolRunError

__all__ = ["run"]

_KEPT = "What is done is kept in the journal; the same command goes on from there."
_WAITING = "Stopping, once what is at work has ended. To leave that alone as well, interrupt once more."
_STYLES = {StepStatus.DONE: "green", StepStatus.FAILED: "bold red", StepStatus.SKIPPED: "bold yellow"}


@click.command("run")
@click.argument("file", metavar="PLAN")
@atoms_option(required=True)
@click.option("--jobs", type=click.IntRange(min=1), default=4, show_default=True, help="Call so many at a time.")
@click.option("--journal", metavar="FILE", help="Keep what is done, and do none of it again.")
@click.option("--dry-run", is_flag=True, help="Only write what would be called, wave by wave.")
def run(file: str, atoms: tuple[str, ...], jobs: int, journal: str | None, dry_run: bool) -> None:
    """Run a plan, and write its outputs as JSON.

    The callables are those that installed packages offer as entry points of the group `planspec_lark.atoms`. Exits with
    0 where all steps are done and all outputs there, 1 where that is not so or something is wrong with the plan, and 2
    where a file or a callable cannot be used.
    """
    plan, registry = read_tool_plan(file), load_tools(atoms)
    try:
        offered = {} if dry_run else load_entry_point_atoms({step.id for step in plan.steps})
        with stoppable(f"Stopped. {_KEPT}" if journal else "Stopped."):
            # Some callables may be asynchronous.
            work = arun_toolplan(plan, registry, offered, jobs=jobs, journal=journal, on_event=_tell, dry_run=dry_run)
            done = asyncio.run(until_stopped(work, _WAITING))
    except ToolPlanError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this plan cannot be run")
    except ToolRunError as error:
        raise Unusable(str(error)) from None
    if dry_run:
        _write_waves(done)
    else:
        for name in done.missing:
            complain(f"{visible_name(name)}: this output of the plan is not there")
        write_text(_to_json(done.outputs, indent=2) + "\n")
        if done.missing or not done.is_done:
            raise click.exceptions.Exit(FINDINGS)


def _tell(event: RunEvent) -> None:
    result = event.result
    if result is not None and result.inputs is None:
        why = f": {result.error}" if result.error else " before" if result.is_reused else ""
        status = (result.status.value, _STYLES[result.status])
        write_rows([[(f"{visible_name(event.step)}: ", ""), status, (why, "")]], to_stderr=True)
        sys.stderr.flush()
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
    return escape_json(json.dumps(_as_json(value), ensure_ascii=False, indent=indent, default=repr, allow_nan=False))


def _as_json(value: Any) -> Any:
    """The value with texts for what JSON does not have. A run has seen to it that it is not too deep for this."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, list):
        return [_as_json(one) for one in value]
    if isinstance(value, dict):
        return {key if isinstance(key, str | int | None) else repr(key): _as_json(one) for key, one in value.items()}
    return value
