"""The order of the steps in a merged text: that of ours, with what is new or moved put where it belongs.

The lines of a plan may stand in another order than its steps: what counts is the order of those beside each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import define, evolve, field, frozen

from planspec_lark.diff.lines import Lines
from planspec_lark.diff.nodes import OURS, THEIRS, Node, Versions
from planspec_lark.diff.numbering import Suffixes, suffix_of
from planspec_lark.diff.placing import PLACE
from planspec_lark.diff.sequences import longest_rising
from planspec_lark.diff.trees import ROOT
from planspec_lark.document.summaries import indent_of

__all__ = ["Entry", "emit"]


@frozen(eq=False)
class Entry:
    """A step's place in a merged text.

    Attributes:
        node: the step.
        step_id: its id there.
        indent: the white space in front of its line.
        side: the only side that has it there, where the sides do not agree on that; else None.
        topic: what they do not agree on then.
        their_id: its id in theirs, where they do not agree on it.
    """

    node: Node
    step_id: str
    indent: str
    side: int | None = None
    topic: object = None
    their_id: str = ""


def emit(versions: Versions, lines: Lines) -> Iterator[Entry]:
    """All steps of a merged text in the order of their lines."""
    return _Emitter(versions, lines).run()


@define(eq=False)
class _Emitter:
    versions: Versions
    lines: Lines
    # All nodes in document order; how far the subtree of each goes in it; which stay where ours has them.
    order: list[Node] = field(factory=list)
    start: dict[int, int] = field(factory=dict)
    end: dict[int, int] = field(factory=dict)
    staying: set[int] = field(factory=set)
    entries: dict[int, Entry] = field(factory=dict)
    # Where a line of ours stands, by its node; and the nodes by where their lines stand.
    at: dict[int, int] = field(factory=dict)
    # What theirs has elsewhere, by the node that it stands below: behind which node, and the steps.
    elsewhere: dict[int, list[tuple[Node | None, list[Entry]]]] = field(factory=dict)
    # The numbers that are free below a step.
    free: dict[int, Suffixes] = field(factory=dict)

    def run(self) -> Iterator[Entry]:
        """All entries."""
        self._walk()
        by_id = {self.versions.step(node, OURS).step_id: node for node in self.versions.nodes[OURS][1:]}
        there = [by_id[step_id] for step_id in self.lines.order]
        self.at = {id(node): index for index, node in enumerate(there)}
        for node in self.order[1:]:
            if PLACE in node.disputed:
                self._dispute(node)
        put = self._find_places(there)
        yield from put.get(-1, ())
        for index, node in enumerate(there):
            if id(node) in self.staying:
                yield self.entries[id(node)]
            yield from put.get(index, ())

    # ---------------------------------------------------------------- from top to bottom

    def _walk(self) -> None:
        """Find out which steps stay, and how each is indented."""
        root = self.versions.root
        self.staying.add(id(root))
        self.entries[id(root)] = Entry(root, "", "")
        todo = [root]
        while todo:
            node = todo.pop()
            self.start[id(node)] = len(self.order)
            self.order.append(node)
            self._look_below(node)
            todo += reversed(node.children)
        for node in reversed(self.order):
            last = node.children[-1] if node.children else None
            self.end[id(node)] = self.end[id(last)] if last else self.start[id(node)] + 1

    def _look_below(self, parent: Node) -> None:
        if not parent.children:
            return
        here = [node for node in parent.children if node.is_in(OURS) and self.versions.parent(node, OURS) is parent]
        kept = longest_rising([node.places[OURS] for node in here])
        staying = [here[index] for index in sorted(kept)] if id(parent) in self.staying else []
        self.staying.update(map(id, staying))
        beside = indent_of(self.lines.piece(staying[0], OURS).lines) if staying else None
        for node in parent.children:
            side, topic = None, None
            if node.removal is not None:
                side, topic = OURS if node.is_in(OURS) else THEIRS, node.removal
            indent = self._indent(node, parent, beside)
            self.entries[id(node)] = Entry(node, node.step_id, indent, side, topic)

    def _indent(self, node: Node, parent: Node, beside: str | None) -> str:
        side = OURS if node.is_in(OURS) else THEIRS
        own = indent_of(self.lines.piece(node, side).lines)
        if id(node) in self.staying:
            return own
        if beside is not None:
            return beside
        return self.entries[id(parent)].indent + self._step_in(node, parent, side, own)

    def _step_in(self, node: Node, parent: Node, side: int, own: str) -> str:
        """How much further a step is indented than the one above it."""
        above = self.versions.parent(node, side)
        was = indent_of(self.lines.piece(above, side).lines) if above.places[side] != ROOT else ""
        if above is parent and own.startswith(was):
            return own[len(was) :]
        return "" if parent is self.versions.root else self.lines.style.child

    # ---------------------------------------------------------------- steps that both have moved

    def _dispute(self, node: Node) -> None:
        """Let both sides have a step, and all below it, where they have put it."""
        parent = self.versions.parent(node, THEIRS)
        is_inside = self.start[id(node)] <= self.start.get(id(parent), -1) < self.end[id(node)]
        if parent.is_gone or is_inside:
            entry = self.entries[id(node)]
            if entry.side is None:
                self.entries[id(node)] = evolve(entry, their_id=self.versions.step(node, THEIRS).step_id)
            return
        subtree = self.order[self.start[id(node)] : self.end[id(node)]]
        for below in subtree:
            entry = self.entries[id(below)]
            if entry.side is None:
                self.entries[id(below)] = evolve(entry, side=OURS, topic=node)
        self._put_elsewhere(node, parent, subtree)

    def _put_elsewhere(self, node: Node, parent: Node, subtree: Sequence[Node]) -> None:
        suffix = self._suffix_elsewhere(node, parent)
        step_id = f"{parent.step_id}.{suffix}" if parent.step_id else suffix
        here, topic = self.entries[id(node)], object()
        indent = self.entries[id(parent)].indent + ("" if parent is self.versions.root else self.lines.style.child)
        found = []
        for below in subtree:
            was = self.entries[id(below)]
            found.append(
                Entry(
                    below,
                    step_id + below.step_id[len(node.step_id) :],
                    indent + was.indent.removeprefix(here.indent),
                    THEIRS,
                    topic,
                )
            )
        tree = self.versions.trees[THEIRS]
        rank = tree.ranks[node.places[THEIRS]]
        siblings = tree.children[parent.places[THEIRS]]
        before = self.versions.nodes[THEIRS][siblings[rank - 1]] if rank else None
        if before is not None and (before.parent is not parent or before is node):
            before = None
        self.elsewhere.setdefault(id(parent), []).append((before, found))

    def _suffix_elsewhere(self, node: Node, parent: Node) -> str:
        """What the id of a step adds where theirs has it, if nothing else has that id; else a free number."""
        skip = len(parent.step_id) + 1 if parent.step_id else 0
        if id(parent) not in self.free:
            self.free[id(parent)] = Suffixes(other.step_id[skip:] for other in parent.children)
        return self.free[id(parent)].take(suffix_of(self.versions, node, THEIRS))

    # ---------------------------------------------------------------- what comes in between

    def _find_places(self, there: Sequence[Node]) -> dict[int, list[Entry]]:
        """What comes behind each line of ours, or (at -1) in front of all, that is not in its place there."""
        put: dict[int, list[Entry]] = {}
        # From the last to the first: what comes below a step has to stand in front of what comes behind it.
        for parent in reversed(self.order):
            if id(parent) not in self.staying:
                continue
            behind: dict[Node | None, list[Entry]] = {}
            for before, entries in self.elsewhere.get(id(parent), ()):
                behind.setdefault(before, []).extend(entries)
            where = self._place_in_front(parent)
            put.setdefault(where, []).extend(behind.get(None, ()))
            for node in parent.children:
                if id(node) in self.staying:
                    where = self._place_behind(node, there)
                else:
                    put.setdefault(where, []).extend(self._subtree(node))
                put.setdefault(where, []).extend(behind.get(node, ()))
        return put

    def _subtree(self, node: Node) -> Iterator[Entry]:
        return (self.entries[id(below)] for below in self.order[self.start[id(node)] : self.end[id(node)]])

    def _place_in_front(self, parent: Node) -> int:
        """Where what comes in front of all below a step has to be put."""
        own = self.at.get(id(parent), -1)
        first = next((node for node in parent.children if id(node) in self.staying), None)
        return own if first is None else min(own, self.at[id(first)] - 1)

    def _place_behind(self, node: Node, there: Sequence[Node]) -> int:
        """The last line of those that follow a step's line and are of steps below it."""
        index = self.at[id(node)]
        tree = self.versions.trees[OURS]
        first = node.places[OURS]
        while index + 1 < len(there) and tree.ends[first] > there[index + 1].places[OURS] > first:
            index += 1
        return index
