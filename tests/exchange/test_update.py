"""A plan or a list that is there gets what has changed, and nothing else in it moves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from planspec_lark import PlanSyntaxError, parse_plan, step_order
from planspec_lark.exchange import ImportResult, export_into, export_plan, import_text, update_text
from planspec_lark.planspec.models import iter_steps

SOURCE = """\
# Harvest

- [x] 1. Pick

- [ ] 2. Press
  - [ ] 2.1 Wash the press
    - with hot water

- [ ] 3. Sell
"""


def plan_of(text: str) -> str:
    """An edited plan: own format, statuses and steps."""
    made = import_text(text, "kiro").text
    made = made.replace("## Steps", "\n##  Steps").replace("task-3 [act]", "task-3 [reason]")
    made = made.replace("  2.1. task-2-1", "\t2.1.  [>] task-2-1")
    return made + "4. [act] Rest | well earned\n"


def update(source: str, *, takes_statuses: bool = False) -> tuple[str, list[str]]:
    return update_text(plan_of(SOURCE), import_text(source, "kiro").plan, takes_statuses=takes_statuses)


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that one of two texts has and the other has not."""
    ours, theirs = before.split("\n"), after.split("\n")
    return [f"-{line}" for line in ours if line not in theirs] + [f"+{line}" for line in theirs if line not in ours]


def test_own_statuses_types_and_steps_stay() -> None:
    text, said = update(SOURCE.replace("[ ] 2.1", "[x] 2.1").replace("[x] 1.", "[ ] 1."))
    assert text == plan_of(SOURCE)
    assert said == ["step 4 is not in the source, and stays"]


def listed(tasks: Sequence[str]) -> ImportResult:
    return import_text("".join(f"- [ ] {task}\n" for task in tasks))


def test_steps_give_way_to_new_ones() -> None:
    old, new = [f"old {at}" for at in range(9)], [f"new {at}" for at in range(9)]
    tasks = ["first", "second", *(task for both in zip(old, new, strict=True) for task in both)]
    text, said = update_text(listed(old).text, listed(tasks).plan)
    assert [step.description for step in parse_plan(text).steps] == tasks
    assert step_order(parse_plan(text)) == [str(number) for number in range(1, len(tasks) + 1)]
    assert said == [f"a step added: {one}" for one in tasks if one not in old]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["0", "3"], ["0", "1", "3"]),
        (["10", "11", "20"], ["10", "11", "12", "20"]),
        (["2", "1"], ["2", "3", "1"]),
        (["1", "2.7"], ["1", "3", "2.7"]),
        (["5", "999999999"], ["5", "6", "999999999"]),
        (["999999998", "999999999"], ["999999998", "1", "999999999"]),
    ],
)
def test_numbers_that_have_gaps_or_no_order_stay(before: list[str], after: list[str]) -> None:
    names = "abc"[: len(before)]
    rows = [f"{step_id}. [act] Task {name}\n" for step_id, name in zip(before, names, strict=True)]
    tasks = [*(f"Task {name}" for name in names[:-1]), "New", f"Task {names[-1]}"]
    text, _ = update_text("## Steps\n" + "".join(rows), listed(tasks).plan)
    assert [row.partition(" ")[0][:-1] for row in text.splitlines() if "[act]" in row] == after


def test_statuses_of_the_source() -> None:
    text, said = update(SOURCE.replace("[ ] 2.1", "[x] 2.1"), takes_statuses=True)
    assert changed_lines(plan_of(SOURCE), text) == [
        "-\t2.1.  [>] task-2-1 [act] Wash the press",
        "+\t2.1. [x] task-2-1 [act] Wash the press",
    ]
    assert "step 2.1: active → done" in said


def test_texts_and_detail_follow() -> None:
    text, said = update(SOURCE.replace("Wash the press", "Scrub the press").replace("hot", "boiling"))
    assert changed_lines(plan_of(SOURCE), text) == [
        "-\t2.1.  [>] task-2-1 [act] Wash the press",
        "-    > - with hot water",
        "+\t2.1. task-2-1 [act] Scrub the press",
        "+    > - with boiling water",
    ]
    told = "description, detail as in the source; it was active for another text, and is pending again"
    assert f"step 2.1 (task-2-1): {told}" in said


