"""The one writer of plan files: whole or not at all, one after the other, and no change is lost."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanFile, PlanFileError, PlanSyntaxError
from planspec_lark.cancellation import StopEvent, call_until
from planspec_lark.document import PlanBusyError
from planspec_lark.document.file import clear_leftovers
from planspec_lark.document.file_lease import lease_path
from planspec_lark.syntax import Limits
from tests.document.writers import NEW, OLD, Request
from tests.dying import Server, serving

Writer = Callable[[Path, str], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A plan."""
    (tmp_path / "plan.md").write_text(OLD)
    return tmp_path / "plan.md"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("tests.document.writers") as server:
        yield server


def write(path: Path, text: str) -> bool:
    """Change a plan, whatever it was."""
    return PlanFile(path).change(lambda _: text)


def _write_carelessly(path: Path, text: str) -> None:
    """What a program does that thinks of no crash."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _survives(writer: Writer, folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> bool:
    """Whether a file is as it was, with nothing beside it, after its writer has failed before the end."""
    path = folder / "it.md"
    path.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises((type(error), PlanFileError)):
            writer(path, "new text")
    return path.read_text(encoding="utf-8") == "old" and os.listdir(folder) == ["it.md"]


@pytest.mark.parametrize("error", [OSError(28, "full"), KeyboardInterrupt(), MemoryError(), SystemExit(1)])
def test_a_crash_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    assert _survives(write, tmp_path, monkeypatch, error)


def test_a_careless_writer_would_be_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _survives(_write_carelessly, tmp_path, monkeypatch, OSError(28, "full"))


@pytest.mark.parametrize("name", ["chmod", "replace"])
def test_a_crash_at_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(1, "no")

    monkeypatch.setattr(Path, name, fail)
    with pytest.raises(PlanFileError, match=r"it\.md: no"):
        write(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["it.md"]


def test_the_text_is_on_the_disk_before_it_takes_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    seen: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def watch_fsync(handle: int) -> None:
        seen.append("fsync")
        fsync(handle)

    def watch_replace(self: Path, target: Path) -> Path:
        seen.append(f"replace by {self.read_text()}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", watch_fsync)
    monkeypatch.setattr(Path, "replace", watch_replace)
    write(path, "new")
    assert seen[:2] == ["fsync", "replace by new"]
    assert path.read_text() == "new"


@pytest.mark.parametrize("text", ["", "one\n", "中 → 🎉\n", "a\r\nb\r\n", "no end", "\ufeffmark\n", "\u2028\u0085\n"])
def test_the_text_is_written_byte_by_byte(tmp_path: Path, text: str) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    write(path, text)
    assert path.read_bytes() == text.encode("utf-8")


def test_what_no_utf_8_can_say_leaves_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    with pytest.raises(PlanFileError, match="the text has lone surrogates, which cannot be written"):
        write(path, "a\ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["it.md"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o400, 0o777, 0o2640])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    path.chmod(mode)
    write(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o7777 == mode


def test_while_it_is_written_no_other_user_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    path.chmod(0o644)
    modes: list[int] = []
    fsync = os.fsync

    def watch(handle: int) -> None:
        modes.append(os.fstat(handle).st_mode & 0o777)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    write(path, "new")
    assert modes[0] == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "it.md").write_text("old")
    (tmp_path / "link.md").symlink_to("folder/it.md")
    write(tmp_path / "link.md", "new")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "folder" / "it.md").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["folder", "link.md"]
    assert os.listdir(tmp_path / "folder") == ["it.md"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(PlanFileError, match="folder: this is not a file"):
        write(tmp_path / "folder", "new")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(PlanFileError, match="No such file or directory"):
        write(tmp_path / "none" / "it.md", "new")


# ---------------------------------------------------------------- others at work


def test_nothing_is_lost_of_what_many_write(tmp_path: Path, server: Server) -> None:
    (tmp_path / "plan.md").write_text("")
    (codes,) = {tuple(server.ask(Request(str(tmp_path / "plan.md"), "append", processes=20, rounds=20)))}
    assert codes == (0,) * 20
    rows = (tmp_path / "plan.md").read_text().splitlines()
    assert sorted(rows) == sorted(f"{number} {at}" for number in range(20) for at in range(20))
    # Of each process, one after the other.
    assert [row for row in rows if row.startswith("7 ")] == [f"7 {at}" for at in range(20)]
    assert os.listdir(tmp_path) == ["plan.md"]


def test_threads_wait_for_each_other(path: Path) -> None:
    threads = [threading.Thread(target=PlanFile(path).change, args=(lambda text: text + "x",)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == OLD + 10 * "x"


def test_a_writer_that_holds_the_folder_is_waited_for(path: Path) -> None:
    is_held, goes_on = threading.Event(), threading.Event()

    def hold() -> None:
        with PlanFile(path).held():
            is_held.set()
            goes_on.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait(30)
    with pytest.raises(PlanBusyError) as error:
        PlanFile(path, wait=0.1).change(lambda _: NEW)
    assert str(error.value) == f"{path}: another process writes in this folder (waited for 0.1 s)"
    assert error.value.lease is None
    threading.Timer(0.1, goes_on.set).start()
    assert PlanFile(path).change(lambda _: NEW)
    thread.join()


def test_a_lock_has_one_name_only(tmp_path: Path, path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/link.md").symlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path)
    with PlanFile(path).held():
        for name in ("elsewhere/link.md", "folder/plan.md", "elsewhere/../plan.md"):
            with pytest.raises(PlanBusyError):
                PlanFile(tmp_path / name, wait=0).change(lambda _: NEW)
        (tmp_path / "elsewhere/other.md").write_text(OLD)
        assert write(tmp_path / "elsewhere/other.md", NEW)
    assert PlanFile(tmp_path / "elsewhere/link.md", wait=0).change(lambda _: NEW)
    assert (tmp_path / "elsewhere/link.md").is_symlink()
    assert path.read_text() == NEW


def test_a_link_that_leads_elsewhere_by_now(tmp_path: Path, path: Path) -> None:
    """It is followed again once the folder is locked."""
    link, other = tmp_path / "link.md", tmp_path / "other"
    other.mkdir()
    (other / "plan.md").write_text(OLD)
    link.symlink_to(path)
    with PlanFile(path).held():
        thread = threading.Thread(target=PlanFile(link).change, args=(lambda _: NEW,))
        thread.start()
        time.sleep(0.1)
        link.unlink()
        link.symlink_to(other / "plan.md")
    thread.join()
    assert (path.read_text(), (other / "plan.md").read_text()) == (OLD, NEW)


def test_a_process_that_was_forked_does_not_go_on_holding_it(path: Path) -> None:
    """Its parent is killed while it holds the lock, and the forked process lives on."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with PlanFile(path).held():
            if os.fork():
                os.kill(os.getpid(), signal.SIGKILL)
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    try:
        assert PlanFile(path, wait=5).change(lambda _: NEW)
    finally:
        os.close(reading)
        os.close(writing)


