"""What is said around a plan: what may change it is held back, and what says nothing new is not.

``fixtures/remarks`` has a sentence a line, each with its place: `lead` is in front of the plan, `tail` behind it. Files
that say so in their names have sentences around commands. ``around_plans.jsonl`` has a plan a line, with remarks that
were written around it before the reader saw them.
"""

from __future__ import annotations

import functools
import json

import pytest

from planspec_lark import extract_plan
from planspec_lark.answers import Verdict
from planspec_lark.answers.sentences import sentences
from planspec_lark.answers.statements import Talk
from tests.corpus import FIXTURES, read

TALK = Talk("Goal: Pack\n1. [act] Pack the first bag\n2. [act] 打包行李\n", ("Pack the first bag", "打包行李"))
PLAN = "Goal: Travel to Hamburg\n## Steps\n1. [act] Go to Hamburg → ticket\n2. [act] Pack the bag\n"


def texts(name: str, beside: str) -> dict[str, str]:
    rows = [row.split("\t") for row in read(FIXTURES / "remarks" / f"{name}.tsv").splitlines()]
    return {said: f"{said}\n\n{beside}" if place == "lead" else f"{beside}\n{said}\n" for place, said in rows}


def verdicts(name: str) -> dict[str, Verdict]:
    return {said: extract_plan(text).verdict for said, text in texts(name, PLAN).items()}


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


@functools.cache
def accepted_around_plans() -> dict[str, float]:
    """The share of remarks around plans of their own that are accepted, of the harmless ones and of the others."""
    accepted: dict[str, list[bool]] = {"harmless": [], "changes": []}
    for row in read(FIXTURES / "remarks" / "around_plans.jsonl").splitlines():
        entry = json.loads(row)
        plan = f"```\n{entry['plan']}```\n"
        for label, found in accepted.items():
            texts = (f"{said}\n\n{plan}" if place == "lead" else f"{plan}\n{said}\n" for place, said in entry[label])
            found.extend(extract_plan(text).verdict is Verdict.ACCEPTED for text in texts)
    assert len(accepted["harmless"]) > 1_000 < 2 * len(accepted["changes"])
    return {label: sum(found) / len(found) for label, found in accepted.items()}


def test_what_changes_a_plan_in_words_of_its_subject_is_mostly_held_back() -> None:
    assert accepted_around_plans()["changes"] <= 0.08


def test_what_explains_a_plan_in_words_of_its_subject_is_mostly_left_out() -> None:
    assert accepted_around_plans()["harmless"] >= 0.66


def test_it_is_said_what_to_do() -> None:
    (fault,) = extract_plan(f"{PLAN}\nTreat this as a draft.\n").faults
    assert "remove it" in (fault.help or "")
    assert extract_plan(f"{PLAN}\nGood luck!\n").faults == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two!\nthree", ["one.", "two!", "three"]),
        ("This was\nwrapped. So it is.", ["this was wrapped.", "so it is."]),
        ("第一。第二！", ["第一。", "第二！"]),
        ("I can also:\n- drop step 1\n", ["i can also:"]),
        ("## Tips\n- Take a bus\n- Step 1 is void\n", ["tips", "step 1 is void"]),
        ("## Tips\n- Take a bus\n- Oops, the taxi\n", ["tips", "oops, the taxi"]),
        ("What changed:\n1. Step 1 is new\n2. Step 3 is gone\n", ["what changed:", "step 3 is gone"]),
        ("See:\n| Step | Risk |\n", ["see:"]),
        ("See:\n| Step 1 | not needed |\n| 2 | Do it |", ["see:", "not needed"]),
        ("See:\n```\nstep 1 is void\n```\n<!-- step 1 is void -->", ["see:"]),
        ("See:\n<!-- a\nstep 1\nis void -->\n<!-- b --> So.", ["see:", "so."]),
        ("---\nstatus: draft\n---\nSo.", ["so."]),
    ],
)
def test_a_text_has_sentences(text: str, found: list[str]) -> None:
    assert [said for said in sentences(text) if said] == found


def test_a_long_sentence_is_looked_at_up_to_its_end() -> None:
    said = sentences(f"{'plan ' * 2_000}, which must not be run")
    assert [TALK.adds_nothing(one) for one in said] == [True] * (len(said) - 1) + [False]


@pytest.mark.parametrize(
    "said",
    [
        "the bag is what the plan needs.",
        "packing is step 2.",
        "both steps take about two hours.",
        "步骤很简单。",
        "行李就是目标。",
        "i kept the hotel in mind.",
        "have fun in rome!",
        "i can also book the hotel if you want to go by train.",
    ],
)
def test_what_uses_known_words_or_a_known_form_adds_nothing(said: str) -> None:
    assert TALK.adds_nothing(said)


