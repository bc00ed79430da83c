"""Which step of a document takes what from which, as far as the document itself says it.

A step has its outputs once it is through; the element of a loop is there in the loop alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planspec_lark.hopspec.models import StepInfo, iter_infos
from planspec_lark.syntax import grammars
from planspec_lark.syntax.tree import walk_tree

__all__ = ["find_declared", "find_sources", "find_users", "inner_variables", "needed", "produced"]

# What there may be at a place: one step, what there was at first (None), or what there is on either of two ways.
_Ways = StepInfo | tuple["_Ways", "_Ways"] | None
# Whether all below a step runs is not known before the run.
_MAY_BE_LEFT_OUT = ("loop", "branch")


def produced(step: StepInfo) -> list[str]:
    """What is there after a step. A flow step gives back what others have produced."""
    return [] if step.step_type == "flow" else step.outputs


def inner_variables(step: StepInfo) -> list[str]:
    """What is there for the steps below one: the element of a loop, and what a container collects."""
    return [*([step.element_var] if step.element_var else []), *produced(step)] if step.children else []


def needed(step: StepInfo) -> Iterator[tuple[str, Iterable[str]]]:
    """What a step needs, by field."""
    yield "inputs", step.inputs
    if step.collection:
        yield "collection", [step.collection]
    if step.step_type == "flow":
        yield "outputs", step.outputs


def find_declared(line: str) -> tuple[int, int] | None:
    """Where a line of the input definition has the name of the input that it declares, if it declares one."""
    match = grammars.pattern("hopspec", "DECLARED").match(line)
    return match.span("value") if match else None


def find_users(steps: list[StepInfo]) -> tuple[dict[str, list[StepInfo]], dict[str, list[StepInfo]]]:
    """By variable, the steps that give it (a loop gives its element), and those that take it, in document order."""
    producers: dict[str, list[StepInfo]] = {}
    consumers: dict[str, list[StepInfo]] = {}
    for step in iter_infos(steps):
        for name in dict.fromkeys([*produced(step), *filter(None, [step.element_var])]):
            producers.setdefault(name, []).append(step)
        for name in dict.fromkeys(name for _, names in needed(step) for name in names):
            consumers.setdefault(name, []).append(step)
    return producers, consumers


def find_sources(steps: list[StepInfo], target: StepInfo, name: str) -> list[StepInfo | None]:
    """From where a variable may come when a step takes it, in document order.

    That is the last step before it that is sure to give it, and all after that one which may run; a loop around the
    step whose element it is; and None, where all of these may be left out.
    """
    now: _Ways = None
    around: list[_Ways] = []
    for step, is_entered in walk_tree(steps):
        if step is target:
            break
        if is_entered:
            around.append(now)
            if step.element_var == name and step.children:
                now = step
            continue
        before = around.pop()
        if name in produced(step):
            now = step
        elif step.element_var == name:
            now = before
        elif step.step_type in _MAY_BE_LEFT_OUT and now is not before:
            now = (before, now)
    return _flatten(now)


def _flatten(ways: _Ways) -> list[StepInfo | None]:
    found: dict[int, StepInfo | None] = {}
    todo = [ways]
    while todo:
        one = todo.pop()
        if isinstance(one, tuple):
            todo += reversed(one)
        else:
            found.setdefault(id(one), one)
    return [*found.values()]
