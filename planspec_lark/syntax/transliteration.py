"""Chinese in texts, and names in snake_case of texts: Chinese by its sounds, Latin letters without accents."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["has_han", "snake_case"]

_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHES = re.compile("(?<=\\w)['’](?=\\w)")
# The characters that are read of a text: what comes after them would not fit into any name.
_MOST_READ = 400
_LIGATURES = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)


def has_han(text: str) -> bool:
    """Whether there are Chinese characters in a text."""
    return _HAN.search(text) is not None


def snake_case(text: str, *, most: int, most_bytes: int) -> str:
    """As many whole words as fit, in lower case; the first is cut where it does not. The same text, the same name.

    Chinese becomes pinyin, accents go, letters of other scripts stay as they are.

    Args:
        text: of any language.
        most: characters of the name.
        most_bytes: bytes of the name in UTF-8.

    Returns:
        The name; empty where the text has neither letters nor digits.

    Raises:
        ModuleNotFoundError: there is Chinese, and the package `pypinyin` (extra `zh`) is missing.
    """
    text = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text[:_MOST_READ]))
    name = ""
    for word in (_plain(word).lower() for word in _WORD.findall(_HAN.sub(_spell, text))):
        longer = f"{name}_{word}" if name else word[:most]
        if len(longer) > most or len(longer.encode()) > most_bytes:
            break
        name = longer
    return name


def _plain(word: str) -> str:
    """A word in ASCII, where all that keeps it from that are accents and the like."""
    stripped = unicodedata.normalize("NFKD", word.translate(_LIGATURES))
    bare = "".join(char for char in stripped if not unicodedata.combining(char))
    return bare if bare.isascii() else unicodedata.normalize("NFC", word)


def _spell(han: re.Match[str]) -> str:
    from pypinyin import lazy_pinyin  # noqa: PLC0415  (an extra, and slow to load)

    return f" {' '.join(lazy_pinyin(han[0]))} "
