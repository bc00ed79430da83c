"""The part of a run's history that a prompt has room for: the newest entries, and how many are left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from planspec_lark.syntax.prompt_templates import prompt_json

__all__ = ["Excerpt", "take_newest"]

# What separates two entries of a list.
_BETWEEN = len(",\n")
# Room for the object around the beginning of an entry that is cut.
_AROUND = 20


@frozen
class Excerpt:
    """Entries of a history as JSON texts, the newest at the end, and the number of those before them."""

    entries: tuple[str, ...]
    left_out: int

    @property
    def text(self) -> str:
        """The entries as one list of JSON, one in each line."""
        return "[\n" + ",\n".join(self.entries) + "\n]"

    @property
    def data(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {"history": [json.loads(entry) for entry in self.entries], "left_out": self.left_out}


def take_newest(history: Iterable[object] | Excerpt, most: int) -> Excerpt:
    """The newest entries of a history that take at most so many characters.

    A sequence is read from its end, and no further than there is room. Where not even the newest entry fits, its
    beginning takes its place.

    Args:
        history: JSON values, the oldest first; or what has been taken already, which stays as it is.
        most: characters of all entries together.

    Raises:
        ValueError: ``most`` is negative.
    """
    if isinstance(history, Excerpt):
        return history
    if most < 0:
        raise ValueError(f"max_history: {most} is less than 0")
    entries = history if isinstance(history, Sequence) else [*history]
    kept: list[str] = []
    room = most
    for entry in reversed(entries):
        text = prompt_json(entry, indent=None)
        if not kept and len(text) + _BETWEEN > most:
            kept += _cut(text, most)
            break
        room -= len(text) + _BETWEEN
        if room < 0:
            break
        kept.append(text)
    return Excerpt(tuple(reversed(kept)), len(entries) - len(kept))


def _cut(text: str, most: int) -> list[str]:
    """The beginning of an entry that is too long, in an object of its own; nothing where there is no room for that."""
    # Quotes and backslashes take two characters inside a string.
    begin = text[: max(0, most - _AROUND - _BETWEEN) // 2]
    return [prompt_json({"cut_off": begin}, indent=None)] if begin else []
