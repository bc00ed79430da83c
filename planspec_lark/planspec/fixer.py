"""Fixing a text: the fixes of its faults, applied and looked at again until none is left."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator

from attrs import evolve, frozen

from planspec_lark.planspec.check import check_text
from planspec_lark.planspec.models import BLANKS
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, Severity, apply_edits
from planspec_lark.syntax.limits import NO_LIMITS, Limits
from planspec_lark.syntax.source import Source

__all__ = ["Fixed", "fix_text"]

# How often a text is looked at again. Each round applies all fixes that do not touch each other, so few are enough.
_ROUNDS = 30
# What says of a line that it is no part of the plan, or of another one.
_FOREIGN = ("PS101", "PS105", "PS107")


@frozen
class Fixed:
    """A text after its fixes.

    Attributes:
        text: the text.
        fixed: what was fixed, in the order in which that was done; each has its place in the text as it was then.
        left: what is found in ``text``, as :func:`~planspec_lark.check_text` finds it.
        refused: why nothing was fixed of a text that is no plan for the most part; the empty text where that is not so.
    """

    text: str
    fixed: list[Diagnostic]
    left: list[Diagnostic]
    refused: str = ""


def fix_text(
    text: str,
    *,
    unsafe: bool = False,
    name: str = "<text>",
    limits: Limits = NO_LIMITS,
    also: Collection[str] = (),
) -> Fixed:
    """Fix what is found in a text. No text makes it raise.

    Fixes after which there are more errors than before are taken back. A text stays as it is if it has lines that are
    no part of a plan, and these are more than half of it, or no step can be read in it: it is something else, or an
    answer out of which a plan can be taken (:func:`~planspec_lark.extract_plan`).

    Args:
        text: a PlanSpec document.
        unsafe: apply fixes that drop text or guess as well, once no safe one is left.
        name: what diagnostics call it.
        limits: how much to read, and how many findings to give back; all are fixed.
        also: what else to look for, as in :func:`planspec_lark.lint_plan`.

    Raises:
        ValueError: as :func:`planspec_lark.lint_plan` does.
    """
    all_of = evolve(limits, max_findings=None)

    def check(text: str) -> list[Diagnostic]:
        return check_text(text, name=name, limits=all_of, also=also)

    found, fixed = check(text), list[Diagnostic]()
    if reason := _refuse(text, found, all_of):
        return Fixed(text, [], check_text(text, name=name, limits=limits, also=also), reason)
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
        after = apply_edits(text, _edits_of(text, chosen))
        left = check(after)
        if after != text and _errors(left) <= _errors(found):
            text, found, most = after, left, 0
            fixed += chosen
        elif len(chosen) > 1:
            most = len(chosen) // 2
        else:
            refused.add(_key(chosen[0]))
            most = 0
    return Fixed(text, fixed, check_text(text, name=name, limits=limits, also=also))


def _refuse(text: str, found: Iterable[Diagnostic], limits: Limits) -> str:
    """Why a text is no plan for the most part; the empty text where it is one."""
    errors = [one for one in found if one.severity is Severity.ERROR and _is_lost(one)]
    foreign = {one.line for one in errors if one.code in _FOREIGN}
    fences = {one.line for one in errors if one.code == "PS103"}
    # Around a plan there are two at most.
    if len(fences) > 2:
        foreign |= fences
    if not foreign:
        return ""
    count = sum(bool(row.strip()) for row in text.split("\n"))
    if 2 * len(foreign) > count:
        return f"{len(foreign)} of its {count} lines are no part of a plan"
    return "" if scan_strictly(text, limits=limits).plan.steps else "no step of a plan can be read in it"


def _is_lost(found: Diagnostic) -> bool:
    """Whether no fix keeps the text of a line."""
    return found.fix is None or not any(edit.text for edit in found.fix.edits)


def _key(found: Diagnostic) -> tuple[str, str]:
    return found.code, found.source_line


def _errors(found: Iterable[Diagnostic]) -> int:
    return sum(one.severity is Severity.ERROR for one in found)


def _choose(usable: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics whose fixes can be applied together, those of one edit first; in the order of the text."""
    taken: list[tuple[int, int]] = []
    chosen: list[int] = []
    for at, one in sorted(enumerate(usable), key=lambda pair: bool(pair[1].fix and pair[1].fix.more)):
        assert one.fix is not None
        spans = [(edit.span.start, edit.span.end) for edit in one.fix.edits]
        if any(_touches(taken, *span) for span in spans):
            continue
        for span in spans:
            insort(taken, span)
        chosen.append(at)
    return [usable[at] for at in sorted(chosen)]


def _touches(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a stretch overlaps with one of others, which do not overlap; or is put into the same place."""
    at = bisect_left(taken, (start, end))
    if at < len(taken) and (taken[at] == (start, end) or taken[at][0] < end):
        return True
    return at > 0 and taken[at - 1][1] > start


def _edits_of(text: str, chosen: Iterable[Diagnostic]) -> Iterator[Edit]:
    """All edits of these fixes."""
    source = Source(text)
    for one in chosen:
        for edit in one.fix.edits if one.fix else ():
            yield evolve(edit, span=source.span(*_bounds(text, edit)))


def _bounds(text: str, edit: Edit) -> tuple[int, int]:
    """From where to where an edit goes: what takes all of a line out takes its line break as well."""
    start, end = edit.span.start, edit.span.end
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_start += text.startswith("\ufeff", line_start) and not line_start
    line_end = len(text) if line_end < 0 else line_end + 1
    if edit.text or start == end or text[line_start:start].strip(BLANKS) or text[end:line_end].strip(f"{BLANKS}\r\n"):
        return start, end
    return line_start, (end if text[start:end].endswith("\n") else line_end)
