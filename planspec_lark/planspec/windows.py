"""What a walk sees of its text, and how it speaks of it.

A walk sees the whole text, or a window of it that moves on as the text comes. Whatever it says about a place says it by
the offset in the source.
"""

from __future__ import annotations

from typing import Any

from attrs import define, evolve, field

from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.positions import Unit
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.limits import Findings
from planspec_lark.syntax.source import Source

__all__ = ["BLANK_LINES", "LOOK_BACK", "Window"]

# White space and line breaks: what may stand between two stretches.
BLANK_LINES = BLANKS + "\r\n"
# How many characters in front of a line a walk may look at.
LOOK_BACK = 256


@define
class Window:
    """A text, as far as it is seen, and what was found in it.

    ``text`` is the source's text with its last line ended, or a window of it that starts at the offset ``base``. All
    other offsets are those of the source.
    """

    source: Source
    text: str
    base: int = field(default=0, kw_only=True)
    findings: Findings = field(factory=lambda: Findings(None), kw_only=True)
    # The last finding, as long as it may come to name the next line as well; and what this was one stretch before.
    growing: Diagnostic | None = field(default=None, init=False)
    behind: Diagnostic | None = field(default=None, init=False)

    def start_stretch(self) -> None:
        """Pass on to the next stretch, the only one that can make the last finding grow."""
        self.behind, self.growing = self.growing, None

    def note(self, code: str, message: str, start: int, end: int, **more: Any) -> None:
        """Add a diagnostic."""
        # No other can grow behind it.
        self.behind = None
        span = self.source.span(start, end)
        self.findings.add(Diagnostic(code, message, span=span, source=self.source, **more))

    def slice(self, start: int, end: int) -> str:
        """The text between two offsets, which lie in the window."""
        return self.text[start - self.base : end - self.base]

    def end_of(self, unit: Unit) -> int:
        """Where a stretch ends, without the white space and blank lines behind it."""
        return unit.start + len(self.slice(unit.start, unit.end).rstrip(BLANK_LINES))

    def end_of_line(self, unit: Unit) -> int:
        """Where the first line of a stretch ends."""
        first = self.text.find("\n", unit.start - self.base, unit.end - self.base)
        return unit.end if first < 0 else first + self.base

    def keep_growing(self) -> None:
        """Let the next stretch say whether the last finding names it as well."""
        self.growing = self.findings.last

    def extend(self, found: Diagnostic, end: int) -> None:
        """Let the last finding name all up to an offset, and keep it growing."""
        assert found.span is not None
        self.growing = evolve(found, span=self.source.span(found.span.start, end))
        self.findings.replace_last(self.growing)
