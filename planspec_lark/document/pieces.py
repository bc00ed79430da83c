"""A text cut into its head and the lines of each step. Put together again, the pieces are the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from operator import itemgetter

from attrs import frozen

from planspec_lark.planspec.fast_reader import patterns
from planspec_lark.planspec.recovery import WHITE, ScanResult
from planspec_lark.planspec.tree import step_order
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import end_last_line

__all__ = ["WHITE", "Piece", "cut_accepted", "cut_scanned"]


@frozen
class Piece:
    """Some whole lines of a text.

    ``step_id`` says whose summary line and body they are; it is None for lines of no step. ``lines`` are those from the
    first to the last that is not blank, each with its indentation and its line end (which the text's last line may
    lack), ``gap`` are the blank lines after them. ``foreign`` are those lines, from 0, that are no part of the plan,
    although they are among the lines of a step.
    """

    step_id: str | None
    lines: str
    gap: str = ""
    foreign: frozenset[int] = frozenset()

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
    found = [(0, None), *_find_steps(end_last_line(text)), (len(text), None)]
    return [make_piece(step_id, text[start:end]) for (start, step_id), (end, _) in pairwise(found)]


def _find_steps(ended: str) -> Iterator[tuple[int, str]]:
    """Where the line of each step starts, and the step's id."""
    head_pattern, row_pattern = patterns()
    head = head_pattern.match(ended)
    assert head is not None, "a plan has a head"
    for row in row_pattern.finditer(ended, head.end()):
        if row["STEP_ID"]:
            yield _start_line(ended, row.start()), row["STEP_ID"]


def cut_scanned(scan: ScanResult) -> list[Piece]:
    """The same for a text with a plan in it: other text between steps and after them is in pieces of its own.

    Where there are no steps, the head ends with the plan's last part, or is all of a text without any.
    """
    # Of a text with reasoning in it, `read` is what was read: as long, and blank in other places.
    text, places = scan.source.text, scan.places
    read = leave_out_reasoning(text).text
    steps = sorted((places.bounds_of(step_id), step_id) for step_id in step_order(scan.plan))
    if not steps:
        end = _end_line(text, read, 0, places.end_of_parts() or len(text))
        blank, *others = _cut_between(text[end:])
        return [make_piece(None, text[:end] + blank.gap), *others]
    starts = [_start_line(text, bounds[0][0]) for bounds, _ in steps]
    pieces = [make_piece(None, text[: starts[0]])]
    for (bounds, step_id), start, behind in zip(steps, starts, [*starts[1:], len(text)], strict=True):
        end = _end_line(text, read, start, bounds[-1][1])
        first, *others = _cut_between(text[end:behind])
        foreign = frozenset(_find_foreign(text, read, start, end, bounds))
        pieces += [Piece(step_id, text[start:end], first.gap, foreign), *others]
    return pieces


def _cut_between(between: str) -> list[Piece]:
    """The blank lines at the start of a text, and all that comes then, as a piece if there is anything."""
    content = len(between) - len(between.lstrip(WHITE))
    start = between.rfind("\n", 0, content) + 1 if content < len(between) else content
    return [Piece(None, "", between[:start]), *([make_piece(None, between[start:])] if start < len(between) else [])]


def _start_line(text: str, at: int) -> int:
    """Where the line around an offset starts, its indentation included; a byte-order mark is before it."""
    start = text.rfind("\n", 0, at) + 1
    return 1 if start == 0 and text.startswith("\ufeff") else start


def _end_line(text: str, read: str, start: int, at: int) -> int:
    """Where the last line ends that is not blank, begins after ``start`` and before ``at``."""
    return text.find("\n", start + len(read[start:at].rstrip(WHITE))) + 1 or len(text)


def _find_foreign(text: str, read: str, start: int, end: int, bounds: list[tuple[int, int]]) -> Iterator[int]:
    """Which lines between two offsets are neither blank nor within these bounds."""
    at = start
    for number, row in enumerate(text[start:end].split("\n")):
        said = read[at : at + len(row)]
        content = at + len(said) - len(said.lstrip(WHITE))
        above = bisect_right(bounds, content, key=itemgetter(0)) - 1
        if row.strip(WHITE) and (not said.strip(WHITE) or above < 0 or bounds[above][1] <= content):
            yield number
        at += len(row) + 1


def make_piece(step_id: str | None, stretch: str) -> Piece:
    """A piece that is all of a stretch of text."""
    content = len(stretch.rstrip(WHITE))
    end = stretch.find("\n", content) + 1 if content else 0
    return Piece(step_id, stretch) if content and not end else Piece(step_id, stretch[:end], stretch[end:])
