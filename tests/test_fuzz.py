"""The fuzz job, a little of it with each run: ``python -m tests.fuzz`` is the same for as long as one likes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from planspec_lark import PlanSpec, scan_plan, serialize_plan
from planspec_lark.planspec import ScanResult
from planspec_lark.syntax import fields
from tests.corpus import ROOT
from tests.fuzz import __main__ as command_line, guided, targets
from tests.fuzz.running import Failure, fuzz, load, run_once, save
from tests.fuzz.targets import TARGETS
from tests.property import promises
from tests.timing import TooSlowError

# Seconds for each target.
SECONDS = float(os.environ.get("PLANSPEC_FUZZ_SECONDS", "0.6"))


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_shows_a_fault(name: str) -> None:
    tried, failure = fuzz(TARGETS[name], seconds=SECONDS, first_seed=0)
    assert failure is None, f"{failure.value!r}\n{failure.trace}"
    assert tried >= 100


def test_every_target_can_be_asked_for() -> None:
    assert tuple(TARGETS) == command_line.READERS


# ---------------------------------------------------------------- faults that are there on purpose


def _find(name: str) -> Failure:
    _, failure = fuzz(TARGETS[name], seconds=60, first_seed=0, limit=1, shrinking=2)
    assert failure is not None
    return failure


def _raising(read: Callable[[str], object], sign: str) -> Callable[..., object]:
    """A reader with an error that is not documented, for texts with a sign in them."""

    def broken(text: str, **more: str) -> object:
        if sign in text:
            raise KeyError(sign)
        return read(text, **more)

    return broken


@pytest.mark.parametrize(
    ("target", "reader", "sign"),
    [
        ("parse_plan", "parse_plan", "| Progress: "),
        ("parse_tree", "parse_tree", "\r\n"),
        ("scan_plan", "scan_plan", "```"),
        ("check_text", "check_text", "[X]"),
        ("plan_commands", "scan_plan_commands", "PLAN_CMD: REPLAN"),
        ("apply_commands", "parse_plan_commands", "PLAN_CMD: ADD"),
        ("plan_from_json", "plan_from_json", "NaN"),
        ("decode", "decode", b"\xff"),
    ],
)
def test_an_undocumented_error_is_found(monkeypatch: pytest.MonkeyPatch, target: str, reader: str, sign: str) -> None:
    monkeypatch.setattr(targets, reader, _raising(getattr(targets, reader), sign))
    failure = _find(target)
    assert "KeyError" in failure.trace
    assert target == "decode" or sign in str(failure.value)


def test_a_failing_input_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "scan_plan", _raising(scan_plan, "```"))
    assert _find("scan_plan").value == "```"


def test_a_plan_that_is_printed_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def serialize(plan: PlanSpec, *, fold: bool = False) -> str:
        return serialize_plan(plan, fold=fold).replace("[x] ", "")

    monkeypatch.setattr(promises, "serialize_plan", serialize)
    assert "in reads_back" in _find("parse_plan").trace


def test_a_line_that_is_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str) -> ScanResult:
        found = scan_plan(text)
        return evolve(found, diagnostics=[d for d in found.diagnostics if d.code != "PS107"])

    monkeypatch.setattr(promises, "scan_plan", scan)
    assert "is lost" in _find("scan_plan").trace


def test_what_reaches_a_terminal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "render_all", lambda found: "".join(one.source_line for one in found))
    assert "this reaches a terminal" in _find("check_text").trace


def test_a_value_that_makes_an_undocumented_error_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(value: object) -> PlanSpec:
        if isinstance(value, dict) and value.get("steps"):
            raise KeyError(value)
        return PlanSpec()

    monkeypatch.setattr(targets, "plan_from_dict", read)
    assert "KeyError" in _find("plan_from_dict").trace


def test_a_model_that_refuses_without_a_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def require_text(_name: str, value: object, _advice: str = "") -> str:
        if not isinstance(value, str) or "\n" in value:
            raise ValueError("no")
        return value

    monkeypatch.setattr(fields, "require_text", require_text)
    assert "ValueError: no" in _find("models").trace


def test_an_endless_loop_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str) -> ScanResult:
        while "## Steps" in text:
            pass
        return scan_plan(text)

    monkeypatch.setattr(targets, "scan_plan", scan)
    with pytest.raises(TooSlowError):
        run_once(TARGETS["scan_plan"], "## Steps", 0.1)
    failure = _find("scan_plan")
    assert "TooSlowError" in failure.trace
    assert "## Steps" in str(failure.value)


# ---------------------------------------------------------------- the command line


def test_a_run_by_hand_keeps_what_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(targets, "scan_plan", _raising(scan_plan, "\udc80"))
    arguments = ["--minutes", "1", "--seed", "7", "--reader", "scan_plan", "--out", str(tmp_path)]
    assert command_line.main(arguments) == 1
    said = capsys.readouterr().out
    # Which turn finds it depends on the fixtures, and on how many inputs a machine has time for.
    assert re.match(r"seed 7, 1 minutes, scan_plan\nscan_plan: a fault, seed (7|\d+000007): ", said)
    (kept,) = tmp_path.glob("scan_plan-*.txt")
    assert load(kept.read_bytes()) == "\udc80"
    assert "KeyError" in kept.with_suffix(".trace").read_text(encoding="utf-8")
    with pytest.raises(KeyError):
        command_line.main(["--again", str(kept), "--reader", "scan_plan"])
    monkeypatch.undo()
    assert command_line.main(["--again", str(kept)]) == 0


def test_a_run_without_faults_says_how_much_it_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--minutes", "0.01", "--reader", "decode", "--out", str(tmp_path)]) == 0
    assert re.search(r"^decode: [1-9]00 inputs, no fault$", capsys.readouterr().out, flags=re.M)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("text", ["", "a\r\n\x00", "\ud800\udc80", "\ufeff"])
def test_a_text_is_kept_as_it_is(tmp_path: Path, text: str) -> None:
    assert load(save(tmp_path, "decode", Failure(text, "trace")).read_bytes()) == text


def test_bytes_that_are_no_text_are_near_one() -> None:
    assert load(b"a\xff") == "a\udcff"


def test_what_is_no_text_is_kept_to_be_read(tmp_path: Path) -> None:
    kept = save(tmp_path, "plan_from_dict", Failure({"a": "\ud800"}, "trace"))
    assert kept.suffix == ".repr"
    assert kept.read_text(encoding="utf-8") == r"{'a': '\ud800'}"


def test_coverage_may_be_the_guide(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris has no wheels for some Pythons, so it is an extra of its own")
    command = [sys.executable, "-m", "tests.fuzz", "--atheris", "--minutes", "0.02", "--reader", "decode"]
    done = subprocess.run([*command, "--out", tmp_path], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Done [1-9][0-9]* runs", done.stderr, flags=re.M)
    assert not [*tmp_path.iterdir()]


def test_without_its_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided, "find_spec", lambda _name: None)
    with pytest.raises(SystemExit, match="needs the extra fuzz"):
        command_line.main(["--atheris"])
