"""The text of a document as a list of blocks: the head, then the lines of each step.

What the lines of a step become depends on how they were read and on what the step says now, and on nothing in between.
So a change that is undone leaves no trace, and it makes no difference when the text is read. Printing is concatenation.
All lines are ended here; where the text's last one is not, that is known besides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from attrs import define, frozen

from planspec_lark.document.head import BOM, edit_head
from planspec_lark.document.layout import edit_lines, end_of, find_style, indent_of, split_rows
from planspec_lark.document.pieces import WHITE, Piece, cut_accepted
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import newline_of

__all__ = ["Blocks", "LineBlock", "StepPlace"]

# How far the ranks of neighbours are apart at first: there is room for so many bits of blocks in between.
_APART = 1 << 256
_RANK = attrgetter("rank")
# What a head may be that has no line, so that none has to be ended.
_NO_LINE = ("", BOM)


@define(eq=False)
class LineBlock:
    """Some lines.

    Attributes:
        lines: as they were read; empty for those of a new step.
        newline: how lines end here.
        step: whose they are; the head is of none.
        gap: the blank lines after them.
        indent: how the step is indented.
        text: the lines as they are now; made on demand, None before.
        rank: grows from the first block to the last, so that each is found in the list without a walk through it.
        is_placed: whether the step is new or has got another id since the changes were last taken.
    """

    lines: str
    newline: str
    step: PlanStep | None = None
    gap: str = ""
    indent: str = ""
    text: str | None = None
    rank: int = 0
    is_placed: bool = False

    @property
    def is_spaced(self) -> bool:
        """Whether a blank line comes after it."""
        return "\n" in self.gap

    def is_below(self, step_id: str) -> bool:
        """Whether it is of a step whose id begins with this one, or of any where this is empty."""
        return self.step is not None and self.step.step_id.startswith(f"{step_id}." if step_id else "")

    def shift(self, old: str, new: str) -> None:
        """Indent the step's own lines again that were indented with ``old``."""
        self.lines = "".join(_shift(row, old, new) for row in split_rows(self.lines))
        self.indent = _shift(f"{self.indent}.", old, new)[:-1]


def _shift(row: str, old: str, new: str) -> str:
    return new + row[len(old) :] if row.startswith(old) and row.strip() else row


@frozen
class StepPlace:
    """Where a step is: after a sibling, before another step, below a parent; None for what is not there."""

    behind: PlanStep | None
    before: PlanStep | None
    parent: PlanStep | None


