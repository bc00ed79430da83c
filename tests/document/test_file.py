"""Files are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from planspec_lark.files import write_atomically

Writer = Callable[[Path, str], None]


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
        with pytest.raises(type(error)):
            writer(path, "new text")
    return path.read_text(encoding="utf-8") == "old" and os.listdir(folder) == ["it.md"]


@pytest.mark.parametrize("error", [OSError(28, "full"), KeyboardInterrupt(), MemoryError(), SystemExit(1)])
def test_a_crash_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    assert _survives(write_atomically, tmp_path, monkeypatch, error)


def test_a_careless_writer_would_be_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _survives(_write_carelessly, tmp_path, monkeypatch, OSError(28, "full"))


@pytest.mark.parametrize("name", ["chmod", "replace"])
def test_a_crash_at_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(1, "no")

    monkeypatch.setattr(Path, name, fail)
    with pytest.raises(PermissionError):
        write_atomically(path, "new")
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
    write_atomically(path, "new")
    assert seen[:2] == ["fsync", "replace by new"]
    assert path.read_text() == "new"


@pytest.mark.parametrize("text", ["", "one\n", "中 → 🎉\n", "a\r\nb\r\n", "no end", "\ufeffmark\n", "\u2028\u0085\n"])
def test_the_text_is_written_byte_by_byte(tmp_path: Path, text: str) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    write_atomically(path, text)
    assert path.read_bytes() == text.encode("utf-8")


def test_what_no_utf_8_can_say_leaves_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "a\ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["it.md"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o400, 0o777, 0o2640])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o7777 == mode


def test_while_it_is_written_nobody_else_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.md"
    path.write_text("old")
    path.chmod(0o644)
    modes: list[int] = []
    fsync = os.fsync

    def watch(handle: int) -> None:
        modes.append(os.fstat(handle).st_mode & 0o777)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    write_atomically(path, "new")
    assert modes[0] == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "it.md").write_text("old")
    (tmp_path / "link.md").symlink_to("folder/it.md")
    write_atomically(tmp_path / "link.md", "new")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "folder" / "it.md").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["folder", "link.md"]
    assert os.listdir(tmp_path / "folder") == ["it.md"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"folder|directory"):
        write_atomically(tmp_path / "folder", "new")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "it.md", "new")
