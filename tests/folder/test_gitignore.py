"""The .gitignore in the folder of plans, and all that stays as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planspec_lark.folder import FolderError, PlanFolder


def listed(folder: PlanFolder) -> list[str]:
    return sorted(os.listdir(folder.path))


def test_it_is_written_once(tmp_path: Path) -> None:
    folder = PlanFolder(tmp_path)
    assert folder.hide()
    assert (folder.path / ".gitignore").read_bytes() == b"*\n"
    assert not folder.hide()
    assert listed(folder) == [".gitignore"]
    assert os.listdir(tmp_path) == ["planspec"]


@pytest.mark.parametrize("is_hidden", [True, False])
def test_sharing_is_remembered(tmp_path: Path, is_hidden: bool) -> None:
    folder = PlanFolder(tmp_path)
    if is_hidden:
        folder.hide()
    assert folder.share()
    assert not folder.share()
    assert not folder.hide()
    assert listed(folder) == ["settings.toml"]
    (folder.path / "settings.toml").unlink()
    assert folder.hide()


@pytest.mark.parametrize("text", [b"", b"*", b"*\n!.gitignore\n", b"*.lock\n", b"#\n"])
def test_what_a_user_has_written_stays(tmp_path: Path, text: bytes) -> None:
    folder = PlanFolder(tmp_path)
    folder.path.mkdir()
    path = folder.path / ".gitignore"
    path.write_bytes(text)
    assert not folder.hide()
    assert folder.share()
    assert path.read_bytes() == text


@pytest.mark.parametrize("kind", ["link", "nowhere", "fifo", "folder"])
def test_what_is_no_file_stays(tmp_path: Path, kind: str) -> None:
    folder = PlanFolder(tmp_path)
    folder.path.mkdir()
    path = folder.path / ".gitignore"
    if kind in ("link", "nowhere"):
        # As long as what `hide` writes.
        (folder.path / "ab").write_bytes(b"*\n")
        path.symlink_to("ab" if kind == "link" else "no")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert not folder.hide()
    folder.share()
    assert os.path.lexists(path)
    assert not (folder.path / "no").exists()


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "planspec").write_text("")
    for change in (PlanFolder(tmp_path).hide, PlanFolder(tmp_path).share):
        with pytest.raises(FolderError, match="planspec: "):
            change()
