"""Plain Markdown, where the caller says what steps without a type are: its outline says what its lines are."""

# ruff: noqa: E501  (a text is easier to read in one line)
from __future__ import annotations

import pytest

from planspec_lark import extract_plan, serialize_plan
from planspec_lark.answers import Verdict

TAKEN = {
    "numbers that go on over headings": (
        "# Kitchen\n\n## Prepare\n1. Sand the doors\n2. Prime the doors\n\n## Paint\n3. Paint the doors\n4. Hang the doors\n",
        "# Plan: Kitchen\n## Steps\n1. [subtask] Prepare\n  1.1. [act] Sand the doors\n  1.2. [act] Prime the doors\n"
        "2. [subtask] Paint\n  2.1. [act] Paint the doors\n  2.2. [act] Hang the doors\n",
    ),
    "bold headings without a lead": (
        "**Today**\n1. Call the office\n2. Book the hall\n\n**Tomorrow**\n3. Send the invitations\n4. Order the cake\n",
        "## Steps\n1. [subtask] Today\n  1.1. [act] Call the office\n  1.2. [act] Book the hall\n2. [subtask] Tomorrow\n"
        "  2.1. [act] Send the invitations\n  2.2. [act] Order the cake\n",
    ),
    "times of day": (
        "Here is the checklist for the party:\n\n- [ ] 13:00 Set the table\n- [x] 14:30 Light the grill\n",
        "## Steps\n1. [act] 13:00 Set the table\n2. [x] [act] 14:30 Light the grill\n",
    ),
    "bullets below phases without marks": (
        "Here is the plan:\n\nPhase 1: Paperwork\n\n- Renew the passport\n- Book the flight\n\nPhase 2: Packing\n- Pack the bag\n",
        "## Steps\n1. [subtask] Paperwork\n  1.1. [act] Renew the passport\n  1.2. [act] Book the flight\n2. [subtask] Packing\n"
        "  2.1. [act] Pack the bag\n",
    ),
    "bullets below more phases": (
        "**Phase 1: Permits**\n- Register the firm\n\n**Phase 2: Tools**\n- Buy an oven\n- Rent a stall\n\n**Phase 3: Sale**\n- Open\n",
        "## Steps\n1. [subtask] Permits\n  1.1. [act] Register the firm\n2. [subtask] Tools\n  2.1. [act] Buy an oven\n"
        "  2.2. [act] Rent a stall\n3. [subtask] Sale\n  3.1. [act] Open\n",
    ),
    "bullets below phases with labels in bold": (
        "**Phase 1:** Permits\n- Register the firm\n\n**Phase 2**: Tools\n- Buy an oven\n\n**Phase 3:** Sale\n- Open the door\n",
        "## Steps\n1. [subtask] Permits\n  1.1. [act] Register the firm\n2. [subtask] Tools\n  2.1. [act] Buy an oven\n"
        "3. [subtask] Sale\n  3.1. [act] Open the door\n",
    ),
    "numbers on keys": (
        "Steps to paint the fence:\n\n1️⃣ Wash the fence\n2️⃣ Sand the boards\n3️⃣ Paint the boards\n",
        "## Steps\n1. [act] Wash the fence\n2. [act] Sand the boards\n3. [act] Paint the boards\n",
    ),
    "bullets below more phases in Chinese": (
        "## 第一阶段：筹备\n- 确定场地\n\n## 第二阶段：布置\n- 安装书架\n\n## 第三阶段：开放\n- 公布时间\n",
        "## Steps\n1. [subtask] 筹备\n  1.1. [act] 确定场地\n2. [subtask] 布置\n  2.1. [act] 安装书架\n"
        "3. [subtask] 开放\n  3.1. [act] 公布时间\n",
    ),
    "things below phases without marks": (
        "Phase 1: Ingredients\n- flour\n- milk\n\nPhase 2: Bake\n- Mix all\n- Bake it\n",
        "## Steps\n1. [act] Ingredients\n  > flour\n  > milk\n2. [act] Bake\n  > Mix all\n  > Bake it\n",
    ),
    "bullets below times": (
        "**Week 1**\n- Show her the house\n- Visit the vet\n\n**Week 2**\n- Start the puppy class\n",
        "## Steps\n1. [subtask] Week 1\n  1.1. [act] Show her the house\n  1.2. [act] Visit the vet\n2. [subtask] Week 2\n"
        "  2.1. [act] Start the puppy class\n",
    ),
    "headings that are steps": (
        "## 1. Freeze the file\n\nCopy it to the archive.\n\n## 2. Fix the dates\n\nParse each one.\n\n## 3. Validate the emails\n",
        "## Steps\n1. [act] Freeze the file\n  > Copy it to the archive.\n2. [act] Fix the dates\n  > Parse each one.\n"
        "3. [act] Validate the emails\n",
    ),
    "headings in capital letters below a title that speaks of steps": (
        "# How to Hang a Shelf\n\n## 1. Find Studs\nTap.\n\n## 2. Mark Holes\nUse a pencil.\n\n## 3. Drill Holes\nSlowly.\n",
        "# Plan: How to Hang a Shelf\n## Steps\n1. [act] Find Studs\n  > Tap.\n2. [act] Mark Holes\n  > Use a pencil.\n"
        "3. [act] Drill Holes\n  > Slowly.\n",
    ),
    "the one list of orders": (
        "Best done in spring.\n\n1. Water the plant well\n2. Pick a larger pot\n3. Mix the new soil\n\nSome droop is normal.\n",
        "## Steps\n1. [act] Water the plant well\n2. [act] Pick a larger pot\n3. [act] Mix the new soil\n",
    ),
    "a list below a heading of steps": (
        "### What you'll need\n- A larger pot\n- New soil\n\n### Repotting, step by step\n1. Water it\n2. Lift it out\n3. Fill up\n",
        "## Steps\n1. [act] Water it\n2. [act] Lift it out\n3. [act] Fill up\n",
    ),
    "things in front of the steps": (
        "# Plan: Shelf\nGoal: A shelf is on the wall\n\n## Tools\n- hammer\n- drill\n\n1. Measure the wall\n2. Drill the holes\n",
        "# Plan: Shelf\nGoal: A shelf is on the wall\n## Steps\n1. [act] Measure the wall\n2. [act] Drill the holes\n",
    ),
    "things in front of steps with types": (
        "# Plan: Shelf\nGoal: A shelf is on the wall\n\n## Tools\n- hammer\n- drill\n\n1. [act] Measure the wall\n",
        "# Plan: Shelf\nGoal: A shelf is on the wall\n## Steps\n1. [act] Measure the wall\n",
    ),
    "code below steps, as it is written": (
        "Here is the plan:\n\n1. Write the notes\n   ```\n   ← c\n   a<br>\n   ```\n2. Install it\n```bash\npip install x\n```\n",
        "## Steps\n1. [act] Write the notes\n  > \\← c\n  > a<br>\n2. [act] Install it\n  > pip install x\n",
    ),
    "a paragraph that is indented as its step": (
        "Here is the plan:\n\n1. Sand it\n2. Paint it\n\n   Two coats of the red one.\n",
        "## Steps\n1. [act] Sand it\n2. [act] Paint it\n  > Two coats of the red one.\n",
    ),
    "circled numbers": (
        "Goal: Go\n## Steps\n① [act] Pack\n② [act] Leave\n",
        "Goal: Go\n## Steps\n1. [act] Pack\n2. [act] Leave\n",
    ),
    "labels in two languages": (
        "**目标（Goal）**：出发\n\n**约束（Constraints）**：\n- 三人\n\n## 步骤\n1. [行动] 收拾\n",
        "Goal: 出发\nConstraints:\n- 三人\n## Steps\n1. [act] 收拾\n",
    ),
    "a type before the id": (
        "Goal: Go\n## Steps\n[act] 1. [x] Wash\n[思考] 2. Think\n",
        "Goal: Go\n## Steps\n1. [x] [act] Wash\n2. [reason] Think\n",
    ),
    "branches of a decision": (
        "Goal: Go\n## Steps\n1. [decide] Is it dry?\n   yes → paint\n   no → wait\n",
        "Goal: Go\n## Steps\n1. [decide] Is it dry?\n  > yes → paint\n  > no → wait\n",
    ),
    "what is below a question": (
        "Goal: Go\nSteps:\n1. [decide] Which cooler?\n   tower → screws\n   stock → pins\n",
        "Goal: Go\n## Steps\n1. [decide] Which cooler?\n  > tower → screws\n  > stock → pins\n",
    ),
    "cases by a word": (
        "Goal: Go\n## Steps\n1. [decide] Choose the paint\n   yes → red\n   no → blue\n",
        "Goal: Go\n## Steps\n1. [decide] Choose the paint\n  > yes → red\n  > no → blue\n",
    ),
    "an offer behind headings that are steps": (
        "## 1. Freeze the file\n\nCopy it.\n\n## 2. Fix the dates\n\nParse them.\n\n## 3. Write the report\n\nLet me know if you want a template!\n",
        "## Steps\n1. [act] Freeze the file\n  > Copy it.\n2. [act] Fix the dates\n  > Parse them.\n3. [act] Write the report\n",
    ),
    "typed headings": (
        "Goal: Go\n## Steps\n### 1. [act] Pack\nTwo bags.\n### 2. [act] Leave\n- By bus\n",
        "Goal: Go\n## Steps\n1. [act] Pack\n  > Two bags.\n2. [act] Leave\n  > By bus\n",
    ),
}
HELD = {
    "steps in one line": "# Tyre\n\n1. Park the car; 2. Loosen the nuts; 3. Lift the car\n",
    "steps in one line, with brackets": "# Tyre\n\n1) Park the car 2) Loosen the nuts 3) Lift the car\n",
    "prohibitions": "# Pool\n\n## Every day\n1. Skim the leaves\n2. Check the pump\n\n## What not to do\n3. Pour chlorine in\n4. Swim right after\n",
    "phases above things": "# Stall\n\n## Phase 1: Permits\n- Food hygiene course\n- A stamp\n\n## Phase 2: Tools\n- An oven\n\n## Phase 3: Sale\n- 30 loaves\n",
    "a heading of what is no step": "# Running\n\n## Phase 1: Base\n- Run 2 km\n\n## Phase 2: Build\n- Run 5 km\n\n## What to avoid\n- Old shoes\n",
    "what the last step announces": "Here's how to install it:\n\n1. Download the archive\n2. Run the installer:\n\n```bash\nsudo ./install.sh\n```\n",
    "numbers in bold that nothing leads to": "Here you go:\n\n**1. Sunrise Hike**\nNice.\n\n**2. Sunset Hike**\nNice too.\n",
    "headings that are names": "# Hikes\n\n## 1. Sunrise Hike\nShort.\n\n## 2. Lake Loop\nFlat.\n\n## 3. Summit Trail\nSteep.\n",
    "headings above facts": "# Hikes\n\n## 1. Sunrise Hike\n- 5 km\n- easy\n\n## 2. Lake Loop\n- 8 km\n",
    "headings of a ranking": "# Top 3 laptops\n\n## 1. Acer Swift\nCheap.\n\n## 2. Dell Plus\nSolid.\n\n## 3. Mac Air\nFast.\n",
    "an order behind headings that are steps": "## 1. Clean the car\nWash it.\n\n## 2. Take photos\nOutside.\n\n## 3. Write an ad\nBe honest.\n\nThen hand over the keys.\n",
    "references to numbers that are counted anew": "# Kitchen\n\n## Prepare\n1. Sand it well\n2. Prime it well\n\n## Paint\n3. Paint it red\n4. Repeat steps three and four\n",
    "what is told of times": "# Refactoring\n\n## Before\n- Three files\n- No tests\n\n## After\n- One file\n- 20 tests\n",
    "lists that go on of things": "# Best laptops\n\n## Under 500\n1. Acer A\n2. Asus B\n\n## Over 500\n3. Dell C\n4. Mac D\n",
    "boxes of a form": "# Which fits you?\n\n## Flat\n- [ ] I have no car\n\n## House\n- [ ] I have children\n",
    "one of several": "Here's how to fix it (do one of these):\n\n1. Restart the router\n2. Call the provider\n",
    "what somebody ruins": "Here's how to ruin a fence:\n\n1. Use water\n2. Use salt\n",
    "several arrows": "Here is the plan:\n\n1. Open Settings -> Privacy -> Location\n",
    "two types": "Goal: Go\n## Steps\n[reason] 1. [act] Dry\n",
    "a status before the id": "Goal: Go\n## Steps\n- [done] 1. Wash\n- [skip] 2. Dry\n",
    "a paragraph behind the last typed heading": "Goal: Go\n## Steps\n### 1. [act] Pack\nTwo bags.\n### 2. [act] Leave\n\nThe bus goes at nine.\n",
    "a code block with its own indentation": "Here is the plan:\n\n1. Write it\n   ```\n   if x:\n       y\n   ```\n",
    "a section of persons": "# Moving\n\n## Before\n1. Get three quotes\n2. Label all desks\n\n## Responsibilities\n3. Anna – movers\n4. Ben – computers\n",
    "one of two ways": "## Plan\n\n### Quick fix\n1. Restart the service\n2. Clear the cache\n\n### Proper fix\n1. Find the leak\n2. Add a test\n",
    "a number with a letter": "Goal: Go\n## Steps\n1. [decide] Screwed or clipped?\n   1a. [act] Loosen the screws\n2. [act] Wipe it\n",
    "a word between steps": "Goal: Go\n## Steps\n1. [act] Empty it\n   or\n2. [act] Rent a container\n",
    "progress of the whole plan": "Goal: Go\n## Steps\n1. [act] Stop it\n2. [act] Start it\n\n**Progress:** 2/3\n",
    "a status of the whole plan": "Goal: Go\n## Steps\n1. [act] Stop it\n2. [act] Start it\n\nStatus: in progress\n",
    "a last step in a sentence": "Goal: Go\n## Steps\n1. [act] Remove the cooler\n2. [act] Wipe it\n\nNow put the cooler back on.\n",
    "a last step in a word": "Goal: Go\n## Steps\n1. [act] Install it\n2. [act] Test it\n\nFinally, reboot.\n",
    "a condition in the lead": "Assuming you have saved it, here's how to reset the phone:\n\n1. Open Settings\n2. Tap General\n",
    "inputs behind another arrow": "Goal: Go\nSteps:\n1. [act] Remove it -> cooler\n2. [act] Wipe it <- cooler\n",
    "facts among steps": "# Launch\n\n## Week 1\n- Owner: Dana\n- Write the page\n- Record the demo\n\n## Week 2\n- Publish the post\n- Email the list\n",
    "a timetable behind the plan": "Goal: Learn\n## Steps\n1. [act] Learn words\n\n**Timetable**\n\n| Time | What |\n|---|---|\n| 7:30 | Listening |\n",
    "lists that go on of no orders": "# Fruit\n\n## Red\n1. Apples from here\n2. Cherries from there\n\n## Green\n3. Pears and plums\n4. Kiwis and limes\n",
    "ways to do something": "Some ways to save money:\n\n1. Walk to the office\n2. Cook at home\n3. Sell the old car\n",
    "steps in quotes": "**Goal:** Go\n\n**Steps**\n\n**1. [act] Pack**\n> **1.1. [act] Socks**\n",
}


