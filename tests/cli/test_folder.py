"""The folder of plans on the command line: new skeletons, the list, the archive, and names in place of files."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import closing
from pathlib import Path

import pytest

from planspec_lark import PlanFile, check_text, iter_steps, parse_plan, serialize_plan
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.runs import SqliteLedger
from planspec_lark.runs.ledger import RunInfo
from planspec_lark.syntax.safe_text import columns
from tests.cli.engine_world import OPERATOR, make_world
from tests.cli.running import BROKEN, PLAN, call, on_terminal, run
from tests.cli.terminals import terminal

FINISHED = "# Plan: Winter\nGoal: No pipe bursts\n## Steps\n1. [x] [act] Drain → pipes\n2. [~] [act] Wrap → wrapped\n"

HIDDEN = "planspec/.gitignore keeps plans out of git, except those that it tracks already; --shared lets it see them\n"

SKELETON = """\
# Plan: Implement auth
Goal: Implement auth
## Steps
1. [reason] Find out what there is and what is missing → findings
2. [act] Do what is missing → work
  > ← findings
3. [reason] Compare the work with the goal → verdict
  > ← work
"""


def put(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.fixture
def plans() -> None:
    put("planspec/library.md", PLAN)
    put("planspec/winter.md", FINISHED)
    put("planspec/ill.md", BROKEN)
    put("Tasks/roof/plan.md", FINISHED)


# ---------------------------------------------------------------- new


def test_new() -> None:
    result = run("new", "Implement auth")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "planspec/implement_auth.md\n", HIDDEN)
    assert Path("planspec/implement_auth.md").read_text() == SKELETON
    assert Path("planspec/.gitignore").read_text() == "*\n"
    assert not Path(".gitignore").exists()
    checked = run("check", "--strict", "planspec/implement_auth.md")
    assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (0, "1 file checked: nothing to say")


def test_words_need_no_quotes() -> None:
    assert run("new", "Implement", "auth").stdout == "planspec/implement_auth.md\n"
    assert Path("planspec/implement_auth.md").read_text() == SKELETON


def test_chinese_and_constraints() -> None:
    result = run("new", "车险赔付率预测", "--constraint", "polars", "--constraint", "不用 pandas")
    assert result.stdout == "planspec/che_xian_pei_fu_lv_yu_ce.md\n"
    plan = parse_plan(Path("planspec/che_xian_pei_fu_lv_yu_ce.md").read_text())
    assert (plan.title, plan.constraints) == ("车险赔付率预测", ["polars", "不用 pandas"])
    assert plan.steps[0].description == "弄清现状与缺口"


def test_name_and_language() -> None:
    assert run("new", "车险赔付率预测", "--name", "loss", "--language", "en").stdout == "planspec/loss.md\n"
    assert "1. [reason] Find out" in Path("planspec/loss.md").read_text()


@pytest.mark.parametrize(("options", "word"), [([], "title"), (["--language", "zh"], "标题")])
def test_a_template_is_a_valid_plan_with_every_part(options: list[str], word: str) -> None:
    result = run("new", "--template", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    plan = parse_plan(result.stdout)
    assert word in plan.title
    assert serialize_plan(plan) == result.stdout
    assert all((plan.goal, plan.goal_detail, plan.constraints))
    steps = [*iter_steps(plan)]
    assert {step.step_type for step in steps} == set(STEP_TYPES)
    assert any(step.inputs for step in steps)
    assert any(step.detail for step in steps)
    assert check_text(result.stdout) == []
    assert not Path("planspec").exists()


@pytest.mark.parametrize(
    "others",
    [["x"], ["--name", "x"], ["--constraint", "x"], ["--llm", "m"], ["--planner", "true"], ["--shared"]],
)
def test_a_template_takes_nothing_else(others: list[str]) -> None:
    result = run("new", "--template", *others)
    assert (result.exit_code, result.stdout) == (2, "")
    said = "Error: --template takes no description, and no other option but --language."
    assert result.stderr.splitlines()[-1] == said


def test_a_file_is_no_description() -> None:
    result = run("new", "plan.md")
    said = (
        "plan.md is the name of a file; the goal comes first, in words: planspec new 'What is to be done' --name plan\n"
    )
    assert (result.exit_code, result.stderr.endswith(said), Path("planspec").exists()) == (2, True, False)
    assert run("new", "Read plan.md").exit_code == 0
    assert run("new", "plan.md", "--name", "reading").exit_code == 0


def test_a_description_is_needed() -> None:
    result = run("new")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == "Error: Missing argument 'DESCRIPTION...'."


@pytest.mark.usefixtures("plans")
def test_new_shows_what_is_there() -> None:
    assert run("new", "library").stdout == run("show", "planspec/library.md").stdout
    assert run("new", "LIBRARY").stdout == run("show", "planspec/library.md").stdout
    broken = run("new", "ill")
    assert (broken.exit_code, broken.stdout) == (1, "")
    assert broken.stderr.endswith("planspec/ill.md: this is not a plan\n")


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize(
    "arguments",
    [
        ["Library!"],
        ["library", "--constraint", "x"],
        ["library", "--llm", "m"],
        ["library", "--planner", "true"],
        ["Anything", "--name", "library"],
        ["Anything", "--name", "LIBRARY"],
    ],
)
def test_a_name_is_taken(arguments: list[str]) -> None:
    before = sorted(os.listdir("planspec"))
    result = run("new", *arguments)
    wanted = "LIBRARY" if "LIBRARY" in arguments else "library"
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: planspec/library.md: there is a plan of this name; `planspec show library` shows it, "
        f"--name {wanted}_2 makes another\n"
    )
    assert sorted(os.listdir("planspec")) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["!?"], "no name can be made of this description: give one, with --name NAME"),
        ([""], "no name can be made of this description: give one, with --name NAME"),
        (["x", "--name", "../x"], "`../x` cannot be the name of a plan: it has a `/`"),
        (["x", "--name", "\x1b[2J"], "`\\x1b[2J` cannot be the name of a plan: it has the character U+001B"),
        (["!", "--name", "x", "--constraint", " "], "a constraint is empty"),
        ([" ", "--name", "x"], "the description is empty"),
        (["x", "--folder", "none"], "none: No such file or directory"),
        (
            ["x", "--folder", "plan.md"],
            "Invalid value for '--folder' (env var: 'PLANSPEC_FOLDER'): Directory 'plan.md' is a file.",
        ),
        (["x", "--language", "de"], "Invalid value for '--language': 'de' is not one of 'en', 'zh'."),
    ],
)
def test_what_cannot_be_created(arguments: list[str], said: str) -> None:
    result = run("new", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith(f"Error: {said}")
    assert not Path("planspec").exists()


def test_chinese_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    result = run("new", "车险")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: a name in pinyin needs an extra, pip install 'planspec-lark[zh]': install it, or give a name, "
        "with --name NAME\n",
    )


def test_sharing_a_plan_that_is_there() -> None:
    assert run("new", "one").stderr == HIDDEN
    assert run("new", "two").stderr == ""
    shown = run("new", "one", "--shared")
    assert (shown.exit_code, shown.stderr) == (0, "planspec/ is shared: git sees the plans in it\n")
    assert shown.stdout.startswith("═══ PlanSpec: one ═══\n")
    assert run("new", "three", "--shared").stderr == ""
    assert not Path("planspec/.gitignore").exists()


def test_a_gitignore_of_ones_own_stays() -> None:
    put("planspec/.gitignore", "*.tmp\n")
    result = run("new", "one")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "planspec/one.md\n", "")
    assert Path("planspec/.gitignore").read_text() == "*.tmp\n"


# ---------------------------------------------------------------- list

LISTED = """\
ill                 line 4: PS111 `[X]` is not a status mark
library  1/5 (20%)  Move the library — All books stand in the new house
winter   1/2 (50%)  Winter — No pipe bursts
"""


@pytest.mark.usefixtures("plans")
def test_list() -> None:
    result = run("list")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == LISTED


@pytest.mark.usefixtures("plans")
def test_list_as_json() -> None:
    result = run("list", "--json")
    assert result.exit_code == 0
    value = json.loads(result.stdout)
    assert value["folder"] == "planspec"
    ill, library, winter = value["plans"]
    assert ill == {
        "name": "ill",
        "path": "planspec/ill.md",
        "title": "x",
        "goal": "y",
        "progress": None,
        "is_converged": False,
        "is_current": False,
        "superseded_by": "",
        "fault": {"message": "line 4: PS111 `[X]` is not a status mark", "code": "PS111", "line": 4, "column": 4},
    }
    assert library["progress"] == {"total": 5, "done": 1, "active": 1, "blocked": 1, "pending": 1, "skipped": 1}
    assert (library["fault"], library["is_converged"], winter["is_converged"]) == (None, False, True)


def test_nothing_to_list() -> None:
    result = run("list")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "There are no plans in planspec/\n")
    assert json.loads(run("list", "--json").stdout) == {"folder": "planspec", "plans": []}
    assert not Path("planspec").exists()


def test_wide_names_are_aligned() -> None:
    put("planspec/车险.md", FINISHED)
    put("planspec/abcdef.md", FINISHED)
    put("planspec/" + "n" * 60 + ".md", FINISHED)
    lines = run("list").stdout.splitlines()
    starts = {columns(line[: line.index("1/2")]) for line in lines}
    assert starts == {42, 62}


@pytest.mark.usefixtures("plans")
def test_a_terminal_gets_lines_that_fit() -> None:
    put("planspec/cars.md", FINISHED.replace("Winter", "车险赔付率预测" * 9))
    put("planspec/it.md", FINISHED.replace("Winter", "\u202eevil\u009b31m " * 9))
    with terminal("list", columns=50) as shown:
        assert shown.wait() == 0
    lines = shown.shown().splitlines()
    assert lines[0].startswith("cars     1/2 (50%)  车险赔付率预测车险")
    assert lines[0].endswith("…")
    assert len(lines) == 5
    assert {columns(line) <= 50 for line in lines} == {True}


def test_files_that_are_no_plans_are_listed(tmp_path: Path) -> None:
    Path("planspec").mkdir()
    os.mkfifo("planspec/fifo.md")
    Path("planspec/dir.md").mkdir()
    Path("planspec/out.md").symlink_to(tmp_path / "plan.md")
    Path("planspec/bad\x1bname.md").write_text(FINISHED)
    Path(os.fsdecode(b"planspec/caf\xe9.md")).write_text(FINISHED)
    result = call("list")
    assert result.returncode == 0
    unseen = "which cannot be seen"
    assert result.stdout.decode().splitlines() == [
        f"bad\\x1bname  1/2 (50%)  `bad\\x1bname` cannot be the name of a plan: it has the character U+001B, {unseen}",
        f"caf\\udce9    1/2 (50%)  `caf\\udce9` cannot be the name of a plan: it has the character U+DCE9, {unseen}",
        "dir                     this is not a file",
        "fifo                    this is not a file",
        "out                     this leads out of the folder",
    ]
    names = [plan["name"] for plan in json.loads(call("list", "--json").stdout)["plans"]]
    assert names == ["bad\x1bname", "caf\udce9", "dir", "fifo", "out"]


@pytest.mark.parametrize("command", [["list"], ["list", "--json"], ["archive", "x"], ["new", "x"], ["show", "x"]])
def test_a_folder_that_leads_elsewhere(tmp_path: Path, command: list[str]) -> None:
    Path("there").mkdir()
    Path("here").mkdir()
    Path("here/planspec").symlink_to(tmp_path / "there")
    result = run(*command, "--folder", "here")
    said = "Error: here/planspec: this leads out of the folder\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


# ---------------------------------------------------------------- archive


@pytest.mark.usefixtures("plans")
def test_archive() -> None:
    with closing(SqliteLedger("planspec/winter.md.ledger")) as ledger:
        ledger.begin(RunInfo("run1", 1.0, {}))
    result = run("archive", "winter")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "planspec/archive/winter.md\n", "")
    assert sorted(os.listdir("planspec/archive")) == ["winter.md", "winter.md.ledger"]
    assert "winter" not in run("list").stdout
    assert run("log", "--runs", "planspec/archive/winter.md").stdout.startswith("run1")


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("library", "planspec/library.md: this plan is not finished: 2 of 5 steps are pending or active"),
        ("ill", "planspec/ill.md: this is not a plan, so it is unknown whether it is finished"),
    ],
)
def test_unfinished_plans_stay(name: str, said: str) -> None:
    result = run("archive", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"{said}\n--force archives it nevertheless\n"
    assert Path(f"planspec/{name}.md").exists()
    assert run("archive", name, "--force").stdout == f"planspec/archive/{name}.md\n"


@pytest.mark.usefixtures("plans")
def test_a_plan_is_archived_by_its_path() -> None:
    assert run("archive", "planspec/winter.md").stdout == "planspec/archive/winter.md\n"
    assert run("archive", "planspec/archive/winter.md", "--force").exit_code == 2


@pytest.mark.usefixtures("plans")
def test_the_archive_is_not_overwritten() -> None:
    put("planspec/archive/winter.md", "older")
    result = run("archive", "winter")
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(r"planspec/archive/winter_\d{4}-\d\d-\d\d\.md\n", result.stdout)
    assert Path(result.stdout.strip()).read_text() == FINISHED
    assert Path("planspec/archive/winter.md").read_text() == "older"


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wintr", "there is no plan `wintr`, by name or as a file; did you mean `winter`?"),
        ("roof", "there is no plan `roof`, by name or as a file"),
        ("../plan", "`../plan` cannot be the name of a plan: it has a `/`"),
    ],
)
def test_what_cannot_be_archived(name: str, said: str) -> None:
    result = run("archive", name, "--force")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {said}\n")


@pytest.mark.usefixtures("plans")
def test_a_plan_that_is_run_is_not_archived() -> None:
    with PlanFile("planspec/winter.md", command="planspec run").leased():
        result = run("archive", "winter", "--force", "--wait", "0")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "Error: planspec/winter.md: another process runs this plan: `planspec run`, process"
    )


# ---------------------------------------------------------------- names in place of files


@pytest.mark.usefixtures("plans")
def test_show_looks_in_order() -> None:
    shown = run("show", "planspec/library.md").stdout
    assert run("show", "library").stdout == shown
    assert run("show", "roof").stdout == run("show", "Tasks/roof/plan.md").stdout
    put("library", FINISHED)
    put("Tasks/library/plan.md", FINISHED)
    assert run("show", "library").stdout == shown
    assert run("show", "./library").stdout != shown


@pytest.mark.usefixtures("plans")
def test_a_file_of_the_same_name_is_itself() -> None:
    put("library.md", FINISHED)
    assert "Winter" in run("show", "library.md").stdout


@pytest.mark.usefixtures("plans")
def test_the_folder_may_be_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("show", "library").stdout
    Path("project").mkdir()
    os.rename("planspec", "project/planspec")
    assert run("show", "library", "--folder", "project").stdout == shown
    assert run("show", "--folder", "project", "library").stdout == shown
    assert run("show", "library").exit_code == 2
    monkeypatch.setenv("PLANSPEC_FOLDER", "project")
    assert run("show", "library").stdout == shown
    assert run("json", "library").exit_code == 0
    assert run("new", "more").stdout == "project/planspec/more.md\n"
    assert run("list", "--folder", ".").stderr == "There are no plans in planspec/\n"


@pytest.mark.usefixtures("plans")
def test_other_commands_take_names() -> None:
    assert run("json", "library").stdout == run("json", "planspec/library.md").stdout
    assert run("check", "library", "winter").stdout == run("check", "planspec/library.md", "planspec/winter.md").stdout
    assert run("fmt", "--check", "library", "planspec/winter.md").exit_code == 0
    assert run("apply", "library", stdin="PLAN_CMD: DONE 2.2 | found\n").exit_code == 0
    assert "| found" in Path("planspec/library.md").read_text()


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize("arguments", [("next", "{}"), ("focus", "{}", "2.1"), ("graph", "{}"), ("view", "{}")])
def test_views_take_names(arguments: tuple[str, ...]) -> None:
    by_name, by_path = (run(*(one.format(file) for one in arguments)) for file in ("library", "planspec/library.md"))
    assert (by_name.exit_code, by_name.stdout) == (by_path.exit_code, by_path.stdout)
    assert by_name.exit_code == 0


@pytest.mark.usefixtures("plans")
def test_of_many_files_one_may_be_missing() -> None:
    result = run("check", "nope", "winter")
    assert (result.exit_code, result.stderr) == (2, "Error: nope: No such file or directory\n")
    assert result.stdout.splitlines()[-1] == "1 file checked: nothing to say"


def test_a_run_of_a_named_plan() -> None:
    make_world()
    Path("planspec").mkdir()
    os.rename("bakery.md", "planspec/bakery.md")
    result = run("run", "bakery", *OPERATOR, "--max-steps", "1")
    assert result.exit_code == 3
    assert "planspec run planspec/bakery.md" in result.stderr
    assert run("log", "bakery").exit_code == 0


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize("command", ["show", "run", "json", "apply", "log"])
def test_a_name_that_is_none(command: str) -> None:
    result = run(command, "libary")
    said = "Error: there is no plan `libary`, by name or as a file; did you mean `library`?\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


def test_standard_input_stays_what_it_is() -> None:
    put("planspec/-.md", FINISHED)
    assert "Move the library" in run("show", "-", stdin=PLAN).stdout


def test_a_terminal_is_not_steered() -> None:
    put("planspec/it.md", FINISHED.replace("Winter", "\u009b31mevil"))
    assert b"\\x9b31mevil" in on_terminal("list")
    assert b"\xc2\x9b" not in on_terminal("new", "it")


def test_what_is_refused_is_shown_harmlessly() -> None:
    shown = on_terminal("show", "a\x1b[31mb")
    assert b"\x1b[31mb" not in shown


# ---------------------------------------------------------------- use


def test_the_current_plan(here: Path) -> None:
    for name in ("old", "new"):
        path = here / "planspec" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PLAN, encoding="utf-8")
    assert run("use").stdout == ""
    assert run("use", "old").stdout == "old\n"
    assert run("use", "new", "--instead-of", "old").stdout == run("use").stdout == "new\n"
    rows = run("list").stdout.splitlines()
    assert ["(current)" in row for row in rows] == [True, False]
    assert ["(superseded by new)" in row for row in rows] == [False, True]
    assert run("use", "--none").stdout == ""
    assert "(current)" not in run("list").stdout


@pytest.mark.parametrize("call", [("a", "--none"), ("--instead-of", "a"), ("a", "--instead-of", "a"), ("missing",)])
def test_a_wrong_use(call: tuple[str, ...]) -> None:
    assert run("use", *call).exit_code == 2
