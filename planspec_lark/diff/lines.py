"""The lines of a step in a merged text: those of a side that says the same, or else new ones."""

from __future__ import annotations

from attrs import define, field

from planspec_lark.diff.chunks import with_newlines
from planspec_lark.diff.models import Value, step_of
from planspec_lark.diff.nodes import OURS, THEIRS, Node, Versions
from planspec_lark.document.bodies import Row, cut_rows, edit_body, join_rows
from planspec_lark.document.pieces import Piece, cut_accepted
from planspec_lark.document.styles import Style, find_style
from planspec_lark.document.summaries import edit_summary, indent_of
from planspec_lark.planspec.models import PlanStep
from planspec_lark.syntax.source import newline_of

__all__ = ["Lines", "StepLines"]

# The fields that stand below a summary line.
_BODY = ("inputs", "detail")


@define(eq=False)
class StepLines:
    """The lines of a step: that of its summary, and those of its body."""

    summary: str
    body: str

    @property
    def text(self) -> str:
        """All of them."""
        return self.summary + self.body


@define(eq=False)
class Lines:
    """Writes steps as the texts of both sides have them.

    Attributes:
        versions: what is merged.
        texts: the texts of ours and of theirs.
        newline: how a line of ours ends.
        head: what is in front of the first step, by side.
        order: the ids of ours in the order of their lines.
        style: how ours is written.
    """

    versions: Versions
    texts: tuple[str, str]
    newline: str = field(init=False)
    head: dict[int, str] = field(factory=dict, init=False)
    order: list[str] = field(init=False)
    style: Style = field(init=False)
    _pieces: dict[int, dict[str, Piece]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        ours, theirs = self.texts
        self.newline = newline_of(ours)
        if newline_of(theirs) != self.newline:
            theirs = with_newlines(theirs, self.newline)
        for side, text in ((OURS, ours), (THEIRS, theirs)):
            head, *steps = cut_accepted(text)
            self.head[side] = head.text
            self._pieces[side] = {str(piece.step_id): piece for piece in steps}
            if side == OURS:
                self.style = find_style(self.versions.plans[OURS], steps)
        self.order = list(self._pieces[OURS])

    def piece(self, node: Node, side: int) -> Piece:
        """The lines of a step as a side has them."""
        return self._pieces[side][self.versions.step(node, side).step_id]

    def are_right(self, node: Node, step_id: str, indent: str) -> bool:
        """Whether a step can stay as ours has it."""
        if not node.is_in(OURS) or self.versions.step(node, OURS).step_id != step_id:
            return False
        return self.versions.values(node, OURS) == node.values and indent_of(self.piece(node, OURS).lines) == indent

    def gap(self, node: Node) -> str:
        """The blank lines behind a step."""
        return self.piece(node, OURS if node.is_in(OURS) else THEIRS).gap

    def write(self, node: Node, values: dict[str, Value], step_id: str, indent: str) -> StepLines:
        """The lines of a step that says this, with this id and indentation."""
        usual = OURS if node.is_in(OURS) else THEIRS
        parts, is_said = [], True
        for is_body in (False, True):
            side = next((side for side in (OURS, THEIRS) if self._says(node, side, values, is_body=is_body)), None)
            is_said = is_said and side is not None
            parts.append(self._take(node, usual if side is None else side, step_id, indent, is_body=is_body))
        summary, body = parts
        if body and not summary.endswith("\n"):
            summary += self.newline
        return StepLines(summary, body) if is_said else self._edit(summary + body, step_of(step_id, values), indent)

    def _edit(self, lines: str, step: PlanStep, indent: str) -> StepLines:
        """Lines that say what a step does, made of others of which as many as can stay as they are."""
        content = lines.removesuffix("\n").removesuffix("\r")
        end = lines[len(content) :] or self.newline
        row, *below = cut_rows(content)
        summary = edit_summary(row.content, step, marks_pending=self.style.marks_pending)
        rows = edit_body(below, step, indent + self.style.body)
        text = join_rows([Row(summary, row.end), *rows], self.newline) + end
        cut = text.find("\n") + 1
        return StepLines(text[:cut], text[cut:])

    def _says(self, node: Node, side: int, values: dict[str, Value], *, is_body: bool) -> bool:
        if not node.is_in(side):
            return False
        said = self.versions.values(node, side)
        return said == values or all(
            said[name] == value for name, value in values.items() if (name in _BODY) is is_body
        )

    def _take(self, node: Node, side: int, step_id: str, indent: str, *, is_body: bool) -> str:
        """The summary line or the body of a step as a side has it."""
        lines = self.piece(node, side).lines
        was = indent_of(lines)
        end = lines.find("\n") + 1 or len(lines)
        if not is_body:
            return f"{indent}{step_id}{lines[len(was) + len(self.versions.step(node, side).step_id) : end]}"
        if was == indent:
            return lines[end:]
        return "".join(indent + row.removeprefix(was) if row.startswith(was) else row for row in _rows(lines[end:]))


def _rows(lines: str) -> list[str]:
    rows = [f"{row}\n" for row in lines.split("\n")]
    last = rows.pop().removesuffix("\n")
    return [*rows, last] if last else rows
