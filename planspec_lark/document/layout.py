"""How an author lays a step out in lines, and these lines once the step is to say something else.

A summary line that says something else is written as the printer writes it; of a body, only those lines change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import takewhile
from operator import attrgetter
from re import Match

from attrs import frozen

from planspec_lark.document.pieces import Piece
from planspec_lark.planspec.builder import BODY, SUMMARY, build_step, read_body
from planspec_lark.planspec.escapes import write_detail
from planspec_lark.planspec.models import BLANKS, STEP_FIELDS, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import WHITE

__all__ = ["LayoutStyle", "edit_lines", "end_of", "find_style", "indent_of", "split_rows"]

_UNIT = "  "
# Types that look like marks, and so may need one.
_LOOKALIKES = ("[x]", "[X]")
_SUMMARY_FIELDS = {name: info for name, info in STEP_FIELDS.items() if not info.is_in_body}
_said = attrgetter(*_SUMMARY_FIELDS)
# The first line below a summary line that is not blank.
_BELOW = re.compile(rf"\n([{BLANKS}]*)[^{WHITE}]")


def split_rows(lines: str) -> list[str]:
    """The lines of a text whose last line is ended, each with its end."""
    return [f"{row}\n" for row in lines.split("\n")[:-1]]


def end_of(lines: str) -> str:
    """What ends the last line; empty where nothing does."""
    return "\r\n" if lines.endswith("\r\n") else "\n" if lines.endswith("\n") else ""


def indent_of(row: str) -> str:
    """The white space at the start of a line."""
    return row[: len(row) - len(row.lstrip(BLANKS))]


# ---------------------------------------------------------------- style


@frozen
class LayoutStyle:
    """``marks_pending``: pending steps bear a mark. ``child`` and ``body``: by what white space steps and bodies are
    indented more than the step that they belong to."""

    marks_pending: bool = False
    child: str = _UNIT
    body: str = _UNIT


def find_style(plan: PlanSpec, pieces: list[Piece]) -> LayoutStyle:
    """The style of a document. The first place that shows how it indents counts, or the canonical form where none does.

    Pending steps get a mark where at least half of them have one.
    """
    rows = {piece.step_id: piece.lines for piece in pieces if piece.step_id is not None}
    marked = sum(_marks_pending(lines.partition("\n")[0]) for lines in rows.values() if "[ ]" in lines)
    pending = sum(
        step.status is PlanStatus.PENDING and f"[{step.step_type}]" not in _LOOKALIKES for step in iter_steps(plan)
    )
    families = (
        (rows[step.step_id], indent_of(rows[step.children[0].step_id])) for step in iter_steps(plan) if step.children
    )
    bodies = ((lines, found[1]) for lines in rows.values() if (found := _BELOW.search(lines)))
    return LayoutStyle(0 < pending <= 2 * marked, _find_indent(families), _find_indent(bodies))


def _marks_pending(row: str) -> bool:
    """Whether a step bears the pending mark without need."""
    match = _match(row, "_summary", SUMMARY)
    return match is not None and match["MARK"] == "[ ]" and f"[{match['TYPE']}]" not in _LOOKALIKES


def _find_indent(pairs: Iterable[tuple[str, str]]) -> str:
    """By what the lower line is indented more, in the first of these pairs in which it begins as the upper one."""
    indents = ((indent_of(above), below) for above, below in pairs)
    return next((below[len(above) :] for above, below in indents if below.startswith(above)), _UNIT)


# ---------------------------------------------------------------- lines of a step


def edit_lines(lines: str, step: PlanStep, style: LayoutStyle, *, indent: str, newline: str) -> str:
    """Lines that say what a step says, the last one ended.

    Args:
        lines: the lines that the step has, the last one ended; the empty text for a new step.
        step: what to say.
        style: what new lines look like.
        indent: the step's indentation, for new lines.
        newline: how new lines end.
    """
    row, *below = split_rows(lines) or [indent + newline]
    edited = [_edit_summary(row, step, style), *_edit_body(below, step, indent + style.body, newline)]
    text = "".join(edited)
    return text.removesuffix(end_of(text)) + (end_of(lines) or newline)


# ---------------------------------------------------------------- summary lines


@cache
def _pattern(rule: str, groups: tuple[str, ...]) -> Callable[[str, int], Match[str] | None]:
    return grammars.regular("planspec").pattern(rule, groups=groups).match


def _match(row: str, rule: str, groups: tuple[str, ...]) -> Match[str] | None:
    content = row.removesuffix("\n").removesuffix("\r")
    match = _pattern(rule, groups)(f"{content}\n", len(indent_of(row)))
    return match if match and match.end() > len(content) else None


def _edit_summary(row: str, step: PlanStep, style: LayoutStyle) -> str:
    """A line that says what a step says: the same one, but for the id, where it does already, or else as printed."""
    match = _match(row, "_summary", SUMMARY)
    if match and _said(build_step(*match.group(*SUMMARY)))[1:] == _said(step)[1:]:
        return indent_of(row) + step.step_id + row[match.end("STEP_ID") :]
    head = f"{step.step_id}. "
    mark = "[ ] " if style.marks_pending and step.status is PlanStatus.PENDING else ""
    return indent_of(row) + head + mark + canonical_summary(step).removeprefix(head).removeprefix(mark) + end_of(row)


# ---------------------------------------------------------------- bodies


def _edit_body(rows: list[str], step: PlanStep, indent: str, newline: str) -> list[str]:
    """Lines that have the inputs and the detail of a step, made of those below its summary line."""
    # Other lines among those of a body are passed over. The first of all is 1.
    matches = {at: match for at, row in enumerate(rows, start=1) if (match := _match(row, "_body", BODY))}
    inputs, detail = read_body("".join(match[0] for match in matches.values()))
    lead = next((indent_of(rows[at - 1]) for at in matches), indent) + ">"
    # What comes before all lines, and then in place of each.
    edited = ["", *rows]
    if inputs != step.inputs:
        names = ", ".join(step.inputs)
        naming = {at: match.span("INPUTS") for at, match in matches.items() if match["INPUTS"]}
        if names and not naming:
            edited[0] = f"{lead} ← {names}{newline}"
        for at, (start, end) in naming.items():
            edited[at] = edited[at][:start] + names + edited[at][end:] if names else ""
            # The first line of inputs names all, and the others go.
            names = ""
    if detail != step.detail:
        places = [at for at, match in matches.items() if not match["INPUTS"]]
        _edit_detail(edited, places, detail, step.detail, lead, newline)
    return edited


def _edit_detail(  # noqa: PLR0913, PLR0917  (what there is, and what is to be)
    edited: list[str], places: list[int], was: list[str], detail: list[str], lead: str, newline: str
) -> None:
    """Let the lines in these places say this detail; those at both ends that say the same stay."""
    same = _count_same(was, detail)
    behind = _count_same(was[same:][::-1], detail[same:][::-1])
    new = (f"{lead} {write_detail(text)}" if text else lead for text in detail[same : len(detail) - behind])
    anchor = places[same - 1] if same else places[0] - 1 if places else len(edited) - 1
    for at in places[same : len(was) - behind]:
        anchor, line = at, next(new, None)
        edited[at] = "" if line is None else line + end_of(edited[at])
    edited[anchor] += "".join(line + newline for line in new)


def _count_same(some: list[str], others: list[str]) -> int:
    """How many items at the start of both are the same."""
    return len([*takewhile(lambda both: both[0] == both[1], zip(some, others, strict=False))])
