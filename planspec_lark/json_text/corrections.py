"""What is missing in front of a token that may not come where it stands, or why it has to be left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from attrs import frozen

from planspec_lark.json_text.builder import CLOSERS, Builder
from planspec_lark.json_text.models import write_key
from planspec_lark.json_text.tokens import SCALARS, Flaw, Token

__all__ = ["MEMBER", "OPENERS", "VALUES", "Correction", "Place", "Want", "find_correction"]

OPENERS = frozenset({"OPEN_OBJECT", "OPEN_ARRAY"})
VALUES = SCALARS | OPENERS

# What a person calls what may come, in the order in which it is listed.
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


class Want(Enum):
    """What has to come next; in all cases but COLON the end of a container may come as well."""

    KEY = 0
    COLON = 1
    VALUE = 2
    COMMA = 3


# A member, as it is taken where nothing can be read.
MEMBER = ("STRING", "COLON", "LITERAL")
# What has to be taken before a container can be closed that cannot be closed yet.
_REST = {Want.KEY: MEMBER, Want.COLON: ("COLON", "LITERAL"), Want.VALUE: ("LITERAL",), Want.COMMA: ()}


@frozen
class Place:
    """How far a value has been read.

    Attributes:
        text: the text that it stands in.
        expected: what may come next.
        builder: what has been read.
        last_end: where the last token ends.
        last_comma: where the last comma stands.
    """

    text: str
    expected: Mapping[str, int]
    builder: Builder
    last_end: int
    last_comma: int

    @property
    def want(self) -> Want:
        """What has to come next."""
        if "COLON" in self.expected:
            return Want.COLON
        if "COMMA" in self.expected:
            return Want.COMMA
        return Want.VALUE if "_value" in self.expected else Want.KEY

    @property
    def words(self) -> tuple[str, ...]:
        """What may come next, in words."""
        return tuple(words for symbol, words in _WORDS.items() if symbol in self.expected)

    @property
    def is_in_object(self) -> bool:
        """Whether the innermost container is an object."""
        return self.builder.is_in_object

    @property
    def key(self) -> str:
        """The key that waits for its value, as messages name it."""
        key = self.builder.key
        return write_key((key and key.name) or "")

    @property
    def closer(self) -> str:
        """What closes the innermost container."""
        return "CLOSE_OBJECT" if self.is_in_object else "CLOSE_ARRAY"

    @property
    def rest(self) -> tuple[str, ...]:
        """What has to be taken before the innermost container can be closed."""
        return () if self.closer in self.expected else _REST[self.want]


@frozen
class Correction:
    """What to do with a token: take others in front of it, which say nothing, or it for another, or leave it out."""

    flaw: Flaw
    fillers: tuple[str, ...] = ()
    instead: str = ""
    leaves_out: bool = False


def find_correction(token: Token, place: Place) -> Correction:
    """What to do with a token that may not come."""
    if token.kind in CLOSERS:
        return _correct_closer(token, place)
    if token.kind == "COMMA":
        return _correct_comma(token, place)
    if token.kind in VALUES:
        return _correct_value(token, place)
    return _leave_out(token, place, "this `:` stands behind no key")


def _leave_out(token: Token, place: Place, message: str) -> Correction:
    flaw = Flaw("PJ118", message, token.start, token.end, expected=place.words, is_loss=True)
    return Correction(flaw, leaves_out=True)


def _miss_value(place: Place, start: int, end: int) -> Flaw:
    message = f"the key {place.key} has no value" if place.is_in_object else "a value is missing here"
    return Flaw("PJ114", message, start, end, expected=place.words, is_loss=True)


def _correct_closer(token: Token, place: Place) -> Correction:
    if token.kind != place.closer:
        return _correct_wrong_closer(token, place)
    if place.want is Want.KEY or (place.want is Want.VALUE and not place.is_in_object):
        comma, message = place.last_comma, "behind this comma nothing follows"
        return Correction(Flaw("PJ112", message, comma, comma + 1, help="leave it out", fix=""), place.rest)
    return Correction(_miss_value(place, token.start, token.end), place.rest)


def _correct_wrong_closer(token: Token, place: Place) -> Correction:
    sign, right = CLOSERS[token.kind], CLOSERS[place.closer]
    builder, inner = place.builder, place.builder.inside_other
    # What would be at its end too early was rather closed with the wrong sign.
    goes_on = _GOES_ON.match(place.text, token.end) is not None
    if inner and not (goes_on and inner == builder.depth - 1):
        missing = [closer for closer, _ in builder.closers(inner)]
        signs = "".join(CLOSERS[kind] for kind in missing)
        message, where = f"in front of this `{sign}` `{signs}` is missing", (place.last_end, place.last_end)
        flaw = Flaw("PJ115", message, token.start, token.end, expected=(f"`{signs}`",), fix=signs, fix_at=where)
        return Correction(flaw, (*place.rest, *missing))
    if goes_on and builder.depth == 1:
        return _leave_out(token, place, f"this `{sign}` closes nothing")
    flaw = Flaw("PJ115", f"`{sign}` stands in place of `{right}`", token.start, token.end, fix=right)
    return Correction(flaw, place.rest, instead=place.closer)


def _correct_comma(token: Token, place: Place) -> Correction:
    if place.want is Want.KEY:
        message, help = "in front of this comma nothing stands", "leave it out"
        return Correction(Flaw("PJ114", message, token.start, token.end, place.words, help, fix=""), leaves_out=True)
    flaw = _miss_value(place, token.start, token.end)
    if place.want is Want.VALUE and not place.is_in_object:
        return Correction(flaw, leaves_out=True)
    return Correction(flaw, place.rest)


def _correct_value(token: Token, place: Place) -> Correction:
    last = place.last_end
    if place.want is Want.COLON:
        if token.kind == "STRING" and _COLON_FOLLOWS.match(place.text, token.end):
            return Correction(_miss_value(place, last, last), ("COLON", "LITERAL", "COMMA"))
        message = f"between the key {place.key} and its value a colon is missing"
        return Correction(Flaw("PJ113", message, last, last, expected=("`:`",), fix=":"), ("COLON",))
    if place.want is Want.KEY:
        if token.kind == "OPEN_OBJECT" and "CLOSE_OBJECT" in place.expected:
            message, help = "a second `{` opens nothing", "leave it out"
            return Correction(Flaw("PJ118", message, token.start, token.end, help=help, fix=""), leaves_out=True)
        return _leave_out(token, place, "this is no key")
    if place.is_in_object and token.kind != "STRING":
        return _leave_out(token, place, "this value has no key")
    return Correction(Flaw("PJ111", "a comma is missing", last, last, expected=("`,`",), fix=","), ("COMMA",))
