"""The one writer of a plan's state: what it refuses, what it leaves behind, and that nothing is lost when it fails."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.plan_next import (
    Block,
    Context,
    ContextError,
    Core4,
    DoneItem,
    DoneStatus,
    PlanNext,
    PlanReturn,
    context_to_json,
    parse_message,
    start_context,
)
from planspec_lark.plan_next.context import CONTEXT_LIMITS
from planspec_lark.planner import Runtime, StateError, create_state, kernel as kernel_module, read_state
from planspec_lark.planner.kernel import CONTEXT_FILE, LEDGER_FILE, Kernel, Opened, fold, number_of, open_state
from planspec_lark.runs import RecordKind, SqliteLedger
from planspec_lark.runs.entries import Entry
from tests.plan_next.turns import STEPS, close, execute, open_, returned, steps


def opened(kernel: Kernel, text: str) -> Context:
    """Write that a block is opened, as a text asks for; gives the context then."""
    message = parse_message(text, "planning")
    assert isinstance(message, PlanNext)
    inside = fold(kernel.context, Opened(message=message))
    return _write(kernel, Opened(step=number_of(inside), message=message))


def closed(kernel: Kernel, result: Any) -> Context:
    """Write that a block is closed."""
    return _write(kernel, kernel_module.closed(kernel.context, result, DoneStatus.DONE))


def _write(kernel: Kernel, entry: Entry) -> Context:
    kernel.show(fold(kernel.context, kernel.log.write(entry)))
    return kernel.context


def _files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def _bytes(folder: Path) -> bytes:
    return (folder / CONTEXT_FILE).read_bytes()


# ---------------------------------------------------------------- beginning


@pytest.mark.parametrize(
    "use",
    [
        lambda folder, run: create_state(folder, start_context("g", STEPS), run_id=run),
        lambda folder, run: read_state(folder, run_id=run),
        lambda folder, run: Runtime(folder, _unasked, _unasked, run_id=run),
    ],
    ids=["create", "read", "run"],
)
def test_an_id_that_no_ledger_can_hold_is_refused_by_its_name(
    use: Callable[[Path, str], object], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"\Arun_id: the character U\+D800 cannot be written as UTF-8\Z"):
        use(tmp_path, "\ud800")
    assert _files(tmp_path) == []


def _unasked(*_: object) -> Any:
    raise AssertionError("nothing is run")


def test_a_plan_begins_in_a_folder_that_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / ".thinkon"
    context = start_context("g", STEPS)
    create_state(folder, context)
    assert _files(folder) == ["planner.ledger", "thinking-context.json"]
    assert _bytes(folder).decode() == context_to_json(context) + "\n"
    assert read_state(folder) == read_state(str(folder)) == context


def test_a_plan_that_has_not_ended_is_not_given_up(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("one", []))
    with pytest.raises(StateError) as error:
        create_state(tmp_path, start_context("two"))
    assert str(error.value) == f"{tmp_path}: the plan there has not ended; continue with it, or overwrite it"
    assert read_state(tmp_path).think.goal == "one"
    create_state(tmp_path, start_context("two", []), overwrite=True)
    with open_state(tmp_path) as kernel:
        closed(kernel, "it")
    create_state(tmp_path, start_context("three"))
    assert read_state(tmp_path) == start_context("three")


def test_what_is_no_context_is_not_given_up_either(tmp_path: Path) -> None:
    (tmp_path / CONTEXT_FILE).write_text("mine")
    with pytest.raises(ContextError):
        create_state(tmp_path, start_context("g"))
    assert _bytes(tmp_path) == b"mine"
    create_state(tmp_path, start_context("g"), overwrite=True)
    assert read_state(tmp_path) == start_context("g")


@pytest.mark.parametrize(
    ("context", "code"),
    [
        (start_context(Core4("i", "d", "m", "c", {"intent": 5})), "PN103"),
        (Context(Block("g"), [Block("r")] * 6), "PN305"),
        (start_context("a\ud800", []), "no JSON"),
    ],
)
def test_a_plan_does_not_begin_with_what_could_not_be_read_again(tmp_path: Path, context: Context, code: str) -> None:
    with pytest.raises((ContextError, ValueError)) as error:
        create_state(tmp_path / "new", context)
    assert [one.code for one in getattr(error.value, "diagnostics", [])] == ([] if code == "no JSON" else [code])
    assert not (tmp_path / "new").exists()


def _nested(depth: int) -> Context:
    item = DoneItem("d")
    for _ in range(depth):
        item = DoneItem("d", done=[item])
    return Context(Block("g", done=[item]), max_depth=32)


def test_a_plan_begins_with_so_much_depth_that_the_rest_has_room(tmp_path: Path) -> None:
    with pytest.raises(ContextError):
        create_state(tmp_path, _nested(64))
    create_state(tmp_path, evolve(_nested(63), path=[Block("r")] * 32))
    result: dict[str, Any] = {}
    for _ in range(61):
        result = {"a": result}
    Runtime(tmp_path, lambda *_: "", lambda _: PlanReturn(result)).run()
    assert read_state(tmp_path).outcome is not None


# ---------------------------------------------------------------- states that cannot be used


def test_where_there_is_no_plan_it_says_so(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        for use in (read_state, lambda path: open_state(path).__enter__()):
            with pytest.raises(StateError) as error:
                use(folder)
            assert str(error.value) == f"{folder / CONTEXT_FILE}: there is no plan here yet"
    assert not (tmp_path / "none").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "it\x1b").write_text("")
    with pytest.raises(StateError) as error:
        create_state(tmp_path / "it\x1b", start_context("g"))
    assert str(error.value) == f"{tmp_path}/it\\x1b: File exists"
    with pytest.raises(StateError) as error:
        read_state(tmp_path / "it\x1b")
    assert str(error.value) == f"{tmp_path}/it\\x1b/thinking-context.json: Not a directory"


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "PJ101"), (b'{"think": ', "PJ106"), (b"\xff", "PS119"), (b"{}", "PN101")]
)
def test_what_is_no_context_is_refused_by_its_name(tmp_path: Path, data: bytes, code: str) -> None:
    (tmp_path / CONTEXT_FILE).write_bytes(data)
    with pytest.raises(ContextError) as error:
        read_state(tmp_path)
    assert code in [one.code for one in error.value.diagnostics]
    assert error.value.source.name == str(tmp_path / CONTEXT_FILE)
    with pytest.raises(ContextError):
        Runtime(tmp_path, lambda *_: "", lambda _: "").run()


def _make_pipe(path: Path) -> None:
    os.mkfifo(path)


def _make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [_make_pipe, _make_endless])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / CONTEXT_FILE)
    for use in (read_state, lambda folder: create_state(folder, start_context("g"))):
        with pytest.raises(StateError) as error:
            use(tmp_path)
        assert str(error.value) == f"{tmp_path / CONTEXT_FILE}: not a regular file"


def test_a_file_beyond_all_limits_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / CONTEXT_FILE).open("wb") as file:
        file.truncate(CONTEXT_LIMITS.max_bytes or 0)
        file.seek(0, os.SEEK_END)
        file.write(b" ")
    with pytest.raises(StateError) as error:
        read_state(tmp_path)
    said = "100,000,001 bytes are more than the 100,000,000 that a context may have"
    assert str(error.value) == f"{tmp_path / CONTEXT_FILE}: {said}"


# ---------------------------------------------------------------- one at a time


def test_one_process_at_a_time(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    with open_state(tmp_path) as kernel:
        for use in (
            lambda: open_state(tmp_path).__enter__(),
            lambda: create_state(tmp_path, start_context("x"), overwrite=True),
            lambda: Runtime(tmp_path, lambda *_: "", lambda _: "").step(),
        ):
            with pytest.raises(StateError) as error:
                use()
            assert str(error.value) == f"{tmp_path}: another process is working on this plan"
        assert read_state(tmp_path) == kernel.context
    with open_state(tmp_path):
        pass


def test_the_lock_is_free_after_an_error(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    with pytest.raises(KeyboardInterrupt), open_state(tmp_path):
        raise KeyboardInterrupt
    with open_state(tmp_path):
        pass


def test_a_plan_that_was_taken_away_does_not_come_back_over_another(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    create_state(folder, start_context("old", []))
    with open_state(folder) as kernel:
        folder.rename(tmp_path / "away")
        create_state(folder, start_context("new"))
        with pytest.raises(StateError) as error:
            closed(kernel, "it")
    assert str(error.value) == f"{folder}/planner.ledger: the ledger was removed or replaced by another program"
    assert read_state(folder) == start_context("new")


def test_what_killed_writers_have_left_is_removed(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    (tmp_path / ".planspec-thinking-context.json-abc.tmp").write_text("half of")
    (tmp_path / "mine.tmp").write_text("")
    with open_state(tmp_path):
        pass
    assert _files(tmp_path) == ["mine.tmp", "planner.ledger", "thinking-context.json"]


# ---------------------------------------------------------------- changes


def test_each_change_is_on_the_disk_when_it_is_done(tmp_path: Path) -> None:
    expected = start_context("g", STEPS)
    create_state(tmp_path, expected)
    with open_state(tmp_path) as kernel:
        expected = open_(expected, execute("c"))
        assert opened(kernel, execute("c")) == expected == read_state(tmp_path)
        expected = close(expected, {"a": 1})
        assert closed(kernel, {"a": 1}) == expected == read_state(tmp_path) == kernel.context
    assert _files(tmp_path) == ["planner.ledger", "thinking-context.json"]


def _fail(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("owner", "point"), [("planspec_lark.files", "open"), ("os", "fsync"), ("pathlib.Path", "replace")]
)
def test_a_disk_that_takes_no_view_ends_the_run_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: str, point: str
) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    data = _bytes(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(f"{owner}.{point}", _fail(OSError(errno.ENOSPC, "No space left")), raising=False)
        with pytest.raises(StateError) as caught, open_state(tmp_path) as kernel:
            after = opened(kernel, execute("c"))
    assert str(caught.value) == f"{tmp_path / CONTEXT_FILE}: No space left"
    assert _bytes(tmp_path) == data
    assert _files(tmp_path) == ["planner.ledger", "thinking-context.json"]
    assert read_state(tmp_path) == after
    # The next run writes what is missing.
    with open_state(tmp_path) as kernel:
        assert kernel.context == after
    assert _bytes(tmp_path).decode() == context_to_json(after) + "\n"


def test_an_interrupt_leaves_the_state_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    with open_state(tmp_path) as kernel:
        before = kernel.context
        with monkeypatch.context() as patch:
            patch.setattr(SqliteLedger, "_execute", _fail(KeyboardInterrupt()))
            with pytest.raises(KeyboardInterrupt):
                opened(kernel, execute("c"))
        assert kernel.context is before
        assert read_state(tmp_path) == before
        assert opened(kernel, execute("c")) == read_state(tmp_path) != before


# ---------------------------------------------------------------- the ledger and its view


def _tell(folder: Path) -> list[tuple[str, str]]:
    with closing(SqliteLedger(folder / LEDGER_FILE, read_only=True)) as ledger:
        return [(one.kind.value, one.step) for one in ledger.records("planner")]


def test_what_has_happened_is_told(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    answers = iter(["no", steps(STEPS[0], ["a", "b", "c"]), execute("a"), "no", "no", "no"])
    Runtime(tmp_path, lambda *_: next(answers), lambda _: returned("it")).run(max_turns=4)
    assert _tell(tmp_path) == [
        ("begun", ""),
        ("refused", ""),
        ("opened", "1"),
        ("opened", "1.1"),
        ("done", "1.1"),
        ("refused", "1"),
        ("refused", "1"),
        ("refused", "1"),
        ("failed", "1"),
    ]
    with closing(SqliteLedger(tmp_path / LEDGER_FILE, read_only=True)) as ledger:
        refused = next(ledger.records("planner", kinds=[RecordKind.REFUSED])).data
    assert refused["answer"] == "no"
    assert refused["faults"][0].startswith("P")


def test_a_folder_with_a_context_alone_gets_a_ledger(tmp_path: Path) -> None:
    first = start_context("g", STEPS)
    text = context_to_json(first, indent=None)
    (tmp_path / CONTEXT_FILE).write_text(text)
    assert read_state(tmp_path) == first
    assert _files(tmp_path) == [CONTEXT_FILE]
    with open_state(tmp_path) as kernel:
        assert kernel.context == first
    assert _bytes(tmp_path).decode() == text
    assert _tell(tmp_path) == [("begun", "")]
    with open_state(tmp_path) as kernel:
        opened(kernel, execute("c"))
    assert _tell(tmp_path) == [("begun", ""), ("opened", "1")]


def test_a_file_that_is_behind_is_not_what_counts(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    old = _bytes(tmp_path)
    with open_state(tmp_path) as kernel:
        after = opened(kernel, execute("c"))
    for behind in (True, False):
        if behind:
            (tmp_path / CONTEXT_FILE).write_bytes(old)
        else:
            (tmp_path / CONTEXT_FILE).unlink()
        assert read_state(tmp_path) == after
        with open_state(tmp_path) as kernel:
            assert kernel.context == after
        assert _bytes(tmp_path).decode() == context_to_json(after) + "\n"
    assert _tell(tmp_path) == [("begun", ""), ("opened", "1")]


def test_an_edited_file_is_taken_over(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    with open_state(tmp_path) as kernel:
        opened(kernel, execute("c"))
        edited = evolve(closed(kernel, "it"), max_depth=7)
    (tmp_path / CONTEXT_FILE).write_text(context_to_json(edited))
    assert read_state(tmp_path) == edited
    with open_state(tmp_path) as kernel:
        assert kernel.context == edited
        edited = opened(kernel, execute("d"))
    assert read_state(tmp_path) == edited
    assert [kind for kind, _ in _tell(tmp_path)] == ["begun", "opened", "done", "edited", "opened"]


def test_an_edit_of_what_is_behind_is_refused(tmp_path: Path) -> None:
    """What the plan has done since would be lost."""
    create_state(tmp_path, start_context("g", STEPS))
    with open_state(tmp_path) as kernel:
        after = opened(kernel, execute("c"))
    text = context_to_json(start_context("g", ["other"]))
    (tmp_path / CONTEXT_FILE).write_text(text)
    for use in (read_state, lambda folder: open_state(folder).__enter__()):
        with pytest.raises(StateError) as error:
            use(tmp_path)
        assert str(error.value) == (
            f"{tmp_path / CONTEXT_FILE}: it was edited, and the plan continued without the edit (its revision is 0, "
            "that of planner.ledger is 1); take one of the two files away"
        )
    assert (tmp_path / CONTEXT_FILE).read_text() == text
    (tmp_path / CONTEXT_FILE).unlink()
    assert read_state(tmp_path) == after


def test_a_plan_that_has_begun_is_not_taken_for_an_edited_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the plan before may still be there."""
    (tmp_path / CONTEXT_FILE).write_text(context_to_json(start_context("old")))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _fail(OSError(errno.ENOSPC, "")))
        with pytest.raises(StateError):
            create_state(tmp_path, start_context("new"), overwrite=True)
    assert read_state(tmp_path) == start_context("new")
    with open_state(tmp_path) as kernel:
        assert kernel.context == start_context("new")


