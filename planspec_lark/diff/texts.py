"""Three texts of a plan → one: the lines of ours, but for those that theirs has changed."""

from __future__ import annotations

from collections.abc import Iterator

from planspec_lark.diff.chunks import MARKER_SIZE, Chunk, put_together
from planspec_lark.diff.emitting import Entry, emit
from planspec_lark.diff.heads import head_chunks, lead_of
from planspec_lark.diff.lines import Lines
from planspec_lark.diff.merge import ENDING, merge_versions
from planspec_lark.diff.models import MergeResult, Value
from planspec_lark.diff.nodes import OURS, THEIRS, Node
from planspec_lark.diff.placing import PLACE
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan

__all__ = ["merge_texts"]


def merge_texts(base: str, ours: str, theirs: str, *, marker_size: int = MARKER_SIZE) -> MergeResult:
    """Merge what two sides have made of the text of a plan, as :func:`planspec_lark.merge_plans` merges plans.

    The text is that of ours, byte for byte, but for the lines of what theirs has changed: these are as theirs has them,
    or, where both sides have changed something of a step, written anew. A conflict stands in it as git would write it,
    with the lines of both sides between markers, so that the text is no plan until somebody has decided. Where a step
    was moved by both, or removed by one, each place has its own.

    Args:
        base: the text that both sides started from.
        ours: what one side has made of it.
        theirs: what the other side has made of it.
        marker_size: how many signs make a marker.

    Raises:
        PlanSyntaxError: one of the texts is no plan.
    """
    plans = parse_plan(base, name="base"), parse_plan(ours, name="ours"), parse_plan(theirs, name="theirs")
    if theirs in (base, ours):
        return MergeResult(plans[OURS], (), ours)
    if ours == base:
        return MergeResult(plans[THEIRS], (), theirs)
    return _merge(plans, (ours, theirs), marker_size)


def _merge(plans: tuple[PlanSpec, PlanSpec, PlanSpec], texts: tuple[str, str], marker_size: int) -> MergeResult:
    merged = merge_versions(*plans)
    lines = Lines(merged.versions, texts)
    chunks = [
        *head_chunks(merged, lines.head[OURS], lines.head[THEIRS], lines.newline),
        *(chunk for entry in emit(merged.versions, lines) for chunk in _chunks(lines, entry)),
    ]
    text = lead_of(lines.head[OURS]) + put_together(chunks, lines.newline, marker_size)
    return MergeResult(merged.plan, merged.conflicts, text)


def _chunks(lines: Lines, entry: Entry) -> Iterator[Chunk]:
    """The lines of a step, and where the sides do not agree on something those of both."""
    node = entry.node
    if entry.side is None and not node.disputed and lines.are_right(node, entry.step_id, entry.indent):
        yield Chunk(lines.piece(node, OURS).text)
        return
    gap = lines.gap(node)
    ours = lines.write(node, node.values, entry.step_id, entry.indent)
    if entry.side == OURS:
        yield Chunk(ours.text + gap, "", entry.topic)
        return
    values = _their_values(lines, node)
    theirs = lines.write(node, values, entry.their_id or entry.step_id, entry.indent)
    if entry.side == THEIRS:
        yield Chunk("", theirs.text + gap, entry.topic)
    elif values == node.values and not entry.their_id:
        yield Chunk(ours.text + gap)
    elif ours.summary != theirs.summary and ours.body != theirs.body:
        yield Chunk(ours.text, theirs.text, node)
        yield Chunk(gap)
    else:
        for mine, other in ((ours.summary, theirs.summary), (ours.body, theirs.body)):
            yield Chunk(mine) if mine == other else Chunk(mine, other, node)
        yield Chunk(gap)


def _their_values(lines: Lines, node: Node) -> dict[str, Value]:
    """What a step says in the merged plan, with what is in dispute as theirs has it."""
    disputed = {name for name in node.disputed if name != PLACE}
    if not disputed:
        return node.values
    disputed |= set(ENDING) if "status" in disputed else set()
    said = lines.versions.values(node, THEIRS)
    return {name: said[name] if name in disputed else value for name, value in node.values.items()}
