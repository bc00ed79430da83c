"""Folders: which list is in one, what stands beside it, and what is never read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planspec_lark import PlanSyntaxError
from planspec_lark.exchange import ExchangeError, ExchangeReport, import_folder, import_text
from tests.timing import time_limit

TASKS = "- [ ] Do it\n"


def put(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_md", ".md").replace("_json", ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def reasons(report: ExchangeReport, fate: str) -> list[tuple[str, int, str]]:
    return [(entry.path, entry.line, entry.reason) for entry in getattr(report, fate) if entry.path]


@pytest.mark.parametrize(
    ("texts", "form", "title", "goal"),
    [
        (
            {"proposal_md": "# Change: Add x\n\n## Why\n\nIt hurts\nwithout.\n\nMore.\n"},
            "openspec",
            "Add x",
            "It hurts without.",
        ),
        ({"proposal_md": "## Why\nIt hurts.\n"}, "openspec", "here", "It hurts."),
        ({"requirements_md": "# Requirements Document\n\n## Introduction\n\nA clock.\n"}, "kiro", "here", "A clock."),
        ({"design_md": "# Design: Clock\n\n## Overview\n\nOne hand.\n"}, "kiro", "Clock", "One hand."),
        ({"bugfix_md": "# Bug: late\n\n```\n# no title\n```\n"}, "kiro", "Bug: late", "Bug: late"),
        (
            {
                "spec_md": '# Feature Specification: Bell\n\n**Input**: User description: "Ring it"\n',
                "plan_md": "# Implementation Plan: B\n",
            },
            "spec-kit",
            "B",
            "Ring it",
        ),
        ({"plan_md": "# Implementation Plan: B\n\n## Summary\n\nRing.\n"}, "spec-kit", "B", "Ring."),
        ({"proposal_md": "<!--\n# no\n-->\n\n## Why\n<!-- no -->\n"}, "openspec", "here", "Finish all tasks of here"),
    ],
)
def test_documents_say_title_and_goal(tmp_path: Path, texts: dict[str, str], form: str, title: str, goal: str) -> None:
    imported = import_folder(put(tmp_path / "here", tasks_md=TASKS, **texts))
    assert imported.report.format == form
    assert (imported.plan.title, imported.plan.goal) == (title, goal)
    assert "the title" in {reason for _, _, reason in reasons(imported.report, "carried")}
    names = {path for path, _, _ in reasons(imported.report, "left_out")}
    assert names == {name.replace("_md", ".md") for name in texts}


def test_blanks_within_a_line_take_little_time(tmp_path: Path) -> None:
    blanks = " " * 3000
    texts = {"proposal_md": f"# a{blanks}b ##\n\n## Why #\n\nc\n", "spec_md": f"**Input**:{blanks}d{blanks}e\n"}
    with time_limit(5):
        imported = import_folder(put(tmp_path, tasks_md=TASKS, **texts), "openspec")
    assert (imported.plan.title, imported.plan.goal) == (f"a{blanks}b", "c")


def test_conjunctions_without_an_id_take_little_time() -> None:
    with time_limit(5):
        imported = import_text(f"- [ ] T001 a\n- [ ] T002 needs T001{' and' * 60} x\n", "spec-kit")
    assert len(imported.plan.steps) == 2


@pytest.mark.parametrize(
    ("where", "others", "form"),
    [
        ("here", ["proposal.md", "design.md"], "openspec"),
        ("here", ["design.md"], "kiro"),
        ("here", ["design.md", "specs/clock/spec.md"], "openspec"),
        ("openspec/changes/clock", ["design.md"], "openspec"),
        ("openspec/changes/clock", [], "openspec"),
        (".kiro/specs/clock", ["requirements.md", "plan.md"], "kiro"),
        ("specs/001-clock", [], "spec-kit"),
        ("here", ["requirements.md", "plan.md"], "checklist"),
        ("here", [], "checklist"),
    ],
)
def test_whose_folder_it_is(tmp_path: Path, where: str, others: list[str], form: str) -> None:
    folder = put(tmp_path / where, tasks_md=TASKS)
    for name in others:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("# X\n", encoding="utf-8")
    assert import_folder(folder).report.format == form


def test_the_report_names_the_lines(tmp_path: Path) -> None:
    folder = put(tmp_path, tasks_md="# Tasks\n\n- [ ] Do it\n", proposal_md="# Add x\n\n## Why\n\nIt hurts.\n")
    imported = import_folder(folder)
    assert reasons(imported.report, "carried") == [("proposal.md", 1, "the title"), ("proposal.md", 5, "the goal")]
    assert "> # Tasks\n" in imported.text


@pytest.mark.parametrize("name", ["tasks_json", "tasks__tasks_json", ".taskmaster__tasks__tasks_json"])
def test_task_master(tmp_path: Path, name: str) -> None:
    put(tmp_path, **{name: '{"tasks": [{"id": 1, "title": "a"}]}'})
    assert import_folder(tmp_path).report.format == "task-master"


def test_a_folder_without_a_list(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"there is no tasks\.md and no tasks\.json"):
        import_folder(put(tmp_path, spec_md="# X\n"))


def test_links_out_of_the_folder_are_not_read(tmp_path: Path) -> None:
    put(tmp_path, secret_md="# Secret\n\n## Why\n\nHidden.\n")
    folder = put(tmp_path / "change", tasks_md=TASKS)
    os.symlink(tmp_path / "secret.md", folder / "proposal.md")
    imported = import_folder(folder)
    assert [(one.code, one.message) for one in imported.report.found] == [
        ("EX109", "proposal.md: the link leads out of the folder, and is not read")
    ]
    assert "Hidden" not in imported.text
    assert "Secret" not in imported.text


def test_a_list_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    put(tmp_path, other_md=TASKS)
    (tmp_path / "change").mkdir()
    os.symlink("../other.md", tmp_path / "change" / "tasks.md")
    with pytest.raises(ExchangeError, match="leads out of the folder"):
        import_folder(tmp_path / "change")


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    folder = put(tmp_path, list_md=TASKS)
    os.symlink("list.md", folder / "tasks.md")
    assert import_folder(folder).report.tasks == 1


def test_a_pipe_is_no_list(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tasks.md")
    with pytest.raises(ExchangeError, match="this is not a file"):
        import_folder(tmp_path)


def test_documents_that_are_no_text(tmp_path: Path) -> None:
    folder = put(tmp_path, tasks_md=TASKS)
    (folder / "proposal.md").write_bytes(b"\xff\xfe")
    (folder / "design.md").mkdir()
    assert [one.code for one in import_folder(folder).report.found] == ["EX109", "EX109"]
    (folder / "tasks.md").write_bytes(b"\xff")
    with pytest.raises(PlanSyntaxError):
        import_folder(folder)