@pytest.mark.parametrize(
    "change",
    [
        "data = '{}' WHERE seq = 1",
        "data = json_set(data, '$.message.new_block', 5) WHERE seq = 2",
        "data = json_set(data, '$.status', 'x') WHERE seq = 3",
        "kind = 'x' WHERE seq = 3",
    ],
)
def test_records_that_no_run_writes_are_refused(tmp_path: Path, change: str) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    with open_state(tmp_path) as kernel:
        opened(kernel, execute("c"))
        closed(kernel, "it")
    with closing(sqlite3.connect(tmp_path / LEDGER_FILE)) as base, base:
        assert base.execute(f"UPDATE records SET {change}").rowcount
    for use in (
        read_state,
        lambda folder: open_state(folder).__enter__(),
        lambda folder: create_state(folder, start_context("x")),
    ):
        with pytest.raises(StateError) as error:
            use(tmp_path)
        assert str(error.value).startswith(f"{tmp_path / LEDGER_FILE}: th")


def test_the_file_does_not_become_larger_than_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_state(tmp_path, start_context("g", []))
    monkeypatch.setattr(kernel_module, "CONTEXT_LIMITS", evolve(CONTEXT_LIMITS, max_bytes=1000))
    with pytest.raises(StateError) as error:
        Runtime(tmp_path, lambda *_: "", lambda _: returned("a" * 1000)).run()
    size = len(context_to_json(close(start_context("g", []), "a" * 1000)).encode()) + 1
    said = f"{size:,} bytes are more than the 1,000 that a context may have"
    assert str(error.value) == f"{tmp_path / CONTEXT_FILE}: {said}"
    assert _bytes(tmp_path).decode() == context_to_json(start_context("g", [])) + "\n"
