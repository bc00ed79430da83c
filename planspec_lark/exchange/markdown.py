"""The reader of lists in Markdown, for all formats that are written in it; and the format made of a dialect.

Headings and items become tasks by their structure: which of them is one is said by boxes, else by numbers, else by
bullets, and for free texts by :mod:`.outline`. Everything else stays as it is in notes.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from attrs import define

from planspec_lark.exchange import marks
from planspec_lark.exchange.blocks import LISTS, Block, fill_gaps, is_open_fence, read_blocks
from planspec_lark.exchange.dialect import (
    BOX,
    FRONT_MATTER,
    NEAR_BOX,
    NO_GOAL,
    STRUCK,
    SYMBOL,
    Dialect,
    find_box,
    join_lines,
)
from planspec_lark.exchange.formats import Format, leave_ids
from planspec_lark.exchange.markdown_writer import change_markdown, write_markdown
from planspec_lark.exchange.models import Account, Fate, NoListError, Task, TaskList, TaskReading
from planspec_lark.exchange.outline import find_answer, find_ends, find_siblings, outline
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic, count_of
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT", "markdown_format", "read_markdown"]

_MARKER = re.compile(r"[ \t]*(?:[-+*•◦▪‣●]|[0-9]{1,9}[.)])([ \t]*)")
# What CommonMark reads as text, and was meant as a box.
_NEAR_ITEM = re.compile(r"[ \t]*(?:[-+*][ \t]*\[[ xX]?\](?=[^\s(\[])|[-+*]\[[ xX]?\][ \t])")
_HIDDEN_ITEM = re.compile(r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\S")
# In place of a block that was read.
_READ = Block("other", 0, 0)
# So many lists are named.
_MOST_NAMED = 9


@define(eq=False)
class _Holder:
    """What takes notes and tasks in the order of the source."""

    # What they belong to.
    owner: Task | TaskList
    # The line after the last note; -1 where there is none. Whether something else has come since then.
    end: int = -1
    is_apart: bool = False

    def add(self, task: Task) -> None:
        self.owner.children.append(task)
        self.is_apart = True

    def write(self, lines: Iterable[str], first: int, last: int) -> None:
        if self.end >= 0:
            self.owner.notes += [""] * (1 if self.is_apart else first - self.end)
        self.owner.notes += map(marks.escape_detail, lines)
        self.end, self.is_apart = last, False


class _Reader:
    def __init__(self, source: Source, dialect: Dialect, choice: int) -> None:
        self.source, self.dialect, self.choice = source, dialect, choice
        self.account = Account(source)
        self.found: list[Diagnostic] = []
        # Lines that are kept and look like tasks, and those in what has no end.
        self.similar: dict[int, None] = {}
        self.hidden: list[int] = []
        # A carriage return alone would be another line for the parser.
        self.lines = [
            line.removesuffix("\r").replace("\r", " ") for line in source.text.removeprefix("\ufeff").split("\n")
        ]
        # Which lists hold tasks where there are no boxes, and what is one.
        self.kinds: tuple[str, ...] = LISTS
        self.has_boxes = False
        self.box = BOX
        # The line of each id.
        self.ids: dict[str, int] = {}

    def read(self) -> TaskReading:
        start = self._skip_front_matter()
        first, last = find_answer(self.source.text, self.lines, start) if self.dialect.is_free else (start, None)
        last = len(self.lines) if last is None else last
        blocks = [*fill_gaps(read_blocks(self.lines, first, last), self.lines, first, last)]
        self.has_boxes = self._find_boxes(blocks)
        if self.dialect.is_free:
            blocks = outline(blocks, self.lines, has_boxes=self.has_boxes)
        self._choose_lists(blocks)
        tasks = TaskList()
        root = _Holder(tasks)
        if first:
            self._keep(root, 0, first)
            # The paragraph after it is no part of it.
            root.end = -1
        blocks = self._read_title(blocks, root, tasks)
        self._read_sections(blocks, root)
        self._keep(root, last, len(self.lines))
        needs = self.dialect.find_needs(tasks)
        for task in needs:
            task.needs = [*needs[task]]
        if self.similar:
            self._tell_similar()
        return TaskReading(
            tasks, self.account, self.found, [line + 1 for line in sorted({*self.similar, *self.hidden})]
        )

    # ------------------------------------------------------------ head

    def _skip_front_matter(self) -> int:
        """The line after the front matter; 0 where there is none."""
        match = None if self.dialect.is_free else FRONT_MATTER.match(self.source.text)
        return match[0].count("\n") if match else 0

    # ------------------------------------------------------------ which lists and headings are tasks

    def _find_boxes(self, blocks: Sequence[Block]) -> bool:
        """Find out which items have boxes; where none has one, which have a sign in place of it."""
        lists = [block for block in blocks if block.kind in LISTS]
        for block in lists:
            self._mark_boxes(block)
        if any(block.has_box for block in lists) or not SYMBOL.search(self.source.text):
            return any(block.has_box for block in lists)
        self.box = SYMBOL
        for block in lists:
            self._mark_boxes(block)
        return any(block.has_box for block in lists)

    def _mark_boxes(self, block: Block) -> None:
        """Find out which items of a list have boxes, after those of all lists in it.

        A letter in brackets is an unknown box only beside others: alone it may mean anything, such as `[P]`.
        """
        statuses = self.dialect.statuses
        boxes = []
        for item in block.blocks:
            for below in item.blocks:
                if below.kind in LISTS:
                    self._mark_boxes(below)
                    item.has_box = item.has_box or below.has_box
            boxes.append(self._box_of(item))
        signs = [box and _sign_of(box) for box in boxes]
        is_list_of_tasks = any(sign is not None and sign in statuses for sign in signs)
        for item, sign in zip(block.blocks, signs, strict=True):
            item.is_box = sign is not None and (sign in statuses or is_list_of_tasks or not sign.isalnum())
            item.has_box = item.is_box or item.has_box
            block.has_box = block.has_box or item.has_box

    def _box_of(self, item: Block) -> re.Match[str] | None:
        first = item.blocks[0] if item.blocks else None
        return find_box(first.text, self.box) if first is not None and first.kind == "paragraph" else None

    def _choose_lists(self, blocks: Sequence[Block]) -> None:
        """Where there are no boxes, find out which lists hold tasks: those with numbers, or all."""
        lists = [block for block in blocks if block.kind in LISTS and block.role != "text"]
        if any(block.kind == "ordered_list" for block in lists):
            self.kinds = ("ordered_list",)
        if self.has_boxes:
            if self.choice:
                raise NoListError("a text with boxes has its tasks in all of its lists")
            return
        lists = [block for block in lists if self._holds_tasks(block)]
        if self.choice > len(lists):
            raise NoListError(f"there is no list {self.choice}: the text has {count_of(len(lists), 'list')}")
        if self.choice:
            for block in lists:
                block.role = "tasks" if block is lists[self.choice - 1] else "text"
        else:
            self._tell_lists(blocks, lists)

    def _tell_lists(self, blocks: Sequence[Block], lists: Sequence[Block]) -> None:
        """Name the lists that are on one level, so that one of them may be chosen."""
        numbers = {id(block): number for number, block in enumerate(lists, start=1)}
        groups: list[list[Block]] = [[]]
        for block in blocks:
            if block.kind == "heading":
                groups.append([])
            elif id(block) in numbers:
                groups[-1].append(block)
        several = next((group for group in groups if len(group) > 1 and not _is_continued(group)), None)
        if several is not None:
            said = ", ".join(f"{numbers[id(one)]} in {self._lines_of(one)}" for one in several[:_MOST_NAMED])
            more = f" and {len(several) - _MOST_NAMED} more" * (len(several) > _MOST_NAMED)
            message = f"{count_of(len(several), 'list')} on one level, all read as tasks: {said}{more}"
            self._find("EX115", message, several[0].first, help="choose one with `--list NUMBER`")

    def _lines_of(self, block: Block) -> str:
        first, last = self._trim(block.first, block.last)
        return f"lines {first + 1} to {last}" if last > first + 1 else f"line {first + 1}"

    def _holds_tasks(self, block: Block) -> bool:
        if block.role or block.kind not in LISTS:
            return block.role == "tasks"
        return block.has_box if self.has_boxes else block.kind in self.kinds

    def _read_title(self, blocks: list[Block], root: _Holder, tasks: TaskList) -> list[Block]:
        """Take title and goal; returns what is left."""
        title = self._find_title(blocks)
        at = blocks.index(title) if title else 0
        for block in blocks[:at]:
            self._keep_block(root, block)
        blocks = blocks[at:]
        # In an answer, only a title tells what the first paragraph is.
        is_told = title is not None or not self.dialect.is_free
        root.is_apart = True
        if title is not None:
            tasks.title = " ".join(title.text.split("\n"))
            self._take(blocks.pop(0), "title")
        goal = _goal_of(blocks[0]) if blocks and is_told else ""
        if goal:
            tasks.goal = goal
            self._take(blocks.pop(0), "goal")
        return blocks

    def _take(self, block: Block, part: str) -> None:
        self._carry(block.first, block.last, f"the {part}")

    def _find_title(self, blocks: Sequence[Block]) -> Block | None:
        """The only heading of the first level, where no other one and no task is before it."""
        if self.dialect.is_free:
            return next((block for block in blocks if block.role == "title"), None)
        tops = [block for block in blocks if block.kind == "heading" and block.level == 1]
        first = next((block for block in blocks if block.kind == "heading" or self._holds_tasks(block)), None)
        return first if first and first.text and tops == [first] else None

    # ------------------------------------------------------------ sections

    def _read_sections(self, blocks: list[Block], root: _Holder) -> None:
        """Read all blocks and let go of them. A heading is a task if its section has tasks, which is else text."""
        ends = find_ends(blocks)
        # How many blocks with tasks there are before each.
        counts = array(
            "q", accumulate((self._holds_tasks(block) or block.role == "step" for block in blocks), initial=0)
        )
        if not self.dialect.is_free:
            for at in find_siblings(blocks, ends, counts):
                blocks[at].role = "step"
        sections = array("q", accumulate(block.kind == "heading" for block in blocks))
        held = {sections[at] for at, block in enumerate(blocks) if self._holds_tasks(block)}
        # The sections around, each with its end.
        around = [(len(blocks), root)]
        at = last = 0
        while at < len(blocks):
            # What is read takes no memory any more.
            blocks[last:at] = [_READ] * (at - last)
            last = at
            while around[-1][0] <= at:
                around.pop()
            (_, holder), block, end = around[-1], blocks[at], ends.get(at, at + 1)
            if block.role == "lead":
                # What is below it belongs to the heading above.
                self._keep_block(holder, block)
                at += 1
            elif at in ends and (counts[end] > counts[at] or block.role == "step"):
                around.append((end, self._read_heading(block, blocks[end - 1].last, holder)))
                at += 1
            elif self._holds_tasks(block):
                self._read_list(block, holder, 0)
                at += 1
            else:
                for one in blocks[at:end]:
                    self._keep_block(holder, one, is_beside=block is one and sections[at] in held)
                at = end

    def _read_heading(self, block: Block, last: int, holder: _Holder) -> _Holder:
        is_counted = self.dialect.is_free and block.role == "step"
        task = Task(line=block.first + 1, is_counted=is_counted, notes=[marks.heading(block.level)])
        _, task.end = self._trim(block.first, last)
        self._name(task, " ".join(block.text.split("\n")), is_heading=True)
        self._carry(block.first, block.last, "{}, a heading", task)
        holder.add(task)
        return _Holder(task)

    # ------------------------------------------------------------ lists

    def _read_list(self, block: Block, holder: _Holder, column: int) -> None:
        for item in fill_gaps(block.blocks, self.lines, block.first, block.last):
            is_text = item.kind != "list_item" or (block.has_box and not item.has_box and self._is_detail(item, column))
            if is_text:
                self._keep(holder, item.first, item.last, column)
            else:
                self._read_item(item, holder, column, is_beside=block.has_box)
            # It takes as much memory as the task.
            item.blocks = ()

    def _is_detail(self, item: Block, column: int) -> bool:
        """Whether an item without a box says more of the task above it, as formats with ids have it, or of nothing."""
        return not item.blocks or bool(self.dialect.lead and column)

    def _read_item(self, item: Block, holder: _Holder, column: int, *, is_beside: bool) -> None:
        task = Task(line=item.first + 1, notes=[*item.notes])
        inner = self._content_column(item.first, column)
        below = _Holder(task)
        at = item.first
        blocks = item.blocks
        _, task.end = self._trim(item.first, item.last)
        holder.add(task)
        if blocks and blocks[0].kind == "paragraph":
            at = self._read_text(item, task, below, inner, is_beside=is_beside)
            blocks = blocks[1:]
        elif is_beside:
            task.is_counted = False
            task.notes.append(marks.NO_BOX)
        if not any(block.first == item.first for block in blocks):
            self._carry(item.first, item.first + 1, "{}", task)
            at = max(at, item.first + 1)
        for block in fill_gaps(blocks, self.lines, at, item.last):
            if self._holds_tasks(block):
                self._read_list(block, below, inner)
            else:
                self._keep(below, block.first, block.last, inner)
                if block.kind in LISTS and BOX.match(self.lines[block.first], self._text_start(block.first, inner)):
                    # It is nested too deeply.
                    self.similar[block.first] = None

    def _read_text(self, item: Block, task: Task, below: _Holder, column: int, *, is_beside: bool) -> int:
        """Take the text of an item; returns the line after it."""
        block = item.blocks[0]
        text, *more = block.text.split("\n")
        box = find_box(text, self.box) if item.is_box else None
        if box is None:
            task.is_counted = not is_beside
            if is_beside:
                task.notes.append(marks.NO_BOX)
            if STRUCK.fullmatch(text.strip()):
                task.status = PlanStatus.DONE
            elif is_beside and (near := NEAR_BOX.match(text)):
                self._find_unknown(near[0], block.first)
        else:
            self._read_box(box, task, block.first)
            text = text[: box.start()] + text[box.end() :]
        whole = join_lines([text, *more])
        self._name(task, (text if whole is None else whole).strip())
        end = block.first + 1 if whole is None else block.last
        self._carry(block.first, end, "{}", task)
        self._keep(below, end, block.last, column)
        return block.last

    def _name(self, task: Task, text: str, *, is_heading: bool = False) -> None:
        """Take the id and the text of a task. An id that is another one's stays in the text."""
        task_id, rest = self.dialect.split(text, is_heading=is_heading)
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
        sign = _sign_of(box)
        status = self.dialect.statuses.get(sign)
        if status is None:
            self._find_unknown(f"[{sign}]", line)
        else:
            task.status = status
        if box["star"] and self.dialect.has_optional:
            task.notes.append(marks.OPTIONAL)

    def _find_unknown(self, box: str, line: int) -> None:
        start = self.lines[line].find("[")
        end = self.lines[line].find("]", start) + 1
        self._find("EX101", f"unknown check box `{box}`, read as a task to do", line, (start, end))

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
        if last > first + 1:
            self.account.note(Fate.CARRIED, range(first + 2, last + 1), f"the rest of line {first + 1}")

    def _keep_block(self, holder: _Holder, block: Block, *, is_beside: bool = False) -> None:
        """Take a block as notes. What may have been meant as tasks is remembered.

        That is what is no list of tasks beside one, in a text without boxes anywhere; and what has the form of a task.
        """
        self._keep(holder, block.first, block.last)
        if block.kind in LISTS:
            is_beside = is_beside or not self.has_boxes
            self.similar |= dict.fromkeys(
                one.first for one in _iterate_items(block) if is_beside or self._has_form(one)
            )
        elif block.kind in ("fence", "html_block"):
            self._find_hidden(block)

    def _has_form(self, item: Block) -> bool:
        """Whether an item without a box looks like a task that has one: by a sign, or by the id of no other task."""
        text = item.blocks[0].text if item.blocks else ""
        if any(one.match(text) for one in (SYMBOL, STRUCK)):
            return True
        task_id, _ = self.dialect.split(text)
        return bool(task_id) and task_id not in self.ids

    def _find_hidden(self, block: Block) -> None:
        """Say so where a code block or a comment has no end, and takes in what looks like a list."""
        is_fence = block.kind == "fence"
        if not (is_open_fence(block, self.lines) if is_fence else _is_open_comment(self.lines, block)):
            return
        if hidden := [at for at in range(block.first + 1, block.last) if _HIDDEN_ITEM.match(self.lines[at])]:
            what = "code block" if is_fence else "comment"
            items = count_of(len(hidden), "item")
            message = f"the {what} has no end, and takes in {items} of a list"
            self._find("EX113", message, block.first, help="close it, or take its first line out")
            self.hidden += hidden

    def _tell_similar(self) -> None:
        lines = sorted(self.similar)
        message = "1 line looks like a task, and is kept as text"
        if len(lines) > 1:
            message = f"{len(lines):,} lines look like tasks, and are kept as text; the last is line {lines[-1] + 1}"
        self._find("EX112", message, lines[0])

    def _keep(self, holder: _Holder, first: int, last: int, column: int = 0) -> None:
        """Take lines as notes, without the blank ones at their ends."""
        if first == last:
            return
        first, last = self._trim(first, last)
        if first == last:
            return
        holder.write([_dedent(line, column) for line in self.lines[first:last]], first, last)
        self.account.note(Fate.KEPT, range(first + 1, last + 1), "detail of {}", holder.owner)
        self.similar |= dict.fromkeys(at for at in range(first, last) if _NEAR_ITEM.match(self.lines[at]))

    def _find(self, code: str, message: str, line: int, within: tuple[int, int] | None = None, help: str = "") -> None:
        start, end = within or (0, len(self.lines[line]))
        offset = self.source.start_of(line + 1)
        # The byte-order mark is no part of the lines.
        offset += line == 0 and self.source.text.startswith("\ufeff")
        span = self.source.span(offset + start, offset + end)
        self.found.append(Diagnostic(code, message, span=span, help=help, source=self.source))


