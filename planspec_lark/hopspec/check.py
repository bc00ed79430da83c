"""All that can be said about a text as a HopSpec document at once: syntax and rules, each finding at its place."""

from __future__ import annotations

from functools import partial

from attrs import evolve

from planspec_lark.hopspec.parser import HopSpecScan, scan_strictly
from planspec_lark.hopspec.positions import span_of_line
from planspec_lark.hopspec.rules import check_rules
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.fixer import FixResult, apply_fixes
from planspec_lark.syntax.limits import DEFAULT_LIMITS, NO_LIMITS, OVER_LIMIT, Findings, Limits

__all__ = ["check_hopspec", "check_scan", "fix_hopspec"]


def check_hopspec(
    text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS, least: Severity = Severity.INFO
) -> list[Diagnostic]:
    """Check a text as a HopSpec document.

    Args:
        text: a HopSpec document in Chinese or English.
        name: what diagnostics call it, such as the file's name.
        limits: how much to read and to report.
        least: what counts.

    Returns:
        All findings in the order of the text, each with its fix, if there is one. Where there are syntax errors, the
        rules look at what could be read, and what they find is provisional.
    """
    return check_scan(scan_strictly(text, name=name, limits=limits), limits, least=least)


def check_scan(result: HopSpecScan, limits: Limits, *, least: Severity = Severity.INFO) -> list[Diagnostic]:
    """The same for a text that was read with these limits, as :func:`scan_strictly` does."""
    listed = Findings(limits.max_findings)
    listed.extend(result.diagnostics)
    if not any(one.code in OVER_LIMIT for one in result.diagnostics):
        given = {step_id: lines.keys() for step_id, lines in result.positions.steps.items()}
        faulty = {one.line for one in result.diagnostics}
        for found in check_rules(result.document, given):
            if found.severity.counts_as(least):
                listed.add(found if listed.is_full else _locate(found, result, faulty))
    return listed.close()


def _locate(found: Diagnostic, result: HopSpecScan, faulty: set[int | None]) -> Diagnostic:
    """Give a diagnostic the line that it speaks of; its replacement becomes its fix where the line has no fault."""
    source, number = result.source, result.positions.line_of(found.step_id, found.part)
    span, fix = span_of_line(source, number), None
    if (
        found.replacement
        and number not in faulty
        and (key := grammars.pattern("hopspec", "KEY").match(source.line(number)))
    ):
        fix = Fix(source.span(source.start_of(number) + key.end(), span.end), found.replacement)
    return evolve(found, span=span, fix=fix, is_provisional=bool(faulty), source=source)


def fix_hopspec(
    text: str,
    *,
    unsafe: bool = False,
    name: str = "<text>",
    limits: Limits = NO_LIMITS,
    least: Severity = Severity.INFO,
) -> FixResult:
    """Fix what is found in a text. No text makes it raise.

    Args:
        text: a HopSpec document.
        unsafe: apply fixes that drop text or guess as well, once no safe one is left.
        name: what diagnostics call it.
        limits: how much to read, and how many findings to give back; all are fixed.
        least: which of the findings that are left to give back.
    """
    check = partial(check_hopspec, name=name, limits=evolve(limits, max_findings=None))
    after, fixed, lines = apply_fixes(text, check, check(text), unsafe=unsafe)
    return FixResult(after, fixed, lines, check_hopspec(after, name=name, limits=limits, least=least))
