"""What makes a text a different one each time: time stamps, UUIDs and random numbers in hexadecimal digits.

A time stamp names a day and a time of that day, or counts seconds. A date alone is not one, nor is a time on a clock
like 10:30, which is as often a schedule or a span; the Chinese 10点30分 counts, since it can only be a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from planspec_lark.plan_next.wording.normal_forms import NormalText, WordingMatch

__all__ = ["find_unstable"]


# The places of tokens in a text.
_Spans: TypeAlias = "Iterator[tuple[int, int]]"
_STAMP_KIND, _UUID_KIND, _NUMBER_KIND = "a time stamp", "a UUID", "a random number"

_YEAR = "(?:19|20)[0-9]{2}"
_MONTH = "(?:0?[1-9]|1[0-2])"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_HOUR = "(?:[01]?[0-9]|2[0-4])"
_SIXTY = "[0-5][0-9]"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+\-](?:[01][0-9]):?[0-5][0-9])(?![0-9A-Za-z]))?"
_CLOCK = f"{_HOUR}:{_SIXTY}(?::(?:{_SIXTY}|60)(?:[.,][0-9]{{1,9}})?)?(?: ?[AaPp][Mm](?![A-Za-z]))?{_ZONE}"
_NAMED = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_AT = r"(?:[Tt_]|,? (?:at )?|, ?)"
_TIMESTAMPS = (
    # 2026-11-22T10:00:00Z, 2026/11/22 10:00, 22.11.2026 10:00, 11/22/2026 10:00
    rf"{_YEAR}([\-/.]){_MONTH}\1{_DAY}{_AT}{_CLOCK}",
    rf"{_DAY}([/.]){_DAY}\2{_YEAR}{_AT}{_CLOCK}",
    # 2026-11-22T10, 2026-11-22T100000Z, 20261122T100000Z, 20261122-100000, 20261122100000
    rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[T_](?:[01][0-9]|2[0-3])(?:-?{_SIXTY}){{0,2}}{_ZONE}",
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[T_\-]?(?:[01][0-9]|2[0-3]){_SIXTY}(?:{_SIXTY})?(?:[.,][0-9]{{1,9}})?{_ZONE}",
    # 22 Nov 2026 10:00:00 GMT, Nov 22, 2026 at 10:00
    rf"{_DAY}[ \-]{_NAMED}[ \-]{_YEAR}{_AT}{_CLOCK}",
    rf"{_NAMED} {_DAY},? {_YEAR}{_AT}{_CLOCK}",
    # 2026年11月22日10时, 2026年11月22日 10:00, 11月22日上午10点30分, 10点30分
    rf"(?:{_YEAR} ?年 ?)?{_MONTH} ?月 ?{_DAY} ?[日号號] ?(?:[上下中]午|凌晨|早上|晚上|傍晚)? ?"
    rf"(?:{_CLOCK}|{_HOUR} ?[时時点點](?: ?{_SIXTY} ?分(?: ?{_SIXTY} ?秒)?)?)",
    rf"{_HOUR} ?[时時点點] ?{_SIXTY} ?分(?: ?{_SIXTY} ?秒)?(?![钟鐘])",
)
_STAMP = re.compile(rf"(?<![0-9A-Za-z.+])(?:{'|'.join(_TIMESTAMPS)})(?![0-9A-Za-z])")
# Seconds, and thousandths, millionths and billionths of them, since 1970: for the years from 2004 to 2033.
_EPOCH = re.compile(
    r"(?<![0-9A-Za-z.+\-_,$])1[1-9][0-9]{8}(?:[0-9]{3}){0,3}(?:\.[0-9]{1,9})?(?![0-9A-Za-z_%]|[.,][0-9])"
)
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?+(?:[0-9a-f]{12,}+|[0-9A-F]{12,}+)(?![0-9A-Za-z])")
_URL = re.compile(r"(?<![0-9A-Za-z+.\-])(?:[A-Za-z][0-9A-Za-z+.\-]{0,20}://|www\.)\S+")


def find_unstable(text: str) -> list[WordingMatch]:
    """All time stamps, UUIDs and random numbers of a text, in its order; in linear time.

    Plain dates, versions, names of all kinds, addresses, colours and phone numbers do not count, nor does what looks
    random inside a URL.
    """
    normal = NormalText.of(text)
    left, found = normal.text, []
    for find, kind in _FINDERS:
        spans = [*find(left)]
        found += [normal.found(start, end, kind) for start, end in spans]
        # What is known to be one thing is no other.
        left = _without(left, spans)
    return sorted(found, key=lambda one: one.start)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text as long, with nothing at these places."""
    signs = [*text]
    for start, end in spans:
        signs[start:end] = "\0" * (end - start)
    return "".join(signs)


def _find_stamps(text: str) -> _Spans:
    return (match.span() for match in _STAMP.finditer(text))


def _find_epochs(text: str) -> _Spans:
    for match in _EPOCH.finditer(text):
        # A round number is a number, and 1234567890 is what people count up to.
        if not match[0].endswith("00000") and not "12345678901234567890".startswith(match[0]):
            yield match.span()


def _find_uuids(text: str) -> _Spans:
    # The UUIDs of nothing and of everything are constants.
    return (match.span() for match in _UUID.finditer(text) if len({*match[0]}) > 2)


def _find_numbers(text: str) -> _Spans:
    text = _without(text, (match.span() for match in _URL.finditer(text)))
    return (match.span() for match in _HEX.finditer(text) if _looks_random(match[0].removeprefix("0x")))


def _looks_random(digits: str) -> bool:
    """Neither a word or a number in all but a few characters, nor the same characters again and again."""
    return 2 <= sum(map(str.isdecimal, digits)) <= len(digits) - 2 and len({*digits}) >= 6


_FINDERS: tuple[tuple[Callable[[str], _Spans], str], ...] = (
    (_find_uuids, _UUID_KIND),
    (_find_stamps, _STAMP_KIND),
    (_find_epochs, _STAMP_KIND),
    (_find_numbers, _NUMBER_KIND),
)
