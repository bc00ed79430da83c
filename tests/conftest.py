"""What holds for all tests.

How hard to try: ``PLANSPEC_PROFILE`` is ``quick`` (the default, always the same examples) or ``full``.

What needs time, quiet, or more than a Python (a browser, git, wheels) is a job with a name: ``pytest --job NAME`` runs
one, ``--job all`` runs everything. Without it, none of them runs unless its path is given.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "quick", max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("full", max_examples=400, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("PLANSPEC_PROFILE", "quick"))

# Each of the many processes that tests start would compile the whole package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# As for most people, what is written waits in a buffer.
os.environ.pop("PYTHONUNBUFFERED", None)

# What a shell runs in the background ignores interrupts, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Job → its test files, and single tests, with `::` and the name, of others.
JOBS = {
    "growth": """
        engine/test_growth.py html/test_rendering.py::test_time_grows_evenly
        planspec/test_drawing.py::test_time_grows_evenly
        planspec/test_interchange.py::test_time_and_memory_grow_with_the_depth_only
        property/test_growth.py test_yaml_text.py::test_hostile_texts_take_little_time
        test_yaml_text.py::test_long_texts_take_little_time toolplan/test_growth.py
        toolplan/test_ordering.py::test_time_grows_evenly
        toolplan/test_references.py::test_time_grows_with_the_text toolplan/test_view.py::test_time_grows_evenly
    """,
    "fuzz": "test_fuzz.py",
    "kills": """
        bulk/test_local.py document/test_file.py::test_killed_at_every_call_of_the_system engine/test_kill.py
        plan_next/test_kill.py runs/test_kill.py
    """,
    "cluster": "bulk/test_dask.py engine/test_on_dask.py",
    "browser": "html/test_browser.py html/test_live.py",
    "terminal": "cli/test_hostile.py",
    "hooks": "ci/test_action.py ci/test_pre_commit.py",
    "wheel": "test_packaging.py",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Jobs are chosen by name."""
    parser.addoption("--job", choices=[*JOBS, "all"], help="run a job that takes more time, or everything")


def pytest_configure(config: pytest.Config) -> None:
    """Whoever gives a path means all that is there. Decided here, as processes of xdist are always given paths."""
    if config.option.job is None:
        config.option.job = "all" if config.args_source is pytest.Config.ArgsSource.ARGS else ""
    # A job leaves most tests out, and their snapshots are none the less needed.
    config.option.warn_unused_snapshots |= config.option.job in JOBS
    if not hasattr(config, "workerinput"):
        _compile_grammars(config)


def _compile_grammars(config: pytest.Config) -> None:
    """What is slow to make of the grammars is made once, as for a wheel, and not by each of some thousand processes.

    It goes again at the end, as it would not follow changes of the code that makes it.
    """
    compiled = config.rootpath / "planspec_lark" / "compiled"
    maker = compiled / "made_for_tests"
    if maker.exists() and not psutil.pid_exists(int(maker.read_text())):
        shutil.rmtree(compiled)
    if compiled.exists() or not compiled.parent.is_dir() or config.args_source is pytest.Config.ArgsSource.ARGS:
        return
    if find_spec("hatchling") is None:
        return
    code = "import hatch_build, pathlib, sys; hatch_build.compile_grammars(pathlib.Path(sys.argv[1]))"
    compiled.mkdir()
    config.add_cleanup(lambda: shutil.rmtree(compiled, ignore_errors=True))
    maker.write_text(str(os.getpid()))
    subprocess.run([sys.executable, "-c", code, compiled], cwd=config.rootpath, check=True)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """No file is looked into that has nothing of what is asked for: that takes longer than some jobs."""
    asked = config.option.job
    if asked == "all" or collection_path.suffix != ".py":
        return None
    if asked:
        files = {test.partition("::")[0] for test in JOBS[asked].split()}
        return None if collection_path in {config.rootpath / "tests" / file for file in files} else True
    return True if collection_path in {config.rootpath / "tests" / file for file in _JOB_OF} else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not asked for."""
    asked = config.option.job
    if asked != "all":
        left_out = [item for item in items if job_of(item.nodeid) != asked]
        items[:] = [item for item in items if job_of(item.nodeid) == asked]
        config.hook.pytest_deselected(items=left_out)


def job_of(test: str) -> str:
    """The job that a test belongs to, or "" where it always runs."""
    file, _, name = test.partition("::")
    file = Path(file).as_posix().removeprefix("tests/")
    return _JOB_OF.get(file) or _JOB_OF.get(f"{file}::{name.partition('[')[0]}", "")


_JOB_OF = {test: job for job, tests in JOBS.items() for test in tests.split()}
