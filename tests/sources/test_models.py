"""What the source of PlanSpec says of models, HopSpec, views and the folder, where the project once deviated."""

from __future__ import annotations

import logging
import subprocess
import sys
from contextlib import closing
from copy import deepcopy
from datetime import date
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
    parse_plan,
    parse_plan_commands,
    replace_children,
    serialize_plan,
    step_order,
)
from planspec_lark.hopspec import StepInfo, plan_to_steps, steps_to_plan
from planspec_lark.planspec.render import show_plan
from planspec_lark.runs import SqliteLedger
from planspec_lark.runs.ledger import RunInfo
from planspec_lark.syntax import one_line
from tests import strategies
from tests.cli.running import run
from tests.strategies import hang

_ANY_CHARACTER = st.characters(exclude_categories=[])


@given(st.text(_ANY_CHARACTER, max_size=60))
@example("two\nlines")
@example("  spaces\t\u3000 ")
@example("half of a pair \ud800, an escape \x1b[31m, a lone \r, DEL \x7f, NEL \x85")
@example("| Progress: 1/2")
@example("\n\t \r")
def test_deviation_p7(text: str) -> None:
    step = PlanStep("1", step_type="act")
    step.result = one_line(text)
    assert one_line(step.result) == step.result
    plan = PlanSpec(steps=[step])
    assert parse_plan(serialize_plan(plan)) == plan


@pytest.mark.parametrize("text", ["two\nlines", " space", "tab\t", "\x1b", "\ud800"])
def test_deviation_p7_the_error_names_what_helps(text: str) -> None:
    step = PlanStep("1", step_type="act")
    with pytest.raises(ValueError, match=r"\Aresult: .*; one_line\(\) makes one line of any text\Z"):
        step.result = text
    assert step.result == ""


def test_deviation_p10() -> None:
    """A step without a type can be built, as the source says; printing it says which one it is and what to write."""
    plan = PlanSpec(steps=[PlanStep("1", step_type="subtask", children=[PlanStep("1.1")])])
    with pytest.raises(
        ValueError, match=r"\Astep_type: step 1\.1 has none; give it one: reason, act, decide, subtask\Z"
    ):
        serialize_plan(plan)


def _step(step_id: str, *children: PlanStep) -> PlanStep:
    return PlanStep(step_id, step_type="subtask" if children else "act", children=list(children))


@pytest.mark.parametrize(
    ("children", "ids"),
    [
        ([_step("1"), _step("2")], "4.1 4.2"),
        ([_step("1", _step("1.1", _step("1.1.1")), _step("1.2")), _step("2")], "4.1 4.1.1 4.1.1.1 4.1.2 4.2"),
        ([_step("4.7"), _step("1")], "4.7 4.8"),
        ([_step("1"), _step("4.1"), _step("2"), _step("4.2")], "4.3 4.1 4.4 4.2"),
        ([_step("4.1"), _step("4.1")], "4.1 4.2"),
        ([_step("4.2", _step("1"), _step("4.2.1"))], "4.2 4.2.2 4.2.1"),
        # Read below one another, if they stayed as they are.
        ([_step("4.2.1"), _step("4.2")], "4.1 4.2"),
        ([_step("4.2.1"), _step("4.2.3"), _step("9")], "4.2.1 4.2.3 4.3"),
        ([_step("4")], "4.1"),
        ([_step("40.1")], "4.1"),
        ([_step("4.999999999"), _step("1")], "4.999999999 4.1"),
        ([_step("5", _step("4.1.3"), _step("5.2"))], "4.1 4.1.3 4.1.2"),
    ],
)
def test_deviation_p11(children: list[PlanStep], ids: str) -> None:
    plan = parse_plan("Goal: g\n## Steps\n4. [subtask] a\n  4.1. [act] old\n5. [act] b\n")
    assert replace_children(plan, "4", deepcopy(children)) == ""
    assert step_order(plan) == ["4", *ids.split(), "5"]
    assert parse_plan(serialize_plan(plan)) == plan


