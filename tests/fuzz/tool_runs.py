"""What the fuzz job does with tool plans that are run and shown: any tools, any outputs, any ledger."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from planspec_lark import parse_plan, serialize_plan, validate_plan
from planspec_lark.runs import LedgerError, RecordKind, SqliteLedger
from planspec_lark.syntax import one_line
from planspec_lark.syntax.safe_text import visible, visible_name
from planspec_lark.tool_runner import StepStatus, ToolRun, arun_toolplan, run_toolplan
from planspec_lark.toolplan import (
    ToolPlan,
    ToolPlanError,
    draw_toolplan,
    tool_plan_from_dict,
    toolplan_to_plan,
)
from tests import strategies

__all__ = ["tool_run_texts", "try_tool_run"]

# Names of atoms with what their callables do besides giving values.
_ATOMS = ["stop iteration", "read", "write", "raise", "tuple", "circle", "deep", "nan", "set", "none", "bytes"]
_NAMES = st.one_of(st.sampled_from(["a", "b", "1", "a b", "x.outputs.y", "\u202e", "`"]), st.text(max_size=5))


_ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), strategies.wild),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)),
    max_leaves=5,
)


# ---------------------------------------------------------------- plans


@st.composite
def _plans(draw: st.DrawFn) -> str:
    """A plan most of whose references lead to outputs, and what its callables give."""
    names: list[str] = []
    steps = []
    for index in range(draw(st.integers(1, 6))):
        step: dict[str, Any] = {"id": draw(st.sampled_from(_ATOMS)), "target": draw(st.sampled_from(["", "t", "\n"]))}
        name = draw(st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d e", "1.5"]), _NAMES))
        step["inputs"] = draw(st.dictionaries(_NAMES, _values(names), max_size=2))
        if name is not None and name not in names and not name.isdigit():
            step["step_id"] = name
        if bool(names) and draw(st.booleans()):
            step["depends_on"] = draw(st.lists(st.sampled_from(names), min_size=1))
        names.append(step.get("step_id", str(index)))
        steps.append(step)
    order = draw(st.permutations(range(len(steps)))) if all("step_id" in one for one in steps) else range(len(steps))
    outputs = draw(st.dictionaries(_NAMES, _values(names), max_size=2))
    gives = draw(st.dictionaries(st.sampled_from(["x", "y", "z z"]), _ANY, max_size=3))
    plan = {"steps": [steps[at] for at in order], "outputs": outputs}
    return json.dumps({"target": "t", "plan": plan, "gives": gives})


def _values(names: list[str]) -> st.SearchStrategy[Any]:
    if not names:
        return st.one_of(_ANY, strategies.wild)
    references = st.builds("${{{}.outputs.{}}}".format, st.sampled_from(names), st.sampled_from(["x", "y", "z z"]))
    texts = st.one_of(references, references.map(lambda one: f"a {one} $${{ {one}"), strategies.wild)
    return st.one_of(references, texts, st.lists(texts, max_size=3), st.dictionaries(st.just("k"), texts), _ANY)


@cache
def tool_run_texts() -> st.SearchStrategy[str]:
    """Plans that can be run, and anything, which is a ledger then."""
    return st.one_of(_plans(), _plans(), _plans(), strategies.wild)


# ---------------------------------------------------------------- what is called


def _circle() -> Any:
    made: list[Any] = []
    made.append({"k": (made,)})
    return made


def _deep() -> Any:
    made: Any = ()
    for _ in range(5_000):
        made = (made,)
    return made


_ODD: dict[str, Callable[[], Any]] = {
    "tuple": lambda: (1, ([], {2: ("\ud800",)})),
    "circle": _circle,
    "deep": _deep,
    "nan": lambda: [float("nan"), float("inf")],
    "set": lambda: {1},
    "bytes": lambda: b"\xff",
}


class _Tools:
    """Callables that change what they get, and count how often each is called."""

    def __init__(self, gives: Any) -> None:
        self.gives = {"x": 1, **(gives if isinstance(gives, dict) else {})}
        self.calls: Counter[str] = Counter()

    def call(self, atom_id: str, inputs: dict[str, Any]) -> Any:
        self.calls[atom_id] += 1
        given = {**self.gives, "z z": dict(inputs)}
        inputs.clear()
        if atom_id == "raise":
            raise ValueError("no\n\x1b[31m\u202e: done")
        if atom_id == "stop iteration":
            raise StopIteration
        if atom_id == "none":
            return None
        if atom_id in _ODD:
            given["y"] = _ODD[atom_id]()
        return given

    def by_atom(self) -> dict[str, Callable[[dict[str, Any]], Any]]:
        """The same one by one, some of them asynchronous."""
        return {atom_id: self._late(atom_id) if at % 3 else self._soon(atom_id) for at, atom_id in enumerate(_ATOMS)}

    def _soon(self, atom_id: str) -> Callable[[dict[str, Any]], Any]:
        return lambda inputs: self.call(atom_id, inputs)

    def _late(self, atom_id: str) -> Callable[[dict[str, Any]], Any]:
        async def call(inputs: dict[str, Any]) -> Any:
            await asyncio.sleep(0)
            return self.call(atom_id, inputs)

        return call


# ---------------------------------------------------------------- what must hold


def try_tool_run(text: str) -> None:
    """A text as a plan that is shown and run, or else as a ledger."""
    try:
        value = json.loads(text)
        plan = tool_plan_from_dict(value)
    except (ToolPlanError, ValueError, RecursionError):
        _try_ledger(text)
        return
    _show(plan)
    registry = {atom_id: {"inputs": None, "outputs": None} for atom_id in _ATOMS}
    registry["write"] = {"inputs": None, "outputs": {"x": "string"}}  # type: ignore[dict-item]
    try:
        dry = run_toolplan(plan, registry, {}, dry_run=True)
    except ToolPlanError as error:
        assert error.diagnostics
        return
    _look_at(plan, dry)
    assert validate_plan(toolplan_to_plan(plan)) == []
    first = run_toolplan(plan, registry, _Tools(value.get("gives")).call, jobs=2)
    _look_at(plan, first)
    second = asyncio.run(arun_toolplan(plan, registry, _Tools(value.get("gives")).by_atom(), jobs=3))
    _look_at(plan, second)
    assert _shown(second) == _shown(first)
    with tempfile.TemporaryDirectory() as folder:
        _go_on(plan, registry, value.get("gives"), Path(folder, "j"))


def _show(plan: ToolPlan) -> None:
    shown = toolplan_to_plan(plan)
    assert parse_plan(serialize_plan(shown)) == shown
    diagram = draw_toolplan(plan)
    assert diagram == visible(diagram)
    assert diagram.count("\n") >= len(plan.steps)


def _look_at(plan: ToolPlan, done: ToolRun) -> None:
    """Every step has a result, and it goes with those of the steps that it depends on."""
    assert [one.step for one in done.results] == plan.names()
    failed = {one.step for one in done.results if one.status is StepStatus.FAILED}
    by_name = {one.step: one for one in done.results}
    for one, step in zip(done.results, plan.steps, strict=True):
        for said in (one.error, *one.warnings):
            assert said == one_line(said)
        assert bool(one.error) == (one.status in (StepStatus.FAILED, StepStatus.SKIPPED))
        assert (one.status is StepStatus.SKIPPED) == (one.because in failed and bool(one.because or "" in failed))
        for name in step.depends_on or ():
            other = by_name[name]
            assert other.wave < one.wave
            if one.status is StepStatus.DONE:
                assert other.status is StepStatus.DONE
    assert {*done.outputs, *done.missing} == {*(plan.outputs or {})}


def _shown(done: ToolRun) -> list[str]:
    """What has come of a run, times aside; values that equal nothing, such as NaN, as they are shown.

    Which of two failed steps a third one is skipped for is a matter of time as well.
    """
    results = [
        repr((one.step, one.status.value, one.outputs, "" if one.because else one.error)) for one in done.results
    ]
    return [*results, repr(done.outputs), repr(done.missing)]


def _go_on(plan: ToolPlan, registry: Any, gives: Any, path: Path) -> None:
    """With a ledger, nothing is done twice, wherever it was cut off."""
    first = run_toolplan(plan, registry, _Tools(gives).call, ledger=path, jobs=2)
    _look_at(plan, first)
    for cut in (0, 1, 3):
        with closing(SqliteLedger(path)) as ledger:
            size = ledger.count("toolplan") * 2 // 3 if cut == 3 else ledger.count("toolplan") - cut
            for table in ("records", "outputs"):
                ledger._base.execute(f"DELETE FROM {table} WHERE seq > ?", (max(size, 1),))
            last = {one.hash: one for one in ledger.records("toolplan", kinds=(RecordKind.DONE, RecordKind.FAILED))}
        tools = _Tools(gives)
        again = run_toolplan(plan, registry, tools.call, ledger=path)
        assert _shown(again) == _shown(first)
        reused = [one.step for one in again.results if one.is_reused]
        were_done = [one.step for one in last.values() if one.kind is RecordKind.DONE]
        assert not Counter(map(visible_name, reused)) - Counter(were_done)
        # A step that has not produced what another one asks for is done again, and so is all after it.
        assert len(reused) == len(were_done) or not first.is_done
        assert sum(tools.calls.values()) <= len(plan.steps) - len(reused)


def _try_ledger(text: str) -> None:
    """It is read, or refused and left alone; one in which it stands is read or refused."""
    plan = tool_plan_from_dict({"target": "t", "plan": {"steps": [{"id": "read", "target": "t", "inputs": {}}]}})
    data = text.encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "l")
        run_toolplan(plan, {"read": {}}, lambda *_: None, ledger=path)
        sound = path.read_bytes()
    at = sum(data) * 997 % len(sound)
    for whole in (data, sound[:at] + data + sound[at + len(data) :]):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "l")
            path.write_bytes(whole)
            try:
                done = run_toolplan(plan, {"read": {}}, lambda *_: None, ledger=path)
            except LedgerError as error:
                assert str(error) == one_line(str(error))
                assert whole is not data or path.read_bytes() == whole
            else:
                assert done.is_done
