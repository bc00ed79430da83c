"""`planspec run`: its options, the engine that they make, and how a run ends."""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from time import monotonic, sleep
from typing import Any, NoReturn

import click
from attrs import define

from planspec_lark.cli.arguments import (
    SECONDS,
    budget_of,
    budget_options,
    chat_of,
    count_option,
    exclude_each_other,
    flag,
    folder_option,
    language_option,
    options,
    order_option,
    plan_argument,
    program_of,
    repeated_option,
    timeout_option,
)
from planspec_lark.cli.help import MODELS, PROGRAMS, command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.next_commands import done_line, go_on_line, ledger_options, reopen_line
from planspec_lark.cli.output import (
    FINDINGS,
    UNFINISHED,
    CliError,
    Row,
    UnreadableFileError,
    complain,
    diagnostic_rows,
    leave,
    read_text,
    still_heard,
    stop_on_faults,
    wait_option,
    wait_seconds,
    write_rows,
)
from planspec_lark.cli.plans import write_tree
from planspec_lark.cli.run_output import Display, displayed
from planspec_lark.cli.signals import stoppable, until_stopped
from planspec_lark.cli.values import read_values, value_options
from planspec_lark.document import FileLease, PlanFile, PlanFileError
from planspec_lark.engine import (
    EditedSteps,
    EditedStepsError,
    EngineLimits,
    FatalError as OperatorUnusable,
    InputSource,
    Outcome,
    PlannedStep,
    PlanRunError,
    Request,
    RunResult,
    StepCall,
    StepPolicy,
    ThinkEngine,
    ThinkEvent,
    dask_runner,
    preview,
    preview_resumed,
)
from planspec_lark.engine.models import Operator
from planspec_lark.engine.resume import last_plan_run
from planspec_lark.engine.run_rules import check_persons, find_doubts
from planspec_lark.engine.step_runner import open_branches
from planspec_lark.llm import LlmError, chat_model, model_operator, model_planner, model_reflector, program_model
from planspec_lark.llm.engine_roles import Model
from planspec_lark.planspec import PlanSpec, PlanStatus, find_step, iter_steps
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.models import OPEN
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.runs import LedgerError, RunInfo
from planspec_lark.runs.ledger import NoLedgerError
from planspec_lark.syntax import Diagnostic, PlanSyntaxError, Severity, one_line
from planspec_lark.syntax.diagnostics import name_some
from planspec_lark.syntax.limits import DEFAULT_LIMITS
from planspec_lark.syntax.safe_text import visible_name

_LIMITS = EngineLimits()
_ROLES = {
    "operator": "The program that does the steps; CMD is not run by a shell.",
    "reflector": "The program that decides about a failed step; without it, the step is blocked.",
    "planner": "The program that changes the plan after a round, and writes missing steps.",
}
_DASK = "dask://"
# Seconds between two looks at a plan that another process runs.
_LOOK = 0.05

_run_options = options(
    *(click.option(f"--{role}", f"{role}_command", metavar="CMD", help=help) for role, help in _ROLES.items()),
    click.option("--llm", metavar="MODEL", help="The language model for every role that has no program."),
    flag("--llm-acts", help="Give --llm the act steps, too, although its answer is only a text."),
    language_option("The language of the prompts."),
    flag("--resume", help="Continue the last run, or begin the first one; nothing done is done again."),
    flag("--new-run", help="Begin a new run although there is one; done steps stay done."),
    flag("--rerun-edited", help="With --resume, do finished steps again whose text was edited."),
    flag("--keep", help="With --resume, keep finished steps as done although their text was edited."),
    value_options("input", "that steps can use"),
    repeated_option(
        "--require",
        "required",
        metavar="NAME",
        help="An output that the run has to produce; repeatable.",
    ),
    repeated_option(
        "--person",
        "persons",
        metavar="NAME",
        help="A step that a person does: stop before it; repeatable.",
    ),
    click.option("--subtask", metavar="ID", help="Run this subtask only; the rest of the plan stays as it is."),
    count_option(
        "--max-rounds",
        default=_LIMITS.max_rounds,
        metavar="N",
        help="Go through the plan at most N times.",
    ),
    click.option(
        "--max-retries",
        type=click.IntRange(min=0),
        default=_LIMITS.max_retries,
        metavar="N",
        help="Retry a failed step at most N times, where the reflector says so.",
    ),
    count_option(
        "--max-tries",
        default=StepPolicy().max_tries,
        metavar="N",
        help="Ask at most N times for a step that is to be tried again later (with back-off).",
    ),
    count_option("--jobs", default=1, metavar="N", help="Work on N steps at a time."),
    order_option,
    count_option("--max-steps", metavar="N", help="Stop after N steps."),
    budget_options(),
    click.option("--max-seconds", type=SECONDS, metavar="N", help="Stop after N seconds."),
    timeout_option("a program or a model"),
    flag("--no-interact", help="Ask no questions; a step that needs an answer is blocked."),
    flag("--dry-run", help="Run nothing; show what would be done, and where inputs come from."),
    database_options,
    click.option("--on", "cluster", metavar="dask://HOST:PORT", help="Do the steps on a Dask cluster."),
)


