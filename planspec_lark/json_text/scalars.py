"""Numbers and words: what they say, and what is meant by those that JSON does not know."""

from __future__ import annotations

import math
import re

from planspec_lark.json_text.flaws import Flaw
from planspec_lark.json_text.strings import spell
from planspec_lark.syntax import grammars

__all__ = ["LITERALS", "MAX_DIGITS", "NO_VALUE", "diagnose_range", "diagnose_word", "read_number"]

LITERALS = {"true": True, "false": False, "null": None}
# An integer may have so many digits. Floats have at most 309, and every reader of JSON has a bound somewhere.
MAX_DIGITS = 400
# Where a word has no value.
NO_VALUE = object()

_OTHER_LITERALS = {"true": True, "false": False, "null": None, "none": None}
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})
_LIKE_A_NUMBER = re.compile(r"[+\-]?\.?[0-9]")
_LOOSE_NUMBER = re.compile(r"[+\-]?(?P<int>[0-9]*)(?P<fraction>\.[0-9]*)?(?P<exponent>[eE][+\-]?[0-9]+)?")
_GROUPED = re.compile(r"[+\-]?[0-9]+(?:_[0-9]+)+")
_HEXADECIMAL = re.compile(r"[+\-]?0[xX][0-9A-Fa-f]{1,16}")


def read_number(numeral: str) -> int | float | None:
    """The value of a number as JSON writes it, or None where it is beyond all bounds."""
    if "." in numeral or "e" in numeral or "E" in numeral:
        number = float(numeral)
        return number if math.isfinite(number) else None
    return int(numeral) if len(numeral.lstrip("-")) <= MAX_DIGITS else None


def diagnose_range(numeral: str, start: int) -> Flaw:
    """What is wrong with a number that has no value."""
    if "." in numeral or "e" in numeral or "E" in numeral:
        message, help = "the number is too large", "a number with a point or an exponent lies within ±1.8e308"
    else:
        digits = len(numeral.lstrip("-"))
        message, help = f"the number has {digits:,} digits", f"an integer has at most {MAX_DIGITS} digits"
    return Flaw("PJ134", message, start, start + len(numeral), help=help, is_loss=True)


def diagnose_word(word: str, start: int) -> tuple[Flaw, object]:
    """What is wrong with a word that stands for a value, and its value, or :data:`NO_VALUE`."""
    end = start + len(word)
    lower = word.lower()
    if lower in _OTHER_LITERALS:
        right = spell(_OTHER_LITERALS[lower])
        flaw = Flaw("PJ131", f"`{word}` is written `{right}`", start, end, fix=(start, end, right))
        return flaw, _OTHER_LITERALS[lower]
    if lower.lstrip("+-") in _NOT_FINITE:
        message = f"`{word}` is no number that JSON can hold"
        return Flaw("PJ132", message, start, end, help="write a number, or null", is_loss=True), NO_VALUE
    if _LIKE_A_NUMBER.match(word):
        return _diagnose_number(word, start)
    message = f"`{word}` is no value"
    help = f"a text stands in double quotes: {spell(word)}" if word.strip(".…") else "write the value out"
    return Flaw("PJ131", message, start, end, expected=("a value",), help=help, is_loss=True), NO_VALUE


def _diagnose_number(word: str, start: int) -> tuple[Flaw, object]:
    end = start + len(word)
    right = _mend_number(word)
    value = (
        read_number(right) if right is not None and grammars.pattern("json_text", "NUMERAL").fullmatch(right) else None
    )
    if value is None:
        message = f"`{word}` is no number"
        help = f"if it is a text, it stands in double quotes: {spell(word)}"
        return Flaw("PJ133", message, start, end, expected=("a value",), help=help, is_loss=True), NO_VALUE
    assert right is not None
    return Flaw("PJ133", f"the number `{word}` is written `{right}`", start, end, fix=(start, end, right)), value


def _mend_number(word: str) -> str | None:
    """A number as JSON writes it; what it most likely says. A leading zero may stand for anything."""
    sign = "-" if word.startswith("-") else ""
    if _HEXADECIMAL.fullmatch(word):
        return str(int(word, 16))
    if _GROUPED.fullmatch(word):
        return sign + word.lstrip("+-").replace("_", "")
    match = _LOOSE_NUMBER.fullmatch(word)
    if match is None:
        return None
    fraction = match["fraction"] or ""
    return f"{sign}{match['int'] or '0'}{fraction if len(fraction) > 1 else ''}{match['exponent'] or ''}"
