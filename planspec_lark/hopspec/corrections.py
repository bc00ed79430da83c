"""What a line that the grammar refuses was most likely meant as: guesses, which the grammar has to take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache

from attrs import frozen

from planspec_lark.hopspec.vocabulary import KEYS, MODE, SECTIONS, STEP
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import BLANKS

__all__ = ["LineCorrection", "find_corrections"]


@frozen
class LineCorrection:
    """A line as it was most likely meant: the code of what is wrong, a message, the line, whether that is no guess."""

    code: str
    message: str
    line: str
    is_safe: bool = True


_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")
# No part of them takes the same white space as the next one, so that a long line takes no longer than it is.
_HEADING = re.compile(
    r"(?P<indent>[ \t]*+)(?:#{1,6}|[-*+])?+[ \t]*+[*_]{0,3}(?:步骤|step)[ \t]*+"
    r"(?P<id>[0-9０-９]{1,9}(?:[.．][0-9０-９]{1,9}){0,50})[.．]?[ \t]*+(?:[:：.、\-–—][ \t]*+)?"
    r"[`*_]{0,3}(?P<name>[^()（）`*]{0,100})[`*_]{0,3}[ \t]*+"
    r"(?:[(（](?P<label>[^()（）]{1,100})[)）])?[ \t]*+[*_]{0,3}[ \t]*+",
    re.I,
)
_SECTION = re.compile(
    r"[ \t]*+(?:#{1,6}[ \t]*+|\*\*(?=\S))(?:[0-9一二三四五六七八九十]{1,3}[.、．)）][ \t]*+)?\**+"
    r"(?P<word>[^#*:：]{2,40})[*:： \t]*+"
)
_ATTRIBUTE = re.compile(
    r"(?P<indent>[ \t]*+)(?P<bullet>[-*+•·]?+)[ \t]*+[*_`]{0,3}(?P<word>[^*_`:：=]{2,30})[*_`]{0,3}[ \t]*+"
    r"(?P<sign>[:：=])[*_`]{0,3}[ \t]*+(?P<value>.*)"
)
_MODE = re.compile(
    r"[ \t]*+[-*+>#]*+[ \t]*+[*_]{0,3}(?:执行)?(?P<word>模式|mode)[*_]{0,3}[ \t]*+[:：=][*_ \t]*+"
    r"(?P<value>aot|jit)[*_ \t]*+",
    re.I,
)
_RULE = re.compile(r"[ \t]*+(?:-{3,}+|\*{3,}+|_{3,}+)[ \t]*+")


@cache
def _keys() -> dict[str, str]:
    """The names of attributes, by how they look without capitals and white space."""
    return {_fold(word): word for key in KEYS for word in reversed(key.word.all)}


@cache
def _sections() -> dict[str, str]:
    return {_fold(word): word for section in SECTIONS.values() for word in reversed(section.all)}


def _fold(word: str) -> str:
    return re.sub(r"[\s_-]", "", word).lower()


def find_corrections(line: str, *, guesses: bool = True) -> Iterator[LineCorrection]:
    """What a line without its line break may be meant as, the likeliest first.

    Without ``guesses``, no names are compared, which takes its time.
    """
    if _RULE.fullmatch(line):
        yield LineCorrection("HS101", "a separator line is not part of the document", "")
    if mode := _MODE.fullmatch(line):
        word = MODE.zh if mode["word"] == MODE.zh else MODE.en
        yield LineCorrection("HS105", "the mode has the wrong form", _write("", word, mode["value"].upper()))
    yield from _correct_heading(line)
    if section := _SECTION.fullmatch(line):
        yield from _correct_section(section["word"].strip(), guesses)
    yield from _correct_attribute(line, guesses)


def _correct_heading(line: str) -> Iterator[LineCorrection]:
    found = _HEADING.fullmatch(line)
    if found is None:
        return
    written = found["name"].strip(BLANKS + ":：")
    is_word = grammars.pattern("hopspec", "WORD").fullmatch(written)
    name = written if is_word else re.sub(r"[^\w]+", "_", written).strip("_").lower()
    step_id = ".".join(str(int(number)) for number in found["id"].translate(_DIGITS).split("."))
    word = STEP.zh if "步骤" in line else STEP.en
    label = f" ({found['label'].strip()})" if found["label"] else ""
    corrected = f"{found['indent']}#### {word}{step_id}{f': {name}' if name else ''}{label}"
    yield LineCorrection("HS107", "the heading of a step has the wrong form", corrected, is_safe=name == written)


def _correct_section(written: str, guesses: bool) -> Iterator[LineCorrection]:
    meant, is_known = _find_word(written, _sections(), 0.75, guesses=guesses)
    if meant:
        message = "the section header has the wrong form" if is_known else f"unknown section `{written}`"
        yield LineCorrection("HS103", message, f"## {meant}", is_safe=is_known)


def _correct_attribute(line: str, guesses: bool) -> Iterator[LineCorrection]:
    found = _ATTRIBUTE.fullmatch(line)
    if found is None:
        return
    meant, is_known = _find_word(found["word"], _keys(), 0.7, guesses=guesses and bool(found["bullet"]))
    if meant:
        code, message = "HS109", "the attribute has the wrong form"
        if not is_known:
            code, message = "HS110", f"unknown attribute `{found['word'].strip()}`"
        line = _write(f"{found['indent']}- ", meant, found["value"].strip(BLANKS))
        yield LineCorrection(code, message, line, is_safe=is_known)


def _find_word(written: str, known: dict[str, str], cutoff: float, *, guesses: bool) -> tuple[str, bool]:
    """The word that this is another spelling of, or else one that is like it; and whether it is no guess."""
    folded = _fold(written)
    if folded in known:
        return known[folded], True
    close = get_close_matches(folded[:30], known, n=1, cutoff=cutoff) if guesses else []
    return (known[close[0]] if close else ""), False


def _write(start: str, word: str, value: str) -> str:
    colon = ": " if word.isascii() else "："
    return f"{start}{word}{colon}{value}".rstrip(BLANKS)
