"""What commands do with files: which they leave alone, what they keep of those they change, and what they refuse."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from planspec_lark import PlanFile, parse_plan, plan_json_schema, plan_to_json
from planspec_lark.constrained import export_grammar
from planspec_lark.constrained.export import TARGETS
from planspec_lark.html import render_page
from planspec_lark.planspec import draw_plan
from planspec_lark.syntax import grammars
from tests.cli.running import PLAN, SLOPPY, call, run

DONE = "PLAN_CMD: DONE 2.2 | two rooms a day\n"
DONE_PLAN = PLAN.replace(
    "2.2. [reason] Find the best order of the rooms → room_order",
    "2.2. [x] [reason] Find the best order of the rooms → room_order | two rooms a day",
)
# Each writes to sloppy.md.
CHANGES = ["fmt sloppy.md", "apply sloppy.md", "done sloppy.md 2.2", "check --unsafe-fixes sloppy.md"]


def _state(name: str) -> tuple[bytes, int, int]:
    found = Path(name).stat()
    return Path(name).read_bytes(), found.st_ino, found.st_mtime_ns


@pytest.fixture(autouse=True)
def sloppy() -> None:
    """With something that `check` fixes as well."""
    Path("sloppy.md").write_bytes(SLOPPY.replace("→ paint", "-> paint").encode())


# ---------------------------------------------------------------- what is written


SCHEMA = plan_json_schema()
GRAMMARS = sorted([*grammars.STARTS, *grammars.DIALECTS])


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("json plan.md", lambda: plan_to_json(parse_plan(PLAN)) + "\n"),
        ("json - --compact", lambda: plan_to_json(parse_plan(PLAN), indent=None) + "\n"),
        ("graph -", lambda: draw_plan(parse_plan(PLAN))),
        ("view plan.md", lambda: render_page(parse_plan(PLAN), name="plan.md")),
        ("view -", lambda: render_page(parse_plan(PLAN))),
        *[(f"grammar export --target {name}", partial(export_grammar, name)) for name in TARGETS],
        (
            "grammar export --target lark --depth 2 --types act,subtask --allow-results --siblings 3",
            lambda: export_grammar("lark", depth=2, types=["act", "subtask"], allow_results=True, siblings=3),
        ),
        ("grammar export --target gbnf --language plan_cmd", lambda: export_grammar("gbnf", language="plan_cmd")),
        ("grammar export --target openai --language plan_next", lambda: export_grammar("openai", language="plan_next")),
        *[(f"grammar show {name}", grammars.grammar_path(name).read_text) for name in GRAMMARS],
        *[(f"grammar show {name}", grammars.schema_path(name).read_text) for name in grammars.SCHEMAS],
    ],
)
def test_what_a_function_makes_is_written(line: str, made: Callable[[], str]) -> None:
    result = run(*line.split(), stdin=PLAN)
    assert (result.exit_code, result.stdout, result.stderr) == (0, made(), "")
    if "grammar show" not in line:
        result = run(*line.split(), stdin=PLAN) if "json" in line else run(*line.split(), "-o", "made", stdin=PLAN)
        assert result.exit_code == 0
        assert "json" in line or Path("made").read_text(encoding="utf-8") == made()


def test_every_grammar_is_shown() -> None:
    files = {path.name.partition(".")[0] for path in grammars.grammar_path("planspec").parent.iterdir()}
    assert files == {*GRAMMARS, *grammars.SCHEMAS}


def test_the_schema() -> None:
    pretty, compact = run("json", "--schema"), run("json", "--schema", "--compact")
    assert json.loads(pretty.stdout) == json.loads(compact.stdout) == SCHEMA
    assert (compact.stdout.count("\n"), pretty.exit_code, pretty.stderr) == (1, 0, "")
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(run("json", "plan.md").stdout))


def test_a_pipe_is_written_to() -> None:
    os.mkfifo("pipe")
    end = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("graph", "plan.md", "-o", "pipe").exit_code == 0
        assert os.read(end, 100_000).decode() == draw_plan(parse_plan(PLAN))
    finally:
        os.close(end)


# ---------------------------------------------------------------- what stays


@pytest.mark.parametrize(
    "line",
    [
        "fmt plan.md",
        "fmt broken.md",
        "fmt --check sloppy.md",
        "fmt --diff sloppy.md",
        "check --fix plan.md",
        "check --diff sloppy.md",
        "apply plan.md --dry-run",
        "apply broken.md",
        "merge plan.md plan.md plan.md",
    ],
)
def test_a_file_that_stays_as_it_is_is_not_written(line: str) -> None:
    name = line.rsplit(maxsplit=1)[-1] if "apply" not in line else line.split()[1]
    os.utime(name, (1_000_000_000, 1_000_000_000))
    before = _state(name)
    run(*line.split(), stdin=DONE)
    assert _state(name) == before


@pytest.mark.parametrize("line", CHANGES)
def test_permissions_and_links_stay(line: str) -> None:
    Path("sloppy.md").rename("real.md")
    Path("real.md").chmod(0o640)
    Path("sloppy.md").symlink_to("real.md")
    before = Path("real.md").read_bytes()
    assert run(*line.split(), stdin=DONE).exit_code == 0
    assert Path("sloppy.md").is_symlink()
    assert Path("real.md").read_bytes() != before
    assert Path("real.md").stat().st_mode & 0o7777 == 0o640


@pytest.mark.parametrize("line", CHANGES)
def test_a_crash_half_way_leaves_the_old_text(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before, names = _state("sloppy.md"), sorted(os.listdir())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        result = run(*line.split(), stdin=DONE)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, "Error: sloppy.md: No space left on device")
    assert (_state("sloppy.md"), sorted(os.listdir())) == (before, names)


@pytest.mark.parametrize("line", [*CHANGES, "reopen sloppy.md 1", "extract plan.md -o sloppy.md"])
def test_a_plan_that_is_run_is_left_alone(line: str) -> None:
    before = Path("sloppy.md").read_bytes()
    with PlanFile("sloppy.md", command="planspec run").leased():
        result = run(*line.split(), "--wait", "0", stdin=DONE)
    assert result.exit_code == 2
    assert "sloppy.md: another process runs this plan: `planspec run`, process " in result.stderr
    assert Path("sloppy.md").read_bytes() == before


# ---------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize("file", ["/dev/zero", "holes.md"])
@pytest.mark.parametrize("command", ["check", "extract", "show", "json"])
def test_what_never_ends_is_refused(command: str, file: str) -> None:
    _make_holes()
    result = run(command, file)
    assert result.exit_code == 1
    assert "the text has more than 67,108,864 bytes" in result.stdout + result.stderr


@pytest.mark.parametrize("line", ["fmt holes.md", "done holes.md 1"])
def test_what_is_too_large_is_not_changed(line: str) -> None:
    _make_holes()
    result = run(*line.split())
    assert (result.exit_code, "the text has more than 67,108,864 bytes" in result.stderr) == (1, True)


def test_a_file_that_is_too_large_leaves_the_others_checked() -> None:
    _make_holes()
    result = run("check", "plan.md", "holes.md", "--max-bytes", "1000")
    assert result.exit_code == 1
    assert "error[PS121]: the text has more than 1,000 bytes\n --> holes.md:1:1\n" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("2 files checked: 1 error")


def _make_holes() -> None:
    """A file larger than any memory, which takes no room."""
    with Path("holes.md").open("wb") as file:
        file.truncate(2**40)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("command", ["check", "extract", "show"])
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(command: str) -> None:
    os.mkfifo("pipe.md")
    result = run(command, "pipe.md")
    said = "Error: pipe.md: this is a pipe; give it as standard input, with `-` for the file\n"
    assert (result.exit_code, result.stderr) == (2, said)


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_what_may_not_be_read(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "plan.md")

    monkeypatch.setattr("builtins.open", refuse)
    result = run(command, "plan.md")
    assert (result.exit_code, "Permission denied" in result.stderr) == (2, True)


@pytest.mark.parametrize("path", ["", "/nowhere"])
def test_without_git_both_texts_are_kept_whole(path: str) -> None:
    Path("theirs").write_bytes(b"so \xff is\n\x00")
    Path("ours").write_text(DONE_PLAN)
    assert call("merge", "plan.md", "ours", "theirs", env={"PATH": path}).returncode == 1
    kept = b"<<<<<<< ours\n" + DONE_PLAN.encode() + b"=======\nso \xff is\n\x00\n>>>>>>> theirs\n"
    assert Path("ours").read_bytes() == kept


def test_bytes_that_are_no_text_reach_a_pipe_as_they_are() -> None:
    Path("theirs").write_bytes(PLAN.encode() + b"\xff\n")
    done = call("merge", "plan.md", "plan.md", "theirs", "-o", "-")
    assert (done.returncode, done.stdout) == (1, PLAN.encode() + b"\xff\n")
    Path("latin.md").write_bytes(b"Goal: caf\xe9\n")
    assert call("diff", "--textconv", "latin.md").stdout == "Goal: caf\ufffd\n".encode()