@pytest.mark.parametrize("name", TAKEN)
def test_it_is_read_as_what_it_looks_like(name: str) -> None:
    text, plan = TAKEN[name]
    found = extract_plan(text, default_type="act")
    assert serialize_plan(found.plan) == plan
    assert found.verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("name", HELD)
def test_what_may_be_no_plan_or_another_is_held_back(name: str) -> None:
    assert extract_plan(HELD[name], default_type="act").verdict is not Verdict.ACCEPTED


@pytest.mark.parametrize(
    "said",
    [
        "Both steps are done.",
        "All steps are done.",
        "The second step is done.",
        "Everything is done.",
        "Step 2 is done.",
    ],
)
def test_a_report_that_the_marks_deny_is_held_back(said: str) -> None:
    plan = "Goal: Go\n## Steps\n1. [x] [act] Pack\n2. [act] Leave\n3. [act] Arrive\n"
    assert extract_plan(f"{plan}\n{said}\n").verdict is Verdict.NEEDS_REVIEW
    assert extract_plan(f"{plan}\nThe first step is done.\n").verdict is Verdict.ACCEPTED


def test_ways_to_do_something_are_no_steps() -> None:
    assert extract_plan(HELD["ways to do something"], default_type="act").plan.steps == []


DONE = "1. Replaced the hinge\n2. Oiled the handle\n"
FACTS = "1. The paint may be late\n2. The wood is wet\n"
BOXES = "- [ ] Doors are white\n- [ ] Hinges are quiet\n"
REPORTS = {
    **{
        one: f"## {one}\n{DONE}"
        for one in (
            *("Summary of changes", "Changes made", "Completed", "Achievements", "What changed", "Work completed"),
            *(
                "Test results",
                "Files changed",
                "Bug fixes",
                "Decisions made",
                "Current status",
                "Tech stack",
                "Use cases",
            ),
            *("完成情况", "已完成的工作", "修改内容", "修改的文件", "测试结果", "技术栈", "Steps", "Shelf"),
        )
    },
    **{
        one: f"## {one}\n{FACTS}"
        for one in (
            *("Risks", "Findings", "Key Insights", "Observations", "Benefits", "Key features", "Areas for Improvement"),
            *("Project risks", "Risks and mitigation", "发现的问题", "主要发现", "风险"),
        )
    },
    **{
        one: f"## {one}\n{BOXES}"
        for one in (
            "Acceptance Criteria",
            "Success Metrics",
            "Acceptance criteria for the doors",
            "Definition of done",
            "验收标准",
        )
    },
    "one numbered section": "### 8.1 风险\n- 油漆可能迟到\n- 木头潮湿\n",
    "one numbered section of orders": "### 8.1 Kitchen\n- Paint the doors\n- Oil the hinges\n",
    "numbered headings with bullets": "# Shelf\n\n## 1. Cut\n- Saw the board\n- Sand it\n\n## 2. Risks\n- Late paint\n",
    "rules": "## Kitchen rules\n1. **Never open the oven early.**\n2. The floor is always dry.\n",
    "rules of a house": "# House rules for guests\n\n1. No shoes inside\n2. Wash your hands\n",
    "a report in sections": "## What has been completed\n\n### 1. Kitchen\n- All cupboards painted\n\n### 2. Bathroom\n- Tiles laid\n",
    "a report in sections in Chinese": "## 已完成的工作\n\n### 1. 厨房\n- 刷好柜门\n\n### 2. 浴室\n- 铺好瓷砖\n",
    "measures behind the steps": "# Shelf\n\n## Steps\n1. Cut\n2. Paint\n\n## Success Metrics\n- Doors are white\n",
}