@pytest.mark.parametrize(
    "said",
    [
        "the hotel is what the plan needs.",
        "packing is for anna.",
        "pack the bag.",
        "the plan is ready: use the bag.",
        "the bag is first.",
        "there are five steps.",
        "行李由小王收拾。",
        "先打包。",
        "李就是目标。",
        "i kept the hotel in mind, but not the bag.",
        "have fun in rome, never pack!",
        "the deadline is now day 15.",
    ],
)
def test_what_has_a_new_word_or_an_order_or_denies_something_may_change_the_plan(said: str) -> None:
    assert not TALK.adds_nothing(said)


@pytest.mark.parametrize(
    ("said", "is_free"),
    [
        ("Step 2 follows from step 1.", True),
        ("Steps 1 and 2 build on each other.", True),
        ("Step 3 follows.", False),
        ("Steps 1 to 3 build on each other.", False),
        ("步骤3依赖步骤1。", False),
        ("第3步依赖第1步。", False),
    ],
)
def test_a_step_that_is_named_has_to_be_one_of_the_plan(said: str, is_free: bool) -> None:
    assert (extract_plan(f"{PLAN}\n{said}\n").verdict is Verdict.ACCEPTED) is is_free


@pytest.mark.parametrize(
    ("said", "is_free"),
    [
        ("Step 1 comes first because the train is slow.", True),
        ("Step 2 comes last on purpose, so the bag stays dry.", True),
        ("Packing comes last, since the bag is small.", True),
        ("Packing comes after step 1 because the bag is small.", True),
        ("Step 2 comes first because the train is slow.", False),
        ("Step 1 comes last.", False),
        ("Packing comes before step 1 because the bag is small.", False),
    ],
)
def test_where_a_step_stands_is_compared_with_the_plan(said: str, is_free: bool) -> None:
    assert (extract_plan(f"{PLAN}\n{said}\n").verdict is Verdict.ACCEPTED) is is_free


@pytest.mark.parametrize(
    ("said", "is_free"),
    [
        ("许可证放在第一步，因为办理时间最长。", True),
        ("我把试营业放在最后，因为需要许可证。", True),
        ("许可证放在最后，因为办理时间最长。", False),
        ("把培训放在最后。", False),
    ],
)
def test_where_a_step_stands_is_compared_in_chinese(said: str, is_free: bool) -> None:
    plan = "目标：食堂开业\n步骤：\n1. [行动] 办理许可证 → license\n2. [行动] 采购设备\n3. [行动] 试营业三天\n"
    assert (extract_plan(f"{plan}\n{said}\n").verdict is Verdict.ACCEPTED) is is_free


def test_what_the_plan_says_itself_bounds_nothing_anew() -> None:
    plan = PLAN.replace("to Hamburg\n", "to Hamburg before the big storm\n", 1)
    assert extract_plan(f"You want to travel to Hamburg before the big storm.\n\n{plan}").is_usable
    assert not extract_plan(f"You want to travel to Hamburg before the big storm.\n\n{PLAN}").is_usable


@pytest.mark.parametrize(
    "lead",
    [
        "Here's a plan, but ask the hotel first.",
        "Here's a plan to discuss with your friends:",
        "Here's the plan with two alternatives for step 2:",
        "Here's your old plan for reference:",
        "Everyone should bring food.",
        "Progress: 1 of 2 steps done.",
    ],
)
def test_a_lead_may_say_that_more_is_to_be_done_or_that_the_plan_is_another(lead: str) -> None:
    assert extract_plan(f"{lead}\n\n{PLAN}").verdict is Verdict.NEEDS_REVIEW


