"""Another name for a variable or a step: the places that change, and which names cannot be given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from planspec_lark.lsp.models import Bounds, NamePosition
from planspec_lark.lsp.step_index import StepIndex
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import PlanSpecError, excerpt
from planspec_lark.syntax.tree import iter_tree

__all__ = ["RenameError", "places_to_rename"]

# What names are, and how they are written: by the terminal of this name in the grammar, and in words.
_STEP_NAME = ("step name", "WORD", "letters, digits, `_` and `-`")
_VARIABLE = ("variable", "VARIABLE", "a letter or `_`, then letters, digits and `_`")


class RenameError(PlanSpecError, ValueError):
    """A name that cannot be given; the text says why."""


def places_to_rename(index: StepIndex[Any], word: NamePosition, name: str) -> Sequence[Bounds]:
    """All places in which a variable or the name of a step is to be changed.

    Raises:
        RenameError: the name cannot be given.
    """
    kind, terminal, written = _VARIABLE if word.is_variable else _STEP_NAME
    if not grammars.pattern(index.language, terminal).fullmatch(name) or name in index.reserved:
        raise RenameError(f"`{excerpt(name)}` cannot be a {kind}: write {written}")
    if name == word.text:
        return []
    if not word.is_variable:
        taken = next((step for step, _ in iter_tree(index.steps) if step.step_name == name), None)
        if taken is not None:
            raise RenameError(f"step {taken.step_id} has the name `{name}` already")
    elif name in index.variables:
        raise RenameError(f"there is a variable `{name}` already, and the two would be one")
    places = [one.place for one in index.occurrences(word)]
    if (word.is_variable or len(places) > 1) and (line := _hidden_in(index, word.text)):
        raise RenameError(f"`{word.text}` may occur in line {line} as well, which has faults: repair that first")
    return places


def _hidden_in(index: StepIndex[Any], name: str) -> int | None:
    """The first line with faults in which a name may stand that cannot be told from other text."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")
    source, lines = index.source, set[int]()
    for found in index.faults:
        if found.span:
            # After the last fault that is listed, any line may have more of them.
            end = source.position(source.length)[0] if found.code == "PS120" else found.span.end_line
            lines.update(range(found.span.line, end + 1))
    return next((line for line in sorted(lines) if pattern.search(source.line(line))), None)
