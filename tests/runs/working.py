"""A process that goes on with a run, of each kind, in a ledger: ``python -m tests.runs.working KIND LEDGER FOLDER``.

It notes in the folder what it begins and what it has done, before anything else learns of it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planspec_lark import serialize_plan
from planspec_lark.engine import OperatorResult, StepCall, ThinkEngine
from planspec_lark.plan_next import Context, start_context
from planspec_lark.planner import Runtime, create_state, read_state
from planspec_lark.runs import Ledger, PostgresLedger, SqliteLedger
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import tool_plan_from_dict
from tests.engine.worlds import plan
from tests.plan_next.turns import execute, returned
from tests.toolplan.plans import ATOMS, document, weigh

__all__ = ["BEGIN", "GO_ON", "open_ledger"]

UNITS = 8
PLAN = "1. [act] step 1 → v1\n" + "".join(
    f"{number}. [act] step {number} → v{number}\n  > ← v{number - 1}\n" for number in range(2, UNITS + 1)
)
# So long takes what is done (seconds).
WORK = 0.03

Note = Callable[[str], None]


def open_ledger(address: str) -> Ledger:
    """The ledger of a database, or of a file."""
    return PostgresLedger(address) if "://" in address else SqliteLedger(address)


def _do(note: Note, unit: object) -> None:
    note(f"begin {unit}")
    time.sleep(WORK)
    note(f"end {unit}")


# ---------------------------------------------------------------- a plan


def _begin_plan(ledger: Ledger, _: Path) -> None:
    ThinkEngine(plan(PLAN), lambda _: OperatorResult("OK"), ledger=ledger, run_id="r").begin()


def _run_plan(ledger: Ledger, _: Path, note: Note) -> Any:
    def operate(call: StepCall) -> OperatorResult:
        _do(note, call.key)
        given = dict(call.inputs)
        return OperatorResult("OK", f"of {given}", {name: f"{name} {[*given]}" for name in call.step.outputs})

    result = ThinkEngine(None, operate, ledger=ledger, run_id="r").run(resume=True)
    return result.outcome.value, serialize_plan(result.plan), dict(result.outputs)


# ---------------------------------------------------------------- a planner's plan


def _begin_planner(ledger: Ledger, folder: Path) -> None:
    create_state(
        folder / "state",
        start_context("bake", [f"item {number}" for number in range(UNITS)]),
        ledger=ledger,
        run_id="r",
    )


def _run_planner(ledger: Ledger, folder: Path, note: Note) -> Any:
    def planner(context: Context, _: object) -> str:
        done = len(context.think.done)
        return execute(f"item {done}", f"shell: make {done}")

    def executor(context: Context) -> str:
        _do(note, context.revision)
        return returned({"made": context.revision})

    Runtime(folder / "state", planner, executor, ledger=ledger, run_id="r").run()
    return str(read_state(folder / "state", ledger=ledger, run_id="r"))


# ---------------------------------------------------------------- a tool plan


def _begin_tools(_: Ledger, __: Path) -> None:
    """Nothing has to be there."""


def _run_tools(ledger: Ledger, _: Path, note: Note) -> Any:
    given = [weigh(f"s{number}", f"item {number}") for number in range(UNITS)]

    def call(atom: str, inputs: dict[str, Any]) -> dict[str, Any]:
        _do(note, inputs["item"])
        return {"weight": 3, "note": f"{atom} of {inputs['item']}"}

    tool_plan = tool_plan_from_dict(document(*given, outputs={"last": f"${{s{UNITS - 1}.outputs.note}}"}))
    done = run_toolplan(tool_plan, ATOMS, call, ledger=ledger, run_id="r", jobs=1)
    return done.outputs, [(one.step, one.status, one.outputs) for one in done.results]


BEGIN: dict[str, Callable[[Ledger, Path], None]] = {
    "plan": _begin_plan,
    "planner": _begin_planner,
    "tools": _begin_tools,
}
GO_ON: dict[str, Callable[[Ledger, Path, Note], Any]] = {
    "plan": _run_plan,
    "planner": _run_planner,
    "tools": _run_tools,
}


def _main(kind: str, address: str, folder: Path) -> None:
    with (folder / "notes").open("a") as notes:

        def note(line: str) -> None:
            notes.write(f"{os.getpid()} {line}\n")
            notes.flush()

        GO_ON[kind](open_ledger(address), folder, note)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
