"""`planspec tools`: structured plans of tool calls in files, checked, ordered, shown and run."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from planspec_lark import tool_runner, toolplan
from planspec_lark.cli.arguments import SECONDS, count_option, flag, repeated_option
from planspec_lark.cli.check import check_files, report_options
from planspec_lark.cli.help import Group
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import (
    FINDINGS,
    UNFINISHED,
    UNREADABLE,
    UnreadableFileError,
    check_inputs,
    complain,
    fail,
    fail_on,
    label,
    leave,
    read_text,
    readable,
    stop_on_faults,
    write_diagnostics,
    write_json,
    write_rows,
    write_text,
)
from planspec_lark.cli.plans import tree_options, write_tree
from planspec_lark.cli.signals import stoppable, until_stopped
from planspec_lark.files import reason_of
from planspec_lark.json_text import JsonText
from planspec_lark.json_text.findings import first_findings
from planspec_lark.runs import Budget, StepPolicy, ledger_path
from planspec_lark.runs.ledger import NoLedgerError
from planspec_lark.syntax import CODES, Diagnostic, PlanSyntaxError
from planspec_lark.syntax.safe_text import safe_json, visible_name
from planspec_lark.tool_runner import StepResult
from planspec_lark.toolplan import Registry, ToolPlan, check_tool_plan, load_atoms
from planspec_lark.toolplan.parser import DOC_JSON_LIMITS, read_doc, read_doc_file, scan_doc
from planspec_lark.toolplan.structure import outline

if TYPE_CHECKING:
    from planspec_lark.tool_runner import StepStarted, ToolRun

# What results call a text that is not JSON or YAML.
_NO_OBJECT = "PT102"

_plan_argument = click.argument("file", metavar="PLAN")


def _atoms_option(*, required: bool) -> Callable[[Any], Any]:
    """The option that says what tools there are; :func:`_load_tools` takes it."""
    text = "Definitions of tools: a JSON or YAML file, or a folder of them; repeatable."
    return repeated_option("--atoms", required=required, metavar="PATH", help=text)


_READ = "The plan to read: a JSON or YAML file, or - for standard input."
_ATOMS = "The tools to read: atoms, or a list of tools for OpenAI, Anthropic or MCP."


@click.group(
    "tools",
    cls=Group,
    sections={"Check and show": ["check", "show"], "Run": ["run"]},
    examples=[
        "planspec tools check bread.json --atoms atoms.json",
        "planspec tools run bread.json --atoms atoms.json --dry-run",
    ],
)
def tools_command() -> None:
    """Check, show and run plans of tool calls.

    Such a plan is JSON or YAML: steps that each call a tool, with inputs and outputs. YAML needs the extra yaml.
    """


@tools_command.command(
    "check",
    examples=[
        "planspec tools check bread.json --atoms atoms.json",
        "planspec tools check bread.json --atoms atoms.json --format result",
    ],
    files={
        "PLAN": "The plans to read: JSON or YAML files, or - for standard input.",
        "--atoms PATH": _ATOMS,
        "standard output": "The findings in the chosen format.",
        "standard error": "Warnings about the tools.",
    },
    exits={
        0: "No errors (with --strict: no warnings either).",
        1: "There are errors.",
        2: "A file cannot be read, or the arguments are wrong.",
    },
)
@click.argument("files", nargs=-1, required=True, metavar="PLAN...")
@_atoms_option(required=True)
@flag("--tolerant", help="Take plans out of prose and code fences, and repair them.")
@report_options("result")
def check(  # noqa: PLR0913, PLR0917  (the options)
    files: tuple[str, ...], atoms: tuple[str, ...], tolerant: bool, form: str, strict: bool, info: bool
) -> None:
    """Check plans: structure, tools, references and dependencies.

    The format `result` is a JSON object for one plan: `valid`, with `warnings` and `execution_order`, or `errors` with
    codes such as UNKNOWN_ATOM_ID.
    """
    check_inputs(*files)
    if form == "result" and len(files) > 1:
        raise click.UsageError("A result is that of one plan.")
    registry = _load_tools(atoms)
    if form == "result":
        result = _find_result(files[0], registry, tolerant)
        write_json(result)
        if not result["valid"] or (strict and result["warnings"]):
            leave(FINDINGS)
    else:

        def check_file(file: str) -> list[Diagnostic]:
            return check_tool_plan(_read_doc(file, tolerant), registry)

        check_files(check_file, files, form, strict=strict, info=info)


def _find_result(file: str, registry: Registry, tolerant: bool) -> dict[str, Any]:
    """The plan's result as its source has it. A text that is not JSON or YAML has no object at its top."""
    try:
        read = _read_doc(file, tolerant)
        faults = read.diagnostics if read.has_errors else []
    except PlanSyntaxError as error:
        faults = error.diagnostics
    if faults:
        return {"valid": False, "errors": [_to_error(fault) for fault in faults]}
    result = toolplan.validate_plan_doc(read.value, registry)
    return {name: value for name, value in result.items() if name != "execution_waves"}


