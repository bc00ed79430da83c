"""Flat lists in JSON: of Claude Code, Codex, the Agent Client Protocol and beads; in, out, and into a file."""

from __future__ import annotations

import json

import pytest

from planspec_lark import PlanStatus, PlanSyntaxError, parse_plan
from planspec_lark.exchange import NoListError, export_into, export_plan, import_text
from planspec_lark.planspec.agenda import ready_steps
from tests.corpus import FIXTURES, read

LISTS = FIXTURES / "exchange"
CODEX, ACP, UPDATE = (
    read(LISTS / name) for name in ("codex/leak.source.json", "acp/leak.source.json", "acp/update.source.json")
)
BEADS = read(LISTS / "beads" / "issues.source.jsonl")


def test_a_list_that_was_written_by_hand_keeps_its_layout() -> None:
    text = '\ufeff{ "todos": [\n  {"content": "Dig", "status":"pending", "blockedBy": ["2"]},\n\n {"content":"Sow"}] }'
    plan = import_text(text).plan
    plan.steps[0].status = PlanStatus.DONE
    exported = export_into(plan, text)
    assert (exported.text, exported.lost) == (text.replace("pending", "completed"), [])
    plan.steps[1].status = PlanStatus.DONE
    exported = export_into(plan, text)
    done = text.replace("pending", "completed").replace('"Sow"', '"Sow", "status": "completed"')
    assert (exported.text, exported.lost) == (done, [])
    plan.steps.append(parse_plan("## Steps\n3. [act] Mow\n").steps[0])
    new = ',\n\n {"content": "Mow", "status": "pending", "activeForm": "Mow"}'
    assert export_into(plan, text).text == done.replace("}] }", f"}}{new}] }}")


def test_what_has_no_word_is_named() -> None:
    plan = import_text(CODEX).plan
    plan.steps[2].status = PlanStatus.BLOCKED
    assert export_into(plan, CODEX).lost == ["Write a test: there is no status for blocked"]


def test_what_is_no_task_is_named() -> None:
    text = json.dumps({"todos": [{"content": "a", "status": "later"}, 5, {"status": "pending"}]})
    imported = import_text(text)
    assert [one.code for one in imported.report.found] == ["EX101", "EX107", "EX107"]
    assert [entry.path for entry in imported.report.left_out] == ["todos[1]", "todos[2]"]
    with pytest.raises(NoListError):
        import_text(text, list=1)


def test_lines_of_json_are_recognised() -> None:
    broken = BEADS.replace('"bd-3", ', '"bd-3" ')
    with pytest.raises(PlanSyntaxError) as caught:
        import_text(broken)
    assert [(one.code, one.line) for one in caught.value.diagnostics] == [("EX110", 3)]
    with pytest.raises(PlanSyntaxError) as caught:
        import_text('{"a": 1}\n{"a": 2}\n' * 200)
    assert [one.code for one in caught.value.diagnostics] == ["EX110"]


MARKDOWN = {
    "sessionUpdate": "plan_update",
    "plan": {"type": "markdown", "planId": "p", "content": "# Leak\n\n- [x] Read the logs\n- [ ] Fix the leak\n"},
}


def test_the_protocol_has_plans_in_markdown() -> None:
    text = json.dumps(MARKDOWN, indent=2)
    imported = import_text(text)
    assert (imported.report.format, imported.report.done, imported.plan.title) == ("acp", 1, "Leak")
    assert [entry.path for entry in imported.report.carried] == ["plan.content"]
    assert export_into(imported.plan, text).text == text
    imported.plan.steps[1].status = PlanStatus.DONE
    assert export_into(imported.plan, text).text == text.replace("- [ ] Fix", "- [x] Fix")
    with pytest.raises(PlanSyntaxError, match="EX110"):
        import_text(text.replace("content", "other"), "acp")


def test_tasks_in_json_come_after_those_that_they_need() -> None:
    needs = {"c": ["d", "a"], "a": ["b"], "b": [], "d": ["e"], "e": ["d", "f"]}
    tasks = [{"id": key, "title": key, "dependencies": said, "status": "pending"} for key, said in needs.items()]
    text = json.dumps({"tasks": tasks}, indent=2)
    imported = import_text(text)
    assert "".join(step.description for step in imported.plan.steps) == "edbac"
    # Of a circle, one need has to go.
    assert sorted(one.code for one in imported.report.found) == ["EX103", "EX104"]
    while ready := ready_steps(imported.plan, order="data"):
        for step in ready:
            step.status = PlanStatus.DONE
    assert {step.status for step in imported.plan.steps} == {PlanStatus.DONE}
    imported = import_text(text)
    imported.plan.steps[3].status = PlanStatus.DONE
    changed = export_into(imported.plan, text)
    assert [line for line in changed.text.split("\n") if line not in text.split("\n")] == ['      "status": "done"']
    assert changed.text.replace("done", "pending") == text


def test_one_issue_is_a_list_as_well() -> None:
    text = BEADS.partition("\n")[0]
    imported = import_text(text)
    assert (imported.report.format, imported.report.tasks) == ("beads", 1)
    imported.plan.steps[0].status = PlanStatus.ACTIVE
    assert '"in_progress"' in export_into(imported.plan, text).text


@pytest.mark.parametrize("uri", ["file:///home/mole/plan.md", "plan.md\x1b[2J"])
def test_a_file_that_an_update_names_is_told_and_not_opened(uri: str) -> None:
    schema = pytest.importorskip("acp.schema", reason="needs agent-client-protocol")
    plan = schema.PlanUpdateFile(type="file", planId="p", uri=uri)
    update = schema.AgentPlanContentUpdate(sessionUpdate="plan_update", plan=plan)
    with pytest.raises(PlanSyntaxError) as caught:
        import_text(update.model_dump_json(by_alias=True, exclude_none=True))
    (found,) = caught.value.diagnostics
    said = "the plan is in a file of its own: " + uri.replace("\x1b", "\\x1b")
    assert (found.code, found.message, found.help) == ("EX110", said, "name that file")


def test_the_protocol_takes_what_is_written() -> None:
    schema = pytest.importorskip("acp.schema", reason="needs agent-client-protocol")
    plan = import_text(ACP).plan
    written = schema.AgentPlanUpdate.model_validate_json(export_plan(plan, "acp").text)
    assert [entry.model_dump(exclude_none=True) for entry in written.entries] == json.loads(ACP)["entries"]
    plan = parse_plan("Goal: g\n## Steps\n1. [act] Go home\n")
    (entry,) = schema.AgentPlanUpdate.model_validate_json(export_plan(plan, "acp").text).entries
    assert (entry.content, entry.priority, entry.status) == ("Go home", "medium", "pending")
    text = json.dumps(json.loads(UPDATE)["params"]["update"])
    plan = import_text(text).plan
    plan.steps[0].status = PlanStatus.PENDING
    updated = schema.AgentPlanContentUpdate.model_validate_json(export_into(plan, text).text)
    assert updated.plan.entries[0].status == "pending"
