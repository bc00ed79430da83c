"""Plans that run in a random world: they stay valid, they end, and stopping them anywhere changes nothing."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from copy import deepcopy
from itertools import count
from typing import Any

import pytest
from attrs import define, evolve, field
from hypothesis import given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, Severity, iter_steps, parse_plan, serialize_plan
from planspec_lark.engine import (
    Answer,
    Budget,
    Effort,
    EngineLimits,
    HopStatus,
    OperatorResult,
    Outcome,
    PlanningCall,
    PlanningPurpose,
    Question,
    ReflectionCall,
    StepCall,
    ThinkEngine,
    ThinkEvent,
)
from planspec_lark.engine.entries import ENTRIES, PlanEntry
from planspec_lark.engine.resume import replay
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.snapshot import read_snapshot, write_snapshot
from planspec_lark.engine.step_runner import StepRunner
from planspec_lark.planspec.rules import check_rules
from planspec_lark.runs import MemoryLedger
from planspec_lark.runs.ledger import Record, RecordKind
from planspec_lark.syntax.safe_text import visible
from tests import strategies

LIMITS = EngineLimits(max_rounds=4, max_attempts=6, max_added=15, max_plannings=8, max_loop=3)
# More calls than this are a run without an end.
MOST_CALLS = 20_000


@pytest.fixture(autouse=True, scope="module")
def _many_snapshots() -> Iterator[None]:
    """The plans are small, and so are the runs."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("planspec_lark.engine.run_writer._BETWEEN_SNAPSHOTS", 1)
        yield


class Stop(BaseException):
    """The process dies here."""


@define
class Chaos:
    """A world that answers at random, but to the same question in the same way."""

    seed: int
    texts: list[str]
    calls: int = 0
    log: list[tuple[str, str]] = field(factory=list)

    def _chance(self, *about: object) -> random.Random:
        self.calls += 1
        assert self.calls < MOST_CALLS
        text = "\x1f".join(map(str, (self.seed, *about)))
        return random.Random(hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest())

    def operator(self, call: StepCall) -> OperatorResult:
        step = call.step
        chance = self._chance("run", step.step_id, step.description, call.attempt, sorted(call.inputs))
        self.log.append((step.step_id, call.key))
        if chance.random() < 0.1:
            raise ValueError("\x1b[2Jboom")
        status = chance.choices(list(HopStatus), [6, 2, 1, 1])[0]
        outputs = {name: chance.randrange(9) for name in step.outputs if chance.random() < 0.9}
        branches = [branch.step_id for branch in call.branches]
        branch = chance.choice([*branches, *branches, *branches, "", "7.7"]) if branches else ""
        result = chance.choice(["fine", "", "a | b → c", "Progress: 2/3", "\u202e\nx", "x" * 300])
        return OperatorResult(status, result, outputs, branch, Effort(1, 3))

    def reflector(self, call: ReflectionCall) -> Answer:
        tried = call.refusal and call.refusal.answer
        chance = self._chance("reflect", call.step, call.attempt, call.result, call.plan_state, tried)
        return Answer(self._text(chance, call.step.step_id, call.plan_state, is_replan=False), Effort(1, 5))

    def planner(self, call: PlanningCall) -> str:
        tried = call.refusal and call.refusal.answer
        chance = self._chance("plan", call.purpose, call.plan_state, call.reason, tried)
        if call.purpose is PlanningPurpose.CHANGES:
            return self._text(chance, "1", call.plan_state, is_replan=True)
        if chance.random() < 0.2:
            return chance.choice(self.texts)
        return _steps(chance, call.step.step_id if call.step and chance.random() < 0.5 else "")

    def ask(self, question: Question) -> str | None:
        chance = self._chance("ask", question.step.step_id, question.text)
        return chance.choice(["because", None, "\x1b[31mred"])

    def _text(self, chance: random.Random, step_id: str, state: str, *, is_replan: bool) -> str:
        if chance.random() < 0.15:
            return chance.choice(self.texts)
        lines = []
        ids = [step.step_id for step in iter_steps(parse_plan(state))]
        if not is_replan and chance.random() < 0.7:
            lines.append(chance.choice(["RETRY", "RETRY | again", "ACCEPT", "INTERACT | why?", "INTERACT"]))
        for _ in range(chance.choice([0, 0, 1, 2, 3])):
            lines.append(_command(chance, chance.choice([step_id, step_id, chance.choice(ids)]), is_replan=is_replan))
        return "\n".join(lines) or f"PLAN_CMD: SKIP {step_id}"


