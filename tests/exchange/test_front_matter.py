"""Lists with front matter: of Cursor, and Backlog.md's task files."""

from __future__ import annotations

import pytest

from planspec_lark import PlanStatus, PlanSyntaxError, check_text, iter_steps, parse_plan
from planspec_lark.exchange import NoListError, export_into, export_plan, import_text, update_text
from planspec_lark.syntax import Severity

CURSOR = """\
---
name: Fix the leak
overview: "No drop on the floor: not one."
todos:
  - id: read-logs
    content: Read the logs
    status: completed
  - id: fix
    content: "Fix the leak: at last"
    status: in_progress
    dependencies:
      - read-logs
  - id: test
    content: Write a test
    status: pending
isProject: false
---

# Fix the leak

- a bullet
"""
BACKLOG = """\
---
id: task-7
title: 'Fix the leak'
status: To Do
dependencies: []
---

## Description

No drop on the floor.

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 The logs are read
- [ ] #2 There is a test
<!-- AC:END -->

## Implementation Notes

- It was the tap.
"""
STEPS = {
    "cursor": [
        ("read-logs", "Read the logs", "done"),
        ("fix", "Fix the leak: at last", "active"),
        ("test", "Write a test", "pending"),
    ],
    "backlog": [
        ("", "Fix the leak", "pending"),
        ("", "Acceptance Criteria", "pending"),
        ("task-1", "The logs are read", "done"),
        ("task-2", "There is a test", "pending"),
    ],
}
each = pytest.mark.parametrize(("form", "text"), [("cursor", CURSOR), ("backlog", BACKLOG)])


@each
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_task_and_status_arrives(form: str, text: str, end: str) -> None:
    text = text.replace("\n", end)
    imported = import_text(text)
    assert imported.report.format == form
    assert imported.plan.title == "Fix the leak"
    assert [(step.step_name, step.description, step.status.value) for step in iter_steps(imported.plan)] == STEPS[form]
    assert parse_plan(imported.text) == imported.plan
    assert not [one for one in check_text(imported.text) if one.severity is Severity.ERROR]
    assert update_text(imported.text, imported.plan) == (imported.text, [])
    report = imported.report
    lines = {entry.line for entry in [*report.carried, *report.kept, *report.left_out]}
    named = ["---", "todos:", "- read-logs"] if form == "cursor" else []
    wanted = {number for number, line in enumerate(text.split("\n"), 1) if line.strip() and line.strip() not in named}
    assert lines == wanted
    assert report.found == []


@each
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_done_is_one_line(form: str, text: str, end: str) -> None:
    text = text.replace("\n", end)
    plan = import_text(text).plan
    assert export_into(plan, text).text == text
    [*_, last] = iter_steps(plan)
    last.status = PlanStatus.DONE
    exported = export_into(plan, text)
    assert (exported.lost, exported.format) == ([], form)
    changed = [new for old, new in zip(text.split("\n"), exported.text.split("\n"), strict=True) if old != new]
    assert [line.strip() for line in changed] == {
        "cursor": ["status: completed"],
        "backlog": ["- [x] #2 There is a test"],
    }[form]


@each
def test_what_is_written_is_read_again(form: str, text: str) -> None:
    plan = import_text(text).plan
    again = import_text(export_plan(plan, form).text, form).plan
    assert [(step.step_name, step.description, step.status) for step in iter_steps(again)] == [
        (step.step_name, step.description, step.status) for step in iter_steps(plan)
    ]


@each
def test_new_steps_are_new_tasks(form: str, text: str) -> None:
    new = "4. [act] Go home\n" if form == "cursor" else "1.1.3. [act] Go home\n"
    exported = export_into(parse_plan(import_text(text).text + new), text)
    assert [step.description for step in iter_steps(import_text(exported.text, form).plan)][-1] == "Go home"
    assert import_text(exported.text).report.format == form