def test_what_is_no_time() -> None:
    for wait in (-1, float("nan")):
        with pytest.raises(ValueError, match="is no number of seconds"):
            PlanFile("plan.md", wait=wait)


# ---------------------------------------------------------------- editors, which know no lock


def _save_in_place(path: Path, text: str) -> None:
    path.write_text(text)


def _save_beside(path: Path, text: str) -> None:
    path.with_name("its.tmp").write_text(text)
    path.with_name("its.tmp").replace(path)


@pytest.mark.parametrize("save", [_save_in_place, _save_beside])
def test_a_change_is_made_again_on_what_an_editor_has_saved(path: Path, save: Writer) -> None:
    seen: list[str] = []

    def change(text: str) -> str:
        seen.append(text)
        if len(seen) == 1:
            # As long as before, and within the same tick of the clock.
            save(path, OLD.replace("a", "z"))
        return text + "2. [act] b\n"

    assert PlanFile(path).change(change)
    assert seen == [OLD, OLD.replace("a", "z")]
    assert path.read_text() == OLD.replace("a", "z") + "2. [act] b\n"


def test_what_is_saved_while_the_new_text_is_written_is_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync, edits = os.fsync, iter([OLD + "typed\n"])

    def meddle(handle: int) -> None:
        for text in edits:
            path.write_text(text)
            break
        fsync(handle)

    monkeypatch.setattr(os, "fsync", meddle)
    assert PlanFile(path).change(lambda text: f"{text}more\n")
    assert path.read_text() == OLD + "typed\nmore\n"


