"""The outline of a text: which headings and lists of it are steps, by structure and never by words.

What counts is the sign of a heading or a list, and the number that it begins with: a numeral in any script, alone or
behind one word, as in `2.`, `Phase 2:` or `第二步：`. A series of such headings is the plan, and what is beside it is
text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from attrs import evolve

from planspec_lark.exchange.blocks import LISTS, Block
from planspec_lark.exchange.dialect import SYMBOL, join_lines
from planspec_lark.syntax.fences import find_fences
from planspec_lark.syntax.reasoning import leave_out_reasoning

__all__ = ["find_answer", "find_ends", "find_siblings", "outline"]

_DIGITS = "一二三四五六七八九十"
# A number, and what is around it: signs, one word before it, up to three letters behind it, and what ends it.
_COUNTER = re.compile(
    rf"(?:[^\w\s]|[*_ ]){{0,8}}+(?:第|[^\W\d_]{{1,20}}?[ ]?)?(?P<number>[0-9]{{1,3}}(?![0-9])|[{_DIGITS}]{{1,3}})"
    r"(?:️?⃣|[ ]?[^\W\d_]{0,3})[*_ ]{0,3}(?:[.:：、．)）—–-]|\s|$)"
)
_DOTTED = re.compile(r"[*_ ]{0,8}+[0-9]{1,3}(?:\.(?P<number>[0-9]{1,3})){1,4}\.?[*_]{0,3}[ \t]")
_BOLD = re.compile(r"(?:\*\*|__)(?=\S)[^*\n]{1,200}(?:\*\*|__)[ \t]*[:：]?")
_FULLEST = 6
_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-[-:| \t]*+")
_CELL = re.compile(r"(?<!\\)\|")


def number_of(text: str) -> int:
    """The number that a text begins with, of several with dots the last; 0 where it begins with none."""
    if match := _DOTTED.match(text):
        return int(match["number"])
    match = _COUNTER.match(text)
    if match is None:
        return 0
    number = match["number"]
    if number.isascii():
        return int(number)
    tens, has_ten, ones = number.partition("十")
    return _digit(ones) + 10 * (_digit(tens) or 1) if has_ten else _digit(number)


def _digit(sign: str) -> int:
    return _DIGITS.find(sign) + 1 if len(sign) == 1 else 0


def find_ends(blocks: Sequence[Block]) -> dict[int, int]:
    """By the index of each heading, where its section ends: at the next heading that is not below it."""
    ends: dict[int, int] = {}
    around: list[int] = []
    for at, block in enumerate(blocks):
        if block.kind == "heading":
            while around and blocks[around[-1]].level >= block.level:
                ends[around.pop()] = at
            around.append(at)
    return ends | dict.fromkeys(around, len(blocks))


def _group_siblings(blocks: Sequence[Block], ends: Mapping[int, int]) -> dict[tuple[int, int], list[int]]:
    """The headings that are beside one another: below the same one, or -1, and of one level."""
    groups: dict[tuple[int, int], list[int]] = {}
    around: list[int] = []
    for at in sorted(ends):
        while around and ends[around[-1]] <= at:
            around.pop()
        groups.setdefault((around[-1] if around else -1, blocks[at].level), []).append(at)
        around.append(at)
    return groups


def find_siblings(blocks: Sequence[Block], ends: Mapping[int, int], counts: Sequence[int]) -> Iterator[int]:
    """Headings without tasks that have numbers, as have those beside them that hold some."""
    for group in _group_siblings(blocks, ends).values():
        numbers = {at: number_of(blocks[at].text) for at in group}
        held = [numbers[at] for at in group if counts[ends[at]] > counts[at]]
        if len(held) != len(group) and any(held) and _is_ascending([*filter(None, numbers.values())]):
            yield from (at for at in group if numbers[at] and counts[ends[at]] == counts[at])


def _is_ascending(numbers: Sequence[int]) -> bool:
    return len(numbers) > 1 and all(one < two for one, two in pairwise(numbers))


# ---------------------------------------------------------------- where the plan is


def find_answer(text: str, lines: Sequence[str], start: int) -> tuple[int, int]:
    """The lines of a text in which its plan is: the only code block with a list, where nothing else has one."""
    body = text.removeprefix("\ufeff")
    if blocks := leave_out_reasoning(body).blocks:
        start = max(start, body.count("\n", 0, blocks[-1].end))
        start = start if blocks[0].start == 0 or not body[: blocks[0].start].strip() else 0
    listed = [(first, last) for first, last in _find_inside(body) if any(map(_is_list_line, lines[first:last]))]
    if len(listed) != 1:
        return start, len(lines)
    ((first, last),) = listed
    around = [*lines[start : max(first - 1, start)], *lines[last + 1 :]]
    return (first, last) if first > start and not any(map(_is_list_line, around)) else (start, len(lines))


def _find_inside(text: str) -> Iterator[tuple[int, int]]:
    """The lines in each code block that begins at the margin and is closed."""
    at = line = 0
    for fence in find_fences(text):
        first = line + text.count("\n", at, fence.body_start)
        last = first + text.count("\n", fence.body_start, fence.body_end)
        if fence.is_closed and not fence.indent:
            yield first, last
        at, line = fence.body_end, last


def _is_list_line(line: str) -> bool:
    text = line.lstrip()
    return text.startswith(("- ", "* ", "+ ", "#", "|", "**")) or (text[:1].isdigit() and number_of(text) > 0)


# ---------------------------------------------------------------- the outline of a free text


def outline(blocks: Sequence[Block], lines: Sequence[str], *, has_boxes: bool) -> list[Block]:
    """The blocks of a text with what they are: lines in bold are headings, and each list and heading has its role."""
    found = _Outline(_promote(blocks), has_boxes=has_boxes)
    if (title := _find_title(found.blocks)) is not None:
        title.role = "title"
    has_series = found.read_series()
    if not has_series and not found.is_numbered:
        found.read_tables(lines)
    found.lift()
    return found.blocks


def _promote(blocks: Sequence[Block]) -> list[Block]:
    """Make headings of lines in bold, items of lines that begin with numbers, and find tables."""
    top = min(max((block.level for block in blocks if block.kind == "heading"), default=0) + 1, _FULLEST)
    firsts = [number_of(block.text) for block in blocks if block.kind == "paragraph"]
    counted = {*_run(firsts)} if len(_run(firsts)) > 1 else set()
    made: list[Block] = []
    at = -1
    for block in blocks:
        at += block.kind == "paragraph"
        rows = block.text.split("\n")
        if block.kind != "paragraph":
            made.append(block)
        elif len(rows) > 1 and "|" in rows[0] and "|" in rows[1] and _RULE.fullmatch(rows[1]):
            made.append(Block("other", block.first, block.first + 2))
            made.append(evolve(block, kind="table", first=block.first + 2, text=""))
        elif _BOLD.fullmatch(rows[0].strip()):
            made.append(Block("heading", block.first, block.first + 1, top, rows[0]))
            made += _split_rows(block, rows, 1)
        elif (parts := _split_rows(block, rows, 0))[-1].kind in LISTS:
            made += parts
        elif at in counted:
            # A sentence may go on in the next row.
            whole = join_lines(rows)
            end = 1 if whole is None else len(rows)
            made.append(Block("heading", block.first, block.first + end, top, whole or rows[0]))
            made += _split_rows(block, rows, end)
        else:
            made.append(block)
    return made


def _run(numbers: Sequence[int]) -> list[int]:
    """The places of numbers that go on by one, from the first on."""
    found: list[int] = []
    for at, number in enumerate(numbers):
        if number and (not found or number == numbers[found[-1]] + 1):
            found.append(at)
    return found


def _split_rows(block: Block, rows: Sequence[str], start: int) -> list[Block]:
    """The rest of a paragraph: a list from the first row on that has a number, if most have one; and what is before."""
    if start == len(rows):
        return []
    run = [start + at for at in _run([number_of(row) for row in rows[start:]])]
    first = run[0] if len(run) > 1 or (run and start) else len(rows)
    if 2 * len(run) < len(rows) - first or first > start + 1:
        first = len(rows)
    made = []
    if first > start:
        text = "\n".join(rows[start:first])
        made.append(evolve(block, first=block.first + start, last=block.first + first, text=text))
    if first < len(rows):
        made.append(_list_of(block, rows, first, {*run}))
    return made


def _list_of(block: Block, rows: Sequence[str], first: int, starts: set[int]) -> Block:
    """A list of the rows of a paragraph, from one on, with an item for each row that has a number."""
    items: list[Block] = []
    for at, row in enumerate(rows[first:], start=first):
        line = block.first + at
        if at in starts:
            text = Block("paragraph", line, line + 1, text=row)
            items.append(Block("list_item", line, line + 1, blocks=[text], number=str(number_of(row))))
        else:
            item = items[-1]
            item.last = item.blocks[0].last = line + 1
            item.blocks[0].text += f"\n{row}"
    return evolve(block, kind="ordered_list", first=block.first + first, text="", blocks=items)


def _find_title(blocks: Sequence[Block]) -> Block | None:
    """The first heading, where no other is on its level or above, and no list is before it."""
    first = next((block for block in blocks if block.kind in ("heading", "table", *LISTS)), None)
    if first is None or first.kind != "heading" or not first.text:
        return None
    others = [block.level for block in blocks if block.kind == "heading" and block is not first]
    return first if all(level > first.level for level in others) else None


class _Outline:
    def __init__(self, blocks: list[Block], *, has_boxes: bool) -> None:
        self.blocks, self.ends = blocks, find_ends(blocks)
        lists = [at for at, block in enumerate(blocks) if block.kind in LISTS]
        self.is_numbered = has_boxes or any(blocks[at].kind == "ordered_list" for at in lists)
        kinds = ("ordered_list",) if self.is_numbered else LISTS
        # Where the lists of tasks are, and those whose numbers go on from one to another.
        self.tasks = {at for at in lists if (blocks[at].has_box if has_boxes else blocks[at].kind in kinds)}
        spans = [(at, *_span_of(blocks[at])) for at in lists if blocks[at].kind == "ordered_list"]
        pairs = [(one[0], two[0]) for one, two in pairwise(spans) if two[1] == one[2] + 1]
        self.chained = {at for pair in pairs for at in pair}

    def read_series(self) -> bool:
        """Read the series of headings; returns whether there is one."""
        found = False
        for (above, _), group in _group_siblings(self.blocks, self.ends).items():
            numbers = {at: number_of(self.blocks[at].text) for at in group}
            counted = [at for at in group if numbers[at]]
            if _is_ascending([numbers[at] for at in counted]) and 2 * len(counted) >= len(group) - 3:
                found = True
                self._count(counted)
                self._leave_out(above, counted, [at for at in group if not numbers[at]])
        return found

    def _count(self, counted: Sequence[int]) -> None:
        """Headings that are counted are steps, with bullets as their detail where not all of them have some."""
        held = {at: [one for one in range(at, self.ends[at]) if one in self.tasks] for at in counted}
        is_flat = not self.is_numbered and not all(held.values())
        for at in counted:
            if is_flat or not held[at]:
                self.blocks[at].role = "step"
            for one in held[at] if is_flat else ():
                self.blocks[one].role = "text"

    def _leave_out(self, above: int, counted: Sequence[int], others: Sequence[int]) -> None:
        """What is beside a series is text, and so is what is behind a line in its last section."""
        beside = [*range(above + 1, counted[0]), *(one for at in others for one in range(at, self.ends[at]))]
        last = self.ends[counted[-1]]
        beside += range(next((at for at in range(counted[-1], last) if self.blocks[at].kind == "hr"), last), last)
        for one in beside:
            if self.blocks[one].kind in LISTS and not self.blocks[one].has_box and one not in self.chained:
                self.blocks[one].role = "text"

    def read_tables(self, lines: Sequence[str]) -> None:
        """Make lists of tables whose rows are counted; then no other list is one of tasks."""
        tables = {
            at: [_cells(lines[block.first - 2]), *map(_cells, lines[block.first : block.last])]
            for at, block in enumerate(self.blocks)
            if block.kind == "table"
        }
        counted = {at: rows for at, rows in tables.items() if _is_ascending([_count(row[0]) for row in rows[1:]])}
        for at in self.tasks if counted else ():
            self.blocks[at].role = "text"
        for at, rows in counted.items():
            _read_table(self.blocks[at], rows)
        self.tasks |= {*counted}

    def lift(self) -> None:
        """Where one section alone has tasks of those beside it, its heading is no step, unless it is counted."""
        blocks = self.blocks
        is_task = ((at in self.tasks and one.role != "text") or one.role == "step" for at, one in enumerate(blocks))
        held = array("q", accumulate(is_task, initial=0))
        for group in _group_siblings(blocks, self.ends).values():
            holders = [at for at in group if held[self.ends[at]] > held[at]]
            if len(holders) == 1 and not blocks[holders[0]].role and not number_of(blocks[holders[0]].text):
                blocks[holders[0]].role = "lead"


def _span_of(block: Block) -> tuple[int, int]:
    """The numbers of the first and the last item of a list."""
    first = int(block.blocks[0].number or 0) if block.blocks else 0
    return first, first + len(block.blocks) - 1


# ---------------------------------------------------------------- tables


def _cells(line: str) -> list[str]:
    row = line.strip()
    return [cell.strip() for cell in _CELL.split(row.removeprefix("|").removesuffix("|"))]


def _read_table(block: Block, rows: Sequence[Sequence[str]]) -> None:
    """Make a list of a table: the first column with texts behind the numbers has the steps, and one of signs boxes."""
    head, body = rows[0], rows[1:]
    columns = range(1, len(head))
    cells = {at: [*filter(None, (_cell(row, at) for row in body))] for at in columns}
    signs = [at for at in columns if cells[at] and all(map(_is_sign, cells[at]))]
    texts = [at for at in columns if at not in signs]
    block.kind, block.role, block.has_box = "ordered_list", "tasks", bool(signs)
    items: list[Block] = []
    for line, row in enumerate(body, start=block.first):
        sign = next((_cell(row, at) for at in signs if _cell(row, at)), "")
        text = _cell(row, texts[0]) if texts else ""
        item = Block("list_item", line, line + 1, number=str(_count(row[0])), is_box=bool(sign), has_box=bool(sign))
        item.blocks = [Block("paragraph", line, line + 1, text=f"{sign} {text}".strip())]
        item.notes = [f"{head[at]}: {_cell(row, at)}" for at in texts[1:] if _cell(row, at)]
        items.append(item)
    block.blocks = items


def _count(cell: str) -> int:
    return int(cell.rstrip(".")) if re.fullmatch(r"[0-9]{1,4}\.?", cell) else number_of(f"{cell} ")


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


def _is_sign(cell: str) -> bool:
    return SYMBOL.fullmatch(f"{cell} ") is not None
