"""How far the repairs of a tolerant reading can be trusted: how likely is it that they change what is meant?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType

from planspec_lark.planspec.answer_lines import is_harmless
from planspec_lark.planspec.corrections import SPACES, Flaw, looks_like_step, mend_step, read_status
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.source import Span

__all__ = ["RISKS", "Risk", "highest", "rate"]


class Risk(str, Enum):
    """How likely it is that a repair changes what is meant, the least first."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Its place among the four, from 0."""
        return list(Risk).index(self)


def highest(risks: Iterable[Risk]) -> Risk:
    """The highest of these."""
    return max(risks, default=Risk.NONE, key=lambda risk: risk.rank)


# Of each code that a tolerant reading gives a warning with, the risk of the repair. Where a line has several flaws, the
# highest counts, though only the first flaw is named. Some are worse with some texts, as is said behind them.
RISKS = {
    "PS102": Risk.MEDIUM,  # a control character was left out: what it stood for is gone
    "PS104": Risk.LOW,  # a header in other words or signs
    "PS105": Risk.MEDIUM,  # `## Steps` behind steps: all are taken for one list
    "PS106": Risk.LOW,  # a part in another place: each part has its own words
    "PS110": Risk.LOW,  # an id in other signs: `1)`, `01.`, `**1.**`
    "PS111": Risk.LOW,  # a mark in other signs; a status that is not known was dropped: high
    "PS112": Risk.LOW,  # a type in other brackets
    "PS113": Risk.NONE,  # white space
    "PS114": Risk.LOW,  # a separator with nothing behind it
    "PS115": Risk.LOW,  # progress in other signs; what had no number was taken for text: medium
    "PS116": Risk.MEDIUM,  # a second progress was taken for text
    "PS118": Risk.LOW,  # another bullet
    "PS124": Risk.LOW,  # a comment behind a header was left out; one behind text, which may belong to it: medium
    "PS125": Risk.MEDIUM,  # reasoning that lacks a tag at one end: up to there, or from there on, all was left out
    "PS107": Risk.LOW,  # detail with a bullet, inputs in words
    "PS126": Risk.LOW,  # a line that was wrapped
    "PS129": Risk.MEDIUM,  # a plan that is cut off, where that is allowed
    "PS130": Risk.HIGH,  # of several plans one was taken, and nothing says which of them holds
    "PS305": Risk.MEDIUM,  # text was taken for outputs or inputs
}
# What is left out and seems to be no part of the plan: prose, fences; but of several plans only one is taken.
_LEFT_OUT = {"PS105": Risk.MEDIUM}


def rate(
    diagnostic: Diagnostic,
    plan: Span | None = None,
    legend: Mapping[str, str] = MappingProxyType({}),
    first_step: int | None = None,
) -> Risk:
    """The risk of what a tolerant reading has made of a text at the place of a diagnostic.

    What stands between the first and the last line of the plan and is not understood is never without risk.

    What was dropped though it seems to belong to the plan is always of the highest.
    """
    if diagnostic.severity is Severity.ERROR or diagnostic.code == "PS120":
        return Risk.HIGH
    if diagnostic.severity is Severity.INFO:
        risk = _LEFT_OUT.get(diagnostic.code, Risk.NONE)
        span, source = diagnostic.span, diagnostic.source
        is_foreign = diagnostic.code in ("PS101", "PS103", "PS107")
        if not is_foreign or plan is None or span is None or source is None or not plan.start < span.start < plan.end:
            return risk
        is_early = first_step is None or span.start < first_step
        return highest((risk, _rate_between(source.text[span.start : span.end], is_early=is_early)))
    fix = diagnostic.fix
    risk = RISKS.get(diagnostic.code, Risk.HIGH)
    if fix is None or diagnostic.source is None or diagnostic.code == "PS305":
        return risk
    end = fix.span.end
    if diagnostic.code == "PS124" and diagnostic.span is not None:
        risk, end = _rate_comment(fix.text), diagnostic.span.start
    line = diagnostic.source.text[fix.span.start : end]
    return highest((risk, _rate_line(line, fix.text, legend)))


def _rate_between(text: str, *, is_early: bool) -> Risk:
    """The risk of leaving out what stands between the lines of a plan, in front of its steps or among them."""
    in_comment = False
    worst = Risk.NONE
    for row in text.split("\n"):
        line = row.strip(SPACES + "\r")
        if in_comment or (line.startswith("<!--") and "-->" not in line):
            in_comment = "-->" not in line
        elif line and not is_harmless(line) and not line.startswith(("```", "~~~")):
            # A line that leads to the steps says nothing by itself; among them it may be a condition.
            is_lead = is_early and line.endswith((":", "：")) and "→" not in line
            worst = highest((worst, Risk.LOW if is_lead else Risk.HIGH))
    return worst


def _rate_comment(repaired: str) -> Risk:
    """The risk of leaving out what stands behind a line."""
    marks = (grammars.pattern("planspec", mark) for mark in ("CONSTRAINTS_MARK", "STEPS_MARK"))
    return RISKS["PS124"] if any(mark.fullmatch(repaired) for mark in marks) else Risk.MEDIUM


def _rate_line(line: str, repaired: str, legend: Mapping[str, str]) -> Risk:
    """The highest risk of all that was done to a line."""
    clean = grammars.pattern("planspec", "FORBIDDEN").sub("", line).strip(BLANKS)
    if not looks_like_step(clean):
        return Risk.NONE
    flaws, written = mend_step(clean, legend)
    if written != repaired:
        return Risk.NONE
    risks = [_rate_flaw(flaw, clean, repaired, legend) for flaw in flaws]
    if repaired.count("→") > clean.count("→"):
        risks.append(RISKS["PS305"])
    return highest(risks)


def _rate_flaw(flaw: Flaw, line: str, repaired: str, legend: Mapping[str, str]) -> Risk:
    written = line[flaw.start : flaw.end]
    if flaw.code == "PS111":
        mark = written.strip("[]［］【】*_`")
        is_known = read_status(mark) is not None or mark.replace("\ufe0f", "") in legend
        return RISKS[flaw.code] if is_known else Risk.HIGH
    if flaw.code == "PS115" and f"\\{written}" in repaired:
        return Risk.MEDIUM
    return RISKS.get(flaw.code, Risk.HIGH)
