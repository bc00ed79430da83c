"""What each format means: which one a text is in, statuses, ids and dependencies, both ways."""

from __future__ import annotations

import json

import pytest

from planspec_lark import PlanStatus, PlanStep, PlanSyntaxError, find_step, lint_plan, parse_plan
from planspec_lark.exchange import FORMATS, export_into, export_plan, import_text, update_text
from planspec_lark.exchange.conversion import id_of, name_of
from planspec_lark.planspec.models import iter_steps


def steps_of(text: str, form: str) -> dict[str, tuple[list[str], list[str]]]:
    """Inputs and outputs of each step with a name."""
    plan = import_text(text, form).plan
    todo, found = [*plan.steps], {}
    while todo:
        step = todo.pop()
        if step.step_name:
            found[step.step_name] = (step.inputs, step.outputs)
        todo += step.children
    return found


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("- [ ] a\n", "checklist"),
        ("1. a\n", "checklist"),
        ("- [ ] 1. a\n  - [ ] 1.1 b\n", "kiro"),
        ("## 1. A\n- [ ] 1.1 a\n", "openspec"),
        ("## 1. A\n- [ ] 1.1 a\n  - _Requirements: 2_\n", "kiro"),
        ("- [ ] T001 a\n", "spec-kit"),
        # A number here and there is no format.
        ("- [ ] 1. a\n- [ ] b\n- [ ] c\n", "checklist"),
        ("- [ ] 1. a\n- [ ] b\n  - _Requirements: 1.1_\n", "kiro"),
        ("- [ ] 1. a\n- [ ]* b\n- [ ] c\n", "kiro"),
        ("## 1. A\n- [ ] 1.1 a\n- [ ] b\n- [ ] c\n- [ ] d\n", "checklist"),
        ('{"tasks": [{"id": 1, "title": "a"}]}', "task-master"),
        ('\ufeff {"tag": {"tasks": [{"id": 1, "title": "a"}]}}', "task-master"),
    ],
)
def test_the_format_is_found_out(text: str, form: str) -> None:
    assert import_text(text).report.format == form


@pytest.mark.parametrize(
    ("path", "form"),
    [
        (".kiro/specs/clock/tasks.md", "kiro"),
        ("project/.kiro/specs/tasks.md", "kiro"),
        ("project\\.kiro\\specs\\clock\\tasks.md", "kiro"),
        (".kiro/steering/roadmap.md", "checklist"),
        ("openspec/changes/archive/clock/tasks.md", "openspec"),
        ("openspec/work/clock/roadmap.md", "checklist"),
        ("specs/001-clock/tasks.md", "spec-kit"),
        ("specs/clock/tasks.md", "checklist"),
        (".taskmaster/docs/tasks.md", "checklist"),
    ],
)
@pytest.mark.parametrize("text", ["- [ ] a\n", "- a\n"])
def test_the_place_of_a_file_says_its_format(text: str, path: str, form: str) -> None:
    assert import_text(text, name=path).report.format == form


def test_what_a_file_says_weighs_more_than_a_folder_of_specs() -> None:
    text = "- [ ] 1. a\n  - _Requirements: 1.1_\n"
    assert import_text(text, name="specs/001-clock/tasks.md").report.format == "kiro"


