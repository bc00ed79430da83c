"""Documents whose own code has a fault: the change is not kept, whatever the fault is, and nothing is lost."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from attrs import evolve

from planspec_lark import CommandError, PlanCommand, PlanDocument, PlanStep, parse_plan
from planspec_lark.document import blocks as blocks_module, document as document_module, layout
from planspec_lark.document.blocks import Blocks, LineBlock, StepPlace
from planspec_lark.document.edits import Editor
from planspec_lark.document.round_trip import RoundTripError
from planspec_lark.plan_cmd.finder import Finder, Gap
from tests.cases import in_one_test

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


def _leave_lines(patch: pytest.MonkeyPatch) -> None:
    """Of steps that go, only the first one's lines do."""
    remove = Editor._remove_lines
    patch.setattr(Editor, "_remove_lines", lambda self, steps: remove(self, [*steps][:1]))


def _find_nothing(patch: pytest.MonkeyPatch) -> None:
    """No id is taken, and no orphan is adopted."""
    room_at = Finder.room_at

    def find(self: Editor, siblings: list[PlanStep], step_id: str) -> Gap:
        return evolve(room_at(self, siblings, step_id), moved={}, adopted=[])

    patch.setattr(Finder, "room_at", find)


def _take_in_backwards(patch: pytest.MonkeyPatch) -> None:
    """What is taken in stands in another order than in the text."""
    room_at = Finder.room_at

    def find(self: Editor, siblings: list[PlanStep], step_id: str) -> Gap:
        found = room_at(self, siblings, step_id)
        return evolve(found, adopted=found.adopted[::-1])

    patch.setattr(Finder, "room_at", find)


def _take_in_a_stranger(patch: pytest.MonkeyPatch) -> None:
    """All are taken in that stand between those that are."""
    room_at = Finder.room_at

    def find(self: Editor, siblings: list[PlanStep], step_id: str) -> Gap:
        found = room_at(self, siblings, step_id)
        at = [index for index, step in enumerate(siblings) if step in found.adopted]
        return evolve(found, adopted=siblings[at[0] : at[-1] + 1])

    patch.setattr(Finder, "room_at", find)


def _note_another(patch: pytest.MonkeyPatch) -> None:
    """The id of a new step leads to a step that is none of the plan."""
    note = Finder._note
    patch.setattr(Finder, "_note", lambda self, step: note(self, copy.copy(step)))


def _put_at_the_start(patch: pytest.MonkeyPatch) -> None:
    """All new lines go to the start."""
    patch.setattr(Blocks, "_find_index", lambda *_: 1)


def _put_elsewhere_in_the_plan(patch: pytest.MonkeyPatch) -> None:
    """In the plan, all new steps go to the top."""
    take = Gap.take

    def take_top(self: Gap, step: PlanStep, finder: Finder) -> str:
        return take(evolve(self, siblings=finder.plan.steps), step, finder)

    patch.setattr(Gap, "take", take_top)


def _take_out_of_the_plan_only(patch: pytest.MonkeyPatch) -> None:
    """Lines of steps that go stay where they are, although they belong to no step any more."""
    patch.setattr(Blocks, "_unlink", lambda *_: None)


def _drop_detail(patch: pytest.MonkeyPatch) -> None:
    """Bodies of lines that are written again are lost."""
    patch.setattr(layout, "_edit_body", lambda *_: [])


