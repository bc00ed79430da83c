"""The lines of a document as a chain: a head, then stretches, most of them each the lines of a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from attrs import define, evolve

from planspec_lark.document.stretches import BOM, Stretch
from planspec_lark.document.styles import Style
from planspec_lark.document.summaries import indent_of
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanStep
from planspec_lark.syntax import grammars

__all__ = ["Chain", "Place"]

# How far the ranks of neighbours are apart at first: there is room for so many bits of stretches in between.
_APART = 1 << 256


@define
class Place:
    """Where among its siblings a step stands: behind one and in front of another, or below a step without children."""

    behind: PlanStep | None
    before: PlanStep | None
    below: PlanStep | None = None

    @property
    def beside(self) -> PlanStep | None:
        """A sibling next to it."""
        return self.behind or self.before


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
        self._changed: dict[int, Stretch] = {}
        self._text: str | None = None

    def append(self, stretch: Stretch) -> None:
        """Put lines that were read at the end."""
        stretch.before, self._last.behind = self._last, stretch
        stretch.rank = self._last.rank + _APART
        self._last = stretch
        if stretch.step is not None:
            self._stretches[id(stretch.step)] = stretch

    @property
    def count(self) -> int:
        """Of how many steps there are lines."""
        return len(self._stretches)

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
            self._text = "".join(f"{stretch.show(self._style)}{stretch.end}{stretch.gap}" for stretch in self)
        return self._text

    def touch(self, step: PlanStep) -> None:
        """Note that a step may have changed."""
        stretch = self._stretches[id(step)]
        stretch.text = self._text = None
        self._changed[id(stretch)] = stretch

    def take_changed(self) -> list[Stretch]:
        """The stretches that may have changed, and those beside which others came or went, since this was asked last.

        The head is among them where lines of its own have changed. Some may have been taken out.
        """
        changed = [*self._changed.values()]
        self._changed.clear()
        return changed

    def find(self, step: PlanStep | None) -> Stretch | None:
        """The lines of a step, or None where it has none."""
        return self._stretches.get(id(step))

    def show(self, stretch: Stretch) -> str:
        """All of a stretch as it is now, its last line ended."""
        return f"{stretch.show(self._style)}{stretch.end or stretch.usual_end}{stretch.gap}"

    def copy(self, steps: dict[int, PlanStep]) -> Chain:
        """A chain of its own with the same lines.

        Args:
            steps: by the identity of each step, the one that its lines are to belong to.
        """
        head, *others = (evolve(stretch, before=None, behind=None) for stretch in self)
        chain = Chain(head, self._style)
        for stretch in others:
            stretch.step = None if stretch.step is None else steps[id(stretch.step)]
            chain.append(stretch)
        return chain

    # ---------------------------------------------------------------- steps that come, go and move

    def insert(self, step: PlanStep, place: Place) -> None:
        """Put in the lines of a new step."""
        stretch = Stretch(None, step=step, indent=self._indent_at(place))
        self._stretches[id(step)] = stretch
        if not place.beside and not place.below:
            self._write_header()
        self._link([stretch], self._find(place))

    def remove(self, steps: Iterable[PlanStep]) -> None:
        """Take out the lines of steps."""
        for step in steps:
            stretch = self._stretches.pop(id(step))
            self._text = None
            self._changed[id(stretch)] = stretch
            if not stretch.leave_foreign():
                self._unlink(stretch)

    def move(self, steps: Iterable[PlanStep], place: Place) -> None:
        """Put the lines of steps elsewhere, one behind the other. The place must be named by other steps than these."""
        block = [self._stretches[id(step)] for step in steps]
        gaps = [stretch.gap for stretch in block]
        for stretch in block:
            self._unlink(stretch)
        old, new = block[0].indent, self._indent_at(place)
        for stretch, gap, behind in zip(block, gaps, [*block[1:], None], strict=True):
            stretch.gap, stretch.behind = gap, behind
            stretch.end = stretch.end or stretch.usual_end
            if old != new:
                stretch.shift(old, new)
            stretch.text = None
        for before, behind in pairwise(block):
            behind.before = before
        self._link(block, self._find(place))

    def _indent_at(self, place: Place) -> str:
        if place.beside is not None:
            return self._stretches[id(place.beside)].indent
        if place.below is not None:
            return self._stretches[id(place.below)].indent + self._style.child
        return indent_of((self._head.lines or "").rpartition("\n")[2].removeprefix(BOM))

    def _find(self, place: Place) -> Stretch:
        """The stretch behind which a step with this place goes."""
        if place.before is not None:
            found = self._stretches[id(place.before)].before
            assert found is not None, "the head is in front of all"
            return found
        if place.behind is not None:
            found = self._stretches[id(place.behind)]
            lead = f"{place.behind.step_id}."
            while below := _next_below(found, lead):
                found = below
            return found
        return self._stretches[id(place.below)] if place.below else self._head

    def _write_header(self) -> None:
        """Head the steps, of which the first is to come, as the printer does."""
        head = self._head
        assert head.lines is not None, "the head has been read"
        rows = head.lines.split("\n")
        mark = grammars.pattern("planspec", "STEPS_MARK")
        if not any(mark.fullmatch(row.strip(f"{BLANKS}\r{BOM}")) for row in rows):
            self._text = None
            end = head.usual_end
            is_spaced = any(not row.strip(f"{BLANKS}\r") for row in head.lines.strip().split("\n"))
            if head.is_bare:
                head.lines += "## Steps"
                head.end = end
            else:
                head.lines += (head.end or end) + (end if is_spaced else "") + "## Steps"
            head.text = head.lines
            self._changed[id(head)] = head

    # ---------------------------------------------------------------- the chain

    def _link(self, block: list[Stretch], before: Stretch) -> None:
        """Put stretches that hang together behind one, set off as it is usual there."""
        self._text = None
        first, last = block[0], block[-1]
        end, behind = before.usual_end, before.behind
        if behind is not None and behind.step is not None:
            last.gap = end if _is_spaced(before, first, behind) else ""
        else:
            last.gap, before.gap = before.gap, self._space_at_end(before, end)
        if first.lines is None:
            first.end = first.usual_end = end
        if not before.end and not before.is_bare:
            before.end, last.end = end, ""
        first.before, before.behind = before, first
        last.behind = behind
        if behind is not None:
            behind.before = last
        else:
            self._last = last
        self._note(before, *block, behind)
        self._rank(block, before, behind)

    def _rank(self, block: list[Stretch], before: Stretch, behind: Stretch | None) -> None:
        """Give stretches ranks between those around them; all get new ones where there is no room left."""
        low = before.rank
        apart = (behind.rank - low) // (len(block) + 1) if behind else _APART
        for stretch in block if apart else self:
            low += apart or _APART
            stretch.rank = low

    def _note(self, *stretches: Stretch | None) -> None:
        self._changed.update((id(stretch), stretch) for stretch in stretches if stretch and stretch is not self._head)

    def _unlink(self, stretch: Stretch) -> None:
        self._text = None
        before, behind = stretch.before, stretch.behind
        assert before is not None, "the head stays"
        before.behind = behind
        self._note(before, stretch, behind)
        if behind is not None:
            behind.before = before
        else:
            self._last = before
        if behind is None:
            before.gap = stretch.gap
        elif behind.step is None:
            # Other text stays set off as it was.
            before.gap = max(before.gap, stretch.gap, key=lambda gap: gap.count("\n"))

    def _space_at_end(self, before: Stretch, end: str) -> str:
        """What to put between the last step and a new one behind it: a blank line where that is usual."""
        return end if before.step and before.before and before.before.step and "\n" in before.before.gap else ""


def _next_below(stretch: Stretch, lead: str) -> Stretch | None:
    """The next step's stretch, if its id begins like this."""
    behind = stretch.behind
    while behind is not None and behind.step is None:
        behind = behind.behind
    return behind if behind and behind.step and behind.step.step_id.startswith(lead) else None


def _is_spaced(before: Stretch, new: Stretch, behind: Stretch) -> bool:
    """Whether a new step and the one behind it are set off by a blank line: as those around them are."""
    if before.step is not None and not _is_below(new, before):
        return "\n" in before.gap
    # In front of it is no sibling. Between the siblings behind it shows what is usual.
    if behind.behind is not None and _is_beside_or_below(behind.behind, behind):
        return "\n" in behind.gap
    return before.step is not None and "\n" in before.gap


def _is_beside_or_below(one: Stretch, other: Stretch) -> bool:
    if one.step is None or other.step is None:
        return False
    head, dot, _ = other.step.step_id.rpartition(".")
    return one.step.step_id.startswith(head + dot)


def _is_below(one: Stretch, other: Stretch) -> bool:
    return bool(one.step and other.step and one.step.step_id.startswith(f"{other.step.step_id}."))
