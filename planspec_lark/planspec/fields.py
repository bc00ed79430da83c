"""Validators that keep every built model printable: they know what one field may hold, by the grammar's own terminals.

All raise :class:`ValueError` (:class:`TypeError` for a wrong type) with a message that starts with the field's name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from attrs import Attribute

from planspec_lark import grammars

__all__ = [
    "BLANKS",
    "COUNT_LIMIT",
    "Validator",
    "check_text",
    "count",
    "each",
    "exact",
    "exact_items",
    "has_forbidden",
    "line",
    "matches",
    "optional",
    "text",
]


Validator = Callable[[Any, "Attribute[Any]", Any], None]

# The characters that count as white space; nothing else is ever trimmed.
BLANKS = " \t"
COUNT_LIMIT = 999_999_999
# What a free text may hold has one cure.
_ADVICE = "; one_line() makes one line of any text"


def exact(value: object) -> Any:
    """A text as a plain string, so that it prints as it compares: an enum member that is a string does not."""
    return str.__str__(value) if isinstance(value, str) and type(value) is not str else value


def exact_items(value: object) -> Any:
    """A list whose texts are plain strings: the same list where they are."""
    if isinstance(value, list) and any(type(item) is not str for item in value):
        return [exact(item) for item in value]
    return value


def check_text(name: str, value: object, advice: str = "") -> str:
    """``value`` if it is a text without line breaks and control characters; ``advice`` ends what an error says."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, not {type(value).__name__}")
    if not grammars.pattern("planspec", "ANY_TEXT").fullmatch(value):
        bad = next(c for c in value if not grammars.pattern("planspec", "ANY_TEXT").fullmatch(c))
        what = "a line break" if bad in "\r\n" else f"the forbidden character U+{ord(bad):04X}"
        raise ValueError(f"{name}: {what} cannot be written in a plan{advice}")
    return value


@cache
def _controls() -> bytes:
    return bytes(code for code in range(0x80) if grammars.pattern("planspec", "FORBIDDEN").match(chr(code)))


def has_forbidden(text: str) -> bool:
    """Whether a text has a character that no text may hold: the terminal FORBIDDEN at twice the speed of a search.

    All that it matches is a control character of ASCII, or a lone surrogate, which has no UTF-8.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return True
    return len(data.translate(None, _controls())) != len(data)


def line(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """Any text of one line, its white space kept."""
    check_text(attribute.name, value, _ADVICE)


def text(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """A text of one line without white space around it; it may be empty."""
    checked = check_text(attribute.name, value, _ADVICE)
    if checked.strip(BLANKS) != checked:
        raise ValueError(f"{attribute.name}: white space around {checked!r} would be lost{_ADVICE}")


def matches(terminal: str, words: str) -> Validator:
    """A validator for a text that a terminal of the grammar matches as a whole; ``words`` says what that is."""

    def check(_instance: object, attribute: Attribute[Any], value: object) -> None:
        checked = check_text(attribute.name, value)
        if not grammars.pattern("planspec", terminal).fullmatch(checked):
            raise ValueError(f"{attribute.name}: {checked!r} is not {words}")

    return check


def optional(inner: Validator) -> Validator:
    """A validator that lets the empty string through."""

    def check(instance: object, attribute: Attribute[Any], value: object) -> None:
        if value != "" or not isinstance(value, str):
            inner(instance, attribute, value)

    return check


def each(inner: Validator, *, empty: bool = True) -> Validator:
    """A validator for a list, all of whose items ``inner`` accepts (and of which none is "" unless ``empty``)."""

    def check(instance: object, attribute: Attribute[Any], value: object) -> None:
        if not isinstance(value, list):
            raise TypeError(f"{attribute.name}: expected a list, not {type(value).__name__}")
        for item in value:
            inner(instance, attribute, item)
            if not empty and item == "":
                raise ValueError(f"{attribute.name}: an empty item cannot be written in a plan")

    return check


def count(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """A whole number from 0 with at most nine digits."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{attribute.name}: expected a whole number, not {type(value).__name__}")
    if not 0 <= value <= COUNT_LIMIT:
        # Python refuses to write a number of thousands of digits.
        said = value if abs(value) < 10**18 else "a number of that size"
        raise ValueError(f"{attribute.name}: {said} is not between 0 and {COUNT_LIMIT}")
