"""Near misses: what people and language models write instead of a plan's lines, and what they mean by it.

Nothing here says what a plan is. A repair is a guess, and every guess is put to the grammar before anybody sees it:
the callers offer a mended line only where the grammar accepts it.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from re import Match

from attrs import define, field, frozen

from planspec_lark.planspec.models import BLANKS, MARKS, STEP_TYPES
from planspec_lark.syntax import grammars

__all__ = [
    "AlmostList",
    "Flaw",
    "find_comment",
    "find_inputs",
    "find_outputs",
    "looks_like_step",
    "mend_bullet",
    "mend_header",
    "mend_step",
    "read_loose_id",
]


# Compiled when first used: most texts have nothing to mend.
_compiled = cache(re.compile)


@frozen
class Flaw:
    """What is wrong with a line: code, message, and where (offsets in the line)."""

    code: str
    message: str
    start: int
    end: int


# A line as a header in disguise: signs around a word, a colon or none, and the rest. Possessive, as it never has to go
# back.
_HEADER = r"(?P<signs>[#* \t]*+)(?P<word>[^\W\d_]++)[* \t]*+(?P<colon>[:：]?+)[* \t]*+(?P<rest>.*)"
_HEADER_WORDS = {
    "goal": "goal",
    "目标": "goal",
    "constraint": "constraints",
    "constraints": "constraints",
    "约束": "constraints",
    "约束条件": "constraints",
    "step": "steps",
    "steps": "steps",
    "步骤": "steps",
    "plan": "title",
}


def mend_header(line: str) -> tuple[Flaw, str] | None:
    """A line that is almost a header: its flaw and the header."""
    if line[:1] == "#" and line[1:2] not in ("", "#", *BLANKS):
        return Flaw("PS104", "white space is missing behind `#`", 0, len(line)), f"# {line[1:]}"
    match = _compiled(_HEADER).fullmatch(line)
    kind = _HEADER_WORDS.get(match["word"].lower()) if match else None
    if match is None or kind is None:
        return None
    written = _write_header(kind, match["rest"], has_colon=bool(match["colon"]))
    what = {"goal": "the goal is written", "title": "the title is written"}.get(kind, f"the {kind} are headed")
    return (Flaw("PS104", f"this is not how {what}", 0, len(line)), written) if written else None


def _write_header(kind: str, rest: str, *, has_colon: bool) -> str | None:
    if kind == "goal":
        return f"Goal: {rest}".rstrip(BLANKS) if has_colon else None
    if kind == "title":
        return f"# Plan: {rest}" if has_colon and rest else None
    if kind == "steps":
        return None if rest else "## Steps"
    if not rest:
        return "Constraints:"
    return f"Constraints:\n- {rest}" if has_colon else None


# What begins a comment behind other text: white space around it, and in front of it so much that it is set off.
_COMMENT = r"(?<=[ \t][ \t])#[ \t]++(?=[^\r\n])"


def find_comment(text: str) -> int | None:
    """Where a comment starts that text is followed by. One set off less, such as in ``C # 5``, is text."""
    match = _compiled(_COMMENT).search(text)
    return match.start() if match else None


_BULLET = r"(?P<bullet>[*+•·‣–—-]|[0-9]{1,3}[.)、])[ \t]*(?P<text>[^ \t].*)"


def mend_bullet(line: str) -> tuple[Flaw, str] | None:
    """A line that is almost a constraint: its flaw and the constraint."""
    match = _compiled(_BULLET).fullmatch(line)
    if match is None:
        return None
    return Flaw("PS118", "a constraint starts with `- `", 0, match.end("bullet")), f"- {match['text']}"


_NAMES = r"[ \t]*(?P<names>[A-Za-z_]\w*(?:[ \t]*[,，、;；][ \t]*[A-Za-z_]\w*)*+)[ \t]*"
_ALMOST_OUTPUTS = rf"(?a)(?<![^ \t])(?:[-=]{{1,2}}>|[⇒➜➔⟶→])(?=[^-=>⇒➜➔⟶→]*\Z){_NAMES}\Z"
_ALMOST_INPUTS = rf"(?a)[ \t]*(?:<[-=]{{1,2}}|[⇐⟵←]){_NAMES}"
_LEFT = ("<", "⇐", "⟵", "←")
_COMMA = r"[ \t]*[,，、;；][ \t]*"