def _drop_lines(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again are lost."""
    patch.setattr(blocks_module, "edit_lines", lambda *_, **__: "")


def _append(patch: pytest.MonkeyPatch, more: str) -> None:
    edit = layout.edit_lines

    def edit_more(*args: Any, **options: Any) -> str:
        return f"{edit(*args, **options)}{more}\n"

    patch.setattr(blocks_module, "edit_lines", edit_more)


def _add_lines(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again have one after them that belongs to no step."""
    _append(patch, "and more")


def _add_a_step(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again have an unknown step after them."""
    _append(patch, "9. [act] more")


def _swap_bodies(patch: pytest.MonkeyPatch) -> None:
    """The detail of step 1 stands in front of step 3, far from it: side by side the two would be right."""
    show = Blocks.show

    def swap(self: Blocks, block: LineBlock) -> str:
        step_id = block.step.step_id if block.step else ""
        shown = show(self, block)
        return f"  > kept\n{shown}" if step_id == "3" else shown.replace("\n  > kept", "") if step_id == "1" else shown

    patch.setattr(Blocks, "show", swap)


def _end_no_line(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again are not ended."""
    edit = layout.edit_lines
    patch.setattr(blocks_module, "edit_lines", lambda *args, **options: edit(*args, **options).rstrip("\n"))


def _change_head(patch: pytest.MonkeyPatch) -> None:
    """Where the steps open, the goal is lost."""
    write = Blocks._write_header

    def lose(self: Blocks) -> None:
        write(self)
        self._head.text = "## Steps\n"

    patch.setattr(Blocks, "_write_header", lose)


def _fail_at_the_second(patch: pytest.MonkeyPatch) -> None:
    """The second step that is put in fails, once it is in the plan."""
    insert = Blocks.insert
    count = 0

    def fail(self: Blocks, step: PlanStep, place: StepPlace) -> None:
        nonlocal count
        count += 1
        if count == 2:
            raise ZeroDivisionError
        insert(self, step, place)

    patch.setattr(Blocks, "insert", fail)


TWO = [PlanCommand("ADD", "2", "act", "h"), PlanCommand("DONE", "1"), PlanCommand("ADD", "1.1", "act", "i")]


def _is_refused(
    document: PlanDocument, patch: Patch, change: Change, error: type[BaseException] = RoundTripError, reason: str = ""
) -> None:
    """A change fails, with a fault that shows in it and not in those before."""
    go_back = PlanDocument._go_back
    with pytest.MonkeyPatch.context() as patched:

        def repair(one: PlanDocument) -> None:
            patched.undo()
            go_back(one)

        patched.setattr(PlanDocument, "_go_back", repair)
        patch(patched)
        with pytest.raises(error, match=reason or None):
            change(document)


# What is at fault, the change that shows it, and what is said.
FAULTS: dict[str, tuple[Patch, Change, str]] = {
    "lines of no step": (_take_out_of_the_plan_only, lambda d: d.remove("1"), "out of place"),
    "lines of steps below": (_leave_lines, lambda d: d.remove("1"), "ids and lines of"),
    "an id twice": (_find_nothing, lambda d: d.add("2", "act"), "ids and lines of"),
    "an orphan that has a parent": (_find_nothing, lambda d: d.add("4", "subtask"), "step 4 is elsewhere"),
    "orphans in another order": (_take_in_backwards, lambda d: d.add("4", "subtask"), "step 4 is elsewhere"),
    "an orphan that is none": (_take_in_a_stranger, lambda d: d.add("4", "subtask"), "step 4 is elsewhere"),
    "an id of another": (_note_another, lambda d: d.add("5", "act"), "step 5 is elsewhere"),
    "another order": (_put_at_the_start, lambda d: d.add("5", "act"), "step 5 is elsewhere"),
    "another parent": (_put_elsewhere_in_the_plan, lambda d: d.add("1.3", "act"), "step 1.3 is elsewhere"),
    "no detail": (_drop_detail, lambda d: d.set_status("1", "done"), "step 1 would read otherwise"),
    "no lines": (_drop_lines, lambda d: d.set_status("1", "done"), "there are lines that belong to no step"),
    "other lines": (_add_lines, lambda d: d.set_status("1", "done"), "there are lines that belong to no step"),
    "an unknown step": (_add_a_step, lambda d: d.set_status("1", "done"), "there are lines that belong to no step"),
    "a body elsewhere": (
        _swap_bodies,
        lambda d: d.apply([PlanCommand("DONE", "1"), PlanCommand("DONE", "3")]),
        "step 3 would read otherwise",
    ),
    "a line that does not end": (_end_no_line, lambda d: d.set_status("2", "done"), "would read otherwise"),
    "in the middle of commands": (_fail_at_the_second, lambda d: d.apply(TWO), ""),
    "in the middle of all or none": (_fail_at_the_second, lambda d: d.apply(TWO, atomic=True), ""),
}


@in_one_test
@pytest.mark.parametrize("is_seen", [True, False], ids=["seen", "unseen"])
@pytest.mark.parametrize(("patch", "change", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_fault_changes_nothing(patch: Patch, change: Change, reason: str, is_seen: bool) -> None:
    document, other = PlanDocument.from_text(TEXT), PlanDocument.from_text(TEXT)
    for one in (document, other):
        one.set_status("2", "active", "so")
        one.apply([PlanCommand("COLLAPSE", "1"), PlanCommand("ADD", "1.3", "subtask", "new")])
    if is_seen:
        assert document.text == other.text
    _is_refused(document, patch, change, RoundTripError if reason else ZeroDivisionError, reason)
    assert (document.text, document.plan) == (other.text, other.plan)
    assert document.plan.steps[0].expanded is False
    for one in (document, other):
        # How lines were read at first is still known.
        one.set_status("2", "pending", "")
        one.remove("1.3")
        change(one)
    assert document.text == other.text
    assert parse_plan(document.text) == document.plan


def test_a_head_that_would_read_otherwise_is_a_fault() -> None:
    document = PlanDocument.from_text("Goal: g\n")
    _is_refused(document, _change_head, lambda d: d.add("1", "act"), reason="what comes before the steps")
    assert document.text == "Goal: g\n"
    document.add("1", "act")
    assert document.text == "Goal: g\n## Steps\n1. [act]\n"


def test_an_interrupt_in_the_middle_changes_nothing() -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    document = PlanDocument.from_text(TEXT)
    for owner, name in ((Blocks, "_link"), (document_module, "check_change")):
        _is_refused(
            document,
            lambda patch, owner=owner, name=name: patch.setattr(owner, name, interrupt),  # type: ignore[misc]
            lambda d: d.move("2", "1.1"),
            KeyboardInterrupt,
        )
        assert document.text == TEXT
    document.move("2", "1.1")
    assert document.plan == parse_plan(document.text)


def test_what_is_to_be_taken_back_is_known_after_any_number_of_changes() -> None:
    document = PlanDocument.from_text(TEXT)
    document.set_status("1", "done", "so")
    document.add("5", "act")
    document.apply([PlanCommand("COLLAPSE", "1")])
    for _ in range(1200):
        document.set_status("3", "done", "x")
        document.set_status("3", "pending", "")
    before, plan = document.text, document.plan
    for fault in ("lines of no step", "no detail"):
        _is_refused(document, *FAULTS[fault][:2])
        assert (document.text, document.plan) == (before, plan)
        assert document.plan.steps[0].expanded is False
    document.set_status("1", "pending", "")
    document.remove("5")
    assert document.text.rstrip() == TEXT


def test_commands_belong_to_the_writer_that_gives_them() -> None:
    document = PlanDocument.from_text(TEXT)
    command = PlanCommand("ADD", "2", "act", "h", detail=["one"])
    document.apply([command])
    before = document.text
    command.description, command.detail[0] = "other", "two"
    _is_refused(document, *FAULTS["no detail"][:2])
    assert document.text == before


def test_commands_that_can_not_all_be_read_change_nothing() -> None:
    def commands() -> Iterable[PlanCommand]:
        yield PlanCommand("DONE", "1")
        raise CommandError("PC118", "no more")

    document = PlanDocument.from_text(TEXT)
    with pytest.raises(CommandError, match="no more"):
        document.apply(commands())
    assert document.text == TEXT
