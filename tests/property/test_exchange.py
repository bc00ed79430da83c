"""Task lists of other tools: every line of any list is accounted for, and what comes back is what was said."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, example, given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanSyntaxError, Severity, check_text, iter_steps, parse_plan
from planspec_lark.exchange import FORMATS, ImportResult, export_into, export_plan, import_text, update_text
from planspec_lark.planspec import plan_from_dict

MARKDOWN = FORMATS[:5]

_LINES = [
    *["- [ ] Task", "- [x] Done", "* [X] Star", "+ [-] Plus", "1. [ ] Number", "2) item", "- plain", "- [?] odd"],
    *["-[ ] near", "- [ ]", "- []", "- [ ]* 1.1 optional", "- [x] 1. First", "- [ ] 1.2 Second", "- [ ] T002 Two"],
    *[
        "- [ ] T001 [P] One (depends on T002)",
        "- [P] letter",
        "# Title",
        "## Phase 1: Setup",
        "## 1. Group",
        "### Deep",
    ],
    *[
        "####### no",
        "#",
        "text",
        "Goes on",
        "and on",
        "**Label**: x",
        "_Depends: 1.1_",
        "- _Depends: 1.1_",
        "```",
        "~~~",
    ],
    *["  - _Requirements: 1_", "<!--", "-->", "<b>", "> quote", "---", "===", "***", "| a | b |", "[tag]"],
    *["[optional]", "\\[heading 2]", "[no box]", "Goal: x", "> ← a", "→ out | res", "[a]: b"],
    *["- [ ] a → b | Progress: 1/2", "## Dependencies", "- T001 before T002", "- - [ ] twice", "- ```", "中文 续"],
    *["- [ ] 任务", "a\x0bb", "\x00", "\ufeff", "\u2028", "\t- [ ] tab", "10. [x] ten"],
]
_ROWS = st.builds(
    lambda indent, line, end: f"{indent}{line}{end}",
    st.sampled_from(["", "", "", "  ", "   ", "    ", "      ", "\t"]),
    st.sampled_from([*_LINES, "", ""]) | st.text(max_size=12).map(lambda text: text.replace("\n", " ")),
    st.sampled_from(["", "", "", " ", "\r"]),
)
LISTS = st.lists(_ROWS, max_size=12).map("\n".join)


def bring_in(text: str, form: str) -> ImportResult:
    try:
        return import_text(text, form)
    except PlanSyntaxError as error:
        # A file without tasks is refused, and nothing else is.
        assume("EX110" not in {one.code for one in error.diagnostics})
        raise


@given(text=LISTS, form=st.sampled_from(MARKDOWN))
@example(text="- [ ] a\n  b\n\n      - [ ] c\n", form="checklist")
@example(text="# T\n\n[tag]\n\n- [ ] a\n", form="checklist")
@example(text="- - [ ] twice", form="kiro")
def test_every_line_is_accounted_for(form: str, text: str) -> None:
    imported = bring_in(text, form)
    report = imported.report
    lines = text.removeprefix("\ufeff").split("\n")
    entries = sorted([*report.carried, *report.kept, *report.left_out], key=lambda entry: entry.line)
    assert [entry.line for entry in entries] == [number for number, line in enumerate(lines, 1) if line.strip()]
    assert parse_plan(imported.text) == imported.plan
    assert not [one for one in check_text(imported.text) if one.severity is Severity.ERROR]
    # What has not changed is not changed.
    assert update_text(imported.text, imported.plan) == (imported.text, [])
    assert export_into(imported.plan, text, form).text == text


# ---------------------------------------------------------------- trees


TEXTS = st.from_regex(r"[A-Z][a-z]{0,8}( [a-z→|\\\[\]]{1,6}){0,3}", fullmatch=True)
NOTES = st.lists(st.sampled_from(["- why", "Because", "> so", "- _Requirements: 1.1_"]), max_size=2)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> list[dict[str, Any]]:
    several = draw(
        st.lists(st.tuples(TEXTS, st.sampled_from(["pending", "done"])), min_size=1 - bool(depth), max_size=3)
    )
    return [
        {
            "step_type": "act",
            "description": text,
            "status": status,
            "children": draw(trees(depth + 1)) if depth < 3 and draw(st.booleans()) else [],
        }
        for text, status in several
    ]


def number(steps: list[dict[str, Any]], head: str = "") -> list[dict[str, Any]]:
    for at, step in enumerate(steps, start=1):
        step["step_id"] = f"{head}{at}"
        step["step_type"] = "subtask" if step["children"] else "act"
        number(step["children"], f"{head}{at}.")
    return steps


@given(steps=trees(), form=st.sampled_from([*MARKDOWN, "task-master"]))
def test_a_plan_survives_an_export(form: str, steps: list[dict[str, Any]]) -> None:
    plan = plan_from_dict({"title": "Title", "goal": "Reach it", "steps": number(steps)})
    again = import_text(export_plan(plan, form).text, form).plan

    def outline(one: PlanSpec) -> list[tuple[Any, ...]]:
        # An import says of an arrow that it is text, which the plan may have left open.
        return [(s.step_id, s.description.replace("\\→", "→"), s.step_type) for s in iter_steps(one)]

    assert outline(again) == outline(plan)
    states = [(ours.status, theirs.status) for ours, theirs in zip(iter_steps(plan), iter_steps(again), strict=True)]
    leaves = [not step.children for step in iter_steps(plan)]
    assert all(ours is theirs for (ours, theirs), is_leaf in zip(states, leaves, strict=True) if is_leaf)


# ---------------------------------------------------------------- JSON


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.text(max_size=5)
    | st.sampled_from(["done", "1.1", "a\r\nb\n", "\x07"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
_FIELDS = ["id", "title", "status", "dependencies", "subtasks", "description", "details", "priority", "x", "a b", ""]


def _task(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    right = st.fixed_dictionaries(
        {"id": st.integers(1, 5), "title": TEXTS},
        optional={
            "status": st.sampled_from(["pending", "done", "review", "deferred", "odd"]),
            "dependencies": st.lists(st.integers(1, 5) | st.sampled_from(["1", "2.1", "x"]), max_size=3),
            "details": st.text(max_size=8),
            "subtasks": st.lists(inner, max_size=3),
        },
    )
    return right | right | st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=5)


TASKS = st.lists(_task(_task(_VALUES)) | _VALUES, min_size=1, max_size=4)
FILES = st.builds(lambda tasks: {"tasks": tasks}, TASKS) | st.dictionaries(
    st.sampled_from(["master", "feature/x", "a b", "t"]),
    st.builds(lambda tasks: {"tasks": tasks, "m": 1}, TASKS),
    min_size=1,
)


@given(value=FILES)
def test_json_comes_back(value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    imported = bring_in(text, "task-master")
    assert parse_plan(imported.text) == imported.plan
    assert not [one for one in check_text(imported.text) if one.severity is Severity.ERROR]
    assert update_text(imported.text, imported.plan) == (imported.text, [])
    assert export_into(imported.plan, text, "task-master").text == text
    # What is changed is changed in its place.
    leaf = next(step for step in iter_steps(imported.plan) if not step.children)
    leaf.status = PlanStatus.DONE
    again = import_text(export_into(imported.plan, text, "task-master").text, "task-master").plan
    assert [step.status for step in iter_steps(again) if step.step_id == leaf.step_id] == [PlanStatus.DONE]
    assert [step.description for step in iter_steps(again)] == [step.description for step in iter_steps(imported.plan)]