@given(st.lists(strategies.ids, max_size=9), st.data())
def test_deviation_p11_in_every_tree(ids: list[str], data: st.DataObject) -> None:
    """Whatever stands below whatever, a text spells it afterwards; what it spelled before stays as it is."""
    steps = [PlanStep(step_id, step_type="subtask", description=str(at)) for at, step_id in enumerate(ids)]
    top = [PlanStep("2", step_type="subtask")]
    for step in steps:
        data.draw(st.sampled_from([*top, *steps[: steps.index(step)]])).children.append(step)
    plan = PlanSpec(steps=top)
    try:
        before = serialize_plan(plan)
    except ValueError:
        before = ""
    children = top[0].children
    assert replace_children(plan, "2", children) == ""
    top[0].status = PlanStatus.PENDING
    assert serialize_plan(plan) == (before or serialize_plan(plan))
    assert parse_plan(serialize_plan(plan)) == plan
    said = [step.description for step in iter_steps(PlanSpec(steps=children))]
    assert [step.description for step in iter_steps(top[0])][1:] == said


def test_deviation_p12(caplog: pytest.LogCaptureFixture) -> None:
    text = "I go on.\nPLAN_CMD: REPLAN\nPLAN_CMD: DONE 1\nPLAN_CMD: drop\x1b[31m 2\nplan_cmd: skip 3\n"
    with caplog.at_level(logging.DEBUG, "planspec_lark"):
        assert [command.op for command in parse_plan_commands(text)] == ["DONE"]
    assert [(record.name, record.levelname) for record in caplog.records] == [("planspec_lark", "DEBUG")] * 5
    assert caplog.messages == [
        "line 2 skipped: PC105 REPLAN needs a step id, or ALL for the whole plan: PLAN_CMD: REPLAN",
        "line 4 skipped: PC101 unknown verb `drop`: PLAN_CMD: drop\\x1b[31m 2",
        "line 4 skipped: PC108 the control character U+001B is not allowed in a command: PLAN_CMD: drop\\x1b[31m 2",
        "line 5 skipped: PC107 a command line must start with `PLAN_CMD:`: plan_cmd: skip 3",
        "line 5 skipped: PC102 `skip` is not in upper case: plan_cmd: skip 3",
    ]


def test_deviation_p12_says_nothing_unless_it_is_asked(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    assert parse_plan_commands("PLAN_CMD: REPLAN\n") == []
    assert (caplog.records, capfd.readouterr()) == ([], ("", ""))
    handlers = logging.getLogger("planspec_lark").handlers
    assert all(isinstance(one, logging.NullHandler) for one in handlers)


def _data_step(step_id: str, task: str, inputs: list[str], outputs: list[str]) -> StepInfo:
    return StepInfo(step_id, f"s{step_id}", "LLM", task=task, inputs=inputs, outputs=outputs)


def _exit(number: int) -> StepInfo:
    return StepInfo(str(number), f"step_{number}", "flow", action="exit", exit_id="EXIT_OK")


@pytest.fixture(params=["pinyin", "plain"])
def has_pinyin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "pypinyin", None)
    return bool(request.param == "pinyin")


def test_deviation_p14(has_pinyin: bool) -> None:
    steps = [
        _data_step("1", "分析数据", ["原始数据", "rows"], ["数据画像"]),
        _data_step("7", "清洗数据", ["数据画像", "原始数据"], ["rows", "v1"]),
        StepInfo("8", "s8", "code", inputs=["a b"]),
        _exit(9),
    ]
    plan = steps_to_plan(steps)
    raw, profile = ("yuan_shi_shu_ju", "shu_ju_hua_xiang") if has_pinyin else ("v2", "v3")
    assert serialize_plan(plan) == (
        "## Steps\n"
        f"1. s1 [reason] 分析数据 (hop: {raw} = 原始数据, {profile} = 数据画像) → {profile}\n"
        f"  > ← {raw}, rows\n"
        f"7. s7 [reason] 清洗数据 (hop: {profile} = 数据画像, {raw} = 原始数据) → rows, v1\n"
        f"  > ← {profile}, {raw}\n"
        '8. s8 [act] (hop: a_b = "a b")\n'
        "  > ← a_b\n"
    )
    assert plan_to_steps(parse_plan(serialize_plan(plan))) == steps


