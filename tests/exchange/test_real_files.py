"""The count of tasks that the import is checked against, and the job that checks it, on small files."""

from __future__ import annotations

import hashlib
import io
import json
import urllib.request
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.exchange import FORMATS
from tests.exchange.counting import Count, count
from tests.exchange.real_files import CHECKS, Case, RealFile, examine, main, read_table, show

TODO = """\
# Move the library

Before the lease ends.

## Now
- [x] Label the shelves
- [ ] Hire a lorry
  Twelve tonnes at least.

## Later
- [ ] Paint the old shelves
"""
TASKS = {
    "master": {
        "tasks": [
            {"id": 1, "title": "Label the shelves", "status": "done", "dependencies": [], "subtasks": []},
            {
                "id": 2,
                "title": "Move the books",
                "status": "pending",
                "dependencies": [1],
                "subtasks": [{"id": 1, "title": "Hire a lorry", "status": "pending", "dependencies": []}],
            },
        ]
    }
}


# ---------------------------------------------------------------- the count


@pytest.mark.parametrize(
    ("text", "tasks", "done"),
    [
        ("- [ ] a\n- [x] b\n- [X] c\n", 3, 2),
        ("* [ ] a\n+ [x] b\n1. [x] c\n2) [ ] d\n", 4, 2),
        ("- [ ] a\n  - [x] b\n          - [x] c\n", 3, 2),
        ("- [] a\n- [-] b\n- [~] c\n- [✅] d\n- [ ]* e\n- [ ]\n", 6, 1),
        ("- [ ] a\r\n- [x] b\r\n", 2, 1),
        ("\ufeff- [x] a\n", 1, 1),
        ("- [ ] a\n- [P] in parallel\n- [a](b)\n- [x](b)\n- [ab] c\n-[ ] d\n[x] e\n- [x]f\n", 1, 0),
        ("- [ ] a\n```\n- [ ] b\n~~~\n```\n- [ ] c\n", 2, 0),
        ("- [ ] a\n````\n```\n- [ ] b\n````\n- [ ] c\n", 2, 0),
        ("- [ ] a\n- ```\n  - [ ] b\n  ```\n- [ ] c\n", 2, 0),
        ("- [ ] a\n``` one `line` ```\n- [ ] b\n", 2, 0),
        ("<!--\n- [ ] a\n-->\n- [ ] b\n<!-- - [ ] c -->\n- [ ] d\n", 2, 0),
        ("---\n- [ ] a\n---\n- [ ] b\n", 1, 0),
        ("---\n- [ ] a\n", 1, 0),
        ("1. a\n   1. b\n   - c\n2. d\n", 3, 0),
        ("- a\n* b\n", 2, 0),
        ("a\n", 0, 0),
    ],
)
def test_tasks_in_markdown_are_counted(text: str, tasks: int, done: int) -> None:
    assert count(text, "checklist") == Count(tasks, done)


def test_tasks_in_json_are_counted_in_all_tags_and_levels() -> None:
    assert count(json.dumps(TASKS), "task-master") == Count(3, 1)
    deeper = {"tasks": [{"status": "completed", "subtasks": [{"status": "done", "subtasks": [{}, "no task"]}]}]}
    assert count(json.dumps(deeper), "task-master") == Count(3, 2)
    assert count(json.dumps({**TASKS, "later": deeper}), "task-master") == Count(6, 3)
    assert count("[]", "task-master") == Count(0, 0)


# ---------------------------------------------------------------- the table


def test_the_table_names_enough_files_of_each_format() -> None:
    repositories = defaultdict(set)
    files = read_table()
    for file in files:
        repositories[file.format].add(file.repository)
    assert repositories.keys() == {*FORMATS[:4], "task-master"}
    assert all(len(names) >= 12 for names in repositories.values())
    assert len(files) >= 250
    assert len({file.sha256 for file in files}) == len(files), "the same text twice says no more"


