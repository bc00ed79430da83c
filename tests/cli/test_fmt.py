"""`planspec fmt`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan, serialize_plan
from tests.cli.running import BROKEN, PLAN, SLOPPY, run
from tests.corpus import each, read


def _state(path: Path) -> tuple[bytes, int, int]:
    found = path.stat()
    return path.read_bytes(), found.st_ino, found.st_mtime_ns


def _age(path: Path) -> None:
    os.utime(path, (1_000_000_000, 1_000_000_000))


def test_a_sloppy_plan_is_rewritten(here: Path) -> None:
    result = run("fmt", "sloppy.md")
    assert (here / "sloppy.md").read_text(encoding="utf-8") == PLAN
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "sloppy.md: written in canonical form\n"


def test_a_canonical_plan_is_not_touched(here: Path) -> None:
    _age(here / "plan.md")
    before = _state(here / "plan.md")
    result = run("fmt", "plan.md")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert _state(here / "plan.md") == before


@pytest.mark.parametrize("options", [[], ["--check"], ["--diff"], ["--check", "--diff"]])
def test_no_plan_is_never_touched(here: Path, options: list[str], snapshot: SnapshotAssertion) -> None:
    _age(here / "broken.md")
    before = _state(here / "broken.md")
    result = run("fmt", "broken.md", *options)
    assert _state(here / "broken.md") == before
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot(name="message")


@pytest.mark.parametrize("options", [["--check"], ["--diff"], ["--check", "--diff"]])
def test_asking_writes_nothing(here: Path, options: list[str]) -> None:
    _age(here / "sloppy.md")
    before = _state(here / "sloppy.md")
    run("fmt", "sloppy.md", *options)
    assert _state(here / "sloppy.md") == before


def test_check() -> None:
    result = run("fmt", "--check", "plan.md", "sloppy.md")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "sloppy.md: not in canonical form\n"
    assert run("fmt", "--check", "plan.md").exit_code == 0


def test_diff(snapshot: SnapshotAssertion) -> None:
    result = run("fmt", "--diff", "plan.md", "sloppy.md")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot


def test_diff_with_check() -> None:
    result = run("fmt", "--diff", "--check", "sloppy.md")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a/sloppy.md\n+++ b/sloppy.md\n")
    assert result.stderr == "sloppy.md: not in canonical form\n"


def test_diff_tells_of_a_missing_line_end(here: Path) -> None:
    (here / "cut.md").write_text(PLAN.rstrip("\n"), encoding="utf-8")
    rows = run("fmt", "--diff", "cut.md").stdout.splitlines()
    assert rows[-3:] == [
        "-3. [~] [act] Paint the old shelves → paint",
        "\\ No newline at end of file",
        "+3. [~] [act] Paint the old shelves → paint",
    ]


@pytest.mark.parametrize("change", ["crlf", "bom", "blank lines"])
def test_diff_can_be_applied(here: Path, change: str) -> None:
    """The rows that the diff keeps and adds are the canonical text, those that it keeps and takes the old one."""
    old = {"crlf": PLAN.replace("\n", "\r\n"), "bom": "\ufeff" + PLAN, "blank lines": PLAN.replace("\n", "\n\n")}[
        change
    ]
    (here / "old.md").write_text(old, encoding="utf-8", newline="")
    rows = [row for row in run("fmt", "--diff", "old.md").stdout_bytes.decode().split("\n")[2:-1] if row[:1] != "@"]
    for sign, text in (("+", PLAN), ("-", old)):
        kept = "".join(row[1:] + "\n" for row in rows if row[:1] in (" ", sign))
        assert kept in text


def test_several_files_with_a_bad_one(here: Path) -> None:
    (here / "other.md").write_text(SLOPPY, encoding="utf-8")
    result = run("fmt", "sloppy.md", "broken.md", "other.md")
    assert result.exit_code == 1
    assert (here / "sloppy.md").read_text(encoding="utf-8") == PLAN
    assert (here / "other.md").read_text(encoding="utf-8") == PLAN
    assert (here / "broken.md").read_text(encoding="utf-8") == BROKEN
    assert run("fmt", "broken.md", "missing.md", "plan.md").exit_code == 2


@pytest.mark.parametrize("name", ["missing.md", ".", "plan.md/below"])
@pytest.mark.parametrize("options", [[], ["--check"], ["--diff"]])
def test_what_cannot_be_read(name: str, options: list[str]) -> None:
    result = run("fmt", name, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")


def test_what_cannot_be_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("planspec_lark.files.open", refuse, raising=False)
    result = run("fmt", "sloppy.md")
    assert result.exit_code == 2
    assert result.stderr == "Error: sloppy.md: Permission denied\n"
    assert (here / "sloppy.md").read_text(encoding="utf-8") == SLOPPY


@pytest.mark.parametrize("broken", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_a_crash_half_way_leaves_the_old_text(here: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    names = sorted(os.listdir(here))
    before = _state(here / "sloppy.md")
    with monkeypatch.context() as patch:
        patch.setattr(broken, fail)
        result = run("fmt", "sloppy.md")
    assert result.exit_code == 2
    assert result.stderr == "Error: sloppy.md: No space left on device\n"
    assert _state(here / "sloppy.md") == before
    assert sorted(os.listdir(here)) == names


def test_no_temporary_files_are_left(here: Path) -> None:
    names = sorted(os.listdir(here))
    run("fmt", "sloppy.md", "plan.md", "broken.md")
    assert sorted(os.listdir(here)) == names


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755, 0o640])
def test_permissions_stay(here: Path, mode: int) -> None:
    (here / "sloppy.md").chmod(mode)
    run("fmt", "sloppy.md")
    assert (here / "sloppy.md").read_text(encoding="utf-8") == PLAN
    assert (here / "sloppy.md").stat().st_mode & 0o7777 == mode


def test_a_symbolic_link_stays_one(here: Path) -> None:
    (here / "folder").mkdir()
    (here / "sloppy.md").rename(here / "folder" / "real.md")
    (here / "near.md").symlink_to("folder/real.md")
    (here / "far.md").symlink_to("near.md")
    assert run("fmt", "far.md").exit_code == 0
    assert (here / "far.md").readlink() == Path("near.md")
    assert (here / "near.md").readlink() == Path("folder/real.md")
    assert (here / "folder" / "real.md").read_text(encoding="utf-8") == PLAN
    assert os.listdir(here / "folder") == ["real.md"]


def test_a_dangling_link_is_unreadable(here: Path) -> None:
    (here / "link.md").symlink_to("nowhere.md")
    assert run("fmt", "link.md").exit_code == 2
    assert not (here / "nowhere.md").exists()


def test_standard_input_goes_to_standard_output() -> None:
    result = run("fmt", "-", stdin=SLOPPY)
    assert (result.exit_code, result.stdout, result.stderr) == (0, PLAN, "")


def test_a_canonical_plan_on_standard_input_comes_out_as_well() -> None:
    assert run("fmt", "-", stdin=PLAN).stdout == PLAN


def test_no_plan_on_standard_input_gives_no_output() -> None:
    result = run("fmt", "-", stdin=BROKEN)
    assert (result.exit_code, result.stdout) == (1, "")
    assert " --> <stdin>:4:4" in result.stderr


def test_check_and_diff_of_standard_input() -> None:
    assert run("fmt", "-", "--check", stdin=PLAN).exit_code == 0
    result = run("fmt", "-", "--check", stdin=SLOPPY)
    assert (result.exit_code, result.stdout) == (1, "")
    result = run("fmt", "-", "--diff", stdin=SLOPPY)
    assert result.stdout.startswith("--- a/<stdin>\n+++ b/<stdin>\n@@")
    assert PLAN not in result.stdout


def test_empty_file(here: Path) -> None:
    (here / "empty.md").write_bytes(b"")
    _age(here / "empty.md")
    before = _state(here / "empty.md")
    assert run("fmt", "empty.md").exit_code == 0
    assert _state(here / "empty.md") == before


def test_invalid_utf_8(here: Path) -> None:
    (here / "latin.md").write_bytes(b"Goal: caf\xe9\n")
    result = run("fmt", "latin.md")
    assert result.exit_code == 1
    assert "PS119" in result.stderr
    assert (here / "latin.md").read_bytes() == b"Goal: caf\xe9\n"


@each("planspec/valid", ".md")
def test_every_plan_becomes_canonical_and_stays_so(here: Path, path: Path) -> None:
    (here / "copy.md").write_bytes(path.read_bytes())
    assert run("fmt", "copy.md").exit_code == 0
    assert read(here / "copy.md") == serialize_plan(parse_plan(read(path)))
    assert run("fmt", "--check", "copy.md").exit_code == 0


@each("planspec/invalid", ".md")
def test_no_refused_text_is_touched(here: Path, path: Path) -> None:
    (here / "copy.md").write_bytes(path.read_bytes())
    _age(here / "copy.md")
    before = _state(here / "copy.md")
    assert run("fmt", "copy.md").exit_code == 1
    assert _state(here / "copy.md") == before


def test_what_is_no_regular_file_is_not_replaced(here: Path) -> None:
    os.mkfifo(here / "pipe")
    result = run("fmt", "pipe")
    assert (here / "pipe").is_fifo()
    assert (result.exit_code, result.stderr) == (2, "Error: pipe: this is not a file\n")


def test_a_long_name(here: Path) -> None:
    name = "n" * 250 + ".md"
    (here / name).write_text(SLOPPY, encoding="utf-8")
    assert run("fmt", name).exit_code == 0
    assert (here / name).read_text(encoding="utf-8") == PLAN
