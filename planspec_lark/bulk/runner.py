"""A whole run: inputs → shards → rows, and the report of what is on disk. Any number of runs make the same result."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from logging import getLogger
from pathlib import Path
from typing import Any

from attrs import asdict, evolve

from planspec_lark.bulk import parquet
from planspec_lark.bulk.models import BulkError, BulkOptions, Shard
from planspec_lark.bulk.process_pool import process_pool
from planspec_lark.bulk.report import BulkReport
from planspec_lark.bulk.shard import perform, read_sums, split, write_json
from planspec_lark.clusters import LOOK_SECONDS, WAIT_SECONDS, ClusterError, connect
from planspec_lark.files import reason_of, remove_leftovers
from planspec_lark.locks import LockedError, locked_folder
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["run_bulk"]

_DEFAULTS = BulkOptions()
_MANIFEST, _REPORT = "manifest.json", "report.json"
_PART = re.compile(r"part-[0-9]{5,}-[0-9]{5,}\.(jsonl|parquet|sums\.json)")
# Shards in flight for each process or thread, so that none is ever idle; they do not grow with the corpus.
_AHEAD = 2
_NO_PROCESS = 'no process can be started: a script that calls run_bulk needs `if __name__ == "__main__":`, or jobs=1'
_GONE = "its rows are gone"
_KILLED = "its process was killed twice, with no other beside it; there may be too little memory"

_log = getLogger(__name__)


def run_bulk(  # noqa: PLR0913  (what to do, and how)
    inputs: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    options: BulkOptions = _DEFAULTS,
    jobs: int | None = None,
    dask: str = "",
    overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> BulkReport:
    """Check corpora shard by shard, and sum up the results.

    What an earlier run with the same inputs and options has finished is kept; nothing is lost or doubled, however it
    ended. A shard that fails does not keep the others from being done.

    Args:
        inputs: files of JSON Lines or Parquet.
        out: the folder for rows, manifest and report; it is made if need be.
        options: what to read and what to write.
        jobs: how many processes; by default one for each core. With more than one, the calling script has to be
            importable without running (``if __name__ == "__main__":``), as always with :mod:`multiprocessing`.
        dask: the address of a scheduler, such as ``tcp://host:8786``, whose workers do the work instead. They need this
            package, and inputs and results at the same paths.
        overwrite: whether to discard all that an earlier run has left in the folder.
        progress: is called with the number of shards that are done, and of all, at the start and after each.

    Returns:
        The report, as it is in ``out/report.json``. Its ``failed`` says what could not be analysed.

    Raises:
        BulkError: the run cannot start, or its cluster was lost.
        OSError: the folder cannot be written.
    """
    if options.format == "parquet":
        parquet.load()
    folder = Path(os.path.realpath(out))
    with _held(folder):
        shards = [*_split_all([os.fspath(name) for name in inputs], folder, options)]
        stamps = [[shard.name, shard.stamp] for shard in shards if not shard.start]
        _open(folder, {"inputs": stamps, **asdict(options)}, overwrite=overwrite)
        missing = [shard for shard in shards if read_sums(shard) is None]
        work = (
            _on_dask(missing, options, dask) if dask else _in_processes(missing, options, jobs or os.cpu_count() or 1)
        )
        reasons = {}
        for at, (target, reason) in enumerate(chain([("", "")], work), len(shards) - len(missing)):
            reasons[target] = reason
            if progress:
                progress(at, len(shards))
        report = BulkReport()
        for shard in shards:
            # What is there counts, whatever was said of it.
            if sums := read_sums(shard):
                report.merge(sums)
            else:
                report.failed[Path(shard.target).name] = f"{shard.name}: {reasons.get(shard.target) or _GONE}"
        write_json(folder / _REPORT, report.to_dict())
    return report


def _split_all(names: Sequence[str], folder: Path, options: BulkOptions) -> Iterator[Shard]:
    for at, name in enumerate(names):
        try:
            shards = split(name, options)
        except (OSError, ValueError) as error:
            raise _error(name, reason_of(error)) from None
        if Path(os.path.realpath(name)).parent == folder:
            raise _error(name, "an input cannot be in the folder of the results")
        for number, shard in enumerate(shards):
            yield evolve(shard, target=str(folder / f"part-{at:05}-{number:05}.{options.format}"))


def _error(path: str | Path, why: str) -> BulkError:
    return BulkError(f"{visible_name(str(path))}: {visible_name(why)}")


# ---------------------------------------------------------------- the folder


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keep every other run out of a folder. The lock ends with the process, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked_folder(folder, wait=0):
            remove_leftovers(folder)
            yield
            remove_leftovers(folder)
    except LockedError:
        raise _error(folder, "another run is writing here") from None


def _open(folder: Path, head: dict[str, Any], *, overwrite: bool) -> None:
    """Start a run, or resume the one that is there."""
    # By name: the package's public names are above this module, and its version is among them.
    head = {"planspec_lark": import_module("planspec_lark").__version__, **head}
    try:
        known = json.loads((folder / _MANIFEST).read_bytes())
    except FileNotFoundError:
        if any(folder.iterdir()):
            raise _error(folder, "the folder is not empty and holds no run") from None
        known = head
    except (ValueError, RecursionError):
        known = None
    changed = [key for key, value in head.items() if not isinstance(known, dict) or known.get(key) != value]
    if changed and not overwrite:
        said = ", ".join(changed)
        raise _error(
            folder, f"the run in this folder differs in {said}; take another folder, or --overwrite to start again"
        )
    for path in [*folder.iterdir()] if overwrite else []:
        if _PART.fullmatch(path.name):
            path.unlink()
    write_json(folder / _MANIFEST, head)


# ---------------------------------------------------------------- who does the work


def _in_processes(shards: list[Shard], options: BulkOptions, jobs: int) -> Iterator[tuple[str, str]]:
    if jobs == 1:
        for shard in shards:
            yield shard.target, perform(shard, options)
        return
    left = shards[::-1]
    while left:
        running: dict[Future[str], Shard] = {}
        with process_pool(jobs) as pool:
            if pool.submit(os.getpid).exception():
                raise BulkError(_NO_PROCESS)
            with suppress(BrokenExecutor):
                yield from _submit(pool, left, running, options, lambda: jobs)
        # A process was killed, and it is unknown by which shard: each runs alone, in a process of its own.
        for shard in running.values():
            yield shard.target, _perform_alone(shard, options)


def _perform_alone(shard: Shard, options: BulkOptions) -> str:
    # The machine may have been short of memory for a while.
    for _ in range(2):
        with process_pool(1) as pool, suppress(BrokenExecutor):
            return pool.submit(perform, shard, options).result()
    return _KILLED


def _submit(
    executor: Executor,
    left: list[Shard],
    running: dict[Future[str], Shard],
    options: BulkOptions,
    count_threads: Callable[[], int],
) -> Iterator[tuple[str, str]]:
    """Take shards off ``left`` until it is empty; ``running`` are those that were not handed out yet.

    Raises:
        BrokenExecutor: a process was killed.
    """
    while left or running:
        room = _AHEAD * count_threads() - len(running)
        for _ in range(min(room, len(left))):
            running[executor.submit(perform, left[-1], options)] = left[-1]
            left.pop()
        for future in wait(running, LOOK_SECONDS, FIRST_COMPLETED).done:
            try:
                reason = future.result()
            except BrokenExecutor:
                raise
            except Exception as error:  # what the cluster says of it
                reason = reason_of(error)
            yield running.pop(future).target, reason


def _on_dask(shards: list[Shard], options: BulkOptions, address: str) -> Iterator[tuple[str, str]]:
    """A shard whose worker dies is given to another one by the scheduler."""
    try:
        client = connect(address, "cluster")
    except ClusterError as error:
        raise BulkError(str(error)) from None
    try:
        with client:
            executor, count = client.get_executor(pure=False), lambda: _count_workers(client, address)
            yield from _submit(executor, shards[::-1], {}, options, count)
    except OSError as error:
        raise _error(address, f"the scheduler was lost, run this again: {reason_of(error)}") from None


def _count_workers(client: Any, address: str) -> int:
    """How many threads the workers have, once there are any. They may come and go."""
    if not client.nthreads():
        _log.warning("waiting for workers: the scheduler at %s has none", visible_name(address))
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except TimeoutError:
            raise _error(address, f"the scheduler has had no workers for {WAIT_SECONDS:.0f} seconds") from None
    return sum(client.nthreads().values())
