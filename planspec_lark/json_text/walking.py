"""Through one JSON value, token by token, from its first sign to its last; past everything that is wrong in it.

Tokens that may come are taken as the grammar says. Anything else goes to :mod:`planspec_lark.json_text.near` for what
it is meant as, and, where a token may not come, to :mod:`planspec_lark.json_text.mends` for what is missing in front of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import define, field

from planspec_lark.json_text.flaws import Flaw
from planspec_lark.json_text.mends import (
    CLOSERS,
    MEMBER,
    OPENERS,
    VALUES,
    Place,
    Want,
    complete,
    find_mend,
    find_want,
    name_expected,
)
from planspec_lark.json_text.near import CUT_OFF, Near
from planspec_lark.json_text.paths import write_path
from planspec_lark.json_text.scalars import NO_VALUE
from planspec_lark.json_text.taking import SCALARS, Taking, token_pattern

__all__ = ["Walk"]

_SPACE = re.compile(r"[ \t\n\r]*")
# Right behind one of these tokens such a character belongs to it.
_GLUED = re.compile(r"[\w.+\-]")
_COMMA_FOLLOWS = re.compile(r"[ \t\n\r]*[,，]")
_FENCE = re.compile(r"```|~~~")
# What has to be seen to skip something in brackets.
_NESTED = re.compile(r'[{}\[\]｛｝［］]|"(?:[^"\\\n]|\\.)*+"?|^[ \t]*(?:```|~~~)', re.MULTILINE)
# So many open containers are named where a text is cut off.
_NAMED = 3


@define
class Walk(Taking):
    """One reading of one value."""

    # Where what was looked at last ends.
    _passed: int = field(default=0, init=False)

    def run(self) -> None:
        """Read the value, as far as it goes."""
        at = self._passed = self._last_end = self.start
        while not self._is_over:
            at = self._read_plain(at)
            if not self._is_over and not self._why_not:
                at = self._read_other(at)
            if not self._is_over and self._why_not:
                self._give_up(at)
        if self.is_too_deep:
            self._skip(self._last_end - 1, self.builder.depth)
        self.end = max(self._passed, self._last_end)

    def _read_plain(self, at: int) -> int:
        """Read on as long as all is right; returns where it is not."""
        text, take, build = self.source.text, self._stepper.take, self._build
        match_token = token_pattern().match
        while match := match_token(text, at):
            kind = match.lastgroup
            assert kind is not None
            behind = match.end()
            if kind in SCALARS and text[behind - 1] not in " \t\n\r" and _GLUED.match(text, behind):
                return at
            if not take(kind):
                return at
            start, end = match.span(kind)
            build(kind, at, start, end)
            at = behind
            if self._is_over or self._why_not:
                break
        return at

    # ---------------------------------------------------------------- what is not

    def _read_other(self, at: int) -> int:
        """Take whatever stands here, where no token does that may come; returns where the next one begins."""
        text = self.source.text
        if at >= len(text) or self._is_at_fence(at):
            self._end_early(at)
            return at
        found = self._look(at)
        self._passed = found.end
        if found.kind == CUT_OFF:
            self._end_early(len(text), found)
        elif found.kind:
            self._take(found)
        else:
            for flaw in found.flaws or [self._unexpected(found)]:
                self._say(flaw)
            if not found.flaws:
                self._fill_gap()
        space = _SPACE.match(text, self._passed)
        return space.end() if space else self._passed

    def _is_at_fence(self, at: int) -> bool:
        text = self.source.text
        return _FENCE.match(text, at) is not None and text.find("\n", self._passed_to(), at) >= 0

    def _passed_to(self) -> int:
        return max(self._passed, self._last_end)

    def _look(self, at: int) -> Near:
        """What stands here: a token of the grammar that may not come, or one that is only nearly one."""
        want = find_want(self._stepper.expected)
        token = self._read_token(at)
        may_be_key = want is Want.KEY or (want is Want.COMMA and self.builder.is_in_object)
        if may_be_key and (token is None or token.kind in ("NUMBER", "LITERAL")):
            key = self.near.read_key(at)
            if key is not None:
                return key
        if token is not None and not self._is_glued(token):
            return token
        found = self.near.read(at, may_be_value=want in (Want.VALUE, Want.COLON))
        is_worse = token is not None and (found.kind == CUT_OFF or found.value is NO_VALUE) and token.kind == "STRING"
        return token if token is not None and is_worse else found

    def _is_glued(self, token: Near) -> bool:
        return token.kind in SCALARS and _GLUED.match(self.source.text, token.end) is not None

    def _unexpected(self, found: Near) -> Flaw:
        words = name_expected(self._stepper.expected)
        return Flaw("PJ118", "this cannot stand here", found.start, found.end, expected=words, is_loss=True)

    def _place(self) -> Place:
        text, expected = self.source.text, self._stepper.expected
        return Place(text, expected, self.builder, self._last_end, self._last_comma)

    def _take(self, found: Near) -> None:
        """Take what is meant as a token, behind all that is missing in front of it."""
        kind = found.kind
        while not self._stepper.take(kind):
            mend = find_mend(found, self._place())
            if not (self.builder.is_key_lost and mend.flaw.code == "PJ114"):
                self._say(mend.flaw)
            if mend.leaves_out:
                self._leave_out(found)
                return
            kind = mend.instead or kind
            self._fill(mend.fillers)
        self._build_near(kind, found)

    def _fill(self, fillers: Iterable[str]) -> None:
        """Take tokens that are missing and say nothing."""
        for filler in fillers:
            is_taken = self._stepper.take(filler)
            assert is_taken, "a mend fits"
            if filler == "LITERAL":
                self.builder.skip()
            elif filler in CLOSERS:
                self.builder.close(self._last_end)

    def _leave_out(self, found: Near) -> None:
        """Go past a token that is left out; past all of it, where it opens something that is no member here."""
        is_second_brace = found.kind == "OPEN_OBJECT" and "CLOSE_OBJECT" in self._stepper.expected
        if found.kind in OPENERS and not is_second_brace:
            self._skip(found.start, 0)
        if found.kind in VALUES:
            self._fill_gap()

    def _fill_gap(self) -> None:
        """Let a comma follow on what was left out in place of a member, so that it is not one too many."""
        if find_want(self._stepper.expected) is Want.KEY and _COMMA_FOLLOWS.match(self.source.text, self._passed):
            self._fill(MEMBER)

    def _skip(self, at: int, depth: int) -> None:
        """Go past what closes so many containers, and the one that is opened there; at most to a fence."""
        for match in _NESTED.finditer(self.source.text, at):
            if match[0].endswith(("```", "~~~")):
                self._passed = match.start()
                return
            depth += (match[0] in "{[｛［") - (match[0] in "}]｝］")
            self._passed = match.end()
            if not depth:
                return
        self._passed = len(self.source.text)

    # ---------------------------------------------------------------- too early an end

    def _give_up(self, at: int) -> None:
        self._say(Flaw("PJ118", f"from here on nothing was read: {self._why_not}", at, at + 1, is_loss=True))
        self._passed = at
        self._finish()

    def _end_early(self, at: int, cut: Near | None = None) -> None:
        """The text, or its code block, ends in the middle of the value, and maybe of a token that is left out."""
        builder, last = self.builder, self._number
        start, where = at, builder.path()[: max(builder.depth - 1, 0)]
        if cut is not None:
            start, where = cut.start, builder.path()
        elif last >= 0 and builder.nodes.ends[last] == len(self.source.text):
            # More digits may have followed.
            start = builder.nodes.starts[last]
            builder.take_back(last)
        what = "the text" if at >= len(self.source.text) else "the code block"
        inside = f"`{write_path(where)}`" if where else "the object"
        is_certain = start == at and not complete(self._place())
        closers = builder.closers(builder.depth)
        fix = (self._last_end, self._last_end, "".join(CLOSERS[kind] for kind, _ in closers)) if is_certain else None
        help = f"still open: {self._list_open(closers)}"
        self._say(Flaw("PJ106", f"{what} ends in the middle of {inside}", start, at, help=help, fix=fix, is_loss=True))
        self._passed = at
        self._finish()

    def _list_open(self, closers: list[tuple[str, int]]) -> str:
        signs = {"CLOSE_OBJECT": "{", "CLOSE_ARRAY": "["}
        rows = [f"`{signs[kind]}` in line {self.source.position(start)[0]:,}" for kind, start in closers[:_NAMED]]
        more = len(closers) - len(rows)
        return f"{', '.join(rows)}{f' and {more:,} more' if more else ''}"

    def _finish(self) -> None:
        """Close all that is open."""
        while self.builder.depth:
            self.builder.close(self._last_end)
        self._is_over = True
