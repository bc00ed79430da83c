"""Commands for answers of models: `extract` takes a plan out of one, `repair` asks for better lines.

What a model writes is shown through :func:`planspec_lark.syntax.safe_text.visible` only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from planspec_lark import answers
from planspec_lark.answers import Risk
from planspec_lark.answers.repair import MAX_FAULTS
from planspec_lark.answers.rounds import MAX_ROUNDS
from planspec_lark.cli.arguments import (
    chat_of,
    count_option,
    exclude_each_other,
    flag,
    folder_option,
    language_option,
    options,
    plan_argument,
    program_of,
    timeout_option,
)
from planspec_lark.cli.help import MODELS, PROGRAMS, Choice, command
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
    out_option,
    read_as,
    read_text,
    shown,
    stop_at,
    stop_on_faults,
    wait_option,
    write_diagnostics,
    write_diff,
    write_out,
    write_rows,
    write_text,
)
from planspec_lark.cli.signals import stoppable
from planspec_lark.document import PlanFileError
from planspec_lark.llm import LlmError
from planspec_lark.planspec.models import STEP_TYPES, PlanStatus
from planspec_lark.syntax import machine_reports
from planspec_lark.syntax.diagnostics import brief, count_of, excerpt
from planspec_lark.syntax.safe_text import visible

if TYPE_CHECKING:
    from planspec_lark.answers import Extraction, Repair, RepairCost, RepairedPlan, RepairRound
    from planspec_lark.llm import Reply

# What can be done where no plan was written, by the finding that decides.
_ASK = "`planspec repair` asks a model for a better plan"
_ADVICE = {
    "PS111": "--sign SIGN=STATUS says what a sign means",
    "PS112": "--default-type gives steps a type that have none",
    "PS129": "--allow-truncated takes all but the last line",
    "PS130": "--choose first, last or a number takes one of them",
    "PS205": "--goal gives it one",
}
_STYLES = {Risk.NONE: "dim", Risk.LOW: "cyan", Risk.MEDIUM: "bold yellow", Risk.HIGH: "bold red"}


def _read_choice(_ctx: click.Context, _option: click.Parameter, value: str | None) -> str | int | None:
    if value is None or value in ("first", "last"):
        return value
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise click.BadParameter(f"{value!r} is not first, last or a number from 1")
    return int(value)


def _read_signs(_ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> dict[str, PlanStatus]:
    signs = {}
    for value in values:
        sign, _, status = value.partition("=")
        known = [one.value for one in PlanStatus]
        if not sign or status not in known:
            raise click.BadParameter(f"{value!r} is not SIGN=STATUS with one of {', '.join(known)}")
        signs[sign] = PlanStatus(status)
    return signs


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
        "--choose",
        callback=_read_choice,
        metavar="first|last|N",
        help="Which of several plans to take; N counts them from 1.",
    ),
    click.option("--goal", default="", show_default=False, metavar="TEXT", help="The goal of a plan that has none."),
    click.option("--default-type", type=Choice([*STEP_TYPES]), help="The type of steps that have none."),
    click.option(
        "--sign",
        "signs",
        multiple=True,
        callback=_read_signs,
        metavar="SIGN=STATUS",
        help="What an unknown status sign means, such as ?=active; repeatable.",
    ),
    finish_reason_option,
)


@command(
    "extract",
    examples=[
        "planspec extract answer.md",
        "planspec extract answer.md -o plan.md",
        "planspec extract answer.md --choose last --sign '?=active'",
        "planspec extract answer.md --default-type act --json",
    ],
    files={
        "FILE": "The answer to read: a file, or - for standard input.",
        "standard output": "The plan in canonical form, unless --out names a file.",
        "standard error": "What was repaired, with the risk of each repair; what is found in the plan; and the text "
        "around it.",
    },
    exits={
        0: "The plan is accepted.",
        1: "There is no plan, or something keeps it from being accepted; no plan is written.",
    },
)
@click.argument("file")
@out_option
@_reading_options
@click.option(
    "--below",
    default="",
    show_default=False,
    metavar="ID",
    help="The step that all steps stand below: a plan for a part needs no goal.",
)
@flag("--review-remarks", help="Do not accept a plan with text around it.")
@allow_truncated_option
@flag("--json", "as_json", help="Write verdict, plan, repairs and remarks as JSON in any case.")
def extract_command(
    file: str, out: str, default_type: str | None, review_remarks: bool, as_json: bool, **reading: Any
) -> None:
    """Extract the plan from a language model's answer.

    The plan is in the code block, or in lines of its own. What is nearly right is repaired; each repair has a risk of
    changing what is meant. The plan is accepted if all of it was understood and no repair is above --max-risk. The text
    around it is shown, never judged.
    """
    remarks = "review" if review_remarks else "show"
    extract = partial(answers.extract_plan, remarks=remarks, default_type=default_type or "", **reading)
    found = read_as(file, extract, "nothing was read")
    if not as_json:
        _write_account(found)
    if as_json or found.is_usable:
        holds = [machine_reports.json_item(one) for one in found.holds]
        write_out(out, json_text({**found.to_dict(), "holds": holds}) if as_json else found.text)
        if out != "-":
            complain_of(out, "written")
    if not found.is_usable:
        fail_on(file, _why_not(found))


def _why_not(found: Extraction) -> str:
    """Why an answer gives no plan: the finding that decides, and what can be done."""
    decides = found.deciding
    assert decides is not None, "something keeps it from being accepted"
    place = f"line {decides.line}: " if decides.span and decides.span.end else ""
    others = len(found.holds) - 1
    also = f" (and {count_of(others, 'other finding')})" if others else ""
    advice = _ADVICE.get(decides.code, _ASK)
    if decides.risk is not None and decides.risk.rank > found.max_risk.rank:
        advice = f"--max-risk {decides.risk.value} takes it"
    return f"{place}{excerpt(decides.message)}{also}; no plan was written ({advice})"


def _write_account(found: Extraction) -> None:
    """Write what was repaired, what is found, and what stands around the plan."""
    write_rows(map(_repair_row, found.repairs), to_stderr=True)
    write_diagnostics(found.holds)
    held = set(map(id, found.holds))
    write_diagnostics(one for one in found.findings if id(one) not in held)
    write_rows(_remark_rows(found), to_stderr=True)


def _repair_row(repair: Repair) -> Row:
    lines = f"{repair.line}" if repair.line == repair.end_line else f"{repair.line}-{repair.end_line}"
    was = brief(repair.was)
    changed = f"{was}  ⇒  {brief(repair.became)}" if repair.became not in ("", repair.was) else was
    return [
        (f"repaired  {repair.risk.value:<6}", _STYLES[repair.risk]),
        (f"  {repair.code}  {lines}: {brief(repair.message)}: {changed}", ""),
    ]


def _remark_rows(found: Extraction) -> Iterator[Row]:
    for number, remark in enumerate(found.remarks):
        yield [("" if number else "Text outside the plan, which no program reads:", "bold")]
        # Nothing of it looks like a line of this program.
        yield from ([(f"  {line}".rstrip(), "")] for line in visible(remark.text.replace("\r\n", "\n")).split("\n"))


# ---------------------------------------------------------------- rounds of repair

# The most lines that are named of those rewritten.
_LISTED = 10


@command(
    "repair",
    examples=[
        "planspec repair broken.md --llm qwen3-8b",
        "planspec repair broken.md --planner './fix.sh' --diff",
        "planspec repair answer.md --planner 'sh fix.sh' -o plan.md",
    ],
    files={
        "FILE": "A plan to change in place: a file, or a name (for planspec/NAME.md). With -, from "
        "standard input to standard output.",
        "ANSWER": "Any text with a plan in it; the plan in canonical form goes to standard output, or to --out.",
        "standard error": "What each round has cost, what was repaired, what is found in the plan, and the text "
        "around it.",
    },
    exits={
        0: "The plan is accepted.",
        1: "Findings are left; a plan's file has the lines that were repaired, another file is not written.",
        2: "A file cannot be read or written, the model cannot be asked, or the arguments are wrong. Where the model "
        "fails in a later round, the rounds before it are kept.",
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
@flag("--allow-removal", help="Take answers that remove steps, constraints or details.")
@flag("--ask-remarks", help="Ask once whether the text around the plan changes it.")
@count_option("--max-faults", default=MAX_FAULTS, metavar="N", help="Show at most N findings at a time.")
@language_option("The language of the prompts.")
@timeout_option("a program or a model")
@flag("--dry-run", help="Ask, but write no file.")
@flag("--diff", help="Show how the text changes, as a unified diff.")
@flag("--json", "as_json", help="Write plan, rounds and what is left as JSON, and change no file.")
@folder_option
@click.pass_context
def repair_command(ctx: click.Context, /, file: str, **given: Any) -> None:
    """Let a model or a program repair a plan or an answer.

    Safe repairs are made first. For the rest, the model gets the plan with its findings, round by round, until the plan
    is accepted. An answer that removes steps, constraints or details is refused.
    """
    ask = _asker(given)
    with stop_on_faults(file, "nothing was read"):
        text = read_text(file)
    lead = "--planner: " if given["planner"] else "--llm: "
    names = "rounds max_risk choose goal signs finish_reason allow_removal ask_remarks language max_faults"
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
            **{name: given[name] for name in names.split()},
        )
    is_said = ctx.get_parameter_source("out") is ParameterSource.COMMANDLINE
    _write_repaired(file, text, done, given, in_place=not (done.is_answer or is_said or file == "-"))


def _asker(given: Mapping[str, Any]) -> Callable[[str], str | Reply]:
    """What asks the model or the program that was named."""
    from planspec_lark.engine.requests import request_repair  # noqa: PLC0415  (most calls ask for nothing)

    model, planner = given["llm"], given["planner"]
    exclude_each_other(llm=model is not None, planner=planner is not None)
    if model is not None:
        return chat_of(model, given["timeout"]).complete
    if planner is None:
        raise click.UsageError("There is nothing to ask: give --llm MODEL or --planner CMD.")
    program = program_of("planner", planner, given["timeout"])
    phase = {"PLANSPEC_PHASE": "repair"}
    return lambda prompt: program.complete(request_repair(prompt, language=given["language"]).to_json(), env=phase)


def _write_repaired(file: str, text: str, done: RepairedPlan, given: dict[str, Any], *, in_place: bool) -> None:
    out, is_json = given["out"], given["as_json"]
    is_dry = given["dry_run"] or is_json
    if is_json:
        write_out(out, json_text(done.to_dict()))
    elif done.is_usable:
        _write_account(done)
    if given["diff"]:
        # Standard output is for the plan, or for JSON, where it gets one.
        write_diff(text, done.text, file, to_stderr=is_json or not (in_place or is_dry or out != "-"))
    kept = "" if is_dry else _keep(file, text, done, None if in_place else out)
    written = f"; {shown(kept)}: written" if kept else ""
    rounds = count_of(len(done.rounds), "round")
    spent = f"after {rounds}, {_spell_cost(done.cost)}" if done.rounds else "without asking"
    # A model that has failed may do better another time.
    code = FINDINGS if done.failure is None else UNREADABLE
    if done.is_usable:
        complain_of(file, f"accepted {spent}{written}")
        if done.stopped:
            fail_on(file, done.stopped, code)
        return
    left = count_of(len(done.holds), "finding is", "findings are")
    said = f"{shown(file)}: {left} left {spent}{written or '; nothing was written'}"
    fail(f"{said}\n{shown(file)}: {visible(done.stopped)}", code, found=done.holds)


def _keep(file: str, text: str, done: RepairedPlan, out: str | None) -> str:
    """Write what was repaired into its own file, or elsewhere if it is usable; returns the file that has it now."""
    if out is not None:
        if not done.is_usable:
            return ""
        write_out(out, done.text)
        return "" if out == "-" else out

    def change(now: str) -> tuple[str, None]:
        # It has to be as it was when the model was asked about it.
        if now != text:
            raise UnreadableFileError(file, "another program has changed it meanwhile, so it stays as it is")
        return done.text, None

    try:
        change_text(file, change)
    except (UnreadableFileError, PlanFileError):
        # What was paid for is not lost.
        write_text(done.text)
        raise
    return file if text != done.text else ""


def _tell(one: RepairRound) -> str:
    asked = {
        "faults": "asked for repairs",
        "choice": "asked which plan holds",
        "remarks": "asked about the text around it",
    }
    numbers = ", ".join(map(str, one.lines[:_LISTED])) + (" …" if len(one.lines) > _LISTED else "")
    lines = f"; {count_of(len(one.lines), 'line')} rewritten ({numbers})" if one.lines else ""
    refused = f"; not taken: {visible(one.refused)}" if one.refused else ""
    left = f"{len(one.holds)} left" if one.holds else "nothing left"
    return f"{asked[one.asked.value]}; {_spell_cost(one.cost)}{lines}{refused}; {left}"


def _spell_cost(cost: RepairCost) -> str:
    about = "about " if cost.is_estimated else ""
    return (
        f"{about}{cost.prompt_tokens:,} + {cost.answer_tokens:,} tokens "
        f"({cost.prompt_characters:,} + {cost.answer_characters:,} characters)"
    )
