"""What holds for all tests.

What needs time, quiet, or more than a Python (a browser, git, wheels) is a job with a name: ``pytest --job NAME`` runs
one, several may be named, and ``--job all`` runs everything. Without it, a sample of them runs, and all that is in a
path that is given.

How hard to try: ``PLANSPEC_PROFILE`` is ``quick`` (the default, always the same examples), ``full`` or ``long``.
Without it and without a job, properties are tried on few examples only.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "quick", max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("long", max_examples=100_000, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("full", max_examples=400, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("sample", settings.get_profile("quick"), max_examples=8)

# Each of the many processes that tests start would compile the whole package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# As for most people, what is written waits in a buffer.
os.environ.pop("PYTHONUNBUFFERED", None)

# What a shell runs in the background ignores interrupts, and what `nohup` runs ignores the end of the terminal.
# So would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Job → its test files, and single tests, with `::` and the name, of others. With `/n` after it, the first of every n
# cases always runs as well. Besides, the job `properties` has all properties that no other job has.
JOBS = {
    "growth": """
        engine/test_growth.py html/test_render.py::test_time_grows_evenly
        planspec/test_diagram.py::test_time_grows_evenly
        planspec/test_interchange.py::test_time_and_memory_grow_with_the_depth_only
        property/test_growth.py test_backtracking.py json_text/test_yaml_text.py::test_hostile_texts_take_little_time
        json_text/test_yaml_text.py::test_long_texts_take_little_time toolplan/test_growth.py
    """,
    "fuzz": "test_fuzz.py/8",
    "kills": """
        bulk/test_runner.py::test_a_run_that_is_killed_again_and_again
        bulk/test_runner.py::test_a_shard_that_kills_its_process_fails_alone
        bulk/test_runner.py::test_workers_end_with_the_first_process
        document/test_file.py::test_killed_at_every_call_of_the_system engine/test_kill.py
        plan_next/test_kill.py runs/test_kill.py runs/test_shared_run_kill.py/2
    """,
    "cluster": "bulk/test_dask.py engine/test_on_dask.py",
    "browser": "html/test_browser.py",
    "terminal": "cli/test_hostile.py",
    "hooks": "ci/test_action.py ci/test_pre_commit.py",
    "wheel": "test_packaging.py",
    "properties": "property/test_meta.py/8",
    "pages": """
        runs/test_scaling.py test_docs.py::test_commands_print_what_the_page_says/8 test_docs.py::test_python_runs/10
    """,
    "processes": """
        bulk/test_runner.py::test_leaving_early_ends_all_processes
        bulk/test_runner.py::test_a_script_without_a_guard_gets_one_message
        bulk/test_runner.py::test_an_interrupt_gets_no_traceback
        bulk/test_runner.py::test_killed_just_before_a_file_takes_its_name/4
        cli/test_bulk.py/6 cli/test_completion.py/8
        cli/test_git.py/4 cli/test_new_drafts.py::test_lines_are_shown_as_they_come
        cli/test_new_drafts.py::test_what_comes_cannot_steer_the_terminal
        cli/test_planner.py::test_nothing_steers_a_terminal
        cli/test_planner_run.py::test_a_run_that_is_stopped_goes_on_later/3
        cli/test_planner_run.py::test_colours_on_a_terminal_only cli/test_planner_run.py::test_nothing_steers_a_terminal
        cli/test_process.py/16 cli/test_run_process.py/16
        cli/test_tools.py::test_a_terminal_shows_what_has_become_of_steps/2
        cli/test_tools.py::test_nothing_steers_a_terminal/8 cli/test_tools.py::test_what_is_at_work_is_waited_for/3
        cli/test_writers.py/5 cli/test_writers.py::test_many_at_once
        lsp/test_process.py/20 mcp_server/test_large.py/3 mcp_server/test_process.py/16
        mcp_server/test_process.py::test_a_message_without_end_ends_it/1
        mcp_server/test_setup.py::test_settings_start_a_server
        mcp_server/test_tools.py::test_a_plan_that_is_run_is_left_alone planspec/test_one_place.py/4
        pytest_plugin/test_plugin.py/12 pytest_plugin/test_assertions.py::test_a_failure_is_the_message_alone/4
        cli/test_help.py::test_what_was_typed_does_not_steer_the_terminal/4
        mcp_server/test_prompts.py::test_prompts_in_chinese cli/test_planner.py::test_a_pipe_gets_no_colours
        runs/test_without_telemetry.py/4 runs/test_shared_run.py/3
        test_contract.py::test_an_import_upwards_or_sideways_is_found/4
        test_jobs.py::test_a_sample_always_runs_and_a_job_runs_all/4
        test_jobs.py::test_snapshots_of_tests_left_out_are_no_fault_of_a_job
        test_mutants.py::test_what_tests_find_is_told_from_what_they_do_not
        test_mutants.py::test_tests_that_fail_anyway_find_nothing/2
    """,
    "sweep": """
        answers/test_corpus.py::test_forms_of_the_dialect_are_read_right_in_any_mixture
        answers/test_stream.py::test_a_text_ends_as_it_is_extracted/8
        answers/test_stream.py::test_every_split_of_an_awkward_text_tells_the_same/5
        bulk/test_parquet.py::test_what_is_held_at_once_is_bounded/2
        constrained/test_canonical.py::test_a_collision_would_be_found
        constrained/test_canonical.py::test_engines_stop_at_the_same_byte
        constrained/test_canonical.py::test_every_printed_fixture_is_canonical/8
        constrained/test_canonical.py::test_length_is_no_matter/8
        constrained/test_canonical.py::test_names_are_of_all_letters
        constrained/test_canonical.py::test_no_terminals_collide/5
        constrained/test_canonical.py::test_nothing_else_is
        constrained/test_canonical.py::test_the_file_itself_is_read_unchanged/3
        constrained/test_canonical.py::test_the_oracle_is_not_llguidance_in_disguise
        constrained/test_export.py::test_a_random_models_plans_are_valid_once_their_ids_are/8
        constrained/test_export.py::test_strict_mode_finds_no_collision/6
        constrained/test_export.py::test_with_ids_spelled_out_every_plan_is_valid/8
        document/test_fixtures.py::test_commands/8 document/test_fixtures.py::test_commands_together/8
        plan_next/wording/test_guess_words.py::test_threads_share_a_list/3
        planspec/test_fixes.py::test_a_text_that_does_not_is_left_to_people/7
        planspec/test_fixes.py::test_a_text_that_says_what_was_meant_is_clean_afterwards/7
        test_grammars.py::test_strict_mode_finds_no_collision/7
        test_grammars.py::test_what_strict_mode_cannot_see_is_known/7
        test_limits.py::test_findings_beyond_the_limit_are_counted/4
        toolplan/test_graph.py::test_which_steps_depend_on_which/3
        toolplan/test_resolver.py::test_doubling_ends_soon
    """,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Jobs are chosen by name."""
    says = "run a job that takes more time, or everything; may be repeated"
    parser.addoption("--job", choices=[*JOBS, "all"], action="append", help=says)


