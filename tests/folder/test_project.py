"""What a project has settled for the commands that are called in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from planspec_lark.folder import FolderError, ProjectSettings, read_project
from planspec_lark.folder.project import codes_of
from planspec_lark.syntax import CODES, Severity


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, two below the project's."""
    inner = tmp_path / "docs" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    return inner


def test_it_is_that_of_the_nearest_folder(tmp_path: Path, here: Path) -> None:
    assert read_project() == ProjectSettings()
    (tmp_path / "pyproject.toml").write_text("[tool.planspec]\nignore = ['PS308']\nfolder = 'work'\n")
    assert read_project() == ProjectSettings(frozenset({"PS308"}), folder=Path("../../work"))
    (here / "pyproject.toml").write_text("[project]\ndependencies = ['planspec-lark']\n")
    assert read_project().ignore == {"PS308"}, "one that says nothing of plans is passed over"
    (tmp_path / "planspec.toml").write_text("also = ['PS315']\n[severity]\nPS309 = 'error'\n")
    assert read_project() == ProjectSettings(also=["PS315"], severity={"PS309": Severity.ERROR}), "not both"
    (here / "planspec.toml").write_text("")
    assert read_project() == ProjectSettings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# ignore\n\nignored = []",
            "ignored: there is no such setting; there are ignore, also, severity and folder",
        ),
        (
            "ignore = [\n'PS308',\n'PS999']",
            "PS999: no code of a plan's findings is this, or begins with it",
        ),
        ("ignore = 'PS308'", "ignore: it is a list of codes"),
        ("ignore = ['']", "ignore: it is a list of codes"),
        (
            "ignore = ['PS111']",
            "PS111: what has this error is not a plan, so it is always told",
        ),
        ("ignore = ['HS1']", "HS1: no code of a plan's findings is this, or begins with it"),
        ("also = ['PS308']", "PS308: there is no such optional check; there are PS315"),
        ("severity = 'error'", "severity: it is a table of codes"),
        ("[severity]\nPS308 = 'fatal'", "PS308: it is error, warning or info"),
        ("[severity]\nPS111 = 'info'", "PS111: there is no warning or info of plans with this code"),
        ("[severity]\nPS3 = 'info'", "PS3: there is no warning or info of plans with this code"),
        ("folder = 3", "folder: it is the name of a folder"),
        ('folder = "a\\u0000"', "folder: it is the name of a folder"),
        ("ignore = [", "Invalid value (at end of document)"),
        (f"ignore = {'[' * 100_000}", "recursion depth" if sys.version_info < (3, 14) else ""),
        ("x\x1b = 1", "(at line 1, column 2)"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, said: str) -> None:
    for name, lead in (("planspec.toml", ""), ("pyproject.toml", "ignore.a = 1\n[tool.planspec]\n")):
        if lead and not text.startswith(("also", "folder")):
            continue
        path = tmp_path / name
        path.write_text(lead + text)
        with pytest.raises(FolderError) as raised:
            read_project()
        assert str(raised.value).startswith(f"{path}: ")
        assert said in str(raised.value)
        path.unlink()


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "planspec.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(FolderError, match="utf-8"):
        read_project()
    path.write_text("#" * 1_000_001)
    with pytest.raises(FolderError, match="it has more than 1,000,000 bytes"):
        read_project()
    path.unlink()
    os.mkfifo(path)
    assert read_project() == ProjectSettings()


def test_a_folder_that_is_gone_has_none(here: Path) -> None:
    here.rmdir()
    assert read_project() == ProjectSettings()


def test_a_call_comes_first() -> None:
    settled = ProjectSettings(frozenset({"PS308", "PS315"}), ["PS315"])
    assert settled.asked([], []) == settled
    assert settled.asked(["PS309"], []) == ProjectSettings(frozenset({"PS309"}), ["PS315"])
    assert settled.asked([""], []).ignore == frozenset()
    assert settled.asked([], ["PS315"]) == ProjectSettings(frozenset({"PS308"}), ["PS315"])
    assert settled.asked(["PS315"], []) == ProjectSettings(frozenset({"PS315"}), [])


def test_no_error_can_be_left_out() -> None:
    every = codes_of(["PS"])
    assert "PS308" in every
    assert not [code for code in every if CODES[code].severity is Severity.ERROR]
