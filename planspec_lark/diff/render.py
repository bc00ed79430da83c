"""A difference as a person reads it, and as JSON.

The layout is text with roles; what a role looks like is up to the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from planspec_lark.diff.models import ChangeKind, FieldChange, PlanDiff, StepChange, Value, label_of
from planspec_lark.planspec.models import PlanStatus, PlanStep, has_progress, plain
from planspec_lark.planspec.printer import progress_text, task_text
from planspec_lark.planspec.render import Line, StyledText
from planspec_lark.syntax.diagnostics import count_of, shorten
from planspec_lark.syntax.safe_text import visible

__all__ = ["diff_to_dict", "show_diff"]

_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "-", ChangeKind.CHANGED: "~"}
# How many steps with new ids are named, and how many characters of an id are shown.
_NAMED, _ID = 3, 40


def show_diff(diff: PlanDiff) -> Iterator[Line]:
    """Lay a difference out: lines without line breaks, with nothing in them that could steer a terminal.

    The roles of pieces are label, id, added, removed, changed, moved, text and note. Of a step that has come or gone,
    progress, inputs and detail are on lines of their own.
    """
    for field in diff.head:
        yield from _field(field, "")
    shown = [change for change in diff.steps if change.kind is not ChangeKind.RENUMBERED]
    if shown:
        yield (StyledText("label", "steps"),)
    for change in shown:
        yield from _step(change)
    renumbered = [change for change in diff.steps if change.kind is ChangeKind.RENUMBERED]
    if renumbered:
        yield (StyledText("note", _name_renumbered(renumbered)),)


def _name_renumbered(changes: list[StepChange]) -> str:
    pairs = [(change.old, change.step) for change in changes[:_NAMED] if change.old]
    named = ", ".join(f"{shorten(old.step_id, _ID)} is now {shorten(new.step_id, _ID)}" for old, new in pairs)
    more = len(changes) - _NAMED
    count = count_of(len(changes), "more step has", "more steps have")
    return f"{count} another id: {named}{f' and {more} more' if more > 0 else ''}"


def _step(change: StepChange) -> Iterator[Line]:
    role, sign = change.kind.value, _SIGNS[change.kind]
    old, new = change.old, change.step
    if old is None or change.new is None:
        yield (StyledText(role, f"  {sign} {_in_a_line(new)}"),)
        yield from ((StyledText(role, f"      {visible(row)}"),) for row in _body(new))
        return
    title = visible(new.step_name or new.description or f"[{new.step_type}]")
    pieces = [
        StyledText(role, f"  {sign} "),
        StyledText("id", shorten(new.step_id, _ID)),
        StyledText("text", f" {title}"),
    ]
    if old.step_id != new.step_id:
        pieces.append(StyledText("note", f" (was {shorten(old.step_id, _ID)})"))
    if change.is_moved:
        pieces.append(StyledText("moved", " moved"))
    yield tuple(pieces)
    for field in change.fields:
        yield from _field(field, "      ")


def _in_a_line(step: PlanStep) -> str:
    parts = [
        shorten(step.step_id, _ID),
        "" if step.status is PlanStatus.PENDING else f"({step.status.value})",
        step.step_name,
        f"[{step.step_type}]",
        task_text(step),
        f"→ {', '.join(step.outputs)}" if step.outputs else "",
        f"| {step.result}" if step.result else "",
    ]
    return visible(" ".join(filter(None, parts)))


def _body(step: PlanStep) -> Iterator[str]:
    if has_progress(step):
        yield progress_text(step)
    if step.inputs:
        yield f"← {', '.join(step.inputs)}"
    yield from step.detail


def _field(change: FieldChange, indent: str) -> Iterator[Line]:
    name = label_of(change.name)
    old, new = _texts(change.old), _texts(change.new)
    if len(old) == len(new) == 1 and change.name in ("status", "progress", "step_type", "step_name"):
        yield (
            StyledText("label", f"{indent}{name}: "),
            StyledText("removed", old[0]),
            StyledText("text", " → "),
            StyledText("added", new[0]),
        )
        return
    yield (StyledText("label", f"{indent}{name}"),)
    gone = [StyledText("removed", f"{indent}  - {visible(text)}") for text in _only_in(old, new)]
    come = [StyledText("added", f"{indent}  + {visible(text)}") for text in _only_in(new, old)]
    note = StyledText("note", f"{indent}  the same in another order")
    yield from ((piece,) for piece in [*gone, *come] or [note])


def _only_in(items: list[str], others: list[str]) -> Iterator[str]:
    """The items that only one of two lists has, each as often as it has it more."""
    left = Counter(others)
    for item in items:
        left[item] -= 1
        if left[item] < 0:
            yield item


def _texts(value: Value) -> list[str]:
    """A value as lines."""
    if isinstance(value, PlanStatus):
        return [value.value]
    if isinstance(value, str):
        return [value] if value else []
    if value and isinstance(value[0], int):
        return ["/".join(str(count) for count in value if count is not None)]
    return [str(item) for item in value]


# ---------------------------------------------------------------- JSON


def diff_to_dict(diff: PlanDiff) -> dict[str, Any]:
    """A difference as values of JSON.

    Returns:
        ``head``: the fields that differ; ``steps``: of each its ``kind``, ``old_id`` and ``new_id`` (null where it has
        none), what one calls it (``name`` and ``description``), whether it ``moved``, and its ``fields``. A field has
        its ``name``, and what it was and is (``old``, ``new``).
    """
    return {"head": [*map(_field_value, diff.head)], "steps": [*map(_step_value, diff.steps)]}


def _step_value(change: StepChange) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "old_id": change.old.step_id if change.old else None,
        "new_id": change.new.step_id if change.new else None,
        "name": change.step.step_name,
        "description": change.step.description,
        "moved": change.is_moved,
        "fields": [*map(_field_value, change.fields)],
    }


def _field_value(change: FieldChange) -> dict[str, Any]:
    return {"name": change.name, "old": plain(change.old), "new": plain(change.new)}
