"""Plans whose file is edited while they are run, as editors do it: not all at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from attrs import define, field

from planspec_lark import PlanFileError, PlanSyntaxError
from planspec_lark.engine import (
    HopStatus,
    OperatorResult,
    Outcome,
    PlanRunError,
    StepCall,
    ThinkEngine,
    ThinkEvent,
    edit_watcher,
    think,
)
from planspec_lark.locks import locked_folder
from planspec_lark.runs import RecordKind, SqliteLedger, ledger_path
from planspec_lark.runs.lease import RunLease, hold_lease

PLAN = "Goal: g\n## Steps\n" + "".join(f"{at}. [act] part {at}\n  > ← x\n" for at in range(1, 13))
MORE = "13. [act] one more\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "plan").write_text(PLAN)
    return tmp_path / "plan"


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no editor is given up."""
    monkeypatch.setattr(edit_watcher, "_SAVE_TIMEOUT", 120)


def take(path: Path) -> str:
    """The text of a file that is away from now on.

    No view can come between, as one may with an editor, which knows no lock: an older text would take its marks back.
    """
    aside = path.with_name("aside")
    with locked_folder(path.parent):
        path.replace(aside)
    return aside.read_text()


@define
class Editor:
    """An operator; while it does the second step, an edit begins."""

    edit: Callable[[], None]
    done: list[str] = field(factory=list)
    _thread: Thread | None = None

    def __call__(self, call: StepCall) -> OperatorResult:
        self.done.append(call.step.description)
        if call.step.step_id == "2":
            self._thread = Thread(target=self.edit)
            self._thread.start()
        time.sleep(0.05)
        if int(call.step.step_id) >= 6:
            # However slow the editor is: the run does not end before.
            self._join()
        return OperatorResult()

    def run(self, path: Path, jobs: int = 1) -> Outcome:
        try:
            return ThinkEngine(path, self, jobs=jobs, view_pause=0.05, inputs={"x": 1}).run().outcome
        finally:
            self._join()

    def _join(self) -> None:
        end = time.monotonic() + 30
        while self._thread is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        self._thread.join()


