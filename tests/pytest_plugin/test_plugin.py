"""The plugin in runs of pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.pytest_plugin.plans import ANSWER, PLAN

pytest_plugins = ["pytester"]

TEST = """
from pathlib import Path

def test_planner(plan_snapshot):
    assert Path("answer.txt").read_text(encoding="utf-8") == plan_snapshot
"""

# Without the plugins that only take time to load, or import much.
_OTHERS = ("cacheprovider", "hypothesispytest", "anyio", "asyncio", "pytest-lsp")
QUICK = tuple(word for name in _OTHERS for word in ("-p", f"no:{name}"))
# Only what the plugin needs; that it is found by itself, the last tests here show.
ALONE = ("-p", "no:cacheprovider", "-p", "syrupy", "-p", "planspec_lark.pytest_plugin.plugin")


class Runner:
    """A folder with a test and an answer, and pytest run there."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.answer = pytester.path / "answer.txt"

    def run(self, *options: str) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(*ALONE, *options)

    def said(self, *options: str) -> str:
        """What a run says about a failure."""
        result = self.run(*options)
        assert result.ret == 1
        return "\n".join(line[4:] for line in result.outlines if line.startswith("E   "))

    def snapshots(self) -> dict[str, str]:
        folder = self.pytester.path / "__snapshots__"
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}


@pytest.fixture(autouse=True)
def _not_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the runs from taking themselves for parts of the one that they are tested in."""
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST")]:
        monkeypatch.delenv(name)


@pytest.fixture
def runner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_planner=TEST)
    runner = Runner(pytester)
    runner.answer.write_text(PLAN, encoding="utf-8")
    return runner


def test_a_snapshot_is_written_compared_and_rewritten(runner: Runner, snapshot: SnapshotAssertion) -> None:
    assert runner.said("-vv") == snapshot(name="missing")
    assert runner.snapshots() == {}

    runner.run("--snapshot-update").assert_outcomes(passed=1)
    assert runner.snapshots() == {"test_planner/test_planner.md": PLAN}
    runner.run().assert_outcomes(passed=1)

    changed = PLAN.replace("2.3. [act] Bake", "2.3. [x] [act] Bake")
    runner.answer.write_text(changed, encoding="utf-8")
    assert runner.said() == snapshot(name="changed")
    assert runner.snapshots() == {"test_planner/test_planner.md": PLAN}
    runner.run("--snapshot-update").assert_outcomes(passed=1)
    assert runner.snapshots() == {"test_planner/test_planner.md": changed}


def test_an_answer_is_read_and_its_repairs_are_told(runner: Runner, snapshot: SnapshotAssertion) -> None:
    runner.answer.write_text(ANSWER, encoding="utf-8")
    runner.run("--snapshot-update").assert_outcomes(passed=1)
    assert runner.snapshots() == {
        "test_planner/test_planner.md": "Goal: Sell bread at six\n## Steps\n1. [act] Knead the dough → dough\n"
        "2. [act] Bake the loaves → loaves\n  > ← dough\n"
    }
    runner.run().assert_outcomes(passed=1)
    runner.answer.write_text(ANSWER.replace("Bake", "Sell"), encoding="utf-8")
    assert runner.said() == snapshot


def test_an_answer_without_a_whole_plan_fails(runner: Runner, snapshot: SnapshotAssertion) -> None:
    runner.answer.write_text("I \x1b[31m would \u202erather not.\n", encoding="utf-8")
    assert runner.said() == runner.said("--snapshot-update") == snapshot(name="prose")
    runner.answer.write_text("```\nGoal: g\n## Steps\n1. [act] a → b\n2. [act b\n```\n", encoding="utf-8")
    assert runner.said() == snapshot(name="in part")
    assert runner.snapshots() == {}


def test_a_difference_steers_no_terminal(runner: Runner) -> None:
    runner.run("--snapshot-update").assert_outcomes(passed=1)
    runner.answer.write_text(PLAN.replace("Bake the", "Bake \u202ethe"), encoding="utf-8")
    said = runner.said()
    assert "+ Bake \\u202ethe loaves" in said
    assert "\u202e" not in said


def test_what_is_no_plan_is_a_mistake_of_the_test(runner: Runner) -> None:
    runner.pytester.makepyfile(test_planner="def test_planner(plan_snapshot):\n    assert 5 == plan_snapshot\n")
    assert "TypeError: expected a plan or a text, not int" in runner.said()


def test_a_snapshot_that_is_no_plan_any_more(runner: Runner, snapshot: SnapshotAssertion) -> None:
    runner.run("--snapshot-update").assert_outcomes(passed=1)
    (file,) = (runner.pytester.path / "__snapshots__").rglob("*.md")
    file.write_text(f"<<<<<<< ours\n{PLAN}", encoding="utf-8")
    assert runner.said() == snapshot(name="in pieces")
    file.write_text(PLAN.replace("## Steps\n", "\n## Steps\n"), encoding="utf-8")
    assert runner.said() == snapshot(name="not canonical")


MANY = """
import pytest
from planspec_lark import parse_plan
from planspec_lark.pytest_plugin import plan_without

