"""Runs that go on: what is done is not done again, whatever has happened to the process before."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.runs import Ledger, LedgerError, MemoryLedger, Record, RecordKind, RunInfo, SqliteLedger
from planspec_lark.runs.lease import hold_lease
from planspec_lark.runs.ledger import RunBusyError
from planspec_lark.tool_runner import ToolRun, arun_toolplan, run_toolplan
from planspec_lark.toolplan import ToolPlan, tool_plan_from_dict
from tests.toolplan.plans import ATOMS, bake, document, weigh

DOCUMENT = document(
    weigh("a"),
    weigh("b", "oat"),
    bake("c", "${a.outputs.weight}"),
    bake("d", "${b.outputs.note}, ${c.outputs.loaf}"),
    outputs={"bread": "${d.outputs.loaf}"},
)
PLAN = tool_plan_from_dict(DOCUMENT)


def records(path: Path) -> list[Record]:
    with closing(SqliteLedger(path, read_only=True)) as ledger:
        return list(ledger.records("toolplan"))


def done_steps(path: Path) -> list[str]:
    return [one.step for one in records(path) if one.kind is RecordKind.DONE]


def edit(path: Path, statement: str, *values: Any) -> None:
    """Change the file of a ledger against its rules."""
    with closing(sqlite3.connect(path)) as base, base:
        assert base.execute(statement, values).rowcount


def work(atom_id: str, inputs: dict[str, Any]) -> dict[str, Any]:
    said = str(inputs.get("item", inputs.get("dough")))
    return {"loaf": f"<{said}>"} if atom_id == "bake" else {"weight": len(said), "note": f"{said}!"}


def test_an_id_that_no_ledger_can_hold_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\Arun_id: the character U\+D800 cannot be written as UTF-8\Z"):
        run(tmp_path / "ledger", run_id="\ud800")
    assert not (tmp_path / "ledger").exists()


def run(path: Path | Ledger, plan: ToolPlan = PLAN, atoms: Any = ATOMS, **options: Any) -> tuple[list[str], ToolRun]:
    """The steps that were called, and what came of all."""
    called: list[str] = []
    lock = threading.Lock()

    def call(atom_id: str, inputs: dict[str, Any]) -> dict[str, Any]:
        with lock:
            called.append(str(inputs.get("item", inputs.get("dough"))))
        return work(atom_id, inputs)

    done = run_toolplan(plan, atoms, call, ledger=path, **options)
    return called, done


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.ledger"


def test_nothing_is_done_twice(path: Path) -> None:
    called, first = run(path, jobs=1)
    assert called == ["rye", "oat", "3", "oat!, <3>"]
    told = records(path)
    assert [(one.kind.value, one.step, one.data.get("description")) for one in told] == [
        ("begun", "", "Bread"),
        ("started", "a", "weigh"),
        ("done", "a", "weigh"),
        ("started", "b", "weigh"),
        ("done", "b", "weigh"),
        ("started", "c", "bake"),
        ("done", "c", "bake"),
        ("started", "d", "bake"),
        ("done", "d", "bake"),
        ("ended", "", None),
    ]
    assert [one.hash for one in told[1:-1:2]] == [one.hash for one in told[2::2]]
    assert len({one.hash for one in told}) == 5
    called, second = run(path)
    assert called == []
    assert second.outputs == first.outputs == {"bread": "<oat!, <3>>"}
    assert [one.is_reused for one in second.results] == [True] * 4
    assert [(one.started, one.seconds) for one in second.results] == [
        (one.started, one.seconds) for one in first.results
    ]
    now = records(path)
    assert (now[:-2], [one.kind for one in now[-2:]]) == (told, [RecordKind.RESUMED, RecordKind.ENDED])
    assert sorted(one.name for one in path.parent.iterdir()) == ["run.ledger"]


@pytest.mark.parametrize(
    ("at", "change", "again"),
    [
        (0, {"inputs": {"item": "spelt"}}, ["spelt", "5", "oat!, <5>"]),
        # Its output is the same, but it may have done something else as well.
        (0, {"inputs": {"item": "rhy"}}, ["rhy", "3", "oat!, <3>"]),
        (0, {"id": "weigh again"}, ["rye", "3", "oat!, <3>"]),
        (0, {"step_id": "e"}, ["rye", "3", "oat!, <3>"]),
        # Of this a tool learns nothing.
        (0, {"target": "Weigh it well"}, []),
        (3, {"depends_on": ["b", "c"]}, []),
        (2, {"id": "bake", "retries": 1}, []),
        (0, {}, []),
    ],
)
def test_what_was_edited_is_done_again(path: Path, at: int, change: dict[str, Any], again: list[str]) -> None:
    run(path)
    steps = [dict(one) for one in DOCUMENT["plan"]["steps"]]
    steps[at].update(change)
    if change.get("step_id"):
        steps[2] = bake("c", "${e.outputs.weight}")
    atoms = [*ATOMS, {**ATOMS[0], "id": "weigh again"}]
    called, done = run(path, tool_plan_from_dict(document(*steps)), atoms, jobs=1)
    assert called == again
    assert done.is_done
    assert run(path, tool_plan_from_dict(document(*steps)), atoms)[0] == []


def test_what_comes_after_is_done_after(path: Path) -> None:
    """A step that only waits for another one is done again after that one, even if the run ends in between."""

    def plan(item: str, *more: str) -> ToolPlan:
        return tool_plan_from_dict(
            document(
                weigh("a", item),
                weigh("b", "oat", depends_on=["a", *more]),
                weigh("c", "bean", depends_on=["b"]),
                weigh("d", "pea"),
            )
        )

    def stop(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs["item"] == "oat":
            raise KeyboardInterrupt
        return work("weigh", inputs)

    assert run(path, plan("rye"), jobs=1)[0] == ["rye", "oat", "bean", "pea"]
    with pytest.raises(KeyboardInterrupt):
        run_toolplan(plan("spelt"), ATOMS, stop, ledger=path, jobs=1)
    assert [one.is_reused for one in run(path, plan("spelt"), dry_run=True)[1].results] == [True, False, False, True]
    assert run(path, plan("spelt"), jobs=1)[0] == ["oat", "bean"]
    assert run(path, plan("spelt"), jobs=1)[0] == []
    # What was done longer ago is still known, and nothing has happened to it since.
    assert run(path, plan("rye"), jobs=1)[0] == []
    # Another step to wait for, which was done later.
    assert run(path, plan("rye", "d"), jobs=1)[0] == []
    assert run(path, tool_plan_from_dict(document(weigh("d", "bean"), weigh("a"))), jobs=1)[0] == ["bean"]


def test_a_step_that_has_to_put_out_more(path: Path) -> None:
    """What was done before more was asked for is done again, as it will never be there otherwise."""
    plan = tool_plan_from_dict(document(weigh("a"), weigh("b", "${a.outputs.scale}")))
    unknown = {"weigh": {"inputs": {"item": {}}, "outputs": 5}}
    declared = {"weigh": {"inputs": {"item": {}}, "outputs": {"scale": "integer", "note": "string"}}}
    for registry, tool, called in (
        (unknown, {"weight": 3}, ["rye"]),
        (unknown, {"weight": 3, "scale": "old"}, ["rye", "old"]),
        (unknown, {"weight": 3}, []),
        (declared, {"scale": "new", "note": ""}, ["rye", "new"]),
    ):
        calls: list[Any] = []

        def call(inputs: dict[str, Any], calls: list[Any] = calls, tool: dict[str, Any] = tool) -> dict[str, Any]:
            calls.append(inputs["item"])
            return tool

        done = run_toolplan(plan, registry, {"weigh": call}, ledger=path)
        assert calls == called
    assert done.is_done
    assert done.results[0].warnings == ("output 'scale' is of type integer, not string",)
    assert run_toolplan(plan, registry, {"weigh": call}, ledger=path).results[0].warnings == done.results[0].warnings


def test_steps_that_are_alike_are_each_done(path: Path) -> None:
    plan = tool_plan_from_dict(document(weigh(), weigh()))
    assert run(path, plan)[0] == ["rye", "rye"]
    edit(path, "DELETE FROM records WHERE seq > 4")
    assert [one.step for one in run(path, plan)[1].results if not one.is_reused] == ["1"]


def test_a_failed_step_is_tried_again(path: Path) -> None:
    def fail(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs.get("item") == "oat":
            raise ValueError("burnt")
        return work(_, inputs)

    assert not run_toolplan(PLAN, ATOMS, fail, ledger=path).is_done
    told = {one.kind: one for one in records(path)}
    assert (told[RecordKind.FAILED].step, told[RecordKind.FAILED].data["result"]) == ("b", "ValueError: burnt")
    assert (told[RecordKind.SKIPPED].step, told[RecordKind.SKIPPED].data["result"]) == (
        "d",
        "it depends on step 'b', which has failed",
    )
    assert told[RecordKind.ENDED].data == {"outcome": "failed", "reason": "2 of 4 steps are not done"}
    called, done = run(path, jobs=1)
    assert (called, done.is_done) == (["oat", "oat!, <3>"], True)


def test_a_dry_run_says_what_is_left(path: Path) -> None:
    assert {one.status.value for one in run(path, dry_run=True)[1].results} == {"planned"}
    assert not path.exists()
    run(path)
    edit(path, "UPDATE records SET kind = 'rerun' WHERE step = 'c'")
    before = path.read_bytes()
    called, done = run(path, dry_run=True)
    assert called == []
    assert [(one.status.value, one.inputs) for one in done.results] == [
        ("done", None),
        ("done", None),
        ("planned", {"dough": 3}),
        ("planned", {"dough": "oat!, ${c.outputs.loaf}"}),
    ]
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["run.ledger"]


# ---------------------------------------------------------------- values


def test_what_goes_on_is_what_the_ledger_says(path: Path) -> None:
    taken = []

    def bake_it(inputs: dict[str, Any]) -> dict[str, Any]:
        taken.append(inputs["dough"])
        return {"loaf": "\ud800\u2028"}

    plan = tool_plan_from_dict(document(weigh("a"), bake("b", "${a.outputs.weight}"), bake("c", "${b.outputs.loaf}")))
    calls: Any = {"weigh": lambda _: {"weight": [(1, 2.0), {3: None}], "note": ""}, "bake": bake_it}
    first = run_toolplan(plan, ATOMS, calls, ledger=path)
    assert taken == [[[1, 2.0], {"3": None}], "\ud800\u2028"]
    assert [one.outputs for one in run(path, plan)[1].results] == [one.outputs for one in first.results]


@pytest.mark.parametrize("value", [{1, 2}, float("inf"), 10**5000], ids=["set", "infinity", "long"])
def test_outputs_that_no_ledger_can_hold(path: Path, value: Any) -> None:
    plan = tool_plan_from_dict(document(weigh("a")))
    calls: Any = {"weigh": lambda _: {"weight": value, "note": ""}}
    assert run_toolplan(plan, ATOMS, calls).is_done
    (result,) = run_toolplan(plan, ATOMS, calls, ledger=path).results
    assert result.error.startswith("the ledger cannot hold its outputs: ")
    assert run(path, plan)[0] == ["rye"]


def test_inputs_that_no_ledger_can_hold(path: Path) -> None:
    plan = tool_plan_from_dict(document(weigh("a", rest={1, 2}) | {"inputs": {"item": "x", "rest": {1, 2}}}))
    (result,) = run_toolplan(plan, ATOMS, work, ledger=path).results
    assert result.error == "its inputs: the ledger cannot hold them: Object of type set is not JSON serializable"


# ---------------------------------------------------------------- what a crash leaves


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE records SET kind = 'x' WHERE seq = 3",
        "UPDATE records SET data = json_set(data, '$.started', 'nan') WHERE seq = 3",
        "UPDATE records SET data = json_set(data, '$.names', 5) WHERE seq = 3",
        'UPDATE records SET data = json_set(data, \'$.names\', json(\'["weight", "note", "x"]\')) WHERE seq = 3',
        "UPDATE records SET data = '{}' WHERE seq = 1",
        "UPDATE outputs SET value = '[' WHERE seq = 3",
        "DELETE FROM outputs WHERE seq = 3",
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_records_that_no_run_writes(path: Path, change: str, dry_run: bool) -> None:
    run(path, jobs=1)
    edit(path, change)
    with closing(sqlite3.connect(path)) as base:
        before = base.execute("SELECT * FROM records").fetchall()
    refused = (
        r"not a ledger of plans|these are not records of a tool plan|output \w+ of record 3 .* is missing: put back"
    )
    with pytest.raises(LedgerError, match=refused) as error:
        run(path, dry_run=dry_run)
    assert "\n" not in str(error.value)
    with closing(sqlite3.connect(path)) as base:
        # A fault of a step that is done is found when its turn comes.
        assert base.execute("SELECT * FROM records").fetchall()[: len(before)] == before


def test_a_run_of_something_else(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        ledger.begin(RunInfo("toolplan", 1.0))
        ledger.append("toolplan", Record(RecordKind.BEGUN, plan="# Goal: x\n"), after=0)
    with pytest.raises(LedgerError, match=r"^run toolplan: these are not records of a tool plan$"):
        run(path)
    assert len(records(path)) == 1
    # It may have a run beside that one.
    assert run(path, run_id="bread")[1].is_done
    assert run(path, run_id="bread")[0] == []


def test_a_ledger_that_is_given(path: Path) -> None:
    """It stays open, and runs of other names are nothing to each other."""
    ledger = MemoryLedger()
    assert run(ledger)[1].is_done
    assert run(ledger)[0] == []
    assert len(run(ledger, run_id="other")[0]) == 4
    assert [one.run for one in ledger.runs()] == ["toolplan", "other"]
    assert not path.exists()


def test_one_run_at_a_time(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger, hold_lease(ledger, "toolplan"):
        with pytest.raises(RunBusyError, match="another process is working on run toolplan"):
            run(path)
        assert list(ledger.records("toolplan")) == []
        assert run(path, dry_run=True)[1].results
    assert run(path)[1].is_done


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_kept", [False, True])
def test_an_interrupt_at_a_record(monkeypatch: pytest.MonkeyPatch, is_async: bool, is_kept: bool) -> None:
    """What has ended and is not written yet is written then, and so is all that ends meanwhile."""
    ledger, interrupts = MemoryLedger(), [KeyboardInterrupt()]
    real = MemoryLedger.append

    def append(self: MemoryLedger, run: str, *records: Record, after: int) -> Record:
        if interrupts and any(record.kind is RecordKind.DONE for record in records):
            if is_kept:
                real(self, run, *records, after=after)
            raise interrupts.pop()
        return real(self, run, *records, after=after)

    def call(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.1 if inputs["item"] == "late" else 0)
        return work("weigh", inputs)

    plan = tool_plan_from_dict(document(weigh("a"), weigh("b", "late")))

    def give_up() -> ToolRun:
        if is_async:
            return asyncio.run(arun_toolplan(plan, ATOMS, call, ledger=ledger))
        return run_toolplan(plan, ATOMS, call, ledger=ledger)

    monkeypatch.setattr(MemoryLedger, "append", append)
    with pytest.raises(KeyboardInterrupt):
        give_up()
    assert run(ledger, plan)[0] == []


def test_a_run_that_is_cancelled(path: Path) -> None:
    """What is at work in a thread is waited for and kept; a coroutine is cancelled."""
    ended = []

    async def main() -> None:
        begun, both = asyncio.Event(), threading.Event()

        def in_thread(inputs: dict[str, Any]) -> dict[str, Any]:
            assert both.wait(60)
            time.sleep(0.05)
            return work("weigh", inputs)

        async def forever(_: dict[str, Any]) -> dict[str, Any]:
            both.set()
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("cancelled")
            return {}

        plan = tool_plan_from_dict(document(weigh("a"), bake("b")))
        run = asyncio.create_task(arun_toolplan(plan, ATOMS, {"weigh": in_thread, "bake": forever}, ledger=path))
        await begun.wait()
        run.cancel()
        await run

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert ended == ["cancelled"]
    assert done_steps(path) == ["a"]
