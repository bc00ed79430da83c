"""How far a value has been read, and what is missing before a token that may not come there.

What may come is known from the states of the grammar's LALR parser before it is seen. The grammar of JSON needs no
look-ahead: in each state either some tokens may come or a rule is at its end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from attrs import define, field, frozen

from planspec_lark.json_text.builder import CLOSERS, JsonBuilder
from planspec_lark.json_text.models import write_key
from planspec_lark.json_text.tokens import SCALARS, Token, TokenFault
from planspec_lark.syntax import grammars

__all__ = ["MEMBER", "OPENERS", "VALUES", "ParserState", "TokenCorrection", "find_correction"]

OPENERS = frozenset({"OPEN_OBJECT", "OPEN_ARRAY"})
VALUES = SCALARS | OPENERS
# The tokens of a member, as they are taken where nothing can be read: those of them that may come.
MEMBER = ("STRING", "COLON", "LITERAL")

# What a person calls what may come, in the order in which it is listed. Only one of the first four may.
_WORDS = {
    "_value": "a value",
    "member": "a key in double quotes",
    "COLON": "`:`",
    "COMMA": "`,`",
    "CLOSE_OBJECT": "`}`",
    "CLOSE_ARRAY": "`]`",
}
_COLON_FOLLOWS = re.compile(r"[ \t\n\r]*[:：]")
_GOES_ON = re.compile(r"[ \t\n\r]*[,，}\]]")


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


@define
class ParserState:
    """How far a value has been read.

    Attributes:
        text: the text that it is in.
        last_end: where the last token ends that was taken.
        last_comma: where the last comma is.
        builder: what has been read.
    """

    text: str
    last_end: int
    last_comma: int = 0
    builder: JsonBuilder = field(factory=JsonBuilder)
    _states: list[int] = field(factory=lambda: [_table()[0]])

    def take(self, terminal: str) -> bool:
        """Take a token of that kind, if it may come here."""
        states, (_, steps, ends) = self._states, _table()
        state = steps[states[-1]].get(terminal)
        if state is None:
            return False
        states.append(state)
        while (end := ends[state]) is not None:
            count, rule = end
            del states[-count:]
            state = steps[states[-1]][rule]
            states.append(state)
        return True

    @property
    def expected(self) -> Mapping[str, int]:
        """What may come here, rules among it."""
        return _table()[1][self._states[-1]]

    @property
    def want(self) -> str:
        """What has to come here: a value, a member, a colon or a comma. The end may as well, but not for a colon."""
        return next(symbol for symbol in _WORDS if symbol in self.expected)

    @property
    def words(self) -> tuple[str, ...]:
        """What may come here, in words."""
        return tuple(words for symbol, words in _WORDS.items() if symbol in self.expected)

    @property
    def may_end(self) -> bool:
        """Whether the innermost container may end here."""
        return not self.expected.keys().isdisjoint(CLOSERS)


@frozen
class TokenCorrection:
    """What to do with a token: take others before it, which say nothing, or it for another, or leave it out.

    Of ``fillers`` those are taken that may come.
    """

    fault: TokenFault
    fillers: tuple[str, ...] = MEMBER
    instead: str = ""
    leaves_out: bool = False


def find_correction(token: Token, state: ParserState) -> TokenCorrection:
    """What to do with a token that may not come."""
    if token.kind in CLOSERS:
        return _correct_closer(token, state)
    if token.kind == "COMMA":
        return _correct_comma(token, state)
    if token.kind in VALUES:
        return _correct_value(token, state)
    return _leave_out(token, state, "this `:` has no key before it")


def _leave_out(token: Token, state: ParserState, message: str) -> TokenCorrection:
    fault = TokenFault("PJ118", message, token.start, token.end, expected=state.words, is_loss=True)
    return TokenCorrection(fault, leaves_out=True)


def _write_key(state: ParserState) -> str:
    key = state.builder.key
    return write_key((key and key.name) or "")


def _miss_value(state: ParserState, start: int, end: int) -> TokenFault:
    is_member = state.builder.is_in_object
    message = f"the key {_write_key(state)} has no value" if is_member else "a value is missing here"
    return TokenFault("PJ114", message, start, end, expected=state.words, is_loss=True)


def _correct_closer(token: Token, state: ParserState) -> TokenCorrection:
    ((right, _),) = state.builder.closers(1)
    if token.kind != right:
        return _correct_wrong_closer(token, state, right)
    if state.want == ("member" if state.builder.is_in_object else "_value"):
        comma, message = state.last_comma, "nothing follows this comma"
        return TokenCorrection(TokenFault("PJ112", message, comma, comma + 1, help="remove it", fix=""))
    return TokenCorrection(_miss_value(state, token.start, token.end))


def _correct_wrong_closer(token: Token, state: ParserState, right: str) -> TokenCorrection:
    sign, builder = CLOSERS[token.kind], state.builder
    inner = builder.run
    # What would be at its end too early was rather closed with the wrong sign.
    goes_on = _GOES_ON.match(state.text, token.end) is not None
    if inner < builder.depth and not (goes_on and inner == builder.depth - 1):
        missing = [closer for closer, _ in builder.closers(inner)]
        signs = "".join(CLOSERS[kind] for kind in missing)
        message, where = f"`{signs}` is missing before this `{sign}`", (state.last_end, state.last_end)
        fault = TokenFault("PJ115", message, token.start, token.end, expected=(f"`{signs}`",), fix=signs, fix_at=where)
        return TokenCorrection(fault, (*MEMBER, *missing))
    if goes_on and builder.depth == 1:
        return _leave_out(token, state, f"this `{sign}` closes no bracket")
    message = f"expected `{CLOSERS[right]}`, not `{sign}`"
    return TokenCorrection(TokenFault("PJ115", message, token.start, token.end, fix=CLOSERS[right]), instead=right)


def _correct_comma(token: Token, state: ParserState) -> TokenCorrection:
    if state.want == "member":
        message, help = "nothing precedes this comma", "remove it"
        return TokenCorrection(
            TokenFault("PJ114", message, token.start, token.end, state.words, help, fix=""), leaves_out=True
        )
    return TokenCorrection(_miss_value(state, token.start, token.end), leaves_out=not state.builder.is_in_object)


def _correct_value(token: Token, state: ParserState) -> TokenCorrection:
    last, want = state.last_end, state.want
    if want == "COLON":
        if token.kind == "STRING" and _COLON_FOLLOWS.match(state.text, token.end):
            return TokenCorrection(_miss_value(state, last, last), (*MEMBER, "COMMA"))
        message = f"a colon is missing between the key {_write_key(state)} and its value"
        return TokenCorrection(TokenFault("PJ113", message, last, last, expected=("`:`",), fix=":"), ("COLON",))
    if want == "member":
        if token.kind == "OPEN_OBJECT" and state.may_end:
            message, help = "this second `{` has no key", "remove it"
            return TokenCorrection(
                TokenFault("PJ118", message, token.start, token.end, help=help, fix=""), leaves_out=True
            )
        return _leave_out(token, state, "this is not a key")
    if state.builder.is_in_object and token.kind != "STRING":
        return _leave_out(token, state, "this value has no key")
    return TokenCorrection(
        TokenFault("PJ111", "a comma is missing", last, last, expected=("`,`",), fix=","), ("COMMA",)
    )
