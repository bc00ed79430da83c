"""`planspec import` and `planspec export`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan
from tests.cli.running import run

LIST = "# Picnic\n\n- [x] Bake bread\n- [?] Pack the basket\n  - cups\n"


@pytest.fixture(autouse=True)
def lists(here: Path) -> None:
    (here / "todo.md").write_text(LIST, encoding="utf-8")


def said(*arguments: str, stdin: str = "") -> str:
    result = run(*arguments, stdin=stdin)
    return f"exit code {result.exit_code}\n--- stdout\n{result.stdout}--- stderr\n{result.stderr}"


@pytest.mark.parametrize(
    "arguments",
    [
        "import todo.md",
        "import todo.md --from kiro",
        "import nowhere.md",
        "import empty.md",
        "import folder",
        "import todo.md --from trello",
        "import todo.md -o picnic.md --into picnic.md",
        "import todo.md --into broken.md",
        "export plan.md --to checklist",
        "export plan.md --to spec-kit",
        "export plan.md --to kiro",
        "export plan.md --to openspec",
        "export plan.md --to task-master",
        "export plan.md",
        "export broken.md --to kiro",
        "export plan.md --into plan.md",
        "import plan.md",
        "export plan.md --into todo.md -o x.md",
        "export - --into -",
        "import todo.md -o todo.md",
        "export plan.md --to kiro -o plan.md",
    ],
)
def test_what_they_say(arguments: str, here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "empty.md").write_text("nothing\n", encoding="utf-8")
    (here / "folder").mkdir()
    before = {path.name: path.read_text(encoding="utf-8") for path in here.glob("*.md")}
    assert said(*arguments.split()) == snapshot
    # What goes to standard output changes no file.
    assert {path.name: path.read_text(encoding="utf-8") for path in here.glob("*.md")} == before


def test_report_and_out(here: Path) -> None:
    result = run("import", "todo.md", "-o", "picnic.md", "--report", "report.json")
    assert (result.exit_code, result.stdout) == (0, "")
    report = json.loads((here / "report.json").read_text(encoding="utf-8"))
    assert (report["format"], report["tasks"], report["done"]) == ("checklist", 2, 1)
    assert [entry["line"] for fate in ("carried", "kept", "left_out") for entry in report[fate]] == [1, 3, 4, 5]
    assert report["findings"][0]["code"] == "EX101"
    assert run("check", "picnic.md").exit_code == 0


def test_there_and_back(here: Path) -> None:
    assert run("import", "todo.md", "--into", "picnic.md").exit_code == 0
    plan = here / "picnic.md"
    assert len(parse_plan(plan.read_text(encoding="utf-8")).steps) == 2
    before = plan.read_bytes()
    result = run("import", "todo.md", "--into", "picnic.md")
    assert "picnic.md: nothing to change\n" in result.stderr
    assert plan.read_bytes() == before
    run("apply", "picnic.md", stdin="PLAN_CMD: DONE 2\n")
    result = run("export", "picnic.md", "--into", "todo.md")
    assert (result.exit_code, result.stderr) == (0, "todo.md: updated\n")
    assert (here / "todo.md").read_text(encoding="utf-8") == LIST.replace("[?]", "[x]")
    result = run("export", "picnic.md", "--into", "todo.md")
    assert result.stderr == "todo.md: nothing to change\n"


def test_statuses_of_the_source(here: Path) -> None:
    run("import", "todo.md", "--into", "picnic.md")
    (here / "todo.md").write_text(LIST.replace("[x]", "[ ]"), encoding="utf-8")
    assert "nothing to change" in run("import", "todo.md", "--into", "picnic.md").stderr
    result = run("import", "todo.md", "--into", "picnic.md", "--statuses", "source", "--report", "-")
    assert json.loads(result.stdout)["changes"] == ["step 1: done → pending"]
    assert "step 1: done → pending\n" in result.stderr


def test_a_finding_in_json_has_its_path(here: Path) -> None:
    tasks = '{"tasks": [{"id": 1, "title": "a", "dependencies": [7]}]}'
    (here / "tasks.json").write_text(tasks, encoding="utf-8")
    result = run("import", "tasks.json", "-o", "project.md")
    assert result.exit_code == 0
    assert "tasks.json:1:1 (tasks[0])\n" in result.stderr
    assert result.stderr.endswith("tasks.json: task-master, 1 task, 0 done; 3 fields carried, 0 kept, 0 left out\n")


def test_standard_input_is_read_once() -> None:
    result = run("import", "-", "--into", "-", stdin="- [ ] a\n")
    assert (result.exit_code, "Standard input can be read only once." in result.stderr) == (2, True)
    result = run("import", "todo.md", "--into", "-", stdin="Goal: g\n## Steps\n1. [act] Bake bread\n")
    assert "2. [act] Pack the basket\n" in result.stdout


def test_many_losses_are_counted(here: Path) -> None:
    steps = "".join(f"{number}. [reason] Think {number}\n" for number in range(1, 31))
    (here / "long.md").write_text(f"Goal: g\n## Steps\n{steps}", encoding="utf-8")
    result = run("export", "long.md", "--to", "checklist", "-o", "list.md")
    assert result.stderr.count("\n") == 21
    assert result.stderr.endswith("and 10 more; --report has them all\n")
    run("export", "long.md", "--to", "checklist", "-o", "list.md", "--report", "lost.json")
    assert len(json.loads((here / "lost.json").read_text(encoding="utf-8"))["lost"]) == 30


def test_the_report_of_an_export(here: Path) -> None:
    (here / "one.md").write_text("Goal: g\n## Steps\n1. [!] [act] Bake bread\n", encoding="utf-8")
    result = run("export", "one.md", "--to", "kiro", "-o", "list.md", "--report", "lost.json")
    lost = json.loads((here / "lost.json").read_text(encoding="utf-8"))
    assert lost == {"format": "kiro", "lost": ["step 1: status"]}
    assert result.stderr == "lost: step 1: status\n"
    run("export", "one.md", "--into", "todo.md", "--report", "lost.json")
    assert json.loads((here / "lost.json").read_text(encoding="utf-8"))["format"] == "checklist"


def test_names_of_files_are_harmless(here: Path) -> None:
    name = "a\x1b[2Jb.md"
    (here / name).write_text("- [?] x\x1b[2J\n", encoding="utf-8")
    result = run("import", name)
    assert "\x1b" not in result.stdout + result.stderr
