"""JSON text → value, with the place of everything in it: strictly, or as far as there is an object in any text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Any

from planspec_lark.json_text import fast_reader
from planspec_lark.json_text.findings import word_of
from planspec_lark.json_text.models import MISSING, JsonText, ValueNode
from planspec_lark.json_text.value_reader import DIALECT, JsonInput, ValueReader
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.fences import FENCE, FENCES
from planspec_lark.syntax.limits import NO_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import ReasoningBlock, Remainder, blank, has_tags, leave_out_reasoning
from planspec_lark.syntax.source import Source

__all__ = ["JSON_LIMITS", "read_json", "scan_json"]

JSON_LIMITS = Limits(max_bytes=1_000_000, max_depth=64, max_findings=1000)

_EXAMPLE = ('an object such as `{"key": "value"}`',)
_BLANKS = " \t\r\n"
_FENCE = re.compile(rf"({FENCE}[^\r\n]*)")


def read_json(text: str, *, name: str = "<text>", limits: Limits = JSON_LIMITS, allow_list: bool = False) -> JsonText:
    """Read a text that has to be one JSON object and nothing else. Never raises on any text.

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
    return _read(text, name, limits, allow_list=allow_list)


def scan_json(
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = JSON_LIMITS,
    prefer: Callable[[Any], bool] | None = None,
) -> JsonText:
    """Read as much of an object as a text has, such as a language model's answer. Never raises on any text.

    What is not as it should be is repaired where its meaning is plain. Diagnostics have the codes of :func:`read_json`:
    a warning for a repair, an info for what is no part of the object, an error for what was lost. Nothing is made up: a
    value that cannot be known is left out with its key. Of a key that comes twice the first value counts. An object
    that is cut off is closed where it ends.

    What is in a reasoning block (see :mod:`planspec_lark.syntax.reasoning`) is no answer. Where a text holds
    several objects, one that ``prefer`` likes counts before others, one with members before an empty one, then the one
    that has lost least, and the first.

    Args:
        text: any text.
        name: what diagnostics call it.
        limits: how much to read and to report. An object that is too deep has no value.
        prefer: whether an object is of the kind that is looked for. Two that are and differ are an error, as nobody
            knows which one is meant.
    """
    return _read(text, name, limits, is_strict=False, prefer=prefer)


def _read(text: str, name: str, limits: Limits, *, allow_list: bool = False, **how: Any) -> JsonText:
    if excess := find_excess(text, name, limits):
        assert excess.source is not None
        return JsonText(MISSING, [excess], excess.source)
    # A text without faults holds no reasoning: a tag in it is part of a string.
    value = fast_reader.read(text, limits.max_depth)
    source = Source(text, name)
    if isinstance(value, dict) or (allow_list and isinstance(value, list)):
        return JsonText(value, [], source, find_root=partial(_find_root, source))
    return _read_slowly(source, limits, value, allow_list=allow_list, **how)


def _read_slowly(
    source: Source,
    limits: Limits,
    value: Any = MISSING,
    *,
    is_strict: bool = True,
    allow_list: bool = False,
    **how: Any,
) -> JsonText:
    """Read a text that has faults, or is another value than an object."""
    blocks = _find_blocks(source, limits)
    given = JsonInput(blank(source.text, blocks), source, limits, is_strict)
    reading = _Reading(given, Remainder(source.text, blocks).diagnose(source, is_strict=is_strict))
    if is_strict and value is not MISSING:
        return reading.refuse(value)
    return reading.run(value, allow_list=allow_list, **how)


def _find_root(source: Source) -> ValueNode | None:
    given = JsonInput(source.text, source, NO_LIMITS, is_strict=True)
    return ValueReader(given, _find_start(source.text)).run().builder.root


def _find_start(text: str) -> int:
    lead = grammars.pattern("json_text", "LEAD").match(text)
    return lead.end() if lead else 0


def _find_blocks(source: Source, limits: Limits) -> tuple[ReasoningBlock, ...]:
    """The reasoning in a text. A tag inside of an object that is whole does not count: it is in a string."""
    text = source.text
    if not has_tags(text):
        return ()
    objects = [one for one in _find_objects(JsonInput(text, source, limits, is_strict=False)) if one.is_intact]
    starts = [one.start for one in objects]

    def hold(offset: int) -> bool:
        at = bisect_right(starts, offset) - 1
        return at >= 0 and offset < objects[at].end

    return leave_out_reasoning(text, hold).blocks


def _find_objects(given: JsonInput, *, allow_list: bool = False) -> list[ValueReader]:
    """The objects of a text, or the list that it may begin with. One that does not look like it has to be in front."""
    text, at = given.text, _find_start(given.text)
    found: list[ValueReader] = []
    if allow_list and text.startswith("[", at):
        return [ValueReader(given, at).run()]
    if DIALECT.terminal("BRACE").match(text, at):
        found.append(ValueReader(given, at).run())
    found += _find_all(given, "LIKELY", found[0].end if found else at)
    # A brace of which nothing could be read was only a brace.
    return found or [one for one in _find_all(given, "BRACE", at) if one.value or not one.losses]


