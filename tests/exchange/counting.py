"""How many tasks a file holds, counted from the definition of its format and without the readers of this package.

Regular expressions on lines, and the standard library's JSON: nothing that could share a fault with what is counted.

In Markdown, a task is an item of a list that begins with a box: behind the bullet or the number and a blank, one sign
or none between brackets. It is done if the sign is an `x` or a tick. Lines of front matter, in fences and in comments
are no items. In a file that has no box at all, the tasks are the items of its numbered lists, or those of all lists if
none is numbered; none is done.

In Task Master's JSON, each task and each subtask of every tag counts. It is done if its status is `done`, or
`completed` as older versions wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from attrs import frozen

__all__ = ["Count", "count", "tasks_of"]

_ITEM = re.compile(r"\s*(?:[-*+]|(?P<number>[0-9]{1,9}[.)]))\s+(?P<text>.*)")
# A letter or a digit other than `x` is a reference or a label, as `[P]` is.
_BOX = re.compile(r"\[(?P<sign>[xX]|[^\w\]]?)\]\*?(?:\s|$)")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|[0-9]{1,9}[.)])\s+)?(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_TICKS = {"x", "X", "✓", "✔", "✅", "☑"}
_DONE = {"done", "completed"}


@frozen
class Count:
    """What a file holds: tasks, and how many of them are done."""

    tasks: int
    done: int


def count(text: str, format_name: str) -> Count:
    """How many tasks a text has, in a format that is one of those that are imported.

    Raises:
        ValueError: it is to be JSON and is none.
    """
    tasks = [*tasks_of(text, format_name)]
    return Count(len(tasks), sum(is_done for _, is_done in tasks))


def tasks_of(text: str, format_name: str) -> Iterator[tuple[str, bool]]:
    """The tasks of a text: what each says, and whether it is done.

    Raises:
        ValueError: it is to be JSON and is none.
    """
    return _json_tasks(text) if format_name == "task-master" else _markdown_tasks(text)


# ---------------------------------------------------------------- Markdown


def _markdown_tasks(text: str) -> Iterator[tuple[str, bool]]:
    items = [match for line in _lines(text) if (match := _ITEM.fullmatch(line))]
    boxes = [(item, box) for item in items if (box := _BOX.match(item["text"]))]
    if boxes:
        yield from ((item["text"][box.end() :].strip(), box["sign"] in _TICKS) for item, box in boxes)
        return
    numbered = [item for item in items if item["number"]]
    yield from ((item["text"].strip(), False) for item in numbered or items)


def _lines(text: str) -> Iterator[str]:
    """The lines that may hold a task."""
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    fence = ""
    in_comment = False
    for line in lines[_front_matter(lines) :]:
        if in_comment:
            in_comment = "-->" not in line
        elif fence:
            if re.fullmatch(rf"\s*{fence[0]}{{{len(fence)},}}\s*", line):
                fence = ""
        elif (match := _FENCE.fullmatch(line)) and not (match["fence"][0] == "`" and "`" in match["info"]):
            fence = match["fence"]
        elif line.lstrip().startswith("<!--"):
            in_comment = "-->" not in line
        else:
            yield line


def _front_matter(lines: list[str]) -> int:
    """How many lines the front matter has."""
    if lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], start=2) if line.rstrip() == "---"), 0)


# ---------------------------------------------------------------- JSON


def _json_tasks(text: str) -> Iterator[tuple[str, bool]]:
    todo = [*_top_tasks(json.loads(text.removeprefix("\ufeff")))]
    while todo:
        task = todo.pop()
        yield str(task.get("title")), task.get("status") in _DONE
        todo += [one for one in task.get("subtasks") or [] if isinstance(one, dict)]


def _top_tasks(root: Any) -> Iterator[dict[str, Any]]:
    """The tasks at the top: of the file, or of each tag."""
    if not isinstance(root, dict):
        return
    tags = [root] if isinstance(root.get("tasks"), list) else [tag for tag in root.values() if isinstance(tag, dict)]
    for tag in tags:
        yield from (task for task in tag.get("tasks") or [] if isinstance(task, dict))
