"""The repaired lines of an answer, put into the plan that they are for. Every other character stays as it was."""

from __future__ import annotations

import re
from functools import cache
from re import Pattern
from typing import Any

from attrs import field, frozen

from planspec_lark.answers.repair import find_faulty
from planspec_lark.planspec.check import check_text
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, Fix, Severity, has_errors
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, Span, end_last_line, newline_of

__all__ = ["PatchedText", "SpliceResult", "splice", "take_lines"]


@frozen
class SpliceResult:
    """What has come of it.

    Attributes:
        text: the plan with its repaired lines; as it was, where the answer is refused.
        lines: the numbers of the lines that were rewritten, as they were before.
        diagnostics: what is wrong with the answer, where an error refuses all of it, and what was left out of it.
        findings: what is found in ``text``, as :func:`~planspec_lark.check_text` finds it.
        source: the answer.
    """

    text: str
    lines: tuple[int, ...]
    diagnostics: list[Diagnostic]
    findings: list[Diagnostic]
    source: Source = field(repr=False)

    @property
    def is_usable(self) -> bool:
        """Whether the answer was taken."""
        return not has_errors(self.diagnostics)

    @property
    def is_clean(self) -> bool:
        """Whether it was taken, and nothing in the plan is an error any more."""
        return self.is_usable and not has_errors(self.findings)


def splice(
    text: str, answer: str, *, name: str = "<text>", answer_name: str = "<answer>", limits: Limits = DEFAULT_LIMITS
) -> SpliceResult:
    """Put repaired lines into a plan: an answer to :func:`~planspec_lark.answers.repair_prompt`. Never raises.

    Args:
        text: the plan that was asked about.
        answer: any text; its lines that begin with ``LINE``, a number and a colon count.
        name: what the findings call the plan.
        answer_name: what the diagnostics call the answer.
        limits: how much to read and to report.
    """
    faulty = find_faulty(text, name=name, limits=limits)
    done = take_lines(text, answer, faulty.lines, answer_name=answer_name, limits=limits)
    findings = check_text(done.text, name=name, limits=limits)
    return SpliceResult(done.text, done.lines, done.diagnostics, findings, Source(answer, answer_name))


