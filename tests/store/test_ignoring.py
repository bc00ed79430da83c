"""The line in .gitignore, and all that stays as it was."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from planspec_lark.store.folder import PlanFolder
from planspec_lark.store.models import StoreError
from tests.store.plans import OPEN, write

CHANGED = {
    "none": (None, b"planspec/\n"),
    "empty": (b"", b"planspec/\n"),
    "plain": (b"dist/\n", b"dist/\nplanspec/\n"),
    "no last end": (b"dist/", b"dist/\nplanspec/"),
    "crlf": (b"dist/\r\nbuild/\r\n", b"dist/\r\nbuild/\r\nplanspec/\r\n"),
    "crlf, no last end": (b"dist/\r\nbuild/", b"dist/\r\nbuild/\r\nplanspec/"),
    "mixed": (b"dist/\r\nbuild/\n", b"dist/\r\nbuild/\nplanspec/\n"),
    "bom": (b"\xef\xbb\xbfdist/\n", b"\xef\xbb\xbfdist/\nplanspec/\n"),
    "only a bom": (b"\xef\xbb\xbf", b"\xef\xbb\xbfplanspec/\n"),
    "latin": (b"caf\xe9\n", b"caf\xe9\nplanspec/\n"),
    "comment": (b"# planspec/\n", b"# planspec/\nplanspec/\n"),
    "longer": (b"myplanspec/\n", b"myplanspec/\nplanspec/\n"),
    "only inside": (b"planspec/*.md\n", b"planspec/*.md\nplanspec/\n"),
    "taken back": (b"planspec/\n!planspec/\n", b"planspec/\n!planspec/\nplanspec/\n"),
}


@pytest.mark.parametrize("case", CHANGED)
def test_the_line_is_added_once(tmp_path: Path, case: str) -> None:
    before, after = CHANGED[case]
    path = tmp_path / ".gitignore"
    if before is not None:
        path.write_bytes(before)
    folder = PlanFolder(tmp_path)
    assert folder.ignore()
    assert path.read_bytes() == after
    assert not folder.ignore()
    assert path.read_bytes() == after
    assert os.listdir(tmp_path) == [".gitignore"]


@pytest.mark.parametrize(
    "text",
    [
        b"planspec\n",
        b"planspec/",
        b"/planspec/\r\nx\n",
        b"**/planspec/  \n",
        b"planspec/**\n",
        b"\xef\xbb\xbfplanspec/\n",
        b"!planspec/\nplanspec/\n",
    ],
)
def test_what_is_ignored_already(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / ".gitignore"
    path.write_bytes(text)
    assert not PlanFolder(tmp_path).ignore()
    assert path.read_bytes() == text


@pytest.mark.parametrize("case", CHANGED)
def test_git_agrees(tmp_path: Path, case: str) -> None:
    before, _ = CHANGED[case]
    if before is not None:
        (tmp_path / ".gitignore").write_bytes(before)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write(tmp_path / "planspec/x.md", OPEN)
    asked = ["git", "-C", str(tmp_path), "check-ignore", "-q", "planspec/archive"]
    assert subprocess.run(asked, check=False).returncode == 1
    PlanFolder(tmp_path).ignore()
    assert subprocess.run(asked, check=False).returncode == 0


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / ".gitignore"
    path.write_text("dist/\n")
    path.chmod(0o640)
    PlanFolder(tmp_path).ignore()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("kind", ["link", "nowhere", "fifo", "folder"])
def test_what_is_no_file_stays(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / ".gitignore", tmp_path / "other"
    other.write_text("x\n")
    if kind in ("link", "nowhere"):
        path.symlink_to(other if kind == "link" else tmp_path / "none")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(StoreError, match="this is no file that git would read"):
        PlanFolder(tmp_path).ignore()
    assert other.read_text() == "x\n"


def test_it_is_in_the_projects_folder(root: Path, folder: PlanFolder) -> None:
    assert folder.ignore()
    assert (root / ".gitignore").read_text() == "planspec/\n"
