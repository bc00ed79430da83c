"""Which steps a test means, and where there are none, the nearest ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypedDict, Unpack

from attrs import frozen

from planspec_lark.planspec.models import PlanStatus, PlanStep
from planspec_lark.pytest_plugin.subject import SubjectStep
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import join_words
from planspec_lark.syntax.spelling import find_near

__all__ = ["Criteria", "Wanted", "Words", "describe_words", "find_nearest", "has_words", "want"]

# A text that has to be there, whatever its letters' case, or a pattern that has to be found.
Words = str | re.Pattern[str]

# The most near misses that are shown.
_NEAREST = 3


def has_words(words: Words, text: str) -> bool:
    """Whether a text has these words."""
    return words.casefold() in text.casefold() if isinstance(words, str) else words.search(text) is not None


def describe_words(words: Words) -> str:
    """Words as a message says them."""
    return repr(words) if isinstance(words, str) else f"/{words.pattern}/"


class Criteria(TypedDict, total=False):
    """What can be asked of a step: ``name``, ``type`` and ``status`` have to be equal, ``inputs`` and ``outputs`` (a
    name or pattern, or several) have to be among the step's, and its result has to have the words of ``result``.
    """

    name: str
    type: str
    status: str
    inputs: Words | Iterable[Words]
    outputs: Words | Iterable[Words]
    result: Words


# What a message calls each of them, and what a step has of it.
_OF_STEP: dict[str, tuple[str, Callable[[PlanStep], list[str]]]] = {
    "name": ("name", lambda step: [step.step_name]),
    "type": ("type", lambda step: [step.step_type]),
    "status": ("status", lambda step: [step.status.value]),
    "inputs": ("input", attrgetter("inputs")),
    "outputs": ("output", attrgetter("outputs")),
    "result": ("result", lambda step: [step.result]),
}


@frozen
class Criterion:
    """Something asked of a step."""

    field: str
    words: Words

    def __str__(self) -> str:
        is_plain = isinstance(self.words, str) and self.field != "result"
        return f"{_OF_STEP[self.field][0]} {self.words if is_plain else describe_words(self.words)}"

    def holds(self, step: PlanStep) -> bool:
        """Whether a step meets it."""
        values = _OF_STEP[self.field][1](step)
        if self.field == "result":
            return has_words(self.words, step.result)
        if isinstance(self.words, str):
            return self.words in values
        return any(map(self.words.fullmatch, values))

    def instead(self, step: PlanStep) -> str:
        """What a step has instead."""
        word, of = _OF_STEP[self.field]
        return f"its {word} is {', '.join(of(step)) or 'none'}"


@frozen
class Wanted:
    """The steps that are meant: those with an id, or with words in their description or name, that meet criteria."""

    which: Words | None
    criteria: tuple[Criterion, ...]

    @property
    def is_id(self) -> bool:
        """Whether the steps are meant by their id."""
        return isinstance(self.which, str) and grammars.pattern("planspec", "ID").fullmatch(self.which) is not None

    def __str__(self) -> str:
        words = [] if self.which is None or self.is_id else [describe_words(self.which)]
        asked = [*words, *map(str, self.criteria)]
        name = f"step {self.which}" if self.is_id else "a step"
        return f"{name} with {join_words(asked, 'and')}" if asked else name

    def is_meant(self, step: PlanStep) -> bool:
        """Whether a step is meant, whatever is asked of it."""
        if self.which is None:
            return True
        if self.is_id:
            return step.step_id == self.which
        return has_words(self.which, step.description) or step.step_name == self.which

    def fits(self, step: PlanStep) -> bool:
        """Whether a step is meant and meets all criteria."""
        return self.is_meant(step) and all(criterion.holds(step) for criterion in self.criteria)

    def explain(self, step: PlanStep) -> str:
        """What a step has instead of what is asked of it."""
        return ", ".join(criterion.instead(step) for criterion in self.criteria if not criterion.holds(step))


def want(which: Words | None = None, **asked: Unpack[Criteria]) -> Wanted:
    """What a test asks for.

    Raises:
        TypeError: nothing of this name can be asked.
        ValueError: there is no such status.
    """
    if unknown := asked.keys() - _OF_STEP.keys():
        raise TypeError(f"unknown field {min(unknown)} of a step; there are {', '.join(_OF_STEP)}")
    statuses = [status.value for status in PlanStatus]
    if asked.get("status", statuses[0]) not in statuses:
        raise ValueError(f"there is no status {asked['status']!r}; there are {', '.join(statuses)}")
    values: dict[str, Any] = {**asked}
    return Wanted(
        which,
        tuple(
            Criterion(field, PlanStatus(words).value if field == "status" else words)
            for field in _OF_STEP
            if field in values
            for words in ([values[field]] if isinstance(values[field], (str, re.Pattern)) else values[field])
        ),
    )


def find_nearest(wanted: Wanted, nodes: Sequence[SubjectStep]) -> list[SubjectStep]:
    """Of the steps that are meant, or else of those with a description most like it, those that meet most criteria."""
    meant = [node for node in nodes if wanted.is_meant(node.step)]
    if not meant and isinstance(wanted.which, str) and not wanted.is_id:
        near = find_near(wanted.which, (node.step.description for node in nodes))
        meant = [node for node in nodes if near and node.step.description == near]
    held = [sum(criterion.holds(node.step) for criterion in wanted.criteria) for node in meant]
    most = max(held, default=0)
    return [node for node, number in zip(meant, held, strict=True) if number == most][:_NEAREST]