@frozen
class AlmostList:
    """Text that is almost an arrow with a variable list.

    Where it starts, whether its arrow is a foreign one (such as ``->``), the variables, and how it is written.
    """

    start: int
    is_foreign: bool
    names: list[str]
    written: str


def find_outputs(description: str) -> AlmostList | None:
    """What looks like outputs at the end of a description: a foreign arrow (``->``), or foreign commas."""
    return _almost("→", _compiled(_ALMOST_OUTPUTS).search(description))


def find_inputs(line: str) -> AlmostList | None:
    """A detail line that looks like inputs, but for its arrow or its commas."""
    return _almost("←", _compiled(_ALMOST_INPUTS).fullmatch(line)) if line.lstrip(BLANKS).startswith(_LEFT) else None


def _almost(arrow: str, match: Match[str] | None) -> AlmostList | None:
    if match is None:
        return None
    names = _compiled(_COMMA).split(match["names"])
    written = f"{arrow} {', '.join(names)}"
    # A list that is written as it should be stands here because a backslash made text of it.
    found = match[0].strip(BLANKS)
    right = found.startswith(arrow) and grammars.pattern("planspec", "VARIABLES").fullmatch(found[1:].strip(BLANKS))
    return None if right else AlmostList(match.start(), not found.startswith(arrow), names, written)


# White space, and what looks like it.
_SPACE = r"(?P<space>[ \t\xa0\u3000]*)"
_LEADER = r"(?:#{1,6}[ \t]*)?(?:[-*+•][ \t]+)?(?:\[(?P<box>[ xX])\][ \t]+)?\**(?:(?i:step|步骤)[ \t]*)?(?=[0-9０-９])"
# Each with the group `all`: what should have been written otherwise, if anything.
_ID = rf"(?P<all>(?P<id>[0-9０-９]+(?:[.．][0-9０-９]+)*)(?:\.\)|[.．、)）:：。]?))\**{_SPACE}"
_MARK = rf"(?P<all>[\[［【](?P<mark>[^\[\]［］【】]*)[\]］】]){_SPACE}(?=(?:[\w-]+[ \t]*)?\**[\[［【(（<])"
_NAME = rf"(?P<all>[\w-]+){_SPACE}(?=\**[\[［【(（<])"
_TYPE = (
    r"(?P<all>\**(?P<open>[\[［【(（<])[ \t]*(?P<type>[A-Za-z_][A-Za-z0-9_]*)[ \t]*[\]］】)）>]\**"
    rf"(?:：|:(?=[ \t]))?){_SPACE}"
)
_PROGRESS = r"Progress:[ \t]*(?P<done>[0-9]{1,9})[ \t]*(?:/|of)[ \t]*(?P<total>[0-9]{1,9})"
_WIDE = str.maketrans("０１２３４５６７８９．", "0123456789.")


def read_loose_id(written: str) -> str:
    """The id that is meant by numbers joined by dots, of any width and with leading zeros or without."""
    return ".".join(number.lstrip("0") or "0" for number in written.translate(_WIDE).split("."))


def looks_like_step(line: str) -> bool:
    """Whether a line seems to be meant as a step. A numbered heading does only if it is one otherwise."""
    if _compiled(_LEADER).match(line) is None:
        return False
    return line[:1] != "#" or mend_step(line)[1] is not None