@pytest.mark.parametrize(("jobs", "seconds"), [(1, 0.2), (3, 0.02)])
def test_a_file_that_is_written_in_pieces(
    path: Path, jobs: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, the pause between two pieces is none between two edits.
    monkeypatch.setattr(edit_watcher, "_QUIET", 1.5)

    def edit() -> None:
        # The first of them are no plan, and those after that are plans as well.
        lines = [*take(path).splitlines(keepends=True), MORE]
        with path.open("w", buffering=1) as file:
            time.sleep(0.1)
            for line in lines:
                file.write(line)
                # All of them may take longer than a file has to stay as it is.
                time.sleep(seconds)

    editor = Editor(edit)
    assert editor.run(path, jobs) is Outcome.CONVERGED
    with closing(SqliteLedger(ledger_path(path))) as ledger:
        assert ledger.count(ledger.runs()[-1].run, kinds=[RecordKind.EDITED]) == 1
    assert sorted(editor.done) == sorted([f"part {at}" for at in range(1, 13)] + ["one more"])
    assert path.read_text().count("[x]") == 13


@pytest.mark.parametrize(("jobs", "meanwhile"), [(1, None), (3, None), (1, "13. [act one more\n")])
def test_a_file_that_is_away_or_no_plan_for_a_moment(path: Path, jobs: int, meanwhile: str | None) -> None:
    def edit() -> None:
        text = take(path)
        if meanwhile is not None:
            path.write_text(text + meanwhile)
        time.sleep(0.5)
        path.write_text(text + MORE)

    editor = Editor(edit)
    assert editor.run(path, jobs) is Outcome.CONVERGED
    assert "one more" in editor.done


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_edit_while_a_run_begins(path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def edit_and_hold(*given: Any, **options: Any) -> AbstractContextManager[RunLease]:
        path.write_text(PLAN + MORE)
        return hold_lease(*given, **options)

    monkeypatch.setattr(think, "hold_lease", edit_and_hold)
    done: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        done.append(call.step.description)
        return OperatorResult()

    assert ThinkEngine(path, operate, jobs=jobs, inputs={"x": 1}).run().outcome is Outcome.CONVERGED
    assert sorted(done) == sorted([f"part {at}" for at in range(1, 13)] + ["one more"])
    assert path.read_text().count("[x]") == 13


@pytest.mark.parametrize(("text", "error"), [("1. [act\n", PlanSyntaxError), (None, PlanFileError)])
def test_a_file_that_stays_no_plan(
    path: Path, text: str | None, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_watcher, "_SAVE_TIMEOUT", 0.3)

    def edit() -> None:
        # No view can come between, which would be written over the edit.
        with locked_folder(path.parent):
            if text is None:
                path.unlink()
            else:
                path.write_text(text)

    editor = Editor(edit)
    with pytest.raises(error):
        editor.run(path)
    # Nothing is written over what was edited.
    assert (path.read_text() if path.exists() else None) == text


def test_an_edit_counts_while_others_are_at_work(path: Path) -> None:
    def edit() -> None:
        path.write_text(path.read_text().replace("[act] part 12", "[act] another part"))

    editor = Editor(edit)
    assert editor.run(path, 3) is Outcome.CONVERGED
    assert "another part" in editor.done
    assert "part 12" not in editor.done


def test_an_edit_after_another_edit(path: Path) -> None:
    texts = ["Goal: g\n## Steps\n1. [act] a\n2. [act] b\n3. [act] c\n4. [act] d\n"]
    texts.append("Goal: g\n## Steps\n1. [act] new\n2. [act] a\n3. [act] b\n4. [act] c\n5. [act] d\n")
    texts.append(texts[1] + "6. [act] newer\n")
    path.write_text(texts[0])
    done = []

    def operate(call: StepCall) -> OperatorResult:
        done.append(call.step.description)
        if call.step.description == "a":
            path.write_text(texts[1])
        return OperatorResult()

    def tell(event: ThinkEvent) -> None:
        if event.kind.value == "edited" and path.read_text() == texts[1]:
            path.write_text(texts[2])

    ThinkEngine(path, operate, on_event=tell, view_pause=60).run()
    assert sorted(done) == ["a", "b", "c", "d", "new", "newer"]
    assert path.read_text().count("[x]") == 6


# ---------------------------------------------------------------- a subtask alone

SUBTASK = "Goal: g\n## Steps\n1. [act] before\n2. [subtask] dig\n  2.1. [act] a\n  2.2. [act] b\n3. [act] behind\n"


def _run_subtask(path: Path, *pairs: tuple[str, str], status: HopStatus = HopStatus.OK) -> list[str]:
    done = []
    path.write_text(SUBTASK)

    def operate(call: StepCall) -> OperatorResult:
        done.append(call.step.description)
        if call.step.description == "a":
            text = path.read_text()
            for old, new in pairs:
                assert old in text
                text = text.replace(old, new)
            path.write_text(text)
        return OperatorResult(status)

    ThinkEngine(path, operate, view_pause=0).run_subtask("2")
    return done


def test_a_subtask_that_is_run_gets_another_number(path: Path) -> None:
    pairs = [("3. ", "4. "), ("2. [>]", "3. [>]"), ("  2.", "  3."), ("1. [act] before", "1. [act] x\n2. [act] before")]
    assert _run_subtask(path, *pairs) == ["a", "b"]
    assert "1. [act] x\n2. [act] before\n3. [x] [subtask] dig\n" in path.read_text()
    assert "\n4. [act] behind\n" in path.read_text()


@pytest.mark.parametrize(
    ("behind", "why"),
    [("2. [act] behind\n", "an edit has put another step in its place"), ("", "there is no such step")],
)
def test_a_subtask_that_is_run_is_removed(path: Path, behind: str, why: str) -> None:
    below = "2. [>] [subtask] dig\n  2.1. [>] [act] a\n  2.2. [act] b\n3. [act] behind\n"
    with pytest.raises(PlanRunError, match=why):
        _run_subtask(path, (below, behind), status=HopStatus.FAIL)
    # Nothing of it is lost, and nothing else was done.
    assert "1. [act] before\n" in path.read_text()
    assert "behind" not in path.read_text() or behind in path.read_text()


def test_a_step_is_removed_while_it_is_done(path: Path) -> None:
    def remove(call: StepCall) -> OperatorResult:
        if call.step.description == "behind":
            path.write_text(path.read_text().replace("3. [>] [act] behind\n", ""))
        return OperatorResult()

    path.write_text(SUBTASK)
    told: list[str] = []
    ThinkEngine(path, remove, view_pause=0, on_event=lambda event: told.extend(event.data.get("conflicts", ()))).run()
    assert told == ["step 3: ours removed it, theirs changed it: it stays"]
    assert "3. [x] [act] behind\n" in path.read_text()
