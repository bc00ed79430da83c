"""Any text → the document in it: what each refused line was meant as, and what is wrong with it.

A text is read line by line, and each line by the rules that may follow the one before it. What they refuse is put
to :mod:`planspec_lark.hopspec.corrections`; what is not understood is left out. Nothing is changed or left
out without a finding that has its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum, auto
from functools import cache
from re import Match, Pattern

from attrs import define, evolve, field

from planspec_lark.hopspec.blocks import escape_line, indent_of, is_code_end, is_conflict_marker, is_fence
from planspec_lark.hopspec.builder import HopSpecBuilder
from planspec_lark.hopspec.corrections import find_corrections
from planspec_lark.hopspec.fast_reader import row_pattern, take_rows
from planspec_lark.hopspec.models import HopSpec
from planspec_lark.hopspec.positions import LinePositions, span_of_line
from planspec_lark.hopspec.vocabulary import SECTIONS, Language, meanings
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.fields import has_forbidden
from planspec_lark.syntax.source import BLANKS, Source, end_last_line

__all__ = ["HopSpecRecovery"]


class _State(Enum):
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
_HEADERS = ("section_header", "flow_header")
# The rules of the lines that are understood then.
_RULES = {
    _State.HEAD: ("title", "mode", *_HEADERS, "heading"),
    _State.MODE: (*_HEADERS, "heading"),
    _State.TEXT: (*_HEADERS, "heading", "text_line"),
    _State.FLOW: (*_HEADERS, "heading", "comment"),
    _State.STEP: (*_HEADERS, "heading", "comment", "attribute_line"),
    _State.VALUE: (*_HEADERS, "heading", "comment", "attribute_line", "more"),
    _State.LOST_VALUE: (*_HEADERS, "heading", "comment", "attribute_line"),
    _State.LOST_STEP: (*_HEADERS, "heading"),
    _State.LOST_SECTION: _HEADERS,
}
_LOST = (_State.LOST_VALUE, _State.LOST_STEP, _State.LOST_SECTION)
# What may go on over several lines.
_OPEN = (_State.TEXT, _State.VALUE)
_OUTSIDE = (_State.HEAD, _State.MODE, _State.TEXT)
# A document up to the place where a line of each state may stand: what the LALR parser is given before it.
_IN_FRONT = {
    _State.HEAD: "",
    _State.MODE: "Mode: AOT\n",
    _State.TEXT: "## Overview\n",
    _State.FLOW: "## Execution Flow\n",
    _State.STEP: "## Execution Flow\n#### Step1\n",
    _State.VALUE: "## Execution Flow\n#### Step1\n- Task: a\n",
}
# What a person calls a terminal, in the order in which they are listed.
_WORDS = {
    "TITLE_MARK": ("a title `# text`", "a title `# text`"),
    "MODE_KEY": ("`模式：AOT` or `模式：JIT`", "`Mode: AOT` or `Mode: JIT`"),
    "MODE_WORD": ("`AOT` or `JIT`", "`AOT` or `JIT`"),
    "NAMES": ("names separated by commas", "names separated by commas"),
    "COUNT": ("a whole number", "a whole number"),
    "KEY": ("an attribute such as `- 任务：text`", "an attribute such as `- Task: text`"),
    "MORE": ("an indented continuation line", "an indented continuation line"),
    "NAME": ("`: name`", "`: name`"),
    "LABEL": ("`（label）`", "`(label)`"),
    "COMMENT": ("a comment `> text`", "a comment `> text`"),
    "STEP": ("a step `#### 步骤1: name`", "a step `#### Step1: name`"),
    "FLOW": ("`## 执行流程`", "`## Execution Flow`"),
    "SECTION": ("a section such as `## 任务概述`", "a section such as `## Task Overview`"),
    "TEXT": ("some text", "some text"),
    "NL": ("the end of the line", "the end of the line"),
}
# What a refused line begins with → the code and the message.
_BEGUN = {
    "MODE_KEY": ("HS105", "the mode is not `AOT` or `JIT`"),
    "STEP": ("HS107", "the heading of a step has the wrong form"),
    "COUNT_KEY": ("HS111", "the value is not a whole number"),
    "NAMES_KEY": ("HS112", "the value is not a list of names"),
}
# What may stand behind the backticks that open a code block, and says nothing.
_LANGUAGE = re.compile(r"[A-Za-z0-9_+.-]*")
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
    _builder: HopSpecBuilder = field(factory=HopSpecBuilder)
    _state: _State = _State.HEAD
    # The lines that continue with what has come last, and that are not yet given to the builder.
    _pending: list[str] = field(factory=list)
    # The line at hand.
    _number: int = 0
    _is_set_off: bool = False
    # The finding that is extended by the next lines that are left out.
    _growing: bool = False
    _guesses: int = 0
    # Where lines start that open a code block without an end.
    _open_fences: list[int] = field(factory=list)
    # Whether the document is in a code block, and whether that has ended.
    _in_fence: bool = False
    _has_ended: bool = False

    def run(self) -> tuple[HopSpec, LinePositions]:
        """Read all lines; returns the document, and where its parts stand."""
        lines = self.source.text.removeprefix("\ufeff").split("\n")
        if has_forbidden(self.source.text):
            # At the very end, a carriage return is no part of a line break.
            lines = [*(self._clean(line.removesuffix("\r")) for line in lines[:-1]), self._clean(lines[-1])]
        ends = [at for at, line in enumerate(lines) if is_code_end(line)]
        rest = range(ends[-1] + 1 if ends else 0, len(lines))
        self._open_fences += (self.source.start_of(at + 1) for at in rest if is_fence(lines[at]))
        text = end_last_line(self.source.text)
        at = 0
        while at < len(lines):
            self._number = at + 1
            end = self._find_code_end(lines[at], at, ends)
            if not lines[at].strip(BLANKS):
                self._keep("")
                self._is_set_off = True
            elif (taken := self._take_rows(text)) > 0:
                end = at + taken - 1
                self._is_set_off = not lines[end].strip(BLANKS)
            else:
                if end > at:
                    self._read_code(lines, at, end)
                elif not self._read_fence(lines, at, is_last=bool(ends) and at == ends[-1]):
                    self._read(lines[at])
                self._is_set_off = False
            at = end + 1
        self._flush()
        return self._builder.finish(), self._builder.positions

    def _take_rows(self, text: str) -> int:
        """Take lines of steps up to one with a fault; returns how many.

        In a text with a fault or two these are nearly all lines. What is in them need not be looked at one by one.
        """
        if self._state not in (_State.FLOW, _State.STEP, _State.VALUE) or self._in_fence:
            return 0
        start = self.source.start_of(self._number)
        # The pattern would look for the end of an open code block in all of the text after it, for each of them.
        at = bisect_right(self._open_fences, start)
        most = self._open_fences[at] if at < len(self._open_fences) else len(text)
        if not row_pattern().match(text, start, most):
            return 0
        self._flush()
        end = take_rows(self._builder, text, start, self._number, most)
        if end > start:
            self._state = _State.VALUE if self._builder.is_open else _State.STEP if self._builder.step else _State.FLOW
            self._growing = False
        return text.count("\n", start, end)

    def _clean(self, line: str) -> str:
        """The next line, without its line break and the characters that no line may have."""
        self._number += 1
        forbidden = _terminal("FORBIDDEN")
        control = forbidden.search(line)
        if control is None:
            return line
        clean = forbidden.sub("", line)
        message = f"the control character U+{ord(control[0]):04X} is not allowed in a document"
        self._report("HS102", message, fix=clean, help="remove it")
        return clean

    # ---------------------------------------------------------------- code blocks

    def _find_code_end(self, line: str, at: int, ends: list[int]) -> int:
        """The line that ends the code block that starts here; this one if none does."""
        if self._state is _State.HEAD or self._has_ended or not is_fence(line):
            return at
        after = bisect_right(ends, at)
        # The last one may be that of the block around the document.
        is_outer = self._in_fence and after == len(ends) - 1 and is_code_end(line)
        return at if is_outer or after == len(ends) else ends[after]

    def _read_code(self, lines: list[str], start: int, end: int) -> None:
        if self._state not in (*_OPEN, *_LOST):
            self._lose(
                "HS116", "this code block has no attribute above it", help="write it below an attribute, and indent it"
            )
            start += 1
        for at in range(start, end + 1):
            self._number = at + 1
            if self._state in _OPEN:
                self._keep(lines[at])
            else:
                self._grow()

    def _read_fence(self, lines: list[str], at: int, *, is_last: bool) -> bool:
        """Read a line that opens a code block without an end, or one that is around the document."""
        line = lines[at]
        if self._has_ended or not line.lstrip(BLANKS).startswith("```"):
            return False
        if is_last if self._in_fence else self._state is _State.HEAD:
            self._read_outer_fence(lines, at)
        elif self._state in _LOST:
            self._grow()
        elif self._state in _OPEN and is_fence(line):
            escaped = escape_line(line)
            if self._state is _State.VALUE and indent_of(line) <= self._builder.indent:
                escaped = f"{' ' * self._builder.indent}  {escaped.lstrip(BLANKS)}"
            self._report("HS113", "the code block is not closed", fix=escaped, help="close it with three backticks")
            self._keep(escaped)
        elif self._state is _State.TEXT:
            return False
        else:
            self._lose("HS113", "the code block is not closed", help="close it with three backticks")
        return True

    def _read_outer_fence(self, lines: list[str], at: int) -> None:
        """Read the line above a document in a code block, or the one below it."""
        said = lines[at].strip(f"{BLANKS}`")
        found = self._match(said) if said else None
        is_safe = found is not None or _LANGUAGE.fullmatch(said) is not None
        if self._in_fence:
            opening = max(at for at, one in enumerate(self.findings) if one.code == "HS114")
            fix = self.findings[opening].fix
            assert fix is not None, "it was reported here"
            # Without the fences, text behind them may be part of the document.
            is_safe = fix.is_safe and not any(line.strip() and self._match(line) for line in lines[at + 1 :])
            self.findings[opening] = evolve(self.findings[opening], fix=evolve(fix, is_safe=is_safe))
        self._has_ended = self._in_fence
        self._in_fence = True
        message = "a code fence around the document is not allowed"
        self._report("HS114", message, fix=said if found else "", is_safe=is_safe)
        if found:
            self._take(*found, said)
        else:
            self._keep("")

    # ---------------------------------------------------------------- lines

    def _read(self, line: str) -> None:
        found = None if self._has_ended else self._match(line)
        if found is not None:
            self._take(*found, line)
        elif self._has_ended:
            self._lose("HS101", "this line is not part of the document")
        elif self._state not in _LOST and is_conflict_marker(line):
            help = "keep one of the two versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`"
            self._lose("HS117", "a conflict marker of a merge that was not resolved", help=help)
        elif not self._correct(line):
            self._refuse(line)

    def _match(self, line: str) -> tuple[str, Match[str]] | None:
        """The rule that a line follows, and what it says."""
        for rule in _RULES[self._state]:
            match = _pattern(rule).fullmatch(f"{line}\n")
            if match and (rule != "more" or indent_of(line) > self._builder.indent):
                return rule, match
        return None

    def _take(self, rule: str, match: Match[str], line: str) -> None:
        self._growing = False
        if rule in _HEADERS:
            self._take_header(match["FLOW"] if rule == "flow_header" else match["SECTION"])
        elif rule == "heading":
            self._take_heading(match["STEP"], line)
        elif rule == "attribute_line":
            self._take_attribute(match, line)
        elif rule == "comment":
            self._state = _State.STEP if self._state in (_State.VALUE, _State.LOST_VALUE) else self._state
            self._take_row(line)
        elif rule == "mode":
            self._state = _State.MODE
            self._builder.add_mode(match["MODE_WORD"], self._number)
        elif rule != "title":
            self._keep(line)
        elif "title" in self._sections:
            self._lose("HS104", "a second title")
        else:
            self._builder.add_title(match["TEXT"], self._number)

    def _take_header(self, word: str) -> None:
        name = next(name for name, words in SECTIONS.items() if word in words.all)
        if name in self._sections:
            self._lose("HS104", f"duplicate section `{word}`, first seen in line {self._sections[name]}")
            # Steps can continue with those before them.
            if name != "steps" or self._state in _OUTSIDE:
                self._state = _State.LOST_SECTION
            return
        self._add_section(word)
        self._state = _State.FLOW if name == "steps" else _State.TEXT

    def _add_section(self, word: str) -> None:
        self._flush()
        self._builder.add_section(word, self._number)

    def _take_heading(self, step_id: str, line: str) -> None:
        if self._state in _OUTSIDE:
            if "steps" in self._sections:
                self._lose("HS115", "this step is outside the section of steps", help="move it into that section")
                self._state = _State.LOST_SECTION
                return
            word = SECTIONS["steps"].of(self.language)
            fix = f"## {word}\n{line}"
            self._report("HS115", "this step is outside the section of steps", fix=fix, is_safe=True)
            self._add_section(word)
        if first := self._builder.positions.steps.get(step_id):
            self._lose("HS106", f"duplicate number {step_id}, first seen in line {first['step_id']}")
            self._state = _State.LOST_STEP
            return
        self._state = _State.STEP
        self._take_row(line)

    def _take_attribute(self, match: Match[str], line: str) -> None:
        key = next(name for name in _KEYS if match[name])
        first = self._builder.positions.steps[self._step_id].get(meanings()[match[key]])
        self._flush()
        if first:
            self._builder.indent = indent_of(line)
            self._lose("HS108", f"duplicate attribute `{match[key]}`, first seen in line {first}")
            self._state = _State.LOST_VALUE
            return
        self._state = _State.VALUE if key == "KEY" else _State.STEP
        self._take_row(line)

    @property
    def _sections(self) -> dict[str, int]:
        return self._builder.positions.fields

    @property
    def _step_id(self) -> str:
        return self._builder.step.step_id if self._builder.step else ""

    # ---------------------------------------------------------------- lines that are refused

    def _correct(self, line: str) -> bool:
        """Take a line for what it was most likely meant as; whether there is anything."""
        if self._state is _State.LOST_VALUE and indent_of(line) > self._builder.indent:
            return False
        self._guesses += 1
        for correction in find_corrections(line, guesses=self._guesses <= _MOST_GUESSES):
            found = self._match(correction.line)
            is_structure = found is not None and found[0] not in ("more", "text_line")
            if correction.line != line and (is_structure or not correction.line):
                self._report(correction.code, correction.message, fix=correction.line, is_safe=correction.is_safe)
                if found:
                    self._take(*found, correction.line)
                else:
                    self._keep("")
                return True
        return False

    def _refuse(self, line: str) -> None:
        if self._state is _State.LOST_VALUE and indent_of(line) <= self._builder.indent and _looks_like_attribute(line):
            self._state = _State.STEP
        if self._state in _LOST:
            self._grow()
        elif self._state is _State.TEXT:
            self._keep_as_text(line)
        else:
            self._lose_line(line)

    def _lose_line(self, line: str) -> None:
        """Leave a line out, or take it for one that continues a value."""
        code, message, expected = self._explain(line)
        moved = f"{' ' * self._builder.indent}  {line.lstrip(BLANKS)}"
        if code != "HS101":
            self._lose(code, message, expected=expected)
        elif line.lstrip(BLANKS).startswith("## "):
            self._lose("HS103", "unknown section", expected=expected)
            if self._state in _OUTSIDE:
                self._state = _State.LOST_SECTION
            elif self._state is _State.VALUE:
                self._state = _State.STEP
        elif line.lstrip(BLANKS).startswith("###") and self._state not in _OUTSIDE:
            self._lose(*_BEGUN["STEP"], expected=expected)
            self._state = _State.LOST_STEP
        elif self._state in (_State.STEP, _State.VALUE) and _looks_like_attribute(line):
            self._lose("HS110", "unknown attribute", help="if it is text, indent it more")
            self._state = _State.LOST_VALUE
        elif self._state is _State.VALUE and not (self._is_set_off or self._growing) and self._match(moved):
            help = "indent a continuation line more than the name of its attribute"
            self._report("HS116", "this line has no attribute above it", fix=moved, help=help)
            self._keep(moved)
        else:
            self._lose(code, message, expected=expected)

    def _keep_as_text(self, line: str) -> None:
        """Keep a line of free text that only begins like a section."""
        is_step = line.lstrip(BLANKS).startswith("###")
        code, message = _BEGUN["STEP"] if is_step else ("HS103", "unknown section")
        self._report(code, message, fix=escape_line(line), help="if it is text, write a backslash before it")
        self._keep(escape_line(line))

    def _explain(self, line: str) -> tuple[str, str, tuple[str, ...]]:
        """The code, a message and what was expected, as the LALR parser has it."""
        begun = next((one for one in _BEGUN if _terminal(one).match(line)), "")
        begun = begun if begun in _first(self._state) and self._guesses <= _MOST_GUESSES else ""
        code, message = _BEGUN.get(begun, ("HS101", "this line is not part of a HopSpec document"))
        names = _expected(self._state, line) if begun else _first(self._state)
        at = 0 if self.language == "zh" else 1
        return code, message, tuple(words[at] for name, words in _WORDS.items() if name in names)

    # ---------------------------------------------------------------- what comes of a line

    def _take_row(self, line: str) -> None:
        """Take a heading, a comment, or the first line of an attribute."""
        self._flush()
        take_rows(self._builder, f"{line}\n", 0, self._number)

    def _keep(self, line: str) -> None:
        """Take a line of text, which means nothing where no text may be."""
        if self._state in _OPEN:
            self._pending.append(line)
        self._growing = self._growing and not line

    def _flush(self) -> None:
        """Give the builder the lines that continue with what has come last."""
        if any(self._pending):
            take = self._builder.continue_value if self._builder.is_open else self._builder.add_text
            take("".join(f"{line}\n" for line in self._pending))
        self._pending.clear()

    def _lose(self, code: str, message: str, *, expected: tuple[str, ...] = (), help: str = "") -> None:
        """Leave a line out; where the one before it was no line of a document either, they have one finding."""
        if self._growing and self.findings[-1].code == code == "HS101":
            self._grow()
            return
        fix = "" if code == "HS101" else None
        self._report(code, message, expected=expected, help=help, fix=fix, is_lost=True)
        self._keep("")
        self._growing = code == "HS101"

    def _grow(self) -> None:
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
        *,
        expected: tuple[str, ...] = (),
        help: str = "",
        fix: str | None = None,
        is_safe: bool = False,
        is_lost: bool = False,
    ) -> None:
        span = span_of_line(self.source, self._number)
        start = self.source.start_of(self._number) + (self._number == 1 and self.source.text.startswith("\ufeff"))
        whole = self.source.span(start, span.end)
        severity = Severity.ERROR if self.is_strict or is_lost else Severity.WARNING
        made = None if fix is None else Fix(whole, fix, is_safe=is_safe)
        self.findings.append(
            Diagnostic(code, message, severity, span, expected, help, made, self._step_id, source=self.source)
        )
        self._growing = False


def _looks_like_attribute(line: str) -> bool:
    bare = line.lstrip(BLANKS)
    return bare.startswith("- ") and (":" in bare[:40] or "：" in bare[:40])


@cache
def _first(state: _State) -> frozenset[str]:
    """The terminals that a line may begin with."""
    return _expected(state, "?")


def _expected(state: _State, line: str) -> frozenset[str]:
    """The terminals that the LALR parser could have taken where it refuses a line."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken  # noqa: PLC0415

    try:
        grammars.parser("hopspec").parse(f"{_IN_FRONT.get(state, '')}{line}\n", start="document")
    except UnexpectedCharacters as error:
        return frozenset(error.allowed or ())
    except UnexpectedToken as error:
        return frozenset(error.accepts or error.expected)
    return frozenset()
