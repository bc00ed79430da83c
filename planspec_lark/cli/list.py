"""`planspec list`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from planspec_lark.cli.arguments import folder_of, folder_option, refusals
from planspec_lark.cli.output import Row, complain, json_text, terminal_width, write_rows, write_text
from planspec_lark.document.file import clear_leftovers
from planspec_lark.folder.models import PlanEntry
from planspec_lark.planspec.render import say_progress
from planspec_lark.syntax.source import columns, one_line, visible_name

__all__ = ["command"]

# Columns of a name on a terminal; a longer one stands out.
_WIDEST_NAME = 40
_GAP = "  "


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write all of it as JSON.")
@folder_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the plans in planspec/.

    Each has its progress, title and goal. A file that is no plan is listed with what is wrong first. Exits with 2 where
    the folder cannot be read.
    """
    with refusals():
        folder = folder_of(ctx)
        clear_leftovers(folder.path)
        entries = folder.list()
    if as_json:
        value = {"folder": str(folder.path), "plans": list(map(_value, entries))}
        write_text(json_text(value))
    elif entries:
        write_rows(_rows(entries, terminal_width()))
    else:
        complain(f"There are no plans in {visible_name(str(folder.path))}/")


def _value(entry: PlanEntry) -> dict[str, Any]:
    fault: dict[str, Any] | None = None
    if entry.fault:
        found = entry.diagnostic
        place = {} if found is None else {"code": found.code, "line": found.line, "column": found.column}
        fault = {"message": entry.fault, **place}
    return {
        "name": entry.name,
        "path": str(entry.path),
        "title": entry.title,
        "goal": entry.goal,
        "progress": None if entry.progress is None else dict(entry.progress),
        "is_converged": entry.is_converged,
        "fault": fault,
    }


def _rows(entries: Sequence[PlanEntry], width: int | None) -> list[Row]:
    names = [visible_name(entry.name) for entry in entries]
    counts = ["" if entry.progress is None else say_progress(entry.progress) for entry in entries]
    first = min(max(map(columns, names)), _WIDEST_NAME)
    second = max(map(len, counts))
    rows: list[Row] = []
    for entry, name, count in zip(entries, names, counts, strict=True):
        lead = [(_pad(name, first), "bold"), (_GAP, ""), (count.rjust(second), _style(entry))]
        room = None if width is None else width - sum(columns(text) for text, _ in lead) - len(_GAP)
        text, style = (entry.fault, "bold red") if entry.fault else (_say(entry), "")
        rows.append([*lead, (_GAP, ""), (_cut(text, room), style)] if text else lead)
    return rows


def _style(entry: PlanEntry) -> str:
    return "green" if entry.is_converged else ""


def _say(entry: PlanEntry) -> str:
    title, goal = one_line(entry.title), one_line(entry.goal)
    # Many goals say what the title says.
    return " — ".join(dict.fromkeys(filter(None, [title, goal])))


def _pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _cut(text: str, width: int | None) -> str:
    """A text that takes no more columns than this, if there are enough to say anything."""
    if width is None or width < 8 or columns(text) <= width:
        return text
    kept, used = 0, 1
    for char in text:
        used += columns(char)
        if used > width:
            break
        kept += 1
    return f"{text[:kept].rstrip(' ')}…"