def _to_error(fault: Diagnostic) -> dict[str, str]:
    place = f" ({fault.code} at {fault.line}:{fault.column})" if fault.span else f" ({fault.code})"
    message = visible_name(fault.message[:1].upper() + fault.message[1:]) + place
    return {"code": CODES[_NO_OBJECT].name, "message": message, "path": visible_name(fault.path) or "$"}


@tools_command.command(
    "show",
    examples=["planspec tools show bread.json", "planspec tools show bread.json --plan"],
    files={"PLAN": _READ, "--atoms PATH": _ATOMS, "standard output": "The tree; with --plan, a plan."},
    exits={1: "PLAN is not a plan.", 2: "A file cannot be read, or the arguments are wrong."},
)
@_plan_argument
@_atoms_option(required=False)
@tree_options
def show(file: str, atoms: tuple[str, ...], **how: Any) -> None:
    """Show a plan as a tree, in the order in which its steps are run."""
    write_tree(toolplan.toolplan_to_plan(_read_plan(file), _load_tools(atoms)), **how)


# ---------------------------------------------------------------- files


def _read_doc(file: str, tolerant: bool = False) -> JsonText:
    """A plan's text; its name says what it is, or else what it begins with. Or else the plan that is in it.

    Raises:
        PlanSyntaxError: it is not UTF-8, or too large.
        UnreadableFileError: it cannot be read.
    """
    with readable(file):
        if file == "-":
            return (scan_doc if tolerant else read_doc)(read_text(file, DOC_JSON_LIMITS), name=label(file))
        return read_doc_file(file, tolerant=tolerant)


def _read_plan(file: str) -> ToolPlan:
    """The plan in a file; leaves with its faults."""
    with stop_on_faults(file):
        read = _read_doc(file)
    if read.has_errors:
        fail_on(file, "this is not a plan", found=read.diagnostics)
    if findings := outline(read.value).findings:
        fail_on(file, "this is not a plan", found=first_findings(findings, read, DOC_JSON_LIMITS.max_findings))
    return toolplan.tool_plan_from_dict(read.value)


def _load_tools(paths: tuple[str, ...]) -> Registry:
    """The tools in files and folders; leaves with their faults, and writes their warnings to standard error."""
    try:
        registry = load_atoms(*paths)
    except PlanSyntaxError as error:
        fail("these are not atoms", UNREADABLE, error.diagnostics)
    except (OSError, ValueError) as error:
        file = getattr(error, "filename", None) or paths[0]
        raise UnreadableFileError(str(file), reason_of(error)) from None
    write_diagnostics(registry.diagnostics)
    return registry


# ---------------------------------------------------------------- running

_KEPT = "What is done is kept in the ledger; the same command continues from there."
_WAITING = "Stopping, once the running calls have ended. To stop at once, interrupt again."
_STYLES = {"done": "green", "failed": "bold red", "skipped": "bold yellow"}


