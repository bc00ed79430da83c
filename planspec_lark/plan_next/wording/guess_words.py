"""The words that tell a step from a guess: those of a sequence, which no hypothesis has, and those of guessing.

The lists are data, in ``guess_words.toml``. At each place of a text the longest entry counts, whether it is a word or
none.

Entries are written as they occur, in any width and case. ``{n}`` means a number (an entry with that number spelled
out comes before it), and a blank for any white space. What is after a ``|`` has to follow and is no part of the
word. An entry that begins or ends with a Latin letter is found only as a whole word, and not as a name in code:
``next()``, ``.then``, ``Next.js``, ``first-class``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, cached_property
from importlib.resources import files
from itertools import groupby

from attrs import fields, frozen

from planspec_lark.plan_next.wording.normal_forms import NormalText, WordingMatch

__all__ = ["WordList", "find_guess", "find_sequence", "read_key", "read_lists"]

_NUMBER = (
    r"(?:[0-9]++(?:\.[0-9]++)*+|[零〇一二三四五六七八九十百千两兩]++"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten)(?![a-z\-]))"
)
_BEFORE = r"(?<![0-9A-Za-z_\u00c0-\u024f.\-/\\$@#`&])(?<!::)"
_AFTER = r"(?![0-9A-Za-z_\u00c0-\u024f\-/\\(=`]|\.[0-9A-Za-z_]|::)"
# Where a sentence ends, so does what an "if" in it says.
_STOP = r"(?:\n|[.!?;。](?![0-9A-Za-z]))++"
_PIECES = re.compile(r"\{n\}|.")
_GAP = r"\s*+"
_WRITTEN = {"{n}": f"{_GAP}{_NUMBER}{_GAP}", " ": r"\s++", "|": "(?="}
_LATIN = re.compile(r"[0-9A-Za-z\u00c0-\u024f]")


def read_key(entry: str) -> tuple[str, ...]:
    """The pieces of an entry: a character each, or ``{n}``."""
    text = " ".join(NormalText.of(entry).text.split())
    return tuple(piece.lower() for piece in _PIECES.findall(text))


def _order(key: tuple[str, ...]) -> list[tuple[int, str]]:
    """What is longer comes first, and what is spelled out before any number."""
    return [*((int(piece == "{n}"), piece) for piece in key if piece != "|"), (2, "")]


def _write(key: tuple[str, ...]) -> str:
    """The expression of an entry without its first piece, with an empty group that tells which one it was."""
    after = _AFTER if _LATIN.match(key[-1]) else ""
    rest = "".join(_WRITTEN.get(piece) or re.escape(piece) for piece in key[1:])
    return f"{rest.removesuffix(_GAP)}{after}{')' * ('|' in key)}()"


@frozen(kw_only=True)
class WordList:
    """Words of one kind.

    Attributes:
        words: what is looked for, in any case.
        cased: what is looked for exactly as it is written.
        conditional: words that do not count after a condition ("if ... then ...").
        conditions: words that make a condition.
        allowed: longer words in which the words do not count.
    """

    words: tuple[str, ...] = ()
    cased: tuple[str, ...] = ()
    conditional: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def find(self, text: str) -> list[WordingMatch]:
        """All words in a text, in its order: at each place the longest entry counts. In linear time."""
        normal, found, is_conditional = NormalText.of(text), [], False
        pattern, names = self._compiled
        for match in pattern.finditer(normal.text):
            name = names[(match.lastindex or 1) - 1]
            if name in ("conditions", ""):
                is_conditional = name == "conditions"
            elif name == "conditional" and is_conditional:
                is_conditional = False
            elif name != "allowed" and (name != "cased" or " ".join(match[0].split()) in self.cased):
                found.append(normal.found(*match.span()))
        return found

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], list[str]]:
        """One expression for all entries, and what each of its groups is: a list, or "" for the end of a sentence."""
        lists = {read_key(entry): name for name in _NAMES for entry in getattr(self, name)}
        keys = sorted(lists, key=_order)
        tops = [
            f"{_BEFORE if _LATIN.match(first) else ''}{re.escape(first)}(?:{'|'.join(map(_write, group))})"
            for first, group in groupby(keys, lambda key: key[0])
        ]
        return re.compile("|".join([*tops, f"{_STOP}()"]), re.IGNORECASE), [*(lists[key] for key in keys), ""]


# In this order, since what is allowed wins.
_NAMES = tuple(attribute.name for attribute in fields(WordList))


@cache
def read_lists() -> dict[str, WordList]:
    """Both lists by name: words of a sequence, and words of guessing."""
    tables = tomllib.loads(files(__package__).joinpath("guess_words.toml").read_text(encoding="utf-8"))
    return {name: WordList(**{kind: tuple(one) for kind, one in table.items()}) for name, table in tables.items()}


def find_sequence(text: str) -> list[WordingMatch]:
    """Words that put things into an order: first, then, next; 先, 再, 然后."""
    return read_lists()["sequence"].find(text)


def find_guess(text: str) -> list[WordingMatch]:
    """Words of guessing: maybe, perhaps, assume; 可能, 也许, 原因, 假设."""
    return read_lists()["guess"].find(text)
