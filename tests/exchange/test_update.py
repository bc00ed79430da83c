"""A plan or a list that is there gets what has changed, and nothing else in it moves."""

from __future__ import annotations

import json

import pytest

from planspec_lark import PlanSyntaxError, parse_plan
from planspec_lark.exchange import export_into, import_text, update_text

SOURCE = """\
# Harvest

- [x] 1. Pick

- [ ] 2. Press
  - [ ] 2.1 Wash the press
    - with hot water

- [ ] 3. Sell
"""


def plan_of(text: str) -> str:
    """What somebody has made of the plan: own format, statuses and steps."""
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


def test_statuses_of_the_source() -> None:
    text, said = update(SOURCE.replace("[ ] 2.1", "[x] 2.1"), takes_statuses=True)
    assert changed_lines(plan_of(SOURCE), text) == [
        "-\t2.1.  [>] task-2-1 [act] Wash the press",
        "+\t2.1.  [x] task-2-1 [act] Wash the press",
    ]
    assert "step 2.1: active → done" in said


def test_texts_and_detail_follow() -> None:
    text, said = update(SOURCE.replace("Wash the press", "Scrub the press").replace("hot", "boiling"))
    assert changed_lines(plan_of(SOURCE), text) == [
        "-\t2.1.  [>] task-2-1 [act] Wash the press",
        "-    > - with hot water",
        "+\t2.1.  [>] task-2-1 [act] Scrub the press",
        "+    > - with boiling water",
    ]
    assert "step 2.1 (task-2-1): description, detail as in the source" in said


def test_new_tasks_stand_where_the_source_has_them() -> None:
    new = "  - [x] 2.2 Fill it\n    - [ ] 2.2.1 Fetch a ladle\n\n- [ ] 9. Count the jars\n"
    text, said = update(SOURCE.replace("\n- [ ] 3.", f"{new}\n- [ ] 3."))
    steps = [line for line in text.split("\n") if "[act]" in line or "[subtask]" in line or "[reason]" in line]
    assert [line.strip() for line in steps[3:]] == [
        "2.2. [x] task-2-2 [subtask] Fill it",
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
    text, said = update(SOURCE.replace("# Harvest\n", "# Harvest\n\n- a note\n"))
    assert "> [not here: goal]\n> - a note\n##  Steps\n" in text
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
    assert lost == ["line 1: there is no box to say that it is done", "line 2: there is no box for blocked"]
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
            "2. task-2 [act] Press",
            "2. task-2 [act] Press\n  > priority: high\n3. [subtask] Sell\n  3.1. [x] [act] Jars",
        ),
        form="task-master",
    )
    value = json.loads(text)["master"]["tasks"]
    assert value[0] == json.loads(TASKS)["master"]["tasks"][0]
    assert value[1]["priority"] == "high"
    assert [(task["id"], task["title"]) for task in value] == [(1, "Pick"), (2, "Press"), (3, "Sell")]
    assert [(task["id"], task["status"]) for task in value[2]["subtasks"]] == [(1, "done")]
    assert lost == []


def test_json_of_another_layout_is_laid_out_anew() -> None:
    text, lost = back('{"tasks": [{"id":1,"title":"a"}]}', ("1. task-1", "1. [x] task-1"), form="task-master")
    assert json.loads(text)["tasks"][0]["status"] == "done"
    assert lost == ["the file is laid out anew"]
