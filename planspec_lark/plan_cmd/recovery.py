"""A language model's answer → the commands in it, a verdict, and all the text around them.

A line that is a command is read as :mod:`planspec_lark.plan_cmd.parser` reads it. One that begins like a command is put
to the dialect (:mod:`planspec_lark.plan_cmd.dialect`); its canonical text is read in its place, or it is an error. All
other text is remarks, and is never judged.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from attrs import evolve, field, frozen

from planspec_lark.answers.truncation import has_open_end, is_cut_short, name_cut, start_of_last_line
from planspec_lark.answers.verdict import Verdict, find_holds, reach_verdict
from planspec_lark.plan_cmd.dialect import DIALECT, CommandReading, read_line
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.plan_cmd.parser import read_command, split_commands
from planspec_lark.planspec.dialect import DIALECT as PLAN_DIALECT
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.envelopes import find_beside, find_json, iter_strings, set_aside, undo_escapes
from planspec_lark.syntax.fences import find_fences
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.recovery import report
from planspec_lark.syntax.source import Remark, Source, Span, end_last_line, find_remarks

__all__ = ["CONFLICT", "CommandLine", "CommandScan", "is_cut", "read_lines", "scan_plan_commands"]

# The finding that a text has two versions.
CONFLICT = "PS128"
# Detail of a command, in the lines after it.
_DETAIL = re.compile(r"(?:[ \t]*+>(?!>{6})[^\n]*\n)++")
_QUOTED = re.compile(r"[ \t]*+>")
_MARKERS = ("<<<<<<<", ">>>>>>>", "|||||||")
_WHITE = f"{BLANKS}\r\n"


@frozen
class CommandScan:
    """What an answer holds: commands with their places, all that was found, and the verdict.

    Attributes:
        commands: the commands, in their order, those included that were repaired.
        spans: where each is.
        diagnostics: all that was found, in the order of the text. What was repaired is a warning; a line that begins
            like a command and cannot be read is an error, and so is a repair of a higher risk than is allowed.
        remarks: all text that is no command.
        source: the text that was read: the answer, or the string in a JSON value that holds the commands.
        verdict: whether the commands are safe to carry out.
        max_risk: the highest risk that is allowed.
        truncated: whether the answer was cut off.
    """

    commands: list[PlanCommand]
    spans: list[Span]
    diagnostics: list[Diagnostic]
    remarks: tuple[Remark, ...]
    source: Source = field(repr=False)
    verdict: Verdict
    max_risk: Risk
    truncated: bool = False

    @property
    def errors(self) -> list[Diagnostic]:
        """What keeps the commands from being carried out, or why nothing was read."""
        return [found for found in self.diagnostics if found.severity is Severity.ERROR]

    @property
    def is_usable(self) -> bool:
        """Whether the verdict is ``accepted``."""
        return self.verdict is Verdict.ACCEPTED


def scan_plan_commands(  # noqa: PLR0913  (each says something else about the answer)
    text: str,
    *,
    max_risk: Risk | str = Risk.MEDIUM,
    finish_reason: str = "",
    allow_truncated: bool = False,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
) -> CommandScan:
    """Find the commands in an answer, also behind a bullet or a quote sign, and in bold or backticks.

    Never raises on any text. :func:`planspec_lark.parse_plan_commands` takes only lines that are exact commands.

    Args:
        text: any text.
        max_risk, finish_reason, allow_truncated, name: as for :func:`planspec_lark.extract_plan`.
        limits: how much to read and to report; commands have no steps and no depth.

    Raises:
        ValueError: there is no such risk.
    """
    most, source = Risk(max_risk), Source(text, name)
    if excess := find_excess(text, name, limits):
        return CommandScan([], [], [excess], (), source, Verdict.REFUSED, most)
    (said, beside), notes = _find_in_json(source), []
    if len(said) > 1:
        message, help = f"the answer is a JSON value with commands in {len(said)} strings", "write the lines themselves"
        found = Diagnostic("PC107", message, Severity.ERROR, source.span(0, 0), help=help, source=source)
        whole = (Remark(text, source.span(0, source.length)),)
        return CommandScan([], [], [found], whole, source, Verdict.REFUSED, most)
    if said:
        source = Source(said[0], name)
        notes.append("the commands are in a string of a JSON value: lines are counted in that string")
    if (plain := undo_escapes(source.text, DIALECT.language)) is not None:
        source = Source(plain[0], name)
        notes.append("escapes of Markdown or HTML were undone: lines are shown without them")
    told = [Diagnostic("PC107", note, Severity.INFO, source.span(0, 0), risk=Risk.LOW, source=source) for note in notes]
    scan = _scan(source, most, [_weigh(one, most) for one in told], finish_reason, allow_truncated, limits)
    return evolve(scan, remarks=(*beside, *scan.remarks))


def _scan(  # noqa: PLR0913, PLR0917  (what is asked for)
    source: Source, most: Risk, notes: list[Diagnostic], finish_reason: str, allow_truncated: bool, limits: Limits
) -> CommandScan:
    remainder = leave_out_reasoning(source.text)
    text = set_aside(remainder.text)
    if text.startswith("\ufeff"):
        text = f" {text[1:]}"
    lines = list(read_lines(text, source, most))
    is_there, has_cut = any(map(_is_command_like, lines)), is_cut(text, lines, finish_reason)
    cut = start_of_last_line(text) if has_cut else len(text)
    if has_cut:
        lines = list(read_lines(text[:cut], source, most))
    told = in_order([*notes, *(one for line in lines for one in line.found), *remainder.diagnose(source)])
    if has_cut:
        told.append(name_cut(source, cut, is_allowed=allow_truncated))
    listed = Findings(limits.max_findings)
    listed.extend(told)
    read = [(line.command, source.span(line.start, line.end)) for line in lines if line.command is not None]
    return CommandScan(
        [command for command, _ in read],
        [span for _, span in read],
        listed.close(),
        tuple(_find_remarks(source, text, lines)),
        source,
        reach_verdict(find_holds(told, most), is_there=is_there),
        most,
        truncated=has_cut,
    )


def _find_remarks(source: Source, text: str, lines: list[CommandLine]) -> Iterator[Remark]:
    ends = [0, *(line.end for line in lines if _is_command_like(line))]
    starts = [*(line.start for line in lines if _is_command_like(line)), len(source.text)]
    for remark in find_remarks(source, text, zip(ends, starts, strict=True)):
        if PLAN_DIALECT.terminal("FENCE").fullmatch(remark.text) is None:
            yield remark


# ---------------------------------------------------------------- lines


@frozen
class CommandLine:
    """A line of an answer; that of a command with its detail.

    Attributes:
        command: what it says; None where it is no command.
        text: it, without white space around.
        start, end: its bounds.
        found: what is wrong with it. A line that begins like a command and is none has an error.
    """

    command: PlanCommand | None
    text: str
    start: int
    end: int
    found: tuple[Diagnostic, ...] = ()


def _is_command_like(line: CommandLine) -> bool:
    return line.command is not None or bool(line.found)


def read_lines(text: str, source: Source, max_risk: Risk = Risk.MEDIUM) -> Iterator[CommandLine]:
    """All lines of an answer, those of a command as one.

    Args:
        text: the answer without its reasoning, so that places are those of ``source``.
        source: the answer.
        max_risk: the highest risk with which a line is read.
    """
    text = end_last_line(text)
    has_markers = any(marker in text for marker in _MARKERS)
    known: dict[str, CommandLine] = {}
    behind = 0
    for one, start, end in split_commands(text):
        if start < behind:
            # It is detail of the line above.
            continue
        line = CommandLine(one if isinstance(one, PlanCommand) else None, text[start:end], start, end)
        if line.command is None and (reading := read_line(line.text)) is not None:
            line, behind = _read_dialect(line, reading, text, source, max_risk)
        if line.command is not None:
            first = known.setdefault(repr(line.command), line)
            if line.command.op == "ADD" and first is not line and (first.found or line.found):
                line = _refuse_again(line, first, source)
        elif has_markers and line.text.startswith(_MARKERS):
            line = _look_for_marker(line, source)
        yield line


def _refuse_again(line: CommandLine, first: CommandLine, source: Source) -> CommandLine:
    """The line without its command: what a list shows and a code block repeats is meant once."""
    message = f"duplicate command, first seen in line {source.position(first.start)[0]}"
    return evolve(line, command=None, found=(_fault("PC107", message, line, source, "remove one of the two"),))


def _look_for_marker(line: CommandLine, source: Source) -> CommandLine:
    if PLAN_DIALECT.terminal("CONFLICT").fullmatch(line.text) is None:
        return line
    message, help = "a conflict marker of a merge that was not resolved", "keep one of the two versions"
    return evolve(line, found=(*line.found, _fault(CONFLICT, message, line, source, help)))


def _fault(code: str, message: str, line: CommandLine, source: Source, help: str) -> Diagnostic:
    return Diagnostic(code, message, Severity.ERROR, source.span(line.start, line.end), help=help, source=source)


def _read_dialect(
    line: CommandLine, reading: CommandReading, text: str, source: Source, max_risk: Risk
) -> tuple[CommandLine, int]:
    """What a line says that begins like a command, with its detail; and where the lines behind that begin."""
    end = text.index("\n", line.end) + 1
    if reading.is_quoted and reading.has_detail and _QUOTED.match(text, end):
        message = "the lines below may be quoted as this one is, or be its detail"
        return evolve(line, found=(_fault("PC107", message, line, source, "write it without the quote"),)), end
    detail = _DETAIL.match(text, end) if reading.has_detail else None
    rows = [reading.text] if reading.text else None
    found = report(source, line.start, line.end, reading.deviations, rows)
    told = tuple(_weigh(one, max_risk) for one in found)
    if any(one.severity is Severity.ERROR for one in told):
        return evolve(line, found=told), detail.end() if detail else end
    read = read_command(f"{reading.text}\n{detail[0] if detail else ''}", 0)
    assert read is not None, "what is repaired is a command"
    command, length = read
    behind = end + length - len(reading.text) - 1
    # The indentation of the line after it is passed over as well.
    last = text[line.start : text.rindex("\n", line.start, behind)].removesuffix("\r")
    return evolve(line, command=command, found=told, end=line.start + len(last) if command.detail else line.end), behind


def _weigh(found: Diagnostic, max_risk: Risk) -> Diagnostic:
    """A finding about a part of a line: a warning where that part is read, whatever others are."""
    if found.risk is None:
        return found
    severity = Severity.INFO if found.severity is Severity.INFO else Severity.WARNING
    return next(iter(find_holds([repaired := evolve(found, severity=severity)], max_risk)), repaired)


# ---------------------------------------------------------------- the whole answer


def is_cut(text: str, lines: list[CommandLine], finish_reason: str) -> bool:
    """Whether an answer was cut off: by a limit, in a code block with commands, or in the last command."""
    ended = text.rstrip(_WHITE)
    last = max((line.end for line in lines if _is_command_like(line)), default=-1)
    starts = [line.start for line in lines]

    def is_detail(sign: re.Match[str]) -> bool:
        at = bisect_left(starts, sign.start())
        return at > 0 and sign.start() < lines[at - 1].end

    is_open = any(not fence.is_closed and fence.start < last for fence in find_fences(text, is_detail))
    return bool(ended) and (is_cut_short(finish_reason) or is_open or (last >= len(ended) and has_open_end(ended)))


def _find_in_json(source: Source) -> tuple[list[str], tuple[Remark, ...]]:
    """The different strings with commands in the JSON value that an answer is, and all text beside them."""
    text = source.text
    try:
        value, start, end = find_json(text if "PLAN_CMD" in text else "")
    except ValueError:
        return [], ()
    strings = list(iter_strings(value))
    said = [one for one in dict.fromkeys(strings) if _has_command(one)]
    if not said or _has_command(text[:start]) or _has_command(text[end:]):
        return [], ()
    return said, find_beside(source, start, end, strings, said)


def _has_command(text: str) -> bool:
    return "cmd" in text.lower() and any(read_line(row.strip(f"{BLANKS}\r")) for row in text.split("\n"))
