"""A text cut into its head and the lines of each step. Put together again, the pieces are the text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from re import Pattern

from attrs import frozen

from planspec_lark import grammars
from planspec_lark.collector import paused
from planspec_lark.limits import DEFAULT_LIMITS, Limits
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.reading import parse_plan
from planspec_lark.source import end_last_line

__all__ = ["Piece", "cut_accepted", "cut_text"]


@frozen
class Piece:
    """Some whole lines of a text.

    ``step_id`` says whose summary line and body they are; it is None for lines of no step. ``lines`` are those from the
    first to the last that is not blank, each with its indentation and its line end (which the text's last line may
    lack), ``gap`` are the blank lines behind them.
    """

    step_id: str | None
    lines: str
    gap: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return self.lines + self.gap


@cache
def _patterns() -> tuple[Pattern[str], Pattern[str]]:
    rules = grammars.regular("planspec")
    return rules.pattern("plan", without="step", groups=("steps",)), rules.rows("row", ("STEP_ID",))


def cut_text(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> list[Piece]:
    """Cut the text of a plan into pieces.

    Args:
        text: a PlanSpec document.
        name: what diagnostics call it.
        limits: how much to take.

    Returns:
        The head first, which is all in front of the first step's line and may be empty. Then a piece for each step, in
        the order of the text, which is not always that of the tree.

    Raises:
        PlanSyntaxError: as :func:`planspec_lark.parse_plan` does.
    """
    parse_plan(text, name=name, limits=limits)
    return cut_accepted(text)


def cut_accepted(text: str) -> list[Piece]:
    """The same for a text that is known to be a plan."""
    with paused(len(text)):
        found = [(0, None), *_find_steps(end_last_line(text)), (len(text), None)]
        return [make_piece(step_id, text[start:end]) for (start, step_id), (end, _) in pairwise(found)]


def _find_steps(ended: str) -> Iterator[tuple[int, str]]:
    """Where the line of each step starts, and the step's id."""
    head_pattern, row_pattern = _patterns()
    head = head_pattern.match(ended)
    assert head is not None, "a plan has a head"
    for row in row_pattern.finditer(ended, head.end()):
        if row["STEP_ID"]:
            # Its indentation is part of the line break in front, as the grammar sees it.
            yield ended.rfind("\n", 0, row.start()) + 1, row["STEP_ID"]


def make_piece(step_id: str | None, stretch: str) -> Piece:
    """A piece that is all of a stretch of text."""
    content = len(stretch.rstrip(f"{BLANKS}\r\n"))
    end = stretch.find("\n", content) + 1 if content else 0
    return Piece(step_id, stretch) if content and not end else Piece(step_id, stretch[:end], stretch[end:])
