"""Normal forms of texts, with one width and one kind of white space; and the places in the texts themselves."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from attrs import frozen

__all__ = ["CJK", "NormalText", "WordingMatch", "normalize"]

# Scripts without spaces between words, and their punctuation. Korean is not among them: its spaces mean something.
CJK = "\u2e80-\u303f\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_BESIDE_CJK = re.compile(f"(?<=[{CJK}]) | (?=[{CJK}])")
_PLAIN = re.compile(r"[\n -~\u3001\u3002\u4e00-\u9fff]*+")


@frozen
class WordingMatch:
    """A part of a text: offsets ``start`` (included) to ``end`` (excluded), and what it looks like."""

    text: str
    start: int
    end: int
    kind: str = ""


@frozen
class NormalText:
    """A text with each of its characters in its plain form, and the offset in the text that each of them comes from.

    Full-width letters and digits become ordinary ones, every white space a blank or a line break, and characters
    without width go. Runs stay runs, so that nothing in it hides where it came from.
    """

    raw: str
    text: str
    # One offset for each character of ``text``; None where they are the same.
    _offsets: tuple[int, ...] | None = None

    @classmethod
    def of(cls, raw: str) -> NormalText:
        """The normal form of a text, character by character."""
        if _PLAIN.fullmatch(raw):
            return cls(raw, raw)
        pieces: list[str] = []
        offsets: list[int] = []
        for offset, char in enumerate(raw):
            plain = _plain(char)
            pieces.append(plain)
            offsets.extend([offset] * len(plain))
        return cls(raw, "".join(pieces), tuple(offsets))

    def found(self, start: int, end: int, kind: str = "") -> WordingMatch:
        """The part of the raw text that ``text[start:end]`` comes from; it must not be empty."""
        if self._offsets is not None:
            start, end = self._offsets[start], self._offsets[end - 1] + 1
        return WordingMatch(self.raw[start:end], start, end, kind)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    if char.isspace():
        return "\n" if char in "\n\r\v\f\x85\u2028\u2029" else " "
    if unicodedata.category(char) == "Cf":
        return ""
    plain = unicodedata.normalize("NFKC", char)
    # Accents on their own come out with a blank before them.
    return plain.replace(" ", "") or char


def normalize(text: str) -> str:
    """A goal or command as it is compared: two texts that differ only in width or white space become the same.

    Characters take their plain form (NFKC) and keep their case; characters without width go; every run of white space
    becomes one blank, and none is left at the ends, nor beside Chinese or Japanese, where a blank is a matter of style:
    ``修复 login 页面`` and ``修复login页面`` are the same goal.
    """
    plain = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    spaced = _BESIDE_CJK.sub("", " ".join(plain.split()))
    # What is side by side now may still become one character.
    return unicodedata.normalize("NFKC", spaced)
