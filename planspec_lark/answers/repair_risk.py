"""The risk of each thing that a tolerant reading has done."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planspec_lark.answers.asides import comments_in, says_more
from planspec_lark.answers.descriptions import is_foreign_draft
from planspec_lark.answers.headings import disowns_steps, marks_state
from planspec_lark.answers.left_out import rate_left_out
from planspec_lark.answers.reading import Reading
from planspec_lark.answers.risk import RISKS, Risk, highest
from planspec_lark.answers.statements import Talk
from planspec_lark.planspec.answer_lines import is_option, read_bullet, read_heading
from planspec_lark.planspec.models import BLANKS, STEP_TYPES
from planspec_lark.planspec.near_misses import SPACES, NearMiss
from planspec_lark.planspec.step_repair import looks_like_step, repair_step, status_of
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity

__all__ = ["rate"]


def rate(diagnostic: Diagnostic, reading: Reading) -> Risk:
    """The risk of what a tolerant reading has made of a text at the place of a diagnostic.

    What is between the first and the last line of the plan and is not understood is never without risk. Around
    the plan, what looks like a step of it is not, nor what takes something back, nor the goal of a plan that has none.

    What was dropped though it seems to belong to the plan is always of the highest.
    """
    code, fix, span = diagnostic.code, diagnostic.fix, diagnostic.span
    if diagnostic.severity is Severity.ERROR or code == "PS120":
        return Risk.HIGH
    if diagnostic.severity is Severity.INFO:
        return rate_left_out(diagnostic, reading)
    risk = RISKS.get(code, Risk.HIGH)
    if fix is None:
        return risk
    at, is_comment = fix.span.start, code == "PS124"
    is_closing = code == "PS107" and reading.closing_list is not None and at >= reading.closing_list
    if is_closing or (not is_comment and _is_disowned(fix, reading.text)):
        return Risk.HIGH
    if span is None or code == "PS305":
        return risk
    if is_comment:
        risk, end = _rate_comment(fix.text), span.start
    else:
        end = fix.span.end
    return highest((risk, _rate_line(reading.text[at:end], fix.text, reading.legend)))


def _is_disowned(fix: Fix, text: str) -> bool:
    """Whether a heading says that what is below it is not to be done, a line is one of several ways to do a step, or a
    comment in it is lost that says more than a label.
    """
    line = text[fix.span.start : fix.span.end].strip(SPACES + "\r")
    heading = read_heading(line)
    is_heading = heading is not None and (
        disowns_steps(heading[1]) or is_foreign_draft(heading[1].lower()) or (fix.text[:1] != "#" and marks_state(line))
    )
    comments = comments_in(line) if "<!--" not in fix.text else ()
    is_way = fix.text.startswith("> ") and is_option(fix.text[2:])
    return is_heading or is_way or any(says_more(one, Talk()) for one in comments)


def _rate_comment(repaired: str) -> Risk:
    """The risk of leaving out what comes after a line."""
    marks = (grammars.pattern("planspec", mark) for mark in ("CONSTRAINTS_MARK", "STEPS_MARK"))
    return RISKS["PS124"] if any(mark.fullmatch(repaired) for mark in marks) else Risk.MEDIUM


def _rate_line(line: str, repaired: str, legend: Mapping[str, str]) -> Risk:
    """The highest risk of all that was done to a line."""
    if "~~" in repaired:
        # What is struck out may not be meant any more.
        return Risk.HIGH
    clean = grammars.pattern("planspec", "FORBIDDEN").sub("", line).strip(BLANKS)
    if not looks_like_step(clean):
        item = read_bullet(clean)
        if item is None or not looks_like_step(repaired):
            return Risk.NONE
        clean = f"1. {item}"
    misses, written = repair_step(clean, legend)
    if written != repaired:
        misses = repair_step(clean, legend, next(iter(STEP_TYPES)))[0]
        is_typed = written is not None and all(miss.code != "PS112" for miss in misses)
        # It got a type that it does not have. A question is none to be answered by doing it.
        if not is_typed and _IN_DOUBT.search(clean):
            return Risk.HIGH
    risks = [_rate_miss(miss, clean, repaired, legend) for miss in misses]
    if repaired.count("→") > clean.count("→"):
        risks.append(RISKS["PS305"])
    return highest(risks)


# A question, and a doubt inside a line.
_IN_DOUBT = re.compile(r"[?？](?:[)）]|\Z)|\bnot (?:sure|certain|clear)\b|不确定|待定|没定")


def _rate_miss(miss: NearMiss, line: str, repaired: str, legend: Mapping[str, str]) -> Risk:
    written = line[miss.start : miss.end]
    if miss.code == "PS111":
        mark = written.strip("*_`").strip("[]［］【】")
        return Risk.HIGH if status_of(mark, legend) is None else RISKS[miss.code]
    if miss.code == "PS115" and f"\\{written}" in repaired:
        return Risk.MEDIUM
    return RISKS.get(miss.code, Risk.HIGH)
