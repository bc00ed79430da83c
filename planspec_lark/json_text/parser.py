"""JSON text → value, with the place of everything in it: strictly, or as far as there is an object in any text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from planspec_lark.json_text import fast_reader
from planspec_lark.json_text.models import MISSING, JsonText, ValueNode
from planspec_lark.json_text.tokens import TokenFault, token_pattern
from planspec_lark.json_text.value_reader import JsonInput, ValueReader
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.fences import FENCE, FENCES
from planspec_lark.syntax.limits import NO_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import ReasoningBlock, Remainder, blank, has_tags, leave_out_reasoning
from planspec_lark.syntax.source import Source

__all__ = ["JSON_LIMITS", "read_json", "scan_json"]

JSON_LIMITS = Limits(max_bytes=1_000_000, max_depth=64, max_findings=1000)

_KINDS = {"OPEN_ARRAY": "a list", "STRING": "a text", "NUMBER": "a number", "LITERAL": "a word"}
_EXAMPLE = ('an object such as `{"key": "value"}`',)
_BLANKS = " \t\r\n"
# What begins like an object with members, or is an empty one.
_LIKELY = re.compile(r"[{｛](?=[ \t\r\n]*+(?:[\"'“”„‘’`}｝]|//|/\*|[^\W\d][\w$\-]{0,60}[ \t]*[:：]))")
_BRACE = re.compile(r"[{｛]")
_COMMENTS = re.compile(r"(?:(?://[^\r\n]*|/\*(?:[^*]|\*(?!/))*+\*/)[ \t\r\n]*)++")
# An escape, or a string, which goes no further than its line.
_ESCAPE_OR_STRING = re.compile(r'\\.|"(?:\\.|[^"\\\n]|\\(?=\n|\Z))*+"?')
_FENCE = re.compile(rf"({FENCE}[^\r\n]*)")


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
    return _read(text, name, limits, starts="{[" if allow_list else "{")


def scan_json(
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = JSON_LIMITS,
    prefer: Callable[[Any], bool] | None = None,
    one_only: bool = False,
) -> JsonText:
    """Read the object in a text, such as a language model's answer, as far as there is one. Never raises on any text.

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
        prefer: whether an object is of the kind that is looked for.
        one_only: whether two of that kind that differ are an error, as nobody knows which one is meant.
    """
    return _read(text, name, limits, starts="", prefer=prefer, one_only=one_only)


def _read(text: str, name: str, limits: Limits, starts: str, **how: Any) -> JsonText:
    """Read strictly what begins with one of the brackets ``starts``; without these, an object anywhere."""
    if excess := find_excess(text, name, limits):
        assert excess.source is not None
        return JsonText(MISSING, [excess], excess.source)
    # A text without faults holds no reasoning: a tag in it is part of a string.
    value = fast_reader.read(text, starts=starts or "{", max_depth=limits.max_depth)
    source = Source(text, name)
    if value is not None:
        return JsonText(value, [], source, find_root=partial(_find_root, source))
    return _read_slowly(source, limits, starts=starts, **how)


def _read_slowly(
    source: Source,
    limits: Limits,
    *,
    starts: str,
    prefer: Callable[[Any], bool] | None = None,
    one_only: bool = False,
) -> JsonText:
    """Read a text that has faults."""
    blocks = _find_blocks(source, limits)
    given = JsonInput(blank(source.text, blocks), source, limits, is_strict=bool(starts))
    reading = _Reading(given, prefer if one_only else None)
    return reading.run(starts, prefer, Remainder(source.text, blocks).diagnose(source, is_strict=bool(starts)))


def _find_root(source: Source) -> ValueNode | None:
    given = JsonInput(source.text, source, NO_LIMITS, is_strict=True)
    return ValueReader(given, _find_start(source.text)).run().builder.root


def _find_start(text: str) -> int:
    lead = grammars.pattern("json_text", "LEAD").match(text)
    return lead.end() if lead else 0


def _find_blocks(source: Source, limits: Limits) -> tuple[ReasoningBlock, ...]:
    """The reasoning in a text. A tag in a string of an object does not count, so the objects are found first."""
    text = source.text
    if not has_tags(text):
        return ()
    reading = _Reading(JsonInput(text, source, limits, is_strict=False))
    found = [reading.read(reading.start)] if text.startswith("[", reading.start) else []
    found += reading.find(found[0].end if found else reading.start)
    return leave_out_reasoning(text, _find_strings(text, found)).blocks


def _find_strings(text: str, objects: list[ValueReader]) -> Callable[[int, bool], bool]:
    """Whether a tag at an offset is part of a string rather than the beginning, or in a block the end, of reasoning.

    Inside an object of which nothing is lost, that is anywhere: it holds no other text. In others quotes are counted,
    but not where a block is open, as such an object may just be a draft that continues after it.
    """
    starts = [one.start for one in objects]
    strings = [
        match.span()
        for one in objects
        if not one.is_intact
        for match in _ESCAPE_OR_STRING.finditer(text, one.start, one.end)
        if match[0].startswith('"')
    ]

    def hold(offset: int, is_in_block: bool) -> bool:
        at = bisect_right(starts, offset) - 1
        if at < 0 or offset >= objects[at].end:
            return False
        if is_in_block or objects[at].is_intact:
            return objects[at].is_intact
        nearest = bisect_right(strings, (offset, 0)) - 1
        return nearest >= 0 and offset < strings[nearest][1]

    return hold


class _Reading:
    """The objects of a text, read one after the other.

    Attributes:
        given: the text.
        start: where its first sign is.
        found: what is found beside the objects.
    """

    def __init__(self, given: JsonInput, is_rival: Callable[[Any], bool] | None = None) -> None:
        self.given = given
        # Which objects are not left out in silence where they differ from the one that counts.
        self._is_rival = is_rival
        self.start = _find_start(given.text)
        self.found = Findings(given.limits.max_findings)

    def run(self, starts: str, prefer: Callable[[Any], bool] | None, left_out: list[Diagnostic]) -> JsonText:
        """The object that is meant, or the list where it may be one."""
        text, source = self.given.text, self.given.source
        is_list = "[" in starts and text.startswith("[", self.start)
        other = self._find_other_kind() if starts and not is_list else None
        objects = [] if other else [self.read(self.start)] if is_list else self.find(self.start)
        best = None
        if objects:
            best = _choose(objects, prefer)
            self.found.extend(best.findings)
            self._note_rest(objects, best)
        elif other := other or self._find_other_kind():
            self._note(other, Severity.ERROR)
        else:
            is_empty = not source.text.removeprefix("\ufeff").strip(_BLANKS)
            message = "the text is empty" if is_empty else "the text has no JSON object"
            fault = TokenFault("PJ101", message, self.start, self.start, expected=_EXAMPLE)
            return JsonText(MISSING, in_order([*left_out, fault.diagnose(Severity.ERROR, source)]), source)
        self.found.extend(left_out)
        if best is None or best.is_too_deep:
            return JsonText(MISSING, self.found.close(), source)
        return JsonText(best.value, self.found.close(), source, best.builder.root)

    def read(self, at: int) -> ValueReader:
        """Read the value that begins there."""
        return ValueReader(self.given, at).run()

    def find(self, start: int) -> list[ValueReader]:
        """All objects from there on; an object has to begin right there, or to look like one."""
        known = [self.read(start)] if _BRACE.match(self.given.text, start) else []
        found = [*known, *self._find(_LIKELY, known[0].end if known else start)]
        # A brace of which nothing could be read was only a brace.
        return found or [one for one in self._find(_BRACE, start) if one.value or not one.losses]

    def _find(self, pattern: re.Pattern[str], at: int) -> Iterator[ValueReader]:
        while self.given.faults_left > 0 and (match := pattern.search(self.given.text, at)):
            reader = self.read(match.start())
            yield reader
            at = reader.end

    def _find_other_kind(self) -> TokenFault | None:
        """What is wrong with a text that is a JSON value and no object."""
        text = self.given.text
        match = token_pattern().match(text, self.start)
        kind = (match and match.lastgroup) or ""
        if match is None or kind not in _KINDS:
            return None
        end = match.end()
        if kind == "OPEN_ARRAY":
            reader = self.read(self.start)
            if not (reader.is_whole or reader.is_too_deep) or text[reader.end :].strip(_BLANKS):
                return None
            self.found.extend(reader.findings)
            end = self.start + 1
        elif end != len(text):
            return None
        message = f"expected an object at the top level, not {_KINDS[kind]}"
        return TokenFault("PJ105", message, self.start, end, expected=_EXAMPLE, is_loss=True)

    # ---------------------------------------------------------------- what is around the object

    def _note(self, fault: TokenFault, severity: Severity = Severity.INFO) -> None:
        severity = Severity.ERROR if self.given.is_strict else severity
        self.found.add(fault.diagnose(severity, self.given.source))

    def _note_rest(self, objects: list[ValueReader], best: ValueReader) -> None:
        """Report all that does not belong to the best object."""
        at = self.start
        for one in objects:
            self._note_text(at, one.start)
            if one is not best:
                message, severity = "a second object is left out: only one counts", Severity.INFO
                if self._is_rival is not None and self._is_rival(one.value) and one.value != best.value:
                    lines = sorted(self.given.source.position(start)[0] for start in (one.start, best.start))
                    message = "two different objects, in lines {:,} and {:,}: which one counts?".format(*lines)
                    severity = Severity.ERROR
                self._note(TokenFault("PJ104", message, one.start, one.end, help="remove one of them"), severity)
            at = one.end
        self._note_text(at, len(self.given.text))

    def _note_text(self, start: int, end: int) -> None:
        """Report what is not an object: code fences, and what is between them."""
        side = "after" if start > self.start else "before"
        for piece in _FENCE.split(self.given.text[start:end]):
            bare = piece.strip(_BLANKS)
            at, start = start + piece.index(bare), start + len(piece)
            end, help = at + len(bare), "remove it"
            if bare.startswith(FENCES):
                self._note(TokenFault("PJ103", "a code fence is not allowed in JSON", at, end, help=help, fix=""))
            elif _COMMENTS.fullmatch(bare):
                self._note(TokenFault("PJ117", "a comment is not allowed in JSON", at, end, help=help, fix=""))
            elif bare in {"[", "]"}:
                # A list around the object is a part of it that was left out.
                message, help = "the object is in a list", "remove the brackets"
                self._note(TokenFault("PJ105", message, at, end, help=help, fix=""), Severity.WARNING)
            elif bare:
                self._note(TokenFault("PJ102", f"other text {side} the object", at, end, help=help, fix=""))


def _choose(objects: list[ValueReader], prefer: Callable[[Any], bool] | None) -> ValueReader:
    """The object that is meant: preferred, not empty, with the fewest losses, the first; in this order."""

    def rank(one: ValueReader) -> tuple[bool, bool, bool, int]:
        is_wanted = prefer is None or one.is_too_deep or prefer(one.value)
        return one.is_too_deep, not is_wanted, not one.value, one.losses

    return min(objects, key=rank)