def test_a_file_is_fetched_once_and_its_hash_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(url: str, timeout: float) -> io.BytesIO:
        assert timeout > 0
        asked.append(url)
        return io.BytesIO(TODO.encode())

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    file = make_file("checklist", TODO, path="the docs/TODO.md")
    assert file.fetch(tmp_path).read_text(encoding="utf-8") == TODO
    file.fetch(tmp_path)
    assert asked == ["https://raw.githubusercontent.com/someone/library/abc/the%20docs/TODO.md"]
    with pytest.raises(ValueError, match="its hash is"):
        evolve(file, sha256="0").fetch(tmp_path)


def make_file(form: str, text: str, path: str = "TODO.md") -> RealFile:
    return RealFile("someone/library", "abc", path, form, hashlib.sha256(text.encode()).hexdigest())


def store(cache: Path, file: RealFile, text: str) -> None:
    place = cache / file.repository / file.commit / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())


# ---------------------------------------------------------------- the job


@pytest.mark.parametrize(
    ("form", "text", "path", "wanted"),
    [
        ("checklist", TODO, "TODO.md", Count(3, 1)),
        ("task-master", json.dumps(TASKS, indent=2), "tasks.json", Count(3, 1)),
    ],
)
def test_a_good_file_passes_all_checks(tmp_path: Path, form: str, text: str, path: str, wanted: Count) -> None:
    file = make_file(form, text, path)
    store(tmp_path, file, text)
    outcome = examine(file, tmp_path, tmp_path)
    assert outcome.failed == {}
    assert outcome.count == wanted


def test_of_what_cannot_be_imported_nothing_is_checked(tmp_path: Path) -> None:
    file = make_file("checklist", "no list\n")
    store(tmp_path, file, "no list\n")
    assert examine(file, tmp_path, tmp_path).checks.keys() == {"imported"}
    store(tmp_path, file, TODO)
    assert examine(file, tmp_path, tmp_path).checks.keys() == {"fetched"}


def make_case(**changes: Any) -> Case:
    """What a faultless import has given, but for changes."""
    source = "- [x] one\n\n- [ ] two\n  and more\n"
    entries = [
        {"line": 1, "reason": "step 1"},
        {"line": 3, "reason": "step 2"},
        {"line": 4, "reason": "the rest of line 3"},
    ]
    report = {"tasks": 2, "done": 1, "carried": entries, "kept": [], "left_out": []}
    plan = "Goal: g\n## Steps\n1. [x] [act] one\n2. [act] two and more\n"
    exported = "- [x] one\n- [ ] two and more\n"
    done = source.replace("[ ]", "[x]")
    return evolve(Case("checklist", source, "checklist", report, plan, exported, done, plan, plan), **changes)


def failed(case: Case) -> set[str]:
    return {name for name, check in CHECKS.items() if check(case)}


def without(case: Case, line: int, **more: Any) -> dict[str, Any]:
    """The report without an entry."""
    left = [entry for entry in case.report["carried"] if entry["line"] != line]
    return {**case.report, "carried": left, **more}


def test_each_check_sees_its_fault() -> None:
    case = make_case()
    assert failed(case) == set()
    assert failed(make_case(guessed="kiro")) == {"format found out"}
    assert failed(make_case(report={**case.report, "tasks": 3})) == {"counts agree"}
    assert failed(make_case(report={**case.report, "done": 2})) == {"counts agree"}
    assert failed(make_case(report=without(case, 4))) == {"all accounted for"}
    twice = {**case.report, "kept": [{"line": 4, "reason": "the rest of line 3"}]}
    assert failed(make_case(report=twice)) == {"all accounted for", "all in the plan"}
    less = case.plan.replace("more", "less")
    assert failed(make_case(plan=less, again=less, updated=less)) == {"all in the plan"}
    assert failed(make_case(again=less)) == {"same plan again"}
    assert failed(make_case(updated=less)) == {"nothing to update"}
    assert failed(make_case(errors=["PS301 wrong"])) == {"`check` finds no error"}
    assert failed(make_case(warnings=["PS310 odd"])) == {"`check` finds no warning"}
    assert failed(make_case(done=case.source.replace("o", "0"))) == {"one DONE is one line"}
    assert failed(make_case(done=case.source)) == set()