@pytest.mark.parametrize("text", ["", "only text\n", "# A heading\n", "```\n- [ ] a\n```\n"])
def test_what_has_no_tasks_is_refused(text: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        import_text(text)
    assert [one.code for one in caught.value.diagnostics] == ["EX110"]


def test_a_plan_is_refused_at_its_start() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        import_text("## Steps\n1. [act] Wind the clock\n")
    [found] = caught.value.diagnostics
    assert (found.message, found.line, found.column) == ("this is already a PlanSpec plan", 1, 1)
    assert found.span is not None
    assert (found.span.start, found.span.end) == (0, 0)


def test_broken_json_is_refused_with_its_place() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        import_text('{"tasks": [{"id": 1 "title": "a"}]}')
    assert [(one.code, one.column) for one in caught.value.diagnostics] == [("PJ111", 20)]


def test_there_is_no_other_format() -> None:
    with pytest.raises(ValueError, match="'trello' is not one of checklist, kiro"):
        import_text("- [ ] a\n", "trello")


# ---------------------------------------------------------------- statuses

_P = PlanStatus
STATUSES = [
    ("checklist", " ", _P.PENDING, " "),
    ("checklist", "x", _P.DONE, "x"),
    ("checklist", "X", _P.DONE, "x"),
    ("checklist", "✅", _P.DONE, "x"),
    ("openspec", "✓", _P.DONE, "x"),
    ("spec-kit", "✔", _P.DONE, "x"),
    ("kiro", "☑", _P.DONE, "x"),
    ("kiro", "-", _P.ACTIVE, "-"),
    ("kiro", "~", _P.PENDING, " "),
    ("task-master", "pending", _P.PENDING, "pending"),
    ("task-master", "in-progress", _P.ACTIVE, "in-progress"),
    ("task-master", "review", _P.ACTIVE, "in-progress"),
    ("task-master", "done", _P.DONE, "done"),
    ("task-master", "completed", _P.DONE, "done"),
    ("task-master", "blocked", _P.BLOCKED, "blocked"),
    ("task-master", "deferred", _P.BLOCKED, "blocked"),
    ("task-master", "cancelled", _P.SKIPPED, "cancelled"),
    ("task-master", "odd", _P.PENDING, "pending"),
]


def task_with(form: str, sign: str) -> str:
    if form == "task-master":
        return json.dumps({"tasks": [{"id": 1, "title": "a", "status": sign}]})
    return f"- [{sign}] a\n"


@pytest.mark.parametrize(("form", "sign", "status", "back"), STATUSES)
def test_statuses(form: str, sign: str, status: PlanStatus, back: str) -> None:
    plan = import_text(task_with(form, sign), form).plan
    assert plan.steps[0].status is status
    exported = export_plan(plan, form).text
    if form == "task-master":
        assert json.loads(exported)["master"]["tasks"][0]["status"] == back
    else:
        number = {"checklist": "", "spec-kit": "T001 "}.get(form, "1. ")
        assert exported == f"- [{back}] {number}a\n"


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("pending", "pending"),
        ("active", "in-progress"),
        ("done", "done"),
        ("blocked", "blocked"),
        ("skipped", "cancelled"),
    ],
)
def test_a_raw_status_gives_way_to_a_new_one(status: str, word: str) -> None:
    text = task_with("task-master", "review")
    plan = import_text(text, "task-master").plan
    plan.steps[0].status = PlanStatus(status)
    wanted = "review" if status == "active" else word
    assert json.loads(export_into(plan, text).text)["tasks"][0]["status"] == wanted


@pytest.mark.parametrize("raw", ["odd", 5, ["done"]])
def test_a_status_that_is_unknown_gives_way_to_a_new_one(raw: object) -> None:
    text = json.dumps({"tasks": [{"id": 1, "title": "a", "status": raw}]})
    plan = import_text(text, "task-master").plan
    assert export_into(plan, text).text == text
    plan.steps[0].status = PlanStatus.DONE
    assert json.loads(export_into(plan, text).text)["tasks"][0]["status"] == "done"
    assert json.loads(export_plan(plan, "task-master").text)["master"]["tasks"][0]["status"] == "done"


@pytest.mark.parametrize(
    ("boxes", "status"),
    [("xx", "done"), ("x ", "pending"), ("  ", "pending"), ("x-", "active")],
)
def test_a_heading_has_the_status_of_what_is_below(boxes: str, status: str) -> None:
    text = "# A\n" + "".join(f"- [{sign}] 1. a\n" for sign in boxes) + "# B\n- [ ] 2. b\n"
    assert import_text(text, "kiro").plan.steps[0].status.value == status


@pytest.mark.parametrize(
    ("below", "status"),
    [
        (["done", "cancelled"], "done"),
        (["cancelled"], "skipped"),
        (["cancelled", "pending"], "pending"),
        (["cancelled", "in-progress"], "active"),
    ],
)
def test_a_tag_has_the_status_of_its_tasks(below: list[str], status: str) -> None:
    tasks = [{"id": at, "title": "a", "status": one} for at, one in enumerate(below, start=1)]
    text = json.dumps({"master": {"tasks": tasks}, "v1": {"tasks": [{"id": 1, "title": "b"}]}})
    assert import_text(text, "task-master").plan.steps[0].status.value == status


# ---------------------------------------------------------------- ids


