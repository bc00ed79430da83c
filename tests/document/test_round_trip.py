"""Documents whose own code has a fault: no text is given that would not read as the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from planspec_lark import CommandError, PlanCommand, PlanDocument, PlanSpec
from planspec_lark.document import rewrite as rewrite_module
from planspec_lark.document.head import edit_head
from planspec_lark.document.rewrite import PlanLines, RoundTripError

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


def _put_at_the_start(patch: pytest.MonkeyPatch) -> None:
    """All new lines go to the start."""
    patch.setattr(PlanLines, "_rank_at", lambda *_: 0)


def _drop_lines(patch: pytest.MonkeyPatch) -> None:
    """Lines that are written again are lost."""
    patch.setattr(rewrite_module, "edit_lines", lambda *_, **__: "")


def _change_head(patch: pytest.MonkeyPatch) -> None:
    """The goal is lost."""

    def lose(head: str, was: PlanSpec, plan: PlanSpec, newline: str) -> dict[str, str]:
        return edit_head(head, was, plan, newline) | {"goal": ""}

    patch.setattr(rewrite_module, "edit_head", lose)


# What is at fault, and the change that shows it.
FAULTS: dict[str, tuple[Patch, Change]] = {
    "another order": (_put_at_the_start, lambda d: d.add("5", "act")),
    "no lines": (_drop_lines, lambda d: d.set_status("1", "done")),
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