@pytest.mark.usefixtures("has_pinyin")
def test_deviation_p14_names_never_meet() -> None:
    """Names that sound the same, or the same as one that is there."""
    names = [
        "名单",
        "明单",
        "ming dan",
        "ming_dan_2",
        "v1",
        "v 1",
        "thínk",
        "1",
        "",
        '"',
        "(hop: v1 = x)",
        "→ a",
        "b |",
    ]
    steps = [_data_step("1", "", names, names[::-1]), _exit(2)]
    plan = steps_to_plan(steps)
    assert len(set(plan.steps[0].inputs)) == len(names)
    assert {"ming_dan_2", "v1"} < set(plan.steps[0].inputs)
    assert plan_to_steps(parse_plan(serialize_plan(plan))) == steps


@pytest.mark.parametrize(
    "task",
    [
        "Do (hop: rows = 名单)",
        "Do (hop: rows = 名单) (hop:)",
        "Do (hop: rows = 名单) (hop:) (hop:)",
        "(hop: rows = 名单)",
        "Do (hop:)",
        "Do (hop: think)",
        "Do (hop: other = 名单)",
        "Do (hop: rows = list)",
        "Do  (hop: rows = 名单)",
    ],
)
def test_deviation_p14_a_text_that_looks_like_a_mark(task: str) -> None:
    for inputs in (["rows"], ["rows", "名单"], ["名单", "变量"]):
        steps = [_data_step("1", task, inputs, ["rows"]), _exit(2)]
        assert plan_to_steps(parse_plan(serialize_plan(steps_to_plan(steps)))) == steps


@pytest.mark.parametrize(
    "description",
    [
        "Do (hop: v9 = 名单)",
        "Do  (hop: rows = 名单)",
        "Do(hop: rows = 名单)",
        "Do (hop: rows = list)",
        'Do (hop: rows = "名单")',
        "Do (hop: rows = 名单) now",
        "Do (hop: rows = 名单, rows = 变量)",
        "Do (hop: think)",
        "Do (hop:)",
    ],
)
def test_deviation_p14_what_is_no_mark_in_a_plan_is_text(description: str) -> None:
    plan = PlanSpec(steps=[PlanStep("1", "n", "act", description, ["rows"])])
    steps = plan_to_steps(plan)
    assert (steps[0].description, steps[0].inputs) == (description, ["rows"])
    assert steps_to_plan(steps) == plan


def test_deviation_p14_a_plan_that_was_edited_meanwhile() -> None:
    """A new step that uses the name means the same variable, and a mark that says something else stays as text."""
    plan = parse_plan(
        "## Steps\n2. [act] Read (hop: v7 = 名单) → v7\n3. [act] Sort\n  > ← v7\n"
        "4. [act] Count (hop: v7 = 变量)\n  > ← v7\n"
    )
    steps = plan_to_steps(plan)
    assert [(step.description, step.inputs + step.outputs) for step in steps[:-1]] == [
        ("Read", ["名单"]),
        ("Sort", ["名单"]),
        ("Count (hop: v7 = 变量)", ["名单"]),
    ]


@pytest.mark.parametrize("description", ["Decide what is next", "", "Decide (hop: think)", "Decide (hop:)"])
@pytest.mark.parametrize("mode", ["think", "static"])
def test_deviation_p15(description: str, mode: str) -> None:
    inner = StepInfo("1.1", "inner", "subtask", description="Look", expand_mode="static", inputs=["名单"])
    outer = StepInfo("1", "outer", "subtask", description=description, expand_mode=mode, children=[inner])
    plan = steps_to_plan([outer, _exit(2)])
    assert plan.steps[0].step_type == "subtask"
    assert plan.steps[0].description.endswith("(hop: think)") == (mode == "think")
    assert plan_to_steps(parse_plan(serialize_plan(plan))) == [outer, _exit(2)]


