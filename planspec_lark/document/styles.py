"""What a document does its own way, so that new lines can do it too."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from planspec_lark.document.pieces import Piece
from planspec_lark.document.summaries import indent_of, read_summary
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps

__all__ = ["Style", "find_style"]

_UNIT = "  "
_PENDING = "[ ]"
# Types that look like marks, and so may need one.
_LOOKALIKES = ("x", "X")


@frozen
class Style:
    """``marks_pending``: pending steps bear a mark. ``child`` and ``body``: by what white space steps and bodies are
    indented more than the step that they belong to."""

    marks_pending: bool = False
    child: str = _UNIT
    body: str = _UNIT


def find_style(plan: PlanSpec, pieces: list[Piece]) -> Style:
    """The style of a document. The first place that shows how it indents counts, or the canonical form where none does.

    Pending steps get a mark where at least half of them have one.
    """
    rows = {piece.step_id: piece.lines for piece in pieces if piece.step_id is not None}
    marked = sum(map(_marks_pending, (piece for piece in pieces if _PENDING in piece.lines)))
    pending = sum(step.status is PlanStatus.PENDING and step.step_type not in _LOOKALIKES for step in iter_steps(plan))
    return Style(
        0 < pending <= 2 * marked,
        next(_find_child(plan, rows.__getitem__), _UNIT),
        next(_find_body(rows), _UNIT),
    )


def _marks_pending(piece: Piece) -> bool:
    """Whether a step bears the pending mark without need."""
    row = piece.lines.partition("\n")[0].removesuffix("\r")
    step = read_summary(row) if piece.step_id is not None else None
    if step is None or step.status is not PlanStatus.PENDING or step.step_type in _LOOKALIKES:
        return False
    return row.lstrip(BLANKS).removeprefix(f"{step.step_id}.").lstrip(BLANKS).startswith(_PENDING)


def _find_child(plan: PlanSpec, lines_of: Callable[[str], str]) -> Iterator[str]:
    for step in iter_steps(plan):
        if step.children:
            above, below = indent_of(lines_of(step.step_id)), indent_of(lines_of(step.children[0].step_id))
            if below.startswith(above):
                yield below[len(above) :]


def _find_body(rows: dict[str, str]) -> Iterator[str]:
    for lines in rows.values():
        above, below = indent_of(lines), _body_indent(lines)
        if below is not None and below.startswith(above):
            yield below[len(above) :]


def _body_indent(lines: str) -> str | None:
    """The indentation of the first line below a summary line that is not blank, or None."""
    return next((indent_of(row) for row in lines.split("\n")[1:] if row.strip(f"{BLANKS}\r")), None)
