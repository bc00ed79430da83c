"""Text → commands: the lines that start with ``PLAN_CMD:`` in any text, such as a language model's answer.

The LALR parser and :mod:`planspec_lark.plan_cmd.transformer` define what a command means. By default a pattern made
from the same grammar reads it, with the same result. :mod:`planspec_lark.plan_cmd.dialect` explains the lines that
these refuse.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

from planspec_lark.plan_cmd.dialect import read_line
from planspec_lark.plan_cmd.models import PlanCommand, build_command, command_pattern
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, shorten
from planspec_lark.syntax.limits import check_is_text
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.recovery import report
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import Source, end_last_line

__all__ = ["parse_plan_commands", "read_command", "split_commands"]

_LOG = logging.getLogger("planspec_lark")
# A line, and those after it that may be its detail.
_LINES = re.compile(r"[^\n]*\n(?:[ \t]*+>[^\n]*\n)*+")


def parse_plan_commands(text: str, *, accelerate: bool = True) -> list[PlanCommand]:
    """Find the commands in a text, and skip all other lines.

    Nothing in a reasoning block (see :mod:`planspec_lark.syntax.reasoning`) is a command. Such blocks, and lines that
    begin like commands, are logged at level DEBUG by the logger ``planspec_lark``;
    :func:`planspec_lark.scan_plan_commands` reports them.

    Args:
        accelerate: as for :func:`planspec_lark.parse_plan`.
    """
    check_is_text(text)
    remainder = leave_out_reasoning(text)
    # It takes time to find out what a skipped line was meant to be.
    if _LOG.isEnabledFor(logging.DEBUG):
        source = Source(text)
        for found in (*_diagnose_lines(remainder.text, source), *remainder.diagnose(source)):
            line = found.line or 1
            shown = shorten(one_line(source.line(line)))
            _LOG.debug("line %d skipped: %s %s: %s", line, found.code, one_line(found.message), shown)
    commands = split_commands(remainder.text, accelerate=accelerate)
    return [command for command, _, _ in commands if isinstance(command, PlanCommand)]


def _diagnose_lines(text: str, source: Source) -> Iterator[Diagnostic]:
    for one, start, end in split_commands(text):
        if isinstance(one, str) and (reading := read_line(one)):
            yield from report(source, start, end, reading.deviations, [reading.text] if reading.text else None)


def split_commands(text: str, *, accelerate: bool = True) -> Iterator[tuple[PlanCommand | str, int, int]]:
    """The commands of a text, and all other lines without surrounding white space; each with its bounds.

    Args:
        text: any text, without its reasoning.
        accelerate: as for :func:`parse_plan_commands`.
    """
    read = read_command if accelerate else _read_tree
    text = end_last_line(text)
    starts_command = grammars.pattern("plan_cmd", "PREFIX").match
    # A byte-order mark is no part of the first line.
    at = int(text.startswith("\ufeff"))
    while at < len(text):
        found = read(text, at) if starts_command(text, at) else None
        if found is None:
            end = text.index("\n", at) + 1
            line = text[at : end - 1].removesuffix("\r").strip(BLANKS)
            start = text.index(line, at)
            yield line, start, start + len(line)
        else:
            command, end = found
            lines = text[at : text.rindex("\n", at, end)].removesuffix("\r")
            # White space at the end of detail is part of that.
            lines = lines if command.detail else lines.rstrip(BLANKS)
            yield command, text.index("PLAN_CMD:", at), at + len(lines)
        at = end


def read_command(text: str, at: int) -> tuple[PlanCommand, int] | None:
    """The command that starts there and where it ends, by the pattern."""
    match = command_pattern("command").match(text, at)
    if match is None:
        return None
    # The name of a group is that of its terminal, after the rule of its verb.
    tokens = {name.partition("_")[2]: value for name, value in match.groupdict().items() if value}
    detail = command_pattern("_detail").finditer(tokens.get("_detail", ""))
    return build_command(tokens, [line["DETAIL"] for line in detail]), match.end()


def _read_tree(text: str, at: int) -> tuple[PlanCommand, int] | None:
    """The same, with the tree and the transformer."""
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415  (slow, and mostly not needed)

    from planspec_lark.plan_cmd.transformer import CommandTransformer  # noqa: PLC0415

    parse = grammars.parser("plan_cmd").parse
    lines = _LINES.match(text, at)
    assert lines is not None, "the last line is ended"
    end = lines.end()
    try:
        tree = parse(text[at:end], start="command")
    except UnexpectedInput as error:
        # The lines before the one that is refused may be a command by themselves.
        end = text.rfind("\n", at, at + (error.pos_in_stream or 0)) + 1
        if not end:
            return None
        tree = parse(text[at:end], start="command")
    return CommandTransformer().transform(tree), end
