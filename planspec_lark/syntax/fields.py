"""What a field of a model may hold: validators that also say it as JSON Schema, and constructors.

A model that can be built can be written down: the validators refuse what no text could hold. Which words and numbers a
language has is said by the terminals of its grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any, Protocol

import attrs
from attrs import Attribute, field, frozen

from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import BLANKS

__all__ = [
    "COUNT_LIMIT",
    "Count",
    "Each",
    "Line",
    "Matches",
    "Schema",
    "Text",
    "Validator",
    "default_of",
    "exact",
    "exact_items",
    "has_forbidden",
    "require_number",
    "require_one_of",
    "require_text",
    "require_whole",
    "reset",
    "trusting",
]

Schema = dict[str, Any]

COUNT_LIMIT = 999_999_999
# What a free text may hold has one cure.
_ADVICE = "; one_line() makes one line of any text"


class Validator(Protocol):
    """Refuses what a field can not hold, and says the same as a JSON Schema (2020-12).

    What it raises, ValueError or TypeError for a wrong type, has a message that starts with the field's name.
    """

    def __call__(self, _instance: object, attribute: Attribute[Any], value: Any) -> None:
        """Raise for such a value."""

    def schema(self) -> Schema:
        """The JSON Schema of what it accepts."""


def exact(value: object) -> Any:
    """A text as a plain string, so that it prints as it compares: an enum member that is a string does not."""
    return str.__str__(value) if isinstance(value, str) and type(value) is not str else value


def exact_items(value: object) -> Any:
    """A list whose texts are plain strings: the same list where they are."""
    if isinstance(value, list) and any(type(item) is not str for item in value):
        return [exact(item) for item in value]
    return value


def require_whole(name: str, value: object) -> int:
    """``value`` if it is a whole number; True and False are none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}: expected a whole number, not {type(value).__name__}")
    return value


def require_number(name: str, value: object) -> float:
    """``value`` if it is a number; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name}: expected a number, not {type(value).__name__}")
    return value


def require_one_of(name: str, value: object, known: Collection[str]) -> None:
    """Refuse a value that is none of those that there are."""
    if value not in known:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(known)}")


def require_text(name: str, value: object, advice: str = "") -> str:
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


# In some dialects `$` also matches before a last line break.
_END = r"$(?!\n)"
_CHARACTER = r"[^\u0000-\u0008\u000a-\u001f\u007f\ud800-\udfff]"
_EDGE = r"[^\u0000-\u0020\u007f\ud800-\udfff]"


@frozen
class Line:
    """Any text of one line, its white space kept."""

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        require_text(attribute.name, value, _ADVICE)

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        return {"type": "string", "pattern": rf"^{_CHARACTER}*{_END}"}


@frozen
class Text:
    """A text of one line without white space around it."""

    is_empty_allowed: bool = field(default=True, kw_only=True)

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        checked = require_text(attribute.name, value, _ADVICE)
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
        is_empty_allowed: whether the empty text is accepted, too.
    """

    terminal: str
    words: str
    stated: Schema | None = None
    is_empty_allowed: bool = field(default=False, kw_only=True)

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        is_empty = self.is_empty_allowed and isinstance(value, str) and not value
        if not is_empty and not grammars.pattern("planspec", self.terminal).fullmatch(
            require_text(attribute.name, value)
        ):
            raise ValueError(f"{attribute.name}: {value!r} is not {self.words}")

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        spelled = f"(?:{grammars.regular('planspec').portable(self.terminal)})"
        if self.is_empty_allowed:
            spelled = f"(?:{spelled})?"
        return self.stated or {"type": "string", "pattern": f"^{spelled}{_END}"}


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
class Count:
    """A whole number from 0 with at most nine digits; or None, where that is allowed."""

    is_none_allowed: bool = field(default=False, kw_only=True)

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""
        if value is None and self.is_none_allowed:
            return
        count = require_whole(attribute.name, value)
        if not 0 <= count <= COUNT_LIMIT:
            # Python refuses to write a number of thousands of digits.
            said = count if abs(count) < 10**18 else "a number of that size"
            raise ValueError(f"{attribute.name}: {said} is not between 0 and {COUNT_LIMIT}")

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        count = {"type": "integer", "minimum": 0, "maximum": COUNT_LIMIT}
        return {"anyOf": [count, {"type": "null"}]} if self.is_none_allowed else count


# ---------------------------------------------------------------- models of values that are known to be right


def trusting(model: type[attrs.AttrsInstance]) -> Callable[..., Any]:
    """A constructor that looks at no value again, for values out of a model or that the grammar has let through.

    It takes every field, in their order or by name; one that is left out gets its default. Passing each value through
    its validator would cost ten times as much.
    """
    known: dict[str, Any] = {"new": object.__new__, "model": model}
    arguments, rows = [], ["  made = new(model)"]
    for one in attrs.fields(model):
        name = one.name
        # All that is made again for each model is a list.
        is_list = hasattr(one.default, "factory")
        known |= {f"set_{name}": getattr(model, name).__set__, f"default_{name}": None if is_list else one.default}
        arguments.append(name if one.default is attrs.NOTHING else f"{name}=default_{name}")
        rows.append(f"  set_{name}(made, {f'[] if {name} is None else {name}' if is_list else name})")
    rows = [f"def make({', '.join(arguments)}):", *rows, "  return made"]
    # As attrs makes its own methods: from the names of the fields and nothing else.
    exec("\n".join(rows), known)  # noqa: S102
    made: Callable[..., Any] = known["make"]
    return made


def reset(model: attrs.AttrsInstance, *names: str) -> None:
    """Give fields of a model the values that they have by default."""
    for name in names:
        setattr(model, name, default_of(type(model), name))


def default_of(model: type[attrs.AttrsInstance], name: str) -> Any:
    """The value that a field has by default."""
    default = getattr(attrs.fields(model), name).default
    factory = getattr(default, "factory", None)
    return factory() if factory else default
