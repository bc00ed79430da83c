"""The words that tell a step from a guess: those of a sequence, which no hypothesis has, and those of guessing.

The lists are data, in ``guess_words.toml``, and a caller may extend them or bring others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from planspec_lark.plan_next.wording.normal_forms import WordingMatch
from planspec_lark.plan_next.wording.word_patterns import EntryKind, Matcher, WordEntry, WordListError, read_key
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.limits import Limits, find_excess, read_file

__all__ = [
    "WORDS_LIMITS",
    "WordList",
    "WordListError",
    "WordLists",
    "WordingMatch",
    "default_words",
    "load_words",
    "read_words",
]

WORDS_LIMITS = Limits(max_bytes=1_000_000)
_LISTS = ("sequence", "guess")


@frozen(kw_only=True)
class WordList:
    """Words of one kind. :mod:`planspec_lark.plan_next.wording.word_patterns` says how an entry is written.

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
        """All words in a text, in its order: at each place the longest entry counts."""
        return self._matcher.find(text)

    def extended(self, *, words: Iterable[str] = (), allowed: Iterable[str] = ()) -> WordList:
        """A list with more entries. What comes last wins: a word may have been allowed, and the other way round."""
        words, allowed = tuple(words), tuple(allowed)
        new = {read_key(entry)[0] for entry in (*words, *allowed)}
        kept = {name: tuple(old for old in getattr(self, name) if read_key(old)[0] not in new) for name in _NAMES}
        return WordList(**{**kept, "words": (*kept["words"], *words), "allowed": (*kept["allowed"], *allowed)})

    @cached_property
    def _matcher(self) -> Matcher:
        entries: dict[tuple[str, ...], WordEntry] = {}
        kinds = {"conditional": EntryKind.CONDITIONAL, "conditions": EntryKind.CONDITION, "allowed": EntryKind.ALLOWED}
        for name in _NAMES:
            for text in getattr(self, name):
                key, tail = read_key(text)
                spellings = frozenset([text]) if name == "cased" else frozenset()
                if name == "cased" and key in entries:
                    spellings |= entries[key].spellings
                entries[key] = WordEntry(kinds.get(name, EntryKind.WORD), tail, spellings)
        return Matcher(entries)


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
            sequence=self.sequence.extended(words=sequence, allowed=allowed),
            guess=self.guess.extended(words=guess, allowed=allowed),
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
    return WordLists(_merge(default.sequence, sequence), _merge(default.guess, guess))


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


def _merge(old: WordList, new: WordList) -> WordList:
    merged = old.extended(words=new.words, allowed=new.allowed)
    more = {name: (*getattr(merged, name), *getattr(new, name)) for name in ("cased", "conditional", "conditions")}
    return evolve(merged, **more)


@cache
def default_words() -> WordLists:
    """The word lists that come with the package."""
    return read_words(files(__package__).joinpath("guess_words.toml").read_text(encoding="utf-8"))
