"""`planspec extract`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from planspec_lark.answers.extract import Extraction, Repair, extract_plan
from planspec_lark.answers.risk import Risk
from planspec_lark.cli.output import (
    FINDINGS,
    Row,
    complain,
    fail,
    json_text,
    label,
    out_option,
    read_text,
    stop_on_faults,
    write_out,
    write_rows,
)
from planspec_lark.syntax.diagnostics import PlanSyntaxError, shorten
from planspec_lark.syntax.source import one_line, visible_name

__all__ = ["command"]

_STYLES = {Risk.NONE: "dim", Risk.LOW: "cyan", Risk.MEDIUM: "bold yellow", Risk.HIGH: "bold red"}


@click.command("extract")
@click.argument("file", metavar="FILE")
@out_option
@click.option(
    "--max-risk",
    type=click.Choice([risk.value for risk in Risk]),
    default=Risk.MEDIUM.value,
    show_default=True,
    help="Refuse repairs that are more likely to change what is meant.",
)
@click.option("--json", "as_json", is_flag=True, help="Write plan and ledger as JSON.")
def command(file: str, out: str, max_risk: str, as_json: bool) -> None:
    """Take the plan out of a language model's answer.

    The plan goes to standard output in canonical form, and what was repaired or left out for it to standard error.
    Exits with 1, and writes no plan, where there is none or a repair is more risky than --max-risk allows.
    """
    try:
        found = extract_plan(read_text(file), max_risk=max_risk, name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: nothing was read")
    if as_json:
        _write(json_text(found.to_dict()), out)
    else:
        write_rows(_ledger(found), to_stderr=True)
        if found.is_usable:
            _write(found.text, out)
            return
    if not found.plan.steps:
        fail(f"{visible_name(label(file))}: there is no plan", FINDINGS)
    if not found.is_usable:
        count = len(found.refused)
        what = "repair is" if count == 1 else "repairs are"
        fail(
            f"{visible_name(label(file))}: {count} {what} of a higher risk than {max_risk}: no plan was written",
            FINDINGS,
        )


def _write(text: str, out: str) -> None:
    write_out(out, text)
    if out != "-":
        complain(f"{visible_name(out)}: written")


def _ledger(found: Extraction) -> Iterator[Row]:
    for entry in sorted((*found.repairs, *found.left_out), key=lambda entry: entry.line):
        refused = entry.risk.rank > found.max_risk.rank
        done = "left out" if not entry.became else "kept    " if entry.became == entry.was else "repaired"
        what = "refused " if refused else done
        lines = f"{entry.line}" if entry.line == entry.end_line else f"{entry.line}-{entry.end_line}"
        yield [
            (f"{what}  {entry.risk.value:<6}", _STYLES[entry.risk]),
            (f"  {entry.code}  {lines}: ", ""),
            (_say(entry), ""),
        ]


def _say(entry: Repair) -> str:
    was = shorten(one_line(entry.was))
    if entry.became in ("", entry.was):
        return f"{shorten(one_line(entry.message.removeprefix('left out: ')))}: {was}"
    return f"{was}  ⇒  {shorten(one_line(entry.became))}"
