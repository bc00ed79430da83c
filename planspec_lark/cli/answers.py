"""Commands for what models answer: `extract` takes a plan out of it, `repair-prompt` asks for better lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from planspec_lark import answers
from planspec_lark.answers import Risk, Verdict
from planspec_lark.answers.repair import MAX_FAULTS
from planspec_lark.cli.arguments import count_option, flag, folder_option, language_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    Row,
    complain,
    count_of,
    fail,
    json_text,
    leave,
    out_option,
    read_as,
    shown,
    stop_at,
    write_out,
    write_rows,
    write_text,
)
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.syntax import one_line
from planspec_lark.syntax.diagnostics import shorten

if TYPE_CHECKING:
    from planspec_lark.answers import Extraction, Repair

_STYLES = {Risk.NONE: "dim", Risk.LOW: "cyan", Risk.MEDIUM: "bold yellow", Risk.HIGH: "bold red"}


@click.command("extract")
@click.argument("file", metavar="FILE")
@out_option
@click.option(
    "--max-risk",
    type=click.Choice([risk.value for risk in Risk]),
    default=Risk.MEDIUM.value,
    help="Refuse repairs that are more likely to change what is meant.",
)
@click.option("--default-type", type=click.Choice([*STEP_TYPES]), help="The type of steps that have none.")
@click.option("--finish-reason", default="", metavar="WORD", help="Why the model stopped; `length`: it was cut off.")
@flag("--allow-truncated", help="Take a plan that was cut off, without its last line.")
@flag("--json", "as_json", help="Write verdict, plan and ledger as JSON.")
def extract_command(  # noqa: PLR0913, PLR0917  (its options)
    file: str,
    out: str,
    max_risk: str,
    default_type: str | None,
    finish_reason: str,
    allow_truncated: bool,
    as_json: bool,
) -> None:
    """Take the plan out of a language model's answer.

    The plan goes to standard output in canonical form, and what was repaired or left out for it to standard error.
    Exits with 1, and writes no plan, where the verdict is another than `accepted`: there is none, a repair is more
    risky than --max-risk allows, or the answer was cut off. With --default-type, plain Markdown is a plan as well.
    """
    extract = partial(
        answers.extract_plan,
        max_risk=max_risk,
        default_type=default_type or "",
        finish_reason=finish_reason,
        allow_truncated=allow_truncated,
    )
    found = read_as(file, extract, "nothing was read")
    if not as_json:
        write_rows(_ledger(found), to_stderr=True)
    if as_json or found.is_usable:
        write_out(out, json_text(found.to_dict()) if as_json else found.text)
        if out != "-":
            complain(f"{shown(out)}: written")
    if not found.plan.steps:
        fail(f"{shown(file)}: there is no plan")
    if found.verdict is Verdict.REFUSED:
        fail(f"{shown(file)}: the plan cannot be put together: no plan was written")
    if not found.is_usable and not found.refused:
        fail(f"{shown(file)}: the answer was cut off (--allow-truncated takes what there is): no plan was written")
    if not found.is_usable:
        repairs = count_of(len(found.refused), "repair is", "repairs are")
        fail(f"{shown(file)}: {repairs} of a higher risk than {max_risk}: no plan was written")


def _ledger(found: Extraction) -> Iterator[Row]:
    for entry in sorted((*found.repairs, *found.left_out), key=lambda entry: entry.line):
        done = "left out" if not entry.became else "kept    " if entry.became == entry.was else "repaired"
        what = "refused " if entry.risk.rank > found.max_risk.rank else done
        lines = f"{entry.line}" if entry.line == entry.end_line else f"{entry.line}-{entry.end_line}"
        yield [
            (f"{what}  {entry.risk.value:<6}", _STYLES[entry.risk]),
            (f"  {entry.code}  {lines}: {_say(entry)}", ""),
        ]


def _say(entry: Repair) -> str:
    was = shorten(one_line(entry.was))
    if entry.became in ("", entry.was):
        return f"{shorten(one_line(entry.message.removeprefix('left out: ')))}: {was}"
    return f"{was}  ⇒  {shorten(one_line(entry.became))}"


@click.command("repair-prompt")
@plan_argument()
@language_option("Of the prompt.")
@count_option("--max-faults", default=MAX_FAULTS, help="Show so many.")
@folder_option
def repair_prompt_command(file: str, language: str, max_faults: int) -> None:
    """Write what asks a model to mend single lines of its plan.

    planspec splice puts its answer into the plan. Exits with 0, and writes nothing, where nothing is to be mended; with
    1 where something is.
    """
    ask = partial(answers.repair_prompt, language=language, max_faults=max_faults)
    # What is no UTF-8 is a ValueError as well, and has been answered inside of this.
    with stop_at(ValueError, lead=f"{shown(file)}: "):
        prompt = read_as(file, ask, "nothing was read")
    if prompt:
        write_text(prompt)
        leave(FINDINGS)