def test_what_is_left_out_need_not_be_in_the_plan() -> None:
    case = make_case()
    report = without(case, 1, left_out=[{"line": 1, "reason": "no place for it"}])
    plan = case.plan.replace("one", "")
    plans = {"plan": plan, "again": plan, "updated": plan}
    assert failed(make_case(report=report, **plans)) == set()


def test_the_command_prints_what_disagrees_and_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = make_file("checklist", TODO), make_file("kiro", TODO, "tasks.md")
    store(tmp_path, good, TODO)
    store(tmp_path, bad, "changed")
    table = tmp_path / "table.json"
    files = [{"path": one.path, "format": one.format, "sha256": one.sha256} for one in (good, bad)]
    table.write_text(
        json.dumps([{"repository": good.repository, "commit": good.commit, "files": files}]), encoding="utf-8"
    )

    assert main(["--cache", str(tmp_path), "--table", str(table), "--only", "checklist"]) == 0
    assert capsys.readouterr().out == (
        "|  | checklist | all |\n"
        "| --- | ---: | ---: |\n"
        "| files | 1 | 1 |\n"
        "| repositories | 1 | 1 |\n"
        "| tasks | 3 | 3 |\n"
        "| tasks done | 1 | 1 |\n"
        "| imported | 1 of 1 | 1 of 1 |\n"
        "| format found out | 1 of 1 | 1 of 1 |\n"
        "| counts agree | 1 of 1 | 1 of 1 |\n"
        "| all accounted for | 1 of 1 | 1 of 1 |\n"
        "| all in the plan | 1 of 1 | 1 of 1 |\n"
        "| `check` finds no error | 1 of 1 | 1 of 1 |\n"
        "| `check` finds no warning | 1 of 1 | 1 of 1 |\n"
        "| one DONE is one line | 1 of 1 | 1 of 1 |\n"
        "| same plan again | 1 of 1 | 1 of 1 |\n"
        "| nothing to update | 1 of 1 | 1 of 1 |\n"
        "| updated from an earlier version | 0 of 0 | 0 of 0 |\n"
    )
    assert main(["--cache", str(tmp_path), "--table", str(table)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("kiro  someone/library  tasks.md\n    fetched: its hash is ")
    assert "| imported | 1 of 1 | 0 of 0 | 1 of 1 |\n" in out


def test_no_files_give_an_empty_table() -> None:
    assert show([]).startswith("|  | all |\n| --- | ---: |\n| files | 0 |\n")


# ---------------------------------------------------------------- earlier versions


def test_the_plan_of_an_earlier_version_is_updated(tmp_path: Path) -> None:
    old, new = TODO.replace("[x]", "[ ]"), f"{TODO}- [ ] Return the keys\n"
    earlier = evolve(make_file("checklist", old), commit="abb")
    file = evolve(make_file("checklist", new), earlier=earlier)
    store(tmp_path, earlier, old)
    store(tmp_path, file, new)
    outcome = examine(file, tmp_path, tmp_path)
    assert outcome.failed == {}
    assert "updated from an earlier version" in outcome.checks


@pytest.mark.parametrize(
    ("later", "wrong"),
    [
        ("- [x] one\n- [ ] two and more\n- [ ] gone\n", ""),
        ("- [x] one\n", "lost: two and more"),
        ("- [ ] one\n- [ ] two and more\n", "lost: one"),
        ("- [x] one\n- [ ] one\n- [ ] two and more\n", "doubled: one"),
    ],
)
def test_a_task_that_an_update_loses_or_doubles_is_named(later: str, wrong: str) -> None:
    assert CHECKS["updated from an earlier version"](make_case(later=later)) == wrong