def _command(chance: random.Random, step_id: str, *, is_replan: bool) -> str:
    kind = chance.choice(["act", "act", "subtask", "decide", "reason"])
    text = f"[{kind}] do {chance.randrange(5)}" + chance.choice(["", " → a", " → b, c"])
    detail = chance.choice(["", "\n> ← a", "\n> ← a, z\n> more"])
    head = step_id.rpartition(".")[0]
    added = chance.choice(
        [f"{step_id}.1", f"{step_id}.2", f"{head}.1".lstrip("."), step_id, str(chance.randrange(1, 9))]
    )
    target = "ALL" if is_replan and chance.random() < 0.3 else step_id
    verbs = ["SKIP", "REVISE", "ADD", "REPLAN", "REPLAN"]
    verb = chance.choice(verbs[1:] if is_replan else verbs)
    return {
        "SKIP": f"PLAN_CMD: SKIP {step_id} | no need",
        "REVISE": f"PLAN_CMD: REVISE {step_id} {text}{detail}",
        "ADD": f"PLAN_CMD: ADD {added} {text}{detail}",
        "REPLAN": f"PLAN_CMD: REPLAN {target} | anew",
    }[verb]


def _steps(chance: random.Random, lead: str) -> str:
    """A few steps as a planner writes them."""
    rows = ["# Plan: another", "## Steps"]
    for number in range(1, chance.randrange(2, 5)):
        step_id = f"{lead}.{number}" if lead else str(number)
        mark = chance.choice(["", "", "[x] ", "[>] "])
        kind = chance.choice(["act", "act", "reason", "subtask", "decide"])
        loop = " | Progress: 1/3" if kind == "subtask" and chance.random() < 0.4 else ""
        rows.append(f"{step_id}. {mark}[{kind}] do {chance.randrange(5)}{chance.choice(['', ' → a', ' → b'])}{loop}")
        if kind in ("subtask", "decide") and chance.random() < 0.7:
            below = chance.choice([".1", ".2", ".1.1"])
            rows += [f"  {step_id}.1. [act] do {chance.randrange(5)} → a", f"  {step_id}.2{below}. [act] do 1"]
    return "\n".join(rows) + "\n"


# ---------------------------------------------------------------- what must hold


@define
class Watch:
    """Looks at everything that happens."""

    text: str
    kinds: list[RecordKind] = field(factory=list)
    done: dict[str, PlanStatus] = field(factory=dict)
    stops_at: int | None = None

    def __call__(self, event: ThinkEvent) -> None:
        assert not [found for found in check_rules(event.plan) if found.severity is Severity.ERROR]
        self.text = serialize_plan(event.plan)
        assert parse_plan(self.text) == event.plan
        assert visible(self.text) == self.text
        now = {step.step_id: step.status for step in iter_steps(event.plan)}
        if event.kind is not RecordKind.RENEWED and not self._names_steps(event):
            moves = event.data.get("moves", {})
            for step_id, status in self.done.items():
                if status is PlanStatus.DONE and not self._is_tried_again(step_id, event, now):
                    assert now[moves.get(step_id, step_id)] is status
        leaves = {step.step_id for step in iter_steps(event.plan) if step.step_type in ("act", "reason")}
        self.done = {step_id: status for step_id, status in now.items() if step_id in leaves}
        self.kinds.append(event.kind)
        if len(self.kinds) == self.stops_at:
            raise Stop

    def _is_tried_again(self, step_id: str, event: ThinkEvent, now: dict[str, PlanStatus]) -> bool:
        """Whether a step is below one that lacked something, and that is tried again as a step came in front of it."""
        above = event.step_id
        is_below = event.kind is RecordKind.REFLECTED and step_id.startswith(f"{above}.")
        return is_below and now[event.data.get("moves", {}).get(above, above)] is PlanStatus.PENDING

    def _names_steps(self, event: ThinkEvent) -> bool:
        """Whether what happens says of steps that are done that they are to be done again."""
        if event.kind in (RecordKind.LOOPED, RecordKind.TOLD) or event.data.get("decision") == "RETRY":
            return True
        commands = event.data.get("commands", "")
        return "REVISE" in commands or "REPLAN" in commands


