"""What one field may hold: validators that keep every built model printable, by the grammar's own terminals.

All raise :class:`ValueError` (:class:`TypeError` for a wrong type) with a message that starts with the field's name.
Each says the same as a JSON Schema as well.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

from attrs import Attribute, field, frozen

from planspec_lark.syntax import grammars

__all__ = [
    "BLANKS",
    "COUNT_LIMIT",
    "Choice",
    "Count",
    "Each",
    "Line",
    "Matches",
    "Optional",
    "Text",
    "Validator",
    "check_text",
    "exact",
    "exact_items",
    "has_forbidden",
]

Schema = dict[str, Any]


class Validator(Protocol):
    """Refuses what a field can not hold."""

    def __call__(self, _instance: object, attribute: Attribute[Any], value: Any) -> None:
        """Raise ValueError or TypeError for such a value."""

    def schema(self) -> Schema:
        """The JSON Schema (2020-12) of what it accepts."""


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


# In some dialects `$` also matches in front of a last line break.
_END = r"$(?!\n)"
_CHARACTER = r"[^\u0000-\u0008\u000a-\u001f\u007f\ud800-\udfff]"
_EDGE = r"[^\u0000-\u0020\u007f\ud800-\udfff]"


@frozen
class Line:
    """Any text of one line, its white space kept."""

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        check_text(attribute.name, value, _ADVICE)

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        return {"type": "string", "pattern": rf"^{_CHARACTER}*{_END}"}


@frozen
class Text:
    """A text of one line without white space around it."""

    is_empty_allowed: bool = field(default=True, kw_only=True)

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        checked = check_text(attribute.name, value, _ADVICE)
        if checked.strip(BLANKS) != checked:
            raise ValueError(f"{attribute.name}: white space around {checked!r} would be lost{_ADVICE}")
        if not checked and not self.is_empty_allowed:
            raise ValueError(f"{attribute.name}: an empty item cannot be written in a plan")

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        made: Schema = {"type": "string", "pattern": rf"^(?:{_EDGE}(?:{_CHARACTER}*{_EDGE})?)?{_END}"}
        return made if self.is_empty_allowed else {**made, "minLength": 1}


@frozen
class Matches:
    """A text that a terminal of the grammar matches as a whole.

    Attributes:
        terminal: its name.
        words: what that is, in words.
        stated: the JSON Schema, where the terminal can not be said in all dialects.
    """

    terminal: str
    words: str
    stated: Schema | None = None

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        checked = check_text(attribute.name, value)
        if not grammars.pattern("planspec", self.terminal).fullmatch(checked):
            raise ValueError(f"{attribute.name}: {checked!r} is not {self.words}")

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        if self.stated is not None:
            return self.stated
        return {"type": "string", "pattern": f"^(?:{grammars.regular('planspec').portable(self.terminal)}){_END}"}


@frozen
class Optional:
    """The empty text, or what another validator accepts."""

    inner: Matches

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        if value != "" or not isinstance(value, str):
            self.inner(_instance, attribute, value)

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        made = self.inner.schema()
        if self.inner.stated is not None:
            return made
        return {**made, "pattern": f"^(?:{made['pattern'][1:].removesuffix(_END)})?{_END}"}


@frozen
class Each:
    """A list, all of whose items another validator accepts."""

    inner: Validator

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        if not isinstance(value, list):
            raise TypeError(f"{attribute.name}: expected a list, not {type(value).__name__}")
        for item in value:
            self.inner(_instance, attribute, item)

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        return {"type": "array", "items": self.inner.schema()}


@frozen
class Choice:
    """One of a few values. A converter has to have made it one."""

    values: tuple[str, ...]

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        return {"enum": [*self.values]}


@frozen
class Count:
    """A whole number from 0 with at most nine digits; or None, where that is allowed."""

    is_none_allowed: bool = field(default=False, kw_only=True)

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        if value is None and self.is_none_allowed:
            return
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{attribute.name}: expected a whole number, not {type(value).__name__}")
        if not 0 <= value <= COUNT_LIMIT:
            # Python refuses to write a number of thousands of digits.
            said = value if abs(value) < 10**18 else "a number of that size"
            raise ValueError(f"{attribute.name}: {said} is not between 0 and {COUNT_LIMIT}")

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        count = {"type": "integer", "minimum": 0, "maximum": COUNT_LIMIT}
        return {"anyOf": [count, {"type": "null"}]} if self.is_none_allowed else count
