"""Documents whose own code has a fault: no text is given that would not read as the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from attrs import evolve

from planspec_lark import CommandError, PlanCommand, PlanDocument, PlanSpec, PlanStep
from planspec_lark.document import layout, rewrite as rewrite_module
from planspec_lark.document.head import edit_head
from planspec_lark.document.rewrite import PlanLines, RoundTripError
from planspec_lark.plan_cmd.finder import Finder, Gap

TEXT = """\
\ufeff# t\r
Goal:  g

## Steps
1.  [ ]  [subtask] a
  > kept
    1.1. [act] b
  1.2.  [subtask] c

2. [subtask] d
 4.4. [act] e
3.  [act]\tf
4.2. [act] g"""

Patch = Callable[[pytest.MonkeyPatch], None]
Change = Callable[[PlanDocument], object]


def _find_nothing(patch: pytest.MonkeyPatch) -> None:
    """No id is taken, and no orphan is adopted."""
    room_at = Finder.room_at

    def find(self: Finder, siblings: list[PlanStep], step_id: str) -> Gap:
        return evolve(room_at(self, siblings, step_id), moved={}, adopted=[])

    patch.setattr(Finder, "room_at", find)


def _take_in_backwards(patch: pytest.MonkeyPatch) -> None:
    """What is taken in stands in another order than in the text."""
    room_at = Finder.room_at

    def find(self: Finder, siblings: list[PlanStep], step_id: str) -> Gap:
        found = room_at(self, siblings, step_id)
        return evolve(found, adopted=found.adopted[::-1])

    patch.setattr(Finder, "room_at", find)


def _put_at_the_start(patch: pytest.MonkeyPatch) -> None:
    """All new lines go to the start."""
    patch.setattr(PlanLines, "_rank_at", lambda *_: 0)


def _put_elsewhere_in_the_plan(patch: pytest.MonkeyPatch) -> None:
    """In the plan, all new steps go to the top."""
    take = Gap.take

    def take_top(self: Gap, step: PlanStep, finder: Finder) -> str:
        return take(evolve(self, siblings=finder.plan.steps), step, finder)

    patch.setattr(Gap, "take", take_top)


def _drop_detail(patch: pytest.MonkeyPatch) -> None:
    """Bodies of lines that are written again are lost."""
    patch.setattr(layout, "_edit_body", lambda *_: [])


def _drop_lines(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again are lost."""
    patch.setattr(rewrite_module, "edit_lines", lambda *_, **__: "")


def _append(patch: pytest.MonkeyPatch, more: str) -> None:
    edit = layout.edit_lines

    def edit_more(*args: Any, **options: Any) -> str:
        return f"{edit(*args, **options)}{more}\n"

    patch.setattr(rewrite_module, "edit_lines", edit_more)


def _add_lines(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again have one after them that belongs to no step."""
    _append(patch, "and more")


def _add_a_step(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again have an unknown step after them."""
    _append(patch, "9. [act] more")


def _end_no_line(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again are not ended."""
    edit = layout.edit_lines
    patch.setattr(rewrite_module, "edit_lines", lambda *args, **options: edit(*args, **options).rstrip("\n"))


def _change_head(patch: pytest.MonkeyPatch) -> None:
    """The goal is lost."""

    def lose(head: str, was: PlanSpec, plan: PlanSpec, newline: str) -> dict[str, str]:
        return edit_head(head, was, plan, newline) | {"goal": ""}

    patch.setattr(rewrite_module, "edit_head", lose)


# What is at fault, and the change that shows it.
FAULTS: dict[str, tuple[Patch, Change]] = {
    "an id twice": (_find_nothing, lambda d: d.add("2", "act")),
    "an orphan that has a parent": (_find_nothing, lambda d: d.add("4", "subtask")),
    "orphans in another order": (_take_in_backwards, lambda d: d.add("4", "subtask")),
    "another order": (_put_at_the_start, lambda d: d.add("5", "act")),
    "another parent": (_put_elsewhere_in_the_plan, lambda d: d.add("1.3", "act")),
    "no detail": (_drop_detail, lambda d: d.set_status("1", "done")),
    "no lines": (_drop_lines, lambda d: d.set_status("1", "done")),
    "other lines": (_add_lines, lambda d: d.set_status("1", "done")),
    "an unknown step": (_add_a_step, lambda d: d.set_status("1", "done")),
    "a line that does not end": (_end_no_line, lambda d: d.set_status("2", "done")),
    "another head": (_change_head, lambda d: d.set_status("1", "done")),
}


@pytest.mark.parametrize(("patch", "change"), FAULTS.values(), ids=FAULTS)
def test_a_text_that_would_read_otherwise_is_not_given(patch: Patch, change: Change) -> None:
    document = PlanDocument.from_text(TEXT)
    with pytest.MonkeyPatch.context() as patched:
        patch(patched)
        change(document)
        for _ in range(2):
            with pytest.raises(RoundTripError):
                _ = document.text


def test_commands_that_can_not_all_be_read_change_nothing() -> None:
    def commands() -> Iterable[PlanCommand]:
        yield PlanCommand("DONE", "1")
        raise CommandError("PC118", "no more")

    document = PlanDocument.from_text(TEXT)
    with pytest.raises(CommandError, match="no more"):
        document.apply(commands())
    assert document.text == TEXT
