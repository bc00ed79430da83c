"""What counts as the same goal, item or call, so that failures and items of blocks are recognised.

Texts are the same that differ only in width or white space. What is nearly the same is told as well, for warnings only.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cached_property
from typing import Any

from attrs import define, field

from planspec_lark.plan_next.models import SIDES, Core4, ExecutorCall, Goal, goal_text
from planspec_lark.plan_next.wording.normal_forms import CJK, normalize

__all__ = ["Phrase", "is_same_call", "is_same_goal", "normal_items", "says_goal"]

# Words, and each character of scripts that put no spaces between words.
_WORDS = re.compile(f"[{CJK}]|[^\\W{CJK}]+")
_DIGIT = re.compile(r"\d")
# Words that change nothing, and signs that are among those scripts.
_SMALL = frozenset({"a", "an", "the", "一", "下", "的", "了", "、", "。"})
# Of the words of the longer text, one in four may be added.
_ADDED = 4


@define
class Phrase:
    """A text that is compared with others: made once for all of them, as both it and they may be long."""

    text: str = field(converter=normalize)

    def is_same(self, other: Phrase) -> bool:
        """Whether both say the same. What says nothing is the same as nothing."""
        return bool(self.text) and self.text == other.text

    def is_near(self, other: Phrase) -> bool:
        """Whether they say nearly the same: one has all words of the other, and few besides.

        Case, order and punctuation do not count. A number more makes it something else: there are many chapters.
        """
        fewer, more = sorted((self, other), key=lambda phrase: phrase._size)
        if not fewer._size or (more._size - fewer._size) * _ADDED > more._size or fewer._words - more._words:
            return False
        return not any(map(_DIGIT.search, more._words - fewer._words))

    @cached_property
    def _words(self) -> Counter[str]:
        words = _WORDS.findall(self.text.casefold())
        return Counter(word for word in words if word not in _SMALL)

    @cached_property
    def _size(self) -> int:
        return self._words.total()


def says_goal(text: str, goal: Goal) -> bool:
    """Whether an item of a plan says the same as a goal. Of a Core4, the first side that says something counts."""
    return Phrase(text).is_same(Phrase(goal_text(goal)))


def is_same_goal(one: Goal, other: Goal) -> bool:
    """Whether two goals are the same: side by side, or by what they say in one text."""
    if isinstance(one, Core4) and isinstance(other, Core4):
        return _sides(one) == _sides(other)
    return normalize(goal_text(one)) == normalize(goal_text(other))


def is_same_call(one: ExecutorCall, other: ExecutorCall) -> bool:
    """Whether two calls run the same command with the same inputs."""
    return normalize(one.command) == normalize(other.command) and _spell(one.inputs) == _spell(other.inputs)


def normal_items(items: list[str]) -> list[str]:
    """A plan as it is compared."""
    return [normalize(item) for item in items]


def _sides(goal: Core4) -> list[str]:
    return [normalize(getattr(goal, side)) for side in SIDES]


def _spell(inputs: dict[str, Any]) -> str:
    """Inputs as one text, the same for the same inputs: 1 is 1.0 and not true, and the order of keys does not count."""
    return json.dumps(_normal_value(inputs), sort_keys=True)


def _normal_value(value: Any) -> Any:
    # No deeper than a message may be.
    if isinstance(value, str):
        return normalize(value)
    if isinstance(value, dict):
        return {key: _normal_value(item) for key, item in value.items()}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [_normal_value(item) for item in value] if isinstance(value, list) else value