@frozen
class PatchedText:
    """A text with the lines of an answer, where that is not refused; see :class:`SpliceResult`.

    Attributes:
        repaired: what each rewritten line becomes, by its number.
    """

    text: str
    repaired: dict[int, list[str]]
    diagnostics: list[Diagnostic]

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the rewritten lines."""
        return tuple(sorted(self.repaired))


def take_lines(text: str, answer: str, asked: frozenset[int], *, answer_name: str, limits: Limits) -> PatchedText:
    """Put the lines of an answer in place of those that were asked for. No other line changes, and no text raises."""
    if excess := find_excess(answer, answer_name, limits):
        return PatchedText(text, {}, [excess])
    source = Source(answer, answer_name)
    found = Findings(limits.max_findings)
    remainder = leave_out_reasoning(answer)
    # A byte-order mark in front is no part of the answer. A blank in its place leaves all offsets as they are.
    said = " " + remainder.text[1:] if answer.startswith("\ufeff") else remainder.text
    repaired = _read(source, end_last_line(said), asked, found)
    found.extend(remainder.diagnose(source))
    if found.counts[Severity.ERROR]:
        repaired = {}
    return PatchedText(_put(text, repaired), repaired, found.close())


# ---------------------------------------------------------------- the plan


def _put(text: str, repaired: dict[int, list[str]]) -> str:
    """The text with these lines in place of those with these numbers. Each keeps its line break and its indentation."""
    # Only the first sign of a text is a byte-order mark.
    lead = "\ufeff" if text.startswith("\ufeff") else ""
    rows = text[len(lead) :].split("\n")
    kept: list[str] = []
    for number, row in enumerate(rows, 1):
        is_last = number == len(rows)
        if number not in repaired:
            kept.append(row)
        elif repaired[number] or is_last:
            indent = row[: len(row) - len(row.lstrip(BLANKS))]
            end = "\r" if row.endswith("\r") and not is_last else ""
            line_break = newline_of(text) if is_last else f"{end}\n"
            new = repaired[number]
            if number == 1 and not lead:
                new = [one if at else one.lstrip("\ufeff") for at, one in enumerate(new)]
            kept.append(line_break.join(indent + one for one in new) + end)
    return lead + "\n".join(kept)


# ---------------------------------------------------------------- the answer

# How many of the lines that were asked for a diagnostic names.
_LISTED = 20


@cache
def _line() -> Pattern[str]:
    return grammars.regular("repair").pattern("repaired")


# What models write in place of `LINE 12: text`. All signs are possessive: what is between begins with none of them.
_SIGNS = r"[-*+•>#`_ \t\ufeff]*+"
_NEAR = re.compile(
    rf"{_SIGNS}(?:line|第|行)[ \t]*+#?(?P<number>[0-9]{{1,9}})[ \t]*+行?+[*`_ \t]*+[:：][*`_ \t]*+(?P<text>.*)",
    re.I | re.S,
)


def _read(source: Source, text: str, asked: frozenset[int], found: Findings) -> dict[int, list[str]]:
    """The lines that an answer rewrites; what is wrong with it goes to ``found``. ``text`` is what it says."""
    repaired: dict[int, list[str]] = {}
    at = 0
    is_empty = True
    help = _name_asked(asked)
    for row in text.split("\n")[:-1]:
        if match := _line().match(f"{row}\n"):
            is_empty = False
            number = int(match["LINE_MARK"])
            if number in asked:
                repaired.setdefault(number, []).append(match["TEXT"] or "")
            else:
                span = source.span(*(at + place for place in match.span("LINE_MARK")))
                found.add(_diagnose("PM101", f"line {number} was not asked for", span, source, help=help))
        elif near := _find_near(source, row.removesuffix("\r"), at):
            found.add(near)
        at += len(row) + 1
    if is_empty:
        found.add(_miss(source, asked))
    # Nothing after the colon takes a line out; beside a text for the same line it says nothing.
    return {number: [text for text in texts if text] for number, texts in repaired.items()}


def _diagnose(code: str, message: str, span: Span, source: Source, **more: Any) -> Diagnostic:
    return Diagnostic(code, message, CODES[code].severity, span, source=source, **more)


def _name_asked(asked: frozenset[int]) -> str:
    if not asked:
        return "remove it: no line needs a repair"
    first = sorted(asked)[:_LISTED]
    listed = ", ".join(map(str, first)) + (" and others" if len(asked) > _LISTED else "")
    return f"remove it; the lines to repair are {listed}"


def _find_near(source: Source, line: str, at: int) -> Diagnostic | None:
    """What is wrong with a line that is almost one that counts."""
    forbidden = grammars.pattern("planspec", "FORBIDDEN")
    control = forbidden.search(line)
    clean = forbidden.sub("", line)
    near = _NEAR.fullmatch(clean.rstrip(BLANKS))
    if near is None:
        return None
    text = near["text"].strip(BLANKS)
    written = f"LINE {near['number'].lstrip('0') or '0'}: {text}".rstrip(BLANKS)
    fix = Fix(source.span(at, at + len(line)), written) if _line().match(f"{written}\n") else None
    if control is not None:
        message = f"the control character U+{ord(control[0]):04X} is not allowed in a plan"
        span = source.span(at + control.start(), at + control.end())
    else:
        message = "a repaired line must start with `LINE`, its number and a colon"
        span = source.span(at, at + max(len(clean) - len(near["text"]), 1))
    return _diagnose("PM102", message, span, source, fix=fix)


def _miss(source: Source, asked: frozenset[int]) -> Diagnostic:
    at = len(source.text.rstrip(f"{BLANKS}\r\n"))
    expected = tuple(f"`LINE {number}: …`" for number in sorted(asked)[:3])
    help = "write each repaired line after `LINE`, its number and a colon"
    return _diagnose(
        "PM103", "the answer has no repaired line", source.span(at, at), source, expected=expected, help=help
    )