OLD = """\
Goal:
## Steps
1. [x] [subtask] Tidy | all of it
  1.1. [%s] [act] Delete the old rows of May | 40 rows | Progress: 1/2
"""


@pytest.mark.parametrize(("mark", "was"), [("x", "done"), ("~", "skipped"), ("!", "blocked"), (">", "active")])
@pytest.mark.parametrize("takes_statuses", [False, True])
@pytest.mark.parametrize("change", [" and June", "\n    - and say so"])
def test_what_was_done_for_another_text_is_pending_again(
    mark: str, was: str, takes_statuses: bool, change: str
) -> None:
    source = import_text(f"- [ ] Tidy\n  - [ ] Delete the old rows of May{change}\n").plan
    text, said = update_text(OLD % mark, source, takes_statuses=takes_statuses)
    assert [(step.status.value, step.result, step.total_count) for step in iter_steps(parse_plan(text))] == [
        ("pending", "all of it", None) if takes_statuses else ("active", "", None),
        ("pending", "", None),
    ]
    asked = "detail" if "\n" in change else "description"
    assert f"step 1.1: {asked} as in the source; it was {was} for another text, and is pending again" in said


@pytest.mark.parametrize("box", ["x", " "])
def test_a_step_stays_done_where_its_text_is_the_same_or_the_source_has_done_it(box: str) -> None:
    text = OLD % "x"
    if box == "x":
        source = import_text("- [x] Tidy\n  - [x] Delete the old rows of May and June\n").plan
        assert update_text(text, source)[0] == text.replace("May", "May and June")
    else:
        source = import_text("- [ ] Tidy\n  - [ ] Delete the old rows of May\n").plan
        assert update_text(text, source) == (text, [])


def test_new_tasks_stand_where_the_source_has_them() -> None:
    new = "  - [x] 2.2 Fill it\n    - [ ] 2.2.1 Fetch a ladle\n\n- [ ] 9. Count the jars\n"
    text, said = update(SOURCE.replace("\n- [ ] 3.", f"{new}\n- [ ] 3."))
    steps = [line for line in text.split("\n") if "[act]" in line or "[subtask]" in line or "[reason]" in line]
    assert [line.strip() for line in steps[3:]] == [
        "2.2. task-2-2 [subtask] Fill it",
        "2.2.1. task-2-2-1 [act] Fetch a ladle",
        "3. task-9 [act] Count the jars",
        "4. task-3 [reason] Sell",
        "5. [act] Rest | well earned",
    ]
    assert "a step added (task-9): Count the jars" in said


def test_a_task_that_gets_some_below_it_becomes_a_subtask() -> None:
    text, _ = update(SOURCE + "  - [ ] 3.1 At the market\n")
    step = parse_plan(text).steps[2]
    assert (step.step_type, [below.step_name for below in step.children]) == ("subtask", ["task-3-1"])


def test_inputs_are_added_and_none_is_taken_away() -> None:
    before = plan_of(SOURCE).replace("task-3 [reason] Sell", "task-3 [reason] Sell → money\n  > ← weather")
    source = SOURCE + "  - _Depends: 2.1_\n"
    text, _ = update_text(before, import_text(source, "kiro").plan)
    plan = parse_plan(text)
    assert (plan.steps[2].inputs, plan.steps[2].outputs) == (["weather", "task_2_1"], ["money"])
    assert update_text(text, import_text(source, "kiro").plan)[0] == text


def test_the_detail_of_the_goal_follows() -> None:
    text, said = update(SOURCE.replace("# Harvest\n", "# Harvest\n\n**A** note\n"))
    assert "> **A** note\n\n##  Steps\n" in text
    assert said[-1] == "the goal: detail as in the source"


def test_vanished_tasks_are_named() -> None:
    text, said = update("- [ ] 3. Sell\n")
    assert [line for line in said if "not in the source" in line] == [
        "step 1 (task-1) is not in the source, and stays",
        "step 2 (task-2) is not in the source, and stays",
        "step 2.1 (task-2-1) is not in the source, and stays",
        "step 4 is not in the source, and stays",
    ]
    assert len(parse_plan(text).steps) == 4


