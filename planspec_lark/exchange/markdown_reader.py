"""The reader of task lists in Markdown.

Blocks are found by markdown-it-py, of which no more is used than the lines of each block: what is inside of a line
is text. Headings and items become tasks, everything else stays as it is in notes. Its plug-in for task lists is not
used: it knows two marks only, and goes back to the start of a list for each of its items.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate

from attrs import define, field
from markdown_it import MarkdownIt
from markdown_it.token import Token

from planspec_lark.exchange import marks
from planspec_lark.exchange.dialect import BOX, LABEL, Dialect, join_lines
from planspec_lark.exchange.models import Account, Fate, Task, TaskList, TaskReading
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.source import Source

__all__ = ["read_markdown"]

# A list inside a list takes two levels.
_MOST_LEVELS = 100
_MARKER = re.compile(r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])([ \t]*)")
# What CommonMark reads as text, and was meant as a box.
_NEAR_BOX = re.compile(r"(?:[-+*][ \t]*\[[ xX]?\](?=\S)|[-+*]\[[ xX]?\][ \t])")
# A paragraph that begins so is not a goal.
_NO_GOAL = (*LABEL, "[", "#", "`")
_FRONT_MATTER = re.compile(r"---[ \t]*")

# ---------------------------------------------------------------- blocks


@define(eq=False)
class _Block:
    """A block of Markdown: its lines from 0, the last one excluded, and the blocks inside of it."""

    kind: str
    first: int
    last: int
    level: int = 0
    text: str = ""
    blocks: list[_Block] = field(factory=list, repr=False)
    # Of an item: whether it has a box itself. Of a list or an item: whether there is one in it.
    is_box: bool = False
    has_box: bool = False


@cache
def _parser() -> MarkdownIt:
    # Without code blocks by indentation, an item may be indented as far as its writer likes.
    parser = MarkdownIt("commonmark", {"maxNesting": _MOST_LEVELS}).disable(["code", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_LISTS = ("bullet_list", "ordered_list")


def _read_blocks(lines: Sequence[str], statuses: Container[str]) -> list[_Block]:
    root = _Block("root", 0, len(lines))
    stack = [root]
    inside = 0
    for token in _parser().parse("\n".join(lines)):
        kind, _, _ = token.type.rpartition("_")
        if kind == "blockquote":
            inside += token.nesting
            if token.nesting == 1 and inside == 1:
                stack[-1].blocks.append(_block_of(token, "other"))
        elif inside:
            continue
        elif token.type == "inline":
            stack[-1].text = token.content
        elif token.nesting == 1:
            stack[-1].blocks.append(_block_of(token, kind))
            stack.append(stack[-1].blocks[-1])
        elif token.nesting == -1:
            block = stack.pop()
            if block.kind in _LISTS:
                _find_boxes(block, statuses)
        elif token.map is not None:
            stack[-1].blocks.append(_block_of(token, "other"))
    return root.blocks


def _block_of(token: Token, kind: str) -> _Block:
    first, last = token.map or (0, 0)
    level = int(token.tag[1]) if kind == "heading" else 0
    return _Block(kind, first, last, level)


def _find_boxes(block: _Block, statuses: Container[str]) -> None:
    """Find out which items of a list have boxes, now that all in it is known.

    A letter in brackets is an unknown box only beside others: alone it may mean anything, such as `[P]`.
    """
    signs = [match[1] if (match := _box_of(item)) else None for item in block.blocks]
    is_list_of_tasks = any(sign is not None and sign in statuses for sign in signs)
    for item, sign in zip(block.blocks, signs, strict=True):
        item.is_box = sign is not None and (sign in statuses or is_list_of_tasks or not sign.isalnum())
        item.has_box = item.is_box or any(one.has_box for one in item.blocks)
        block.has_box = block.has_box or item.has_box


def _box_of(item: _Block) -> re.Match[str] | None:
    first = item.blocks[0] if item.blocks else None
    return BOX.match(first.text) if first is not None and first.kind == "paragraph" else None


def _fill(blocks: Iterable[_Block], lines: Sequence[str], first: int, last: int) -> Iterator[_Block]:
    """Blocks in their order, and as others what is between them: too deep, or what no block holds."""
    at = first
    for block in blocks:
        if block.first > at and any(line.strip() for line in lines[at : block.first]):
            yield _Block("other", at, block.first)
        yield block
        at = max(at, block.last)
    if any(line.strip() for line in lines[at:last]):
        yield _Block("other", at, last)


# ---------------------------------------------------------------- reading


@define(eq=False)
class _Holder:
    """What takes notes and tasks in the order of the source, and marks in the notes where the tasks were."""

    # What they belong to.
    owner: Task | TaskList
    # How many tasks there were at the last mark, and the line after the last note; -1 where no note continues.
    marked: int = 0
    end: int = -1

    def add(self, task: Task) -> None:
        self.owner.children.append(task)
        self.end = -1

    def write(self, lines: Iterable[str], first: int, last: int) -> None:
        notes, count = self.owner.notes, len(self.owner.children)
        if count > self.marked:
            notes.append(marks.steps(count - self.marked))
            self.marked = count
        elif self.end >= 0:
            notes += [""] * (first - self.end)
        notes += map(marks.escape_detail, lines)
        self.end = last


class _Reader:
    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.source, self.dialect = source, dialect
        self.account = Account(source)
        self.found: list[Diagnostic] = []
        # A carriage return alone would be another line for the parser.
        self.lines = [
            line.removesuffix("\r").replace("\r", " ") for line in source.text.removeprefix("\ufeff").split("\n")
        ]
        # Which lists hold tasks, and whether there are boxes at all.
        self.kinds: tuple[str, ...] = _LISTS
        self.has_boxes = False
        # The signs of what is done.
        self.boxes: set[str] = set()
        # The line of each id.
        self.ids: dict[str, int] = {}

    def read(self) -> TaskReading:
        start = self._skip_front_matter()
        blocks = _read_blocks(["" if at < start else line for at, line in enumerate(self.lines)], self.dialect.statuses)
        blocks = [*_fill(blocks, self.lines, start, len(self.lines))]
        self._choose_lists(blocks)
        tasks = TaskList()
        root = _Holder(tasks)
        if start:
            self._keep(root, 0, start)
            # The paragraph after it is no part of it.
            root.end = -1
        blocks = self._read_title(blocks, root, tasks)
        self._read_sections(blocks, root)
        needs = self.dialect.find_needs(tasks)
        for task in tasks:
            task.needs = [*needs.get(task, ())]
        if len(self.boxes) == 1 and self.boxes != {"x"}:
            tasks.notes.insert(0, marks.box(*self.boxes))
        if self.dialect.has_ids:
            _mark_missing_ids(tasks)
        return TaskReading(tasks, self.account, self.found)

    # ------------------------------------------------------------ head

    def _skip_front_matter(self) -> int:
        """The line after the front matter; 0 where there is none."""
        if not _FRONT_MATTER.fullmatch(self.lines[0]):
            return 0
        for at, line in enumerate(self.lines[1:], start=1):
            if _FRONT_MATTER.fullmatch(line):
                return at + 1
            if line and not re.match(r"[ \t#\-\w\"'\]}]", line):
                break
        self._find("EX105", "the front matter is not closed, and is read as text", 0, help="end it with a line `---`")
        return 0

    def _choose_lists(self, blocks: Sequence[_Block]) -> None:
        """Find out which lists hold tasks: those with boxes; where there are none, those with numbers, or all."""
        lists = [block for block in blocks if block.kind in _LISTS]
        self.has_boxes = any(block.has_box for block in lists)
        if any(block.kind == "ordered_list" for block in lists):
            self.kinds = ("ordered_list",)

    def _holds_tasks(self, block: _Block) -> bool:
        return block.has_box and block.kind in _LISTS if self.has_boxes else block.kind in self.kinds

    def _read_title(self, blocks: list[_Block], root: _Holder, tasks: TaskList) -> list[_Block]:
        """Take title and goal; returns what is left."""
        missing = []
        title = self._find_title(blocks)
        if title is None:
            missing.append("title")
        else:
            at = blocks.index(title)
            for block in blocks[:at]:
                self._keep(root, block.first, block.last)
            blocks = blocks[at + 1 :]
            if tasks.notes:
                tasks.notes.append(marks.TITLE)
            root.end = -1
            tasks.title = " ".join(title.text.split("\n"))
            self._carry(title.first, title.last, "the title")
        # Behind front matter, only a title tells what the first paragraph is.
        if blocks and (title or not tasks.notes) and (goal := _goal_of(blocks[0])):
            tasks.goal = goal
            self._carry(blocks[0].first, blocks[0].last, "the goal")
            blocks = blocks[1:]
        else:
            missing.append("goal")
        tasks.notes[:0] = marks.not_here(missing)
        return blocks

    def _find_title(self, blocks: Sequence[_Block]) -> _Block | None:
        """The only heading of the first level, where no other one and no task is before it."""
        tops = [block for block in blocks if block.kind == "heading" and block.level == 1]
        first = next((block for block in blocks if block.kind == "heading" or self._holds_tasks(block)), None)
        return first if first and first.text and tops == [first] else None

    # ------------------------------------------------------------ sections

    def _read_sections(self, blocks: Sequence[_Block], root: _Holder) -> None:
        """Read all blocks. A heading is a task if there are tasks in its section, which is else text as a whole."""
        ends = _find_ends(blocks)
        # How many blocks with tasks there are before each.
        counts = [0, *accumulate(map(self._holds_tasks, blocks))]
        # The sections around, each with its end.
        around = [(len(blocks), root)]
        at = 0
        while at < len(blocks):
            while around[-1][0] <= at:
                around.pop()
            (_, holder), block, end = around[-1], blocks[at], ends.get(at, at + 1)
            if at in ends and counts[end] > counts[at]:
                around.append((end, self._read_heading(block, blocks[end - 1].last, holder)))
                at += 1
                continue
            if self._holds_tasks(block):
                self._read_list(block, holder, 0)
            else:
                self._keep(holder, block.first, blocks[end - 1].last)
            at = end

    def _read_heading(self, block: _Block, last: int, holder: _Holder) -> _Holder:
        task = Task(line=block.first + 1, is_counted=False, notes=[marks.heading(block.level)])
        _, task.end = self._trim(block.first, last)
        self._name(task, " ".join(block.text.split("\n")), is_heading=True)
        self._carry(block.first, block.last, "{}, a heading", task)
        holder.add(task)
        return _Holder(task)

    # ------------------------------------------------------------ lists

    def _read_list(self, block: _Block, holder: _Holder, column: int) -> None:
        for item in _fill(block.blocks, self.lines, block.first, block.last):
            if item.kind != "list_item" or (block.has_box and not item.has_box):
                self._keep(holder, item.first, item.last, column)
            else:
                self._read_item(item, holder, column)

    def _read_item(self, item: _Block, holder: _Holder, column: int) -> None:
        task = Task(line=item.first + 1)
        inner = self._content_column(item.first, column)
        below = _Holder(task)
        at = item.first
        blocks = item.blocks
        _, task.end = self._trim(item.first, item.last)
        holder.add(task)
        if blocks and blocks[0].kind == "paragraph":
            at = self._read_text(item, task, below, inner)
            blocks = blocks[1:]
        elif item.has_box:
            task.is_counted = False
            task.notes.append(marks.NO_BOX)
        if not any(block.first == item.first for block in blocks):
            self._carry(item.first, item.first + 1, "{}", task)
            at = max(at, item.first + 1)
        for block in _fill(blocks, self.lines, at, item.last):
            if self._holds_tasks(block):
                self._read_list(block, below, inner)
            else:
                self._keep(below, block.first, block.last, inner)
                if block.kind in _LISTS and BOX.match(self.lines[block.first], self._text_start(block.first, inner)):
                    self._find("EX106", "the task is nested too deeply, and is read as text", block.first)

    def _read_text(self, item: _Block, task: Task, below: _Holder, column: int) -> int:
        """Take the text of an item; returns the line after it."""
        block = item.blocks[0]
        text, *more = block.text.split("\n")
        box = BOX.match(text) if item.is_box else None
        if box is None:
            task.is_counted = not self.has_boxes
            if not task.is_counted:
                task.notes.append(marks.NO_BOX)
        else:
            self._read_box(box, task, block.first)
            text = text[box.end() :]
        whole = join_lines([text, *more])
        self._name(task, (text if whole is None else whole).strip())
        end = block.first + 1 if whole is None else block.last
        self._carry(block.first, end, "{}", task)
        below.end = end
        self._keep(below, end, block.last, column)
        return block.last

    def _name(self, task: Task, text: str, *, is_heading: bool = False) -> None:
        """Take the id and the text of a task. An id that is another one's stays in the text."""
        task_id, rest = self.dialect.split(text, is_heading)
        first = self.ids.setdefault(task_id, task.line) if task_id else task.line
        if first == task.line:
            task.id, task.text = task_id, rest
        else:
            task.text = text
            message = (
                f"duplicate id {task_id}, first seen in line {first}: it stays in the text, and this task gets no name"
            )
            self._find("EX102", message, task.line - 1)

    def _read_box(self, box: re.Match[str], task: Task, line: int) -> None:
        sign, star = box.groups()
        status = self.dialect.statuses.get(sign)
        if status is None:
            start = self.lines[line].find("[")
            self._find("EX101", f"unknown check box `[{sign}]`, read as a task to do", line, (start, start + 3))
        else:
            task.status = status
            if status is PlanStatus.DONE:
                self.boxes.add(sign)
        if star and self.dialect.has_optional:
            task.notes.append(marks.OPTIONAL)

    def _text_start(self, line: int, column: int) -> int:
        match = _MARKER.match(self.lines[line], min(column, len(self.lines[line])))
        return match.end() if match else 0

    def _trim(self, first: int, last: int) -> tuple[int, int]:
        """The bounds of some lines without the blank ones at their ends."""
        while first < last and not self.lines[last - 1].strip():
            last -= 1
        while first < last and not self.lines[first].strip():
            first += 1
        return first, last

    def _content_column(self, line: int, column: int) -> int:
        """The column at which the text of an item begins that is in another one's."""
        text = self.lines[line].expandtabs(4)
        match = _MARKER.match(text, column)
        if match is None:
            return column + 2
        room = len(match[1])
        return match.end() - room + (room if 0 < room <= 4 and match.end() < len(text) else 1)

    # ------------------------------------------------------------ the account

    def _carry(self, first: int, last: int, reason: str, task: Task | None = None) -> None:
        """Say of lines that they are a part of the plan: all but the first one are joined with it."""
        self.account.note(Fate.CARRIED, [first + 1], reason, task)
        self.account.note(Fate.CARRIED, range(first + 2, last + 1), f"the rest of line {first + 1}", is_joined=True)

    def _keep(self, holder: _Holder, first: int, last: int, column: int = 0) -> None:
        """Take lines as notes, without the blank ones at their ends."""
        first, last = self._trim(first, last)
        if first == last:
            return
        holder.write([_dedent(line, column) for line in self.lines[first:last]], first, last)
        self.account.note(Fate.KEPT, range(first + 1, last + 1), "detail of {}", holder.owner)
        for at in range(first, last):
            if match := _NEAR_BOX.match(self.lines[at].lstrip()):
                start = len(self.lines[at]) - len(self.lines[at].lstrip())
                message = "white space is missing around the check box, so the line is read as text"
                self._find("EX106", message, at, (start, start + match.end()))

    def _find(self, code: str, message: str, line: int, within: tuple[int, int] | None = None, help: str = "") -> None:
        start, end = within or (0, len(self.lines[line]))
        offset = self.source.start_of(line + 1)
        # The byte-order mark is no part of the lines.
        offset += line == 0 and self.source.text.startswith("\ufeff")
        span = self.source.span(offset + start, offset + end)
        self.found.append(Diagnostic(code, message, span=span, help=help, source=self.source))


