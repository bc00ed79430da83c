"""Trees of steps whatever the language: how ids spell them, and walks that no depth can stop.

The parent of ``2.1.3`` is the step with the longest proper prefix of its id among all ids; siblings are in the order
in which they appear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, Self, TypeVar

from planspec_lark.syntax.diagnostics import PlanSpecError, shorten

__all__ = ["LoopError", "find_above", "find_parents", "grow", "iter_nodes", "iter_tree", "refuse_loops", "walk_tree"]


class _Node(Protocol):
    @property
    def children(self) -> Sequence[Self]: ...


class _Numbered(Protocol):
    step_id: str
    children: list[Self]


_Any = TypeVar("_Any", bound=_Node)
_Step = TypeVar("_Step", bound=_Numbered)


class LoopError(PlanSpecError, ValueError):
    """A step that is among those below it."""


def _find_loops(nodes: Sequence[_Node]) -> Callable[[_Node], None]:
    """What a walk tells of each node that it goes into; it raises LoopError where one is below itself.

    What goes round in a circle meets one of its nodes again. One is remembered, at longer and longer intervals, so that
    this is found out in time linear in the circle, and costs next to nothing where there is none.
    """
    kept, count, turn = None, 0, 1

    def enter(node: _Node) -> None:
        nonlocal kept, count, turn
        if node is kept:
            refuse_loops(nodes)
            kept, turn = None, 0
        count += 1
        if count == turn:
            kept, turn = node, 2 * turn

    return enter


def iter_nodes(nodes: Sequence[_Any]) -> Iterator[_Any]:
    """All nodes in document order: each before its children.

    Raises:
        LoopError: a node is below itself. So do the other walks.
    """
    stack, enter = [*nodes][::-1], _find_loops(nodes)
    pop = stack.pop
    while stack:
        node = pop()
        yield node
        if node.children:
            enter(node)
            stack += node.children[::-1]


def iter_tree(
    nodes: Sequence[_Any], enters: Callable[[_Any], bool] | None = None
) -> Iterator[tuple[_Any, _Any | None]]:
    """All nodes in document order, each with its parent (None at the top level).

    What is below a node that ``enters`` refuses is left out.
    """
    stack: list[tuple[_Any, _Any | None]] = [(node, None) for node in reversed(nodes)]
    pop, enter = stack.pop, _find_loops(nodes)
    while stack:
        node, parent = pop()
        yield node, parent
        # Most have none.
        if node.children and (enters is None or enters(node)):
            enter(node)
            stack += [(child, node) for child in reversed(node.children)]


def walk_tree(nodes: Sequence[_Any]) -> Iterator[tuple[_Any, bool]]:
    """All nodes as they run: each when it is entered (True), and once all below it are through (False)."""
    todo = [(node, True) for node in reversed(nodes)]
    pop, enter = todo.pop, _find_loops(nodes)
    while todo:
        event = pop()
        yield event
        node, is_entered = event
        if not is_entered:
            continue
        if not node.children:
            yield node, False
            continue
        enter(node)
        todo.append((node, False))
        todo += [(child, True) for child in reversed(node.children)]


def refuse_loops(nodes: Sequence[_Any]) -> None:
    """Raise LoopError where a node is below itself. One that is in several places is looked at once."""
    is_around: dict[int, bool] = {}
    todo = [(node, True) for node in reversed(nodes)]
    while todo:
        node, is_entered = todo.pop()
        if not is_entered:
            is_around[id(node)] = False
        elif id(node) not in is_around:
            is_around[id(node)] = True
            todo.append((node, False))
            todo += ((child, True) for child in reversed(node.children))
        elif is_around[id(node)]:
            raise LoopError(f"steps: {shorten(getattr(node, 'step_id', 'one'))} is below itself")


def find_above(nodes: Sequence[_Any], target: _Any) -> list[_Any]:
    """The nodes around one, the outermost first."""
    around: list[_Any] = []
    for node, is_entered in walk_tree(nodes):
        if node is target:
            break
        if is_entered:
            around.append(node)
        else:
            around.pop()
    return around


def find_parents(ids: Sequence[str]) -> list[str | None]:
    """The parent's id of each id, None at the top level. The ids must differ."""
    heads = [step_id.rpartition(".")[0] for step_id in ids]
    if set(ids).issuperset(filter(None, heads)):
        return [head or None for head in heads]
    # A dot sorts before every digit, so all that is below an id follows it directly: one pass with a stack finds each
    # parent, in time linear in the length of the ids but for the sorting.
    found: dict[str, str | None] = {}
    stack: list[str] = []
    for step_id in sorted(ids):
        while stack and not step_id.startswith(stack[-1] + "."):
            stack.pop()
        found[step_id] = stack[-1] if stack else None
        stack.append(step_id)
    return [found[step_id] for step_id in ids]


def grow(steps: Sequence[_Step]) -> list[_Step]:
    """Hang steps, given in document order and without children, below their parents; returns the top level.

    Raises:
        ValueError: an id comes twice.
    """
    by_id = {step.step_id: step for step in steps}
    if len(by_id) != len(steps):
        raise ValueError("an id comes twice")
    top: list[_Step] = []
    for step, parent in zip(steps, find_parents([*by_id]), strict=True):
        (top if parent is None else by_id[parent].children).append(step)
    return top
