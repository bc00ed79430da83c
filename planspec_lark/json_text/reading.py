"""JSON text → value, with the place of everything in it: strictly, or as far as there is an object in any text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from planspec_lark.json_text import fast_reader
from planspec_lark.json_text.finding import Attempt, Finder, Strings, choose, to_diagnostic
from planspec_lark.json_text.flaws import Flaw
from planspec_lark.json_text.models import MISSING, JsonText
from planspec_lark.json_text.nodes import Nodes
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.limits import NO_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import Block, Remainder, blank, has_tags, leave_out_reasoning
from planspec_lark.syntax.source import Source

__all__ = ["JSON_LIMITS", "read_json", "scan_json"]

JSON_LIMITS = Limits(max_bytes=1_000_000, max_depth=64, max_findings=1000)

_KINDS = {"OPEN_ARRAY": "a list", "STRING": "a text", "NUMBER": "a number", "LITERAL": "a word"}


def read_json(text: str, *, name: str = "<text>", limits: Limits = JSON_LIMITS, allow_list: bool = False) -> JsonText:
    """Read a text that has to be one JSON object, with nothing around it but white space. Never raises on any text.

    Whatever JSON forbids is an error, and so are a key that comes twice, a lone surrogate, a number beyond the range of
    floats, and an integer of more than 400 digits. A byte-order mark in front is accepted. The value is what could be
    read in spite of the errors, as :func:`scan_json` has it; with no error it is what every reader of JSON makes of the
    text.

    Args:
        text: any text.
        name: what diagnostics call it.
        limits: how much to read and to report. A text that is too long or too deep has no value.
        allow_list: whether the text may be a list as well.
    """
    return _read(text, name, limits, starts="{[" if allow_list else "{", prefer=None)


def scan_json(
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = JSON_LIMITS,
    prefer: Callable[[Any], bool] | None = None,
) -> JsonText:
    """Read the object in a text, such as a language model's answer, as far as there is one. Never raises on any text.

    What is not as it should be is repaired where its meaning is plain. Diagnostics have the codes of :func:`read_json`:
    a warning for a repair, an info for what is no part of the object, an error for what was lost. Nothing is made up: a
    value that cannot be known is left out with its key. Of a key that comes twice the first value counts. An object
    that is cut off is closed where it ends.

    What stands in a reasoning block (see :mod:`planspec_lark.syntax.reasoning`) is no answer. Where a text holds
    several objects, one that ``prefer`` likes counts before others, one with members before an empty one, then the one
    that has lost least, and the first.

    Args:
        text: any text.
        name: what diagnostics call it.
        limits: how much to read and to report. An object that is too deep has no value.
        prefer: whether an object is of the kind that is looked for.
    """
    return _read(text, name, limits, starts="", prefer=prefer)


def _read(text: str, name: str, limits: Limits, *, starts: str, prefer: Callable[[Any], bool] | None) -> JsonText:
    """Read strictly what begins with one of the brackets ``starts``; without these, an object anywhere."""
    if excess := find_excess(text, name, limits):
        assert excess.source is not None
        return JsonText(MISSING, [excess], excess.source, Nodes())
    # A text that is right holds no reasoning: a tag in it stands in a string.
    value = fast_reader.read(text, starts=starts or "{", max_depth=limits.max_depth)
    source = Source(text, name)
    if value is not None:
        return JsonText(value, [], source, None, partial(_find_nodes, source, starts))
    return _read_slowly(source, limits, starts=starts, prefer=prefer)


def _find_nodes(source: Source, starts: str) -> Nodes:
    return _read_slowly(source, NO_LIMITS, starts=starts, prefer=None).nodes


def _read_slowly(source: Source, limits: Limits, *, starts: str, prefer: Callable[[Any], bool] | None) -> JsonText:
    """Read a text that has faults, or the places of whose values are asked for."""
    blocks = _find_blocks(source, limits)
    text = blank(source.text, blocks)
    finder = Finder(Source(text, source.name), limits, is_strict=bool(starts), shown=source)
    left_out = Remainder(text, blocks).diagnose(source, is_strict=bool(starts))
    start = _find_start(text)
    is_list = "[" in starts and text.startswith("[", start)
    if starts and not is_list and (other := _read_other_kind(finder, start, left_out)):
        return other
    attempts = [finder.read(start)] if is_list else finder.find(start)
    if not attempts:
        return _read_other_kind(finder, start, left_out) or _read_nothing(source, start, left_out)
    best = choose(attempts, prefer)
    found = Findings(limits.max_findings)
    found.extend(best.findings)
    finder.note_rest(attempts, best, start, found)
    found.extend(left_out)
    return _finish(best, found, source)


def _find_start(text: str) -> int:
    lead = grammars.pattern("json_text", "LEAD").match(text)
    return lead.end() if lead else 0


def _find_blocks(source: Source, limits: Limits) -> tuple[Block, ...]:
    """The reasoning in a text. A tag in a string of an object is none, so the objects have to be known for that."""
    if not has_tags(source.text):
        return ()
    finder, start = Finder(source, limits, is_strict=False), _find_start(source.text)
    attempts = [finder.read(start)] if source.text.startswith("[", start) else []
    attempts += finder.find(attempts[0].walk.end if attempts else start)
    return leave_out_reasoning(source.text, Strings(source.text, attempts).hold).blocks


def _finish(best: Attempt, found: Findings, source: Source) -> JsonText:
    walk = best.walk
    if walk.is_too_deep:
        return JsonText(MISSING, found.close(), source, Nodes())
    return JsonText(best.value, found.close(), source, walk.builder.nodes)


def _read_nothing(source: Source, start: int, left_out: list[Diagnostic]) -> JsonText:
    message = "there is no JSON object in the text" if source.text[_find_start(source.text) :] else "the text is empty"
    flaw = Flaw("PJ101", message, start, start, expected=('an object such as `{"key": "value"}`',), is_loss=True)
    found = in_order([*left_out, to_diagnostic(flaw, Severity.ERROR, source)])
    return JsonText(MISSING, found, source, Nodes())


def _read_other_kind(finder: Finder, start: int, left_out: list[Diagnostic]) -> JsonText | None:
    """The result for a text that is a JSON value and no object."""
    text = finder.source.text
    match = grammars.regular("json_text").tokens("token").match(text, start)
    kind = (match and match.lastgroup) or ""
    if match is None or kind not in _KINDS:
        return None
    found = Findings(finder.limits.max_findings)
    end = match.end()
    if kind == "OPEN_ARRAY":
        attempt = finder.read(start)
        is_read = attempt.walk.is_whole or attempt.walk.is_too_deep
        if not is_read or text[attempt.walk.end :].strip(" \t\r\n"):
            return None
        found.extend(attempt.findings)
        end = start + 1
    elif end != len(text):
        return None
    message = f"the top level is {_KINDS[kind]}, and has to be an object"
    flaw = Flaw("PJ105", message, start, end, expected=('an object such as `{"key": "value"}`',), is_loss=True)
    found.add(to_diagnostic(flaw, Severity.ERROR, finder.shown))
    found.extend(left_out)
    return JsonText(MISSING, found.close(), finder.shown, Nodes())