def test_a_change_that_fits_no_more_is_refused(path: Path) -> None:
    def change(text: str) -> str:
        if "typed" in text:
            raise LookupError
        path.write_text(OLD + "typed\n")
        return NEW

    with pytest.raises(LookupError):
        PlanFile(path).change(change)
    assert path.read_text() == OLD + "typed\n"
    assert os.listdir(path.parent) == ["plan.md"]


def test_a_writer_that_never_ends(path: Path) -> None:
    numbers = count()

    def change(text: str) -> str:
        path.write_text(f"{OLD}{next(numbers)}\n")
        return text + "lost\n"

    with pytest.raises(PlanFileError, match="another program keeps writing to this file, so it was not changed"):
        PlanFile(path).change(change)
    assert path.read_text() == f"{OLD}{next(numbers) - 1}\n"


def test_a_mode_that_was_changed_meanwhile_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync, modes = os.fsync, iter([0o640])

    def meddle(handle: int) -> None:
        # While the file is written, and not when its folder is.
        for mode in modes:
            path.chmod(mode)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", meddle)
    assert write(path, NEW)
    assert (path.read_text(), path.stat().st_mode & 0o777) == (NEW, 0o640)


def test_a_file_that_is_gone_meanwhile(path: Path) -> None:
    def change(_: str) -> str:
        path.unlink()
        return NEW

    with pytest.raises(PlanFileError, match=r"plan\.md: No such file or directory"):
        PlanFile(path).change(change)
    assert os.listdir(path.parent) == []


# ---------------------------------------------------------------- what is not changed


def test_a_change_that_is_called_off_meanwhile_is_not_made(path: Path) -> None:
    stop, before = StopEvent(), path.read_bytes()

    def change(text: str) -> str:
        stop.set()
        return f"{text}more"

    new = PlanFile(path.with_name("new.md"))
    works: list[Callable[[], object]] = [
        partial(PlanFile(path).change, change),
        PlanFile(path).held().__enter__,
        partial(new.create, b"x"),
    ]
    for work in works:
        with pytest.raises(PlanFileError, match=r"\.md: this was called off, so nothing was changed$"):
            call_until(stop, work)
    assert [(one.name, one.read_bytes()) for one in path.parent.iterdir()] == [(path.name, before)]
    # Elsewhere nobody has called anything off.
    assert PlanFile(path).change(lambda text: f"{text}more")


def test_several_hard_links(path: Path) -> None:
    os.link(path, path.with_name("other.md"))
    said = "this file has 2 hard links, which a change would part; copy it first"
    with pytest.raises(PlanFileError, match=said):
        write(path, NEW)
    with pytest.raises(PlanFileError, match=said), PlanFile(path).leased():
        pass
    # To leave it as it is parts nothing.
    assert not write(path, OLD)
    assert sorted(os.listdir(path.parent)) == ["other.md", "plan.md"]
    assert os.path.samefile(path, path.with_name("other.md"))
    path.with_name("other.md").unlink()
    assert write(path, NEW)


def test_a_file_that_is_too_long_is_not_read(path: Path) -> None:
    with pytest.raises(PlanSyntaxError):
        PlanFile(path, limits=Limits(max_bytes=10)).change(lambda _: NEW)
    assert PlanFile(path, limits=Limits(max_bytes=len(OLD))).change(lambda _: NEW)


def test_a_new_file_replaces_nothing(path: Path) -> None:
    with pytest.raises(FileExistsError):
        PlanFile(path).create(b"x")
    path.with_name("link.md").symlink_to("none.md")
    path.with_name("folder.md").mkdir()
    for name in ("link.md", "folder.md"):
        with pytest.raises(FileExistsError):
            PlanFile(path.with_name(name)).create(b"x")
    PlanFile(path.with_name("new.md")).create(b"x")
    assert sorted(os.listdir(path.parent)) == ["folder.md", "link.md", "new.md", "plan.md"]


@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_where_files_have_one_name(path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "no links")

    if not has_links:
        monkeypatch.setattr(os, "link", link)
    with pytest.raises(FileExistsError):
        PlanFile(path).create(b"x")
    PlanFile(path.with_name("new.md")).create(b"x")
    assert (path.read_text(), path.with_name("new.md").read_text()) == (OLD, "x")
    assert sorted(os.listdir(path.parent)) == ["new.md", "plan.md"]


