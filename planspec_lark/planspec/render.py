"""A plan as a person looks at it: columns, tree lines, folded bodies, counts.

The layout is text with roles; what a role looks like is up to the caller.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from planspec_lark.planspec.fold import shows_body, shows_children
from planspec_lark.planspec.models import MARKS, STEP_TYPES, PlanSpec, PlanStep, has_progress, iter_steps
from planspec_lark.planspec.printer import progress_text, task_text
from planspec_lark.syntax.fields import require_one_of
from planspec_lark.syntax.prompt_templates import language_of
from planspec_lark.syntax.safe_text import columns, visible
from planspec_lark.syntax.tree import iter_tree

__all__ = ["StyledText", "break_text", "say_progress", "show_plan", "show_steps", "wrap"]

_BADGE_WIDTH = 9
# A longer id stands out: were all beside it as wide, a few long ones would make the whole view as wide as it is long.
_WIDEST_ID = 40
# What is before the counts at the foot. All other labels are words of the format itself.
_LABELS = {"en": ("Steps", "Progress"), "zh": ("步骤", "进度")}


class StyledText(NamedTuple):
    """A piece of a line and its role: title, label, tree, id, status (pending, …), type, text, body or note."""

    role: str
    text: str


Line = tuple[StyledText, ...]


def show_plan(plan: PlanSpec, *, fold: bool = True, language: str | None = None) -> Iterator[Line]:
    """Lay a plan out.

    Args:
        plan: the plan.
        fold: hide bodies and children as each step's ``expanded`` flag or its status says.
        language: of the labels, "en" or "zh"; by default "zh" where there is Chinese in the plan's title or goal.

    Returns:
        The lines, from top to bottom, without line breaks and with nothing in them that could steer a terminal.

    Raises:
        ValueError: the language is another.
    """
    if language is not None:
        require_one_of("language", language, _LABELS)
    language = language or language_of(f"{plan.title} {plan.goal}")
    return map(_harmless, _lines(plan, language, fold=fold))


def show_steps(plan: PlanSpec, first: int, last: int) -> Iterator[Line]:
    """The lines of the steps of a folded plan from ``first`` up to before ``last``."""
    return map(_harmless, _show_steps(plan, first, last, fold=True))


def _harmless(line: Line) -> Line:
    text = "".join([piece.text for piece in line])
    if visible(text) == text:
        return tuple(piece for piece in line if piece.text)
    return tuple(StyledText(piece.role, visible(piece.text)) for piece in line if piece.text)


def _lines(plan: PlanSpec, language: str, *, fold: bool) -> Iterator[Line]:
    yield (StyledText("title", f"═══ PlanSpec: {plan.title} ═══" if plan.title else "═══ PlanSpec ═══"),)
    yield ()
    if plan.goal or plan.goal_detail:
        yield StyledText("label", "Goal: "), StyledText("text", plan.goal)
        for line in plan.goal_detail:
            yield StyledText("body", "  > " if line else "  >"), StyledText("body", line)
        yield ()
    if plan.constraints:
        yield (StyledText("label", "Constraints:"),)
        for constraint in plan.constraints:
            yield StyledText("text", "  - "), StyledText("text", constraint)
        yield ()
    done = say_progress(plan.progress)
    yield (StyledText("label", f"Progress: {done}"),)
    yield ()
    if plan.steps:
        yield from _show_steps(plan, 0, sys.maxsize, fold=fold)
        yield ()
    yield (StyledText("note", "───"),)
    steps, progress = _LABELS[language]
    yield (StyledText("note", f"{steps}: {_count_types(plan)}"),)
    yield (StyledText("note", f"{progress}: {done}"),)


def say_progress(counts: Mapping[str, int]) -> str:
    """How many steps are done, of how many, as :attr:`PlanSpec.progress` counts them: ``3/8 (38%)``."""
    done, total = counts["done"], counts["total"]
    # Rounded, but 100 only where all is done and 0 only where nothing is.
    percent = min(max(round(100 * done / total), int(done > 0)), 100 - int(done < total)) if total else 0
    return f"{done}/{total} ({percent}%)"


def _count_types(plan: PlanSpec) -> str:
    counts = Counter(step.step_type for step in iter_steps(plan))
    others = sorted(counts.keys() - set(STEP_TYPES))
    return " | ".join([str(counts.total()), *(f"{name}: {counts[name]}" for name in (*STEP_TYPES, *others))])


def _show_steps(plan: PlanSpec, first: int, last: int, *, fold: bool) -> Iterator[Line]:
    # The steps above, what continues their tree lines (top-level steps have none), and how wide the ids of a level are.
    path: list[PlanStep] = []
    bars: list[str] = []
    widths = [_id_width(plan.steps)]
    for at, (step, parent) in enumerate(islice(iter_tree(plan.steps, shows_children if fold else None), last)):
        while path and path[-1] is not parent:
            path.pop()
        depth, is_last = len(path), step is (parent.children if parent else plan.steps)[-1]
        del bars[max(depth - 1, 0) :], widths[depth + 1 :]
        branch = ("└─ " if is_last else "├─ ") if depth else ""
        if at >= first:
            yield _show_head(step, "".join(bars) + branch, widths[depth])
        if depth:
            bars.append("   " if is_last else "│  ")
        if at >= first and (not fold or shows_body(step)):
            # Where the body is shown, so are the steps below.
            below = "│" if step.children else ""
            yield from _show_body(step, "".join(bars) + below, widths[depth] - len(below))
        widths.append(_id_width(step.children))
        path.append(step)


def _show_head(step: PlanStep, lead: str, width: int) -> Line:
    return (
        StyledText("tree", lead),
        StyledText("id", f"{step.step_id:<{width}}  "),
        StyledText(step.status.value, f"[{MARKS[step.status]}]  "),
        StyledText("type", f"[{step.step_type.upper()}]".ljust(_BADGE_WIDTH) + "  "),
        StyledText("text", _headline(step)),
    )


def _id_width(steps: list[PlanStep]) -> int:
    return min(max((len(step.step_id) for step in steps), default=0), _WIDEST_ID)


def _headline(step: PlanStep) -> str:
    text = f"{step.step_name}: {task_text(step)}" if step.step_name else task_text(step)
    if step.outputs:
        text += f" → {', '.join(step.outputs)}"
    if step.result:
        text += f" | {step.result}"
    if has_progress(step):
        text += f" | {progress_text(step)}"
    return text.lstrip(" ")


def _show_body(step: PlanStep, lead: str, width: int) -> Iterator[Line]:
    space = " " * (width + 2 + 3 + 2 + _BADGE_WIDTH + 2)
    rows = [f"← {', '.join(step.inputs)}"] if step.inputs else []
    for row in [*rows, *step.detail]:
        yield (
            StyledText("tree", lead + space),
            StyledText("body", "> " if row else ">"),
            StyledText("body", row),
        )


def wrap(line: Line, width: int) -> Iterator[Line]:
    """Break a line that is wider than ``width`` columns, so that its text continues below where it began.

    The tree lines continue. A line that leaves its text less than a third of the width is left alone.
    """
    *head, last = line or (StyledText("text", ""),)
    room = width - sum(columns(piece.text) for piece in head)
    if columns(last.text) <= room or room < width // 3:
        yield line
        return
    rows = list(break_text(last.text, room))
    yield *head, StyledText(last.role, rows[0])
    for row in rows[1:]:
        yield *(_continue(piece) for piece in head), StyledText(last.role, row)


def _continue(piece: StyledText) -> StyledText:
    if piece.role != "tree":
        return StyledText("text", " " * columns(piece.text))
    return StyledText("tree", piece.text.replace("├─", "│ ").replace("└─", "  "))


def break_text(text: str, width: int) -> Iterator[str]:
    """Cut a text into rows: after a space where there is one in the row's last part, else where the row is full."""
    start = at = used = 0
    space = -1
    while at < len(text):
        used += columns(text[at])
        if used > width:
            cut = space if space > start + (at - start) // 2 else at
            yield text[start:cut].rstrip(" ")
            start = at = max(cut, start + 1)
            used = 0
            continue
        at += 1
        if text[at - 1] == " ":
            space = at
    yield text[start:]
