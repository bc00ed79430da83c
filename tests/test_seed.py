"""The format's own definition, where its text lies beside this checkout: its long example, read and shown.

The text is not part of this project, so the tests that need it are skipped where it is absent.
"""

from __future__ import annotations

from collections import Counter

import pytest

from planspec_lark import PlanSpec, iter_steps, parse_plan, serialize_plan, validate_plan
from planspec_lark.hopspec import plan_to_steps
from planspec_lark.planspec.render import show_plan
from tests.corpus import ROOT

FOUND = sorted((ROOT.parent / "shared" / "seeds").glob("004_*.txt"))
needs_text = pytest.mark.skipif(not FOUND, reason="the format's definition does not lie beside this checkout")


@pytest.fixture(scope="module")
def example() -> str:
    """The block under the heading of the full example."""
    text = FOUND[0].read_text(encoding="utf-8")
    behind = text[text.index("\n## 完整示例\n") :]
    start = behind.index("```\n") + len("```\n")
    return behind[start : behind.index("```\n", start)]


@pytest.fixture(scope="module")
def plan(example: str) -> PlanSpec:
    return parse_plan(example)


@needs_text
def test_its_counts(plan: PlanSpec) -> None:
    assert plan.progress == {"total": 17, "done": 3, "active": 2, "blocked": 0, "pending": 12, "skipped": 0}
    types = Counter(step.step_type for step in iter_steps(plan))
    assert types == {"reason": 4, "act": 9, "decide": 1, "subtask": 3}


@needs_text
def test_it_is_valid(plan: PlanSpec) -> None:
    assert validate_plan(plan) == []


@needs_text
def test_it_is_canonical_but_for_one_space(example: str, plan: PlanSpec) -> None:
    lines = serialize_plan(plan).split("\n")
    changed = [(a, b) for a, b in zip(example.split("\n"), lines, strict=True) if a != b]
    assert [a.replace("→", " →") for a, _ in changed] == [b for _, b in changed]
    assert len(changed) == 1


@needs_text
def test_text_behind_an_arrow_stays_text(plan: PlanSpec) -> None:
    branches = plan.steps[4].children[3].children
    assert [step.outputs for step in branches] == [[], []]
    assert "→" in branches[0].description


@needs_text
def test_how_it_is_shown(plan: PlanSpec) -> None:
    lines = ["".join(piece.text for piece in line) for line in show_plan(plan)]
    assert lines[-2:] == ["步骤: 17 | reason: 4 | act: 9 | decide: 1 | subtask: 3", "进度: 3/17 (18%)"]
    assert f"Progress: {lines[-1].removeprefix('进度: ')}" in lines
    shown = [line for line in lines if line.startswith(("1  [x]  [ACT]      ", "2  [>]  [REASON]   "))]
    assert len(shown) == 2
    assert lines[lines.index(shown[1]) + 1] == " " * 19 + "> ← synthetic_data"
    assert any(line.startswith("├─ 3.1  [ ]  [REASON]   ") for line in lines)
    assert any(line.startswith("└─ 3.2  [ ]  [ACT]      ") for line in lines)


@needs_text
def test_all_other_blocks_that_are_plans_are_read(example: str) -> None:
    """Every fenced block of the text that is a plan or its steps, and holds no placeholders, parses."""
    blocks = [block.lstrip("\n") for block in FOUND[0].read_text(encoding="utf-8").split("```")[1::2]]
    plans = [block for block in blocks if ("## Steps" in block or block.startswith("1. [")) and "<" not in block]
    assert example in plans
    assert sum("## Steps" not in block for block in plans) == 6
    for block in plans:
        parse_plan(block)


@needs_text
def test_it_goes_to_hopspec(plan: PlanSpec) -> None:
    steps = plan_to_steps(plan)
    assert [step.step_type for step in steps] == [
        "code",
        "LLM",
        "subtask",
        "subtask",
        "subtask",
        "code",
        "code",
        "flow",
    ]
    assert steps[4].children[3].children[1].step_name == "step_5_4_2"
