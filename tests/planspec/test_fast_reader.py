"""The quick way through a text without faults."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark import PlanSpec
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import PlanStep
from tests.corpus import each, find, read


@each("planspec/valid", ".md")
@pytest.mark.parametrize("size", [0, 1, 7, 50])
def test_the_size_of_a_chunk_does_not_matter(path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = read(path)
    plan = fast_reader.read(text)
    assert plan is not None
    monkeypatch.setattr(fast_reader, "_CHUNK", size)
    assert fast_reader.read(text) == plan
    assert fast_reader.read(text + "\nso\n") is None


def test_a_fault_is_a_fault_wherever_a_chunk_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [path.read_bytes() for path in find("planspec/invalid", ".md")]
    faulty = [text for data in texts if fast_reader.read(text := data.decode("utf-8", "replace")) is None]
    assert len(faulty) > 50
    for size in (0, 3, 20):
        monkeypatch.setattr(fast_reader, "_CHUNK", size)
        assert not any(fast_reader.read(text) for text in faulty)


KNOWN = "Goal: g\n1. [act] a → x\n  > d\n\n2. [subtask] b\n  2.1. [x] n [act] c | r\n    > ← x\n3. [act] e"
PLACES = [0, len(KNOWN), *(at for at, char in enumerate(KNOWN) if char in "\n[123>")]
# Where what is replaced begins, how long it is, and what by.
EDITS = st.tuples(
    st.sampled_from(PLACES),
    st.integers(0, 2),
    st.sampled_from(["", "\n", " ", "4", "w", "\t2", "> d\n", "4. [act] y\n", "\n1. [act] y", " → z\n", "x\n"]),
)


@given(st.lists(EDITS, min_size=1, max_size=4))
@example([(33, 0, "w"), (33, 1, "v")])
# Lines that are joined, a line that is no step in front of one, an id that changes, a step more, and one that is moved.
@example([(KNOWN.index("3. [act]") - 1, 1, "")])
@example([(KNOWN.index("1. [act]"), 0, "> d\n")])
@example([(KNOWN.index("3. [act]"), 1, "4")])
@example([(KNOWN.index("3. [act]"), 0, "4. [act] y\n")])
@example([(KNOWN.index("1. [act]"), 0, "Constraints:\n- 1. x\n")])
@example([(0, 1, "H")])
def test_what_is_read_again_is_what_is_read(edits: list[tuple[int, int, str]]) -> None:
    before, plan = KNOWN, fast_reader.read(KNOWN)
    assert plan is not None
    for at, width, words in edits:
        text = before[:at] + words + before[at + width :]
        was, wanted = copy.deepcopy(plan), fast_reader.read(text)
        if fast_reader.read_again(text, before, plan):
            assert plan == wanted
            before = text
        else:
            assert plan == was


def test_only_what_has_changed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = fast_reader.read(KNOWN)
    assert plan is not None
    read: list[str] = []
    steps = fast_reader.read_steps

    def note(lines: str) -> list[PlanStep] | None:
        read.append(lines)
        return steps(lines)

    monkeypatch.setattr(fast_reader, "read_steps", note)
    for text, line in ((KNOWN.replace("c |", "cc |"), 5), (KNOWN + "f", 7), (KNOWN.replace("> d", "> dd"), 1)):
        read.clear()
        assert fast_reader.read_again(text, KNOWN, plan)
        rows = text.splitlines(keepends=True)
        assert read[1] == "".join(rows[line : line + {1: 3, 5: 2, 7: 1}[line]])
        assert fast_reader.read_again(KNOWN, text, plan)
    assert plan == fast_reader.read(KNOWN)


def test_nothing_is_an_empty_plan() -> None:
    assert fast_reader.read("") == PlanSpec()
    assert fast_reader.read(" \n\n") == PlanSpec()
    assert fast_reader.read("## Steps\n") == PlanSpec()
    assert fast_reader.read("## Steps\n> x\n") is None
