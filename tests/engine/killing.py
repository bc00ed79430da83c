"""A plan that is run in processes of its own, which die at any point: ``python -m tests.engine.killing``.

That process reads requests, a line of JSON each, forks for each of them, and answers with how the child has ended. Who
works for the engine here answers the same to the same question, whatever happened before. What a process has written
outlives it, so children do not wait for the disk.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from pathlib import Path

from attrs import field, frozen

from planspec_lark import PlanFile
from planspec_lark.document import PlanBusyError
from planspec_lark.engine import (
    HopStatus,
    OperatorResult,
    PlanningCall,
    PlanningPurpose,
    Question,
    ReflectionCall,
    RunResult,
    StepCall,
    ThinkEngine,
)
from tests.engine.worlds import chosen, failed, lacking, ok
from tests.plan_next.killing import Points

__all__ = ["LOCKED", "PLAN", "Log", "Request", "begin", "count_points", "run_plan", "serve"]

# How a child ends that finds another one at work.
LOCKED = 3

PLAN = """\
Goal: A well
## Steps
1. [act] measure → depth
2. [subtask] dig → hole
  2.1. [act] fetch a spade → spade
  2.2. [act] loosen the ground
    > ← spade
  2.3. [act] dig deep → hole
  2.4. [reason] is it deep → verdict
    > ← hole, depth
  2.5. [act] carry the ground away
3. [decide] what ground → ground
  3.1. [act] sand: line it → lining
  3.2. [subtask] rock: blast it → lining
    3.2.1. [act] drill
    3.2.2. [act] set fire → lining
    3.2.3. [act] clear up
  3.3. [act] clay: nothing
4. [subtask] lay rings → rings | Progress: 0/3
  4.1. [act] lift a ring → ring
  4.2. [act] set it → rings
    > ← ring
  4.3. [act] seal it
  4.4. [reason] is it straight
5. [act] ask for the pump → pump
6. [subtask] build the house
7. [act] mount it
  > ← pump, lining
8. [subtask] fill up | Progress: 0/2
9. [reason] look at it
"""


def operate(call: StepCall) -> OperatorResult:
    """An operator that fails now and then."""
    step, text = call.step, call.step.description
    if text == "loosen the ground" and call.attempt == 1:
        return failed("the spade broke")
    if text == "dig deep" and call.attempt < 3:
        raise OSError("water")
    if text == "is it deep":
        return OperatorResult(HopStatus.UNCERTAIN, "rather", {"verdict": sorted(call.inputs)})
    if step.step_type == "decide":
        return chosen("3.2" if call.attempt > 1 else "3.7", "rock", ground="rock")
    if text == "ask for the pump" and not any(event.kind.value == "told" for event in call.history):
        return lacking("which pump?")
    if text == "look at it" and call.attempt == 1:
        return failed("it leaks")
    return ok(f"{text}: done", **{name: [text, call.attempt, step.done_count] for name in step.outputs})


def reflect(call: ReflectionCall) -> str:
    """A reflector that has to be told twice."""
    text = call.step.description
    if call.refusal is None:
        return "I would rather not."
    return {
        "loosen the ground": f"RETRY\nPLAN_CMD: ADD {call.step.step_id} [act] mend the spade → spade",
        "dig deep": "RETRY",
        "is it deep": "ACCEPT | deep enough",
        "what ground": "RETRY | look again",
        "ask for the pump": "INTERACT",
        "look at it": f"PLAN_CMD: SKIP {call.step.step_id} | not now",
    }[text]


def write(call: PlanningCall) -> str:
    """A planner."""
    if call.purpose is PlanningPurpose.CHILDREN:
        reason = call.reason or "first"
        return f"## Steps\n1. [act] walls, {reason}\n2. [act] roof → roof\n" if call.refusal else "no"
    if "tidy up" not in call.plan_state:
        added = "PLAN_CMD: ADD 10 [act] tidy up → order"
        return f"PLAN_CMD: REPLAN 6 | higher\n{added}\nPLAN_CMD: REVISE 9 [reason] look at it"
    return ""


def reply(_: Question) -> str:
    """Somebody."""
    return "the red one"


@frozen
class Log:
    """What the operator was asked for."""

    path: Path
    hangs: bool = False

    def operate(self, call: StepCall) -> OperatorResult:
        """As :func:`operate`, and write down when it begins and when it ends."""
        key = call.key.partition(":")[2]
        self._write(f"start {key}")
        while self.hangs:
            time.sleep(0.01)
        try:
            return operate(call)
        finally:
            self._write(f"end {key}")

    def _write(self, line: str) -> None:
        with self.path.open("a") as file:
            file.write(f"{line}\n")


def begin(folder: Path) -> Path:
    """A folder with the plan."""
    folder.mkdir(exist_ok=True)
    (folder / "plan").write_text(PLAN)
    return folder / "plan"


def run_plan(path: Path, log: Log) -> RunResult:
    """Run the plan to its end, or go on with that."""
    engine = ThinkEngine(
        PlanFile(path, wait=0), log.operate, reflect, write, ask=reply, required=["order"], view_pause=0
    )
    ledger = path.with_name("plan.ledger")
    resume = False
    if ledger.exists() and ledger.stat().st_size:
        with sqlite3.connect(ledger) as base:
            names = {name for (name,) in base.execute("SELECT name FROM sqlite_schema")}
            resume = "runs" in names and base.execute("SELECT count(*) FROM runs").fetchone()[0] > 0
        base.close()
    return engine.run(resume=resume)


def count_points(folder: Path) -> tuple[RunResult, int]:
    """Run the plan in this process, and count the points."""
    import pytest

    points = Points()
    with pytest.MonkeyPatch.context() as patch:
        points.take_over(patch.setattr)
        return run_plan(begin(folder), Log(folder / "log")), points.count


# ---------------------------------------------------------------- children


@frozen
class Request:
    """A run that is asked for.

    Attributes:
        folder: of the plan.
        dies_at: the number of the point to die at.
        processes: how many run at once.
        hangs: whether the operator never ends; the first process is killed after a second then.
    """

    folder: str
    dies_at: int | None = field(default=None, kw_only=True)
    processes: int = field(default=1, kw_only=True)
    hangs: bool = field(default=False, kw_only=True)


def serve() -> None:
    """Answer each line of standard input with the list of exit codes, negative for a signal."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        # What is loaded once, children find loaded.
        count_points(Path(folder) / "warm")
    for line in sys.stdin:
        request = Request(**json.loads(line))
        children = [_fork(request) for _ in range(request.processes)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(codes), flush=True)


def _fork(request: Request) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        Points(request.dies_at).take_over()
        folder = Path(request.folder)
        run_plan(folder / "plan", Log(folder / "log", request.hangs))
        code = 0
    except PlanBusyError:
        code = LOCKED
    finally:
        if code == 1:
            import traceback

            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