@pytest.mark.parametrize(
    ("task_id", "name"),
    [
        ("T001", "T001"),
        ("1", "task-1"),
        ("1.2", "task-1-2"),
        ("3.6a", "task-3-6a"),
        ("main/1.2", "main_task-1-2"),
        ("main", "main"),
    ],
)
def test_ids_come_back(task_id: str, name: str) -> None:
    assert name_of(task_id) == name
    assert id_of(name) == task_id


def test_an_id_that_belongs_elsewhere_gives_way_to_the_next_number() -> None:
    steps = "1. task-2 [subtask] a\n1.1. task-7 [act] b\n1.2. task-2-3 [act] c\n1.3. task-2-4-1 [act] d\n"
    exported = export_plan(parse_plan(f"Goal: g\n## Steps\n{steps}"), "task-master").text
    (task,) = json.loads(exported)["master"]["tasks"]
    assert (task["id"], [below["id"] for below in task["subtasks"]]) == (2, [4, 3, 5])


@pytest.mark.parametrize("task_id", ["", "a b", "a.b", "9" * 200, "tag x/1", "→"])
def test_some_ids_are_no_names(task_id: str) -> None:
    assert name_of(task_id) == ""


@pytest.mark.parametrize(
    ("form", "text", "added", "wanted"),
    [
        ("kiro", "- [ ] 1. a\n\n- [ ] 4. b\n", "3. [act] c\n", "- [ ] 5. c"),
        ("openspec", "## 1. A\n\n- [ ] 1.1 a\n", "2. [subtask] B\n  2.1. [act] b\n", "- [ ] 2.1 b"),
        ("spec-kit", "- [ ] T007 a\n- [ ] T003 b\n", "3. [act] c\n", "- [ ] T008 c"),
        ("checklist", "- [ ] a\n", "2. [act] b\n", "- [ ] b"),
    ],
)
def test_new_steps_get_the_next_number(form: str, text: str, added: str, wanted: str) -> None:
    plan = parse_plan(import_text(text, form).text + added)
    exported = export_plan(plan, form).text
    assert wanted in exported.split("\n")
    assert [line for line in text.split("\n") if line not in exported.split("\n")] == []


# ---------------------------------------------------------------- dependencies


@pytest.mark.parametrize(
    ("said", "needs"),
    [
        ("depends on T001", ["T001"]),
        ("(depends on T001, T002)", ["T001", "T002"]),
        ("requires T001 and T002", ["T001", "T002"]),
        ("blocked by T001–T003", ["T001", "T002", "T003"]),
        ("like T001", []),
    ],
)
def test_spec_kit_says_in_a_task_what_it_needs(said: str, needs: list[str]) -> None:
    text = "".join(f"- [ ] T00{number} x\n" for number in (1, 2, 3)) + f"- [ ] T004 y {said}\n"
    assert steps_of(text, "spec-kit")["T004"][0] == needs


@pytest.mark.parametrize(
    ("line", "needs"),
    [
        ("- T004 depends on T001", {"T004": ["T001"]}),
        ("- T003, T004 need T001 (see above)", {"T003": ["T001"], "T004": ["T001"]}),
        ("- T001 before T002; T002 blocks T003-T004", {"T002": ["T001"], "T003": ["T002"], "T004": ["T002"]}),
        ("- T004 (last) after T001/T002", {"T004": ["T001", "T002"]}),
        # It is open which of the two comes first.
        ("- T001 → T002", {}),
        ("- T001 and T002 are independent", {}),
    ],
)
def test_spec_kit_has_a_section_of_dependencies(line: str, needs: dict[str, list[str]]) -> None:
    text = "".join(f"- [ ] T00{number} x\n" for number in (1, 2, 3, 4)) + f"\n## Dependencies\n\n{line}\n"
    assert {name: inputs for name, (inputs, _) in steps_of(text, "spec-kit").items() if inputs} == needs
    assert export_plan(import_text(text, "spec-kit").plan, "spec-kit").text == text


def test_inputs_of_a_plan_become_dependencies() -> None:
    plan = parse_plan("Goal: g\n## Steps\n1. [act] Dig → hole\n2. [act] Plant\n  > ← hole\n  > ← outside\n")
    assert "- [ ] T002 Plant (depends on T001)" in export_plan(plan, "spec-kit").text
    assert "- [ ] 2. Plant\n  - _Depends: 1_" in export_plan(plan, "kiro").text
    tasks = json.loads(export_plan(plan, "task-master").text)["master"]["tasks"]
    assert [task["dependencies"] for task in tasks] == [[], [1]]
    for form in ("kiro", "spec-kit", "task-master"):
        again = import_text(export_plan(plan, form).text, form).plan
        assert again.steps[1].inputs == again.steps[0].outputs != []