class StoppingLedger(MemoryLedger):
    """A ledger whose process dies before or behind a record."""

    def __init__(self, stops_at: int | None = None, stops_behind: bool = False) -> None:
        super().__init__()
        self.stops_at, self.stops_behind, self.appended = stops_at, stops_behind, 0

    def append(self, run: str, *records: Record, after: int) -> Record:
        self.appended += 1
        if self.appended == self.stops_at and not self.stops_behind:
            raise Stop
        kept = super().append(run, *records, after=after)
        if self.appended == self.stops_at:
            raise Stop
        return kept


def _engine(plan: PlanSpec, world: Chaos, ledger: MemoryLedger, **options: Any) -> ThinkEngine:
    given: dict[str, Any] = {"limits": LIMITS, "required": ("a",), "on_event": Watch(serialize_plan(plan)), **options}
    return ThinkEngine(plan, world.operator, world.reflector, world.planner, ask=world.ask, ledger=ledger, **given)


def _signs(ledger: MemoryLedger) -> list[tuple[Any, ...]]:
    """What a run has written, whether it was stopped meanwhile or not."""
    signs: list[tuple[Any, ...]] = []
    (run,) = {info.run for info in ledger.runs()}
    for record in ledger.records(run):
        # The key has the run's own name, and a trace is of one process.
        data = {name: value for name, value in record.data.items() if name not in ("key", "trace")}
        data["key"] = str(record.data.get("key", "")).partition(":")[2]
        sign = (record.kind, record.step, record.hash, record.attempt, data, record.plan, record.after)
        if record.kind not in (RecordKind.RESUMED, RecordKind.ENDED) and not (
            record.kind is RecordKind.STARTED and sign in signs
        ):
            signs.append(sign)
    return signs


def _has_ended(ledger: MemoryLedger) -> bool:
    kinds = [record.kind for record in ledger.records(ledger.runs()[-1].run)]
    return kinds[-1:] == [RecordKind.ENDED]


_TYPES = st.sampled_from(["act", "act", "reason", "subtask", "subtask", "decide"])


@st.composite
def _plans(draw: st.DrawFn) -> PlanSpec:
    return PlanSpec(goal="g", steps=draw(_siblings("", 3)))


def _siblings(lead: str, depth: int) -> st.SearchStrategy[list[PlanStep]]:
    @st.composite
    def build(draw: st.DrawFn) -> list[PlanStep]:
        return [draw(_step(f"{lead}{number}", depth)) for number in range(1, draw(st.integers(1, 3)) + 1)]

    return build()


@st.composite
def _step(draw: st.DrawFn, step_id: str, depth: int) -> PlanStep:
    kind = draw(_TYPES if depth > 1 else st.sampled_from(["act", "reason"]))
    names = st.lists(st.sampled_from("abc"), max_size=2, unique=True)
    is_loop = kind == "subtask" and draw(st.booleans())
    return PlanStep(
        step_id,
        "",
        kind,
        f"do {draw(st.integers(0, 6))}",
        inputs=draw(names) if draw(st.booleans()) else [],
        outputs=draw(names) if draw(st.booleans()) else [],
        status=draw(st.sampled_from([PlanStatus.PENDING] * 9 + [*PlanStatus])),
        total_count=draw(st.integers(0, 3)) if is_loop else None,
        children=draw(_siblings(f"{step_id}.", depth - 1))
        if kind in ("subtask", "decide") and draw(st.integers(0, 4))
        else [],
    )


_texts = st.lists(st.one_of(st.just(""), strategies.answers, strategies.any_text), min_size=1, max_size=2)


@given(_plans(), st.integers(0, 2**32), _texts)
def test_a_run_ends_and_its_records_say_where_it_stands(plan: PlanSpec, seed: int, texts: list[str]) -> None:
    ledger, before = MemoryLedger(), deepcopy(plan)
    result = _engine(plan, Chaos(seed, texts), ledger).run()
    assert plan == before
    past = replay(ledger, result.run)
    assert past.plan == result.plan
    if result.outcome is Outcome.CONVERGED:
        assert "a" in result.outputs
        # What was not done is below what is blocked.
        assert result.blocked or result.plan.is_converged
    else:
        assert result.outcome is Outcome.BLOCKED
        assert result.reason
    statuses = {step.step_id: step.status for step in iter_steps(result.plan)}
    assert result.blocked == tuple(id for id, status in statuses.items() if status is PlanStatus.BLOCKED)


