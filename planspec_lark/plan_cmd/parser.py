"""Text → commands: the lines that start with ``PLAN_CMD:`` in any text, such as a language model's answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from re import Match, Pattern
from typing import TypeVar

from attrs import define, field, frozen

from planspec_lark.plan_cmd.faults import Fault, diagnose, diagnose_prefix
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, Fix, Severity, shorten
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, Span, end_last_line, one_line

__all__ = [
    "CommandScan",
    "find_fault",
    "parse_plan_commands",
    "read_headline",
    "scan_plan_commands",
    "to_diagnostic",
    "walk_commands",
]

Found = TypeVar("Found")

_LOG = logging.getLogger("planspec_lark")


@frozen
class CommandScan:
    """What a text holds: commands with their places, and diagnostics.

    Lines that look like commands and are none are errors. A reasoning block, which is left out, is an info, or a
    warning where one of its tags is missing.
    """

    commands: list[PlanCommand]
    spans: list[Span]
    diagnostics: list[Diagnostic]
    source: Source = field(repr=False)

    @property
    def errors(self) -> list[Diagnostic]:
        """The lines that look like commands and are none, or why nothing was read."""
        return [found for found in self.diagnostics if found.severity is Severity.ERROR]


@cache
def _pattern(rule: str) -> Pattern[str]:
    return grammars.regular("plan_cmd").pattern(rule)


@cache
def _prefix() -> Pattern[str]:
    return grammars.pattern("plan_cmd", "PREFIX")


def parse_plan_commands(text: str) -> list[PlanCommand]:
    """Find the commands in a text. All lines that are no command are skipped; :func:`scan_plan_commands` names them.

    What stands in a reasoning block (see :mod:`planspec_lark.syntax.reasoning`) is no command. Such blocks, and what
    seems to be meant as a command, are logged at level DEBUG, a line each, by the logger ``planspec_lark``.
    """
    # To know what a skipped line was meant as takes time.
    is_logged = _LOG.isEnabledFor(logging.DEBUG)
    source, remainder = Source(text), leave_out_reasoning(text)
    commands: list[PlanCommand] = []
    for found, start, _ in walk_commands(remainder.text, find_fault if is_logged else _find_nothing):
        if isinstance(found, PlanCommand):
            commands.append(found)
        else:
            _log(found.code, found.message, start, source)
    for block in remainder.diagnose(source) if is_logged else ():
        _log(block.code, block.message, block.span.start if block.span else 0, source)
    return commands


def _log(code: str, message: str, start: int, source: Source) -> None:
    line, _ = source.position(start)
    _LOG.debug("line %d skipped: %s %s: %s", line, code, one_line(message), shorten(one_line(source.line(line))))


def scan_plan_commands(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> CommandScan:
    """Find the commands in a text, and all lines that seem to be meant as commands but are none. Never raises.

    Args:
        text: any text.
        name: what diagnostics call it.
        limits: how much to read and to report; commands have no steps and no depth.
    """
    source = Source(text, name)
    if excess := find_excess(text, name, limits):
        return CommandScan([], [], [excess], source)
    found = Findings(limits.max_findings)
    scan = CommandScan([], [], [], source)
    remainder = leave_out_reasoning(text)
    for command, start, end in walk_commands(remainder.text, find_fault):
        if isinstance(command, PlanCommand):
            scan.commands.append(command)
            scan.spans.append(source.span(start, end))
        else:
            found.add(to_diagnostic(command, source, start, end))
    found.extend(remainder.diagnose(source))
    scan.diagnostics.extend(found.close())
    return scan


def to_diagnostic(fault: Fault, source: Source, start: int, end: int, severity: Severity | None = None) -> Diagnostic:
    """A fault of a line with these bounds as a diagnostic; its severity is that of its code, unless it is given."""
    fix = None if fault.mended is None else Fix(source.span(start, end), fault.mended)
    return Diagnostic(
        fault.code,
        fault.message,
        severity or CODES[fault.code].severity,
        source.span(start + fault.start, start + fault.end),
        help=fault.help,
        fix=fix,
        source=source,
    )


def walk_commands(
    text: str, find: Callable[[str, int, int], Iterator[tuple[Found, int, int]]]
) -> Iterator[tuple[PlanCommand | Found, int, int]]:
    """The commands of a text, each with its bounds, and whatever else there is.

    Args:
        text: any text, without its reasoning.
        find: is given each line that neither is a command nor belongs to one, as the text with its last line ended,
            the line's start, and where its line break ends it. What it finds there is passed on.
    """
    text = end_last_line(text)
    at = 0
    while at < len(text):
        newline = text.index("\n", at)
        if _prefix().match(text, at):
            match = _pattern("command").match(text, at)
            if match:
                start = at + len(match["PREFIX"]) - len(match["PREFIX"].lstrip(BLANKS))
                yield _build(match), start, at + len(match[0][: match[0].rindex("\n")].removesuffix("\r"))
                at = match.end()
                continue
        yield from find(text, at, newline)
        at = newline + 1


def _find_nothing(_text: str, _at: int, _newline: int) -> Iterator[tuple[Fault, int, int]]:
    return iter(())


def find_fault(text: str, at: int, newline: int) -> Iterator[tuple[Fault, int, int]]:
    """What is wrong with a line that seems to be meant as a command and is none, with the line's bounds."""
    line = text[at:newline].removesuffix("\r")
    start = at + len(line) - len(line.lstrip(BLANKS))
    line = line.strip(BLANKS)
    fault = diagnose(line) if _prefix().match(line) else diagnose_prefix(line)
    if fault is not None:
        yield fault, start, start + len(line)


def _build(match: Match[str]) -> PlanCommand:
    kind = next(name for name in ("status", "edit", "replan", "view") if match[name] is not None)
    groups = {name.removeprefix(f"{kind}_"): value for name, value in match.groupdict().items() if value}
    verb = groups.get("STATUS_VERB") or groups.get("EDIT_VERB") or groups.get("REPLAN") or groups["VIEW_VERB"]
    return PlanCommand(
        verb.strip(BLANKS),
        groups.get("TARGET", "ALL"),
        groups.get("TYPE", ""),
        groups.get("TEXT", "").strip(BLANKS),
        groups.get("RESULT", "").partition("|")[2].strip(BLANKS),
        [line["DETAIL"] for line in _pattern("_detail").finditer(groups.get("_detail", ""))],
    )


@define
class Headline:
    """What the text of ADD or REVISE says: the raw description and the raw outputs."""

    description: str
    outputs: str | None


def read_headline(text: str) -> Headline:
    """Cut the text of ADD or REVISE in two, in front of the arrow that declares outputs."""
    match = _pattern("headline").fullmatch(text + "\n")
    assert match is not None, "any text of one line is a headline"
    return Headline((match["HEADLINE"] or "").strip(BLANKS), match["OUTPUTS"])
