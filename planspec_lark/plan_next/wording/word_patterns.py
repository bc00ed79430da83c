"""Lists of words as one regular expression: at each place the longest entry counts, whether it is a word or none.

Entries are written as they occur, in any width and case. ``{n}`` means a number (an entry with that number spelled
out comes before it), and a blank for any white space. What is after a ``|`` has to follow and is no part of the
word. An entry that begins or ends with a Latin letter is found only as a whole word, and not as a name in code:
``next()``, ``.then``, ``Next.js``, ``first-class``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property

from attrs import define, field, frozen

from planspec_lark.plan_next.wording.normal_forms import NormalText, WordingMatch
from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["EntryKind", "Matcher", "WordEntry", "WordListError", "read_key"]

MAX_ENTRY = 60
_NUMBER = (
    r"(?:[0-9]++(?:\.[0-9]++)*+|[零〇一二三四五六七八九十百千两兩]++"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten)(?![a-z\-]))"
)
_BEFORE = r"(?<![0-9A-Za-z_\u00c0-\u024f.\-/\\$@#`&])(?<!::)"
_AFTER = r"(?![0-9A-Za-z_\u00c0-\u024f\-/\\(=`]|\.[0-9A-Za-z_]|::)"
# Where a sentence ends, so does what an "if" in it says.
_STOP = r"(?:\n|[.!?;。](?![0-9A-Za-z]))++"
_PIECES = re.compile(r"\{n\}|.")
_WRITTEN = {"{n}": _NUMBER, " ": r"\s++", "{s}": r"\s"}
_LATIN = re.compile(r"[0-9A-Za-z\u00c0-\u024f]")


class WordListError(PlanSpecError, ValueError):
    """A list of words, or an entry of one, that cannot be used; the message says where and why."""


class EntryKind(Enum):
    """What an entry is."""

    WORD = "word"  # counts
    CONDITIONAL = "conditional"  # counts, but for the first one after a condition in the same sentence
    CONDITION = "condition"  # a condition, such as "if"
    ALLOWED = "allowed"  # a longer word, in which the word does not count
    STOP = "stop"  # the end of a sentence


@frozen
class WordEntry:
    """One entry: its kind, how many characters have to follow it, and its spellings where not just any will do."""

    kind: EntryKind
    tail: int = 0
    spellings: frozenset[str] = frozenset()

    def takes(self, text: str) -> bool:
        """Whether a text that was matched is spelled as it has to be."""
        return not self.spellings or " ".join(text.split()) in self.spellings


def read_key(entry: str) -> tuple[tuple[str, ...], int]:
    """The pieces of an entry (a character each, or ``{n}``), and how many of them have to follow the word.

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
    # A blank that has to follow is exactly one, so that it is known where the word ends.
    pieces = [*_PIECES.findall(word), *("{s}" if char == " " else char for char in tail)]
    return tuple(piece.lower() for piece in pieces), len(tail)


@define
class _Node:
    """A place in the tree of all entries: what can follow, and the entry that ends here."""

    children: dict[str, _Node] = field(factory=dict)
    entry: WordEntry | None = None


@define
class Matcher:
    """Finds the words among entries, given by the pieces that :func:`read_key` makes of them."""

    entries: Mapping[tuple[str, ...], WordEntry]

    def find(self, text: str) -> list[WordingMatch]:
        """All words in a text, in its order; in linear time."""
        return list(self._iter(NormalText.of(text)))

    def _iter(self, normal: NormalText) -> Iterator[WordingMatch]:
        pattern, leaves = self._compiled
        conditional, at = False, 0
        while match := pattern.search(normal.text, at):
            entry = leaves[(match.lastindex or 1) - 1]
            at = match.end() - entry.tail
            if entry.kind in (EntryKind.CONDITION, EntryKind.STOP):
                conditional = entry.kind is EntryKind.CONDITION
            elif entry.kind is EntryKind.CONDITIONAL and conditional:
                conditional = False
            elif entry.kind is not EntryKind.ALLOWED and entry.takes(normal.text[match.start() : at]):
                yield normal.found(match.start(), at)

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], list[WordEntry]]:
        """The expression, and the entry of each of its groups; made as one, as threads may make it at the same time."""
        root = _Node()
        for pieces, entry in self.entries.items():
            node = root
            for piece in pieces:
                node = node.children.setdefault(piece, _Node())
            node.entry = entry
        leaves: list[WordEntry] = []
        tops = [
            (_BEFORE if _LATIN.match(piece) else "") + _write(piece, child, leaves)
            for piece, child in root.children.items()
        ]
        if any(entry.kind is EntryKind.CONDITION for entry in self.entries.values()):
            tops.append(_STOP + _leaf(WordEntry(EntryKind.STOP), leaves))
        # Of no entries at all, nothing is found.
        return re.compile("|".join(tops) or "(?!)", re.IGNORECASE), leaves


def _leaf(entry: WordEntry, leaves: list[WordEntry]) -> str:
    # An empty group tells afterwards which entry it was.
    leaves.append(entry)
    return "()"


def _write(piece: str, node: _Node, leaves: list[WordEntry]) -> str:
    written = _WRITTEN.get(piece) or re.escape(piece)
    # What is longer comes first, and what is spelled out before any number. Entries have few characters, so this goes
    # no deeper than that.
    children = sorted(node.children.items(), key=lambda child: child[0] == "{n}")
    rest = [r"\s*+" * ("{n}" in (piece, then)) + _write(then, child, leaves) for then, child in children]
    if node.entry is not None:
        after = _AFTER if _LATIN.match(piece) else ""
        rest.append(after + _leaf(node.entry, leaves))
    return written + (rest[0] if len(rest) == 1 else f"(?:{'|'.join(rest)})")
