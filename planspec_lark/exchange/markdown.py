"""Task lists in Markdown, both ways: what all formats have in common that are written in it.

Blocks are found by markdown-it-py, of which no more is used than the lines of each block: what stands inside of a line
is text. Headings and items become tasks, everything else stays as it is in notes. Its plug-in for task lists is not
used: it knows two marks only, and goes back to the start of a list for each of its items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import dropwhile, pairwise
from typing import TypeAlias

from attrs import define, evolve, field, frozen
from markdown_it import MarkdownIt
from markdown_it.token import Token

from planspec_lark.exchange import marks
from planspec_lark.exchange.models import Account, Change, Entry, Fate, Reading, Task, TaskList
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.source import Source

__all__ = ["BOXES", "Dialect", "change_markdown", "compare_lines", "read_markdown", "write_markdown"]

# A list inside a list takes two levels.
_MOST_LEVELS = 100
_BOX = re.compile(r"\[(.?)\](\*?)(?=\s|$)\s*")
_MARKER = re.compile(r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])([ \t]*)")
# What CommonMark reads as text, and was meant as a box.
_NEAR_BOX = re.compile(r"(?:[-+*][ \t]*\[[ xX]?\](?=\S)|[-+*]\[[ xX]?\][ \t])")
# A line that begins so is not the rest of the sentence in front of it.
_LABEL = ("**", "__", "_", "*", "<", "|", "→", "✅", "❌")
_WIDE = 60
_BEGINS_BLOCK = re.compile(r"[ \t]*(?:[-+*][ \t]|[0-9]{1,9}[.)][ \t]|```|~~~|>|#{1,6}[ \t]|<|---)")
_FRONT_MATTER = re.compile(r"---[ \t]*")

# What a box holds, in the formats that have no others.
BOXES: Mapping[str, PlanStatus] = {
    " ": PlanStatus.PENDING,
    "": PlanStatus.PENDING,
    **dict.fromkeys("xX✓✔✅☑", PlanStatus.DONE),
}


def _no_id(text: str, _is_heading: bool) -> tuple[str, str]:
    return "", text


def _plain(task: Task, _is_heading: bool, _depth: int) -> str:
    return task.text


def _find_none(_tasks: TaskList) -> Mapping[int, Sequence[str]]:
    return {}


def _add_none(_task: Task, _needs: Sequence[str]) -> None:
    return


@frozen
class Dialect:
    """What is special about a format in Markdown.

    Attributes:
        statuses: what the sign in a box means.
        boxes: the sign for each status; one that is missing is written as the pending one.
        has_optional: whether `- [ ]*` is a task that may be left out.
        has_goal: whether a paragraph below the title says what is to be reached.
        split: the id in a text, and what is left of it.
        join: the text of a task with its id, at a depth.
        find_needs: what texts and notes say of what each task needs, by the task's ``id()``.
        add_needs: lets the text or the notes of a task say that it needs something.
        is_loose: whether a blank line stands between tasks.
        level: the level of headings for containers at the top that have no mark; 0 where they are tasks as well.
    """

    statuses: Mapping[str, PlanStatus] = BOXES
    boxes: Mapping[PlanStatus, str] = field(factory=lambda: {PlanStatus.PENDING: " ", PlanStatus.DONE: "x"})
    has_optional: bool = False
    has_goal: bool = True
    split: Callable[[str, bool], tuple[str, str]] = _no_id
    join: Callable[[Task, bool, int], str] = _plain
    find_needs: Callable[[TaskList], Mapping[int, Sequence[str]]] = _find_none
    add_needs: Callable[[Task, Sequence[str]], None] = _add_none
    is_loose: bool = False
    level: int = 0


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
    reader = MarkdownIt("commonmark", {"maxNesting": _MOST_LEVELS}).disable(["code", "reference"])
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader


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

    A letter in brackets is a box that nobody knows only beside others: alone it may mean anything, such as `[P]`.
    """
    signs = [match[1] if (match := _box_of(item)) else None for item in block.blocks]
    is_list_of_tasks = any(sign is not None and sign in statuses for sign in signs)
    for item, sign in zip(block.blocks, signs, strict=True):
        item.is_box = sign is not None and (sign in statuses or is_list_of_tasks or not sign.isalnum())
        item.has_box = item.is_box or any(one.has_box for one in item.blocks)
        block.has_box = block.has_box or item.has_box


