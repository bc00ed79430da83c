"""The jobs that need time, quiet or other programs: each is there, and each is run for a change."""

from __future__ import annotations

import ast
import os
import shutil

import pytest

from tests.conftest import JOBS, job_of
from tests.corpus import ROOT

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(("job", "test"), [(job, test) for job, tests in JOBS.items() for test in tests.split()])
def test_what_a_job_names_is_there(job: str, test: str) -> None:
    file, _, name = test.partition("::")
    path = ROOT / "tests" / file
    assert path.is_file()
    named = {
        node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
    }
    assert not name or name in named
    assert job_of(f"tests/{file}::{name or 'test_it'}[1-a::b]") == job


def test_what_no_job_names_always_runs() -> None:
    assert job_of("tests/test_jobs.py::test_what_no_job_names_always_runs") == ""


def test_every_job_is_run_for_a_change() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [job for job in JOBS if f" {job}" not in script] == []


@pytest.mark.parametrize(("job", "code"), [("fuzz", 0), ("all", 1)])
def test_snapshots_of_tests_left_out_are_no_fault_of_a_job(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, job: str, code: int
) -> None:
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST")]:
        monkeypatch.delenv(name)
    tests = pytester.mkdir("tests")
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    (tests / "test_other.py").write_text("def test_other(snapshot):\n    assert 1 == snapshot\n")
    (tests / "test_fuzz.py").write_text("def test_fuzz(snapshot):\n    assert 2 == snapshot\n")
    assert pytester.runpytest_subprocess("--job", "all", "--snapshot-update").ret == 0
    assert pytester.runpytest_subprocess("--job", job).ret == 0
    (tests / "test_other.py").write_text("def test_nothing():\n    pass\n")
    assert pytester.runpytest_subprocess("--job", job).ret == code