def test_a_number_in_a_subtask_means_one_beside_it() -> None:
    tasks = [
        {"id": 1, "title": "a"},
        {
            "id": 2,
            "title": "b",
            "subtasks": [{"id": 1, "title": "c"}, {"id": 2, "title": "d", "dependencies": [1, "1"]}],
        },
        {"id": 3, "title": "e", "dependencies": ["2.1"], "subtasks": [{"id": 5, "title": "f", "dependencies": [1]}]},
    ]
    found = steps_of(json.dumps({"tasks": tasks}), "task-master")
    assert found["task-2-2"][0] == found["task-3"][0] == found["task-2-1"][1] != []
    assert found["task-3-5"][0] == found["task-1"][1] != []


def test_a_number_that_means_a_task_beside_a_subtask_is_left_out() -> None:
    steps = "1. [act] Buy → flour\n2. [subtask] Bake\n2.1. [act] Knead\n  > ← flour\n2.2. [act] Heat\n  > ← flour\n"
    plan = parse_plan(f"Goal: g\n## Steps\n{steps}")
    exported = export_plan(plan, "task-master")
    below = json.loads(exported.text)["master"]["tasks"][1]["subtasks"]
    assert [task["dependencies"] for task in below] == [[], []]
    assert "step 2.1: inputs" in exported.lost
    # Beside others, the number means what it should.
    plan.steps[1].children[0].step_id = "2.3"
    plan.steps[1].children[0].step_name = "task-2-3"
    below = json.loads(export_plan(plan, "task-master").text)["master"]["tasks"][1]["subtasks"]
    assert [(task["id"], task["dependencies"]) for task in below] == [(3, [1]), (4, [1])]


def test_an_export_into_a_file_says_which_number_would_mean_another_task() -> None:
    tasks = [{"id": 1, "title": "Buy"}, {"id": 2, "title": "Bake", "subtasks": [{"id": 1, "title": "Knead"}]}]
    text = json.dumps({"tasks": tasks}, indent=2)
    made = import_text(text).text.replace("Buy", "Buy → flour").replace("Knead", "Knead\n    > ← flour")
    exported = export_into(parse_plan(f"{made}2.2. [act] Heat\n  > ← flour\n"), text)
    below = json.loads(exported.text)["tasks"][1]["subtasks"]
    assert [task.get("dependencies", []) for task in below] == [[], []]
    assert exported.lost == [
        f"task {one} cannot say that it needs 1: the number is that of a task beside it" for one in ("2.1", "2.2")
    ]


def test_a_circle_loses_one_dependency() -> None:
    text = "".join(f"- [ ] T00{at} x (depends on T00{at % 3 + 1})\n" for at in (1, 2, 3))
    imported = import_text(text, "spec-kit")
    assert [one.code for one in imported.report.found if one.code != "EX116"] == ["EX104"]
    assert sorted(map(len, (step.inputs for step in imported.plan.steps))) == [0, 1, 1]


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize("form", FORMATS[:5])
def test_texts_that_look_like_a_plan_are_text(form: str) -> None:
    said = "[act] Say → out | Progress: 1/2 \\→ x [x]"
    imported = import_text(f"- [ ] {said}\n  > ← a\n", form)
    assert parse_plan(imported.text) == imported.plan
    (step,) = imported.plan.steps
    assert (step.description, step.outputs, step.result) == (said, [], "")
    assert (step.inputs, step.detail) == ([], ["> ← a"])


@pytest.mark.parametrize(
    ("rows", "description", "detail"),
    [
        (["Mix the flour", "  with the water"], "Mix the flour with the water", []),
        (["Mix the flour", "  **Files**: a.py"], "Mix the flour", ["**Files**: a.py"]),
        (["Mix the flour", "  Then rest"], "Mix the flour", ["Then rest"]),
        (["Mix the flour", "  with water", "  - quickly"], "Mix the flour with water", ["- quickly"]),
    ],
)
def test_text_that_goes_on(rows: list[str], description: str, detail: list[str]) -> None:
    (step,) = import_text("- [ ] " + "\n".join(rows) + "\n").plan.steps
    assert (step.description, step.detail) == (description, detail)


