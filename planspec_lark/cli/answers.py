"""Commands for answers of models: `extract` takes a plan out of one, `repair` and `repair-prompt` ask for better lines.

What a model writes is shown through :func:`planspec_lark.syntax.safe_text.visible` only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from planspec_lark import answers
from planspec_lark.answers import Risk, Verdict
from planspec_lark.answers.repair import MAX_FAULTS
from planspec_lark.answers.rounds import MAX_ROUNDS
from planspec_lark.cli.arguments import (
    chat_of,
    count_option,
    flag,
    folder_option,
    language_option,
    options,
    plan_argument,
    program_of,
    timeout_option,
)
from planspec_lark.cli.help import MODELS, PROGRAMS, READ, Choice, command
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Row,
    UnreadableFileError,
    change_text,
    complain_of,
    fail,
    fail_on,
    json_text,
    label,
    leave,
    out_option,
    read_as,
    read_text,
    shown,
    stop_at,
    stop_on_faults,
    wait_option,
    write_diff,
    write_out,
    write_rows,
    write_text,
)
from planspec_lark.cli.signals import stoppable
from planspec_lark.document import PlanFileError
from planspec_lark.llm import LlmError
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.syntax.diagnostics import brief, count_of
from planspec_lark.syntax.safe_text import visible

if TYPE_CHECKING:
    from planspec_lark.answers import Extraction, Repair, RepairCost, RepairedPlan, RepairRound
    from planspec_lark.llm import Reply

# What can be done where no plan was written.
_ASK = "`planspec repair` asks a model for better lines"
_STYLES = {Risk.NONE: "dim", Risk.LOW: "cyan", Risk.MEDIUM: "bold yellow", Risk.HIGH: "bold red"}


max_risk_option = click.option(
    "--max-risk",
    type=Choice([risk.value for risk in Risk]),
    default=Risk.MEDIUM.value,
    help="Take repairs up to this risk of changing what is meant.",
)
finish_reason_option = click.option(
    "--finish-reason",
    default="",
    show_default=False,
    metavar="WORD",
    help="Why the model stopped, as its API says; `length` means that the answer was cut off.",
)
allow_truncated_option = flag("--allow-truncated", help="Accept an answer that was cut off, without its last line.")
# How an answer is read.
_reading_options = options(
    max_risk_option,
    click.option(
        "--default-type",
        type=Choice([*STEP_TYPES]),
        help="The type of steps that have none; with it, a plain Markdown list is a plan.",
    ),
    finish_reason_option,
)


@command(
    "extract",
    examples=[
        "planspec extract answer.md",
        "planspec extract answer.md -o plan.md",
        "planspec extract answer.md --default-type act --json",
    ],
    files={
        "FILE": "The answer to read: a file, or - for standard input.",
        "standard output": "The plan in canonical form, unless --out names a file.",
        "standard error": "What was repaired or left out, with the risk of each repair.",
    },
    exits={
        0: "The plan is accepted.",
        1: "There is no plan, the answer was cut off, or a repair is riskier than --max-risk; no plan is written.",
    },
)
@click.argument("file", metavar="FILE")
@out_option
@_reading_options
@allow_truncated_option
@flag("--json", "as_json", help="Write verdict, plan and repairs as JSON, whatever the verdict is.")
def extract_command(
    file: str,
    out: str,
    max_risk: str,
    default_type: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Extract the plan from a language model's answer.

    Prose, code fences and reasoning around the plan are left out, and spelling that is nearly right is repaired. Each
    repair has a risk of changing what is meant; the verdict is `accepted` where none is above --max-risk.
    """
    extract = partial(answers.extract_plan, max_risk=max_risk, default_type=default_type or "", **reading)
    found = read_as(file, extract, "nothing was read")
    if not as_json:
        write_rows(_ledger(found, advises=True), to_stderr=True)
    if as_json or found.is_usable:
        write_out(out, json_text(found.to_dict()) if as_json else found.text)
        if out != "-":
            complain_of(out, "written")
    if why := _why_not(found, max_risk, default_type):
        fail_on(file, why)


def _why_not(found: Extraction, max_risk: str, default_type: str | None) -> str:
    """Why an answer gives no plan; empty where it does."""
    if not found.plan.steps:
        help = next((one.help for one in found.diagnostics if one.code == "PS201" and one.help), "")
        if default_type is None and any(entry.code == "PS112" for entry in found.entries):
            help = "--default-type act reads lines without a type as steps"
        return "there is no plan" + (f"; {help}" if help else "")
    if found.verdict is Verdict.REFUSED:
        return f"the plan cannot be put together: no plan was written; {_ASK}"
    if found.is_usable:
        return ""
    if not found.refused:
        return "the answer was cut off (--allow-truncated takes what there is): no plan was written"
    repairs = count_of(len(found.refused), "repair is", "repairs are")
    return f"{repairs} of a higher risk than {max_risk}: no plan was written; {_ASK}"


