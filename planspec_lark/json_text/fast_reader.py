"""A JSON text without any fault → its value, by the standard library's reader."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from planspec_lark.json_text.models import MISSING

__all__ = ["MAX_DIGITS", "read", "read_number"]

# An integer may have so many digits. Floats have at most 309, and every reader of JSON has a bound somewhere.
MAX_DIGITS = 400
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONGEST = b"0" * (MAX_DIGITS + 1)


def read(text: str, max_depth: int | None) -> Any:
    """The value; :data:`~planspec_lark.json_text.models.MISSING` where the text has a fault, or is too deep.

    A text that it refuses need not be wrong; one that it reads is right.
    """
    text = text.removeprefix("\ufeff")
    try:
        # What this package does not let through, and the library does: numerals of any length, and halves of pairs.
        if _LONGEST in text.encode().translate(_DIGITS):
            return MISSING
        value = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:
            # Half of a pair has no UTF-8.
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return MISSING
    return MISSING if max_depth is not None and _is_deeper(value, max_depth) else value


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key comes twice")
    return made


def read_number(numeral: str) -> int | float:
    """The value of a number as JSON writes it.

    Raises:
        ValueError: it is beyond all bounds; with a message, and help.
    """
    digits = numeral.lstrip("-")
    if not digits.isdigit():
        return _read_float(numeral)
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"the number has {len(digits):,} digits", f"an integer has at most {MAX_DIGITS} digits")
    return int(numeral)


def _read_float(numeral: str) -> float:
    number = float(numeral)
    if not math.isfinite(number):
        raise ValueError("the number is too large", "a number with a point or an exponent lies within ±1.8e308")
    return number


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


_DECODER = json.JSONDecoder(object_pairs_hook=_build_object, parse_float=_read_float, parse_constant=_refuse)


def _is_deeper(value: Any, most: int) -> bool:
    """Whether there are more than so many levels of containers in one another."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        level = [
            inside
            for container in level
            for inside in (container.values() if isinstance(container, dict) else container)
            if isinstance(inside, (dict, list))
        ]
    return bool(level)