def test_lists_without_ids_are_known_by_their_texts() -> None:
    before = import_text("- [x] Bake the bread\n- [ ] Pack the basket\n- [ ] Go\n").text
    text, said = update_text(before, import_text("- [ ] Bake the bread\n- [ ] Pack the big basket\n- [ ] Go\n").plan)
    assert text == before.replace("the basket", "the big basket")
    assert said == ["step 2: description as in the source"]
    # What says something else is something else.
    text, said = update_text(before, import_text("- [ ] Write a poem\n- [ ] Pack the basket\n- [ ] Go\n").plan)
    assert [step.status.value for step in parse_plan(text).steps] == ["pending", "done", "pending", "pending"]


def test_a_text_that_is_no_plan_is_refused() -> None:
    with pytest.raises(PlanSyntaxError):
        update_text("no plan\n", import_text(SOURCE).plan)


# ---------------------------------------------------------------- headings that change, tasks that are moved


def steps_after(before: str, after: str, form: str = "checklist") -> tuple[list[str], list[str]]:
    """The steps of a plan made of one text once it has been updated by another, and what is said."""
    made = import_text(before, form).text
    text, said = update_text(made, import_text(after, form).plan, takes_statuses=True)
    steps = iter_steps(parse_plan(text))
    return [f"{step.step_id} {step.status.value} {step.description}" for step in steps], said


def test_a_heading_with_another_text_is_known_by_the_tasks_below_it() -> None:
    before = "### Files\n- [ ] 3.1 Audit\n  - [ ] one\n### Other\n- [ ] 4.1 Rest\n"
    after = before.replace("Files", "Every file was looked at ✅").replace("[ ] one\n", "[x] one\n  - [ ] two\n")
    steps, said = steps_after(before, after.replace("### Other", "- [ ] 3.2 New\n### Other"), "kiro")
    assert steps == [
        "1 pending Every file was looked at ✅",
        "1.1 pending Audit",
        "1.1.1 done one",
        "1.1.2 pending two",
        "1.2 pending New",
        "2 pending Other",
        "2.1 pending Rest",
    ]
    assert not [line for line in said if "could not" in line or "not in the source" in line]


def test_a_heading_of_which_little_is_left_is_another_one() -> None:
    before = "## A\n- [ ] a\n- [ ] b\n- [ ] c\n## B\n- [ ] d\n"
    after = "## X\n- [ ] a\n- [ ] e\n## Y\n- [ ] b\n- [ ] c\n## B\n- [ ] d\n"
    steps, _ = steps_after(before, after)
    assert [line.split()[-1] for line in steps] == ["X", "e", "Y", "a", "b", "c", "B", "d"]


def test_headings_with_other_numbers_are_other_headings() -> None:
    before = "## Phase 1: Dig\n- [ ] a\n## Phase 2: Sow\n- [ ] b\n"
    after = "## Phase 0: Think\n- [ ] z\n## Phase 1: Everything about the soil\n- [ ] x\n## Phase 2: Sow\n- [ ] b\n"
    steps, said = steps_after(before, after)
    assert [line.split()[-1] for line in steps] == ["Think", "z", "soil", "x", "Dig", "a", "Sow", "b"]
    assert "step 1 is not in the source, and stays" in said


def test_a_task_that_moved_is_there_once() -> None:
    before = "## Todo\n- [ ] Label the shelves\n- [ ] Hire a lorry\n## Done\n- [x] Old\n"
    after = "## Todo\n- [ ] Hire a lorry\n## Done\n- [x] Old\n- [x] Label the shelves\n- [x] New\n"
    steps, _ = steps_after(before, after)
    assert steps == [
        "1 pending Todo",
        "1.1 done Label the shelves",
        "1.2 pending Hire a lorry",
        "2 done Done",
        "2.1 done Old",
        "2.2 done New",
    ]


def test_a_new_heading_above_what_is_there() -> None:
    before = "- [ ] a\n- [ ] b\n"
    steps, said = steps_after(before, "## One\n- [ ] a\n## Two\n- [ ] b\n- [x] c\n  - [ ] d\n")
    assert steps == ["1 pending a", "2 pending Two", "2.1 pending c", "2.1.1 pending d", "3 pending b"]
    assert "not added, since the plan has all below it elsewhere: One" in said


