"""The jobs that need time, quiet or other programs: each is there, and each is run for a change."""

from __future__ import annotations

import ast
import os
import shutil

import pytest

from tests.cases import in_one_test
from tests.conftest import JOBS, group_of, read_entry
from tests.corpus import ROOT

pytest_plugins = ["pytester"]


@in_one_test
@pytest.mark.parametrize(("job", "entry"), [(job, entry) for job, entries in JOBS.items() for entry in entries.split()])
def test_what_a_job_names_is_there(job: str, entry: str) -> None:
    test, every = read_entry(entry)
    file, _, name = test.partition("::")
    path = ROOT / "tests" / file
    assert path.is_file()
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    named = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert not name or name in named
    assert group_of(f"tests/{file}::{name or 'test_it'}[1-a::b]") == (test, (job, every))


def test_what_no_job_names_always_runs() -> None:
    assert group_of("tests/test_jobs.py::test_what_no_job_names_always_runs") == ("", ("", 0))


TESTS = """
import pytest
from hypothesis import given, settings, strategies as st

@pytest.mark.parametrize("case", range(7))
def test_a_text_ends_as_it_is_extracted(case): pass

def test_other(): pass

@given(st.integers())
def test_property(number): assert settings.default.max_examples == {examples}
"""


@pytest.mark.parametrize(
    ("job", "names", "examples"),
    [
        ([], {"test_a_text_ends_as_it_is_extracted[0]", "test_other", "test_property"}, 8),
        (["--job", "sweep"], {f"test_a_text_ends_as_it_is_extracted[{case}]" for case in range(7)}, 40),
        (["--job", "properties"], {"test_property"}, 40),
        (
            ["--job", "properties", "--job", "sweep"],
            {*(f"test_a_text_ends_as_it_is_extracted[{case}]" for case in range(7)), "test_property"},
            40,
        ),
        (
            ["tests"],
            {*(f"test_a_text_ends_as_it_is_extracted[{case}]" for case in range(7)), "test_other", "test_property"},
            40,
        ),
    ],
)
def test_a_sample_always_runs_and_a_job_runs_all(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, job: list[str], names: set[str], examples: int
) -> None:
    _be_alone(monkeypatch)
    folder = pytester.mkdir("tests")
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "answers").mkdir()
    (folder / "answers" / "test_stream.py").write_text(TESTS.replace("{examples}", str(examples)))
    pytester.makeini("[pytest]\ntestpaths = tests")
    result = pytester.runpytest_subprocess("-v", *job)
    assert result.ret == 0
    assert {line.split()[0].partition("::")[2] for line in result.outlines if " PASSED " in line} == names


def test_every_job_is_run_for_a_change() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [job for job in JOBS if f"--job {job}" not in script] == []


@pytest.mark.parametrize(("job", "code"), [("fuzz", 0), ("all", 1)])
def test_snapshots_of_tests_left_out_are_no_fault_of_a_job(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, job: str, code: int
) -> None:
    _be_alone(monkeypatch)
    tests = pytester.mkdir("tests")
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    (tests / "test_other.py").write_text("def test_other(snapshot):\n    assert 1 == snapshot\n")
    (tests / "test_fuzz.py").write_text("def test_fuzz(snapshot):\n    assert 2 == snapshot\n")
    assert pytester.runpytest_subprocess("--job", "all", "--snapshot-update").ret == 0
    assert pytester.runpytest_subprocess("--job", job).ret == 0
    (tests / "test_other.py").write_text("def test_nothing():\n    pass\n")
    assert pytester.runpytest_subprocess("--job", job).ret == code


def _be_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a run of pytest from taking itself for a part of this one."""
    for name in [name for name in os.environ if name.startswith(("PYTEST_XDIST", "PLANSPEC_"))]:
        monkeypatch.delenv(name)
