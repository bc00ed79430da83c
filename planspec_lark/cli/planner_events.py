"""What happens while a plan is run, for people to read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

from planspec_lark.cli.output import Row, diagnostic_rows, terminal_width, write_rows
from planspec_lark.plan_next.models import DoneItem, DoneStatus, Goal, Phase, goal_text
from planspec_lark.plan_next.runtime import Event, EventKind
from planspec_lark.planspec.render import Piece, wrap
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.source import escape_json, visible, visible_name

__all__ = ["ASKED", "write_event"]

_GOOD, _BAD, _BUSY = "green", "bold red", "bold yellow"
# Of a goal or a result, what a line shows of it; and of the plan's own result.
_SHOWN_IN_LINE = 100
_SHOWN = 10_000
# Of what is wrong with an answer, so much is listed.
_LISTED = 20
# How a block has ended, and how the plan has.
_WORDS = {
    DoneStatus.DONE: ("done", _GOOD),
    DoneStatus.PARTLY_DONE: ("partly", _BAD),
    DoneStatus.FAILED: ("failed", _BAD),
}
_ENDED = {
    DoneStatus.DONE: "The goal is reached.",
    DoneStatus.PARTLY_DONE: "The goal is reached in part.",
    DoneStatus.FAILED: "The plan has failed.",
}
# Who is asked in each phase.
ASKED = {Phase.PLANNING: "planner", Phase.EXECUTION: "executor"}


def write_event(event: Event) -> None:
    """Write what has happened, at once: whoever reads it through a pipe waits for it."""
    write_rows(_rows(event))
    sys.stdout.flush()


def _rows(event: Event) -> Iterator[Row]:
    depth = event.context.depth
    if event.kind is EventKind.OPENED:
        kind = event.context.think.plan_type
        said = f"{kind.value if kind else ''} {_name(event.context.think.goal)}"
        yield from _row(depth, ("opened", _BUSY), said)
        yield from _warnings(event)
    elif event.kind is EventKind.REFUSED:
        assert event.refusal is not None
        yield from _row(depth, ("refused", _BAD), f"an answer of the {ASKED[event.phase or event.context.phase]}")
        yield from _diagnostics(event.refusal.diagnostics)
    elif event.kind is EventKind.CLOSED:
        assert event.item is not None
        has_ended = event.context.outcome is not None
        yield from _row(
            depth if has_ended else depth + 1, _end(event.item), _closed(event.item, with_result=not has_ended)
        )
        yield from _warnings(event)
    elif event.kind is EventKind.ENDED:
        assert event.item is not None
        yield (("", ""),)
        yield ((_ENDED[event.item.status], _end(event.item)[1]),)
        if result := _result(event.item).strip():
            yield ((visible(result if len(result) <= _SHOWN else result[:_SHOWN] + "…"), ""),)


def _warnings(event: Event) -> Iterator[Row]:
    """What a message was accepted with. Infos are for whoever checks it."""
    return _diagnostics([found for found in event.diagnostics if found.severity is not Severity.INFO])


def _diagnostics(found: Sequence[Diagnostic]) -> Iterator[Row]:
    for diagnostic in found[:_LISTED]:
        yield from diagnostic_rows(diagnostic)
    if len(found) > _LISTED:
        yield ((f"Besides these: {len(found) - _LISTED}", ""),)
        yield (("", ""),)


def _row(depth: int, word: tuple[str, str], text: str) -> Iterator[Row]:
    """A line, or on a terminal as many as it needs: its text goes on below where it began."""
    said, style = word
    line = Piece("", "  " * depth), Piece(style, f"{said:8}"), Piece("", text)
    width = terminal_width()
    for row in wrap(line, width) if width else [line]:
        yield [(piece.text, piece.role) for piece in row]


def _end(item: DoneItem) -> tuple[str, str]:
    return _WORDS[item.status]


def _closed(item: DoneItem, *, with_result: bool) -> str:
    result = _in_a_line(_result(item)) if with_result else ""
    return f"{_name(item.goal)} | {result}" if result else _name(item.goal)


def _result(item: DoneItem) -> str:
    if isinstance(item.result, str):
        return item.result
    return escape_json(json.dumps(item.result, ensure_ascii=False, indent=2))


def _name(goal: Goal) -> str:
    return _in_a_line(goal_text(goal)) or "(no text)"


def _in_a_line(text: str) -> str:
    # Cut before anything else looks at all of it.
    line = " ".join(text[: 4 * _SHOWN_IN_LINE].split())
    return visible_name(line if len(line) <= _SHOWN_IN_LINE else line[:_SHOWN_IN_LINE] + "…")
