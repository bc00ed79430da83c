"""Three texts of a plan → one: that of ours, edited to say the merged plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from planspec_lark.diff.conflict_markers import LABELS, MARKER_SIZE, Chunk, put_together
from planspec_lark.diff.merge import OURS, THEIRS, Merged, MergeNode, dispute_as_theirs, merge_versions
from planspec_lark.diff.models import MergeResult
from planspec_lark.diff.sequences import cut_at, longest_common
from planspec_lark.document.pieces import cut_accepted
from planspec_lark.document.rewrite import WrittenPlan, rewrite
from planspec_lark.planspec.models import PlanStep
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.syntax.source import end_last_line, newline_of

__all__ = ["merge_texts"]

# What markers go around together.
_TOPICS = {"goal_detail": "goal", "items": "constraints"}


def merge_texts(
    base: str, ours: str, theirs: str, *, marker_size: int = MARKER_SIZE, labels: Sequence[str] = LABELS
) -> MergeResult:
    """Merge what two sides have made of the text of a plan, as :func:`planspec_lark.merge_plans` merges plans.

    The text is that of ours, byte for byte, but for the lines of what theirs has changed, which are edited; new steps
    have the lines of theirs. A conflict looks as git would write it, with the lines of both sides between markers, so
    that the text is not a plan until a person has decided. Where a step was moved by both, or removed by one, each
    place has its own.

    Args:
        base: the text that both sides started from.
        ours: what one side has made of it.
        theirs: what the other side has made of it.
        marker_size: how many signs make a marker.
        labels: what markers call the two sides, such as the names of their branches.

    Raises:
        PlanSyntaxError: one of the texts is not a plan.
    """
    plans = parse_plan(base, name="base"), parse_plan(ours, name="ours"), parse_plan(theirs, name="theirs")
    if theirs in (base, ours):
        return MergeResult(plans[1], (), ours)
    if ours == base:
        return MergeResult(plans[2], (), theirs)
    merged = merge_versions(*plans)
    newline = newline_of(ours)
    if newline_of(theirs) != newline:
        theirs = theirs.replace("\r\n", "\n").replace("\n", newline)
    written = _write(merged, ours, theirs)
    if not merged.conflicts:
        return MergeResult(merged.plan, (), written.text)
    left = _take_apart(merged, written, OURS)
    other = dispute_as_theirs(merged)
    right = _take_apart(other, _write(other, ours, theirs), THEIRS)
    chunks = [*_head_chunks(left.head, right.head), *_step_chunks(left.steps, right.steps)]
    chunks = [chunk for chunk in chunks if chunk.ours or chunk.theirs]
    text = put_together(chunks, newline, marker_size, labels)
    if chunks[-1].topic is None:
        text = text.removesuffix(written.open_end)
    return MergeResult(merged.plan, merged.conflicts, text)


def _write(merged: Merged, ours: str, theirs: str) -> WrittenPlan:
    """The text of ours, edited to say the merged plan."""
    staying = {merged.order[0]}
    known: dict[int, PlanStep] = {}
    elsewhere: list[MergeNode] = []
    for parent in merged.order:
        if parent in staying and parent.children:
            staying.update(longest_common(parent.children, parent.below(OURS)))
        for node in parent.children:
            if node in staying:
                known[id(node.step)] = node.versions[OURS].step
            else:
                elsewhere.append(node)
    sides = {node.side for node in elsewhere}
    texts = ((side, text) for side, text in ((OURS, ours), (THEIRS, theirs)) if side in sides)
    pieces = {(side, piece.step_id): piece.lines for side, text in texts for piece in cut_accepted(end_last_line(text))}
    lines = {id(node.step): pieces[node.side, node.versions[node.side].step.step_id] for node in elsewhere}
    return rewrite(ours, merged.plans[OURS], merged.plan, known, lines)


# ---------------------------------------------------------------- conflicts


class _Lines(NamedTuple):
    """The lines of a step: its summary line, its body, and the blank lines after it."""

    node: MergeNode
    summary: str
    body: str
    gap: str


# A step in a place.
_Place: TypeAlias = tuple[MergeNode, str]


class _Side(NamedTuple):
    """The text of one side: the lines of its head by what they say, and those of its steps."""

    head: dict[str, str]
    steps: dict[_Place, _Lines]


def _take_apart(merged: Merged, written: WrittenPlan, side: str) -> _Side:
    """A merged text as one side has it: without what that has removed."""
    nodes = {id(node.step): node for node in merged.order[1:]}
    steps = {}
    for one in written.steps:
        node = nodes[id(one.step)]
        if node.removal is None or node.removal.remover != side:
            row, end, body = one.lines.partition("\n")
            steps[node, node.step_id] = _Lines(node, row + end, body, one.gap)
    return _Side({**written.head, "gap": written.gap}, steps)


def _head_chunks(left: Mapping[str, str], right: Mapping[str, str]) -> Iterator[Chunk]:
    for name, ours in left.items():
        theirs = right[name]
        yield Chunk(ours, theirs, None if ours == theirs else _TOPICS.get(name, name))


def _step_chunks(left: Mapping[_Place, _Lines], right: Mapping[_Place, _Lines]) -> Iterator[Chunk]:
    """The lines of both sides: beside each other those of a step that both have in one place, and all between them."""
    anchors = set(longest_common(left, right))
    for ours, theirs in zip(cut_at(left, anchors), cut_at(right, anchors), strict=True):
        if ours and ours[0] in anchors:
            yield from _pair(left[ours.pop(0)], right[theirs.pop(0)])
        if places := ours or theirs:
            mine, other = (
                "".join("".join(side[place][1:]) for place in own) for side, own in ((left, ours), (right, theirs))
            )
            yield Chunk(mine, other, places[0])


def _pair(ours: _Lines, theirs: _Lines) -> Iterator[Chunk]:
    """The lines of a step; where none is the same, all together are one conflict."""
    pairs = [(ours.summary, theirs.summary), (ours.body, theirs.body)]
    if all(mine != other for mine, other in pairs):
        pairs = [(ours.summary + ours.body, theirs.summary + theirs.body)]
    for mine, other in pairs:
        yield Chunk(mine, other, None if mine == other else ours.node)
    yield Chunk(ours.gap)
