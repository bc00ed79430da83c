"""Some lines of a document, and what becomes of them where they belong to a step that changes.

What a step's lines become depends on how they were read and on what the step says now, and on nothing in between. So a
change that is undone leaves no trace, and it makes no difference when somebody looks.
"""

from __future__ import annotations

import attrs
from attrs import define, field

from planspec_lark.document.bodies import Row, cut_rows, edit_body, join_rows, read_rows, replace_body
from planspec_lark.document.pieces import Piece
from planspec_lark.document.styles import Style
from planspec_lark.document.summaries import edit_summary, indent_of, new_summary, read_summary, says
from planspec_lark.planspec.models import PlanStep

__all__ = ["BOM", "Stretch"]

BOM = "\ufeff"


@define(eq=False)
class Stretch:
    """Some lines in a chain of such.

    Attributes:
        lines: as they were read, without the end of the last one; None for those of a new step.
        end: what ends the last line; empty where nothing does.
        gap: the blank lines behind them.
        usual_end: how lines end here.
        step: whose they are.
        indent: how a new step is indented.
        text: the lines as they are now, without the last one's end; None until somebody asks.
        foreign: which of the lines are no part of the plan, although they stand among those of a step.
        was: what the step was read as, where the grammar reads its lines otherwise or not at all.
        rank: grows from the first stretch to the last.
    """

    lines: str | None
    end: str = ""
    gap: str = ""
    usual_end: str = "\n"
    step: PlanStep | None = None
    indent: str = ""
    text: str | None = None
    foreign: frozenset[int] = frozenset()
    was: PlanStep | None = None
    rank: int = 0
    before: Stretch | None = field(default=None, repr=False)
    behind: Stretch | None = field(default=None, repr=False)

    @classmethod
    def of(cls, piece: Piece, step: PlanStep | None, usual_end: str) -> Stretch:
        """The stretch that a piece of a text is; ``usual_end`` is how lines end in front of it."""
        lines = piece.lines
        end = "\r\n" if lines.endswith("\r\n") else "\n" if lines.endswith("\n") else ""
        lines = lines.removesuffix(end)
        return cls(lines, end, piece.gap, end or usual_end, step, indent_of(lines), lines, piece.foreign)

    @property
    def is_bare(self) -> bool:
        """Whether there is no line at all, so that none has to be ended."""
        return self.lines in ("", BOM) and not self.end

    def note_repairs(self) -> None:
        """Find out whether the lines had to be mended to be those of the step."""
        assert self.lines is not None, "they have been read"
        assert self.step is not None, "they are a step's"
        row, *below = cut_rows(self.lines)
        read = read_summary(row.content)
        if read is None or not says(read, self.step) or not _has_body(below, self.step):
            self.was = attrs.evolve(self.step, children=[])

    def show(self, style: Style) -> str:
        """The lines as they are now, without the last one's end."""
        if self.text is None:
            assert self.step is not None, "only steps change"
            self.text = self._make(self.step, style)
        return self.text

    def _make(self, step: PlanStep, style: Style) -> str:
        if self.lines is None:
            row = Row(self.indent + new_summary(step, marks_pending=style.marks_pending))
            below: list[Row] = []
        else:
            row, *below = cut_rows(self.lines)
            row = Row(self._edit_summary(row.content, step, style), row.end)
        body = self._edit_body(below, step, self.indent + style.body)
        return join_rows([row, *body], self.usual_end)

    def _edit_summary(self, row: str, step: PlanStep, style: Style) -> str:
        if self.was is not None:
            read = read_summary(row)
            if read is None or not says(read, self.was):
                new = indent_of(row) + new_summary(step, marks_pending=style.marks_pending)
                return row if says(self.was, step) else new
        return edit_summary(row, step, marks_pending=style.marks_pending)

    def _edit_body(self, rows: list[Row], step: PlanStep, indent: str) -> list[Row]:
        if self.was is not None and not _has_body(rows, self.was):
            if (self.was.inputs, self.was.detail) == (step.inputs, step.detail):
                return rows
            return replace_body(rows, step, indent, {at - 1 for at in self.foreign})
        return edit_body(rows, step, indent)

    def shift(self, old: str, new: str) -> None:
        """Indent the step's own lines anew that were indented with ``old``."""
        if self.lines is not None:
            rows = enumerate(self.lines.split("\n"))
            self.lines = "\n".join(row if at in self.foreign else _shift(row, old, new) for at, row in rows)
        self.indent = _shift(f"{self.indent}.", old, new)[:-1]
        self.text = None

    def leave_foreign(self) -> bool:
        """Give up the step, and keep the lines that are none of its; False where there are none."""
        if not self.foreign or self.lines is None:
            return False
        rows = cut_rows(self.lines)
        self.lines = self.text = join_rows([rows[at] for at in sorted(self.foreign)], self.usual_end)
        self.end, self.step, self.foreign = self.end or self.usual_end, None, frozenset()
        return True


def _has_body(rows: list[Row], step: PlanStep) -> bool:
    return read_rows(rows) == (step.inputs, step.detail)


def _shift(row: str, old: str, new: str) -> str:
    return new + row[len(old) :] if row.startswith(old) and row.strip() else row
