"""The folder planspec/: finding, listing, reading and creating plans, and staying inside."""

from __future__ import annotations

import os
import socket
import stat
import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from planspec_lark import PlanSyntaxError, parse_plan
from planspec_lark.files import link_or_copy
from planspec_lark.folder import FolderError, FolderErrorReason, PlanFolder
from planspec_lark.syntax import Limits
from tests.folder.plans import BROKEN, FINISHED, OPEN, write


def refusal(error: pytest.ExceptionInfo[FolderError], root: Path) -> tuple[str, FolderErrorReason]:
    return str(error.value).replace(str(root), "ROOT"), error.value.reason


# ---------------------------------------------------------------- finding


def test_the_order_of_looking(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = PlanFolder(root)
    monkeypatch.chdir(root)
    write(root / "both", "x")
    write(root / "Tasks/both/plan.md", OPEN)
    write(root / "planspec/both.md", OPEN)
    assert folder.find("both") == root / "planspec/both.md"
    (root / "planspec/both.md").unlink()
    assert folder.find("both") == root / "Tasks/both/plan.md"
    (root / "Tasks/both/plan.md").unlink()
    assert folder.find("both") == Path("both")
    assert folder.find("./both") == Path("./both")


def test_a_path_is_no_name(root: Path, folder: PlanFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    write(root / "harvest.md", FINISHED)
    assert folder.find("harvest.md") == Path("harvest.md")
    assert folder.find("planspec/harvest.md") == Path("planspec/harvest.md")


def test_a_file_whose_end_was_left_out(tmp_path: Path, folder: PlanFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("orchard.md"), OPEN)
    with pytest.raises(FolderError) as caught:
        folder.find("orchard")
    assert str(caught.value) == "there is no plan `orchard` in planspec/; did you mean the file `orchard.md`?"
    with pytest.raises(FolderError) as caught:
        folder.find("orchard", confined=True)
    assert "orchard.md" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("harvset", "there is no plan `harvset`, by name or as a file; did you mean `harvest`?"),
        ("HARVEST", "there is no plan `HARVEST`, by name or as a file; did you mean `harvest`?"),
        ("zzz", "there is no plan `zzz`, by name or as a file"),
        ("no/such.md", "there is no plan `no/such.md`"),
        ("\x1b[2J", "there is no plan `\\x1b[2J`"),
        ("a\0b", "there is no plan `a\\x00b`"),
        ("y" * 5000, f"there is no plan `{'y' * 60}…`"),
    ],
    ids=lambda text: ascii(text[:9]),
)
@pytest.mark.parametrize("confined", [True, False])
def test_there_is_no_plan(folder: PlanFolder, name: str, message: str, confined: bool) -> None:
    with pytest.raises(FolderError) as caught:
        folder.find(name, confined=confined)
    assert (str(caught.value), caught.value.reason) == (message, FolderErrorReason.MISSING)


def test_names_are_found_however_they_are_composed(root: Path, folder: PlanFolder) -> None:
    plain = write(root / "planspec" / (unicodedata.normalize("NFD", "café") + ".md"), OPEN)
    assert folder.find("café") == plain
    assert folder.find(unicodedata.normalize("NFD", "café")) == plain


def test_a_confined_path_starts_at_the_root(root: Path, folder: PlanFolder) -> None:
    write(root / "docs/old.md", FINISHED)
    assert folder.find("docs/old.md", confined=True) == root / "docs/old.md"
    assert folder.find(str(root / "docs/old.md"), confined=True) == root / "docs/old.md"
    assert folder.load("docs/old.md") == parse_plan(FINISHED)


@pytest.mark.parametrize(
    "name", ["../outside.md", "../none.md", "/etc/passwd", "/no/such", "planspec/../../outside.md"]
)
def test_a_confined_path_stays_inside(tmp_path: Path, folder: PlanFolder, name: str) -> None:
    write(tmp_path / "outside.md", OPEN)
    for use in (folder.read, folder.load):
        with pytest.raises(FolderError) as caught:
            use(name)
        assert refusal(caught, tmp_path) == (f"{name}: this leads out of the folder", FolderErrorReason.OUTSIDE)


