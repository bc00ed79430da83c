"""`planspec planner start` and `run`, and what they write of what happens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from planspec_lark.cli.arguments import (
    budget_of,
    budget_options,
    chat_of,
    count_option,
    flag,
    program_of,
    repeated_option,
    timeout_option,
)
from planspec_lark.cli.help import MODELS, PROGRAMS, Choice, command
from planspec_lark.cli.output import (
    FINDINGS,
    UNFINISHED,
    CliError,
    Row,
    complain,
    diagnostic_rows,
    leave,
    still_heard,
    stop_at,
    write_rows,
)
from planspec_lark.cli.planner_files import (
    judge_options,
    make_judge,
    prompt_language_option,
    read_strategy,
    state_ledger,
    state_options,
    strategy_option,
)
from planspec_lark.cli.signals import stoppable
from planspec_lark.llm import (
    LlmError,
    ProgramInput,
    chat_executor,
    chat_planner,
    counted,
    program_executor,
    program_planner,
)
from planspec_lark.plan_next import Core4, DoneStatus, Judge, Phase, start_context
from planspec_lark.plan_next.context import DEFAULT_DEPTH
from planspec_lark.planner import PlannerEvent, PlannerEventKind, Runtime, create_state
from planspec_lark.planner.language import ExecutorCallable, PlannerCallable
from planspec_lark.planner.runtime import MAX_CALLS
from planspec_lark.runs import TransientError
from planspec_lark.syntax import Severity
from planspec_lark.syntax.safe_text import safe_json, visible, visible_name

__all__ = ["run", "start"]

_GO_ON = "The state of the plan is kept; the same command continues from there."

_SENT = Choice([sent.value for sent in ProgramInput])


@command(
    "start",
    examples=[
        "planspec planner start 'Open the bakery at six'",
        "planspec planner start 'Open at six' --item 'Order gas' --item Bake",
        "planspec planner start 'Count the stock' --state stock --deliverable 'A list'",
    ],
    files={
        "GOAL": "The goal, as a text.",
        "--state DIR": "The state folder; it is made where there is none.",
        "standard output": "That the plan has begun.",
    },
    exits={0: "The plan has begun.", 2: "A plan in the folder has not ended, or the arguments are wrong."},
)
@click.argument("goal")
@state_options
@click.option("--deliverable", help="What has to be there in the end.")
@click.option("--metric", help="How good the deliverable has to be.")
@click.option("--constraint", help="The bounds to keep to.")
@repeated_option(
    "--item",
    "items",
    metavar="TEXT",
    show_default="the goal",
    help="An item of the first plan; repeatable.",
)
@click.option("--max-depth", default=DEFAULT_DEPTH, metavar="N", help="Plan no blocks from depth N on; execute them.")
@flag("--overwrite", help="Give up an unfinished plan in the folder.")
def start(
    goal: str,
    state: str,
    items: tuple[str, ...],
    max_depth: int,
    overwrite: bool,
    **sides: str | None,
) -> None:
    """Begin a plan for a goal.

    With --deliverable, --metric or --constraint the goal has four parts (Core4).
    """
    given: Any = {side: text or "" for side, text in sides.items()}
    with stop_at(ValueError, kind=click.UsageError), state_ledger(state) as held:
        whole = Core4(goal, **given) if any(given.values()) else goal
        context = start_context(whole, items or None, max_depth=max_depth)
        create_state(state, context, overwrite=overwrite, **held)
    click.echo(f"{visible_name(state)}: a plan has begun; `planspec planner run` continues it")


@command(
    "run",
    examples=[
        "planspec planner run --planner './plan.sh' --executor './work.sh'",
        "planspec planner run --planner ./plan.sh --executor ./work.sh --max-calls 9",
        "planspec planner run --llm qwen3-8b --executor ./work.sh --max-tokens 100000",
    ],
    files={
        "--state DIR": "The state folder: the state of the plan, and its ledger. One process at a time works on it.",
        "standard output": "What was opened, refused and closed.",
        "standard error": "Why it has stopped.",
    },
    exits={
        0: "The goal is reached.",
        1: "The plan has failed.",
        2: "A program, a file, the state folder or standard output cannot be used, or the arguments are wrong.",
        3: "The plan has not ended; the same command continues.",
        130: "Interrupted; the same command continues.",
        143: "Terminated; the same command continues.",
    },
    notes={**PROGRAMS, **MODELS},
)
@state_options
@click.option("--planner", "planner_command", metavar="CMD", help="The program that writes plan-next messages.")
@click.option(
    "--executor",
    "executor_command",
    metavar="CMD",
    help="The program that does the work, and writes plan-return messages.",
)
@click.option("--llm", metavar="MODEL", help="The language model for each of the two that is no program.")
@click.option(
    "--send",
    type=_SENT,
    default=ProgramInput.CONTEXT.value,
    help="Send the planner the context as JSON, or a prompt.",
)
@click.option(
    "--send-executor",
    "sent_to_executor",
    type=_SENT,
    default=ProgramInput.CONTEXT.value,
    help="Send the executor the one or the other.",
)
@strategy_option
@prompt_language_option
@timeout_option("a program or a model")
@click.option(
    "--max-refusals",
    type=click.IntRange(min=0),
    default=2,
    metavar="N",
    help="Ask again at most N times when an answer is refused; then the block has failed.",
)
@count_option(
    "--max-failures",
    default=3,
    metavar="N",
    help="After N failed blocks in a row, the block around them has failed.",
)
@judge_options
@budget_options(MAX_CALLS)
def run(*, state: str, **given: Any) -> None:
    """Open and close blocks until the plan has ended.

    The planner opens a block, or has it executed; the executor closes it with a result. An interrupted plan continues
    where it was.
    """
    judge = make_judge(state, **{name: given[name] for name in ("executors_file", "tolerant")})
    planner, executor = _planner(given, judge), _executor(given, judge)
    latest: dict[PlannerEventKind, PlannerEvent] = {}

    def tell(event: PlannerEvent) -> None:
        latest[event.kind] = event
        with still_heard(f"\n{_GO_ON}"):
            write_rows(_rows(event))
            # A program at the other end of a pipe waits for it.
            sys.stdout.flush()

    runtime = Runtime(
        Path(state),
        planner,
        executor,
        # What language models write has a fence around it, or a word in front.
        judge=judge if given["llm"] is None else evolve(judge, tolerant=True),
        max_refusals=given["max_refusals"],
        max_failures=given["max_failures"],
        budget=budget_of(given),
        on_event=tell,
    )
    try:
        with stoppable(f"Stopped. {_GO_ON}"), state_ledger(state) as held:
            context = evolve(runtime, **held).run()
    except (LlmError, TransientError) as error:
        raise CliError(f"{_ASKED[latest[PlannerEventKind.ASKED].context.phase]}: {error}\n{_GO_ON}") from None
    if not latest:
        complain(f"{visible_name(state)}: this plan has ended already")
    if stopped := latest.get(PlannerEventKind.STOPPED):
        complain(f"Stopped: {stopped.reason}. {_GO_ON}")
    outcome = context.outcome
    leave(UNFINISHED if outcome is None else FINDINGS if outcome.failed else 0)


def _planner(given: Mapping[str, Any], judge: Judge) -> PlannerCallable:
    """Who plans; leaves where there is no such program or model."""
    more: dict[str, Any] = {"strategy": read_strategy(given["strategy_file"]), "language": given["language"]}
    if given["planner_command"] is None:
        return chat_planner(_chat(given, "planner"), judge.executors, **more)
    program = program_of("planner", given["planner_command"], given["timeout"])
    return program_planner(program, judge.executors, sent=ProgramInput(given["send"]), **more)


def _executor(given: Mapping[str, Any], judge: Judge) -> ExecutorCallable:
    """Who does the work."""
    if given["executor_command"] is None:
        chat = _chat(given, "executor")
        complain("The language model does the work: what it gives is a text, and no command is run.")
        return chat_executor(chat, language=given["language"])
    program, sent = program_of("executor", given["executor_command"], given["timeout"]), given["sent_to_executor"]
    return program_executor(program, judge.executors, sent=ProgramInput(sent), language=given["language"])


def _chat(given: Mapping[str, Any], role: str) -> Callable[..., Any]:
    if given["llm"] is None:
        raise click.UsageError(f"There is no {role}: give --{role} CMD or --llm MODEL.")
    return counted(chat_of(given["llm"], given["timeout"]).acomplete)


# ---------------------------------------------------------------- what happens

# Of the plan's own result, what is shown.
_SHOWN = 10_000
# At most so many findings of an answer are listed.
_LISTED = 20
# Who is asked in each phase.
_ASKED = {Phase.PLANNING: "planner", Phase.EXECUTION: "executor"}
# How the plan has ended, with its style.
_ENDS = {
    DoneStatus.DONE: ("The goal is reached.", "green"),
    DoneStatus.PARTLY_DONE: ("The goal is reached in part.", "bold red"),
    DoneStatus.FAILED: ("The plan has failed.", "bold red"),
}


def _rows(event: PlannerEvent) -> Iterator[Row]:
    """What the ledger has of it, as `planspec log` shows it, and what was found; at the end, what came of the plan."""
    from planspec_lark.cli.run_output import rows_of  # noqa: PLC0415  (slow to load, and only a run shows them)

    # What a message was accepted with. Infos are shown by `planspec planner check`.
    found = [one for one in event.diagnostics if one.severity is not Severity.INFO]
    if event.record is not None:
        data = event.record.data
        if event.refusal is not None:
            # In full, they come below.
            data = {"faults": [f"an answer of the {_ASKED[event.phase or event.context.phase]}"]}
            found = event.refusal.diagnostics
        yield from rows_of(event.record.kind, event.record.step, data)
    elif event.item is not None:
        result = event.item.result if isinstance(event.item.result, str) else safe_json(event.item.result, indent=2)
        yield from ([("", "")], [_ENDS[event.item.status]])
        if result.strip():
            yield [(visible(result if len(result) <= _SHOWN else result[:_SHOWN] + "…"), "")]
    for diagnostic in found[:_LISTED]:
        yield from diagnostic_rows(diagnostic)
    if len(found) > _LISTED:
        yield from ([(f"Besides these: {len(found) - _LISTED}", "")], [("", "")])
