"""The archive: nothing is lost, nothing is replaced, and what belongs to a plan goes with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from planspec_lark import CommandError, PlanFile, PlanFileError, parse_plan
from planspec_lark.files import link_or_copy
from planspec_lark.folder import FolderError, FolderErrorReason, PlanFolder, archive as archiving
from planspec_lark.runs import SqliteLedger
from planspec_lark.runs.ledger import RunInfo
from tests.folder.plans import FINISHED, write
from tests.folder.test_folder import forbid_links, refusal


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> str:
    """A day that stays the same for the whole of a test."""

    class Today(date):
        @classmethod
        def today(cls) -> Today:
            return cls(2031, 2, 3)

    monkeypatch.setattr(archiving, "date", Today)
    return "2031-02-03"


def begin_run(path: Path) -> None:
    with closing(SqliteLedger(path.with_name(path.name + ".ledger"))) as ledger:
        ledger.begin(RunInfo("run1", 1.0, {}))


def test_a_plan_is_checked_under_the_lock(root: Path, folder: PlanFolder) -> None:
    path = root / "planspec/winter.md"
    hasty = PlanFile(path, wait=0)

    def refuse(text: str) -> None:
        assert text == FINISHED
        with pytest.raises(PlanFileError, match="another process"):
            hasty.change(str.upper)
        raise CommandError("X", "not this one")

    with pytest.raises(CommandError, match="not this one"):
        folder.archive("winter", check=refuse)
    assert path.read_text() == FINISHED
    assert not (root / "planspec/archive").exists()


def test_archive(root: Path, folder: PlanFolder) -> None:
    assert folder.archive("winter") == root / "planspec/archive/winter.md"
    assert (root / "planspec/archive/winter.md").read_text() == FINISHED
    assert sorted(os.listdir(root / "planspec")) == ["archive", "harvest.md", "ill.md"]
    assert os.listdir(root / "planspec/archive") == ["winter.md"]
    assert folder.load("planspec/archive/winter.md") == parse_plan(FINISHED)


def test_who_looks_for_an_archived_plan_is_told(folder: PlanFolder) -> None:
    folder.archive("winter")
    with pytest.raises(FolderError) as error:
        folder.find("winter")
    said = "there is no plan `winter`, by name or as a file; it is archived: planspec/archive/winter.md"
    assert (str(error.value), error.value.reason) == (said, FolderErrorReason.MISSING)


@pytest.mark.parametrize("has_links", [True, False])
def test_the_ledger_goes_along(
    root: Path, folder: PlanFolder, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    path = root / "planspec/winter.md"
    begin_run(path)
    with PlanFile(path).leased():
        pass
    # What a run that was killed leaves.
    write(root / "planspec/winter.md.ledger-wal", "")
    write(root / "planspec/winter.md.ledger-shm", "")
    if not has_links:
        forbid_links(monkeypatch)
    target = folder.archive("winter")
    assert sorted(os.listdir(root / "planspec")) == ["archive", "harvest.md", "ill.md"]
    assert sorted(os.listdir(target.parent)) == ["winter.md", "winter.md.ledger", "winter.md.ledger-wal"]
    with closing(SqliteLedger(target.with_name("winter.md.ledger"), read_only=True)) as ledger:
        assert [info.run for info in ledger.runs()] == ["run1"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("harvest", "this plan is not finished: 1 of 2 steps is pending or active"),
        ("ill", "this is not a plan, so it is unknown whether it is finished"),
    ],
)
def test_unfinished(root: Path, folder: PlanFolder, name: str, said: str) -> None:
    with pytest.raises(FolderError) as caught:
        folder.archive(name)
    assert refusal(caught, root) == (f"ROOT/planspec/{name}.md: {said}", FolderErrorReason.UNFINISHED)
    assert (root / f"planspec/{name}.md").exists()
    assert folder.archive(name, force=True) == root / f"planspec/archive/{name}.md"


@pytest.mark.parametrize("name", ["winter.md", "winter.md.ledger", "winter.md.ledger-wal"])
def test_nothing_in_the_archive_is_replaced(root: Path, folder: PlanFolder, today: str, name: str) -> None:
    """What has one of the names that the plan and its ledger would get belongs to another plan."""
    begin_run(root / "planspec/winter.md")
    write(root / "planspec/archive" / name, "older")
    write(root / f"planspec/archive/winter_{today}.md.ledger", "older as well")
    assert folder.archive("winter") == root / f"planspec/archive/winter_{today}_2.md"
    assert (root / "planspec/archive" / name).read_text() == "older"
    found = sorted(os.listdir(root / "planspec/archive"))
    new = [f"winter_{today}.md.ledger", f"winter_{today}_2.md", f"winter_{today}_2.md.ledger"]
    assert found == sorted([name, *new])
    assert sorted(os.listdir(root / "planspec")) == ["archive", "harvest.md", "ill.md"]


@pytest.mark.parametrize("force", [True, False])
def test_a_plan_that_is_run_stays(root: Path, folder: PlanFolder, force: bool) -> None:
    folder.wait = 0
    with PlanFile(root / "planspec/winter.md", command="planspec run").leased():
        before = sorted(os.listdir(root / "planspec"))
        with pytest.raises(FolderError) as caught:
            folder.archive("winter", force=force)
        assert sorted(os.listdir(root / "planspec")) == before
    said, reason = refusal(caught, root)
    assert said.startswith("ROOT/planspec/winter.md: another process runs this plan: `planspec run`, process ")
    assert reason is FolderErrorReason.BUSY
    assert (root / "planspec/winter.md").exists()


@pytest.mark.parametrize("name", ["winter.md", "winter.md.ledger"])
def test_links_stay(root: Path, folder: PlanFolder, name: str) -> None:
    path = root / "planspec" / name
    if path.exists():
        path.rename(root / "planspec/other.md")
    path.symlink_to("other.md")
    with pytest.raises(FolderError) as caught:
        folder.archive("winter", force=True)
    said = "this is a link, which would lead elsewhere after a move"
    assert refusal(caught, root)[0] == f"ROOT/planspec/{name}: {said}"
    assert path.is_symlink()


@pytest.mark.parametrize(
    ("name", "reason"), [("none", FolderErrorReason.MISSING), ("../winter", FolderErrorReason.NAME)]
)
def test_there_is_no_such_plan(folder: PlanFolder, name: str, reason: FolderErrorReason) -> None:
    with pytest.raises(FolderError) as caught:
        folder.archive(name)
    assert caught.value.reason is reason
    assert not (folder.path / "archive").exists()


def test_plans_of_tasks_are_not_archived(folder: PlanFolder) -> None:
    with pytest.raises(FolderError, match="there is no plan `roof`"):
        folder.archive("roof", force=True)


def test_the_archive_may_be_no_link_out_of_the_project(root: Path, tmp_path: Path, folder: PlanFolder) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "planspec/archive").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FolderError) as caught:
        folder.archive("winter")
    message = "ROOT/planspec/archive: this leads out of the folder"
    assert refusal(caught, root) == (message, FolderErrorReason.OUTSIDE)
    assert os.listdir(tmp_path / "elsewhere") == []


@pytest.mark.parametrize("at", range(1, 5))
@pytest.mark.parametrize("older", ["", "winter.md"])
def test_a_command_that_is_stopped_does_it_again(
    root: Path, folder: PlanFolder, monkeypatch: pytest.MonkeyPatch, today: str, older: str, at: int
) -> None:
    """Stopped at any step of the move, nothing is lost, and a second call ends it, be it on another day."""
    if older:
        write(root / "planspec/archive" / older, "older")
    begin_run(root / "planspec/winter.md")
    count = 0

    def stopping(work: Callable[..., None]) -> Callable[..., None]:
        def one(*arguments: Path, **more: bool) -> None:
            nonlocal count
            count += 1
            if count == at:
                raise KeyboardInterrupt
            work(*arguments, **more)

        return one

    with monkeypatch.context() as patch:
        patch.setattr(archiving, "link_or_copy", stopping(link_or_copy))
        patch.setattr(Path, "unlink", stopping(Path.unlink))
        with pytest.raises(KeyboardInterrupt):
            folder.archive("winter")
    assert (root / "planspec/winter.md").exists()
    name = f"winter_{today}.md" if older else "winter.md"
    if at > 1:
        monkeypatch.setattr(archiving, "date", date)
    folder.archive("winter")
    assert sorted(os.listdir(root / "planspec/archive")) == sorted(filter(None, [older, name, f"{name}.ledger"]))
    assert sorted(os.listdir(root / "planspec")) == ["archive", "harvest.md", "ill.md"]
    with closing(SqliteLedger(root / f"planspec/archive/{name}.ledger", read_only=True)) as ledger:
        assert len(ledger.runs()) == 1
