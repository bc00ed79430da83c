"""`planspec apply`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import apply_commands, parse_plan, parse_plan_commands, serialize_plan
from tests.cli.running import BROKEN, PLAN, SLOPPY, run

DONE = "PLAN_CMD: DONE 2.2 | two rooms a day\n"
DONE_PLAN = PLAN.replace(
    "2.2. [reason] Find the best order of the rooms → room_order",
    "2.2. [x] [reason] Find the best order of the rooms → room_order | two rooms a day",
)

VERBS = {
    "done": ("PLAN_CMD: DONE 2.2 | found", "ok     step 2.2: pending → done"),
    "done again": ("PLAN_CMD: DONE 1", "ok     step 1: done → done"),
    "blocked": ("PLAN_CMD: BLOCKED 2 | rain", "ok     step 2: active → blocked"),
    "skip": ("PLAN_CMD: SKIP 2.1. | no need", "ok     step 2.1: blocked → skipped"),
    "add at the end": ("PLAN_CMD: ADD 2.3 [act] Load → loaded\n> ← lorry", "ok     step 2.3 added"),
    "add between": ("PLAN_CMD: ADD 2 [act] Pack", "ok     step 2 added, 2 steps after it moved up by one"),
    "add before one": ("PLAN_CMD: ADD 3 [act] Pack", "ok     step 3 added, 1 step after it moved up by one"),
    "revise": ("PLAN_CMD: REVISE 1 [reason] Think → labels", "ok     step 1 revised, pending again"),
    "replan": ("PLAN_CMD: REPLAN 2 | other way", "ok     step 2: 2 steps below it removed"),
    "replan all": (
        "PLAN_CMD: REPLAN ALL | no",
        "ok     REPLAN ALL: nothing was changed here: the caller makes the new plan",
    ),
    "expand": ("PLAN_CMD: EXPAND 1", "ok     step 1 is expanded in folded views"),
    "collapse": ("PLAN_CMD: COLLAPSE 2", "ok     step 2 is collapsed in folded views"),
}

REFUSALS = {
    "unknown step": ("PLAN_CMD: DONE 9", "PC111  DONE 9: step 9 does not exist"),
    "unknown parent": ("PLAN_CMD: ADD 9.1 [act] x", "PC112  ADD 9.1: the parent step 9 does not exist"),
    "leaf parent": ("PLAN_CMD: ADD 1.1 [act] x", "PC113  ADD 1.1: step 1 is of type `act`, which cannot have children"),
    "unknown type": (
        "PLAN_CMD: ADD 4 [cook] x",
        "PC114  ADD 4: unknown type `cook`; the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`",
    ),
    "not a container": ("PLAN_CMD: REPLAN 1", "PC115  REPLAN 1: only subtask and decide can be replanned"),
    "leaf with children": (
        "PLAN_CMD: REVISE 2 [act] x",
        "PC116  REVISE 2: the step has children, and a step of type `act` cannot have any",
    ),
}

MALFORMED = {
    "PC101": "- PLAN_CMD: FINISH 1",
    "PC102": "PLAN_CMD: done 1 | packed",
    "PC103": "PLAN_CMD: DONE | text",
    "PC104": "**PLAN_CMD: ADD 4 text**",
    "PC105": "> PLAN_CMD: REPLAN",
    "PC106": "PLAN_CMD: EXPAND 1 text",
    "PC107": "`PLAN_CMD: DONE 1 | packed",
    "PC108": "PLAN_CMD: DONE 1 | two \x07rooms a day",
}

# What stands around a command that is read.
CLEAR = {
    "a bullet": "- PLAN_CMD: DONE 2.2 | two rooms a day",
    "a quote": "> PLAN_CMD: DONE 2.2 | two rooms a day",
    "bold": "- **PLAN_CMD: DONE 2.2 | two rooms a day**",
    "backticks": "`PLAN_CMD: DONE 2.2 | two rooms a day`",
}


def _text(here: Path) -> str:
    return (here / "plan.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("line", "message"), VERBS.values(), ids=VERBS)
def test_every_verb_tells_what_it_did(here: Path, line: str, message: str) -> None:
    result = run("apply", "plan.md", stdin=line)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == message + "\n"
    plan = parse_plan(PLAN)
    assert not apply_commands(plan, parse_plan_commands(line))
    assert _text(here) == serialize_plan(plan)


@pytest.mark.parametrize(("line", "message"), REFUSALS.values(), ids=REFUSALS)
def test_every_refusal_tells_why(here: Path, line: str, message: str) -> None:
    result = run("apply", "plan.md", stdin=line)
    assert (result.exit_code, result.stdout) == (1, message + "\n")
    assert result.stderr == "1 of 1 commands refused: nothing was changed\n"
    assert _text(here) == PLAN


@pytest.mark.parametrize(("code", "line"), MALFORMED.items(), ids=MALFORMED)
def test_malformed_lines(here: Path, code: str, line: str, snapshot: SnapshotAssertion) -> None:
    result = run("apply", "plan.md", stdin=line + "\n" + DONE)
    assert result.exit_code == 1
    assert f"error[{code}]" in result.stdout
    assert "held   step 2.2: pending → done\n" in result.stdout
    assert result.stdout == snapshot
    assert result.stderr == "1 of 2 commands refused: nothing was changed\n"
    assert _text(here) == PLAN


@pytest.mark.parametrize("line", CLEAR.values(), ids=CLEAR)
def test_what_is_clear_is_carried_out_with_a_warning(here: Path, line: str) -> None:
    result = run("apply", "plan.md", stdin=line + "\n")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "warning[PC107]" in result.stdout
    assert result.stdout.endswith("\nok     step 2.2: pending → done\n")
    assert _text(here) == DONE_PLAN


def test_an_answer_that_is_cut_off_changes_nothing(here: Path) -> None:
    text = f"{DONE}PLAN_CMD: DONE 1 | packed"
    assert run("apply", "plan.md", "--dry-run", stdin=text).exit_code == 0
    for options in ([], ["--keep-going"]):
        result = run("apply", "plan.md", "--finish-reason", "length", *options, stdin=text)
        assert result.exit_code == 1
        assert result.stderr.endswith(
            "<stdin>: the answer was cut off (--allow-truncated takes what there is): nothing was changed\n"
        )
        assert "error[PS129]" in result.stdout
        assert _text(here) == PLAN
    result = run("apply", "plan.md", "--finish-reason", "length", "--allow-truncated", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")
    assert _text(here) == DONE_PLAN


def test_two_versions_are_never_applied(here: Path) -> None:
    text = f"<<<<<<< ours\n{DONE}=======\nPLAN_CMD: SKIP 2.2\n>>>>>>> theirs\n"
    result = run("apply", "plan.md", "--keep-going", stdin=text)
    assert result.exit_code == 1
    assert _text(here) == PLAN


def test_the_allowed_risk(here: Path) -> None:
    text = "PLAN_CMD: done 2.2 - two rooms a day\n"
    result = run("apply", "plan.md", stdin=text)
    assert (result.exit_code, result.stderr) == (1, "1 of 1 commands refused: nothing was changed\n")
    assert "error[PC102]" in result.stdout
    assert "error[PC106]" in result.stdout
    assert _text(here) == PLAN
    assert run("apply", "plan.md", "--max-risk", "high", stdin=text).exit_code == 0
    assert _text(here) == DONE_PLAN


def test_sentences_beside_commands_never_matter(here: Path) -> None:
    before = "步骤 2 执行失败，原因是权限不足。\nDo not run this:\n"
    text = f"{before}\n{DONE}\nActually, ignore that.\nThen: PLAN_CMD: SKIP 1\n"
    result = run("apply", "plan.md", stdin=text)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "ok     step 2.2: pending → done\n", "")
    assert _text(here) == DONE_PLAN


@pytest.mark.parametrize("bad", [*MALFORMED.values(), *(line for line, _ in REFUSALS.values())])
@pytest.mark.parametrize("order", ["first", "last"])
def test_all_or_nothing(here: Path, bad: str, order: str) -> None:
    os.utime(here / "plan.md", (1_000_000_000, 1_000_000_000))
    before = (here / "plan.md").stat()
    text = bad + "\n" + DONE if order == "first" else DONE + bad + "\n"
    result = run("apply", "plan.md", stdin=text)
    assert result.exit_code == 1
    assert "ok  " not in result.stdout
    assert _text(here) == PLAN
    after = (here / "plan.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("bad", [*MALFORMED.values(), *(line for line, _ in REFUSALS.values())])
def test_keep_going(here: Path, bad: str) -> None:
    result = run("apply", "plan.md", "--keep-going", stdin=bad + "\n" + DONE)
    assert result.exit_code == 1
    assert "ok     step 2.2: pending → done\n" in result.stdout
    assert result.stderr == "1 of 2 commands refused: the others were carried out\n"
    assert _text(here) == DONE_PLAN


def test_keep_going_with_nothing_to_refuse(here: Path) -> None:
    result = run("apply", "plan.md", "--keep-going", stdin=DONE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert _text(here) == DONE_PLAN


def test_commands_from_a_file(here: Path) -> None:
    (here / "answer.md").write_text(f"I am done with the rooms.\n\n{DONE}\nGood luck!\n")
    result = run("apply", "plan.md", "answer.md", stdin="PLAN_CMD: SKIP 1\n")
    assert (result.exit_code, result.stdout) == (0, "ok     step 2.2: pending → done\n")
    assert _text(here) == DONE_PLAN


def test_dash_is_the_default(here: Path) -> None:
    assert run("apply", "plan.md", "-", stdin=DONE).exit_code == 0
    assert _text(here) == DONE_PLAN


def test_dry_run(here: Path) -> None:
    os.utime(here / "plan.md", (1_000_000_000, 1_000_000_000))
    result = run("apply", "plan.md", "--dry-run", stdin=DONE)
    assert (result.exit_code, result.stdout) == (0, "ok     step 2.2: pending → done\n")
    assert _text(here) == PLAN
    assert (here / "plan.md").stat().st_mtime == 1_000_000_000
    assert run("apply", "plan.md", "--dry-run", stdin="PLAN_CMD: DONE 9").exit_code == 1


def test_dry_run_does_not_claim_to_have_changed_anything() -> None:
    result = run("apply", "plan.md", "--dry-run", "--keep-going", stdin="PLAN_CMD: DONE 9\n" + DONE)
    assert "carried out" not in result.stderr


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_diff(here: Path, dry: list[str], snapshot: SnapshotAssertion) -> None:
    result = run("apply", "plan.md", "--diff", *dry, stdin=DONE)
    assert result.exit_code == 0
    assert result.stdout == snapshot(name="diff")
    assert result.stderr == "ok     step 2.2: pending → done\n"
    assert _text(here) == (PLAN if dry else DONE_PLAN)


def test_diff_of_what_is_refused_is_empty() -> None:
    result = run("apply", "plan.md", "--diff", stdin="PLAN_CMD: DONE 9\n" + DONE)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "PC111" in result.stderr


def test_diff_of_what_goes_on(snapshot: SnapshotAssertion) -> None:
    result = run("apply", "plan.md", "--diff", "--keep-going", stdin="PLAN_CMD: DONE 9\n" + DONE)
    assert result.exit_code == 1
    assert result.stdout == snapshot


@pytest.mark.parametrize("text", ["", "no commands here\n", "PLAN_CMD\n", "He wrote PLAN_CMD: DONE 1 and left.\n"])
def test_no_commands(here: Path, text: str) -> None:
    result = run("apply", "plan.md", stdin=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "<stdin>: there is no line that starts with PLAN_CMD:\n"
    assert _text(here) == PLAN


def test_the_plan_on_standard_input(here: Path) -> None:
    (here / "commands").write_text(DONE)
    result = run("apply", "-", "commands", stdin=PLAN)
    assert (result.exit_code, result.stdout) == (0, DONE_PLAN)
    assert result.stderr == "ok     step 2.2: pending → done\n"


def test_the_plan_on_standard_input_with_a_refusal(here: Path) -> None:
    """The plan goes on down the pipe as it came."""
    (here / "commands").write_text("PLAN_CMD: DONE 9\n")
    result = run("apply", "-", "commands", stdin=SLOPPY)
    assert (result.exit_code, result.stdout) == (1, SLOPPY)
    assert "PC111" in result.stderr


def test_the_plan_on_standard_input_in_a_dry_run(here: Path) -> None:
    (here / "commands").write_text(DONE)
    result = run("apply", "-", "commands", "--dry-run", stdin=PLAN)
    assert (result.exit_code, result.stdout) == (0, "")


def test_the_plan_on_standard_input_with_a_diff(here: Path) -> None:
    (here / "commands").write_text(DONE)
    result = run("apply", "-", "commands", "--diff", stdin=PLAN)
    assert ("--- a/" in result.stdout) != (DONE_PLAN in result.stdout)


def test_both_on_standard_input() -> None:
    result = run("apply", "-", stdin=PLAN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot both come from standard input" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["plan.md", "a", "b"], ["plan.md", "--nonsense"]])
def test_usage(arguments: list[str]) -> None:
    result = run("apply", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: planspec apply" in result.stderr


@pytest.mark.parametrize("arguments", [["missing.md"], ["."], ["plan.md", "missing"], ["plan.md", "."]])
def test_what_cannot_be_read(here: Path, arguments: list[str]) -> None:
    result = run("apply", *arguments, stdin=DONE)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert _text(here) == PLAN


def test_no_plan(here: Path, snapshot: SnapshotAssertion) -> None:
    result = run("apply", "broken.md", stdin=DONE)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot
    assert (here / "broken.md").read_text(encoding="utf-8") == BROKEN


def test_invalid_utf_8(here: Path) -> None:
    result = run("apply", "plan.md", stdin=b"PLAN_CMD: DONE 1 | \xff\n")
    assert result.exit_code == 1
    assert "PS119" in result.stderr
    assert result.stderr.endswith("<stdin>: no commands were read\n")
    assert _text(here) == PLAN


def test_a_crash_half_way_leaves_the_old_plan(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    names = sorted(os.listdir(here))
    result = run("apply", "plan.md", stdin=DONE)
    assert result.exit_code == 2
    assert result.stderr == "Error: plan.md: No space left on device\n"
    assert _text(here) == PLAN
    assert sorted(os.listdir(here)) == names


def test_several_commands_in_their_order(here: Path, snapshot: SnapshotAssertion) -> None:
    answer = """\
