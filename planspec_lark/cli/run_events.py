"""What happens while a plan is run, and what a ledger says of it, for people to read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from planspec_lark.cli.output import Row, terminal_width, write_rows
from planspec_lark.engine.desk import ThinkEvent
from planspec_lark.engine.ledger import Kind
from planspec_lark.planspec.render import Piece, wrap
from planspec_lark.syntax.source import one_line, visible_name

__all__ = ["event_rows", "rows_of", "write_event"]

_GOOD, _BAD, _BUSY, _QUIET = "green", "bold red", "bold yellow", "dim"
# Of a text, what a line shows of it; of commands, so many.
_SHOWN, _LISTED = 200, 20

# The word for each kind, and its style.
_WORDS = {
    Kind.BEGUN: ("begun", _QUIET),
    Kind.RESUMED: ("resumed", _QUIET),
    Kind.STARTED: ("started", _BUSY),
    Kind.DONE: ("done", _GOOD),
    Kind.FAILED: ("failed", _BAD),
    Kind.BRANCHED: ("chosen", _GOOD),
    Kind.OPENED: ("opened", _QUIET),
    Kind.LOOPED: ("round", _GOOD),
    Kind.SKIPPED: ("skipped", _QUIET),
    Kind.BLOCKED: ("blocked", _BAD),
    Kind.REFUSED: ("refused", _BAD),
    Kind.REFLECTED: ("decided", _BUSY),
    Kind.TOLD: ("told", _BUSY),
    Kind.REPLANNED: ("replanned", _BUSY),
    Kind.PLANNED: ("planned", _BUSY),
    Kind.RENEWED: ("new plan", _BUSY),
    Kind.KEPT: ("kept", _QUIET),
    Kind.RERUN: ("again", _BUSY),
    Kind.ENDED: ("ended", _QUIET),
}
_WIDTH = max(len(word) for word, _ in _WORDS.values())


def write_event(event: ThinkEvent) -> None:
    """Write what has happened, at once: whoever reads it through a pipe waits for it."""
    write_rows(event_rows(event))
    sys.stdout.flush()


def event_rows(event: ThinkEvent, *, wrapped: bool = True) -> Iterator[Row]:
    """An event in lines."""
    return rows_of(event.kind, event.step_id, event.data, wrapped=wrapped)


def rows_of(
    kind: Kind, step_id: str, data: Mapping[str, Any], lead: str = "", *, wrapped: bool = True
) -> Iterator[Row]:
    """What has happened, in lines; on a terminal, the text of each goes on below where it began."""
    word, style = _WORDS[kind]
    width = terminal_width() if wrapped else None
    for text in _texts(kind, data) or [""]:
        name = f"{visible_name(step_id)}  " if step_id else ""
        said = f"  {name}{text}".rstrip()
        line = Piece("", lead), Piece(style, f"{word:{_WIDTH}}" if said else word), Piece("", said)
        for row in wrap(line, width) if width else [line]:
            yield [(piece.text, piece.role) for piece in row]
        word = ""


def _texts(kind: Kind, data: Mapping[str, Any]) -> list[str]:
    """What stands behind the word, line by line."""
    write = _WRITERS.get(kind)
    return (
        [_brief(data.get("result") or data.get("reason") or data.get("description"))] if write is None else write(data)
    )


def _failure(data: Mapping[str, Any]) -> list[str]:
    return [f"{_brief(data.get('status'))}: {_brief(data.get('result'))}"]


def _refusal(data: Mapping[str, Any]) -> list[str]:
    return [_brief(one) for one in data.get("faults", ())]


def _branch(data: Mapping[str, Any]) -> list[str]:
    return [f"{_brief(data.get('branch'))}  {_brief(data.get('result'))}".rstrip()]


def _telling(data: Mapping[str, Any]) -> list[str]:
    return [f"{_brief(data.get('question'))} — {_brief(data.get('answer'))}"]


def _round(data: Mapping[str, Any]) -> list[str]:
    said = _brief(data.get("result") or data.get("description"))
    return [f"{_brief(data.get('rounds'))}/{_brief(data.get('total'))}  {said}"]


def _end(data: Mapping[str, Any]) -> list[str]:
    outcome, reason = _brief(data.get("outcome")), _brief(data.get("reason"))
    # A reason may begin with the word for what it is the reason of.
    return [reason if reason.startswith(f"{outcome}:") else f"{outcome}: {reason}" if reason else outcome]


def _decision(data: Mapping[str, Any]) -> list[str]:
    decision, reason = _brief(data.get("decision")), _brief(data.get("reason"))
    lines = [f"{decision} | {reason}" if reason else decision] if decision else []
    commands = [_brief(line) for line in str(data.get("commands", "")).split("\n") if line]
    more = [f"({len(commands) - _LISTED} more lines)"] if len(commands) > _LISTED else []
    return lines + commands[:_LISTED] + more


def _resumption(data: Mapping[str, Any]) -> list[str]:
    lines = ["the plan was edited since"] if data.get("is_edited") else []
    if data.get("is_lost"):
        lines.append("the last change of the run is not in the plan: it was edited before that was written")
    lines += [f"step {visible_name(str(old))} is {visible_name(str(new))} now" for old, new in _moves(data)]
    if edited := data.get("edited"):
        lines.append(f"finished steps were edited: {_brief(', '.join(map(str, edited)))}")
    return lines


def _moves(data: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    return list(data.get("moves", {}).items())[:_LISTED]


_WRITERS = {
    Kind.FAILED: _failure,
    Kind.REFUSED: _refusal,
    Kind.LOOPED: _round,
    Kind.BRANCHED: _branch,
    Kind.REFLECTED: _decision,
    Kind.REPLANNED: _decision,
    Kind.TOLD: _telling,
    Kind.ENDED: _end,
    Kind.RESUMED: _resumption,
}


def _brief(text: object) -> str:
    line = one_line(str(text or "")[: 4 * _SHOWN])
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
