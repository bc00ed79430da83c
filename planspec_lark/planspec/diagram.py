"""A plan as a drawing, in the language of Mermaid or of Graphviz: what stands below what, and who takes what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from attrs import define, field

from planspec_lark.planspec.data_flow import DataFlow, Link, find_data_flow
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.printer import progress_text
from planspec_lark.planspec.render import break_text
from planspec_lark.planspec.tree import iter_with_parents, walk
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.diagram import Drawing, Line, Sheet, Style, sheet
from planspec_lark.syntax.source import one_line

__all__ = ["View", "draw_plan"]

View = Literal["both", "flow", "tree"]

# A style for each status, and for what stands out.
_STYLES = {
    "pending": Style("#f6f7f9", "#7b8494", "#1f2933"),
    "active": Style("#fff2cc", "#b7791f", "#1f2933"),
    "done": Style("#dff3e4", "#2f855a", "#1f2933"),
    "blocked": Style("#fde2e1", "#c53030", "#1f2933"),
    "skipped": Style("#eceef1", "#9aa3af", "#5b6472", is_dashed=True),
    "later": Style("#ffffff", "#5b6472", "#3a4250", is_dashed=True),
    "missing": Style("#ffffff", "#c53030", "#9b2c2c", is_dashed=True),
    "unused": Style("#ffffff", "#6b46c1", "#553c9a", is_dashed=True),
}
_LATER = "next round"
# Mermaid breaks what is longer once more.
_WIDTH = 24
# Ids of deep steps are as long as they are deep.
_WIDEST_ID = 40
# What draws frames inside each other does not go to any depth.
_DEEPEST_FRAME = 30


def draw_plan(plan: PlanSpec, language: Drawing = "mermaid", *, view: View = "both") -> str:
    """The text of a drawing.

    Args:
        plan: any plan.
        language: ``mermaid`` for Mermaid, ``dot`` for Graphviz.
        view: ``both`` draws steps in frames of the containers that they belong to, and arrows with the variables that
            one step takes from another; ``flow`` leaves the frames out; ``tree`` draws what stands below what, and no
            variables.

    Returns:
        A box or a frame for each step, with its status in words and in colour. Inputs that no step puts out and outputs
        that no step takes have boxes of their own, which say so. Texts are cut where they are long, and nothing in them
        is more than text.
    """
    drawing = sheet(language, "LR" if view == "tree" else "TD", _STYLES)
    artist = _Artist.begin(drawing, plan)
    if view == "tree":
        artist.draw_tree(plan)
    else:
        artist.draw_flow(plan, in_frames=view == "both")
    return drawing.text()


@define
class _Artist:
    """Draws steps under the names that they have in the drawing."""

    sheet: Sheet
    names: dict[str, str]
    # The numbers of each step and of the last one below it.
    spans: dict[str, tuple[int, int]]
    frames: set[str] = field(factory=set)
    rounds: int = 0

    @classmethod
    def begin(cls, drawing: Sheet, plan: PlanSpec) -> _Artist:
        """Give all steps their names."""
        spans: dict[str, tuple[int, int]] = {}
        count = 0
        for step, is_entered in walk(plan):
            spans[step.step_id] = (count if is_entered else spans[step.step_id][0], count - (not is_entered))
            count += is_entered
        return cls(drawing, {step_id: f"s{first}" for step_id, (first, _) in spans.items()}, spans)

    def draw_tree(self, plan: PlanSpec) -> None:
        title = shorten(one_line(plan.title or plan.goal)) or "Plan"
        self.sheet.box("plan", [*break_text(title, _WIDTH)], "pending", is_round=True)
        for step, parent in iter_with_parents(plan):
            self._add_box(step)
            above = "plan" if parent is None else self.names[parent.step_id]
            self.sheet.arrow(above, self.names[step.step_id], line="plain")

    def draw_flow(self, plan: PlanSpec, *, in_frames: bool) -> None:
        flow = find_data_flow(plan)
        self._add_steps(plan, in_frames=in_frames)
        for step in iter_steps(plan):
            for link in flow.links(step):
                self._add_link(link)
        missing: dict[str, str] = {}
        for step in iter_steps(plan):
            for name in flow.missing(step):
                box = self._add_variable(name, "no step puts it out", "missing", missing)
                self._add_arrow(box, self.names[step.step_id])
        unused: dict[str, str] = {}
        for step, name in _find_unused(plan, flow):
            box = self._add_variable(name, "no step takes it", "unused", unused)
            self._add_arrow(self.names[step.step_id], box)

    def _add_steps(self, plan: PlanSpec, *, in_frames: bool) -> None:
        depth = 0
        for step, is_entered in walk(plan):
            name = self.names[step.step_id]
            if is_entered and in_frames and step.children and depth < _DEEPEST_FRAME:
                self.sheet.open_frame(name, _title(step), step.status.value)
                self.frames.add(name)
            elif is_entered:
                self._add_box(step)
            elif name in self.frames:
                self.sheet.close_frame()
            depth += 1 if is_entered else -1

    def _add_box(self, step: PlanStep) -> None:
        self.sheet.box(self.names[step.step_id], _label(step), step.status.value)

    def _add_variable(self, name: str, note: str, style: str, known: dict[str, str]) -> str:
        """The box of a variable that stands out, a new one where it is named for the first time."""
        if name not in known:
            known[name] = f"{style}{len(known)}"
            self.sheet.box(known[name], [shorten(one_line(name)), note], style, is_round=True)
        return known[name]

    def _add_link(self, link: Link) -> None:
        tail, head = self.names[link.source.step_id], self.names[link.target.step_id]
        label = shorten(", ".join(map(one_line, link.names)))
        if self._is_around(link.source, link.target) or self._is_around(link.target, link.source):
            # Nothing can lead from a frame to what is in it.
            self.rounds += 1
            detour = f"round{self.rounds}"
            self.sheet.box(detour, [_LATER, label], "later", is_round=True)
            self._add_arrow(tail, detour, line="dashed")
            self._add_arrow(detour, head, line="dashed")
        elif link.is_feedback:
            self._add_arrow(tail, head, f"{_LATER}: {label}", "dashed")
        else:
            self._add_arrow(tail, head, label)

    def _is_around(self, step: PlanStep, other: PlanStep) -> bool:
        """Whether a step has a frame in which the other one stands, or is that one."""
        first, last = self.spans[step.step_id]
        return self.names[step.step_id] in self.frames and first <= self.spans[other.step_id][0] <= last

    def _add_arrow(self, tail: str, head: str, label: str = "", line: Line = "solid") -> None:
        self.sheet.arrow(tail, head, label, line, frames=[end for end in (tail, head) if end in self.frames])


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
    rows = [_headline(step), *filter(None, break_text(shorten(one_line(step.description)), _WIDTH))]
    if step.done_count or step.total_count is not None:
        rows.append(progress_text(step))
    return rows


def _title(step: PlanStep) -> list[str]:
    """The same in two rows, as there is not more room over what is in a frame."""
    text = one_line(step.description)
    first = next(break_text(text, _WIDTH))
    return [_headline(step), *filter(None, [first if first == text else f"{first}…"])]


def _headline(step: PlanStep) -> str:
    step_id = step.step_id if len(step.step_id) <= _WIDEST_ID else f"…{step.step_id[-_WIDEST_ID:]}"
    return f"{step_id} {shorten(one_line(f'{step.step_type} {step.step_name}'))}, {step.status.value}"
