"""Through one JSON value, token by token, from its first sign to its last; past everything that is wrong in it.

What may follow is known from the states of the grammar's LALR parser before it is seen. The grammar of JSON needs no
look-ahead: in each state either some tokens may come or a rule is at its end. Anything that is no token is taken for
what it is meant as (:mod:`planspec_lark.json_text.tokens`); where a token may not come,
:mod:`planspec_lark.json_text.corrections` says what is missing in front of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from attrs import define, field

from planspec_lark.json_text.builder import CLOSERS, Builder
from planspec_lark.json_text.corrections import MEMBER, OPENERS, VALUES, Place, Want, find_correction
from planspec_lark.json_text.models import Node, write_key, write_path
from planspec_lark.json_text.tokens import CUT_OFF, NO_VALUE, SCALARS, Flaw, NearMisses, Token, is_glued, read_token
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Severity
from planspec_lark.syntax.limits import Findings, Limits
from planspec_lark.syntax.source import Source

__all__ = ["Input", "Recovery"]

# What counts towards giving up: that something is no JSON at all.
# So much of that may be found, and once more for each value.
_PATIENCE = 20
_STRANGE = frozenset({"PJ115", "PJ118", "PJ131"})

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMA_FOLLOWS = re.compile(r"[ \t\n\r]*[,，]")
_FENCE = re.compile(r"```|~~~")
# What has to be seen to skip something in brackets.
_NESTED = re.compile(r'[{}\[\]｛｝［］]|"(?:[^"\\\n]|\\.)*+"?|^[ \t]*(?:```|~~~)', re.MULTILINE)
# So many open containers are named where a text is cut off.
_NAMED = 3


@cache
def _table() -> tuple[int, list[dict[str, int]], list[tuple[int, str] | None]]:
    """The first state, the steps from each, and the rule that is at its end there, with how many symbols it has.

    A step to the end of a rule with one symbol is made right on to where that rule leads.
    """
    known = grammars.states("json_text", "text")
    steps, ends = known["steps"], known["ends"]

    def go(state: int, symbol: str) -> int:
        target: int = steps[state][symbol]
        count, rule = ends[target] or (0, "")
        return go(state, rule) if count == 1 and rule in steps[state] else target

    return known["start"], [{symbol: go(state, symbol) for symbol in row} for state, row in enumerate(steps)], ends


class _States:
    """Where in the grammar a text has come to."""

    def __init__(self) -> None:
        start, self._steps, self._ends = _table()
        self._open = [start]

    @property
    def expected(self) -> Mapping[str, int]:
        """What may come here, rules among it."""
        return self._steps[self._open[-1]]

    def take(self, terminal: str) -> bool:
        """Take a token of that kind, if it may come here."""
        opened, steps, ends = self._open, self._steps, self._ends
        state = steps[opened[-1]].get(terminal)
        if state is None:
            return False
        opened.append(state)
        while (end := ends[state]) is not None:
            count, rule = end
            del opened[-count:]
            following = steps[opened[-1]].get(rule)
            if following is None:  # the whole text
                break
            state = following
            opened.append(state)
        return True


@define
class Input:
    """A text that is read.

    Attributes:
        text: what is read.
        source: what findings show: a text as long, with the same lines.
        limits: how much is read.
        is_strict: whether all that is found is an error.
        flaws_left: so many more faults are looked at. A text is read in a time that its length bounds, and each fault
            costs as much as many characters.
    """

    text: str
    source: Source
    limits: Limits
    is_strict: bool
    flaws_left: int = 10_000
    near: NearMisses = field(init=False)

    @near.default
    def _start_near(self) -> NearMisses:
        return NearMisses(self.text)


class Recovery:
    """One reading of one value.

    Attributes:
        start, end: where the value begins, and where it ends once it is read.
        is_whole: the value is read to its end; else the text has ended in the middle of it, or it is too deep, or too
            little of it is JSON.
        is_too_deep: it has more levels than it may, and nothing of it counts.
        losses: how much could not be read.
    """

    def __init__(self, given: Input, start: int) -> None:
        self.text = given.text
        self.start = self.end = start
        self.builder = Builder()
        self.findings = Findings(given.limits.max_findings)
        self.losses = 0
        self.is_whole = self.is_too_deep = False
        self._given = given
        self._states = _States()
        self._is_over = False
        self._strange = 0
        # Why it is not worth while to go on.
        self._why_not = ""
        # Where the last token ends that was taken, and where the last comma stands.
        self._last_end, self._last_comma = start, 0
        # The node of the last token, where that is a number.
        self._number: Node | None = None
        # A brace costs as much as a fault, as it may be no more than that.
        given.flaws_left -= 1

    def run(self) -> Recovery:
        """Read the value, as far as it goes."""
        text, states = self.text, self._states
        at = self.start
        while not self._is_over:
            token = read_token(text, at)
            if token is not None and not is_glued(text, token) and states.take(token.kind):
                self.end = token.end
                self._build(token.kind, token)
                at = token.behind
            else:
                self._read_other(at, token)
                space = _SPACE.match(text, self.end)
                at = space.end() if space else self.end
            if self._why_not and not self._is_over:
                self._give_up(at)
        if self.is_too_deep:
            self._skip(self._last_end - 1, self.builder.depth)
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
        """Take whatever stands here, where no token does that may come."""
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
        else:
            for flaw in found.flaws or [self._unexpected(found)]:
                self._say(flaw)
            if not found.flaws:
                self._fill_gap()

    def _look(self, at: int, token: Token | None) -> Token:
        """What stands here: a token of the grammar that may not come, or what is only nearly one."""
        want = self._place().want
        may_be_key = want is Want.KEY or (want is Want.COMMA and self.builder.is_in_object)
        if (
            may_be_key
            and (token is None or token.kind in {"NUMBER", "LITERAL"})
            and (key := self._given.near.read_key(at))
        ):
            return key
        if token is not None and not is_glued(self.text, token):
            return token
        found = self._given.near.read(at, may_be_value=want in {Want.VALUE, Want.COLON})
        is_worse = found.kind == CUT_OFF or found.value is NO_VALUE
        return token if token is not None and token.kind == "STRING" and is_worse else found

    def _place(self) -> Place:
        return Place(self.text, self._states.expected, self.builder, self._last_end, self._last_comma)

    def _say(self, flaw: Flaw) -> None:
        given = self._given
        given.flaws_left -= 1
        self.losses += flaw.is_loss
        self._strange += flaw.is_loss and flaw.code in _STRANGE
        if self._strange > _PATIENCE + self.builder.count:
            self._why_not = "too little of this is JSON"
        elif given.flaws_left < -1:
            self._why_not = "there are too many faults"
        severity = Severity.ERROR if given.is_strict or flaw.is_loss else Severity.WARNING
        self.findings.add(flaw.diagnose(severity, given.source, write_path(self.builder.path())))

    # ---------------------------------------------------------------- tokens

    def _take(self, token: Token) -> None:
        """Take what is meant as a token, behind all that is missing in front of it."""
        kind = token.kind
        while not self._states.take(kind):
            correction = find_correction(token, self._place())
            key = self.builder.key
            if not (key and key.name is None and correction.flaw.code == "PJ114"):
                self._say(correction.flaw)
            if correction.leaves_out:
                self._leave_out(token)
                return
            kind = correction.instead or kind
            self._fill(correction.fillers)
        self._build(kind, token)
        # Only a number without a fault in front of it is left out where the text ends behind it.
        self._number = None

    def _build(self, kind: str, token: Token) -> None:
        self._last_end = token.end
        self._number = None
        if kind == "STRING" and self.builder.is_at_key:
            self._take_key(token)
            return
        for flaw in token.flaws:
            self._say(flaw)
        if token.value is NO_VALUE:
            self.builder.skip()
        elif kind in SCALARS:
            node = self.builder.add(token.value, token.start, token.end)
            self._number = node if kind == "NUMBER" else None
        elif kind == "COMMA":
            self._last_comma = token.start
        elif kind in OPENERS:
            self._open(kind, token.start)
        elif kind in CLOSERS:
            self.builder.close(token.end)
            self._is_over = self.is_whole = not self.builder.depth

    def _take_key(self, token: Token) -> None:
        builder, name, start, end = self.builder, token.value, token.start, token.end
        first = None if name is NO_VALUE else builder.set_key(name, start, end)
        for flaw in token.flaws:
            self._say(flaw)
        if name is NO_VALUE:
            builder.leave_out_key(start, end)
        if first is not None:
            line, column = self._given.source.position(first)
            message = f"the key {write_key(name)} stands in this object already, in line {line:,}, column {column:,}"
            help = "the first one counts; leave one of the two out, or give it another name"
            self._say(Flaw("PJ128", message, start, end, help=help, is_loss=True))

    def _open(self, kind: str, at: int) -> None:
        most = self._given.limits.max_depth
        if most is not None and self.builder.depth >= most:
            message = f"this is on level {most + 1:,}, and no more than {most:,} may be"
            self._say(Flaw("PJ107", message, at, at + 1, help="nothing of the value was read", is_loss=True))
            self.is_too_deep = self._is_over = True
        else:
            self.builder.open({} if kind == "OPEN_OBJECT" else [], at)

    def _fill(self, fillers: Iterable[str]) -> None:
        """Take tokens that are missing and say nothing."""
        for filler in fillers:
            is_taken = self._states.take(filler)
            assert is_taken, "a correction fits"
            if filler == "LITERAL":
                self.builder.skip()
            elif filler in CLOSERS:
                self.builder.close(self._last_end)

    # ---------------------------------------------------------------- what is left out

    def _unexpected(self, found: Token) -> Flaw:
        words = self._place().words
        return Flaw("PJ118", "this cannot stand here", found.start, found.end, expected=words, is_loss=True)

    def _leave_out(self, token: Token) -> None:
        """Go past a token that is left out; past all of it, where it opens something that is no member here."""
        is_second_brace = token.kind == "OPEN_OBJECT" and "CLOSE_OBJECT" in self._states.expected
        if token.kind in OPENERS and not is_second_brace:
            self._skip(token.start, 0)
        if token.kind in VALUES:
            self._fill_gap()

    def _fill_gap(self) -> None:
        """Let a comma follow on what was left out in place of a member, so that it is not one too many."""
        if self._place().want is Want.KEY and _COMMA_FOLLOWS.match(self.text, self.end):
            self._fill(MEMBER)

    def _skip(self, at: int, depth: int) -> None:
        """Go past what closes so many containers, and the one that is opened there; at most to a fence."""
        for match in _NESTED.finditer(self.text, at):
            if match[0].endswith(("```", "~~~")):
                self.end = match.start()
                return
            depth += (match[0] in "{[｛［") - (match[0] in "}]｝］")
            self.end = match.end()
            if not depth:
                return
        self.end = len(self.text)

    # ---------------------------------------------------------------- too early an end

    def _give_up(self, at: int) -> None:
        self._say(Flaw("PJ118", f"from here on nothing was read: {self._why_not}", at, at + 1, is_loss=True))
        self._finish(at)

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
        is_certain = start == at and not self._place().rest
        fix = "".join(CLOSERS[kind] for kind, _ in closers) if is_certain else None
        self._say(
            Flaw(
                "PJ106",
                f"{what} ends in the middle of {inside}",
                start,
                at,
                help=f"still open: {self._list_open(closers)}",
                fix=fix,
                fix_at=(self._last_end, self._last_end),
                is_loss=True,
            )
        )
        self._finish(at)

    def _list_open(self, closers: list[tuple[str, int]]) -> str:
        signs = {"CLOSE_OBJECT": "{", "CLOSE_ARRAY": "["}
        rows = [
            f"`{signs[kind]}` in line {self._given.source.position(start)[0]:,}" for kind, start in closers[:_NAMED]
        ]
        more = len(closers) - len(rows)
        return f"{', '.join(rows)}{f' and {more:,} more' if more else ''}"

    def _finish(self, at: int) -> None:
        """Close all that is open."""
        while self.builder.depth:
            self.builder.close(self._last_end)
        self.end = max(at, self._last_end)
        self._is_over = True