def test_a_task_is_added_although_all_below_it_was_there() -> None:
    before = "- [ ] 1. Test it\n  - [ ] run all\n  - [ ] write it down\n"
    after = f"- [ ] 1. Build it\n  - [ ] lay the keel\n{before.replace('1.', '2.')}"
    text, _ = update_text(import_text(before, "kiro").text, import_text(after, "kiro").plan)
    assert [f"[{step.step_type}] {step.description}" for step in iter_steps(parse_plan(text))] == [
        "[subtask] Build it", "[act] lay the keel", "[act] run all", "[act] write it down", "[act] Test it"
    ]  # fmt: skip


def test_what_is_new_below_a_task_that_moved_goes_there() -> None:
    before = "## A\n- [ ] 1. a\n- [ ] 2. b\n- [ ] 3. c\n"
    after = "## A\n- [ ] 2. b\n- [ ] 3. c\n## B\n- [ ] 4. d\n- [ ] 1. a\n  - [ ] 1.1 below\n"
    steps, _ = steps_after(before, after, "kiro")
    assert [line.replace(" pending", "") for line in steps] == [
        "1 A", "1.1 a", "1.1.1 below", "1.2 b", "1.3 c", "2 B", "2.1 d"
    ]  # fmt: skip


# ---------------------------------------------------------------- tags


def tagged(*tags: str) -> dict[str, Any]:
    tasks = [{"id": 1, "title": "Pick"}, {"id": 2, "title": "Press", "dependencies": [1]}]
    return {tag: {"tasks": tasks} for tag in tags}


@pytest.mark.parametrize("before", [tagged("x")["x"], tagged("master"), tagged("other"), tagged("")])
def test_a_list_that_gets_a_second_tag(before: dict[str, Any]) -> None:
    made = import_text(json.dumps(before)).text.replace("2. task-2 [act] Press", "2. [x] task-2 [act] Press | done")
    after = import_text(json.dumps(tagged("master", "v2"))).plan
    text, said = update_text(made, after)
    plan = parse_plan(text)
    assert [(step.step_name, len(step.children)) for step in plan.steps] == [("task-1", 0), ("task-2", 0), ("v2", 2)]
    second = plan.steps[1]
    assert (second.status.value, second.result, second.inputs) == ("done", "done", ["task_1"])
    assert "not added, since the plan has all below it elsewhere: master" in said
    assert update_text(text, after)[0] == text
    exported = json.loads(export_plan(plan, "task-master").text)
    assert {tag: len(one["tasks"]) for tag, one in exported.items()} == {"master": 2, "v2": 2}


# ---------------------------------------------------------------- the other way


def back(text: str, *changes: tuple[str, str], form: str = "kiro") -> tuple[str, list[str]]:
    made = import_text(text, form).text
    for old, new in changes:
        assert old in made
        made = made.replace(old, new, 1)
    exported = export_into(parse_plan(made), text, form)
    return exported.text, exported.lost


def test_a_status_is_one_sign() -> None:
    text, lost = back(SOURCE, ("2.1. task-2-1", "2.1. [x] task-2-1"), ("\n3. task-3", "\n3. [>] task-3"))
    assert changed_lines(SOURCE, text) == [
        "-  - [ ] 2.1 Wash the press",
        "-- [ ] 3. Sell",
        "+  - [x] 2.1 Wash the press",
        "+- [-] 3. Sell",
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("* [ ]  1.  Pick ", "* [x]  1.  Pick "),
        ("\t+ [ ] 1. Pick\r", "\t+ [x] 1. Pick\r"),
        ("3) [ ] 1. Pick [ ] it", "3) [x] 1. Pick [ ] it"),
        ("- [ ]* 1. Pick", "- [x]* 1. Pick"),
        ("- []  1. Pick", "- [x]  1. Pick"),
    ],
)
def test_all_else_in_its_line_stays(line: str, wanted: str) -> None:
    text, lost = back(line, ("1. task-1", "1. [x] task-1"))
    assert (text, lost) == (wanted, [])


def test_a_text_is_changed_in_its_line() -> None:
    text, lost = back(SOURCE, ("Wash the press", "Scrub | press"))
    assert changed_lines(SOURCE, text) == ["-  - [ ] 2.1 Wash the press", "+  - [ ] 2.1 Scrub"]
    text, lost = back("## Old part\n\n- [ ] a\n\n# X\n", ("[subtask] Old", "[subtask] New"), form="checklist")
    assert (text, lost) == ("## New part\n\n- [ ] a\n\n# X\n", [])


