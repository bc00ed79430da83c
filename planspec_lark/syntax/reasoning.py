"""Reasoning blocks: what a language model thinks, between tags such as ``<think>`` and ``</think>``.

Nothing in such a block is an answer. All readers find the blocks here, and read what is left.

Blocks are found line by line, so that a text may still be written. A tag counts

- at the beginning of a line (white space aside), or directly after another tag that counts;
- inside a block, where it ends the block, wherever it is;
- in any other line, unless that is a line of one of the languages: what the grammars take is what it says. The same
  goes for a line that begins like a step, as a near miss of one.

But after other text, a tag in quotes or backticks is only mentioned. A block ends with as many closing tags as opening
ones. One that nothing closes goes to the end of the text. A closing tag that nothing opens ends a block that began with
the text, and so does the line ``...done thinking.`` where the text begins with ``Thinking...``. The same goes for the
header of a final channel (``<|channel|>final<|message|>``); that of an analysis opens a block, which ``<|end|>``
closes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from re import Match, Pattern

from attrs import define, field, frozen

from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.source import Source

__all__ = [
    "ReasoningBlock",
    "ReasoningFilter",
    "Remainder",
    "blank",
    "diagnose_block",
    "has_tags",
    "leave_out_reasoning",
]

Holds = Callable[[int], bool]

_BLANKS = " \t"
_CHANNEL = r"(?:<\|start\|>assistant)?<\|channel\|>"
_TAG = re.compile(
    r"(?:<(?=/?[A-Z:]++[ \t>])|\[(?=/?(?-i:THINK)\])|◁(?=/?think▷))(?P<end>/?)(?:[A-Z]++:)?+"
    r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)(?:[ \t][^<>\n]*+)?+(?<!/)[>\]▷]"
    # Channels, as a server writes them that parses none: one is thought in, and all before the final one is no answer.
    rf"|{_CHANNEL}analysis<\|message\|>"
    rf"|(?:<\|end\|>)?(?P<final>{_CHANNEL}final(?:[ \t]*<\|constrain\|>[^<\n]*+)?<\|message\|>)|(?P<over><\|end\|>)"
    # How a terminal shows that a model has ended to think.
    r"|(?P<done>\.\.\.done thinking\.)(?=[ \t\r]*+(?:\n|\Z))",
    re.IGNORECASE | re.ASCII,
)
# One of these is in every tag.
_TAG_SIGNS = ("<", "THINK]", "▷", "...done thinking.")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
# A step, as people and models write it: a number in front, and a word in brackets.
_NUMBERED = re.compile(r"[-*+•#> \t]*+(?:step|步骤)?[ \t]*+[0-9０-９]", re.IGNORECASE)
_WORD_IN_BRACKETS = re.compile(r"[\[［【(（][ \t]*+[A-Za-z_][A-Za-z0-9_]++[ \t]*+[\]］】)）]")
# The lines that a line with one of these signs may belong to.
_OWNERS = {"-": ("constraints",), ">": ("goal", "step", "edit")}


@frozen
class ReasoningBlock:
    """A reasoning block, tags and all.

    Attributes:
        start, end: its bounds in the text.
        is_opened: whether it begins with a tag; otherwise it begins with the text.
        is_closed: whether it ends with a tag; otherwise it ends with the text.
        is_final: whether the tag at its end is the header of the final channel, before which all is no answer.
    """

    start: int
    end: int
    is_opened: bool = True
    is_closed: bool = True
    is_final: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it has all the tags that it needs."""
        return self.is_final or (self.is_opened and self.is_closed)


@frozen
class Remainder:
    """What a text says beside its reasoning.

    Attributes:
        text: the text with white space in place of the blocks. It is as long as the text, so that all places are the
            same. Lines of which nothing is left are gone: their line breaks are spaces, too, and what was below them
            follows what was above.
        blocks: the blocks, in the order of the text.
    """

    text: str
    blocks: tuple[ReasoningBlock, ...] = ()

    def diagnose(self, source: Source, *, is_strict: bool = False) -> list[Diagnostic]:
        """A finding for each block."""
        return [diagnose_block(block, source, is_strict=is_strict) for block in self.blocks]