def test_todos_need_one_another_and_change_their_texts() -> None:
    plan = import_text(CURSOR).plan
    assert plan.steps[1].inputs == plan.steps[0].outputs != []
    plan.steps[2].description = 'Say "enough"'
    assert 'content: "Say \\"enough\\""\n' in export_into(plan, CURSOR).text
    plan.steps[2].status = PlanStatus.BLOCKED
    assert export_into(plan, CURSOR).lost == ['Say "enough": there is no status for blocked']


def test_todos_that_are_none_are_named() -> None:
    text = "---\ntodos:\n  - id: a\n    content: b\n    status: later\n  - 5\n---\n"
    assert sorted(one.code for one in import_text(text).report.found) == ["EX101", "EX107"]
    for broken in (
        "---\ntodos: [\n---\n",
        "---\ntodos:\n  - a\n",
        "---\ntodos: 5\n---\n",
        "---\n- content: a\n---\n",
        "text\n",
    ):
        with pytest.raises(PlanSyntaxError, match="EX110"):
            import_text(broken, "cursor")
    with pytest.raises(NoListError):
        import_text(text, list=1)


def test_a_new_first_todo_is_before_the_others() -> None:
    for text in (CURSOR, CURSOR.replace("\n", "\r\n")):
        plan = import_text(text).plan
        plan.steps[:0] = parse_plan("## Steps\n9. [act] Wake up\n").steps
        again = import_text(export_into(plan, text).text).plan
        assert [step.description for step in again.steps][:2] == ["Wake up", "Read the logs"]


def test_a_file_is_a_task_with_a_status() -> None:
    for text in (BACKLOG, BACKLOG.partition("## Acceptance")[0]):
        for said, status in (("To Do", "pending"), ("In Progress", "active"), ('"Triage"', "pending")):
            begun = text.replace("To Do", said)
            imported = import_text(begun)
            plan = imported.plan
            assert ["EX101"] * (said == '"Triage"') == [one.code for one in imported.report.found]
            assert (len(plan.steps), plan.steps[0].status.value) == (1, status)
            for step in iter_steps(plan):
                step.status = PlanStatus.DONE
            done = export_into(plan, begun)
            assert done.text == text.replace("To Do", "Done").replace("[ ]", "[x]")
            assert done.lost == []
            assert {step.status for step in iter_steps(import_text(done.text).plan)} == {PlanStatus.DONE}
            assert "status: Done\n" in export_plan(plan, "backlog").text
            assert "# Fix the leak" not in export_plan(plan, "backlog").text
    plan.steps[0].status = PlanStatus.SKIPPED
    plan.steps += parse_plan("## Steps\n2. [act] Go home\n").steps
    exported = export_into(plan, begun)
    lost = ["line 4: there is no status for skipped", "Go home: the file has no criteria that it could be beside"]
    assert (exported.text, sorted(exported.lost)) == (begun, sorted(lost))


def test_a_step_beside_a_file_is_one_of_its_criteria() -> None:
    plan = parse_plan(import_text(BACKLOG).text + "2. [act] Go home\n")
    again = import_text(export_into(plan, BACKLOG).text).plan
    assert [step.description for step in iter_steps(again)][1:] == [
        "Acceptance Criteria", "The logs are read", "There is a test", "Go home"
    ]  # fmt: skip


def test_a_task_without_a_status_gets_one() -> None:
    rows = "  - id: a\n    content: Dig\n  - id: b\n    content: Sow\n  - {id: c, content: Mow}\n"
    text = f"---\nname: a\ntodos:\n{rows}---\n"
    plan = import_text(text).plan
    for step in iter_steps(plan):
        step.status = PlanStatus.DONE
    done = export_into(plan, text)
    assert done.text == text.replace("Dig", "Dig\n    status: completed").replace(
        "Sow", "Sow\n    status: completed"
    ).replace("Mow", 'Mow, "status": completed')
    assert done.lost == []
    assert [step.status for step in iter_steps(import_text(done.text).plan)] == [PlanStatus.DONE] * 3
