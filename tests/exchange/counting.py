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

__all__ = ["Count", "count", "text_lines"]

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
    """The tasks of a text in a format, which is one of those that are imported.

    Raises:
        ValueError: it is to be JSON and is none.
    """
    if format_name == "task-master":
        return _count_json(json.loads(text.removeprefix("\ufeff")))
    return _count_markdown(text)


# ---------------------------------------------------------------- Markdown


def _count_markdown(text: str) -> Count:
    items = [match for _, line in text_lines(text) if (match := _ITEM.fullmatch(line))]
    boxes = [box for item in items if (box := _BOX.match(item["text"]))]
    if boxes:
        return Count(len(boxes), sum(box["sign"] in _TICKS for box in boxes))
    numbered = [item for item in items if item["number"]]
    return Count(len(numbered or items), 0)


def text_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that may hold a task, each with its number from 1."""
    found = (line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n"))
    lines = [*enumerate(found, start=1)]
    fence = ""
    in_comment = False
    for number, line in lines[_front_matter(lines) :]:
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
            yield number, line


def _front_matter(lines: list[tuple[int, str]]) -> int:
    """How many lines the front matter has."""
    if lines[0][1].rstrip() != "---":
        return 0
    return next((number for number, line in lines[1:] if line.rstrip() == "---"), 0)


# ---------------------------------------------------------------- JSON


def _count_json(root: Any) -> Count:
    tasks = done = 0
    todo = [*_top_tasks(root)]
    while todo:
        task = todo.pop()
        tasks += 1
        done += task.get("status") in _DONE
        todo += [one for one in task.get("subtasks") or [] if isinstance(one, dict)]
    return Count(tasks, done)


def _top_tasks(root: Any) -> Iterator[dict[str, Any]]:
    """The tasks at the top: of the file, or of each tag."""
    if not isinstance(root, dict):
        return
    tags = [root] if isinstance(root.get("tasks"), list) else [tag for tag in root.values() if isinstance(tag, dict)]
    for tag in tags:
        yield from (task for task in tag.get("tasks") or [] if isinstance(task, dict))
