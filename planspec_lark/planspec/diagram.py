"""A plan as a diagram in the language of Mermaid: what is below what, and who takes what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from attrs import define, field

from planspec_lark.planspec.data_flow import DataFlow, Link, find_data_flow
from planspec_lark.planspec.models import PlanSpec, PlanStep, has_progress, iter_steps
from planspec_lark.planspec.printer import progress_text, task_text
from planspec_lark.planspec.render import break_text
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.diagram import Diagram, ShapeStyle
from planspec_lark.syntax.safe_text import one_line

__all__ = ["draw_plan"]

# A style for each status, and for what stands out.
_STYLES = {
    "pending": ShapeStyle("#f6f7f9", "#7b8494", "#1f2933"),
    "active": ShapeStyle("#fff2cc", "#b7791f", "#1f2933"),
    "done": ShapeStyle("#dff3e4", "#2f855a", "#1f2933"),
    "blocked": ShapeStyle("#fde2e1", "#c53030", "#1f2933"),
    "skipped": ShapeStyle("#eceef1", "#9aa3af", "#5b6472", is_dashed=True),
    "later": ShapeStyle("#ffffff", "#5b6472", "#3a4250", is_dashed=True),
    "missing": ShapeStyle("#ffffff", "#c53030", "#9b2c2c", is_dashed=True),
    "unused": ShapeStyle("#ffffff", "#6b46c1", "#553c9a", is_dashed=True),
}
_LATER = "next round"
# Mermaid breaks what is longer once more.
_WIDTH = 24
# Ids of deep steps are as long as they are deep.
_WIDEST_ID = 40
# What draws frames inside each other does not go to any depth.
_DEEPEST_FRAME = 30


def draw_plan(plan: PlanSpec) -> str:
    """The text of a diagram of a plan.

    Returns:
        A box for each step, or a frame around those below it, with its status in words and in colour, and arrows with
        the variables that one step takes from another. Inputs that no step produces and outputs that no step takes have
        boxes of their own, which say so. Texts are cut where they are long; none ends a label, or begins HTML in it.
    """
    diagram = Diagram(_STYLES)
    builder = _Builder(diagram, {step.step_id: f"s{number}" for number, step in enumerate(iter_steps(plan))})
    builder.draw(plan)
    return diagram.text()


@define
class _Builder:
    """Draws steps under the names that they have in the diagram."""

    diagram: Diagram
    names: dict[str, str]
    # The frames that each step is in, by its id, with its own one if it has one.
    frames: dict[str, tuple[str, ...]] = field(factory=dict)
    rounds: int = 0

    def draw(self, plan: PlanSpec) -> None:
        flow = find_data_flow(plan)
        self._add_steps(plan)
        for step in iter_steps(plan):
            for link in flow.links(step):
                self._add_link(link)
        missing: dict[str, str] = {}
        for step in iter_steps(plan):
            for name in flow.missing(step):
                box = self._add_variable(name, "no step produces it", "missing", missing)
                self.diagram.arrow(box, self.names[step.step_id])
        unused: dict[str, str] = {}
        for step, name in _find_unused(plan, flow):
            box = self._add_variable(name, "no step takes it", "unused", unused)
            self.diagram.arrow(self.names[step.step_id], box)

    def _add_steps(self, plan: PlanSpec) -> None:
        around: list[str] = []
        for step, is_entered in walk(plan):
            name = self.names[step.step_id]
            if is_entered and step.children and len(around) < _DEEPEST_FRAME:
                self.diagram.open_frame(name, _title(step), step.status.value)
                around.append(name)
            elif is_entered:
                self._add_box(step)
            elif around and around[-1] == name:
                self.diagram.close_frame()
                around.pop()
            if is_entered:
                self.frames[step.step_id] = (*around,)

    def _add_box(self, step: PlanStep) -> None:
        self.diagram.box(self.names[step.step_id], _label(step), step.status.value)

    def _add_variable(self, name: str, note: str, style: str, known: dict[str, str]) -> str:
        """The box of a variable that stands out, a new one where it is named for the first time."""
        if name not in known:
            known[name] = f"{style}{len(known)}"
            self.diagram.box(known[name], [shorten(one_line(name)), note], style, is_round=True)
        return known[name]

    def _add_link(self, link: Link) -> None:
        tail, head = self.names[link.source.step_id], self.names[link.target.step_id]
        label = shorten(", ".join(map(one_line, link.names)))
        if self._is_around(link.source, link.target) or self._is_around(link.target, link.source):
            # Nothing can lead from a frame to what is in it.
            self.rounds += 1
            detour = f"round{self.rounds}"
            self.diagram.box(detour, [_LATER, label], "later", is_round=True)
            self.diagram.arrow(tail, detour, line="dashed")
            self.diagram.arrow(detour, head, line="dashed")
        elif link.is_feedback:
            self.diagram.arrow(tail, head, f"{_LATER}: {label}", "dashed")
        else:
            self.diagram.arrow(tail, head, label)

    def _is_around(self, step: PlanStep, other: PlanStep) -> bool:
        """Whether a step has a frame in which the other one is, or is that one."""
        return self.names[step.step_id] in self.frames[other.step_id]


def _find_unused(plan: PlanSpec, flow: DataFlow) -> Iterator[tuple[PlanStep, str]]:
    """Outputs that no step takes, each with the outermost step that passes it on."""
    around: Counter[str] = Counter()
    for step, is_entered in walk(plan):
        names = flow.unused(step)
        if is_entered:
            yield from ((step, name) for name in names if not around[name])
            around.update(names)
        else:
            around.subtract(names)


def _label(step: PlanStep) -> list[str]:
    rows = [_headline(step), *filter(None, break_text(shorten(one_line(task_text(step))), _WIDTH))]
    if has_progress(step):
        rows.append(progress_text(step))
    return rows


def _title(step: PlanStep) -> list[str]:
    """The same in two rows, as there is not more room over what is in a frame."""
    text = one_line(task_text(step))
    first = next(break_text(text, _WIDTH))
    return [_headline(step), *filter(None, [first if first == text else f"{first}…"])]


def _headline(step: PlanStep) -> str:
    step_id = step.step_id if len(step.step_id) <= _WIDEST_ID else f"…{step.step_id[-_WIDEST_ID:]}"
    return f"{step_id} {shorten(one_line(f'{step.step_type} {step.step_name}'))}, {step.status.value}"
