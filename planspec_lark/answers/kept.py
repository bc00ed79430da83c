"""Whether a step that was only written wrongly says the same after it has been repaired."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from planspec_lark.planspec.models import BLANKS
from planspec_lark.planspec.step_repair import looks_like_step
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.source import Source

__all__ = ["find_changed", "find_misspelt"]

# Faults in how the line of a step is written, or in its type or name. What it says is not in question.
_SPELLING = frozenset({"PS110", "PS111", "PS112", "PS113", "PS114", "PS115", "PS116", "PS202", "PS203", "PS204"})
_BRACKETED = re.compile(r"\[[^\[\]]{0,40}\]")
# A word of a script that puts white space between words, or a sign of one that does not.
_WORD = re.compile(r"[^\W\d_\u2e80-\U0003ffff]+|[\u2e80-\U0003ffff]")


def find_misspelt(faults: Iterable[tuple[Diagnostic, list[int]]], source: Source) -> dict[int, str]:
    """The lines with a step of which nothing but the spelling is in question, by their numbers."""
    codes: dict[int, set[str]] = {}
    for fault, numbers in faults:
        for number in numbers:
            codes.setdefault(number, set()).add(fault.code)
    rows = {number: source.line(number).strip(BLANKS) for number, found in codes.items() if found <= _SPELLING}
    return {number: row for number, row in rows.items() if looks_like_step(row)}


def find_changed(misspelt: Mapping[int, str], repaired: Mapping[int, Collection[str]]) -> str:
    """What an answer makes of such a line that it must not make of it; the empty text where there is nothing.

    Args:
        misspelt: the lines as they were.
        repaired: what each line becomes.
    """
    for number in sorted(misspelt.keys() & repaired.keys()):
        before, after = _words([misspelt[number]]), _words(repaired[number])
        if 2 * (before & after).total() < before.total() or not repaired[number]:
            return f"line {number} would not say any more what it says"
        # Detail may come with a step.
        if sum(not row.startswith(">") for row in repaired[number]) > 1:
            return f"line {number} is one step, and would become more"
    return ""


def _words(rows: Iterable[str]) -> Counter[str]:
    return Counter(word for row in rows for word in _WORD.findall(_BRACKETED.sub(" ", row).lower()))
