"""The garbage collector waits while something large is read, and only then."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator, Sequence

import pytest

from planspec_lark import PlanStep, parse_plan
from planspec_lark.collector import paused
from planspec_lark.planspec import tree, valid

LARGE = 10_000_000


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_enabled else gc.disable)()


def test_it_waits_and_comes_back() -> None:
    with paused(LARGE):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_comes_back_after_an_error() -> None:
    with pytest.raises(RuntimeError), paused(LARGE):
        raise RuntimeError
    assert gc.isenabled()


def test_it_does_not_wait_for_small_texts() -> None:
    with paused(1000):
        assert gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    with paused(LARGE):
        pass
    assert not gc.isenabled()


def test_the_last_one_out_turns_it_on() -> None:
    with paused(LARGE):
        with paused(LARGE):
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_reading_a_large_plan_makes_it_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def watch(steps: Sequence[PlanStep]) -> list[PlanStep]:
        seen.append(gc.isenabled())
        return tree.grow(steps)

    monkeypatch.setattr(valid, "grow", watch)
    text = "## Steps\n" + "".join(f"{n}. [act] Turn page {n} of the register\n" for n in range(1, 10_001))
    assert len(parse_plan(text).steps) == 10_000
    parse_plan(text[:1000].rpartition("\n")[0])
    assert seen == [False, True]


def test_what_was_built_is_not_walked_by_the_next_pass() -> None:
    with paused(LARGE):
        built = [[number] for number in range(1000)]
    young = {id(value) for value in gc.get_objects(generation=0)}
    assert not young & set(map(id, built))


def test_what_was_frozen_stays_frozen() -> None:
    gc.collect()
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        with paused(LARGE):
            pass
        # In the meantime some of them may have been let go, by other threads for one.
        assert count / 2 < gc.get_freeze_count() <= count
    finally:
        gc.unfreeze()


def test_garbage_is_still_found() -> None:
    class Cycle:
        pass

    with paused(LARGE):
        cycle = Cycle()
        cycle.me = cycle  # type: ignore[attr-defined]
        lost = weakref.ref(cycle)
        del cycle
    assert lost() is not None
    gc.collect()
    assert lost() is None
