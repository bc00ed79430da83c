"""What counts as the same goal, item or call, so that failures and items of blocks are recognised.

Goals and items are the same that differ only in white space, case, width or punctuation; once one has failed, words of
repetition make it no other. Calls are compared sign by sign, but for width and white space. What is nearly the same is
told as well, for warnings only.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from functools import cached_property
from typing import Any, TypeAlias

from attrs import define, field

from planspec_lark.plan_next.models import SIDES, Core4, ExecutorCall, Goal, goal_text
from planspec_lark.plan_next.wording.normal_forms import CJK, normalize

__all__ = ["GoalCore", "Phrase", "goal_core", "is_same_call", "is_same_goal", "item_cores", "says_goal"]

GoalCore: TypeAlias = "tuple[str, list[str] | None]"

# Words, and each character of scripts that put no spaces between words.
_WORDS = re.compile(f"[{CJK}]|[^\\W{CJK}]+")
_IS_CJK = re.compile(f"[{CJK}]")
_DIGIT = re.compile(r"\d")
# Words that change nothing, and signs that are among those scripts.
_SMALL = frozenset({"a", "an", "the", "一", "下", "的", "了", "、", "。"})
# Words that ask for the same again.
_REPEATED = re.compile(r"再次|重新|请|继续|(?<![a-z0-9_])(?:again|retry|please)(?![a-z0-9_])")
# Between two numbers, something has to be.
_BLANK = re.compile(r"(?<!\d) | (?!\d)")
# Of the words of the longer text, one in four may be added; but one, of two characters in Chinese, to any two.
_ADDED = 4
_WORD = 2


@define
class Phrase:
    """A text that is compared with others: made once for all of them, as both it and they may be long."""

    text: str = field(converter=normalize)

    def is_same(self, other: Phrase) -> bool:
        """Whether both say the same. What says nothing is the same as nothing."""
        return bool(self.text) and self._bare == other._bare

    def is_near(self, other: Phrase) -> bool:
        """Whether they say nearly the same: one has all words of the other, and few besides.

        Case, order and punctuation do not count. A number more makes it something else: there are many chapters.
        """
        fewer, more = sorted((self, other), key=lambda phrase: phrase._size)
        added = more._size - fewer._size
        is_little = bool(fewer._size) if added * _ADDED <= more._size else added <= _WORD and fewer._size >= 2 * _WORD
        if not is_little or fewer._words - more._words:
            return False
        return not any(map(_DIGIT.search, more._words - fewer._words))

    @cached_property
    def core(self) -> str:
        """What it says without words of repetition, unless it says nothing else."""
        return _strip_signs(_REPEATED.sub("", self.text.casefold())) or self._bare

    @cached_property
    def _bare(self) -> str:
        return _strip_signs(self.text.casefold()) or self.text

    @cached_property
    def _words(self) -> Counter[str]:
        words = _WORDS.findall(self.text.casefold())
        return Counter(word for word in words if word not in _SMALL)

    @cached_property
    def _size(self) -> int:
        return sum(count * (1 if _IS_CJK.match(word) else _WORD) for word, count in self._words.items())


def _strip_signs(text: str) -> str:
    """The letters, digits and symbols of a text."""
    plain = "".join(" " if unicodedata.category(char)[0] in "CPZ" else char for char in text)
    return _BLANK.sub("", " ".join(plain.split()))


def says_goal(text: str, goal: Goal) -> bool:
    """Whether an item of a plan says the same as a goal. Of a Core4, the first side that says something counts."""
    return Phrase(text).is_same(Phrase(goal_text(goal)))


def goal_core(goal: Goal) -> GoalCore:
    """A goal as it is compared with others: what it says in one text, and the sides of a Core4."""
    sides = [Phrase(getattr(goal, side)).core for side in SIDES] if isinstance(goal, Core4) else None
    return Phrase(goal_text(goal)).core, sides


def is_same_goal(one: GoalCore, other: GoalCore) -> bool:
    """Whether two goals are the same: side by side, or by what they say in one text."""
    return one[1] == other[1] if one[1] and other[1] else one[0] == other[0]


def is_same_call(one: ExecutorCall, other: ExecutorCall) -> bool:
    """Whether two calls run the same command with the same inputs."""
    return normalize(one.command) == normalize(other.command) and _spell(one.inputs) == _spell(other.inputs)


def item_cores(items: list[str]) -> list[str]:
    """A plan as it is compared."""
    return [Phrase(item).core for item in items]


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