def _ledger(found: Extraction, *, advises: bool = False) -> Iterator[Row]:
    """A row for each entry; with ``advises``, what to do about those that are refused, each advice once."""
    told = {""}
    for entry in sorted((*found.repairs, *found.left_out), key=lambda entry: entry.line):
        done = "left out" if not entry.became else "kept    " if entry.became == entry.was else "repaired"
        what = "refused " if entry.risk.rank > found.max_risk.rank else done
        lines = f"{entry.line}" if entry.line == entry.end_line else f"{entry.line}-{entry.end_line}"
        yield [
            (f"{what}  {entry.risk.value:<6}", _STYLES[entry.risk]),
            (f"  {entry.code}  {lines}: {_say(entry)}", ""),
        ]
        help = entry.diagnostic.help
        if advises and what == "refused " and help not in told:
            told.add(help)
            yield [(f"{'':18}help: {visible(help)}", "")]


def _say(entry: Repair) -> str:
    was = brief(entry.was)
    if entry.became in ("", entry.was):
        return f"{brief(entry.message.removeprefix('left out: '))}: {was}"
    return f"{was}  ⇒  {brief(entry.became)}"


@command(
    "repair-prompt",
    examples=["planspec repair-prompt broken.md", "planspec repair-prompt broken.md --language zh"],
    files={"FILE": READ, "standard output": "The prompt; nothing where the plan has no errors."},
    exits={0: "There is nothing to repair.", 1: "There is; the prompt was written."},
)
@plan_argument()
@language_option("The language of the prompt.")
@count_option("--max-faults", default=MAX_FAULTS, metavar="N", help="Ask about at most N errors.")
@folder_option
def repair_prompt_command(file: str, language: str, max_faults: int) -> None:
    """Write a prompt that asks a model to repair a plan.

    It asks for the lines with errors alone. `planspec splice` puts the model's answer into the plan; `planspec repair`
    does both, as often as it takes.
    """
    ask = partial(answers.repair_prompt, language=language, max_faults=max_faults)
    # What is not UTF-8 is a ValueError as well, and has been answered inside of this.
    with stop_at(ValueError, lead=f"{shown(file)}: "):
        prompt = read_as(file, ask, "nothing was read")
    if prompt:
        write_text(prompt)
        leave(FINDINGS)


# ---------------------------------------------------------------- rounds of repair

# The most lines that are named of those asked for.
_LISTED = 10


@command(
    "repair",
    examples=[
        "planspec repair broken.md --llm qwen3-8b",
        "planspec repair broken.md --planner './fix.sh' --diff",
        "planspec repair answer.md --planner 'sh fix.sh' -o plan.md",
    ],
    files={
        "FILE": "A plan to change in place, in the lines with errors alone: a file, or the name of a plan (for "
        "planspec/NAME.md). With -, the plan goes from standard input to standard output.",
        "ANSWER": "Any text with a plan in it; the plan in canonical form goes to standard output, or to --out.",
        "standard error": "What each round has asked for and cost, and what was repaired.",
    },
    exits={
        0: "The plan is accepted.",
        1: "Errors are left; a plan's file has the lines that the answers have repaired, and "
        "nothing is written to another file.",
        2: "A file cannot be read or written, the model cannot be asked, or the call is wrong. Where the model fails "
        "in a later round, the rounds before it are kept.",
        130: "Interrupted; nothing was written.",
        143: "Terminated; nothing was written.",
    },
    notes={**PROGRAMS, **MODELS},
)
@plan_argument(metavar="FILE|ANSWER")
@options(
    click.option("--llm", metavar="MODEL", help="Ask this language model; either this or --planner."),
    click.option("--planner", metavar="CMD", help="Ask this program; CMD is not run by a shell."),
    count_option("--rounds", default=MAX_ROUNDS, metavar="N", help="Ask at most N times."),
    click.option(
        "-o",
        "--out",
        default="-",
        show_default="in place; of an answer, standard output",
        metavar="FILE",
        help="Write the plan to this file; - is standard output.",
    ),
    wait_option,
)
@_reading_options
@count_option("--max-faults", default=MAX_FAULTS, metavar="N", help="Ask about at most N errors at a time.")
@language_option("The language of the prompts.")
@timeout_option("a program or a model")
@flag("--dry-run", help="Ask, but write no file.")
@flag("--diff", help="Show how the text changes, as a unified diff.")
@flag("--json", "as_json", help="Write plan, rounds and what is left as JSON, and change no file.")
@folder_option
@click.pass_context
def repair_command(ctx: click.Context, /, file: str, **given: Any) -> None:
    """Let a model or a program repair a plan or an answer.

    Safe repairs are made first. Then the model is asked for the lines that are still wrong, round by round, until the
    plan is accepted and keeps the rules.
    """
    ask = _asker(given["llm"], given["planner"], given["timeout"], given["language"])
    with stop_on_faults(file, "nothing was read"):
        text = read_text(file)
    lead = "--planner: " if given["planner"] else "--llm: "
    heard: list[RepairRound] = []

    def tell(one: RepairRound) -> None:
        heard.append(one)
        write_rows([[(f"round {len(heard)}: {_tell(one)}", "")]], to_stderr=True)
        sys.stderr.flush()

    with stoppable("Stopped. Nothing was written."), stop_at(LlmError, lead=lead):
        done = answers.repair_plan(
            text,
            ask,
            name=label(file),
            default_type=given["default_type"] or "",
            on_round=tell,
            **{name: given[name] for name in ("rounds", "max_risk", "finish_reason", "language", "max_faults")},
        )
    is_said = ctx.get_parameter_source("out") is ParameterSource.COMMANDLINE
    _write_repaired(file, text, done, given, in_place=not (done.is_answer or is_said or file == "-"))