def test_deep_lists_end_in_text() -> None:
    text = "".join(f"{'  ' * depth}- [ ] {depth}\n" for depth in range(200))
    imported = import_text(text)
    assert {one.code for one in imported.report.found} == {"EX112"}
    assert len(imported.report.carried) + len(imported.report.kept) == 200
    assert find_step(imported.plan, ".".join(["1"] * 40)) is not None


# ---------------------------------------------------------------- arrows


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("Tab → `Sidebar`", r"Tab \→ `Sidebar`"),
        ("Tab -> sidebar", r"Tab \-> sidebar"),
        ("Tab --> sidebar", r"Tab \--> sidebar"),
        (r"Tab \→ `Sidebar`", r"Tab \\→ `Sidebar`"),
        (r"Tab \\-> sidebar", r"Tab \\\-> sidebar"),
        # The printer sees to a list.
        ("a → b", "a → b"),
        # Names have no blanks.
        ("Open it (Actions → Run workflow)", "Open it (Actions → Run workflow)"),
        ("Tab → deselect tool", "Tab → deselect tool"),
        (r"Tab \→ deselect tool", r"Tab \→ deselect tool"),
        ("Tab → see what happens to all of the tools", "Tab → see what happens to all of the tools"),
        ("a->b", "a->b"),
    ],
)
def test_arrows_declare_nothing_and_come_back(text: str, described: str) -> None:
    imported = import_text(f"- [ ] {text}\n")
    assert imported.plan.steps[0].description == described
    assert parse_plan(imported.text) == imported.plan
    assert not [one.code for one in lint_plan(imported.plan) if one.code == "PS305"]
    assert export_plan(imported.plan, "checklist").text == f"- [ ] {text}\n"


# ---------------------------------------------------------------- ids that come twice


@pytest.mark.parametrize(
    ("form", "text", "described"),
    [
        ("kiro", "- [ ] 1. a\n\n- [ ] 1. b\n\n- [ ] 2. c\n", "1. b"),
        ("openspec", "## 1. A\n\n- [ ] 1.1 a\n- [ ] 1.1 b\n- [ ] 1.2 c\n", "1.1 b"),
        ("openspec", "## 1. A\n\n- [ ] 1.1 a\n\n## 1. B\n\n- [ ] 1.2 b\n", "1. B"),
        ("spec-kit", "- [ ] T001 a\n- [ ] T001 [P] b\n- [ ] T002 c\n", "T001 [P] b"),
    ],
)
def test_an_id_that_comes_twice_stays_in_the_text(form: str, text: str, described: str) -> None:
    imported = import_text(text, form)
    (step,) = [step for step in iter_steps(imported.plan) if step.description == described]
    assert step.step_name == ""
    assert [one.code for one in imported.report.found] == ["EX102"]
    assert export_into(imported.plan, text, form).text == text
    assert update_text(imported.text, imported.plan) == (imported.text, [])


def test_findings_in_json_say_the_path_to_their_value() -> None:
    tasks = [
        {"id": 1, "title": "a", "status": 5},
        {"id": 2, "title": "c", "dependencies": [9]},
        {"id": 2, "title": "b"},
    ]
    found = import_text(json.dumps({"tasks": tasks}), "task-master").report.found
    assert sorted((one.code, one.path) for one in found) == [
        ("EX102", "tasks[2]"),
        ("EX103", "tasks[1]"),
        ("EX107", "tasks[0].status"),
    ]


