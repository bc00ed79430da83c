"""Which steps a test means, and where there are none, the nearest ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypedDict, Unpack

from attrs import frozen

from planspec_lark.planspec.models import PlanStatus, PlanStep
from planspec_lark.pytest_plugin.subject import SubjectStep
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import join_words

__all__ = ["Criteria", "Wanted", "Words", "describe_words", "find_nearest", "has_words", "likeness", "want"]

# A text that has to be there, whatever its letters' case, or a pattern that has to be found.
Words = str | re.Pattern[str]

# The most near misses that are shown, the least likeness of each to what was looked for, and its least share of that of
# the nearest; how many characters of a text are compared.
_NEAREST = 3
_LEAST = 0.4
_SHARE = 0.7
_COMPARED = 300


def has_words(words: Words, text: str) -> bool:
    """Whether a text has these words."""
    return words.casefold() in text.casefold() if isinstance(words, str) else words.search(text) is not None


def describe_words(words: Words) -> str:
    """Words as a message says them."""
    return repr(words) if isinstance(words, str) else f"/{words.pattern}/"


def likeness(words: Words, text: str) -> float:
    """How much of the words is in a text, from 0 to 1, by pairs of neighbouring characters."""
    text_of = words if isinstance(words, str) else " ".join(re.findall(r"\w+", words.pattern))
    pairs, found = _pairs(text_of), _pairs(text)
    return len(pairs & found) / len(pairs) if pairs else 0.0


def _pairs(text: str) -> set[tuple[str, str]]:
    return set(pairwise(text[:_COMPARED].casefold()))


@frozen
class Criterion:
    """Something asked of a step: in words, whether it holds, and what is the case instead."""

    text: str
    holds: Callable[[PlanStep], bool]
    instead: Callable[[PlanStep], str]


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
        asked = [criterion.text for criterion in self.criteria]
        if self.is_id:
            name = f"step {self.which}"
        else:
            name = "a step"
            asked = asked if self.which is None else [describe_words(self.which), *asked]
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


_EXACT: dict[str, Callable[[PlanStep], str]] = {
    "name": attrgetter("step_name"),
    "type": attrgetter("step_type"),
    "status": attrgetter("status.value"),
}
_LISTS: dict[str, Callable[[PlanStep], list[str]]] = {"input": attrgetter("inputs"), "output": attrgetter("outputs")}


def want(which: Words | None = None, **asked: Unpack[Criteria]) -> Wanted:
    """What a test asks for.

    Raises:
        TypeError: nothing of this name can be asked.
        ValueError: there is no such status.
    """
    if unknown := asked.keys() - Criteria.__annotations__.keys():
        known = ", ".join(Criteria.__annotations__)
        raise TypeError(f"unknown field {min(unknown)} of a step; there are {known}")
    values: dict[str, Any] = {**asked}
    if "status" in values:
        statuses = [status.value for status in PlanStatus]
        if values["status"] not in statuses:
            raise ValueError(f"there is no status {values['status']!r}; there are {', '.join(statuses)}")
        values["status"] = PlanStatus(values["status"]).value
    criteria = [_exactly(what, values[what], of) for what, of in _EXACT.items() if what in values]
    for what, items_of in _LISTS.items():
        words = values.get(f"{what}s", ())
        each = (words,) if isinstance(words, (str, re.Pattern)) else words
        criteria += [_among(what, one, items_of) for one in each]
    if "result" in values:
        criteria.append(_result(values["result"]))
    return Wanted(which, tuple(criteria))


def _exactly(what: str, value: str, of: Callable[[PlanStep], str]) -> Criterion:
    return Criterion(
        f"{what} {value}", lambda step: of(step) == value, lambda step: f"its {what} is {of(step) or 'none'}"
    )


def _among(what: str, words: Words, of: Callable[[PlanStep], list[str]]) -> Criterion:
    def fits(name: str) -> bool:
        return name == words if isinstance(words, str) else words.fullmatch(name) is not None

    said = words if isinstance(words, str) else describe_words(words)
    return Criterion(
        f"{what} {said}",
        lambda step: any(map(fits, of(step))),
        lambda step: f"its {what}s are {', '.join(of(step))}" if of(step) else f"it has no {what}s",
    )


def _result(words: Words) -> Criterion:
    return Criterion(
        f"{describe_words(words)} in its result",
        lambda step: has_words(words, step.result),
        lambda step: f"its result is {step.result or 'empty'}",
    )


def find_nearest(wanted: Wanted, nodes: Sequence[SubjectStep]) -> list[SubjectStep]:
    """The steps that come nearest to what is wanted, the nearest first: those that are meant, if there are any."""
    meant = [node for node in nodes if wanted.is_meant(node.step)] if wanted.which is not None else []
    scored = [(_score(wanted, node.step), node) for node in meant or nodes]
    scored.sort(key=lambda entry: -entry[0])
    return [node for score, node in scored[:_NEAREST] if score >= max(_LEAST, _SHARE * scored[0][0])]


def _score(wanted: Wanted, step: PlanStep) -> float:
    held = sum(criterion.holds(step) for criterion in wanted.criteria)
    share = held / len(wanted.criteria) if wanted.criteria else 0.0
    if wanted.which is None:
        return share
    if wanted.is_meant(step):
        return 1 + share
    near = _near_id(wanted.which, step) if wanted.is_id else likeness(wanted.which, step.description)
    return near + share if near >= _LEAST else 0.0


def _near_id(step_id: Words, step: PlanStep) -> float:
    """A step beside the one that is missing is near it."""
    assert isinstance(step_id, str)
    return _LEAST if step.step_id.rpartition(".")[0] == step_id.rpartition(".")[0] else 0.0
