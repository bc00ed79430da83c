"""What a run tells OpenTelemetry: spans and metrics, their parents and their ends."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import context, trace
from opentelemetry.trace import StatusCode

from planspec_lark.engine import Budget, Effort, FatalError, OperatorResult, StepCall, ThinkEngine, ThinkEvent
from planspec_lark.engine.jobs import continue_run, submit_plan
from planspec_lark.llm import Program, model_operator, program_model
from planspec_lark.plan_next import Context, start_context
from planspec_lark.planner import Runtime, create_state
from planspec_lark.runs import MemoryLedger
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.runs.telemetry import trace_environment
from planspec_lark.tool_runner import arun_toolplan, run_toolplan
from planspec_lark.toolplan import ToolPlan, tool_plan_from_dict
from tests.engine.worlds import World, failed, ok, plan
from tests.plan_next.turns import execute, returned
from tests.runs.traced import Traced, at_hand, parent_of, set_up

STEPS = "1. [act] a → x\n2. [act] b\n  > ← x\n3. [reason] c\n  > ← x\n"


@pytest.fixture
def traced() -> Traced:
    return set_up()


def steps_of(traced: Traced, attribute: str = "planspec.step.id") -> list[Any]:
    return [attributes[attribute] for _, attributes in traced.children() if attribute in attributes]


# ---------------------------------------------------------------- runs of plans


def test_a_run_has_a_span_for_each_attempt(traced: Traced) -> None:
    world = World(steps={"b": [failed("secret"), ok("secret")]}, answers={"b": ["RETRY | secret"]})
    done = ThinkEngine(plan(STEPS), world.operator, world.reflector, run_id="r1", run_name="jam").run()
    run = traced.run()
    assert run.name == "invoke_workflow jam"
    assert dict(run.attributes or {}) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": "jam",
        "planspec.run.id": "r1",
        "planspec.run.kind": "plan",
        "planspec.run.outcome": "converged",
    }
    assert (done.outcome, run.status.status_code) == ("converged", StatusCode.UNSET)
    assert [name for name, _ in traced.children()] == ["step act", "step act", "reflect", "step act", "step reason"]
    _, second = traced.children()[1]
    assert second == {
        "planspec.run.id": "r1",
        "planspec.step.id": "2",
        "planspec.step.type": "act",
        "planspec.step.attempt": 1,
        "planspec.step.status": "FAIL",
        "planspec.llm_calls": 1,
        "error.type": "FAIL",
    }
    assert [span.status.status_code for span in traced.find("step act")] == [
        StatusCode.UNSET,
        StatusCode.ERROR,
        StatusCode.UNSET,
    ]
    assert "secret" not in "".join(span.to_json() for span in traced.spans())


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("run", [ThinkEngine.run, lambda engine: asyncio.run(engine.arun())])
def test_the_span_of_a_step_is_at_hand_in_its_operator(traced: Traced, jobs: int, is_async: bool, run: Any) -> None:
    seen: dict[str, set[int]] = {}

    def operate(call: StepCall) -> OperatorResult:
        seen.setdefault(call.step.step_id, set()).add(at_hand())
        time.sleep(0.02)
        seen[call.step.step_id].add(at_hand())
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    async def operate_later(call: StepCall) -> OperatorResult:
        given = operate(call)
        await asyncio.sleep(0.02)
        seen[call.step.step_id].add(at_hand())
        return given

    assert run(ThinkEngine(plan(STEPS), operate_later if is_async else operate, jobs=jobs)).outcome == "converged"
    spans = [span for span in traced.spans() if span.name.startswith("step") and span.context is not None]
    own = {(span.attributes or {})["planspec.step.id"]: {span.context.span_id} for span in spans}
    assert (seen, len(own)) == (own, 3)
    assert sorted(steps_of(traced)) == ["1", "2", "3"]
    assert at_hand() == 0


def test_a_model_that_is_asked_has_a_span_at_hand(traced: Traced) -> None:
    seen = []

    def reflect(_: Any) -> str:
        seen.append(at_hand())
        return "PLAN_CMD: SKIP 1"

    async def replan(_: Any) -> str:
        seen.append(at_hand())
        return ""

    world = World(steps={"a": [failed()]})
    ThinkEngine(plan("1. [act] a → x"), world.operator, reflect, replan, required=["x"]).run()
    (reflection,), (planning,) = traced.find("reflect"), traced.find("plan")
    assert seen == [span.context.span_id for span in (reflection, planning) if span.context is not None]
    assert dict(reflection.attributes or {}) == {"planspec.step.id": "1"}
    assert dict(planning.attributes or {}) == {"gen_ai.operation.name": "plan", "planspec.purpose": "changes"}
    assert {parent_of(span) for span in (reflection, planning)} == {traced.run().context.span_id}


def test_a_run_is_a_child_of_what_is_at_hand_and_steps_of_the_run(traced: Traced) -> None:
    def watch(event: ThinkEvent) -> None:
        if event.kind is RecordKind.BEGUN:
            context.attach(context.Context())

    with trace.get_tracer("app").start_as_current_span("request") as request:
        ThinkEngine(plan("1. [act] a"), World().operator, on_event=watch).run()
        # The end of the run's span puts back what was at hand before.
        assert at_hand() == request.get_span_context().span_id
    assert parent_of(traced.run()) == request.get_span_context().span_id
    assert steps_of(traced) == ["1"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), FatalError("secret")])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_raises_ends_its_spans(traced: Traced, error: BaseException, jobs: int) -> None:
    world = World(steps={"a": [error]})
    with pytest.raises(type(error)):
        ThinkEngine(plan("1. [act] a"), world.operator, jobs=jobs).run()
    why = type(error).__name__
    ((name, attributes),) = traced.children()
    assert (name, attributes["planspec.step.status"], attributes["error.type"]) == ("step act", "interrupted", why)
    run = traced.run()
    assert (run.status.status_code, run.status.description) == (StatusCode.ERROR, None)
    assert (run.attributes or {})["error.type"] == why
    assert "secret" not in run.to_json()
    assert at_hand() == 0


def test_a_reflector_that_raises_ends_its_span(traced: Traced) -> None:
    world = World(steps={"a": [failed()]}, answers={"a": [ValueError("secret")]})
    with pytest.raises(ValueError, match="secret"):
        ThinkEngine(plan("1. [act] a"), world.operator, world.reflector).run()
    for span in (*traced.find("reflect"), traced.run()):
        assert (span.status.status_code, (span.attributes or {})["error.type"]) == (StatusCode.ERROR, "ValueError")
    assert "secret" not in "".join(span.to_json() for span in traced.spans())


def test_a_run_that_is_cancelled_ends_its_spans(traced: Traced) -> None:
    async def operate(_: StepCall) -> None:
        await asyncio.sleep(60)

    async def cancel() -> None:
        await asyncio.wait_for(ThinkEngine(plan("1. [act] a"), operate).arun(), 0.2)

    with pytest.raises(TimeoutError):
        asyncio.run(cancel())
    assert steps_of(traced, "planspec.step.status") == ["interrupted"]
    assert (traced.run().attributes or {})["error.type"] == "CancelledError"


@pytest.mark.parametrize(
    ("limits", "outcome", "code"),
    [
        ({"budget": Budget(steps=1)}, "budget", StatusCode.UNSET),
        ({"required": ["missing"]}, "blocked", StatusCode.ERROR),
    ],
)
def test_how_a_run_has_ended(traced: Traced, limits: dict[str, Any], outcome: str, code: StatusCode) -> None:
    assert ThinkEngine(plan(STEPS), World().operator, **limits).run().outcome == outcome
    assert (traced.run().attributes or {})["planspec.run.outcome"] == outcome
    assert traced.run().status.status_code is code


# ---------------------------------------------------------------- continuing


def test_a_run_that_goes_on_is_linked_with_the_one_before(traced: Traced, tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_text("Goal: g\n## Steps\n1. [act] a\n2. [act] b\n")
    ThinkEngine(path, World().operator, budget=Budget(steps=1)).run()
    first = traced.run()
    set_up()
    ThinkEngine(path, World().operator).run(resume=True)
    second = traced.run()
    assert first.context is not None
    (link,) = second.links
    assert (link.context.span_id, link.context.trace_id) == (first.context.span_id, first.context.trace_id)
    assert parent_of(second) is None
    assert (first.attributes or {})["planspec.run.id"] == (second.attributes or {})["planspec.run.id"]


def test_a_run_is_linked_with_the_span_that_has_submitted_it(traced: Traced) -> None:
    ledger = MemoryLedger()
    with trace.get_tracer("app").start_as_current_span("request") as request:
        submit_plan(ledger, plan("1. [act] a"), "r", name="jam")
    assert [span.name for span in traced.spans()] == ["request"]
    continue_run(ledger, "r", World().operator)
    assert [link.context.span_id for link in traced.run().links] == [request.get_span_context().span_id]
    assert traced.run().name == "invoke_workflow jam"


@pytest.mark.parametrize("kept", ["", "x", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", 7])
def test_a_trace_that_is_none_is_no_link(traced: Traced, kept: object) -> None:
    ledger = MemoryLedger()
    submit_plan(ledger, plan("1. [act] a"), "r")
    data = {**next(ledger.records("r")).data, "trace": kept}
    ledger._base.execute("UPDATE records SET data = ?", (json.dumps(data),))
    continue_run(ledger, "r", World().operator)
    assert not traced.run().links


# ---------------------------------------------------------------- metrics


def test_what_is_counted(traced: Traced) -> None:
    before = traced.numbers()

    def added(name: str, **labels: str) -> Any:
        key = tuple(sorted((name.replace("__", "."), value) for name, value in labels.items()))
        return traced.numbers().get(name, {}).get(key, 0) - before.get(name, {}).get(key, 0)

    effort = Effort(2, 20, 0.5, model="hostile", input_tokens=5, output_tokens=6)
    world = World(steps={"a": [failed(), OperatorResult(effort=effort)]}, answers={"a": ["RETRY"]})
    ThinkEngine(plan("1. [act] a"), world.operator, world.reflector).run()
    good = {"planspec__step__status": "OK", "planspec__step__type": "act"}
    bad = {**good, "planspec__step__status": "FAIL"}
    for name in ("planspec.steps", "planspec.step.duration"):
        assert (added(name, **good), added(name, **bad)) == (1, 1)
    assert added("planspec.llm.calls") == 4
    kinds = [added("planspec.tokens", gen_ai__token__type=kind) for kind in ("input", "output")]
    assert (kinds, added("planspec.tokens")) == ([5, 6], 9)
    assert added("planspec.cost") == 0.5


# ---------------------------------------------------------------- programs


def test_a_program_gets_the_span_of_its_step(traced: Traced, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEPARENT", "stale")
    monkeypatch.setenv("TRACESTATE", "stale=1")
    script = """