@pytest.mark.parametrize("form", FORMATS[:4])
def test_what_markdown_keeps_of_the_detail_of_a_goal_is_not_lost(form: str) -> None:
    plan = parse_plan("Goal: g\n> The landlord has the keys.\n>\n> - cups\n> [x = 3]\n## Steps\n1. [act] a\n")
    assert not [line for line in export_plan(plan, form).lost if "goal" in line]


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (
            "Goal: g\n## Steps\n1. [subtask] a\n  > - [ ] note\n  1.1. [act] b\n  1.2. [reason] c\n2. [act] d | x\n",
            ["1: what is below it", "1: detail", "1.2: type", "2: result"],
        ),
        (
            "Goal: g\n## Steps\n1. [reason] a\n  > - [ ] note\n2. [act] b | x\n",
            ["1: what is below it", "1: type, detail", "2: result"],
        ),
        ("Goal: g\n> - [ ] note\n> - [ ] b\n## Steps\n1. [act] a\n2. [reason] b\n", ["2: type"]),
    ],
)
def test_losses_are_those_of_the_right_steps_where_notes_read_as_tasks(text: str, lost: list[str]) -> None:
    said = export_plan(parse_plan(text), "checklist").lost
    assert [line for line in said if line.startswith("step")] == [f"step {line}" for line in lost]
    assert said[-1] == "the notes of some steps, which read as tasks"


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        # A section of notes takes in no item, and none of a group that a heading ends.
        ("1. [act] a\n", "g\n\nnote\n\n{}- [ ] a\n\n## X\n\n```\n# y\n```\n"),
        (
            "1. [subtask] A\n  > [heading 2]\n  1.1. [act] a\n",
            "g\n\nnote\n\n## X\n\n```\n# y\n```\n\n## A\n\n- [ ] a\n",
        ),
        (
            "1. [subtask] A\n  > [heading 3]\n  1.1. [act] a\n",
            "g\n\nnote\n\n### A\n\n- [ ] a\n\n## X\n\n```\n# y\n```\n",
        ),
    ],
)
def test_no_heading_in_notes_takes_in_tasks(steps: str, wanted: str) -> None:
    plan = parse_plan(f"Goal: g\n> note\n>\n> ## X\n>\n> ```\n> # y\n> ```\n## Steps\n{steps}")
    exported = export_plan(plan, "checklist")
    assert (exported.text, exported.lost) == (wanted.format(""), [])
    assert import_text(exported.text, "checklist").plan == plan


@pytest.mark.parametrize("form", FORMATS[:5])
def test_a_goal_that_looks_like_a_code_block_takes_in_no_task(form: str) -> None:
    exported = export_plan(parse_plan("Goal: ```x\n## Steps\n1. [act] a\n"), form)
    assert exported.lost == ["the goal of the plan"]
    exported = export_plan(parse_plan("Goal: g\n> ```\n## Steps\n1. [act] a\n"), form)
    assert exported.lost == ["all steps, as a note takes them in"]


def test_a_task_without_a_list_of_subtasks_gets_one_with_the_steps_below_it() -> None:
    text = '{"tasks": [{"id": 1, "title": "a"}]}'
    plan = import_text(text, "task-master").plan
    (step,) = plan.steps
    step.step_type, step.children = "subtask", [PlanStep("1.1", step_type="act", description="b")]
    for exported in (export_plan(plan, "task-master"), export_into(plan, text)):
        (again,) = import_text(exported.text).plan.steps
        assert [below.description for below in again.children] == ["b"]
        assert exported.lost == []


def test_front_matter_stays_at_the_start() -> None:
    text = "---\ntags: a\n---\n\n# Trip\n\nSee the sea\n\n- [ ] a\n"
    plan = import_text(text).plan
    assert (plan.title, plan.goal, plan.goal_detail) == ("Trip", "See the sea", ["---", "tags: a", "---"])
    assert export_plan(plan, "checklist").text == text
    assert import_text(text.replace("# Trip\n\n", "")).plan.goal == "See the sea"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# T\n\n- [ ] a\n", "# T\n\n- [ ] a\n"),
        ("- [ ] a\n", "- [ ] a\n"),
        # A note in the place of the goal would be read as one.
        ("# T\n\n- [ ] a\n\nThe end.\n", "# T\n\nT\n\nThe end.\n\n- [ ] a\n"),
        ("# T\n\n- [ ] a\n\n> End.\n", "# T\n\n> End.\n\n- [ ] a\n"),
        ("- [ ] a\n\nThe end.\n", "Finish all tasks\n\nThe end.\n\n- [ ] a\n"),
    ],
)
def test_a_goal_that_the_list_does_not_say_is_written_where_a_note_would_be_one(text: str, wanted: str) -> None:
    exported = export_plan(import_text(text).plan, "checklist")
    assert (exported.text, exported.lost) == (wanted, [])
    assert import_text(wanted).plan == import_text(text).plan


def test_front_matter_without_an_end_is_text() -> None:
    text = "---\ntitle: Trip\n\n- [ ] a\n"
    imported = import_text(text)
    assert (imported.plan.goal_detail, [entry.line for entry in imported.report.kept]) == (
        ["---", "title: Trip"],
        [1, 2],
    )
    assert export_plan(imported.plan, "checklist").text == text
