"""Runs where OpenTelemetry is not installed, not loaded, or not set up: nothing needs it, and nothing tells of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("begin", "loaded"),
    [
        ("", False),
        ("sys.modules['opentelemetry'] = None", True),
        ("sys.modules['opentelemetry.trace'] = None; import opentelemetry", True),
        ("import opentelemetry.trace", True),
    ],
    ids=["it was not loaded", "it is not installed", "a part is not there", "it was not set up"],
)
def test_runs_without_it(begin: str, loaded: bool, tmp_path: Path) -> None:
    code = f"""
import sys
{begin}
from pathlib import Path
from planspec_lark import parse_plan
from planspec_lark.engine import OperatorResult, ThinkEngine
from planspec_lark.llm import Program
from planspec_lark.runs import MemoryLedger
from planspec_lark.runs.telemetry import trace_environment
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import tool_plan_from_dict
ledger = MemoryLedger()
done = ThinkEngine(parse_plan("Goal: g\\n## Steps\\n1. [act] a"), lambda _: OperatorResult(), ledger=ledger).run()
assert done.outcome == "converged"
assert not any("trace" in one.data for one in ledger.records(done.run))
assert Program(["cat"])("x") == "x"
assert trace_environment() == {{}}
plan = tool_plan_from_dict({{"target": "", "plan": {{"steps": [{{"id": "a", "target": "", "inputs": {{}}}}]}}}})
assert run_toolplan(plan, {{"a": {{}}}}, lambda *_: {{}}).is_done
print("opentelemetry" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{loaded}\n", "")


@pytest.mark.parametrize("name", ["OTEL_PYTHON_TRACER_PROVIDER", "OTEL_PYTHON_METER_PROVIDER", "OTEL_PROPAGATORS"])
def test_what_the_environment_names_is_not_there(name: str, tmp_path: Path) -> None:
    code = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s")
logging.getLogger("opentelemetry").propagate = False
from planspec_lark import parse_plan
from planspec_lark.engine import OperatorResult, ThinkEngine
from planspec_lark.llm import Program
def operate(_):
    return OperatorResult(result=Program(["echo", "done"])(""))
print(ThinkEngine(parse_plan("Goal: g\\n## Steps\\n1. [act] a"), operate).run().outcome.value)
"""
    environment = {**os.environ, "OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider", name: "nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    said, outcome = done.stdout.splitlines()
    assert said.startswith("planspec_lark.runs.telemetry OpenTelemetry cannot be used: ")
    assert outcome == "converged"
