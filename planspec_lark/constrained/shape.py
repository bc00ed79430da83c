"""What the exporter does to a grammar: leave out names and alternatives, go to a depth, spell out the ids.

A name that ends in a number is that of a level, such as ``step_2``. The last level that a file has may differ from the
ones before (no steps stand below it), so a deeper one is made from the last but one by raising the numbers in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import product

from planspec_lark.constrained.notation import Choice, Definitions, Name, Node, Repeat, Text, names_in, reach

__all__ = ["leave_out", "leave_out_literals", "spell_ids", "to_depth"]

_LEVEL = re.compile(r"(.*_)([1-9][0-9]*)")


def leave_out(definitions: Definitions, names: Collection[str]) -> Definitions:
    """The grammar without these names: options of them are gone, and all alternatives that need one.

    What has no alternative left is left out in turn.
    """
    gone, kept = set(names), dict(definitions)
    while True:
        reduced = {name: _reduce(choice, gone) for name, choice in kept.items() if name not in gone}
        empty = {name for name, choice in reduced.items() if choice is None}
        kept = {name: choice for name, choice in reduced.items() if choice is not None}
        if not empty:
            return kept
        gone |= empty


def _reduce(choice: Choice, gone: Collection[str]) -> Choice | None:
    sequences = [reduced for sequence in choice.sequences if (reduced := _reduce_all(sequence, gone))]
    return Choice(tuple(sequences)) if sequences else None


def _reduce_all(sequence: tuple[Node, ...], gone: Collection[str]) -> tuple[Node, ...] | None:
    parts: list[Node] = []
    for part in sequence:
        reduced = _reduce_part(part, gone)
        if reduced is not None:
            parts.append(reduced)
        elif not (isinstance(part, Repeat) and part.operator != "+"):
            return None
    return tuple(parts)


def _reduce_part(part: Node, gone: Collection[str]) -> Node | None:
    if isinstance(part, Name):
        return None if part.name in gone else part
    if isinstance(part, Repeat):
        inner = _reduce_part(part.part, gone)
        return None if inner is None else Repeat(inner, part.operator)
    return _reduce(part, gone) if isinstance(part, Choice) else part


def leave_out_literals(definitions: Definitions, words: Collection[str]) -> Definitions:
    """The grammar without the alternatives that are nothing but one of these words as a literal, spaces apart."""

    def is_kept(sequence: tuple[Node, ...]) -> bool:
        return not (len(sequence) == 1 and isinstance(sequence[0], Text) and sequence[0].source.strip('" ') in words)

    kept = {name: tuple(filter(is_kept, choice.sequences)) for name, choice in definitions.items()}
    empty = {name for name, sequences in kept.items() if not sequences}
    return leave_out({name: Choice(sequences) for name, sequences in kept.items()}, empty)


def to_depth(definitions: Definitions, family: str, depth: int) -> Definitions:
    """The grammar with as many levels of ``family`` (``step_`` for ``step_1``, ``step_2`` …) as asked for."""
    levels = {name: _last_level(definitions, name) for name in definitions}
    found: dict[str, Choice] = {}
    waiting = ["start"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _define(definitions, levels, name)
            waiting += names_in(_cut(found[name], f"{family}{depth + 1}"))
    ordered = sorted(found, key=lambda name: _place(definitions, name))
    return reach(leave_out({name: found[name] for name in ordered}, {f"{family}{depth + 1}"}), ["start"])


def _cut(choice: Choice, name: str) -> Choice:
    return _reduce(choice, {name}) or choice


def _last_level(definitions: Definitions, name: str) -> int:
    match = _LEVEL.fullmatch(name)
    last = 0
    while match and f"{match[1]}{last + 1}" in definitions:
        last += 1
    return last


def _define(definitions: Definitions, levels: dict[str, int], name: str) -> Choice:
    match = _LEVEL.fullmatch(name)
    last = levels.get(f"{match[1]}1", 0) if match else 0
    if match is None or last < 2 or int(match[2]) < last:
        return definitions[name]
    return _raise_levels(definitions[f"{match[1]}{last - 1}"], int(match[2]) - last + 1)


def _raise_levels(choice: Choice, by: int) -> Choice:
    def rename(name: str) -> Node:
        match = _LEVEL.fullmatch(name)
        return Name(f"{match[1]}{int(match[2]) + by}" if match else name)

    return _rename(choice, rename)


def _rename(choice: Choice, rename: Callable[[str], Node]) -> Choice:
    def change(part: Node) -> Node:
        if isinstance(part, Name):
            return rename(part.name)
        if isinstance(part, Repeat):
            return Repeat(change(part.part), part.operator)
        return _rename(part, rename) if isinstance(part, Choice) else part

    return Choice(tuple(tuple(map(change, sequence)) for sequence in choice.sequences))


def _place(definitions: Definitions, name: str) -> tuple[int, int]:
    """Where a definition stands: the levels of one name behind each other."""
    match = _LEVEL.fullmatch(name)
    first = f"{match[1]}1" if match else name
    return list(definitions).index(first if first in definitions else name), int(match[2]) if match else 0


def spell_ids(definitions: Definitions, siblings: int, depth: int) -> Definitions:
    """The grammar with a rule for each id instead of each level: numbers from 1 to ``siblings``, none left out.

    ``step_2`` becomes ``step_1_1``, ``step_1_2`` and so on, each with its id as a literal in the place of ``ID_2``;
    ``_steps_1_2`` is step 1.2 and those that may follow it below 1.
    """
    spelled: dict[str, Choice] = {}
    for level in range(1, depth + 1):
        for path in product(range(1, siblings + 1), repeat=level):
            _spell(definitions, spelled, path, siblings)
    others = {name: choice for name, choice in definitions.items() if not re.fullmatch(r"step_\d+", name)}
    return reach({**{name: _call_lists(choice, ()) for name, choice in others.items()}, **spelled}, ["start"])


def _spell(definitions: Definitions, spelled: dict[str, Choice], path: tuple[int, ...], siblings: int) -> None:
    step_id = ".".join(map(str, path))
    place = {f"ID_{len(path)}": Text(f'"{step_id}. "')}
    template = _rename(definitions[f"step_{len(path)}"], lambda name: place.get(name, Name(name)))
    next_one = (*path[:-1], path[-1] + 1)
    rest: tuple[Node, ...] = (Repeat(Name(_name("_steps", next_one)), "?"),) if path[-1] < siblings else ()
    spelled[_name("_steps", path)] = Choice(((Name(_name("step", path)), *rest),))
    spelled[_name("step", path)] = _call_lists(template, path)


def _name(stem: str, path: tuple[int, ...]) -> str:
    return "_".join([stem, *map(str, path)])


def _call_lists(choice: Choice, path: tuple[int, ...]) -> Choice:
    """The steps from the first one below ``path`` on, in the place of ``step_3+``."""

    def change(part: Node) -> Node:
        if isinstance(part, Repeat) and isinstance(part.part, Name) and re.fullmatch(r"step_\d+", part.part.name):
            return Name(_name("_steps", (*path, 1)))
        return part

    return Choice(tuple(tuple(map(change, sequence)) for sequence in choice.sequences))