@given(_plans(), st.integers(0, 2**32), _texts)
def test_a_snapshot_says_what_the_records_come_to(plan: PlanSpec, seed: int, texts: list[str]) -> None:
    ledger = MemoryLedger()
    run = _engine(plan, Chaos(seed, texts), ledger).run().run
    state, copied = RunState(), RunState()
    for entry in map(ENTRIES.read, ledger.records(run)):
        assert isinstance(entry, PlanEntry)
        for each in (state, copied):
            each.take(entry)
        snapshot = read_snapshot(write_snapshot(copied, entry, "plan\n"))
        assert snapshot is not None
        assert snapshot.ends_with(entry)
        copied = evolve(snapshot.state, last=entry)
        assert copied == state


@given(_plans(), st.integers(0, 2**32), _texts)
def test_no_other_blocked_step_could_be_opened_again(plan: PlanSpec, seed: int, texts: list[str]) -> None:
    quick, thorough = MemoryLedger(), MemoryLedger()
    _engine(plan, Chaos(seed, texts), quick).run()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(StepRunner, "_find_suspects", lambda runner: [*runner.writer.state.lacking])
        _engine(plan, Chaos(seed, texts), thorough).run()
    assert _signs(quick) == _signs(thorough)


def _shown(ledger: MemoryLedger, text: str) -> PlanSpec:
    """The plan as its file would have it: as it was shown last, or before any run."""
    runs = ledger.runs()
    views = ledger.views(runs[-1].run) if runs else ()
    return parse_plan(views[0] if views else text)


@given(_plans(), st.integers(0, 2**32), _texts, st.data())
def test_stopped_anywhere_a_run_comes_to_the_same_end(
    plan: PlanSpec, seed: int, texts: list[str], data: st.DataObject
) -> None:
    calm = MemoryLedger()
    result = _engine(plan, Chaos(seed, texts), calm).run()
    expected = _signs(calm)
    ledger, text, is_begun = StoppingLedger(), serialize_plan(plan), False
    for more in count():
        ledger.appended = 0
        way = data.draw(st.sampled_from(["before", "behind", "saved"]))
        at = more + data.draw(st.integers(1, max(2, len(expected) // 2)))
        ledger.stops_at, ledger.stops_behind = (None if way == "saved" else at), way == "behind"
        watch = Watch(text, stops_at=at if way == "saved" else None)
        try:
            again = _engine(_shown(ledger, text), Chaos(seed, texts), ledger, on_event=watch).run(resume=is_begun)
        except Stop:
            is_begun = bool(ledger.runs())
            text = watch.text
            if is_begun and _has_ended(ledger):
                # It was told so already. Who continues then wants more rounds.
                return
        else:
            break
    assert again.plan == result.plan
    assert (again.outcome, again.reason, again.rounds, again.outputs) == (
        result.outcome,
        result.reason,
        result.rounds,
        result.outputs,
    )
    assert _signs(ledger) == expected


@given(_plans(), st.integers(0, 2**32), _texts, st.sampled_from(["steps", "llm_calls", "tokens"]), st.integers(1, 9))
def test_a_run_that_is_gone_on_with_again_and_again_comes_to_the_same_end(
    plan: PlanSpec, seed: int, texts: list[str], what: str, most: int
) -> None:
    calm = MemoryLedger()
    result = _engine(plan, Chaos(seed, texts), calm).run()
    ledger, text = MemoryLedger(), serialize_plan(plan)
    while True:
        watch = Watch(text)
        engine = _engine(parse_plan(text), Chaos(seed, texts), ledger, on_event=watch, budget=Budget(**{what: most}))
        again = engine.run(resume=bool(ledger.runs()))
        if again.outcome is not Outcome.BUDGET:
            break
        text = watch.text
    assert (again.plan, again.outcome, again.effort) == (result.plan, result.outcome, result.effort)
    assert _signs(ledger) == _signs(calm)
