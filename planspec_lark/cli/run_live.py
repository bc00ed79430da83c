"""The plan while it runs: on a terminal, the part of it that is at work and what has happened last."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

import click

from planspec_lark.cli.output import Row, write_rows
from planspec_lark.cli.run_events import event_rows, write_event
from planspec_lark.cli.show import step_rows
from planspec_lark.engine.desk import ThinkEvent
from planspec_lark.engine.ledger import Kind
from planspec_lark.engine.models import Question
from planspec_lark.planspec.fold import view_steps
from planspec_lark.planspec.models import PlanSpec, PlanStatus
from planspec_lark.syntax.source import one_line, visible_name

__all__ = ["Display", "displayed"]

# Lines of what has happened last, at most.
_EVENTS = 4
# Seconds between two pictures of what is over soon: a step that begins may take long, and is shown at once.
_PAUSE = 0.1


class Display:
    """Lines as they come: for pipes, and for terminals that cannot be drawn on."""

    def tell(self, event: ThinkEvent) -> None:
        """Show what has happened."""
        write_event(event)

    def ask(self, question: Question) -> str | None:
        """Ask whoever sits in front of the terminal."""
        return _prompt(question)


class _LiveDisplay(Display):
    """A picture that changes."""

    def __init__(self, live: Any) -> None:
        self._live = live
        self._events: deque[Row] = deque(maxlen=_EVENTS)
        self._at = 0
        self._drawn = 0.0

    def tell(self, event: ThinkEvent) -> None:
        """Show what has happened."""
        self._events.extend(event_rows(event, wrapped=False))
        if monotonic() - self._drawn >= _PAUSE or event.kind is Kind.STARTED:
            self._at = _place(event.plan, self._at)
            size = self._live.console.size
            rows = _rows(event.plan, self._at, list(self._events), size.height)
            self._live.update(_picture(rows, size.width), refresh=True)
            self._drawn = monotonic()

    def ask(self, question: Question) -> str | None:
        """Ask in place of the picture, below what has led to the question."""
        self._live.stop()
        write_rows(self._events)
        self._events.clear()
        try:
            return _prompt(question)
        finally:
            self._live.start()


@contextmanager
def displayed() -> Iterator[Display]:
    """What shows a run on standard output."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        yield Display()
        return
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.live import Live  # noqa: PLC0415

    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False)
    with live:
        yield _LiveDisplay(live)


# ---------------------------------------------------------------- the picture


def _place(plan: PlanSpec, before: int) -> int:
    """Which of the steps that a tree shows is at work: the last active one, or else the one that was."""
    active = [at for at, view in enumerate(view_steps(plan, fold=True)) if view.step.status is PlanStatus.ACTIVE]
    return active[-1] if active else before


def _rows(plan: PlanSpec, at: int, events: list[Row], height: int) -> list[Row]:
    """As many lines as a terminal has: how far the plan is, the steps around one, and what has happened last."""
    counts = plan.progress
    name = one_line(plan.title or plan.goal)
    head: list[Row] = [[(f"{name}  ", "bold"), (f"{counts['done']}/{counts['total']} done", "dim")], []]
    events = events[max(len(events) - max(height // 4, 1), 0) :]
    room = max(height - len(head) - len(events) - 2, 1)
    # No more than these can be seen: to lay out all steps of a large plan takes longer than a step does.
    above = list(step_rows(plan, max(at - room, 0), at))
    rows = above + list(step_rows(plan, at, at + room))[:room]
    first = max(min(len(above) - room // 2, len(rows) - room), 0)
    return [*head, *rows[first : first + room], [], *events]


def _picture(rows: list[Row], width: int) -> Any:
    from rich.console import Group  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    lines = []
    for row in rows:
        # Cut first: a text may have any length, and is measured by its characters.
        line = Text.assemble(*((text[: 4 * width].replace("\t", " "), style) for text, style in row))
        line.truncate(width, overflow="ellipsis")
        line.no_wrap = True
        lines.append(line)
    return Group(*lines)


# ---------------------------------------------------------------- questions


def _prompt(question: Question) -> str | None:
    """Ask on the terminal. Standard output may lead elsewhere, so nothing goes there."""
    _forget_typed()
    click.echo(f"Step {visible_name(question.step.step_id)}: {one_line(question.text)}", err=True)
    click.echo("Answer (without one the step is blocked): ", nl=False, err=True)
    said = sys.stdin.buffer.readline()
    if not said:
        click.echo(err=True)
        raise KeyboardInterrupt
    return said.decode(sys.stdin.encoding or "utf-8", "replace").strip() or None


def _forget_typed() -> None:
    """What was typed before a question is no answer to it."""
    with suppress(ImportError):
        import termios  # noqa: PLC0415  (not every system has it)

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
