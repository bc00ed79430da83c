"""Through one JSON value, token by token, from its first sign to its last; past everything that is wrong in it.

What may follow is known from the grammar (:mod:`planspec_lark.json_text.corrections`). Anything that is no token is
taken for what it is meant as (:mod:`planspec_lark.json_text.tokens`); where a token may not come, a correction says
what is missing before it.
"""

from __future__ import annotations

import re
from typing import Any

from attrs import Factory, define, field

from planspec_lark.json_text.builder import CLOSERS, say_double, say_too_deep
from planspec_lark.json_text.corrections import MEMBER, OPENERS, VALUES, ParserState, find_correction
from planspec_lark.json_text.models import ValueNode, write_path
from planspec_lark.json_text.tokens import CUT_OFF, NO_VALUE, SCALARS, NearMisses, Token, TokenFault, read_token
from planspec_lark.syntax.diagnostics import Severity, name_some
from planspec_lark.syntax.fences import FENCE, FENCES
from planspec_lark.syntax.limits import Findings, Limits
from planspec_lark.syntax.source import Source

__all__ = ["JsonInput", "ValueReader"]

# What counts towards giving up: that something is no JSON at all.
# So much of that may be found, and once more for each value.
_MOST_STRANGE = 20
_STRANGE = frozenset({"PJ115", "PJ118", "PJ131"})

_SPACE = re.compile(r"[ \t\n\r]*+")
_COMMA_FOLLOWS = re.compile(r"[ \t\n\r]*[,，]")
_FENCE = re.compile(FENCE)
# What has to be seen to skip something in brackets.
_NESTED = re.compile(r'[{}\[\]｛｝［］]|"(?:[^"\\\n]|\\.)*+"?' rf"|^[ \t]*{FENCE}", re.MULTILINE)
# So many open containers are named where a text is cut off.
_NAMED = 3


@define
class JsonInput:
    """A text that is read.

    Attributes:
        text: what is read.
        source: what findings show: a text as long, with the same lines.
        limits: how much is read.
        is_strict: whether all that is found is an error.
        faults_left: so many more faults are looked at. A text is read in a time that its length bounds, and each fault
            costs as much as many characters.
    """

    text: str
    source: Source
    limits: Limits
    is_strict: bool
    faults_left: int = 10_000
    near: NearMisses = field(init=False, default=Factory(lambda given: NearMisses(given.text), takes_self=True))