def test_deviation_p15_is_for_subtasks_only() -> None:
    step = StepInfo("1", "s", "code", description="Do (hop: think)")
    assert steps_to_plan([step, _exit(2)]).steps[0].description == "Do (hop: think)"
    assert plan_to_steps(steps_to_plan([step, _exit(2)])) == [step, _exit(2)]


_NAMES = st.one_of(
    strategies.variables,
    st.sampled_from(["名单", "明单", "a b", "v1", "v2", "thínk", "think", "", "(hop: v1 = 名单)"]),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=5),
)
_ENDS = st.sampled_from(["", "(hop: think)", "(hop: v1 = 名单)", "(hop:)", '(hop: think, v2 = "a b")'])
_TASKS = st.tuples(strategies.trimmed, _ENDS, _ENDS).map(lambda parts: " ".join(filter(None, parts)))


@st.composite
def _programs(draw: st.DrawFn) -> list[StepInfo]:
    """Programs that consist of nothing but what a plan has a place for."""
    by_id = {step.step_id: step for step in iter_steps(draw(strategies.named_plans)) if step.step_type != "flow"}
    steps = plan_to_steps(
        PlanSpec(steps=hang([PlanStep(i, f"n{n}", s.step_type) for n, (i, s) in enumerate(by_id.items())]))
    )
    todo = steps[:-1]
    for step in todo:
        todo += step.children
        step.inputs, step.outputs = (draw(st.lists(_NAMES, max_size=2)) for _ in range(2))
        setattr(step, {"LLM": "task", "branch": "condition"}.get(step.step_type, "description"), draw(_TASKS))
        if step.step_type == "subtask":
            step.expand_mode = draw(st.sampled_from(["static", "think"]))
    return steps


@given(_programs())
def test_deviation_p14_p15_in_every_program(steps: list[StepInfo]) -> None:
    before = deepcopy(steps)
    plan = steps_to_plan(steps)
    assert plan_to_steps(parse_plan(serialize_plan(plan))) == steps == before
    assert steps_to_plan(steps) == plan


_SHOWN = """\
# Plan: 车险赔付率预测
Goal: 基于合成保险数据构建理赔预测模型
Constraints:
- 合成数据内置生成
## Steps
1. [x] [act] 生成数据 → synthetic_data | 生成完成
2. [subtask] 清洗数据 → cleaned_data
  2.1. [reason] 确定规则 → cleaning_plan
"""


@pytest.mark.parametrize(
    ("text", "lang", "labels"),
    [
        (_SHOWN, [], ("步骤", "进度")),
        (_SHOWN, ["--lang", "en"], ("Steps", "Progress")),
        (_SHOWN.replace("车险赔付率预测", "Risk"), [], ("步骤", "进度")),
        ("# Plan: 预测\nGoal: Forecast\n" + _SHOWN[_SHOWN.index("## Steps") :], [], ("步骤", "进度")),
        ("Goal: Forecast\n" + _SHOWN[_SHOWN.index("## Steps") :], [], ("Steps", "Progress")),
        ("Goal: Forecast\n" + _SHOWN[_SHOWN.index("## Steps") :], ["--lang", "zh"], ("步骤", "进度")),
    ],
)
def test_deviation_p18(tmp_path: Path, text: str, lang: list[str], labels: tuple[str, str]) -> None:
    path = tmp_path / "plan.md"
    path.write_text(text, encoding="utf-8")
    shown = run("show", str(path), *lang).stdout.split("\n")
    assert shown[-4:] == [
        "───",
        f"{labels[0]}: 3 | reason: 1 | act: 1 | decide: 0 | subtask: 1",
        f"{labels[1]}: 1/3 (33%)",
        "",
    ]


