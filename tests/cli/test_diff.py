"""`planspec diff` by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.running import PLAN, call, harmless, on_terminal, run, to_nobody

NEW = (
    PLAN.replace("Goal: All", "Goal: Nearly all")
    .replace("- No book", "- Gloves on\n- No book")
    .replace("2. [>] [subtask] Move the books", "2. [act] Ask for help\n3. [>] [subtask] Move all the books")
    .replace(
        "  2.1. [!] [act] Hire a lorry → lorry | None is free before Friday", "  3.2. [x] [act] Hire a lorry → lorry"
    )
    .replace("    > Twelve tonnes at least.\n", "")
    .replace("  2.2. [reason]", "  3.1. planner [act]")
    .replace("3. [~] [act] Paint the old shelves → paint\n", "")
)


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8", newline="")


def test_nothing_is_said_where_nothing_differs() -> None:
    result = run("diff", "plan.md", "sloppy.md")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_what_differs(snapshot: SnapshotAssertion) -> None:
    write("new.md", NEW)
    result = run("diff", "plan.md", "new.md")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == snapshot


def test_steps_with_other_ids_are_counted() -> None:
    old = "## Steps\n" + "".join(f"{number}. [act] step {number}\n" for number in range(1, 7))
    write("old.md", old)
    write("one.md", old.replace("6. ", "7. "))
    assert run("diff", "old.md", "one.md").stdout.splitlines()[2:] == ["1 more step has another id: 6 is now 7"]
    write(
        "many.md", old.replace("## Steps\n", "## Steps\n0. [act] new\n").replace("5. ", "50. ").replace("1. ", "10. ")
    )
    assert run("diff", "old.md", "many.md").stdout.splitlines()[2:] == [
        "steps",
        "  + 0 [act] new",
        "2 more steps have another id: 1 is now 10, 5 is now 50",
    ]
    write("all.md", old.replace(". [act]", "0. [act]"))
    assert run("diff", "old.md", "all.md").stdout.splitlines()[2:] == [
        "6 more steps have another id: 1 is now 10, 2 is now 20, 3 is now 30 and 3 more"
    ]


def test_another_order_of_the_same_items() -> None:
    write("old.md", "Constraints:\n- a\n- b\n")
    write("new.md", "Constraints:\n- b\n- a\n")
    assert run("diff", "old.md", "new.md").stdout.splitlines()[2:] == ["constraints", "  the same in another order"]


def test_json() -> None:
    write("new.md", PLAN.replace("2.1. [!]", "2.1. [>]"))
    result = run("diff", "plan.md", "new.md", "--json")
    assert result.exit_code == 1
    (step,) = json.loads(result.stdout)["steps"]
    assert (step["new_id"], step["fields"]) == ("2.1", [{"name": "status", "old": "blocked", "new": "active"}])
    result = run("diff", "plan.md", "sloppy.md", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"head": [], "steps": []})


def test_standard_input() -> None:
    assert run("diff", "-", "plan.md", stdin=PLAN).exit_code == 0
    result = run("diff", "-", "-", stdin=PLAN)
    assert (result.exit_code, "Standard input can be read only once." in result.stderr) == (2, True)


@pytest.mark.parametrize("files", [["plan.md", "broken.md"], ["broken.md", "plan.md"]])
def test_what_is_no_plan_is_trouble(files: list[str]) -> None:
    result = run("diff", *files)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("broken.md: this is not a plan\n")


@pytest.mark.parametrize("files", [["plan.md"], ["plan.md"] * 3, ["plan.md"] * 8])
def test_two_files_are_asked_for(files: list[str]) -> None:
    result = run("diff", *files)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("Error: Two files are compared.\n")


def test_a_file_that_is_not_there() -> None:
    result = run("diff", "plan.md", "none.md")
    assert (result.exit_code, result.stderr) == (2, "Error: none.md: No such file or directory\n")


HOSTILE = PLAN.replace("Hire a lorry", "Hire \u202e a \u200b lorry [red]").replace("| None", "| \x85None")


def test_a_terminal_is_safe_and_sees_colours() -> None:
    write("hostile.md", HOSTILE)
    written = on_terminal("diff", "plan.md", "hostile.md")
    assert b"\x1b[31m" in written
    assert b"\x1b[32m" in written
    shown = harmless(written, colours=True)
    assert "Hire \\u202e a \\u200b lorry [red]" in shown
    assert "\\x85None" in shown
    plain = on_terminal("diff", "plan.md", "hostile.md", env={"NO_COLOR": "1"})
    assert harmless(plain, colours=False) == shown


def test_a_pager_sees_colours_as_well() -> None:
    write("new.md", NEW)
    seven = ["plan.md", "plan.md", "0", "100644", "new.md", "0", "100644"]
    done = call("diff", *seven, env={"GIT_PAGER_IN_USE": "true"})
    assert (done.returncode, b"\x1b[31m" in done.stdout) == (0, True)
    assert b"\x1b" not in call("diff", *seven).stdout


@pytest.mark.parametrize("end", ["\n", " and so on" * 20_000])
def test_a_reader_that_has_left_is_no_failure_for_git(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write("new.md", NEW.rstrip("\n") + end)
    done = to_nobody("diff", "plan.md", "plan.md", "0", "100644", "new.md", "0", "100644")
    assert (done.returncode, done.stderr) == (0, b"")
    monkeypatch.setenv("GIT_DIFF_PATH_COUNTER", "1")
    assert to_nobody("diff", "plan.md").returncode == 0
    # By hand it is another matter.
    assert to_nobody("diff", "plan.md", "new.md").returncode == 141


def test_textconv(here: Path) -> None:
    result = run("diff", "--textconv", "sloppy.md")
    assert (result.exit_code, result.stdout) == (0, PLAN)
    result = run("diff", "--textconv", "broken.md")
    assert (result.exit_code, result.stdout) == (0, (here / "broken.md").read_text(encoding="utf-8"))
    (here / "latin.md").write_bytes(b"Goal: caf\xe9\n")
    assert call("diff", "--textconv", "latin.md").stdout == "Goal: caf\ufffd\n".encode()
    result = run("diff", "--textconv", "plan.md", "plan.md")
    assert (result.exit_code, result.stderr.endswith("Error: --textconv takes one file.\n")) == (2, True)