@command(
    "run",
    examples=[
        "planspec run plan.md --dry-run",
        "planspec run plan.md --operator './work.sh'",
        "planspec run plan.md --operator './work.sh' --resume",
        "planspec run plan.md --llm qwen3-8b --max-calls 50",
    ],
    files={
        "FILE": "The plan to run, a file or a name (for planspec/NAME.md). It is written some moments after a step.",
        "FILE.ledger": "All that has happened, with all outputs, unless --database keeps it; see `planspec log`.",
        "FILE.lock": "Keeps other writers out while the run lasts.",
        "standard output": "A line for each event; on a terminal, the plan as it changes.",
        "standard error": "The command that resumes the run, where it has not reached its goal.",
    },
    exits={
        0: "The goal is reached: no step is left to do.",
        1: "Steps are blocked, required outputs are missing, or the plan has errors.",
        2: "A program, the model, a file, the ledger or standard output cannot be used, or the arguments are wrong.",
        3: "A budget is used up, it was stopped, or a person's step is next.",
        130: "Interrupted; --resume continues.",
        143: "Terminated; --resume continues.",
    },
    notes={**PROGRAMS, **MODELS},
)
@plan_argument()
@_run_options
@wait_option
@folder_option
@click.pass_context
def run_command(ctx: click.Context, /, file: str, **given: Any) -> None:
    """Run a plan with programs or a language model.

    Steps are done in their order, each when its inputs are there. The operator does a step, the reflector decides about
    a failed one, and the planner changes the plan after a round that missed the goal. --resume continues a run, however
    it ended.

    An operator answers with a JSON object: {"status": "OK", "result": "in a line", "outputs": {"name": "value"}}. The
    status may be FAIL, too.
    """
    if file == "-":
        raise click.UsageError("A run needs a file that it can write to.")
    for pair in (("resume", "new_run"), ("rerun_edited", "keep")):
        exclude_each_other(**{name: given[name] for name in pair})
    edited = EditedSteps.RERUN if given["rerun_edited"] else EditedSteps.KEEP if given["keep"] else EditedSteps.ASK
    budget = budget_of(given)
    if given["cluster"] is not None and not given["cluster"].startswith(_DASK):
        raise click.UsageError("--on: expected dask://HOST:PORT.")
    inputs, call = read_values("input", given["inputs_file"], given["inputs"]), RunCall()
    models = {} if given["dry_run"] else _models(given, call)
    (plan, findings), place = _read(file, inputs), LedgerPlace.of(file)
    plan_file, go_on = PlanFile(file, wait=wait_seconds(ctx), command="planspec run"), go_on_line(ctx)
    with run_errors(file, call, go_on):
        info = _choose(place, plan_file, given)
        if _person_types(given) and any(one.step_type == "act" and one.status in OPEN for one in iter_steps(plan)):
            complain(
                "The answer of a model is no act: a person does the act steps, or a program (--operator); "
                "--llm-acts gives them to the model."
            )
        if info is None:
            write_rows((row for one in findings for row in diagnostic_rows(one)), to_stderr=True)
        if given["dry_run"]:
            check_persons(plan, given["persons"])
            _write_preview(plan, place, info, inputs, edited, given)
            return
        more = {"inputs": inputs, "edited": edited, "budget": budget, **_runner(given["cluster"], call)}
        with stoppable(f"Stopped. To continue:\n{go_on}"), displayed(budget) as display, place.in_database() as ledger:
            if ledger is not None:
                more |= {"ledger": ledger, "run_name": place.name, "run_id": info.run if info else ""}
            engine = _engine(plan_file, models, display, given, on_event=partial(_tell, call, display, go_on), **more)
            # In a database, the last run of all may be that of another plan.
            result = _run(engine, given, resume=info is not None)
    with still_heard(f"\nTo continue:\n{go_on}"):
        _leave(result, file, ledger_options(ctx), go_on)


