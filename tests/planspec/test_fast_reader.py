"""The quick way through a text without faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import PlanSpec
from planspec_lark.planspec import fast_reader
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


def test_nothing_is_an_empty_plan() -> None:
    assert fast_reader.read("") == PlanSpec()
    assert fast_reader.read(" \n\n") == PlanSpec()
    assert fast_reader.read("## Steps\n") == PlanSpec()
    assert fast_reader.read("## Steps\n> x\n") is None