def pytest_configure(config: pytest.Config) -> None:
    """A path that is given means all that is there. Decided here, as processes of xdist are always given paths."""
    if config.option.job is None:
        config.option.job = ["all"] if config.args_source is pytest.Config.ArgsSource.ARGS else []
    profile = "quick" if config.option.job else "sample"
    settings.load_profile(os.environ.get("PLANSPEC_PROFILE", profile))
    # A job leaves most tests out, and their snapshots are none the less needed.
    config.option.warn_unused_snapshots |= config.option.job not in ([], ["all"])


@pytest.fixture
def count_kills(record_property: Callable[[str, object], None]) -> Callable[[int], None]:
    """Takes how many processes a test has killed, for the end of the report."""
    return partial(record_property, "kills")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.getreports("passed")
    kills = [int(value) for report in reports for name, value in report.user_properties if name == "kills"]
    if kills:
        said = "nothing recorded twice, lost or stuck"
        terminalreporter.write_line(f"{sum(kills)} processes killed in {len(kills)} tests that passed: {said}")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Next to nothing of what is collected is garbage, so none is looked for."""
    gc.disable()
    try:
        _import_from_the_other_end(session.config)
        return (yield)
    finally:
        gc.enable()


def _import_from_the_other_end(config: pytest.Config) -> None:
    """Processes of xdist begin at different ends, so that in a fresh checkout each file is compiled by one of them."""
    if getattr(config, "workerinput", {"workerid": "gw0"})["workerid"] == "gw0":
        return
    for path in sorted((config.rootpath / "tests").rglob("test_*.py"), reverse=True):
        if not pytest_ignore_collect(path, config):
            # What is wrong with a file is said where it is collected.
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """No file is looked into that has nothing of what is asked for: that takes longer than some jobs."""
    asked = config.option.job
    if "all" in asked or collection_path.suffix != ".py":
        return None
    file = Path(os.path.relpath(collection_path, config.rootpath / "tests")).as_posix()
    if not asked:
        return True if file in _GROUPS and not _GROUPS[file].every else None
    if any(group.job in asked and name.partition("::")[0] == file for name, group in _GROUPS.items()):
        return None
    has_properties = "properties" in asked and "hypothesis" in collection_path.read_text(encoding="utf-8")
    return None if has_properties else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not asked for."""
    asked = set(config.option.job or [""])
    if "all" in asked:
        return
    seen: Counter[str] = Counter()
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        name, group = group_of(item.nodeid)
        jobs = {group.job}
        # Which snapshots are of no use any more is only seen where all tests with snapshots run.
        has_snapshots = "snapshot" in getattr(item, "fixturenames", ())
        if has_snapshots or (group.every and seen[name] % group.every == 0):
            jobs.add("")
        if not group.job and is_hypothesis_test(getattr(item, "obj", None)):
            jobs.add("properties")
        seen[name] += 1
        (chosen if asked & jobs else left_out).append(item)
    items[:] = chosen
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Tests of a file mostly stay together, as they share what is slow to make, and no process waits at the end."""
    return WorkStealingScheduling(config, log)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: no collection of garbage has to look at it again."""
    gc.collect()
    gc.freeze()
    # The default of 700 is for programs that keep less.
    gc.set_threshold(20_000, 20, 50)


class Group(NamedTuple):
    """Tests of a job: of every so many cases, one always runs as well; with 0, none."""

    job: str = ""
    every: int = 0


def group_of(test: str) -> tuple[str, Group]:
    """The group that a test belongs to, and what the table calls it; no job where it always runs."""
    file, _, name = test.partition("::")
    file = Path(file).as_posix().removeprefix("tests/")
    for group in (f"{file}::{name.partition('[')[0]}", file):
        if group in _GROUPS:
            return group, _GROUPS[group]
    return "", Group()


def read_entry(entry: str) -> tuple[str, int]:
    """What an entry of the table of jobs names, and of how many cases one always runs."""
    path, slash, every = entry.rpartition("/")
    return (path, int(every)) if slash and every.isdecimal() else (entry, 0)


_GROUPS = {name: Group(job, every) for job, entries in JOBS.items() for name, every in map(read_entry, entries.split())}