def diagnose_block(block: ReasoningBlock, source: Source, *, is_strict: bool = False) -> Diagnostic:
    """A finding that names a block: to a strict reader an error.

    To others it is an info, and a warning where a tag is missing: then it may have been meant otherwise.
    """
    what, help = "a reasoning block", ""
    if not block.is_whole:
        help = "if the tag is only mentioned, write it in backticks"
        what = "everything after this opening tag is reasoning: it is not closed"
    if block.is_final:
        what = "everything before the final channel is reasoning"
    elif not block.is_opened:
        line = source.position(block.end - 1)[0]
        what = f"everything before the closing tag in line {line:,} is reasoning: it was not opened"
    message, severity = f"left out: {what}", Severity.INFO if block.is_whole else Severity.WARNING
    if is_strict:
        severity, help = Severity.ERROR, help or "remove it"
        message = f"{what} is not part of the text" if block.is_whole else what
    return Diagnostic("PS125", message, severity, source.span(block.start, block.end), help=help, source=source)


def has_tags(text: str) -> bool:
    """Whether a text holds anything that may be a tag."""
    return any(map(text.__contains__, _TAG_SIGNS)) and _TAG.search(text) is not None


def leave_out_reasoning(text: str, holds: Holds | None = None) -> Remainder:
    """Find all reasoning blocks of a text, in a time that its length bounds.

    Args:
        text: any text.
        holds: whether an offset is inside of something in which a tag is text, such as a string of JSON. It is asked
            for offsets in their order.
    """
    if not has_tags(text):
        return Remainder(text)
    found = ReasoningFilter(holds=holds)
    left = "".join([found.read(line[0], line.start()) for line in _LINE.finditer(text)])
    found.finish()
    return Remainder(" " * found.void_to + left[found.void_to :], tuple(found.take()))


def blank(text: str, blocks: Iterable[ReasoningBlock]) -> str:
    """The text with spaces in place of blocks, and with all of its line breaks."""
    pieces: list[str] = []
    at = 0
    for block in blocks:
        rows = text[block.start : block.end].split("\n")
        pieces += [text[at : block.start], "\n".join(" " * len(row) for row in rows)]
        at = block.end
    return "".join([*pieces, text[at:]])


@define
class _Context:
    """What the next line may belong to: the last line that is no `>` or `-` line, and the signs of those after it."""

    line: str = ""
    signs: str = ""
    _kind: str | None = None

    def follow(self, bare: str) -> None:
        """Pass on after a line, without white space around it."""
        if bare[:1] in _OWNERS:
            self.signs += bare[0] if bare[0] not in self.signs else ""
        elif bare:
            self.line, self.signs, self._kind = bare, "", None

    def owns(self, before: str) -> bool:
        """Whether a line that begins so, and continues with some text, is one of the languages' lines."""
        written = f"{before}x\n"
        if before[:1] in _OWNERS:
            is_below = self.signs in ("", before[0]) and self._find_kind() in _OWNERS[before[0]]
            return is_below and _pattern("planspec", "line").fullmatch(written) is not None
        return _is_like_step(before) or any(_pattern(*rule).fullmatch(written) for rule in _LINES)

    def _find_kind(self) -> str:
        if self._kind is None:
            line = f"{self.line}\n"
            match = _pattern("planspec", "line").fullmatch(line)
            command = _pattern("plan_cmd", "command").fullmatch(line)
            if match or _is_like_step(line):
                self._kind = str(match.lastgroup) if match else "step"
            else:
                self._kind = "edit" if command and command["edit"] else ""
        return self._kind


def _is_like_step(line: str) -> bool:
    return _NUMBERED.match(line) is not None and _WORD_IN_BRACKETS.search(line) is not None


