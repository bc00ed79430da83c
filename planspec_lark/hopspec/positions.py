"""In which lines of a text the parts of a document stand."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from planspec_lark.syntax.source import Source, Span

__all__ = ["LinePositions", "span_of_line"]


@define
class LinePositions:
    """The line of each part, from 1.

    Attributes:
        fields: that of title, mode and sections, by the field of the document.
        steps: of each step, by its number, that of its heading (``step_id``) and those of its attributes, by field.
    """

    fields: dict[str, int] = field(factory=dict)
    steps: dict[str, dict[str, int]] = field(factory=dict)

    def line_of(self, step_id: str, part: str) -> int:
        """The line of a part of a step or of the document; where it has none, that of the whole."""
        if not step_id:
            return self.fields.get(part, 1)
        lines = self.steps.get(step_id, {})
        return lines.get(part) or lines.get("step_id", 1)

    def moved(self, numbers: Sequence[int]) -> LinePositions:
        """The same in a text whose lines have these numbers."""
        steps = ({name: numbers[line - 1] for name, line in lines.items()} for lines in self.steps.values())
        fields = {name: numbers[line - 1] for name, line in self.fields.items()}
        return LinePositions(fields, dict(zip(self.steps, steps, strict=True)))


def span_of_line(source: Source, line: int, end_line: int = 0) -> Span:
    """The span of a line, or of all up to another one, without white space around it."""
    text = source.line(line)
    last = source.line(end_line) if end_line > line else text
    start = source.start_of(line) + len(text) - len(text.lstrip())
    end = source.start_of(max(line, end_line)) + len(last.rstrip())
    return source.span(start, max(start, end))