# ---------------------------------------------------------------- reading


def test_read_and_load(folder: PlanFolder) -> None:
    assert folder.read("harvest") == OPEN
    assert folder.load("harvest") == parse_plan(OPEN)
    assert folder.load("roof") == parse_plan(OPEN)
    assert folder.load("Tasks/roof/plan.md") == parse_plan(OPEN)


def test_a_broken_plan_is_read_but_not_loaded(root: Path, folder: PlanFolder) -> None:
    assert folder.read("ill") == BROKEN
    with pytest.raises(PlanSyntaxError) as caught:
        folder.load("ill")
    assert caught.value.source.name == str(root / "planspec/ill.md")


def test_a_plan_may_be_too_long(root: Path) -> None:
    folder = PlanFolder(root, limits=Limits(max_bytes=20))
    with pytest.raises(PlanSyntaxError, match="more than 20 bytes"):
        folder.read("harvest")
    assert {entry.fault for entry in folder.list()} == {"line 1: PS121 the text has more than 20 bytes"}


def make_strange(path: Path, kind: str, outside: Path) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            folder = os.open(path.parent, os.O_RDONLY)
            server.bind(f"/proc/self/fd/{folder}/{path.name}")  # as such a path may not be long
            os.close(folder)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "outside":
        path.symlink_to(outside)
    elif kind == "nowhere":
        path.symlink_to("gone")
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "latin":
        path.write_bytes(b"# Plan: caf\xe9\n")