import json, os
print(json.dumps({"status": "OK", "result": os.environ["TRACEPARENT"] + "|" + os.environ["TRACESTATE"]}))
"""
    operator = model_operator(program_model(Program([sys.executable, "-c", script])))
    done = ThinkEngine(plan("1. [act] a"), operator).run()
    (step,) = traced.find("step act")
    assert step.context is not None
    assert (
        done.plan.steps[0].result
        == f"00-{step.context.trace_id:032x}-{step.context.span_id:016x}-{step.context.trace_flags:02x}|"
    )


def test_a_program_gets_what_there_is_or_what_it_is_set_up_with(
    traced: Traced, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEPARENT", "theirs")
    assert (trace_environment(), traced.spans()) == ({}, ())
    assert Program(["sh", "-c", "echo $TRACEPARENT"])("") == "theirs\n"
    with trace.get_tracer("app").start_as_current_span("request"):
        assert Program(["sh", "-c", "echo $TRACEPARENT"], env={"TRACEPARENT": "own"})("") == "own\n"


# ---------------------------------------------------------------- tool plans and planners


ATOMS = {"weigh": {"outputs": {"kg": "number"}}, "sell": {"inputs": {"kg": "number"}}}


def tools() -> ToolPlan:
    steps = [
        {"id": "weigh", "step_id": "w", "target": "", "inputs": {}},
        {"id": "sell", "step_id": "s", "target": "", "inputs": {"kg": "${w.outputs.kg}"}},
    ]
    return tool_plan_from_dict({"target": "", "plan": {"steps": steps}})


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_plan(traced: Traced, is_async: bool) -> None:
    seen = []

    def call(atom: str, _: dict[str, Any]) -> dict[str, Any]:
        seen.append(at_hand())
        if atom == "sell":
            raise ValueError("secret")
        return {"kg": 3}

    async def acall(atom: str, inputs: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return call(atom, inputs)

    done = asyncio.run(arun_toolplan(tools(), ATOMS, acall)) if is_async else run_toolplan(tools(), ATOMS, call)
    assert not done.is_done
    assert [name for name, _ in traced.children()] == ["execute_tool weigh", "execute_tool sell"]
    _, sold = traced.children()[1]
    assert sold == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "sell",
        "planspec.run.id": "toolplan",
        "planspec.step.id": "s",
        "planspec.step.type": "tool",
        "planspec.step.status": "FAIL",
        "error.type": "FAIL",
    }
    own = [span.context.span_id for span in traced.spans() if span.name.startswith("execute")]
    assert seen == own
    run = traced.run()
    assert ((run.attributes or {})["planspec.run.outcome"], run.status.status_code) == ("failed", StatusCode.ERROR)
    assert "secret" not in "".join(span.to_json() for span in traced.spans())


def test_a_tool_that_interrupts(traced: Traced) -> None:
    def call(_atom: str, _inputs: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    run_toolplan(tools(), ATOMS, {}, dry_run=True)
    assert traced.spans() == ()
    with pytest.raises(KeyboardInterrupt):
        run_toolplan(tools(), ATOMS, call)
    assert steps_of(traced, "planspec.step.status") == ["interrupted"]
    assert (traced.run().attributes or {})["error.type"] == "KeyboardInterrupt"


def test_a_planner(traced: Traced, tmp_path: Path) -> None:
    create_state(tmp_path, start_context("mend it"))
    seen, plans = [], ["no message", execute("run it")]

    def decide(_context: Context, _refusal: object) -> str:
        seen.append(at_hand())
        return plans.pop(0)

    def work(_: Context) -> str:
        seen.append(at_hand())
        return returned("secret")

    Runtime(tmp_path, decide, work).run()
    assert [name for name, _ in traced.children()] == ["plan", "plan", "step block", "step block"]
    assert seen == [span.context.span_id for span in traced.spans()[:-1] if span.context is not None]
    (_, asked), _, (_, block), _ = traced.children()
    assert asked == {"gen_ai.operation.name": "plan"}
    assert (block["planspec.step.id"], block["planspec.step.status"]) == ("1", "OK")
    assert "planspec.step.attempt" not in block
    run = traced.run()
    assert (run.attributes or {})["planspec.run.kind"] == "planner"
    assert (run.attributes or {})["planspec.run.outcome"] == "done"
    assert "secret" not in "".join(span.to_json() for span in traced.spans())


def test_a_planner_that_raises(traced: Traced, tmp_path: Path) -> None:
    create_state(tmp_path, start_context("mend it"))

    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Runtime(tmp_path, stop, stop).run()
    (asked,) = traced.find("plan")
    assert (asked.attributes or {})["error.type"] in ("KeyboardInterrupt", "interrupted")
    assert (traced.run().attributes or {})["error.type"] == "KeyboardInterrupt"


def test_what_sets_it_up_when_it_is_used_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_PYTHON_TRACER_PROVIDER", "sdk_tracer_provider")
    code = """
import sys
from planspec_lark.runs.telemetry import telling
from logging import getLogger
with telling(getLogger("x"), "r", "plan") as told:
    print(told._start is not None, "opentelemetry" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"
