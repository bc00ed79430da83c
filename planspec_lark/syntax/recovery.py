"""How lines miss the form of a language: its dialect, and what is told of a line that differs.

The dialect of a language is a grammar of its own (``grammar/planspec_dialect.lark``), with one tolerant rule a kind of
line and one terminal a part and form. The comment above a terminal is its row in the table of forms: code, risk, and
what it looks like. This module knows the rows and finds the parts of a line that have one; what the parts mean is the
business of each language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from re import Match, Pattern

from attrs import define, frozen

from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk, Severity, highest
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, Fix
from planspec_lark.syntax.source import Source

__all__ = ["Deviation", "Dialect", "Form", "LineReport", "report", "risk_of"]

_ROW = re.compile(
    r"^// (?P<code>[A-Z]{2}[0-9]{3})(?: (?P<risk>low|medium|high))?: (?P<forms>.*)\n"
    r"(?:// .*\n)*(?P<name>[A-Z][A-Z_]*)[.:]",
    re.MULTILINE,
)


@frozen
class Form:
    """A row of the table of forms.

    Attributes:
        terminal: which terminal of the dialect it is about.
        code: the code of what is found.
        risk: how likely it is that its canonical text says something else; None where it has none.
        forms: what it looks like, in Markdown.
    """

    terminal: str
    code: str
    risk: Risk | None
    forms: str


# Those that are made for every line are not frozen: attrs takes six times as long to make what is.
@define
class Deviation:
    """A part of a line that differs from the form, with its offsets in the line.

    ``risk`` is None where the part has no canonical text.
    """

    code: str
    message: str
    start: int
    end: int
    risk: Risk | None = Risk.LOW
    help: str = ""
    expected: tuple[str, ...] = ()


class Dialect:
    """The dialect of one language.

    Args:
        language: the name of its grammar.
    """

    def __init__(self, language: str) -> None:
        self.language = language

    @property
    def forms(self) -> Mapping[str, Form]:
        """The table of forms, by terminal, in the order of the grammar."""
        return _read_forms(self.language)

    def rule(self, name: str) -> Pattern[str]:
        """What matches a rule."""
        return _rule(self.language, name)

    def match(self, name: str, line: str) -> Match[str] | None:
        """What a rule makes of a line; None where it does not take all of it."""
        match = _rule(self.language, name).match(line)
        return match if match is not None and match.end() == len(line) else None

    def tokens(self, rule: str) -> Pattern[str]:
        """What finds any of the terminals of a rule; the last group is the one that was found."""
        return _tokens(self.language, rule)

    def terminal(self, name: str) -> Pattern[str]:
        """What matches one terminal; what it says is the group ``value``."""
        return grammars.pattern(self.language, name)

    def word(self, rule: str, text: str) -> str:
        """The terminal of a rule that is all of a text; empty where none is."""
        match = self.tokens(rule).fullmatch(text)
        return str(match.lastgroup) if match else ""


# All of these are asked for at every line, and never change.
@cache
def _read_forms(language: str) -> Mapping[str, Form]:
    text = grammars.grammar_path(language).read_text(encoding="utf-8")
    return {
        row["name"]: Form(row["name"], row["code"], Risk(row["risk"]) if row["risk"] else None, row["forms"])
        for row in _ROW.finditer(text)
    }


@cache
def _rule(language: str, name: str) -> Pattern[str]:
    return grammars.regular(language).pattern(name)


@cache
def _tokens(language: str, rule: str) -> Pattern[str]:
    return grammars.regular(language).tokens(rule)


def risk_of(deviations: Iterable[Deviation]) -> Risk | None:
    """The risk of reading a line by its canonical text; None where some part of it has none."""
    risks = {one.risk for one in deviations}
    return None if None in risks else highest(one for one in risks if one is not None)


@define
class LineReport:
    """What is to be told of a line, which becomes diagnostics when these are asked for.

    Attributes:
        start: where the line starts, without its indentation. Offsets of the deviations count from there.
        end: where what the fix replaces ends, which for lines that were joined is a later one.
        deviations: what differs.
        rows: the canonical text, a line each; None where a part has none.
        step_id: the step that the line belongs to.
        cuts: what the fix takes out besides, which other lines say of this one.
    """

    start: int
    end: int
    deviations: tuple[Deviation, ...]
    rows: tuple[str, ...] | None
    step_id: str = ""
    cuts: tuple[Edit, ...] = ()

    @property
    def risk(self) -> Risk | None:
        """The risk of reading the line by its canonical text; None where there is none."""
        return None if self.rows is None else risk_of(self.deviations)

    def diagnose(self, source: Source, severity: Severity = Severity.ERROR) -> list[Diagnostic]:
        """A finding for each deviation; all share the one fix that writes the whole line.

        Args:
            source: what the line is in.
            severity: how much they weigh; an error where there is no canonical text.
        """
        risk, fix = self.risk, None
        if risk is not None:
            is_safe = risk in (Risk.NONE, Risk.LOW)
            fix = Fix(source.span(self.start, self.end), "\n".join(self.rows or ()), self.cuts, is_safe)
        return [
            Diagnostic(
                one.code,
                one.message,
                severity if fix else Severity.ERROR,
                source.span(self.start + one.start, self.start + one.end),
                one.expected,
                one.help,
                fix,
                self.step_id,
                risk=one.risk,
                source=source,
            )
            for one in self.deviations
        ]


def report(  # noqa: PLR0913  (all by their names)
    source: Source,
    start: int,
    end: int,
    deviations: Sequence[Deviation],
    rows: Sequence[str] | None,
    *,
    severity: Severity = Severity.ERROR,
    step_id: str = "",
) -> list[Diagnostic]:
    """The findings about a line, see :class:`LineReport`."""
    line = LineReport(start, end, tuple(deviations), None if rows is None else tuple(rows), step_id)
    return line.diagnose(source, severity)
