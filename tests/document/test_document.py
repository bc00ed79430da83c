"""Documents that are changed: what exactly becomes of their text."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanDocument,
    PlanStatus,
    PlanSyntaxError,
    apply_commands,
    find_step,
    parse_plan,
    parse_plan_commands,
)
from planspec_lark.syntax import Limits
from tests.cases import in_one_test

# Of everything some.
PLAN = """\
\ufeff#  Rivets\r
\r
**Goal**:   Ship the boat
>no rust

## Constraints
-   Nobody dives

##  Steps

1.  [x]   one\t[act]   Measure  →  size ,width   |  3 m   |  Progress:  01/02  |  wide  \t
\t>  ←ruler , rope
\t>  twice
\r
2. [ ] [subtask] Build
\t> ← size

\t2.1.   [act]  Cut → planks\r
\t2.2. [ ] [decide] Enough
\t\t2.2.1. [act] Buy\r
3. [ ] [act] Paint"""

ROWS = PLAN.split("\n")


def changes(commands: str, text: str = PLAN) -> list[str]:
    """The lines that went (-) and came (+) at the hands of commands that all succeed, in the order of the text."""
    document, plan = PlanDocument.from_text(text), parse_plan(text)
    assert apply_commands(plan, parse_plan_commands(commands)) == []
    assert [report for report in document.apply(parse_plan_commands(commands)) if not report.done] == []
    assert parse_plan(document.text) == document.plan == plan
    return difference(text, document.text)


def difference(old: str, new: str) -> list[str]:
    """As those of two texts, of which the lines at the start and at the end are the same."""
    was, now = old.splitlines(keepends=True), new.splitlines(keepends=True)
    while was and now and was[0] == now[0]:
        was, now = was[1:], now[1:]
    while was and now and was[-1] == now[-1]:
        was, now = was[:-1], now[:-1]
    return [f"-{row}" for row in was] + [f"+{row}" for row in now]


ONE = "1.  [x]   one\t[act]   Measure  →  size ,width   |  3 m   |  Progress:  01/02  |  wide  \t\n"
TWO = "2. [ ] [subtask] Build\n"

# Commands, and the lines that go and come.
LINES = {
    "the status it has": ("DONE 1", []),
    "the result it has": ("DONE 1 | 3 m | wide", []),
    "a line that changes is written as it is printed": (
        "BLOCKED 1",
        [f"-{ONE}", "+1. [!] one [act] Measure → size, width | 3 m | wide | Progress: 1/2\n"],
    ),
    "a pending mark becomes another": ("DONE 2", [f"-{TWO}", "+2. [x] [subtask] Build\n"]),
    "a mark where none was": (
        "DONE 2.1",
        ["-\t2.1.   [act]  Cut → planks\r\n", "+\t2.1. [x] [act] Cut → planks\r\n"],
    ),
    "a result where none was": ("SKIP 2 | no", [f"-{TWO}", "+2. [~] [subtask] Build | no\n"]),
    "a result at the end of the text": ("SKIP 3 | no", ["-3. [ ] [act] Paint", "+3. [~] [act] Paint | no"]),
    "a result that has to be escaped": (
        "DONE 3 | | Progress: none",
        ["-3. [ ] [act] Paint", "+3. [x] [act] Paint | \\| Progress: none"],
    ),
    "another description": (
        "REVISE 1 [act] Guess → size, width",
        [f"-{ONE}", "+1. [ ] one [act] Guess → size, width\n"],
    ),
    "outputs where none were": ("REVISE 2 [subtask] Build → hull", [f"-{TWO}", "+2. [ ] [subtask] Build → hull\n"]),
    "no description": ("REVISE 3 [act]", ["-3. [ ] [act] Paint", "+3. [ ] [act]"]),
    "an arrow that is none": (
        "REVISE 2.1 [act] Cut \\→ planks",
        ["-\t2.1.   [act]  Cut → planks\r\n", "+\t2.1. [ ] [act] Cut \\→ planks\r\n"],
    ),
    "a revision of the body": (
        "REVISE 2 [subtask] Build\n> ← size, width\n> quick",
        ["-\t> ← size\n", "+\t> ← size, width\n", "+\t> quick\n"],
    ),
    "other detail, the same inputs": (
        "REVISE 2.1 [act] Cut → planks\n> Mind the saw",
        ["+\t\t> Mind the saw\r\n"],
    ),
    "no inputs": ("REVISE 2 [subtask] Build\n> quick", ["-\t> ← size\n", "+\t> quick\n"]),
    "children go": (
        "REPLAN 2",
        [f"-{row}\n" for row in ROWS[17:20]],
    ),
    "a child of a child": ("REPLAN 2.2", ["-\t\t2.2.1. [act] Buy\r\n"]),
    "nothing in the text": ("EXPAND 1\nPLAN_CMD: COLLAPSE 2\nPLAN_CMD: REPLAN ALL", []),
    "a new first child": (
        "ADD 2.1 [act] Draw",
        [
            "-\t2.1.   [act]  Cut → planks\r\n",
            "-\t2.2. [ ] [decide] Enough\n",
            "-\t\t2.2.1. [act] Buy\r\n",
            "+\t2.1. [ ] [act] Draw\n",
            "+\t2.2.   [act]  Cut → planks\r\n",
            "+\t2.3. [ ] [decide] Enough\n",
            "+\t\t2.3.1. [act] Buy\r\n",
        ],
    ),
    "a new last child": (
        "ADD 2.3 [act] Float\n> ← hull\n> ",
        ["+\t2.3. [ ] [act] Float\r\n", "+\t\t> ← hull\r\n", "+\t\t>\r\n"],
    ),
    "a new child where none is": ("ADD 2.2.2 [act] Sell", ["+\t\t2.2.2. [ ] [act] Sell\r\n"]),
    "a new last step": ("ADD 4 [act] Sail", ["-3. [ ] [act] Paint", "+3. [ ] [act] Paint\r\n", "+4. [ ] [act] Sail"]),
}


@in_one_test
@pytest.mark.parametrize(("command", "lines"), LINES.values(), ids=LINES)
def test_the_lines_that_go_and_come(command: str, lines: list[str]) -> None:
    assert changes(f"PLAN_CMD: {command}") == lines


# Commands on small texts, and what becomes of these.
TEXTS = {
    "the empty text": ("", "ADD 1 [act] a", "## Steps\n1. [act] a\n"),
    "a byte-order mark": ("\ufeff", "ADD 1 [act] a", "\ufeff## Steps\n1. [act] a\n"),
    "a byte-order mark and blank lines": ("\ufeff\r\n", "ADD 1 [act] a", "\ufeff\r\n## Steps\r\n1. [act] a\r\n"),
    "blank lines": (" \n\n", "ADD 1 [act] a", "## Steps\n1. [act] a\n \n\n"),
    "no steps": ("Goal: g\n", "ADD 1 [act] a", "Goal: g\n## Steps\n1. [act] a\n"),
    "no steps, no end": ("Goal: g", "ADD 1 [act] a\n> b", "Goal: g\n## Steps\n1. [act] a\n  > b"),
    "no steps, parts set off": (
        "# t\r\n\r\nGoal: g\r\n",
        "ADD 1 [act] a",
        "# t\r\n\r\nGoal: g\r\n\r\n## Steps\r\n1. [act] a\r\n",
    ),
    "steps without a header": (
        "1. [act] a\r\n2. [act] b",
        "ADD 1 [act] c\nPLAN_CMD: ADD 4 [act] d\nPLAN_CMD: DONE 2",
        "1. [act] c\r\n2. [x] [act] a\r\n3. [act] b\r\n4. [act] d",
    ),
    "the only step, without a header": ("1. [act] a", "ADD 1 [act] b", "1. [act] b\n2. [act] a"),
    "steps right behind a byte-order mark": (
        "\ufeff  1. [act] a\n",
        "ADD 1 [act] b\nPLAN_CMD: DONE 2 | c",
        "\ufeff  1. [act] b\n  2. [x] [act] a | c\n",
    ),
    "steps behind blank lines": ("\n \n1. [act] a\n", "ADD 1 [act] b", "\n \n1. [act] b\n2. [act] a\n"),
    "an empty list": (" ## Steps \r\n\r\n", "ADD 1 [act] a", " ## Steps \r\n 1. [act] a\r\n\r\n"),
    "a header without an end": ("##\tSteps", "ADD 1 [act] a", "##\tSteps\n1. [act] a"),
    "an end, then a last step": ("## Steps\n1. [act] a\n", "ADD 2 [act] b", "## Steps\n1. [act] a\n2. [act] b\n"),
    "steps set off": (
        "## Steps\n\n1. [act] a\n \n\n2. [act] b\n",
        "ADD 2 [act] c\nPLAN_CMD: ADD 1 [act] d\nPLAN_CMD: ADD 5 [act] e",
        "## Steps\n\n1. [act] d\n\n2. [act] a\n \n\n3. [act] c\n\n4. [act] b\n\n5. [act] e\n",
    ),
    "blank lines at the end": ("## Steps\n1. [act] a\n\n\t", "ADD 2 [act] b", "## Steps\n1. [act] a\n2. [act] b\n\n\t"),
    "line ends of the line in front": (
        "## Steps\n1. [act] a\r\n2. [act] b\n",
        "ADD 2 [act] c\nPLAN_CMD: ADD 4 [act] d",
        "## Steps\n1. [act] a\r\n2. [act] c\r\n3. [act] b\n4. [act] d\n",
    ),
    "indentation of a sibling": (
        "## Steps\n   1. [subtask] a\n 1.1. [act] b\n",
        "ADD 1.2 [act] c\nPLAN_CMD: ADD 2 [act] d",
        "## Steps\n   1. [subtask] a\n 1.1. [act] b\n 1.2. [act] c\n   2. [act] d\n",
    ),
    "indentation that a document is used to": (
        "## Steps\n1. [subtask] a\n1.1. [act] b\n       > c\n2. [subtask] d\n",
        "ADD 2.1 [act] e\n> f",
        "## Steps\n1. [subtask] a\n1.1. [act] b\n       > c\n2. [subtask] d\n2.1. [act] e\n       > f\n",
    ),
    "behind children that come late": (
        "## Steps\n1. [subtask] a\n2. [subtask] b\n1.1. [act] c\n2.1. [act] d\n",
        "ADD 3 [act] e\nPLAN_CMD: ADD 1.2 [act] f",
        "## Steps\n1. [subtask] a\n2. [subtask] b\n3. [act] e\n1.1. [act] c\n1.2. [act] f\n2.1. [act] d\n",
    ),
    "children anywhere go": (
        "## Steps\n1.1. [act] a\n2. [act] b\n1.2.1. [act] c\n1. [subtask] d\n> e\n3. [act] f\n1.2. [subtask] g",
        "REPLAN 1",
        "## Steps\n2. [act] b\n1. [subtask] d\n> e\n3. [act] f\n",
    ),
    "children anywhere go, blank lines stay in between": (
        "## Steps\n1. [subtask] a\n\n1.1. [act] b\n\n\n2. [act] c\n\n1.2. [act] d\n \n",
        "REPLAN 1",
        "## Steps\n1. [subtask] a\n\n2. [act] c\n \n",
    ),
    "orphans are taken in": (
        "## Steps\n1. [act] a\n2.1. [act] b\n 2.3. [act] c\n3. [act] d\n",
        "ADD 2 [subtask] e",
        "## Steps\n1. [act] a\n2. [subtask] e\n2.1. [act] b\n 2.3. [act] c\n3. [act] d\n",
    ),
    "orphans out of order": (
        "## Steps\n3. [act] a\n2.1. [act] b\n1. [act] c\n",
        "ADD 2 [subtask] d",
        "## Steps\n2. [subtask] d\n3. [act] a\n2.1. [act] b\n1. [act] c\n",
    ),
    "numbers become longer": (
        "## Steps\n 9.  [subtask] a\n   9.1. [act]\n",
        "ADD 9 [act] b",
        "## Steps\n 9. [act] b\n 10.  [subtask] a\n   10.1. [act]\n",
    ),
    "a type that looks like a mark": ("## Steps\n1. [ ] [x] a\n", "DONE 1", "## Steps\n1. [x] [x] a\n"),
    "explicit marks": (
        "## Steps\n1. [x] [act] a\n2. [ ] [act] b\n",
        "REVISE 1 [act] a",
        "## Steps\n1. [ ] [act] a\n2. [ ] [act] b\n",
    ),
    "hardly any explicit marks": (
        "## Steps\n1. [x] [act] a\n2. [ ] [act] b\n3. [act] c\n4. [act] d\n",
        "REVISE 1 [act] a\nPLAN_CMD: ADD 5 [act] e",
        "## Steps\n1. [act] a\n2. [ ] [act] b\n3. [act] c\n4. [act] d\n5. [act] e\n",
    ),
    "detail in the middle": (
        "## Steps\n1. [act] a\n>b\n\n  >c\n>  d\n> e",
        "REVISE 1 [act] a\n> b\n> x\n> y\n>  d\n> e",
        "## Steps\n1. [act] a\n>b\n\n> x\n> y\n>  d\n> e",
    ),
    "less detail": (
        "## Steps\r\n1. [act] a\r\n> b\r\n\r\n> c\r\n> d",
        "REVISE 1 [act] a\n> d",
        "## Steps\r\n1. [act] a\r\n\r\n> d",
    ),
    "detail in front": (
        "## Steps\n1. [act] a\n  > b",
        "REVISE 1 [act] a\n> x\n> b",
        "## Steps\n1. [act] a\n  > x\n  > b",
    ),
    "detail at the end": (
        "## Steps\n1. [act] a\n  > b",
        "REVISE 1 [act] a\n> b\n> x",
        "## Steps\n1. [act] a\n  > b\n  > x",
    ),
    "inputs in several lines": (
        "## Steps\n1. [act] a\n > b\n  > ←  c ,d \n > ← e\n",
        "REVISE 1 [act] a\n> b\n> ← e, c",
        "## Steps\n1. [act] a\n > b\n  > ←  e, c \n",
    ),
    "detail that looks like inputs": (
        "## Steps\n1. [act] a\n> ← b\n",
        "REVISE 1 [act] a\n> ← b\n> \\← b",
        "## Steps\n1. [act] a\n> ← b\n> \\← b\n",
    ),
}


@in_one_test
@pytest.mark.parametrize(("text", "command", "now"), TEXTS.values(), ids=TEXTS)
def test_what_becomes_of_a_text(text: str, command: str, now: str) -> None:
    document, plan = PlanDocument.from_text(text), parse_plan(text)
    commands = parse_plan_commands(f"PLAN_CMD: {command}")
    assert apply_commands(plan, commands) == []
    assert all(report.done for report in document.apply(commands, atomic=True))
    assert document.text == now
    assert parse_plan(now) == document.plan == plan


def test_what_is_undone_leaves_no_trace() -> None:
    document = PlanDocument.from_text(PLAN)
    for step_id in ("1", "2.1", "3"):
        step = find_step(document.plan, step_id)
        assert step is not None
        document.set_status(step_id, PlanStatus.ACTIVE, "so")
        assert document.text != PLAN
        document.set_status(step_id, step.status, step.result)
        assert document.text == PLAN
    for step_id in ("1", "2", "2.1", "2.2.1", "2.2.2", "3", "4"):
        document.add(step_id, "act", "here", detail=["a"])
        document.remove(step_id, renumber=True)
        assert document.text == PLAN
    moved = PlanDocument.from_text(PLAN)
    moved.move("2.1", "2.9")
    moved.move("2.9", "2.1")
    assert moved.text == PLAN


def test_statuses_and_results() -> None:
    document = PlanDocument.from_text("## Steps\n1. [act] a\n2. [x] [act] b | c")
    assert document.set_status("1", "active") == "step 1: pending → active"
    assert document.set_status("2", PlanStatus.PENDING) == "step 2: done → pending"
    assert document.text == "## Steps\n1. [>] [act] a\n2. [act] b | c"
    document.set_status("2", PlanStatus.BLOCKED, "")
    assert document.text == "## Steps\n1. [>] [act] a\n2. [!] [act] b"


def test_adding_takes_texts_as_they_are() -> None:
    document = PlanDocument.from_text("## Steps\n1. [subtask] a\n")
    said = document.add("1.1", "act", "b | c → d", name="n", inputs=["e", "f"], detail=["← g", " h"])
    assert said == "step 1.1 added"
    document.add("1.1", "reason", "i → j", outputs=["k"])
    assert document.text == (
        "## Steps\n1. [subtask] a\n  1.1. [reason] i → j → k\n"
        "  1.2. n [act] b \\| c \\→ d\n    > ← e, f\n    > \\← g\n    >  h\n"
    )
    step = find_step(document.plan, "1.2")
    assert step is not None
    assert (step.description, step.inputs, step.detail) == ("b | c → d", ["e", "f"], ["← g", " h"])


RUN = """\
## Steps
1. [act] a
2. [subtask] b
  2.1. [subtask] c
    2.1.1. [act] d

  2.2. [act] e