# ---------------------------------------------------------------- runs


def test_a_run_keeps_others_out_and_says_who_it_is(path: Path) -> None:
    with PlanFile(path, command="planspec run").leased() as plan:
        assert sorted(os.listdir(path.parent)) == ["plan.md", "plan.md.lock"]
        plan.load()
        others: list[Callable[[], object]] = [
            lambda: PlanFile(path, wait=0.05).change(lambda _: NEW),
            lambda: PlanFile(path, wait=0.05).held().__enter__(),
            lambda: PlanFile(path, wait=0.05).leased().__enter__(),
        ]
        for other in others:
            with pytest.raises(PlanBusyError) as error:
                other()
            lease = error.value.lease
            assert lease is not None
            assert (lease.command, lease.process) == ("planspec run", os.getpid())
            said = (
                f"{path}: another process runs this plan: `planspec run`, process {os.getpid()} on {lease.host}, since "
            )
            assert str(error.value) == f"{said}{lease.since} (waited for 0.05 s)"
            assert PlanFile(path).lease() == lease
        # A reader need not wait.
        assert not PlanFile(path, wait=0).change(lambda text: text)
        plan.save(NEW)
        assert PlanFile(path).read() == NEW
    assert PlanFile(path).lease() is None
    assert os.listdir(path.parent) == ["plan.md"]
    assert write(path, OLD)


def test_a_run_that_ends_is_waited_for(path: Path) -> None:
    with PlanFile(path).leased() as plan:
        plan.load()
        thread = threading.Thread(target=PlanFile(path).change, args=(lambda text: text + "more\n",))
        thread.start()
        time.sleep(0.1)
        plan.save(NEW)
    thread.join()
    assert path.read_text() == NEW + "more\n"


def test_a_run_waits_for_others_however_long_they_take(path: Path) -> None:
    with PlanFile(path, wait=0).leased() as plan:
        plan.load()
        other = path.with_name("other.md")
        other.write_text("")
        is_held = threading.Event()

        def hold() -> None:
            with PlanFile(other).held():
                is_held.set()
                time.sleep(0.3)

        thread = threading.Thread(target=hold)
        thread.start()
        is_held.wait(30)
        plan.save(NEW)
        thread.join()
    assert path.read_text() == NEW


def test_a_lease_that_was_removed_is_no_lease_any_more(path: Path) -> None:
    with PlanFile(path).leased() as plan:
        plan.load()
        lease_path(path).unlink()
        said = "the lease of this run was removed"
        with PlanFile(path).leased(), pytest.raises(PlanFileError, match=said):
            plan.save(NEW)
        assert path.read_text() == OLD
        (path.parent / "plan.md.lock").write_text("of another program")
    assert lease_path(path).read_text() == "of another program"


@pytest.mark.parametrize("form", ["text", "empty", "folder", "link", "pipe"])
def test_a_file_of_the_leases_name_that_is_none(path: Path, form: str) -> None:
    lock = lease_path(path)
    if form == "folder":
        lock.mkdir()
    elif form == "link":
        lock.symlink_to("plan.md")
    elif form == "pipe":
        os.mkfifo(lock)
    else:
        lock.write_text("# generated\n" if form == "text" else "")
    before = _identity(lock)
    with pytest.raises(PlanFileError) as error, PlanFile(path).leased():
        pass
    assert str(error.value) == f"{lock}: a run needs this name, and the file is something else"
    assert write(path, NEW)
    clear_leftovers(path.parent)
    assert _identity(lock) == before


def _identity(path: Path) -> tuple[int, ...]:
    """What stays as long as a file is only read: its time of access does not."""
    found = path.lstat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize(
    "rest", ["", "}", "[" * 3000, "\x1b[2J", '"process": 1}', "command", "host", "since", "process"]
)
def test_a_lease_from_strangers_steers_nothing(path: Path, rest: str) -> None:
    said = dict.fromkeys(["command", "process", "host", "since"], "so")
    if rest in said:
        said[rest] = "\x1b[31m\u202e\n" + "x" * 3000
        rest = json.dumps(said)[1:]
    lease_path(path).write_text('{"planspec_lease": 1, ' + rest)
    with lease_path(path).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(PlanBusyError) as error:
            PlanFile(path, wait=0).change(lambda _: NEW)
        assert str(error.value).isprintable()
        assert len(str(error.value)) < 500
    # It is held no more.
    assert write(path, NEW)
    assert os.listdir(path.parent) == ["plan.md"]