def _sign_of(box: re.Match[str]) -> str:
    """What is in a box."""
    return box["sign"].strip("\ufe0f")


def _iterate_items(block: Block) -> Iterator[Block]:
    """All items of a list, and of those in it."""
    stack = [block]
    while stack:
        one = stack.pop()
        if one.kind == "list_item":
            yield one
        stack += reversed(one.blocks)


def _is_open_comment(lines: Sequence[str], block: Block) -> bool:
    opening = lines[block.first].find("<!--")
    return opening >= 0 and not any("-->" in line for line in lines[block.first : block.last])


def _is_continued(lists: Sequence[Block]) -> bool:
    """Whether each of some lists goes on with the number after those of the one before it."""
    numbers = [[int(item.number) for item in block.blocks if item.number] for block in lists]
    return all(one and two and two[0] == one[0] + len(one) for one, two in pairwise(numbers))


def _goal_of(block: Block) -> str:
    """The goal that a paragraph says; empty where it is none."""
    goal = join_lines(block.text.split("\n")) if block.kind == "paragraph" else None
    return "" if goal is None or goal.startswith(NO_GOAL) else goal


def _dedent(line: str, column: int) -> str:
    """A line without the white space of so many columns at its start."""
    if "\t" in line[:column]:
        line = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4) + line.lstrip(" \t")
    room = len(line) - len(line.lstrip(" "))
    return line[min(room, column) :]


def read_markdown(source: Source, dialect: Dialect, choice: int) -> TaskReading:
    """The tasks of a text in Markdown, and where each of its lines has gone."""
    return _Reader(source, dialect, choice).read()


# ---------------------------------------------------------------- formats


def markdown_format(
    name: str,
    dialect: Dialect,
    guess: Callable[[Source], int],
    number: Callable[[TaskList], None] = leave_ids,
) -> Format:
    """The format of a dialect; its other functions are those of all dialects."""

    def guess_markdown(source: Source) -> int:
        is_json = source.text.lstrip("\ufeff \t\r\n").startswith("{")
        return 0 if is_json else guess(source)

    return Format(
        name,
        guess_markdown,
        lambda source, choice: read_markdown(source, dialect, choice),
        lambda tasks: write_markdown(tasks, dialect),
        lambda source, changes: change_markdown(source, changes, dialect),
        number=number,
    )


# A text of a model that was told no format: only who asks for it means it.
FORMAT = markdown_format("markdown", Dialect(is_free=True), lambda _source: 0)
