"""Where the steps of an answer stand below each other, as their lines are indented."""

from __future__ import annotations

from attrs import define, field

__all__ = ["Nesting"]


@define(eq=False)
class Nesting:
    """The steps that lines may be below, and the lists that have begun below them.

    Attributes:
        steps: the steps that are open: how far each is indented, and its id.
        lists: lists whose numbers begin again: how far each is indented, and the id of the step that it is below, empty
            for none.
    """

    steps: list[tuple[float, str]] = field(factory=list)
    lists: list[tuple[float, str]] = field(factory=list)
    # By the id of a step, the highest number below it.
    _numbers: dict[str, int] = field(factory=dict)

    def find_above(self, indent: float) -> tuple[float, str] | None:
        """The innermost open step that a line is indented more than, with its own indentation."""
        return next((one for one in reversed(self.steps) if one[0] < indent), None)

    def find_list(self, indent: float) -> str | None:
        """The step that a list with this indentation is below; "" for none, None where no such list is open."""
        while self.lists and self.lists[-1][0] > indent:
            self.lists.pop()
        return self.lists[-1][1] if self.lists and self.lists[-1][0] == indent else None

    def next_number(self, parent: str) -> int:
        """The number of the next step right below another."""
        return self._numbers.get(parent, 0) + 1

    def open(self, step_id: str, indent: float) -> None:
        """Add a step."""
        parent, _, number = step_id.rpartition(".")
        self._numbers[parent] = max(int(number), self._numbers.get(parent, 0))
        while self.steps and self.steps[-1][0] >= indent:
            self.steps.pop()
        self.steps.append((indent, step_id))