def _box_of(item: _Block) -> re.Match[str] | None:
    first = item.blocks[0] if item.blocks else None
    return _BOX.match(first.text) if first is not None and first.kind == "paragraph" else None


def _fill(blocks: Iterable[_Block], lines: Sequence[str], first: int, last: int) -> Iterator[_Block]:
    """Blocks in their order, and as others what stands between them: too deep, or what no block holds."""
    at = first
    for block in blocks:
        if block.first > at and any(line.strip() for line in lines[at : block.first]):
            yield _Block("other", at, block.first)
        yield block
        at = max(at, block.last)
    if any(line.strip() for line in lines[at:last]):
        yield _Block("other", at, last)


@define(eq=False)
class _Section:
    """A heading and all up to the next one of its level."""

    heading: _Block | None
    level: int
    first: int
    last: int = 0
    items: list[_Block | _Section] = field(factory=list, repr=False)
    has_tasks: bool = False


# ---------------------------------------------------------------- reading


@define(eq=False)
class _Holder:
    """What takes notes and tasks in the order of the source, and marks in the notes where the tasks stood."""

    owner: Task | TaskList
    notes: list[str]
    tasks: list[Task]
    # How many tasks there were at the last mark, and the line behind the last note; -1 where no note goes on.
    marked: int = 0
    end: int = -1

    def add(self, task: Task) -> None:
        self.tasks.append(task)
        self.end = -1

    def write(self, lines: Iterable[str], first: int, last: int) -> None:
        new = len(self.tasks) - self.marked
        if new:
            self.notes.append(marks.steps(new))
            self.marked = len(self.tasks)
        elif self.end >= 0:
            self.notes += [""] * (first - self.end)
        self.notes += map(marks.escape, lines)
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

    def read(self) -> Reading:
        start = self._skip_front_matter()
        blocks = _read_blocks(["" if at < start else line for at, line in enumerate(self.lines)], self.dialect.statuses)
        blocks = [*_fill(blocks, self.lines, start, len(self.lines))]
        self._choose_lists(blocks)
        tasks = TaskList()
        root = _Holder(tasks, tasks.notes, tasks.tasks)
        if start:
            self._keep(root, 0, start)
            # The paragraph behind it is no part of it.
            root.end = -1
        blocks = self._read_title(blocks, root, tasks)
        self._read_sections(_nest(blocks, self._holds_tasks, len(self.lines)), root)
        needs = self.dialect.find_needs(tasks)
        for task in tasks:
            task.needs = [*needs.get(id(task), ())]
        if len(self.boxes) == 1 and self.boxes != {"x"}:
            tasks.notes.insert(0, marks.box(*self.boxes))
        if self.dialect.split is not _no_id:
            _mark_missing_ids(tasks)
        return Reading(tasks, self.account, self.found)

    # ------------------------------------------------------------ head

    def _skip_front_matter(self) -> int:
        """The line behind the front matter; 0 where there is none."""
        if not _FRONT_MATTER.fullmatch(self.lines[0]):
            return 0
        for at, line in enumerate(self.lines[1:], start=1):
            if _FRONT_MATTER.fullmatch(line):
                return at + 1
            if line and not re.match(r"[ \t#\-\w\"'\]}]", line):
                break
        self._find("EX105", "front matter that is not closed is read as text", 0, help="end it with a line `---`")
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
        tops = [at for at, block in enumerate(blocks) if block.kind == "heading" and block.level == 1]
        first = next(
            (at for at, block in enumerate(blocks) if block.kind == "heading" or self._holds_tasks(block)), None
        )
        missing = []
        at = 0
        if len(tops) == 1 and tops[0] == first and blocks[first].text:
            for block in blocks[:first]:
                self._keep(root, block.first, block.last)
            if root.notes:
                root.notes.append(marks.TITLE)
            root.end = -1
            title = blocks[first]
            tasks.title = " ".join(title.text.split("\n"))
            self._carry(title.first, title.last, "the title")
            at = first + 1
        else:
            missing.append("title")
        below = blocks[at] if at < len(blocks) else None
        goal = _join(below.text.split("\n")) if below is not None and below.kind == "paragraph" else None
        if below is not None and goal and self.dialect.has_goal and not (at == 0 and root.notes) and _is_plain(goal):
            tasks.goal = goal
            self._carry(below.first, below.last, "the goal")
            at += 1
        else:
            missing.append("goal")
        root.notes[:0] = marks.not_here(missing)
        return blocks[at:]

    # ------------------------------------------------------------ sections

    def _read_sections(self, root: _Section, holder: _Holder) -> None:
        todo: list[tuple[_Holder, Iterator[_Block | _Section]]] = [(holder, iter(root.items))]
        while todo:
            holder, items = todo[-1]
            item = next(items, None)
            if item is None:
                todo.pop()
            elif isinstance(item, _Block):
                self._read_block(item, holder)
            elif not item.has_tasks:
                self._keep(holder, item.first, item.last)
            else:
                assert item.heading is not None
                below = self._read_heading(item.heading, holder)
                assert isinstance(below.owner, Task)
                below.owner.end = self._end_of(item)
                todo.append((below, iter(item.items)))

    def _read_heading(self, block: _Block, holder: _Holder) -> _Holder:
        task = Task(line=block.first + 1, is_counted=False, notes=[marks.heading(block.level)])
        self._name(task, " ".join(block.text.split("\n")), is_heading=True)
        self._carry(block.first, block.last, "{}, a heading", task)
        holder.add(task)
        return _Holder(task, task.notes, task.children)

    def _read_block(self, block: _Block, holder: _Holder) -> None:
        if self._holds_tasks(block):
            self._read_list(block, holder, 0)
        else:
            self._keep(holder, block.first, block.last)

    # ------------------------------------------------------------ lists

    def _read_list(self, block: _Block, holder: _Holder, column: int) -> None:
        is_boxed = block.has_box
        for item in _fill(block.blocks, self.lines, block.first, block.last):
            if item.kind != "list_item" or (is_boxed and not item.has_box):
                self._keep(holder, item.first, item.last, column)
            else:
                self._read_item(item, holder, column)

    def _read_item(self, item: _Block, holder: _Holder, column: int) -> None:
        task = Task(line=item.first + 1)
        inner = self._content_column(item.first, column)
        below = _Holder(task, task.notes, task.children)
        at = item.first
        blocks = item.blocks
        task.end = self._end_of(item)
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
                if block.kind in _LISTS and _BOX.match(self.lines[block.first], self._text_start(block.first, inner)):
                    self._find("EX106", "this is nested too deeply to be read, so it is text", block.first)

    def _read_text(self, item: _Block, task: Task, below: _Holder, column: int) -> int:
        """Take the text of an item; returns the line behind it."""
        block = item.blocks[0]
        text, *more = block.text.split("\n")
        box = _BOX.match(text) if item.is_box else None
        if box is None:
            task.is_counted = not self.has_boxes
            if not task.is_counted:
                task.notes.append(marks.NO_BOX)
        else:
            self._read_box(box, task, block.first)
            text = text[box.end() :]
        whole = _join([text, *more])
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
                f"the id {task_id} comes twice, as in line {first}: it stays in the text, and this task has no name"
            )
            self._find("EX102", message, task.line - 1)

    def _read_box(self, box: re.Match[str], task: Task, line: int) -> None:
        sign, star = box.groups()
        status = self.dialect.statuses.get(sign)
        if status is None:
            start = self.lines[line].find("[")
            self._find("EX101", f"a box with `{sign}`, which is read as a task to do", line, (start, start + 3))
        else:
            task.status = status
            if status is PlanStatus.DONE:
                self.boxes.add(sign)
        if star and self.dialect.has_optional:
            task.notes.append(marks.OPTIONAL)

    def _text_start(self, line: int, column: int) -> int:
        match = _MARKER.match(self.lines[line], min(column, len(self.lines[line])))
        return match.end() if match else 0

    def _end_of(self, block: _Block | _Section) -> int:
        """The last line of a block that is not blank, from 1."""
        end = block.last
        while end > block.first and not self.lines[end - 1].strip():
            end -= 1
        return end

    def _content_column(self, line: int, column: int) -> int:
        """The column at which the text of an item begins that stands in another one's."""
        text = self.lines[line].expandtabs(4)
        match = _MARKER.match(text, column)
        if match is None:
            return column + 2
        room = len(match[1])
        return match.end() - room + (room if 0 < room <= 4 and match.end() < len(text) else 1)

    # ------------------------------------------------------------ the account

    def _carry(self, first: int, last: int, reason: str, task: Task | None = None) -> None:
        """Say of lines that they are a part of the plan: all but the first one are joined with it."""
        self.account.note(Fate.CARRIED, range(first + 1, first + 2), reason, task)
        self.account.note(Fate.CARRIED, range(first + 2, last + 1), f"the rest of line {first + 1}", is_joined=True)

    def _keep(self, holder: _Holder, first: int, last: int, column: int = 0) -> None:
        """Take lines as notes, without the blank ones at their ends."""
        while first < last and not self.lines[first].strip():
            first += 1
        while first < last and not self.lines[last - 1].strip():
            last -= 1
        if first == last:
            return
        holder.write([_dedent(line, column) for line in self.lines[first:last]], first, last)
        task = holder.owner if isinstance(holder.owner, Task) else None
        self.account.note(Fate.KEPT, range(first + 1, last + 1), "detail of {}", task)
        for at in range(first, last):
            if match := _NEAR_BOX.match(self.lines[at].lstrip()):
                start = len(self.lines[at]) - len(self.lines[at].lstrip())
                message = "almost a task: white space is missing around its box, so it is text"
                self._find("EX106", message, at, (start, start + match.end()))

    def _find(self, code: str, message: str, line: int, within: tuple[int, int] | None = None, help: str = "") -> None:
        start, end = within or (0, len(self.lines[line]))
        offset = self.source.start_of(line + 1)
        # The byte-order mark is no part of the lines.
        offset += line == 0 and self.source.text.startswith("\ufeff")
        span = self.source.span(offset + start, offset + end)
        self.found.append(Diagnostic(code, message, span=span, help=help, source=self.source))


