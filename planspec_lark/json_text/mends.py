"""What is missing in front of a token that may not come where it stands, or why it has to be left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from attrs import frozen

from planspec_lark.json_text.building import Builder
from planspec_lark.json_text.flaws import Flaw
from planspec_lark.json_text.near import Near
from planspec_lark.json_text.paths import write_key

__all__ = [
    "CLOSERS",
    "OPENERS",
    "VALUES",
    "Mend",
    "Place",
    "Want",
    "complete",
    "find_mend",
    "find_want",
    "name_expected",
]

OPENERS = {"OPEN_OBJECT": "{", "OPEN_ARRAY": "["}
CLOSERS = {"CLOSE_OBJECT": "}", "CLOSE_ARRAY": "]"}
VALUES = frozenset({"STRING", "NUMBER", "LITERAL", *OPENERS})

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


def find_want(expected: Mapping[str, int]) -> Want:
    """What has to come where these may."""
    if "COLON" in expected:
        return Want.COLON
    if "COMMA" in expected:
        return Want.COMMA
    return Want.VALUE if "_value" in expected else Want.KEY


def name_expected(expected: Mapping[str, int]) -> tuple[str, ...]:
    """What may come, in words."""
    return tuple(words for symbol, words in _WORDS.items() if symbol in expected)


@frozen
class Place:
    """Where a token stands that may not come there.

    Attributes:
        expected: what may come instead.
        builder: what has been read so far.
        last_end: where the token in front of this one ends.
        last_comma: where the last comma stands.
    """

    text: str
    expected: Mapping[str, int]
    builder: Builder
    last_end: int
    last_comma: int

    @property
    def is_in_object(self) -> bool:
        """Whether the innermost container is an object."""
        return self.builder.is_in_object

    @property
    def key(self) -> str:
        """The key that waits for its value, as messages name it."""
        return write_key(self.builder.key[0] if self.builder.key else "")

    @property
    def want(self) -> Want:
        """What has to come."""
        return find_want(self.expected)

    @property
    def closer(self) -> str:
        """What closes the innermost container."""
        return "CLOSE_OBJECT" if self.is_in_object else "CLOSE_ARRAY"


@frozen
class Mend:
    """What to do with a token: take others in front of it, which say nothing, or it for another, or leave it out."""

    flaw: Flaw
    fillers: tuple[str, ...] = ()
    instead: str = ""
    leaves_out: bool = False


# A member, as it is taken where nothing can be read.
MEMBER = ("STRING", "COLON", "LITERAL")


def complete(place: Place) -> tuple[str, ...]:
    """What has to be taken before the innermost container can be closed."""
    if place.closer in place.expected:
        return ()
    return {Want.KEY: MEMBER, Want.COLON: ("COLON", "LITERAL")}.get(place.want, ("LITERAL",))


def find_mend(token: Near, place: Place) -> Mend:
    """What to do with a token that may not come."""
    if token.kind in CLOSERS:
        return _mend_closer(token, place)
    if token.kind == "COMMA":
        return _mend_comma(token, place)
    if token.kind in VALUES:
        return _mend_value(token, place)
    return _leave_out(token, place, "this `:` stands behind no key")


def _leave_out(token: Near, place: Place, message: str) -> Mend:
    flaw = Flaw("PJ118", message, token.start, token.end, expected=name_expected(place.expected), is_loss=True)
    return Mend(flaw, leaves_out=True)


def _miss_value(place: Place, start: int, end: int, help: str = "") -> Flaw:
    message = f"the key {place.key} has no value" if place.is_in_object else "a value is missing here"
    return Flaw("PJ114", message, start, end, expected=name_expected(place.expected), help=help, is_loss=True)


# ---------------------------------------------------------------- closing signs


def _mend_closer(token: Near, place: Place) -> Mend:
    if token.kind != place.closer:
        return _mend_wrong_closer(token, place)
    if place.want is Want.KEY or (place.want is Want.VALUE and not place.is_in_object):
        comma = place.last_comma
        fix = (comma, comma + 1, "")
        flaw = Flaw("PJ112", "behind this comma nothing follows", comma, comma + 1, help="leave it out", fix=fix)
        return Mend(flaw, complete(place))
    return Mend(_miss_value(place, token.start, token.end), complete(place))


def _mend_wrong_closer(token: Near, place: Place) -> Mend:
    sign, right = CLOSERS[token.kind], CLOSERS[place.closer]
    builder = place.builder
    inner = builder.count_inside(is_object=token.kind == "CLOSE_OBJECT")
    # What would be at its end too early was rather closed with the wrong sign.
    goes_on = _GOES_ON.match(place.text, token.end) is not None
    if inner and not (goes_on and inner == builder.depth - 1):
        missing = [closer for closer, _ in builder.closers(inner)]
        signs = "".join(CLOSERS[kind] for kind in missing)
        fix = (place.last_end, place.last_end, signs)
        message = f"in front of this `{sign}` `{signs}` is missing"
        flaw = Flaw("PJ115", message, token.start, token.end, expected=(f"`{signs}`",), fix=fix)
        return Mend(flaw, (*complete(place), *missing))
    if goes_on and builder.depth == 1:
        return _leave_out(token, place, f"this `{sign}` closes nothing")
    fix = (token.start, token.end, right)
    flaw = Flaw("PJ115", f"`{sign}` stands in place of `{right}`", token.start, token.end, fix=fix)
    return Mend(flaw, complete(place), instead=place.closer)


# ---------------------------------------------------------------- between values


def _mend_comma(token: Near, place: Place) -> Mend:
    if place.want is Want.KEY:
        message = "in front of this comma nothing stands"
        expected, fix = name_expected(place.expected), (token.start, token.end, "")
        flaw = Flaw("PJ114", message, token.start, token.end, expected, help="leave it out", fix=fix)
        return Mend(flaw, leaves_out=True)
    if place.want is Want.VALUE and not place.is_in_object:
        return Mend(_miss_value(place, token.start, token.end), leaves_out=True)
    return Mend(_miss_value(place, token.start, token.end), complete(place))


def _mend_value(token: Near, place: Place) -> Mend:
    last = place.last_end
    if place.want is Want.COLON:
        if token.kind == "STRING" and _COLON_FOLLOWS.match(place.text, token.end):
            return Mend(_miss_value(place, last, last), ("COLON", "LITERAL", "COMMA"))
        message = f"between the key {place.key} and its value a colon is missing"
        return Mend(Flaw("PJ113", message, last, last, expected=("`:`",), fix=(last, last, ":")), ("COLON",))
    if place.want is Want.KEY:
        if token.kind == "OPEN_OBJECT" and "CLOSE_OBJECT" in place.expected:
            fix = (token.start, token.end, "")
            flaw = Flaw("PJ118", "a second `{` opens nothing", token.start, token.end, help="leave it out", fix=fix)
            return Mend(flaw, leaves_out=True)
        return _leave_out(token, place, "this is no key")
    if place.is_in_object and token.kind != "STRING":
        return _leave_out(token, place, "this value has no key")
    flaw = Flaw("PJ111", "a comma is missing", last, last, expected=("`,`",), fix=(last, last, ","))
    return Mend(flaw, ("COMMA",))
