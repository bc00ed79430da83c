"""What is wrong with one line that the grammar refuses, in a person's words, and how it is written right."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from enum import IntEnum
from functools import cache
from re import Match, Pattern
from typing import TYPE_CHECKING

from attrs import frozen

from planspec_lark.planspec.answer_lines import find_elision, is_conflict_marker, read_flow, read_state_line
from planspec_lark.planspec.heading_words import HEADER_KINDS, NUMBER_WORDS
from planspec_lark.planspec.models import BLANKS, list_types
from planspec_lark.planspec.near_misses import (
    SPACES,
    WIDE_SPACES,
    NearMiss,
    compiled,
    find_arrow,
    repair_bullet,
    repair_header,
)
from planspec_lark.planspec.step_repair import looks_like_step, read_status, repair_step
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.fences import FENCES

__all__ = [
    "BAD_INDENTATION",
    "FIRST_WORD",
    "LineFault",
    "Section",
    "advice_on",
    "comment_fault",
    "conflict_fault",
    "diagnose_comment",
    "diagnose_line",
    "expected_lines",
    "is_sentence",
    "is_step",
    "line_pattern",
]

if TYPE_CHECKING:
    from lark import Token


class Section(IntEnum):
    """How far a document has come."""

    NOTHING = 0
    TITLE = 1
    GOAL = 2
    CONSTRAINTS = 3
    STEPS = 4


@frozen
class LineFault:
    """A refused line: its first near miss, what could have stood there, advice, and the line repaired if it can be."""

    miss: NearMiss
    expected: tuple[str, ...] = ()
    help: str = ""
    repaired: str | None = None


# What a person calls a terminal, in the order in which they are listed.
_WORDS = {
    "MARK": "a mark such as `[x]`",
    "NAME": "a name",
    "TYPE": "the type in square brackets, such as `[act]`",
    "DESCRIPTION": "a description",
    "OUTPUTS": "outputs such as `→ report, log`",
    "RESULT": "` | ` and a result",
    "PROGRESS": "` | Progress: N/M`",
    "TEXT": "some text",
    "NL": "the end of the line",
}

_LINES = {
    Section.TITLE: "a title `# Plan: Text`",
    Section.GOAL: "`Goal: Text`",
    Section.CONSTRAINTS: "`Constraints:`",
    Section.STEPS: "`## Steps`",
}
_STEP = "a step such as `1. [act] Text → output`"
_INSIDE = {
    Section.GOAL: "a `> detail` line",
    Section.CONSTRAINTS: "a constraint `- Text`",
    Section.STEPS: f"{_STEP}, or a `> detail` line below one",
}

_STEP_HELP = "a step is one line: `ID. [status] name [type] description → outputs | result | Progress: N/M`"
_HELP = {
    "PS103": "remove the line",
    "PS109": "write some text, or remove the line",
    "PS110": "an id is numbers joined by dots, with a final dot: `1.`, `2.1.`; no leading zeros, 9 digits each at most",
    "PS111": "the marks are `[ ]` pending, `[x]` done, `[>]` active, `[!]` blocked, `[~]` skipped; no mark: pending",
    "PS112": f"the type is {list_types('or')}, before the description",
    "PS114": "write a result after `|`, or `\\|` if the bar is part of the text",
    "PS115": "write `Progress: N` or `Progress: N/M`, or `\\Progress:` if it is part of the result",
    "PS116": "write `\\Progress:` if it is part of the result",
    "PS128": "keep one of the two versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`",
    "PS124": "remove comments: in other lines, a strict reading takes them for text",
}


def advice_on(code: str) -> str:
    """What to do about all faults with a code; empty where that depends on the fault."""
    return _HELP.get(code, "")


BAD_INDENTATION = "the white space at the start of the line is not spaces or tabs"

# The faults that are just what the parser stumbles over.
_NAMED_BY_THE_PARSER = frozenset({"PS111", "PS112"})


@cache
def expected_lines(section: Section) -> tuple[str, ...]:
    """What a line may be, that far into a document."""
    inside = (_INSIDE[section],) if section in _INSIDE else ()
    step = () if section is Section.STEPS else (_STEP,)
    return (*inside, *(words for part, words in _LINES.items() if part > section), *step)


@cache
def line_pattern() -> Pattern[str]:
    """What matches as much of a text as the grammar's rule ``line`` takes."""
    return grammars.regular("planspec").pattern("line")


