"""Which lines of a plan have to be mended, and why.

Most faults stand in a line of their own. What is missing, or stands in the wrong place, needs a line beside which it
goes instead: that line stays, and what is missing is written with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from attrs import frozen

from planspec_lark.planspec.check import locate
from planspec_lark.planspec.corrections import mend_header
from planspec_lark.planspec.models import BLANKS
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits
from planspec_lark.syntax.source import Source, Span

__all__ = ["Faulty", "find_faulty", "last_line"]

# What more than a few lines would have to be mended for.
_TOO_MUCH = frozenset({"PS121", "PS122", "PS123"})
_MARKS = ("TITLE_MARK", "GOAL_MARK", "CONSTRAINTS_MARK", "STEPS_MARK")
_GOAL, _STEPS = _MARKS.index("GOAL_MARK"), _MARKS.index("STEPS_MARK")


@frozen(slots=False)
class Faulty:
    """What is to be mended in a text.

    Attributes:
        source: the text.
        faults: each fault in the order of the text: what is wrong, and the lines that have to be written anew for it.
        uncounted: what says how many findings there are besides; None where all are listed.
        excess: what is wrong with a text that is too large to be mended.
    """

    source: Source
    faults: list[tuple[Diagnostic, list[int]]]
    uncounted: Diagnostic | None
    excess: Diagnostic | None

    @cached_property
    def lines(self) -> frozenset[int]:
        """All lines that may be written anew."""
        return frozenset(number for _, numbers in self.faults for number in numbers)


def find_faulty(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> Faulty:
    """Find the lines of a plan that have to be mended: by its syntax, or where that is right, by the six rules."""
    result = scan_strictly(text, name=name, limits=limits)
    found = result.diagnostics
    if not found:
        located = locate(check_rules(result.plan), result.places)
        found = [one for one in located if one.severity is Severity.ERROR][: limits.max_findings]
    excess = next((one for one in found if one.code in _TOO_MUCH), None)
    uncounted = next((one for one in found if one.code == "PS120"), None)
    finder = _Finder(result.source)
    faults = [(one, finder.lines_of(one)) for one in found if one not in (excess, uncounted)]
    return Faulty(result.source, faults, uncounted, excess)


def last_line(span: Span) -> int:
    """The last line that a span touches; one that ends at a line's start does not touch that."""
    return max(span.line, span.end_line - (span.end_column == 1))


@frozen(slots=False)
class _Finder:
    """Finds the lines that have to be written anew for a fault."""

    source: Source

    def lines_of(self, fault: Diagnostic) -> list[int]:
        if fault.code == "PS201":
            return [self._first.get(_STEPS) or self._last]
        if fault.code == "PS205":
            behind = [line for part, line in self._first.items() if part > _GOAL]
            return [self._first.get(_GOAL) or min(behind, default=self._last)]
        assert fault.span is not None, "what is found in a text has a place"
        lines = [*range(fault.span.line, last_line(fault.span) + 1)]
        if fault.code == "PS106":
            own = self._part_of(fault.span.line)
            later = [line for part, line in self._first.items() if own is not None and part > own]
            return [min(later), *lines] if later else lines
        return lines

    @cached_property
    def _first(self) -> dict[int, int]:
        """The first line of each part."""
        first: dict[int, int] = {}
        for part, number in self._parts():
            first.setdefault(part, number)
        return first

    def _parts(self) -> Iterator[tuple[int, int]]:
        for number in range(1, self.source.position(self.source.length)[0] + 1):
            part = self._part_of(number)
            if part is not None:
                yield part, number

    def _part_of(self, number: int) -> int | None:
        """Which part begins in a line, as it is or as it is meant."""
        line = self.source.line(number).lstrip("\ufeff" + BLANKS)
        for text in (line, (mend_header(line) or (None, ""))[1]):
            for part, mark in enumerate(_MARKS):
                if grammars.pattern("planspec", mark).match(text):
                    return part
        return _STEPS if grammars.pattern("planspec", "STEP_ID").match(line) else None

    @property
    def _last(self) -> int:
        """The last line that is not blank."""
        return self.source.position(len(self.source.text.rstrip()))[0]
