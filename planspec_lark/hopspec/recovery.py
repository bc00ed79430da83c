"""Any text → the document in it: what each refused line was meant as, and what is wrong with it.

A text is read line by line, and each line by the rules that may follow the one before it. What they refuse is put to
:mod:`planspec_lark.hopspec.dialect`. What comes of that is a text without faults, each of its lines that of the given
one, that line in the form, or none where it is not understood; the fast reader reads it. Nothing is changed or left out
without a finding that has its place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from enum import IntEnum, auto
from functools import cache
from re import Match, Pattern

from attrs import define, evolve, field

from planspec_lark.hopspec import fast_reader
from planspec_lark.hopspec.blocks import escape_line, indent_of, is_code_end, is_conflict_marker, is_fence
from planspec_lark.hopspec.dialect import read_line
from planspec_lark.hopspec.models import HopSpec
from planspec_lark.hopspec.positions import LinePositions, span_of_line
from planspec_lark.hopspec.vocabulary import SECTIONS, Language, meanings
from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.fields import has_forbidden
from planspec_lark.syntax.recovery import Deviation, report
from planspec_lark.syntax.source import BLANKS, Source

__all__ = ["HopSpecRecovery"]


class _State(IntEnum):
    """What has come last."""

    HEAD = auto()
    MODE = auto()
    TEXT = auto()
    FLOW = auto()
    STEP = auto()
    VALUE = auto()
    # What belongs to something that was left out: up to an attribute, a step, or a section.
    LOST_VALUE = auto()
    LOST_STEP = auto()
    LOST_SECTION = auto()


_KEYS = ("KEY", "NAMES_KEY", "COUNT_KEY")
_HEADERS = ("section_header", "flow_header", "heading")
# The rules of the lines that are understood then.
_RULES = {
    _State.HEAD: ("title", "mode", *_HEADERS),
    _State.MODE: _HEADERS,
    _State.TEXT: (*_HEADERS, "text_line"),
    _State.FLOW: (*_HEADERS, "comment"),
    _State.STEP: ("attribute_line", *_HEADERS, "comment"),
    _State.VALUE: ("attribute_line", "more", *_HEADERS, "comment"),
    _State.LOST_VALUE: ("attribute_line", *_HEADERS, "comment"),
    _State.LOST_STEP: _HEADERS,
    _State.LOST_SECTION: ("section_header", "flow_header"),
}
# What may go on over several lines.
_OPEN = (_State.TEXT, _State.VALUE)
_LOST = (_State.LOST_VALUE, _State.LOST_STEP, _State.LOST_SECTION)
# What a person calls a line of a rule, in Chinese documents and in English ones.
_WORDS = {
    "title": ("a title `# text`",),
    "mode": ("`模式：AOT` or `模式：JIT`", "`Mode: AOT` or `Mode: JIT`"),
    "section_header": ("a section such as `## 任务概述`", "a section such as `## Task Overview`"),
    "flow_header": ("`## 执行流程`", "`## Execution Flow`"),
    "heading": ("a step `#### 步骤1: name`", "a step `#### Step1: name`"),
    "attribute_line": ("an attribute such as `- 任务：text`", "an attribute such as `- Task: text`"),
    "more": ("an indented continuation line",),
    "comment": ("a comment `> text`",),
}
# What a refused line begins with, which rule it does not follow, and what is told of it.
_BEGUN = {
    "MODE_KEY": ("mode", "HS105", "the mode is not `AOT` or `JIT`"),
    "STEP": ("heading", "HS107", "the heading of a step has the wrong form"),
    "COUNT_KEY": ("attribute_line", "HS111", "the value is not a whole number"),
    "NAMES_KEY": ("attribute_line", "HS112", "the value is not a list of names, with commas between them"),
}
_WRONG_HEADING = _BEGUN["STEP"][1:]
_UNKNOWN_SECTION = ("HS103", "unknown section")
_UNCLOSED, _CLOSE = "the code block is not closed", "close it with three backticks"
# Names that are not known are compared with those that are in so many lines.
_MOST_GUESSES = 200


@cache
def _pattern(rule: str) -> Pattern[str]:
    return grammars.regular("hopspec").pattern(rule)


def _terminal(name: str) -> Pattern[str]:
    return grammars.pattern("hopspec", name)


@define(eq=False)
class HopSpecRecovery:
    """Reads a text and keeps what was wrong.

    Attributes:
        source: the text.
        is_strict: whether a line that could be repaired weighs as much as one that was left out.
        findings: what was wrong.
    """

    source: Source
    language: Language
    is_strict: bool
    findings: list[Diagnostic] = field(factory=list)
    _lines: list[str] = field(factory=list)
    # The text without faults, and where its lines come from.
    _rows: list[str] = field(factory=list)
    _numbers: list[int] = field(factory=list)
    _state: _State = _State.HEAD
    # Where the title, the sections and the numbers of steps were first, and the attributes of the last step.
    _sections: dict[str, int] = field(factory=dict)
    _steps: dict[str, int] = field(factory=dict)
    _attributes: dict[str, int] = field(factory=dict)
    _step_id: str = ""
    # How far the last attribute is indented.
    _indent: int = 0
    # The line at hand, and the lines that end code blocks.
    _number: int = 0
    _ends: list[int] = field(factory=list)
    # The lines of the code fences around the document, and the risk of leaving them out.
    _outer: tuple[int, int, Risk] | None = None
    # Whether the next line that is left out extends the last finding.
    _growing: bool = False
    _guesses: int = 0

    def run(self) -> tuple[HopSpec, LinePositions]:
        """Read all lines; returns the document, and where its parts stand."""
        self._lines = self.source.text.removeprefix("\ufeff").split("\n")
        if has_forbidden(self.source.text):
            # At the very end, a carriage return is no part of a line break.
            last = len(self._lines) - 1
            self._lines = [self._clean(at, line, is_last=at == last) for at, line in enumerate(self._lines)]
        self._ends = [at for at, line in enumerate(self._lines) if is_code_end(line)]
        at = 0
        while at < len(self._lines):
            self._number = at + 1
            at = self._read(self._lines[at], at) + 1
        found = fast_reader.read("".join(f"{row}\n" for row in self._rows))
        assert found is not None, "each line is one of the form"
        document, positions = found
        return document, positions.moved(self._numbers)

    def _clean(self, at: int, line: str, *, is_last: bool) -> str:
        """A line without the characters that no line may have."""
        line = line if is_last else line.removesuffix("\r")
        forbidden = _terminal("FORBIDDEN")
        control = forbidden.search(line)
        if control is None:
            return line
        self._number, clean = at + 1, forbidden.sub("", line)
        message = f"the control character U+{ord(control[0]):04X} is not allowed in a document"
        # It may be among the white space at the end.
        self._report("HS102", message, clean, help="remove it", width=len(line))
        return clean

    # ---------------------------------------------------------------- lines

    def _read(self, line: str, at: int) -> int:
        """Read what starts with a line; returns the last line that was read."""
        if not line.strip(BLANKS):
            self._keep("")
        elif self._outer and at > self._outer[1]:
            self._lose("HS101", "this line is not part of the document")
        elif is_fence(line) or (self._outer and at == self._outer[1]):
            return self._read_fence(line, at)
        elif found := self._match(line):
            self._take(*found, line)
        elif self._state not in _LOST and is_conflict_marker(line):
            help = "keep one of the two versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`"
            self._lose("HS117", "a conflict marker of a merge that was not resolved", help=help)
        elif not self._correct(line):
            self._refuse(line)
        return at

    def _match(self, line: str) -> tuple[str, Match[str]] | None:
        """The rule that a line follows, and what it says."""
        for rule in _RULES[self._state]:
            match = _pattern(rule).fullmatch(f"{line}\n")
            if match and (rule != "more" or indent_of(line) > self._indent):
                return rule, match
        return None

    def _read_fence(self, line: str, at: int) -> int:
        """Read a code block, or what begins like one."""
        if self._state is _State.HEAD or (self._outer and at == self._outer[1]):
            self._read_outer_fence(line, at)
            return at
        after = bisect_right(self._ends, at)
        end = self._ends[after] if after < len(self._ends) else at
        end = at if self._outer and end == self._outer[1] else end
        if self._state in _OPEN and end == at:
            escaped = escape_line(line)
            if self._state is _State.VALUE and indent_of(line) <= self._indent:
                escaped = f"{' ' * self._indent}  {escaped.lstrip(BLANKS)}"
            self._report("HS113", _UNCLOSED, escaped, help=_CLOSE)
            self._keep(escaped)
            return at
        take = self._keep if self._state in _OPEN else self._grow
        if self._state not in (*_OPEN, *_LOST):
            if end == at:
                self._lose("HS113", _UNCLOSED, help=_CLOSE)
            else:
                help = "write it below an attribute, and indent it"
                self._lose("HS116", "this code block has no attribute above it", help=help)
            at += 1
        for place in range(at, end + 1):
            self._number = place + 1
            take(self._lines[place])
        return end

    def _read_outer_fence(self, line: str, at: int) -> None:
        """Read the line above a document in a code block, or the one below it."""
        if self._outer is None:
            last = self._ends[-1] if self._ends and self._ends[-1] > at else len(self._lines)
            # Without the fences, text behind them may be part of the document; what an opening one says may be more
            # than the name of a language.
            said = line.strip(f"{BLANKS}`")
            is_plain = not said or (said.isalnum() and said.isascii())
            is_safe = is_plain and not any(one.strip() for one in self._lines[last + 1 :])
            self._outer = (at, last, Risk.LOW if is_safe else Risk.MEDIUM)
        self._report("HS114", "a code fence around the document is not allowed", "", risk=self._outer[2])
        self._keep("")

    # ---------------------------------------------------------------- lines of the form

    def _take(self, rule: str, match: Match[str], line: str) -> None:
        self._growing = False
        if rule == "attribute_line":
            self._take_attribute(match, line)
        elif rule == "heading":
            self._take_heading(match["STEP"], line)
        elif rule in _HEADERS:
            self._take_header(match["FLOW"] if rule == "flow_header" else match["SECTION"], line)
        elif rule == "title" and not self._first("title", self._sections):
            self._lose("HS104", "a second title")
        else:
            if rule == "mode":
                self._state = _State.MODE
                self._sections["mode"] = self._number
            elif rule == "comment" and self._state in (_State.VALUE, _State.LOST_VALUE):
                self._state = _State.STEP
            self._keep(line)

    def _first(self, name: str, places: dict[str, int]) -> bool:
        """Whether this comes for the first time."""
        return places.setdefault(name, self._number) == self._number

    def _take_header(self, word: str, line: str) -> None:
        name = next(name for name, words in SECTIONS.items() if word in words.all)
        is_outside = self._state <= _State.TEXT
        if not self._first(name, self._sections):
            self._lose("HS104", f"duplicate section `{word}`, first seen in line {self._sections[name]}")
            # Steps can continue with those before them.
            if name != "steps" or is_outside:
                self._state = _State.LOST_SECTION
            return
        self._state = _State.FLOW if name == "steps" else _State.TEXT
        self._step_id = ""
        self._keep(line)

    def _take_heading(self, step_id: str, line: str) -> None:
        if self._state <= _State.TEXT:
            message = "this step is outside the section of steps"
            if not self._first("steps", self._sections):
                self._lose("HS115", message, help="move it into that section")
                self._state = _State.LOST_SECTION
                return
            header = f"## {SECTIONS['steps'].of(self.language)}"
            self._report("HS115", message, f"{header}\n{line}", risk=Risk.LOW)
            self._keep(header)
        if not self._first(step_id, self._steps):
            self._lose("HS106", f"duplicate number {step_id}, first seen in line {self._steps[step_id]}")
            self._state = _State.LOST_STEP
            return
        self._state, self._step_id, self._attributes = _State.STEP, step_id, {}
        self._keep(line)

    def _take_attribute(self, match: Match[str], line: str) -> None:
        key = next(name for name in _KEYS if match[name])
        name = meanings()[match[key]]
        self._indent = indent_of(line)
        if not self._first(name, self._attributes):
            message = f"duplicate attribute `{match[key]}`, first seen in line {self._attributes[name]}"
            self._lose("HS108", message)
            self._state = _State.LOST_VALUE
            return
        self._state = _State.VALUE if key == "KEY" else _State.STEP
        self._keep(line)

    # ---------------------------------------------------------------- lines that are refused

    def _correct(self, line: str) -> bool:
        """Take a line for what it was most likely meant as; whether there is anything."""
        if self._state is _State.LOST_VALUE and indent_of(line) > self._indent:
            return False
        self._guesses += 1
        for told, row in read_line(line, guesses=self._guesses <= _MOST_GUESSES):
            found = self._match(row)
            is_structure = found is not None and found[0] not in ("more", "text_line")
            if row != line and (is_structure or not row):
                self._report(told.code, told.message, row, risk=told.risk)
                if found:
                    self._take(*found, row)
                else:
                    self._keep("")
                return True
        return False

    def _refuse(self, line: str) -> None:
        bare = line.lstrip(BLANKS)
        is_attribute = bare.startswith("- ") and (":" in bare[:40] or "：" in bare[:40])
        if self._state is _State.LOST_VALUE and indent_of(line) <= self._indent and is_attribute:
            self._state = _State.STEP
        if self._state in _LOST:
            self._grow()
        elif self._state is _State.TEXT:
            # Free text that only begins like a section or a step.
            code, message = _WRONG_HEADING if bare.startswith("###") else _UNKNOWN_SECTION
            self._report(code, message, escape_line(line), help="if it is text, write a backslash before it")
            self._keep(escape_line(line))
        else:
            self._lose_line(line, bare, is_attribute=is_attribute)

    def _lose_line(self, line: str, bare: str, *, is_attribute: bool) -> None:
        """Leave a line out, or take it for one that continues a value."""
        code, message, expected = self._explain(line)
        moved = f"{' ' * self._indent}  {bare}"
        is_outside = self._state < _State.FLOW
        if code != "HS101":
            self._lose(code, message, expected=expected)
        elif bare.startswith("## "):
            self._lose(*_UNKNOWN_SECTION, expected=expected)
            self._state = _State.LOST_SECTION if is_outside else min(self._state, _State.STEP)
        elif bare.startswith("###") and not is_outside:
            self._lose(*_WRONG_HEADING, expected=expected)
            self._state = _State.LOST_STEP
        elif self._state in (_State.STEP, _State.VALUE) and is_attribute:
            self._lose("HS110", "unknown attribute", help="if it is text, indent it more")
            self._state = _State.LOST_VALUE
        elif self._state is _State.VALUE and self._rows[-1] and not self._growing and self._match(moved):
            help = "indent a continuation line more than the name of its attribute"
            self._report("HS116", "this line has no attribute above it", moved, help=help)
            self._keep(moved)
        else:
            self._lose(code, message, expected=expected)

    def _explain(self, line: str) -> tuple[str, str, tuple[str, ...]]:
        """The code, a message and what was expected."""
        rules, at = _RULES[self._state], 0 if self.language == "zh" else -1
        for terminal, (rule, code, message) in _BEGUN.items():
            if rule in rules and _terminal(terminal).match(line):
                return code, message, () if rule == "attribute_line" else (_WORDS[rule][at],)
        return "HS101", "this line is not part of a HopSpec document", tuple(_WORDS[rule][at] for rule in rules)

    # ---------------------------------------------------------------- what comes of a line

    def _keep(self, row: str) -> None:
        """What a line is in the text without faults."""
        self._rows.append(row)
        self._numbers.append(self._number)
        self._growing = self._growing and not row

    def _lose(self, code: str, message: str, *, expected: tuple[str, ...] = (), help: str = "") -> None:
        """Leave a line out; where the one before it was no line of a document either, they have one finding."""
        if self._growing and self.findings[-1].code == code == "HS101":
            self._grow()
            return
        fix = "" if code == "HS101" else None
        self._report(code, message, fix, expected=expected, help=help, is_lost=True)
        self._keep("")
        self._growing = code == "HS101"

    def _grow(self, _line: str = "") -> None:
        """Leave a line out that the last finding speaks of as well."""
        last = self.findings[-1]
        assert last.span is not None, "each finding has its place"
        span = span_of_line(self.source, last.span.line, self._number)
        self.findings[-1] = evolve(last, span=span, fix=last.fix and Fix(span, ""))
        self._keep("")

    def _report(  # noqa: PLR0913  (what a finding has)
        self,
        code: str,
        message: str,
        row: str | None,
        *,
        risk: Risk | None = Risk.MEDIUM,
        expected: Sequence[str] = (),
        help: str = "",
        is_lost: bool = False,
        width: int = 0,
    ) -> None:
        span = span_of_line(self.source, self._number)
        start = self.source.start_of(self._number) + (self._number == 1 and self.source.text.startswith("\ufeff"))
        told = Deviation(code, message, span.start - start, span.end - start, risk, help, tuple(expected))
        severity = Severity.ERROR if self.is_strict or is_lost else Severity.WARNING
        rows, end = None if row is None else [row], max(span.end, start + width)
        self.findings += report(self.source, start, end, [told], rows, severity=severity, step_id=self._step_id)
        self._growing = False
