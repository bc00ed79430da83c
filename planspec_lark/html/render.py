"""A plan as one self-contained HTML file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from string import Template
from typing import TYPE_CHECKING

from planspec_lark.html.diagram import draw, lay_out
from planspec_lark.html.markup import cut_id, cut_text, escape_attribute, escape_text, read_template
from planspec_lark.html.tree import write_rows
from planspec_lark.planspec.data_flow import DataFlow, find_data_flow
from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.render import say_progress
from planspec_lark.syntax.diagnostics import count_of

if TYPE_CHECKING:
    from planspec_lark.runs.summary import StepSum

__all__ = ["render_page"]

# The order in which statuses are in the bar and in the filter.
_ORDER = (PlanStatus.DONE, PlanStatus.ACTIVE, PlanStatus.BLOCKED, PlanStatus.PENDING, PlanStatus.SKIPPED)
_STYLE, _SCRIPT = "page.css", "page.js"
# Of more steps, rows are drawn as they come into view, and the diagram when the user opens it.
_LARGE = 400
# Of the errors of a step, the last are shown.
_ERRORS = 5


def render_page(plan: PlanSpec, *, name: str = "", run: Sequence[StepSum] = ()) -> str:
    """A plan as a page for a browser: one file with a tree that folds, and a diagram of the data flow.

    Args:
        plan: any plan.
        name: of its file, which the page names where the plan has no title.
        run: what the steps of a run have taken, as :func:`planspec_lark.runs.summary.summarize_run` gives it.

    Returns:
        HTML that needs no network, nor lets anything in the plan use it: texts of the plan are only ever text, and a
        content security policy allows the page's own script and style alone.
    """
    flow = find_data_flow(plan)
    indices: dict[str, int] = {}
    for index, step in enumerate(iter_steps(plan)):
        indices.setdefault(step.step_id, index)
    title = plan.title or plan.goal or name or "Plan"
    counts = plan.progress
    return Template(read_template("page.html")).substitute(
        policy=_policy(),
        title=escape_text(cut_text(title, 120)),
        heading=escape_text(title),
        style=read_template(_STYLE),
        script=read_template(_SCRIPT),
        head="".join(_head(plan, title)),
        progress="".join(_progress(counts)),
        filters="".join(_filters(counts)),
        size=' class="many"' if counts["total"] > _LARGE else "",
        rows="".join(write_rows(plan, flow, indices)),
        diagram="".join(_diagram(plan, flow, indices)),
        run="".join(_run(run, indices)),
    )


def _policy() -> str:
    """The content security policy of the page: nothing but its own style and script, by their hashes."""
    return (
        f"default-src 'none'; script-src {_hash(_SCRIPT)}; style-src {_hash(_STYLE)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(template: str) -> str:
    digest = sha256(read_template(template).encode("utf-8")).digest()
    return f"'sha256-{b64encode(digest).decode('ascii')}'"


def _head(plan: PlanSpec, title: str) -> Iterator[str]:
    if plan.goal and plan.goal != title:
        yield f'<p class="goal" dir="auto">{escape_text(plan.goal)}</p>'
    for line in plan.goal_detail:
        yield f'<p class="detail" dir="auto">{escape_text(line)}</p>' if line else '<p class="blank"></p>'
    if plan.constraints:
        items = "".join(f'<li dir="auto">{escape_text(constraint)}</li>' for constraint in plan.constraints)
        yield f'<h2 lang="en">Constraints</h2><ul>{items}</ul>'


def _progress(counts: Mapping[str, int]) -> Iterator[str]:
    said = ", ".join(f"{counts[status.value]} {status.value}" for status in _ORDER if counts[status.value])
    yield f'<p class="sum"><strong>{say_progress(counts)}</strong> steps done</p>'
    yield f'<svg class="bar" role="img" aria-label="{escape_attribute(said or "no steps")}" height="8" width="100%">'
    at = 0.0
    for status in _ORDER:
        share = 100 * counts[status.value] / max(counts["total"], 1)
        if share:
            yield f'<rect class="{status.value}" x="{at:.3f}%" width="{share:.3f}%" height="8"/>'
        at += share
    yield "</svg>"


def _filters(counts: Mapping[str, int]) -> Iterator[str]:
    for status in _ORDER:
        yield (
            f'<button type="button" class="chip {status.value}" aria-pressed="false" data-status="{status.value}">'
            f'<span class="dot" aria-hidden="true"></span>{status.value} '
            f'<span class="count" id="count-{status.value}">{counts[status.value]}</span></button>'
        )


def _run(sums: Sequence[StepSum], indices: Mapping[str, int]) -> Iterator[str]:
    """A table of what the steps of a run have taken, and in its last row all of it."""
    if not sums:
        return
    heads = "".join(f'<th scope="col">{word}</th>' for word in ("Step", "Attempts", "Seconds", "Tokens", "Errors"))
    yield f'<section aria-labelledby="run-title"><h2 id="run-title">Run</h2><table class="run"><tr>{heads}</tr>'
    for one in sums:
        name = escape_text(cut_id(one.step)) if one.step else "all"
        linked = f'<a href="#s{indices[one.step]}">{name}</a>' if one.step in indices else name
        more = [f"{len(one.errors) - _ERRORS} before"] if len(one.errors) > _ERRORS else []
        errors = "<br>".join(map(escape_text, [*more, *one.errors[-_ERRORS:]]))
        yield f'<tr><th scope="row">{linked}</th><td>{one.attempts}</td><td>{one.seconds:.1f}</td>'
        yield f'<td>{one.tokens}</td><td dir="auto">{errors}</td></tr>'
    yield "</table></section>"


def _diagram(plan: PlanSpec, flow: DataFlow, indices: Mapping[str, int]) -> Iterator[str]:
    layout = lay_out(plan, flow)
    count = len(layout.boxes)
    if not count:
        yield '<p class="hint">No step takes or produces a variable.</p>'
        return
    left_out = sum(1 for _ in iter_steps(plan)) - count
    more = f" {count_of(left_out, 'step has', 'steps have')} no variables." if left_out else ""
    yield f'<p class="hint">From left to right, as values flow; dashed lines lead to the next round.{more}</p>'
    yield f'<details class="diagram"{"" if count > _LARGE else " open"}><summary>Diagram of {count} steps</summary>'
    yield '<div class="pane" role="region" aria-label="Diagram of the data flow" tabindex="0">'
    yield from draw(layout, indices)
    yield "</div></details>"
