"""Runs that go on: what is done is not done again, whatever has happened to the process before."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.locks import locked
from planspec_lark.tool_runner import ToolRun, ToolRunError, arun_toolplan, journal as module, run_toolplan
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
HEADER = '{"journal": "tool plan", "version": 1}\n'


def line_with(**fields: Any) -> str:
    """A journal with these fields in its only line, and something else behind it."""
    line = {"key": "k", "status": "done", "outputs": {}, "warnings": [], "started": 1, "seconds": 1, **fields}
    return f"{HEADER}{json.dumps(line)}\nx\ny\n"


def work(atom_id: str, inputs: dict[str, Any]) -> dict[str, Any]:
    said = str(inputs.get("item", inputs.get("dough")))
    return {"loaf": f"<{said}>"} if atom_id == "bake" else {"weight": len(said), "note": f"{said}!"}


def run(path: Path, plan: ToolPlan = PLAN, atoms: Any = ATOMS, **options: Any) -> tuple[list[str], ToolRun]:
    """The steps that were called, and what came of all."""
    called: list[str] = []
    lock = threading.Lock()

    def call(atom_id: str, inputs: dict[str, Any]) -> dict[str, Any]:
        with lock:
            called.append(str(inputs.get("item", inputs.get("dough"))))
        return work(atom_id, inputs)

    done = run_toolplan(plan, atoms, call, journal=path, **options)
    return called, done


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def test_nothing_is_done_twice(path: Path) -> None:
    called, first = run(path, jobs=1)
    assert called == ["rye", "oat", "3", "oat!, <3>"]
    lines = path.read_text().splitlines(keepends=True)
    assert lines[0] == HEADER
    assert [(one["step"], one["atom"], one["status"]) for one in map(json.loads, lines[1:])] == [
        ("a", "weigh", "done"),
        ("b", "weigh", "done"),
        ("c", "bake", "done"),
        ("d", "bake", "done"),
    ]
    called, second = run(path)
    assert called == []
    assert second.outputs == first.outputs == {"bread": "<oat!, <3>>"}
    assert [one.is_reused for one in second.results] == [True] * 4
    assert [(one.started, one.seconds) for one in second.results] == [
        (one.started, one.seconds) for one in first.results
    ]
    assert path.read_text().splitlines(keepends=True) == lines


@pytest.mark.parametrize(
    ("at", "change", "again"),
    [
        (0, {"inputs": {"item": "spelt"}}, ["spelt", "5", "oat!, <5>"]),
        # Its output is the same, but it may have done something else as well.
        (0, {"inputs": {"item": "rhy"}}, ["rhy", "3", "oat!, <3>"]),
        (0, {"id": "weigh again"}, ["rye", "3", "oat!, <3>"]),
        (0, {"step_id": "e"}, ["rye", "3", "oat!, <3>"]),
        (1, {"inputs": {"item": "teff"}}, ["teff", "teff!, <3>"]),
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
        run_toolplan(plan("spelt"), ATOMS, stop, journal=path, jobs=1)
    assert [one.is_reused for one in run(path, plan("spelt"), dry_run=True)[1].results] == [True, False, False, True]
    assert run(path, plan("spelt"), jobs=1)[0] == ["oat", "bean"]
    assert run(path, plan("spelt"), jobs=1)[0] == []
    # What was done longer ago is still known, and nothing has happened to it since.
    assert run(path, plan("rye"), jobs=1)[0] == []
    # Another step to wait for, which was done later.
    assert run(path, plan("rye", "d"), jobs=1)[0] == []
    assert run(path, tool_plan_from_dict(document(weigh("d", "bean"), weigh("a"))), jobs=1)[0] == ["bean"]


def test_a_step_to_wait_for_that_was_done_later(path: Path) -> None:
    run(path, tool_plan_from_dict(document(weigh("a"), weigh("b", "oat"))), jobs=1)
    assert run(path, tool_plan_from_dict(document(weigh("a", depends_on=["b"]), weigh("b", "oat"))))[0] == ["rye"]


def test_a_dry_run_knows_what_will_be_done_again(path: Path) -> None:
    def plan(item: str) -> ToolPlan:
        return tool_plan_from_dict(document(weigh("a", item), weigh("b", depends_on=["a"])))

    run(path, plan("rye"))
    done = run(path, plan("oat"), dry_run=True)[1]
    assert [(one.status.value, one.inputs) for one in done.results] == [
        ("planned", {"item": "oat"}),
        ("planned", {"item": "rye"}),
    ]


def test_a_step_that_has_to_put_out_more(path: Path) -> None:
    """What was done before somebody has asked for more is done again, as it will never be there otherwise."""
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

        done = run_toolplan(plan, registry, {"weigh": call}, journal=path)
        assert calls == called
    assert done.is_done
    assert done.results[0].warnings == ("output 'scale' is of type integer, not string",)
    assert run_toolplan(plan, registry, {"weigh": call}, journal=path).results[0].warnings == done.results[0].warnings


def test_steps_that_are_alike_are_each_done(path: Path) -> None:
    plan = tool_plan_from_dict(document(weigh(), weigh()))
    assert run(path, plan)[0] == ["rye", "rye"]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert run(path, plan)[0] == ["rye"]


def test_a_failed_step_is_tried_again(path: Path) -> None:
    def fail(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs.get("item") == "oat":
            raise ValueError("burnt")
        return work(_, inputs)

    assert not run_toolplan(PLAN, ATOMS, fail, journal=path).is_done
    failed = [one for one in map(json.loads, path.read_text().splitlines()[1:]) if one["status"] == "failed"]
    assert [(one["step"], one["error"], one["outputs"]) for one in failed] == [("b", "ValueError: burnt", {})]
    called, done = run(path, jobs=1)
    assert (called, done.is_done) == (["oat", "oat!, <3>"], True)


def test_a_dry_run_says_what_is_left(path: Path) -> None:
    assert {one.status.value for one in run(path, dry_run=True)[1].results} == {"planned"}
    assert not path.exists()
    run(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(one for one in lines if b'"step": "c"' not in one))
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
    assert sorted(one.name for one in path.parent.iterdir()) == ["run.jsonl", "run.jsonl.lock"]


# ---------------------------------------------------------------- values


def test_what_goes_on_is_what_the_journal_says(path: Path) -> None:
    taken = []

    def bake_it(inputs: dict[str, Any]) -> dict[str, Any]:
        taken.append(inputs["dough"])
        return {"loaf": "\ud800\u2028"}

    plan = tool_plan_from_dict(document(weigh("a"), bake("b", "${a.outputs.weight}"), bake("c", "${b.outputs.loaf}")))
    calls: Any = {"weigh": lambda _: {"weight": [(1, 2.0), {3: None}], "note": ""}, "bake": bake_it}
    first = run_toolplan(plan, ATOMS, calls, journal=path)
    assert taken == [[[1, 2.0], {"3": None}], "\ud800\u2028"]
    assert path.read_bytes().isascii()
    assert [one.outputs for one in run(path, plan)[1].results] == [one.outputs for one in first.results]


@pytest.mark.parametrize("value", [{1, 2}, float("inf"), b"x", 10**5000], ids=["set", "infinity", "bytes", "long"])
def test_outputs_that_no_journal_can_hold(path: Path, value: Any) -> None:
    plan = tool_plan_from_dict(document(weigh("a")))
    calls: Any = {"weigh": lambda _: {"weight": value, "note": ""}}
    assert run_toolplan(plan, ATOMS, calls).is_done
    (result,) = run_toolplan(plan, ATOMS, calls, journal=path).results
    assert result.error.startswith("the journal cannot hold its outputs: ")
    assert run(path, plan)[0] == ["rye"]


def test_inputs_that_no_journal_can_hold(path: Path) -> None:
    plan = tool_plan_from_dict(document(weigh("a", rest={1, 2}) | {"inputs": {"item": "x", "rest": {1, 2}}}))
    (result,) = run_toolplan(plan, ATOMS, work, journal=path).results
    assert result.error == "its inputs: the journal cannot hold them: Object of type set is not JSON serializable"


# ---------------------------------------------------------------- what a crash leaves


def test_any_end_of_a_journal(path: Path) -> None:
    _, whole = run(path, jobs=1)
    data = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    order = ["rye", "oat", "3", "oat!, <3>"]
    for size in sorted({0, 1, *range(0, len(data), 37), *ends, *(end - 1 for end in ends), *(end - 2 for end in ends)}):
        path.write_bytes(data[:size])
        called, done = run(path, jobs=1)
        kept = max(sum(end <= size for end in ends) - 1, 0)
        assert called == order[kept:], size
        assert done.outputs == whole.outputs
        assert path.read_bytes().count(b"\n") == 5
        assert run(path)[0] == []


def test_a_last_line_that_is_damaged(path: Path) -> None:
    run(path, jobs=1)
    data = path.read_bytes()
    for damaged in (data[:-20] + b"\0" * 19 + b"\n", data + b"\0\0\0\n", data + b"[]\n", data + b"{}\n"):
        path.write_bytes(damaged)
        called, done = run(path)
        assert called in ([], ["oat!, <3>"])
        assert done.is_done


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# A plan\n", "this is no journal of a tool plan"),
        ("x", "this is no journal of a tool plan"),
        (f"{HEADER}x\n{{}}\n", "line 2 is none of a journal"),
        (f"{HEADER}{'[' * 100_000}\n{{}}\n", "line 2 is none of a journal"),
        (line_with(started=int("9" * 400)), "line 2 is none of a journal"),
        (line_with(started="nan"), "line 2 is none of a journal"),
        (line_with(seconds=float("inf")), "line 2 is none of a journal"),
        (line_with(outputs=[]), "line 2 is none of a journal"),
        (line_with(key=["k"]), "line 2 is none of a journal"),
        (line_with().replace("}\nx", "}\0\nx"), "line 2 is none of a journal"),
        (line_with(), "line 3 is none of a journal"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_another_file(path: Path, text: str, message: str, dry_run: bool) -> None:
    path.write_text(text)
    with pytest.raises(ToolRunError, match=f"{message}"):
        run(path, dry_run=dry_run)
    assert path.read_text() == text
    assert path.with_name("run.jsonl.lock").exists() == (text.startswith(HEADER) and not dry_run)


def test_a_file_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").mkdir()
    with pytest.raises(ToolRunError, match=r"run\.jsonl: not a regular file$"):
        run(tmp_path / "run.jsonl")
    with pytest.raises(ToolRunError, match=r"q/run\.jsonl: No such file or directory$"):
        run(tmp_path / "q" / "run.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ToolRunError, match=r"pipe: not a regular file$"):
        run(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(ToolRunError, match=r"/circle: .*(circle|levels of symbolic links)"):
        run(tmp_path / "circle")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["circle", "pipe", "run.jsonl"]


def test_one_run_at_a_time(path: Path) -> None:
    with locked(path.with_name("run.jsonl.lock")), pytest.raises(ToolRunError, match="another process is at work"):
        run(path)
    assert not path.exists()
    assert run(path, dry_run=True)[1].results


def test_a_link_has_the_same_lock(path: Path) -> None:
    link = path.with_name("link.jsonl")
    link.symlink_to(path)
    with locked(path.with_name("run.jsonl.lock")), pytest.raises(ToolRunError, match=r"link\.jsonl: another process"):
        run(link)
    assert run(link)[0]
    assert run(path)[0] == []
    assert link.is_symlink()
    assert not path.with_name("link.jsonl.lock").exists()


@pytest.mark.parametrize("change", ["remove", "replace", "empty", "add"])
def test_a_journal_that_somebody_else_changes(path: Path, change: str) -> None:
    def call(atom_id: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs.get("item") == "oat":
            if change in ("remove", "replace"):
                path.rename(path.with_name("away"))
            if change == "replace":
                path.write_text(path.with_name("away").read_text())
            if change in ("empty", "add"):
                os.truncate(path, 0 if change == "empty" else path.stat().st_size + 1)
        return work(atom_id, inputs)

    with pytest.raises(ToolRunError, match=r"run\.jsonl: the journal was changed or taken away by somebody else$"):
        run_toolplan(PLAN, ATOMS, call, journal=path, jobs=1)
    assert not path.exists() or b'"b"' not in path.read_bytes()


def test_an_interrupt_within_a_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written behind the half of it, not even what ends while the run is given up."""

    class Interrupted(io.FileIO):
        def write(self, data: Any) -> int:
            if b'"a"' not in bytes(data):
                return super().write(data)
            super().write(data[:20])
            raise KeyboardInterrupt

    def call(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.1 if inputs["item"] == "late" else 0)
        return work("weigh", inputs)

    plan = tool_plan_from_dict(document(weigh("a"), weigh("b", "late")))
    with monkeypatch.context() as patched:
        patched.setattr(module, "FileIO", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_toolplan(plan, ATOMS, call, journal=path)
    assert len(path.read_bytes()) == len(HEADER) + 20
    assert run(path, plan, jobs=1)[0] == ["rye", "late"]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_interrupt_before_a_line(path: Path, monkeypatch: pytest.MonkeyPatch, is_async: bool) -> None:
    """What has ended and is not written yet is written then."""
    real, interrupts = module.Journal.write, [KeyboardInterrupt()]

    def write(journal: module.Journal, entry: dict[str, Any]) -> int:
        if interrupts:
            raise interrupts.pop()
        return real(journal, entry)

    plan = tool_plan_from_dict(document(weigh("a")))

    def give_up() -> ToolRun:
        if is_async:
            return asyncio.run(arun_toolplan(plan, ATOMS, work, journal=path))
        return run_toolplan(plan, ATOMS, work, journal=path)

    with monkeypatch.context() as patched:
        patched.setattr(module.Journal, "write", write)
        with pytest.raises(KeyboardInterrupt):
            give_up()
    assert run(path, plan)[0] == []


def test_a_journal_that_was_taken_away(path: Path) -> None:
    def call(atom_id: str, inputs: dict[str, Any]) -> dict[str, Any]:
        lock = path.with_name("run.jsonl.lock")
        lock.rename(path.with_name("old.lock"))
        lock.touch()
        return work(atom_id, inputs)

    with pytest.raises(ToolRunError, match=r"the journal was taken away, and there is another lock now$"):
        run_toolplan(PLAN, ATOMS, call, journal=path, jobs=1)


def test_a_disk_that_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def fsync(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(ToolRunError, match=r"No space left on device$"):
        run(path, jobs=1)


def test_nothing_stands_behind_half_a_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.FileIO):
        def write(self, data: Any) -> int:
            if b'"a"' not in bytes(data):
                return super().write(data)
            super().write(data[:20])
            raise OSError(28, "No space left on device")

    def call(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.1 if inputs["item"] == "late" else 0)
        return work("weigh", inputs)

    plan = tool_plan_from_dict(document(weigh("a"), weigh("b", "late")))
    with monkeypatch.context() as patched:
        patched.setattr(module, "FileIO", Full)
        with pytest.raises(ToolRunError, match=r"run\.jsonl: No space left on device$"):
            run_toolplan(plan, ATOMS, call, journal=path)
    assert len(path.read_bytes()) == len(HEADER) + 20
    assert run(path, plan, jobs=1)[0] == ["rye", "late"]


@pytest.mark.parametrize("is_async", [False, True])
def test_what_ends_while_a_run_is_given_up(path: Path, is_async: bool) -> None:
    begun = threading.Event()

    def call(_: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs["item"] == "stop":
            begun.wait(20)
            raise KeyboardInterrupt
        begun.set()
        time.sleep(0.05)
        return work("weigh", inputs)

    plan = tool_plan_from_dict(document(weigh("a"), weigh("b", "stop")))

    def give_up() -> ToolRun:
        if is_async:
            return asyncio.run(arun_toolplan(plan, ATOMS, call, journal=path))
        return run_toolplan(plan, ATOMS, call, journal=path)

    with pytest.raises(KeyboardInterrupt):
        give_up()
    assert run(path, plan)[0] == ["stop"]


def test_a_run_that_is_cancelled(path: Path) -> None:
    """What is at work in a thread is waited for and kept; a coroutine is cancelled."""
    ended = []

    async def main() -> None:
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def in_thread(inputs: dict[str, Any]) -> dict[str, Any]:
            loop.call_soon_threadsafe(begun.set)
            time.sleep(0.05)
            return work("weigh", inputs)

        async def forever(_: dict[str, Any]) -> dict[str, Any]:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("cancelled")
            return {}

        plan = tool_plan_from_dict(document(weigh("a"), bake("b")))
        run = asyncio.create_task(arun_toolplan(plan, ATOMS, {"weigh": in_thread, "bake": forever}, journal=path))
        await begun.wait()
        run.cancel()
        await run

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert ended == ["cancelled"]
    assert [json.loads(one)["step"] for one in path.read_text().splitlines()[1:]] == ["a"]


# ---------------------------------------------------------------- processes that are killed

CHILD = """
import os, signal, sys, time
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import tool_plan_from_dict
from tests.toolplan.plans import ATOMS, document, weigh

log, journal, deadly, jobs = sys.argv[1:]
steps = [weigh(f"s{at}", f"${{s{at - 2}.outputs.note}}" if at > 1 else "x") for at in range(12)]

def call(inputs):
    with open(log, "a") as file:
        file.write(f"{len(inputs['item'])}\\n")
    if len(inputs["item"]) == int(deadly):
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGKILL)
    return {"weight": 1, "note": inputs["item"] + "x"}

done = run_toolplan(tool_plan_from_dict(document(*steps)), ATOMS, {"weigh": call}, journal=journal, jobs=int(jobs))
print(done.is_done)
"""


@pytest.mark.parametrize(("deadly", "jobs"), [(1, 1), (4, 2), (6, 1)])
def test_a_killed_run_goes_on(tmp_path: Path, deadly: int, jobs: int) -> None:
    """The steps make two chains, whose items are one longer with each step."""
    log, path = tmp_path / "log", tmp_path / "run.jsonl"

    def child(deadly: int) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", CHILD, str(log), str(path), str(deadly), str(jobs)]
        return subprocess.run(command, capture_output=True, check=False, timeout=60)

    assert child(deadly).returncode == -signal.SIGKILL
    kept = path.read_bytes().count(b"\n") - 1
    begun = len(log.read_text().split())
    assert kept < begun <= kept + jobs
    assert kept >= 2 * (deadly - 1) - (jobs - 1)
    done = child(0)
    assert (done.returncode, done.stdout) == (0, b"True\n"), done.stderr
    called = list(map(int, log.read_text().split()))
    assert len(called) == begun + 12 - kept
    assert path.read_bytes().count(b"\n") == 13