def _mark_missing_ids(tasks: TaskList) -> None:
    """Mark tasks that have no id, so that none is given to them."""
    if not any(task.id for task in tasks):
        tasks.notes.insert(0, marks.NO_ID)
        return
    for parent in [tasks, *tasks]:
        below = parent.tasks if isinstance(parent, TaskList) else parent.children
        missing = [task for task in below if task.is_counted and not task.id]
        if any(task.id for task in below):
            for task in missing:
                task.notes.insert(0, marks.NO_ID)
        elif missing:
            parent.notes.insert(0, marks.NO_IDS)


def _nest(blocks: Iterable[_Block], holds_tasks: Callable[[_Block], bool], end: int) -> _Section:
    """The tree that the headings spell."""
    root = _Section(None, 0, 0, end)
    stack = [root]
    for block in blocks:
        if block.kind == "heading":
            while stack[-1].level >= block.level:
                stack.pop().last = block.first
            section = _Section(block, block.level, block.first, end)
            stack[-1].items.append(section)
            stack.append(section)
        else:
            stack[-1].items.append(block)
            if holds_tasks(block):
                # Those above one that has tasks have it already.
                for section in reversed(stack):
                    if section.has_tasks:
                        break
                    section.has_tasks = True
    return root


def _dedent(line: str, column: int) -> str:
    """A line without the white space of so many columns at its start."""
    if "\t" in line[:column]:
        line = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4) + line.lstrip(" \t")
    room = len(line) - len(line.lstrip(" "))
    return line[min(room, column) :]


