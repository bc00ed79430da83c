"""Whatever planners and executors say: the state is valid, what is done stays done, and each plan comes to its end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attrs import define
from hypothesis import given, strategies as st

from planspec_lark import PlanStatus, PlanStep, iter_steps, parse_plan, serialize_plan, validate_plan
from planspec_lark.plan_next import (
    Block,
    Context,
    DoneItem,
    DoneStatus,
    Phase,
    PlanReturn,
    context_from_json,
    context_to_json,
    context_to_plan,
    start_context,
)
from planspec_lark.planner import MessageRefusal, PlannerEvent, PlannerEventKind, Runtime, create_state, read_state
from planspec_lark.planner.language import PlannerAnswer
from tests import strategies
from tests.plan_next.turns import execute, probes, returned, steps

_pieces = [
    "a",
    "中",
    " ",
    "\n",
    "|",
    " | ",
    "→",
    "←",
    "> ",
    "- ",
    "Progress: 1/2",
    "\\",
    "\x1b",
    "\x00",
    "\u202e",
    "🎉",
]
_words = st.lists(st.sampled_from(_pieces), max_size=6).map("".join)
_sides = st.fixed_dictionaries(dict.fromkeys(("intent", "deliverable", "metric", "constraint"), _words))
_goals = st.one_of(st.none(), _words, _sides)
_items = st.one_of(st.none(), st.lists(_words, min_size=3, max_size=4))
_update = st.one_of(st.none(), st.none(), st.lists(_words, max_size=3))
_refused = st.sampled_from(["", "no", "{}", returned(), execute(""), steps("g", []), "\ud800", '{"type": "plan-next"'])
_plans = st.one_of(_refused, st.tuples(st.sampled_from([execute, steps, probes]), _goals, _items, _update))
_values = st.dictionaries(
    _words, st.one_of(_words, st.integers(), st.floats(), st.none(), st.lists(_words, max_size=2)), max_size=3
)
_results = st.one_of(
    st.sampled_from(["", "no", execute("c"), '{"type": "plan-return"}', "\udfff\x1b"]),
    st.tuples(st.one_of(_words, _values), st.sampled_from(["done", "failed", None])),
    st.builds(
        PlanReturn, st.one_of(strategies.wild, _values, st.just("a\ud800")), st.sampled_from([None, *DoneStatus])
    ),
)


@define
class Game:
    """A planner and an executor that say what is drawn for them, and the plain thing once that has been said."""

    plans: list[Any]
    results: list[Any]
    is_hasty: bool
    folder: Path
    last: Context
    says: int = 0

    def plan(self, _context: Context, _refusal: MessageRefusal | None) -> PlannerAnswer:
        self.says += 1
        if not self.plans:
            return execute(f"it, {self.says}", f"shell: {self.says}", **({"update_plan": []} if self.is_hasty else {}))
        drawn = self.plans.pop(0)
        if isinstance(drawn, str):
            refused: str = drawn
            return refused
        say, goal, items, update = drawn
        more = {} if update is None else {"update_plan": update}
        if isinstance(goal, dict):
            goal = {**goal, "intent": f"{goal['intent']} {self.says}"}
        else:
            goal = f"{goal or ''} {self.says}"
        rest = f"shell: {self.says}" if say is execute else [f"{item} {self.says}" for item in items or "xyz"]
        text: str = say(goal, rest, **more)
        return text

    def execute(self, _context: Context) -> PlannerAnswer:
        if not self.results:
            return returned()
        drawn = self.results.pop(0)
        if isinstance(drawn, tuple):
            return returned(*drawn)
        answer: PlannerAnswer = drawn
        return answer

    def watch(self, event: PlannerEvent) -> None:
        context = event.context
        if event.kind in (PlannerEventKind.OPENED, PlannerEventKind.CLOSED):
            _is_valid(context, self.folder)
            _has_grown(self.last, context)
            assert context.revision == self.last.revision + 1
            self.last = context
        assert context == self.last
        kept = read_state(self.folder)
        # That a block has failed is kept with the refusal of what its executor said.
        is_ahead = event.kind is PlannerEventKind.REFUSED and event.phase is Phase.EXECUTION
        assert kept is not None
        assert kept == context or (is_ahead and kept.revision == context.revision + 1)


def _is_valid(context: Context, folder: Path) -> None:
    """The file holds it, and it can be shown."""
    assert read_state(folder) == context
    assert context_from_json(context_to_json(context, indent=None)) == context
    assert context.phase in Phase
    plan = context_to_plan(context)
    assert validate_plan(plan) == []
    assert parse_plan(serialize_plan(plan)) == plan
    active = [step for step in iter_steps(plan) if step.status is PlanStatus.ACTIVE]
    assert len([step for step in active if not _active_below(step)]) == (context.outcome is None)
    assert len(active) == (context.depth + 1 if context.outcome is None else 0)


def _active_below(step: PlanStep) -> bool:
    return any(child.status is PlanStatus.ACTIVE for child in step.children)


def _has_grown(before: Context, after: Context) -> None:
    """What was done is done, in the whole and in each block."""
    assert len(list(_done_in(before))) + (after.depth < before.depth or after.outcome is not None) == len(
        list(_done_in(after))
    )
    for old, new in zip(_blocks(before), _blocks(after), strict=False):
        assert new.done[: len(old.done)] == old.done
        assert new.goal == old.goal


def _blocks(context: Context) -> list[Block]:
    return [*reversed(context.path), context.think]


def _done_in(context: Context) -> Iterator[DoneItem]:
    todo = [context.outcome] if context.outcome else [item for block in _blocks(context) for item in block.done]
    while todo:
        item = todo.pop()
        yield item
        todo += item.done


@given(
    st.lists(_plans, max_size=14),
    st.lists(_results, max_size=14),
    st.integers(1, 4),
    st.integers(0, 2),
    st.integers(1, 3),
    st.booleans(),
)
def test_no_answers_make_a_state_that_is_not_valid(
    plans: list[Any], results: list[Any], max_depth: int, max_refusals: int, max_failures: int, is_hasty: bool
) -> None:
    # Nothing of this is to outlive the machine.
    with tempfile.TemporaryDirectory() as folder, patch.object(os, "fsync"):
        first = start_context("the goal", ["a", "b"], max_depth=max_depth)
        create_state(folder, first)
        game = Game(plans, results, is_hasty, Path(folder), first)
        runtime = Runtime(
            Path(folder),
            game.plan,
            game.execute,
            max_refusals=max_refusals,
            max_failures=max_failures,
            on_event=game.watch,
        )
        ended = runtime.run(max_turns=2000)
        assert ended.outcome is not None
        assert ended == game.last == read_state(folder)
        assert sorted(os.listdir(folder)) == ["planner.ledger", "thinking-context.json"]


_whole_texts = strategies.wild.filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
_whole_goals = _whole_texts.filter(bool)


@given(st.lists(st.tuples(_whole_goals, _whole_texts, st.sampled_from(DoneStatus)), max_size=5), _whole_goals)
def test_every_context_comes_back_from_its_json(done: list[tuple[str, str, DoneStatus]], goal: str) -> None:
    items = [DoneItem(name, {result: [result]}, status, left=[result]) for name, result, status in done]
    context = Context(Block(goal, [name for name, *_ in done], items, opened_with=[]), [Block(goal, done=items)])
    text = context_to_json(context)
    assert context_from_json(text) == context
    assert context_to_json(context_from_json(text)) == text
