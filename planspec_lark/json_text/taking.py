"""Taking tokens into a value: those of the grammar as they are, and those that are only nearly such.

Whether a token may come is known before, from the grammar's states. What is wrong inside of it is reported here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from attrs import define, field

from planspec_lark.json_text.building import Builder
from planspec_lark.json_text.flaws import Flaw
from planspec_lark.json_text.mends import CLOSERS, OPENERS
from planspec_lark.json_text.near import Near, NearMisses, diagnose_pieces
from planspec_lark.json_text.paths import write_key, write_path
from planspec_lark.json_text.scalars import LITERALS, NO_VALUE, diagnose_range, read_number
from planspec_lark.json_text.stepping import Stepper
from planspec_lark.json_text.strings import decode
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import Source

__all__ = ["SCALARS", "Taking", "token_pattern"]

SCALARS = frozenset({"STRING", "NUMBER", "LITERAL"})
# What counts towards giving up: that something is no JSON at all.
# So much of that may be found, and once more for each value.
_PATIENCE = 20
_STRANGE = frozenset({"PJ115", "PJ118", "PJ131"})


@cache
def token_pattern() -> re.Pattern[str]:
    """Any token of the grammar."""
    return grammars.regular("json_text").tokens("token")


@define
class Taking:
    """A value that grows token by token. ``report`` is given every flaw and the path to its place, as they are found.

    Attributes:
        max_depth, max_flaws: what has more levels is not read, and behind so many flaws nothing is.
        start, end: where it begins, and where it ends once it is read.
        is_whole: the value is read to its end; else the text has ended in the middle of it, or it is too deep, or too
            little of it is JSON.
        is_too_deep: it has more levels than it may, and nothing of it counts.
        flaws, losses: how much is wrong with it, and how much could not be read.
    """

    source: Source
    near: NearMisses
    start: int
    report: Callable[[Flaw, str], None]
    max_depth: int | None
    max_flaws: int
    builder: Builder = field(factory=Builder, init=False)
    end: int = field(default=0, init=False)
    is_whole: bool = field(default=False, init=False)
    is_too_deep: bool = field(default=False, init=False)
    flaws: int = field(default=0, init=False)
    losses: int = field(default=0, init=False)
    _stepper: Stepper = field(factory=Stepper, init=False)
    _is_over: bool = field(default=False, init=False)
    _strange: int = field(default=0, init=False)
    # Why it is not worth while to go on.
    _why_not: str = field(default="", init=False)
    # Where the last token ends, and where the last comma stands.
    _last_end: int = field(default=0, init=False)
    _last_comma: int = field(default=0, init=False)
    # The node of the last number.
    _number: int = field(default=-1, init=False)

    def _say(self, flaw: Flaw) -> None:
        self.flaws += 1
        self.losses += flaw.is_loss
        self._strange += flaw.is_loss and flaw.code in _STRANGE
        if self._strange > _PATIENCE + len(self.builder.nodes.starts):
            self._why_not = "too little of this is JSON"
        elif self.flaws > self.max_flaws:
            self._why_not = "there are too many faults"
        self.report(flaw, write_path(self.builder.path()))

    def _build(self, kind: str, at: int, start: int, end: int) -> None:
        """Take a token of the grammar, as the states have; ``start`` and ``end`` are the bounds of what it says."""
        text = self.source.text
        if kind == "STRING":
            raw = text[start:end]
            self._last_end = end + 1
            if "\\" in raw:
                self._take_string(decode(raw), at, end + 1, diagnose_pieces(raw, start))
            else:
                self._take_string(raw, at, end + 1, ())
        elif kind == "NUMBER":
            self._last_end = end
            self._take_number(text[start:end], at)
        elif kind == "LITERAL":
            self._last_end = end
            self.builder.add(LITERALS[text[start:end]], at, end)
        else:
            self._take_sign(kind, at, at + 1)
        self._is_over = self._is_over or not self.builder.depth
        self.is_whole = not self.builder.depth and not self.is_too_deep

    def _take_sign(self, kind: str, start: int, end: int) -> None:
        self._last_end = end
        if kind == "COMMA":
            self._last_comma = start
        elif kind in CLOSERS:
            self.builder.close(end)
        elif kind in OPENERS:
            self._open(kind, start)

    def _open(self, kind: str, at: int) -> None:
        most = self.max_depth
        if most is not None and self.builder.depth >= most:
            message = f"this is on level {most + 1:,}, and no more than {most:,} may be"
            self._say(Flaw("PJ107", message, at, at + 1, help="nothing of the value was read", is_loss=True))
            self.is_too_deep = self._is_over = True
        else:
            self.builder.open({} if kind == "OPEN_OBJECT" else [], at)

    def _take_number(self, numeral: str, at: int) -> None:
        number = read_number(numeral)
        if number is None:
            self._say(diagnose_range(numeral, at))
            self.builder.skip()
            self._number = -1
        else:
            self._number = self.builder.add(number, at, at + len(numeral))

    def _take_string(self, value: object, start: int, end: int, flaws: Iterable[Flaw]) -> None:
        """Take a string, as a key if one may come here."""
        builder = self.builder
        is_key = builder.is_in_object and builder.key is None
        first = None
        if is_key and isinstance(value, str):
            first = builder.set_key(value, start, end)
        for flaw in flaws:
            self._say(flaw)
        if first is not None:
            self._say_duplicate(str(value), first, start, end)
        if is_key and value is NO_VALUE:
            builder.leave_out_key(start, end)
        elif value is NO_VALUE:
            builder.skip()
        elif not is_key:
            builder.add(value, start, end)

    def _say_duplicate(self, key: str, first: int, start: int, end: int) -> None:
        line, column = self.source.position(first)
        message = f"the key {write_key(key)} stands in this object already, in line {line:,}, column {column:,}"
        help = "the first one counts; leave one of the two out, or give it another name"
        self._say(Flaw("PJ128", message, start, end, help=help, is_loss=True))

    def _build_near(self, kind: str, found: Near) -> None:
        if kind == "STRING":
            self._last_end = found.end
            self._take_string(found.value, found.start, found.end, found.flaws)
        else:
            for flaw in found.flaws:
                self._say(flaw)
            if kind not in SCALARS:
                self._take_sign(kind, found.start, found.end)
            elif found.value is NO_VALUE:
                self.builder.skip()
            else:
                self.builder.add(found.value, found.start, found.end)
        self._last_end = found.end
        self._is_over = self._is_over or not self.builder.depth
        self.is_whole = not self.builder.depth and not self.is_too_deep

    def _read_token(self, at: int) -> Near | None:
        """The token of the grammar that stands here."""
        match = token_pattern().match(self.source.text, at)
        if match is None:
            return None
        kind = match.lastgroup
        assert kind is not None
        start, end = match.span(kind)
        said = match[kind]
        if kind == "STRING":
            return Near(kind, at, end + 1, decode(said), tuple(diagnose_pieces(said, start)))
        if kind == "NUMBER":
            number = read_number(said)
            return Near(kind, at, end, *((number,) if number is not None else (NO_VALUE, (diagnose_range(said, at),))))
        return Near(kind, at, end, LITERALS[said]) if kind == "LITERAL" else Near(kind, at, at + 1)