STRANGE = {
    "folder": "this is not a file",
    "fifo": "this is not a file",
    "socket": "this is not a file",
    "device": "this leads out of the folder",
    "outside": "this leads out of the folder",
    "nowhere": "a link that leads nowhere",
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_file_is_not_read(tmp_path: Path, root: Path, folder: PlanFolder, kind: str) -> None:
    make_strange(root / "planspec/odd.md", kind, write(tmp_path / "outside.md", OPEN))
    with pytest.raises(FolderError) as caught:
        folder.read("odd")
    assert refusal(caught, root)[0] == f"ROOT/planspec/odd.md: {STRANGE[kind]}"
    (entry,) = [entry for entry in folder.list() if entry.name == "odd"]
    assert (entry.fault, entry.title, entry.progress) == (STRANGE[kind], "", None)


def test_what_is_swapped_for_a_pipe_is_not_waited_for(
    root: Path, folder: PlanFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "planspec/harvest.md"
    before = path.lstat()
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(Path, "lstat", lambda _: before)
    with pytest.raises(FolderError) as caught:
        folder.read("harvest")
    assert refusal(caught, root)[0] == "ROOT/planspec/harvest.md: this is not a file"


def test_links_inside_the_folder_are_fine(root: Path, folder: PlanFolder) -> None:
    (root / "planspec/again.md").symlink_to("harvest.md")
    (root / "Tasks/other").symlink_to("roof")
    assert folder.read("again") == folder.read("other") == OPEN


@pytest.mark.parametrize(
    ("link", "to", "name"),
    [
        ("planspec/env.md", "../.env", "env"),
        ("Tasks/t/plan.md", "../../.env", "t"),
        ("Tasks/u", "../..", "u"),
    ],
)
def test_links_out_of_the_folder(root: Path, folder: PlanFolder, link: str, to: str, name: str) -> None:
    write(root / ".env", "SECRET=1\n")
    write(root.parent / "plan.md", OPEN)
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).symlink_to(to)
    for confined in (True, False):
        with pytest.raises(FolderError) as caught:
            folder.find(name, confined=confined)
        assert caught.value.reason is FolderErrorReason.OUTSIDE


@pytest.mark.parametrize("place", ["planspec", "Tasks"])
def test_the_folder_itself_may_be_no_link_out_of_the_project(tmp_path: Path, place: str) -> None:
    write(tmp_path / "elsewhere/x.md", OPEN)
    write(tmp_path / "elsewhere/x/plan.md", OPEN)
    project = tmp_path / "project"
    project.mkdir()
    (project / place).symlink_to(tmp_path / "elsewhere")
    folder = PlanFolder(project)
    uses: list[Callable[[], object]] = [partial(folder.find, "x"), partial(folder.read, "x")]
    if place == "planspec":
        uses += [folder.list, folder.names, partial(folder.create, "new", OPEN), partial(folder.archive, "x")]
    for use in uses:
        with pytest.raises(FolderError) as caught:
            use()
        assert refusal(caught, project) == (f"ROOT/{place}: this leads out of the folder", FolderErrorReason.OUTSIDE)
    assert sorted(os.listdir(tmp_path / "elsewhere")) == ["x", "x.md"]


def test_the_folder_may_be_a_link_inside_the_project(root: Path, folder: PlanFolder) -> None:
    (root / "planspec").rename(root / "plans")
    (root / "planspec").symlink_to("plans")
    assert folder.names() == ["harvest", "ill", "winter"]
    folder.create("new", OPEN)
    assert (root / "plans/new.md").exists()
    assert folder.archive("winter") == root / "planspec/archive/winter.md"


@pytest.mark.parametrize("name", ["none", "file"])
def test_there_is_no_project(tmp_path: Path, name: str) -> None:
    write(tmp_path / "file", "x")
    folder = PlanFolder(tmp_path / name)
    with pytest.raises(FolderError) as caught:
        folder.create("x", OPEN)
    said = {"none": "No such file or directory", "file": "this is not a folder"}[name]
    assert refusal(caught, tmp_path)[0] == f"ROOT/{name}: {said}"


# ---------------------------------------------------------------- listing


def test_list(root: Path, folder: PlanFolder) -> None:
    harvest, ill, winter = folder.list()
    assert (harvest.name, harvest.path) == ("harvest", root / "planspec/harvest.md")
    assert (harvest.title, harvest.goal) == ("Harvest", "All apples are in")
    assert harvest.progress == {"total": 2, "done": 1, "active": 0, "blocked": 0, "pending": 1, "skipped": 0}
    assert not harvest.is_converged
    assert (harvest.fault, harvest.diagnostic) == ("", None)
    assert winter.is_converged
    assert (ill.title, ill.goal, ill.progress, ill.is_converged) == ("Ill", "Get well", None, False)
    assert ill.fault == "line 4: PS111 `[X]` is not a status mark"
    assert ill.diagnostic is not None
    assert (ill.diagnostic.code, ill.diagnostic.line, ill.diagnostic.source) == ("PS111", 4, None)


def test_rules_are_faults_and_warnings_are_none(root: Path, folder: PlanFolder) -> None:
    write(root / "planspec/a.md", "Goal: x\n## Steps\n1. [reson] Look → a\n")
    write(root / "planspec/b.md", "Goal: x\n## Steps\n1. [act] Look -> a\n")
    first, second = folder.list()[:2]
    assert first.fault == "line 3: PS202 step 1: invalid type 'reson'"
    assert first.progress is not None
    assert second.fault == ""


def test_a_file_that_cannot_be_named(root: Path, folder: PlanFolder) -> None:
    write(root / "planspec/a:b.md", OPEN)
    write(root / "planspec/c?.md", BROKEN)
    first, second = folder.list()[:2]
    assert (first.name, first.title) == ("a:b", "Harvest")
    assert first.fault == "`a:b` cannot be the name of a plan: it has a `:`"
    assert second.fault == "line 4: PS111 `[X]` is not a status mark"
    assert folder.names() == ["harvest", "ill", "winter"]


def test_what_is_not_listed(root: Path, folder: PlanFolder) -> None:
    for name in (".hidden.md", "notes.txt", "x.MD", "harvest.md.lock", "harvest.md.ledger", "archive/old.md", ".md"):
        write(root / "planspec" / name, OPEN)
    assert [entry.name for entry in folder.list()] == ["harvest", "ill", "winter"]


def test_without_a_folder_there_are_no_plans(tmp_path: Path) -> None:
    folder = PlanFolder(tmp_path)
    assert (list(folder.list()), list(folder.names())) == ([], [])
    assert not folder.path.exists()


# ---------------------------------------------------------------- creating


def test_create(tmp_path: Path) -> None:
    folder = PlanFolder(tmp_path)
    assert folder.create("new", "any\r\ntext") == tmp_path / "planspec/new.md"
    assert (tmp_path / "planspec/new.md").read_bytes() == b"any\r\ntext"
    assert os.listdir(tmp_path / "planspec") == ["new.md"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "planspec/new.md").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("name", ["harvest", "HARVEST", "Harvest"])
def test_nothing_is_overwritten(root: Path, folder: PlanFolder, name: str) -> None:
    with pytest.raises(FolderError) as caught:
        folder.create(name, FINISHED)
    assert refusal(caught, root) == ("ROOT/planspec/harvest.md: there is a plan of this name", FolderErrorReason.EXISTS)
    assert folder.read("harvest") == OPEN
    assert sorted(os.listdir(root / "planspec")) == ["harvest.md", "ill.md", "winter.md"]


@pytest.mark.parametrize("has_links", [True, False])
def test_the_first_writer_wins(
    root: Path, folder: PlanFolder, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    # Another program creates it between the look and the writing.
    monkeypatch.setattr(PlanFolder, "holds", lambda *_: None)
    if not has_links:
        forbid_links(monkeypatch)
    with pytest.raises(FolderError) as caught:
        folder.create("harvest", FINISHED)
    assert caught.value.reason is FolderErrorReason.EXISTS
    assert folder.read("harvest") == OPEN
    assert sorted(os.listdir(root / "planspec")) == ["harvest.md", "ill.md", "winter.md"]


def forbid_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)


def test_file_systems_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_links(monkeypatch)
    folder = PlanFolder(tmp_path)
    folder.create("new", OPEN)
    assert folder.read("new") == OPEN
    assert os.listdir(tmp_path / "planspec") == ["new.md"]


def test_a_copy_that_fails_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_links(monkeypatch)
    source = write(tmp_path / "a", OPEN)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        link_or_copy(source, tmp_path / "b")
    assert os.listdir(tmp_path) == ["a"]
    folder = PlanFolder(tmp_path)
    with pytest.raises(FolderError) as caught:
        folder.create("new", OPEN)
    assert refusal(caught, tmp_path)[0] == "ROOT/planspec/new.md: No space left on device"
    assert os.listdir(tmp_path / "planspec") == []


def test_a_broken_link_is_in_the_way(root: Path, folder: PlanFolder) -> None:
    (root / "planspec/x.md").symlink_to(root / "elsewhere.md")
    with pytest.raises(FolderError, match="there is a plan of this name"):
        folder.create("x", OPEN)
    assert not (root / "elsewhere.md").exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("../x", OPEN, "`../x` cannot be the name of a plan: it has a `/`"),
        ("x", "a\ud800", "the text has lone surrogates, which cannot be written"),
        ("x", "a" * 10_000_001, "the text has more than 10,000,000 bytes"),
    ],
    ids=["name", "surrogate", "long"],
)
def test_what_cannot_be_created(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(FolderError) as caught:
        PlanFolder(tmp_path).create(name, text)
    assert str(caught.value) == message
    assert os.listdir(tmp_path) == []


def test_free_names(folder: PlanFolder) -> None:
    assert folder.free_name("harvest") == "harvest_2"
    folder.create("Harvest_2", OPEN)
    assert folder.free_name("harvest") == "harvest_3"
    assert folder.free_name("spring") == "spring"


def test_name_from() -> None:
    assert PlanFolder.name_from("Implement auth!") == "implement_auth"
