"""Blocks of a text in Markdown, found by markdown-it-py: headings, lists, paragraphs, and the lines of each.

What is inside of a line is text. Its plug-in for task lists is not used: it knows two marks only, and goes back to the
start of a list for each of its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from attrs import define, field
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, list_block
from markdown_it.token import Token

__all__ = ["LISTS", "Block", "fill_gaps", "is_open_fence", "read_blocks"]

LISTS = ("bullet_list", "ordered_list")

# A list inside a list takes two levels.
_MOST_LEVELS = 100
# So many lines are read at a time, and more until a line with which a piece may begin: a heading, an item with a bullet
# or behind another with a number, or what is at the margin behind a blank line. None of them is inside of anything that
# begins before it, unless that has no end, or the numbers are no items.
_PIECE = 4000
_MARGIN = re.compile(r"\*\*|[^\W\d]|[0-9]{1,9}[.)][ \t]")
_BREAK = re.compile(r"#{1,6}[ \t]|[-+*] [\[\w]")
_NUMBERED = re.compile(r"[0-9]{1,9}([.)])[ \t]+[\[\w]")
# Items that CommonMark does not know: their signs take one place as its own do, or are one themselves.
_OTHER_BULLET = re.compile(r"^([ \t]*+)[•◦▪‣●](?=[ \t]++\S)", re.MULTILINE)
_BARE_ITEM = re.compile(
    r"^([ \t]*+)(?=(?:[0-9]{1,9}(?:\.[0-9]{1,9})++\.?[ \t]++\[[^\[\]\n]{0,3}\]|[☐☑⬜✅⏳]\ufe0f?)[ \t])", re.MULTILINE
)
# An item with a box, which is one however far it is indented.
_BOX_ITEM = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[[ \t]*+[^\[\]\s]?[ \t]*+\](?=\s)")
# Rules that cost time with every line, and what a text has to have for them to find anything.
_NEEDED = {
    "html_block": re.compile(r"<"),
    "blockquote": re.compile(r">"),
    "fence": re.compile(r"```|~~~"),
    "lheading": re.compile(r"^[ \t>]*+(?:=++|-++)[ \t]*+$", re.MULTILINE),
    "hr": re.compile(r"^[ \t>]*+([-*_])(?:[ \t]*+\1){2}", re.MULTILINE),
}


@define(eq=False, weakref_slot=False)
class Block:
    """A block of Markdown: its lines from 0, the last one excluded, and the blocks inside of it.

    Attributes:
        kind: what markdown-it-py calls it; `other` where nothing in it is looked at.
        level: of a heading.
        text: of a heading or a paragraph; of a list, the sign of its items.
        number: of an item in a list with numbers.
        role: what becomes of it where boxes do not say so: `tasks` or `text`; of a heading `title`, `step`, or `lead`
            where it belongs to nothing below it.
        notes: of an item that is a row of a table: what its other cells say.
        is_box: of an item: whether it has a box itself.
        has_box: of a list or an item: whether there is one in it.
    """

    kind: str
    first: int
    last: int
    level: int = 0
    text: str = ""
    blocks: Sequence[Block] = field(default=(), repr=False)
    number: str = ""
    role: str = ""
    notes: Sequence[str] = ()
    is_box: bool = False
    has_box: bool = False


@cache
def _parser(without: tuple[str, ...]) -> MarkdownIt:
    # Without code blocks by indentation, an item may be indented as far as its writer likes.
    parser = MarkdownIt("commonmark", {"maxNesting": _MOST_LEVELS}).disable(["code", "reference", *without])
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.at("list", _read_list, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("paragraph", _read_paragraph)
    return parser


def _read_list(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """The list rule of markdown-it, for which four blanks before an item would be code, or the rest of a paragraph."""
    around, state.listIndent = state.listIndent, -1
    found = list_block(state, first, last, silent)
    state.listIndent = around
    return found


def _read_paragraph(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """The paragraph rule of markdown-it, but that an item with a box ends a paragraph wherever it is."""
    del last, silent
    around, state.parentType = state.parentType, "paragraph"
    end = first + 1
    while end < state.lineMax and not state.isEmpty(end) and not _ends_paragraph(state, end):
        end += 1
    state.line, state.parentType = end, around
    state.push("paragraph_open", "p", 1).map = [first, end]
    state.push("inline", "", 0).content = state.getLines(first, end, state.blkIndent, False).strip()
    state.push("paragraph_close", "p", -1)
    return True


def _ends_paragraph(state: StateBlock, line: int) -> bool:
    if state.sCount[line] - state.blkIndent > 3:
        return _BOX_ITEM.match(state.src, state.bMarks[line] + state.tShift[line]) is not None
    rules = state.md.block.ruler.getRules("paragraph")
    return state.sCount[line] >= 0 and any(rule(state, line, state.lineMax, True) for rule in rules)


def read_blocks(lines: Sequence[str], first: int = 0, last: int | None = None) -> list[Block]:
    """The blocks of some lines at the top, each with those inside of it."""
    last = len(lines) if last is None else last
    found: list[Block] = []
    # The items of a list at the end that goes on.
    items: list[Block] = []
    start = first
    while start < last:
        size = _PIECE
        while True:
            end = _piece_end(lines, start + size, last)
            blocks = _read_piece(lines, start, end)
            if end == last or _is_closed(blocks, lines, end):
                break
            size *= 2
        if found and blocks and blocks[0].first == start and _is_list_of(found[-1], blocks[0].kind, blocks[0].text):
            items = items or [*found[-1].blocks]
            items += blocks[0].blocks
            found[-1].blocks, found[-1].last = items, blocks.pop(0).last
        items = [] if blocks else items
        found += blocks
        start = end
    return found


def _piece_end(lines: Sequence[str], at: int, last: int) -> int:
    """The next line with which a piece may begin; the last one where there is none."""
    return next((number for number in range(at, last) if _begins_piece(lines, number)), last)


def _begins_piece(lines: Sequence[str], at: int) -> bool:
    line, before = lines[at], lines[at - 1]
    if not before.strip() and _MARGIN.match(line):
        return True
    is_item = before[:1] in (" ", "\t") or _NUMBERED.match(before) is not None
    return _BREAK.match(line) is not None or (is_item and _NUMBERED.match(line) is not None)


def _is_closed(blocks: Sequence[Block], lines: Sequence[str], end: int) -> bool:
    """Whether nothing in a piece takes in the line after it."""
    if not blocks:
        return True
    number = _NUMBERED.match(lines[end])
    if number and lines[end - 1].strip() and not _is_list_of(blocks[-1], "ordered_list", number[1]):
        # Only the number 1 ends a paragraph.
        return False
    return blocks[-1].kind not in ("fence", "html_block") or has_text(lines, blocks[-1].last, end)


def _is_list_of(block: Block, kind: str, sign: str) -> bool:
    return block.kind in LISTS and (block.kind, block.text) == (kind, sign)


def _read_piece(lines: Sequence[str], first: int, last: int) -> list[Block]:
    text = _BARE_ITEM.sub(r"\1- ", _OTHER_BULLET.sub(r"\1-", "\n".join(lines[first:last])))
    without = tuple(name for name, needed in _NEEDED.items() if not needed.search(text))
    # The blocks around, each with those inside of it.
    stack = [(Block("root", 0, 0), list[Block]())]
    inside = 0
    for token in _parser(without).parse(text):
        kind, _, _ = token.type.rpartition("_")
        if kind == "blockquote":
            inside += token.nesting
            if token.nesting == 1 and inside == 1:
                stack[-1][1].append(_block_of(token, "other", first))
        elif inside:
            continue
        elif token.type == "inline":
            stack[-1][0].text = token.content
        elif token.nesting == 1:
            block = _block_of(token, kind, first)
            stack[-1][1].append(block)
            stack.append((block, []))
        elif token.nesting == -1:
            block, below = stack.pop()
            block.blocks = _join_numbered(block, tuple(below))
        elif token.map is not None:
            stack[-1][1].append(_block_of(token, token.type, first))
    return stack[0][1]


def _block_of(token: Token, kind: str, offset: int) -> Block:
    first, last = token.map or (0, 0)
    level = int(token.tag[1]) if kind == "heading" else 0
    sign = token.markup if kind in LISTS else ""
    return Block(kind, offset + first, offset + last, level, sign, number=token.info if kind == "list_item" else "")


def _join_numbered(item: Block, blocks: Sequence[Block]) -> Sequence[Block]:
    """What is in an item: `- 1. [ ] text`, which is a list in a list for CommonMark, is one item."""
    inner = blocks[0] if item.kind == "list_item" and not item.number and blocks else None
    if inner is None or inner.kind != "ordered_list" or inner.first != item.first or len(inner.blocks) != 1:
        return blocks
    (below,) = inner.blocks
    if not below.blocks or below.blocks[0].kind != "paragraph" or below.blocks[0].first != item.first:
        return blocks
    below.blocks[0].text = f"{below.number}. {below.blocks[0].text}"
    return (*below.blocks, *blocks[1:])


def has_text(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether not all of some lines are blank."""
    return any(line.strip() for line in lines[first:last])


def fill_gaps(blocks: Iterable[Block], lines: Sequence[str], first: int, last: int) -> Iterator[Block]:
    """Blocks in their order, and as others what is between them: too deep, or what no block holds."""
    at = first
    for block in blocks:
        if block.first > at and has_text(lines, at, block.first):
            yield Block("other", at, block.first)
        yield block
        at = max(at, block.last)
    if has_text(lines, at, last):
        yield Block("other", at, last)


def is_open_fence(block: Block, lines: Sequence[str]) -> bool:
    """Whether no line closes a code block, which so takes in all that comes after it."""
    sign = lines[block.first].lstrip(" \t>-+*0123456789.)")[:3]
    last = lines[block.last - 1].strip()
    return block.last == block.first + 1 or not last or bool(last.strip(sign[:1])) or len(last) < len(sign)
