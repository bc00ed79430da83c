"""A whole run: what is kept, what is refused, and what the report says."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.bulk import (
    BulkError,
    BulkOptions,
    BulkProgress,
    BulkReport,
    BulkTask,
    ShardReport,
    analysis,
    analyze_shard,
    run_bulk,
    shard,
)
from planspec_lark.bulk.folder import hold_folder
from planspec_lark.bulk.inputs import stamp_of
from planspec_lark.bulk.report import show_report
from planspec_lark.files import remove_leftovers, writing
from planspec_lark.syntax.safe_text import visible
from tests.bulk.corpora import PLAN, contents, line_of, read, rows_of, write_corpus, write_parquet

SMALL = BulkOptions(id="id", shard_bytes=10_000)
RECORDS = 200


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.jsonl", RECORDS)


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BulkReport, Path]:
    """A small corpus, the report of a run over it, and the folder of that run."""
    folder = tmp_path_factory.mktemp("finished")
    corpus = write_corpus(folder / "corpus.jsonl", 60)
    return corpus, run([corpus], folder / "out"), folder / "out"


@pytest.fixture
def finished(finished_run: tuple[Path, BulkReport, Path], tmp_path: Path) -> tuple[Path, BulkReport]:
    """A corpus and its report; ``tmp_path / "out"`` is the folder of that run."""
    corpus, report, out = finished_run
    shutil.copytree(out, tmp_path / "out")
    return corpus, report


def run(inputs: Sequence[Path], out: Path, **more: Any) -> BulkReport:
    return run_bulk(inputs, out, **{"options": SMALL, "jobs": 1, **more})


def never(_: Sequence[BulkTask]) -> Iterator[tuple[BulkTask, ShardReport]]:
    raise AssertionError("there is nothing to be done")


def test_every_record_is_a_row_and_every_row_is_counted(corpus: Path, tmp_path: Path) -> None:
    packed, table = tmp_path / "b.jsonl.gz", tmp_path / "c.parquet"
    packed.write_bytes(gzip.compress(corpus.read_bytes()))
    write_parquet(table, [{"text": PLAN, "id": at} for at in range(250)])
    report = run([corpus, packed, table], tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    assert [(row["file"], row["record"]) for row in rows] == [
        *((str(corpus), at) for at in range(RECORDS)),
        *((str(packed), at) for at in range(RECORDS)),
        *((str(table), at) for at in range(250)),
    ]
    good = [row for row in rows if row["problem"] is None]
    assert (report.files, report.records, report.read) == (3, 2 * RECORDS + 250, len(good))
    assert report.parsed == sum(row["parsed"] for row in good)
    assert report.valid == sum(row["valid"] for row in good)
    assert {one.problem: one.records for one in report.problems} == Counter(
        row["problem"] for row in rows if row["problem"] is not None
    )
    found = Counter(code for row in good for code in row["codes"])
    assert {one.code: one.records for one in report.codes} == found
    assert {one.code: sum(one.severities.values()) for one in report.codes} == found
    total: Counter[str] = Counter()
    for row in good:
        total.update(dict(zip(row["codes"], row["counts"], strict=True)))
        assert sum(row["counts"]) == row["errors"] + row["warnings"] + row["infos"]
    assert {one.code: one.findings for one in report.codes} == total
    assert json.loads((tmp_path / "out" / "report.json").read_bytes()) == report.to_dict()
    assert report.failed == []


def test_examples_lead_to_what_they_show(corpus: Path, tmp_path: Path) -> None:
    report = run([corpus], tmp_path / "out")
    lines = corpus.read_bytes().split(b"\n")
    rows = {row["record"]: row for row in rows_of(tmp_path / "out")}
    assert len(report.codes) > 30
    for finding in report.codes:
        assert 1 <= len(finding.examples) <= 3
        worst = next(severity for severity, count in finding.severities.items() if count)
        first = rows[finding.examples[0]["record"]]
        assert first["severities"][first["codes"].index(finding.code)] == worst
        for example in finding.examples:
            assert finding.code in rows[example["record"]]["codes"]
            text = json.loads(lines[example["record"]])["text"].split("\n")[example["line"] - 1]
            assert visible(text).startswith(example["excerpt"].removesuffix("…"))
    assert all(len(one.examples) == min(3, one.records) for one in report.problems)


def test_a_second_run_does_nothing(corpus: Path, tmp_path: Path) -> None:
    first = run([corpus], tmp_path / "out")
    before = contents(tmp_path / "out")
    assert run([corpus], tmp_path / "out", engine=never) == first
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("lost", [".jsonl", ".examples.json"])
def test_a_second_run_does_what_is_missing(corpus: Path, tmp_path: Path, lost: str) -> None:
    first = run([corpus], tmp_path / "out")
    before = contents(tmp_path / "out")
    assert first.shards >= 8
    for number in (0, 3):
        (tmp_path / "out" / f"part-00000-0000{number}{lost}").unlink()
    (tmp_path / "out" / ".planspec-part-00000-00000.jsonl-0123.tmp").write_text("half a row")
    seen: list[BulkProgress] = []
    assert run([corpus], tmp_path / "out", progress=seen.append) == first
    assert contents(tmp_path / "out") == before
    assert [state.shards for state in seen] == [first.shards - 2, first.shards - 1, first.shards]
    assert seen[0].bytes == seen[0].kept
    assert seen[-1].bytes == seen[-1].all_bytes == corpus.stat().st_size
    assert seen[-1].records == sum(len(read(tmp_path / "out" / f"part-00000-0000{at}.jsonl")) for at in (0, 3))


def test_the_number_of_jobs_does_not_matter(corpus: Path, tmp_path: Path) -> None:
    run([corpus], tmp_path / "one", jobs=1)
    run([corpus], tmp_path / "two", jobs=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_other_options_need_another_folder(corpus: Path, tmp_path: Path) -> None:
    run([corpus], tmp_path / "out")
    before = contents(tmp_path / "out")
    others = evolve(SMALL, id=None, read="strict")
    with pytest.raises(BulkError, match="differs in id, read; take another folder, or --overwrite"):
        run([corpus], tmp_path / "out", options=others)
    assert contents(tmp_path / "out") == before
    (tmp_path / "out" / "mine.txt").write_text("mine")
    report = run([corpus], tmp_path / "out", options=BulkOptions(format="parquet"), overwrite=True)
    assert sorted(contents(tmp_path / "out")) == [
        "manifest.json",
        "mine.txt",
        "part-00000-00000.examples.json",
        "part-00000-00000.parquet",
        "report.json",
    ]
    assert report.records == RECORDS


def test_another_version_needs_another_folder(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run([corpus], tmp_path / "out")
    monkeypatch.setattr("planspec_lark.__version__", "99")
    with pytest.raises(BulkError, match="differs in planspec_lark"):
        run([corpus], tmp_path / "out")


def test_changed_inputs_need_another_folder(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 10)
    run([corpus], tmp_path / "out")
    more = [tmp_path / f"more-{at}" for at in range(5)]
    for inputs, what in (
        ([corpus, more[0]], f"new: {more[0]}"),
        ([more[0]], f"not given now: {corpus}, new: {more[0]}"),
        ([corpus, *more], f"new: {more[0]}, {more[1]}, {more[2]} and 2 more"),
    ):
        with pytest.raises(BulkError, match=f"has other inputs: {re.escape(what)}; take another"):
            run(inputs, tmp_path / "out")
    run([corpus, more[0]], tmp_path / "two")
    with pytest.raises(BulkError, match="has other inputs: they are the same in another order"):
        run([more[0], corpus], tmp_path / "two")
    os.utime(corpus, ns=(0, 0))
    with pytest.raises(BulkError, match=r"corpus\.jsonl: it has changed since"):
        run([corpus], tmp_path / "out")
    corpus.unlink()
    with pytest.raises(BulkError, match=r"corpus\.jsonl: it has changed since"):
        run([corpus], tmp_path / "out")


def test_an_input_that_changes_under_way_fails(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(shutil.copy(corpus, tmp_path / "corpus.jsonl"))
    done: list[str] = []

    def change(task: BulkTask) -> ShardReport:
        if len(done) == 3:
            with open(path, "ab") as file:
                file.write(line_of(PLAN))
        done.append(task.dst)
        return analyze_shard(task.src, task.dst, options=task.options)

    def engine(tasks: Sequence[BulkTask]) -> Iterator[tuple[BulkTask, ShardReport | str]]:
        for task in tasks:
            try:
                yield task, change(task)
            except OSError as error:
                yield task, str(error.strerror)

    report = run([path], tmp_path / "out", engine=engine)
    assert report.shards == 3
    assert {failure.reason for failure in report.failed} == {"the input has changed since it was split"}
    assert monkeypatch is not None


@pytest.mark.parametrize("name", ["missing.jsonl", "folder", "cut.parquet", "packed.zst"])
def test_an_unreadable_input_does_not_keep_the_others(tmp_path: Path, name: str) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 60)
    (tmp_path / "folder").mkdir()
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(40))
    (tmp_path / "packed.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(40))
    report = run([tmp_path / name, corpus], tmp_path / "out")
    assert report.records == 60
    (failure,) = report.failed
    assert failure.file == str(tmp_path / name)
    assert failure.reason
    # Once it can be read, it is done, and nothing else is.
    if (tmp_path / name).is_dir():
        (tmp_path / name).rmdir()
    shutil.copy(corpus, tmp_path / name)
    before = contents(tmp_path / "out")
    again = run([tmp_path / name, corpus], tmp_path / "out")
    assert (again.failed, again.records) == ([], 120)
    after = contents(tmp_path / "out")
    assert {key: value for key, value in after.items() if key.startswith("part-00001")} == {
        key: value for key, value in before.items() if key.startswith("part-00001")
    }


@pytest.mark.parametrize("name", ["nul\0", "\ud800", "a" * 300, "file/below"])
def test_a_path_that_cannot_be(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    corpus = write_corpus(tmp_path / "corpus.jsonl", 10)
    report = run_bulk([str(tmp_path / name), corpus], tmp_path / "out", options=SMALL, jobs=1)
    assert report.records == 10
    assert len(report.failed) == 1
    assert report.failed[0].reason


def test_only_one_run_at_a_time(corpus: Path, tmp_path: Path) -> None:
    with hold_folder(tmp_path / "out"), pytest.raises(BulkError, match="another run is writing here"):
        run([corpus], tmp_path / "out")
    assert run([corpus], tmp_path / "out").records == RECORDS


def test_what_cannot_start(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "file").write_text("")
    full = tmp_path / "full"
    full.mkdir()
    (full / "part-00000-00000.jsonl").write_text("precious")
    for inputs, folder, message in (
        ([], out, "there are no inputs"),
        ([corpus, corpus.parent / "x" / ".." / corpus.name], out, "comes twice"),
        ([corpus], corpus.parent, "cannot be in the folder of the results"),
        ([corpus], tmp_path / "file", "file: File exists, and it is not a folder"),
        ([corpus], full, "not empty and holds no earlier run"),
    ):
        for overwrite in (False, True):
            with pytest.raises(BulkError, match=message):
                run(inputs, folder, overwrite=overwrite)
    assert (full / "part-00000-00000.jsonl").read_text() == "precious"
    (full / "part-00000-00000.jsonl").unlink()
    for text in ("", "[]", "{}", '{"manifest": 0}'):
        (full / "manifest.json").write_text(text)
        with pytest.raises(BulkError, match=r"manifest\.json: "):
            run([corpus], full, overwrite=True)
        assert (full / "manifest.json").read_text() == text


def test_a_failing_analysis_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 6)
    analyze = analysis.analyze_text

    def fail(text: str, *, read: str, finish_reason: str = "") -> object:
        if text == PLAN:
            raise RecursionError("\x1b[2J")
        return analyze(text, read=read, finish_reason=finish_reason)

    monkeypatch.setattr(shard, "analyze_text", fail)
    report = run([corpus], tmp_path / "out")
    assert (report.records, report.read) == (6, 5)
    assert [(one.problem, one.records) for one in report.problems] == [("internal", 1)]
    assert "\x1b" not in show_report(report)
    assert "RecursionError" in show_report(report)


def test_nothing_is_left_of_a_shard_that_fails(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space left"):
            analyze_shard(corpus, tmp_path / "rows.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_forgets_is_found_out(corpus: Path, tmp_path: Path) -> None:
    def lie(tasks: Sequence[BulkTask]) -> Iterator[tuple[BulkTask, ShardReport]]:
        for task in tasks[1:]:
            yield task, ShardReport(1000, 0, 1000)

    report = run([corpus], tmp_path / "out", engine=lie)
    assert (report.records, report.shards) == (0, 0)
    assert {failure.reason for failure in report.failed} == {"the engine did not do it"}


def test_a_name_that_no_utf_8_can_say(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    write_corpus(path, 3)
    for form in ("jsonl", "parquet"):
        report = run([path], tmp_path / form, options=BulkOptions(format=form))
        assert report.records == 3
        assert run([path], tmp_path / form, options=BulkOptions(format=form), engine=never) == report
        assert rows_of(tmp_path / form)[0]["file"].endswith("caf\\xe9.jsonl")


@pytest.mark.parametrize("data", [b"", b"{", b"cut"])
def test_a_part_of_another_size_is_done_again(finished: tuple[Path, BulkReport], tmp_path: Path, data: bytes) -> None:
    corpus, first = finished
    before = contents(tmp_path / "out")
    part = tmp_path / "out" / "part-00000-00001.jsonl"
    part.write_bytes(part.read_bytes().partition(b"\n")[2] if data == b"cut" else data)
    assert run([corpus], tmp_path / "out") == first
    assert contents(tmp_path / "out") == before


def with_part(out: Path, name: str, data: bytes) -> Path:
    """A part with other contents, of a size that its examples confirm."""
    part = out / name
    part.write_bytes(data)
    examples = part.with_name(f"{part.stem}.examples.json")
    examples.write_text(json.dumps({**json.loads(examples.read_bytes()), "part_bytes": len(data)}))
    return part


GOOD_ROW: dict[str, Any] = {
    "problem": None,
    **dict.fromkeys(("parsed", "valid"), True),
    "verdict": "accepted",
    "truncated": False,
    **dict.fromkeys(("score", "steps", "depth"), 1),
    **{name: [] for name in ("codes", "counts", "severities")},
}


@pytest.mark.parametrize(
    "row",
    [
        b"{",
        b"{}",
        b"[]",
        b"null",
        b"[" * 100_000,
        json.dumps({**GOOD_ROW, "problem": 5}).encode(),
        json.dumps({**GOOD_ROW, "problem": []}).encode(),
        json.dumps({**GOOD_ROW, "parsed": "x"}).encode(),
        json.dumps({**GOOD_ROW, "verdict": "fine"}).encode(),
        json.dumps({**GOOD_ROW, "codes": ["XX1"], "counts": [1], "severities": ["error"]}).encode(),
        json.dumps({**GOOD_ROW, "codes": ["PS101"]}).encode(),
    ],
)
def test_a_damaged_part_is_no_result(finished: tuple[Path, BulkReport], tmp_path: Path, row: bytes) -> None:
    corpus, first = finished
    with_part(tmp_path / "out", "part-00000-00001.jsonl", json.dumps(GOOD_ROW).encode() + b"\n")
    assert run([corpus], tmp_path / "out").records < first.records
    part = with_part(tmp_path / "out", "part-00000-00001.jsonl", row + b"\n")
    with pytest.raises(BulkError, match=r"part-00000-00001\.jsonl: the part is damaged; remove it and run this again"):
        run([corpus], tmp_path / "out")
    part.unlink()
    assert run([corpus], tmp_path / "out") == first


def test_a_damaged_part_of_parquet_is_no_result(corpus: Path, tmp_path: Path) -> None:
    options = BulkOptions(format="parquet")
    run([corpus], tmp_path / "out", options=options)
    with_part(tmp_path / "out", "part-00000-00000.parquet", b"PAR1")
    with pytest.raises(BulkError, match=r"part-00000-00000\.parquet: .*; remove it and run this again"):
        run([corpus], tmp_path / "out", options=options)


@pytest.mark.parametrize(
    "data",
    ["", "[]", "{", "[" * 100_000, '{"part_bytes": 1}', '{"part_bytes": SIZE, "examples": []}']
    + [f'{{"part_bytes": SIZE, "examples": {{"PS101 info": {value}}}}}' for value in ("5", "[{}]", '["x"]')],
)
def test_damaged_examples_are_made_again(finished: tuple[Path, BulkReport], tmp_path: Path, data: str) -> None:
    corpus, first = finished
    before = contents(tmp_path / "out")
    size = (tmp_path / "out" / "part-00000-00001.jsonl").stat().st_size
    (tmp_path / "out" / "part-00000-00001.examples.json").write_text(data.replace("SIZE", str(size)))
    assert run([corpus], tmp_path / "out") == first
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize(
    "change",
    [
        {"options": []},
        {"options": None},
        {"inputs": None},
        {"inputs": [5]},
        {"inputs": [{}]},
        {"inputs": [{"name": "x", "reason": ""}]},
        {"inputs": [{"name": 5, "stamp": None, "reason": ""}]},
        None,
    ],
)
def test_a_damaged_manifest_can_be_overwritten(
    finished: tuple[Path, BulkReport], tmp_path: Path, change: dict[str, Any] | None
) -> None:
    corpus, first = finished
    before = contents(tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(
        json.dumps({"manifest": 3} if change is None else {**json.loads(manifest.read_bytes()), **change})
    )
    with pytest.raises(
        BulkError, match=r"manifest\.json: the manifest is damaged; take another folder, or --overwrite"
    ):
        run([corpus], tmp_path / "out")
    assert run([corpus], tmp_path / "out", overwrite=True) == first
    assert contents(tmp_path / "out") == before


def test_links_in_a_circle(corpus: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    report = run([loop, corpus], tmp_path / "out")
    assert report.records == RECORDS
    assert [failure.reason for failure in report.failed] == ["Too many levels of symbolic links"]
    for out in (loop, loop / "below"):
        with pytest.raises(BulkError, match="loop"):
            run([corpus], out)


def test_a_path_that_goes_up_behind_a_link(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `..` is behind a link only the file system knows, at the first run and at all others."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    shutil.copy(corpus, tmp_path / "a" / "corpus.jsonl")
    monkeypatch.chdir(tmp_path)
    name = Path("link/../corpus.jsonl")
    first = run([name], tmp_path / "out")
    assert (first.records, first.failed) == (RECORDS, [])
    before = contents(tmp_path / "out")
    (tmp_path / "out" / "part-00000-00001.jsonl").unlink()
    assert run([name], tmp_path / "out") == first
    assert contents(tmp_path / "out") == before


def test_one_path_is_no_list(tmp_path: Path) -> None:
    for inputs in ("x", b"x", tmp_path):
        with pytest.raises(BulkError, match="inputs is a list of files, not one path"):
            run_bulk(inputs, tmp_path / "out")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_an_old_task_does_not_replace_what_a_new_run_writes(corpus: Path, tmp_path: Path) -> None:
    """A worker of a cluster may go on with a task for a while though its run is gone and another has begun."""
    run([corpus], tmp_path / "out")
    before = contents(tmp_path / "out")
    part = tmp_path / "out" / "part-00000-00000.jsonl"

    def stamp(path: str) -> tuple[int, int]:
        remove_leftovers(tmp_path / "out")
        return stamp_of(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shard, "stamp_of", stamp)
        with pytest.raises(OSError, match="another run has begun to write here"):
            analyze_shard(corpus, part, options=BulkOptions(read="strict"))
    assert contents(tmp_path / "out") == before


def test_two_writers_of_the_same_file(tmp_path: Path) -> None:
    """A cluster may give a task to two workers. Each writes a file of its own, and both of them end well."""
    path = tmp_path / "rows"
    with writing(path) as first, writing(path) as second:
        first.write(b"same")
        second.write(b"same")
        assert len(list(tmp_path.iterdir())) == 2
    assert [found.name for found in tmp_path.iterdir()] == ["rows"]
    assert path.read_bytes() == b"same"