# ---------------------------------------------------------------- processes that end anywhere


def _check_what_is_left(path: Path, at: int) -> None:
    """The old text or the new one; nothing is left behind the next look, and nothing is locked."""
    assert not path.exists() or path.read_text() in (OLD, NEW)
    if at % 2:
        clear_leftovers(path.parent)
    elif path.exists():
        assert not PlanFile(path, wait=0).change(lambda text: text)
    else:
        PlanFile(path, wait=0).create(NEW.encode())
    assert set(os.listdir(path.parent)) <= {path.name}
    if path.exists():
        assert PlanFile(path, wait=0).change(lambda text: f"{text}more\n")


@pytest.mark.parametrize("work", ["change", "create", "run"])
def test_killed_at_every_call_of_the_system(tmp_path: Path, server: Server, work: str) -> None:
    path, left, texts = tmp_path / "plan.md", set(), set()
    for at in count():
        path.unlink(missing_ok=True)
        if work != "create":
            path.write_text(OLD)
        (code,) = server.ask(Request(str(path), work, dies_at=at))
        left |= {name.partition("-")[0] for name in os.listdir(tmp_path)}
        texts.add(path.read_text() if path.exists() else "")
        _check_what_is_left(path, at)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    # It dies in all states that there are.
    assert at > 20
    assert left == {".planspec_plan", "plan.md", *(["plan.md.lock"] if work == "run" else [])}
    assert texts == {"" if work == "create" else OLD, NEW}


def test_what_another_process_is_writing_is_not_cleared(path: Path) -> None:
    mine = path.with_name(".planspec_plan-0123.tmp")
    with PlanFile(path).held():
        mine.write_text("half a pl")
        clear_leftovers(path.parent)
        assert mine.exists()
    clear_leftovers(path.parent)
    assert not mine.exists()
    with PlanFile(path).leased():
        clear_leftovers(path.parent)
        assert lease_path(path).exists()


# ---------------------------------------------------------------- where folders have no locks


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder, on a system whose folders cannot be locked."""
    real = fcntl.flock

    def flock(handle: Any, how: int) -> None:
        if Path(f"/proc/self/fd/{handle}").is_dir() or Path(f"/proc/self/fd/{handle}").resolve().suffix == ".lock":
            raise OSError(errno.EBADF, "Bad file descriptor")
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "planspec" / "locks"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only there a handle says what it is of")
def test_a_lock_in_the_users_state_folder(path: Path, state: Path) -> None:
    path.with_name("folder").symlink_to(path.parent)
    with PlanFile(path).held():
        assert len(os.listdir(state)) == 1
        for name in ("plan.md", "folder/plan.md"):
            with pytest.raises(PlanBusyError):
                PlanFile(path.parent / name, wait=0).change(lambda _: NEW)
    assert write(path, NEW)
    with PlanFile(path).leased():
        with pytest.raises(PlanBusyError, match="another process runs this plan"):
            PlanFile(path, wait=0).change(lambda _: OLD)
        with pytest.raises(PlanBusyError, match="another process runs this plan"), PlanFile(path, wait=0).leased():
            pass
    assert write(path, OLD)
    assert sorted(os.listdir(path.parent)) == ["folder", "plan.md", "state"]
    assert state.stat().st_mode & 0o777 == 0o700


def test_where_nothing_can_be_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setenv("XDG_STATE_HOME", str(path.parent / "state"))
    with pytest.raises(PlanFileError, match=r"plan\.md: No locks available"):
        write(path, NEW)
    assert path.read_text() == OLD


def test_an_edit_right_behind_a_save_is_seen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with PlanFile(path).leased() as plan:
        plan.load()
        plan.save(NEW)
        assert not plan.looks_edited()
        monkeypatch.setattr("planspec_lark.files.sync_folder", lambda _: path.write_text(NEW + "3. [act] c\n"))
        plan.save(NEW + "3. [act] d\n")
        assert plan.looks_edited()