def _join(lines: Sequence[str]) -> str | None:
    """The lines of a paragraph as one, if all of them seem to go on with a sentence; None where they do not.

    It is decided by all of them at once, so that what is written again is read in the same way.
    """
    rows = [line.strip() for line in lines]
    for before, row in pairwise(rows):
        if row.startswith(_LABEL) or not (row[:1].islower() or len(before) >= _WIDE):
            return None
    return " ".join(rows)


def _is_plain(goal: str) -> bool:
    return not goal.startswith((*_LABEL, "[", "#", "`"))


def read_markdown(source: Source, dialect: Dialect) -> Reading:
    """The tasks of a text in Markdown, and where each of its lines has gone."""
    return _Reader(source, dialect).read()


# ---------------------------------------------------------------- writing


def write_markdown(tasks: TaskList, dialect: Dialect) -> str:
    """A text in Markdown that holds tasks."""
    said = dialect.find_needs(tasks)
    for task in tasks:
        known = {*said.get(id(task), ())}
        if missing := [needed for needed in task.needs if needed not in known]:
            dialect.add_needs(task, missing)
    return "\n".join([*_Writer(dialect).write(tasks), ""]).lstrip("\n")


# What writes the tasks below a task, once it is asked for the next of them.
_Below: TypeAlias = "Iterator[_Below]"


