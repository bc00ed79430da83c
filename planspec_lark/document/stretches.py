"""The lines of a document as a chain: a head, and for each step its own lines, which are made anew once it has changed.

What a step's lines become depends on how they were read and on what the step says now, and on nothing in between. So a
change that is undone leaves no trace, and it makes no difference when somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from attrs import define, field

from planspec_lark import grammars
from planspec_lark.document.bodies import Row, cut_rows, edit_body, join_rows
from planspec_lark.document.pieces import Piece
from planspec_lark.document.styles import Style
from planspec_lark.document.summaries import edit_summary, indent_of, new_summary
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanStep, iter_steps

__all__ = ["Chain", "Place", "Stretch"]

_BOM = "\ufeff"


@define(eq=False)
class Stretch:
    """Some lines in the chain.

    Attributes:
        lines: as they were read, without the end of the last one; None for those of a new step.
        end: what ends the last line; empty where nothing does.
        gap: the blank lines behind them.
        usual_end: how lines end here.
        step: whose they are.
        indent: how a new step is indented.
        text: the lines as they are now, without the last one's end; None until somebody asks.
    """

    lines: str | None
    end: str = ""
    gap: str = ""
    usual_end: str = "\n"
    step: PlanStep | None = None
    indent: str = ""
    text: str | None = None
    before: Stretch | None = field(default=None, repr=False)
    behind: Stretch | None = field(default=None, repr=False)

    @classmethod
    def of(cls, piece: Piece, step: PlanStep | None, usual_end: str = "") -> Stretch:
        """The stretch that a piece of a text is; ``usual_end`` is how lines end in front of it."""
        lines = piece.lines
        end = "\r\n" if lines.endswith("\r\n") else "\n" if lines.endswith("\n") else ""
        lines = lines.removesuffix(end)
        usual_end = end or usual_end or ("\r\n" if "\r\n" in piece.text else "\n")
        return cls(lines, end, piece.gap, usual_end, step, indent_of(lines), lines)


@define
class Place:
    """Where among its siblings a step stands: behind one and in front of another, or below a step without children."""

    behind: PlanStep | None
    before: PlanStep | None
    below: PlanStep | None = None


class Chain:
    """All lines of a document.

    Args:
        head: those in front of all steps.
        style: what new lines look like.
    """

    def __init__(self, head: Stretch, style: Style) -> None:
        self._head = self._last = head
        self._style = style
        self._stretches: dict[int, Stretch] = {}
        self._text: str | None = None

    def append(self, stretch: Stretch) -> None:
        """Put lines that were read at the end."""
        stretch.before, self._last.behind = self._last, stretch
        self._last = stretch
        if stretch.step is not None:
            self._stretches[id(stretch.step)] = stretch

    def __contains__(self, step: PlanStep) -> bool:
        return id(step) in self._stretches

    def __iter__(self) -> Iterator[Stretch]:
        stretch: Stretch | None = self._head
        while stretch is not None:
            yield stretch
            stretch = stretch.behind

    # ---------------------------------------------------------------- text

    @property
    def text(self) -> str:
        """The text."""
        if self._text is None:
            self._text = "".join(f"{self._show(stretch)}{stretch.end}{stretch.gap}" for stretch in self)
        return self._text

    def touch(self, step: PlanStep) -> None:
        """Note that a step may have changed."""
        self._stretches[id(step)].text = self._text = None

    def _show(self, stretch: Stretch) -> str:
        if stretch.text is None:
            assert stretch.step is not None, "only steps change"
            stretch.text = self._make(stretch, stretch.step)
        return stretch.text

    def _make(self, stretch: Stretch, step: PlanStep) -> str:
        if stretch.lines is None:
            row = Row(stretch.indent + new_summary(step, marks_pending=self._style.marks_pending))
            below: list[Row] = []
        else:
            row, *below = cut_rows(stretch.lines)
            row = Row(edit_summary(row.content, step, marks_pending=self._style.marks_pending), row.end)
        return join_rows([row, *edit_body(below, step, stretch.indent + self._style.body)], stretch.usual_end)

    # ---------------------------------------------------------------- steps that come, go and move

    def insert(self, step: PlanStep, place: Place) -> None:
        """Put in the lines of a new step."""
        stretch = Stretch(None, step=step, indent=self._indent_at(place))
        self._stretches[id(step)] = stretch
        self._link(stretch, stretch, self._find(place))

    def remove(self, steps: Iterable[PlanStep]) -> None:
        """Take out the lines of steps."""
        for step in steps:
            stretch = self._stretches.pop(id(step))
            self._unlink(stretch)

    def move(self, step: PlanStep, place: Place) -> None:
        """Put the lines of a step and of all below it elsewhere. They come to stand in the order of the tree."""
        block = [self._stretches[id(below)] for below in iter_steps(step)]
        gaps = [stretch.gap for stretch in block]
        for stretch in block:
            self._unlink(stretch)
        old, new = block[0].indent, self._indent_at(place)
        for stretch, gap, behind in zip(block, gaps, [*block[1:], None], strict=True):
            stretch.gap, stretch.behind = gap, behind
            stretch.end = stretch.end or stretch.usual_end
            self._indent(stretch, old, new)
        for before, behind in pairwise(block):
            behind.before = before
        self._link(block[0], block[-1], self._find(place))

    def _indent(self, stretch: Stretch, old: str, new: str) -> None:
        if old != new:
            if stretch.lines is not None:
                rows = stretch.lines.split("\n")
                stretch.lines = "\n".join(_indent(row, old, new) for row in rows)
            stretch.indent = _indent(f"{stretch.indent}.", old, new)[:-1]
        stretch.text = self._text = None

    def _indent_at(self, place: Place) -> str:
        beside = place.behind or place.before
        if beside is not None:
            return self._stretches[id(beside)].indent
        if place.below is not None:
            return self._stretches[id(place.below)].indent + self._style.child
        return indent_of((self._head.lines or "").rpartition("\n")[2].removeprefix(_BOM))

    def _find(self, place: Place) -> Stretch:
        """The stretch behind which a step with this place goes."""
        if place.before is not None:
            found = self._stretches[id(place.before)].before
            assert found is not None, "the head is in front of all"
            return found
        if place.behind is not None:
            found = self._stretches[id(place.behind)]
            lead = f"{place.behind.step_id}."
            while found.behind and found.behind.step and found.behind.step.step_id.startswith(lead):
                found = found.behind
            return found
        return self._stretches[id(place.below)] if place.below else self._open_steps()

    def _open_steps(self) -> Stretch:
        """The head, at the end of which the steps may start."""
        head = self._head
        assert head.lines is not None, "the head has been read"
        rows = head.lines.split("\n")
        mark = grammars.pattern("planspec", "STEPS_MARK")
        if not any(mark.fullmatch(row.strip(f"{BLANKS}\r{_BOM}")) for row in rows):
            self._text = None
            end = head.usual_end
            is_spaced = any(not row.strip(f"{BLANKS}\r") for row in head.lines.strip().split("\n"))
            if head.lines in ("", _BOM):
                head.lines += "## Steps"
                head.end = end
            else:
                head.lines += (head.end or end) + (end if is_spaced else "") + "## Steps"
            head.text = head.lines
        return head

    # ---------------------------------------------------------------- the chain

    def _link(self, first: Stretch, last: Stretch, before: Stretch) -> None:
        """Put stretches that hang together behind one, set off as it is usual there."""
        self._text = None
        end, behind = before.usual_end, before.behind
        if behind is not None and behind.step is not None:
            last.gap = self._space(before, end)
        else:
            last.gap, before.gap = before.gap, self._space_at_end(before, end)
        if first.lines is None:
            first.end = first.usual_end = end
        if not before.end:
            before.end, last.end = end, ""
        first.before, before.behind = before, first
        last.behind = behind
        if behind is not None:
            behind.before = last
        else:
            self._last = last

    def _unlink(self, stretch: Stretch) -> None:
        self._text = None
        before, behind = stretch.before, stretch.behind
        assert before is not None, "the head stays"
        before.behind = behind
        if behind is not None:
            behind.before = before
        else:
            self._last = before
        if behind is None or behind.step is None:
            before.gap = stretch.gap

    def _space(self, before: Stretch, end: str) -> str:
        """What to put between a new step and the one behind it: a blank line where that is usual."""
        return end if "\n" in before.gap and (before.step or _is_spaced(before.behind)) else ""

    def _space_at_end(self, before: Stretch, end: str) -> str:
        """The same between the last step and a new one behind it."""
        return end if before.step and before.before and before.before.step and "\n" in before.before.gap else ""


def _is_spaced(stretch: Stretch | None) -> bool:
    return bool(stretch and stretch.behind and stretch.behind.step and "\n" in stretch.gap)


def _indent(row: str, old: str, new: str) -> str:
    return new + row[len(old) :] if row.startswith(old) and row.strip() else row