@tools_command.command(
    "run",
    examples=[
        "planspec tools run bread.json --atoms atoms.json --dry-run",
        "planspec tools run bread.json --atoms atoms.json --resume --retries 2",
    ],
    files={
        "PLAN": _READ,
        "--atoms PATH": _ATOMS,
        "PLAN.ledger": "With --resume: what is done, with all outputs; `planspec log PLAN` shows it.",
        "standard output": "The outputs of the plan as JSON; with --dry-run, the calls.",
        "standard error": "The outcome of each step.",
    },
    exits={
        0: "All steps are done, and all outputs are there.",
        1: "A step has failed, an output is missing, or the plan has errors.",
        2: "A file or a callable cannot be used, or the arguments are wrong.",
        3: "--max-calls is used up, or it was stopped.",
        130: "Interrupted, once the running calls had ended.",
        143: "Terminated, in the same way.",
    },
)
@_plan_argument
@_atoms_option(required=True)
@count_option("--jobs", default=4, metavar="N", help="Make at most N calls at a time.")
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="A step has failed whose call takes longer.")
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    metavar="N",
    help="Call a tool that raised an exception again, at most N times, after growing pauses.",
)
@count_option("--max-calls", metavar="N", help="Stop after N calls.")
@flag("--resume", help="Keep what is done in PLAN.ledger, and do none of it again.")
@database_options
@flag("--dry-run", help="Call nothing; show what would be called, wave by wave.")
def run(file: str, atoms: tuple[str, ...], dry_run: bool, **given: Any) -> None:
    """Run a plan, and write its outputs as JSON.

    Tools are Python callables that installed packages offer as entry points of the group `planspec_lark.atoms`. No
    program is started.
    """
    import asyncio  # noqa: PLC0415  (slow to load, and only needed here)

    place, ledger = LedgerPlace.of(file), None
    if given["resume"] and place.database is None:
        if file == "-":
            raise click.UsageError("--resume needs a file to keep a ledger beside.")
        ledger = str(ledger_path(file))
    plan, registry = _read_plan(file), _load_tools(atoms)
    with (
        stop_on_faults(file, "this plan cannot be run"),
        stoppable(f"Stopped. {_KEPT}" if ledger or place.database else "Stopped."),
        ExitStack() as opened,
    ):
        kept: dict[str, Any] = {"ledger": ledger, **_limits(given)}
        # A dry run may be of a plan of which nothing is done yet.
        with suppress(NoLedgerError):
            kept |= opened.enter_context(place.held(read_only=dry_run))
        offered = {} if dry_run else tool_runner.load_entry_point_atoms({step.id for step in plan.steps})
        # Some callables may be asynchronous.
        work = tool_runner.arun_toolplan(plan, registry, offered, on_event=_tell, dry_run=dry_run, **kept)
        done = asyncio.run(until_stopped(work, _WAITING))
    if dry_run:
        _write_waves(done)
        return
    for output in done.missing:
        complain(f"{visible_name(output)}: this output of the plan is missing")
    write_text(_to_json(done.outputs, indent=2) + "\n")
    if done.reason:
        complain(f"Stopped: {done.reason}. {_KEPT if ledger or place.database else ''}".rstrip())
        leave(UNFINISHED)
    if done.missing or not done.is_done:
        leave(FINDINGS)


def _limits(given: Mapping[str, Any]) -> dict[str, Any]:
    policy, retries = StepPolicy(timeout=given["timeout"]), given["retries"]
    if retries is not None:
        policy = evolve(policy, max_tries=retries + 1, retry_on=(Exception,))
    return {"jobs": given["jobs"], "policy": policy, "budget": Budget(steps=given["max_calls"])}


def _tell(event: StepStarted | StepResult) -> None:
    if isinstance(event, StepResult) and event.inputs is None:
        why = f": {event.error}" if event.error else " before" if event.is_reused else ""
        status = (event.status.value, _STYLES[event.status.value])
        write_rows([[(f"{visible_name(event.step)}: ", ""), status, (why, "")]], to_stderr=True)
        sys.stderr.flush()
        for warning in event.warnings:
            complain(f"{visible_name(event.step)}: warning: {warning}")


def _write_waves(done: ToolRun) -> None:
    for one in sorted(done.results, key=attrgetter("wave")):
        said = "" if one.inputs is None else f"\t{_to_json(one.inputs)}"
        write_text(f"{one.wave}\t{visible_name(one.step)}\t{visible_name(one.atom_id)}\t{one.status.value}{said}\n")


def _to_json(value: object, indent: int | None = None) -> str:
    """A value as JSON; of what JSON does not have, how Python shows it."""
    return safe_json(_as_json(value), indent=indent, default=repr, allow_nan=False)


def _as_json(value: Any) -> Any:
    """The value with texts for what JSON does not have. A run has seen to it that it is not too deep for this."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, list):
        return [_as_json(one) for one in value]
    if isinstance(value, dict):
        return {key if isinstance(key, str | int | None) else repr(key): _as_json(one) for key, one in value.items()}
    return value