class _Writer:
    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.rows: list[str] = []
        self.boxes: dict[PlanStatus, str] = {}
        self.level = 0
        # Whether the last row belongs to a list.
        self.is_list = False

    def write(self, tasks: TaskList) -> list[str]:
        self._write_head(tasks)
        self.level = self._choose_level(tasks)
        self.boxes = dict(self.dialect.boxes)
        for sign in filter(None, map(marks.box_sign, tasks.notes)):
            self.boxes[PlanStatus.DONE] = sign
        # The tasks that are left at each level, with what stands between them.
        todo: list[_Below] = [self._iterate(tasks.tasks, self._read_head(tasks)[2], 0, 0)]
        while todo:
            below = next(todo[-1], None)
            if below is None:
                todo.pop()
            else:
                todo.append(below)
        while self.rows and not self.rows[-1]:
            self.rows.pop()
        return self.rows

    def _choose_level(self, tasks: TaskList) -> int:
        """The level of headings for containers without marks; 0 where a task behind them would fall below one."""
        behind = dropwhile(lambda task: not task.children, tasks.tasks)
        return self.dialect.level if all(task.children for task in behind) else 0

    def _read_head(self, tasks: TaskList) -> tuple[list[str], list[str], list[str]]:
        """What is missing in the source, the lines in front of the title, and those behind it."""
        missing = [part for line in tasks.notes for part in marks.read_not_here(line)]
        own = (marks.NO_ID, marks.NO_IDS)
        read = (marks.box_sign, marks.read_not_here)
        notes = [line for line in tasks.notes if line not in own and not any(one(line) for one in read)]
        at = notes.index(marks.TITLE) if marks.TITLE in notes else -1
        return missing, notes[:at] if at >= 0 else [], notes[at + 1 :]

    def _write_head(self, tasks: TaskList) -> None:
        missing, before, _ = self._read_head(tasks)
        self._note(before, "")
        if tasks.title and "title" not in missing:
            self._block([f"# {tasks.title}"])
        if tasks.goal and "goal" not in missing:
            self._block([tasks.goal])
        if tasks.constraints:
            self._block(["Constraints:"])
            self._block([f"- {line}" for line in tasks.constraints])

    def _iterate(self, tasks: Sequence[Task], notes: Sequence[str], depth: int, level: int) -> _Below:
        """Write tasks and the notes between them; what is below one of them is yielded, to be written first."""
        at = 0
        indent = "  " * depth
        for piece, count in marks.split_steps(notes):
            self._note(piece, indent)
            end = len(tasks) if count is None else min(at + count, len(tasks))
            for task in tasks[at:end]:
                if self.dialect.is_loose and at and self.is_list:
                    self._end()
                yield self._write_task(task, depth, level)
                at += 1
            if count is not None and depth:
                self._end()

    def _write_task(self, task: Task, depth: int, level: int) -> _Below:
        lead, notes = _split_marks(task.notes)
        if (
            notes
            and notes[0]
            and not _BEGINS_BLOCK.match(notes[0])
            and _join([task.text, *_first_lines(notes)]) is not None
        ):
            # It would be read as the rest of the text.
            notes.insert(0, "")
        own = next(filter(None, map(marks.heading_level, lead)), 0)
        if not own and not depth and not level and task.children:
            own = self.level
        if own and not depth:
            self._block([f"{'#' * own} {self.dialect.join(task, True, depth)}".rstrip()])
            return self._iterate(task.children, notes, 0, own)
        if not self.is_list:
            self._end()
        star = "*" if marks.OPTIONAL in lead and self.dialect.has_optional else ""
        sign = self.boxes.get(task.status, self.boxes[PlanStatus.PENDING])
        box = "" if marks.NO_BOX in lead else f"[{sign}]{star} "
        self.rows.append(f"{'  ' * depth}- {box}{self.dialect.join(task, False, depth)}".rstrip())
        self.is_list = True
        return self._iterate(task.children, notes, depth + 1, level)

    def _end(self) -> None:
        """Put a blank line behind what there is."""
        if self.rows and self.rows[-1]:
            self.rows.append("")

    def _note(self, lines: Sequence[str], indent: str) -> None:
        if not lines:
            return
        rows = [f"{indent}{marks.unescape(line)}" if line else "" for line in lines]
        if indent:
            self.rows += rows
        else:
            self._block(rows)

    def _block(self, rows: list[str]) -> None:
        self._end()
        self.rows += rows
        self._end()
        self.is_list = False


