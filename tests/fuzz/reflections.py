"""What the fuzz job does with answers about a step of a plan, and at the end of a round."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

from hypothesis import strategies as st

from planspec_lark import find_step, parse_plan, render_all
from planspec_lark.engine import read_reflection, read_replan
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.corpus import FIXTURES, read
from tests.fuzz.texts import texts
from tests.property import promises

__all__ = ["answer_texts", "try_answer"]

_PLAN = parse_plan(read(FIXTURES / "reflection" / "plan.md"))
_ANSWERS = [read(path) for folder in ("reflection", "replan") for path in sorted((FIXTURES / folder).rglob("*.txt"))]


def try_answer(text: str) -> None:
    """About a step in the middle, with and without a person to ask; and at the end of a round."""
    for is_attended in (True, False):
        plan = deepcopy(_PLAN)
        step = find_step(plan, "2.2")
        assert step is not None
        found = read_reflection(text, plan, step, can_interact=is_attended, can_retry=is_attended, name=text[:20])
        shown = render_all(found.diagnostics)
        assert shown == visible(shown)
        promises.reflection_is_sound(text, plan, step, can_interact=is_attended, can_retry=is_attended)
    found = read_replan(text, _PLAN)
    shown = render_all(found.diagnostics)
    assert shown == visible(shown)
    promises.replan_is_sound(text, deepcopy(_PLAN))


@st.composite
def _changed(draw: st.DrawFn) -> str:
    """A fixture with lines of other answers, and with a few characters changed."""
    text = draw(st.sampled_from(_ANSWERS))
    for _ in range(draw(st.integers(0, 2))):
        text += draw(strategies.answers)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(strategies.wild) + text[at + draw(st.integers(0, 3)) :]
    return text


@cache
def answer_texts() -> st.SearchStrategy[str]:
    """Answers with faults, and other texts."""
    return st.one_of(_changed(), _changed(), strategies.answers, strategies.plain_answers, texts())