def test_what_cannot_be_said_is_named() -> None:
    text, lost = back("1. a\n2. b\n", ("1. [act]", "1. [x] [act]"), ("2. [act]", "2. [!] [act]"), form="checklist")
    assert text == "1. a\n2. b\n"
    assert lost == [
        "line 1: there is no box to say that it is done",
        "line 2: there is no box to say that it is blocked",
    ]
    text, lost = back(SOURCE, ("hot water", "cold water"))
    assert text == SOURCE
    assert lost == ["line 6: its notes and what it needs stay as they are"]


def test_new_steps_are_lines() -> None:
    made = SOURCE.replace("\n", "\r\n")
    text, lost = back(
        made,
        ("3. task-3 [act] Sell", "3. task-3 [act] Sell\n4. [subtask] Party\n  4.1. [act] Dance\n  2.2. [act] Dry it"),
    )
    new = ["+- [ ] 4. Party\r", "+  - [ ] 4.1 Dance\r", "+  - [ ] 2.2 Dry it\r"]
    assert sorted(changed_lines(made, text)) == sorted(new)
    again = import_text(text, "kiro").plan
    assert [step.description for step in again.steps] == ["Pick", "Press", "Sell", "Party"]
    assert [step.description for step in again.steps[1].children] == ["Wash the press", "Dry it"]
    assert lost == []


GROUP = "## 1. A\n\n- [ ] 1.1 a\n- [ ] 1.2 b\n"
DEEP = "- [ ] a\n- [ ] b\n  - [ ] c\n    - [ ] d\n"
PHASES = "## One\n\n- [ ] a\n- [ ] b\n\n## Two\n\n- [ ] c\n"
ELSEWHERE = "step {} is not added, since the file has all below it elsewhere"


@pytest.mark.parametrize(
    ("source", "new", "wanted"),
    [
        # Numbers go on, and without boxes there is none.
        ("1. a\n2. b\n", "3. [act] c\n4. [act] d\n", "1. a\n2. b\n3. c\n4. d\n"),
        ("9) a\n", "2. [subtask] b\n2.1. [act] c\n", "9) a\n10) b\n    1) c\n"),
        ("- a\n", "2. [act] b\n", "- a\n- b\n"),
        ("1. [ ] a\n2. [ ] b\n", "2.1. [act] c\n3. [act] d\n", "1. [ ] a\n2. [ ] b\n   1. [ ] c\n3. [ ] d\n"),
        # What is below an item begins where its text does.
        ("-   [ ] a\n", "1.1. [act] b\n", "-   [ ] a\n    - [ ] b\n"),
        ("-\t[ ] a\n", "1.1. [act] b\n", "-\t[ ] a\n    - [ ] b\n"),
        ("-      [ ] a\n", "1.1. [act] b\n", "-      [ ] a\n  - [ ] b\n"),
        ("+ [ ] a\n", "1.1. [act] b\n  > - note\n", "+ [ ] a\n  + [ ] b\n    - note\n"),
        ("- - [ ] a\n", "1.2. [act] b\n", "- - [ ] a\n- [ ] b\n"),
        # Lines end as the others do.
        ("- [ ] a\r\n- [ ] b", "3. [act] c\n4. [act] d\n", "- [ ] a\r\n- [ ] b\r\n- [ ] c\r\n- [ ] d"),
        ("- [ ] a\r\n", "2. [act] c\n", "- [ ] a\r\n- [ ] c\r\n"),
        # A container in a group is an item.
        (GROUP, "  1.3. [subtask] c\n  1.3.1. [act] d\n", f"{GROUP}- [ ] 1.3 c\n  - [ ] 1.3.1 d\n"),
        (GROUP, "  1.3. [subtask] c\n    > [heading 3]\n  1.3.1. [act] d\n", f"{GROUP}- [ ] c\n  - [ ] 1.3 d\n"),
        # What is below a step comes before what is after it.
        (
            DEEP,
            "    2.1.2. [act] e\n  2.2. [act] f\n  2.3. [act] g\n3. [act] h\n",
            f"{DEEP}    - [ ] e\n  - [ ] f\n  - [ ] g\n- [ ] h\n",
        ),
    ],
)
def test_new_steps_are_written_as_those_beside_them(source: str, new: str, wanted: str) -> None:
    assert export_into(parse_plan(import_text(source).text + new), source).text == wanted


