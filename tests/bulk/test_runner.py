"""A whole run: what is kept, what is refused, what the report says; processes that die, and a run that is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest
from attrs import evolve

from planspec_lark.bulk import BulkError, BulkOptions, BulkReport, process_pool, run_bulk, runner, shard as shards
from planspec_lark.bulk.models import Shard
from planspec_lark.bulk.shard import perform
from planspec_lark.locks import locked_folder
from planspec_lark.syntax.safe_text import visible
from tests.bulk.corpora import PLAN, contents, line_of, rows_of, write_corpus, write_parquet
from tests.corpus import ROOT

SMALL = BulkOptions(id="id", shard_bytes=10_000)
RECORDS = 200


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.jsonl", RECORDS)


@pytest.fixture(scope="module")
def undisturbed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run over the corpus."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert run([corpus], out).failed == {}
    return out


@pytest.fixture
def out(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(undisturbed, tmp_path / "out"))


def run(inputs: list[Path], out: Path, **more: Any) -> BulkReport:
    return run_bulk(inputs, out, **{"options": SMALL, "jobs": 1, **more})


# ---------------------------------------------------------------- the report


def test_every_record_is_a_row_and_every_row_is_counted(corpus: Path, tmp_path: Path) -> None:
    table = write_parquet(tmp_path / "c.parquet", [{"text": PLAN, "id": at} for at in range(250)])
    report = run([corpus, table], tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    expected = [(str(path), at) for path, count in ((corpus, RECORDS), (table, 250)) for at in range(count)]
    assert [(row["file"], row["record"]) for row in rows] == expected
    good = [row for row in rows if row["problem"] is None]
    assert (report.records, report.read, report.failed) == (RECORDS + 250, len(good), {})
    assert report.parsed == sum(row["parsed"] for row in good)
    assert report.truncated == sum(row["truncated"] for row in good)
    assert report.repaired == sum(row["repairs"] > 0 for row in good)
    for verdict in ("accepted", "needs_review", "refused"):
        assert getattr(report, verdict) == sum(row["verdict"] == verdict for row in good)
    problems = Counter(row["problem"] for row in rows if row["problem"] is not None)
    assert {kind: found.records for kind, found in report.problems.items()} == problems
    assert {code: found.records for code, found in report.codes.items()} == Counter(
        code for row in good for code in row["codes"]
    )
    findings = sum(row[name] for row in good for name in ("errors", "warnings", "infos"))
    assert sum(found.findings for found in report.codes.values()) == findings
    assert json.loads((tmp_path / "out" / "report.json").read_bytes()) == report.to_dict()


def test_examples_lead_to_what_they_show(corpus: Path, out: Path) -> None:
    report = run([corpus], out)
    lines = corpus.read_bytes().split(b"\n")
    rows = {row["record"]: row for row in rows_of(out)}
    assert len(report.codes) > 30
    for code, found in report.codes.items():
        assert len(found.examples) == min(3, found.records)
        for example in found.examples:
            assert code in rows[example["record"]]["codes"]
            text = json.loads(lines[example["record"]])["text"].split("\n")[example["line"] - 1]
            assert visible(text).startswith(example["excerpt"].removesuffix("…"))


# ---------------------------------------------------------------- what is kept


def parts_done_by(again: Callable[[], object], out: Path) -> list[str]:
    """The parts that a run writes."""
    before = {path: path.stat().st_ino for path in out.glob("part-*.jsonl")}
    again()
    return sorted(path.name for path in out.glob("part-*.jsonl") if path.stat().st_ino != before.get(path))


@pytest.mark.parametrize("lost", ["", ".jsonl", ".sums.json"])
def test_a_second_run_does_what_is_missing(corpus: Path, undisturbed: Path, out: Path, lost: str) -> None:
    names = [f"part-00000-0000{number}" for number in (0, 3) if lost]
    for name in names:
        (out / f"{name}{lost}").unlink()
    (out / ".planspec-0123456789abcdef.tmp").write_text("half a row")
    seen: list[tuple[int, int]] = []
    done = parts_done_by(lambda: run([corpus], out, progress=lambda *state: seen.append(state)), out)
    assert done == [f"{name}.jsonl" for name in names]
    count = len(list(out.glob("part-*.jsonl")))
    assert count >= 8
    assert seen == [(at, count) for at in range(count - len(names), count + 1)]
    assert contents(out) == contents(undisturbed)


@pytest.mark.parametrize(
    "data",
    ["", "[]", "{}", "{", "[" * 100_000, '{"records": "x"}', '{"codes": {"PS101": 5}}', '{"codes": {"PS101": {}}}'],
)
def test_damaged_sums_are_made_again(corpus: Path, undisturbed: Path, out: Path, data: str) -> None:
    (out / "part-00000-00001.sums.json").write_text(data)
    assert parts_done_by(lambda: run([corpus], out), out) == ["part-00000-00001.jsonl"]
    assert contents(out) == contents(undisturbed)


def test_other_options_need_another_folder(corpus: Path, undisturbed: Path, out: Path) -> None:
    others = evolve(SMALL, id=None, read="strict")
    with pytest.raises(BulkError, match="differs in id, read; take another folder, or --overwrite"):
        run([corpus], out, options=others)
    assert contents(out) == contents(undisturbed)
    (out / "mine.txt").write_text("mine")
    report = run([corpus], out, options=BulkOptions(format="parquet"), overwrite=True)
    parts = ["part-00000-00000.parquet", "part-00000-00000.sums.json"]
    assert sorted(contents(out)) == ["manifest.json", "mine.txt", *parts, "report.json"]
    assert report.records == RECORDS


def test_other_inputs_need_another_folder(tmp_path: Path) -> None:
    one, two = (write_corpus(tmp_path / name, 10) for name in ("one", "two"))
    run([one, two], tmp_path / "out")
    for inputs in ([one], [two, one], [one, two, one]):
        with pytest.raises(BulkError, match="differs in inputs"):
            run(inputs, tmp_path / "out")
    os.utime(one, ns=(0, 0))
    with pytest.raises(BulkError, match="differs in inputs"):
        run([one, two], tmp_path / "out")


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000])
def test_a_damaged_manifest_can_be_overwritten(corpus: Path, undisturbed: Path, out: Path, text: str) -> None:
    (out / "manifest.json").write_text(text)
    with pytest.raises(BulkError, match="differs in planspec_lark, inputs"):
        run([corpus], out)
    run([corpus], out, overwrite=True)
    assert contents(out) == contents(undisturbed)


# ---------------------------------------------------------------- what cannot be done


@pytest.mark.parametrize("packing", [b"\x28\xb5\x2f\xfd", b"BZh9", b"PK\x03\x04", b"\xfd7zXZ", b"\x1f\x8b\x08"])
def test_what_is_packed(tmp_path: Path, packing: bytes) -> None:
    (tmp_path / "in").write_bytes(packing + bytes(20))
    with pytest.raises(BulkError, match=r"in: this is packed with .*: unpack it"):
        run([tmp_path / "in"], tmp_path / "out")


def test_what_cannot_start(corpus: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "part-00000-00000.jsonl").write_text("precious")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(50))
    for inputs, folder, message in (
        ([corpus, tmp_path / "missing"], "out", "missing: No such file"),
        ([full], "out", "full: this is no regular file"),
        ([tmp_path / "pipe"], "out", "pipe: this is no regular file"),
        ([tmp_path / "cut.parquet"], "out", r"cut\.parquet: Parquet magic bytes not found"),
        ([tmp_path / "nul\0"], "out", "null byte"),
        ([corpus], corpus.parent, "cannot be in the folder of the results"),
        ([corpus], full, "not empty and holds no run"),
    ):
        for overwrite in (False, True):
            with pytest.raises(BulkError, match=message):
                run(inputs, tmp_path / folder, overwrite=overwrite)
    with pytest.raises(FileExistsError):
        run([corpus], tmp_path / "pipe")
    assert contents(full) == {"part-00000-00000.jsonl": b"precious"}


def test_only_one_run_at_a_time(corpus: Path, out: Path) -> None:
    with locked_folder(out), pytest.raises(BulkError, match="another run is writing here"):
        run([corpus], out)
    assert run([corpus], out).records == RECORDS


def test_an_input_that_changes_under_way_fails(corpus: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(corpus, tmp_path / "corpus.jsonl"))

    def change(done: int, _: int) -> None:
        if done == 3:
            path.write_bytes(path.read_bytes() + line_of(PLAN))

    report = run([path], tmp_path / "out", progress=change)
    assert report.shards == 3
    assert {*report.failed.values()} == {f"{path}: the input has changed since it was split"}
    assert len(rows_of(tmp_path / "out")) == report.records


def test_nothing_is_left_of_a_shard_that_fails(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shards, "_analyze_record", fail)
    report = run([corpus], tmp_path / "out", options=BulkOptions())
    assert report.failed == {"part-00000-00000.jsonl": f"{corpus}: No space left on device"}
    assert sorted(contents(tmp_path / "out")) == ["manifest.json", "report.json"]


def test_a_name_that_no_utf_8_can_say(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    write_corpus(path, 3)
    for form in ("jsonl", "parquet"):
        for _ in range(2):
            assert run([path], tmp_path / form, options=BulkOptions(format=form)).records == 3
        assert rows_of(tmp_path / form)[0]["file"].endswith(r"caf\xe9.jsonl")


# ---------------------------------------------------------------- processes that die


def die_of_some(shard: Shard, options: BulkOptions) -> str:
    """Like ``perform``, but a shard whose first record says so kills its process: always, or the first time."""
    with open(shard.path, "rb") as file:
        line = file.readline()
    first_time = Path(f"{shard.target}.tried")
    if b"always" in line or (b"once" in line and not first_time.exists()):
        first_time.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return perform(shard, options)


@pytest.mark.parametrize(
    ("words", "failing"),
    [
        (["once"], []),
        (["fine", "always", "fine", "once", "fine", "fine", "once", "always", "fine"], [1, 7]),
    ],
)
def test_a_shard_that_kills_its_process_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], failing: list[int]
) -> None:
    monkeypatch.setattr(runner, "perform", die_of_some)
    inputs = [tmp_path / f"{at}.jsonl" for at in range(len(words))]
    for path, word in zip(inputs, words, strict=True):
        path.write_bytes(line_of(PLAN, word=word))
    report = run(inputs, tmp_path / "out", jobs=2)
    assert [*report.failed] == [f"part-0000{at}-00000.jsonl" for at in failing]
    assert all("its process was killed twice" in reason for reason in report.failed.values())
    assert report.records == len(words) - len(failing)


def sleep_over_some(shard: Shard, options: BulkOptions) -> str:
    """Like ``perform``, but takes two minutes where the name of the input says so."""
    if "long" in shard.name:
        time.sleep(120)
    return perform(shard, options)


def test_leaving_early_ends_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an interrupt does, or an exception in the caller's own code: what is of no use any more is not waited for."""
    inputs = [tmp_path / "short.jsonl", *(tmp_path / f"long-{at}.jsonl" for at in range(5))]
    for path in inputs:
        write_corpus(path, 20)

    def leave(done: int, _: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    begin = time.monotonic()
    monkeypatch.setattr(runner, "perform", sleep_over_some)
    with pytest.raises(KeyboardInterrupt):
        run(inputs, tmp_path / "out", jobs=2, progress=leave)
    assert time.monotonic() - begin < 60
    assert not any(map(is_at_work, workers_of(os.getpid())))
    assert [path.name for path in (tmp_path / "out").glob("part-*.jsonl")] == ["part-00000-00000.jsonl"]


def workers_of(parent: int) -> list[psutil.Process]:
    """The processes of a pool of this process."""
    children = psutil.Process(parent).children()
    return [child for child in children if any("spawn_main" in part for part in child.cmdline())]


def is_at_work(process: psutil.Process) -> bool:
    """Whether a process is there; one that has ended is not, even before its exit code is read."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Counting(ProcessPoolExecutor):
    """A pool that counts what it has been given and has not yet done."""

    waiting = most = 0

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        cls = type(self)
        cls.waiting += 1
        cls.most = max(cls.most, cls.waiting)
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self.note)
        return future

    def note(self, _: object) -> None:
        type(self).waiting -= 1


def test_what_is_in_flight_is_bounded(
    corpus: Path, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A corpus of a million shards is not a million waiting tasks."""
    monkeypatch.setattr(process_pool, "ProcessPoolExecutor", Counting)
    run([corpus], tmp_path / "out", jobs=2)
    assert contents(tmp_path / "out") == contents(undisturbed)
    assert Counting.most == 4


def test_a_script_without_a_guard_gets_one_message(corpus: Path, tmp_path: Path) -> None:
    """Each new process runs the script once more, and so none ever starts to work."""
    script = tmp_path / "script.py"
    script.write_text(f"""
from planspec_lark.bulk import BulkOptions, run_bulk
run_bulk([{str(corpus)!r}], {str(tmp_path / "out")!r}, options=BulkOptions(shard_bytes=10_000), jobs=2)
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("or jobs=1")
    assert done.stderr.count("BulkError: no process can be started") == 1


# ---------------------------------------------------------------- a run that is killed


def start(corpus: Path, out: Path, jobs: int) -> subprocess.Popen[bytes]:
    """The command line in a process group of its own."""
    arguments = ["bulk", str(corpus), "--out", str(out), "--jobs", str(jobs), "--shard-bytes", "10000", "--id", "id"]
    return subprocess.Popen(
        [sys.executable, "-m", "planspec_lark", *arguments],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def watch(out: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a run has done so many shards, or has ended."""
    while process.poll() is None and len(list(out.glob("part-*.jsonl"))) < count:
        time.sleep(0.005)


def test_an_interrupt_gets_no_traceback(corpus: Path, undisturbed: Path, tmp_path: Path) -> None:
    """As a terminal sends it: to the first process and to all others."""
    process = start(corpus, tmp_path / "out", 2)
    watch(tmp_path / "out", 2, process)
    os.killpg(process.pid, signal.SIGINT)
    message = process.communicate(timeout=60)[1]
    assert (process.returncode, message.strip()) == (130, b"Aborted!")
    assert 0 < len(list((tmp_path / "out").glob("part-*.jsonl"))) < len(list(undisturbed.glob("part-*.jsonl")))
    run([corpus], tmp_path / "out")
    assert contents(tmp_path / "out") == contents(undisturbed)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_killed_again_and_again(
    corpus: Path, undisturbed: Path, tmp_path: Path, jobs: int, count_kills: Callable[[int], None]
) -> None:
    """Every moment will do: SIGKILL to all its processes, until one run gets to its end."""
    random = Random(jobs)
    out, kills = tmp_path / "out", 0
    for goal in (1, 3, 5, 7):
        process = start(corpus, out, jobs)
        watch(out, goal, process)
        time.sleep(random.random() * 0.05)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate(timeout=60)
    process = start(corpus, out, jobs)
    assert process.communicate(timeout=120)[1] == b""
    assert process.returncode == 0
    assert kills >= 2
    count_kills(kills)
    assert contents(out) == contents(undisturbed)


def test_workers_end_with_the_first_process(corpus: Path, undisturbed: Path, tmp_path: Path) -> None:
    """A second run may start at once, though the workers of the first one were not killed."""
    process = start(corpus, tmp_path / "out", 2)
    watch(tmp_path / "out", 1, process)
    workers = workers_of(process.pid)
    assert list(map(is_at_work, workers)) == [True, True]
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert start(corpus, tmp_path / "out", 2).communicate(timeout=120)[1] == b""
    assert contents(tmp_path / "out") == contents(undisturbed)
    assert not any(map(is_at_work, workers))


@pytest.mark.parametrize("moment", ["manifest", ".jsonl", ".sums", "report"])
def test_killed_just_before_a_file_takes_its_name(corpus: Path, undisturbed: Path, tmp_path: Path, moment: str) -> None:
    code = f"""
import os, pathlib
from planspec_lark.bulk import BulkOptions, run_bulk
replace = pathlib.Path.replace
def die(path, target):
    if {moment!r} in target.name:
        os._exit(9)
    return replace(path, target)
pathlib.Path.replace = die
run_bulk([{str(corpus)!r}], {str(tmp_path / "out")!r}, options=BulkOptions(id="id", shard_bytes=10_000), jobs=1)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert [path for path in (tmp_path / "out").iterdir() if path.suffix == ".tmp"]
    run([corpus], tmp_path / "out")
    assert contents(tmp_path / "out") == contents(undisturbed)
