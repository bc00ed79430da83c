"""What runs log: what at which level, and what never."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import parse_plan
from planspec_lark.engine import OperatorResult, ThinkEngine
from planspec_lark.engine.jobs import continue_run, submit_plan
from planspec_lark.plan_next import start_context
from planspec_lark.planner import Runtime, create_state
from planspec_lark.runs import LedgerError, MemoryLedger
from planspec_lark.runs.ledger import FencedError, Record
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import tool_plan_from_dict
from tests.engine.worlds import World, failed, lacking, plan
from tests.plan_next.turns import execute, returned

Logged = list[tuple[str, str, str]]


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Any:
    """Gives what was logged from a level on: logger, level, message."""

    def look(level: str) -> Logged:
        least = logging.getLevelNamesMapping()[level]
        return [
            (one.name.removeprefix("planspec_lark."), one.levelname, one.getMessage())
            for one in caplog.records
            if one.levelno >= least and one.name.startswith("planspec_lark.")
        ]

    caplog.set_level("DEBUG", "planspec_lark")
    return look


def test_every_record(logged: Any) -> None:
    ledger = MemoryLedger()
    world = World(steps={"a": [failed()]}, answers={"a": ["PLAN_CMD: SKIP 1"]})
    ThinkEngine(plan("1. [act] a\n2. [act] b"), world.operator, world.reflector, run_id="r", ledger=ledger).run()
    said = [message for _, level, message in logged("DEBUG") if level == "INFO"]
    assert said == ["run r: at work", "run r: converged"]
    lines = [message for _, level, message in logged("DEBUG") if level != "INFO" and " says: " not in message]
    assert [line.split()[2] for line in lines] == [record.kind.value for record in ledger.records("r")]
    assert lines[1:3] == ["run r: started step 1, attempt 1", "run r: failed step 1, attempt 1: FAIL"]


def test_what_has_gone_wrong_is_a_warning_without_its_words(logged: Any) -> None:
    world = World(steps={"a": [failed("secret")], "b": [lacking("secret")]}, answers={"a": ["secret\nnothing"]})
    ThinkEngine(plan("1. [act] a"), world.operator, world.reflector, run_id="r").run()
    assert logged("WARNING") == [
        ("engine", "WARNING", "run r: failed step 1, attempt 1: FAIL"),
        *[("engine", "WARNING", "run r: refused step 1")] * 3,
        ("engine", "WARNING", "run r: blocked step 1"),
    ]
    assert "secret" not in str(logged("INFO"))
    assert ("engine", "DEBUG", "run r: failed step 1 says: secret") in logged("DEBUG")


def _load(rows: dict[str, int]) -> int:
    return rows["secret"]


async def _wait(_: object) -> int:
    return _load({})


@pytest.mark.parametrize(
    ("operate", "functions"),
    [
        (lambda _: _load({}), ["_load", "<lambda>"]),
        (_wait, ["_load", "_wait"]),
        (lambda _: int("secret"), ["<lambda>"]),
        (lambda _: parse_plan("secret"), ["<lambda>"]),
        (lambda _: json.loads("{"), ["<lambda>"]),
    ],
)
def test_where_an_operator_has_raised_is_told(operate: Any, functions: list[str], logged: Any) -> None:
    ThinkEngine(plan("1. [act] a"), operate, run_id="r").run()
    said = next(message for _, level, message in logged("WARNING") if "raised" in message)
    assert re.findall(r"test_logging\.py:[0-9]+ in ([\w<>]+)", said) == functions
    assert said.startswith("run r: step 1 raised ")
    assert "secret" not in str(logged("INFO"))


def test_what_is_not_raised_by_a_call_has_no_place(logged: Any) -> None:
    world = World(steps={"a": [failed()]})
    ThinkEngine(plan("1. [act] a"), world.operator, run_id="r").run()
    assert "raised" not in str(logged("DEBUG"))


def test_words_of_models_are_cut_and_can_be_shown(logged: Any) -> None:
    world = World(steps={"a": [failed("\x1b[2J\n" + "b" * 10_000)]})
    ThinkEngine(plan("1. [act] a"), world.operator, run_id="a\nb\x1b").run()
    said = next(message for _, _, message in logged("DEBUG") if "failed step 1 says" in message)
    assert said.startswith("run a\\nb\\x1b: failed step 1 says: \\x1b[2J bbb")
    assert len(said) < 300
    for _, _, message in logged("DEBUG"):
        assert message.isprintable()


def test_outputs_and_inputs_are_not_logged(logged: Any) -> None:
    def operate(_: object) -> OperatorResult:
        return OperatorResult(outputs={"x": "secret"})

    ThinkEngine(plan("1. [act] a → x"), operate, inputs={"key": "secret"}).run()
    assert "secret" not in str(logged("DEBUG"))


@pytest.mark.parametrize("error", [KeyboardInterrupt("secret"), LedgerError("secret")])
def test_a_run_that_is_left(logged: Any, error: BaseException) -> None:
    with pytest.raises(type(error)):
        ThinkEngine(plan("1. [act] a"), World(steps={"a": [error]}).operator, run_id="r").run()
    assert logged("INFO")[-1] == ("engine", "INFO", f"run r: left by {type(error).__name__}")
    assert "secret" not in str(logged("INFO"))


class Lost(MemoryLedger):
    """A ledger whose run another process has continued."""

    def append(self, run: str, *records: Record, after: int) -> Record:
        if any(record.step for record in records):
            raise FencedError("another process has gone on")
        return super().append(run, *records, after=after)


def test_a_lease_that_is_lost(logged: Any) -> None:
    ledger = Lost()
    submit_plan(ledger, plan("1. [act] a"), "r")
    assert continue_run(ledger, "r", World().operator) is None
    assert logged("WARNING") == [("engine", "WARNING", "run r: another process has gone on")]


def test_a_tool_plan(logged: Any) -> None:
    made = tool_plan_from_dict(
        {"target": "", "plan": {"steps": [{"id": "weigh", "step_id": "w", "target": "", "inputs": {}}]}}
    )

    def weigh(_: object) -> dict[str, Any]:
        raise ValueError("secret")

    run_toolplan(made, {"weigh": {}}, {"weigh": weigh})
    told = logged("INFO")
    assert told.pop(1)[2].startswith("run toolplan: step w raised ValueError at test_logging.py:")
    assert told == [
        ("tool_runner", "INFO", "run toolplan: at work"),
        ("tool_runner", "WARNING", "run toolplan: failed step w"),
        ("tool_runner", "INFO", "run toolplan: failed"),
    ]
    before = logged("DEBUG")
    said = "run toolplan: failed step w says: ValueError: secret"
    assert [message for _, _, message in before if "secret" in message] == [said]
    run_toolplan(made, {"weigh": {}}, {"weigh": weigh}, dry_run=True)
    assert logged("DEBUG") == before


def test_a_planner(logged: Any, tmp_path: Path) -> None:
    create_state(tmp_path, start_context("mend it"))
    answers = ["no message", execute("run it")]
    Runtime(tmp_path, lambda *_: answers.pop(0), lambda _: returned("secret")).run()
    assert logged("INFO") == [
        ("planner", "INFO", f"run {tmp_path}: at work"),
        ("planner", "WARNING", f"run {tmp_path}: refused"),
        ("planner", "INFO", f"run {tmp_path}: done"),
    ]


def test_without_logging_set_up_nothing_is_logged() -> None:
    code = """
from planspec_lark import parse_plan
from planspec_lark.engine import HopStatus, OperatorResult, ThinkEngine
ThinkEngine(parse_plan("Goal: g\\n## Steps\\n1. [act] a"), lambda _: OperatorResult(HopStatus.FAIL)).run()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