@define
class ReasoningFilter:
    """Takes a text line by line, and gives back what is left of each line.

    Attributes:
        void_to: the offset up to which all is reasoning, lines that have been given back included, since a closing tag
            has come that nothing opens.
    """

    holds: Holds | None = None
    void_to: int = field(default=0, init=False)
    _blocks: list[ReasoningBlock] = field(factory=list, init=False)
    # How many blocks are open, where the outermost begins, and where the text does.
    _depth: int = field(default=0, init=False)
    _start: int = field(default=0, init=False)
    _first: int | None = field(default=None, init=False)
    # Whether the text begins as a terminal shows it that a model thinks.
    _is_shown: bool = field(default=False, init=False)
    # Where what is not white space ends.
    _last: int = field(default=0, init=False)
    _context: _Context = field(factory=_Context, init=False)

    @property
    def is_open(self) -> bool:
        """Whether a block is open."""
        return self._depth > 0

    def take(self) -> list[ReasoningBlock]:
        """The blocks that have ended and have not been taken yet."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def finish(self) -> None:
        """End the text: a block that is open ends here."""
        if self._depth:
            self._blocks.append(ReasoningBlock(self._start, self._last, is_closed=False))
            self._depth = 0

    def read(self, line: str, start: int) -> str:
        """Take the next line, which begins at the offset ``start``, and give back what is left of it.

        It is as long as the line; what is reasoning is spaces. The line break, which only the last line of a text may
        lack, is one too where nothing else is left.
        """
        body = line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line
        white = _BLANKS if start else f"{_BLANKS}\ufeff"
        bare = body.strip(white)
        if bare:
            lead = len(body) - len(body.lstrip(white))
            if self._first is None:
                self._first, self._is_shown = start + lead, bare == "Thinking..."
            self._last = start + lead + len(bare)
        if not self._depth and not any(sign in body for sign in _TAG_SIGNS):
            self._context.follow(bare)
            return line
        was_open = self.is_open
        left, has_tags = self._cut(body, start, white)
        rest = left.strip(white)
        if rest or not (was_open or has_tags):
            self._context.follow(rest)
            return left + line[len(body) :]
        return " " * len(line)

    def _cut(self, body: str, start: int, white: str) -> tuple[str, bool]:
        """What is left of a line, with spaces in place of reasoning; and whether any tag in it counts."""
        left: list[str] = []
        # Up to where it is cut, where the last tag ends, and whether only tags that count and white space are before.
        at = seen = 0
        is_led, has_tags = True, False
        for tag in _TAG.finditer(body):
            is_led = is_led and not body[seen : tag.start()].strip(white)
            seen = tag.end()
            counts = self._counts(tag, start, is_led=is_led)
            if counts and not is_led and not self._depth and self._context.owns(body[at : tag.start()].lstrip(white)):
                break
            is_led = counts
            if not counts:
                continue
            has_tags = True
            if not _closes(tag):
                if not self._depth:
                    left.append(body[at : tag.start()])
                    at, self._start = tag.start(), start + tag.start()
                self._depth += 1
                continue
            if not self._depth:
                left = [" " * at]
            self._close(start + seen, is_final=tag["final"] is not None)
            if not self._depth:
                left.append(" " * (seen - at))
                at = seen
        left.append(" " * (len(body) - at) if self._depth else body[at:])
        return "".join(left), has_tags

    def _counts(self, tag: Match[str], start: int, *, is_led: bool) -> bool:
        """Whether a tag may count in its line, which begins at the offset ``start``."""
        if not is_led and _is_quoted(tag):
            return False
        if self.holds is not None and self.holds(start + tag.start()):
            return False
        if tag[0][0] == "[" and not self._depth and not is_led:
            # After other text, it may be meant as the type of a step.
            return False
        if (tag["over"] and not self._depth) or (tag["done"] and not (is_led and self._is_shown)):
            return False
        return is_led or not self._depth or _closes(tag)

    def _close(self, end: int, *, is_final: bool) -> None:
        """End a block; where none is open, all up to here is one."""
        if self._depth:
            self._depth -= 1
            if not self._depth:
                self._blocks.append(ReasoningBlock(self._start, end))
            return
        assert self._first is not None, "the tag is there"
        self._blocks = [ReasoningBlock(self._first, end, is_opened=False, is_final=is_final)]
        self.void_to = end
        self._context = _Context()


def _closes(tag: Match[str]) -> bool:
    return bool(tag["end"] or tag["final"] or tag["over"] or tag["done"])


def _is_quoted(tag: Match[str]) -> bool:
    start, end = tag.span()
    return start > 0 and _QUOTES.get(tag.string[start - 1]) == tag.string[end : end + 1] != ""


# The lines in which a tag may be text.
_LINES = (("planspec", "line"), ("plan_cmd", "command"), ("reflection", "decision"), ("repair", "repaired"))


@cache
def _pattern(language: str, rule: str) -> Pattern[str]:
    return grammars.regular(language).pattern(rule)
