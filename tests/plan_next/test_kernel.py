"""The one writer of a plan's state: what it refuses, what it leaves behind, and that nothing is lost when it fails."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
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
from planspec_lark.planner.kernel import CONTEXT_FILE, open_state
from tests.plan_next.turns import STEPS, close, execute, open_, returned


def _message(text: str) -> PlanNext:
    message = parse_message(text, "planning")
    assert isinstance(message, PlanNext)
    return message


def _files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def _bytes(folder: Path) -> bytes:
    return (folder / CONTEXT_FILE).read_bytes()


# ---------------------------------------------------------------- beginning


def test_a_plan_begins_in_a_folder_that_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / ".thinkon"
    context = start_context("g", STEPS)
    create_state(folder, context)
    assert _files(folder) == ["kernel.lock", "thinking-context.json"]
    assert _bytes(folder).decode() == context_to_json(context) + "\n"
    assert read_state(folder) == read_state(str(folder)) == context


def test_a_plan_that_has_not_ended_is_not_given_up(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("one", []))
    with pytest.raises(StateError) as error:
        create_state(tmp_path, start_context("two"))
    assert str(error.value) == f"{tmp_path}: there is a plan that has not ended; go on with it"
    assert read_state(tmp_path).think.goal == "one"
    create_state(tmp_path, start_context("two", []), overwrite=True)
    with open_state(tmp_path) as kernel:
        kernel.close_block("it", DoneStatus.DONE)
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
    ],
)
def test_a_plan_does_not_begin_with_what_could_not_be_read_again(tmp_path: Path, context: Context, code: str) -> None:
    with pytest.raises(ContextError) as error:
        create_state(tmp_path / "new", context)
    assert [one.code for one in error.value.diagnostics] == [code]
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("context", "kind"),
    [
        (start_context("a\ud800", []), ValueError),
        (start_context(Core4("i", "d", "m", "c", {"x": float("nan")})), ValueError),
        (Context(Block("g", done=[DoneItem("d", {"x": float("-inf")})])), ValueError),
        (start_context(Core4("i", "d", "m", "c", {"x": object()})), TypeError),
    ],
)
def test_a_plan_does_not_begin_with_what_json_cannot_say(
    tmp_path: Path, context: Context, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        create_state(tmp_path / "new", context)
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


def test_a_folder_is_no_context(tmp_path: Path) -> None:
    (tmp_path / CONTEXT_FILE).mkdir()
    with pytest.raises(StateError) as error:
        read_state(tmp_path)
    assert str(error.value) == f"{tmp_path / CONTEXT_FILE}: Is a directory"


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


def test_a_folder_in_one_that_may_not_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_state(tmp_path, start_context("g"))
    monkeypatch.setattr(os, "stat", _fail(PermissionError(errno.EACCES, "Permission denied")))
    with pytest.raises(StateError) as error, open_state(tmp_path):
        pass
    assert str(error.value) == f"{tmp_path / CONTEXT_FILE}: Permission denied"


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
            assert str(error.value) == f"{tmp_path}: another process is at work on this plan"
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
            kernel.close_block("it", DoneStatus.DONE)
    assert str(error.value) == f"{folder}: this plan was taken away, and there is another lock now"
    assert read_state(folder) == start_context("new")


def test_a_lock_that_was_removed_and_that_nobody_else_has_costs_nothing(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", []))
    with open_state(tmp_path) as kernel:
        (tmp_path / "kernel.lock").unlink()
        assert kernel.close_block("it", DoneStatus.DONE) == read_state(tmp_path)


def test_a_file_system_without_locks_is_no_other_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_state(tmp_path, start_context("g"))
    monkeypatch.setattr("fcntl.flock", _fail(OSError(errno.ENOLCK, "No locks available")))
    with pytest.raises(StateError) as error, open_state(tmp_path):
        pass
    assert str(error.value) == f"{tmp_path}: No locks available"


def test_what_killed_writers_have_left_is_removed(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g"))
    (tmp_path / ".planspec-thinking-context.json-abc.tmp").write_text("half of")
    (tmp_path / "mine.tmp").write_text("")
    with open_state(tmp_path):
        assert _files(tmp_path) == ["kernel.lock", "mine.tmp", "thinking-context.json"]


# ---------------------------------------------------------------- changes


def test_each_change_is_on_the_disk_when_it_is_done(tmp_path: Path) -> None:
    expected = start_context("g", STEPS)
    create_state(tmp_path, expected)
    with open_state(tmp_path) as kernel:
        expected = open_(expected, execute("c"))
        assert kernel.open_block(_message(execute("c"))) == expected == read_state(tmp_path)
        expected = close(expected, {"a": 1})
        assert kernel.close_block({"a": 1}, DoneStatus.DONE) == expected == read_state(tmp_path) == kernel.context
    assert _files(tmp_path) == ["kernel.lock", "thinking-context.json"]


def test_a_plan_that_has_ended_stays_as_it_is(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("g", []))
    with open_state(tmp_path) as kernel:
        ended = kernel.close_block("it", DoneStatus.DONE)
        changes: list[Callable[[], Context]] = [
            lambda: kernel.close_block("more", DoneStatus.DONE),
            lambda: kernel.open_block(_message(execute("c"))),
        ]
        for change in changes:
            with pytest.raises(StateError) as error:
                change()
            assert str(error.value) == f"{tmp_path}: this plan has ended"
    assert read_state(tmp_path) == ended


def _fail(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


class _FullFile:
    """A file on a disk that is full after some bytes."""

    def __init__(self, file: Any) -> None:
        self.file = file

    @classmethod
    def open(cls, path: Path, mode: str, **options: Any) -> _FullFile:
        return cls(open(path, mode, **options))

    def __enter__(self) -> _FullFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def write(self, data: bytes) -> int:
        self.file.write(data[:20])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("point", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_disk_that_takes_nothing_leaves_the_state_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, number: int
) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    error = OSError(number, os.strerror(number))
    with open_state(tmp_path) as kernel:
        before, data = kernel.context, _bytes(tmp_path)
        with monkeypatch.context() as patch:
            if point == "write":
                number = errno.ENOSPC
                patch.setattr("planspec_lark.files.open", _FullFile.open, raising=False)
            elif point == "open":
                patch.setattr("planspec_lark.files.open", _fail(error), raising=False)
            elif point == "fsync":
                patch.setattr(os, "fsync", _fail(error))
            else:
                patch.setattr(Path, "replace", _fail(error))
            with pytest.raises(StateError) as caught:
                kernel.open_block(_message(execute("c")))
        assert str(caught.value) == f"{tmp_path / CONTEXT_FILE}: {os.strerror(number)}"
        assert kernel.context is before
        assert _bytes(tmp_path) == data
        assert _files(tmp_path) == ["kernel.lock", "thinking-context.json"]
        assert kernel.open_block(_message(execute("c"))) == read_state(tmp_path) != before


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), SystemExit(1)])
def test_an_interrupt_leaves_the_state_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    create_state(tmp_path, start_context("g", STEPS))
    with open_state(tmp_path) as kernel:
        before = kernel.context
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", _fail(error))
            with pytest.raises(type(error)):
                kernel.open_block(_message(execute("c")))
        assert kernel.context is before
        assert read_state(tmp_path) == before


@pytest.mark.parametrize("target", ["locked", "remove_leftovers"])
def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    create_state(tmp_path, start_context("g"))
    monkeypatch.setattr(kernel_module, target, _fail(PermissionError(errno.EACCES, "Permission denied")))
    with pytest.raises(StateError) as error:
        Runtime(tmp_path, lambda *_: "", lambda _: "").run()
    assert str(error.value) == f"{tmp_path}: Permission denied"
    assert read_state(tmp_path) == start_context("g")


def test_a_state_does_not_become_larger_than_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_state(tmp_path, start_context("g", []))
    monkeypatch.setattr(kernel_module, "CONTEXT_LIMITS", evolve(CONTEXT_LIMITS, max_bytes=1000))
    with pytest.raises(StateError) as error:
        Runtime(tmp_path, lambda *_: "", lambda _: returned("a" * 1000)).run()
    size = len(context_to_json(close(start_context("g", []), "a" * 1000)).encode()) + 1
    said = f"{size:,} bytes are more than the 1,000 that a context may have"
    assert str(error.value) == f"{tmp_path / CONTEXT_FILE}: {said}"
    assert read_state(tmp_path) == start_context("g", [])


def test_the_state_is_on_the_disk_before_it_takes_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_state(tmp_path, start_context("g", []))
    seen: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def watch_fsync(handle: int) -> None:
        seen.append(f"fsync {'folder' if os.path.isdir(f'/proc/self/fd/{handle}') else 'file'}")
        fsync(handle)

    def watch_replace(self: Path, target: Path) -> Path:
        seen.append(f"replace {json.loads(self.read_text())['revision']}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", watch_fsync)
    monkeypatch.setattr(Path, "replace", watch_replace)
    with open_state(tmp_path) as kernel:
        kernel.close_block("it", DoneStatus.DONE)
    assert seen == ["fsync file", "replace 1", "fsync folder"]
