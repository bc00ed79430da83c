"""A whole run: inputs → shards → rows, and the report of what is on disk. Any number of runs make the same result."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve, frozen

from planspec_lark.bulk import parquet
from planspec_lark.bulk.engines import count_cores, run_locally
from planspec_lark.bulk.folder import Folder, hold_folder, is_done
from planspec_lark.bulk.models import BulkError, BulkOptions, BulkTask, Engine
from planspec_lark.bulk.report import BulkReport, ShardFailure, count_up
from planspec_lark.files import remove_leftovers
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["BulkProgress", "run_bulk"]

_DEFAULTS = BulkOptions()


@frozen
class BulkProgress:
    """How far a run is: shards and bytes of the inputs that are done, of all, and records in what this run has done.

    ``kept`` are the bytes that an earlier run had done.
    """

    shards: int
    all_shards: int
    bytes: int
    all_bytes: int
    records: int
    kept: int


def run_bulk(  # noqa: PLR0913  (what to do, and how)
    inputs: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    options: BulkOptions = _DEFAULTS,
    jobs: int | None = None,
    engine: Engine | None = None,
    overwrite: bool = False,
    progress: Callable[[BulkProgress], object] | None = None,
) -> BulkReport:
    """Analyse corpora shard by shard and sum up what is there.

    What an earlier run with the same inputs and options has finished is kept; nothing is lost or doubled, however it
    ended. One shard or input that fails does not keep the others from being done.

    Args:
        inputs: files of JSONL, plain or in gzip, or of Parquet.
        out: the folder for rows, manifest and report; it is made if need be.
        options: what to read and what to write.
        jobs: how many processes; by default one for each core. With more than one, the calling script has to be
            importable without running (``if __name__ == "__main__":``), as always with :mod:`multiprocessing`.
        engine: what carries out the tasks instead of these processes.
        overwrite: whether to discard all that an earlier run has left in the folder, also one that could be resumed.
        progress: is called at the start and after each shard.

    Returns:
        The report, as it is in ``out/report.json``. Its ``failed`` says what could not be analysed.

    Raises:
        BulkError: the run cannot start, its cluster was lost, or a part that it has written is damaged.
        OSError: the folder cannot be written.
    """
    if isinstance(inputs, str | bytes | os.PathLike):
        raise BulkError("inputs is a list of files, not one path: put it in brackets")
    names = [os.fspath(name) for name in inputs]
    target = Path(out)
    _check_inputs(names, target)
    if options.format == "parquet":
        parquet.load()
    if jobs is not None and jobs < 1:
        raise BulkError("there has to be at least one job")
    with hold_folder(target):
        folder = Folder.open(target, names, options, overwrite=overwrite)
        try:
            failed = _carry_out(folder.tasks(), engine or run_locally(jobs or count_cores()), progress)
        finally:
            remove_leftovers(target)
        return _report(folder, failed)


def _check_inputs(names: Sequence[str], target: Path) -> None:
    if not names:
        raise BulkError("there are no inputs")
    seen: set[Path] = set()
    for name in names:
        try:
            path = _lies_at(name)
        except (OSError, ValueError):
            continue  # It cannot be read either, which the report will tell.
        if path in seen:
            raise BulkError(f"{visible_name(name)}: this input comes twice")
        if path.parent == _lies_at(target):
            raise BulkError(f"{visible_name(name)}: an input cannot be in the folder of the results")
        seen.add(path)


def _lies_at(path: str | Path) -> Path:
    # Path.resolve raises another error for links that go in a circle in every version of Python.
    return Path(os.path.realpath(path))


def _carry_out(
    tasks: Sequence[BulkTask], engine: Engine, progress: Callable[[BulkProgress], object] | None
) -> dict[str, str]:
    """Do what is missing; why those that failed did, by the path of their part."""
    missing = [task for task in tasks if not is_done(task)]
    size = sum(task.src.weight for task in tasks)
    kept = size - sum(task.src.weight for task in missing)
    state = BulkProgress(len(tasks) - len(missing), len(tasks), kept, size, 0, kept)
    show = progress or (lambda _: None)
    show(state)
    failed: dict[str, str] = {}
    for task, outcome in engine(missing) if missing else ():
        records = state.records
        if isinstance(outcome, str):
            failed[task.dst] = outcome
        else:
            records += outcome.records
        state = evolve(state, shards=state.shards + 1, bytes=state.bytes + task.src.weight, records=records)
        show(state)
    return failed


def _report(folder: Folder, failed: dict[str, str]) -> BulkReport:
    """Count what is there, whatever an engine has said."""
    done: list[BulkTask] = []
    failures = [ShardFailure(one.name, None, one.reason) for one in folder.inputs if one.reason]
    for task in folder.tasks():
        if is_done(task):
            done.append(task)
        else:
            reason = failed.get(task.dst, "the engine did not do it")
            failures.append(ShardFailure(task.src.name, Path(task.dst).name, reason))
    report = count_up(done, failures, len(folder.inputs))
    folder.write_report(report.to_dict())
    return report
