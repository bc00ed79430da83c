"""`planspec merge` by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import PLAN, call, harmless, on_terminal, run

OURS = PLAN.replace("2.2. [reason]", "2.2. [x] [reason]")
THEIRS = PLAN.replace("3. [~]", "3. [>]") + "4. [act] Rest\n"
BOTH = OURS.replace("3. [~]", "3. [>]") + "4. [act] Rest\n"
CLASH = PLAN.replace("2.2. [reason]", "2.2. [!] [reason]")
MARKED = PLAN.replace(
    "  2.2. [reason] Find the best order of the rooms → room_order\n",
    "<<<<<<< ours\n  2.2. [x] [reason] Find the best order of the rooms → room_order\n=======\n"
    "  2.2. [!] [reason] Find the best order of the rooms → room_order\n>>>>>>> theirs\n",
)


@pytest.fixture(autouse=True)
def versions(here: Path) -> Path:
    for name, text in (("base", PLAN), ("ours", OURS), ("theirs", THEIRS), ("clash", CLASH)):
        (here / name).write_text(text, encoding="utf-8")
    return here


def test_ours_becomes_what_comes_of_it(here: Path) -> None:
    (here / "ours").chmod(0o640)
    result = run("merge", "base", "ours", "theirs")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert (here / "ours").read_text(encoding="utf-8") == BOTH
    assert (here / "ours").stat().st_mode & 0o777 == 0o640
    assert [(here / name).read_text(encoding="utf-8") for name in ("base", "theirs")] == [PLAN, THEIRS]


def test_a_conflict_is_marked_and_named(here: Path) -> None:
    result = run("merge", "base", "ours", "clash")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "ours: step 2.2: both changed the status\n"
    assert (here / "ours").read_text(encoding="utf-8") == MARKED


def test_what_git_passes_on(here: Path) -> None:
    result = run("merge", "base", "ours", "clash", "-L", "12", "-P", "plans/\x1b[31mmoving.md")
    assert result.stderr == "plans/\\x1b[31mmoving.md: step 2.2: both changed the status\n"
    assert (here / "ours").read_text(encoding="utf-8") == MARKED.replace("<" * 7, "<" * 12).replace(
        "=" * 7, "=" * 12
    ).replace(">" * 7, ">" * 12)


@pytest.mark.parametrize("base", ["base", "none"])
def test_markers_bear_the_names_of_branches(here: Path, base: str) -> None:
    (here / "none").write_text("No plan.\n", encoding="utf-8")
    assert run("merge", base, "ours", "clash", "-X", "HEAD", "-Y", "4ab1 (hire\na lorry\x1b[31m)").exit_code == 1
    rows = (here / "ours").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row[:3] in ("<<<", "===", ">>>")] == [
        "<<<<<<< HEAD",
        "=======",
        ">>>>>>> 4ab1 (hire a lorry\\x1b[31m)",
    ]


def test_an_old_git_passes_no_names(here: Path) -> None:
    assert run("merge", "base", "ours", "clash", "-X", "%X", "-Y", "%Y").exit_code == 1
    assert (here / "ours").read_text(encoding="utf-8") == MARKED


def test_another_file_or_standard_output(here: Path) -> None:
    assert run("merge", "base", "ours", "theirs", "-o", "-").stdout == BOTH
    assert run("merge", "base", "ours", "theirs", "-o", "new.md").exit_code == 0
    assert (here / "new.md").read_text(encoding="utf-8") == BOTH
    assert (here / "ours").read_text(encoding="utf-8") == OURS
    assert run("merge", "base", "-", "theirs", stdin=OURS).stdout == BOTH


def test_a_file_that_is_right_already_is_not_touched(here: Path) -> None:
    os.utime(here / "ours", (1_000_000_000, 1_000_000_000))
    inode = (here / "ours").stat().st_ino
    assert run("merge", "base", "ours", "base").exit_code == 0
    found = (here / "ours").stat()
    assert (found.st_ino, found.st_mtime) == (inode, 1_000_000_000)


def test_a_terminal_is_safe() -> None:
    Path("theirs").write_text(THEIRS.replace("Rest", "Rest \u202e"), encoding="utf-8")
    written = on_terminal("merge", "base", "ours", "theirs", "-o", "-")
    assert harmless(written, colours=False) == BOTH.replace("Rest", "Rest \\u202e")


# ---------------------------------------------------------------- what is not a plan


BROKEN_LINE = "so it is\n"


@pytest.mark.parametrize("name", ["base", "ours", "theirs"])
def test_lines_are_merged_where_one_is_no_plan(here: Path, name: str) -> None:
    text = (here / name).read_text(encoding="utf-8")
    (here / name).write_text(BROKEN_LINE + text, encoding="utf-8")
    result = run("merge", "base", "ours", "theirs")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error[PS101]: this line is not part of a plan\n --> {name}:1:1\n")
    assert result.stderr.endswith(
        "\nours: not all three are plans, so their lines are merged; look at every one of them\n"
    )
    merged = (here / "ours").read_text(encoding="utf-8")
    assert merged.removeprefix(BROKEN_LINE) == BOTH
    assert merged.startswith(BROKEN_LINE) is (name != "base")


def test_conflicts_of_lines_have_markers_as_well(here: Path) -> None:
    (here / "clash").write_text(BROKEN_LINE + CLASH, encoding="utf-8")
    assert run("merge", "base", "ours", "clash", "-L", "9").exit_code == 1
    merged = (here / "ours").read_text(encoding="utf-8")
    assert merged == BROKEN_LINE + MARKED.replace("<" * 7, "<" * 9).replace("=" * 7, "=" * 9).replace(">" * 7, ">" * 9)


@pytest.mark.parametrize("path", ["", "/nowhere"])
def test_without_git_both_texts_are_kept_whole(here: Path, path: str) -> None:
    (here / "clash").write_bytes(b"so \xff is\n\x00")
    done = call("merge", "base", "ours", "clash", env={"PATH": path})
    assert done.returncode == 1
    assert (here / "ours").read_bytes() == (
        b"<<<<<<< ours\n" + OURS.encode() + b"=======\nso \xff is\n\x00\n>>>>>>> theirs\n"
    )


def test_what_git_can_not_merge_is_kept_whole(here: Path) -> None:
    (here / "clash").write_bytes(b"\x00")
    assert call("merge", "base", "ours", "clash").returncode == 1
    assert (here / "ours").read_bytes() == b"<<<<<<< ours\n" + OURS.encode() + b"=======\n\x00\n>>>>>>> theirs\n"


def test_bytes_that_are_no_text_reach_a_pipe_as_they_are(here: Path) -> None:
    (here / "clash").write_bytes(PLAN.encode() + b"\xff\n")
    done = call("merge", "base", "base", "clash", "-o", "-")
    assert (done.returncode, done.stdout) == (1, PLAN.encode() + b"\xff\n")


def test_trouble(here: Path) -> None:
    result = run("merge", "base", "none", "theirs")
    assert (result.exit_code, result.stderr) == (2, "Error: none: No such file or directory\n")
    result = run("merge", "base", "ours", "theirs", "-o", "none/new.md")
    assert (result.exit_code, result.stderr) == (2, "Error: none/new.md: No such file or directory\n")
    (here / "folder").mkdir()
    result = run("merge", "base", "ours", "theirs", "-o", "folder")
    assert (result.exit_code, result.stderr) == (2, "Error: folder: Is a directory\n")
    result = run("merge", "-", "-", "theirs")
    assert (result.exit_code, "Standard input can be read only once." in result.stderr) == (2, True)
    assert (here / "ours").read_text(encoding="utf-8") == OURS
