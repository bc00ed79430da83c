"""What is said around a plan: what may change it is held back, and what says nothing new is not.

``fixtures/remarks`` has a sentence a line, each with its place: `lead` is in front of the plan, `tail` behind it.
"""

from __future__ import annotations

import pytest

from planspec_lark import extract_plan
from planspec_lark.answers import Verdict
from planspec_lark.answers.statements import changes_plan, leads_elsewhere, sentences, verbs_of
from tests.corpus import FIXTURES, read

PLAN = "Goal: Travel to Hamburg\n## Steps\n1. [act] Go to Hamburg → ticket\n2. [act] Pack the bag\n"


def verdicts(name: str) -> dict[str, Verdict]:
    rows = [row.split("\t") for row in read(FIXTURES / "remarks" / f"{name}.tsv").splitlines()]
    texts = {said: f"{said}\n\n{PLAN}" if place == "lead" else f"{PLAN}\n{said}\n" for place, said in rows}
    return {said: extract_plan(text).verdict for said, text in texts.items()}


def test_what_may_change_a_plan_is_held_back() -> None:
    found = verdicts("held_back")
    missed = [said for said, verdict in found.items() if verdict is Verdict.ACCEPTED]
    assert len(found) >= 250
    assert len(missed) <= 0.03 * len(found), missed


def test_what_says_nothing_new_of_a_plan_is_left_out() -> None:
    found = verdicts("harmless")
    missed = [said for said, verdict in found.items() if verdict is not Verdict.ACCEPTED]
    assert len(found) >= 200
    assert len(missed) <= 0.03 * len(found), missed


def test_it_is_said_what_to_do() -> None:
    (fault,) = extract_plan(f"{PLAN}\nTreat this as a draft.\n").faults
    assert "take it out" in (fault.help or "")
    assert extract_plan(f"{PLAN}\nGood luck!\n").faults == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two!\nthree", ["one.", "two!", "three"]),
        ("This was\nwrapped. So it is.", ["this was wrapped.", "so it is."]),
        ("第一。第二！", ["第一。", "第二！"]),
        ("I can also:\n- drop step 1\n", ["i can also:"]),
        ("## Tips\n- Take a bus\n- Step 1 is void\n", ["tips", "step 1 is void"]),
        ("See:\n```\nstep 1 is void\n```\n<!-- step 1 is void -->", ["see:"]),
        ("---\nstatus: draft\n---\nSo.", ["so."]),
    ],
)
def test_a_text_has_sentences(text: str, found: list[str]) -> None:
    assert [said for said in sentences(text) if said] == found


def test_a_long_sentence_is_looked_at_up_to_its_end() -> None:
    assert any(changes_plan(said) for said in sentences(f"{'word ' * 2_000}, so treat the plan as void"))


def test_what_is_said_of_doing_a_step_counts() -> None:
    verbs = verbs_of(["Pack the bag", "打包行李"])
    assert changes_plan("packing should come last.", verbs)
    assert changes_plan("打包就先不做。", verbs)
    assert not changes_plan("packing should come last.", verbs_of(["Go"]))
    assert not changes_plan("the pack is not heavy.", verbs)


@pytest.mark.parametrize("said", ["here is the plan:", "a quick plan for today:", "计划如下："])
def test_a_known_label_leads_to_the_plan(said: str) -> None:
    assert not leads_elsewhere(said)


@pytest.mark.parametrize("said", ["whatever the neighbour has left:", "the plan that was never used:", "备选："])
def test_an_unknown_label_may_lead_to_something_else(said: str) -> None:
    assert leads_elsewhere(said)
