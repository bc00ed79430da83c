"""What documents promise, each as a function that raises where the promise does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanDocument,
    PlanSpec,
    PlanStep,
    apply_command,
    iter_steps,
    parse_plan,
)
from planspec_lark.document.pieces import Piece, cut_accepted
from planspec_lark.planspec.models import _OWN

# What a step said before a change, and its id.
Said = dict[int, tuple[PlanStep, str, tuple[object, ...]]]


def is_lossless(text: str) -> None:
    """A text that is read and not changed is the same text."""
    document = PlanDocument.from_text(text)
    assert document.text == text
    assert document.plan == parse_plan(text)


def _note(plan: PlanSpec) -> Said:
    # Commands put other lists in place of those of a step, and never change them.
    return {id(step): (step, step.step_id, _OWN(step)[1:]) for step in iter_steps(plan)}


def keeps_the_rest(text: str, command: PlanCommand) -> None:
    """A command makes of a text one that reads as the changed plan; lines of steps that it does not change stay."""
    document, model = PlanDocument.from_text(text), parse_plan(text)
    before = _note(model)
    message = apply_command(model, command)
    [report] = document.apply([command])
    assert report.done == (message == "")
    assert message == ("" if report.done else report.message)
    _is_minimal(text, document.text, model, before)
    assert document.plan == model
    if command.op in ("DONE", "BLOCKED", "SKIP") and report.done:
        assert _count_changed_lines(text, document.text) <= 1
    if command.op not in ("ADD", "REPLAN"):
        assert [piece.gap for piece in cut_accepted(text)] == [piece.gap for piece in cut_accepted(document.text)]


def _is_minimal(old: str, new: str, model: PlanSpec, before: Said) -> None:
    """The new text spells the model, and steps that say the same have the same lines in the same order."""
    assert parse_plan(new) == model
    was, now = _by_id(cut_accepted(old)), _by_id(cut_accepted(new))
    same = []
    for step in iter_steps(model):
        if id(step) in before:
            _, old_id, said = before[id(step)]
            if _OWN(step)[1:] == said:
                same.append((old_id, step.step_id))
    for old_id, new_id in same:
        assert _ended(_with_id(was[old_id], old_id, new_id)) == _ended(now[new_id])
    old_order, new_order = list(was), list(now)
    by_old = sorted(same, key=lambda pair: old_order.index(pair[0]))
    assert by_old == sorted(same, key=lambda pair: new_order.index(pair[1]))
    if len(same) == len(before) == len(now) and all(old_id == new_id for old_id, new_id in same):
        assert old == new


def _ended(lines: str) -> str:
    """The text's last line may come to be ended, as others stand behind it."""
    return lines.rstrip("\r\n")


def _with_id(lines: str, old: str, new: str) -> str:
    blanks = lines[: len(lines) - len(lines.lstrip(" \t"))]
    return f"{blanks}{new}{lines[len(blanks) + len(old) :]}"


def _by_id(pieces: Iterable[Piece]) -> dict[str, str]:
    return {piece.step_id: piece.lines for piece in pieces if piece.step_id is not None}


def _count_changed_lines(old: str, new: str) -> int:
    rows = old.split("\n"), new.split("\n")
    assert len(rows[0]) == len(rows[1])
    return sum(one != other for one, other in zip(*rows, strict=True))


def goes_on(text: str, commands: list[PlanCommand], *, atomic: bool) -> None:
    """Commands together do what they do one by one; it makes no difference when the text is asked for."""
    document, looked_at, model = PlanDocument.from_text(text), PlanDocument.from_text(text), parse_plan(text)
    reports = document.apply(commands, atomic=atomic)
    if not atomic or all(report.done for report in reports):
        for command in commands:
            apply_command(model, command)
            looked_at.apply([command])
            assert parse_plan(looked_at.text) == model
        assert looked_at.text == document.text
    else:
        assert document.text == text
    assert parse_plan(document.text) == model == document.plan


Change = Callable[[PlanDocument], str]


def _refusal(document: PlanDocument, change: Change) -> str | None:
    """The code with which a change is refused, or None."""
    try:
        assert change(document)
    except CommandError as error:
        return error.code
    return None


def changes_or_refuses(text: str, changes: Iterable[Change]) -> None:
    """The text always reads as the plan; a refusal changes neither."""
    document = PlanDocument.from_text(text)
    for change in changes:
        before, plan = document.text, document.plan
        if (refusal := _refusal(document, change)) is not None:
            assert refusal.startswith("PC1")
            assert (document.text, document.plan) == (before, plan)
        assert parse_plan(document.text) == document.plan
        lines = cut_accepted(document.text)
        kept = {piece.step_id for piece in lines}
        assert len(kept) == len(lines)
