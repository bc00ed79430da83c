"""Documents in texts with other things around the plan."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path

import pytest

from planspec_lark import (
    CommandError,
    Limits,
    PlanCommand,
    PlanDocument,
    PlanSpec,
    PlanSyntaxError,
    Severity,
    extract_plan,
    parse_plan_commands,
    scan_plan,
    step_order,
)
from planspec_lark.answers import Verdict
from planspec_lark.document.pieces import Piece, cut_scanned
from tests.corpus import each, read
from tests.property import documents

ANSWER = """\
Sure! Here it is.
```planspec
# Plan: Rivets
Goal：Ship the boat

## Steps
  1) [subtask] Build -> hull
    > <- size
    So far, so good.
    > No rust.
      1.1. [X] [act]  Cut
  2. [act]  Paint
> Twice.

3. 【act】 Sail
```

Good luck!
"""

# Commands, and what is replaced in the answer by what.
CHANGES = {
    "a clean line": ("DONE 2", ("  2. [act]", "  2. [x] [act]")),
    "a line in brackets": ("DONE 3 | well", ("3. 【act】 Sail", "3. [x] [act] Sail | well")),
    "a wrong mark": ("BLOCKED 1.1", ("1.1. [X] [act]  Cut", "1.1. [!] [act] Cut")),
    "a status that was repaired": ("DONE 1.1", ("", "")),
    "foreign arrows": ("DONE 1", ("1) [subtask] Build -> hull", "1. [x] [subtask] Build → hull")),
    "inputs behind a foreign arrow": (
        "REVISE 1 [subtask] Build → hull\n> ← size, time\n> No rust.",
        (
            "    > <- size\n    So far, so good.\n    > No rust.\n",
            "    > ← size, time\n    > No rust.\n    So far, so good.\n",
        ),
    ),
    "a body that is clean": ("REVISE 2 [act] Paint\n> Thrice.", ("> Twice.", "> Thrice.")),
    "a last step in a code block": ("ADD 4 [act] Rest\n> Long.", ("Sail\n", "Sail\n\n4. [act] Rest\n  > Long.\n")),
    "a step in between": (
        "ADD 2 [act] Dry",
        (
            "  2. [act]  Paint\n> Twice.\n\n3. 【act】 Sail\n",
            "  2. [act] Dry\n  3. [act]  Paint\n> Twice.\n\n4. [act] Sail\n",
        ),
    ),
    "a step below": ("ADD 1.2 [act] Bend", ("  Cut\n", "  Cut\n      1.2. [act] Bend\n")),
    "no steps below": ("REPLAN 1", ("      1.1. [X] [act]  Cut\n", "")),
}


@pytest.mark.parametrize(("command", "change"), CHANGES.values(), ids=CHANGES)
def test_what_becomes_of_an_answer(command: str, change: tuple[str, str]) -> None:
    document = PlanDocument.from_answer(ANSWER, max_risk="high")
    assert document.text == ANSWER
    [report] = document.apply(parse_plan_commands(f"PLAN_CMD: {command}"))
    assert report.done
    assert ANSWER.count(change[0]) == 1 or not change[0]
    assert document.text == (ANSWER.replace(*change) if change[0] else ANSWER)
    assert scan_plan(document.text).plan == document.plan


def test_what_stands_inside_a_step_that_goes_stays() -> None:
    document = PlanDocument.from_answer(ANSWER, max_risk="high")
    document.remove("1")
    lines = ANSWER.split("\n")
    assert document.text == "\n".join([*lines[:6], lines[8], *lines[11:]])


def test_renaming_and_moving_in_an_answer() -> None:
    document = PlanDocument.from_answer("So:\n\n1. [act] a\n * then\n2) [subtask] b -> c\n\nDone.")
    document.rename("1", "one")
    document.move("1", "2.1")
    assert document.text == "So:\n\n2) [subtask] b -> c\n  2.1. one [act] a\n   * then\n\nDone."


def test_what_stands_inside_a_step_that_moves_goes_with_it_as_it_is() -> None:
    document = PlanDocument.from_answer(
        "1. [subtask] a\n> b\nWell, no.\n> c\n2. [act] d\n  3. [subtask] e\n    3.1. [act] f\n", max_risk="high"
    )
    document.move("1", "3.2")
    assert document.text == (
        "2. [act] d\n  3. [subtask] e\n    3.1. [act] f\n    3.2. [subtask] a\n    > b\nWell, no.\n    > c\n"
    )


PIECES = {
    "no plan": ("So it is.\n\nYes.", [Piece(None, "So it is.\n\nYes.")]),
    "no steps": ("\nSo:\n\nGoal: g\n\n\nYes.\n", [Piece(None, "\nSo:\n\nGoal: g\n", "\n\n"), Piece(None, "Yes.\n")]),
    "steps": (
        "So:\n## Steps\n\n1. [act] a\n> b\n```\n\n 2. [act] c\n\n\nYes.\n\n",
        [
            Piece(None, "So:\n## Steps\n", "\n"),
            Piece("1", "1. [act] a\n> b\n"),
            Piece(None, "```\n", "\n"),
            Piece("2", " 2. [act] c\n", "\n\n"),
            Piece(None, "Yes.\n", "\n"),
        ],
    ),
    "a step at once": ("\ufeff1. [act] a", [Piece(None, "\ufeff"), Piece("1", "1. [act] a")]),
    "other text in a step": (
        "1. [act] a\r\nso\r\n\r\n> b\r\nso\r\n",
        [Piece(None, ""), Piece("1", "1. [act] a\r\nso\r\n\r\n> b\r\n", "", frozenset({1})), Piece(None, "so\r\n")],
    ),
}


@pytest.mark.parametrize(("text", "pieces"), PIECES.values(), ids=PIECES)
def test_pieces(text: str, pieces: list[Piece]) -> None:
    assert cut_scanned(scan_plan(text)) == pieces


@pytest.mark.parametrize("text", ["", "I would rather not.\n", "Goal: g\n", "<think>\n1. [act] a\n</think>\n"])
def test_a_text_without_a_plan_is_no_document(text: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        PlanDocument.from_answer(text)
    assert caught.value.diagnostics[-1].code == "PS201"


def test_a_plan_may_lose_all_of_its_steps() -> None:
    document = PlanDocument.from_answer("So:\n\n1. [act] a\n\nDone.\n")
    document.remove("1")
    assert document.plan == PlanSpec()
    document.add("1", "act", "b")
    assert scan_plan(document.text).plan == document.plan


def test_a_plan_in_a_string_is_no_document() -> None:
    text = '{"plan": "Goal: g\\n## Steps\\n1. [act] a\\n"}'
    assert extract_plan(text).verdict is Verdict.ACCEPTED
    with pytest.raises(PlanSyntaxError, match="the plan is in a string of a JSON value"):
        PlanDocument.from_answer(text)


def test_what_decides_is_told_with_its_risk() -> None:
    text = "1. [act] a\nOnly then go on.\n2. [act] b\n"
    with pytest.raises(PlanSyntaxError) as caught:
        PlanDocument.from_answer(text)
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.line, fault.severity) == ("PS101", 2, Severity.ERROR)
    assert fault.message.endswith("(risk: high)")
    document = PlanDocument.from_answer(text, max_risk="high")
    document.set_status("2", "done")
    assert document.text == text.replace("2. [act]", "2. [x] [act]")
    copied = pickle.loads(pickle.dumps(document))
    copied.set_status("1", "done")
    assert copied.text == "1. [x] [act] a\nOnly then go on.\n2. [x] [act] b\n"
    with pytest.raises(ValueError, match="lots"):
        PlanDocument.from_answer(text, max_risk="lots")


def test_what_would_have_to_be_left_out_is_refused() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        PlanDocument.from_answer("So:\n1. [act] a\n1. [act] b\n", name="answer.md")
    assert [(found.code, found.line) for found in caught.value.diagnostics] == [("PS117", 3)]
    with pytest.raises(PlanSyntaxError):
        PlanDocument.from_answer(ANSWER, limits=Limits(max_steps=1))


TWO = "Goal: g\n## Steps\n1. [act] a\n2. [act] b\n\nOr rather:\n\n# Plan: other\n## Steps\n1. [act] c\n"


def test_a_change_that_would_bring_other_text_to_life_is_taken_back() -> None:
    document = PlanDocument.from_answer(TWO, max_risk="high")
    document.apply([PlanCommand("COLLAPSE", "2")])
    document.remove("1")
    before = document.text
    plan = document.plan
    for _ in range(2):
        with pytest.raises(CommandError, match=r"^the text around the plan would be read as part of it") as caught:
            document.remove("2")
        assert caught.value.code == "PC121"
        assert (document.text, document.plan) == (before, plan)
    assert [step.expanded for step in document.plan.steps] == [False]
    assert document.set_status("2", "done") == "step 2: pending → done"
    assert document.text == before.replace("2. [act] b", "2. [x] [act] b")


@each("planspec/answers", ".md")
def test_answers(path: Path) -> None:
    text = read(path)
    plan = scan_plan(text).plan
    ids = step_order(plan)
    commands = [PlanCommand("DONE", step_id, result="so | so") for step_id in ids]
    commands += [PlanCommand("ADD", "1", "subtask", "a → b", detail=["← c"]), PlanCommand("ADD", "1.1", "act", "d")]
    commands += [PlanCommand("REVISE", "1", "subtask", "e", detail=["f"]), PlanCommand("REPLAN", "1")]
    is_whole = documents.answer_is_kept(text, commands)
    assert is_whole == (extract_plan(text).verdict is Verdict.ACCEPTED)


PLAIN = "# Open the bakery\n\n1. Order the gas\n2. Light the oven\n\nGood luck!\n"


def test_steps_without_a_type_get_the_default_one() -> None:
    with pytest.raises(PlanSyntaxError):
        PlanDocument.from_answer(PLAIN)
    document = PlanDocument.from_answer(PLAIN, default_type="act")
    assert [step.step_type for step in document.plan.steps] == ["act", "act"]
    for one in (document, pickle.loads(pickle.dumps(document)), deepcopy(document)):
        one.set_status("2", "done")
        assert one.text == PLAIN.replace("2. L", "2. [x] [act] L")
        assert one.plan == extract_plan(one.text, default_type="act").plan


def test_a_change_of_a_plan_without_types_that_fails_is_taken_back() -> None:
    document = PlanDocument.from_answer(PLAIN, default_type="act")
    with pytest.raises(CommandError):
        document.remove("3")
    assert document.text == PLAIN
    document.remove("1")
    assert document.text == PLAIN.replace("1. Order the gas\n", "")


def test_a_default_type_is_a_type() -> None:
    with pytest.raises(ValueError, match="default_type"):
        PlanDocument.from_answer(PLAIN, default_type="cook")