@define
class _Mender:
    """Reads a summary line as loosely as it can, from left to right, and writes it down as it should be."""

    line: str
    at: int = 0
    written: str = ""
    flaws: list[Flaw] = field(factory=list)

    def flaw(self, code: str, message: str, start: int, end: int | None = None) -> None:
        self.flaws.append(Flaw(code, message, start, start + 1 if end is None else end))

    def match(self, pattern: str) -> Match[str] | None:
        """What comes next, if it is of this kind."""
        return _compiled(pattern).match(self.line, self.at)

    def take(self, match: Match[str], meant: str) -> bool:
        """Write down what a part means; returns whether it is written so already."""
        self.at = match.end()
        self.written += f"{meant} "
        return match["all"] == meant

    def check_space(self, match: Match[str], what: str) -> None:
        """Note white space that is missing behind a part, or is none."""
        space, end = match["space"], match.end()
        if space.strip(BLANKS):
            self.flaw("PS113", f"the white space behind {what} is neither space nor tab", end - len(space), end)
        elif not space and end < len(self.line):
            self.flaw("PS113", f"white space is missing behind {what}", end)

    def lead(self) -> str:
        """What may stand in front of the id; returns the mark that it stands for."""
        match = self.match(_LEADER)
        if match is None:
            return ""
        if match.end():
            self.flaw("PS110", "a step starts with its id", 0, match.end())
        self.at = match.end()
        return "[x] " if match["box"] in ("x", "X") else ""

    def id(self) -> bool:
        match = self.match(_ID)
        if match is None:
            return False
        step_id, written = read_loose_id(match["id"]), match["all"]
        if not match["space"] and self.line[match.end() : match.end() + 1] in (".", "．"):
            self.flaw("PS110", f"`{written}` goes on with another dot", match.start(), match.end() + 1)
            return False
        if self.take(match, f"{step_id}.") and grammars.pattern("planspec", "ID").fullmatch(step_id):
            self.check_space(match, f"`{written}`")
        else:
            self.flaw("PS110", f"`{written}` is not an id with a dot behind it", *match.span("all"))
        return True

    def mark(self, box: str) -> None:
        match = self.match(_MARK)
        if match is None or self.is_type(match["mark"]):
            self.written += box
            return
        mark = match["mark"]
        # A status is never invented: whatever is none of the five, but for `X`, counts as pending.
        known = mark if mark in MARKS.values() else " "
        if self.take(match, f"[{'x' if mark.strip(BLANKS) in ('x', 'X') else known}]"):
            self.check_space(match, f"`{match['all']}`")
        else:
            self.flaw("PS111", f"`{match['all']}` is not a mark", *match.span("all"))

    def is_type(self, word: str) -> bool:
        """Whether a word in brackets would do as a type rather than a mark."""
        return word not in ("x", "X") and grammars.pattern("planspec", "VARIABLE").fullmatch(word) is not None

    def name(self) -> None:
        if match := self.match(_NAME):
            self.take(match, match["all"])
            self.check_space(match, f"the name `{match['all']}`")

    def type(self) -> bool:
        match = self.match(_TYPE)
        if match is None or (match["open"] in "(（<" and match["type"].lower() not in STEP_TYPES):
            return False
        if not self.take(match, f"[{match['type']}]"):
            self.flaw("PS112", f"`{match['all']}` is not a type in square brackets", *match.span("all"))
        elif self.line[match.end() : match.end() + 1] != "→":
            self.check_space(match, f"`{match['all']}`")
        return True

    def rest(self) -> None:
        """The pieces between separators: empty ones go, a bad Progress becomes part of the result."""
        # With the white space in front, so that a separator right behind the type is one.
        text, offset = " " + self.line[self.at :], self.at - 1
        cuts = [match.start() for match in grammars.pattern("planspec", "SEPARATOR").finditer(text)]
        description = text[: cuts[0] if cuts else None].strip(BLANKS)
        almost = find_outputs(description)
        if almost and almost.is_foreign:
            description = f"{description[: almost.start].rstrip(BLANKS)} {almost.written}"
        kept, has_progress = [description], False
        for bar, end in pairwise([*cuts, len(text)]):
            piece = text[bar + 1 : end].strip(BLANKS)
            if not piece:
                self.flaw("PS114", "there is nothing behind the separator `|`", offset + bar)
                continue
            if piece.startswith("Progress:"):
                start = offset + text.index(piece, bar)
                piece = self.progress(piece, start, has_progress)
                has_progress = has_progress or not piece.startswith("\\")
            kept.append(piece)
        self.written = (self.written + " | ".join(kept)).rstrip(BLANKS)

    def progress(self, piece: str, start: int, repeated: bool) -> str:
        end = start + len(piece)
        whole = f" | {piece}\n"
        if grammars.pattern("planspec", "PROGRESS").match(whole):
            if not repeated:
                return piece
            self.flaw("PS116", "a line has at most one `Progress:`", start, end)
            return "\\" + piece
        self.flaw("PS115", f"`{piece[:60]}` is neither `Progress: N` nor `Progress: N/M`", start, end)
        match = _compiled(_PROGRESS).fullmatch(piece)
        return f"Progress: {match['done']}/{match['total']}" if match and not repeated else "\\" + piece


def mend_step(line: str) -> tuple[list[Flaw], str | None]:
    """A line that is meant as a step: its flaws from left to right, and the line mended, or None."""
    mender = _Mender(line)
    box = mender.lead()
    if not mender.id():
        return mender.flaws, None
    mender.mark(box)
    mender.name()
    if not mender.type():
        return mender.flaws, None
    mender.rest()
    return mender.flaws, mender.written