@pytest.mark.parametrize("text", REPORTS.values(), ids=REPORTS)
def test_reports_and_lists_of_what_is_no_step_are_held_back(text: str) -> None:
    assert extract_plan(text, default_type="act").verdict is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    "title",
    [
        "Changes to the login page",
        "Update the firewall rules",
        "Collect metrics",
        "Fix the known issues",
        "编写验收标准",
        "厨房验收",
    ],
)
def test_a_title_of_work_on_such_a_list_is_one_of_a_plan(title: str) -> None:
    assert extract_plan(f"# {title}\n\n1. Open the door\n2. Move the table\n", default_type="act").is_usable


def test_a_phase_of_such_work_is_one() -> None:
    text = "# Shop\n\n## Phase 1: Features\n- [ ] Add a cart\n\n## Phase 2: Improvements\n- [ ] Cache the pages\n"
    assert extract_plan(text, default_type="act").is_usable


@pytest.mark.parametrize(
    "items",
    [
        ("Feed the cat", "Need a vet", "Embed the font"),
        ("Fixed the tap", "Paint the wall", "Hang the lamp"),
        ("[x] Replaced the hinge", "[x] Oiled the handle", "[ ] Paint the door"),
        ("已知问题排查", "了解需求"),
    ],
)
def test_steps_that_are_to_be_done_are_no_report(items: tuple[str, ...]) -> None:
    text = "## Steps\n" + "".join(f"{number}. {item}\n" for number, item in enumerate(items, 1))
    assert extract_plan(text, default_type="act").is_usable


