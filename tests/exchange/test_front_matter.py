"""Lists with front matter: of Cursor, and Backlog.md's task files."""

from __future__ import annotations

import pytest

from planspec_lark import PlanStatus, PlanSyntaxError, iter_steps, parse_plan
from planspec_lark.exchange import NoListError, export_into, export_plan, import_text
from tests.corpus import FIXTURES, read

CURSOR, BACKLOG = (read(FIXTURES / "exchange" / name / "leak.source.md") for name in ("cursor", "backlog"))


def test_todos_change_their_texts() -> None:
    plan = import_text(CURSOR).plan
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
