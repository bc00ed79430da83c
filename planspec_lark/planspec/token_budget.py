"""Views of a bounded size: which parts of a plan are left out first where there is not room for all.

Parts are left out one after the other, always in the same order, so a larger budget never shows less. What is written
is a plan again: where parts are left out, a detail line that begins with `…` says how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import IntEnum
from math import inf
from operator import itemgetter

from attrs import define, evolve

from planspec_lark.planspec.agenda import next_step
from planspec_lark.planspec.models import AT_WORK, SETTLED, PlanSpec, PlanStatus, PlanStep, copy_own
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.syntax.diagnostics import count_of
from planspec_lark.syntax.fields import require_whole
from planspec_lark.syntax.token_estimate import TokenCounter, estimate_tokens

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


def fit(levels: int, write: Callable[[int], str], max_tokens: int, count_tokens: TokenCounter | None) -> str:
    """The text of the lowest level that has at most so many tokens.

    Each level leaves out what the ones below it do, and more. A few texts are written and counted, one for each time
    that the number of levels can be halved, and two more.

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
    count_tokens: TokenCounter | None,
) -> str:
    """A plan as ``write`` writes it, with parts left out until it has at most so many tokens.

    Raises:
        TypeError, ValueError: as by :func:`fit`.
    """
    # What no text could spell is refused here, before anything looks at it.
    full = write(plan)
    nodes = _list_nodes(plan)
    levels = _set_levels(nodes)
    return fit(levels, lambda level: write(_reduce(plan, nodes, level)) if level else full, max_tokens, count_tokens)


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
    # From which level on its body, the end of its result and its line are left out.
    body: float = inf
    result: float = inf
    line: float = inf


def _list_nodes(plan: PlanSpec) -> list[_Node]:
    """The steps in document order. What is at work, the next one, and all above these are kept."""
    upcoming = next_step(plan)
    known: dict[int, _Node] = {}
    for step, parent in iter_with_parents(plan):
        kept = step.status in AT_WORK or step is upcoming
        known[id(step)] = _Node(step, known.get(id(parent)), kept, step.status in SETTLED)
    nodes = list(known.values())
    for node in reversed(nodes):
        if node.parent is not None:
            node.parent.kept |= node.kept
            node.parent.settled &= node.settled
    _measure(nodes)
    return nodes


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


def _set_levels(nodes: list[_Node]) -> int:
    """Say of each part from which level on it is left out; returns how many levels there are."""
    lines = {node: (_line_kind(node), -node.distance) for node in nodes}
    for node in reversed(nodes):
        if node.parent is not None:
            # Never before those below it.
            lines[node.parent] = max(lines[node.parent], lines[node])
    parts: list[tuple[tuple[int, int, int], _Node, str]] = []
    for at, node in enumerate(nodes):
        if node.kept:
            continue
        if sum(map(len, texts := _body(node.step))) + len(texts) > _MARK:
            kind = _Kind.SETTLED_BODY if node.step.status in SETTLED else _Kind.PENDING_DETAIL
            parts.append(((kind, -node.distance, at), node, "body"))
        if shorten_result(node.step.result) != node.step.result:
            parts.append(((_Kind.RESULT, -node.distance, at), node, "result"))
        # Of steps with the same key, those below come first.
        parts.append(((*lines[node], -at), node, "line"))
    for level, (_, node, name) in enumerate(sorted(parts, key=itemgetter(0))):
        setattr(node, name, level)
    return len(parts)


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


def _reduce(plan: PlanSpec, nodes: list[_Node], level: int) -> PlanSpec:
    """A plan without the first so many parts. It shares what is left with the plan."""
    # The steps that are left out, by the one that is shown above them (None for the plan itself).
    below: dict[_Node | None, Counter[PlanStatus]] = {}
    owners: dict[_Node | None, _Node | None] = {}
    for node in nodes:
        if node.line < level:
            owner = owners[node] = owners.get(node.parent, node.parent)
            below.setdefault(owner, Counter())[node.step.status] += 1
    top: list[PlanStep] = []
    siblings: dict[_Node | None, list[PlanStep]] = {None: top}
    for node in nodes:
        if node.line >= level:
            step = _reduce_step(node, level, below.get(node))
            siblings[node] = step.children
            siblings[node.parent].append(step)
    marks = [f"{_LEFT_OUT}{_name_steps(below[None])}"] if None in below else []
    return evolve(plan, steps=top, goal_detail=[*plan.goal_detail, *marks])


def _reduce_step(node: _Node, level: int, below: Counter[PlanStatus] | None) -> PlanStep:
    """A step without its parts that are left out; the steps below it are still to be added."""
    step = node.step
    if not step.children and node.body >= level and node.result >= level:
        return step
    draft = copy_own(step)
    draft.children.clear()
    if node.result < level:
        draft.result = shorten_result(step.result)
    left_out = []
    if node.body < level:
        left_out.append(count_of(len(step.detail) + (step.status in SETTLED and bool(step.inputs)), "line"))
        draft.detail.clear()
        if step.status in SETTLED:
            draft.inputs.clear()
    if below:
        left_out.append(_name_steps(below, " below"))
    if left_out:
        draft.detail.append(f"{_LEFT_OUT}{', '.join(left_out)}")
    return draft