def _goal_of(block: _Block) -> str:
    """The goal that a paragraph says; empty where it is none."""
    goal = join_lines(block.text.split("\n")) if block.kind == "paragraph" else None
    return "" if goal is None or goal.startswith(_NO_GOAL) else goal


def _mark_missing_ids(tasks: TaskList) -> None:
    """Mark tasks that have no id, so that none is given to them."""
    if not any(task.id for task in tasks):
        tasks.notes.insert(0, marks.NO_ID)
        return
    for parent in [tasks, *tasks]:
        missing = [task for task in parent.children if task.is_counted and not task.id]
        if any(task.id for task in parent.children):
            for task in missing:
                task.notes.insert(0, marks.NO_ID)
        elif missing:
            parent.notes.insert(0, marks.NO_IDS)


def _find_ends(blocks: Sequence[_Block]) -> dict[int, int]:
    """By the index of each heading, where its section ends: at the next heading that is not below it."""
    ends: dict[int, int] = {}
    around: list[int] = []
    for at, block in enumerate(blocks):
        if block.kind == "heading":
            while around and blocks[around[-1]].level >= block.level:
                ends[around.pop()] = at
            around.append(at)
    return ends | dict.fromkeys(around, len(blocks))


def _dedent(line: str, column: int) -> str:
    """A line without the white space of so many columns at its start."""
    if "\t" in line[:column]:
        line = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4) + line.lstrip(" \t")
    room = len(line) - len(line.lstrip(" "))
    return line[min(room, column) :]


def read_markdown(source: Source, dialect: Dialect) -> TaskReading:
    """The tasks of a text in Markdown, and where each of its lines has gone."""
    return _Reader(source, dialect).read()
