"""What a language says of a document. None of it knows the protocol: places are offsets in the text."""

from __future__ import annotations

from typing import Any

from attrs import Factory, define, frozen

from planspec_lark.syntax.limits import Limits

__all__ = ["LIMITS", "Bounds", "CompletionItem", "NamePosition", "Symbol", "Token"]

# What an editor is to show while the user types. A longer text is not read, and a finding says so.
LIMITS = Limits(max_bytes=2_000_000, max_findings=200)

# From where to where.
Bounds = tuple[int, int]
# The same of a part of a line, and what kind of part it is.
Token = tuple[int, int, str]


@frozen
class NamePosition:
    """A name in a text that has other places as well.

    Attributes:
        text: the name.
        place: where it stands.
        step: the step in whose lines it stands; None outside of steps.
        means: what it stands for: a variable for itself, and all names of a step for its identity.
        is_origin: whether that what it stands for comes from this very place.
    """

    text: str
    place: Bounds
    step: Any
    means: str | int
    is_origin: bool = False

    @property
    def is_variable(self) -> bool:
        """Whether it is that of a variable, and not of a step."""
        return self.means == self.text


@define
class Symbol:
    """A part of a document, with those inside it.

    Attributes:
        name: what a list calls it.
        detail: what a list says beside that, in fewer words.
        kind: "container", "step" or "text".
        place: all of it, with what is inside.
        name_end: where the first line of it ends, to which one goes.
        children: the parts inside it.
    """

    name: str
    detail: str
    kind: str
    place: Bounds
    name_end: int
    children: list[Symbol] = Factory(list)


@frozen
class CompletionItem:
    """Something to write in place of other text; ``detail`` says what it means, ``kind`` is "keyword" or "variable"."""

    text: str
    place: Bounds
    detail: str
    kind: str
