"""Fixing a text, whatever its language: the fixes of its faults, applied and looked at again until none is left."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator

from attrs import evolve, frozen

from planspec_lark.syntax.diagnostics import Diagnostic, Edit, Severity, apply_edits
from planspec_lark.syntax.source import BLANKS, Source

__all__ = ["FixResult", "apply_fixes", "edits_of"]

# How often a text is looked at again. Each round applies all fixes that do not touch each other, so few are enough.
_ROUNDS = 30


@frozen
class FixResult:
    """A text after its fixes.

    Attributes:
        text: the text.
        fixed: what was fixed, in the order in which that was done; each has its place in the text as it was then.
        lines: for each of these, its line in the text as it was at first.
        left: what is found in ``text``, as its check finds it.
        refused: why nothing was fixed of a text that is something else for the most part; the empty text
            where that is not so.
    """

    text: str
    fixed: list[Diagnostic]
    lines: list[int]
    left: list[Diagnostic]
    refused: str = ""


def apply_fixes(
    text: str, check: Callable[[str], list[Diagnostic]], found: list[Diagnostic], *, unsafe: bool = False
) -> tuple[str, list[Diagnostic], list[int]]:
    """Fix what a check finds in a text.

    Fixes after which there are more errors than before are taken back.

    Args:
        text: any text.
        check: finds what is wrong with a text, all of it and with fixes.
        found: what it has found in this one.
        unsafe: apply fixes that drop text or guess as well, once no safe one is left.

    Returns:
        The text after that; what was fixed, in the order in which that was done; and in which line of the first text.
    """
    fixed: list[Diagnostic] = []
    lines: list[int] = []
    # For each line of the text as it is, that of the first text which it comes from.
    origins = [*range(1, text.count("\n") + 2)]
    # Fixes that were of no use, by what they are about.
    refused: set[tuple[str, str]] = set()
    most = 0
    for _ in range(_ROUNDS):
        usable = [one for one in found if one.fix and _key(one) not in refused]
        chosen = _choose([one for one in usable if one.fix and one.fix.is_safe])
        if not chosen and unsafe:
            chosen = _choose(usable)
        if not chosen:
            break
        chosen = chosen[: most or None]
        edits = [*edits_of(Source(text), chosen)]
        after = apply_edits(text, edits)
        left = check(after)
        if after != text and _errors(left) <= _errors(found):
            lines += (origins[(one.line or 1) - 1] for one in chosen)
            origins = _follow(origins, text, edits)
            text, found, most = after, left, 0
            fixed += chosen
        elif len(chosen) > 1:
            most = len(chosen) // 2
        else:
            refused.add(_key(chosen[0]))
            most = 0
    return text, fixed, lines


def _follow(origins: list[int], text: str, edits: Iterable[Edit]) -> list[int]:
    """The origins of the lines after some edits: what an edit writes comes from the line that it begins in."""
    followed = [origins[0]]
    at = line = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        kept = text.count("\n", at, max(at, edit.span.start))
        followed += origins[line + 1 : line + 1 + kept]
        line += kept
        followed += [origins[line]] * edit.text.count("\n")
        line += text.count("\n", max(at, edit.span.start), max(at, edit.span.end))
        at = max(at, edit.span.end)
    return followed + origins[line + 1 :]


def _key(found: Diagnostic) -> tuple[str, str]:
    return found.code, found.source_line


def _errors(found: Iterable[Diagnostic]) -> int:
    return sum(one.severity is Severity.ERROR for one in found)


def _choose(usable: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics whose fixes can be applied together, those of one edit first; in the order of the text."""
    taken: list[tuple[int, int]] = []
    # Where lines are moved to: as many as there are, in their order.
    shared: set[tuple[int, int]] = set()
    chosen: list[int] = []
    for at, one in sorted(enumerate(usable), key=lambda pair: bool(pair[1].fix and pair[1].fix.more)):
        assert one.fix is not None
        spans = [(edit.span.start, edit.span.end) for edit in one.fix.edits]
        if any(span not in shared and _touches(taken, *span) for span in spans):
            continue
        for span, edit in zip(spans, one.fix.edits, strict=True):
            insort(taken, span)
            if one.fix.more and span[0] == span[1] and edit.text.endswith("\n"):
                shared.add(span)
        chosen.append(at)
    return [usable[at] for at in sorted(chosen)]


def _touches(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a part of a text overlaps with one of others, which do not overlap; or is put into the same place."""
    at = bisect_left(taken, (start, end))
    if at < len(taken) and (taken[at] == (start, end) or taken[at][0] < end):
        return True
    return at > 0 and taken[at - 1][1] > start


def edits_of(source: Source, chosen: Iterable[Diagnostic]) -> Iterator[Edit]:
    """All edits of the fixes of these diagnostics, as they are applied to a text."""
    for one in chosen:
        for edit in one.fix.edits if one.fix else ():
            yield evolve(edit, span=source.span(*_bounds(source.text, edit)))


def _bounds(text: str, edit: Edit) -> tuple[int, int]:
    """From where to where an edit goes: what takes all of a line out takes its line break as well."""
    start, end = edit.span.start, edit.span.end
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_start += text.startswith("\ufeff", line_start) and not line_start
    line_end = len(text) if line_end < 0 else line_end + 1
    if edit.text or start == end or text[line_start:start].strip(BLANKS) or text[end:line_end].strip(f"{BLANKS}\r\n"):
        return start, end
    return line_start, (end if text[start:end].endswith("\n") else line_end)
