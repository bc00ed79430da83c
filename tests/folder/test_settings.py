"""The settings of a folder of plans."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planspec_lark.folder import FolderError, FolderSettings, PlanFolder, settings_of
from planspec_lark.folder.settings import set_in


@pytest.fixture
def folder(tmp_path: Path) -> PlanFolder:
    made = PlanFolder(tmp_path)
    made.path.mkdir()
    return made


def write(folder: PlanFolder, text: str) -> Path:
    path = folder.path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_they_are_remembered(tmp_path: Path) -> None:
    folder = PlanFolder(tmp_path)
    assert folder.settings == FolderSettings()
    assert folder.settle("require_result")
    assert not folder.settle("require_result")
    assert folder.share()
    assert folder.settings == PlanFolder(tmp_path).settings == FolderSettings(shared=True, require_result=True)


def test_of_which_files_they_are(folder: PlanFolder) -> None:
    write(folder, "require_result = true")
    asked = [
        folder.path / "a.md",
        folder.root / "Tasks" / "t" / "plan.md",
        folder.root / "a.md",
        folder.path / "archive" / "a.md",
    ]
    assert [settings_of(path).require_result for path in asked] == [True, True, False, False]


PLAN = "Goal: g\n## Steps\n1. [act] a\n"


def test_the_current_plan(folder: PlanFolder) -> None:
    for name in ("old", "new"):
        folder.create(name, PLAN)
    path = write(folder, "# ours\nshared = true # yes\n")
    folder.use("old")
    assert path.read_text() == 'current = "old"\n# ours\nshared = true # yes\n'
    folder.use("new", instead_of="old")
    assert folder.settings == FolderSettings(shared=True, current="new", superseded={"old": "new"})
    assert [(one.name, one.is_current, one.superseded_by) for one in folder.list()] == [
        ("new", True, ""),
        ("old", False, "new"),
    ]
    # Once it is used again, it is as any other.
    folder.use("old", instead_of="new")
    assert folder.settings.superseded == {"new": "old"}
    folder.use("")
    folder.use("new")
    folder.use("")
    assert path.read_text() == "# ours\nshared = true # yes\n"


@pytest.mark.parametrize("names", [("missing", ""), ("old", "missing"), ("../old", "")])
def test_a_plan_that_is_not_there_is_not_current(folder: PlanFolder, names: tuple[str, str]) -> None:
    folder.create("old", PLAN)
    with pytest.raises(FolderError):
        folder.use(names[0], instead_of=names[1])
    assert not (folder.path / "settings.toml").exists()


def test_settings_that_cannot_be_added_to_stay(folder: PlanFolder) -> None:
    for name in ("old", "new"):
        folder.create(name, PLAN)
    path = write(folder, '[superseded]\na = "b"\n')
    with pytest.raises(FolderError, match="superseded"):
        folder.use("new", instead_of="old")
    assert path.read_text() == '[superseded]\na = "b"\n'


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "shared = true\n"),
        ("# ours\nrequire_result = false\n", "shared = true\n# ours\nrequire_result = false\n"),
        ("require_result=true\n  shared  =  false # not yet\n", "require_result=true\nshared = true # not yet\n"),
    ],
)
def test_all_else_stays(folder: PlanFolder, text: str, after: str) -> None:
    path = write(folder, text)
    assert folder.settle("shared")
    assert path.read_text() == after == set_in(text, "shared")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shared = ", "settings.toml: Invalid value (at end of document)"),
        ("shared = 1", "settings.toml: shared is true or false"),
        (
            "colour = true",
            "settings.toml: there is no setting colour; there are shared, require_result, current, superseded",
        ),
        ("[shared]\n", "settings.toml: shared is true or false"),
        ("current = true", "settings.toml: current is a text"),
        ('superseded = "a"', "settings.toml: superseded is a table"),
        ("superseded.a = 1", "settings.toml: superseded has a name for each name"),
        ('"\\u001b" = 1', "settings.toml: there is no setting \\x1b;"),
        ("#" * 200_000, "settings.toml: these are not settings"),
    ],
)
def test_what_is_wrong(folder: PlanFolder, text: str, said: str) -> None:
    path = write(folder, text)
    for ask in (lambda: folder.settings, folder.hide, folder.share, lambda: settings_of(folder.path / "a.md")):
        with pytest.raises(FolderError) as caught:
            ask()
        assert said in str(caught.value)
    assert path.read_text() == text


@pytest.mark.parametrize("kind", ["nowhere", "fifo", "folder", "latin"])
def test_what_is_no_file(folder: PlanFolder, kind: str) -> None:
    path = folder.path / "settings.toml"
    if kind == "nowhere":
        path.symlink_to("no")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"# \xfc\n")
    for ask in (lambda: folder.settings, folder.hide, folder.share):
        with pytest.raises(FolderError, match=r"settings\.toml: "):
            ask()
    assert os.listdir(folder.path) == ["settings.toml"]