def diagnose_line(line: str, section: Section) -> LineFault:
    """Say what is wrong with ``line`` (no line break, no indentation), which the grammar refuses."""
    if match := grammars.pattern("planspec", "FORBIDDEN").search(line):
        return _diagnose_control(line, match, section)
    if line[:1] in WIDE_SPACES and (indented := _diagnose_indentation(line, section)):
        return indented
    if line.startswith(FENCES):
        return LineFault(
            _whole(line, "PS103", "a code fence is not allowed in a plan"), help=_HELP["PS103"], repaired=""
        )
    if section is Section.CONSTRAINTS and (bullet := repair_bullet(line)) and not is_step(line):
        return LineFault(bullet[0], repaired=_accepted(bullet[1]))
    if looks_like_step(line):
        return _diagnose_step(line, section)
    return diagnose_comment(line) or _diagnose_header(line) or _diagnose_other(line, section)


def is_step(line: str) -> bool:
    """Whether a line can be read as a step, repaired or not."""
    return repair_step(line)[1] is not None


# A word that begins neither a part of a plan nor a step: of more than a letter, or of Chinese.
FIRST_WORD = (
    r"(?=[A-Za-z]{2}|[\u4e00-\u9fff])"
    rf"(?!(?i:{'|'.join(HEADER_KINDS)})(?![^\W\d_])|{NUMBER_WORDS}|[一二三四五六七八九十])"
)


def is_sentence(line: str) -> bool:
    """Whether a line that the grammar refuses has nothing of a plan in it, as its first word shows.

    Of most lines around a plan that is true, and it takes a fraction of what it takes to look for all near misses.
    """
    has_word = compiled(FIRST_WORD).match(line) is not None
    return has_word and not (grammars.pattern("planspec", "FORBIDDEN").search(line) or find_elision(line))


def comment_fault(line: str, start: int, repaired: str) -> LineFault:
    """That a line ends with a comment, which starts at an offset."""
    return LineFault(
        NearMiss("PS124", "a comment is not allowed in a plan", start, len(line)),
        help=_HELP["PS124"],
        repaired=repaired,
    )


def conflict_fault(line: str) -> LineFault:
    """That a line is a conflict marker."""
    return LineFault(_whole(line, "PS128", "a conflict marker of a merge that was not resolved"), help=_HELP["PS128"])


def _whole(line: str, code: str, message: str) -> NearMiss:
    return NearMiss(code, message, 0, len(line))


def _accepted(line: str) -> str | None:
    return line if line_pattern().fullmatch(line + "\n") else None


def diagnose_comment(line: str) -> LineFault | None:
    """A comment after one of the headers without text, or None."""
    for mark in ("CONSTRAINTS_MARK", "STEPS_MARK"):
        if header := grammars.pattern("planspec", mark).match(line):
            behind = line[header.end() :]
            comment = behind.lstrip(BLANKS)
            if comment.startswith("#") and comment != behind:
                return comment_fault(line, len(line) - len(comment), header[0])
    return None


def _diagnose_header(line: str) -> LineFault | None:
    """What is almost a header, or None."""
    header = repair_header(line)
    # A goal that has its text in the next line is still one to be written in its own.
    is_bare = header is not None and header[1] == "Goal:" and not line.rstrip(BLANKS + "*").endswith((":", "："))
    return LineFault(header[0], repaired=header[1]) if header and not is_bare and _accepted(header[1]) else None


def _diagnose_control(line: str, match: Match[str], section: Section) -> LineFault:
    miss = NearMiss("PS102", f"the control character U+{ord(match[0]):04X} is not allowed in a plan", *match.span())
    if match[0] == "\r" and line[match.end() :].strip(BLANKS + "\r"):
        # What is after it was most likely meant as another line.
        return LineFault(miss, help="end each line with a line feed, or with a carriage return and a line feed")
    clean = match.re.sub("", line).strip(BLANKS)
    repaired = (_accepted(clean) or diagnose_line(clean, section).repaired) if clean else ""
    return LineFault(miss, help="remove it", repaired=repaired)


def _diagnose_indentation(line: str, section: Section) -> LineFault | None:
    """White space before a line that is none, or None where there is no line of a plan after it."""
    bare = line.strip(SPACES)
    repaired = (_accepted(bare) or diagnose_line(bare, section).repaired) if bare else None
    miss = NearMiss("PS113", BAD_INDENTATION, 0, len(line) - len(line.lstrip(SPACES)))
    return LineFault(miss, repaired=repaired) if repaired else None


def _diagnose_step(line: str, section: Section) -> LineFault:
    misses, repaired = repair_step(line)
    tokens, at, expected = _read(line)
    if repaired is None and not tokens and not misses and section is not Section.STEPS:
        return _unknown(line, section)
    miss = min(misses, key=lambda found: found.start) if misses else _miss_of_step(line, tokens, at)
    words: tuple[str, ...] = ("white space",) if miss.code == "PS113" else ()
    # The parser speaks of where it stopped, which for other faults is not where they are.
    if tokens and miss.code in _NAMED_BY_THE_PARSER:
        words = tuple(words for name, words in _WORDS.items() if name in expected)
    return LineFault(miss, words, _HELP.get(miss.code, _STEP_HELP), None if repaired is None else _accepted(repaired))