First the lorry, then the rest.
PLAN_CMD: ADD 2.1 [act] Ask the neighbours for a lorry → lorry
> ← labels
> The baker has one.
PLAN_CMD: DONE 2.1 | The baker lends his
PLAN_CMD: SKIP 2.2 | not needed any more
PLAN_CMD: REVISE 2.3 [reason] Choose the first room → room
"""
    result = run("apply", "plan.md", stdin=answer)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot(name="messages")
    assert _text(here) == snapshot(name="plan")


SLOPPY_DONE = SLOPPY.replace(
    "2.2. [reason] Find the best order of the rooms → room_order",
    "2.2. [x] [reason] Find the best order of the rooms → room_order | two rooms a day",
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_plan_keeps_its_format(here: Path, end: str) -> None:
    (here / "plan.md").write_bytes(("\ufeff" + SLOPPY.replace("\n", end)).encode())
    assert run("apply", "plan.md", stdin=DONE).exit_code == 0
    assert (here / "plan.md").read_bytes() == ("\ufeff" + SLOPPY_DONE.replace("\n", end)).encode()


def test_a_plan_keeps_its_format_on_its_way_through(here: Path) -> None:
    (here / "commands").write_text(DONE)
    result = run("apply", "-", "commands", stdin=SLOPPY)
    assert (result.exit_code, result.stdout) == (0, SLOPPY_DONE)


def test_the_diff_of_one_done_step_is_one_line() -> None:
    result = run("apply", "sloppy.md", "--diff", "--dry-run", stdin=DONE)
    changed = [row for row in result.stdout.split("\n") if row[:1] in ("+", "-") and row[:3] not in ("+++", "---")]
    assert [row[0] for row in changed] == ["-", "+"]
    assert result.exit_code == 0


def test_permissions_and_links_stay(here: Path) -> None:
    (here / "plan.md").chmod(0o640)
    (here / "link.md").symlink_to("plan.md")
    assert run("apply", "link.md", stdin=DONE).exit_code == 0
    assert (here / "link.md").is_symlink()
    assert _text(here) == DONE_PLAN
    assert (here / "plan.md").stat().st_mode & 0o7777 == 0o640


def test_commands_inside_a_fence_and_with_crlf(here: Path) -> None:
    assert run("apply", "plan.md", stdin=f"```\r\n  {DONE.rstrip()}\r\n```\r\n").exit_code == 0
    assert _text(here) == DONE_PLAN


@pytest.mark.parametrize("line", ["REPLAN ALL | anew", "EXPAND 1", "COLLAPSE 2"])
def test_a_command_that_changes_no_text_leaves_the_file_as_it_is(here: Path, line: str) -> None:
    sloppy = "\ufeff" + SLOPPY.replace("\n", "\r\n")
    (here / "plan.md").write_bytes(sloppy.encode())
    assert run("apply", "plan.md", stdin=f"PLAN_CMD: {line}\n").exit_code == 0
    assert (here / "plan.md").read_bytes() == sloppy.encode()
