"""What prose says of the status of steps: it adds nothing where the marks of the plan say the same."""

from __future__ import annotations

import pytest

from planspec_lark import extract_plan
from planspec_lark.answers import Verdict

PLAN = """Goal: Move the shop
## Steps
1. [x] [act] Pack the crates
2. [x] [act] Cancel the power
3. [>] [subtask] Move
  3.1. [>] [act] Load the van
  3.2. [!] [act] Carry the oven
4. [act] Unpack
"""


def verdict(remark: str) -> Verdict:
    return extract_plan(f"{PLAN}\n{remark}\n").verdict


@pytest.mark.parametrize(
    "remark",
    [
        "Steps 1 and 2 are done.",
        "So far, steps 1, 2 are already finished, step 3.1 is in progress and everything else is still open.",
        "Currently, step 3.2 is blocked until the owner answers.",
        "Two of the four steps are done.",
        "Two of the five tasks are done.",
        "前两步已经完成，第三步正在进行。",
        "目前步骤 1、2 已完成。",
        "The last one is not started.",
        "The first two are done.",
        "四项任务中两项完成、一项进行中、一项尚未开始。",
        "其中第（1）项已完成，最后一项还没开始。",
        "I marked step 3.2 as blocked.",
        "I set step 3 to in progress, since the van is here.",
        "Carry the oven is now blocked because of the rain.",
        "The oven step is now blocked, and Unpack became step 4.",
    ],
)
def test_a_report_that_agrees_with_the_marks_adds_nothing(remark: str) -> None:
    assert verdict(remark) is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "remark",
    [
        "Steps 1 and 4 are done.",
        "Step 3.2 is done.",
        "Step 9 is done.",
        "Step 4 is blocked until the owner answers.",
        "Three of the four steps are done.",
        "Two of the seven steps are done.",
        "Everything else is blocked.",
        "Step 4 is open.",
        "Steps 1 and 2 are done; skip step 4.",
        "前三步已经完成。",
        "目前步骤 4 已完成。",
        "第四步已完成。",
        "The last two are done.",
        "四项任务中三项完成。",
        "七项任务中两项完成。",
        "其中第（4）项已完成。",
        "最后两项还没开始。",
        "I marked step 3.2 as done.",
        "Unpack is now done.",
        "Unpack is now step 3.",
        "Step 5 is new.",
        "新增了第5步。",
    ],
)
def test_a_report_that_does_not_agree_needs_review(remark: str) -> None:
    assert verdict(remark) is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize("remark", ["Let me know when step 4 is done.", "Once step 4 is done, enjoy the new shop!"])
def test_what_is_said_for_a_case_is_no_report(remark: str) -> None:
    assert verdict(remark) is Verdict.ACCEPTED


SHOP = """Goal: 开业
## Steps
1. [x] [act] 确定店面
2. [!] [act] 安装烤箱 | 等电工
3. [~] [act] 采购礼品
"""


@pytest.mark.parametrize(
    ("remark", "expected"),
    [
        ("已将第1步标记为完成。", Verdict.ACCEPTED),
        ("烤箱一步改为受阻，等待电工；礼品标记为跳过。", Verdict.ACCEPTED),
        ("礼品标记为完成。", Verdict.NEEDS_REVIEW),
        ("已将第2步标记为完成。", Verdict.NEEDS_REVIEW),
    ],
)
@pytest.mark.parametrize("is_in_front", [False, True])
def test_a_mark_that_a_step_got_by_its_number_or_its_words(
    remark: str, expected: Verdict, *, is_in_front: bool
) -> None:
    text = f"{remark}\n\n{SHOP}" if is_in_front else f"{SHOP}\n{remark}\n"
    assert extract_plan(text).verdict is expected


def test_a_report_in_front_of_a_plan_is_compared_as_well() -> None:
    assert extract_plan(f"I marked step 1 as done.\n\n{PLAN}").verdict is Verdict.ACCEPTED
    assert extract_plan(f"I marked step 4 as done.\n\n{PLAN}").verdict is Verdict.NEEDS_REVIEW


HOUSE = """Goal: Fix the house
## Steps
1. [x] [act] Paint the walls
2. [act] Plaster the walls
3. [x] [act] Paint the fence
4. [>] [act] Clean the roof
5. [act] Paint the door
6. [x] [act] 购买油漆
7. [act] 粉刷天花板
"""


@pytest.mark.parametrize(
    "remark",
    [
        *("Step 1 and the fence are done.", "The fence is now finished, and the roof is in progress.", "Fence: done"),
        *("Painting the walls and the fence is done.", "The fence has been painted.", "I've painted the fence."),
        *("Let me know when the door is done.", "Enjoy the house when the door is done!", "油漆已完成。"),
        *("The plan makes sure that the roof is done.", "I've kept the list short.", "The work is done."),
        *("The hall is heated while the roof is done.", "The smell is gone after the doors have been painted."),
    ],
)
def test_a_report_by_words_that_agrees_adds_nothing(remark: str) -> None:
    assert extract_plan(f"{HOUSE}\n{remark}\n").verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "remark",
    [
        *("The walls are now finished.", "Painting is now done.", "Step 1 and the painting are done."),
        *(
            "Steps 1, 3 and the roof are done.",
            "The door is finished.",
            "The roof is done.",
            "The door (step 5) is done.",
        ),
        *("Walls, fence and door are complete.", "Both the fence and the door are done.", "Roof done, door open."),
        *("I finished step 2.", "We've finished plastering.", "The door has been painted.", "I've painted the door."),
        *(
            "The fence is blocked.",
            "The fence is not done.",
            "We skipped the roof.",
            "Everything but the door is done.",
        ),
        *("天花板已完成。", "油漆和天花板都已完成。", "油漆已跳过。", "**Door:** done"),
    ],
)
@pytest.mark.parametrize("is_in_front", [False, True])
def test_a_report_by_words_that_does_not_agree_needs_review(remark: str, *, is_in_front: bool) -> None:
    text = f"{remark}\n\n{HOUSE}" if is_in_front else f"{HOUSE}\n{remark}\n"
    assert extract_plan(text).verdict is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("remark", "expected"),
    [
        ("Ovens differ a lot, so don't skip step 1.", Verdict.ACCEPTED),
        ("Please don't skip steps 1 and 4.", Verdict.ACCEPTED),
        *((f"Don't skip step {end}", Verdict.NEEDS_REVIEW) for end in ("9.", "3.3.", "1 again.", "1 on weekdays.")),
        *(
            (f"Don't skip step {end}", Verdict.NEEDS_REVIEW)
            for end in ("1 unless it is late.", "1 and buy salt.", "5.")
        ),
    ],
)
def test_a_step_that_is_not_to_be_skipped_stays_as_it_is(remark: str, expected: Verdict) -> None:
    assert extract_plan(f"{PLAN}5. [~] [act] Rest\n\n{remark}\n").verdict is expected