@pytest.mark.parametrize(
    ("items", "is_read"),
    [
        ("- Noise:\n  - none after nine\n", False),
        ("- Noise\n    * none after nine\n    * none before six\n- Cheap\n", False),
        ("  - No noise\n  - Cheap\n", True),
        ("- No noise\n  after nine\n- Cheap\n", True),
        ("9. Cheap\n10. Quiet\n", True),
    ],
)
@pytest.mark.parametrize("header", ["Constraints:", "**Constraints:**", "## 约束"])
def test_a_constraint_below_another_one_is_held_back(header: str, items: str, *, is_read: bool) -> None:
    text = f"# Shelf\n\n{header}\n{items}\n## Steps\n1. Cut\n2. Paint\n"
    assert extract_plan(text, default_type="act").is_usable is is_read


@pytest.mark.parametrize(
    ("written", "description"),
    [
        ("**Doors:** Sand them **well**", "Doors: Sand them **well**"),
        ("**Doors**: Sand them **well**", "Doors: Sand them **well**"),
        ("**柜门：** 打磨，**不要**刷漆", "柜门： 打磨，**不要**刷漆"),
        ("**Doors** and **windows** are sanded", "**Doors** and **windows** are sanded"),
    ],
)
def test_a_bold_label_loses_its_stars_whatever_else_is_bold(written: str, description: str) -> None:
    found = extract_plan(f"## Steps\n1. {written}\n2. Paint\n", default_type="act")
    assert found.plan.steps[0].description == description