def _first_lines(notes: Sequence[str]) -> Iterator[str]:
    """The lines that would go on with the text of a task."""
    for line in notes:
        if not line or _BEGINS_BLOCK.match(line):
            return
        yield line


def _split_marks(notes: Sequence[str]) -> tuple[list[str], list[str]]:
    """The marks of a task itself, and its notes."""
    lead = [line for line in notes if _is_own_mark(line)]
    return lead, [line for line in notes if not _is_own_mark(line)]


def _is_own_mark(line: str) -> bool:
    return line in (marks.OPTIONAL, marks.NO_BOX, marks.NO_ID, marks.NO_IDS) or marks.heading_level(line) > 0


# ---------------------------------------------------------------- changing


# What stands in front of the text of an item, but for its box.
# So many lines are aligned with one another; it takes the square of that.
_MOST_ALIGNED = 1000
_ITEM = re.compile(r"([ \t]*)([-+*]|[0-9]{1,9}[.)])[ \t]+")


def change_markdown(source: Source, changes: Iterable[Change], dialect: Dialect) -> tuple[str, list[str]]:
    """A text in which nothing but these changes has changed.

    Returns:
        The new text, and what could not be changed in it.
    """
    lines = source.text.split("\n")
    said: list[str] = []
    # What comes behind each line.
    added: dict[int, list[str]] = {}
    for change in changes:
        if change.old is not None and change.was is not None:
            _change_task(lines, change.old, change.was, change.new, dialect, said)
        else:
            at, rows = _place_task(lines, change, dialect)
            end = "\r" if lines[at - 1 if at else 0].endswith("\r") else ""
            added.setdefault(at, []).extend(f"{row}{end}" for row in rows)
    made = [*added.get(0, ())]
    for number, line in enumerate(lines, start=1):
        made.append(line)
        made += added.get(number, ())
    return "\n".join(made), said


