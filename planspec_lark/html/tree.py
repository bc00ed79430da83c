"""The steps of a plan as rows of a tree: a flat list, since HTML cannot be nested as deep as a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from planspec_lark.html.markup import GLYPHS, MISSING, UNUSED, cut_id, quote, say
from planspec_lark.planspec.data_flow import DataFlow, Origin
from planspec_lark.planspec.fold import shows_body, shows_children
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.syntax.source import one_line

__all__ = ["Row", "find_rows", "write_rows"]

# Deeper levels are no longer indented.
_DEEPEST = 14


@frozen(eq=False)
class Row:
    """A step in the tree: its level from 1, its place among its siblings, and whether it is hidden at the start."""

    step: PlanStep
    level: int
    place: int
    siblings: int
    is_hidden: bool


def find_rows(plan: PlanSpec) -> Iterator[Row]:
    """The rows in document order."""
    todo = _siblings(plan.steps, 1, is_hidden=False)
    while todo:
        row = todo.pop()
        yield row
        is_hidden = row.is_hidden or not shows_children(row.step)
        todo += _siblings(row.step.children, row.level + 1, is_hidden=is_hidden)


def _siblings(steps: Sequence[PlanStep], level: int, *, is_hidden: bool) -> list[Row]:
    rows = [Row(step, level, place, len(steps), is_hidden) for place, step in enumerate(steps, 1)]
    return rows[::-1]


def write_rows(plan: PlanSpec, flow: DataFlow, indices: Mapping[str, int]) -> Iterator[str]:
    """The rows as HTML, piece by piece; ``indices`` are the numbers of all rows, by the ids of their steps."""
    first = True
    for row in find_rows(plan):
        yield _open(row, indices[row.step.step_id], is_first=first)
        yield from _line(row.step, flow, indices[row.step.step_id])
        yield from _body(row.step, flow, indices)
        yield "</div>\n"
        first = False


def _has_body(step: PlanStep) -> bool:
    return bool(step.inputs or step.detail)


def _open(row: Row, index: int, *, is_first: bool) -> str:
    step = row.step
    names = ["row", step.status.value, f"l{min(row.level - 1, _DEEPEST)}"]
    if step.children:
        names.append("branch" if shows_children(step) else "branch folded")
        expanded = shows_children(step)
    else:
        expanded = shows_body(step)
    if _has_body(step):
        names.append("full" if shows_body(step) else "full closed")
    if row.is_hidden:
        names.append("away")
    state = f' aria-expanded="{str(expanded).lower()}"' if step.children or _has_body(step) else ""
    return (
        f'<div class="{" ".join(names)}" role="treeitem" id="s{index}" data-id="{quote(step.step_id)}" '
        f'aria-level="{row.level}" aria-posinset="{row.place}" aria-setsize="{row.siblings}"{state} '
        f'aria-labelledby="n{index}" tabindex="{0 if is_first else -1}">'
    )


def _line(step: PlanStep, flow: DataFlow, index: int) -> Iterator[str]:
    status = step.status.value
    yield '<div class="line"><span class="fold" aria-hidden="true"></span>'
    yield f'<span class="name" id="n{index}"><span class="id">{say(cut_id(step.step_id))}</span> '
    yield f'<span class="mark" title="{status}"><span aria-hidden="true">{GLYPHS[step.status]}</span>'
    yield f'<span class="unseen"> {status} </span></span> '
    yield f'<span class="text" dir="auto">{_named(step)}{say(step.description)}</span></span>'
    yield f'<span class="type">{say(step.step_type)}</span><span class="rest">'
    if step.outputs:
        yield f'<span class="gives"><span class="arrow" aria-hidden="true">→</span>{_outputs(step, flow)}</span>'
    if step.done_count or step.total_count is not None:
        total = "" if step.total_count is None else f" of {step.total_count}"
        yield f'<span class="rounds">{step.done_count}{total} rounds</span>'
    if step.result:
        yield f'<span class="result" dir="auto">{say(step.result)}</span>'
    yield '</span><span class="more" aria-hidden="true"></span></div>'


def _named(step: PlanStep) -> str:
    return f'<b dir="auto">{say(step.step_name)}</b> ' if step.step_name else ""


def _outputs(step: PlanStep, flow: DataFlow) -> str:
    found = []
    for name in dict.fromkeys(step.outputs):
        kind, note = ("", "") if name in flow.consumers else (" unused", f'<span class="unseen"> ({UNUSED})</span>')
        title = f' title="{UNUSED}"' if note else ""
        found.append(f'<span class="var{kind}"{title}>{say(name)}{note}</span>')
    return '<span class="unseen">puts out </span>' + "<span>, </span>".join(found)


def _body(step: PlanStep, flow: DataFlow, indices: Mapping[str, int]) -> Iterator[str]:
    if not _has_body(step):
        return
    yield '<div class="body">'
    if step.inputs:
        origins = flow.origins[step.step_id]
        taken = (_input(name, origins[name], indices) for name in dict.fromkeys(step.inputs))
        yield '<p class="takes"><span class="arrow" aria-hidden="true">←</span><span class="unseen">takes </span>'
        yield f"{'<span>, </span>'.join(taken)}</p>"
    for line in step.detail:
        yield f'<p dir="auto">{say(line)}</p>' if line else '<p class="blank"></p>'
    yield "</div>"


def _input(name: str, origin: Origin | None, indices: Mapping[str, int]) -> str:
    if origin is None:
        return f'<span class="var missing">{say(name)} <small>{MISSING}</small></span>'
    step_id = one_line(cut_id(origin.step.step_id))
    when = " in the next round" if origin.is_feedback else ""
    link = f'<a href="#s{indices[origin.step.step_id]}" tabindex="-1">from {say(step_id)}{when}</a>'
    return f'<span class="var">{say(name)} <small>{link}</small></span>'
