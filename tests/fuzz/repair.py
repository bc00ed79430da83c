"""What the fuzz job does with answers that hold a plan, or that repair lines of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from hypothesis import strategies as st

from planspec_lark import extract_plan, iter_steps, parse_plan, render_all, repair_plan, scan_plan, serialize_plan
from planspec_lark.planspec import ScanResult, focus_view, next_step_view
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.corpus import FIXTURES, read
from tests.fuzz.texts import texts

__all__ = ["repair_texts", "try_answer", "try_plan"]

_PLAN = read(FIXTURES / "repair" / "plan.md")
_ANSWERS = [read(path) for path in sorted((FIXTURES / "repair").rglob("*.txt"))]


def try_answer(text: str) -> None:
    """As an answer about a plan, and as the plan that an answer is about."""
    for plan, answer in ((_PLAN, text), (text, _ANSWERS[0]), (text, text)):
        for language in ("en", "zh"):
            _repair(plan, answer, language)


def _repair(plan: str, answer: str, language: str) -> None:
    """In rounds, where each answer is the same."""
    done = repair_plan(plan, lambda _: answer, name=plan[:20], language=language)
    shown = [render_all(one.diagnostics) for one in done.rounds]
    assert shown == [*map(visible, shown)]
    assert done.is_usable == (not done.holds) == (not done.stopped)
    assert all(one.prompt == visible(one.prompt) for one in done.rounds)
    assert not done.is_usable or parse_plan(done.text) == done.plan
    done.to_dict()


def try_plan(text: str) -> None:
    """Take the plan out, and look at it in views of any size."""
    found = extract_plan(text, name=text[:20])
    assert parse_plan(found.text) == found.plan
    found.to_dict()
    _look_at(scan_plan(text))


def _look_at(result: ScanResult) -> None:
    plan = result.plan
    size = len(serialize_plan(plan))
    views = [next_step_view(plan), *(focus_view(plan, step.step_id) for step in [*iter_steps(plan)][:3])]
    writers: list[Callable[..., str]] = [partial(serialize_plan, plan), *(view.to_text for view in views if view)]
    for write in writers:
        for most in {1, size // 3 + 1, size // 2 + 1, size + 1}:
            try:
                assert len(write(max_tokens=most, count_tokens=len)) <= most
            except ValueError as error:
                assert str(error).startswith(f"max_tokens: {most} is too few")


_lines = st.builds(
    "{}LINE {}{} {}".format,
    st.sampled_from(["", "", "", " ", "- ", "**", "\ufeff"]),
    st.integers(0, 14),
    st.sampled_from([":", ":", ":", "：", " :", ""]),
    st.one_of(strategies.lines, st.sampled_from(["", "1. [act] a", "## Steps", "> b"])),
)


@cache
def repair_texts() -> st.SearchStrategy[str]:
    """Answers with repaired lines and with lines that are almost some, and other texts."""
    listed = st.lists(st.one_of(_lines, _lines, strategies.lines), max_size=6).map("\n".join)
    return st.one_of(st.sampled_from(_ANSWERS), listed, listed, texts())
