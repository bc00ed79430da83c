"""Every fixture runs every invariant: a source, the plan that it becomes, and the report."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    Severity,
    check_text,
    find_step,
    iter_steps,
    parse_plan,
    serialize_plan,
)
from planspec_lark.exchange import (
    FORMATS,
    ImportResult,
    export_into,
    export_plan,
    import_text,
    update_text,
)
from planspec_lark.exchange.formats import MARKDOWN
from tests.corpus import FIXTURES, read

FOLDER = FIXTURES / "exchange"
SOURCES = sorted(FOLDER.glob("*/*.source*"))

each = pytest.mark.parametrize("source", [pytest.param(path, id=f"{path.parent.name}-{path.name}") for path in SOURCES])


def bring_in(source: Path) -> ImportResult:
    form = source.parent.name
    return import_text(read(source), form, name=source.name)


def beside(source: Path, suffix: str) -> Path:
    return source.with_name(source.name.partition(".source")[0] + suffix)


def test_every_source_has_a_plan_and_a_report() -> None:
    stems = {beside(path, "") for path in SOURCES}
    assert len(stems) == len(SOURCES)
    # Plain Markdown has answers of models.
    assert {path.parent.name for path in SOURCES} == {*FORMATS} - {"markdown"}
    wanted = {stem.with_name(stem.name + suffix) for stem in stems for suffix in (".plan.md", ".report.json")}
    assert {path for path in FOLDER.glob("*/*") if path not in SOURCES} == wanted


@each
def test_plan_and_report(source: Path) -> None:
    imported = bring_in(source)
    assert imported.text == read(beside(source, ".plan.md"))
    assert imported.report.to_dict() == json.loads(read(beside(source, ".report.json")))
    assert parse_plan(imported.text) == imported.plan
    assert not [one for one in check_text(imported.text) if one.severity is Severity.ERROR]
    if "unnumbered" not in source.name:
        assert import_text(read(source)).report.format == source.parent.name


@each
def test_everything_is_accounted_for(source: Path) -> None:
    report = bring_in(source).report.to_dict()
    entries = [entry for fate in ("carried", "kept", "left_out") for entry in report[fate]]
    assert all(entry["reason"] for entry in entries)
    if report["format"] == "task-master":
        assert sorted(entry["path"] for entry in entries) == sorted(fields_of(json.loads(read(source))))
    elif report["format"] in (*MARKDOWN, "backlog"):
        lines = [number for number, line in enumerate(read(source).split("\n"), start=1) if line.strip()]
        assert sorted(entry["line"] for entry in entries) == lines


def fields_of(value: dict[str, Any]) -> list[str]:
    """The paths to all fields, written down without the reader."""
    found: list[str] = []

    def go_on(tasks: list[Any], path: str) -> None:
        for at, task in enumerate(tasks):
            here = f"{path}[{at}]"
            if not isinstance(task, dict) or not isinstance(task.get("title"), str):
                found.append(here)
                continue
            for key, one in task.items():
                found.append(f"{here}.{key}")
                if key == "subtasks" and isinstance(one, list):
                    go_on(one, f"{here}.{key}")

    lists = {"": value} if "tasks" in value else {f'["{tag}"]' if " " in tag else tag: value[tag] for tag in value}
    if len(lists) > 1:
        found += lists
    for tag, below in lists.items():
        dot = f"{tag}." if tag else ""
        go_on(below["tasks"], f"{dot}tasks")
        found += (f"{dot}{key}" for key in below if key != "tasks")
    return found


@each
def test_importing_again_changes_nothing(source: Path) -> None:
    imported = bring_in(source)
    assert update_text(imported.text, imported.plan) == (imported.text, [])


@each
def test_what_is_exported_has_all_that_is_kept(source: Path) -> None:
    imported = bring_in(source)
    exported = export_plan(imported.plan, source.parent.name).text
    lines = read(source).split("\n")
    if source.parent.name in MARKDOWN:
        kept = [lines[entry.line - 1].strip() for entry in imported.report.kept]
        assert not Counter(kept) - Counter(map(str.strip, exported.split("\n")))


@each
def test_what_is_exported_reads_as_the_same_plan(source: Path) -> None:
    imported, form = bring_in(source), source.parent.name
    is_renumbered = any(one.code == "EX102" for one in imported.report.found)
    if is_renumbered and source.suffix == ".json":
        return
    again = import_text(export_plan(imported.plan, form).text, form).plan
    if is_renumbered or "unnumbered" in source.name:
        # All tasks get a number of their own, which is the name of their step.
        assert outline(again) == outline(imported.plan)
    else:
        # Most lists of tools have no place for a title and a goal.
        assert again.steps == imported.plan.steps
        assert form not in (*MARKDOWN, "task-master") or serialize_plan(again) == imported.text


def outline(plan: PlanSpec) -> list[object]:
    return [(step.step_id, step.status, step.description, step.detail) for step in iter_steps(plan)]


@each
def test_only_what_has_changed_in_the_plan_changes_in_the_source(source: Path) -> None:
    text, plan, form = read(source), bring_in(source).plan, source.parent.name
    exported = export_into(plan, text, form)
    assert (exported.text, exported.lost) == (text, [])
    *_, last = [step for step in iter_steps(plan) if not step.children and step.status is not PlanStatus.DONE]
    last.status = PlanStatus.DONE
    exported = export_into(plan, text, form)
    if exported.lost:
        # A list without boxes has no place for it.
        assert (exported.text, source.name) == (text, "bakery_opening.source.md")
        return
    changed = [both for both in zip(text.split("\n"), exported.text.split("\n"), strict=True) if both[0] != both[1]]
    assert len(changed) == 1
    again = find_step(import_text(exported.text, form).plan, last.step_id)
    assert again is not None
    assert again.status is PlanStatus.DONE


@each
def test_a_new_step_is_a_new_task(source: Path) -> None:
    imported, form = bring_in(source), source.parent.name
    siblings = imported.plan.steps
    while siblings[-1].children:
        siblings = siblings[-1].children
    head, _, number = siblings[-1].step_id.rpartition(".")
    siblings.append(PlanStep(f"{head}.{int(number) + 1}".lstrip("."), step_type="act", description="Go home"))
    exported = export_into(imported.plan, read(source), form)
    steps = [step.description for step in iter_steps(import_text(exported.text, form).plan)]
    assert steps == [step.description for step in iter_steps(imported.plan)]
