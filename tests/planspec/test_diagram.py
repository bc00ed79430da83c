"""Plans as diagrams."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any, get_args
from xml.dom import minidom

import pytest
from hypothesis import given
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, PlanStep, iter_steps, parse_plan
from planspec_lark.planspec import draw_plan
from planspec_lark.planspec.diagram import View
from planspec_lark.syntax.diagram import DiagramLanguage, GraphvizError, dot_to_svg
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.planspec.test_models import DEPTH, chain
from tests.toolplan.measuring import grows_evenly

PLAN = """\
# Plan: Open the bakery
## Steps
1. [x] [act] Light the oven, and wait until the stones are hot all the way through → heat
  > ← wood
2. [>] mixing [subtask] Make the dough → dough | Progress: 1/2
  > ← heat, verdict
  2.1. [!] [act] Weigh → flour
  2.2. [~] [act] Knead → dough, crumbs
    > ← flour, dough
3. [reason] Taste → verdict
  > ← dough
"""
HOSTILE = '"]; click s0 "javascript:alert(1)" <b>&lt;`#\\ \u202e</script> end %%{init'
LANGUAGES = pytest.mark.parametrize("language", get_args(DiagramLanguage))


@LANGUAGES
@pytest.mark.parametrize("view", get_args(View))
def test_a_diagram(language: DiagramLanguage, view: View, snapshot: SnapshotAssertion) -> None:
    assert draw_plan(parse_plan(PLAN), language, view=view) == snapshot


@LANGUAGES
def test_no_steps(language: DiagramLanguage) -> None:
    for view in get_args(View):
        assert "s0" not in draw_plan(PlanSpec(), language, view=view)
    assert 'plan(["Plan"])' in draw_plan(PlanSpec(), view="tree")
    assert 'plan(["Rest"])' in draw_plan(PlanSpec(goal="Rest"), view="tree")


def arrows(steps: str, **options: Any) -> list[str]:
    rows = draw_plan(parse_plan(f"## Steps\n{steps}"), **options).split("\n")
    return [row.strip() for row in rows if "->" in row]


def test_a_step_has_one_arrow_from_each_other() -> None:
    assert arrows("1. [act] a → x, y\n2. [act] b\n> ← x, y\n") == ['s0 -->|"x, y"| s1']


def test_what_comes_later_is_dashed() -> None:
    assert arrows("1. [act] a\n> ← x\n2. [act] b → x\n") == ['s1 -.->|"next round: x"| s0']
    (row,) = arrows("1. [act] a\n> ← x\n2. [act] b → x\n", language="dot")
    assert row == 's1 -> s0 [label="next round: x", style=dashed, constraint=false];'


@pytest.mark.parametrize(
    "steps",
    [
        "1. [subtask] a → x\n1.1. [act] b\n> ← x\n",
        "1. [subtask] a\n> ← x\n1.1. [act] b → x\n",
    ],
)
def test_nothing_leads_from_a_frame_into_it(steps: str) -> None:
    first, second = arrows(steps)
    assert {first.split()[0], second.split()[-1]} == {"s0", "s1"}
    assert (first.split()[-1], second.split()[0]) == ("round1", "round1")
    # Without frames there are but two boxes.
    (arrow,) = arrows(steps, view="flow")
    assert '-.->|"next round: x"|' in arrow


def test_a_container_that_takes_what_it_puts_out() -> None:
    steps = "1. [subtask] a → x\n> ← x\n1.1. [act] b\n"
    assert arrows(steps) == ["s0 -.-> round1", "round1 -.-> s0"]
    assert arrows(steps, view="flow") == ['s0 -.->|"next round: x"| s0']


def test_what_is_passed_on_and_not_taken_has_one_arrow() -> None:
    assert arrows("1. [subtask] a → x\n1.1. [act] b → x, y\n1.1.1. [act] c → x\n2. [act] d → x\n") == [
        "s0 --> unused0",
        "s1 --> unused1",
        "s3 --> unused0",
    ]


def test_what_stands_out_says_so() -> None:
    diagram = draw_plan(parse_plan(PLAN))
    assert 'missing0(["wood<br/>no step produces it"]):::missing' in diagram
    assert 'unused0(["crumbs<br/>no step takes it"]):::unused' in diagram


def test_labels_of_graphviz() -> None:
    plan = PlanSpec(steps=[PlanStep("1", step_type="act", description='a\\" ]; b [c="&lt;\\n')])
    assert r's0 [label="1 act, pending\na\\\" ]; b [c=\"&amp;lt;\\n", style' in draw_plan(plan, "dot")


def test_frames_end_at_some_depth() -> None:
    diagram = draw_plan(chain())
    assert (diagram.count("subgraph "), diagram.count("  end\n")) == (30, 30)
    assert diagram.count(":::pending") == DEPTH - 30
    assert draw_plan(chain(), "dot").count("cluster_") == 30
    assert max(map(len, diagram.split("\n"))) < 400


_NAME = r"(?:(?:s|missing|unused|round)\d+|plan)"
_PLAIN = r'"(?:[^"<>\[\]{}()`|\\]|<br/>)*"'
_QUOTED = r'"(?:[^"\\]|\\.)*"'
# What each row of a diagram may be.
ROWS = {
    "mermaid": re.compile(
        rf"""%%\{{init:[ ][^%]*\}}%% | flowchart[ ](TD|LR) | [ ]+(
            classDef[ ]\w+[ ][\w#,:-]+([ ]4)? | class[ ][\w,]+[ ]\w+ | subgraph[ ]s\d+\[{_PLAIN}\] | end
            | {_NAME}(\[{_PLAIN}\]|\(\[{_PLAIN}\]\)):::\w+
            | {_NAME}[ ](-->|-\.->|---)(\|{_PLAIN}\|)?[ ]{_NAME}
        ) |""",
        re.VERBOSE,
    ),
    "dot": re.compile(
        rf"""digraph[ ]plan[ ]\{{ | \}} | [ ]+(
            subgraph[ ]cluster_s\d+[ ]\{{ | \}}
            | ({_NAME}(_end)?([ ]->[ ]{_NAME}(_end)?)?|graph|node|edge)([ ]\[([\w ,=]|{_QUOTED})*\])?;
        ) |""",
        re.VERBOSE,
    ),
}


@LANGUAGES
@given(strategies.plans)
def test_labels_are_only_text(language: DiagramLanguage, plan: PlanSpec) -> None:
    for view in get_args(View):
        diagram = draw_plan(plan, language, view=view)
        assert diagram == visible(diagram)
        rows = diagram.split("\n")
        assert [row for row in rows if not ROWS[language].fullmatch(row)] == []
        named = {match[1] for row in rows if (match := re.match(r" +(?:subgraph )?(s\d+)(?=\[|\(| \[)", row))}
        assert named == {f"s{at}" for at, _ in enumerate(iter_steps(plan))}


@LANGUAGES
def test_time_grows_evenly(language: DiagramLanguage) -> None:
    def make(size: int) -> PlanSpec:
        rows = (f"{at}. [act] a → v{at}\n> ← v{at // 2}, w{at}, v{at + 1}\n" for at in range(1, size))
        return parse_plan("## Steps\n" + "".join(rows))

    def draw(plan: PlanSpec) -> None:
        for view in get_args(View):
            draw_plan(plan, language, view=view)

    assert grows_evenly(make, draw, 300)


# ---------------------------------------------------------------- images

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed here")


@needs_dot
@pytest.mark.parametrize("view", get_args(View))
def test_an_image(view: View) -> None:
    plan = parse_plan(PLAN)
    plan.steps[0].description = HOSTILE + "\uffff\x85"
    plan.steps[1].step_name = "x-1"
    image = minidom.parseString(dot_to_svg(draw_plan(plan, "dot", view=view)))
    texts = [node.firstChild.nodeValue for node in image.getElementsByTagName("text") if node.firstChild is not None]
    assert '"]; click s0' in texts
    assert not image.getElementsByTagName("script") + image.getElementsByTagName("a")
    assert len([row for row in texts if row and "no step" in row]) == (0 if view == "tree" else 2)


def test_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GraphvizError) as caught:
        dot_to_svg("digraph {}")
    assert str(caught.value) == "SVG is made by Graphviz, and its program `dot` is not installed here"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sleep 60", "Graphviz has not ended after 0.2 seconds"),
        ("printf 'no \\033[31m\\n' >&2; exit 3", "Graphviz has failed with 3: no \\x1b[31m"),
    ],
)
def test_graphviz_fails(script: str, said: str, dot: Callable[[str], None]) -> None:
    dot(script)
    with pytest.raises(GraphvizError) as caught:
        dot_to_svg("digraph {}", timeout=0.2 if "sleep" in script else 60)
    assert str(caught.value) == said


def test_graphviz_cannot_be_run(dot: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    dot("true")
    monkeypatch.setattr(shutil, "which", lambda _: "/nowhere/dot")
    with pytest.raises(GraphvizError) as caught:
        dot_to_svg("digraph {}")
    assert str(caught.value) == "Graphviz cannot be run: No such file or directory"


@pytest.fixture
def dot(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def write(script: str) -> None:
        (tmp_path / "dot").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "dot").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return write


def test_a_long_id_is_cut() -> None:
    step = PlanStep(".".join(["1"] * 100), step_type="act", description="a")
    assert f'["…{step.step_id[-40:]} act, pending<br/>a"]' in draw_plan(PlanSpec(steps=[step])).replace("#8230;", "…")
