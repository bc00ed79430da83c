"""Lists in Markdown: which lines are tasks, what their boxes say, and what is said of those that stay text."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from planspec_lark import PlanStatus, PlanSyntaxError, iter_steps, parse_plan
from planspec_lark.engine import OperatorResult, Outcome, StepCall, ThinkEngine
from planspec_lark.exchange import NoListError, blocks, export_into, export_plan, import_text
from planspec_lark.planspec.agenda import ready_steps
from planspec_lark.planspec.data_flow import Order
from tests.cli.running import run
from tests.timing import time_limit


def steps_of(text: str, form: str | None = None) -> list[str]:
    plan = import_text(text, form).plan
    return [f"{step.step_id} {step.status.value} {step.description}" for step in iter_steps(plan)]


def found_in(text: str, form: str | None = None) -> list[str]:
    return [one.code for one in import_text(text, form).report.found]


# ---------------------------------------------------------------- boxes


@pytest.mark.parametrize(
    ("line", "status", "text"),
    [
        ("- [  ] Saw it", "pending", "Saw it"),
        ("- [\t] Saw it", "pending", "Saw it"),
        ("- [ x] Saw it", "done", "Saw it"),
        ("- [x ] Saw it", "done", "Saw it"),
        ("- ☐ Saw it", "pending", "Saw it"),
        ("☐ Saw it", "pending", "Saw it"),
        ("☑ Saw it", "done", "Saw it"),
        ("✅ Saw it", "done", "Saw it"),
        ("• [ ] Saw it", "pending", "Saw it"),
        ("  • [x] Saw it", "done", "Saw it"),
        ("2.1 [x] Saw it", "done", "2.1 Saw it"),
        ("- 2.1 [x] Saw it", "done", "2.1 Saw it"),
        ("- 1. [ ] Saw it", "pending", "1. Saw it"),
        ("- 1. [x] Saw it", "done", "1. Saw it"),
        ("1. ✅ Saw it", "done", "Saw it"),
        ("1. ⏳ Saw it", "active", "Saw it"),
        ("- ~~Saw it~~", "done", "~~Saw it~~"),
        ("- [/] Saw it", "active", "Saw it"),
        ("- [>] Saw it", "active", "Saw it"),
        ("- [-] Saw it", "skipped", "Saw it"),
        ("- [~] Saw it", "skipped", "Saw it"),
        ("- [!] Saw it", "blocked", "Saw it"),
    ],
)
def test_a_box_is_a_box_in_all_its_forms(line: str, status: str, text: str) -> None:
    assert steps_of(f"{line}\n", "checklist") == [f"1 {status} {text}"]


@pytest.mark.parametrize("line", ["- [/x] a", "- [done] a", "- [TODO] a", "- [y] a"])
def test_an_unknown_box_is_an_open_task_with_a_finding(line: str) -> None:
    imported = import_text(f"- [x] known\n{line}\n", "checklist")
    assert imported.plan.steps[1].status is PlanStatus.PENDING
    assert [one.code for one in imported.report.found] == ["EX101"]


@pytest.mark.parametrize("line", ["- [P] a", "- [link](there) a", "- [a b] c"])
def test_other_brackets_are_no_box(line: str) -> None:
    assert found_in(f"- [x] known\n\ntext\n\n* {line[2:]}\n", "checklist") == ["EX112"]


def test_signs_are_no_boxes_where_there_are_boxes() -> None:
    assert steps_of("- [ ] a\n\ntext\n\n* ✅ it works\n") == ["1 pending a"]


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("- [  ] Saw it", "- [x] Saw it"),
        ("☐ Saw it", "☑ Saw it"),
        ("1. ⏳ Saw it", "1. ✅ Saw it"),
        ("• [ ] Saw it", "• [x] Saw it"),
        ("2.1 [ ] Saw it", "2.1 [x] Saw it"),
        ("- 1. [ ] Saw it", "- 1. [x] Saw it"),
    ],
)
def test_one_done_is_one_line(line: str, done: str) -> None:
    text = f"# Shed\n\n{line}\n\nThe end.\n"
    plan = import_text(text, "checklist").plan
    plan.steps[0].status = PlanStatus.DONE
    exported = export_into(plan, text)
    assert (exported.text, exported.lost) == (f"# Shed\n\n{done}\n\nThe end.\n", [])


# ---------------------------------------------------------------- what is beside a step


def test_items_beside_a_step_are_steps() -> None:
    text = "1. Scrape\n2. Prime\n   - [x] First coat\n3. Paint\n"
    assert steps_of(text) == ["1 pending Scrape", "2 done Prime", "2.1 done First coat", "3 pending Paint"]
    assert import_text(export_plan(import_text(text).plan, "checklist").text).plan == import_text(text).plan


def test_an_item_without_a_box_gets_one_when_it_is_done() -> None:
    text = "1. Scrape\n2. Prime\n   - [x] First coat\n3. Paint\n"
    plan = import_text(text).plan
    plan.steps[2].status = PlanStatus.DONE
    assert export_into(plan, text).text == text.replace("3. Paint", "3. [x] Paint")
    text = "- ✅ Scrape\n- Paint\n"
    plan = import_text(text).plan
    plan.steps[1].status = PlanStatus.DONE
    assert export_into(plan, text).text == "- ✅ Scrape\n- ☑ Paint\n"


def test_headings_beside_a_step_are_steps_if_they_are_counted() -> None:
    text = "## 1. Scrape\n\nWell.\n\n## 2. Prime\n\n- [x] a\n\n## 3. Paint\n\n## Notes\n\nNone.\n"
    assert [line.split(" ", 2)[2] for line in steps_of(text, "checklist")] == ["1. Scrape", "2. Prime", "a", "3. Paint"]
    plan = import_text(text, "checklist").plan
    assert import_text(export_plan(plan, "checklist").text, "checklist").plan == plan


def test_what_a_format_says_below_its_tasks_is_detail() -> None:
    assert steps_of("- [ ] 1. a\n  - Ask first\n  - [ ] 1.1 b\n  - _Requirements: 1_\n") == [
        "1 pending a",
        "1.1 pending b",
    ]


def test_a_list_that_stays_text_is_counted() -> None:
    imported = import_text("## Now\n\n- [ ] a\n\nLater:\n\n- b\n- c\n  - d\n\n## Notes\n\n- e\n")
    assert [one.message for one in imported.report.found] == [
        "3 lines look like tasks, and are kept as text; the last is line 9"
    ]
    assert imported.report.similar == [7, 8, 9]
    assert imported.report.to_dict()["similar"] == [7, 8, 9]


@pytest.mark.parametrize(
    ("text", "similar"),
    [
        ("- [ ] T001 a\n\n## Notes\n\n- T001 is easy\n- b\n- T002 is new\n", [7]),
        ("- [ ] a\n\n## Notes\n\n- b\n- ✅ c\n- ~~d~~\n- [US1] e\n- [x]f\n", [6, 7, 9]),
        ("1. a\n2. b\n\n## Notes\n\n- c\n", [6]),
    ],
)
def test_in_other_sections_only_what_has_the_form_of_a_task_is_counted(text: str, similar: list[int]) -> None:
    assert import_text(text).report.similar == similar


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("- [ ] a\n\n```\n- [ ] b\n- c\n", 2),
        ("- [ ] a\n\n<!--\n- [ ] b\n", 1),
        ("- [ ] a\n\n```\n- [ ] b\n```\n", 0),
        ("- [ ] a\n\n```\nmake\n", 0),
    ],
)
def test_what_has_no_end_and_hides_items_is_found(text: str, hidden: int) -> None:
    report = import_text(text).report
    assert [one.code for one in report.found] == ["EX113"] * bool(hidden)
    assert len(report.similar) == hidden


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("- [x] a\n  - [ ] b\n", ["pending", "pending"]),
        ("- [x] a\n  - [x] b\n  - [ ] c\n", ["active", "done", "pending"]),
        ("- [x] a\n  - [x] b\n  - [-] c\n", ["done", "done", "skipped"]),
        ("- [x] a\n  - [x] b\n    - [ ] c\n", ["pending", "pending", "pending"]),
    ],
)
def test_a_box_is_done_only_when_all_below_it_is(text: str, statuses: list[str]) -> None:
    imported = import_text(text)
    assert [step.status.value for step in iter_steps(imported.plan)] == statuses
    assert ("EX114" in found_in(text)) == (statuses[0] != "done")
    assert export_into(imported.plan, text).text == text


def test_what_may_be_left_out_holds_nothing_up() -> None:
    assert steps_of("- [x] 1. a\n  - [x] 1.1 b\n  - [ ]* 1.2 c\n")[0] == "1 done a"


def test_a_list_beside_a_note_is_one_of_its_own() -> None:
    plan = parse_plan("Goal: g\n> - cups\n## Steps\n1. [act] a\n")
    assert export_plan(plan, "checklist").text == "g\n\n- cups\n\n* [ ] a\n"


# ---------------------------------------------------------------- several lists

TWO = "1. Bake bread\n2. Pack\n\nOr:\n\n1. Buy bread\n2. Pack\n3. Go\n"


def test_several_lists_are_named_and_one_can_be_chosen() -> None:
    imported = import_text(TWO)
    (found,) = imported.report.found
    assert found.message == "2 lists on one level, all read as tasks: 1 in lines 1 to 2, 2 in lines 6 to 8"
    assert [step.description for step in imported.plan.steps] == ["Bake bread", "Pack", "Buy bread", "Pack", "Go"]
    chosen = import_text(TWO, list=2)
    assert [step.description for step in chosen.plan.steps] == ["Buy bread", "Pack", "Go"]
    assert chosen.report.similar == [1, 2]
    assert len([*chosen.report.carried, *chosen.report.kept]) == 6


@pytest.mark.parametrize(("text", "number"), [(TWO, 3), ("- [ ] a\n", 1), ('{"tasks": [{"id": 1, "title": "a"}]}', 1)])
def test_what_is_no_list_cannot_be_chosen(text: str, number: int) -> None:
    with pytest.raises(NoListError):
        import_text(text, list=number)


def test_lists_below_headings_are_phases() -> None:
    assert found_in("## A\n\n1. a\n\n## B\n\n1. b\n") == []


def test_lists_that_go_on_are_one() -> None:
    assert found_in("1. a\n2. b\n\ntext\n\n3. c\n") == []


# ---------------------------------------------------------------- the command


def test_the_command_counts_what_may_be_tasks(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text("- [ ] a\n\nLater:\n\n- b\n", encoding="utf-8")
    ran = run("import", path)
    assert ran.exit_code == 0
    assert "0 left out; 1 kept line may be tasks" in ran.stderr
    ran = run("import", "--strict", path)
    assert ran.exit_code == 1
    assert "1. [act] a\n" in ran.stdout
    path.write_text(TWO, encoding="utf-8")
    ran = run("import", "--list", "2", path)
    assert "1. [act] Buy bread\n" in ran.stdout
    ran = run("import", "--list", "4", path)
    assert (ran.exit_code, "there is no list 4: the text has 2 lists" in ran.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("### A\n    - [x] a\n    - [x] b\n    - [ ] c\n", "1. 1.1. 1.2. 1.3."),
        ("- [ ] a\n        - [ ] b\n        - [ ] c\n", "1. 1.1. 1.2."),
        ("1. [ ] a\n    - [ ] b\n          1. [ ] c\n          2. [ ] d\n", "1. 1.1. 1.1.1. 1.1.2."),
        ("- [ ] a\n  more\n        - [ ] b\n", "1. 1.1."),
        ("text\n    - [ ] a\n    - [ ] b\n", "1. 2."),
    ],
)
def test_an_item_with_a_box_is_one_however_far_it_is_indented(text: str, ids: str) -> None:
    imported = import_text(text)
    steps = [*iter_steps(imported.plan)]
    assert " ".join(f"{step.step_id}." for step in steps) == ids
    steps[-1].status = PlanStatus.DONE
    changed = export_into(imported.plan, text).text
    assert [line for line in changed.split("\n") if line not in text.split("\n")] == [
        text.split("\n")[-2].replace("[ ]", "[x]")
    ]


def test_a_few_headings_with_numbers_among_many_are_no_series() -> None:
    text = "".join(f"## {name}\n\n1. Do {name}\n\n" for name in "abcdef") + "## Example 1\n\nx\n\n## Example 2\n\ny\n"
    assert steps_of(text, "markdown")[:2] == ["1 pending a", "1.1 pending Do a"]


def test_a_sentence_with_a_number_at_the_start_of_a_line_is_no_list() -> None:
    text = "**Aim**\nRun it, look at it,\nget 8–12 tasks of it, and\ngo on with them,\nas long as it takes.\n\n"
    assert steps_of(text + "1. Load\n2. Check\n", "markdown") == ["1 pending Load", "2 pending Check"]


@pytest.mark.parametrize(("column", "is_read"), [("1", True), ("x", False)])
def test_a_table_is_a_list_if_its_rows_have_numbers(column: str, is_read: bool) -> None:
    text = f"| | What |\n|---|---|\n| {column} | Load |\n| {column.replace('1', '2')} | Check |\n"
    if is_read:
        assert steps_of(text, "markdown") == ["1 pending Load", "2 pending Check"]
    else:
        with pytest.raises(PlanSyntaxError, match="no tasks"):
            import_text(text, "markdown")


def test_a_box_in_a_code_block_is_none_of_the_list() -> None:
    text = "- ✅ a\n- ☐ b\n\n```\n- [ ] c\n```\n"
    imported = import_text(text)
    imported.plan.steps[0].status = PlanStatus.PENDING
    assert export_into(imported.plan, text).text == text.replace("✅", "☐")


_ROWS = [
    "- [ ] a",
    "- b",
    "* c",
    "  - [x] d",
    "1. e",
    "2. e",
    "2. ```",
    "3) e",
    "   e",
    "        - [ ] e",
    "**e**",
    "#e",
    "☐ e",
    "2.1 [x] e",
    "## f",
    "```",
    "  ```",
    "<div>",
    "> g",
    "- - -",
    "",
    "h",
    "- ```",
    "• i",
]


@given(st.lists(st.sampled_from(_ROWS), max_size=12))
def test_a_text_in_pieces_has_the_same_blocks(rows: list[str]) -> None:
    whole = [repr_of(block) for block in blocks.read_blocks(rows)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_PIECE", 1)
        assert [repr_of(block) for block in blocks.read_blocks(rows)] == whole


def repr_of(block: blocks.Block) -> object:
    # Blank lines after what ends a piece belong to no list.
    return block.kind, block.first, block.text, [repr_of(below) for below in block.blocks]


# ---------------------------------------------------------------- dependencies, formats, time


def test_an_earlier_task_that_needs_a_later_one_is_named() -> None:
    imported = import_text("- [ ] T001 a (depends on T002)\n- [ ] T002 b\n")
    assert [(one.code, one.message) for one in imported.report.found] == [("EX116", "it needs T002, which comes later")]
    assert found_in("- [ ] T001 a\n- [ ] T002 b (depends on T001)\n") == []


PHASES = """\
# Tasks: Tea