def _change_task(  # noqa: PLR0913, PLR0917  (a task three times)
    lines: list[str], old: Task, was: Task, new: Task, dialect: Dialect, said: list[str]
) -> None:
    line = lines[old.line - 1]
    if was.notes != new.notes or not {*new.needs} <= {*was.needs}:
        said.append(f"line {old.line}: its notes and what it needs stay as they are")
    level = next(filter(None, map(marks.heading_level, old.notes)), 0)
    if level:
        if was.text != new.text:
            lines[old.line - 1] = f"{'#' * level} {dialect.join(new, True, 0)}" + "\r" * line.endswith("\r")
        return
    match = _ITEM.match(line)
    box = _BOX.match(line, match.end()) if match else None
    sign = dialect.boxes.get(new.status)
    if was.status is not new.status and was.is_counted:
        if sign is None:
            said.append(f"line {old.line}: there is no box for {new.status.value}")
        elif box is None:
            said.append(f"line {old.line}: there is no box to say that it is {new.status.value}")
        else:
            kept = sign if sign != "x" or "[X]" not in line else "X"
            line = f"{line[: box.start(1)]}{kept}{line[box.end(1) :]}"
            box = _BOX.match(line, box.start())
    if was.text != new.text and match:
        start = box.end() if box else match.end()
        if box and line[box.end() - 1 : box.end()] in "]*":
            line = f"{line[: box.end()]} {line[box.end() :]}"
            start += 1
        line = f"{line[:start]}{dialect.join(new, False, 1)}" + "\r" * line.endswith("\r")
        if old.end > old.line and lines[old.line].strip() and not _BEGINS_BLOCK.match(lines[old.line]):
            said.append(f"line {old.line}: its text has changed, and what goes on in line {old.line + 1} stays")
    lines[old.line - 1] = line


def _place_task(lines: Sequence[str], change: Change, dialect: Dialect) -> tuple[int, list[str]]:
    """The line behind which a new task comes, and its own lines."""
    rows = write_markdown(TaskList(tasks=[change.new]), dialect).rstrip("\n").split("\n")
    near = change.behind or (change.below.children[0] if change.below and change.below.children else change.below)
    if near is None:
        return 0, [*rows, ""]
    if any(map(marks.heading_level, near.notes)) and near is not change.below:
        return (near.end, ["", *rows]) if change.behind else (near.line - 1, [*rows, ""])
    match = _ITEM.match(lines[near.line - 1])
    indent, marker = (match[1], match[2]) if match else ("", "-")
    if near is change.below and match:
        indent += "  "
    if marker in "+*":
        rows = [re.sub(r"^([ ]*)- ", rf"\1{marker} ", row) for row in rows]
    rows = [f"{indent}{row}" if row else "" for row in rows]
    return (near.line - 1 if near is not change.behind and near is not change.below else near.end), rows


def compare_lines(entries: list[tuple[Fate, Entry]], source: Source, exported: str) -> bool:
    """Note down what an export writes in place of each line; returns whether it is not the same anywhere.

    What is noted down, with the lines that come back as they are, is the whole export but for its blank lines.
    """
    written = [line for line in exported.split("\n") if line.strip()]
    coming = [at for at, (fate, entry) in enumerate(entries) if fate is not Fate.LEFT_OUT and not entry.is_joined]
    lines = [_line_of(entries[at][1], source) for at in coming]
    pairs = pair_lines(lines, written)
    for at, line, rows in zip(coming, lines, pairs, strict=True):
        if rows != [line]:
            fate, entry = entries[at]
            entries[at] = fate, evolve(entry, written="\n".join(rows))
    return len(coming) != len(entries) or any(rows != [line] for line, rows in zip(lines, pairs, strict=True))


def _line_of(entry: Entry, source: Source) -> str:
    return source.line(entry.line).removeprefix("\ufeff" if entry.line == 1 else "")


def pair_lines(lines: Sequence[str], written: Sequence[str]) -> list[list[str]]:
    """For each line, those that are written in its place. All together are all that are written."""
    if len(lines) == len(written):
        return [[row] for row in written]
    pairs: list[list[str]] = [[] for _ in lines]
    is_long = max(len(lines), len(written)) > _MOST_ALIGNED
    matcher = SequenceMatcher(None, [] if is_long else lines, [] if is_long else written, autojunk=False)
    steps = [("replace", 0, len(lines), 0, len(written))] if is_long else matcher.get_opcodes()
    for _, start, end, first, last in steps:
        for at, row in enumerate(written[first:last]):
            # What is too much goes with the last line, or with the one in front.
            pairs[max(min(start + at, end - 1), 0)].append(row)
    return pairs
