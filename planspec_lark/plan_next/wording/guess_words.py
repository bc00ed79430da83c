"""The words that tell a step from a guess: those of a sequence, which no hypothesis has, and those of guessing.

The lists are data, in ``guess_words.toml``, and a caller may extend them or bring others. At each place of a text the
longest entry counts, whether it is a word or none.

Entries are written as they occur, in any width and case. ``{n}`` means a number (an entry with that number spelled
out comes before it), and a blank for any white space. What is after a ``|`` has to follow and is no part of the
word. An entry that begins or ends with a Latin letter is found only as a whole word, and not as a name in code:
``next()``, ``.then``, ``Next.js``, ``first-class``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from planspec_lark.plan_next.wording.normal_forms import NormalText, WordingMatch
from planspec_lark.syntax.diagnostics import PlanSpecError, PlanSyntaxError
from planspec_lark.syntax.limits import Limits, find_excess, read_file

__all__ = [
    "MAX_ENTRY",
    "WORDS_LIMITS",
    "WordList",
    "WordListError",
    "WordLists",
    "default_words",
    "load_words",
    "read_key",
    "read_words",
]

WORDS_LIMITS = Limits(max_bytes=1_000_000)
MAX_ENTRY = 60
_LISTS = ("sequence", "guess")
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


class WordListError(PlanSpecError, ValueError):
    """A list of words, or an entry of one, that cannot be used; the message says where and why."""


def read_key(entry: str) -> tuple[str, ...]:
    """The pieces of an entry: a character each, or ``{n}``.

    Raises:
        WordListError: it is empty, too long or says what cannot be said.
    """
    text = " ".join(NormalText.of(entry).text.split())
    if len(text) > MAX_ENTRY:
        raise WordListError(f"an entry has at most {MAX_ENTRY} characters, this one has {len(text)}")
    word, _, tail = text.partition("|")
    if not word.strip():
        raise WordListError("an entry is a word")
    if word.startswith("{n}"):
        raise WordListError("an entry does not begin with a number")
    if "|" in tail or "{n}" in tail:
        raise WordListError("after the bar of an entry comes neither a number nor another bar")
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

    def __attrs_post_init__(self) -> None:
        for name in _NAMES:
            for entry in getattr(self, name):
                try:
                    read_key(entry)
                except WordListError as error:
                    raise WordListError(f"{name}: {error}") from None

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

    def extended(self, more: WordList) -> WordList:
        """A list with more entries. What comes last wins: a word may have been allowed, and the other way round."""
        new = {read_key(entry) for entry in (*more.words, *more.allowed)}
        lists = {name: [old for old in getattr(self, name) if read_key(old) not in new] for name in _NAMES}
        return WordList(**{name: (*old, *getattr(more, name)) for name, old in lists.items()})

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


@frozen
class WordLists:
    """Both lists: words of a sequence, and words of guessing."""

    sequence: WordList
    guess: WordList

    def find_sequence(self, text: str) -> list[WordingMatch]:
        """Words that put things into an order: first, then, next; 先, 再, 然后."""
        return self.sequence.find(text)

    def find_guess(self, text: str) -> list[WordingMatch]:
        """Words of guessing: maybe, perhaps, assume; 可能, 也许, 原因, 假设."""
        return self.guess.find(text)

    def extended(
        self, sequence: Iterable[str] = (), guess: Iterable[str] = (), allowed: Iterable[str] = ()
    ) -> WordLists:
        """These and more: words for each list, and longer words in which the words of both lists do not count.

        Raises:
            WordListError: an entry cannot be used.
        """
        allowed = tuple(allowed)
        return evolve(
            self,
            sequence=self.sequence.extended(WordList(words=tuple(sequence), allowed=allowed)),
            guess=self.guess.extended(WordList(words=tuple(guess), allowed=allowed)),
        )


def load_words(path: Path | str) -> WordLists:
    """The word lists in a file; see :func:`read_words`.

    Raises:
        WordListError: the file holds something else, or too much.
        OSError: it cannot be read.
    """
    try:
        return read_words(read_file(path, WORDS_LIMITS))
    except PlanSyntaxError as error:
        raise WordListError(f"the word lists cannot be read: {error.diagnostics[0].message}") from None


def read_words(text: str) -> WordLists:
    """Word lists from a TOML text.

    The text has a table ``sequence`` and a table ``guess``, each with lists of strings named as in :class:`WordList`.
    With ``extends = true`` at its top, it adds to the default lists; otherwise it replaces them.

    Raises:
        WordListError: it is too large, no TOML, or has other keys or values.
    """
    if excess := find_excess(text, "<text>", WORDS_LIMITS):
        raise WordListError(f"the word lists cannot be read: {excess.message}")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise WordListError(f"the word lists are not TOML: {error}") from None
    extends = tables.pop("extends", False)
    if not isinstance(extends, bool):
        raise WordListError("extends: expected true or false")
    if unknown := sorted(set(tables) - set(_LISTS)):
        raise WordListError(f"unknown key {unknown[0]!r}: expected extends, sequence or guess")
    sequence, guess = (_read_list(name, tables.get(name, {})) for name in _LISTS)
    if not extends:
        return WordLists(sequence, guess)
    default = default_words()
    return WordLists(default.sequence.extended(sequence), default.guess.extended(guess))


def _read_list(name: str, table: Any) -> WordList:
    if not isinstance(table, Mapping):
        raise WordListError(f"{name}: expected a table")
    if unknown := sorted(set(table) - set(_NAMES)):
        raise WordListError(f"{name}: unknown key {unknown[0]!r}: expected one of {', '.join(_NAMES)}")
    for key, entries in table.items():
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            raise WordListError(f"{name}.{key}: expected a list of strings")
    try:
        return WordList(**{key: tuple(entries) for key, entries in table.items()})
    except WordListError as error:
        raise WordListError(f"{name}.{error}") from None


@cache
def default_words() -> WordLists:
    """The word lists that come with the package."""
    return read_words(files(__package__).joinpath("guess_words.toml").read_text(encoding="utf-8"))