def _asker(model: str | None, planner: str | None, timeout: float, language: str) -> Callable[[str], str | Reply]:
    """What asks the model or the program that was named."""
    from planspec_lark.engine.requests import request_repair  # noqa: PLC0415  (most calls ask for nothing)

    if (model is None) == (planner is None):
        both = "--llm and --planner exclude each other." if model is not None else ""
        raise click.UsageError(both or "There is nothing to ask: give --llm MODEL or --planner CMD.")
    if model is not None:
        return chat_of(model, timeout).complete
    assert planner is not None
    program = program_of("planner", planner, timeout)
    phase = {"PLANSPEC_PHASE": "repair"}
    return lambda prompt: program.complete(request_repair(prompt, language=language).to_json(), env=phase)


def _write_repaired(file: str, text: str, done: RepairedPlan, given: dict[str, Any], *, in_place: bool) -> None:
    out, is_json = given["out"], given["as_json"]
    is_dry = given["dry_run"] or is_json
    if is_json:
        write_out(out, json_text(done.to_dict()))
    elif done.is_usable:
        write_rows(_ledger(done.found), to_stderr=True)
    if given["diff"]:
        # Standard output is for the plan, or for JSON, where it gets one.
        write_diff(text, done.text, file, to_stderr=is_json or not (in_place or is_dry or out != "-"))
    kept = "" if is_dry else _keep(file, text, done, None if in_place else out)
    written = f"; {shown(kept)}: written" if kept else ""
    rounds = count_of(len(done.rounds), "round")
    spent = f"after {rounds}, {_spell_cost(done.cost)}" if done.rounds else "without asking"
    if done.is_usable:
        complain_of(file, f"accepted {spent}{written}")
        return
    left = count_of(len(done.left), "finding is", "findings are")
    said = f"{shown(file)}: {left} left {spent}{written or '; nothing was written'}"
    # A model that has failed may do better another time.
    code = FINDINGS if done.failure is None else UNREADABLE
    fail(f"{said}\n{shown(file)}: {visible(done.stopped)}", code, found=done.left)


def _keep(file: str, text: str, done: RepairedPlan, out: str | None) -> str:
    """Write what was repaired into its own file, or elsewhere if it is usable; returns the file that has it now."""
    if out is None:
        return file if _change(file, text, done.text) else ""
    if not done.is_usable:
        return ""
    write_out(out, done.text)
    return "" if out == "-" else out


def _change(file: str, before: str, after: str) -> bool:
    """Write a plan's file anew; it has to be as it was when the model was asked about it."""

    def change(now: str) -> tuple[str, None]:
        if now != before:
            raise UnreadableFileError(file, "another program has changed it meanwhile, so it stays as it is")
        return after, None

    try:
        change_text(file, change)
    except (UnreadableFileError, PlanFileError):
        # What was paid for is not lost.
        write_text(after)
        raise
    return before != after


def _tell(one: RepairRound) -> str:
    numbers = ", ".join(map(str, one.lines[:_LISTED])) + (" …" if len(one.lines) > _LISTED else "")
    asked = {
        "lines": f"{count_of(len(one.lines), 'line')} asked for ({numbers})",
        "choice": "asked which plan holds",
        "whole": "asked for the whole plan, since no lines can be named",
    }[one.asked.value]
    refused = f"; not taken: {visible(one.refused)}" if one.refused else ""
    left = f"{len(one.left)} left" if one.left else "nothing left"
    return f"{asked}; {_spell_cost(one.cost)}{refused}; {left}"


def _spell_cost(cost: RepairCost) -> str:
    about = "about " if cost.is_estimated else ""
    return (
        f"{about}{cost.prompt_tokens:,} + {cost.answer_tokens:,} tokens "
        f"({cost.prompt_characters:,} + {cost.answer_characters:,} characters)"
    )
