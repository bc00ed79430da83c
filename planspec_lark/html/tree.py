"""The steps of a plan as rows of a tree: a flat list, since HTML cannot be nested as deep as a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define

from planspec_lark.html.markup import GLYPHS, MISSING, UNUSED, cut_id, escape_attribute, escape_text
from planspec_lark.planspec.data_flow import DataFlow, Origin
from planspec_lark.planspec.fold import shows_body, shows_children
from planspec_lark.planspec.models import PlanSpec, PlanStep, has_progress
from planspec_lark.planspec.printer import task_text
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.safe_text import one_line

__all__ = ["write_rows"]

# Deeper levels are no longer indented.
_DEEPEST = 14


@define(eq=False)
class _Level:
    """A step that is entered, or the plan: how many steps there are right below it, the number of the one that the walk
    is at, and whether they are hidden at the start."""

    size: int
    is_hidden: bool
    place: int = 0


def write_rows(plan: PlanSpec, flow: DataFlow, indices: Mapping[str, int]) -> Iterator[str]:
    """The rows as HTML, piece by piece; ``indices`` are the numbers of all rows, by the ids of their steps."""
    levels = [_Level(len(plan.steps), is_hidden=False)]
    tabindex = 0
    for step, is_entered in walk(plan):
        if not is_entered:
            levels.pop()
            continue
        level, index = levels[-1], indices[step.step_id]
        level.place += 1
        yield (
            f'<div class="{_classes(step, len(levels))}{" away" if level.is_hidden else ""}" role="treeitem" '
            f'id="s{index}" data-id="{escape_attribute(step.step_id)}" aria-level="{len(levels)}" '
            f'aria-posinset="{level.place}" aria-setsize="{level.size}"{_state(step)} '
            f'aria-labelledby="n{index}" tabindex="{tabindex}">'
        )
        yield from _line(step, flow, index)
        yield from _body(step, flow, indices)
        yield "</div>\n"
        tabindex = -1
        levels.append(_Level(len(step.children), level.is_hidden or not shows_children(step)))


def _has_body(step: PlanStep) -> bool:
    return bool(step.inputs or step.detail)


def _classes(step: PlanStep, level: int) -> str:
    names = ["row", step.status.value, f"l{min(level - 1, _DEEPEST)}"]
    if step.children:
        names.append("branch" if shows_children(step) else "branch folded")
    if _has_body(step):
        names.append("full" if shows_body(step) else "full closed")
    return " ".join(names)


def _state(step: PlanStep) -> str:
    if not (step.children or _has_body(step)):
        return ""
    is_expanded = shows_children(step) if step.children else shows_body(step)
    return f' aria-expanded="{str(is_expanded).lower()}"'


def _line(step: PlanStep, flow: DataFlow, index: int) -> Iterator[str]:
    status = step.status.value
    name = f'<b dir="auto">{escape_text(step.step_name)}</b> ' if step.step_name else ""
    yield '<div class="line"><span class="fold" aria-hidden="true"></span>'
    yield f'<span class="name" id="n{index}"><span class="id">{escape_text(cut_id(step.step_id))}</span> '
    yield f'<span class="mark" title="{status}"><span aria-hidden="true">{GLYPHS[step.status]}</span>'
    yield f'<span class="unseen"> {status} </span></span> '
    yield f'<span class="text" dir="auto">{name}{escape_text(task_text(step))}</span></span>'
    yield f'<span class="type">{escape_text(step.step_type)}</span><span class="rest">'
    if step.outputs:
        given = "<span>, </span>".join(_output(name, name in flow.consumers) for name in dict.fromkeys(step.outputs))
        yield '<span class="gives"><span class="arrow" aria-hidden="true">→</span>'
        yield f'<span class="unseen">produces </span>{given}</span>'
    if has_progress(step):
        total = "" if step.total_count is None else f" of {step.total_count}"
        yield f'<span class="rounds">{step.done_count}{total} rounds</span>'
    if step.result:
        yield f'<span class="result" dir="auto">{escape_text(step.result)}</span>'
    yield '</span><span class="more" aria-hidden="true"></span></div>'


def _output(name: str, is_taken: bool) -> str:
    if is_taken:
        return f'<span class="var">{escape_text(name)}</span>'
    return (
        f'<span class="var unused" title="{UNUSED}">{escape_text(name)}<span class="unseen"> ({UNUSED})</span></span>'
    )


def _body(step: PlanStep, flow: DataFlow, indices: Mapping[str, int]) -> Iterator[str]:
    if not _has_body(step):
        return
    yield '<div class="body">'
    if step.inputs:
        taken = (_input(name, origin, indices) for name, origin in flow.origins[step.step_id].items())
        yield '<p class="takes"><span class="arrow" aria-hidden="true">←</span><span class="unseen">takes </span>'
        yield f"{'<span>, </span>'.join(taken)}</p>"
    for line in step.detail:
        yield f'<p dir="auto">{escape_text(line)}</p>' if line else '<p class="blank"></p>'
    yield "</div>"


def _input(name: str, origin: Origin | None, indices: Mapping[str, int]) -> str:
    if origin is None:
        return f'<span class="var missing">{escape_text(name)} <small>{MISSING}</small></span>'
    step_id = one_line(cut_id(origin.step.step_id))
    when = " in the next round" if origin.is_feedback else ""
    link = f'<a href="#s{indices[origin.step.step_id]}" tabindex="-1">from {escape_text(step_id)}{when}</a>'
    return f'<span class="var">{escape_text(name)} <small>{link}</small></span>'