class Blocks:
    """All blocks of a document, as it was read."""

    def __init__(self, text: str, plan: PlanSpec, steps: Mapping[str, PlanStep] | None = None) -> None:
        """Cut a text that says a plan. Its lines are those of its own steps, or of those that have these ids."""
        head, *pieces = cut_accepted(text)
        steps = steps or {step.step_id: step for step in iter_steps(plan)}
        self._style = find_style(plan, pieces)
        self._blocks: dict[int, LineBlock] = {}
        self._changed: dict[LineBlock, None] = {}
        self._text: str | None = text
        # Whether the text's last line is.
        self.is_ended = True
        self._plan = plan
        # Its lines by what they say, once it has been edited.
        self.head_parts: dict[str, str] = {}
        self._head = self._read(head, newline_of(text))
        self._order = [self._head]
        for piece in pieces:
            block = self._read(piece, self._order[-1].newline)
            assert piece.step_id is not None, "only the head is of no step"
            block.step = step = steps[piece.step_id]
            self._blocks[id(step)] = block
            block.rank = len(self._order) * _APART
            self._order.append(block)

    def _read(self, piece: Piece, newline: str) -> LineBlock:
        lines, end = piece.lines, end_of(piece.lines)
        block = LineBlock(lines, end or newline, gap=piece.gap, indent=indent_of(lines))
        if not end and lines not in _NO_LINE:
            block.lines += newline
            self.is_ended = False
        block.text = block.lines
        return block

    def __iter__(self) -> Iterator[LineBlock]:
        return iter(self._order)

    def _index(self, block: LineBlock) -> int:
        """Where in the list a block is; any index for one that has gone."""
        return bisect_left(self._order, block.rank, key=_RANK)

    def is_linked(self, block: LineBlock) -> bool:
        """Whether a block is in the list."""
        at = self._index(block)
        return self._order[at : at + 1] == [block]

    # ---------------------------------------------------------------- text

    @property
    def text(self) -> str:
        """The text."""
        if self._text is None:
            text = "".join(map(self.show, self))
            self._text = text if self.is_ended else text.removesuffix(self._order[-1].newline)
        return self._text

    def show(self, block: LineBlock) -> str:
        """A block as it is now, with the blank lines after it."""
        if block.text is None:
            assert block.step is not None, "only steps change"
            block.text = edit_lines(block.lines, block.step, self._style, indent=block.indent, newline=block.newline)
        return block.text + block.gap

    @property
    def count(self) -> int:
        """Of how many steps there are lines."""
        return len(self._blocks)

    def find(self, step: PlanStep | None) -> LineBlock | None:
        """The lines of a step, or None where it has none."""
        return self._blocks.get(id(step))

    def rank(self, step: PlanStep) -> int:
        """Where in the text a step is: it grows from line to line."""
        return self._blocks[id(step)].rank

    def touch(self, step: PlanStep, *, is_placed: bool = False) -> None:
        """Note that a step may have changed, or has got another id."""
        block = self._blocks[id(step)]
        block.text = None
        block.is_placed |= is_placed
        self._note(block)

    def _note(self, block: LineBlock) -> None:
        self._text = None
        self._changed[block] = None

    def take_changed(self) -> list[LineBlock]:
        """The blocks that may have changed, come, moved or gone since this was asked last."""
        changed = [*self._changed]
        self._changed.clear()
        return changed

    # ---------------------------------------------------------------- steps that come, go and move

    def insert(self, step: PlanStep, place: StepPlace, lines: str = "") -> None:
        """Put in the lines of a new step; they are made of those that it has elsewhere."""
        at, indent = self._find_index(place), self._indent_at(place)
        if not (place.behind or place.before or place.parent):
            self._write_header()
        block = LineBlock(lines, end_of(lines), step, indent=indent_of(lines), is_placed=True)
        block.shift(block.indent, indent)
        self._blocks[id(step)] = block
        self._link([block], at)

    def remove(self, steps: Iterable[PlanStep]) -> None:
        """Take out the lines of steps."""
        self._unlink([self._blocks.pop(id(step)) for step in steps])

    def move(self, steps: Iterable[PlanStep], place: StepPlace) -> None:
        """Put the lines of steps elsewhere, one after the other. The place must be named by other steps than these."""
        blocks = [self._blocks[id(step)] for step in steps]
        gaps = [block.gap for block in blocks]
        self._unlink(blocks)
        old, new = blocks[0].indent, self._indent_at(place)
        for block, gap in zip(blocks, gaps, strict=True):
            block.gap, block.text = gap, None
            if old != new:
                block.shift(old, new)
        self._link(blocks, self._find_index(place))

    def _indent_at(self, place: StepPlace) -> str:
        if beside := place.behind or place.before:
            return self._blocks[id(beside)].indent
        if place.parent:
            return self._blocks[id(place.parent)].indent + self._style.child
        return indent_of(self._head.lines.removesuffix(self._head.newline).rpartition("\n")[2].removeprefix(BOM))

    def _find_index(self, place: StepPlace) -> int:
        """Where in the list a step with this place goes."""
        if place.before:
            return self._index(self._blocks[id(place.before)])
        at = self._index(self._blocks.get(id(place.behind or place.parent), self._head)) + 1
        while place.behind and at < len(self._order) and self._order[at].is_below(place.behind.step_id):
            at += 1
        return at

    def _write_header(self) -> None:
        """Head the steps, of which the first is to come, as the printer does."""
        head = self._head
        rows = [row.strip(WHITE + BOM) for row in split_rows(head.lines)]
        mark = grammars.pattern("planspec", "STEPS_MARK")
        if not any(map(mark.fullmatch, rows)):
            is_spaced = any(not row.strip(WHITE) for row in split_rows(head.lines.lstrip()))
            head.lines += (head.newline if is_spaced else "") + f"## Steps{head.newline}"
            head.text = head.lines
            self._note(head)

    def edit_head(self, plan: PlanSpec) -> None:
        """Let the head say what a plan says there."""
        self.head_parts = edit_head(self._head.lines, self._plan, plan, self._head.newline)
        self._head.lines = self._head.text = "".join(self.head_parts.values())
        self._note(self._head)

    # ---------------------------------------------------------------- the list

    def _link(self, blocks: list[LineBlock], at: int) -> None:
        """Put blocks in the list, set off as is usual there."""
        first, last, before, behind = blocks[0], blocks[-1], self._order[at - 1], self._order[at : at + 2]
        if behind:
            last.gap = before.newline if _is_spaced(before, first, behind) else ""
        else:
            # After the last step a new one is set off as that one is.
            is_spaced = at > 2 and self._order[at - 2].is_spaced
            last.gap, before.gap = before.gap, before.newline if is_spaced else ""
        if not first.lines:
            first.newline = before.newline
        self._order[at:at] = blocks
        # All get new ranks where there is no room left.
        apart = (behind[0].rank - before.rank) // (len(blocks) + 1) if behind else _APART
        rank = before.rank
        for block in blocks if apart else self:
            rank += apart or _APART
            block.rank = rank
        for block in blocks:
            self._note(block)

    def _unlink(self, blocks: list[LineBlock]) -> None:
        for block in blocks:
            self._note(block)
        at, last = self._index(blocks[0]) if blocks else 0, self._order[-1]
        if self._order[at : at + len(blocks)] == blocks:
            del self._order[at : at + len(blocks)]
        else:
            gone = set(blocks)
            self._order = [block for block in self._order if block not in gone]
        if self._order[-1] is not last:
            self.is_ended, self._order[-1].gap = True, last.gap


def _is_spaced(before: LineBlock, new: LineBlock, behind: Sequence[LineBlock]) -> bool:
    """Whether a new step and the one after it are set off by a blank line: as those around them are."""
    follower, *others = behind
    if before.step is None or new.is_below(before.step.step_id):
        # There is no sibling before it. What is usual shows between the siblings after it.
        head = follower.step.step_id.rpartition(".")[0] if follower.step else ""
        if others and others[0].is_below(head):
            return follower.is_spaced
    return before.step is not None and before.is_spaced