## Phase 1: Setup

- [ ] T001 Create
- [ ] T002 [P] Lint
- [ ] T003 [US1] [P] Format
- [-] T004 Drop
- [ ] T005 [P] Docs

## Phase 2: Core

- [ ] T006 [P] One
- [ ] T007 [P] Two (depends on T002)
- [ ] T008 End
"""
WAVES = """\
- [ ] 1. Read
  - [ ] 1.1 A
  - [ ]* 1.2 B
  - [ ] 1.3 C
- [ ] 2. Turn
  - [ ] 2.1 D
  - [ ] 2.2 E

## Task Dependency Graph

```json
{"waves": [{"id": 0, "tasks": ["1.1", "1.2", "2.1"]}, {"id": 1, "tasks": ["1.3", "2.2", "9"]}]}
```
"""


@pytest.mark.parametrize(
    ("text", "order", "done", "ready"),
    [
        (PHASES, "text", ("T001",), "T002 T003 T005"),
        (PHASES, "text", ("T001", "T003", "T005"), "T002"),
        # A run would not know what came of what is done already, so nothing says that it takes that.
        (PHASES.replace("[ ] T001", "[x] T001"), "text", (), "T002"),
        (PHASES, "text", ("T001", "T002", "T003", "T005"), "1 T007"),
        (PHASES, "text", ("T001", "T002", "T003", "T005", "1"), "T006 T007"),
        (WAVES, "data", (), "task-1-1 task-1-2 task-2-1"),
        (WAVES, "data", ("task-1-1",), "task-1-2 task-1-3 task-2-1"),
        (WAVES, "data", ("task-1-1", "task-2-1"), "task-1-2 task-1-3 task-2-2"),
        ("- [ ] 1. A\n- [ ] 2. (P) B\n- [ ] 3. (P) C\n- [ ] 4. D\n", "text", ("task-1",), "task-2 task-3"),
    ],
)
def test_what_a_list_says_is_parallel_waits_for_nothing_else(
    text: str, order: Order, done: Collection[str], ready: str
) -> None:
    imported = import_text(text, "spec-kit" if "Phase" in text else "kiro")
    for step in iter_steps(imported.plan):
        if step.step_name in done or step.step_id in done:
            step.status = PlanStatus.DONE
    assert " ".join(one.step_name or one.step_id for one in ready_steps(imported.plan, order=order)) == ready
    # The list says so already.
    assert export_plan(imported.plan, imported.report.format).text.count("epends") == text.count("epends")


def test_what_is_done_in_all_its_parts_is_not_waited_for() -> None:
    text = "- [ ] Phase A\n  - [x] a\n  - [{}] b\n- [ ] B\n  - [ ] T003 [P] c\n"
    waits = {mark: [one.inputs for one in iter_steps(import_text(text.format(mark)).plan)][-1] for mark in "x "}
    assert waits == {"x": [], " ": ["Phase_A"]}


def test_a_wave_that_goes_against_the_order_of_the_list_is_named_once() -> None:
    imported = import_text(WAVES.replace('"2.1"', '"2.2"', 1).replace('["1.3", "2.2", ', '["1.2", "1.3", "2.1", '))
    (found,) = imported.report.found
    assert (found.code, found.line) == ("EX116", 3)
    assert found.message == "the dependency on 2.2 is left out: that task comes later; so are 2 more like it"


@pytest.mark.parametrize(
    "body", ["", "[", "[" * 100_000, '{"waves": 3}', '{"waves": [{"tasks": [["1"]]}]}', '{"waves": [[]]}']
)
def test_waves_that_are_none_say_nothing(body: str) -> None:
    text = f'- [ ] 1. A\n- [ ] 2. B\n\n## Graph\n\n```json\n{body}\n```\n\n"waves"\n'
    assert not any(step.inputs for step in iter_steps(import_text(text, "kiro").plan))


def test_a_sign_beside_boxes_is_text_and_its_item_gets_a_box() -> None:
    text = "- [ ] a\n- ✅ b\n"
    plan = import_text(text).plan
    assert [step.status.value for step in plan.steps] == ["pending", "pending"]
    plan.steps[1].status = PlanStatus.DONE
    assert export_into(plan, text).text == "- [ ] a\n- [x] ✅ b\n"


def test_a_copy_elsewhere_keeps_its_numbers() -> None:
    text = "## 7. Hall\n\n### 7.2 Roof\n\n- [ ] Buy tiles\n- [ ] Lay tiles\n"
    plan = import_text(text, name="openspec/changes/roof/tasks.md").plan
    assert plan.steps[0].children[0].description == "Roof"
    plan.steps[0].children[0].children[0].status = PlanStatus.DONE
    exported = export_into(plan, text, name="copy.md")
    assert (exported.text, exported.format) == (text.replace("[ ] Buy", "[x] Buy"), "openspec")


@pytest.mark.parametrize(
    "text",
    [
        '{"version": "2.0.0", "tasks": [{"label": "build", "type": "shell", "command": "make"}]}',
        '{"version": "2.0.0", "tasks": []}',
    ],
)
@pytest.mark.parametrize("form", [None, "task-master"])
def test_tasks_of_an_editor_are_no_list(text: str, form: str | None) -> None:
    with pytest.raises(PlanSyntaxError, match="EX110"):
        import_text(text, form, name=".vscode/tasks.json")


@pytest.mark.parametrize("form", ["checklist", "markdown"])
@pytest.mark.parametrize("piece", ["| a ", "**a", "1.1", "第一", "- ", "[ ", "a 1 ", "|-", "~~a", "> ", "☐ ", "1️⃣ "])
def test_long_lines_take_little_time(piece: str, form: str) -> None:
    for text in (piece * 5000, f"{piece * 5000}\n- a\n", f"- {piece * 5000}\n", f"{piece}\n" * 5000 + "- a\n"):
        with time_limit(5), suppress(PlanSyntaxError):
            import_text(text, form)


@pytest.mark.parametrize("done", ["", "T001", "T002", "T001 T002"])
def test_an_imported_list_can_be_run_where_a_phase_is_waited_for(done: str) -> None:
    """What a step with others below it puts out, the last of these that is to be done has to put out."""
    ids = {f"T00{at}": "x" if f"T00{at}" in done else " " for at in range(1, 5)}
    rows = [f"- [{box}] {task}{' [P]' if task > 'T002' else ''} do it" for task, box in ids.items()]
    text = "\n".join(["# Tasks: g", "", "## Phase 1: a", "", *rows[:2], "", "## Phase 2: b", "", *rows[2:], ""])
    engine = ThinkEngine(import_text(text, "spec-kit").plan, _make_all)
    assert engine.run().outcome is Outcome.CONVERGED


def _make_all(call: StepCall) -> OperatorResult:
    return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))
