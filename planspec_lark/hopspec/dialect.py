"""What the lines of the dialect mean (``grammar/hopspec_dialect.lark``): each written in the form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from re import Match

from planspec_lark.hopspec.vocabulary import KEYS, MODE, SECTIONS, STEP, Word
from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.recovery import Deviation, Dialect
from planspec_lark.syntax.source import BLANKS
from planspec_lark.syntax.spelling import find_near

__all__ = ["read_line"]

_DIALECT = Dialect("hopspec_dialect")
_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")
# What is told of a line, and the line in the form.
_Reading = tuple[Deviation, str]


def read_line(line: str, *, guesses: bool = True) -> Iterator[_Reading]:
    """What a line without its line break may be meant as, the likeliest first: what differs, and the line in the form.

    Without ``guesses``, no names are compared, which takes its time.
    """
    if _DIALECT.match("ruler", line):
        yield _told("HS101", "a separator line is not part of the document", "")
    if match := _DIALECT.match("mode", line):
        word = MODE.zh if MODE.zh in match["MODE_NAME"] else MODE.en
        yield _told("HS105", "the mode has the wrong form", _write("", word, match["MODE_WORD"].upper()))
    if match := _DIALECT.match("heading", line):
        yield _read_heading(match)
    if match := _DIALECT.match("section", line):
        yield from _read_section(match, guesses)
    if match := _DIALECT.match("attribute", line):
        yield from _read_attribute(match, guesses)


def _told(code: str, message: str, line: str, *, is_sure: bool = True) -> _Reading:
    return Deviation(code, message, 0, 0, Risk.LOW if is_sure else Risk.HIGH), line


def _read_heading(match: Match[str]) -> _Reading:
    written = (match["NAME"] or "").strip(BLANKS + ":：")
    is_word = grammars.pattern("hopspec", "WORD").fullmatch(written)
    name = written if is_word else re.sub(r"\W+", "_", written).strip("_").lower()
    step_id = ".".join(str(int(number)) for number in match["NUMBER"].translate(_DIGITS).split("."))
    word = STEP.zh if STEP.zh in match["STEP_NAME"] else STEP.en
    label = f" ({match['LABEL'].strip(BLANKS)})" if match["LABEL"] else ""
    line = f"{match['INDENT'] or ''}#### {word}{step_id}{f': {name}' if name else ''}{label}"
    return _told("HS107", "the heading of a step has the wrong form", line, is_sure=name == written)


def _read_section(match: Match[str], guesses: bool) -> Iterator[_Reading]:
    written = match["SECTION"].strip(BLANKS)
    meant, is_known = _find_word(written, _sections(), guesses=guesses)
    message = "the section header has the wrong form" if is_known else f"unknown section `{written}`"
    if meant:
        yield _told("HS103", message, f"## {meant}", is_sure=is_known)


def _read_attribute(match: Match[str], guesses: bool) -> Iterator[_Reading]:
    written = match["KEY"].strip(BLANKS)
    if terminal := _DIALECT.word("word", written):
        word = next(key.word for key in KEYS if key.word.en.upper() == terminal)
        meant, is_known = word.of("en" if written.isascii() else "zh"), True
    else:
        meant, is_known = _find_word(written, _keys(), guesses=guesses and bool(match["BULLET"]))
    line = _write(f"{match['INDENT'] or ''}- ", meant, (match["VALUE"] or "").strip(BLANKS))
    code, message = (
        ("HS109", "the attribute has the wrong form") if is_known else ("HS110", f"unknown attribute `{written}`")
    )
    if meant:
        yield _told(code, message, line, is_sure=is_known)


def _write(start: str, word: str, value: str) -> str:
    colon = ": " if word.isascii() else "："
    return f"{start}{word}{colon}{value}".rstrip(BLANKS)


# ---------------------------------------------------------------- words


@cache
def _keys() -> dict[str, str]:
    """The names of attributes, by how they look without capitals and white space."""
    return _folded(key.word for key in KEYS)


@cache
def _sections() -> dict[str, str]:
    return _folded(SECTIONS.values())


def _folded(words: Iterable[Word]) -> dict[str, str]:
    return {_fold(written): written for word in words for written in reversed(word.all)}


def _fold(word: str) -> str:
    return re.sub(r"[\s_-]", "", word).lower()


def _find_word(written: str, known: dict[str, str], *, guesses: bool) -> tuple[str, bool]:
    """The word that this is another spelling of, or else one that is like it; and whether it is no guess."""
    folded = _fold(written)
    if folded in known:
        return known[folded], True
    near = find_near(folded, known) if guesses else ""
    return known.get(near, ""), False
