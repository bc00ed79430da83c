"""Three texts of a plan → one: the lines of ours, but for those that theirs has changed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from operator import itemgetter
from typing import TypeAlias

from attrs import define, evolve, field

from planspec_lark.diff.conflict_markers import LABELS, MARKER_SIZE, Chunk, put_together
from planspec_lark.diff.match import is_in_place
from planspec_lark.diff.merge import (
    BASE,
    ENDING,
    OURS,
    PLACE,
    THEIRS,
    FreeNumbers,
    Merged,
    MergeNode,
    find_conflicts,
    merge_node,
    merge_versions,
)
from planspec_lark.diff.models import MergeResult, Value, fields_of, values_of
from planspec_lark.diff.sequences import longest_common
from planspec_lark.document.layout import LayoutStyle, edit_lines, end_of, find_style, indent_of
from planspec_lark.document.pieces import Piece, cut_accepted, make_piece
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import BLANKS, STEP_FIELDS, PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import end_last_line, newline_of

__all__ = ["merge_texts"]

# What a step says in its summary line, and below it, out of its values.
_BODY_NAMES = [name for name, info in STEP_FIELDS.items() if info.is_in_body]
_SUMMARY = itemgetter(*(name for name in values_of(PlanStep("0")) if name not in _BODY_NAMES))
_BODY = itemgetter(*_BODY_NAMES)

_BOM = "\ufeff"
_ROW = re.compile(rf"\A{_BOM}|[^\n]*\n|[^\n]+")
_MARKS = {
    "title": "TITLE_MARK",
    "goal": "GOAL_MARK",
    "constraints": "CONSTRAINTS_MARK",
    "steps": "STEPS_MARK",
}
# The sign before a line that belongs to what is above it.
_SIGNS = {"-": "items", ">": "goal_detail"}


def merge_texts(
    base: str, ours: str, theirs: str, *, marker_size: int = MARKER_SIZE, labels: Sequence[str] = LABELS
) -> MergeResult:
    """Merge what two sides have made of the text of a plan, as :func:`planspec_lark.merge_plans` merges plans.

    The text is that of ours, byte for byte, but for the lines of what theirs has changed: these are as theirs has them,
    or, where both sides have changed something of a step, written again. A conflict looks as git would write it,
    with the lines of both sides between markers, so that the text is not a plan until a person has decided. Where
    a step was moved by both, or removed by one, each place has its own.

    Args:
        base: the text that both sides started from.
        ours: what one side has made of it.
        theirs: what the other side has made of it.
        marker_size: how many signs make a marker.
        labels: what markers call the two sides, such as the names of their branches.

    Raises:
        PlanSyntaxError: one of the texts is not a plan.
    """
    if in_place := _merge_in_place(base, ours, theirs, marker_size, labels):
        return in_place
    plans = parse_plan(base, name="base"), parse_plan(ours, name="ours"), parse_plan(theirs, name="theirs")
    if theirs in (base, ours):
        return MergeResult(plans[1], (), ours)
    if ours == base:
        return MergeResult(plans[2], (), theirs)
    merged = merge_versions(*plans)
    lines = _Lines.of(merged, ours, theirs)
    chunks = (chunk for entry in _Layout(merged, lines).entries() for chunk in _step_chunks(lines, entry))
    return _finish(merged, lines, chunks, marker_size, labels)


def _finish(
    merged: Merged, lines: _Lines, chunks: Iterable[Chunk], marker_size: int, labels: Sequence[str]
) -> MergeResult:
    """The result of a merge, whose text has these chunks after its head."""
    text = put_together(chain(_head_chunks(merged, lines), chunks), lines.newline, marker_size, labels)
    return MergeResult(merged.plan, merged.conflicts, "".join(lines.heads[OURS]["lead"]) + text)


# ---------------------------------------------------------------- where every step has stayed


# The line of a step as most are written. What it finds is looked at again.
_STEP_LINE = re.compile(rf"^[{BLANKS}]*([0-9]+(?:\.[0-9]+)*)\.[{BLANKS}]", re.MULTILINE)


def _merge_in_place(base: str, ours: str, theirs: str, marker_size: int, labels: Sequence[str]) -> MergeResult | None:
    """The same for texts with the same steps in the same places, or None where it is not certain that they are such.

    Most steps have the same lines in all three, and are only looked at once.
    """
    texts = {BASE: base, OURS: ours, THEIRS: theirs}
    if len(set(texts.values())) < len(texts) or len(set(map(newline_of, texts.values()))) > 1:
        return None
    heads: dict[str, str] = {}
    parts: dict[str, dict[str, str]] = {}
    for side, text in texts.items():
        heads[side], parts[side] = _cut_steps(text)
    versions = _read_versions(heads, parts, ours)
    if versions is None:
        return None
    plans, steps = versions
    plan, root = plans[OURS], merge_node(None, plans)
    nodes = {
        step_id: merge_node(root, {side: own[step_id] for side, own in steps.items()})
        for step_id, part in parts[THEIRS].items()
        if part not in (parts[OURS][step_id], parts[BASE][step_id])
    }
    lines = _Lines(
        newline_of(ours),
        {side: _cut_head(heads[side]) for side in (OURS, THEIRS)},
        {side: {step_id: make_piece(step_id, parts[side][step_id]) for step_id in nodes} for side in (OURS, THEIRS)},
        lambda: find_style(parse_plan(ours), cut_accepted(ours)[1:]),
    )
    said = evolve(plan)
    for name, value in fields_of(root.values).items():
        setattr(plan, name, value)
    order = [root, *(nodes[step.step_id] for step in iter_steps(plan) if step.step_id in nodes)]
    merged = Merged(plans | {OURS: said}, {}, order, plan, find_conflicts(order))
    chunks: list[Chunk] = []
    for step_id, part in parts[OURS].items():
        if (node := nodes.get(step_id)) is None:
            chunks.append(Chunk(part))
        else:
            chunks += _step_chunks(lines, _Entry(node, step_id, lines.indent(node, OURS)))
            for name, value in fields_of(node.values).items():
                setattr(steps[OURS][step_id], name, value)
    return _finish(merged, lines, chunks, marker_size, labels)


def _cut_steps(text: str) -> tuple[str, dict[str, str]]:
    """What is before the first step, and the lines of each by its id; of none where an id comes twice."""
    found = [*_STEP_LINE.finditer(text)]
    starts = [*(match.start() for match in found), len(text)]
    parts = {match[1]: text[start:end] for match, (start, end) in zip(found, pairwise(starts), strict=True)}
    return text[: starts[0]], parts if len(parts) == len(found) else {}


def _read_versions(
    heads: dict[str, str], parts: dict[str, dict[str, str]], ours: str
) -> tuple[dict[str, PlanSpec], dict[str, dict[str, PlanStep]]] | None:
    """The plans, of which only that of ours has steps, and the steps of each in the order of the text.

    The same lines are the same step. None where a text is not a plan, is cut elsewhere than it should be, or may have
    steps in other places than the others.
    """
    ids = [*parts[OURS]]
    if not ids or any([*own] != ids for own in parts.values()):
        return None
    plan = fast_reader.read(ours)
    own = {step.step_id: step for step in iter_steps(plan)} if plan else {}
    if plan is None or own.keys() != parts[OURS].keys():
        return None
    plans, steps = {OURS: plan}, {OURS: {step_id: own[step_id] for step_id in parts[OURS]}}
    for side in (BASE, THEIRS):
        differing = {step_id: part for step_id, part in parts[side].items() if part != parts[OURS][step_id]}
        read = _read_parts(heads[side], differing)
        if read is None:
            return None
        plans[side], steps[side] = read[0], steps[OURS] | read[1]
    # The same lines in base and theirs are the same step as well.
    for step_id, part in parts[BASE].items():
        if part == parts[THEIRS][step_id]:
            steps[THEIRS][step_id] = steps[BASE][step_id]
    is_same = all(is_in_place(plan, steps[BASE], steps[side]) for side in (OURS, THEIRS))
    return (plans, steps) if is_same else None


def _read_parts(head: str, parts: dict[str, str]) -> tuple[PlanSpec, dict[str, PlanStep]] | None:
    """The plan that a head says, and the steps of these lines; None where they say anything else."""
    plan = fast_reader.read(head)
    # Each with its line ended, which the text's last one may not be.
    read = fast_reader.read_steps("".join(map(end_last_line, parts.values())))
    if plan is None or plan.steps or read is None or [step.step_id for step in read] != [*parts]:
        return None
    return plan, dict(zip(parts, read, strict=True))


# ---------------------------------------------------------------- the head


# The lines before the first step, by what they say.
_HeadLines: TypeAlias = "dict[str, list[str]]"


def _cut_head(head: str) -> _HeadLines:
    """The lines before the first step, by what they say. Blank lines belong to the line before them.

    What is before the first part (a byte-order mark, blank lines) is the ``lead``, constraints are the ``items``.
    """
    parts: _HeadLines = defaultdict(list)
    rows = parts["lead"]
    for line in _ROW.findall(head):
        content = line.strip(f"{BLANKS}\r\n{_BOM}")
        if not content:
            rows[-1:] = ["".join([*rows[-1:], line])]
            continue
        name = _SIGNS.get(content[0]) or next(
            name for name, mark in _MARKS.items() if grammars.pattern("planspec", mark).match(content)
        )
        rows = parts[name]
        rows.append(line)
    return parts


def _head_chunks(merged: Merged, lines: _Lines) -> Iterator[Chunk]:
    """The head of a merged text, but for its lead."""
    root = merged.order[0]
    ours, theirs = heads = lines.heads[OURS], lines.heads[THEIRS]
    said = [root.versions[side].values for side in (OURS, THEIRS)]
    _add_goals(root, heads, [f"Goal:{lines.newline}"])
    for name in ("title", "goal", "goal_detail"):
        left, right = ("".join(head[name]) for head in heads)
        if name in root.disputed:
            yield Chunk(left, right, name)
        else:
            yield Chunk(left if said[0][name] == root.values[name] else right)
    if merged.plan.constraints or ours["constraints"] or "constraints" in root.disputed:
        yield Chunk("".join(ours["constraints"] or theirs["constraints"] or [f"Constraints:{lines.newline}"]))
        yield from _item_chunks(merged, heads)
    # Steps need no header: theirs is taken with their steps only.
    is_theirs = merged.plan.steps and not merged.plans[OURS].steps
    yield Chunk("".join(ours["steps"] or (theirs["steps"] if is_theirs else [])))


def _add_goals(root: MergeNode, heads: Sequence[_HeadLines], rows: list[str]) -> None:
    """Put a line in the place of a goal that is empty and has detail, which needs a line to be below."""
    said = [root.versions[side].values if "goal_detail" in root.disputed else root.values for side in (OURS, THEIRS)]
    has_detail = [bool(values["goal_detail"]) for values in said]
    if "goal" not in root.disputed:
        has_detail = [any(has_detail)] * len(heads)
    for head, needs_goal in zip(heads, has_detail, strict=True):
        head["goal"] = head["goal"] or (rows if needs_goal else [])


def _item_chunks(merged: Merged, heads: Sequence[_HeadLines]) -> Iterator[Chunk]:
    """The constraints."""
    if "constraints" in merged.order[0].disputed:
        left, right = ("".join(head["items"]) for head in heads)
        yield Chunk(left, right, "constraints")
        return
    known: dict[str, str] = {}
    gaps = []
    for side, head in zip((OURS, THEIRS), heads, strict=True):
        *rows, last = head["items"] or [""]
        row, end, gap = last.partition("\n")
        gaps.append(gap)
        for text, lines in zip(merged.plans[side].constraints, [*rows, row + end], strict=False):
            known.setdefault(text, lines)
    yield from (Chunk(known[text]) for text in merged.plan.constraints)
    # The blank lines after the last one stay after the last one.
    yield Chunk(gaps[0])


# ---------------------------------------------------------------- the lines of a step


@define(eq=False, slots=False)
class _Lines:
    """Writes steps as the texts of both sides have them.

    Attributes:
        newline: how a line of ours ends.
        heads: what is before the first step, by side.
        pieces: the lines of each step by its id, by side, in the order of the text.
    """

    newline: str
    heads: dict[str, _HeadLines]
    pieces: dict[str, dict[str | None, Piece]]
    _find_style: Callable[[], LayoutStyle]

    @classmethod
    def of(cls, merged: Merged, ours: str, theirs: str) -> _Lines:
        """The lines of two texts."""
        newline = newline_of(ours)
        if newline_of(theirs) != newline:
            theirs = theirs.replace("\r\n", "\n").replace("\n", newline)
        heads: dict[str, _HeadLines] = {}
        pieces: dict[str, dict[str | None, Piece]] = {}
        for side, text in ((OURS, ours), (THEIRS, theirs)):
            head, *steps = cut_accepted(text)
            heads[side] = _cut_head(head.text)
            pieces[side] = {piece.step_id: piece for piece in steps}
        return cls(newline, heads, pieces, lambda: find_style(merged.plans[OURS], [*pieces[OURS].values()]))

    @cached_property
    def style(self) -> LayoutStyle:
        """How ours is written."""
        return self._find_style()

    def piece(self, node: MergeNode, side: str) -> Piece:
        """The lines of a step as a side has them."""
        return self.pieces[side][node.versions[side].step.step_id]

    def indent(self, node: MergeNode, side: str) -> str:
        """How a step is indented there; the plan itself is not."""
        return indent_of(self.piece(node, side).lines) if node.above(side) else ""

    def write(self, node: MergeNode, values: dict[str, Value], step_id: str, indent: str) -> tuple[str, str]:
        """The summary line and the body of a step that says this, with this id and indentation.

        Each is taken from a side that says the same; where there is none, it is made of what is there.
        """
        sides = [_find_saying(node, values, read) for read in (_SUMMARY, _BODY)]
        summary, body = (self._take(node, side or node.side, step_id, indent)[at] for at, side in enumerate(sides))
        if body and not summary.endswith("\n"):
            summary += self.newline
        if all(sides):
            return summary, body
        lines = summary + body
        lines += "" if end_of(lines) else self.newline
        step = PlanStep(step_id, **fields_of(values))
        return _cut_summary(edit_lines(lines, step, self.style, indent=indent, newline=self.newline))

    def _take(self, node: MergeNode, side: str, step_id: str, indent: str) -> tuple[str, str]:
        """The summary line and the body of a step as a side has them, with this id and indentation."""
        summary, body = _cut_summary(self.piece(node, side).lines)
        was = indent_of(summary)
        if was != indent:
            body = re.sub(rf"^{was}(?!\Z)", indent, body, flags=re.MULTILINE)
        return f"{indent}{step_id}{summary[len(was) + len(node.versions[side].step.step_id) :]}", body


def _find_saying(node: MergeNode, values: dict[str, Value], read: Callable[[dict[str, Value]], object]) -> str | None:
    """A side in which a step has these of the values, or None."""
    known = ((side, node.versions.get(side)) for side in (OURS, THEIRS))
    return next((side for side, own in known if own and read(own.values) == read(values)), None)


def _cut_summary(lines: str) -> tuple[str, str]:
    """The first line, and all others."""
    row, end, body = lines.partition("\n")
    return row + end, body


# ---------------------------------------------------------------- the order of the lines


@define(eq=False)
class _Entry:
    """A step's place in a merged text.

    Attributes:
        node: the step.
        step_id: its id there.
        indent: the white space before its line.
        side: the only side that has it there, where the sides do not agree on that; else None.
        topic: what they do not agree on then.
        their_id: its id in theirs, where they do not agree on it.
    """

    node: MergeNode
    step_id: str
    indent: str
    side: str | None = None
    topic: object = None
    their_id: str = ""


@define(eq=False)
class _Layout:
    """The order of the steps in a merged text: that of ours, with what is new or moved put where it belongs.

    The lines of a plan may be in another order than its steps: what counts is the order of those beside each other.
    """

    _merged: Merged
    _lines: _Lines
    # The nodes that stay where ours has them.
    _staying: set[MergeNode] = field(factory=set, init=False)
    _entries: dict[MergeNode, _Entry] = field(factory=dict, init=False)
    # What theirs has elsewhere, by the node that it is below and the one that it is after.
    _elsewhere: dict[tuple[MergeNode, MergeNode | None], list[_Entry]] = field(factory=dict, init=False)
    # The numbers that are free below a step.
    _free: dict[MergeNode, FreeNumbers] = field(factory=dict, init=False)

    def entries(self) -> Iterator[_Entry]:
        """All steps of a merged text in the order of their lines."""
        root, *nodes = self._merged.order
        self._staying.add(root)
        self._entries[root] = _Entry(root, "", "")
        for parent in self._merged.order:
            if parent.children:
                self._look_below(parent)
        for node in nodes:
            if PLACE in node.disputed:
                self._dispute(node)
        by_id = {node.step.step_id: node.merged for node in self._merged.trees[OURS][1:]}
        there = [by_id[str(step_id)] for step_id in self._lines.pieces[OURS]]
        inserted = self._insert(there)
        yield from inserted[-1]
        for index, node in enumerate(there):
            if node in self._staying:
                yield self._entries[node]
            yield from inserted[index]

    def _look_below(self, parent: MergeNode) -> None:
        """Find out which steps below one stay, and how each is indented."""
        staying = longest_common(parent.children, parent.below(OURS)) if parent in self._staying else []
        self._staying.update(staying)
        for node in parent.children:
            beside = [node] if node in self._staying else staying
            if beside:
                indent = self._lines.indent(beside[0], OURS)
            else:
                indent = self._entries[parent].indent + self._step_in(node)
            side = node.side if node.removal else None
            self._entries[node] = _Entry(node, node.step_id, indent, side, node.removal)

    def _step_in(self, node: MergeNode) -> str:
        """How much further a step is indented than the one above it."""
        above = node.above(node.side)
        assert above is not None
        own, was = self._lines.indent(node, node.side), self._lines.indent(above, node.side)
        if above is node.parent and own.startswith(was):
            return own[len(was) :]
        return self._lines.style.child if node.parent and node.parent.parent else ""

    def _dispute(self, node: MergeNode) -> None:
        """Let both sides have a step that both have moved, and all below it, where they have put it."""
        parent, before = node.above(THEIRS), node.before(THEIRS)
        assert parent is not None
        entry, subtree = self._entries[node], [*node.subtree()]
        if parent.is_gone or parent in subtree:
            if entry.side is None:
                entry.their_id = node.versions[THEIRS].step.step_id
            return
        if parent not in self._free:
            self._free[parent] = FreeNumbers(child.suffix for child in parent.children)
        step_id = parent.id_below(self._free[parent].take(node.versions[THEIRS].suffix))
        indent = self._entries[parent].indent + (self._lines.style.child if parent.parent else "")
        topic = object()
        place = parent, before if before and before.parent is parent else None
        behind = self._elsewhere.setdefault(place, [])
        for below, own in ((below, self._entries[below]) for below in subtree):
            if own.side is None:
                own.side, own.topic = OURS, node
            below_id, below_indent = own.step_id[len(node.step_id) :], own.indent.removeprefix(entry.indent)
            behind.append(_Entry(below, step_id + below_id, indent + below_indent, THEIRS, topic))

    def _insert(self, there: Sequence[MergeNode]) -> dict[int, list[_Entry]]:
        """What comes after each line of ours, or (at -1) before all, that is not in its place there."""
        lines = {node: index for index, node in enumerate(there)}
        inserted: dict[int, list[_Entry]] = defaultdict(list)
        # From the last to the first: what comes below a step has to be before what comes after it.
        for parent in filter(self._staying.__contains__, reversed(self._merged.order)):
            first = next((lines[node] - 1 for node in parent.children if node in self._staying), len(there))
            at = min(lines.get(parent, -1), first)
            inserted[at] += self._elsewhere.get((parent, None), ())
            for node in parent.children:
                if node in self._staying:
                    at = _last_below(there, lines[node])
                else:
                    inserted[at] += (self._entries[below] for below in node.subtree())
                inserted[at] += self._elsewhere.get((parent, node), ())
        return inserted


def _last_below(there: Sequence[MergeNode], index: int) -> int:
    """The last line of those that follow the line of a step and are of steps below it."""
    lead = f"{there[index].versions[OURS].step.step_id}."
    while index + 1 < len(there) and there[index + 1].versions[OURS].step.step_id.startswith(lead):
        index += 1
    return index


def _step_chunks(lines: _Lines, entry: _Entry) -> Iterator[Chunk]:
    """The lines of a step, and where the sides do not agree on something those of both."""
    node, own = entry.node, entry.node.versions.get(OURS)
    is_right = own and (own.step.step_id, lines.indent(node, OURS)) == (entry.step_id, entry.indent)
    if own and is_right and own.values == node.values and not (entry.side or node.disputed):
        yield Chunk(lines.piece(node, OURS).text)
        return
    gap, values = lines.piece(node, node.side).gap, _their_values(node)
    ours = theirs = lines.write(node, node.values, entry.step_id, entry.indent)
    if values != node.values or entry.their_id:
        theirs = lines.write(node, values, entry.their_id or entry.step_id, entry.indent)
    if entry.side == OURS:
        yield Chunk("".join([*ours, gap]), "", entry.topic)
    elif entry.side == THEIRS:
        yield Chunk("", "".join([*theirs, gap]), entry.topic)
    elif theirs is ours:
        yield Chunk("".join([*ours, gap]))
    else:
        yield from _pair_lines(ours, theirs, node)
        yield Chunk(gap)


def _pair_lines(ours: Sequence[str], theirs: Sequence[str], topic: object) -> Iterator[Chunk]:
    """The lines of both sides beside each other; where none is the same, all together are one conflict."""
    pairs = [*zip(ours, theirs, strict=True)]
    if all(mine != other for mine, other in pairs):
        pairs = [("".join(ours), "".join(theirs))]
    return (Chunk(mine, other, None if mine == other else topic) for mine, other in pairs)


def _their_values(node: MergeNode) -> dict[str, Value]:
    """What a step says in the merged plan, with what is in dispute as theirs has it."""
    disputed = {name for name in node.disputed if name != PLACE}
    if "status" in disputed:
        disputed.update(ENDING)
    return node.values | {name: node.versions[THEIRS].values[name] for name in disputed}