@pytest.mark.parametrize(
    ("source", "steps", "wanted", "elsewhere"),
    [
        ("3. a\n4. b\n", "1. [act] new\n2. [act] a\n", "3. new\n3. a\n4. b\n", []),
        (
            "# T\n\n## A\n- [ ] a\n",
            "1. [act] b\n2. [subtask] c\n  2.1. [act] d\n3. [subtask] A\n  > [heading 2]\n  3.1. [act] a\n",
            "# T\n\n- [ ] b\n\n## c\n\n- [ ] d\n\n## A\n- [ ] a\n",
            [],
        ),
        # What has moved stays where the file has it, and of what is new around it only what is new in it is added.
        (
            "- [ ] a\n- [ ] b\n",
            "1. [subtask] Old\n  1.1. [x] [subtask] a\n    1.1.1. [act] new\n2. [subtask] Bare\n  2.1. [act] b\n",
            "- [x] a\n  - [ ] new\n- [ ] b\n",
            ["1", "2"],
        ),
        (
            "- [ ] a\n",
            "1. [subtask] New\n  1.1. [subtask] Bare\n    1.1.1. [act] a\n  1.2. [act] fresh\n",
            "- [ ] New\n  - [ ] fresh\n- [ ] a\n",
            ["1.1"],
        ),
        # Although the step before it is elsewhere in the file, a new one is below its parent.
        (
            PHASES,
            "1. [subtask] One\n  1.1. [act] a\n2. [subtask] Two\n  2.1. [act] b\n  2.2. [act] new\n  2.3. [act] c\n",
            PHASES.replace("- [ ] c", "- [ ] new\n- [ ] c"),
            [],
        ),
    ],
)
def test_what_is_elsewhere_in_the_file_stays_there(source: str, steps: str, wanted: str, elsewhere: list[str]) -> None:
    exported = export_into(parse_plan(f"Goal: g\n## Steps\n{steps}"), source, "checklist")
    assert exported.text == wanted
    assert [line for line in exported.lost if "elsewhere" in line] == [ELSEWHERE.format(one) for one in elsewhere]


@pytest.mark.parametrize(
    ("form", "source", "wanted"),
    [
        ("kiro", "- [ ] a\n- [ ] b\n", "- [ ] A\n- [ ] b\n- [ ] c\n  - [ ] d\n"),
        ("kiro", "- [ ] 1. a\n- [ ] b\n", "- [ ] 1. A\n- [ ] b\n- [ ] c\n  - [ ] d\n"),
        ("spec-kit", "- [ ] a\n- [ ] T007 b\n", "- [ ] A\n- [ ] T007 b\n- [ ] c\n  - [ ] T009 d\n"),
        ("openspec", "- [ ] a\n- [ ] 1.1 b\n", "- [ ] A\n- [ ] 1.1 b\n- [ ] 2. c\n  - [ ] 2.1 d\n"),
    ],
)
def test_numbers_are_given_beside_numbers_only(form: str, source: str, wanted: str) -> None:
    made = import_text(source, form).text.replace("[act] a\n", "[act] A\n")
    exported = export_into(parse_plan(f"{made}3. [subtask] c\n3.1. [act] d\n"), source, form)
    assert (exported.text, exported.lost) == (wanted, [])


