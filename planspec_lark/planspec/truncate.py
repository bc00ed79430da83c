"""Views of a bounded size: which parts of a plan are left out first where there is not room for all.

Parts are left out one after the other, always in the same order, so a larger budget never shows less. What is written
is a plan again: where parts are left out, a detail line that begins with `…` says how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.planspec.fold import view_steps
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, copy_own
from planspec_lark.planspec.tree import find_next
from planspec_lark.syntax.token_estimate import TokenCounter, estimate_tokens

__all__ = ["bound", "fit", "shorten_result"]

_AT_WORK = frozenset({PlanStatus.ACTIVE, PlanStatus.BLOCKED})
_SETTLED = frozenset({PlanStatus.DONE, PlanStatus.SKIPPED})
# Of a long result, so many characters stay.
_RESULT = 60
# A body that is shorter takes no less room when a mark stands for it.
_MARK = 20
_LEFT_OUT = "… left out: "


class _Kind(IntEnum):
    """The parts that are left out, in this order."""

    SETTLED_BODY = 0
    PENDING_DETAIL = 1
    RESULT = 2
    BELOW_SETTLED = 3
    BELOW_PENDING = 4
    SETTLED = 5
    PENDING = 6


def fit(levels: int, write: Callable[[int], str], max_tokens: int, count_tokens: TokenCounter | None) -> str:
    """The text of the lowest level that has at most so many tokens.

    Each level leaves out what the ones below it do, and more. A few texts are written and counted, one for each time
    that the number of levels can be halved, and two more.

    Raises:
        TypeError, ValueError: the budget is no whole number from 1, or no level fits.
    """
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool):
        raise TypeError(f"max_tokens: expected a whole number, not {type(max_tokens).__name__}")
    if max_tokens < 1:
        raise ValueError(f"max_tokens: {max_tokens} is less than 1")
    count = count_tokens or estimate_tokens
    text = write(0)
    if count(text) <= max_tokens:
        return text
    text = write(levels)
    if (least := count(text)) > max_tokens:
        raise ValueError(f"max_tokens: {max_tokens} is too few: what is never left out takes {least}")
    # A level may take more than the one below it, as a mark may be longer than what it stands for. Halving finds no
    # higher level for a larger budget all the same, and none that was not counted.
    low, high = 1, levels
    while low < high:
        middle = (low + high) // 2
        tried = write(middle)
        if count(tried) <= max_tokens:
            high, text = middle, tried
        else:
            low = middle + 1
    return text


def bound(
    plan: PlanSpec,
    write: Callable[[PlanSpec], str],
    max_tokens: int,
    count_tokens: TokenCounter | None = None,
    *,
    fold: bool = False,
) -> str:
    """A plan as ``write`` writes it, with parts left out until it has at most so many tokens.

    With ``fold``, what a folded view hides is not there to begin with.

    Raises:
        TypeError, ValueError: as by :func:`fit`.
    """
    plan = _fold(plan) if fold else plan
    # What no text could spell is refused here, before anything looks at it.
    full = write(plan)
    reduction = _Reduction.of(plan)
    return fit(
        len(reduction.parts), lambda level: write(reduction.at(level)) if level else full, max_tokens, count_tokens
    )


def shorten_result(result: str) -> str:
    """The beginning of a long result, and how many characters are left out."""
    kept = result[:_RESULT].rstrip(" \t")
    short = f"{kept}… ({len(result) - len(kept)} more characters)"
    return short if len(short) < len(result) else result


def _name(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _name_steps(counts: Counter[PlanStatus], where: str = "") -> str:
    if len(counts) == 1:
        ((status, count),) = counts.items()
        return f"{_name(count, f'{status.value} step')}{where}"
    listed = ", ".join(f"{counts[status]} {status.value}" for status in PlanStatus if counts[status])
    return f"{_name(counts.total(), 'step')}{where} ({listed})"


# ---------------------------------------------------------------- the order of parts


@frozen
class _Part:
    """Something that can be left out: of which step, and which kind of part."""

    at: int
    kind: _Kind


@define
class _Node:
    """A step, with what decides when it is left out."""

    step: PlanStep
    parent: int
    kept: bool = False
    settled: bool = True
    distance: int = 0
    # From which level on its body, the end of its result and its line are left out.
    body: float = field(default=float("inf"))
    result: float = field(default=float("inf"))
    line: float = field(default=float("inf"))


@frozen
class _Reduction:
    """A plan with its parts in the order in which they are left out."""

    plan: PlanSpec
    nodes: list[_Node]
    parts: list[_Part]

    @classmethod
    def of(cls, plan: PlanSpec) -> _Reduction:
        nodes = _list_nodes(plan)
        _keep(plan, nodes)
        _measure(nodes)
        parts = _order(nodes)
        for level, part in enumerate(parts):
            name = "result" if part.kind == _Kind.RESULT else "line" if part.kind >= _Kind.BELOW_SETTLED else "body"
            setattr(nodes[part.at], name, level)
        return cls(plan, nodes, parts)

    def at(self, level: int) -> PlanSpec:
        """The plan without the first so many parts. It shares what is left with the plan."""
        below = self._count_below(level)
        shown: dict[int, PlanStep] = {}
        top: list[PlanStep] = []
        for at, node in enumerate(self.nodes):
            if node.line >= level:
                shown[at] = _reduce(node, level, below.get(at))
                (top if node.parent < 0 else shown[node.parent].children).append(shown[at])
        marks = [f"{_LEFT_OUT}{_name_steps(below[-1])}"] if -1 in below else []
        return evolve(self.plan, steps=top, goal_detail=[*self.plan.goal_detail, *marks])

    def _count_below(self, level: int) -> dict[int, Counter[PlanStatus]]:
        """The steps that are left out, by the one that is shown above them (-1 for the plan itself)."""
        below: dict[int, Counter[PlanStatus]] = {}
        owners: dict[int, int] = {}
        for at, node in enumerate(self.nodes):
            if node.line < level:
                owner = owners[at] = owners.get(node.parent, node.parent)
                below.setdefault(owner, Counter())[node.step.status] += 1
        return below


def _reduce(node: _Node, level: int, below: Counter[PlanStatus] | None) -> PlanStep:
    """A step without its parts that are left out; the steps below it are still to be added."""
    step = node.step
    if not step.children and node.body >= level and node.result >= level:
        return step
    draft: Any = copy_own(step)
    draft.children = []
    if node.result < level:
        draft.result = shorten_result(step.result)
    left_out = []
    if node.body < level:
        left_out.append(_name(_count_lines(step), "line"))
        draft.detail = []
        if step.status in _SETTLED:
            draft.inputs = []
    if below:
        left_out.append(_name_steps(below, " below"))
    if left_out:
        draft.detail.append(f"{_LEFT_OUT}{', '.join(left_out)}")
    return draft  # type: ignore[no-any-return]  # a copy of a step is one


def _count_lines(step: PlanStep) -> int:
    """How many lines of a body are left out: of a step that is still to be done, its inputs stay."""
    return len(step.detail) + (step.status in _SETTLED and bool(step.inputs))


def _list_nodes(plan: PlanSpec) -> list[_Node]:
    nodes: list[_Node] = []
    stack = [(step, -1) for step in reversed(plan.steps)]
    while stack:
        step, parent = stack.pop()
        stack += [(child, len(nodes)) for child in reversed(step.children)]
        nodes.append(_Node(step, parent))
    for node in reversed(nodes):
        node.settled = node.settled and node.step.status in _SETTLED
        if node.parent >= 0 and not node.settled:
            nodes[node.parent].settled = False
    return nodes


def _keep(plan: PlanSpec, nodes: list[_Node]) -> None:
    """Mark what is never left out: the steps at work, the next one, and all above them."""
    found = find_next(plan)
    upcoming = None if found is None else found[1]
    for node in reversed(nodes):
        if node.step.status in _AT_WORK or node.step is upcoming:
            node.kept = True
        if node.kept and node.parent >= 0:
            nodes[node.parent].kept = True


def _measure(nodes: list[_Node]) -> None:
    """Find out how far each step is from one that is kept; one that such a step gets an input from is near."""
    needed = {name for node in nodes if node.kept for name in node.step.inputs}
    far = len(nodes)
    distance = far
    for node in nodes:
        distance = node.distance = 0 if node.kept else distance + 1
    # Where nothing is at work, the end is where the plan stands.
    distance = far if any(node.kept for node in nodes) else 0
    for node in reversed(nodes):
        distance = 0 if node.kept else distance + 1
        node.distance = 0 if not needed.isdisjoint(node.step.outputs) else min(node.distance, distance)


def _order(nodes: list[_Node]) -> list[_Part]:
    keys: list[tuple[int, int, int, _Part]] = []
    lines = _line_keys(nodes)
    for at, node in enumerate(nodes):
        if node.kept:
            continue
        step = node.step
        settled = step.status in _SETTLED
        texts = [*step.detail, *(step.inputs if settled else ())]
        if sum(map(len, texts)) + len(texts) > _MARK:
            kind = _Kind.SETTLED_BODY if settled else _Kind.PENDING_DETAIL
            keys.append((kind, -node.distance, at, _Part(at, kind)))
        if shorten_result(step.result) != step.result:
            keys.append((_Kind.RESULT, -node.distance, at, _Part(at, _Kind.RESULT)))
        # Of steps with the same key, those below come first.
        keys.append((*lines[at], -at, _Part(at, lines[at][0])))
    return [part for *_, part in sorted(keys, key=lambda key: key[:3])]


def _line_keys(nodes: list[_Node]) -> list[tuple[_Kind, int]]:
    """When each line is left out: never before those below it."""
    keys = [(_line_kind(node, nodes), -node.distance) for node in nodes]
    for at in reversed(range(len(nodes))):
        parent = nodes[at].parent
        if parent >= 0:
            keys[parent] = max(keys[parent], keys[at])
    return keys


def _line_kind(node: _Node, nodes: list[_Node]) -> _Kind:
    parent = nodes[node.parent] if node.parent >= 0 else None
    if parent is not None and parent.settled:
        return _Kind.BELOW_SETTLED
    if node.settled:
        return _Kind.SETTLED
    return _Kind.BELOW_PENDING if parent is not None and not parent.kept else _Kind.PENDING


def _fold(plan: PlanSpec) -> PlanSpec:
    """A copy without what a folded view hides."""
    copies: dict[int, PlanStep] = {}
    top: list[PlanStep] = []
    for view in view_steps(plan, fold=True):
        draft: Any = copy_own(view.step)
        draft.children = []
        copies[id(view.step)] = draft
        if not view.shows_body:
            draft.inputs, draft.detail = [], []
        (top if view.parent is None else copies[id(view.parent)].children).append(draft)
    return evolve(plan, steps=top)
