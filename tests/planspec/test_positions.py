"""Where every field stands: the slices of the text are what was read."""

from __future__ import annotations

import pytest

from planspec_lark import scan_plan
from planspec_lark.planspec.positions import Fields
from planspec_lark.syntax import Span

TEXT = """\
\ufeff
# Plan:  Boats\t
**Goal**:  Launch
  >   by noon
>
Constraints:
-  no rain
  - two crews

## Steps
 1. [>]\tdock  [subtask] Clear it → dock_free ,log | half | Progress: 1/2 | of it
   >  ← crew, tide
   > slowly

   >   ←  wind
   >
 1.1. [act]
2. [ ] [act]  → out
3. [act] Say \\→ hello | \\Progress: fine
"""


def slices(fields: Fields, text: str) -> dict[str, list[str]]:
    return {name: [text[span.start : span.end] for span in spans] for name, spans in fields.items()}


@pytest.fixture(params=["\n", "\r\n"], ids=["LF", "CRLF"])
def text(request: pytest.FixtureRequest) -> str:
    return TEXT.replace("\n", request.param)


def test_the_fields_of_the_plan(text: str) -> None:
    positions = scan_plan(text).positions
    assert slices(positions.fields, text) == {
        "title": ["Boats"],
        "goal": ["Launch"],
        "goal_detail": [">   by noon", ">"],
        "constraints": ["no rain", "two crews"],
    }


@pytest.mark.parametrize(
    ("step_id", "expected"),
    [
        (
            "1",
            {
                "step_id": ["1"],
                "status": ["[>]"],
                "step_name": ["dock"],
                "step_type": ["[subtask]"],
                "description": ["Clear it"],
                "outputs": ["dock_free", "log"],
                "result": ["half", "of it"],
                "done_count": ["Progress: 1/2"],
                "inputs": ["crew", "tide", "wind"],
                "detail": ["> slowly", ">"],
            },
        ),
        ("1.1", {"step_id": ["1.1"], "step_type": ["[act]"]}),
        ("2", {"step_id": ["2"], "status": ["[ ]"], "step_type": ["[act]"], "outputs": ["out"]}),
        (
            "3",
            {
                "step_id": ["3"],
                "step_type": ["[act]"],
                "description": ["Say \\→ hello"],
                "result": ["\\Progress: fine"],
            },
        ),
    ],
)
def test_the_fields_of_a_step(text: str, step_id: str, expected: dict[str, list[str]]) -> None:
    assert slices(scan_plan(text).positions.step(step_id).fields, text) == expected


@pytest.mark.parametrize(
    ("step_id", "first", "last"),
    [("1", " 1. [>]"[1:], ">"), ("1.1", "1.1. [act]", "1.1. [act]"), ("2", "2. [ ]", "out")],
)
def test_a_step_spans_its_summary_line_and_its_body(text: str, step_id: str, first: str, last: str) -> None:
    span = scan_plan(text).positions.steps[step_id].span
    whole = text[span.start : span.end]
    assert whole.startswith(first)
    assert whole.endswith(last)


def test_lines_and_columns(text: str) -> None:
    positions = scan_plan(text).positions
    assert _position(positions.fields["title"][0]) == (2, 10, 2, 15)
    assert _position(positions.step("1").fields["outputs"][1]) == (11, 47, 11, 50)
    assert _position(positions.step("1").fields["inputs"][2]) == (15, 11, 15, 15)
    assert _position(positions.step("1").span) == (11, 2, 16, 5)


def _position(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


def test_an_unknown_step_has_no_place() -> None:
    with pytest.raises(KeyError):
        scan_plan(TEXT).positions.step("9")


def test_a_last_line_without_end() -> None:
    text = "Goal: g\n## Steps\n1. [act] a → b\n> ← c"
    assert slices(scan_plan(text).positions.step("1").fields, text)["inputs"] == ["c"]
    text = "Goal: g\n> d"
    assert slices(scan_plan(text).positions.fields, text) == {"goal": ["g"], "goal_detail": ["> d"]}


def test_characters_beyond_the_basic_plane_count_as_one() -> None:
    text = "Goal: 👩‍👩‍👧\n## Steps\n1. [act] 👍👍 → b\n"
    fields = scan_plan(text).positions.step("1").fields
    assert slices(fields, text)["outputs"] == ["b"]
    assert fields["outputs"][0].column == 15


def test_the_fields_of_a_repaired_line_stand_at_that_line() -> None:
    text = "Goal：g\nConstraints:\n* c\n- d\n## Steps\n  1) [act] a → b\n  > e\n"
    positions = scan_plan(text).positions
    assert slices(positions.fields, text) == {"goal": ["Goal：g"], "constraints": ["* c", "d"]}
    fields = slices(positions.step("1").fields, text)
    assert fields["detail"] == ["> e"]
    assert {piece for name, pieces in fields.items() if name != "detail" for piece in pieces} == {"1) [act] a → b"}


def test_a_step_that_was_left_out_has_no_place() -> None:
    text = "## Steps\n1. [act] a\n1. [act] b\n> c\n"
    positions = scan_plan(text).positions
    assert slices(positions.step("1").fields, text)["description"] == ["a"]


def test_bounds_stay_when_a_part_of_the_places_was_found() -> None:
    text = "\nGoal: g\n## Steps\n1. [act] a\n2. [act] b\n"
    positions = scan_plan(text).positions
    bounds = positions.bounds
    assert bounds == (1, len(text) - 1)
    positions.step("1")
    assert positions.bounds == bounds