@pytest.mark.parametrize(
    ("form", "source", "new", "wanted", "moved"),
    [
        # A step without others is above all headings, and behind the items there.
        ("openspec", "# T\n\n{}## 1. A\n\n- [ ] 1.1 a\n", "2. [act] b\n", "- [ ] 2. b\n\n", "b"),
        ("checklist", "# T\ngoal\n{}## A\n- [ ] a\n", "2. [act] b\n3. [act] c\n", "\n- [ ] b\n- [ ] c\n\n", "bc"),
        ("checklist", "1. a\n{}\n## A\n\n1. b\n", "3. [act] c\n", "2. c\n", "c"),
        ("checklist", "## A\n{}### B\n- [ ] b\n", "  1.2. [act] c\n", "\n- [ ] c\n\n", "c"),
        # One with others is a heading of the same level.
        (
            "checklist",
            "## A\n\n* [ ] a\n{}\n## Notes\n\nEnd.\n",
            "2. [subtask] b\n  > [heading 5]\n2.1. [act] c\n",
            "\n## b\n\n* [ ] c\n",
            "",
        ),
        ("kiro", "### A\n1. [ ] 1. a\n{}", "2. [subtask] b\n2.1. [act] c\n", "\n### b\n\n1. [ ] 2.1 c\n", ""),
        ("openspec", "## 1. A\n- [ ] 1.1 a\n{}", "2. [subtask] b\n2.1. [act] c\n", "\n## 2. b\n\n- [ ] 2.1 c\n", ""),
    ],
)
def test_what_is_new_beside_headings(form: str, source: str, new: str, wanted: str, moved: str) -> None:
    plan = parse_plan(import_text(source.replace("{}", ""), form).text + new)
    exported = export_into(plan, source.replace("{}", ""), form)
    assert exported.text == source.replace("{}", wanted)
    assert exported.lost == [f"{name}: it comes before the headings that it is after" for name in moved]
    again = import_text(exported.text, form).plan
    assert {step.description for step in iter_steps(again)} == {step.description for step in iter_steps(plan)}
    assert export_into(plan, exported.text, form).text == exported.text


@pytest.mark.parametrize(
    ("source", "new", "lost"),
    [
        (
            "- [ ] 1. a\n  - _Requirements: 1_\n",
            "2. [!] [subtask] b\n2.1. [x] [act] c\n",
            ["b: there is no box for blocked"],
        ),
        ("- [ ] 1. a\n  - _Requirements: 1_\n", "1.1. [~] [act] b\n", ["b: there is no box for skipped"]),
        ("1. a\n", "2. [x] [act] b\n", ["b: there is no box to say that it is done"]),
        # What a heading says is said by the tasks below it.
        ("## 1. A\n- [ ] 1.1 a\n", "2. [>] [subtask] b\n2.1. [>] [act] c\n", ["c: there is no box for active"]),
    ],
)
def test_what_new_steps_cannot_say_is_named(source: str, new: str, lost: list[str]) -> None:
    exported = export_into(parse_plan(import_text(source).text + new), source)
    assert exported.lost == lost


def test_vanished_steps_stay_in_the_file() -> None:
    exported = export_into(parse_plan("Goal: g\n## Steps\n3. [x] task-3 [act] Sell\n"), SOURCE)
    assert changed_lines(SOURCE, exported.text) == ["-- [ ] 3. Sell", "+- [x] 3. Sell"]
    assert "step 2.1 (task-2-1) is not in the plan, and stays" in exported.lost


TASKS = json.dumps(
    {
        "master": {
            "tasks": [
                {"id": 1, "title": "Pick", "status": "done", "x": [1, {"y": 2}], "dependencies": []},
                {"id": 2, "status": "pending", "title": "Press", "dependencies": [1], "subtasks": []},
            ],
            "metadata": {"a": "ü"},
        },
    },
    ensure_ascii=False,
    indent=4,
)


def test_json_keeps_its_layout() -> None:
    text, lost = back(TASKS, ("2. task-2", "2. [!] task-2"), form="task-master")
    assert changed_lines(TASKS, text) == [
        '-                "status": "pending",',
        '+                "status": "blocked",',
    ]
    assert lost == []


def test_json_gets_new_tasks_and_fields() -> None:
    text, lost = back(
        TASKS,
        (
            "2. task-2 [act] Press\n  > ← task_1",
            "2. task-2 [act] Press\n  > ← task_1\n  > priority: high\n3. [subtask] Sell\n  3.1. [x] [act] Jars",
        ),
        form="task-master",
    )
    value = json.loads(text)["master"]["tasks"]
    assert value[0] == json.loads(TASKS)["master"]["tasks"][0]
    assert value[1]["priority"] == "high"
    assert [(task["id"], task["title"]) for task in value] == [(1, "Pick"), (2, "Press"), (3, "Sell")]
    assert [(task["id"], task["status"]) for task in value[2]["subtasks"]] == [(1, "done")]
    assert lost == []