3. [act] f
5. [act] g
"""


def test_removing() -> None:
    document = PlanDocument.from_text(RUN)
    assert document.remove("2.1") == "step 2.1 removed with 1 step below it"
    assert document.remove("1", renumber=True) == "step 1 removed, 2 steps after it moved down by one"
    assert document.text == "## Steps\n1. [subtask] b\n  1.2. [act] e\n2. [act] f\n5. [act] g\n"
    assert document.remove("5", renumber=True) == "step 5 removed"
    assert document.remove("1") == "step 1 removed with 1 step below it"
    assert document.text == "## Steps\n2. [act] f\n"
    document.remove("2")
    assert document.text == "## Steps\n"


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("1. [act] a", "3. [act] a"),
        ("\ufeff1. [act] a", "\ufeff3. [act] a"),
        ("\r\n1. [act] a\r\n", "\r\n3. [act] a\r\n"),
        ("Goal: g\n\n1. [act] a\n", "Goal: g\n\n3. [act] a\n"),
        ("Goal: g\n## Steps\n\n1. [act] a\n", "Goal: g\n## Steps\n\n3. [act] a\n"),
    ],
)
def test_the_only_step_moves_and_brings_no_header(text: str, moved: str) -> None:
    document = PlanDocument.from_text(text)
    assert document.move("1", "3") == "step 1 moved to 3"
    assert document.text == moved


def test_the_last_step_without_a_header_goes_and_another_comes() -> None:
    document = PlanDocument.from_text("Goal: g\r\n1. [act] a\r\n2. [act] b")
    document.remove("2")
    assert document.text == "Goal: g\r\n1. [act] a\r\n"
    document.remove("1")
    assert document.text == "Goal: g\r\n"
    document.add("1", "act", "c")
    assert document.text == "Goal: g\r\n## Steps\r\n1. [act] c\r\n"


def test_removing_among_orphans() -> None:
    text = "## Steps\n1. [subtask] a\n1.2.1. [act] b\n1.2.2.7. [act] c\n1.2.4. [act] d\n1.3. [act] e\n"
    document = PlanDocument.from_text(text)
    assert document.remove("1.2.1", renumber=True) == "step 1.2.1 removed, 1 step after it moved down by one"
    assert document.text == "## Steps\n1. [subtask] a\n1.2.1.7. [act] c\n1.2.4. [act] d\n1.3. [act] e\n"


def test_removing_does_not_renumber_others_of_a_step_that_is_missing() -> None:
    document = PlanDocument.from_text("## Steps\n2. [subtask] a\n2.2.1. [act] b\n2.3. [act] c\n")
    assert document.remove("2.2.1", renumber=True) == "step 2.2.1 removed"
    assert document.text == "## Steps\n2. [subtask] a\n2.3. [act] c\n"


def test_removing_out_of_order() -> None:
    document = PlanDocument.from_text("## Steps\n3. [act] a\n1. [act] b\n2. [act] c\n")
    document.remove("3")
    document.remove("1", renumber=True)
    assert document.text == "## Steps\n1. [act] c\n"


def test_removing_far_below_what_is_missing() -> None:
    far = "1.2" + ".1" * 50
    document = PlanDocument.from_text(f"## Steps\n1. [subtask] a\n{far}. [act] b\n{far}.3.4. [act] c\n2. [act] d\n")
    assert document.move(far, "3") == f"step {far} moved to 3"
    assert document.text == "## Steps\n1. [subtask] a\n2. [act] d\n3. [act] b\n3.3.4. [act] c\n"


# A place to go to, what is said, and the text then.
MOVES = {
    "to the end": ("1", "6", "step 1 moved to 6", "2 2.1 2.1.1 2.2 3 5 6"),
    "among the others": ("5", "1", "step 5 moved to 1, 3 steps after it moved up by one", "1 2 3 3.1 3.1.1 3.2 4"),
    "to the number that it leaves free": (
        "3",
        "2",
        "step 3 moved to 2, 1 step after it moved up by one",
        "1 2 3 3.1 3.1.1 3.2 5",
    ),
    "with all below": ("2.1", "4", "step 2.1 moved to 4", "1 2 2.2 3 4 4.1 5"),
    "below another": (
        "3",
        "2.1.1",
        "step 3 moved to 2.1.1, 1 step after it moved up by one",
        "1 2 2.1 2.1.1 2.1.2 2.2 5",
    ),
    "nowhere": ("2", "2", "step 2 stays where it is", "1 2 2.1 2.1.1 2.2 3 5"),
    "to another number only": ("5", "4", "step 5 moved to 4", "1 2 2.1 2.1.1 2.2 3 4"),
}


@pytest.mark.parametrize(("step_id", "to", "said", "ids"), MOVES.values(), ids=MOVES)
def test_moving(step_id: str, to: str, said: str, ids: str) -> None:
    document = PlanDocument.from_text(RUN)
    words = {step.split()[-1] for step in RUN.split("\n")[1:-1] if step}
    assert document.move(step_id, to) == said
    rows = [row.split() for row in document.text.split("\n")[1:-1] if row.strip()]
    assert " ".join(row[0].removesuffix(".") for row in rows) == ids
    assert {row[-1] for row in rows} == words
    assert parse_plan(document.text) == document.plan


def test_moved_lines_are_indented_as_their_new_siblings() -> None:
    text = (
        "## Steps\n1. [subtask] a\n    1.1. [subtask] b\n        > c\n\n      > d\n        1.1.1. [act] e\n2. [act] f"
    )
    document = PlanDocument.from_text(text)
    document.move("1.1", "3")
    assert document.text == ("## Steps\n1. [subtask] a\n2. [act] f\n3. [subtask] b\n    > c\n\n  > d\n    3.1. [act] e")
    document.move("3", "1.1")
    assert document.text == text


def test_a_move_in_its_place_changes_nothing_but_ids() -> None:
    text = "## Steps\n  1.  [subtask] a\n1.1. [act] b\n\n 4. [act] c\n"
    document = PlanDocument.from_text(text)
    document.move("1", "3")
    assert document.text == "## Steps\n  3.  [subtask] a\n3.1. [act] b\n\n 4. [act] c\n"


ORPHANS = "## Steps\n1. [subtask] a\n> b\n2. [act] c\n\n   4.4. [act] d\n3. [act] e\n 4.2. [act] f"

# Moves by which a step takes orphans in, and the text then.
TAKEN_IN = {
    "behind others": (
        ("1", "4"),
        "## Steps\n2. [act] c\n\n4. [subtask] a\n> b\n\n   4.4. [act] d\n3. [act] e\n 4.2. [act] f",
    ),
    "an orphan": (
        ("4.4", "4"),
        "## Steps\n1. [subtask] a\n> b\n2. [act] c\n\n3. [act] e\n4. [subtask] d\n 4.2. [act] f",
    ),
}


@pytest.mark.parametrize(("move", "now"), TAKEN_IN.values(), ids=TAKEN_IN)
def test_a_step_that_moves_takes_orphans_in_and_their_lines_stay(move: tuple[str, str], now: str) -> None:
    document = PlanDocument.from_text(ORPHANS.replace("[act] d", "[subtask] d") if move[0] == "4.4" else ORPHANS)
    document.move(*move)
    assert document.text == now
    assert parse_plan(document.text) == document.plan


def test_a_step_that_moves_in_place_of_nothing_takes_in_what_stands_there() -> None:
    document = PlanDocument.from_text("## Steps\n1. [subtask] a\n2. [act] b\n4.4. [act] c\n")
    document.move("1", "4")
    assert document.text == "## Steps\n2. [act] b\n4. [subtask] a\n4.4. [act] c\n"


def test_a_refused_move_leaves_nothing_behind() -> None:
    # Without the step that was to move, the others are in order; with it they do not, and it has to be found.
    document = PlanDocument.from_text("## Steps\n1. [act] a\n999999999. [act] b\n2. [act] c\n")
    with pytest.raises(CommandError, match="cannot be raised"):
        document.move("2", "999999999")
    assert document.add("2", "act", "d") == "step 2 added, 1 step after it moved up by one"
    assert document.text == "## Steps\n1. [act] a\n2. [act] d\n999999999. [act] b\n3. [act] c\n"
    assert parse_plan(document.text) == document.plan


def test_renaming() -> None:
    document = PlanDocument.from_text("## Steps\n1.  [x]  [act] a\n2.  one\t[act] b\n3.\tx  [x]  c\n")
    assert document.rename("1", "加载") == "step 1 is called 加载"
    assert document.rename("2", "two") == "step 2 is called two"
    # Without its name, the type would be read as a mark.
    assert document.rename("3", "") == "step 3 has no name"
    assert document.text == "## Steps\n1. [x] 加载 [act] a\n2. two [act] b\n3. [ ] [x] c\n"
    assert document.rename("3", "one")


def test_names_that_come_and_go() -> None:
    document = PlanDocument.from_text("## Steps\n1. one [act] a\n2. [subtask] b\n2.1. two [act] c\n")
    for name in ("one", "two"):
        with pytest.raises(CommandError, match=f"another step already has the name `{name}`"):
            document.rename("2", name)
    document.remove("1")
    document.apply([PlanCommand("REPLAN", "2")])
    document.add("3", "act", name="two")
    assert document.rename("2", "one") == "step 2 is called one"
    with pytest.raises(CommandError, match="another step already has the name `two`"):
        document.rename("2", "two")


def test_the_id_of_a_new_step() -> None:
    document = PlanDocument.from_text("## Steps\n1. one [act] a\n2. pack [subtask] b\n2.1. [act] c\n")
    assert [document.free_id(above) for above in ("", "1", "2", "pack")] == ["3", "1.1", "2.2", "2.2"]
    with pytest.raises(CommandError, match="no step has the id or name `7`"):
        document.free_id("7")


LEAF = "which cannot have children"
REFUSALS: list[tuple[Callable[[PlanDocument], str], str, str]] = [
    (lambda d: d.set_status("9", "done"), "PC111", "SET 9: step 9 does not exist"),
    (
        lambda d: d.set_status("1", "well"),
        "PC118",
        "SET 1: status: 'well' is not one of pending, active, done, blocked, skipped",
    ),
    (
        lambda d: d.set_status("1", "done", "a\nb"),
        "PC118",
        "SET 1: result: a line break cannot be written in a plan; one_line() makes one line of any text",
    ),
    (lambda d: d.add("9.1", "act"), "PC112", "ADD 9.1: the parent step 9 does not exist"),
    (lambda d: d.add("1.1", "act"), "PC113", f"ADD 1.1: step 1 is of type `act`, {LEAF}"),
    (
        lambda d: d.add("6", "do"),
        "PC114",
        "ADD 6: unknown type `do`; the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`",
    ),
    (lambda d: d.add("x", "act"), "PC118", "ADD x: step_id: 'x' is not numbers joined by dots, such as '2.1'"),
    (lambda d: d.add("6", "act", name="n"), "PC120", "ADD 6: another step already has the name `n`"),
    (lambda d: d.add("6", "act", name="٣"), "PC118", "ADD 6: a name cannot be a number alone, as ids are: `٣`"),
    (lambda d: d.rename("1", "n"), "PC120", "RENAME 1: another step already has the name `n`"),
    (lambda d: d.rename("1", "12"), "PC118", "RENAME 1: a name cannot be a number alone, as ids are: `12`"),
    (
        lambda d: d.rename("1", "a b"),
        "PC118",
        "RENAME 1: step_name: 'a b' is not a name (letters, digits, `_` and `-`)",
    ),
    (lambda d: d.rename("9", "a"), "PC111", "RENAME 9: step 9 does not exist"),
    (lambda d: d.remove("9"), "PC111", "REMOVE 9: step 9 does not exist"),
    (lambda d: d.move("9", "1"), "PC111", "MOVE 9 to 1: step 9 does not exist"),
    (lambda d: d.move("1", "01"), "PC118", "MOVE 1 to 01: step_id: '01' is not numbers joined by dots, such as '2.1'"),
    (lambda d: d.move("2", "2.1.1"), "PC119", "MOVE 2 to 2.1.1: a step cannot move below itself"),
    (lambda d: d.move("1", "7.1"), "PC112", "MOVE 1 to 7.1: the parent step 7 does not exist"),
    (lambda d: d.move("1", "2.2.1"), "PC113", f"MOVE 1 to 2.2.1: step 2.2 is of type `act`, {LEAF}"),
    (
        lambda d: d.move("1", "4"),
        "PC113",
        "MOVE 1 to 4: step 4.1 would become its child, and a leaf cannot have children",
    ),
    (
        lambda d: d.move("2", "4"),
        "PC117",
        "MOVE 2 to 4: the step has children already, and step 4.1 would become another one",
    ),
    (
        lambda d: d.move("1", "999999999"),
        "PC117",
        "MOVE 1 to 999999999: the number of step 999999999 cannot be raised",
    ),
]


@in_one_test
@pytest.mark.parametrize(("change", "code", "message"), REFUSALS)
def test_refusals(change: Callable[[PlanDocument], str], code: str, message: str) -> None:
    text = "## Steps\n1. [act] a\n2. n [subtask] b\n2.1. [subtask] c\n2.2. [act] d\n4.1. [act] e\n999999999. [act] f\n"
    document = PlanDocument.from_text(text)
    with pytest.raises(CommandError) as caught:
        change(document)
    assert (caught.value.code, str(caught.value)) == (code, message)
    assert document.text == text
    assert document.plan == parse_plan(text)


def test_commands_together_or_not_at_all() -> None:
    commands = parse_plan_commands("PLAN_CMD: DONE 1\nPLAN_CMD: ADD 9.1 [act] a\nPLAN_CMD: DONE 3")
    document = PlanDocument.from_text(PLAN)
    reports = document.apply(commands, atomic=True)
    assert [(report.done, report.code) for report in reports] == [(True, ""), (False, "PC112"), (True, "")]
    assert (document.text, document.plan) == (PLAN, parse_plan(PLAN))
    document.apply(commands)
    assert difference(PLAN, document.text) == ["-3. [ ] [act] Paint", "+3. [x] [act] Paint"]


def test_a_command_that_could_not_be_a_line() -> None:
    [report] = PlanDocument.from_text(PLAN).apply([PlanCommand("DONE")])
    assert (report.done, report.code) == (False, "PC118")


def test_the_plan_is_a_copy() -> None:
    document = PlanDocument.from_text("## Steps\n1. [act] a\n")
    document.plan.steps.clear()
    document.plan.steps[0].description = "b"
    assert document.text == "## Steps\n1. [act] a\n"
    assert document.plan == parse_plan(document.text)


def _pickle(document: PlanDocument) -> PlanDocument:
    again = pickle.loads(pickle.dumps(document))
    assert isinstance(again, PlanDocument)
    return again


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, _pickle])
def test_copies_go_their_own_way(again: Callable[[PlanDocument], PlanDocument]) -> None:
    document = PlanDocument.from_text(PLAN, name="boat.md")
    document.apply([PlanCommand("COLLAPSE", "2")])
    copied = again(document)
    copied.remove("3")
    assert document.text == PLAN
    assert difference(PLAN, copied.text) == ["-3. [ ] [act] Paint"]
    assert [step.expanded for step in copied.plan.steps] == [None, False]
    assert repr(copied) == "<PlanDocument 'boat.md'>"


def test_what_is_no_plan_is_refused() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        PlanDocument.from_text("so it is\n", name="boat.md")
    assert [(found.code, found.source and found.source.name) for found in caught.value.diagnostics] == [
        ("PS101", "boat.md")
    ]
    with pytest.raises(PlanSyntaxError):
        PlanDocument.from_text(PLAN, limits=Limits(max_steps=1))


def test_depth() -> None:
    depth = 1500
    rows = [f"{'.'.join(['1'] * level)}. [subtask] a\n" for level in range(1, depth + 1)]
    document = PlanDocument.from_text("## Steps\n" + "".join(rows), limits=Limits(max_bytes=None, max_depth=None))
    document.add("1", "act", "b")
    assert document.text.count("\n2.1.1") == depth - 2
    document.remove("1", renumber=True)
    assert document.text == "## Steps\n" + "".join(rows)
    copy.deepcopy(document)
    document.remove("1")
    assert document.text == "## Steps\n"


@pytest.mark.parametrize(
    "command",
    [
        "REVISE 1 [act] c → d\n> y\n> z",
        "REVISE 1 [act] c\n> ← e\n> y",
        "REVISE 2 [subtask] c\n> y",
        "ADD 3 [act] c\n> ← e\n> y",
        "ADD 2.1 [act] c\n> y",
        "DONE 1 | c",
    ],
)
def test_new_lines_end_as_the_others_do(command: str) -> None:
    document = PlanDocument.from_text("## Steps\r\n1. [act] a\r\n2. [subtask] b\r\n")
    document.apply(parse_plan_commands(f"PLAN_CMD: {command}\n"))
    assert "c" in document.text
    assert document.text.count("\n") == document.text.count("\r\n")
