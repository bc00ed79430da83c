"""`planspec run`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    Unusable,
    complain,
    fail,
    read_text,
    stop_on_faults,
    write_diagnostics,
    write_rows,
)
from planspec_lark.cli.run_live import Display, displayed
from planspec_lark.cli.run_options import (
    Asked,
    budget_of,
    edited_of,
    go_on_line,
    limits_of,
    models_of,
    read_inputs,
    run_options,
)
from planspec_lark.cli.run_preview import write_preview
from planspec_lark.cli.show import write_tree
from planspec_lark.cli.stopping import stoppable
from planspec_lark.cli.waiting import wait_option, wait_seconds
from planspec_lark.document.file import PlanFile, PlanFileError
from planspec_lark.engine.ledger import LedgerError, RunInfo
from planspec_lark.engine.models import Outcome, Unusable as OperatorUnusable
from planspec_lark.engine.resuming import EditedError
from planspec_lark.engine.sqlite_ledger import SqliteLedger, ledger_path
from planspec_lark.engine.think import PlanRunError, RunResult, ThinkEngine
from planspec_lark.llm.agents import Model, model_operator, model_planner, model_reflector
from planspec_lark.llm.models import LlmError
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.diagnostics import PlanSyntaxError, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS
from planspec_lark.syntax.source import one_line, visible_name

__all__ = ["command"]

# Not ended yet, although nothing is wrong.
_UNFINISHED = 3


@click.command("run")
@plan_argument()
@run_options
@wait_option
@folder_option
def command(file: str, **options: Any) -> None:
    """Run a plan.

    Programs get a request as JSON on standard input and write their answer to standard output. FILE always says where
    the run stands, FILE.ledger keeps what has happened. Exits with 0 where the plan has converged, 1 where steps are
    blocked, outputs are missing or something is wrong with the plan, 2 where something cannot be used, 3 where a budget
    is used up, and 130 where it was interrupted.
    """
    if file == "-":
        raise click.UsageError("A run needs a file that it can write to.")
    if options["resume"] and options["new_run"]:
        raise click.UsageError("--resume and --new-run exclude each other.")
    edited, budget = edited_of(options), budget_of(options)
    inputs, asked = read_inputs(options), [""]
    models = {} if options["dry_run"] else models_of(options, asked)
    plan, path = _read(file), Path(file).resolve()
    with _errors(file, asked):
        info = _choose(path, file, options)
    if options["dry_run"]:
        with _errors(file, asked):
            write_preview(plan, ledger_path(path), info, inputs, edited)
        return
    go_on = go_on_line(click.get_current_context())
    with stoppable(f"Stopped. This goes on:\n{go_on}"), _errors(file, asked, go_on), displayed() as display:
        engine = _engine(file, models, display, options, inputs=inputs, edited=edited, budget=budget)
        result = engine.run(resume=options["resume"])
    _leave(result, file, go_on)


# ---------------------------------------------------------------- before it runs


def _read(file: str) -> PlanSpec:
    """The plan; leaves with all that keeps it from being run."""
    try:
        found = scan_strictly(read_text(file, DEFAULT_LIMITS.max_bytes), name=file)
    except PlanSyntaxError as error:
        stop_on_faults(error, _faulty(file))
    rules = (one for one in check_rules(found.plan) if one.severity is Severity.ERROR)
    faults = found.diagnostics or list(locate(rules, found.places))
    if faults:
        write_diagnostics(faults, to_stderr=True)
        fail(_faulty(file), FINDINGS)
    return found.plan


def _faulty(file: str) -> str:
    return f"{visible_name(file)}: this plan cannot be run"


def _choose(path: Path, file: str, options: dict[str, Any]) -> RunInfo | None:
    """The run to go on with; None where a new one begins. There is no guessing which of the two is meant."""
    runs = _runs(ledger_path(path))
    if options["resume"]:
        if not runs:
            raise Unusable(f"{visible_name(file)}: there is no run to go on with; without --resume, one begins")
        return runs[-1]
    if runs and not options["new_run"]:
        said = "this plan was run before: --resume goes on with that run, --new-run begins another"
        if not options["dry_run"] and (lease := PlanFile(file, wait=wait_seconds(click.get_current_context())).lease()):
            said = f"another process runs this plan: {lease}"
        raise Unusable(f"{visible_name(file)}: {said}")
    return None


def _runs(path: Path) -> Sequence[RunInfo]:
    if not path.exists():
        return []
    try:
        with closing(SqliteLedger(path, read_only=True)) as ledger:
            return ledger.runs()
    except LedgerError as error:
        raise Unusable(str(error)) from None


# ---------------------------------------------------------------- running


def _engine(file: str, models: dict[str, Model], display: Display, options: dict[str, Any], **more: Any) -> ThinkEngine:
    language = options["language"]
    can_interact = not options["no_interact"] and sys.stdin is not None and sys.stdin.isatty()
    return ThinkEngine(
        PlanFile(file, wait=wait_seconds(click.get_current_context()), command="planspec run"),
        model_operator(models["operator"], language=language),
        model_reflector(models["reflector"], language=language) if "reflector" in models else None,
        model_planner(models["planner"], language=language) if "planner" in models else None,
        ask=display.ask if can_interact else None,
        required=options["required"],
        limits=limits_of(options),
        on_event=display.tell,
        **more,
    )


@contextmanager
def _errors(file: str, asked: Asked, go_on: str = "") -> Iterator[None]:
    """What ends a run before its end, for people."""
    name = visible_name(file)
    hint = f"\nThis goes on:\n{go_on}"
    try:
        yield
    except EditedError as error:
        said = "--rerun-edited does them again, --keep counts them as done as they are"
        raise Unusable(f"{name}: {error}\n{said}") from None
    except (LlmError, OperatorUnusable) as error:
        raise Unusable(f"{asked[0]}: {error}{hint}") from None
    except PlanRunError as error:
        raise Unusable(f"{name}: {error}") from None
    except (PlanFileError, LedgerError) as error:
        raise Unusable(f"{error}{hint if asked[0] else ''}") from None
    except PlanSyntaxError as error:
        stop_on_faults(error, _faulty(file))


_STYLES = {Outcome.CONVERGED: "green", Outcome.BLOCKED: "bold red", Outcome.BUDGET: "bold yellow"}
_CODES = {Outcome.CONVERGED: 0, Outcome.BLOCKED: FINDINGS, Outcome.BUDGET: _UNFINISHED}


def _leave(result: RunResult, file: str, go_on: str) -> NoReturn:
    if sys.stdout.isatty():
        write_tree(result.plan, full=False)
    write_rows([[(_say_end(result), _STYLES[result.outcome])]])
    sys.stdout.flush()
    if result.outcome is Outcome.BLOCKED:
        complain(f"{_way_out(result.plan, visible_name(file))}\n{go_on}")
    elif result.outcome is Outcome.BUDGET:
        complain(f"This goes on:\n{go_on}")
    raise click.exceptions.Exit(_CODES[result.outcome])


def _say_end(result: RunResult) -> str:
    reason = one_line(result.reason)
    if result.outcome is Outcome.CONVERGED:
        return "The plan has converged."
    return f"Stopped: {reason}" if result.outcome is Outcome.BUDGET else reason[:1].upper() + reason[1:]


def _way_out(plan: PlanSpec, name: str) -> str:
    if any(step.status is PlanStatus.BLOCKED for step in iter_steps(plan)):
        return f"What is blocked stays so until {name} says [ ] in place of [!]. Then this goes on:"
    return f"Change {name}, then this goes on:"