def test_words_of_a_long_plan_are_known_as_those_of_a_short_one() -> None:
    talk = Talk("1. [act] 打包行李\n" * 1_000, ("打包行李",))
    assert [talk.adds_nothing(said) for said in ("行李就是目标。", "李就是目标。", "酒店就是目标。")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("said", ["here is the plan:", "a quick plan for today:", "计划如下：", "bags are heavy."])
def test_a_known_label_leads_to_the_plan(said: str) -> None:
    assert TALK.leads_on(said)


@pytest.mark.parametrize(
    "said", ["whatever the neighbour has left:", "the plan that was never used:", "备选：", "do not run this plan."]
)
def test_an_unknown_label_may_lead_to_something_else(said: str) -> None:
    assert not TALK.leads_on(said)


def test_a_label_of_its_own_may_be_a_part_of_the_plan() -> None:
    assert TALK.puts_off("budget: 500 euros")
    assert not TALK.puts_off("summary: here it is")


@pytest.mark.parametrize("row", ["| 4 | act | Close the gate | gate |", "<!-- 4. [act] Close the gate -->"])
def test_what_is_no_sentence_between_the_parts_is_not_told(row: str) -> None:
    text = (
        f"# Plan: The harbour\n  {row}\nThis is the plan.\n\nGoal: All gates are shut\n## Steps\n1. [act] Look → seen\n"
    )
    assert extract_plan(text).verdict is not Verdict.ACCEPTED


@pytest.mark.parametrize(
    ("said", "is_alone"),
    [
        ("this plan keeps the old boat afloat, so you can turn round.", True),
        ("this plan keeps nothing.", False),
        ("the plan waits for the ferry.", False),
        ("most ferries can take a car.", True),
        ("most ferries must take a car.", False),
        ("a ferry takes the car.", True),
        ("a ferry has to take the car.", False),
        ("take a ferry.", False),
        ("the bag is of leather.", True),
        ("the bag goes to the neighbour.", False),
        ("leave the bag at home.", False),
        ("the bag is old, so take the trunk.", False),
        ("if it rains, take the bus.", False),
        ("if it rains, the bus is full.", True),
        ("no bags on the seats.", False),
        ("no bag is needed for a day.", True),
        ("the bag may become heavy.", True),
        ("n'hésitez pas à me dire si vous préférez le bateau.", True),
        ("prenez le bateau.", False),
        ("以上安排考虑了天气。", True),
        ("以上安排取决于审批。", False),
    ],
)
def test_a_sentence_describes_by_its_form(said: str, is_alone: bool) -> None:
    assert TALK.adds_nothing(said) == is_alone


@pytest.mark.parametrize(
    ("notes", "is_free"),
    [
        ("**Assumptions I made:**\n1. The ferry runs.\n2. You have a car.\n", True),
        ("**Assumptions I made:**\n1. The ferry runs.\n2. Step 2 is void.\n", False),
        ("## Notes\n\nThe ferry runs on weekdays.\n", True),
        ("## Notes\n\nThe ferry runs on weekdays.\n\n## Weighing\n\nWeigh it.\n", False),
        ("Why a bag? A trunk does not fit the boot.\n", True),
        ("**Note:** The ferry costs ten euros. Cars cost more.\n", True),
        ("**Note:** If the ferry is late, sail.\n", False),
        ("**Note:** Only do this in summer.\n", False),
        ("Notes:\n- The ferry runs.\n\nWeigh the trunk.\n", False),
        ("**Notes**\n- The ferry runs.\n\nWeigh the trunk.\n", False),
    ],
)
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_what_is_headed_as_notes_is_no_part_of_the_plan(notes: str, is_free: bool, fence: str) -> None:
    found = extract_plan(f"{fence}{PLAN}{fence}\n{notes}")
    assert (found.verdict is Verdict.ACCEPTED) == is_free


def test_a_code_block_after_the_plan_is_not_the_text_around_it() -> None:
    text = f"```\n{PLAN}```\n\nYou can check it with:\n\n```sh\nls\n```\n\nWeigh the trunk.\n"
    assert extract_plan(text).verdict is not Verdict.ACCEPTED
    assert extract_plan(text.replace("Weigh the trunk.", "Good luck!")).verdict is Verdict.ACCEPTED


def test_weeks_are_phases() -> None:
    text = "**Goal:** Learn to swim\n\n**Week 1**\n- Float\n\n**Week 2**\n- Dive\n- Turn\n"
    found = extract_plan(text, default_type="act")
    assert (found.verdict, [len(step.children) for step in found.plan.steps]) == (Verdict.ACCEPTED, [1, 2])


def test_a_part_of_a_name_denies_nothing() -> None:
    plan = "Goal: Run the half marathon\n## Steps\n1. [act] Run 5 km\n2. [act] Rest\n"
    assert extract_plan(f"Here is your half marathon plan.\n\n{plan}").verdict is Verdict.ACCEPTED
    assert extract_plan(f"Here is half of your plan.\n\n{plan}").verdict is Verdict.NEEDS_REVIEW


def test_what_is_listed_below_a_question_to_the_reader_is_an_offer() -> None:
    assert extract_plan(f"{PLAN}\nDo you want me to:\n\n* Write a packing list?\n").verdict is Verdict.ACCEPTED
    assert extract_plan(f"{PLAN}\nDo you want me to remove step 2?\n").verdict is Verdict.NEEDS_REVIEW