def test_json_changes_a_task_behind_a_new_one() -> None:
    made = parse_plan(import_text(TASKS).text.replace("2. task-2", "2. [!] task-2"))
    made.steps.insert(1, parse_plan("Goal: g\n## Steps\n9. [act] Wash\n").steps[0])
    value = json.loads(export_into(made, TASKS).text)["master"]["tasks"]
    assert [(task["title"], task["status"]) for task in value] == [
        ("Pick", "done"), ("Wash", "pending"), ("Press", "blocked")
    ]  # fmt: skip


TAGS = json.dumps({"meta": 1} | tagged("master", "v2") | {"v3": {"tasks": []}}, indent=2)
LISTS = {tag: one["tasks"] for tag, one in tagged("master", "v2").items()} | {"v3": []}


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        # What is said of a tag by the tasks below it, and its name, are no fields.
        (("1. master [", "1. [x] master ["), []),
        (("] v2\n", "] V2\n"), ["the tag v2 keeps its name"]),
    ],
)
def test_a_tag_stays_as_it_is(change: tuple[str, str], lost: list[str]) -> None:
    assert back(TAGS, change, form="task-master") == (TAGS, lost)


@pytest.mark.parametrize(
    ("new", "tag", "ids"),
    [
        ("3. [act] Plant\n", "master", [1, 2, 3]),
        ("1.3. [act] Plant\n", "master", [1, 2, 3]),
        ("  2.3. [act] Plant\n", "v2", [1, 2, 3]),
    ],
)
def test_new_steps_beside_tags(new: str, tag: str, ids: list[int]) -> None:
    made = import_text(TAGS).text
    made = made.replace("2. v2 [", f"{new}2. v2 [") if new.startswith("1.3") else made + new
    exported = export_into(parse_plan(made), TAGS)
    value = json.loads(exported.text)
    assert (value.pop("meta"), exported.lost) == (1, [])
    assert [one["id"] for one in value[tag]["tasks"]] == ids
    assert value[tag]["tasks"][2]["title"] == "Plant"
    value[tag]["tasks"].pop()
    assert {name: one["tasks"] for name, one in value.items()} == LISTS


def test_a_new_first_task_of_a_list_that_is_not_the_first_field() -> None:
    source = json.dumps({"meta": {}, **tagged("x")}, indent=2)
    text, lost = back(
        source, ("1. task-1", "1. [act] Plant\n2. task-1"), ("2. task-2", "3. task-2"), form="task-master"
    )
    assert [one["title"] for one in json.loads(text)["x"]["tasks"]] == ["Plant", "Pick", "Press"]
    assert lost == []


@pytest.mark.parametrize(
    ("text", "done", "new"),
    [
        ('{"tasks": [{"id":1,"title":"a"}]}', '"a", "status": "done"', ', {"id": 2, "title": "b"'),
        ('{"tasks":[{"id":1,"title":"a"}]}', '"a","status":"done"', ',{"id":2,"title":"b"'),
        (
            '{"tasks": [\n {"id": 1,\n  "title": "a"}\n]}',
            '"a",\n  "status": "done"',
            ',\n {\n  "id": 2,\n  "title": "b"',
        ),
    ],
)
def test_json_keeps_any_layout(text: str, done: str, new: str) -> None:
    change = ("1. task-1 [act] a", "1. [x] task-1 [act] a\n2. [act] b")
    exported, lost = back(text, change, form="task-master")
    assert lost == []
    assert [one["title"] for one in json.loads(exported)["tasks"]] == ["a", "b"]
    assert done in exported
    assert new in exported


def test_tasks_below_a_task_that_has_an_empty_list_for_them() -> None:
    text = json.dumps({"tasks": [{"id": 1, "title": "a", "subtasks": []}]}, indent=2)
    exported, _ = back(text, ("1. task-1 [act] a", "1. task-1 [subtask] a\n  1.1. [act] b"), form="task-master")
    (below,) = json.loads(exported)["tasks"][0]["subtasks"]
    assert (below["id"], below["title"]) == (1, "b")
    assert '"subtasks": [\n        {\n          "id": 1,' in exported
