"""Where in a text its objects are, which of them is meant, and what else there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from attrs import Factory, define, field, frozen

from planspec_lark.json_text.flaws import Flaw
from planspec_lark.json_text.near import NearMisses
from planspec_lark.json_text.walking import Walk
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.limits import Findings, Limits
from planspec_lark.syntax.source import Source

__all__ = ["Attempt", "Finder", "Strings", "choose", "to_diagnostic"]

_BLANKS = " \t\r\n"
# What begins like an object with members, or is an empty one.
_LIKELY = re.compile(r"[{｛](?=[ \t\r\n]*+(?:[\"'“”„‘’`}｝]|//|/\*|[^\W\d][\w$\-]{0,60}[ \t]*[:：]))")
_BRACE = re.compile(r"[{｛]")
# So many faults and objects of a text are looked at. Behind them it is only other text.
_MOST_FLAWS = 10_000
_COMMENTS = re.compile(r"(?:(?://[^\r\n]*|/\*(?:[^*]|\*(?!/))*+\*/)[ \t\r\n]*)++")
# An escape, a quote, or the end of a line, behind which no string goes on.
_STRING_SIGNS = re.compile(r'\\.|"|\n')
_FENCE = re.compile(r"(?:```|~~~)[^\r\n]*")


def to_diagnostic(flaw: Flaw, severity: Severity, source: Source, path: str = "") -> Diagnostic:
    """A flaw as a diagnostic."""
    fix = None if flaw.fix is None else Fix(source.span(*flaw.fix[:2]), flaw.fix[2])
    return Diagnostic(
        flaw.code,
        flaw.message,
        severity,
        source.span(flaw.start, flaw.end),
        flaw.expected,
        flaw.help,
        fix,
        path=path,
        source=source,
    )


@frozen
class Attempt:
    """A value that was read, and what is wrong with it."""

    walk: Walk
    findings: Findings

    @property
    def value(self) -> Any:
        """The value, as far as it could be read."""
        return self.walk.builder.values[0]

    @property
    def is_nothing(self) -> bool:
        """Whether a brace was only a brace."""
        return not self.value and bool(self.walk.losses)


@define
class Finder:
    """The objects of a text, read one after the other.

    Attributes:
        source: the text that is read.
        limits: how much to read.
        is_strict: whether all that is found is an error.
        shown: the text that findings show, where another was read: one as long, and with the same lines.
    """

    source: Source
    limits: Limits
    is_strict: bool
    shown: Source = field(default=Factory(lambda self: self.source, takes_self=True))
    _near: NearMisses = field(default=Factory(lambda self: NearMisses(self.source.text), takes_self=True), init=False)
    # A text is read in a time that its length bounds: each fault costs as much as many characters.
    _flaws_left: int = field(default=_MOST_FLAWS, init=False)

    def read(self, at: int) -> Attempt:
        """Read the value that begins there."""
        findings = Findings(self.limits.max_findings)

        def report(flaw: Flaw, path: str) -> None:
            severity = Severity.ERROR if self.is_strict or flaw.is_loss else Severity.WARNING
            findings.add(to_diagnostic(flaw, severity, self.shown, path))

        walk = Walk(self.source, self._near, at, report, self.limits.max_depth, max(self._flaws_left, 0))
        walk.run()
        self._flaws_left -= walk.flaws + 1
        return Attempt(walk, findings)

    def find(self, start: int) -> list[Attempt]:
        """All objects from there on; an object has to begin right there, or to look like one."""
        first = _BRACE.match(self.source.text, start)
        found = list(self._find(_LIKELY, start, [self.read(start)] if first else []))
        return found or [attempt for attempt in self._find(_BRACE, start, []) if not attempt.is_nothing]

    def _find(self, pattern: re.Pattern[str], start: int, known: list[Attempt]) -> Iterator[Attempt]:
        yield from known
        at = known[0].walk.end if known else start
        while self._flaws_left > 0 and (match := pattern.search(self.source.text, at)):
            attempt = self.read(match.start())
            yield attempt
            at = attempt.walk.end

    def note_rest(self, attempts: list[Attempt], best: Attempt, start: int, found: Findings) -> None:
        """Report all that does not belong to the best attempt."""
        severity = Severity.ERROR if self.is_strict else Severity.INFO
        at = start
        for attempt in attempts:
            walk = attempt.walk
            self._note_text(at, walk.start, severity, found, is_behind=at > start)
            if attempt is not best:
                message = "another object, which is left out: only one counts"
                flaw = Flaw("PJ104", message, walk.start, walk.end, help="leave one of them out")
                found.add(to_diagnostic(flaw, severity, self.shown))
            at = walk.end
        self._note_text(at, len(self.source.text), severity, found, is_behind=True)

    def _note_text(self, start: int, end: int, severity: Severity, found: Findings, *, is_behind: bool) -> None:
        text, at = self.source.text, start
        for match in _FENCE.finditer(text, start, end):
            self._note_prose(at, match.start(), severity, found, is_behind=is_behind)
            where = match.start(), match.start() + len(match[0].rstrip(_BLANKS))
            flaw = Flaw("PJ103", "a code fence is no part of JSON", *where, help="leave it out", fix=(*where, ""))
            found.add(to_diagnostic(flaw, severity, self.shown))
            at = match.end()
        self._note_prose(at, end, severity, found, is_behind=is_behind)

    def _note_prose(self, start: int, end: int, severity: Severity, found: Findings, *, is_behind: bool) -> None:
        piece = self.source.text[start:end]
        bare = piece.strip(_BLANKS)
        if not bare:
            return
        start += len(piece) - len(piece.lstrip(_BLANKS))
        where = start, start + len(bare)
        if _COMMENTS.fullmatch(bare):
            flaw = Flaw("PJ117", "JSON has no comments", *where, help="leave it out", fix=(*where, ""))
        elif bare in ("[", "]"):
            flaw = Flaw("PJ105", "the object stands in a list", *where, help="leave the brackets out", fix=(*where, ""))
        else:
            side = "behind" if is_behind else "in front of"
            flaw = Flaw("PJ102", f"other text {side} the object", *where, help="leave it out", fix=(*where, ""))
        # A list around the object is a part of it that was left out.
        is_list = flaw.code == "PJ105" and severity is Severity.INFO
        found.add(to_diagnostic(flaw, Severity.WARNING if is_list else severity, self.shown))


@define
class Strings:
    """Where in a text a tag is part of a string rather than the end or the beginning of reasoning.

    Inside an object of which nothing is lost, that is anywhere: it holds no other text. In others quotes are counted,
    but not where a block is open, as such an object may just be a draft that goes on behind it.
    """

    text: str
    attempts: list[Attempt]
    # How far the text was looked at, which of the attempts is next, and whether a string is open.
    _at: int = 0
    _next: int = 0
    _is_open: bool = False

    def hold(self, offset: int, is_in_block: bool) -> bool:
        """Whether an offset, behind all that were asked for before, is in a string of an object."""
        while self._next < len(self.attempts) and self.attempts[self._next].walk.end <= offset:
            self._next += 1
        walk = self.attempts[self._next].walk if self._next < len(self.attempts) else None
        if walk is None or offset < walk.start:
            return False
        if is_in_block or (walk.is_whole and not walk.losses):
            return walk.is_whole and not walk.losses
        if self._at < walk.start:
            self._at, self._is_open = walk.start, False
        for sign in _STRING_SIGNS.finditer(self.text, self._at, offset):
            self._is_open = sign[0] == '"' and not self._is_open if len(sign[0]) == 1 else self._is_open
        self._at = offset
        return self._is_open


def choose(attempts: list[Attempt], prefer: Callable[[Any], bool] | None) -> Attempt:
    """The object that is meant: preferred, not empty, with the fewest losses, the first; in this order."""

    def rank(attempt: Attempt) -> tuple[bool, bool, bool, int]:
        walk = attempt.walk
        is_wanted = prefer is None or walk.is_too_deep or prefer(attempt.value)
        return walk.is_too_deep, not is_wanted, not attempt.value, walk.losses

    return min(attempts, key=rank)