def _run(engine: ThinkEngine, given: Mapping[str, Any], *, resume: bool) -> RunResult:
    subtask = given["subtask"]
    if given["jobs"] == 1:
        return engine.run(resume=resume) if subtask is None else engine.run_subtask(subtask, resume=resume)
    import asyncio  # noqa: PLC0415  (slow to load, and most runs do without)

    work = engine.arun(resume=resume) if subtask is None else engine.arun_subtask(subtask, resume=resume)
    return asyncio.run(until_stopped(work))


def _engine(
    file: PlanFile, models: Mapping[str, Model], display: Display, given: Mapping[str, Any], **more: Any
) -> ThinkEngine:
    language = given["language"]
    can_interact = not given["no_interact"] and sys.stdin is not None and sys.stdin.isatty()
    return ThinkEngine(
        file,
        model_operator(models["operator"], language=language),
        model_reflector(models["reflector"], language=language) if "reflector" in models else None,
        model_planner(models["planner"], language=language) if "planner" in models else None,
        ask=display.ask if can_interact else None,
        required=given["required"],
        persons=given["persons"],
        person_types=_person_types(given),
        limits=EngineLimits(max_rounds=given["max_rounds"], max_retries=given["max_retries"]),
        step_policy=StepPolicy(max_tries=given["max_tries"]),
        jobs=given["jobs"],
        order=given["order"],
        **more,
    )


# ---------------------------------------------------------------- before it runs


@define
class RunCall:
    """How far a call has come.

    Attributes:
        asked: who was asked last.
        has_begun: whether there is something to resume.
    """

    asked: str = ""
    has_begun: bool = False


def _tell(call: RunCall, display: Display, go_on: str, event: ThinkEvent) -> None:
    call.has_begun = True
    with still_heard(f"\nTo continue:\n{go_on}"):
        display.tell(event)