def _find_all(given: JsonInput, terminal: str, at: int) -> list[ValueReader]:
    found = []
    while given.faults_left > 0 and (match := DIALECT.terminal(terminal).search(given.text, at)):
        found.append(ValueReader(given, match.start()).run())
        at = found[-1].end
    return found


class _Reading:
    """The object that is meant in a text, and what is found beside it.

    Args:
        given: the text.
        left_out: what is known of it already.
    """

    def __init__(self, given: JsonInput, left_out: list[Diagnostic]) -> None:
        self._given = given
        self._start = _find_start(given.text)
        self._left_out = left_out
        self._found = Findings(given.limits.max_findings)

    def run(self, value: Any, *, allow_list: bool, prefer: Callable[[Any], bool] | None = None) -> JsonText:
        """The object that is meant, or the list where it may be one."""
        objects = _find_objects(self._given, allow_list=allow_list)
        if not objects:
            return self.refuse(value)
        best = _choose(objects, prefer)
        self._found.extend(best.findings)
        at = self._start
        for one in objects:
            self._note_text(at, one.start)
            if one is not best:
                self._note_other(one, best, is_rival=prefer is not None and prefer(one.value))
            at = one.end
        self._note_text(at, len(self._given.text))
        return self._close(MISSING if best.is_too_deep else best.value, best.builder.root)

    def refuse(self, value: Any) -> JsonText:
        """A text without an object, which may be another value."""
        text, source = self._given.text, self._given.source
        if value is not MISSING:
            code, message = "PJ105", f"expected an object at the top level, not {word_of(value)}"
            end = self._start + 1 if isinstance(value, list) else len(text.rstrip(_BLANKS))
        else:
            is_empty = not source.text.removeprefix("\ufeff").strip(_BLANKS)
            code, message = "PJ101", "the text is empty" if is_empty else "the text has no JSON object"
            end = self._start
        span = source.span(self._start, end)
        self._found.add(Diagnostic(code, message, span=span, expected=_EXAMPLE, source=source))
        return self._close(MISSING, None)

    def _close(self, value: Any, root: ValueNode | None) -> JsonText:
        self._found.extend(self._left_out)
        return JsonText(value, self._found.close(), self._given.source, root)

    # ---------------------------------------------------------------- what is around the object

    def _note(self, code: str, message: str, start: int, end: int, severity: Severity = Severity.INFO) -> None:
        """Note what is no part of the object; but for another one, it can just be removed."""
        source = self._given.source
        span = source.span(start, end)
        help, fix = ("remove one of them", None) if code == "PJ104" else ("remove it", Fix(span, ""))
        severity = Severity.ERROR if self._given.is_strict else severity
        self._found.add(Diagnostic(code, message, severity, span, (), help, fix, source=source))

    def _note_other(self, one: ValueReader, best: ValueReader, *, is_rival: bool) -> None:
        if is_rival and one.value != best.value:
            lines = sorted(self._given.source.position(start)[0] for start in (one.start, best.start))
            message = "two different objects, in lines {:,} and {:,}: which one counts?".format(*lines)
            self._note("PJ104", message, one.start, one.end, Severity.ERROR)
        else:
            self._note("PJ104", "a second object is left out: only one counts", one.start, one.end)

    def _note_text(self, start: int, end: int) -> None:
        """Note what is not an object: code fences, and what is between them."""
        side = "after" if start > self._start else "before"
        for piece in _FENCE.split(self._given.text[start:end]):
            bare = piece.strip(_BLANKS)
            at, start = start + piece.index(bare), start + len(piece)
            code, message, severity = "PJ102", f"other text {side} the object", Severity.INFO
            if bare.startswith(FENCES):
                code, message = "PJ103", "a code fence is not allowed in JSON"
            elif DIALECT.terminal("REMARKS").fullmatch(bare):
                code, message = "PJ117", "a comment is not allowed in JSON"
            elif bare in {"[", "]"}:
                # A list around the object is a part of it that was left out.
                code, message, severity = "PJ105", "the object is in a list", Severity.WARNING
            if bare:
                self._note(code, message, at, at + len(bare), severity)


def _choose(objects: list[ValueReader], prefer: Callable[[Any], bool] | None) -> ValueReader:
    """The object that is meant: preferred, not empty, with the fewest losses, the first; in this order."""
    wanted = prefer or bool
    return min(
        objects,
        key=lambda one: (one.is_too_deep, not one.is_too_deep and not wanted(one.value), not one.value, one.losses),
    )
