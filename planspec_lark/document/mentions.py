"""Texts that speak of a step by its id, and mean another one since steps have got other ids.

Nothing in a plan refers to ids but what people write. Who means which step no program can tell, so the lines are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import frozen

__all__ = ["StaleMention", "find_mentions"]

_ID = r"[0-9]+(?:\.[0-9]+)*\b"
_MENTION = re.compile(rf"\bsteps?[ \t]+{_ID}(?:[ \t]*(?:,|-|–|\band\b|\bor\b|\bto\b)[ \t]*{_ID})*", re.IGNORECASE)
_IDS = re.compile(_ID)


@frozen
class StaleMention:
    """A place that speaks of a step by an id that it had before.

    Attributes:
        line: the line, from 1.
        step_id: the id that is written there.
        new_id: the id that the step has now; empty where there is no such step any more, but another one with its id.
    """

    line: int
    step_id: str
    new_id: str

    def __str__(self) -> str:
        now = f"step {self.new_id}" if self.new_id else "another step"
        return f'line {self.line} says "step {self.step_id}", which is {now} now'


def find_mentions(lines: str, first: int, moved: Mapping[str, str]) -> Iterator[StaleMention]:
    """The stale mentions in some lines.

    Args:
        lines: the lines.
        first: the number of the first of them.
        moved: the id that each step has now, by the one that it had, for those that have got another one.
    """
    taken = {*moved.values()}
    for number, row in enumerate(lines.split("\n"), start=first):
        said = (step_id for mention in _MENTION.finditer(row) for step_id in _IDS.findall(mention[0]))
        for step_id in dict.fromkeys(said):
            if step_id in moved or step_id in taken:
                yield StaleMention(number, step_id, moved.get(step_id, ""))