def _person_types(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The types of steps that a person does, as what a model answers is no act."""
    is_model = given["llm"] and given["operator_command"] is None and not given["llm_acts"]
    return ("act",) if is_model else ()


def _models(given: Mapping[str, Any], call: RunCall) -> dict[str, Model]:
    """Who does what; ``call`` notes whom it has asked last."""
    models: dict[str, Model] = {}
    if given["llm"]:
        # What is asynchronous can be cancelled, wherever it is.
        models = dict.fromkeys(_ROLES, chat_model(chat_of(given["llm"], given["timeout"]).acomplete))
    for role in _ROLES:
        if (text := given[f"{role}_command"]) is not None:
            # The steps may be done on other machines, which have other programs.
            is_here = role != "operator" or given["cluster"] is None
            models[role] = program_model(program_of(role, text, given["timeout"], is_here=is_here))
    if "operator" not in models:
        raise click.UsageError("The steps need an operator: give --operator CMD or --llm MODEL.")
    return {role: partial(_ask, role, model, call) for role, model in models.items()}


def _ask(role: str, model: Model, call: RunCall, request: Request) -> Any:
    call.asked = role
    return model(request)


def _read(file: str, inputs: Collection[str]) -> tuple[PlanSpec, list[Diagnostic]]:
    """The plan, and what is doubtful in it; leaves with all that keeps it from being run."""
    with _runnable(file):
        found = scan_strictly(read_text(file, DEFAULT_LIMITS), name=file)
        rules = (one for one in check_rules(found.plan) if one.severity is Severity.ERROR)
        faults = found.diagnostics or list(locate(rules, found.positions))
        if faults:
            raise PlanSyntaxError(faults, found.source)
    return found.plan, list(locate(find_doubts(found.plan, inputs), found.positions))


def _runner(cluster: str | None, progress: RunCall) -> dict[str, Any]:
    """What sends steps to a cluster, if there is one."""
    if cluster is None:
        return {}
    progress.asked = "--on"
    if logging.lastResort is not None:
        # A person at a terminal wants to know that there are no workers.
        logging.getLogger("planspec_lark.engine.on_dask").addHandler(logging.lastResort)
    send = dask_runner("tcp://" + cluster.removeprefix(_DASK))

    def run(operator: Operator, call: StepCall) -> Any:
        # Who is asked there is not noted here.
        progress.asked = "operator"
        return send(operator, call)

    return {"runner": run}


def _choose(place: LedgerPlace, plan_file: PlanFile, given: Mapping[str, Any]) -> RunInfo | None:
    """The run to go on with; None where a new one begins. One that has begun is continued only if that is asked for."""
    last = None
    with suppress(NoLedgerError), place.opened() as ledger:
        # In a database, the name tells the runs of a plan from all others.
        last = last_plan_run(ledger) if place.database is None else place.last_run(ledger)
    if given["resume"]:
        return last
    if last is not None and not given["new_run"]:
        if not given["dry_run"] and (lease := _wait_for(plan_file)):
            raise UnreadableFileError(place.label, f"another process runs this plan: {lease}")
        raise UnreadableFileError(
            place.label, "this plan was run before: --resume continues that run, --new-run begins another"
        )
    return None


def _wait_for(plan_file: PlanFile) -> FileLease | None:
    """Who else works on a plan, when the time to wait is over."""
    until = monotonic() + plan_file.wait
    while (lease := plan_file.lease()) is not None and monotonic() < until:
        sleep(_LOOK)
    return lease


def _write_preview(  # noqa: PLR0913, PLR0917  (what a run is given)
    plan: PlanSpec,
    place: LedgerPlace,
    info: RunInfo | None,
    inputs: Mapping[str, Any],
    edited: EditedSteps,
    given: Mapping[str, Any],
) -> None:
    """Write the steps that a run would do, and where their inputs come from."""
    if info is None:
        found = preview(plan, inputs, order=given["order"])
    else:
        with place.opened() as ledger:
            found = preview_resumed(plan, ledger, info, inputs, edited, order=given["order"])
    if (subtask := given["subtask"]) is not None:
        found = [one for one in found if f"{one.step.step_id}.".startswith(f"{subtask}.")]
    blocked = ", ".join(_innermost_blocked(plan))
    if not found:
        complain("There is nothing to do." + (f" Steps are blocked: {blocked}" if blocked else ""))
    write_rows(row for one in found for row in _preview_rows(one, given))
    missing = [*dict.fromkeys(visible_name(name) for one in found for name in one.missing)]
    if missing:
        complain(f"Inputs cannot come: {name_some(missing)}")
    if missing or blocked:
        leave(FINDINGS)


def _preview_rows(one: PlannedStep, given: Mapping[str, Any]) -> Iterator[Row]:
    step = one.step
    yield [(f"{step.step_id}  ", "bold"), (f"[{step.step_type}] ", "cyan"), (one_line(step.description), "")]
    for name, source in one.sources.items():
        yield [(f"    ← {name}: {_spell_source(source)}", "bold yellow" if source.is_missing else "dim")]
    if one.why:
        yield [(f"    it will be blocked: {one.why}", "bold yellow")]
    elif one.is_planning:
        yield [("    the planner writes the steps below it", "dim")]
    if step.step_name in given["persons"] or step.step_type in _person_types(given):
        yield [("    a person does it: the run stops before it", "dim")]


def _spell_source(source: InputSource) -> str:
    if source.steps:
        return f"step {' or '.join(source.steps)}"
    return "given" if source.is_given else "missing"


# ---------------------------------------------------------------- how it ends


def _runnable(file: str) -> Any:
    return stop_on_faults(file, "this plan cannot be run", is_plan=True)


@contextmanager
def run_errors(file: str, call: RunCall, go_on: str = "") -> Iterator[None]:
    """What ends a run before its end, for people; ``go_on`` is the command that resumes it."""

    def stop(said: str) -> CliError:
        return CliError(f"{said}\nTo continue:\n{go_on}" if call.has_begun else said)

    try:
        with _runnable(file):
            yield
    except EditedStepsError as error:
        said = "--rerun-edited does them again, --keep counts them as done as they are"
        raise UnreadableFileError(file, f"{error}\n{said}") from None
    except (LlmError, OperatorUnusable) as error:
        raise stop(f"{call.asked}: {error}") from None
    except PlanRunError as error:
        raise UnreadableFileError(file, str(error)) from None
    except (PlanFileError, LedgerError) as error:
        raise stop(str(error)) from None


_ENDS = {
    Outcome.CONVERGED: (0, "green"),
    Outcome.BLOCKED: (FINDINGS, "bold red"),
    Outcome.BUDGET: (UNFINISHED, "bold yellow"),
    Outcome.WAITING: (UNFINISHED, "bold yellow"),
    Outcome.STOPPED: (UNFINISHED, "bold yellow"),
}


def _leave(result: RunResult, file: str, options: Sequence[str], go_on: str) -> NoReturn:
    """Say how a run has ended; ``options`` are those that say where its ledger is, ``go_on`` resumes it."""
    if sys.stdout.isatty():
        write_tree(result.plan, full=False)
    code, style = _ENDS[result.outcome]
    reason = one_line(result.reason)
    said, hint = reason[:1].upper() + reason[1:], ""
    if result.outcome is Outcome.CONVERGED:
        blocked = ", ".join(result.blocked)
        said = f"The plan has converged. Steps are blocked: {blocked}" if blocked else "The plan has converged."
    elif result.outcome in (Outcome.BUDGET, Outcome.STOPPED):
        said, hint = f"Stopped: {reason}", "To continue:"
    elif result.outcome is Outcome.WAITING:
        step = find_step(result.plan, result.waiting)
        assert step is not None, "the run has just stopped there"
        branches = [f"\n  {one.step_id}  {one_line(one.description)}" for one in open_branches(step)]
        said = f"{said}: {one_line(step.description)}{''.join(branches)}"
        hint = f"When it is done, continue with these two:\n{done_line(file, step, options)}"
    elif inner := _innermost_blocked(result.plan):
        hint = _open_again(result, inner, file, options)
    else:
        hint = f"Change {visible_name(file)}, then continue with:"
    write_rows([[(said, style)]])
    sys.stdout.flush()
    if hint:
        complain(f"{hint}\n{go_on}")
    leave(code)


def _open_again(result: RunResult, inner: list[str], file: str, options: Sequence[str]) -> str:
    """What opens blocked steps. One that lacks inputs opens by itself when they are there."""
    lead = "What is blocked stays so until it is reopened. Continue with these two:"
    # What a blocked step produces comes when that is done.
    names = [*dict.fromkeys(visible_name(one.name) for one in result.lacking if one.producer not in result.blocked)]
    if names:
        lead = f"Inputs of blocked steps are missing: {name_some(names)}. --input NAME=TEXT gives one. Continue with:"
    stuck = {lack.step for lack in result.lacking}
    closed = [one for one in inner if one not in stuck]
    return "\n".join([lead, *([reopen_line(file, closed, options)] if closed else [])])


def _innermost_blocked(plan: PlanSpec) -> list[str]:
    """The blocked steps with no blocked step below them: to reopen one reopens what is around it."""
    blocked = [step.step_id for step in iter_steps(plan) if step.status is PlanStatus.BLOCKED]
    # In document order, the first step below another one comes right after it.
    return [one for one, after in pairwise([*blocked, ""]) if not after.startswith(f"{one}.")]