def _miss_of_step(line: str, tokens: list[Token], at: int) -> NearMiss:
    """Name what the parser stumbled over where no near miss explains it."""
    kinds = {token.type for token in tokens}
    if "STEP_ID" not in kinds:
        return NearMiss("PS110", "a step must start with an id, a dot and white space", *_word(line, 0))
    if "TYPE" in kinds:
        return NearMiss("PS101", "unexpected text in a step line", *_word(line, at))
    if kinds == {"STEP_ID"} and line[at : at + 1] not in ("", *BLANKS):
        return NearMiss("PS113", f"white space is missing after `{tokens[-1]}`", at, at + 1)
    # What the parser took for a name is most likely the description's first word.
    start, end = _word(line, len("".join(token for token in tokens if token.type != "NAME")))
    is_bracket = line[start : start + 1] == "["
    if line[end:].lstrip(BLANKS).startswith("[") and any(
        unicodedata.category(sign)[0] == "M" for sign in line[start:end]
    ):
        message = f"`{line[start:end][:60]}` is not a name: it has combining marks, which are no letters"
        return NearMiss("PS112", message, start, end)
    return NearMiss(
        "PS112", "this is not a step type" if is_bracket else "the type in square brackets is missing", start, end
    )


def _word(line: str, at: int) -> tuple[int, int]:
    """The bounds of the word at or after an offset."""
    start = len(line) - len(line[at:].lstrip(BLANKS))
    end = next((i for i in range(start, len(line)) if line[i] in BLANKS), len(line))
    return start, max(end, start + 1)


_MARKS = ("TITLE_MARK", "BULLET", "CONSTRAINTS_MARK", "STEPS_MARK")


def _diagnose_other(line: str, section: Section) -> LineFault:
    if is_conflict_marker(line):
        return conflict_fault(line)
    # Most lines are prose, which the parser need not be asked about.
    begins = any(grammars.pattern("planspec", mark).match(line) for mark in _MARKS)
    tokens, at, _ = _read(line) if begins else ([], 0, ())
    kinds = {token.type for token in tokens}
    if line in ("#", "-") or kinds & {"TITLE_MARK", "BULLET"}:
        what = "title" if line.startswith("#") else "constraint"
        return LineFault(_whole(line, "PS109", f"the {what} has no text"), help=_HELP["PS109"])
    if kinds & {"CONSTRAINTS_MARK", "STEPS_MARK"}:
        miss = NearMiss("PS104", "unexpected text after this header", at, len(line))
        return LineFault(miss, repaired=_accepted(line[:at]))
    if line.lstrip("#").strip(BLANKS + "*:：").lower() in ("goal", "目标"):
        miss = _whole(line, "PS104", "the goal has the wrong form")
        return LineFault(miss, help="write `Goal: Text` on one line")
    return _unknown(line, section)


def _unknown(line: str, section: Section) -> LineFault:
    miss = _whole(line, "PS101", "this line is not part of a plan")
    help = _place_of_declared(line) if section is Section.STEPS else ""
    return LineFault(miss, expected_lines(section), help or "remove the line, or make it a `> detail` line of a step")


def _place_of_declared(line: str) -> str:
    """Where inputs, outputs and a status are written, for a line that says them in other words or signs."""
    kind, word = read_state_line(line) or ("", "")
    if kind == "status" and (mark := read_status(word)):
        return f"a status is a mark after the id of its step, such as `1. [{mark}] [act]`"
    what, names = read_flow(line) or ("", [])
    if what == "outputs" and names:
        return f"outputs come after the description of their step: `→ {shorten(', '.join(names))}`"
    arrow = f"← {', '.join(names)}" if names else find_arrow(line)
    return f"inputs stand in a line of their own below their step: `> {shorten(arrow)}`" if arrow else ""


def _read(line: str) -> tuple[list[Token], int, Collection[str]]:
    """As far as the parser comes: the tokens, the offset of the fault, and the terminals it could have taken there."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken  # noqa: PLC0415  (imports Lark)

    session = grammars.parser("planspec").parse_interactive(line + "\n", start="line")
    tokens: list[Token] = []
    try:
        tokens.extend(session.iter_parse())
    except UnexpectedCharacters as error:
        return tokens, error.pos_in_stream or 0, error.allowed or ()
    except UnexpectedToken as error:
        return tokens, error.pos_in_stream or 0, error.expected
    return tokens, len(line), ()
