"""Types of inputs and outputs: what their names mean, and which values and types go together."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["accepts", "fits", "kind_of", "kinds_of"]

# The names that are known, by what they mean. What else a definition says may be anything.
_NAMES = {
    "string": ("string", "str", "text"),
    "integer": ("integer", "int"),
    "number": ("number", "float", "double"),
    "boolean": ("boolean", "bool"),
    "array": ("array", "list"),
    "object": ("object", "dict", "map"),
    "null": ("null", "none"),
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names}


def kinds_of(names: Sequence[str]) -> frozenset[str] | None:
    """What names of types mean; None where one of them may be anything, or there are none."""
    kinds = {_KINDS.get(name.strip().lower(), "") for name in names}
    return frozenset(kinds) if kinds and "" not in kinds else None


def kind_of(value: object) -> str:
    """The type of a value; empty for what is not a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else ""


def accepts(kinds: frozenset[str] | None, value: object) -> bool:
    """Whether a value is of one of these types. A whole number is a number as well."""
    kind = kind_of(value)
    return kinds is None or not kind or kind in kinds or (kind == "integer" and "number" in kinds)


def fits(given: frozenset[str] | None, wanted: frozenset[str] | None) -> bool:
    """Whether something of one of the types ``given`` may be of one of the types ``wanted``."""
    if given is None or wanted is None:
        return True
    return not given.isdisjoint(wanted) or ("integer" in given and "number" in wanted)
