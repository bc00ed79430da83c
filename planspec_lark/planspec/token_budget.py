"""Views of a bounded size: which parts of a plan are left out first where there is not room for all.

Parts are left out one after the other, always in the same order, so a larger budget never shows less. What is written
is a plan again: where parts are left out, a detail line that begins with `…` says how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import IntEnum
from math import inf
from typing import Self

from attrs import define, evolve

from planspec_lark.planspec.agenda import next_step
from planspec_lark.planspec.models import AT_WORK, SETTLED, PlanSpec, PlanStatus, PlanStep, copy_own
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.syntax.diagnostics import count_of
from planspec_lark.syntax.fields import require_whole
from planspec_lark.syntax.token_estimate import TokenCounter, estimate_tokens
from planspec_lark.syntax.tree import iter_nodes

__all__ = ["bound", "fit", "shorten_result"]

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


def fit(
    levels: int,
    write: Callable[[int], str],
    max_tokens: int,
    count_tokens: TokenCounter | None,
    *,
    is_strict: bool = True,
) -> str:
    """The text of the lowest level that has at most so many tokens.

    Each level leaves out what the ones below it do, and more. A few texts are written and counted, one for each time
    that the number of levels can be halved, and three more.

    Args:
        levels: the highest level.
        write: gives the text of a level.
        max_tokens: the budget.
        count_tokens: counts the tokens of a text.
        is_strict: whether there is no text where no level fits; else that of the highest one is given.

    Raises:
        TypeError, ValueError: the budget is not a whole number from 1, or no level fits.
    """
    if require_whole("max_tokens", max_tokens) < 1:
        raise ValueError(f"max_tokens: {max_tokens} is less than 1")
    count = count_tokens or estimate_tokens
    text = write(0)
    if count(text) <= max_tokens:
        return text
    text = write(levels)
    if (least := count(text)) > max_tokens:
        if not is_strict:
            return text
        raise ValueError(f"max_tokens: {max_tokens} is too few: what is never left out takes {least}")
    # A level may take more than the one below it, as a mark may be longer than what it stands for. Halving finds no
    # higher level for a larger budget all the same, and none that was not counted.
    low, high = 1, levels
    while low < high:
        # What does not fit is mostly far too long. So until something fits, what is tried is short.
        middle = (low + 7 * high) // 8 if high == levels else (low + high) // 2
        tried = write(middle)
        if count(tried) <= max_tokens:
            high, text = middle, tried
        else:
            low = middle + 1
    return text


def bound(  # noqa: PLR0913  (what is written, and for whom)
    plan: PlanSpec,
    write: Callable[[PlanSpec], str],
    max_tokens: int,
    count_tokens: TokenCounter | None,
    *,
    keep: str | None = None,
    is_strict: bool = True,
) -> str:
    """A plan as ``write`` writes it, with parts left out until it has at most so many tokens.

    Args:
        plan: the plan.
        write: writes it.
        max_tokens, count_tokens, is_strict: as for :func:`fit`.
        keep: the id of a step that is never left out, besides what is at work and what comes next.

    Raises:
        TypeError, ValueError: as by :func:`fit`.
    """
    # What no text could spell is refused here, before anything looks at it.
    full = write(plan)
    reducer = _Reducer.of(plan, keep)
    return fit(
        len(reducer.ranks),
        lambda level: write(reducer.reduce(level)) if level else full,
        max_tokens,
        count_tokens,
        is_strict=is_strict,
    )


def shorten_result(result: str) -> str:
    """The beginning of a long result, and how many characters are left out."""
    kept = result[:_RESULT].rstrip(" \t")
    short = f"{kept}… ({len(result) - len(kept)} more characters)"
    return short if len(short) < len(result) else result


def _name_steps(counts: Counter[PlanStatus], where: str = "") -> str:
    if len(counts) == 1:
        ((status, count),) = counts.items()
        return f"{count_of(count, f'{status.value} step')}{where}"
    listed = ", ".join(f"{counts[status]} {status.value}" for status in PlanStatus if counts[status])
    return f"{count_of(counts.total(), 'step')}{where} ({listed})"


# ---------------------------------------------------------------- the order of parts


@define(eq=False)
class _Node:
    """A step, with what decides when its parts are left out."""

    step: PlanStep
    parent: _Node | None
    # Whether it is never left out, whether it is settled with all below it, and how far from one that is kept.
    kept: bool
    settled: bool
    distance: int = 0
    # Which rank its body, the end of its result and its line have: parts of lower ranks are left out before.
    body: float = inf
    result: float = inf
    line: float = inf
    # The step as it was shown last, and how many of its first two parts it was shown without.
    draft: PlanStep | None = None
    lost: int = 0
    # How many steps below it have each status, once that was asked for.
    below: Counter[PlanStatus] | None = None


def _list_nodes(plan: PlanSpec, keep: str | None) -> dict[int, _Node]:
    """The steps in document order, by identity. What is at work, the next one, and all above these are kept."""
    upcoming = next_step(plan)
    known: dict[int, _Node] = {}
    for step, parent in iter_with_parents(plan):
        kept = step.status in AT_WORK or step is upcoming or step.step_id == keep
        known[id(step)] = _Node(step, known.get(id(parent)), kept, step.status in SETTLED)
    nodes = list(known.values())
    for node in reversed(nodes):
        if node.parent is not None:
            node.parent.kept |= node.kept
            node.parent.settled &= node.settled
    _measure(nodes)
    return known


def _measure(nodes: list[_Node]) -> None:
    """Find out how far each step is from one that is kept; one that such a step gets an input from is near."""
    needed = {name for node in nodes if node.kept for name in node.step.inputs}
    distance = far = len(nodes)
    for node in nodes:
        distance = node.distance = 0 if node.kept else distance + 1
    # Where nothing is at work, the end counts.
    distance = far if any(node.kept for node in nodes) else 0
    for node in reversed(nodes):
        distance = 0 if node.kept else distance + 1
        node.distance = 0 if not needed.isdisjoint(node.step.outputs) else min(node.distance, distance)


def _set_ranks(nodes: list[_Node]) -> list[float]:
    """Give each part its rank, by its kind, how far it is, and its place; returns all of them in order."""
    size, last = 2 * len(nodes) + 1, len(nodes) - 1
    ranks: list[float] = []
    for at, node in enumerate(nodes):
        node.line = (_line_kind(node) + 1) * size - node.distance
        if node.kept:
            continue
        if sum(map(len, texts := _body(node.step))) + len(texts) > _MARK:
            kind = _Kind.SETTLED_BODY if node.step.status in SETTLED else _Kind.PENDING_DETAIL
            node.body = ((kind + 1) * size - node.distance) * size + at
            ranks.append(node.body)
        if node.step.result and shorten_result(node.step.result) != node.step.result:
            node.result = ((_Kind.RESULT + 1) * size - node.distance) * size + at
            ranks.append(node.result)
    for at, node in zip(range(last, -1, -1), reversed(nodes), strict=True):
        if node.parent is not None:
            # Never before those below it, and after them where they are equal.
            node.parent.line = max(node.parent.line, node.line)
        node.line = inf if node.kept else node.line * size + last - at
        ranks.append(node.line)
    return sorted(rank for rank in ranks if rank < inf)


def _body(step: PlanStep) -> list[str]:
    """What can be left out of a body: of a step that is still to be done, its inputs stay."""
    return [*step.detail, *(step.inputs if step.status in SETTLED else ())]


def _line_kind(node: _Node) -> _Kind:
    if node.parent is not None and node.parent.settled:
        return _Kind.BELOW_SETTLED
    if node.settled:
        return _Kind.SETTLED
    return _Kind.BELOW_PENDING if node.parent is not None and not node.parent.kept else _Kind.PENDING


# ---------------------------------------------------------------- plans without some parts


@define(eq=False)
class _Reducer:
    """Makes plans without some parts, for texts of which one is too long after the other."""

    plan: PlanSpec
    known: dict[int, _Node]
    ranks: list[float]
    # Those that may be shown yet, and the level of the last plan.
    nodes: list[_Node]
    last: int

    @classmethod
    def of(cls, plan: PlanSpec, keep: str | None) -> Self:
        known = _list_nodes(plan, keep)
        nodes = [*known.values()]
        ranks = _set_ranks(nodes)
        return cls(plan, known, ranks, nodes, len(ranks))

    def reduce(self, level: int) -> PlanSpec:
        """The plan without its first so many parts. It shares what is left with the plan."""
        rank = self.ranks[level - 1]
        if self.last < level:
            # The last text was too long, so what was left out of it does not come back.
            self.nodes = [node for node in self.nodes if node.line > self.ranks[self.last - 1]]
        self.last = level
        top: list[PlanStep] = []
        siblings: dict[_Node | None, list[PlanStep]] = {None: top}
        for node in self.nodes:
            if node.line > rank:
                step = node.step
                draft = _reduce_step(
                    node, rank, self._name_lost(step.children, rank, " below") if step.children else []
                )
                siblings[node.parent].append(draft)
                if step.children:
                    siblings[node] = draft.children
        marks = [f"{_LEFT_OUT}{said}" for said in self._name_lost(self.plan.steps, rank)]
        return evolve(self.plan, steps=top, goal_detail=[*self.plan.goal_detail, *marks])

    def _name_lost(self, steps: list[PlanStep], rank: float, where: str = "") -> list[str]:
        """What is said of those of these steps that are left out, each with all below it."""
        lost = [node for step in steps if (node := self.known[id(step)]).line <= rank]
        if not lost:
            return []
        counts = Counter(node.step.status for node in lost)
        for node in lost:
            if node.step.children:
                if node.below is None:
                    node.below = Counter(step.status for step in iter_nodes(node.step.children))
                for status, count in node.below.items():
                    counts[status] += count
        return [_name_steps(counts, where)]


def _reduce_step(node: _Node, rank: float, below: list[str]) -> PlanStep:
    """A step without its parts that are left out; the steps below it are still to be added."""
    step, lost = node.step, (node.body <= rank) + (node.result <= rank)
    if not step.children:
        if not lost:
            return step
        # One text after the other is written.
        if node.draft is not None and node.lost == lost:
            return node.draft
    draft = copy_own(step)
    draft.children.clear()
    if node.result <= rank:
        draft.result = shorten_result(step.result)
    left_out = []
    if node.body <= rank:
        left_out.append(count_of(len(step.detail) + (step.status in SETTLED and bool(step.inputs)), "line"))
        draft.detail.clear()
        if step.status in SETTLED:
            draft.inputs.clear()
    left_out += below
    if left_out:
        draft.detail.append(f"{_LEFT_OUT}{', '.join(left_out)}")
    node.draft, node.lost = draft, lost
    return draft
