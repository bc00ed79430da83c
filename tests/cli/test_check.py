"""`planspec check`."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import check_text
from tests.cases import in_one_test
from tests.cli.running import BROKEN, PLAN, run
from tests.corpus import each, expected_codes, read

# A plan with an info, and one with a warning.
INFO = "Goal: x\n## Steps\n1. [act] one\n> ← other\n"
WARNING = "Goal: x\n## Steps\n1. [subtask] one\n"


def test_infos_alone_are_clean(snapshot: SnapshotAssertion) -> None:
    result = run("check", "plan.md", "--info")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == snapshot


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_infos_are_told_only_where_they_are_asked_for(form: str) -> None:
    quiet, told = (run("check", "-", "--format", form, *more, stdin=INFO) for more in ([], ["--info"]))
    assert (quiet.exit_code, told.exit_code) == (0, 0)
    assert ("PS307" in quiet.stdout.replace('"id": "PS307"', ""), "PS307" in told.stdout) == (False, True)
    if form == "text":
        assert quiet.stdout == "1 file checked: nothing to say\n"
    if form == "json":
        assert json.loads(quiet.stdout)["summary"] == {"error": 0, "warning": 0, "info": 0}


def test_infos_that_are_not_told_take_no_place() -> None:
    text = "Goal: x\n## Steps\n1. [act] one\n> ← a, b, c\n2. [subtask] two\n"
    result = run("check", "--max-findings", "1", "-", stdin=text)
    assert "warning[PS206]" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 file checked: 1 warning"


def test_what_is_asked_for_by_name_is_told() -> None:
    result = run("check", "--also", "PS315", "-", stdin=INFO)
    assert result.stdout.startswith("info[PS315] <stdin>:3:10: step 1: the description has 3 characters")
    assert result.stdout.splitlines()[-1] == "1 file checked: 1 info"


# Two findings of PS308, one of PS206, and with --info one of PS313.
MANY = "Goal: x\n## Steps\n1. [act] one → a\n2. [act] two → a\n3. [act] three → a\n4. [subtask] four\n"


def _codes(*arguments: str, text: str = MANY) -> tuple[int, list[str]]:
    result = run("check", "--json", *arguments, "-", stdin=text)
    return result.exit_code, [f"{one['code']} {one['severity']}" for one in json.loads(result.stdout)["diagnostics"]]


def test_findings_are_left_out_by_code_or_by_how_codes_begin() -> None:
    empty = "PS206 warning"
    assert _codes() == (0, ["PS308 warning", "PS308 warning", empty])
    assert _codes("--strict", "--ignore", "PS3") == (1, [empty])
    assert _codes("--strict", "--ignore", "PS308, PS206,PS30,PS31") == (0, [])
    assert _codes("--ignore", "PS308", "--ignore", "PS2") == (0, [])
    assert _codes("--ignore", "PS308", "--max-findings", "1") == (0, [empty]), "they take no place"
    assert _codes("--ignore", "PS", text=BROKEN)[1] == ["PS111 error", "PS112 error"]
    assert _codes("--ignore", "PS", text="Goal: x\n")[0] == 1, "errors of rules stay as well"


@pytest.mark.parametrize("word", ["PS111", "PS1", "HS1", "ps308", "PS3 08"])
def test_what_cannot_be_left_out(word: str) -> None:
    result = run("check", "--ignore", word, "plan.md")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--ignore: {word}" in result.stderr


def test_what_a_project_settles(here: Path) -> None:
    settings = here / "planspec.toml"
    settings.write_text("ignore = ['PS308']\nalso = ['PS315']\nseverity = {PS206 = 'error', PS309 = 'warning'}\n")
    lengths = ["PS315 info"] * 4
    code, found = _codes()
    assert (code, sorted(found)) == (1, ["PS206 error", *["PS309 warning"] * 3, *lengths])
    assert "PS308 warning" in _codes("--ignore", "")[1]
    assert "PS308 warning" in _codes("--ignore", "PS309")[1]
    settings.write_text("severity = {PS308 = 'info', PS206 = 'info'}")
    assert _codes("--max-findings", "1") == (0, [])
    settings.write_text("severities = {}")
    result = run("check", "plan.md")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "planspec.toml: severities: there is no such setting" in result.stderr


def test_what_is_left_out_is_not_fixed(here: Path) -> None:
    text = "Goal: x\n## Steps\n1. [act] one -> a\n"
    for more, after in ((["--ignore", "PS305"], text), ([], text.replace("->", "→"))):
        (here / "plan.md").write_text(text)
        run("check", "--unsafe-fixes", *more, "plan.md")
        assert (here / "plan.md").read_text() == after


def test_nothing_in_a_plan_leaves_a_finding_out() -> None:
    for line in ("ignore = ['PS206']", "<!-- planspec: ignore PS206 -->", "noqa: PS206"):
        assert "PS206 warning" in _codes(text=f"Goal: x\n> {line}\n## Steps\n1. [subtask] {line}\n")[1]


def test_the_folder_that_a_project_settles(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "work" / "planspec").mkdir(parents=True)
    (here / "work" / "planspec" / "move.md").write_text(PLAN)
    (here / "pyproject.toml").write_text("[tool.planspec]\nfolder = 'work'\n")
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert run("check", "move").exit_code == 0
    assert run("check", "--folder", ".", "move").exit_code == 2


@pytest.mark.parametrize("file", ["/dev/zero", "holes.md"])
@pytest.mark.parametrize("command", ["check", "extract", "show", "json"])
def test_what_never_ends_is_refused(command: str, file: str) -> None:
    _make_holes()
    result = run(command, file)
    assert result.exit_code == 1
    assert "the text has more than 67,108,864 bytes" in result.stdout + result.stderr


@pytest.mark.parametrize("call", [("fmt", "holes.md"), ("done", "holes.md", "1")])
def test_what_is_too_large_is_not_changed(call: Sequence[str]) -> None:
    _make_holes()
    result = run(*call)
    assert result.exit_code == 1
    assert "the text has more than 67,108,864 bytes" in result.stderr


def _make_holes() -> None:
    """A file larger than any memory, which takes no room."""
    with Path("holes.md").open("wb") as file:
        file.truncate(2**40)


def test_a_file_that_is_too_large_leaves_the_others_checked() -> None:
    _make_holes()
    result = run("check", "plan.md", "holes.md")
    assert result.exit_code == 1
    assert "error[PS121]: the text has more than 67,108,864 bytes\n --> holes.md:1:1\n" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("2 files checked: 1 error")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("command", ["check", "extract", "show"])
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(command: str) -> None:
    os.mkfifo("pipe.md")
    result = run(command, "pipe.md")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: pipe.md: this is a pipe; give it as standard input, with `-` for the file\n",
    )


def test_strict_shows_infos() -> None:
    result = run("check", "--strict", "-", stdin=INFO)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("1 file checked: 1 info")
    assert "1 info" not in run("check", "-", stdin=INFO).stdout


def test_json_is_a_format() -> None:
    assert run("check", "broken.md", "--json").stdout == run("check", "broken.md", "--format", "json").stdout
    result = run("check", "broken.md", "--json", "--format", "github")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: --json is --format json, and not --format github." in result.stderr


def test_errors_fail(snapshot: SnapshotAssertion) -> None:
    result = run("check", "broken.md")
    assert result.exit_code == 1
    assert result.stderr == ""
    assert result.stdout == snapshot


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--max-bytes", "40"], "PS121"), (["--max-steps", "3"], "PS122"), (["--max-depth", "1"], "PS123")],
)
@pytest.mark.parametrize("file", ["plan.md", "-"])
def test_a_file_beyond_a_limit_fails(options: list[str], code: str, file: str) -> None:
    result = run("check", file, *options, stdin=PLAN)
    assert result.exit_code == 1
    assert f"error[{code}]" in result.stdout
    assert "1 file checked: 1 error\n" in result.stdout


def test_findings_beyond_a_limit_are_counted() -> None:
    result = run("check", "--max-findings", "1", "-", stdin="## Steps\n1. a\n2. b\n3. c\n")
    assert result.exit_code == 1
    assert "error[PS120]: 2 more findings are not listed" in result.stdout


def test_no_more_of_a_file_is_read_than_is_allowed() -> None:
    result = run("check", "--max-bytes", "1000", "/dev/zero")
    assert result.exit_code == 1
    assert "PS121" in result.stdout


@pytest.mark.parametrize(("text", "loose", "strict"), [(INFO, 0, 0), (WARNING, 0, 1), (BROKEN, 1, 1), ("", 1, 1)])
@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_exit_codes(text: str, loose: int, strict: int, form: str) -> None:
    assert run("check", "-", "--format", form, stdin=text).exit_code == loose
    assert run("check", "-", "--format", form, "--strict", stdin=text).exit_code == strict


def test_the_last_line_counts_in_words(here: Path) -> None:
    (here / "warning.md").write_text(WARNING)
    result = run("check", "plan.md", "broken.md", "warning.md")
    assert result.stdout.splitlines()[-1] == "3 files checked: 2 errors, 1 warning"
    assert result.exit_code == 1


def test_one_bad_file_of_several_does_not_hide_the_others() -> None:
    result = run("check", "broken.md", "missing.md", "plan.md", "--info")
    assert result.exit_code == 2
    assert "missing.md" in result.stderr
    assert "broken.md:4:4" in result.stdout
    assert "plan.md:" in result.stdout
    assert "2 files checked" in result.stdout


@pytest.mark.parametrize("name", ["missing.md", ".", "", "plan.md/below", "nul\0.md"])
def test_what_cannot_be_read(name: str) -> None:
    result = run("check", name)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_stands_for_its_plans() -> None:
    names = ["planspec/a.md", "planspec/archive/b.md", "Tasks/c/plan.md", "d.plan.md"]
    for name in [*names, "planspec/notes.txt", "Tasks/c/README.md", "README.md"]:
        Path("project", name).parent.mkdir(parents=True, exist_ok=True)
        Path("project", name).write_text("1) [act] a\n")
    found = json.loads(run("check", "project", "--format", "json").stdout)
    assert found["files"] == sorted(f"project/{name}" for name in names)
    assert json.loads(run("check", "project/planspec", "plan.md", "--format", "json").stdout)["files"] == [
        "project/planspec/a.md",
        "project/planspec/archive/b.md",
        "plan.md",
    ]
    done = run("check", "project", "--fix")
    assert done.stderr.count("project/planspec/a.md") == 2
    assert Path("project/planspec/archive/b.md").read_text() == "1. [act] a\n"
    assert Path("project/README.md").read_text() == "1) [act] a\n"


def test_in_a_folder_only_regular_files_count_that_are_not_hidden() -> None:
    for name in ["planspec/a.md", "planspec/.b.md", "planspec/.c/c.md", "planspec/d.md/e.md", ".f.plan.md"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("1) [act] a\n")
    # An editor's lock.
    Path("planspec/.#a.md").symlink_to("somebody@somewhere.12345")
    Path("planspec/g.md").symlink_to("nowhere")
    Path("planspec/h.md").symlink_to("a.md")
    os.mkfifo("planspec/i.md")
    for folder in (".", "planspec"):
        done = run("check", folder, "--format", "json")
        assert (done.exit_code, done.stderr) == (1, "")
        assert json.loads(done.stdout)["files"] == ["planspec/a.md", "planspec/d.md/e.md", "planspec/h.md"]


@pytest.mark.parametrize("command", ["check", "fmt --check"])
@pytest.mark.parametrize("locked", ["planspec", "planspec/locked", "Tasks"])
def test_a_folder_that_cannot_be_read_is_named(command: str, locked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["planspec/locked/a.md", "planspec/b.md", "Tasks/c/plan.md", "d.plan.md"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("Goal: g\n## Steps\n1. [act] a\n")
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if os.fspath(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done = run(*command.split(), ".")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: {locked}: ")
    assert done.stderr.count("\n") == 1


def test_a_link_to_itself_is_named() -> None:
    Path("planspec").mkdir()
    Path("planspec/a.md").symlink_to("a.md")
    done = run("check", ".")
    assert (done.exit_code, done.stderr) == (2, f"Error: planspec/a.md: {os.strerror(errno.ELOOP)}\n")


def test_a_plan_comes_before_a_folder_of_its_name() -> None:
    Path("planspec").mkdir()
    Path("planspec/planspec.md").write_text("1) [act] a\n")
    Path("planspec/other.md").write_text("1) [act] a\n")
    assert run("check", "planspec").stdout.endswith("1 file checked: 2 errors\n")
    Path("planspec/planspec.md").unlink()
    assert "planspec/other.md:1:1" in run("check", "planspec").stdout


def test_a_folder_without_plans() -> None:
    Path("plans").mkdir()
    Path("plans/a.md").write_text("Goal: g\n")
    done = run("check", "plans")
    said = "Error: plans: no plans are in this folder (planspec/**/*.md, Tasks/*/plan.md, *.plan.md)"
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"{said}; name the files, such as plans/*.md\n")


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", ' {"plan": {}}'), ("b", "{}"), ("c.yaml", "plan: {}\n"), ("d.YML", "target: x\n")]
)
@pytest.mark.parametrize("command", ["check", "show", "run --operator true", "start"])
def test_a_plan_of_tool_calls_is_for_other_commands(command: str, name: str, text: str) -> None:
    Path(name).write_text(text)
    first, *options = command.split()
    done = run(first, f"./{name}", *options, *(["1"] if first == "start" else []))
    said = "planspec tools check and planspec tools run are for plans of tool calls, which are JSON or YAML\n"
    assert (done.exit_code, done.stderr.endswith(said)) == (1, True)
    assert Path(name).read_text() == text


@pytest.mark.parametrize("command", ["show", "next", "focus", "run --operator true", "start"])
def test_an_answer_of_a_model_is_for_another_command(command: str) -> None:
    text = "Here is your plan:\n\n```\nGoal: g\n## Steps\n1. [act] a\n```\n"
    Path("my answer.md").write_text(text)
    first, *options = command.split()
    step = ["1"] if first in ("start", "focus") else []
    done = run(first, "my answer.md", *options, *step)
    said = "If it is a model's answer, `planspec extract 'my answer.md'` takes the plan out of it\n"
    assert (done.exit_code, done.stderr.endswith(said)) == (1, True), done.stderr
    piped = run("show", "-", stdin=text)
    assert piped.stderr.endswith(", `planspec extract -` takes the plan out of it\n")
    # What is wrong with this one is a step.
    Path("my answer.md").write_text("Goal: g\n## Steps\n1) [act] a\n")
    assert "extract" not in run(first, "my answer.md", *options, *step).stderr


def test_unreadable_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "plan.md")

    monkeypatch.setattr("builtins.open", refuse)
    result = run("check", "plan.md")
    assert result.exit_code == 2
    assert "Permission denied" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["plan.md", "--format", "xml"], ["plan.md", "--nonsense"]])
def test_usage(arguments: list[str]) -> None:
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: planspec check" in result.stderr


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_invalid_utf_8(here: Path, form: str) -> None:
    (here / "latin.md").write_bytes(b"Goal: caf\xe9\n## Steps\n1. [act] x\n")
    result = run("check", "latin.md", "--format", form)
    assert result.exit_code == 1
    assert "PS119" in result.stdout
    assert "byte 9 (0xe9)" in result.stdout
    assert result.stderr == ""


def test_standard_input_has_a_name() -> None:
    result = run("check", "-", stdin=BROKEN)
    assert " --> <stdin>:4:4\n" in result.stdout
    assert result.exit_code == 1


def test_standard_input_among_files() -> None:
    result = run("check", "plan.md", "-", stdin=BROKEN)
    assert "2 files checked: 2 errors\n" in result.stdout


def test_empty_file(here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "empty.md").write_bytes(b"")
    result = run("check", "empty.md")
    assert result.exit_code == 1
    assert result.stdout == snapshot


def test_json(snapshot: SnapshotAssertion) -> None:
    result = run("check", "broken.md", "plan.md", "--format", "json", "--info")
    assert json.loads(result.stdout)["files"] == ["broken.md", "plan.md"]
    assert result.stdout == snapshot


def test_json_of_nothing() -> None:
    value = json.loads(run("check", "missing.md", "--format", "json").stdout)
    assert value == {"files": [], "summary": {"error": 0, "warning": 0, "info": 0}, "diagnostics": []}


def test_github(snapshot: SnapshotAssertion) -> None:
    assert run("check", "broken.md", "plan.md", "--format", "github", "--info").stdout == snapshot


@in_one_test
@each("planspec/invalid", ".md")
def test_every_refused_text_fails_with_its_codes(path: Path) -> None:
    result = run("check", path, "--format", "json")
    rows = json.loads(result.stdout)["diagnostics"]
    faults = [(row["span"]["line"], row["code"]) for row in rows if not row["provisional"]]
    assert faults == expected_codes(path)
    assert result.exit_code == 1


@each("planspec/valid", ".md")
def test_every_format_says_the_same(path: Path) -> None:
    found = check_text(read(path), name=str(path))
    codes = [one.code for one in found]
    as_json = json.loads(run("check", path, "--format", "json", "--info").stdout)
    assert [row["code"] for row in as_json["diagnostics"]] == codes
    lines = run("check", path, "--format", "github", "--info").stdout.splitlines()
    assert [line.partition("title=")[2].split(" ")[0] for line in lines] == codes
    text = run("check", path, "--info").stdout
    assert [part.partition("]")[0] for part in text.split("[P")[1:] if part[:1] == "S"] == [c[1:] for c in codes]


def test_a_plan_can_be_checked_twice() -> None:
    result = run("check", "plan.md", "plan.md", "--info")
    assert "2 files checked: 2 infos" in result.stdout


def test_a_byte_order_mark_is_no_fault(here: Path) -> None:
    (here / "bom.md").write_text(PLAN, encoding="utf-8-sig")
    assert run("check", "bom.md").exit_code == 0