PLAN = {plan!r}

def test_several(plan_snapshot, snapshot):
    plan = parse_plan(PLAN)
    assert plan == plan_snapshot
    assert plan_snapshot == PLAN
    assert plan == plan_snapshot(plan_without("wording"), plan_without("state"), name="shape")
    assert plan == plan_snapshot
    assert plan == plan_snapshot(name="whole")
    assert plan.title == snapshot

class TestGroup:
    @pytest.mark.parametrize("part", ["results", "progress"])
    def test_part(self, plan_snapshot, part):
        assert PLAN == plan_snapshot(plan_without(part))
"""


def test_a_file_for_each_snapshot(runner: Runner) -> None:
    runner.pytester.makepyfile(test_many=MANY.format(plan=PLAN))
    runner.run("--snapshot-update").assert_outcomes(passed=4)
    found = runner.snapshots()
    shape = found.pop("test_many/test_several[shape].md")
    assert shape.startswith(
        "## Steps\n1. [reason] → breads\n2. [subtask] → loaves\n  > ← breads\n  2.1. [act] → dough\n"
    )
    assert found.pop("test_many.ambr")
    assert found == {
        "test_many/TestGroup.test_part[progress].md": PLAN.replace(" | Progress: 2/3", ""),
        "test_many/TestGroup.test_part[results].md": PLAN.replace(" | three sorts", ""),
        "test_many/test_several.md": PLAN,
        "test_many/test_several.1.md": PLAN,
        "test_many/test_several.3.md": PLAN,
        "test_many/test_several[whole].md": PLAN,
        "test_planner/test_planner.md": PLAN,
    }
    runner.run().assert_outcomes(passed=4)


def test_normalisers_for_all_snapshots_of_a_module(runner: Runner) -> None:
    runner.pytester.makeconftest(
        """
        import pytest
        from planspec_lark.pytest_plugin import plan_without

        @pytest.fixture
        def plan_normalizers():
            return [plan_without("state")]
        """
    )
    runner.pytester.makepyfile(test_many=MANY.format(plan=PLAN))
    runner.run("--snapshot-update").assert_outcomes(passed=4)
    found = runner.snapshots()
    plain = PLAN.replace("[x] ", "").replace("[>] ", "").replace(" | three sorts", "").replace(" | Progress: 2/3", "")
    assert found["test_planner/test_planner.md"] == plain
    assert found["test_many/TestGroup.test_part[results].md"] == plain


# ---------------------------------------------------------------- without the extra

HIDE = """
import sys
sys.modules["syrupy"] = None
"""


def test_without_syrupy_nothing_breaks_until_it_is_used(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(HIDE)
    pytester.makepyfile(test_planner=TEST, test_plain="def test_plain():\n    assert True\n")
    result = pytester.runpytest_subprocess(*QUICK, "-p", "no:syrupy")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["plan_snapshot needs its extra: pip install 'planspec-lark[[]pytest[]]'"])


def test_assertions_need_neither_pytest_nor_syrupy() -> None:
    code = f"""
import sys
sys.modules["pytest"] = sys.modules["syrupy"] = None
from planspec_lark.pytest_plugin import assert_plan, plan_without
plan = assert_plan({PLAN!r}).has_step("2.1").under("2").plan
print(plan_without("wording")(plan).goal == "")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_a_run_that_does_not_use_the_plugin_pays_next_to_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_imports():
            ours = {name for name in sys.modules if name.partition(".")[0] == "planspec_lark"}
            plugin = {"planspec_lark.pytest_plugin", "planspec_lark.pytest_plugin.plugin"}
            assert ours == {"planspec_lark", "planspec_lark._lazy", *plugin}
            assert not {"lark", "attrs", "cattrs"} & sys.modules.keys()
        """
    )
    pytester.runpytest_subprocess(*QUICK).assert_outcomes(passed=1)


def test_the_plugin_is_named_in_the_distribution() -> None:
    from importlib.metadata import entry_points

    (found,) = entry_points(group="pytest11", name="planspec")
    assert found.value == "planspec_lark.pytest_plugin.plugin"
    assert Path(found.load().__file__).name == "plugin.py"
