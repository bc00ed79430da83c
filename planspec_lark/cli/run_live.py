"""The plan while it runs: on a terminal, the part of it that is at work and what has happened last."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from planspec_lark.cli.output import Row
from planspec_lark.cli.run_events import event_rows, write_event
from planspec_lark.cli.show import tree_rows
from planspec_lark.engine.desk import ThinkEvent
from planspec_lark.engine.ledger import Kind
from planspec_lark.engine.models import Question
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps
from planspec_lark.source import one_line, visible

__all__ = ["Display", "displayed"]

# Lines of what has happened last, and the lines of the plan at least.
_EVENTS, _LEAST = 4, 5
# To lay out a large plan takes longer than many steps do: seconds between two pictures.
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
        self._drawn = 0.0

    def tell(self, event: ThinkEvent) -> None:
        """Show what has happened."""
        self._events.extend(event_rows(event))
        now = monotonic()
        if now - self._drawn >= _PAUSE or event.kind in (Kind.STARTED, Kind.ENDED):
            rows = list(tree_rows(event.plan))
            self._live.update(_picture(rows, event.plan, list(self._events), self._live.console.size), refresh=True)
            self._drawn = monotonic()

    def ask(self, question: Question) -> str | None:
        """Ask below the picture."""
        self._live.stop()
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
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield _LiveDisplay(live)


def _picture(rows: list[Row], plan: PlanSpec, events: list[Row], size: Any) -> Any:
    from rich.text import Text  # noqa: PLC0415

    room = max(size.height - len(events) - 2, _LEAST)
    first = max(min(_active_row(rows, plan) - room // 2, len(rows) - room), 0)
    shown = rows[first : first + room]
    lines = [Text.assemble(*row, no_wrap=True, overflow="ellipsis", end="\n") for row in [*shown, [], *events]]
    picture = Text("", no_wrap=True, overflow="ellipsis")
    for line in lines:
        line.truncate(size.width, overflow="ellipsis")
        picture.append(line)
        picture.append("\n")
    return picture


def _active_row(rows: list[Row], plan: PlanSpec) -> int:
    """The line of the step that is at work: the last active one."""
    active = [step.step_id for step in iter_steps(plan) if step.status is PlanStatus.ACTIVE]
    if not active:
        return 0
    name = active[-1]
    return next((at for at, row in enumerate(rows) if any(text.strip() == name for text, _ in row)), 0)


def _prompt(question: Question) -> str | None:
    click.echo(f"Step {visible(question.step.step_id)}: {one_line(question.text)}", err=True)
    try:
        said = click.prompt("Answer", default="", show_default=False, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    return str(said) or None
