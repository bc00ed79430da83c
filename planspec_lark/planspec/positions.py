"""Where in a text every step and field of a plan stands.

What a reader keeps for this is small: the pattern's matches. Spans are made when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from re import Match

from attrs import define, field, frozen

from planspec_lark.planspec.models import STEP_FIELDS
from planspec_lark.planspec.tokens import SUMMARY, split_body, split_constraints, split_goal_detail, split_segments
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import Source, Span

__all__ = ["Fields", "Places", "StepPlaces", "Unit"]

_LISTS, _SEGMENTS = ("OUTPUTS",), ("RESULT", "PROGRESS")
# Field name → its spans: one for a text or a number, one an item for a list. Absent parts are left out.
Fields = dict[str, tuple[Span, ...]]

# The fields of a summary line in its order, each with its terminal; of those that one terminal spells, the first.
_SUMMARY = {
    token: next(name for name, info in STEP_FIELDS.items() if info.token == token)
    for token in SUMMARY
    if any(info.token == token for info in STEP_FIELDS.values())
}
# Those that say one thing, each with the group that holds it.
_GROUPS = {name: f"step_{token}" for token, name in _SUMMARY.items() if token not in (*_LISTS, *_SEGMENTS)}


@frozen
class Unit:
    """A stretch of text that was read at once by the pattern for ``line``.

    ``match`` is None where the line had to be mended, so that its parts are not where the source has them.
    """

    start: int
    end: int
    match: Match[str] | None

    def find(self, group: str) -> tuple[int, int] | None:
        """The bounds of a group of the pattern, or None."""
        if self.match is None or self.match.start(group) < 0:
            return None
        start, end = self.match.span(group)
        # What was matched may have been a window of the text.
        shift = self.start - self.match.start()
        return start + shift, end + shift


@frozen
class StepPlaces:
    """Where one step stands: its summary line and body, and each of its fields."""

    span: Span
    fields: Fields


@define(eq=False, slots=False)
class Places:
    """Where a plan's parts stand in its source.

    ``fields`` has those of the plan itself (title, goal, goal_detail, constraints). ``step`` and ``steps`` have those
    of the steps, by id. A field of a line that had to be repaired has the span of that line.
    """

    source: Source
    # The text that was read: that of the source, but for its reasoning.
    text: str = field(default="", repr=False)
    _units: dict[str, list[Unit]] = field(factory=dict, repr=False)
    _plan_units: list[tuple[str, Unit]] = field(factory=list, repr=False)
    # Lists behind foreign arrows: where each starts and ends, by step and field.
    _foreign: dict[str, list[tuple[str, int, int]]] = field(factory=dict, repr=False)
    # Finds all of the above, once somebody asks.
    _find_later: Callable[[], Places] | None = field(default=None, repr=False)

    @property
    def are_to_be_found(self) -> bool:
        """Whether nobody has asked for a place yet."""
        return self._find_later is not None

    def add(self, kind: str, unit: Unit) -> None:
        """Note a unit that holds parts of the plan itself."""
        self._plan_units.append((kind, unit))

    def add_step(self, step_id: str, unit: Unit) -> None:
        """Note a unit of a step: its first has the summary line, any others more of its body."""
        self._units.setdefault(step_id, []).append(unit)

    def add_names(self, step_id: str, name: str, start: int, end: int) -> None:
        """Note variables that a step has from text which the grammar took for something else."""
        self._foreign.setdefault(step_id, []).append((name, start, end))

    def start_of(self, step_id: str) -> int:
        """The offset at which a step starts."""
        self._find()
        return self._units[step_id][0].start

    def bounds_of(self, step_id: str) -> list[tuple[int, int]]:
        """From where to where each of the stretches goes that a step was read from, in the order of the text."""
        self._find()
        return [(unit.start, unit.end) for unit in self._units[step_id]]

    def end_of_parts(self) -> int:
        """Where the last of the plan's own parts ends; 0 where there is none."""
        self._find()
        return max((unit.end for _, unit in self._plan_units), default=0)

    def _find(self) -> None:
        if self._find_later is not None:
            found, self._find_later = self._find_later(), None
            self._units, self._plan_units, self._foreign = found._units, found._plan_units, found._foreign
            self.text = found.text

    @cached_property
    def fields(self) -> Fields:
        """The places of the plan's own fields."""
        self._find()
        return _gather(found for kind, unit in self._plan_units for found in self._plan_fields(kind, unit))

    def __contains__(self, step_id: object) -> bool:
        self._find()
        return step_id in self._units

    def step(self, step_id: str) -> StepPlaces:
        """The places of one step.

        Raises:
            KeyError: no step with this id was read.
        """
        self._find()
        units = self._units[step_id]
        foreign = self._foreign.get(step_id, [])
        taken = {start for _, start, _ in foreign}
        fields = _gather(
            [
                *(found for unit in units for found in self._step_fields(unit) if found[1].start not in taken),
                *(found for name, start, end in foreign for found in self._variables(name, start, end)),
            ]
        )
        return StepPlaces(self._trimmed(units[0].start, units[-1].end), fields)

    @cached_property
    def steps(self) -> dict[str, StepPlaces]:
        """The places of all steps, by id."""
        self._find()
        return {step_id: self.step(step_id) for step_id in self._units}

    def _trimmed(self, start: int, end: int) -> Span:
        text = self.text
        while start < end and text[start] in " \t":
            start += 1
        while start < end and text[min(end, len(text)) - 1] in " \t\r\n":
            end = min(end, len(text)) - 1
        return self.source.span(start, end)

    def _plan_fields(self, kind: str, unit: Unit) -> Iterator[tuple[str, Span]]:
        if unit.match is None:
            yield kind, self.source.span(unit.start, unit.end)
            return
        for name, group in (("title", "title_TEXT"), ("goal", "goal_TEXT"), ("constraints", "constraint_TEXT")):
            if bounds := unit.find(group):
                yield name, self._trimmed(*bounds)
        text = self.text
        if bounds := unit.find("constraints_constraint"):
            start, end = bounds
            for line in split_constraints(_ended(text[start:end])):
                yield "constraints", self._trimmed(start + line.start("TEXT"), start + line.end("TEXT"))
        for group in ("goal__goal_detail", "body_line"):
            if bounds := unit.find(group):
                start, end = bounds
                for line in split_goal_detail(_ended(text[start:end])):
                    yield "goal_detail", self._trimmed(start + line.start(), start + line.end("DETAIL"))

    def _step_fields(self, unit: Unit) -> Iterator[tuple[str, Span]]:
        if unit.match is None:
            yield from ((name, self.source.span(unit.start, unit.end)) for name in _SUMMARY.values())
            return
        for name, group in _GROUPS.items():
            if bounds := unit.find(group):
                start, end = bounds
                brackets = name == "step_type"
                yield name, self.source.span(start - brackets, end + brackets)
        if bounds := unit.find("step_OUTPUTS"):
            yield from self._variables("outputs", *bounds)
        if bounds := unit.find("step__segments"):
            start, end = bounds
            for token in split_segments(self.text[start:end]):
                name = _SUMMARY[str(token.lastgroup)]
                bar = self.text.index("|", start + token.start()) + 1
                yield name, self._trimmed(bar, start + token.end())
        for group in ("step__body", "body_line"):
            if bounds := unit.find(group):
                yield from self._body(*bounds)

    def _body(self, start: int, end: int) -> Iterator[tuple[str, Span]]:
        for line in split_body(_ended(self.text[start:end])):
            if line["INPUTS"] is not None:
                yield from self._variables("inputs", start + line.start("INPUTS"), start + line.end("INPUTS"))
            else:
                yield "detail", self._trimmed(start + line.start(), start + line.end("DETAIL"))

    def _variables(self, name: str, start: int, end: int) -> Iterator[tuple[str, Span]]:
        for match in grammars.pattern("planspec", "VARIABLE").finditer(self.text, start, end):
            yield name, self.source.span(*match.span())


def _gather(found: Iterable[tuple[str, Span]]) -> Fields:
    fields: dict[str, list[Span]] = {}
    for name, span in found:
        fields.setdefault(name, []).append(span)
    return {name: tuple(spans) for name, spans in fields.items()}


def _ended(lines: str) -> str:
    return lines if lines.endswith("\n") else lines + "\n"