def test_deviation_p18_chinese_is_laid_out_as_in_the_source() -> None:
    lines = ["".join(piece.text for piece in line) for line in show_plan(parse_plan(_SHOWN))]
    assert lines == [
        "═══ PlanSpec: 车险赔付率预测 ═══",
        "",
        "Goal: 基于合成保险数据构建理赔预测模型",
        "",
        "Constraints:",
        "  - 合成数据内置生成",
        "",
        "Progress: 1/3 (33%)",
        "",
        "1  [x]  [ACT]      生成数据 → synthetic_data | 生成完成",
        "2  [ ]  [SUBTASK]  清洗数据 → cleaned_data",
        "└─ 2.1  [ ]  [REASON]   确定规则 → cleaning_plan",
        "",
        "───",
        "步骤: 3 | reason: 1 | act: 1 | decide: 0 | subtask: 1",
        "进度: 1/3 (33%)",
    ]


def test_deviation_p18_in_no_other_language() -> None:
    with pytest.raises(ValueError, match=r"\Alanguage: 'de' is not one of en, zh\Z"):
        show_plan(PlanSpec(), language="de")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that git knows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANSPEC_FOLDER", raising=False)
    _git("init", "-q")
    return tmp_path


@pytest.mark.usefixtures("project")
def test_deviation_p16() -> None:
    said = run("new", "one").stderr
    assert said.startswith("planspec/.gitignore keeps plans out of git, ")
    assert Path("planspec/.gitignore").read_text() == "*\n"
    assert run("new", "two").stderr == ""
    assert _git("status", "--porcelain", "-uall") == ""


@pytest.mark.usefixtures("project")
def test_deviation_p16_plans_that_are_shared() -> None:
    assert run("new", "one", "--shared").stderr == "planspec/ is shared: git sees the plans in it\n"
    assert run("new", "two").stderr == ""
    assert not Path("planspec/.gitignore").exists()
    seen = _git("status", "--porcelain", "-uall").splitlines()
    assert seen == ["?? planspec/one.md", "?? planspec/settings.toml", "?? planspec/two.md"]
    # A clone of the project shares as well.
    _git("add", "planspec")
    _git("-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-qm", "plans")
    _git("clone", "-q", ".", "clone")
    assert run("new", "three", "--folder", "clone").stderr == ""
    assert _git("-C", "clone", "status", "--porcelain") == "?? planspec/three.md\n"


@pytest.mark.usefixtures("project")
def test_deviation_p16_plans_that_git_tracks_already() -> None:
    """They stay tracked; only new ones are left out."""
    Path("planspec").mkdir()
    Path("planspec/old.md").write_text("Goal: g\n", encoding="utf-8")
    _git("add", "planspec")
    run("new", "one")
    Path("planspec/old.md").write_text("Goal: changed\n", encoding="utf-8")
    assert _git("status", "--porcelain", "-uall") == "AM planspec/old.md\n"
    run("new", "one", "--shared")
    assert _git("status", "--porcelain", "-uall").splitlines() == [
        "AM planspec/old.md",
        "?? planspec/one.md",
        "?? planspec/settings.toml",
    ]


@pytest.mark.usefixtures("project")
def test_deviation_p19() -> None:
    texts = ["Goal: first\n", "Goal: second\n", "Goal: third\n"]
    days = [date.today()]
    for text in texts:
        Path("planspec").mkdir(exist_ok=True)
        Path("planspec/winter.md").write_text(text, encoding="utf-8")
        with closing(SqliteLedger(Path("planspec/winter.md.ledger"))) as ledger:
            ledger.begin(RunInfo(text, 1.0, {}))
        result = run("archive", "winter")
        assert (result.exit_code, result.stderr) == (0, "")
        days.append(date.today())
    # Unless midnight comes in between, they are all the same.
    assert any(
        _archived() == dict(zip(names, texts, strict=True))
        for second, third in product(days, days)
        for names in [("winter.md", f"winter_{second}.md", f"winter_{third}{'_2' * (second == third)}.md")]
    )


def _archived() -> dict[str, str]:
    """The texts of the plans in the archive, whose ledgers speak of the same."""
    found = {path.name: path.read_text(encoding="utf-8") for path in Path("planspec/archive").glob("*.md")}
    for name, text in found.items():
        with closing(SqliteLedger(Path("planspec/archive", f"{name}.ledger"), read_only=True)) as ledger:
            assert [info.run for info in ledger.runs()] == [text]
    return found
