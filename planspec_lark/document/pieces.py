"""A text cut into its head and the lines of each step. Put together again, the pieces are the text."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from planspec_lark.planspec.fast_reader import patterns
from planspec_lark.syntax.source import WHITE, end_last_line

__all__ = ["Piece", "cut_accepted"]


class Piece(NamedTuple):
    """Some whole lines of a text.

    ``step_id`` says whose summary line and body they are; it is None for the head. ``lines`` are those from the first
    to the last that is not blank, each with its indentation and its line end (which the text's last line may lack),
    ``gap`` are the blank lines after them.
    """

    step_id: str | None
    lines: str
    gap: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return self.lines + self.gap


def cut_accepted(text: str) -> list[Piece]:
    """Cut a text that is known to be a plan.

    Returns:
        The head first, which is all before the first step's line and may be empty. Then a piece for each step, in
        the order of the text, which is not always that of the tree.
    """
    ended = end_last_line(text)
    head_pattern, row_pattern = patterns()
    head = head_pattern.match(ended)
    assert head is not None, "a plan has a head"
    rows = row_pattern.finditer(ended, head.end())
    steps = ((_start_line(ended, row.start()), row["STEP_ID"]) for row in rows if row["STEP_ID"])
    found = [(0, None), *steps, (len(text), None)]
    return [make_piece(step_id, text[start:end]) for (start, step_id), (end, _) in pairwise(found)]


def _start_line(text: str, at: int) -> int:
    """Where the line around an offset starts, its indentation included; a byte-order mark is before it."""
    start = text.rfind("\n", 0, at) + 1
    return 1 if start == 0 and text.startswith("\ufeff") else start


def make_piece(step_id: str | None, text: str) -> Piece:
    """A piece that is all of a text."""
    content = len(text.rstrip(WHITE))
    # The text's last line may lack its end.
    end = (text.find("\n", content) + 1 or len(text)) if content else 0
    return Piece(step_id, text[:end], text[end:])
