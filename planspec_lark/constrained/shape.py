"""What the exporter does to a grammar: leave out names and alternatives, go to a depth, spell out the ids.

A name that ends in a number is that of a level, such as ``step_2``. The last level that a file has may differ from the
ones before (no steps are below it), so a deeper one is made from the last but one by raising the numbers in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import product

from lark import Token, Tree

from planspec_lark.constrained.notation import Definitions, Part, reach

__all__ = ["leave_out", "spell_ids", "to_depth"]

_LEVEL = re.compile(r"(.*_)([1-9][0-9]*)")


def leave_out(definitions: Definitions, names: Collection[str]) -> Definitions:
    """The grammar without these names, and without these literals (spaces apart).

    Options of them are gone, and all alternatives that need one. What has no alternative left is left out in turn.
    """
    gone = set(names)
    while True:
        kept = {name: _reduce(choice, gone) for name, choice in definitions.items() if name not in gone}
        definitions = {name: choice for name, choice in kept.items() if isinstance(choice, Tree)}
        if len(definitions) == len(kept):
            return definitions
        gone |= kept.keys() - definitions.keys()


def _reduce(part: Part, gone: Collection[str]) -> Part | None:
    """What is left of a part, or None."""
    if isinstance(part, Token):
        return None if part.strip('" ') in gone else part
    parts: list[Part] = []
    for child in part.children:
        reduced = _reduce(child, gone)
        if reduced is not None:
            parts.append(reduced)
        elif part.data != "choice" and not _is_option(child):
            return None
    return Tree(part.data, parts) if parts else None


def _is_option(part: Part) -> bool:
    return isinstance(part, Tree) and part.data == "repeated" and part.children[1] != "+"


def _replace(tree: Tree[Token], change: Callable[[Part], Part]) -> Tree[Token]:
    """A tree with other parts in the place of its own, those inside first."""
    return Tree(
        tree.data, [change(_replace(part, change) if isinstance(part, Tree) else part) for part in tree.children]
    )


def to_depth(definitions: Definitions, family: str, depth: int) -> Definitions:
    """The grammar with as many levels of ``family`` (``step_`` for ``step_1``, ``step_2`` …) as asked for."""
    deep: dict[str, Tree[Token]] = {}
    for name, choice in definitions.items():
        match = _LEVEL.fullmatch(name)
        if match is None or f"{match[1]}2" not in definitions:
            deep[name] = choice
        elif match[2] == "1":
            deep |= _raise_levels(definitions, match[1], depth)
    return reach(leave_out(deep, {f"{family}{depth + 1}"}), ["start"])


def _raise_levels(definitions: Definitions, stem: str, depth: int) -> Definitions:
    """The levels of one name that are needed at this depth, and one more."""
    last = 1
    while f"{stem}{last + 1}" in definitions:
        last += 1
    levels = {f"{stem}{level}": definitions[f"{stem}{level}"] for level in range(1, last)}
    for level in range(last, depth + 2):
        levels[f"{stem}{level}"] = _raise(definitions[f"{stem}{last - 1}"], level - last + 1)
    return levels


def _raise(choice: Tree[Token], by: int) -> Tree[Token]:
    def change(part: Part) -> Part:
        match = _LEVEL.fullmatch(part) if isinstance(part, Token) else None
        return Token("NAME", f"{match[1]}{int(match[2]) + by}") if match else part

    return _replace(choice, change)


def spell_ids(definitions: Definitions, siblings: int, depth: int) -> Definitions:
    """The grammar with a rule for each id instead of each level: numbers from 1 to ``siblings``, none left out.

    ``step_2`` becomes ``step_1_1``, ``step_1_2`` and so on, each with its id as a literal in the place of ``ID_2``;
    ``_steps_1_2`` is step 1.2 and those that may follow it below 1.
    """
    spelled = {name: _spell(choice, ()) for name, choice in definitions.items() if not name.startswith("step_")}
    for level in range(1, depth + 1):
        for path in product(range(1, siblings + 1), repeat=level):
            parts: list[Part] = [_name("step", path)]
            if path[-1] < siblings:
                following = _name("_steps", (*path[:-1], path[-1] + 1))
                parts.append(Tree("repeated", [following, Token("OPERATOR", "?")]))
            spelled[_name("_steps", path)] = Tree("choice", [Tree("sequence", parts)])
            spelled[_name("step", path)] = _spell(definitions[f"step_{level}"], path)
    return reach(spelled, ["start"])


def _name(stem: str, path: tuple[int, ...]) -> Token:
    return Token("NAME", "_".join([stem, *map(str, path)]))


def _spell(choice: Tree[Token], path: tuple[int, ...]) -> Tree[Token]:
    """A definition with the id of its step, and in the place of ``step_3+`` the steps from the first below it on."""
    own, step_id = f"ID_{len(path)}", Token("LITERAL", f'"{".".join(map(str, path))}. "')

    def change(part: Part) -> Part:
        if isinstance(part, Token):
            return step_id if part == own else part
        is_steps = part.data == "repeated" and str(part.children[0]).startswith("step_")
        return _name("_steps", (*path, 1)) if is_steps else part

    return _replace(choice, change)