class ValueReader:
    """One reading of one value.

    Attributes:
        start, end: where the value begins, and where it ends once it is read.
        is_whole: the value is read to its end; else the text has ended in the middle of it, or it is too deep, or too
            little of it is JSON.
        is_too_deep: it has more levels than it may, and nothing of it counts.
        losses: how much could not be read.
    """

    def __init__(self, given: JsonInput, start: int) -> None:
        self.text = given.text
        self.start = self.end = start
        self.findings = Findings(given.limits.max_findings)
        self.losses = 0
        self.is_whole = self.is_too_deep = False
        self._given = given
        self._state = ParserState(given.text, start)
        self.builder = self._state.builder
        self._is_over = False
        self._strange = 0
        # Why to stop reading.
        self._why_not = ""
        # The node of the last token, where that is a number.
        self._number: ValueNode | None = None
        # A brace costs as much as a fault, as it may be no more than that.
        given.faults_left -= 1

    def run(self) -> ValueReader:
        """Read the value, as far as it goes."""
        text, state = self.text, self._state
        at = self.start
        while not self._is_over:
            token = read_token(text, at)
            if token is not None and not token.is_glued and state.take(token.kind):
                self.end = token.end
                self._build(token.kind, token)
                at = token.behind
            else:
                self._read_other(at, token)
                space = _SPACE.match(text, self.end)
                at = space.end() if space else self.end
            if self._why_not and not self._is_over:
                fault = TokenFault("PJ118", f"nothing was read from here on: {self._why_not}", at, at + 1, is_loss=True)
                self._finish(at, fault)
        if self.is_too_deep:
            self._skip(state.last_end - 1, self.builder.depth)
        return self

    @property
    def value(self) -> Any:
        """The value, as far as it could be read."""
        return self.builder.value

    @property
    def is_intact(self) -> bool:
        """Whether the value is read to its end, and nothing of it is lost."""
        return self.is_whole and not self.losses

    # ---------------------------------------------------------------- what may not come

    def _read_other(self, at: int, token: Token | None) -> None:
        """Take what is here, where it is no token that may come."""
        text = self.text
        if at >= len(text) or (_FENCE.match(text, at) and text.find("\n", self.end, at) >= 0):
            self._end_early(at)
            return
        found = self._look(at, token)
        self.end = found.end
        if found.kind == CUT_OFF:
            self._end_early(len(text), found)
        elif found.kind:
            self._take(found)
        elif found.faults:
            self._say(*found.faults)
        else:
            words, message = self._state.words, "unexpected text"
            self._say(TokenFault("PJ118", message, found.start, found.end, expected=words, is_loss=True))
            self._fill_gap()

    def _look(self, at: int, token: Token | None) -> Token:
        """What is here: a token of the grammar that may not come, or what is only nearly one."""
        want, near = self._state.want, self._given.near
        may_be_key = want == "member" or (want == "COMMA" and self.builder.is_in_object)
        if may_be_key and (token is None or token.kind in {"NUMBER", "LITERAL"}) and (key := near.read_key(at)):
            return key
        if token is not None and not token.is_glued:
            return token
        found = near.read(at, may_be_value=want in {"_value", "COLON"})
        is_worse = found.kind == CUT_OFF or found.value is NO_VALUE
        return token if token is not None and token.kind == "STRING" and is_worse else found

    def _say(self, *faults: TokenFault) -> None:
        given = self._given
        for fault in faults:
            given.faults_left -= 1
            self.losses += fault.is_loss
            self._strange += fault.is_loss and fault.code in _STRANGE
            if self._strange > _MOST_STRANGE + self.builder.count:
                self._why_not = "too little of the text is JSON"
            elif given.faults_left < -1:
                self._why_not = "there are too many faults"
            severity = Severity.ERROR if given.is_strict or fault.is_loss else Severity.WARNING
            self.findings.add(fault.diagnose(severity, given.source, write_path(self.builder.path())))

    # ---------------------------------------------------------------- tokens

    def _take(self, token: Token) -> None:
        """Take what is meant as a token, after all that is missing before it."""
        kind = token.kind
        while not self._state.take(kind):
            correction = find_correction(token, self._state)
            key = self.builder.key
            if not (key and key.name is None and correction.fault.code == "PJ114"):
                self._say(correction.fault)
            if correction.leaves_out:
                # A brace in place of a member is left out alone, and all else with what is inside of it.
                if kind == "OPEN_ARRAY" or (kind == "OPEN_OBJECT" and not self._state.may_end):
                    self._skip(token.start, 0)
                if kind in VALUES:
                    self._fill_gap()
                return
            kind = correction.instead or kind
            self._fill(correction.fillers)
        self._build(kind, token)
        # Only a number without a fault before it is left out where the text ends after it.
        self._number = None

    def _build(self, kind: str, token: Token) -> None:
        builder, start, end = self.builder, token.start, token.end
        self._state.last_end = end
        self._number = None
        if kind == "STRING" and builder.is_at_key:
            self._take_key(token)
            return
        if token.faults:
            self._say(*token.faults)
        if kind in SCALARS:
            if token.value is NO_VALUE:
                builder.key = None
                return
            node = builder.add(token.value, start, end)
            self._number = node if kind == "NUMBER" else None
        elif kind == "COMMA":
            self._state.last_comma = start
        elif kind in OPENERS:
            self._open(kind, start)
        elif kind in CLOSERS:
            builder.close(end)
            self._is_over = self.is_whole = not builder.depth

    def _take_key(self, token: Token) -> None:
        name, start, end = None if token.value is NO_VALUE else token.value, token.start, token.end
        first = self.builder.set_key(name, start, end)
        self._say(*token.faults)
        if first is not None and name is not None:
            message = say_double(name, self._given.source, first)
            help = "the first one counts; remove one of the two, or rename it"
            self._say(TokenFault("PJ128", message, start, end, help=help, is_loss=True))

    def _open(self, kind: str, at: int) -> None:
        most = self._given.limits.max_depth
        if most is not None and self.builder.depth >= most:
            self._say(TokenFault("PJ107", say_too_deep(most), at, at + 1, help="nothing was read", is_loss=True))
            self.is_too_deep = self._is_over = True
        else:
            self.builder.open({} if kind == "OPEN_OBJECT" else [], at)

    def _fill(self, fillers: tuple[str, ...]) -> None:
        """Take those of the tokens that may come. They say nothing."""
        for filler in filter(self._state.take, fillers):
            if filler in SCALARS:
                self.builder.key = None
            elif filler in CLOSERS:
                self.builder.close(self._state.last_end)

    # ---------------------------------------------------------------- what is left out

    def _fill_gap(self) -> None:
        """Let a comma follow on what was left out in place of a member, so that it is not one too many."""
        if self._state.want == "member" and _COMMA_FOLLOWS.match(self.text, self.end):
            self._fill(MEMBER)

    def _skip(self, at: int, depth: int) -> None:
        """Go past what closes so many containers, and the one that is opened there; at most to a fence."""
        for match in _NESTED.finditer(self.text, at):
            if match[0].endswith(FENCES):
                self.end = match.start()
                return
            depth += (match[0] in "{[｛［") - (match[0] in "}]｝］")
            self.end = match.end()
            if not depth:
                return
        self.end = len(self.text)

    # ---------------------------------------------------------------- too early an end

    def _end_early(self, at: int, cut: Token | None = None) -> None:
        """The text, or its code block, ends in the middle of the value, and maybe of a token that is left out."""
        builder, start, path = self.builder, at, self.builder.path()
        if cut is not None:
            start = cut.start
        else:
            path = path[: max(builder.depth - 1, 0)]
            if self._number is not None and self._number.end == len(self.text):
                # More digits may have followed.
                start = self._number.start
                builder.take_back()
        what = "the text" if at >= len(self.text) else "the code block"
        inside = f"`{write_path(path)}`" if path else "the object"
        closers = builder.closers(builder.depth)
        signs = {"CLOSE_OBJECT": "{", "CLOSE_ARRAY": "["}
        line_of = self._given.source.position
        opened = name_some([f"`{signs[kind]}` in line {line_of(begin)[0]:,}" for kind, begin in closers], _NAMED)
        fault = TokenFault(
            "PJ106",
            f"{what} ends in the middle of {inside}",
            start,
            at,
            help=f"still open: {opened}",
            fix="".join(CLOSERS[kind] for kind, _ in closers) if start == at and self._state.may_end else None,
            fix_at=(self._state.last_end, self._state.last_end),
            is_loss=True,
        )
        self._finish(at, fault)

    def _finish(self, at: int, fault: TokenFault) -> None:
        """Say why here is the end, and close all that is open."""
        self._say(fault)
        while self.builder.depth:
            self.builder.close(self._state.last_end)
        self.end = max(at, self._state.last_end)
        self._is_over = True
